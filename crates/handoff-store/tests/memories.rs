//! Memories through the store's own interface: lenient reading, safe writing, and a cache that only makes it quicker.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests change files as a person would, and stop at the first surprise"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use handoff_model::memory::{MemoryId, MemoryKind, MemoryRecord, MemoryRef};
use handoff_model::name::Layout;
use handoff_store::{NewStore, Store, StoreError, Warm};

fn new_store() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(".handoff");
    let new = NewStore { config: "[project]\nname = \"x\"\n", layout: Layout::Status, private: true };
    Store::create(&path, &new).unwrap();
    (dir, path)
}

fn change<T>(path: &Path, change: impl FnOnce(&mut Store) -> Result<T, StoreError>) -> Result<T, StoreError> {
    let mut store = Store::open(path)?;
    store.lock("test", Duration::from_secs(5))?;
    change(&mut store).and_then(|value| store.commit(|_, _| {}).map(|()| value))
}

fn memory(number: usize) -> MemoryRecord {
    let id: MemoryId = format!("m{number:07}").parse().unwrap();
    let at = format!("2026-11-15T09:{:02}:00Z", number % 60).parse().unwrap();
    let mut memory = MemoryRecord::new(id, MemoryKind::ALL[number % 5], format!("Rule № {number}\n\nand more"), at);
    memory.title = number.is_multiple_of(2).then(|| format!("Title {number}"));
    memory.tags = (0..number % 3).map(|tag| format!("tag{tag}")).collect();
    memory.paths = (0..number % 2).map(|path| format!("src/{path}/")).collect();
    memory.author = Some("ada".to_owned());
    if number.is_multiple_of(7) {
        memory.retire(at, Some("old".to_owned()), None).unwrap();
    }
    memory
}

fn named(text: &str) -> MemoryRef {
    text.parse().unwrap()
}

#[test]
fn a_memory_is_created_found_changed_and_refused_when_it_changed_meanwhile() {
    let (_dir, path) = new_store();
    assert!(Store::open(&path).unwrap().memories().unwrap().list.is_empty(), "an old store has no such directory");
    let made = change(&path, |store| store.create_memory(memory(2))).unwrap();
    assert_eq!(made.file, "memory/title-2-m0000002.md");
    let store = Store::open(&path).unwrap();
    let found = store.find_memory(&named("m0000002")).unwrap();
    assert_eq!((&found.record, found.rev), (&memory(2), made.rev));
    assert_eq!(store.find_memory(&named("m00")).unwrap().record.id, found.record.id);
    let mut edited = found.record.clone();
    edited.text = "Another text".to_owned();
    change(&path, |store| store.save_memory(&found, edited.clone())).unwrap();
    assert_eq!(Store::open(&path).unwrap().find_memory(&named("m0000002")).unwrap().record, edited);
    let refused = change(&path, |store| store.save_memory(&found, edited)).unwrap_err();
    assert!(matches!(refused, StoreError::Changed { .. }), "{refused}");
    change(&path, |store| store.create_memory(memory(3))).unwrap();
    let store = Store::open(&path).unwrap();
    assert!(matches!(store.find_memory(&named("m0")), Err(StoreError::AmbiguousMemory { .. })));
    assert!(matches!(store.find_memory(&named("x")), Err(StoreError::NoSuchMemory { .. })));
}

#[test]
fn one_bad_file_is_reported_and_hides_nothing_else() {
    let (_dir, path) = new_store();
    for number in 1..4 {
        change(&path, |store| store.create_memory(memory(number))).unwrap();
    }
    let file = |name: &str| path.join("memory").join(name);
    let good = fs::read_to_string(file("title-2-m0000002.md")).unwrap();
    fs::write(file("title-2-m0000002.md"), "+++\nid = \n").unwrap();
    fs::write(file("empty-m0000009.md"), "").unwrap();
    fs::write(file("bytes-m0000008.md"), [0xff, 0xfe, 0xfd]).unwrap();
    fs::write(file("copy.md"), fs::read(file("rule-1-m0000001.md")).unwrap()).unwrap();
    let ours = good.replace("Title 2", "Ours");
    let conflicted = ours
        .replace("title = \"Ours\"\n", "<<<<<<< ours\ntitle = \"Ours\"\n=======\ntitle = \"Theirs\"\n>>>>>>> theirs\n");
    fs::write(file("conflict.md"), conflicted.replace("m0000002", "m0000007")).unwrap();
    let memories = Store::open(&path).unwrap().memories().unwrap();
    let ids: Vec<&str> = memories.list.iter().map(|found| found.record.id.as_str()).collect();
    assert_eq!(ids, ["m0000003", "m0000007", "m0000001"], "newest first");
    let told: Vec<String> = memories.problems.iter().map(|problem| problem.path.clone()).collect();
    assert_eq!(
        told,
        [
            "memory/bytes-m0000008.md",
            "memory/conflict.md",
            "memory/copy.md",
            "memory/empty-m0000009.md",
            "memory/title-2-m0000002.md"
        ]
    );
    let hidden = memories.find(&named("m0000002")).unwrap_err();
    assert!(hidden.to_string().contains("title-2-m0000002.md"), "{hidden}");
}

