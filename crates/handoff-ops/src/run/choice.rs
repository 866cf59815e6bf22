//! Which steps of a run are meant.

use handoff_engine::BadRun;

use super::kept::HandoverRun;
use super::{Inputs, RunHandover};
use crate::{OpError, Project};

/// What of a run that was cut short is to be performed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) only: Vec<String>,
    from: Option<String>,
    skip: Vec<String>,
}

impl Choice {
    pub(super) fn of(asked: &RunHandover) -> Choice {
        Choice { only: asked.only.clone(), from: asked.from.clone(), skip: asked.skip.clone() }
    }

    pub(super) fn of_inputs(inputs: &Inputs) -> Choice {
        Choice { only: inputs.only.clone(), from: inputs.from.clone(), skip: inputs.skip.clone() }
    }

    /// Chooses among the steps of a run that is begun: what is not meant stays open.
    pub(super) fn apply(&self, run: &mut HandoverRun, project: &Project) -> Result<(), OpError> {
        let at = project.present();
        let mut chosen = || -> Result<(), BadRun> {
            run.check_ids(&self.only)?;
            if let Some(from) = &self.from {
                run.from(from, at)?;
            }
            self.skip.iter().try_for_each(|id| run.skip(id, at))
        };
        chosen().map_err(|error| OpError::usage(error.to_string()))
    }

    /// Chooses among the steps of a new run: what is not meant is passed over.
    pub(super) fn begin(&self, run: &mut HandoverRun, project: &Project) -> Result<(), OpError> {
        self.apply(run, project)?;
        if self.only.is_empty() {
            return Ok(());
        }
        run.only(&self.only, project.present()).map_err(|error| OpError::usage(error.to_string()))
    }

    /// Without what names a step that is in the list no more.
    pub(super) fn in_list(mut self, run: &HandoverRun) -> Choice {
        let is_there = |id: &String| run.steps.iter().any(|track| track.step.id == *id);
        self.only.retain(is_there);
        self.skip.retain(is_there);
        self.from = self.from.filter(is_there);
        self
    }
}
