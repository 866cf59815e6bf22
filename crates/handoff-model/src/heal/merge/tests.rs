use proptest::prelude::*;

use super::*;
use crate::id::TaskId;
use crate::session::{Decision, SessionKind, SessionNote, SessionStatus};
use crate::task::{Criterion, HistoryEntry, Note, Status};

fn at(minute: u32) -> Moment {
    format!("2026-11-15T10:{minute:02}:00Z").parse().unwrap()
}

fn task() -> Task {
    Task::new("k7f3q2ma".parse().unwrap(), &"Implement auth".parse().unwrap(), at(0))
}

fn joined(record: RecordKind, base: Option<&str>, ours: &str, theirs: &str) -> Merged {
    merge(record, Sides { base, ours, theirs }, at(59)).unwrap()
}

fn tasks(base: Option<&Task>, ours: &Task, theirs: &Task) -> Task {
    let base = base.map(Task::print);
    Task::read(&joined(RecordKind::Task, base.as_deref(), &ours.print(), &theirs.print()).text).unwrap().0
}

#[test]
fn what_each_side_added_is_there_and_what_both_changed_is_noted() {
    let (mut ours, mut theirs) = (task(), task());
    ours.title = "Implement login".to_owned();
    ours.labels = vec!["api".to_owned()];
    ours.notes.push(Note { at: at(3), by: None, text: "ours".to_owned() });
    theirs.title = "Implement sign-in".to_owned();
    theirs.labels = vec!["web".to_owned()];
    theirs.notes.push(Note { at: at(2), by: None, text: "theirs".to_owned() });
    theirs.schedule.milestone = Some("beta".to_owned());
    let merged = joined(RecordKind::Task, None, &ours.print(), &theirs.print());
    assert_eq!(merged.disputes.len(), 1, "{:?}", merged.disputes);
    let (task, _) = Task::read(&merged.text).unwrap();
    assert_eq!(task.title, "Implement login", "ours was touched last");
    assert_eq!(task.labels, ["api", "web"]);
    assert_eq!(task.schedule.milestone.as_deref(), Some("beta"));
    let notes: Vec<&str> = task.notes.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(notes, ["theirs", "ours", "two versions were joined; `title` was also \"Implement sign-in\""]);
}

#[test]
fn the_status_that_was_set_last_counts_with_the_time_it_was_reached() {
    let (mut ours, mut theirs) = (task(), task());
    let set = |task: &mut Task, status, minute| {
        task.status = status;
        task.history.push(HistoryEntry { at: at(minute), by: None, status: Some(status), estimate_hours: None });
    };
    set(&mut ours, Status::Blocked, 5);
    set(&mut theirs, Status::Done, 4);
    theirs.completed_at = Some(at(4));
    for (one, other) in [(&ours, &theirs), (&theirs, &ours)] {
        let merged = tasks(None, one, other);
        assert_eq!((merged.status, merged.completed_at), (Status::Blocked, None));
        assert_eq!(merged.history.len(), 2);
        assert_eq!(merged.notes, [], "the history has both");
    }
}

#[test]
fn with_a_base_the_side_that_changed_counts_and_what_was_taken_out_stays_out() {
    let mut base = task();
    base.labels = vec!["a".to_owned(), "b".to_owned()];
    base.done_criteria = vec![Criterion { item: "tests".to_owned(), checked: false }];
    let (mut ours, mut theirs) = (base.clone(), base.clone());
    ours.labels = vec!["b".to_owned()];
    ours.title = "New".to_owned();
    theirs.labels.push("c".to_owned());
    theirs.done_criteria[0].checked = true;
    let merged = tasks(Some(&base), &ours, &theirs);
    assert_eq!((merged.title.as_str(), merged.labels.as_slice()), ("New", &["b".to_owned(), "c".to_owned()][..]));
    assert!(merged.done_criteria[0].checked && merged.notes.is_empty());
}

