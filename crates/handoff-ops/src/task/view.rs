//! A task as it is shown.

use handoff_model::id::TaskId;
use handoff_model::number::Number;
use handoff_model::origin::Origin;
use handoff_model::problem::Problem;
use handoff_model::rev::Rev;
use handoff_model::task::{Criterion, HistoryEntry, Link, Note, Priority, Schedule, Status, Task};
use handoff_model::when::Moment;
use handoff_store::{Children, Found};
use schemars::JsonSchema;
use serde::Serialize;

use crate::page::{Role, Text};
use crate::time::hours;
use crate::{Breaks, Facts, OpError, Page, Project, Report, visible};

/// A task, whole.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TaskView {
    pub id: TaskId,
    pub number: Number,
    pub title: String,
    pub status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// Id of the parent task
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<TaskId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<TaskId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    #[serde(skip_serializing_if = "Schedule::is_empty")]
    pub schedule: Schedule,
    /// Hours logged for it, by everybody; what a person logged twice counts once
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual_hours: Option<f64>,
    /// Hours left, where it is open: what its schedule says, or the estimate less what was logged
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remaining_hours: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub done_criteria: Vec<Criterion>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<HistoryEntry>,
    /// Where it came from, when another system kept it before
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The tasks directly below
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<ChildView>,
    /// Whether it is in an archive, which `file` then is
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
    /// Where its file lies
    pub file: String,
    /// Give this back as `if_rev` to change the task only if nobody else did meanwhile
    pub rev: Rev,
    /// What had to be read differently from how it is written
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// What was done
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(skip)]
    pub(crate) warnings: Vec<String>,
}

/// A task in short, beside another.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChildView {
    pub id: TaskId,
    pub title: String,
    pub status: Status,
}

impl TaskView {
    pub(crate) fn new(project: &Project, found: &Found) -> TaskView {
        let Task {
            format: _,
            id,
            title,
            status,
            priority,
            parent: _,
            number: _,
            order,
            labels,
            dependencies,
            assignee,
            created_at,
            completed_at,
            description,
            links,
            schedule,
            done_criteria,
            notes,
            history,
            origin,
        } = found.task.clone();
        TaskView {
            id,
            number: found.number.clone(),
            title,
            status,
            priority,
            parent: found.parent,
            order,
            labels,
            dependencies,
            assignee,
            created_at,
            completed_at,
            description,
            links,
            schedule,
            actual_hours: None,
            remaining_hours: None,
            done_criteria,
            notes,
            history,
            origin,
            children: Vec::new(),
            archived: false,
            file: project.shown(&project.store().path_of(&found.file())),
            rev: found.rev,
            problems: found.problem.clone().into_iter().collect(),
            message: None,
            warnings: found.problem.iter().map(ToString::to_string).collect(),
        }
    }

    /// The view after a change, with a sentence that says what was done: `what` and then the task.
    pub(crate) fn changed(project: &Project, found: &Found, what: &str) -> TaskView {
        let mut view = TaskView::new(project, found);
        // It goes out as it is, so a title that was edited by hand must not break its line.
        view.message = Some(format!("{what} {} {}", view.number, visible(&view.title, Breaks::Mark)));
        view
    }

    pub(crate) fn with_children(mut self, children: Children) -> TaskView {
        self.children = children.tasks.iter().map(ChildView::of).collect();
        for damaged in children.damaged.into_iter().chain(children.problems) {
            self.warnings.push(super::list::warning(&damaged));
            self.problems.push(damaged);
        }
        self
    }

    /// Adds what the time log says. A log that cannot be read is told.
    pub(crate) fn with_hours(mut self, project: &Project, task: &Task) -> TaskView {
        match project.store().minutes_on(self.id) {
            Ok(minutes) => {
                self.actual_hours = Some(minutes).filter(|minutes| *minutes != 0).map(hours);
                let remaining = task.remaining_minutes(minutes, None).filter(|_| task.status.is_open());
                self.remaining_hours = remaining.map(|minutes| hours(i64::from(minutes)));
            }
            Err(error) => {
                self.warnings.push(format!("the hours logged are not known: {}", OpError::from(error).sentence()));
            }
        }
        self
    }

    fn headline(&self) -> Text {
        Text::of(Role::Number, self.number.to_string())
            .plain(" ")
            .and(Role::Strong, &self.title)
            .plain("  ")
            .and(status_role(self.status), self.status.word())
            .and(Role::Dim, if self.archived { ", archived" } else { "" })
            .plain("  ")
            .and(Role::Id, self.id.to_string())
    }

