//! The tasks as a graph of events, and what each leaf is taken for.
//!
//! A leaf is one node. A parent is two, its beginning and its end, so that a dependency between two parents with
//! thousands of leaves is one edge. Finished leaves have no edges: they wait for nothing and hold up nothing.

use std::collections::{BTreeMap, HashMap};

use super::lane::Position;
use super::{PlanInput, PlanTask, PresentDates, Problem, UNESTIMATED_MINUTES};
use crate::id::TaskId;
use crate::task::{Priority, Status};
use crate::when::Day;

/// No tree is deeper; one that seems so goes in circles.
const DEEPEST: usize = 64;

/// What a task comes after in the choice of the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Begun,
    Pressing,
    Open,
    Blocked,
    /// Pinned, but to nothing
    Undated,
}

/// An open leaf.
pub(super) struct Leaf<'a> {
    pub(super) task: &'a PlanTask,
    pub(super) node: usize,
    /// Whose it is: an index of [`Graph::people`]
    pub(super) lane: usize,
    pub(super) work: u64,
    pub(super) rank: Rank,
    pub(super) priority: u8,
    pub(super) wished_start: Option<Day>,
    pub(super) wished_end: Option<Day>,
    /// The earliest date of the milestones it counts for
    pub(super) milestone: Option<Day>,
    /// Its pinned days, when it is pinned, with the minutes on them
    pub(super) pinned: Option<Pinned>,
    pub(super) deadline: Option<Position>,
    /// Days after today from which it is pressing
    pub(super) pressing: Option<i32>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Pinned {
    pub(super) start: i32,
    pub(super) end: i32,
    pub(super) days: Vec<(i32, u32)>,
}

pub(super) struct Graph<'a> {
    /// Each task once
    pub(super) tasks: Vec<&'a PlanTask>,
    pub(super) leaves: Vec<Leaf<'a>>,
    /// The leaf of a node
    pub(super) leaf_of: Vec<Option<usize>>,
    pub(super) after: Vec<Vec<usize>>,
    /// Nodes in an order in which none comes before what it waits for; without those on cycles and after them
    pub(super) order: Vec<usize>,
    pub(super) people: Vec<Option<&'a str>>,
    /// The place of each task's parent in `tasks`
    pub(super) parents: Vec<Option<usize>>,
    pub(super) is_parent: Vec<bool>,
    pub(super) today: Day,
}

impl<'a> Graph<'a> {
    pub(super) fn new(input: &PlanInput<'a>) -> Self {
        let mut index: HashMap<TaskId, usize> = HashMap::new();
        let mut tasks: Vec<&PlanTask> = Vec::new();
        for task in input.tasks {
            index.entry(task.id).or_insert_with(|| {
                tasks.push(task);
                tasks.len() - 1
            });
        }
        let parents: Vec<Option<usize>> =
            tasks.iter().map(|task| task.parent.and_then(|parent| index.get(&parent).copied())).collect();
        let mut is_parent = vec![false; tasks.len()];
        for &parent in parents.iter().flatten() {
            is_parent[parent] = true;
        }
        let mut graph = Graph {
            leaf_of: vec![None; tasks.len() * 2],
            after: vec![Vec::new(); tasks.len() * 2],
            tasks,
            leaves: Vec::new(),
            order: Vec::new(),
            people: Vec::new(),
            parents,
            is_parent,
            today: input.today,
        };
        graph.find_leaves(input);
        graph.connect(&index);
        graph.sort();
        graph
    }

