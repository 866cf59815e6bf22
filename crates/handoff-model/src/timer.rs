//! The timer: what one person in one project is working on right now.
//!
//! A timer is plain data, so it survives every client: an editor, an agent and a terminal all send commands to the same
//! one. [`step`] is the whole machine. It takes the timer as it was kept, a command and what the clocks say, and gives
//! back the timer to keep and the intervals for the time log; whoever keeps them does both in one change.
//!
//! **Invariant:** no time is counted twice, none is counted that the clocks contradict, and none is left out silently.
//! Between two signs of life, time is in doubt when
//!
//! - there was no activity for longer than the limit (where nobody reports activity, for [`UNWATCHED_MINUTES`]),
//! - the wall clock went on while the machine's own clock stood still: it slept, or the clock was put forward,
//! - the machine was started anew.
//!
//! Doubtful time is left out and told, unless it is kept or split off into an entry of its own. How long a machine slept is
//! known, and not when: it is taken for the last part of the time since it was last seen. A clock that is put back
//! moves the beginning along, so that what was worked stays as long as it was.

use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::TaskId;
use crate::task::words;
use crate::time_log::{Interval, TimeSource};
use crate::when::Moment;

mod gap;
mod kept;
#[cfg(test)]
mod tests;

pub use gap::{Gap, GapKind};
pub use kept::{KeptTimer, Sign};

/// Minutes without activity after which time is in doubt, unless the configuration says otherwise.
pub const IDLE_MINUTES: u32 = 10;

/// The same where no client reports activity, so that silence means little: a working day.
pub const UNWATCHED_MINUTES: u32 = 8 * 60;

/// What the clocks say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    pub at: Moment,
    /// The clock that only ever goes forward, and stands while the machine sleeps; where there is one
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineClock>,
}

/// The clock of a machine since it was started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineClock {
    /// Tells one start of the machine from another
    pub boot: String,
    pub milliseconds: u64,
}

/// A timer that is running or paused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timer {
    pub task: TaskId,
    pub who: String,
    /// Full name of the session it was started in
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    pub phase: Phase,
    /// When the present stretch of work, or the pause, began
    pub since: Moment,
    /// The last sign of life
    pub last_seen: Reading,
    /// Whether some client reports activity
    #[serde(default)]
    pub watched: bool,
    /// Time in doubt that nobody has decided about
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
}

words!(
    /// Whether a timer counts.
    Phase, "phase of a timer", {
        Running = "running",
        Paused = "paused",
    }
);

words!(
    /// What becomes of time in doubt.
    #[derive(Default)]
    Doubtful, "choice for idle time", {
        /// It counts
        Keep = "keep",
        /// It is left out
        #[default]
        Discard = "discard",
        /// It becomes an entry of its own
        Split = "split",
    }
);

/// What a client asks of the timer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    Start {
        task: TaskId,
        session: Option<String>,
    },
    Stop(Doubtful),
    Pause(Doubtful),
    Resume,
    /// Stops what is running, if anything is, and starts another task
    Switch {
        task: TaskId,
        session: Option<String>,
        doubtful: Doubtful,
    },
    /// Throws away what was counted since the last start, pause or switch, and stops
    Discard,
    /// A sign of life
    Activity,
    /// Decides about the time in doubt, and goes on
    Decide(Doubtful),
}

/// What comes of a command.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// The timer to keep
    pub timer: Option<Timer>,
    /// For the time log
    pub intervals: Vec<Interval>,
    /// Time that was not counted
    pub left_out: Vec<Gap>,
    /// How far the clock was put back, when that was noticed
    pub clock_put_back: Option<SignedDuration>,
    /// Seconds that were thrown away
    pub discarded_seconds: u64,
}

/// Why a command cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimerRefusal {
    #[error("no timer is running")]
    NotRunning,
    #[error("a timer is already {phase} on `{task}` since {since}: switch to the other task, or stop it first")]
    Busy { task: TaskId, phase: Phase, since: Moment },
    #[error("the timer on `{task}` is paused already, since {since}")]
    PausedAlready { task: TaskId, since: Moment },
    #[error("the timer on `{task}` is not paused")]
    NotPaused { task: TaskId },
}

/// What a timer shows at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TimerStatus {
    pub task: TaskId,
    pub who: String,
    pub session: Option<String>,
    pub phase: Phase,
    pub since: Moment,
    /// Seconds of the present stretch that would count if it were stopped now
    pub seconds: u64,
    /// Time that would be left out
    pub doubtful: Vec<Gap>,
}

