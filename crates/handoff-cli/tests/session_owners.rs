//! Several sessions at once: each belongs to a connection, or to an agent's conversation and work tree.

use handoff_testkit::{McpClient, TestProject, list_in, project};
use serde_json::{Value, json};

const SAVE: &str = "handoff_save_context";
const UPDATE: &str = "handoff_update_session";
const LOAD: &str = "handoff_load_context";

/// Starts a session. Its id.
fn start(client: &mut McpClient<'_>, summary: &str) -> String {
    id(&client.facts(SAVE, json!({"summary": summary, "session_status": "active"})))
}

fn start_as(client: &mut McpClient<'_>, conversation: &str, summary: &str) -> String {
    let result = client.call_as(conversation, SAVE, json!({"summary": summary, "session_status": "active"}));
    assert_eq!(result["isError"], false, "{result:#}");
    id(&result["structuredContent"])
}

fn id(facts: &Value) -> String {
    facts["id"].as_str().unwrap_or_else(|| panic!("no id in {facts:#}")).to_owned()
}

fn shown(project: &TestProject, id: &str) -> Value {
    project.json(&format!("session show {id}"))
}

fn listed(project: &TestProject, status: &str) -> Vec<String> {
    let list = project.json(&format!("session list --status {status}"));
    list_in(&list, "sessions").iter().map(id).collect()
}

#[test]
fn two_connections_have_a_session_each_and_never_touch_the_other() {
    let project = project!();
    let (mut one, mut two) = (project.mcp().connect(), project.mcp().connect());
    let (first, second) = (start(&mut one, "First work"), start(&mut two, "Second work"));
    assert_ne!(first, second);
    one.facts(UPDATE, json!({"add_next": ["Step of the first"]}));
    two.facts(UPDATE, json!({"add_next": ["Step of the second"]}));
    let before = project.file(&project.session_file(&second));
    let closed = one.facts(SAVE, json!({"summary": "First is done"}));
    assert_eq!((closed["id"].as_str(), closed["status"].as_str()), (Some(first.as_str()), Some("closed")));
    assert_eq!(project.file(&project.session_file(&second)), before, "the other one's session is as it was");
    assert_eq!(listed(&project, "active"), [second.as_str()]);
    two.facts(SAVE, json!({"summary": "Second is done"}));
    assert_eq!(shown(&project, &first)["next"], json!(["Step of the first"]));
    assert_eq!(shown(&project, &second)["next"], json!(["Step of the second"]));
    assert_eq!(shown(&project, &second)["summary"], "Second is done");
    one.close();
    two.close();
}

#[test]
fn starting_twice_over_one_connection_goes_on_with_the_same_session() {
    let project = project!();
    let mut client = project.mcp().connect();
    let first = start(&mut client, "Begin");
    assert_eq!(start(&mut client, "Still at it"), first);
    assert_eq!(shown(&project, &first)["summary"], "Still at it");
    client.close();
}

#[test]
fn a_save_beside_the_session_of_a_live_server_becomes_a_record_and_says_so() {
    let project = project!();
    let mut working = project.mcp().connect();
    let theirs = start(&mut working, "Long work");
    let before = project.file(&project.session_file(&theirs));
    let mut other = project.mcp().connect();
    let result = other.call(SAVE, json!({"summary": "A quick look", "next": ["Look again"]}));
    let facts = &result["structuredContent"];
    assert_ne!(id(facts), theirs);
    assert_eq!(facts["status"], "closed");
    let told = "this became a session of its own; 1 other session under way was left alone";
    assert!(facts["warnings"].to_string().contains(told), "{facts:#}");
    assert!(handoff_testkit::text_of(&result).contains(told), "{result:#}");
    assert_eq!(shown(&project, &id(facts))["next"], json!(["Look again"]));
    assert_eq!(project.file(&project.session_file(&theirs)), before);
    let refused = other.failure(UPDATE, json!({"add_next": ["Whose?"]}));
    assert!(refused.contains(&theirs), "the sessions to choose from are listed: {refused}");
    working.close();
    other.close();
}

#[test]
fn the_session_of_a_server_that_ended_is_taken_up_by_the_next_one() {
    let project = project!();
    let mut first = project.mcp().connect();
    let session = start(&mut first, "Long work");
    first.facts(UPDATE, json!({"add_decisions": ["Keep it simple"]}));
    first.close();
    let mut second = project.mcp().connect();
    let text = second.text(LOAD, json!({}));
    assert!(text.contains("session under way") && text.contains(&session), "{text}");
    let saved = second.facts(SAVE, json!({"summary": "Done in the end"}));
    assert_eq!(id(&saved), session);
    assert_eq!(shown(&project, &session)["decisions"][0]["decision"], "Keep it simple");
    second.close();
}

#[test]
fn a_server_that_was_killed_holds_nothing() {
    let project = project!();
    let mut first = project.mcp().connect();
    let session = start(&mut first, "Long work");
    drop(first);
    let mut second = project.mcp().connect();
    assert_eq!(id(&second.facts(SAVE, json!({"summary": "Done in the end"}))), session);
    second.close();
}

