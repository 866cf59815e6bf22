//! Transcripts of agents: recorded ones, and ones written line by line.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::TestProject;

/// Stands for the project's directory.
const HERE: &str = "[project]";

impl TestProject {
    /// A transcript of a real agent in `fixtures/transcripts`, as if it had worked in this project.
    pub fn recorded_transcript(&self, name: &str) -> String {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/transcripts").join(name);
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("cannot read {}: {error}", file.display()));
        text.replace("/home/dev/my-app", &self.path(".").to_string_lossy())
    }
}

/// A transcript in the making: lines as Claude Code writes them, ten seconds apart, from an hour before the clock on.
#[must_use]
pub struct Transcript {
    session: String,
    lines: Vec<Value>,
    calls: usize,
}

impl Default for Transcript {
    fn default() -> Transcript {
        Transcript::of(Transcript::CONVERSATION)
    }
}

impl Transcript {
    /// The conversation that it tells of unless it says otherwise.
    pub const CONVERSATION: &str = "e01eb16d-743e-4733-ab5c-2d3ced54786e";

    /// One that tells of this conversation.
    pub fn of(session: &str) -> Transcript {
        Transcript { session: session.to_owned(), lines: Vec::new(), calls: 0 }
    }

    /// A person asks for something.
    pub fn prompt(self, text: &str) -> Transcript {
        self.line("user", &json!({"role": "user", "content": text}))
    }

    /// The agent says something, and the turn ends.
    pub fn answer(self, text: &str) -> Transcript {
        let content = json!([{"type": "text", "text": text}]);
        self.assistant(&content, "end_turn")
    }

    /// The agent changes a file of the project.
    pub fn edited(self, path: &str) -> Transcript {
        let input = json!({"file_path": format!("{HERE}/{path}"), "old_string": "a", "new_string": "b"});
        self.call("Edit", &input, false, "The file has been updated.")
    }

    /// The agent runs a command.
    pub fn ran(self, command: &str, exit: i32, output: &str) -> Transcript {
        let output = if exit == 0 { output.to_owned() } else { format!("Exit code {exit}\n{output}") };
        self.call("Bash", &json!({"command": command}), exit != 0, &output)
    }

    fn call(mut self, name: &str, input: &Value, is_error: bool, output: &str) -> Transcript {
        self.calls += 1;
        let id = format!("toolu_{:04}", self.calls);
        let used = self.assistant(&json!([{"type": "tool_use", "id": id, "name": name, "input": input}]), "tool_use");
        let result = json!([{"type": "tool_result", "tool_use_id": id, "is_error": is_error, "content": output}]);
        used.line("user", &json!({"role": "user", "content": result}))
    }

    fn assistant(self, content: &Value, stop: &str) -> Transcript {
        let message = json!({
            "id": format!("msg_{:04}", self.lines.len()), "role": "assistant", "model": "claude-opus-5-5",
            "content": content, "stop_reason": stop,
            "usage": {"input_tokens": 1000, "output_tokens": 10},
        });
        self.line("assistant", &message)
    }

    fn line(mut self, kind: &str, message: &Value) -> Transcript {
        let uuid = format!("00000000-0000-4000-8000-{:012}", self.lines.len());
        self.lines.push(json!({
            "type": kind, "uuid": uuid, "isSidechain": false, "sessionId": self.session, "cwd": HERE,
            "version": "2.1.325", "message": message,
        }));
        self
    }

    /// When its last line was written.
    pub fn last_time(&self) -> String {
        time(self.lines.len() - 1)
    }

    /// The file, with work done in the project.
    pub fn text(&self, project: &TestProject) -> String {
        self.text_in(&project.path(".").to_string_lossy())
    }

    /// The file, with work done in another directory.
    pub fn text_in(&self, directory: &str) -> String {
        // In JSON a backslash is written twice.
        let directory = directory.replace('\\', "\\\\");
        let mut text = String::new();
        for (number, line) in self.lines.iter().enumerate() {
            let mut line = line.clone();
            line["timestamp"] = time(number).into();
            text += &line.to_string().replace(HERE, &directory);
            text.push('\n');
        }
        text
    }
}

/// When a line is written.
fn time(number: usize) -> String {
    format!("2026-11-15T08:{:02}:{:02}Z", number / 6, number % 6 * 10)
}
