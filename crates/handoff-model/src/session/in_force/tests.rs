use super::*;
use crate::id::SessionId;

const A: &str = "2026-11-01-aaaaaaaa";
const B: &str = "2026-11-02-bbbbbbbb";
const C: &str = "2026-11-03-cccccccc";

fn session(name: &str, decisions: &[(&str, &str, &str)]) -> Session {
    let (day, id) = name.rsplit_once('-').unwrap();
    let id = SessionId::try_from(id.to_owned()).unwrap();
    let mut session = Session::new(id, SessionKind::Session, format!("{day}T09:00:00Z").parse().unwrap());
    session.decisions = decisions
        .iter()
        .map(|(id, text, supersedes)| Decision {
            id: (*id).to_owned(),
            decision: (*text).to_owned(),
            reason: None,
            confidence: crate::session::Confidence::Confirmed,
            paths: Vec::new(),
            supersedes: Some((*supersedes).to_owned()).filter(|text| !text.is_empty()),
            same_as: Vec::new(),
            revised: false,
        })
        .collect();
    session
}

fn of<'a>(sessions: &'a [(&'a str, Session)]) -> Decisions<'a> {
    Decisions::of(sessions.iter().map(|(name, session)| (*name, session)), Packages::Ignore)
}

fn texts(decisions: &Decisions<'_>) -> Vec<String> {
    decisions.in_force().map(|it| it.decision.decision.clone()).collect()
}

/// What is in force, which must be the same in whichever order the sessions come.
fn in_force(sessions: &[(&str, Session)]) -> Vec<String> {
    let found = texts(&of(sessions));
    let reversed: Vec<_> = sessions.iter().rev().cloned().collect();
    assert_eq!(texts(&of(&reversed)), found);
    found
}

#[test]
fn the_last_of_a_chain_holds_and_newest_come_first() {
    let sessions = [
        (A, session(A, &[("d1", "sessions", ""), ("d2", "rust", "")])),
        (B, session(B, &[("d1", "JWT", &format!("{A}#d1"))])),
        (C, session(C, &[("d1", "PASETO", "bbbbbbbb#d1"), ("d2", "later", ""), ("d3", "latest", "d2")])),
    ];
    assert_eq!(in_force(&sessions), ["latest", "PASETO", "rust"]);
    let decisions = of(&sessions);
    let by: Vec<_> = decisions.superseded_by(&format!("{A}#d1")).map(|it| it.reference.as_str()).collect();
    assert_eq!(by, [format!("{B}#d1")]);
    let rust = decisions.in_force().last().unwrap();
    assert_eq!(
        (rust.reference.as_str(), rust.date.unwrap().to_string().as_str()),
        ("2026-11-01-aaaaaaaa#d2", "2026-11-01")
    );
}

#[test]
fn an_older_session_that_is_still_open_can_supersede_a_newer_one() {
    let sessions = [(A, session(A, &[("d1", "new", &format!("{B}#d1"))])), (B, session(B, &[("d1", "old", "")]))];
    assert_eq!(in_force(&sessions), ["new"]);
}

#[test]
fn of_a_circle_the_newest_holds() {
    let sessions = [
        (A, session(A, &[("d1", "a", &format!("{C}#d1"))])),
        (B, session(B, &[("d1", "b", &format!("{A}#d1")), ("d2", "self", "d2")])),
        (C, session(C, &[("d1", "c", &format!("{B}#d1"))])),
    ];
    assert_eq!(in_force(&sessions), ["c", "self"]);
    // What leads into the circle from outside supersedes as ever.
    let mut more = sessions.to_vec();
    let name = "2026-11-04-dddddddd";
    more.push((name, session(name, &[("d1", "d", &format!("{C}#d1"))])));
    assert_eq!(in_force(&more), ["d", "self"]);
}

#[test]
fn missing_ones_and_two_that_supersede_one_are_borne() {
    let sessions = [
        (A, session(A, &[("d1", "a", "2020-01-01-00000000#d1"), ("d2", "odd", "no reference at all")])),
        (B, session(B, &[("d1", "b", &format!("{A}#d1"))])),
        (C, session(C, &[("d1", "c", &format!("{A}#d1"))])),
    ];
    assert_eq!(in_force(&sessions), ["c", "b", "odd"]);
    let decisions = of(&sessions);
    let by: Vec<_> = decisions.superseded_by(&format!("{A}#d1")).map(|it| it.decision.decision.as_str()).collect();
    assert_eq!(by, ["c", "b"]);
    assert_eq!(decisions.superseded_by("nowhere#d1").count(), 0);
}

#[test]
fn ids_that_a_merge_left_twice_name_the_first_and_the_others_get_their_own() {
    let sessions = [
        (A, session(A, &[("d1", "one", ""), ("d1", "two", ""), ("d1", "one", ""), ("", "three", "")])),
        (B, session(B, &[("d1", "instead of one", &format!("{A}#d1"))])),
    ];
    assert_eq!(in_force(&sessions), ["instead of one", "three", "two"]);
    let decisions = of(&sessions);
    let references: Vec<_> = decisions.all().iter().map(|it| it.reference.as_str()).collect();
    assert_eq!(
        references,
        ["2026-11-02-bbbbbbbb#d1", "2026-11-01-aaaaaaaa#d4", "2026-11-01-aaaaaaaa#d2", "2026-11-01-aaaaaaaa#d1"]
    );
}

#[test]
fn packages_count_only_when_asked_for() {
    let mut package = session(B, &[("d1", "packed", &format!("{A}#d1"))]);
    package.kind = SessionKind::Package;
    let sessions = [(A, session(A, &[("d1", "a", "")])), (B, package)];
    assert_eq!(in_force(&sessions), ["a"]);
    let all = Decisions::of(sessions.iter().map(|(name, session)| (*name, session)), Packages::Include);
    assert_eq!(texts(&all), ["packed"]);
}

#[test]
fn one_name_twice_counts_once() {
    let sessions = [(A, session(A, &[("d1", "a", "")])), (A, session(A, &[("d1", "a2", "")])), (A, session(A, &[]))];
    assert_eq!(in_force(&sessions).len(), 1);
}

#[test]
fn a_decision_is_looked_up_and_close_ones_are_told() {
    let sessions =
        [(A, session(A, &[("d1", "a", ""), ("d2", "b", "")])), (B, session(B, &[("d1", "c", &format!("{A}#d2"))]))];
    let decisions = of(&sessions);
    let resolve = |text: &str| decisions.resolve(&text.parse().unwrap());
    assert_eq!(resolve("aaaa#D2"), Ok(Known { reference: format!("{A}#d2"), superseded_by: Some(format!("{B}#d1")) }));
    assert_eq!(resolve("d1").unwrap_err().close, [format!("{B}#d1"), format!("{A}#d1")]);
    assert_eq!(resolve("aaaaaaaa#d9").unwrap_err().close, [format!("{A}#d2"), format!("{A}#d1")]);
    assert_eq!(resolve("2026-11-01-aaaaaaab#d1").unwrap_err().close[0], format!("{A}#d1"));
    assert_eq!(resolve("2026-11#d1").unwrap_err().close.len(), 3);
}

proptest::proptest! {
    #[test]
    fn any_references_at_all_give_one_answer(
        links in proptest::collection::vec((0..3usize, 0..5usize, 0..4usize, 0..6usize), 0..16),
    ) {
        let names = [A, B, C];
        let mut given: Vec<Vec<(String, String, String)>> = vec![Vec::new(); 3];
        for (home, id, other, target) in links {
            let text = format!("{home} {id} {other} {target} {}", given[home].len());
            let to = if other == 3 { format!("d{target}") } else { format!("{}#d{target}", names[other]) };
            given[home].push((format!("d{id}"), text, to));
        }
        let sessions: Vec<(&str, Session)> = names
            .iter()
            .zip(&given)
            .map(|(name, list)| {
                let list: Vec<_> = list.iter().map(|(id, text, to)| (&**id, &**text, &**to)).collect();
                (*name, session(name, &list))
            })
            .collect();
        let found = in_force(&sessions);
        // Whatever supersedes what, something holds as long as anything was decided.
        proptest::prop_assert_eq!(found.is_empty(), given.iter().all(Vec::is_empty));
    }
}
