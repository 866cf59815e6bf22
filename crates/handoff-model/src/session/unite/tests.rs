use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::id::{SessionId, TaskId};
use crate::session::{Confidence, Decisions, Inherit, Packages, SessionKind, SessionStatus};
use crate::task::LinkType;

const A: &str = "2026-11-01-aaaaaaaa";
const B: &str = "2026-11-02-bbbbbbbb";
const C: &str = "2026-11-03-cccccccc";
const T: &str = "2026-11-04-dddddddd";

fn session(name: &str) -> Session {
    let (day, id) = name.rsplit_once('-').unwrap();
    let id = SessionId::try_from(id.to_owned()).unwrap();
    Session::new(id, SessionKind::Session, format!("{day}T09:00:00Z").parse().unwrap())
}

fn decision(id: &str, text: &str) -> Decision {
    Decision {
        id: id.to_owned(),
        decision: text.to_owned(),
        reason: None,
        confidence: Confidence::Confirmed,
        paths: Vec::new(),
        supersedes: None,
        same_as: Vec::new(),
        revised: false,
    }
}

fn party<'a>(name: &'a str, session: &'a Session) -> Party<'a> {
    Party { name, session }
}

/// What two sessions say differently, the first being the one that the other is merged into.
fn differing(one: &Session, other: &Session) -> Vec<Contradiction> {
    let mut united = one.clone();
    unite(&mut united, A, &[party(B, other)]);
    contradictions(&[party(A, one), party(B, other)], &united)
}

fn in_force(sessions: &[(&str, &Session)]) -> Vec<String> {
    let decisions = Decisions::of(sessions.iter().copied(), Packages::Ignore);
    decisions.in_force().map(|it| format!("{} {}", it.reference, it.decision.decision)).collect()
}

fn texts_in_force(sessions: &[(&str, &Session)]) -> BTreeSet<String> {
    let decisions = Decisions::of(sessions.iter().copied(), Packages::Ignore);
    decisions.in_force().map(|it| it.decision.decision.clone()).collect()
}

#[test]
fn what_several_say_is_said_once_and_filled_in_from_all() {
    let (mut one, mut other) = (session(A), session(B));
    one.decisions = vec![decision("d1", "JWT")];
    one.summary = "Parser done".to_owned();
    one.pointers = vec![Pointer { path: "a.rs".to_owned(), lines: None, reason: Some("start".to_owned()), blob: None }];
    other.decisions = vec![decision("d1", "Postgres"), decision("d2", "JWT")];
    other.decisions[1].reason = Some("stateless".to_owned());
    other.decisions[1].paths = vec!["src/auth/".to_owned()];
    other.summary = "Schema done".to_owned();
    other.pointers = vec![Pointer {
        path: "a.rs".to_owned(),
        lines: None,
        reason: Some("end".to_owned()),
        blob: Some("9f2c1e7".to_owned()),
    }];
    other.notes = vec![SessionNote { note: "port 5433".to_owned(), category: NoteCategory::Caution }];

    let taken = unite(&mut one, A, &[party(B, &other)]);
    assert_eq!(one.summary, "Parser done\n\nSchema done");
    let jwt = &one.decisions[0];
    assert_eq!((jwt.id.as_str(), jwt.reason.as_deref()), ("d1", Some("stateless")));
    assert_eq!(
        (jwt.paths.as_slice(), jwt.same_as.as_slice()),
        (&["src/auth/".to_owned()][..], &[format!("{B}#d2")][..])
    );
    assert_eq!((one.decisions[1].id.as_str(), one.decisions[1].same_as.as_slice()), ("d2", &[format!("{B}#d1")][..]));
    let pointer = &one.pointers[0];
    assert_eq!((pointer.reason.as_deref(), pointer.blob.as_deref()), (Some("start; end"), Some("9f2c1e7")));
    assert_eq!(one.merged_from, [B]);
    let counts: Vec<_> = taken.iter().map(|it| (it.list.as_str(), it.added, it.same)).collect();
    assert_eq!(counts, [("decisions", 1, 1), ("notes", 1, 0), ("pointers", 0, 1)]);
    assert_eq!(in_force(&[(A, &one), (B, &other)]), [format!("{B}#d2 JWT"), format!("{B}#d1 Postgres")]);
}

