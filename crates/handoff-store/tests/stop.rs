//! Whoever is stopped has changed nothing, and whoever is committing is not stopped.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test stops at the first surprise, and plays tricks"
)]

use std::path::Path;
use std::time::Duration;

use handoff_model::id::TaskId;
use handoff_model::name::Layout;
use handoff_model::task::Task;
use handoff_store::{NewStore, Stop, Stopped, Store, StoreError, Warm};

const LONG: Duration = Duration::from_mins(10);

fn id(index: usize) -> TaskId {
    format!("task{index:04}").parse().unwrap()
}

fn store(root: &Path) -> Store {
    let new = NewStore { config: "[settings]\ntask_dirs = \"status\"\n", layout: Layout::Status, private: true };
    let mut store = Store::create(root, &new).unwrap();
    store.lock("test", LONG).unwrap();
    for index in 0..3 {
        create(&mut store, index);
        store.commit(|_, _| {}).unwrap();
    }
    store.unlock();
    store
}

fn create(store: &mut Store, index: usize) {
    let task = Task::new(id(index), &format!("Task {index}").parse().unwrap(), "2026-11-15T12:00:00Z".parse().unwrap());
    store.create_task(None, task).unwrap();
}

fn stopped<T: std::fmt::Debug>(result: Result<T, StoreError>) -> Stopped {
    match result {
        Err(StoreError::Stopped(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn waiting_for_the_lock_ends_when_told_or_when_time_is_up() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join(".handoff");
    let mut holder = store(&root);
    holder.lock("test", LONG).unwrap();
    let limit = Duration::from_millis(30);
    let mut waiting = Store::open(&root).unwrap().stopped_by(Stop::after(limit));
    assert_eq!(stopped(waiting.lock("waiting", LONG)), Stopped::TimedOut(limit));
    let stop = Stop::never();
    let mut waiting = Store::open(&root).unwrap().stopped_by(stop.clone());
    let told = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        stop.stop();
    });
    assert_eq!(stopped(waiting.lock("waiting", LONG)), Stopped::Cancelled);
    told.join().unwrap();
}

#[test]
fn a_reader_that_waits_for_a_change_to_be_over_can_be_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join(".handoff");
    let mut holder = store(&root);
    holder.lock("test", LONG).unwrap();
    std::fs::write(root.join("local/state/journal.json"), "{\"format\":1,\"steps\":[]}").unwrap();
    let limit = Duration::from_millis(30);
    let reader = Store::open(&root).unwrap().stopped_by(Stop::after(limit));
    assert_eq!(stopped(reader.forest()), Stopped::TimedOut(limit));
    holder.unlock();
    assert_eq!(Store::open(&root).unwrap().forest().unwrap().len(), 3);
}

#[test]
fn a_reading_that_was_stopped_leaves_the_next_one_whole() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join(".handoff");
    store(&root);
    let stop = Stop::never();
    stop.stop();
    assert_eq!(stopped(Store::open(&root).unwrap().stopped_by(stop.clone()).forest()), Stopped::Cancelled);
    for warm in [Warm::new(), Warm::watching_at_most(0)] {
        let open = || Store::open_warm(&root, &warm).unwrap();
        assert_eq!(stopped(open().stopped_by(stop.clone()).forest()), Stopped::Cancelled);
        assert_eq!(open().forest().unwrap().len(), 3);
        std::fs::create_dir_all(root.join("tasks/07-todo--x/08-todo--y")).unwrap();
        assert_eq!(stopped(open().stopped_by(stop.clone()).forest()), Stopped::Cancelled);
        let problems = open().forest().unwrap().problems.len();
        assert_eq!(problems, Store::open(&root).unwrap().forest().unwrap().problems.len());
        std::fs::remove_dir_all(root.join("tasks/07-todo--x")).unwrap();
    }
}

#[test]
fn a_change_can_be_stopped_until_it_is_being_made() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join(".handoff");
    store(&root);
    let stop = Stop::never();
    let mut writer = Store::open(&root).unwrap().stopped_by(stop.clone());
    writer.lock("test", LONG).unwrap();
    create(&mut writer, 3);
    stop.stop();
    assert_eq!(stopped(writer.commit(|_, _| {})), Stopped::Cancelled);
    writer.unlock();
    assert_eq!(Store::open(&root).unwrap().forest().unwrap().len(), 3);

    let stop = Stop::never();
    let mut writer = Store::open(&root).unwrap().stopped_by(stop.clone());
    writer.lock("test", LONG).unwrap();
    assert_eq!(writer.convert(Layout::Stable).unwrap(), 3);
    writer.commit(|_, _| stop.stop()).unwrap();
    writer.unlock();
    let converted = Store::open(&root).unwrap();
    assert_eq!(converted.layout(), Layout::Stable);
    assert!(converted.forest().unwrap().walk().iter().all(|node| node.dir().ends_with(node.task.id.as_str())));
}

#[test]
fn preparing_a_change_of_many_can_be_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join(".handoff");
    store(&root);
    let stop = Stop::never();
    let mut writer = Store::open(&root).unwrap().stopped_by(stop.clone());
    writer.lock("test", LONG).unwrap();
    stop.stop();
    assert_eq!(stopped(writer.convert(Layout::Stable)), Stopped::Cancelled);
}
