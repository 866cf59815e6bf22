//! Edits of sessions, as a caller may ask for them.

use handoff_model::change::Change;
use handoff_model::session::{DecisionRef, Known, Session, SessionEdit, SettledBy, Surroundings, Unknown, Which};
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use crate::choices::Choices;
use crate::{records, texts};

/// An edit is made whole or not at all; what it makes is written down and reads back as it is.
pub fn an_edit_is_whole(choices: &mut Choices) {
    let mut session = records::session(choices);
    let name = session.full_name();
    let roots = ["/home/me/app"];
    for _ in 0..=choices.below(3) {
        let before = session.clone();
        let edit = edit(choices);
        let again = edit.clone();
        let around = Surroundings { name: &name, roots: &roots, settled: SettledBy::default() };
        match edit.apply(&mut session, around, find) {
            Err(_) => assert_eq!(session, before),
            Ok(_) => {
                assert_eq!(Session::read(&session.print()).as_ref(), Ok(&session));
                let written = session.write_over(&before.print()).expect("it can be written over what it was");
                assert_eq!(Session::read(&written).as_ref(), Ok(&session));
                ids_are_given_once(&before, &session);
                twice_is_once(again, &session, around);
            }
        }
    }
}

/// Each decision has an id of its own, and keeps it.
fn ids_are_given_once(before: &Session, session: &Session) {
    let known = before.decision_ids();
    assert!(session.decision_ids().iter().zip(&session.decisions).all(|(id, decision)| *id == decision.id));
    for decision in &session.decisions {
        let is_old = before.decisions.iter().any(|old| old.decision == decision.decision);
        assert!(!is_old || known.contains(&decision.id), "{decision:?} lost its id: {known:?}");
    }
}

/// Saying the same again leaves the decisions their ids, unless ids were asked for that meant nothing before.
fn twice_is_once(mut edit: SessionEdit, session: &Session, around: Surroundings<'_>) {
    (edit.done_next, edit.resolved_blockers) = (Vec::new(), Vec::new());
    let replaced = match &edit.decisions {
        Change::Set(given) => given.as_slice(),
        Change::Keep | Change::Clear => &[],
    };
    if replaced.iter().chain(&edit.add_decisions).any(|decision| decision.id.is_some()) {
        return;
    }
    let mut again = session.clone();
    if edit.apply(&mut again, around, find).is_ok() {
        let ids = |session: &Session| session.decisions.iter().map(|it| it.id.clone()).collect::<Vec<_>>();
        assert_eq!(ids(&again), ids(session));
    }
}

fn find(wanted: &DecisionRef) -> Result<Known, Unknown> {
    match wanted.id.as_str() {
        "d3" => Ok(Known { reference: "2026-11-10-0b5e11d2#d3".to_owned(), superseded_by: None }),
        _ => Err(Unknown::default()),
    }
}

fn edit(choices: &mut Choices) -> SessionEdit {
    SessionEdit {
        title: change(choices, |choices| json!(texts::plain(choices))),
        summary: change(choices, |choices| json!(texts::any(choices))),
        environment: change(choices, |choices| Json::Object(records::environment(choices))),
        tags: change(choices, |choices| list(choices, text)),
        next: change(choices, |choices| list(choices, text)),
        add_next: given(list(choices, text)).unwrap_or_default(),
        done_next: choices.list(2, |choices| Which::Place(choices.below(4))),
        blockers: change(choices, |choices| list(choices, text)),
        resolved_blockers: choices.list(1, |choices| Which::Text(texts::any(choices))),
        decisions: change(choices, |choices| list(choices, decision)),
        add_decisions: given(list(choices, decision)).unwrap_or_default(),
        checklist: change(choices, |choices| list(choices, |choices| json!({ "item": text(choices) }))),
        check: choices.list(1, |choices| Which::Place(choices.below(3))),
        add_pointers: given(list(choices, |choices| json!({ "path": text(choices), "lines": "4-7" })))
            .unwrap_or_default(),
        ..SessionEdit::default()
    }
}

fn change<T: DeserializeOwned>(choices: &mut Choices, make: impl Fn(&mut Choices) -> Json) -> Change<T> {
    match choices.below(4) {
        0 | 1 => Change::Keep,
        2 => Change::Clear,
        _ => given(make(choices)).map_or(Change::Keep, Change::Set),
    }
}

/// What is given, if it passes the door.
fn given<T: DeserializeOwned>(json: Json) -> Option<T> {
    serde_json::from_value(json).ok()
}

fn list(choices: &mut Choices, make: impl Fn(&mut Choices) -> Json) -> Json {
    choices.list(3, make).into()
}

fn text(choices: &mut Choices) -> Json {
    json!(texts::any(choices))
}

fn decision(choices: &mut Choices) -> Json {
    let mut decision = json!({ "decision": texts::plain(choices) });
    if choices.flag() {
        decision["id"] = json!(choices.pick(&["d1", "d2", "d9", ""]));
    }
    if choices.flag() {
        decision["supersedes"] = json!(choices.pick(&["d1", "d2", "0b5e11d2#d3", "d3", "x y", ""]));
    }
    if choices.flag() {
        decision["paths"] = json!([choices.pick(&["src/", "/home/me/app/a.rs", "a b", "a/../b"])]);
    }
    decision
}
