//! `handoff check` and `handoff status`: whether a handover is open, and how it stands.

use std::fs::File;

use handoff_testkit::{Agent, Answer, TestProject, empty_directory, project};

const STEPS: &str = "[[step]]\nkind = \"note\"\n\n[[step]]\nkind = \"export\"\noutput = \"blocked/out.json\"\n";
const CHECKPOINT: &str = ".handoff/local/state/checkpoint.json";
const ENTRY: &str = ".handoff/local/state/queue/00000000000001-a3f9c12e.json";
const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/import/agent-handover/checkpoints");

/// A project whose handover stops at its second step, until `blocked` is a directory.
fn stopped() -> TestProject {
    let project = project!();
    project.write(".handoff/handover.toml", STEPS);
    project.write("blocked", "in the way");
    let stopped = project.call("run --note 'Parser done'").run();
    assert_ne!(stopped.code, 0, "{stopped}");
    project
}

fn unblock(project: &TestProject) {
    project.remove("blocked");
    project.make_directory("blocked");
}

fn code(project: &TestProject, line: &str) -> i32 {
    project.call(line).run().code
}

/// An answer that ends with a code and is told all the same.
fn ended(project: &TestProject, line: &str, code: i32) -> Answer {
    let answer = project.call(line).run();
    assert_eq!(answer.code, code, "{line}: {answer}");
    answer
}

#[test]
fn every_state_has_its_own_code() {
    let nowhere = empty_directory!();
    let check = nowhere.call("check").run();
    assert_eq!(check.code, 3, "{check}");
    check.says("no project: ");
    assert_eq!(code(&nowhere, "check --project-dir ../../outside"), 3);

    let project = project!();
    project.call("check").run().succeeded().says("clean: no handover is open");
    let project = stopped();
    let check = project.call("check").run();
    assert_eq!(check.code, 1, "{check}");
    check.says("resume needed: a handover was cut short at step `export`").says("`handoff run` finishes it");
    assert_eq!((check.stdout.lines().count(), check.stderr.as_str()), (1, ""), "{check}");
    unblock(&project);
    project.call("run").run().succeeded();
    let check = project.call("check").run();
    assert_eq!(check.code, 2, "{check}");
    check.says("completed: the last handover was finished at 2026-11-15T");
    project.write(".handoff/PAUSE", "release\n");
    let check = project.call("check").run();
    assert_eq!(check.code, 5, "{check}");
    check.says("paused: this project").says("release");
    project.write(CHECKPOINT, "{\"format\": 1");
    let check = project.call("check").run();
    assert_eq!(check.code, 6, "{check}");
    check.says("damaged: ");
}

#[test]
fn the_answer_for_programs_says_where_it_stands_and_why() {
    let project = stopped();
    project.write("../../home/.agent_handover/PAUSE", "hold\n");
    let check = project.call("check --json").run().json();
    assert_eq!((&check["status"], &check["code"]), (&"paused".into(), &5.into()), "{check:#}");
    assert_eq!((&check["step"], &check["state"], &check["attempts"]), (&"export".into(), &"failed".into(), &1.into()));
    assert!(check["error"].as_str().unwrap().contains("blocked"), "{check:#}");
    assert!(check["age_seconds"].as_i64().unwrap() >= 1 && check["since"].is_string(), "{check:#}");
    assert_eq!((&check["running"], &check["waiting"]), (&false.into(), &0.into()));
    assert_eq!(
        (&check["paused"][0]["place"], &check["paused"][0]["reason"]),
        (&"agent_handover".into(), &"hold".into())
    );
    assert_eq!(check["checkpoint"], CHECKPOINT);
    project.remove("../../home/.agent_handover/PAUSE");
    let check = project.call("check --json").run().json();
    assert_eq!((&check["status"], &check["code"]), (&"resume".into(), &1.into()), "{check:#}");
    assert_eq!(check["paused"], serde_json::json!([]));
}

