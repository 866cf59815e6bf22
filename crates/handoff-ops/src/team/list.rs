//! `handoff team list`

use std::collections::BTreeMap;

use clap::Args;
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::AddAssignee;
use super::view::{self, AssigneeView, people};
use crate::page::{Cell, Role, Sheet, Text};
use crate::workload::Workload;
use crate::{Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// List people with their hours, days off and tasks
///
/// Those whom only tasks name are marked.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListAssignees {}

/// The people of a project.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Assignees {
    /// By the name that tasks use
    pub assignees: BTreeMap<String, AssigneeView>,
    #[serde(skip)]
    today: Day,
}

impl Operation for ListAssignees {
    const NAME: &'static str = "team.list";
    const TOOL: &'static str = "handoff_list_assignees";
    const SET: ToolSet = ToolSet::Team;
    const EFFECT: Effect = Effect::Read;
    const SHEET: bool = true;
    type Outcome = Assignees;

    fn example() -> Value {
        json!({})
    }

    fn run(self, project: &mut Project) -> Result<Assignees, OpError> {
        let work = Workload::of(project)?;
        Ok(Assignees { assignees: people(&work), today: work.today })
    }
}

impl Report for Assignees {
    fn page(&self) -> Page {
        if self.assignees.is_empty() {
            let nobody = Text::of(Role::Dim, "nobody is on the team yet");
            return Page::new()
                .line(nobody)
                .advice("add somebody: ", Hint::run_with::<AddAssignee>(json!({"key": "NAME"})));
        }
        Page::new().table(view::table(&self.assignees, self.today)).rest(Hint::run::<ListAssignees>())
    }

    fn sheet(&self) -> Option<Sheet> {
        let heading =
            ["name", "shown_as", "hours_per_week", "open", "tasks", "estimate_hours", "logged_hours", "configured"];
        let row = |(name, person): (&String, &AssigneeView)| {
            [
                Cell::text(name),
                Cell::text_if(person.display_name.as_deref()),
                Cell::plain(person.hours_per_week),
                Cell::plain(person.active_task_count),
                Cell::plain(person.task_count),
                Cell::plain(person.total_estimate_hours),
                Cell::plain(person.total_actual_hours),
                Cell::plain(person.configured),
            ]
        };
        Some(Sheet::new(heading).rows(self.assignees.iter().map(row)))
    }
}
