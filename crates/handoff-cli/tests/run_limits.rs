//! What a list of steps may not do: lose a note, write over what is not ours, publish it, or hide what it did.

use handoff_testkit::{TestProject, list_in, project, text_in};
use serde_json::Value;

const NOTE: &str = "kind = \"note\"";

fn summaries(project: &TestProject) -> Vec<String> {
    let listed = project.json("session list");
    list_in(&listed, "sessions").iter().map(|session| text_in(session, "title").to_owned()).collect()
}

fn state_of(answer: &Value, id: &str) -> String {
    let step = list_in(answer, "steps").iter().find(|step| step["id"] == id);
    step.map_or_else(String::new, |step| text_in(step, "state").to_owned())
}

#[test]
fn a_note_that_no_step_takes_is_kept_all_the_same() {
    let lists: [(&[&str], &str); 5] = [
        (&["kind = \"state\""], "run"),
        (&["kind = \"note\"\nwhen = { branch = \"nowhere\" }"], "run"),
        (&["kind = \"collect\"", NOTE], "run --only collect"),
        (&[NOTE, "kind = \"state\""], "run --skip note"),
        (&[NOTE, "kind = \"state\""], "run --from state"),
    ];
    for (steps, line) in lists {
        let project = project!();
        project.declare(steps);
        let answer = project.json(&format!("{line} \"kept in any case\""));
        assert_eq!(summaries(&project), ["kept in any case"], "{steps:?} {line}");
        assert_eq!(state_of(&answer, "kept-note"), "done");
        let told = answer["warnings"].to_string();
        assert!(told.contains("no step of the list took the note"), "{told}");
        assert_eq!(text_in(&answer, "status"), "completed");
    }
}

#[test]
fn a_bundle_is_never_written_over_what_is_no_bundle() {
    let project = project!();
    project.git("init -q");
    for output in [".git/config", ".git/hooks/pre-commit", "sub/.GIT/x", ".handoff/config.toml", "mine.txt"] {
        project.declare(&[NOTE, &format!("kind = \"export\"\noutput = \"{output}\"")]);
        project.write("mine.txt", "work of a day\n");
        let before = project.path(output).exists().then(|| project.file(output));
        let answer = project.call("run note").run();
        assert_eq!(answer.code, 4, "{output}: {answer}");
        assert_eq!(project.path(output).exists().then(|| project.file(output)), before, "{output}");
        project.handoff("run --abandon");
    }
    // One that was written before is written anew.
    project.declare(&[NOTE, "kind = \"export\"\noutput = \"out/latest.json\""]);
    for note in ["one", "two"] {
        project.call(&format!("run {note}")).run().succeeded();
    }
    assert!(project.file("out/latest.json").contains("two"));
}

#[test]
fn what_is_not_ours_is_published_only_by_a_list_that_is_trusted() {
    for (line, needs_trust) in [
        ("paths = [\".env\"]", true),
        ("paths = [\".\"]", true),
        ("paths = [\".handoff-not\"]", true),
        ("force = true", true),
        ("hooks = false", true),
        ("sign = false", true),
        ("paths = [\".handoff\"]", false),
        ("paths = [\"memory/layer1\", \"./memory/\"]", false),
        ("push = false", false),
    ] {
        let project = project!();
        project.git("init -q");
        project.git("config user.name a");
        project.git("config user.email a@b.c");
        project.write(".env", "A=1\n");
        project.declare(&[NOTE, "kind = \"mirror\"\nto = \"memory\"", &format!("kind = \"publish\"\n{line}")]);
        let answer = project.call("run note").run();
        assert_eq!(answer.code, if needs_trust { 4 } else { 0 }, "{line}: {answer}");
        if needs_trust {
            answer.says("you have not said that you trust it");
            assert_eq!(summaries(&project), Vec::<String>::new(), "nothing of it was done");
            project.call("trust handover --yes").run().succeeded();
        }
    }
}

#[cfg(unix)]
#[test]
fn programs_that_came_with_the_repository_are_run_only_by_a_list_that_is_trusted() {
    use std::os::unix::fs::PermissionsExt;
    for plant in ["hook", "core.hooksPath", "gpg.program", "include.path"] {
        let project = project!();
        project.git("init -q --template=");
        project.git("config user.name a");
        project.git("config user.email a@b.c");
        let program = if plant == "hook" { ".git/hooks/pre-commit" } else { "hidden/pre-commit" };
        project.write(program, "#!/bin/sh\ntouch \"$(git rev-parse --show-toplevel)/../ran\"\n");
        let runnable = PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(project.path(program), runnable).expect("the file was just written");
        if plant != "hook" {
            project.git(&format!("config {plant} hidden"));
        }
        project.declare(&[NOTE, "kind = \"mirror\"\nto = \"memory\"", "kind = \"publish\""]);
        let answer = project.call("run note").run();
        assert_eq!(answer.code, 4, "{plant}: {answer}");
        assert!(!project.path("../ran").exists(), "{plant}");
    }
}

#[test]
fn a_condition_looks_at_any_variable() {
    let project = project!();
    project.declare(&[NOTE, "kind = \"state\"\nwhen = { env = \"MY_OWN\" }"]);
    let unset = project.json("run one");
    assert_eq!(state_of(&unset, "state"), "skipped");
    let set: Value = serde_json::from_str(&project.call("run two --json").env("MY_OWN", "1").run().stdout).unwrap();
    assert_eq!(state_of(&set, "state"), "done");
}

