use super::*;
use crate::agent::{Digest, Event, FileChange, Host, Todo, TodoStatus, What, compile, current_summary};
use crate::id::SessionId;
use crate::session::{Session, SessionKind};
use crate::when::Moment;

fn at(day: u8, hour: u8) -> Moment {
    format!("2026-11-{day:02}T{hour:02}:00:00Z").parse().unwrap()
}

fn ran(id: &str, command: &str, exit: i32) -> [What; 2] {
    [
        What::Command { id: id.to_owned(), command: command.to_owned() },
        What::Outcome {
            id: id.to_owned(),
            exit: Some(exit),
            is_failure: exit != 0,
            output: "1 test failed".to_owned(),
        },
    ]
}

/// A conversation on a day, compiled.
fn conversation(day: u8, events: impl IntoIterator<Item = What>) -> Compiled {
    let events = [What::Prompt("Work on it".to_owned())].into_iter().chain(events);
    let events = events.zip(1..).map(|(what, hour)| Event { at: Some(at(day, hour)), line: Some(hour.into()), what });
    compile(&Digest::of(events), Host::Codex, &["/app"])
}

/// A closed handoff with an id for each of its items.
fn handoff(day: u8, change: impl FnOnce(&mut Session)) -> (String, Session) {
    let mut session = Session::new(SessionId::from_random([0xa0, 0, 0, day]), SessionKind::Session, at(day, 0));
    change(&mut session);
    session.close(at(day, 9)).unwrap();
    let name = session.full_name();
    session.allot_items(&name, &OpenItems::default());
    (name, session)
}

fn ended(sessions: &[(String, Session)], later: &Compiled) -> Vec<String> {
    let items = OpenItems::of(sessions.iter().map(|(name, session)| (name.as_str(), session)), |_| true);
    let endings = later.endings(&items);
    endings.iter().map(|ending| format!("{} {}", ending.item.text, ending.because.as_deref().unwrap_or(""))).collect()
}

#[test]
fn a_failed_check_is_settled_by_a_later_conversation_in_which_it_passes() {
    let failed = conversation(1, ran("1", "cd api && cargo test -p auth --quiet 2>&1 | tail", 101));
    let text = &failed.items[0].text;
    assert!(text.starts_with("Fix `cargo test -p auth --quiet`"), "{text}");
    let sessions = [handoff(1, |session| failed.put_into(session))];
    for (command, exit, settles) in [
        ("cargo test -p auth", 0, Some("cargo test -p auth")),
        ("RUST_LOG=1 cargo test --workspace", 0, Some("cargo test")),
        ("cargo test -p api", 0, None),
        ("cargo test -p auth refresh", 0, None),
        ("cargo test -p auth | tail", 0, None),
        ("cargo build -p auth", 0, None),
        ("cargo test -p auth", 101, None),
    ] {
        let later = conversation(2, ran("1", command, exit));
        let expected: Vec<String> = settles.map(|check| format!("{text} `{check}` passed")).into_iter().collect();
        assert_eq!(ended(&sessions, &later), expected, "{command}");
    }
    let passed_and_failed = conversation(2, [ran("1", "cargo test", 0), ran("2", "cargo test", 101)].concat());
    assert!(ended(&sessions, &passed_and_failed).is_empty());
    // A conversation that was at work before is finished late.
    let mut earlier = conversation(1, ran("1", "cargo test", 0));
    earlier.passed[0].at = Some(at(1, 5));
    assert!(ended(&sessions, &earlier).is_empty());
}

#[test]
fn a_check_of_one_directory_is_not_settled_by_that_of_another() {
    let failed = conversation(1, ran("1", "cd /app/api && npm test", 1));
    let sessions = [handoff(1, |session| failed.put_into(session))];
    let ends = |command: &str| ended(&sessions, &conversation(2, ran("1", command, 0))).len();
    assert_eq!(ends("cd /app/web && npm test"), 0);
    for command in ["cd api && npm test", "npm --prefix api test", "cd /app && npm test", "npm test"] {
        assert_eq!(ends(command), 1, "{command}");
    }
}

#[test]
fn items_of_earlier_versions_and_of_people_are_settled_by_the_check_they_name() {
    let written = ["Fix `make test` (exit 2): failed", "Make `make test` pass", "Look at `make test`", "Fix the test"];
    let sessions = [handoff(1, |session| session.next = written.map(str::to_owned).to_vec())];
    let later = conversation(2, ran("1", "make test", 0));
    let expected = written[..2].iter().map(|text| format!("{text} `make test` passed")).collect::<Vec<_>>();
    assert_eq!(ended(&sessions, &later), expected);
}

