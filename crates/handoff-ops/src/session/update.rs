//! `handoff session update`

use clap::Args;
use handoff_model::change::{Change, KEEP};
use handoff_model::id::{SessionRef, TaskRef};
use handoff_model::rev::Rev;
use handoff_model::session::lint;
use handoff_model::session::{
    ChecklistInput, DecisionInput, NoteInput, Owner, PointerInput, ReferenceInput, SessionEdit, SessionStatus, Which,
};
use handoff_model::text::{Name, OneLine, Prose, Title};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::SessionView;
use super::change::{self, Changing, Seen};
use super::form;
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Record a decision, note, blocker, next step, pointer or checklist item in the session as you go, or tick one off
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateSession {
    /// Session to change; your own if absent
    #[arg(value_name = "SESSION")]
    #[serde(default, alias = "session")]
    #[schemars(with = "String")]
    pub session_id: Option<SessionRef>,
    /// What it is about, on one line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[schemars(skip)]
    pub title: Option<Title>,
    /// What was done and where it stands
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    #[schemars(with = "String")]
    pub summary: Option<Prose>,
    /// A decision to add; may be given several times
    #[arg(long = "decision", value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    pub add_decisions: Vec<DecisionInput>,
    /// A note to add; may be given several times
    #[arg(long = "note", value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    pub add_notes: Vec<NoteInput>,
    /// A file to go on in, perhaps with lines, such as `src/main.rs:42-78`; may be given several times
    #[arg(long = "pointer", value_name = "PATH")]
    #[serde(default)]
    pub add_pointers: Vec<PointerInput>,
    /// A next step to add; may be given several times
    #[arg(long = "next", value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub add_next: Vec<Prose>,
    /// A next step that is done, by place or text
    #[arg(long, value_name = "STEP")]
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub done_next: Vec<Which>,
    /// A blocker to add; may be given several times
    #[arg(long = "blocker", value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub add_blockers: Vec<Prose>,
    /// A blocker that is resolved, by place or text
    #[arg(long = "resolved", value_name = "BLOCKER")]
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub resolved_blockers: Vec<Which>,
    /// An item to add to the checklist; may be given several times
    #[arg(long = "checklist", value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    pub add_checklist: Vec<ChecklistInput>,
    /// A checklist item to tick, by place or text
    #[arg(long, value_name = "ITEM")]
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub check: Vec<Which>,
    /// A checklist item to open again, by place or text
    #[arg(long, value_name = "ITEM")]
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub uncheck: Vec<Which>,
    /// A link to add; may be given several times
    #[arg(long = "reference", value_name = "URI")]
    #[serde(default)]
    #[schemars(skip)]
    pub add_references: Vec<ReferenceInput>,
    /// A task it concerns; may be given several times
    #[arg(long = "task", value_name = "TASK")]
    #[serde(default)]
    #[schemars(skip)]
    pub add_tasks: Vec<TaskRef>,
    /// A tag to add; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    #[serde(default)]
    #[schemars(skip)]
    pub add_tags: Vec<Name>,
    /// The line of work it belongs to, or `none`
    #[arg(long, value_name = "TEXT", default_value = KEEP, hide_default_value = true)]
    #[serde(default)]
    #[schemars(skip)]
    pub timeline: Change<Prose>,
    /// What it is called beside others of its line of work, or `none`
    #[arg(long, value_name = "TEXT", default_value = KEEP, hide_default_value = true)]
    #[serde(default)]
    #[schemars(skip)]
    pub label: Change<OneLine>,
    /// Change it only if it is still at this revision
    #[arg(long, value_name = "REV")]
    #[schemars(skip)]
    pub if_rev: Option<Rev>,
    // Arguments of the published tool, for agents that know it. What is listed above says the same in fewer words.
    #[arg(skip)]
    #[schemars(skip)]
    add_decision: Option<DecisionInput>,
    #[arg(skip)]
    #[schemars(skip)]
    add_handoff_note: Option<NoteInput>,
    #[arg(skip)]
    #[schemars(skip)]
    add_context_pointer: Option<PointerInput>,
    #[arg(skip)]
    #[schemars(skip)]
    add_checklist_item: Option<Prose>,
    #[arg(skip)]
    #[schemars(skip)]
    checklist_owner: Option<Owner>,
    /// Counted from 0
    #[arg(skip)]
    #[schemars(skip)]
    checklist_index: Option<usize>,
    #[arg(skip)]
    #[schemars(skip)]
    checklist_checked: Option<bool>,
    #[arg(skip)]
    #[serde(skip)]
    seen: Seen,
}

