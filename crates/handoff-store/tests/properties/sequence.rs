//! Random sequences of operations and of interference from outside, against the picture.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use handoff_model::id::{TaskId, TaskRef};
use handoff_model::name::{Layout, read_name};
use handoff_model::task::{Status, Task};
use handoff_store::{Forest, NewStore, Store, StoreError};
use proptest::prelude::*;

use crate::choices::Choices;
use crate::picture::{Picture, walk};
use crate::{bytes, cases, noon, scratch};

const TITLES: &[&str] = &["a", "Write handlers", "12 monkeys", "認証", "../../etc", "todo", "…", "say \"hi\" # no"];

pub(crate) struct World {
    _dir: tempfile::TempDir,
    pub(crate) root: PathBuf,
    store: Store,
    pub(crate) picture: Picture,
    next_id: u32,
}

impl World {
    pub(crate) fn new(layout: Layout) -> World {
        let dir = scratch();
        let root = dir.path().join(".handoff");
        let word = if layout == Layout::Stable { "stable" } else { "status" };
        let config = format!("[settings]\ntask_dirs = \"{word}\"\n");
        let new = NewStore { config: &config, layout, private: false };
        let store = Store::create(&root, &new).unwrap();
        World { _dir: dir, root, store, picture: Picture::default(), next_id: 0 }
    }

    fn change<T>(&mut self, change: impl FnOnce(&mut Store) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.store.lock("test", Duration::from_secs(5)).unwrap();
        let result = change(&mut self.store).and_then(|value| self.store.commit(|_, _| {}).map(|()| value));
        self.store.unlock();
        result
    }

    fn layout(&self) -> Layout {
        Store::open(&self.root).unwrap().layout()
    }

    /// One of the tasks, if there is one.
    pub(crate) fn choose(&self, choices: &mut Choices) -> Option<TaskId> {
        let ids = self.picture.ids();
        (!ids.is_empty()).then(|| ids[choices.below(ids.len())])
    }

    fn step(&mut self, choices: &mut Choices) -> String {
        let chosen = self.choose(choices);
        match (choices.below(16), chosen) {
            (0..=3, parent) => self.create(parent.filter(|_| choices.flag()), choices.pick(TITLES)),
            (4, Some(id)) => self.save(id, |entry| choices.pick(TITLES).clone_into(&mut entry.title)),
            (5, Some(id)) => self.save(id, |entry| entry.status = choices.pick(Status::ALL)),
            (6, Some(id)) => self.save(id, |entry| entry.order = choices.some(|choices| i64::from(choices.byte() % 3))),
            (7 | 8, Some(id)) => {
                let target = self.choose(choices).filter(|_| choices.flag());
                self.move_to(id, target)
            }
            (9, Some(id)) => self.delete(id),
            (10, _) => self.restore(choices),
            (11, _) => self.convert(),
            (12, Some(id)) => self.rename_outside(id, choices),
            (13, Some(id)) => self.edit_outside(id, choices),
            (14, _) => self.lose_cache(choices),
            (15, _) => self.lose_local(choices),
            (_, None) => self.create(None, choices.pick(TITLES)),
            _ => unreachable!("all numbers are taken"),
        }
    }

    /// One thing that handoff itself does to a task.
    pub(crate) fn step_of_ours(&mut self, id: TaskId, choices: &mut Choices) -> String {
        match choices.below(8) {
            0 => self.save(id, |entry| choices.pick(TITLES).clone_into(&mut entry.title)),
            1 => self.save(id, |entry| entry.status = choices.pick(Status::ALL)),
            2 => {
                let target = self.choose(choices).filter(|_| choices.flag());
                self.move_to(id, target)
            }
            3 => self.delete(id),
            4 => self.restore(choices),
            5 => self.convert(),
            _ => self.save(id, |entry| entry.order = choices.some(|choices| i64::from(choices.byte() % 3))),
        }
    }

    pub(crate) fn create(&mut self, parent: Option<TaskId>, title: &str) -> String {
        self.next_id += 1;
        let id: TaskId = format!("{}{:07}", char::from(b'a' + (self.next_id % 7) as u8), self.next_id).parse().unwrap();
        let task = Task::new(id, &title.parse().unwrap(), noon());
        let created = self.change(|store| {
            let parent = parent.map(|parent| store.find(&parent.into())).transpose()?;
            store.create_task(parent.as_ref(), task)
        });
        self.picture.create(id, title, parent, created.unwrap().number.ordinal());
        format!("create {id} {title:?} under {parent:?}")
    }

