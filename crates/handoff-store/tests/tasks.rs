//! Tasks through the store's own interface, in both layouts.
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests prepare files as a person would")]

use std::fs;
use std::path::Path;
use std::time::Duration;

use handoff_model::id::TaskRef;
use handoff_model::name::Layout;
use handoff_model::task::{Status, Task, TaskEdit};
use handoff_model::time_log::Interval;
use handoff_model::when::Moment;
use handoff_store::{Found, NewStore, Store, StoreError, random};

struct Fixture {
    dir: tempfile::TempDir,
    store: Store,
}

fn noon() -> Moment {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

fn fixture(layout: Layout) -> Fixture {
    let dir = tempfile::tempdir().unwrap();
    let config = match layout {
        Layout::Status => "[project]\nname = \"x\"\n",
        Layout::Stable => "[project]\nname = \"x\"\n\n[settings]\ntask_dirs = \"stable\" # fixed\n",
    };
    let new = NewStore { config, layout, private: layout == Layout::Status };
    let store = Store::create(&dir.path().join(".handoff"), &new).unwrap();
    Fixture { dir, store }
}

impl Fixture {
    fn change<T>(&mut self, change: impl FnOnce(&mut Store) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.store.lock("test", Duration::from_secs(5)).unwrap();
        let result = change(&mut self.store).and_then(|value| self.store.commit(|_, _| {}).map(|()| value));
        self.store.unlock();
        result
    }

    fn create(&mut self, title: &str, parent: Option<&Found>) -> Found {
        self.change(|store| store.create_task(parent, new_task(title))).unwrap()
    }

    fn set_status(&mut self, reference: &str, status: Status) -> Found {
        let reference: TaskRef = reference.parse().unwrap();
        self.change(|store| {
            let found = store.find(&reference)?;
            let mut task = found.task.clone();
            task.apply(TaskEdit { status: Some(status), ..TaskEdit::default() }, noon(), None).unwrap();
            store.save_task(&found, &task)
        })
        .unwrap()
    }

    fn find(&self, reference: &str) -> Result<Found, StoreError> {
        self.store.find(&reference.parse().unwrap())
    }

    /// Numbers and titles of all tasks, in order.
    fn tree(&self) -> Vec<String> {
        let forest = self.store.forest().unwrap();
        assert_eq!(forest.problems, [], "{:?}", self.dirs());
        forest.walk().iter().map(|node| format!("{} {}", node.number, node.task.title)).collect()
    }

    /// The task directories, sorted.
    fn dirs(&self) -> Vec<String> {
        let root = self.dir.path().join(".handoff/tasks");
        let mut dirs = Vec::new();
        collect(&root, &root, &mut dirs);
        dirs.sort();
        dirs
    }
}

fn new_task(title: &str) -> Task {
    Task::new(handoff_model::id::TaskId::from_random(random()), &title.parse().unwrap(), noon())
}

fn collect(root: &Path, at: &Path, dirs: &mut Vec<String>) {
    for entry in fs::read_dir(at).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_dir()) {
        dirs.push(entry.path().strip_prefix(root).unwrap().to_string_lossy().into_owned());
        collect(root, &entry.path(), dirs);
    }
}

#[test]
fn the_directories_tell_the_tree_and_follow_the_status() {
    let mut fixture = fixture(Layout::Status);
    let auth = fixture.create("Implement auth", None);
    fixture.create("Design schema", Some(&auth));
    fixture.set_status("1.1", Status::Done);
    assert_eq!(fixture.dirs(), ["01-todo--implement-auth", "01-todo--implement-auth/01.1-done--design-schema"]);
    assert_eq!(fixture.tree(), ["01 Implement auth", "01.1 Design schema"]);
    fixture.set_status("1", Status::InProgress);
    assert_eq!(fixture.find("1.1").unwrap().task.title, "Design schema");
    assert_eq!(fixture.find("1.1").unwrap().parent, Some(auth.task.id));
}

