use super::super::{DirectoryMove, NamedTask};
use super::*;

const TASK: &str = "id = \"k7f3q2ma\"\ntitle = \"Write handlers\"\nstatus = \"todo\"\n";
const SESSION: &str = "id = \"a3f9c12e\"\nsummary = \"Begun\"\nstatus = \"active\"\n";
const DIR: &str = "tasks/01-todo--auth/01.2-todo--write-handlers";

fn state(path: &str, text: &str) -> FileState {
    FileState { path: path.to_owned(), text: Some(text.to_owned()) }
}

fn put(path: &str, before: Option<&str>, after: Option<&str>) -> FileChange {
    let state = |text: Option<&str>| text.map(|text| state(path, text));
    FileChange { before: state(before), after: state(after) }
}

fn moved(from: &str, to: &str, task: Option<(&str, &str)>) -> DirectoryMove {
    let task = task.map(|(id, title)| NamedTask { id: id.parse().unwrap(), title: title.to_owned() });
    DirectoryMove { from: from.to_owned(), to: to.to_owned(), task }
}

fn said(files: Vec<FileChange>, moves: Vec<DirectoryMove>) -> Vec<String> {
    describe(&Changed { files, moves })
}

fn edited(after: &str) -> Vec<String> {
    said(vec![put(&format!("{DIR}/task.toml"), Some(TASK), Some(after))], Vec::new())
}

#[test]
fn a_change_of_status_names_the_task_and_both_words() {
    let before = Some(state(&format!("{DIR}/task.toml"), TASK));
    let dir = "tasks/01-todo--auth/01.2-in_progress--write-handlers";
    let after = Some(state(&format!("{dir}/task.toml"), &TASK.replace("todo", "in_progress")));
    let words = said(vec![FileChange { before, after }], vec![moved(DIR, dir, None)]);
    assert_eq!(words, ["task 01.2 Write handlers: status todo → in_progress"]);
}

#[test]
fn each_kind_of_field_has_its_words() {
    let cases: &[(&str, &str)] = &[
        ("priority = \"high\"\n", "priority high"),
        ("labels = [\"a\"]\n", "labels “a” added"),
        ("labels = [\"a\", \"b\"]\n", "2 × labels added"),
        ("description = \"One\\nTwo\"\n", "description set"),
        ("[schedule]\ndue_date = 2026-11-18\n", "due_date 2026-11-18"),
        ("[[done_criteria]]\nitem = \"tests pass\"\n", "criterion “tests pass” added"),
        ("[[notes]]\nat = 2026-11-15T09:00:00Z\ntext = \"Handler drafted\"\n", "note “Handler drafted” added"),
        ("other = 1\n", "written differently"),
    ];
    for (more, expected) in cases {
        let joined = if *expected == "written differently" { " " } else { ": " };
        assert_eq!(edited(&format!("{TASK}{more}")), [format!("task 01.2 Write handlers{joined}{expected}")]);
    }
}

#[test]
fn a_criterion_that_is_checked_is_told_so() {
    let criterion = |checked| format!("{TASK}[[done_criteria]]\nitem = \"tests pass\"\nchecked = {checked}\n");
    let file = format!("{DIR}/task.toml");
    let words = said(vec![put(&file, Some(&criterion(false)), Some(&criterion(true)))], Vec::new());
    assert_eq!(words, ["task 01.2 Write handlers: criterion “tests pass” checked"]);
}

#[test]
fn making_removing_moving_deleting_and_restoring_are_told_apart() {
    let file = format!("{DIR}/task.toml");
    assert_eq!(said(vec![put(&file, None, Some(TASK))], Vec::new()), ["task 01.2 Write handlers created"]);
    assert_eq!(said(vec![put(&file, Some(TASK), None)], Vec::new()), ["task 01.2 Write handlers removed"]);
    let task = Some(("k7f3q2ma", "Write handlers"));
    let trash = "local/state/trash/20261115T090000Z-k7f3q2ma-root-2--01.2-todo--write-handlers";
    assert_eq!(said(Vec::new(), vec![moved(DIR, trash, task)]), ["task 01.2 Write handlers deleted"]);
    assert_eq!(said(Vec::new(), vec![moved(trash, DIR, task)]), ["task 01.2 Write handlers restored"]);
    let under = "tasks/02-todo--deploy/02.1-todo--write-handlers";
    assert_eq!(said(Vec::new(), vec![moved(DIR, under, task)]), ["task 02.1 Write handlers moved under 02"]);
    let top = "tasks/03-todo--write-handlers";
    assert_eq!(said(Vec::new(), vec![moved(DIR, top, task)]), ["task 03 Write handlers moved to the top"]);
    let renamed = "tasks/01-todo--auth/01.2-todo--x";
    assert_eq!(
        said(Vec::new(), vec![moved(DIR, renamed, None)]),
        ["task directory 01.2-todo--write-handlers renamed to 01.2-todo--x"]
    );
}

