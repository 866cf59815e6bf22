//! Which project a command is about.

use handoff_testkit::{TestProject, empty_directory, project};

/// A second project beside the first, with one task that names it.
fn with_other(project: &TestProject) {
    project.make_directory("../other");
    project.call("init other").within("../other").run().succeeded();
    project.call("task create 'In the other'").within("../other").run().succeeded();
}

#[test]
fn a_project_is_found_from_a_directory_inside_it() {
    let project = project!().task("k7f3q2ma", |task| task.title("Implement auth"));
    project.make_directory("src/deep/down");
    project.call("task list").within("src/deep/down").run().succeeded().says("01 Implement auth");
    project.call("task create New").within("src/deep").run().succeeded();
    assert!(project.exists(".handoff/tasks/02-todo--new/task.toml"));
    project.call("task list").within(".handoff/tasks").run().succeeded().says("01 Implement auth");
}

#[test]
fn the_flag_beats_both_variables_and_those_beat_the_working_directory() {
    let project = project!().task("k7f3q2ma", |task| task.title("In the first"));
    with_other(&project);
    let other = project.path("../other");
    project.call("task list --project-dir ../other").run().says("In the other");
    project.call("task list --project-dir=../other/.handoff").run().says("In the other");
    project.call("task list").env("HANDOFF_PROJECT_DIR", &other).run().says("In the other");
    project.call("task list").env("HANDOFF_PROJECT_DIR", "../other").run().says("In the other");
    project.call("task list").env("CLAUDE_PROJECT_DIR", &other).run().says("In the other");
    let both =
        project.call("task list").env("CLAUDE_PROJECT_DIR", &other).env("HANDOFF_PROJECT_DIR", project.path("."));
    both.run().says("In the first");
    let all =
        project.call("task list --project-dir .").env("CLAUDE_PROJECT_DIR", &other).env("HANDOFF_PROJECT_DIR", &other);
    all.run().says("In the first");
}

#[test]
fn a_placeholder_that_nobody_filled_in_counts_as_absent() {
    let project = project!().task("k7f3q2ma", |task| task.title("Implement auth"));
    for value in ["${CLAUDE_PROJECT_DIR}", "${workspaceFolder}", ""] {
        project.call("task list").env("CLAUDE_PROJECT_DIR", value).run().succeeded().says("Implement auth");
        project.call("task list").env("HANDOFF_PROJECT_DIR", value).run().succeeded().says("Implement auth");
    }
    project.call("task list '--project-dir=${CLAUDE_PROJECT_DIR}'").run().succeeded().says("Implement auth");
    project.call("task list --project-dir=").run().failed(2);
}

#[test]
fn a_directory_of_claude_that_is_no_project_does_not_hide_the_one_around() {
    let project = project!().task("k7f3q2ma", |task| task.title("Implement auth"));
    project.call("task list").env("CLAUDE_PROJECT_DIR", project.home()).run().succeeded().says("Implement auth");
    project.call("task list").env("CLAUDE_PROJECT_DIR", "/nowhere").run().succeeded().says("Implement auth");
}

#[test]
fn a_named_directory_without_a_project_is_not_found_and_nothing_is_made() {
    let project = project!();
    project.make_directory("../plain");
    let before = project.outside();
    for line in ["task list", "task create X", "share", "task show 1"] {
        let answer = project.call(line).word("--project-dir").word("../plain").run();
        answer.failed(3).says("no handoff project in `").says("handoff init --project-dir");
        project.call(line).env("HANDOFF_PROJECT_DIR", project.path("../plain")).run().failed(3);
        project.call(line).word("--project-dir=/nowhere/at/all").run().failed(3);
    }
    project.assert_untouched(&before);
}

#[test]
fn the_hint_for_a_named_directory_is_a_command_that_works() {
    let project = empty_directory!();
    let answer = project.call("task list --project-dir .").run();
    answer.failed(3).says("no handoff project in `.`").says("run `handoff init --project-dir .`");
    project.call("init --project-dir .").run().succeeded();
    project.make_directory("with blank");
    let answer = project.call("task list --project-dir 'with blank'").run();
    answer.failed(3).says("handoff init --project-dir 'with blank'");
}