#[test]
fn what_is_open_anywhere_stays_open_and_the_weightier_note_wins() {
    let item = |checked| ChecklistItem { item: "verify".to_owned(), checked, owner: None };
    let note = |category| SessionNote { note: "port".to_owned(), category };
    for (one, other) in [(true, false), (false, true)] {
        let (mut target, mut source) = (session(A), session(B));
        (target.checklist, source.checklist) = (vec![item(one)], vec![item(other)]);
        (target.notes, source.notes) = (vec![note(NoteCategory::Context)], vec![note(NoteCategory::Caution)]);
        let found = differing(&target, &source);
        unite(&mut target, A, &[party(B, &source)]);
        assert!(!target.checklist[0].checked);
        assert_eq!(target.notes, [note(NoteCategory::Caution)]);
        let told: Vec<(About, &str)> = found.iter().map(|it| (it.about, it.what.as_str())).collect();
        assert_eq!(told, [(About::Checklist, "verify"), (About::Note, "port")]);
    }
}

#[test]
fn what_was_changed_in_a_fork_comes_back_with_it() {
    let mut one = session(A);
    one.decisions = vec![decision("d1", "JWT")];
    one.decisions[0].confidence = Confidence::Estimated;
    let mut fork = session(B);
    let known = one.clone();
    fork.inherit(party(A, &known), &Inherit::default(), &Decisions::of([(A, &known)], Packages::Ignore));
    assert_eq!(in_force(&[(A, &one), (B, &fork)]), [format!("{A}#d1 JWT")], "it is one decision");
    fork.decisions[0].confidence = Confidence::Confirmed;
    fork.decisions[0].revised = true;
    let confidence = |sessions: &[(&str, &Session)]| {
        let decisions = Decisions::of(sessions.iter().copied(), Packages::Ignore);
        decisions.in_force().map(|it| it.decision.confidence).collect::<Vec<_>>()
    };
    assert_eq!(confidence(&[(A, &one), (B, &fork)]), [Confidence::Confirmed]);
    let found = differing(&one, &fork);
    assert_eq!(found.iter().map(|it| it.about).collect::<Vec<_>>(), [About::Confidence]);
    unite(&mut one, A, &[party(B, &fork)]);
    assert_eq!((one.decisions.len(), one.decisions[0].confidence), (1, Confidence::Confirmed));
    // Whoever goes on has the last word.
    fork.close("2026-11-05T09:00:00Z".parse().unwrap()).unwrap();
    one.decisions[0].confidence = Confidence::Unverified;
    assert_eq!(confidence(&[(A, &one), (B, &fork)]), [Confidence::Unverified]);
}

#[test]
fn copies_of_a_decision_that_is_gone_are_still_one() {
    let (mut one, mut other) = (session(A), session(B));
    for session in [&mut one, &mut other] {
        session.decisions =
            vec![Decision { same_as: vec!["2026-10-01-eeeeeeee#d1".to_owned()], ..decision("d1", "JWT") }];
    }
    assert_eq!(in_force(&[(A, &one), (B, &other)]), [format!("{A}#d1 JWT")]);
    other.decisions[0].decision = "PASETO".to_owned();
    assert_eq!(in_force(&[(A, &one), (B, &other)]).len(), 2, "what says something else is no copy");
}

#[test]
fn superseding_a_copy_supersedes_the_decision() {
    let mut one = session(A);
    one.decisions = vec![decision("d1", "JWT")];
    let mut fork = session(B);
    fork.inherit(party(A, &one), &Inherit::default(), &Decisions::of([(A, &one)], Packages::Ignore));
    let mut new = decision("d2", "PASETO");
    new.supersedes = Some(format!("{B}#d1"));
    fork.decisions.push(new);
    assert_eq!(in_force(&[(A, &one), (B, &fork)]), [format!("{B}#d2 PASETO")]);
    let found = differing(&one, &fork);
    assert_eq!(found.len(), 0, "`{B}#d1` is not listed under that name in {A}");
    fork.decisions[1].supersedes = Some(format!("{A}#d1"));
    let found = differing(&one, &fork);
    assert_eq!(found.iter().map(|it| (it.about, it.what.as_str())).collect::<Vec<_>>(), [(About::Superseded, "JWT")]);
    unite(&mut one, A, &[party(B, &fork)]);
    assert_eq!(in_force(&[(A, &one), (B, &fork)]), [format!("{B}#d2 PASETO")]);
}

