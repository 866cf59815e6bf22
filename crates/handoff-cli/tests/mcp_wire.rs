//! The MCP server line by line: what comes in wrong is answered or passed over, and the server lives.

use handoff_testkit::{McpClient, project};
use serde_json::{Value, json};

fn refused(client: &mut McpClient<'_>, code: i64, reason: &str) {
    let message = client.read().expect("the server lives");
    assert!(message.get("id").is_some(), "the id is there, and null: {message}");
    assert_eq!(message["id"], Value::Null, "{message}");
    assert_eq!(message["error"]["code"], code, "{message}");
    let said = message["error"]["message"].as_str().expect("an error has a message");
    assert!(said.contains(reason), "{said}");
}

fn lives(client: &mut McpClient<'_>) {
    assert_eq!(client.result("ping", json!({})), json!({}));
}

#[test]
fn a_line_that_is_no_json_is_a_parse_error_and_the_server_lives() {
    let project = project!();
    let mut client = project.mcp().connect();
    let lines: [(&[u8], &str); 5] = [
        (b"hello\n", "not JSON"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"\n", "not JSON"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}\n", "not UTF-8"),
        (b"\0\0\0\n", "not JSON"),
        (b"{\"a\":\"\\ud800\"}\n", "not JSON"),
    ];
    for (line, reason) in lines {
        client.send_bytes(line);
        refused(&mut client, -32700, reason);
        lives(&mut client);
    }
    client.close();
}

#[test]
fn a_line_nested_a_hundred_thousand_deep_is_a_parse_error() {
    let project = project!();
    let mut client = project.mcp().connect();
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let line = format!("{}1{}\n", open.repeat(100_000), close.repeat(100_000));
        client.send_bytes(line.as_bytes());
        refused(&mut client, -32700, "recursion limit");
        let params = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{params}}}\n");
        client.send_bytes(line.as_bytes());
        refused(&mut client, -32700, "recursion limit");
    }
    lives(&mut client);
    client.close();
}

#[test]
fn a_line_longer_than_sixteen_megabytes_is_passed_over() {
    let project = project!();
    let mut client = project.mcp().connect();
    let mut line = vec![b'x'; 40 * 1024 * 1024];
    line.push(b'\n');
    client.send_bytes(&line);
    refused(&mut client, -32700, "longer than 16 MB");
    lives(&mut client);
    client.close();
}

