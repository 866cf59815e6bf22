//! The calendar against days that were looked up by hand, and its sums against counting.

use proptest::prelude::*;

use super::*;

fn day(text: &str) -> Day {
    text.parse().unwrap()
}

fn calendar(toml: &str) -> WorkCalendar {
    #[derive(serde::Deserialize)]
    struct File {
        #[serde(default)]
        calendar: Calendar,
        #[serde(default)]
        assignees: BTreeMap<Name, Assignee>,
    }
    let file: File = toml::from_str(toml).unwrap();
    WorkCalendar::new(&file.calendar, &file.assignees)
}

/// 2026-11-16 is a Monday.
const TEAM: &str = r#"
[calendar]
work_hours_per_day = 7.5
closed_dates = [2026-12-25, 2026-12-28]
open_dates = [2026-12-05]
day_hours = { fri = 6, 2026-12-24 = 4, 2026-12-12 = 3 }

[assignees.alice]
closed_dates = [2026-11-18]

[assignees.bob]
work_hours_per_day = 3
closed_weekdays = ["wed", "sat", "sun"]
open_dates = [2026-12-28, 2026-12-09]
day_hours = { mon = 2.5, 2026-12-19 = 1 }
"#;

#[test]
fn each_rule_of_the_calendar_holds_in_its_place() {
    let calendar = calendar(TEAM);
    let table = [
        // day, everybody, alice, bob
        ("2026-11-16", 450, 450, 150, "an ordinary Monday; Bob has his own"),
        ("2026-11-17", 450, 450, 180, "an ordinary Tuesday"),
        ("2026-11-18", 450, 0, 0, "Alice is away; Bob never works on Wednesdays"),
        ("2026-11-20", 360, 360, 180, "Fridays are shorter, but not Bob's"),
        ("2026-11-21", 0, 0, 0, "a Saturday"),
        ("2026-12-05", 450, 450, 0, "a Saturday that is worked, but not by Bob"),
        ("2026-12-09", 450, 450, 180, "a Wednesday that Bob works"),
        ("2026-12-12", 180, 180, 0, "hours on a Saturday open it"),
        ("2026-12-19", 0, 0, 60, "Bob works an hour on a Saturday"),
        ("2026-12-24", 240, 240, 180, "a short day makes nobody's day longer"),
        ("2026-12-25", 0, 0, 0, "a holiday"),
        ("2026-12-28", 0, 0, 150, "a holiday on which Bob works"),
    ];
    for (date, everybody, alice, bob, why) in table {
        let minutes = |who| calendar.of(who).minutes_on(day(date));
        assert_eq!(
            (minutes(None), minutes(Some("alice")), minutes(Some("bob"))),
            (everybody, alice, bob),
            "{date}: {why}"
        );
        assert_eq!(minutes(Some("stranger")), everybody);
    }
}

#[test]
fn closed_dates_are_stronger_than_any_hours_of_the_same_layer() {
    let calendar = calendar(
        "[calendar]\nclosed_dates = [2026-11-16]\nopen_dates = [2026-11-16]\nday_hours = { 2026-11-16 = 5, mon = 4, sat = 9 }",
    );
    assert_eq!(calendar.of(None).minutes_on(day("2026-11-16")), 0);
    assert_eq!(calendar.of(None).minutes_on(day("2026-11-21")), 0, "hours of a closed day of the week do not open it");
}

#[test]
fn ranges_count_both_ends_across_leap_day_and_clock_changes() {
    let calendar = WorkCalendar::default();
    let between = |first, last| calendar.of(None).minutes_between(day(first), day(last));
    assert_eq!(between("2026-11-16", "2026-11-16"), 480);
    assert_eq!(between("2026-11-16", "2026-11-22"), 5 * 480);
    assert_eq!(between("2028-02-28", "2028-03-01"), 3 * 480, "Monday, leap day, Wednesday");
    assert_eq!(between("2026-03-27", "2026-03-30"), 2 * 480, "Friday and Monday around summer time");
    assert_eq!(between("2026-10-23", "2026-10-26"), 2 * 480);
    assert_eq!(between("2026-11-17", "2026-11-16"), 0);
    assert_eq!(between("2026-01-01", "2026-12-31"), 261 * 480);
}

