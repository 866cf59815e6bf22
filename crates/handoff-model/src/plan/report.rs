//! A finished plan in the words of its callers: days, parents, milestones, and what would change.

use std::collections::{BTreeMap, HashSet};

use super::graph::{Graph, Rank, begun_start};
use super::lane::Lanes;
use super::place::Placed;
use super::slack::Slack;
use super::{
    DateChange, DayWork, Forecast, Plan, PlanInput, PlanTask, PlannedParent, PlannedTask, Problem, UNESTIMATED_MINUTES,
};
use crate::task::Status;
use crate::when::Day;

pub(super) fn write(
    input: &PlanInput<'_>,
    graph: &Graph<'_>,
    lanes: &mut Lanes<'_>,
    placed: &Placed,
    slack: &Slack,
    problems: Vec<Problem>,
) -> Plan {
    let mut tasks = leaves(graph, lanes, placed, slack);
    let mut plan = Plan {
        parents: parents(graph, &tasks),
        critical_path: slack.critical_path.iter().map(|&leaf| graph.leaves[leaf].task.id).collect(),
        end: slack.end.map(|day| lanes.day(day)),
        milestones: forecasts(input, graph, &tasks),
        changes: Vec::new(),
        problems,
        tasks: Vec::new(),
    };
    plan.changes = changes(graph, &tasks, &plan.parents);
    for forecast in &plan.milestones {
        if let (Some(end), Some(last), 1..) = (forecast.end, forecast.last, forecast.late_days) {
            let (milestone, date, late_days) = (forecast.milestone.clone(), forecast.date, forecast.late_days);
            plan.problems.push(Problem::MilestoneLate { milestone, date, end, last, late_days });
        }
    }
    plan.problems.extend(late(graph, &plan.changes));
    plan.problems.extend(without_a_place(graph, placed, &plan.problems));
    let undated = graph.leaves.iter().filter(|leaf| leaf.rank == Rank::Undated);
    plan.problems.extend(undated.map(|leaf| Problem::PinnedToNothing { task: leaf.task.id }));
    let unestimated: Vec<_> =
        graph.leaves.iter().filter(|leaf| leaf.task.work.is_none()).map(|leaf| leaf.task.id).collect();
    if !unestimated.is_empty() {
        plan.problems.push(Problem::Unestimated { tasks: unestimated, minutes: UNESTIMATED_MINUTES });
    }
    tasks.sort_by_key(|(_, index, planned)| (graph.tasks[*index].place, planned.id));
    plan.tasks = tasks.into_iter().map(|(_, _, planned)| planned).collect();
    plan
}

/// The leaves that end later than they are due now. What a plan writes is no longer late, so this is told before.
fn late(graph: &Graph<'_>, changes: &[DateChange]) -> Option<Problem> {
    let leaves: HashSet<_> = graph.leaves.iter().map(|leaf| leaf.task.id).collect();
    let late = || changes.iter().filter(|change| change.later_days > 0 && leaves.contains(&change.id));
    let most_days = late().map(|change| change.later_days).max()?;
    Some(Problem::Late { tasks: late().map(|change| change.id).collect(), most_days })
}

/// Each placed leaf with its number among the leaves and among the tasks.
type Leaves = Vec<(usize, usize, PlannedTask)>;

fn leaves(graph: &Graph<'_>, lanes: &mut Lanes<'_>, placed: &Placed, slack: &Slack) -> Leaves {
    let mut tasks = Vec::new();
    let deciding: HashSet<usize> = slack.critical_path.iter().copied().collect();
    for (index, (leaf, spot)) in graph.leaves.iter().zip(&placed.spots).enumerate() {
        let Some(spot) = spot else { continue };
        let days = match &leaf.pinned {
            Some(pinned) => pinned.days.clone(),
            None => lanes.all[leaf.lane].days_of(spot.begin, spot.end),
        };
        let days = days.into_iter().map(|(day, minutes)| DayWork { day: lanes.day(day), minutes }).collect();
        let start = lanes.day(spot.start.day);
        tasks.push((
            index,
            leaf.node,
            PlannedTask {
                id: leaf.task.id,
                who: graph.people[leaf.lane].map(str::to_owned),
                start: begun_start(leaf.task, Some(start)).unwrap_or(start),
                end: lanes.day(spot.finish.day),
                days,
                slack_minutes: slack.minutes[index],
                critical: slack.minutes[index] == Some(0) || deciding.contains(&index),
                pressing_from: leaf.pressing.map(|day| lanes.day(day)),
                pinned: leaf.pinned.is_some(),
            },
        ));
    }
    tasks
}

/// The dates of each leaf: planned where it has a place, else as they are; none for what is skipped.
fn dates_of_leaves(graph: &Graph<'_>, tasks: &Leaves) -> Vec<(Option<Day>, Option<Day>)> {
    let shown = |task: &&PlanTask| if task.status == Status::Skipped { (None, None) } else { (task.start, task.due) };
    let mut dates: Vec<_> = graph.tasks.iter().map(shown).collect();
    for (_, task, planned) in tasks {
        dates[*task] = (Some(planned.start), Some(planned.end));
    }
    dates
}

