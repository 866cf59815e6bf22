use super::*;
use crate::id::SessionId;
use crate::session::{ChecklistItem, ItemEnding, ItemRef, NoteCategory, SessionNote, SettledBy};

/// A closed handoff of a day, with these next steps.
fn handoff(day: u8, next: &[&str]) -> (String, Session) {
    let at: Moment = format!("2026-11-{day:02}T09:00:00Z").parse().unwrap();
    let mut session = Session::new(SessionId::from_random([0xa0, 0, 0, day]), SessionKind::Session, at);
    session.next = next.iter().map(|step| (*step).to_owned()).collect();
    session.close(at).unwrap();
    (session.full_name(), session)
}

fn items(sessions: &[(String, Session)]) -> OpenItems<'_> {
    OpenItems::of(sessions.iter().map(|(name, session)| (name.as_str(), session)), |_| true)
}

/// Saves a session as the doors do: its entries get ids.
fn save(sessions: &mut Vec<(String, Session)>, (name, mut session): (String, Session)) {
    session.allot_items(&name, &items(sessions));
    sessions.push((name, session));
}

fn open(sessions: &[(String, Session)]) -> Vec<String> {
    let items = items(sessions);
    items.open().iter().map(|item| format!("{} {}", items.shown_id(item), item.text)).collect()
}

fn settle(sessions: &mut Vec<(String, Session)>, day: u8, wanted: &str, how: SettledHow) {
    let (name, mut session) = handoff(day, &[]);
    let ending = {
        let items = items(sessions);
        let item = items.find(&wanted.parse().unwrap()).unwrap();
        ItemEnding { item: items.target(item), how, because: None, task: None }
    };
    session.settle(&name, &[ending], SettledBy::default());
    sessions.push((name, session));
}

#[test]
fn ids_in_the_text_of_a_damaged_file_are_not_given_again() {
    let text = "id = \"n9\"\nsummary = \"cut\n\n[[items]]\nid = \"n2\"\ntext = \"Write docs\"\n\n[[items]]\nid=\"b3\"\n\n\
                [[decisions]]\nid = \"n7\"\n";
    let seen: Vec<String> = item_ids_in_damaged(text).map(|id| id.to_string()).collect();
    assert_eq!(seen, ["n2", "b3"]);
    let mut known = OpenItems::default();
    known.reserve(item_ids_in_damaged(text));
    let (name, mut session) = handoff(1, &["Fix the matrix"]);
    session.blockers = vec!["CI is down".to_owned()];
    session.questions = vec!["Which region?".to_owned()];
    session.allot_items(&name, &known);
    let ids: Vec<&str> = session.items.iter().map(|record| record.id.as_str()).collect();
    assert_eq!(ids, ["n3", "b4", "q1"]);
}

#[test]
fn an_item_stays_open_until_it_is_settled() {
    let mut sessions = Vec::new();
    save(&mut sessions, handoff(1, &["Fix the matrix", "Run race tests"]));
    save(&mut sessions, handoff(2, &["Write docs"]));
    assert_eq!(open(&sessions), ["n3 Write docs", "n1 Fix the matrix", "n2 Run race tests"]);
    settle(&mut sessions, 3, "n1", SettledHow::Done);
    assert_eq!(open(&sessions), ["n3 Write docs", "n2 Run race tests"]);
    settle(&mut sessions, 4, "run the race tests", SettledHow::Dropped);
    assert_eq!(open(&sessions), ["n3 Write docs"]);
}

#[test]
fn an_item_that_is_named_again_is_the_same_one() {
    let mut sessions = Vec::new();
    save(&mut sessions, handoff(1, &["Fix the failing test"]));
    save(&mut sessions, handoff(2, &["fix failing tests."]));
    assert_eq!(open(&sessions), ["n1 fix failing tests."]);
    settle(&mut sessions, 3, "n1", SettledHow::Done);
    assert!(open(&sessions).is_empty());
}

#[test]
fn what_was_settled_and_is_named_again_is_a_new_item() {
    let mut sessions = Vec::new();
    save(&mut sessions, handoff(1, &["Fix the test"]));
    settle(&mut sessions, 2, "n1", SettledHow::Done);
    save(&mut sessions, handoff(3, &["Fix the test"]));
    assert_eq!(open(&sessions), ["n2 Fix the test"]);
}

#[test]
fn files_without_ids_are_numbered_in_the_order_of_time() {
    let sessions = [handoff(2, &["Second"]), handoff(1, &["First", "Second"]), handoff(3, &["Third"])];
    assert_eq!(open(&sessions), ["n3 Third", "n2 Second", "n1 First"]);
    let mut sessions = sessions.to_vec();
    settle(&mut sessions, 4, "n2", SettledHow::Done);
    assert_eq!(open(&sessions), ["n3 Third", "n1 First"]);
    // Named later without an id, it is another one.
    sessions.push(handoff(5, &["Second"]));
    assert_eq!(open(&sessions), ["n4 Second", "n3 Third", "n1 First"]);
}

