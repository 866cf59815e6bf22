//! `local/` is used only where this user made it, on this machine, for this directory.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test stops at the first surprise, and plays tricks"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use handoff_model::name::Layout;
use handoff_model::task::Task;
use handoff_store::{ForeignLocal, LocalRules, NewStore, SetAsideOrigin, Store};

const WAIT: Duration = Duration::from_secs(10);

/// A directory with a project in it that has a change in its log.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place { dir: tempfile::tempdir().unwrap() };
        let new = NewStore { config: "[project]\nname = \"a\"\n", layout: Layout::Status, private: true };
        let store = Store::create(&place.store("a"), &new).unwrap();
        create_task(store);
        place
    }

    fn store(&self, project: &str) -> PathBuf {
        self.dir.path().join(project).join(".handoff")
    }

    /// Copies the project, as `cp -a` does.
    fn copy(&self, from: &str, to: &str) {
        let copied =
            Command::new("cp").arg("-a").arg(self.dir.path().join(from)).arg(self.dir.path().join(to)).status();
        assert!(copied.unwrap().success());
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.dir.path().join(from), self.dir.path().join(to)).unwrap();
    }
}

fn create_task(mut store: Store) {
    store.lock("test", WAIT).unwrap();
    let task = Task::new("taska001".parse().unwrap(), &"A".parse().unwrap(), "2026-11-15T12:00:00Z".parse().unwrap());
    store.create_task(None, task).unwrap();
    store.commit(|_, _| {}).unwrap();
}

/// Number of changes that could be taken back.
fn changes(store: &Store) -> usize {
    store.history().unwrap().count()
}

/// Every file below a directory, with its bytes.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![dir.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.strip_prefix(dir).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn a_store_finds_its_own_local_state_again() {
    let place = Place::new();
    let store = Store::open(&place.store("a")).unwrap();
    assert_eq!((changes(&store), store.set_aside().unwrap().len()), (1, 0));
}

#[test]
fn a_copy_begins_afresh_and_keeps_what_it_was_copied_with() {
    let place = Place::new();
    place.copy("a", "b");
    let before = files(&place.store("b").join("local"));
    let store = Store::open(&place.store("b")).unwrap();
    assert_eq!(changes(&store), 0);
    let aside = store.set_aside().unwrap();
    assert_eq!((aside.len(), aside[0].origin), (1, SetAsideOrigin::Copy));
    assert_eq!(files(&place.store("b").join(aside[0].path())), before, "whole, byte for byte");
    assert_eq!(store.unreported_set_aside(), aside);
    assert_eq!(changes(&Store::open(&place.store("a")).unwrap()), 1, "the original is as it was");
}

#[test]
fn what_was_set_aside_is_reported_until_somebody_says_so() {
    let place = Place::new();
    place.copy("a", "b");
    drop(Store::open(&place.store("b")).unwrap());
    let mut store = Store::open(&place.store("b")).unwrap();
    assert_eq!(store.unreported_set_aside().len(), 1);
    store.mark_set_aside_reported();
    let store = Store::open(&place.store("b")).unwrap();
    assert_eq!((store.unreported_set_aside().len(), store.set_aside().unwrap().len()), (0, 1));
}

#[test]
fn what_was_set_aside_can_be_taken_back() {
    let place = Place::new();
    place.copy("a", "b");
    let mut store = Store::open(&place.store("b")).unwrap();
    store.lock("test", WAIT).unwrap();
    assert_eq!(store.restore_set_aside("1").unwrap(), "1");
    drop(store);
    let store = Store::open(&place.store("b")).unwrap();
    assert_eq!((changes(&store), store.unreported_set_aside().len()), (1, 0));
    assert_eq!(store.set_aside().unwrap().len(), 1, "the state that was in use until then");
}

#[test]
fn a_project_that_the_user_moved_keeps_its_state_and_another_that_turned_up_does_not() {
    let place = Place::new();
    let user_dir = place.dir.path().join("user");
    let rules = LocalRules { user_dir: Some(user_dir.clone()), foreign: ForeignLocal::SetAside };
    Store::open(&place.store("a")).unwrap().register(&user_dir, || "a".to_owned()).unwrap();
    place.rename("a", "b");
    // The registry names the path that the project had.
    assert_eq!(changes(&Store::open_by(&place.store("b"), &rules).unwrap()), 1);
    place.rename("b", "c");
    let store = Store::open(&place.store("c")).unwrap();
    assert_eq!(changes(&store), 0, "nothing says that it was this user's project under that name");
}

