//! Figures of a small project, worked out by hand. 2026-11-02 is a Monday; today is Monday 2026-11-30.

use super::*;
use crate::time_log::{Interval, sum};

fn id(name: &str) -> TaskId {
    format!("{name:x<8}").parse().unwrap()
}

pub(super) fn day(text: &str) -> Day {
    text.parse().unwrap()
}

pub(super) fn task(text: &str) -> Task {
    let (task, odd) = Task::read(text).unwrap();
    assert_eq!(odd, None);
    task
}

const LOGIN: &str = r#"
id = "t1xxxxxx"
status = "done"
labels = ["api"]
assignee = "ann"
created_at = 2026-11-02T09:00:00Z
completed_at = 2026-11-05T09:00:00Z
schedule = { estimate_hours = 10.0, milestone = "loose" }
history = [
    { at = 2026-11-03T09:00:00Z, status = "in_progress" },
    { at = 2026-11-05T09:00:00Z, status = "done" },
]
"#;
const LOGOUT: &str = r#"
id = "t2xxxxxx"
status = "done"
labels = ["api", "api"]
assignee = "ann"
created_at = 2026-11-02T09:00:00Z
completed_at = 2026-11-10T09:00:00Z
schedule = { estimate_hours = 5.0 }
history = [
    { at = 2026-11-09T09:00:00Z, status = "in_progress" },
    { at = 2026-11-10T09:00:00Z, status = "done" },
]
"#;
const DOCS: &str = r#"
id = "t3xxxxxx"
status = "done"
assignee = "bob"
created_at = 2026-11-03T09:00:00Z
completed_at = 2026-11-18T09:00:00Z
schedule = { estimate_hours = 2.0 }
history = [
    { at = 2026-11-04T09:00:00Z, status = "blocked" },
    { at = 2026-11-06T09:00:00Z, status = "in_progress" },
    { at = 2026-11-18T09:00:00Z, status = "done" },
]
"#;
const DEPLOY: &str = r#"
id = "t4xxxxxx"
status = "in_progress"
created_at = 2026-11-12T09:00:00Z
schedule = { estimate_hours = 16.0, due_date = 2026-11-20 }
history = [
    { at = 2026-11-12T09:00:00Z, estimate_hours = 8.0 },
    { at = 2026-11-13T09:00:00Z, status = "in_progress", estimate_hours = 16.0 },
]
"#;
const IDEA: &str = r#"
id = "t5xxxxxx"
status = "skipped"
created_at = 2026-11-16T09:00:00Z
completed_at = 2026-11-17T09:00:00Z
schedule = { estimate_hours = 1.0 }
history = [{ at = 2026-11-17T09:00:00Z, status = "skipped" }]
"#;
const RELEASE: &str = r#"
id = "pxxxxxxx"
status = "in_progress"
created_at = 2026-10-01T09:00:00Z
schedule = { estimate_hours = 99.0, milestone = "beta" }
"#;

