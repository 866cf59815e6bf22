//! Staging changes of tasks: creating, saving, moving.

use std::collections::BTreeMap;
use std::fmt::Write;

use handoff_model::MAX_DEPTH;
use handoff_model::id::TaskId;
use handoff_model::name::{Layout, read_name, stable_name, status_name};
use handoff_model::number::{MAX_ORDINAL, Number};
use handoff_model::rev::Rev;
use handoff_model::task::Task;

use super::find::Found;
use super::forest::Forest;
use super::scan::Scan;
use crate::error::{Result, StoreError};
use crate::layout::{NUMBERS, TASK_FILE, TASKS};
use crate::locator::{Highest, Located};
use crate::root::{is_refusal, join, split};
use crate::step::Step;
use crate::store::{Change, KnownHighest, Store, check_size, name_of};
use crate::sys::Kind;

impl Store {
    /// Stages a new task at the end of its siblings.
    pub fn create_task(&mut self, parent: Option<&Found>, mut task: Task) -> Result<Found> {
        let above = parent.map(|parent| &parent.number);
        let depth = above.map_or(0, |number| number.ordinals().len()) + 1;
        if depth > MAX_DEPTH {
            return Err(StoreError::TooDeep { id: task.id, depth });
        }
        let ordinal = self.next_ordinal(parent.map(|parent| (parent.task.id, parent.dir.as_str())))?;
        let number = Number::under(above, ordinal);
        let parent_id = parent.map(|parent| parent.task.id);
        let dir = self.place(&mut task, parent.map(|parent| parent.dir.as_str()), parent_id, &number);
        let text = task.print();
        check_size(&join(&dir, TASK_FILE), &text)?;
        self.change.steps.push(Step::NewDir { path: dir.clone(), name: TASK_FILE.to_owned(), text: text.clone() });
        self.note_place(task.id, parent_id, ordinal, &dir);
        self.note_highest(parent_id, split(&dir).0, ordinal);
        let created =
            Found { rev: Rev::of(text.as_bytes()), task, number, parent: parent_id, problem: None, dir, text };
        self.stage(created.clone());
        Ok(created)
    }

    pub(super) fn stage(&mut self, found: Found) {
        let Change { staged, staged_at, .. } = &mut self.change;
        if staged_at.remove(&found.task.id).is_some() {
            staged.retain(|staged| staged.task.id != found.task.id);
            *staged_at = staged.iter().enumerate().map(|(place, staged)| (staged.task.id, place)).collect();
        }
        staged_at.insert(found.task.id, staged.len());
        staged.push(found);
    }

    /// Whether a directory is made by what is staged, and not there yet.
    pub(crate) fn is_staged_as_new(&self, dir: &str) -> bool {
        self.change.steps.iter().any(|step| matches!(step, Step::NewDir { path, .. } if path == dir))
    }

    /// Stages what a task says that is itself only staged.
    fn save_new(&mut self, found: &Found, task: &Task) -> Result<Found> {
        let written = task.print();
        check_size(&found.file(), &written)?;
        for step in &mut self.change.steps {
            if let Step::NewDir { path, text, .. } = step
                && *path == found.dir
            {
                text.clone_from(&written);
            }
        }
        let rev = Rev::of(written.as_bytes());
        let saved = Found { task: task.clone(), rev, text: written, ..found.clone() };
        self.stage(saved.clone());
        Ok(saved)
    }

    /// Stages what a task says now. Without a difference only a name that lags behind is put right.
    pub fn save_task(&mut self, found: &Found, task: &Task) -> Result<Found> {
        if self.is_staged_as_new(&found.dir) {
            return self.save_new(found, task);
        }
        let file = found.file();
        let text = found.text_saying(task)?;
        check_size(&file, &text)?;
        let saved = Found { task: task.clone(), rev: Rev::of(text.as_bytes()), text: text.clone(), ..found.clone() };
        // Saved for a second time in one change, the last word counts.
        if self.staged(found.task.id).is_some() {
            self.change.steps.retain(|step| !matches!(step, Step::Put { path, .. } if *path == file));
            self.change.views.retain(|(from, _)| *from != found.dir);
        }
        if text != found.text {
            self.change.steps.push(Step::Put { path: file, before: Some(found.text.clone()), after: text });
        }
        self.stage(Found { dir: found.dir.clone(), text: found.text.clone(), ..saved.clone() });
        if self.layout() == Layout::Status {
            return Ok(self.follow_name(saved));
        }
        Ok(saved)
    }

