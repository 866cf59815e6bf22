//! What a command to a timer came to, as it is shown.

use handoff_model::id::TaskId;
use handoff_model::time_log::Interval;
use handoff_model::timer::{Gap, GapKind, Phase};
use handoff_model::when::Moment;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, json};

use super::command::Followed;
use super::status::TimerState;
use crate::page::{Role, Text};
use crate::task::UpdateTask;
use crate::time::{LogTime, hours, length, spent_on};
use crate::{Facts, Hint, OpError, Page, Project, Report};

/// The timer after a command.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TimerChange {
    /// What was done
    pub message: String,
    pub who: String,
    pub state: TimerState,
    /// The task it is on, or was on
    pub task_id: TaskId,
    /// Since when it is so
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Moment>,
    /// Session it was started in
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// What went into the time log
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logged: Vec<LoggedStretch>,
    /// The same in minutes, altogether
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logged_minutes: Option<i64>,
    /// Time in doubt that was not counted
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<Gap>,
    /// Minutes that were thrown away
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discarded_minutes: Option<u64>,
    /// How far the clock was found put back, in minutes
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_put_back_minutes: Option<i64>,
    /// Hours logged altogether for the task that was worked on
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual_hours: Option<f64>,
    /// Hours left for it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remaining_hours: Option<f64>,
    #[serde(skip)]
    begin: Option<TaskId>,
    /// The task that was worked on
    #[serde(skip)]
    worked_on: TaskId,
    #[serde(skip)]
    warnings: Vec<String>,
}

/// A stretch of work that was logged.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LoggedStretch {
    pub task_id: TaskId,
    pub started_at: Moment,
    pub ended_at: Moment,
    pub minutes: i64,
    /// Why it stands apart, where it was split off
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl LoggedStretch {
    fn of(interval: &Interval) -> LoggedStretch {
        LoggedStretch {
            task_id: interval.task,
            started_at: interval.started_at,
            ended_at: interval.ended_at.unwrap_or(interval.started_at),
            minutes: interval.length_minutes(),
            note: interval.note.clone(),
        }
    }
}

impl TimerChange {
    pub(super) fn of(project: &mut Project, what: String, followed: Followed) -> TimerChange {
        let Followed { who, before, step, discards: is_discarded } = followed;
        let timer = step.timer.as_ref().or(before.as_ref()).expect("a command without any timer is refused");
        let worked_on = before.as_ref().map_or(timer.task, |before| before.task);
        let seconds: i64 = step.intervals.iter().map(Interval::length_seconds).sum();
        let counted = before.as_ref().is_some_and(|before| before.phase == Phase::Running)
            && step.timer.as_ref().is_none_or(|timer| timer.task != worked_on || timer.phase == Phase::Paused);
        let mut message = vec![what];
        let mut warnings = Vec::new();
        let mut spent = None;
        if !step.intervals.is_empty() || (counted && !is_discarded) {
            message.push(format!(": {} logged", length(seconds)));
            match spent_on(project, worked_on, Some(&timer.who)) {
                Ok(found) => spent = Some(found),
                Err(error) => warnings.push(unknown_hours(&error)),
            }
        }
        if let Some(spent) = &spent {
            message.push(spent.words());
        }
        if is_discarded {
            message.push(format!(": {} thrown away", long(step.discarded_seconds)));
        }
        if !step.left_out.is_empty() {
            let lost: u64 = step.left_out.iter().map(|gap| gap.seconds).sum();
            message.push(format!("; {} in doubt left out", long(lost)));
        }
        let put_back = step.clock_put_back.map(|back| back.as_mins());
        if let Some(minutes) = put_back {
            warnings.push(format!(
                "the clock was put back by {minutes} min meanwhile; what was worked is as long as it was"
            ));
        }
        TimerChange {
            message: message.concat(),
            state: step.timer.as_ref().map_or(TimerState::Stopped, |timer| timer.phase.into()),
            task_id: timer.task,
            since: step.timer.as_ref().map(|timer| timer.since),
            session: step.timer.as_ref().and_then(|timer| timer.session.clone()),
            logged: step.intervals.iter().map(LoggedStretch::of).collect(),
            logged_minutes: (counted && !is_discarded || seconds > 0).then_some((seconds + 30) / 60),
            left_out: step.left_out,
            discarded_minutes: is_discarded.then_some((step.discarded_seconds + 30) / 60),
            clock_put_back_minutes: put_back,
            actual_hours: spent.as_ref().map(|spent| hours(spent.actual)),
            remaining_hours: spent.as_ref().and_then(|spent| spent.remaining).map(hours),
            begin: None,
            worked_on,
            who,
            warnings,
        }
    }

    /// Tells how to say that the task is begun: the timer does not change its status.
    pub(super) fn advise_to_begin(&mut self, task: TaskId) {
        self.begin = Some(task);
    }
}

fn long(seconds: u64) -> String {
    length(i64::try_from(seconds).unwrap_or(i64::MAX))
}

fn unknown_hours(error: &OpError) -> String {
    format!("the hours logged are not known: {}", error.sentence())
}

/// Doubtful time in words.
pub(super) fn gap_words(gap: &Gap) -> String {
    let why = match gap.kind {
        GapKind::Idle => "without a sign of life",
        GapKind::Asleep => "asleep, or the clock was put forward",
        GapKind::Restarted => "up to the restart of the machine",
    };
    format!("{} {why}, {} to {}", long(gap.seconds), gap.from, gap.to)
}

impl Report for TimerChange {
    fn page(&self) -> Page {
        let mut page = Page::new().line(Text::of(Role::Good, "✓ ").plain(&self.message));
        for gap in &self.left_out {
            page = page.item(format!("left out: {}", gap_words(gap)));
        }
        if let [gap] = self.left_out.as_slice() {
            let request = if gap.kind == GapKind::Asleep {
                json!({"task_id": self.worked_on, "minutes": (gap.seconds + 30) / 60})
            } else {
                json!({"task_id": self.worked_on, "from": gap.from, "to": gap.to})
            };
            page = page.advice("to count it all the same, ", Hint::run_with::<LogTime>(request));
        }
        if let Some(task) = self.begin {
            let request = json!({"id": task, "status": "in_progress"});
            page = page.advice("its status is todo; to change that, ", Hint::run_with::<UpdateTask>(request));
        }
        page
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn facts(&self) -> Facts {
        let mut more = Map::new();
        more.insert("task_id".to_owned(), json!(self.task_id));
        more.insert("state".to_owned(), json!(self.state));
        for (name, value) in [("actual_hours", self.actual_hours), ("remaining_hours", self.remaining_hours)] {
            if let Some(value) = value {
                more.insert(name.to_owned(), json!(value));
            }
        }
        if !self.left_out.is_empty() {
            more.insert("left_out".to_owned(), json!(self.left_out));
        }
        Facts { message: self.page().to_markdown(None), more, ..Facts::default() }
    }
}
