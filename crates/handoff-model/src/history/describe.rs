//! A change of files in words: which records, and what about them.

use std::collections::{BTreeSet, HashMap};

use super::{Changed, FileChange, FileState};
use crate::id::TaskId;

mod fields;
mod memory;
mod other;
mod session;
mod task;

/// The records a change concerns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Concerned {
    pub tasks: BTreeSet<TaskId>,
    /// Full names of sessions
    pub sessions: BTreeSet<String>,
}

/// What was done to one record.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Said {
    /// What several of the kind are called
    plural: &'static str,
    /// Which one
    subject: String,
    /// What became of it as a whole, such as `created`
    deed: Option<String>,
    /// What it says now that it did not say before
    fields: Vec<String>,
}

impl Said {
    fn about(subject: impl Into<String>, plural: &'static str) -> Said {
        Said { plural, subject: subject.into(), deed: None, fields: Vec::new() }
    }

    fn predicate(&self) -> String {
        let deed = self.deed.as_ref().map(|deed| format!(" {deed}")).unwrap_or_default();
        if self.fields.is_empty() { deed } else { format!("{deed}: {}", self.fields.join("; ")) }
    }
}

/// Records of which the same is said in so many sentences are counted in one.
const COUNTED: usize = 3;

impl Changed {
    /// The records it concerns, as far as what is known of it tells.
    pub fn concerned(&self) -> Concerned {
        let mut concerned = Concerned::default();
        task::concerned(self, &mut concerned.tasks);
        session::concerned(self, &mut concerned.sessions);
        concerned
    }
}

/// What a change came to, a sentence for each record. Empty when nothing changed.
pub fn describe(changed: &Changed) -> Vec<String> {
    let mut said = session::said(changed);
    said.extend(task::said(changed));
    said.extend(memory::said(changed));
    said.extend(other::said(changed, !said.is_empty()));
    let predicates: Vec<(&str, String)> = said.iter().map(|one| (one.plural, one.predicate())).collect();
    let mut alike: HashMap<&(&str, String), usize> = HashMap::new();
    for predicate in &predicates {
        *alike.entry(predicate).or_default() += 1;
    }
    let mut sentences: Vec<String> = Vec::new();
    for (one, said) in said.iter().zip(&predicates) {
        let (plural, predicate) = said;
        match alike.get(said) {
            // Told with the first of them.
            None => {}
            Some(count) if *count < COUNTED => sentences.push(format!("{}{predicate}", one.subject)),
            Some(count) => {
                sentences.push(format!("{count} {plural}{predicate}"));
                alike.remove(said);
            }
        }
    }
    sentences
}

impl FileChange {
    /// Where it lies, or lay.
    pub fn path(&self) -> &str {
        self.after.as_ref().or(self.before.as_ref()).map_or("", |state| state.path.as_str())
    }

    fn texts(&self) -> (Option<&str>, Option<&str>) {
        (text_of(self.before.as_ref()), text_of(self.after.as_ref()))
    }
}

fn text_of(state: Option<&FileState>) -> Option<&str> {
    state?.text.as_deref()
}

#[cfg(test)]
mod tests;
