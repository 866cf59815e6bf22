//! Every operation's example over MCP: the same answer as on the command line, the same files afterwards.

use handoff_ops::{Door, Effect, Entry, registry};
use handoff_testkit::{Tree, sample_project, text_of};
use serde_json::{Value, json};

/// The operations an agent can ask for.
fn offered() -> impl Iterator<Item = &'static Entry> {
    registry::ALL.iter().filter(|entry| entry.offered_at(Door::Mcp))
}

/// Where an example succeeds: what makes a project needs a place that is none yet.
fn place(entry: &Entry) -> &'static str {
    if entry.effect == Effect::Found && entry.verb() == "init" { "../new-app" } else { "." }
}

/// What these write says which way they were asked.
const NAMES_ITS_CALLER: [&str; 1] = ["save"];

const MACHINE: [&str; 3] = ["my-app/.handoff/local", "new-app/.handoff/local", "old-app/.handoff/local"];

/// The result of an example over MCP, and every file afterwards.
fn by_mcp(entry: &Entry) -> (Value, Tree) {
    let project = sample_project!();
    // The ids and the moment of the one request that is made are those of the command line, and like there nobody says
    // which tool asks.
    let mut client = project.mcp().within(place(entry)).env("HANDOFF_ID_SEED", "1").start();
    let mut request = entry.example();
    if entry.effect.is_reading() {
        request["format"] = json!("json");
    }
    let result = client.call(entry.tool, request);
    assert_eq!(result["isError"], false, "{}: {result:#}", entry.tool);
    client.close();
    (result, project.tree("..").without(&MACHINE))
}

/// The same on the command line.
fn by_command(entry: &Entry) -> (Value, Tree) {
    let project = sample_project!();
    let call = project.call(&entry.name.replace('.', " ")).within(place(entry)).word("--json");
    let answer = call.env("HANDOFF_ID_SEED", "1").request(&entry.example()).run();
    (answer.succeeded().json(), project.tree("..").without(&MACHINE))
}

#[test]
fn every_example_gives_the_same_answer_and_the_same_files_as_the_command_line() {
    let mut compared = 0;
    for entry in offered().filter(|entry| entry.offered_at(Door::Cli)) {
        let ((result, files), (outcome, expected)) = (by_mcp(entry), by_command(entry));
        if !NAMES_ITS_CALLER.contains(&entry.name) {
            files.assert_same(&expected, entry.name);
        }
        let structured = &result["structuredContent"];
        if entry.effect.is_reading() {
            if structured.get("left_out").is_none() {
                assert_eq!(structured, &outcome, "{}", entry.name);
            }
        } else {
            let facts = ["id", "number", "status", "rev"];
            let names_its_caller = NAMES_ITS_CALLER.contains(&entry.name);
            for fact in facts.into_iter().filter(|fact| !names_its_caller || *fact != "rev") {
                if let (Some(told), Some(known)) = (structured.get(fact), outcome.get(fact)) {
                    assert_eq!(told, known, "{} of {}", fact, entry.name);
                }
            }
        }
        compared += 1;
    }
    assert!(compared > 10, "{compared}");
}

#[test]
fn every_example_succeeds_over_mcp_and_says_something() {
    for entry in offered() {
        let (result, _) = by_mcp(entry);
        text_of(&result);
        assert!(result["structuredContent"].is_object(), "{}: {result:#}", entry.tool);
    }
}

#[test]
fn every_example_for_reading_is_read_as_text_within_the_budget() {
    for entry in offered().filter(|entry| entry.effect.is_reading()) {
        let project = sample_project!();
        let before = project.tree("../..");
        let mut client = project.mcp().connect();
        let text = client.text(entry.tool, entry.example());
        assert!(text.len() <= 9_500, "{}: {} bytes", entry.tool, text.len());
        client.close();
        project.tree("../..").assert_same(&before, entry.tool);
    }
}

#[test]
fn an_unknown_field_is_refused_by_every_tool_and_nothing_is_done() {
    for entry in offered() {
        let project = sample_project!();
        let before = project.tree("..");
        let mut client = project.mcp().within(place(entry)).connect();
        let mut request = entry.example();
        request["no_such_field"] = json!(true);
        let text = client.failure(entry.tool, request);
        assert!(text.contains("unknown field `no_such_field`"), "{}: {text}", entry.tool);
        client.close();
        project.tree("..").assert_same(&before, entry.tool);
    }
}

#[test]
fn arguments_that_are_not_needed_are_accepted_and_mentioned() {
    for entry in offered() {
        for name in entry.unneeded() {
            let project = sample_project!();
            let mut client = project.mcp().within(place(entry)).connect();
            let mut request = entry.example();
            request[*name] = json!(true);
            let text = client.text(entry.tool, request);
            assert!(text.contains(&format!("`{name}` is accepted and not needed")), "{}: {text}", entry.tool);
            client.close();
        }
    }
}

#[test]
fn while_paused_everything_that_writes_is_refused_and_everything_else_works() {
    for entry in offered().filter(|entry| entry.effect != Effect::Brake) {
        let project = sample_project!();
        project.write(".handoff/PAUSE", "release in progress\n");
        let before = project.records();
        let mut client = project.mcp().within(place(entry)).connect();
        let mut request = entry.example();
        // What only tells what would be done is answered; the deed is not done.
        if request["dry_run"] == true {
            client.text(entry.tool, request.clone());
            request["dry_run"] = json!(false);
        }
        if [Effect::Write, Effect::Amend, Effect::Steps].contains(&entry.effect) {
            let text = client.failure(entry.tool, request);
            assert!(text.contains("writing is paused: release in progress"), "{}: {text}", entry.tool);
        } else {
            client.text(entry.tool, request);
        }
        client.close();
        project.records().assert_same(&before, entry.tool);
    }
}

#[test]
fn what_says_it_can_be_repeated_changes_nothing_the_second_time() {
    let mut repeated = 0;
    for entry in offered().filter(|entry| entry.is_repeatable) {
        let project = sample_project!();
        let mut client = project.mcp().connect();
        client.text(entry.tool, entry.example());
        let before = project.records();
        client.text(entry.tool, entry.example());
        client.close();
        project.records().assert_same(&before, entry.tool);
        repeated += 1;
    }
    assert!(repeated > 0);
}
