//! Which session leads what there is to go on with, and what earlier ones still say.

use handoff_testkit::{TestProject, project, shared_project, text_in};
use serde_json::json;

const STATE: &str = ".handoff/current-state.md";

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