#[test]
fn all_that_any_copy_supersedes_is_superseded() {
    let (mut one, mut other, mut old) = (session(B), session(C), session(A));
    old.decisions = vec![decision("d1", "sessions"), decision("d2", "cookies")];
    for (session, id) in [(&mut one, "d1"), (&mut other, "d2")] {
        session.decisions = vec![Decision { supersedes: Some(format!("{A}#{id}")), ..decision("d1", "JWT") }];
    }
    let mut target = session(T);
    unite(&mut target, T, &[party(B, &one), party(C, &other)]);
    let all = [(A, &old), (B, &one), (C, &other), (T, &target)];
    assert_eq!(in_force(&all), [format!("{B}#d1 JWT")]);
}

#[test]
fn different_decisions_about_one_path_are_told_unless_both_knew_them() {
    let governing = |id: &str, text: &str, path: &str| Decision { paths: vec![path.to_owned()], ..decision(id, text) };
    let (mut one, mut other) = (session(A), session(B));
    one.decisions = vec![governing("d1", "JWT", "src/auth"), governing("d2", "Rust", "src/")];
    other.decisions = vec![governing("d1", "PASETO", "src/auth/"), governing("d2", "Rust", "src/")];
    let found = differing(&one, &other);
    let told: Vec<_> =
        found.iter().map(|it| (it.about, it.sides[0].says.as_str(), it.sides[1].says.as_str())).collect();
    assert_eq!(told, [(About::Path, "JWT", "PASETO")]);
    one.decisions.push(governing("d3", "PASETO", "src/auth/"));
    assert_eq!(differing(&one, &other), []);
}

#[test]
fn reasons_branches_and_facts_that_differ_are_told() {
    let (mut one, mut other) = (session(A), session(B));
    (one.decisions, other.decisions) = (vec![decision("d1", "JWT")], vec![decision("d1", "JWT")]);
    one.decisions[0].reason = Some("stateless".to_owned());
    other.decisions[0].reason = Some("fewer lookups".to_owned());
    one.environment.insert("node".to_owned(), 20.into());
    other.environment.insert("node".to_owned(), 22.into());
    for (session, branch) in [(&mut one, "main"), (&mut other, "opaque")] {
        let git = crate::session::GitFacts { branch: Some(branch.to_owned()), ..Default::default() };
        session.git = Some(git);
    }
    let found = differing(&one, &other);
    let told: Vec<_> = found.iter().map(|it| it.about).collect();
    assert_eq!(told, [About::Reason, About::Environment, About::Branch]);
    assert_eq!((found[0].kept.as_deref(), found[2].kept.as_deref()), (Some("stateless"), None));
    unite(&mut one, A, &[party(B, &other)]);
    assert_eq!(one.decisions[0].reason.as_deref(), Some("stateless"), "the first counts");
    assert_eq!(one.environment["node"], 20);
}

/// What a session lists, as a set; ids and links of decisions aside.
fn said(session: &Session) -> BTreeSet<String> {
    let mut said: BTreeSet<String> = BTreeSet::new();
    said.extend(session.decisions.iter().map(|it| format!("decision {} {:?}", it.decision, sorted(&it.paths))));
    said.extend(session.next.iter().map(|it| format!("next {it}")));
    said.extend(session.blockers.iter().map(|it| format!("blocker {it}")));
    said.extend(session.checklist.iter().map(|it| format!("item {} {}", it.item, it.checked)));
    said.extend(session.notes.iter().map(|it| format!("note {} {}", it.note, it.category)));
    said.extend(session.references.iter().map(|it| format!("reference {}", it.uri)));
    said.extend(session.pointers.iter().map(|it| format!("pointer {} {:?}", it.path, it.lines)));
    said.extend(session.tasks.iter().map(|it| format!("task {it}")));
    said.extend(session.tags.iter().map(|it| format!("tag {it}")));
    said.extend(session.summary.split("\n\n").filter(|it| !it.is_empty()).map(|it| format!("summary {it}")));
    said
}

fn sorted(paths: &[String]) -> Vec<&String> {
    let mut paths: Vec<&String> = paths.iter().collect();
    paths.sort();
    paths
}

/// What can be told apart in each list, without what is united.
fn keys(session: &Session) -> Vec<String> {
    let keys = session.decisions.iter().map(|it| format!("decision {}", it.decision));
    let keys = keys.chain(session.next.iter().map(|it| format!("next {it}")));
    let keys = keys.chain(session.blockers.iter().map(|it| format!("blocker {it}")));
    let keys = keys.chain(session.checklist.iter().map(|it| format!("item {}", it.item)));
    let keys = keys.chain(session.notes.iter().map(|it| format!("note {}", it.note)));
    let keys = keys.chain(session.references.iter().map(|it| format!("reference {}", it.uri)));
    let keys = keys.chain(session.pointers.iter().map(|it| format!("pointer {} {:?}", it.path, it.lines)));
    let keys = keys.chain(session.tasks.iter().map(|it| format!("task {it}")));
    keys.chain(session.tags.iter().map(|it| format!("tag {it}"))).collect()
}

