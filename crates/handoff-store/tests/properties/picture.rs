//! A picture of a store in memory: what it should hold, with none of how it holds it.

use std::collections::BTreeMap;

use handoff_model::id::TaskId;
use handoff_model::number::Number;
use handoff_model::task::Status;
use handoff_store::Forest;

/// A task as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) title: String,
    pub(crate) status: Status,
    pub(crate) parent: Option<TaskId>,
    /// The number it claims; one without gets the next free one
    pub(crate) claim: Option<u32>,
    pub(crate) order: Option<i64>,
}

/// Everything a store should hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Picture {
    pub(crate) tasks: BTreeMap<TaskId, Entry>,
    /// Deleted tasks with all below them; the deleted one first
    pub(crate) trash: Vec<Vec<(TaskId, Entry)>>,
    /// The highest number that was given back, by parent
    floors: BTreeMap<Option<TaskId>, u32>,
}

impl Picture {
    pub(crate) fn ids(&self) -> Vec<TaskId> {
        self.tasks.keys().copied().collect()
    }

    pub(crate) fn children(&self, parent: Option<TaskId>) -> Vec<TaskId> {
        self.tasks.iter().filter(|(_, entry)| entry.parent == parent).map(|(id, _)| *id).collect()
    }

    /// The number of each child of a parent: the claimed one, else the next after all claims, in the order of ids.
    fn ordinals(&self, parent: Option<TaskId>) -> BTreeMap<TaskId, u32> {
        let children = self.children(parent);
        let mut next = children.iter().filter_map(|id| self.tasks[id].claim).max().unwrap_or(0);
        let mut ordinals = BTreeMap::new();
        for id in children {
            let ordinal = self.tasks[&id].claim.unwrap_or_else(|| {
                next += 1;
                next
            });
            ordinals.insert(id, ordinal);
        }
        ordinals
    }

    pub(crate) fn ordinal(&self, id: TaskId) -> u32 {
        self.ordinals(self.tasks[&id].parent)[&id]
    }

    pub(crate) fn number(&self, id: TaskId) -> Number {
        let above = self.tasks[&id].parent.map(|parent| self.number(parent));
        Number::under(above.as_ref(), self.ordinal(id))
    }

    /// The number the next child of a parent gets.
    pub(crate) fn next(&self, parent: Option<TaskId>) -> u32 {
        let highest = self.ordinals(parent).values().copied().max().unwrap_or(0);
        highest.max(self.floors.get(&parent).copied().unwrap_or(0)) + 1
    }

    pub(crate) fn subtree(&self, id: TaskId) -> Vec<TaskId> {
        let mut found = vec![id];
        let mut index = 0;
        while index < found.len() {
            found.extend(self.children(Some(found[index])));
            index += 1;
        }
        found
    }

    pub(crate) fn create(&mut self, id: TaskId, title: &str, parent: Option<TaskId>, given: u32) {
        self.check_given(parent, given);
        let entry = Entry { title: title.to_owned(), status: Status::Todo, parent, claim: Some(given), order: None };
        self.tasks.insert(id, entry);
    }

    /// A number is given out once. Where a directory without one lies, which counts as the last, a gap is all right.
    fn check_given(&self, parent: Option<TaskId>, given: u32) {
        let claims: Vec<Option<u32>> = self.children(parent).iter().map(|id| self.tasks[id].claim).collect();
        if claims.iter().all(Option::is_some) {
            assert_eq!(given, self.next(parent), "the next number");
        }
        let floor = self.floors.get(&parent).copied().unwrap_or(0);
        assert!(claims.into_iter().flatten().chain([floor]).all(|taken| taken < given), "{given} is given out again");
    }

    /// Whoever is written gets a name with the number it has.
    pub(crate) fn settle(&mut self, id: TaskId) {
        let ordinal = self.ordinal(id);
        if let Some(entry) = self.tasks.get_mut(&id) {
            entry.claim = Some(ordinal);
        }
    }

    pub(crate) fn settle_all(&mut self) {
        self.ids().into_iter().for_each(|id| self.settle(id));
    }

    fn give_back(&mut self, id: TaskId) {
        let ordinal = self.ordinal(id);
        let floor = self.floors.entry(self.tasks[&id].parent).or_default();
        *floor = ordinal.max(*floor);
    }

    pub(crate) fn move_to(&mut self, id: TaskId, parent: Option<TaskId>, given: u32) {
        self.check_given(parent, given);
        self.give_back(id);
        self.subtree(id).into_iter().for_each(|id| self.settle(id));
        let entry = self.tasks.get_mut(&id).unwrap();
        (entry.parent, entry.claim, entry.order) = (parent, Some(given), None);
    }

    pub(crate) fn delete(&mut self, id: TaskId) {
        self.give_back(id);
        let subtree = self.subtree(id);
        for &id in &subtree {
            self.settle(id);
        }
        let entry = subtree.into_iter().map(|id| (id, self.tasks.remove(&id).unwrap())).collect();
        self.trash.push(entry);
    }

    /// Brings a deleted task back under its old parent, where that still is, and with its old number, where that is free.
    pub(crate) fn restore(&mut self, index: usize, given: u32) {
        let mut tasks = self.trash.remove(index);
        let old = &tasks[0].1;
        let parent = old.parent.filter(|parent| self.tasks.contains_key(parent));
        let is_taken = self.ordinals(parent).values().any(|&ordinal| Some(ordinal) == old.claim);
        if parent == old.parent && !is_taken {
            assert_eq!(Some(given), old.claim);
        } else {
            self.check_given(parent, given);
        }
        (tasks[0].1.parent, tasks[0].1.claim) = (parent, Some(given));
        self.tasks.extend(tasks);
    }

    /// `local/` was deleted, with the trash and the memory of numbers given back.
    pub(crate) fn forget_local(&mut self) {
        self.floors.clear();
        self.trash.clear();
    }

    /// What a walk through the forest should show.
    pub(crate) fn walk(&self) -> Vec<String> {
        let mut lines = Vec::new();
        self.walk_below(None, &mut lines);
        lines
    }

    fn walk_below(&self, parent: Option<TaskId>, lines: &mut Vec<String>) {
        let mut children = self.children(parent);
        children.sort_by_key(|id| {
            let entry = &self.tasks[id];
            (entry.order.is_none(), entry.order, self.ordinal(*id), *id)
        });
        for id in children {
            let Entry { title, status, order, .. } = &self.tasks[&id];
            lines.push(line(id, &self.number(id), title, *status, *order, parent));
            self.walk_below(Some(id), lines);
        }
    }
}

/// What a walk through the forest shows.
pub(crate) fn walk(forest: &Forest) -> Vec<String> {
    let show = |node: &&handoff_store::Node| {
        let task = &node.task;
        line(task.id, &node.number, &task.title, task.status, task.order, node.parent)
    };
    forest.walk().iter().map(show).collect()
}

fn line(
    id: TaskId,
    number: &Number,
    title: &str,
    status: Status,
    order: Option<i64>,
    parent: Option<TaskId>,
) -> String {
    format!("{number} {id} {status} {title:?} order {order:?} under {parent:?}")
}
