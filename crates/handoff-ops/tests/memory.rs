//! A server's memory changes how quickly it answers, and nothing else.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests change files as a person would, and stop at the first surprise"
)]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use handoff_ops::{Door, Environment, ErrorKind, Memory, OpError, Place, Project, Reply, Request, Stop};
use handoff_ops::{dispatch, registry};
use serde_json::{Value, json};

struct Scratch {
    dir: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Scratch {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        for part in ["home", "app"] {
            fs::create_dir(dir.path().join(part)).unwrap();
        }
        let scratch = Scratch { dir };
        scratch.ask(None, "init", json!({"name": "app"})).unwrap();
        scratch
    }

    fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join("app/.handoff").join(below)
    }

    fn place(&self, cwd: &str) -> Place {
        let env = Environment::new([("HOME", self.dir.path().join("home"))]);
        Place { cwd: self.dir.path().join(cwd).canonicalize().unwrap(), env, ..Place::default() }
    }

    fn project(&self, memory: Option<&Arc<Memory>>) -> Project {
        let mut project = Project::new(self.place("app"), Some("alice".to_owned()), Door::Mcp);
        project.memory = memory.cloned();
        project
    }

    fn ask(&self, memory: Option<&Arc<Memory>>, name: &str, request: Value) -> Result<Reply, OpError> {
        dispatch(registry::find(name).unwrap(), &mut self.project(memory), Request::Json(request))
    }

    fn same(&self, memory: &Arc<Memory>) {
        for (name, request) in [("task.list", json!({"all": true})), ("config.get", json!({}))] {
            let answers = [None, Some(memory)].map(|memory| self.ask(memory, name, request.clone()).unwrap().json);
            assert_eq!(answers[0], answers[1]);
        }
    }
}

#[test]
fn answers_with_and_without_a_memory_are_the_same() {
    let scratch = Scratch::new();
    let memory = Memory::new();
    scratch.same(&memory);
    for title in ["One", "Two", "Three"] {
        scratch.ask(Some(&memory), "task.create", json!({"title": title})).unwrap();
        scratch.same(&memory);
    }
    scratch.ask(None, "task.update", json!({"id": "2", "status": "done"})).unwrap();
    scratch.same(&memory);
    scratch.ask(None, "config.set", json!({"updates": {"settings.done_task_limit": 0}})).unwrap();
    scratch.same(&memory);
    let hidden = scratch.ask(Some(&memory), "task.list", json!({})).unwrap().json["hidden_finished"].clone();
    assert_eq!(hidden, 1, "the setting counts at once");
    fs::write(scratch.path("config.toml"), "[settings]\ndone_task_limit = \"many\"\n").unwrap();
    scratch.same(&memory);
    scratch.ask(Some(&memory), "task.delete", json!({"id": "1"})).unwrap();
    scratch.same(&memory);
}

#[test]
fn a_project_that_goes_and_comes_again_is_another_one() {
    let scratch = Scratch::new();
    let memory = Memory::new();
    scratch.ask(Some(&memory), "task.create", json!({"title": "One"})).unwrap();
    let before = memory.marks(&scratch.place("app")).unwrap();
    fs::remove_dir_all(scratch.path("")).unwrap();
    assert_eq!(memory.marks(&scratch.place("app")), None);
    assert_eq!(scratch.ask(Some(&memory), "task.list", json!({})).unwrap_err().kind(), ErrorKind::NotFound);
    scratch.ask(Some(&memory), "init", json!({"name": "again"})).unwrap();
    assert_eq!(scratch.ask(Some(&memory), "task.list", json!({})).unwrap().json["summary"]["total"], 0);
    scratch.same(&memory);
    let after = memory.marks(&scratch.place("app")).unwrap();
    assert!(after.tasks > before.tasks && after.config > before.config, "{before:?} {after:?}");
}

#[test]
fn marks_grow_for_what_changed_and_for_nothing_else() {
    let scratch = Scratch::new();
    for memory in [Memory::new(), Memory::watching_at_most(0)] {
        let marks = || memory.marks(&scratch.place("app")).unwrap();
        let start = marks();
        assert_eq!(start, marks());
        scratch.ask(None, "task.create", json!({"title": "One"})).unwrap();
        let task = marks();
        assert!(task.tasks > start.tasks);
        assert_eq!((task.sessions, task.config), (start.sessions, start.config));
        fs::write(scratch.path("sessions/a.toml"), "").unwrap();
        let session = marks();
        assert!(session.sessions > task.sessions);
        assert_eq!((session.tasks, session.config), (task.tasks, task.config));
        fs::write(scratch.path("PAUSE"), "lunch").unwrap();
        let config = marks();
        assert!(config.config > session.config);
        assert_eq!((config.tasks, config.sessions), (session.tasks, session.sessions));
        assert_eq!(config, marks());
        fs::remove_file(scratch.path("PAUSE")).unwrap();
        fs::remove_file(scratch.path("sessions/a.toml")).unwrap();
    }
    assert_eq!(Memory::new().marks(&scratch.place("home")), None);
}

