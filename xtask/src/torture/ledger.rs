//! What was acknowledged, and what a fresh process must therefore show.

mod sessions;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::rig::{Sandbox, flatten, no_problems, only_lagging, text};

use super::deeds::{Deed, SessionDeed};
pub(crate) use sessions::{SessionFact, Sessions};

/// What a rig knows about one task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Fact {
    pub(crate) title: String,
    pub(crate) status: String,
    pub(crate) parent: Option<String>,
    pub(crate) notes: Vec<String>,
    /// Checked criteria, counted from 1.
    pub(crate) checked: BTreeSet<usize>,
}

pub(crate) type Facts = BTreeMap<String, Fact>;

/// What is there, as far as a rig knows or a fresh process shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) tasks: Facts,
    pub(crate) sessions: Sessions,
}

/// What a change made, by its ids; empty where it made nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Made {
    pub(crate) task: String,
    pub(crate) session: String,
}

impl Made {
    /// As an answer tells it.
    pub(crate) fn by(deed: &Deed, answer: &Value) -> Self {
        match deed {
            Deed::Session(_) => Self { task: text(&answer["changed_tasks"][0], "id"), session: text(answer, "id") },
            _ => Self { task: text(answer, "id"), session: String::new() },
        }
    }

    /// As it is found where nobody was told.
    pub(crate) fn between(before: &State, after: &State) -> Self {
        let task = after.tasks.keys().find(|id| !before.tasks.contains_key(*id));
        let session = after.sessions.keys().find(|id| !before.sessions.contains_key(*id));
        Self { task: task.cloned().unwrap_or_default(), session: session.cloned().unwrap_or_default() }
    }
}

/// Acknowledged changes, applied.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger {
    pub(crate) now: State,
    /// Deleted subtrees, by the task that was named.
    pub(crate) trash: BTreeMap<String, Facts>,
}

impl Ledger {
    /// Applies a change that was acknowledged.
    pub(crate) fn apply(&mut self, deed: &Deed, made: &Made) {
        match deed.clone() {
            Deed::Create { title, parent } => {
                let fact = Fact { title, parent, status: "todo".to_owned(), ..Fact::default() };
                self.now.tasks.insert(made.task.clone(), fact);
            }
            Deed::Note { id, text } => self.edit(&id, |fact| fact.notes.push(text)),
            Deed::Status { id, status } => self.edit(&id, |fact| status.clone_into(&mut fact.status)),
            Deed::Title { id, title } => self.edit(&id, |fact| fact.title = title),
            Deed::Check { id, criterion } => self.edit(&id, |fact| {
                fact.checked.insert(criterion);
            }),
            Deed::Move { id, parent } => self.edit(&id, |fact| fact.parent = parent),
            Deed::Delete { id } => {
                let gone = self.subtree(&id).into_iter().filter_map(|id| self.now.tasks.remove_entry(&id)).collect();
                self.trash.insert(id, gone);
            }
            Deed::Restore { id } => self.now.tasks.extend(self.trash.remove(&id).unwrap_or_default()),
            Deed::Share | Deed::Unshare => {}
            Deed::Session(deed) => {
                if let SessionDeed::SaveWithTasks { summary, title, note_in } = &deed {
                    let fact = Fact { title: title.clone(), status: "todo".to_owned(), ..Fact::default() };
                    self.now.tasks.insert(made.task.clone(), fact);
                    if let Some(id) = note_in {
                        self.edit(id, |fact| fact.notes.push(SessionDeed::note_beside(summary)));
                    }
                }
                sessions::apply(&mut self.now.sessions, &deed, made);
            }
        }
    }

    fn edit(&mut self, id: &str, edit: impl FnOnce(&mut Fact)) {
        if let Some(fact) = self.now.tasks.get_mut(id) {
            edit(fact);
        }
    }

