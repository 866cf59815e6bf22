//! `handoff setup` on a machine of its own: what is written, said and taken back.

use std::fs;

use handoff_testkit::{Answer, TestProject, Tree, empty_directory};

const SETTINGS: &str = "{\n\t// mine\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"Stop\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"date\" }] }]\n\t}\n}";

trait Machine {
    fn setup(&self, line: &str) -> Answer;
    fn everything(&self) -> Tree;
}

impl Machine for TestProject {
    /// Runs `handoff setup` where no agent is on the `PATH`.
    fn setup(&self, line: &str) -> Answer {
        self.call(&format!("setup {line}")).env("PATH", "/nowhere").without("XDG_CONFIG_HOME").run()
    }

    /// All that is in the home directory and in the project.
    fn everything(&self) -> Tree {
        self.tree("../..")
    }
}

fn machine() -> TestProject {
    let project = empty_directory!();
    // Where the platform keeps data; what is in it for handoff goes, the place stays.
    project.make_directory("../../home/data");
    project.write("../../home/.claude/settings.json", SETTINGS);
    project.write("../../home/.claude/CLAUDE.md", "# Rules\r\n\r\nBe kind.\r\n");
    project.write("../../home/.codex/config.toml", "# mine\nmodel = \"x\"\n");
    project
}

/// Without the line that says where this build lies.
fn shown(answer: &Answer) -> String {
    let text = answer.to_string();
    text.lines().filter(|line| !line.contains("build directory")).collect::<Vec<_>>().join("\n")
}

