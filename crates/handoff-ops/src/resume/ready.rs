//! What can be begun next, and why, in the order of the planner.
//!
//! Loading must be fast however many tasks there are. So a plan is made, and every open task read for it, only where few
//! are open; among many they are ranked by what is at hand of each: status, due date, priority and what waits for it.

use std::collections::{BTreeMap, HashSet};

use handoff_model::calendar::WorkCalendar;
use handoff_model::config::Decimal;
use handoff_model::id::TaskId;
use handoff_model::plan::{Next, Plan, PlanInput, PlanTask, PresentDates, Reason, next, plan};
use handoff_model::task::Status;
use handoff_model::time_log;
use handoff_store::{Forest, Node};

use crate::Project;

/// As many open tasks as are planned while somebody waits for a context.
const PLANNED: usize = 300;

/// A task that can be begun now.
pub(super) struct Ready<'a> {
    pub(super) node: &'a Node,
    /// What its other facts do not say
    pub(super) reason: Option<String>,
}

/// The tasks to begin next, the first first.
pub(super) fn ready<'a>(project: &Project, forest: &'a Forest, most: usize) -> Vec<Ready<'a>> {
    let walk = forest.walk();
    let open = walk.iter().filter(|node| node.task.status.is_open()).count();
    let is_planned = open <= PLANNED;
    let (config, zone) = (project.config(), project.zone());
    let calendar = WorkCalendar::new(&config.calendar, &config.assignees);
    let dated = config.milestones.iter().filter_map(|(name, it)| Some((name.as_str().to_owned(), it.date?)));
    let milestones: BTreeMap<_, _> = dated.collect();
    let seen = above_what_is_open(forest, &walk);
    let seen = walk.iter().enumerate().filter(|(_, node)| seen.contains(&node.task.id));
    let tasks: Vec<PlanTask> = if is_planned {
        // A time log that cannot be read says nothing here; whoever asks for a plan is told.
        let intervals = project.store().intervals().map(|(intervals, _)| intervals).unwrap_or_default();
        let spent = time_log::sum(&intervals, &zone).minutes_by_task();
        let multiplier = config.settings.ai_estimate_multiplier.map(Decimal::get);
        let spent_on = |node: &Node| spent.get(&node.task.id).copied().unwrap_or(0);
        seen.map(|(place, node)| PlanTask::of(&node.task, node.parent, place, spent_on(node), multiplier)).collect()
    } else {
        seen.map(|(place, node)| at_hand(node, place)).collect()
    };
    let today = project.now().day_in(&zone);
    let (tasks, calendar, milestones) = (&tasks, &calendar, &milestones);
    let input = PlanInput { tasks, calendar, milestones, today, present: PresentDates::Wished };
    let plan = if is_planned { plan(input) } else { Plan::default() };
    let begins = |next: &Next| forest.get(next.id).filter(|node| node.task.status == Status::Todo);
    // What is begun comes first, and is shown already.
    let begun = tasks.iter().filter(|task| matches!(task.status, Status::InProgress | Status::Review)).count();
    let limit = if is_planned { usize::MAX } else { begun + most };
    let ready: Vec<Next> = next(input, &plan, None, limit).into_iter().filter(|it| begins(it).is_some()).collect();
    // What holds for all of them says nothing about any.
    let all_critical = ready.iter().all(|next| next.reasons.contains(&Reason::Critical));
    let chosen = ready.iter().take(most).filter_map(|next| Some((begins(next)?, next)));
    chosen.map(|(node, next)| Ready { node, reason: in_words(&next.reasons, all_critical) }).collect()
}

/// What is open, and all above it. Of the rest it is not sure what is at hand.
fn above_what_is_open(forest: &Forest, walk: &[&Node]) -> HashSet<TaskId> {
    let mut seen = HashSet::new();
    for node in walk.iter().filter(|node| node.task.status.is_open()) {
        let mut at = Some(*node);
        while let Some(node) = at.filter(|node| seen.insert(node.task.id)) {
            at = node.parent.and_then(|parent| forest.get(parent));
        }
    }
    seen
}

/// What is known of a task without reading all of it.
fn at_hand(node: &Node, place: usize) -> PlanTask {
    PlanTask {
        id: node.task.id,
        parent: node.parent,
        status: node.task.status,
        priority: node.task.priority,
        work: None,
        dependencies: node.task.dependencies.clone(),
        assignee: None,
        start: None,
        due: node.task.due_date,
        pinned: false,
        milestone: None,
        place,
    }
}

/// The reasons that stand nowhere else: priority and due date are told with the task.
fn in_words(reasons: &[Reason], all_critical: bool) -> Option<String> {
    let word = |reason: &Reason| match reason {
        Reason::Pressing { .. } | Reason::Unblocks { .. } => Some(reason.to_string()),
        Reason::Critical => (!all_critical).then(|| "critical".to_owned()),
        Reason::Begun
        | Reason::Overdue { .. }
        | Reason::DueToday
        | Reason::Priority { .. }
        | Reason::Due { .. }
        | Reason::InOrder => None,
    };
    let words: Vec<String> = reasons.iter().filter_map(word).collect();
    (!words.is_empty()).then(|| words.join(", "))
}