    /// Lets the directory's name follow what the file will say, after the commit.
    fn follow_name(&mut self, found: Found) -> Found {
        let (above, name) = split(&found.dir);
        let wanted = status_name(&found.number, found.task.status, &found.task.title);
        let dir = join(above, &wanted);
        // A name that another has is left to it: the file counts, not the name.
        if name == wanted || self.root.exists(&dir) {
            return found;
        }
        self.change.views.push((found.dir.clone(), dir.clone()));
        self.note_place(found.task.id, found.parent, found.number.ordinal(), &dir);
        if let Some(highest) = self.known_highest(found.parent, above) {
            self.note_highest(found.parent, above, highest);
        }
        Found { dir, ..found }
    }

    /// Stages a move under another task, or to the top, as the last of the siblings there.
    pub fn move_task(&mut self, found: &Found, parent: Option<&Found>) -> Result<Found> {
        let task = Task { order: None, ..found.task.clone() };
        self.move_task_saying(found, task, parent)
    }

    /// Stages a move together with what the task says from then on, as one change.
    pub fn move_task_saying(&mut self, found: &Found, mut task: Task, parent: Option<&Found>) -> Result<Found> {
        let id = found.task.id;
        let subtree = self.subtree_of(found)?;
        let is_under_itself = match parent {
            None => false,
            // What is on disk does not tell what lies where after the moves before this one.
            Some(parent) if self.change.has_moved => self.is_below(parent, id)?,
            Some(parent) => subtree.get(parent.task.id).is_some(),
        };
        if is_under_itself {
            return Err(StoreError::UnderItself { id });
        }
        let above = parent.map(|parent| &parent.number);
        let depth = above.map_or(0, |number| number.ordinals().len()) + height(&subtree, id);
        if depth > MAX_DEPTH {
            return Err(StoreError::TooDeep { id, depth });
        }
        let ordinal = self.next_ordinal(parent.map(|parent| (parent.task.id, parent.dir.as_str())))?;
        let number = Number::under(above, ordinal);
        let parent_id = parent.map(|parent| parent.task.id);
        self.raise_floor(found.parent, found.number.ordinal());

        let layout = self.layout();
        let dir = self.place(&mut task, parent.map(|parent| parent.dir.as_str()), parent_id, &number);
        // In the stable layout a name is fixed; only one that lies nested must come out, since there the directory counts.
        let stays = layout == Layout::Stable && split(&found.dir).0 == TASKS;
        let dir = if stays { found.dir.clone() } else { dir };
        let is_as_on_disk = task == found.task && self.staged(id).is_none();
        let text = if is_as_on_disk { found.text.clone() } else { found.text_saying(&task)? };
        let file = found.file();
        check_size(&file, &text)?;
        self.change.steps.retain(|step| !matches!(step, Step::Put { path, .. } if *path == file));
        self.change.views.retain(|(from, _)| *from != found.dir);
        if text != found.text {
            let (before, after) = (Some(found.text.clone()), text.clone());
            self.change.steps.push(Step::Put { path: file, before, after });
        }
        if dir != found.dir {
            self.change.move_dir(id, &found.dir, &dir);
            self.rename_below(&subtree, id, &number, &found.dir, &dir);
        }
        let left = split(&found.dir).0.to_owned();
        if let Some(highest) = self.known_highest(found.parent, &left) {
            self.note_highest(found.parent, &left, highest);
        }
        self.note_place(id, parent_id, ordinal, &dir);
        self.note_highest(parent_id, parent.map_or(TASKS, |parent| &parent.dir), ordinal);
        self.change.has_moved = true;
        let moved = Found { rev: Rev::of(text.as_bytes()), task, number, parent: parent_id, problem: None, dir, text };
        self.stage(Found { dir: found.dir.clone(), text: found.text.clone(), ..moved.clone() });
        Ok(moved)
    }

