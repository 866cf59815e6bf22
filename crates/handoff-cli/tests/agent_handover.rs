//! The program `agent-handover`: that tool's commands, done by this one.

use handoff_testkit::TestProject;
use serde_json::Value;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/import/agent-handover");
const CHECKPOINT: &str = ".agent-handover/checkpoint.json";
/// Its tables, with steps that need nothing else.
const CONFIG: &str = "[handover]\ntag = \"codex\"\npause_file = \"STOP\"\n\n[note]\nsession = \"Parser done\"\n\n\
                      [[step]]\nid = \"session_note\"\nkind = \"note\"\n\n[[step]]\nid = \"current_state\"\nkind = \"state\"\n";

fn directory() -> TestProject {
    TestProject::empty(env!("CARGO_BIN_EXE_agent-handover"))
}

fn with_config() -> TestProject {
    let project = directory();
    project.write("handover.toml", CONFIG);
    project
}

fn checkpoint(project: &TestProject) -> Value {
    serde_json::from_str(&project.file(CHECKPOINT)).expect("a checkpoint")
}

fn notes(project: &TestProject) -> usize {
    std::fs::read_dir(project.path(".handoff/sessions"))
        .expect("sessions")
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|ending| ending == "toml"))
        .count()
}

#[test]
fn a_check_prints_nothing_and_its_codes_do_not_collide() {
    let project = directory();
    let check = |line: &str, code: i32| {
        let check = project.call(line).run();
        assert_eq!((check.code, check.stdout.as_str(), check.stderr.as_str()), (code, "", ""), "{line}: {check}");
    };
    check("check", 0);
    check(&format!("check --checkpoint {FIXTURES}/checkpoints/interrupted.json"), 1);
    check(&format!("check --checkpoint={FIXTURES}/checkpoints/completed.json"), 2);
    check(&format!("check --checkpoint {FIXTURES}/checkpoints/garbage.json"), 6);
    project.write(CHECKPOINT, "{\"status\":\"in_progress\",\"steps\":{\"a\":\"pending\"}}");
    check("check", 1);
    project.write("../../home/.agent_handover/PAUSE", "");
    check("check", 5);
    for line in ["check --bogus", "check x", "check --checkpoint"] {
        project.call(line).run().failed(64).says("agent-handover check --help");
    }
    project.call("chek").run().failed(2);
    project.call("--help").run().succeeded().says("agent-handover");
    project.call("--version").run().succeeded().says("agent-handover ");
}

#[test]
fn the_status_has_a_line_for_each_step() {
    let project = directory();
    let status = project.call(&format!("status --checkpoint {FIXTURES}/checkpoints/interrupted.json")).run();
    let lines = "status: in_progress\n  [x] session_note\n  [ ] current_state\n  [ ] publish\npending: current_state, publish\n";
    assert_eq!((status.code, status.stdout.as_str()), (0, lines), "{status}");
    project.call("status").run().succeeded().says("status: none");
    project.write(CHECKPOINT, "garbage");
    project.call("status").run().failed(6).says("is no checkpoint");
}

#[test]
fn a_run_makes_its_project_writes_the_note_and_leaves_a_checkpoint_that_tool_can_read() {
    let project = with_config();
    let run = project.call("run --config handover.toml").run();
    run.succeeded().says("made a private project");
    assert_eq!(run.stdout, "executed: session_note, current_state\n");
    assert!(project.exists(".handoff/config.toml"));
    let text = project.file(CHECKPOINT);
    assert!(
        text.starts_with("{\n  \"status\": \"completed\",\n  \"steps\": {\n    \"session_note\": \"done\","),
        "{text}"
    );
    assert!(text.ends_with('}') && text.contains("+00:00\""), "{text}");
    assert_eq!(checkpoint(&project)["steps"]["current_state"], "done");
    assert_eq!(project.call("check").run().code, 2);
    project.call("status").run().succeeded().says("status: completed").says("[x] current_state");
    project.call("run --config handover.toml --note 'Another one'").run().succeeded();
    assert_eq!(notes(&project), 2);
}

