//! Resources, prompts and completion over MCP, and being told of changes.

use handoff_testkit::{McpClient, TestProject, empty_directory, project, sample_project};
use serde_json::{Value, json};

fn read(client: &mut McpClient<'_>, uri: &str) -> (String, String) {
    let result = client.result("resources/read", json!({"uri": uri}));
    let contents = result["contents"].as_array().expect("a resource has contents");
    assert_eq!(contents.len(), 1, "{result}");
    assert_eq!(contents[0]["uri"], uri);
    let text = |key: &str| contents[0][key].as_str().expect("contents are text of a kind").to_owned();
    (text("mimeType"), text("text"))
}

fn uris(client: &mut McpClient<'_>) -> Vec<String> {
    let list = client.result("resources/list", json!({}));
    let resources = list["resources"].as_array().expect("a list of resources");
    resources.iter().map(|one| one["uri"].as_str().expect("a resource has an address").to_owned()).collect()
}

fn save(client: &mut McpClient<'_>, summary: &str, status: &str) -> String {
    let result = client.call("handoff_save_context", json!({"summary": summary, "session_status": status}));
    assert_eq!(result["isError"], false, "{result}");
    result["structuredContent"]["id"].as_str().unwrap_or_else(|| panic!("{result:#}")).to_owned()
}

#[test]
fn the_configuration_is_read_as_the_file_is() {
    let project = project!();
    let mut client = project.mcp().connect();
    let (kind, text) = read(&mut client, "handoff://config");
    assert_eq!((kind.as_str(), text), ("application/toml", project.file(".handoff/config.toml")));
    client.close();
}

#[test]
fn open_sessions_are_read_as_json() {
    let project = project!();
    let mut client = project.mcp().connect();
    assert_eq!(read(&mut client, "handoff://sessions"), ("application/json".to_owned(), "[]".to_owned()));
    let id = save(&mut client, "Parser extracted", "active");
    let sessions: Value = serde_json::from_str(&read(&mut client, "handoff://sessions").1).unwrap();
    assert_eq!((&sessions[0]["id"], &sessions[0]["status"]), (&json!(id), &json!("active")), "{sessions}");
    save(&mut client, "Done", "closed");
    assert_eq!(read(&mut client, "handoff://sessions").1, "[]", "a closed session is not open");
    client.close();
}

