//! Lists and days as people type them and agents send them.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use handoff_model::change::Change;
use handoff_model::config::{DayKey, Decimal, NotATeamValue, NotInRange};
use handoff_model::when::{Day, NotATime};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Hours of one day.
pub(crate) type DayLength = Decimal<0, 2_400>;

/// One word about a list that replaces the present one.
#[derive(Clone, Debug, PartialEq)]
pub enum Listed<T> {
    /// `none`, or `null`: the list goes, and what holds without it counts
    Nothing,
    /// An empty word, or an empty list: there is a list with nothing in it
    Empty,
    Item(T),
}

impl<T: FromStr> FromStr for Listed<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        match text.trim() {
            "none" => Ok(Listed::Nothing),
            "" => Ok(Listed::Empty),
            word => word.parse().map(Listed::Item),
        }
    }
}

/// What the words about a list come to.
pub(crate) fn replacement<T>(words: Vec<Listed<T>>) -> Change<Vec<T>> {
    if words.is_empty() {
        return Change::Keep;
    }
    let is_there = words.iter().any(|word| !matches!(word, Listed::Nothing));
    let items = words.into_iter().filter_map(|word| if let Listed::Item(item) = word { Some(item) } else { None });
    let items: Vec<T> = items.collect();
    if is_there { Change::Set(items) } else { Change::Clear }
}

/// Reads a list that may be null, or given as one text with commas.
pub(crate) fn listed<'de, D: Deserializer<'de>, T: FromStr<Err: fmt::Display>>(
    deserializer: D,
) -> Result<Vec<Listed<T>>, D::Error> {
    let word = |value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        other => Err(D::Error::custom(format!("`{other}` cannot stand in a list of words"))),
    };
    let words: Vec<String> = match Value::deserialize(deserializer)? {
        Value::Null => return Ok(vec![Listed::Nothing]),
        Value::Array(items) => items.iter().map(word).collect::<Result<_, _>>()?,
        Value::String(text) => text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(Into::into).collect(),
        number @ Value::Number(_) => vec![number.to_string()],
        _ => return Err(D::Error::custom("expected a list, or null to clear it")),
    };
    if words.is_empty() {
        return Ok(vec![Listed::Empty]);
    }
    words.iter().map(|word| word.parse().map(Listed::Item).map_err(D::Error::custom)).collect()
}

/// Reads items to add or to take away: a list, or one text with commas.
pub(crate) fn items<'de, D: Deserializer<'de>, T: FromStr<Err: fmt::Display>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let item = |word| if let Listed::Item(item) = word { Some(item) } else { None };
    Ok(listed(deserializer)?.into_iter().filter_map(item).collect())
}

/// One date, or several in a row as `2026-12-27..2026-12-31`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Days {
    first: Day,
    last: Day,
}

/// A text that names no days.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NotDays {
    #[error(transparent)]
    NotADay(#[from] NotATime),
    #[error("`{0}` ends before it begins")]
    Backwards(String),
    #[error("`{0}` is more than a year: give shorter ranges, or close days of the week")]
    TooLong(String),
}

impl Days {
    const MOST: i64 = 366;

    fn each(self) -> impl Iterator<Item = Day> {
        std::iter::successors(Some(self.first), |day| day.plus(1)).take_while(move |day| *day <= self.last)
    }
}

impl FromStr for Days {
    type Err = NotDays;

    fn from_str(text: &str) -> Result<Self, NotDays> {
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let (first, last): (Day, Day) = (first.parse()?, last.parse()?);
        match first.days_until(last) {
            ..0 => Err(NotDays::Backwards(format!("{first}..{last}"))),
            Days::MOST.. => Err(NotDays::TooLong(format!("{first}..{last}"))),
            _ => Ok(Days { first, last }),
        }
    }
}

/// What to do with a list of dates.
#[derive(Debug, Default)]
pub(crate) struct DateLists {
    pub(crate) set: Vec<Listed<Days>>,
    pub(crate) add: Vec<Days>,
    pub(crate) remove: Vec<Days>,
}

impl DateLists {
    /// The list as it shall be, each date once and in order; `what` is the list in a warning.
    pub(crate) fn apply(self, present: &[Day], what: &str, warnings: &mut Vec<String>) -> Change<Vec<Day>> {
        if self.add.is_empty() && self.remove.is_empty() {
            return replacement(self.set).map(|days| flat(&days).into_iter().collect());
        }
        let mut days: BTreeSet<Day> = match replacement(self.set) {
            Change::Keep => present.iter().copied().collect(),
            Change::Clear => BTreeSet::new(),
            Change::Set(days) => flat(&days),
        };
        days.extend(flat(&self.add));
        for range in &self.remove {
            let found = range.each().filter(|day| days.remove(day)).count();
            if found == 0 {
                warnings.push(format!("{} is not in `{what}`", shown(&range.each().collect::<Vec<_>>())));
            }
        }
        if days.is_empty() { Change::Clear } else { Change::Set(days.into_iter().collect()) }
    }
}

fn flat(ranges: &[Days]) -> BTreeSet<Day> {
    ranges.iter().flat_map(|range| range.each()).collect()
}

/// Dates as people write them: several in a row as a range.
pub(crate) fn shown(days: &[Day]) -> String {
    let mut ranges: Vec<(Day, Day)> = Vec::new();
    for &day in days {
        match ranges.last_mut() {
            Some((_, last)) if last.plus(1) == Some(day) => *last = day,
            _ => ranges.push((day, day)),
        }
    }
    let range = |(first, last): &(Day, Day)| {
        if first == last { first.to_string() } else { format!("{first}..{last}") }
    };
    ranges.iter().map(range).collect::<Vec<_>>().join(", ")
}

