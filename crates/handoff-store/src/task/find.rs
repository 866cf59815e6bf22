//! Finding one task, by the locator where it can be trusted and by reading everything where it cannot.

use handoff_model::id::{TaskId, TaskRef};
use handoff_model::name::{Layout, read_name};
use handoff_model::number::{MAX_ORDINAL, Number};
use handoff_model::problem::{Problem, Severity};
use handoff_model::rev::Rev;
use handoff_model::task::Task;

use super::forest::{Forest, Node};
use super::scan::read_leniently;
use crate::commit;
use crate::error::{Result, StoreError, TaskLine};
use crate::layout::{TASK_FILE, TASKS};
use crate::root::{join, split};
use crate::store::Store;
use crate::sys::Kind;

/// A task as it lies on disk at this moment, with what is needed to change it.
#[derive(Clone, Debug)]
pub struct Found {
    pub task: Task,
    pub number: Number,
    pub parent: Option<TaskId>,
    pub rev: Rev,
    /// What had to be read differently from how it is written
    pub problem: Option<Problem>,
    pub(crate) dir: String,
    pub(crate) text: String,
}

impl Found {
    /// Where its file lies, relative to the store.
    pub fn file(&self) -> String {
        join(&self.dir, TASK_FILE)
    }

    /// The text of its file.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn line(&self) -> TaskLine {
        TaskLine { id: self.task.id, number: Some(self.number.clone()), title: self.task.title.clone() }
    }

    /// The text of its file when it shall say `task`. A file that could only be read in part is not written over.
    pub(crate) fn text_saying(&self, task: &Task) -> Result<String> {
        task.write_over(&self.text).map_err(|error| {
            let problem =
                || Problem::damaged(self.file(), format!("cannot be changed: {}", error.reason)).at_line(error.line);
            StoreError::Damaged(self.problem.clone().unwrap_or_else(problem))
        })
    }
}

/// The tasks directly under one.
#[derive(Debug)]
pub struct Children {
    pub tasks: Vec<Task>,
    /// Something below it that cannot be read, so that nothing can be said about it
    pub damaged: Option<Problem>,
    /// Other things that are wrong with files below it
    pub problems: Vec<Problem>,
}

impl Store {
    /// Finds a task.
    ///
    /// What is staged in the same change counts as done: the task comes as it will be.
    pub fn find(&self, wanted: &TaskRef) -> Result<Found> {
        if let Some(created) = self.staged_as_new(wanted) {
            return self.with_place(created.clone());
        }
        let mut found = self.find_on_disk(wanted)?;
        if let Some(staged) = self.staged(found.task.id) {
            found.task = staged.task.clone();
            found.rev = staged.rev;
        }
        self.with_place(found)
    }

    pub(crate) fn staged(&self, id: TaskId) -> Option<&Found> {
        self.change.staged_at.get(&id).map(|&place| &self.change.staged[place])
    }

    fn staged_as_new(&self, wanted: &TaskRef) -> Option<&Found> {
        let is_new = |staged: &&Found| self.is_staged_as_new(&staged.dir);
        match wanted {
            TaskRef::Id(id) => self.staged(*id).filter(is_new),
            TaskRef::Number(number) => self.change.staged.iter().filter(|staged| staged.number == *number).find(is_new),
            TaskRef::Prefix(_) => None,
        }
    }

    fn find_on_disk(&self, wanted: &TaskRef) -> Result<Found> {
        if let Some(forest) = self.known_forest()
            && let Ok(node) = forest.resolve(wanted)
        {
            match self.found_at(node) {
                // It changed between the two; reading everything tells what it is now.
                Err(StoreError::ChangedUnderway { .. }) => {}
                found => return found,
            }
        }
        // Beside a change that is under way or was cut off, one task alone may be seen half changed.
        if !commit::is_pending(&self.root)
            && let Some(found) = self.find_quickly(wanted)
        {
            return Ok(found);
        }
        let forest = self.forest()?;
        let node = match forest.resolve(wanted) {
            Ok(node) => node,
            Err(error) => return Err(self.hidden_by_damage(wanted, &forest).unwrap_or(error)),
        };
        let found = self.found_at(node)?;
        self.remember(&forest);
        Ok(found)
    }

    fn find_quickly(&self, wanted: &TaskRef) -> Option<Found> {
        // A directory that came from elsewhere may be a newer copy, or a task that says by a field where it belongs.
        if !self.is_plain() {
            return None;
        }
        match wanted {
            TaskRef::Id(id) => self.find_by_id(*id),
            TaskRef::Number(number) if self.layout() == Layout::Status => self.find_by_number(number),
            TaskRef::Number(_) | TaskRef::Prefix(_) => None,
        }
    }

