//! Cursor, Cline, Copilot and VS Code on machines that have things of others: what is put where, twice, and out again.

use std::path::Path;

use handoff_model::agent::Host;
use serde_json::json;

use super::super::bench::Bench;
use super::super::{OWN_FILE, Platform, Scope, State};

const FOUR: [Host; 4] = [Host::Cursor, Host::Cline, Host::Copilot, Host::VsCode];

/// What a person may have before.
const BEFORE: &[(&str, &str)] = &[
    ("/home/dev/.cursor/mcp.json", "{\n\t// mine\n\t\"mcpServers\": {\"other\": {\"command\": \"x\"}},\n}\n"),
    ("/home/dev/.cursor/hooks.json", "{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"./notify.sh\"}]}}"),
    ("/home/dev/.copilot/mcp-config.json", "{\r\n  \"mcpServers\": {}\r\n}\r\n"),
    (
        "/home/dev/.config/Code/User/mcp.json",
        "{\n  \"inputs\": [],\n  \"servers\": {\"a\": {\"url\": \"http://b\"}}\n}",
    ),
    ("/home/dev/.config/VSCodium/User/settings.json", "{}\n"),
    (
        "/home/dev/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "{\"mcpServers\": {}}",
    ),
    ("/home/dev/my-app/.github/copilot-instructions.md", "# House rules\n\nBe kind."),
    ("/home/dev/my-app/.vscode/mcp.json", "{}\n"),
    ("/home/dev/my-app/.clinerules/style.md", "Tabs.\n"),
];

#[test]
fn what_is_put_in_comes_out_byte_for_byte_in_both_scopes() {
    for scope in [Scope::User, Scope::Project] {
        let mut bench = Bench::with(BEFORE);
        let before = bench.files.files.clone();
        let plan = bench.set_up(&FOUR, scope);
        assert!(plan.hosts.iter().all(|host| host.refused.is_none()), "{:?}", plan.hosts);
        let put = bench.files.files.clone();
        let again = bench.set_up(&FOUR, scope);
        assert!(again.files.is_empty(), "twice changes nothing");
        let parts = again.hosts.iter().flat_map(|host| &host.parts);
        assert!(parts.clone().all(|part| part.state == State::Current), "{parts:?}", parts = parts.collect::<Vec<_>>());
        assert_eq!(bench.files.files, put);
        bench.take_out(&FOUR, scope);
        assert_eq!(bench.files.files, before, "{scope:?}");
    }
}

#[test]
fn what_two_of_them_share_stays_until_both_are_gone() {
    let mut bench = Bench::with(BEFORE);
    bench.set_up(&[Host::Copilot, Host::VsCode], Scope::User);
    let shared = Path::new("/home/dev/.copilot/hooks/handoff.json");
    bench.take_out(&[Host::VsCode], Scope::User);
    assert!(bench.files.files.contains_key(shared), "Copilot still needs it");
    assert!(!bench.files.files[Path::new("/home/dev/.config/Code/User/mcp.json")].contains("handoff"));
    bench.take_out(&[Host::Copilot], Scope::User);
    assert!(!bench.files.files.contains_key(shared));
}

#[test]
fn cursor_gets_server_hooks_and_skill_and_in_a_project_a_rule() {
    let mut bench = Bench::with(BEFORE);
    bench.set_up(&[Host::Cursor], Scope::User);
    let hooks = bench.json("/home/dev/.cursor/hooks.json");
    assert_eq!(
        hooks["hooks"]["stop"],
        json!([
            {"command": "./notify.sh"},
            {"command": "'/opt/my bin/handoff' hook turn-end --host cursor", "timeout": 10}
        ])
    );
    assert_eq!(hooks["hooks"]["postToolUse"][0]["matcher"], "Read|Write|Delete");
    assert!(bench.files.files[Path::new("/home/dev/.cursor/mcp.json")].contains("// mine"));
    bench.set_up(&[Host::Cursor], Scope::Project);
    let rule = &bench.files.files[Path::new("/home/dev/my-app/.cursor/rules/handoff.mdc")];
    assert!(rule.contains("alwaysApply: true") && rule.contains("handoff_load_context"));
    let server = &bench.json("/home/dev/my-app/.cursor/mcp.json")["mcpServers"]["handoff"];
    assert_eq!(server["args"], json!(["mcp", "--project-dir", "${workspaceFolder}"]));
    assert_eq!(bench.json("/home/dev/my-app/.cursor/hooks.json")["version"], 1);
}

#[test]
fn copilot_is_set_up_where_it_keeps_its_things() {
    let mut bench = Bench::with(&[]);
    bench.env.insert("COPILOT_HOME".to_owned(), "/home/dev/elsewhere".to_owned());
    bench.set_up(&[Host::Copilot], Scope::User);
    let server = &bench.json("/home/dev/elsewhere/mcp-config.json")["mcpServers"]["handoff"];
    let expected = json!({"type": "local", "command": "/opt/my bin/handoff", "args": ["mcp"], "tools": ["*"]});
    assert_eq!(*server, expected);
    let hooks = bench.json("/home/dev/elsewhere/hooks/handoff.json");
    assert_eq!(hooks["version"], 1);
    assert_eq!(
        hooks["hooks"]["sessionStart"],
        json!([{
            "type": "command",
            "bash": "'/opt/my bin/handoff' hook session-start --host copilot",
            "powershell": "& '/opt/my bin/handoff' hook session-start --host copilot",
            "timeoutSec": 10
        }])
    );
}

#[test]
fn every_kind_of_vs_code_that_is_there_gets_the_server() {
    let mut bench = Bench::with(BEFORE);
    bench.set_up(&[Host::VsCode], Scope::User);
    for kind in ["Code", "VSCodium"] {
        let server = &bench.json(&format!("/home/dev/.config/{kind}/User/mcp.json"))["servers"]["handoff"];
        assert_eq!(*server, json!({"type": "stdio", "command": "/opt/my bin/handoff", "args": ["mcp"]}));
    }
    assert!(!bench.paths().iter().any(|path| path.contains("Insiders")));
    let mut bare = Bench::with(&[]);
    bare.platform = Platform::Mac;
    bare.set_up(&[Host::VsCode], Scope::User);
    assert!(bare.paths().contains(&"/home/dev/Library/Application Support/Code/User/mcp.json"));
}

#[test]
fn cline_gets_a_script_per_event_and_goes_around_those_of_a_person() {
    let mut bench = Bench::with(BEFORE);
    bench.set_up(&[Host::Cline], Scope::User);
    let script = &bench.files.files[Path::new("/home/dev/Documents/Cline/Hooks/PostToolUse")];
    assert_eq!(*script, format!("#!/bin/sh\n# {OWN_FILE}\nexec '/opt/my bin/handoff' hook edit --host cline\n"));
    for file in [
        "/home/dev/.cline/data/settings/cline_mcp_settings.json",
        "/home/dev/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    ] {
        assert_eq!(bench.json(file)["mcpServers"]["handoff"]["args"], json!(["mcp"]));
    }
    let mut taken = Bench::with(&[("/home/dev/Documents/Cline/Hooks/PostToolUse", "#!/bin/sh\necho mine\n")]);
    let before = taken.files.files.clone();
    taken.set_up(&[Host::Cline], Scope::User);
    assert!(taken.paths().contains(&"/home/dev/.cline/hooks/PostToolUse"));
    taken.take_out(&[Host::Cline], Scope::User);
    assert_eq!(taken.files.files, before);
}

#[test]
fn rules_of_cline_in_one_file_get_a_block() {
    let mut bench = Bench::with(&[("/home/dev/my-app/.clinerules", "Use tabs.\n")]);
    let before = bench.files.files.clone();
    let plan = bench.set_up(&[Host::Cline], Scope::Project);
    assert!(plan.hosts[0].refused.is_none(), "{:?}", plan.hosts);
    assert!(bench.files.files[Path::new("/home/dev/my-app/.clinerules")].contains("handoff_load_context"));
    assert!(bench.paths().contains(&"/home/dev/my-app/.cline/hooks/TaskStart"));
    bench.take_out(&[Host::Cline], Scope::Project);
    assert_eq!(bench.files.files, before);
}

#[test]
fn on_windows_scripts_are_those_of_powershell() {
    let mut bench = Bench::with(&[]);
    bench.platform = Platform::Windows;
    bench.program = "C:/my bin/handoff.exe".into();
    bench.set_up(&[Host::Cline], Scope::User);
    let script = &bench.files.files[Path::new("/home/dev/Documents/Cline/Hooks/TaskStart.ps1")];
    assert_eq!(*script, format!("# {OWN_FILE}\n& 'C:/my bin/handoff.exe' hook session-start --host cline\n"));
}
