//! `handoff session update`

use clap::Args;
use handoff_model::change::{Change, KEEP};
use handoff_model::id::{SessionRef, TaskRef};
use handoff_model::rev::Rev;
use handoff_model::session::lint;
use handoff_model::session::{
    ChecklistInput, DecisionInput, ItemRef, NoteInput, Owner, PointerInput, ReferenceInput, SessionEdit, SessionStatus,
    Which,
};
use handoff_model::text::{Name, OneLine, Prose, Title};
use handoff_store::FoundSession;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::SessionView;
use super::change::{self, Changing, Seen};
use super::decision_flags::DecisionFlags;
use super::form;
use super::recorded::Recorded;
use crate::item::DroppedItem;
use crate::item::input::wishes;
use crate::item::settle::{self, Wish};
use crate::request::null_is_absent;
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
    /// Items of any session now done, such as `n7`; may be given several times
    #[arg(long, value_name = "ITEM")]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(with = "Vec<String>")]
    pub done: Vec<ItemRef>,
    /// Blockers of any session that are resolved, such as `b2`; may be given several times
    #[arg(long, value_name = "ITEM")]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(with = "Vec<String>")]
    pub resolved: Vec<ItemRef>,
    /// Items to drop, each alone or as `{"item": "n7", "because": "…"}`
    #[arg(long, value_name = "ITEM")]
    #[serde(default, deserialize_with = "null_is_absent")]
    pub dropped: Vec<DroppedItem>,
    /// Decisions to add
    #[arg(skip)]
    #[serde(default, deserialize_with = "null_is_absent")]
    pub add_decisions: Vec<DecisionInput>,
    #[command(flatten)]
    #[serde(skip)]
    #[schemars(skip)]
    typed_decisions: DecisionFlags,
    /// A note to add; may be given several times
    #[arg(long = "note", value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default, deserialize_with = "null_is_absent")]
    pub add_notes: Vec<NoteInput>,
    /// A caution, in force until dropped; may be given several times
    #[arg(long = "caution", value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(skip)]
    pub add_cautions: Vec<Prose>,
    /// A file to go on in, such as `src/main.rs:42-78`; may be given several times
    #[arg(long = "pointer", value_name = "PATH")]
    #[serde(default, deserialize_with = "null_is_absent")]
    pub add_pointers: Vec<PointerInput>,
    /// A next step to add; may be given several times
    #[arg(long = "next", alias = "add-next", value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(with = "Vec<String>")]
    pub add_next: Vec<Prose>,
    /// A next step of this session that is done, by place or text
    #[arg(long, value_name = "STEP")]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(skip)]
    pub done_next: Vec<Which>,
    /// A blocker to add; may be given several times
    #[arg(long = "blocker", alias = "add-blocker", value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(with = "Vec<String>")]
    pub add_blockers: Vec<Prose>,
    /// A blocker of this session that is resolved, by place or text
    #[arg(long = "resolved-blocker", value_name = "BLOCKER")]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(skip)]
    pub resolved_blockers: Vec<Which>,
    /// A question to add; may be given several times
    #[arg(long = "question", value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(with = "Vec<String>")]
    pub add_questions: Vec<Prose>,
    /// An item to add to the checklist; may be given several times
    #[arg(long = "checklist", value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default, deserialize_with = "null_is_absent")]
    pub add_checklist: Vec<ChecklistInput>,
    /// A checklist item to tick, by place or text
    #[arg(long, value_name = "ITEM")]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(skip)]
    pub check: Vec<Which>,
    /// A checklist item to open again, by place or text
    #[arg(long, value_name = "ITEM")]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(skip)]
    pub uncheck: Vec<Which>,
    /// A link to add; may be given several times
    #[arg(long = "reference", value_name = "URI")]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(skip)]
    pub add_references: Vec<ReferenceInput>,
    /// A task it concerns; may be given several times
    #[arg(long = "task", value_name = "TASK")]
    #[serde(default, deserialize_with = "null_is_absent")]
    #[schemars(skip)]
    pub add_tasks: Vec<TaskRef>,
    /// A tag to add; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    #[serde(default, deserialize_with = "null_is_absent")]
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
        json!({"session_id": "a3f9c12e", "add_decisions": ["Keep tokens for a day"]})
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

    fn run(mut self, project: &mut Project) -> Result<SessionView, OpError> {
        let sessions = project.store().handoffs()?;
        let wishes = self.wishes();
        let (endings, settled_before) = settle::endings(&Recorded::read(project)?.items(), &wishes)?;
        let found = match change::named_or_mine(project, &sessions, self.session_id.as_ref(), self.if_rev) {
            // Items can be settled without a session, and a closed one stays as it is.
            found if !wishes.is_empty() && self.only_settles() => {
                let is_open = |found: &FoundSession| found.session.status != SessionStatus::Closed;
                if !found.as_ref().is_ok_and(is_open) {
                    let found = settle::record(project, &endings)?;
                    let mut view = SessionView::changed(project, &found, "settled in");
                    view.name_items(&found);
                    view.warnings.extend(settled_before);
                    return Ok(view);
                }
                found?
            }
            found => found?,
        };
        // A paused session can be added to without going on with it.
        let status = found.session.status;
        if status == SessionStatus::Closed {
            return Err(change::closed(&found.session.id));
        }
        let changing = Changing { endings, ..self.changing(project, status)? };
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
        view.name_items(&changed.found);
        view.warnings.extend(changed.warnings);
        view.warnings.extend(settled_before);
        let missing = form::missing_files(project, &changed.found.session);
        view.warnings.extend(lint::dead_pointers(&missing).map(|finding| finding.sentence()));
        Ok(view)
    }
}

