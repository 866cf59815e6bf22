//! A server's cache changes how quickly it answers, and nothing else.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests change files as a person would, and stop at the first surprise"
)]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use handoff_ops::{Door, Environment, ErrorKind, OpError, Place, Project, Reply, Request, ServerCache, Stop};
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

    fn project(&self, cache: Option<&Arc<ServerCache>>) -> Project {
        let mut project = Project::new(self.place("app"), Some("alice".to_owned()), Door::Mcp);
        project.server_cache = cache.cloned();
        project
    }

    fn ask(&self, cache: Option<&Arc<ServerCache>>, name: &str, request: Value) -> Result<Reply, OpError> {
        dispatch(registry::find(name).unwrap(), &mut self.project(cache), Request::Json(request))
    }

    fn same(&self, cache: &Arc<ServerCache>) {
        let asked = [
            ("task.list", json!({"all": true})),
            ("config.get", json!({})),
            ("search", json!({"query": "one two thre*", "limit": 100})),
        ];
        for (name, request) in asked {
            let answers = [None, Some(cache)].map(|cache| self.ask(cache, name, request.clone()).unwrap().json());
            assert_eq!(answers[0], answers[1]);
        }
    }
}

#[test]
fn answers_with_and_without_a_memory_are_the_same() {
    let scratch = Scratch::new();
    let cache = ServerCache::new();
    scratch.same(&cache);
    for title in ["One", "Two", "Three"] {
        scratch.ask(Some(&cache), "task.create", json!({"title": title})).unwrap();
        scratch.same(&cache);
    }
    scratch.ask(None, "task.update", json!({"id": "2", "status": "done"})).unwrap();
    scratch.same(&cache);
    scratch.ask(None, "config.set", json!({"updates": {"settings.done_task_limit": 0}})).unwrap();
    scratch.same(&cache);
    let hidden = scratch.ask(Some(&cache), "task.list", json!({})).unwrap().json()["hidden_finished"].clone();
    assert_eq!(hidden, 1, "the setting counts at once");
    fs::write(scratch.path("config.toml"), "[settings]\ndone_task_limit = \"many\"\n").unwrap();
    scratch.same(&cache);
    scratch.ask(Some(&cache), "task.delete", json!({"id": "1"})).unwrap();
    scratch.same(&cache);
}

#[test]
fn a_project_that_goes_and_comes_again_is_another_one() {
    let scratch = Scratch::new();
    let cache = ServerCache::new();
    scratch.ask(Some(&cache), "task.create", json!({"title": "One"})).unwrap();
    let before = cache.marks(&scratch.place("app")).unwrap();
    fs::remove_dir_all(scratch.path("")).unwrap();
    assert_eq!(cache.marks(&scratch.place("app")), None);
    assert_eq!(scratch.ask(Some(&cache), "task.list", json!({})).unwrap_err().kind(), ErrorKind::NotFound);
    scratch.ask(Some(&cache), "init", json!({"name": "again"})).unwrap();
    assert_eq!(scratch.ask(Some(&cache), "task.list", json!({})).unwrap().json()["summary"]["total"], 0);
    scratch.same(&cache);
    let after = cache.marks(&scratch.place("app")).unwrap();
    assert!(after.tasks > before.tasks && after.config > before.config, "{before:?} {after:?}");
}

#[test]
fn marks_grow_for_what_changed_and_for_nothing_else() {
    let scratch = Scratch::new();
    for cache in [ServerCache::new(), ServerCache::watching_at_most(0)] {
        let marks = || cache.marks(&scratch.place("app")).unwrap();
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
    assert_eq!(ServerCache::new().marks(&scratch.place("home")), None);
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
    assert_eq!(scratch.ask(None, "task.list", json!({})).unwrap().json()["summary"]["total"], 0);
}
