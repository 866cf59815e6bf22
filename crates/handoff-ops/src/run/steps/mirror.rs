//! `mirror` and `compact`: the layers as plain files, and old notes in the archive.

use handoff_model::handover::Action;

use crate::Project;
use crate::run::HandoverRun;

/// The directory the layers are written to, where there is one.
pub(super) fn directory(_project: &Project, run: &HandoverRun) -> Option<String> {
    run.steps.iter().find_map(|track| match &track.step.action.action {
        Action::Mirror(mirror) => mirror.to.clone(),
        _ => None,
    })
}
