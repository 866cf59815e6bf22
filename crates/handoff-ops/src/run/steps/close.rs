//! `close`: the session that is under way ends, with the note as its summary.

use handoff_model::change::Change;
use handoff_model::id::SessionRef;
use handoff_model::session::{SessionEdit, SessionStatus};
use serde_json::json;

use super::{Performed, collect, note};
use crate::run::HandoverRun;
use crate::session::change::{self, Changing};
use crate::session::which;
use crate::{ErrorKind, OpError, Project};

pub(super) fn perform(project: &mut Project, run: &HandoverRun) -> Result<Performed, OpError> {
    let Some(id) = run.inputs.session.clone() else {
        let sessions = project.store().handoffs()?;
        return Ok(Performed::Skipped(match which::active(&sessions).count() {
            0 => "no session is under way".to_owned(),
            1 => "the session under way is somebody else's: `--session` names one to close".to_owned(),
            count => format!("{count} sessions are under way, and none is known to be yours: `--session` names one"),
        }));
    };
    let seen = collect::seen(project, run)?;
    project.change("run", |project| {
        let found = match project.store().session(&SessionRef::Id(id.to_string())) {
            Ok(found) => found,
            Err(error) => {
                let error = OpError::from(error);
                if error.kind() == ErrorKind::NotFound {
                    return Ok(Performed::Skipped(format!("session {id} is gone")));
                }
                return Err(error);
            }
        };
        let takes_note = run.inputs.note.is_some();
        if found.session.status == SessionStatus::Closed {
            if found.session.handover.as_deref() == Some(run.run.as_str()) {
                return Ok(closed(&found.name, takes_note));
            }
            return Ok(Performed::Skipped(format!("session {} was closed by somebody else", found.name)));
        }
        let said = note::Said::of(run)?;
        let edit = SessionEdit {
            summary: said.summary.map_or(Change::Keep, Change::Set),
            title: run.inputs.title.clone().map_or(Change::Keep, Change::Set),
            add_next: run.inputs.next.clone(),
            ..SessionEdit::default()
        };
        let mut session = found.session.clone();
        session.handover = Some(run.run.clone());
        if run.inputs.state.is_some() {
            session.state = run.inputs.state.clone().map(String::from);
        }
        if let Some(tag) = run.inputs.tag.as_ref().filter(|_| session.tags.is_empty()) {
            session.tags.push(tag.clone().into());
        }
        let body = said.body.map_or(Change::Keep, Change::Set);
        let merged = Some(Box::new(session));
        let changing = Changing { edit, body, seen, merged, ..Changing::to(SessionStatus::Closed) };
        let changed = change::change(project, &found, changing)?;
        change::archive_old(project, &[&changed.found])?;
        Ok(closed(&changed.found.name, takes_note))
    })
}

fn closed(name: &str, takes_note: bool) -> Performed {
    let with = if takes_note { ", with the note" } else { "" };
    Performed::Done(json!({"message": format!("closed {name}{with}"), "session": name, "takes_note": takes_note}))
}