#[test]
fn comments_and_keys_that_nobody_knows_stay() {
    let ours = format!("# mine\n{}mood = \"good\"\n", task().print());
    let theirs = format!(
        "{}weather = \"rain\"\n\n[[notes]]\nat = 2026-11-15T10:01:00Z\ntext = \"x\"\nvia = \"phone\"\n",
        task().print()
    );
    let merged = joined(RecordKind::Task, None, &ours, &theirs).text;
    for wanted in ["# mine\n", "mood = \"good\"\n", "weather = \"rain\"\n", "via = \"phone\"\n"] {
        assert!(merged.contains(wanted), "{wanted} in {merged}");
    }
}

#[test]
fn different_records_are_not_merged() {
    let other = Task { id: "m2x9a4te".parse().unwrap(), ..task() };
    let sides = Sides { base: None, ours: &task().print(), theirs: &other.print() };
    assert_eq!(merge(RecordKind::Task, sides, at(1)), Err(Unmergeable::DifferentIds));
    let sides = Sides { base: None, ours: &task().print(), theirs: "id = 5" };
    assert!(matches!(merge(RecordKind::Task, sides, at(1)), Err(Unmergeable::Unreadable(_))));
}

fn session() -> Session {
    let id = String::from("a3f9c12e").try_into().unwrap();
    Session::new(id, SessionKind::Session, at(0))
}

fn decided(id: &str, text: &str) -> Decision {
    toml::from_str(&format!("id = {id:?}\ndecision = {text:?}")).unwrap()
}

#[test]
fn two_decisions_with_one_id_both_stay_whoever_merges() {
    let (mut ours, mut theirs) = (session(), session());
    ours.decisions = vec![decided("d1", "same"), decided("d2", "JWT")];
    theirs.decisions = vec![decided("d1", "same"), decided("d2", "cookies")];
    theirs.status = SessionStatus::Closed;
    let told = |text: &str| {
        let merged = Session::read(text).unwrap();
        assert_eq!(merged.status, SessionStatus::Closed);
        let mut told: Vec<String> =
            merged.decisions.iter().map(|decision| format!("{} {}", decision.id, decision.decision)).collect();
        told.sort();
        told
    };
    let merged = joined(RecordKind::Session, None, &ours.print(), &theirs.print()).text;
    assert_eq!(told(&merged), ["d1 same", "d2 JWT", "d3 cookies"]);
    assert_eq!(told(&joined(RecordKind::Session, None, &theirs.print(), &ours.print()).text), told(&merged));
    let again = joined(RecordKind::Session, None, &merged, &theirs.print()).text;
    assert_eq!(told(&again), told(&merged), "joined once more, nothing is doubled");
}

#[test]
fn a_summary_that_both_wrote_is_kept_as_a_note() {
    let (mut ours, mut theirs) = (session(), session());
    ours.summary = "one".to_owned();
    theirs.summary = "other".to_owned();
    theirs
        .notes
        .push(SessionNote { note: "mind the port".to_owned(), category: crate::session::NoteCategory::Caution });
    let merged = Session::read(&joined(RecordKind::Session, None, &ours.print(), &theirs.print()).text).unwrap();
    assert_eq!(merged.summary, "other");
    let notes: Vec<&str> = merged.notes.iter().map(|note| note.note.as_str()).collect();
    assert_eq!(notes, ["mind the port", "two versions were joined; `summary` was also \"one\""]);
}

/// What one side may do to a task.
#[derive(Clone, Debug)]
enum Deed {
    Title(u8),
    Status(u8, u32),
    Label(u8),
    Unlabel,
    Depend(u8),
    Note(u8, u32),
    Criterion(u8, bool),
    Milestone(Option<u8>),
    Order(Option<i64>),
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let deed = prop_oneof![
        (0..4_u8).prop_map(Deed::Title),
        (0..6_u8, 1..50_u32).prop_map(|(status, minute)| Deed::Status(status, minute)),
        (0..4_u8).prop_map(Deed::Label),
        Just(Deed::Unlabel),
        (0..4_u8).prop_map(Deed::Depend),
        (0..4_u8, 1..50_u32).prop_map(|(text, minute)| Deed::Note(text, minute)),
        (0..3_u8, any::<bool>()).prop_map(|(item, checked)| Deed::Criterion(item, checked)),
        proptest::option::of(0..3_u8).prop_map(Deed::Milestone),
        proptest::option::of(0..3_i64).prop_map(Deed::Order),
    ];
    proptest::collection::vec(deed, 0..6)
}

