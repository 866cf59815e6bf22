//! The trash: deleted tasks, whole and with everything below them, until they are restored.
//!
//! An entry's name tells where the task was, so that deleting is one rename:
//! `<time>-<id>-<parent or root>-<number>--<name of its directory>`.

use handoff_model::MAX_DEPTH;
use handoff_model::id::{TaskId, TaskRef};
use handoff_model::name::{Layout, read_name, stable_name, status_name};
use handoff_model::number::{MAX_ORDINAL, Number};
use handoff_model::problem::{Problem, Severity};
use handoff_model::rev::Rev;
use handoff_model::task::Task;
use handoff_model::when::Moment;

use super::find::Found;
use super::forest::Forest;
use super::scan::Scan;
use super::write::height;
use crate::error::{Result, StoreError, TaskLine};
use crate::layout::{TASK_FILE, TASKS, TRASH};
use crate::root::{join, split};
use crate::step::Step;
use crate::store::{Store, name_of};
use crate::sys::Kind;

/// A deleted task.
#[derive(Debug)]
pub struct Trashed {
    pub id: TaskId,
    /// Absent when its file cannot be read
    pub title: Option<String>,
    pub deleted_at: Option<Moment>,
    pub parent: Option<TaskId>,
    pub ordinal: u32,
    /// How many tasks it holds, itself included
    pub count: usize,
    /// The name its directory had
    was_called: String,
    path: String,
    contents: Forest,
}

/// What the name of an entry tells.
struct Entry<'a> {
    name: &'a str,
    id: TaskId,
    deleted_at: Option<Moment>,
    parent: Option<TaskId>,
    ordinal: u32,
    was_called: &'a str,
}

impl Entry<'_> {
    fn read(name: &str) -> Option<Entry<'_>> {
        let (place, was_called) = name.split_once("--").unwrap_or((name, ""));
        let mut parts = place.splitn(4, '-');
        let deleted_at = parts.next().and_then(|stamp| stamp.parse().ok());
        let id = parts.next()?.parse().ok()?;
        let parent = parts.next()?.parse().ok();
        let ordinal = parts.next()?.parse().ok().filter(|ordinal| (1..=MAX_ORDINAL).contains(ordinal))?;
        Some(Entry { name, id, deleted_at, parent, ordinal, was_called })
    }
}

impl Store {
    /// Stages the removal of a task and all below it into the trash. Returns how many tasks go.
    pub fn delete_task(&mut self, found: &Found, at: Moment) -> Result<usize> {
        let subtree = self.subtree_of(found)?;
        let id = found.task.id;
        let stamp = at.to_string().replace(['-', ':'], "");
        let parent = found.parent.map_or_else(|| "root".to_owned(), |id| id.to_string());
        let name = name_of(&found.dir);
        let entry = join(TRASH, &format!("{stamp}-{id}-{parent}-{}--{name}", found.number.ordinal()));
        self.root.dir_made(TRASH).map_err(|source| StoreError::write(TRASH, source))?;
        self.raise_floor(found.parent, found.number.ordinal());
        let nodes = subtree.subtree(id);
        self.change.steps.push(Step::MoveDir { from: found.dir.clone(), to: entry.clone() });
        for node in nodes.iter().skip(1).filter(|node| !is_within(&node.dir, &found.dir)) {
            // In the stable layout what is below lies beside; it goes into the same entry.
            let to = join(&entry, name_of(&node.dir));
            self.change.steps.push(Step::MoveDir { from: node.dir.to_string(), to });
        }
        let above = split(&found.dir).0;
        if let Some(highest) = self.known_highest(found.parent, above) {
            self.note_highest(found.parent, above, highest);
        }
        Ok(nodes.len())
    }

