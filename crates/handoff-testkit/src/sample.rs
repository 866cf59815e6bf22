//! The project in which the example of every operation succeeds.

use std::path::PathBuf;

use handoff_model::history::ChangeId;
use handoff_model::rev::Rev;
use handoff_model::timer::KeptTimer;
use serde_json::{Value, json};

use crate::{TestProject, Transcript};

impl TestProject {
    /// A private project with a task that has everything, one below it, one in the trash, three sessions (active,
    /// closed, archived), a neighbour `old-app`, notes of another tool, a
    /// signer, a memory, a trusted handover, a person and a milestone, a transcript of an agent, timers of two other people (one running,
    /// one paused), and a log with a change that stands and one
    /// that was taken back.
    pub fn sample(program: impl Into<PathBuf>) -> TestProject {
        let project = TestProject::private(program);
        project.make_directory("../new-app");
        project.write(".handoff/config.toml", project.file(".handoff/config.toml") + TEAM);
        project.write("../old-app/.handoff/config.toml", "[project]\nname = \"old-app\"\n");
        let registry = "../../home/data/handoff/projects.toml";
        let known =
            format!("\n[[projects]]\nname = \"old-app\"\npath = {:?}\n", project.path("../old-app").to_string_lossy());
        project.write(registry, project.file(registry) + &known);
        project.write("../../home/config/handoff/signers.toml", SIGNERS);
        project.write("../handover.toml", "[[step]]\nkind = \"command\"\nid = \"index\"\nrun = [\"./index-notes\"]\n");
        let steps = project.path("../handover.toml").canonicalize().expect("it was written");
        let trusted = format!(
            "[[handover]]\npath = {:?}\nsha256 = \"0\"\ntrusted_at = 2026-11-14T09:00:00Z\n",
            steps.to_string_lossy()
        );
        project.write("../../home/config/handoff/trusted.toml", trusted);
        project.write("../old-notes/memory/layer1/2026-11/codex-2026-11-10.md", "Parser begun\n");
        project.write(".handoff/sessions/2026-11-15-a3f9c12e.toml", ACTIVE);
        project.write(".handoff/sessions/2026-11-14-77c01b9d.toml", CLOSED);
        project.write(".handoff/sessions/2026-11-14-77c01b9d.md", "## Next Steps\n\n- Fix the parser\n");
        project.write(".handoff/archive/2026-10-general-archive.md", ARCHIVE);
        project.write(".handoff/memory/test-database-port-n7b2c4de.md", MEMORY);
        let asked = Transcript::default().prompt("Extract the token parser").answer("It is in a file of its own now.");
        // Every sample is the same, wherever it lies.
        project.write("../transcript.jsonl", asked.text_in("/home/dev/my-app"));
        let project = project
            .task("k7f3q2ma", |task| {
                task.title("Implement auth")
                    .field("priority = \"medium\"")
                    .labels(&["auth"])
                    .field("assignee = \"alice\"")
                    .field("created_at = 2026-11-14T09:15:03Z")
                    .field("links = [{ type = \"issue\", target = \"https://example.com/issues/11\" }]")
                    .criterion("refresh flow has a test")
                    .checked_criterion("handlers reviewed")
            })
            .task("m2x9a4te", |task| task.title("Design schema").parent("k7f3q2ma"))
            .task("q4w8e2rt", |task| task.title("Deploy staging").status("blocked").depends_on(&["k7f3q2ma"]))
            .deleted_task("r5e8t1ed", |task| task.title("Retired idea"));
        project.write_log();
        project.make_directory(".handoff/local/set-aside/1/state/timers");
        for (who, phase) in [("bob", "running"), ("carol", "paused")] {
            let path = format!(".handoff/local/state/timers/{}.toml", KeptTimer::stem(who));
            project.write(&path, TIMER.replace("bob", who).replace("running", phase));
        }
        project
    }

