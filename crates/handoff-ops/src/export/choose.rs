//! Which records are exported.

use handoff_bundle::{CarriedSession, CarriedTask, Content};
use handoff_model::id::SessionRef;

use super::{Export, WithBody};
use crate::{OpError, Project};

/// The records that are exported.
pub(super) struct Chosen {
    pub(super) sessions: Vec<WithBody>,
    pub(super) tasks: Vec<CarriedTask>,
}

impl Export {
    pub(super) fn choose(&self, project: &Project) -> Result<Chosen, OpError> {
        let store = project.store();
        let is_selection = self.all || self.since.is_some() || !self.tags.is_empty();
        if !is_selection {
            let found = store.session(self.id.as_ref().unwrap_or(&SessionRef::Latest))?;
            let body = store.session_body(&found)?;
            return Ok(Chosen { sessions: vec![(found, body)], tasks: Vec::new() });
        }
        // Edits that nothing else would notice are seen before anything leaves.
        let _ = store.sweep()?;
        let too_far = || OpError::usage("that is before all time: give a shorter time");
        let since = self.since.map(|since| since.beginning(project.now()).ok_or_else(too_far)).transpose()?;
        let mut sessions = Vec::new();
        let live = store.sessions()?;
        store.notice(&live.problems);
        for found in live.list.iter().chain(&store.archived_sessions()?.list) {
            let is_known = sessions.iter().any(|(known, _): &WithBody| known.session.id == found.session.id);
            let is_recent = since.is_none_or(|since| found.last_active().is_some_and(|at| at >= since));
            let has_tags =
                self.tags.iter().all(|tag| found.session.tags.iter().any(|own| own.eq_ignore_ascii_case(tag)));
            if !is_known && is_recent && has_tags {
                let body = store.session_body(found)?;
                sessions.push((found.as_ref().clone(), body));
            }
        }
        sessions.sort_by(|(one, _), (other, _)| one.name.cmp(&other.name));
        let tasks = if self.all { tasks(project)? } else { Vec::new() };
        if sessions.is_empty() && tasks.is_empty() {
            return Err(OpError::not_found("nothing fits what was asked for, so there is nothing to export"));
        }
        Ok(Chosen { sessions, tasks })
    }
}

/// Every task, parents first, and those in the archives behind them.
fn tasks(project: &Project) -> Result<Vec<CarriedTask>, OpError> {
    let store = project.store();
    let forest = store.whole_forest()?;
    store.notice(&forest.problems);
    let mut tasks = Vec::new();
    for node in forest.walk() {
        let found = store.find(&node.task.id.into())?;
        tasks.push(CarriedTask {
            id: node.task.id,
            parent: node.parent,
            number: Some(node.number.ordinal()),
            text: found.text().to_owned(),
            archived: false,
        });
    }
    let archived = store.archived_tasks()?;
    for node in archived.forest.walk() {
        let Some(found) = archived.found(node).filter(|_| forest.get(node.task.id).is_none()) else { continue };
        tasks.push(CarriedTask {
            id: node.task.id,
            parent: archived.parent_of(node.task.id),
            number: Some(node.number.ordinal()),
            text: found.text().to_owned(),
            archived: true,
        });
    }
    Ok(tasks)
}

impl Chosen {
    /// Every text in it, with the place it stands in.
    pub(super) fn texts(&self) -> Vec<(String, &str)> {
        let mut texts = Vec::new();
        for (found, body) in &self.sessions {
            texts.push((format!("session {}", found.name), found.text()));
            texts.extend(body.as_deref().map(|body| (format!("the body of session {}", found.name), body)));
        }
        texts.extend(self.tasks.iter().map(|task| (format!("task {}", task.id), task.text.as_str())));
        texts
    }

    pub(super) fn content(self, project: &Project) -> Content {
        let carried =
            |(found, body): WithBody| CarriedSession { name: found.name.clone(), text: found.text().to_owned(), body };
        Content {
            project: Some(project.name()),
            sessions: self.sessions.into_iter().map(carried).collect(),
            tasks: self.tasks,
        }
    }
}
