//! How good handoffs are: what saving tells of their form, and what the next session used of them.

use std::fs;

use handoff_testkit::{Agent, TestProject, context, list_in, project};
use serde_json::{Value, json};

fn warnings(project: &TestProject, line: &str) -> Vec<String> {
    let answer = project.call(line).run();
    answer.succeeded();
    let told = answer.stderr.lines().filter_map(|line| line.strip_prefix("warning: "));
    told.map(str::to_owned).collect()
}

#[test]
fn saving_tells_what_makes_a_handoff_hard_to_go_on_from() {
    let project = project!();
    let line = "save wip --next continue --next 'Fix bugs' --decision 'Use SQLite' --pointer src/gone.rs";
    assert_eq!(
        warnings(&project, line),
        [
            "the next steps `continue`, `Fix bugs` could mean anything: name the file, test or command",
            "the decision `Use SQLite` has no reason: without one the next session may undo it",
            "the pointer `src/gone.rs` leads to no file; it is kept",
            "the summary `wip` does not say what was done and where it stands",
        ]
    );
    let session = project.json("session show latest");
    assert_eq!(session["summary"], "wip", "nothing is refused or changed");
}

#[test]
fn a_handoff_in_good_form_is_saved_without_a_word() {
    let project = project!();
    project.write("src/main.rs", "fn main() {}\n");
    let line = "save 'Token parser extracted' --next 'Fix refresh test matrix' --decision 'JWT: stateless API' \
                --pointer src/main.rs";
    assert_eq!(warnings(&project, line), Vec::<String>::new());
}

#[test]
fn closing_tells_that_no_next_step_is_left_unless_all_tasks_are_finished() {
    const MISSING: &str = "no next step: say what to do first when work goes on";
    let project = project!().task("k7f3q2ma", |task| task.title("Implement auth"));
    project.call("session start 'Write the parser' --task 1").run().succeeded();
    assert_eq!(warnings(&project, "session pause"), Vec::<String>::new(), "what is put aside has time");
    assert_eq!(warnings(&project, "session close latest"), [MISSING]);
    project.call("session start 'Write the printer' --task 1").run().succeeded();
    project.call("task update 1 --status done").run().succeeded();
    assert_eq!(warnings(&project, "session close --summary 'Printer written'"), Vec::<String>::new());
    assert_eq!(warnings(&project, "save 'Scanner written'"), [MISSING]);
    assert_eq!(warnings(&project, "save 'Scanner written' --body 'Then the parser.'"), Vec::<String>::new());
}

#[test]
fn a_setting_turns_it_off() {
    let project = project!();
    project.call("config set settings.lint false").run().succeeded();
    assert_eq!(warnings(&project, "save wip --pointer src/gone.rs"), Vec::<String>::new());
}

#[test]
fn what_else_was_found_is_counted() {
    let project = project!();
    let long = "The parser was extracted and so was the printer. ".repeat(40);
    let request = json!({
        "summary": long, "body": "word ".repeat(2_000),
        "next": ["continue"], "decisions": ["Use SQLite"], "context_pointers": ["src/gone.rs"],
    });
    let answer = project.call("save").request(&request).run();
    answer.succeeded().says("about 2").hides("more:");
    let told = answer.stderr.lines().filter(|line| line.starts_with("warning: ")).count();
    assert_eq!(told, 4, "{}", answer.stderr);
}

#[test]
fn an_agent_is_told_in_the_answer_and_once() {
    let project = project!();
    let mut client = project.mcp().connect();
    let facts = client.facts("handoff_save_context", json!({"summary": "done", "next": ["continue"]}));
    assert_eq!(
        facts["warnings"],
        json!([
            "the next step `continue` could mean anything: name the file, test or command",
            "the summary `done` does not say what was done and where it stands",
        ])
    );
    let facts =
        client.facts("handoff_save_context", json!({"summary": "Parser extracted", "session_status": "active"}));
    assert_eq!(facts["warnings"], Value::Null, "one that goes on needs no next step yet");
}

