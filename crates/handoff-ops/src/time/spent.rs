//! What is logged for a task, and what an entry more comes to.

use handoff_model::id::TaskId;
use handoff_model::number::Number;
use handoff_model::time_log::{self, Interval, Overlap};
use handoff_model::when::Moment;
use handoff_store::{Found, StoreError};
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, json};

use super::words::{hours, length};
use crate::page::{Role, Text};
use crate::{Breaks, Facts, OpError, Page, Project, Report, visible};

/// The minutes of a task: worked, and left.
pub(crate) struct Spent {
    pub(crate) actual: i64,
    pub(crate) remaining: Option<i64>,
}

impl Spent {
    /// The rest of a sentence that says what was logged.
    pub(crate) fn words(&self) -> String {
        let left = self.remaining.map(|minutes| format!(", {} h remaining", hours(minutes))).unwrap_or_default();
        format!("; {} h in all{left}", hours(self.actual))
    }
}

/// What is logged for a task, with entries that are staged and not yet written, and those of one more person.
pub(crate) fn spent_on(project: &Project, task: TaskId, who: Option<&str>) -> Result<Spent, OpError> {
    let log = project.store().intervals_about(task, who)?;
    // The zone tells days apart, and has no part in their sum.
    let sums = time_log::sum(&log, &TimeZone::UTC);
    let actual = sums.minutes_by_task().get(&task).copied().unwrap_or(0);
    let found = project.store().find(&task.into()).ok();
    let remaining = found.and_then(|found| found.task.remaining_minutes(actual, None)).map(i64::from);
    Ok(Spent { actual, remaining })
}

/// An entry that was added to the log.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LoggedTime {
    /// What was done
    pub message: String,
    pub task_id: TaskId,
    pub number: Number,
    pub title: String,
    pub who: String,
    /// Minutes of this entry; less than none takes away
    pub minutes: i64,
    pub hours: f64,
    pub started_at: Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Moment>,
    /// Session it was worked in
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Hours logged altogether for the task, by everybody; what a person logged twice counts once
    pub actual_hours: f64,
    /// Hours left: what the task says, or the estimate less what was logged
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remaining_hours: Option<f64>,
    /// Where this person had logged the same time before
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overlaps: Vec<Overlap>,
    #[serde(skip)]
    warnings: Vec<String>,
}

impl LoggedTime {
    /// Stages an entry, and says what it comes to.
    pub(super) fn add(project: &mut Project, found: &Found, interval: Interval, what: &str) -> Result<Self, OpError> {
        let task = found.task.id;
        let (log, unread) = match project.store().intervals_about(task, Some(&interval.who)) {
            Ok(log) => (log, None),
            // Somebody else's log may be damaged; one's own is found to be when the entry is added to it.
            Err(StoreError::Damaged(problem)) => (project.store().intervals()?.0, Some(problem)),
            Err(error) => return Err(error.into()),
        };
        let sums = time_log::sum(log.iter().chain([&interval]), &TimeZone::UTC);
        let actual = sums.minutes_by_task().get(&task).copied().unwrap_or(0);
        let remaining = found.task.remaining_minutes(actual, None).map(i64::from);
        let spent = Spent { actual, remaining };
        let overlaps = overlaps_of(&interval, sums.overlaps);
        let title = visible(&found.task.title, Breaks::Mark);
        let message = format!("{what} {} {title}{}", found.number, spent.words());
        let unread = unread.map(|problem| format!("not counted: {problem}; `handoff doctor` says what to do"));
        let warnings = overlaps.iter().map(|overlap| overlap_words(project, overlap)).chain(unread).collect();
        let logged = LoggedTime {
            message,
            task_id: task,
            number: found.number.clone(),
            title: found.task.title.clone(),
            who: interval.who.clone(),
            minutes: interval.length_minutes(),
            hours: hours(interval.length_minutes()),
            started_at: interval.started_at,
            ended_at: interval.ended_at,
            session: interval.session.clone(),
            actual_hours: hours(spent.actual),
            remaining_hours: spent.remaining.map(hours),
            overlaps,
            warnings,
        };
        project.store_mut().log_time(interval)?;
        Ok(logged)
    }
}

/// The overlaps that an entry has a part in.
fn overlaps_of(interval: &Interval, overlaps: Vec<Overlap>) -> Vec<Overlap> {
    let Some((from, to)) = interval.span() else { return Vec::new() };
    let is_of_it = |overlap: &Overlap| {
        overlap.who == interval.who
            && (overlap.counted == interval.task || overlap.ignored == interval.task)
            && overlap.from < to
            && from < overlap.to
    };
    overlaps.into_iter().filter(is_of_it).collect()
}

/// An overlap in words.
pub(super) fn overlap_words(project: &Project, overlap: &Overlap) -> String {
    let Overlap { who, from, to, counted, ignored } = overlap;
    let seconds = from.until(*to).as_secs();
    let name = |task: &TaskId| match project.store().find(&(*task).into()) {
        Ok(found) => found.number.to_string(),
        Err(_) => format!("`{task}`"),
    };
    let who = visible(who, Breaks::Mark);
    format!(
        "{who} logged {} twice, {from} to {to}: it counts for {}, not again for {}",
        length(seconds),
        name(counted),
        name(ignored)
    )
}

impl Report for LoggedTime {
    fn page(&self) -> Page {
        Page::new().line(Text::of(Role::Good, "✓ ").plain(&self.message))
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn facts(&self) -> Facts {
        let mut more = Map::new();
        more.insert("actual_hours".to_owned(), json!(self.actual_hours));
        if let Some(remaining) = self.remaining_hours {
            more.insert("remaining_hours".to_owned(), json!(remaining));
        }
        Facts {
            message: self.message.clone(),
            id: Some(self.task_id.to_string()),
            number: Some(self.number.to_string()),
            more,
            ..Facts::default()
        }
    }
}
