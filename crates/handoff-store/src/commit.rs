//! Making a change durable, and finishing or undoing one that was cut off.
//!
//! A change of one step is its own commit: the rename is the moment it happens. A change of several is written to the
//! journal first; from then on it will be finished, or undone when a step fails, whoever dies in between.

use std::io;

use handoff_model::problem::Problem;
use serde::{Deserialize, Serialize};

use crate::doctor::{clear_from_above_backup, remove_unused_backups};
use crate::error::{Result, StoreError};
use crate::layout::{GENERATION, JOURNAL, LOG, REACHED, STATE, TMP, UNDO_JOURNAL};
use crate::log::{Head, Log};
use crate::root::{Root, split};
use crate::session::package::remove_unfinished;
use crate::step::{Outcome, Step};

mod fault;
mod half_moved;
mod reached;

pub(crate) use fault::{Fault, journal_fault};
pub(crate) use half_moved::finish_move;
use reached::{Notes, Reached};

/// A change of several records, as it stands in the journal.
#[derive(Debug, Serialize, Deserialize)]
struct Journal {
    format: u32,
    steps: Vec<Step>,
    /// What the log is to say of it when somebody else has to finish it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    head: Option<Head>,
}

/// Does the steps: all of them, or none.
pub(crate) fn commit(
    root: &Root,
    steps: &[Step],
    head: Option<&Head>,
    mut progress: impl FnMut(usize, usize),
) -> Result<()> {
    match steps {
        [] => Ok(()),
        [step] if !head.is_some_and(Head::is_reversal) => one(root, step),
        steps => several(root, steps, head, &mut progress),
    }
}

fn one(root: &Root, step: &Step) -> Result<()> {
    let moves = matches!(step, Step::MoveDir { .. } | Step::RemoveDir { .. });
    let write = |source| StoreError::write(step.path(), source);
    if moves {
        Generation::begin(root).map_err(write)?;
    }
    let done = match step.apply(root) {
        Ok(Outcome::Done) => Ok(()),
        Ok(Outcome::Foreign) => Err(StoreError::ChangedUnderway { path: step.path().to_owned() }),
        Ok(Outcome::Taken) => Err(StoreError::InTheWay { path: step.path().to_owned() }),
        // The rename may have happened before the sync failed: take it back, so that "failed" means unchanged.
        Err(source) => match step.undo(root) {
            Ok(_) => Err(write(source)),
            Err(_) => Err(StoreError::HalfDone { path: step.path().to_owned(), source }),
        },
    };
    if moves {
        Generation::end(root);
    }
    done
}

fn several(root: &Root, steps: &[Step], head: Option<&Head>, progress: &mut dyn FnMut(usize, usize)) -> Result<()> {
    let journal = Journal { format: handoff_model::FORMAT, steps: steps.to_vec(), head: head.cloned() };
    let text = serde_json::to_string(&journal).expect("steps are plain data");
    let record = Step::Put { path: JOURNAL.to_owned(), before: None, after: text };
    let notes = Notes::begin(root, steps).map_err(|source| StoreError::write(REACHED, source))?;
    Generation::begin(root).map_err(|source| StoreError::write(GENERATION, source))?;
    one(root, &record).inspect_err(|_| Generation::end(root))?;
    let result = forward(root, steps, &notes, progress).and_then(|()| {
        // What was taken back or made again is known only by the log, so it is in there before it counts.
        let Some(head) = head.filter(|head| head.is_reversal()) else { return Ok(()) };
        let logged = Log::new(root).append_synced(head, steps);
        logged.map_err(|source| (steps.len(), StoreError::write(LOG, source)))
    });
    if let Err((reached, error)) = result {
        return match abandon(root, steps, &notes, reached) {
            Ok(()) => Err(error),
            Err(source) => Err(StoreError::HalfDone { path: JOURNAL.to_owned(), source }),
        };
    }
    // The change is made; a journal that cannot be removed now is found finished by the next command.
    if remove_journal(root, JOURNAL).is_ok() {
        notes.end();
    }
    Generation::end(root);
    Ok(())
}

