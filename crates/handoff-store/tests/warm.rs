//! Reading from memory gives what reading from disk gives, whatever happens to the files and whoever does it.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests change files as a person would, and stop at the first surprise"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use handoff_model::id::TaskId;
use handoff_model::name::Layout;
use handoff_model::task::{Status, Task};
use handoff_store::{FileReading, Marks, NewStore, Store, StoreError, Warm};

#[path = "warm/numbers.rs"]
mod numbers;
#[path = "warm/storm.rs"]
mod storm;

use storm::Storm;

/// A directory in memory where there is one: these tests are about order, not about disks.
fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn id(index: usize) -> TaskId {
    format!("task{index:04}").parse().unwrap()
}

fn make(root: &Path) -> Store {
    let new = NewStore { config: "[settings]\ntask_dirs = \"status\"\n", layout: Layout::Status, private: true };
    Store::create(root, &new).unwrap()
}

fn change<T>(store: &mut Store, change: impl FnOnce(&mut Store) -> Result<T, StoreError>) -> Result<T, StoreError> {
    store.lock("test", Duration::from_secs(30)).unwrap();
    let result = change(store).and_then(|value| store.commit(|_, _| {}).map(|()| value));
    store.unlock();
    result
}

fn create(store: &mut Store, index: usize, parent: Option<TaskId>) {
    let task = Task::new(id(index), &format!("Task {index}").parse().unwrap(), "2026-11-15T12:00:00Z".parse().unwrap());
    change(store, |store| {
        let parent = parent.and_then(|parent| store.find(&parent.into()).ok());
        store.create_task(parent.as_ref(), task)
    })
    .unwrap();
}

fn project(tasks: usize) -> (tempfile::TempDir, PathBuf) {
    let dir = scratch();
    let root = dir.path().join(".handoff");
    let mut store = make(&root);
    for index in 0..tasks {
        create(&mut store, index, (index % 4 != 0).then(|| id(index - index % 4)));
    }
    (dir, root)
}

/// All that can be seen of the tasks.
fn tasks(store: Result<Store, StoreError>) -> String {
    match store.and_then(|store| store.forest()) {
        Ok(forest) => format!("{forest:#?}"),
        Err(error) => error.to_string(),
    }
}

const TEXTS: FileReading<String> = FileReading {
    is_wanted: |name| Path::new(name).extension().is_some_and(|extension| extension == "toml"),
    understand: |name, text| match text {
        Ok(text) => format!("{name}: {text}"),
        Err(error) => format!("{name}: {error}"),
    },
};

fn sessions(store: Result<Store, StoreError>) -> Vec<String> {
    match store.and_then(|store| store.files("sessions", &TEXTS)) {
        Ok(files) => files.iter().map(|file| file.content.to_string()).collect(),
        Err(error) => vec![error.to_string()],
    }
}

fn same(root: &Path, warm: &Arc<Warm>, after: &str) {
    let (cold, remembered) = (tasks(Store::open(root)), tasks(Store::open_warm(root, warm)));
    if cold != remembered {
        let differs = cold.lines().zip(remembered.lines()).find(|(cold, warm)| cold != warm);
        panic!("after {after}:\n{differs:?}\n--- cold\n{cold}\n--- warm\n{remembered}");
    }
    assert_eq!(sessions(Store::open(root)), sessions(Store::open_warm(root, warm)), "after {after}");
    let (Ok(cold), Ok(remembered)) = (Store::open(root), Store::open_warm(root, warm)) else { return };
    if let Some(node) = cold.forest().unwrap().walk().last() {
        for wanted in [node.task.id.into(), node.number.to_string().parse().unwrap()] {
            let found = |store: &Store| match store.find(&wanted) {
                Ok(found) => format!("{found:?} {:?}", store.children(&found).unwrap()),
                Err(error) => error.to_string(),
            };
            assert_eq!(found(&cold), found(&remembered), "after {after}");
        }
    }
}

fn marks(root: &Path, warm: &Arc<Warm>) -> Marks {
    Store::open_warm(root, warm).unwrap().marks().unwrap().unwrap()
}

/// `HANDOFF_STORMS` sets how many are tried.
fn seeds(first: u32) -> impl Iterator<Item = u32> {
    let count = std::env::var("HANDOFF_STORMS").ok().and_then(|count| count.parse().ok()).unwrap_or(2);
    (0..count).map(move |index| first + index * 100)
}

/// Steps of all sorts, and after each a comparison.
fn weather(seed: u32, steps: usize, warms: &[Arc<Warm>]) {
    let (dir, root) = project(12);
    // Until now the files were too young for their times to tell anything.
    std::thread::sleep(Duration::from_millis(2_100));
    let mut storm = Storm::new(dir.path(), seed);
    let mut before = (String::new(), Vec::new());
    let mut known: Vec<Marks> = warms.iter().map(|_| Marks::default()).collect();
    for step in 0..steps {
        let what = storm.step();
        let after = format!("step {step} of {seed}, {what}");
        let now = (tasks(Store::open(&root)), sessions(Store::open(&root)));
        for (warm, known) in warms.iter().zip(&mut known) {
            if Store::open(&root).is_ok() {
                let grown = marks(&root, warm);
                assert!(
                    step == 0 || before.0 == now.0 || grown.tasks > known.tasks || grown.config > known.config,
                    "{after}: {warm:?}"
                );
                assert!(step == 0 || before.1 == now.1 || grown.sessions > known.sessions, "{after}: {warm:?}");
                *known = grown;
            }
            same(&root, warm, &after);
        }
        before = now;
    }
}

