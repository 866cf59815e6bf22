//! `handoff local`: state that was not made here is not used, and can be taken back.

use handoff_testkit::{Agent, project};
use serde_json::json;

#[test]
fn a_copied_project_says_once_what_was_set_aside_and_the_named_command_takes_it_back() {
    let project = project!();
    project.call("task create Parser").run().succeeded();
    project.call("task delete 1").run().succeeded();
    project.copy(".", "../copy");
    let within = project.path("../copy");
    let call = |line: &str| project.call(line).within(&within);
    let first = call("task list").run();
    first.succeeded().says("was made for another directory").says("handoff local restore 1");
    call("task list").run().succeeded().hides("local restore");
    call("task restore Parser").run().failed(3);
    call("local").run().succeeded().says("state/trash (1 × deleted task)");
    call("local restore 1").run().failed(4).says("state/trash").says("handoff local restore 1 --yes");
    call("local restore 9 --yes").run().failed(3).says("handoff local list");
    call("local restore 1 --yes").run().succeeded().says("took back");
    call("undo").run().succeeded().says("Parser");
    call("task list").run().succeeded().says("Parser");
}

#[test]
fn a_moved_project_goes_on_as_if_nothing_had_happened() {
    let project = project!();
    project.call("task create Parser").run().succeeded();
    let above = project.path("..").canonicalize().expect("the project lies in a directory");
    project.rename(".", "../moved");
    let within = above.join("moved");
    let undone = project.call("undo").within(&within).run();
    undone.succeeded().hides("local restore").says("Parser");
}

#[test]
fn state_that_came_with_the_files_is_not_used_and_hooks_leave_the_report_to_people() {
    let project = project!();
    project.remove(".handoff/local");
    project.write(".handoff/local/state/timers/eve-1.toml", "format = 1\n");
    let told = Agent::claude(&project, "11111111-2222-4333-8444-555555555555").starts("startup");
    assert!(!told.contains("set-aside"), "{told}");
    let first = project.call("timer status").run();
    first.succeeded().says("was not made by you on this machine").says("handoff local restore 1");
    let listed = project.json("local list");
    assert_eq!(listed["set_aside"][0]["origin"], json!("unknown"), "{listed:#}");
    assert_eq!(listed["set_aside"][0]["content"][0]["names"], json!(["eve-1.toml"]), "{listed:#}");
}

#[test]
fn an_agent_cannot_take_back_what_was_set_aside() {
    let project = project!();
    let mut client = project.mcp().word("--tools").word("all").connect();
    let tools = client.result("tools/list", json!({}));
    assert!(!tools.to_string().contains("set_aside"), "only a person knows whether it is theirs");
    client.close();
}
