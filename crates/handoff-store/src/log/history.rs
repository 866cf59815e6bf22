//! Reading the log, the newest first, and telling what of it still holds.

use std::collections::HashMap;

use handoff_model::history::ChangeId;
use handoff_model::problem::Problem;

use super::segment::Segment;
use super::{Entry, Kind, Log};
use crate::error::{Result, StoreError};
use crate::layout::LOG;
use crate::root::Root;
use crate::store::Store;

/// An entry of the log, and what became of it.
#[derive(Clone, Debug)]
pub struct Logged {
    pub entry: Entry,
    pub state: State,
}

/// Whether what a change did still holds, as far as the log tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Done,
    /// A later one took it back; for one that took others back: a later one made them again
    TakenBack {
        by: ChangeId,
    },
}

impl Logged {
    pub fn id(&self) -> ChangeId {
        self.entry.head.id
    }

    /// Whether it is a change that can be taken back by counting.
    pub fn is_standing_change(&self) -> bool {
        self.entry.head.kind == Kind::Change && self.state == State::Done
    }
}

/// The entries of the log, the newest first; read as far as they are asked for.
#[derive(Debug)]
pub struct History<'a> {
    root: &'a Root,
    /// Not read yet, the oldest first
    segments: Vec<Segment>,
    /// Read and not told yet, the oldest first
    entries: Vec<Entry>,
    /// What cannot be read among them, each with the number of entries before it
    damaged: Vec<(usize, Problem)>,
    undone: HashMap<ChangeId, ChangeId>,
    redone: HashMap<ChangeId, ChangeId>,
    problems: Vec<Problem>,
    /// The last entry that was told, and how many problems were known then
    told: Option<(u64, usize)>,
}

impl Store {
    /// What was changed here, the newest first.
    pub fn history(&self) -> Result<History<'_>> {
        let segments = Log::new(&self.root).segments().map_err(|source| StoreError::read(LOG, source))?;
        Ok(History {
            root: &self.root,
            segments,
            entries: Vec::new(),
            damaged: Vec::new(),
            undone: HashMap::new(),
            redone: HashMap::new(),
            problems: Vec::new(),
            told: None,
        })
    }
}

impl History<'_> {
    /// What could not be read so far.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The next entry, unless one behind it could not be read: then nobody can tell which the last ones are.
    pub(crate) fn next_whole(&mut self) -> Result<Option<Logged>> {
        let next = self.next();
        match self.problems.first() {
            Some(problem) => Err(StoreError::LogDamaged(problem.clone())),
            None => Ok(next),
        }
    }

    /// Notes what cannot be read between the entries told so far and the next.
    fn pass_damage(&mut self) {
        while let Some((_, problem)) = self.damaged.pop_if(|(at, _)| *at >= self.entries.len()) {
            self.problems.push(problem);
        }
    }

    /// Notes that entries are missing behind this one, unless damage there was reported already.
    fn note_gap(&mut self, number: u64) {
        let newer = self.told.replace((number, self.problems.len()));
        let Some((newer, known)) = newer.filter(|(newer, _)| *newer > number + 1) else { return };
        if known == self.problems.len() {
            let reason = match (number + 1, newer - 1) {
                (only, last) if only == last => format!("the entry of change {only} is missing"),
                (first, last) => format!("the entries of changes {first} to {last} are missing"),
            };
            self.problems.push(Problem::damaged(LOG, reason));
            self.told = Some((number, self.problems.len()));
        }
    }

    /// What became of an entry, told by those behind it.
    fn state(&mut self, entry: &Entry) -> State {
        let id = entry.head.id;
        let by = match &entry.head.kind {
            Kind::Change | Kind::Names => self.undone.get(&id).copied(),
            Kind::Undo { changes } => {
                let made_again = self.redone.get(&id).copied();
                if made_again.is_none() {
                    for change in changes {
                        self.undone.entry(*change).or_insert(id);
                    }
                }
                made_again
            }
            Kind::Redo { undo, changes } => {
                self.redone.insert(*undo, id);
                changes.iter().find_map(|change| self.undone.get(change)).copied()
            }
        };
        by.map_or(State::Done, |by| State::TakenBack { by })
    }
}

impl Iterator for History<'_> {
    type Item = Logged;

    fn next(&mut self) -> Option<Logged> {
        self.pass_damage();
        while self.entries.is_empty() {
            match self.segments.pop()?.read(self.root) {
                Ok(read) => (self.entries, self.damaged) = (read.entries, read.problems),
                Err(error) => self.problems.push(Problem::damaged(LOG, error.to_string())),
            }
            self.pass_damage();
        }
        let entry = self.entries.pop()?;
        self.note_gap(entry.head.number);
        let state = self.state(&entry);
        Some(Logged { entry, state })
    }
}
