//! What records say: conflicts, copies, values, references, hidden characters.

use handoff_testkit::TestProject;
use serde_json::Value;

use crate::{in_store, left, mended, private, shared, told};

/// Puts a text where git would leave both sides of a merge.
fn conflict(project: &TestProject, file: &str, from: &str, ours: &str, theirs: &str) {
    let both = format!("<<<<<<< HEAD\n{ours}\n=======\n{theirs}\n>>>>>>> topic");
    project.edit(file, from, &both);
}

fn notes(task: &Value) -> Vec<&str> {
    task["notes"].as_array().unwrap().iter().map(|note| note["text"].as_str().unwrap()).collect()
}

#[test]
fn both_sides_of_a_conflict_are_joined_value_by_value() {
    for project in [private(), shared()] {
        let file = project.task_file("k7f3q2ma");
        conflict(
            &project,
            &file,
            "title = \"Implement auth\"",
            "title = \"Implement login\"\nlabels = [\"ours\"]",
            "title = \"Implement sign-in\"\nlabels = [\"theirs\"]",
        );
        mended(&project, "conflict_markers", in_store(&file), Some(3));
        let task = project.json("task show k7f3q2ma");
        assert_eq!(task["labels"], serde_json::json!(["ours", "theirs"]));
        let notes = notes(&task);
        assert!(notes.contains(&"kept"), "{notes:?}");
        let said = |title: &str| task["title"] == title || notes.iter().any(|note| note.contains(title));
        assert!(said("Implement login") && said("Implement sign-in"), "neither title is lost: {task:#}");
    }
}

#[test]
fn a_conflict_in_a_session_and_in_the_settings_is_healed() {
    let project = shared();
    let file = ".handoff/sessions/2026-11-15-a3f9c12e.toml";
    conflict(
        &project,
        file,
        "summary = \"Parser\"",
        "summary = \"Parser\"\nnext = [\"a\"]",
        "summary = \"Parser\"\nnext = [\"b\"]",
    );
    mended(&project, "conflict_markers", in_store(file), Some(4));
    assert_eq!(project.json("session show a3f9c12e")["next"], serde_json::json!(["a", "b"]));
    let config = project.file(".handoff/config.toml");
    project.write(".handoff/config.toml", format!("{config}<<<<<<< a\n[team]\n=======\n[calendar]\n>>>>>>> b\n"));
    told(&project, "conflict_markers", "config.toml", Some(config.lines().count() as u64 + 1));
    project.call("doctor --fix").run().succeeded();
    assert!(!project.file(".handoff/config.toml").contains("<<<<"));
}

#[test]
fn two_tasks_that_came_to_lie_in_one_place_get_one_each() {
    let project = private();
    let file = project.task_file("q4w8e2rt");
    let ours = project.file(&file);
    let theirs = ours.replace("q4w8e2rt", "z9z9z9z9").replace("Deploy staging", "Deploy there");
    project.write(&file, format!("<<<<<<< a\n{ours}=======\n{theirs}>>>>>>> b\n"));
    mended(&project, "conflict_markers", in_store(&file), Some(1));
    project.call("task list").run().says("Deploy staging").says("Deploy there");
    assert!(project.exists(".handoff/tasks/03-blocked--deploy-there/task.toml"), "{}", project.tree(".handoff/tasks"));
}

#[test]
fn markers_that_cannot_be_resolved_are_left_to_people() {
    let project = private();
    let file = project.task_file("q4w8e2rt");
    project.write(&file, format!("<<<<<<< a\n{}", project.file(&file)));
    left(&project, "conflict_markers", in_store(&file), Some(1));
    let body = ".handoff/sessions/2026-11-14-77c01b9d.md";
    let project = private();
    project.write(body, "one\n<<<<<<< a\nours\n=======\ntheirs\n>>>>>>> b\n");
    left(&project, "conflict_markers", in_store(body), Some(2));
    project.write(body, "```\n<<<<<<< a\nours\n=======\ntheirs\n>>>>>>> b\n```\n");
    crate::healthy(&project);
}

#[test]
fn a_copy_of_a_task_is_joined_with_the_one_that_is_shown() {
    for project in [private(), shared()] {
        let file = project.task_file("k7f3q2ma");
        let dir = file.trim_end_matches("/task.toml").to_owned();
        project.copy(&dir, ".handoff/tasks/09-todo--copy");
        project.edit(".handoff/tasks/09-todo--copy/task.toml", "text = \"kept\"", "text = \"only in the copy\"");
        project.write(".handoff/tasks/09-todo--copy/sketch.txt", "a file beside it");
        let text = project.file(".handoff/tasks/09-todo--copy/task.toml");
        let line = text.lines().position(|line| line.starts_with("id")).unwrap() as u64 + 1;
        // Both were touched at the same moment; the shown one is the first by name.
        let path = if dir.as_str() < ".handoff/tasks/09-todo--copy" {
            "tasks/09-todo--copy/task.toml"
        } else {
            in_store(&file)
        };
        let fixed = mended(&project, "same_id", path, Some(line));
        let task = project.json("task show k7f3q2ma");
        let notes = notes(&task);
        assert!(notes.contains(&"kept") && notes.contains(&"only in the copy"), "{notes:?}");
        let backup = project.tree(&format!(".handoff/{}", fixed["backup"].as_str().unwrap()));
        let everywhere =
            [backup.containing("a file beside it").len(), project.records().containing("a file beside it").len()];
        assert_eq!(everywhere.iter().sum::<usize>(), 1, "what else lay there is kept");
        project.call("task list").run().says("Design schema").hides("too;");
    }
}

