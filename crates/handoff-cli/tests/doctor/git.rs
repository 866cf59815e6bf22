//! What git leaves behind, and what it has that it should not.

use handoff_testkit::TestProject;

use crate::{healthy, left, shared, told};

fn under_git() -> TestProject {
    let project = shared();
    project.init_git();
    project.commit_all("start");
    project
}

#[test]
fn a_real_merge_that_stops_is_healed_field_by_field() {
    for style in ["merge", "diff3"] {
        let project = under_git();
        let merged = project.merge_work(
            style,
            &["task update q4w8e2rt --status in_progress", "task note q4w8e2rt 'from us'"],
            &[
                "task update q4w8e2rt --status done",
                "task note q4w8e2rt 'from them'",
                "task update q4w8e2rt --title 'Deploy it'",
            ],
        );
        assert!(!merged, "git stops here as long as there is no merge driver");
        let file = ".handoff/tasks/deploy-staging-q4w8e2rt/task.toml";
        let line = project.file(file).lines().position(|line| line.starts_with("<<<<<<<")).unwrap() as u64 + 1;
        told(&project, "conflict_markers", "tasks/deploy-staging-q4w8e2rt/task.toml", Some(line));
        project.call("doctor --fix").run().succeeded().says("joined");
        healthy(&project);
        let task = project.json("task show q4w8e2rt");
        let said = task.to_string();
        for text in ["from us", "from them", "Deploy it"] {
            assert!(said.contains(text), "{style}: `{text}` is lost: {task:#}");
        }
        assert_eq!(task["status"], "in_progress", "{style}: it was set last: {task:#}");
        assert_eq!(task["history"].as_array().unwrap().len(), 2, "{style}: {task:#}");
        assert!(project.try_git("add -A") && project.try_git("commit -q -m healed"));
    }
}

#[test]
fn numbers_that_both_sides_gave_out_are_told_apart() {
    let project = under_git();
    assert!(project.merge_work("merge", &["task create Ours"], &["task create Theirs"]), "nothing to resolve");
    project.call("doctor").run().succeeded().says("same number");
    project.call("doctor --fix").run().succeeded();
    healthy(&project);
    project.call("task show 3").run().succeeded();
    project.call("task show 4").run().succeeded();
}

#[test]
fn state_of_this_machine_under_version_control_is_told() {
    let project = under_git();
    assert!(project.try_git("add -f .handoff/local/state/lock"));
    let finding = left(&project, "tracked", "local/state/lock", None);
    assert!(finding["advice"].as_str().unwrap().contains("git rm -rf --cached .handoff/local"), "{finding:#}");
}

#[test]
fn a_damaged_file_that_git_has_is_told_where_to_get_it() {
    let project = under_git();
    project.write(".handoff/tasks/deploy-staging-q4w8e2rt/task.toml", "");
    let finding = left(&project, "unparseable", "tasks/deploy-staging-q4w8e2rt/task.toml", None);
    assert!(finding["advice"].as_str().unwrap().contains("git restore"), "{finding:#}");
}
