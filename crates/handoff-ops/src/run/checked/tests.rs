//! Forged state that has a seal all the same: nothing happens that a person did not ask for.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use handoff_store::{RunLock, Store};
use serde_json::{Value, json};

use crate::{Door, Environment, ErrorKind, OpError, Place, Project, Reply, Request, dispatch, registry};

/// A project in `app`, beside a home directory and a place that belongs to neither.
struct Scratch {
    dir: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Scratch {
        let dir = tempfile::tempdir().unwrap();
        for part in ["home", "app/src", "elsewhere"] {
            fs::create_dir_all(dir.path().join(part)).unwrap();
        }
        let scratch = Scratch { dir };
        scratch.ask("init", json!({"name": "app"})).unwrap();
        scratch
    }

    fn path(&self, below: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(below)
    }

    fn project(&self) -> Project {
        let env = Environment::new([("HOME", self.path("home")), ("USER", PathBuf::from("alice"))]);
        Project::new(Place { cwd: self.path("app"), env, ..Place::default() }, Some("alice".to_owned()), Door::Cli)
    }

    fn ask(&self, name: &str, request: Value) -> Result<Reply, OpError> {
        dispatch(registry::find(name).unwrap(), &mut self.project(), Request::Json(request))
    }

    fn store(&self) -> Store {
        Store::open(&self.path("app/.handoff")).unwrap()
    }

    /// The last run, as it is written down.
    fn run(&self) -> Value {
        serde_json::from_slice(&self.store().checkpoint().unwrap().expect("there was a run")).unwrap()
    }

    /// A run that was cut short before its last step.
    fn cut_short(&self) -> Value {
        self.ask("run", json!({"note": "First"})).unwrap();
        let mut run = self.run();
        run["status"] = "in_progress".into();
        let last = run["steps"].as_array_mut().unwrap().last_mut().unwrap();
        last["progress"] = "pending".into();
        run
    }

    /// Writes a run down with a seal, as nobody but this installation can.
    fn plant(&self, run: &Value) {
        let store = self.store();
        let held: RunLock = store.lock_run("a test", Duration::ZERO).unwrap().unwrap();
        store.put_checkpoint(&held, &run.to_string()).unwrap();
    }

    /// The same for a request.
    fn enqueue(&self, inputs: &Value) {
        self.store().enqueue_run(inputs["request"].as_str().unwrap(), &inputs.to_string()).unwrap();
    }

    /// All that is outside the project.
    fn outside(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for place in ["home", "elsewhere"] {
            list(&self.path(place), &mut found);
        }
        found.retain(|path| !path.to_string_lossy().contains("/home/.local"));
        found.sort();
        found
    }

    /// Checks that the run is damaged, and that this field is named.
    fn refuses(&self, run: &Value, field: &str) {
        let before = self.outside();
        self.plant(run);
        let Err(error) = self.ask("run", json!({})) else { panic!("{field} was accepted") };
        assert_eq!(error.kind(), ErrorKind::Damaged, "{field}: {}", error.sentence());
        assert!(error.sentence().contains(&format!("`{field}`")), "{field}: {}", error.sentence());
        assert_eq!(self.outside(), before, "{field}");
    }
}

fn list(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        found.push(entry.path());
        list(&entry.path(), found);
    }
}

#[test]
fn what_handoff_would_not_write_is_damage_that_names_its_field() {
    let scratch = Scratch::new();
    let run = scratch.cut_short();
    let with = |pointer: &str, value: Value| {
        let mut run = run.clone();
        *run.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer} is missing")) = value;
        run
    };
    scratch.refuses(&with("/run", "../x".into()), "run");
    scratch.refuses(&with("/inputs/request", "../../x.json".into()), "request");
    scratch.refuses(&with("/inputs/directory", "../..".into()), "directory");
    scratch.refuses(&with("/steps/0/key", "touch x;#".into()), "key");
    let mut steps = with("/steps/0/id", "touch x;#".into());
    scratch.refuses(&steps, "touch x;#");
    for (field, value) in [
        ("compatible_checkpoint", json!("../../.bash_aliases")),
        ("config", json!("../steps.toml")),
        ("only", json!(["$(touch x)"])),
        ("skip", json!(["a b"])),
        ("from", json!("../x")),
    ] {
        steps = run.clone();
        steps["inputs"][field] = value;
        scratch.refuses(&steps, field);
    }
    scratch.plant(&run);
    scratch.ask("run", json!({})).expect("what handoff does write is taken up");
}

