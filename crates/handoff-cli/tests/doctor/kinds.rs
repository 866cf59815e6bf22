//! Things of the wrong kind in places of ours, and a store that lost its settings.

use handoff_testkit::TestProject;

use crate::{healthy, left, private, shared, told};

/// Checks that the doctor tells of a place, moves what stands there into the backup, and that work goes on.
fn set_aside(project: &TestProject, path: &str) {
    let finding = told(project, "wrong_kind", path, None);
    assert!(finding["fix"].as_str().unwrap().contains("moved into the backup"), "{finding:#}");
    project.call("doctor --dry-run").run_unchecked().says("Would be mended");
    project.call("doctor --fix").run().succeeded();
    project.call("task create Later").run().succeeded();
    project.call("save Done --next 'Go on'").run().succeeded();
    let after = project.call("doctor --json").run();
    assert!(after.succeeded().json()["findings"].as_array().unwrap().iter().all(is_dangling), "{after}");
    project.call("undo").run().succeeded();
}

/// What the doctor says of sessions whose tasks are gone with their directory.
fn is_dangling(finding: &serde_json::Value) -> bool {
    finding["kind"] == "dangling"
}

#[test]
fn settings_that_were_emptied_come_back_from_the_log() {
    let project = shared();
    project.call("config set settings.history_limit 7").run().succeeded();
    let (settings, before) = (project.file(".handoff/config.toml"), project.records());
    project.write(".handoff/config.toml", "");
    told(&project, "unparseable", "config.toml", None);
    project.call("doctor --fix").run().succeeded();
    assert_eq!(project.file(".handoff/config.toml"), settings);
    project.records().assert_same(&before, "nothing else is touched");
    healthy(&project);
}

#[test]
fn a_shared_project_whose_settings_are_written_anew_stays_shared() {
    let project = shared();
    project.remove(".handoff/config.toml");
    project.call("init").run().succeeded().says("It is shared");
    assert!(project.file(".handoff/config.toml").contains("task_dirs = \"stable\""));
    healthy(&project);
}

#[test]
fn tasks_keep_their_numbers_when_their_places_are_told_anew() {
    let project = shared();
    let numbers = |project: &TestProject| {
        let listed = project.call("task list --all --flat --json").run();
        let tasks = listed.succeeded().json()["tasks"].as_array().unwrap().clone();
        tasks.iter().map(|task| (task["id"].clone(), task["number"].clone())).collect::<Vec<_>>()
    };
    let before = numbers(&project);
    let settings = project.file(".handoff/config.toml").replace("task_dirs = \"stable\"", "task_dirs = \"status\"");
    project.write(".handoff/config.toml", &settings);
    assert_eq!(numbers(&project), before);
    project.call("doctor --fix").run().succeeded();
    assert_eq!(numbers(&project), before);
}

#[test]
fn a_file_where_a_directory_of_records_belongs_is_set_aside() {
    for path in ["archive", "sessions", "tasks"] {
        let project = private();
        if project.exists(&format!(".handoff/{path}")) {
            project.rename(&format!(".handoff/{path}"), &format!(".handoff/kept-{path}"));
        }
        project.write(&format!(".handoff/{path}"), "in the way");
        set_aside(&project, path);
        assert_eq!(project.tree(".handoff/local/state/backup").containing("in the way").len(), 1, "{path}");
    }
}

#[test]
fn a_file_where_this_machine_needs_a_directory_is_set_aside() {
    for path in ["local", "local/state", "local/cache", "local/state/tmp", "local/state/log", "local/state/backup"] {
        let project = private();
        project.remove(&format!(".handoff/{path}"));
        project.write(&format!(".handoff/{path}"), "in the way");
        set_aside(&project, path);
        assert_eq!(project.tree(".handoff/local/state/backup").containing("in the way").len(), 1, "{path}");
    }
}

