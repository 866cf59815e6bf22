//! Who had which number, as far as anybody but the files knows.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashSet};

use handoff_model::history::{Changed, FileState};
use handoff_model::id::TaskId;
use handoff_model::name::read_name;
use handoff_model::task::Task;

use crate::layout::{TASK_FILE, TASKS};
use crate::root::split;
use crate::store::Store;

/// What is known of numbers beside what files and directories say.
pub(crate) struct Numbers<'a> {
    store: &'a Store,
    /// Numbers that were given out below a task, or at the top, and must not be given out again
    floors: BTreeMap<Option<TaskId>, u32>,
    /// Which task was given which number, as the log tells; read when it is asked for
    given: OnceCell<HashSet<(TaskId, u32)>>,
}

impl Numbers<'_> {
    pub(super) fn of(store: &Store) -> Numbers<'_> {
        Numbers { store, floors: store.floors(), given: OnceCell::new() }
    }

    /// The highest number that was ever given out below a task, as far as it is kept.
    pub(crate) fn floor(&self, parent: Option<TaskId>) -> u32 {
        self.floors.get(&parent).copied().unwrap_or(0)
    }

    /// Whether handoff gave a task this number.
    pub(crate) fn was_given(&self, id: TaskId, ordinal: u32) -> bool {
        self.given.get_or_init(|| self.logged()).contains(&(id, ordinal))
    }

    /// Whether a task was last seen with this number.
    pub(crate) fn was_seen(&self, id: TaskId, parent: Option<TaskId>, ordinal: u32) -> bool {
        let seen = self.store.locator().by_id(id);
        seen.is_some_and(|seen| seen.parent == parent && seen.ordinal == ordinal)
    }

    fn logged(&self) -> HashSet<(TaskId, u32)> {
        let mut given = HashSet::new();
        // A log that cannot be read is no witness.
        for logged in self.store.history().into_iter().flatten() {
            let Changed { files, moves } = logged.entry.changed();
            for file in files {
                let after = file.after.as_ref().and_then(number_in);
                if after != file.before.as_ref().and_then(number_in) {
                    given.extend(after);
                }
            }
            for moved in moves {
                let (before, after) = (number_of(&moved.from), number_of(&moved.to));
                if let (Some(task), Some(ordinal), true) = (moved.task, after, after != before) {
                    given.insert((task.id, ordinal));
                }
            }
        }
        given
    }
}

/// The task a file tells of, and its number by its name or its field.
fn number_in(state: &FileState) -> Option<(TaskId, u32)> {
    let (dir, name) = split(&state.path);
    if name != TASK_FILE || !state.path.starts_with(TASKS) {
        return None;
    }
    let task = Task::read(state.text.as_deref()?).ok()?.0;
    Some((task.id, number_of(dir).or(task.number)?))
}

fn number_of(dir: &str) -> Option<u32> {
    Some(read_name(split(dir).1).number?.ordinal())
}
