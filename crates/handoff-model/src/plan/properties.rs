//! What holds for every plan, tried on many small ones.

use proptest::prelude::*;

use super::naive::Naive;
use super::*;
use crate::config::{Assignee, Calendar};
use crate::text::Name;

/// Days of six minutes, so that every minute can be walked.
fn small_calendar() -> WorkCalendar {
    #[derive(serde::Deserialize)]
    struct File {
        calendar: Calendar,
        assignees: BTreeMap<Name, Assignee>,
    }
    let file: File = toml::from_str(
        r#"
        [calendar]
        work_hours_per_day = 0.1
        closed_dates = [2026-11-19]
        day_hours = { 2026-11-17 = 0.05 }
        [assignees.ann]
        work_hours_per_day = 0.0667
        [assignees.bob]
        closed_weekdays = ["wed", "sun"]
        closed_dates = [2026-11-20]
        "#,
    )
    .unwrap();
    WorkCalendar::new(&file.calendar, &file.assignees)
}

const TODAY: &str = "2026-11-16";

fn day_near() -> impl Strategy<Value = Day> {
    (-4..16_i64).prop_map(|days| TODAY.parse::<Day>().unwrap().plus(days).unwrap())
}

fn one_task(place: usize) -> impl Strategy<Value = PlanTask> {
    let id = |index: usize| format!("task{index:04}").parse::<TaskId>().unwrap();
    let status = prop_oneof![
        6 => Just(Status::Todo),
        2 => Just(Status::InProgress),
        1 => Just(Status::Review),
        1 => Just(Status::Blocked),
        1 => Just(Status::Done),
        1 => Just(Status::Skipped),
    ];
    let priority = prop_oneof![Just(None), Just(Some(Priority::High)), Just(Some(Priority::Low))];
    let who = prop_oneof![Just(None), Just(Some("ann".to_owned())), Just(Some("bob".to_owned()))];
    let milestone = prop_oneof![
        3 => Just(None),
        1 => Just(Some("near".to_owned())),
        1 => Just(Some("far".to_owned())),
        1 => Just(Some("past".to_owned())),
    ];
    let before = prop::collection::vec(0..place.max(1), 0..3);
    let dates = (prop::option::of(day_near()), prop::option::of(day_near()));
    let parent = prop::option::weighted(0.3, 0..place.max(1));
    (status, priority, who, milestone, before, dates, (0..14_u32, prop::bool::weighted(0.15), parent)).prop_map(
        move |(status, priority, assignee, milestone, before, (start, due), (work, pinned, parent))| PlanTask {
            id: id(place),
            parent: parent.filter(|_| place > 0).map(id),
            status,
            priority,
            work: Some(work),
            dependencies: before.into_iter().filter(|_| place > 0).map(id).collect(),
            assignee,
            start,
            due,
            pinned,
            milestone,
            // Not the order of the ids, so that each counts for itself.
            place: (place * 7) % 11,
        },
    )
}

fn tasks() -> impl Strategy<Value = Vec<PlanTask>> {
    (1..9_usize).prop_flat_map(|count| (0..count).map(one_task).collect::<Vec<_>>())
}

struct Given {
    calendar: WorkCalendar,
    milestones: BTreeMap<String, Day>,
}

impl Given {
    fn new() -> Self {
        let dates = [("near", "2026-11-18"), ("far", "2026-11-27"), ("past", "2026-11-13")];
        Given {
            calendar: small_calendar(),
            milestones: dates.iter().map(|(name, date)| ((*name).to_owned(), date.parse().unwrap())).collect(),
        }
    }

    fn input<'a>(&'a self, tasks: &'a [PlanTask]) -> PlanInput<'a> {
        let (today, present) = (TODAY.parse().unwrap(), PresentDates::Wished);
        PlanInput { tasks, calendar: &self.calendar, milestones: &self.milestones, today, present }
    }
}

fn has_cycle(plan: &Plan) -> bool {
    plan.problems.iter().any(|problem| matches!(problem, Problem::Cycle { .. }))
}

fn apply(tasks: &[PlanTask], plan: &Plan) -> Vec<PlanTask> {
    let mut tasks = tasks.to_vec();
    for change in &plan.changes {
        let task = tasks.iter_mut().find(|task| task.id == change.id).unwrap();
        (task.start, task.due) = (change.start, change.due);
    }
    tasks
}

/// The open leaves that a task and its parents wait for.
fn waits_for(tasks: &[PlanTask], task: &PlanTask) -> Vec<TaskId> {
    let get = |id: TaskId| tasks.iter().find(|task| task.id == id);
    let mut named = Vec::new();
    let mut at = Some(task);
    while let Some(task) = at {
        named.extend(task.dependencies.iter().copied());
        at = task.parent.and_then(get);
    }
    let mut leaves = Vec::new();
    while let Some(id) = named.pop() {
        let children: Vec<TaskId> = tasks.iter().filter(|task| task.parent == Some(id)).map(|task| task.id).collect();
        if children.is_empty() {
            leaves.extend(get(id).filter(|task| task.status.is_open()).map(|task| task.id));
        }
        named.extend(children);
    }
    leaves
}

