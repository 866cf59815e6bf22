//! `handoff capture`

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use handoff_model::agent::{Compiled, Host, Taken};
use handoff_model::id::SessionId;
use handoff_model::session::SessionStatus;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::conversations::{self, ListedConversation};
use super::source::{self, Read};
use super::work::{Compilation, Planned, StatusAfter};
use crate::page::{Column, Role, Row, Table, Text};
use crate::session::SavedStatus;
use crate::{Choice, Door, Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// Make a handoff of what an agent's transcript tells
///
/// No language model is asked: what was requested, changed, run and left open is taken from the transcript, secrets are
/// redacted, and the answer shows what was taken from which line. What the agent or a person wrote stays as it is.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaptureSession {
    /// Conversation to take: its number in `--list`, its id or the beginning of that; the last one if absent
    #[arg(value_name = "CONVERSATION", conflicts_with_all = ["from", "agent_session"])]
    pub conversation: Option<String>,
    /// List the conversations of this project, the last first, and write nothing
    #[arg(long)]
    #[serde(default)]
    pub list: bool,
    /// Transcript to read, compressed or not; the newest one of an agent that worked here if absent
    #[arg(long, value_name = "PATH")]
    pub from: Option<PathBuf>,
    /// Agent whose transcript it is, such as `claude-code`; found out if absent
    #[arg(long, value_name = "AGENT")]
    #[schemars(with = "Option<String>")]
    pub host: Option<Host>,
    /// The agent's own id of the conversation
    #[arg(long, value_name = "ID")]
    pub agent_session: Option<String>,
    /// What becomes of the session; closed if absent, unless an agent is still at work in it
    #[arg(long, value_enum)]
    pub status: Option<SavedStatus>,
    /// Show what would be taken, and write nothing
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
    #[arg(skip)]
    #[serde(skip)]
    read: Option<Read>,
}

/// As long as git may take.
const GIT_TIME: Duration = Duration::from_secs(2);

/// What was taken from a transcript.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Captured {
    /// What was done
    pub message: String,
    /// Conversations to choose from, where they are asked for
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conversations: Vec<ListedConversation>,
    /// The session that holds it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<SessionId>,
    /// The session's full name
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<SessionStatus>,
    /// The agent, and its version
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// The agent's own id of the conversation
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent_session: String,
    /// Where it was read from
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// Lines that were read, or rows of a database
    pub lines: u64,
    /// Lines of those that could not be understood
    pub unreadable: u64,
    /// The version of the agent that reading was checked against
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked_against: Option<String>,
    /// What was taken from where
    pub taken: Vec<TakenPiece>,
    #[serde(skip)]
    warnings: Vec<String>,
}

/// A piece of a handoff and where it comes from.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TakenPiece {
    /// Part of the session that it went into
    pub field: String,
    pub text: String,
    /// Line of the transcript, or row of the database
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

impl TakenPiece {
    fn of(taken: &Taken) -> TakenPiece {
        TakenPiece { field: taken.field.to_owned(), text: taken.text.clone(), line: taken.line }
    }
}

/// Asks for the newest transcript of an agent that worked here.
const NEWEST: CaptureSession = CaptureSession {
    conversation: None,
    list: false,
    from: None,
    host: None,
    agent_session: None,
    status: None,
    dry_run: false,
    read: None,
};

/// So many pieces of a transcript are told at a glance.
const GLANCED: usize = 50;

/// What the newest transcript of an agent that worked here would tell; `None` where there is none, or nothing new in it.
pub(crate) fn transcript_at_a_glance(project: &Project) -> Option<Value> {
    let read = source::read(project, &NEWEST).ok()?;
    let Ok(Planned::Write(plan)) = read.work.plan(project) else { return None };
    let taken = plan.compiled.taken.iter().take(GLANCED).map(TakenPiece::of);
    Some(json!({
        "agent": read.work.host.word(),
        "conversation": read.work.conversation,
        "source": read.shown,
        "lines": read.lines,
        "taken": taken.collect::<Vec<_>>(),
    }))
}

