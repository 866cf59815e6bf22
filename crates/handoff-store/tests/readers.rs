//! Readers take no lock, and still see every task exactly once while others move them about.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test stops at the first surprise, and plays tricks"
)]

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use handoff_model::id::TaskId;
use handoff_model::name::Layout;
use handoff_model::problem::Severity;
use handoff_model::task::{Status, Task};
use handoff_model::when::Moment;
use handoff_store::{NewStore, Store, StoreError, Warm};

const TASKS: usize = 40;
const CHANGES: usize = 120;

fn noon() -> Moment {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

fn id(index: usize) -> TaskId {
    format!("task{index:04}").parse().unwrap()
}

fn change<T>(store: &mut Store, change: impl FnOnce(&mut Store) -> Result<T, StoreError>) -> Result<T, StoreError> {
    store.lock("test", Duration::from_secs(30)).unwrap();
    let result = change(store).and_then(|value| store.commit(|_, _| {}).map(|()| value));
    store.unlock();
    result
}

/// A store of tasks, every fourth of them at the top.
fn store(root: &Path) {
    let new = NewStore { config: "[settings]\ntask_dirs = \"status\"\n", layout: Layout::Status, private: true };
    let mut store = Store::create(root, &new).unwrap();
    for index in 0..TASKS {
        let task = Task::new(id(index), &format!("Task {index}").parse().unwrap(), noon());
        change(&mut store, |store| {
            let above = (index % 4 != 0).then_some(index - index % 4);
            let parent = above.map(|above| store.find(&id(above).into())).transpose()?;
            store.create_task(parent.as_ref(), task)
        })
        .unwrap();
    }
}

/// Numbers that look random and are the same in every run.
struct Numbers(u32);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as usize % limit
    }
}

fn write(root: &Path, seed: u32) {
    let mut store = Store::open(root).unwrap();
    let mut numbers = Numbers(seed);
    for _ in 0..CHANGES {
        let chosen = id(numbers.below(TASKS));
        let result = match numbers.below(12) {
            0..=3 => change(&mut store, |store| {
                let found = store.find(&chosen.into())?;
                let task = Task { status: Status::ALL[numbers.below(Status::ALL.len())], ..found.task.clone() };
                store.save_task(&found, &task).map(|_| ())
            }),
            4..=6 => change(&mut store, |store| {
                let found = store.find(&chosen.into())?;
                let task = Task { title: format!("Title {}", numbers.below(1000)), ..found.task.clone() };
                store.save_task(&found, &task).map(|_| ())
            }),
            7..=10 => change(&mut store, |store| {
                let found = store.find(&chosen.into())?;
                let target = id(numbers.below(TASKS));
                let target = store.find(&target.into()).map(|target| (numbers.below(3) > 0).then_some(target))?;
                store.move_task(&found, target.as_ref()).map(|_| ())
            }),
            _ => change(&mut store, |store| {
                let to = if store.layout() == Layout::Status { Layout::Stable } else { Layout::Status };
                store.convert(to).map(|_| ())
            }),
        };
        match result {
            Ok(()) | Err(StoreError::UnderItself { .. } | StoreError::TooDeep { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

fn read_all(store: &Store, all: &BTreeSet<TaskId>) {
    let forest = store.forest().unwrap();
    let seen: Vec<TaskId> = forest.walk().iter().map(|node| node.task.id).collect();
    assert_eq!(seen.len(), all.len(), "{:?}", forest.problems);
    assert_eq!(&seen.into_iter().collect::<BTreeSet<_>>(), all);
    let damage = forest.problems.iter().find(|problem| problem.severity == Severity::Damaged);
    assert_eq!(damage, None);
    let doubled = forest.problems.iter().find(|problem| problem.reason.contains(" too"));
    assert_eq!(doubled, None);
}

fn read_one(store: &Store, wanted: TaskId) {
    match store.find(&wanted.into()) {
        Ok(found) => assert_eq!(found.task.id, wanted),
        // It was renamed between being looked for and being read; the answer says so, and to try again.
        Err(StoreError::ChangedUnderway { .. }) => {}
        Err(error) => panic!("{wanted}: {error}"),
    }
}

#[test]
fn every_reading_has_every_task_once_while_others_rename_move_and_convert() {
    let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let root = dir.path().join(".handoff");
    store(&root);
    let all: BTreeSet<TaskId> = (0..TASKS).map(id).collect();
    read_all(&Store::open(&root).unwrap(), &all);
    let warm = Warm::new();
    let (done, readings) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let writers = [1, 2].map(|seed| {
            scope.spawn({
                let root = &root;
                move || write(root, seed)
            })
        });
        for reader in 0..3 {
            let (root, warm, all, done, readings) = (&root, &warm, &all, &done, &readings);
            scope.spawn(move || {
                let mut numbers = Numbers(reader + 7);
                while !done.load(Ordering::Relaxed) {
                    // One reads from disk, the others from a memory they share.
                    let store = if reader == 0 { Store::open(root) } else { Store::open_warm(root, warm) }.unwrap();
                    read_all(&store, all);
                    read_one(&store, id(numbers.below(TASKS)));
                    readings.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        // Readers stop also when a writer failed, so that the test ends.
        let results = writers.map(std::thread::ScopedJoinHandle::join);
        done.store(true, Ordering::Relaxed);
        for result in results {
            result.unwrap();
        }
    });
    assert!(readings.load(Ordering::Relaxed) > 0, "the readers were there");
    read_all(&Store::open(&root).unwrap(), &all);
    read_all(&Store::open_warm(&root, &warm).unwrap(), &all);
}

/// A writer that goes from one change to the next may never let anybody else have the lock.
#[test]
fn a_reader_sees_that_a_change_is_made_while_the_writer_keeps_the_lock() {
    let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let root = dir.path().join(".handoff");
    store(&root);
    let mut writer = Store::open(&root).unwrap();
    writer.lock("test", Duration::from_secs(5)).unwrap();
    writer.convert(Layout::Stable).unwrap();
    // The change stands in the journal, and no step of it was made.
    let begun = catch_unwind(AssertUnwindSafe(|| writer.commit(|_, _| resume_unwind(Box::new(())))));
    assert!(begun.is_err() && root.join("local/state/journal.json").exists());
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| read_all(&Store::open(&root).unwrap(), &(0..TASKS).map(id).collect()));
        std::thread::sleep(Duration::from_millis(300));
        std::fs::remove_file(root.join("local/state/journal.json")).unwrap();
        std::fs::write(root.join("local/state/generation"), "00000000000000000100\n").unwrap();
        // One that needed the lock would be told at last that it cannot have it.
        reader.join().unwrap();
    });
    drop(writer);
}
