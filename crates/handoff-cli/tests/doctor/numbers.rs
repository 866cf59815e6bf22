//! Which of two tasks keeps a number, and that what is announced is what happens.

use handoff_testkit::TestProject;
use serde_json::Value;

use crate::{healthy, private, shared, told};

fn number_of(project: &TestProject, id: &str) -> String {
    project.json(&format!("task show {id}"))["number"].as_str().unwrap().to_owned()
}

fn created(project: &TestProject, title: &str) -> String {
    project.json(&format!("task create '{title}'"))["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_task_made_by_hand_without_a_time_does_not_take_a_number_from_one_that_has_it() {
    let project = private();
    project.write(".handoff/tasks/01-todo--dup/task.toml", "id = \"aupdupd1\"\ntitle = \"Dup\"\n");
    told(&project, "same_number", "tasks/01-todo--dup/task.toml", None);
    project.call("doctor --fix").run().succeeded();
    assert_eq!(number_of(&project, "k7f3q2ma"), "01");
    let project = shared();
    project.write(".handoff/tasks/dup-aupdupd1/task.toml", "id = \"aupdupd1\"\ntitle = \"Dup\"\nnumber = 1\n");
    project.call("doctor --fix").run().succeeded();
    assert_eq!(number_of(&project, "k7f3q2ma"), "01");
}

#[test]
fn the_one_that_handoff_gave_the_number_to_keeps_it_whatever_a_copy_says() {
    let project = private();
    let id = created(&project, "Real");
    let number = number_of(&project, &id);
    let dir = format!(".handoff/tasks/{number}-todo--real");
    let copied = project.file(&format!("{dir}/task.toml")).replace(&id, "aaaaaaa1").replace("Real", "Copy");
    let older = copied.replace("created_at = 2026", "created_at = 2020");
    project.write(&format!(".handoff/tasks/{number}-todo--copy/task.toml"), older);
    // The locator knows both by now.
    project.call("task note aaaaaaa1 seen").run().succeeded();
    project.call("doctor --fix").run().succeeded();
    assert_eq!(number_of(&project, &id), number);
    healthy(&project);
}

#[test]
fn tasks_that_lie_under_each_other_take_no_number_from_a_healthy_one() {
    let project = private();
    for (one, other) in [("parparp1", "parparp2"), ("parparp2", "parparp1")] {
        let text = format!("id = \"{one}\"\ntitle = \"{one}\"\nparent = \"{other}\"\nnumber = 1\n");
        project.write(&format!(".handoff/tasks/flat-{one}/task.toml"), text);
    }
    project.call("doctor --fix").run().succeeded();
    assert_eq!(number_of(&project, "k7f3q2ma"), "01");
    assert_eq!(number_of(&project, "m2x9a4te"), "01.1");
    assert_eq!(number_of(&project, "q4w8e2rt"), "02");
    healthy(&project);
}

#[test]
fn a_child_that_lost_its_parent_takes_no_number_at_the_top() {
    let project = private();
    project.write(".handoff/tasks/12-todo--lost/12.1-todo--kid/task.toml", "id = \"kidkidk1\"\ntitle = \"Kid\"\n");
    project.call("doctor --fix").run().succeeded();
    assert_eq!(number_of(&project, "k7f3q2ma"), "01");
    assert_eq!(number_of(&project, "kidkidk1"), "13");
    healthy(&project);
}

fn fixes(findings: &Value) -> Vec<(String, String, String)> {
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let all = findings.as_array().unwrap().iter();
    all.map(|finding| (text(finding, "kind"), text(finding, "path"), text(finding, "fix"))).collect()
}

#[test]
fn what_is_announced_is_what_happens_and_nothing_else_is_told() {
    let project = private();
    project.write(".handoff/tasks/12-todo--lost/12.1-todo--kid/task.toml", "id = \"kidkidk1\"\ntitle = \"Kid\"\n");
    project.write(".handoff/tasks/02-done--dup/task.toml", "id = \"dupdupd1\"\ntitle = \"Dup\"\n");
    let hidden = "id = \"seven777\"\ntitle = \"Sev\u{202e}en\"\ndescription = \"a\u{202e}b\"\n";
    project.write(".handoff/tasks/07-todo--seven/task.toml", hidden);
    let before = project.call("doctor --json").run().json();
    let planned = project.call("doctor --dry-run --json").run().json();
    let fixed = project.json("doctor --fix");
    assert_eq!(fixes(&before["findings"]), fixes(&planned["mended"]));
    assert_eq!(fixes(&before["findings"]), fixes(&fixed["mended"]));
    let told = fixes(&fixed["mended"]);
    assert!(told.iter().all(|(_, path, _)| !path.contains("202e") && !path.starts_with("tasks/12.1")), "{told:#?}");
    let same = told.iter().find(|(kind, ..)| kind == "same_number").unwrap();
    let number = number_of(&project, "dupdupd1");
    assert!(same.2.contains(&format!("the number {number};")), "{same:?} {number}");
    healthy(&project);
}

#[test]
fn a_file_that_is_missing_comes_back_as_the_log_has_it() {
    let project = private();
    let id = created(&project, "Gone");
    let number = number_of(&project, &id);
    let file = format!(".handoff/tasks/{number}-todo--gone/task.toml");
    let text = project.file(&file);
    project.remove(&file);
    project.write(&format!(".handoff/tasks/{number}-todo--gone/sketch.txt"), "mine");
    let finding = told(&project, "orphan", &format!("tasks/{number}-todo--gone"), None);
    assert!(finding["fix"].as_str().unwrap().starts_with("restored as it was in the log"), "{finding:#}");
    project.call("doctor --fix").run().succeeded();
    assert_eq!(project.file(&file), text);
    healthy(&project);
}

#[test]
fn a_directory_left_behind_by_a_deleted_task_is_no_lost_task() {
    let project = private();
    let id = created(&project, "Gone");
    let number = number_of(&project, &id);
    project.call(&format!("task delete {id}")).run().succeeded();
    project.write(&format!(".handoff/tasks/{number}-todo--gone/sketch.txt"), "mine");
    project.call("doctor --fix").run().succeeded();
    assert!(!project.exists(&format!(".handoff/tasks/{number}-todo--gone")));
}

#[test]
fn at_the_end_of_all_numbers_nothing_is_given_twice() {
    let project = private();
    project.write(".handoff/local/state/numbers", "\n- 999999999\n");
    project.call("task create 'One more'").run().failed(4).says("no number is left");
    for (id, title) in [("lastlas1", "One"), ("lastlas2", "Other")] {
        let dir = format!("999999999-todo--{}", title.to_lowercase());
        project.write(&format!(".handoff/tasks/{dir}/task.toml"), format!("id = \"{id}\"\ntitle = \"{title}\"\n"));
    }
    let finding = told(&project, "same_number", "tasks/999999999-todo--other/task.toml", None);
    assert!(finding["advice"].as_str().unwrap().contains("used up"), "{finding:#}");
}

#[test]
fn what_the_doctor_did_reads_as_what_it_is() {
    let project = private();
    let file = project.task_file("k7f3q2ma");
    project.edit(&file, "title = \"Implement auth\"", "<<<<<<< a\ntitle = \"A\"\n=======\ntitle = \"B\"\n>>>>>>> b");
    project.edit(&project.task_file("m2x9a4te"), "Design schema", "Design\u{202e} schema");
    project.write(".handoff/tasks/02-todo--dup/task.toml", "id = \"dupdupd1\"\ntitle = \"Dup\"\n");
    project.write(".handoff/tasks/05-todo--lost/sketch.txt", "mine");
    project.call("doctor --fix").run().succeeded();
    let log = project.call("log -n 1").run();
    log.says("made readable again").says("title with hidden characters written out");
    log.says("Dup gets the number 3 instead of 2").says("moved into the backup").hides("created").hides("moved under");
}
