//! Whatever happens, a hook ends well and says nothing that a host would choke on.

use std::process::{Command, Stdio};

use handoff_testkit::{Agent, Answer, TestProject, context, empty_directory, project};
use serde_json::json;

const EVENTS: [&str; 6] = ["session-start", "prompt", "edit", "turn-end", "compact", "session-end"];

fn said_nothing(answer: &Answer) {
    assert_eq!((answer.code, answer.stdout.as_str()), (0, ""), "{answer}");
}

fn recorded() -> TestProject {
    project!().session(
        "2026-11-10-00000001",
        "status = \"closed\"\ntitle = \"Begun\"\nended_at = 2026-11-10T09:00:00Z\nnext = [\"Go on\"]\n",
    )
}

fn log(project: &TestProject) -> String {
    if project.exists(".handoff/local/state/hook.log") {
        project.file(".handoff/local/state/hook.log")
    } else {
        String::new()
    }
}

#[test]
fn what_is_no_message_is_noted_and_nothing_is_said() {
    let project = recorded();
    for event in EVENTS {
        for said in [&b"{\"session_id\": "[..], b"[1, 2]", b"\"secret words\"", b"\xff\xfe\x00", b"{} {}"] {
            let answer = project.call(&format!("hook {event} --host claude-code")).stdin(said).run();
            said_nothing(&answer);
            assert_eq!(answer.stderr, "");
        }
    }
    let log = log(&project);
    assert!(log.contains("claude-code prompt: ") && !log.contains("secret words"), "{log}");
    assert!(!project.exists(".handoff/local/state/agents"));
}

#[test]
fn a_wrong_call_is_told_to_people_and_not_to_the_agent() {
    let project = recorded();
    let wrong = ["hook promt --host claude-code", "hook prompt --host clod", "hook prompt --host", "hook --host codex"];
    for line in wrong.into_iter().chain(["hook session-start", "hook prompt --loud", "--json hook turn-end"]) {
        let answer = project.call(line).run();
        said_nothing(&answer);
        assert!(!answer.stderr.is_empty(), "{line}");
    }
    project.call("hook offf").run().failed(2);
}

#[test]
fn without_a_project_nothing_is_done_at_all() {
    let nowhere = empty_directory!();
    let before = nowhere.outside();
    let agent = Agent::claude(&nowhere, "s1");
    for event in EVENTS {
        assert_eq!(agent.hears(event, &json!({"prompt": "x"})), "");
    }
    nowhere.outside().assert_same(&before, "something was written");
    assert!(!nowhere.exists(".handoff"));
    let named = agent.call("session-start", &json!({})).env("HANDOFF_PROJECT_DIR", nowhere.path("."));
    said_nothing(&named.run());
}

#[test]
fn a_paused_project_gives_its_context_and_is_written_to_by_nobody() {
    let project = recorded();
    project.write(".handoff/PAUSE", "moving house");
    let before = project.tree(".handoff");
    let agent = Agent::claude(&project, "s1");
    assert!(agent.starts("startup").contains("Go on"));
    assert_eq!(agent.starts("resume"), "");
    for event in EVENTS {
        if event != "session-start" {
            assert_eq!(agent.hears(event, &json!({"prompt": "What is next: Go on?"})), "", "{event}");
        }
    }
    project.tree(".handoff").assert_same(&before, "a paused project was written to");
}

type Damage = fn(&TestProject);

#[test]
fn damaged_and_strange_stores_are_no_reason_to_fail() {
    let damages: [(&str, Damage); 6] = [
        ("settings", |project| project.write(".handoff/config.toml", "[project\n")),
        ("a session", |project| project.write(".handoff/sessions/2026-11-10-00000001.toml", "format = [")),
        ("a newer session", |project| project.write(".handoff/sessions/2026-11-10-00000001.toml", "format = 99\n")),
        ("no sessions", |project| project.remove(".handoff/sessions")),
        ("a file for agents", |project| project.write(".handoff/local/state/agents", "in the way")),
        ("a state of another kind", |project| project.write(".handoff/local/state/agents/claude-code-s1.json", "[]")),
    ];
    for (what, damage) in damages {
        let project = recorded();
        damage(&project);
        let agent = Agent::claude(&project, "s1");
        for event in EVENTS {
            let answer = agent.call(event, &json!({"prompt": "What is next?", "source": "startup"})).run();
            assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{what}: {answer}");
            context(&answer);
        }
    }
}

#[test]
fn a_conversation_that_another_call_holds_is_not_waited_for_long() {
    let project = recorded();
    let agent = Agent::claude(&project, "s1");
    agent.starts("startup");
    let path = project.path(".handoff/local/state/agents/claude-code-s1.lock");
    let held = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    held.lock().unwrap();
    assert_eq!(agent.is_asked("What is next: Go on?"), "");
    assert!(log(&project).contains("takes too long"), "{}", log(&project));
    held.unlock().unwrap();
}

