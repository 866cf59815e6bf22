//! `handoff plan capacity`

use std::collections::BTreeMap;

use clap::Args;
use handoff_model::plan::{self, Capacity, Overbooked, PresentDates};
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::page::count;
use super::planned::{Planned, Wish, check_known, people, warnings};
use crate::page::{Cell, Column, Role, Row, Sheet, Table, Text};
use crate::{Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// Show how much time people have in a range of days, and how much of it is planned
///
/// Time is what the calendar gives, planned is what the plan puts there. A day is overbooked when the tasks due by then,
/// with the dates they have now, cannot all be done. At most a year of days is listed one by one.
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowCapacity {
    /// First day; today if absent
    #[arg(long = "from", value_name = "DATE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_date: Option<Day>,
    /// Last day; four weeks from the first if absent
    #[arg(long = "to", value_name = "DATE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_date: Option<Day>,
    /// Only this person; everybody, and work that is nobody's, if absent
    #[arg(long, value_name = "NAME")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
}

/// Four weeks, the first day included.
const USUAL_DAYS: i64 = 27;
/// Days and people that are shown; the JSON has all of them.
const SHOWN: usize = 31;

/// Time and plan of a range of days.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CapacityView {
    pub start_date: Day,
    pub end_date: Day,
    /// All of them together
    #[serde(flatten)]
    pub all: Load,
    /// Each of them, where one person was not asked for
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<PersonCapacity>,
    /// How many days at the end of the range are not listed one by one
    #[serde(skip_serializing_if = "is_none")]
    pub unlisted_days: u64,
    #[serde(skip)]
    asked: ShowCapacity,
    #[serde(skip)]
    warnings: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_none(days: &u64) -> bool {
    *days == 0
}

/// The time of one person.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PersonCapacity {
    /// Absent for work that is nobody's
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    #[serde(flatten)]
    pub load: Load,
}

/// How much time there is, and how much is planned.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Load {
    /// Days with working time, of those listed
    pub work_days: u64,
    pub total_hours: f64,
    pub allocated_hours: f64,
    pub available_hours: f64,
    pub total_minutes: u64,
    pub allocated_minutes: u64,
    /// Days with working time or planned work
    pub days: Vec<CapacityDay>,
}

/// One day.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CapacityDay {
    pub date: Day,
    pub capacity_hours: f64,
    pub allocated_hours: f64,
    pub capacity_minutes: u64,
    pub allocated_minutes: u64,
    /// Minutes due by then, with the dates as they are, that do not fit
    #[serde(skip_serializing_if = "is_none")]
    pub overbooked_minutes: u64,
}

impl Operation for ShowCapacity {
    const NAME: &'static str = "plan.capacity";
    const TOOL: &'static str = "handoff_get_capacity";
    const SET: ToolSet = ToolSet::Planning;
    const EFFECT: Effect = Effect::Read;
    const SHEET: bool = true;
    type Outcome = CapacityView;

    fn example() -> Value {
        json!({"start_date": "2026-11-16", "end_date": "2026-11-27", "assignee": "alice"})
    }

    fn run(self, project: &mut Project) -> Result<CapacityView, OpError> {
        let planned = Planned::of(project, Wish { present: PresentDates::Wished, ..Wish::default() })?;
        let (work, plan) = (&planned.work, &planned.plan);
        let first = self.start_date.unwrap_or(work.today);
        let last = self.end_date.or_else(|| first.plus(USUAL_DAYS)).unwrap_or(first);
        if last < first {
            return Err(OpError::usage(format!("the range ends on {last}, before it starts on {first}: swap the two")));
        }
        let asked = self.clone();
        let booked = plan::overbooked(planned.input());
        let of =
            |who: Option<&str>| PersonCapacity::of(plan::capacity(&work.calendar, plan, who, first, last), &booked);
        let mut people: Vec<(PersonCapacity, u64)> = match &self.assignee {
            Some(name) => {
                check_known(work, &planned.tasks, name)?;
                vec![of(Some(name))]
            }
            None => {
                let nobodys = plan.tasks.iter().any(|task| task.who.is_none());
                let known = people(work, &planned.tasks);
                let known = known.iter().map(|name| Some(name.as_str()));
                known.chain(nobodys.then_some(None)).map(of).collect()
            }
        };
        let unlisted_days = people.first().map_or(0, |(_, unlisted)| *unlisted);
        let (all, people) = if self.assignee.is_some() {
            (people.pop().map(|(person, _)| person.load).unwrap_or_default(), Vec::new())
        } else {
            let people: Vec<PersonCapacity> = people.into_iter().map(|(person, _)| person).collect();
            (Load::of_all(&people), people)
        };
        let warnings = warnings(&work.forest);
        Ok(CapacityView { start_date: first, end_date: last, all, people, unlisted_days, asked, warnings })
    }
}