    /// What is in the trash, newest first.
    pub fn trash(&self) -> Result<Vec<Trashed>> {
        // A deletion that was cut off is finished first; where that cannot be, what is there is shown.
        let _ = self.settle();
        let entries = match self.root.dir(TRASH) {
            Ok(dir) => dir.list().map_err(|source| StoreError::read(TRASH, source))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(StoreError::read(TRASH, source)),
        };
        let mut names: Vec<String> =
            entries.into_iter().filter(|entry| entry.kind == Kind::Directory).map(|entry| entry.name).collect();
        names.sort_unstable_by(|a, b| b.cmp(a));
        names.iter().filter_map(|name| Entry::read(name)).map(|entry| self.read_trashed(&entry)).collect()
    }

    fn read_trashed(&self, entry: &Entry<'_>) -> Result<Trashed> {
        let &Entry { name, id, deleted_at, parent, ordinal, was_called } = entry;
        let path = join(TRASH, name);
        let scan = match self.root.dir(&path) {
            Ok(dir) => match Scan::at(&dir, &path, &self.stop) {
                Err(StoreError::Read { source, .. }) => Scan::of_nothing(&path, &source),
                scan => scan?,
            },
            Err(error) => Scan::of_nothing(&path, &error),
        };
        let contents = Forest::build_by_fields(scan, self.layout());
        let title = contents.get(id).map(|node| node.task.title.clone());
        let (count, was_called) = (contents.len(), was_called.to_owned());
        Ok(Trashed { id, title, deleted_at, parent, ordinal, count, was_called, path, contents })
    }

    /// The deleted task a reference names; the newest when it was deleted more than once.
    pub fn find_in_trash(&self, wanted: &TaskRef) -> Result<Trashed> {
        let mut trash = self.trash()?;
        let lines = |trash: &[Trashed]| -> Vec<TaskLine> { trash.iter().map(Trashed::line).collect() };
        let matches = |trashed: &Trashed| match wanted {
            TaskRef::Id(id) => trashed.id == *id,
            TaskRef::Prefix(prefix) => trashed.id.as_str().starts_with(prefix.as_str()),
            TaskRef::Number(_) => false,
        };
        let Some(index) = trash.iter().position(matches) else {
            return Err(StoreError::NotInTrash { wanted: wanted.clone(), close: lines(&trash[..trash.len().min(5)]) });
        };
        let found = trash.swap_remove(index);
        let others: Vec<Trashed> = trash.into_iter().filter(|other| matches(other) && other.id != found.id).collect();
        if others.is_empty() {
            return Ok(found);
        }
        let mut candidates = lines(&others);
        candidates.push(found.line());
        Err(StoreError::Ambiguous { wanted: wanted.clone(), candidates })
    }