#[test]
fn one_command_sets_up_and_the_same_again_changes_nothing() {
    let project = machine();
    insta::assert_snapshot!(shown(&project.setup("claude-code")), @r"
    Claude Code: set up
    - MCP server added: ~/.claude.json
    - hooks added: ~/.claude/settings.json
    - skill added: ~/.claude/skills/handoff/SKILL.md
    - instructions added: ~/.claude/CLAUDE.md
    ");
    let before = project.everything();
    insta::assert_snapshot!(shown(&project.setup("claude-code")), @"Claude Code: already set up, nothing to change");
    insta::assert_snapshot!(shown(&project.setup("--check claude-code")), @"Claude Code: already set up, nothing to change");
    project.everything().assert_same(&before, "the second time");
}

#[test]
fn uninstall_leaves_every_byte_and_no_directory_behind() {
    let project = machine();
    let before = project.everything();
    for agents in ["all", "codex opencode gemini claude-code", "cursor cline copilot vscode"] {
        for scope in ["", "--project"] {
            project.setup(&format!("{agents} {scope}")).succeeded();
            project.setup(&format!("--uninstall {agents} {scope}")).succeeded();
            project.everything().assert_same(&before, agents);
        }
    }
    project.setup("claude-code codex").succeeded();
    project.setup("--uninstall --yes").succeeded().says("Claude Code: taken out").says("Codex: taken out");
    project.everything().assert_same(&before, "all that was set up");
}

#[test]
fn a_check_names_what_is_missing_and_a_rehearsal_shows_it() {
    let project = machine();
    let before = project.everything();
    insta::assert_snapshot!(shown(&project.setup("--check claude-code")), @r"
    Claude Code: not set up
    [exit 1]
    ");
    let rehearsed = project.setup("--dry-run claude-code");
    rehearsed
        .succeeded()
        .says("Claude Code: would be set up")
        .says("--- ~/.claude/settings.json")
        .says("+        \"SessionEnd\": [");
    project.everything().assert_same(&before, "a rehearsal");
    project.setup("claude-code").succeeded();
    project.remove("../../home/.claude/skills/handoff/SKILL.md");
    project.edit("../../home/.claude.json", "\"mcp\"", "\"mcp\", \"--tools\", \"all\"");
    insta::assert_snapshot!(shown(&project.setup("--check claude-code")), @r"
    Claude Code: not as it should be
    - MCP server in place: ~/.claude.json
    - hooks in place: ~/.claude/settings.json
    - skill missing: ~/.claude/skills/handoff/SKILL.md
    - instructions in place: ~/.claude/CLAUDE.md
    [exit 1]
    ");
    project
        .setup("--uninstall --dry-run claude-code")
        .succeeded()
        .says("would be taken out")
        .says("-        \"SessionEnd\": [");
}

#[test]
fn without_a_name_and_without_a_terminal_it_says_what_was_found() {
    let project = machine();
    insta::assert_snapshot!(shown(&project.setup("")), @r"
    error: no agent was named
      found: claude-code (~/.claude)
      found: codex (~/.codex)
    hint: run `handoff setup claude-code codex`
    [exit 2]
    ");
    insta::assert_snapshot!(shown(&project.setup("--uninstall")), @r"
    error: no agent was set up; name one: claude-code, codex, cursor, gemini, opencode, cline, copilot, vscode
    [exit 2]
    ");
    insta::assert_snapshot!(shown(&project.setup("clod")), @r"
    error: `clod` is no agent that handoff knows: use claude-code, codex, cursor, gemini, opencode, cline, copilot or vscode
    [exit 2]
    ");
    project.setup("--yes").succeeded().says("Claude Code: set up").says("Codex: set up").hides("Gemini");
}

#[test]
fn an_invalid_file_is_refused_untouched_and_the_others_are_set_up() {
    let project = machine();
    project.write("../../home/.claude/settings.json", "{\n  \"a\": 1,,\n}");
    let answer = project.setup("claude-code gemini");
    assert_eq!(answer.code, 4);
    answer
        .says("error: Claude Code was left as it was: ~/.claude/settings.json: it is no valid JSON: line 2, column 10");
    answer.says("Gemini CLI: set up");
    assert_eq!(project.file("../../home/.claude/settings.json"), "{\n  \"a\": 1,,\n}");
    assert!(!project.exists("../../home/.claude.json"));
}

#[test]
fn answers_for_programs_say_the_same() {
    let project = machine();
    let answer = project.setup("claude-code --json");
    let json = answer.succeeded().json();
    assert_eq!(json["action"], "install");
    assert_eq!(json["agents"][0]["status"], "set-up");
    assert_eq!(json["agents"][0]["parts"][1]["part"], "hooks");
    assert_eq!(json["agents"][0]["parts"][1]["status"], "added");
    assert_eq!(json["agents"][0]["parts"][1]["path"], "[home]/.claude/settings.json", "no shell reads it");
    let request = serde_json::json!({"agents": ["claude-code"], "check": true, "scope": "user"});
    let checked = project.call("setup --json").env("PATH", "/nowhere").request(&request).run();
    assert_eq!(checked.succeeded().json()["agents"][0]["status"], "already-set-up");
    let wrong = serde_json::json!({"agnets": []});
    project.call("setup").request(&wrong).run().failed(2).says("agnets");
}

#[test]
fn an_agent_can_be_set_up_for_one_project_alone() {
    let project = machine();
    project.write("AGENTS.md", "Use tabs.\n");
    project.setup("claude-code codex --scope project").succeeded().says("AGENTS.md");
    assert!(project.file(".mcp.json").contains("\"handoff\""));
    assert!(project.file("AGENTS.md").starts_with("Use tabs.\n\n<!-- handoff:begin"));
    assert!(!project.exists("CLAUDE.md"));
    project.setup("--check claude-code --level project").succeeded();
    assert_eq!(project.setup("--check claude-code --user").code, 1);
    let at_home = project.call("setup claude-code --project").within("../../home").env("PATH", "/nowhere").run();
    at_home.failed(2).says("the home directory is no project");
}

#[test]
fn codex_that_cannot_be_asked_leaves_the_trust_to_the_person() {
    let project = machine();
    project.setup("codex").succeeded().says("`codex` is not on the PATH").says("type `/hooks`");
    let checked = project.setup("--check codex");
    assert_eq!(checked.code, 1);
    checked.says("trust in the hooks missing: ~/.codex/config.toml");
}

#[test]
fn two_that_set_up_at_once_do_not_come_in_each_others_way() {
    let project = machine();
    let before = project.everything();
    let start =
        |line: &str| project.call(&format!("setup {line}")).env("PATH", "/nowhere").without("XDG_CONFIG_HOME").start();
    let together = |lines: &[&str]| {
        let running: Vec<_> = lines.iter().map(|line| start(line)).collect();
        running.into_iter().map(handoff_testkit::Running::end).collect::<Vec<_>>()
    };
    for answer in together(&["claude-code", "gemini", "opencode"]) {
        answer.succeeded().says(": set up");
    }
    project.setup("--uninstall all").succeeded();
    project.everything().assert_same(&before, "each knows of the other");
    for answer in together(&["all --no-trust"; 5]) {
        answer.succeeded().hides("meanwhile");
    }
    project.setup("all --no-trust").succeeded().says("Cursor: already set up").hides("updated");
    for answer in together(&["--uninstall all"; 3]) {
        answer.succeeded();
    }
    project.everything().assert_same(&before, "all of them");
}

#[test]
fn an_agent_that_was_never_set_up_is_not_taken_out() {
    let project = machine();
    project.setup("claude-code").succeeded();
    let checked = project.setup("--check");
    checked.says("Claude Code: already set up").says("Codex: not set up").hides("OpenCode");
    let answer = project.setup("--uninstall all");
    answer.succeeded().says("Claude Code: taken out").says("OpenCode: not set up");
}

#[test]
fn what_cannot_be_set_up_leaves_nothing_behind() {
    let project = empty_directory!();
    project.make_directory("../../home/data");
    project.write("../../home/.claude", "x");
    let before = project.everything();
    project.setup("claude-code").failed(1).says("Claude Code was left as it was");
    project.everything().assert_same(&before, "neither a file nor a note of one");
    project.setup("gemini").succeeded();
    let before = project.everything();
    project.setup("claude-code").failed(1);
    project.everything().assert_same(&before, "what was noted of others stays");
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn program(project: &TestProject, path: &str, text: &str) {
        project.write(path, text);
        fs::set_permissions(project.path(path), fs::Permissions::from_mode(0o755)).expect("a mode can be set");
    }

    /// A Codex that knows its hooks.
    fn codex(project: &TestProject) -> String {
        let hooks = project.home().join(".codex/hooks.json");
        let key =
            |event: &str| format!(r#"{{"key":"{}:{event}:0:0","currentHash":"sha256:{event}"}}"#, hooks.display());
        let events = ["session_start", "user_prompt_submit", "post_tool_use", "stop", "pre_compact", "session_end"];
        let listed: Vec<String> = events.iter().map(|event| key(event)).collect();
        program(
            project,
            "../../bin/codex",
            &format!(
                "#!/bin/sh\nwhile read -r line; do case $line in\n*'\"initialize\"'*) echo '{{\"id\":1,\"result\":{{}}}}';;\n\
             *hooks/list*) echo '{{\"id\":2,\"result\":{{\"data\":[{{\"hooks\":[{}]}}]}}}}';;\nesac; done\n",
                listed.join(",")
            ),
        );
        format!("{}:/usr/bin:/bin", project.path("../../bin").display())
    }

    #[test]
    fn codex_is_asked_for_the_hashes_of_our_hooks() {
        let project = machine();
        let path = codex(&project);
        let run = |line: &str| project.call(line).env("PATH", &path).run();
        let before = project.everything();
        run("setup codex --no-trust").succeeded().says("type `/hooks`");
        run("setup codex").succeeded().says("trust in the hooks added: ~/.codex/config.toml");
        let config = project.file("../../home/.codex/config.toml");
        assert!(config.contains("trusted_hash = \"sha256:pre_compact\""), "{config}");
        run("setup codex").succeeded().says("already set up");
        run("setup --check codex").succeeded();
        run("setup --uninstall codex").succeeded();
        project.everything().assert_same(&before, "the trust goes, too");
    }

    #[test]
    fn what_a_killed_setup_left_is_swept() {
        let project = machine();
        let before = project.everything();
        let ended = std::process::Command::new("true").spawn().and_then(|mut child| {
            child.wait()?;
            Ok(child.id())
        });
        let ended = ended.expect("a program can be run");
        let left = [
            format!("../../home/.claude/.settings.json.handoff-{ended}-4"),
            format!("../../home/.claude/skills/handoff/.SKILL.md.handoff-{ended}-5"),
        ];
        let leave = || left.iter().for_each(|path| project.write(path, "half"));
        leave();
        project.setup("claude-code").succeeded();
        assert!(!left.iter().any(|path| project.exists(path)), "by the next setup");
        leave();
        project.setup("--uninstall claude-code").succeeded();
        assert!(!left.iter().any(|path| project.exists(path)), "and by taking out");
        project.remove("../../home/.claude/skills");
        project.everything().assert_same(&before, "nothing else changed");
    }

    #[test]
    fn a_setup_that_is_killed_at_any_moment_leaves_nothing_for_ever() {
        let project = machine();
        let before = project.everything();
        for seconds in ["0.005", "0.01", "0.015", "0.02", "0.03", "0.04", "0.06", "0.1"] {
            let killer = format!("sh -c 'timeout -s KILL {seconds} \"$@\"; true' sh");
            project.call("setup all --no-trust").through(&killer).without("XDG_CONFIG_HOME").run_unchecked();
        }
        project.setup("all --no-trust").succeeded();
        project.setup("--uninstall all").succeeded();
        project.everything().assert_same(&before, "killed");
    }

    #[test]
    fn a_link_that_leads_out_of_the_project_is_not_followed() {
        let project = machine();
        project.write("../../home/.bashrc", "export A=1\n");
        project.make_directory("../../home/outside");
        symlink(project.path("../../home/.bashrc"), project.path("CLAUDE.md")).unwrap();
        symlink("../../home/outside", project.path(".clinerules")).unwrap();
        symlink("nowhere/../../../home/new.json", project.path(".mcp.json")).unwrap();
        symlink(".git/config", project.path("GEMINI.md")).unwrap();
        project.write(".git/config", "[core]\n");
        let before = project.everything();
        for line in ["claude-code cline gemini copilot", "claude-code cline --uninstall", "claude-code cline --check"] {
            let answer = project.setup(&format!("--project {line}"));
            assert_eq!(answer.code, 4, "{answer}");
            answer.says("it leads out of the project, to ");
            project.everything().assert_same(&before, line);
        }
        symlink("docs/AGENTS.md", project.path("AGENTS.md")).unwrap();
        project.write("docs/AGENTS.md", "Use tabs.\n");
        project.setup("--project codex").succeeded();
        assert!(project.file("docs/AGENTS.md").contains("handoff:begin"), "a link within the project is one");
    }

    #[test]
    fn a_file_with_another_name_is_left_alone_and_so_is_the_rest_of_that_agent() {
        let project = machine();
        fs::create_dir_all(project.path("../../home/dotfiles")).unwrap();
        fs::hard_link(project.path("../../home/.claude/CLAUDE.md"), project.path("../../home/dotfiles/rules.md"))
            .unwrap();
        let before = project.everything();
        let said = "~/.claude/CLAUDE.md would not be changed: it is a hard link";
        project.setup("claude-code --dry-run").says(said);
        let answer = project.setup("claude-code");
        answer.failed(1).says("cannot write ~/.claude/CLAUDE.md: it is a hard link").says("symbolic link");
        project.everything().assert_same(&before, "all of it is as it was");
        project.setup("gemini").succeeded();
    }

    #[test]
    fn a_linked_file_is_changed_where_it_lies_and_keeps_its_mode() {
        let project = machine();
        project.write("../../home/dotfiles/claude.json", "{}\n");
        let real = project.path("../../home/dotfiles/claude.json");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
        symlink("dotfiles/claude.json", project.path("../../home/.claude.json")).unwrap();
        symlink("AGENTS.md", project.path("CLAUDE.md")).unwrap();
        project.write("AGENTS.md", "Use tabs.");
        project.setup("claude-code").succeeded();
        assert!(project.path("../../home/.claude.json").symlink_metadata().unwrap().is_symlink());
        assert!(project.file("../../home/dotfiles/claude.json").contains("handoff"));
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
        project.setup("claude-code codex opencode --project").succeeded();
        assert_eq!(project.file("AGENTS.md").matches("handoff:begin").count(), 1, "one file, one block");
        project.setup("--uninstall claude-code codex opencode --project").succeeded();
        assert_eq!(project.file("AGENTS.md"), "Use tabs.");
        project.setup("--uninstall claude-code").succeeded();
        assert_eq!(project.file("../../home/dotfiles/claude.json"), "{}\n");
    }

    #[test]
    fn a_read_only_file_is_left_and_so_is_the_rest_of_that_agent() {
        let project = machine();
        let settings = project.path("../../home/.claude/settings.json");
        fs::set_permissions(&settings, fs::Permissions::from_mode(0o444)).unwrap();
        let before = project.everything();
        let answer = project.setup("claude-code");
        answer
            .failed(1)
            .says("error: Claude Code was left as it was: cannot write ~/.claude/settings.json: it is read-only");
        project.setup("--uninstall claude-code").succeeded();
        project.everything().assert_same(&before, "nothing was half done");
    }

    #[test]
    fn the_record_is_for_its_owner_alone_and_the_path_is_the_one_that_lasts() {
        let project = machine();
        let bin = project.path("../../my bin");
        fs::create_dir_all(&bin).unwrap();
        let bin = bin.canonicalize().unwrap();
        symlink(env!("CARGO_BIN_EXE_handoff"), bin.join("handoff")).unwrap();
        project.call("setup claude-code").env("PATH", &bin).run().succeeded().hides("build directory");
        let record = project.home().join("data/handoff/setup.json");
        assert_eq!(fs::metadata(&record).unwrap().permissions().mode() & 0o777, 0o600);
        let settings = project.file("../../home/.claude/settings.json");
        let command = format!("'{}/handoff' hook turn-end --host claude-code", bin.display());
        assert!(settings.contains(&command), "{settings}");
    }
}
