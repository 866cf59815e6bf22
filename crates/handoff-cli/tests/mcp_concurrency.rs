//! Requests beside each other: readers do not wait for writers, and what is given up stops.
#![cfg(unix)]

use std::fs::File;

use handoff_testkit::{McpClient, TestProject, project, sample_project, text_of};
use serde_json::{Value, json};

/// The lock of the project, held as another process would hold it.
fn held(project: &TestProject) -> File {
    let path = project.path(".handoff/local/state/lock");
    let file =
        File::options().read(true).write(true).create(true).truncate(false).open(path).expect("the lock is a file");
    file.lock().expect("nobody holds it yet");
    file
}

fn ask_for_task(client: &mut McpClient<'_>, title: &str) -> i64 {
    client.ask("tools/call", json!({"name": "handoff_create_task", "arguments": {"title": title}}))
}

#[test]
fn reading_does_not_wait_for_a_change_that_waits() {
    let project = sample_project!();
    let mut client = project.mcp().connect();
    let lock = held(&project);
    let change = ask_for_task(&mut client, "Late");
    let reads: Vec<i64> =
        (0..40).map(|_| client.ask("tools/call", json!({"name": "handoff_list_tasks", "arguments": {}}))).collect();
    for read in reads {
        let answer = client.answer(&json!(read));
        let text = text_of(&answer["result"]);
        assert!(text.contains("Implement auth") && !text.contains("Late"), "{text}");
    }
    client.result("ping", json!({}));
    drop(lock);
    assert_eq!(client.answer(&json!(change))["result"]["isError"], false);
    assert!(client.text("handoff_list_tasks", json!({})).contains("Late"));
    client.close();
}

#[test]
fn changes_are_made_in_the_order_they_were_asked_for() {
    let project = project!();
    let mut client = project.mcp().connect();
    let ids: Vec<i64> = (1..=20).map(|n| ask_for_task(&mut client, &format!("Task {n}"))).collect();
    for (place, id) in ids.into_iter().enumerate() {
        let answer = client.answer(&json!(id));
        let facts = &answer["result"]["structuredContent"];
        assert_eq!(facts["number"], format!("{:02}", place + 1), "{answer}");
    }
    client.close();
}

#[test]
fn a_change_in_one_project_does_not_wait_for_another() {
    let project = sample_project!();
    let mut client = project.mcp().connect();
    let lock = held(&project);
    let waiting = ask_for_task(&mut client, "Late");
    client.text("handoff_create_task", json!({"title": "At once", "project_dir": "../old-app"}));
    drop(lock);
    client.answer(&json!(waiting));
    client.close();
}

#[test]
fn a_change_that_is_cancelled_while_it_waits_never_happens_and_is_not_answered() {
    let project = sample_project!();
    let mut client = project.mcp().connect();
    let lock = held(&project);
    let given_up = ask_for_task(&mut client, "Given up");
    let next = ask_for_task(&mut client, "Wanted");
    // Both have arrived once a later request is answered.
    client.result("ping", json!({}));
    client.notify("notifications/cancelled", json!({"requestId": given_up, "reason": "changed my mind"}));
    client.result("ping", json!({}));
    drop(lock);
    assert_eq!(client.answer(&json!(next))["result"]["isError"], false);
    let text = client.text("handoff_list_tasks", json!({}));
    assert!(text.contains("Wanted") && !text.contains("Given up"), "{text}");
    let rest = client.rest();
    assert!(rest.iter().all(|message| message["id"] != json!(given_up)), "{rest:?}");
}

#[test]
fn cancelling_what_is_over_or_was_never_asked_changes_nothing() {
    let project = sample_project!();
    let mut client = project.mcp().connect();
    let done = ask_for_task(&mut client, "Done");
    client.answer(&json!(done));
    for id in [json!(done), json!(4711), json!("x"), Value::Null] {
        client.notify("notifications/cancelled", json!({"requestId": id}));
    }
    assert!(client.text("handoff_list_tasks", json!({})).contains("Done"));
    client.close();
}

#[test]
fn what_takes_too_long_is_stopped_and_says_so() {
    let project = sample_project!();
    let mut client = project.mcp().env("HANDOFF_MCP_TIMEOUT_SECONDS", "5").connect();
    let lock = held(&project);
    let before = project.records();
    let text = client.failure("handoff_create_task", json!({"title": "Late"}));
    assert!(text.contains("5 s") && text.contains("nothing was changed"), "{text}");
    drop(lock);
    project.records().assert_same(&before, "it was stopped");
    client.text("handoff_create_task", json!({"title": "In time"}));
    assert!(!client.text("handoff_list_tasks", json!({})).contains("Late"));
    client.close();
}

#[test]
fn a_signal_stops_what_waits() {
    let project = sample_project!();
    let mut client = project.mcp().connect();
    let lock = held(&project);
    let before = project.records();
    let waiting = ask_for_task(&mut client, "Late");
    client.result("ping", json!({}));
    let status = std::process::Command::new("kill").args(["-TERM", &client.process().to_string()]).status();
    assert!(status.unwrap().success());
    while let Some(message) = client.read() {
        assert!(message["id"] != json!(waiting) || message["result"]["isError"] == true, "{message}");
    }
    client.ended(0);
    drop(lock);
    project.records().assert_same(&before, "what waited was stopped");
}

#[test]
fn progress_is_told_to_those_who_ask_and_only_grows() {
    let project = project!();
    for number in 1..=30 {
        let id = format!("t{}", "abcdefghijklmnopqrstuvwxyz234567".chars().nth(number).unwrap().to_string().repeat(7));
        let directory = format!(".handoff/tasks/{number:02}-todo--task-{number}");
        project.write(
            &format!("{directory}/task.toml"),
            format!("id = \"{id}\"\ntitle = \"Task {number}\"\nstatus = \"todo\"\n"),
        );
    }
    let mut client = project.mcp().connect();
    let call =
        |arguments: Value, meta: Value| json!({"name": "handoff_share_project", "arguments": arguments, "_meta": meta});
    let id = client.ask("tools/call", call(json!({}), json!({"progressToken": "p1"})));
    let mut last = -1.0;
    let answer = loop {
        let message = client.read().unwrap();
        if message["id"] == json!(id) {
            break message;
        }
        assert_eq!(message["method"], "notifications/progress", "{message}");
        let params = &message["params"];
        assert_eq!(params["progressToken"], "p1");
        assert!(params["progress"].as_f64().unwrap() > last, "{message}");
        assert!(params["message"].is_string(), "{message}");
        last = params["progress"].as_f64().unwrap();
    };
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert!(last >= 0.0, "something was told");
    client.call("handoff_unshare_project", json!({}));
    assert_eq!(client.rest(), Vec::<Value>::new(), "who gave no token hears nothing");
}
