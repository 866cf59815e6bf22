//! What is known of then and now, gathered before anything is judged.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use handoff_model::governed::{Pattern, is_at_or_below};

use super::{Baseline, Pointer};
use crate::git::blob::{self, Now};
use crate::git::moved::{self, Missing, Moved, New};
use crate::git::raw::Row;
use crate::git::run::{Asking, Failure};
use crate::git::status::Status;
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
    pub(super) index: Option<Rc<BTreeMap<String, Indexed>>>,
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

/// The present state of the work tree, which all pictures of one survey share, so that git is asked once for each part of it.
pub(in crate::git) struct PresentFiles {
    status: Status,
    untracked: BTreeSet<String>,
    index: Option<Rc<BTreeMap<String, Indexed>>>,
    now: BTreeMap<String, Now>,
}

impl PresentFiles {
    pub(in crate::git) fn new(status: Status) -> PresentFiles {
        let untracked = status.entries.iter().filter(|entry| entry.is_untracked());
        // A directory that is a repository of its own ends in `/`; its files are not ours.
        let untracked = untracked.map(|entry| entry.path.clone()).filter(|path| !path.ends_with('/')).collect();
        PresentFiles { status, untracked, index: None, now: BTreeMap::new() }
    }

    pub(in crate::git) fn status(&self) -> &Status {
        &self.status
    }

    /// Looks at files that were not looked at before.
    pub(in crate::git) fn look(&mut self, asking: &Asking, paths: BTreeSet<String>) -> Result<(), Failure> {
        let unseen = paths.into_iter().filter(|path| !self.now.contains_key(path)).collect();
        self.now.extend(blob::now(asking, unseen)?);
        Ok(())
    }

    pub(in crate::git) fn now(&self, path: &str) -> Option<&Now> {
        self.now.get(path)
    }

    fn index(&mut self, asking: &Asking) -> Result<Rc<BTreeMap<String, Indexed>>, Failure> {
        match &self.index {
            Some(index) => Ok(Rc::clone(index)),
            None => Ok(Rc::clone(self.index.insert(Rc::new(index(asking)?)))),
        }
    }
}

