//! Which run a choice of steps is about, and that nothing that waits is held up by a list that changed meanwhile.

use handoff_testkit::{TestProject, list_in, project, text_in};
use serde_json::Value;

const NOTE: &str = "kind = \"note\"";
const STATE: &str = "kind = \"state\"";
const EXPORT: &str = "kind = \"export\"\nall = true\noutput = \"out/bundle.json\"";

/// A project with a run that stopped at its export.
fn cut_short(steps: &[&str]) -> TestProject {
    let project = project!();
    project.declare(steps);
    project.write("out", "in the way");
    assert_eq!(project.call("run first").run().code, 1);
    project
}

fn titles(project: &TestProject) -> Vec<String> {
    let listed = project.json("session list");
    let mut titles: Vec<String> =
        list_in(&listed, "sessions").iter().map(|session| text_in(session, "title").to_owned()).collect();
    titles.sort();
    titles
}

fn states(answer: &Value) -> Vec<String> {
    list_in(answer, "steps").iter().map(|step| format!("{} {}", text_in(step, "id"), text_in(step, "state"))).collect()
}

#[test]
fn what_is_chosen_with_a_note_is_about_the_run_that_was_cut_short() {
    let project = cut_short(&[NOTE, EXPORT, STATE]);
    let answer = project.call("run second --skip export --json").run();
    // The second stops at the same step, and has its note.
    assert_eq!(answer.code, 1, "{answer}");
    assert_eq!(titles(&project), ["first", "second"]);
    project.remove("out");
    let answer = project.json("run");
    assert_eq!(states(&answer), ["note done", "export done", "state done"]);
    assert_eq!(project.call("check").run_unchecked().code, 2);
}

#[test]
fn steps_that_were_not_asked_for_stay_open_in_a_run_that_was_cut_short() {
    let project = cut_short(&[NOTE, EXPORT, STATE]);
    let answer = project.json("run --only state");
    assert_eq!(states(&answer), ["note done", "export failed", "state done"]);
    assert!(text_in(&answer, "message").contains("open: `export`"), "{answer}");
    assert_eq!(project.call("check").run_unchecked().code, 1);
    project.remove("out");
    assert_eq!(text_in(&project.json("run"), "status"), "completed");
}

#[test]
fn a_request_that_waits_goes_on_without_what_its_list_has_no_more() {
    let project = cut_short(&[NOTE, EXPORT]);
    // It waits behind the one that cannot go on, with a list and a choice of its own.
    project.declare_in("other.toml", &[NOTE, STATE, EXPORT]);
    assert_eq!(project.call("run second --config other.toml").run().code, 1);
    project.remove("other.toml");
    project.declare(&[NOTE]);
    project.remove("out");
    project.call("run third").run().succeeded();
    assert_eq!(titles(&project), ["first", "second", "third"]);
    assert_eq!(project.call("check").run_unchecked().code, 2);
}

#[test]
fn which_session_could_be_closed_is_told() {
    let project = project!();
    project.declare(&["kind = \"close\"", NOTE]);
    assert!(project.json("run one")["steps"][0]["detail"].to_string().contains("no session is under way"));
    for title in ["a", "b"] {
        project.handoff(&format!("session start {title}"));
    }
    let told = project.json("run two")["steps"][0]["detail"].to_string();
    assert!(told.contains("2 sessions are under way, and none is known to be yours: `--session` names one"), "{told}");
}
