//! The hostile state files: what an attacker's own handoff wrote, changed so that it would act outside or show a canary.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::rig::{Invocation, Sandbox, files_below};

use super::{CANARY, Victim};

/// Stands for the victim's home directory in planted text.
const HOME: &str = "@HOME@";
/// Stands for the transcript of another project.
const TRANSCRIPT: &str = "@TRANSCRIPT@";
/// Stands for the directory that a project usually arrives in.
const PROJECT: &str = "@PROJECT@";
/// Files outside of the project, as seen from different depths.
const TARGETS: [&str; 3] = ["@HOME@/.bash_aliases", "../home/.bash_aliases", "../../home/.bash_aliases"];

/// A hostile state, as files below `.handoff/local/`.
#[derive(Debug)]
pub(crate) struct Plant {
    pub(crate) name: String,
    files: BTreeMap<String, Vec<u8>>,
}

impl Plant {
    fn new<const N: usize>(name: &str, files: [(&str, String); N]) -> Plant {
        let files = files.into_iter().map(|(path, text)| (path.to_owned(), text.into_bytes())).collect();
        Plant { name: name.to_owned(), files }
    }

    /// The files with the paths of this victim in them.
    pub(crate) fn files_for(&self, victim: &Victim) -> BTreeMap<String, Vec<u8>> {
        let shown = |path: std::path::PathBuf| path.display().to_string();
        let (home, transcript) = (shown(victim.home()), shown(victim.transcript()));
        let project = shown(victim.root().join("project"));
        let fill = |bytes: &Vec<u8>| match std::str::from_utf8(bytes) {
            Ok(text) => {
                text.replace(HOME, &home).replace(TRANSCRIPT, &transcript).replace(PROJECT, &project).into_bytes()
            }
            Err(_) => bytes.clone(),
        };
        self.files.iter().map(|(path, bytes)| (path.clone(), fill(bytes))).collect()
    }
}

/// Somebody with a handoff and a home of their own.
pub(crate) struct Attacker {
    sandbox: Sandbox,
    /// What their handoff wrote to `.handoff/local/`
    local: BTreeMap<String, Vec<u8>>,
}

impl Attacker {
    /// Works a while in a project, so that every kind of state is there, and then hides the canary in the records.
    pub(crate) fn prepare(binary: &Path, place: &Path) -> Result<Attacker, String> {
        let sandbox = Sandbox::create(place).map_err(|error| error.to_string())?;
        let run = |args: &[&str]| -> Result<(), String> {
            let finished = sandbox.run(binary, args).map_err(|error| error.to_string())?;
            match finished.died() {
                None => Ok(()),
                Some(how) => Err(format!("`handoff {}` {how}: {}", args.join(" "), finished.brief())),
            }
        };
        run(&["init", "arrived", "--shared"])?;
        run(&["task", "create", "Alpha"])?;
        run(&["save", "--summary", "Worked on alpha"])?;
        let records = records(&sandbox);
        run(&["task", "create", CANARY])?;
        run(&["timer", "start", "2"])?;
        run(&["search", CANARY])?;
        run(&["session", "list"])?;
        let store = sandbox.store();
        let blocked = "[[step]]\nkind = \"note\"\n\n[[step]]\nkind = \"export\"\noutput = \"out/bundle.json\"\n";
        let written = fs::write(store.join("handover.toml"), blocked)
            .and_then(|()| fs::write(sandbox.project().join("out"), "in the way"));
        written.map_err(|error| error.to_string())?;
        run(&["run", "--note", CANARY])?;
        run(&["run", "--note", &format!("{CANARY} waits")])?;
        let said = json!({"session_id": "planted", "cwd": sandbox.project(), "hook_event_name": "SessionStart",
            "source": "startup", "transcript_path": "/tmp/none.jsonl"});
        let hook = Invocation {
            args: ["hook", "session-start", "--host", "claude-code"].map(str::to_owned).to_vec(),
            input: Some(said.to_string()),
            env: Vec::new(),
        };
        sandbox.invoke(binary, &hook).map_err(|error| error.to_string())?;
        run(&["task", "delete", "2"])?;
        // Their machine is this one, which must not make them the user: a stamp of theirs proves nothing.
        let forged = |(path, bytes): (String, Vec<u8>)| {
            let is_stamp = path.starts_with("stamp-");
            (path, if is_stamp { format!("{CANARY}\n{CANARY} {CANARY}\n").into_bytes() } else { bytes })
        };
        let local = below(&store.join("local")).into_iter().map(forged).collect();
        fs::remove_file(store.join("handover.toml")).map_err(|error| error.to_string())?;
        for path in files_below(&store) {
            let name = path.strip_prefix(&store).unwrap_or(&path).to_string_lossy().into_owned();
            if !records.contains_key(&name) {
                fs::remove_file(&path).map_err(|error| error.to_string())?;
            }
        }
        for (name, bytes) in &records {
            fs::write(store.join(name), bytes).map_err(|error| error.to_string())?;
        }
        let _ = fs::remove_file(sandbox.project().join("out"));
        Ok(Attacker { sandbox, local })
    }

