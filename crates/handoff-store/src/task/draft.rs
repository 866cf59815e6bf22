//! Putting a task tree together from what was found on disk.
//!
//! Tasks stand in a list sorted by id and know each other by their place in it: after a change all of it is done anew,
//! and with thousands of tasks looking them up by id would be most of the work.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use handoff_model::MAX_DEPTH;
use handoff_model::id::TaskId;
use handoff_model::name::Layout;
use handoff_model::number::{MAX_ORDINAL, Number};
use handoff_model::problem::Problem;
use handoff_model::task::Status;

use super::dir::Said;
use super::forest::{Forest, Node};
use super::scan::Scan;

/// A forest that is being put together.
#[derive(Default)]
pub(super) struct Draft {
    /// Sorted by id
    nodes: Vec<Node>,
    above: Vec<Option<usize>>,
    below: Vec<Vec<usize>>,
    tops: Vec<usize>,
    aside: BTreeMap<Status, usize>,
    problems: Vec<Problem>,
    has_lagging_name: bool,
    failed: Option<(String, std::io::Error)>,
}

/// Which of the tasks found are shown.
struct Chosen {
    /// For each task found the place of its id among those that are shown, sorted by id
    places: Vec<usize>,
    /// Where each goes: those that are shown to their places, the others behind them
    order: Vec<usize>,
    count: usize,
}

impl Draft {
    pub(super) fn of(scan: Scan, layout: Layout) -> Draft {
        let Scan { tasks, enclosing, aside, problems, failed } = scan;
        let mut draft = Draft { nodes: tasks, aside, problems, failed, ..Draft::default() };
        let Chosen { places, order, count } = draft.choose_copies();
        let mut around = vec![None; count];
        for (enclosing, place) in enclosing.into_iter().zip(&order).filter(|(_, place)| **place < count) {
            around[*place] = enclosing.map(|index| places[index]);
        }
        rearrange(&mut draft.nodes, order);
        draft.nodes.truncate(count);
        let known: Vec<TaskId> = draft.nodes.iter().map(|node| node.task.id).collect();
        draft.above =
            around.into_iter().enumerate().map(|(index, around)| draft.above(index, around, &known)).collect();
        draft.below.resize_with(draft.nodes.len(), Vec::new);
        draft.detach_cycles();
        draft.link();
        draft.number_all(layout);
        draft.problems.sort();
        draft.problems.dedup();
        draft
    }

    /// Of several directories with one id, the one touched last is shown.
    fn choose_copies(&mut self) -> Chosen {
        let tasks = &self.nodes;
        let mut sorted: Vec<(u64, usize)> =
            tasks.iter().enumerate().map(|(index, node)| (node.task.id.as_number(), index)).collect();
        sorted.sort_unstable();
        let (mut places, mut order) = (vec![0; tasks.len()], vec![0; tasks.len()]);
        let (mut count, mut end) = (0, tasks.len());
        for copies in sorted.chunk_by_mut(|one, next| one.0 == next.0) {
            if copies.len() > 1 {
                let age = |index: usize| (tasks[index].task.last_touched(), Reverse(&*tasks[index].dir));
                copies.sort_by(|one, other| age(one.1).cmp(&age(other.1)));
            }
            for (_, index) in copies.iter() {
                places[*index] = count;
            }
            let [others @ .., (_, best)] = copies else { continue };
            for (_, other) in others {
                let reason = format!(
                    "has the id `{}` of {} too; that one was touched last and is shown, this one is kept aside",
                    tasks[*best].task.id, &*tasks[*best].dir
                );
                self.problems.push(Problem::mended(&*tasks[*other].dir, reason));
                end -= 1;
                order[*other] = end;
            }
            order[*best] = count;
            count += 1;
        }
        Chosen { places, order, count }
    }

    /// The enclosing task directory; the field counts only where there is none.
    fn above(&mut self, index: usize, around: Option<usize>, known: &[TaskId]) -> Option<usize> {
        let node = &self.nodes[index];
        let enclosing = around.filter(|place| *place != index);
        let mut mended = |reason: &str| self.problems.push(Problem::mended(&*node.dir, reason));
        if enclosing.is_some() {
            if node.orphaned {
                mended("the directory around it has no readable task; shown one level up");
            }
            return enclosing;
        }
        match node.task.parent {
            Some(parent) => {
                let above = known.binary_search(&parent).ok().filter(|above| *above != index);
                if above.is_none() {
                    mended(&format!("its parent `{parent}` is not there; shown at the top"));
                }
                above
            }
            None => {
                if node.orphaned {
                    mended("the directory around it has no readable task; shown at the top");
                }
                None
            }
        }
    }

