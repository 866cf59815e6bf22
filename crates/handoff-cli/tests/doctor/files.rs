//! Files that cannot be read as what they should be.

use crate::{healthy, in_store, left, mended, private, shared, told};

#[test]
fn a_task_that_is_no_toml_is_named_by_line_and_left_to_people() {
    for project in [private(), shared()] {
        let file = project.task_file("q4w8e2rt");
        project.write(&file, project.file(&file) + "labels = [\n");
        let lines = project.file(&file).lines().count() as u64;
        left(&project, "unparseable", in_store(&file), Some(lines));
        project.call("task list").run().succeeded().says("Implement auth");
    }
}

#[test]
fn an_emptied_task_comes_back_from_the_log_as_it_was_last_written() {
    for project in [private(), shared()] {
        project.call("task update q4w8e2rt --priority high").run().succeeded();
        let file = project.task_file("q4w8e2rt");
        let written = project.file(&file);
        project.write(&file, "");
        let fixed = mended(&project, "unparseable", in_store(&file), None);
        assert!(fixed["mended"][0]["fix"].as_str().unwrap().contains("the log"), "{fixed:#}");
        assert_eq!(project.file(&file), written);
    }
}

#[test]
fn a_file_with_something_in_it_is_never_replaced_by_an_older_one() {
    let project = private();
    project.call("task update q4w8e2rt --priority high").run().succeeded();
    let file = project.task_file("q4w8e2rt");
    project.write(&file, "id = \"q4w8e2rt\"\ntitle = unquoted words a person wrote\n");
    let finding = left(&project, "unparseable", in_store(&file), Some(2));
    assert!(
        finding["advice"].as_str().unwrap().contains("the log"),
        "the advice says where a good version is: {finding:#}"
    );
}

#[test]
fn a_record_that_is_no_text_is_named() {
    let project = private();
    let file = project.task_file("q4w8e2rt");
    project.write(&file, b"id = \"q4w8e2rt\"\ntitle = \"\xff\xfe\"\n");
    left(&project, "unparseable", in_store(&file), Some(2));
}

#[test]
fn sessions_time_logs_and_archives_are_read_too() {
    let project = private();
    project.write(".handoff/sessions/2026-11-13-00000001.toml", "id = \"00000001\"\nnext = 5\n");
    left(&project, "unparseable", "sessions/2026-11-13-00000001.toml", Some(2));
    project.remove(".handoff/sessions/2026-11-13-00000001.toml");
    project.write(".handoff/time/2026-11-alice.toml", "intervals = 3\n");
    left(&project, "unparseable", "time/2026-11-alice.toml", Some(1));
    project.remove(".handoff/time");
    project.write(".handoff/archive/2026-10-general-archive.md", "# a\n\n```toml 2026-10-01-00000002.toml\nid = 1\n");
    left(&project, "unparseable", "archive/2026-10-general-archive.md", Some(3));
    project.write(".handoff/archive/tasks-2026-10.toml", "format = 1\n\n[[tasks]]\nid = 5\n");
    told(&project, "unparseable", "archive/tasks-2026-10.toml", Some(4));
}

#[test]
fn a_newer_format_is_named_with_what_it_needs() {
    let project = shared();
    let file = project.task_file("q4w8e2rt");
    project.edit(&file, "format = 1", "format = 9");
    let finding = left(&project, "newer_format", in_store(&file), Some(1));
    assert!(finding["what"].as_str().unwrap().contains("format 9"), "{finding:#}");
    project.edit(&file, "format = 9", "format = 0");
    let finding = told(&project, "older_format", in_store(&file), Some(1));
    assert_eq!(finding["weight"], "note");
}

#[test]
fn a_record_that_is_too_large_is_named() {
    let project = private();
    let file = project.task_file("q4w8e2rt");
    project.write(&file, project.file(&file) + &format!("description = \"{}\"\n", "x".repeat(5 * 1024 * 1024)));
    left(&project, "oversize", in_store(&file), None);
}

#[test]
#[cfg(unix)]
fn links_and_fifos_go_into_the_backup() {
    let project = private();
    std::os::unix::fs::symlink("/etc/hostname", project.path(".handoff/tasks/link")).unwrap();
    let fifo = project.path(".handoff/sessions/pipe");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    told(&project, "odd_file", "sessions/pipe", None);
    mended(&project, "odd_file", "tasks/link", None);
    assert!(!project.exists(".handoff/tasks/link") && !project.exists(".handoff/sessions/pipe"));
    assert_eq!(project.tree(".handoff/local/state/backup").containing("link").len(), 1, "it is kept");
}

#[test]
#[cfg(unix)]
fn access_is_put_right() {
    use std::os::unix::fs::PermissionsExt;
    let project = private();
    let file = project.task_file("q4w8e2rt");
    let mode = |mode| std::fs::set_permissions(project.path(&file), std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o666);
    mended(&project, "permissions", in_store(&file), None);
    assert_eq!(project.path(&file).metadata().unwrap().permissions().mode() & 0o777, 0o664);
    mode(0o044);
    mended(&project, "permissions", in_store(&file), None);
    project.call("task list").run().succeeded().says("Deploy staging").hides("cannot be read");
}

#[test]
fn names_that_some_file_systems_take_for_one_are_told() {
    let project = private();
    project.write(".handoff/time/2026-11-alice.toml", "format = 1\n");
    project.write(".handoff/time/2026-11-Alice.toml", "format = 1\n");
    left(&project, "name_clash", "time/2026-11-alice.toml", None);
}

#[cfg(unix)]
#[test]
fn a_log_that_others_may_look_into_is_closed_to_them() {
    use std::os::unix::fs::PermissionsExt;
    let project = private();
    project.call("task note k7f3q2ma one").run().succeeded();
    healthy(&project);
    let log = project.path(".handoff/local/state/log");
    std::fs::set_permissions(&log, std::fs::Permissions::from_mode(0o755)).unwrap();
    told(&project, "permissions", "local/state/log", None);
    project.call("doctor --fix").run().succeeded();
    assert_eq!(log.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    healthy(&project);
}

#[test]
fn a_file_between_the_tasks_is_mentioned_and_left_alone() {
    let project = private();
    project.write(".handoff/tasks/big.bin", "mine");
    project.write(".handoff/tasks/01-todo--implement-auth/sketch.txt", "of the task");
    let json = project.json("doctor");
    assert_eq!(json["findings"].as_array().unwrap().len(), 1, "{json:#}");
    left(&project, "stray_file", "tasks/big.bin", None);
}