    /// The project without any machine-local state.
    pub(crate) fn project(&self) -> std::path::PathBuf {
        self.sandbox.project()
    }

    /// Every hostile state there is.
    pub(crate) fn plants(&self) -> Vec<Plant> {
        let mut plants = written_plants();
        plants.extend(self.json_plants());
        // What their handoff wrote, as it is: whole, with whatever proves that it was theirs.
        for (path, bytes) in &self.local {
            let name = format!("their {}", path.rsplit('/').next().unwrap_or(path));
            plants.push(Plant { name, files: BTreeMap::from([(path.clone(), bytes.clone())]) });
        }
        plants.push(Plant { name: "all of theirs".to_owned(), files: self.local.clone() });
        plants
    }

    /// The handover, the queue and the conversations of agents, with paths that lead out.
    fn json_plants(&self) -> Vec<Plant> {
        let mut plants = Vec::new();
        for (path, bytes) in &self.local {
            let Ok(Value::Object(found)) = serde_json::from_slice::<Value>(bytes) else { continue };
            let is_run = path.ends_with("checkpoint.json") || path.contains("/queue/");
            let is_agent = path.contains("/agents/");
            let kind = if is_agent {
                "agent"
            } else if path.contains("/queue/") {
                "queue"
            } else {
                "checkpoint"
            };
            let mut add = |name: String, changed: serde_json::Map<String, Value>| {
                plants.push(Plant::new(&name, [(path.as_str(), Value::Object(changed).to_string())]));
            };
            if is_run {
                for key in ["compatible_checkpoint", "config", "directory", "pause_file"] {
                    for target in TARGETS {
                        let mut changed = found.clone();
                        let is_nested = changed.get("inputs").is_some_and(Value::is_object);
                        let inputs = if is_nested {
                            changed.get_mut("inputs").and_then(Value::as_object_mut)
                        } else {
                            Some(&mut changed)
                        };
                        if let Some(inputs) = inputs {
                            inputs.insert(key.to_owned(), json!(target));
                            inputs.insert("note".to_owned(), json!(format!("{CANARY}; touch {HOME}/ran")));
                        }
                        add(format!("{kind} with {key} at {target}"), changed);
                    }
                }
            }
            if is_agent {
                for transcript in [TRANSCRIPT, "../home/.claude/projects/-other-project/planted.jsonl"] {
                    let mut changed = found.clone();
                    changed.insert("transcript".to_owned(), json!(transcript));
                    changed.insert("cwd".to_owned(), json!(PROJECT));
                    changed.insert("process".to_owned(), json!({"id": 999_999, "started": 1}));
                    changed.insert("seen_at".to_owned(), json!("2026-11-15T10:00:05Z"));
                    changed.insert("ended_at".to_owned(), json!("2026-11-15T10:00:05Z"));
                    add(format!("{kind} with the transcript {transcript} of another project"), changed);
                }
            }
        }
        plants
    }
}

