//! Each kind of damage and drift, done to a healthy project: the doctor names file and line, looking leaves no trace,
//! `--fix` mends it as one change that can be taken back, and everything else stays as it is, byte for byte.
#![expect(clippy::unwrap_used, reason = "tests damage files as people and crashes do")]

mod files;
mod git;
mod kinds;
mod local;
mod numbers;
mod page;
mod places;
mod records;

use handoff_testkit::{TestProject, fixture, project, shared_project};
use serde_json::Value;

/// A healthy private project with tasks, one below another, and sessions.
fn private() -> TestProject {
    filled(project!())
}

/// The same, shared.
fn shared() -> TestProject {
    filled(shared_project!())
}

fn filled(project: TestProject) -> TestProject {
    let project = project
        .task("k7f3q2ma", |task| task.title("Implement auth").field("created_at = 2026-11-14T09:00:00Z").table(NOTE))
        .task("m2x9a4te", |task| task.title("Design schema").parent("k7f3q2ma"))
        .task("q4w8e2rt", |task| {
            task.title("Deploy staging").status("blocked").field(CREATED).depends_on(&["k7f3q2ma"])
        })
        .session(
            "2026-11-14-77c01b9d",
            "status = \"closed\"\nsummary = \"Schema drafted\"\nstarted_at = 2026-11-14T09:00:00Z\n",
        )
        .session(
            "2026-11-15-a3f9c12e",
            "summary = \"Parser\"\ncontinues = \"2026-11-14-77c01b9d\"\ntasks = [\"k7f3q2ma\"]\n",
        );
    project.write(".handoff/sessions/2026-11-14-77c01b9d.md", "# Body\n\ntext\n");
    healthy(&project);
    project
}

const CREATED: &str = "created_at = 2026-11-14T10:00:00Z";
const NOTE: &str = "[[notes]]\nat = 2026-11-15T10:00:00Z\ntext = \"kept\"\n";

/// Checks that nothing is wrong.
fn healthy(project: &TestProject) {
    let answer = project.call("doctor --json").run();
    assert_eq!(answer.succeeded().json()["findings"], serde_json::json!([]), "{answer}");
}

#[test]
fn stores_as_people_keep_them_are_left_as_they_are() {
    for name in ["format-1/private", "format-1/shared"] {
        let project = fixture!(name);
        let records = project.records();
        let told = project.json("doctor");
        let findings = told["findings"].as_array().unwrap();
        assert!(findings.iter().all(|finding| finding["weight"] == "note"), "{told:#}");
        project.call("doctor --fix").run().succeeded();
        project.records().assert_same(&records, "nothing is wrong with it");
    }
}

/// A file of the project, as the doctor calls it.
fn in_store(path: &str) -> &str {
    path.trim_start_matches(".handoff/")
}

/// What the doctor says of a place, which must be of this kind and on this line.
fn told(project: &TestProject, kind: &str, path: &str, line: Option<u64>) -> Value {
    let before = project.tree(".handoff");
    let answer = project.call("doctor --json").run_unchecked();
    project.tree(".handoff").assert_same(&before, "looking leaves no trace");
    let json = answer.json();
    let findings = json["findings"].as_array().unwrap();
    let is_it = |finding: &&Value| finding["kind"] == kind && finding["path"] == path;
    let finding = findings.iter().find(is_it).unwrap_or_else(|| panic!("no {kind} at {path}: {json:#}")).clone();
    assert_eq!(finding["line"].as_u64(), line, "{finding:#}");
    let is_damaged = findings.iter().any(|finding| finding["weight"] == "damage");
    assert_eq!(
        (answer.code, &json["healthy"]),
        (if is_damaged { 6 } else { 0 }, &Value::from(!is_damaged)),
        "{json:#}"
    );
    finding
}

/// Checks that the doctor tells it, mends it, and mends nothing else; what mending answered.
fn mended(project: &TestProject, kind: &str, path: &str, line: Option<u64>) -> Value {
    let finding = told(project, kind, path, line);
    assert!(finding["fix"].is_string(), "{finding:#}");
    let damaged = project.records();
    project.call("doctor --dry-run").run().says("Would be mended");
    project.records().assert_same(&damaged, "trying leaves no trace");
    let fixed = project.json("doctor --fix");
    assert!(fixed["mended"].as_array().unwrap().iter().any(|mended| mended["kind"] == kind), "{fixed:#}");
    healthy(project);
    let records = project.records();
    let again = project.json("doctor --fix");
    assert!(again.get("changes").is_none() && again.get("backup").is_none(), "{again:#}");
    project.records().assert_same(&records, "mending again changes nothing");
    if fixed.get("changes").is_some() {
        let is_kept = |backup: &str| project.exists(&format!(".handoff/{backup}"));
        assert!(fixed["backup"].as_str().is_none_or(is_kept), "{fixed:#}");
        project.call("undo").run().succeeded();
        project
            .records()
            .without(&["current-state.md"])
            .assert_same(&damaged.without(&["current-state.md"]), "undo takes all of it back");
        project.call("redo").run().succeeded();
        project
            .records()
            .without(&["current-state.md"])
            .assert_same(&records.without(&["current-state.md"]), "redo mends it again");
    }
    fixed
}

/// Checks that the doctor tells it and leaves it to people.
fn left(project: &TestProject, kind: &str, path: &str, line: Option<u64>) -> Value {
    let finding = told(project, kind, path, line);
    assert!(finding.get("fix").is_none() && finding["advice"].is_string(), "{finding:#}");
    let records = project.records();
    let fixed = project.call("doctor --fix --json").run();
    assert_eq!(fixed.code, if finding["weight"] == "damage" { 6 } else { 0 }, "{fixed}");
    project
        .records()
        .without(&["current-state.md"])
        .assert_same(&records.without(&["current-state.md"]), "it is left as it is");
    told(project, kind, path, line);
    finding
}
