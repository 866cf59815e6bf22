//! What belongs to this machine: leftovers of crashes, the journal, notes, the log, the index, settings.

use handoff_testkit::{TestProject, empty_directory};

use crate::{healthy, left, mended, private, shared, told};

#[test]
fn what_a_crash_left_in_staging_is_swept() {
    let project = private();
    project.write(".handoff/local/state/tmp/4711-0", "half a fi");
    told(&project, "leftover", "local/state/tmp/4711-0", None);
    let fixed = project.json("doctor --fix");
    assert_eq!(fixed["mended"][0]["kind"], "leftover");
    healthy(&project);
}

#[test]
fn a_mark_that_says_a_change_is_under_way_is_set_right() {
    let project = private();
    project.write(".handoff/local/state/generation", format!("{:020}\n", 7));
    mended(&project, "leftover", "local/state/generation", None);
}

#[test]
fn a_change_that_was_cut_off_is_told_and_finished() {
    let project = private();
    let file = "tasks/02-blocked--deploy-staging/task.toml";
    let text = project.file(&format!(".handoff/{file}"));
    let after = text.replace("Deploy staging", "Deploy there");
    let steps = serde_json::json!([
        {"put": {"path": file, "before": text, "after": after}},
        {"put": {"path": "time/2026-11-alice.toml", "before": null, "after": "format = 1\n"}},
    ]);
    project.write(".handoff/local/state/journal.json", serde_json::json!({"format": 1, "steps": steps}).to_string());
    told(&project, "journal", "local/state/journal.json", None);
    project.call("doctor --fix").run().succeeded().says("finished");
    healthy(&project);
    project.call("task list").run().says("Deploy there");
}

#[test]
fn a_journal_that_cannot_be_read_stops_nobody_any_more() {
    let project = private();
    project.write(".handoff/local/state/journal.json", "{\"format\": 1, \"steps\": [");
    told(&project, "journal", "local/state/journal.json", None);
    project.call("task create Blocked").run().failed(6).says("handoff doctor --fix");
    project.call("doctor --fix").run().succeeded().says("moved into the backup");
    healthy(&project);
    project.call("task create Free").run().succeeded();
    assert_eq!(project.tree(".handoff/local/state/backup").containing("journal.json").len(), 1);
}

#[test]
fn a_journal_that_can_never_be_finished_stops_nobody_any_more() {
    let file = "sessions/2026-11-14-77c01b9d.toml";
    let deep = format!("{file}/below.toml");
    let evil = "../../evil.txt";
    for (name, path) in [("journal.json", evil), ("journal-undo.json", evil), ("journal.json", &deep)] {
        let project = private();
        let steps = serde_json::json!([{"put": {"path": path, "before": null, "after": "x"}}]);
        let journal = serde_json::json!({"format": 1, "steps": steps}).to_string();
        project.write(&format!(".handoff/local/state/{name}"), &journal);
        project.rename(".handoff/tasks/02-blocked--deploy-staging", ".handoff/tasks/02-done--x");
        let finding = told(&project, "journal", &format!("local/state/{name}"), None);
        assert_eq!(finding["fix"], "the journal is moved into the backup");
        project.call("task create Blocked").run().failed(6).says("handoff doctor --fix");
        project.call("task list").run().succeeded().says("Deploy staging");
        project.call("doctor --fix").run().succeeded().says("moved into the backup").says("renamed to");
        healthy(&project);
        project.call("task create Free").run().succeeded();
        assert_eq!(project.tree(".handoff/local/state/backup").containing(&journal).len(), 1);
        assert!(!project.exists("evil.txt"));
    }
}

#[test]
fn a_journal_of_a_newer_handoff_is_left_to_it() {
    let project = private();
    project.write(".handoff/local/state/journal.json", "{\"format\": 9, \"steps\": []}");
    let finding = told(&project, "journal", "local/state/journal.json", None);
    assert_eq!(finding["advice"], "update handoff");
    project.call("doctor --fix").run().failed(6);
    assert!(project.exists(".handoff/local/state/journal.json"));
}

#[test]
fn notes_of_this_machine_that_cannot_be_read_are_set_aside() {
    let project = private();
    project.write(".handoff/local/state/agents/codex-1.json", "{\"told\": ");
    mended(&project, "local_state", "local/state/agents/codex-1.json", None);
    project.write(".handoff/local/state/usefulness.jsonl", "\n{\"a\":1}\n\n{\"half\n\n{\"b\":2}\n");
    mended(&project, "local_state", "local/state/usefulness.jsonl", Some(4));
    assert_eq!(project.file(".handoff/local/state/usefulness.jsonl").matches("{\"").count(), 2);
}

#[test]
fn a_log_with_a_torn_line_is_told_and_nothing_else_suffers() {
    let project = private();
    project.call("task note k7f3q2ma one").run().succeeded();
    let log = ".handoff/local/state/log/000000000001.jsonl";
    project.write(log, project.file(log).replace("one", "two"));
    let json = project.call("doctor --json").run().json();
    assert_eq!((&json["findings"][0]["kind"], &json["healthy"]), (&"log".into(), &true.into()), "{json:#}");
    project.call("doctor --fix").run().succeeded();
}

