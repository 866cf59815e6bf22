//! A session as it is shown.

use std::collections::BTreeSet;

use handoff_model::agent::COMPILED;
use handoff_model::id::{SessionId, TaskId};
use handoff_model::origin::Origin;
use handoff_model::problem::Problem;
use handoff_model::rev::Rev;
use handoff_model::session::{
    ChecklistItem, Decision, GitFacts, ItemRecord, NoteCategory, Pointer, Reference, Session, SessionKind, SessionNote,
    SessionStatus, Settlement,
};
use handoff_model::when::Moment;
use handoff_store::FoundSession;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::page::{Role, Text};
use crate::{Door, Facts, OpError, Page, Project, Report};

/// A session, whole.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionView {
    pub id: SessionId,
    /// Its full name
    pub name: String,
    pub kind: SessionKind,
    pub status: SessionStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub summary: String,
    /// Where the project stands, as somebody put it into words
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The name it can be fetched by
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_name: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Moment>,
    /// Full name of the session it continues
    #[serde(skip_serializing_if = "Option::is_none")]
    pub continues: Option<String>,
    /// Full name of the session it branched off from
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<String>,
    /// Full names of the sessions that were merged into it
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub merged_from: Vec<String>,
    /// Full name of the session it was merged into
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<String>,
    /// The run of the handover that wrote or closed it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handover: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<String>,
    /// Ids of the tasks it concerns
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Decision>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checklist: Vec<ChecklistItem>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<SessionNote>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Reference>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pointers: Vec<Pointer>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub environment: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git: Option<GitFacts>,
    /// Ids of the open items in the lists above
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<ItemRecord>,
    /// Items of any session that were settled during this one
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub settled: Vec<Settlement>,
    /// Where it came from, when another system kept it before
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The free-form text, byte for byte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Where its file lies
    pub file: String,
    /// Whether it was moved to an archive
    pub archived: bool,
    /// Give this back as `if_rev` to change the session only if nobody else did meanwhile
    pub rev: Rev,
    /// What had to be read differently from how it is written
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// What was done
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Tasks that were created or changed with it
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed_tasks: Vec<ChangedTask>,
    /// Items above that ended since, with the way they did
    #[serde(skip)]
    pub(super) ended_since: Vec<(String, String)>,
    #[serde(skip)]
    pub(super) warnings: Vec<String>,
}

/// A task that was created or changed together with a session.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ChangedTask {
    pub id: TaskId,
    pub number: String,
    pub title: String,
    pub status: String,
}

impl SessionView {
    pub(super) fn new(project: &Project, found: &FoundSession) -> SessionView {
        let Session {
            format: _,
            id,
            kind,
            status,
            title,
            summary,
            state,
            tool,
            author,
            name,
            tags,
            project: project_name,
            timeline,
            label,
            started_at,
            ended_at,
            expires_at,
            continues,
            forked_from,
            merged_from,
            merged_into,
            handover,
            next,
            blockers,
            questions,
            tasks,
            last_decision: _,
            decisions,
            checklist,
            notes,
            references,
            pointers,
            environment,
            git,
            items,
            settled,
            body_base64: _,
            body_check: _,
            origin,
        } = found.session.clone();
        SessionView {
            id,
            name: found.name.clone(),
            kind,
            status,
            title,
            summary,
            state,
            tool,
            author,
            label_name: name,
            tags,
            project: project_name,
            timeline,
            label,
            started_at,
            ended_at,
            expires_at,
            continues,
            forked_from,
            merged_from,
            merged_into,
            handover,
            next,
            blockers,
            questions,
            tasks,
            decisions,
            checklist,
            notes,
            references,
            pointers,
            environment,
            git,
            items,
            settled,
            origin,
            body: None,
            file: project.shown(&project.store().path_of(found.file())),
            archived: found.archive.is_some(),
            rev: found.rev,
            problems: found.problem.clone().into_iter().collect(),
            message: None,
            changed_tasks: Vec::new(),
            ended_since: Vec::new(),
            warnings: found.problem.iter().map(ToString::to_string).collect(),
        }
    }

