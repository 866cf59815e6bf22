//! A conversation that nobody saved is there at every door, also where no hook passes.

use handoff_testkit::{Agent, TestProject, Transcript, project};
use serde_json::json;

const LOAD: &str = "handoff_load_context";
const LATER: &str = "2026-11-16T08:00:00Z";
const TITLE: &str = "Split the token parser into two modules";

fn work(session: &str) -> Transcript {
    Transcript::of(session).prompt("Go on with the parser").edited("src/token.txt").answer(
        "Split the token parser into two modules. Details follow.\n\n## Next steps\n1. Extend the matrix\n\n\
         **Blocked:** the staging key is missing",
    )
}

fn write<'p>(project: &'p TestProject, session: &str, work: &Transcript) -> Agent<'p> {
    let agent = Agent::claude(project, session);
    agent.starts("startup");
    let text = work.text(project);
    agent.writes(&text.lines().collect::<Vec<_>>());
    agent
}

fn shown(project: &TestProject, command: &str) -> String {
    project.call(command).env("HANDOFF_CLOCK", LATER).run().succeeded().stdout.clone()
}

#[test]
fn a_killed_conversation_is_at_every_door_at_once() {
    for door in ["resume", "session list", "open", "dashboard", "mcp"] {
        let project = project!();
        project.write("src/token.txt", "fresh\n");
        let mut agent = write(&project, "killed", &work("killed"));
        agent.is_killed();
        let text = match door {
            "mcp" => {
                let mut client = project.mcp().env("HANDOFF_CLOCK", LATER).connect();
                client.text(LOAD, json!({}))
            }
            command => shown(&project, command),
        };
        let expected = if door == "open" { "Extend the matrix" } else { TITLE };
        assert!(text.contains(expected), "{door}: {text}");
        let sessions = project.json("session list");
        assert_eq!(sessions["sessions"].as_array().map(Vec::len), Some(1), "{door}: {sessions:#}");
        assert_eq!(sessions["sessions"][0]["status"], "closed", "{door}");
        let resumed = shown(&project, "resume");
        for part in ["Extend the matrix", "the staging key is missing", "compiled from a conversation with claude-code"]
        {
            assert!(resumed.contains(part), "{part}: {resumed}");
        }
    }
}

#[test]
fn a_conversation_that_goes_on_is_shown_as_under_way_and_not_finished() {
    let project = project!();
    project.write("src/token.txt", "fresh\n");
    let _agent = write(&project, "alive", &work("alive"));
    for command in ["resume", "session list", "dashboard"] {
        let text = shown(&project, command);
        assert!(text.contains(TITLE), "{command}: {text}");
        assert!(text.contains("under way") || text.contains("in no session yet"), "{command}: {text}");
    }
    let list = project.json("session list");
    assert_eq!(list["sessions"], json!([]), "{list:#}");
    assert_eq!(list["conversations"][0]["state"], "under_way", "{list:#}");
}

#[test]
fn the_questions_of_an_unsaved_conversation_are_at_every_door() {
    let project = project!();
    project.write("src/token.txt", "fresh\n");
    let words = "Split the token parser into two modules.\n\nQuestions:\n- Which region?";
    let work = Transcript::of("asks").prompt("Go on with the parser").edited("src/token.txt").answer(words);
    let _agent = write(&project, "asks", &work);
    for command in ["resume", "session list", "open"] {
        let text = shown(&project, command);
        assert!(text.contains("question: Which region?"), "{command}: {text}");
        let json = project.json(command);
        assert_eq!(json["conversations"][0]["questions"], json!(["Which region?"]), "{command}: {json:#}");
    }
    let text = project.mcp().env("HANDOFF_CLOCK", LATER).connect().text(LOAD, json!({}));
    assert!(text.contains("question: Which region?"), "{text}");
}

#[test]
fn while_writing_is_paused_it_is_shown_and_nothing_is_written() {
    let project = project!();
    project.write("src/token.txt", "fresh\n");
    let mut agent = write(&project, "killed", &work("killed"));
    agent.is_killed();
    project.call("pause").run().succeeded();
    let text = shown(&project, "resume");
    assert!(text.contains(TITLE) && text.contains("next: Extend the matrix"), "{text}");
    assert_eq!(project.json("session list")["sessions"], json!([]));
    project.call("unpause").run().succeeded();
    assert!(shown(&project, "session list").contains("closed"));
}