#[test]
fn the_stable_layout_is_flat_and_keeps_its_names() {
    let mut fixture = fixture(Layout::Stable);
    let auth = fixture.create("Implement auth", None);
    let schema = fixture.create("Design schema", Some(&auth));
    fixture.set_status(schema.task.id.as_str(), Status::Done);
    let expected = [format!("design-schema-{}", schema.task.id), format!("implement-auth-{}", auth.task.id)];
    assert_eq!(fixture.dirs(), expected);
    assert_eq!(fixture.tree(), ["01 Implement auth", "01.1 Design schema"]);
    let found = fixture.find("1.1").unwrap();
    assert_eq!((found.task.parent, found.task.number), (Some(auth.task.id), Some(1)));
}

#[test]
fn numbers_are_never_given_out_twice() {
    for layout in [Layout::Status, Layout::Stable] {
        let mut fixture = fixture(layout);
        for title in ["a", "b", "c"] {
            fixture.create(title, None);
        }
        let last = fixture.find("3").unwrap();
        fixture.change(|store| store.delete_task(&last, noon())).unwrap();
        assert_eq!(fixture.create("d", None).number.to_string(), "04");
        let parent = fixture.find("1").unwrap();
        let moved = fixture.find("4").unwrap();
        fixture.change(|store| store.move_task(&moved, Some(&parent))).unwrap();
        assert_eq!(fixture.create("e", None).number.to_string(), "05");
        assert_eq!(fixture.tree(), ["01 a", "01.1 d", "02 b", "05 e"]);
    }
}

#[test]
fn a_move_takes_the_subtree_along_and_renames_it() {
    for layout in [Layout::Status, Layout::Stable] {
        let mut fixture = fixture(layout);
        let a = fixture.create("a", None);
        let b = fixture.create("b", Some(&a));
        fixture.create("c", Some(&b));
        let target = fixture.create("t", None);
        let b = fixture.find("1.1").unwrap();
        fixture.change(|store| store.move_task(&b, Some(&target))).unwrap();
        assert_eq!(fixture.tree(), ["01 a", "02 t", "02.1 b", "02.1.1 c"]);
        if layout == Layout::Status {
            assert_eq!(fixture.dirs()[3], "02-todo--t/02.1-todo--b/02.1.1-todo--c");
        }
        let b = fixture.find("2.1").unwrap();
        fixture.change(|store| store.move_task(&b, None)).unwrap();
        assert_eq!(fixture.tree(), ["01 a", "02 t", "03 b", "03.1 c"]);
        let top = fixture.find("3").unwrap();
        let under = fixture.find("3.1").unwrap();
        let refused = fixture.change(|store| store.move_task(&top, Some(&under))).unwrap_err();
        assert!(matches!(refused, StoreError::UnderItself { .. }));
        let refused = fixture.change(|store| store.move_task(&top, Some(&top))).unwrap_err();
        assert!(matches!(refused, StoreError::UnderItself { .. }));
    }
}

#[test]
fn a_move_says_something_new_in_the_same_change() {
    for layout in [Layout::Status, Layout::Stable] {
        let mut fixture = fixture(layout);
        let parent = fixture.create("Parent", None);
        let found = fixture.create("Child", None);
        fixture.create("Below", Some(&found));
        let task = Task { title: "Renamed".to_owned(), status: Status::Review, ..found.task.clone() };
        let moved = fixture.change(|store| store.move_task_saying(&found, task, Some(&parent))).unwrap();
        assert_eq!((moved.number.to_string().as_str(), moved.parent), ("01.1", Some(parent.task.id)));
        let read = fixture.find("1.1").unwrap();
        assert_eq!((read.task.title.as_str(), read.task.status, read.rev), ("Renamed", Status::Review, moved.rev));
        assert_eq!(fixture.tree(), ["01 Parent", "01.1 Renamed", "01.1.1 Below"], "{layout:?}");
    }
}

