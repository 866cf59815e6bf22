use super::*;
use crate::id::TaskId;
use crate::session::{Confidence, Pointer, SessionKind};

fn question<'a>(path: &'a str, lines: Option<(u32, u32)>, names: &'a [String]) -> Question<'a> {
    Question { path, is_directory: false, lines, names }
}

fn decision(paths: &[&str]) -> Decision {
    Decision {
        id: "d1".to_owned(),
        decision: "JWT".to_owned(),
        reason: None,
        confidence: Confidence::Confirmed,
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        supersedes: None,
        same_as: Vec::new(),
        revised: false,
    }
}

fn session() -> Session {
    Session::read("id = \"a3f9c12e\"\nstarted_at = 2026-11-15T09:00:00Z\n").unwrap()
}

fn words(reasons: &[Reason]) -> Vec<&str> {
    reasons.iter().map(|reason| reason.words.as_str()).collect()
}

#[test]
fn the_more_a_path_settles_the_closer_a_decision_is() {
    let file = question("src/auth/token.rs", None, &[]);
    let closeness = |path: &str| file.about_decision(&decision(&[path])).first().map(|reason| reason.closeness);
    let order = ["src/auth/token.rs", "src/auth/", "src/**/*.rs", "src/", "docs/"].map(closeness);
    assert!(order.is_sorted_by(|one, other| one >= other), "{order:?}");
    assert_eq!((order[4], closeness("src/author"), closeness("")), (None, None, None));
    assert_eq!(words(&file.about_decision(&decision(&["src/auth/"]))), ["governs src/auth/"]);
}

#[test]
fn an_earlier_name_counts_and_is_told() {
    let names = ["src/old.rs".to_owned()];
    let file = question("src/new.rs", None, &names);
    let reasons = file.about_decision(&decision(&["src/old.rs"]));
    assert_eq!(words(&reasons), ["governs src/old.rs (as src/old.rs, its name then)"]);
}

#[test]
fn pointers_count_by_where_their_lines_are_now() {
    let mut session = session();
    let reason = Some("resume here".to_owned());
    session.pointers = vec![Pointer { path: "a.rs".to_owned(), lines: Some("10-12".to_owned()), reason, blob: None }];
    let at = |line: u32, now: LinesNow| {
        let question = question("a.rs", Some((line, line)), &[]);
        let reasons = question.about_session(&session, |_| now);
        (reasons[0].closeness == 100, reasons[0].words.clone())
    };
    assert_eq!(at(11, LinesNow::Unknown), (true, "points to lines 10-12: resume here".to_owned()));
    assert_eq!(at(11, LinesNow::At(20, 22)), (false, "points to lines 10-12, now 20-22: resume here".to_owned()));
    assert!(at(21, LinesNow::At(20, 22)).0);
    assert_eq!(at(11, LinesNow::Gone), (false, "points to lines 10-12, which are gone: resume here".to_owned()));
}

#[test]
fn texts_that_name_a_file_and_files_changed_then_are_reasons() {
    let mut session = session();
    session.next = vec!["fix token.rs:12".to_owned(), "and src/auth/token.rs".to_owned()];
    session.git =
        Some(crate::session::GitFacts { dirty: vec!["R a.rs -> src/auth/token.rs".to_owned()], ..Default::default() });
    let file = question("src/auth/token.rs", None, &[]);
    let reasons = file.about_session(&session, |_| LinesNow::Unknown);
    assert_eq!(words(&reasons), ["had changes to it that were not committed", "a next step names it"]);
    let other = question("src/auth/mod.rs", None, &[]);
    assert_eq!(other.about_session(&session, |_| LinesNow::Unknown), []);
}

#[test]
fn a_directory_is_concerned_by_what_is_in_it() {
    let directory = Question { is_directory: true, ..question("src/auth", None, &[]) };
    let said = |text: &str| directory.is_named_in(text);
    assert!(said("look at src/auth/token.rs") && said("in `src/auth`.") && said("./src/auth/"));
    assert!(!said("src/author") && !said("my/src/auth/"));
    assert_eq!(
        words(&directory.about_decision(&decision(&["src/auth/token.rs"]))),
        ["governs src/auth/token.rs, which is in it"]
    );
    let top = Question { is_directory: true, ..question("src", None, &[]) };
    assert!(top.is_named_in("all of src/ moves") && !top.is_named_in("the src of it"));
}

fn at(text: &str) -> crate::when::Moment {
    text.parse().unwrap()
}

#[test]
fn a_commit_comes_from_the_session_that_was_under_way_or_saved_it_first() {
    let id = "8dc6cc0".to_owned() + &"0".repeat(33);
    let time = at("2026-11-15T10:00:00Z").timestamp().as_second();
    let commit = CommitFacts { id: &id, time, message: "" };
    let worked = |began: &str, ended: Option<&str>, recent: &[&str]| {
        let mut session = Session::new(session().id, SessionKind::Session, at(began));
        let recent = recent.iter().map(|line| (*line).to_owned()).collect();
        session.git = Some(crate::session::GitFacts { recent, ..Default::default() });
        if let Some(ended) = ended {
            session.close(at(ended)).unwrap();
        }
        session
    };
    let with = ["8dc6cc0 extract parser"];
    let other = ["1111111 else"];
    let under_way = worked("2026-11-15T09:00:00Z", Some("2026-11-15T11:00:00Z"), &with);
    let elsewhere = worked("2026-11-15T09:30:00Z", Some("2026-11-15T11:30:00Z"), &other);
    let record = worked("2026-11-15T12:00:00Z", Some("2026-11-15T12:00:00Z"), &with);
    let later = worked("2026-11-16T12:00:00Z", Some("2026-11-16T12:00:00Z"), &with);
    let open = worked("2026-11-15T08:00:00Z", None, &[]);
    assert_eq!(made_in(commit, &[&later, &elsewhere, &under_way]), Some((2, Origin::During)));
    assert_eq!(made_in(commit, &[&later, &record, &elsewhere]), Some((1, Origin::HandedOver)));
    assert_eq!(made_in(commit, &[&elsewhere, &open]), Some((1, Origin::During)));
    assert_eq!(made_in(commit, &[&elsewhere]), None, "what was saved then tells of other commits");
}

#[test]
fn messages_name_tasks_and_sessions_in_whole_words() {
    let (task, _) = Task::read("id = \"k7f3q2ma\"\ntitle = \"x\"\n").unwrap();
    assert_eq!(task.id, "k7f3q2ma".parse::<TaskId>().unwrap());
    let number = "1.2".parse().unwrap();
    for yes in ["fix (k7f3q2ma)", "Task 1.2: done", "closes task #01.2."] {
        assert!(names_task(yes, &task, &number), "{yes}");
    }
    for no in ["k7f3q2mab", "version 1.2", "task 1.20", "task of 1.2"] {
        assert!(!names_task(no, &task, &number), "{no}");
    }
    let name = "2026-11-15-a3f9c12e";
    assert!(names_session("in a3f9c12e", name, &session()) && names_session(&format!("see {name}."), name, &session()));
    assert!(!names_session("a3f9c12e0", name, &session()));
}