    /// A task and its parents, the nearest first.
    pub(super) fn line(&self, task: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(task), |&at| self.parents[at]).take(DEEPEST)
    }

    fn find_leaves(&mut self, input: &PlanInput<'a>) {
        let mut people: BTreeMap<Option<&'a str>, usize> = BTreeMap::new();
        for (index, &task) in self.tasks.iter().enumerate() {
            if self.is_parent[index] || task.status.is_finished() {
                continue;
            }
            let line: Vec<&'a PlanTask> = self.line(index).map(|at| self.tasks[at]).collect();
            let who = line.iter().find_map(|task| task.assignee.as_deref());
            let priority = line.iter().find_map(|task| task.priority).unwrap_or(Priority::Medium);
            let dates = line.iter().filter_map(|task| input.milestones.get(task.milestone.as_ref()?)).copied();
            let begun = matches!(task.status, Status::InProgress | Status::Review);
            let wished = input.present == PresentDates::Wished || task.pinned;
            let undated = task.pinned && task.start.is_none() && task.due.is_none();
            let next = people.len();
            self.leaf_of[index] = Some(self.leaves.len());
            self.leaves.push(Leaf {
                task,
                node: index,
                lane: *people.entry(who).or_insert(next),
                work: u64::from(task.work.unwrap_or(UNESTIMATED_MINUTES)),
                rank: match task.status {
                    _ if undated => Rank::Undated,
                    Status::InProgress | Status::Review => Rank::Begun,
                    Status::Blocked => Rank::Blocked,
                    Status::Todo | Status::Done | Status::Skipped => Rank::Open,
                },
                priority: match priority {
                    Priority::High => 0,
                    Priority::Medium => 1,
                    Priority::Low => 2,
                },
                wished_start: task.start.filter(|_| wished || begun),
                wished_end: line.iter().find_map(|task| task.due).filter(|_| wished && !undated),
                milestone: dates.min(),
                pinned: None,
                deadline: None,
                pressing: None,
            });
        }
        self.people = vec![None; people.len()];
        for (who, lane) in people {
            self.people[lane] = who;
        }
    }

    fn end_of(&self, task: usize) -> usize {
        if self.is_parent[task] { self.tasks.len() + task } else { task }
    }

    fn connect(&mut self, index: &HashMap<TaskId, usize>) {
        let waits = |graph: &Graph<'_>, task: usize| graph.is_parent[task] || graph.leaf_of[task].is_some();
        for task in 0..self.tasks.len() {
            if !waits(self, task) {
                continue;
            }
            let known = self.tasks[task].dependencies.iter().filter_map(|dependency| index.get(dependency).copied());
            for dependency in known.collect::<Vec<_>>() {
                if waits(self, dependency) {
                    let end = self.end_of(dependency);
                    self.after[end].push(task);
                }
            }
            if let Some(parent) = self.parents[task] {
                self.after[parent].push(task);
                let (end, end_of_parent) = (self.end_of(task), self.end_of(parent));
                self.after[end].push(end_of_parent);
            }
        }
    }

    pub(super) fn waiting(&self) -> Vec<u32> {
        let mut waiting = vec![0; self.after.len()];
        for &node in self.after.iter().flatten() {
            waiting[node] += 1;
        }
        waiting
    }

    fn sort(&mut self) {
        let mut waiting = self.waiting();
        let mut order: Vec<usize> = (0..self.after.len()).filter(|&node| waiting[node] == 0).collect();
        let mut done = 0;
        while let Some(&node) = order.get(done) {
            done += 1;
            for &next in &self.after[node] {
                waiting[next] -= 1;
                if waiting[next] == 0 {
                    order.push(next);
                }
            }
        }
        self.order = order;
    }

    /// The cycles of dependencies, each from a task back to itself.
    pub(super) fn cycles(&self) -> Vec<Problem> {
        let mut sorted = vec![false; self.after.len()];
        for &node in &self.order {
            sorted[node] = true;
        }
        // Every node that was not sorted waits for another such node, so going back ends on a cycle.
        let mut waits_for: Vec<Option<usize>> = vec![None; self.after.len()];
        for node in (0..self.after.len()).filter(|&node| !sorted[node]) {
            for &next in &self.after[node] {
                waits_for[next].get_or_insert(node);
            }
        }
        let mut seen = vec![0_usize; self.after.len()];
        let mut found = Vec::new();
        for start in (0..self.after.len()).filter(|&node| !sorted[node]) {
            let mut at = start;
            while seen[at] == 0 {
                seen[at] = start + 1;
                let Some(next) = waits_for[at] else { break };
                at = next;
            }
            if seen[at] == start + 1 && !found.iter().any(|cycle: &Vec<TaskId>| cycle.contains(&self.id_of(at))) {
                found.push(self.cycle_through(at, &waits_for));
            }
        }
        found.into_iter().map(|tasks| Problem::Cycle { tasks }).collect()
    }

    fn id_of(&self, node: usize) -> TaskId {
        self.tasks[node % self.tasks.len()].id
    }

    fn cycle_through(&self, node: usize, waits_for: &[Option<usize>]) -> Vec<TaskId> {
        let mut cycle = vec![self.id_of(node)];
        let mut at = waits_for[node];
        while let Some(next) = at.filter(|&next| next != node) {
            if cycle.last() != Some(&self.id_of(next)) {
                cycle.push(self.id_of(next));
            }
            at = waits_for[next];
        }
        if cycle.len() == 1 || cycle.last() != Some(&cycle[0]) {
            cycle.push(cycle[0]);
        }
        cycle
    }
}

/// The start of a task: what is begun keeps the start that it has, unless it lies after the planned one.
pub(super) fn begun_start(task: &PlanTask, planned: Option<Day>) -> Option<Day> {
    match (task.status, task.start) {
        (Status::InProgress | Status::Review, Some(start)) => Some(planned.map_or(start, |planned| planned.min(start))),
        _ => planned,
    }
}
