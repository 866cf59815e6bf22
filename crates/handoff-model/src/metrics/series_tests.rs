//! Burndown and velocity of a project with everything that can happen to a task, worked out by hand.
//!
//! Weeks of November 2026: Monday 2, 9, 16, 23; today is Thursday 26. Estimates are in minutes.

use super::tests::{day, task};
use super::*;
use crate::config::{Calendar, Weekday};

/// Made with the project, done in the first week.
const PLAIN: &str = r#"
id = "aaaaaaaa"
status = "done"
assignee = "ann"
created_at = 2026-11-02T08:00:00Z
schedule = { estimate_hours = 4.0 }
history = [
    { at = 2026-11-02T08:00:00Z, estimate_hours = 4.0 },
    { at = 2026-11-04T08:00:00Z, status = "in_progress" },
    { at = 2026-11-05T08:00:00Z, status = "done" },
]
"#;
/// Estimated anew while it was open: 2 hours, then 5.
const LARGER: &str = r#"
id = "bbbbbbbb"
status = "todo"
created_at = 2026-11-02T08:00:00Z
schedule = { estimate_hours = 5.0 }
history = [
    { at = 2026-11-02T08:00:00Z, estimate_hours = 2.0 },
    { at = 2026-11-06T08:00:00Z, estimate_hours = 5.0 },
]
"#;
/// Done, opened again, and done for good on the Sunday of the third week.
const REOPENED: &str = r#"
id = "cccccccc"
status = "done"
created_at = 2026-11-03T08:00:00Z
schedule = { estimate_hours = 3.0 }
history = [
    { at = 2026-11-03T08:00:00Z, estimate_hours = 3.0 },
    { at = 2026-11-05T10:00:00Z, status = "done" },
    { at = 2026-11-09T10:00:00Z, status = "in_progress" },
    { at = 2026-11-15T10:00:00Z, status = "done" },
]
"#;
/// Came later and was given up.
const SKIPPED: &str = r#"
id = "dddddddd"
status = "skipped"
created_at = 2026-11-10T08:00:00Z
schedule = { estimate_hours = 1.0 }
history = [
    { at = 2026-11-10T08:00:00Z, estimate_hours = 1.0 },
    { at = 2026-11-12T08:00:00Z, status = "skipped" },
]
"#;
/// Came from elsewhere: no history, but when it was made and done.
const IMPORTED: &str = r#"
id = "eeeeeeee"
status = "done"
created_at = 2026-11-06T08:00:00Z
completed_at = 2026-11-18T08:00:00Z
schedule = { estimate_hours = 2.0 }
"#;
/// Nobody knows when it was made.
const UNDATED: &str = "id = \"ffffffff\"\nschedule = { estimate_hours = 50.0 }\n";

const ALL: [&str; 6] = [PLAIN, LARGER, REOPENED, SKIPPED, IMPORTED, UNDATED];