#[test]
fn what_was_finished_by_the_way_is_told_by_its_own_name() {
    let project = project!();
    project.declare(&[NOTE, "kind = \"export\"\nall = true\noutput = \"out/bundle.json\""]);
    project.write("out", "in the way");
    let first: Value = serde_json::from_str(&project.call("run first --json").run().stdout).unwrap();
    project.remove("out");
    let answer = project.json("run second");
    let message = text_in(&answer, "message");
    assert!(message.contains(&format!("finished run {} as {}", text_in(&first, "run"), text_in(&first, "session"))));
    assert!(message.ends_with(&format!("then handed over as {}", text_in(&answer, "session"))), "{message}");
}

#[test]
fn a_template_can_be_had_as_json_and_what_would_be_given_up_is_told() {
    let project = project!();
    let template = project.json("run --template");
    assert!(text_in(&template, "template").contains("[[step]]"));
    let plan = project.json("run --abandon --dry-run");
    assert_eq!(text_in(&plan, "message"), "no handover was cut short: there is nothing to give up");
}

#[test]
fn what_git_brought_here_as_a_run_under_way_is_not_taken_up() {
    let project = project!();
    project.git("init -q");
    project.git("config user.name a");
    project.git("config user.email a@b.c");
    project.handoff("run first");
    let checkpoint = ".handoff/local/state/checkpoint.json";
    let forged = r#""action":{"kind":"command","run":["touch","ran"],"timeout_seconds":60}"#;
    let text: String = project.file(checkpoint).lines().map(str::trim).collect();
    let mut run: Value = serde_json::from_str(&text).unwrap();
    run["status"] = "in_progress".into();
    run["run"] = "aaaaaaaa".into();
    let step = &mut run["steps"][3];
    step["action"] = serde_json::from_str::<Value>(&format!("{{{forged}}}")).unwrap()["action"].clone();
    step["progress"] = "pending".into();
    project.write(checkpoint, run.to_string());
    project.call("run second").run().failed(6).says("not written by handoff on this machine");
    project.call("run --abandon").run().succeeded().says("checkpoint-damaged-1.json");
    assert!(!project.exists("ran"));
    // What was written here, and went away and came back with git, has its seal.
    project.declare(&[NOTE, "kind = \"export\"\nall = true\noutput = \"out/bundle.json\""]);
    project.write("out", "in the way");
    assert_eq!(project.call("run third").run().code, 1);
    project.git("add -f .handoff/local/state/checkpoint.json");
    let answer = project.call("run fourth").run();
    answer.failed(4).says("git tracks what is in `.handoff/local`");
    project.git("rm -r -q --cached .handoff/local");
    project.remove("out");
    project.call("run").run().succeeded();
}

#[cfg(unix)]
#[test]
fn a_pause_that_comes_with_the_last_step_stops_nothing_that_is_done() {
    let project = project!();
    project.declare(&[NOTE, "kind = \"command\"\nrun = [\"touch\", \".handoff/PAUSE\"]"]);
    project.handoff("trust handover --yes");
    project.call("run note").run().succeeded().says("handed over");
    project.remove(".handoff/PAUSE");
    assert_eq!(project.call("check").run_unchecked().code, 2);
    assert_eq!(summaries(&project), ["note"]);
}

#[test]
fn two_people_who_mirror_and_compact_publish_side_by_side() {
    let one = TestProject::shared(env!("CARGO_BIN_EXE_handoff"));
    one.git("init -q -b main");
    one.git("config user.name a");
    one.git("config user.email a@b.c");
    one.git("init -q --bare ../remote.git");
    one.git("remote add origin ../remote.git");
    one.declare(&[
        NOTE,
        "kind = \"compact\"\nolder_than_days = 0\nkeep = 1",
        "kind = \"mirror\"\nto = \"memory\"",
        "kind = \"publish\"\npush = true\npaths = [\".handoff\", \"memory\"]",
    ]);
    one.call("run start").run().succeeded();
    one.git("clone -q -b main ../remote.git ../two");
    one.git("-C ../two config user.name b");
    one.git("-C ../two config user.email b@b.c");
    for round in 1..=3 {
        one.call(&format!("run 'one {round}'")).run().succeeded();
        one.call(&format!("run 'two {round}'")).within("../two").run().succeeded();
    }
    one.call("run last").run().succeeded();
    one.git("clone -q -b main ../remote.git ../three");
    let listed = one.call("session list --archived --json").within("../three").run();
    for note in ["start", "one 1", "one 2", "one 3", "two 1", "two 2", "two 3", "last"] {
        assert_eq!(listed.stdout.matches(&format!("\"title\":\"{note}\"")).count(), 1, "{note}: {listed}");
    }
}

#[cfg(unix)]
#[test]
fn what_a_run_that_was_killed_at_its_end_left_of_its_commands_is_swept_by_the_next() {
    let project = project!();
    project.declare(&[NOTE, "kind = \"command\"\nrun = [\"true\"]"]);
    project.handoff("trust handover --yes");
    project.write(".handoff/local/state/steps/aaaaaaaa.command-12345678.1.ended", "{}");
    project.write(".handoff/local/state/steps/aaaaaaaa.command-12345678.lock", "");
    project.call("run note").run().succeeded();
    assert_eq!(project.tree(".handoff/local/state/steps").files(), Vec::<&str>::new());
}
