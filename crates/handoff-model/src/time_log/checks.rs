//! Checksums of the entries of a time log.
//!
//! Entries are appended and never change, so each names the one before it: a lost entry leaves a reference to nothing.
//! The last line of the file is always the same. It shows that the end is there without being a line that every writer
//! changes.

use std::collections::HashSet;

use serde_json::Value as Json;
use toml::de::DeTable;
use toml_edit::{ArrayOfTables, DocumentMut, Item};

use super::{Interval, TimeLog};
use crate::document::{self, Unreadable};
use crate::entry_check::{emptied, entry_check};
use crate::known_keys;
use crate::problem::Problem;

/// Key of the checksum in an entry.
const CHECK: &str = "check";
/// Separator between the checksum of an entry and the one of the entry before it.
const AFTER: &str = " after ";
/// Last line of a log whose entries have checksums.
const END_LINE: &str = "# end of log";

/// Value of the key `check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Check<'a> {
    own: &'a str,
    /// Checksum of the entry that stood before this one when it was written
    before: Option<&'a str>,
}

impl<'a> Check<'a> {
    fn read(value: &'a str) -> Self {
        match value.split_once(AFTER) {
            Some((own, before)) => Check { own, before: Some(before) },
            None => Check { own: value, before: None },
        }
    }
}

fn check_of(interval: &Interval, before: Option<&str>) -> String {
    let fields = document::object(interval);
    let values = fields.iter().map(|(name, value)| match value {
        Json::String(text) => (name.as_str(), text.clone()),
        other => (name.as_str(), other.to_string()),
    });
    let values: Vec<(&str, String)> = values.collect();
    let before = before.map(|before| ("after", before));
    entry_check(values.iter().map(|(name, value)| (*name, value.as_str())).chain(before))
}

impl TimeLog {
    /// Reads the log in the file `path`, with the problems that its checksums and its keys show. Entries that were
    /// changed are still read: what they say may be right.
    pub fn read_checked(path: &str, text: &str) -> Result<(TimeLog, Vec<Problem>), Unreadable> {
        if let Some(error) = emptied(text) {
            return Err(error);
        }
        let log = TimeLog::read(text)?;
        let mut problems = known_keys::misspelled::<TimeLog>(path, text);
        problems.extend(log.broken_checks(path, text));
        Ok((log, problems))
    }

    fn broken_checks(&self, path: &str, text: &str) -> Vec<Problem> {
        let values = checks_in(text);
        let known: HashSet<&str> =
            values.iter().filter_map(|(check, _)| check.as_deref()).map(|check| Check::read(check).own).collect();
        if known.is_empty() {
            return Vec::new();
        }
        let mut problems = Vec::new();
        let mut follows_unchecked = false;
        for (interval, (value, line)) in self.intervals.iter().zip(&values) {
            // Somebody who changes an entry by hand removes its checksum, which the next entry still refers to.
            let was_unchecked = std::mem::replace(&mut follows_unchecked, value.is_none());
            let Some(check) = value.as_deref().map(Check::read) else { continue };
            let line = Some(*line);
            if check_of(interval, check.before) != check.own {
                let reason = "the entry is not as it was written: its checksum does not match. It counts as it stands";
                problems.push(Problem::mended(path, reason).at_line(line));
            }
            let name = interval.file_name();
            if !path.ends_with(&name) && problems.is_empty() {
                let reason = format!("the entry belongs in `{name}`: one file may have been replaced by another");
                problems.push(Problem::mended(path, reason).at_line(line));
            }
            if let Some(before) = check.before.filter(|before| !was_unchecked && !known.contains(before)) {
                let reason = format!("the entry before this one is missing: its checksum was {before}");
                problems.push(Problem::damaged(path, reason).at_line(line));
            }
        }
        if !text.lines().any(|line| line.trim_end() == END_LINE) {
            let last = text.lines().count();
            let reason = format!("the end is missing: `{END_LINE}` should be the last line");
            problems.push(Problem::damaged(path, reason).at_line(Some(last)));
        }
        problems
    }
}

/// Adds checksums to the entries from a place on, and puts the last line at the end.
pub(super) fn add_checks(text: &str, log: &TimeLog, from: usize) -> String {
    let without_end: String = text.split_inclusive('\n').filter(|line| line.trim_end() != END_LINE).collect();
    let Ok(mut document) = without_end.parse::<DocumentMut>() else { return text.to_owned() };
    let Some(tables) = document.get_mut("intervals").and_then(Item::as_array_of_tables_mut) else {
        return text.to_owned();
    };
    let mut before = last_check(tables, from);
    for (table, interval) in tables.iter_mut().zip(&log.intervals).skip(from) {
        let own = check_of(interval, before.as_deref());
        let value = before.map_or_else(|| own.clone(), |before| format!("{own}{AFTER}{before}"));
        table.insert(CHECK, toml_edit::value(value));
        before = Some(own);
    }
    let mut written = document.to_string();
    if !written.ends_with('\n') {
        written.push('\n');
    }
    written.push_str(END_LINE);
    written.push('\n');
    document::with_windows_line_ends(text, &written).unwrap_or(written)
}

