#![expect(clippy::disallowed_methods, reason = "damage is done as it happens")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use handoff_model::name::Layout;

use super::*;
use crate::NewStore;
use crate::step::Step;

fn scratch() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let path = dir.path().join(".handoff");
    let new = NewStore { config: "[project]\nname = \"x\"\n", layout: Layout::Status, private: true };
    Store::create(&path, &new).unwrap();
    (dir, path)
}

fn put(path: &Path, file: &str, text: &str) {
    change(path, |store| store.put_file(file, text.to_owned()).unwrap());
}

fn change(path: &Path, stage: impl FnOnce(&mut Store)) {
    let mut store = Store::open(path).unwrap();
    store.lock("test", Duration::from_secs(5)).unwrap();
    stage(&mut store);
    store.commit(|_, _| {}).unwrap();
    assert!(store.take_log_failure().is_none());
}

fn undo(path: &Path, count: usize) -> crate::Result<()> {
    let mut store = Store::open(path).unwrap();
    store.lock("test", Duration::from_secs(5)).unwrap();
    let plan = store.undo_last(count)?;
    store.stage_undo(&plan);
    store.commit(|_, _| {})
}

fn redo(path: &Path) -> crate::Result<()> {
    let mut store = Store::open(path)?;
    store.lock("test", Duration::from_secs(10))?;
    let undo = store.redo_last()?;
    store.stage_undo(&undo);
    store.commit(|_, _| {})
}

fn segments(path: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(path.join(LOG)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn numbers(path: &Path) -> Vec<u64> {
    Store::open(path).unwrap().history().unwrap().map(|logged| logged.entry.head.number).collect()
}

fn text(path: &Path, file: &str) -> String {
    fs::read_to_string(path.join(file)).unwrap()
}

fn damage(file: &Path, how: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(file).unwrap();
    how(&mut bytes);
    fs::write(file, bytes).unwrap();
}

#[test]
fn every_entry_has_the_next_number_and_a_name_of_its_own() {
    let (_dir, path) = scratch();
    for index in 0..120 {
        put(&path, "note", ["a", "b"][index % 2]);
    }
    let all: Vec<_> = Store::open(&path).unwrap().history().unwrap().map(|logged| logged.id()).collect();
    assert_eq!(numbers(&path), (1..=120).rev().collect::<Vec<u64>>());
    let mut unique = all.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), all.len());
    // A change of one file cannot afford the sync of a new name, so the segment is filled beyond its size.
    assert_eq!(segments(&path).len(), 1);
}

#[test]
fn only_so_many_changes_are_kept_and_the_oldest_go_first() {
    let (_dir, path) = scratch();
    let root = Root::open(&path).unwrap();
    let log = Log::new(&root);
    let step = Step::Put { path: "note".to_owned(), before: None, after: "a".to_owned() };
    for number in 1..=2_345 {
        let id = ChangeId::of(&u64::to_le_bytes(number));
        let head = Head { number, id, kind: Kind::Change, signature: Signature::default() };
        log.append(&Entry::of(head, std::slice::from_ref(&step))).unwrap();
    }
    let kept = numbers(&path);
    assert!((900..=1_000).contains(&kept.len()), "{}", kept.len());
    assert_eq!(kept[0], 2_345);
}

#[test]
fn only_so_many_bytes_are_kept() {
    let (_dir, path) = scratch();
    put(&path, "note", "a");
    for first in 1..=30 {
        let file = path.join(LOG).join(format!("{:012}.jsonl", first * ENTRIES));
        // Zeros alone would be what a power failure left, and be dropped.
        fs::write(&file, "handoff log 2\n").unwrap();
        fs::File::options().write(true).open(&file).unwrap().set_len(ENTRY_BYTES as u64).unwrap();
    }
    put(&path, "note", "b");
    let bytes: u64 = segments(&path).iter().map(|file| file.metadata().unwrap().len()).sum();
    assert!((MOST_BYTES / 2..=MOST_BYTES).contains(&bytes), "{bytes}");
    undo(&path, 1).unwrap();
    assert_eq!(text(&path, "note"), "a");
}

