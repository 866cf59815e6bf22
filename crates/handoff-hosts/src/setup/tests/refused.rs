//! Files that cannot be understood are left as they are, and the reason says where to look.

use handoff_model::agent::Host;

use super::super::bench::Bench;
use super::super::{Scope, State, Wish, install};

/// Why setting up Claude Code or Codex is refused over one file.
fn refusal(host: Host, path: &str, text: &str) -> String {
    let mut bench = Bench::with(&[(path, text)]);
    let before = bench.files.files.clone();
    let plan = bench.set_up(&[host], Scope::User);
    assert_eq!(bench.files.files, before, "nothing is done by halves");
    let (path, why) = plan.hosts[0].refused.as_ref().unwrap_or_else(|| panic!("{path} was not refused: {text}"));
    format!("{}: {why}", path.display())
}

#[test]
fn settings_that_are_no_json_are_refused_with_their_place() {
    let settings = "/home/dev/.claude/settings.json";
    let why = |text| refusal(Host::ClaudeCode, settings, text).replace(settings, "FILE");
    insta::assert_snapshot!(why("{\n  \"a\": 1\n  \"b\": 2\n}"), @"FILE: it is no valid JSON: line 2, column 9: expected comma");
    insta::assert_snapshot!(why("{\"a\": 1"), @"FILE: it is no valid JSON: line 1, column 1: unterminated object");
    insta::assert_snapshot!(why("{'a': 1}"), @"FILE: it is no valid JSON: line 1, column 2: single-quoted strings are not allowed");
    insta::assert_snapshot!(why("[]"), @"FILE: `the whole file` is a list where an object is expected");
    insta::assert_snapshot!(why("{\"hooks\": []}"), @"FILE: `hooks` is a list where an object is expected");
    insta::assert_snapshot!(why("{\"hooks\": {\"Stop\": {}}}"), @"FILE: `hooks.Stop` is an object where a list is expected");
    insta::assert_snapshot!(why("{\"hooks\": {}, \"hooks\": {}}"), @"FILE: `hooks` stands there twice");
}

#[test]
fn toml_that_is_none_is_refused_with_its_place() {
    let config = "/home/dev/.codex/config.toml";
    let why = |text| refusal(Host::Codex, config, text).replace(config, "FILE");
    insta::assert_snapshot!(why("model = \"x\"\nmodel = \n"), @"FILE: it is no valid TOML: line 2, column 9: string values must be quoted, expected literal string");
    insta::assert_snapshot!(why("mcp_servers = 3\n"), @"FILE: `mcp_servers` is a value where a table is expected");
    insta::assert_snapshot!(why("[mcp_servers.handoff]\ncommand = \"other\"\n"), @"FILE: `mcp_servers.handoff` is something else than handoff");
}

#[test]
fn marks_that_make_no_block_are_refused_with_their_line() {
    let file = "/home/dev/.claude/CLAUDE.md";
    let why = |text: String| refusal(Host::ClaudeCode, file, &text).replace(file, "FILE");
    let (begin, end) = ("<!-- handoff:begin -->", "<!-- handoff:end -->");
    insta::assert_snapshot!(why(format!("a\n{begin}\nb\n")), @"FILE: a mark `handoff:begin` without its end (line 2)");
    insta::assert_snapshot!(why(format!("{end}\nb\n{begin}\n")), @"FILE: a mark `handoff:end` without its beginning (line 1)");
    insta::assert_snapshot!(why(format!("{begin}\n{end}\n{begin}\n{end}\n")), @"FILE: a second block of handoff (line 3)");
    insta::assert_snapshot!(why(format!("{begin}\n{begin}\n{end}\n")), @"FILE: a mark `handoff:begin` inside a block of handoff (line 2)");
}

#[test]
fn marks_in_a_code_block_are_an_explanation() {
    let text = "```\n<!-- handoff:begin -->\n```\n";
    let mut bench = Bench::with(&[("/home/dev/.claude/CLAUDE.md", text)]);
    bench.set_up(&[Host::ClaudeCode], Scope::User);
    assert!(bench.file("/home/dev/.claude/CLAUDE.md").starts_with(text));
    bench.take_out(&[Host::ClaudeCode], Scope::User);
    assert_eq!(bench.file("/home/dev/.claude/CLAUDE.md"), text);
}

#[test]
fn a_file_of_somebody_else_under_our_name_is_left_unless_forced() {
    let skill = "/home/dev/.claude/skills/handoff/SKILL.md";
    let why = refusal(Host::ClaudeCode, skill, "my own\n").replace(skill, "FILE");
    insta::assert_snapshot!(why, @"FILE: a file with that name is there that handoff did not write");
    let mut bench = Bench::with(&[(skill, "my own\n")]);
    let wish = Wish { forces: true, ..Wish::default() };
    let plan = install(bench.machine(), &[Host::ClaudeCode], wish, &bench.record);
    bench.carry_out(&plan);
    assert!(bench.file(skill).contains("name: handoff"));
    bench.take_out(&[Host::ClaudeCode], Scope::User);
    assert_eq!(bench.file(skill), "my own\n");
}

#[test]
fn one_host_that_is_refused_does_not_keep_another_from_being_set_up() {
    let mut bench = Bench::with(&[("/home/dev/.claude/settings.json", "{"), ("/home/dev/.gemini/settings.json", "{}")]);
    let plan = bench.set_up(&[Host::ClaudeCode, Host::Gemini], Scope::User);
    assert!(plan.hosts[0].refused.is_some() && plan.hosts[1].refused.is_none());
    assert!(plan.hosts[1].parts.iter().all(|part| part.state == State::Missing));
    assert!(!bench.paths().iter().any(|path| path.contains("CLAUDE.md")), "the refused one is left as a whole");
    assert!(bench.file("/home/dev/.gemini/settings.json").contains("handoff"));
}
