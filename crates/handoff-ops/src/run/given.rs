//! What a run is given: read and checked before anything is written.

use handoff_model::session::body::{most_bytes, read_body};
use handoff_model::text::Prose;

use super::RunHandover;
use crate::place::Init;
use crate::{Hint, OpError, Project};

/// The word for standard input.
const INPUT: &str = "-";

impl RunHandover {
    /// Reads what stands for something else.
    pub(super) fn take_in(&mut self, project: &mut Project) -> Result<(), OpError> {
        self.note = self.note.take().or(self.typed_note.take());
        if self.note.as_deref() == Some(INPUT) {
            let bytes = project.desk.read_input(most_bytes);
            let bytes = bytes.map_err(|error| OpError::failure("standard input cannot be read").caused_by(error))?;
            let text = read_body(bytes)
                .map_err(|error| OpError::usage(format!("standard input cannot be the note: {error}")))?;
            self.note = Some(text.trim_start_matches('\u{feff}').to_owned());
        }
        if let Some(note) = &self.note {
            let checked: Result<Prose, _> = note.parse();
            checked.map_err(|error| OpError::usage(format!("the note cannot be kept: {error}")))?;
        }
        Ok(())
    }

    /// Whether something new is asked for, beside going on with what was cut short.
    pub(super) fn asks_for_more(&self) -> bool {
        self.note.is_some()
            || self.current_state.is_some()
            || self.title.is_some()
            || !self.next.is_empty()
            || self.session.is_some()
    }
}

/// The answer outside any project.
pub(super) fn no_project() -> OpError {
    OpError::not_found("no handoff project here or in a directory above: there is nothing to hand over")
        .hint(Hint::run::<Init>())
}
