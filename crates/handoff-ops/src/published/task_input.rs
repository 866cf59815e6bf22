//! A task as the published tools take it.

use handoff_model::change::Change;
use handoff_model::id::TaskId;
use handoff_model::task::{Criterion, Link, LinkType, Priority, Status, TaskEdit};
use handoff_model::text::{Hours, Name, OneLine, Prose, Title};
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{Wanted, schema};
use crate::task::{CriterionInput, LinkInput, change};
use crate::{OpError, Project};

/// Fields of a task; what is left out stays.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "a task such as {\"title\": \"Implement auth\"}")]
#[schemars(inline)]
pub struct TaskInput {
    #[schemars(schema_with = "schema::text")]
    pub id: Option<Wanted>,
    #[schemars(schema_with = "schema::text")]
    pub title: Change<Title>,
    #[schemars(schema_with = "schema::status")]
    pub status: Change<Status>,
    /// Description
    #[schemars(schema_with = "schema::text")]
    pub notes: Change<Prose>,
    /// Dated note to add
    #[schemars(schema_with = "schema::text")]
    pub notes_append: Option<Prose>,
    #[schemars(schema_with = "schema::priority")]
    pub priority: Change<Priority>,
    #[schemars(schema_with = "schema::texts")]
    pub labels: Change<Vec<Name>>,
    /// URLs, paths, or {type, target, label}
    #[schemars(schema_with = "schema::links")]
    pub links: Change<Vec<GivenLink>>,
    #[schemars(schema_with = "schema::criteria")]
    pub done_criteria: Change<Vec<GivenCriterion>>,
    #[schemars(schema_with = "schema::schedule")]
    pub schedule: Change<ScheduleInput>,
    /// Ids
    #[schemars(schema_with = "schema::texts")]
    pub dependencies: Change<Vec<Wanted>>,
    #[schemars(schema_with = "schema::integer")]
    pub order: Change<i64>,
    #[schemars(schema_with = "schema::text")]
    pub assignee: Change<Name>,
}

/// When a task is to be done, and how much work it is.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "a schedule such as {\"due_date\": \"2026-11-15\"}")]
#[schemars(inline)]
pub struct ScheduleInput {
    /// YYYY-MM-DD
    #[schemars(schema_with = "schema::text")]
    pub start_date: Change<Day>,
    #[schemars(schema_with = "schema::text")]
    pub due_date: Change<Day>,
    #[schemars(schema_with = "schema::number")]
    pub estimate_hours: Change<Hours>,
    #[schemars(schema_with = "schema::number")]
    pub actual_hours: Change<Hours>,
    #[schemars(schema_with = "schema::number")]
    pub remaining_hours: Change<Hours>,
    #[schemars(schema_with = "schema::text")]
    pub milestone: Change<Name>,
    #[schemars(schema_with = "schema::truth")]
    pub pinned: Change<bool>,
}

/// What a task is asked to become: its own fields, and the hours that shall be logged for it.
pub(crate) struct Asked {
    pub(crate) edit: TaskEdit,
    pub(crate) actual_hours: Change<Hours>,
}

impl TaskInput {
    /// The fields as an edit. Every task that is named must exist.
    pub(crate) fn asked(self, project: &Project) -> Result<Asked, OpError> {
        let TaskInput {
            id: _,
            title,
            status,
            notes,
            notes_append,
            priority,
            labels,
            links,
            done_criteria,
            schedule,
            dependencies,
            order,
            assignee,
        } = self;
        let ScheduleInput { start_date, due_date, estimate_hours, actual_hours, remaining_hours, milestone, pinned } =
            match schedule {
                Change::Keep => ScheduleInput::default(),
                Change::Set(schedule) => schedule,
                Change::Clear => ScheduleInput::cleared(),
            };
        let find = |wanted: &Wanted| -> Result<TaskId, OpError> { Ok(wanted.find(project)?.task.id) };
        let edit = TaskEdit {
            title: set(title),
            status: set(status),
            priority,
            description: notes,
            assignee,
            order,
            start_date,
            due_date,
            estimate_hours,
            remaining_hours,
            milestone,
            pinned,
            labels,
            dependencies: tried(dependencies, |wanted| wanted.iter().map(find).collect())?,
            criteria: done_criteria.map(|criteria| criteria.into_iter().map(|given| given.0).collect()),
            links: tried(links, |links| change::links(project, links.into_iter().map(|given| given.0).collect()))?,
            note: notes_append,
            ..TaskEdit::default()
        };
        Ok(Asked { edit, actual_hours })
    }
}

impl ScheduleInput {
    /// No dates, no effort, no milestone. What was worked stays: it is in the time log.
    fn cleared() -> ScheduleInput {
        ScheduleInput {
            start_date: Change::Clear,
            due_date: Change::Clear,
            estimate_hours: Change::Clear,
            actual_hours: Change::Keep,
            remaining_hours: Change::Clear,
            milestone: Change::Clear,
            pinned: Change::Clear,
        }
    }
}

fn set<T>(change: Change<T>) -> Option<T> {
    match change {
        Change::Set(value) => Some(value),
        Change::Keep | Change::Clear => None,
    }
}

/// [`Change::map`] with a conversion that can fail.
fn tried<T, U>(change: Change<T>, convert: impl FnOnce(T) -> Result<U, OpError>) -> Result<Change<U>, OpError> {
    Ok(match change {
        Change::Keep => Change::Keep,
        Change::Clear => Change::Clear,
        Change::Set(value) => Change::Set(convert(value)?),
    })
}

/// A criterion: its text, or an object that says whether it is checked.
#[derive(Clone, Debug)]
pub struct GivenCriterion(pub(super) Criterion);

/// A link: what it points to, or an object that says what that is.
#[derive(Clone, Debug)]
pub struct GivenLink(Link);

impl<'de> Deserialize<'de> for GivenCriterion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let from_text = |item: OneLine| Criterion { item: item.into(), checked: false };
        let expected = "a criterion such as {\"item\": \"tests pass\"}";
        text_or::<CriterionInput, _, _>(deserializer, from_text, expected).map(GivenCriterion)
    }
}

impl<'de> Deserialize<'de> for GivenLink {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let kind_of = |target: &str| if target.contains("://") { LinkType::Url } else { LinkType::File };
        let from_text = |target: OneLine| Link { kind: kind_of(target.as_str()), target: target.into(), label: None };
        let expected = "a link such as \"src/main.rs\" or {\"type\": \"issue\", \"target\": \"https://example.com/1\"}";
        text_or::<LinkInput, _, _>(deserializer, from_text, expected).map(GivenLink)
    }
}

/// Reads an object, or the text that alone says enough.
fn text_or<'de, Object: DeserializeOwned + Into<T>, T, D: Deserializer<'de>>(
    deserializer: D,
    from_text: impl FnOnce(OneLine) -> T,
    expected: &str,
) -> Result<T, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(text) => text.parse().map(from_text).map_err(D::Error::custom),
        object @ Value::Object(_) => serde_json::from_value(object).map(Object::into).map_err(D::Error::custom),
        _ => Err(D::Error::custom(format!("expected {expected}"))),
    }
}
