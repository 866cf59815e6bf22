//! What every figure is made from, the archives included: a task that was packed away was worked on all the same.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use handoff_model::id::TaskId;
use handoff_model::metrics::{
    Figure, MetricTask, Metrics, MetricsInput, MilestoneProgress, Only, SessionFacts, SessionTime, Target, chosen,
    metrics, milestones, session_time,
};
use handoff_model::plan::{PresentDates, plan};
use handoff_model::task::Task;
use handoff_model::text::Name;
use handoff_model::when::{Day, Moment};
use handoff_store::ArchivedTasks;

use crate::workload::Workload;
use crate::{OpError, Project};

/// What is asked about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub(super) assignee: Option<String>,
    pub(super) milestone: Option<String>,
    pub(super) since: Option<Day>,
}

/// The work of a project, with what is archived.
pub(crate) struct Figures {
    work: Workload,
    archived: ArchivedTasks,
    now: Moment,
    asked: Asked,
}

/// What people call a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TaskName {
    pub(super) number: String,
    pub(super) title: String,
}

impl Figures {
    pub(crate) fn read(project: &mut Project, asked: Asked) -> Result<Figures, OpError> {
        let store = project.store();
        // A task that is packed away or brought back meanwhile would be in neither place, or in both.
        let (archived, forest) = store.at_one_moment(|| Ok((store.archived_tasks()?, store.whole_forest()?)))?;
        let problems: Vec<String> = archived.forest.problems.iter().map(ToString::to_string).collect();
        for problem in problems {
            project.note(format!("not counted: {problem}; `handoff doctor` says what to do"));
        }
        let work = Workload::with(project, forest)?;
        let figures = Figures { work, archived, now: project.now(), asked };
        figures.check()?;
        Ok(figures)
    }

    /// A name that nobody has is a mistake: its figures would all be nothing.
    fn check(&self) -> Result<(), OpError> {
        let Asked { assignee, milestone, since } = &self.asked;
        if let Some(since) = since.filter(|since| *since > self.today()) {
            return Err(OpError::usage(format!("{since} is still to come: give a day until {}", self.today())));
        }
        let tasks = self.tasks();
        let config = &self.work.config;
        let people = config.assignees.keys().map(Name::as_str);
        let people = people.chain(tasks.iter().filter_map(|task| task.task.assignee.as_deref()));
        known("person", assignee.as_deref(), people.collect())?;
        let milestones = config.milestones.keys().map(Name::as_str);
        let milestones = milestones.chain(tasks.iter().filter_map(|task| task.task.schedule.milestone.as_deref()));
        known("milestone", milestone.as_deref(), milestones.collect())
    }

    pub(super) fn today(&self) -> Day {
        self.work.today
    }

    pub(super) fn multiplier(&self) -> Option<f64> {
        self.work.multiplier
    }