#[test]
fn a_directory_where_this_machine_needs_a_file_is_set_aside() {
    for path in ["local/state/lock", "local/state/numbers", "local/cache/index"] {
        let project = private();
        project.remove(&format!(".handoff/{path}"));
        project.write(&format!(".handoff/{path}/mine"), "in the way");
        set_aside(&project, path);
        assert_eq!(project.tree(".handoff/local/state/backup").containing("in the way").len(), 1, "{path}");
    }
}

#[test]
fn a_directory_in_place_of_the_journal_stops_nobody_any_more() {
    let project = private();
    project.write(".handoff/local/state/journal.json/mine", "in the way");
    told(&project, "journal", "local/state/journal.json", None);
    project.call("task create Blocked").run().failed(6).says("handoff doctor --fix");
    project.call("doctor --fix").run().succeeded();
    healthy(&project);
    project.call("task create Free").run().succeeded();
}

#[test]
fn a_directory_in_place_of_the_settings_gives_way_to_settings() {
    let project = private();
    project.call("config set settings.history_limit 7").run().succeeded();
    project.remove(".handoff/config.toml");
    project.write(".handoff/config.toml/mine", "in the way");
    told(&project, "wrong_kind", "config.toml", None);
    project.call("doctor --fix").run().succeeded();
    healthy(&project);
    assert!(project.file(".handoff/config.toml").contains("history_limit = 7"), "as the log has it");
}

#[cfg(unix)]
#[test]
fn a_link_is_set_aside_unless_something_lies_behind_it() {
    use std::os::unix::fs::symlink;
    for path in ["tasks", "sessions", "archive"] {
        let project = private();
        let at = project.path(format!(".handoff/{path}"));
        project.make_directory("../elsewhere");
        if project.exists(&format!(".handoff/{path}")) {
            project.rename(&format!(".handoff/{path}"), &format!("../elsewhere/{path}"));
        }
        project.write(&format!("../elsewhere/{path}/mine"), "kept");
        symlink(project.path(format!("../elsewhere/{path}")), &at).unwrap();
        let finding = left(&project, "wrong_kind", path, None);
        assert!(finding["advice"].as_str().unwrap().contains("in the place of the link"), "{finding:#}");
        project.remove(&format!("../elsewhere/{path}"));
        set_aside(&project, path);
    }
}

#[test]
fn a_store_that_lost_its_settings_is_known_for_what_it_is() {
    let project = private();
    project.call("task create Before").run().succeeded();
    project.remove(".handoff/config.toml");
    project.make_directory("src");
    project.call("task list").within("src").run().failed(6).says("without config.toml").says("handoff doctor");
    project.call("save Lost --next Nothing").run().failed(6).says("handoff doctor");
    let finding = told(&project, "missing_config", "config.toml", None);
    assert_eq!(finding["fix"], "written anew, from the defaults");
    project.call("doctor --fix").run().succeeded();
    healthy(&project);
    assert!(project.file(".handoff/config.toml").contains("name = \"my-app\""), "the name of the directory");
    project.call("task list").run().succeeded().says("Before");
}

#[test]
fn settings_come_back_as_the_log_has_them_and_a_shared_store_stays_shared() {
    let project = shared();
    project.call("config set settings.history_limit 7").run().succeeded();
    let settings = project.file(".handoff/config.toml");
    project.remove(".handoff/config.toml");
    project.call("doctor --fix").run().succeeded();
    assert_eq!(project.file(".handoff/config.toml"), settings);
    let project = shared();
    let tasks = project.tree(".handoff/tasks");
    project.remove(".handoff/config.toml");
    project.call("doctor --fix").run().succeeded();
    project.tree(".handoff/tasks").assert_same(&tasks, "directories show which layout it is");
    assert!(project.file(".handoff/config.toml").contains("task_dirs = \"stable\""));
}

#[test]
fn without_a_project_nothing_is_made_in_order_to_be_mended_or_taken_back() {
    let project = handoff_testkit::empty_directory!();
    for command in ["doctor", "doctor --fix", "undo", "undo --dry-run", "redo", "gc", "gc --dry-run"] {
        project.call(command).run().failed(3).says("handoff init");
    }
    assert!(!project.exists("../../home/.local"), "{}", project.tree("../../home"));
}
