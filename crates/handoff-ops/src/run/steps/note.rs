//! `note`: what was handed over, as a record of its own where no session took it.

use handoff_model::change::Change;
use handoff_model::handover::Note;
use handoff_model::id::SessionRef;
use handoff_model::session::{SessionEdit, SessionKind, SessionStatus};
use handoff_model::text::Prose;
use serde_json::json;

use super::{Performed, collect};
use crate::agent::capture_transcript;
use crate::run::HandoverRun;
use crate::session::change::{self, Changing};
use crate::{ErrorKind, OpError, Project};

/// A longer note is kept as a body, with its beginning as the summary.
const LONGEST_SUMMARY: usize = 2_000;

/// A note as a record keeps it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) summary: Option<Prose>,
    pub(super) body: Option<String>,
}

impl Said {
    pub(super) fn of(run: &HandoverRun) -> Result<Said, OpError> {
        let Some(note) = &run.inputs.note else { return Ok(Said::default()) };
        let prose = |text: &str| text.parse::<Prose>().map_err(|error| OpError::usage(error.to_string()));
        if note.chars().count() <= LONGEST_SUMMARY {
            return Ok(Said { summary: Some(prose(note)?), body: None });
        }
        let first = note.trim_start().split("\n\n").next().unwrap_or_default();
        let beginning: String = first.chars().take(LONGEST_SUMMARY / 4).collect();
        let cut = if beginning.len() < first.len() { " …" } else { "" };
        Ok(Said { summary: Some(prose(&format!("{beginning}{cut}"))?), body: Some(note.clone()) })
    }
}

pub(super) fn perform(project: &mut Project, run: &HandoverRun, wanted: &Note) -> Result<Performed, OpError> {
    let closed = run.steps.iter().find(|track| track.step.action.action.kind() == "close" && track.is_over());
    let closed = closed.map(|track| &track.outcome).filter(|outcome| outcome.get("session").is_some());
    if let Some(outcome) = closed
        && (outcome["takes_note"] == true || run.inputs.note.is_none())
    {
        let name = outcome["session"].as_str().unwrap_or_default();
        return Ok(Performed::Skipped(format!("session {name} holds it")));
    }
    if run.inputs.note.is_none() && run.inputs.state.is_none() && run.inputs.next.is_empty() {
        return Ok(match capture_transcript(project)? {
            Some(name) => Performed::Done(json!({"message": format!("made of a transcript: {name}"), "session": name})),
            None => Performed::Skipped("no note was given, and no session was under way".to_owned()),
        });
    }
    let seen = collect::seen(project, run)?;
    project.change("run", |project| {
        match project.store().session(&SessionRef::Id(run.inputs.record.to_string())) {
            Ok(found) => return Ok(written(&found.name)),
            Err(error) => {
                let error = OpError::from(error);
                if error.kind() != ErrorKind::NotFound {
                    return Err(error);
                }
            }
        }
        let said = Said::of(run)?;
        let summary = match (said.summary, &run.inputs.state) {
            (Some(summary), _) => Some(summary),
            (None, Some(state)) => Some(state.clone()),
            (None, None) => None,
        };
        let edit = SessionEdit {
            summary: summary.map_or(Change::Keep, Change::Set),
            title: run.inputs.title.clone().map_or(Change::Keep, Change::Set),
            add_next: run.inputs.next.clone(),
            ..SessionEdit::default()
        };
        let mut session = change::begin(project, SessionKind::Record)?;
        session.id = run.inputs.record.clone();
        session.author = Some(run.inputs.author.clone());
        session.handover = Some(run.run.clone());
        session.state = run.inputs.state.clone().map(String::from);
        let tag = wanted.tag.clone().or_else(|| run.inputs.tag.clone().map(String::from));
        session.tags = tag.into_iter().collect();
        let body = said.body.map_or(Change::Keep, Change::Set);
        let changing = Changing { edit, body, seen, ..Changing::to(SessionStatus::Closed) };
        let created = change::create(project, session, changing)?;
        change::archive_old(project, &[&created.found])?;
        Ok(written(&created.found.name))
    })
}

fn written(name: &str) -> Performed {
    Performed::Done(json!({"message": format!("written as {name}"), "session": name}))
}