#[test]
fn the_same_twice_becomes_one() {
    let project = shared();
    let file = project.task_file("q4w8e2rt");
    project.copy(file.trim_end_matches("/task.toml"), ".handoff/tasks/zz-copy-q4w8e2rt");
    let before = project.file(&file);
    mended(&project, "same_id", "tasks/zz-copy-q4w8e2rt/task.toml", Some(2));
    assert_eq!(project.file(&file), before, "what is shown stays as it is");
}

#[test]
fn two_files_of_one_session_become_one() {
    let project = private();
    let copy = project.file(".handoff/sessions/2026-11-14-77c01b9d.toml").replace("Schema drafted", "Schema written");
    project.write(".handoff/sessions/2026-11-13-77c01b9d.toml", copy + "blockers = [\"key\"]\n");
    project.write(".handoff/sessions/2026-11-13-77c01b9d.md", "another body\n");
    mended(&project, "same_id", "sessions/2026-11-13-77c01b9d.toml", Some(2));
    let session = project.json("session show 77c01b9d");
    assert_eq!(session["blockers"], serde_json::json!(["key"]));
    let said = session.to_string();
    assert!(said.contains("Schema drafted") && said.contains("Schema written"), "{session:#}");
    assert_eq!(project.file(".handoff/sessions/2026-11-14-77c01b9d.md"), "# Body\n\ntext\n\n---\n\nanother body\n");
}

#[test]
fn copies_of_synchronisers_are_joined_with_the_original() {
    let project = private();
    let file = project.task_file("q4w8e2rt");
    let copy = file.replace("task.toml", "task.sync-conflict-20261115-101112-ABCDEFG.toml");
    project.write(&copy, project.file(&file) + "labels = [\"elsewhere\"]\n");
    mended(&project, "sync_copy", in_store(&copy), None);
    assert_eq!(project.json("task show q4w8e2rt")["labels"], serde_json::json!(["elsewhere"]));
    let copy = ".handoff/sessions/2026-11-15-a3f9c12e (alice's conflicted copy 2026-11-15).toml";
    project.write(copy, project.file(".handoff/sessions/2026-11-15-a3f9c12e.toml") + "next = [\"there\"]\n");
    mended(&project, "sync_copy", in_store(copy), None);
    assert_eq!(project.json("session show a3f9c12e")["next"], serde_json::json!(["there"]));
    let dir = file.trim_end_matches("/task.toml").to_owned();
    project.copy(&dir, &format!("{dir} (conflicted copy)"));
    mended(&project, "sync_copy", in_store(&format!("{dir} (conflicted copy)")), None);
}

#[test]
fn a_value_that_cannot_be_is_written_as_it_was_read() {
    let project = private();
    let file = project.task_file("q4w8e2rt");
    project.edit(&file, "status = \"blocked\"", "status = \"wip\"");
    mended(&project, "wrong_value", in_store(&file), Some(4));
    let task = project.json("task show q4w8e2rt");
    assert_eq!(task["status"], "todo");
    assert!(notes(&task)[0].contains("wip"), "{task:#}");
    let file = project.directory("deploy-staging") + "/task.toml";
    project.write(&file, project.file(&file) + "\n[schedule]\nestimate_hours = -4.0\n");
    let line = project.file(&file).lines().count() as u64;
    mended(&project, "wrong_value", in_store(&file), Some(line));
}

#[test]
fn references_to_nothing_are_taken_out_and_noted() {
    for project in [private(), shared()] {
        let file = project.task_file("q4w8e2rt");
        project.edit(&file, "dependencies = [\"k7f3q2ma\"]", "dependencies = [\"k7f3q2ma\", \"nowhere0\"]");
        let line = project.file(&file).lines().position(|line| line.contains("nowhere0")).unwrap() as u64 + 1;
        mended(&project, "dangling", in_store(&file), Some(line));
        let task = project.json("task show q4w8e2rt");
        assert_eq!(task["dependencies"][0], "k7f3q2ma");
        assert!(notes(&task)[0].contains("nowhere0"), "{task:#}");
        let session = ".handoff/sessions/2026-11-15-a3f9c12e.toml";
        project.edit(session, "tasks = [\"k7f3q2ma\"]", "tasks = [\"k7f3q2ma\", \"nowhere1\"]");
        mended(&project, "dangling", in_store(session), Some(6));
    }
}

