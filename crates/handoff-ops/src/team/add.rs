//! `handoff team add`

use clap::Args;
use handoff_model::change::{Change, KEEP};
use handoff_model::config::{Color, Weekday};
use handoff_model::rev::Rev;
use handoff_model::text::{Name, plain_form};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::UpdateAssignee;
use super::change::{DaysInput, Draft, TeamChange, check_name, current, taken};
use super::input::{DateLists, DayLength, Days, HoursOn, Listed, day_hours, listed};
use crate::published::schema;
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Add somebody to the team
///
/// What is not given is as in the calendar of the project.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct AddAssignee {
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
    /// Dates they work although the day is closed
    #[arg(long = "open", value_name = "DATES", value_delimiter = ',')]
    #[serde(default, deserialize_with = "listed")]
    #[schemars(schema_with = "schema::texts")]
    pub open_dates: Vec<Listed<Days>>,
    /// Hours of a weekday or date, where they differ, such as fri=4
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

impl Operation for AddAssignee {
    const NAME: &'static str = "team.add";
    const TOOL: &'static str = "handoff_add_assignee";
    const SET: ToolSet = ToolSet::Team;
    const EFFECT: Effect = Effect::Write;
    type Outcome = TeamChange;

    fn example() -> Value {
        json!({"key": "bob", "work_hours_per_day": 6, "closed_weekdays": ["fri"], "closed_dates": ["2026-12-24"]})
    }

    fn run(self, project: &mut Project) -> Result<TeamChange, OpError> {
        let key = self.key;
        check_name(&key)?;
        let present = current(project).assignees;
        if present.contains_key(&key) {
            return Err(taken::<UpdateAssignee>("person", &key, json!({"key": key})));
        }
        let mut draft = Draft::of(["assignees", key.as_str()]);
        let alike = present.keys().find(|name| plain_form(name.as_str()) == plain_form(key.as_str()));
        draft.warnings.extend(alike.map(|name| format!("there is also a person `{name}`")));
        draft.keep_table();
        draft.set("display_name", self.display_name);
        draft.set("color", self.color);
        let days = DaysInput {
            work_hours_per_day: self.work_hours_per_day,
            closed_weekdays: self.closed_weekdays,
            closed_dates: DateLists { set: self.closed_dates, ..DateLists::default() },
            open_dates: DateLists { set: self.open_dates, ..DateLists::default() },
            day_hours: self.day_hours,
        };
        draft.set_days(days, &[], &[]);
        draft.carry_out(project, self.if_rev, |_| format!("added `{key}` to the team"))
    }
}
