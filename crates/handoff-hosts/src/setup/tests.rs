//! Setting up on machines that have things of others, and taking out again.

mod edited;
mod random;
mod refused;

use std::path::{Path, PathBuf};

use handoff_model::agent::Host;
use serde_json::json;

use super::bench::Bench;
use super::{Part, Scope, State, Wish, install};

const MINE: [Host; 4] = [Host::ClaudeCode, Host::Codex, Host::Gemini, Host::OpenCode];

const CLAUDE_SETTINGS: &str = r#"{
  // my own settings
  "model": "opus", // the big one
  "hooks": {
    "SessionStart": [
      { "matcher": "startup", "hooks": [{ "type": "command", "command": "date" }] }
    ],
    "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}], /* loud */
  },
  "permissions": { "allow": [] },
}
"#;

const CODEX_CONFIG: &str = "# Codex\r\nmodel = \"gpt-5.5\" # fast\r\n\r\n[mcp_servers.docs]\r\ncommand = \"docs\"\r\n\
                            \r\n# projects\r\n[projects.\"/home/dev/my-app\"]\r\ntrust_level = \"trusted\"";

/// What a person may have before.
const BEFORE: &[(&str, &str)] = &[
    ("/home/dev/.claude.json", "{\"numStartups\":12,\"token\":\"s3cr3t\",\"mcpServers\":{\"x\":{\"command\":\"y\"}}}"),
    ("/home/dev/.claude/settings.json", CLAUDE_SETTINGS),
    ("/home/dev/.claude/CLAUDE.md", "# Rules\n\nBe kind."),
    ("/home/dev/.codex/config.toml", CODEX_CONFIG),
    ("/home/dev/.codex/hooks.json", "{\n\t\"hooks\": {}\n}"),
    (
        "/home/dev/.gemini/settings.json",
        "\u{feff}{\r\n    \"context\": {\r\n        \"fileName\": [\"AGENTS.md\"]\r\n    }\r\n}\r\n",
    ),
    ("/home/dev/.config/opencode/opencode.jsonc", "{ \"$schema\": \"https://opencode.ai/config.json\" }\n"),
    ("/home/dev/my-app/CLAUDE.md", "Use tabs.\r\n"),
    ("/home/dev/my-app/.mcp.json", ""),
];

#[test]
fn what_is_put_in_comes_out_byte_for_byte_in_both_scopes() {
    for scope in [Scope::User, Scope::Project] {
        for hosts in [&MINE[..], &Host::ALL[..]] {
            let mut bench = Bench::with(BEFORE);
            let before = bench.files.files.clone();
            let plan = bench.set_up(hosts, scope);
            assert!(plan.hosts.iter().all(|host| host.refused.is_none()), "{:?}", plan.hosts);
            let again = bench.set_up(hosts, scope);
            assert!(again.files.is_empty(), "twice changes nothing: {:?}", again.files);
            let parts: Vec<_> = again.hosts.iter().flat_map(|host| &host.parts).collect();
            assert!(parts.iter().all(|part| part.state == State::Current), "{parts:?}");
            bench.take_out(hosts, scope);
            assert_eq!(bench.files.files, before, "{scope:?}");
            assert!(bench.record.is_empty());
        }
    }
}

