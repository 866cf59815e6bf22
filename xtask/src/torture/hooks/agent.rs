//! A coding agent, as far as hooks tell of it: what it says, what it writes down, and its process.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use serde_json::json;

use crate::rig::recorded::{evening, hook, transcript, words};
use crate::rig::{Invocation, Sandbox};

/// An agent whose words and transcript were recorded.
#[derive(Debug)]
pub(super) struct Kind {
    host: &'static str,
    /// Its own id of the conversation
    session: &'static str,
    /// Its transcript, below its home and in `fixtures/transcripts`; without one only hooks tell of it
    transcript: Option<(&'static str, &'static str)>,
}

pub(super) const CLAUDE: Kind = Kind {
    host: "claude-code",
    session: "e01eb16d-743e-4733-ab5c-2d3ced54786e",
    transcript: Some((
        ".claude/projects/-home-dev-my-app/e01eb16d-743e-4733-ab5c-2d3ced54786e.jsonl",
        "claude-code/projects/-home-dev-my-app/e01eb16d-743e-4733-ab5c-2d3ced54786e.jsonl",
    )),
};

pub(super) const CODEX: Kind = Kind {
    host: "codex",
    session: "01a1e0c9-ef34-74a3-9059-d4a865f3dbcf",
    transcript: Some((
        ".codex/sessions/2026/11/15/rollout-2026-11-15T19-58-12-01a1e0c9-ef34-74a3-9059-d4a865f3dbcf.jsonl",
        "codex/classic.jsonl",
    )),
};

pub(super) const CURSOR: Kind =
    Kind { host: "cursor", session: "6c1d2f0a-77a1-4b4e-9a3f-0d9a4f1f7c11", transcript: None };

/// Something that happens.
#[derive(Debug, Clone, Copy)]
pub(super) enum Act {
    /// The agent calls its hook with the words in this file
    Hook(&'static str),
    /// Its transcript grows to so many lines
    Writes(usize),
    /// Its records grow so long that the next one makes one of them all
    Swells,
    /// Its process ends without a word
    Dies,
    /// Another conversation begins
    Another,
    /// A person has the transcript made into a handoff
    Capture,
}

/// An agent at work in a sandbox; its process ends with it.
pub(super) struct Agent<'a> {
    kind: &'static Kind,
    sandbox: &'a Sandbox,
    process: Child,
    others: usize,
}

impl<'a> Agent<'a> {
    pub(super) fn new(kind: &'static Kind, sandbox: &'a Sandbox) -> Result<Self, String> {
        let process = Command::new("sleep").arg("600").spawn();
        let process = process.map_err(|error| format!("no process for an agent: {error}"))?;
        Ok(Self { kind, sandbox, process, others: 0 })
    }

    /// The call of the binary that it comes to, unless it is done by this.
    pub(super) fn act(&mut self, act: Act) -> Result<Option<Invocation>, String> {
        match act {
            Act::Hook(file) => self.hook(file).map(Some),
            Act::Writes(lines) => self.write(lines).map(|()| None),
            Act::Swells => self.swell().map(|()| None),
            Act::Dies => {
                let ended = self.process.kill().and_then(|()| self.process.wait());
                ended.map(|_| None).map_err(|error| format!("the agent does not end: {error}"))
            }
            Act::Another => Ok(Some(self.another())),
            Act::Capture => {
                let from = self.transcript().ok_or("nothing to capture")?;
                let args = ["capture", "--from", &from.to_string_lossy()].map(str::to_owned);
                Ok(Some(Invocation { args: args.to_vec(), input: None, env: evening() }))
            }
        }
    }

    fn hook(&self, file: &str) -> Result<Invocation, String> {
        let (event, mut said) = words(self.kind.host, file, self.sandbox)?;
        // Some words were recorded in another conversation.
        if let Some(path) = self.transcript() {
            said["session_id"] = self.kind.session.into();
            said["transcript_path"] = path.to_string_lossy().into();
        }
        let mut call = hook(self.kind.host, &event, &said);
        call.env.push(("CLAUDE_PID", self.process.id().to_string()));
        Ok(call)
    }

    /// The start of one more conversation, whose agent runs on.
    fn another(&mut self) -> Invocation {
        self.others += 1;
        let said = json!({
            "session_id": format!("another-{}", self.others), "cwd": self.sandbox.project(),
            "hook_event_name": "SessionStart", "source": "startup",
        });
        let mut call = hook(CLAUDE.host, "session-start", &said);
        call.env.push(("CLAUDE_PID", std::process::id().to_string()));
        call
    }

    pub(super) fn sandbox(&self) -> &'a Sandbox {
        self.sandbox
    }

    fn transcript(&self) -> Option<PathBuf> {
        let (below_home, _) = self.kind.transcript?;
        Some(self.sandbox.root().join("home").join(below_home))
    }

    fn write(&self, lines: usize) -> Result<(), String> {
        let (Some(path), Some((_, fixture))) = (self.transcript(), self.kind.transcript) else {
            return Err("an agent without a transcript".to_owned());
        };
        let text = transcript(fixture, self.sandbox)?;
        let text: String = text.split_inclusive('\n').take(lines).collect();
        write(&path, &text)
    }

    fn swell(&self) -> Result<(), String> {
        let name = format!("local/state/agents/{}-{}.jsonl", self.kind.host, self.kind.session);
        let path = self.sandbox.store().join(name);
        let noise = format!("{}\n", "x".repeat(1023)).repeat(512);
        let records = std::fs::read_to_string(&path).map_err(|error| format!("there are no records: {error}"))?;
        write(&path, &(records + &noise))
    }
}

impl Drop for Agent<'_> {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Puts the transcripts that were recorded of agents where those keep them.
pub(crate) fn write_transcripts(sandbox: &Sandbox) -> Result<(), String> {
    for kind in [&CLAUDE, &CODEX] {
        Agent::new(kind, sandbox)?.write(usize::MAX)?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let directory = path.parent().unwrap_or(path);
    std::fs::create_dir_all(directory)
        .and_then(|()| std::fs::write(path, text))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}
