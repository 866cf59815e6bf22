//! Staging changes of sessions.

use handoff_model::MAX_BODY_BYTES;
use handoff_model::problem::Problem;
use handoff_model::rev::Rev;
use handoff_model::session::Session;

use super::read::{FoundSession, SUFFIX, body_file};
use crate::error::{Result, StoreError};
use crate::layout::SESSIONS;
use crate::root::join;
use crate::step::Step;
use crate::store::{Store, check_size};

impl Store {
    /// Stages a new session, with its body if it has one.
    pub fn create_session(&mut self, mut session: Session, body: Option<String>) -> Result<FoundSession> {
        if let Some(body) = &body {
            session.body_check = Some(Session::check_of_body(body));
        }
        let name = session.full_name();
        let file = join(SESSIONS, &format!("{name}{SUFFIX}"));
        let text = session.print();
        check_size(&file, &text)?;
        self.change.steps.push(Step::Put { path: file.clone(), before: None, after: text.clone() });
        let rev = Rev::of(text.as_bytes());
        let found = FoundSession { name, session, rev, problem: None, archive: None, file, text, archived_body: None };
        if body.is_some() {
            self.save_session_body(&found, body)?;
        }
        Ok(found)
    }

    /// Stages what a session says now.
    pub fn save_session(&mut self, found: &FoundSession, session: &Session) -> Result<FoundSession> {
        if let Some(archive) = &found.archive {
            return Err(StoreError::Archived { name: found.name.clone(), archive: archive.clone() });
        }
        let text = session.write_over(&found.text).map_err(|error| {
            let reason = format!("cannot be changed: {}", error.reason);
            let problem = || Problem::damaged(&found.file, reason).at_line(error.line);
            StoreError::Damaged(found.problem.clone().unwrap_or_else(problem))
        })?;
        check_size(&found.file, &text)?;
        let saved = FoundSession { session: session.clone(), rev: Rev::of(text.as_bytes()), text, ..found.clone() };
        if saved.text != found.text {
            let (path, before, after) = (found.file.clone(), Some(found.text.clone()), saved.text.clone());
            self.change.steps.push(Step::Put { path, before, after });
        }
        Ok(saved)
    }

    /// Stages the free-form body of a session; `None` removes it.
    pub fn save_session_body(&mut self, found: &FoundSession, body: Option<String>) -> Result<()> {
        let path = body_file(&found.file);
        let before =
            self.root.read_text_within(&path, MAX_BODY_BYTES).map_err(|source| StoreError::read(&path, source))?;
        match (before, body) {
            (before, Some(after)) if before.as_deref() != Some(&after) => {
                check_size(&path, &after)?;
                self.change.steps.push(Step::Put { path, before, after });
            }
            (Some(before), None) => self.change.steps.push(Step::Remove { path, before }),
            _ => {}
        }
        Ok(())
    }

    /// Writes a file that can be made anew at any time; nothing depends on it.
    pub fn write_view(&self, path: &str, text: &str) {
        if self.file(path).ok().flatten().is_none_or(|(present, _)| present != text) {
            let _ = self.root.replace_loose(path, text.as_bytes());
        }
    }

    /// Has a file that can be made anew at any time written after the commit.
    pub fn put_view(&mut self, path: &str, text: String) {
        self.change.loose.push((path.to_owned(), text));
    }
}
