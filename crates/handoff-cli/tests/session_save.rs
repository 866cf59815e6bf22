//! Saving: what is given is kept, whichever sessions it concerns, or refused as a whole.

use handoff_testkit::{McpClient, TestProject, project, text_in};
use serde_json::{Value, json};

const SAVE: &str = "handoff_save_context";
const START: &str = "handoff_start_session";

/// A request that says something in every field a session has.
fn everything() -> Value {
    json!({
        "summary": "Token parser extracted",
        "title": "Refactor auth",
        "next": ["Fix refresh tests"],
        "decisions": [{"decision": "JWT over sessions", "reason": "stateless", "confidence": "estimated", "paths": ["src/auth/"]}],
        "blockers": ["waiting for the key"],
        "checklist": [{"item": "verify on staging", "owner": "user"}, {"item": "write it down", "checked": true}],
        "handoff_notes": [{"note": "the database runs on port 5433", "category": "caution"}],
        "references": [{"label": "Bug", "uri": "https://example.com/31", "type": "issue", "notes": "see the log"}],
        "context_pointers": [{"path": "src/auth.rs", "lines": "42-78", "reason": "resume here"}],
        "environment": {"node": "22", "services": {"db": 5433}},
        "timeline": "auth",
        "label": "wip",
        "name": "project-state",
        "tags": ["api", "auth"],
        "ttl": "7d",
        "body": "## Context\r\nfree text",
        "related_task_ids": ["k7f3q2ma"],
    })
}

/// Checks that a session has all of it.
fn assert_everything(session: &Value) {
    let given = everything();
    for field in ["summary", "title", "next", "blockers", "environment", "timeline", "label", "tags", "body"] {
        assert_eq!(session[field], given[field], "`{field}` of {session:#}");
    }
    let decision = &session["decisions"][0];
    for field in ["decision", "reason", "confidence", "paths"] {
        assert_eq!(decision[field], given["decisions"][0][field], "`{field}` of {decision}");
    }
    assert_eq!(session["checklist"][0], json!({"item": "verify on staging", "checked": false, "owner": "user"}));
    assert_eq!(session["checklist"][1]["checked"], true);
    assert_eq!(session["notes"], given["handoff_notes"]);
    assert_eq!(session["references"][0], given["references"][0]);
    for field in ["path", "lines", "reason"] {
        assert_eq!(session["pointers"][0][field], given["context_pointers"][0][field]);
    }
    assert_eq!(session["label_name"], given["name"]);
    assert_eq!(session["tasks"], given["related_task_ids"]);
    assert!(session["expires_at"].as_str().is_some_and(|at| at.starts_with("2026-11-22")), "{session:#}");
}

fn with_task() -> TestProject {
    project!().task("k7f3q2ma", |task| task.title("Implement auth"))
}

fn shown(project: &TestProject, id: &str) -> Value {
    project.json(&format!("session show {id}"))
}

fn status(project: &TestProject, id: &str) -> String {
    text_in(&shown(project, id), "status").to_owned()
}

fn id(facts: &Value) -> String {
    facts["id"].as_str().unwrap_or_else(|| panic!("no id in {facts:#}")).to_owned()
}

/// A session that is active and not the caller's.
fn other(client: &mut McpClient<'_>, summary: &str) -> String {
    id(&client.facts(START, json!({"summary": summary})))
}

fn merged(mut request: Value, more: Value) -> Value {
    let (Value::Object(fields), Value::Object(more)) = (&mut request, more) else { panic!("objects") };
    fields.extend(more);
    request
}

