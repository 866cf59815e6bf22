//! Reading by the index gives what reading every file gives, whatever happens to the files and to the index.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests change files as a person would, and stop at the first surprise"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use handoff_model::id::TaskId;
use handoff_model::name::Layout;
use handoff_model::task::{Status, Task};
use handoff_store::{Forest, NewStore, Node, Store, StoreError, Warm};

#[path = "warm/numbers.rs"]
mod numbers;
#[path = "index/rough.rs"]
mod rough;
#[path = "warm/storm.rs"]
mod storm;

use storm::Storm;

const INDEX: &str = "local/cache/index";

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
    // What was cut off and cannot be finished stands in the way of everything.
    store.lock("test", Duration::from_secs(30))?;
    let result = change(store).and_then(|value| store.commit(|_, _| {}).map(|()| value));
    store.unlock();
    result
}

fn create(store: &mut Store, index: usize, parent: Option<TaskId>) {
    let _ = try_create(store, index, parent);
}

fn try_create(store: &mut Store, index: usize, parent: Option<TaskId>) -> Result<(), StoreError> {
    let task = Task::new(id(index), &format!("Task {index}").parse().unwrap(), "2026-11-15T12:00:00Z".parse().unwrap());
    change(store, |store| {
        let parent = parent.and_then(|parent| store.find(&parent.into()).ok());
        store.create_task(parent.as_ref(), task).map(|_| ())
    })
}

fn save(store: &mut Store, id: TaskId, edit: impl FnOnce(&mut Task)) {
    change(store, |store| {
        let found = store.find(&id.into())?;
        let mut task = found.task.clone();
        edit(&mut task);
        store.save_task(&found, &task).map(|_| ())
    })
    .unwrap();
}

/// A project whose tasks are half finished.
fn project(tasks: usize) -> (tempfile::TempDir, PathBuf) {
    let dir = scratch();
    let root = dir.path().join(".handoff");
    let mut store = make(&root);
    for index in 0..tasks {
        create(&mut store, index, (index % 4 != 0).then(|| id(index - index % 4)));
        if index % 2 == 1 {
            save(&mut store, id(index), |task| task.status = Status::Done);
        }
    }
    (dir, root)
}

/// Waits until the times of all files tell whether they change, and has the index written.
fn settle(root: &Path) {
    std::thread::sleep(Duration::from_millis(150));
    let Ok(store) = Store::open(root) else { return };
    store.rebuild_index().unwrap();
}

fn by_file(root: &Path) -> Store {
    Store::open(root).unwrap().without_index()
}

fn shown(forest: &Forest) -> String {
    format!("{forest:#?}")
}

fn all(forest: &Forest) -> Vec<TaskId> {
    forest.walk().iter().map(|node| node.task.id).collect()
}

/// What is to be known of tasks that are not finished.
fn unfinished(forest: &Forest) -> String {
    let open = forest.walk().into_iter().filter(|node| node.task.status.is_open());
    let says = |node: &Node| format!("{:?} {} under {:?} in {}", node.task, node.number, node.parent, node.dir());
    let open: Vec<String> = open.map(says).collect();
    format!("{:#?} {:#?} {:#?}", forest.counts(), forest.problems, open)
}

/// Every answer tells what tasks that are not finished say, and no task that is not there.
#[track_caller]
fn keeps_its_promise(root: &Path, plain: &Forest, truth: &Forest, after: &str) {
    let says = |node: &Node| format!("{:?} in {}", node.task, node.dir());
    for node in truth.walk().into_iter().filter(|node| node.task.status.is_open()) {
        let told = plain.walk().into_iter().map(says).find(|told| *told == says(node));
        // Of two with one id another may be shown, when one of them was finished and then edited.
        let has_copy =
            plain.problems.iter().chain(&truth.problems).any(|problem| problem.reason.contains("has the id"));
        assert!(told.is_some() || has_copy, "after {after}: {} is missing in {plain:#?}", says(node));
    }
    for node in plain.walk() {
        assert!(root.join(node.dir()).join("task.toml").exists(), "after {after}: {} is gone", node.dir());
    }
}

