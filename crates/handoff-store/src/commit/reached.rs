//! How far a change of several steps has come, for those whose steps do not tell by themselves.
//!
//! A step that gives a name which a later one takes again is not found done after that one. Such a change notes each step
//! when it is on disk; the next begins when the note is. So after a crash everything up to the note is done, the next step
//! may be, and none behind it.

use std::collections::HashSet;
use std::io::{self, Write};

use crate::layout::REACHED;
use crate::root::{Root, split};
use crate::step::Step;

/// Which steps of a cut-off change may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reached {
    /// These are done for certain, or were until they were taken back
    pub(super) done: usize,
    /// Whether the change was being taken back
    pub(super) backward: bool,
}

/// Notes of one change.
pub(super) struct Notes<'a> {
    root: &'a Root,
    is_needed: bool,
}

impl<'a> Notes<'a> {
    /// Prepares notes, if these steps need them. Older ones are gone for good before this returns.
    pub(super) fn begin(root: &'a Root, steps: &[Step]) -> io::Result<Notes<'a>> {
        let notes = Notes::of(root, steps);
        if notes.is_needed {
            let (dir, name) = split(REACHED);
            let dir = root.dir_made(dir)?;
            dir.write_loose(name, b"")?;
            dir.open_to_append(name)?.sync_all()?;
        }
        Ok(notes)
    }

    /// The notes of a change that was begun.
    pub(super) fn of(root: &'a Root, steps: &[Step]) -> Notes<'a> {
        Notes { root, is_needed: is_chained(steps) }
    }

    pub(super) fn note(&self, reached: Reached) -> io::Result<()> {
        if !self.is_needed {
            return Ok(());
        }
        let (dir, name) = split(REACHED);
        let mut file = self.root.dir(dir)?.open_to_append(name)?;
        // Appended, and on a line of its own: what a cut spoils is this note, and the one before it still holds.
        file.write_all(format!("\n{}\n", line(reached)).as_bytes())?;
        file.sync_all()
    }

    /// The last note; `None` for a change that needs none.
    pub(super) fn last(&self) -> Option<Reached> {
        if !self.is_needed {
            return None;
        }
        let bytes = self.root.read(REACHED).ok().flatten().unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let last = text.lines().rev().find_map(read_line);
        Some(last.unwrap_or(Reached { done: 0, backward: false }))
    }

    /// Forgets them. Left behind they do no harm.
    pub(super) fn end(&self) {
        if self.is_needed {
            let _ = self.root.remove_file(REACHED);
        }
    }
}

/// Whether two steps share a name.
fn is_chained(steps: &[Step]) -> bool {
    let mut names: HashSet<String> = HashSet::new();
    steps.iter().any(|step| {
        let own: HashSet<String> = step.names().into_iter().collect();
        let is_shared = own.iter().any(|name| names.contains(name));
        names.extend(own);
        is_shared
    })
}

fn line(reached: Reached) -> String {
    let direction = if reached.backward { '-' } else { '+' };
    // The end says that the line is whole.
    format!("{direction}{}.", reached.done)
}

fn read_line(line: &str) -> Option<Reached> {
    let (backward, count) = match line.split_at_checked(1)? {
        ("+", count) => (false, count),
        ("-", count) => (true, count),
        _ => return None,
    };
    Some(Reached { done: count.strip_suffix('.')?.parse().ok()?, backward })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(from: &str, to: &str) -> Step {
        Step::MoveDir { from: from.to_owned(), to: to.to_owned() }
    }

    #[test]
    fn only_steps_that_share_a_name_are_chained() {
        let put = Step::Put { path: "a/task.toml".to_owned(), before: None, after: String::new() };
        assert!(!is_chained(&[put, moved("a", "b"), moved("b/x", "b/y")]));
        assert!(is_chained(&[moved("a", "b"), moved("b", "c")]));
        assert!(is_chained(&[moved("a", "b"), moved("c", "a")]));
    }

    #[test]
    fn a_torn_note_is_passed_over() {
        let text = "\n+1.\n\n+2.\n\n+1";
        assert_eq!(text.lines().rev().find_map(read_line), Some(Reached { done: 2, backward: false }));
        assert_eq!(read_line("-12."), Some(Reached { done: 12, backward: true }));
    }
}
