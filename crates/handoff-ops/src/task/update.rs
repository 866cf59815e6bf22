//! `handoff task update`

use clap::Args;
use handoff_model::change::{Change, KEEP};
use handoff_model::id::TaskRef;
use handoff_model::rev::Rev;
use handoff_model::task::{Criterion, Link, Priority, Status, TaskEdit};
use handoff_model::text::{Hours, Name, OneLine, Prose, Title};
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::create::{CriterionInput, LinkInput};
use super::{TaskView, change};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Change a task: what is not given stays, `none` clears
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateTask {
    /// Task to change, by id, the beginning of one, or number
    #[arg(value_name = "TASK")]
    pub id: TaskRef,
    /// What is to be done, on one line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "Title")]
    pub title: Option<Title>,
    /// How far it is: todo, in_progress, review, done, blocked or skipped
    #[arg(long, value_name = "STATUS")]
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "Status")]
    pub status: Option<Status>,
    /// How much it matters: low, medium or high; `none` clears it
    #[arg(long, value_name = "PRIORITY", default_value = KEEP, hide_default_value = true)]
    #[serde(default)]
    pub priority: Change<Priority>,
    /// What it is about; `none` clears it
    #[arg(long, value_name = "TEXT", default_value = KEEP, hide_default_value = true, allow_hyphen_values = true)]
    #[serde(default)]
    pub description: Change<Prose>,
    /// Who does it; `none` clears it
    #[arg(long, value_name = "NAME", default_value = KEEP, hide_default_value = true)]
    #[serde(default)]
    pub assignee: Change<Name>,
    /// Day it starts; `none` clears it
    #[arg(long = "start", value_name = "DATE", default_value = KEEP, hide_default_value = true)]
    #[serde(default)]
    pub start_date: Change<Day>,
    /// Day it is due; `none` clears it
    #[arg(long = "due", value_name = "DATE", default_value = KEEP, hide_default_value = true)]
    #[serde(default)]
    pub due_date: Change<Day>,
    /// Hours it will take; `none` clears it
    #[arg(long = "estimate", value_name = "HOURS", default_value = KEEP, hide_default_value = true, allow_negative_numbers = true)]
    #[serde(default)]
    pub estimate_hours: Change<Hours>,
    /// Hours that are left, if they do not follow from estimate and time log; `none` clears it
    #[arg(long = "remaining", value_name = "HOURS", default_value = KEEP, hide_default_value = true, allow_negative_numbers = true)]
    #[serde(default)]
    pub remaining_hours: Change<Hours>,
    /// Milestone it belongs to; `none` clears it
    #[arg(long, value_name = "NAME", default_value = KEEP, hide_default_value = true)]
    #[serde(default)]
    pub milestone: Change<Name>,
    /// Whether the planner must leave its dates alone: true, false or none
    #[arg(long, value_name = "BOOL", default_value = KEEP, hide_default_value = true)]
    #[serde(default)]
    pub pinned: Change<bool>,
    /// Place among its siblings: tasks with an order come first, by it; `none` clears it
    #[arg(long, value_name = "N", default_value = KEEP, hide_default_value = true, allow_negative_numbers = true)]
    #[serde(default)]
    pub order: Change<i64>,
    /// Labels that replace the present ones, separated by commas; `none` clears them
    #[arg(long, value_name = "LABELS", default_value = KEEP, hide_default_value = true)]
    #[serde(default)]
    pub labels: Change<List<Name>>,
    /// A label to add; may be given several times
    #[arg(long = "add-label", visible_alias = "label", value_name = "LABEL")]
    #[serde(default)]
    pub add_labels: Vec<Name>,
    /// A label to take away; may be given several times
    #[arg(long = "remove-label", value_name = "LABEL")]
    #[serde(default)]
    pub remove_labels: Vec<Name>,
    /// Tasks that must be finished first and replace the present ones, separated by commas; `none` clears them
    #[arg(long, value_name = "TASKS", default_value = KEEP, hide_default_value = true)]
    #[serde(default)]
    pub dependencies: Change<List<TaskRef>>,
    /// A task that must be finished first, to add; may be given several times
    #[arg(long = "depends-on", value_name = "TASK")]
    #[serde(default)]
    pub add_dependencies: Vec<TaskRef>,
    /// A task it no longer depends on; may be given several times
    #[arg(long = "remove-dependency", value_name = "TASK")]
    #[serde(default)]
    pub remove_dependencies: Vec<TaskRef>,
    /// A criterion to add; may be given several times
    #[arg(long = "criterion", value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    pub add_criteria: Vec<OneLine>,
    /// Criteria that replace the present ones (JSON input only)
    #[arg(skip)]
    #[serde(default)]
    pub done_criteria: Change<Vec<CriterionInput>>,
    /// Links that replace the present ones (JSON input only)
    #[arg(skip)]
    #[serde(default)]
    pub links: Change<Vec<LinkInput>>,
    /// Change it only if it is still at this revision
    #[arg(long, value_name = "REV")]
    pub if_rev: Option<Rev>,
}

/// A value that can be changed but not cleared, so that `null` is a mistake.
fn given<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Several values; on the command line separated by commas.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct List<T>(pub Vec<T>);

impl<T: std::str::FromStr> std::str::FromStr for List<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        text.split(',').map(|item| item.trim().parse()).collect::<Result<_, _>>().map(List)
    }
}

impl Operation for UpdateTask {
    const NAME: &'static str = "task.update";
    const TOOL: &'static str = "handoff_change_task";
    const SET: ToolSet = ToolSet::Tasks;
    const EFFECT: Effect = Effect::Write;
    type Outcome = TaskView;

    fn example() -> Value {
        json!({"id": "k7f3q2ma", "status": "in_progress", "due_date": "2026-12-01", "assignee": null})
    }

    fn run(self, project: &mut Project) -> Result<TaskView, OpError> {
        let found = change::find(project, &self.id, self.if_rev)?;
        let dependencies = match &self.dependencies {
            Change::Keep => Change::Keep,
            Change::Clear => Change::Clear,
            Change::Set(List(references)) => Change::Set(change::resolve(project, references)?),
        };
        let links = match self.links {
            Change::Keep => Change::Keep,
            Change::Clear => Change::Clear,
            Change::Set(links) => Change::Set(change::links(project, links.into_iter().map(Link::from).collect())?),
        };
        let edit = TaskEdit {
            title: self.title,
            status: self.status,
            priority: self.priority,
            description: self.description,
            assignee: self.assignee,
            order: self.order,
            start_date: self.start_date,
            due_date: self.due_date,
            estimate_hours: self.estimate_hours,
            remaining_hours: self.remaining_hours,
            milestone: self.milestone,
            pinned: self.pinned,
            labels: self.labels.map(|List(labels)| labels),
            add_labels: self.add_labels,
            remove_labels: self.remove_labels,
            dependencies,
            add_dependencies: change::resolve(project, &self.add_dependencies)?,
            remove_dependencies: change::forgotten(project, &found, &self.remove_dependencies)?,
            criteria: self.done_criteria.map(|list| list.into_iter().map(Criterion::from).collect()),
            add_criteria: self.add_criteria,
            links,
            link: None,
            note: None,
        };
        let before = found.rev;
        let saved = change::edit(project, &found, edit)?;
        let what = if saved.rev == before { "nothing to change in" } else { "updated" };
        Ok(TaskView::changed(project, &saved, what))
    }
}