#[test]
fn what_is_there_already_stays_where_it_is() {
    let mut bench = Bench::with(BEFORE);
    bench.set_up(&MINE, Scope::User);
    insta::assert_snapshot!(bench.file("/home/dev/.claude/settings.json"), @r#"
    {
      // my own settings
      "model": "opus", // the big one
      "hooks": {
        "SessionStart": [
          { "matcher": "startup", "hooks": [{ "type": "command", "command": "date" }] },
          {
            "hooks": [
              {
                "type": "command",
                "command": "'/opt/my bin/handoff' hook session-start --host claude-code",
                "timeout": 10
              }
            ]
          }
        ],
        "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}, {"hooks": [{"type": "command", "command": "'/opt/my bin/handoff' hook turn-end --host claude-code", "timeout": 10}]}], /* loud */
        "UserPromptSubmit": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "'/opt/my bin/handoff' hook prompt --host claude-code",
                "timeout": 5
              }
            ]
          }
        ],
        "PostToolUse": [
          {
            "matcher": "Read|Edit|Write|MultiEdit|NotebookEdit",
            "hooks": [
              {
                "type": "command",
                "command": "'/opt/my bin/handoff' hook edit --host claude-code",
                "timeout": 5
              }
            ]
          }
        ],
        "StopFailure": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "'/opt/my bin/handoff' hook turn-end --host claude-code",
                "timeout": 10
              }
            ]
          }
        ],
        "PreCompact": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "'/opt/my bin/handoff' hook compact --host claude-code",
                "timeout": 10
              }
            ]
          }
        ],
        "SessionEnd": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "'/opt/my bin/handoff' hook session-end --host claude-code",
                "timeout": 5
              }
            ]
          }
        ],
      },
      "permissions": { "allow": [] },
    }
    "#);
    let codex = bench.file("/home/dev/.codex/config.toml");
    let put = "\r\n\r\n[mcp_servers.handoff]\r\ncommand = \"/opt/my bin/handoff\"\r\nargs = [\"mcp\"]";
    assert_eq!(codex, format!("{CODEX_CONFIG}{put}"), "line ends and the missing last one stay");
    let gemini = bench.file("/home/dev/.gemini/settings.json");
    assert!(gemini.starts_with("\u{feff}{\r\n    \"context\"") && gemini.contains(",\r\n    \"mcpServers\": {\r\n"));
    assert!(bench.paths().contains(&"/home/dev/.gemini/AGENTS.md"), "the settings name another file than GEMINI.md");
    assert!(
        bench.file("/home/dev/.claude.json").contains("\"x\":{\"command\":\"y\"},\"handoff\":{\"type\":\"stdio\",")
    );
}

#[test]
fn the_record_holds_nothing_of_the_files_but_what_was_put_in() {
    let mut bench = Bench::with(BEFORE);
    bench.set_up(&MINE, Scope::User);
    let record = bench.record.print();
    for secret in ["s3cr3t", "numStartups", "the big one", "Be kind", "trust_level"] {
        assert!(!record.contains(secret), "{secret} in {record}");
    }
    assert_eq!(super::Record::read(&record), Some(bench.record.clone()));
}

#[test]
fn a_program_that_moved_is_followed_and_the_first_bytes_still_come_back() {
    let mut bench = Bench::with(BEFORE);
    let before = bench.files.files.clone();
    bench.set_up(&MINE, Scope::User);
    bench.program = PathBuf::from("/usr/bin/handoff");
    let plan = bench.set_up(&MINE, Scope::User);
    let server = plan.hosts[1].parts.iter().find(|part| part.part == Part::Server).unwrap();
    assert_eq!(server.state, State::Outdated);
    assert_eq!(server.why.as_deref(), Some("it starts /opt/my bin/handoff, which is not there any more"));
    for (path, text) in &bench.files.files {
        assert!(!text.contains("/opt/my bin"), "{}: {text}", path.display());
    }
    assert!(bench.set_up(&MINE, Scope::User).files.is_empty());
    bench.take_out(&MINE, Scope::User);
    assert_eq!(bench.files.files, before);
}

#[test]
fn what_a_person_added_to_our_entries_stays_through_an_update() {
    let added =
        r#"{"mcpServers": {"handoff": {"command": "handoff", "args": ["mcp", "--tools", "all"], "env": {"A": "1"}}}}"#;
    let mut bench = Bench::with(&[("/home/dev/.claude.json", added)]);
    bench.set_up(&[Host::ClaudeCode], Scope::User);
    let expected = json!({
        "command": "/opt/my bin/handoff", "args": ["mcp", "--tools", "all"], "env": {"A": "1"}, "type": "stdio"
    });
    assert_eq!(bench.json("/home/dev/.claude.json")["mcpServers"]["handoff"], expected);
    bench.take_out(&[Host::ClaudeCode], Scope::User);
    assert_eq!(bench.file("/home/dev/.claude.json"), added, "it was there before setup");
}

#[test]
fn hooks_of_an_older_version_give_way_in_place() {
    let old = r#"{"hooks": {
  "Stop": [{"hooks": [{"type": "command", "command": "/old/handoff hook turn-end --host claude-code"}, {"type": "command", "command": "date"}]}],
  "PreToolUse": [{"hooks": [{"type": "command", "command": "/old/handoff hook edit --host claude-code"}]}],
  "SessionStart": [{"hooks": [{"type": "command", "command": "/old/handoff hook session-start --host claude-code"}]}, {"hooks": []}]
}}"#;
    let mut bench = Bench::with(&[("/home/dev/.claude/settings.json", old)]);
    bench.set_up(&[Host::ClaudeCode], Scope::User);
    let hooks = &bench.json("/home/dev/.claude/settings.json")["hooks"];
    assert_eq!(hooks.get("PreToolUse"), None, "an event that is not used any more");
    assert_eq!(hooks["Stop"][0], json!({"hooks": [{"type": "command", "command": "date"}]}));
    assert_eq!(hooks["Stop"][1]["hooks"][0]["command"], "'/opt/my bin/handoff' hook turn-end --host claude-code");
    assert_eq!(hooks["SessionStart"][0]["hooks"][0]["timeout"], 10);
    assert_eq!(hooks["SessionStart"][1], json!({"hooks": []}));
    bench.take_out(&[Host::ClaudeCode], Scope::User);
    assert_eq!(bench.file("/home/dev/.claude/settings.json"), old);
}