    /// Two branches may each have put a task under the other; one that says so by its field goes to the top.
    fn detach_cycles(&mut self) {
        let mut is_safe = vec![false; self.nodes.len()];
        let mut path: Vec<usize> = Vec::new();
        for index in 0..self.nodes.len() {
            path.clear();
            let mut at = Some(index);
            while let Some(here) = at.filter(|here| !is_safe[*here]) {
                if let Some(start) = path.iter().position(|seen| *seen == here) {
                    self.detach_one(&path[start..]);
                    break;
                }
                path.push(here);
                at = self.above[here];
            }
            for index in &path {
                is_safe[*index] = true;
            }
        }
    }

    fn detach_one(&mut self, cycle: &[usize]) {
        let id = |index: usize| self.nodes[index].task.id;
        let by_field = |index: &&usize| self.nodes[**index].task.parent == self.above[**index].map(id);
        let Some(&index) = cycle.iter().filter(by_field).min().or(cycle.iter().min()) else { return };
        let reason = "it lies under itself by its `parent` field; shown at the top";
        self.problems.push(Problem::mended(&*self.nodes[index].dir, reason));
        if let Some(above) = self.above[index].take() {
            self.below[above].retain(|child| *child != index);
        }
    }

    fn link(&mut self) {
        for (index, above) in self.above.iter().enumerate() {
            match above {
                None => self.tops.push(index),
                Some(above) => self.below[*above].push(index),
            }
        }
    }

    /// Gives all tasks their numbers and their order, from the top down.
    fn number_all(&mut self, layout: Layout) {
        let mut tops = std::mem::take(&mut self.tops);
        let mut open = self.number_siblings(None, &mut tops, layout);
        self.tops = tops;
        while let Some(above) = open.pop() {
            let mut below = std::mem::take(&mut self.below[above]);
            open.extend(self.number_siblings(Some(above), &mut below, layout));
            self.below[above] = below;
        }
    }

    /// Numbers and sorts those under one task; returns those of them that have others under them.
    fn number_siblings(&mut self, above: Option<usize>, siblings: &mut [usize], layout: Layout) -> Vec<usize> {
        let above = above.map(|above| self.nodes[above].number.clone());
        if self.sort_plain(siblings) {
            for &index in &*siblings {
                let ordinal = said_ordinal(&self.nodes[index]).expect("plain ones say theirs");
                let number = Number::under(above.as_ref(), ordinal);
                self.check_name(index, &number, layout);
                self.nodes[index].number = number;
            }
            return siblings.iter().copied().filter(|index| !self.below[*index].is_empty()).collect();
        }
        let ordinals = self.ordinals(siblings);
        for (&index, &ordinal) in siblings.iter().zip(&ordinals) {
            let node = &self.nodes[index];
            // Below a damaged task the name still tells the whole number; a shorter one could be the damaged one's.
            let is_told = node.orphaned && node.task.number.is_none();
            let told = is_told.then(|| node.dir.told_number()).flatten();
            let number = told.unwrap_or_else(|| Number::under(above.as_ref(), ordinal));
            self.check_name(index, &number, layout);
            self.nodes[index].number = number;
        }
        siblings.sort_by(|a, b| sort_key(&self.nodes[*a]).cmp(&sort_key(&self.nodes[*b])));
        siblings.iter().copied().filter(|index| !self.below[*index].is_empty()).collect()
    }

    /// Sorts siblings of whom each says another place and nothing else counts, which nearly all are. The others are left
    /// alone.
    fn sort_plain(&self, siblings: &mut [usize]) -> bool {
        let ordinal = |index: &usize| {
            let node = &self.nodes[*index];
            said_ordinal(node).filter(|_| !node.orphaned && node.task.order.is_none()).map(|ordinal| (ordinal, *index))
        };
        let Some(mut order) = siblings.iter().map(ordinal).collect::<Option<Vec<_>>>() else { return false };
        order.sort_unstable();
        let is_plain = order.windows(2).all(|pair| pair[0].0 != pair[1].0);
        if is_plain {
            siblings.iter_mut().zip(order).for_each(|(place, (_, index))| *place = index);
        }
        is_plain
    }

