//! A plan as it is told.

use handoff_model::id::TaskId;
use handoff_model::number::Number;
use handoff_model::plan::{DateChange, DayWork, Forecast, PlannedParent, PlannedTask, Problem};
use handoff_model::when::Day;
use handoff_store::{Forest, Node};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::planned::{Planned, name_of, named, warnings};
use crate::page::{Cell, Sheet};
use crate::{Breaks, Facts, Report, visible};

/// The plan, and what applying it changes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlanView {
    /// Whether nothing was written
    pub dry_run: bool,
    /// The first day that is planned
    pub from: Day,
    /// The day on which everything is finished
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<Day>,
    /// The person whose tasks are told; everybody's if absent
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// How many tasks have a place
    pub scheduled_count: usize,
    /// How many tasks get other dates, parents included
    pub changed_count: usize,
    /// What was done, or would be
    pub message: String,
    /// Open tasks without any below them, in the order of the tree
    pub tasks: Vec<PlannedView>,
    /// What the tasks below each parent come to
    pub parents: Vec<PlannedParent>,
    /// The tasks that decide when everything is finished, the first first
    pub critical_path: Vec<TaskId>,
    /// What becomes of the milestones, by date
    pub milestones: Vec<Forecast>,
    /// Dates before and after, in the order of the tree
    pub changes: Vec<ChangeView>,
    /// What cannot be kept or cannot be planned, and what would help
    pub problems: Vec<ProblemView>,
    /// What estimates were multiplied with, from the settings
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ai_estimate_multiplier: Option<f64>,
    #[serde(skip)]
    pub(super) form: Form,
    #[serde(skip)]
    pub(super) names: Vec<(TaskId, String)>,
    #[serde(skip)]
    pub(super) week: Day,
    #[serde(skip)]
    pub(super) today: Day,
    #[serde(skip)]
    warnings: Vec<String>,
}

/// What a reader asked to see of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    /// The days of the tasks; `asked` are the fields that applying takes too
    Plan { weeks: Option<u32>, limit: usize, asked: Value },
    /// The dates that change
    Changes,
}

/// A task and its days.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PlannedView {
    pub id: TaskId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<Number>,
    pub title: String,
    /// The person it is planned for
    #[serde(skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
    pub start: Day,
    pub end: Day,
    /// Work that is planned
    pub minutes: u64,
    /// The minutes of each day
    pub days: Vec<DayWork>,
    /// Minutes of its person by which it can slip before everything is finished later; absent for what is pinned
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slack_minutes: Option<u64>,
    /// Whether it has no slack
    pub critical: bool,
    pub pinned: bool,
    /// The day from which its deadline leaves no room for other work
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pressing_from: Option<Day>,
}

impl PlannedView {
    fn of(forest: &Forest, task: &PlannedTask) -> PlannedView {
        let (number, title) = name_of(forest, task.id);
        PlannedView {
            id: task.id,
            number,
            title,
            who: task.who.clone(),
            start: task.start,
            end: task.end,
            minutes: task.days.iter().map(|work| u64::from(work.minutes)).sum(),
            days: task.days.clone(),
            slack_minutes: task.slack_minutes,
            critical: task.critical,
            pinned: task.pinned,
            pressing_from: task.pressing_from,
        }
    }
}

/// The dates of a task, before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangeView {
    pub task_id: TaskId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<Number>,
    pub title: String,
    pub old_start: Option<Day>,
    pub new_start: Option<Day>,
    pub old_due: Option<Day>,
    pub new_due: Option<Day>,
    /// How many days later than it was due
    pub later_days: u32,
}

impl ChangeView {
    pub(super) fn of(forest: &Forest, change: &DateChange) -> ChangeView {
        let (number, title) = name_of(forest, change.id);
        ChangeView {
            task_id: change.id,
            number,
            title,
            old_start: change.start_before,
            new_start: change.start,
            old_due: change.due_before,
            new_due: change.due,
            later_days: change.later_days,
        }
    }
}

