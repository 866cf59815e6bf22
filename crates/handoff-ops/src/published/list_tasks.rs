//! `handoff_list_tasks`

use clap::Args;
use handoff_model::id::TaskId;
use handoff_model::number::Number;
use handoff_model::problem::Problem;
use handoff_model::task::{Priority, Status};
use handoff_model::time_log;
use handoff_model::when::Day;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::words::{Words, given};
use super::{Budget, Wanted, schema};
use crate::page::{Column, Row, Table, Text};
use crate::task::{self, ListedTask, Summary, TaskList, status_role};
use crate::time::hours;
use crate::{Door, Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// What is left to do: list tasks as a tree
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct ListTasks {
    /// Such as todo,in_progress,blocked
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Words::is_empty")]
    #[schemars(schema_with = "schema::text")]
    pub status_filter: Words,
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::text")]
    pub assignee_filter: Option<String>,
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::text")]
    pub milestone_filter: Option<String>,
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::priority")]
    pub priority_filter: Option<Priority>,
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Words::is_empty")]
    #[schemars(schema_with = "schema::text")]
    pub label_filter: Words,
    /// Text in title, notes or criteria
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::text")]
    pub query: Option<String>,
    /// Only what can be started now
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(schema_with = "schema::truth")]
    pub ready: bool,
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(schema_with = "schema::truth")]
    pub archived: bool,
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::integer")]
    pub limit: Option<usize>,
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::text")]
    pub cursor: Option<Wanted>,
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Format::is_markdown")]
    #[schemars(schema_with = "schema::format")]
    pub format: Format,
}

/// The form an answer comes in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    #[default]
    Markdown,
    Json,
}

impl Format {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_markdown(&self) -> bool {
        *self == Format::Markdown
    }
}

/// The tasks that match, with those above them, as many as an answer may hold.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TaskTree {
    /// Parents stand before their children
    pub tasks: Vec<TreeTask>,
    /// How many tasks there are in each status, filters aside
    pub summary: Summary,
    /// How many tasks match the filters
    pub matches: usize,
    /// Finished tasks that match but are not shown
    #[serde(skip_serializing_if = "is_zero")]
    pub hidden_finished: usize,
    /// Give this back as `cursor` to see more
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<TaskId>,
    /// What is wrong in the files, the first few
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    #[serde(skip)]
    left: usize,
    /// The request, for asking again with more
    #[serde(skip)]
    asked: ListTasks,
    #[serde(skip)]
    warnings: Vec<String>,
}

/// One task of the tree.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TreeTask {
    pub id: TaskId,
    pub number: Number,
    pub title: String,
    pub status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<TaskId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_date: Option<Day>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milestone: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<TaskId>,
    /// Hours logged for it; what a person logged twice counts once
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual_hours: Option<f64>,
    /// Hours left, where time was logged for it and it is open
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remaining_hours: Option<f64>,
    /// Criteria that are checked, and all of them
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criteria: Option<(usize, usize)>,
    /// False for a task that is shown only because a match lies below it
    #[serde(skip_serializing_if = "std::clone::Clone::clone")]
    pub matched: bool,
}

impl Operation for ListTasks {
    const NAME: &'static str = "task.tree";
    const TOOL: &'static str = "handoff_list_tasks";
    const SET: ToolSet = ToolSet::Core;
    const EFFECT: Effect = Effect::Read;
    const DOORS: &'static [Door] = &[Door::Mcp];
    const UNNEEDED: &'static [&'static str] = &["include_children"];
    type Outcome = TaskTree;

    fn example() -> Value {
        json!({"status_filter": "todo,in_progress", "limit": 20})
    }

    fn run(self, project: &mut Project) -> Result<TaskTree, OpError> {
        let list = self.finer()?.run(project)?;
        let budget = Budget::of(project, &warnings(&list));
        let mut tree = TaskTree::whole(list, self);
        tree.add_hours(project)?;
        Ok(tree.fitted(budget))
    }
}

impl ListTasks {
    fn finer(&self) -> Result<task::ListTasks, OpError> {
        let status = |word: &String| {
            word.parse::<Status>().map_err(|error| OpError::usage(format!("`status_filter` is not valid: {error}")))
        };
        Ok(task::ListTasks {
            status: self.status_filter.0.iter().map(status).collect::<Result<_, _>>()?,
            assignee: given(self.assignee_filter.clone()),
            milestone: given(self.milestone_filter.clone()),
            priority: self.priority_filter,
            labels: self.label_filter.0.clone(),
            query: given(self.query.clone()),
            ready: self.ready,
            under: None,
            flat: false,
            all: false,
            archived: self.archived,
            limit: self.limit,
            cursor: self.cursor.as_ref().map(Wanted::reference).transpose()?,
        })
    }
}

/// What is wrong in the files, as far as it fits beside a list.
fn warnings(list: &TaskList) -> Vec<String> {
    let all = list.warnings();
    let mut shown: Vec<String> = all.iter().take(MOST_PROBLEMS).cloned().collect();
    if all.len() > shown.len() {
        shown.push(format!("{} more files are not in order", all.len() - shown.len()));
    }
    shown
}

const MOST_PROBLEMS: usize = 5;

/// More rows than the largest answer can hold.
const MOST_ROWS: usize = 500;

