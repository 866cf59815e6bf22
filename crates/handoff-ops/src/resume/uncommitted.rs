//! Uncommitted work as part of the state: what the last handoff left uncommitted and still is, what is gone, what is new.

use handoff_model::name::Layout;
use handoff_model::when::{Day, Moment};
use handoff_store::FoundSession;
use handoff_store::git::UncommittedFiles;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Project;

/// Files that are named in each list; the others are counted.
const MAX_NAMED: usize = 8;
/// Changes of this store that are looked through for the one that saved a handoff.
const MAX_CHANGES: usize = 300;

/// Uncommitted work, compared with what the last handoff left uncommitted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UncommittedWork {
    /// Uncommitted when the handoff was saved, and still
    #[serde(skip_serializing_if = "FileList::is_empty")]
    pub since_handoff: FileList,
    /// Uncommitted since then; everything that is uncommitted where nothing is known of then
    #[serde(skip_serializing_if = "FileList::is_empty")]
    pub new: FileList,
    /// Uncommitted when the handoff was saved, and neither changed nor committed now
    #[serde(skip_serializing_if = "FileList::is_empty")]
    pub gone: FileList,
    /// Day of the newest stash, where something is gone and it was stashed after the handoff
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stashed_on: Option<Day>,
    /// Whether it is known what was uncommitted then
    #[serde(skip)]
    is_compared: bool,
}

/// The first of some files, and how many there are in all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileList {
    pub files: Vec<String>,
    pub count: usize,
}

impl FileList {
    fn of(mut files: Vec<String>) -> FileList {
        let count = files.len();
        files.truncate(MAX_NAMED);
        FileList { files, count }
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn words(&self) -> String {
        let more = self.count - self.files.len();
        let names = self.files.join(", ");
        if more > 0 { format!("{names} and {more} more") } else { names }
    }
}

impl UncommittedWork {
    /// Takes over what git says about the work tree and the handoff it was compared with.
    ///
    /// Work of a handoff that was saved in another clone never was in this work tree, so it cannot be gone from it.
    pub(super) fn of(
        found: UncommittedFiles,
        baseline: Option<&FoundSession>,
        was_saved_here: impl Fn(&FoundSession) -> bool,
    ) -> UncommittedWork {
        let UncommittedFiles { kept, new, gone, stash } = found;
        let gone = if !gone.is_empty() && baseline.is_some_and(was_saved_here) { gone } else { Vec::new() };
        let saved_at = baseline.and_then(|found| found.session.ended_at.or(found.session.started_at));
        let is_later = |at: &Timestamp| saved_at.is_none_or(|saved: Moment| *at >= saved.timestamp());
        let stashed_on = stash
            .filter(|_| !gone.is_empty())
            .and_then(|stash| Timestamp::from_second(stash.at).ok())
            .filter(is_later)
            .map(|at| Day::new(at.to_zoned(TimeZone::UTC).date()));
        UncommittedWork {
            since_handoff: FileList::of(kept),
            new: FileList::of(new),
            gone: FileList::of(gone),
            stashed_on,
            is_compared: baseline.is_some(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.since_handoff.is_empty() && self.new.is_empty() && self.gone.is_empty()
    }

    /// The lines that are shown, none where everything is committed.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let since = if self.is_compared { "uncommitted since" } else { "uncommitted" };
        for (files, label) in [(&self.since_handoff, "still uncommitted"), (&self.new, since)] {
            if !files.is_empty() {
                lines.push(format!("{label}: {}", files.words()));
            }
        }
        if !self.gone.is_empty() {
            let stash = self.stashed_on.map(|day| format!("; a stash from {day} exists")).unwrap_or_default();
            lines.push(format!("uncommitted then, gone now: {} — perhaps stashed or reset{stash}", self.gone.words()));
        }
        lines
    }
}

/// Returns whether a session was saved in this work tree.
///
/// A private store lies in the work tree it is about. Sessions of a shared one may have come with a clone or a pull; those
/// that were saved here are in the log of changes, which is never shared.
pub(super) fn was_saved_here(project: &Project, found: &FoundSession) -> bool {
    if project.store().layout() != Layout::Stable {
        return true;
    }
    let Ok(changes) = project.store().history() else { return false };
    let file = format!("{}.toml", found.name);
    changes.take(MAX_CHANGES).any(|logged| {
        let changed = logged.entry.changed();
        changed.files.iter().any(|change| change.after.as_ref().is_some_and(|state| state.path.ends_with(&file)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(names: &[&str]) -> FileList {
        FileList::of(names.iter().map(|name| (*name).to_owned()).collect())
    }

    fn day(text: &str) -> Day {
        text.parse().unwrap()
    }

    #[test]
    fn each_list_is_named_and_counted_on_its_own() {
        let work = UncommittedWork {
            since_handoff: files(&["src/a.rs"]),
            new: files(&["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]),
            gone: files(&["src/c.rs"]),
            stashed_on: Some(day("2026-11-18")),
            is_compared: true,
        };
        assert_eq!(
            work.lines(),
            [
                "still uncommitted: src/a.rs",
                "uncommitted since: 1, 2, 3, 4, 5, 6, 7, 8 and 2 more",
                "uncommitted then, gone now: src/c.rs — perhaps stashed or reset; a stash from 2026-11-18 exists",
            ]
        );
    }

    #[test]
    fn without_a_handoff_to_compare_with_nothing_is_called_new() {
        let work = UncommittedWork { new: files(&["a.rs"]), ..UncommittedWork::default() };
        assert_eq!(work.lines(), ["uncommitted: a.rs"]);
        assert!(UncommittedWork::default().lines().is_empty());
    }
}
