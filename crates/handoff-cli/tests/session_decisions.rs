//! Decisions stay in force until another supersedes them, in whichever session that happens.
#![expect(clippy::needless_pass_by_value, reason = "`json!(…)` at the call needs no reference before it")]

use handoff_testkit::{TestProject, list_in, project, text_in};
use serde_json::{Value, json};

/// Saves a record with one decision. The full name of the decision.
fn decide(project: &TestProject, decision: Value) -> String {
    let call = project.call("save --json").request(&json!({"summary": "Decided", "decisions": [decision]}));
    let saved = call.run().succeeded().json();
    format!("{}#{}", text_in(&saved, "name"), text_in(&saved["decisions"][0], "id"))
}

/// The decisions in force, as a context shows them.
fn in_force(project: &TestProject) -> Vec<String> {
    let context = project.json("resume");
    list_in(&context, "decisions").iter().map(|decision| text_in(decision, "decision").to_owned()).collect()
}

#[test]
fn a_decision_is_superseded_by_one_of_another_session() {
    let project = project!();
    let old = decide(&project, json!("Use sessions"));
    assert_eq!(in_force(&project), ["Use sessions"]);
    let new = decide(&project, json!({"decision": "Use JWT", "supersedes": old}));
    assert_eq!(in_force(&project), ["Use JWT"]);
    decide(&project, json!({"decision": "Use PASETO", "supersedes": new}));
    assert_eq!(in_force(&project), ["Use PASETO"], "what was superseded does not come back");
    let before = project.json(&format!("session show {}", old.split('#').next().unwrap()));
    assert_eq!(before["decisions"][0]["decision"], "Use sessions", "it still says what was decided then");
}

#[test]
fn a_decision_on_the_command_line_names_the_one_it_replaces() {
    let project = project!();
    project.handoff("save -m one --decision Tabs --decision Rust");
    let known = project.json("resume")["decisions"].clone();
    let tabs = known.as_array().unwrap().iter().find(|known| known["decision"] == "Tabs").unwrap();
    project.handoff(&format!("save -m two --decision Spaces --supersedes {}", text_in(tabs, "id")));
    let known = project.json("resume")["decisions"].clone();
    let texts: Vec<&str> = known.as_array().unwrap().iter().map(|known| text_in(known, "decision")).collect();
    assert_eq!(texts, ["Spaces", "Rust"]);
    project.call("save -m three --supersedes x#d1").run().failed(2);
    project.call("save -m three --decision Four --supersedes x#d9").run().failed(2);
}

#[test]
fn a_decision_is_superseded_by_a_later_one_of_the_same_session() {
    let project = project!();
    project.handoff("session start Work");
    project.handoff("session update --decision 'Use sessions'");
    let call = project.call("session update --json");
    call.request(&json!({"add_decisions": [{"decision": "Use JWT", "supersedes": "d1"}]})).run().succeeded();
    assert_eq!(in_force(&project), ["Use JWT"]);
    let shown = project.json("session show latest");
    assert_eq!(shown["decisions"].as_array().unwrap().len(), 2, "both are on record");
    assert_eq!(shown["decisions"][1]["supersedes"], format!("{}#d1", shown["name"].as_str().unwrap()));
}

#[test]
fn a_decision_that_is_archived_can_still_be_superseded() {
    let project = project!();
    project.handoff("config set settings.history_limit 1");
    let old = decide(&project, json!("Use sessions"));
    for n in 0..3 {
        project.handoff(&format!("save --summary 'Round {n}'"));
    }
    assert!(!project.exists(&format!(".handoff/sessions/{}.toml", old.split('#').next().unwrap())));
    assert_eq!(in_force(&project), ["Use sessions"], "it is in force from the archive");
    decide(&project, json!({"decision": "Use JWT", "supersedes": old}));
    assert_eq!(in_force(&project), ["Use JWT"]);
    for n in 0..3 {
        project.handoff(&format!("save --summary 'Later {n}'"));
    }
    assert_eq!(in_force(&project), ["Use JWT"], "that both are archived changes nothing");
}