    /// A log as if settings and a task had been changed, and the latter had been taken back.
    fn write_log(&self) {
        let (config, task) = ("config.toml", "tasks/02-blocked--deploy-staging/task.toml");
        let put =
            |path: &str, before: &str, after: &str| json!({"put": {"path": path, "before": before, "after": after}});
        let configured = self.file(".handoff/config.toml");
        let deployed = self.file(".handoff/tasks/02-blocked--deploy-staging/task.toml");
        let changed = deployed.clone() + "assignee = \"bob\"\n";
        let noted = ChangeId::of(b"noted");
        let entries = [
            entry(1, ChangeId::of(b"configured"), &json!("change"), &put(config, "", &configured)),
            entry(2, noted, &json!("change"), &put(task, &deployed, &changed)),
            entry(3, ChangeId::of(b"undone"), &json!({"undo": {"changes": [noted]}}), &put(task, &changed, &deployed)),
        ];
        self.write(".handoff/local/state/log/000000000001.jsonl", format!("handoff log 1\n{}\n", entries.join("\n")));
    }
}

/// One line of the log.
fn entry(number: u64, id: ChangeId, kind: &Value, step: &Value) -> String {
    let signature = json!({"at": "2026-11-14T13:00:00Z", "by": "alice", "door": "cli", "operation": "task.update"});
    let head = json!({"number": number, "id": id, "kind": kind, "signature": signature});
    let entry = json!({"head": head, "steps": [step]});
    let said = format!("{entry} {number:012}");
    format!("{} {said}", Rev::of(said.as_bytes()))
}

const TEAM: &str = r#"
[assignees.alice]
display_name = "Alice"
work_hours_per_day = 6.0

[milestones.beta]
date = "2026-12-18"
"#;

const SIGNERS: &str = r#"[[signer]]
name = "bob"
key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIILGNqY/2QinKCm8TW/Ug/TdsCLSFepjY6fMg+U+5cT6"
level = "trusted"
"#;

const TIMER: &str = r#"format = 1
signs = "a1b2c3"

[timer]
task = "k7f3q2ma"
who = "bob"
phase = "running"
since = 2026-11-15T08:00:00Z

[timer.last_seen]
at = 2026-11-15T08:00:00Z
"#;

const MEMORY: &str = r#"+++
format = 1
id = "n7b2c4de"
kind = "gotcha"
title = "Test database port"
tags = ["tests"]
paths = ["tests/"]
author = "alice"
created_at = 2026-11-14T09:15:03Z
+++

The test database listens on port 5433, the usual one is taken.
"#;

const ACTIVE: &str = r#"format = 1
id = "a3f9c12e"
kind = "session"
status = "active"
title = "Refactor auth middleware"
summary = "Token parser is being extracted"
author = "alice"
started_at = 2026-11-15T08:00:00Z
continues = "2026-11-14-77c01b9d"
next = ["Fix refresh test matrix"]
questions = ["Does staging need a key of its own?"]
tasks = ["k7f3q2ma"]

[[checklist]]
item = "verify on staging"
checked = false
owner = "user"
"#;

const CLOSED: &str = r#"format = 1
id = "77c01b9d"
kind = "session"
status = "closed"
summary = "Schema drafted"
author = "alice"
started_at = 2026-11-14T09:00:00Z
ended_at = 2026-11-14T12:10:00Z

[[decisions]]
id = "d1"
decision = "JWT over server sessions"
reason = "stateless API"
confidence = "confirmed"
paths = ["src/auth/"]
"#;

const ARCHIVE: &str = r#"# 2026-10-general-archive

## 2026-10-02-0b5e11d2: First sketch

```toml 2026-10-02-0b5e11d2.toml
format = 1
id = "0b5e11d2"
kind = "session"
status = "closed"
summary = "First sketch"
started_at = 2026-10-02T09:00:00Z
ended_at = 2026-10-02T10:00:00Z
```
"#;