/// Does one step after the other; an error comes with how many are done for certain.
fn forward(
    root: &Root,
    steps: &[Step],
    notes: &Notes<'_>,
    progress: &mut dyn FnMut(usize, usize),
) -> std::result::Result<(), (usize, StoreError)> {
    for (done, step) in steps.iter().enumerate() {
        progress(done, steps.len());
        // Each is on disk before the next: a later one may move the directory an earlier one wrote in.
        let applied = match step.apply(root) {
            Ok(Outcome::Done) => notes.note(Reached { done: done + 1, backward: false }),
            Ok(Outcome::Foreign) => return Err((done, StoreError::ChangedUnderway { path: step.path().to_owned() })),
            Ok(Outcome::Taken) => return Err((done, StoreError::InTheWay { path: step.path().to_owned() })),
            Err(source) => Err(source),
        };
        applied.map_err(|source| (done, StoreError::write(step.path(), source)))?;
    }
    Ok(())
}

/// Undoes a change that failed half-way. The journal's new name says so first, in case this is cut off too.
fn abandon(root: &Root, steps: &[Step], notes: &Notes<'_>, done: usize) -> io::Result<()> {
    root.rename_to_free(JOURNAL, UNDO_JOURNAL)?;
    let _ = root.sync_dir(STATE);
    backward(root, steps, notes, Some(Reached { done, backward: false }))?;
    remove_journal(root, UNDO_JOURNAL)?;
    notes.end();
    Generation::end(root);
    Ok(())
}

/// Takes back what may be done.
fn backward(root: &Root, steps: &[Step], notes: &Notes<'_>, reached: Option<Reached>) -> io::Result<()> {
    let begun = match reached {
        None => steps.len(),
        // The one behind the last that is certain may be done too.
        Some(Reached { done, backward: false }) => (done + 1).min(steps.len()),
        Some(Reached { done, backward: true }) => done.min(steps.len()),
    };
    for (index, step) in steps.iter().enumerate().take(begun).rev() {
        step.undo(root)?;
        notes.note(Reached { done: index, backward: true })?;
    }
    Ok(())
}

fn remove_journal(root: &Root, path: &str) -> io::Result<()> {
    root.remove_file(path)?;
    root.sync_dir(split(path).0)
}

/// Whether a change of several records is under way or was cut off.
pub(crate) fn is_pending(root: &Root) -> bool {
    root.exists(JOURNAL) || root.exists(UNDO_JOURNAL)
}

/// Finishes or undoes what a crash left behind. Only the holder of the lock may call this.
pub(crate) fn recover(root: &Root) -> Result<()> {
    let log = Log::new(root);
    // Before anything is written behind it. A log that cannot be mended only makes `undo` refuse.
    let _ = log.drop_torn();
    if let Some(Journal { steps, .. }) = read_journal(root, UNDO_JOURNAL)? {
        let notes = Notes::of(root, &steps);
        backward(root, &steps, &notes, notes.last())
            .and_then(|()| remove_journal(root, UNDO_JOURNAL))
            .map_err(|source| unfinished(UNDO_JOURNAL, source))?;
        notes.end();
    }
    if let Some(journal) = read_journal(root, JOURNAL)? {
        finish(root, journal).map_err(|source| unfinished(JOURNAL, source))?;
    }
    // Notes of a change whose journal is gone; that may have been as far as somebody came.
    if root.exists(REACHED) {
        let _ = root.remove_file(REACHED);
    }
    remove_unfinished(root);
    let is_cut_off = log.settle_last().unwrap_or(false);
    if sweep(root) || is_cut_off {
        remove_unused_backups(root);
    }
    clear_from_above_backup(root);
    Generation::mend(root);
    Ok(())
}

