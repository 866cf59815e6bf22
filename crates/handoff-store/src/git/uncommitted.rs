//! Uncommitted work, compared with what was uncommitted when a handoff was saved.
//!
//! **Invariant:** work counts as gone only where everything says so: the file is as the last commit has it, that commit
//! has it as the commit of the handoff had it, and what was written down of it is found nowhere among what is new. Work
//! that was committed, moved or is ignored by now is not gone.

use std::collections::{BTreeMap, BTreeSet};

use handoff_model::session::GitFacts;

use super::blob::{self, Now};
use super::drift::{PresentFiles, Tree};
use super::place::read_up_to;
use super::run::{Asking, Failure};
use super::survey::KnownCommits;
use super::{Git, facts, is_handoff, is_id};

/// Files that are hashed to find work that was moved.
const MAX_HASHED: usize = 100;

/// Bytes of the log of stashes that are read.
const MAX_STASH_LOG_BYTES: u64 = 1024 * 1024;

/// Uncommitted work of now and then, each list sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UncommittedFiles {
    /// Changed when the handoff was saved, and still
    pub kept: Vec<String>,
    /// Changed since the handoff
    pub new: Vec<String>,
    /// Changed when the handoff was saved, and neither changed nor committed now
    pub gone: Vec<String>,
    /// The newest stash
    pub stash: Option<LatestStash>,
}

/// The newest entry of `git stash list`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatestStash {
    /// Seconds since 1970
    pub at: i64,
    /// Subject, such as `WIP on main: 8dc6cc0 extract token parser`
    pub subject: String,
}

impl Git {
    pub(super) fn uncommitted(
        &self,
        asking: &Asking,
        saved: &GitFacts,
        commits: &KnownCommits,
        present: &mut PresentFiles,
    ) -> Result<UncommittedFiles, Failure> {
        let then: BTreeSet<String> =
            saved.dirty.iter().filter_map(|line| self.inside.inward(dirty_path(line)?)).collect();
        let now: BTreeSet<String> = present.status().entries.iter().map(|entry| entry.path.clone()).collect();
        // Only what was committed since the handoff differs in the last commit.
        let committed: Option<BTreeSet<&str>> =
            commits.of(Tree::of(saved)).map(|commit| commit.rows.iter().map(|row| row.path.as_str()).collect());
        let was_committed = |path: &str| committed.as_ref().is_some_and(|paths| paths.contains(path));
        let (kept, new): (Vec<&String>, Vec<&String>) =
            now.iter().partition(|path| then.contains(*path) && !was_committed(path));
        let gone = match &committed {
            Some(_) => then.iter().filter(|path| !now.contains(*path) && !was_committed(path)).collect(),
            None => Vec::new(),
        };
        let rows = commits.of(Tree::of(saved)).map(|commit| commit.rows.as_slice()).unwrap_or_default();
        let added: Vec<&str> = rows.iter().filter_map(|row| row.after.as_deref()).collect();
        let outward = |paths: Vec<&String>| paths.into_iter().map(|path| self.inside.outward(path)).collect::<Vec<_>>();
        let (kept, new) = (outward(kept), outward(new));
        let gone = outward(self.truly_gone(asking, saved, gone, &added, present)?);
        let stash = if gone.is_empty() { None } else { self.latest_stash() };
        Ok(UncommittedFiles { kept, new, gone, stash })
    }

    /// Leaves out of the files that seem to have lost their changes those whose content is there.
    fn truly_gone<'p>(
        &self,
        asking: &Asking,
        saved: &GitFacts,
        candidates: Vec<&'p String>,
        added: &[&str],
        present: &mut PresentFiles,
    ) -> Result<Vec<&'p String>, Failure> {
        if candidates.is_empty() {
            return Ok(candidates);
        }
        let blobs: BTreeMap<String, &str> = saved
            .blobs
            .iter()
            .filter_map(|line| line.split_once(' '))
            .filter(|(id, _)| is_id(id))
            .filter_map(|(id, path)| Some((self.inside.inward(path)?, id)))
            .collect();
        let untracked: BTreeSet<String> =
            saved.dirty.iter().filter_map(|line| self.inside.inward(line.strip_prefix("?? ")?)).collect();
        let changed: Vec<String> = present.status().entries.iter().map(|entry| entry.path.clone()).collect();
        let looked = candidates.iter().map(|path| (*path).clone()).chain(changed.iter().cloned());
        present.look(asking, looked.filter(|path| !path.ends_with('/')).take(MAX_HASHED).collect())?;
        let elsewhere: Vec<&str> =
            changed.iter().filter_map(|path| present.now(path)?.id()).chain(added.iter().copied()).collect();
        let is_gone = |path: &&String| {
            let Some(id) = blobs.get(*path) else { return false };
            let was_deleted = id.bytes().all(|byte| byte == b'0');
            match present.now(path) {
                Some(Now::Absent) if was_deleted => false,
                Some(Now::Absent) => !elsewhere.iter().any(|other| blob::same(id, other)),
                Some(Now::Blob(now)) if untracked.contains(*path) || blob::same(id, now) => false,
                Some(Now::Blob(_)) => was_deleted || !elsewhere.iter().any(|other| blob::same(id, other)),
                Some(Now::Directory | Now::Untold(_)) | None => false,
            }
        };
        Ok(candidates.into_iter().filter(is_gone).collect())
    }

    /// The newest stash, from the log that git keeps of them. Runs nothing.
    fn latest_stash(&self) -> Option<LatestStash> {
        let log = read_up_to(&self.common_dir.join("logs/refs/stash"), MAX_STASH_LOG_BYTES)?;
        let log = String::from_utf8_lossy(&log);
        // `<old> <new> Name <mail> <time> <zone><tab><subject>`
        let (about, subject) = log.lines().next_back()?.split_once('\t')?;
        let at = about.rsplit(' ').nth(1)?.parse().ok()?;
        Some(LatestStash { at, subject: facts::subject(subject) })
    }
}

/// The path in a line of changed files, such as `M src/a.rs` or `R old.rs -> new.rs`.
fn dirty_path(line: &str) -> Option<&str> {
    let (letters, path) = line.split_once(' ')?;
    let is_renamed = letters.contains(['R', 'C']);
    let path = if is_renamed { path.rsplit_once(" -> ").map_or(path, |(_, to)| to) } else { path };
    (!path.is_empty() && !path.ends_with('/') && !is_handoff(path)).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_changed_file_is_read_off_its_line() {
        for (line, path) in [
            ("M src/a.rs", Some("src/a.rs")),
            ("?? new file.rs", Some("new file.rs")),
            ("R old.rs -> new.rs", Some("new.rs")),
            ("M a -> b", Some("a -> b")),
            ("?? nested/", None),
            ("M .handoff/config.toml", None),
            ("odd", None),
        ] {
            assert_eq!(dirty_path(line), path, "{line}");
        }
    }
}
