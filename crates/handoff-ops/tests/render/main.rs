//! Renderings: the same bytes each time, text of others in quotation whatever it says, budgets kept.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests change files as a person would, and stop at the first surprise"
)]

mod budget;
mod golden;
mod hostile;

use std::fs;
use std::path::{Path, PathBuf};

use handoff_ops::render::Target;
use handoff_ops::{Door, Environment, Place, Project, Request, dispatch, registry};
use serde_json::{Value, json};

const TARGETS: [&str; 11] = Target::WORDS;

/// Where the records lie that are rendered.
fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/render")
}

/// A project in a directory of its own.
struct Scratch {
    dir: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Scratch {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        for part in ["home", "my-app"] {
            fs::create_dir(dir.path().join(part)).unwrap();
        }
        let scratch = Scratch { dir };
        scratch.ask("init", json!({"name": "my-app"}));
        for (number, status, id, title) in [
            (1, "in_progress", "k7f3q2ma", "Implement auth"),
            (2, "done", "m2x9a4te", "Design schema"),
            (3, "blocked", "q4w8e2rt", "Deploy staging"),
        ] {
            let text = format!("format = 1\nid = \"{id}\"\ntitle = \"{title}\"\nstatus = \"{status}\"\n");
            scratch.write(&format!(".handoff/tasks/{number:02}-{status}--task/task.toml"), &text);
        }
        scratch
    }

    /// The same with a record of the fixtures and its text.
    fn with(names: &[&str]) -> Scratch {
        let scratch = Scratch::new();
        for name in names {
            for ending in ["toml", "md"] {
                let file = format!("{name}.{ending}");
                if let Ok(text) = fs::read_to_string(fixtures().join(&file)) {
                    scratch.write(&format!(".handoff/sessions/{file}"), &text);
                }
            }
        }
        scratch
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.dir.path().join("my-app").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Puts a closed session there.
    fn session(&self, name: &str, lines: &str) {
        let (day, id) = name.split_at(10);
        let head = format!("format = 1\nid = \"{}\"\nstatus = \"closed\"\nended_at = {day}T09:00:00Z\n", &id[1..]);
        self.write(&format!(".handoff/sessions/{name}.toml"), &(head + lines));
    }

    fn ask(&self, name: &str, request: Value) -> Value {
        let env = Environment::new([("HOME", self.dir.path().join("home").into_os_string())]);
        let place = Place { cwd: self.dir.path().join("my-app").canonicalize().unwrap(), env, ..Place::default() };
        let mut project = Project::new(place, Some("alice".to_owned()), Door::Cli);
        dispatch(registry::find(name).unwrap(), &mut project, Request::Json(request)).unwrap().json()
    }

    fn render(&self, id: &str, target: &str) -> String {
        self.text("render", "text", json!({"id": id, "target": target}))
    }

    fn render_within(&self, id: &str, target: &str, budget: usize) -> String {
        self.text("render", "text", json!({"id": id, "target": target, "budget_tokens": budget}))
    }

    fn state(&self, target: &str) -> String {
        self.text("resume", "rendered", json!({"for": target}))
    }

    fn text(&self, name: &str, field: &str, request: Value) -> String {
        self.ask(name, request)[field].as_str().unwrap().to_owned()
    }
}
