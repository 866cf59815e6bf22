//! Where tasks lie and what their directories are called.

use handoff_testkit::TestProject;

use crate::{in_store, left, mended, private, shared, told};

fn titles(project: &TestProject) -> Vec<String> {
    let list = project.json("task list");
    let mut titles: Vec<String> =
        list["tasks"].as_array().unwrap().iter().map(|task| task["title"].as_str().unwrap().to_owned()).collect();
    titles.sort();
    titles
}

#[test]
fn a_wrong_name_is_drift_and_follows_the_file() {
    let project = private();
    project.rename(".handoff/tasks/02-blocked--deploy-staging", ".handoff/tasks/02-done--something");
    let fixed = mended(&project, "wrong_name", "tasks/02-done--something", None);
    assert_eq!(fixed["healthy"], true);
    assert!(project.exists(".handoff/tasks/02-blocked--deploy-staging/task.toml"));
    let project = shared();
    project.rename(".handoff/tasks/deploy-staging-q4w8e2rt", ".handoff/tasks/Some Notes");
    mended(&project, "wrong_name", "tasks/Some Notes", None);
    assert!(project.exists(".handoff/tasks/deploy-staging-q4w8e2rt/task.toml"));
}

#[test]
fn a_name_that_is_not_composed_is_put_right() {
    let project = shared();
    let decomposed = "cafe\u{301}-q4w8e2rt";
    project.rename(".handoff/tasks/deploy-staging-q4w8e2rt", &format!(".handoff/tasks/{decomposed}"));
    mended(&project, "wrong_name", &format!("tasks/{decomposed}"), None);
}

#[test]
fn a_file_of_a_session_that_does_not_tell_its_id_is_renamed_with_its_body() {
    let project = private();
    project.rename(".handoff/sessions/2026-11-14-77c01b9d.toml", ".handoff/sessions/yesterday.toml");
    project.rename(".handoff/sessions/2026-11-14-77c01b9d.md", ".handoff/sessions/yesterday.md");
    mended(&project, "wrong_name", "sessions/yesterday.toml", None);
    assert!(!project.exists(".handoff/sessions/yesterday.md"));
    project.call("session show 77c01b9d").run().succeeded().says("text");
}

#[test]
fn siblings_with_one_number_get_one_each_and_keep_their_ids() {
    let project = private();
    project.rename(".handoff/tasks/02-blocked--deploy-staging", ".handoff/tasks/01-blocked--deploy-staging");
    mended(&project, "same_number", "tasks/01-blocked--deploy-staging/task.toml", None);
    assert!(
        project.exists(".handoff/tasks/02-blocked--deploy-staging/task.toml"),
        "{}",
        project.tree(".handoff/tasks")
    );
    let project = shared();
    let file = project.task_file("q4w8e2rt");
    project.edit(&file, "number = 2", "number = 1");
    mended(&project, "same_number", in_store(&file), Some(5));
    assert!(project.file(&file).contains("number = 2\n"));
}

#[test]
fn a_task_whose_parent_is_gone_goes_to_the_top_with_a_note() {
    let project = shared();
    let file = project.task_file("m2x9a4te");
    project.edit(&file, "parent = \"k7f3q2ma\"", "parent = \"nowhere0\"");
    mended(&project, "orphan", in_store(&file), Some(5));
    let task = project.json("task show m2x9a4te");
    assert!(task["notes"][0]["text"].as_str().unwrap().contains("nowhere0"), "{task:#}");
}

#[test]
fn a_parent_in_the_trash_can_be_brought_back_so_nothing_is_changed() {
    let project = shared();
    let child = project.file(&project.task_file("m2x9a4te"));
    project.call("task delete k7f3q2ma").run().succeeded();
    project.write(&project.task_file("m2x9a4te"), child);
    let finding = left(&project, "orphan", in_store(&project.task_file("m2x9a4te")), Some(5));
    assert!(finding["advice"].as_str().unwrap().contains("task restore k7f3q2ma"), "{finding:#}");
}

#[test]
fn below_a_directory_without_a_task_tasks_come_up_and_the_rest_is_kept() {
    let project = private();
    project.write(".handoff/tasks/01-todo--implement-auth/sketch.txt", "mine");
    let before = titles(&project);
    project.remove(".handoff/tasks/01-todo--implement-auth/task.toml");
    let path = "tasks/01-todo--implement-auth";
    told(&project, "dangling", in_store(&project.task_file("q4w8e2rt")), Some(6));
    mended(&project, "orphan", path, None);
    let after = titles(&project);
    assert_eq!(after.len(), before.len() - 1, "only the one whose file is gone is missing: {after:?}");
    assert_eq!(project.tree(".handoff/local/state/backup").containing("mine").len(), 1);
}

#[test]
fn tasks_under_each_other_are_cut_apart() {
    let project = shared();
    project.edit(&project.task_file("k7f3q2ma"), "number = 1", "number = 1\nparent = \"m2x9a4te\"");
    let json = project.call("doctor --json").run().json();
    let finding = json["findings"].as_array().unwrap().iter().find(|finding| finding["kind"] == "cycle").unwrap();
    let (path, line) = (finding["path"].as_str().unwrap().to_owned(), finding["line"].as_u64());
    mended(&project, "cycle", &path, line);
    assert_eq!(titles(&project).len(), 3);
}

#[test]
fn a_place_told_as_in_the_other_layout_is_told_as_in_this_one() {
    let project = private();
    let file = ".handoff/tasks/by-hand-b7b7b7b7/task.toml";
    project.write(file, "id = \"b7b7b7b7\"\ntitle = \"By hand\"\nparent = \"k7f3q2ma\"\nnumber = 4\n");
    mended(&project, "misplaced", in_store(file), None);
    assert!(project.exists(".handoff/tasks/01-todo--implement-auth/01.4-todo--by-hand/task.toml"));
    let project = shared();
    let file = ".handoff/tasks/implement-auth-k7f3q2ma/05-todo--nested/task.toml";
    project.write(file, "id = \"b7b7b7b7\"\ntitle = \"Nested\"\n");
    mended(&project, "misplaced", in_store(file), None);
    let text = project.file(".handoff/tasks/nested-b7b7b7b7/task.toml");
    assert!(text.contains("parent = \"k7f3q2ma\"") && text.contains("number = 5"), "{text}");
}

#[test]
fn a_task_that_lies_too_deep_is_told() {
    let project = private();
    let mut dir = ".handoff/tasks".to_owned();
    let mut number = String::new();
    for level in 1..=17 {
        number = if level == 1 { "07".to_owned() } else { format!("{number}.1") };
        dir = format!("{dir}/{number}-todo--t");
        project.write(&format!("{dir}/task.toml"), format!("id = \"deep{level:04}\"\ntitle = \"t\"\n"));
    }
    left(&project, "too_deep", in_store(&dir), None);
}
