//! What a conversation is told about the words and files at hand.

use handoff_testkit::{Agent, TestProject, context, project};
use serde_json::json;

/// A project with a conversation that was told of nothing yet but that something is there.
fn begun() -> TestProject {
    project!()
        .session("2026-11-10-00000001", "status = \"closed\"\ntitle = \"Begun\"\nended_at = 2026-11-10T09:00:00Z\n")
}

fn record(project: &TestProject) {
    project.put_session(
        "2026-11-11-77c01b9d",
        r#"status = "closed"
title = "Auth"
ended_at = 2026-11-11T12:10:00Z
[[decisions]]
id = "d1"
decision = "JWT over server sessions"
reason = "stateless API"
confidence = "confirmed"
paths = ["src/auth/"]
[[notes]]
note = "the integration database listens on port 5433"
category = "caution"
[[pointers]]
path = "src/auth/middleware.rs"
lines = "42-78"
reason = "the refresh path starts here"
"#,
    );
    project.write("src/auth/middleware.rs", "fn refresh() {}\n");
}

#[test]
fn a_prompt_is_answered_with_what_is_known_about_it_once() {
    let project = begun();
    let agent = Agent::claude(&project, "s1");
    agent.starts("startup");
    record(&project);
    insta::assert_snapshot!(agent.is_asked("On which port does the integration database listen?"), @"
    handoff: recorded earlier, about what is asked:
    > w1 caution: the integration database listens on port 5433
    ");
    assert_eq!(agent.is_asked("On which port does the integration database listen?"), "", "it was said");
    let other = Agent::claude(&project, "s2");
    assert!(other.starts("startup").contains("JWT over server sessions"));
    assert_eq!(other.is_asked("Should we go for JWT over server sessions?"), "", "the start said it");
}

#[test]
fn noise_is_answered_with_nothing() {
    let project = begun();
    let agent = Agent::claude(&project, "s1");
    agent.starts("startup");
    record(&project);
    for noise in ["ok thanks", "continue", "please go on", "run the tests again", "yes", "", "/compact"] {
        assert_eq!(agent.is_asked(noise), "", "{noise}");
    }
}

#[test]
fn an_edit_is_answered_with_what_governs_and_names_the_file() {
    let project = begun();
    let agent = Agent::claude(&project, "s1");
    agent.starts("startup");
    record(&project);
    insta::assert_snapshot!(agent.edits("src/auth/middleware.rs"), @"
    handoff: recorded earlier, about the file at hand:
    > 77c#d1 JWT over server sessions — stateless API (confirmed; src/auth/)
    > src/auth/middleware.rs:42-78 — the refresh path starts here
    ");
    assert_eq!(agent.edits("src/auth/middleware.rs"), "");
    assert_eq!(agent.edits("src/auth/token.rs"), "", "what governs it was said");
    assert_eq!(agent.edits("README.md"), "");
    assert_eq!(agent.edits("../elsewhere/src/auth/x.rs"), "", "a file outside the project");
}

#[test]
fn what_changed_is_said_again() {
    let project = begun();
    let agent = Agent::claude(&project, "s1");
    agent.starts("startup");
    record(&project);
    assert!(agent.edits("src/auth/token.rs").contains("JWT over server sessions"));
    project.edit(".handoff/sessions/2026-11-11-77c01b9d.toml", "stateless API", "stateless API, no store");
    assert!(agent.edits("src/auth/token.rs").contains("no store"));
    assert_eq!(agent.edits("src/auth/token.rs"), "");
}

#[test]
fn what_a_conversation_has_forgotten_is_said_again() {
    let project = begun();
    let agent = Agent::claude(&project, "s1");
    agent.starts("startup");
    record(&project);
    assert!(agent.edits("src/auth/token.rs").contains("JWT"));
    agent.compacts();
    assert!(agent.edits("src/auth/token.rs").contains("## Handoff of my-app"), "the whole context is owed first");
}

#[test]
fn eight_edits_at_once_say_each_item_once() {
    let project = begun();
    let agent = Agent::claude(&project, "s1");
    agent.starts("startup");
    for number in 0..12 {
        project.put_session(
            &format!("2026-11-12-{number:08x}"),
            &format!(
                "status = \"closed\"\ntitle = \"S{number}\"\nended_at = 2026-11-12T12:{number:02}:00Z\n[[decisions]]\n\
                 id = \"d1\"\ndecision = \"Rule number {number}\"\nconfidence = \"confirmed\"\npaths = [\"src/\"]\n"
            ),
        );
    }
    let calls: Vec<_> = (0..8).map(|_| agent.call("edit", &agent.edit("src/main.rs")).start()).collect();
    let said: Vec<String> = calls.into_iter().map(|call| context(&call.end())).collect();
    for number in 0..12 {
        let wanted = format!("Rule number {number} (");
        let times: usize = said.iter().map(|text| text.matches(&wanted).count()).sum();
        assert_eq!(times, 1, "{wanted}: {said:#?}");
    }
}

#[test]
fn a_full_context_is_told_once_to_leave_a_handoff() {
    let project = begun();
    let agent = Agent::claude(&project, "s1");
    agent.starts("startup");
    let turn = |used: u64, id: &str| {
        let message = json!({
            "id": id, "role": "assistant", "model": "claude-opus-5-5", "type": "message", "stop_reason": "end_turn",
            "content": [{"type": "text", "text": "done"}],
            "usage": {"input_tokens": used, "output_tokens": 0, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
        });
        let (cwd, at) = (project.path("."), "2026-11-15T09:00:00Z");
        json!({"type": "assistant", "uuid": id, "sessionId": "s1", "cwd": cwd, "timestamp": at, "message": message})
    };
    agent.writes(&[&turn(159_999, "m1").to_string()]);
    agent.stops();
    assert_eq!(agent.is_asked("go on"), "");
    agent.writes(&[&turn(171_000, "m2").to_string()]);
    agent.stops();
    insta::assert_snapshot!(agent.is_asked("go on"), @"handoff: the context of this conversation is 85 % full. Leave a handoff while it is all there: call `handoff_save_context` (or run `handoff save`) with summary, decisions and next steps.");
    assert_eq!(agent.is_asked("go on"), "");
    let other = Agent::claude(&project, "s2");
    other.starts("startup");
    other.writes(&[&turn(171_000, "m2").to_string()]);
    project.call("config set hooks.context_window 400000").run().succeeded();
    other.stops();
    assert_eq!(other.is_asked("go on"), "", "more fits, as the settings say");
}
