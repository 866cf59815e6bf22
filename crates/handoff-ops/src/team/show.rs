//! `handoff team`

use std::collections::BTreeMap;

use clap::Args;
use handoff_model::rev::Rev;
use handoff_model::task::Task;
use handoff_model::text::Hours;
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::AddAssignee;
use super::view::{self, AssigneeView, people};
use crate::calendar::CalendarSettings;
use crate::label::{LabelView, labels, labels_line};
use crate::metrics::{Asked, Figures};
use crate::milestone::{MilestoneView, milestone_table, milestones};
use crate::page::{Role, Text};
use crate::time::hours;
use crate::workload::Workload;
use crate::{Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// Show the team: people, milestones, calendar, labels and budget
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowTeam {}

/// The team and what it goes by.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TeamView {
    /// By the name that tasks use
    pub assignees: BTreeMap<String, AssigneeView>,
    /// Open tasks that are nobody's
    pub unassigned: usize,
    pub milestones: BTreeMap<String, MilestoneView>,
    pub calendar: CalendarSettings,
    pub labels: Vec<LabelView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<BudgetView>,
    /// Revision of config.toml, for `if_rev`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rev: Option<Rev>,
    #[serde(skip)]
    today: Day,
}

/// How much the project may cost, and has.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BudgetView {
    pub total_hours: f64,
    /// Hours logged so far
    pub used_hours: f64,
    pub left_hours: f64,
}

impl Operation for ShowTeam {
    const NAME: &'static str = "team.show";
    const TOOL: &'static str = "handoff_show_team";
    const SET: ToolSet = ToolSet::Team;
    const EFFECT: Effect = Effect::Read;
    type Outcome = TeamView;

    fn example() -> Value {
        json!({})
    }

    fn run(self, project: &mut Project) -> Result<TeamView, OpError> {
        let figures = Figures::read(project, Asked::default())?;
        let work = figures.work();
        let is_free = |task: &Task| task.assignee.is_none() && task.status.is_open();
        Ok(TeamView {
            assignees: people(work),
            unassigned: work.forest.walk().iter().filter(|node| is_free(&node.task)).count(),
            milestones: milestones(&figures),
            calendar: CalendarSettings::of(&work.config.calendar, &work.calendar),
            labels: labels(&work.config.labels, &work.forest),
            budget: work.config.effort_budget.total_hours.map(|total| BudgetView::of(total, work)),
            rev: project.config_sources().project.map(|file| file.rev),
            today: work.today,
        })
    }
}

impl BudgetView {
    fn of(total: Hours, work: &Workload) -> BudgetView {
        let used = work.times.minutes_by_task().values().sum();
        let total = i64::from(Task::minutes_of(total.value()));
        BudgetView { total_hours: hours(total), used_hours: hours(used), left_hours: hours(total - used) }
    }
}

impl Report for TeamView {
    fn page(&self) -> Page {
        let mut page = Page::new().heading("People");
        page = if self.assignees.is_empty() {
            let nobody = Text::of(Role::Dim, "nobody is on the team yet");
            page.line(nobody).advice("add somebody: ", Hint::run_with::<AddAssignee>(json!({"key": "NAME"})))
        } else {
            page.table(view::table(&self.assignees, self.today))
        };
        if self.unassigned > 0 {
            let open = view::count_of(self.unassigned, "open task is", "open tasks are");
            page = page.line(Text::of(Role::Dim, format!("{open} nobody's")));
        }
        if !self.milestones.is_empty() {
            page = page.blank().heading("Milestones").table(milestone_table(&self.milestones));
        }
        page = self.calendar.fields(page.blank().heading("Calendar"), self.today);
        if !self.labels.is_empty() {
            page = page.blank().heading("Labels").line(labels_line(&self.labels));
        }
        if let Some(BudgetView { total_hours, used_hours, left_hours }) = self.budget {
            let role = if left_hours < 0.0 { Role::Bad } else { Role::Plain };
            let left = Text::of(role, format!("{left_hours} h left"))
                .plain(format!(": {used_hours} h of {total_hours} h are logged"));
            page = page.blank().heading("Budget").line(left);
        }
        page
    }
}
