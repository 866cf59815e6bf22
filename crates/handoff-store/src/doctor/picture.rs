//! The files of a store in memory, and what was done to them there.
//!
//! **Invariant:** every change of the picture adds the step that makes it on disk, so that the picture after some changes
//! is what the disk looks like after their steps.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::layout::TASK_FILE;
use crate::root::{join, split};
use crate::step::Step;
use crate::sys::{Access, Kind};
use crate::task::lazy::LazyTask;
use crate::task::moves::after;
use crate::task::scan::read_leniently;

/// What stands under a path.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Directory,
    /// A record, or something else that is read
    Text(Arc<str>),
    /// A record that is no text from this byte on
    Bytes(Arc<[u8]>, usize),
    /// A record too large to read
    TooLarge(String),
    /// Something that the system does not let us read
    Failed(String),
    /// A file that is not looked into
    Unread,
    /// Neither a file nor a directory
    Odd(Kind),
}

/// A path with what is there.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) content: Content,
    pub(crate) access: Option<Access>,
    /// Where it lay when it was read; absent for what was made since
    origin: Option<String>,
    task: OnceCell<Option<Arc<LazyTask>>>,
}

impl Entry {
    pub(crate) fn new(content: Content, access: Option<Access>, origin: Option<String>) -> Entry {
        Entry { content, access, origin, task: OnceCell::new() }
    }
}

/// The files of a store.
#[derive(Debug, Default)]
pub(crate) struct Picture {
    entries: BTreeMap<String, Entry>,
    /// What was done, in order
    steps: Vec<Step>,
    moves: Vec<(String, String)>,
    /// Texts that were written over, by the path they had on disk
    written_over: BTreeMap<String, Arc<str>>,
    /// Where what is taken away goes
    aside: String,
    /// Directories that must be there before the first step
    needed_dirs: Vec<String>,
    /// Links at the top behind which something lies
    full_links: BTreeSet<String>,
}

impl Picture {
    pub(crate) fn new(aside: String) -> Picture {
        Picture { aside, ..Picture::default() }
    }

    pub(crate) fn add(&mut self, path: String, entry: Entry) {
        self.entries.insert(path, entry);
    }

    /// Notes that something lies behind a link.
    pub(crate) fn add_full_link(&mut self, path: String) {
        self.full_links.insert(path);
    }

    /// Whether a place is a link behind which something lies.
    pub(crate) fn leads_to_something(&self, path: &str) -> bool {
        self.full_links.contains(path)
    }

