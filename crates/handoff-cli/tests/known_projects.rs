//! The registry of projects known on this machine.

use handoff_testkit::{empty_directory, project};
use serde_json::json;

#[test]
fn a_project_is_known_from_its_making_and_by_working_in_it() {
    let project = project!();
    insta::assert_snapshot!(project.handoff("project list"), @r"
    name    directory
    my-app  [project]
    ");
    project.handoff("project forget my-app");
    project.call("project list").run().succeeded().says("no project is known");
    // Copied from elsewhere, as by git: the first change makes it known.
    project.make_directory("../clone");
    project.copy(".handoff", "../clone/.handoff");
    project.call("task create A").within("../clone").run().succeeded();
    project.call("project list").run().says("[root]/work/clone");
}

#[test]
fn a_project_is_known_once_however_its_directory_was_written() {
    let project = project!();
    project.make_directory("../clone");
    project.copy(".handoff", "../clone/.handoff");
    for directory in ["../clone", "../../work/clone", "../clone/"] {
        project.call("task create A --project-dir").word(directory).run().succeeded();
    }
    project.call("task create A").within("../clone").run().succeeded();
    let listed = project.json("project list");
    let paths: Vec<_> = listed["projects"].as_array().into_iter().flatten().map(|known| &known["path"]).collect();
    assert_eq!(paths, ["[project]", "[root]/work/clone"]);
}

#[cfg(unix)]
#[test]
fn a_project_reached_through_a_link_is_the_same_project() {
    let project = project!();
    std::os::unix::fs::symlink("my-app", project.path("../alias")).unwrap();
    project.call("task create A --project-dir ../alias").run().succeeded();
    project.call("task list").within("../alias").run().succeeded().says("01 A");
    assert_eq!(project.json("project list")["projects"].as_array().map(Vec::len), Some(1));
}

#[test]
fn reading_makes_nothing_known() {
    let project = project!();
    project.handoff("project forget my-app");
    project.handoff("task list");
    project.call("project list").run().says("no project is known");
}

#[test]
fn a_project_that_is_gone_is_shown_as_gone() {
    let project = project!();
    project.rename(".handoff", ".elsewhere");
    let listed = project.json("project list");
    assert_eq!(listed, json!({"projects": [{"name": "my-app", "path": "[project]", "present": false}]}));
    project.call("project list").run().says("not there");
}

#[test]
fn a_project_is_forgotten_and_its_files_stay() {
    let project = project!();
    let before = project.tree(".handoff");
    project.call("project forget my-app").run().succeeded().says("its files stay in [project]");
    project.tree(".handoff").assert_same(&before, "it changed");
    project.call("project forget my-app").run().failed(3).says("hint: run `handoff project list`");
}

#[test]
fn a_project_is_forgotten_by_any_way_to_write_its_directory() {
    for written in [".", "../my-app", "./.handoff", "[absolute]", "[absolute]/", "../../work/my-app/.."] {
        let project = project!();
        project.make_directory("../second");
        project.call("init my-app --project-dir ../second").run().succeeded();
        let absolute = project.path(".").display().to_string();
        let directory = written.replace("[absolute]", &absolute);
        let directory = if written.ends_with("..") { format!("{directory}/second") } else { directory };
        project.call("project forget").word(&directory).run().succeeded();
        let left = project.json("project list")["projects"].as_array().map(Vec::len);
        assert_eq!(left, Some(1), "{directory}");
    }
}

#[test]
fn a_forgotten_project_is_known_again_when_it_is_worked_in() {
    let project = project!();
    project.handoff("project forget my-app");
    project.handoff("task create A");
    project.call("project list").run().says("my-app");
}

#[test]
fn a_wrong_name_is_answered_with_close_ones() {
    let project = project!();
    project.call("project forget my-ap").run().failed(3).says("close: my-app");
    for name in ["..", "/", "../../..", "a\nb"] {
        project.call("project forget --").word(name).run().failed(3);
    }
    assert_eq!(project.json("project list")["projects"].as_array().map(Vec::len), Some(1));
}

#[test]
fn no_name_at_all_forgets_nothing() {
    let project = project!();
    let answer = project.call("project forget").word("").run();
    assert!(answer.code == 2 || answer.code == 3, "{answer}");
    project.call("project list").run().says("my-app");
}

#[test]
fn one_name_for_two_projects_is_ambiguous() {
    let project = project!();
    project.make_directory("../second");
    project.call("init my-app --project-dir ../second").run().succeeded();
    let answer = project.call("project forget my-app").run();
    answer.failed(4).says("[project]\n").says("[root]/work/second\n").says("give the directory");
}

#[test]
fn a_damaged_registry_is_named_and_stops_no_work() {
    let project = project!();
    project.write("../../home/data/handoff/projects.toml", "projects = 5\n");
    project.call("project list").run().failed(6).says("projects.toml:1");
    project.remove(".handoff/local");
    project.call("task create A").run().succeeded().says("could not be noted in the registry");
    assert_eq!(project.file("../../home/data/handoff/projects.toml"), "projects = 5\n");
}

#[test]
fn comments_and_unknown_keys_in_the_registry_survive() {
    let project = empty_directory!();
    let registry = "../../home/data/handoff/projects.toml";
    project.write(registry, "# mine\nfuture = true\n\n[[projects]]\nname = \"a\"\npath = \"/a\"\ncolor = \"red\"\n");
    project.call("init my-app").run().succeeded();
    let text = project.file(registry);
    assert!(text.contains("# mine\nfuture = true\n") && text.contains("color = \"red\""), "{text}");
    assert_eq!(project.json("project list")["projects"].as_array().map(Vec::len), Some(2));
}