fn read_journal(root: &Root, path: &str) -> Result<Option<Journal>> {
    // A journal holds whole records, so it may be larger than any of them.
    let read = root.read_up_to(path, usize::MAX / 2);
    let failed =
        |source| if fault::is_for_good(&source) { unfinished(path, source) } else { StoreError::read(path, source) };
    let Some(bytes) = read.map_err(failed)? else {
        return Ok(None);
    };
    let journal: Journal = serde_json::from_slice(&bytes)
        .map_err(|error| unfinished(path, io::Error::new(io::ErrorKind::InvalidData, error.to_string())))?;
    if journal.format > handoff_model::FORMAT {
        let reason = handoff_model::document::newer_format(journal.format).reason;
        return Err(StoreError::Damaged(Problem::damaged(path, reason)));
    }
    Ok(Some(journal))
}

/// Why a change that was cut off was not finished: for this time, or for good.
fn unfinished(path: &str, source: io::Error) -> StoreError {
    if fault::is_for_good(&source) {
        return StoreError::Stuck { path: path.to_owned(), source };
    }
    StoreError::write(path, source)
}

/// Goes forward over what is done already. What someone else changed since is kept as they left it, and where they
/// left it: the step that would have prepared it for its new place was not done.
fn finish(root: &Root, Journal { steps, head, .. }: Journal) -> io::Result<()> {
    let notes = Notes::of(root, &steps);
    let certain = notes.last().map_or(0, |reached| reached.done.min(steps.len()));
    let mut foreign: Vec<&str> = Vec::new();
    for (index, step) in steps.iter().enumerate().skip(certain) {
        match step {
            Step::MoveDir { from, .. } if foreign.contains(&from.as_str()) => {}
            Step::MoveDir { from, to } if finish_move(root, from, to)? => {}
            step => {
                if step.apply(root)? != Outcome::Done {
                    foreign.push(split(step.path()).0);
                }
            }
        }
        notes.note(Reached { done: index + 1, backward: false })?;
    }
    // Before the journal goes: a crash in between makes this be done once more, and the log knows its own. It says the
    // whole change; where a part was kept as others left it, taking the change back is refused.
    if let Some(head) = head {
        let _ = Log::new(root).append_once(&head, &steps);
    }
    remove_journal(root, JOURNAL)?;
    notes.end();
    Ok(())
}

/// Removes what a crash left in the staging directory, and tells whether there was something. Nobody but the holder of
/// the lock writes there.
fn sweep(root: &Root) -> bool {
    let Ok(staging) = root.dir(TMP) else { return false };
    let left = staging.list().unwrap_or_default();
    for entry in &left {
        let _ = crate::root::remove_tree_in(&staging, &entry.name);
    }
    !left.is_empty()
}

/// A mark for readers, who take no lock: odd while records change places, and different afterwards.
pub(crate) struct Generation;

impl Generation {
    pub(crate) fn read(root: &Root) -> u64 {
        let bytes = root.read(GENERATION).ok().flatten().unwrap_or_default();
        // Only the first line is ever written; behind it may lie what once spoiled the file.
        String::from_utf8_lossy(&bytes).lines().next().unwrap_or_default().trim().parse().unwrap_or(0)
    }

    fn begin(root: &Root) -> io::Result<()> {
        Self::write(root, Self::read(root) | 1)
    }

    fn end(root: &Root) {
        let _ = Self::write(root, (Self::read(root) | 1).wrapping_add(1));
    }

    fn mend(root: &Root) {
        if Self::read(root) % 2 == 1 {
            Self::end(root);
        }
    }

    fn write(root: &Root, value: u64) -> io::Result<()> {
        // One write of equal length, in place: a reader sees the old number or the new one.
        root.dir_made(STATE)?.overwrite_loose(split(GENERATION).1, format!("{value:020}\n").as_bytes())
    }
}
