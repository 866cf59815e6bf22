//! People as they are shown: what the settings say of them, and what their tasks come to.

use std::collections::{BTreeMap, BTreeSet};

use handoff_model::config::{Assignee, DayKey, Weekday};
use handoff_model::task::Task;
use handoff_model::text::Name;
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::change::missing;
use super::input::{DayLength, shown};
use super::{AddAssignee, ListAssignees};
use crate::page::{Column, Role, Row, Table, Text};
use crate::time::hours;
use crate::workload::Workload;
use crate::{Hint, OpError, Project};

/// Somebody who works on tasks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AssigneeView {
    pub display_name: Option<String>,
    pub color: Option<String>,
    /// Their own hours on an ordinary day; those of the calendar when null
    pub work_hours_per_day: Option<f64>,
    /// Their own closed days of the week; those of the calendar when null
    pub closed_weekdays: Option<Vec<Weekday>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub closed_dates: Vec<Day>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open_dates: Vec<Day>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub day_hours: BTreeMap<DayKey, DayLength>,
    /// Whether the settings know them; otherwise they only occur in tasks, and work by the calendar
    pub configured: bool,
    /// Hours in an ordinary week
    pub hours_per_week: f64,
    /// Tasks that name them
    pub task_count: usize,
    /// Those that are not finished
    pub active_task_count: usize,
    /// Estimates of their tasks, without parents, whose work is in the tasks below
    pub total_estimate_hours: f64,
    /// Time logged on their tasks
    pub total_actual_hours: f64,
}

/// What somebody's tasks come to.
#[derive(Default)]
struct Tally {
    tasks: usize,
    open: usize,
    estimate: i64,
    spent: i64,
}

/// Everybody: those whom the settings know, and those whom only tasks name.
pub(crate) fn people(work: &Workload) -> BTreeMap<String, AssigneeView> {
    let spent = work.times.minutes_by_task();
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for node in work.forest.walk() {
        let Some(name) = &node.task.assignee else { continue };
        let tally = tallies.entry(name.clone()).or_default();
        tally.tasks += 1;
        tally.open += usize::from(node.task.status.is_open());
        tally.spent += spent.get(&node.task.id).copied().unwrap_or(0);
        if node.children.is_empty() {
            tally.estimate += i64::from(node.task.schedule.estimate_hours.map_or(0, Task::minutes_of));
        }
    }
    let names: BTreeSet<&str> =
        work.config.assignees.keys().map(Name::as_str).chain(tallies.keys().map(String::as_str)).collect();
    let known: BTreeMap<&str, &Assignee> =
        work.config.assignees.iter().map(|(name, assignee)| (name.as_str(), assignee)).collect();
    let view = |name: &str| {
        let own = known.get(name).copied().cloned();
        let none = Tally::default();
        let tally = tallies.get(name).unwrap_or(&none);
        (name.to_owned(), AssigneeView::new(work, name, own, tally))
    };
    names.into_iter().map(view).collect()
}

impl AssigneeView {
    fn new(work: &Workload, name: &str, own: Option<Assignee>, tally: &Tally) -> AssigneeView {
        let configured = own.is_some();
        let Assignee { display_name, color, work_hours_per_day, closed_weekdays, closed_dates, open_dates, day_hours } =
            own.unwrap_or_default();
        let week: u32 = work.calendar.of(Some(name)).ordinary_week().iter().sum();
        AssigneeView {
            display_name: display_name.map(String::from),
            color: color.map(String::from),
            work_hours_per_day: work_hours_per_day.map(DayLength::get),
            closed_weekdays,
            closed_dates,
            open_dates,
            day_hours,
            configured,
            hours_per_week: hours(i64::from(week)),
            task_count: tally.tasks,
            active_task_count: tally.open,
            total_estimate_hours: hours(tally.estimate),
            total_actual_hours: hours(tally.spent),
        }
    }
}

/// People as a table, with their days off from today on.
pub(crate) fn table(people: &BTreeMap<String, AssigneeView>, today: Day) -> Table {
    let columns = [
        Column::new("name").shrinks_to(8),
        Column::new("shown as").shrinks_to(6),
        Column::new("h/week").right(),
        Column::new("days off").shrinks_to(10),
        Column::new("open").right(),
        Column::new("tasks").right(),
        Column::new("estimate").right().optional(),
        Column::new("logged").right().optional(),
        Column::new(""),
    ];
    let row = |(name, person): (&String, &AssigneeView)| {
        let off: Vec<Day> = person.closed_dates.iter().copied().filter(|day| *day >= today).collect();
        let closed = person.closed_weekdays.iter().flatten().map(|day| day.word());
        let off: Vec<String> = closed.map(str::to_owned).chain((!off.is_empty()).then(|| shown(&off))).collect();
        let note = if person.configured { "" } else { "only in tasks" };
        Row::new([
            Text::of(Role::Strong, name),
            person.display_name.as_deref().unwrap_or_default().into(),
            person.hours_per_week.to_string().into(),
            off.join(", ").into(),
            person.active_task_count.to_string().into(),
            person.task_count.to_string().into(),
            format!("{} h", person.total_estimate_hours).into(),
            format!("{} h", person.total_actual_hours).into(),
            Text::of(Role::Warn, note),
        ])
    };
    Table::new(columns).rows(people.iter().map(row)).without_empty_columns()
}

/// The names that tasks give to people, with how many of them.
pub(crate) fn known_people(project: &Project) -> Result<BTreeMap<String, usize>, OpError> {
    let mut names = BTreeMap::new();
    for node in project.store().forest()?.walk() {
        if let Some(name) = &node.task.assignee {
            *names.entry(name.clone()).or_default() += 1;
        }
    }
    Ok(names)
}

/// What to say about somebody whom the settings do not know.
pub(crate) fn not_configured(
    project: &Project,
    key: &Name,
    people: &BTreeMap<Name, Assignee>,
) -> Result<OpError, OpError> {
    if let Some(tasks) = known_people(project)?.get(key.as_str()) {
        let tasks = count_of(*tasks, "task names", "tasks name");
        return Ok(OpError::not_found(format!("`{key}` is not in the settings, though {tasks} them"))
            .hint(Hint::run_with::<AddAssignee>(json!({"key": key}))));
    }
    let known: Vec<String> = people.keys().map(ToString::to_string).collect();
    Ok(missing::<ListAssignees>("person", key.as_str(), &known))
}

/// A number with what it counts.
pub(crate) fn count_of(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}