    pub(crate) fn get(&self, path: &str) -> Option<&Entry> {
        self.entries.get(path)
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(path, entry)| (path.as_str(), entry))
    }

    /// What lies anywhere below a directory.
    pub(crate) fn below(&self, dir: &str) -> impl Iterator<Item = (&str, &Entry)> {
        let from = format!("{dir}/");
        let end = format!("{dir}0");
        self.entries.range(from..end).map(|(path, entry)| (path.as_str(), entry))
    }

    /// What lies directly in a directory, by name.
    pub(crate) fn inside(&self, dir: &str) -> Vec<(&str, &Entry)> {
        let names = self.below(dir).map(|(path, entry)| (&path[dir.len() + 1..], entry));
        names.filter(|(name, _)| !name.contains('/')).collect()
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.entries.contains_key(path)
    }

    pub(crate) fn text(&self, path: &str) -> Option<&Arc<str>> {
        match &self.entries.get(path)?.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The task a file holds, as far as it can be read.
    pub(crate) fn task(&self, file: &str) -> Option<Arc<LazyTask>> {
        let entry = self.entries.get(file)?;
        let Content::Text(text) = &entry.content else { return None };
        entry.task.get_or_init(|| read_leniently(text, file).0.map(LazyTask::of)).clone()
    }

    /// Writes a file; `false` when nothing would change, or something else is in the way.
    pub(crate) fn put(&mut self, path: &str, text: String) -> bool {
        let present = self.entries.get_mut(path);
        let before = match present.as_ref().map(|entry| &entry.content) {
            None => None,
            Some(Content::Text(before)) if **before == *text => return false,
            Some(Content::Text(before)) => Some(before.clone()),
            Some(_) => return false,
        };
        let after: Arc<str> = text.as_str().into();
        match present {
            Some(entry) => {
                if let (Some(origin), Some(before)) = (&entry.origin, &before) {
                    self.written_over.entry(origin.clone()).or_insert_with(|| before.clone());
                }
                entry.content = Content::Text(after);
                entry.task = OnceCell::new();
            }
            None => self.add(path.to_owned(), Entry::new(Content::Text(after), None, None)),
        }
        self.step(Step::Put { path: path.to_owned(), before: before.map(|before| before.to_string()), after: text });
        true
    }

    /// Adds a step; written twice, a file is written once.
    fn step(&mut self, step: Step) {
        if let Step::Put { path, after, .. } = &step {
            let since_moved = self.steps.iter().rposition(|step| matches!(step, Step::MoveDir { .. }));
            let recent = &mut self.steps[since_moved.map_or(0, |moved| moved + 1)..];
            for earlier in recent {
                match earlier {
                    Step::Put { path: same, after: text, .. } if same == path => {
                        text.clone_from(after);
                        return;
                    }
                    Step::NewDir { path: dir, name, text } if join(dir, name) == *path => {
                        text.clone_from(after);
                        return;
                    }
                    _ => {}
                }
            }
        }
        self.steps.push(step);
    }

    /// Makes the directory of a task, unless something has its name.
    pub(crate) fn new_task(&mut self, dir: &str, text: String) -> bool {
        if self.exists(dir) || !self.exists(split(dir).0) {
            return false;
        }
        self.add(dir.to_owned(), Entry::new(Content::Directory, None, None));
        let content = Content::Text(text.as_str().into());
        self.add(join(dir, TASK_FILE), Entry::new(content, None, None));
        self.step(Step::NewDir { path: dir.to_owned(), name: TASK_FILE.to_owned(), text });
        true
    }

    /// Renames a file or directory with all below it; `false` when it is not there, or something has the new name.
    pub(crate) fn rename(&mut self, from: &str, to: &str) -> bool {
        let is_within = to.strip_prefix(from).is_some_and(|rest| rest.starts_with('/'));
        let above = split(to).0;
        let has_place = self.exists(above) || self.needed_dirs.iter().any(|dir| dir == above);
        if from == to || is_within || !has_place || !self.exists(from) || self.exists(to) {
            return false;
        }
        let moved: Vec<String> = self.below(from).map(|(path, _)| path.to_owned()).chain([from.to_owned()]).collect();
        for path in moved {
            if let Some(entry) = self.entries.remove(&path) {
                self.entries.insert(format!("{to}{}", &path[from.len()..]), entry);
            }
        }
        self.moves.push((from.to_owned(), to.to_owned()));
        self.steps.push(Step::MoveDir { from: from.to_owned(), to: to.to_owned() });
        true
    }

    /// Takes something away into the backup. Nobody looks at it there again.
    pub(crate) fn set_aside(&mut self, path: &str) -> bool {
        if !self.exists(path) {
            return false;
        }
        let further = (2..).map(|copy| join(&format!("{}-{copy}", self.aside), path));
        let to = [join(&self.aside, path)].into_iter().chain(further).find(|to| self.is_free_aside(to));
        let to = to.expect("there is always one more");
        self.needed_dirs.push(split(&to).0.to_owned());
        self.rename(path, &to)
    }

    /// Whether nothing in the backup has this name, needs it for a directory, or lies where its directories would.
    fn is_free_aside(&self, to: &str) -> bool {
        let is_in =
            |path: &str, dir: &str| path == dir || path.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'));
        let is_needed = self.needed_dirs.iter().any(|dir| is_in(dir, to));
        let is_taken = self.moves.iter().any(|(_, moved)| is_in(to, moved) || is_in(moved, to));
        !is_needed && !is_taken
    }

    /// Where something lies now that lay under this path at first.
    pub(crate) fn now(&self, path: &str) -> String {
        after(&self.moves, path)
    }

    /// Where something lay on disk that lies under this path now; what was made since lies nowhere.
    pub(crate) fn at_first(&self, path: &str) -> Option<&str> {
        self.entries.get(path)?.origin.as_deref()
    }

    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    pub(crate) fn written_over(&self) -> &BTreeMap<String, Arc<str>> {
        &self.written_over
    }

    pub(crate) fn needed_dirs(&self) -> &[String] {
        &self.needed_dirs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(files: &[(&str, &str)]) -> Picture {
        let mut picture = Picture::new("local/state/backup/now/aside".to_owned());
        for (path, text) in files {
            let mut above = split(path).0;
            while !above.is_empty() {
                picture.add(above.to_owned(), Entry::new(Content::Directory, None, Some(above.to_owned())));
                above = split(above).0;
            }
            picture.add((*path).to_owned(), Entry::new(Content::Text((*text).into()), None, Some((*path).to_owned())));
        }
        picture
    }

    #[test]
    fn what_is_done_adds_up_to_steps() {
        let mut picture = picture(&[("tasks/a/task.toml", "1"), ("tasks/a-b/task.toml", "2")]);
        assert!(picture.put("tasks/a/task.toml", "x".to_owned()));
        assert!(picture.put("tasks/a/task.toml", "y".to_owned()));
        assert!(picture.rename("tasks/a", "tasks/c"));
        assert!(picture.put("tasks/c/task.toml", "z".to_owned()));
        assert!(!picture.put("tasks/c/task.toml", "z".to_owned()), "nothing would change");
        assert!(!picture.rename("tasks/c", "tasks/a-b"), "it has that name");
        assert_eq!(picture.steps().len(), 3, "{:?}", picture.steps());
        assert_eq!(picture.now("tasks/a/task.toml"), "tasks/c/task.toml");
        assert_eq!(picture.at_first("tasks/c/task.toml"), Some("tasks/a/task.toml"));
        let kept: Vec<(&str, &str)> = picture.written_over().iter().map(|(path, text)| (&**path, &**text)).collect();
        assert_eq!(kept, [("tasks/a/task.toml", "1")], "as it was at first");
    }

    #[test]
    fn what_is_taken_away_goes_into_the_backup_whole() {
        let mut picture = picture(&[("tasks/a/task.toml", "1"), ("tasks/a/b/task.toml", "2")]);
        assert!(picture.set_aside("tasks/a"));
        assert!(picture.inside("tasks").is_empty());
        assert!(picture.exists("local/state/backup/now/aside/tasks/a/b/task.toml"));
        assert_eq!(picture.needed_dirs(), ["local/state/backup/now/aside/tasks"]);
        assert!(!picture.set_aside("tasks/a"));
    }
}
