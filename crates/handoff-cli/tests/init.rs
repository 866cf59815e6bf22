//! `handoff init`: what it makes, what it says, and what it never does.

use handoff_testkit::{Tree, empty_directory, project};

#[test]
fn a_private_project_is_invisible_to_git() {
    let project = empty_directory!();
    project.call("init my-app").run().succeeded().says("It is private");
    assert_eq!(project.file(".handoff/.gitignore"), "*\n");
    assert!(project.file(".handoff/config.toml").contains("task_dirs = \"status\""));
    assert_eq!(project.json("task list")["tasks"], serde_json::json!([]));
}

#[test]
fn a_shared_project_hides_only_what_belongs_to_this_machine() {
    let project = empty_directory!();
    project.call("init my-app --shared").run().succeeded().says("It is shared: commit .handoff/");
    assert_eq!(project.file(".handoff/.gitignore"), "local/\nPAUSE\ncurrent-state.md\n");
    project.handoff("task create 'Implement auth'");
    assert!(project.exists(".handoff/tasks/implement-auth-vw29cdah/task.toml"), "{}", project.tree(".handoff"));
}

#[test]
fn the_answer_for_programs_says_the_same() {
    let project = empty_directory!();
    insta::assert_snapshot!(project.json("init my-app"), @r#"{"name":"my-app","directory":".handoff","shared":false,"message":"project `my-app` is ready in .handoff"}"#);
}

#[test]
fn a_description_is_kept_as_it_was_given() {
    let project = empty_directory!();
    project.call("init my-app --description").word("Two lines,\n\"quoted\" \\ slashed").run().succeeded();
    let config = project.file(".handoff/config.toml");
    assert!(config.contains("Two lines,\n\"quoted\" \\ slashed"), "{config}");
    project.call("task create A").run().succeeded();
}

#[test]
fn without_a_name_the_directory_gives_it() {
    let project = empty_directory!();
    project.call("init").run().succeeded().says("project `my-app` is ready");
}

#[test]
fn saying_it_twice_is_an_error_that_changes_nothing() {
    let project = project!().task("k7f3q2ma", |task| task.title("Implement auth"));
    let before = project.records();
    project.call("init other").run().failed(4).says("already is a handoff project").says("hint: ");
    project.call("init other --shared").run().failed(4);
    project.records().assert_same(&before, "it changed");
}

#[test]
fn what_lies_in_the_directory_already_is_kept() {
    let project = empty_directory!();
    project.write(".handoff/notes.txt", "mine");
    project.write(".handoff/.gitignore", "# mine\n");
    project.write(".handoff/tasks/01-todo--old/task.toml", "id = \"aaaaaaaa\"\ntitle = \"Old\"\n");
    project.call("init my-app").run().succeeded();
    assert_eq!(project.file(".handoff/notes.txt"), "mine");
    assert_eq!(project.file(".handoff/.gitignore"), "# mine\n");
    project.call("task list").run().succeeded().says("01 Old");
}

#[test]
fn the_home_directory_is_never_a_project() {
    let project = empty_directory!();
    let before = Tree::of(&project.home());
    project.call("init").within("../../home").run().failed(4).says("it is the home directory");
    project.call("init --project-dir ../../home").run().failed(4).says("it is the home directory");
    Tree::of(&project.home()).assert_same(&before, "it changed");
}

#[test]
fn a_project_made_in_the_home_directory_by_another_tool_is_not_used() {
    let project = empty_directory!();
    project.write("../../home/.handoff/config.toml", "[project]\nname = \"other tool\"\n");
    project.write("../../home/.handoff/handoff.db", "not ours");
    let before = project.outside();
    project.call("task create X").within("../../home").run().succeeded().says("this is your user store");
    project.call("task create X --project-dir ../../home").run().failed(4);
    project.call("task create X").env("HANDOFF_PROJECT_DIR", project.home()).run().failed(4);
    project.call("task create X").env("CLAUDE_PROJECT_DIR", project.home()).run().says("this is your user store");
    project.assert_untouched(&before);
}

#[test]
fn a_project_inside_another_is_made_with_a_warning() {
    let project = project!();
    project.make_directory("part");
    let answer = project.call("init").within("part").run();
    answer.succeeded().says("warning: this project lies inside another one, [project]");
    project.call("task create Inner").within("part").run().succeeded();
    project.call("task list").run().says("no tasks yet");
    project.call("task list").within("part").run().says("01 Inner");
}

#[test]
fn naming_the_handoff_directory_itself_means_the_project_around_it() {
    let project = empty_directory!();
    project.call("init --project-dir .handoff").run();
    assert!(!project.exists(".handoff/.handoff"), "{}", project.tree("."));
    let project = project!();
    project.call("init --project-dir .handoff").run().failed(4);
    project.call("init").within(".handoff").run().failed(4);
    assert!(!project.exists(".handoff/.handoff"), "{}", project.tree(".handoff"));
}

#[test]
fn a_directory_that_is_not_there_is_not_made() {
    let project = empty_directory!();
    let before = project.outside();
    project.call("init --project-dir nowhere").run().failed(3).says("nowhere");
    project.write("file", "x");
    project.call("init --project-dir file").run().failed(2).says("`file` is not a directory");
    project.remove("file");
    project.assert_untouched(&before);
}

#[test]
fn any_name_that_is_one_line_of_text_is_a_name() {
    for name in ["a b", "naïve", "名前", "a\"b", "a'b", "CON", "../../etc", "[x] = 1", "#x", "--x", "🏴 flag"] {
        let project = empty_directory!();
        project.call("init --").word(name).run().succeeded().says(&format!("project `{name}` is ready"));
        assert_eq!(project.json("project list")["projects"][0]["name"], name);
        project.call("task create A").run().succeeded();
    }
}

#[test]
fn a_name_that_could_disguise_itself_is_refused_and_nothing_is_made() {
    let project = empty_directory!();
    let long = "x".repeat(101);
    for name in ["", "   ", "a\nb", "a\u{1b}[31mb", "a\u{202e}b", "a\u{e0041}b", &long] {
        project.call("init").word(name).run().failed(2);
    }
    assert!(!project.exists(".handoff"));
}

#[test]
fn a_directory_whose_name_cannot_be_a_name_becomes_project() {
    let project = empty_directory!();
    for directory in ["two\nlines", "\u{202e}reversed"] {
        project.make_directory(directory);
        project.call("init").within(directory).run().succeeded().says("project `project` is ready");
        project.call("task create A").within(directory).run().succeeded();
    }
    assert_eq!(project.json("project list")["projects"].as_array().map(Vec::len), Some(2));
}

#[cfg(unix)]
mod on_unix {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::*;

    #[test]
    fn a_directory_whose_name_is_not_utf8_can_be_a_project() {
        let project = empty_directory!();
        let directory = Path::new(OsStr::from_bytes(b"caf\xe9"));
        std::fs::create_dir(project.path(directory)).unwrap();
        project.call("init").within(directory).run().succeeded();
        project.call("task create A").within(directory).run().succeeded();
        project.call("task list").within(directory).run().succeeded().says("01 A");
        project.call("project list").run().succeeded();
    }

    #[test]
    fn a_file_in_its_place_is_refused_and_kept() {
        let project = empty_directory!();
        project.write(".handoff", "mine");
        project.call("init").run().failed(1).says("cannot use [project]/.handoff: it is not a directory");
        assert_eq!(project.file(".handoff"), "mine");
        project.call("task create X").run().succeeded().says("this is your user store");
    }

    #[test]
    fn a_link_in_its_place_is_refused_and_named_as_what_it_is() {
        let project = empty_directory!();
        project.make_directory("../../outside/store");
        symlink("../../outside/store", project.path(".handoff")).unwrap();
        let before = project.outside();
        project.call("init").run().failed(1).says("it is a symbolic link");
        project.assert_untouched(&before);

        project.write("../../outside/store/config.toml", "");
        let before = project.outside();
        project.call("task list").run().failed(1).says("symbolic link");
        project.call("task create X").run().failed(1).says("symbolic link");
        project.assert_untouched(&before);
    }

    #[test]
    fn a_link_to_nothing_is_not_filled() {
        let project = empty_directory!();
        symlink("../../outside/nothing", project.path(".handoff")).unwrap();
        let before = project.outside();
        project.call("init").run().failed(1).says("it is a symbolic link");
        project.assert_untouched(&before);
    }
}