    /// The view after a change, with a sentence that says what was done.
    pub(super) fn changed(project: &Project, found: &FoundSession, what: &str) -> SessionView {
        let mut view = SessionView::new(project, found);
        view.message = Some(format!("{what} session {}", view.name));
        view
    }

    /// The view after a save, which also says how to fetch the session again.
    pub(super) fn saved(project: &Project, found: &FoundSession, what: &str) -> SessionView {
        let mut view = SessionView::changed(project, found, what);
        if let Some(message) = &mut view.message {
            *message = format!("{message}; {}", fetching(&view.id, project.door));
        }
        view
    }

    /// Names the items that the session leaves open, and those that it settled.
    pub(super) fn name_items(&mut self, found: &FoundSession) {
        const NAMED: usize = 12;
        let session = &found.session;
        let open = session.item_entries().filter(|entry| !entry.is_checked);
        let ids = open.filter_map(|entry| session.item_record(entry.kind, entry.text)).map(|record| record.id.as_str());
        // Two texts that say the same are one item.
        let mut named = BTreeSet::new();
        let ids: Vec<&str> = ids.filter(|id| !id.is_empty() && named.insert(*id)).collect();
        let settled: Vec<&str> = session.settled.iter().filter_map(|end| Some(end.item.rsplit_once('#')?.1)).collect();
        let list = |ids: &[&str]| {
            let more = if ids.len() > NAMED { format!(" and {} more", ids.len() - NAMED) } else { String::new() };
            format!("{}{more}", ids[..ids.len().min(NAMED)].join(", "))
        };
        if let Some(message) = &mut self.message {
            if !ids.is_empty() {
                message.extend(["; open here: ", &list(&ids)]);
            }
            if !settled.is_empty() {
                message.extend(["; settled: ", &list(&settled)]);
            }
        }
    }

    /// Keeps one thing of what the session lists: a decision by its id, or a note as `n` and its place.
    pub(super) fn keep_only(&mut self, ids: &[String], item: &str) -> Result<(), OpError> {
        let decision = ids.iter().position(|id| id.eq_ignore_ascii_case(item));
        let note = item.strip_prefix(['n', 'N']).and_then(|place| place.parse::<usize>().ok());
        let note = note.and_then(|place| place.checked_sub(1)).filter(|place| *place < self.notes.len());
        if decision.is_none() && note.is_none() {
            let notes = (1..=self.notes.len()).map(|place| format!("n{place}"));
            let known: Vec<String> = ids.iter().cloned().chain(notes).collect();
            let known = if known.is_empty() { "no decisions or notes".to_owned() } else { known.join(", ") };
            return Err(OpError::not_found(format!("session `{}` has no `{item}`: it has {known}", self.name)));
        }
        let (decisions, notes) = (std::mem::take(&mut self.decisions), std::mem::take(&mut self.notes));
        match decision {
            Some(place) => self.decisions.extend(decisions.into_iter().nth(place)),
            None => self.notes.extend(note.and_then(|place| notes.into_iter().nth(place))),
        }
        self.summary.clear();
        self.state = None;
        self.body = None;
        self.git = None;
        self.environment.clear();
        for list in [&mut self.next, &mut self.blockers, &mut self.questions] {
            list.clear();
        }
        self.checklist.clear();
        self.items.clear();
        self.settled.clear();
        self.references.clear();
        self.pointers.clear();
        Ok(())
    }

