//! `handoff share` and `handoff unshare`.

use handoff_testkit::{TestProject, project, shared_project};

fn with_tree(project: TestProject) -> TestProject {
    project
        .task("k7f3q2ma", |task| task.title("Implement auth").status("in_progress").field("# by hand"))
        .task("m2x9a4te", |task| task.title("Design schema").status("done").parent("k7f3q2ma"))
        .task("n3p5s7vx", |task| task.title("Write handlers").parent("k7f3q2ma").table("[extra]\nfuture = 1\n"))
        .task("q4w8e2rt", |task| task.title("Deploy staging").status("blocked").depends_on(&["k7f3q2ma"]))
}

#[test]
fn sharing_makes_directories_flat_and_fixed() {
    let project = with_tree(project!());
    let before = project.json("task list");
    insta::assert_snapshot!(project.handoff("share"), @r"
    ✓ this project is shared now; 4 task directories moved
    Next: commit .handoff/ with git
    ");
    insta::assert_snapshot!(project.tree(".handoff/tasks"), @r"
    deploy-staging-q4w8e2rt/task.toml
    design-schema-m2x9a4te/task.toml
    implement-auth-k7f3q2ma/task.toml
    write-handlers-n3p5s7vx/task.toml
    ");
    insta::assert_snapshot!(project.file(".handoff/tasks/write-handlers-n3p5s7vx/task.toml"), @r#"
    format = 1
    id = "n3p5s7vx"
    title = "Write handlers"
    status = "todo"
    parent = "k7f3q2ma"
    number = 2

    [extra]
    future = 1
    "#);
    assert_eq!(project.file(".handoff/.gitignore"), "local/\nPAUSE\ncurrent-state.md\n");
    assert_eq!(project.json("task list"), before, "the tree is the same");
}

#[test]
fn in_a_shared_project_nothing_renames_a_directory() {
    let project = with_tree(shared_project!());
    let before = project.tree(".handoff/tasks").to_string();
    for line in [
        "task update n3p5s7vx --status done --title 'Another title'",
        "task move m2x9a4te --to q4w8e2rt",
        "task move k7f3q2ma --to q4w8e2rt",
        "task reorder m2x9a4te --first",
        "task note k7f3q2ma hello",
    ] {
        project.call(line).run().succeeded();
    }
    assert_eq!(project.tree(".handoff/tasks").to_string(), before);
    project.call("task list").run().says("02.2.2 Another title").hides("warning");
}

#[test]
fn there_and_back_leaves_every_byte_as_it_was() {
    let project = with_tree(project!());
    let before = project.records();
    project.call("share").run().succeeded();
    project.call("unshare").run().succeeded().says("this project is private now");
    project.records().assert_same(&before, "it changed");
}

#[test]
fn back_and_there_leaves_every_line_in_its_file() {
    let project = with_tree(shared_project!());
    let lines = || -> Vec<(String, Vec<String>)> {
        let tree = project.records();
        let sorted = |path: &str| {
            let mut lines: Vec<String> = project.file(&format!(".handoff/{path}")).lines().map(str::to_owned).collect();
            lines.sort();
            (path.to_owned(), lines)
        };
        tree.files().into_iter().map(sorted).collect()
    };
    let before = lines();
    project.call("unshare").run().succeeded();
    project.call("share").run().succeeded();
    assert_eq!(lines(), before);
}

#[test]
fn saying_it_again_changes_nothing_and_says_so() {
    let project = with_tree(project!());
    let before = project.records();
    project.call("unshare").run().succeeded().says("private already; nothing was changed");
    project.records().assert_same(&before, "it changed");
    project.call("share").run().succeeded();
    project.call("share").run().succeeded().says("shared already; nothing was changed");
}

#[test]
fn lines_a_person_added_to_the_files_survive() {
    let project = with_tree(project!());
    project.write(".handoff/.gitignore", "*\n# mine\n*.bak\n");
    project.edit(".handoff/config.toml", "[dashboard]", "[mine]\nx = 1 # why\n\n[dashboard]");
    project.handoff("share");
    assert_eq!(project.file(".handoff/.gitignore"), "local/\nPAUSE\ncurrent-state.md\n# mine\n*.bak\n");
    let config = project.file(".handoff/config.toml");
    assert!(config.contains("[mine]\nx = 1 # why\n") && config.contains("task_dirs = \"stable\""), "{config}");
    assert!(config.contains("# changed by `handoff share`"), "the comment beside the value stays: {config}");
}

#[test]
fn files_a_person_put_beside_a_task_go_with_it() {
    let project = with_tree(project!());
    let attached = ".handoff/tasks/01-in_progress--implement-auth/01.2-todo--write-handlers/sketch.png";
    project.write(attached, "picture");
    project.handoff("share");
    assert_eq!(project.file(".handoff/tasks/write-handlers-n3p5s7vx/sketch.png"), "picture");
    project.handoff("unshare");
    assert_eq!(project.file(attached), "picture");
}

#[test]
fn what_comes_after_the_change_works_in_the_new_layout() {
    let project = with_tree(project!());
    project.handoff("share");
    project.call("task create 'Later' --parent 1").run().succeeded().says("created 01.3");
    project.call("task create 'Top'").run().succeeded().says("created 03");
    project.handoff("unshare");
    project.call("task create 'Last' --parent 1").run().succeeded().says("created 01.4");
    project.call("task show 1.3").run().succeeded().says("Later");
    project.call("task list").run().hides("warning");
}

#[test]
fn a_clone_without_this_machines_part_works() {
    let project = with_tree(shared_project!());
    project.make_directory("../clone");
    project.copy(".handoff", "../clone/.handoff");
    project.remove("../clone/.handoff/local");
    project.remove("../clone/.handoff/sessions");
    project.call("task list").within("../clone").run().succeeded().says("01.2");
    assert!(!project.exists("../clone/.handoff/local"), "reading leaves no traces");
    project.call("task create New --parent k7").within("../clone").run().succeeded().says("01.3");
    project.call("task delete m2x9a4te").within("../clone").run().succeeded();
    project.call("task restore m2x9a4te").within("../clone").run().succeeded().says("01.1");
}

#[test]
fn an_empty_clone_of_a_shared_project_works() {
    // git carries no empty directory, so a new shared project arrives as two files.
    let project = shared_project!();
    for directory in ["tasks", "sessions", "local"] {
        project.remove(&format!(".handoff/{directory}"));
    }
    project.call("task list").run().succeeded().says("no tasks yet");
    project.call("task create New").run().succeeded().says("01 New");
}

#[test]
fn deleted_tasks_can_be_brought_back_after_the_layout_changed() {
    let project = with_tree(project!());
    project.handoff("task delete k7f3q2ma");
    project.handoff("share");
    project.call("task restore k7f3q2ma").run().succeeded();
    project.call("task list").run().says("01.1 Design schema").says("01.2 Write handlers").hides("warning");
    project.handoff("task delete k7f3q2ma");
    project.handoff("unshare");
    project.call("task restore k7f3q2ma").run().succeeded();
    project.call("task list").run().says("01.1 Design schema").says("01.2 Write handlers").hides("warning");
    insta::assert_snapshot!(project.tree(".handoff/tasks"), @r"
    01-in_progress--implement-auth/01.1-done--design-schema/task.toml
    01-in_progress--implement-auth/01.2-todo--write-handlers/task.toml
    01-in_progress--implement-auth/task.toml
    02-blocked--deploy-staging/task.toml
    ");
}

#[test]
fn a_child_of_a_damaged_task_keeps_its_parent() {
    let project = with_tree(project!());
    let file = project.task_file("k7f3q2ma");
    let good = project.file(&file);
    project.write(&file, "title = broken");
    let answer = project.call("share").run();
    // Refusing is fine, and so is leaving the branch as it is; forgetting whose child it is would be a loss.
    let file = match answer.code {
        0 => format!("{}/task.toml", project.directory("implement-auth")),
        _ => file,
    };
    project.write(&file, good);
    project.call("task list").run().says("  01.1 Design schema").says("  01.2 Write handlers");
}

#[test]
fn a_task_that_cannot_be_read_is_named_in_the_answer() {
    let project = with_tree(project!());
    project.write(&project.task_file("q4w8e2rt"), "title = broken");
    project.call("share").run().says("02-blocked--deploy-staging/task.toml:1");
}

#[test]
fn a_name_that_is_taken_does_not_stop_the_conversion_for_good() {
    let project = with_tree(project!());
    project.write(".handoff/tasks/deploy-staging-q4w8e2rt/readme.txt", "in the way");
    let answer = project.call("share").run();
    answer.hides("try again");
    assert_eq!(project.file(".handoff/tasks/deploy-staging-q4w8e2rt/readme.txt"), "in the way");
    assert_eq!(project.json("task list")["matches"], 4);
}