impl<'g> Picture<'g> {
    /// Lays the differences between the commit of then and the last one, the changes since that, and what was written
    /// down over one another. `rows` is `None` where the commit of then is not known here.
    pub(super) fn of(git: &'g Git, since: &Baseline<'_>, rows: Option<&[Row]>, present: &PresentFiles) -> Picture<'g> {
        let mut picture = Picture {
            git,
            whole: rows.is_some(),
            before: BTreeMap::new(),
            now: BTreeMap::new(),
            index: None,
            untracked: present.untracked.clone(),
            moved: BTreeMap::new(),
        };
        if let Some(rows) = rows {
            picture.add_rows(rows, &present.status);
        }
        picture.add_recorded(since.blobs);
        picture
    }

    fn add_rows(&mut self, rows: &[Row], status: &Status) {
        for row in rows.iter().filter(|row| !is_handoff(&row.path)) {
            if let Some(id) = &row.after {
                self.now.insert(row.path.clone(), Now::Blob(id.clone()));
            }
            // A path may have two rows, such as when a directory became a file.
            let before = self.before.entry(row.path.clone()).or_default();
            *before = before.take().or_else(|| row.before.clone());
        }
        // What was committed since then is in the rows, so the last commit counts only where they say nothing.
        let mut change = |path: &str, committed: Option<&String>, current: Option<&String>| {
            self.before.entry(path.to_owned()).or_insert_with(|| committed.cloned());
            match current {
                Some(id) => self.now.insert(path.to_owned(), Now::Blob(id.clone())),
                None => self.now.remove(path),
            };
        };
        for entry in &status.entries {
            match &entry.from {
                Some(from) => {
                    change(from, entry.committed.as_ref(), None);
                    change(&entry.path, None, entry.current.as_ref());
                }
                None if entry.path.ends_with('/') => {}
                None => change(&entry.path, entry.committed.as_ref(), entry.current.as_ref()),
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

    /// The files that matter and are not known to be clean.
    pub(super) fn wanted(&self, pointers: &[Pointer<'_>], governed: &[Option<Pattern>]) -> BTreeSet<String> {
        let pointed = || pointers.iter().filter_map(|pointer| pointer.path.as_deref());
        let matters = |path: &str| {
            pointed().any(|pointed| is_at_or_below(pointed, path))
                || governed.iter().flatten().any(|pattern| pattern.governs(path))
        };
        // Of a file that was not there and is now, it is enough to know that.
        let plainly_new = |path: &str, before: &Option<String>| before.is_none() && self.untracked.contains(path);
        let changed = self.before.iter().filter(|(path, before)| !plainly_new(path, before) && matters(path));
        let wanted = pointed().chain(changed.map(|(path, _)| path.as_str()));
        wanted.filter(|path| !self.now.contains_key(*path)).map(str::to_owned).collect()
    }

    /// Takes in what is there now, and finds what is no longer where it was.
    pub(super) fn complete(
        &mut self,
        asking: &Asking,
        commit: Option<&str>,
        pointers: &[Pointer<'_>],
        governed: &[Option<Pattern>],
        present: &mut PresentFiles,
    ) -> Result<(), Failure> {
        for path in self.wanted(pointers, governed) {
            if let Some(now) = present.now(&path) {
                self.now.insert(path, now.clone());
            }
        }
        let undecided = pointers.iter().any(|pointer| {
            let Some(path) = &pointer.path else { return false };
            let recorded = pointer.blob.is_some() || self.before.contains_key(path);
            self.now.get(path) == Some(&Now::Absent) || !recorded
        });
        if undecided {
            self.index = Some(present.index(asking)?);
        }
        self.find_moved(asking, commit, pointers, governed, present)
    }

    /// Looks for what is missing among what is new.
    fn find_moved(
        &mut self,
        asking: &Asking,
        commit: Option<&str>,
        pointers: &[Pointer<'_>],
        governed: &[Option<Pattern>],
        present: &mut PresentFiles,
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
        let new = self.new_files(asking, &missing, present)?;
        self.moved = moved::find(asking, commit, &missing, &new)?;
        Ok(())
    }

    /// Whether there is no file under a path that is known to be looked at.
    fn is_missing(&self, path: &str) -> bool {
        matches!(self.now.get(path), Some(Now::Absent | Now::Directory))
    }

    /// Files that hold what they did not hold before, as far as is known, with what that is.
    fn new_files(
        &mut self,
        asking: &Asking,
        missing: &BTreeMap<String, Missing>,
        present: &mut PresentFiles,
    ) -> Result<Vec<New>, Failure> {
        /// Looking at more files than this would take too long.
        const MOST: usize = 2_000;
        if !self.whole && self.index.is_none() {
            self.index = Some(present.index(asking)?);
        }
        let modified: BTreeSet<String> = if self.whole {
            BTreeSet::new()
        } else {
            let entries = present.status.entries.iter().filter(|entry| !entry.is_untracked());
            entries.map(|entry| entry.path.clone()).collect()
        };
        let others = self.untracked.iter().chain(&modified).filter(|path| !self.before.contains_key(*path));
        let candidates: Vec<&String> = self.before.keys().chain(others).collect();
        let unseen = candidates.iter().filter(|path| !self.now.contains_key(**path));
        let unseen: BTreeSet<String> = unseen.take(MOST).map(|path| (*path).clone()).collect();
        present.look(asking, unseen.clone())?;
        let mut new = Vec::new();
        for path in candidates {
            let before = self.before.get(path).and_then(Option::as_deref);
            let seen = || present.now(path).filter(|_| unseen.contains(path));
            if let Some(Now::Blob(id)) = self.now.get(path).or_else(seen)
                && before.is_none_or(|before| !blob::same(before, id))
            {
                new.push(New { path: path.clone(), id: id.clone(), replaces: before.is_some() });
            }
        }
        // Without the state of then, every file that is not known to have been there may be new.
        for (path, indexed) in self.index.iter().flat_map(|index| index.iter()).filter(|_| !self.whole) {
            let seen = self.before.contains_key(path) || missing.contains_key(path) || modified.contains(path);
            if !seen && !indexed.sparse {
                new.push(New { path: path.clone(), id: indexed.id.clone(), replaces: false });
            }
        }
        for path in unseen {
            if let Some(now) = present.now(&path) {
                self.now.insert(path, now.clone());
            }
        }
        Ok(new)
    }
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