const PARSER: &str = r#"
status = "closed"
summary = "Token parser extracted"
started_at = 2026-11-10T09:00:00Z
ended_at = 2026-11-10T12:00:00Z
next = ["Fix refresh test matrix"]
"#;
const VAGUE: &str = r#"
status = "closed"
summary = "Printer written"
started_at = 2026-11-13T09:00:00Z
ended_at = 2026-11-13T12:00:00Z
next = ["continue", "Fix bugs"]
"#;

fn note(at: &str, agent: &str, pointers: [u64; 2], next: [u64; 3], files: [u64; 2]) -> String {
    let share = |[part, of]: [u64; 2]| json!({"part": part, "of": of});
    let used = json!({
        "tokens": 1_000, "pointers": share(pointers), "next": share([next[0], next[1]]),
        "next_unknown": next[2], "files": share(files),
    });
    json!({"at": at, "handoff": "2026-11-10-77c01b9d", "agent": agent, "used": used}).to_string()
}

fn measured() -> TestProject {
    let project = project!().session("2026-11-10-77c01b9d", PARSER).session("2026-11-13-0b5e11d2", VAGUE);
    let notes = [
        note("2026-11-11T08:00:00Z", "codex-1", [0, 4], [0, 3, 3], [0, 1]),
        note("2026-11-11T09:00:00Z", "codex-1", [3, 4], [1, 3, 1], [6, 8]),
        "{\"half".to_owned(),
        note("2026-11-12T09:00:00Z", "claude-code-2", [2, 4], [2, 3, 0], [3, 4]),
    ];
    project.write(".handoff/local/state/usefulness.jsonl", notes.join("\n\n") + "\n");
    project
}

