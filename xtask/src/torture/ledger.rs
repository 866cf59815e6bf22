//! What was acknowledged, and what a fresh process must therefore show.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::rig::{Sandbox, flatten, no_problems, only_lagging, text};

use super::deeds::Deed;

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

/// Acknowledged changes, applied.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger {
    pub(crate) alive: Facts,
    /// Deleted subtrees, by the task that was named.
    pub(crate) trash: BTreeMap<String, Facts>,
}

impl Ledger {
    /// Applies a change that was acknowledged; `created` is the id of a new task.
    pub(crate) fn apply(&mut self, deed: &Deed, created: &str) {
        match deed.clone() {
            Deed::Create { title, parent } => {
                let fact = Fact { title, parent, status: "todo".to_owned(), ..Fact::default() };
                self.alive.insert(created.to_owned(), fact);
            }
            Deed::Note { id, text } => self.edit(&id, |fact| fact.notes.push(text)),
            Deed::Status { id, status } => self.edit(&id, |fact| status.clone_into(&mut fact.status)),
            Deed::Title { id, title } => self.edit(&id, |fact| fact.title = title),
            Deed::Check { id, criterion } => self.edit(&id, |fact| {
                fact.checked.insert(criterion);
            }),
            Deed::Move { id, parent } => self.edit(&id, |fact| fact.parent = parent),
            Deed::Delete { id } => {
                let gone = self.subtree(&id).into_iter().filter_map(|id| self.alive.remove_entry(&id)).collect();
                self.trash.insert(id, gone);
            }
            Deed::Restore { id } => self.alive.extend(self.trash.remove(&id).unwrap_or_default()),
            Deed::Share | Deed::Unshare => {}
        }
    }

    fn edit(&mut self, id: &str, edit: impl FnOnce(&mut Fact)) {
        if let Some(fact) = self.alive.get_mut(id) {
            edit(fact);
        }
    }

    /// A task and everything below it.
    pub(crate) fn subtree(&self, id: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::from([id.to_owned()]);
        loop {
            let below = |fact: &Fact| fact.parent.as_ref().is_some_and(|parent| found.contains(parent));
            let more: Vec<String> = self
                .alive
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
            Some(parent) => self.alive.contains_key(parent) || others.contains(parent),
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
pub(crate) fn read_back(sandbox: &Sandbox, binary: &Path, names: Names) -> Result<Facts, String> {
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
    Ok(facts)
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
pub(crate) fn difference(expected: &Facts, actual: &Facts) -> Option<String> {
    let mut lines = Vec::new();
    for (id, fact) in expected {
        match actual.get(id) {
            None => lines.push(format!("task {id} `{}` is gone", fact.title)),
            Some(found) if found != fact => lines.push(format!("task {id} should be {fact:?} but is {found:?}")),
            Some(_) => {}
        }
    }
    for (id, fact) in actual {
        if !expected.contains_key(id) {
            lines.push(format!("task {id} `{}` should not be there", fact.title));
        }
    }
    (!lines.is_empty()).then(|| lines.into_iter().take(4).collect::<Vec<_>>().join("; "))
}