    pub(crate) fn save(&mut self, id: TaskId, change: impl FnOnce(&mut crate::picture::Entry)) -> String {
        let before = self.picture.tasks[&id].clone();
        let mut entry = before.clone();
        change(&mut entry);
        self.change(|store| {
            let found = store.find(&id.into())?;
            let mut task = found.task.clone();
            (task.title, task.status, task.order) = (entry.title.clone(), entry.status, entry.order);
            store.save_task(&found, &task)
        })
        .unwrap();
        if entry != before {
            self.picture.settle(id);
            entry.claim = self.picture.tasks[&id].claim;
        }
        let said = format!("save {id} as {entry:?}");
        self.picture.tasks.insert(id, entry);
        said
    }

    fn move_to(&mut self, id: TaskId, target: Option<TaskId>) -> String {
        let moved = self.change(|store| {
            let found = store.find(&id.into())?;
            let target = target.map(|target| store.find(&target.into())).transpose()?;
            store.move_task(&found, target.as_ref())
        });
        let under_itself = target.is_some_and(|target| self.picture.subtree(id).contains(&target));
        match moved {
            Ok(found) => {
                assert!(!under_itself);
                self.picture.move_to(id, target, found.number.ordinal());
            }
            Err(error) => assert!(under_itself && matches!(error, StoreError::UnderItself { .. }), "{error}"),
        }
        format!("move {id} under {target:?}")
    }

    pub(crate) fn delete(&mut self, id: TaskId) -> String {
        let count = self.change(|store| {
            let found = store.find(&id.into())?;
            store.delete_task(&found, noon())
        });
        assert_eq!(count.unwrap(), self.picture.subtree(id).len());
        self.picture.delete(id);
        format!("delete {id}")
    }

    fn restore(&mut self, choices: &mut Choices) -> String {
        if self.picture.trash.is_empty() {
            return "nothing to restore".to_owned();
        }
        let index = choices.below(self.picture.trash.len());
        let (id, entry) = self.picture.trash[index][0].clone();
        let parent = entry.parent.filter(|parent| self.picture.tasks.contains_key(parent));
        let count = self.picture.trash[index].len();
        let restored = self.change(|store| {
            let trashed = store.find_in_trash(&id.into())?;
            assert_eq!(
                (trashed.count, trashed.title.as_deref().unwrap_or_default(), trashed.parent),
                (count, entry.title.as_str(), entry.parent)
            );
            let parent = parent.map(|parent| store.find(&parent.into())).transpose()?;
            store.restore_task(&trashed, parent.as_ref())
        });
        self.picture.restore(index, restored.unwrap().number.ordinal());
        format!("restore {id}")
    }

    fn convert(&mut self) -> String {
        let to = if self.layout() == Layout::Status { Layout::Stable } else { Layout::Status };
        self.change(|store| store.convert(to)).unwrap();
        self.picture.settle_all();
        assert_eq!(self.layout(), to);
        format!("convert to {to:?}")
    }

    /// A person renames a directory: another number, another slug, or no number at all.
    fn rename_outside(&mut self, id: TaskId, choices: &mut Choices) -> String {
        let node_dir = Store::open(&self.root).unwrap().forest().unwrap().get(id).unwrap().dir().to_owned();
        let (above, name) = node_dir.rsplit_once('/').unwrap();
        let status = self.picture.tasks[&id].status;
        let (new_name, claim) = match (self.layout(), choices.below(3)) {
            (Layout::Stable, _) => (format!("renamed-{id}"), self.picture.tasks[&id].claim),
            (Layout::Status, 0) => {
                let free = self.picture.next(self.picture.tasks[&id].parent) + u32::from(choices.byte() % 3);
                let (_, rest) = name.split_once('-').unwrap_or(("", name));
                let rest = if read_name(name).number.is_some() { rest.to_owned() } else { format!("{status}--x") };
                (format!("{free}-{rest}"), Some(free))
            }
            (Layout::Status, 1) => (format!("by hand {id}"), None),
            (Layout::Status, _) => {
                let ordinal = self.picture.ordinal(id);
                (format!("{ordinal:03}-{status}--by hand"), Some(ordinal))
            }
        };
        wait_for_the_clock();
        let above = self.root.join(above);
        fs::rename(above.join(name), above.join(&new_name)).unwrap();
        self.picture.tasks.get_mut(&id).unwrap().claim = claim;
        format!("rename {name} to {new_name}")
    }

