//! Files with bad contents: each is named with line and reason, and everything else works on.

use handoff_testkit::{TestProject, project};
use serde_json::{Value, json};

/// Two good tasks, and a third whose file has this text.
fn with_bad_file(text: impl AsRef<[u8]>) -> TestProject {
    let project = project!()
        .task("aaaaaaaa", |task| task.title("Good"))
        .task("bbbbbbbb", |task| task.title("Better"))
        .task("cccccccc", |task| task.title("Bad"));
    project.write(&project.task_file("cccccccc"), text);
    project
}

const BAD: &str = "tasks/03-todo--bad/task.toml";

/// Checks that the file is named, that the others can be read and written, and that the bad bytes stay as they are.
fn isolated(text: impl AsRef<[u8]>) -> Value {
    let text = text.as_ref();
    let project = with_bad_file(text);
    let list = project.json("task list");
    let problems = list["problems"].as_array().cloned().unwrap_or_default();
    let problem = problems.iter().find(|problem| problem["path"] == BAD).cloned();
    let problem = problem.unwrap_or_else(|| panic!("{BAD} is not named: {list:#}\n{}", String::from_utf8_lossy(text)));
    assert!(problem["reason"].as_str().is_some_and(|reason| reason.len() > 5), "{problem}");
    let shown = project.handoff("task list");
    assert!(shown.contains("01 Good") && shown.contains("02 Better") && shown.contains(BAD), "{shown}");
    project.call("task update aaaaaaaa --status done").run().succeeded();
    project.call("task create New").run().succeeded().says("04 New");
    assert_eq!(std::fs::read(project.path(format!(".handoff/{BAD}"))).expect("it is there"), text, "it is left alone");
    problem
}

fn damaged(text: impl AsRef<[u8]>) -> Value {
    let problem = isolated(text.as_ref());
    assert_eq!(problem["severity"], "damaged", "{problem}");
    let project = with_bad_file(text);
    for line in
        ["task show 3", "task update 3 --status done", "task note 3 x", "task delete 3", "task create X --parent 3"]
    {
        project.call(line).run().failed(6).says(BAD).says("hint: ");
    }
    problem
}

#[test]
fn a_file_that_is_empty_cut_off_or_no_toml_is_named() {
    for text in [
        "",
        " \n",
        "\u{feff}",
        "id = \"cccccccc\"\ntitle = \"Ba",
        "not toml",
        "{\"id\": \"cccccccc\"}",
        "[[[",
        "title = broken",
    ] {
        damaged(text);
    }
    assert_eq!(damaged("id = \"cccccccc\"\ntitle = \"a\"\nstatus = = 5\n")["line"], 3);
}

#[test]
fn bytes_that_are_not_text_are_named() {
    damaged(b"id = \"cccccccc\"\ntitle = \"caf\xe9\"\n");
    damaged(b"\xff\xfei\x00d\x00");
    damaged([0; 4096]);
    damaged(b"id = \"cccccccc\"\ntitle = \"a\0b\"\n");
    isolated(vec![b'#'; 5 * 1024 * 1024]);
}

#[test]
fn a_wrong_type_in_any_field_is_named_with_its_line() {
    for field in [
        "title = 5",
        "title = [\"a\"]",
        "title = true",
        "status = 5",
        "status = [\"todo\"]",
        "priority = \"urgent\"",
        "priority = 1",
        "labels = \"x\"",
        "labels = [1]",
        "dependencies = \"x\"",
        "dependencies = [1]",
        "dependencies = [\"../..\"]",
        "assignee = 1",
        "description = 1",
        "description = [\"x\"]",
        "created_at = \"yesterday\"",
        "created_at = true",
        "completed_at = 5",
        "links = 1",
        "links = [1]",
        "links = [{ target = 1 }]",
        "links = [{ type = \"bogus\", target = \"x\" }]",
        "links = [{ type = \"url\" }]",
        "schedule = 1",
        "schedule = { due_date = \"soon\" }",
        "schedule = { due_date = 5 }",
        "schedule = { estimate_hours = \"x\" }",
        "schedule = { milestone = 1 }",
        "schedule = { pinned = \"yes\" }",
        "done_criteria = 1",
        "done_criteria = [\"x\"]",
        "done_criteria = [{ item = 1 }]",
        "done_criteria = [{ checked = true }]",
        "done_criteria = [{ item = \"x\", checked = \"yes\" }]",
        "notes = \"old text\"",
        "notes = [{ text = \"x\" }]",
        "notes = [{ at = \"x\", text = \"y\" }]",
        "history = 1",
        "history = [{ at = 2026-11-15T09:00:00Z, status = \"bogus\" }]",
        "history = [{ status = \"done\" }]",
        "number = -1",
        "number = \"1\"",
        "number = 1.5",
        "order = \"x\"",
        "order = 1.5",
        "parent = 1",
        "parent = \"../..\"",
        "format = \"x\"",
        "format = -1",
    ] {
        let key = field.split(' ').next().expect("a line begins with its key");
        let title = if key == "title" { "" } else { "title = \"Bad\"\n" };
        let problem = isolated(format!("id = \"cccccccc\"\n{title}{field}\n"));
        let line = if key == "title" { 2 } else { 3 };
        assert_eq!(problem["line"], line, "{field}: {problem}");
    }
}

