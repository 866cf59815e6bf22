//! All doors agree about work that is paused, under way or settled.

use handoff_testkit::{Agent, TestProject, Transcript, project};
use serde_json::json;

const STATE: &str = ".handoff/current-state.md";

fn at(project: &TestProject, time: &str, line: &str) -> String {
    let clock = format!("2026-11-16T{time}:00Z");
    project.call(line).env("HANDOFF_CLOCK", clock).run().succeeded().stdout.clone()
}

/// A paused session, and a handoff that was saved after it.
fn with_a_pause() -> (TestProject, String) {
    let project = project!();
    at(&project, "09:00", "session start 'Long work on the parser'");
    let paused = at(&project, "09:05", "session update --next 'Split the parser' --title 'Long work'");
    assert!(paused.contains("updated"), "{paused}");
    at(&project, "09:10", "session pause");
    let id = project.json("session list")["sessions"][0]["id"].as_str().expect("a session has an id").to_owned();
    at(&project, "10:00", "save -m 'Hotfix for the login page is out' --next 'Tell support'");
    (project, id)
}

#[test]
fn a_paused_session_is_named_with_its_way_on_at_every_door() {
    let (project, id) = with_a_pause();
    let dashboard = project.handoff("dashboard");
    assert!(dashboard.contains(&format!("paused session: {id} Long work")), "{dashboard}");
    assert!(dashboard.contains("Hotfix for the login page"), "{dashboard}");
    let status = project.handoff("status");
    assert!(status.contains(&format!("{id} Long work")), "{status}");
    assert!(status.contains(&format!("handoff session reopen {id}")), "{status}");
    // What is paused leads, as it does where work is resumed.
    for target in ["generic", "claude-code", "codex", "cline"] {
        let text = project.handoff(&format!("render --target {target}"));
        assert!(text.contains(&format!("paused session {id}: Long work")), "{target}: {text}");
        let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("`{words}` is missing: {text}"));
        assert!(place("Split the parser") < place("Tell support"), "{target}: {text}");
    }
}

#[test]
fn while_a_session_is_active_the_last_handoff_is_still_shown() {
    let project = project!();
    at(&project, "09:00", "save -m 'The parser is done, and tests pass' --next 'Write docs'");
    at(&project, "10:00", "session start 'Long work'");
    let dashboard = project.handoff("dashboard");
    assert!(dashboard.contains("active session: Long work"), "{dashboard}");
    assert!(dashboard.contains("The parser is done, and tests pass (closed)"), "{dashboard}");
}

#[test]
fn a_conversation_under_way_is_named_where_items_are_listed_and_rendered() {
    let project = project!();
    at(&project, "09:00", "save -m 'The parser is done, and tests pass' --next 'Write docs'");
    let agent = Agent::claude(&project, "alive");
    agent.starts("startup");
    let work = Transcript::of("alive").prompt("Go on").edited("src/token.txt");
    let work = work.answer("Split the token parser into two modules.\n\n## Next steps\n1. Extend the matrix");
    let text = work.text(&project);
    agent.writes(&text.lines().collect::<Vec<_>>());
    for line in ["open", "render", "status"] {
        let text = project.handoff(line);
        assert!(text.contains("unsaved conversation: claude-code under way"), "{line}: {text}");
        assert!(text.contains("Split the token parser into two modules"), "{line}: {text}");
    }
}

#[test]
fn the_overview_follows_tasks_and_commits() {
    let project = project!();
    project.init_git();
    at(
        &project,
        "09:00",
        "save -m 'Parser begun' --next 'Go on in src/a.rs' --next 'Polish the parser' --next 'Other'",
    );
    at(&project, "09:10", "task create 'Do it' --from n1");
    assert!(project.file(STATE).contains("n1 Go on in src/a.rs (task 01)"), "{}", project.file(STATE));
    project.write("a.txt", "a");
    project.commit_all_at("Polish the parser (closes n2)", "2026-11-16T09:20:00Z");
    at(&project, "09:30", "done n3");
    let state = project.file(STATE);
    assert!(!state.contains("Polish") && !state.contains("Other"), "{state}");
    at(&project, "09:40", "task update 01 --status done");
    let state = project.file(STATE);
    assert!(!state.contains("src/a.rs") && !state.contains("Do it") && !state.contains("Polish"), "{state}");
}

#[test]
fn decisions_stand_in_one_order_everywhere() {
    let project = project!();
    let request = json!({
        "summary": "Token parser extracted, refresh tests fail",
        "next": ["Go on in src/auth/token.rs"],
        "decisions": [
            {"decision": "JWT over sessions", "reason": "stateless", "paths": ["src/auth/"]},
            {"decision": "Tabs in Makefiles", "reason": "make wants it", "paths": ["Makefile"]},
            {"decision": "Postgres over files", "reason": "locks"},
        ],
    });
    project.call("save").request(&request).run().succeeded();
    project.call("save -m 'Second part of the work is done' --decision 'Use nextest' --reason fast").run().succeeded();
    let order = |text: &str| {
        let mut places: Vec<_> = ["JWT", "Tabs", "Postgres", "nextest"]
            .into_iter()
            .map(|word| (text.find(word).unwrap_or_else(|| panic!("`{word}` is missing: {text}")), word))
            .collect();
        places.sort_unstable();
        places.into_iter().map(|(_, word)| word).collect::<Vec<_>>()
    };
    let resumed = order(&project.handoff("resume"));
    assert_eq!(order(&project.file(STATE)), resumed);
    assert_eq!(order(&project.handoff("render")), resumed);
}

#[test]
fn an_old_record_is_rendered_with_ids_and_says_that_its_steps_are_settled() {
    let project = project!();
    let request = json!({
        "summary": "Token parser extracted, refresh tests fail",
        "next": ["Fix the matrix"],
        "checklist": [{"item": "verify on staging"}],
        "handoff_notes": [{"note": "never run terraform here", "category": "caution"}],
        "questions": ["Which region?"],
        "decisions": [{"decision": "JWT over sessions", "reason": "stateless"}],
    });
    project.call("save").request(&request).run().succeeded();
    let id = project.json("session list")["sessions"][0]["id"].as_str().expect("a session has an id").to_owned();
    let described = project.handoff("render --target pr-description");
    assert!(
        !described.contains("- [ ] w1") && described.contains("> - w1 caution: never run terraform here"),
        "{described}"
    );
    assert!(described.contains("> - [ ] q1 Which region?"), "{described}");
    assert!(project.handoff("render").contains("c1 verify on staging"), "{}", project.handoff("render"));
    project.call("done n1").run().succeeded();
    project.call("save -m 'Second part of the work is done' --next 'Write docs'").run().succeeded();
    let text = project.handoff(&format!("render --id {id}"));
    for part in ["c1 verify on staging", "w1 caution: never run terraform", "#d1 JWT over sessions", "q1 Which region?"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("The next steps it named are settled since."), "{text}");
}

#[test]
fn a_list_with_a_conversation_does_not_say_that_nothing_matches() {
    let project = project!();
    assert!(project.handoff("session list").contains("no session matches"));
    let agent = Agent::claude(&project, "alive");
    agent.starts("startup");
    let work = Transcript::of("alive").prompt("Go on").edited("src/token.txt").answer("Split the token parser.");
    let text = work.text(&project);
    agent.writes(&text.lines().collect::<Vec<_>>());
    let list = project.handoff("session list");
    assert!(list.contains("Split the token parser") && !list.contains("no session matches"), "{list}");
}