    fn find_by_id(&self, id: TaskId) -> Option<Found> {
        match self.layout() {
            Layout::Status => {
                let dir = self.located_dir(id)?;
                self.found_by_path(&dir).filter(|found| found.task.id == id)
            }
            Layout::Stable => self.found_by_fields(id),
        }
    }

    /// The directory a task was last seen in, from the root down.
    fn located_dir(&self, id: TaskId) -> Option<String> {
        let locator = self.locator();
        let mut names = Vec::new();
        let mut at = Some(id);
        while let Some(id) = at {
            if names.len() > handoff_model::MAX_DEPTH {
                return None;
            }
            let located = locator.by_id(id)?;
            names.push(located.name);
            at = located.parent;
        }
        names.push(TASKS.to_owned());
        names.reverse();
        Some(names.join("/"))
    }

    fn find_by_number(&self, number: &Number) -> Option<Found> {
        let mut dir = TASKS.to_owned();
        let mut parent = None;
        for &ordinal in number.ordinals() {
            let name = self.name_by_ordinal(&dir, parent, ordinal)?;
            dir = join(&dir, &name);
            parent = self.read_task(&dir).map(|(task, _, _)| task.id);
            parent?;
        }
        self.found_by_path(&dir)
    }

    /// The one directory with this ordinal. Unclear cases are left to the reading of everything.
    fn name_by_ordinal(&self, dir: &str, parent: Option<TaskId>, ordinal: u32) -> Option<String> {
        let handle = self.root.dir(dir).ok()?;
        let unchanged = self
            .locator()
            .highest(parent)
            .is_some_and(|highest| handle.changed_at().is_ok_and(|changed_at| changed_at == highest.changed_at));
        if unchanged && let Some(located) = self.locator().by_ordinal(parent, ordinal) {
            return Some(located.name);
        }
        let mut found = None;
        for entry in handle.list().ok()?.into_iter().filter(|entry| entry.kind == Kind::Directory) {
            let Some(here) = read_name(&entry.name).number else {
                // A directory without a number may be a task that claims one in its file.
                return None;
            };
            if here.ordinal() == ordinal && found.replace(entry.name).is_some() {
                return None;
            }
        }
        found
    }

    fn read_task(&self, dir: &str) -> Option<(Task, String, Option<Problem>)> {
        let file = join(dir, TASK_FILE);
        let text = self.root.read_text(&file).ok()??;
        let (task, problem) = read_leniently(&text, &file);
        Some((task?, text, problem))
    }

    /// The task in a directory of the status layout, as long as the path tells everything about its place.
    fn found_by_path(&self, dir: &str) -> Option<Found> {
        let (task, text, problem) = self.read_task(dir)?;
        let (above, _) = split(dir);
        let parent = if above == TASKS { None } else { Some(self.read_task(above)?.0.id) };
        // Fields of the stable layout in a file make its place a matter of all the others.
        if task.number.is_some() || (task.parent.is_some() && parent.is_none()) {
            return None;
        }
        let mut number = None;
        for name in dir.strip_prefix(TASKS)?.split('/').skip(1) {
            number = Some(Number::under(number.as_ref(), read_name(name).number?.ordinal()));
        }
        let rev = Rev::of(text.as_bytes());
        Some(Found { task, number: number?, parent, rev, problem, dir: dir.to_owned(), text })
    }

    /// The task of the stable layout, its place told by its own fields and those of the tasks above it.
    fn found_by_fields(&self, id: TaskId) -> Option<Found> {
        let at = |id: TaskId| -> Option<(Task, String, Option<Problem>, String)> {
            let dir = join(TASKS, &self.locator().by_id(id)?.name);
            let (task, text, problem) = self.read_task(&dir)?;
            (task.id == id).then_some((task, text, problem, dir))
        };
        let (task, text, problem, dir) = at(id)?;
        // Any other number is no place, and one is given by looking at the siblings.
        let told = |task: &Task| task.number.filter(|number| (1..=MAX_ORDINAL).contains(number));
        let mut ordinals = vec![told(&task)?];
        let mut above = task.parent;
        while let Some(id) = above {
            if ordinals.len() > handoff_model::MAX_DEPTH {
                return None;
            }
            let (parent, ..) = at(id)?;
            ordinals.push(told(&parent)?);
            above = parent.parent;
        }
        let number =
            ordinals.into_iter().rev().fold(None, |above, ordinal| Some(Number::under(above.as_ref(), ordinal)))?;
        let rev = Rev::of(text.as_bytes());
        Some(Found { parent: task.parent, task, number, rev, problem, dir, text })
    }