#[test]
fn form_and_use_are_shown_side_by_side() {
    insta::assert_snapshot!(measured().handoff("metrics handoffs"), @r"
    date        id        title                   form            pointers  next         files    tokens
    2026-11-13  0b5e11d2  Printer written         2 × vague step
    2026-11-10  77c01b9d  Token parser extracted  ok              5 of 8    3 of 6, 1 ?  9 of 12    2000

    By week
    week of     left  form  used by
    2026-11-09     2  1 ok  2, not enough data

    form: what the rules for saving find in the handoff
    pointers: opened, changed or named in a command, of those given
    next: done, of those given: a completed to-do or task says the same, or its file was changed; `?` nobody can tell
    files: opened or changed files that the handoff named, of all that were there before
    per 1,000 tokens: pointers used, steps done, files named for each 1,000 tokens that were loaded
    ");
}

#[test]
fn shares_are_shown_from_three_sessions_on() {
    let project = measured();
    let file = ".handoff/local/state/usefulness.jsonl";
    let third = note("2026-11-13T09:00:00Z", "gemini-3", [1, 2], [1, 1, 0], [1, 4]);
    project.write(file, project.file(file) + &third + "\n");
    let answer = project.json("metrics handoffs");
    let week = &list_in(&answer, "weeks")[0];
    assert_eq!(
        (&week["week"], &week["handoffs"], &week["without_findings"]),
        (&json!("2026-11-09"), &json!(2), &json!(1))
    );
    assert_eq!(week["form"], json!([{"rule": "vague_step", "count": 1}]));
    assert_eq!(week["used"]["pointers"], json!({"part": 6, "of": 10}));
    assert_eq!(week["per_1000_tokens"], json!({"pointers": 2.0, "next": 1.3, "files": 3.3}));
    project.call("metrics handoffs").run().succeeded().says("60 % of 10").hides("not enough data");
}

#[test]
fn notes_that_cannot_be_read_hide_no_others() {
    let project = measured();
    let file = ".handoff/local/state/usefulness.jsonl";
    let mut bytes = project.file(file).into_bytes();
    bytes.extend_from_slice(b"\xff\xfe\n{\"at\": 3}\n");
    project.write(file, &bytes);
    let answer = project.call("metrics handoffs").run();
    answer.succeeded().says("5 of 8").says("warning: 2 notes of what was used cannot be read, and are passed over");
    project.remove(file);
    project.make_directory(file);
    let answer = project.call("metrics handoffs").run();
    answer.succeeded().says("Printer written").says("local/state/usefulness.jsonl: a directory stands where a file");
}

#[test]
fn handoffs_are_filtered_by_day_and_number() {
    let project = measured();
    let ids = |line: &str| -> Vec<String> {
        let answer = project.json(line);
        list_in(&answer, "handoffs").iter().map(|handoff| handoff["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids("metrics handoffs"), ["0b5e11d2", "77c01b9d"]);
    assert_eq!(ids("metrics handoffs --limit 1"), ["0b5e11d2"]);
    assert_eq!(ids("metrics handoffs --since 2026-11-12"), ["0b5e11d2"]);
    project.call("metrics handoffs --limit 1").run().succeeded().says("1 more");
    project.call("metrics handoffs --limit 0").run().failed(2);
}

#[test]
fn a_project_without_handoffs_has_nothing_to_measure() {
    insta::assert_snapshot!(project!().handoff("metrics handoffs"), @"no handoff was left yet");
}

/// A session of Claude Code as it was recorded: its first turn reads and changes `src/token.txt`.
const RECORDED: &str = "e01eb16d-743e-4733-ab5c-2d3ced54786e";
const FIRST_TURN: usize = 99;

#[test]
fn what_an_agent_made_of_a_handoff_is_counted_once_it_is_gone() {
    let project = project!();
    project.write("src/token.txt", "fresh\n");
    project.write("src/clock.txt", "tick\n");
    project.write("src/other.txt", "other\n");
    let saved = project.call(
        "save 'Token half done' --next 'Make src/token.txt fresh' --next 'Ask Dana about the clock' \
         --pointer src/token.txt --pointer src/other.txt",
    );
    saved.env("HANDOFF_CLOCK", "2026-11-15T07:00:00Z").run().succeeded();
    let start = |agent: &Agent<'_>| {
        let said = json!({"hook_event_name": "SessionStart", "source": "startup"});
        context(&agent.call("session-start", &said).env("HANDOFF_CLOCK", "2026-11-15T20:00:00Z").run())
    };
    let mut agent = Agent::claude(&project, RECORDED);
    assert!(start(&agent).contains("Make src/token.txt fresh"));
    let fixture = format!("{}/../../fixtures/transcripts/claude-code/projects", env!("CARGO_MANIFEST_DIR"));
    let text =
        fs::read_to_string(format!("{fixture}/-home-dev-my-app/{RECORDED}.jsonl")).expect("the fixture is there");
    let text = text.replace("/home/dev/my-app", &project.path(".").display().to_string());
    agent.writes(&text.lines().take(FIRST_TURN).collect::<Vec<_>>());
    agent.stops();
    assert!(list_in(&project.json("metrics handoffs"), "handoffs")[0]["used"].is_null(), "it may still be used");
    agent.is_killed();
    start(&Agent::claude(&project, "next"));
    let answer = project.json("metrics handoffs");
    let given = list_in(&answer, "handoffs").iter().find(|handoff| handoff["title"] == "Token half done");
    let used = &given.unwrap_or_else(|| panic!("{answer:#}"))["used"];
    assert_eq!(used["sessions"], 1, "{answer:#}");
    assert_eq!(used["pointers"], json!({"part": 1, "of": 2}), "{answer:#}");
    assert_eq!((&used["next"], &used["next_unknown"]), (&json!({"part": 1, "of": 2}), &json!(1)), "{answer:#}");
    assert!(used["tokens"].as_u64().is_some_and(|tokens| tokens > 50), "{answer:#}");
}
