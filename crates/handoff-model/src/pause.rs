//! What a `PAUSE` file says: why writing is stopped, who stopped it and since when.
//!
//! The file counts because it is there; what stands in it is for people, so any text is read and none is refused.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::when::Moment;

/// The longest reason that is kept or shown, in characters.
pub const LONGEST_REASON: usize = 300;

/// Where a pause stands, and so what it stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PausePlace {
    /// In the store: nothing is written into it
    Project,
    /// In the user's configuration directory: nothing is written anywhere
    User,
    /// In agent-handover's directory, which stops that tool and handoff alike
    AgentHandover,
}

impl PausePlace {
    /// The word programs are told.
    pub const fn as_str(self) -> &'static str {
        match self {
            PausePlace::Project => "project",
            PausePlace::User => "user",
            PausePlace::AgentHandover => "agent_handover",
        }
    }
}

/// What a `PAUSE` file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PauseNote {
    /// One line, perhaps empty
    pub reason: String,
    pub by: Option<String>,
    pub since: Option<Moment>,
}

impl PauseNote {
    /// Reads what a file says. The first line is the reason; `by NAME, TIME` below it says who and when.
    pub fn read(text: &str) -> PauseNote {
        let mut lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
        let first = lines.next().unwrap_or_default();
        let signed = lines.next().and_then(signature);
        // People leave lines empty, and write the reason below.
        let reason = match (first, &signed) {
            ("", None) => text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default(),
            (first, _) => first,
        };
        let (by, since) = signed.unwrap_or_default();
        PauseNote { reason: one_line(reason), by, since }
    }
}

/// The text of the file; [`PauseNote::read`] reads it back.
impl fmt::Display for PauseNote {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", one_line(&self.reason))?;
        let by = one_line(self.by.as_deref().unwrap_or("unknown"));
        match self.since {
            Some(since) => writeln!(formatter, "by {by}, {since}"),
            None => writeln!(formatter, "by {by}"),
        }
    }
}

fn signature(line: &str) -> Option<(Option<String>, Option<Moment>)> {
    let signed = line.strip_prefix("by ")?.trim();
    let dated = signed.rsplit_once(", ").and_then(|(name, at)| Some((name.trim(), at.parse::<Moment>().ok()?)));
    let (name, since) = dated.map_or((signed, None), |(name, at)| (name, Some(at)));
    let is_known = !name.is_empty() && name != "unknown";
    Some((is_known.then(|| one_line(name)), since))
}

/// A text on one line, without control characters, and no longer than anybody reads.
pub fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let line = words.collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST_REASON) {
        None => line,
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(reason: &str, by: Option<&str>, since: Option<&str>) -> PauseNote {
        let since = since.map(|at| at.parse().unwrap());
        PauseNote { reason: reason.to_owned(), by: by.map(str::to_owned), since }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let at = Some("2026-11-16T08:00:00Z");
        for note in [
            note("release in progress", Some("alice"), at),
            note("", Some("Bob, the second"), at),
            note("", None, at),
            note("by the way", Some("codex"), None),
        ] {
            assert_eq!(PauseNote::read(&note.to_string()), note);
        }
        assert_eq!(note("why", Some("alice"), at).to_string(), "why\nby alice, 2026-11-16T08:00:00Z\n");
    }

    #[test]
    fn a_text_by_hand_is_its_first_line_that_says_something() {
        assert_eq!(PauseNote::read(""), PauseNote::default());
        assert_eq!(PauseNote::read("\u{feff}lunch\r\nback at one\r\n"), note("lunch", None, None));
        assert_eq!(PauseNote::read("\n\n  release day  \n"), note("release day", None, None));
        assert_eq!(PauseNote::read("why\nby alice"), note("why", Some("alice"), None));
        assert_eq!(PauseNote::read("why\nby alice, soon"), note("why", Some("alice, soon"), None));
    }

    #[test]
    fn a_reason_is_one_short_line_whatever_was_given() {
        assert_eq!(one_line(" a\r\nb\u{1b}[31m\tc "), "a b [31m c");
        let long = one_line(&"ä".repeat(5_000));
        assert_eq!(long.chars().count(), LONGEST_REASON + 1);
        assert!(long.ends_with('…'));
        let lines = note("two\nlines", Some("x\ny"), None).to_string();
        assert_eq!(lines, "two lines\nby x y\n");
    }
}