#[test]
fn every_field_is_kept_however_the_session_is_saved() {
    for how in
        ["record", "active", "own", "session_id", "close_session_id", "pause_session_id", "pause_active", "pause_only"]
    {
        let project = with_task();
        let mut client = project.mcp().connect();
        let (mut request, mut target) = (everything(), None);
        if !["record", "active"].contains(&how) {
            target = Some(other(&mut client, "Work"));
        }
        let (more, expected) = match how {
            "active" => (json!({"session_status": "active"}), "active"),
            "session_id" => (json!({"session_id": target, "session_status": "active"}), "active"),
            "close_session_id" => (json!({"close_session_id": target}), "closed"),
            "pause_session_id" => (json!({"pause_session_id": target}), "paused"),
            "pause_active" => (json!({"pause_active": true}), "paused"),
            "pause_only" => (json!({"pause_only": true}), "paused"),
            _ => (json!({}), "closed"),
        };
        request = merged(request, more);
        let facts = client.facts(SAVE, request);
        assert_eq!(facts["status"], expected, "{how}: {facts:#}");
        if let Some(target) = target {
            assert_eq!(id(&facts), target, "{how}");
        }
        assert_everything(&shown(&project, &id(&facts)));
        client.close();
    }
}

#[test]
fn what_is_saved_while_others_are_closed_and_paused_goes_into_the_session_that_is_meant() {
    let project = with_task();
    let mut client = project.mcp().connect();
    let (closing, pausing, target) =
        (other(&mut client, "To close"), other(&mut client, "To pause"), other(&mut client, "To save"));
    let more = json!({
        "session_id": target, "session_status": "active", "close_session_id": closing, "pause_session_id": pausing,
    });
    let facts = client.facts(SAVE, merged(everything(), more));
    assert_eq!(id(&facts), target);
    assert_everything(&shown(&project, &target));
    assert_eq!(status(&project, &target), "active");
    assert_eq!(status(&project, &closing), "closed");
    assert_eq!(status(&project, &pausing), "paused");
    let message = facts["message"].as_str().unwrap();
    assert!(message.contains(&closing) && message.contains(&pausing), "{message}");
    client.close();
}

#[test]
fn pausing_one_and_starting_another_is_one_step() {
    let project = with_task();
    for how in ["pause_active", "pause_session_id"] {
        let mut client = project.mcp().connect();
        let before = other(&mut client, "Before");
        let more =
            if how == "pause_active" { json!({"pause_active": true}) } else { json!({"pause_session_id": before}) };
        let facts = client.facts(SAVE, merged(merged(everything(), more), json!({"session_status": "active"})));
        assert_ne!(id(&facts), before);
        assert_everything(&shown(&project, &id(&facts)));
        assert_eq!((status(&project, &before).as_str(), facts["status"].as_str()), ("paused", Some("active")));
        let saved = client.facts(SAVE, json!({"summary": "Done"}));
        assert_eq!(id(&saved), id(&facts), "the new one is the caller's own");
        client.close();
    }
}

#[test]
fn pausing_alone_needs_no_summary_and_keeps_the_present_one() {
    let project = project!();
    let mut client = project.mcp().connect();
    let session = other(&mut client, "Half done");
    let facts = client.facts(SAVE, json!({"pause_only": true}));
    assert_eq!((id(&facts), facts["status"].as_str()), (session.clone(), Some("paused")));
    assert_eq!(shown(&project, &session)["summary"], "Half done");
    let missing = client.failure(SAVE, json!({"session_status": "active"}));
    assert!(missing.contains("summary"), "{missing}");
    client.close();
}

#[test]
fn requests_that_contradict_themselves_are_refused_and_change_nothing() {
    let project = with_task();
    let mut client = project.mcp().connect();
    let (session, second) = (other(&mut client, "Work"), other(&mut client, "Other"));
    client.facts(SAVE, json!({"summary": "Work", "session_status": "active", "session_id": session}));
    let before = project.records();
    for more in [
        json!({"session_id": session, "close_session_id": session, "session_status": "active"}),
        json!({"close_session_id": session, "pause_session_id": session}),
        json!({"close_session_id": session, "pause_active": true}),
        json!({"close_session_id": session, "pause_only": true}),
        json!({"session_id": session, "pause_session_id": session, "session_status": "active"}),
        json!({"session_id": session, "pause_active": true, "session_status": "active"}),
        json!({"pause_session_id": session, "session_id": second, "pause_only": true}),
        json!({"pause_only": true, "session_status": "active"}),
    ] {
        let refused = client.failure(SAVE, merged(everything(), more.clone()));
        assert!(refused.contains("pause") || refused.contains("close"), "{more}: {refused}");
        project.records().assert_same(&before, &format!("{more} was refused"));
    }
    client.close();
}