#[test]
fn a_decision_is_named_by_the_beginning_of_its_session() {
    let project = project!();
    let old = decide(&project, json!("Use sessions"));
    let (name, number) = old.split_once('#').unwrap();
    let short = format!("{}#{number}", name.rsplit('-').next().unwrap());
    decide(&project, json!({"decision": "Use JWT", "supersedes": short}));
    assert_eq!(in_force(&project), ["Use JWT"]);
    assert_eq!(project.json("session show latest")["decisions"][0]["supersedes"], old, "stored in full");
}

#[test]
fn superseding_what_is_not_there_is_refused_with_what_is_close() {
    let project = project!();
    let old = decide(&project, json!("Use sessions"));
    let before = project.records();
    let wrong = old.replace("#d1", "#d7");
    let request = json!({"summary": "Decided", "decisions": [{"decision": "Use JWT", "supersedes": wrong}]});
    project.call("save").request(&request).run().failed(3).says(&old);
    let request = json!({"summary": "Decided", "decisions": [{"decision": "Use JWT", "supersedes": "what?"}]});
    project.call("save").request(&request).run().failed(3);
    project.records().assert_same(&before, "both were refused");
}

#[test]
fn superseding_for_a_second_time_is_told() {
    let project = project!();
    let old = decide(&project, json!("Use sessions"));
    let first = decide(&project, json!({"decision": "Use JWT", "supersedes": old}));
    let request = json!({"summary": "Decided", "decisions": [{"decision": "Use PASETO", "supersedes": old}]});
    project.call("save").request(&request).run().succeeded().says(&format!("already superseded by `{first}`"));
    assert_eq!(in_force(&project).len(), 2, "both new ones are in force");
}

#[test]
fn two_people_who_supersede_each_other_leave_no_decision_unseen() {
    let project = project!()
        .session(
            "2026-11-13-aaaaaaaa",
            "status = \"closed\"\nended_at = 2026-11-13T10:00:00Z\n\n[[decisions]]\nid = \"d1\"\ndecision = \"Tabs\"\nsupersedes = \"2026-11-14-bbbbbbbb#d1\"\n",
        )
        .session(
            "2026-11-14-bbbbbbbb",
            "status = \"closed\"\nended_at = 2026-11-14T10:00:00Z\n\n[[decisions]]\nid = \"d1\"\ndecision = \"Spaces\"\nsupersedes = \"2026-11-13-aaaaaaaa#d1\"\n",
        );
    assert!(!in_force(&project).is_empty(), "a circle that a merge made hides nothing");
}

#[test]
fn the_context_says_how_sure_a_decision_is_and_what_it_governs() {
    let project = project!();
    decide(
        &project,
        json!({"decision": "Use JWT", "reason": "stateless", "confidence": "unverified", "paths": ["src/auth/"]}),
    );
    decide(&project, json!({"decision": "Plain words", "confidence": "confirmed", "paths": ["docs/"]}));
    let answer = project.call("resume").run();
    answer.succeeded().says("#d1 Use JWT — stateless (src/auth/)").says("#d1 Plain words (confirmed; docs/)");
    answer.hides("unverified");
}

#[test]
fn a_decision_is_changed_by_its_id_as_long_as_its_session_is_open() {
    let project = project!();
    project.handoff("session start Work");
    project.handoff("session update --decision 'Use sessions'");
    let request = json!({"summary": "Work", "session_status": "active",
        "add_decisions": [{"id": "d1", "decision": "Use signed sessions", "confidence": "confirmed"}]});
    let saved = project.call("save --json").request(&request).run().succeeded().json();
    assert_eq!(saved["decisions"].as_array().unwrap().len(), 1, "{saved:#}");
    assert_eq!(in_force(&project), ["Use signed sessions"]);
}
