//! What taking changes back comes to: the steps in reverse, each where its place is now.
//!
//! **Invariant:** nothing is taken back whose result is not what lies there. What others changed since is never
//! overwritten; the reason names the file and, where the log knows it, the change.

use std::collections::HashSet;

use handoff_model::history::{ChangeId, ChangeRef, Changed};
use handoff_model::id::TaskId;
use handoff_model::name::{Layout, read_name};
use handoff_model::rev::Rev;
use handoff_model::task::Task;

use super::ahead::{Ahead, Obstacle};
use super::entry::{carried, changed};
use super::{Kind, Logged, LoggedStep, State};
use crate::error::{Result, StoreError};
use crate::layout::{TASK_FILE, TASKS};
use crate::root::{join, split};
use crate::step::Step;
use crate::store::{Store, name_of};
use crate::task::moves::after;

/// Changes that can be taken back, and how.
#[derive(Clone, Debug)]
pub struct Undo {
    kind: Kind,
    steps: Vec<Step>,
    /// Numbers that are given up by it
    freed: Vec<(Option<TaskId>, u32)>,
}

impl Undo {
    /// Whether it makes something again that was taken back.
    pub fn makes_again(&self) -> bool {
        matches!(self.kind, Kind::Redo { .. })
    }

    /// The changes that are taken back or made again, the newest first.
    pub fn changes(&self) -> &[ChangeId] {
        match &self.kind {
            Kind::Undo { changes } | Kind::Redo { changes, .. } => changes,
            Kind::Change | Kind::Names => &[],
        }
    }

    /// What it will do to each file.
    pub fn changed(&self) -> Changed {
        changed(self.steps.iter().map(LoggedStep::of))
    }
}

impl Store {
    /// The last changes that still stand, as one step. Those that took others back are passed over, as in an editor.
    pub fn undo_last(&self, count: usize) -> Result<Undo> {
        let (mut seen, mut chosen) = (Vec::new(), Vec::new());
        let mut history = self.history()?;
        while let Some(logged) = history.next_whole()? {
            if logged.is_standing_change() {
                chosen.push(logged.id());
            }
            seen.push(logged);
            if chosen.len() == count {
                self.check_unlogged(chosen[0], &seen, history)?;
                return self.undo(&seen, chosen, |changes| Kind::Undo { changes });
            }
        }
        Err(StoreError::NothingToUndo { asked: count, there: chosen.len() })
    }

    /// One change, whenever it was. Taking back what took others back makes those again.
    pub fn undo_change(&self, wanted: &ChangeRef) -> Result<Undo> {
        let seen: Vec<Logged> = self.history()?.collect();
        let index = find(&seen, wanted)?;
        let logged = &seen[index];
        let id = logged.id();
        if let State::TakenBack { by } = logged.state {
            let reason = match logged.entry.head.kind {
                Kind::Undo { .. } => format!("`{by}` made it again already"),
                _ => format!("`{by}` took it back already"),
            };
            return Err(StoreError::CannotUndo { id, reason, later: Vec::new() });
        }
        let kind = logged.entry.head.kind.clone();
        self.undo(&seen[..=index], vec![id], |chosen| match kind {
            Kind::Change | Kind::Names => Kind::Undo { changes: chosen },
            Kind::Undo { changes } => Kind::Redo { undo: id, changes },
            Kind::Redo { changes, .. } => Kind::Undo { changes },
        })
    }

    /// The last undo, taken back; refused when something was changed since.
    pub fn redo_last(&self) -> Result<Undo> {
        let mut seen = Vec::new();
        let mut since = Vec::new();
        let mut history = self.history()?;
        while let Some(logged) = history.next_whole()? {
            match (&logged.entry.head.kind, logged.state) {
                (Kind::Undo { changes }, State::Done) => {
                    let (id, changes) = (logged.id(), changes.clone());
                    if !since.is_empty() {
                        return Err(StoreError::ChangedSinceUndo { undo: id, later: since });
                    }
                    seen.push(logged);
                    self.check_unlogged(id, &seen, history)?;
                    return self.undo(&seen, vec![id], |_| Kind::Redo { undo: id, changes });
                }
                (Kind::Change, State::Done) => since.push(logged.id()),
                _ => {}
            }
            seen.push(logged);
        }
        Err(StoreError::NothingToRedo)
    }

    /// Stages it: made durable like any change, and written to the log as one.
    pub fn stage_undo(&mut self, undo: &Undo) {
        for (parent, ordinal) in &undo.freed {
            self.raise_floor(*parent, *ordinal);
        }
        self.change.steps.extend(undo.steps.iter().cloned());
        self.change.kind = undo.kind.clone();
        self.change.forget_locator = true;
    }

    fn undo(&self, seen: &[Logged], chosen: Vec<ChangeId>, kind: impl FnOnce(Vec<ChangeId>) -> Kind) -> Result<Undo> {
        let mut plan =
            Plan { store: self, seen, chosen: chosen.iter().copied().collect(), ahead: Ahead::new(&self.root) };
        let (mut steps, mut freed) = (Vec::new(), Vec::new());
        for (index, logged) in seen.iter().enumerate() {
            if plan.chosen.contains(&logged.id()) {
                plan.take_back(index, &mut steps, &mut freed)?;
            }
        }
        Ok(Undo { kind: kind(chosen), steps, freed })
    }
}