/// State that can be written down without a handoff.
fn written_plants() -> Vec<Plant> {
    let put = |path: &str| json!({"put": {"path": path, "before": null, "after": format!("# {CANARY}\n")}});
    let journal =
        |path: &str| json!({"format": 1, "steps": [put(path), put("sessions/2026-11-15-aaaaaaaa.md")]}).to_string();
    let order = json!({"program": "/bin/sh", "argv": ["sh", "-c", format!("touch {HOME}/ran")],
        "run": ["sh", "-c", format!("touch {HOME}/ran")], "directory": HOME});
    let timer = format!(
        "format = 1\nsigns = \"0000000000000000\"\n\n[timer]\ntask = \"{CANARY}\"\nwho = \"{CANARY}\"\nphase = \"running\"\n\
         since = \"2026-11-15T09:00:00Z\"\nwatched = false\n"
    );
    let task = format!("format = 1\nid = \"k7f3q2ma\"\ntitle = \"{CANARY}\"\n");
    vec![
        Plant::new("journal", [("state/journal.json", journal("../../home/.bash_aliases"))]),
        Plant::new("journal into the store", [("state/journal.json", journal("tasks/../../x"))]),
        Plant::new("undo journal", [("state/journal-undo.json", journal("../../home/.bash_aliases"))]),
        Plant::new(
            "journal-reached",
            [("state/journal-reached", "+1.\n".to_owned()), ("state/journal.json", journal("config.toml"))],
        ),
        Plant::new(
            "new-bodies",
            [("state/new-bodies", format!("../../home/.profile\n{HOME}/.profile\nconfig.toml\n"))],
        ),
        Plant::new(
            "bound",
            [(
                "state/bound",
                format!("{{\"session\":\"{CANARY}\",\"agent_session\":\"planted\",\"worktree\":\"{HOME}\"}}\n"),
            )],
        ),
        Plant::new("timer", [("state/timers/unknown-b23a6a8439c0dde5.toml", timer)]),
        Plant::new(
            "steps",
            [
                ("state/steps/aaaaaaaa.command-12345678.1.order", order.to_string()),
                ("state/steps/aaaaaaaa.command-12345678.1.begun", format!("{CANARY}\n")),
            ],
        ),
        Plant::new("numbers", [("state/numbers", format!("- 777\n{CANARY} 3\n"))]),
        Plant::new("generation", [("state/generation", "00000000000000000001\n".to_owned())]),
        Plant::new("log", [("state/log/000000000001.jsonl", format!("handoff log 1\n0000 {CANARY} 000000000001\n"))]),
        Plant::new("trash", [("state/trash/20261115T211108Z-k7f3q2ma-root-1--canary-k7f3q2ma/task.toml", task)]),
        Plant::new("trash of sessions", [("state/trash-sessions/2026-11-15-aaaaaaaa.md", format!("# {CANARY}\n"))]),
        Plant::new("backup", [("state/backup/20261115T211108Z/before/config.toml", format!("# {CANARY}\n"))]),
        Plant::new("usefulness", [("state/usefulness.jsonl", format!("{{\"session\":\"{CANARY}\"}}\n"))]),
        Plant::new("hook log", [("state/hook.log", format!("2026-11-15T09:00:00Z {CANARY}\n"))]),
        Plant::new(
            "locks",
            [("state/lock", format!("process 1, {CANARY}\n")), ("state/run.lock", format!("process 1, {CANARY}\n"))],
        ),
        Plant::new("tmp", [("state/tmp/1-1", format!("{CANARY}\n"))]),
        Plant::new("runs", [("state/runs.jsonl", format!("{{\"run\":\"{CANARY}\",\"status\":\"completed\"}}\n"))]),
        Plant::new("damaged queue", [("state/queue-damaged/1.json", format!("{CANARY}\n"))]),
        Plant::new("agents off", [("state/agents/off", format!("[\"{CANARY}\"]\n"))]),
        Plant::new(
            "agent records",
            [(
                "state/agents/claude-code-planted.jsonl",
                format!(
                    "{{\"at\":\"2026-11-15T09:00:00Z\",\"kind\":\"heard\",\"digest\":{{\"asked\":\"{CANARY}\"}}}}\n"
                ),
            )],
        ),
        Plant::new(
            "caches",
            [
                ("cache/locator", format!("handoff locator 2 0\nT k7f3q2ma - 1 ../../{CANARY} 00000000\n")),
                ("cache/index", format!("handoffI{CANARY}")),
                ("cache/sessions", format!("handoffS{CANARY}")),
                ("cache/search", format!("handoff search 2\n{CANARY}\n")),
                ("cache/git-history", format!("handoff git history 1 0000\n{CANARY}\n")),
            ],
        ),
        Plant::new(
            "a stamp of their own",
            [
                ("stamp", format!("{CANARY}\n")),
                ("state/stamp", format!("{CANARY}\n")),
                ("state/journal.json", journal("../../home/.bash_aliases")),
            ],
        ),
        Plant::new("what was set aside", [("set-aside/1/state/journal.json", journal("../../home/.bash_aliases"))]),
    ]
}

/// The files of a store that are records, by their path in it.
fn records(sandbox: &Sandbox) -> BTreeMap<String, Vec<u8>> {
    below(&sandbox.store()).into_iter().filter(|(path, _)| !path.starts_with("local/")).collect()
}

/// Every file below a directory with its bytes.
fn below(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = files_below(dir).into_iter();
    files.filter_map(|path| Some((path.strip_prefix(dir).ok()?.to_str()?.to_owned(), fs::read(&path).ok()?))).collect()
}
