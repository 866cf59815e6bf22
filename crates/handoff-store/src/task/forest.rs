//! The task tree, put together from what was found on disk.
//!
//! Pure: whatever a person, a crash or a merge left behind becomes a tree, and what had to be read differently is
//! reported.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use handoff_model::id::{TaskId, TaskRef};
use handoff_model::name::Layout;
use handoff_model::number::Number;
use handoff_model::problem::Problem;
use handoff_model::task::Status;

use super::dir::{Dir, Said};
use super::draft::Draft;
use super::lazy::LazyTask;
use super::scan::Scan;
use crate::error::{Result, StoreError, TaskLine};
use crate::layout::TASK_FILE;
use crate::root::join;
use crate::sys::{Handle, Stamp};

/// One task in its place.
#[derive(Clone)]
pub struct Node {
    pub task: Arc<LazyTask>,
    pub number: Number,
    pub parent: Option<TaskId>,
    /// Sorted as they are shown
    pub children: Vec<TaskId>,
    pub(super) mark: u64,
    pub(super) stamp: Option<Stamp>,
    pub(crate) dir: Dir,
    pub(super) said: Said,
    /// Whether a directory without a readable task lies between it and its parent
    pub(super) orphaned: bool,
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // When its file was last looked at is nothing about the task.
        let Node { task, number, parent, children, mark, stamp: _, dir, said, orphaned } = self;
        let mut shown = f.debug_struct("Node");
        shown.field("task", task).field("number", number).field("parent", parent).field("children", children);
        shown.field("mark", mark).field("dir", dir).field("said", said).field("orphaned", orphaned).finish()
    }
}

/// Every task of a store.
#[derive(Debug, Default)]
pub struct Forest {
    /// Those that can be reached from the top stand first, in the order they are shown
    pub(super) nodes: Vec<Node>,
    pub(super) reachable: usize,
    /// Where each stands, sorted by id
    pub(super) places: Vec<(TaskId, usize)>,
    /// Sorted as they are shown
    pub roots: Vec<TaskId>,
    /// How many more there are, where only those that are not finished were wanted
    pub(super) aside: BTreeMap<Status, usize>,
    pub problems: Vec<Problem>,
    /// Whether a directory's name says another status than its file, as it does for a moment during a change
    pub(crate) has_lagging_name: bool,
    /// Something that could not be read although it may be in order
    pub(crate) failed: Option<(String, std::io::Error)>,
}

impl Forest {
    pub(crate) fn build(scan: Scan, layout: Layout) -> Forest {
        Draft::of(scan, layout).finish()
    }

    /// Lets the `parent` fields count where the directories only tell that tasks were deleted together.
    pub(crate) fn build_by_fields(scan: Scan, layout: Layout) -> Forest {
        let mut draft = Draft::of(scan, layout);
        draft.prefer_parent_fields();
        draft.finish()
    }

    /// All there is. A change that concerns several must not be made on less: what could not be read would be taken for
    /// missing.
    pub(crate) fn check_complete(&self) -> Result<()> {
        match &self.failed {
            Some((path, source)) => {
                let again = source.raw_os_error().map(std::io::Error::from_raw_os_error);
                let again = again.unwrap_or_else(|| std::io::Error::new(source.kind(), source.to_string()));
                Err(StoreError::read(path, again))
            }
            None => Ok(()),
        }
    }

    /// Whether every task lies as its layout has it: nothing damaged or mended, and its place told in one way only.
    pub(crate) fn is_plain(&self, layout: Layout) -> bool {
        let plain = |node: &Node| match layout {
            Layout::Status => node.task.parent.is_none() && node.task.number.is_none() && node.said.ordinal.is_some(),
            Layout::Stable => node.task.number.is_some() && node.dir.matches('/').count() == 1,
        };
        self.problems.is_empty() && self.nodes.iter().all(plain)
    }

    pub fn get(&self, id: TaskId) -> Option<&Node> {
        let place = self.places.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(&self.nodes[self.places[place].1])
    }

