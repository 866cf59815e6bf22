//! The store as it will be after some steps, told without doing them.

use std::collections::{BTreeMap, BTreeSet};

use crate::limits::max_bytes_at;
use crate::root::{Root, join, split};
use crate::step::Step;
use crate::task::moves::after;

/// Steps tried against what lies on disk.
pub(super) struct Ahead<'a> {
    root: &'a Root,
    /// Directories that would have gone elsewhere, in order
    moved: Vec<(String, String)>,
    /// The same, with those that were expected to go and lie where they would come to already
    pub(super) carried: Vec<(String, String)>,
    /// Files that would say something else, or be gone, by where they would lie
    texts: BTreeMap<String, Option<String>>,
    /// Directories that would be made or gone
    dirs: BTreeMap<String, bool>,
}

/// What stands against a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Obstacle {
    pub(super) path: String,
    pub(super) reason: &'static str,
}

impl<'a> Ahead<'a> {
    pub(super) fn new(root: &'a Root) -> Ahead<'a> {
        Ahead { root, moved: Vec::new(), carried: Vec::new(), texts: BTreeMap::new(), dirs: BTreeMap::new() }
    }

    /// Takes a step as done, if it could be.
    pub(super) fn apply(&mut self, step: &Step) -> Result<(), Obstacle> {
        match step {
            Step::Put { path, before, after } => {
                self.expect_text(path, before.as_deref())?;
                let dir = split(path).0;
                if dir.contains('/') && !self.exists(dir) {
                    return Err(Obstacle { path: dir.to_owned(), reason: "is not there any more" });
                }
                self.texts.insert(path.clone(), Some(after.clone()));
            }
            Step::Remove { path, before } => {
                self.expect_text(path, Some(before))?;
                self.texts.insert(path.clone(), None);
            }
            Step::NewDir { path, name, text } => {
                self.expect_free(path)?;
                self.dirs.insert(path.clone(), true);
                self.texts.insert(join(path, name), Some(text.clone()));
            }
            Step::RemoveDir { path, name, text } => {
                let file = join(path, name);
                self.expect_text(&file, Some(text))?;
                if let Some(other) = self.names(path).iter().find(|other| *other != name) {
                    return Err(Obstacle { path: join(path, other), reason: "came there since" });
                }
                self.dirs.insert(path.clone(), false);
                self.texts.insert(file, None);
            }
            Step::MoveDir { from, to } => {
                if !self.exists(from) {
                    return Err(Obstacle { path: from.clone(), reason: "is not there any more" });
                }
                self.expect_free(to)?;
                self.move_dir(from, to);
            }
        }
        Ok(())
    }

    /// What a file would say; `None` when there would be none.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        if let Some(text) = self.texts.get(path) {
            return text.clone();
        }
        let path = self.on_disk(path)?;
        self.root.read_text_within(&path, max_bytes_at(&path)).ok().flatten()
    }

    fn expect_text(&self, path: &str, expected: Option<&str>) -> Result<(), Obstacle> {
        let present = self.text(path);
        if present.as_deref() == expected && (present.is_some() || !self.exists(path)) {
            return Ok(());
        }
        let reason = match (self.exists(path), expected) {
            (false, _) => "is not there any more",
            (true, None) => "is there again",
            (true, Some(_)) => "says something else now",
        };
        Err(Obstacle { path: path.to_owned(), reason })
    }

    fn expect_free(&self, path: &str) -> Result<(), Obstacle> {
        if self.exists(path) {
            return Err(Obstacle { path: path.to_owned(), reason: "is in the way" });
        }
        let above = split(path).0;
        if !above.is_empty() && !self.exists(above) {
            return Err(Obstacle { path: above.to_owned(), reason: "is not there any more" });
        }
        Ok(())
    }

    fn exists(&self, path: &str) -> bool {
        if let Some(text) = self.texts.get(path) {
            return text.is_some();
        }
        if let Some(is_there) = self.dirs.get(path) {
            return *is_there;
        }
        self.on_disk(path).is_some_and(|path| self.root.exists(&path))
    }

    /// The names there would be in a directory.
    fn names(&self, dir: &str) -> BTreeSet<String> {
        let listed = self.on_disk(dir).and_then(|dir| self.root.dir(&dir).ok()?.list().ok()).unwrap_or_default();
        let on_disk = listed.into_iter().map(|entry| entry.name);
        let ahead = self.texts.keys().chain(self.dirs.keys()).chain(self.moved.iter().map(|(_, to)| to));
        let ahead = ahead.map(|path| split(path)).filter(|(above, _)| *above == dir).map(|(_, name)| name.to_owned());
        on_disk.chain(ahead).filter(|name| self.exists(&join(dir, name))).collect()
    }

    fn move_dir(&mut self, from: &str, to: &str) {
        let moved = [(from.to_owned(), to.to_owned())];
        let carried = |path: String| after(&moved, &path);
        self.texts = std::mem::take(&mut self.texts).into_iter().map(|(path, text)| (carried(path), text)).collect();
        self.dirs = std::mem::take(&mut self.dirs).into_iter().map(|(path, is)| (carried(path), is)).collect();
        self.carried.extend(moved.clone());
        self.moved.extend(moved);
    }

    /// Whether a directory that is to get another name in its place has that name already. Names follow what files say
    /// without a sync, so a power failure may take the name back and leave the entry.
    pub(super) fn has_name_already(&mut self, step: &Step) -> bool {
        let Step::MoveDir { from, to } = step else { return false };
        let is_so = split(from).0 == split(to).0 && !self.exists(from) && self.exists(to);
        if is_so {
            self.carried.push((from.clone(), to.clone()));
        }
        is_so
    }

    /// Where something lies now that would lie there; `None` when what is there now would have gone elsewhere.
    pub(super) fn on_disk(&self, path: &str) -> Option<String> {
        let mut path = path.to_owned();
        for (from, to) in self.moved.iter().rev() {
            let back = after(&[(to.clone(), from.clone())], &path);
            if back != path {
                path = back;
            } else if after(&[(from.clone(), to.clone())], &path) != path {
                return None;
            }
        }
        Some(path)
    }
}
