//! `handoff task list`

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use clap::Args;
use handoff_model::id::{TaskId, TaskRef};
use handoff_model::number::Number;
use handoff_model::problem::{Problem, Severity};
use handoff_model::task::{Priority, Status, Task};
use handoff_model::when::Day;
use handoff_store::{Forest, LazyTask, Node};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::view::status_role;
use crate::page::{Column, Role, Row, Table, Text};
use crate::{Door, Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// List tasks as a tree, filtered if wanted
///
/// The tasks above a match are shown too, so that it is clear where it belongs. Finished tasks are shown up to
/// `settings.done_task_limit`, the last finished first to stay.
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that people set by itself")]
pub struct ListTasks {
    /// Only tasks with this status; may be given several times
    #[arg(long = "status", value_name = "STATUS")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub status: Vec<Status>,
    /// Only tasks of this person
    #[arg(long, value_name = "NAME")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// Only tasks of this milestone
    #[arg(long, value_name = "NAME")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<String>,
    /// Only tasks of this priority
    #[arg(long, value_name = "PRIORITY")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// Only tasks with this label; given several times, with all of them
    #[arg(long = "label", value_name = "LABEL")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Only tasks with this text in title, description, notes or criteria
    #[arg(long = "text", visible_alias = "query", value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Only open tasks that wait for nothing: not blocked, and all they depend on is finished
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ready: bool,
    /// Only this task and what is below it
    #[arg(long, value_name = "TASK")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub under: Option<TaskRef>,
    /// Only the matches, without the tasks above them
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub flat: bool,
    /// All finished tasks too
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// Only tasks that `handoff gc` packed into the archive
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
    /// At most this many matches
    #[arg(long, short = 'n', value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Go on after this task, as told at the end of the page before
    #[arg(long, value_name = "TASK")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<TaskRef>,
}

/// Tasks in the order of the tree.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TaskList {
    /// Parents stand before their children
    pub tasks: Vec<ListedTask>,
    /// How many tasks there are in each status, filters aside
    pub summary: Summary,
    /// How many tasks match the filters
    pub matches: usize,
    /// Finished tasks that match but are not shown
    pub hidden_finished: usize,
    /// Give this back as `cursor` to see more
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<TaskId>,
    /// What is wrong in the files
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// How many matches come after those shown
    #[serde(skip)]
    pub(crate) left: usize,
    /// The request, for asking again with more
    #[serde(skip)]
    asked: ListTasks,
    #[serde(skip)]
    warnings: Vec<String>,
}

/// Counts of all tasks.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Summary {
    pub total: usize,
    pub by_status: BTreeMap<String, usize>,
    /// Finished tasks in the archive, where they were counted; they are not among the others
    #[serde(skip_serializing_if = "is_none")]
    pub archived: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

/// One task in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListedTask {
    pub id: TaskId,
    /// The first letters of the id that are enough to name the task
    pub short: String,
    pub number: Number,
    pub title: String,
    pub status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<TaskId>,
    /// How deep it lies; a task at the top has 0
    pub depth: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<TaskId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_date: Option<Day>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<String>,
    /// Criteria that are checked, and all of them
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criteria: Option<(usize, usize)>,
    /// False for a task that is shown only because a match lies below it
    pub matched: bool,
}

impl Operation for ListTasks {
    const NAME: &'static str = "task.list";
    const TOOL: &'static str = "handoff_filter_tasks";
    const SET: ToolSet = ToolSet::Tasks;
    const EFFECT: Effect = Effect::Read;
    const DOORS: &'static [Door] = &[Door::Cli, Door::Http];
    type Outcome = TaskList;

    fn example() -> Value {
        json!({"status": ["todo", "in_progress"], "limit": 20})
    }

    fn run(self, project: &mut Project) -> Result<TaskList, OpError> {
        if self.limit == Some(0) {
            return Err(OpError::usage("a limit of 0 shows nothing: give 1 or more"));
        }
        let archived = if self.archived || self.all { Some(project.store().archived_tasks()?) } else { None };
        let packed = archived.as_ref().map_or(0, |archived| archived.forest.len());
        let (forest, selected) = match archived {
            Some(archived) if self.archived => {
                let selected = self.select(&archived.forest, project);
                (Arc::new(archived.forest), selected)
            }
            _ => project.store().forest_showing(|forest| {
                let selected = self.select(forest, project);
                (selected.as_ref().map_or_else(|_| Vec::new(), |selected| selected.shown.clone()), selected)
            })?,
        };
        let Selected { shown, matched, matches, hidden_finished, left, next_cursor } = selected?;
        let nodes = shown.iter().filter_map(|id| forest.get(*id));
        let listed = nodes
            .map(|node| listed(node, matched.contains(&node.task.id), self.flat, forest.shortest_prefix(node.task.id)));
        let tasks = listed.collect();
        let warnings = forest.problems.iter().map(warning).collect();
        let archived = if self.archived { 0 } else { packed };
        let summary = Summary { archived, ..Summary::of(&forest.walk()) };
        Ok(TaskList {
            tasks,
            summary,
            matches,
            hidden_finished,
            next_cursor,
            problems: forest.problems.clone(),
            left,
            asked: self,
            warnings,
        })
    }
}