#[test]
fn tasks_made_in_one_change_get_numbers_of_their_own() {
    for layout in [Layout::Status, Layout::Stable] {
        let mut fixture = fixture(layout);
        let new =
            |title: &str| Task::new(handoff_model::id::TaskId::from_random(random()), &title.parse().unwrap(), noon());
        fixture
            .change(|store| {
                let parent = store.create_task(None, new("A"))?;
                store.create_task(None, new("B"))?;
                store.create_task(Some(&parent), new("A1"))?;
                store.create_task(Some(&parent), new("A2"))
            })
            .unwrap();
        assert_eq!(fixture.tree(), ["01 A", "01.1 A1", "01.2 A2", "02 B"], "{layout:?}");
        fixture.create("C", None);
        assert_eq!(fixture.tree().last().unwrap(), "03 C");
    }
}

#[test]
fn a_change_that_gives_and_takes_hands_out_no_number_twice() {
    let mut fixture = fixture(Layout::Status);
    let a = fixture.create("a", None);
    let b = fixture.create("b", Some(&a));
    fixture
        .change(|store| {
            store.create_task(Some(&a), new_task("c"))?;
            store.move_task(&b, None)
        })
        .unwrap();
    fixture.create("c", Some(&a));
    assert_eq!(fixture.tree(), ["01 a", "01.2 c", "01.3 c", "02 b"]);
    let c = fixture.find("1.2").unwrap();
    let mut task = c.task.clone();
    task.status = Status::Blocked;
    fixture
        .change(|store| {
            store.create_task(Some(&a), new_task("d"))?;
            store.save_task(&c, &task)
        })
        .unwrap();
    fixture.create("d", Some(&a));
    assert_eq!(fixture.tree(), ["01 a", "01.2 c", "01.3 c", "01.4 d", "01.5 d", "02 b"]);
}

#[test]
#[expect(clippy::many_single_char_names, reason = "tasks are called by their titles")]
fn many_moves_and_more_are_one_change() {
    for layout in [Layout::Status, Layout::Stable] {
        let mut fixture = fixture(layout);
        let a = fixture.create("a", None);
        let [b, c, d] = ["b", "c", "d"].map(|title| fixture.create(title, Some(&a)));
        let e = fixture.create("e", Some(&b));
        let reference = |found: &Found| found.task.id.into();
        fixture
            .change(|store| {
                store.move_task(&store.find(&reference(&b))?, None)?;
                store.move_task(&store.find(&reference(&c))?, None)?;
                store.create_task(Some(&store.find(&reference(&b))?), new_task("new below b"))?;
                store.create_task(None, new_task("new"))?;
                store.move_task(&store.find(&reference(&d))?, Some(&store.find(&reference(&c))?))?;
                let mut renamed = store.find(&reference(&e))?.task;
                "e, renamed".clone_into(&mut renamed.title);
                store.save_task(&store.find(&reference(&e))?, &renamed)?;
                // One that moved is moved again with all that is in it.
                store.move_task(&store.find(&reference(&c))?, Some(&store.find(&reference(&e))?))?;
                let under_itself = store.move_task(&store.find(&reference(&b))?, Some(&store.find(&reference(&d))?));
                assert!(matches!(under_itself, Err(StoreError::UnderItself { .. })), "{under_itself:?}");
                assert_eq!(store.find(&reference(&d))?.number.to_string(), "02.1.1.1");
                assert_eq!(store.children(&store.find(&reference(&a))?)?.tasks, []);
                Ok(())
            })
            .unwrap();
        let tree = ["01 a", "02 b", "02.1 e, renamed", "02.1.1 c", "02.1.1.1 d", "02.2 new below b", "04 new"];
        assert_eq!(fixture.tree(), tree, "{layout:?}");
        fixture.create("next", None);
        assert_eq!(fixture.find("5").unwrap().task.title, "next");
    }
}