#[test]
fn a_completed_handover_is_past_when_a_session_begins_but_not_with_a_package() {
    let project = stopped();
    unblock(&project);
    project.call("run").run().succeeded();
    project.call("store --name kept").stdin("what is kept").run().succeeded();
    project.call("task create Later").run().succeeded();
    assert_eq!(code(&project, "check"), 2);
    project.call("session start 'The next one'").run().succeeded();
    assert_eq!(code(&project, "check"), 0);
}

#[test]
fn what_was_given_up_is_clean_and_what_waits_is_not() {
    let project = stopped();
    project.call("run --abandon").run().succeeded();
    assert_eq!(code(&project, "check"), 0);
    project.write(ENTRY, "{}");
    let check = project.call("check --json").run();
    assert_eq!((check.code, &check.json()["waiting"]), (6, &0.into()), "{check}");
    ended(&project, "status", 6).says("Waiting").says("cannot be read").says("handoff doctor --fix");
    project.call("doctor").run_unchecked().says("a request that waits cannot be read");
}

/// Puts something in a place that is no file one could read.
#[cfg(unix)]
fn put_odd(project: &TestProject, path: &str, kind: &str) {
    project.remove(path);
    match kind {
        "directory" => project.make_directory(path),
        "link" => std::os::unix::fs::symlink("/etc/hostname", project.path(path)).expect("a link"),
        "fifo" => {
            let made = std::process::Command::new("mkfifo").arg(project.path(path)).status().expect("mkfifo runs");
            assert!(made.success());
        }
        "huge" => {
            project.write(path, "");
            let file = File::options().write(true).open(project.path(path)).expect("a file");
            file.set_len(3 << 30).expect("a large file");
        }
        text => project.write(path, text),
    }
}