#[test]
fn appending_leaves_everything_before_it_alone() {
    let (_dir, path) = scratch();
    put(&path, "note", "a");
    let file = segments(&path).remove(0);
    let before = fs::read(&file).unwrap();
    put(&path, "note", "b");
    assert!(fs::read(&file).unwrap().starts_with(&before));
}

#[test]
fn a_change_that_is_too_large_is_told_and_cannot_be_taken_back() {
    let (_dir, path) = scratch();
    change(&path, |store| {
        for number in 0..9 {
            store.put_file(&format!("{number}.md"), "x".repeat(3 * 1024 * 1024)).unwrap();
        }
    });
    let logged = Store::open(&path).unwrap().history().unwrap().next().unwrap();
    assert!(!logged.entry.has_images());
    assert_eq!(logged.entry.words(), ["9 files made"]);
    let error = undo(&path, 1).unwrap_err();
    assert!(error.to_string().ends_with("it was too large for what it replaced to be kept"), "{error}");
    assert!(segments(&path)[0].metadata().unwrap().len() < 10_000);
}

#[test]
fn of_a_long_text_only_what_changed_is_kept_and_it_comes_back_whole() {
    let (_dir, path) = scratch();
    let long: Vec<String> = (0..20_000).map(|line| format!("Zeile {line}: äöü\n")).collect();
    let long = long.concat();
    put(&path, "long.md", &long);
    let before = segments(&path).last().unwrap().metadata().unwrap().len();
    let changed = long.replace("Zeile 500: ä", "Zeile 500: ë");
    put(&path, "long.md", &changed);
    let grown = segments(&path).iter().map(|file| file.metadata().unwrap().len()).sum::<u64>() - before;
    assert!(grown < 1_000, "{grown}");
    let logged = Store::open(&path).unwrap().history().unwrap().next().unwrap();
    assert_eq!(logged.entry.words(), ["long.md changed"]);
    undo(&path, 1).unwrap();
    assert_eq!(text(&path, "long.md"), long);
    damage(&path.join("long.md"), |bytes| bytes[3] = b'X');
    assert!(undo(&path, 1).is_err());
}

#[test]
fn a_torn_entry_costs_itself_and_nothing_else() {
    let (_dir, path) = scratch();
    for said in ["a", "b", "c"] {
        put(&path, "note", said);
    }
    let file = segments(&path).remove(0);
    let whole = fs::read(&file).unwrap();
    for cut in (HEADER_LENGTH..whole.len()).step_by(7) {
        damage(&file, |bytes| bytes.truncate(cut));
        let kept = numbers(&path);
        assert!(kept.len() < 3 && kept.iter().rev().copied().eq(1..=kept.len() as u64), "{kept:?}");
        // What is written next is whole, and behind a torn line.
        put(&path, "other", &cut.to_string());
        assert_eq!(numbers(&path).len(), kept.len() + 1, "cut at {cut}");
        damage(&file, |bytes| bytes.clone_from(&whole));
        for other in &segments(&path)[1..] {
            fs::remove_file(other).unwrap();
        }
    }
}

const HEADER_LENGTH: usize = "handoff log 1\n".len();

#[test]
fn a_flipped_bit_is_noticed_wherever_it_is() {
    let (_dir, path) = scratch();
    for said in ["a", "b", "c"] {
        put(&path, "note", said);
    }
    let file = segments(&path).remove(0);
    let whole = fs::read(&file).unwrap();
    for place in (0..whole.len()).filter(|place| whole[*place] != b'\n').step_by(5) {
        damage(&file, |bytes| bytes[place] ^= 0x10);
        let store = Store::open(&path).unwrap();
        let mut history = store.history().unwrap();
        let kept = history.by_ref().count();
        assert!(kept < 3, "place {place}");
        assert_eq!(history.problems().len(), 1, "place {place}");
        assert!(undo(&path, 3).is_err(), "place {place}");
        assert_eq!(text(&path, "note"), "c", "place {place}");
        damage(&file, |bytes| bytes.clone_from(&whole));
    }
}

