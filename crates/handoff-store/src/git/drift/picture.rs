//! What is known of then and now, gathered before anything is judged.

use std::collections::{BTreeMap, BTreeSet};

use handoff_model::governed::{Pattern, is_at_or_below};

use super::{Baseline, Pointer, Tree};
use crate::git::blob::{self, Now};
use crate::git::moved::{self, Missing, Moved, New};
use crate::git::raw::{self, Row};
use crate::git::run::{Asking, Failure};
use crate::git::{Git, fields, is_handoff, is_id};

/// All that has to be known of then and now. Paths are seen from the root.
pub(super) struct Picture<'g> {
    pub(super) git: &'g Git,
    /// Whether the state of then is known beyond the blobs that were written down
    pub(super) whole: bool,
    /// What files were that are not, or may not be, what they were; `None` for those that were not there
    pub(super) before: BTreeMap<String, Option<String>>,
    pub(super) now: BTreeMap<String, Now>,
    /// Files that the present index holds, where that had to be asked for
    pub(super) index: Option<BTreeMap<String, Indexed>>,
    untracked: BTreeSet<String>,
    /// Where missing files are now
    pub(super) moved: BTreeMap<String, Moved>,
}

/// A file as the index has it.
#[derive(Debug)]
pub(super) struct Indexed {
    id: String,
    /// Whether it is meant not to be in the work tree
    pub(super) sparse: bool,
}

impl<'g> Picture<'g> {
    pub(super) fn take(
        git: &'g Git,
        asking: &Asking,
        since: &Baseline<'_>,
        pointers: &[Pointer<'_>],
        governed: &[Option<Pattern>],
    ) -> Result<Picture<'g>, Failure> {
        let untracked = asking.begin(&["ls-files", "-z", "--others", "--exclude-standard"], None)?;
        let commit = resolve(asking, since.tree)?;
        let rows = match &commit {
            Some(commit) => differing(asking, commit)?,
            None => Vec::new(),
        };
        let untracked = names(&untracked.finish()?);
        let mut picture = Picture {
            git,
            whole: commit.is_some(),
            before: BTreeMap::new(),
            now: BTreeMap::new(),
            index: None,
            untracked,
            moved: BTreeMap::new(),
        };
        picture.add_rows(rows);
        picture.add_recorded(since.blobs);
        picture.look(asking, pointers, governed)?;
        picture.find_moved(asking, commit.as_deref(), pointers, governed)?;
        Ok(picture)
    }

    fn add_rows(&mut self, rows: Vec<Row>) {
        for row in rows.into_iter().filter(|row| !is_handoff(&row.path)) {
            if let Some(id) = row.after {
                self.now.insert(row.path.clone(), Now::Blob(id));
            }
            // A file in conflict has a row without ids beside the one that tells what it was.
            let before = self.before.entry(row.path).or_default();
            *before = before.take().or(row.before);
        }
        if self.whole {
            for path in &self.untracked {
                self.before.entry(path.clone()).or_default();
            }
        }
    }

    /// Lays what was written down over what the commit says.
    fn add_recorded(&mut self, blobs: &[String]) {
        for (id, path) in blobs.iter().filter_map(|line| line.split_once(' ')) {
            let Some(path) = self.git.inside.inward(path).filter(|_| is_id(id)) else { continue };
            let id = (id.bytes().any(|byte| byte != b'0')).then(|| id.to_ascii_lowercase());
            self.before.insert(path, id);
        }
    }