#[test]
fn a_task_and_a_session_have_addresses_of_their_own() {
    let project = sample_project!();
    let mut client = project.mcp().connect();
    let templates = client.result("resources/templates/list", json!({}));
    let templates: Vec<&str> = templates["resourceTemplates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["uriTemplate"].as_str().unwrap())
        .collect();
    assert_eq!(templates, ["handoff://session/{id}", "handoff://task/{id}"]);
    let (kind, text) = read(&mut client, "handoff://task/k7f3q2ma");
    assert!(kind == "text/markdown" && text.contains("Implement auth"), "{text}");
    assert!(read(&mut client, "handoff://task/01.1").1.contains("Design schema"), "by number too");
    let id = save(&mut client, "Parser extracted", "closed");
    assert!(read(&mut client, &format!("handoff://session/{id}")).1.contains("Parser extracted"));
    client.close();
}

#[test]
fn what_is_under_way_is_listed_by_name() {
    let project = sample_project!();
    let mut client = project.mcp().connect();
    let listed = uris(&mut client);
    let under_way = ["handoff://session/a3f9c12e", "handoff://task/q4w8e2rt"];
    assert_eq!(listed, [&["handoff://sessions", "handoff://config"][..], &under_way].concat());
    client.close();
    let nowhere = empty_directory!();
    let mut client = nowhere.mcp().connect();
    assert_eq!(uris(&mut client), ["handoff://sessions", "handoff://config"]);
    let (code, message) = client.error("resources/read", json!({"uri": "handoff://config"}));
    assert!(code == -32002 && message.contains("no handoff project here"), "{code} {message}");
    client.close();
}

#[test]
fn an_address_where_nothing_is_is_an_error_that_says_what_there_is() {
    let project = sample_project!();
    let mut client = project.mcp().connect();
    for uri in ["handoff://tasks", "file:///etc/passwd", "", "handoff://task/", "handoff://task/a/b"] {
        let (code, message) = client.error("resources/read", json!({"uri": uri}));
        assert_eq!(code, -32002, "{message}");
        assert!(message.contains("handoff://task/{id}"), "{message}");
    }
    let (code, message) = client.error("resources/read", json!({"uri": "handoff://task/k7f3q2mb"}));
    assert!(code == -32002 && message.contains("k7f3q2ma"), "close ids are named: {message}");
    let (code, _) = client.error("resources/read", json!({"uri": "handoff://task/../../../etc/passwd"}));
    assert_eq!(code, -32002);
    client.close();
}

#[test]
fn ids_are_completed_from_their_beginning_or_a_title() {
    let project = sample_project!();
    let mut client = project.mcp().connect();
    let mut complete = |reference: Value, name: &str, typed: &str| {
        let argument = json!({"name": name, "value": typed});
        let result = client.result("completion/complete", json!({"ref": reference, "argument": argument}));
        result["completion"]["values"].as_array().unwrap().clone()
    };
    let task = || json!({"type": "ref/resource", "uri": "handoff://task/{id}"});
    assert_eq!(complete(task(), "id", "k7"), ["k7f3q2ma"]);
    assert_eq!(complete(task(), "id", "SCHEMA"), ["m2x9a4te"]);
    assert_eq!(complete(task(), "id", "").len(), 3);
    assert!(complete(task(), "id", "zzz").is_empty());
    assert!(complete(task(), "other", "").is_empty());
    assert!(complete(json!({"type": "ref/prompt", "name": "no-such"}), "session", "").is_empty());
    let id = save(&mut client, "Parser extracted", "closed");
    let argument = json!({"name": "session", "value": &id[..3]});
    let reference = json!({"type": "ref/prompt", "name": "continue-session"});
    let result = client.result("completion/complete", json!({"ref": reference, "argument": argument}));
    assert_eq!(result["completion"]["values"], json!([id]));
    client.close();
}

#[test]
fn prompts_are_what_people_say_with_what_is_remembered_in_them() {
    let project = sample_project!();
    let mut client = project.mcp().connect();
    let list = client.result("prompts/list", json!({}));
    let names: Vec<&str> =
        list["prompts"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["continue-session", "close-session", "save-handoff", "project-status"]);
    let mut text = |name: &str, arguments: Value| {
        let result = client.result("prompts/get", json!({"name": name, "arguments": arguments}));
        assert_eq!(result["messages"][0]["role"], "user");
        result["messages"][0]["content"]["text"].as_str().unwrap().to_owned()
    };
    let last = text("continue-session", json!({}));
    assert!(last.contains("Fix refresh test matrix"), "{last}");
    let named = text("continue-session", json!({"session": "0b5e11d2"}));
    assert!(named.contains("First sketch"), "{named}");
    assert!(text("project-status", json!({})).contains("Deploy staging"));
    assert!(text("close-session", json!({})).contains("`handoff_save_context`"));
    assert!(text("save-handoff", json!({})).contains("\"active\""));
    let (code, message) = client.error("prompts/get", json!({"name": "resume"}));
    assert!(code == -32602 && message.contains("continue-session"), "{message}");
    let (code, message) = client.error("prompts/get", json!({"name": "close-session", "arguments": {"x": "y"}}));
    assert!(code == -32602 && message.contains("takes no argument `x`"), "{message}");
    client.close();
}

#[test]
fn a_prompt_where_there_is_no_project_says_how_to_start() {
    let project = empty_directory!();
    let mut client = project.mcp().connect();
    let result = client.result("prompts/get", json!({"name": "continue-session"}));
    let text = result["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("handoff_init"), "{text}");
    client.close();
}

fn note(project: &TestProject, text: &str) {
    project.call("task note k7f3q2ma").word(text).run().succeeded();
}

#[test]
fn a_subscriber_is_told_of_a_change_that_another_process_makes() {
    let project = sample_project!();
    let mut client = project.mcp().connect();
    let uri = "handoff://task/k7f3q2ma";
    client.result("resources/subscribe", json!({"uri": uri}));
    client.result("resources/subscribe", json!({"uri": "handoff://config"}));
    note(&project, "one");
    assert_eq!(client.notification("notifications/resources/updated")["params"]["uri"], uri);
    project.edit(".handoff/config.toml", "name = \"my-app\"", "name = \"our-app\"");
    assert_eq!(client.notification("notifications/resources/updated")["params"]["uri"], "handoff://config");
    client.result("resources/unsubscribe", json!({"uri": uri}));
    note(&project, "two");
    project.edit(".handoff/config.toml", "name = \"our-app\"", "name = \"my-app\"");
    let told = client.notification("notifications/resources/updated");
    assert_eq!(told["params"]["uri"], "handoff://config", "nobody asks for the task any more");
    client.close();
}

#[test]
fn a_subscriber_is_told_when_the_list_changes() {
    let project = sample_project!();
    let mut client = project.mcp().connect();
    client.result("resources/subscribe", json!({"uri": "handoff://sessions"}));
    project.call("task update m2x9a4te --status in_progress").run().succeeded();
    client.notification("notifications/resources/list_changed");
    assert!(uris(&mut client).contains(&"handoff://task/m2x9a4te".to_owned()));
    client.close();
}

#[test]
fn subscribing_to_nothing_is_an_error() {
    let project = sample_project!();
    let mut client = project.mcp().connect();
    let (code, _) = client.error("resources/subscribe", json!({"uri": "file:///etc/passwd"}));
    assert_eq!(code, -32002);
    client.result("resources/unsubscribe", json!({"uri": "handoff://config"}));
    client.close();
}

#[test]
fn a_subscription_of_the_stateless_era_is_a_request_that_stays_open() {
    let project = sample_project!();
    let mut client = project.mcp().start();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "claude-code", "version": "2.1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let uri = "handoff://task/k7f3q2ma";
    // What was shown counts: the subscription begins where this left off.
    client.result("resources/read", json!({"uri": uri, "_meta": meta}));
    let wanted = json!({"resourceSubscriptions": [uri, "file:///etc/passwd"], "resourcesListChanged": true});
    let id = client.ask("subscriptions/listen", json!({"notifications": wanted, "_meta": meta}));
    let accepted = client.notification("notifications/subscriptions/acknowledged");
    assert_eq!(accepted["params"]["notifications"]["resourceSubscriptions"], json!([uri]), "{accepted}");
    note(&project, "one");
    let told = client.notification("notifications/resources/updated");
    assert_eq!(told["params"]["uri"], uri);
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], json!(id), "{told}");
    client.notify("notifications/cancelled", json!({"requestId": id}));
    client.result("tools/list", json!({"_meta": meta}));
    client.close();
}

#[test]
fn an_open_subscription_does_not_hold_up_the_end() {
    let project = sample_project!();
    let mut client = project.mcp().connect();
    client.result("resources/subscribe", json!({"uri": "handoff://config"}));
    client.close();
}
