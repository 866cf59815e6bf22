//! Journals that nobody can ever finish, told without doing anything.

use std::collections::HashSet;
use std::io;

use super::Journal;
use crate::error::StoreError;
use crate::layout::JOURNAL;
use crate::limits::max_bytes_at;
use crate::root::{Root, split};
use crate::step::Step;
use crate::sys::{Kind, check_name};

/// Why a journal stands in the way of every change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It cannot be read, or says what cannot be done
    Hopeless(String),
    /// A newer handoff can finish it
    Newer(String),
}

/// Why a journal will never be finished; `None` when it will.
pub(crate) fn journal_fault(root: &Root, path: &str) -> Option<Fault> {
    match super::read_journal(root, path) {
        Ok(None) => None,
        Ok(Some(journal)) => impossible(root, path, &journal).map(Fault::Hopeless),
        Err(StoreError::Damaged(problem)) => Some(Fault::Newer(problem.reason)),
        Err(StoreError::Stuck { source, .. } | StoreError::Read { source, .. }) => {
            Some(Fault::Hopeless(source.to_string()))
        }
        Err(error) => Some(Fault::Hopeless(error.to_string())),
    }
}

/// Whether trying again comes to the same, whatever disk and rights are like then.
pub(super) fn is_for_good(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidFilename, InvalidInput, IsADirectory, NotADirectory, NotFound};
    matches!(error.kind(), InvalidData | InvalidFilename | InvalidInput | IsADirectory | NotADirectory | NotFound)
}

/// The first step that cannot be done, as things are.
fn impossible(root: &Root, journal: &str, Journal { steps, .. }: &Journal) -> Option<String> {
    // What an earlier step takes away does not stand in the way of a later one.
    let mut gone: HashSet<&str> = HashSet::new();
    for step in steps {
        for name in step.names() {
            if let Err(error) = name.split('/').try_for_each(check_name) {
                return Some(error.to_string());
            }
            // Taking back makes nothing where nothing was.
            if let Some(above) = no_directory_above(root, &name, &gone).filter(|_| journal == JOURNAL) {
                return Some(format!("{above} is no directory"));
            }
        }
        match step {
            Step::Put { path, .. } | Step::Remove { path, .. } => {
                if let Err(error) =
                    root.read_text_within(path, max_bytes_at(path)).map_err(|error| format!("{path}: {error}"))
                    && !gone.contains(path.as_str())
                {
                    return Some(error);
                }
            }
            Step::MoveDir { from, .. } => {
                gone.insert(from);
            }
            Step::NewDir { .. } | Step::RemoveDir { .. } => {}
        }
    }
    None
}

/// What stands where a directory above a name should be.
fn no_directory_above<'a>(root: &Root, name: &'a str, gone: &HashSet<&str>) -> Option<&'a str> {
    let mut above = split(name).0;
    while !above.is_empty() {
        let is_other = matches!(root.kind(above), Ok(Some(kind)) if kind != Kind::Directory);
        if is_other && !gone.contains(above) {
            return Some(above);
        }
        above = split(above).0;
    }
    None
}
