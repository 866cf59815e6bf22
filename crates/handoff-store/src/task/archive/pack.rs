//! Moving finished tasks into the monthly archives, whole.

use std::collections::{BTreeMap, HashSet};

use handoff_model::id::TaskId;
use handoff_model::limits::MAX_ARCHIVE_PART_BYTES;
use handoff_model::number::Number;
use handoff_model::problem::{Problem, Severity};
use handoff_model::task::archive::{Archive, Packed, file_name};
use handoff_model::when::Moment;

use crate::error::{Result, StoreError};
use crate::layout::{ARCHIVE, TASK_FILE};
use crate::root::{is_damage, join};
use crate::step::Step;
use crate::store::{Store, name_of};
use crate::task::forest::Node;

/// A finished task that goes to an archive with all below it, or why it cannot.
#[derive(Debug)]
pub struct Packing {
    pub id: TaskId,
    pub number: Number,
    pub title: String,
    pub finished_at: Option<Moment>,
    /// How many tasks go, those below included
    pub count: usize,
    /// Why it stays where it is
    pub stays: Option<String>,
}

impl Store {
    /// The finished tasks that lie under no finished one and were done, with all below them, before this time. Those
    /// that can go are staged to go.
    pub fn pack_tasks(&mut self, before: Moment, at: Moment) -> Result<Vec<Packing>> {
        let forest = self.whole_forest()?;
        let mut archives = Archives::default();
        let archived = self.archived_tasks()?;
        let is_archived = |node: &&Node| archived.file_of(node.task.id).map(|file| (node.task.id, file.to_owned()));
        let (mut packings, mut removals, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        let mut inside: HashSet<TaskId> = HashSet::new();
        for top in forest.walk() {
            if inside.contains(&top.task.id) || !top.task.status.is_finished() {
                continue;
            }
            let subtree = forest.subtree(top.task.id);
            let is_over = |node: &&Node| node.task.status.is_finished();
            let finished_at = subtree.iter().filter_map(|node| node.task.finished_at()).max();
            // A finished task with an open one below it, which somebody edited by hand, is not over.
            if !subtree.iter().all(is_over) || finished_at.is_some_and(|at| at > before) {
                continue;
            }
            inside.extend(subtree.iter().map(|node| node.task.id));
            let mut packing = Packing {
                id: top.task.id,
                number: top.number.clone(),
                title: top.task.title.clone(),
                finished_at,
                count: subtree.len(),
                stays: None,
            };
            // Another version would come back in its place.
            if let Some((id, file)) = subtree.iter().find_map(&is_archived) {
                packing.stays = Some(format!("another version of `{id}` is in {file}"));
                packings.push(packing);
                continue;
            }
            match self.packed(&subtree, at)? {
                Err(why) => packing.stays = Some(why),
                Ok(tasks) => {
                    if archives.take(self, finished_at, &tasks)? {
                        // The deepest first: a directory goes when it is empty but for its file.
                        removals.extend(subtree.iter().zip(tasks).rev().map(|(node, packed)| Step::RemoveDir {
                            path: node.dir.to_string(),
                            name: TASK_FILE.to_owned(),
                            text: packed.text,
                        }));
                        numbers.push((top.parent, top.number.ordinal()));
                    } else {
                        packing.stays = Some("its file cannot be put into an archive unchanged".to_owned());
                    }
                }
            }
            packings.push(packing);
        }
        archives.stage(self);
        // Without the lock this only says what would be done.
        if self.is_locked() {
            self.raise_floors(&numbers);
        }
        self.change.forget_locator |= !removals.is_empty();
        self.change.steps.extend(removals);
        Ok(packings)
    }

    /// A subtree as it goes into an archive, or why it stays.
    fn packed(&self, subtree: &[&Node], at: Moment) -> Result<std::result::Result<Vec<Packed>, String>> {
        let dirs: HashSet<&str> = subtree.iter().map(|node| node.dir.as_str()).collect();
        let mut tasks = Vec::new();
        for node in subtree {
            let found = self.found_at(node)?;
            if let Some(problem) = found.problem {
                return Ok(Err(problem.to_string()));
            }
            let entries = self.root.dir(&node.dir).and_then(|dir| dir.list());
            let entries = entries.map_err(|source| StoreError::read(&node.dir, source))?;
            let is_ours = |name: &str| name == TASK_FILE || dirs.contains(join(&node.dir, name).as_str());
            if let Some(other) = entries.iter().find(|entry| !is_ours(&entry.name)) {
                return Ok(Err(format!("{} is no task and would be left behind", join(&node.dir, &other.name))));
            }
            tasks.push(Packed {
                id: node.task.id,
                number: node.number.clone(),
                parent: node.parent,
                name: name_of(&node.dir).to_owned(),
                packed_at: Some(at),
                text: found.text,
                check: None,
                line: 0,
            });
        }
        Ok(Ok(tasks))
    }
}

/// The archives that a change adds to, as they will be.
#[derive(Default)]
struct Archives {
    files: BTreeMap<String, (Option<String>, Archive, usize)>,
}

impl Archives {
    /// Puts tasks into the archive of the month. False when one of them would not come out as it is.
    fn take(&mut self, store: &Store, finished_at: Option<Moment>, tasks: &[Packed]) -> Result<bool> {
        let size: usize = tasks.iter().map(|packed| packed.text.len() + 200).sum();
        let mut part = 1;
        let path = loop {
            let path = join(ARCHIVE, &file_name(finished_at, part));
            let Some((_, _, length)) = self.open(store, &path)? else {
                part += 1;
                continue;
            };
            if *length == 0 || *length + size <= MAX_ARCHIVE_PART_BYTES || part == u32::MAX {
                break path;
            }
            part += 1;
        };
        let Some((_, archive, length)) = self.open(store, &path)? else { return Ok(false) };
        if size > MAX_ARCHIVE_PART_BYTES {
            return Ok(false);
        }
        for (count, packed) in tasks.iter().enumerate() {
            if !archive.add(packed) {
                archive.remove_all(tasks[..count].iter().map(|packed| packed.id));
                return Ok(false);
            }
        }
        *length += size;
        Ok(true)
    }

    /// Opens an archive; `None` for a damaged one, which stays as it is for what is left of it.
    fn open(&mut self, store: &Store, path: &str) -> Result<Option<&mut (Option<String>, Archive, usize)>> {
        if !self.files.contains_key(path) {
            let before = match store.root.read_text(path) {
                Err(error) if is_damage(&error) => {
                    store.notice([&Problem::damaged(path, error.to_string())]);
                    return Ok(None);
                }
                before => before.map_err(|source| StoreError::read(path, source))?,
            };
            let mut archive = Archive::new();
            if let Some(text) = &before {
                let (read, problems) = Archive::read(path, text);
                let is_damaged = problems.iter().any(|problem| problem.severity == Severity::Damaged);
                if is_damaged || read.tasks().any(|packed| !packed.is_intact()) {
                    store.notice(&problems);
                    return Ok(None);
                }
                archive = read;
            }
            let length = before.as_ref().map_or(0, String::len);
            self.files.insert(path.to_owned(), (before, archive, length));
        }
        Ok(self.files.get_mut(path))
    }

    fn stage(self, store: &mut Store) {
        for (path, (before, archive, _)) in self.files {
            let text = archive.print();
            if archive.tasks().next().is_some() && before.as_ref() != Some(&text) {
                store.stage_file(path, before, text);
            }
        }
    }
}
