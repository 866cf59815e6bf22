//! Where the project stands, in somebody's words: kept in a session, told by the latest handoff that has it.

use handoff_testkit::{TestProject, project, text_in};

const WORDS: &str = "Beta is out.\n\n- auth: **done**\n- billing: not begun";

/// A closed session of that day, with these lines.
fn put(project: &TestProject, day: u32, lines: &str) -> String {
    let name = format!("2026-10-{day:02}-{:08x}", 0xa000_0000_u32 + day);
    let facts = format!(
        "status = \"closed\"\nsummary = \"Day {day}\"\nstarted_at = 2026-10-{day:02}T09:00:00Z\nended_at = \
         2026-10-{day:02}T10:00:00Z\n{lines}"
    );
    project.put_session(&name, &facts);
    name
}

fn told(words: &str) -> String {
    format!("state = {}\nhandover = \"r7k2\"\n", serde_json::Value::from(words))
}

#[test]
fn a_session_shows_its_state_and_the_run_that_wrote_it() {
    let project = project!();
    let name = put(&project, 1, &told(WORDS));
    let shown = project.json(&format!("session show {name}"));
    assert_eq!((text_in(&shown, "state"), text_in(&shown, "handover")), (WORDS, "r7k2"));
    project.call(&format!("session show {name}")).run().succeeded().says("Current state").says("billing: not begun");
    let found = project.json("search 'billing begun'");
    assert!(found.to_string().contains(&name), "{found}");
}

#[test]
fn resume_quotes_the_state_of_the_latest_handoff_that_has_one() {
    let project = project!();
    put(&project, 1, &told("An old state"));
    let second = put(&project, 2, &told(WORDS));
    put(&project, 3, "next = [\"Begin billing\"]\n");
    let context = project.json("resume");
    assert_eq!((text_in(&context["state"], "text"), text_in(&context["state"], "session")), (WORDS, second.as_str()));
    let text = project.handoff("resume");
    assert!(text.contains("Begin billing") && text.contains("- auth: **done**"), "{text}");
    assert!(!text.contains("An old state") && !text.contains("r7k2"), "{text}");
    let earlier = project.json("resume 2026-10-01");
    assert_eq!(text_in(&earlier["state"], "text"), "An old state", "what came later is not told of it");
}

#[test]
fn a_state_beyond_the_budget_is_counted_and_the_current_state_has_it_whole() {
    let project = project!();
    let long = "word and more\n".repeat(2_000);
    put(&project, 1, &told(&long));
    let context = project.json("resume --budget 500");
    assert_eq!((&context["state"], &context["left_out"]["state"]), (&serde_json::Value::Null, &1.into()));
    project.call("resume --budget 500").run().succeeded().says("1 current state");
    project.handoff("save --summary 'One more'");
    let state = project.file(".handoff/current-state.md");
    assert_eq!(state.matches("> word and more").count(), 2_000);
    assert!(state.find("> word and more") < state.find("One more"), "it stands at the top");
}

#[test]
fn the_session_whose_state_counts_is_not_archived() {
    let project = project!();
    project.handoff("config set settings.history_limit 2");
    put(&project, 1, &told("An old state"));
    let told = put(&project, 2, &told(WORDS));
    for number in 0..5 {
        project.handoff(&format!("save --summary 'Saved {number}'"));
    }
    assert!(project.exists(&format!(".handoff/sessions/{told}.toml")));
    assert_eq!(project.json("session list")["matches"], 3);
    assert_eq!(text_in(&project.json("resume")["state"], "text"), WORDS);
}
