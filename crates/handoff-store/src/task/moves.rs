//! Moves as a part of a change.
//!
//! **Invariant:** what else a change does is done first, with everything where it lies before the change; the moves come
//! last, one after another. So whatever is staged names one place for each task, however many of them are moved.

use handoff_model::id::TaskId;
use handoff_model::name::{Layout, status_name};
use handoff_model::number::Number;

use super::find::Found;
use crate::error::Result;
use crate::root::{Root, join, split};
use crate::step::Step;
use crate::store::{Change, Store, name_of};

/// The directory of a task that goes elsewhere. Both paths are those before the change.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    pub(crate) id: TaskId,
    pub(crate) from: String,
    pub(crate) into: String,
    pub(crate) name: String,
}

impl Change {
    /// Stages a move; of two of one task the last counts.
    pub(crate) fn move_dir(&mut self, id: TaskId, from: &str, to: &str) {
        let (into, name) = split(to);
        self.moves.retain(|staged| staged.id != id);
        self.moves.push(Move { id, from: from.to_owned(), into: into.to_owned(), name: name.to_owned() });
    }

    /// Everything there is to do, in order. A file that comes into a directory which is not there brings it along, so
    /// that both can be taken back.
    pub(crate) fn all_steps(&self, root: &Root) -> Vec<Step> {
        let mut made: Vec<String> = Vec::new();
        let with_directory = |step: &Step| match step {
            Step::NewDir { path, .. } => {
                made.push(path.clone());
                step.clone()
            }
            Step::Put { path, before: None, after } if is_missing(root, split(path).0, &made) => {
                let (dir, name) = split(path);
                made.push(dir.to_owned());
                Step::NewDir { path: dir.to_owned(), name: name.to_owned(), text: after.clone() }
            }
            step => step.clone(),
        };
        let mut steps: Vec<Step> = self.steps.iter().map(with_directory).collect();
        let mut done = Vec::new();
        for Move { from, into, name, .. } in &self.moves {
            let (from, to) = (after(&done, from), join(&after(&done, into), name));
            steps.push(Step::MoveDir { from: from.clone(), to: to.clone() });
            done.push((from, to));
        }
        steps
    }

    /// Whether a move is not all that is done to tasks, so that names and places depend on the rest of the change.
    pub(crate) fn is_mixed(&self) -> bool {
        let others = |moved: &Move| self.staged.iter().any(|staged| staged.task.id != moved.id);
        self.moves.len() > 1 || self.moves.iter().any(others)
    }
}

fn is_missing(root: &Root, dir: &str, made: &[String]) -> bool {
    !dir.is_empty() && !dir.contains('/') && !made.iter().any(|made| made == dir) && !root.exists(dir)
}

/// Where a path leads after directories were renamed, one after another.
pub(crate) fn after(renamed: &[(String, String)], path: &str) -> String {
    renamed.iter().fold(path.to_owned(), |path, (from, to)| match path.strip_prefix(from.as_str()) {
        Some("") => to.clone(),
        Some(below) if below.starts_with('/') => format!("{to}{below}"),
        _ => path,
    })
}

impl Store {
    /// The place a task will have, where what is staged moves it or something above it.
    pub(crate) fn with_place(&self, mut found: Found) -> Result<Found> {
        if let Some(staged) = self.staged(found.task.id) {
            found.parent = staged.parent;
            found.number = staged.number.clone();
        }
        if self.change.has_moved {
            let above = found.parent.map(|id| self.find(&id.into())).transpose()?;
            found.number = Number::under(above.as_ref().map(|above| &above.number), found.number.ordinal());
        }
        Ok(found)
    }

    /// Whether a task is another one, or lies anywhere below it.
    pub(crate) fn is_below(&self, found: &Found, id: TaskId) -> Result<bool> {
        let mut at = Some(found.clone());
        while let Some(found) = at {
            if found.task.id == id {
                return Ok(true);
            }
            at = found.parent.map(|id| self.find(&id.into())).transpose()?;
        }
        Ok(false)
    }

    /// Lets all names follow what the files say, and tells which did. Only a view: a name that cannot is left as it is.
    pub(crate) fn put_names_right(&self) -> Vec<(String, String)> {
        let mut renamed = Vec::new();
        if self.layout() != Layout::Status {
            return renamed;
        }
        let Ok(forest) = self.forest() else { return renamed };
        for node in forest.walk() {
            let dir = after(&renamed, &node.dir);
            let wanted = status_name(&node.number, node.task.status, &node.task.title);
            let to = join(split(&dir).0, &wanted);
            if name_of(&dir) != wanted && self.root.rename_to_free(&dir, &to).is_ok() {
                renamed.push((dir, to));
            }
        }
        renamed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_followed_through_what_was_renamed_above_it() {
        let renamed =
            [("tasks/a", "tasks/b/a"), ("tasks/b", "tasks/c")].map(|(from, to)| (from.to_owned(), to.to_owned()));
        assert_eq!(after(&renamed, "tasks/a/x"), "tasks/c/a/x");
        assert_eq!(after(&renamed, "tasks/a"), "tasks/c/a");
        assert_eq!(after(&renamed, "tasks/ab"), "tasks/ab");
    }
}