#[test]
fn in_the_stable_layout_fields_tell_where_a_task_went() {
    let file = "tasks/write-handlers-k7f3q2ma/task.toml";
    let before = format!("{TASK}number = 2\nparent = \"m2x9a4te\"\n");
    let after = format!("{TASK}number = 3\n");
    let words = said(vec![put(file, Some(&before), Some(&after))], Vec::new());
    assert_eq!(words, ["task k7f3q2ma Write handlers moved to the top"]);
    let words = said(vec![put(file, Some(&after), Some(&before))], Vec::new());
    assert_eq!(words, ["task k7f3q2ma Write handlers moved under m2x9a4te"]);
}

#[test]
fn many_alike_are_counted() {
    let files = (1..=3).map(|n| put(&format!("tasks/0{n}-todo--x/task.toml"), None, Some(TASK)));
    assert_eq!(said(files.collect(), Vec::new()), ["3 tasks created"]);
    let moves = (1..=3).map(|n| moved(&format!("tasks/0{n}-x"), &format!("tasks/04-todo--y/04.{n}-x"), None));
    assert_eq!(said(Vec::new(), moves.collect()), ["3 tasks moved under 04"]);
}

#[test]
fn a_session_is_started_changed_closed_archived_and_brought_back() {
    let file = "sessions/2026-11-15-a3f9c12e.toml";
    let name = "session 2026-11-15-a3f9c12e Begun";
    let closed = SESSION.replace("active", "closed") + "next = [\"Rest\"]\n";
    assert_eq!(said(vec![put(file, None, Some(SESSION))], Vec::new()), [format!("{name} started")]);
    let body = put("sessions/2026-11-15-a3f9c12e.md", None, Some("# Body\n"));
    assert_eq!(said(vec![put(file, None, Some(&closed)), body.clone()], Vec::new()), [format!("{name} saved")]);
    assert_eq!(said(vec![body], Vec::new()), ["session 2026-11-15-a3f9c12e: body added"]);
    let words = said(vec![put(file, Some(SESSION), Some(&closed))], Vec::new());
    assert_eq!(words, [format!("{name} closed: next “Rest” added")]);
    let archive = "archive/2026-11-general-archive.md";
    let there = "## 2026-11-15-a3f9c12e: Begun\n";
    let words = said(vec![put(archive, Some(""), Some(there)), put(file, Some(&closed), None)], Vec::new());
    assert_eq!(words, [format!("{name} put into the archive")]);
    let words = said(vec![put(file, None, Some(&closed)), put(archive, Some(there), Some(""))], Vec::new());
    assert_eq!(words, [format!("{name} brought back from the archive")]);
}

#[test]
fn where_a_session_comes_from_and_goes_is_said_in_words() {
    let file = "sessions/2026-11-15-a3f9c12e.toml";
    let name = "session 2026-11-15-a3f9c12e Begun";
    let (one, other) = ("2026-11-14-77c01b9d", "2026-11-13-0b5e11d2");
    let fork = format!("{SESSION}forked_from = \"{one}\"\n");
    assert_eq!(said(vec![put(file, None, Some(&fork))], Vec::new()), [format!("{name} started: forked from {one}")]);
    let merged = format!("{SESSION}merged_from = [\"{one}\", \"{other}\"]\n");
    let words = said(vec![put(file, Some(SESSION), Some(&merged))], Vec::new());
    assert_eq!(words, [format!("{name}: merged from {one}, {other}")]);
    let gone = SESSION.replace("active", "closed") + &format!("merged_into = \"{one}\"\n");
    let words = said(vec![put(file, Some(SESSION), Some(&gone))], Vec::new());
    assert_eq!(words, [format!("{name} closed: merged into {one}")]);
}

