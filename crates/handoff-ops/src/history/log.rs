//! `handoff log`

use clap::Args;
use handoff_model::history::{ChangeId, ChangeRef, Changed};
use handoff_model::id::{SessionRef, TaskRef};
use handoff_model::problem::Problem;
use handoff_model::when::Day;
use handoff_store::{ChangeKind, Logged, StoreError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::diff;
use super::undo::Undo;
use super::view::{LoggedChange, Standing};
use crate::page::{Role, Text};
use crate::{Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// Show what was changed, by whom and through which door
///
/// The last change comes first. Given the id of one, it shows what that did to each file. What was edited by hand is
/// not in the log, and the log belongs to this machine.
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowLog {
    /// Change to show whole
    #[arg(value_name = "ID", conflicts_with_all = ["limit", "since", "task", "session", "actor", "cursor"])]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<ChangeRef>,
    /// At most this many changes; 20 if absent
    #[arg(long, short = 'n', value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Only what was changed on this day or later
    #[arg(long, value_name = "DATE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Day>,
    /// Only changes of this task, which may be deleted by now
    #[arg(long, value_name = "TASK")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskRef>,
    /// Only changes of this session
    #[arg(long, value_name = "SESSION")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionRef>,
    /// Only what this person or tool did
    #[arg(long, value_name = "NAME")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Go on after this change, as told at the end of the page before
    #[arg(long, value_name = "ID")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<ChangeRef>,
}

const SHOWN: usize = 20;

/// Changes, the last first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangeLog {
    pub changes: Vec<LoggedChange>,
    /// Give this back as `cursor` to see more
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<ChangeId>,
    /// What could not be read of the log
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    #[serde(skip)]
    asked: ShowLog,
    #[serde(skip)]
    warnings: Vec<String>,
}

impl Operation for ShowLog {
    const NAME: &'static str = "log";
    const TOOL: &'static str = "handoff_log";
    const SET: ToolSet = ToolSet::History;
    const EFFECT: Effect = Effect::Read;
    type Outcome = ChangeLog;

    fn example() -> Value {
        json!({"limit": 5, "since": "2026-11-01"})
    }

    fn run(self, project: &mut Project) -> Result<ChangeLog, OpError> {
        if self.limit == Some(0) {
            return Err(OpError::usage("a limit of 0 shows nothing: give 1 or more"));
        }
        match self.id.clone() {
            Some(id) => self.one(project, &id),
            None => self.list(project),
        }
    }
}

impl ShowLog {
    fn one(self, project: &Project, wanted: &ChangeRef) -> Result<ChangeLog, OpError> {
        let mut history = project.store().history()?;
        let found: Vec<Logged> = history.by_ref().filter(|logged| wanted.matches(logged.id())).collect();
        let problems = history.problems().to_vec();
        match found.as_slice() {
            [] => Err(StoreError::NoSuchChange { wanted: wanted.clone() }.into()),
            [logged] => {
                let mut change = LoggedChange::of(logged);
                change.diff = Some(diff::unified(&logged.entry.changed()));
                Ok(self.answer(vec![change], None, problems))
            }
            several => {
                let candidates = several.iter().map(Logged::id).collect();
                Err(StoreError::AmbiguousChange { wanted: wanted.clone(), candidates }.into())
            }
        }
    }

    fn list(self, project: &Project) -> Result<ChangeLog, OpError> {
        let about = About::new(&self, project)?;
        let most = self.limit.unwrap_or(SHOWN);
        let mut history = project.store().history()?;
        let (mut changes, mut next_cursor) = (Vec::new(), None);
        let mut is_reached = self.cursor.is_none();
        for logged in history.by_ref() {
            if !is_reached {
                is_reached = self.cursor.as_ref().is_some_and(|cursor| cursor.matches(logged.id()));
                continue;
            }
            if self.is_too_old(&logged) {
                break;
            }
            if logged.entry.head.kind == ChangeKind::Names || !about.accepts(&logged) {
                continue;
            }
            if changes.len() == most {
                next_cursor = changes.last().map(|change: &LoggedChange| change.id);
                break;
            }
            changes.push(LoggedChange::of(&logged));
        }
        if let Some(cursor) = self.cursor.as_ref().filter(|_| !is_reached) {
            return Err(StoreError::NoSuchChange { wanted: cursor.clone() }.into());
        }
        let problems = history.problems().to_vec();
        Ok(self.answer(changes, next_cursor, problems))
    }

    fn is_too_old(&self, logged: &Logged) -> bool {
        let at = logged.entry.head.signature.at;
        self.since.is_some_and(|since| at.is_some_and(|at| at.day() < since))
    }

    fn answer(self, changes: Vec<LoggedChange>, next_cursor: Option<ChangeId>, problems: Vec<Problem>) -> ChangeLog {
        let warnings = problems.iter().map(ToString::to_string).collect();
        ChangeLog { changes, next_cursor, problems, asked: self, warnings }
    }
}

/// What changes must be about to be shown.
struct About {
    /// The id of a task, or the beginning of one that is gone
    task: Option<String>,
    /// The full name of a session, or as much as is known of one that is gone
    session: Option<String>,
    actor: Option<String>,
}

impl About {
    fn new(asked: &ShowLog, project: &Project) -> Result<About, OpError> {
        let task = asked.task.as_ref().map(|wanted| match (project.store().find(wanted), wanted) {
            (Ok(found), _) => Ok(found.task.id.to_string()),
            // One that is deleted, or was never kept, can still have been changed.
            (Err(StoreError::NoSuchTask { .. }), TaskRef::Id(id)) => Ok(id.to_string()),
            (Err(StoreError::NoSuchTask { .. }), TaskRef::Prefix(prefix)) => Ok(prefix.clone()),
            (Err(error), _) => Err(error),
        });
        let session = asked.session.as_ref().map(|wanted| match (project.store().session(wanted), wanted) {
            (Ok(found), _) => Ok(found.name),
            (Err(StoreError::NoSuchSession { .. }), SessionRef::Id(name) | SessionRef::Name(name)) => Ok(name.clone()),
            (Err(error), _) => Err(error),
        });
        Ok(About { task: task.transpose()?, session: session.transpose()?, actor: asked.actor.clone() })
    }

    fn accepts(&self, logged: &Logged) -> bool {
        let signature = &logged.entry.head.signature;
        let is_by = |name: &String| {
            let is_same = |other: &str| other.to_lowercase() == name.to_lowercase();
            is_same(&signature.by) || signature.tool.as_deref().is_some_and(is_same)
        };
        if !self.actor.as_ref().is_none_or(is_by) {
            return false;
        }
        if self.task.is_none() && self.session.is_none() {
            return true;
        }
        let changed: Changed = logged.entry.changed();
        let concerned = changed.concerned();
        let is_task = |wanted: &String| concerned.tasks.iter().any(|id| id.as_str().starts_with(wanted.as_str()));
        // A session that is gone is named by its date, or by the beginning of its id.
        let is_named = |name: &String, wanted: &str| {
            name.starts_with(wanted) || name.rsplit('-').next().is_some_and(|id| id.starts_with(wanted))
        };
        let is_session = |wanted: &String| concerned.sessions.iter().any(|name| is_named(name, wanted));
        self.task.as_ref().is_none_or(is_task) && self.session.as_ref().is_none_or(is_session)
    }
}

impl Report for ChangeLog {
    fn page(&self) -> Page {
        let Some(first) = self.changes.first() else {
            let is_narrowed = self.asked.task.is_some()
                || self.asked.session.is_some()
                || self.asked.actor.is_some()
                || self.asked.since.is_some()
                || self.asked.cursor.is_some();
            let nothing = if is_narrowed { "the log holds no such change" } else { "the log is empty" };
            return Page::new().line(nothing);
        };
        if let Some(diff) = &first.diff {
            let page = first.add_to(Page::new(), None).blank().prose(diff.trim_end());
            return match first.standing {
                Standing::Done => page.advice("to take it back, ", Hint::run_with::<Undo>(json!({"change": first.id}))),
                Standing::TakenBack | Standing::NotKept => page,
            };
        }
        let page = self.changes.iter().fold(Page::new(), |page, change| change.add_shortly(page));
        let Some(cursor) = self.next_cursor else { return page };
        let again = ShowLog { cursor: Some(cursor.into()), ..self.asked.clone() };
        match serde_json::to_value(&again) {
            Ok(request) => page.advice("for what came before, ", Hint::run_with::<ShowLog>(request)),
            Err(_) => page.line(Text::of(Role::Dim, "more came before")),
        }
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
