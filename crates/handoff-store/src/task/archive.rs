//! Finished tasks in the monthly archives, read there.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use handoff_model::id::TaskId;
use handoff_model::number::Number;
use handoff_model::problem::Problem;
use handoff_model::rev::Rev;
use handoff_model::task::Task;
use handoff_model::task::archive::{Archive, Packed, is_file_name};

use super::dir::Said;
use super::find::Found;
use super::forest::{Forest, Node};
use super::lazy::LazyTask;
use super::scan::read_leniently;
use crate::error::{Result, StoreError};
use crate::layout::ARCHIVE;
use crate::root::{NotUtf8, is_damage, join, not_utf8};
use crate::store::Store;
use crate::warm::FileReading;

mod pack;
mod restore;

pub use pack::Packing;

/// The tasks in the archives, as a forest of their own: what lies under a task that is not archived stands at its top.
#[derive(Debug, Default)]
pub struct ArchivedTasks {
    pub forest: Forest,
    entries: HashMap<TaskId, Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    /// The archive it is in, relative to the store
    file: String,
    packed: Arc<Packed>,
}

/// A file of packed tasks, as it was understood.
#[derive(Default)]
struct PackedFile {
    tasks: Vec<(Arc<Packed>, Option<Arc<LazyTask>>)>,
    problems: Vec<Problem>,
}

/// The archives of tasks.
const MONTHLY: FileReading<PackedFile> = FileReading {
    is_wanted: is_file_name,
    understand: |name, text| {
        let path = join(ARCHIVE, name);
        let text = match text {
            Ok(text) => text,
            Err(error) => {
                let readable = not_utf8(&error).map(NotUtf8::readable);
                let line = readable.as_ref().map(|(_, line)| *line);
                let mut file = readable.map(|(text, _)| packed_in(&path, &text)).unwrap_or_default();
                file.problems.push(Problem::damaged(&path, error.to_string()).at_line(line));
                return file;
            }
        };
        packed_in(&path, text)
    },
};

fn packed_in(path: &str, text: &str) -> PackedFile {
    let (archive, mut problems) = Archive::read(path, text);
    let mut tasks = Vec::new();
    for packed in archive.tasks() {
        let (task, problem) = read_leniently(&packed.text, path);
        problems.extend(problem.map(|problem| {
            let line = problem.line.map_or(packed.line, |line| packed.line + line);
            problem.at_line(Some(line))
        }));
        if let Some(other) = task.as_ref().filter(|task| task.id != packed.id) {
            let reason = format!("the table of task `{}` holds the file of task `{}`", packed.id, other.id);
            problems.push(Problem::damaged(path, reason).at_line(Some(packed.line)));
        }
        tasks.push((Arc::new(packed.clone()), task.filter(|task| task.id == packed.id).map(LazyTask::of)));
    }
    PackedFile { tasks, problems }
}

impl ArchivedTasks {
    /// The archive a task is in, relative to the store.
    pub fn file_of(&self, id: TaskId) -> Option<&str> {
        self.entries.get(&id).map(|entry| entry.file.as_str())
    }

    /// A task of the archive as if it were found on disk.
    pub fn found(&self, node: &Node) -> Option<Found> {
        let entry = self.entries.get(&node.task.id)?;
        Some(Found {
            task: Task::clone(&node.task),
            number: node.number.clone(),
            parent: entry.packed.parent,
            rev: Rev::of(entry.packed.text.as_bytes()),
            problem: None,
            dir: node.dir.to_string(),
            text: entry.packed.text.clone(),
        })
    }

    /// The task it lay under, in the archive or not.
    pub fn parent_of(&self, id: TaskId) -> Option<TaskId> {
        self.entries.get(&id)?.packed.parent
    }

    /// The archived tasks above one, the topmost first.
    fn above(&self, id: TaskId) -> Vec<&Node> {
        let mut nodes = Vec::new();
        let mut at = self.forest.get(id).and_then(|node| node.parent);
        while let Some(node) = at.and_then(|id| self.forest.get(id)) {
            nodes.push(node);
            at = node.parent;
        }
        nodes.reverse();
        nodes
    }

