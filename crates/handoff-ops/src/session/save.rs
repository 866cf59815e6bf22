//! `handoff save`, and the published `handoff_save_context`

use std::cmp::Reverse;

use clap::Args;
use handoff_model::change::{Change, KEEP};
use handoff_model::id::{SessionRef, TaskId, TaskRef};
use handoff_model::lifetime::Lifetime;
use handoff_model::rev::Rev;
use handoff_model::session::{
    ChecklistInput, DecisionInput, ItemEnding, ItemRef, NoteInput, PointerInput, ReferenceInput, SessionEdit,
    SessionKind, SessionStatus,
};
use handoff_model::text::{Name, OneLine, Prose, Title};
use handoff_store::FoundSession;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::change::{self, Changed, Changing, Seen};
use super::decision_flags::DecisionFlags;
use super::recorded::Recorded;
use super::view::ChangedTask;
use super::{SessionView, form};
use crate::item::input::wishes;
use crate::item::{DroppedItem, settle};
use crate::published::TaskChange;
use crate::request::null_is_absent;
use crate::timer::still_running;
use crate::{Effect, Hint, OpError, Operation, Project, ToolSet};

mod given;
mod plan;

use plan::Plan;

/// Close the session, save context, do a handoff: keep what was done, decided and left to do for the next session
///
/// Without a session id it concerns the session you work in; without one of yours it becomes a closed record of its
/// own. What is open stays open until it is done, resolved or dropped by its id.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("required" = ["summary"]))]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line and an argument of its own")]
pub struct SaveSession {
    /// What was done and where it stands
    #[arg(long, short = 'm', visible_alias = "message", value_name = "TEXT", allow_hyphen_values = true)]
    #[schemars(with = "String")]
    pub summary: Option<Prose>,
    /// The same without a flag; `-` reads it from standard input
    #[arg(value_name = "SUMMARY", conflicts_with = "summary")]
    #[serde(skip)]
    #[schemars(skip)]
    typed_summary: Option<Prose>,
    /// `active` goes on with the session
    #[arg(long = "status", value_name = "STATUS", value_enum)]
    #[schemars(with = "SavedStatus")]
    pub session_status: Option<SavedStatus>,
    /// Session to save
    #[arg(long = "session", value_name = "SESSION")]
    #[schemars(with = "String")]
    pub session_id: Option<SessionRef>,
    /// What it is about, on one line
    #[arg(long, value_name = "TEXT", default_value = KEEP, hide_default_value = true, allow_hyphen_values = true)]
    #[serde(default)]
    #[schemars(with = "String")]
    pub title: Change<Title>,
    /// Next steps
    #[arg(skip)]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(with = "Vec<String>")]
    pub next: Change<Vec<Prose>>,
    #[arg(skip)]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(with = "Vec<DecisionInput>")]
    pub decisions: Change<Vec<DecisionInput>>,
    #[arg(skip)]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(with = "Vec<String>")]
    pub blockers: Change<Vec<Prose>>,
    #[arg(skip)]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(with = "Vec<ChecklistInput>")]
    pub checklist: Change<Vec<ChecklistInput>>,
    #[arg(skip)]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(with = "Vec<NoteInput>")]
    pub handoff_notes: Change<Vec<NoteInput>>,
    #[arg(skip)]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(with = "Vec<ReferenceInput>")]
    pub references: Change<Vec<ReferenceInput>>,
    /// Files to go on in
    #[arg(skip)]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(with = "Vec<PointerInput>")]
    pub context_pointers: Change<Vec<PointerInput>>,
    /// A next step to add; may be given several times
    #[arg(long = "next", value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(skip)]
    pub add_next: Vec<Prose>,
    /// The next steps given are all there are
    #[arg(long)]
    #[serde(default, deserialize_with = "null_is_absent")]
    pub replace_next: bool,
    /// Decisions to add
    #[arg(skip)]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(schema_with = "more")]
    pub add_decisions: Vec<DecisionInput>,
    #[command(flatten)]
    #[serde(skip)]
    #[schemars(skip)]
    typed_decisions: DecisionFlags,
    /// A blocker to add; may be given several times
    #[arg(long = "blocker", value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(skip)]
    pub add_blockers: Vec<Prose>,
    /// Open questions
    #[arg(skip)]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(with = "Vec<String>")]
    pub questions: Change<Vec<Prose>>,
    /// A question to add; may be given several times
    #[arg(long = "question", value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(skip)]
    pub add_questions: Vec<Prose>,
    /// Items of any session that are done, such as `n7`; may be given several times
    #[arg(long, value_name = "ITEM")]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(with = "Vec<String>")]
    pub done: Vec<ItemRef>,
    /// Open blockers of any session that are resolved, such as `b2`; may be given several times
    #[arg(long, value_name = "ITEM")]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(skip)]
    pub resolved: Vec<ItemRef>,
    /// Open items of any session that are dropped; may be given several times
    #[arg(long, value_name = "ITEM")]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(skip)]
    pub dropped: Vec<DroppedItem>,
    /// An item to add to the checklist; may be given several times
    #[arg(long = "checklist", value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(skip)]
    pub add_checklist: Vec<ChecklistInput>,
    /// A note to add; may be given several times
    #[arg(long = "note", value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(schema_with = "more")]
    pub add_notes: Vec<NoteInput>,
    /// A caution, in force until it is taken back by its id; may be given several times
    #[arg(long = "caution", value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(skip)]
    pub add_cautions: Vec<Prose>,
    /// A link to add; may be given several times
    #[arg(long = "reference", value_name = "URI")]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(skip)]
    pub add_references: Vec<ReferenceInput>,
    /// A file to go on in, such as `src/main.rs:42-78`; may be given several times
    #[arg(long = "pointer", value_name = "PATH")]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(schema_with = "more")]
    pub add_pointers: Vec<PointerInput>,
    /// Tasks to create or change in the same step, each like `task` of handoff_update_task
    #[arg(skip)]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(schema_with = "more")]
    pub tasks: Vec<TaskChange>,
    /// A task it concerns; may be given several times
    #[arg(id = "related_task_ids", long = "task", value_name = "TASK")]
    #[serde(skip)]
    with_tasks: Vec<TaskRef>,
    /// Tasks it concerns
    #[arg(skip)]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(with = "Vec<String>")]
    pub related_task_ids: Change<Vec<TaskRef>>,
    /// A name to fetch it by
    #[arg(long, value_name = "NAME", default_value = KEEP, hide_default_value = true)]
    #[serde(default)]
    #[schemars(with = "String")]
    pub name: Change<Name>,
    /// A tag; may be given several times
    #[arg(id = "tags", long = "tag", visible_alias = "tags", value_name = "TAG", value_delimiter = ',')]
    #[serde(skip)]
    with_tags: Vec<Name>,
    #[arg(skip)]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(with = "Vec<String>")]
    pub tags: Change<Vec<Name>>,
    /// How long it is shown, such as `7d`
    #[arg(long, value_name = "TIME", default_value = KEEP, hide_default_value = true)]
    #[serde(default)]
    #[schemars(with = "String")]
    pub ttl: Change<Lifetime>,
    /// Free-form Markdown
    #[arg(long, value_name = "TEXT", default_value = KEEP, hide_default_value = true, allow_hyphen_values = true)]
    #[serde(default)]
    #[schemars(with = "String")]
    pub body: Change<String>,
    #[arg(skip)]
    #[serde(default)]
    #[schemars(with = "Map<String, Value>")]
    pub environment: Change<Map<String, Value>>,
    /// The line of work it belongs to
    #[arg(long, value_name = "TEXT", default_value = KEEP, hide_default_value = true)]
    #[serde(default)]
    #[schemars(with = "String")]
    pub timeline: Change<Prose>,
    /// A short mark
    #[arg(long, value_name = "TEXT", default_value = KEEP, hide_default_value = true)]
    #[serde(default)]
    #[schemars(with = "String")]
    pub label: Change<OneLine>,
    /// Session to close
    #[arg(long = "close", value_name = "SESSION")]
    #[schemars(with = "String")]
    pub close_session_id: Option<SessionRef>,
    /// Session to pause
    #[arg(long = "pause", value_name = "SESSION")]
    #[schemars(with = "String")]
    pub pause_session_id: Option<SessionRef>,
    /// Pause the session you work in
    #[arg(long)]
    #[serde(default, deserialize_with = "null_is_absent")]
    pub pause_active: bool,
    /// Pause, and start no other
    #[arg(long)]
    #[serde(default, deserialize_with = "null_is_absent")]
    pub pause_only: bool,
    /// Who it was worked with, such as `codex`; found out where that is possible
    #[arg(long, value_name = "NAME")]
    #[schemars(skip)]
    pub tool: Option<Name>,
    /// Handoff that a new session continues
    #[arg(long, value_name = "SESSION")]
    #[schemars(with = "String")]
    pub continues: Option<SessionRef>,
    /// Save for the project of this directory, which must be a git work tree
    #[arg(long, value_name = "PATH")]
    #[schemars(skip)]
    pub project: Option<String>,
    /// Write it in an editor, from a template
    #[arg(long)]
    #[serde(skip)]
    #[schemars(skip)]
    edit: bool,
    /// Save only if the session is still at this revision
    #[arg(long, value_name = "REV")]
    #[schemars(skip)]
    pub if_rev: Option<Rev>,
    /// The work tree it is about, where that is no project
    #[arg(skip)]
    #[serde(skip)]
    about: Option<String>,
    #[arg(skip)]
    #[serde(skip)]
    seen: Seen,
}

