//! The brake: `pause`, `unpause`, and whatever is called `PAUSE`.

use std::fs::{self, File};

use handoff_testkit::{Agent, TestProject, empty_directory, project, sample_project};
use serde_json::json;

const USER: &str = "../../home/config/handoff/PAUSE";
const AGENT_HANDOVER: &str = "../../home/.agent_handover/PAUSE";

/// Which pauses are in force, as the answer of a command tells.
fn places(project: &TestProject, line: &str) -> Vec<String> {
    let answer = project.json(line);
    let pauses = answer["pauses"].as_array().expect("a list");
    assert_eq!(answer["paused"], !pauses.is_empty(), "{answer:#}");
    pauses.iter().map(|pause| pause["place"].as_str().expect("a word").to_owned()).collect()
}

#[test]
fn a_pause_says_who_why_and_since_when_and_is_lifted_again() {
    let project = project!();
    let paused = project.json("pause --reason 'release in progress' --as alice");
    assert_eq!(paused["paused"], true, "{paused:#}");
    let pause = &paused["pauses"][0];
    assert_eq!(
        (&pause["place"], &pause["file"], &pause["reason"], &pause["by"]),
        (&json!("project"), &json!(".handoff/PAUSE"), &json!("release in progress"), &json!("alice"))
    );
    let text = project.file(".handoff/PAUSE");
    let since = pause["since"].as_str().unwrap();
    assert_eq!(text, format!("release in progress\nby alice, {since}\n"));
    let refused = project.call("task create X").run();
    refused.failed(5).says("writing is paused: release in progress").says("by alice since").says("handoff unpause");
    refused.says("remove `.handoff/PAUSE`");
    project.call("unpause").run().succeeded().says("writing goes on");
    assert!(!project.exists(".handoff/PAUSE"));
    project.call("task create X").run().succeeded();
    project.call("unpause").run().succeeded().says("nothing is paused");
}

#[test]
fn a_pause_that_is_there_gets_a_reason_only_if_one_is_given_and_keeps_who_paused() {
    let project = project!();
    project.call("pause --reason first --as alice").run().succeeded();
    let first = project.file(".handoff/PAUSE");
    for line in ["pause", "pause --reason ''", "pause --reason '  '"] {
        project.call(line).run().succeeded().says("was already paused");
        assert_eq!(project.file(".handoff/PAUSE"), first, "{line}");
    }
    project.call("pause --reason second --as codex").run().succeeded();
    assert_eq!(project.file(".handoff/PAUSE"), first.replace("first", "second"), "the brake stays alice's");
    let long = "x".repeat(10_000);
    let call = project.call("pause").word("--reason").word(format!("two\nlines\u{1b}[31m {long}"));
    call.run().succeeded();
    let text = project.file(".handoff/PAUSE");
    assert!(text.starts_with("two lines [31m xxx") && text.len() < 500 && text.lines().count() == 2, "{text}");
    assert_eq!(project.tree(".handoff").files().iter().filter(|file| file.contains("PAUSE")).count(), 1);
}

#[test]
fn three_places_pause_and_each_is_lifted_by_itself_or_all_at_once() {
    let project = project!();
    project.call("pause --user --reason 'on holiday'").run().succeeded().says("all your projects");
    assert!(project.file(USER).starts_with("on holiday\nby "));
    project.write(AGENT_HANDOVER, "");
    assert_eq!(places(&project, "pause --reason here"), ["project", "user", "agent_handover"]);
    let refused = project.call("task create X").run();
    refused
        .failed(5)
        .says("writing is paused in 3 places")
        .says("on holiday")
        .says("here")
        .says(".agent_handover/PAUSE");
    refused.says("handoff unpause --all");
    assert_eq!(places(&project, "unpause"), ["user", "agent_handover"]);
    let still = project.call("unpause").run();
    still.succeeded().says("nothing was lifted").says("still paused").says("handoff unpause --user");
    assert_eq!(places(&project, "unpause --user"), ["agent_handover"]);
    project.call("task create X").run().failed(5).says("handoff unpause --all");
    assert!(places(&project, "unpause --all").is_empty());
    assert!(!project.exists(AGENT_HANDOVER) && !project.exists(USER));
    project.call("pause").run().succeeded();
    project.call("pause --user").run().succeeded();
    assert_eq!(places(&project, "unpause --user"), ["project"], "the project's stays");
    assert!(places(&project, "unpause --all").is_empty());
    project.call("task create X").run().succeeded();
}

