//! `handoff metrics`

use std::collections::BTreeMap;

use clap::Args;
use handoff_model::id::TaskId;
use handoff_model::metrics::{Figure, Metrics, SessionSum, SessionTime};
use handoff_model::task::Status;
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::figures::{Asked, Figures, Names};
use super::words::{hours_of, in_hours};
use crate::{Effect, OpError, Operation, Project, ToolSet};

mod page;
mod sheet;

pub(super) use page::hundredths;

/// How the work goes: counts, effort, velocity, burndown, times, what is late
///
/// Everything is counted over tasks without tasks below them, archived ones included, and comes from their histories
/// and the time log; a figure that has too little to rest on says so. A task without a person is that of its nearest
/// parent's.
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowMetrics {
    /// Only the tasks of this person
    #[arg(long, value_name = "NAME")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// Only the tasks of this milestone
    #[arg(long, value_name = "NAME")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<String>,
    /// Series begin on this day, and what was done before does not count for times, velocity and accuracy
    #[arg(long, value_name = "DATE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Day>,
}

/// How the work of a project goes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProjectMetrics {
    /// The day it is of
    pub day: Day,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<String>,
    /// Tasks without tasks below them
    pub total: usize,
    pub by_status: BTreeMap<String, usize>,
    /// Done, of those that are not skipped; absent without any
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_percent: Option<f64>,
    pub total_estimate_hours: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ai_estimate_multiplier: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_adjusted_estimate_hours: Option<f64>,
    pub total_actual_hours: f64,
    pub total_remaining_hours: f64,
    pub overdue_count: usize,
    pub overdue_tasks: Vec<OverdueTask>,
    /// Absent where none is set, and where only some tasks count
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<BudgetHours>,
    pub milestones: Vec<MilestoneHours>,
    /// Every figure, with how it is computed
    pub figures: Metrics,
    /// Time and tokens of sessions, of everybody
    pub sessions: Figure<SessionTotals>,
    #[serde(skip)]
    names: Names,
}

/// An open task whose due date is over.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct OverdueTask {
    pub id: TaskId,
    pub title: String,
    pub due_date: Day,
    pub days_overdue: i64,
}

/// The budget in hours.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct BudgetHours {
    pub total_hours: f64,
    pub used_hours: f64,
    /// What will be used when everything that is left has been done
    pub expected_hours: f64,
    /// How much more than the total that is; less than none where something will be left
    pub over_hours: f64,
}

/// How far a milestone is, in hours.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MilestoneHours {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<Day>,
    /// Whether the configuration knows it
    pub defined: bool,
    pub total: usize,
    pub done: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_percent: Option<f64>,
    pub remaining_hours: f64,
    pub overdue: bool,
}

/// What all sessions come to, and those of each tool.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionTotals {
    pub all: SessionSum,
    pub by_tool: BTreeMap<String, SessionSum>,
}

impl Operation for ShowMetrics {
    const NAME: &'static str = "metrics.show";
    const TOOL: &'static str = "handoff_get_metrics";
    const SET: ToolSet = ToolSet::Planning;
    const EFFECT: Effect = Effect::Read;
    const SHEET: bool = true;
    type Outcome = ProjectMetrics;

    fn example() -> Value {
        json!({"since": "2026-11-01"})
    }

    fn run(self, project: &mut Project) -> Result<ProjectMetrics, OpError> {
        let ShowMetrics { assignee, milestone, since } = self;
        let asked = Asked { assignee: assignee.clone(), milestone: milestone.clone(), since };
        let figures = Figures::read(project, asked)?;
        let metrics = figures.measure();
        let sessions = totals(figures.sessions(project)?);
        let shown = metrics.overdue.known().into_iter().flatten().map(|task| task.id);
        let shown = shown.chain(metrics.stale.known().into_iter().flatten().map(|task| task.id));
        let names = figures.names(shown);
        let title = |id| names.title(id);
        let counts = &metrics.counts;
        let effort = metrics.effort.known();
        let overdue_tasks: Vec<OverdueTask> = metrics
            .overdue
            .known()
            .into_iter()
            .flatten()
            .map(|it| OverdueTask { id: it.id, title: title(it.id), due_date: it.due, days_overdue: it.days })
            .collect();
        let by_status = [
            (Status::Todo, counts.todo),
            (Status::InProgress, counts.in_progress),
            (Status::Review, counts.review),
            (Status::Done, counts.done),
            (Status::Blocked, counts.blocked),
            (Status::Skipped, counts.skipped),
        ];
        Ok(ProjectMetrics {
            day: figures.today(),
            assignee,
            milestone,
            total: counts.leaves,
            by_status: by_status.into_iter().map(|(status, count)| (status.word().to_owned(), count)).collect(),
            completion_percent: metrics.completion.known().copied(),
            total_estimate_hours: effort.map_or(0.0, |effort| hours_of(effort.estimate)),
            ai_estimate_multiplier: figures.multiplier(),
            total_adjusted_estimate_hours: effort.and_then(|effort| effort.estimate_adjusted).map(hours_of),
            total_actual_hours: effort.map_or(0.0, |effort| in_hours(effort.actual)),
            total_remaining_hours: effort.map_or(0.0, |effort| hours_of(effort.remaining)),
            overdue_count: overdue_tasks.len(),
            overdue_tasks,
            budget: metrics.budget.as_ref().and_then(Figure::known).map(|budget| BudgetHours {
                total_hours: hours_of(budget.total),
                used_hours: in_hours(budget.used),
                expected_hours: in_hours(budget.expected),
                over_hours: in_hours(budget.over),
            }),
            milestones: metrics.milestones.known().into_iter().flatten().map(MilestoneHours::of).collect(),
            figures: metrics,
            sessions,
            names,
        })
    }
}

impl MilestoneHours {
    fn of(progress: &handoff_model::metrics::MilestoneProgress) -> MilestoneHours {
        MilestoneHours {
            name: progress.milestone.clone(),
            date: progress.date,
            defined: progress.defined,
            total: progress.tasks,
            done: progress.done,
            completion_percent: progress.completion,
            remaining_hours: hours_of(progress.remaining),
            overdue: progress.overdue,
        }
    }
}

fn totals(figure: Figure<SessionTime>) -> Figure<SessionTotals> {
    figure.map(|time| SessionTotals {
        all: time.all,
        by_tool: time.by_tool.into_iter().map(|tool| (tool.tool, tool.sum)).collect(),
    })
}
