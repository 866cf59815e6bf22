//! `handoff plan next`

use clap::Args;
use handoff_model::id::TaskId;
use handoff_model::number::Number;
use handoff_model::plan::{PresentDates, Reason, next};
use handoff_model::task::{Priority, Status};
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::planned::{Planned, Wish, check_known, warnings};
use crate::page::{Role, Text};
use crate::task::status_role;
use crate::{Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// What to do next, and why: the tasks that can be done now, ranked
///
/// First what is begun, then what is overdue or due today, what a deadline needs now, by priority, what everything waits
/// for, how many tasks it unblocks, and due date. What waits for something unfinished, is blocked, or is pinned to a later
/// day is left out.
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowNext {
    /// For this person: their tasks and those that are nobody's
    #[arg(long, value_name = "NAME")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// How many; 5 if absent
    #[arg(long, short = 'n', value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

const SHOWN: usize = 5;

/// The tasks that can be done now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NextTasks {
    /// The first is the one to do
    pub tasks: Vec<NextTask>,
    /// How many more can be done now
    pub more: usize,
    #[serde(skip)]
    open: usize,
    #[serde(skip)]
    asked: ShowNext,
    #[serde(skip)]
    warnings: Vec<String>,
}

/// A task that can be done now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NextTask {
    pub id: TaskId,
    pub number: Number,
    pub title: String,
    pub status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// The person it is planned for
    #[serde(skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_date: Option<Day>,
    /// Why it comes here, the strongest reason first
    pub reasons: Vec<Reason>,
    /// The same in words
    pub why: String,
}

impl Operation for ShowNext {
    const NAME: &'static str = "plan.next";
    const TOOL: &'static str = "handoff_next_task";
    const SET: ToolSet = ToolSet::Planning;
    const EFFECT: Effect = Effect::Read;
    type Outcome = NextTasks;

    fn example() -> Value {
        json!({"limit": 3})
    }

    fn run(self, project: &mut Project) -> Result<NextTasks, OpError> {
        if self.limit == Some(0) {
            return Err(OpError::usage("a limit of 0 shows nothing: give 1 or more"));
        }
        let planned = Planned::of(project, Wish { present: PresentDates::Wished, ..Wish::default() })?;
        if let Some(name) = &self.assignee {
            check_known(&planned.work, &planned.tasks, name)?;
        }
        let ready = next(planned.input(), &planned.plan, self.assignee.as_deref(), usize::MAX);
        let forest = &planned.work.forest;
        let shown = self.limit.unwrap_or(SHOWN);
        let tasks: Vec<NextTask> = ready
            .iter()
            .take(shown)
            .filter_map(|next| {
                let node = forest.get(next.id)?;
                Some(NextTask {
                    id: next.id,
                    number: node.number.clone(),
                    title: node.task.title.clone(),
                    status: node.task.status,
                    priority: node.task.priority,
                    who: next.who.clone(),
                    due_date: node.task.due_date,
                    reasons: next.reasons.clone(),
                    why: next.reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
                })
            })
            .collect();
        let open = planned.tasks.iter().filter(|task| task.status.is_open()).count();
        Ok(NextTasks { more: ready.len() - tasks.len(), tasks, open, asked: self, warnings: warnings(forest) })
    }
}

impl Report for NextTasks {
    fn page(&self) -> Page {
        if self.tasks.is_empty() {
            return Page::new().line(match self.open {
                0 => "nothing to do: no task is open",
                _ => "no task can be done now: what is open is blocked, waits, is pinned to a later day, or is somebody else's",
            });
        }
        let line = |task: &NextTask| {
            let text = Text::of(Role::Number, task.number.to_string())
                .plain(" ")
                .and(Role::Strong, &task.title)
                .plain(" ")
                .and(Role::Id, task.id.to_string())
                .plain(" ")
                .and(status_role(task.status), task.status.word());
            let text = match &task.who {
                Some(who) => text.and(Role::Dim, format!(" for {who}")),
                None => text,
            };
            text.plain(": ").plain(&task.why)
        };
        let page = self.tasks.iter().map(line).fold(Page::new(), Page::said);
        let mut again = self.asked.clone();
        again.limit = Some(self.tasks.len() + self.more);
        page.more_of(self.more, "that can be done now", Some(Hint::run_with::<ShowNext>(json!(again))))
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