#[test]
fn hooks_are_turned_off_for_an_environment_a_project_and_a_conversation() {
    let project = recorded();
    let agent = Agent::claude(&project, "s1");
    let start = json!({"source": "startup"});
    for off in ["off", "OFF", "0", "false"] {
        said_nothing(&agent.call("session-start", &start).env("HANDOFF_HOOKS", off).run());
    }
    project.call("config set hooks.enabled false").run().succeeded();
    assert_eq!(agent.starts("startup"), "");
    assert!(!project.exists(".handoff/local/state/agents"), "nothing is recorded");
    project.call("hook status").run().says("hooks.enabled is false");
    project.call("config set hooks.enabled true").run().succeeded();
    project.call("hook off --session s1").run().succeeded().says("left alone");
    assert_eq!(agent.starts("startup"), "");
    assert!(Agent::claude(&project, "s2").starts("startup").contains("Go on"), "another conversation");
    project.call("hook on").env("CLAUDE_CODE_SESSION_ID", "s1").run().succeeded().says("served again");
    assert!(agent.starts("startup").contains("Go on"));
    project.call("hook off").run().failed(2).says("--session");
}

#[test]
fn an_input_that_stays_open_is_not_waited_for() {
    let project = recorded();
    let mut child = Command::new(env!("CARGO_BIN_EXE_handoff"))
        .args(["hook", "session-start", "--host", "claude-code"])
        .current_dir(project.path("."))
        .env("HOME", project.home())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // It is kept open until the program has ended by itself.
    let stdin = child.stdin.take();
    let status = child.wait().unwrap();
    drop(stdin);
    assert!(status.success());
}

#[test]
fn an_agent_in_another_agent_is_itself() {
    let project = recorded();
    let agent = Agent::new(&project, "codex", "inner");
    let call = agent.call("session-start", &json!({"hook_event_name": "SessionStart", "source": "startup"}));
    let call = call.env("CLAUDE_PROJECT_DIR", project.path("../../outside")).env("CLAUDE_CODE_SESSION_ID", "outer");
    assert!(context(&call.run()).contains("Go on"));
    assert!(project.exists(".handoff/local/state/agents/codex-inner.json"));
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_no_verdict() {
    let project = recorded();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_handoff"))
        .args(["hook", "session-start", "--host", "claude-code"])
        .current_dir(project.path("."))
        .env("HOME", project.home())
        .stdin(Stdio::null())
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(0), String::new()));
}

#[test]
fn where_nothing_can_be_remembered_the_context_is_given_all_the_same() {
    let in_the_way: [(&str, Damage); 2] = [
        ("all of it", |project| project.write(".handoff/local/state/agents", "in the way")),
        ("the state", |project| project.make_directory(".handoff/local/state/agents/claude-code-s1.json")),
    ];
    for (what, damage) in in_the_way {
        let project = recorded();
        damage(&project);
        let agent = Agent::claude(&project, "s1");
        assert!(agent.starts("startup").contains("Go on"), "{what}");
        assert!(log(&project).contains("session-start: "), "{what}: {}", log(&project));
    }
}

#[test]
fn damaged_settings_are_noted_and_turn_hooks_off_where_a_line_says_so() {
    let project = recorded();
    let agent = Agent::claude(&project, "s1");
    project.write(".handoff/config.toml", "[project]\nname = \"\"\"my-app\n");
    assert!(agent.starts("startup").contains("Go on"));
    assert!(log(&project).contains("claude-code settings: "), "{}", log(&project));
    for off in
        [&b"[project]\nname = \"\"\"my-app\n[hooks]\nenabled = false\n"[..], b"\xff\xfe\n[hooks]\nenabled = false\n"]
    {
        project.write(".handoff/config.toml", off);
        assert_eq!(agent.starts("clear"), "");
        project.call("hook status").run().says("hooks.enabled is false");
    }
}

#[test]
fn an_id_without_end_is_remembered_in_short() {
    let project = recorded();
    let id = "x".repeat(10_000);
    let agent = Agent::claude(&project, &id);
    agent.starts("startup");
    agent.stops();
    let status = project.json("hook status");
    let shown = status["sessions"][0]["session"].as_str().unwrap();
    assert!(shown.len() < 100, "{shown}");
    project.call(&format!("hook off --session {id}")).run().succeeded();
    assert_eq!(agent.starts("clear"), "");
    project.call(&format!("hook on --session {shown}")).run().succeeded();
    assert!(agent.starts("clear").contains("Go on"));
}
