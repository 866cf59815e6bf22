//! A coding agent, as far as its hooks call the program.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use serde_json::{Value, json};

use crate::{Answer, Call, TestProject};

/// An agent with one conversation. It runs as a process of its own until it is killed.
pub struct Agent<'p> {
    project: &'p TestProject,
    host: &'static str,
    session: String,
    transcript: PathBuf,
    process: Child,
}

impl<'p> Agent<'p> {
    /// A conversation of Claude Code, whose hooks say which process it is.
    pub fn claude(project: &'p TestProject, session: &str) -> Agent<'p> {
        Agent::new(project, "claude-code", session)
    }

    /// A conversation of another host that speaks as Claude Code does.
    pub fn new(project: &'p TestProject, host: &'static str, session: &str) -> Agent<'p> {
        let transcript = project.home().join(match host {
            "codex" => format!(".codex/sessions/2026/11/15/rollout-2026-11-15T08-00-00-{session}.jsonl"),
            "gemini" => format!(".gemini/tmp/my-app/chats/session-{session}.jsonl"),
            _ => format!(".claude/projects/my-app/{session}.jsonl"),
        });
        let process = Command::new("sleep").arg("600").spawn().expect("an agent can be started");
        Agent { project, host, session: session.to_owned(), transcript, process }
    }

    /// A call of one of its hooks.
    pub fn call(&self, event: &str, more: &Value) -> Call<'p> {
        let mut said = json!({
            "session_id": self.session,
            "transcript_path": self.transcript,
            "cwd": self.project.path("."),
        });
        for (field, value) in more.as_object().into_iter().flatten() {
            said[field] = value.clone();
        }
        let call = self.project.call(&format!("hook {event} --host {}", self.host)).stdin(said.to_string());
        call.env("CLAUDE_PID", self.process.id().to_string())
    }

    /// The context that a call gave; empty where it gave none.
    pub fn hears(&self, event: &str, more: &Value) -> String {
        context(&self.call(event, more).run())
    }

    pub fn starts(&self, source: &str) -> String {
        self.hears("session-start", &json!({"hook_event_name": "SessionStart", "source": source}))
    }

    pub fn is_asked(&self, prompt: &str) -> String {
        self.hears("prompt", &json!({"hook_event_name": "UserPromptSubmit", "prompt": prompt}))
    }

    pub fn edits(&self, path: &str) -> String {
        self.hears("edit", &self.edit(path))
    }

    /// What the hook is told about an edit.
    pub fn edit(&self, path: &str) -> Value {
        let input = json!({"file_path": self.project.path(path), "old_string": "a", "new_string": "b"});
        json!({"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": input})
    }

    pub fn stops(&self) {
        assert_eq!(self.hears("turn-end", &json!({"hook_event_name": "Stop"})), "");
    }

    pub fn compacts(&self) {
        assert_eq!(self.hears("compact", &json!({"hook_event_name": "PreCompact", "trigger": "auto"})), "");
    }

    pub fn ends(&self) {
        assert_eq!(self.hears("session-end", &json!({"hook_event_name": "SessionEnd", "reason": "other"})), "");
    }

    /// Ends without another word.
    pub fn is_killed(&mut self) {
        self.process.kill().expect("it runs");
        self.process.wait().expect("it was started here");
    }

    /// Adds lines to the transcript.
    pub fn writes(&self, lines: &[&str]) {
        fs::create_dir_all(self.transcript.parent().expect("it lies in a directory")).expect("a directory can be made");
        let file = OpenOptions::new().append(true).create(true).open(&self.transcript);
        let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
        file.and_then(|mut file| file.write_all(text.as_bytes())).expect("a transcript can be written");
    }

    pub fn transcript(&self) -> &Path {
        &self.transcript
    }
}

impl Drop for Agent<'_> {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The context in an answer of a hook, wherever the host reads it.
pub fn context(answer: &Answer) -> String {
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{answer}");
    if answer.stdout.is_empty() {
        return String::new();
    }
    let said: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {answer}"));
    let fields = [
        &said["hookSpecificOutput"]["additionalContext"],
        &said["additional_context"],
        &said["additionalContext"],
        &said["contextModification"],
        &said["context"],
    ];
    let mut found = fields.into_iter().filter_map(Value::as_str);
    let context = found.next().unwrap_or_else(|| panic!("nothing that a host reads: {answer}"));
    assert_eq!(found.next(), None, "it was said twice: {answer}");
    context.to_owned()
}
