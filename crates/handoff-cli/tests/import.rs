//! What comes in from other systems: planned, taken as one change, told, and the same when asked twice.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests prepare files as other programs would")]

use std::path::PathBuf;

use handoff_testkit::{TestProject, empty_directory, project};
use serde_json::{Value, json};

const NOW: &str = "2026-11-16T00:00:00Z";

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/import").join(name)
}

fn import(project: &TestProject, system: &str, path: &str, flags: &str) -> Value {
    let call = project.call(&format!("import --json --from {system} {flags}")).word(fixture(path));
    call.env("HANDOFF_CLOCK", NOW).run().succeeded().json()
}

#[test]
fn packages_of_the_go_program_are_taken_once() {
    let project = project!();
    let planned = import(&project, "handoff-cli", "handoff-cli/with-expired.db", "--dry-run");
    assert_eq!((&planned["counts"]["new"], &planned["dry_run"]), (&json!(7), &json!(true)));
    assert_eq!(project.tree(".handoff/sessions").files(), Vec::<&str>::new(), "a dry run writes nothing");
    let taken = import(&project, "handoff-cli", "handoff-cli/with-expired.db", "");
    assert_eq!((&taken["counts"]["new"], &taken["expired"]), (&json!(7), &json!(1)));
    let before = project.records();
    let again = import(&project, "handoff-cli", "handoff-cli/with-expired.db", "");
    assert_eq!((&again["counts"]["same"], &again["counts"]["new"]), (&json!(7), &json!(0)));
    project.records().assert_same(&before, "importing twice changes nothing");
    let shown = project.json("session show aa83572b");
    assert_eq!(shown["body"], "## Context\nTodo API in Go (second snapshot).\n");
    assert_eq!(shown["origin"]["system"], "handoff-cli");
    project.call("undo").run().succeeded();
    assert_eq!(project.tree(".handoff/sessions").files(), Vec::<&str>::new(), "all of it is one change");
}

#[test]
fn records_are_found_by_what_they_were_called() {
    let project = project!();
    import(&project, "session-handoff", "session-handoff/handoffs.json", "");
    let shown = project.json("session show 20261115-184444-002");
    assert_eq!(shown["title"], "Same second A");
    import(&project, "agent-handover", "agent-handover/completed", "");
    assert_eq!(project.json("session show codex-2026-11-15")["origin"]["system"], "agent-handover");
}

#[test]
fn the_usual_places_are_looked_at() {
    let project = project!();
    let copy = |from: &str, to: &str| {
        project.write(to, std::fs::read(fixture(from)).unwrap());
    };
    let missing = project.handoff("import --from handoff-cli");
    assert!(missing.contains("there is nothing to import in `[home]/.handoff/handoff.db`"), "{missing}");
    assert!(missing.ends_with("[exit 3]\n") || missing.contains("[exit 3]"), "{missing}");
    copy("handoff-cli/handoff.db", "../../home/.handoff/handoff.db");
    copy("session-handoff/handoffs.json", "../../home/config/session-handoff/handoffs.json");
    assert_eq!(project.json("import --from handoff-cli")["counts"]["new"], 6);
    assert_eq!(project.json("import --from session-handoff")["counts"]["new"], 5);
    copy("handoff-cli/time-variants.db", "../elsewhere.db");
    let named = project.call("import --json --from handoff-cli").env("HANDOFF_DB", "../elsewhere.db?_pragma=x(1)");
    assert_eq!(named.run().succeeded().json()["counts"]["new"], 7);
    let damaged = project.call("import --from handoff-cli").word(fixture("handoff-cli/corrupt-header.db")).run();
    assert_eq!(damaged.code, 6, "{damaged}");
}

#[test]
fn what_differs_is_decided_by_the_caller() {
    let project = project!();
    let store = |summary: &str, next: &str| {
        let item = json!({
            "id": "20261101-100000", "created_at": "2026-11-01T10:00:00Z", "tool": "codex", "project": "/p",
            "title": "T", "summary": summary, "next": [next],
        });
        project.write("../store.json", json!({"version": 1, "items": [item]}).to_string());
    };
    store("first", "one");
    let import = |flags: &str| project.call(&format!("import --from session-handoff ../store.json {flags}")).run();
    import("").succeeded();
    store("second", "two");
    let refused = import("");
    assert_eq!(refused.code, 4, "{refused}");
    assert!(refused.to_string().contains("1 record is here already and says something else"), "{refused}");
    let shown = || project.json("session show 20261101-100000");
    import("--on-conflict skip").succeeded();
    assert_eq!(shown()["summary"], "first");
    import("--on-conflict merge").succeeded();
    assert_eq!(shown()["next"], json!(["one", "two"]));
    import("--on-conflict REPLACE").succeeded();
    assert_eq!((shown()["summary"].clone(), shown()["next"].clone()), (json!("second"), json!(["two"])));
    project.call("undo").run().succeeded();
    assert_eq!(shown()["next"], json!(["one", "two"]));
}

