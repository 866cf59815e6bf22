//! Directories as people, crashes and merges leave them: both layouts mixed, names that lie, files that are broken.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use handoff_model::id::TaskId;
use handoff_model::name::Layout;
use handoff_model::problem::Severity;
use handoff_model::task::{Status, Task};
use handoff_store::Store;
use proptest::prelude::*;

use crate::choices::Choices;
use crate::sequence::check_finding;
use crate::{bytes, cases, noon, scratch};

/// Whether two directories may have one id, as after a copy or a merge.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Copies {
    None,
    Some,
}

/// Writes a tree of task directories by hand, and returns the files in it.
pub(crate) fn write_tree(root: &Path, choices: &mut Choices, copies: Copies) -> BTreeSet<String> {
    let word = choices.pick(&["status", "stable"]);
    fs::create_dir_all(root.join("tasks")).unwrap();
    fs::write(root.join("config.toml"), format!("[settings]\ntask_dirs = \"{word}\"\n")).unwrap();
    let mut dirs = vec!["tasks".to_owned()];
    let mut files = BTreeSet::new();
    let count = choices.below(10);
    for index in 0..count {
        let id: TaskId = match copies {
            Copies::Some if choices.once_in(4) => "task0000".parse().unwrap(),
            _ => format!("task000{index}").parse().unwrap(),
        };
        let above = dirs[choices.below(dirs.len())].clone();
        let ordinal = choices.below(4) + 1;
        let name = match choices.below(8) {
            0..=3 => format!("{ordinal:02}-{}--x{index}", choices.pick(Status::ALL)),
            4 => format!("x-{id}"),
            5 => format!("{ordinal}-notes {index}"),
            6 => format!("{ordinal}.{}-doing--x{index}", choices.below(3)),
            _ => format!("by hand {index}"),
        };
        let dir = format!("{above}/{name}");
        if fs::create_dir(root.join(&dir)).is_err() {
            continue;
        }
        let file = format!("{dir}/task.toml");
        if let Some(text) = text(choices, id) {
            fs::write(root.join(&file), text).unwrap();
            files.insert(file);
        }
        dirs.push(dir);
    }
    files
}

fn text(choices: &mut Choices, id: TaskId) -> Option<Vec<u8>> {
    let mut task = Task::new(id, &"x".parse().unwrap(), noon());
    task.status = choices.pick(Status::ALL);
    if choices.once_in(4) {
        task.parent = Some(format!("task000{}", choices.below(10)).parse().unwrap());
    }
    if choices.once_in(4) {
        task.number = Some(u32::from(choices.byte() % 5));
    }
    let text = task.print();
    Some(match choices.below(16) {
        1 => return None,
        2 => Vec::new(),
        3 => text.as_bytes()[..text.len() / 2].to_vec(),
        4 => b"\xff\xfe".to_vec(),
        5 => format!("<<<<<<< ours\n{text}=======\n{text}order = 1\n>>>>>>> theirs\n").into_bytes(),
        6 => text.replace("status = ", "status = \"wip\" # ").into_bytes(),
        7 => format!("format = 9\n{}", text.replace("format = 1\n", "")).into_bytes(),
        _ => text.into_bytes(),
    })
}

/// A look at one task is a look at all of them, also after the locator was written.
fn finding_agrees(root: &Path, bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    write_tree(root, &mut choices, Copies::Some);
    let mut store = Store::open(root).unwrap();
    let forest = store.forest().unwrap();
    // A reference whose file is broken is answered with the damage; that is more than resolving can say.
    if forest.problems.iter().any(|problem| problem.severity == Severity::Damaged) {
        return;
    }
    check_finding(&store, &forest);
    store.lock("test", Duration::from_secs(5)).unwrap();
    check_finding(&store, &forest);
    store.unlock();
    let store = Store::open(root).unwrap();
    check_finding(&store, &forest);
}