#[test]
fn what_handoff_mcp_left_is_reported_and_replaced_only_when_asked() {
    let peer =
        r#"{"mcpServers": {"handoff-mcp": {"command": "handoff-mcp", "env": {"K": "1"}}, "other": {"command": "x"}}}"#;
    let hooks = r#"{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "mcp_tool", "server": "handoff", "tool": "memory_query"}]}]}}"#;
    let rules = "# Rules\n\n<!-- agent-handover:begin -->\nRun agent-handover.\n<!-- agent-handover:end -->\n\nMore.\n";
    let files = [
        ("/home/dev/.claude.json", peer),
        ("/home/dev/.claude/settings.json", hooks),
        ("/home/dev/.claude/CLAUDE.md", rules),
    ];
    let mut bench = Bench::with(&files);
    let before = bench.files.files.clone();
    let plan = bench.set_up(&[Host::ClaudeCode], Scope::User);
    let foreign: Vec<&str> = plan.hosts[0].parts.iter().flat_map(|part| &part.foreign).map(String::as_str).collect();
    assert_eq!(
        foreign,
        [
            "the server `handoff-mcp` of handoff-mcp",
            "a hook of handoff-mcp at `UserPromptSubmit`",
            "instructions of agent-handover in line 3"
        ]
    );
    assert_eq!(plan.hosts[0].parts[0].state, State::Foreign);
    assert_eq!(bench.file("/home/dev/.claude.json"), peer);
    let wish = Wish { replaces: true, ..Wish::default() };
    let plan = install(bench.machine(), &[Host::ClaudeCode], wish, &bench.record);
    bench.carry_out(&plan);
    let servers = &bench.json("/home/dev/.claude.json")["mcpServers"];
    assert!(servers.get("handoff-mcp").is_none() && servers["handoff"]["args"] == json!(["mcp"]));
    assert!(!bench.file("/home/dev/.claude/settings.json").contains("memory_query"));
    let claude = bench.file("/home/dev/.claude/CLAUDE.md");
    assert!(claude.starts_with("# Rules\n\nMore.\n\n<!-- handoff:begin"), "ours was there already: {claude}");
    bench.take_out(&[Host::ClaudeCode], Scope::User);
    assert_eq!(bench.files.files, before, "what was replaced is brought back");
    let mut bench = Bench::with(&files);
    let plan = install(bench.machine(), &[Host::ClaudeCode], wish, &bench.record);
    bench.carry_out(&plan);
    let claude = bench.file("/home/dev/.claude/CLAUDE.md");
    assert!(
        claude.starts_with("# Rules\n\n<!-- handoff:begin") && claude.ends_with("handoff:end -->\n\nMore.\n"),
        "{claude}"
    );
    bench.take_out(&[Host::ClaudeCode], Scope::User);
    assert_eq!(bench.files.files, before);
}

#[test]
fn what_is_replaced_after_ours_was_put_in_counts_as_a_change() {
    let hooks = r#"{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "mcp_tool", "server": "handoff", "tool": "memory_query"}]}]}}"#;
    let rules = "# Rules\n\n<!-- agent-handover:begin -->\nRun agent-handover.\n<!-- agent-handover:end -->\n";
    let mut bench = Bench::with(&[("/home/dev/.claude/settings.json", hooks), ("/home/dev/.claude/CLAUDE.md", rules)]);
    bench.set_up(&[Host::ClaudeCode], Scope::User);
    let wish = Wish { replaces: true, ..Wish::default() };
    let plan = install(bench.machine(), &[Host::ClaudeCode], wish, &bench.record);
    let state = |part| plan.hosts[0].parts.iter().find(|found| found.part == part).unwrap().state;
    assert_eq!((state(Part::Hooks), state(Part::Instructions)), (State::Outdated, State::Outdated));
    assert_eq!(state(Part::Server), State::Current);
}