#[test]
fn time_is_logged_for_each_person_and_month_and_summed_over_all() {
    let mut fixture = fixture(Layout::Status);
    let id = fixture.create("A", None).task.id;
    let entry = |who: &str, at: &str, minutes| Interval::correction(id, who, at.parse().unwrap(), minutes);
    fixture
        .change(|store| {
            store.log_time(entry("alice", "2026-11-15T12:00:00Z", 90))?;
            store.log_time(entry("alice", "2026-11-16T12:00:00Z", 30))?;
            store.log_time(entry("bob", "2026-12-01T12:00:00Z", 5))
        })
        .unwrap();
    fixture.change(|store| store.log_time(entry("alice", "2026-11-17T12:00:00Z", -20))).unwrap();
    assert_eq!(fixture.store.names_in("time", ".toml").unwrap(), ["2026-11-alice.toml", "2026-12-bob.toml"]);
    assert_eq!(fixture.store.minutes_on(id).unwrap(), 105);
}

#[test]
fn seventeen_levels_are_refused() {
    for layout in [Layout::Status, Layout::Stable] {
        let mut fixture = fixture(layout);
        let mut parent = fixture.create("level 1", None);
        for level in 2..=16 {
            parent = fixture.create(&format!("level {level}"), Some(&parent));
        }
        let task = Task::new(handoff_model::id::TaskId::from_random(random()), &"deep".parse().unwrap(), noon());
        let refused = fixture.change(|store| store.create_task(Some(&parent), task)).unwrap_err();
        assert!(matches!(refused, StoreError::TooDeep { depth: 17, .. }), "{refused}");
        let other = fixture.create("other", None);
        let top = fixture.find("1").unwrap();
        let refused = fixture.change(|store| store.move_task(&top, Some(&other))).unwrap_err();
        assert!(matches!(refused, StoreError::TooDeep { depth: 17, .. }), "{refused}");
    }
}

#[test]
fn deleted_tasks_come_back_whole() {
    for layout in [Layout::Status, Layout::Stable] {
        let mut fixture = fixture(layout);
        let a = fixture.create("a", None);
        let b = fixture.create("b", Some(&a));
        let c = fixture.create("c", Some(&b));
        fixture.create("d", Some(&c));
        fixture.create("z", None);
        let before = fixture.dirs();
        let b = fixture.find("1.1").unwrap();
        assert_eq!(fixture.change(|store| store.delete_task(&b, noon())).unwrap(), 3);
        assert_eq!(fixture.tree(), ["01 a", "02 z"]);
        let trash = fixture.store.trash().unwrap();
        assert_eq!((trash[0].title.as_deref(), trash[0].count), (Some("b"), 3));
        let trashed = fixture.store.find_in_trash(&b.task.id.into()).unwrap();
        let parent = fixture.find("1").unwrap();
        fixture.change(|store| store.restore_task(&trashed, Some(&parent))).unwrap();
        assert_eq!(fixture.tree(), ["01 a", "01.1 b", "01.1.1 c", "01.1.1.1 d", "02 z"]);
        assert_eq!(fixture.dirs(), before);
        assert!(fixture.store.trash().unwrap().is_empty());
    }
}

#[test]
fn deleted_tasks_that_lie_under_each_other_are_told_apart() {
    let mut fixture = fixture(Layout::Status);
    let a = fixture.create("a", None);
    let b = fixture.create("b", Some(&a));
    let a = fixture.find("1").unwrap();
    fixture.change(|store| store.delete_task(&a, noon())).unwrap();
    let trash = fixture.dir.path().join(".handoff/local/state/trash");
    let entry = fs::read_dir(trash).unwrap().next().unwrap().unwrap().path();
    for (dir, parent) in [(entry.clone(), b.task.id), (entry.join("01.1-todo--b"), a.task.id)] {
        let text = fs::read_to_string(dir.join("task.toml")).unwrap();
        fs::write(dir.join("task.toml"), format!("parent = \"{parent}\"\n{text}")).unwrap();
    }
    let trashed = fixture.store.find_in_trash(&a.task.id.into()).unwrap();
    let titles: Vec<&str> = trashed.tasks().iter().map(|task| task.title.as_str()).collect();
    // Which of the two goes to the top depends on their ids.
    assert!(titles == ["a", "b"] || titles == ["a"], "{titles:?}");
}