#[test]
fn two_branches_may_give_one_id_to_two_items() {
    let mut ours = Vec::new();
    save(&mut ours, handoff(1, &["Ours"]));
    let mut theirs = Vec::new();
    save(&mut theirs, handoff(2, &["Theirs"]));
    let all: Vec<_> = ours.into_iter().chain(theirs).collect();
    assert_eq!(open(&all), ["a0000002#n1 Theirs", "a0000001#n1 Ours"]);
    let items = items(&all);
    let error = items.find(&"n1".parse().unwrap()).unwrap_err().to_string();
    assert!(error.contains("`a0000001#n1` (Ours) or `a0000002#n1` (Theirs)"), "{error}");
    assert_eq!(items.find(&"a0000002#n1".parse().unwrap()).unwrap().text, "Theirs");
}

#[test]
fn a_tick_settles_and_a_next_step_and_a_checklist_item_are_one() {
    let mut sessions = Vec::new();
    save(&mut sessions, handoff(1, &["Verify on staging"]));
    let (name, mut session) = handoff(2, &[]);
    session.checklist = vec![ChecklistItem { item: "verify on staging".to_owned(), checked: false, owner: None }];
    save(&mut sessions, (name, session));
    assert_eq!(open(&sessions), ["n1 verify on staging"]);
    sessions[1].1.checklist[0].checked = true;
    assert!(open(&sessions).is_empty());
}

#[test]
fn ids_of_what_is_gone_are_not_given_again() {
    let mut sessions = Vec::new();
    save(&mut sessions, handoff(1, &["One", "Two"]));
    sessions[0].1.next.pop();
    let (name, mut session) = sessions.remove(0);
    session.allot_items(&name, &OpenItems::default());
    sessions.push((name, session));
    save(&mut sessions, handoff(2, &["Three"]));
    assert_eq!(open(&sessions), ["n3 Three", "n1 One"]);
}

#[test]
fn an_item_settled_where_it_was_named_stays_known() {
    let mut sessions = Vec::new();
    save(&mut sessions, handoff(1, &["One"]));
    let (name, mut session) = sessions.remove(0);
    let ending = {
        let one = [(name.clone(), session.clone())];
        let items = items(&one);
        ItemEnding { item: items.target(&items.all()[0]), how: SettledHow::Done, because: None, task: None }
    };
    session.settle(&name, &[ending], SettledBy::default());
    assert!(session.next.is_empty());
    sessions.push((name, session));
    let items = items(&sessions);
    let item = items.find(&"n1".parse().unwrap()).unwrap();
    assert_eq!((item.text, item.is_open()), ("One", false));
}

#[test]
fn the_same_check_is_the_same_item() {
    let mut sessions = Vec::new();
    for (day, text) in [(1, "Fix `cargo test` (exit 101): one"), (2, "Fix `cargo test`: two")] {
        let (name, mut session) = handoff(day, &[text]);
        let check = Some("cargo test".to_owned());
        session.items = vec![ItemRecord { text: text.to_owned(), check, compiled: true, ..ItemRecord::default() }];
        save(&mut sessions, (name, session));
    }
    assert_eq!(open(&sessions), ["n1 Fix `cargo test`: two"]);
}

#[test]
fn what_was_compiled_comes_after_what_was_written() {
    let mut sessions = Vec::new();
    save(&mut sessions, handoff(1, &["Written"]));
    let (name, mut session) = handoff(2, &["Compiled"]);
    session.items = vec![ItemRecord { text: "Compiled".to_owned(), compiled: true, ..ItemRecord::default() }];
    save(&mut sessions, (name, session));
    assert_eq!(open(&sessions), ["n1 Written", "n2 Compiled"]);
}

#[test]
fn a_task_carries_an_item_until_it_is_finished() {
    let mut sessions = Vec::new();
    save(&mut sessions, handoff(1, &["Extend the matrix"]));
    let task: TaskId = "k7f3q2ma".parse().unwrap();
    let (name, mut session) = handoff(2, &[]);
    let ending = {
        let items = items(&sessions);
        let item = items.target(&items.all()[0]);
        ItemEnding { item, how: SettledHow::Task, because: None, task: Some(task) }
    };
    session.settle(&name, &[ending], SettledBy::default());
    sessions.push((name, session));
    let pairs = || sessions.iter().map(|(name, session)| (name.as_str(), session));
    let while_open = OpenItems::of(pairs(), |_| true);
    assert_eq!(while_open.open()[0].task, Some(task));
    let finished = OpenItems::of(pairs(), |_| false);
    assert!(finished.open().is_empty());
    assert_eq!(finished.all()[0].end.as_ref().unwrap().task, Some(task));
}