#[cfg(unix)]
#[test]
fn whatever_stands_in_the_place_of_the_checkpoint_is_damage_that_abandoning_puts_aside() {
    for kind in ["directory", "link", "fifo", "huge", "{\"format\": 1", ""] {
        let project = stopped();
        unblock(&project);
        put_odd(&project, CHECKPOINT, kind);
        assert_eq!(code(&project, "check"), 6, "{kind}");
        project.call("run").run().failed(6).says("handoff run --abandon");
        project.call("run --note More").run().failed(6);
        project.call("run --abandon").run().succeeded().says("put aside as");
        assert_eq!(code(&project, "check"), 0, "{kind}");
        assert!(project.exists(".handoff/local/state/checkpoint-damaged-1.json"), "{kind}");
        project.call("run --note More").run().succeeded();
        assert_eq!(code(&project, "check"), 2, "{kind}");
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_request_is_told_by_all_and_stands_in_nobodys_way() {
    for kind in ["directory", "link", "fifo", "huge", "garbage", "", "{}"] {
        let project = stopped();
        unblock(&project);
        project.make_directory(".handoff/local/state/queue");
        put_odd(&project, ENTRY, kind);
        ended(&project, "check", 6).says("damaged: ").says("local/state/queue/0").says("handoff doctor --fix");
        project.call("doctor").run_unchecked().says("a request that waits cannot be read");
        let run = ended(&project, "run --note 'Comes after'", 6);
        run.says("finished run ").says("is no request").says("handoff doctor --fix");
        let told = project.call("session list").run();
        told.says("Parser done").says("Comes after");
        ended(&project, "run", 6).says("is no request");
        assert!(project.exists(ENTRY), "{kind}");
        project.call("run --abandon").run().succeeded().says("was put aside as `local/state/queue-damaged/");
        assert_eq!(code(&project, "check"), 2, "{kind}");
        put_odd(&project, ENTRY, kind);
        project.call("doctor --fix").run().succeeded().says("put aside as local/state/queue-damaged/");
        assert_eq!(code(&project, "check"), 2, "{kind}");
        assert!(project.exists(&ENTRY.replace("/queue/", "/queue-damaged/")), "{kind}");
        assert!(project.exists(&format!("{}-2", ENTRY.replace("/queue/", "/queue-damaged/"))), "{kind}");
    }
}

#[cfg(unix)]
#[test]
fn whatever_stands_in_the_place_of_the_queue_is_damage_that_the_doctor_mends() {
    for kind in ["link", "fifo", "garbage"] {
        let project = project!();
        project.call("run --note One").run().succeeded();
        put_odd(&project, ".handoff/local/state/queue", kind);
        assert_eq!(code(&project, "check"), 6, "{kind}");
        project.call("run --note Two").run().failed(6).says("local/state/queue").says("handoff doctor");
        ended(&project, "status", 6).says("handoff doctor --fix");
        project.call("doctor --fix").run().succeeded();
        assert_eq!(code(&project, "check"), 2, "{kind}");
        project.call("run --note Two").run().succeeded();
    }
}

#[cfg(unix)]
#[test]
fn a_step_of_which_nobody_knows_whether_it_happened_is_told_with_both_ways_out() {
    let project = project!();
    // The command kills the process that watches over it, so nobody notes its end.
    project.declare(&["kind = \"command\"\nid = \"export\"\nrun = [\"sh\", \"-c\", \"kill -9 $PPID\"]"]);
    project.handoff("trust handover --yes");
    assert_ne!(project.call("run --note 'Parser done'").run().code, 0);
    let check = project.call("check --json").run();
    let json = check.json();
    assert_eq!((check.code, &json["unsettled"], &json["state"]), (1, &true.into(), &"begun".into()), "{check}");
    let message = json["message"].as_str().unwrap();
    assert!(message.contains("`handoff run --from export` runs it again"), "{message}");
    assert!(message.contains("`handoff run --skip export`") && !message.contains("finishes it"), "{message}");
    let status = project.call("status").run();
    status.says("run `handoff run --from export`").says("run `handoff run --skip export`");
    assert!(!status.stdout.contains("finish"), "{status}");
    project.call("doctor").run_unchecked().says("handoff run --skip export");
}

#[test]
fn the_way_out_of_a_pause_is_the_one_of_its_place() {
    let project = stopped();
    let home = "../../home/.agent_handover/PAUSE";
    project.write(".handoff/PAUSE", "hold\n");
    project.call("status").run().says("to lift the pause, run `handoff unpause`, or");
    project.remove(".handoff/PAUSE");
    project.write(home, "hold\n");
    project.call("status").run().says("run `handoff unpause --all`");
    project.remove(home);
    project.call("pause --user").run().succeeded().says("`handoff unpause --user` lifts it");
    project.call("status").run().says("run `handoff unpause --user`");
}

#[test]
fn the_advice_about_a_file_of_agent_handover_is_that_tools() {
    let project = empty_directory!();
    let check = |name: &str| project.call(&format!("check --checkpoint {FIXTURES}/{name}.json")).run().stdout;
    assert!(check("interrupted").contains("`agent-handover run --config FILE` finishes it"));
    for name in ["in-progress-all-done", "in-progress-no-steps"] {
        assert_eq!(check(name).trim(), "completed: the last handover was finished", "{name}");
    }
}

#[test]
fn wrong_usage_has_a_code_that_means_nothing_else() {
    let project = project!();
    for line in ["check --bogus", "check more", "check --checkpoint", "check --json --json", "check --quiet=1"] {
        project.call(line).run().failed(64);
    }
    let told = project.call("check --json --bogus").run();
    assert_eq!((told.code, &told.json_error()["error"]["kind"]), (64, &"usage".into()), "{told}");
    project.call("check").request(&serde_json::json!({"chekpoint": "x"})).run().failed(64).says("checkpoint");
    project.call("check --help").run().succeeded().says("64 wrong usage");
}

#[test]
fn the_files_of_agent_handover_mean_what_that_tool_says() {
    let project = empty_directory!();
    let meanings = [
        ("none", 0),
        ("unknown-status", 0),
        ("interrupted", 1),
        ("completed", 2),
        ("completed-with-pending", 2),
        ("in-progress-all-done", 2),
        ("in-progress-no-steps", 2),
        ("empty", 6),
        ("garbage", 6),
        ("extra-data-after-race", 6),
        ("no-status", 6),
    ];
    for (name, meaning) in meanings {
        let line = format!("check --checkpoint {FIXTURES}/{name}.json");
        assert_eq!(code(&project, &line), meaning, "{name}");
    }
    assert_eq!(code(&project, "check --checkpoint nowhere.json"), 0);
    let check = project.call(&format!("check --json --checkpoint {FIXTURES}/interrupted.json")).run().json();
    assert_eq!(
        (&check["step"], &check["since"]),
        (&"current_state".into(), &"2026-11-15T18:47:02.949Z".into()),
        "{check:#}"
    );
    for (text, meaning) in [("[]", 6), ("{\"status\": 3}", 6), ("{\"status\":\"in_progress\",\"steps\":[1]}", 6)] {
        project.write("odd.json", text);
        assert_eq!(code(&project, "check --checkpoint odd.json"), meaning, "{text}");
    }
}

#[test]
fn a_checkpoint_of_ours_can_be_named_too() {
    let project = stopped();
    assert_eq!(code(&project, &format!("check --checkpoint {CHECKPOINT}")), 1);
}

#[cfg(unix)]
#[test]
fn what_is_no_ordinary_file_is_damage_and_nobody_waits_for_it() {
    let project = project!();
    let fifo = |path: &str| {
        let made = std::process::Command::new("mkfifo").arg(project.path(path)).status().expect("mkfifo runs");
        assert!(made.success());
    };
    fifo("fifo.json");
    for path in ["fifo.json", ".", "/dev/zero"] {
        assert_eq!(code(&project, &format!("check --checkpoint {path}")), 6, "{path}");
    }
    project.make_directory(".handoff/local/state");
    fifo(CHECKPOINT);
    assert_eq!(project.call("check").run_unchecked().code, 6);
    project.remove(CHECKPOINT);
    std::os::unix::fs::symlink("/etc/passwd", project.path(CHECKPOINT)).unwrap();
    assert_eq!(project.call("check").run_unchecked().code, 6);
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_never_taken_for_another() {
    let project = project!();
    let full = || File::options().write(true).open("/dev/full").unwrap();
    assert_eq!(project.call("check").stdout(full()).run_unchecked().code, 6);
    assert_eq!(project.call("check --quiet").stdout(full()).run_unchecked().code, 0);
}

#[test]
fn nothing_is_printed_where_nothing_is_wanted() {
    let project = stopped();
    for line in ["check --quiet", "check -q"] {
        let check = project.call(line).run();
        assert_eq!((check.code, check.stdout.as_str(), check.stderr.as_str()), (1, "", ""), "{check}");
    }
}

#[test]
fn the_short_way_gives_what_the_usual_one_does() {
    let states: [TestProject; 6] = [
        empty_directory!(),
        project!(),
        stopped(),
        {
            let done = stopped();
            unblock(&done);
            done.call("run").run().succeeded();
            done
        },
        {
            let paused = stopped();
            paused.write(".handoff/PAUSE", "wait \u{1b}[31m\n");
            paused
        },
        {
            let damaged = stopped();
            damaged.write(CHECKPOINT, "[]");
            damaged
        },
    ];
    let fixture = format!("--checkpoint {FIXTURES}/interrupted.json");
    for project in &states {
        for flags in ["", "--json", "--quiet", "-q --json", "--project-dir .", "--project-dir=.. --json", &fixture] {
            let at = |line: String| project.call(&line).env("HANDOFF_CLOCK", "2026-11-15T12:00:00Z").run();
            // A flag before the command is nothing the short way knows.
            let (short, usual) = (at(format!("check {flags}")), at(format!("--color auto check {flags}")));
            assert_eq!(short, usual, "{flags}");
        }
    }
}

#[test]
fn looking_changes_nothing() {
    let project = stopped();
    let before = project.tree(".");
    for line in ["check", "check --json", "status", "status --json"] {
        project.call(line).run();
    }
    project.tree(".").assert_same(&before, "looking changed something");
}

#[test]
fn the_status_shows_each_step_and_what_to_do_next() {
    let project = stopped();
    let status = project.call("status").run();
    status.succeeded().says("note").says("done").says("export").says("failed").says("handoff run --abandon");
    status.says("Sessions under way").says("Last handoff");
    let told = project.json("status");
    assert_eq!((&told["status"], &told["last_run"]["status"]), (&"resume".into(), &"in_progress".into()), "{told:#}");
    assert_eq!(told["last_run"]["steps"].as_array().unwrap().len(), 2);
    project.write(CHECKPOINT, "x");
    let status = project.call("status").run_unchecked();
    assert_eq!(status.code, 6, "{status}");
    status.says("damaged: ");
    empty_directory!().call("status").run().failed(3).says("no handoff project");
}

#[test]
fn readers_notice_a_handover_that_was_cut_short() {
    let project = stopped();
    let line = "the last handover was cut short at step `export`";
    project.call("resume").run().succeeded().says(line).says("handoff run");
    project.call("doctor").run().succeeded().says("was cut short at step `export`");
    let agent = Agent::claude(&project, "s1");
    assert!(agent.starts("startup").contains("was cut short at step"), "the agent is told");
    unblock(&project);
    project.call("run").run().succeeded();
    project.call("resume").run().succeeded().hides("cut short");
    project.write(CHECKPOINT, "x");
    project.call("resume").run().succeeded().says("cannot be read");
    let doctor = project.call("doctor --json").run_unchecked();
    assert_eq!(doctor.code, 6, "{doctor}");
    doctor.says("\"checkpoint\"").says("--abandon");
}

#[test]
fn a_server_notices_a_handover_that_was_cut_short_meanwhile() {
    let project = project!();
    let mut client = project.mcp().connect();
    assert!(!client.text("handoff_load_context", serde_json::json!({})).contains("cut short"));
    project.write(".handoff/handover.toml", STEPS);
    project.write("blocked", "in the way");
    assert_ne!(project.call("run --note Done").run().code, 0);
    let text = client.text("handoff_load_context", serde_json::json!({}));
    assert!(text.contains("was cut short at step") && text.contains("handoff_run"), "{text}");
    let check = client.text("handoff_check", serde_json::json!({}));
    assert!(check.contains("resume needed"), "{check}");
    client.close();
}

#[test]
fn the_status_counts_paused_sessions_and_open_items() {
    let project = project!();
    let nothing = project.call("status").run();
    assert!(
        !nothing.stdout.contains("Open items") && !nothing.stdout.contains("Sessions paused"),
        "{}",
        nothing.stdout
    );
    project.call("save Work --next 'Write the docs' --next 'Fix the parser' --blocker 'No key'").run().succeeded();
    project.call("save More --blocker 'No staging'").run().succeeded();
    project.call("done b1").run().succeeded();
    project.call("session start 'Newer work'").run().succeeded();
    project.call("session pause").run().succeeded();
    let status = project.call("status").run();
    status
        .succeeded()
        .says("2 next steps, 1 blocker")
        .says("Sessions paused")
        .says("to list what is open, run `handoff open`");
    let json = project.json("status");
    assert_eq!((&json["paused_sessions"], &json["active_sessions"]), (&1.into(), &0.into()));
    assert_eq!(json["open_items"], serde_json::json!({"next": 2, "blockers": 1, "checklist": 0, "questions": 0}));
}
