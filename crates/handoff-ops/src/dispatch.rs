//! The one place that runs operations.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use handoff_model::secret::Allowed;
use serde::Serialize;
use serde_json::Value;

use crate::doctor::Doctor;
use crate::leaving;
use crate::local_state::report_set_aside;
use crate::operation::{Door, Effect, Entry, Facts, Operation, Prepared, Report};
use crate::page::Sheet;
use crate::timer::alive;
use crate::{ErrorKind, Hint, OpError, Page, Project, Request};

/// What an operation answered, for a door to take the form it wants; one that nobody wants is not made.
pub struct Reply {
    outcome: Box<dyn Shown>,
    /// What the reader should know although the operation succeeded.
    pub warnings: Vec<String>,
    /// What sort of trouble it tells of.
    pub trouble: Option<ErrorKind>,
    /// The exit code of the command, where it says more than success.
    pub exit_code: Option<u8>,
    /// Secrets that may be told to a model.
    pub allowed: Allowed,
    /// Whether it is made as a model is told it. A door whose every answer goes to a model sees to that itself.
    is_for_models: bool,
}

/// An outcome whose type is forgotten.
trait Shown: Send {
    fn json(&self) -> Value;
    fn page(&self) -> Page;
    fn json_text(&self) -> String;
    fn lines(&self) -> Option<String>;
    fn raw(&self) -> Option<Vec<u8>>;
    fn facts(&self) -> Facts;
    fn sheet(&self) -> Option<Sheet>;
}

impl<T: Serialize + Report + Send> Shown for T {
    fn json(&self) -> Value {
        serde_json::to_value(self).expect("an outcome is plain data")
    }

    fn page(&self) -> Page {
        Report::page(self)
    }

    fn json_text(&self) -> String {
        serde_json::to_string(self).expect("an outcome is plain data")
    }

    fn lines(&self) -> Option<String> {
        Report::lines(self)
    }

    fn raw(&self) -> Option<Vec<u8>> {
        Report::raw(self)
    }

    fn facts(&self) -> Facts {
        Report::facts(self)
    }

    fn sheet(&self) -> Option<Sheet> {
        Report::sheet(self)
    }
}

impl Reply {
    pub(crate) fn of<T: Serialize + Report + Send + 'static>(outcome: T) -> Reply {
        let (warnings, trouble) = (outcome.warnings().to_vec(), outcome.trouble());
        let exit_code = outcome.exit_code();
        Reply {
            outcome: Box::new(outcome),
            warnings,
            trouble,
            exit_code,
            allowed: Allowed::default(),
            is_for_models: false,
        }
    }

    /// The outcome. Warnings are part of it.
    pub fn json(&self) -> Value {
        let mut json = self.outcome.json();
        if let Value::Object(fields) = &mut json
            && !self.warnings.is_empty()
        {
            fields.insert("warnings".to_owned(), self.warnings.clone().into());
        }
        if self.is_for_models {
            leaving::json_for_model(&mut json, &self.allowed);
        }
        json
    }

    /// The outcome as JSON on one line. No value is made of it where that is not needed: there may be much of it.
    pub fn json_text(&self) -> String {
        let is_plain = self.warnings.is_empty() && !self.is_for_models;
        if is_plain { self.outcome.json_text() } else { self.json().to_string() }
    }

    /// The outcome as lines for a program, where a page of it would take long to make.
    pub fn lines(&self) -> Option<String> {
        self.outcome.lines().filter(|_| !self.is_for_models)
    }

    /// The outcome for a reader.
    pub fn page(&self) -> Page {
        let mut page = self.outcome.page();
        if self.is_for_models {
            leaving::page_for_model(&mut page, &self.allowed);
        }
        page
    }

    /// The outcome as nothing but bytes, where it is that: given to other programs as it is.
    pub fn raw(&self) -> Option<Vec<u8>> {
        self.outcome.raw()
    }

    /// The outcome as rows for a spreadsheet.
    pub fn sheet(&self) -> Option<Sheet> {
        self.outcome.sheet()
    }

    /// What a change comes to; the warnings are part of it.
    pub fn facts(&self) -> Facts {
        Facts { warnings: self.warnings.clone(), ..self.outcome.facts() }
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reply { outcome, warnings, trouble, exit_code: _, allowed: _, is_for_models: _ } = self;
        let json = outcome.json();
        formatter
            .debug_struct("Reply")
            .field("json", &json)
            .field("warnings", warnings)
            .field("trouble", trouble)
            .finish()
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
    alive::after(entry, project);
    if result.is_ok() {
        report_set_aside(project);
    }
    let result = result.map(|mut reply| {
        reply.warnings.append(&mut project.notes);
        // Damage in what an answer is made of, where the operation has no place of its own for it.
        for problem in project.noticed_problems() {
            if !reply.warnings.contains(&problem) {
                reply.warnings.push(problem);
            }
        }
        if entry.is_for_models || project.door == Door::Mcp {
            reply.allowed = project.allowed();
        }
        reply.is_for_models = entry.is_for_models && project.door != Door::Mcp;
        if reply.is_for_models {
            reply.warnings.iter_mut().for_each(|warning| leaving::clean(warning, &reply.allowed));
        }
        reply
    });
    project.close();
    result
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
        Effect::Brake | Effect::Seek => prepared.run(project),
        Effect::Found => {
            project.refuse_paused()?;
            prepared.run(project)
        }
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
        Effect::Steps => {
            project.open_to_amend()?;
            project.note_config_problems();
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
    use crate::Place;
    use crate::sample::Water;

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
        assert_eq!(reply.json(), water(json!({"plant": "fern", "litres": 2})).unwrap().json());
    }

    #[test]
    fn warnings_are_part_of_the_json() {
        let reply = water(json!({"plant": "fern", "litres": 2})).unwrap();
        assert_eq!(reply.json(), json!({"plant": "fern", "litres": 2, "warnings": ["it splashed"]}));
        let reply = water(json!({"plant": "fern", "litres": 2, "gently": true})).unwrap();
        assert_eq!(reply.json(), json!({"plant": "fern", "litres": 2}));
    }

    #[test]
    fn a_panic_becomes_an_error() {
        let error = water(json!({"plant": "triffid"})).unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Failure, "internal error in `plant.water`"));
        assert_eq!(error.detail_lines(), ["triffids are not plants"]);
    }
}