/// The hours of one day of the week or one date: `fri=4`; `fri=none` takes them away, `none` takes all away.
#[derive(Clone, Debug, PartialEq)]
pub enum HoursOn {
    Nothing,
    Day(DayKey, Option<DayLength>),
}

/// A text that says no hours of a day.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NotHoursOn {
    #[error("`{0}` says no hours of a day: write `fri=4` or `2026-12-24=4`")]
    NoHours(String),
    #[error(transparent)]
    Day(#[from] NotATeamValue),
    #[error(transparent)]
    Hours(#[from] NotInRange),
}

impl FromStr for HoursOn {
    type Err = NotHoursOn;

    fn from_str(text: &str) -> Result<Self, NotHoursOn> {
        if text.trim() == "none" {
            return Ok(HoursOn::Nothing);
        }
        let (day, hours) = text.split_once('=').ok_or_else(|| NotHoursOn::NoHours(text.to_owned()))?;
        let hours = if hours.trim() == "none" { None } else { Some(hours.parse()?) };
        Ok(HoursOn::Day(day.trim().parse()?, hours))
    }
}

/// Reads `{"fri": 4, "2026-12-24": null}`, or null for all.
pub(crate) fn day_hours<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<HoursOn>, D::Error> {
    let map = match Value::deserialize(deserializer)? {
        Value::Null => return Ok(vec![HoursOn::Nothing]),
        Value::Object(map) => map,
        _ => return Err(D::Error::custom("expected hours by day such as {\"fri\": 4, \"2026-12-24\": 0}")),
    };
    let one = |(day, hours): (String, Value)| {
        let key: DayKey = day.parse().map_err(D::Error::custom)?;
        let hours = serde_json::from_value(hours).map_err(|error| D::Error::custom(format!("`{day}`: {error}")))?;
        Ok(HoursOn::Day(key, hours))
    };
    map.into_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        text.parse().unwrap()
    }

    #[test]
    fn ranges_are_dates_in_a_row() {
        let days: Days = "2026-12-30..2027-01-02".parse().unwrap();
        let each: Vec<Day> = days.each().collect();
        assert_eq!((each.len(), each[3]), (4, day("2027-01-02")));
        assert_eq!(shown(&[day("2026-12-24"), each[0], each[1], each[2]]), "2026-12-24, 2026-12-30..2027-01-01");
        let wrong = |text: &str| text.parse::<Days>().unwrap_err().to_string();
        assert_eq!(wrong("2026-12-31..2026-12-27"), "`2026-12-31..2026-12-27` ends before it begins");
        assert!(wrong("2026-01-01..2027-01-02").contains("more than a year"));
        assert!(wrong("2026-02-30").contains("2026-02-30"));
        assert!(wrong("..").contains("date"));
        assert!("2028-01-01..2028-12-31".parse::<Days>().is_ok(), "a leap year is a year");
    }

    #[test]
    fn lists_are_replaced_added_to_and_taken_from() {
        let days = |text: &str| -> Vec<Days> { text.split_whitespace().map(|word| word.parse().unwrap()).collect() };
        let present = [day("2026-12-24"), day("2026-12-25")];
        let mut warnings = Vec::new();
        let lists = DateLists {
            add: days("2026-12-31 2026-12-24"),
            remove: days("2026-12-25 2026-01-01"),
            ..DateLists::default()
        };
        let changed = lists.apply(&present, "closed_dates", &mut warnings);
        assert_eq!(changed, Change::Set(vec![day("2026-12-24"), day("2026-12-31")]));
        assert_eq!(warnings, ["2026-01-01 is not in `closed_dates`"]);
        let set = DateLists { set: vec![Listed::Item(days("2026-12-26..2026-12-27")[0])], ..DateLists::default() };
        assert_eq!(set.apply(&present, "", &mut warnings), Change::Set(vec![day("2026-12-26"), day("2026-12-27")]));
        assert_eq!(DateLists::default().apply(&present, "", &mut warnings), Change::Keep);
    }

    #[test]
    fn nothing_and_an_empty_list_are_two_things() {
        let read = |json: &str| {
            let mut deserializer = serde_json::Deserializer::from_str(json);
            listed::<_, handoff_model::config::Weekday>(&mut deserializer).map(replacement)
        };
        assert_eq!(read("null").unwrap(), Change::Clear);
        assert_eq!(read("[]").unwrap(), Change::Set(Vec::new()));
        assert_eq!(read("[5, \"Saturday\"]").unwrap().map(|days| days.len()), Change::Set(2));
        assert_eq!(read("\"fri, 6\"").unwrap().map(|days| days.len()), Change::Set(2));
        for wrong in ["[7]", "[\"freitag\"]", "[null]", "{}", "true", "[[1]]"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn hours_are_said_by_day() {
        assert!(matches!("Friday=4.5".parse(), Ok(HoursOn::Day(DayKey::Weekday(_), Some(_)))));
        assert!(matches!("2026-12-24=none".parse(), Ok(HoursOn::Day(DayKey::Date(_), None))));
        for wrong in ["fri", "fri=25", "fri=-1", "freitag=4", "2026-02-30=1", "fri="] {
            assert!(wrong.parse::<HoursOn>().is_err(), "{wrong}");
        }
    }
}