#[test]
fn memory_and_disk_agree_after_every_step_of_a_storm() {
    for seed in seeds(1) {
        let warm = Warm::new();
        weather(seed, 200, std::slice::from_ref(&warm));
        assert_eq!(warm.is_watching(), cfg!(target_os = "linux"));
    }
}

#[test]
fn memory_and_disk_agree_where_nothing_or_not_enough_can_be_watched() {
    weather(11, 200, &[Warm::watching_at_most(0), Warm::watching_at_most(5), Warm::watching_at_most(18)]);
}

#[test]
fn steps_that_come_together_are_seen_together() {
    for seed in seeds(21) {
        let (dir, root) = project(12);
        let warm = Warm::new();
        let mut storm = Storm::new(dir.path(), seed);
        for round in 0..60 {
            let steps: Vec<String> = (0..=(round % 9)).map(|_| storm.step()).collect();
            same(&root, &warm, &format!("round {round} of {seed}, {steps:?}"));
        }
    }
}

#[test]
fn what_is_read_in_the_middle_of_a_storm_is_not_kept_too_long() {
    for seed in seeds(31) {
        let (dir, root) = project(16);
        let warm = Warm::new();
        let mut storm = Storm::new(dir.path(), seed);
        for round in 0..40 {
            let is_over = AtomicBool::new(false);
            let steps = std::thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(|| {
                        while !is_over.load(Ordering::Relaxed) {
                            let _ = tasks(Store::open_warm(&root, &warm));
                            let _ = sessions(Store::open_warm(&root, &warm));
                        }
                    });
                }
                let steps: Vec<String> = (0..10).map(|_| storm.step()).collect();
                is_over.store(true, Ordering::Relaxed);
                steps
            });
            same(&root, &warm, &format!("round {round} of {seed}, {steps:#?}"));
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_directory_that_is_carried_about_by_hand_is_always_somewhere() {
    let (_dir, root) = project(0);
    let mut store = Store::open(&root).unwrap();
    (0..9).for_each(|index| create(&mut store, index, (index > 7).then(|| id(0))));
    let forest = store.forest().unwrap();
    let places: Vec<PathBuf> =
        (0..8).map(|index| root.join(forest.get(id(index)).unwrap().dir()).join("01.1-todo--task-8")).collect();
    let warm = Warm::new();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let forest = Store::open_warm(&root, &warm).unwrap().forest().unwrap();
                    let doubled = forest.problems.iter().any(|problem| problem.reason.contains("has the id"));
                    assert!(forest.get(id(8)).is_some() && !doubled, "{:?}", forest.problems);
                }
            });
        }
        for step in 0..400 {
            fs::rename(&places[step % 8], &places[(step + 1) % 8]).unwrap();
            std::thread::sleep(Duration::from_millis(1));
        }
        is_over.store(true, Ordering::Relaxed);
    });
    same(&root, &warm, "all that");
}

#[test]
fn what_did_not_change_is_not_read_again() {
    let (_dir, root) = project(12);
    for warm in [Warm::new(), Warm::watching_at_most(0)] {
        let read = || Store::open_warm(&root, &warm).unwrap().forest().unwrap();
        let files = || Store::open_warm(&root, &warm).unwrap().files("sessions", &TEXTS).unwrap();
        assert!(Arc::ptr_eq(&read(), &read()));
        assert!(Arc::ptr_eq(&files(), &files()));
        let before = read();
        let path = root.join(before.get(id(3)).unwrap().dir()).join("task.toml");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace("Task 3", "Tesk 3")).unwrap();
        let after = read();
        assert_eq!(after.get(id(3)).unwrap().task.title, "Tesk 3");
        assert!(!Arc::ptr_eq(&before.get(id(3)).unwrap().task, &after.get(id(3)).unwrap().task));
        assert!(Arc::ptr_eq(&before.get(id(4)).unwrap().task, &after.get(id(4)).unwrap().task));
        fs::write(&path, text).unwrap();
    }
}