#[test]
fn an_index_that_cannot_be_used_is_made_anew() {
    let project = private();
    project.write(".handoff/local/cache/index", "no index");
    told(&project, "index", "local/cache/index", None);
    project.json("doctor --fix");
    healthy(&project);
}

#[test]
fn what_the_index_missed_is_seen_after_a_look_by_the_doctor() {
    let mut project = private();
    for number in 0..300 {
        project = project.task(&format!("zaaa{}", letters(number)), |task| task.title("Done").status("done"));
    }
    project.handoff("task list");
    let file = project.task_file(&format!("zaaa{}", letters(7)));
    project.edit(&file, "status = \"done\"", "status = \"todo\"");
    project.call("doctor").run();
    project.call("task list --status todo").run().says("Done");
}

/// A number in four letters.
fn letters(number: usize) -> String {
    let alphabet: Vec<char> = ('a'..='z').collect();
    [0, number / 676, number / 26, number].iter().map(|place| alphabet[place % 26]).collect()
}

#[test]
fn settings_that_do_not_count_are_told_by_line() {
    let project = shared();
    let config = project.file(".handoff/config.toml");
    let line = config.lines().count() as u64;
    project.write(".handoff/config.toml", format!("{config}scan_dirs = [\"/srv/projects\"]\n"));
    left(&project, "setting", "config.toml", Some(line + 1));
    project.write(".handoff/config.toml", config.replace("[settings]", "[settings]\nhistory_limit = \"many\""));
    let finding = left(
        &project,
        "setting",
        "config.toml",
        Some(config.lines().position(|line| line == "[settings]").unwrap() as u64 + 2),
    );
    assert!(finding["what"].as_str().unwrap().contains("history_limit"), "{finding:#}");
    project.write(".handoff/config.toml", format!("{config}x = [\n"));
    left(&project, "unparseable", "config.toml", Some(config.lines().count() as u64 + 1));
}

#[test]
fn what_git_must_not_see_is_hidden_from_it_again() {
    for project in [private(), shared()] {
        project.write(".handoff/.gitignore", "# mine\nscratch/");
        mended(&project, "not_ignored", ".gitignore", None);
        assert!(project.file(".handoff/.gitignore").starts_with("# mine\nscratch/\n"));
        project.remove(".handoff/.gitignore");
        mended(&project, "not_ignored", ".gitignore", None);
    }
}

#[test]
fn projects_that_are_gone_are_forgotten_in_the_user_store() {
    let project = empty_directory!();
    project.make_directory("../gone");
    project.call("init gone").within("../gone").run().succeeded();
    project.call("store note --message hello").run();
    project.call("save Remember --next 'Read src/a.rs'").run().succeeded();
    project.remove("../gone");
    let told = project.call("doctor --json").run();
    let json: serde_json::Value = serde_json::from_str(&told.stdout).unwrap();
    assert_eq!((&json["findings"][0]["kind"], told.code), (&"gone_project".into(), 0), "{json:#}");
    project.call("doctor --fix").run().succeeded();
    project.call("project list").run().hides("gone");
}

#[test]
fn a_paused_project_is_looked_at_and_not_touched() {
    let project = private();
    project.rename(".handoff/tasks/02-blocked--deploy-staging", ".handoff/tasks/02-done--x");
    project.write(".handoff/PAUSE", "release day\n");
    let before: handoff_testkit::Tree = project.tree(".handoff");
    told(&project, "wrong_name", "tasks/02-done--x", None);
    project.call("doctor --dry-run").run().succeeded().says("renamed to");
    project.call("doctor --fix").run().failed(5).says("release day");
    project.tree(".handoff").assert_same(&before, "a pause is a pause");
}

#[test]
fn everything_at_once_is_one_change() {
    let project: TestProject = private();
    let file = project.task_file("k7f3q2ma");
    project.edit(&file, "title = \"Implement auth\"", "<<<<<<< a\ntitle = \"A\"\n=======\ntitle = \"B\"\n>>>>>>> b");
    project.rename(".handoff/tasks/02-blocked--deploy-staging", ".handoff/tasks/01-wip--x");
    project.write(".handoff/sessions/2026-10-01-0badcafe.md", "# Lost\n");
    project.write(".handoff/.gitignore", "");
    let damaged = project.records();
    let fixed = project.json("doctor --fix");
    assert!(fixed["mended"].as_array().unwrap().len() >= 5, "{fixed:#}");
    healthy(&project);
    let log = project.json("log");
    assert_eq!(log["changes"][0]["operation"], "doctor", "{log:#}");
    project.call("undo").run().succeeded();
    project.records().without(&["current-state.md"]).assert_same(&damaged, "one undo takes all of it back");
}