    fn details(&self) -> Page {
        let joined = |list: &[String]| (!list.is_empty()).then(|| list.join(", "));
        let ids: Vec<String> = self.tasks.iter().map(ToString::to_string).collect();
        let moment = |at: Option<Moment>| at.map(|at| Text::default().time(at));
        let mut page = Page::new()
            .line(self.headline())
            .field_if("kind", (self.kind != SessionKind::Session).then(|| self.kind.word()))
            .field_if("name", self.label_name.clone())
            .field_if("tool", self.tool.clone())
            .field_if("author", self.author.clone())
            .field_if("tags", joined(&self.tags))
            .field_if("project", self.project.clone())
            .field_if("timeline", self.timeline.clone())
            .field_if("label", self.label.clone())
            .field_if("started", moment(self.started_at))
            .field_if("ended", moment(self.ended_at))
            .field_if("expires", moment(self.expires_at))
            .field_if("continues", self.continues.as_ref().map(|name| Text::of(Role::Id, name)))
            .field_if("forked from", self.forked_from.as_ref().map(|name| Text::of(Role::Id, name)))
            .field_if("merged from", joined(&self.merged_from))
            .field_if("merged into", self.merged_into.as_ref().map(|name| Text::of(Role::Id, name)))
            .field_if("handover", self.handover.clone())
            .field_if("tasks", joined(&ids));
        if let Some(git) = &self.git {
            page = git_fields(page, git);
        }
        page =
            page.field("file", Text::of(Role::Dim, &self.file)).field("rev", Text::of(Role::Dim, self.rev.to_string()));
        if !self.summary.is_empty() {
            page = page.blank().prose(&self.summary);
        }
        if let Some(state) = &self.state {
            page = page.blank().heading("Current state").prose(state);
        }
        let with_id = |text: &String| self.with_id(text, Text::from(text));
        page = section(page, "Next steps", self.next.iter().map(with_id));
        page = section(page, "Blockers", self.blockers.iter().map(with_id));
        page = section(page, "Questions", self.questions.iter().map(with_id));
        let checklist = self.checklist.iter().enumerate();
        let checklist = checklist.map(|(index, item)| self.with_id(&item.item, checklist_line((index, item))));
        page = section(page, "Checklist", checklist);
        page = section(page, "Settled", self.settled.iter().map(settled_line));
        page = section(page, "Decisions", self.decisions.iter().map(decision_line));
        page = section(page, "Notes", self.notes.iter().map(|note| self.with_id(&note.note, note_line(note))));
        page = section(page, "Pointers", self.pointers.iter().map(pointer_line));
        page = section(page, "References", self.references.iter().map(reference_line));
        if !self.environment.is_empty() {
            let facts = self.environment.iter().map(fact);
            page = section(page, "Environment", facts);
        }
        if let Some(body) = &self.body {
            page = page.blank().heading("Body").prose(body);
        }
        page
    }

    /// A line with the id of the item that it is and, where it ended later, its end.
    fn with_id(&self, text: &str, line: Text) -> Text {
        let Some(record) = self.items.iter().find(|record| record.text == *text && !record.id.is_empty()) else {
            return line;
        };
        let mut whole = Text::of(Role::Id, &record.id).plain(" ");
        whole.spans.extend(line.spans);
        match self.ended_since.iter().find(|(id, _)| *id == record.id) {
            Some((_, end)) => whole.and(Role::Dim, format!(" ({end} since)")),
            None => whole,
        }
    }

    fn headline(&self) -> Text {
        let title = self.title.as_deref().unwrap_or("(no title)");
        let role = match self.status {
            SessionStatus::Active => Role::Good,
            SessionStatus::Paused => Role::Warn,
            SessionStatus::Closed => Role::Dim,
        };
        let text = Text::of(Role::Id, &self.name).plain(" ").and(Role::Strong, title).plain("  ");
        let text = text.and(role, self.status.word());
        if self.archived { text.and(Role::Dim, ", archived") } else { text }
    }
}