#[test]
fn a_copy_with_the_same_id_never_takes_the_place_of_the_memory() {
    let (_dir, path) = new_store();
    let made = change(&path, |store| store.create_memory(memory(2))).unwrap();
    let text = fs::read_to_string(path.join(&made.file)).unwrap();
    for (name, created_at) in [("a-copy", ""), ("b-copy", "created_at = 2026-11-16T09:00:00Z\n")] {
        let copy = text.replace("Rule", "Break the rule").replace("created_at = 2026-11-15T09:02:00Z\n", created_at);
        fs::write(path.join(format!("memory/{name}-m0000002.md")), copy).unwrap();
    }
    let memories = Store::open(&path).unwrap().memories().unwrap();
    let shown: Vec<&str> = memories.list.iter().map(|found| found.file.as_str()).collect();
    assert_eq!(shown, [made.file.as_str()]);
    assert_eq!(memories.problems.len(), 2, "{:?}", memories.problems);
}

#[test]
fn conflict_markers_below_the_fields_are_reported_and_not_read_out() {
    let (_dir, path) = new_store();
    let made = change(&path, |store| store.create_memory(memory(2))).unwrap();
    let file = path.join(&made.file);
    let text = fs::read_to_string(&file).unwrap();
    let sides = "<<<<<<< HEAD\nUse tabs\n=======\nUse spaces\n>>>>>>> other\n";
    fs::write(&file, text.replace("and more", sides)).unwrap();
    let store = Store::open(&path).unwrap();
    let found = store.find_memory(&named("m0000002")).unwrap();
    assert!(found.record.text.contains("Use tabs") && !found.record.text.contains("<<<<"), "{}", found.record.text);
    assert!(store.memories().unwrap().problems[0].reason.contains("conflict markers"));
    let changed = change(&path, |store| store.save_memory(&found, memory(2)));
    assert!(matches!(changed, Err(StoreError::Damaged(_))), "{changed:?}");
}

#[test]
fn what_the_cache_gives_is_what_the_files_say() {
    let (_dir, path) = new_store();
    change(&path, |store| {
        for number in 0..300 {
            store.create_memory(memory(number))?;
        }
        Ok(())
    })
    .unwrap();
    fs::write(path.join("memory/broken.md"), "+++\nid = \n").unwrap();
    // What is younger than a tick of the clock is not kept.
    std::thread::sleep(Duration::from_millis(2_100));
    let cache = path.join("local/cache/memory");
    let read = || {
        let plain = Store::open(&path).unwrap().without_index().memories().unwrap();
        let cached = Store::open(&path).unwrap().memories().unwrap();
        assert_eq!(cached.list, plain.list);
        assert_eq!(cached.problems, plain.problems);
        cached.list.len()
    };
    assert_eq!(read(), 300);
    assert!(cache.exists(), "so many files are worth a cache");
    let kept = fs::read(&cache).unwrap();
    assert_eq!(read(), 300);
    // An edit in place, a new file and one that goes are seen.
    let edited = path.join("memory/title-2-m0000002.md");
    let text = fs::read_to_string(&edited).unwrap();
    fs::write(&edited, text.replace("Title 2", "Title two")).unwrap();
    fs::remove_file(path.join("memory/title-4-m0000004.md")).unwrap();
    change(&path, |store| store.create_memory(memory(400))).unwrap();
    assert_eq!(read(), 300);
    let found = Store::open(&path).unwrap().find_memory(&named("m0000002")).unwrap();
    assert_eq!(found.record.title.as_deref(), Some("Title two"));
    // A cache that is torn or of something else is not believed.
    for wrong in [&kept[..kept.len() / 2], b"handoffM", &[0; 4096], b""] {
        fs::write(&cache, wrong).unwrap();
        assert_eq!(read(), 300);
    }
}

#[test]
fn a_long_lived_process_sees_every_change() {
    let (_dir, path) = new_store();
    let warm = Warm::watching_at_most(usize::MAX);
    let count = || Store::open_warm(&path, &warm).unwrap().memories().unwrap().list.len();
    assert_eq!(count(), 0);
    change(&path, |store| store.create_memory(memory(1))).unwrap();
    assert_eq!(count(), 1);
    let files = || Store::open_warm(&path, &warm).unwrap().memory_files().unwrap();
    assert!(std::sync::Arc::ptr_eq(&files(), &files()), "nothing is read again");
    fs::write(path.join("memory/by-hand.md"), memory(2).print()).unwrap();
    assert_eq!(count(), 2);
    fs::remove_dir_all(path.join("memory")).unwrap();
    assert_eq!(count(), 0);
}
