//! The one place that runs operations.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Serialize;
use serde_json::Value;

use crate::doctor::Doctor;
use crate::operation::{Effect, Entry, Facts, Operation, Prepared, Report};
use crate::{ErrorKind, Hint, OpError, Page, Project, Request, Wants};

/// What an operation answered, in every form a door may want.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The outcome. Warnings are part of it.
    pub json: Value,
    /// The outcome for a reader.
    pub page: Page,
    /// The outcome as nothing but a text, where it is one: given to other programs as it is.
    pub raw: Option<String>,
    /// What the reader should know although the operation succeeded.
    pub warnings: Vec<String>,
    /// What a change comes to; the warnings are part of it.
    pub facts: Facts,
    /// What sort of trouble it tells of.
    pub trouble: Option<ErrorKind>,
}

impl Reply {
    pub(crate) fn of<T: Serialize + Report>(outcome: &T) -> Result<Reply, OpError> {
        Reply::of_wanted(outcome, Wants::Everything)
    }

    /// The reply in the forms that somebody has a use for; the others are empty.
    pub(crate) fn of_wanted<T: Serialize + Report>(outcome: &T, wants: Wants) -> Result<Reply, OpError> {
        let warnings = outcome.warnings().to_vec();
        let trouble = outcome.trouble();
        if wants == Wants::Page {
            let (page, raw) = (outcome.page(), outcome.raw());
            return Ok(Reply { json: Value::Null, page, raw, warnings, facts: Facts::default(), trouble });
        }
        let mut json = serde_json::to_value(outcome)
            .map_err(|error| OpError::failure("the outcome cannot be written as JSON").caused_by(error))?;
        if let Value::Object(fields) = &mut json
            && !warnings.is_empty()
        {
            fields.entry("warnings").or_insert_with(|| warnings.clone().into());
        }
        if wants == Wants::Json {
            return Ok(Reply { json, page: Page::new(), raw: None, warnings, facts: Facts::default(), trouble });
        }
        let facts = Facts { warnings: warnings.clone(), ..outcome.facts() };
        Ok(Reply { json, page: outcome.page(), raw: outcome.raw(), warnings, facts, trouble })
    }
}

impl Reply {
    /// Adds what the reader should know beside the outcome.
    fn add_notes(&mut self, notes: Vec<String>) {
        if notes.is_empty() {
            return;
        }
        self.warnings.extend(notes);
        self.facts.warnings.clone_from(&self.warnings);
        if let Value::Object(fields) = &mut self.json {
            fields.insert("warnings".to_owned(), self.warnings.clone().into());
        }
    }
}

/// Runs one request. What all operations share (pause check, lock, journal) happens here and nowhere else.
///
/// A panic inside an operation comes back as an error: a server must outlive it, and a person should not see a trace.
pub fn dispatch(entry: &Entry, project: &mut Project, request: Request<'_>) -> Result<Reply, OpError> {
    let request = without_unneeded(entry, project, request);
    let prepared = entry.read(request)?;
    // The project is dropped or reopened after an error, so a half-changed one is never used again.
    let result = catch_unwind(AssertUnwindSafe(|| perform(entry, project, prepared)))
        .unwrap_or_else(|panic| Err(internal_error(entry, panic.as_ref())));
    project.close();
    let mut reply = result?;
    reply.add_notes(std::mem::take(&mut project.notes));
    Ok(reply)
}

/// Takes out what published tools accept and this one does not need, and says so.
fn without_unneeded<'a>(entry: &Entry, project: &mut Project, request: Request<'a>) -> Request<'a> {
    let Request::Json(Value::Object(mut fields)) = request else { return request };
    for name in entry.unneeded() {
        if fields.remove(*name).is_some() {
            project.note(format!("`{name}` is accepted and not needed"));
        }
    }
    Request::Json(Value::Object(fields))
}

fn perform(entry: &Entry, project: &mut Project, mut prepared: Box<dyn Prepared>) -> Result<Reply, OpError> {
    project.check_given_settings()?;
    project.mends = tells_settings(entry);
    match prepared.effect() {
        Effect::Found | Effect::Seek => prepared.run(project),
        Effect::Read => {
            project.open()?;
            if !tells_settings(entry) {
                project.note_config_problems();
            }
            prepared.run(project)
        }
        Effect::Look => {
            project.open_if_there()?;
            project.note_unreadable_config();
            prepared.run(project)
        }
        effect @ (Effect::Write | Effect::Amend) => {
            match effect {
                Effect::Write => project.open_for_writing()?,
                _ => project.open_to_amend()?,
            }
            prepared.prepare(project)?;
            project.lock(entry.name)?;
            if entry.noun() != Some("config") && !tells_settings(entry) {
                project.note_config_problems();
            }
            let reply = prepared.run(project)?;
            project.commit()?;
            Ok(reply)
        }
    }
}

/// Whether an operation tells itself what is wrong with the settings; those on settings do when they change one.
fn tells_settings(entry: &Entry) -> bool {
    entry.name == Doctor::NAME
}

fn internal_error(entry: &Entry, panic: &(dyn Any + Send)) -> OpError {
    let what = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    OpError::failure(format!("internal error in `{}`", entry.name)).detail(what).hint(Hint::say(
        "this is a bug in handoff, and nothing you did: please report it with the line above; acknowledged changes are safe",
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::sample::Water;
    use crate::{Door, Place};

    fn water(request: Value) -> Result<Reply, OpError> {
        let mut project = Project::new(Place::default(), Some("gardener".to_owned()), Door::Cli);
        dispatch(&Entry::of::<Water>(), &mut project, Request::Json(request))
    }

    #[test]
    fn the_command_line_and_json_ask_for_the_same_thing() {
        let entry = Entry::of::<Water>();
        let mut project = Project::new(Place::default(), Some("gardener".to_owned()), Door::Cli);
        let typed = ["water", "fern", "--litres", "2", "--notes", "-x"];
        let matches = entry.command().try_get_matches_from(typed).unwrap();
        let reply = dispatch(&entry, &mut project, Request::Cli(&matches)).unwrap();
        assert_eq!(reply.json, water(json!({"plant": "fern", "litres": 2})).unwrap().json);
    }

    #[test]
    fn warnings_are_part_of_the_json() {
        let reply = water(json!({"plant": "fern", "litres": 2})).unwrap();
        assert_eq!(reply.json, json!({"plant": "fern", "litres": 2, "warnings": ["it splashed"]}));
        let reply = water(json!({"plant": "fern", "litres": 2, "gently": true})).unwrap();
        assert_eq!(reply.json, json!({"plant": "fern", "litres": 2}));
    }

    #[test]
    fn a_panic_becomes_an_error() {
        let error = water(json!({"plant": "triffid"})).unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Failure, "internal error in `plant.water`"));
        assert_eq!(error.detail_lines(), ["triffids are not plants"]);
    }
}
