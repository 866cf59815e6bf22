use super::*;
use crate::session::{ChecklistItem, Confidence, Decision, SessionKind};

fn closed(summary: &str) -> Session {
    let id = serde_json::from_value("a3f9c12e".into()).unwrap();
    let now = "2026-11-15T09:00:00Z".parse().unwrap();
    let mut session = Session::new(id, SessionKind::Session, now);
    session.summary = summary.to_owned();
    session.next = vec!["Fix refresh test matrix".to_owned()];
    session.close(now).unwrap();
    session
}

fn decision(decision: &str, reason: Option<&str>) -> Decision {
    Decision {
        id: "d1".to_owned(),
        decision: decision.to_owned(),
        reason: reason.map(str::to_owned),
        confidence: Confidence::Confirmed,
        paths: Vec::new(),
        supersedes: None,
        same_as: Vec::new(),
        revised: false,
    }
}

fn rules(session: &Session, around: &Around<'_>) -> Vec<Rule> {
    lint(session, around).iter().map(|finding| finding.rule).collect()
}

#[test]
fn a_good_handoff_has_no_findings() {
    let mut session = closed("Token parser extracted, refresh tests fail");
    session.decisions = vec![decision("JWT over server sessions", Some("stateless API"))];
    assert_eq!(lint(&session, &Around::default()), []);
}

#[test]
fn an_end_without_a_next_step_is_told_unless_nothing_is_open() {
    let mut session = closed("Token parser extracted");
    session.next.clear();
    let around = Around::default();
    assert_eq!(rules(&session, &around), [Rule::NoNextStep]);
    assert_eq!(rules(&session, &Around { has_open_task: Some(false), ..around }), []);
    assert_eq!(rules(&session, &Around { body: Some("## Next steps\n- x"), ..around }), []);
    let mut open = session.clone();
    open.checklist = vec![ChecklistItem { item: "verify".to_owned(), checked: false, owner: None }];
    assert_eq!(rules(&open, &Around { has_open_task: Some(false), ..around }), [Rule::NoNextStep]);
    session.status = SessionStatus::Active;
    assert_eq!(rules(&session, &around), [], "one that goes on has time");
}

#[test]
fn findings_come_in_a_fixed_order_one_for_each_rule() {
    let mut session = closed("wip");
    session.next = vec!["continue".to_owned(), "Fix bugs".to_owned(), "Run race tests".to_owned()];
    session.decisions =
        vec![decision("Use SQLite", None), decision("UTC", Some(" ")), decision("JWT", Some("stateless"))];
    let missing = ["src/gone.rs".to_owned()];
    let findings = lint(&session, &Around { missing: &missing, ..Around::default() });
    let told: Vec<String> = findings.iter().map(Finding::sentence).collect();
    assert_eq!(
        told,
        [
            "the next steps `continue`, `Fix bugs` could mean anything: name the file, test or command",
            "the decisions `Use SQLite`, `UTC` have no reason: without one the next session may undo them",
            "the pointer `src/gone.rs` leads to no file; it is kept",
            "the summary `wip` does not say what was done and where it stands",
        ]
    );
    assert_eq!(findings.iter().map(Finding::count).collect::<Vec<_>>(), [2, 2, 1, 1]);
}

#[test]
fn a_pointer_whose_lines_are_none_is_told_why() {
    let told = |pointers: &[&str]| {
        let missing: Vec<String> = pointers.iter().map(|&pointer| pointer.to_owned()).collect();
        dead_pointers(&missing).unwrap().sentence()
    };
    assert_eq!(
        told(&["src/auth.rs:5-1"]),
        "the pointer `src/auth.rs:5-1` leads to no file, since `5-1` tells no lines: write them as `42-78`; it is kept"
    );
    assert_eq!(
        told(&["a.rs", "b.rs:1,7"]),
        "the pointers `a.rs`, `b.rs:1,7` lead to no file, since `1,7` tells no lines: write them as `42-78`; they are kept"
    );
    assert_eq!(told(&["docs/c:d.md"]), "the pointer `docs/c:d.md` leads to no file; it is kept");
}

#[test]
fn a_summary_that_is_missing_is_told_so() {
    let told = lint(&closed(" "), &Around::default());
    assert_eq!(told[0].sentence(), "no summary: say what was done and where it stands");
    assert_eq!(lint(&closed(""), &Around { body: Some("# All of it"), ..Around::default() }), []);
}

#[test]
fn length_is_told_by_what_loading_costs() {
    let mut session = closed(&"The parser was extracted. ".repeat(60));
    assert_eq!(rules(&session, &Around::default()), [Rule::TooLong]);
    assert!(lint(&session, &Around::default())[0].sentence().contains("1500 bytes"));
    session.summary.truncate(200);
    let body = "Some words on what was tried. ".repeat(300);
    let findings = lint(&session, &Around { body: Some(&body), ..Around::default() });
    assert!(findings[0].sentence().starts_with("about "), "{findings:?}");
}

#[test]
fn many_items_are_counted_and_long_ones_cut() {
    let mut session = closed("Token parser extracted");
    session.decisions = (0..5).map(|number| decision(&format!("{number} {}", "word ".repeat(30)), None)).collect();
    let sentence = lint(&session, &Around::default())[0].sentence();
    assert!(sentence.contains("…`, 2 more have no reason") && sentence.len() < 330, "{sentence}");
}