    /// The file of a task that was just read among all, read once more for its text.
    pub(crate) fn found_at(&self, node: &Node) -> Result<Found> {
        self.stop.check()?;
        let file = join(&node.dir, TASK_FILE);
        let gone = || StoreError::ChangedUnderway { path: file.clone() };
        let text = self.root.read_text(&file).map_err(|source| StoreError::read(&file, source))?.ok_or_else(gone)?;
        let (task, problem) = read_leniently(&text, &file);
        let task = task.filter(|task| task.id == node.task.id).ok_or_else(gone)?;
        let rev = Rev::of(text.as_bytes());
        Ok(Found {
            task,
            number: node.number.clone(),
            parent: node.parent,
            rev,
            problem,
            dir: node.dir.to_string(),
            text,
        })
    }

    /// The tasks directly under one; those staged in the same change come last, as they will be.
    pub fn children(&self, found: &Found) -> Result<Children> {
        let mut children = self.children_on_disk(found)?;
        children.tasks.retain(|child| self.staged(child.id).is_none());
        let staged = self.change.staged.iter().filter(|staged| staged.parent == Some(found.task.id));
        children.tasks.extend(staged.map(|staged| staged.task.clone()));
        Ok(children)
    }

    fn children_on_disk(&self, found: &Found) -> Result<Children> {
        if self.is_staged_as_new(&found.dir) {
            return Ok(Children { tasks: Vec::new(), damaged: None, problems: Vec::new() });
        }
        if self.known_forest().is_none()
            && self.layout() == Layout::Status
            && self.is_plain()
            && let Some(tasks) = self.children_by_path(&found.dir)
        {
            return Ok(Children { tasks, damaged: None, problems: Vec::new() });
        }
        let forest = self.forest()?;
        let ids = forest.get(found.task.id).map(|node| node.children.clone()).unwrap_or_default();
        let tasks = ids.iter().filter_map(|id| forest.get(*id)).map(|node| Task::clone(&node.task)).collect();
        let below = format!("{}/", found.dir);
        let is_below = |problem: &&Problem| problem.path.strip_prefix(&below).is_some_and(|rest| rest != TASK_FILE);
        let (damaged, problems): (Vec<Problem>, Vec<Problem>) =
            forest.problems.iter().filter(is_below).cloned().partition(|problem| problem.severity == Severity::Damaged);
        Ok(Children { tasks, damaged: damaged.into_iter().next(), problems })
    }

    /// The children in a directory, as long as all of them lie there plainly.
    fn children_by_path(&self, dir: &str) -> Option<Vec<Task>> {
        let mut children = Vec::new();
        for entry in self.root.dir(dir).ok()?.list().ok()? {
            if entry.kind == Kind::Directory {
                let ordinal = read_name(&entry.name).number?.ordinal();
                children.push((ordinal, self.read_task(&join(dir, &entry.name))?.0));
            }
        }
        children.sort_by_key(|(ordinal, task)| (task.order.is_none(), task.order, *ordinal, task.id));
        Some(children.into_iter().map(|(_, task)| task).collect())
    }

    /// A task that cannot be found because its file is damaged is reported as that.
    fn hidden_by_damage(&self, wanted: &TaskRef, forest: &Forest) -> Option<StoreError> {
        let damaged = forest.problems.iter().filter(|problem| problem.severity == Severity::Damaged);
        damaged.into_iter().find(|problem| self.concerns(problem, wanted)).cloned().map(StoreError::Damaged)
    }

    fn concerns(&self, problem: &Problem, wanted: &TaskRef) -> bool {
        let Some(dir) = problem.path.strip_suffix(TASK_FILE).map(|dir| dir.trim_end_matches('/')) else { return false };
        match wanted {
            TaskRef::Number(number) => read_name(split(dir).1).number.as_ref() == Some(number),
            TaskRef::Id(id) => {
                let text = self.root.read(&problem.path).ok().flatten().unwrap_or_default();
                read_name(split(dir).1).id == Some(*id) || memchr::memmem::find(&text, id.as_str().as_bytes()).is_some()
            }
            TaskRef::Prefix(_) => false,
        }
    }
}