    /// The directory a task belongs in; in the stable layout its fields say where it stands instead.
    pub(super) fn place(
        &self,
        task: &mut Task,
        parent_dir: Option<&str>,
        parent: Option<TaskId>,
        number: &Number,
    ) -> String {
        match self.layout() {
            Layout::Status => {
                task.parent = None;
                task.number = None;
                join(parent_dir.unwrap_or(TASKS), &status_name(number, task.status, &task.title))
            }
            Layout::Stable => {
                task.parent = parent;
                task.number = Some(number.ordinal());
                join(TASKS, &stable_name(&task.title, task.id))
            }
        }
    }

    /// A task and all below it, as they lie on disk.
    pub(crate) fn subtree_of(&self, found: &Found) -> Result<Forest> {
        if self.layout() == Layout::Stable || !self.is_plain() {
            return Ok(self.whole_forest()?.only(found.task.id));
        }
        let dir = self.root.dir(&found.dir).map_err(|source| StoreError::read(&found.dir, source))?;
        let subtree = Forest::build(Scan::at(&dir, &found.dir, &self.stop)?, self.layout());
        subtree.check_complete()?;
        Ok(subtree)
    }

    /// After a move, the names below carry the new number in front. Only a view: parents first, each in its new place.
    fn rename_below(&mut self, subtree: &Forest, id: TaskId, number: &Number, from: &str, to: &str) {
        let mut places: BTreeMap<TaskId, (Number, String)> = BTreeMap::from([(id, (number.clone(), to.to_owned()))]);
        for node in subtree.subtree(id).into_iter().skip(1) {
            let Some((above, above_dir)) = node.parent.and_then(|parent| places.get(&parent)).cloned() else {
                continue;
            };
            if !node.dir.starts_with(from) {
                continue;
            }
            let number = Number::under(Some(&above), node.number.ordinal());
            let name = status_name(&number, node.task.status, &node.task.title);
            let dir = join(&above_dir, &name);
            self.change.views.push((join(&above_dir, name_of(&node.dir)), dir.clone()));
            self.note_place(node.task.id, node.parent, number.ordinal(), &dir);
            places.insert(node.task.id, (number, dir));
        }
    }

    /// The number the next child gets: one more than any that is or was there.
    pub(crate) fn next_ordinal(&self, parent: Option<(TaskId, &str)>) -> Result<u32> {
        let id = parent.map(|(id, _)| id);
        let dir = parent.map_or(TASKS, |(_, dir)| dir);
        let siblings = self.change.staged.iter().filter(|staged| staged.parent == id);
        let staged = siblings.map(|staged| staged.number.ordinal()).max().unwrap_or(0);
        if self.is_staged_as_new(dir) {
            return next_after(staged);
        }
        let present = match self.present_highest(id, dir) {
            Some(highest) => highest,
            None => {
                let forest = self.forest()?;
                // In the status layout the names tell the numbers of those that cannot be read.
                if self.layout() == Layout::Stable {
                    forest.check_complete()?;
                }
                if self.known_highest(id, dir).is_none() {
                    self.remember(&forest);
                }
                highest_child(&forest, id).max(self.highest_in_names(dir))
            }
        };
        self.know_archived_numbers()?;
        let floor = self.floors_to_count_on()?.get(&id).copied().unwrap_or(0);
        next_after(present.max(floor).max(staged))
    }

    /// The highest number among siblings, where the names of the directories tell it. In the stable layout only the
    /// files do, and anybody may have edited them.
    fn present_highest(&self, parent: Option<TaskId>, dir: &str) -> Option<u32> {
        if self.layout() == Layout::Stable || !self.is_plain() {
            return None;
        }
        self.known_highest(parent, dir).or_else(|| self.highest_listed(dir))
    }