#[test]
fn sessions_to_pause_are_all_paused() {
    let project = project!();
    let mut client = project.mcp().connect();
    let (first, second) = (other(&mut client, "First"), other(&mut client, "Second"));
    let facts = client.facts(SAVE, json!({"summary": "Enough", "pause_session_id": first, "pause_active": true}));
    assert_eq!(id(&facts), first);
    for session in [&first, &second] {
        assert_eq!(status(&project, session), "paused");
    }
    client.close();
}

#[test]
fn a_session_that_is_paused_although_closing_was_asked_for_says_so() {
    let project = project!();
    let mut client = project.mcp().connect();
    let session = other(&mut client, "Work");
    let facts =
        client.facts(SAVE, json!({"summary": "Later", "session_status": "closed", "pause_session_id": session}));
    assert_eq!(facts["status"], "paused");
    assert!(facts["warnings"].to_string().contains("`session_status: closed` was not heeded"), "{facts:#}");
    client.close();
}

#[test]
fn a_session_that_is_not_there_or_closed_is_refused_wherever_it_is_named() {
    let project = with_task();
    let mut client = project.mcp().connect();
    let closed = id(&client.facts(SAVE, json!({"summary": "Over"})));
    other(&mut client, "Work");
    let before = project.records();
    for field in ["session_id", "close_session_id", "pause_session_id"] {
        let refused = client.failure(SAVE, merged(everything(), json!({field: closed})));
        assert!(refused.contains("is closed") && refused.contains("handoff_reopen_session"), "{field}: {refused}");
        let unknown = client.failure(SAVE, merged(everything(), json!({field: "ffffffff"})));
        assert!(unknown.contains("ffffffff"), "{field}: {unknown}");
    }
    project.records().assert_same(&before, "all were refused");
    client.close();
}

#[test]
fn what_is_open_is_added_to_other_lists_are_replaced_and_one_left_out_is_kept() {
    let project = with_task();
    let mut client = project.mcp().connect();
    let session = id(&client.facts(SAVE, merged(everything(), json!({"session_status": "active"}))));
    client.facts(SAVE, json!({"summary": "Token parser extracted", "session_status": "active"}));
    assert_everything(&shown(&project, &session));
    client.facts(
        SAVE,
        json!({
            "summary": "More", "session_status": "active",
            "add_next": ["Then rest", "Fix refresh tests"], "add_blockers": ["no time"], "add_decisions": ["Use axum"],
            "add_checklist": ["celebrate"], "add_notes": ["mind the gap"], "add_references": ["https://example.com/32"],
            "add_pointers": ["src/main.rs:7"],
        }),
    );
    let now = shown(&project, &session);
    assert_eq!(now["next"], json!(["Fix refresh tests", "Then rest"]), "said twice, it stands once");
    assert_eq!(now["blockers"], json!(["waiting for the key", "no time"]));
    assert_eq!(now["decisions"][1]["decision"], "Use axum");
    assert_eq!(now["checklist"][2]["item"], "celebrate");
    assert_eq!(now["notes"][1]["note"], "mind the gap");
    assert_eq!(now["references"][1]["uri"], "https://example.com/32");
    assert_eq!((&now["pointers"][1]["path"], &now["pointers"][1]["lines"]), (&json!("src/main.rs"), &json!("7")));
    client.facts(
        SAVE,
        json!({
            "summary": "Less", "session_status": "active", "next": ["Only this"], "blockers": [],
            "references": ["https://example.com/33"], "context_pointers": [],
        }),
    );
    let now = shown(&project, &session);
    assert_eq!(now["next"], json!(["Only this", "Fix refresh tests", "Then rest"]), "the others stay open");
    assert_eq!(now["blockers"], json!(["waiting for the key", "no time"]), "an empty list settles nothing");
    let references = now["references"].as_array().unwrap();
    assert_eq!((references.len(), &references[0]["uri"]), (1, &json!("https://example.com/33")));
    assert_eq!(now["pointers"], Value::Null, "an empty list replaces too");
    assert_eq!(now["decisions"].as_array().unwrap().len(), 2, "what was left out is kept");
    let whole = json!({"summary": "Less", "session_status": "active", "next": ["Only this"], "replace_next": true});
    client.facts(SAVE, whole);
    let now = shown(&project, &session);
    assert_eq!(now["next"], json!(["Only this"]));
    assert_eq!(now["blockers"], json!(["waiting for the key", "no time"]), "only next steps are replaced");
    client.close();
}

