//! Which session leads what there is to go on with, and what earlier ones still say.

use handoff_testkit::{TestProject, list_in, project, shared_project, text_in};
use serde_json::json;

const STATE: &str = ".handoff/current-state.md";

/// A closed session of that day of October, with these lines.
fn put(project: &TestProject, day: u32, lines: &str) -> String {
    let name = format!("2026-10-{day:02}-{:08x}", 0xa000_0000_u32 + day);
    let facts = format!(
        "status = \"closed\"\nsummary = \"Day {day}\"\nstarted_at = 2026-10-{day:02}T09:00:00Z\nended_at = \
         2026-10-{day:02}T10:00:00Z\n{lines}"
    );
    project.put_session(&name, &facts);
    name
}

fn id(facts: &serde_json::Value) -> String {
    text_in(facts, "id").to_owned()
}

/// Checks that `resume` and the current state lead with the same words.
fn lead_with(project: &TestProject, wanted: &str) {
    const LEADS: [&str; 3] = ["session under way: ", "paused session: ", "last handoff: "];
    let first = |text: &str| {
        let line = text.lines().find(|line| LEADS.iter().any(|lead| line.starts_with(lead)));
        line.unwrap_or_else(|| panic!("nothing leads: {text}")).replace('`', "")
    };
    for text in [project.handoff("resume"), project.file(STATE)] {
        assert!(first(&text).starts_with(wanted), "{text}");
    }
}

#[test]
fn the_current_state_leads_with_what_resume_leads_with() {
    let project = project!();
    let theirs = project.call("session start 'Their work' --json").env("HANDOFF_ACTOR", "bob").run().succeeded().json();
    let theirs = id(&theirs);
    project.call("save 'Lexer split out of the parser' --next 'Test it'").run().succeeded();
    lead_with(&project, "last handoff: ");
    let mine = id(&project.json("session start 'Cache rewritten'"));
    lead_with(&project, &format!("session under way: {mine}"));
    project.call("session pause").run().succeeded();
    lead_with(&project, &format!("paused session: {mine}"));
    project.call(&format!("session reopen {mine}")).run().succeeded();
    lead_with(&project, &format!("session under way: {mine}"));
    project.call("session close").run().succeeded();
    lead_with(&project, &format!("last handoff: {mine}"));
    assert!(project.handoff("resume").contains(&format!("- {theirs} active elsewhere, begun ")));
}

#[test]
fn a_session_that_git_brought_from_another_clone_does_not_lead() {
    let project = shared_project!();
    project.call("save 'Lexer split out of the parser' --next 'Test it'").run().succeeded();
    let there = id(&project.json("session start 'Cache rewritten'"));
    lead_with(&project, &format!("session under way: {there}"));
    // A clone has the sessions, and no notes of the other machine.
    project.remove(".handoff/local/state/bound");
    project.call("save 'Parser has a fuzz test' --next 'Run it'").run().succeeded();
    lead_with(&project, "last handoff: ");
    project.call("resume").run().succeeded().says(&format!("{there} active elsewhere, begun "));
    let elsewhere = project.json("resume")["other_sessions"].clone();
    assert_eq!((text_in(&elsewhere[0], "id"), &elsewhere[0]["elsewhere"]), (there.as_str(), &json!(true)));
}

#[test]
fn a_session_of_another_person_does_not_keep_mine_from_being_found() {
    let project = project!();
    let mine = id(&project.json("session start 'Cache rewritten'"));
    project.call("session start 'Their work'").env("HANDOFF_ACTOR", "bob").run().succeeded();
    assert_eq!(id(&project.json("save --summary 'Cache rewritten, tests pass'")), mine);
}

#[test]
fn a_session_dated_in_the_future_is_no_last_handoff_and_its_items_are_open() {
    let project = project!();
    project.put_session(
        "2027-03-01-f0000001",
        "status = \"closed\"\nsummary = \"By a wrong clock\"\nstarted_at = 2027-03-01T09:00:00Z\n\
         ended_at = 2027-03-01T10:00:00Z\nnext = [\"Step of the future\"]\n",
    );
    project.call("resume").run().succeeded().says("last handoff: f0000001");
    let saved = id(&project.json("save --summary 'Lexer split out of the parser' --next 'Test it'"));
    lead_with(&project, &format!("last handoff: {saved}"));
    let resumed = project.call("resume").run();
    resumed.succeeded().says("Step of the future").says("dated 2027-03-01T10:00:00Z, in the future");
    assert!(project.file(STATE).contains("Step of the future"));
    project.call("open").run().succeeded().says("Step of the future").says("in the future");
    // Another machine may be ahead of this one by hours.
    project.put_session(
        "2026-11-15-f0000002",
        "status = \"closed\"\nsummary = \"Ahead by hours\"\nstarted_at = 2026-11-15T20:00:00Z\n",
    );
    project.call("resume").run().succeeded().says("last handoff: f0000002");
}

#[test]
fn pointers_of_what_is_still_open_are_shown_or_counted() {
    let project = project!();
    for day in 1..=13 {
        let file = format!("src/{day:02}.rs");
        put(&project, day, &format!("next = [\"Step {day}\"]\n\n[[pointers]]\npath = \"{file}\"\n"));
    }
    project.call("done n3").run().succeeded();
    let context = project.json("resume --budget 20000");
    let paths: Vec<&str> = list_in(&context, "pointers").iter().map(|pointer| text_in(pointer, "path")).collect();
    let expected: Vec<String> = (4..=13).rev().chain([2]).map(|day| format!("src/{day:02}.rs")).collect();
    assert_eq!(paths, expected, "those of the last handoff first, none of what is done");
    assert_eq!(context["left_out"]["pointers"], 1);
}

#[test]
fn an_old_note_stays_while_it_is_about_what_is_at_hand() {
    let project = project!();
    let note = |note: &str| format!("[[notes]]\nnote = \"{note}\"\ncategory = \"context\"\n");
    let old = [
        note("the cache in src/cache.rs is emptied by the writer"),
        note("race tests of the scheduler need a quiet machine"),
        note("the printer on the second floor is out of paper"),
    ];
    put(&project, 1, &format!("\n{}", old.join("\n")));
    for day in 2..=12 {
        put(&project, day, &format!("\n{}", note(&format!("remark of day {day}"))));
    }
    put(&project, 13, "next = [\"Speed up src/cache.rs\", \"Run the race tests of the scheduler\"]\n");
    let resumed = project.call("resume --budget 20000").run();
    resumed.succeeded().says("emptied by the writer").says("quiet machine").hides("printer").hides("remark of day 2");
    assert_eq!(project.json("resume --budget 20000")["left_out"]["notes"], 2);
}
