//! Clients of every age: the handshake up to 2025-11-25, and requests that stand alone since 2026-07-28.

use handoff_testkit::{McpClient, project, text_of};
use serde_json::{Value, json};

/// A request as a client of 2026-07-28 makes it.
fn modern(client: &mut McpClient<'_>, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "claude-code", "version": "2.1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    client.result(method, params)
}

#[test]
fn the_version_a_client_asks_for_is_the_one_it_gets_and_an_unknown_one_is_the_newest() {
    let project = project!();
    let known = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"].map(|version| (version, version));
    let unknown = [("1999-01-01", "2025-11-25"), ("2026-07-28", "2025-11-25"), ("nonsense", "2025-11-25")];
    for (asked, expected) in known.into_iter().chain(unknown) {
        let mut client = project.mcp().start();
        let answer = client.initialize(asked);
        assert_eq!(answer["protocolVersion"], expected, "for {asked}");
        assert_eq!(answer["serverInfo"]["name"], "handoff");
        let result = client.call("handoff_list_tasks", json!({}));
        assert_eq!(result["resultType"], Value::Null, "fields of a later version are left out: {result}");
        assert_eq!(client.result("tools/list", json!({}))["ttlMs"], Value::Null);
        client.close();
    }
}

#[test]
fn the_server_says_what_it_can_do_in_two_or_three_sentences() {
    let project = project!();
    let mut client = project.mcp().start();
    let answer = client.initialize("2025-11-25");
    let can = &answer["capabilities"];
    assert!(can["tools"].is_object() && can["prompts"].is_object() && can["completions"].is_object(), "{can}");
    assert_eq!(can["resources"], json!({"subscribe": true, "listChanged": true}));
    assert_eq!(can["logging"], Value::Null, "nothing is offered that is not there");
    let instructions = answer["instructions"].as_str().unwrap();
    assert!(instructions.matches(". ").count() <= 2 && instructions.len() < 600, "{instructions}");
    for tool in ["handoff_load_context", "handoff_save_context"] {
        assert!(instructions.contains(tool), "{instructions}");
    }
    client.close();
}

#[test]
fn a_client_of_the_stateless_era_needs_no_handshake() {
    let project = project!().task("k7f3q2ma", |task| task.title("Implement auth"));
    let mut client = project.mcp().start();
    let found = modern(&mut client, "server/discover", json!({}));
    assert!(found["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")), "{found}");
    assert_eq!(found["resultType"], "complete");
    assert!(found["ttlMs"].as_u64().unwrap() > 0);
    assert_eq!(found["cacheScope"], "public");
    for (method, items) in
        [("tools/list", "tools"), ("prompts/list", "prompts"), ("resources/templates/list", "resourceTemplates")]
    {
        let list = modern(&mut client, method, json!({}));
        assert!(!list[items].as_array().unwrap().is_empty(), "{list}");
        assert!(list["ttlMs"].as_u64().unwrap() >= 60_000, "{method} stays true for long: {}", list["ttlMs"]);
        assert_eq!((&list["cacheScope"], &list["resultType"]), (&json!("public"), &json!("complete")));
    }
    let list = modern(&mut client, "resources/list", json!({}));
    assert_eq!((&list["ttlMs"], &list["cacheScope"]), (&json!(0), &json!("private")), "state is never cached");
    let config = modern(&mut client, "resources/read", json!({"uri": "handoff://config"}));
    assert_eq!((&config["ttlMs"], &config["cacheScope"]), (&json!(0), &json!("private")));
    let result = modern(&mut client, "tools/call", json!({"name": "handoff_list_tasks", "arguments": {}}));
    assert_eq!(result["resultType"], "complete");
    assert!(text_of(&result).contains("Implement auth"), "{result}");
    client.close();
}

#[test]
fn a_client_that_shakes_hands_after_a_good_discovery_works() {
    let project = project!();
    let mut client = project.mcp().start();
    modern(&mut client, "server/discover", json!({}));
    assert_eq!(client.initialize("2025-11-25")["protocolVersion"], "2025-11-25");
    assert!(!client.result("tools/list", json!({}))["tools"].as_array().unwrap().is_empty());
    // And back again.
    modern(&mut client, "tools/list", json!({}));
    client.close();
}

#[test]
fn a_request_in_a_version_nobody_knows_is_answered_with_those_that_are() {
    let project = project!();
    let mut client = project.mcp().start();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2031-01-01",
        "io.modelcontextprotocol/clientInfo": {"name": "later", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let answer = client.request("server/discover", json!({"_meta": meta}));
    assert_eq!(answer["error"]["code"], -32022, "{answer}");
    assert!(answer.to_string().contains("2026-07-28"), "{answer}");
    client.close();
}

#[test]
fn a_client_that_never_introduces_itself_is_served() {
    let project = project!();
    let mut client = project.mcp().start();
    assert!(!client.result("tools/list", json!({}))["tools"].as_array().unwrap().is_empty());
    client.text("handoff_list_tasks", json!({}));
    client.close();
}

#[test]
fn a_client_that_says_little_about_itself_is_served() {
    let project = project!();
    let mut client = project.mcp().start();
    assert_eq!(client.result("initialize", json!({}))["protocolVersion"], "2025-11-25");
    let answer = client.result("initialize", json!({"protocolVersion": "2025-06-18"}));
    assert_eq!(answer["protocolVersion"], "2025-06-18", "introducing oneself again is no error");
    let (code, _) = client.error("initialize", json!({"protocolVersion": 5}));
    assert_eq!(code, -32602);
    client.text("handoff_list_tasks", json!({}));
    client.close();
}