/// Follows one command of a person. `idle_minutes` is how long silence may last.
pub fn step(
    timer: Option<Timer>,
    who: &str,
    command: Command,
    now: &Reading,
    idle_minutes: u32,
) -> Result<Step, TimerRefusal> {
    let mut step = Step::default();
    let timer = timer.map(|timer| timer.seen(now, idle_minutes, &command, &mut step));
    match (command, timer) {
        (Command::Start { task, session } | Command::Switch { task, session, .. }, None) => {
            step.timer = Some(Timer::new(task, who, session, now));
        }
        (Command::Start { task, .. }, Some(timer)) if timer.task == task => {
            step.timer = Some(if timer.phase == Phase::Paused { timer.resumed(now) } else { timer });
        }
        (Command::Start { .. }, Some(timer)) => {
            return Err(TimerRefusal::Busy { task: timer.task, phase: timer.phase, since: timer.since });
        }
        (Command::Switch { task, .. }, Some(timer)) if timer.task == task && timer.phase == Phase::Running => {
            step.timer = Some(timer);
        }
        (Command::Switch { task, session, doubtful }, Some(timer)) => {
            timer.log(now, doubtful, &mut step);
            step.timer = Some(Timer { watched: timer.watched, ..Timer::new(task, who, session, now) });
        }
        (_, None) => return Err(TimerRefusal::NotRunning),
        (Command::Stop(doubtful), Some(timer)) => timer.log(now, doubtful, &mut step),
        (Command::Pause(_), Some(timer)) if timer.phase == Phase::Paused => {
            return Err(TimerRefusal::PausedAlready { task: timer.task, since: timer.since });
        }
        (Command::Pause(doubtful), Some(timer)) => {
            timer.log(now, doubtful, &mut step);
            step.timer = Some(Timer { phase: Phase::Paused, since: now.at, gaps: Vec::new(), ..timer });
        }
        (Command::Resume, Some(timer)) if timer.phase == Phase::Running => {
            return Err(TimerRefusal::NotPaused { task: timer.task });
        }
        (Command::Resume, Some(timer)) => step.timer = Some(timer.resumed(now)),
        (Command::Discard, Some(timer)) => {
            let length = if timer.phase == Phase::Running { timer.since.until(now.at).as_secs() } else { 0 };
            step.discarded_seconds = u64::try_from(length).unwrap_or(0);
        }
        (Command::Activity, Some(timer)) => step.timer = Some(timer),
        (Command::Decide(doubtful), Some(timer)) => step.timer = Some(timer.decided(now, doubtful, &mut step)),
    }
    Ok(step)
}

/// What a timer shows; nothing is changed.
pub fn status(timer: &Timer, now: &Reading, idle_minutes: u32) -> TimerStatus {
    let mut step = Step::default();
    let mut seen = timer.clone().seen(now, idle_minutes, &Command::Stop(Doubtful::Discard), &mut step);
    seen.log(now, Doubtful::Discard, &mut step);
    let seconds: i64 = step.intervals.iter().map(Interval::length_seconds).sum();
    TimerStatus {
        task: timer.task,
        who: timer.who.clone(),
        session: timer.session.clone(),
        phase: timer.phase,
        since: seen.since,
        seconds: u64::try_from(seconds).unwrap_or(0),
        doubtful: std::mem::take(&mut seen.gaps),
    }
}

impl Timer {
    fn new(task: TaskId, who: &str, session: Option<String>, now: &Reading) -> Timer {
        Timer {
            task,
            who: who.to_owned(),
            session,
            phase: Phase::Running,
            since: now.at,
            last_seen: now.clone(),
            watched: false,
            gaps: Vec::new(),
        }
    }

    fn resumed(self, now: &Reading) -> Timer {
        Timer { phase: Phase::Running, since: now.at, gaps: Vec::new(), ..self }
    }

    /// Takes in what the clocks say: what lies in doubt since the last sign of life, and a clock that was put back.
    fn seen(mut self, now: &Reading, idle_minutes: u32, command: &Command, step: &mut Step) -> Timer {
        if let Some(back) = gap::put_back(&self.last_seen, now) {
            step.clock_put_back = Some(back);
            self.since = self.since.later(-back);
            self.last_seen.at = self.last_seen.at.later(-back);
            for gap in &mut self.gaps {
                (gap.from, gap.to) = (gap.from.later(-back), gap.to.later(-back));
            }
        }
        if self.phase == Phase::Running {
            let limit = if self.watched { idle_minutes } else { UNWATCHED_MINUTES.max(idle_minutes) };
            self.gaps.extend(gap::between(&self.last_seen, now, limit));
        }
        self.watched |= *command == Command::Activity;
        self.last_seen = now.clone();
        self
    }

    /// Decides about the doubtful time so far; what was counted up to now goes into the log, and a new stretch begins.
    fn decided(self, now: &Reading, doubtful: Doubtful, step: &mut Step) -> Timer {
        if self.gaps.is_empty() || self.phase == Phase::Paused {
            return self;
        }
        if doubtful == Doubtful::Keep {
            return Timer { gaps: Vec::new(), ..self };
        }
        self.log(now, doubtful, step);
        Timer { since: now.at, gaps: Vec::new(), ..self }
    }

    /// Writes the present stretch into the log, without what is left out.
    fn log(&self, now: &Reading, doubtful: Doubtful, step: &mut Step) {
        if self.phase == Phase::Paused {
            return;
        }
        let mut from = self.since;
        let doubted: &[Gap] = if doubtful == Doubtful::Keep { &[] } else { &self.gaps };
        for gap in doubted {
            if doubtful == Doubtful::Discard {
                step.left_out.push(gap.clone());
            } else {
                let note = Some(gap.kind.word().to_owned());
                step.intervals.extend(self.interval(gap.from, gap.to).map(|interval| Interval { note, ..interval }));
            }
            step.intervals.extend(self.interval(from, gap.from));
            from = gap.to;
        }
        step.intervals.extend(self.interval(from, now.at));
        step.intervals.sort_by_key(|interval| interval.started_at);
    }

    /// An interval of the log, unless nothing is left of it.
    fn interval(&self, from: Moment, to: Moment) -> Option<Interval> {
        (from.until(to).as_secs() > 0).then(|| Interval {
            task: self.task,
            who: self.who.clone(),
            source: TimeSource::Timer,
            started_at: from,
            ended_at: Some(to),
            minutes: None,
            session: self.session.clone(),
            note: None,
        })
    }
}