#[test]
fn outside_any_project_a_pause_is_the_users() {
    let nowhere = empty_directory!();
    nowhere.call("pause").run().failed(3).says("no handoff project").says("handoff pause --user");
    nowhere.call("unpause").run().succeeded().says("nothing is paused");
    let before = nowhere.tree("../..");
    nowhere.call("pause --user --reason away").run().succeeded();
    for line in ["init", "store --name note", "save X --next Y", "keys new", "setup claude-code --yes"] {
        nowhere
            .call(line)
            .stdin("hello")
            .run()
            .failed(5)
            .says("writing is paused: away")
            .says("handoff unpause --user");
    }
    nowhere.call("setup claude-code --yes --dry-run").run().succeeded();
    nowhere.call("list").run();
    nowhere.call("unpause").run().succeeded().says("still paused").says("--user");
    nowhere.call("unpause --user").run().succeeded();
    assert_eq!(nowhere.tree("../..").files(), before.files(), "nothing was written meanwhile");
}

#[test]
fn where_user_store_and_settings_share_a_directory_one_pause_speaks_for_both() {
    let project = project!();
    let call = |line: &str| project.call(line).env("HANDOFF_HOME", project.home().join("all"));
    call("pause --user").run().succeeded();
    assert!(project.exists("../../home/all/PAUSE"));
    call("task create X").run().failed(5);
    call("store --name note").stdin("hello").within("../../outside").run().failed(5);
    let answer = call("unpause --json").within("../../outside").run();
    assert_eq!(answer.succeeded().json()["pauses"].as_array().unwrap().len(), 1, "it is named once, and stays");
    call("unpause --user").run().succeeded();
    call("task create X").run().succeeded();
}

#[test]
fn the_user_store_has_a_pause_of_its_own() {
    let project = project!();
    project.write("../../home/data/handoff/PAUSE", "moving");
    let before = project.tree("../../home");
    project.call("store --name note").stdin("hello").within("../../outside").run().failed(5).says("your user store");
    project.call("project forget my-app").run().failed(5).says("moving");
    project.call("task create X").run().succeeded();
    project.make_directory("../other");
    project.call("init other").within("../other").run().succeeded();
    project.tree("../../home").assert_same(&before, "the registry is part of the user store");
    project.call("unpause").within("../../outside").run().succeeded().says("writing goes on");
    project.call("project forget my-app").run().succeeded();
}

#[cfg(unix)]
#[test]
fn whatever_has_the_name_pauses_and_nothing_is_waited_for() {
    let project = project!();
    let path = project.path(".handoff/PAUSE");
    std::os::unix::fs::symlink("/no/such/place", &path).unwrap();
    project.call("task create X").run().failed(5).says("symbolic link");
    project.call("unpause").run().succeeded();
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    project.call("task create X").run().failed(5).says("no ordinary file");
    project.call("task list").run().succeeded();
    project.call("pause --reason why").run().succeeded();
    project.call("task create X").run().failed(5).says("writing is paused: why");
    project.call("unpause").run().succeeded();
    fs::create_dir_all(path.join("kept")).unwrap();
    project.call("task create X").run().failed(5).says("a directory");
    project.call("pause --reason why").run().succeeded().says("the reason could not be kept");
    project.call("unpause").run().failed(4).says("is a directory that is not empty");
    fs::remove_dir(path.join("kept")).unwrap();
    project.call("unpause").run().succeeded();
    project.call("task create X").run().succeeded();
}

#[test]
fn a_file_by_hand_is_shortened_and_cannot_act_on_a_terminal() {
    let project = project!();
    project.write(".handoff/PAUSE", format!("\u{1b}[2Jlunch\u{202e} {}\nmore\n", "y".repeat(100_000)));
    let answer = project.call("task create X").run();
    answer.failed(5).says("lunch⟨U+202E⟩ yyy").says("by somebody unknown since").hides("\u{1b}").hides("more");
    assert!(answer.stderr.len() < 2_000, "{answer}");
    project.write(".handoff/PAUSE", b"\xff\xfe\x00bin".as_slice());
    project.call("task create X").run().failed(5);
}

#[cfg(unix)]
#[test]
fn what_cannot_be_looked_at_counts() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = project!();
    let dir = project.home().join(".agent_handover");
    fs::create_dir(&dir).unwrap();
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o000)).unwrap();
    // Whoever may do anything sees that nothing is there.
    let is_hidden = fs::read_dir(&dir).is_err();
    let answer = project.call("task create X").run();
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o700)).unwrap();
    if is_hidden {
        answer.failed(5).says("cannot be looked at");
    } else {
        answer.succeeded();
    }
}

#[test]
fn the_brake_works_while_somebody_else_writes_and_where_the_store_is_damaged() {
    let project = project!();
    let lock = File::options().write(true).create(true).truncate(false).open(project.path(".handoff/local/state/lock"));
    let lock = lock.unwrap();
    lock.lock().unwrap();
    project.call("pause --reason now").run().succeeded();
    project.call("unpause").run().succeeded();
    project.call("pause --reason now").run().succeeded();
    lock.unlock().unwrap();
    project.call("unpause").run().succeeded();
    for damage in ["[project\n", "\u{0}", ""] {
        project.write(".handoff/config.toml", damage);
        project.call("pause").run().succeeded();
        project.call("task create X").run().failed(5);
        project.call("unpause").run().succeeded();
    }
}

