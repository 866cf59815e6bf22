//! Operations answer the same with the index and without it.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests change files as a person would, and stop at the first surprise"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use handoff_ops::{Door, Environment, OpError, Place, Project, Request, dispatch, registry};
use handoff_store::Store;
use serde_json::{Value, json};

fn ask(dir: &Path, name: &str, request: Value) -> Value {
    answer(dir, name, request).unwrap()
}

/// Whether what was asked for could be done.
fn try_ask(dir: &Path, name: &str, request: Value) -> bool {
    answer(dir, name, request).is_ok()
}

fn answer(dir: &Path, name: &str, request: Value) -> Result<Value, OpError> {
    let env = Environment::new([("HOME", dir.join("home"))]);
    let place = Place { cwd: dir.join("app"), env, ..Place::default() };
    let mut project = Project::new(place, Some("alice".to_owned()), Door::Cli);
    dispatch(registry::find(name).unwrap(), &mut project, Request::Json(request)).map(|answer| answer.json())
}

/// What reads many tasks.
fn answers(dir: &Path) -> Vec<Value> {
    let list = |request: Value| ask(dir, "task.list", request);
    vec![
        ask(dir, "resume", json!({})),
        list(json!({})),
        list(json!({"all": true})),
        list(json!({"ready": true, "flat": true})),
        list(json!({"labels": ["even"], "limit": 3})),
        list(json!({"query": "NOTED", "status": ["done"]})),
        ask(dir, "dashboard", json!({})),
    ]
}

fn tasks(dir: &Path) -> Vec<(String, PathBuf)> {
    let store = Store::open(&dir.join("app/.handoff")).unwrap().without_index();
    let forest = store.forest().unwrap();
    let file = |dir: &str| store.path_of(dir).join("task.toml");
    forest.walk().iter().map(|node| (node.task.id.to_string(), file(node.dir()))).collect()
}

#[track_caller]
fn same(dir: &Path, after: &str) {
    let index = dir.join("app/.handoff/local/cache/index");
    let with = answers(dir);
    let aside = index.with_file_name("aside");
    let was_there = fs::rename(&index, &aside).is_ok();
    let without = answers(dir);
    if was_there {
        fs::rename(&aside, &index).unwrap();
    }
    for (with, without) in with.iter().zip(&without) {
        assert_eq!(with, without, "after {after}");
    }
}

#[test]
fn lists_dashboard_and_resume_are_the_same_with_the_index_and_without_it() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("app")).unwrap();
    let dir = dir.path();
    ask(dir, "init", json!({"name": "app"}));
    for index in 0..12 {
        let parent = (index % 3 != 0).then(|| tasks(dir)[index - index % 3].0.clone());
        let labels = if index % 2 == 0 { json!(["even"]) } else { json!([]) };
        ask(dir, "task.create", json!({"title": format!("Task {index}"), "parent": parent, "labels": labels}));
    }
    for (place, (id, _)) in tasks(dir).into_iter().enumerate() {
        ask(dir, "task.note", json!({"id": id, "text": format!("Noted {place}")}));
        let status = ["in_progress", "blocked", "done"][place % 3];
        ask(dir, "task.update", json!({"id": id, "status": status, "priority": "high"}));
    }
    std::thread::sleep(Duration::from_millis(150));
    Store::open(&dir.join("app/.handoff")).unwrap().rebuild_index().unwrap();
    same(dir, "nothing");
    let edits: [fn(&str) -> String; 4] = [
        |text| text.replace("Task", "Tusk"),
        |text| text.replace("status = \"done\"", "status = \"review\""),
        |text| format!("{text}\n<<<<<<< ours\n"),
        |text| text[..text.len() / 2].to_owned(),
    ];
    for (place, (_, file)) in tasks(dir).into_iter().enumerate() {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        fs::write(&file, edits[place % edits.len()](&text)).unwrap();
        // What nobody shows is found by the sweep, as in counts and in what depends on it.
        Store::open(&dir.join("app/.handoff")).unwrap().sweep().unwrap();
        same(dir, &format!("an edit of {}", file.display()));
    }
    fs::remove_dir_all(tasks(dir)[0].1.parent().unwrap()).unwrap();
    same(dir, "a deletion");
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % sides as u64).unwrap()
    }
}

/// Runs git, whose answer may be that it cannot.
fn git(dir: &Path, args: &[&str]) -> bool {
    let mut git = std::process::Command::new("git");
    git.args(["-c", "user.name=alice", "-c", "user.email=alice@example.com", "-c", "commit.gpgsign=false"]);
    git.args(args).current_dir(dir.join("app")).env("HOME", dir.join("home")).env("GIT_CONFIG_NOSYSTEM", "1");
    git.output().unwrap().status.success()
}

fn commit(dir: &Path) -> bool {
    git(dir, &["add", "-A"]) && git(dir, &["commit", "-qm", "work"])
}

#[test]
fn answers_are_the_same_with_the_index_after_whatever_git_does_to_shared_files() {
    for seed in 1..=3 {
        let scratch = tempfile::tempdir().unwrap();
        let dir = scratch.path();
        fs::create_dir_all(dir.join("app")).unwrap();
        assert!(git(dir, &["init", "-q", "-b", "main"]));
        ask(dir, "init", json!({"name": "app", "shared": true}));
        for index in 0..8 {
            ask(dir, "task.create", json!({"title": format!("Task {index}")}));
        }
        assert!(commit(dir) && git(dir, &["branch", "other"]));
        let (mut dice, mut steps) = (Dice(seed), Vec::new());
        for step in 0..40 {
            let known = tasks(dir);
            let id = known[dice.roll(known.len())].0.clone();
            let branch = ["main", "other"][dice.roll(2)];
            let status = ["todo", "in_progress", "done", "skipped"][dice.roll(4)];
            let done = match dice.roll(10) {
                0 => {
                    format!("create {}", ask(dir, "task.create", json!({"title": format!("New {step}")}))["task"]["id"])
                }
                1 => format!("child of {id}: {}", try_ask(dir, "task.create", json!({"title": "Below", "parent": id}))),
                2 | 3 => format!("{id} {status}: {}", try_ask(dir, "task.update", json!({"id": id, "status": status}))),
                4 => format!("note on {id}: {}", try_ask(dir, "task.note", json!({"id": id, "text": "seen"}))),
                5 => format!("commit: {}", commit(dir)),
                6 => format!("checkout {branch}: {}", git(dir, &["checkout", "-q", branch])),
                7 => format!("merge {branch}: {}", git(dir, &["merge", "-q", "--no-edit", branch])),
                8 => format!(
                    "stash: {}",
                    git(dir, &["stash", "-q"]) && (dice.roll(2) == 0 || git(dir, &["stash", "pop", "-q"]))
                ),
                _ => format!("reset: {}", git(dir, &["reset", "-q", "--hard", "HEAD"])),
            };
            steps.push(done);
            same(dir, &format!("seed {seed}: {steps:#?}"));
            if step % 5 == 4 {
                std::thread::sleep(Duration::from_millis(150));
                Store::open(&dir.join("app/.handoff")).unwrap().rebuild_index().unwrap();
                same(dir, &format!("writing the index, seed {seed}: {steps:#?}"));
            }
        }
    }
}
