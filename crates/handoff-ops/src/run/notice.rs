//! A handover that was cut short, noticed by those who read.

use handoff_engine::Status;
use handoff_model::heal::{Finding, Kind};

use super::standing::shortened;
use super::{Inputs, RunHandover, kept};
use crate::{Hint, OpError, Project};

/// Where the checkpoint and the queue lie in the store.
const CHECKPOINT: &str = "local/state/checkpoint.json";
const QUEUE: &str = "local/state/queue";

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
        Some(format!(
            "the last handover was cut short{at}{error}; to finish it, {}",
            self.way(&Hint::run::<RunHandover>())
        ))
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
    Hint::run_with::<RunHandover>(serde_json::json!({"abandon": true}))
}

/// What the doctor tells of handovers.
pub(crate) fn findings(project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    match kept::read(project.store()) {
        Ok(Some(run)) if run.status == Status::InProgress && project.store().run_driver().is_none() => {
            let at = run.current().map(|track| format!(" at step `{}`", track.step.id)).unwrap_or_default();
            let what = format!("the handover `{}` was cut short{at}", run.run);
            let advice = "`handoff run` finishes it, `handoff run --abandon` gives it up";
            findings.push(Finding::new(Kind::Handover, CHECKPOINT, what).advising(advice));
        }
        Ok(_) => {}
        Err(error) => {
            let advice = "`handoff run --abandon` puts it aside; what its steps wrote is safe";
            findings.push(Finding::new(Kind::Checkpoint, CHECKPOINT, error.sentence()).advising(advice));
        }
    }
    let names = match project.store().queued_runs() {
        Ok(names) => names,
        Err(error) => {
            let advice = "look at what stands in its place";
            findings.push(Finding::new(Kind::Checkpoint, QUEUE, OpError::from(error).sentence()).advising(advice));
            return findings;
        }
    };
    for name in names {
        let why = match project.store().queued_run(&name) {
            Ok(None) => continue,
            Ok(Some(bytes)) => match serde_json::from_slice::<Inputs>(&bytes) {
                Ok(_) => continue,
                Err(error) => error.to_string(),
            },
            Err(error) => OpError::from(error).sentence(),
        };
        let advice = "no handover takes it up; look at it, and move it out of the queue";
        let what = format!("a request that waits cannot be read: {why}");
        findings.push(Finding::new(Kind::Checkpoint, format!("{QUEUE}/{name}"), what).advising(advice));
    }
    findings
}