#[test]
fn an_id_that_is_none_is_named() {
    for id in [
        "5",
        "\"\"",
        "\"../../x\"",
        "\"AAAAAAAA\"",
        "\"k7f3q2m\"",
        "\"k7f3q2ma9\"",
        "\"7kf3q2ma\"",
        "\"k7f3q2m\\u0000\"",
    ] {
        isolated(format!("id = {id}\ntitle = \"Bad\"\n"));
    }
    isolated("title = \"No id at all\"\n");
}

#[test]
fn hours_that_cannot_be_are_told_and_never_spread() {
    for hours in ["nan", "-nan", "inf", "-inf", "-5.0", "1e300"] {
        let text =
            format!("id = \"cccccccc\"\ntitle = \"Bad\"\nstatus = \"todo\"\n\n[schedule]\nestimate_hours = {hours}\n");
        let problem = isolated(&text);
        assert_eq!(problem["line"], 6, "{hours}: {problem}");
        // Shown with the value left out, or not shown at all; either way the file can be mended through us or by hand.
        let project = with_bad_file(&text);
        let answer = project.call("task update cccccccc --estimate 3").run();
        assert!([0, 6].contains(&answer.code), "{hours}: {answer}");
    }
}

#[test]
fn dates_the_calendar_does_not_have_are_named() {
    for day in ["2026-02-30", "\"2026-02-30\"", "2026-13-01", "\"tomorrow\"", "2026-11-15T09:00:00Z"] {
        let text = format!("id = \"cccccccc\"\ntitle = \"Bad\"\n\n[schedule]\ndue_date = {day}\n");
        assert_eq!(isolated(text)["line"], 5, "{day}");
    }
}

#[test]
fn a_word_that_is_no_status_is_read_as_todo_and_mended_by_the_next_change() {
    let text = "id = \"cccccccc\"\ntitle = \"Bad\"\nstatus = \"doing\"  # my word\nfuture = 1\n";
    let problem = isolated(text);
    assert_eq!((&problem["severity"], &problem["line"]), (&json!("mended"), &json!(3)), "{problem}");
    let project = with_bad_file(text);
    project.call("task show 3").run().succeeded().says("todo");
    project.call("task update 3 --status in_progress").run().succeeded();
    let file = project.file(&format!("{}/task.toml", project.directory("in_progress--bad")));
    assert!(file.contains("status = \"in_progress\"  # my word\nfuture = 1\n"), "{file}");
}

#[test]
fn a_newer_format_is_refused_with_the_version_it_needs_and_never_written() {
    let text = "format = 2\nid = \"cccccccc\"\ntitle = \"Bad\"\n";
    let problem = damaged(text);
    assert!(problem["reason"].as_str().unwrap().contains("format 2"), "{problem}");
    let project = with_bad_file(text);
    project.call("task update cccccccc --status done").run().failed(6).says("format 2");
    assert_eq!(project.file(&format!(".handoff/{BAD}")), text);
}

const CONFLICT: &str = "id = \"cccccccc\"\n<<<<<<< HEAD\ntitle = \"Ours\"\n=======\ntitle = \"Theirs\"\n>>>>>>> topic\nstatus = \"todo\"\n";

#[test]
fn conflict_markers_load_as_our_side_and_are_never_overwritten() {
    let problem = isolated(CONFLICT);
    assert_eq!((&problem["severity"], &problem["line"]), (&json!("mended"), &json!(2)), "{problem}");
    let project = with_bad_file(CONFLICT);
    project.call("task show cccccccc").run().succeeded().says("Ours");
    for line in ["task update 3 --status done", "task note 3 x", "task link 3 x", "share"] {
        project.call(line).run().failed(6).says("task.toml:2").says("conflict markers");
    }
    assert_eq!(project.file(&format!(".handoff/{BAD}")), CONFLICT);
    project.call("task delete 3").run().succeeded();
    project.call("task restore 3").run().failed(3);
    project.call("task restore cccccccc").run().succeeded();
    assert_eq!(project.file(&format!("{}/task.toml", project.directory("ours"))), CONFLICT);
}

#[test]
fn showing_a_task_says_what_was_read_differently() {
    let project = with_bad_file(CONFLICT);
    assert_eq!(project.json("task show 3")["problems"][0]["line"], 2);
    project.call("task show 3").run().succeeded().says("task.toml:2").says("conflict markers");
    let project = with_bad_file("id = \"cccccccc\"\ntitle = \"Bad\"\nstatus = \"doing\"\n");
    project.call("task show 3").run().succeeded().says("`doing` is not a status");
}