/// What is listed.
struct Selected {
    /// The matches and, unless the list is flat, the tasks above them, in the order of the tree
    shown: Vec<TaskId>,
    matched: HashSet<TaskId>,
    matches: usize,
    hidden_finished: usize,
    left: usize,
    next_cursor: Option<TaskId>,
}

impl ListTasks {
    fn select(&self, forest: &Forest, project: &Project) -> Result<Selected, OpError> {
        let walk = forest.walk();
        let below: Option<HashSet<TaskId>> = match &self.under {
            None => None,
            Some(top) => {
                let top = forest.resolve(top)?.task.id;
                Some(forest.subtree(top).iter().map(|node| node.task.id).collect())
            }
        };
        let query = self.query.as_deref().map(str::to_lowercase);
        let mut matching: Vec<&Node> = walk
            .iter()
            .copied()
            .filter(|node| below.as_ref().is_none_or(|below| below.contains(&node.task.id)))
            .filter(|node| self.accepts(&node.task, query.as_deref(), forest))
            .collect();
        let matches = matching.len();
        let hidden_finished = self.hide_finished(&mut matching, project);
        if let Some(cursor) = &self.cursor {
            let after = forest.resolve(cursor)?.task.id;
            let place = walk.iter().position(|node| node.task.id == after).unwrap_or(0);
            let seen: HashSet<TaskId> = walk[..=place].iter().map(|node| node.task.id).collect();
            matching.retain(|node| !seen.contains(&node.task.id));
        }
        let left = self.limit.map_or(0, |limit| matching.len().saturating_sub(limit));
        matching.truncate(matching.len() - left);
        let next_cursor = if left > 0 { matching.last().map(|node| node.task.id) } else { None };
        let (shown, matched) = self.shown(forest, &walk, &matching);
        Ok(Selected { shown, matched, matches, hidden_finished, left, next_cursor })
    }

    /// What costs least to know is asked first: most of a task is only understood when it is looked at.
    fn accepts(&self, task: &LazyTask, query: Option<&str>, forest: &Forest) -> bool {
        let is = |wanted: &Option<String>, value: Option<&String>| {
            wanted.as_ref().is_none_or(|wanted| Some(wanted) == value)
        };
        (self.status.is_empty() || self.status.contains(&task.status))
            && self.priority.is_none_or(|priority| task.priority == Some(priority))
            && (!self.ready || is_ready(task, forest))
            && (self.assignee.is_none() || is(&self.assignee, task.assignee.as_ref()))
            && (self.milestone.is_none() || is(&self.milestone, task.schedule.milestone.as_ref()))
            && self.labels.iter().all(|label| task.labels.contains(label))
            && query.is_none_or(|query| has_text(task, query))
    }

    /// Leaves out the finished tasks beyond the limit, the longest finished first. Returns how many.
    fn hide_finished(&self, matching: &mut Vec<&Node>, project: &Project) -> usize {
        if self.all || self.archived || self.status.iter().any(|status| status.is_finished()) {
            return 0;
        }
        let limit = project.config().settings.done_task_limit.count();
        let mut finished: Vec<&Node> = matching.iter().copied().filter(|node| node.task.status.is_finished()).collect();
        if finished.len() <= limit {
            return 0;
        }
        finished.sort_by_key(|node| std::cmp::Reverse((node.task.completed_at, node.task.id)));
        let hidden: HashSet<TaskId> = finished[limit..].iter().map(|node| node.task.id).collect();
        matching.retain(|node| !hidden.contains(&node.task.id));
        hidden.len()
    }

    /// The matches, with the tasks above them unless the list is flat, and which of them are matches.
    fn shown(&self, forest: &Forest, walk: &[&Node], matching: &[&Node]) -> (Vec<TaskId>, HashSet<TaskId>) {
        let matched: HashSet<TaskId> = matching.iter().map(|node| node.task.id).collect();
        let mut shown = matched.clone();
        if !self.flat {
            for node in matching {
                let mut above = node.parent;
                while let Some(id) = above.filter(|id| shown.insert(*id)) {
                    above = forest.get(id).and_then(|node| node.parent);
                }
            }
        }
        let shown = walk.iter().map(|node| node.task.id).filter(|id| shown.contains(id)).collect();
        (shown, matched)
    }
}

fn listed(node: &Node, matched: bool, is_flat: bool, shortest: usize) -> ListedTask {
    let task = &node.task;
    let checked = task.done_criteria.iter().filter(|criterion| criterion.checked).count();
    ListedTask {
        id: task.id,
        short: task.id.as_str().chars().take(shortest).collect(),
        number: node.number.clone(),
        title: task.title.clone(),
        status: task.status,
        priority: task.priority,
        parent: node.parent,
        depth: if is_flat { 0 } else { node.number.ordinals().len() - 1 },
        labels: task.labels.clone(),
        dependencies: task.dependencies.clone(),
        assignee: task.assignee.clone(),
        due_date: task.schedule.due_date,
        milestone: task.schedule.milestone.clone(),
        criteria: (!task.done_criteria.is_empty()).then_some((checked, task.done_criteria.len())),
        matched,
    }
}