#[test]
fn a_request_that_is_stopped_says_that_nothing_was_changed() {
    let scratch = Scratch::new();
    let stop = Stop::never();
    let mut project = scratch.project(None);
    project.stop = stop.clone();
    stop.stop();
    let create = registry::find("task.create").unwrap();
    let error = dispatch(create, &mut project, Request::Json(json!({"title": "One"}))).unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Failure, "cancelled; nothing was changed"));
    let mut project = scratch.project(None);
    project.stop = Stop::after(Duration::ZERO);
    let error = dispatch(registry::find("task.list").unwrap(), &mut project, Request::Json(json!({}))).unwrap_err();
    assert_eq!(error.message(), "gave up after 0 s; nothing was changed");
    assert_eq!(scratch.ask(None, "task.list", json!({})).unwrap().json["summary"]["total"], 0);
}

fn median(count: usize, mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..count)
        .map(|_| {
            let started = Instant::now();
            run();
            started.elapsed()
        })
        .collect();
    times.sort();
    times[count / 2]
}

fn resident() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().filter(|line| line.starts_with("VmRSS") || line.starts_with("VmHWM")).collect::<Vec<_>>().join(" ")
}

#[test]
#[ignore = "a measurement: run it in a release build, with --nocapture"]
fn how_long_a_warm_answer_takes() {
    for tasks in [1_000, 10_000] {
        let scratch = Scratch::new();
        for index in 0..tasks {
            let (top, rest) = (index / 20 + 1, index % 20);
            let status = ["done", "todo", "in_progress", "blocked"][index % 4];
            let above = format!(
                "tasks/{top:02}-{}--task-{}",
                ["done", "todo", "in_progress", "blocked"][(index - rest) % 4],
                index - rest
            );
            let dir = match rest {
                0 => above,
                rest => format!("{above}/{top:02}.{rest}-{status}--task-{index}"),
            };
            fs::create_dir_all(scratch.path(&dir)).unwrap();
            let text = format!(
                "format = 1\nid = \"t{index:07}\"\ntitle = \"Task {index}\"\nstatus = \"{status}\"\npriority = \"high\"\nlabels = [\"auth\", \"api\"]\n\
                 assignee = \"alice\"\ncreated_at = 2026-11-15T09:15:03Z\ndescription = \"Needed for the beta.\"\n\n[schedule]\ndue_date = 2026-11-18\n\
                 estimate_hours = 6.0\n\n[[done_criteria]]\nitem = \"refresh flow has a test\"\nchecked = false\n\n[[notes]]\nat = 2026-11-15T11:40:00Z\n\
                 by = \"codex\"\ntext = \"Handler drafted; refresh path still open.\"\n\n[[history]]\nat = 2026-11-15T10:00:00Z\nby = \"codex\"\nstatus = \"in_progress\"\n"
            );
            fs::write(scratch.path(&dir).join("task.toml"), text).unwrap();
        }
        std::thread::sleep(Duration::from_millis(2_500));
        let list = || json!({"limit": 20});
        eprintln!("{tasks} tasks, before: {}", resident());
        for (name, memory) in [("watching", Memory::new()), ("looking", Memory::watching_at_most(0))] {
            let first = median(1, || drop(scratch.ask(Some(&memory), "task.list", list()).unwrap()));
            eprintln!("  {name}: first list {first:?}; {}", resident());
            let read = median(41, || drop(scratch.ask(Some(&memory), "task.list", list()).unwrap()));
            let marks = median(41, || assert!(memory.marks(&scratch.place("app")).is_some()));
            let config = median(41, || {
                drop(scratch.ask(Some(&memory), "config.get", json!({"key": "settings.budget_tokens"})).unwrap());
            });
            let changed = median(11, || {
                let path = scratch.path("tasks/01-done--task-0/task.toml");
                let text = fs::read_to_string(&path).unwrap();
                fs::write(&path, text.replace("Task 0", "Tisk 0").replace("Tisk 0", "Task 0")).unwrap();
                drop(scratch.ask(Some(&memory), "task.list", list()).unwrap());
            });
            let dir = scratch.path("");
            let warm = handoff_store::Warm::watching_at_most(if name == "watching" { usize::MAX } else { 0 });
            drop(handoff_store::Store::open_warm(&dir, &warm).unwrap().forest().unwrap());
            let forest = median(41, || drop(handoff_store::Store::open_warm(&dir, &warm).unwrap().forest().unwrap()));
            eprintln!(
                "  {name}: list {read:?}, marks {marks:?}, config.get {config:?}, list after a touch {changed:?}, open and forest {forest:?}; {}",
                resident()
            );
        }
        let cold = median(5, || drop(scratch.ask(None, "task.list", list()).unwrap()));
        eprintln!("  cold list {cold:?}; {}", resident());
    }
}
