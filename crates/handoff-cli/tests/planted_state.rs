//! State files that somebody else put into `.handoff/local/`: nothing outside the project is written or read for them.

use std::fs;

use handoff_testkit::{Agent, TestProject, Transcript, project};
use serde_json::{Value, json};

const CHECKPOINT: &str = ".handoff/local/state/checkpoint.json";
const QUEUE: &str = ".handoff/local/state/queue";
/// A step id that a shell would run, were it ever to read the file it is written to.
const SHELL_WORDS: &str = "touch pwned;#";

/// Places outside the project, as a state file would name them.
fn places_outside(project: &TestProject) -> Vec<String> {
    let absolute = project.home().join(".bash_aliases").display().to_string();
    let climbing = project.path("../../home/.bash_aliases").display().to_string();
    vec!["../../home/.bash_aliases".to_owned(), absolute, climbing]
}

/// The checkpoint of a finished run of this project.
fn run_of(project: &TestProject) -> Value {
    project.handoff("run 'Handed over before'");
    project.checkpoint()
}

/// The same as if it had been cut short before its last step, and as somebody else would write it.
fn forged(mut run: Value, compatible_checkpoint: &str) -> Value {
    run["status"] = "in_progress".into();
    run["run"] = "aaaaaaaa".into();
    run["inputs"]["compatible_checkpoint"] = compatible_checkpoint.into();
    let steps = run["steps"].as_array_mut().expect("a run has steps");
    let last = steps.last_mut().expect("a run has steps");
    (last["progress"], last["id"]) = ("pending".into(), SHELL_WORDS.into());
    run.as_object_mut().expect("a run is an object").remove("seal");
    run
}

#[test]
fn a_planted_checkpoint_writes_nothing_outside_the_project() {
    for line in ["run", "run --note Mine"] {
        let project = project!();
        let run = run_of(&project);
        let before = project.outside();
        for place in places_outside(&project) {
            project.write(CHECKPOINT, forged(run.clone(), &place).to_string());
            let answer = project.call(line).run();
            project.assert_untouched(&before);
            answer.failed(6).says("not written by handoff on this machine").says("--abandon");
        }
    }
}

#[test]
fn a_planted_request_writes_nothing_outside_the_project() {
    for line in ["run", "run --note Mine"] {
        let project = project!();
        let run = run_of(&project);
        let before = project.outside();
        for place in places_outside(&project) {
            let mut inputs = run["inputs"].clone();
            inputs["compatible_checkpoint"] = place.into();
            inputs["request"] = "00000000000001-aaaaaaaa.json".into();
            project.write(&format!("{QUEUE}/00000000000001-aaaaaaaa.json"), inputs.to_string());
            let answer = project.call(line).run();
            project.assert_untouched(&before);
            assert_eq!(answer.code, 6, "{answer}");
            answer.says("00000000000001-aaaaaaaa.json").says("not written by handoff on this machine");
        }
    }
}

#[test]
fn a_planted_run_writes_nothing_outside_the_project_over_mcp() {
    let project = project!();
    let run = run_of(&project);
    let before = project.outside();
    for place in places_outside(&project) {
        project.write(CHECKPOINT, forged(run.clone(), &place).to_string());
        let mut client = project.mcp().word("--tools").word("all").connect();
        client.failure("handoff_run", json!({"note": "Mine"}));
        drop(client);
        project.assert_untouched(&before);
    }
}

