//! Many who hand over at once: every note that was taken is in one closed session, and nobody's is lost.

use std::collections::{BTreeMap, VecDeque};

use handoff_testkit::{Running, TestProject, list_in, project, text_in};

/// So many processes at a time, and so many turns of them.
const CROWD: usize = 8;
const TURNS: usize = 8;

/// The words of one who comes: a note in half of the cases, else a record, else nothing new.
fn words(number: usize) -> (String, Option<String>) {
    match number % 4 {
        0 | 1 => (format!("run 'Note {number}.'"), Some(format!("Note {number}."))),
        2 => (format!("save 'Saved {number}.'"), Some(format!("Saved {number}."))),
        _ => ("run".to_owned(), None),
    }
}

/// How often each closed session, archived or not, says what it says.
fn titles(project: &TestProject) -> BTreeMap<String, usize> {
    let list = project.json("session list --archived");
    let mut found = BTreeMap::new();
    for session in list_in(&list, "sessions") {
        assert_eq!(text_in(session, "status"), "closed", "{session}");
        *found.entry(text_in(session, "title").to_owned()).or_default() += 1;
    }
    found
}

#[test]
fn every_note_of_a_crowd_is_in_exactly_one_closed_session() {
    let project = project!();
    project.call("config set settings.history_limit 20").run().succeeded();
    project.call("session start 'Under way'").run().succeeded();
    let mut expected = Vec::new();
    let mut under_way: VecDeque<Running<'_>> = VecDeque::new();
    for number in 0..CROWD * TURNS {
        if under_way.len() == CROWD {
            let first = under_way.pop_front().expect("somebody is under way");
            first.end().succeeded();
        }
        let (line, note) = words(number);
        expected.extend(note);
        under_way.push_back(project.call(&line).start());
    }
    for last in under_way {
        last.end().succeeded();
    }
    project.call("run").run().succeeded();
    let mut found = titles(&project);
    for note in &expected {
        assert_eq!(found.remove(note), Some(1), "`{note}` is in one session, among {found:?}");
    }
    // Somebody without a note may have been the first to come.
    found.remove("Under way");
    assert!(found.is_empty(), "nobody said {found:?}");
    assert_eq!(project.queued_runs(), Vec::<String>::new(), "all were driven");
    assert_eq!(project.checkpoint()["status"], "completed");
    assert_eq!(project.call("check").run().code, 2, "all is handed over");
    project.call("doctor").run().succeeded();
}
