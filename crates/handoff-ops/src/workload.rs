//! What plans and figures are made from: tasks, time, people and days, read once for each request.

use std::collections::BTreeMap;
use std::sync::Arc;

use handoff_model::calendar::WorkCalendar;
use handoff_model::config::{Config, Decimal, Milestone};
use handoff_model::plan::{PlanInput, PlanTask, PresentDates};
use handoff_model::time_log::{self, Interval, TimeSums};
use handoff_model::when::Day;
use handoff_store::Forest;
use jiff::tz::TimeZone;

use crate::{OpError, Project};

/// The work of a project.
pub(crate) struct Workload {
    pub(crate) config: Config,
    pub(crate) forest: Arc<Forest>,
    /// Every entry of every time log
    pub(crate) intervals: Vec<Interval>,
    pub(crate) times: TimeSums,
    pub(crate) calendar: WorkCalendar,
    pub(crate) zone: TimeZone,
    pub(crate) today: Day,
    /// How long work takes an agent, as a share of the estimate
    pub(crate) multiplier: Option<f64>,
    /// The milestones that have a date
    pub(crate) milestones: BTreeMap<String, Day>,
}

impl Workload {
    /// Reads it. A time log that cannot be read is told beside the answer.
    pub(crate) fn of(project: &mut Project) -> Result<Workload, OpError> {
        let forest = project.store().whole_forest()?;
        Workload::with(project, forest)
    }

    /// The same with tasks that were read already.
    pub(crate) fn with(project: &mut Project, forest: Arc<Forest>) -> Result<Workload, OpError> {
        project.store().notice(forest.problems.iter().filter(|problem| problem.hides()));
        let (intervals, problems) = project.store().intervals()?;
        for problem in problems {
            project.note(format!("not counted: {problem}; `handoff doctor` says what to do"));
        }
        let config = project.config();
        let zone = project.zone();
        let dated =
            |(name, milestone): (&_, &Milestone)| milestone.date.map(|date| (String::from(Clone::clone(name)), date));
        Ok(Workload {
            times: time_log::sum(&intervals, &zone),
            calendar: WorkCalendar::new(&config.calendar, &config.assignees),
            today: project.now().day_in(&zone),
            multiplier: config.settings.ai_estimate_multiplier.map(Decimal::get),
            milestones: config.milestones.iter().filter_map(dated).collect(),
            config,
            forest,
            intervals,
            zone,
        })
    }

    /// What the planner knows about each task, from the top of the tree to the bottom.
    pub(crate) fn plan_tasks(&self) -> Vec<PlanTask> {
        let spent = self.times.minutes_by_task();
        let walk = self.forest.walk();
        let of = |(place, node): (usize, &&handoff_store::Node)| {
            let spent = spent.get(&node.task.id).copied().unwrap_or(0);
            PlanTask::of(&node.task, node.parent, place, spent, self.multiplier)
        };
        walk.iter().enumerate().map(of).collect()
    }

    /// What a plan from a day on is made from.
    pub(crate) fn plan_input<'a>(&'a self, tasks: &'a [PlanTask], from: Day, present: PresentDates) -> PlanInput<'a> {
        PlanInput { tasks, calendar: &self.calendar, milestones: &self.milestones, today: from, present }
    }
}

impl Project {
    /// The time zone whose days count: the configured one, else that of the machine.
    pub(crate) fn zone(&self) -> TimeZone {
        let named = self.config().calendar.time_zone;
        named.and_then(|zone| TimeZone::get(zone.as_str()).ok()).unwrap_or_else(TimeZone::system)
    }
}
