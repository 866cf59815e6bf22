//! A file on the way from what it is to what it shall be.

use std::path::{Path, PathBuf};

use handoff_model::agent::Host;

use super::{FileChange, Wish};
use crate::foreign;
use crate::setup::OWN_FILE;
use crate::setup::edit::{Draft, Hunk, Refusal};
use crate::setup::piece::{Found, State};

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A file on the way from what it is to what it shall be.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are facts that do not depend on each other")]
pub(super) struct Work {
    pub(super) original: Option<String>,
    pub(super) is_there: bool,
    pub(super) draft: Draft,
    pub(super) is_executable: bool,
    /// Whether something of ours was in it before
    pub(super) had_ours: bool,
    /// Whether it is as it was before any setup
    pub(super) is_restored: bool,
    pub(super) hosts: Vec<Host>,
}

pub(super) fn strip(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

impl FileChange {
    /// What changes, line by line.
    pub fn diff(&self, name: &str) -> String {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let (before, after) = (text(&self.before), text(&self.after));
        let names = |text: &Option<String>| if text.is_some() { name.to_owned() } else { "/dev/null".to_owned() };
        similar::TextDiff::from_lines(&before, &after)
            .unified_diff()
            .header(&names(&self.before), &names(&self.after))
            .to_string()
    }
}

impl Work {
    pub(super) fn on(original: Option<String>) -> Work {
        Work {
            is_there: original.is_some(),
            draft: Draft::new(strip(original.as_deref().unwrap_or_default())),
            original,
            is_executable: false,
            had_ours: false,
            is_restored: false,
            hosts: Vec::new(),
        }
    }

    /// Puts a file of ours in. `is_untouched` says whether it is as setup left it, where that is known.
    pub(super) fn put_file(
        &mut self,
        text: &str,
        path: &Path,
        is_untouched: Option<bool>,
        wish: Wish,
    ) -> Result<(Found, Option<String>), Refusal> {
        let present = &self.draft.text;
        let is_ours = present.contains(OWN_FILE);
        let owner = foreign::owner(path, present).filter(|_| !is_ours);
        let (state, foreign) = match () {
            () if !self.is_there => (State::Missing, None),
            () if present == text => (State::Current, None),
            () if is_ours && is_untouched == Some(false) && !wish.forces => {
                let kept = "it was edited since; `--force` replaces it".to_owned();
                return Ok((Found::plain(State::Outdated), Some(kept)));
            }
            () if is_ours || wish.forces => (State::Outdated, None),
            () => match owner {
                Some(tool) if wish.replaces => (State::Outdated, Some(tool)),
                Some(tool) => {
                    let foreign = vec![format!("a file of {tool}")];
                    return Ok((Found { foreign, ..Found::plain(State::Foreign) }, None));
                }
                None => return Err(Refusal::NotOurs),
            },
        };
        self.is_there = true;
        let end = self.draft.text.len();
        self.draft.replace(0..end, text);
        let foreign = foreign.map(|tool| format!("a file of {tool}")).into_iter().collect();
        Ok((Found { foreign, ..Found::plain(state) }, None))
    }

    /// Brings the file to a content of which every byte is known.
    pub(super) fn restore(&mut self, text: Option<String>, is_original: bool) {
        self.is_there = text.is_some();
        self.is_restored = is_original;
        let text = text.unwrap_or_default();
        let end = self.draft.text.len();
        self.draft.replace(0..end, strip(&text));
    }

    pub(super) fn change(self, path: PathBuf) -> Option<FileChange> {
        let Work { original, is_there, draft, is_executable, had_ours, hosts, is_restored: _ } = self;
        let has_mark = original.as_deref().is_some_and(|text| text.starts_with(BYTE_ORDER_MARK));
        let mark = if has_mark { BYTE_ORDER_MARK } else { "" };
        let after = is_there.then(|| format!("{mark}{}", draft.text));
        if after == original {
            return None;
        }
        let hunks = draft.hunks.into_iter().map(|hunk| Hunk { at: hunk.at + mark.len(), ..hunk });
        let hunks = if original.is_some() && after.is_some() { hunks.collect() } else { Vec::new() };
        Some(FileChange { path, before: original, after, hunks, is_executable, had_ours, hosts })
    }
}