impl Operation for UpdateSession {
    const NAME: &'static str = "session.update";
    const TOOL: &'static str = "handoff_update_session";
    const SET: ToolSet = ToolSet::Core;
    const EFFECT: Effect = Effect::Write;
    type Outcome = SessionView;

    fn example() -> Value {
        json!({"session_id": "a3f9c12e", "add_decisions": ["Keep tokens for a day"], "check": ["1"]})
    }

    fn prepare(&mut self, project: &mut Project) -> Result<(), OpError> {
        // Only new pointers need a look at git; the rest of its facts belong to a save.
        let given = self.add_pointers.iter().chain(&self.add_context_pointer);
        let pointed: Vec<String> = given.map(|pointer| pointer.path.to_string()).collect();
        if !pointed.is_empty() {
            self.seen = change::look(project, &pointed);
            self.seen.git = None;
        }
        Ok(())
    }

    fn run(self, project: &mut Project) -> Result<SessionView, OpError> {
        let sessions = project.store().handoffs()?;
        let found = change::named_or_mine(project, &sessions, self.session_id.as_ref(), self.if_rev)?;
        // A paused session can be added to without going on with it.
        let status = found.session.status;
        if status == SessionStatus::Closed {
            return Err(change::closed(&found.session.id));
        }
        let changing = self.changing(project, status)?;
        let changed = change::change(project, &found, changing)?;
        let what = if changed.found.rev == found.rev { "nothing to change in" } else { "updated" };
        let mut view = SessionView::changed(project, &changed.found, what);
        if !changed.found.session.checklist.is_empty()
            && let Some(message) = &mut view.message
        {
            let list = &changed.found.session.checklist;
            let done = list.iter().filter(|item| item.checked).count();
            *message = format!("{message}; checklist {done}/{}", list.len());
        }
        view.warnings.extend(changed.warnings);
        let missing = form::missing_files(project, &changed.found.session);
        view.warnings.extend(lint::dead_pointers(&missing).map(|finding| finding.sentence()));
        Ok(view)
    }
}

impl UpdateSession {
    fn changing(mut self, project: &Project, status: SessionStatus) -> Result<Changing, OpError> {
        self.add_decisions.extend(self.add_decision);
        self.add_notes.extend(self.add_handoff_note);
        self.add_pointers.extend(self.add_context_pointer);
        self.add_checklist.extend(self.add_checklist_item.map(|item| ChecklistInput {
            item,
            checked: None,
            owner: self.checklist_owner.map_or(Change::Keep, Change::Set),
        }));
        if let Some(index) = self.checklist_index {
            let place = Which::Place(index + 1);
            if self.checklist_checked == Some(false) { self.uncheck.push(place) } else { self.check.push(place) }
        }
        let find = |reference: &TaskRef| Ok(project.store().find(reference)?.task.id);
        let add_tasks = self.add_tasks.iter().map(find).collect::<Result<Vec<_>, OpError>>()?;
        let edit = SessionEdit {
            title: self.title.map_or(Change::Keep, Change::Set),
            summary: self.summary.map_or(Change::Keep, Change::Set),
            timeline: self.timeline,
            label: self.label,
            add_tags: self.add_tags,
            add_tasks,
            add_next: self.add_next,
            done_next: self.done_next,
            add_blockers: self.add_blockers,
            resolved_blockers: self.resolved_blockers,
            add_decisions: self.add_decisions,
            add_checklist: self.add_checklist,
            check: self.check,
            uncheck: self.uncheck,
            add_notes: self.add_notes,
            add_references: self.add_references,
            add_pointers: self.add_pointers,
            ..SessionEdit::default()
        };
        Ok(Changing { edit, seen: self.seen, ..Changing::to(status) })
    }
}