impl TaskTree {
    fn whole(list: TaskList, asked: ListTasks) -> TaskTree {
        let warnings = warnings(&list);
        let TaskList { tasks, summary, matches, hidden_finished, next_cursor, mut problems, left, .. } = list;
        problems.truncate(MOST_PROBLEMS);
        let tasks = tasks.into_iter().map(TreeTask::from).collect();
        TaskTree { tasks, summary, matches, hidden_finished, next_cursor, problems, left, asked, warnings }
    }

    /// Adds what the time log says. What it cannot say is told where a single task is shown.
    fn add_hours(&mut self, project: &Project) -> Result<(), OpError> {
        let (log, _) = project.store().intervals()?;
        if log.is_empty() {
            return Ok(());
        }
        let spent = time_log::sum(&log, &TimeZone::UTC).minutes_by_task();
        for task in self.tasks.iter_mut().take(MOST_ROWS) {
            let Some(minutes) = spent.get(&task.id).copied().filter(|minutes| *minutes != 0) else { continue };
            task.actual_hours = Some(hours(minutes));
            let found = project.store().find(&task.id.into()).ok().filter(|found| found.task.status.is_open());
            let remaining = found.and_then(|found| found.task.remaining_minutes(minutes, None));
            task.remaining_hours = remaining.map(|minutes| hours(i64::from(minutes)));
        }
        Ok(())
    }

    /// As many of the first matches as the budget allows. Those above a match stand before it, so cutting after a match
    /// leaves a tree.
    fn fitted(self, budget: Budget) -> TaskTree {
        let ends: Vec<usize> =
            (1..=self.tasks.len()).filter(|end| self.tasks[end - 1].matched).take(MOST_ROWS).collect();
        let fits = |end: &usize| budget.fits(&self.up_to(*end).text());
        if self.tasks.len() <= MOST_ROWS && fits(&self.tasks.len()) {
            return self;
        }
        let count = ends.partition_point(fits).max(1);
        match ends.get(count - 1) {
            Some(end) => self.up_to(*end),
            None => self,
        }
    }

    fn up_to(&self, end: usize) -> TaskTree {
        if end == self.tasks.len() {
            return self.clone();
        }
        let cut = self.tasks[end..].iter().filter(|task| task.matched).count();
        TaskTree {
            tasks: self.tasks[..end].to_vec(),
            next_cursor: self.tasks[..end].last().map(|task| task.id),
            left: self.left + cut,
            summary: self.summary.clone(),
            problems: self.problems.clone(),
            asked: self.asked.clone(),
            warnings: self.warnings.clone(),
            ..*self
        }
    }

    /// The answer in the form it was asked for.
    fn text(&self) -> String {
        match self.asked.format {
            Format::Markdown => self.page().to_markdown(None),
            Format::Json => serde_json::to_string(self).unwrap_or_default(),
        }
    }

    /// The same request, changed to show more.
    fn again(&self, change: impl FnOnce(&mut ListTasks)) -> Hint {
        let mut asked = self.asked.clone();
        change(&mut asked);
        Hint::run_with::<ListTasks>(json!(asked))
    }
}

impl Report for TaskTree {
    fn page(&self) -> Page {
        let mut page = Page::new();
        if self.tasks.is_empty() {
            let text = self.summary.nothing_listed(!self.problems.is_empty(), self.asked.archived);
            page = page.line(text);
        }
        page = page.table(Table::new([Column::new("")]).rows(self.tasks.iter().map(TreeTask::row)));
        page = page.line(self.summary.line());
        if self.hidden_finished > 0 {
            let finished = self.again(|asked| asked.status_filter = Words(vec!["done".into(), "skipped".into()]));
            page = page.more(self.hidden_finished, Some(finished));
        }
        match self.next_cursor {
            Some(cursor) => {
                let next = self.again(|asked| asked.cursor = Some(Wanted::from(cursor)));
                page.more(self.left, Some(next))
            }
            None => page,
        }
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl TreeTask {
    fn row(&self) -> Row {
        let mut text = Text::of(status_role(self.status), format!("[{}]", self.status))
            .plain(format!(" {} {}", self.number, self.title));
        if let Some(priority) = self.priority {
            text = text.plain(format!(" ({priority})"));
        }
        text = text.plain(format!(" · {}", self.id));
        if let Some((checked, all)) = self.criteria {
            text = text.plain(format!(" · {checked}/{all} checked"));
        }
        if let Some(hours) = self.actual_hours {
            text = text.plain(format!(" · {hours} h logged"));
        }
        if let Some(hours) = self.remaining_hours {
            text = text.plain(format!(" · {hours} h left"));
        }
        if let Some(day) = self.due_date {
            text = text.plain(format!(" · due {day}"));
        }
        if let Some(assignee) = &self.assignee {
            text = text.plain(format!(" · @{assignee}"));
        }
        if let Some(milestone) = &self.milestone {
            text = text.plain(format!(" · milestone {milestone}"));
        }
        for label in &self.labels {
            text = text.plain(format!(" · #{label}"));
        }
        Row::new([text]).indent(self.number.ordinals().len() - 1)
    }
}

impl From<ListedTask> for TreeTask {
    fn from(task: ListedTask) -> TreeTask {
        let ListedTask {
            id,
            short: _,
            number,
            title,
            status,
            priority,
            parent,
            depth: _,
            labels,
            dependencies,
            assignee,
            due_date,
            milestone,
            criteria,
            matched,
        } = task;
        TreeTask {
            id,
            number,
            title,
            status,
            priority,
            parent,
            assignee,
            due_date,
            milestone,
            labels,
            dependencies,
            actual_hours: None,
            remaining_hours: None,
            criteria,
            matched,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}
