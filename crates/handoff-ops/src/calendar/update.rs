//! `handoff calendar update`

use clap::Args;
use handoff_model::change::{Change, KEEP};
use handoff_model::config::{Weekday, ZoneName};
use handoff_model::rev::Rev;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::published::schema;
use crate::team::TeamChange;
use crate::team::change::{DaysInput, Draft, current};
use crate::team::input::{DateLists, DayLength, Days, HoursOn, Listed, day_hours, items, listed};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Change which days are worked, and for how long: what is not given stays, `none` clears
///
/// `--off` and `--open` replace the present dates; the others add to them and take away.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct UpdateCalendar {
    /// Hours on an ordinary day
    #[arg(long = "hours", value_name = "HOURS", default_value = KEEP, hide_default_value = true, allow_negative_numbers = true)]
    #[serde(default)]
    #[schemars(schema_with = "schema::number")]
    pub work_hours_per_day: Change<DayLength>,
    /// Days of the week that are not worked: names, or 0 (sun) to 6
    #[arg(long = "closed-weekday", value_name = "DAY", value_delimiter = ',')]
    #[serde(default, deserialize_with = "listed")]
    #[schemars(schema_with = "schema::words")]
    pub closed_weekdays: Vec<Listed<Weekday>>,
    /// Dates that are not worked, or ranges such as 2026-12-27..2026-12-31
    #[arg(long = "off", value_name = "DATES", value_delimiter = ',')]
    #[serde(default, deserialize_with = "listed")]
    #[schemars(schema_with = "schema::texts")]
    pub closed_dates: Vec<Listed<Days>>,
    /// Such dates to add
    #[arg(long = "add-off", value_name = "DATES", value_delimiter = ',')]
    #[serde(default, deserialize_with = "items")]
    #[schemars(schema_with = "schema::texts")]
    pub add_closed_dates: Vec<Days>,
    /// Such dates to take away
    #[arg(long = "remove-off", value_name = "DATES", value_delimiter = ',')]
    #[serde(default, deserialize_with = "items")]
    #[schemars(schema_with = "schema::texts")]
    pub remove_closed_dates: Vec<Days>,
    /// Dates that are worked although the weekday is closed
    #[arg(long = "open", value_name = "DATES", value_delimiter = ',')]
    #[serde(default, deserialize_with = "listed")]
    #[schemars(schema_with = "schema::texts")]
    pub open_dates: Vec<Listed<Days>>,
    /// Such dates to add
    #[arg(long = "add-open", value_name = "DATES", value_delimiter = ',')]
    #[serde(default, deserialize_with = "items")]
    #[schemars(schema_with = "schema::texts")]
    pub add_open_dates: Vec<Days>,
    /// Such dates to take away
    #[arg(long = "remove-open", value_name = "DATES", value_delimiter = ',')]
    #[serde(default, deserialize_with = "items")]
    #[schemars(schema_with = "schema::texts")]
    pub remove_open_dates: Vec<Days>,
    /// Hours of a weekday or date, such as fri=4; fri=none takes them away, other days stay
    #[arg(long = "day-hours", value_name = "DAY=HOURS", value_delimiter = ',')]
    #[serde(default, deserialize_with = "day_hours")]
    #[schemars(schema_with = "schema::object")]
    pub day_hours: Vec<HoursOn>,
    /// Day a week begins with
    #[arg(long, value_name = "DAY", default_value = KEEP, hide_default_value = true)]
    #[serde(default)]
    #[schemars(schema_with = "schema::text")]
    pub week_start: Change<Weekday>,
    /// Time zone whose days count, such as Europe/Berlin
    #[arg(long, value_name = "ZONE", default_value = KEEP, hide_default_value = true)]
    #[serde(default)]
    #[schemars(schema_with = "schema::text")]
    pub time_zone: Change<ZoneName>,
    /// Only if config.toml is still at this revision
    #[arg(long, value_name = "REV")]
    #[schemars(schema_with = "schema::text")]
    #[serde(default)]
    pub if_rev: Option<Rev>,
}

impl Operation for UpdateCalendar {
    const NAME: &'static str = "calendar.update";
    const TOOL: &'static str = "handoff_update_calendar";
    const SET: ToolSet = ToolSet::Team;
    const EFFECT: Effect = Effect::Write;
    const REPEATABLE: bool = true;
    const UNNEEDED: &'static [&'static str] = &["schedule_mode", "overwork_limit_percent", "max_utilization"];
    type Outcome = TeamChange;

    fn example() -> Value {
        json!({"work_hours_per_day": 7.5, "closed_weekdays": ["sat", "sun"], "closed_dates": ["2026-12-25"], "open_dates": null})
    }

    fn run(self, project: &mut Project) -> Result<TeamChange, OpError> {
        let present = current(project).calendar;
        let mut draft = Draft::of(["calendar"]);
        let days = DaysInput {
            work_hours_per_day: self.work_hours_per_day,
            closed_weekdays: self.closed_weekdays,
            closed_dates: DateLists {
                set: self.closed_dates,
                add: self.add_closed_dates,
                remove: self.remove_closed_dates,
            },
            open_dates: DateLists { set: self.open_dates, add: self.add_open_dates, remove: self.remove_open_dates },
            day_hours: self.day_hours,
        };
        draft.set_days(days, &present.closed_dates, &present.open_dates);
        draft.set("week_start", self.week_start);
        draft.set("time_zone", self.time_zone);
        draft.carry_out(project, self.if_rev, |edited| {
            let what = if edited.is_new { "updated" } else { "nothing to change in" };
            format!("{what} the calendar")
        })
    }
}