    /// The place of each sibling: what its file says, else its name, else the next free one.
    fn ordinals(&mut self, siblings: &[usize]) -> Vec<u32> {
        let said: Vec<Option<u32>> = siblings.iter().map(|index| said_ordinal(&self.nodes[*index])).collect();
        let mut next = said.iter().flatten().copied().max().unwrap_or(0);
        let mut ordinals = vec![0; siblings.len()];
        let mut holders: Vec<(u32, usize)> = Vec::with_capacity(siblings.len());
        let mut by_age: Vec<usize> = (0..siblings.len()).collect();
        by_age.sort_by_key(|&place| (self.nodes[siblings[place]].task.created_at, siblings[place]));
        for place in by_age {
            ordinals[place] = said[place].unwrap_or_else(|| {
                next = next.saturating_add(1);
                next
            });
            let node = &self.nodes[siblings[place]];
            // One below a damaged task stands among them, but its number counts elsewhere.
            if !node.orphaned || node.said.ordinal.is_none() {
                holders.push((ordinals[place], siblings[place]));
            }
        }
        holders.sort_by_key(|(ordinal, _)| *ordinal);
        for holders in holders.chunk_by(|one, next| one.0 == next.0) {
            let (ordinal, first) = holders[0];
            let first = self.nodes[first].task.id;
            for (_, other) in &holders[1..] {
                let reason = format!("has the number {ordinal} that its sibling `{first}` has too; use the id");
                self.problems.push(Problem::mended(&*self.nodes[*other].dir, reason));
            }
        }
        ordinals
    }

    fn check_name(&mut self, index: usize, number: &Number, layout: Layout) {
        let node = &self.nodes[index];
        if number.ordinals().len() > MAX_DEPTH {
            let reason = format!("lies {} levels deep; at most {MAX_DEPTH} are allowed", number.ordinals().len());
            self.problems.push(Problem::mended(&*node.dir, reason));
        }
        let Said { ordinal, status } = node.said;
        if layout == Layout::Status && ordinal.is_some() && status != Some(node.task.status) {
            let reason = format!(
                "the name of the directory says another status than the file, which says `{}`; the file counts",
                node.task.status
            );
            self.problems.push(Problem::mended(&*node.dir, reason));
            self.has_lagging_name = true;
        }
    }

    /// Lets the `parent` fields count where the directories only tell that tasks were deleted together.
    pub(super) fn prefer_parent_fields(&mut self) {
        for index in 0..self.nodes.len() {
            let said = self.nodes[index].task.parent;
            let Some(above) = said.and_then(|id| self.nodes.binary_search_by_key(&id, |node| node.task.id).ok()) else {
                continue;
            };
            if let Some(old) = self.above[index].replace(above) {
                self.below[old].retain(|child| *child != index);
            }
            self.tops.retain(|top| *top != index);
            self.below[above].push(index);
        }
        self.detach_cycles();
    }

    /// Puts the tasks in the order they are shown.
    pub(super) fn finish(self) -> Forest {
        let Draft { mut nodes, above, below, tops, aside, problems, has_lagging_name, failed } = self;
        let ids: Vec<TaskId> = nodes.iter().map(|node| node.task.id).collect();
        let mut order = vec![usize::MAX; nodes.len()];
        let mut reachable = 0;
        let mut open: Vec<usize> = tops.iter().rev().copied().collect();
        while let Some(index) = open.pop() {
            order[index] = reachable;
            reachable += 1;
            open.extend(below[index].iter().rev());
        }
        for (next, place) in (reachable..).zip(order.iter_mut().filter(|place| **place == usize::MAX)) {
            *place = next;
        }
        for (index, node) in nodes.iter_mut().enumerate() {
            node.parent = above[index].map(|above| ids[above]);
            node.children = below[index].iter().map(|child| ids[*child]).collect();
        }
        let places = ids.iter().copied().zip(order.iter().copied()).collect();
        rearrange(&mut nodes, order);
        let roots = tops.iter().map(|top| ids[*top]).collect();
        Forest { nodes, reachable, places, roots, aside, problems, has_lagging_name, failed }
    }
}

/// Puts each where it goes, which must be another place for each.
fn rearrange(nodes: &mut [Node], mut order: Vec<usize>) {
    for index in 0..nodes.len() {
        while order[index] != index {
            let place = order[index];
            nodes.swap(index, place);
            order.swap(index, place);
        }
    }
}

/// The place a task claims among its siblings: the file wins over the name.
fn said_ordinal(node: &Node) -> Option<u32> {
    node.task.number.filter(|number| (1..=MAX_ORDINAL).contains(number)).or(node.said.ordinal)
}

fn sort_key(node: &Node) -> (bool, Option<i64>, &Number, TaskId) {
    (node.task.order.is_none(), node.task.order, &node.number, node.task.id)
}