/// Makes a handoff of the newest transcript of an agent that worked here; the name of the session that holds it, and
/// `None` where there is nothing to tell.
pub(crate) fn capture_transcript(project: &mut Project) -> Result<Option<String>, OpError> {
    let Ok(mut read) = source::read(project, &NEWEST) else { return Ok(None) };
    read.work.look(project, GIT_TIME)?;
    project.change(CaptureSession::NAME, |project| {
        Ok(match read.work.compile(project, StatusAfter::AsItsHolderLives)? {
            Compilation::Put(put) => Some(put.found.name),
            Compilation::Told(found) => Some(found.name.clone()),
            Compilation::Nothing => None,
        })
    })
}

impl Operation for CaptureSession {
    const NAME: &'static str = "capture";
    const TOOL: &'static str = "handoff_capture";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Write;
    const DOORS: &'static [Door] = &[Door::Cli];
    const REPEATABLE: bool = true;
    type Outcome = Captured;

    fn example() -> Value {
        json!({"from": "../transcript.jsonl"})
    }

    fn effect(&self) -> Effect {
        if self.dry_run || self.list { Effect::Read } else { Self::EFFECT }
    }

    fn prepare(&mut self, project: &mut Project) -> Result<(), OpError> {
        self.choose(project)?;
        let mut read = source::read(project, self)?;
        read.work.look(project, GIT_TIME)?;
        self.read = Some(read);
        Ok(())
    }

    fn run(mut self, project: &mut Project) -> Result<Captured, OpError> {
        if self.list {
            let conversations = conversations::listed(project, &source::located(project, self.host))?;
            if conversations.is_empty() {
                return Err(source::none_of(project, self.host, None));
            }
            return Ok(Captured::listed(conversations));
        }
        let mut read = match self.read.take() {
            Some(read) => read,
            None => source::read(project, &self)?,
        };
        let status = self.status.map_or(StatusAfter::AsItsHolderLives, |status| StatusAfter::Exactly(status.into()));
        if self.dry_run {
            return match read.work.plan(project)? {
                Planned::Write(plan) => {
                    let place = plan.target.as_ref().map_or("a new session".to_owned(), |found| found.name.clone());
                    let message = format!("nothing is written; this would go into {place}");
                    let mut captured = Captured::new(&read, message, Some(&plan.compiled));
                    captured.tell_missing(plan.missing);
                    Ok(captured)
                }
                Planned::Told(found) => Ok(Captured::told(&read, &found.session.id, &found.name)),
                Planned::Nothing => Err(no_work(&read)),
            };
        }
        match read.work.compile(project, status)? {
            Compilation::Put(put) => {
                let id = &put.found.session.id;
                let what = if put.is_new { "captured as" } else { "captured into" };
                let continues = put.found.session.continues.as_ref().filter(|_| put.is_new);
                let continues = continues.map(|name| format!(", which continues {name}")).unwrap_or_default();
                let message = format!(
                    "{what} session {}{continues}; to fetch it: the command handoff resume {id}, or \
                     handoff_load_context {{\"session_id\": \"{id}\"}}",
                    put.found.name
                );
                let mut captured = Captured::new(&read, message, Some(&put.compiled));
                captured.id = Some(id.clone());
                captured.name = Some(put.found.name.clone());
                captured.status = Some(put.found.session.status);
                captured.warnings.extend(put.warnings);
                captured.tell_missing(put.missing);
                Ok(captured)
            }
            Compilation::Told(found) => Ok(Captured::told(&read, &found.session.id, &found.name)),
            Compilation::Nothing => Err(no_work(&read)),
        }
    }
}

