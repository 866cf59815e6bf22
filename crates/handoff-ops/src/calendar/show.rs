//! `handoff calendar`

use std::collections::BTreeMap;

use clap::Args;
use handoff_model::calendar::{WorkCalendar, WorkDays};
use handoff_model::config::{Weekday, Whole};
use handoff_model::rev::Rev;
use handoff_model::text::Name;
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::CalendarSettings;
use crate::page::{Cell, Column, Role, Row, Sheet, Table, Text};
use crate::published::schema;
use crate::team::change::missing;
use crate::team::{ListAssignees, known_people};
use crate::time::hours;
use crate::{Effect, OpError, Operation, Page, Project, Report, ToolSet};

/// Show the working hours of the coming weeks, of the project or of one person
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct ShowCalendar {
    /// Whose; absent: the project's, with everybody's weeks
    #[arg(value_name = "NAME")]
    #[schemars(schema_with = "schema::text")]
    #[serde(default)]
    pub assignee: Option<Name>,
    /// Day in the first week; today if absent
    #[arg(long, value_name = "DATE")]
    #[schemars(schema_with = "schema::text")]
    #[serde(default)]
    pub from: Option<Day>,
    /// How many, 1 to 53; 4 if absent
    #[arg(long, value_name = "N")]
    #[schemars(schema_with = "schema::integer")]
    #[serde(default)]
    pub weeks: Option<Whole<1, 53>>,
}

const WEEKS: u32 = 4;

/// The calendar, and what it means for some weeks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CalendarView {
    /// What the settings say for everybody
    pub calendar: CalendarSettings,
    /// Whose hours these are; the project's when absent
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    pub weeks: Vec<CalendarWeek>,
    /// Everybody's hours in each of the weeks
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub people: BTreeMap<String, Vec<f64>>,
    /// Revision of config.toml, for `if_rev`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rev: Option<Rev>,
    #[serde(skip)]
    today: Day,
    #[serde(skip)]
    warnings: Vec<String>,
}

/// One week.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CalendarWeek {
    /// Its first day
    pub start: Day,
    pub hours: f64,
    pub days: Vec<CalendarDay>,
}

/// One day.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CalendarDay {
    pub date: Day,
    pub weekday: Weekday,
    pub hours: f64,
}

impl Operation for ShowCalendar {
    const NAME: &'static str = "calendar.show";
    const TOOL: &'static str = "handoff_show_calendar";
    const SET: ToolSet = ToolSet::Team;
    const EFFECT: Effect = Effect::Read;
    const SHEET: bool = true;
    type Outcome = CalendarView;

    fn example() -> Value {
        json!({"assignee": "alice", "weeks": 2})
    }

    fn run(self, project: &mut Project) -> Result<CalendarView, OpError> {
        let config = project.config();
        let calendar = WorkCalendar::new(&config.calendar, &config.assignees);
        let today = project.now().day_in(&project.zone());
        let mut warnings = Vec::new();
        if let Some(who) = self.assignee.as_ref().filter(|who| !config.assignees.contains_key(who)) {
            if !known_people(project)?.contains_key(who.as_str()) {
                let known: Vec<String> = config.assignees.keys().map(ToString::to_string).collect();
                return Err(missing::<ListAssignees>("person", who.as_str(), &known));
            }
            warnings
                .push(format!("`{who}` is only in tasks, not in the settings, so the calendar of the project holds"));
        }
        let who = self.assignee.as_ref().map(Name::as_str);
        let first = calendar.week_of(self.from.unwrap_or(today));
        let count = self.weeks.map_or(WEEKS, Whole::get);
        let starts: Vec<Day> = (0..count).filter_map(|week| first.plus(i64::from(week) * 7)).collect();
        let people = if who.is_some() { Vec::new() } else { config.assignees.keys().collect() };
        let of_person = |name: &&Name| {
            let days = calendar.of(Some(name.as_str()));
            (name.to_string(), starts.iter().map(|start| CalendarWeek::of(days, *start).hours).collect())
        };
        Ok(CalendarView {
            calendar: CalendarSettings::of(&config.calendar, &calendar),
            assignee: who.map(str::to_owned),
            weeks: starts.iter().map(|start| CalendarWeek::of(calendar.of(who), *start)).collect(),
            people: people.iter().map(of_person).collect(),
            rev: project.config_sources().project.map(|file| file.rev),
            today,
            warnings,
        })
    }
}

impl CalendarWeek {
    fn of(days: &WorkDays, start: Day) -> CalendarWeek {
        let dates: Vec<Day> = (0..7).filter_map(|offset| start.plus(offset)).collect();
        let minutes: u32 = dates.iter().map(|day| days.minutes_on(*day)).sum();
        let day =
            |date: Day| CalendarDay { date, weekday: date.weekday(), hours: hours(i64::from(days.minutes_on(date))) };
        CalendarWeek { start, hours: hours(i64::from(minutes)), days: dates.into_iter().map(day).collect() }
    }
}

impl Report for CalendarView {
    fn page(&self) -> Page {
        let page = match &self.assignee {
            Some(who) => Page::new().heading(format!("Calendar of {who}")),
            None => self.calendar.fields(Page::new().heading("Calendar"), self.today).blank(),
        };
        let weekdays = self.weeks.first().map(|week| week.days.iter().map(|day| day.weekday)).into_iter().flatten();
        let columns = std::iter::once(Column::new("week of"))
            .chain(weekdays.map(|day| Column::new(day.word()).right()))
            .chain([Column::new("hours").right()]);
        let row = |week: &CalendarWeek| {
            let day = |day: &CalendarDay| {
                let role = if day.date == self.today { Role::Strong } else { Role::Plain };
                if day.hours == 0.0 { Text::of(Role::Dim, "–") } else { Text::of(role, day.hours.to_string()) }
            };
            let cells = std::iter::once(week.start.to_string().into()).chain(week.days.iter().map(day));
            Row::new(cells.chain([Text::of(Role::Strong, week.hours.to_string())]))
        };
        let page = page.table(Table::new(columns).rows(self.weeks.iter().map(row)));
        if self.people.is_empty() {
            return page;
        }
        let columns = std::iter::once(Column::new("hours in the week of").shrinks_to(8))
            .chain(self.weeks.iter().map(|week| Column::new(week.start.to_string()).right().optional()));
        let row = |(name, weeks): (&String, &Vec<f64>)| {
            let cells = std::iter::once(Text::of(Role::Strong, name));
            Row::new(cells.chain(weeks.iter().map(|hours| hours.to_string().into())))
        };
        page.blank().table(Table::new(columns).rows(self.people.iter().map(row)))
    }

    fn sheet(&self) -> Option<Sheet> {
        let days = self.weeks.iter().flat_map(|week| &week.days);
        let row = |day: &CalendarDay| [Cell::plain(day.date), Cell::plain(day.weekday), Cell::plain(day.hours)];
        Some(Sheet::new(["date", "weekday", "hours"]).rows(days.map(row)))
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