#[track_caller]
fn same(root: &Path, after: &str) {
    if Store::open(root).is_err() {
        return;
    }
    let truth = by_file(root).forest().unwrap();
    let by_index = Store::open(root).unwrap().forest_showing(|forest| (all(forest), ())).unwrap().0;
    compare(&shown(&truth), &shown(&by_index), after);
    let plain = Store::open(root).unwrap().forest().unwrap();
    keeps_its_promise(root, &plain, &truth, after);
    let open = Store::open(root).unwrap().open_forest().unwrap();
    compare(&unfinished(&plain), &unfinished(&open), after);
    let whole = Store::open(root).unwrap().whole_forest();
    if let (Ok(whole), Ok(truth)) = (whole, by_file(root).whole_forest()) {
        compare(&shown(&truth), &shown(&whole), after);
    }
}

#[track_caller]
fn compare(truth: &str, by_index: &str, after: &str) {
    if truth != by_index {
        let differs = truth.lines().zip(by_index.lines()).find(|(truth, index)| truth != index);
        panic!("after {after}:\n{differs:?}\n--- files\n{truth}\n--- index\n{by_index}");
    }
}

fn seeds(first: u32) -> impl Iterator<Item = u32> {
    let count = std::env::var("HANDOFF_STORMS").ok().and_then(|count| count.parse().ok()).unwrap_or(1);
    (0..count).map(move |index| first + index * 100)
}

fn weather(seed: u32) {
    for seed in seeds(seed) {
        let (dir, root) = project(16);
        settle(&root);
        let mut storm = Storm::new(dir.path(), seed);
        let mut steps = Vec::new();
        for step in 0..240 {
            steps.push(storm.rough_step());
            same(&root, &format!("step {step} of {seed}, {:#?}", &steps[steps.len().saturating_sub(12)..]));
            if step % 12 == 11 {
                settle(&root);
                same(&root, &format!("writing the index after step {step} of {seed}"));
            }
        }
    }
}

#[test]
fn files_and_index_agree_after_every_step_of_a_storm() {
    weather(1);
}

#[test]
fn files_and_index_agree_after_every_step_of_another_storm() {
    weather(2);
}

#[test]
fn files_and_index_agree_after_every_step_of_a_third_storm() {
    weather(3);
}

#[test]
fn many_steps_at_once_are_seen_together() {
    for seed in seeds(21) {
        let (dir, root) = project(16);
        let mut storm = Storm::new(dir.path(), seed);
        for round in 0..20 {
            settle(&root);
            let steps: Vec<String> = (0..=round % 9).map(|_| storm.rough_step()).collect();
            same(&root, &format!("round {round} of {seed}, {steps:#?}"));
        }
    }
}

/// A store that has an index which is believed.
fn indexed(tasks: usize) -> (tempfile::TempDir, PathBuf) {
    let (dir, root) = project(tasks);
    settle(&root);
    (dir, root)
}

fn file(root: &Path, index: usize) -> PathBuf {
    root.join(by_file(root).forest().unwrap().get(id(index)).unwrap().dir()).join("task.toml")
}

fn title(store: &Store, index: usize) -> String {
    store.forest().unwrap().get(id(index)).unwrap().task.title.clone()
}

#[test]
fn an_index_that_is_cut_or_changed_anywhere_changes_no_answer() {
    let (_dir, root) = indexed(6);
    let whole = fs::read(root.join(INDEX)).unwrap();
    let truth = shown(&by_file(&root).forest().unwrap());
    let read = || shown(&Store::open(&root).unwrap().forest().unwrap());
    assert_eq!(read(), truth);
    for length in (0..whole.len()).step_by(7) {
        fs::write(root.join(INDEX), &whole[..length]).unwrap();
        assert_eq!(read(), truth, "cut at {length}");
    }
    for place in (0..whole.len()).step_by(3) {
        let mut spoiled = whole.clone();
        spoiled[place] ^= 1 << (place % 8);
        fs::write(root.join(INDEX), &spoiled).unwrap();
        assert_eq!(read(), truth, "changed at {place}");
    }
    fs::write(root.join(INDEX), [whole.as_slice(), b"more"].concat()).unwrap();
    assert_eq!(read(), truth);
    fs::remove_file(root.join(INDEX)).unwrap();
    assert_eq!(read(), truth);
    fs::create_dir(root.join(INDEX)).unwrap();
    assert_eq!(read(), truth);
}

