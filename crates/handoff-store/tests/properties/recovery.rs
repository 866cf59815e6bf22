//! A change of several records that is cut off anywhere: afterwards it was made, or it was not.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::time::Duration;

use handoff_model::id::TaskId;
use handoff_model::name::Layout;
use handoff_model::task::Task;
use handoff_model::time_log::Interval;
use handoff_model::timer::{self, Command, KeptTimer, Reading};
use handoff_store::{Store, StoreError};
use proptest::prelude::*;

use crate::choices::Choices;
use crate::picture::walk;
use crate::sequence::{World, is_empty};
use crate::{bytes, cases, noon, scratch};

const JOURNAL: &str = "local/state/journal.json";
const UNDO_JOURNAL: &str = "local/state/journal-undo.json";

/// A change that takes several steps.
#[derive(Clone, Debug)]
enum Change {
    Move(TaskId, Option<TaskId>),
    /// Another title, a move and a time entry in one
    MoveSaying(TaskId, Option<TaskId>),
    Delete(TaskId),
    Restore(TaskId),
    Convert(Layout),
}

impl Change {
    fn choose(choices: &mut Choices, world: &World, layout: Layout) -> Change {
        let chosen = world.choose(choices);
        let trashed = world.picture.trash.first().map(|tasks| tasks[0].0);
        match (choices.below(5), chosen, trashed) {
            (0, Some(id), _) => Change::Move(id, world.choose(choices).filter(|_| choices.flag())),
            (1, Some(id), _) => Change::Delete(id),
            (4, Some(id), _) => Change::MoveSaying(id, world.choose(choices).filter(|_| choices.flag())),
            (2, _, Some(id)) => Change::Restore(id),
            _ if layout == Layout::Status => Change::Convert(Layout::Stable),
            _ => Change::Convert(Layout::Status),
        }
    }

    fn stage(&self, store: &mut Store) -> Result<(), StoreError> {
        match self {
            Change::Move(id, target) => {
                let found = store.find(&(*id).into())?;
                let target = target.map(|target| store.find(&target.into())).transpose()?;
                store.move_task(&found, target.as_ref()).map(|_| ())
            }
            Change::MoveSaying(id, target) => {
                let found = store.find(&(*id).into())?;
                let target = target.map(|target| store.find(&target.into())).transpose()?;
                let task = Task { title: "another title".to_owned(), ..found.task.clone() };
                store.log_time(Interval::correction(*id, "alice", noon(), 30))?;
                store.move_task_saying(&found, task, target.as_ref()).map(|_| ())
            }
            Change::Delete(id) => {
                let found = store.find(&(*id).into())?;
                store.delete_task(&found, noon()).map(|_| ())
            }
            Change::Restore(id) => {
                let trashed = store.find_in_trash(&(*id).into())?;
                store.restore_task(&trashed, None).map(|_| ())
            }
            Change::Convert(layout) => store.convert(*layout).map(|_| ()),
        }
    }
}

/// Makes a change, cut off after so many steps; returns how many there were.
fn make(root: &Path, change: &Change, cut_after: Option<usize>) -> Result<usize, StoreError> {
    let mut store = Store::open(root).unwrap();
    store.lock("test", Duration::from_secs(5)).unwrap();
    change.stage(&mut store)?;
    let mut steps = 0;
    let committed = catch_unwind(AssertUnwindSafe(|| {
        store.commit(|done, total| {
            steps = total;
            if cut_after == Some(done) {
                // Leaves everything as it is at this moment, as a kill would, and says nothing.
                resume_unwind(Box::new(()));
            }
        })
    }));
    assert_eq!(committed.is_err(), cut_after.is_some(), "{change:?}");
    Ok(steps)
}

/// Everything a store shows.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shown {
    tasks: Vec<String>,
    trash: Vec<String>,
    layout: Layout,
    minutes: i64,
}