fn after(mut task: Task, deeds: &[Deed]) -> Task {
    for deed in deeds {
        match *deed {
            Deed::Title(name) => task.title = format!("title {name}"),
            Deed::Status(status, minute) => {
                task.status = Status::ALL[usize::from(status)];
                let (at, status) = (at(minute), Some(task.status));
                task.completed_at = (task.status == Status::Done).then_some(at);
                task.history.push(HistoryEntry { at, by: None, status, estimate_hours: None });
            }
            Deed::Label(name) if !task.labels.contains(&format!("l{name}")) => task.labels.push(format!("l{name}")),
            Deed::Unlabel => {
                task.labels.pop();
            }
            Deed::Depend(other) => {
                let id: TaskId = format!("task000{other}").parse().unwrap();
                if !task.dependencies.contains(&id) {
                    task.dependencies.push(id);
                }
            }
            Deed::Note(text, minute) => {
                task.notes.push(Note { at: at(minute), by: None, text: format!("note {text}") });
            }
            Deed::Criterion(item, checked) => {
                task.done_criteria.retain(|criterion| criterion.item != format!("c{item}"));
                task.done_criteria.push(Criterion { item: format!("c{item}"), checked });
            }
            Deed::Milestone(name) => task.schedule.milestone = name.map(|name| format!("m{name}")),
            Deed::Order(order) => task.order = order,
            Deed::Label(_) => {}
        }
    }
    task
}

/// The task without the order of lists that have no times.
fn unordered(mut task: Task) -> Task {
    task.labels.sort();
    task.dependencies.sort();
    task.done_criteria.sort_by(|a, b| a.item.cmp(&b.item));
    task
}

proptest! {
    #[test]
    fn a_side_that_did_nothing_gives_way(before in deeds(), changes in deeds()) {
        let base = after(task(), &before);
        let changed = after(base.clone(), &changes);
        prop_assert_eq!(tasks(Some(&base), &base, &changed), changed.clone());
        prop_assert_eq!(tasks(Some(&base), &changed, &base), changed.clone());
        prop_assert_eq!(tasks(None, &changed, &changed), changed);
    }

    #[test]
    fn it_does_not_matter_who_merges(before in deeds(), ours in deeds(), theirs in deeds(), has_base in any::<bool>()) {
        let base = after(task(), &before);
        let (ours, theirs) = (after(base.clone(), &ours), after(base.clone(), &theirs));
        let base = has_base.then_some(&base);
        prop_assert_eq!(unordered(tasks(base, &ours, &theirs)), unordered(tasks(base, &theirs, &ours)));
    }

    #[test]
    fn merging_once_more_changes_nothing(ours in deeds(), theirs in deeds()) {
        let (ours, theirs) = (after(task(), &ours), after(task(), &theirs));
        let once = tasks(None, &ours, &theirs);
        prop_assert_eq!(unordered(tasks(None, &once, &theirs)), unordered(once.clone()));
        prop_assert_eq!(unordered(tasks(None, &once, &ours)), unordered(once));
    }

    #[test]
    fn no_note_and_no_entry_of_the_history_is_ever_lost(before in deeds(), ours in deeds(), theirs in deeds(), has_base in any::<bool>()) {
        let base = after(task(), &before);
        let (ours, theirs) = (after(base.clone(), &ours), after(base.clone(), &theirs));
        let merged = tasks(has_base.then_some(&base), &ours, &theirs);
        for side in [&ours, &theirs] {
            prop_assert!(side.notes.iter().all(|note| merged.notes.contains(note)));
            prop_assert!(side.history.iter().all(|entry| merged.history.contains(entry)));
        }
    }
}