    /// Every task, those in the archives under the parents they had.
    fn tasks(&self) -> Vec<MetricTask<'_>> {
        let forest = &self.work.forest;
        let here = forest.walk().into_iter().map(|node| MetricTask { task: &node.task, parent: node.parent });
        let packed = self.archived.forest.walk().into_iter().filter(|node| forest.get(node.task.id).is_none());
        let packed = packed.map(|node| {
            let task: &Task = &node.task;
            MetricTask { task, parent: self.archived.parent_of(task.id) }
        });
        here.chain(packed).collect()
    }

    /// All figures of what is asked about.
    pub(super) fn measure(&self) -> Metrics {
        let tasks = self.tasks();
        let target = self.target(&tasks);
        metrics(&self.input(&tasks, &self.milestone_dates(), target.as_ref()))
    }

    /// How far each milestone is, and nothing else.
    pub(crate) fn milestones(&self) -> Vec<MilestoneProgress> {
        milestones(&self.input(&self.tasks(), &self.milestone_dates(), None))
    }

    /// The work without what is archived.
    pub(crate) fn work(&self) -> &Workload {
        &self.work
    }

    fn milestone_dates(&self) -> BTreeMap<String, Option<Day>> {
        let configured = self.work.config.milestones.iter();
        configured.map(|(name, milestone)| (name.as_str().to_owned(), milestone.date)).collect()
    }

    fn input<'a>(
        &'a self,
        tasks: &'a [MetricTask<'a>],
        milestones: &'a BTreeMap<String, Option<Day>>,
        target: Option<&'a Target>,
    ) -> MetricsInput<'a> {
        let budget = self.work.config.effort_budget.total_hours;
        MetricsInput {
            tasks,
            times: &self.work.times,
            calendar: &self.work.calendar,
            zone: &self.work.zone,
            now: self.now,
            multiplier: self.work.multiplier,
            milestones,
            budget_minutes: budget.map(|hours| u64::from(Task::minutes_of(hours.value()))),
            target,
            only: self.only(),
            since: self.asked.since,
        }
    }

    fn only(&self) -> Only<'_> {
        Only { person: self.asked.assignee.as_deref(), milestone: self.asked.milestone.as_deref() }
    }

    /// Where the ideal line ends: the date of the milestone that is asked about, else of the last one, else the day on
    /// which the plan ends.
    fn target(&self, tasks: &[MetricTask<'_>]) -> Option<Target> {
        let dated = &self.work.milestones;
        let milestone = match &self.asked.milestone {
            Some(name) => dated.get_key_value(name),
            None => dated.iter().max_by_key(|(name, day)| (**day, *name)),
        };
        if let Some((name, day)) = milestone {
            return Some(Target { day: *day, by: format!("milestone {name}") });
        }
        let chosen = chosen(tasks, self.only());
        let planned = self.work.plan_tasks();
        let plan = plan(self.work.plan_input(&planned, self.today(), PresentDates::Wished));
        let end = plan.tasks.iter().filter(|task| chosen.contains(&task.id)).map(|task| task.end).max()?;
        Some(Target { day: end, by: "the plan".to_owned() })
    }

    /// The time of sessions, those in the archives included.
    pub(super) fn sessions(&self, project: &mut Project) -> Result<Figure<SessionTime>, OpError> {
        let store = project.store();
        let (sessions, archived) = store.at_one_moment(|| Ok((store.sessions()?, store.archived_sessions()?)))?;
        let mut found: Vec<_> = sessions.list.iter().chain(&archived.list).filter(|found| found.is_handoff()).collect();
        found.sort_by(|one, other| one.name.cmp(&other.name));
        found.dedup_by(|one, other| one.name == other.name);
        let wanted = |facts: &SessionFacts<'_>| {
            let last = facts.ended_at.or(facts.started_at).map(|at| at.day_in(&self.work.zone));
            self.asked.since.is_none_or(|since| last.is_some_and(|last| last >= since))
        };
        let facts = found.iter().map(|found| SessionFacts::of(&found.name, &found.session)).filter(wanted);
        let time = session_time(&facts.collect::<Vec<_>>(), &self.work.intervals, &self.work.zone);
        for problem in sessions.problems.iter().chain(&archived.problems) {
            project.note(format!("not counted: {problem}; `handoff doctor` says what to do"));
        }
        Ok(time)
    }

    /// What people call these tasks.
    pub(super) fn names(&self, ids: impl IntoIterator<Item = TaskId>) -> Names {
        let node = |id: TaskId| self.work.forest.get(id).or_else(|| self.archived.forest.get(id));
        let name = |id: TaskId| {
            let node = node(id)?;
            Some((id, TaskName { number: node.number.to_string(), title: node.task.title.clone() }))
        };
        Names(ids.into_iter().filter_map(name).collect())
    }
}

/// What people call tasks.
#[derive(Clone, Debug, Default)]
pub(super) struct Names(HashMap<TaskId, TaskName>);

impl Names {
    /// The title, or the id of a task that is not there any more.
    pub(super) fn title(&self, id: TaskId) -> String {
        self.0.get(&id).map_or_else(|| id.to_string(), |name| name.title.clone())
    }

    pub(super) fn number(&self, id: TaskId) -> String {
        self.0.get(&id).map(|name| name.number.clone()).unwrap_or_default()
    }
}

fn known(what: &str, wanted: Option<&str>, names: BTreeSet<&str>) -> Result<(), OpError> {
    let Some(wanted) = wanted.filter(|wanted| !names.contains(wanted)) else { return Ok(()) };
    let error = OpError::not_found(format!("there is no {what} `{wanted}` here"));
    Err(if names.is_empty() {
        error.detail(format!("no task has a {what} yet"))
    } else {
        error.detail(format!("known: {}", names.into_iter().collect::<Vec<_>>().join(", ")))
    })
}