prop_compose! {
    fn any_session(name: &'static str)(
        decisions in prop::collection::btree_map(0..6u8, (0..3u8, 0..3u8, 0..5u8), 0..5),
        texts in prop::collection::btree_set((0..6u8, 0..5u8), 0..12),
        checks in prop::collection::btree_map(0..4u8, any::<bool>(), 0..4),
        notes in prop::collection::btree_map(0..4u8, 0..3usize, 0..4),
        pointers in prop::collection::btree_map((0..3u8, 0..2u8), (0..3u8, any::<bool>()), 0..4),
        summary in 0..4u8,
    ) -> Session {
        let mut session = session(name);
        session.summary = if summary == 0 { String::new() } else { format!("did {summary}") };
        for (number, (text, (path, confidence, _))) in decisions.iter().enumerate() {
            let mut one = decision(&format!("d{}", number + 1), &format!("decision {text}"));
            one.paths = (*path > 0).then(|| format!("src/{path}/")).into_iter().collect();
            one.confidence = Confidence::ALL[usize::from(*confidence)];
            session.decisions.push(one);
        }
        for (list, text) in texts {
            let text = format!("text {text}");
            match list {
                0 => session.next.push(text),
                1 => session.blockers.push(text),
                2 => session.tags.push(text),
                3 => session.tasks.push(TaskId::from_random([text.as_bytes()[5]; 8])),
                _ => {
                    let uri = text.clone();
                    if !session.references.iter().any(|known| known.uri == uri) {
                        session.references.push(Reference { kind: LinkType::default(), label: text, uri, notes: None });
                    }
                }
            }
        }
        session.checklist.extend(checks.into_iter().map(|(item, checked)| {
            ChecklistItem { item: format!("item {item}"), checked, owner: None }
        }));
        session.notes.extend(notes.into_iter().map(|(note, category)| {
            SessionNote { note: format!("note {note}"), category: NoteCategory::ALL[category] }
        }));
        session.pointers.extend(pointers.into_iter().map(|((path, lines), (reason, _))| Pointer {
            path: format!("{path}.rs"),
            lines: (lines > 0).then(|| "3-7".to_owned()),
            reason: (reason > 0).then(|| format!("because {reason}")),
            blob: None,
        }));
        session
    }
}

proptest! {
    #[test]
    fn merging_twice_is_merging_once(one in any_session(A), other in any_session(B)) {
        let mut once = one.clone();
        unite(&mut once, A, &[party(B, &other)]);
        let mut twice = once.clone();
        let taken = unite(&mut twice, A, &[party(B, &other)]);
        prop_assert_eq!(&twice, &once);
        prop_assert!(taken.iter().all(|it| it.added == 0));
    }

    #[test]
    fn the_order_of_merging_changes_no_set_and_nothing_is_lost_or_doubled(
        one in any_session(A), other in any_session(B), third in any_session(C),
    ) {
        let (mut here, mut there) = (session(T), session(T));
        unite(&mut here, T, &[party(A, &one), party(B, &other), party(C, &third)]);
        unite(&mut there, T, &[party(C, &third), party(A, &one), party(B, &other)]);
        prop_assert_eq!(said(&here), said(&there));
        let all: BTreeSet<String> = [&one, &other, &third].into_iter().flat_map(keys).collect();
        let kept = keys(&here);
        prop_assert_eq!(kept.iter().cloned().collect::<BTreeSet<_>>(), all);
        prop_assert_eq!(kept.iter().collect::<BTreeSet<_>>().len(), kept.len());
        let ids: BTreeSet<&str> = here.decisions.iter().map(|it| it.id.as_str()).collect();
        prop_assert_eq!(ids.len(), here.decisions.len());
        // What was decided in one of them is decided once.
        let (apart, merged) = ([(A, &one), (B, &other), (C, &third)], [(A, &one), (B, &other), (C, &third), (T, &here)]);
        prop_assert_eq!(texts_in_force(&merged), texts_in_force(&apart));
        prop_assert_eq!(in_force(&merged).len(), texts_in_force(&merged).len());
    }

    #[test]
    fn a_fork_that_is_merged_back_leaves_everything_as_it_was(one in any_session(A), new in 0..3u8) {
        let known = one.clone();
        let decisions = Decisions::of([(A, &known)], Packages::Ignore);
        let mut fork = session(B);
        fork.inherit(party(A, &known), &"all".parse().unwrap(), &decisions);
        let before = in_force(&[(A, &one)]);
        prop_assert_eq!(&in_force(&[(A, &one), (B, &fork)]), &before);
        for number in 0..new {
            fork.next.push(format!("new step {number}"));
            fork.decisions.push(decision(&format!("n{number}"), &format!("new decision {number}")));
        }
        let mut merged = one.clone();
        unite(&mut merged, A, &[party(B, &fork)]);
        prop_assert_eq!(keys(&merged).len(), keys(&one).len() + usize::from(new) * 2);
        fork.status = SessionStatus::Closed;
        let after = in_force(&[(A, &merged), (B, &fork)]);
        prop_assert_eq!(after.len(), before.len() + usize::from(new));
        prop_assert!(before.iter().all(|decision| after.contains(decision)));
        prop_assert_eq!(after.iter().collect::<BTreeSet<_>>().len(), after.len());
    }
}

