use super::*;
use crate::id::SessionId;
use crate::session::{Packages, SessionKind};

const A: &str = "2026-11-01-aaaaaaaa";

fn session() -> Session {
    let text = r#"
id = "aaaaaaaa"
status = "closed"
tags = ["auth"]
started_at = 2026-11-01T09:00:00Z
next = ["Fix the tests"]
[[decisions]]
id = "d1"
decision = "Sessions"
[[decisions]]
id = "d2"
decision = "JWT"
supersedes = "d1"
[[notes]]
note = "port 5433"
[environment]
node = "20"
compiled = { agent = "codex" }
"#;
    Session::read(text).unwrap()
}

fn fork(parts: &Inherit) -> Session {
    let source = session();
    let id = SessionId::try_from("bbbbbbbb".to_owned()).unwrap();
    let mut fork = Session::new(id, SessionKind::Session, "2026-11-02T09:00:00Z".parse().unwrap());
    fork.inherit(Party { name: A, session: &source }, parts, &Decisions::of([(A, &source)], Packages::Ignore));
    fork
}

#[test]
fn a_fork_takes_over_what_is_to_know_and_says_where_from() {
    let fork = fork(&Inherit::default());
    assert_eq!(fork.full_name(), "2026-11-02-bbbbbbbb", "it begins when it begins");
    assert_eq!(fork.forked_from.as_deref(), Some(A));
    let decisions: Vec<_> = fork.decisions.iter().map(|it| (it.id.as_str(), it.decision.as_str())).collect();
    assert_eq!(decisions, [("d1", "JWT")], "what was superseded stays behind");
    assert_eq!(fork.decisions[0].same_as, [format!("{A}#d2")]);
    assert_eq!(fork.decisions[0].supersedes, Some(format!("{A}#d1")), "told in full");
    assert_eq!((fork.notes.len(), fork.next.len(), fork.tags.len()), (1, 0, 0));
    assert_eq!(fork.environment.keys().collect::<Vec<_>>(), ["node"], "which transcript it was made of is not its own");
}

#[test]
fn what_is_taken_over_can_be_chosen() {
    let nothing = fork(&"none".parse().unwrap());
    assert_eq!((nothing.decisions.len(), nothing.notes.len(), nothing.environment.len()), (0, 0, 0));
    let some = fork(&"next, tags".parse().unwrap());
    assert_eq!((some.next.len(), some.tags.len(), some.notes.len()), (1, 1, 0));
    let all = fork(&"all".parse().unwrap());
    assert_eq!((all.next.len(), all.tags.len(), all.notes.len(), all.decisions.len()), (1, 1, 1, 1));
}

#[test]
fn parts_are_a_list_or_words_and_the_published_names_are_known() {
    let read = |json: &str| serde_json::from_str::<Inherit>(json).map_err(|error| error.to_string());
    let expected: Inherit = "pointers,notes".parse().unwrap();
    assert_eq!(read(r#"["context_pointers", "handoff_notes"]"#), Ok(expected.clone()));
    assert_eq!(read(r#""pointers, notes""#), Ok(expected));
    assert_eq!(read("[]").unwrap().to_string(), "none");
    let wrong = read(r#"["decision"]"#).unwrap_err();
    assert!(wrong.starts_with("`decision` is not a part of a session: use one of decisions, pointers"), "{wrong}");
}

#[test]
fn nothing_is_taken_over_only_where_that_is_said_alone() {
    assert_eq!("".parse::<Inherit>(), Err(BadInherit::Empty));
    assert_eq!(" , ".parse::<Inherit>(), Err(BadInherit::Empty));
    assert_eq!("none,tags".parse::<Inherit>(), Err(BadInherit::NoneAndMore));
    assert_eq!("all,none".parse::<Inherit>(), Err(BadInherit::NoneAndMore));
    assert_eq!("None".parse(), Ok(Inherit(Vec::new())));
    assert_eq!("tags, next,".parse(), Ok(Inherit(vec![Part::Tags, Part::Next])));
    let read = |text: &str| serde_json::from_str::<Inherit>(text).map_err(|error| error.to_string());
    assert_eq!(read("[]"), Ok(Inherit(Vec::new())));
    assert!(read(r#"["none", "tags"]"#).unwrap_err().contains("`none` stands alone"));
}
