//! `handoff task create`

use clap::Args;
use handoff_model::change::Change;
use handoff_model::id::TaskRef;
use handoff_model::session::{ItemEnding, ItemRef};
use handoff_model::task::{Criterion, Link, Priority, Status, TaskEdit};
use handoff_model::text::{Hours, Name, OneLine, Prose, Title};
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ShowTask, TaskView, change};
use crate::item::settle::{Wish, endings, record};
use crate::session::recorded::Recorded;
use crate::{Effect, Hint, OpError, Operation, Project, ToolSet};

/// Longest title that is made of an item's words.
const MAX_TITLE_CHARS: usize = 120;

/// Add a task, at the end of its siblings
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateTask {
    /// What is to be done, on one line; the words of the open item if it is made from one
    #[arg(value_name = "TITLE")]
    pub title: Option<Title>,
    /// Open item that becomes this task, such as `n7`, and is settled when the task is finished; may be given several times
    #[arg(long, value_name = "ITEM")]
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub from: Vec<ItemRef>,
    /// Task to put it under, by id or number; at the top when absent
    #[arg(long, value_name = "TASK")]
    pub parent: Option<TaskRef>,
    /// How far it is: todo, in_progress, review, done, blocked or skipped
    #[arg(long, value_name = "STATUS")]
    pub status: Option<Status>,
    /// How much it matters: low, medium or high
    #[arg(long, value_name = "PRIORITY")]
    pub priority: Option<Priority>,
    /// A label; may be given several times
    #[arg(long = "label", value_name = "LABEL")]
    #[serde(default)]
    pub labels: Vec<Name>,
    /// What it is about, in as many lines as needed
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub description: Option<Prose>,
    /// Who does it
    #[arg(long, value_name = "NAME")]
    pub assignee: Option<Name>,
    /// Task that must be finished first; may be given several times
    #[arg(long = "depends-on", value_name = "TASK")]
    #[serde(default)]
    pub dependencies: Vec<TaskRef>,
    /// Something that must hold before it is done; may be given several times
    #[arg(long = "criterion", value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    pub criteria: Vec<OneLine>,
    /// Day it starts
    #[arg(long = "start", value_name = "DATE")]
    pub start_date: Option<Day>,
    /// Day it is due
    #[arg(long = "due", value_name = "DATE")]
    pub due_date: Option<Day>,
    /// Hours it will take
    #[arg(long = "estimate", value_name = "HOURS", allow_negative_numbers = true)]
    pub estimate_hours: Option<Hours>,
    /// Milestone it belongs to
    #[arg(long, value_name = "NAME")]
    pub milestone: Option<Name>,
    /// Place among its siblings: tasks with an order come first, by it
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub order: Option<i64>,
    /// Criteria with their state (JSON input only)
    #[arg(skip)]
    pub done_criteria: Option<Vec<CriterionInput>>,
    /// Links to other things (JSON input only)
    #[arg(skip)]
    pub links: Option<Vec<LinkInput>>,
}

/// A criterion as it is given.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a criterion such as {\"item\": \"tests pass\"}")]
pub struct CriterionInput {
    pub item: OneLine,
    #[serde(default)]
    pub checked: bool,
}

impl From<CriterionInput> for Criterion {
    fn from(input: CriterionInput) -> Criterion {
        Criterion { item: input.item.into(), checked: input.checked }
    }
}

/// A link as it is given.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a link such as {\"type\": \"file\", \"target\": \"src/main.rs\"}")]
pub struct LinkInput {
    /// What it points to
    #[serde(rename = "type", alias = "link_type", default)]
    pub kind: handoff_model::task::LinkType,
    #[serde(alias = "url", alias = "uri")]
    pub target: OneLine,
    pub label: Option<Name>,
}

impl From<LinkInput> for Link {
    fn from(input: LinkInput) -> Link {
        Link { kind: input.kind, target: input.target.into(), label: input.label.map(String::from) }
    }
}