#[test]
fn the_index_of_another_store_or_of_an_earlier_time_changes_no_answer() {
    let (_other, other) = indexed(9);
    let (_dir, root) = indexed(6);
    let early = fs::read(root.join(INDEX)).unwrap();
    fs::copy(other.join(INDEX), root.join(INDEX)).unwrap();
    same(&root, "the index of another");
    let mut store = Store::open(&root).unwrap();
    create(&mut store, 50, None);
    save(&mut store, id(1), |task| task.title = "Changed".to_owned());
    settle(&root);
    fs::write(root.join(INDEX), early).unwrap();
    same(&root, "an index from before");
}

#[test]
fn an_edit_in_place_is_seen_at_once_where_a_task_is_open_or_shown_and_by_the_sweep_elsewhere() {
    let (_dir, root) = indexed(8);
    let (open, finished) = (file(&root, 2), file(&root, 3));
    for path in [&open, &finished] {
        let text = fs::read_to_string(path).unwrap();
        fs::write(path, text.replace("Task", "Tusk")).unwrap();
    }
    let store = Store::open(&root).unwrap();
    assert_eq!(title(&store, 2), "Tusk 2");
    assert_eq!(title(&store, 3), "Task 3", "nobody has looked");
    let relative = finished.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
    assert_eq!(store.sweep().unwrap(), [relative]);
    assert_eq!(title(&store, 3), "Tusk 3");
    assert_eq!(store.sweep().unwrap(), Vec::<String>::new());
    settle(&root);
    fs::write(&finished, fs::read_to_string(&finished).unwrap().replace("Tusk", "Desk")).unwrap();
    assert_eq!(title(&store, 3), "Tusk 3", "nobody has looked");
    let showing = store.forest_showing(|_| (vec![id(3)], ())).unwrap().0;
    assert_eq!(showing.get(id(3)).unwrap().task.title, "Desk 3");
    assert_eq!(title(&store, 3), "Desk 3", "what was seen once is not forgotten");
}

#[test]
fn what_comes_beside_finished_tasks_is_told_with_what_it_has_in_common_with_them() {
    let came = [
        ("tasks/01-todo--copy", "id = \"zzzzzzz1\"", "the number of a finished one"),
        ("tasks/77-todo--copy", &format!("id = \"{}\"", id(5)), "the id of a finished one"),
        ("tasks/unnumbered", "id = \"zzzzzzz1\"", "no number"),
        ("tasks/78-todo--copy", "id = \"zzzzzzz1\"\nnumber = 1", "a number by its field"),
        ("tasks/02-done--05/02.1-todo--below", "id = \"zzzzzzz1\"", "a place below a finished one"),
    ];
    for (place, said, what) in came {
        let dir = scratch();
        let root = dir.path().join(".handoff");
        let mut store = make(&root);
        for index in 0..12 {
            create(&mut store, index, None);
            if index > 0 {
                save(&mut store, id(index), |task| task.status = Status::Done);
            }
        }
        settle(&root);
        same(&root, "nothing");
        let counts = Store::open(&root).unwrap().open_forest().unwrap();
        assert_eq!((counts.len(), counts.counts()[&Status::Done]), (1, 11), "those that are finished are only counted");
        let above = fs::read_dir(root.join("tasks")).unwrap().map(|entry| entry.unwrap().path());
        let finished = above.into_iter().find(|path| path.to_str().unwrap().contains("/02-done--")).unwrap();
        let place =
            root.join(place.replace("tasks/02-done--05", finished.strip_prefix(&root).unwrap().to_str().unwrap()));
        fs::create_dir(&place).unwrap();
        fs::write(place.join("task.toml"), format!("format = 1\n{said}\ntitle = \"Copy\"\nstatus = \"todo\"\n"))
            .unwrap();
        same(&root, what);
    }
}

