//! What to do next, and why.
//!
//! A leaf can be done next when it is open, not blocked, not pinned to begin on a later day, and everything it waits for
//! is finished; what its parents wait for counts too. The first is the smallest by, in this order: begun; overdue or due today; pressing by the plan;
//! priority (as in the plan: a parent's where the leaf has none); on the critical path; how many tasks wait for it, the
//! most first; due date; place in the tree; id.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::graph::{Graph, Rank};
use super::{Plan, PlanInput, PlannedTask};
use crate::id::TaskId;
use crate::task::Priority;
use crate::when::Day;

/// Waiting tasks are counted up to here.
const COUNTED: usize = 1_000;

/// A task that can be done now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Next {
    pub id: TaskId,
    pub who: Option<String>,
    /// Why it comes here, the strongest reason first; never empty
    pub reasons: Vec<Reason>,
}

/// Why a task should be done soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Reason {
    Begun,
    Overdue {
        due: Day,
    },
    DueToday,
    /// Its deadline leaves no room for other work
    Pressing {
        since: Day,
    },
    Priority {
        priority: Priority,
    },
    /// When it slips, everything ends later
    Critical,
    /// Open tasks that wait for it, directly or not; counted up to a thousand
    Unblocks {
        tasks: usize,
    },
    Due {
        due: Day,
    },
    /// Nothing but its place in the tree
    InOrder,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Begun => f.write_str("begun"),
            Reason::Overdue { due } => write!(f, "overdue since {due}"),
            Reason::DueToday => f.write_str("due today"),
            Reason::Pressing { .. } => f.write_str("needed for its deadline"),
            Reason::Priority { priority } => write!(f, "{priority} priority"),
            Reason::Critical => f.write_str("critical: everything ends later when it slips"),
            Reason::Unblocks { tasks: 1 } => f.write_str("1 task waits for it"),
            Reason::Unblocks { tasks } if *tasks >= COUNTED => write!(f, "{COUNTED} or more tasks wait for it"),
            Reason::Unblocks { tasks } => write!(f, "{tasks} tasks wait for it"),
            Reason::Due { due } => write!(f, "due {due}"),
            Reason::InOrder => f.write_str("next in order"),
        }
    }
}

/// The tasks that can be done now, the first first, at most `limit` of them; for one person, or for everybody.
///
/// A person is offered what is theirs and what is nobody's. The plan is one of the same input.
pub fn next(input: PlanInput<'_>, plan: &Plan, person: Option<&str>, limit: usize) -> Vec<Next> {
    let graph = Graph::new(&input);
    let planned: HashMap<TaskId, &PlannedTask> = plan.tasks.iter().map(|task| (task.id, task)).collect();
    let critical: HashSet<TaskId> = plan.critical_path.iter().copied().collect();
    let mut waiting = graph.waiting();
    // A parent's beginning waits for the parent's own dependencies alone, so it passes on what is ready.
    let mut open: Vec<usize> = (0..graph.after.len()).filter(|&node| waiting[node] == 0).collect();
    let mut ready: Vec<usize> = Vec::new();
    while let Some(node) = open.pop() {
        if let Some(leaf) = graph.leaf_of[node] {
            ready.push(leaf);
            continue;
        }
        for &after in &graph.after[node] {
            waiting[after] -= 1;
            if waiting[after] == 0 {
                open.push(after);
            }
        }
    }
    let mut counts = Counts::default();
    let mut ranked: Vec<_> = ready
        .into_iter()
        .filter(|&leaf| graph.leaves[leaf].rank != Rank::Blocked)
        .filter(|&leaf| {
            let task = graph.leaves[leaf].task;
            !task.pinned || task.start.is_none_or(|start| start <= input.today)
        })
        .filter(|&leaf| {
            let who = graph.people[graph.leaves[leaf].lane];
            person.is_none() || who.is_none() || who == person
        })
        .map(|index| {
            let leaf = &graph.leaves[index];
            let task = leaf.task;
            let due = task.due.filter(|&due| due <= input.today);
            let pressing = planned.get(&task.id).and_then(|planned| planned.pressing_from);
            let pressing = pressing.filter(|&since| since <= input.today);
            let is_critical = critical.contains(&task.id);
            let unblocks = counts.after(&graph, leaf.node);
            let key = (
                leaf.rank,
                (due.is_none(), due),
                (pressing.is_none(), pressing),
                leaf.priority,
                !is_critical,
                Reverse(unblocks),
                (task.due.is_none(), task.due),
                (task.place, task.id),
            );
            (key, index)
        })
        .collect();
    ranked.sort_unstable_by_key(|(key, _)| *key);
    let told = ranked.into_iter().take(limit).map(|(key, index)| {
        let leaf = &graph.leaves[index];
        let (rank, (_, due), (_, pressing), priority, is_slack, Reverse(unblocks), (_, later), _) = key;
        let mut reasons = Vec::new();
        reasons.extend((rank == Rank::Begun).then_some(Reason::Begun));
        reasons.extend(due.map(|due| if due < input.today { Reason::Overdue { due } } else { Reason::DueToday }));
        reasons.extend(pressing.map(|since| Reason::Pressing { since }));
        reasons.extend((priority == 0).then_some(Reason::Priority { priority: Priority::High }));
        reasons.extend((!is_slack).then_some(Reason::Critical));
        reasons.extend((unblocks > 0).then_some(Reason::Unblocks { tasks: unblocks }));
        reasons.extend(later.filter(|&due| due > input.today).map(|due| Reason::Due { due }));
        if reasons.is_empty() {
            reasons.push(Reason::InOrder);
        }
        Next { id: leaf.task.id, who: graph.people[leaf.lane].map(str::to_owned), reasons }
    });
    told.collect()
}

/// How many open leaves come after nodes, as far as it was asked for.
///
/// Siblings that nothing waits for lead on to the end of their parent alone, and so it is counted from there once.
#[derive(Default)]
struct Counts(HashMap<usize, usize>);

impl Counts {
    fn after(&mut self, graph: &Graph<'_>, node: usize) -> usize {
        match graph.after[node].as_slice() {
            &[only] => {
                let rest = *self.0.entry(only).or_insert_with(|| count_after(graph, only));
                (rest + usize::from(graph.leaf_of[only].is_some())).min(COUNTED)
            }
            _ => count_after(graph, node),
        }
    }
}

/// How many open leaves come after a node.
fn count_after(graph: &Graph<'_>, node: usize) -> usize {
    let mut seen: HashSet<usize> = HashSet::new();
    let mut open = vec![node];
    let mut count = 0;
    while let Some(at) = open.pop() {
        for &after in &graph.after[at] {
            if count < COUNTED && after != node && seen.insert(after) {
                count += usize::from(graph.leaf_of[after].is_some());
                open.push(after);
            }
        }
    }
    count
}
