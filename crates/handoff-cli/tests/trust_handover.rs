//! Which handovers may run commands: by place and content, said by the person alone.

use handoff_ops::trust::{Trust, require, trusted};
use handoff_ops::{Door, Environment, OpError, Place, Project};
use handoff_testkit::{TestProject, project};
use serde_json::json;

const STEPS: &str = r#"[[step]]
kind = "note"

[[step]]
kind = "command"
id = "index"
run = ["./scripts/index notes", "--to", "$HOME"]
directory = "docs"
env = { TOKEN = "s3cret", COLLECTION = "notes" }
"#;

const LIST: &str = "../../home/config/handoff/trusted.toml";

fn with_steps() -> TestProject {
    let project = project!();
    project.write(".handoff/handover.toml", STEPS);
    project
}

fn state(project: &TestProject) -> serde_json::Value {
    project.json("trust handovers")["handovers"][0]["state"].clone()
}

/// What the run is told of a file from which these steps were read.
fn asked(project: &TestProject, path: &str, steps: &str) -> (Result<Trust, OpError>, Result<(), OpError>) {
    let config = project.path("../../home/config").into_os_string();
    let env = Environment::new([("HOME", project.home().into_os_string()), ("XDG_CONFIG_HOME", config)]);
    let asking = Project::new(Place { cwd: project.path("."), env, ..Place::default() }, None, Door::Mcp);
    let path = project.path(path);
    (trusted(&asking, &path, steps.as_bytes()), require(&asking, &path, steps.as_bytes()))
}

#[test]
fn the_bytes_that_were_read_are_the_ones_that_count() {
    let project = with_steps();
    project.write("copy.toml", STEPS);
    let (said, required) = asked(&project, ".handoff/handover.toml", STEPS);
    assert_eq!(said.unwrap(), Trust::No);
    let refused = required.unwrap_err();
    assert!(refused.message().contains("you have not said that you trust it"), "{}", refused.message());
    let hints: Vec<String> = refused.hints().iter().map(|hint| hint.at(Door::Cli)).collect();
    assert!(hints.contains(&"run `handoff trust handover .handoff/handover.toml`".to_owned()), "{hints:?}");
    project.handoff("trust handover --yes");
    let (said, required) = asked(&project, ".handoff/handover.toml", STEPS);
    assert_eq!((said.unwrap(), required.is_ok()), (Trust::Yes, true));
    // The file is as it was, and what was read of it is not.
    let (said, required) = asked(&project, ".handoff/handover.toml", &STEPS.replace("docs", "src"));
    assert!(matches!(said.unwrap(), Trust::Changed { .. }));
    assert!(required.unwrap_err().message().contains("changed since you trusted it on 20"));
    assert_eq!(asked(&project, "copy.toml", STEPS).0.unwrap(), Trust::No, "the same in another place");
    project.write(LIST, "[[handover");
    let (said, required) = asked(&project, ".handoff/handover.toml", STEPS);
    assert_eq!(said.unwrap_err().kind().exit_code(), 6);
    assert_eq!(required.unwrap_err().kind().exit_code(), 6);
}

