//! `handoff plan move`

use clap::Args;
use handoff_model::id::{TaskId, TaskRef};
use handoff_model::plan::{CannotMove, Move, PresentDates, shift};
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::page::{changes_table, count, problems};
use super::planned::{name_of, warnings, write};
use super::view::{ChangeView, ProblemView};
use crate::page::{Role, Text};
use crate::task::{UpdateTask, change};
use crate::workload::Workload;
use crate::{Effect, Facts, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// Move one task to another day, and see what follows
///
/// What depends on it and would begin too early is pushed behind it; nothing is drawn forward, and nothing else moves.
/// Each task keeps its number of work days. Without `--apply` nothing is written; with it all dates are one change.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveInPlan {
    /// Task to move, by id, the beginning of one, or number
    #[arg(value_name = "TASK")]
    pub id: TaskRef,
    /// Day it shall start
    #[arg(long = "to", visible_alias = "start", value_name = "DATE")]
    pub start_date: Option<Day>,
    /// Day it shall be done
    #[arg(long = "due", value_name = "DATE")]
    pub due_date: Option<Day>,
    /// Write the dates
    #[arg(long)]
    #[serde(default)]
    pub apply: bool,
}

/// What moving a task does.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Movement {
    pub task_id: TaskId,
    /// Whether the dates were written
    pub applied: bool,
    /// The task itself, what it pushes, and their parents, in the order of the tree
    pub moved: Vec<MovedTask>,
    /// What cannot be kept
    pub problems: Vec<ProblemView>,
    pub message: String,
    #[serde(skip)]
    asked: Value,
    #[serde(skip)]
    warnings: Vec<String>,
}

/// A task with its new dates.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MovedTask {
    #[serde(flatten)]
    pub change: ChangeView,
    /// The task that pushed it; absent for the one that was moved, and for parents
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because_of: Option<TaskId>,
}

impl Operation for MoveInPlan {
    const NAME: &'static str = "plan.move";
    const TOOL: &'static str = "handoff_reschedule_task";
    const SET: ToolSet = ToolSet::Planning;
    const EFFECT: Effect = Effect::Amend;
    type Outcome = Movement;

    fn example() -> Value {
        json!({"id": "m2x9a4te", "start_date": "2026-11-23", "due_date": "2026-11-24", "apply": true})
    }

    fn effect(&self) -> Effect {
        if self.apply { Effect::Amend } else { Effect::Read }
    }

    fn run(self, project: &mut Project) -> Result<Movement, OpError> {
        let MoveInPlan { id, start_date, due_date, apply } = self;
        match (start_date, due_date) {
            (None, None) => {
                return Err(OpError::usage("say where to: give `--to` (`start_date`), `--due` (`due_date`) or both"));
            }
            (Some(start), Some(due)) if due < start => {
                return Err(OpError::usage(format!("it cannot be done on {due} when it starts on {start}")));
            }
            _ => {}
        }
        let task = change::find(project, &id, None)?.task.id;
        let work = Workload::of(project)?;
        let tasks = work.plan_tasks();
        let input = work.plan_input(&tasks, work.today, PresentDates::Wished);
        let shift = shift(input, task, Move { start: start_date, due: due_date }).map_err(|why| refused(&why))?;
        let changes: Vec<_> = shift.moved.iter().map(|moved| moved.change.clone()).collect();
        if apply {
            write(project, &changes)?;
        }
        let forest = &work.forest;
        let moved: Vec<MovedTask> = shift
            .moved
            .into_iter()
            .map(|moved| MovedTask { change: ChangeView::of(forest, &moved.change), because_of: moved.because_of })
            .collect();
        let (number, _) = name_of(forest, task);
        let number = number.map_or_else(|| task.to_string(), |number| number.to_string());
        let others = count(moved.iter().filter(|moved| moved.change.task_id != task).count(), "other", "others");
        let message = match (moved.is_empty(), apply) {
            (true, _) => format!("nothing to change: {number} is there already"),
            (false, false) => format!("moving {number} would move {others}; nothing was written"),
            (false, true) => format!("moved {number} and {others}; `handoff undo` takes it back"),
        };
        let mut asked = json!({"id": task, "apply": true});
        for (name, date) in [("start_date", start_date), ("due_date", due_date)] {
            if let Some(date) = date {
                asked[name] = json!(date);
            }
        }
        Ok(Movement {
            task_id: task,
            applied: apply,
            moved,
            problems: shift.problems.into_iter().map(|problem| ProblemView::of(forest, problem)).collect(),
            message,
            asked,
            warnings: warnings(forest),
        })
    }
}

fn refused(why: &CannotMove) -> OpError {
    match why {
        CannotMove::Missing(_) => OpError::not_found(why.to_string()),
        CannotMove::Parent(_) | CannotMove::Finished(_) => OpError::refused(why.to_string()),
    }
}

impl Report for Movement {
    fn page(&self) -> Page {
        let mark = if self.applied && !self.moved.is_empty() { Text::of(Role::Good, "✓ ") } else { Text::default() };
        let changes: Vec<ChangeView> = self.moved.iter().map(|moved| moved.change.clone()).collect();
        let page = changes_table(Page::new().line(mark.plain(&self.message)), &changes);
        let page = problems(page, &self.problems);
        if self.moved.is_empty() {
            return page;
        }
        if self.applied {
            let pin = json!({"id": self.task_id, "pinned": true});
            return page.blank().advice("to keep plans from moving it again ", Hint::run_with::<UpdateTask>(pin));
        }
        page.blank().advice("to write this ", Hint::run_with::<MoveInPlan>(self.asked.clone()))
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn facts(&self) -> Facts {
        let mut more = Map::new();
        more.insert("applied".to_owned(), json!(self.applied));
        more.insert("moved".to_owned(), json!(self.moved));
        more.insert("problems".to_owned(), json!(self.problems));
        Facts { message: self.page().to_markdown(None), id: Some(self.task_id.to_string()), more, ..Facts::default() }
    }
}