#[test]
fn outside_any_project_reading_says_how_to_start() {
    let project = empty_directory!();
    insta::assert_snapshot!(project.handoff("task list"), @r"
    error: no handoff project here or in a directory above, and nothing in your user store
    hint: run `handoff init`
    [exit 3]
    ");
    assert!(!project.exists("../../home/data"), "reading leaves no traces");
}

#[test]
fn outside_any_project_writing_goes_to_the_user_store_and_says_so() {
    let project = empty_directory!();
    insta::assert_snapshot!(project.handoff("task create 'Buy milk'"), @r"
    ✓ created 01 Buy milk  todo  zdxvs802
    warning: no project here: this is your user store, [home]/data/handoff; `handoff init` makes a project
    ");
    assert!(project.exists("../../home/data/handoff/tasks/01-todo--buy-milk/task.toml"));
    assert!(!project.exists(".handoff"));
    project.call("task list").run().succeeded().says("01 Buy milk").says("this is your user store");
    let warnings = project.json("task list")["warnings"].clone();
    assert!(warnings[0].as_str().unwrap().contains("this is your user store"), "{warnings}");
    project.call("share").run().failed(4).says("only a project can be shared");
    project.call("unshare").run().failed(4);
}

#[test]
fn the_user_store_can_be_put_elsewhere() {
    let project = empty_directory!();
    project.call("task create X").env("HANDOFF_HOME", project.path("../../elsewhere")).run().succeeded();
    assert!(project.exists("../../elsewhere/tasks/01-todo--x/task.toml"));
    project.call("task create X").env("XDG_DATA_HOME", "relative/paths/count/as/absent").run().succeeded();
    assert!(
        project.exists("../../home/.local/share/handoff/tasks/01-todo--x/task.toml") || cfg!(not(target_os = "linux"))
    );
}

#[test]
fn without_a_home_projects_work_and_the_user_store_is_missed_with_a_reason() {
    let project = project!();
    let homeless = |line: &str| {
        project.call(line).without("HOME").without("XDG_DATA_HOME").without("XDG_CONFIG_HOME").without("USER").run()
    };
    homeless("task create 'Implement auth'").succeeded();
    homeless("task list").succeeded().says("01 Implement auth");
    homeless("share").succeeded();
    homeless("project list").failed(1).says("set HOME or HANDOFF_HOME");
    project.make_directory("../fresh");
    homeless("init --project-dir ../fresh").succeeded();
    let lost = project.call("task create X").within("../../outside").without("HOME").without("XDG_DATA_HOME").run();
    lost.failed(1).says("set HOME or HANDOFF_HOME").says("handoff init");
}

#[test]
fn a_home_that_is_not_there_or_not_writable_costs_only_the_registry() {
    let project = project!();
    for home in ["/nowhere", "/dev/null", "relative", ""] {
        let call = project.call("task create A").env("HOME", home).without("XDG_DATA_HOME").without("XDG_CONFIG_HOME");
        call.run().succeeded();
    }
    assert_eq!(project.json("task list")["matches"], 4);
    assert!(!project.exists("relative"));
}

#[test]
fn without_git_everything_works() {
    let project = project!();
    project.call("task create A").without("PATH").run().succeeded();
    project.call("share").without("PATH").run().succeeded();
    project.call("task list").without("PATH").run().succeeded().says("01 A");
}

#[test]
fn a_linked_work_tree_inside_the_main_checkout_is_a_checkout_of_its_own() {
    let project = project!().task("k7f3q2ma", |task| task.title("Of the main checkout"));
    let git = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"];
        let output = std::process::Command::new("git")
            .args(identity)
            .args(words)
            .current_dir(project.path("."))
            .env("HOME", project.home())
            .output();
        output.is_ok_and(|output| output.status.success())
    };
    if !(git("init -q") && git("commit -q --allow-empty -m x") && git("worktree add -q trees/topic -b topic")) {
        eprintln!("skipped: git is not there");
        return;
    }
    project.call("task list").within("trees/topic").run().failed(3);
    project.call("resume").within("trees/topic").run().succeeded().says("the main work tree has one");
    project.call("init topic").within("trees/topic").run().succeeded();
    project.make_directory("trees/topic/src");
    project.call("task create 'Of the work tree'").within("trees/topic/src").run().succeeded();
    project.call("task list").within("trees/topic/src").run().says("Of the work tree").hides("Of the main checkout");
    project.call("task list").within("trees").run().says("Of the main checkout").hides("Of the work tree");
}

#[test]
fn a_submodule_belongs_to_the_project_around_it() {
    let project = project!().task("k7f3q2ma", |task| task.title("Implement auth"));
    project.write("vendor/lib/.git", "gitdir: ../../.git/modules/lib\n");
    project.call("task list").within("vendor/lib").run().succeeded().says("Implement auth");
}

#[test]
fn a_working_directory_that_was_deleted_is_an_error_unless_a_project_is_named() {
    let project = project!().task("k7f3q2ma", |task| task.title("Implement auth"));
    project.make_directory("gone");
    let program = env!("CARGO_BIN_EXE_handoff");
    let script = format!("rmdir ../gone && {program} task list; echo \"[exit $?]\"");
    let run = |script: &str| {
        project.make_directory("gone");
        let output = std::process::Command::new("sh").arg("-c").arg(script).current_dir(project.path("gone")).output();
        let output = output.unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    };
    let text = run(&script);
    assert!(text.contains("[exit 1]") && text.contains("working directory does not exist"), "{text}");
    let named = format!("rmdir ../gone && {program} task list --project-dir {}", project.path(".").display());
    assert!(run(&named).contains("01 Implement auth"));
}
