//! `handoff config`: which value counts, where it comes from, and changing it.

use handoff_testkit::{TestProject, empty_directory, project};
use serde_json::{Value, json};

const USER: &str = "../../home/config/handoff/config.toml";

fn value(project: &TestProject, key: &str) -> Value {
    project.json(&format!("config get {key}"))["settings"][0]["value"].clone()
}

/// A project whose file says nothing, so that the other layers show.
fn silent() -> TestProject {
    let project = project!();
    project.write(".handoff/config.toml", "");
    project
}

#[test]
fn a_setting_is_read_changed_and_cleared() {
    let project = project!();
    insta::assert_snapshot!(project.handoff("config get settings.budget_tokens"), @"2000");
    insta::assert_snapshot!(project.handoff("config set settings.budget_tokens 3000"), @r"
    ✓ `settings.budget_tokens` is set in .handoff/config.toml
    - settings.budget_tokens: 2000 → 3000  (.handoff/config.toml:14)
    ");
    assert_eq!(value(&project, "settings.budget_tokens"), 3000);
    project.call("config set settings.budget_tokens 3000").run().succeeded().says("nothing to change");
    project.call("config set settings.budget_tokens none").run().succeeded();
    assert_eq!(value(&project, "settings.budget_tokens"), 2000, "the default counts again");
    assert!(!project.file(".handoff/config.toml").contains("\nbudget_tokens ="));
}

#[test]
fn each_layer_counts_before_the_one_below() {
    let project = silent();
    let key = "settings.done_task_limit";
    assert_eq!(value(&project, key), 10);
    project.call("config set --user settings.done_task_limit 7").run().succeeded();
    assert_eq!(value(&project, key), 7);
    project.call("config set settings.done_task_limit 5").run().succeeded();
    assert_eq!(value(&project, key), 5);
    let by_variable =
        project.call("config get settings.done_task_limit --json").env("HANDOFF_SETTINGS_DONE_TASK_LIMIT", "3");
    assert_eq!(by_variable.run().succeeded().json()["settings"][0]["value"], 3);
    let explained =
        project.call("config explain settings.done_task_limit").env("HANDOFF_SETTINGS_DONE_TASK_LIMIT", "3").run();
    explained
        .says("3")
        .says("HANDOFF_SETTINGS_DONE_TASK_LIMIT")
        .says(".handoff/config.toml:")
        .says("[home]/config/handoff/config.toml:");
}

#[test]
fn settings_have_an_effect() {
    let project = silent();
    for _ in 0..4 {
        project.handoff("task create X --status done");
    }
    let hidden = |project: &TestProject| project.json("task list")["hidden_finished"].clone();
    assert_eq!(hidden(&project), json!(0));
    project.handoff("config set --user settings.done_task_limit 3");
    assert_eq!(hidden(&project), json!(1));
    project.handoff("config set settings.done_task_limit 1");
    assert_eq!(hidden(&project), json!(3));
    let call = project.call("task list --json").env("HANDOFF_SETTINGS_DONE_TASK_LIMIT", "2");
    assert_eq!(call.run().json()["hidden_finished"], 2);
    project.handoff("config set --user user.name bob");
    project.handoff("task note 1 hello");
    assert_eq!(project.json("task show 1")["notes"][0]["by"], "bob");
}

#[test]
fn a_setting_of_the_user_counts_in_a_new_project() {
    let project = empty_directory!();
    project.call("config set --user settings.done_task_limit 3").run().succeeded();
    project.call("init my-app").run().succeeded();
    assert_eq!(value(&project, "settings.done_task_limit"), 3, "{}", project.file(".handoff/config.toml"));
}

#[test]
fn a_setting_given_with_a_command_counts_for_that_command_alone() {
    let project = silent();
    for _ in 0..3 {
        project.handoff("task create X --status done");
    }
    let before = project.records();
    assert_eq!(project.json("task list --set settings.done_task_limit=1")["hidden_finished"], 2);
    let call =
        project.call("task list --json --set settings.done_task_limit=1").env("HANDOFF_SETTINGS_DONE_TASK_LIMIT", "2");
    assert_eq!(call.run().succeeded().json()["hidden_finished"], 2, "it counts before the variable");
    assert_eq!(project.json("task list")["hidden_finished"], 0);
    for wrong in
        ["settings.done_task_limit=x", "settings.done_task_limit", "=1", "bogus=1", "settings.task_dirs=stable", ""]
    {
        let answer = project.call("task list --set").word(wrong).run();
        assert!([2, 3, 4].contains(&answer.code), "{wrong}: {answer}");
    }
    project.records().assert_same(&before, "nothing is written down");
}

#[test]
fn comments_and_unknown_keys_survive_a_change() {
    let project = project!();
    let text = "# mine\n[settings]\nbudget_tokens = 500 # tight\nfuture = { kept = true }\n\n[other]\nx = 1\n";
    project.write(".handoff/config.toml", text);
    project.call("config set settings.budget_tokens 600").run().succeeded();
    assert_eq!(project.file(".handoff/config.toml"), text.replace("500", "600"));
    project.call("config set settings.budget_tokens 500").run().succeeded();
    assert_eq!(project.file(".handoff/config.toml"), text);
}

#[test]
fn every_value_is_checked_before_anything_is_written() {
    let project = project!();
    let before = project.records();
    for (key, wrong) in [
        ("settings.budget_tokens", "x"),
        ("settings.budget_tokens", "99"),
        ("settings.budget_tokens", "1.5"),
        ("settings.budget_tokens", ""),
        ("settings.done_task_limit", "-1"),
        ("settings.done_task_limit", "99999999999999999999"),
        ("settings.auto_git_summary", "maybe"),
        ("settings.ai_estimate_multiplier", "nan"),
        ("settings.ai_estimate_multiplier", "inf"),
        ("settings.context_files", "../x"),
        ("layers.mirror", "../../x"),
        ("layers.mirror", "/etc"),
        ("layers.mirror", ".handoff/tasks"),
        ("project.name", "a\u{1b}b"),
        ("project.name", "a\nb"),
        ("project.description", "a\u{202e}b"),
        ("calendar.closed_dates", "2026-02-30"),
        ("calendar.closed_weekdays", "someday"),
        ("milestones.beta.date", "2026-02-30"),
        ("assignees.bob.color", "red"),
        ("effort_budget.total_hours", "-1"),
    ] {
        let answer = project.call("config set --").word(key).word(wrong).run();
        answer.failed(2).says(key).says("hint: run `handoff config explain");
        let user = project.call("config set --user --").word(key).word(wrong).run();
        assert!([2, 4].contains(&user.code), "{key}: {user}");
    }
    project.records().assert_same(&before, "a wrong value was written");
    assert!(!project.exists(USER));
}

#[test]
fn several_settings_change_together_or_not_at_all() {
    let project = project!();
    let before = project.records();
    let request = json!({"updates": {"settings.budget_tokens": 3000, "settings.done_task_limit": "many"}});
    project.call("config set").request(&request).run().failed(2).says("settings.done_task_limit");
    project.records().assert_same(&before, "half of it was written");
    let request =
        json!({"updates": {"settings.budget_tokens": 3000, "settings.done_task_limit": null, "labels": ["a"]}});
    project.call("config set").request(&request).run().succeeded();
    assert_eq!(value(&project, "settings.budget_tokens"), 3000);
    assert_eq!(value(&project, "settings.done_task_limit"), 10);
    assert_eq!(value(&project, "labels"), json!(["a"]));
}

#[test]
fn an_unknown_key_is_not_found_with_close_ones() {
    let project = project!();
    for line in [
        "config get settings.budgt_tokens",
        "config set settings.budgt_tokens 5",
        "config explain settings.budgt_tokens",
    ] {
        project.call(line).run().failed(3).says("settings.budget_tokens");
    }
    for key in ["", ".", "..", "../x", "settings.", ".settings", "a\u{1b}b", "settings..x", "assignees..color"] {
        project.call("config set --").word(key).word("1").run().failed(3);
        project.call("config get --").word(key).run().failed(3);
    }
}

#[test]
fn the_layout_is_changed_only_with_the_directories() {
    let project = project!().task("aaaaaaaa", |task| task);
    let before = project.records();
    project.call("config set settings.task_dirs stable").run().failed(4).says("handoff share");
    project.call("config set settings.task_dirs none").run();
    project.call("config set --user settings.task_dirs stable").run().failed(4);
    project.records().assert_same(&before, "the layout was changed alone");
    project.call("task list").env("HANDOFF_SETTINGS_TASK_DIRS", "stable").run().succeeded();
    project.call("task create X").env("HANDOFF_SETTINGS_TASK_DIRS", "stable").run().succeeded();
    assert!(project.exists(".handoff/tasks/02-todo--x/task.toml"), "a variable cannot mix the layouts");
}

#[test]
fn a_variable_that_makes_no_sense_is_told_and_does_not_count() {
    let project = silent();
    let call = project.call("config get settings.budget_tokens").env("HANDOFF_SETTINGS_BUDGET_TOKENS", "abc").run();
    call.succeeded().says("2000").says("warning: $HANDOFF_SETTINGS_BUDGET_TOKENS");
    let call = project.call("config get settings.budget_tokens").env("HANDOFF_SETTINGS_BUDGT_TOKENS", "5").run();
    call.succeeded().says("HANDOFF_SETTINGS_BUDGET_TOKENS");
}

#[test]
fn a_damaged_file_is_read_as_far_as_it_goes_and_never_overwritten() {
    for text in ["garbage = = =\n", "<<<<<<< HEAD\n[settings]\n=======\n[x]\n>>>>>>> t\n"] {
        let project = project!();
        project.write(".handoff/config.toml", text);
        project.call("config get settings.budget_tokens").run().succeeded().says("2000").says("config.toml:1");
        project.call("config set settings.budget_tokens 400").run().failed(6).says("config.toml:1");
        assert_eq!(project.file(".handoff/config.toml"), text);
        project.write(USER, text);
        project.call("config get settings.budget_tokens").run().succeeded().says("2000");
        project.call("config set --user settings.budget_tokens 400").run().failed(6);
        project.call("task create X").run().succeeded();
        assert_eq!(project.file(USER), text);
    }
    let project = silent();
    project.write(USER, "[settings]\nbudget_tokens = \"x\"\ndone_task_limit = 4\n");
    assert_eq!(value(&project, "settings.done_task_limit"), 4, "one odd value disables nothing else");
    project.call("config get settings.budget_tokens").run().says("2000").says("config.toml:2");
}

#[test]
fn a_change_is_made_only_at_the_revision_the_caller_saw() {
    let project = project!();
    let rev = project.json("config get")["rev"].as_str().expect("there is a revision").to_owned();
    project.call(&format!("config set settings.budget_tokens 400 --if-rev {rev}")).run().succeeded();
    project
        .call(&format!("config set settings.budget_tokens 500 --if-rev {rev}"))
        .run()
        .failed(4)
        .says("changed meanwhile");
    assert_eq!(value(&project, "settings.budget_tokens"), 400);
}

#[test]
fn every_setting_can_be_explained() {
    let project = project!();
    let explained = project.json("config explain");
    let settings = explained["settings"].as_array().expect("a list").len();
    assert!(settings > 20, "{explained:#}");
    insta::assert_snapshot!(project.handoff("config explain settings.done_task_limit"), @r"
    settings.done_task_limit
    Finished tasks shown in a list; the rest are counted

    value:    10
    from:     default
    takes:    whole number: 0 to 100000
    default:  10
    variable: HANDOFF_SETTINGS_DONE_TASK_LIMIT
    ");
}

#[test]
fn outside_a_project_the_users_own_settings_are_changed() {
    let project = empty_directory!();
    project.call("config get settings.budget_tokens").run().succeeded().says("2000");
    assert!(!project.exists("../../home/config") && !project.exists("../../home/data"), "reading leaves no traces");
    project.call("config set --user settings.budget_tokens 400").run().succeeded();
    assert_eq!(project.file(USER), "[settings]\nbudget_tokens = 400\n");
    assert_eq!(value(&project, "settings.budget_tokens"), 400);
}

#[test]
fn a_time_zone_must_exist() {
    let project = project!();
    project.call("config set calendar.time_zone Europe/Berlin").run().succeeded();
    project.call("config set calendar.time_zone Nowhere/Zone").run().failed(2).says("Nowhere/Zone");
}

#[cfg(unix)]
mod on_unix {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_fifo_in_the_place_of_the_users_file_makes_nothing_hang() {
        let project = project!();
        project.make_directory("../../home/config/handoff");
        let made = Command::new("mkfifo").arg(project.path(USER)).status();
        assert!(made.is_ok_and(|status| status.success()));
        project.call("task list").run().succeeded();
        project.call("task create X").run().succeeded();
        project.call("config get settings.budget_tokens").run().says("2000");
    }

    #[test]
    fn a_directory_in_the_place_of_the_users_file_stops_no_work() {
        let project = project!();
        project.make_directory(USER);
        project.call("task create X").run().succeeded();
        project.call("task list").run().succeeded().says("01 X");
    }

    #[test]
    fn a_link_that_the_user_made_is_followed_and_not_replaced() {
        // People keep their own files in one place and link to them.
        let project = project!();
        project.write("../../home/dotfiles/handoff.toml", "[settings]\nlock_wait_seconds = 3\n");
        project.make_directory("../../home/config/handoff");
        symlink("../../dotfiles/handoff.toml", project.path(USER)).unwrap();
        assert_eq!(value(&project, "settings.lock_wait_seconds"), 3);
        project.call("config set --user settings.lock_wait_seconds 4").run();
        assert!(project.path(USER).is_symlink());
    }
}