fn parents(graph: &Graph<'_>, tasks: &Leaves) -> Vec<PlannedParent> {
    let dates = dates_of_leaves(graph, tasks);
    let parent = |task: &&PlanTask| PlannedParent { id: task.id, start: None, end: None, minutes: 0 };
    let mut sums: Vec<PlannedParent> = graph.tasks.iter().map(parent).collect();
    for (leaf, &(start, end)) in dates.iter().enumerate().filter(|(task, _)| !graph.is_parent[*task]) {
        let work = graph.leaf_of[leaf].map_or(0, |leaf| graph.leaves[leaf].work);
        for parent in graph.line(leaf).skip(1) {
            let sum = &mut sums[parent];
            sum.start = sum.start.into_iter().chain(start.or(end)).min();
            sum.end = sum.end.into_iter().chain(end.or(start)).max();
            sum.minutes += work;
        }
    }
    let mut parents: Vec<(usize, PlannedParent)> =
        sums.into_iter().enumerate().filter(|(task, _)| graph.is_parent[*task]).collect();
    parents.sort_by_key(|(task, parent)| (graph.tasks[*task].place, parent.id));
    parents.into_iter().map(|(_, parent)| parent).collect()
}

fn changes(graph: &Graph<'_>, tasks: &Leaves, parents: &[PlannedParent]) -> Vec<DateChange> {
    let by_id: BTreeMap<_, _> = graph.tasks.iter().map(|task| (task.id, *task)).collect();
    let leaves = tasks.iter().filter(|(_, _, planned)| !planned.pinned);
    let leaves = leaves.map(|(_, _, planned)| (planned.id, Some(planned.start), Some(planned.end)));
    let parents = parents.iter().map(|parent| (parent.id, parent.start, parent.end));
    let mut changes: Vec<(usize, DateChange)> = leaves
        .chain(parents)
        .filter_map(|(id, start, due)| {
            let task = by_id[&id];
            let moved = task.status.is_open() && !task.pinned && (task.start, task.due) != (start, due);
            let later_days = task.due.zip(due).map_or(0, |(before, after)| before.days_until(after).max(0));
            moved.then(|| {
                let later_days = u32::try_from(later_days).unwrap_or(u32::MAX);
                let change = DateChange { id, start_before: task.start, start, due_before: task.due, due, later_days };
                (task.place, change)
            })
        })
        .collect();
    changes.sort_by_key(|(place, change)| (*place, change.id));
    changes.into_iter().map(|(_, change)| change).collect()
}

fn forecasts(input: &PlanInput<'_>, graph: &Graph<'_>, tasks: &Leaves) -> Vec<Forecast> {
    let ends: BTreeMap<usize, Day> = tasks.iter().map(|(leaf, _, planned)| (*leaf, planned.end)).collect();
    let new = |(milestone, &date): (&String, &Day)| Forecast {
        milestone: milestone.clone(),
        date,
        end: None,
        last: None,
        late_days: 0,
        unplanned: 0,
    };
    let mut all: BTreeMap<&str, Forecast> =
        input.milestones.iter().map(|entry| (entry.0.as_str(), new(entry))).collect();
    for (index, leaf) in graph.leaves.iter().enumerate() {
        let mut names: Vec<&str> =
            graph.line(leaf.node).filter_map(|task| graph.tasks[task].milestone.as_deref()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let Some(forecast) = all.get_mut(name) else { continue };
            match ends.get(&index) {
                None => forecast.unplanned += 1,
                Some(&end) if forecast.end.is_none_or(|last| end > last) => {
                    (forecast.end, forecast.last) = (Some(end), Some(leaf.task.id));
                }
                Some(_) => {}
            }
        }
    }
    let mut all: Vec<Forecast> = all.into_values().collect();
    for forecast in &mut all {
        let late = forecast.end.map_or(0, |end| forecast.date.days_until(end).max(0));
        forecast.late_days = u32::try_from(late).unwrap_or(u32::MAX);
    }
    all.sort_by_key(|forecast| forecast.date);
    all
}

/// The leaves that wait for something without a place, and are not named by another problem.
fn without_a_place(graph: &Graph<'_>, placed: &Placed, problems: &[Problem]) -> Vec<Problem> {
    let mut named: std::collections::BTreeSet<_> = problems
        .iter()
        .flat_map(|problem| match problem {
            Problem::Cycle { tasks } => tasks.clone(),
            Problem::BeyondHorizon { task, .. } => vec![*task],
            _ => Vec::new(),
        })
        .collect();
    let idle: Vec<_> = problems
        .iter()
        .filter_map(|problem| if let Problem::NeverWorks { who, .. } = problem { Some(who.as_deref()) } else { None })
        .collect();
    let left = graph.leaves.iter().zip(&placed.spots).filter(|(_, spot)| spot.is_none()).map(|(leaf, _)| leaf);
    left.filter(|leaf| !idle.contains(&graph.people[leaf.lane]) && named.insert(leaf.task.id))
        .map(|leaf| Problem::AfterUnplanned { task: leaf.task.id })
        .collect()
}