    /// The task that the topmost archived one above this lay under.
    pub fn origin_of(&self, id: TaskId) -> Option<TaskId> {
        let top = self.above(id).first().map_or(id, |node| node.task.id);
        self.parent_of(top)
    }

    /// How many archived tasks lie above this one.
    pub fn count_above(&self, id: TaskId) -> usize {
        self.above(id).len()
    }

    fn add(&mut self, node: Node, entry: Entry) {
        self.forest.nodes.push(node);
        self.entries.insert(entry.packed.id, entry);
    }

    /// Puts the tasks under each other, as far as they are all here.
    fn grow(&mut self) {
        let mut nodes: BTreeMap<TaskId, Node> =
            std::mem::take(&mut self.forest.nodes).into_iter().map(|node| (node.task.id, node)).collect();
        let mut order: Vec<(Number, TaskId)> = nodes.values().map(|node| (node.number.clone(), node.task.id)).collect();
        order.sort_unstable();
        for (_, id) in &order {
            let parent = self.entries[id].packed.parent.filter(|parent| parent != id && nodes.contains_key(parent));
            if let Some(parent) = parent {
                nodes.entry(parent).and_modify(|node| node.children.push(*id));
            }
            nodes.entry(*id).and_modify(|node| node.parent = parent);
        }
        let mut open: Vec<TaskId> = Vec::new();
        let tops = order.iter().rev().map(|(_, id)| *id).filter(|id| nodes[id].parent.is_none());
        open.extend(tops);
        self.forest.roots = open.iter().rev().copied().collect();
        while let Some(node) = open.pop().and_then(|id| nodes.remove(&id)) {
            open.extend(node.children.iter().rev());
            self.forest.nodes.push(node);
        }
        // What lies under itself, by an edit or a merge, is still a task.
        for (id, node) in nodes {
            self.forest.roots.push(id);
            self.forest.nodes.push(Node { parent: None, children: Vec::new(), ..node });
        }
        self.forest.reachable = self.forest.nodes.len();
        self.forest.places = self.forest.nodes.iter().enumerate().map(|(place, node)| (node.task.id, place)).collect();
        self.forest.places.sort_unstable();
        self.forest.problems.sort();
        self.forest.problems.dedup();
    }
}

impl Store {
    /// Every task in the archives.
    pub fn archived_tasks(&self) -> Result<ArchivedTasks> {
        self.at_one_moment(|| {
            let mut archived = ArchivedTasks::default();
            let files = match self.files(ARCHIVE, &MONTHLY) {
                // Something else in the place of the directory hides the archives and nothing more.
                Err(StoreError::Read { path, source }) if is_damage(&source) => {
                    archived.forest.problems.push(Problem::damaged(path, format!("cannot be read: {source}")));
                    Arc::default()
                }
                files => files?,
            };
            for file in files.iter() {
                let path = join(ARCHIVE, &file.name);
                archived.forest.problems.extend(file.content.problems.iter().cloned());
                for (packed, task) in &file.content.tasks {
                    if let Some(other) = archived.entries.get(&packed.id).filter(|entry| entry.file != path) {
                        let reason = format!("holds task `{}` of {} too; that one is shown", packed.id, other.file);
                        archived.forest.problems.push(Problem::mended(&path, reason).at_line(Some(packed.line)));
                    }
                    let Some(task) = task.clone().filter(|_| !archived.entries.contains_key(&packed.id)) else {
                        continue;
                    };
                    let name = if packed.name.is_empty() { packed.id.as_str() } else { &packed.name };
                    let node = Node {
                        task,
                        number: packed.number.clone(),
                        parent: None,
                        children: Vec::new(),
                        dir: join(&path, name).into(),
                        said: Said::by(name),
                        orphaned: false,
                        mark: Rev::of(packed.text.as_bytes()).as_number(),
                        stamp: None,
                    };
                    archived.add(node, Entry { file: path.clone(), packed: packed.clone() });
                }
            }
            archived.grow();
            self.notice(&archived.forest.problems);
            Ok(archived)
        })
    }
}