    /// The highest number in the names of a directory, damaged tasks included.
    fn highest_in_names(&self, dir: &str) -> u32 {
        let entries = self.root.dir(dir).and_then(|dir| dir.list()).unwrap_or_default();
        let ordinals = entries.iter().filter_map(|entry| read_name(&entry.name).number).map(|number| number.ordinal());
        ordinals.max().unwrap_or(0)
    }

    /// The highest number among siblings, when the locator knows it and the directory is unchanged since.
    pub(crate) fn known_highest(&self, parent: Option<TaskId>, dir: &str) -> Option<u32> {
        let governing = if self.layout() == Layout::Stable { None } else { parent };
        let dir = if self.layout() == Layout::Stable { TASKS } else { dir };
        let changed_at = self.root.dir(dir).and_then(|dir| dir.changed_at()).ok()?;
        let known = self.locator().highest(governing).filter(|known| known.changed_at == changed_at)?;
        if governing == parent {
            return Some(known.ordinal);
        }
        Some(self.locator().highest(parent).map_or(0, |known| known.ordinal))
    }

    /// The highest number in the names of a directory; `None` when a name has none, or two have the same.
    fn highest_listed(&self, dir: &str) -> Option<u32> {
        let mut ordinals: Vec<u32> = Vec::new();
        for entry in self.root.dir(dir).ok()?.list().ok()? {
            if entry.kind == Kind::Directory {
                ordinals.push(read_name(&entry.name).number?.ordinal());
            }
        }
        let count = ordinals.len();
        ordinals.sort_unstable();
        ordinals.dedup();
        (ordinals.len() == count).then(|| ordinals.last().copied().unwrap_or(0))
    }

    /// Whether all tasks were found plainly in their layout, and nothing came to or went from the top since. Then the
    /// directories tell a task's place; otherwise only the reading of everything does.
    pub(crate) fn is_plain(&self) -> bool {
        self.known_highest(None, TASKS).is_some()
    }

    pub(crate) fn highest_of_all(&self, forest: &Forest) -> Vec<(Option<TaskId>, Highest)> {
        /// Listing a directory of fewer is as quick as looking it up.
        const WORTH_IT: usize = 50;
        let mut known = Vec::new();
        let mut note = |parent: Option<TaskId>, dir: &str, ordinal: Option<u32>| {
            let changed_at = self.root.dir(dir).and_then(|dir| dir.changed_at());
            if let (Ok(changed_at), Some(ordinal)) = (changed_at, ordinal) {
                known.push((parent, Highest { changed_at, ordinal }));
            }
        };
        if !forest.is_plain(self.layout()) {
            return Vec::new();
        }
        match self.layout() {
            Layout::Status => {
                note(None, TASKS, self.highest_listed(TASKS));
                for node in forest.walk().into_iter().filter(|node| node.children.len() >= WORTH_IT) {
                    note(Some(node.task.id), &node.dir, self.highest_listed(&node.dir));
                }
            }
            Layout::Stable => {
                note(None, TASKS, Some(highest_child(forest, None)));
                for node in forest.walk().into_iter().filter(|node| !node.children.is_empty()) {
                    note(Some(node.task.id), TASKS, Some(highest_child(forest, Some(node.task.id))));
                }
            }
        }
        known
    }

    pub(crate) fn note_place(&mut self, id: TaskId, parent: Option<TaskId>, ordinal: u32, dir: &str) {
        let name = name_of(dir).to_owned();
        self.change.located.push(Located { id, parent, ordinal, name });
    }

