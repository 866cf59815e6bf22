//! What mends something, and doing it in a picture.

use super::picture::Picture;
use crate::root::{join, split};
use crate::task::moves::after;

/// One thing to do. Paths are those at the beginning of a round.
#[derive(Clone, Debug)]
pub(crate) enum Mend {
    /// Give a file another text
    Put { path: String, text: String },
    /// Make a file
    NewFile { path: String, text: String },
    /// Make the directory of a task
    NewTask { dir: String, text: String },
    /// Rename a file or directory
    Move { from: String, to: String },
    /// Take something away into the backup
    Aside(String),
    /// One after another; nothing where the first cannot be
    All(Vec<Mend>),
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    /// It was so already
    Same,
    /// Something is in the way this time
    Refused,
}

/// Mending done in one round. Several findings may speak of one file, and the first has its way: a text that was made
/// from another than the present one would undo what came in between.
#[derive(Default)]
pub(crate) struct Round {
    moved: Vec<(String, String)>,
    written: Vec<String>,
}

impl Round {
    /// Does it in the picture.
    pub(crate) fn apply(&mut self, picture: &mut Picture, mend: &Mend) -> Outcome {
        match mend {
            Mend::Put { path, text } => {
                let now = after(&self.moved, path);
                if self.written.contains(path) || picture.text(&now).is_none() {
                    return Outcome::Refused;
                }
                self.written.push(path.clone());
                if picture.put(&now, text.clone()) { Outcome::Done } else { Outcome::Same }
            }
            Mend::NewFile { path, text } => {
                let now = self.target(path);
                if !picture.exists(&now) && picture.put(&now, text.clone()) { Outcome::Done } else { Outcome::Refused }
            }
            Mend::NewTask { dir, text } => {
                if picture.new_task(&self.target(dir), text.clone()) {
                    Outcome::Done
                } else {
                    Outcome::Refused
                }
            }
            Mend::Move { from, to } => {
                let (now, new) = (after(&self.moved, from), self.target(to));
                if !picture.rename(&now, &new) {
                    return Outcome::Refused;
                }
                self.moved.push((now, new));
                Outcome::Done
            }
            Mend::Aside(path) => {
                if picture.set_aside(&after(&self.moved, path)) {
                    Outcome::Done
                } else {
                    Outcome::Refused
                }
            }
            Mend::All(mends) => {
                let mut whole = Outcome::Same;
                for mend in mends {
                    match self.apply(picture, mend) {
                        Outcome::Done => whole = Outcome::Done,
                        Outcome::Same => {}
                        Outcome::Refused => return if whole == Outcome::Done { whole } else { Outcome::Refused },
                    }
                }
                whole
            }
        }
    }

    /// A new name lies in a directory that may itself have another name by now.
    fn target(&self, to: &str) -> String {
        let (dir, name) = split(to);
        join(&after(&self.moved, dir), name)
    }
}
