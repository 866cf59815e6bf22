//! `mirror` and `compact`: the layers as plain files, and old notes in the archive.

use handoff_model::handover::{Action, Compact, Mirror};
use serde_json::json;

use super::Performed;
use crate::layers::compact::{self, Compacted, Compaction};
use crate::layers::{self, MirrorDeed, MirrorTo};
use crate::run::HandoverRun;
use crate::{OpError, Project};

/// The tag of notes that have none.
const TAG: &str = "general";

/// The directory the layers are written to below the project, where there is one.
pub(super) fn directory(project: &Project, run: &HandoverRun) -> Option<String> {
    run.steps.iter().find_map(|track| match &track.step.action.action {
        Action::Mirror(mirror) => place(project, mirror),
        _ => None,
    })
}

pub(super) fn place(project: &Project, mirror: &Mirror) -> Option<String> {
    let setting = || project.config().layers.mirror.map(String::from);
    let given = mirror.to.clone().or_else(setting)?;
    Some(given.trim_end_matches('/').to_owned())
}

fn target(project: &Project, run: &HandoverRun, mirror: &Mirror) -> Option<MirrorTo> {
    let inside = project.dir()?;
    let tag = run.inputs.tag.as_ref().map_or_else(|| TAG.to_owned(), ToString::to_string);
    Some(MirrorTo { dir: inside.join(place(project, mirror)?), inside, tag })
}

pub(super) fn perform(project: &mut Project, run: &HandoverRun, mirror: &Mirror) -> Result<Performed, OpError> {
    let Some(to) = target(project, run, mirror) else { return Ok(Performed::Skipped(none())) };
    let plan = layers::plan(project, &to)?;
    let mirrored = layers::write(project, &plan)?;
    let count = |deed: MirrorDeed| mirrored.steps.iter().filter(|step| step.deed == deed).count();
    let message = match (count(MirrorDeed::Write), count(MirrorDeed::Remove)) {
        (0, 0) => format!("{} files are as they should be", mirrored.unchanged),
        (written, 0) => format!("{written} files written"),
        (written, removed) => format!("{written} files written, {removed} removed"),
    };
    let kept = mirrored.steps.iter().filter_map(|step| {
        Some(format!("{} was not as handoff wrote it: kept as {}", step.file, step.kept_as.as_ref()?))
    });
    let told: Vec<String> = mirrored.warnings.iter().cloned().chain(kept).collect();
    let mut outcome = json!({"message": message});
    if !told.is_empty() {
        outcome["warning"] = json!(told.join("; "));
    }
    Ok(Performed::Done(outcome))
}

/// What would be mirrored.
pub(super) fn plan(project: &Project, run: &HandoverRun, mirror: &Mirror) -> Result<String, OpError> {
    let Some(to) = target(project, run, mirror) else { return Ok(none()) };
    let plan = layers::plan(project, &to)?;
    Ok(format!("would write {} files in {}", plan.steps.len(), project.shown(&to.dir)))
}

fn none() -> String {
    "no mirror is set: `layers.mirror` names its directory".to_owned()
}

pub(super) fn compact(project: &mut Project, wanted: &Compact) -> Result<Performed, OpError> {
    let Compacted { moved, linked } = project.change("run", |project| compact::compact(project, rule(wanted)))?;
    Ok(match (moved.len(), linked) {
        (0, 0) => Performed::Skipped("no note is old enough".to_owned()),
        (0, linked) => Performed::done(format!("links put right in {linked} archives")),
        (1, _) => Performed::done("1 note went to the archive"),
        (count, _) => Performed::done(format!("{count} notes went to the archive")),
    })
}

/// What would be compacted.
pub(super) fn plan_compact(project: &Project, wanted: &Compact) -> Result<String, OpError> {
    let count = compact::plan(project, rule(wanted))?.len();
    Ok(format!("would move {count} notes to the archive"))
}

fn rule(wanted: &Compact) -> Compaction {
    Compaction { older_than_days: wanted.older_than_days, keep: wanted.keep }
}