    pub(crate) fn note_highest(&mut self, parent: Option<TaskId>, dir: &str, ordinal: u32) {
        let dir = dir.to_owned();
        // What one step of a change gave out, a later one that only takes away must not hand out again.
        let of_change = |parent| {
            let noted = self.change.highest.iter().filter(|known| known.parent == parent);
            noted.map(|known| known.ordinal).max().unwrap_or(0)
        };
        let (ordinal, top_of_change) = (ordinal.max(of_change(parent)), of_change(None));
        if self.layout() == Layout::Stable && parent.is_some() {
            // In the stable layout one directory holds all, so its new time must be noted with the top's number too.
            if let Some(top) = self.known_highest(None, TASKS) {
                let ordinal = top.max(top_of_change);
                self.change.highest.push(KnownHighest { parent: None, dir: TASKS.to_owned(), ordinal });
            }
            self.change.highest.push(KnownHighest { parent, dir: TASKS.to_owned(), ordinal });
            return;
        }
        self.change.highest.push(KnownHighest { parent, dir, ordinal });
    }

    /// Numbers that were given out under a parent and are free again: they are not given out twice.
    pub(crate) fn floors(&self) -> BTreeMap<Option<TaskId>, u32> {
        floors_in(&self.root.read(NUMBERS).ok().flatten().unwrap_or_default())
    }

    /// The same for giving out a number: what is only refused by the system may name one that was used.
    fn floors_to_count_on(&self) -> Result<BTreeMap<Option<TaskId>, u32>> {
        match self.root.read(NUMBERS) {
            Err(source) if is_refusal(&source) => Err(StoreError::read(NUMBERS, source)),
            read => Ok(floors_in(&read.ok().flatten().unwrap_or_default())),
        }
    }

    /// Notes that a number is no longer held by a task. Losing this note costs nothing but a number used twice.
    pub(crate) fn raise_floor(&self, parent: Option<TaskId>, ordinal: u32) {
        self.raise_floors(&[(parent, ordinal)]);
    }

    pub(crate) fn raise_floors(&self, numbers: &[(Option<TaskId>, u32)]) {
        let mut floors = self.floors();
        let mut lines = String::new();
        for (parent, ordinal) in numbers {
            if floors.get(parent).is_some_and(|floor| floor >= ordinal) {
                continue;
            }
            floors.insert(*parent, *ordinal);
            let parent = parent.map_or_else(|| "-".to_owned(), |id| id.to_string());
            // On a line of its own: a cut can spoil this line, but none before it.
            let _ = write!(lines, "\n{parent} {ordinal}\n");
        }
        if !lines.is_empty() {
            let _ = self.root.append_loose(NUMBERS, lines.as_bytes());
        }
    }
}

/// The highest number that was given out below each parent, as the note of them tells.
fn floors_in(bytes: &[u8]) -> BTreeMap<Option<TaskId>, u32> {
    let mut floors = BTreeMap::new();
    for line in String::from_utf8_lossy(bytes).lines() {
        let Some((parent, ordinal)) = line.split_once(' ') else { continue };
        let parent = if parent == "-" { Ok(None) } else { parent.parse().map(Some) };
        if let (Ok(parent), Ok(ordinal)) = (parent, ordinal.parse::<u32>())
            && ordinal <= MAX_ORDINAL
        {
            let floor = floors.entry(parent).or_insert(ordinal);
            *floor = (*floor).max(ordinal);
        }
    }
    floors
}

/// The number after the highest that was ever given out.
fn next_after(highest: u32) -> Result<u32> {
    if highest >= MAX_ORDINAL { Err(StoreError::NoNumberLeft) } else { Ok(highest + 1) }
}

fn highest_child(forest: &Forest, parent: Option<TaskId>) -> u32 {
    let children = match parent {
        None => &forest.roots,
        Some(id) => match forest.get(id) {
            Some(node) => &node.children,
            None => return 0,
        },
    };
    children.iter().filter_map(|id| forest.get(*id)).map(|node| node.number.ordinal()).max().unwrap_or(0)
}

/// How many levels a subtree has.
pub(super) fn height(subtree: &Forest, id: TaskId) -> usize {
    let nodes = subtree.subtree(id);
    let top = nodes.first().map_or(0, |node| node.number.ordinals().len());
    nodes.iter().map(|node| node.number.ordinals().len()).max().map_or(1, |deepest| deepest + 1 - top)
}
