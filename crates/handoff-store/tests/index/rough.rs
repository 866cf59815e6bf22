//! What the storm does not do: kills in the middle of a change, and times that are set by hand as a checkout may.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::time::Duration;

use handoff_model::id::TaskId;
use handoff_model::task::Task;
use handoff_store::{Store, StoreError};

use crate::storm::{Storm, find, replace};

impl Storm {
    /// Does something, more often than not what the storm does.
    pub(crate) fn rough_step(&mut self) -> String {
        let what = self.numbers.below(10);
        if what > 2 {
            return self.step();
        }
        let Ok(store) = Store::open(&self.root) else { return self.step() };
        let known: Vec<TaskId> = store.forest().unwrap().walk().iter().map(|node| node.task.id).collect();
        let files = find(&self.root.join("tasks"), true);
        let numbers = &mut self.numbers;
        let (Some(&one), Some(&other), Some(file)) = (numbers.of(&known), numbers.of(&known), numbers.of(&files))
        else {
            return self.step();
        };
        let text = fs::read_to_string(file).unwrap_or_default();
        let done = match what {
            0 => {
                let cut_after = numbers.below(4);
                return format!("cut after {cut_after}: {:?}", cut_off(store, one, other, cut_after));
            }
            1 => at_the_same_time(file, |file| fs::write(file, text.replacen("Task", "Tisk", 1))),
            _ => at_the_same_time(file, |file| replace(file, &text.replacen("todo", "done", 1))),
        };
        format!("rough {what} {} {done:?}", file.display())
    }
}

/// Begins to move a task and is killed after so many steps, if there are more.
fn cut_off(mut store: Store, one: TaskId, other: TaskId, cut_after: usize) -> Result<(), StoreError> {
    store.lock("test", Duration::from_secs(30))?;
    let found = store.find(&one.into())?;
    let target = store.find(&other.into())?;
    let task = Task { title: format!("Cut {cut_after}"), ..found.task.clone() };
    store.move_task_saying(&found, task, (one != other).then_some(&target))?;
    let cut = catch_unwind(AssertUnwindSafe(|| {
        store.commit(|done, _| {
            if done == cut_after {
                resume_unwind(Box::new(()));
            }
        })
    }));
    cut.unwrap_or(Ok(()))
}

/// Does something to a file and sets its time to what it was.
fn at_the_same_time(file: &Path, change: impl FnOnce(&Path) -> std::io::Result<()>) -> std::io::Result<()> {
    let before = fs::metadata(file)?.modified()?;
    change(file)?;
    fs::File::options().write(true).open(file)?.set_modified(before)
}