#[test]
fn a_request_that_is_too_long_is_answered_with_its_id() {
    let project = project!();
    let mut client = project.mcp().connect();
    let huge = json!({"text": "x".repeat(17 * 1024 * 1024), "id": 99});
    let call = json!({"name": "handoff_list_tasks", "arguments": huge}).to_string();
    for (line, id) in [
        (format!(r#"{{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{call}}}"#), json!(71)),
        (format!(r#"{{"jsonrpc":"2.0","method":"tools/call","params":{call},"id":"last"}}"#), json!("last")),
    ] {
        client.send_bytes(format!("{line}\n").as_bytes());
        let answer = client.answer(&id);
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        assert_eq!(answer["error"]["message"], "the message is longer than 16 MB");
    }
    client.send_bytes(format!("{{\"jsonrpc\":\"2.0\",\"method\":\"no/such\",\"params\":{call}}}\n").as_bytes());
    lives(&mut client);
    assert_eq!(client.rest(), Vec::<serde_json::Value>::new(), "a notification is not answered");
}

#[test]
fn a_batch_is_refused_with_a_reason() {
    let project = project!();
    let mut client = project.mcp().connect();
    for batch in [json!([]), json!([{"jsonrpc": "2.0", "id": 1, "method": "ping"}])] {
        client.send(&batch);
        refused(&mut client, -32600, "batch");
    }
    lives(&mut client);
    client.close();
}

#[test]
fn json_that_is_no_message_is_an_invalid_request() {
    let project = project!();
    let mut client = project.mcp().connect();
    for message in [json!(1), json!("ping"), json!(null), json!({}), json!({"jsonrpc": "2.0"})] {
        client.send(&message);
        refused(&mut client, -32600, "");
    }
    client.send(&json!({"jsonrpc": "1.0", "id": "old", "method": "ping"}));
    assert_eq!(client.answer(&json!("old"))["error"]["code"], -32600, "an id that is known is given back");
    lives(&mut client);
    client.close();
}

#[test]
fn a_notification_is_never_answered_even_when_it_makes_no_sense() {
    let project = project!();
    let mut client = project.mcp().start();
    client.notify("notifications/initialized", json!({}));
    client.initialize("2025-11-25");
    for method in ["notifications/cancelled", "notifications/no_such", "ping", "tools/call", "tools/list"] {
        client.notify(method, json!({"name": "handoff_list_tasks"}));
        client.send(&json!({"jsonrpc": "2.0", "method": method, "params": [1]}));
    }
    client.send(&json!({"jsonrpc": "2.0", "id": 99, "result": {}}));
    client.send(&json!({"jsonrpc": "2.0", "id": 99, "error": {"code": 1, "message": "x"}}));
    lives(&mut client);
    assert_eq!(client.rest(), Vec::<Value>::new());
}

#[test]
fn line_ends_of_windows_blank_lines_and_a_byte_order_mark_are_tolerated() {
    let project = project!();
    let mut client = project.mcp().start();
    let ping = |id: i64| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}");
    let input = format!("\u{feff}{}\r\n\r\n\n   \n\t{} \r\n", ping(1), ping(2));
    client.send_bytes(input.as_bytes());
    for id in [1, 2] {
        assert_eq!(client.answer(&json!(id))["result"], json!({}));
    }
    // The last line needs no end.
    client.send_bytes(ping(3).as_bytes());
    let rest = client.rest();
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert_eq!(rest[0]["id"], 3);
}

#[test]
fn a_message_may_come_in_pieces() {
    let project = project!();
    let mut client = project.mcp().connect();
    for piece in ["{\"jsonrpc\":\"2.0\",", "\"id\":\"slow\",\"method\"", ":\"ping\"}", "\n"] {
        client.send_bytes(piece.as_bytes());
    }
    assert_eq!(client.answer(&json!("slow"))["result"], json!({}));
    client.close();
}

#[test]
fn what_was_asked_before_the_end_of_input_is_answered() {
    let project = project!().task("k7f3q2ma", |task| task.title("Implement auth"));
    let mut client = project.mcp().connect();
    let ids: Vec<i64> =
        (0..20).map(|_| client.ask("tools/call", json!({"name": "handoff_list_tasks", "arguments": {}}))).collect();
    let answers = client.rest();
    assert_eq!(answers.len(), ids.len());
    assert!(answers.iter().all(|answer| answer["result"]["isError"] == false), "{answers:?}");
}

#[test]
fn an_unknown_method_and_wrong_parameters_are_told_apart() {
    let project = project!();
    let mut client = project.mcp().connect();
    let (code, message) = client.error("tasks/burn", json!({}));
    assert_eq!((code, message.as_str()), (-32601, "no method is called `tasks/burn`"));
    let (code, message) = client.error("resources/read", json!({"url": "handoff://config"}));
    assert_eq!(code, -32602);
    assert!(message.contains("`resources/read`"), "{message}");
    let (code, message) = client.error("tools/call", json!({"name": "handoff_list_tasks", "arguments": [1]}));
    assert_eq!((code, message.as_str()), (-32602, "`arguments` must be an object"));
    lives(&mut client);
    client.close();
}

#[test]
fn ids_come_back_as_they_were() {
    let project = project!();
    let mut client = project.mcp().connect();
    for id in [json!(0), json!(-5), json!("a"), json!(""), json!("12"), json!(9_007_199_254_740_993_i64)] {
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
        assert_eq!(client.answer(&id)["result"], json!({}));
    }
    client.close();
}