/// Whatever is done to one task, all others are there afterwards, and nothing is numbered like its sibling.
fn changes_lose_nothing(root: &Path, bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    write_tree(root, &mut choices, Copies::None);
    let mut store = Store::open(root).unwrap();
    // Where tasks lie under themselves, one of them is shown at the top; which one may change.
    if store.forest().unwrap().problems.iter().any(|problem| problem.reason.contains("under itself")) {
        return;
    }
    let mut before = tasks(&store);
    for index in 0..4_u8 {
        store.lock("test", Duration::from_secs(5)).unwrap();
        let ids: Vec<TaskId> = before.keys().copied().collect();
        let chosen = (!ids.is_empty()).then(|| ids[choices.below(ids.len())]);
        let found = chosen.map(|id| store.find(&id.into()).unwrap());
        let action = choices.below(4);
        let result = match (action, &found) {
            (0, found) => {
                let new: TaskId = format!("newone0{index}").parse().unwrap();
                let task = Task::new(new, &"new".parse().unwrap(), noon());
                store.create_task(found.as_ref(), task).map(|created| {
                    before.insert(new, ("new".to_owned(), created.parent));
                })
            }
            (1, Some(found)) => {
                let task = Task { title: "changed".to_owned(), ..found.task.clone() };
                store.save_task(found, &task).map(|_| {
                    before.insert(task.id, ("changed".to_owned(), found.parent));
                })
            }
            (2, Some(found)) => store.move_task(found, None).map(|_| {
                before.get_mut(&found.task.id).unwrap().1 = None;
            }),
            _ => {
                let to = if store.layout() == Layout::Status { Layout::Stable } else { Layout::Status };
                store.convert(to).map(|_| ())
            }
        };
        let result = result.and_then(|()| store.commit(|_, _| {}));
        store.unlock();
        // Only a file that cannot be read as it stands may be refused.
        if let Err(error) = result {
            assert!(matches!(error, handoff_store::StoreError::Damaged(_)), "action {action}: {error}");
            return;
        }
        assert_eq!(tasks(&Store::open(root).unwrap()), before, "after action {action} on {chosen:?}");
    }
}

fn tasks(store: &Store) -> std::collections::BTreeMap<TaskId, (String, Option<TaskId>)> {
    let forest = store.forest().unwrap();
    forest.walk().iter().map(|node| (node.task.id, (node.task.title.clone(), node.parent))).collect()
}

#[test]
fn tasks_that_lie_under_themselves_are_detached_by_the_field_that_says_so() {
    for smallest in ["aaaaaaaa", "zzzzzzzz"] {
        let dir = scratch();
        let write = |dir: &Path, id: &str, parent: Option<&str>| {
            let mut task = Task::new(id.parse().unwrap(), &"x".parse().unwrap(), noon());
            task.parent = parent.map(|parent| parent.parse().unwrap());
            fs::create_dir_all(dir).unwrap();
            fs::write(dir.join("task.toml"), task.print()).unwrap();
        };
        fs::write(dir.path().join("config.toml"), "").unwrap();
        let outer = dir.path().join("tasks/outer");
        write(&outer, "task0000", Some("task0002"));
        write(&outer.join("inner"), "task0002", None);
        write(&outer.join("inner/leaf"), smallest, None);
        let forest = Store::open(dir.path()).unwrap().forest().unwrap();
        assert_eq!(forest.roots, ["task0000".parse().unwrap()], "{:?}", forest.problems);
    }
}

#[test]
fn a_directory_left_inside_another_comes_out_of_it_when_its_task_moves() {
    let dir = scratch();
    fs::write(dir.path().join("config.toml"), "[settings]\ntask_dirs = \"stable\"\n").unwrap();
    for (place, id) in [("tasks/01-todo--a", "aaaaaaaa"), ("tasks/01-todo--a/01.1-todo--b", "bbbbbbbb")] {
        let task = Task::new(id.parse().unwrap(), &"x".parse().unwrap(), noon());
        fs::create_dir_all(dir.path().join(place)).unwrap();
        fs::write(dir.path().join(place).join("task.toml"), task.print()).unwrap();
    }
    let mut store = Store::open(dir.path()).unwrap();
    store.lock("test", Duration::from_secs(5)).unwrap();
    let found = store.find(&"bbbbbbbb".parse().unwrap()).unwrap();
    store.move_task(&found, None).unwrap();
    store.commit(|_, _| {}).unwrap();
    store.unlock();
    assert_eq!(store.forest().unwrap().roots.len(), 2);
}

/// Shows the directories when something is wrong with them.
fn showing(check: impl FnOnce(&Path)) {
    let dir = scratch();
    let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(dir.path())));
    if let Err(panic) = checked {
        eprintln!("in the end {:#?}", listing(dir.path(), "tasks"));
        std::panic::resume_unwind(panic);
    }
}

fn listing(root: &Path, dir: &str) -> Vec<String> {
    let text = fs::read(root.join(dir).join("task.toml")).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let mut lines = vec![format!("{dir}: {}", text.unwrap_or_default().replace('\n', "; "))];
    for entry in fs::read_dir(root.join(dir)).into_iter().flatten().flatten().filter(|entry| entry.path().is_dir()) {
        lines.extend(listing(root, &format!("{dir}/{}", entry.file_name().to_string_lossy())));
    }
    lines
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn finding_one_agrees_with_reading_all(bytes in bytes(80)) {
        showing(|root| finding_agrees(root, &bytes));
    }

    #[test]
    fn changing_one_loses_none(bytes in bytes(80)) {
        showing(|root| changes_lose_nothing(root, &bytes));
    }
}
