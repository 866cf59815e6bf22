//! A plan of the project's work, and the names that go with it.

use handoff_model::change::Change;
use handoff_model::id::TaskId;
use handoff_model::number::Number;
use handoff_model::plan::{self, DateChange, Plan, PlanInput, PlanTask, PresentDates};
use handoff_model::task::TaskEdit;
use handoff_model::when::Day;
use handoff_store::Forest;

use super::view::ChangeView;
use crate::task::change;
use crate::workload::Workload;
use crate::{Breaks, OpError, Project, visible};

/// What a plan is asked to be.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wish {
    /// Whose tasks are shown and written; everybody's are planned all the same
    pub(crate) assignee: Option<String>,
    /// The first day; today if absent
    pub(crate) from: Option<Day>,
    pub(crate) present: PresentDates,
}

/// A plan, with what it was made from.
pub(super) struct Planned {
    pub(super) work: Workload,
    pub(super) tasks: Vec<PlanTask>,
    pub(super) from: Day,
    pub(super) plan: Plan,
    /// What would be written: the changes of the plan, or those that concern the person who was asked for
    pub(super) changes: Vec<DateChange>,
    pub(super) assignee: Option<String>,
}

impl Planned {
    /// Reads the work of the project and plans it.
    pub(super) fn of(project: &mut Project, wish: Wish) -> Result<Planned, OpError> {
        let work = Workload::of(project)?;
        let Wish { assignee, from, present } = wish;
        let from = match from {
            Some(from) if from < work.today => {
                let today = work.today;
                return Err(OpError::usage(format!("{from} is over: a plan begins today, {today}, or later")));
            }
            // Nothing is done before the project starts.
            from => from.unwrap_or_else(|| work.config.started_at().map_or(work.today, |start| start.max(work.today))),
        };
        let tasks = work.plan_tasks();
        if let Some(name) = &assignee {
            check_known(&work, &tasks, name)?;
        }
        let input = work.plan_input(&tasks, from, present);
        let plan = plan::plan(input);
        let changes = match &assignee {
            None => plan.changes.clone(),
            Some(person) => plan::changes_of(input, &plan, person),
        };
        Ok(Planned { work, tasks, from, plan, changes, assignee })
    }

    /// What it was made from, with the dates as they are.
    pub(super) fn input(&self) -> PlanInput<'_> {
        self.work.plan_input(&self.tasks, self.from, PresentDates::Wished)
    }
}

/// Everybody who is in the configuration or has a task, by name.
pub(super) fn people(work: &Workload, tasks: &[PlanTask]) -> Vec<String> {
    let configured = work.config.assignees.keys().map(|name| name.as_str().to_owned());
    let mut people: Vec<String> = configured.chain(tasks.iter().filter_map(|task| task.assignee.clone())).collect();
    people.sort_unstable();
    people.dedup();
    people
}

/// Refuses a name that nobody has: a plan for it would be empty and look like one without work.
pub(super) fn check_known(work: &Workload, tasks: &[PlanTask], name: &str) -> Result<(), OpError> {
    const TOLD: usize = 20;
    let people = people(work, tasks);
    if people.iter().any(|person| person == name) {
        return Ok(());
    }
    let shown = |name: &str| format!("`{}`", visible(name, Breaks::Mark));
    let known: Vec<String> = people.iter().take(TOLD).map(|name| shown(name)).collect();
    let advice = if known.is_empty() {
        "no task is anybody's yet".to_owned()
    } else {
        format!("there are {}", known.join(", "))
    };
    Err(OpError::not_found(format!("nobody here is called {}: {advice}", shown(name))))
}

/// The number and the title of a task.
pub(super) fn name_of(forest: &Forest, id: TaskId) -> (Option<Number>, String) {
    match forest.get(id) {
        Some(node) => (Some(node.number.clone()), node.task.title.clone()),
        None => (None, id.to_string()),
    }
}

/// Stages the new dates, as one change with all else that this request writes.
pub(super) fn write(project: &mut Project, changes: &[DateChange]) -> Result<(), OpError> {
    for (done, new) in changes.iter().enumerate() {
        let found = project.store().find(&new.id.into())?;
        let edit = TaskEdit { start_date: set(new.start), due_date: set(new.due), ..TaskEdit::default() };
        change::edit(project, &found, edit)?;
        project.report_progress("writing dates", done + 1, Some(changes.len()));
    }
    Ok(())
}

fn set(day: Option<Day>) -> Change<Day> {
    day.map_or(Change::Clear, Change::Set)
}

/// The changes with the names of their tasks.
pub(super) fn named(forest: &Forest, changes: &[DateChange]) -> Vec<ChangeView> {
    changes.iter().map(|change| ChangeView::of(forest, change)).collect()
}

/// What the files could not say, for the reader to know beside a plan.
pub(super) fn warnings(forest: &Forest) -> Vec<String> {
    forest.problems.iter().map(crate::task::list::warning).collect()
}
