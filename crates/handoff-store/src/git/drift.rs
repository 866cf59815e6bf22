//! What became of the files that a handoff speaks of.
//!
//! Everything is judged by content. What a file was is known from the blob written down with it, else from the blobs of
//! the files that were changed at the time, else from the commit. What it is now is its content in the work tree. So
//! committing, rebasing or stashing and taking back what was there is no change, and undoing it is one.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use handoff_model::session::GitFacts;

use super::blob::{self, Now};
use super::glob::{below, governs, is_at_or_below};
use super::moved::{self, Missing};
use super::raw::{self, Row};
use super::run::{Asking, Failure};
use super::{Asked, Git, facts, fields, is_handoff, is_id};

/// What was written down of git when a handoff was saved.
#[derive(Clone, Copy, Debug, Default)]
pub struct Baseline<'a> {
    tree: Tree<'a>,
    blobs: &'a [String],
}

/// What is known of all the other files.
#[derive(Clone, Copy, Debug, Default)]
enum Tree<'a> {
    #[default]
    Unknown,
    /// There was no commit yet
    Empty,
    Commit(&'a str),
}

impl<'a> Baseline<'a> {
    pub fn of(facts: &'a GitFacts) -> Baseline<'a> {
        let tree = match (&facts.commit, &facts.branch) {
            (Some(commit), _) if is_id(commit) => Tree::Commit(commit),
            (None, Some(_)) => Tree::Empty,
            _ => Tree::Unknown,
        };
        Baseline { tree, blobs: &facts.blobs }
    }
}

/// A file or directory that a handoff points to.
#[derive(Clone, Copy, Debug)]
pub struct Pointed<'a> {
    pub path: &'a str,
    /// What the file was, when that was written down
    pub blob: Option<&'a str>,
}

/// What became of all that was asked for, in the order of asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    pub pointers: Vec<Verdict>,
    pub governed: Vec<Governed>,
}

/// What became of something pointed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Same,
    Changed,
    Moved { to: String, edited: bool },
    Gone,
    Unknown(String),
}

/// What became of the files that a decision governs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Governed {
    /// Sorted by path
    pub changes: Vec<FileChange>,
    /// Why there may be more changes than these
    pub unknown: Option<String>,
}

/// A file that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Where it is, or was if it was deleted
    pub path: String,
    pub how: How,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    Edited,
    Added,
    Deleted,
    Renamed { from: String },
}

impl Git {
    /// Compares what a handoff speaks of with the work tree as it is now.
    pub fn drift(
        &self,
        since: &Baseline<'_>,
        pointers: &[Pointed<'_>],
        governed: &[&str],
        limit: Duration,
    ) -> Asked<Drift> {
        self.ask(limit, |asking| {
            let pointers: Vec<Pointer<'_>> = pointers.iter().map(|pointed| Pointer::of(self, pointed)).collect();
            let governed: Vec<Option<String>> = governed.iter().map(|path| self.inside.inward(path)).collect();
            let picture = Picture::take(self, asking, since, &pointers, &governed)?;
            Ok(Drift {
                pointers: pointers.iter().map(|pointer| picture.verdict(pointer)).collect(),
                governed: governed.iter().map(|pattern| picture.governed(pattern.as_deref())).collect(),
            })
        })
    }
}

/// A pointer with its path from the root; `None` when it leads out of the work tree.
struct Pointer<'a> {
    given: &'a str,
    path: Option<String>,
    blob: Option<&'a str>,
}

impl<'a> Pointer<'a> {
    fn of(git: &Git, pointed: &Pointed<'a>) -> Pointer<'a> {
        let blob = pointed.blob.filter(|id| is_id(id));
        Pointer { given: pointed.path, path: git.inside.inward(pointed.path), blob }
    }
}

/// All that has to be known of then and now. Paths are seen from the root.
struct Picture<'g> {
    git: &'g Git,
    /// Whether the state of then is known beyond the blobs that were written down
    whole: bool,
    /// What files were that are not, or may not be, what they were; `None` for those that were not there
    before: BTreeMap<String, Option<String>>,
    now: BTreeMap<String, Now>,
    /// Files that the present index holds, where that had to be asked for
    index: Option<BTreeMap<String, Indexed>>,
    untracked: BTreeSet<String>,
    /// Where missing files are now
    moved: BTreeMap<String, String>,
}