#[test]
fn a_trash_entry_of_one_layout_comes_back_in_the_other() {
    let mut fixture = fixture(Layout::Status);
    let a = fixture.create("a", None);
    let b = fixture.create("b", Some(&a));
    fixture.create("c", Some(&b));
    fixture.change(|store| store.convert(Layout::Stable)).unwrap();
    let a = fixture.find("1").unwrap();
    fixture.change(|store| store.delete_task(&a, noon())).unwrap();
    fixture.change(|store| store.convert(Layout::Status)).unwrap();
    let trashed = fixture.store.find_in_trash(&a.task.id.into()).unwrap();
    fixture.change(|store| store.restore_task(&trashed, None)).unwrap();
    assert_eq!(fixture.tree(), ["01 a", "01.1 b", "01.1.1 c"]);
    assert_eq!(fixture.dirs()[2], "01-todo--a/01.1-todo--b/01.1.1-todo--c");
}

#[test]
fn converting_there_and_back_changes_no_byte() {
    let mut fixture = fixture(Layout::Status);
    let a = fixture.create("a", None);
    let b = fixture.create("b", Some(&a));
    fixture.create("c", Some(&b));
    fixture.create("d", None);
    fixture.set_status("1.1.1", Status::Done);
    let files = |fixture: &Fixture| -> Vec<(String, String)> {
        let tasks = fixture.dir.path().join(".handoff/tasks");
        fixture
            .dirs()
            .into_iter()
            .map(|dir| (fs::read_to_string(tasks.join(&dir).join("task.toml")).unwrap(), dir))
            .collect()
    };
    let before = files(&fixture);
    assert_eq!(fixture.change(|store| store.convert(Layout::Stable)).unwrap(), 4);
    assert_eq!(fixture.store.layout(), Layout::Status, "read again under the next lock");
    assert_eq!(fixture.dirs().len(), 4);
    assert!(fixture.dirs().iter().all(|dir| !dir.contains('/')));
    fixture.change(|store| store.convert(Layout::Status)).unwrap();
    assert_eq!(files(&fixture), before);
}

#[test]
fn a_change_from_outside_is_never_overwritten() {
    let mut fixture = fixture(Layout::Status);
    let a = fixture.create("a", None);
    let file = fixture.dir.path().join(".handoff").join(a.file());
    let text = fs::read_to_string(&file).unwrap();
    let stale = fixture.find("1").unwrap();
    fs::write(&file, text.replace("title = \"a\"", "title = \"b\"")).unwrap();
    let mut task = stale.task.clone();
    task.assignee = Some("ann".to_owned());
    let refused = fixture.change(|store| store.save_task(&stale, &task)).unwrap_err();
    assert!(matches!(refused, StoreError::ChangedUnderway { .. }), "{refused}");
    assert!(fs::read_to_string(&file).unwrap().contains("title = \"b\""));
}

#[test]
fn a_locator_that_lies_is_found_out() {
    let mut fixture = fixture(Layout::Status);
    let a = fixture.create("a", None);
    fixture.create("b", None);
    fixture.set_status(a.task.id.as_str(), Status::Review);
    let tasks = fixture.dir.path().join(".handoff/tasks");
    fs::rename(tasks.join("01-review--a"), tasks.join("07-review--a")).unwrap();
    assert_eq!(fixture.find(a.task.id.as_str()).unwrap().number.to_string(), "07");
    assert_eq!(fixture.find("7").unwrap().task.id, a.task.id);
    assert!(matches!(fixture.find("1"), Err(StoreError::NoSuchTask { .. })));
    assert_eq!(fixture.create("c", None).number.to_string(), "08");
    fs::write(fixture.dir.path().join(".handoff/local/cache/locator"), "garbage\0\n\n").unwrap();
    assert_eq!(fixture.find(a.task.id.as_str()).unwrap().task.title, "a");
    fs::remove_dir_all(fixture.dir.path().join(".handoff/local")).unwrap();
    fixture.set_status("7", Status::Done);
    assert_eq!(fixture.tree(), ["02 b", "07 a", "08 c"]);
}
