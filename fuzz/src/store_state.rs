//! Any bytes in the files a store keeps for itself: locator, journals, generation, numbers, log.

use std::fs;
use std::path::Path;
use std::time::Duration;

use handoff_store::Store;

/// The files, and whether they are only caches, which can change no answer.
const FILES: &[(&str, bool)] = &[
    ("local/cache/locator", true),
    ("local/state/generation", true),
    ("local/state/numbers", true),
    ("local/state/lock", true),
    ("local/state/journal.json", false),
    ("local/state/journal-undo.json", false),
    ("local/state/journal-reached", true),
    ("local/state/log/000000000001.jsonl", true),
];

/// The tasks of the store that is tried.
const TASKS: &[(&str, &str, &str)] =
    &[("01-todo--a", "aaaaaaaa", "a"), ("01-todo--a/01.1-done--b", "bbbbbbbb", "b"), ("02-todo--c", "cccccccc", "c")];

/// Writes bytes into one of the files, chosen by the first of them, and uses the store.
pub fn run(data: &[u8], scratch: &Path) {
    let Some((first, bytes)) = data.split_first() else { return };
    let (file, is_cache) = FILES[usize::from(*first) % FILES.len()];
    let root = scratch.join(".handoff");
    make(&root);
    let outside = scratch.join("outside");
    fs::write(&outside, "outside").expect("the scratch directory can be written");
    let before = answers(&Store::open(&root).expect("the store was just made"));
    fs::create_dir_all(root.join("local/cache")).expect("the scratch directory can be written");
    fs::create_dir_all(root.join("local/state/log")).expect("the scratch directory can be written");
    fs::write(root.join(file), bytes).expect("the scratch directory can be written");

    let mut store = Store::open(&root).expect("what a store keeps for itself is no part of it");
    let forest = store.forest().expect("reading goes on whatever a store kept for itself");
    if is_cache {
        assert_eq!(answers(&store), before, "{file}");
        assert_eq!(forest.len(), TASKS.len(), "{file}");
    }
    if store.lock("fuzz", Duration::ZERO).is_ok() {
        let after = answers(&store);
        assert!(!is_cache || after == before, "{file}");
        let _ = store.history().map(Iterator::count);
        let _ = store.undo_last(1);
        store.unlock();
    }
    assert_eq!(fs::read(&outside).expect("it was just written"), b"outside", "nothing outside is touched");
}

fn make(root: &Path) {
    let _ = fs::remove_dir_all(root);
    for (dir, id, title) in TASKS {
        let dir = root.join("tasks").join(dir);
        fs::create_dir_all(&dir).expect("the scratch directory can be written");
        let status = if dir.to_string_lossy().contains("-done--") { "done" } else { "todo" };
        let text = format!("format = 1\nid = \"{id}\"\ntitle = \"{title}\"\nstatus = \"{status}\"\n");
        fs::write(dir.join("task.toml"), text).expect("the scratch directory can be written");
    }
    fs::write(root.join("config.toml"), "").expect("the scratch directory can be written");
}

/// What the store says about each of its tasks, looked up in every way.
fn answers(store: &Store) -> Vec<String> {
    let references = TASKS.iter().map(|(_, id, _)| *id).chain(["a", "1", "1.1", "2", "3", "zzzzzzzz"]);
    references
        .map(|reference| match store.find(&reference.parse().expect("these are references")) {
            Ok(found) => format!("{} {} {} {:?}", found.task.id, found.number, found.task.title, found.parent),
            Err(error) => error.to_string(),
        })
        .collect()
}