#[test]
fn a_check_is_open_until_a_later_conversation_passes_it() {
    let project = project!();
    project.write("tests/refresh.sh", "exit 0\n");
    let failed = Transcript::of("one").prompt("Fix the refresh test").ran("cd . && sh tests/refresh.sh", 1, "1 failed");
    write(&project, "one", &failed.answer("It still fails with an old token.")).is_killed();
    let open = shown(&project, "open");
    assert!(open.contains("Fix `sh tests/refresh.sh` (exit 1): 1 failed"), "{open}");
    // The later conversation goes on: what it settled counts before it is finished.
    let later = (0..9).fold(Transcript::of("two"), |work, _| work.prompt("Read the code").answer("I read it."));
    let passed = later.prompt("Try the test again").ran("bash tests/refresh.sh -v", 0, "ok");
    let mut agent = write(&project, "two", &passed.answer("The refresh test passes with every token now."));
    for command in ["open", "resume"] {
        assert!(!shown(&project, command).contains("Fix `sh"), "{command}: {}", shown(&project, command));
    }
    agent.is_killed();
    shown(&project, "resume");
    let all = shown(&project, "open --all");
    assert!(all.contains("`tests/refresh.sh` passed"), "{all}");
}

/// A conversation that leaves the refresh test failing, and is over.
fn leave_refresh_failing(project: &TestProject) {
    project.write("tests/refresh.sh", "exit 0\n");
    let failed = Transcript::of("one").prompt("Fix the refresh test").ran("sh tests/refresh.sh", 1, "1 failed");
    write(project, "one", &failed.answer("It still fails with an old token.")).is_killed();
    assert!(shown(project, "open").contains("Fix `sh tests/refresh.sh` (exit 1)"));
}

#[test]
fn a_conversation_that_only_runs_the_passing_check_settles_it() {
    let passed = || Transcript::of("two").prompt("Get the test green").ran("sh tests/refresh.sh", 0, "ok");
    for ends in ["normally", "killed"] {
        let project = project!();
        leave_refresh_failing(&project);
        let mut agent = write(&project, "two", &Transcript::of("two"));
        let later = passed().answer("The refresh test passes now.").text(&project).replace("T08:", "T09:");
        agent.writes(&later.lines().collect::<Vec<_>>());
        if ends == "normally" {
            agent.ends();
        }
        agent.is_killed();
        let list = shown(&project, "session list");
        assert!(list.contains("The refresh test passes now"), "{ends}: {list}");
        let open = shown(&project, "open");
        assert!(!open.contains("Fix `sh"), "{ends}: {open}");
        let all = shown(&project, "open --all");
        assert!(all.contains("`tests/refresh.sh` passed"), "{ends}: {all}");
    }
}

#[test]
fn a_killed_conversation_that_only_ran_checks_is_visible() {
    let work = Transcript::of("two").prompt("Run the tests").ran("make test", 0, "ok").answer("All 12 tests pass.");
    for is_paused in [false, true] {
        let project = project!();
        let mut agent = write(&project, "two", &work);
        agent.is_killed();
        if is_paused {
            project.call("pause").run().succeeded();
        }
        for door in ["session list", "resume"] {
            let text = shown(&project, door);
            assert!(text.contains("Run the tests") || text.contains("All 12 tests pass"), "{door}: {text}");
        }
    }
}

#[test]
fn a_check_whose_file_is_gone_is_not_open() {
    let project = project!();
    project.write("tests/refresh.sh", "exit 1\n");
    let failed = Transcript::of("one").prompt("Fix the refresh test").ran("sh tests/refresh.sh", 1, "1 failed");
    write(&project, "one", &failed.answer("It still fails with an old token.")).is_killed();
    assert!(shown(&project, "open").contains("Fix `sh tests/refresh.sh`"));
    project.remove("tests/refresh.sh");
    assert!(!shown(&project, "open").contains("Fix `sh"));
}

#[test]
fn capture_lists_conversations_and_takes_one_by_number_or_id() {
    let project = project!();
    project.write("src/token.txt", "fresh\n");
    let _one = write(&project, "one-conversation", &work("one-conversation"));
    let list = project.json("capture --list");
    assert_eq!(list["conversations"][0]["title"], TITLE, "{list:#}");
    assert_eq!(list["conversations"][0]["number"], 1, "{list:#}");
    assert!(list["conversations"][0]["session"].is_null(), "{list:#}");
    let missing = project.call("capture zzz").run();
    assert_eq!(missing.code, 3, "{missing}");
    let captured = project.json("capture one-c");
    assert_eq!(captured["agent_session"], "one-conversation", "{captured:#}");
    let again = project.json("capture 1");
    assert_eq!(again["id"], captured["id"], "{again:#}");
    assert_eq!(project.json("capture --list")["conversations"][0]["session"], captured["name"]);
}