impl CaptureSession {
    /// Lets a person choose where several conversations are equally likely to be meant.
    fn choose(&mut self, project: &mut Project) -> Result<(), OpError> {
        let is_named = self.conversation.is_some() || self.from.is_some() || self.agent_session.is_some();
        if is_named || project.desk.picker.is_none() || project.caller.agent_session.is_some() {
            return Ok(());
        }
        let located = source::located(project, self.host);
        let likely = source::likely(&located);
        if likely.len() < 2 {
            return Ok(());
        }
        let choices: Vec<Choice> =
            conversations::listed(project, likely)?.iter().map(ListedConversation::choice).collect();
        let Some(picker) = &mut project.desk.picker else { return Ok(()) };
        let place = picker(&choices)?.ok_or_else(|| OpError::failure("nothing was chosen"))?;
        self.conversation = Some((place + 1).to_string());
        Ok(())
    }
}

fn no_work(read: &Read) -> OpError {
    OpError::refused(format!("`{}` tells of no work: nobody asked for any, and no file was changed", read.shown))
        .hint(Hint::say("name another transcript with `--from PATH`"))
}

impl Captured {
    fn new(read: &Read, message: String, compiled: Option<&Compiled>) -> Captured {
        let Read { work, shown, lines, unreadable, checked_against, warnings } = read;
        let version = work.digest.about.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
        Captured {
            message,
            conversations: Vec::new(),
            id: None,
            name: None,
            status: None,
            agent: format!("{}{version}", work.host.title()),
            agent_session: work.conversation.clone(),
            source: shown.clone(),
            lines: *lines,
            unreadable: *unreadable,
            checked_against: checked_against.clone(),
            taken: compiled.map(|compiled| compiled.taken.iter().map(TakenPiece::of).collect()).unwrap_or_default(),
            warnings: warnings.clone(),
        }
    }

    /// The answer that lists conversations.
    fn listed(conversations: Vec<ListedConversation>) -> Captured {
        Captured {
            message: "take one with `handoff capture` and its number".to_owned(),
            conversations,
            id: None,
            name: None,
            status: None,
            agent: String::new(),
            agent_session: String::new(),
            source: String::new(),
            lines: 0,
            unreadable: 0,
            checked_against: None,
            taken: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The answer where a session holds it all already.
    fn told(read: &Read, id: &SessionId, name: &str) -> Captured {
        let message = format!("nothing to do: session {name} holds it, and nothing was asked since");
        let mut captured = Captured::new(read, message, None);
        captured.id = Some(id.clone());
        captured.name = Some(name.to_owned());
        captured.status = Some(SessionStatus::Closed);
        captured
    }

    fn tell_missing(&mut self, missing: usize) {
        self.warnings.extend(match missing {
            0 => None,
            1 => Some("1 file that was worked on is not there any more, and is left out".to_owned()),
            more => Some(format!("{more} files that were worked on are not there any more, and are left out")),
        });
    }
}

impl Report for Captured {
    fn page(&self) -> Page {
        if !self.conversations.is_empty() {
            return conversations::page(&self.conversations).line(Text::of(Role::Dim, &self.message));
        }
        let lines = match self.unreadable {
            0 => format!("{} lines", self.lines),
            more => format!("{} lines, {more} of them not understood", self.lines),
        };
        let page = Page::new()
            .line(Text::of(Role::Good, "✓ ").plain(&self.message))
            .field("from", Text::from(&self.source).and(Role::Dim, format!(" ({lines})")))
            .field("agent", self.agent.clone())
            .field("conversation", Text::of(Role::Id, &self.agent_session))
            .field_if("checked against", self.checked_against.clone());
        if self.taken.is_empty() {
            return page;
        }
        let columns = [Column::new("taken for"), Column::new("text").shrinks_to(20), Column::new("line").right()];
        let row = |piece: &TakenPiece| {
            let line = piece.line.map(|line| line.to_string()).unwrap_or_default();
            Row::new([Text::of(Role::Dim, &piece.field), Text::from(&piece.text), Text::of(Role::Number, line)])
        };
        page.blank().table(Table::new(columns).rows(self.taken.iter().map(row)).without_empty_columns())
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