#[test]
fn what_was_changed_after_a_damaged_entry_can_be_taken_back() {
    let (_dir, path) = scratch();
    for said in ["a", "b"] {
        put(&path, "note", said);
    }
    let file = segments(&path).remove(0);
    damage(&file, |bytes| bytes.truncate(bytes.len() - 20));
    put(&path, "note", "c");
    undo(&path, 1).unwrap();
    assert_eq!(text(&path, "note"), "b");
    redo(&path).unwrap();
    assert_eq!(text(&path, "note"), "c");
    undo(&path, 1).unwrap();
    assert!(undo(&path, 1).is_err(), "what comes next cannot be told");
    assert_eq!(text(&path, "note"), "b");
}

#[test]
fn a_log_of_another_version_is_left_alone_and_the_numbers_go_on() {
    let (_dir, path) = scratch();
    put(&path, "note", "a");
    let file = segments(&path).remove(0);
    damage(&file, |bytes| bytes[12] = b'2');
    let theirs = fs::read(&file).unwrap();
    put(&path, "note", "b");
    assert_eq!(fs::read(&file).unwrap(), theirs);
    let store = Store::open(&path).unwrap();
    let mut history = store.history().unwrap();
    let numbers: Vec<u64> = history.by_ref().map(|logged| logged.entry.head.number).collect();
    assert!(numbers.len() == 1 && numbers[0] > 1, "{numbers:?}");
    assert!(history.problems()[0].reason.contains("this version"));
    undo(&path, 1).unwrap();
    assert_eq!(text(&path, "note"), "a");
}

#[test]
fn a_log_that_cannot_be_written_does_not_fail_the_change() {
    let (_dir, path) = scratch();
    let mut store = Store::open(&path).unwrap();
    store.lock("test", Duration::from_secs(5)).unwrap();
    damage_by_file(&path.join(LOG));
    store.put_file("note", "a".to_owned()).unwrap();
    store.commit(|_, _| {}).unwrap();
    assert!(store.take_log_failure().is_some());
    assert_eq!(text(&path, "note"), "a");
}

fn damage_by_file(path: &Path) {
    fs::remove_dir_all(path).unwrap();
    fs::write(path, "no directory").unwrap();
}

#[cfg(unix)]
#[test]
fn nobody_else_may_look_into_it() {
    use std::os::unix::fs::PermissionsExt;
    let (_dir, path) = scratch();
    put(&path, "note", "a");
    assert_eq!(fs::metadata(path.join(LOG)).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_change_that_somebody_else_finished_is_in_the_log_once() {
    let (_dir, path) = scratch();
    let root = Root::open(&path).unwrap();
    let steps = [
        Step::Put { path: "one".to_owned(), before: None, after: "1".to_owned() },
        Step::Put { path: "two".to_owned(), before: None, after: "2".to_owned() },
    ];
    let head = Store::open(&path).unwrap().head_of(Kind::Change, &steps);
    let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        // Leaves everything as it is at this moment, as a kill would, and says nothing.
        crate::commit::commit(&root, &steps, Some(&head), |done, _| {
            if done == 1 {
                std::panic::resume_unwind(Box::new(()));
            }
        })
    }));
    assert!(killed.is_err());
    let journal = fs::read(path.join(crate::layout::JOURNAL)).unwrap();
    for _ in 0..2 {
        crate::commit::recover(&root).unwrap();
        assert_eq!(numbers(&path), [1]);
        // A journal that could not be removed is found done.
        bring_back(&path.join(crate::layout::JOURNAL), &journal);
    }
    crate::commit::recover(&root).unwrap();
    assert_eq!((text(&path, "one"), text(&path, "two")), ("1".to_owned(), "2".to_owned()));
    undo(&path, 1).unwrap();
    assert!(!path.join("one").exists() && !path.join("two").exists());
}