#[test]
fn a_checkpoint_for_agent_handover_is_written_in_the_project_and_nowhere_else() {
    let scratch = Scratch::new();
    let run = scratch.cut_short();
    let at = |place: &Path| {
        let mut run = run.clone();
        run["inputs"]["compatible_checkpoint"] = json!(place);
        run
    };
    let before = scratch.outside();
    let refused =
        ["elsewhere/c.json", "home/.bash_aliases", "app/../elsewhere/c.json", "app/aliases", "app/.git/c.json"];
    for place in refused {
        scratch.plant(&at(&scratch.path("").join(place)));
        scratch.ask("run", json!({})).unwrap();
        assert_eq!(scratch.outside(), before, "{place}");
        assert!(!scratch.path(place).exists(), "{place}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(scratch.path("elsewhere"), scratch.path("app/link")).unwrap();
        scratch.plant(&at(&scratch.path("app/link/c.json")));
        scratch.ask("run", json!({})).unwrap();
        assert_eq!(scratch.outside(), before, "behind a link");
    }
    let usual = scratch.path("app/src/.agent-handover/checkpoint.json");
    scratch.plant(&at(&usual));
    scratch.ask("run", json!({})).unwrap();
    assert!(fs::read_to_string(usual).unwrap().contains("completed"), "a run of the project goes on being told");
}

#[test]
fn a_list_outside_the_project_is_followed_only_where_a_person_names_it() {
    let scratch = Scratch::new();
    let mut run = scratch.cut_short();
    let list = scratch.path("elsewhere/steps.toml");
    fs::write(&list, "format = 1\n[[step]]\nkind = \"note\"\n").unwrap();
    run["inputs"]["config"] = json!(list);
    scratch.plant(&run);
    let error = scratch.ask("run", json!({})).expect_err("it is not followed");
    assert!(error.sentence().contains("outside the project"), "{}", error.sentence());
    scratch.ask("run", json!({"config": list})).expect("the person names it");
}

#[test]
fn steps_of_a_list_that_is_gone_run_nothing_and_stay_in_the_project() {
    let scratch = Scratch::new();
    let mut run = scratch.cut_short();
    let mut inputs = run["inputs"].clone();
    inputs["request"] = "00000000000001-aaaaaaaa.json".into();
    inputs["config"] = json!(scratch.path("app/gone.toml"));
    let command = json!({"id": "x", "action": {"kind": "command", "run": ["touch", "ran"], "timeout_seconds": 60}});
    inputs["steps"] = json!([command]);
    scratch.enqueue(&inputs);
    assert!(scratch.ask("run", json!({})).is_err(), "nobody trusts a file that is gone");
    let export = json!({"kind": "export", "output": "../elsewhere/x.json", "all": true, "timeout_seconds": 60});
    inputs["steps"] = json!([{"id": "x", "action": export}]);
    scratch.enqueue(&inputs);
    let Ok(reply) = scratch.ask("run", json!({})) else { panic!("what is damaged is told beside the answer") };
    assert!(reply.warnings.concat().contains("below the project"), "{:?}", reply.warnings);
    assert!(!scratch.path("app/ran").exists() && !scratch.path("elsewhere/x.json").exists());
    run["inputs"] = inputs;
    scratch.refuses(&run, "output");
}

#[test]
fn a_run_of_another_format_is_told_with_its_number() {
    let scratch = Scratch::new();
    scratch.plant(&json!({"format": 99, "run": "k7f3q2ma"}));
    let error = scratch.ask("run", json!({})).expect_err("it cannot be read");
    assert!(error.sentence().contains("format 99"), "{}", error.sentence());
}