#[test]
fn a_directory_without_a_stamp_is_set_aside_before_anything_in_it_is_read() {
    let place = Place::new();
    let local = place.store("a").join("local");
    for entry in fs::read_dir(&local).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_str().unwrap().starts_with("stamp-") {
            fs::remove_file(path).unwrap();
        }
    }
    // A journal is what every command acts on first.
    let journal = r#"{"format":1,"steps":[{"put":{"path":"PLANTED","before":null,"after":"x"}}]}"#;
    fs::write(local.join("state/journal.json"), journal).unwrap();
    let mut store = Store::open(&place.store("a")).unwrap();
    store.lock("test", WAIT).unwrap();
    assert!(!place.store("a").join("PLANTED").exists());
    let aside = store.set_aside().unwrap();
    assert_eq!((aside.len(), aside[0].origin), (1, SetAsideOrigin::Unknown));
    assert!(place.store("a").join(aside[0].path()).join("state/journal.json").exists());
}

#[test]
fn a_change_that_was_cut_off_before_the_copy_is_finished_in_the_copy() {
    let place = Place::new();
    let journal = r#"{"format":1,"steps":[{"put":{"path":"handover.toml","before":null,"after":"x"}}]}"#;
    fs::write(place.store("a").join("local/state/journal.json"), journal).unwrap();
    place.copy("a", "b");
    drop(Store::open(&place.store("b")).unwrap());
    assert_eq!(fs::read_to_string(place.store("b").join("handover.toml")).unwrap(), "x");
}

#[test]
fn whoever_only_looks_changes_nothing_and_believes_nothing() {
    let place = Place::new();
    place.copy("a", "b");
    let before = files(&place.store("b"));
    let rules = LocalRules { user_dir: None, foreign: ForeignLocal::Ignore };
    let mut store = Store::open_by(&place.store("b"), &rules).unwrap();
    assert_eq!((changes(&store), store.forest().unwrap().len()), (0, 1));
    assert!(store.lock("test", WAIT).is_err());
    assert_eq!(files(&place.store("b")), before);
}

#[test]
fn nothing_is_moved_from_under_a_process_that_uses_it() {
    let place = Place::new();
    place.copy("a", "b");
    let held = fs::File::open(place.store("b").join("local/state/lock")).unwrap();
    held.lock().unwrap();
    let mut store = Store::open(&place.store("b")).unwrap();
    assert_eq!(changes(&store), 0);
    let refused = store.lock("test", WAIT).unwrap_err();
    let why = std::error::Error::source(&refused).unwrap().to_string();
    assert!(why.contains("another process is using it"), "{why}");
    drop(held);
    create_task_in_new(&place);
}

fn create_task_in_new(place: &Place) {
    let mut store = Store::open(&place.store("b")).unwrap();
    store.lock("test", WAIT).unwrap();
    assert_eq!(store.set_aside().unwrap().len(), 1);
}

#[test]
fn an_exchange_that_was_cut_off_is_completed() {
    let place = Place::new();
    place.copy("a", "b");
    drop(Store::open(&place.store("b")).unwrap());
    // As if the second of the two renames had not happened.
    fs::rename(place.store("b").join("local"), place.store("b").join(".local-new-1-0")).unwrap();
    let store = Store::open(&place.store("b")).unwrap();
    assert_eq!(store.set_aside().unwrap().len(), 1);
    assert!(!place.store("b").join(".local-new-1-0").exists());
}

#[test]
fn an_empty_directory_is_taken_for_a_crash_between_making_and_stamping_it() {
    let place = Place::new();
    fs::remove_dir_all(place.store("a").join("local")).unwrap();
    fs::create_dir(place.store("a").join("local")).unwrap();
    let mut store = Store::open(&place.store("a")).unwrap();
    store.lock("test", WAIT).unwrap();
    drop(store);
    assert_eq!(Store::open(&place.store("a")).unwrap().set_aside().unwrap().len(), 0);
}

#[cfg(unix)]
#[test]
fn a_directory_of_another_user_is_set_aside() {
    let place = Place::new();
    // Only root can give a directory away.
    if std::os::unix::fs::chown(place.store("a").join("local"), Some(12345), None).is_err() {
        return;
    }
    let store = Store::open(&place.store("a")).unwrap();
    assert_eq!((changes(&store), store.set_aside().unwrap().len()), (0, 1));
}