    /// How many tasks there are in each status.
    pub fn counts(&self) -> BTreeMap<Status, usize> {
        let mut counts = self.aside.clone();
        for node in &self.nodes[..self.reachable] {
            *counts.entry(node.task.status).or_default() += 1;
        }
        counts
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Every task, parents before their children, in the order they are shown.
    pub fn walk(&self) -> Vec<&Node> {
        self.nodes[..self.reachable].iter().collect()
    }

    /// Every task, sorted by id, with the place it is at.
    pub fn by_id(&self) -> impl Iterator<Item = (usize, &Node)> {
        self.places.iter().map(|(_, place)| (*place, &self.nodes[*place]))
    }

    /// The task at a place.
    pub fn at(&self, place: usize) -> Option<&Node> {
        self.nodes.get(place)
    }

    /// The task itself and all below it, parents first.
    pub fn subtree(&self, id: TaskId) -> Vec<&Node> {
        let mut nodes = Vec::new();
        let mut open = vec![id];
        while let Some(node) = open.pop().and_then(|id| self.get(id)) {
            nodes.push(node);
            open.extend(node.children.iter().rev());
        }
        nodes
    }

    /// A task and all below it alone.
    pub(crate) fn only(&self, id: TaskId) -> Forest {
        let nodes: Vec<Node> = self.subtree(id).into_iter().cloned().collect();
        let roots = nodes.first().map(|node| node.task.id).into_iter().collect();
        let mut places: Vec<(TaskId, usize)> =
            nodes.iter().enumerate().map(|(place, node)| (node.task.id, place)).collect();
        places.sort_unstable();
        let (reachable, problems) = (nodes.len(), self.problems.clone());
        Forest { nodes, reachable, places, roots, problems, ..Forest::default() }
    }

    /// How many letters of each id are needed to name it.
    pub fn shortest_prefixes(&self) -> HashMap<TaskId, usize> {
        self.places.iter().map(|(id, _)| (*id, self.shortest_prefix(*id))).collect()
    }

    /// How many letters of an id are needed to name it.
    pub fn shortest_prefix(&self, id: TaskId) -> usize {
        let place = self.places.partition_point(|(other, _)| *other < id);
        let after = place + usize::from(self.places.get(place).is_some_and(|(other, _)| *other == id));
        let shared = |other: &(TaskId, usize)| {
            other.0.as_str().bytes().zip(id.as_str().bytes()).take_while(|(one, other)| one == other).count()
        };
        let before = place.checked_sub(1).map_or(0, |before| shared(&self.places[before]));
        let after = self.places.get(after).map_or(0, shared);
        before.max(after) + 1
    }

    /// The one task a reference names.
    pub fn resolve(&self, wanted: &TaskRef) -> Result<&Node> {
        let found: Vec<&Node> = match wanted {
            TaskRef::Id(id) => self.get(*id).into_iter().collect(),
            TaskRef::Prefix(prefix) => {
                self.nodes.iter().filter(|node| node.task.id.as_str().starts_with(prefix)).collect()
            }
            TaskRef::Number(number) => self.nodes.iter().filter(|node| node.number == *number).collect(),
        };
        match found.as_slice() {
            [node] => Ok(node),
            [] => Err(StoreError::NoSuchTask { wanted: wanted.clone(), close: self.close_to(wanted) }),
            several => {
                let mut candidates: Vec<TaskLine> = several.iter().map(|node| node.line()).collect();
                candidates.sort_by(|a, b| a.number.cmp(&b.number).then(a.id.cmp(&b.id)));
                Err(StoreError::Ambiguous { wanted: wanted.clone(), candidates })
            }
        }
    }

    /// Up to five tasks whose id or number looks like what was asked for.
    fn close_to(&self, wanted: &TaskRef) -> Vec<TaskLine> {
        let nodes = self.walk();
        let text = wanted.to_string();
        let names: Vec<String> = match wanted {
            TaskRef::Number(_) => nodes.iter().map(|node| node.number.to_string()).collect(),
            _ => nodes.iter().map(|node| node.task.id.to_string()).collect(),
        };
        handoff_model::close::close_matches(&text, names.iter().map(String::as_str), 5)
            .into_iter()
            .filter_map(|name| names.iter().position(|known| known == name))
            .map(|index| nodes[index].line())
            .collect()
    }
}

impl Node {
    pub fn line(&self) -> TaskLine {
        TaskLine { id: self.task.id, number: Some(self.number.clone()), title: self.task.title.clone() }
    }

    /// Whether what is known of it was read from its file just now, or the file is still what it was. What is not
    /// finished was looked at already.
    pub(crate) fn is_as_its_file(&self, tasks: &Handle) -> bool {
        let Some(stamp) = self.stamp.filter(|_| self.task.status.is_finished()) else { return true };
        let file = join(self.dir.split_once('/').map_or("", |(_, below)| below), TASK_FILE);
        tasks.stamp_below(file.as_bytes()) == Some(stamp)
    }

    /// Changes whenever the text of its file does.
    pub fn mark(&self) -> u64 {
        self.mark
    }

    /// Where its directory lies, relative to the store.
    pub fn dir(&self) -> &str {
        &self.dir
    }
}
