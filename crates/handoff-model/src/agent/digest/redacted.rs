//! A digest whose texts hold no secret any more, before anything is made of them or written down.

use super::{Digest, Failure, Prompt, Ran, Said, Todo};
use crate::secret::redact;

impl Digest {
    /// The same digest without secrets. A file whose name holds one is left out.
    #[must_use]
    pub fn redacted(mut self) -> Digest {
        let digest = &mut self;
        let clean = |text: &mut String| {
            let redacted = redact(text).into_owned();
            *text = redacted;
        };
        let about = &mut digest.about;
        for text in [&mut about.title, &mut about.branch, &mut about.model, &mut about.version].into_iter().flatten() {
            clean(text);
        }
        for Prompt { text, .. } in &mut digest.prompts {
            clean(text);
        }
        let said = digest.earlier_answers.iter_mut().chain(&mut digest.answer).chain(&mut digest.plan);
        for Said { text, .. } in said {
            clean(text);
        }
        for Ran { command, tail, .. } in &mut digest.commands {
            clean(command);
            tail.iter_mut().for_each(clean);
        }
        for Todo { text, .. } in &mut digest.todos {
            clean(text);
        }
        for Failure { what, .. } in &mut digest.failures {
            clean(what);
        }
        digest.loose.outputs().for_each(clean);
        digest.files.retain(|file| crate::secret::find(&file.path).is_empty());
        self
    }
}