/// Checksum of the last entry before a place that has one.
fn last_check(tables: &ArrayOfTables, end: usize) -> Option<String> {
    let values: Vec<&str> =
        tables.iter().take(end).filter_map(|table| table.get(CHECK).and_then(Item::as_str)).collect();
    values.last().map(|value| Check::read(value).own.to_owned())
}

/// The value of `check` in each entry, and the line the entry begins on.
fn checks_in(text: &str) -> Vec<(Option<String>, usize)> {
    let (document, _) = DeTable::parse_recoverable(text);
    let Some(entries) = document.get_ref().get("intervals").and_then(|list| list.get_ref().as_array()) else {
        return Vec::new();
    };
    let entry = |entry: &toml::Spanned<toml::de::DeValue<'_>>| {
        let table = entry.get_ref().as_table();
        let check = table.and_then(|table| table.get(CHECK)).and_then(|value| value.get_ref().as_str());
        (check.map(str::to_owned), document::line_at(text, entry.span().start))
    };
    entries.iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "time/2026-11-alice.toml";

    fn entry(minutes: i64) -> Interval {
        let at = "2026-11-15T09:00:00Z".parse().unwrap();
        Interval::correction("k7f3q2ma".parse().unwrap(), "alice", at, minutes)
    }

    fn written(minutes: &[i64]) -> String {
        let mut text = String::new();
        for minutes in minutes {
            text = TimeLog::append(&text, vec![entry(*minutes)]).unwrap();
        }
        text
    }

    fn problems(text: &str) -> Vec<String> {
        let (_, problems) = TimeLog::read_checked(PATH, text).unwrap();
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_log_as_it_was_written_has_no_problems() {
        let text = written(&[30, 45, -15]);
        assert_eq!(problems(&text), [] as [&str; 0]);
        assert!(text.ends_with("\n# end of log\n") && text.matches("# end of log").count() == 1, "{text}");
        assert_eq!(problems(&text.replace('\n', "\r\n")), [] as [&str; 0]);
        assert_eq!(problems("format = 1\n"), [] as [&str; 0], "a log of an older version has no checksums");
    }

    #[test]
    fn a_changed_value_is_reported_with_its_line() {
        let text = written(&[30, 45]);
        let changed = problems(&text.replace("minutes = 45", "minutes = 44"));
        assert_eq!(changed.len(), 1, "{changed:?}");
        assert!(changed[0].contains(":11: the entry is not as it was written"), "{changed:?}");
    }

    #[test]
    fn a_lost_entry_is_reported_wherever_it_stood() {
        let text = written(&[30, 45, 60]);
        let starts: Vec<usize> = text.match_indices("[[intervals]]").map(|(at, _)| at).collect();
        let without_second = format!("{}{}", &text[..starts[1]], &text[starts[2]..]);
        assert!(problems(&without_second)[0].contains("the entry before this one is missing"));
        assert!(problems(&text[..starts[2]])[0].contains("the end is missing"));
        let renamed = text.replacen("[[intervals]]", "[[intervbls]]", 1);
        assert!(problems(&renamed).iter().any(|problem| problem.contains("did you mean `intervals`")), "{renamed}");
    }

    #[test]
    fn an_emptied_log_cannot_be_read() {
        for text in ["", "\n", "\0\0\0"] {
            assert!(TimeLog::read_checked(PATH, text).is_err());
        }
    }

    #[test]
    fn entries_that_two_people_append_are_all_valid_after_a_merge() {
        let base = written(&[30]);
        let ours = TimeLog::append(&base, vec![entry(45)]).unwrap();
        let theirs = TimeLog::append(&base, vec![entry(60)]).unwrap();
        let added = |side: &str| side.strip_prefix(base.trim_end_matches("# end of log\n")).unwrap().to_owned();
        let merged = format!("{ours}{}", added(&theirs));
        assert_eq!(problems(&merged), [] as [&str; 0]);
        assert_eq!(TimeLog::read(&merged).unwrap().intervals.len(), 3);
    }

    #[test]
    fn removing_the_check_of_an_entry_accepts_a_change_by_hand() {
        let text = written(&[30, 45]).replace("minutes = 30", "minutes = 20");
        let (before, after) = text.split_once("check").unwrap();
        let accepted = format!("{before}{}", after.split_once('\n').unwrap().1);
        assert_eq!(problems(&accepted), [] as [&str; 0]);
    }

    #[test]
    fn no_flipped_bit_changes_what_is_read_without_a_problem() {
        let text = written(&[30, 45]);
        let whole = TimeLog::read(&text).unwrap();
        for bit in 0..text.len() * 8 {
            let mut bytes = text.clone().into_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let Ok(damaged) = String::from_utf8(bytes) else { continue };
            if let Ok((log, problems)) = TimeLog::read_checked(PATH, &damaged) {
                assert!(log.intervals == whole.intervals || !problems.is_empty(), "bit {bit}:\n{damaged}");
            }
        }
    }
}
