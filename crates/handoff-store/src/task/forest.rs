//! The task tree, put together from what was found on disk.
//!
//! Pure: whatever a person, a crash or a merge left behind becomes a tree, and what had to be read differently is
//! reported.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use handoff_model::MAX_DEPTH;
use handoff_model::id::{TaskId, TaskRef};
use handoff_model::name::{Layout, NameParts};
use handoff_model::number::{MAX_ORDINAL, Number};
use handoff_model::problem::Problem;
use handoff_model::task::Task;

use super::scan::{RawTask, Scan};
use crate::error::{Result, StoreError, TaskLine};

/// One task in its place.
#[derive(Clone, Debug)]
pub struct Node {
    pub task: Arc<Task>,
    pub number: Number,
    pub parent: Option<TaskId>,
    /// Sorted as they are shown
    pub children: Vec<TaskId>,
    pub(crate) dir: String,
    name: NameParts,
    /// Whether a directory without a readable task lies between it and its parent
    orphaned: bool,
}

/// Every task of a store.
#[derive(Debug, Default)]
pub struct Forest {
    /// Those that can be reached from the top stand first, in the order they are shown
    nodes: Vec<Node>,
    reachable: usize,
    /// Where each stands, sorted by id
    places: Vec<(TaskId, usize)>,
    /// Sorted as they are shown
    pub roots: Vec<TaskId>,
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
            Layout::Status => node.task.parent.is_none() && node.task.number.is_none() && node.name.number.is_some(),
            Layout::Stable => node.task.number.is_some() && node.dir.matches('/').count() == 1,
        };
        self.problems.is_empty() && self.nodes.iter().all(plain)
    }

    pub fn get(&self, id: TaskId) -> Option<&Node> {
        let place = self.places.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(&self.nodes[self.places[place].1])
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
        let (reachable, places, problems) = (nodes.len(), places(&nodes), self.problems.clone());
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

/// A forest that is being put together.
#[derive(Default)]
struct Draft {
    nodes: HashMap<TaskId, Node>,
    roots: Vec<TaskId>,
    problems: Vec<Problem>,
    has_lagging_name: bool,
    failed: Option<(String, std::io::Error)>,
}

impl Draft {
    fn of(mut scan: Scan, layout: Layout) -> Draft {
        let mut draft =
            Draft { problems: std::mem::take(&mut scan.problems), failed: scan.failed.take(), ..Draft::default() };
        let ids: Vec<TaskId> = scan.tasks.iter().map(|raw| raw.task.id).collect();
        let known: HashSet<TaskId> = ids.iter().copied().collect();
        let chosen = draft.choose_copies(&scan.tasks);
        let mut tasks: Vec<Option<RawTask>> = scan.tasks.into_iter().map(Some).collect();
        for raw in chosen.into_iter().filter_map(|index| tasks[index].take()) {
            let parent = draft.parent_of(&raw, &ids, &known);
            let RawTask { task, dir, name, enclosing: _, orphaned } = raw;
            let (number, children) = (Number::default(), Vec::new());
            draft.nodes.insert(task.id, Node { task, number, parent, children, dir, name, orphaned });
        }
        draft.detach_cycles();
        draft.link();
        draft.number_children(None, layout);
        draft.problems.sort();
        draft.problems.dedup();
        draft
    }

    /// Puts the tasks in the order they are shown.
    fn finish(self) -> Forest {
        let Draft { nodes: mut left, roots, problems, has_lagging_name, failed } = self;
        let mut nodes = Vec::with_capacity(left.len());
        let mut open: Vec<TaskId> = roots.iter().rev().copied().collect();
        while let Some(id) = open.pop() {
            let Some(node) = left.remove(&id) else { continue };
            open.extend(node.children.iter().rev());
            nodes.push(node);
        }
        let reachable = nodes.len();
        nodes.extend(left.into_values());
        nodes[reachable..].sort_by_key(|node| node.task.id);
        Forest { places: places(&nodes), nodes, reachable, roots, problems, has_lagging_name, failed }
    }

    /// Of several directories with one id, the one touched last is shown.
    fn choose_copies(&mut self, tasks: &[RawTask]) -> Vec<usize> {
        let mut chosen: BTreeMap<TaskId, Vec<usize>> = BTreeMap::new();
        for (index, raw) in tasks.iter().enumerate() {
            chosen.entry(raw.task.id).or_default().push(index);
        }
        chosen
            .into_iter()
            .map(|(id, mut copies)| {
                copies.sort_by_key(|&index| (tasks[index].task.last_touched(), std::cmp::Reverse(&tasks[index].dir)));
                let best = copies.pop().expect("every id has at least one directory");
                for other in copies {
                    let reason = format!(
                        "has the id `{id}` of {} too; that one was touched last and is shown, this one is kept aside",
                        tasks[best].dir
                    );
                    self.problems.push(Problem::mended(&tasks[other].dir, reason));
                }
                best
            })
            .collect()
    }

    /// The enclosing task directory; the field counts only where there is none.
    fn parent_of(&mut self, raw: &RawTask, ids: &[TaskId], known: &HashSet<TaskId>) -> Option<TaskId> {
        let enclosing = raw.enclosing.map(|index| ids[index]).filter(|&id| id != raw.task.id);
        if enclosing.is_some() {
            if raw.orphaned {
                let reason = "the directory around it has no readable task; shown one level up";
                self.problems.push(Problem::mended(&raw.dir, reason));
            }
            return enclosing;
        }
        match raw.task.parent {
            Some(parent) if known.contains(&parent) && parent != raw.task.id => Some(parent),
            Some(parent) => {
                let reason = format!("its parent `{parent}` is not there; shown at the top");
                self.problems.push(Problem::mended(&raw.dir, reason));
                None
            }
            None => {
                if raw.orphaned {
                    let reason = "the directory around it has no readable task; shown at the top";
                    self.problems.push(Problem::mended(&raw.dir, reason));
                }
                None
            }
        }
    }

    /// Two branches may each have put a task under the other; one that says so by its field goes to the top.
    fn detach_cycles(&mut self) {
        let mut ids: Vec<TaskId> = self.nodes.keys().copied().collect();
        ids.sort_unstable();
        let mut safe: HashSet<TaskId> = HashSet::new();
        for &id in &ids {
            let mut path: Vec<TaskId> = Vec::new();
            let mut at = Some(id);
            while let Some(here) = at.filter(|here| !safe.contains(here)) {
                if let Some(start) = path.iter().position(|seen| *seen == here) {
                    self.detach_one(&path[start..]);
                    break;
                }
                path.push(here);
                at = self.nodes.get(&here).and_then(|node| node.parent);
            }
            safe.extend(path);
        }
    }

    fn detach_one(&mut self, cycle: &[TaskId]) {
        let by_field = |id: &&TaskId| self.nodes[id].task.parent == self.nodes[id].parent;
        let Some(&id) = cycle.iter().filter(by_field).min().or(cycle.iter().min()) else { return };
        let node = self.nodes.get_mut(&id).expect("it is in the cycle");
        let above = node.parent.take();
        let reason = "it lies under itself by its `parent` field; shown at the top";
        self.problems.push(Problem::mended(node.dir.clone(), reason));
        if let Some(above) = above.and_then(|above| self.nodes.get_mut(&above)) {
            above.children.retain(|child| *child != id);
        }
    }

    fn link(&mut self) {
        let mut ids: Vec<TaskId> = self.nodes.keys().copied().collect();
        ids.sort_unstable();
        for id in ids {
            match self.nodes[&id].parent {
                None => self.roots.push(id),
                Some(parent) => self.nodes.get_mut(&parent).expect("parents were checked").children.push(id),
            }
        }
    }

    /// Gives the children of a task their numbers and their order, from the top down.
    fn number_children(&mut self, parent: Option<TaskId>, layout: Layout) {
        let mut open = vec![parent];
        while let Some(parent) = open.pop() {
            let above = parent.map(|id| self.nodes[&id].number.clone());
            let mut children = match parent {
                None => std::mem::take(&mut self.roots),
                Some(id) => std::mem::take(&mut self.nodes.get_mut(&id).expect("it is a node").children),
            };
            let ordinals = self.ordinals(&children);
            for (&id, &ordinal) in children.iter().zip(&ordinals) {
                let node = &self.nodes[&id];
                // Below a damaged task the name still tells the whole number; a shorter one could be the damaged one's.
                let told = node.name.number.clone().filter(|_| node.orphaned && node.task.number.is_none());
                let number = told.unwrap_or_else(|| Number::under(above.as_ref(), ordinal));
                self.check_name(id, &number, layout);
                self.nodes.get_mut(&id).expect("it is a node").number = number;
            }
            children.sort_by(|a, b| sort_key(&self.nodes[a]).cmp(&sort_key(&self.nodes[b])));
            open.extend(children.iter().copied().map(Some));
            match parent {
                None => self.roots = children,
                Some(id) => self.nodes.get_mut(&id).expect("it is a node").children = children,
            }
        }
    }

    /// The place of each sibling: what its file says, else its name, else the next free one.
    fn ordinals(&mut self, siblings: &[TaskId]) -> Vec<u32> {
        // One below a damaged task stands among them, but its number counts elsewhere.
        let said: Vec<Option<u32>> = siblings.iter().map(|id| said_ordinal(&self.nodes[id])).collect();
        let counts = |id: &TaskId| !self.nodes[id].orphaned || self.nodes[id].name.number.is_none();
        let counting: HashSet<TaskId> = siblings.iter().copied().filter(|id| counts(id)).collect();
        let mut next = said.iter().flatten().copied().max().unwrap_or(0);
        let mut holders: BTreeMap<u32, Vec<TaskId>> = BTreeMap::new();
        let mut ordinals = vec![0; siblings.len()];
        let mut by_age: Vec<usize> = (0..siblings.len()).collect();
        by_age.sort_by_key(|&index| (self.nodes[&siblings[index]].task.created_at, siblings[index]));
        for index in by_age {
            ordinals[index] = said[index].unwrap_or_else(|| {
                next = next.saturating_add(1);
                next
            });
            if counting.contains(&siblings[index]) {
                holders.entry(ordinals[index]).or_default().push(siblings[index]);
            }
        }
        for (ordinal, holders) in holders.into_iter().filter(|(_, holders)| holders.len() > 1) {
            for id in &holders[1..] {
                let reason = format!("has the number {ordinal} that its sibling `{}` has too; use the id", holders[0]);
                self.problems.push(Problem::mended(&self.nodes[id].dir, reason));
            }
        }
        ordinals
    }

    fn check_name(&mut self, id: TaskId, number: &Number, layout: Layout) {
        let node = &self.nodes[&id];
        if number.ordinals().len() > MAX_DEPTH {
            let reason = format!("lies {} levels deep; at most {MAX_DEPTH} are allowed", number.ordinals().len());
            self.problems.push(Problem::mended(node.dir.clone(), reason));
        }
        let status = node.name.status;
        if layout == Layout::Status && node.name.number.is_some() && status != Some(node.task.status) {
            let reason = format!(
                "the name of the directory says another status than the file, which says `{}`; the file counts",
                node.task.status
            );
            self.problems.push(Problem::mended(node.dir.clone(), reason));
            self.has_lagging_name = true;
        }
    }

    /// Lets the `parent` fields count where the directories only tell that tasks were deleted together.
    fn prefer_parent_fields(&mut self) {
        let said: Vec<(TaskId, TaskId)> = self
            .nodes
            .values()
            .filter_map(|node| Some((node.task.id, node.task.parent?)))
            .filter(|(_, parent)| self.nodes.contains_key(parent))
            .collect();
        for (id, parent) in said {
            if let Some(old) = self.nodes.get_mut(&id).and_then(|node| node.parent.replace(parent))
                && let Some(node) = self.nodes.get_mut(&old)
            {
                node.children.retain(|child| *child != id);
            }
            self.roots.retain(|root| *root != id);
            let children = &mut self.nodes.get_mut(&parent).expect("it is known").children;
            if !children.contains(&id) {
                children.push(id);
            }
        }
        self.detach_cycles();
    }
}

/// Where each task stands, sorted by id.
fn places(nodes: &[Node]) -> Vec<(TaskId, usize)> {
    let mut places: Vec<(TaskId, usize)> =
        nodes.iter().enumerate().map(|(place, node)| (node.task.id, place)).collect();
    places.sort_unstable();
    places
}

impl Node {
    pub fn line(&self) -> TaskLine {
        TaskLine { id: self.task.id, number: Some(self.number.clone()), title: self.task.title.clone() }
    }

    /// Where its directory lies, relative to the store.
    pub fn dir(&self) -> &str {
        &self.dir
    }
}

/// The place a task claims among its siblings: the file wins over the name.
fn said_ordinal(node: &Node) -> Option<u32> {
    node.task
        .number
        .filter(|number| (1..=MAX_ORDINAL).contains(number))
        .or_else(|| node.name.number.as_ref().map(Number::ordinal))
}

fn sort_key(node: &Node) -> (bool, Option<i64>, &Number, TaskId) {
    (node.task.order.is_none(), node.task.order, &node.number, node.task.id)
}