#[test]
fn weeks_begin_where_the_configuration_says() {
    let from_sunday = calendar("[calendar]\nweek_start = \"sun\"");
    assert_eq!(WorkCalendar::default().week_of(day("2026-11-15")), day("2026-11-09"));
    assert_eq!(WorkCalendar::default().week_of(day("2026-11-16")), day("2026-11-16"));
    assert_eq!(from_sunday.week_of(day("2026-11-15")), day("2026-11-15"));
    assert_eq!(from_sunday.week_of(day("2026-11-14")), day("2026-11-08"));
}

#[test]
fn a_calendar_on_which_nothing_can_be_done_says_what_would_help() {
    let closed = calendar(
        "[calendar]\nclosed_weekdays = [0, 1, 2, 3, 4, 5, 6]\nopen_dates = [2027-05-01]\n[assignees.eve]\nwork_hours_per_day = 0",
    );
    assert_eq!(closed.next_working_day(None, day("2026-11-16")), Ok(day("2027-05-01")));
    let error = closed.next_working_day(None, day("2027-05-02")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the calendar has no working time from 2027-05-02 on: set `work_hours_per_day` above 0, take a day out of \
         `closed_weekdays`, or add dates to `open_dates`"
    );
    let error = closed.next_working_day(Some("eve"), day("2026-11-16")).unwrap_err();
    assert!(error.to_string().starts_with("`eve` has no working time from 2026-11-16 on"), "{error}");
    let last = day("9999-12-31");
    assert_eq!(WorkCalendar::default().next_working_day(None, last), Ok(last));
    assert!(calendar("[calendar]\nclosed_weekdays = [5]").next_working_day(None, last).is_err());
}

#[test]
fn a_moment_falls_on_the_day_of_the_zone() {
    let berlin = jiff::tz::TimeZone::fixed(jiff::tz::offset(1));
    let late: crate::when::Moment = "2026-11-15T23:30:00Z".parse().unwrap();
    assert_eq!(late.day_in(&berlin), day("2026-11-16"));
    assert_eq!(beginning_of(day("2026-11-16"), &berlin).unwrap().to_string(), "2026-11-15T23:00:00Z");
}

fn some_days() -> impl Strategy<Value = WorkDays> {
    let start = day("2026-02-20");
    let date = (0..40_i64).prop_map(move |offset| start.plus(offset).unwrap());
    let minutes = || prop_oneof![Just(0), 1..1_440_u32];
    (prop::array::uniform7(minutes()), prop::collection::btree_map(date, minutes(), 0..6))
        .prop_map(|(weekdays, dates)| WorkDays { weekdays, dates })
}

proptest! {
    #[test]
    fn a_range_is_the_sum_of_its_days(days in some_days(), from in 0..40_i64, length in 0..60_i64) {
        let first = day("2026-02-20").plus(from).unwrap();
        let last = first.plus(length).unwrap();
        let counted: u64 = (0..=length).map(|offset| u64::from(days.minutes_on(first.plus(offset).unwrap()))).sum();
        prop_assert_eq!(days.minutes_between(first, last), counted);
    }

    #[test]
    fn the_next_working_day_is_worked_and_none_before_it_is(days in some_days(), from in 0..40_i64) {
        let from = day("2026-02-20").plus(from).unwrap();
        let far = from.plus(100).unwrap();
        match days.next_from(from) {
            Some(next) => {
                prop_assert!(days.minutes_on(next) > 0);
                prop_assert!(next == from || days.minutes_between(from, next.plus(-1).unwrap()) == 0);
            }
            None => prop_assert_eq!(days.minutes_between(from, far), 0),
        }
    }
}