#[test]
fn a_project_of_handoff_mcp_is_taken_over_and_kept() {
    let project = empty_directory!();
    let source = fixture("handoff-mcp/dot-handoff");
    copy(&source, &project.path(".handoff"));
    let original = project.tree(".handoff");
    for command in ["init", "task create 'Never mixed'", "import --from handoff-mcp"] {
        let refused = project.call(command).run();
        assert_eq!(refused.code, 4, "{refused}");
        assert!(refused.to_string().contains("handoff init --import"), "{refused}");
    }
    for command in ["resume", "task list", "list"] {
        let told = project.call(command).run();
        told.succeeded();
        assert!(told.stderr.contains("handoff init --import"), "{told}");
    }
    project.tree(".handoff").assert_same(&original, "nothing is mixed into it");
    let made = project.json("init --import");
    assert_eq!(made["imported"]["counts"]["new"], 14);
    let kept = made["imported"]["original"].as_str().unwrap();
    assert_eq!(made["name"], "demo");
    let ignored = format!("{kept}/.gitignore");
    assert_eq!(project.file(&ignored), "*\n", "git is not offered the original");
    std::fs::remove_file(project.path(&ignored)).unwrap();
    project.tree(kept).assert_same(&original, "the original is kept as it was");
    project.write(&ignored, "*\n");
    assert!(project.file(".handoff/config.toml").contains("# kept by hand"));
    let tasks = project.json("task list --all");
    assert!(tasks.to_string().contains("Implement login"), "{tasks}");
    // Two are called so; the other one is called like its file.
    assert_eq!(project.json("session show s-20260301-091503-667269")["summary"], "Design finished");
    let other = project.json("session show 20260301-091500-start-login-work.active");
    assert_eq!(other["summary"], "Start login work");
    let again = project.json(&format!("import --from handoff-mcp {kept}"));
    assert_eq!((&again["counts"]["new"], &again["counts"]["same"]), (&json!(0), &json!(14)));
}

#[test]
fn another_project_of_handoff_mcp_is_imported_into_this_one() {
    let project = project!();
    let taken = import(&project, "handoff-mcp", "handoff-mcp/dot-handoff", "");
    assert_eq!(taken["counts"]["new"], 14);
    assert_eq!(project.json("task show 1.2")["title"], "Handlers, with the id of its sibling");
    assert!(!project.handoff("doctor").contains("[exit 6]"));
}

#[test]
fn hours_that_handoff_mcp_had_counted_are_in_the_time_log_once() {
    let project = project!();
    import(&project, "handoff-mcp", "handoff-mcp/dot-handoff", "");
    let logged = project.tree(".handoff/time");
    let text: String = logged.files().iter().map(|name| project.file(&format!(".handoff/time/{name}"))).collect();
    assert_eq!(text.matches("[[intervals]]").count(), 1, "{text}");
    assert!(text.contains("minutes = 30") && text.contains("counted by handoff-mcp"), "{text}");
    import(&project, "handoff-mcp", "handoff-mcp/dot-handoff", "");
    project.tree(".handoff/time").assert_same(&logged, "taken once");
    project.handoff("undo");
    assert!(project.tree(".handoff/time").files().is_empty(), "they came with the import, and go with it");
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::write(&target, std::fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}

#[test]
fn what_agent_handover_wrote_anew_is_another_record() {
    let project = project!();
    copy(&fixture("agent-handover/completed"), &project.path("../notes"));
    let counts = || project.json("import --from agent-handover ../notes")["counts"].clone();
    let first = counts();
    let layer2 = std::fs::read_dir(project.path("../notes/memory/layer2")).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&layer2).unwrap();
    std::fs::write(&layer2, format!("{text}\nOne more step.\n")).unwrap();
    let second = counts();
    assert_eq!(
        (&second["new"], &second["same"], &second["conflicts"]),
        (&json!(1), &json!(first["new"].as_u64().unwrap() - 1), &json!(0))
    );
}

#[test]
fn a_directory_of_session_handoff_is_enough() {
    let project = project!();
    assert_eq!(import(&project, "session-handoff", "session-handoff", "")["counts"]["new"], 5);
}

#[test]
fn a_take_over_that_was_cut_off_goes_on() {
    let project = empty_directory!();
    copy(&fixture("handoff-mcp/dot-handoff"), &project.path(".handoff.bak-20260301T000000Z"));
    let made = project.json("init --import");
    assert_eq!(made["imported"]["counts"]["new"], 14, "{made}");
    let project = empty_directory!();
    copy(&fixture("handoff-mcp/dot-handoff"), &project.path(".handoff.bak-20260301T000000Z"));
    project.call("init").run().succeeded();
    let refused = project.call("init --import").run();
    assert_eq!(refused.code, 4, "{refused}");
    refused.says("handoff import .handoff.bak-20260301T000000Z --from handoff-mcp");
}
