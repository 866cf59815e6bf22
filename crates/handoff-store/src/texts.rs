//! The texts that others may come to read: those a change writes, and all that git would carry.

use std::borrow::Cow;

use handoff_model::MAX_BODY_BYTES;

use crate::error::{Result, StoreError};
use crate::layout::{CURRENT_STATE, GITIGNORE, PAUSE};
use crate::root::{join, split};
use crate::step::Step;
use crate::store::Store;
use crate::sys::{Handle, Kind};

/// What a change that is staged does to texts.
#[derive(Debug, Default)]
pub struct StagedTexts<'a> {
    /// Files as they will be, by their path
    pub written: Vec<(String, Cow<'a, str>)>,
    /// Texts that were there before, wherever they stood
    pub known: Vec<&'a str>,
}

/// Directories deeper than this are not looked into.
const DEEPEST: usize = 48;

impl Store {
    /// The texts of the change that is staged, without what belongs to this machine alone.
    pub fn staged_texts(&self) -> StagedTexts<'_> {
        let mut texts = StagedTexts::default();
        let brought_out: Vec<&str> = (self.change.steps.iter())
            .filter_map(|step| match step {
                Step::MoveDir { from, to } if !travels(from) => Some(to.as_str()),
                _ => None,
            })
            .collect();
        for step in &self.change.steps {
            match step {
                Step::Put { path, before, after } => {
                    // What was here for this machine alone is new to others.
                    let was_hidden =
                        brought_out.iter().any(|dir| path.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/')));
                    texts.known.extend(before.as_deref().filter(|_| !was_hidden));
                    if travels(path) {
                        texts.written.push((path.clone(), Cow::Borrowed(after)));
                    }
                }
                Step::NewDir { path, name, text } if travels(path) => {
                    texts.written.push((join(path, name), Cow::Borrowed(text)));
                }
                Step::Remove { before, .. } => texts.known.push(before),
                Step::RemoveDir { text, .. } => texts.known.push(text),
                Step::MoveDir { from, to } => self.moved_out(from, to, &mut texts),
                Step::NewDir { .. } => {}
            }
        }
        let bodies = self.change.bodies.iter().map(|(path, body)| (path.clone(), Cow::Borrowed(body.as_str())));
        texts.written.extend(bodies);
        for moved in &self.change.moves {
            self.moved_out(&moved.from, &join(&moved.into, &moved.name), &mut texts);
        }
        texts
    }

    /// What comes from where only this machine looks to where others do, such as a task out of the trash.
    fn moved_out(&self, from: &str, to: &str, texts: &mut StagedTexts<'_>) {
        if travels(from) || !travels(to) {
            return;
        }
        let mut found = Vec::new();
        let Ok(dir) = self.root.dir(from) else {
            // A session lies in the trash as its files.
            let (above, name) = split(from);
            let bytes = self.root.dir(above).and_then(|dir| dir.read(name, MAX_BODY_BYTES)).unwrap_or_default();
            texts.written.push((to.to_owned(), Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())));
            return;
        };
        // What cannot be read cannot be moved either, and then nothing leaves.
        let _ = self.below(&dir, to, 0, &mut found);
        texts.written.extend(found.into_iter().map(|(path, text)| (path, Cow::Owned(text))));
    }

    /// Every text that git would carry, in the order of the paths. What is no text is read as far as it is one.
    pub fn travelling_texts(&self) -> Result<Vec<(String, String)>> {
        let mut found = Vec::new();
        self.below(self.root.handle(), "", 0, &mut found)?;
        found.sort();
        Ok(found)
    }

    fn below(&self, dir: &Handle, path: &str, depth: usize, found: &mut Vec<(String, String)>) -> Result<()> {
        self.stop.check()?;
        let failed = |at: &str| {
            let at = at.to_owned();
            move |source| StoreError::read(&at, source)
        };
        for entry in dir.list().map_err(failed(path))? {
            let at = join(path, &entry.name);
            if !travels(&at) {
                continue;
            }
            match entry.kind {
                Kind::Directory if depth < DEEPEST => {
                    let inner = dir.open_dir(&entry.name).map_err(failed(&at))?;
                    self.below(&inner, &at, depth + 1, found)?;
                }
                Kind::File => {
                    let bytes = dir.read(&entry.name, MAX_BODY_BYTES).map_err(failed(&at))?;
                    found.push((at, String::from_utf8_lossy(&bytes).into_owned()));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Whether a shared project shows this to others.
fn travels(path: &str) -> bool {
    !matches!(path, PAUSE | CURRENT_STATE | GITIGNORE | "local") && !path.starts_with("local/")
}
