use serde::de::DeserializeOwned;
use serde_json::json;

use super::*;
use crate::session::{Confidence, SessionKind};

const NAME: &str = "2026-11-15-a3f9c12e";

fn session() -> Session {
    let id = SessionId::from_random([0xa3, 0xf9, 0xc1, 0x2e]);
    Session::new(id, SessionKind::Session, "2026-11-15T09:00:00Z".parse().unwrap())
}

fn given<T: DeserializeOwned>(json: Json) -> T {
    serde_json::from_value(json).unwrap()
}

fn nothing_else(_: &DecisionRef) -> Result<Known, Unknown> {
    Err(Unknown::default())
}

fn apply(session: &mut Session, edit: SessionEdit) -> Result<Vec<String>, String> {
    let around = Surroundings { name: NAME, roots: &["/home/me/app"], settled: SettledBy::default() };
    edit.apply(session, around, nothing_else).map_err(|error| error.to_string())
}

fn replace_decisions(session: &mut Session, list: Json) -> Result<Vec<String>, String> {
    apply(session, SessionEdit { decisions: Change::Set(given(list)), ..SessionEdit::default() })
}

fn add_decisions(session: &mut Session, list: Json) -> Result<Vec<String>, String> {
    apply(session, SessionEdit { add_decisions: given(list), ..SessionEdit::default() })
}

fn decisions(session: &Session) -> Vec<(&str, &str)> {
    session.decisions.iter().map(|it| (it.id.as_str(), it.decision.as_str())).collect()
}

/// A session in which every field that can be edited says something.
fn full() -> Session {
    let mut session = session();
    let edit = SessionEdit {
        title: Change::Set(given(json!("Refactor auth"))),
        summary: Change::Set(given(json!("Parser extracted\n\n  tests fail"))),
        name: Change::Set(given(json!("project-state"))),
        label: Change::Set(given(json!("auth"))),
        timeline: Change::Set(given(json!("two days"))),
        environment: Change::Set(given(json!({"os": "linux", "cores": 2}))),
        continues: Change::Set("2026-11-14-77c01b9d".to_owned()),
        expires_at: Change::Set(given(json!("2026-11-29T12:10:00Z"))),
        tags: Change::Set(given(json!(["api", "auth", "api"]))),
        tasks: Change::Set(given(json!(["k7f3q2ma"]))),
        next: Change::Set(given(json!(["Fix tests", "Run race tests"]))),
        blockers: Change::Set(given(json!(["staging key"]))),
        decisions: Change::Set(given(json!(["JWT", {"decision": "Rust", "reason": "speed", "paths": ["src/"]}]))),
        checklist: Change::Set(given(json!(["verify", {"item": "deploy", "checked": true, "owner": "ai"}]))),
        notes: Change::Set(given(json!([{"note": "port 5433", "category": "caution"}]))),
        references: Change::Set(given(json!([{"label": "bug", "uri": "https://example.com/31", "type": "issue"}]))),
        pointers: Change::Set(given(json!([{"path": "/home/me/app/src/a.rs", "lines": "42-78", "reason": "here"}]))),
        ..SessionEdit::default()
    };
    assert_eq!(apply(&mut session, edit), Ok(Vec::new()));
    session
}