#[test]
fn conflict_markers_that_make_no_sense_are_named() {
    for text in [
        "id = \"cccccccc\"\n<<<<<<< HEAD\ntitle = \"Ours\"\n",
        "<<<<<<< HEAD\nid = \"cccccccc\n=======\n]\n>>>>>>> topic\n",
        "id = \"cccccccc\"\n>>>>>>> topic\n",
        "id = \"cccccccc\"\n=======\ntitle = \"x\"\n",
    ] {
        damaged(text);
    }
}

#[test]
fn text_in_files_is_never_trusted_on_a_terminal() {
    let evil = "x\\u001b]8;;http://evil\\u0007y\\u009b2J\\u202ez\\u2066\\U000e0041\\u200b\\r\\u0000";
    let project = project!();
    project.write(
        ".handoff/tasks/01-todo--a/task.toml",
        format!(
            "id = \"aaaaaaaa\"\ntitle = \"{evil}\"\nlabels = [\"{evil}\"]\nassignee = \"{evil}\"\ndescription = \"{evil}\"\n\
             links = [{{ type = \"url\", target = \"{evil}\", label = \"{evil}\" }}]\ncreated_at = 2026-11-15T09:00:00Z\n\
             [schedule]\nmilestone = \"{evil}\"\n[[done_criteria]]\nitem = \"{evil}\"\n\
             [[notes]]\nat = 2026-11-15T09:00:00Z\nby = \"{evil}\"\ntext = \"{evil}\"\n\
             [[history]]\nat = 2026-11-15T09:00:00Z\nby = \"{evil}\"\nstatus = \"todo\"\n"
        ),
    );
    project.write(
        ".handoff/tasks/02-todo--b/task.toml",
        format!("id = \"bbbbbbbb\"\ntitle = \"B\"\npriority = \"{evil}\"\n"),
    );
    project.write(
        ".handoff/tasks/03-todo--c/task.toml",
        format!("id = \"cccccccc\"\ntitle = \"C\"\nstatus = \"{evil}\"\n"),
    );
    project.write(".handoff/PAUSE", "\u{1b}[31mred\u{202e}\u{7}\n");
    project.make_directory(".handoff/tasks/04-todo--\u{1b}[31m\u{202e}");
    // Every answer is checked for raw characters by the call itself.
    for line in
        ["task list", "task list --flat", "task show 1", "task show 2", "task show 3", "task create X", "task trash"]
    {
        project.call(line).run();
        project.call(line).word("--json").run();
    }
    let title = project.json("task show 1")["title"].clone();
    assert_eq!(
        title, "x\u{1b}]8;;http://evil\u{7}y\u{9b}2J\u{202e}z\u{2066}\u{e0041}\u{200b}\r\u{0}",
        "JSON loses nothing"
    );
    project.remove(".handoff/PAUSE");
    for line in [
        "task update 1 --status done",
        "task check 1 1",
        "task update 1 --status done",
        "task delete 1",
        "task restore aaaaaaaa",
        "share",
    ] {
        project.call(line).run();
    }
}

#[test]
fn an_odd_config_file_costs_only_what_it_says_and_is_named() {
    for (text, line) in [
        ("", None),
        ("[settings]\ndone_task_limit = \"x\"\n", Some(2)),
        ("[settings]\ndone_task_limit = -3\n", Some(2)),
        ("[settings]\ntask_dirs = 7\n", Some(2)),
        ("[settings]\nlock_wait_seconds = nan\n", Some(2)),
        ("settings = 5\n", Some(1)),
        ("garbage = = =\n", Some(1)),
        ("<<<<<<< HEAD\n[settings]\n=======\n[dashboard]\n>>>>>>> x\n", Some(1)),
        ("[project]\nname = 5\n", Some(2)),
        ("future = 1\n[settings]\nmore = 2\n", None),
    ] {
        let project = project!().task("aaaaaaaa", |task| task.title("Good"));
        project.write(".handoff/config.toml", text);
        let list = project.call("task list").run();
        list.succeeded().says("01 Good");
        project.call("task create New").run().succeeded();
        assert_eq!(project.file(".handoff/config.toml"), text, "it is left alone");
        if let Some(line) = line {
            list.says(&format!("config.toml:{line}"));
        }
    }
    let project = project!().task("aaaaaaaa", |task| task.title("Good"));
    project.write(".handoff/config.toml", b"\xff\xfe");
    project.call("task list").run().succeeded().says("01 Good").says("config.toml");
}

#[test]
fn a_number_never_names_another_task_because_a_file_is_damaged() {
    let project = project!()
        .task("aaaaaaaa", |task| task.title("Parent"))
        .task("bbbbbbbb", |task| task.title("Child").parent("aaaaaaaa"));
    project.write(&project.task_file("aaaaaaaa"), "title = broken");
    for line in ["task show 1", "task update 1 --status done", "task delete 1"] {
        let answer = project.call(line).run();
        assert!(answer.code == 6 || answer.code == 4, "`{line}` meant the damaged one:\n{answer}");
    }
    project.call("task list").run().says("Child").says("todo");
}