#[test]
fn who_waits_for_the_lock_is_stopped_by_a_pause_that_came_meanwhile() {
    let project = project!();
    let before = project.records();
    let lock = File::options().write(true).create(true).truncate(false).open(project.path(".handoff/local/state/lock"));
    let lock = lock.unwrap();
    lock.lock().unwrap();
    let waiting = project.call("store --name note").stdin("hello").start();
    project.call("pause --reason stop").run().succeeded();
    lock.unlock().unwrap();
    waiting.end().failed(5).says("writing is paused: stop");
    project.call("unpause").run().succeeded();
    project.records().assert_same(&before, "nothing that was staged is written");
}

#[test]
fn agents_are_given_their_context_and_told_that_nothing_can_be_written() {
    for pause in [".handoff/PAUSE", USER, AGENT_HANDOVER] {
        let project = sample_project!();
        project.write(pause, "moving house\nby bob, 2026-11-15T07:00:00Z\n");
        let agent = Agent::claude(&project, "s1");
        agent.writes(&[]);
        let before = project.tree("../..");
        let told = agent.starts("startup");
        assert!(told.contains("Fix refresh test matrix"), "{told}");
        assert!(told.contains("writing is paused for") && told.contains("by bob since"), "{told}");
        assert!(told.contains("moving house"), "{told}");
        for event in ["prompt", "edit", "turn-end", "compact", "session-end"] {
            agent.hears(event, &json!({"prompt": "What is next?"}));
        }
        project.tree("../..").assert_same(&before, pause);
        project.call("hook status").run().succeeded().says("moving house").says("nothing is recorded");
    }
    let bare = project!();
    bare.write(USER, "away");
    let told = Agent::claude(&bare, "s1").starts("startup");
    assert!(told.contains("nothing is recorded in this project yet") && told.contains("away"), "{told}");
    assert!(!told.contains("handoff_save_context"), "{told}");
}

#[test]
fn those_who_read_are_told_in_one_line() {
    for pause in [".handoff/PAUSE", USER, AGENT_HANDOVER] {
        let project = sample_project!();
        project.write(pause, "release day\n");
        for line in ["resume", "dashboard", "doctor"] {
            let answer = project.call(line).run();
            let told = format!("{}{}", answer.stdout, answer.stderr);
            let lines = told.lines().filter(|line| line.contains("writing is paused for")).count();
            assert_eq!(lines, 1, "{line} with {pause}: {answer}");
            answer.says("release day");
        }
    }
    let project = sample_project!();
    project.write("../old-app/.handoff/PAUSE", "sealed");
    project.call("dashboard").run().succeeded().says("writing is paused for `old-app`").says("sealed");
}

#[test]
fn a_server_that_runs_heeds_a_pause_at_the_next_call() {
    let project = sample_project!();
    let mut client = project.mcp().word("--tools").word("all").connect();
    client.text("handoff_update_task", json!({"task": {"title": "One"}}));
    project.call("pause --reason 'release day'").run().succeeded();
    let refused = client.failure("handoff_update_task", json!({"task": {"title": "Two"}}));
    assert!(
        refused.contains("writing is paused: release day") && refused.contains("leave that to a person"),
        "{refused}"
    );
    let told = client.text("handoff_load_context", json!({}));
    assert!(told.contains("writing is paused for this project"), "{told}");
    client.result("resources/list", json!({}));
    client.result("resources/read", json!({"uri": "handoff://config"}));
    client.result("prompts/list", json!({}));
    project.call("unpause").run().succeeded();
    client.text("handoff_update_task", json!({"task": {"title": "Two"}}));
    client.text("handoff_pause", json!({"reason": "too many changes"}));
    client.failure("handoff_update_task", json!({"task": {"title": "Three"}}));
    let tools = client.result("tools/list", json!({})).to_string();
    assert!(tools.contains("handoff_pause\"") && !tools.contains("handoff_unpause"), "an agent lifts no brake");
    client.close();
    assert!(project.file(".handoff/PAUSE").starts_with("too many changes\nby "));
}

#[test]
fn recovery_goes_on_while_paused() {
    let project = project!();
    project.call("task create Alpha").run().succeeded();
    let journal = json!({"format": 1, "steps": [
        {"put": {"path": "config.toml", "before": project.file(".handoff/config.toml"), "after": "[project]\nname = \"new\"\n"}},
    ]});
    project.write(".handoff/local/state/journal.json", journal.to_string());
    project.write(".handoff/PAUSE", "");
    project.call("task list").run().succeeded().says("Alpha");
    assert!(!project.exists(".handoff/local/state/journal.json"), "what was begun is finished");
    assert!(project.file(".handoff/config.toml").contains("new"));
}
