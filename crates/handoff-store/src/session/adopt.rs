//! Staging sessions that come from outside as the files they were.

use handoff_model::problem::Problem;
use handoff_model::rev::Rev;
use handoff_model::session::Session;
use handoff_model::{MAX_BODY_BYTES, MAX_FILE_BYTES};

use super::read::{FoundSession, SUFFIX, body_file};
use crate::error::{Result, StoreError};
use crate::layout::SESSIONS;
use crate::root::join;
use crate::step::Step;
use crate::store::{Store, check_size};

impl Store {
    /// Stages a session with the text its file had elsewhere, under the name it had there if it can have that here.
    pub fn adopt_session(&mut self, name: &str, text: String, body: Option<String>) -> Result<FoundSession> {
        let session = read(name, &text)?;
        let name = if session.can_be_called(name) { name.to_owned() } else { session.full_name() };
        let file = join(SESSIONS, &format!("{name}{SUFFIX}"));
        check_size(&file, &text)?;
        if let Some(body) = body.as_ref().filter(|body| body.len() > MAX_BODY_BYTES) {
            return Err(StoreError::BodyTooLarge { path: body_file(&file), size: body.len() });
        }
        if self.root.exists(&file) {
            return Err(StoreError::InTheWay { path: file });
        }
        self.change.steps.push(Step::Put { path: file.clone(), before: None, after: text.clone() });
        let rev = Rev::of(text.as_bytes());
        let found = FoundSession { name, session, rev, problem: None, archive: None, file, text, archived_body: None };
        match body {
            Some(body) if body.len() > MAX_FILE_BYTES => self.change.bodies.push((body_file(&found.file), body)),
            None => {}
            body => self.save_session_body(&found, body)?,
        }
        Ok(found)
    }

    /// Stages another text, and perhaps another body, for a session that is there. One in an archive comes out of it.
    pub fn replace_session(&mut self, found: &FoundSession, text: String, body: Option<String>) -> Result<()> {
        let found = self.restore_session(found)?;
        let session = read(&found.name, &text)?;
        if session.id != found.session.id {
            return Err(StoreError::InTheWay { path: found.file });
        }
        check_size(&found.file, &text)?;
        if text != found.text {
            let (path, before) = (found.file.clone(), Some(found.text.clone()));
            self.change.steps.push(Step::Put { path, before, after: text });
        }
        self.save_session_body(&found, body)
    }

    /// The bytes of a session's body, also where they are no text.
    pub fn session_body_bytes(&self, found: &FoundSession) -> Result<Option<Vec<u8>>> {
        let text = self.session_body(found)?;
        found
            .session
            .body_bytes(text)
            .map_err(|error| StoreError::Damaged(Problem::damaged(found.file(), error.to_string())))
    }
}

fn read(name: &str, text: &str) -> Result<Session> {
    Session::read(text)
        .map_err(|error| StoreError::Damaged(Problem::damaged(name, error.reason.clone()).at_line(error.line)))
}
