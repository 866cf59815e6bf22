//! Secrets: kept with a warning, held back before others get them, redacted for models.

use handoff_testkit::{Agent, Answer, TestProject, project, shared_project};
use serde_json::{Value, json};

/// Put together here, so that no scanner of repositories takes this file for a leak.
fn token() -> String {
    format!("gh{}_{}", "p", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
}

/// What a scan found, as JSON.
fn found(answer: &Answer) -> Value {
    assert_eq!(answer.code, 4, "{answer}");
    serde_json::from_str(&answer.stdout).expect("the answer is JSON")
}

fn fingerprint(project: &TestProject, text: &str) -> String {
    let found = found(&project.call("secrets scan - --json").stdin(text).run());
    found["findings"][0]["fingerprint"].as_str().expect("something was found").to_owned()
}

#[test]
fn a_private_store_keeps_the_bytes_and_warns_once() {
    let project = project!();
    let token = token();
    project
        .call(&format!("task create 'Rotate {token}'"))
        .run()
        .succeeded()
        .says("this looks like a secret: ")
        .says("github-token `ghp_…`")
        .says("handoff secrets allow ");
    let task = project.json("task list")["tasks"][0]["id"].as_str().unwrap().to_owned();
    project.call(&format!("task show {task}")).run().succeeded().says(&token);
    project.call(&format!("task note {task} 'nothing new'")).run().succeeded().hides("this looks like a secret");
}

#[test]
fn a_shared_store_takes_no_secret_until_it_is_let_through() {
    let project = shared_project!();
    let token = token();
    let save = format!("save 'Deployed' --next 'use {token}'");
    let before = project.records();
    project
        .call(&save)
        .run()
        .failed(4)
        .says("git would carry this to others, and it holds 2 secrets: nothing was written")
        .says("github-token `ghp_…`, fingerprint ")
        .says("take it out, or write `[redacted]` in its place, and ask again")
        .says("handoff secrets allow ")
        .hides(&token);
    assert_eq!(project.records(), before);
    let fingerprint = fingerprint(&project, &token);
    project.call(&format!("secrets allow {fingerprint}")).run().succeeded().says("1 fingerprint is let through now");
    project.call(&save).run().succeeded().hides("secret");
    project.call("secrets scan").run().succeeded().says("no secrets in ");
    project.call("resume").run().succeeded().says(&token);
}

#[test]
fn what_stands_in_a_shared_store_already_holds_nothing_else_up() {
    let token = token();
    let project = shared_project!().task("k7f3q2ma", |task| task.title(&format!("Rotate {token}")));
    project.call("task note k7f3q2ma hello").run().succeeded();
    project.call("task create 'Another task'").run().succeeded();
    project.call(&format!("task create 'Copy of {token}'")).run().failed(4);
}

#[test]
fn a_project_with_a_secret_is_not_shared() {
    let token = token();
    let project = project!().task("k7f3q2ma", |task| task.title(&format!("Rotate {token}")));
    let before = project.records();
    project.call("share").run().failed(4).says("the project stays private").says("task.toml, line ").hides(&token);
    assert_eq!(project.records(), before);
    let fingerprint = fingerprint(&project, &token);
    project.call(&format!("secrets allow {fingerprint}")).run().succeeded();
    project.call("share").run().succeeded().says("this project is shared now");
}

#[test]
fn a_model_is_told_a_mark_and_never_the_secret() {
    let token = token();
    let project = project!().task("k7f3q2ma", |task| task.title(&format!("Rotate {token}")).status("in_progress"));
    project.call("resume").run().succeeded().says("Rotate [redacted: github-token]").hides(&token);
    project.call("resume --json").run().succeeded().says("[redacted: github-token]").hides(&token);
    // On a terminal of one's own, the bytes are shown.
    project.call("task show k7f3q2ma").run().succeeded().says(&token);

    let mut client = project.mcp().connect();
    for (tool, request) in [
        ("handoff_load_context", json!({})),
        ("handoff_load_context", json!({"format": "json"})),
        ("handoff_get_task", json!({"task_id": "k7f3q2ma"})),
        ("handoff_list_tasks", json!({})),
        ("handoff_search", json!({"query": "rotate"})),
    ] {
        let answer = client.call(tool, request).to_string();
        assert!(!answer.contains(&token), "{tool}: {answer}");
        assert!(answer.contains("[redacted: github-token]"), "{tool}: {answer}");
    }
    client.close();

    let said = Agent::claude(&project, "s1").starts("startup");
    assert!(said.contains("[redacted: github-token]") && !said.contains(&token), "{said}");
}

#[test]
fn a_file_a_pipe_and_the_records_are_looked_through() {
    let project = project!();
    let token = token();
    project.write("notes.txt", format!("fine\nexport X={token}\n"));
    let shown = project.call("secrets scan notes.txt").run();
    assert_eq!(shown.code, 4, "{shown}");
    shown.says("notes.txt:2").says("github-token").hides(&token);
    let found = found(&project.call("secrets scan notes.txt --json").run());
    assert_eq!((&found["findings"][0]["line"], &found["findings"][0]["rule"]), (&json!(2), &json!("github-token")));
    project.call("secrets scan -").stdin("nothing here\n").run().succeeded().says("no secrets in 1 text");
    project.call("secrets scan -").stdin([0xff, 0xfe, b'x']).run().succeeded();
    project.call("secrets scan").run().succeeded().says("no secrets in ");
    project.call("secrets scan missing.txt").run().failed(3).says("no file `missing.txt`");
    project.call("secrets scan .").run().failed(2).says("`.` is a directory: give a file");
}

#[test]
fn only_fingerprints_can_be_let_through() {
    let project = project!();
    project.call("secrets allow ghp_x").run().failed(2).says("is no fingerprint of a secret");
    project.call("secrets allow").run().failed(2);
    project.call("secrets allow 3F9A0C21B7DE").run().succeeded();
    project.call("secrets allow 3f9a0c21b7de").run().succeeded().says("lets it through already");
    project.call("secrets allow 000000000001 --user").run().succeeded();
    let project_allows = project.json("config get secrets.allow");
    assert!(project_allows.to_string().contains("3f9a0c21b7de"), "{project_allows}");
    project.call("config set secrets.allow nonsense").run().failed(2).says("is no fingerprint of a secret");
}

#[test]
fn what_the_user_and_the_project_let_through_both_counts() {
    let project = shared_project!();
    let (token, password) = (token(), "DB_PASSWORD=Hunter2Secret99");
    for (text, layer) in [(token.as_str(), "--user"), (password, "")] {
        project.call(&format!("secrets allow {} {layer}", fingerprint(&project, text))).run().succeeded();
    }
    project.call(&format!("task create 'Use {token} and {password}'")).run().succeeded();
}

#[test]
fn the_body_of_a_package_is_looked_at_like_everything_else() {
    let token = token();
    let private = project!();
    let stored = private.call("store --name notes").stdin(format!("rotate {token}\n")).run();
    assert_eq!(stored.code, 0, "{stored}");
    assert!(stored.stderr.contains("this looks like a secret"), "{stored}");
    let shared = shared_project!();
    let refused = shared.call("store --name notes").stdin(format!("rotate {token}\n")).run();
    assert_eq!(refused.code, 4, "{refused}");
    refused.hides(&token);
    assert!(shared.tree(".handoff/sessions").files().is_empty(), "nothing was written");
}

#[test]
fn what_is_let_through_is_rendered_and_exported_too() {
    let token = token();
    let project = project!();
    project.call(&format!("save 'Rotate {token}'")).run().succeeded();
    project.call("render").run().succeeded().hides(&token).says("[redacted: github-token]");
    assert_eq!(project.call("export").run().hides(&token).code, 4);
    project.call(&format!("secrets allow {}", fingerprint(&project, &token))).run().succeeded();
    project.call("render").run().succeeded().says(&token);
    project.call("export").run().succeeded().says(&token);
}

#[test]
fn what_comes_back_from_the_trash_of_a_shared_project_is_looked_at() {
    let token = token();
    let project = project!().task("k7f3q2ma", |task| task.title(&format!("Rotate {token}")));
    project.call("task delete k7f3q2ma").run().succeeded();
    project.call("share").run().succeeded();
    let refused = project.call("task restore k7f3q2ma").run();
    assert_eq!(refused.code, 4, "{refused}");
    assert!(project.tree(".handoff/tasks").files().is_empty(), "nothing came back");
}

#[test]
fn an_agent_cannot_let_a_secret_through() {
    let project = project!();
    let mut client = project.mcp().connect();
    let answer = client.call("handoff_update_config", json!({"updates": {"secrets.allow": ["0123456789ab"]}}));
    assert!(answer.to_string().contains("only a person can let a secret through"), "{answer}");
    client.close();
}