    /// Looks at the files that matter and are not known to be clean.
    fn look(&mut self, asking: &Asking, pointers: &[Pointer<'_>], governed: &[Option<Pattern>]) -> Result<(), Failure> {
        let pointed = || pointers.iter().filter_map(|pointer| pointer.path.as_deref());
        let matters = |path: &str| {
            pointed().any(|pointed| is_at_or_below(pointed, path))
                || governed.iter().flatten().any(|pattern| pattern.governs(path))
        };
        // Of a file that was not there and is now, it is enough to know that.
        let plainly_new = |path: &str, before: &Option<String>| before.is_none() && self.untracked.contains(path);
        let changed = self.before.iter().filter(|(path, before)| !plainly_new(path, before) && matters(path));
        let wanted: BTreeSet<String> = pointed()
            .chain(changed.map(|(path, _)| path.as_str()))
            .filter(|path| !self.now.contains_key(*path))
            .map(str::to_owned)
            .collect();
        self.now.extend(blob::now(asking, wanted)?);
        let undecided = pointers.iter().any(|pointer| {
            let Some(path) = &pointer.path else { return false };
            let recorded = pointer.blob.is_some() || self.before.contains_key(path);
            self.now.get(path) == Some(&Now::Absent) || !recorded
        });
        if undecided {
            self.index = Some(index(asking)?);
        }
        Ok(())
    }

    /// Looks for what is missing among what is new.
    fn find_moved(
        &mut self,
        asking: &Asking,
        commit: Option<&str>,
        pointers: &[Pointer<'_>],
        governed: &[Option<Pattern>],
    ) -> Result<(), Failure> {
        let pointed = || pointers.iter().filter_map(|pointer| pointer.path.as_deref());
        let mut missing: BTreeMap<String, Missing> = BTreeMap::new();
        for (path, before) in &self.before {
            let Some(id) = before.as_ref().filter(|_| self.is_missing(path)) else { continue };
            let followed = pointed().any(|pointed| is_at_or_below(pointed, path));
            if followed || governed.iter().flatten().any(|pattern| pattern.governs(path)) {
                missing.insert(path.clone(), Missing { ids: vec![id.clone()], followed });
            }
        }
        for pointer in pointers {
            let (Some(path), Some(blob)) = (&pointer.path, pointer.blob) else { continue };
            if self.is_missing(path) {
                let missing = missing.entry(path.clone()).or_insert(Missing { ids: Vec::new(), followed: true });
                missing.ids.insert(0, blob.to_owned());
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let new = self.new_files(asking, &missing)?;
        self.moved = moved::find(asking, commit, &missing, &new)?;
        Ok(())
    }

    /// Whether there is no file under a path that is known to be looked at.
    fn is_missing(&self, path: &str) -> bool {
        matches!(self.now.get(path), Some(Now::Absent | Now::Directory))
    }

    /// Files that hold what they did not hold before, as far as is known, with what that is.
    fn new_files(&mut self, asking: &Asking, missing: &BTreeMap<String, Missing>) -> Result<Vec<New>, Failure> {
        /// Looking at more files than this would take too long.
        const MOST: usize = 2_000;
        if !self.whole && self.index.is_none() {
            self.index = Some(index(asking)?);
        }
        let modified =
            if self.whole { BTreeSet::new() } else { names(&asking.run(&["ls-files", "-z", "--modified"])?) };
        let others = self.untracked.iter().chain(&modified).filter(|path| !self.before.contains_key(*path));
        let candidates: Vec<&String> = self.before.keys().chain(others).collect();
        let unseen = candidates.iter().filter(|path| !self.now.contains_key(**path));
        let unseen = unseen.take(MOST).map(|path| (*path).clone()).collect();
        let seen = blob::now(asking, unseen)?;
        let mut new = Vec::new();
        for path in candidates {
            let before = self.before.get(path).and_then(Option::as_deref);
            if let Some(Now::Blob(id)) = self.now.get(path).or_else(|| seen.get(path))
                && before.is_none_or(|before| !blob::same(before, id))
            {
                new.push(New { path: path.clone(), id: id.clone(), replaces: before.is_some() });
            }
        }
        // Without the state of then, every file that is not known to have been there may be new.
        for (path, indexed) in self.index.iter().flatten().filter(|_| !self.whole) {
            let seen = self.before.contains_key(path) || missing.contains_key(path) || modified.contains(path);
            if !seen && !indexed.sparse {
                new.push(New { path: path.clone(), id: indexed.id.clone(), replaces: false });
            }
        }
        self.now.extend(seen);
        Ok(new)
    }
}

/// The commit of then in a form that git knows here; `None` when it knows it no longer.
fn resolve(asking: &Asking, tree: Tree<'_>) -> Result<Option<String>, Failure> {
    let answer = match tree {
        Tree::Unknown => return Ok(None),
        Tree::Empty => asking.begin(&["hash-object", "-t", "tree", "--stdin"], Some(Vec::new()))?.finish(),
        Tree::Commit(commit) => asking.run(&["rev-parse", "-q", "--verify", &format!("{commit}^{{commit}}")]),
    };
    match answer {
        Ok(answer) => Ok(Some(String::from_utf8_lossy(&answer).trim().to_owned()).filter(|id| is_id(id))),
        Err(Failure::Refused(_)) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// The files that git holds in which the work tree differs from a commit.
fn differing(asking: &Asking, commit: &str) -> Result<Vec<Row>, Failure> {
    let arguments = [
        "diff",
        "--raw",
        "-z",
        "--no-abbrev",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--no-relative",
        "--ignore-submodules=dirty",
        commit,
        "--",
    ];
    Ok(raw::parse(&asking.run(&arguments)?))
}

/// Every file in the index.
fn index(asking: &Asking) -> Result<BTreeMap<String, Indexed>, Failure> {
    let answer = asking.run(&["ls-files", "-z", "-t", "--stage"])?;
    let entries = fields(&answer).filter_map(|entry| {
        // `H 100644 <id> 0<tab>path`
        let (about, path) = std::str::from_utf8(entry).ok()?.split_once('\t')?;
        let mut words = about.split(' ');
        let sparse = words.next()? == "S";
        Some((path.to_owned(), Indexed { id: words.nth(1)?.to_owned(), sparse }))
    });
    Ok(entries.filter(|(path, _)| !is_handoff(path)).collect())
}

fn names(answer: &[u8]) -> BTreeSet<String> {
    let names = fields(answer).filter_map(|name| std::str::from_utf8(name).ok());
    // A directory that is a repository of its own ends in `/`; its files are not ours.
    names.filter(|name| !name.ends_with('/') && !is_handoff(name)).map(str::to_owned).collect()
}