#[test]
fn a_run_is_only_taken_up_by_the_words_it_was_written_with() {
    let project = project!();
    project.declare(&["kind = \"note\"", "kind = \"export\"\nall = true\noutput = \"out/bundle.json\""]);
    project.write("out", "in the way");
    assert_eq!(project.call("run 'Genuine words'").run().code, 1);
    let genuine = project.file(CHECKPOINT);
    project.write(CHECKPOINT, genuine.replace("Genuine words", "Other words"));
    project.call("run").run().failed(6).says("changed since");
    // A request that is genuine in its own place is not one in another.
    project.call("run 'Waits its turn'").run().failed(6);
    project.write(CHECKPOINT, &genuine);
    assert_eq!(project.call("run 'Waits its turn'").run().code, 1);
    let waiting = project.queued_runs().first().expect("a request waits").clone();
    project.rename(&format!("{QUEUE}/{waiting}"), &format!("{QUEUE}/00000000000001-aaaaaaaa.json"));
    project.remove("out");
    let answer = project.call("run").run();
    assert_eq!(answer.code, 6, "{answer}");
    answer.says("00000000000001-aaaaaaaa.json");
    assert_eq!(project.json("session list --archived")["sessions"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_planted_order_runs_nothing() {
    let project = project!();
    project.declare(&["kind = \"note\"", "kind = \"command\"\nrun = [\"touch\", \"ours\"]"]);
    project.handoff("trust handover --yes");
    let order = json!({
        "key": {"run": "aaaaaaaa", "step": "command", "known_by": "command", "attempt": 1},
        "step": {"argv": ["touch", "pwned"], "cwd": null, "env": {}, "inherit": null,
                 "timeout": {"secs": 60, "nanos": 0}, "repeatable": true, "stdin": null},
        "begun": 0,
    });
    project.write(".handoff/local/state/steps/aaaaaaaa.command.1.order", order.to_string());
    project.call("__watch-command").word(project.path(".handoff")).word("aaaaaaaa.command.1").run_unchecked();
    project.call("run 'With a command'").run().succeeded();
    assert!(project.exists("ours") && !project.exists("pwned"));
}

/// A transcript about other work of the same person, where its host keeps it.
fn foreign_transcript(project: &TestProject) -> String {
    let other = project.home().join("secret-work");
    fs::create_dir_all(&other).expect("a directory can be made");
    let text =
        Transcript::of("other-1").prompt("The password of the vault is hunter2").edited("src/vault.rs").answer("Done");
    let path = project.home().join(".claude/projects/-home-secret-work/other-1.jsonl");
    let path = path.display().to_string();
    project.write(&path, text.text_in(&other.display().to_string()));
    path
}

fn holds_foreign_text(project: &TestProject) -> bool {
    !project.tree(".handoff").containing("hunter2").is_empty()
}

#[test]
fn a_planted_agent_state_reads_no_transcript_of_other_work() {
    let project = project!();
    let foreign = foreign_transcript(&project);
    // As files that lie elsewhere, with records that name this project, as the attacker would write them.
    let elsewhere = project.home().join("notes.jsonl").display().to_string();
    let text = Transcript::of("s-1").prompt("hunter2 in my notes").edited("src/a.rs").answer("Done").text(&project);
    project.write(&elsewhere, text);
    let relative = "../../home/.claude/projects/-home-secret-work/other-1.jsonl".to_owned();
    for (place, session) in [(foreign.clone(), "s-1"), (foreign, "other-1"), (relative, "s-1"), (elsewhere, "s-1")] {
        for cwd in [project.path("."), project.home()] {
            let state = json!({
                "host": "claude-code", "session": session, "transcript": place, "cwd": cwd,
                "seen_at": "2026-11-15T08:00:00Z", "ended_at": "2026-11-15T08:00:00Z", "owed": "nothing",
            });
            project.write(&format!(".handoff/local/state/agents/claude-code-{session}.json"), state.to_string());
            let agent = Agent::claude(&project, "next");
            let context = agent.starts("startup");
            agent.stops();
            assert!(!context.contains("hunter2") && !holds_foreign_text(&project), "{place} {session}");
            project.remove(&format!(".handoff/local/state/agents/claude-code-{session}.json"));
        }
    }
}

#[test]
fn a_hook_reads_no_transcript_that_its_host_does_not_keep_for_this_project() {
    let project = project!();
    let foreign = foreign_transcript(&project);
    let elsewhere = project.home().join("notes.jsonl").display().to_string();
    let text = Transcript::of("s-1").prompt("hunter2 in my notes").edited("src/a.rs").answer("Done").text(&project);
    project.write(&elsewhere, text);
    for place in [foreign, elsewhere] {
        let agent = Agent::claude(&project, "s-1");
        for event in ["session-start", "turn-end", "compact", "session-end"] {
            agent.call(event, &json!({"transcript_path": place})).run().succeeded();
        }
        agent.call("prompt", &json!({"transcript_path": place, "prompt": "Fix the parser"})).run().succeeded();
        agent.call("session-end", &json!({"transcript_path": place})).run().succeeded();
        Agent::claude(&project, "next").starts("startup");
        assert!(!holds_foreign_text(&project), "{place}");
    }
    let left = project.handoff("session list");
    assert!(left.contains("Fix the parser"), "what the hooks were told is kept: {left}");
}

#[cfg(unix)]
#[test]
fn a_link_in_the_directory_of_a_host_leads_nowhere() {
    let project = project!();
    let elsewhere = project.home().join("notes.jsonl").display().to_string();
    let text = Transcript::of("s-1").prompt("hunter2 in my notes").edited("src/a.rs").answer("Done").text(&project);
    project.write(&elsewhere, text);
    let agent = Agent::claude(&project, "s-1");
    fs::create_dir_all(agent.transcript().parent().expect("it has a directory")).expect("a directory can be made");
    std::os::unix::fs::symlink(&elsewhere, agent.transcript()).expect("a link can be made");
    agent.starts("startup");
    agent.stops();
    agent.ends();
    Agent::claude(&project, "next").starts("startup");
    assert!(!holds_foreign_text(&project));
}

#[test]
fn a_session_that_points_outside_does_not_tell_what_is_there() {
    let project = project!();
    project.write("../../home/there.txt", "private\n");
    project.write("inside.txt", "ours\n");
    project.call("save --summary Planted --pointer inside.txt").run().succeeded();
    let sessions = project.tree(".handoff/sessions");
    let file = format!(".handoff/sessions/{}", sessions.files().first().expect("a session was saved"));
    for git in [false, true] {
        if git {
            project.git("init -q");
        }
        let mut told = Vec::new();
        for name in ["there.txt", "missing.txt"] {
            let absolute = project.home().join(name).display().to_string();
            for place in [absolute, format!("../../home/{name}")] {
                let genuine = project.file(&file);
                project.write(&file, genuine.replace("inside.txt", &place));
                let answers = ["resume", "session show latest", "doctor"].map(|line| {
                    let stdout = project.call(line).run_unchecked().stdout.replace(name, "NAME");
                    // The revision is that of the file, which differs by the name.
                    stdout.lines().filter(|line| !line.starts_with("rev:")).collect::<Vec<_>>().join("\n")
                });
                project.write(&file, genuine);
                told.push(answers);
            }
        }
        assert_eq!(told[0], told[2], "by an absolute path");
        assert_eq!(told[1], told[3], "by a relative path");
    }
}