#[test]
fn of_several_sessions_left_behind_none_is_taken_by_guess() {
    let project = project!();
    let (mut one, mut two) = (project.mcp().connect(), project.mcp().connect());
    start(&mut one, "One");
    start(&mut two, "Two");
    one.close();
    two.close();
    let active = listed(&project, "active");
    let before = project.tree(".handoff/sessions");
    let mut client = project.mcp().connect();
    let saved = client.facts(SAVE, json!({"summary": "Which one?"}));
    assert!(!active.contains(&id(&saved)), "{saved:#}");
    assert!(saved["warnings"].to_string().contains("2 other sessions under way were left alone"), "{saved:#}");
    assert_eq!(listed(&project, "active"), active);
    project.remove(&project.session_file(&id(&saved)));
    project.tree(".handoff/sessions").assert_same(&before, "only a record was added");
    client.close();
}

#[test]
fn a_conversation_finds_its_session_again_over_a_new_connection() {
    let project = project!();
    let mut server = project.mcp().connect();
    let first = start_as(&mut server, "conversation-1", "First");
    server.close();
    let mut server = project.mcp().connect();
    // The first is free, but another conversation is told from it once it has its own.
    let second = id(
        &server.call_as("conversation-2", "handoff_start_session", json!({"summary": "Second"}))["structuredContent"],
    );
    server.close();
    let mut server = project.mcp().connect();
    let saved = server.call_as("conversation-1", SAVE, json!({"summary": "First is done"}));
    assert_eq!(id(&saved["structuredContent"]), first);
    server.close();
    let mut server = project.mcp().connect();
    let saved = server.call_as("conversation-2", SAVE, json!({"summary": "Second is done"}));
    assert_eq!(id(&saved["structuredContent"]), second);
    server.close();
}

#[test]
fn two_conversations_over_one_connection_stay_apart() {
    let project = project!();
    let mut server = project.mcp().connect();
    let first = start_as(&mut server, "conversation-1", "First");
    let second = start_as(&mut server, "conversation-2", "Second");
    assert_ne!(first, second, "one conversation must not write into the session of another");
    let saved = server.call_as("conversation-1", SAVE, json!({"summary": "First is done"}));
    assert_eq!(id(&saved["structuredContent"]), first);
    assert_eq!(listed(&project, "active"), [second]);
    server.close();
}

#[test]
fn a_session_of_another_work_tree_is_not_taken_up() {
    let project = project!();
    project.init_git();
    project.write("README.md", "# App\n");
    project.commit_all("start");
    project.git("worktree add -q ../my-app-feature -b feature");
    let there = project.path(".").to_string_lossy().into_owned();
    let mut main = project.mcp().connect();
    let session = start(&mut main, "On main");
    main.close();
    let mut feature = project.mcp().within("../my-app-feature").env("HANDOFF_PROJECT_DIR", there.as_str()).connect();
    let saved = feature.facts(SAVE, json!({"summary": "On the feature"}));
    assert_ne!(id(&saved), session);
    assert_eq!(listed(&project, "active"), [session.as_str()]);
    feature.close();
    let mut main = project.mcp().connect();
    assert_eq!(id(&main.facts(SAVE, json!({"summary": "On main, done"}))), session);
    main.close();
}

#[test]
fn a_person_goes_on_with_the_session_they_started_by_command() {
    let project = project!();
    let started = project.json("session start 'Write the parser'");
    let saved = project.json("save --summary 'Parser written' --next 'Test it'");
    assert_eq!(saved["id"], started["id"]);
    assert_eq!(saved["kind"], "session");
    assert_eq!(project.json("save --summary 'A record'")["kind"], "record");
}

#[test]
fn an_agent_with_a_shell_is_known_by_its_conversation() {
    let project = project!();
    let start = |conversation: &str| {
        let call = project.call("session start Work --json").env("CLAUDE_CODE_SESSION_ID", conversation);
        id(&call.run().json())
    };
    let (first, second) = (start("conversation-1"), start("conversation-2"));
    let save = |conversation: &str| {
        let call = project.call("save --summary Done --json").env("CLAUDE_CODE_SESSION_ID", conversation);
        id(&call.run().json())
    };
    assert_eq!(save("conversation-1"), first);
    assert_eq!(save("conversation-2"), second);
}

#[test]
fn what_one_server_saves_the_other_resumes_in_its_next_answer() {
    let project = project!();
    let mut reader = project.mcp().connect();
    for round in 0..3 {
        let step = format!("Step {round}");
        // The clock of a test stands still as long as a server runs.
        let mut writer = project.mcp().connect();
        writer.facts(SAVE, json!({"summary": format!("Round {round}"), "next": [step]}));
        let text = reader.text(LOAD, json!({}));
        assert!(text.contains(&step), "{text}");
        assert!(project.handoff("resume").contains(&step));
        writer.close();
    }
    reader.close();
}