impl Report for SessionView {
    fn page(&self) -> Page {
        let Some(message) = &self.message else { return self.details() };
        let page = Page::new().line(Text::of(Role::Good, "✓ ").plain(message));
        let line = |task: &ChangedTask| {
            Text::of(Role::Number, &task.number)
                .plain(" ")
                .plain(&task.title)
                .plain("  ")
                .plain(&task.status)
                .plain("  ")
                .and(Role::Id, task.id.to_string())
        };
        self.changed_tasks.iter().map(line).fold(page, Page::item)
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn facts(&self) -> Facts {
        Facts {
            message: self.page().to_markdown(None),
            id: Some(self.id.to_string()),
            number: None,
            status: Some(self.status.word().to_owned()),
            rev: Some(self.rev.to_string()),
            warnings: Vec::new(),
            ..Facts::default()
        }
    }
}

/// The way to fetch a session again, in the words of the door that asks.
pub(super) fn fetching(id: &SessionId, door: Door) -> String {
    match door {
        Door::Cli | Door::Http => format!("to fetch it: handoff resume {id}"),
        Door::Mcp => {
            format!(
                "to fetch it: handoff_load_context {{\"session_id\": \"{id}\"}}, or the command handoff resume {id}"
            )
        }
    }
}

fn settled_line(settled: &Settlement) -> Text {
    let id = settled.item.rsplit('#').next().unwrap_or(&settled.item);
    let because = settled.because.as_ref().map(|because| format!(": {because}")).unwrap_or_default();
    Text::of(Role::Id, id).plain(" ").plain(&settled.text).and(Role::Dim, format!(" ({}{because})", settled.how))
}

fn git_fields(page: Page, git: &GitFacts) -> Page {
    let distance = match (git.ahead, git.behind) {
        (None, None) => String::new(),
        (ahead, behind) => format!(" ({} ahead, {} behind)", ahead.unwrap_or(0), behind.unwrap_or(0)),
    };
    page.field_if("branch", git.branch.as_ref().map(|branch| format!("{branch}{distance}")))
        .field_if("commit", git.commit.clone())
        .field_if("changed files", (!git.dirty.is_empty()).then(|| git.dirty.join(", ")))
}

fn section(page: Page, title: &str, items: impl Iterator<Item = Text>) -> Page {
    let mut items = items.peekable();
    if items.peek().is_none() {
        return page;
    }
    items.fold(page.blank().heading(title), Page::said)
}

fn checklist_line((index, item): (usize, &ChecklistItem)) -> Text {
    let (mark, role) = if item.checked { ("[x] ", Role::Good) } else { ("[ ] ", Role::Plain) };
    let owner = item.owner.map(|owner| format!(" ({owner})")).unwrap_or_default();
    Text::of(role, mark).plain(format!("{}. {}", index + 1, item.item)).and(Role::Dim, owner)
}

fn decision_line(decision: &Decision) -> Text {
    let reason = decision.reason.as_ref().map(|reason| format!(" — {reason}")).unwrap_or_default();
    let mut facts = vec![decision.confidence.word().to_owned()];
    if !decision.paths.is_empty() {
        facts.push(format!("governs {}", decision.paths.join(", ")));
    }
    facts.extend(decision.supersedes.as_ref().map(|other| format!("supersedes {other}")));
    if !decision.same_as.is_empty() {
        facts.push(format!("the same as {}", decision.same_as.join(", ")));
    }
    Text::of(Role::Id, &decision.id)
        .plain(" ")
        .plain(format!("{}{reason}", decision.decision))
        .and(Role::Dim, format!(" ({})", facts.join("; ")))
}

fn note_line(note: &SessionNote) -> Text {
    let role = if note.category == NoteCategory::Caution { Role::Warn } else { Role::Dim };
    Text::of(role, format!("{}: ", note.category)).plain(&note.note)
}

fn pointer_line(pointer: &Pointer) -> Text {
    let lines = pointer.lines.as_ref().map(|lines| format!(":{lines}")).unwrap_or_default();
    let reason = pointer.reason.as_ref().map(|reason| format!(" {reason}")).unwrap_or_default();
    Text::from(format!("{}{lines}", pointer.path)).and(Role::Dim, reason)
}

fn reference_line(reference: &Reference) -> Text {
    let notes = reference.notes.as_ref().map(|notes| format!(" {notes}")).unwrap_or_default();
    // One without a label of its own is called by its address.
    let label = Some(&reference.label).filter(|label| **label != reference.uri);
    let label = label.map(|label| format!("{label} ")).unwrap_or_default();
    Text::of(Role::Dim, format!("{} ", reference.kind)).plain(format!("{label}{}{notes}", reference.uri))
}

fn fact((key, value): (&String, &Value)) -> Text {
    match value {
        // What it keeps for itself is of no use to a reader.
        Value::Object(facts) if key == COMPILED => {
            let facts = facts.iter().filter(|(_, value)| !value.is_array());
            let facts: Vec<String> = facts.map(|(key, value)| format!("{key} {}", plain(value))).collect();
            Text::from(format!("{key}: {}", facts.join(", ")))
        }
        _ => Text::from(format!("{key}: {}", plain(value))),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
