//! `handoff log`, `undo` and `redo` at every door.

use handoff_testkit::{Agent, TestProject, Transcript, project, shared_project};
use serde_json::{Value, json};

/// A recorded conversation, and how many of its lines are the first turn.
const RECORDED: &str = "claude-code/projects/-home-dev-my-app/e01eb16d-743e-4733-ab5c-2d3ced54786e.jsonl";
const FIRST_TURN: usize = 99;

/// The changes in the log, the last first.
fn log(project: &TestProject) -> Vec<Value> {
    project.json("log -n 1000")["changes"].as_array().expect("a list of changes").clone()
}

fn worked() -> TestProject {
    let project = project!();
    project.call("task create \"Implement auth\"").run().succeeded();
    project.call("task create \"Write handlers\" --parent 1").run().succeeded();
    project.call("task update 1.1 --status in_progress").run().succeeded();
    project
}

#[test]
fn the_log_tells_who_when_where_and_what_the_last_first() {
    let project = worked();
    insta::assert_snapshot!(project.handoff("log"), @r"
    npsheqzq 2026-11-15T09:00:03Z alice (cli, task.update)
    - task 01.1 Write handlers: status todo → in_progress
    agr721nr 2026-11-15T09:00:02Z alice (cli, task.create)
    - task 01.1 Write handlers created
    n9ye3qwe 2026-11-15T09:00:01Z alice (cli, task.create)
    - task 01 Implement auth created
    ");
}

#[test]
fn one_change_is_shown_with_its_difference() {
    let project = worked();
    let id = log(&project)[0]["id"].as_str().expect("a change has an id").to_owned();
    let shown = project.call(&format!("log {}", &id[..5])).run();
    shown.succeeded().says("-status = \"todo\"").says("+status = \"in_progress\"").says("rename tasks/01-todo--");
    shown.says(&format!("to take it back, run `handoff undo {id}`"));
}

#[test]
fn a_page_says_how_to_see_what_came_before() {
    let project = worked();
    let first = project.json("log -n 2");
    let cursor = first["next_cursor"].as_str().expect("there is more");
    let rest = project.json(&format!("log -n 2 --cursor {cursor}"));
    assert_eq!(rest["changes"].as_array().map(Vec::len), Some(1));
    assert_eq!(rest["next_cursor"], Value::Null);
    project.call("log -n 2").run().says(&format!("handoff log --limit 2 --cursor {cursor}"));
    project.call("log -n 0").run().failed(2).says("give 1 or more");
    project.call("log --cursor zzzzzzzz").run().failed(3);
}

#[test]
fn the_log_is_narrowed_by_task_session_actor_and_day() {
    let project = worked();
    project.call("save \"Parser done\"").run().succeeded();
    project.call("task note 1 seen").env("HANDOFF_ACTOR", "bob").run().succeeded();
    let count = |line: &str| project.json(line)["changes"].as_array().map(Vec::len);
    assert_eq!(count("log --task 1.1"), Some(2));
    assert_eq!(count("log --actor Bob"), Some(1));
    assert_eq!(count("log --session latest"), Some(1));
    assert_eq!(count("log --since 2026-11-15"), Some(5));
    assert_eq!(count("log --since 2026-11-16"), Some(0));
    let gone = project.json("task show 1.1")["id"].as_str().expect("a task has an id").to_owned();
    project.call("task delete 1.1").run().succeeded();
    assert_eq!(count(&format!("log --task {gone}")), Some(3), "also of a task that is deleted");
    project.call("log --task 9").run().failed(3).says("no task `09`");
}

#[test]
fn an_empty_log_and_one_without_matches_say_so() {
    let project = project!();
    project.call("log").run().succeeded().says("the log is empty");
    project.call("log --actor nobody").run().succeeded().says("the log holds no such change");
    project.call("undo").run().failed(4).says("the log holds no change that could be taken back");
    project.call("redo").run().failed(4).says("nothing was taken back");
}

#[test]
fn undo_and_redo_go_back_and_forth_to_the_byte() {
    for project in [worked(), shared_project!()] {
        project.call("task create Deploy --label x").run().succeeded();
        let before = project.records();
        project.call("task move 1 --to root").run();
        project.call("task update 1 --title \"Something else\" --status blocked").run().succeeded();
        let after = project.records();
        project.call("undo").run().succeeded().says("1 change taken back").says("handoff redo");
        project.records().assert_same(&before, "taken back");
        project.call("redo").run().succeeded().says("1 change made again");
        project.records().assert_same(&after, "made again");
    }
}

#[test]
fn agents_see_and_take_back_what_was_done_over_mcp() {
    let project = worked();
    let before = project.records();
    let mut client = project.mcp().word("--tools=core,history").connect();
    client.text("handoff_update_task", json!({"task": {"id": "1", "status": "in_progress"}}));
    let seen = client.text("handoff_log", json!({"limit": 1}));
    assert!(seen.contains("task 01 Implement auth: status todo → in"), "{seen}");
    assert!(seen.contains("(mcp"), "{seen}");
    let told = client.text("handoff_undo", json!({}));
    assert!(told.contains("1 change taken back"), "{told}");
    project.records().assert_same(&before, "taken back over MCP");
    client.text("handoff_redo", json!({}));
    let refused = client.failure("handoff_redo", json!({}));
    assert!(refused.contains("nothing was taken back that could be made again"), "{refused}");
    client.close();
}

#[test]
fn what_hooks_write_is_in_the_log_by_their_door_and_can_be_taken_back() {
    let project = project!();
    project.write("src/token.txt", "fresh\n");
    let mut agent = Agent::claude(&project, Transcript::CONVERSATION);
    agent.starts("startup");
    let transcript = project.recorded_transcript(RECORDED);
    agent.writes(&transcript.lines().take(FIRST_TURN).collect::<Vec<_>>());
    agent.stops();
    agent.is_killed();
    let before = project.records();
    let next = Agent::claude(&project, "0f5a8a4e-1b1c-4b3e-9c2a-111111111111");
    let said = json!({"hook_event_name": "SessionStart", "source": "startup"});
    next.call("session-start", &said).env("HANDOFF_CLOCK", "2026-11-15T20:00:00Z").run().succeeded();
    let change = log(&project).remove(0);
    assert_eq!((&change["door"], &change["operation"]), (&json!("hook"), &json!("hook")), "{change}");
    let what = change["what"][0].as_str().expect("it says what it did");
    assert!(what.starts_with("session ") && what.ends_with(" saved"), "{what}");
    project.call("undo").run().succeeded();
    project.records().without(&["current-state.md"]).assert_same(&before, "the handoff is gone again");
}

#[test]
fn many_at_once_are_each_in_the_log_and_can_all_be_taken_back() {
    let project = project!();
    let before = project.records();
    let running: Vec<_> = (0..12).map(|index| project.call(&format!("task create \"Task {index}\"")).start()).collect();
    for call in running {
        call.end().succeeded();
    }
    let numbers: Vec<u64> = log(&project).iter().filter_map(|change| change["number"].as_u64()).collect();
    assert_eq!(numbers, (1..=12).rev().collect::<Vec<u64>>());
    // Two that undo at the same time take back two different changes.
    let running: Vec<_> = (0..4).map(|_| project.call("undo").start()).collect();
    for call in running {
        call.end().succeeded();
    }
    project.call("undo 8").run().succeeded();
    project.records().assert_same(&before, "all of them");
}

#[test]
fn text_from_files_is_shown_without_doing_anything() {
    let project = project!();
    project.write(".handoff/config.toml", "[project]\nname = \"x\"\n");
    project.call("task create").word("red\u{1b}[31m \u{202e}evil").run();
    project.call("task create plain").run().succeeded();
    project.call("log").run().succeeded().hides("\u{1b}").hides("\u{202e}");
}

#[test]
fn a_damaged_log_is_told_and_never_stands_in_the_way_of_work() {
    let project = worked();
    let file = ".handoff/local/state/log/000000000001.jsonl";
    let text = project.file(file);
    project.write(file, text.replacen("in_progress", "in_pr0gress", 1));
    let answer = project.call("log").run();
    answer.succeeded().says("task 01 Implement auth created");
    assert!(answer.stderr.contains("an entry is damaged"), "{answer}");
    project.call("undo").run().failed(4).says("it cannot be told which changes were the last");
    project.call("task create More").run().succeeded();
    project.write(file, "handoff log 7\nsomething new\n");
    project.call("task create \"And more\"").run().succeeded();
    project.call("undo").run().succeeded();
}

#[test]
fn two_notes_that_read_alike_are_two_notes() {
    let project = worked();
    for _ in 0..2 {
        project.call("task note 1 again").run().succeeded();
        project.call("log -n 1").run().says("note “again” added");
    }
}

#[test]
fn what_came_below_a_task_since_is_named_when_its_making_is_taken_back() {
    let project = worked();
    let changes = log(&project);
    let (first, child) = (changes[2]["id"].as_str().unwrap(), changes[1]["id"].as_str().unwrap());
    let answer = project.call(&format!("undo {first}")).run();
    answer.failed(4).says(&format!("changed since by `{child}`")).hides("by hand");
}

#[test]
fn what_would_be_done_is_told_also_while_paused() {
    let project = worked();
    project.call("session start One").run().succeeded();
    project.call("session start Two").run().succeeded();
    project.call("undo").run().succeeded();
    project.write(".handoff/PAUSE", "release day\n");
    let before = project.tree(".handoff");
    for command in ["redo", "undo", "gc --older-than 0"] {
        project.call(command).run().failed(5).says("release day");
        project.call(&format!("{command} --dry-run")).run().succeeded();
    }
    project.call("session merge latest --into latest --dry-run").run().hides("release day");
    project.tree(".handoff").assert_same(&before, "nothing was done");
}

#[test]
fn over_mcp_the_changes_are_facts() {
    let project = worked();
    let last = log(&project)[0]["id"].clone();
    let mut client = project.mcp().word("--tools").word("core,history,project").connect();
    let undone = client.call("handoff_undo", json!({}));
    assert_eq!(undone["structuredContent"]["changes"], json!([last]), "{undone:#}");
    let found = client.call("handoff_doctor", json!({}));
    assert_eq!(found["structuredContent"]["findings"], json!([]), "{found:#}");
}

const FIRST_SEGMENT: &str = ".handoff/local/state/log/000000000001.jsonl";

#[test]
fn undo_is_refused_when_the_newest_task_is_missing_from_the_log_and_its_id_still_works() {
    let project = worked();
    let before = project.file(FIRST_SEGMENT);
    let last = log(&project)[0]["id"].as_str().expect("a change has an id").to_owned();
    project.call("task create Lost").run().succeeded();
    project.write(FIRST_SEGMENT, before);
    let answer = project.call("undo").run();
    answer.failed(4).says(&format!("`{last}` is the last change in the log")).says("Lost");
    answer.says(&format!("handoff undo {last}"));
    let answer = project.call(&format!("undo {last}")).run();
    answer.succeeded().says("1 change taken back").says("status todo → in_progress").says(&last);
}

#[test]
fn half_a_line_at_the_end_of_the_log_does_not_stand_in_the_way_of_undo() {
    let project = worked();
    let text = project.file(FIRST_SEGMENT);
    project.write(FIRST_SEGMENT, format!("{text}\n3f9c0a1b {{\"head\":{{\"num"));
    project.call("undo").run().succeeded().says("status todo → in_progress");
}