fn find(seen: &[Logged], wanted: &ChangeRef) -> Result<usize> {
    let mut matching = seen.iter().enumerate().filter(|(_, logged)| wanted.matches(logged.id()));
    match (matching.next(), matching.next()) {
        (None, _) => Err(StoreError::NoSuchChange { wanted: wanted.clone() }),
        (Some((index, _)), None) => Ok(index),
        (Some((_, first)), Some((_, second))) => {
            let candidates = [first.id(), second.id()].into_iter().chain(matching.map(|(_, logged)| logged.id()));
            Err(StoreError::AmbiguousChange { wanted: wanted.clone(), candidates: candidates.collect() })
        }
    }
}

/// The making of the steps.
struct Plan<'a> {
    store: &'a Store,
    /// From the newest entry to the oldest that is taken back
    seen: &'a [Logged],
    chosen: HashSet<ChangeId>,
    ahead: Ahead<'a>,
}

impl Plan<'_> {
    fn take_back(&mut self, index: usize, steps: &mut Vec<Step>, freed: &mut Vec<(Option<TaskId>, u32)>) -> Result<()> {
        let entry = &self.seen[index].entry;
        let id = entry.head.id;
        if !entry.has_images() {
            let reason = "it was too large for what it replaced to be kept".to_owned();
            return Err(StoreError::CannotUndo { id, reason, later: Vec::new() });
        }
        self.check_later(index)?;
        let newer = &self.seen[..index];
        let is_there_still =
            |logged: &Logged| self.chosen.contains(&logged.id()) || logged.entry.moves().next().is_none();
        // Where nothing but what is taken back moved anything since, every place is where it was.
        let is_exact = newer.iter().all(is_there_still);
        let since: Vec<(String, String)> = newer.iter().rev().flat_map(|logged| logged.entry.moves()).collect();
        let own: Vec<(String, String)> = entry.moves().collect();
        let mut moves_before = own.len();
        for step in entry.steps.iter().rev() {
            let carry = |path: &str| {
                if is_exact {
                    return path.to_owned();
                }
                after(&self.ahead.carried, &after(&since, &after(&own[moves_before..], path)))
            };
            let back = back(step, carry, &self.ahead).map_err(|obstacle| self.refused(index, obstacle))?;
            if matches!(step, LoggedStep::MoveDir { .. }) {
                moves_before -= 1;
            }
            if self.ahead.has_name_already(&back) {
                continue;
            }
            freed.extend(self.freed(&back));
            self.ahead.apply(&back).map_err(|obstacle| self.refused(index, obstacle))?;
            push(steps, back);
        }
        Ok(())
    }

    /// Refuses when a later change, which stays, concerns the same file or directory.
    fn check_later(&self, index: usize) -> Result<()> {
        let stays = |logged: &&Logged| {
            let is_change = logged.is_standing_change() || logged.entry.head.kind == Kind::Names;
            is_change && !self.chosen.contains(&logged.id())
        };
        if !self.seen[..index].iter().any(|logged| stays(&logged)) {
            return Ok(());
        }
        let own = self.touched(index);
        let mut path = None;
        let later: Vec<ChangeId> = (0..index)
            .filter(|newer| stays(&&self.seen[*newer]))
            .filter(|newer| {
                let shared = self.touched(*newer).intersection(&own).next().cloned();
                let is_shared = shared.is_some();
                path = shared.or(path.take());
                is_shared
            })
            .map(|newer| self.seen[newer].id())
            .collect();
        match path {
            None => Ok(()),
            Some(path) => {
                let reason = format!("{} was changed since", path.trim_end_matches('/'));
                Err(StoreError::CannotUndo { id: self.seen[index].id(), reason, later })
            }
        }
    }

    /// The files and directories an entry concerns, by where they lie now; directories end in `/`.
    fn touched(&self, index: usize) -> HashSet<String> {
        let entry = &self.seen[index].entry;
        let since: Vec<(String, String)> =
            self.seen[..index].iter().rev().flat_map(|logged| logged.entry.moves()).collect();
        let own: Vec<(String, String)> = entry.moves().collect();
        let mut moves_before = 0;
        let mut touched = HashSet::new();
        for step in &entry.steps {
            if let LoggedStep::MoveDir { to, .. } = step {
                moves_before += 1;
                touched.insert(after(&since, &after(&own[moves_before..], to)) + "/");
            }
            touched.extend(step.file().map(|file| carried(&since, &carried(&own[moves_before..], &file))));
        }
        touched
    }

    fn refused(&self, index: usize, obstacle: Obstacle) -> StoreError {
        let Obstacle { path, reason } = obstacle;
        // What was planned so far is not done: the reader is told where it lies.
        let path = self.ahead.on_disk(&path).unwrap_or(path);
        let concerns = |newer: &usize| {
            let touched = self.touched(*newer);
            let brought_there = |place: &String| is_local(&path) && place.ends_with('/') && path.starts_with(place);
            let inside = format!("{path}/");
            touched.contains(&path) || touched.iter().any(|place| place.starts_with(&inside) || brought_there(place))
        };
        let later: Vec<ChangeId> = (0..index)
            .filter(|newer| !self.chosen.contains(&self.seen[*newer].id()))
            .filter(concerns)
            .map(|newer| self.seen[newer].id())
            .collect();
        let unknown = "; it was changed by hand, or by something that is not in the log";
        let by_whom = if later.is_empty() { unknown } else { "" };
        StoreError::CannotUndo { id: self.seen[index].id(), reason: format!("{path} {reason}{by_whom}"), later }
    }

    /// The number that a task gives up by a step: it is not given to another.
    fn freed(&self, step: &Step) -> Option<(Option<TaskId>, u32)> {
        let by_name = |dir: &str| {
            let above = split(dir).0;
            let parent = match above {
                TASKS => None,
                _ => Some(Task::read(&self.ahead.text(&join(above, TASK_FILE))?).ok()?.0.id),
            };
            Some((parent, read_name(name_of(dir)).number?.ordinal()))
        };
        let by_fields = |text: &str| {
            let task = Task::read(text).ok()?.0;
            Some((task.parent, task.number?))
        };
        let is_task = |path: &str| path.strip_prefix(TASKS).is_some_and(|rest| rest.starts_with('/'));
        let number = |dir: &str| read_name(name_of(dir)).number;
        match (self.store.layout(), step) {
            (Layout::Status, Step::RemoveDir { path, .. }) if is_task(path) => by_name(path),
            (Layout::Status, Step::MoveDir { from, to }) if is_task(from) => {
                let keeps_it = split(from).0 == split(to).0 && number(from) == number(to);
                by_name(from).filter(|_| !keeps_it)
            }
            (Layout::Stable, Step::RemoveDir { path, text, .. }) if is_task(path) => by_fields(text),
            (Layout::Stable, Step::MoveDir { from, to }) if is_task(from) && !is_task(to) => {
                by_fields(&self.ahead.text(&join(from, TASK_FILE))?)
            }
            (Layout::Stable, Step::Put { path, before: Some(before), after }) if is_task(path) => {
                by_fields(before).filter(|place| by_fields(after).as_ref() != Some(place))
            }
            _ => None,
        }
    }
}

