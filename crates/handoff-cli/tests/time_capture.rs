//! Time from transcripts: stretches of work go into the log once, for the task of their session.

use handoff_testkit::{TestProject, list_in, project, text_in};
use serde_json::{Value, json};

const CONVERSATION: &str = "e01eb16d-743e-4733-ab5c-2d3ced54786e";
const NAME: &str = "2026-11-15-5e551001";

/// A line of Claude Code's transcript.
fn line(project: &TestProject, at: &str, text: &str) -> String {
    let cwd = project.path(".").canonicalize().expect("the project is there");
    let record = json!({
        "type": "user", "uuid": at, "isSidechain": false, "sessionId": CONVERSATION, "cwd": cwd,
        "version": "2.1.325", "timestamp": format!("2026-11-15T{at}Z"), "message": {"role": "user", "content": text},
    });
    format!("{record}\n")
}

/// A conversation with somebody thinking for a while, and lunch.
fn conversation(project: &TestProject, times: &[&str]) -> String {
    times.iter().map(|at| line(project, at, "Go on")).collect()
}

const MORNING: [&str; 6] = ["08:00:00", "08:05:00", "08:14:00", "08:30:00", "08:31:30", "08:40:00"];

fn session(tasks: &str) -> String {
    format!(
        "status = \"closed\"\nsummary = \"Parser\"\ntool = \"claude-code\"\ntasks = {tasks}\n\
         started_at = 2026-11-15T08:00:00Z\nended_at = 2026-11-15T08:35:00Z\n\n[environment.compiled]\n\
         host = \"claude-code\"\nagent_session = \"{CONVERSATION}\"\n"
    )
}

/// A project with a session of one task, and its conversation where the agent keeps it.
fn worked(tasks: &str) -> TestProject {
    let project = project!()
        .task("aaaaaaaa", |task| task.title("Parser"))
        .task("bbbbbbbb", |task| task.title("Printer"))
        .session(NAME, &session(tasks));
    transcript(&project, &MORNING);
    project
}

fn transcript(project: &TestProject, times: &[&str]) {
    let file = format!(".claude/projects/-home-dev-my-app/{CONVERSATION}.jsonl");
    let path = project.home().join(file);
    project.write(&path.to_string_lossy(), conversation(project, times));
}

fn stretches(answer: &Value) -> Vec<(String, String, String)> {
    let of = |it: &Value, key: &str| text_in(it, key).to_owned();
    list_in(answer, "logged").iter().map(|it| (of(it, "task"), of(it, "started_at"), of(it, "ended_at"))).collect()
}

fn row(task: &str, from: &str, to: &str) -> (String, String, String) {
    (task.to_owned(), format!("2026-11-15T{from}Z"), format!("2026-11-15T{to}Z"))
}

#[test]
fn a_silence_ends_a_stretch_and_the_session_ends_the_last_one() {
    let project = worked("[\"aaaaaaaa\"]");
    let before = project.records();
    let dry = project.json("time capture --dry-run");
    // Sixteen minutes of silence are more than ten; what came after the session is not its time.
    let by_hand = [row("aaaaaaaa", "08:00:00", "08:14:00"), row("aaaaaaaa", "08:30:00", "08:35:00")];
    assert_eq!(stretches(&dry), by_hand);
    project.records().assert_same(&before, "a dry run wrote something");
    assert_eq!(stretches(&project.json("time capture")), by_hand);
    let log = project.file(".handoff/time/2026-11-alice.toml");
    assert!(log.contains(&format!("session = \"{NAME}\"")) && log.contains("source = \"transcript\""), "{log}");
    assert_eq!(project.json("metrics")["total_actual_hours"], 0.32);
    project.call("log -n 1").run().says("time.capture");
    project.call("undo").run().succeeded();
    assert_eq!(project.json("metrics")["total_actual_hours"], 0.0);
}

#[test]
fn nothing_is_logged_twice_and_what_came_later_is_added() {
    let project = worked("[\"aaaaaaaa\"]");
    project.json("time capture");
    let log = project.file(".handoff/time/2026-11-alice.toml");
    project.call("time capture").run().succeeded().says("nothing to log");
    assert_eq!(project.file(".handoff/time/2026-11-alice.toml"), log);
    transcript(&project, &["08:00:00", "08:05:00", "08:14:00", "08:20:00", "08:30:00", "08:31:30", "08:40:00"]);
    // The silence is filled, so the stretches become one; only what lay between is new.
    assert_eq!(stretches(&project.json("time capture")), [row("aaaaaaaa", "08:14:00", "08:30:00")]);
}

#[test]
fn time_that_a_timer_has_too_counts_once() {
    let project = worked("[\"aaaaaaaa\"]");
    project.write(
        ".handoff/time/2026-11-alice.toml",
        "format = 1\n\n[[intervals]]\ntask = \"aaaaaaaa\"\nwho = \"alice\"\nsource = \"timer\"\n\
         started_at = 2026-11-15T08:00:00Z\nended_at = 2026-11-15T08:30:00Z\n",
    );
    project.json("time capture");
    // Half an hour by the timer, and the five minutes after it.
    assert_eq!(project.json("metrics")["total_actual_hours"], 0.58);
}

#[test]
fn a_session_of_several_tasks_waits_for_somebody_to_say_which() {
    let project = worked("[\"aaaaaaaa\", \"bbbbbbbb\"]");
    let answer = project.json("time capture");
    assert_eq!(answer["logged"], json!([]));
    assert_eq!(answer["left_out"], json!([{"session": NAME, "why": "it has 2 tasks: name one with `--task`"}]));
    assert_eq!(stretches(&project.json("time capture --task bbbbbbbb")).len(), 2);
    let none = worked("[]");
    assert_eq!(none.json("time capture")["left_out"][0]["why"], "it has no task: name one with `--task`");
    assert_eq!(none.json("time capture --task 1")["left_out"][0]["why"], "it is not about `aaaaaaaa`");
    assert_eq!(stretches(&none.json(&format!("time capture {NAME} --task 1"))).len(), 2);
}

#[test]
fn what_cannot_be_had_is_told() {
    let project =
        worked("[\"aaaaaaaa\"]").session("2026-11-15-5e551002", "summary = \"By hand\"\nstatus = \"closed\"\n");
    let path = project.home().join(".claude");
    project.remove(&path.to_string_lossy());
    let why = format!("there is no transcript of Claude Code for the conversation `{CONVERSATION}` on this machine");
    assert_eq!(project.json("time capture")["left_out"], json!([{"session": NAME, "why": why}]));
    project.call("time capture 5e551002").run().failed(3).says("which conversation").says("--from PATH");
    project.call("time capture --from x").run().failed(2).says("say which session it belongs to");
    project.call("time capture latest --from x").run().failed(3).says("there is no file `x`");
    project.write("x", "no transcript\n");
    project.call("time capture latest --from x").run().failed(4).says("no transcript that handoff can read");
    project.write("x", conversation(&project, &MORNING));
    project.call(&format!("time capture {NAME} --from x")).run().succeeded().says("logged 2 stretches of work, 19 min");
    project.call("time capture nobody").run().failed(3);
    project.write(".handoff/time/2026-11-bob.toml", "[[intervals]\n");
    project.call(&format!("time capture {NAME} --from x")).run().failed(6).says("time log cannot be read");
}