#[test]
fn what_the_agent_says_to_be_done_is_settled() {
    let steps = ["Extend the refresh matrix", "Write the docs", "Deploy it"];
    let sessions = [handoff(1, |session| session.next = steps.map(str::to_owned).to_vec())];
    let todo = |text: &str, status| Todo { id: None, text: text.to_owned(), status, line: None };
    let list = vec![todo("extend refresh matrix", TodoStatus::Completed), todo("Deploy it", TodoStatus::Pending)];
    let later = conversation(2, [What::Todos(list), What::Answer("Done:\n- Write the docs.".to_owned())]);
    let because = "the agent said that it is done";
    assert_eq!(ended(&sessions, &later), [format!("{} {because}", steps[0]), format!("{} {because}", steps[1])]);
}

#[test]
fn an_item_is_settled_by_its_id_or_by_its_words_in_the_past() {
    let sessions = [handoff(1, |session| {
        session.next = ["Fix the clock skew in `src/auth.rs`", "Write the docs"].map(str::to_owned).to_vec();
        session.blockers = vec!["the security review is pending".to_owned()];
        session.questions = vec!["Which key?".to_owned()];
    })];
    let settled = |said: &str| {
        let change = What::Changed { path: "src/auth.rs".to_owned(), change: FileChange::Updated };
        let later = conversation(2, [change, What::Answer(said.to_owned())]);
        let items = OpenItems::of(sessions.iter().map(|(name, session)| (name.as_str(), session)), |_| true);
        let endings = later.endings(&items);
        endings.iter().map(|ending| format!("{} {}", ending.item.id, ending.how)).collect::<Vec<_>>()
    };
    assert_eq!(
        settled("n1 and n2 are done. The security review passed, so b1 is resolved."),
        ["n1 done", "n2 done", "b1 resolved"]
    );
    assert_eq!(settled("n2 is no longer needed, q1 is answered."), ["n2 dropped", "q1 answered"]);
    assert_eq!(settled("Fixed the clock skew in `src/auth.rs`"), ["n1 done"]);
    assert_eq!(settled("I wrote the docs and fixed the clock skew in `src/auth.rs`."), ["n1 done", "n2 done"]);
    for said in [
        "n7 is done",
        "n1 is not done",
        "Once n1 is done, ship it",
        "Fixed the clock skew in `src/token.rs`",
        "Started to fix the clock skew in `src/auth.rs`",
        "Fixed half of the clock skew in `src/auth.rs`",
        "n1 is done.\n\nNext: Fix the clock skew in `src/auth.rs`",
    ] {
        assert_eq!(settled(said), [] as [&str; 0], "{said}");
    }
}

#[test]
fn words_of_a_turn_settle_nothing_that_was_named_after_it() {
    let change = What::Changed { path: "docs/a.md".to_owned(), change: FileChange::Updated };
    let said = What::Answer("Wrote the docs.".to_owned());
    let later = conversation(2, [change, said, What::Prompt("And the page?".to_owned())]);
    let earlier = handoff(1, |session| session.next = vec!["Write the docs".to_owned()]);
    assert_eq!(ended(&[earlier], &later), ["Write the docs the agent said that it is done"]);
    let named = handoff(2, |session| session.next = vec!["Write the docs".to_owned()]);
    assert!(ended(&[named], &later).is_empty());
}

#[test]
fn a_summary_does_not_repeat_a_failure_that_was_settled_since() {
    let failures = ran("1", "sh tests/refresh.sh", 1).into_iter().chain(ran("2", "cargo test -p auth", 101));
    let mut failed = conversation(1, failures);
    failed.facts.insert("agent_session".to_owned(), "e01eb16d".into());
    let (name, session) = handoff(1, |session| failed.put_into(session));
    let current = |later: &[(String, Session)]| {
        let first = std::iter::once((name.as_str(), &session));
        let all = first.chain(later.iter().map(|(name, session)| (name.as_str(), session)));
        current_summary(&name, &session, &OpenItems::of(all, |_| true)).into_owned()
    };
    assert!(
        current(&[]).contains("Checks: `cargo test -p auth` fails (exit 101); `sh tests/refresh.sh` fails (exit 1)")
    );
    let settle = |day: u8, command: &str| {
        let items = OpenItems::of([(name.as_str(), &session)], |_| true);
        let endings = conversation(day, ran("1", command, 0)).endings(&items);
        handoff(day, |later| {
            let full_name = later.full_name();
            later.settle(&full_name, &endings, crate::session::SettledBy { at: Some(at(day, 9)), by: None });
        })
    };
    let refresh = settle(2, "sh tests/refresh.sh");
    let one = current(std::slice::from_ref(&refresh));
    assert!(one.contains("Checks: `cargo test -p auth` fails (exit 101)") && !one.contains("refresh.sh"), "{one}");
    let none = current(&[refresh, settle(3, "cargo test")]);
    assert!(!none.contains("Checks"), "{none}");
}
