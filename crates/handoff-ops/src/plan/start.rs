//! `handoff plan start`

use clap::Args;
use handoff_model::plan::{PresentDates, restart};
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::page::{changes_table, count};
use super::planned::{named, warnings, write};
use super::view::ChangeView;
use crate::config::SetConfig;
use crate::page::{Role, Text};
use crate::workload::Workload;
use crate::{Effect, Facts, OpError, Operation, Page, Project, Report, ToolSet};

/// Say on which day the project starts, and move all dates there if wanted
///
/// With `--shift-dates`, the earliest date of what is open and not pinned moves to that day and all others by as many
/// working days; milestones stay. Setting and dates are one change, which `handoff undo` takes back.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartProject {
    /// Day it starts; today if absent
    #[arg(value_name = "DATE")]
    pub start_date: Option<Day>,
    /// Move the dates of open tasks so that the first is that day
    #[arg(long)]
    #[serde(default)]
    pub shift_dates: bool,
}

/// What was written.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StartedProject {
    pub started_at: Day,
    /// What the configuration said before
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Day>,
    /// How many tasks have other dates, parents included
    pub changed_count: usize,
    pub changes: Vec<ChangeView>,
    pub message: String,
    #[serde(skip)]
    warnings: Vec<String>,
}

impl Operation for StartProject {
    const NAME: &'static str = "plan.start";
    const TOOL: &'static str = "handoff_start_project";
    const SET: ToolSet = ToolSet::Planning;
    const EFFECT: Effect = Effect::Amend;
    const REPEATABLE: bool = true;
    type Outcome = StartedProject;

    fn example() -> Value {
        json!({"start_date": "2026-11-23", "shift_dates": true})
    }

    fn run(self, project: &mut Project) -> Result<StartedProject, OpError> {
        let work = Workload::of(project)?;
        let first = self.start_date.unwrap_or(work.today);
        let before = work.config.started_at();
        let changes = if self.shift_dates {
            let tasks = work.plan_tasks();
            let input = work.plan_input(&tasks, work.today, PresentDates::Wished);
            restart(input, first).map_err(|error| OpError::refused(error.to_string()))?
        } else {
            Vec::new()
        };
        if before != Some(first) {
            SetConfig::of("project.started_at", json!(first)).run(project)?;
        }
        write(project, &changes)?;
        let moved = match (self.shift_dates, changes.len()) {
            (false, _) => String::new(),
            (true, 0) => "; no date had to move".to_owned(),
            (true, moved) => format!("; moved the dates of {}", count(moved, "task", "tasks")),
        };
        let message = match before {
            Some(before) if before == first => format!("the project starts on {first}, as before{moved}"),
            _ => format!("the project starts on {first}{moved}"),
        };
        Ok(StartedProject {
            started_at: first,
            before: before.filter(|before| *before != first),
            changed_count: changes.len(),
            changes: named(&work.forest, &changes),
            message,
            warnings: warnings(&work.forest),
        })
    }
}

impl Report for StartedProject {
    fn page(&self) -> Page {
        let page = Page::new().line(Text::of(Role::Good, "✓ ").plain(&self.message));
        changes_table(page, &self.changes)
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn facts(&self) -> Facts {
        let mut more = Map::new();
        more.insert("started_at".to_owned(), json!(self.started_at));
        more.insert("changed_count".to_owned(), json!(self.changed_count));
        Facts { message: self.page().to_markdown(None), more, ..Facts::default() }
    }
}
