//! What the doctor promises: healthy stores stay as they are, and mending loses nothing, whatever was wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use handoff_model::heal::{Finding, Kind, Mending};
use handoff_model::id::TaskId;
use handoff_model::name::Layout;
use handoff_model::session::Session;
use handoff_model::task::{Note, Task};
use handoff_store::{Circumstances, Store};
use proptest::prelude::*;

use crate::choices::Choices;
use crate::mixture::{Copies, write_tree};
use crate::sequence::World;
use crate::{bytes, cases, noon, scratch};

fn around() -> Circumstances {
    Circumstances::at(noon())
}

/// Mends a store as the operation does; what is left.
fn fix(root: &Path) -> Vec<Finding> {
    let mut store = Store::open(root).unwrap();
    let mut around = Circumstances { done: store.left_by_crash().unwrap(), ..around() };
    store.mend_misfits(&mut around).unwrap();
    store.settle_journals(&mut around).unwrap();
    store.lock("doctor", Duration::from_secs(5)).unwrap();
    let cure = store.plan_cure(&around).unwrap();
    store.stage_cure(&cure).unwrap();
    store.commit(|_, _| {}).unwrap();
    store.unlock();
    cure.left
}

/// Every file below a directory, but for what belongs to this machine.
fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(dir: &Path, root: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            if name == "local" {
                continue;
            }
            if path.is_dir() {
                files.insert(format!("{name}/"), Vec::new());
                walk(&path, root, files);
            } else {
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    let mut all = BTreeMap::new();
    walk(root, root, &mut all);
    all
}

/// The ids, titles and notes of all tasks that can be read, copies included.
fn said(root: &Path) -> (BTreeSet<TaskId>, BTreeSet<String>) {
    let (mut ids, mut notes) = (BTreeSet::new(), BTreeSet::new());
    for (path, bytes) in files(root) {
        let Ok(text) = String::from_utf8(bytes) else { continue };
        if !path.starts_with("tasks/") {
            continue;
        }
        let sides = handoff_model::conflict::split(&text);
        let texts = match &sides {
            Some(sides) => vec![sides.ours.as_str(), sides.theirs.as_str()],
            None => vec![text.as_str()],
        };
        for (task, _) in texts.iter().filter_map(|text| Task::read(text).ok()) {
            ids.insert(task.id);
            notes.extend(task.notes.iter().map(|note| format!("{} {}", task.id, note.text)));
        }
    }
    (ids, notes)
}

/// After mending, only what people must do is left, nothing that was said is lost, and mending again does nothing.
fn mending_loses_nothing(root: &Path) {
    let (ids, notes) = said(root);
    let left = fix(root);
    let after = Store::open(root).unwrap().examine(&around()).unwrap();
    assert_eq!(after.len(), left.len(), "{after:#?}\n but the answer was {left:#?}");
    for finding in &after {
        assert!(finding.fix.is_none(), "{finding:?} was not mended");
        assert_ne!(finding.kind.mending(), Mending::Always, "{finding:?}");
    }
    let (ids_after, notes_after) = said(root);
    assert!(ids.is_subset(&ids_after), "{:?} are gone", ids.difference(&ids_after).collect::<Vec<_>>());
    assert!(notes.is_subset(&notes_after), "{:?} are gone", notes.difference(&notes_after).collect::<Vec<_>>());
    let mended = files(root);
    fix(root);
    assert_eq!(files(root), mended, "mending again changes nothing");
}

/// Does to a healthy store what people, merges and synchronisers do.
fn damage(root: &Path, choices: &mut Choices) {
    let tasks: Vec<String> = files(root).into_keys().filter(|path| path.ends_with("/task.toml")).collect();
    let sessions: Vec<String> = files(root)
        .into_keys()
        .filter(|path| path.starts_with("sessions/") && path.strip_suffix(".toml").is_some())
        .collect();
    let Some(task) = (!tasks.is_empty()).then(|| tasks[choices.below(tasks.len())].clone()) else { return };
    let file = root.join(&task);
    let dir = file.parent().unwrap().to_owned();
    let Ok(text) = fs::read_to_string(&file) else { return };
    let with_note = |note: &str| match Task::read(&text) {
        Ok((mut task, _)) => {
            task.notes.push(Note { at: noon(), by: None, text: note.to_owned() });
            task.print()
        }
        Err(_) => text.clone(),
    };
    let put = |path: &Path, text: &str| fs::write(path, text).unwrap();
    match choices.below(16) {
        0 => put(&file, &format!("<<<<<<< a\n{}=======\n{}>>>>>>> b\n", with_note("ours"), with_note("theirs"))),
        1 => {
            let copy = dir.with_file_name(format!("09-todo--copy-{}", choices.byte()));
            let _ = fs::create_dir(&copy);
            put(&copy.join("task.toml"), &with_note("in the copy"));
        }
        2 => put(&dir.join("task.sync-conflict-20261115-101112-ABCDEFG.toml"), &with_note("elsewhere")),
        3 => {
            let _ = fs::rename(&dir, dir.with_file_name(format!("{:02}-doing--x", choices.below(4) + 1)));
        }
        4 => put(&file, &text.replace("status = ", "status = \"wip\" # ")),
        5 => put(&file, &format!("dependencies = [\"zzzzzzz{}\"]\n{text}", choices.below(9))),
        6 => put(&file, &text.replace("title = \"", "title = \"\u{202e}")),
        7 => put(&file, &format!("parent = \"zzzzzzzz\"\n{text}")),
        8 => put(&file, &format!("number = {}\n{}", choices.below(4), text.replace("number = ", "mine = "))),
        9 => {
            let _ = fs::remove_file(&file);
        }
        10 => put(&file, ""),
        11 => put(&file, &text[..text.floor_char_boundary(text.len() / 2)]),
        12 if !sessions.is_empty() => {
            let session = root.join(&sessions[choices.below(sessions.len())]);
            let text = fs::read_to_string(&session).unwrap();
            put(
                &root.join(format!("sessions/copy{}.toml", choices.below(3))),
                &text.replace("summary = \"", "summary = \"other "),
            );
        }
        13 => put(&root.join(format!("sessions/2026-11-1{}-00000000.md", choices.below(9))), "# Lost\n\ntext\n"),
        14 => {
            let _ = fs::create_dir(root.join(format!("tasks/0{}-todo--empty", choices.below(9))));
        }
        _ => put(&root.join(".gitignore"), "nothing\n"),
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}

fn add_sessions(root: &Path, choices: &mut Choices) {
    for index in 0..choices.below(3) {
        let text = format!("id = \"0000000{index}\"\nsummary = \"s{index}\"\nstarted_at = 2026-11-15T10:00:00Z\n");
        fs::write(root.join(format!("sessions/2026-11-15-0000000{index}.toml")), text).unwrap();
    }
}

fn healthy(choices: &mut Choices, layout: Layout) -> World {
    let mut world = World::new(layout);
    for _ in 0..choices.below(10) {
        let parent = world.choose(choices).filter(|_| choices.flag());
        world.create(parent, choices.pick(&["a", "Write handlers", "認証", "12 monkeys"]));
        if let Some(id) = world.choose(choices) {
            world.step_of_ours(id, choices);
        }
    }
    add_sessions(&world.root, choices);
    world
}

fn layout(stable: bool) -> Layout {
    if stable { Layout::Stable } else { Layout::Status }
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn a_healthy_store_is_left_as_it_is(bytes in bytes(120), stable in any::<bool>()) {
        let world = healthy(&mut Choices::new(&bytes), layout(stable));
        let before = files(&world.root);
        let found = Store::open(&world.root).unwrap().examine(&around()).unwrap();
        prop_assert!(found.is_empty(), "{found:#?}");
        prop_assert!(fix(&world.root).is_empty());
        prop_assert_eq!(files(&world.root), before);
        prop_assert!(!world.root.join("local/state/backup").exists());
    }

    #[test]
    fn whatever_was_done_to_it_mending_loses_nothing(bytes in bytes(100), harm in bytes(40), stable in any::<bool>()) {
        let world = healthy(&mut Choices::new(&bytes), layout(stable));
        let mut choices = Choices::new(&harm);
        for _ in 0..choices.below(6) {
            damage(&world.root, &mut choices);
        }
        let sessions = sessions(&world.root);
        mending_loses_nothing(&world.root);
        prop_assert!(sessions.is_subset(&self::sessions(&world.root)));
    }

    #[test]
    fn mending_that_is_cut_off_is_finished(bytes in bytes(100), harm in bytes(40), stable in any::<bool>()) {
        let world = healthy(&mut Choices::new(&bytes), layout(stable));
        let mut choices = Choices::new(&harm);
        for _ in 0..choices.below(6) {
            damage(&world.root, &mut choices);
        }
        let whole = scratch();
        copy(&world.root, whole.path());
        fix(whole.path());
        cut_off(&world.root, &mut choices);
        prop_assert_eq!(files(&world.root), files(whole.path()));
    }

    #[test]
    fn any_mixture_of_directories_is_mended_without_loss(bytes in bytes(80)) {
        let dir = scratch();
        write_tree(dir.path(), &mut Choices::new(&bytes), Copies::Some);
        mending_loses_nothing(dir.path());
    }
}

/// Cut off at any step, mending is finished by whoever comes next.
fn cut_off(root: &Path, choices: &mut Choices) {
    let mut store = Store::open(root).unwrap();
    store.lock("doctor", Duration::from_secs(5)).unwrap();
    let cure = store.plan_cure(&around()).unwrap();
    store.stage_cure(&cure).unwrap();
    let at = choices.below(cure.changes().len());
    let committed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        store
            .commit(|done, _| {
                if done == at {
                    std::panic::resume_unwind(Box::new("cut off"))
                }
            })
            .unwrap();
    }));
    drop(store);
    assert!(committed.is_err() || cure.changes().len() < 2, "a change of one step has no middle");
    let mut store = Store::open(root).unwrap();
    let pending = store.left_by_crash().unwrap();
    assert_eq!(committed.is_err(), pending.iter().any(|finding| finding.kind == Kind::Journal), "{pending:?}");
    store.lock("next", Duration::from_secs(5)).unwrap();
    store.unlock();
}

fn sessions(root: &Path) -> BTreeSet<String> {
    let texts = files(root).into_iter().filter(|(path, _)| path.starts_with("sessions/"));
    texts
        .filter_map(|(_, bytes)| Session::read(&String::from_utf8(bytes).ok()?).ok())
        .map(|read| read.id.to_string())
        .collect()
}
