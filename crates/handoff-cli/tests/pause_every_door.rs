//! Every operation while writing is paused, in each of the three places: what writes is refused and touches nothing, what
//! reads answers as before.

use handoff_ops::{Door, Effect, Entry, registry};
use handoff_testkit::{TestProject, sample_project};
use serde_json::{Value, json};

const PROJECT: &str = ".handoff/PAUSE";
const USER: &str = "../../home/config/handoff/PAUSE";
const AGENT_HANDOVER: &str = "../../home/.agent_handover/PAUSE";

/// Everything but the brake itself.
fn offered(door: Door) -> impl Iterator<Item = &'static Entry> {
    registry::ALL.iter().filter(move |entry| entry.offered_at(door) && entry.effect != Effect::Brake)
}

/// What makes a project needs a place that is none yet.
fn place(entry: &Entry) -> &'static str {
    if entry.effect == Effect::Found && entry.verb() == "init" { "../new-app" } else { "." }
}

/// What is refused: all that writes, except for what a project's own pause does not concern.
fn is_refused(entry: &Entry, pause: &str) -> bool {
    !entry.effect.is_reading() && (pause != PROJECT || entry.effect != Effect::Found)
}

/// The request that does something, also where the example only tells what would be done.
fn deed(entry: &Entry) -> Value {
    let mut request = entry.example();
    if request["dry_run"] == true {
        request["dry_run"] = json!(false);
    }
    request
}

fn without_warnings(mut answer: Value) -> Value {
    answer.as_object_mut().map(|fields| fields.remove("warnings"));
    answer
}

fn asked(project: &TestProject, entry: &Entry, request: &Value) -> handoff_testkit::Answer {
    let call = project.call(&entry.name.replace('.', " ")).within(place(entry)).word("--json");
    call.env("HANDOFF_ID_SEED", "1").request(request).run()
}

#[test]
fn on_the_command_line_what_writes_is_refused_and_what_reads_answers_as_before() {
    for entry in offered(Door::Cli) {
        let mut known = None;
        for pause in [PROJECT, USER, AGENT_HANDOVER] {
            let project = sample_project!();
            project.write(pause, "release in progress\nby bob, 2026-11-15T07:00:00Z\n");
            let before = project.tree("../..");
            let answer = asked(&project, entry, &deed(entry));
            if is_refused(entry, pause) {
                let error = answer.failed(5).json_error();
                assert_eq!(error["error"]["kind"], "paused", "{}: {error:#}", entry.name);
                let told = error.to_string();
                for part in [
                    "writing is paused: release in progress",
                    "by bob since 2026-11-15T07:00:00Z",
                    "PAUSE",
                    "handoff unpause",
                ] {
                    assert!(told.contains(part), "{} in {pause}: no `{part}` in {error:#}", entry.name);
                }
                project.tree("../..").assert_same(&before, &format!("{} with {pause}", entry.name));
            } else if entry.effect.is_reading() {
                let told = if entry.name == "check" { 5 } else { 0 };
                assert_eq!(answer.code, told, "{} with {pause}: {answer}", entry.name);
                let clear = known
                    .get_or_insert_with(|| without_warnings(asked(&sample_project!(), entry, &deed(entry)).json()));
                // Whether something is paused is what these are asked for.
                if !["hook.status", "check", "status"].contains(&entry.name) {
                    assert_eq!(&without_warnings(answer.json()), clear, "{} with {pause}", entry.name);
                }
                project.tree("../..").assert_same(&before, &format!("{} with {pause}", entry.name));
            } else {
                answer.succeeded();
            }
        }
    }
}

#[test]
fn over_mcp_what_writes_is_refused_and_what_reads_goes_on() {
    for entry in offered(Door::Mcp) {
        for pause in [PROJECT, USER, AGENT_HANDOVER] {
            let project = sample_project!();
            project.write(pause, "release in progress\n");
            let before = project.tree("../..");
            let mut client = project.mcp().within(place(entry)).connect();
            if is_refused(entry, pause) {
                let text = client.failure(entry.tool, deed(entry));
                for part in ["writing is paused: release in progress", "leave that to a person", "PAUSE"] {
                    assert!(text.contains(part), "{} in {pause}: {text}", entry.tool);
                }
            } else {
                client.text(entry.tool, deed(entry));
            }
            client.close();
            if is_refused(entry, pause) || entry.effect.is_reading() {
                project.tree("../..").assert_same(&before, &format!("{} with {pause}", entry.tool));
            }
        }
    }
}

#[test]
fn what_would_be_done_is_told_also_while_paused() {
    for entry in offered(Door::Cli).filter(|entry| entry.schema()["properties"].get("dry_run").is_some()) {
        let mut request = entry.example();
        request["dry_run"] = json!(true);
        for pause in [PROJECT, USER, AGENT_HANDOVER] {
            let project = sample_project!();
            project.write(pause, "");
            let before = project.tree("../..");
            asked(&project, entry, &request).succeeded();
            project.tree("../..").assert_same(&before, entry.name);
        }
    }
}
