//! What git makes of a shared project: two people's work, merged.

use std::process::Command;

use handoff_testkit::{TestProject, shared_project};

/// A shared project under git with one task.
fn under_git() -> TestProject {
    let project = shared_project!().task("k7f3q2ma", |task| task.title("Implement auth"));
    project.init_git();
    project.commit_all("start");
    project
}

fn merged(project: &TestProject, ours: &[&str], theirs: &[&str]) -> bool {
    project.merge_work("merge", ours, theirs)
}

#[test]
fn git_sees_the_records_and_nothing_of_this_machine() {
    let project = under_git();
    project.handoff("task note k7f3q2ma warm");
    project.write(".handoff/PAUSE", "");
    let output =
        Command::new("git").args(["status", "--short", "-uall"]).current_dir(project.path(".")).output().unwrap();
    let status = String::from_utf8_lossy(&output.stdout);
    assert_eq!(status.trim(), "M .handoff/tasks/implement-auth-k7f3q2ma/task.toml");
}

#[test]
fn tasks_that_both_sides_added_merge_and_load() {
    let project = under_git();
    let merged = merged(
        &project,
        &["task create Ours", "task create 'Below ours' --parent k7f3q2ma"],
        &["task create Theirs", "task create 'Below theirs' --parent k7f3q2ma"],
    );
    assert!(merged, "nothing to resolve");
    let list = project.call("task list").run();
    list.succeeded().says("Ours").says("Theirs").says("Below ours").says("Below theirs");
    // Both sides gave out the same numbers, so those are ambiguous until something moves.
    list.says("02").says("use the id");
    project.call("task show 2").run().failed(4).says("Ours").says("Theirs");
    project.call("task create Later").run().succeeded().says("created 03 Later");
}

#[test]
fn a_task_that_both_sides_changed_differently_loads_as_ours_until_it_is_resolved() {
    let project = under_git();
    let merged =
        merged(&project, &["task update k7f3q2ma --status in_progress"], &["task update k7f3q2ma --status blocked"]);
    assert!(!merged, "git stops here as long as there is no merge driver");
    project.call("task list").run().succeeded().says("in_progress").says("conflict markers");
    project.call("task update k7f3q2ma --status done").run().failed(6).says("Resolve them");
    project.call("task create Meanwhile").run().succeeded();
    assert!(project.try_git("checkout -q --theirs .handoff/tasks/implement-auth-k7f3q2ma/task.toml"));
    project.call("task update k7f3q2ma --status review").run().succeeded();
    let history = project.json("task show k7f3q2ma")["history"].clone();
    assert_eq!(history[0]["status"], "blocked", "{history:#}");
}

#[test]
fn a_parent_deleted_on_one_side_leaves_its_new_child_visible() {
    let project = under_git();
    let merged = merged(&project, &["task delete k7f3q2ma"], &["task create Child --parent k7f3q2ma"]);
    assert!(merged, "nothing to resolve");
    project.call("task list").run().says("Child").says("its parent `k7f3q2ma` is not there");
    project.call("task restore k7f3q2ma").run().succeeded();
    project.call("task list").run().says("Child").hides("warning");
    assert_eq!(project.json("task list")["tasks"][1]["parent"], "k7f3q2ma");
}

#[test]
fn each_side_moving_its_task_under_the_others_is_cut_and_told() {
    let project = under_git();
    project.handoff("task create Other");
    assert!(project.try_git("add -A") && project.try_git("commit -q -m other"));
    let merged = merged(&project, &["task move 1 --to 2"], &["task move 2 --to 1"]);
    assert!(merged, "nothing to resolve");
    let list = project.call("task list").run();
    list.succeeded().says("Implement auth").says("Other").says("lies under itself");
    project.call("task move k7f3q2ma --to root").run().succeeded();
    project.call("task list").run().hides("lies under itself");
}