fn figures(texts: &[&str], zone: &str, week_start: Weekday, change: impl FnOnce(&mut MetricsInput<'_>)) -> Metrics {
    let read: Vec<Task> = texts.iter().map(|text| task(text)).collect();
    let tasks: Vec<MetricTask<'_>> = read.iter().map(|task| MetricTask { task, parent: None }).collect();
    let calendar = WorkCalendar::new(&Calendar { week_start, ..Calendar::default() }, &BTreeMap::new());
    let (times, milestones) = (TimeSums::default(), BTreeMap::new());
    let zone = TimeZone::get(zone).unwrap();
    let mut input = MetricsInput {
        tasks: &tasks,
        times: &times,
        calendar: &calendar,
        zone: &zone,
        now: "2026-11-26T12:00:00Z".parse().unwrap(),
        multiplier: None,
        milestones: &milestones,
        budget_minutes: None,
        target: None,
        only: Only::default(),
        since: None,
    };
    change(&mut input);
    metrics(&input)
}

/// The days on which anything changed: day, work left, scope, change of scope.
fn burndown(metrics: &Metrics) -> Vec<(String, i64, i64, i64)> {
    let days = &metrics.burndown.known().unwrap().days;
    let mut all: Vec<_> = days.iter().map(|it| (it.day.to_string(), it.remaining, it.scope, it.scope_change)).collect();
    all.dedup_by(|later, earlier| (later.1, later.2) == (earlier.1, earlier.2));
    all
}

fn weeks(metrics: &Metrics) -> Vec<(String, u32, u64)> {
    let velocity = metrics.velocity.known().unwrap();
    velocity.weeks.iter().map(|week| (week.start.to_string(), week.tasks, week.minutes)).collect()
}

fn owned<const N: usize, T: Copy>(rows: [(&str, T); N]) -> Vec<(String, T)> {
    rows.map(|(day, rest)| (day.to_owned(), rest)).to_vec()
}

#[test]
fn the_burndown_follows_scope_new_estimates_reopened_and_skipped_tasks() {
    let metrics = figures(&ALL, "UTC", Weekday::Mon, |_| {});
    #[rustfmt::skip]
    let by_hand = [
        // day            left  scope  change
        ("2026-11-02", (   360,   360,      0)), // plain 240 and larger 120
        ("2026-11-03", (   540,   540,    180)), // reopened comes
        ("2026-11-05", (   120,   540,      0)), // plain and reopened are done
        ("2026-11-06", (   420,   840,    300)), // larger is 300 now, and the imported 120 comes
        ("2026-11-09", (   600,   840,      0)), // reopened is open again
        ("2026-11-10", (   660,   900,     60)), // skipped comes
        ("2026-11-12", (   600,   840,    -60)), // and goes
        ("2026-11-15", (   420,   840,      0)), // reopened is done for good
        ("2026-11-18", (   300,   840,      0)), // the imported one is done
    ];
    let shown: Vec<_> = burndown(&metrics).into_iter().map(|(day, left, scope, by)| (day, (left, scope, by))).collect();
    assert_eq!(shown, owned(by_hand));
    assert_eq!(metrics.undated, 1, "what nobody can date is counted and not drawn");
    assert_eq!(metrics.burndown.known().unwrap().days.len(), 25);
}

#[test]
fn velocity_goes_by_weeks_that_begin_where_the_calendar_says() {
    let monday = figures(&ALL, "UTC", Weekday::Mon, |_| {});
    let by_hand = [("2026-11-02", (1, 240)), ("2026-11-09", (1, 180)), ("2026-11-16", (1, 120))];
    let shown = |metrics: &Metrics| -> Vec<_> {
        weeks(metrics).into_iter().map(|(start, tasks, minutes)| (start, (tasks, minutes))).collect()
    };
    assert_eq!(shown(&monday), owned(by_hand));
    assert!((monday.velocity.known().unwrap().minutes.median - 180.0).abs() < 0.01);
    // The week of Sunday 1 is not whole, since the project began on the Monday; what is done on Sunday 15 is a week later.
    let sunday = figures(&ALL, "UTC", Weekday::Sun, |_| {});
    assert_eq!(sunday.velocity.value, Measured::NotEnough { have: 2, need: 3 });
    let later = figures(&ALL, "UTC", Weekday::Sun, |input| input.now = "2026-12-01T12:00:00Z".parse().unwrap());
    let by_hand = [("2026-11-08", (0, 0)), ("2026-11-15", (2, 300)), ("2026-11-22", (0, 0))];
    assert_eq!(shown(&later), owned(by_hand));
}

#[test]
fn a_day_is_the_zones_also_when_the_clock_is_put_back() {
    // In New York the clock went back on Sunday 2026-11-01 at 06:00 in UTC; 04:30 in UTC on Monday is still Sunday there.
    const LATE: &str = r#"
id = "aaaaaaaa"
status = "done"
created_at = 2026-10-31T12:00:00Z
schedule = { estimate_hours = 1.0 }
history = [{ at = 2026-11-02T04:30:00Z, status = "done" }]
"#;
    const NEXT: &str = r#"
id = "bbbbbbbb"
status = "todo"
created_at = 2026-11-01T03:30:00Z
schedule = { estimate_hours = 2.0 }
"#;
    let now = |input: &mut MetricsInput<'_>| input.now = "2026-11-03T12:00:00Z".parse().unwrap();
    let there = figures(&[LATE, NEXT], "America/New_York", Weekday::Mon, now);
    // 03:30 in UTC on the 1st is 23:30 on the 31st there, by summer time.
    let by_hand = [("2026-10-31", (180, 180, 0)), ("2026-11-01", (120, 180, 0))];
    let shown = |metrics: &Metrics| -> Vec<_> {
        burndown(metrics).into_iter().map(|(day, left, scope, by)| (day, (left, scope, by))).collect()
    };
    assert_eq!(shown(&there), owned(by_hand));
    assert_eq!(there.burndown.known().unwrap().days.len(), 4, "no day is missing or twice");
    let here = figures(&[LATE, NEXT], "UTC", Weekday::Mon, now);
    let by_hand = [("2026-10-31", (60, 60, 0)), ("2026-11-01", (180, 180, 120)), ("2026-11-02", (120, 180, 0))];
    assert_eq!(shown(&here), owned(by_hand));
}

#[test]
fn a_series_can_begin_later() {
    let since = |input: &mut MetricsInput<'_>| input.since = Some(day("2026-11-09"));
    let metrics = figures(&ALL, "UTC", Weekday::Mon, since);
    assert_eq!(burndown(&metrics)[0], ("2026-11-09".to_owned(), 600, 840, 0));
    assert_eq!(metrics.flow.known().unwrap()[0].day, day("2026-11-09"));
    assert_eq!(metrics.velocity.value, Measured::NotEnough { have: 2, need: 3 });
    // Of three that are done, one was before.
    assert_eq!(metrics.lead_time.value, Measured::NotEnough { have: 2, need: 3 });
}

#[test]
fn done_means_done_now() {
    let given_up = PLAIN.replace("status = \"done\"\nassignee", "status = \"skipped\"\nassignee");
    let skipped = given_up.replace("]\n", "    { at = 2026-11-06T08:00:00Z, status = \"skipped\" },\n]\n");
    let metrics = figures(&[&skipped], "UTC", Weekday::Mon, |_| {});
    let done: u32 = metrics.velocity.known().unwrap().weeks.iter().map(|week| week.tasks).sum();
    assert_eq!(done, 0, "what was done and then given up is not done");
    assert_eq!(metrics.lead_time.value, Measured::NotEnough { have: 0, need: 3 });
    // What was given up and then done after all is done since then.
    let after_all = SKIPPED.replace("status = \"skipped\"\ncreated", "status = \"done\"\ncreated");
    let after_all = after_all.replace("]\n", "    { at = 2026-11-17T08:00:00Z, status = \"done\" },\n]\n");
    let timeline = timeline::Timeline::of(&task(&after_all));
    assert_eq!(timeline.done_at(), Some("2026-11-17T08:00:00Z".parse().unwrap()));
}

#[test]
fn person_and_due_date_come_from_the_nearest_parent() {
    const TOP: &str =
        "id = \"pppppppp\"\nassignee = \"ann\"\nschedule = { due_date = 2026-11-20, milestone = \"beta\" }\n";
    const OWN: &str =
        "id = \"aaaaaaaa\"\nassignee = \"bob\"\nschedule = { due_date = 2026-12-20, estimate_hours = 1.0 }\n";
    const BARE: &str = "id = \"bbbbbbbb\"\nschedule = { estimate_hours = 2.0 }\n";
    let read = [task(TOP), task(OWN), task(BARE)];
    let parent = [None, Some(read[0].id), Some(read[0].id)];
    let tasks: Vec<MetricTask<'_>> =
        read.iter().zip(parent).map(|(task, parent)| MetricTask { task, parent }).collect();
    let with = |person, milestone| {
        chosen(&tasks, Only { person, milestone }).iter().map(TaskId::to_string).collect::<Vec<_>>()
    };
    assert_eq!(with(None, None), ["aaaaaaaa", "bbbbbbbb"]);
    assert_eq!(with(Some("ann"), None), ["bbbbbbbb"]);
    assert_eq!(with(Some("bob"), Some("beta")), ["aaaaaaaa"]);
    assert_eq!(with(Some("bob"), Some("ga")), [""; 0]);
    let calendar = WorkCalendar::default();
    let (times, milestones) = (TimeSums::default(), BTreeMap::new());
    let anns = metrics(&MetricsInput {
        tasks: &tasks,
        times: &times,
        calendar: &calendar,
        zone: &TimeZone::UTC,
        now: "2026-11-26T12:00:00Z".parse().unwrap(),
        multiplier: None,
        milestones: &milestones,
        budget_minutes: Some(600),
        target: None,
        only: Only { person: Some("ann"), milestone: None },
        since: None,
    });
    assert_eq!((anns.counts.leaves, anns.counts.parents), (1, 1));
    assert_eq!(anns.overdue.known().unwrap()[0].due, day("2026-11-20"));
    assert_eq!(anns.budget, None, "the budget is everybody's");
}