#[test]
fn texts_that_differ_in_case_and_blanks_alone_are_one() {
    let (mut one, mut other) = (session(A), session(B));
    one.decisions = vec![decision("d1", "Use Redis")];
    other.decisions = vec![decision("d1", "use  redis")];
    one.next = vec!["Fix it".to_owned()];
    other.next = vec!["fix it".to_owned(), "Fix that".to_owned()];
    other.summary = "Done  well".to_owned();
    one.summary = "done well".to_owned();
    let (mut united, before) = (one.clone(), one.clone());
    unite(&mut united, A, &[party(B, &other)]);
    assert_eq!(united.next, ["Fix it", "Fix that"]);
    assert_eq!(united.summary, "done well");
    assert_eq!(united.decisions.len(), 1);
    assert_eq!(in_force(&[(A, &united), (B, &other)]).len(), 1, "one decision, not two");
    assert_eq!(contradictions(&[party(A, &before), party(B, &other)], &united), []);
}

#[test]
fn another_category_of_a_note_and_another_name_of_a_reference_are_told() {
    let (mut one, mut other) = (session(A), session(B));
    let note = |category| SessionNote { note: "port 5433".to_owned(), category };
    let reference =
        |kind, label: &str| Reference { kind, label: label.to_owned(), uri: "https://x.y/z".to_owned(), notes: None };
    one.notes = vec![note(NoteCategory::Suggestion)];
    other.notes = vec![note(NoteCategory::Caution)];
    one.references = vec![reference(LinkType::Url, "L")];
    other.references = vec![reference(LinkType::Doc, "L2")];
    let told: Vec<(About, Option<String>)> =
        differing(&one, &other).into_iter().map(|one| (one.about, one.kept)).collect();
    let kept = |text: &str| Some(text.to_owned());
    assert_eq!(
        told,
        [(About::Note, kept("caution")), (About::Reference, kept("url")), (About::Reference, kept("“L”"))]
    );
    // One that has no label of its own says nothing against another.
    one.references = vec![reference(LinkType::Doc, "https://x.y/z")];
    one.notes.clear();
    assert_eq!(differing(&one, &other), []);
    unite(&mut one, A, &[party(B, &other)]);
    assert_eq!(one.references[0].label, "L2");
}

#[test]
fn what_a_session_decided_itself_counts_as_it_says_it_after_a_merge() {
    let mut one = session(A);
    one.decisions = vec![Decision { reason: Some("known".to_owned()), ..decision("d1", "Use postgres") }];
    let mut other = session(B);
    other.decisions = vec![Decision { reason: Some("fast".to_owned()), ..decision("d1", "use  Postgres") }];
    let told = differing(&one, &other);
    assert_eq!(told[0].kept.as_deref(), Some("known"));
    unite(&mut one, A, &[party(B, &other)]);
    for sessions in [[(A, &one), (B, &other)], [(B, &other), (A, &one)]] {
        let decisions = Decisions::of(sessions, Packages::Ignore);
        let in_force: Vec<_> = decisions.in_force().map(|it| (&it.decision.decision, &it.decision.reason)).collect();
        assert_eq!(in_force, [(&"Use postgres".to_owned(), &Some("known".to_owned()))]);
    }
}
