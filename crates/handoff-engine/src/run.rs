//! One run of a handover, from its start to its end.

use std::time::Duration;

use handoff_model::when::Moment;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::differences::{self, Difference};
use crate::fingerprint::fingerprint;
use crate::step::{Progress, Step, Track};

/// A run, as it is written down: with the list of steps it was started with and what it was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run<A, I> {
    /// Version of this shape
    pub format: u32,
    /// The run's own id
    pub run: String,
    pub status: Status,
    /// Which list of steps it follows
    pub fingerprint: String,
    pub started_at: Moment,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Moment>,
    /// What it was given when it was asked for; the same whenever it is taken up again
    pub inputs: I,
    pub steps: Vec<Track<A>>,
}

/// The version that is written.
const FORMAT: u32 = 1;

/// Where a run is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    InProgress,
    Completed,
    /// Given up by somebody
    Abandoned,
    /// Ended with steps open that the next run makes up for
    CarriedOver,
}

impl Status {
    /// The word for it in files and answers.
    pub const fn word(self) -> &'static str {
        match self {
            Status::InProgress => "in_progress",
            Status::Completed => "completed",
            Status::Abandoned => "abandoned",
            Status::CarriedOver => "carried_over",
        }
    }
}

/// What to do now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next<A> {
    Perform(Turn<A>),
    /// Nothing is left to do
    Finished,
}

/// A step whose turn it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn<A> {
    pub id: String,
    pub action: A,
    /// Which try it is, the first being 1: the same number when a try was cut short and is taken up again
    pub attempt: u32,
    /// Whether a try was cut short: it may have happened
    pub was_cut_short: bool,
}

/// What to do after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// Wait so long, and try again
    Again(Duration),
    Stop,
}

/// Why a run cannot be what it is asked to be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadRun {
    #[error("there is no step to perform")]
    NoSteps,
    #[error("two steps have the id `{0}`")]
    SameId(String),
    #[error("there is no step `{id}`: there are {}", .known.join(", "))]
    NoSuchStep { id: String, known: Vec<String> },
    #[error("step `{0}` is neither done nor passed over")]
    NotFinished(String),
}

impl<A: Clone + PartialEq + Serialize, I> Run<A, I> {
    /// A new run of these steps.
    pub fn start(run: impl Into<String>, steps: Vec<Step<A>>, inputs: I, at: Moment) -> Result<Run<A, I>, BadRun> {
        check(&steps)?;
        Ok(Run {
            format: FORMAT,
            run: run.into(),
            status: Status::InProgress,
            fingerprint: fingerprint(&steps),
            started_at: at,
            finished_at: None,
            inputs,
            steps: steps.into_iter().map(Track::new).collect(),
        })
    }

    /// Whether this version of the crate understands what was written down.
    pub fn is_understood(format: u32) -> bool {
        format == FORMAT
    }

    /// Goes on with the list as it is now: what is done stays done, what is open is done as the new list says.
    ///
    /// Returns what is different, for people to read. Nothing that was done happens again: a step that is only called
    /// otherwise is known by what it does.
    pub fn adopt(&mut self, steps: Vec<Step<A>>) -> Result<Vec<Difference>, BadRun> {
        check(&steps)?;
        let new = fingerprint(&steps);
        if new == self.fingerprint {
            return Ok(Vec::new());
        }
        let (added, listed) = std::mem::take(&mut self.steps).into_iter().partition::<Vec<_>, _>(|track| track.added);
        let (tracks, differences) = differences::adopt(listed, steps);
        self.steps = tracks;
        // Whether it is still necessary the driver finds out when everything else is done.
        self.steps.extend(added.into_iter().filter(|track| track.progress != Progress::Pending));
        self.fingerprint = new;
        Ok(differences)
    }

    /// What to do now.
    pub fn next(&self) -> Next<A> {
        if self.status != Status::InProgress {
            return Next::Finished;
        }
        let Some(track) = self.steps.iter().find(|track| !track.is_over()) else { return Next::Finished };
        let was_cut_short = track.progress == Progress::Begun;
        Next::Perform(Turn {
            id: track.step.id.clone(),
            action: track.step.action.clone(),
            attempt: track.attempts + u32::from(!was_cut_short),
            was_cut_short,
        })
    }

    /// Adds a step at the end that stands in no list. Unless all is over it is performed like any other.
    pub fn add(&mut self, step: Step<A>) {
        if self.steps.iter().all(|track| track.step.id != step.id) {
            self.steps.push(Track { added: true, ..Track::new(step) });
        }
    }

    /// A step is about to be performed. To be written down before it is.
    pub fn begin(&mut self, id: &str, at: Moment) {
        let track = self.track(id);
        if track.progress != Progress::Begun {
            track.attempts += 1;
            track.begun_at = Some(at);
        }
        (track.progress, track.ended_at) = (Progress::Begun, None);
    }