impl UpdateSession {
    /// The items that are settled. A number is the place of a blocker in the session, as it always was.
    fn wishes(&mut self) -> Vec<Wish> {
        let place = |item: &ItemRef| match item {
            ItemRef::Text(text) => text.parse::<usize>().ok(),
            ItemRef::Id { .. } => None,
        };
        let (places, resolved): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.resolved).into_iter().partition(|item| place(item).is_some());
        self.resolved_blockers.extend(places.iter().filter_map(place).map(Which::Place));
        wishes(std::mem::take(&mut self.done), resolved, std::mem::take(&mut self.dropped))
    }

    /// Reports whether the request asks for nothing but ends of items.
    fn only_settles(&self) -> bool {
        let lists = [self.add_next.is_empty(), self.add_blockers.is_empty(), self.add_questions.is_empty()];
        let texts = [self.title.is_none(), self.summary.is_none()];
        let ticks = [self.done_next.is_empty(), self.resolved_blockers.is_empty(), self.check.is_empty()];
        let records = [self.add_decisions.is_empty(), self.add_notes.is_empty(), self.add_pointers.is_empty()];
        let more = [self.add_checklist.is_empty(), self.add_references.is_empty(), self.add_tasks.is_empty()];
        let rest = self.uncheck.is_empty()
            && self.add_cautions.is_empty()
            && self.add_tags.is_empty()
            && self.typed_decisions.0.is_empty();
        let single =
            self.add_decision.is_none() && self.add_handoff_note.is_none() && self.add_context_pointer.is_none();
        let item = self.add_checklist_item.is_none() && self.checklist_index.is_none();
        let all = [lists, ticks, records, more].into_iter().flatten().chain(texts);
        all.chain([rest, single, item, self.timeline.is_keep(), self.label.is_keep()]).all(|is_unsaid| is_unsaid)
    }

    fn changing(mut self, project: &Project, status: SessionStatus) -> Result<Changing, OpError> {
        self.add_decisions.extend(self.add_decision);
        self.add_decisions.extend(std::mem::take(&mut self.typed_decisions.0));
        self.add_notes.extend(self.add_handoff_note);
        self.add_notes.extend(self.add_cautions.into_iter().map(NoteInput::caution));
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
            add_questions: self.add_questions,
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
