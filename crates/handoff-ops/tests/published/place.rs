//! A project in a directory of its own, with its own home, clock and ids.

use std::cell::Cell;
use std::path::PathBuf;

use handoff_ops::{Door, Entry, Environment, OpError, Place, Project, Reply, Request, dispatch, registry};
use serde_json::{Value, json};

pub(crate) struct Scratch {
    dir: tempfile::TempDir,
    calls: Cell<u64>,
}

pub(crate) fn tool(name: &str) -> &'static Entry {
    let offered = registry::ALL.iter().filter(|entry| entry.offered_at(Door::Mcp));
    offered.into_iter().find(|entry| entry.tool == name).unwrap_or_else(|| panic!("no tool `{name}`"))
}

impl Scratch {
    /// A directory that is no project yet.
    pub(crate) fn empty() -> Scratch {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        for part in ["home", "app"] {
            std::fs::create_dir(dir.path().join(part)).unwrap();
        }
        Scratch { dir, calls: Cell::new(0) }
    }

    pub(crate) fn new() -> Scratch {
        let scratch = Scratch::empty();
        scratch.call("handoff_init", json!({"project_name": "app"}));
        scratch
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("app").join(path)
    }

    pub(crate) fn try_call(&self, name: &str, arguments: Value) -> Result<Reply, OpError> {
        self.ask_in("", name, arguments)
    }

    /// A call with a `project_dir`.
    pub(crate) fn ask_in(&self, project_dir: &str, name: &str, arguments: Value) -> Result<Reply, OpError> {
        let call = self.calls.replace(self.calls.get() + 1);
        let env = Environment::new([
            ("HOME", self.path("../home").into_os_string()),
            ("HANDOFF_CLOCK", format!("2026-11-15T09:{:02}:{:02}Z", call / 60 % 60, call % 60).into()),
            ("HANDOFF_ID_SEED", call.to_string().into()),
        ]);
        let cwd = self.path("").components().collect();
        let place = Place { project_dir: Some(project_dir.into()), cwd, env, ..Place::default() };
        dispatch(tool(name), &mut Project::new(place, Some("codex".to_owned()), Door::Mcp), Request::Json(arguments))
    }

    /// A call that succeeds.
    pub(crate) fn call(&self, name: &str, arguments: Value) -> Reply {
        let shown = arguments.to_string();
        self.try_call(name, arguments).unwrap_or_else(|error| panic!("{name} {shown}: {}", said(&error)))
    }

    /// What a refused call is answered with; nothing may have changed.
    pub(crate) fn refused(&self, name: &str, arguments: Value) -> String {
        let before = self.files();
        let shown = arguments.to_string();
        let error = self.try_call(name, arguments).err().unwrap_or_else(|| panic!("{name} {shown} was accepted"));
        assert_eq!(self.files(), before, "{name} {shown} was refused and changed something");
        said(&error)
    }

    /// Makes a task, and tells its id.
    #[expect(clippy::needless_pass_by_value, reason = "reads better where it is called")]
    pub(crate) fn task(&self, task: Value) -> String {
        let reply = self.call("handoff_update_task", json!({"task": task}));
        reply.facts().id.unwrap()
    }

    /// The whole of a task.
    pub(crate) fn get(&self, id: &str) -> Value {
        self.call("handoff_get_task", json!({"task_id": id, "include_dependents": true})).json()
    }

    /// Every file of the store that does not belong to this machine alone, with its text.
    pub(crate) fn files(&self) -> Vec<(String, String)> {
        let mut files = Vec::new();
        let mut open = vec![self.path(".handoff")];
        while let Some(dir) = open.pop() {
            let Ok(entries) = std::fs::read_dir(dir) else { continue };
            for path in entries.map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    if !path.ends_with("local") {
                        open.push(path);
                    }
                } else {
                    files.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
                }
            }
        }
        files.sort();
        files
    }
}

/// An error as the door says it.
pub(crate) fn said(error: &OpError) -> String {
    let hints = error.hints().iter().map(|hint| hint.at(Door::Mcp));
    let lines = std::iter::once(error.sentence()).chain(error.detail_lines().iter().cloned()).chain(hints);
    lines.collect::<Vec<_>>().join("\n")
}
