//! Reading every session, whatever a person, a crash or a merge left behind.

use std::collections::HashMap;
use std::sync::Arc;

use handoff_model::MAX_BODY_BYTES;
use handoff_model::conflict;
use handoff_model::entry_check::emptied;
use handoff_model::id::{SessionId, SessionRef};
use handoff_model::known_keys::misspelled;
use handoff_model::problem::{Problem, Severity};
use handoff_model::rev::Rev;
use handoff_model::session::open_items::shared_id_problems;
use handoff_model::session::{Session, SessionStatus};
use handoff_model::when::Moment;
use jiff::SignedDuration;

use crate::error::{Result, StoreError};
use crate::layout::SESSIONS;
use crate::root::{is_refusal, join};
use crate::store::Store;
use crate::task::read::is_ignored;
use crate::warm::FileReading;

/// A session as it lies on disk at this moment, with what is needed to change it.
#[derive(Clone, Debug)]
pub struct FoundSession {
    /// Its full name, such as `2026-11-15-a3f9c12e`
    pub name: String,
    pub session: Session,
    pub rev: Rev,
    /// What had to be read differently from how it is written
    pub problem: Option<Problem>,
    /// The archive it was moved to, where it is no longer a file of its own
    pub archive: Option<String>,
    /// Where its file lies, relative to the store; in an archive, where it would lie
    pub(crate) file: String,
    pub(crate) text: String,
    /// The body of an archived session, which comes with it
    pub(crate) archived_body: Option<String>,
}

/// Sessions, the one with the latest activity first.
#[derive(Clone, Debug, Default)]
pub struct Sessions {
    pub list: Vec<Arc<FoundSession>>,
    pub problems: Vec<Problem>,
    /// Whether some may be missing that are in order: the system would not let them be read this time
    pub lacks_some: bool,
}

impl FoundSession {
    /// Where its file lies, relative to the store.
    pub fn file(&self) -> &str {
        self.archive.as_deref().unwrap_or(&self.file)
    }

    /// The text of its file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Changes whenever the text of its file does; in an archive, whenever its own text or its body there does.
    pub fn mark(&self) -> u64 {
        let body = self.archived_body.as_ref().map_or(0, |body| Rev::of(body.as_bytes()).as_number());
        self.rev.as_number() ^ body
    }

    /// When something last happened in it, as far as it says.
    pub fn last_active(&self) -> Option<Moment> {
        self.session.ended_at.or(self.session.started_at)
    }

    /// Reports whether it hands work over. Packages only carry something, ledgers only record questions and settled items.
    pub fn is_handoff(&self) -> bool {
        self.session.kind.is_handoff()
    }

    /// Newest first; what cannot be told apart by time is in the order of the names.
    pub(crate) fn order(&self) -> (std::cmp::Reverse<Option<Moment>>, std::cmp::Reverse<&str>) {
        (std::cmp::Reverse(self.last_active()), std::cmp::Reverse(self.name.as_str()))
    }
}

impl Store {
    /// Every session that is a file of its own.
    pub fn sessions(&self) -> Result<Sessions> {
        self.at_one_moment(|| self.read_sessions())
    }

    fn read_sessions(&self) -> Result<Sessions> {
        let files = match self.files(SESSIONS, &SINGLE) {
            Err(StoreError::Read { path, source }) => {
                let problem = Problem::damaged(path, format!("cannot be read: {source}"));
                return Ok(Sessions { list: Vec::new(), problems: vec![problem], lacks_some: true });
            }
            files => files?,
        };
        let mut sessions = Sessions::default();
        for file in files.iter() {
            sessions.list.extend(file.content.found.clone());
            sessions.problems.extend(file.content.problem.clone());
            sessions.lacks_some |= file.content.is_refused;
        }
        sessions.settle();
        Ok(sessions)
    }

    /// The free-form text that belongs to a session, byte for byte.
    pub fn session_body(&self, found: &FoundSession) -> Result<Option<String>> {
        self.session_body_within(found, MAX_BODY_BYTES)
    }

    /// The same; one of more bytes than this is an error.
    pub fn session_body_within(&self, found: &FoundSession, limit: usize) -> Result<Option<String>> {
        let body = self.read_session_body(found, limit)?;
        let path = if found.archive.is_some() { found.file().to_owned() } else { body_file(&found.file) };
        self.notice(&body_problem(&found.session, &path, body.as_deref()));
        Ok(body)
    }

    fn read_session_body(&self, found: &FoundSession, limit: usize) -> Result<Option<String>> {
        if found.archive.is_some() {
            return Ok(found.archived_body.clone());
        }
        let file = body_file(&found.file);
        self.at_one_moment(|| match self.root.read_text_within(&file, limit) {
            // It went to the archive since it was found, and its body with it.
            Ok(None) if !self.root.exists(&found.file) => {
                let archived = self.archived_sessions()?;
                let same = archived.list.iter().find(|archived| archived.name == found.name);
                Ok(same.and_then(|archived| archived.archived_body.clone()))
            }
            body => body.map_err(|source| StoreError::read(&file, source)),
        })
    }
}

impl Sessions {
    /// What keeps a session from being in the list, where it is there and cannot be read.
    pub fn hidden(&self, id: &SessionId) -> Option<&Problem> {
        let is_named = |path: &str| {
            let stem = crate::store::name_of(path).strip_suffix(SUFFIX).unwrap_or_default();
            stem.strip_suffix(id.as_str()).is_some_and(|date| date.is_empty() || date.ends_with('-'))
        };
        let hides = |problem: &&Problem| problem.path == SESSIONS || is_named(&problem.path);
        self.problems.iter().filter(|problem| problem.severity == Severity::Damaged).find(hides)
    }