#[test]
fn settings_time_and_other_files_have_their_words() {
    let config = put("config.toml", Some("[settings]\nhistory_limit = 20\n"), Some("[settings]\nhistory_limit = 7\n"));
    assert_eq!(said(vec![config], Vec::new()), ["configuration: settings.history_limit 20 → 7"]);
    let interval =
        "[[intervals]]\ntask = \"k7f3q2ma\"\nwho = \"a\"\nsource = \"manual\"\nstarted_at = 2026-11-15T09:00:00Z\n";
    let time = put("time/2026-11-alice.toml", None, Some(interval));
    assert_eq!(said(vec![time], Vec::new()), ["time log 2026-11-alice: interval “k7f3q2ma” added"]);
    assert_eq!(said(vec![put("PAUSE", None, Some("why"))], Vec::new()), ["writing paused"]);
    assert_eq!(said(vec![put(".gitignore", Some("*\n"), Some("local/\n"))], Vec::new()), [".gitignore changed"]);
}

#[test]
fn sharing_is_told_in_two_lines_however_many_tasks_there_are() {
    let config = |word: &str| format!("[settings]\ntask_dirs = \"{word}\"\n");
    let mut files = vec![put("config.toml", Some(&config("status")), Some(&config("stable")))];
    let mut moves = Vec::new();
    for n in 1..=5 {
        let (from, to) = (format!("tasks/0{n}-todo--x"), format!("tasks/x-k7f3q2m{n}"));
        let before = Some(state(&format!("{from}/task.toml"), TASK));
        let after = Some(state(&format!("{to}/task.toml"), &format!("{TASK}number = {n}\n")));
        files.push(FileChange { before, after });
        moves.push(moved(&from, &to, None));
    }
    let words = said(files, moves);
    assert_eq!(words, ["5 task directories moved", "configuration: settings.task_dirs status → stable"]);
}

#[test]
fn what_cannot_be_read_is_told_by_its_place() {
    let words = said(vec![put(&format!("{DIR}/task.toml"), Some("<<<<"), Some("===="))], Vec::new());
    assert_eq!(words, ["task 01.2 changed"]);
    assert!(describe(&Changed::default()).is_empty());
}

#[test]
fn the_records_a_change_concerns_are_known_by_their_names() {
    let changed = Changed {
        files: vec![
            put(&format!("{DIR}/task.toml"), None, Some(TASK)),
            put("sessions/2026-11-15-a3f9c12e.md", None, Some("x")),
        ],
        moves: vec![moved("tasks/a", "tasks/b", Some(("m2x9a4te", "x")))],
    };
    let Concerned { tasks, sessions } = changed.concerned();
    assert_eq!(tasks.iter().map(ToString::to_string).collect::<Vec<_>>(), ["k7f3q2ma", "m2x9a4te"]);
    assert_eq!(sessions.into_iter().collect::<Vec<_>>(), ["2026-11-15-a3f9c12e"]);
}

#[test]
fn timers_are_told_by_whose_they_are_and_what_became_of_them() {
    const RUNNING: &str = "signs = \"a1\"\n[timer]\ntask = \"k7f3q2ma\"\nwho = \"alice\"\nphase = \"running\"\n\
                           since = 2026-11-15T09:00:00Z\nlast_seen = { at = 2026-11-15T09:00:00Z }\n";
    let (paused, other) = (RUNNING.replace("running", "paused"), RUNNING.replace("k7f3q2ma", "m2x9a4te"));
    let told = |before: Option<&str>, after: Option<&str>| {
        said(vec![put("local/state/timers/alice-0.toml", before, after)], Vec::new()).join("; ")
    };
    assert_eq!(told(None, Some(RUNNING)), "timer of alice running on k7f3q2ma");
    assert_eq!(told(Some(RUNNING), Some(&paused)), "timer of alice paused on k7f3q2ma");
    assert_eq!(told(Some(RUNNING), Some(&other)), "timer of alice switched to m2x9a4te");
    assert_eq!(told(Some(RUNNING), None), "timer of alice ended");
}
