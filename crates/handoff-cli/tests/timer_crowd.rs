//! One timer and many clients, and time logs from everywhere at once: one wins, the others are told, nothing is lost or
//! counted twice, whoever is killed.
#![cfg(unix)]

use std::time::Duration;

use handoff_testkit::{Answer, TestProject, project};
use serde_json::{Value, json};

fn two_tasks() -> TestProject {
    project!()
        .task("k7f3q2ma", |task| task.title("Implement auth").status("in_progress"))
        .task("m2x9a4te", |task| task.title("Write docs").status("in_progress"))
}

fn at(project: &TestProject, clock: &str, line: &str) -> Answer {
    project.call(line).env("HANDOFF_CLOCK", clock).run_unchecked()
}

fn summary(project: &TestProject) -> Value {
    project.json("time list")
}

/// Asks for several things at the same moment: two editors, each with its own program, and so on.
fn together(project: &TestProject, clock: &str, lines: &[&str]) -> Vec<Answer> {
    let running: Vec<_> =
        lines.iter().map(|line| project.call(line).env("HANDOFF_CLOCK", clock).word("--json").start()).collect();
    running.into_iter().map(handoff_testkit::Running::end).collect()
}

fn count(answers: &[Answer], code: i32) -> usize {
    answers.iter().filter(|answer| answer.code == code).count()
}

#[test]
fn of_several_who_start_one_wins_and_the_others_are_told_what_runs() {
    let project = two_tasks();
    let lines = ["timer start 1", "timer start 2", "timer start 1", "timer start 2"];
    let answers = together(&project, "2026-11-15T10:00:00Z", &lines);
    assert_eq!((count(&answers, 0), count(&answers, 4)), (2, 2), "{answers:?}");
    let running = project.json("timer")["title"].as_str().unwrap().to_owned();
    for answer in answers.iter().filter(|answer| answer.code == 4) {
        answer.says(&format!("{running} since 2026-11-15T10:00:00Z"));
    }
}

#[test]
fn two_editors_and_a_server_on_one_timer_count_no_time_twice() {
    for round in 0..4 {
        let project = two_tasks();
        let mut server = project.mcp().env("HANDOFF_CLOCK", "2026-11-15T11:00:00Z").connect();
        at(&project, "2026-11-15T10:00:00Z", "timer start 1").succeeded();
        at(&project, "2026-11-15T10:55:00Z", "timer activity").succeeded();
        let stop = server.ask("tools/call", json!({"name": "handoff_timer_stop", "arguments": {"idle": "keep"}}));
        let lines: &[&str] = match round % 2 {
            0 => &["timer stop --idle keep", "timer activity", "timer stop --idle keep", "timer activity"],
            _ => &["timer pause --idle keep", "timer stop --idle keep", "timer activity", "timer switch 2 --idle keep"],
        };
        let answers = together(&project, "2026-11-15T11:00:00Z", lines);
        let by_server = server.answer(&json!(stop))["result"]["isError"] == false;
        server.close();
        for answer in answers.iter().filter(|answer| answer.code != 0) {
            assert_eq!(answer.code, 4, "{answer}");
            answer.says("timer");
        }
        if round % 2 == 0 {
            let wins = answers.iter().step_by(2).filter(|answer| answer.code == 0).count() + usize::from(by_server);
            assert_eq!(wins, 1, "one of them stopped it: {answers:?}");
        }
        let list = summary(&project);
        assert_eq!((&list["minutes"], list["entries"].as_array().unwrap().len()), (&json!(60), 1), "{list:#}");
        assert_eq!(list.get("overlaps"), None);
    }
}

#[test]
fn eight_processes_that_log_fifty_times_each_sum_exactly() {
    let project = two_tasks();
    for serial in 0..50_u32 {
        let task = if serial % 2 == 0 { "1" } else { "2" };
        let line = |writer: u32| format!("time log {task} --minutes {} --who p{}", 1 + serial, writer % 3);
        let lines: Vec<String> = (0..8).map(line).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let answers = together(&project, "2026-11-15T11:00:00Z", &lines);
        assert_eq!(count(&answers, 0), 8, "{answers:?}");
    }
    let list = summary(&project);
    assert_eq!((&list["matches"], &list["minutes"]), (&json!(400), &json!(8 * (1..=50).sum::<i64>())));
    // The tasks: 1 has the odd numbers of minutes, 2 the even ones.
    let hours = |task: &str| project.json(&format!("task show {task}"))["actual_hours"].as_f64().unwrap();
    assert_eq!((hours("1"), hours("2")), (83.33, 86.67));
}

/// What a timer and the log say together after a command was killed, over all moments of its life.
fn killed_anywhere(command: &str, is_whole: impl Fn(&Value) -> bool) {
    let (mut before, mut after) = (0, 0);
    for attempt in 0..60_u64 {
        let project = two_tasks();
        at(&project, "2026-11-15T10:00:00Z", "timer start 1").succeeded();
        let call = project.call(command).env("HANDOFF_CLOCK", "2026-11-15T10:45:00Z").start();
        // From the first instruction to well past the end.
        let ended = call.killed_after(Duration::from_micros(attempt * 700));
        let status = at(&project, "2026-11-15T10:45:00Z", "timer --json").succeeded().json();
        let list = at(&project, "2026-11-15T10:45:00Z", "time list --json").succeeded().json();
        let is_before = status["task_id"] == "k7f3q2ma" && status["state"] == "running" && list["minutes"] == 0;
        let is_after = is_whole(&status) && list["minutes"] == 45 && list["matches"] == 1;
        assert!(is_before || is_after, "killed in attempt {attempt}: {status:#}\n{list:#}");
        assert!(is_after || ended != Some(0), "success was reported, and the change is lost");
        before += u32::from(is_before);
        after += u32::from(is_after);
    }
    assert!(before > 0 && after > 0, "{before} before, {after} after: the kills came all too soon or too late");
}

#[test]
fn a_stop_that_is_killed_has_happened_whole_or_not_at_all() {
    killed_anywhere("timer stop", |status| status["state"] == "stopped");
}

#[test]
fn a_pause_that_is_killed_has_happened_whole_or_not_at_all() {
    killed_anywhere("timer pause", |status| status["state"] == "paused");
}

#[test]
fn a_switch_that_is_killed_has_happened_whole_or_not_at_all() {
    killed_anywhere("timer switch 2", |status| status["state"] == "running" && status["task_id"] == "m2x9a4te");
}