    /// A step was performed. To be written down before the next one is begun.
    pub fn finished(&mut self, id: &str, outcome: Value, at: Moment) {
        let track = self.track(id);
        (track.progress, track.error, track.outcome, track.ended_at) = (Progress::Done, None, outcome, Some(at));
        track.again = false;
    }

    /// A step is passed over.
    pub fn skipped(&mut self, id: &str, reason: impl Into<String>, at: Moment) {
        let track = self.track(id);
        (track.progress, track.reason, track.ended_at) = (Progress::Skipped, Some(reason.into()), Some(at));
        track.again = false;
    }

    /// A step failed.
    pub fn failed(&mut self, id: &str, error: impl Into<String>, at: Moment) -> After {
        let track = self.track(id);
        (track.progress, track.error, track.ended_at) = (Progress::Failed, Some(error.into()), Some(at));
        track.failures += 1;
        if track.failures > track.step.retries { After::Stop } else { After::Again(track.step.wait(track.failures)) }
    }

    /// It cannot be told whether a step happened: it stays begun, so that it is never taken for another try.
    pub fn unsettled(&mut self, id: &str, error: impl Into<String>, at: Moment) {
        let track = self.track(id);
        (track.progress, track.error, track.ended_at) = (Progress::Begun, Some(error.into()), Some(at));
    }

    /// Performs these steps and no others: the rest is passed over.
    pub fn only(&mut self, ids: &[String], at: Moment) -> Result<(), BadRun> {
        for id in ids {
            self.place(id)?;
        }
        let others: Vec<String> =
            self.steps.iter().filter(|track| !track.is_over()).map(|track| track.step.id.clone()).collect();
        for id in others.iter().filter(|id| !ids.contains(id)) {
            self.skipped(id, "not asked for", at);
        }
        Ok(())
    }

    /// Performs this step and all after it, also those that are done already: what is open before it is passed over.
    pub fn from(&mut self, id: &str, at: Moment) -> Result<(), BadRun> {
        let place = self.place(id)?;
        let before: Vec<String> =
            self.steps[..place].iter().filter(|track| !track.is_over()).map(|track| track.step.id.clone()).collect();
        for earlier in before {
            self.skipped(&earlier, format!("begun from `{id}`"), at);
        }
        self.steps[place..].iter_mut().for_each(Track::again);
        Ok(())
    }

    /// Passes over one step that is open.
    pub fn skip(&mut self, id: &str, at: Moment) -> Result<(), BadRun> {
        let place = self.place(id)?;
        if !self.steps[place].is_over() {
            self.skipped(id, "passed over as asked", at);
        }
        Ok(())
    }

    /// All is done.
    pub fn complete(&mut self, at: Moment) -> Result<(), BadRun> {
        if let Some(open) = self.steps.iter().find(|track| !track.is_over()) {
            return Err(BadRun::NotFinished(open.step.id.clone()));
        }
        (self.status, self.finished_at) = (Status::Completed, Some(at));
        Ok(())
    }

    /// Somebody gives it up; what is open stays as it is.
    pub fn abandon(&mut self, at: Moment) {
        (self.status, self.finished_at) = (Status::Abandoned, Some(at));
    }

    /// Leaves what is open to the next run, where that makes up for all of it; says whether it does.
    pub fn carry_over(&mut self, at: Moment) -> bool {
        let makes_up = self.steps.iter().filter(|track| !track.is_over()).all(|track| track.step.carries_over);
        if makes_up {
            (self.status, self.finished_at) = (Status::CarriedOver, Some(at));
        }
        makes_up
    }

    /// The step that the run stands at: the first that is open.
    pub fn current(&self) -> Option<&Track<A>> {
        self.steps.iter().find(|track| !track.is_over())
    }

    /// What came of a step.
    pub fn outcome(&self, id: &str) -> Option<&Value> {
        let track = self.steps.iter().find(|track| track.step.id == id && track.progress == Progress::Done)?;
        Some(&track.outcome)
    }

    fn place(&self, id: &str) -> Result<usize, BadRun> {
        self.steps.iter().position(|track| track.step.id == id).ok_or_else(|| BadRun::NoSuchStep {
            id: id.to_owned(),
            known: self.steps.iter().map(|track| format!("`{}`", track.step.id)).collect(),
        })
    }

    fn track(&mut self, id: &str) -> &mut Track<A> {
        let track = self.steps.iter_mut().find(|track| track.step.id == id);
        track.expect("the driver reports on steps that `next` gave out")
    }
}

fn check<A>(steps: &[Step<A>]) -> Result<(), BadRun> {
    if steps.is_empty() {
        return Err(BadRun::NoSteps);
    }
    let twice = steps.iter().enumerate().find(|(at, step)| steps[..*at].iter().any(|other| other.id == step.id));
    twice.map_or(Ok(()), |(_, step)| Err(BadRun::SameId(step.id.clone())))
}
