//! How long sessions were, in which tool, on which task, and how many tokens they took.
//!
//! Two times are told and never mixed: how long a session was open, by its own record, and what the time log says was
//! worked in it. Neither is counted twice within a session; sessions that ran side by side count each.

use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use super::Figure;
use crate::agent::COMPILED;
use crate::id::TaskId;
use crate::session::Session;
use crate::time_log::{self, Interval};
use crate::when::Moment;

/// What is known of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionFacts<'a> {
    /// Its full name
    pub name: &'a str,
    pub tool: Option<&'a str>,
    pub tasks: &'a [TaskId],
    pub started_at: Option<Moment>,
    pub ended_at: Option<Moment>,
    /// What its transcript tells
    pub told: Option<Told<'a>>,
}

/// What the transcript of a session tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told<'a> {
    /// The agent, and its own id of the conversation
    pub conversation: (&'a str, &'a str),
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Seconds that turns took
    pub seconds: u64,
    /// Whether what earlier sessions of the conversation told is in it
    pub with_earlier: bool,
}

/// Sessions in time and tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionTime {
    pub all: SessionSum,
    /// By tool, the one with the most sessions first; those that name none have an empty one
    pub by_tool: Vec<ToolSessions>,
    /// By task, the longest first
    pub by_task: Vec<TaskSessions>,
    /// Minutes that the time log has for sessions that are not there any more
    pub logged_elsewhere: i64,
}

/// The sessions of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolSessions {
    pub tool: String,
    #[serde(flatten)]
    pub sum: SessionSum,
}

/// The sessions of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskSessions {
    pub id: TaskId,
    /// Sessions of it that have other tasks too
    pub shared: usize,
    #[serde(flatten)]
    pub sum: SessionSum,
}

/// What sessions come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionSum {
    pub sessions: usize,
    /// Of those, how many tell when they began and ended
    pub timed: usize,
    /// Minutes from beginning to end
    pub minutes: u64,
    /// Minutes that the time log has for them
    pub logged: i64,
    /// How many tell their tokens
    pub with_tokens: usize,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Minutes that the agent was at work, where transcripts tell
    pub turn_minutes: u64,
}

const HOW: &str = "open: from the beginning of each session to its end, where it has both; logged: time log entries that \
                   name it, each minute of a person once; a session with several tasks is shared out equally among \
                   them; tokens where the transcript told them; sessions side by side count each";

/// Adds up sessions. Packages are none.
pub fn session_time(sessions: &[SessionFacts<'_>], intervals: &[Interval], zone: &TimeZone) -> Figure<SessionTime> {
    let mut logged: BTreeMap<&str, Vec<&Interval>> = BTreeMap::new();
    for interval in intervals {
        if let Some(session) = &interval.session {
            logged.entry(session).or_default().push(interval);
        }
    }
    let told = told_once(sessions);
    let mut all = Seconds::default();
    let mut by_tool: BTreeMap<&str, Seconds> = BTreeMap::new();
    let mut by_task: BTreeMap<TaskId, (usize, Seconds)> = BTreeMap::new();
    for session in sessions {
        let mut whole = Seconds::of(session, told.get(session.name).copied());
        let cells = logged.remove(session.name).map(|entries| time_log::sum(entries, zone).cells).unwrap_or_default();
        let tasks: BTreeSet<TaskId> = session.tasks.iter().copied().collect();
        for (index, task) in tasks.iter().enumerate() {
            let (shared, sum) = by_task.entry(*task).or_default();
            *shared += usize::from(tasks.len() > 1);
            sum.add(&whole.share(index as u64, tasks.len() as u64));
        }
        for cell in cells {
            whole.logged = whole.logged.saturating_add(cell.seconds);
            let (_, sum) = by_task.entry(cell.task).or_default();
            sum.logged = sum.logged.saturating_add(cell.seconds);
        }
        by_tool.entry(session.tool.unwrap_or_default()).or_default().add(&whole);
        all.add(&whole);
    }
    let elsewhere = logged.into_values().flat_map(|entries| time_log::sum(entries, zone).cells);
    let elsewhere = in_minutes(elsewhere.fold(0_i64, |sum, cell| sum.saturating_add(cell.seconds)));
    Figure::of(sessions.len(), 1, HOW, || {
        let tool = |(tool, sum): (&str, Seconds)| ToolSessions { tool: tool.to_owned(), sum: sum.in_minutes() };
        let mut by_tool: Vec<ToolSessions> = by_tool.into_iter().map(tool).collect();
        by_tool.sort_by_key(|tool| std::cmp::Reverse(tool.sum.sessions));
        let task = |(id, (shared, sum)): (TaskId, (usize, Seconds))| TaskSessions { id, shared, sum: sum.in_minutes() };
        let mut by_task: Vec<TaskSessions> = by_task.into_iter().map(task).collect();
        by_task.sort_by_key(|task| std::cmp::Reverse((task.sum.minutes, task.sum.logged)));
        SessionTime { all: all.in_minutes(), by_tool, by_task, logged_elsewhere: elsewhere }
    })
}

/// What each session told beyond what earlier ones of the same conversation had told already.
fn told_once<'a>(sessions: &[SessionFacts<'a>]) -> BTreeMap<&'a str, Told<'a>> {
    let mut in_order: Vec<(&SessionFacts<'a>, Told<'a>)> =
        sessions.iter().filter_map(|session| Some((session, session.told?))).collect();
    in_order.sort_by_key(|(session, _)| (session.ended_at.is_none(), session.ended_at, session.name));
    let mut before: BTreeMap<(&str, &str), Told<'a>> = BTreeMap::new();
    let mut each = BTreeMap::new();
    for (session, mut told) in in_order {
        let earlier = before.entry(told.conversation).or_default();
        if told.with_earlier {
            told.input_tokens = told.input_tokens.saturating_sub(earlier.input_tokens);
            told.output_tokens = told.output_tokens.saturating_sub(earlier.output_tokens);
            told.seconds = told.seconds.saturating_sub(earlier.seconds);
        }
        earlier.input_tokens = earlier.input_tokens.saturating_add(told.input_tokens);
        earlier.output_tokens = earlier.output_tokens.saturating_add(told.output_tokens);
        earlier.seconds = earlier.seconds.saturating_add(told.seconds);
        each.insert(session.name, told);
    }
    each
}