    /// A person edits a file; in the stable layout the number is in it too.
    fn edit_outside(&mut self, id: TaskId, choices: &mut Choices) -> String {
        let dir = Store::open(&self.root).unwrap().forest().unwrap().get(id).unwrap().dir().to_owned();
        let file = self.root.join(dir).join("task.toml");
        let mut task = Task::read(&fs::read_to_string(&file).unwrap()).unwrap().0;
        choices.pick(TITLES).clone_into(&mut task.title);
        self.picture.tasks.get_mut(&id).unwrap().title.clone_from(&task.title);
        if self.layout() == Layout::Stable && choices.flag() {
            let free = self.picture.next(self.picture.tasks[&id].parent);
            task.number = Some(free);
            self.picture.tasks.get_mut(&id).unwrap().claim = Some(free);
        }
        wait_for_the_clock();
        fs::write(&file, format!("# by hand\n{}", task.print())).unwrap();
        format!("edit {id} to {:?} number {:?}", task.title, task.number)
    }

    fn lose_cache(&mut self, choices: &mut Choices) -> String {
        let cache = self.root.join("local/cache");
        if choices.flag() {
            let _ = fs::remove_dir_all(cache);
            return "lose the cache".to_owned();
        }
        fs::create_dir_all(&cache).unwrap();
        let path = cache.join("locator");
        let mut bytes = fs::read(&path).unwrap_or_default();
        match choices.below(3) {
            0 => bytes = choices.list(60, Choices::byte),
            1 => bytes.truncate(choices.below(256) * 8),
            _ => bytes.iter_mut().skip(choices.below(200)).step_by(97).for_each(|byte| *byte ^= 4),
        }
        fs::write(path, bytes).unwrap();
        "damage the cache".to_owned()
    }

    fn lose_local(&mut self, choices: &mut Choices) -> String {
        if !choices.once_in(4) {
            return "nothing".to_owned();
        }
        let _ = fs::remove_dir_all(self.root.join("local"));
        self.picture.forget_local();
        "lose local/".to_owned()
    }

    /// Everything that must hold after each step.
    fn check(&self) {
        let fresh = Store::open(&self.root).unwrap();
        let forest = fresh.forest().unwrap();
        assert_eq!(forest.problems, []);
        assert_eq!(walk(&forest), self.picture.walk());
        assert!(is_empty(&self.root.join("local/state/tmp")), "left-overs of staging");
        for journal in ["journal.json", "journal-undo.json"] {
            assert!(!self.root.join("local/state").join(journal).exists(), "{journal}");
        }
        for store in [&fresh, &self.store] {
            check_finding(store, &forest);
        }
    }
}

/// Looking one task up gives what looking at all of them gives, for every way to name it.
pub(crate) fn check_finding(store: &Store, forest: &Forest) {
    let mut wanted: Vec<TaskRef> = ["zzzzzzzz", "1", "999"].iter().map(|text| text.parse().unwrap()).collect();
    for node in forest.walk() {
        let id = node.task.id;
        wanted.extend([id.into(), TaskRef::Number(node.number.clone())]);
    }
    wanted.extend(forest.roots.first().map(|id| id.as_str()[..3].parse::<TaskRef>().unwrap()));
    for reference in wanted {
        match (store.find(&reference), forest.resolve(&reference)) {
            (Ok(found), Ok(node)) => {
                let found_facts = (&found.task, &found.number, found.parent, found.file());
                let file = format!("{}/task.toml", node.dir());
                assert_eq!(found_facts, (&**node.task, &node.number, node.parent, file), "{reference}");
                let mut children: Vec<TaskId> =
                    store.children(&found).unwrap().tasks.iter().map(|task| task.id).collect();
                let mut expected = node.children.clone();
                children.sort_unstable();
                expected.sort_unstable();
                assert_eq!(children, expected, "the children of {reference}");
            }
            (Err(found), Err(resolved)) => assert_eq!(found.to_string(), resolved.to_string()),
            (found, resolved) => panic!("{reference}: found {found:?}, resolved {resolved:?}"),
        }
    }
}

pub(crate) fn is_empty(dir: &Path) -> bool {
    fs::read_dir(dir).map_or(true, |mut entries| entries.next().is_none())
}

/// A directory's time has the grain of the kernel's clock. Nobody is as quick by hand.
pub(crate) fn wait_for_the_clock() {
    std::thread::sleep(Duration::from_millis(12));
}

fn run(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    let layout = if choices.flag() { Layout::Stable } else { Layout::Status };
    let mut world = World::new(layout);
    let mut log = vec![format!("{layout:?}")];
    while !choices.is_spent() {
        let said = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let said = world.step(&mut choices);
            log.push(said);
            world.check();
        }));
        if let Err(panic) = said {
            eprintln!("after {log:#?}");
            std::panic::resume_unwind(panic);
        }
    }
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn a_store_is_what_was_done_to_it(bytes in bytes(140)) {
        run(&bytes);
    }
}