/// What becomes of a session that is saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum SavedStatus {
    /// It is over
    Closed,
    /// It goes on
    Active,
}

/// Lists that add to others are told by their names; their items look like those of the list itself.
fn more(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "array", "items": {"type": "object"}})
}

impl Operation for SaveSession {
    const NAME: &'static str = "save";
    const TOOL: &'static str = "handoff_save_context";
    const SET: ToolSet = ToolSet::Core;
    const EFFECT: Effect = Effect::Write;
    type Outcome = SessionView;

    fn example() -> Value {
        json!({
            "summary": "Token parser extracted, refresh tests fail",
            "next": ["Fix refresh test matrix"],
            "add_decisions": ["JWT over server sessions"],
            "add_pointers": ["src/auth/middleware.rs:42-78"]
        })
    }

    fn prepare(&mut self, project: &mut Project) -> Result<(), OpError> {
        self.take_in(project)?;
        let sessions = project.store().handoffs()?;
        let mut pointed: Vec<String> = self.pointed().collect();
        if let Ok(Plan { target: Some(found), .. }) = self.plan(project, &sessions) {
            pointed.extend(found.session.pointers.iter().map(|pointer| pointer.path.clone()));
        }
        self.seen = change::look(project, &pointed);
        Ok(())
    }

    fn run(mut self, project: &mut Project) -> Result<SessionView, OpError> {
        let sessions = project.store().handoffs()?;
        let plan = self.plan(project, &sessions)?;
        // Going on with a session leaves its summary as it is.
        let goes_on = plan.target.is_some() && self.session_status == Some(SavedStatus::Active);
        if self.summary.is_none() && !self.pause_only && !goes_on {
            let example = Hint::run_with::<SaveSession>(json!({"summary": "what was done and where it stands"}));
            return Err(OpError::usage("missing field `summary`: say what was done and where it stands").hint(example));
        }
        match &plan.target {
            Some(found) => change::check_rev(found, self.if_rev)?,
            None if self.if_rev.is_some() => {
                return Err(OpError::usage("`if_rev` is for a session that is there, and this would be a new one"));
            }
            None => {}
        }
        let tasks = std::mem::take(&mut self.tasks);
        let changed_tasks = change_tasks(project, tasks)?;
        let status = plan.status;
        let body = match (&self.body, &plan.target) {
            (Change::Set(body), _) => Some(body.clone()),
            (Change::Keep, Some(found)) => project.store().session_body(found)?,
            (Change::Keep, None) | (Change::Clear, _) => None,
        };
        let about = self.about.take();
        let continues = self.continued(project, &plan)?;
        let (endings, settled_before) = self.endings(project)?;
        let changing = Changing { endings, ..self.changing(project, status, &changed_tasks)? };
        let Changed { found, warnings } = match &plan.target {
            Some(found) => change::change(project, found, changing)?,
            None => {
                let kind = if status == SessionStatus::Closed {
                    change::kind_of_record(project)
                } else {
                    SessionKind::Session
                };
                let mut session = change::begin(project, kind)?;
                session.project = about.or(session.project);
                session.continues = continues;
                change::create(project, session, changing)?
            }
        };
        let mut also = Vec::new();
        for (other, status) in &plan.others {
            also.push(change::change(project, other, Changing::to(*status))?.found);
        }
        let ended: Vec<&FoundSession> = std::iter::once(&found)
            .chain(&also)
            .filter(|found| found.session.status == SessionStatus::Closed)
            .collect();
        if !ended.is_empty() {
            change::archive_old(project, &ended)?;
        }
        let what = match status {
            SessionStatus::Active => "saved active",
            SessionStatus::Paused => "paused",
            SessionStatus::Closed => "saved and closed",
        };
        let mut view = SessionView::saved(project, &found, what);
        for other in &also {
            if let Some(message) = &mut view.message {
                message.extend(["; ", other.session.status.word(), " ", &other.name]);
            }
        }
        view.changed_tasks = changed_tasks;
        view.name_items(&found);
        view.warnings.extend(warnings);
        view.warnings.extend(settled_before);
        view.warnings.extend(form::told(project, &found.session, body.as_deref()));
        view.warnings.extend(plan.told);
        view.warnings.extend(form::not_mentioned(project, &found)?);
        view.warnings.extend(still_running(project));
        Ok(view)
    }
}