    /// Stages a deleted task's return, with everything below it, under the given parent or to the top.
    pub fn restore_task(&mut self, trashed: &Trashed, parent: Option<&Found>) -> Result<Found> {
        let id = trashed.id;
        if self.find(&TaskRef::Id(id)).is_ok() {
            return Err(StoreError::AlreadyThere { id });
        }
        if trashed.contents.get(id).is_none() {
            let unreadable = || Problem::damaged(join(&trashed.path, TASK_FILE), "cannot be read");
            return Err(StoreError::Damaged(trashed.problem().cloned().unwrap_or_else(unreadable)));
        }
        let above = parent.map(|parent| &parent.number);
        let depth = above.map_or(0, |number| number.ordinals().len()) + height(&trashed.contents, id);
        if depth > MAX_DEPTH {
            return Err(StoreError::TooDeep { id, depth });
        }
        let parent_id = parent.map(|parent| parent.task.id);
        let next = self.next_ordinal(parent.map(|parent| (parent.task.id, parent.dir.as_str())))?;
        let wanted = Number::under(above, trashed.ordinal);
        let kept = parent_id == trashed.parent && self.find(&TaskRef::Number(wanted)).is_err();
        let ordinal = if kept { trashed.ordinal } else { next };
        let number = Number::under(above, ordinal);
        let layout = self.layout();

        let mut top: Option<Found> = None;
        let mut places: Vec<(TaskId, Number, String)> = Vec::new();
        for node in trashed.contents.subtree(id) {
            let is_top = node.task.id == id;
            let (above_number, above_dir, above_id) = match places.iter().find(|(id, ..)| Some(*id) == node.parent) {
                Some((id, number, dir)) => (Some(number.clone()), dir.clone(), Some(*id)),
                None => (above.cloned(), parent.map_or(TASKS, |parent| &parent.dir).to_owned(), parent_id),
            };
            let own = if is_top { number.ordinal() } else { node.number.ordinal() };
            let node_number = Number::under(above_number.as_ref(), own);
            let mut task = Task::clone(&node.task);
            let dir = match layout {
                Layout::Status => {
                    task.parent = None;
                    task.number = None;
                    join(&above_dir, &status_name(&node_number, task.status, &task.title))
                }
                Layout::Stable => {
                    task.parent = above_id;
                    task.number = Some(own);
                    join(TASKS, &trashed.stable_name(&node.dir, &task))
                }
            };
            let from = present_place(&node.dir, &places, trashed);
            let file = join(&node.dir, TASK_FILE);
            let text =
                self.root.read_text(&file).map_err(|source| StoreError::read(&file, source))?.unwrap_or_default();
            if from != dir {
                self.change.steps.push(Step::MoveDir { from, to: dir.clone() });
            }
            let mut written = text.clone();
            if task != **node.task {
                written = task.write_over(&text).map_err(|error| {
                    let problem = Problem::damaged(&file, error.reason).at_line(error.line);
                    StoreError::Damaged(problem)
                })?;
                let path = join(&dir, TASK_FILE);
                self.change.steps.push(Step::Put { path, before: Some(text), after: written.clone() });
            }
            if is_top && let Some(highest) = self.known_highest(parent_id, split(&dir).0) {
                self.note_highest(parent_id, split(&dir).0, highest.max(own));
            }
            self.note_place(task.id, above_id, own, &dir);
            places.push((task.id, node_number.clone(), dir.clone()));
            if is_top {
                let rev = Rev::of(written.as_bytes());
                top =
                    Some(Found { task, number: node_number, parent: above_id, rev, problem: None, dir, text: written });
            }
        }
        top.ok_or(StoreError::NotInTrash { wanted: TaskRef::Id(id), close: Vec::new() })
    }
}

impl Trashed {
    pub fn line(&self) -> TaskLine {
        TaskLine { id: self.id, number: None, title: self.title.clone().unwrap_or_default() }
    }

    /// What is wrong with it, if anything is.
    pub fn problem(&self) -> Option<&Problem> {
        self.contents.problems.iter().find(|problem| problem.severity == Severity::Damaged)
    }

    /// The name a directory had in the stable layout, where names do not change with the title.
    fn stable_name(&self, dir: &str, task: &Task) -> String {
        let was_called = if task.id == self.id { self.was_called.as_str() } else { name_of(dir) };
        if read_name(was_called).id == Some(task.id) {
            return was_called.to_owned();
        }
        stable_name(&task.title, task.id)
    }

    /// The tasks it holds, itself first.
    pub fn tasks(&self) -> Vec<&Task> {
        self.contents.subtree(self.id).into_iter().map(|node| &**node.task).collect()
    }
}

/// Where a directory of a trash entry lies after the steps staged so far moved those above it.
fn present_place(dir: &str, places: &[(TaskId, Number, String)], trashed: &Trashed) -> String {
    let mut best: Option<(usize, String)> = None;
    for (id, _, moved_to) in places {
        let Some(was) = trashed.contents.get(*id).map(|node| node.dir.as_str()) else { continue };
        if is_within(dir, was) && best.as_ref().is_none_or(|(length, _)| was.len() > *length) {
            best = Some((was.len(), format!("{moved_to}{}", &dir[was.len()..])));
        }
    }
    best.map_or_else(|| dir.to_owned(), |(_, place)| place)
}

fn is_within(dir: &str, above: &str) -> bool {
    dir.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
}