/// The step that takes one back, with each path as `carry` says it is now.
fn back(step: &LoggedStep, carry: impl Fn(&str) -> String, ahead: &Ahead<'_>) -> std::result::Result<Step, Obstacle> {
    let beside = |path: &str| {
        let (dir, name) = split(path);
        join(&carry(dir), name)
    };
    let (was, back) = match step.clone() {
        LoggedStep::Put { path, before, after } => {
            let path_now = beside(&path);
            (path, Step::Put { path: path_now, before, after }.inverse())
        }
        LoggedStep::Patch { path, front, back, before, after_rev, before_rev, .. } => {
            let now = beside(&path);
            let changed = || Obstacle { path: now.clone(), reason: "says something else now" };
            let present = ahead.text(&now).ok_or_else(changed)?;
            let whole = present.get(..front).zip(present.get(present.len().saturating_sub(back)..));
            let (start, end) = whole.filter(|_| Rev::of(present.as_bytes()) == after_rev).ok_or_else(changed)?;
            let text = format!("{start}{before}{end}");
            if Rev::of(text.as_bytes()) != before_rev {
                return Err(changed());
            }
            (path, Step::Put { path: now.clone(), before: Some(present), after: text })
        }
        LoggedStep::NewDir { path, name, text } => {
            let now = carry(&path);
            (path, Step::RemoveDir { path: now, name, text })
        }
        LoggedStep::MoveDir { from, to, .. } => {
            let (from_now, to_now) = (carry(&to), beside(&from));
            (to, Step::MoveDir { from: from_now, to: to_now })
        }
        LoggedStep::Remove { path, before } => {
            let now = beside(&path);
            (path, Step::Put { path: now, before: None, after: before })
        }
        LoggedStep::RemoveDir { path, name, text } => {
            let now = beside(&path);
            (path, Step::NewDir { path: now, name, text })
        }
        LoggedStep::Bare { path } => return Err(Obstacle { path, reason: "was not kept as it was" }),
    };
    // What lay among the records and is in the trash now, or the other way round, is another thing.
    let place = match &back {
        Step::MoveDir { from, .. } => from,
        other => other.path(),
    };
    if is_local(&was) != is_local(place) {
        return Err(Obstacle { path: place.to_owned(), reason: "is where it lies now" });
    }
    Ok(back)
}

fn is_local(path: &str) -> bool {
    path.starts_with("local/")
}

/// Adds a step; two in a row that write one file become one.
fn push(steps: &mut Vec<Step>, step: Step) {
    if let (Some(Step::Put { path: last, after: written, .. }), Step::Put { path, after, .. }) =
        (steps.last_mut(), &step)
        && last == path
    {
        written.clone_from(after);
        return;
    }
    steps.push(step);
}