fn shown(root: &Path) -> Shown {
    let store = Store::open(root).unwrap();
    let forest = store.forest().unwrap();
    assert_eq!(forest.problems, []);
    let trash = store.trash().unwrap();
    let trash = trash.iter().map(|trashed| format!("{} {:?} {}", trashed.id, trashed.parent, trashed.count)).collect();
    let minutes = forest.walk().iter().map(|node| store.minutes_on(node.task.id).unwrap()).sum();
    Shown { tasks: walk(&forest), trash, layout: Store::open(root).unwrap().layout(), minutes }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Every record of a store with its bytes.
fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    fn collect(root: &Path, dir: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(dir).into_iter().flatten().map(Result::unwrap) {
            let name = entry.path().strip_prefix(root).unwrap().to_string_lossy().into_owned();
            if entry.path().is_dir() {
                files.insert(format!("{name}/"), Vec::new());
                collect(root, &entry.path(), files);
            } else {
                files.insert(name, fs::read(entry.path()).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    collect(root, root, &mut found);
    found.retain(|name, _| !name.starts_with("local/") || name.starts_with("local/state/trash/"));
    found
}

/// A store with some tasks and something in the trash.
fn populated(choices: &mut Choices) -> (World, Layout) {
    let layout = if choices.flag() { Layout::Stable } else { Layout::Status };
    let mut world = World::new(layout);
    for index in 0..7_u8 {
        let parent = world.choose(choices).filter(|_| choices.below(3) > 0);
        world.create(parent, choices.pick(&["a", "b", "12 c"]));
        if index == 3 {
            let id = world.choose(choices).unwrap();
            world.save(id, |entry| entry.order = Some(1));
        }
    }
    if choices.flag() {
        let id = world.choose(choices).unwrap();
        world.delete(id);
    }
    (world, layout)
}

fn cut_off_anywhere(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    let (world, layout) = populated(&mut choices);
    let change = Change::choose(&mut choices, &world, layout);
    let dir = scratch();
    let before = shown(&world.root);
    let whole = dir.path().join("whole");
    copy(&world.root, &whole);
    // A task cannot go under itself.
    let Ok(steps) = make(&whole, &change, None) else { return };
    let after = shown(&whole);
    for cut in 0..steps {
        let place = dir.path().join(format!("cut{cut}"));
        copy(&world.root, &place);
        make(&place, &change, Some(cut)).unwrap();
        let journal = fs::read(place.join(JOURNAL)).unwrap();
        let undone = dir.path().join(format!("undone{cut}"));
        copy(&place, &undone);
        fs::rename(undone.join(JOURNAL), undone.join(UNDO_JOURNAL)).unwrap();
        for (place, name, expected) in [(&place, JOURNAL, &after), (&undone, UNDO_JOURNAL, &before)] {
            assert_eq!(&shown(place), expected, "{change:?} cut off after {cut} of {steps} steps, {name}");
            assert!(is_empty(&place.join("local/state/tmp")) && !place.join(name).exists());
            let once = files(place);
            // A journal that could not be removed is found done.
            fs::write(place.join(name), &journal).unwrap();
            let mut store = Store::open(place).unwrap();
            store.lock("test", Duration::from_secs(5)).unwrap();
            store.unlock();
            assert_eq!(files(place), once, "{change:?} gone through twice, {name}");
        }
    }
}

/// Looking at one task after a cut shows it as it was before or as it is after, never something between.
fn looked_at_one_by_one(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    let (world, layout) = populated(&mut choices);
    let change = Change::choose(&mut choices, &world, layout);
    let dir = scratch();
    let whole = dir.path().join("whole");
    copy(&world.root, &whole);
    let Ok(steps) = make(&whole, &change, None) else { return };
    let ids = world.picture.ids();
    let look = |root: &Path, id: TaskId| {
        let found = Store::open(root).unwrap().find(&id.into()).ok()?;
        // The fields that say a place say the same as the directories do.
        let task = handoff_model::task::Task { parent: None, number: None, ..found.task };
        Some((task, found.number, found.parent))
    };
    let trash = |root: &Path| -> Vec<(TaskId, usize)> {
        let trash = Store::open(root).unwrap().trash().unwrap();
        trash.iter().map(|trashed| (trashed.id, trashed.count)).collect()
    };
    for cut in 0..steps {
        let place = dir.path().join(format!("cut{cut}"));
        copy(&world.root, &place);
        make(&place, &change, Some(cut)).unwrap();
        let seen = trash(&place);
        assert!(seen == trash(&world.root) || seen == trash(&whole), "{change:?} cut off after {cut}: {seen:?}");
        for &id in &ids {
            let place = dir.path().join(format!("cut{cut}-{id}"));
            copy(&world.root, &place);
            make(&place, &change, Some(cut)).unwrap();
            let (seen, before, after) = (look(&place, id), look(&world.root, id), look(&whole, id));
            assert!(seen == before || seen == after, "{change:?} cut off after {cut} of {steps}: {id} {seen:?}");
        }
    }
}

/// What a person writes into a file after the cut stays, and no task is lost over it.
fn edited_after_the_cut(bytes: &[u8]) {
    const BY_HAND: &str = "# by hand\n";
    let mut choices = Choices::new(bytes);
    let (world, layout) = populated(&mut choices);
    let change = Change::choose(&mut choices, &world, layout);
    let dir = scratch();
    let whole = dir.path().join("whole");
    copy(&world.root, &whole);
    let Ok(steps) = make(&whole, &change, None) else { return };
    let cut = choices.below(steps.max(1));
    if steps < 2 {
        return;
    }
    make(&world.root, &change, Some(cut)).unwrap();
    let tasks = |files: &BTreeMap<String, Vec<u8>>| files.keys().filter(|name| name.ends_with("task.toml")).count();
    let present = files(&world.root);
    let records: Vec<&String> = present.keys().filter(|name| name.ends_with("task.toml")).collect();
    let chosen = world.root.join(records[choices.below(records.len())]);
    let text = fs::read_to_string(&chosen).unwrap();
    fs::write(&chosen, format!("{BY_HAND}{text}")).unwrap();
    let forest = Store::open(&world.root).unwrap().forest().unwrap();
    let after = files(&world.root);
    assert_eq!(tasks(&after), tasks(&present), "{change:?} cut off after {cut}");
    let edited = after.values().filter(|bytes| bytes.starts_with(BY_HAND.as_bytes())).count();
    assert_eq!(edited, 1, "{change:?} cut off after {cut}: the edit of {} is lost", chosen.display());
    let ids =
        forest.walk().len() + Store::open(&world.root).unwrap().trash().unwrap().iter().map(|t| t.count).sum::<usize>();
    assert_eq!(ids, tasks(&after), "{change:?} cut off after {cut}: {:?}", forest.problems);
}

#[test]
fn an_edit_after_a_cut_costs_no_task_its_parent() {
    let mut world = World::new(Layout::Status);
    world.create(None, "a");
    let parent = world.picture.ids()[0];
    world.create(Some(parent), "b");
    make(&world.root, &Change::Convert(Layout::Stable), Some(0)).unwrap();
    let child = world.root.join("tasks/01-todo--a/01.1-todo--b/task.toml");
    let text = fs::read_to_string(&child).unwrap();
    fs::write(&child, format!("# by hand\n{text}")).unwrap();
    let forest = Store::open(&world.root).unwrap().forest().unwrap();
    assert_eq!((forest.roots.as_slice(), forest.len()), (&[parent][..], 2), "{:?}", walk(&forest));
}

/// Ends a timer and logs what it counted, cut off after so many steps.
fn end_timer(root: &Path, cut_after: Option<usize>) -> usize {
    let mut store = Store::open(root).unwrap();
    store.lock("test", Duration::from_secs(5)).unwrap();
    let task = "k7f3q2ma".parse().unwrap();
    store.log_time(Interval::correction(task, "alice", noon(), 45)).unwrap();
    store.put_timer("alice", None).unwrap();
    let mut steps = 0;
    let committed = catch_unwind(AssertUnwindSafe(|| {
        store.commit(|done, total| {
            steps = total;
            if cut_after == Some(done) {
                resume_unwind(Box::new(()));
            }
        })
    }));
    assert_eq!(committed.is_err(), cut_after.is_some());
    steps
}

#[test]
fn a_timer_and_its_time_are_never_both_there_nor_both_gone() {
    let start = Command::Start { task: "k7f3q2ma".parse().unwrap(), session: None };
    let now = Reading { at: noon(), machine: None };
    let timer = timer::step(None, "alice", start, &now, 10).unwrap().timer.unwrap();
    let prepared = World::new(Layout::Status);
    let mut store = Store::open(&prepared.root).unwrap();
    store.lock("test", Duration::from_secs(5)).unwrap();
    store.put_timer("alice", Some(&KeptTimer::new(timer, "a1".to_owned()))).unwrap();
    store.commit(|_, _| {}).unwrap();
    drop(store);
    let dir = scratch();
    let whole = dir.path().join("whole");
    copy(&prepared.root, &whole);
    let steps = end_timer(&whole, None);
    assert_eq!(steps, 2);
    // Whoever writes next finishes what was cut off, or takes it back where the journal says so.
    let look = |root: &Path| {
        let mut store = Store::open(root).unwrap();
        store.lock("test", Duration::from_secs(5)).unwrap();
        (store.timer("alice").unwrap().is_some(), store.minutes_on("k7f3q2ma".parse().unwrap()).unwrap())
    };
    for cut in 0..steps {
        let place = dir.path().join(format!("cut{cut}"));
        copy(&prepared.root, &place);
        end_timer(&place, Some(cut));
        let undone = dir.path().join(format!("undone{cut}"));
        copy(&place, &undone);
        fs::rename(undone.join(JOURNAL), undone.join(UNDO_JOURNAL)).unwrap();
        assert_eq!((look(&place), look(&undone)), ((false, 45), (true, 0)), "cut off after {cut}");
    }
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn a_change_cut_off_anywhere_is_made_or_not(bytes in bytes(60)) {
        cut_off_anywhere(&bytes);
    }

    #[test]
    fn an_edit_after_a_cut_is_kept(bytes in bytes(60)) {
        edited_after_the_cut(&bytes);
    }
}

proptest! {
    #![proptest_config(cases(6))]

    #[test]
    fn a_task_looked_at_after_a_cut_is_as_before_or_as_after(bytes in bytes(60)) {
        looked_at_one_by_one(&bytes);
    }
}
