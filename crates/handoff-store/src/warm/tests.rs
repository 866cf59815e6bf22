//! What happens between being told of a change and reading it.

use std::fs;
use std::path::Path;

use super::*;
use crate::NewStore;
use crate::store::Store;

fn store(root: &Path) -> Store {
    let new = NewStore { config: "[project]\nname = \"x\"\n", layout: Layout::Status, private: true };
    Store::create(root, &new).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "tests change files as a person would")]
fn put(dir: &Path, id: &str, title: &str) {
    fs::create_dir_all(dir).unwrap();
    let text = format!("id = \"{id}\"\ntitle = \"{title}\"\nstatus = \"todo\"\n");
    fs::write(dir.join("task.toml"), text).unwrap();
}

#[test]
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "tests change files as a person would")]
fn a_file_that_was_edited_is_read_although_its_directory_moved_meanwhile() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join(".handoff");
    let store = store(&root);
    let (old, new) = (root.join("tasks/01-todo--a"), root.join("tasks/01-todo--b"));
    put(&old, "aaaaaaaa", "Before");
    put(&old.join("01.1-todo--c"), "bbbbbbbb", "Below");
    let (mut state, stop) = (State::default(), Stop::never());
    state.attune(&store.root, usize::MAX);
    assert!(state.refresh_tasks(&store.root, usize::MAX, &stop).unwrap());
    assert_eq!(state.tasks.forest(Layout::Status, Others::MayWrite).forest.len(), 2);

    put(&old, "aaaaaaaa", "After");
    put(&old.join("01.1-todo--c"), "bbbbbbbb", "Below too");
    state.drain();
    fs::rename(&old, &new).unwrap();
    assert!(state.refresh_tasks(&store.root, usize::MAX, &stop).unwrap());
    let forest = state.tasks.forest(Layout::Status, Others::MayWrite).forest;
    let seen: Vec<(&str, &str)> = forest.walk().iter().map(|node| (node.task.title.as_str(), node.dir())).collect();
    assert_eq!(seen, [("After", "tasks/01-todo--b"), ("Below too", "tasks/01-todo--b/01.1-todo--c")]);
}

#[test]
fn what_changed_before_watching_began_again_is_seen() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join(".handoff");
    let store = store(&root);
    let task = root.join("tasks/01-todo--a");
    put(&task, "aaaaaaaa", "Before");
    let (mut state, stop) = (State::default(), Stop::never());
    let mut title = |most| {
        state.try_again = None;
        state.attune(&store.root, most);
        state.drain();
        assert!(state.refresh_tasks(&store.root, most, &stop).unwrap());
        state.tasks.forest(Layout::Status, Others::MayWrite).forest.walk()[0].task.title.clone()
    };
    assert_eq!(title(0), "Before");
    put(&task, "aaaaaaaa", "Between");
    assert_eq!(title(usize::MAX), "Between");
    put(&task, "aaaaaaaa", "After");
    assert_eq!(title(usize::MAX), "After");
}

#[test]
fn a_memory_whose_keeper_panicked_starts_anew() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join(".handoff");
    store(&root);
    put(&root.join("tasks/01-todo--a"), "aaaaaaaa", "One");
    let warm = Warm::new();
    let read = || Store::open_warm(&root, &warm).unwrap().forest().unwrap();
    let before = read();
    let _ = std::thread::scope(|scope| {
        scope
            .spawn(|| {
                let _state = warm.state(&Stop::never());
                panic!("with the memory in hand");
            })
            .join()
    });
    let after = read();
    assert_eq!((before.len(), after.len()), (1, 1));
    assert!(!Arc::ptr_eq(&before, &after));
}

#[test]
fn who_waits_for_the_memory_can_be_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join(".handoff");
    store(&root);
    let warm = Warm::new();
    let held = warm.state(&Stop::never()).unwrap();
    let stop = Stop::never();
    stop.stop();
    let waiting = Store::open_warm(&root, &warm).unwrap().stopped_by(stop);
    assert_eq!(waiting.forest().unwrap_err().to_string(), "cancelled; nothing was changed");
    drop(held);
}
