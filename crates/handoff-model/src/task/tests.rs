use super::*;
use crate::change::Change;

const FILE: &str = r#"format = 1
id = "k7f3q2ma"
title = "Implement auth"
status = "in_progress"
priority = "high"
labels = ["auth", "api"]
dependencies = ["m2x9a4te"]
assignee = "alice"
created_at = 2026-11-15T09:15:03Z
description = "Needed for the beta."
links = [{ type = "issue", target = "https://example.com/issues/12" }]

[schedule]
start_date = 2026-11-16
due_date = 2026-11-18
estimate_hours = 6.0
milestone = "beta"

[[done_criteria]]
item = "refresh flow has a test"
checked = false

[[notes]]
at = 2026-11-15T11:40:00Z
by = "codex"
text = "Handler drafted; refresh path still open."

[[history]]
at = 2026-11-15T10:00:00Z
by = "codex"
status = "in_progress"
"#;

fn noon() -> Moment {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

fn task() -> Task {
    Task::read(FILE).unwrap().0
}

fn apply(task: &mut Task, edit: TaskEdit) {
    task.apply(edit, noon(), Some("ann")).unwrap();
}

#[test]
fn the_documented_file_reads_and_prints_to_the_same_bytes() {
    assert_eq!(task().print(), FILE);
    assert_eq!(task().write_over(FILE).unwrap(), FILE);
}

#[test]
fn finishing_sets_the_completion_time_and_reopening_clears_it() {
    let mut task = task();
    apply(&mut task, TaskEdit { status: Some(Status::Done), ..TaskEdit::default() });
    assert_eq!(task.completed_at, Some(noon()));
    apply(&mut task, TaskEdit { status: Some(Status::Todo), ..TaskEdit::default() });
    assert_eq!(task.completed_at, None);
    let words: Vec<_> = task.history.iter().filter_map(|entry| entry.status).map(Status::word).collect();
    assert_eq!(words, ["in_progress", "done", "todo"]);
}

#[test]
fn history_is_written_for_status_and_estimate_only() {
    let mut task = task();
    apply(&mut task, TaskEdit { assignee: Change::Clear, status: Some(Status::InProgress), ..TaskEdit::default() });
    assert_eq!(task.history.len(), 1);
    apply(&mut task, TaskEdit { estimate_hours: Change::Set(8.0.try_into().unwrap()), ..TaskEdit::default() });
    assert_eq!(task.history[1].estimate_hours, Some(8.0));
    assert_eq!(task.history[1].status, None);
}

#[test]
fn done_is_refused_with_what_is_open() {
    let mut task = task();
    task.status = Status::Done;
    let refusal = task.check_finished(&[]).unwrap_err();
    assert_eq!(refusal.to_string(), "task `k7f3q2ma` has 1 open criterion");
    task.done_criteria[0].checked = true;
    let child = ("m2x9a4te".parse().unwrap(), "Child".to_owned());
    assert_eq!(task.check_finished(&[child]).unwrap_err().to_string(), "task `k7f3q2ma` has 1 open child");
    assert!(task.check_finished(&[]).is_ok());
}

#[test]
fn labels_are_a_set_that_keeps_its_order() {
    let mut task = task();
    let name = |text: &str| text.parse().unwrap();
    let add_labels = vec![name("api"), name("new")];
    apply(&mut task, TaskEdit { add_labels, remove_labels: vec![name("auth")], ..TaskEdit::default() });
    assert_eq!(task.labels, ["api", "new"]);
}

#[test]
fn a_cycle_of_dependencies_is_found_and_shown() {
    let ids: Vec<TaskId> = ["aaaaaaaa", "bbbbbbbb", "cccccccc"].iter().map(|id| id.parse().unwrap()).collect();
    let depends = |id: TaskId| -> Result<Vec<TaskId>, ()> {
        Ok(if id == ids[1] {
            vec![ids[2]]
        } else if id == ids[2] {
            vec![ids[0]]
        } else {
            vec![]
        })
    };
    let refusal = check_dependencies(ids[0], &[ids[1]], depends).unwrap().unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "task `aaaaaaaa` would depend on itself: aaaaaaaa → bbbbbbbb → cccccccc → aaaaaaaa"
    );
    assert!(check_dependencies(ids[2], &[ids[2]], depends).unwrap().is_err());
    assert!(check_dependencies(ids[2], &[ids[1]], |_| Ok::<_, ()>(vec![])).unwrap().is_ok());
}

#[test]
fn a_wrong_status_word_does_not_hide_the_task_and_is_put_right_on_the_next_write() {
    let text = FILE.replacen("\"in_progress\"", "\"wip\"", 1);
    let (mut task, mended) = Task::read(&text).unwrap();
    assert_eq!(task.status, Status::Todo);
    let mended = mended.unwrap();
    assert_eq!((mended.line, mended.reason.as_str()), (Some(4), "`wip` is not a status; read as `todo`"));
    task.title = "New".to_owned();
    assert!(task.write_over(&text).unwrap().contains("status = \"todo\""));
}

#[test]
fn a_newer_format_is_refused_with_the_version_needed() {
    let error = Task::read(&FILE.replace("format = 1", "format = 7")).unwrap_err();
    assert!(error.reason.contains("format 7"), "{}", error.reason);
}

#[test]
fn a_criterion_is_found_by_place_or_text() {
    let mut task = task();
    task.set_criterion("1", true).unwrap();
    assert!(task.done_criteria[0].checked);
    task.set_criterion("refresh flow has a test", false).unwrap();
    assert!(!task.done_criteria[0].checked);
    assert!(task.set_criterion("2", true).is_err());
    assert!(task.set_criterion("0", true).is_err());
}
