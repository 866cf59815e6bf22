//! Resuming: what to do now, from the last handoff and the files as they are, wherever one is asked.

use handoff_testkit::{TestProject, empty_directory, project, sample_project, text_of};
use serde_json::{Value, json};

const LOAD: &str = "handoff_load_context";
const SAVE: &str = "handoff_save_context";

fn save(project: &TestProject, request: &Value) -> Value {
    project.call("save --json").request(request).run().succeeded().json()
}

#[test]
fn a_project_without_a_handoff_says_so_and_how_to_start() {
    insta::assert_snapshot!(project!().handoff("resume"), @"
    Handoff of my-app
    no handoff was saved here yet
    to go on: run `handoff session start 'what it is about'`
    ");
}

#[test]
fn a_directory_without_a_project_is_a_success_that_says_how_to_start() {
    let project = empty_directory!();
    insta::assert_snapshot!(project.handoff("resume"), @"
    no handoff project here yet, so there is nothing to continue from
    to start one: run `handoff init my-app`
    ");
    let mut client = project.mcp().connect();
    let text = client.text(LOAD, json!({}));
    assert!(text.contains("handoff_init"), "{text}");
    let result = client.call(LOAD, json!({"format": "json"}));
    assert_eq!(result["isError"], false, "{result:#}");
    client.close();
    assert!(!project.exists(".handoff"), "looking makes nothing");
}

#[test]
fn a_project_that_appears_goes_and_comes_back_is_seen_in_the_next_answer() {
    let project = empty_directory!();
    project.make_directory("../later");
    let mut client = project.mcp().within("../later").connect();
    assert!(client.text(LOAD, json!({})).contains("no handoff project"));
    project.call("init later").within("../later").run().succeeded();
    project.call("save --summary 'First stop'").within("../later").run().succeeded();
    assert!(client.text(LOAD, json!({})).contains("First stop"));
    project.rename("../later/.handoff", "../aside");
    assert!(client.text(LOAD, json!({})).contains("no handoff project"));
    project.rename("../aside", "../later/.handoff");
    assert!(client.text(LOAD, json!({})).contains("First stop"));
    client.close();
}

#[test]
fn a_project_is_named_in_every_form_hosts_use() {
    let project = project!();
    project.handoff("save --summary 'In the project'");
    project.make_directory("src/deep");
    project.make_directory("../elsewhere");
    let absolute = project.path(".").to_string_lossy().into_owned();
    let mut client = project.mcp().within("../elsewhere").connect();
    for dir in [absolute.clone(), format!("{absolute}/.handoff"), "../my-app".to_owned()] {
        let text = client.text(LOAD, json!({"project_dir": dir}));
        assert!(text.contains("In the project"), "{dir}: {text}");
    }
    for nothing in [json!(""), json!("${workspaceFolder}"), json!(null)] {
        let text = client.text(LOAD, json!({"project_dir": nothing}));
        assert!(text.contains("no handoff project here"), "{nothing}: {text}");
    }
    client.close();
    for (name, value) in [("HANDOFF_PROJECT_DIR", absolute.as_str()), ("CLAUDE_PROJECT_DIR", absolute.as_str())] {
        project.call("resume").within("../elsewhere").env(name, value).run().says("In the project");
    }
    project.call("resume").within("src/deep").run().says("In the project");
    project.call("load").run().says("In the project");
}

#[test]
fn without_a_session_the_call_that_starts_one_is_filled_in_and_works() {
    let project = project!().task("k7f3q2ma", |task| task.title("Implement auth").status("in_progress"));
    let saved = save(&project, &json!({"summary": "Parser extracted", "title": "The parser"}));
    let id = saved["id"].as_str().unwrap();
    let mut client = project.mcp().connect();
    let context = client.call(LOAD, json!({"format": "json"}))["structuredContent"].take();
    assert_eq!(
        context["suggestion"],
        json!({
            "summary": format!("Continuing {id}"), "session_status": "active", "continues": id,
            "related_task_ids": ["k7f3q2ma"],
        })
    );
    let text = client.text(LOAD, json!({}));
    let request = text.split("`handoff_save_context` with `").nth(1).and_then(|rest| rest.split('`').next());
    let request: Value = serde_json::from_str(request.unwrap_or_else(|| panic!("{text}"))).unwrap();
    assert_eq!(request, context["suggestion"], "the text says the same");
    let facts = client.facts(SAVE, request);
    assert_eq!(facts["status"], "active");
    let text = client.text(LOAD, json!({}));
    assert!(text.contains("session under way") && !text.contains("to go on: "), "{text}");
    client.close();
}

#[test]
fn what_matters_comes_in_a_fixed_order() {
    let project = project!()
        .task("k7f3q2ma", |task| task.title("Implement auth").status("in_progress").criterion("tests pass"))
        .task("m2x9a4te", |task| task.title("Deploy").status("blocked").depends_on(&["k7f3q2ma"]))
        .task("q4w8e2rt", |task| task.title("Look over").status("review"))
        .task("r5e8t1ed", |task| task.title("Write docs"));
    project.write("src/auth.rs", "fn main() {}\n");
    save(
        &project,
        &json!({
            "summary": "Parser extracted", "title": "The parser", "next": ["Fix tests"], "blockers": ["No key"],
            "checklist": [{"item": "Verify", "owner": "user"}], "decisions": [{"decision": "JWT", "confidence": "estimated"}],
            "handoff_notes": [{"note": "Context of it", "category": "context"}, {"note": "Mind the port", "category": "caution"}],
            "context_pointers": [{"path": "src/auth.rs", "lines": "1-3", "reason": "resume here"}],
            "references": [{"label": "Bug", "uri": "https://example.com/1", "type": "issue"}],
        }),
    );
    insta::assert_snapshot!(project.handoff("resume"), @"
    Handoff of my-app
    last handoff: c15c0289, closed 2026-11-15T09:00:01Z
      The parser (by alice)
      Parser extracted

    Open
    - n1 Fix tests
    - b1 blocked: No key
    - c1 [ ] Verify (for the user)

    Tasks
    - 01 in_progress Implement auth; open: tests pass
    - 02 blocked Deploy — waits for 01 Implement auth
    - 03 review Look over
    - 04 todo Write docs

    Decisions
    - c15#d1 JWT (estimated)

    Cautions
    - w1 Mind the port

    Notes
    - Context of it

    Pointers
    - src/auth.rs:1-3 — resume here
    - issue Bug https://example.com/1
    all tasks: 1 blocked, 1 in_progress, 1 review, 1 todo; run `handoff task list`
    to go on: run `handoff session reopen c15c0289`
    ");
}

#[test]
fn a_session_that_is_named_is_resumed_from() {
    let project = project!();
    let old = save(&project, &json!({"summary": "Old stop", "next": ["Old step"]}));
    save(&project, &json!({"summary": "New stop", "next": ["New step"]}));
    let name = old["name"].as_str().unwrap();
    let answer = project.call("resume").word(name).run();
    let id = old["id"].as_str().unwrap();
    answer.succeeded().says(&format!("earlier handoff: {id}")).says("Old stop").hides("New stop");
    answer.says("- n1 Old step\n- n2 New step\n");
    let mut client = project.mcp().connect();
    let text = client.text(LOAD, json!({"session_id": old["id"]}));
    assert!(text.contains("Old stop") && !text.contains("New stop"), "{text}");
    assert!(text.contains("> n1 Old step\n> n2 New step\n"), "its own step first, then what else is open: {text}");
    let unknown = client.failure(LOAD, json!({"session_id": "ffffffff"}));
    assert!(unknown.contains("ffffffff") && unknown.contains("handoff_list_sessions"), "{unknown}");
    client.close();
}

#[test]
fn an_archived_session_can_be_resumed_from() {
    let project = sample_project!();
    project.call("resume 0b5e11d2").run().succeeded().says("First sketch");
}

#[test]
fn resuming_binds_the_connection_to_the_session_under_way() {
    let project = project!();
    let started = project.json("session start 'Long work'");
    let mut client = project.mcp().connect();
    client.text(LOAD, json!({}));
    // Another session beside it would make a guess impossible.
    project.handoff("session start 'Other work'");
    let facts = client.facts(SAVE, json!({"summary": "Done"}));
    assert_eq!(facts["id"], started["id"]);
    client.close();
}

#[test]
fn resuming_changes_nothing() {
    let project = sample_project!();
    let before = project.records();
    for line in ["resume", "resume 77c01b9d", "load --json"] {
        project.call(line).run().succeeded();
    }
    let mut client = project.mcp().connect();
    client.text(LOAD, json!({}));
    client.close();
    project.records().assert_same(&before, "it is only read");
}

#[test]
fn the_same_state_gives_the_same_bytes_whenever_it_is_asked() {
    let project = sample_project!();
    let mut client = project.mcp().connect();
    let first = client.text(LOAD, json!({}));
    client.close();
    // A later clock, another process, another directory.
    project.make_directory("src/deep");
    let mut client = project.mcp().within("src/deep").env("HANDOFF_CLOCK", "2027-03-01T00:00:00Z").connect();
    assert_eq!(client.text(LOAD, json!({})), first);
    client.close();
}

#[test]
fn a_session_that_is_paused_here_leads() {
    let project = project!();
    let last = save(&project, &json!({"summary": "Last stop", "next": ["The step"]}));
    let paused = save(&project, &json!({"summary": "Aside", "next": ["Its step"], "session_status": "active"}));
    project.handoff("session pause");
    let (last, paused) = (last["id"].as_str().unwrap(), paused["id"].as_str().unwrap());
    let text = project.handoff("resume");
    let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("`{words}` is missing: {text}"));
    assert!(place(&format!("paused session: {paused}, begun ")) < place(&format!("handoff before it: {last}, ")));
    assert!(text.contains("- n2 Its step\n- n1 The step\n"), "its own step first: {text}");
    assert!(text.contains(&format!("to go on: run `handoff session reopen {paused}`")), "{text}");
}

#[test]
fn what_is_of_others_is_listed_by_its_head_alone() {
    let project = project!();
    save(&project, &json!({"summary": "Last stop", "next": ["The step"]}));
    let request = json!({
        "summary": "Hidden summary", "title": "Aside", "handoff_notes": ["Hidden note"],
        "context_pointers": ["hidden.rs"], "session_status": "active",
    });
    let call = project.call("save --json").env("HANDOFF_ACTOR", "bob").request(&request);
    let theirs = call.run().succeeded().json();
    let id = theirs["id"].as_str().unwrap();
    let answer = project.call("resume").run();
    answer.succeeded().says("last handoff: ").says("The step").says("Other sessions");
    answer.says(&format!("- {id} active elsewhere, begun ")).says(": Aside (by bob)").hides("idden");
}

#[test]
fn both_forms_tell_the_same() {
    let project = sample_project!();
    let mut client = project.mcp().connect();
    let text = client.text(LOAD, json!({}));
    let result = client.call(LOAD, json!({"format": "json"}));
    let context: Value = serde_json::from_str(&text_of(&result)).unwrap();
    assert_eq!(context, result["structuredContent"]);
    for list in ["next", "decisions", "tasks", "checklist"] {
        for item in context[list].as_array().into_iter().flatten() {
            let said = item.as_str().or_else(|| item["title"].as_str());
            let said = said.or_else(|| item["decision"].as_str()).or_else(|| item["item"].as_str()).unwrap();
            assert!(text.contains(said), "{said} is missing: {text}");
        }
    }
    client.close();
}

#[test]
fn a_package_is_no_handoff() {
    let project = project!();
    save(&project, &json!({"summary": "Last stop"}));
    project.put_session(
        "2026-11-15-aaaaaaaa",
        "status = \"closed\"\nsummary = \"A package\"\nended_at = 2026-11-15T20:00:00Z\n",
    );
    project.edit(".handoff/sessions/2026-11-15-aaaaaaaa.toml", "kind = \"session\"", "kind = \"package\"");
    project.call("resume").run().says("Last stop").hides("A package");
}

#[test]
fn files_the_project_recommends_are_named() {
    let project = project!();
    project.write("ARCHITECTURE.md", "# Map\n");
    project.handoff("config set settings.context_files ARCHITECTURE.md");
    project.call("resume").run().says("worth reading first: ARCHITECTURE.md");
}

#[test]
fn what_to_begin_next_comes_with_its_reason_however_many_tasks_there_are() {
    let project = project!()
        .task("lowxxxxx", |task| task.title("Low").field("priority = \"low\""))
        .task("schemaxx", |task| task.title("Schema"))
        .task("handlers", |task| task.title("Handlers").depends_on(&["schemaxx"]))
        .task("parentxx", |task| task.title("Rest").depends_on(&["schemaxx"]))
        .task("belowxxx", |task| task.title("Below").parent("parentxx"))
        .task("urgentxx", |task| task.title("Urgent").field("priority = \"high\""));
    let offered = || -> Vec<String> {
        let text = project.handoff("resume");
        let tasks = text.lines().filter(|line| line.starts_with("- ") && line.contains(" todo "));
        tasks.take(3).map(str::to_owned).collect()
    };
    let expected = ["- 05 todo Urgent (high)", "- 02 todo Schema — 2 tasks wait for it", "- 01 todo Low (low)"];
    assert_eq!(offered(), expected, "what waits, or lies under what waits, is not offered");
    assert_eq!(project.handoff("resume"), project.handoff("resume"), "the same bytes");
    // Among so many, no plan is made; what is offered first is the same.
    for number in 0..320 {
        let text = format!(
            "format = 1\nid = \"t{number:07}\"\ntitle = \"Later {number}\"\nstatus = \"todo\"\npriority = \"low\"\n"
        );
        project.write(&format!(".handoff/tasks/{:03}-todo--later-{number}/task.toml", number + 10), text);
    }
    assert_eq!(offered(), expected);
}

#[test]
fn what_a_deadline_needs_is_offered_before_what_has_priority() {
    let project = project!()
        .task("urgentxx", |task| task.title("Urgent").field("priority = \"high\""))
        .task("neededxx", |task| {
            task.title("Needed").table("[schedule]\nestimate_hours = 16.0\nmilestone = \"beta\"\n")
        });
    let config = project.file(".handoff/config.toml");
    let dated = "[calendar]\ntime_zone = \"UTC\"\nopen_dates = [2026-11-15]\n[milestones.beta]\ndate = 2026-11-16\n";
    project.write(".handoff/config.toml", format!("{config}\n{dated}"));
    let text = project.handoff("resume");
    let first = text.lines().find(|line| line.starts_with("- ") && line.contains(" todo ")).unwrap();
    assert_eq!(first, "- 02 todo Needed — needed for its deadline");
}