#[test]
fn a_handover_is_trusted_as_it_is_now_and_its_commands_are_shown() {
    let project = with_steps();
    insta::assert_snapshot!(project.handoff("trust handover --yes"), @r"
    ✓ `[project]/.handoff/handover.toml` is trusted as it is now
    it may run:
    - index: './scripts/index notes' --to '$HOME'  (in docs)  (with COLLECTION, TOKEN)
    ");
    let list = project.file(LIST);
    assert!(list.contains("[[handover]]") && list.contains("sha256 = ") && !list.contains("s3cret"), "{list}");
    assert_eq!(state(&project), "same");
    project.call("trust handovers").run().succeeded().says("as trusted");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(project.path(LIST)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn without_a_terminal_nothing_is_trusted_by_itself() {
    let project = with_steps();
    let answer = project.call("trust handover").run();
    answer.failed(4).says("no terminal to ask on").says("index: './scripts/index notes'").says("--yes");
    assert!(!project.exists(LIST));
    project.call("trust handover").stdin("y\n").run().failed(4);
    assert!(!project.exists(LIST));
}

#[test]
fn a_changed_byte_is_seen_and_a_file_that_is_gone_as_well() {
    let project = with_steps();
    project.handoff("trust handover --yes");
    project.write(".handoff/handover.toml", format!("{STEPS} "));
    assert_eq!(state(&project), "changed");
    project.write(".handoff/handover.toml", STEPS);
    assert_eq!(state(&project), "same");
    project.remove(".handoff/handover.toml");
    assert_eq!(state(&project), "gone");
    project.call("trust handovers").run().succeeded().says("gone");
    project.call("trust revoke .handoff/handover.toml").run().succeeded().says("run no longer");
    project.call("trust handovers").run().succeeded().says("no handover is trusted");
    project.call("trust revoke .handoff/handover.toml").run().failed(3).says("no trusted file");
}

#[test]
fn trusting_again_replaces_what_was_trusted_before() {
    let project = with_steps();
    project.handoff("trust handover --yes");
    project.write(".handoff/handover.toml", "[[step]]\nkind = \"note\"\n");
    project.call("trust handover --yes").run().succeeded().says("names no commands");
    assert_eq!(project.json("trust handovers")["handovers"].as_array().map(Vec::len), Some(1));
    assert_eq!(state(&project), "same");
}

#[test]
fn a_file_is_named_by_its_place_however_it_is_reached() {
    let project = with_steps();
    project.make_directory("deep/er");
    project.write("../steps.toml", STEPS);
    project.call("trust handover ../../../steps.toml --yes").within("deep/er").run().succeeded();
    project.call("trust handover --yes").within("deep/er").run().succeeded();
    let listed = project.json("trust handovers");
    let paths: Vec<_> = listed["handovers"].as_array().into_iter().flatten().map(|entry| &entry["path"]).collect();
    assert_eq!(paths, ["[root]/work/steps.toml", "[project]/.handoff/handover.toml"]);
    project.call("trust revoke").word(project.path("../steps.toml")).run().succeeded();
}

#[test]
fn what_is_no_list_of_steps_is_refused() {
    let project = project!();
    project.call("trust handover --yes").run().failed(3).says("nothing to trust");
    project.call("trust handover no-such.toml --yes").run().failed(3).says("no file `no-such.toml`");
    project.call("trust handover . --yes").run().failed(4);
    project.call("trust handover .. --yes").run_unchecked();
    project.write("steps.toml", "[[step]\n");
    project.call("trust handover steps.toml --yes").run().failed(6).says("no list of steps");
    project.write("steps.toml", b"\xff\xfe");
    project.call("trust handover steps.toml --yes").run().failed(6).says("no list of steps");
    project.write("steps.toml", "[[step]]\nkind = \"command\"\nrun = \"rm -rf /\"\n");
    project.call("trust handover steps.toml --yes").run().failed(6).says("no list of steps");
    assert!(!project.exists(LIST));
}

#[test]
fn a_damaged_list_trusts_nothing_and_is_named() {
    let project = with_steps();
    project.write(LIST, "[[handover]]\npath = 7\n");
    for command in ["trust handovers", "trust handover --yes", "trust revoke x"] {
        project.call(command).run().failed(6).says("trusted.toml").says("nothing is trusted");
    }
    assert_eq!(project.file(LIST), "[[handover]]\npath = 7\n");
}

#[test]
fn what_others_wrote_in_the_list_stays() {
    let project = with_steps();
    project.write(LIST, "# mine\nkey = 1\n");
    project.handoff("trust handover --yes");
    project.handoff("trust revoke .handoff/handover.toml");
    assert!(project.file(LIST).contains("# mine\nkey = 1\n"));
}

#[test]
fn what_a_file_says_cannot_act_on_the_terminal() {
    let project = project!();
    project.write("steps.toml", "[[step]]\nkind = \"command\"\nrun = [\"x\\u001b[2J\\u202e\", \"a\\nb\"]\n");
    project.call("trust handover steps.toml --yes").run().succeeded().says("⟨U+001B⟩");
    project.call("trust handover steps.toml").run().failed(4).says("⟨U+202E⟩");
}

#[test]
fn an_agent_cannot_trust_for_the_person() {
    let project = with_steps();
    let answer = project.call("trust handover --help").run();
    answer.succeeded().says("--yes");
    for entry in handoff_ops::registry::ALL.iter().filter(|entry| entry.name.starts_with("trust.")) {
        assert_eq!(entry.doors, [Door::Cli], "{}", entry.name);
    }
    project.call("trust handover").request(&json!({"yes": true})).run().succeeded();
}

#[cfg(unix)]
#[test]
fn a_link_and_a_file_that_everybody_may_write_to_are_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = project!();
    project.write("steps.toml", STEPS);
    std::os::unix::fs::symlink("../steps.toml", project.path(".handoff/handover.toml")).unwrap();
    project.call("trust handover --yes").run().failed(4).says("is a link");
    std::fs::set_permissions(project.path("steps.toml"), std::fs::Permissions::from_mode(0o666)).unwrap();
    project.call("trust handover steps.toml --yes").run().failed(4).says("everybody may write to it");
    std::fs::set_permissions(project.path("steps.toml"), std::fs::Permissions::from_mode(0o664)).unwrap();
    project.call("trust handover steps.toml --yes").run().succeeded();
    std::fs::set_permissions(project.path(LIST), std::fs::Permissions::from_mode(0o666)).unwrap();
    project.call("trust handovers").run().failed(4).says("cannot be believed");
}
