//! What the entries of time logs come to, by task, person and day.
//!
//! **Invariant:** a minute of a person counts once. Where entries of one person overlap, the time belongs to the entry
//! that began first (then the one that ended first, then the smaller task id), and the overlap is told. Entries that
//! only say how many minutes lie nowhere on the clock and overlap nothing. Sums are kept in seconds and rounded to
//! minutes when they are read, so that many short entries lose nothing.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;

use super::Interval;
use crate::calendar::beginning_of;
use crate::id::TaskId;
use crate::when::{Day, Moment};

/// An entry that is longer says nothing about single days.
const LONGEST: SignedDuration = SignedDuration::from_hours(31 * 24);

/// An entry that says more minutes than a hundred years have cannot be right.
const MOST_MINUTES: u64 = 100 * 366 * 24 * 60;

/// The time logged, by task, person and day.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeSums {
    /// In the order of day, task, person
    pub cells: Vec<Cell>,
    /// Time that was logged more than once by the same person, in the order of time
    pub overlaps: Vec<Overlap>,
    /// Entries that cannot be right
    pub odd: Vec<Odd>,
}

/// The time of one person on one task on one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    pub day: Day,
    pub task: TaskId,
    pub who: String,
    /// Less than none where corrections take away more than was logged on that day
    pub seconds: i64,
}

/// Two entries of one person for the same time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Overlap {
    pub who: String,
    pub from: Moment,
    pub to: Moment,
    /// The task that the time counts for, the first of them where there are several
    pub counted: TaskId,
    /// The task that it does not count for
    pub ignored: TaskId,
}

/// An entry that cannot be right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Odd {
    /// It ends before it begins, and counts nothing
    Backwards { task: TaskId, who: String, started_at: Moment },
    /// It is longer than a month; all of it counts for its first day
    TooLong { task: TaskId, who: String, started_at: Moment },
    /// It says more minutes than anybody has, and these do not count
    Impossible { task: TaskId, who: String, started_at: Moment },
}

/// Adds up entries, in whatever order they come. Days are those of the zone.
pub fn sum<'a>(intervals: impl IntoIterator<Item = &'a Interval>, zone: &TimeZone) -> TimeSums {
    let mut seconds: BTreeMap<(Day, TaskId, &str), i64> = BTreeMap::new();
    let mut by_person: BTreeMap<&str, Vec<(Moment, Moment, TaskId)>> = BTreeMap::new();
    let mut sums = TimeSums::default();
    for interval in intervals {
        let Interval { task, who, source: _, started_at, ended_at, minutes, session: _, note: _ } = interval;
        if minutes.is_some_and(|minutes| minutes.unsigned_abs() > MOST_MINUTES) {
            sums.odd.push(Odd::Impossible { task: *task, who: who.clone(), started_at: *started_at });
            continue;
        }
        let minutes = minutes.unwrap_or(0);
        let span = interval.span();
        if span.is_none() || minutes > 0 {
            *seconds.entry((started_at.day_in(zone), *task, who)).or_insert(0) += minutes * 60;
        }
        match span {
            // Less than its span: what is taken off is taken off its end, so that it covers no more than it counts.
            Some((from, to)) => {
                let to = to.later(SignedDuration::from_mins(minutes.min(0)));
                if to > from {
                    by_person.entry(who).or_default().push((from, to, *task));
                }
            }
            None if ended_at.is_some_and(|end| end < *started_at) => {
                sums.odd.push(Odd::Backwards { task: *task, who: who.clone(), started_at: *started_at });
            }
            None => {}
        }
    }
    for (who, mut spans) in by_person {
        spans.sort_unstable();
        // How far the time of this person is taken, and by which entry: each from where the one before it ends.
        let mut taken: Vec<(Moment, TaskId)> = Vec::new();
        for (from, to, task) in spans {
            let mut free_from = from;
            if let Some(&(until, _)) = taken.last().filter(|(until, _)| *until > from) {
                let (_, counted) = taken[taken.partition_point(|(until, _)| *until <= from)];
                sums.overlaps.push(Overlap { who: who.to_owned(), from, to: until.min(to), counted, ignored: task });
                free_from = until.min(to);
            }
            if free_from.until(to) > LONGEST {
                sums.odd.push(Odd::TooLong { task, who: who.to_owned(), started_at: from });
            }
            for (day, length) in days_of(free_from, to, zone) {
                *seconds.entry((day, task, who)).or_insert(0) += length;
            }
            if taken.last().is_none_or(|(until, _)| to > *until) {
                taken.push((to, task));
            }
        }
    }
    sums.overlaps.sort_by(|one, other| (one.from, &one.who, one.ignored).cmp(&(other.from, &other.who, other.ignored)));
    let cell =
        |((day, task, who), seconds): ((Day, TaskId, &str), i64)| Cell { day, task, who: who.to_owned(), seconds };
    sums.cells = seconds.into_iter().map(cell).collect();
    sums
}