#[test]
fn a_hook_of_handoff_mcp_goes_out_of_a_group_that_others_use() {
    let mixed = r#"{"hooks": {
  "SessionStart": [{"hooks": [{"type": "mcp_tool", "server": "handoff", "tool": "load"}, {"type": "command", "command": "echo hi"}]}],
  "Notification": [{"hooks": [{"type": "mcp_tool", "server": "handoff", "tool": "load"}]}]
}}"#;
    let settings = "/home/dev/.claude/settings.json";
    let mut bench = Bench::with(&[(settings, mixed)]);
    let plan = bench.set_up(&[Host::ClaudeCode], Scope::User);
    let foreign: Vec<&str> = plan.hosts[0].parts.iter().flat_map(|part| &part.foreign).map(String::as_str).collect();
    assert_eq!(foreign, ["a hook of handoff-mcp at `SessionStart`", "a hook of handoff-mcp at `Notification`"]);
    assert_eq!(plan.hosts[0].parts[1].state, State::Missing);
    assert!(bench.file(settings).contains(r#"{"type": "mcp_tool", "server": "handoff", "tool": "load"}, {"#));
    let wish = Wish { replaces: true, ..Wish::default() };
    let plan = install(bench.machine(), &[Host::ClaudeCode], wish, &bench.record);
    bench.carry_out(&plan);
    let hooks = &bench.json(settings)["hooks"];
    assert_eq!(hooks["SessionStart"][0], json!({"hooks": [{"type": "command", "command": "echo hi"}]}));
    assert_eq!(hooks.get("Notification"), None);
    bench.take_out(&[Host::ClaudeCode], Scope::User);
    assert_eq!(bench.file(settings), mixed);
}

#[test]
fn a_host_that_only_shares_a_file_with_another_is_not_taken_out() {
    let mut bench = Bench::with(BEFORE);
    bench.set_up(&[Host::ClaudeCode], Scope::User);
    let set_up = super::set_up(bench.machine(), Scope::User, &bench.record);
    assert_eq!(set_up, [Host::ClaudeCode], "OpenCode reads ~/.claude/CLAUDE.md, too");
    let plan = bench.take_out(&Host::ALL, Scope::User);
    let out = |host: &&super::HostPlan| host.parts.iter().any(|part| part.state != State::Missing);
    assert_eq!(plan.hosts.iter().filter(out).map(|host| host.host).collect::<Vec<_>>(), [Host::ClaudeCode]);
    for hosts in [&[Host::Copilot][..], &[Host::VsCode], &[Host::ClaudeCode, Host::Copilot, Host::VsCode]] {
        bench.set_up(hosts, Scope::Project);
        assert_eq!(super::set_up(bench.machine(), Scope::Project, &bench.record), hosts);
        bench.take_out(hosts, Scope::Project);
    }
    assert_eq!(super::set_up(bench.machine(), Scope::Project, &bench.record), []);
}

#[test]
fn what_two_hosts_share_stays_until_both_are_gone() {
    let mut bench = Bench::with(BEFORE);
    let before = bench.files.files.clone();
    bench.set_up(&[Host::Codex, Host::Gemini, Host::OpenCode], Scope::Project);
    bench.take_out(&[Host::Codex], Scope::Project);
    assert!(bench.paths().contains(&"/home/dev/my-app/.agents/skills/handoff/SKILL.md"), "Gemini CLI still needs it");
    assert!(bench.set_up(&[Host::Gemini, Host::OpenCode], Scope::Project).files.is_empty());
    bench.take_out(&[Host::Gemini, Host::OpenCode], Scope::Project);
    assert_eq!(bench.files.files, before);
}

#[test]
fn a_new_file_never_hides_one_that_was_read_so_far() {
    let mut bench = Bench::with(&[("/home/dev/my-app/CLAUDE.md", "Use tabs.\n")]);
    bench.set_up(&[Host::OpenCode], Scope::Project);
    assert!(!bench.paths().contains(&"/home/dev/my-app/AGENTS.md"), "OpenCode reads CLAUDE.md only without AGENTS.md");
    let mut bench = Bench::with(&[("/home/dev/my-app/AGENTS.md", "Use tabs.\n")]);
    bench.set_up(&[Host::ClaudeCode], Scope::Project);
    assert!(
        !bench.paths().contains(&"/home/dev/my-app/CLAUDE.md"),
        "Claude Code reads AGENTS.md only without CLAUDE.md"
    );
    assert!(bench.file("/home/dev/my-app/AGENTS.md").contains("handoff:begin"));
}

#[test]
fn codex_is_told_which_variables_to_pass_on_but_not_what_is_in_them() {
    let mut bench = Bench::with(&[]);
    bench.env.insert("HANDOFF_HOME".to_owned(), "/secret/place".to_owned());
    bench.env.insert("CODEX_HOME".to_owned(), "/home/dev/codex".to_owned());
    bench.set_up(&[Host::Codex], Scope::User);
    let config = bench.file("/home/dev/codex/config.toml");
    assert_eq!(
        config,
        "[mcp_servers.handoff]\ncommand = \"/opt/my bin/handoff\"\nargs = [\"mcp\"]\nenv_vars = [\"HANDOFF_HOME\"]\n"
    );
}

#[test]
fn a_path_with_quotes_works_in_every_format() {
    let mut bench = Bench::with(&[]);
    bench.program = PathBuf::from("/opt/o'neil \"x\"\\y/handoff");
    bench.set_up(&MINE, Scope::User);
    let program = "/opt/o'neil \"x\"\\y/handoff";
    assert_eq!(bench.json("/home/dev/.claude.json")["mcpServers"]["handoff"]["command"], program);
    let config: toml_edit::DocumentMut = bench.file("/home/dev/.codex/config.toml").parse().unwrap();
    assert_eq!(config["mcp_servers"]["handoff"]["command"].as_str(), Some(program));
    let command = &bench.json("/home/dev/.codex/hooks.json")["hooks"]["Stop"][0]["hooks"][0]["command"];
    assert_eq!(*command, r#"'/opt/o'\''neil "x"\y/handoff' hook turn-end --host codex"#);
    assert!(
        bench
            .file("/home/dev/.config/opencode/plugins/handoff.js")
            .contains(r#"const PROGRAM = "/opt/o'neil \"x\"\\y/handoff""#)
    );
    bench.take_out(&MINE, Scope::User);
    assert_eq!(bench.paths(), Vec::<&str>::new());
}

#[test]
fn trust_of_codex_is_noted_for_ours_alone_and_goes_with_us() {
    let theirs = r#"{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "date"}]}]}}"#;
    let mut bench =
        Bench::with(&[("/home/dev/.codex/hooks.json", theirs), ("/home/dev/.codex/config.toml", CODEX_CONFIG)]);
    let before = bench.files.files.clone();
    bench.set_up(&[Host::Codex], Scope::User);
    let hooks = super::CodexHooks::find(&bench.machine(), Scope::User);
    assert!(!hooks.are_noted());
    let events =
        ["session_start:1", "user_prompt_submit:0", "post_tool_use:0", "stop:0", "pre_compact:0", "session_end:0"];
    let mut listed: Vec<_> = events
        .iter()
        .map(|event| json!({"key": format!("/home/dev/.codex/hooks.json:{event}:0"), "currentHash": format!("sha256:{event}")}))
        .collect();
    listed.push(json!({"key": "/home/dev/.codex/hooks.json:session_start:0:0", "currentHash": "sha256:theirs"}));
    assert!(hooks.trust(&bench.machine(), &json!({"data": [{"hooks": listed[1..]}]})).is_none(), "one is missing");
    let target = hooks.trust(&bench.machine(), &json!({"data": [{"hooks": listed}]})).unwrap();
    let plan = super::add(bench.machine(), Host::Codex, target).unwrap();
    bench.carry_out(&plan);
    let config = bench.file("/home/dev/.codex/config.toml").to_owned();
    assert!(config.contains(
        "[hooks.state.\"/home/dev/.codex/hooks.json:session_start:1:0\"]\r\ntrusted_hash = \"sha256:session_start:1\""
    ));
    assert!(!config.contains("sha256:theirs"));
    assert!(super::CodexHooks::find(&bench.machine(), Scope::User).are_noted());
    let mut edited = Bench { files: bench.files.clone(), ..Bench::with(&[]) };
    bench.take_out(&[Host::Codex], Scope::User);
    assert_eq!(bench.files.files, before);
    edited.take_out(&[Host::Codex], Scope::User);
    assert_eq!(edited.file("/home/dev/.codex/config.toml"), CODEX_CONFIG, "also without a record");
    assert!(!edited.files.files.contains_key(Path::new("/home/dev/.codex/skills/handoff/SKILL.md")));
}