fn bring_back(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
}

mod cut_off {
    //! What a kill or a power failure leaves of the log, and what the next command makes of it.

    use handoff_model::history::ChangeRef;
    use handoff_model::task::Task;
    use handoff_model::when::Moment;

    use super::*;
    use crate::error::TaskLine;

    fn at(time: &str) -> Moment {
        format!("2026-11-15T{time}Z").parse().unwrap()
    }

    /// A change of one file at a moment.
    fn put_at(path: &Path, file: &str, text: &str, time: &str) {
        change(path, |store| {
            store.sign(Signature { at: Some(at(time)), ..Signature::default() });
            store.put_file(file, text.to_owned()).unwrap();
        });
    }

    fn create_at(path: &Path, title: &str, time: &str) {
        change(path, |store| {
            store.sign(Signature { at: Some(at(time)), ..Signature::default() });
            let title = title.parse().unwrap();
            store
                .create_task(None, Task::new(handoff_model::id::TaskId::from_random(crate::random()), &title, at(time)))
                .unwrap();
        });
    }

    fn lock(path: &Path) -> Store {
        let mut store = Store::open(path).unwrap();
        store.lock("test", Duration::from_secs(5)).unwrap();
        store
    }

    fn whole_log(path: &Path) -> Vec<u8> {
        fs::read(segments(path).remove(0)).unwrap()
    }

    /// Where the lines of the log begin, and where the last one ends.
    fn lines(log: &[u8]) -> Vec<usize> {
        let is_start = |at: &usize| log[*at] != b'\n' && log[at - 1] == b'\n';
        (HEADER_LENGTH..log.len()).filter(is_start).chain([log.len()]).collect()
    }

    fn announce(path: &Path, steps: &[Step]) -> Head {
        let store = lock(path);
        let head = store.head_of(Kind::Change, steps);
        assert!(store.announce(&head, steps, steps.to_vec()).is_some());
        head
    }

    #[test]
    fn a_line_that_was_cut_at_any_byte_is_dropped_by_the_next_command() {
        let (_dir, path) = scratch();
        put(&path, "one", "1");
        let before = whole_log(&path);
        put(&path, "two", "2");
        let whole = whole_log(&path);
        let file = segments(&path).remove(0);
        // The last two bytes are the breaks behind a whole line.
        for cut in before.len() + 1..whole.len() - 2 {
            for zeros in [0, whole.len() - cut] {
                damage(&file, |bytes| {
                    bytes.truncate(cut);
                    bytes.resize(cut + zeros, 0);
                });
                let store = lock(&path);
                let mut history = store.history().unwrap();
                assert_eq!(history.by_ref().count(), 1, "cut at {cut}, {zeros} zeros");
                assert!(history.problems().is_empty(), "cut at {cut}, {zeros} zeros: {:?}", history.problems());
            }
            damage(&file, |bytes| bytes.clone_from(&whole));
        }
        undo(&path, 1).unwrap();
        assert!(!path.join("two").exists() && path.join("one").exists());
    }

    #[test]
    fn a_first_line_of_a_segment_that_was_cut_at_any_byte_does_not_stop_the_log() {
        let (_dir, path) = scratch();
        let file = segments(&path).remove(0);
        fs::write(&file, "").unwrap();
        put(&path, "one", "1");
        let whole = whole_log(&path);
        for cut in 0..whole.len() - 2 {
            for zeros in [0, whole.len() - cut] {
                damage(&file, |bytes| {
                    bytes.clone_from(&whole);
                    bytes.truncate(cut);
                    bytes.resize(cut + zeros, 0);
                });
                put(&path, "two", &format!("{cut} {zeros}"));
                assert_eq!(numbers(&path), [1], "cut at {cut}, {zeros} zeros");
                undo(&path, 1).unwrap();
            }
        }
    }