    /// Everything, with the criteria counted from `first`.
    pub(crate) fn details(&self, first: usize) -> Page {
        let Schedule { start_date, due_date, estimate_hours, remaining_hours, milestone, pinned } = &self.schedule;
        let hours = |hours: &f64| format!("{hours} h");
        let joined = |list: &[String]| (!list.is_empty()).then(|| list.join(", "));
        let ids: Vec<String> = self.dependencies.iter().map(ToString::to_string).collect();
        let mut page = Page::new()
            .line(self.headline())
            .field_if("priority", self.priority.map(|priority| priority.word().to_owned()))
            .field_if("parent", self.parent.map(|id| Text::of(Role::Id, id.to_string())))
            .field_if("labels", joined(&self.labels))
            .field_if("assignee", self.assignee.clone())
            .field_if("depends on", joined(&ids))
            .field_if("start", start_date.map(|day| day.to_string()))
            .field_if("due", due_date.map(|day| day.to_string()))
            .field_if("estimate", estimate_hours.as_ref().map(hours))
            .field_if("logged", self.actual_hours.as_ref().map(hours))
            .field_if("remaining", remaining_hours.or(self.remaining_hours).as_ref().map(hours))
            .field_if("milestone", milestone.clone())
            .field_if("pinned", pinned.map(|pinned| pinned.to_string()))
            .field_if("order", self.order.map(|order| order.to_string()))
            .field_if("created", self.created_at.map(|at| at.to_string()))
            .field_if("completed", self.completed_at.map(|at| at.to_string()))
            .field("file", Text::of(Role::Dim, &self.file))
            .field("rev", Text::of(Role::Dim, self.rev.to_string()));
        if let Some(description) = &self.description {
            page = page.blank().prose(description);
        }
        page = section(page, "Criteria", (first..).zip(&self.done_criteria).map(criterion));
        page = section(page, "Links", self.links.iter().map(link));
        page = section(page, "Children", self.children.iter().map(ChildView::line));
        if !self.notes.is_empty() {
            page = page.blank().heading("Notes");
            for note in &self.notes {
                let by = note.by.as_deref().map(|by| format!(", {by}")).unwrap_or_default();
                page = page.line(Text::of(Role::Dim, format!("{}{by}", note.at))).prose(&note.text);
            }
        }
        section(page, "History", self.history.iter().map(history))
    }
}

impl Report for TaskView {
    fn page(&self) -> Page {
        match &self.message {
            None => self.details(1),
            Some(message) => {
                let line = Text::of(Role::Good, "✓ ").plain(message).plain("  ");
                let line = line.and(status_role(self.status), self.status.word()).plain("  ");
                Page::new().line(line.and(Role::Id, self.id.to_string()))
            }
        }
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn facts(&self) -> Facts {
        Facts {
            message: self.message.clone().unwrap_or_else(|| self.page().to_markdown(None)),
            id: Some(self.id.to_string()),
            number: Some(self.number.to_string()),
            status: Some(self.status.word().to_owned()),
            rev: Some(self.rev.to_string()),
            warnings: Vec::new(),
            ..Facts::default()
        }
    }
}

fn section(page: Page, title: &str, items: impl Iterator<Item = Text>) -> Page {
    let mut items = items.peekable();
    if items.peek().is_none() {
        return page;
    }
    items.fold(page.blank().heading(title), Page::item)
}

fn criterion((place, criterion): (usize, &Criterion)) -> Text {
    let (mark, role) = if criterion.checked { ("[x] ", Role::Good) } else { ("[ ] ", Role::Plain) };
    Text::of(role, mark).plain(format!("{place}. {}", criterion.item))
}

fn link(link: &Link) -> Text {
    let label = link.label.as_deref().map(|label| format!(" ({label})")).unwrap_or_default();
    Text::of(Role::Dim, format!("{} ", link.kind)).plain(format!("{}{label}", link.target))
}

impl ChildView {
    pub(crate) fn of(task: &Task) -> ChildView {
        ChildView { id: task.id, title: task.title.clone(), status: task.status }
    }

    pub(crate) fn line(&self) -> Text {
        Text::of(status_role(self.status), self.status.word())
            .plain("  ")
            .plain(&self.title)
            .plain("  ")
            .and(Role::Id, self.id.to_string())
    }
}

fn history(entry: &HistoryEntry) -> Text {
    let by = entry.by.as_deref().map(|by| format!(", {by}")).unwrap_or_default();
    let text = Text::of(Role::Dim, format!("{}{by}  ", entry.at));
    let text = match entry.status {
        Some(status) => text.and(status_role(status), status.word()),
        None => text,
    };
    match entry.estimate_hours {
        Some(hours) => text.plain(format!(" estimate {hours} h")),
        None => text,
    }
}

pub(crate) fn status_role(status: Status) -> Role {
    match status {
        Status::Todo => Role::StatusTodo,
        Status::InProgress => Role::StatusInProgress,
        Status::Review => Role::StatusReview,
        Status::Done => Role::StatusDone,
        Status::Blocked => Role::StatusBlocked,
        Status::Skipped => Role::StatusSkipped,
    }
}
