//! What the rules find in a handoff that is saved, for whoever saves it.

use handoff_model::session::lint::{Around, Finding, lint};
use handoff_model::session::{Session, SessionKind, SessionStatus};
use handoff_model::task::Status;
use handoff_store::Forest;

use crate::Project;

/// Findings that are told; the others are counted.
const TOLD: usize = 4;

/// What is to be told of a handoff that is about to be saved, in sentences. Nothing where the settings say so, nor of
/// what is put aside.
pub(super) fn told(project: &Project, session: &Session, body: Option<&str>) -> Vec<String> {
    let is_left = session.status != SessionStatus::Paused && session.kind != SessionKind::Package;
    if !is_left || !project.config().settings.lint {
        return Vec::new();
    }
    let tasks = session.tasks.iter().filter_map(|id| project.store().find(&(*id).into()).ok());
    let has_open_task = any_open(tasks.map(|found| found.task.status));
    let missing = missing_files(project, session);
    let findings = lint(session, &Around { missing: &missing, body, has_open_task });
    let mut told: Vec<String> = findings.iter().take(TOLD).map(Finding::sentence).collect();
    if findings.len() > TOLD {
        told.push(format!("{} more: `handoff metrics handoffs`", findings.len() - TOLD));
    }
    told
}

/// Whether any of the tasks that a session concerns is open; `None` where it concerns none that is there.
pub(crate) fn has_open_task(session: &Session, forest: &Forest) -> Option<bool> {
    any_open(session.tasks.iter().filter_map(|id| forest.get(*id)).map(|node| node.task.status))
}

fn any_open(statuses: impl Iterator<Item = Status>) -> Option<bool> {
    statuses.map(Status::is_open).reduce(|one, other| one || other)
}

/// Pointers whose files are not there. They are kept, since a file may come with another branch.
pub(super) fn missing_files(project: &Project, session: &Session) -> Vec<String> {
    let is_missing = |path: &str| project.has_file(path) == Some(false);
    let paths = session.pointers.iter().map(|pointer| &pointer.path);
    paths.filter(|path| is_missing(path)).cloned().collect()
}