fn has_text(task: &Task, query: &str) -> bool {
    let contains = |text: &str| text.to_lowercase().contains(query);
    contains(&task.title)
        || task.description.as_deref().is_some_and(contains)
        || task.notes.iter().any(|note| contains(&note.text))
        || task.done_criteria.iter().any(|criterion| contains(&criterion.item))
        || task.labels.iter().any(|label| contains(label))
}

/// Whether a task can be worked on now. A dependency that was deleted holds nothing up.
pub(crate) fn is_ready(task: &LazyTask, forest: &Forest) -> bool {
    task.status.is_open()
        && task.status != Status::Blocked
        && task.dependencies.iter().all(|id| forest.get(*id).is_none_or(|node| node.task.status.is_finished()))
}

pub(crate) fn warning(problem: &Problem) -> String {
    match problem.severity {
        Severity::Damaged => format!("not shown: {problem}; `handoff doctor` says what to do"),
        Severity::Mended => problem.to_string(),
    }
}

impl Report for TaskList {
    fn page(&self) -> Page {
        if self.tasks.is_empty() {
            let text = self.summary.nothing_listed(!self.problems.is_empty(), self.asked.archived);
            return Page::new().line(text).line(self.summary.line());
        }
        let columns = vec![
            Column::new("task").shrinks_to(20),
            Column::new("status"),
            Column::new("id"),
            Column::new("priority").optional(),
            Column::new("due").optional(),
            Column::new("assignee").optional(),
            Column::new("labels").optional(),
        ];
        let page = Page::new().table(Table::new(columns).rows(self.tasks.iter().map(row)).without_empty_columns());
        let page = page.blank().line(self.summary.line());
        let page = match self.hidden_finished {
            0 => page,
            hidden => page.more(hidden, Some(self.again(|asked| asked.all = true))),
        };
        match self.next_cursor {
            Some(cursor) => page.more(self.left, Some(self.again(|asked| asked.cursor = Some(cursor.into())))),
            None => page,
        }
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl TaskList {
    /// The same request, changed to show more.
    fn again(&self, change: impl FnOnce(&mut ListTasks)) -> Hint {
        let mut asked = self.asked.clone();
        change(&mut asked);
        Hint::run_with::<ListTasks>(json!(asked))
    }
}

impl Summary {
    pub(crate) fn of(nodes: &[&Node]) -> Summary {
        let mut counts: BTreeMap<Status, usize> = BTreeMap::new();
        for node in nodes {
            *counts.entry(node.task.status).or_default() += 1;
        }
        let by_status = counts.into_iter().map(|(status, count)| (status.word().to_owned(), count)).collect();
        Summary { total: nodes.len(), by_status, archived: 0 }
    }

    pub(crate) fn add(&mut self, other: &Summary) {
        self.total += other.total;
        self.archived += other.archived;
        for (status, count) in &other.by_status {
            *self.by_status.entry(status.clone()).or_default() += count;
        }
    }

    /// How many tasks there are, and how many in each status.
    pub(crate) fn line(&self) -> Text {
        let tasks = if self.total == 1 { "task" } else { "tasks" };
        let mut text = Text::of(Role::Dim, format!("{} {tasks}", self.total));
        for status in Status::ALL {
            if let Some(count) = self.by_status.get(status.word()) {
                text = text.and(Role::Dim, ", ").and(status_role(*status), format!("{count} {status}"));
            }
        }
        match self.archived {
            0 => text,
            archived => text.and(Role::Dim, format!("; {archived} archived")),
        }
    }

    /// Says why nothing is listed.
    pub(crate) fn nothing_listed(&self, has_problems: bool, only_archived: bool) -> &'static str {
        match (self.total, has_problems) {
            (0, false) if only_archived => "no task is archived",
            (0, false) => "no tasks yet",
            (0, true) => "no task can be shown",
            _ => "no task matches",
        }
    }
}

fn row(task: &ListedTask) -> Row {
    let title = if task.matched { Role::Plain } else { Role::Dim };
    let name = Text::of(Role::Number, task.number.to_string()).plain(" ").and(title, &task.title);
    let name = match task.criteria {
        Some((checked, all)) => name.and(Role::Dim, format!(" [{checked}/{all}]")),
        None => name,
    };
    let (short, rest) = task.id.as_str().split_at(task.short.len());
    Row::new([
        name,
        Text::of(status_role(task.status), task.status.word()),
        Text::of(Role::Id, short).and(Role::Dim, rest),
        task.priority.map(|priority| priority.word().to_owned()).unwrap_or_default().into(),
        task.due_date.map(|day| day.to_string()).unwrap_or_default().into(),
        task.assignee.clone().unwrap_or_default().into(),
        task.labels.join(", ").into(),
    ])
    .indent(task.depth)
}