    /// Puts sessions that are dated in the future after all others, each with a word about it: a clock was wrong, and they
    /// must not count as the last ones until then.
    pub fn put_future_last(&mut self, now: Moment) {
        let is_future = |found: &Arc<FoundSession>| {
            found.last_active().is_some_and(|at| at.timestamp().duration_since(now.timestamp()) > CLOCK_TOLERANCE)
        };
        let (future, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.list).into_iter().partition(is_future);
        self.problems.extend(future.iter().map(|found| {
            let at = found.last_active().map(|at| at.in_seconds().to_string()).unwrap_or_default();
            Problem::mended(found.file(), format!("it is dated {at}, in the future, so it comes after all others"))
        }));
        self.list = rest;
        self.list.extend(future);
    }

    /// Puts them in order, and of several files with one id keeps the one with the latest activity.
    pub(crate) fn settle(&mut self) {
        self.list.sort_by(|a, b| a.order().cmp(&b.order()));
        let mut shown: HashMap<SessionId, String> = HashMap::new();
        let problems = &mut self.problems;
        self.list.retain(|found| match shown.get(&found.session.id) {
            None => {
                shown.insert(found.session.id.clone(), found.file().to_owned());
                true
            }
            Some(first) => {
                problems.push(kept_aside(found.file(), &found.session.id, first));
                false
            }
        });
        self.problems.sort();
        self.problems.dedup();
    }
}

/// How far ahead of this clock another may be.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_hours(24);

pub(crate) const SUFFIX: &str = ".toml";
pub(crate) const BODY: &str = ".md";

/// What is told of a file with the id of another.
pub(super) fn kept_aside(file: &str, id: &SessionId, first: &str) -> Problem {
    let reason =
        format!("has the id `{id}` of {first} too; that one was touched last and is shown, this one is kept aside");
    Problem::mended(file, reason)
}

/// A file that should be a session.
pub(super) struct ReadSession {
    pub(super) found: Option<Arc<FoundSession>>,
    pub(super) problem: Option<Problem>,
    /// Whether it was the system that would not give it
    pub(super) is_refused: bool,
}

/// The files of sessions.
pub(super) const SINGLE: FileReading<ReadSession> = FileReading {
    is_wanted: |name| name.ends_with(SUFFIX) && !is_ignored(name),
    understand: |name, text| {
        let file = join(SESSIONS, name);
        let text = match text {
            Ok(text) => text.to_owned(),
            Err(error) => {
                let is_refused = is_refusal(&error);
                return ReadSession {
                    found: None,
                    problem: Some(Problem::damaged(&file, error.to_string())),
                    is_refused,
                };
            }
        };
        let (session, problem) = read_leniently(&text, &file);
        let found = session.map(|session| {
            let rev = Rev::of(text.as_bytes());
            let (name, problem) = (full_name(&file, &session), problem.clone());
            FoundSession { name, session, rev, problem, archive: None, file, text, archived_body: None }
        });
        ReadSession { found: found.map(Arc::new), problem, is_refused: false }
    },
};

/// The problem of a body that is not the one its session was saved with.
///
/// The body of an open session may be edited by anybody, so only its loss is reported.
pub(crate) fn body_problem(session: &Session, path: &str, body: Option<&str>) -> Option<Problem> {
    let check = session.body_check.as_ref()?;
    let Some(body) = body else {
        return Some(Problem::damaged(path, "the body is missing: its session says that there is one"));
    };
    if *check == Session::check_of_body(body) {
        return None;
    }
    match emptied(body) {
        Some(error) => Some(Problem::damaged(path, format!("the body is lost: {}", error.reason))),
        None if session.status == SessionStatus::Closed => {
            let reason = "the body is not the one that was saved: its checksum does not match";
            Some(Problem::mended(path, reason))
        }
        None => None,
    }
}

/// The file of the body beside the file of a session.
pub(crate) fn body_file(file: &str) -> String {
    format!("{}{BODY}", file.strip_suffix(SUFFIX).unwrap_or(file))
}

/// The name of a session: that of its file, as long as that tells its id.
pub(crate) fn full_name(file: &str, session: &Session) -> String {
    let stem = crate::store::name_of(file).strip_suffix(SUFFIX).unwrap_or(file);
    let tells = matches!(stem.parse(), Ok(SessionRef::Name(name)) if name.ends_with(session.id.as_str()));
    if tells { stem.to_owned() } else { session.full_name() }
}

/// Reads a session file as far as it can be read, and says what was wrong with it.
pub(crate) fn read_leniently(text: &str, file: &str) -> (Option<Session>, Option<Problem>) {
    if let Some(error) = emptied(text) {
        return (None, Some(Problem::damaged(file, error.reason)));
    }
    let error = match Session::read(text) {
        Ok(session) => {
            let mut problems = misspelled::<Session>(file, text);
            problems.extend(shared_id_problems(file, &session, text));
            return (Some(session), problems.into_iter().next());
        }
        Err(error) => error,
    };
    if let Some(sides) = conflict::split(text) {
        for (side, whose) in [(&sides.ours, "our"), (&sides.theirs, "their")] {
            if let Ok(session) = Session::read(side) {
                let reason =
                    format!("git left conflict markers; read as {whose} side. Resolve them to change this session");
                return (Some(session), Some(Problem::mended(file, reason).at_line(Some(sides.line))));
            }
        }
    }
    let line = conflict::first_marker(text);
    let reason = match line {
        Some(_) => "conflict markers that cannot be read as either side; resolve them".to_owned(),
        None => error.reason,
    };
    (None, Some(Problem::damaged(file, reason).at_line(line.or(error.line))))
}
