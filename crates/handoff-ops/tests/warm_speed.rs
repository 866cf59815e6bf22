//! How much work an answer from memory is. A measurement, in time on the processor, so that others do not disturb it.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests change files as a person would, and stop at the first surprise"
)]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use handoff_ops::{Door, Environment, Place, Project, Request, ServerCache, dispatch, registry};
use handoff_store::{Store, Warm};
use serde_json::{Value, json};

const STATUSES: [&str; 4] = ["done", "todo", "in_progress", "blocked"];

fn ask(dir: &Path, cache: Option<&Arc<ServerCache>>, name: &str, request: Value) {
    let env = Environment::new([("HOME", dir.join("home"))]);
    let place = Place { cwd: dir.join("app"), env, ..Place::default() };
    let mut project = Project::new(place, Some("alice".to_owned()), Door::Mcp);
    project.server_cache = cache.cloned();
    dispatch(registry::find(name).unwrap(), &mut project, Request::Json(request)).unwrap();
}

/// Twenty tasks below each at the top.
fn fill(root: &Path, tasks: usize) {
    for index in 0..tasks {
        let (top, rest) = (index / 20 + 1, index % 20);
        let name = |index: usize| format!("{}--task-{index}", STATUSES[index % 4]);
        let mut dir = root.join(format!("tasks/{top:02}-{}", name(index - rest)));
        if rest > 0 {
            dir = dir.join(format!("{top:02}.{rest}-{}", name(index)));
        }
        let status = STATUSES[index % 4];
        let text = format!(
            r#"format = 1
id = "t{index:07}"
title = "Task {index}"
status = "{status}"
priority = "high"
labels = ["auth", "api"]
assignee = "alice"
created_at = 2026-11-15T09:15:03Z
description = "Needed for the beta."
[schedule]
due_date = 2026-11-18
estimate_hours = 6.0
[[done_criteria]]
item = "refresh flow has a test"
[[notes]]
at = 2026-11-15T11:40:00Z
by = "codex"
text = "Handler drafted; refresh path still open."
[[history]]
at = 2026-11-15T10:00:00Z
by = "codex"
status = "in_progress"
"#
        );
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("task.toml"), text).unwrap();
    }
}

/// The time this thread was on a processor.
fn worked() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(text.split(' ').next().unwrap().parse().unwrap())
}

fn cost(times: u32, mut run: impl FnMut()) -> Duration {
    let before = worked();
    (0..times).for_each(|_| run());
    worked().saturating_sub(before) / times
}

fn resident() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let lines = status.lines().filter(|line| line.starts_with("VmRSS") || line.starts_with("VmHWM"));
    lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join(", ")
}

/// `HANDOFF_TASKS` sets how many tasks there are.
#[test]
#[ignore = "a measurement: run it in a release build, with --nocapture"]
fn what_an_answer_from_memory_costs() {
    let tasks = std::env::var("HANDOFF_TASKS").map_or(10_000, |tasks| tasks.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    for part in ["home", "app"] {
        fs::create_dir(dir.path().join(part)).unwrap();
    }
    ask(dir.path(), None, "init", json!({"name": "app"}));
    let root = dir.path().join("app/.handoff");
    fill(&root, tasks);
    std::thread::sleep(Duration::from_millis(2_500));
    eprintln!("{tasks} tasks; {}", resident());
    for (way, most) in [("watching", usize::MAX), ("looking", 0)] {
        let warm = Warm::watching_at_most(most);
        let read = || Store::open_warm(&root, &warm).unwrap().forest().unwrap().len();
        let first = cost(1, || assert_eq!(read(), tasks));
        eprintln!("{way}: first {first:?}, {}", resident());
        let again = cost(if most == 0 { 20 } else { 5_000 }, || assert_eq!(read(), tasks));
        let path = root.join("tasks/01-done--task-0/task.toml");
        let text = fs::read_to_string(&path).unwrap();
        let mut step = 0;
        let changed = cost(20, || {
            step += 1;
            fs::write(&path, text.replace("Task 0", &format!("Task {step}"))).unwrap();
            assert_eq!(read(), tasks);
        });
        eprintln!("{way}: again {again:?}, after a change {changed:?}, {}", resident());
        drop(warm);
        let cache = ServerCache::watching_at_most(most);
        let list = || ask(dir.path(), Some(&cache), "task.list", json!({"limit": 20}));
        list();
        let listed = cost(20, list);
        let config = cost(20, || ask(dir.path(), Some(&cache), "config.get", json!({"key": "settings.budget_tokens"})));
        eprintln!("{way}: task.list {listed:?}, config.get {config:?}, {}", resident());
    }
    let cold = cost(3, || ask(dir.path(), None, "task.list", json!({"limit": 20})));
    eprintln!("cold: task.list {cold:?}, {}", resident());
}