/// The key of a field where a session is shown.
fn shown_as(field: &str) -> &str {
    match field {
        "handoff_notes" => "notes",
        "context_pointers" => "pointers",
        "related_task_ids" => "tasks",
        "name" => "label_name",
        "ttl" => "expires_at",
        field => field,
    }
}

/// Saves an active session with everything, then with `null` for these fields. How it is shown before and after.
fn saved_with_null(project: &TestProject, fields: &[&str]) -> (String, Value, Value) {
    let mut client = project.mcp().connect();
    let session = id(&client.facts(SAVE, merged(everything(), json!({"session_status": "active"}))));
    let before = shown(project, &session);
    let nothing: serde_json::Map<String, Value> =
        fields.iter().map(|field| ((*field).to_owned(), Value::Null)).collect();
    let request = merged(json!({"summary": "Bare", "session_status": "active"}), Value::Object(nothing));
    client.facts(SAVE, request);
    client.close();
    let now = shown(project, &session);
    (session, before, now)
}

#[test]
fn null_clears_every_text_that_can_be_empty() {
    let project = with_task();
    let fields = ["title", "environment", "timeline", "label", "name", "ttl", "body"];
    let (session, _, now) = saved_with_null(&project, &fields);
    for field in fields {
        assert_eq!(now[shown_as(field)], Value::Null, "`{field}` of {now:#}");
    }
    assert!(!project.exists(&project.session_file(&session).replace(".toml", ".md")), "the body's file is gone");
}

#[test]
fn null_leaves_every_list_as_it_is() {
    let project = with_task();
    let fields = [
        "next",
        "decisions",
        "blockers",
        "checklist",
        "handoff_notes",
        "references",
        "context_pointers",
        "tags",
        "related_task_ids",
    ];
    let (_, before, now) = saved_with_null(&project, &fields);
    for field in fields {
        let field = shown_as(field);
        assert!(before[field].is_array(), "`{field}` of {before:#}");
        assert_eq!(now[field], before[field], "`{field}` of {now:#}");
    }
}

#[test]
fn the_tool_that_is_named_is_kept_in_a_session_that_was_there() {
    let project = project!();
    project.handoff("session start Work");
    assert_eq!(project.json("save --summary Done --tool codex")["tool"], "codex");
}

#[test]
fn the_answer_names_the_session_and_both_ways_to_fetch_it() {
    let project = project!();
    insta::assert_snapshot!(project.handoff("save --summary 'Parser extracted' --next 'Fix tests'"), @"✓ saved and closed session 2026-11-15-c15c0289; to fetch it: handoff resume c15c0289; open here: n1");
}

#[test]
fn a_save_at_an_old_revision_is_refused() {
    let project = project!();
    let started = project.json("session start Work");
    let (id, rev) = (started["id"].as_str().unwrap(), started["rev"].as_str().unwrap());
    project.handoff(&format!("session update {id} --next One"));
    let before = project.records();
    for line in [
        format!("save --session {id} --summary Done --if-rev {rev}"),
        format!("save --summary Done --if-rev {rev}"),
        format!("session update {id} --next Two --if-rev {rev}"),
        format!("session update --next Two --if-rev {rev}"),
        format!("session close {id} --if-rev {rev}"),
        format!("session close --if-rev {rev}"),
        format!("session pause {id} --if-rev {rev}"),
        format!("session pause --if-rev {rev}"),
    ] {
        project.call(&line).run().failed(4).says("changed");
    }
    project.records().assert_same(&before, "all were refused");
    let rev = shown(&project, id)["rev"].as_str().unwrap().to_owned();
    project.call(&format!("session update --next Two --if-rev {rev}")).run().succeeded();
    let rev = shown(&project, id)["rev"].as_str().unwrap().to_owned();
    project.call(&format!("save --summary Done --if-rev {rev}")).run().succeeded();
}
