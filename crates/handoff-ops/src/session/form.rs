//! What the rules find in a handoff that is saved, for whoever saves it.

use handoff_model::session::lint::{Around, Finding, Rule, lint};
use handoff_model::session::open_items::OpenItem;
use handoff_model::session::{ItemKind, ItemRecord, Session, SessionKind, SessionStatus};
use handoff_model::task::Status;
use handoff_store::{Forest, FoundSession};

use super::change::shortened;
use super::recorded::Recorded;
use crate::{OpError, Project};

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
    let mut findings = lint(session, &Around { missing: &missing, body, has_open_task });
    if findings.iter().any(|finding| finding.rule == Rule::NoNextStep) && has_open_step(project, session) {
        findings.retain(|finding| finding.rule != Rule::NoNextStep);
    }
    let mut told: Vec<String> = findings.iter().take(TOLD).map(Finding::sentence).collect();
    if findings.len() > TOLD {
        told.push(format!("{} more: `handoff metrics handoffs`", findings.len() - TOLD));
    }
    told
}

/// Reports whether an earlier session left a next step that this one does not settle.
fn has_open_step(project: &Project, session: &Session) -> bool {
    let Ok(recorded) = Recorded::read(project) else { return false };
    let items = recorded.items();
    let is_settled = |item: &OpenItem<'_>| session.settled.iter().any(|end| end.item == item.reference());
    items.open().into_iter().any(|item| item.kind == ItemKind::Next && !is_settled(item))
}

/// A reminder of what is open and was not mentioned in a handoff that is saved.
pub(super) fn not_mentioned(project: &Project, found: &FoundSession) -> Result<Option<String>, OpError> {
    const NAMED: usize = 3;
    let session = &found.session;
    if session.status != SessionStatus::Closed || !project.config().settings.lint {
        return Ok(None);
    }
    let recorded = Recorded::read(project)?;
    let items = recorded.items();
    let is_mentioned = |item: &&OpenItem<'_>| {
        let reference = item.reference();
        let is_it = |record: &ItemRecord| {
            record.id == item.id.to_string() && record.since.as_deref().unwrap_or(&found.name) == item.home
        };
        session.items.iter().any(is_it) || session.settled.iter().any(|end| end.item == reference)
    };
    let left: Vec<&OpenItem<'_>> = items.open().into_iter().filter(|item| !is_mentioned(item)).collect();
    if left.is_empty() {
        return Ok(None);
    }
    let named = left.iter().take(NAMED).map(|item| format!("{} `{}`", items.shown_id(item), shortened(item.text)));
    let named: Vec<String> = named.collect();
    let more = if left.len() > NAMED { format!(" and {} more", left.len() - NAMED) } else { String::new() };
    Ok(Some(format!("still open and not mentioned: {}{more}", named.join(", "))))
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