    /// A task and everything below it.
    pub(crate) fn subtree(&self, id: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::from([id.to_owned()]);
        loop {
            let below = |fact: &Fact| fact.parent.as_ref().is_some_and(|parent| found.contains(parent));
            let more: Vec<String> = self
                .now
                .tasks
                .iter()
                .filter(|(id, fact)| below(fact) && !found.contains(*id))
                .map(|(id, _)| id.clone())
                .collect();
            if more.is_empty() {
                return found;
            }
            found.extend(more);
        }
    }

    /// Deleted tasks that can come back to where they were; `others` are tasks that are never deleted.
    pub(crate) fn restorable(&self, others: &[String]) -> Vec<&String> {
        let has_place = |id: &String, facts: &Facts| match &facts[id].parent {
            Some(parent) => self.now.tasks.contains_key(parent) || others.contains(parent),
            None => true,
        };
        self.trash.iter().filter(|(id, facts)| has_place(id, facts)).map(|(id, _)| id).collect()
    }
}

/// Whether directory names may lag behind the files in them: after an interruption they may, by design.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    Exact,
    MayLag,
}

/// Lists everything in a fresh process; an error when anything is reported damaged or mended.
pub(crate) fn list(sandbox: &Sandbox, binary: &Path, names: Names) -> Result<Value, String> {
    let finished = sandbox.run(binary, &["task", "list", "--all", "--json"]).map_err(|error| error.to_string())?;
    if !finished.succeeded() {
        return Err(format!("`task list` fails with {}", finished.brief()));
    }
    let list = finished.json()?;
    match names {
        Names::Exact => no_problems(&list, "task list")?,
        Names::MayLag => drop(only_lagging(&list)?),
    }
    Ok(list)
}

/// Reads everything back in fresh processes.
pub(crate) fn read_back(sandbox: &Sandbox, binary: &Path, names: Names) -> Result<State, String> {
    let list = list(sandbox, binary, names)?;
    let mut facts = Facts::new();
    let mut numbers = BTreeSet::new();
    for task in flatten(&list) {
        let id = text(task, "id");
        if !numbers.insert(text(task, "number")) {
            return Err(format!("two tasks have the number {}", text(task, "number")));
        }
        let shown = sandbox.run(binary, &["task", "show", &id, "--json"]).map_err(|error| error.to_string())?;
        if !shown.succeeded() {
            return Err(format!("`task show {id}` fails with {}", shown.brief()));
        }
        if facts.insert(id.clone(), fact(&shown.json()?)).is_some() {
            return Err(format!("two tasks have the id {id}"));
        }
    }
    Ok(State { tasks: facts, sessions: sessions::read_back(sandbox, binary)? })
}

fn fact(task: &Value) -> Fact {
    let items = |key: &str| task[key].as_array().cloned().unwrap_or_default();
    Fact {
        title: text(task, "title"),
        status: text(task, "status"),
        parent: task["parent"].as_str().map(str::to_owned),
        notes: items("notes").iter().map(|note| text(note, "text")).collect(),
        checked: items("done_criteria")
            .iter()
            .enumerate()
            .filter(|(_, criterion)| criterion["checked"] == true)
            .map(|(index, _)| index + 1)
            .collect(),
    }
}

/// The first few differences between what must be there and what is.
pub(crate) fn difference(expected: &State, actual: &State) -> Option<String> {
    let mut lines = sessions::differences(&expected.sessions, &actual.sessions);
    for (id, fact) in &expected.tasks {
        match actual.tasks.get(id) {
            None => lines.push(format!("task {id} `{}` is gone", fact.title)),
            Some(found) if found != fact => lines.push(format!("task {id} should be {fact:?} but is {found:?}")),
            Some(_) => {}
        }
    }
    for (id, fact) in &actual.tasks {
        if !expected.tasks.contains_key(id) {
            lines.push(format!("task {id} `{}` should not be there", fact.title));
        }
    }
    (!lines.is_empty()).then(|| lines.into_iter().take(4).collect::<Vec<_>>().join("; "))
}