#[test]
fn the_mark_of_a_task_follows_the_text_of_its_file_and_nothing_else() {
    let (_dir, root) = project(4);
    for warm in [None, Some(Warm::new()), Some(Warm::watching_at_most(0))] {
        let read = || match &warm {
            Some(warm) => Store::open_warm(&root, warm).unwrap().forest().unwrap(),
            None => Store::open(&root).unwrap().forest().unwrap(),
        };
        let mark = |index| read().get(id(index)).unwrap().mark();
        let (before, other) = (mark(1), mark(2));
        let path = root.join(read().get(id(1)).unwrap().dir()).join("task.toml");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}# a remark\n")).unwrap();
        assert_ne!(mark(1), before);
        assert_eq!(mark(2), other);
        fs::write(&path, text).unwrap();
        assert_eq!(mark(1), before);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn more_than_the_kernel_can_tell_is_found_by_looking() {
    let (_dir, root) = project(8);
    let warm = Warm::new();
    same(&root, &warm, "the beginning");
    assert!(warm.is_watching());
    let limit = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
    let limit: usize = limit.trim().parse().unwrap();
    let dir = root.join(Store::open(&root).unwrap().forest().unwrap().get(id(2)).unwrap().dir());
    for index in 0..=limit / 2 {
        let path = dir.join(format!("{index}"));
        fs::write(&path, "").unwrap();
        fs::remove_file(&path).unwrap();
    }
    fs::rename(&dir, dir.with_file_name("01.2-done--lost-in-the-noise")).unwrap();
    fs::write(root.join("sessions/a.toml"), "x").unwrap();
    same(&root, &warm, "too much");
    assert!(warm.is_watching(), "it goes on watching");
    fs::write(root.join("sessions/a.toml"), "y").unwrap();
    same(&root, &warm, "a little more");
}

#[test]
#[cfg(target_os = "linux")]
fn watching_ends_where_the_limit_is_and_answers_do_not() {
    let (_dir, root) = project(8);
    let enough = Warm::watching_at_most(12);
    same(&root, &enough, "the beginning");
    assert!(enough.is_watching());
    let mut store = Store::open(&root).unwrap();
    (8..16).for_each(|index| create(&mut store, index, None));
    same(&root, &enough, "more than can be watched");
    assert!(!enough.is_watching());
}

#[test]
fn a_write_through_a_memory_map_is_seen_when_the_file_is_looked_at() {
    let (dir, root) = project(8);
    let warm = Warm::new();
    let store = Store::open_warm(&root, &warm).unwrap();
    let forest = store.forest().unwrap();
    let file = root.join(forest.get(id(5)).unwrap().dir()).join("task.toml");
    // Another name of the file shows the same: no watcher is told of what is written through it.
    let other = dir.path().join("other");
    fs::hard_link(&file, &other).unwrap();
    let forest = store.forest().unwrap();
    let text = fs::read_to_string(&other).unwrap();
    fs::write(&other, text.replace("Task 5", "Tusk 5")).unwrap();
    let looked_at = store.forest_of(&[id(4), id(5)]).unwrap();
    assert_eq!(looked_at.get(id(5)).unwrap().task.title, "Tusk 5");
    assert!(Arc::ptr_eq(&forest.get(id(4)).unwrap().task, &looked_at.get(id(4)).unwrap().task));
    same(&root, &warm, "a look");
}

#[test]
fn a_name_that_a_person_left_behind_holds_nobody_up_twice() {
    let (_dir, root) = project(4);
    let warm = Warm::new();
    let store = Store::open_warm(&root, &warm).unwrap();
    let dir = root.join(store.forest().unwrap().get(id(0)).unwrap().dir());
    fs::rename(&dir, dir.with_file_name("01-done--by-hand")).unwrap();
    let told = store.forest().unwrap();
    assert!(told.problems[0].reason.contains("another status"), "{:?}", told.problems);
    let mut writer = Store::open(&root).unwrap();
    writer.lock("test", Duration::from_secs(5)).unwrap();
    assert!(Arc::ptr_eq(&told, &store.forest().unwrap()), "nothing changed, so nobody must be waited for");
}

#[test]
fn a_writer_sees_what_was_done_before_it_had_the_lock_and_what_it_did() {
    let (_dir, root) = project(8);
    let warm = Warm::new();
    let mut store = Store::open_warm(&root, &warm).unwrap();
    let title = |store: &Store| store.forest().unwrap().get(id(1)).unwrap().task.title.clone();
    assert_eq!(title(&store), "Task 1");
    let mut other = Store::open(&root).unwrap();
    let rename = |store: &mut Store, title: &str| {
        change(store, |store| {
            let found = store.find(&id(1).into())?;
            store.save_task(&found, &Task { title: title.to_owned(), status: Status::Done, ..found.task.clone() })
        })
        .unwrap();
    };
    rename(&mut other, "By another");
    store.lock("test", Duration::from_secs(5)).unwrap();
    assert_eq!(title(&store), "By another");
    store.unlock();
    rename(&mut store, "By itself");
    assert_eq!(title(&store), "By itself");
    same(&root, &warm, "both");
}

#[test]
fn a_single_file_is_understood_once_and_again_when_it_changes() {
    let (_dir, root) = project(0);
    let warm = Warm::new();
    let path = root.join("handover.toml");
    let read = || Store::open_warm(&root, &warm).unwrap().cached("handover.toml", str::to_owned).unwrap();
    assert_eq!(read(), None);
    fs::write(&path, "one").unwrap();
    std::thread::sleep(Duration::from_millis(2_100));
    let first = read().unwrap();
    assert!(Arc::ptr_eq(&first, &read().unwrap()));
    fs::write(&path, "two").unwrap();
    assert_eq!(*read().unwrap(), "two");
    fs::remove_file(&path).unwrap();
    assert_eq!(read(), None);
}
