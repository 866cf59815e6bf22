//! The life of a session: from its beginning to its end, and what it is called.

use serde_json::Map;

use super::{BadEdit, Session, SessionKind, SessionStatus};
use crate::id::SessionId;
use crate::when::{Day, Moment};

/// Stands in a name for the day of a session that tells none.
const NO_DAY: &str = "0000-00-00";

impl Session {
    /// A session that begins now; everything it says is an edit.
    pub fn new(id: SessionId, kind: SessionKind, now: Moment) -> Self {
        Session {
            format: crate::FORMAT,
            id,
            kind,
            status: SessionStatus::Active,
            title: None,
            summary: String::new(),
            state: None,
            tool: None,
            author: None,
            name: None,
            tags: Vec::new(),
            project: None,
            timeline: None,
            label: None,
            started_at: Some(now),
            ended_at: None,
            expires_at: None,
            continues: None,
            forked_from: None,
            merged_from: Vec::new(),
            merged_into: None,
            handover: None,
            next: Vec::new(),
            blockers: Vec::new(),
            questions: Vec::new(),
            tasks: Vec::new(),
            last_decision: None,
            decisions: Vec::new(),
            checklist: Vec::new(),
            notes: Vec::new(),
            references: Vec::new(),
            pointers: Vec::new(),
            environment: Map::new(),
            git: None,
            items: Vec::new(),
            settled: Vec::new(),
            body_base64: None,
            body_check: None,
            origin: None,
        }
    }

    /// Puts it aside, to be gone on with later.
    pub fn pause(&mut self) -> Result<(), BadEdit> {
        self.become_status(SessionStatus::Paused)
    }

    /// Goes on with it.
    pub fn activate(&mut self) -> Result<(), BadEdit> {
        self.become_status(SessionStatus::Active)
    }

    /// Ends it for good.
    pub fn close(&mut self, now: Moment) -> Result<(), BadEdit> {
        self.become_status(SessionStatus::Closed)?;
        self.ended_at = Some(now);
        Ok(())
    }

    /// Refuses any change of a session that is closed.
    pub fn check_open(&self) -> Result<(), BadEdit> {
        match self.status {
            SessionStatus::Active | SessionStatus::Paused => Ok(()),
            SessionStatus::Closed => Err(BadEdit::Closed { id: self.id.clone() }),
        }
    }

    fn become_status(&mut self, status: SessionStatus) -> Result<(), BadEdit> {
        self.check_open()?;
        self.status = status;
        Ok(())
    }

    /// Whether its lifetime is over at this moment.
    pub fn is_expired(&self, now: Moment) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }

    /// The full name of its file, `2026-11-15-a3f9c12e`: the day it began, in UTC, and its id.
    pub fn full_name(&self) -> String {
        let day = self.started_at.or(self.ended_at).map(|at| date(at).to_string());
        format!("{}-{}", day.as_deref().unwrap_or(NO_DAY), self.id)
    }

    /// Whether its file can have this name: a day, or the mark of none, and its id.
    pub fn can_be_called(&self, name: &str) -> bool {
        let day = name.strip_suffix(self.id.as_str()).and_then(|day| day.strip_suffix('-'));
        day.is_some_and(|day| day == NO_DAY || day.parse::<Day>().is_ok_and(|read| read.to_string() == day))
    }

    /// What it is about in one line of at most `limit` characters: its title, else the beginning of its summary.
    pub fn headline(&self, limit: usize) -> String {
        let texts = [self.title.as_deref(), Some(self.summary.as_str()), self.name.as_deref()];
        let mut lines = texts.into_iter().flatten().flat_map(str::lines).map(one_line);
        let line = lines.find(|line| !line.is_empty()).unwrap_or_else(|| "no summary".to_owned());
        cut(&line, limit)
    }
}

/// The day of a moment in UTC, in the years that a file name can tell.
pub(super) fn date(at: Moment) -> jiff::civil::Date {
    let date = at.timestamp().to_zoned(jiff::tz::TimeZone::UTC).date();
    if date.year() < 0 { jiff::civil::Date::constant(0, 1, 1) } else { date }
}

/// A line without control characters and runs of blanks.
fn one_line(line: &str) -> String {
    // A summary may begin with a heading; its marks are not part of what it says.
    let unmarked = line.trim_start().trim_start_matches('#');
    let line = if unmarked.starts_with(' ') { unmarked } else { line };
    line.split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The beginning of a line, ended at a word where that loses little.
fn cut(line: &str, limit: usize) -> String {
    if line.chars().count() <= limit {
        return line.to_owned();
    }
    let end = line.char_indices().nth(limit.saturating_sub(1)).map_or(line.len(), |(end, _)| end);
    let front = &line[..end];
    let is_whole = line[end..].starts_with(' ');
    let blank = front.rfind(' ').filter(|blank| !is_whole && blank * 2 > end);
    let at_word = &front[..blank.unwrap_or(front.len())];
    format!("{}…", at_word.trim_end_matches([' ', ',', ';', ':']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Moment {
        text.parse().unwrap()
    }

    fn session() -> Session {
        let id = SessionId::from_random([0xa3, 0xf9, 0xc1, 0x2e]);
        Session::new(id, SessionKind::Session, at("2026-11-15T23:30:00-02:00"))
    }

    #[test]
    fn a_session_pauses_goes_on_and_ends_once() {
        let mut session = session();
        session.pause().unwrap();
        session.pause().unwrap();
        assert_eq!(session.status, SessionStatus::Paused);
        session.activate().unwrap();
        assert_eq!(session.status, SessionStatus::Active);
        session.close(at("2026-11-16T08:00:00Z")).unwrap();
        assert_eq!((session.status, session.ended_at), (SessionStatus::Closed, Some(at("2026-11-16T08:00:00Z"))));
        let before = session.clone();
        let ways = [session.pause(), session.activate(), session.close(at("2026-11-17T08:00:00Z"))];
        for way in ways {
            assert_eq!(
                way.unwrap_err().to_string(),
                "session `a3f9c12e` is closed and stays as it is: reopen it to go on in a new one"
            );
        }
        assert_eq!(session, before);
    }

    #[test]
    fn the_name_tells_the_day_it_began_in_utc() {
        let mut session = session();
        assert_eq!(session.full_name(), "2026-11-16-a3f9c12e");
        session.started_at = Some(at("-004000-02-29T12:00:00Z"));
        assert_eq!(session.full_name(), "0000-01-01-a3f9c12e");
        session.started_at = None;
        assert_eq!(session.full_name(), "0000-00-00-a3f9c12e");
    }

    #[test]
    fn the_headline_is_one_line_cut_at_a_word() {
        let mut session = session();
        assert_eq!(session.headline(20), "no summary");
        session.summary = "\n  Token parser\textracted,\u{1b} refresh tests fail \nmore".to_owned();
        assert_eq!(session.headline(80), "Token parser extracted, refresh tests fail");
        assert_eq!(session.headline(26), "Token parser extracted…");
        assert_eq!(session.headline(24), "Token parser extracted…");
        session.summary = "## Done #12\n".to_owned();
        assert_eq!(session.headline(80), "Done #12");
        session.summary = "#12 is done".to_owned();
        assert_eq!(session.headline(80), "#12 is done");
        session.title = Some("認証を設計する長い題名".to_owned());
        assert_eq!(session.headline(6), "認証を設計…");
        for limit in 0..60 {
            assert!(session.headline(limit).chars().count() <= limit.max(1), "{limit}");
        }
    }
}
