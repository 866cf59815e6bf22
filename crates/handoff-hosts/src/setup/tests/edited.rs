//! Files that were edited after setup keep what was edited.

use std::path::{Path, PathBuf};

use handoff_model::agent::Host;
use serde_json::json;

use super::super::bench::Bench;
use super::super::{Record, Scope, Wish, install, remove};
use super::{BEFORE, MINE};

impl Bench {
    fn edit(&mut self, path: &str, from: &str, to: &str) {
        let text = self.files.files.get_mut(Path::new(path)).unwrap();
        assert_eq!(text.matches(from).count(), 1, "{from} in {text}");
        *text = text.replace(from, to);
    }
}

#[test]
fn what_was_edited_since_stays_and_ours_goes() {
    let mut bench = Bench::with(BEFORE);
    let before = bench.files.files.clone();
    bench.set_up(&MINE, Scope::User);
    bench.edit("/home/dev/.claude.json", "\"numStartups\":12", "\"numStartups\":13");
    bench.edit("/home/dev/.claude/settings.json", "\"opus\"", "\"sonnet\"");
    bench.edit("/home/dev/.claude/CLAUDE.md", "Be kind.", "Be kinder.");
    bench.edit("/home/dev/.codex/config.toml", "gpt-5.5", "gpt-6.1-sol");
    bench.take_out(&MINE, Scope::User);
    let expected = |path: &str, from: &str, to: &str| before[Path::new(path)].replace(from, to);
    for (path, from, to) in [
        ("/home/dev/.claude.json", ":12", ":13"),
        ("/home/dev/.claude/settings.json", "opus", "sonnet"),
        ("/home/dev/.claude/CLAUDE.md", "kind", "kinder"),
        ("/home/dev/.codex/config.toml", "gpt-5.5", "gpt-6.1-sol"),
    ] {
        assert_eq!(bench.file(path), expected(path, from, to), "{path}");
    }
}

#[test]
fn without_a_record_ours_goes_and_the_rest_stays() {
    let mut bench = Bench::with(BEFORE);
    let before = bench.files.files.clone();
    bench.set_up(&MINE, Scope::User);
    bench.record = Record::default();
    bench.take_out(&MINE, Scope::User);
    for path in [
        "/home/dev/.claude.json",
        "/home/dev/.claude/settings.json",
        "/home/dev/.claude/CLAUDE.md",
        "/home/dev/.codex/config.toml",
    ] {
        assert_eq!(bench.file(path), before[Path::new(path)]);
    }
    for (path, text) in &bench.files.files {
        assert!(!text.contains("hook turn-end") && !text.contains("handoff:begin"), "{}: {text}", path.display());
    }
}

#[test]
fn an_update_after_an_edit_still_leaves_nothing_of_ours_behind() {
    let mut bench = Bench::with(BEFORE);
    bench.set_up(&MINE, Scope::User);
    bench.edit("/home/dev/.codex/config.toml", "gpt-5.5", "gpt-6.1-sol");
    bench.edit("/home/dev/.claude/settings.json", "\"opus\"", "\"sonnet\"");
    bench.program = PathBuf::from("/usr/bin/handoff");
    bench.set_up(&MINE, Scope::User);
    bench.take_out(&MINE, Scope::User);
    for path in ["/home/dev/.codex/config.toml", "/home/dev/.claude/settings.json"] {
        let expected = Bench::with(BEFORE).file(path).replace("gpt-5.5", "gpt-6.1-sol").replace("opus", "sonnet");
        assert_eq!(bench.file(path), expected);
    }
}

#[test]
fn what_was_replaced_comes_back_also_into_an_edited_file() {
    let peer = "{\n  \"mcpServers\": {\n    \"handoff\": {\"command\": \"handoff-mcp\", \"args\": [\"--quiet\"]}\n  },\n  \"a\": 1\n}\n";
    let mut bench = Bench::with(&[("/home/dev/.claude.json", peer)]);
    let wish = Wish { replaces: true, ..Wish::default() };
    let plan = install(bench.machine(), &[Host::ClaudeCode], wish, &bench.record);
    bench.carry_out(&plan);
    assert_eq!(bench.json("/home/dev/.claude.json")["mcpServers"]["handoff"]["args"], json!(["mcp"]));
    bench.edit("/home/dev/.claude.json", "\"a\": 1", "\"a\": 2");
    bench.take_out(&[Host::ClaudeCode], Scope::User);
    assert_eq!(bench.json("/home/dev/.claude.json")["mcpServers"]["handoff"]["command"], "handoff-mcp");
    assert_eq!(bench.json("/home/dev/.claude.json")["a"], 2);
}

#[test]
fn a_file_of_ours_that_was_edited_is_kept_unless_forced() {
    let skill = "/home/dev/.claude/skills/handoff/SKILL.md";
    let mut bench = Bench::with(&[]);
    bench.set_up(&[Host::ClaudeCode], Scope::User);
    bench.files.files.get_mut(Path::new(skill)).unwrap().push_str("My own line.\n");
    let plan = bench.set_up(&[Host::ClaudeCode], Scope::User);
    let kept = |plan: &super::super::Plan| plan.hosts[0].parts.iter().find_map(|part| part.kept.clone());
    assert_eq!(kept(&plan).as_deref(), Some("it was edited since; `--force` replaces it"));
    let plan = bench.take_out(&[Host::ClaudeCode], Scope::User);
    assert_eq!(kept(&plan).as_deref(), Some("it was edited since; `--force` removes it"));
    assert_eq!(bench.paths(), [skill]);
    let wish = Wish { forces: true, ..Wish::default() };
    let plan = remove(bench.machine(), &[Host::ClaudeCode], wish, &bench.record);
    bench.carry_out(&plan);
    assert_eq!(bench.paths(), Vec::<&str>::new());
}

#[test]
fn a_file_that_setup_made_and_others_use_now_stays_for_them() {
    let mut bench = Bench::with(&[]);
    bench.set_up(&[Host::ClaudeCode], Scope::User);
    bench.edit("/home/dev/.claude/settings.json", "{\n  \"hooks\"", "{\n  \"model\": \"opus\",\n  \"hooks\"");
    bench.take_out(&[Host::ClaudeCode], Scope::User);
    assert_eq!(bench.paths(), ["/home/dev/.claude/settings.json"]);
    assert_eq!(bench.file("/home/dev/.claude/settings.json"), "{\n  \"model\": \"opus\"\n}\n");
}

#[test]
fn a_crash_between_noting_and_writing_does_no_harm() {
    let mut bench = Bench::with(BEFORE);
    let before = bench.files.files.clone();
    let plan = install(bench.machine(), &MINE, Wish::default(), &bench.record);
    // Everything was noted, and half of it written.
    for (index, change) in plan.files.iter().enumerate() {
        bench.record.note(change, &[]);
        if let (0, Some(after)) = (index % 2, &change.after) {
            bench.files.files.insert(change.path.clone(), after.clone());
        }
    }
    let mut later = Bench { files: bench.files.clone(), record: bench.record.clone(), ..Bench::with(&[]) };
    bench.take_out(&MINE, Scope::User);
    assert_eq!(bench.files.files, before);
    later.set_up(&MINE, Scope::User);
    later.take_out(&MINE, Scope::User);
    assert_eq!(later.files.files, before);
}
