//! `handoff doctor`

use std::path::PathBuf;

use clap::Args;
use handoff_model::heal::{Finding, Kind, Weight};
use handoff_store::{Circumstances, Cure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{Effect, OpError, Operation, Project, ToolSet};

mod elsewhere;
mod page;

/// Find whatever is wrong with the files, and mend it
///
/// Looks at every file of the store and says, by file and line, what is damaged, what has drifted, and what to do. With
/// `--fix` all that can be mended is mended as one change that `handoff undo` takes back; nothing is deleted, and the
/// answer names the backup of what was written over or taken away. The exit code is 6 while damage remains.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Doctor {
    /// Mend what can be mended
    #[arg(long)]
    #[serde(default)]
    pub fix: bool,
    /// Show what mending would change, and change nothing
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
    /// What others know, found out before the lock is taken
    #[arg(skip)]
    #[serde(skip)]
    around: Option<Circumstances>,
}

/// What is wrong, and what became of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Diagnosis {
    /// Whether nothing is damaged, or nothing is any more
    pub healthy: bool,
    pub message: String,
    /// What is wrong
    pub findings: Vec<Finding>,
    /// What was wrong and is mended, or would be
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mended: Vec<Finding>,
    /// What was done to files, or would be, in order
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    /// The directory, relative to the store, with what was written over or taken away
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup: Option<String>,
    /// Whether this only shows what would be done
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// Where the store lies, as the caller would say it, for showing paths
    #[serde(skip)]
    store: String,
}

impl Operation for Doctor {
    const NAME: &'static str = "doctor";
    const TOOL: &'static str = "handoff_doctor";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Write;
    const REPEATABLE: bool = true;
    type Outcome = Diagnosis;

    fn example() -> Value {
        json!({"fix": true})
    }

    /// Without mending nothing is changed, no lock is taken, and a paused project is looked at like any other.
    fn effect(&self) -> Effect {
        if self.fix && !self.dry_run { Effect::Amend } else { Effect::Read }
    }

    fn prepare(&mut self, project: &mut Project) -> Result<(), OpError> {
        let mut around = elsewhere::circumstances(project)?;
        // Taking the lock puts right what a crash left, so this is the time to see it.
        around.done = project.store().left_by_crash()?;
        project.store().mend_misfits(&mut around)?;
        project.store().settle_journals(&mut around)?;
        self.around = Some(around);
        Ok(())
    }

    fn run(self, project: &mut Project) -> Result<Diagnosis, OpError> {
        project.note_pauses();
        let mut diagnosis = self.diagnose(project)?;
        diagnosis.add(crate::run::findings(project));
        diagnosis.store = format!("{}/", project.shown(project.store().path()));
        Ok(diagnosis)
    }
}

impl Doctor {
    fn diagnose(self, project: &mut Project) -> Result<Diagnosis, OpError> {
        match self.around {
            Some(around) => mended(project, around),
            None => {
                let around = elsewhere::circumstances(project)?;
                let cure = project.store().try_cure(&around)?;
                if self.dry_run {
                    return Ok(Diagnosis::planned(&cure));
                }
                let findings = cure.found();
                // A cache that is known to be wrong must not go on answering.
                let is_stale = |finding: &Finding| finding.kind == Kind::Index && finding.path.starts_with("tasks/");
                if findings.iter().any(is_stale) {
                    project.store().forget_index();
                }
                Ok(Diagnosis::found(findings))
            }
        }
    }
}

fn mended(project: &mut Project, mut around: Circumstances) -> Result<Diagnosis, OpError> {
    // Those who write about agents at this moment have locks of their own.
    let _ = project.store().sweep_agents();
    around.done.extend(project.store().mend_access()?);
    around.done.extend(project.store().mend_index()?);
    around.done.extend(crate::run::mend_queue(project)?);
    let cure = project.store().plan_cure(&around)?;
    project.store_mut().stage_cure(&cure)?;
    // The overview follows what it is made from, where there is one.
    if cure.has_changes() && project.has_current_state() {
        project.rebuild_current_state();
    }
    let has_backup = project.store().path_of(&cure.backup).is_dir();
    Ok(Diagnosis::carried_out(cure, has_backup))
}

impl Diagnosis {
    /// Takes in what was found elsewhere, and only a person does something about.
    fn add(&mut self, findings: Vec<Finding>) {
        let Some(more) = counted(&findings) else { return };
        self.healthy &= is_healthy(&findings);
        let is_first = self.findings.is_empty() && self.mended.is_empty();
        self.message = if is_first { more } else { format!("{}; of handovers: {more}", self.message) };
        self.findings.extend(findings);
    }

    fn found(findings: Vec<Finding>) -> Diagnosis {
        let message = counted(&findings).unwrap_or_else(|| "everything is as it should be".to_owned());
        let healthy = is_healthy(&findings);
        let (mended, changes) = (Vec::new(), Vec::new());
        Diagnosis { healthy, message, findings, mended, changes, backup: None, dry_run: false, store: String::new() }
    }

    fn planned(cure: &Cure) -> Diagnosis {
        let message = match (cure.mended.len(), counted(&cure.left)) {
            (0, None) => "everything is as it should be".to_owned(),
            (0, Some(left)) => format!("nothing can be mended; {left}"),
            (count, None) => format!("{count} would be mended, and nothing left"),
            (count, Some(left)) => format!("{count} would be mended; left: {left}"),
        };
        Diagnosis {
            healthy: is_healthy(&cure.standing) && is_healthy(&cure.mended),
            message,
            findings: cure.standing.clone(),
            mended: cure.mended.clone(),
            changes: cure.changes(),
            backup: None,
            dry_run: true,
            store: String::new(),
        }
    }

    fn carried_out(cure: Cure, has_backup: bool) -> Diagnosis {
        let message = match (cure.mended.len(), counted(&cure.left)) {
            (0, None) => "everything is as it should be; nothing was changed".to_owned(),
            (0, Some(left)) => format!("nothing could be mended; {left}"),
            (count, None) => format!("{count} mended, nothing left"),
            (count, Some(left)) => format!("{count} mended; left: {left}"),
        };
        let backup = has_backup.then(|| cure.backup.clone());
        let changes = cure.changes();
        Diagnosis {
            healthy: is_healthy(&cure.left),
            message,
            findings: cure.left,
            mended: cure.mended,
            changes,
            backup,
            dry_run: false,
            store: String::new(),
        }
    }
}

fn is_healthy(findings: &[Finding]) -> bool {
    findings.iter().all(|finding| finding.weight != Weight::Damage)
}

/// How many of each weight there are; `None` for none.
fn counted(findings: &[Finding]) -> Option<String> {
    let words = [(Weight::Damage, "damaged"), (Weight::Drift, "drifted"), (Weight::Note, "worth knowing")];
    let parts: Vec<String> = words
        .into_iter()
        .map(|(weight, word)| (findings.iter().filter(|finding| finding.weight == weight).count(), word))
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Projects of the registry that are not there, although the place they were in is.
fn gone_projects(project: &Project) -> Vec<PathBuf> {
    if !project.is_user_store() {
        return Vec::new();
    }
    let known = project.user_dir().ok().and_then(|dir| handoff_store::Registry::read(&dir).ok()).unwrap_or_default();
    let paths = known.into_iter().map(|known| known.path);
    // A disk that is not plugged in has taken its projects along.
    paths
        .filter(|path| !handoff_store::is_project(path) && path.parent().is_some_and(std::path::Path::is_dir))
        .collect()
}