    #[test]
    fn an_entry_that_is_damaged_and_not_cut_off_is_kept_and_reported() {
        let (_dir, path) = scratch();
        put(&path, "one", "1");
        put(&path, "two", "2");
        let file = segments(&path).remove(0);
        damage(&file, |bytes| {
            let last = bytes.len() - 30;
            bytes[last] ^= 1;
        });
        let error = undo(&path, 1).unwrap_err();
        assert!(error.to_string().contains("cannot be told which changes were the last"), "{error}");
        assert!(path.join("one").exists());
    }

    #[test]
    fn an_announced_change_that_was_never_made_leaves_the_log() {
        let (_dir, path) = scratch();
        put(&path, "note", "a");
        let put_note = Step::Put { path: "note".to_owned(), before: Some("a".to_owned()), after: "b".repeat(50_000) };
        let new_dir = Step::NewDir { path: "more".to_owned(), name: "x".to_owned(), text: "1".to_owned() };
        let gone = Step::Remove { path: "note".to_owned(), before: "a".to_owned() };
        let moved = Step::MoveDir { from: "tasks".to_owned(), to: "tasks-moved".to_owned() };
        for steps in [vec![put_note.clone()], vec![new_dir.clone()], vec![gone], vec![moved], vec![put_note, new_dir]] {
            announce(&path, &steps);
            assert_eq!(numbers(&path), [2, 1]);
            drop(lock(&path));
            assert_eq!(numbers(&path), [1], "{steps:?}");
        }
        undo(&path, 1).unwrap();
        assert!(!path.join("note").exists());
    }

    #[test]
    fn a_change_that_was_made_before_its_entry_was_settled_can_be_taken_back() {
        let (_dir, path) = scratch();
        put(&path, "note", "a");
        let step = Step::Put { path: "note".to_owned(), before: Some("a".to_owned()), after: "b".to_owned() };
        let head = announce(&path, std::slice::from_ref(&step));
        crate::commit::commit(&Root::open(&path).unwrap(), &[step], Some(&head), |_, _| {}).unwrap();
        undo(&path, 1).unwrap();
        assert_eq!((text(&path, "note").as_str(), numbers(&path).len()), ("a", 3));
    }

    #[test]
    fn a_change_that_fails_leaves_no_entry() {
        let (_dir, path) = scratch();
        put(&path, "note", "a");
        let mut store = lock(&path);
        store.put_file("note", "b".to_owned()).unwrap();
        fs::write(path.join("note"), "by hand").unwrap();
        assert!(matches!(store.commit(|_, _| {}), Err(StoreError::ChangedUnderway { .. })));
        drop(store);
        assert_eq!(numbers(&path), [1]);
    }

    #[test]
    fn what_undo_would_take_for_the_last_change_is_refused_when_a_newer_task_is_not_in_the_log() {
        let (_dir, path) = scratch();
        put_at(&path, "note", "a", "12:00:00.250");
        let last = Store::open(&path).unwrap().history().unwrap().next().unwrap().id();
        let before = whole_log(&path);
        create_at(&path, "Made", "12:00:00");
        let whole = whole_log(&path);
        let file = segments(&path).remove(0);
        for cut in before.len()..whole.len() - 2 {
            damage(&file, |bytes| {
                bytes.clone_from(&whole);
                bytes.truncate(cut);
            });
            let error = undo(&path, 1).unwrap_err();
            let StoreError::NotInLog { wanted, tasks } = &error else { panic!("{error}") };
            let titles: Vec<&str> = tasks.iter().map(|TaskLine { title, .. }| title.as_str()).collect();
            assert_eq!((*wanted, titles), (last, vec!["Made"]), "cut at {cut}");
            assert_eq!(text(&path, "note"), "a");
        }
        let mut store = lock(&path);
        let plan = store.undo_change(&last.to_string().parse::<ChangeRef>().unwrap()).unwrap();
        store.stage_undo(&plan);
        store.commit(|_, _| {}).unwrap();
        assert!(!path.join("note").exists());
    }