fn figures(tasks: &[(&str, Option<&str>)], change: impl FnOnce(&mut MetricsInput<'_>)) -> Metrics {
    let read: Vec<(Task, Option<TaskId>)> = tasks.iter().map(|(text, parent)| (task(text), parent.map(id))).collect();
    let tasks: Vec<MetricTask<'_>> = read.iter().map(|(task, parent)| MetricTask { task, parent: *parent }).collect();
    let spent = |name: &str, at: &str, minutes: u32| Interval::minutes(id(name), "ann", at.parse().unwrap(), minutes);
    let log = [
        spent("t1", "2026-11-04T09:00:00Z", 720),
        spent("t2", "2026-11-09T09:00:00Z", 300),
        spent("t3", "2026-11-17T09:00:00Z", 60),
        spent("t4", "2026-11-14T09:00:00Z", 120),
        spent("p", "2026-11-14T09:00:00Z", 30),
    ];
    let (times, zone, calendar) = (sum(&log, &TimeZone::UTC), TimeZone::UTC, WorkCalendar::default());
    let milestones = BTreeMap::from([("beta".to_owned(), Some(day("2026-11-25"))), ("ga".to_owned(), None)]);
    let target = Target { day: day("2026-11-13"), by: "the plan".to_owned() };
    let mut input = MetricsInput {
        tasks: &tasks,
        times: &times,
        calendar: &calendar,
        zone: &zone,
        now: "2026-11-30T12:00:00Z".parse().unwrap(),
        multiplier: Some(0.5),
        milestones: &milestones,
        budget_minutes: Some(2_000),
        target: Some(&target),
        only: Only::default(),
        since: None,
    };
    change(&mut input);
    metrics(&input)
}

fn all() -> Metrics {
    let tasks = [(LOGIN, None), (LOGOUT, None), (DOCS, None), (DEPLOY, Some("p")), (IDEA, None), (RELEASE, None)];
    figures(&tasks, |_| {})
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() < 0.01
}

#[test]
fn counts_and_effort_are_of_leaves_alone() {
    let metrics = all();
    let counts = Counts { leaves: 5, parents: 1, in_progress: 1, done: 3, skipped: 1, ..Counts::default() };
    assert_eq!(metrics.counts, counts);
    assert!(near(*metrics.completion.known().unwrap(), 75.0));
    let effort = Effort {
        estimate: 600 + 300 + 120 + 960,
        estimate_adjusted: Some(990),
        actual: 720 + 300 + 60 + 120 + 30,
        actual_elsewhere: 30,
        remaining: 960 - 120,
        remaining_adjusted: Some(480 - 120),
        unestimated: 0,
    };
    assert_eq!(metrics.effort.known(), Some(&effort));
    let budget = Budget { total: 2_000, used: 1_230, expected: 1_590, over: -410 };
    assert_eq!(metrics.budget.unwrap().known(), Some(&budget));
    assert_eq!(metrics.undated, 0);
}

#[test]
fn estimates_are_compared_with_sample_sizes() {
    let accuracy = all().accuracy;
    let ratio = accuracy.all.known().unwrap();
    assert_eq!(ratio.samples, 3);
    assert!(near(ratio.of_sums, 1_080.0 / 1_020.0) && near(ratio.of_sums_adjusted.unwrap(), 2_160.0 / 1_020.0));
    assert!(near(ratio.spread.median, 1.0) && near(ratio.spread.least, 0.5) && near(ratio.spread.most, 1.2));
    assert_eq!(accuracy.by_label["api"].value, Measured::NotEnough { have: 2, need: 3 });
    assert_eq!(accuracy.by_person["bob"].value, Measured::NotEnough { have: 1, need: 3 });
    assert_eq!(accuracy.tasks.len(), 3);
}

#[test]
fn velocity_is_of_complete_weeks_with_its_spread() {
    let metrics = all();
    let velocity = metrics.velocity.known().unwrap();
    let weeks: Vec<(String, u32, u64)> =
        velocity.weeks.iter().map(|week| (week.start.to_string(), week.tasks, week.minutes)).collect();
    let expected = [("2026-11-02", 1, 600), ("2026-11-09", 1, 300), ("2026-11-16", 1, 120), ("2026-11-23", 0, 0)];
    assert_eq!(weeks, expected.map(|(start, tasks, minutes)| (start.to_owned(), tasks, minutes)));
    let Spread { least, lower_quartile, median, upper_quartile, most, mean, deviation, samples } = velocity.minutes;
    assert_eq!(samples, 4);
    for (value, by_hand) in [
        (least, 0.0),
        (lower_quartile, 90.0),
        (median, 210.0),
        (upper_quartile, 375.0),
        (most, 600.0),
        (mean, 255.0),
        (deviation, 260.96),
    ] {
        assert!(near(value, by_hand), "{value} is not {by_hand}");
    }
    assert_eq!(velocity.this_week, Week { start: day("2026-11-30"), tasks: 0, minutes: 0 });
}

#[test]
fn the_burndown_shows_work_scope_and_the_ideal_line() {
    let metrics = all();
    let burndown = metrics.burndown.known().unwrap();
    assert_eq!(burndown.days.len(), 29);
    let on = |date: &str| {
        let found = burndown.days.iter().find(|it| it.day == day(date)).unwrap();
        (found.remaining, found.scope, found.scope_change, found.ideal.unwrap())
    };
    for (date, expected) in [
        ("2026-11-02", (900, 900, 0, 900)),
        ("2026-11-03", (1_020, 1_020, 120, 800)),
        ("2026-11-05", (420, 1_020, 0, 600)),
        ("2026-11-06", (420, 1_020, 0, 500)),
        ("2026-11-08", (420, 1_020, 0, 500)),
        ("2026-11-10", (120, 1_020, 0, 300)),
        ("2026-11-12", (600, 1_500, 480, 100)),
        ("2026-11-13", (1_080, 1_980, 480, 0)),
        ("2026-11-16", (1_140, 2_040, 60, 0)),
        ("2026-11-17", (1_080, 1_980, -60, 0)),
        ("2026-11-18", (960, 1_980, 0, 0)),
        ("2026-11-30", (960, 1_980, 0, 0)),
    ] {
        assert_eq!(on(date), expected, "{date}");
    }
}

#[test]
fn lead_cycle_and_blocked_time_come_from_the_history() {
    const DAY: f64 = 1_440.0;
    let metrics = all();
    let lead = metrics.lead_time.known().unwrap();
    assert!(near(lead.least, 3.0 * DAY) && near(lead.median, 8.0 * DAY) && near(lead.most, 15.0 * DAY));
    let cycle = metrics.cycle_time.known().unwrap();
    assert!(near(cycle.least, DAY) && near(cycle.median, 2.0 * DAY) && near(cycle.most, 12.0 * DAY));
    assert_eq!(metrics.blocked_time.value, Measured::NotEnough { have: 1, need: 3 });
    let docs = timeline::Timeline::of(&task(DOCS));
    let now = "2026-11-30T12:00:00Z".parse().unwrap();
    assert_eq!(docs.seconds_in(crate::task::Status::Blocked, None, now), 2 * 86_400);
}

#[test]
fn the_flow_counts_each_leaf_once_on_each_day() {
    let metrics = all();
    let flow = metrics.flow.known().unwrap();
    let on = |date: &str| {
        let FlowDay { day: _, todo, in_progress, review, done, blocked, skipped } =
            *flow.iter().find(|it| it.day == day(date)).unwrap();
        [todo, in_progress, review, done, blocked, skipped]
    };
    assert_eq!(on("2026-11-02"), [2, 0, 0, 0, 0, 0]);
    assert_eq!(on("2026-11-03"), [2, 1, 0, 0, 0, 0]);
    assert_eq!(on("2026-11-04"), [1, 1, 0, 0, 1, 0]);
    assert_eq!(on("2026-11-05"), [1, 0, 0, 1, 1, 0]);
    assert_eq!(on("2026-11-13"), [0, 2, 0, 2, 0, 0]);
    assert_eq!(on("2026-11-30"), [0, 1, 0, 3, 0, 1]);
}

#[test]
fn what_is_late_or_lies_still_is_told() {
    let metrics = all();
    assert_eq!(metrics.overdue.known().unwrap(), &[Overdue { id: id("t4"), due: day("2026-11-20"), days: 10 }]);
    let stale = metrics.stale.known().unwrap();
    assert_eq!((stale.len(), stale[0].id, stale[0].last_touched, stale[0].days), (1, id("t4"), day("2026-11-14"), 16));
    let milestones: Vec<_> = metrics
        .milestones
        .known()
        .unwrap()
        .iter()
        .map(|it| (it.milestone.as_str(), it.defined, it.tasks, it.done, it.remaining, it.overdue))
        .collect();
    assert_eq!(
        milestones,
        [("beta", true, 1, 0, 360, true), ("ga", true, 0, 0, 0, false), ("loose", false, 1, 1, 0, false)]
    );
}

#[test]
fn too_little_is_said_to_be_too_little() {
    let none = figures(&[], |_| {});
    assert_eq!(none.completion.value, Measured::NotEnough { have: 0, need: 1 });
    assert_eq!(none.velocity.value, Measured::NotEnough { have: 0, need: 3 });
    assert_eq!(none.burndown.value, Measured::NotEnough { have: 0, need: 3 });
    let young = figures(&[(DEPLOY, None)], |input| input.now = "2026-11-13T10:00:00Z".parse().unwrap());
    assert_eq!(young.burndown.value, Measured::NotEnough { have: 2, need: 3 }, "two points make no line");
    assert_eq!(young.flow.value, Measured::NotEnough { have: 2, need: 3 });
    let bare = figures(&[("id = \"t9xxxxxx\"", None)], |_| {});
    assert_eq!((bare.undated, bare.effort.known().unwrap().unestimated), (1, 1));
}

#[test]
fn a_file_whose_history_lacks_the_last_change_is_understood() {
    let edited = LOGIN.replace("{ at = 2026-11-05T09:00:00Z, status = \"done\" },", "");
    let timeline = timeline::Timeline::of(&task(&edited));
    assert_eq!(timeline.done_at(), Some("2026-11-05T09:00:00Z".parse().unwrap()));
    let reopened =
        timeline::Timeline::of(&task(&LOGIN.replace("status = \"done\"\nlabels", "status = \"todo\"\nlabels")));
    assert_eq!(reopened.done_at(), None);
}

#[test]
fn figures_say_how_they_are_computed_in_json_too() {
    let json = serde_json::to_value(all()).unwrap();
    assert_eq!(json["blocked_time"]["value"]["not_enough"], serde_json::json!({ "have": 1, "need": 3 }));
    assert!(json["velocity"]["how"].as_str().unwrap().contains("complete week"), "{json}");
}