/// A file as the index has it.
#[derive(Debug)]
pub(super) struct Indexed {
    pub(super) id: String,
    /// Whether it is meant not to be in the work tree
    sparse: bool,
}

impl<'g> Picture<'g> {
    fn take(
        git: &'g Git,
        asking: &Asking,
        since: &Baseline<'_>,
        pointers: &[Pointer<'_>],
        governed: &[Option<String>],
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
    fn look(&mut self, asking: &Asking, pointers: &[Pointer<'_>], governed: &[Option<String>]) -> Result<(), Failure> {
        let pointed = || pointers.iter().filter_map(|pointer| pointer.path.as_deref());
        let matters = |path: &str| {
            pointed().any(|pointed| is_at_or_below(pointed, path))
                || governed.iter().flatten().any(|pattern| self.governs(pattern, path))
        };
        let wanted: BTreeSet<String> = pointed()
            .chain(self.before.keys().map(String::as_str).filter(|path| matters(path)))
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

    fn governs(&self, pattern: &str, path: &str) -> bool {
        governs(pattern, self.git.inside.base(), path)
    }

    /// Looks for what is missing among what is new.
    fn find_moved(
        &mut self,
        asking: &Asking,
        commit: Option<&str>,
        pointers: &[Pointer<'_>],
        governed: &[Option<String>],
    ) -> Result<(), Failure> {
        let mut missing: BTreeMap<String, Missing> = BTreeMap::new();
        for (path, before) in &self.before {
            if let (Some(id), Some(Now::Absent)) = (before, self.now.get(path)) {
                let pointed = pointers.iter().filter_map(|pointer| pointer.path.as_deref());
                let governed = governed.iter().flatten().any(|pattern| self.governs(pattern, path));
                if governed || pointed.clone().any(|pointed| is_at_or_below(pointed, path)) {
                    missing.insert(path.clone(), Missing { ids: vec![id.clone()] });
                }
            }
        }
        for pointer in pointers {
            let (Some(path), Some(blob)) = (&pointer.path, pointer.blob) else { continue };
            if self.now.get(path) == Some(&Now::Absent) {
                missing.entry(path.clone()).or_insert(Missing { ids: Vec::new() }).ids.insert(0, blob.to_owned());
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let new = self.new_files(asking, &missing)?;
        self.moved = moved::find(asking, commit, &missing, &new)?;
        Ok(())
    }

    /// Files that were not there before, as far as is known, with what they are.
    fn new_files(
        &mut self,
        asking: &Asking,
        missing: &BTreeMap<String, Missing>,
    ) -> Result<BTreeMap<String, String>, Failure> {
        /// Looking at more files than this would take too long.
        const MOST: usize = 2_000;
        let mut new: BTreeMap<String, String> = BTreeMap::new();
        if !self.whole && self.index.is_none() {
            self.index = Some(index(asking)?);
        }
        let mut wanted: BTreeSet<String> = BTreeSet::new();
        let candidates = self.before.iter().filter(|(_, before)| before.is_none()).map(|(path, _)| path);
        let others = if self.whole { None } else { Some(&self.untracked) };
        for path in candidates.chain(others.into_iter().flatten()) {
            match self.now.get(path) {
                Some(Now::Blob(id)) => {
                    new.insert(path.clone(), id.clone());
                }
                None if wanted.len() < MOST => {
                    wanted.insert(path.clone());
                }
                Some(_) | None => {}
            }
        }
        // Without the state of then, every file that is not known to have been there may be new.
        for (path, indexed) in self.index.iter().flatten().filter(|_| !self.whole) {
            if !self.before.contains_key(path) && !missing.contains_key(path) && !indexed.sparse {
                new.insert(path.clone(), indexed.id.clone());
            }
        }
        for (path, now) in blob::now(asking, wanted)? {
            if let Now::Blob(id) = &now {
                new.insert(path.clone(), id.clone());
            }
            self.now.insert(path, now);
        }
        Ok(new)
    }

    fn verdict(&self, pointer: &Pointer<'_>) -> Verdict {
        let Some(path) = &pointer.path else {
            let there = self.git.root.join(pointer.given).symlink_metadata().is_ok();
            return if there {
                Verdict::Unknown("it lies outside of the repository".to_owned())
            } else {
                Verdict::Gone
            };
        };
        if is_handoff(path) {
            return Verdict::Unknown("it lies in the store".to_owned());
        }
        let before = match (pointer.blob, self.before.get(path)) {
            (Some(blob), _) => Some(Some(blob)),
            (None, Some(before)) => Some(before.as_deref()),
            (None, None) => None,
        };
        match (self.now.get(path), before) {
            (Some(Now::Directory), None | Some(None)) => self.directory(path),
            (Some(Now::Directory | Now::Absent) | None, _) => self.absent(path, before.is_some()),
            (Some(Now::Untold(why)), _) => Verdict::Unknown((*why).to_owned()),
            (Some(Now::Blob(id)), Some(Some(before))) if blob::same(id, before) => Verdict::Same,
            (Some(Now::Blob(_)), Some(_)) => Verdict::Changed,
            // The commit of then and the work tree of now agree about it.
            (Some(Now::Blob(_)), None) if self.whole && self.is_tracked(path) => Verdict::Same,
            (Some(Now::Blob(_)), None) => Verdict::Unknown("nothing was written down of what it was".to_owned()),
        }
    }

    fn is_tracked(&self, path: &str) -> bool {
        self.index.as_ref().is_some_and(|index| index.contains_key(path))
    }

    fn absent(&self, path: &str, known: bool) -> Verdict {
        if let Some(to) = self.moved.get(path) {
            return Verdict::Moved { to: self.git.inside.outward(to), edited: self.is_edited(path, to) };
        }
        let sparse = self.index.as_ref().and_then(|index| index.get(path)).is_some_and(|indexed| indexed.sparse);
        match self.moved_directory(path) {
            _ if sparse => Verdict::Unknown("it is left out of this checkout".to_owned()),
            Some(verdict) if !known => verdict,
            _ => Verdict::Gone,
        }
    }

    fn is_edited(&self, from: &str, to: &str) -> bool {
        let before = self.before.get(from).and_then(Option::as_deref);
        let now = self.now.get(to).and_then(Now::id);
        let now = now.or_else(|| Some(self.index.as_ref()?.get(to)?.id.as_str()));
        !matches!((before, now), (Some(before), Some(now)) if blob::same(before, now))
    }

    fn directory(&self, path: &str) -> Verdict {
        match self.changes(|file| is_at_or_below(path, file)).is_empty() {
            false => Verdict::Changed,
            true if self.whole => Verdict::Same,
            true => Verdict::Unknown("the commit of then is not known here".to_owned()),
        }
    }

    /// A directory whose files all went to one other.
    fn moved_directory(&self, path: &str) -> Option<Verdict> {
        let mut targets = BTreeSet::new();
        let mut edited = false;
        for (from, before) in &self.before {
            let (Some(name), Some(_)) = (below(path, from), before) else { continue };
            let to = self.moved.get(from)?;
            targets.insert(to.strip_suffix(name)?.strip_suffix('/').unwrap_or(""));
            edited |= self.is_edited(from, to);
        }
        let to = targets.pop_first().filter(|_| targets.is_empty())?;
        Some(Verdict::Moved { to: self.git.inside.outward(to), edited })
    }

    fn governed(&self, pattern: Option<&str>) -> Governed {
        let Some(pattern) = pattern else {
            return Governed { unknown: Some("it lies outside of the repository".to_owned()), ..Governed::default() };
        };
        Governed {
            changes: self.changes(|path| self.governs(pattern, path)),
            unknown: (!self.whole).then(|| "the commit of then is not known here".to_owned()),
        }
    }

    fn changes(&self, concerns: impl Fn(&str) -> bool) -> Vec<FileChange> {
        let mut changes = Vec::new();
        for (path, before) in &self.before {
            let how = match (before, self.now.get(path)) {
                (Some(_), Some(Now::Absent | Now::Directory)) => match self.moved.get(path) {
                    Some(to) if concerns(path) || concerns(to) => {
                        let from = self.git.inside.outward(path);
                        changes.push(FileChange { path: self.git.inside.outward(to), how: How::Renamed { from } });
                        continue;
                    }
                    _ => How::Deleted,
                },
                (Some(before), Some(Now::Blob(id))) if blob::same(before, id) => continue,
                (Some(_), _) => How::Edited,
                (None, Some(Now::Absent)) => continue,
                (None, _) if self.moved.values().any(|to| to == path) => continue,
                (None, _) => How::Added,
            };
            if concerns(path) {
                changes.push(FileChange { path: self.git.inside.outward(path), how });
            }
        }
        changes.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        changes
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

const _: () = assert!(facts::ABSENT.len() >= 4, "it passes for an id");