impl PersonCapacity {
    /// With how many days are not listed.
    fn of(capacity: Capacity, booked: &Overbooked) -> (PersonCapacity, u64) {
        let too_much = |day: Day| booked.get(&(capacity.who.clone(), day)).copied().unwrap_or(0);
        let mut days: BTreeMap<Day, (u64, u64, u64)> = BTreeMap::new();
        for day in &capacity.days {
            days.insert(day.day, (u64::from(day.minutes), u64::from(day.planned_minutes), too_much(day.day)));
        }
        // A day without working time can be overbooked all the same.
        let last_listed = capacity.days.last().map_or(capacity.last, |day| day.day.max(capacity.first));
        let until = if capacity.unlisted_days > 0 { last_listed } else { capacity.last };
        for ((_, day), minutes) in booked.iter().filter(|((who, _), _)| *who == capacity.who) {
            if (capacity.first..=until).contains(day) {
                days.entry(*day).or_insert((0, 0, *minutes));
            }
        }
        let load =
            Load { work_days: capacity.work_days, ..Load::of(capacity.minutes, capacity.planned_minutes, &days) };
        (PersonCapacity { assignee: capacity.who, load }, capacity.unlisted_days)
    }

    fn name(&self) -> &str {
        self.assignee.as_deref().unwrap_or("(nobody)")
    }
}

impl Load {
    fn of(total: u64, allocated: u64, days: &BTreeMap<Day, (u64, u64, u64)>) -> Load {
        let day = |(date, (capacity, planned, over)): (&Day, &(u64, u64, u64))| CapacityDay {
            date: *date,
            capacity_hours: in_hours(*capacity),
            allocated_hours: in_hours(*planned),
            capacity_minutes: *capacity,
            allocated_minutes: *planned,
            overbooked_minutes: *over,
        };
        Load {
            work_days: days.values().map(|(capacity, ..)| u64::from(*capacity > 0)).sum(),
            total_hours: in_hours(total),
            allocated_hours: in_hours(allocated),
            available_hours: in_hours(total.saturating_sub(allocated)),
            total_minutes: total,
            allocated_minutes: allocated,
            days: days.iter().map(day).collect(),
        }
    }

    fn of_all(people: &[PersonCapacity]) -> Load {
        let mut days: BTreeMap<Day, (u64, u64, u64)> = BTreeMap::new();
        for day in people.iter().flat_map(|person| &person.load.days) {
            let sum = days.entry(day.date).or_default();
            sum.0 += day.capacity_minutes;
            sum.1 += day.allocated_minutes;
            sum.2 += day.overbooked_minutes;
        }
        let total = people.iter().map(|person| person.load.total_minutes).sum();
        let all = Load::of(total, people.iter().map(|person| person.load.allocated_minutes).sum(), &days);
        // Days that are not listed are known from whoever works on most.
        let most = people.iter().map(|person| person.load.work_days).max().unwrap_or(0);
        Load { work_days: all.work_days.max(most), ..all }
    }

    fn overbooked(&self) -> u64 {
        self.days.iter().map(|day| day.overbooked_minutes).sum()
    }
}

fn hours(minutes: u64) -> String {
    if minutes == 0 { "0 h".to_owned() } else { plan::hours(minutes) }
}

/// Hours to the hundredth.
fn in_hours(minutes: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "no range of days has that many minutes")]
    let hours = minutes as f64 / 60.0;
    (hours * 100.0).round() / 100.0
}

