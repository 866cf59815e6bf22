//! A handover that was cut short, noticed by those who read.

use handoff_engine::Status;
use handoff_model::heal::{Finding, Kind};
use serde_json::json;

use super::queue::{self, NoRequest, QUEUE};
use super::standing::{is_unsettled, shortened};
use super::{RunHandover, kept};
use crate::{Hint, Project};

/// Where the checkpoint lies in the store.
const CHECKPOINT: &str = "local/state/checkpoint.json";

impl Project {
    /// What is open of the last handover, in one line. One file is read.
    pub(crate) fn handover_line(&self) -> Option<String> {
        let run = match kept::read(self.store()) {
            Ok(run) => run.filter(|run| run.status == Status::InProgress)?,
            Err(error) => return Some(format!("{}; to put it aside, {}", error.sentence(), self.way(&abandon()))),
        };
        let at = run.current().map(|track| format!(" at step `{}`", track.step.id)).unwrap_or_default();
        if let Some(driver) = self.store().run_driver() {
            return Some(format!("a handover is under way{at} ({driver})"));
        }
        let error = run.current().and_then(|track| track.error.as_deref()).map(shortened);
        let error = error.map(|error| format!(": {error}")).unwrap_or_default();
        let told = format!("the last handover was cut short{at}{error}");
        if let Some(track) = run.current().filter(|track| is_unsettled(track)) {
            let again = Hint::run_with::<RunHandover>(json!({"from": track.step.id}));
            let passed_over = Hint::run_with::<RunHandover>(json!({"skip": [track.step.id]}));
            let (again, passed_over) = (self.way(&again), self.way(&passed_over));
            return Some(format!("{told}; where it did not happen, {again}; where it did, {passed_over}"));
        }
        Some(format!("{told}; to finish it, {}", self.way(&Hint::run::<RunHandover>())))
    }

    /// Tells a reader that a handover is open.
    pub(crate) fn note_handover(&mut self) {
        let line = self.handover_line();
        self.notes.extend(line);
    }

    fn way(&self, hint: &Hint) -> String {
        hint.at(self.door)
    }
}

fn abandon() -> Hint {
    Hint::run_with::<RunHandover>(json!({"abandon": true}))
}

/// What the doctor tells of handovers.
pub(crate) fn findings(project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    match kept::read(project.store()) {
        Ok(Some(run)) if run.status == Status::InProgress && project.store().run_driver().is_none() => {
            let at = run.current().map(|track| format!(" at step `{}`", track.step.id)).unwrap_or_default();
            let what = format!("the handover `{}` was cut short{at}", run.run);
            let unsettled = run.current().filter(|track| is_unsettled(track)).map(|track| track.step.id.as_str());
            let advice = match unsettled {
                Some(step) => format!(
                    "`handoff run --from {step}` runs it again, `handoff run --skip {step}` passes over it, `handoff run \
                     --abandon` gives all of it up"
                ),
                None => "`handoff run` finishes it, `handoff run --abandon` gives it up".to_owned(),
            };
            findings.push(Finding::new(Kind::Handover, CHECKPOINT, what).advising(advice));
        }
        Ok(_) => {}
        Err(error) => {
            let advice = "`handoff run --abandon` puts it aside; what its steps wrote is safe";
            findings.push(Finding::new(Kind::Checkpoint, CHECKPOINT, error.sentence()).advising(advice));
        }
    }
    match queue::damaged(project.store()) {
        Ok(damaged) => findings.extend(damaged.iter().map(NoRequest::finding)),
        Err(error) => {
            let advice = "look at what stands in its place";
            findings.push(Finding::new(Kind::Checkpoint, QUEUE, error.sentence()).advising(advice));
        }
    }
    findings
}