impl Operation for CreateTask {
    const NAME: &'static str = "task.create";
    const TOOL: &'static str = "handoff_create_task";
    const SET: ToolSet = ToolSet::Tasks;
    const EFFECT: Effect = Effect::Write;
    type Outcome = TaskView;

    fn example() -> Value {
        json!({"title": "Write handlers", "parent": "k7f3q2ma", "priority": "high", "labels": ["api"]})
    }

    fn run(self, project: &mut Project) -> Result<TaskView, OpError> {
        let parent = self.parent.as_ref().map(|parent| project.store().find(parent)).transpose()?;
        let dependencies = change::resolve(project, &self.dependencies)?;
        let set = |value: Option<_>| value.map_or(Change::Keep, Change::Set);
        let criteria = self.done_criteria.unwrap_or_default().into_iter().map(Criterion::from).collect();
        let links = self.links.unwrap_or_default().into_iter().map(Link::from).collect();
        let links = change::links(project, links)?;
        let edit = TaskEdit {
            status: self.status,
            priority: self.priority.map_or(Change::Keep, Change::Set),
            description: self.description.map_or(Change::Keep, Change::Set),
            assignee: set(self.assignee),
            order: self.order.map_or(Change::Keep, Change::Set),
            start_date: self.start_date.map_or(Change::Keep, Change::Set),
            due_date: self.due_date.map_or(Change::Keep, Change::Set),
            estimate_hours: self.estimate_hours.map_or(Change::Keep, Change::Set),
            milestone: set(self.milestone),
            add_labels: self.labels,
            add_dependencies: dependencies,
            criteria: Change::Set(criteria),
            add_criteria: self.criteria,
            links: Change::Set(links),
            ..TaskEdit::default()
        };
        let (endings, settled_before) = {
            let wishes: Vec<Wish> = self.from.into_iter().map(Wish::becomes_task).collect();
            if wishes.is_empty() { Default::default() } else { endings_as_task(&Recorded::read(project)?, &wishes)? }
        };
        let title = match (self.title, endings.first()) {
            (Some(title), _) => title,
            (None, Some(ending)) => title_of(&ending.item.text)?,
            (None, None) => return Err(untitled(&settled_before)),
        };
        let created = change::create(project, parent.as_ref(), &title, edit)?;
        if !endings.is_empty() {
            let becomes = |ending| ItemEnding { task: Some(created.task.id), ..ending };
            record(project, &endings.into_iter().map(becomes).collect::<Vec<_>>())?;
        }
        let mut view = TaskView::changed(project, &created, "created");
        view.warnings.extend(settled_before);
        Ok(view)
    }
}

/// The ends of items that become a task. Refuses where one of them is an open task already.
fn endings_as_task(recorded: &Recorded, wishes: &[Wish]) -> Result<(Vec<ItemEnding>, Vec<String>), OpError> {
    let items = recorded.items();
    let found = endings(&items, wishes)?;
    for item in items.all().iter().filter(|item| found.0.iter().any(|end| end.item == items.target(item))) {
        if let Some(node) = recorded.task_of(item) {
            let message =
                format!("{} is task {} already, which is {}", items.shown_id(item), node.number, node.task.status);
            let show = Hint::run_with::<ShowTask>(json!({"id": node.number.to_string()}));
            return Err(OpError::refused(message).hint(show));
        }
    }
    Ok(found)
}

/// A title of the words of an item: its first line, as far as a title may go.
fn title_of(text: &str) -> Result<Title, OpError> {
    let line: String = text.lines().next().unwrap_or_default().chars().take(MAX_TITLE_CHARS).collect();
    line.parse().map_err(|error| OpError::usage(format!("the item cannot be a title: {error}: give one")))
}

fn untitled(settled_before: &[String]) -> OpError {
    match settled_before.first() {
        Some(settled) => OpError::refused(format!("no task was made: {settled}")),
        None => OpError::usage("missing field `title`: say what is to be done, or name an open item with `from`")
            .detail(format!("a request that works looks like {}", CreateTask::example()))
            .hint(Hint::run_with::<CreateTask>(json!({"title": "Write handlers"}))),
    }
}
