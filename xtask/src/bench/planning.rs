//! What planning costs: the plan of many tasks by itself, and the commands that show one.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use handoff_model::calendar::WorkCalendar;
use handoff_model::id::TaskId;
use handoff_model::plan::{PlanInput, PlanTask, PresentDates, next, plan};
use handoff_model::task::{Priority, Status};
use handoff_model::when::Day;
use handoff_ops::registry;

use super::floor::Floor;
use super::measure::Maker;
use super::project::{Mix, Shape, make_mixed};
use super::report::{Row, Timed};
use super::{Subject, strings};

/// As many tasks as the limit is for.
const TASKS: u32 = 10_000;
/// What their plan may take.
const PLAN: Duration = Duration::from_millis(200);
/// Rounds of what happens in this process.
const ROUNDS: usize = 21;

/// The plan of many tasks and what is next in it, without any file.
pub(super) fn alone() -> Result<Vec<Timed>, String> {
    let today: Day = "2026-11-16".parse().map_err(|error| format!("{error}"))?;
    let tasks = (0..TASKS).map(|number| task(number, today)).collect::<Result<Vec<_>, _>>()?;
    let date = today.plus(90).ok_or("the calendar ends")?;
    let milestones = BTreeMap::from([("beta".to_owned(), date)]);
    let calendar = WorkCalendar::default();
    let present = PresentDates::Wished;
    let input = PlanInput { tasks: &tasks, calendar: &calendar, milestones: &milestones, today, present };
    let (mut plans, mut ranks) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let planned = black_box(plan(black_box(input)));
        plans.push(started.elapsed());
        let started = Instant::now();
        black_box(next(input, &planned, None, 5));
        ranks.push(started.elapsed());
    }
    let tasks = TASKS.to_string();
    let planned = Timed::of("a plan, in this process", &tasks, plans);
    let ranked = Timed::of("what is next in it, in this process", &tasks, ranks);
    Ok(vec![Timed { limit: Some((PLAN, String::new())), ..planned }, ranked])
}

/// Nine leaves under each parent, eight people, dependencies on a third, dates on a fourth, a milestone for a seventh.
fn task(number: u32, today: Day) -> Result<PlanTask, String> {
    let id = |number: u32| format!("t{number:07}").parse::<TaskId>().map_err(|error| format!("{error}"));
    let is_parent = number.is_multiple_of(10);
    Ok(PlanTask {
        id: id(number)?,
        parent: if is_parent { None } else { Some(id(number - number % 10)?) },
        status: Status::Todo,
        priority: [None, Some(Priority::High), Some(Priority::Low)][number as usize % 3],
        work: Some(30 + number % 7 * 45),
        dependencies: if number > 20 && number.is_multiple_of(3) { vec![id(number - 13)?] } else { Vec::new() },
        assignee: Some(format!("p{}", number % 8)),
        start: None,
        due: if number % 4 == 1 { today.plus(i64::from(number * 37 % 400)) } else { None },
        pinned: false,
        milestone: number.is_multiple_of(7).then(|| "beta".to_owned()),
        place: number as usize,
    })
}

/// The commands, against a listing of the same tasks.
pub(super) fn commands(binary: &Path, floor: &Floor, place: &Path, rounds: usize) -> Result<Vec<Row>, String> {
    let spot = place.join("planning");
    let sample = make_mixed(binary, &spot, TASKS as usize, Shape::Nested, Mix::Open)?;
    let subject = Subject { binary, floor, sample: &sample, tasks: TASKS.to_string() };
    let mut all: Vec<(&str, &[&str])> = vec![
        ("`plan --json`", &["plan", "--json"]),
        ("`plan next --json`", &["plan", "next", "--json"]),
        ("`plan capacity --json`", &["plan", "capacity", "--json"]),
    ];
    if registry::DEFAULTS.iter().any(|(noun, _)| *noun == "metrics") {
        all.push(("`metrics --json`", &["metrics", "--json"]));
    }
    let commands: Vec<(&str, Maker<'_>)> =
        all.into_iter().map(|(what, args)| (what, subject.handoff(move |_| strings(args)))).collect();
    let floor = subject.handoff(|_| strings(&["task", "list", "--all", "--json"]));
    let rows = subject.compare(floor, "`task list --all --json`", commands, None, rounds.div_ceil(3))?;
    std::fs::remove_dir_all(&spot).map_err(|error| error.to_string())?;
    Ok(rows)
}