#[test]
fn ten_thousand_tasks_are_planned_and_planning_them_again_changes_nothing() {
    let id = |number: u32| format!("t{number:07}").parse::<TaskId>().unwrap();
    let today: Day = TODAY.parse().unwrap();
    let one = |number: u32| PlanTask {
        id: id(number),
        parent: (!number.is_multiple_of(10)).then(|| id(number - number % 10)),
        status: Status::Todo,
        priority: [None, Some(Priority::High), Some(Priority::Low)][number as usize % 3],
        work: Some(30 + number % 7 * 45),
        dependencies: if number > 20 && number.is_multiple_of(3) { vec![id(number - 13)] } else { Vec::new() },
        assignee: Some(format!("p{}", number % 8)),
        start: None,
        due: (number % 4 == 1).then(|| today.plus(i64::from(number * 37 % 400)).unwrap()),
        pinned: false,
        milestone: None,
        place: number as usize,
    };
    let tasks: Vec<PlanTask> = (0..10_000).map(one).collect();
    let (calendar, milestones) = (WorkCalendar::default(), BTreeMap::new());
    let planned = |tasks: &[PlanTask]| {
        plan(PlanInput { tasks, calendar: &calendar, milestones: &milestones, today, present: PresentDates::Wished })
    };
    let first = planned(&tasks);
    assert_eq!((first.tasks.len(), first.changes.len()), (9_000, 10_000));
    assert!(
        matches!(first.problems[..], [Problem::Late { .. }]),
        "only what is due too soon: {:?}",
        first.problems.len()
    );
    assert_eq!(planned(&apply(&tasks, &first)).changes, []);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_plan_equals_that_of_the_naive_planner(tasks in tasks()) {
        let given = Given::new();
        let plan = plan(given.input(&tasks));
        if has_cycle(&plan) {
            return Ok(());
        }
        let naive = Naive::plan(given.input(&tasks));
        prop_assert_eq!(plan.tasks.len(), naive.len());
        for task in &plan.tasks {
            let spot = &naive[&task.id];
            let days: BTreeMap<Day, u32> = task.days.iter().map(|work| (work.day, work.minutes)).collect();
            prop_assert_eq!((task.start, task.end, &days), (spot.start, spot.end, &spot.days), "{}", task.id);
        }
    }

    #[test]
    fn planning_a_plan_changes_nothing(tasks in tasks()) {
        let given = Given::new();
        let first = plan(given.input(&tasks));
        let applied = apply(&tasks, &first);
        let second = plan(given.input(&applied));
        prop_assert_eq!(&second.changes, &vec![]);
        prop_assert_eq!(second.tasks, first.tasks);
    }

    #[test]
    fn no_task_begins_before_what_it_waits_for_has_ended(tasks in tasks()) {
        let given = Given::new();
        let plan = plan(given.input(&tasks));
        let ends: BTreeMap<TaskId, Day> = plan.tasks.iter().map(|task| (task.id, task.end)).collect();
        for planned in plan.tasks.iter().filter(|planned| !planned.pinned) {
            let task = tasks.iter().find(|task| task.id == planned.id).unwrap();
            let begins = planned.days.first().map_or(planned.end, |work| work.day);
            for dependency in waits_for(&tasks, task) {
                prop_assert!(ends[&dependency] <= begins, "{} before {dependency}", task.id);
            }
        }
    }

    #[test]
    fn no_day_is_over_capacity_and_no_work_is_lost(tasks in tasks()) {
        let given = Given::new();
        let plan = plan(given.input(&tasks));
        let mut load: BTreeMap<(Option<&str>, Day), u32> = BTreeMap::new();
        for task in &plan.tasks {
            for work in &task.days {
                prop_assert!(work.minutes > 0 && work.day >= TODAY.parse().unwrap());
                *load.entry((task.who.as_deref(), work.day)).or_insert(0) += work.minutes;
            }
        }
        for ((who, day), minutes) in load {
            prop_assert!(minutes <= given.calendar.of(who).minutes_on(day), "{who:?} on {day}");
        }
        for planned in &plan.tasks {
            let placed: u32 = planned.days.iter().map(|work| work.minutes).sum();
            let missing: u32 = plan.problems.iter().map(|problem| match problem {
                Problem::PinnedTooShort { task, minutes, .. } | Problem::PinnedInThePast { task, minutes, .. }
                    if *task == planned.id => *minutes,
                _ => 0,
            }).sum();
            let task = tasks.iter().find(|task| task.id == planned.id).unwrap();
            prop_assert_eq!(Some(placed + missing), task.work);
        }
        let is_leaf = |task: &PlanTask| !tasks.iter().any(|child| child.parent == Some(task.id));
        let open = tasks.iter().filter(|task| task.status.is_open() && is_leaf(task)).count();
        prop_assert!(plan.tasks.len() == open || has_cycle(&plan));
    }

    #[test]
    fn a_plan_that_is_applied_overbooks_nobody(tasks in tasks()) {
        let given = Given::new();
        let free: Vec<PlanTask> = tasks.into_iter().map(|task| PlanTask { pinned: false, ..task }).collect();
        let plan = plan(given.input(&free));
        if !has_cycle(&plan) {
            prop_assert_eq!(overbooked(given.input(&apply(&free, &plan))), Overbooked::new());
        }
    }

    #[test]
    fn what_is_next_waits_for_nothing_and_tells_how_many_wait_for_it(tasks in tasks()) {
        let given = Given::new();
        let plan = plan(given.input(&tasks));
        let open: Vec<&PlanTask> = tasks.iter().filter(|task| task.status.is_open()).collect();
        let leaves: Vec<&&PlanTask> =
            open.iter().filter(|task| !tasks.iter().any(|child| child.parent == Some(task.id))).collect();
        for next in next(given.input(&tasks), &plan, None, usize::MAX) {
            let task = tasks.iter().find(|task| task.id == next.id).unwrap();
            prop_assert!(task.status.is_open() && waits_for(&tasks, task).is_empty());
            let mut waiting: std::collections::BTreeSet<TaskId> = [next.id].into();
            loop {
                let more: Vec<TaskId> = leaves
                    .iter()
                    .filter(|leaf| !waiting.contains(&leaf.id))
                    .filter(|leaf| waits_for(&tasks, leaf).iter().any(|before| waiting.contains(before)))
                    .map(|leaf| leaf.id)
                    .collect();
                if more.is_empty() {
                    break;
                }
                waiting.extend(more);
            }
            let told = next.reasons.iter().find_map(|reason| match reason {
                Reason::Unblocks { tasks } => Some(*tasks),
                _ => None,
            });
            prop_assert_eq!(told.unwrap_or(0), waiting.len() - 1, "{}", next.id);
        }
    }

    #[test]
    fn what_is_pinned_is_not_moved(tasks in tasks()) {
        let given = Given::new();
        let plan = plan(given.input(&tasks));
        for task in tasks.iter().filter(|task| task.pinned && (task.start.is_some() || task.due.is_some())) {
            prop_assert!(!plan.changes.iter().any(|change| change.id == task.id));
            if let Some(planned) = plan.tasks.iter().find(|planned| planned.id == task.id) {
                prop_assert_eq!(planned.start, task.start.unwrap_or(planned.start));
                prop_assert_eq!(planned.end, task.due.unwrap_or(planned.end));
            }
        }
    }

    #[test]
    fn the_order_of_the_input_does_not_matter(tasks in tasks()) {
        let given = Given::new();
        let forwards = plan(given.input(&tasks));
        let reversed: Vec<PlanTask> = tasks.iter().rev().cloned().collect();
        let backwards = plan(given.input(&reversed));
        prop_assert_eq!(&forwards.tasks, &backwards.tasks);
        prop_assert_eq!(&forwards.changes, &backwards.changes);
        prop_assert_eq!(&forwards.parents, &backwards.parents);
    }

    #[test]
    fn critical_tasks_have_no_slack_and_end_with_the_plan(tasks in tasks()) {
        let given = Given::new();
        let plan = plan(given.input(&tasks));
        let last = plan.critical_path.last().and_then(|id| plan.tasks.iter().find(|task| task.id == *id));
        prop_assert_eq!(last.map(|task| task.end), plan.end);
        prop_assert_eq!(plan.tasks.iter().map(|task| task.end).max(), plan.end);
    }

    #[test]
    fn moving_a_task_moves_only_what_waits_for_it(tasks in tasks(), which in 0..9_usize, to in day_near()) {
        let given = Given::new();
        let target = &tasks[which % tasks.len()];
        let Ok(shift) = shift(given.input(&tasks), target.id, Move { start: Some(to), due: None }) else { return Ok(()) };
        let is_leaf = |id: TaskId| !tasks.iter().any(|child| child.parent == Some(id));
        for moved in shift.moved.iter().filter(|moved| is_leaf(moved.change.id)) {
            let id = moved.change.id;
            let task = tasks.iter().find(|task| task.id == id).unwrap();
            prop_assert!(task.status.is_open() && (id == target.id || !task.pinned));
            prop_assert_eq!(moved.because_of.is_some(), id != target.id);
            if let Some(by) = moved.because_of {
                prop_assert!(waits_for(&tasks, task).contains(&by), "{id} was pushed by {by}");
                let end = shift.moved.iter().find(|moved| moved.change.id == by).unwrap().change.due;
                let starts = moved.change.start.or(moved.change.due);
                prop_assert!(end.is_none() || starts > end, "{starts:?} after {end:?}");
            }
        }
    }
}