/// Something that does not fit, and what would help.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProblemView {
    #[serde(flatten)]
    pub problem: Problem,
    pub message: String,
}

impl ProblemView {
    /// A problem in words, with tasks called as the tables call them.
    pub(super) fn of(forest: &Forest, problem: Problem) -> ProblemView {
        let named = |(place, part): (usize, &str)| {
            let node = part.parse().ok().filter(|_| place % 2 == 1).and_then(|id: TaskId| forest.get(id));
            let name = |node: &Node| format!("{} {}", node.number, visible(&node.task.title, Breaks::Mark));
            node.map_or_else(|| part.to_owned(), name)
        };
        let message = problem.to_string();
        let message = message.split('`').enumerate().map(named).collect::<Vec<_>>().join("`");
        ProblemView { problem, message }
    }
}

impl PlanView {
    /// What the plan comes to; `message` says what was done with it.
    pub(super) fn of(planned: Planned, form: Form, dry_run: bool, message: String) -> PlanView {
        let Planned { work, tasks: _, from, plan, changes, assignee } = planned;
        let forest = &work.forest;
        let is_theirs = |who: Option<&str>| assignee.is_none() || who == assignee.as_deref();
        let tasks: Vec<PlannedView> = plan
            .tasks
            .iter()
            .filter(|task| is_theirs(task.who.as_deref()))
            .map(|task| PlannedView::of(forest, task))
            .collect();
        let number =
            |id: &TaskId| (*id, name_of(forest, *id).0.map_or_else(|| id.to_string(), |number| number.to_string()));
        PlanView {
            dry_run,
            from,
            end: if assignee.is_some() { tasks.iter().map(|task| task.end).max() } else { plan.end },
            scheduled_count: tasks.len(),
            changed_count: changes.len(),
            message,
            tasks,
            names: plan.critical_path.iter().map(number).collect(),
            parents: plan.parents,
            critical_path: plan.critical_path,
            milestones: plan.milestones,
            changes: named(forest, &changes),
            problems: plan.problems.into_iter().map(|problem| ProblemView::of(forest, problem)).collect(),
            ai_estimate_multiplier: work.multiplier,
            form,
            week: work.calendar.week_of(from),
            today: work.today,
            warnings: warnings(forest),
            assignee,
        }
    }
}

impl Report for PlanView {
    fn page(&self) -> crate::Page {
        match &self.form {
            Form::Plan { weeks, limit, asked } => self.plan_page(*weeks, *limit, asked),
            Form::Changes => self.changes_page(),
        }
    }

    fn sheet(&self) -> Option<Sheet> {
        let heading =
            ["number", "id", "title", "who", "start", "end", "minutes", "slack_minutes", "critical", "pinned"];
        let rows = self.tasks.iter().map(|task| {
            [
                Cell::plain_if(task.number.as_ref()),
                Cell::plain(task.id),
                Cell::text(&task.title),
                Cell::text_if(task.who.as_deref()),
                Cell::plain(task.start),
                Cell::plain(task.end),
                Cell::plain(task.minutes),
                Cell::plain_if(task.slack_minutes),
                Cell::plain(task.critical),
                Cell::plain(task.pinned),
            ]
        });
        Some(Sheet::new(heading).rows(rows))
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// An agent is told the changes one by one, up to as many as anyone reads.
    fn facts(&self) -> Facts {
        const TOLD: usize = 100;
        let mut more = Map::new();
        let mut tell = |name: &str, value: Value| more.insert(name.to_owned(), value);
        tell("dry_run", json!(self.dry_run));
        tell("scheduled_count", json!(self.scheduled_count));
        tell("changed_count", json!(self.changed_count));
        tell("end", json!(self.end));
        tell("changes", json!(self.changes.iter().take(TOLD).collect::<Vec<_>>()));
        tell("problems", json!(self.problems.iter().take(TOLD).collect::<Vec<_>>()));
        tell("milestones", json!(self.milestones));
        Facts { message: self.page().to_markdown(None), more, ..Facts::default() }
    }
}