/// What sessions come to, in seconds, so that many short ones lose nothing.
#[derive(Clone, Copy, Debug, Default)]
struct Seconds {
    sessions: usize,
    timed: usize,
    open: u64,
    logged: i64,
    with_tokens: usize,
    input_tokens: u64,
    output_tokens: u64,
    turns: u64,
}

impl Seconds {
    fn of(session: &SessionFacts<'_>, told: Option<Told<'_>>) -> Seconds {
        let length = session.started_at.zip(session.ended_at).map(|(from, to)| from.until(to).as_secs());
        let open = length.and_then(|seconds| u64::try_from(seconds).ok());
        let tokens = told.filter(|told| told.input_tokens > 0 || told.output_tokens > 0);
        Seconds {
            sessions: 1,
            timed: usize::from(open.is_some()),
            open: open.unwrap_or(0),
            logged: 0,
            with_tokens: usize::from(tokens.is_some()),
            input_tokens: tokens.map_or(0, |told| told.input_tokens),
            output_tokens: tokens.map_or(0, |told| told.output_tokens),
            turns: told.map_or(0, |told| told.seconds),
        }
    }

    /// One of several equal parts; what cannot be divided goes to the first ones.
    fn share(&self, index: u64, of: u64) -> Seconds {
        let part = |whole: u64| whole / of + u64::from(index < whole % of);
        Seconds {
            open: part(self.open),
            input_tokens: part(self.input_tokens),
            output_tokens: part(self.output_tokens),
            turns: part(self.turns),
            ..*self
        }
    }

    fn add(&mut self, more: &Seconds) {
        let Seconds { sessions, timed, open, logged, with_tokens, input_tokens, output_tokens, turns } = *more;
        self.sessions += sessions;
        self.timed += timed;
        self.open = self.open.saturating_add(open);
        self.logged = self.logged.saturating_add(logged);
        self.with_tokens += with_tokens;
        self.input_tokens = self.input_tokens.saturating_add(input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(output_tokens);
        self.turns = self.turns.saturating_add(turns);
    }

    fn in_minutes(self) -> SessionSum {
        let Seconds { sessions, timed, open, logged, with_tokens, input_tokens, output_tokens, turns } = self;
        SessionSum {
            sessions,
            timed,
            minutes: open.saturating_add(30) / 60,
            logged: in_minutes(logged),
            with_tokens,
            input_tokens,
            output_tokens,
            turn_minutes: turns.saturating_add(30) / 60,
        }
    }
}

fn in_minutes(seconds: i64) -> i64 {
    seconds.saturating_add(30).div_euclid(60)
}

impl<'a> SessionFacts<'a> {
    /// What a session's record says.
    pub fn of(name: &'a str, session: &'a Session) -> SessionFacts<'a> {
        SessionFacts {
            name,
            tool: session.tool.as_deref(),
            tasks: &session.tasks,
            started_at: session.started_at,
            ended_at: session.ended_at,
            told: Told::by(session),
        }
    }
}