    #[test]
    fn tasks_that_the_log_knows_or_that_are_older_do_not_stand_in_the_way() {
        let (_dir, path) = scratch();
        create_at(&path, "Old", "11:00:00");
        fs::write(segments(&path).remove(0), "handoff log 1\n").unwrap();
        create_at(&path, "Known", "12:00:00");
        put_at(&path, "note", "a", "12:00:00");
        undo(&path, 1).unwrap();
        redo(&path).unwrap();
        undo(&path, 2).unwrap();
        assert!(!path.join("note").exists());
    }

    #[test]
    fn what_was_taken_back_is_not_made_again_when_a_newer_task_is_not_in_the_log() {
        let (_dir, path) = scratch();
        put_at(&path, "note", "a", "12:00:00");
        let mut store = lock(&path);
        store.sign(Signature { at: Some(at("12:00:01")), ..Signature::default() });
        let plan = store.undo_last(1).unwrap();
        store.stage_undo(&plan);
        store.commit(|_, _| {}).unwrap();
        drop(store);
        let before = whole_log(&path);
        create_at(&path, "Made", "12:00:02");
        damage(&segments(&path)[0], |bytes| bytes.clone_from(&before));
        assert!(matches!(redo(&path), Err(StoreError::NotInLog { .. })));
    }

    #[test]
    fn undo_does_not_step_over_an_entry_that_is_missing() {
        let (_dir, path) = scratch();
        for file in ["one", "two", "three"] {
            put(&path, file, file);
        }
        let whole = whole_log(&path);
        let starts = lines(&whole);
        damage(&segments(&path)[0], |bytes| drop(bytes.drain(starts[1]..starts[2])));
        undo(&path, 1).unwrap();
        let error = undo(&path, 1).unwrap_err();
        assert!(error.to_string().contains("the entry of change 2 is missing"), "{error}");
        assert!(path.join("one").exists() && path.join("two").exists() && !path.join("three").exists());
    }

    #[test]
    fn undo_does_not_step_over_a_segment_that_is_missing() {
        let (_dir, path) = scratch();
        let root = Root::open(&path).unwrap();
        let log = Log::new(&root);
        for number in 1..=101 {
            let step = Step::Put { path: format!("n{number}"), before: None, after: "a".to_owned() };
            let id = ChangeId::of(&u64::to_le_bytes(number));
            let head = Head { number, id, kind: Kind::Change, signature: Signature::default() };
            log.append(&Entry::of(head, std::slice::from_ref(&step))).unwrap();
        }
        assert_eq!(segments(&path).len(), 3);
        fs::remove_file(&segments(&path)[1]).unwrap();
        for number in 1..=101 {
            fs::write(path.join(format!("n{number}")), "a").unwrap();
        }
        undo(&path, 1).unwrap();
        let error = undo(&path, 1).unwrap_err();
        assert!(error.to_string().contains("the entries of changes 51 to 100 are missing"), "{error}");
    }

    #[test]
    fn a_name_that_did_not_reach_the_disk_does_not_stand_in_the_way_of_undo() {
        let (_dir, path) = scratch();
        create_at(&path, "Made", "12:00:00");
        let only = |path: &Path| fs::read_dir(path.join("tasks")).unwrap().next().unwrap().unwrap().path();
        let (dir, before) = (only(&path), text(&only(&path), "task.toml"));
        change(&path, |store| {
            let found = store.find(&"1".parse().unwrap()).unwrap();
            let mut task = found.task.clone();
            task.status = handoff_model::task::Status::Blocked;
            store.save_task(&found, &task).unwrap();
        });
        assert_ne!(only(&path), dir);
        fs::rename(only(&path), &dir).unwrap();
        undo(&path, 1).unwrap();
        assert_eq!(text(&only(&path), "task.toml"), before);
        assert_eq!(only(&path), dir);
    }
}
