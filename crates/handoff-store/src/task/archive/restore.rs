//! Bringing archived tasks back, and keeping their numbers theirs.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use handoff_model::MAX_DEPTH;
use handoff_model::id::{TaskId, TaskRef};
use handoff_model::name::{Layout, read_name, stable_name, status_name};
use handoff_model::number::Number;
use handoff_model::problem::Problem;
use handoff_model::rev::Rev;
use handoff_model::task::Task;
use handoff_model::task::archive::{Archive, Packed, is_file_name};

use super::ArchivedTasks;
use crate::error::{Result, StoreError};
use crate::layout::{ARCHIVE, NUMBERS, TASK_FILE, TASKS};
use crate::root::{is_refusal, join};
use crate::step::Step;
use crate::store::Store;
use crate::task::find::Found;
use crate::task::forest::Node;
use crate::task::write::height;

impl Store {
    /// Stages the return of a task from the archives, with all below it, under the given parent or to the top.
    /// Those above it that are archived too come back with it, if wanted.
    pub fn restore_archived(
        &mut self,
        archived: &ArchivedTasks,
        id: TaskId,
        parent: Option<&Found>,
        with_those_above: bool,
    ) -> Result<Found> {
        let above: Vec<&Node> = if with_those_above { archived.above(id) } else { Vec::new() };
        let nodes: Vec<&Node> = above.into_iter().chain(archived.forest.subtree(id)).collect();
        let Some(top) = nodes.first().map(|node| node.task.id) else {
            return Err(StoreError::NotInTrash { wanted: TaskRef::Id(id), close: Vec::new() });
        };
        for node in &nodes {
            if self.find(&TaskRef::Id(node.task.id)).is_ok() {
                return Err(StoreError::AlreadyThere { id: node.task.id });
            }
        }
        let parent_number = parent.map(|parent| &parent.number);
        let depth = parent_number.map_or(0, |number| number.ordinals().len()) + height(&archived.forest, top);
        if depth > MAX_DEPTH {
            return Err(StoreError::TooDeep { id, depth });
        }
        let parent_id = parent.map(|parent| parent.task.id);
        let was_under = archived.entries[&top].packed.parent;
        let own = archived.entries[&top].packed.number.ordinal();
        let is_free = self.find(&TaskRef::Number(Number::under(parent_number, own))).is_err();
        let ordinal = if parent_id == was_under && is_free {
            own
        } else {
            self.next_ordinal(parent.map(|parent| (parent.task.id, parent.dir.as_str())))?
        };
        let mut places: HashMap<TaskId, (Number, String)> = HashMap::new();
        let mut wanted = None;
        for node in &nodes {
            let entry = &archived.entries[&node.task.id];
            let own = if node.task.id == top { ordinal } else { entry.packed.number.ordinal() };
            let above = entry.packed.parent.filter(|_| node.task.id != top);
            let (above_number, above_dir, above_id) = match above.and_then(|above| places.get(&above)) {
                Some((number, dir)) => (Some(number.clone()), dir.clone(), above),
                None => (parent_number.cloned(), parent.map_or(TASKS, |parent| &parent.dir).to_owned(), parent_id),
            };
            let number = Number::under(above_number.as_ref(), own);
            let found = self.stage_return(node, &entry.packed, number, above_id, &above_dir)?;
            places.insert(node.task.id, (found.number.clone(), found.dir.clone()));
            if node.task.id == id {
                wanted = Some(found);
            }
        }
        self.change.forget_locator = true;
        self.take_out(archived, &nodes)?;
        wanted.ok_or(StoreError::NotInTrash { wanted: TaskRef::Id(id), close: Vec::new() })
    }

    fn stage_return(
        &mut self,
        node: &Node,
        packed: &Packed,
        number: Number,
        parent: Option<TaskId>,
        above_dir: &str,
    ) -> Result<Found> {
        let mut task = Task::clone(&node.task);
        let dir = match self.layout() {
            Layout::Status => {
                (task.parent, task.number) = (None, None);
                join(above_dir, &status_name(&number, task.status, &task.title))
            }
            Layout::Stable => {
                (task.parent, task.number) = (parent, Some(number.ordinal()));
                let is_stable = read_name(&packed.name).id == Some(task.id);
                let name = if is_stable { packed.name.clone() } else { stable_name(&task.title, task.id) };
                join(TASKS, &name)
            }
        };
        let damaged = |error: handoff_model::document::Unreadable| {
            StoreError::Damaged(Problem::damaged(&node.dir, error.reason).at_line(error.line))
        };
        let text =
            if task == **node.task { packed.text.clone() } else { task.write_over(&packed.text).map_err(damaged)? };
        self.change.steps.push(Step::NewDir { path: dir.clone(), name: TASK_FILE.to_owned(), text: text.clone() });
        let rev = Rev::of(text.as_bytes());
        Ok(Found { task, number, parent, rev, problem: None, dir, text })
    }

    /// Stages the archives without these tasks; one that is empty then goes.
    fn take_out(&mut self, archived: &ArchivedTasks, nodes: &[&Node]) -> Result<()> {
        let files: BTreeSet<&str> = nodes.iter().filter_map(|node| archived.file_of(node.task.id)).collect();
        for file in files {
            let read = |source| StoreError::read(file, source);
            let gone = || StoreError::ChangedUnderway { path: file.to_owned() };
            let before = self.root.read_text(file).map_err(read)?.ok_or_else(gone)?;
            let (mut archive, _) = Archive::read(file, &before);
            archive.remove_all(nodes.iter().map(|node| node.task.id));
            if archive.is_bare() {
                self.change.steps.push(Step::Remove { path: file.to_owned(), before });
            } else {
                self.stage_file(file.to_owned(), Some(before), archive.print());
            }
        }
        Ok(())
    }

    /// Makes sure that the numbers of archived tasks are among those that are not given out again. They come with git
    /// to machines that never saw the tasks.
    pub(crate) fn know_archived_numbers(&self) -> Result<()> {
        let dir = match self.root.dir(ARCHIVE) {
            Err(source) if is_refusal(&source) => return Err(StoreError::read(ARCHIVE, source)),
            Err(_) => return Ok(()),
            Ok(dir) => dir,
        };
        let entries = dir.list().map_err(|source| StoreError::read(ARCHIVE, source))?;
        let mut names: Vec<String> =
            entries.into_iter().map(|entry| entry.name).filter(|name| is_file_name(name)).collect();
        if names.is_empty() {
            return Ok(());
        }
        names.sort_unstable();
        let mut hasher = DefaultHasher::new();
        for name in &names {
            (name, dir.stamp(name).ok().flatten()).hash(&mut hasher);
        }
        let mark = format!("@ {:016x}", hasher.finish());
        let known = self.root.read(NUMBERS).ok().flatten().unwrap_or_default();
        if String::from_utf8_lossy(&known).lines().any(|line| line == mark) {
            return Ok(());
        }
        let archived = self.archived_tasks()?;
        let numbers = archived.entries.values().map(|entry| (entry.packed.parent, entry.packed.number.ordinal()));
        self.raise_floors(&numbers.collect::<Vec<_>>());
        let _ = self.root.append_loose(NUMBERS, format!("\n{mark}\n").as_bytes());
        Ok(())
    }
}