#[test]
fn a_run_without_a_note_or_a_configuration_says_what_is_missing() {
    let project = with_config();
    project.edit("handover.toml", "session = \"Parser done\"", "");
    project.call("run --config handover.toml").run().failed(2).says("--note TEXT");
    assert!(!project.exists(".handoff") && !project.exists(CHECKPOINT));
    project.call("run").run().failed(2).says("--config");
    project.call("run --config nowhere.toml").run().failed(3).says("there is no file `nowhere.toml`");
    project.write("handover.toml", "[handover\n");
    project.call("run --config handover.toml --note x").run().failed(6).says("line 1");
}

#[test]
fn its_own_pause_file_stops_a_run_before_anything_is_made() {
    let project = with_config();
    project.write("STOP", "not now\n");
    project.call("run --config handover.toml").run().failed(5).says("not now").says("STOP");
    assert!(!project.exists(".handoff") && !project.exists(CHECKPOINT));
    project.remove("STOP");
    project.call("run --config handover.toml").run().succeeded();
}

#[test]
fn paths_that_lead_out_of_the_directory_are_refused() {
    let project = directory();
    for (table, line) in [
        ("handover", "memory_dir = \"/elsewhere\""),
        ("handover", "memory_dir = \"../elsewhere\""),
        ("handover", "checkpoint = \"/elsewhere/x.json\""),
        ("handover", "checkpoint = \"../x.json\""),
        ("handover", "checkpoint = \"notes.md\""),
    ] {
        project.write("handover.toml", format!("[{table}]\n{line}\n\n[backend]\ntype = \"null\"\n"));
        project.call("run --config handover.toml --note x").run().failed(4);
        assert!(!project.exists(".handoff"), "{line}");
    }
}

#[test]
fn a_run_that_was_cut_short_is_finished_and_its_note_is_written_once() {
    let project = directory();
    let steps = "[[step]]\nkind = \"note\"\n\n[[step]]\nkind = \"export\"\noutput = \"blocked/out.json\"\n";
    project.write("handover.toml", steps);
    project.write("blocked", "in the way");
    let run = || project.call("run --config handover.toml --note 'The same'").run();
    let stopped = run();
    assert!(stopped.code != 0 && stopped.stdout.is_empty(), "{stopped}");
    stopped.says("stopped at `export`");
    assert_eq!(checkpoint(&project)["status"], "in_progress");
    assert_eq!(project.call("check").run().code, 1);
    project.remove("blocked");
    project.make_directory("blocked");
    run().succeeded();
    assert_eq!((notes(&project), checkpoint(&project)["status"].as_str()), (1, Some("completed")));
}

#[test]
fn a_run_of_the_tool_itself_that_was_cut_short_is_noticed() {
    let project = with_config();
    let interrupted = std::fs::read_to_string(format!("{FIXTURES}/checkpoints/interrupted.json")).unwrap();
    project.write(CHECKPOINT, interrupted);
    let run = project.call("run --config handover.toml").run();
    run.succeeded().says("a run that was cut short: done session_note; open current_state, publish");
    assert_eq!(checkpoint(&project)["status"], "completed");
    project.write(CHECKPOINT, "garbage");
    project.remove(".handoff/local/state/checkpoint.json");
    project.call("run --config handover.toml --note Again").run().succeeded().says("was damaged");
    assert_eq!(checkpoint(&project)["status"], "completed");
}

#[test]
fn the_configuration_of_the_tool_is_enough() {
    let project = directory();
    project.write("handover.toml", std::fs::read_to_string(format!("{FIXTURES}/handover.toml")).unwrap());
    let run = project.call("run --config handover.toml").run();
    run.succeeded();
    assert_eq!(run.stdout, "executed: session_note, current_state, layers\n");
    assert!(project.file("memory/layer2/current-state.md").contains("Parser merged"));
}

#[test]
fn a_checkpoint_never_takes_the_place_of_anything_else() {
    let project = TestProject::empty(env!("CARGO_BIN_EXE_agent-handover"));
    for (named, text) in [("package.json", "{\"name\": \"x\"}"), (".git/x.json", ""), ("notes.json", "mine")] {
        if !text.is_empty() {
            project.write(named, text);
        }
        project.write("a.toml", format!("[handover]\ncheckpoint = \"{named}\"\n[backend]\ntype = \"null\"\n"));
        let answer = project.call("run --config a.toml --note n").run();
        assert_eq!(answer.code, 4, "{named}: {answer}");
        answer.says("cannot hold a checkpoint");
        assert_eq!(project.exists(named).then(|| project.file(named)), (!text.is_empty()).then(|| text.to_owned()));
    }
}