#[test]
fn what_is_given_is_stored_and_survives_the_file() {
    let session = full();
    insta::assert_snapshot!(session.print(), @r#"
    format = 1
    id = "a3f9c12e"
    kind = "session"
    status = "active"
    title = "Refactor auth"
    summary = """
    Parser extracted

      tests fail"""
    name = "project-state"
    tags = ["api", "auth"]
    timeline = "two days"
    label = "auth"
    started_at = 2026-11-15T09:00:00Z
    expires_at = 2026-11-29T12:10:00Z
    continues = "2026-11-14-77c01b9d"
    next = ["Fix tests", "Run race tests"]
    blockers = ["staging key"]
    tasks = ["k7f3q2ma"]

    [[decisions]]
    id = "d1"
    decision = "JWT"
    confidence = "unverified"

    [[decisions]]
    id = "d2"
    decision = "Rust"
    reason = "speed"
    confidence = "unverified"
    paths = ["src/"]

    [[checklist]]
    item = "verify"
    checked = false

    [[checklist]]
    item = "deploy"
    checked = true
    owner = "ai"

    [[notes]]
    note = "port 5433"
    category = "caution"

    [[references]]
    type = "issue"
    label = "bug"
    uri = "https://example.com/31"

    [[pointers]]
    path = "src/a.rs"
    lines = "42-78"
    reason = "here"

    [environment]
    os = "linux"
    cores = 2
    "#);
    assert_eq!(Session::read(&session.print()).unwrap(), session);
}

#[test]
fn what_is_left_out_stays() {
    let mut session = full();
    let before = session.clone();
    assert_eq!(apply(&mut session, SessionEdit::default()), Ok(Vec::new()));
    assert_eq!(session, before);
}

#[test]
fn null_clears() {
    let mut session = full();
    let edit = SessionEdit {
        title: Change::Clear,
        summary: Change::Clear,
        name: Change::Clear,
        label: Change::Clear,
        timeline: Change::Clear,
        environment: Change::Clear,
        continues: Change::Clear,
        expires_at: Change::Clear,
        tags: Change::Clear,
        tasks: Change::Clear,
        next: Change::Clear,
        blockers: Change::Clear,
        decisions: Change::Clear,
        checklist: Change::Clear,
        notes: Change::Clear,
        references: Change::Clear,
        pointers: Change::Clear,
        ..SessionEdit::default()
    };
    apply(&mut session, edit).unwrap();
    assert_eq!(session.last_decision, Some(2));
    session.last_decision = None;
    assert_eq!(session, self::session());
}

#[test]
fn adding_doubles_nothing_and_what_is_new_wins() {
    let mut session = full();
    session.pointers[0].blob = Some("9f2c1e7".to_owned());
    let edit = SessionEdit {
        add_tags: given(json!(["auth", "beta"])),
        add_tasks: given(json!(["k7f3q2ma", "m2x9a4te"])),
        add_next: given(json!(["Fix tests", "Ship"])),
        add_blockers: given(json!([" staging key "])),
        add_decisions: given(json!([{"decision": "Rust", "confidence": "estimated"}, "TOML"])),
        add_checklist: given(json!([{"item": "verify", "checked": true}, "deploy"])),
        add_notes: given(json!(["port 5433", {"note": "new", "category": "suggestion"}])),
        add_references: given(json!([{"label": "the bug", "uri": "https://example.com/31", "notes": "open"}])),
        add_pointers: given(json!([{"path": "src\\a.rs", "lines": "42-78"}, "src/a.rs:7", "README.md"])),
        ..SessionEdit::default()
    };
    apply(&mut session, edit).unwrap();
    assert_eq!(session.tags, ["api", "auth", "beta"]);
    assert_eq!(session.tasks.len(), 2);
    assert_eq!(session.next, ["Fix tests", "Run race tests", "Ship"]);
    assert_eq!(session.blockers, ["staging key"]);
    assert_eq!(decisions(&session), [("d1", "JWT"), ("d2", "Rust"), ("d3", "TOML")]);
    let rust = &session.decisions[1];
    assert_eq!((rust.reason.as_deref(), rust.confidence), (Some("speed"), Confidence::Estimated));
    assert_eq!(rust.paths, ["src/"]);
    let checklist: Vec<_> = session.checklist.iter().map(|it| (it.item.as_str(), it.checked, it.owner)).collect();
    assert_eq!(checklist, [("verify", true, None), ("deploy", true, Some(crate::session::Owner::Ai))]);
    let notes: Vec<_> = session.notes.iter().map(|it| (it.note.as_str(), it.category.word())).collect();
    assert_eq!(notes, [("port 5433", "caution"), ("new", "suggestion")]);
    let reference = &session.references[0];
    assert_eq!(
        (reference.label.as_str(), reference.kind.word(), reference.notes.as_deref()),
        ("the bug", "issue", Some("open"))
    );
    let pointers: Vec<_> =
        session.pointers.iter().map(|it| (it.path.as_str(), it.lines.as_deref(), it.blob.is_some())).collect();
    assert_eq!(
        pointers,
        [("src/a.rs", Some("42-78"), true), ("src/a.rs", Some("7"), false), ("README.md", None, false)]
    );
}

#[test]
fn items_are_ticked_and_taken_away_by_place_or_text() {
    let mut session = full();
    let edit = SessionEdit {
        check: vec![Which::Place(1)],
        uncheck: vec![Which::Text("deploy".to_owned())],
        done_next: vec![Which::Text("2".to_owned()), Which::Text("Fix tests".to_owned())],
        add_next: given(json!(["Ship"])),
        resolved_blockers: vec![Which::Place(1)],
        ..SessionEdit::default()
    };
    apply(&mut session, edit).unwrap();
    let checked: Vec<_> = session.checklist.iter().map(|it| it.checked).collect();
    assert_eq!(checked, [true, false]);
    assert_eq!(session.next, ["Ship"]);
    assert!(session.blockers.is_empty());
}

#[test]
fn an_item_that_is_not_there_is_told_with_what_is() {
    let mut session = full();
    let done = |which: &str| SessionEdit { done_next: vec![which.parse().unwrap()], ..SessionEdit::default() };
    assert_eq!(
        apply(&mut session, done("Fix the tests")).unwrap_err(),
        "there is no next step `Fix the tests`: perhaps `Fix tests` is meant"
    );
    assert_eq!(
        apply(&mut session, done("3")).unwrap_err(),
        "there is no next step `3`: give a number from 1 to 2, or the exact text"
    );
    let resolved = SessionEdit { resolved_blockers: vec![Which::Place(0)], ..SessionEdit::default() };
    assert!(apply(&mut session, resolved).is_err());
    let check = SessionEdit { check: vec![Which::Place(1)], ..SessionEdit::default() };
    assert_eq!(apply(&mut self::session(), check).unwrap_err(), "there is no checklist item `1`: the list is empty");
}

#[test]
fn a_refused_change_changes_nothing() {
    let mut session = full();
    let before = session.clone();
    let edit = SessionEdit {
        title: Change::Set(given(json!("Other"))),
        add_pointers: given(json!(["src/a.rs", "../outside"])),
        ..SessionEdit::default()
    };
    assert_eq!(
        apply(&mut session, edit).unwrap_err(),
        "`add_pointers[1].path`: `../outside` is not inside the project: give a path relative to it, such as `src/main.rs`"
    );
    let error = add_decisions(&mut session, json!([{"decision": "x", "paths": ["src", "/etc"]}])).unwrap_err();
    assert!(error.starts_with("`add_decisions[0].paths[1]`: `/etc`"), "{error}");
    assert_eq!(session, before);
}

#[test]
fn a_closed_session_refuses_every_edit() {
    let mut session = full();
    session.close("2026-11-15T12:00:00Z".parse().unwrap()).unwrap();
    let before = session.clone();
    for edit in [SessionEdit::default(), SessionEdit { title: Change::Clear, ..SessionEdit::default() }] {
        assert!(apply(&mut session, edit).unwrap_err().contains("is closed"));
    }
    assert_eq!(session, before);
}

#[test]
fn ids_of_decisions_are_given_once() {
    let mut session = session();
    add_decisions(&mut session, json!(["a", "b", "c"])).unwrap();
    replace_decisions(&mut session, json!(["b", "new"])).unwrap();
    assert_eq!(decisions(&session), [("d2", "b"), ("d4", "new")]);
    replace_decisions(&mut session, json!([])).unwrap();
    let mut session = Session::read(&session.print()).unwrap();
    add_decisions(&mut session, json!(["e"])).unwrap();
    assert_eq!(decisions(&session), [("d5", "e")]);
    assert_eq!(session.last_decision, None);
}

#[test]
fn a_decision_is_reworded_by_its_id() {
    let mut session = session();
    add_decisions(&mut session, json!([{"decision": "a", "reason": "r"}, "b"])).unwrap();
    assert_eq!(add_decisions(&mut session, json!([{"decision": "a, really", "id": "d1"}])), Ok(Vec::new()));
    assert_eq!(decisions(&session), [("d1", "a, really"), ("d2", "b")]);
    assert_eq!(session.decisions[0].reason.as_deref(), Some("r"));
    let warnings = add_decisions(&mut session, json!([{"decision": "c", "id": "d9"}, {"decision": "d", "id": "d4"}]));
    assert_eq!(warnings.unwrap(), ["no decision `d9` was there to change; `c` is now `d3`"]);
    assert_eq!(decisions(&session)[3], ("d4", "d"));
}

#[test]
fn a_list_sent_again_in_fewer_words_loses_nothing() {
    let mut session = session();
    add_decisions(
        &mut session,
        json!(["old", {"decision": "new", "supersedes": "d1", "paths": ["src"], "reason": "r", "confidence": "estimated"}]),
    )
    .unwrap();
    let before = session.decisions.clone();
    replace_decisions(&mut session, json!([{"decision": "old"}, {"decision": "new"}])).unwrap();
    assert_eq!(session.decisions, before);
    replace_decisions(&mut session, json!(["old", {"decision": "new", "supersedes": null, "paths": []}])).unwrap();
    assert_eq!((session.decisions[1].supersedes.as_deref(), session.decisions[1].paths.len()), (None, 0));
}

#[test]
fn what_is_superseded_is_kept_in_full_form() {
    let mut session = session();
    add_decisions(&mut session, json!(["a", {"decision": "b", "supersedes": "d1"}])).unwrap();
    assert_eq!(session.decisions[1].supersedes.as_deref(), Some("2026-11-15-a3f9c12e#d1"));
    let warnings = add_decisions(&mut session, json!([{"decision": "c", "supersedes": "a3f9c12e#d1"}])).unwrap();
    assert_eq!(
        warnings,
        [
            "`2026-11-15-a3f9c12e#d1` was already superseded by `2026-11-15-a3f9c12e#d2`; now `2026-11-15-a3f9c12e#d3` does so too"
        ]
    );

    let find = |wanted: &DecisionRef| {
        assert_eq!(wanted.to_string(), "0b5e11d2#d3");
        Ok(Known { reference: "2026-11-10-0b5e11d2#d3".to_owned(), superseded_by: None })
    };
    let edit = SessionEdit {
        add_decisions: given(json!([{"decision": "d", "supersedes": "0b5e11d2#d3"}])),
        ..SessionEdit::default()
    };
    let around = Surroundings { name: NAME, roots: &[], settled: SettledBy::default() };
    assert_eq!(edit.apply(&mut session, around, find), Ok(Vec::new()));
    assert_eq!(session.decisions[3].supersedes.as_deref(), Some("2026-11-10-0b5e11d2#d3"));
}

#[test]
fn a_list_may_leave_out_what_it_supersedes() {
    let mut session = session();
    add_decisions(&mut session, json!(["old"])).unwrap();
    let warnings = replace_decisions(&mut session, json!([{"decision": "new", "supersedes": "d1"}])).unwrap();
    assert_eq!(warnings, ["`2026-11-15-a3f9c12e#d1` is superseded by `new` and no longer listed in this session"]);
    assert_eq!(decisions(&session), [("d2", "new")]);
    assert_eq!(session.decisions[0].supersedes.as_deref(), Some("2026-11-15-a3f9c12e#d1"));
}

#[test]
fn what_cannot_be_superseded_is_refused() {
    let mut session = session();
    add_decisions(&mut session, json!(["a", {"decision": "b", "supersedes": "d1"}])).unwrap();
    let mut refused = |list| add_decisions(&mut session, list).unwrap_err();
    assert_eq!(refused(json!([{"decision": "b", "supersedes": "d2"}])), "the decision `b` cannot supersede itself");
    assert_eq!(
        refused(json!([{"decision": "a", "supersedes": "d2"}])),
        "the decision `a` cannot supersede itself by way of others"
    );
    assert_eq!(
        refused(json!([{"decision": "c", "supersedes": "d7"}])),
        "`supersedes` of the decision `c`: there is no decision `d7`"
    );
    assert!(
        refused(json!([{"decision": "c", "supersedes": "the old way"}])).contains("write `d3` for one of this session")
    );
    let close = vec!["2026-11-10-0b5e11d2#d7".to_owned()];
    let error = BadEdit::NoSuchDecision { decision: "c".to_owned(), wanted: "d7".to_owned(), close };
    assert!(error.to_string().ends_with("there is no decision `d7`: perhaps `2026-11-10-0b5e11d2#d7` is meant"));
}

#[test]
fn ids_that_a_merge_left_twice_are_put_right() {
    let mut session = session();
    add_decisions(&mut session, json!(["a", "b"])).unwrap();
    session.decisions[1].id = "d1".to_owned();
    let warnings = add_decisions(&mut session, json!(["c"])).unwrap();
    assert_eq!(warnings, ["the decision `b` had no id of its own; it is now `d2`"]);
    assert_eq!(decisions(&session), [("d1", "a"), ("d2", "b"), ("d3", "c")]);
}

#[test]
fn facts_are_laid_over_each_other() {
    let mut session = full();
    let lay = |facts: Json| SessionEdit { environment: Change::Set(given(facts)), ..SessionEdit::default() };
    apply(&mut session, lay(json!({"os": null, "node": {"version": "24"}, "checked_at": "2026-11-15T09:00:00Z"})))
        .unwrap();
    assert_eq!(
        Json::Object(session.environment.clone()),
        json!({"cores": 2, "node": {"version": "24"}, "checked_at": "2026-11-15T09:00:00Z"})
    );
    for facts in [json!({"a": {"b": null}}), json!({"a": [1, null]}), json!({"a": u64::MAX})] {
        assert!(apply(&mut session, lay(facts)).unwrap_err().starts_with("`environment.a` cannot be written"));
    }
    apply(&mut session, lay(json!({"a": {}, "b": [], "c": {"d": {}}, "e": [{}]}))).unwrap();
    assert_eq!(Session::read(&session.print()).unwrap(), session);
}
