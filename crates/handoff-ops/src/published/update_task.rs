//! `handoff_update_task`

use std::error::Error as _;

use clap::Args;
use handoff_model::change::Change;
use handoff_model::id::TaskId;
use handoff_model::task::{Criterion, Refusal};
use handoff_model::text::Hours;
use handoff_model::time_log::Interval;
use handoff_store::Found;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::task_input::Asked;
use super::{CheckCriterion, TaskInput, Wanted, schema};
use crate::task::{TaskView, change};
use crate::time::hours;
use crate::{Breaks, Door, Effect, Hint, OpError, Operation, Project, ToolSet, visible};

/// Add, change, finish or move a task
///
/// Without id: create (title required). With id: change what is given; null clears.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct UpdateTask {
    #[arg(skip)]
    #[schemars(schema_with = "schema::task")]
    pub task: TaskInput,
    /// For a new task
    #[arg(long)]
    #[serde(default)]
    #[schemars(schema_with = "schema::text")]
    pub parent_id: Option<Wanted>,
    /// Task id or "root"
    #[arg(long)]
    #[serde(default)]
    #[schemars(schema_with = "schema::text")]
    pub move_to: Option<Wanted>,
}

impl Operation for UpdateTask {
    const NAME: &'static str = "task.put";
    const TOOL: &'static str = "handoff_update_task";
    const SET: ToolSet = ToolSet::Core;
    const EFFECT: Effect = Effect::Write;
    const DOORS: &'static [Door] = &[Door::Mcp];
    type Outcome = TaskView;

    fn example() -> Value {
        json!({"task": {"title": "Implement auth", "priority": "high", "done_criteria": [{"item": "tests pass"}]}})
    }

    fn run(self, project: &mut Project) -> Result<TaskView, OpError> {
        let UpdateTask { task, parent_id, move_to } = self;
        put(project, task, parent_id.as_ref(), move_to.as_ref())
    }
}

/// Creates, changes or moves a task: all that was asked for, or nothing.
pub(crate) fn put(
    project: &mut Project,
    task: TaskInput,
    parent: Option<&Wanted>,
    destination: Option<&Wanted>,
) -> Result<TaskView, OpError> {
    match task.id.clone() {
        None => create(project, task, parent, destination),
        Some(id) => update(project, &id, task, parent, destination),
    }
}

fn create(
    project: &mut Project,
    task: TaskInput,
    parent: Option<&Wanted>,
    destination: Option<&Wanted>,
) -> Result<TaskView, OpError> {
    if destination.is_some() {
        return Err(OpError::usage("`move_to` is for a task that exists: give its `id`, or `parent_id` for a new one"));
    }
    let Change::Set(title) = task.title.clone() else {
        return Err(OpError::usage("a new task needs a `title`; to change one that exists, give its `id`")
            .detail(format!("a request that works looks like {}", UpdateTask::example())));
    };
    let parent = parent.map_or(Ok(None), |parent| parent.find_parent(project))?;
    let Asked { edit, actual_hours } = task.asked(project)?;
    let created = change::create(project, parent.as_ref(), &title, edit).map_err(not_yet_done)?;
    let logged = log_hours(project, created.task.id, &actual_hours)?;
    Ok(view(project, &created, "created", logged))
}