impl Report for CapacityView {
    fn page(&self) -> Page {
        let range = format!("{} – {}", self.start_date, self.end_date);
        if self.people.is_empty() {
            let Some(name) = &self.asked.assignee else {
                return Page::new().line(format!("{range}: nobody has a task, and the configuration names nobody"));
            };
            let words = format!("{name}, {range}: {}", self.all.in_words());
            let page = Page::new().line(words).table(self.days_table());
            let unlisted = usize::try_from(self.unlisted_days).unwrap_or(usize::MAX);
            let page = page.more_of(self.all.days.len().saturating_sub(SHOWN), "days", None);
            return page.more_of(unlisted, "days that are only counted", None);
        }
        let columns = [
            Column::new("who").shrinks_to(8),
            Column::new("days").right(),
            Column::new("time").right(),
            Column::new("planned").right(),
            Column::new("free").right(),
            Column::new("overbooked").right(),
        ];
        let row = |person: &PersonCapacity| {
            let load = &person.load;
            let over = load.overbooked();
            Row::new([
                person.name().into(),
                load.work_days.to_string().into(),
                hours(load.total_minutes).into(),
                hours(load.allocated_minutes).into(),
                hours(load.total_minutes.saturating_sub(load.allocated_minutes)).into(),
                Text::of(Role::Bad, if over > 0 { hours(over) } else { String::new() }),
            ])
        };
        let table = Table::new(columns).rows(self.people.iter().take(SHOWN).map(row)).without_empty_columns();
        let page = Page::new().line(format!("{range}: {}", self.all.in_words())).table(table);
        let page = page.more_of(self.people.len().saturating_sub(SHOWN), "people", None);
        let person = self.people.iter().find_map(|person| person.assignee.clone());
        match person {
            Some(name) => {
                let again = ShowCapacity { assignee: Some(name), ..self.asked.clone() };
                page.advice("for the days of one person ", Hint::run_with::<ShowCapacity>(json!(again)))
            }
            None => page,
        }
    }

    fn sheet(&self) -> Option<Sheet> {
        let heading = ["who", "date", "capacity_minutes", "allocated_minutes", "overbooked_minutes"];
        let row = |who: Option<&str>, day: &CapacityDay| {
            [
                Cell::text_if(who),
                Cell::plain(day.date),
                Cell::plain(day.capacity_minutes),
                Cell::plain(day.allocated_minutes),
                Cell::plain(day.overbooked_minutes),
            ]
        };
        let one = self.all.days.iter().filter(|_| self.people.is_empty());
        let one = one.map(|day| row(self.asked.assignee.as_deref(), day));
        let each = self.people.iter().flat_map(|person| {
            person.load.days.iter().map(|day| row(person.assignee.as_deref(), day)).collect::<Vec<_>>()
        });
        Some(Sheet::new(heading).rows(one.chain(each)))
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl Load {
    fn in_words(&self) -> String {
        let (total, planned) = (self.total_minutes, self.allocated_minutes);
        let days = count(usize::try_from(self.work_days).unwrap_or(usize::MAX), "day", "days");
        let words = format!(
            "{} on {days}, {} planned, {} free",
            hours(total),
            hours(planned),
            hours(total.saturating_sub(planned))
        );
        match self.overbooked() {
            0 => words,
            over => format!("{words}, {} overbooked", hours(over)),
        }
    }
}

impl CapacityView {
    fn days_table(&self) -> Table {
        let columns = [
            Column::new("date"),
            Column::new("time").right(),
            Column::new("planned").right(),
            Column::new("overbooked").right(),
        ];
        let row = |day: &CapacityDay| {
            let over = if day.overbooked_minutes > 0 { hours(day.overbooked_minutes) } else { String::new() };
            Row::new([
                day.date.to_string().into(),
                hours(day.capacity_minutes).into(),
                hours(day.allocated_minutes).into(),
                Text::of(Role::Bad, over),
            ])
        };
        Table::new(columns).rows(self.all.days.iter().take(SHOWN).map(row)).without_empty_columns()
    }
}
