//! A handoff made of a transcript: what is taken, where it goes, and that it is told once.

use handoff_testkit::{TestProject, Transcript, list_in, project, shared_project, text_in};
use serde_json::{Value, json};

const FILE: &str = "../transcript.jsonl";

fn sessions(project: &TestProject) -> Vec<Value> {
    let list = project.json("session list");
    let ids = list_in(&list, "sessions").iter().map(|session| text_in(session, "id").to_owned());
    ids.map(|id| project.json(&format!("session show {id}"))).collect()
}

fn capture(project: &TestProject, transcript: &Transcript) -> Value {
    project.write(FILE, transcript.text(project));
    project.json(&format!("capture --from {FILE}"))
}

/// Half a morning: a failing test, an edit, a question.
fn work() -> Transcript {
    Transcript::default()
        .prompt("Fix the refresh test. Mind the clock.")
        .ran("sh tests/refresh.sh", 1, "expected 3600, got 60")
        .edited("src/token.txt")
        .ran("sh tests/refresh.sh", 0, "ok")
        .answer("The refresh test passes. The race is still open.")
}

#[test]
fn what_was_taken_from_a_real_transcript_is_shown_with_its_lines() {
    let project = project!();
    project.write("src/token.txt", "ttl = 3600\n");
    project.write("src/clock.txt", "utc\n");
    project.write(
        FILE,
        project.recorded_transcript("claude-code/projects/-home-dev-my-app/e01eb16d-743e-4733-ab5c-2d3ced54786e.jsonl"),
    );
    let late = |line: &str| project.call(line).env("HANDOFF_CLOCK", "2026-11-16T08:00:00Z").env("HANDOFF_ID_SEED", "7");
    insta::assert_snapshot!(late(&format!("capture --from {FILE}")).run().to_string(), @r#"
    ✓ captured as session 2026-11-15-d70d3259; to fetch it: the command handoff resume d70d3259, or handoff_load_context {"session_id": "d70d3259"}
    from:            ../transcript.jsonl (178 lines)
    agent:           Claude Code 2.1.325
    conversation:    e01eb16d-743e-4733-ab5c-2d3ced54786e
    checked against: Claude Code 2.1.325, 2026-11-15

    taken for  text                                                    line
    summary    asked "Fix the refresh test, then plan the race test."     5
    summary    asked last "Which file may race?"                        123
    summary    Changed: src/clock.txt, src/token.txt                     72
    summary    `false` fails (exit 1)                                   171
    summary    `sh tests/refresh.sh` failed, then passed                 74
    summary    Resumed and looked.                                      174
    title      Fix the refresh test, then plan the race test              5
    next       Add the race test                                         49
    next       Fix `false` (exit 1)                                     171
    pointer    src/clock.txt                                             72
    pointer    src/token.txt                                             68
    "#);
    insta::assert_snapshot!(late("resume").run().to_string(), @r#"
    Handoff of my-app
    last handoff: d70d3259, closed 2026-11-15T19:56:03Z
      Fix the refresh test, then plan the race test (compiled from a conversation with claude-code)
      Asked: "Fix the refresh test, then plan the race test.", at last "Which file may race?" (4 requests)
      Changed: src/clock.txt, src/token.txt
      Checks: `false` fails (exit 1); `sh tests/refresh.sh` failed, then passed
      Ended: Resumed and looked.

    Open
    - n1 Add the race test
    - n2 Fix `false` (exit 1)

    Pointers
    - src/clock.txt — added
    - src/token.txt — changed
    to go on: run `handoff session reopen d70d3259`
    "#);
}

#[test]
fn a_killed_codex_leaves_what_it_was_asked_to_finish() {
    let project = project!();
    project.write(FILE, project.recorded_transcript("codex/killed.jsonl"));
    let captured = project.json(&format!("capture --from {FILE}"));
    let session = project.json(&format!("session show {}", text_in(&captured, "id")));
    assert_eq!((&session["tool"], &session["kind"]), (&json!("codex"), &json!("session")));
    let next = list_in(&session, "next");
    assert!(text_in(&json!({"first": next[0]}), "first").starts_with("Finish: "), "{session:#}");
    assert!(text_in(&session, "summary").contains("Broken off"), "{session:#}");
}

#[test]
fn capturing_twice_is_capturing_once() {
    let project = project!();
    let first = capture(&project, &work());
    let before = project.records();
    let second = capture(&project, &work());
    assert_eq!(second["id"], first["id"]);
    assert!(text_in(&second, "message").starts_with("nothing to do: session "), "{second:#}");
    project.records().assert_same(&before, "the second time nothing is written");
}

#[test]
fn what_came_after_goes_into_a_session_that_continues_the_first() {
    let project = project!();
    project.write("src/token.txt", "");
    project.write("tests/race.sh", "");
    let first = capture(&project, &work());
    let more = work().prompt("Now write the race test").edited("tests/race.sh").answer("It is there.");
    let second = capture(&project, &more);
    assert_ne!(second["id"], first["id"]);
    let session = project.json(&format!("session show {}", text_in(&second, "id")));
    assert_eq!((&session["continues"], &session["title"]), (&first["name"], &json!("Now write the race test")));
    let paths: Vec<&Value> = list_in(&session, "pointers").iter().map(|pointer| &pointer["path"]).collect();
    assert_eq!(paths, ["src/token.txt", "tests/race.sh"], "what the first pointed to is not forgotten");
    assert!(!text_in(&session, "summary").contains("refresh"), "{session:#}");
    assert!(text_in(&second, "message").contains(", which continues "), "{second:#}");
}

#[test]
fn the_session_that_the_agent_has_open_gets_it_and_keeps_what_the_agent_wrote() {
    let project = project!();
    project.write("src/token.txt", "");
    let mut agent = project.mcp().connect();
    let started = agent.call_as(
        Transcript::CONVERSATION,
        "handoff_save_context",
        json!({
            "summary": "Refresh", "session_status": "active", "next": ["Ask Ann"],
            "decisions": [{"decision": "Seconds everywhere", "reason": "the clock has them"}],
        }),
    );
    let id = text_in(&started["structuredContent"], "id").to_owned();
    let captured = capture(&project, &work());
    assert_eq!((text_in(&captured, "id"), text_in(&captured, "status")), (id.as_str(), "active"), "its agent is alive");
    let session = project.json(&format!("session show {id}"));
    assert_eq!((&session["summary"], &session["next"]), (&json!("Refresh"), &json!(["Ask Ann"])));
    assert_eq!(list_in(&session, "decisions").len(), 1);
    let note = &list_in(&session, "notes")[0];
    assert!(text_in(note, "note").starts_with("From the transcript:\nAsked: \"Fix the refresh test."), "{note}");
    assert_eq!(list_in(&session, "pointers")[0]["path"], "src/token.txt");
    // The agent goes on in it, and nobody else may.
    let saved = agent.call_as(Transcript::CONVERSATION, "handoff_save_context", json!({"summary": "Refresh works"}));
    assert_eq!(text_in(&saved["structuredContent"], "id"), id);
    agent.close();
    let told = capture(&project, &work());
    assert!(text_in(&told, "message").starts_with("nothing to do"), "the agent closed it itself: {told:#}");
    assert_eq!(sessions(&project).len(), 1);
}

#[test]
fn a_session_that_was_captured_active_is_brought_up_to_date_and_not_piled_up() {
    let project = project!();
    project.write("src/token.txt", "");
    project.write(FILE, work().text(&project));
    let first = project.json(&format!("capture --from {FILE} --status active"));
    assert_eq!(text_in(&first, "status"), "active");
    let more = work().prompt("Now the race test").answer("Written.");
    let second = capture(&project, &more);
    assert_eq!((&second["id"], &second["status"]), (&first["id"], &json!("closed")));
    let [session] = sessions(&project).try_into().expect("one session");
    assert!(text_in(&session, "summary").ends_with("Ended: Written."), "{session:#}");
    assert_eq!(session["notes"], Value::Null);
    assert_eq!(text_in(&session, "ended_at"), more.last_time());
}

#[test]
fn the_status_and_the_rest_of_other_sessions_stay() {
    let project = project!();
    let mine = text_in(&project.json("session start 'By hand'"), "id").to_owned();
    let before = project.file(&project.session_file(&mine));
    capture(&project, &work());
    assert_eq!(project.file(&project.session_file(&mine)), before);
}

#[test]
fn a_dry_run_shows_the_same_and_writes_nothing() {
    let project = project!();
    project.write("src/token.txt", "");
    project.write(FILE, work().text(&project));
    let before = project.tree(".handoff").without(&["local/state/lock"]);
    let dry = project.json(&format!("capture --from {FILE} --dry-run"));
    project.tree(".handoff").without(&["local/state/lock"]).assert_same(&before, "nothing is written");
    assert_eq!(dry["id"], Value::Null);
    let real = project.json(&format!("capture --from {FILE}"));
    assert_eq!(dry["taken"], real["taken"]);
}

#[test]
fn what_is_no_transcript_is_refused_and_nothing_is_written() {
    let project = project!();
    project.write("../notes.txt", "just notes\n");
    project.write("../empty.jsonl", "");
    project.write("../silent.jsonl", Transcript::default().answer("Hello.").text(&project));
    project.write("../idle.jsonl", Transcript::default().prompt("/clear").answer("Hello.").text(&project));
    let before = project.records();
    let refused = |line: &str, code: i32, says: &str| {
        project.call(line).run().failed(code).says(says);
        project.records().assert_same(&before, line);
    };
    refused("capture --from ../notes.txt", 4, "`../notes.txt` is no transcript that handoff can read");
    refused("capture --from ../empty.jsonl", 4, "is no transcript that handoff can read");
    refused("capture --from ../silent.jsonl", 4, "holds no request of a person to Claude Code");
    refused("capture --from ../idle.jsonl", 4, "tells of no work");
    refused("capture --from ../gone.jsonl", 3, "there is no file `../gone.jsonl`");
    refused("capture --host clod", 2, "`clod` is no agent that handoff knows");
    refused("capture", 3, "there is no transcript of an agent that worked in");
    refused("capture --host codex --agent-session x", 3, "there is no transcript of Codex for the conversation `x`");
}

#[test]
fn without_a_path_the_newest_transcript_of_this_directory_is_taken() {
    let project = project!();
    let at = |id: &str| format!("../../home/.claude/projects/-any-name/{id}.jsonl");
    project.write(&at("elsewhere"), Transcript::of("elsewhere").prompt("Elsewhere").text_in("/srv/other"));
    project.write(&at("one"), Transcript::of("one").prompt("First thing").answer("Done.").text(&project));
    assert_eq!(project.json("capture --dry-run")["agent_session"], "one");
    project.write(&at("two"), Transcript::of("two").prompt("Second thing").answer("Done.").text(&project));
    let answer = project.call("capture --dry-run").run();
    answer.succeeded().says("claude-code one worked here at the same time: see `handoff capture --list`");
    answer.says("Second thing");
    assert_eq!(project.json("capture --agent-session two --dry-run")["agent_session"], "two");
    let own = project.call("capture --dry-run --json").env("CLAUDE_CODE_SESSION_ID", "one").run().succeeded().json();
    assert_eq!(own["agent_session"], "one", "an agent that asks means itself");
}

#[test]
fn secrets_reach_no_file_of_the_store() {
    let token = format!("{}{}", "ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4");
    for project in [project!(), shared_project!()] {
        let transcript = Transcript::default()
            .prompt(&format!("Push with {token}, the password: hunter2-forever"))
            .ran(&format!("GH_TOKEN={token} make test"), 2, &format!("{token} was refused"))
            .ran(&format!("GH_TOKEN={token} make test"), 2, &format!("{token} was refused"))
            .answer(&format!("I used {token}."));
        let captured = capture(&project, &transcript);
        assert!(captured.to_string().contains("[redacted: "), "{captured:#}");
        for secret in [token.as_str(), "hunter2"] {
            assert!(!captured.to_string().contains(secret), "{captured:#}");
            assert_eq!(project.tree(".handoff").containing(secret), Vec::<&str>::new());
        }
    }
}

#[test]
fn files_that_are_gone_and_places_elsewhere_are_told() {
    let project = project!();
    let captured = capture(&project, &work());
    let warnings = captured["warnings"].to_string();
    assert!(warnings.contains("1 file that was worked on is not there any more"), "{warnings}");
    project.write("a.txt", "");
    project.write(FILE, Transcript::of("far").prompt("Far away").edited("a.txt").text_in("/srv/other"));
    let captured = project.json(&format!("capture --from {FILE}"));
    let warnings = captured["warnings"].to_string();
    assert!(
        warnings.contains("the work was done in `/srv/other`; its files are taken for those of this"),
        "{warnings}"
    );
    assert!(captured["taken"].to_string().contains("a.txt"), "{captured:#}");
}

#[test]
fn commits_that_came_after_the_work_are_what_changed_since() {
    let project = project!();
    project.init_git();
    project.write("src/token.txt", "ttl = 60\n");
    project.commit_all("first");
    let then = project.json("save 'a look at git'")["git"]["commit"].clone();
    project.write("src/token.txt", "ttl = 3600\n");
    project.commit_all_at("second", "2026-11-15T08:30:00Z");
    let captured = capture(&project, &work());
    let session = project.json(&format!("session show {}", text_in(&captured, "id")));
    assert_eq!(session["git"]["commit"], then, "{session:#}");
    assert_eq!(session["git"]["dirty"], Value::Null);
}

#[test]
fn nothing_is_captured_while_the_project_is_paused() {
    let project = project!();
    project.write(".handoff/PAUSE", "");
    project.write(FILE, work().text(&project));
    project.call(&format!("capture --from {FILE}")).run().failed(5);
}

#[test]
fn what_hooks_recorded_is_taken_where_the_transcript_is_gone() {
    let project = project!();
    let transcript = "../../home/.claude/projects/-any-name/one.jsonl";
    project.write(transcript, Transcript::of("one").prompt("Sort the list").answer("Sorted.").text(&project));
    let told = json!({
        "hook_event_name": "Stop", "session_id": "one", "cwd": project.path("."),
        "transcript_path": project.path(transcript),
    });
    project.call("hook turn-end --host claude-code").stdin(told.to_string()).run().succeeded();
    project.remove(transcript);
    let captured = project.json("capture");
    assert_eq!((text_in(&captured, "source"), text_in(&captured, "agent_session")), ("what hooks recorded", "one"));
    assert!(captured["warnings"].to_string().contains("its transcript was not found"), "{captured:#}");
    let session = project.json(&format!("session show {}", text_in(&captured, "id")));
    assert_eq!(session["title"], "Sort the list");
}