#[test]
fn cautions_are_in_force_until_they_are_taken_back() {
    let mut sessions = Vec::new();
    let (name, mut session) = handoff(1, &[]);
    session.notes = vec![SessionNote { note: "never run terraform".to_owned(), category: NoteCategory::Caution }];
    save(&mut sessions, (name, session));
    save(&mut sessions, handoff(2, &["Other"]));
    let of = |sessions: &[(String, Session)]| {
        items(sessions).cautions().iter().map(|item| item.id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(of(&sessions), ["w1"]);
    settle(&mut sessions, 3, "w1", SettledHow::Dropped);
    assert!(of(&sessions).is_empty());
}

#[test]
fn age_is_counted_in_handoffs() {
    let mut sessions = Vec::new();
    save(&mut sessions, handoff(1, &["Old"]));
    for day in 2..=6 {
        save(&mut sessions, handoff(day, &[]));
    }
    save(&mut sessions, handoff(7, &["New"]));
    let items = items(&sessions);
    let carried: Vec<_> = items.open().iter().map(|item| (item.text, item.carried, item.is_stale())).collect();
    assert_eq!(carried, [("New", 0, false), ("Old", 6, true)]);
}

#[test]
fn a_session_in_which_an_item_was_named_does_not_carry_it_over() {
    let mut sessions = Vec::new();
    save(&mut sessions, handoff(3, &["Asked meanwhile"]));
    // Another one ended in the same second, and one that had begun before ended later.
    let (_, mut same) = handoff(3, &[]);
    same.id = SessionId::from_random([0xff, 0, 0, 3]);
    save(&mut sessions, (same.full_name(), same));
    let (name, mut longer) = handoff(2, &[]);
    longer.ended_at = Some("2026-11-04T09:00:00Z".parse().unwrap());
    save(&mut sessions, (name, longer));
    assert_eq!(items(&sessions).open()[0].carried, 0);
    save(&mut sessions, handoff(5, &[]));
    assert_eq!(items(&sessions).open()[0].carried, 1);
}

#[test]
fn references_are_read_in_every_form() {
    let id = |text: &str| text.parse::<ItemRef>().unwrap().to_string();
    assert_eq!(
        (id("n7"), id(" N7 "), id("#n7"), id("a3f9c12e#b2")),
        ("n7".into(), "n7".into(), "n7".into(), "a3f9c12e#b2".into())
    );
    assert!(matches!("n7x".parse(), Ok(ItemRef::Text(_))));
    assert!(matches!("fix n7".parse(), Ok(ItemRef::Text(_))));
    assert!("  ".parse::<ItemRef>().is_err());
}

/// A session whose file gives the id of its first next step to the second too.
fn with_shared_id() -> Vec<(String, Session)> {
    let mut sessions = Vec::new();
    save(&mut sessions, handoff(1, &["Fix the matrix", "Run race tests"]));
    sessions[0].1.items[1].id = "n1".to_owned();
    sessions
}

#[test]
fn two_items_with_one_id_in_one_session_are_two() {
    let mut sessions = with_shared_id();
    assert_eq!(open(&sessions), ["n1 Fix the matrix", "n2 Run race tests"]);
    settle(&mut sessions, 2, "n1", SettledHow::Done);
    assert_eq!(open(&sessions), ["n2 Run race tests"]);
    settle(&mut sessions, 3, "n2", SettledHow::Done);
    assert!(open(&sessions).is_empty());
}

#[test]
fn an_item_keeps_the_number_under_which_it_was_shown_when_shared_ids_are_parted() {
    for settled in [None, Some("n2")] {
        let mut sessions = with_shared_id();
        if let Some(id) = settled {
            settle(&mut sessions, 2, id, SettledHow::Done);
        }
        let before = open(&sessions);
        let (name, mut session) = sessions[0].clone();
        session.part_shared_ids(&name, &items(&sessions));
        assert_eq!(session.items[1].id, "n2");
        sessions[0].1 = session;
        assert_eq!(open(&sessions), before);
    }
}

#[test]
fn the_next_save_of_a_session_parts_shared_ids() {
    let mut sessions = with_shared_id();
    let (name, mut session) = sessions[0].clone();
    session.next.push("Write docs".to_owned());
    session.allot_items(&name, &items(&sessions));
    sessions[0].1 = session;
    assert_eq!(open(&sessions), ["n1 Fix the matrix", "n2 Run race tests", "n3 Write docs"]);
    let ids: Vec<&str> = sessions[0].1.items.iter().map(|record| record.id.as_str()).collect();
    assert_eq!(ids, ["n1", "n2", "n3"]);
}

#[test]
fn a_shared_id_is_reported_with_its_line_and_other_words_for_one_item_are_not() {
    let session = with_shared_id().remove(0).1;
    let text = session.print();
    let problems = shared_id_problems("sessions/x.toml", &session, &text);
    let line = text.lines().enumerate().filter(|(_, line)| *line == "id = \"n1\"").nth(1).map(|(index, _)| index + 1);
    assert!(line.is_some(), "{text}");
    assert_eq!(problems.iter().map(|problem| problem.line).collect::<Vec<_>>(), [line]);
    assert!(problems[0].reason.contains("two items have the id `n1`"), "{}", problems[0]);
    let mut sessions = Vec::new();
    save(&mut sessions, handoff(1, &["Fix the failing test", "fix failing tests."]));
    assert!(shared_id_problems("x", &sessions[0].1, "").is_empty());
}