fn change_tasks(project: &mut Project, tasks: Vec<TaskChange>) -> Result<Vec<ChangedTask>, OpError> {
    let mut changed: Vec<ChangedTask> = Vec::new();
    for task in parents_last(project, tasks) {
        let task = task.apply(project)?;
        changed.retain(|known| known.id != task.id);
        changed.push(ChangedTask {
            id: task.id,
            number: task.number.to_string(),
            title: task.title,
            status: task.status.word().to_owned(),
        });
    }
    if changed.len() > 1 {
        // A later one may have moved what an earlier one lies below.
        for task in &mut changed {
            task.number = project.store().find(&task.id.into())?.number.to_string();
        }
    }
    Ok(changed)
}

/// The changes in an order in which a task is finished after those below it: what counts is how things stand at the end.
fn parents_last(project: &Project, tasks: Vec<TaskChange>) -> Vec<TaskChange> {
    let ids: Vec<Option<TaskId>> = tasks.iter().map(|task| Some(task.wanted()?.find(project).ok()?.task.id)).collect();
    let depth = |index: usize| {
        // One that is named again later is not finished for good.
        let is_last = !ids[index + 1..].contains(&ids[index]);
        let found = tasks[index].wanted().filter(|_| tasks[index].finishes() && is_last)?.find(project).ok()?;
        Some(Reverse(found.number.to_string().matches('.').count()))
    };
    let mut ordered: Vec<(Option<Reverse<usize>>, usize)> =
        (0..tasks.len()).map(|index| (depth(index), index)).collect();
    ordered.sort();
    let mut tasks: Vec<Option<TaskChange>> = tasks.into_iter().map(Some).collect();
    ordered.into_iter().filter_map(|(_, index)| tasks[index].take()).collect()
}

