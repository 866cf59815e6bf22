//! Staging tasks that come from outside as the files they were.

use handoff_model::MAX_DEPTH;
use handoff_model::number::Number;
use handoff_model::problem::Problem;
use handoff_model::rev::Rev;
use handoff_model::task::Task;

use super::find::Found;
use crate::error::{Result, StoreError};
use crate::layout::TASK_FILE;
use crate::root::{join, split};
use crate::step::Step;
use crate::store::{Store, check_size};

impl Store {
    /// Stages a task with the text its file had elsewhere, except for the fields that tell its place.
    ///
    /// An ordinal that is given must be free; without one it is put at the end of its siblings.
    pub fn adopt_task(&mut self, parent: Option<&Found>, text: &str, ordinal: Option<u32>) -> Result<Found> {
        let said = read(text)?;
        let above = parent.map(|parent| &parent.number);
        let depth = above.map_or(0, |number| number.ordinals().len()) + 1;
        if depth > MAX_DEPTH {
            return Err(StoreError::TooDeep { id: said.id, depth });
        }
        let ordinal = match ordinal {
            Some(ordinal) => ordinal,
            None => self.next_ordinal(parent.map(|parent| (parent.task.id, parent.dir.as_str())))?,
        };
        let number = Number::under(above, ordinal);
        let parent_id = parent.map(|parent| parent.task.id);
        let mut task = said.clone();
        let dir = self.place(&mut task, parent.map(|parent| parent.dir.as_str()), parent_id, &number);
        let text = saying(&task, &said, text)?;
        check_size(&join(&dir, TASK_FILE), &text)?;
        self.change.steps.push(Step::NewDir { path: dir.clone(), name: TASK_FILE.to_owned(), text: text.clone() });
        self.note_place(task.id, parent_id, ordinal, &dir);
        self.note_highest(parent_id, split(&dir).0, ordinal);
        let adopted =
            Found { rev: Rev::of(text.as_bytes()), task, number, parent: parent_id, problem: None, dir, text };
        self.stage(adopted.clone());
        Ok(adopted)
    }

    /// Stages another text for a task that is there; it stays where it is.
    pub fn replace_task(&mut self, found: &Found, text: &str) -> Result<Found> {
        let said = read(text)?;
        let mut task = said.clone();
        (task.parent, task.number) = (found.task.parent, found.task.number);
        let text = saying(&task, &said, text)?;
        if task.id != found.task.id {
            return Err(StoreError::InTheWay { path: found.dir.clone() });
        }
        check_size(&found.file(), &text)?;
        // First as if it said the same in its own words: that settles the name of its directory.
        let mut saved = self.save_task(found, &task)?;
        let file = found.file();
        self.change.steps.retain(|step| !matches!(step, Step::Put { path, .. } if *path == file));
        if text != found.text {
            let (before, after) = (Some(found.text.clone()), text.clone());
            self.change.steps.push(Step::Put { path: file, before, after });
        }
        (saved.rev, saved.text) = (Rev::of(text.as_bytes()), text);
        Ok(saved)
    }
}

fn read(text: &str) -> Result<Task> {
    Task::read(text).map(|(task, _)| task).map_err(|error| unreadable(error.reason, error.line))
}

fn saying(task: &Task, said: &Task, text: &str) -> Result<String> {
    if task == said {
        Ok(text.to_owned())
    } else {
        task.write_over(text).map_err(|error| unreadable(error.reason, error.line))
    }
}

fn unreadable(reason: String, line: Option<usize>) -> StoreError {
    StoreError::Damaged(Problem::damaged(TASK_FILE, reason).at_line(line))
}