#[test]
fn a_server_begins_with_the_index_and_looks_at_every_file() {
    for warm in [Warm::new(), Warm::watching_at_most(0)] {
        let (_dir, root) = indexed(8);
        let path = file(&root, 3);
        fs::write(&path, fs::read_to_string(&path).unwrap().replace("Task", "Tusk")).unwrap();
        let server = Store::open_warm(&root, &warm).unwrap();
        assert_eq!(title(&server, 3), "Tusk 3");
        assert_eq!(shown(&server.forest().unwrap()), shown(&by_file(&root).forest().unwrap()));
        create(&mut Store::open(&root).unwrap(), 60, None);
        assert_eq!(title(&server, 60), "Task 60");
        fs::write(&path, fs::read_to_string(&path).unwrap().replace("Tusk", "Task")).unwrap();
        assert_eq!(title(&server, 3), "Task 3", "an edit in place of a finished task is told by the watcher or seen");
    }
}

#[test]
fn what_did_not_change_is_not_read() {
    let (_dir, root) = indexed(8);
    let path = file(&root, 3);
    // Nobody may read it, and since it is only looked at for its times, nobody notices.
    let times = fs::metadata(&path).unwrap();
    let text = fs::read(&path).unwrap();
    fs::write(&path, vec![b'x'; text.len()]).unwrap();
    assert_eq!(title(&Store::open(&root).unwrap(), 3), "Task 3");
    assert_eq!(fs::metadata(&path).unwrap().len(), times.len());
    assert!(by_file(&root).forest().unwrap().get(id(3)).is_none());
}

#[test]
fn a_young_file_is_read_although_its_times_are_those_in_the_index() {
    let (_dir, root) = project(4);
    Store::open(&root).unwrap().rebuild_index().unwrap();
    for round in 0..50 {
        let path = file(&root, 2);
        fs::write(
            &path,
            fs::read_to_string(&path).unwrap().replace(&title(&by_file(&root), 2), &format!("Round {round:02}")),
        )
        .unwrap();
        assert_eq!(title(&Store::open(&root).unwrap(), 2), format!("Round {round:02}"));
    }
}

#[test]
fn a_link_in_the_place_of_a_directory_is_told_and_not_followed() {
    let (dir, root) = indexed(8);
    let task = file(&root, 4);
    let place = task.parent().unwrap();
    let outside = dir.path().join("elsewhere");
    fs::rename(place, &outside).unwrap();
    std::os::unix::fs::symlink(&outside, place).unwrap();
    same(&root, "a link");
    let forest = Store::open(&root).unwrap().forest().unwrap();
    assert!(forest.get(id(4)).is_none() && forest.get(id(5)).is_none());
    assert!(forest.problems.iter().any(|problem| problem.reason.contains("link")), "{:?}", forest.problems);
}

#[test]
fn a_reader_keeps_an_index_when_it_read_much_and_leaves_no_trace_when_it_did_not() {
    let (_dir, root) = project(20);
    std::thread::sleep(Duration::from_millis(150));
    Store::open(&root).unwrap().forest().unwrap();
    assert!(!root.join(INDEX).exists());
    let mut store = Store::open(&root).unwrap();
    (100..260).for_each(|index| create(&mut store, index, None));
    std::thread::sleep(Duration::from_millis(150));
    let mut writer = Store::open(&root).unwrap();
    writer.lock("test", Duration::from_secs(5)).unwrap();
    Store::open(&root).unwrap().forest().unwrap();
    assert!(!root.join(INDEX).exists(), "nobody is waited for");
    writer.unlock();
    fs::write(root.join("PAUSE"), "").unwrap();
    Store::open(&root).unwrap().forest().unwrap();
    assert!(root.join(INDEX).exists(), "a pause stops no cache");
    same(&root, "that");
}

#[test]
fn where_the_index_cannot_be_written_answers_are_the_same() {
    let (_dir, root) = project(6);
    fs::remove_dir_all(root.join("local/cache")).unwrap();
    fs::write(root.join("local/cache"), "in the way").unwrap();
    settle(&root);
    same(&root, "that");
}