/// The seconds of a span on each of its days.
fn days_of(from: Moment, to: Moment, zone: &TimeZone) -> Vec<(Day, i64)> {
    if from >= to {
        return Vec::new();
    }
    let first = from.day_in(zone);
    if from.until(to) > LONGEST {
        return vec![(first, from.until(to).as_secs())];
    }
    let (mut at, mut day, mut days) = (from, first, Vec::new());
    while at < to {
        let next = day.plus(1);
        let midnight = next.and_then(|next| beginning_of(next, zone)).unwrap_or(to).min(to);
        // Counted from the beginning, so that fractions of seconds do not get lost at midnight.
        let seconds = from.until(midnight).as_secs() - from.until(at).as_secs();
        days.push((day, seconds));
        (at, day) = (midnight, next.unwrap_or(day));
    }
    days
}

fn in_minutes(seconds: i64) -> i64 {
    (seconds.saturating_add(30)).div_euclid(60)
}

impl TimeSums {
    fn by<K: Ord>(&self, key: impl Fn(&Cell) -> Option<K>) -> BTreeMap<K, i64> {
        let mut sums: BTreeMap<K, i64> = BTreeMap::new();
        for cell in &self.cells {
            if let Some(key) = key(cell) {
                let sum = sums.entry(key).or_insert(0);
                *sum = sum.saturating_add(cell.seconds);
            }
        }
        sums.into_iter().map(|(key, seconds)| (key, in_minutes(seconds))).collect()
    }

    pub fn total_minutes(&self) -> i64 {
        in_minutes(self.cells.iter().fold(0_i64, |sum, cell| sum.saturating_add(cell.seconds)))
    }

    pub fn minutes_by_task(&self) -> BTreeMap<TaskId, i64> {
        self.by(|cell| Some(cell.task))
    }

    pub fn minutes_by_person(&self) -> BTreeMap<String, i64> {
        self.by(|cell| Some(cell.who.clone()))
    }

    pub fn minutes_by_day(&self) -> BTreeMap<Day, i64> {
        self.by(|cell| Some(cell.day))
    }