impl SaveSession {
    /// The paths of the pointers that are given.
    fn pointed(&self) -> impl Iterator<Item = String> {
        let given = match &self.context_pointers {
            Change::Set(pointers) => pointers.as_slice(),
            Change::Keep | Change::Clear => &[],
        };
        given.iter().chain(&self.add_pointers).map(|pointer| pointer.path.to_string())
    }

    /// The full name of the handoff that a new session continues.
    fn continued(&self, project: &Project, plan: &Plan) -> Result<Option<String>, OpError> {
        let Some(wanted) = &self.continues else { return Ok(None) };
        if plan.target.is_some() {
            return Err(OpError::usage("`continues` is for a new session, and this one exists: leave it out"));
        }
        Ok(Some(project.store().session(wanted)?.name))
    }

    /// The items that are settled with the save, and a word about those that were settled before.
    fn endings(&mut self, project: &Project) -> Result<(Vec<ItemEnding>, Vec<String>), OpError> {
        let done = std::mem::take(&mut self.done);
        let wishes = wishes(done, std::mem::take(&mut self.resolved), std::mem::take(&mut self.dropped));
        if wishes.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        settle::endings(&Recorded::read(project)?.items(), &wishes)
    }

    fn changing(self, project: &Project, status: SessionStatus, changed: &[ChangedTask]) -> Result<Changing, OpError> {
        let related = if self.with_tasks.is_empty() { self.related_task_ids } else { Change::Set(self.with_tasks) };
        let tasks = match related {
            Change::Keep => Change::Keep,
            Change::Clear => Change::Clear,
            Change::Set(references) => {
                let ids = references.iter().map(|reference| Ok(project.store().find(reference)?.task.id));
                Change::Set(ids.collect::<Result<_, OpError>>()?)
            }
        };
        let expires_at = match self.ttl {
            Change::Keep => Change::Keep,
            Change::Clear => Change::Clear,
            Change::Set(ttl) => ttl.after(project.now()).map_or(Change::Clear, Change::Set),
        };
        // What is typed with flags is the list where it is all of them.
        let next = match self.next {
            Change::Keep if self.replace_next => Change::Set(Vec::new()),
            next => next,
        };
        let edit = SessionEdit {
            title: self.title,
            summary: self.summary.map_or(Change::Keep, Change::Set),
            name: self.name,
            label: self.label,
            timeline: self.timeline,
            environment: self.environment,
            expires_at,
            tags: if self.with_tags.is_empty() { self.tags } else { Change::Set(self.with_tags) },
            tasks,
            add_tasks: changed.iter().map(|task| task.id).collect(),
            next,
            add_next: self.add_next,
            replace_next: self.replace_next,
            questions: self.questions,
            add_questions: self.add_questions,
            blockers: self.blockers,
            add_blockers: self.add_blockers,
            decisions: self.decisions,
            add_decisions: self.add_decisions.into_iter().chain(self.typed_decisions.0).collect(),
            checklist: self.checklist,
            add_checklist: self.add_checklist,
            notes: self.handoff_notes,
            add_notes: self
                .add_notes
                .into_iter()
                .chain(self.add_cautions.into_iter().map(NoteInput::caution))
                .collect(),
            references: self.references,
            add_references: self.add_references,
            pointers: self.context_pointers,
            add_pointers: self.add_pointers,
            ..SessionEdit::default()
        };
        let tool = self.tool.map(String::from);
        Ok(Changing { edit, tool, body: self.body, seen: self.seen, ..Changing::to(status) })
    }
}

impl From<SavedStatus> for SessionStatus {
    fn from(status: SavedStatus) -> SessionStatus {
        match status {
            SavedStatus::Closed => SessionStatus::Closed,
            SavedStatus::Active => SessionStatus::Active,
        }
    }
}
