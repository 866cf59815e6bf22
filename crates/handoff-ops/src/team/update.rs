//! `handoff team update`

use clap::Args;
use handoff_model::change::{Change, KEEP};
use handoff_model::config::{Color, Weekday};
use handoff_model::rev::Rev;
use handoff_model::text::Name;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::change::{DaysInput, Draft, TeamChange, current};
use super::input::{DateLists, DayLength, Days, HoursOn, Listed, day_hours, items, listed};
use super::view::not_configured;
use crate::published::schema;
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Change somebody's hours and days off: what is not given stays, `none` clears
///
/// `--off` and `--open` replace the present dates; the others add to them and take away.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct UpdateAssignee {
    /// Name that tasks use
    #[arg(value_name = "NAME")]
    #[schemars(schema_with = "schema::text")]
    pub key: Name,
    /// Name to show
    #[arg(long = "name", value_name = "TEXT", default_value = KEEP, hide_default_value = true)]
    #[serde(default)]
    #[schemars(schema_with = "schema::text")]
    pub display_name: Change<Name>,
    /// Colour such as #4A90D9
    #[arg(id = "display_color", long = "display-color", value_name = "COLOR", default_value = KEEP, hide_default_value = true)]
    #[serde(default)]
    #[schemars(schema_with = "schema::text")]
    pub color: Change<Color>,
    /// Hours on an ordinary day
    #[arg(long = "hours", value_name = "HOURS", default_value = KEEP, hide_default_value = true, allow_negative_numbers = true)]
    #[serde(default)]
    #[schemars(schema_with = "schema::number")]
    pub work_hours_per_day: Change<DayLength>,
    /// Days of the week they do not work: names, or 0 (sun) to 6
    #[arg(long = "closed-weekday", value_name = "DAY", value_delimiter = ',')]
    #[serde(default, deserialize_with = "listed")]
    #[schemars(schema_with = "schema::words")]
    pub closed_weekdays: Vec<Listed<Weekday>>,
    /// Dates off, or ranges such as 2026-12-27..2026-12-31
    #[arg(long = "off", value_name = "DATES", value_delimiter = ',')]
    #[serde(default, deserialize_with = "listed")]
    #[schemars(schema_with = "schema::texts")]
    pub closed_dates: Vec<Listed<Days>>,
    /// Dates off to add
    #[arg(long = "add-off", value_name = "DATES", value_delimiter = ',')]
    #[serde(default, deserialize_with = "items")]
    #[schemars(schema_with = "schema::texts")]
    pub add_closed_dates: Vec<Days>,
    /// Dates off to take away
    #[arg(long = "remove-off", value_name = "DATES", value_delimiter = ',')]
    #[serde(default, deserialize_with = "items")]
    #[schemars(schema_with = "schema::texts")]
    pub remove_closed_dates: Vec<Days>,
    /// Dates they work although the day is closed
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
    /// Only if config.toml is still at this revision
    #[arg(long, value_name = "REV")]
    #[schemars(schema_with = "schema::text")]
    #[serde(default)]
    pub if_rev: Option<Rev>,
}

impl Operation for UpdateAssignee {
    const NAME: &'static str = "team.update";
    const TOOL: &'static str = "handoff_update_assignee";
    const SET: ToolSet = ToolSet::Team;
    const EFFECT: Effect = Effect::Write;
    const REPEATABLE: bool = true;
    type Outcome = TeamChange;

    fn example() -> Value {
        json!({"key": "alice", "work_hours_per_day": 7.5, "display_name": null, "add_closed_dates": ["2026-12-27..2026-12-31"]})
    }

    fn run(self, project: &mut Project) -> Result<TeamChange, OpError> {
        let key = self.key;
        let people = current(project).assignees;
        let Some(present) = people.get(&key) else { return Err(not_configured(project, &key, &people)?) };
        let mut draft = Draft::of(["assignees", key.as_str()]);
        draft.keep_table();
        draft.set("display_name", self.display_name);
        draft.set("color", self.color);
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
        draft.carry_out(project, self.if_rev, |edited| {
            let what = if edited.is_new { "updated" } else { "nothing to change in" };
            format!("{what} `{key}`")
        })
    }
}