    /// The minutes of each person on a task.
    pub fn minutes_on(&self, task: TaskId) -> BTreeMap<String, i64> {
        self.by(|cell| (cell.task == task).then(|| cell.who.clone()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::time_log::TimeSource;

    fn task(name: &str) -> TaskId {
        format!("{name:x<8}").parse().unwrap()
    }

    fn interval(who: &str, name: &str, from: &str, to: &str) -> Interval {
        Interval {
            source: TimeSource::Timer,
            ended_at: Some(to.parse().unwrap()),
            minutes: None,
            ..Interval::correction(task(name), who, from.parse().unwrap(), 0)
        }
    }

    #[test]
    fn overlaps_of_one_person_count_once_and_are_told() {
        let log = [
            interval("ann", "b", "2026-11-16T10:00:00Z", "2026-11-16T12:00:00Z"),
            interval("ann", "a", "2026-11-16T09:00:00Z", "2026-11-16T11:00:00Z"),
            interval("ann", "a", "2026-11-16T10:30:00Z", "2026-11-16T10:45:00Z"),
            interval("bob", "a", "2026-11-16T09:00:00Z", "2026-11-16T10:00:00Z"),
            Interval::minutes(task("a"), "ann", "2026-11-16T10:00:00Z".parse().unwrap(), 15),
            Interval::correction(task("b"), "ann", "2026-11-16T10:00:00Z".parse().unwrap(), -10),
        ];
        let sums = sum(&log, &TimeZone::UTC);
        assert_eq!(sums.minutes_by_task(), BTreeMap::from([(task("a"), 120 + 60 + 15), (task("b"), 60 - 10)]));
        assert_eq!(sums.minutes_by_person(), BTreeMap::from([("ann".to_owned(), 185), ("bob".to_owned(), 60)]));
        assert_eq!(sums.minutes_on(task("a")), BTreeMap::from([("ann".to_owned(), 135), ("bob".to_owned(), 60)]));
        assert_eq!(sums.total_minutes(), 245);
        let told: Vec<_> =
            sums.overlaps.iter().map(|it| (it.ignored, it.counted, it.from.until(it.to).as_mins())).collect();
        assert_eq!(told, [(task("b"), task("a"), 60), (task("a"), task("a"), 15)]);
    }

    #[test]
    fn days_are_those_of_the_zone_and_midnight_divides() {
        let log = [interval("ann", "a", "2026-11-16T22:30:00Z", "2026-11-17T00:15:00Z")];
        let day = |text: &str| text.parse::<Day>().unwrap();
        assert_eq!(
            sum(&log, &TimeZone::UTC).minutes_by_day(),
            BTreeMap::from([(day("2026-11-16"), 90), (day("2026-11-17"), 15)])
        );
        let berlin = TimeZone::fixed(jiff::tz::offset(1));
        assert_eq!(
            sum(&log, &berlin).minutes_by_day(),
            BTreeMap::from([(day("2026-11-16"), 30), (day("2026-11-17"), 75)])
        );
    }

    #[test]
    fn seconds_are_not_lost_and_odd_entries_are_told() {
        let short = |minute: u32| {
            let from = format!("2026-11-16T09:{minute:02}:00Z");
            interval("ann", "a", &from, &from.replace(":00Z", ":40Z"))
        };
        let log: Vec<Interval> = (0..30).map(short).collect();
        assert_eq!(sum(&log, &TimeZone::UTC).total_minutes(), 20);
        let odd = [
            interval("ann", "a", "2026-11-16T09:00:00Z", "2026-11-16T08:00:00Z"),
            interval("ann", "a", "0001-01-01T00:00:00Z", "9999-12-30T00:00:00Z"),
        ];
        assert_eq!(sum(&odd, &TimeZone::UTC).odd.len(), 2);
    }

    #[test]
    fn what_is_taken_off_an_entry_covers_no_time_and_impossible_minutes_do_not_count() {
        let slept =
            Interval { minutes: Some(-90), ..interval("ann", "a", "2026-11-16T10:00:00Z", "2026-11-16T12:00:00Z") };
        let log = [slept, interval("ann", "b", "2026-11-16T11:00:00Z", "2026-11-16T12:00:00Z")];
        let sums = sum(&log, &TimeZone::UTC);
        assert_eq!(sums.minutes_by_task(), BTreeMap::from([(task("a"), 30), (task("b"), 60)]));
        assert_eq!(sums.overlaps, []);
        let at = "2026-11-16T10:00:00Z".parse().unwrap();
        let log = [i64::MAX, i64::MAX, i64::MIN].map(|minutes| Interval::correction(task("a"), "ann", at, minutes));
        let sums = sum(&log, &TimeZone::UTC);
        assert_eq!((sums.total_minutes(), sums.odd.len()), (0, 3));
    }

    fn spans() -> impl Strategy<Value = Vec<(u8, u8, i64, i64)>> {
        prop::collection::vec((0..3_u8, 0..3_u8, 0..200_i64, 0..60_i64), 0..12)
    }

    proptest! {
        #[test]
        fn the_time_of_a_person_is_the_union_of_their_entries_in_any_order(spans in spans()) {
            let start: Moment = "2026-11-16T22:00:00Z".parse().unwrap();
            let at = |minutes| start.later(SignedDuration::from_mins(minutes));
            let entry = |&(who, name, from, length): &(u8, u8, i64, i64)| {
                let name = char::from(b'a' + name).to_string();
                interval(&format!("p{who}"), &name, &at(from).to_string(), &at(from + length).to_string())
            };
            let mut log: Vec<Interval> = spans.iter().map(entry).collect();
            let sums = sum(&log, &TimeZone::UTC);
            let union: usize = (0..3_u8).map(|who| (0..300_i64).filter(|minute| {
                spans.iter().any(|&(person, _, from, length)| person == who && (from..from + length).contains(minute))
            }).count()).sum();
            prop_assert_eq!(sums.total_minutes(), i64::try_from(union).unwrap());
            log.reverse();
            let turned = sum(&log, &TimeZone::UTC);
            prop_assert_eq!((turned.cells, turned.overlaps), (sums.cells, sums.overlaps));
        }
    }
}