impl<'a> Told<'a> {
    fn by(session: &'a Session) -> Option<Told<'a>> {
        let table = session.environment.get(COMPILED)?;
        let text = |key: &str| table.get(key).and_then(Json::as_str).unwrap_or_default();
        let count = |key: &str| table.get(key).and_then(Json::as_u64).unwrap_or(0);
        Some(Told {
            conversation: (text("host"), text("agent_session")),
            input_tokens: count("input_tokens"),
            output_tokens: count("output_tokens"),
            seconds: count("seconds"),
            with_earlier: table.get("with_earlier").and_then(Json::as_bool) == Some(true),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time_log::TimeSource;

    fn id(name: &str) -> TaskId {
        format!("{name:x<8}").parse().unwrap()
    }

    fn at(time: &str) -> Moment {
        format!("2026-11-16T{time}Z").parse().unwrap()
    }

    fn session(text: &str) -> Session {
        Session::read(text).unwrap()
    }

    fn entry(task: &str, session: &str, from: &str, to: &str) -> Interval {
        Interval {
            source: TimeSource::Timer,
            ended_at: Some(at(to)),
            minutes: None,
            session: Some(session.to_owned()),
            ..Interval::minutes(id(task), "ann", at(from), 0)
        }
    }

    const PARSER: &str = r#"
id = "aaaaaaaa"
tool = "codex"
tasks = ["t1xxxxxx"]
started_at = 2026-11-16T09:00:00Z
ended_at = 2026-11-16T10:30:00Z
[environment.compiled]
host = "codex"
agent_session = "c1"
input_tokens = 1000
output_tokens = 100
seconds = 600
"#;
    const BOTH: &str = r#"
id = "bbbbbbbb"
tool = "codex"
tasks = ["t1xxxxxx", "t2xxxxxx"]
started_at = 2026-11-16T11:00:00Z
ended_at = 2026-11-16T11:45:00Z
[environment.compiled]
host = "codex"
agent_session = "c1"
input_tokens = 1501
output_tokens = 150
seconds = 900
with_earlier = true
"#;
    const OPEN: &str = "id = \"cccccccc\"\nstatus = \"active\"\nstarted_at = 2026-11-16T12:00:00Z\n";

    #[test]
    fn time_and_tokens_are_told_by_tool_and_shared_out_among_tasks() {
        let read = [("s-a", session(PARSER)), ("s-b", session(BOTH)), ("s-c", session(OPEN))];
        let facts: Vec<SessionFacts<'_>> = read.iter().map(|(name, session)| SessionFacts::of(name, session)).collect();
        let log = [
            entry("t1", "s-a", "09:00:00", "10:00:00"),
            // The transcript tells of the same half hour.
            entry("t1", "s-a", "09:30:00", "10:00:00"),
            entry("t2", "s-b", "11:00:00", "11:20:00"),
            entry("t1", "gone", "14:00:00", "14:10:00"),
        ];
        let figure = session_time(&facts, &log, &TimeZone::UTC);
        let time = figure.known().unwrap();
        let all = SessionSum {
            sessions: 3,
            timed: 2,
            minutes: 90 + 45,
            logged: 60 + 20,
            with_tokens: 2,
            // The second session counts only what came after the first.
            input_tokens: 1_501,
            output_tokens: 150,
            turn_minutes: 15,
        };
        assert_eq!(time.all, all);
        assert_eq!(time.logged_elsewhere, 10);
        let tools: Vec<(&str, usize, u64)> =
            time.by_tool.iter().map(|tool| (tool.tool.as_str(), tool.sum.sessions, tool.sum.minutes)).collect();
        assert_eq!(tools, [("codex", 2, 135), ("", 1, 0)]);
        let tasks: Vec<_> = time
            .by_task
            .iter()
            .map(|task| (task.id, task.shared, task.sum.minutes, task.sum.logged, task.sum.input_tokens))
            .collect();
        // Of 45 minutes each task has half, and of 501 tokens the first has the odd one.
        assert_eq!(tasks, [(id("t1"), 1, 113, 60, 1_251), (id("t2"), 1, 23, 20, 250)]);
    }

    #[test]
    fn a_later_session_that_tells_only_of_itself_counts_whole() {
        let alone = BOTH.replace("with_earlier = true", "");
        let read = [session(PARSER), session(&alone)];
        let facts: Vec<SessionFacts<'_>> =
            ["s-a", "s-b"].iter().zip(&read).map(|(name, session)| SessionFacts::of(name, session)).collect();
        let figure = session_time(&facts, &[], &TimeZone::UTC);
        assert_eq!(figure.known().unwrap().all.input_tokens, 2_501);
    }

    #[test]
    fn no_session_is_not_enough_and_one_that_ends_before_it_begins_has_no_time() {
        assert_eq!(session_time(&[], &[], &TimeZone::UTC).known(), None);
        let backwards = session(&PARSER.replace("10:30:00Z", "08:30:00Z"));
        let figure = session_time(&[SessionFacts::of("s-a", &backwards)], &[], &TimeZone::UTC);
        let all = figure.known().unwrap().all;
        assert_eq!((all.sessions, all.timed, all.minutes), (1, 0, 0));
    }
}