fn update(
    project: &mut Project,
    id: &Wanted,
    task: TaskInput,
    parent: Option<&Wanted>,
    destination: Option<&Wanted>,
) -> Result<TaskView, OpError> {
    for (field, is_cleared) in [("title", task.title == Change::Clear), ("status", task.status == Change::Clear)] {
        if is_cleared {
            return Err(OpError::usage(format!("`task.{field}` cannot be cleared: leave it out to keep it")));
        }
    }
    let found = change::find(project, &id.reference()?, None)?;
    if let Some(parent) = parent
        && !change::is_under(&found, parent.find_parent(project)?.as_ref())
    {
        return Err(OpError::usage("`parent_id` is for a new task: to move this one, give `move_to`"));
    }
    let destination = match destination {
        None => None,
        Some(destination) => {
            let parent = destination.find_parent(project)?;
            (!change::is_under(&found, parent.as_ref())).then_some(parent)
        }
    };
    let criteria = match &task.done_criteria {
        Change::Keep => found.task.done_criteria.clone(),
        Change::Clear => Vec::new(),
        Change::Set(criteria) => criteria.iter().map(|given| given.0.clone()).collect(),
    };
    let Asked { edit, actual_hours } = task.asked(project)?;
    let (number, rev) = (found.number.clone(), found.rev);
    let saved = match &destination {
        Some(parent) => change::edit_and_move(project, &found, edit, parent.as_ref()),
        None => change::edit(project, &found, edit),
    }
    .map_err(|error| with_the_call_that_finishes(error, &criteria))?;
    let logged = log_hours(project, saved.task.id, &actual_hours)?;
    let what = match destination {
        Some(_) => format!("updated and moved {number} to"),
        None if saved.rev == rev && logged.is_none() => "nothing to change in".to_owned(),
        None => "updated".to_owned(),
    };
    Ok(view(project, &saved, &what, logged))
}

fn view(project: &Project, found: &Found, what: &str, logged: Option<f64>) -> TaskView {
    let mut view = TaskView::changed(project, found, what);
    if let Some(hours) = logged {
        view.message = view.message.map(|message| format!("{message}; {hours} h are logged for it now"));
    }
    view
}

/// Appends what brings the hours logged for a task to those given. Returns them when that changed something.
fn log_hours(project: &mut Project, task: TaskId, wanted: &Change<Hours>) -> Result<Option<f64>, OpError> {
    let wanted = match wanted {
        Change::Keep => return Ok(None),
        Change::Clear => 0.0,
        Change::Set(hours) => hours.value(),
    };
    #[expect(clippy::cast_possible_truncation, reason = "hours are at most 100,000")]
    let minutes = (wanted * 60.0).round() as i64;
    let missing = minutes.saturating_sub(project.store().minutes_on(task)?);
    if missing == 0 {
        return Ok(None);
    }
    let interval = Interval::correction(task, &project.author()?, project.now(), missing);
    project.store_mut().log_time(interval)?;
    Ok(Some(hours(minutes)))
}

/// A refusal to finish, with open criteria counted as the tools count them and the call that would finish the task.
fn with_the_call_that_finishes(error: OpError, criteria: &[Criterion]) -> OpError {
    let Some(Refusal::OpenCriteria { id, items }) = refusal(&error) else { return error };
    let checked: Vec<Value> =
        criteria.iter().map(|criterion| json!({"item": criterion.item, "checked": true})).collect();
    let first = json!({"task_id": id, "criterion_index": items[0].0 - 1, "checked": true});
    let all = json!({"task": {"id": id, "status": "done", "done_criteria": checked}});
    let rebuilt = open_criteria(error.message(), items).hint(Hint::run_with::<CheckCriterion>(first));
    if all.to_string().len() <= LONGEST_CALL { rebuilt.hint(Hint::run_with::<UpdateTask>(all)) } else { rebuilt }
}

/// A longer call is not worth repeating in an error.
const LONGEST_CALL: usize = 2_000;

/// A refusal to make a task that is done from the start; nobody knows its id yet.
fn not_yet_done(error: OpError) -> OpError {
    let Some(Refusal::OpenCriteria { items, .. }) = refusal(&error) else { return error };
    let what = if items.len() == 1 { "an open criterion" } else { "open criteria" };
    let checked = json!({"item": items[0].1, "checked": true});
    open_criteria(&format!("a new task with {what} cannot be `done`"), items)
        .hint(Hint::say(format!("leave out `status`, or give the criteria as checked: `{checked}`")))
}

fn refusal(error: &OpError) -> Option<&Refusal> {
    error.source()?.downcast_ref()
}

fn open_criteria(message: &str, items: &[(usize, String)]) -> OpError {
    OpError::refused(message)
        .details(items.iter().map(|(place, item)| format!("{}: {}", place - 1, visible(item, Breaks::Mark))))
}