#[test]
fn references_to_what_is_in_the_trash_are_fine() {
    let project = private();
    project.call("task delete k7f3q2ma").run().succeeded();
    crate::healthy(&project);
}

#[test]
fn a_session_that_refers_to_a_lost_one_is_told_and_stays() {
    let project = private();
    project.edit(".handoff/sessions/2026-11-15-a3f9c12e.toml", "2026-11-14-77c01b9d", "2026-11-01-00000009");
    left(&project, "dangling", "sessions/2026-11-15-a3f9c12e.toml", Some(5));
}

#[test]
fn tasks_that_wait_for_each_other_no_longer_do() {
    for project in [private(), shared()] {
        let file = project.task_file("k7f3q2ma");
        project.edit(&file, "title = \"Implement auth\"", "title = \"Implement auth\"\ndependencies = [\"q4w8e2rt\"]");
        let json = project.call("doctor --json").run().json();
        let path = json["findings"][0]["path"].as_str().unwrap().to_owned();
        let line = json["findings"][0]["line"].as_u64();
        mended(&project, "cycle", &path, line);
    }
}

#[test]
fn hidden_characters_are_spelled_out_and_written_out() {
    let project = shared();
    let file = project.task_file("q4w8e2rt");
    let message: String = "obey".chars().filter_map(|c| char::from_u32(0xe0000 + u32::from(c))).collect();
    project.edit(&file, "Deploy staging", &format!("Deploy {message}\u{202e}staging"));
    let finding = told(&project, "hidden_characters", in_store(&file), Some(3));
    assert!(finding["what"].as_str().unwrap().contains("which spell `obey`"), "{finding:#}");
    mended(&project, "hidden_characters", in_store(&file), Some(3));
    assert!(project.file(&file).contains("⟨U+202E⟩staging"));
    let closed = ".handoff/sessions/2026-11-14-77c01b9d.toml";
    project.edit(closed, "Schema drafted", "Schema \\u001b[2J");
    left(&project, "hidden_characters", in_store(closed), Some(5));
}

#[test]
fn the_text_of_a_lost_session_is_seen_again() {
    let project = private();
    project.write(".handoff/sessions/2026-10-01-0badcafe.md", "## Parser notes\n\nmind the port\n");
    mended(&project, "orphan", "sessions/2026-10-01-0badcafe.md", None);
    project.call("session show 0badcafe").run().succeeded().says("Parser notes").says("mind the port");
}

#[test]
fn a_closed_session_that_names_a_task_nobody_knows_is_worth_a_note() {
    let project = private();
    let file = ".handoff/sessions/2026-11-14-77c01b9d.toml";
    project.write(file, project.file(file) + "tasks = [\"qqqqqqqq\"]\n");
    let finding = left(&project, "dangling", in_store(file), Some(project.file(file).lines().count() as u64));
    assert_eq!(finding["weight"], "note", "{finding:#}");
}

#[test]
fn a_status_that_gave_way_to_another_is_told() {
    let project = private();
    let file = project.task_file("k7f3q2ma");
    let done = "status = \"done\"\ncompleted_at = 2026-11-15T10:00:00Z";
    let begun = "status = \"in_progress\"\n[[history]]\nat = 2026-11-15T09:00:00Z\nstatus = \"in_progress\"";
    let text = project.file(&file);
    let head: String = text
        .lines()
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.starts_with("status"))
        .flat_map(|line| [line, "\n"])
        .collect();
    project.write(&file, format!("{head}<<<<<<< a\n{done}\n=======\n{begun}\n>>>>>>> b\n"));
    let fixed = project.json("doctor --fix");
    assert!(fixed["mended"].to_string().contains("`status` was also"), "{fixed:#}");
    project.call("task show k7f3q2ma").run().says("`status` was also \"done\"");
}

#[test]
fn of_two_items_with_one_id_the_second_gets_the_id_under_which_it_is_shown() {
    let project = private();
    let name = "2026-11-13-5c1e2a90";
    project.put_session(
        name,
        "status = \"closed\"\nsummary = \"Lexer\"\nstarted_at = 2026-11-13T09:00:00Z\nended_at = 2026-11-13T10:00:00Z\n\
         next = [\"Fix the matrix\", \"Run race tests\"]\n\n[[items]]\nid = \"n1\"\ntext = \"Fix the matrix\"\n\n\
         [[items]]\nid = \"n1\"\ntext = \"Run race tests\"\n",
    );
    for listed in [project.call("open").run(), project.call("resume").run()] {
        listed.succeeded().says("n1 Fix the matrix").says("n2 Run race tests").says(&format!("{name}.toml:15: "));
        listed.says("two items have the id `n1`");
    }
    mended(&project, "wrong_value", &format!("sessions/{name}.toml"), Some(15));
    project.call("done n2").run().succeeded().says("n2 Run race tests (done)");
    project.call("open").run().succeeded().says("n1 Fix the matrix").hides("race tests").hides("two items");
}
