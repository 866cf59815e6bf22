//! What hooks cost: each moment of a conversation, and reading transcripts.

mod repository;
mod transcripts;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::rig::recorded::{hook, transcript, words};
use crate::rig::{Invocation, Sandbox, copy_tree, take_back_local};

use super::floor::Floor;
use super::measure::{Cost, time, time_as_called};
use super::project::{Sample, Shape, make};
use super::report::{Hooked, Hooks};
pub(crate) use transcripts::Large;

/// Handoffs that lie there, which is what `history_limit` keeps.
const HANDOFFS: usize = 20;
/// Conversations after which the project is put back to how it was, since each of them leaves a handoff.
const CONVERSATIONS: usize = 10;

/// An agent whose words were recorded.
struct Agent {
    host: &'static str,
    /// Its own id of the recorded conversation
    session: &'static str,
    /// The recorded transcript, and how many lines its first turn has
    transcript: (&'static str, usize),
    /// What it says at each moment, in this order
    says: &'static [&'static str],
}

const AGENTS: &[Agent] = &[
    Agent {
        host: "claude-code",
        session: "e01eb16d-743e-4733-ab5c-2d3ced54786e",
        transcript: ("claude-code/projects/-home-dev-my-app/e01eb16d-743e-4733-ab5c-2d3ced54786e.jsonl", 99),
        says: &[
            "SessionStart-startup",
            "UserPromptSubmit",
            "PostToolUse-edit",
            "Stop",
            "PreCompact-auto",
            "SessionEnd-other",
        ],
    },
    Agent {
        host: "codex",
        session: "01a1e0c9-ef34-74a3-9059-d4a865f3dbcf",
        transcript: ("codex/classic.jsonl", 87),
        says: &[
            "SessionStart-startup",
            "UserPromptSubmit",
            "PostToolUse-apply_patch",
            "Stop",
            "PreCompact-auto",
            "SessionEnd",
        ],
    },
];

/// Every moment of `rounds` conversations of each agent, in projects of these sizes, and large transcripts.
pub(crate) fn measure(
    binary: &Path,
    floor: &Floor,
    place: &Path,
    sizes: &[usize],
    rounds: usize,
    megabytes: usize,
) -> Result<Hooks, String> {
    let mut rows = Vec::new();
    for size in sizes {
        for agent in AGENTS {
            let spot = place.join(format!("hooks-{size}-{}", agent.host));
            let sample = make(binary, &spot, *size, Shape::Nested)?;
            sample.work(binary, HANDOFFS)?;
            repository::make(&sample.sandbox)?;
            let subject = Subject { binary, floor, sample: &sample, agent };
            rows.extend(subject.conversations(*size, rounds)?);
            std::fs::remove_dir_all(&spot).map_err(|error| error.to_string())?;
        }
    }
    let large = transcripts::measure(binary, &place.join("transcripts"), megabytes)?;
    Ok(Hooks { rows, large })
}

struct Subject<'a> {
    binary: &'a Path,
    floor: &'a Floor,
    sample: &'a Sample,
    agent: &'a Agent,
}

impl Subject<'_> {
    fn conversations(&self, size: usize, rounds: usize) -> Result<Vec<Hooked>, String> {
        let sandbox = &self.sample.sandbox;
        let kept = sandbox.root().join("kept");
        copy_tree(&sandbox.store(), &kept).map_err(|error| error.to_string())?;
        let mut empty = Vec::new();
        let mut costs: Vec<Vec<Cost>> = self.agent.says.iter().map(|_| Vec::with_capacity(rounds)).collect();
        let mut events = Vec::new();
        for round in 0..rounds {
            if round.is_multiple_of(CONVERSATIONS) {
                self.put_back(&kept)?;
            }
            let conversation = Conversation::new(self.agent, sandbox, round)?;
            empty.push(time(sandbox.command(&self.floor.empty))?);
            events.clear();
            for (says, costs) in self.agent.says.iter().zip(&mut costs) {
                let (event, call) = conversation.call(says)?;
                if event == "turn-end" {
                    conversation.write()?;
                }
                let mut command = sandbox.command(self.binary);
                call.complete(&mut command).map_err(|error| error.to_string())?;
                costs.push(time_as_called(command)?);
                events.push(event);
            }
        }
        let row = |(event, costs): (&String, &Vec<Cost>)| Hooked::of(self.agent.host, event, size, costs, &empty);
        Ok(events.iter().zip(&costs).map(row).collect())
    }

    /// The project as it was, and as warm: the conversation that runs here is not one of those that are measured.
    fn put_back(&self, kept: &Path) -> Result<(), String> {
        let sandbox = &self.sample.sandbox;
        std::fs::remove_dir_all(sandbox.store()).map_err(|error| error.to_string())?;
        copy_tree(kept, &sandbox.store()).map_err(|error| error.to_string())?;
        take_back_local(&sandbox.project()).map_err(|error| error.to_string())?;
        let conversation = Conversation::new(self.agent, sandbox, usize::MAX)?;
        for says in [self.agent.says[0], self.agent.says[1]] {
            let (_, call) = conversation.call(says)?;
            sandbox.invoke(self.binary, &call).map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

/// One conversation of an agent, with an id and a transcript of its own.
struct Conversation<'a> {
    agent: &'a Agent,
    sandbox: &'a Sandbox,
    session: String,
    transcript: PathBuf,
}

impl<'a> Conversation<'a> {
    fn new(agent: &'a Agent, sandbox: &'a Sandbox, number: usize) -> Result<Self, String> {
        let session = format!("{}-{number}", agent.session);
        // Where the agent itself keeps them: others are not read.
        let below_home = if agent.host == "codex" { ".codex/sessions/2026/11/15" } else { ".claude/projects/my-app" };
        let directory = sandbox.root().join("home").join(below_home);
        std::fs::create_dir_all(&directory).map_err(|error| error.to_string())?;
        let transcript = directory.join(format!("{session}.jsonl"));
        Ok(Self { agent, sandbox, session, transcript })
    }

    fn call(&self, says: &str) -> Result<(String, Invocation), String> {
        let (event, mut said) = words(self.agent.host, says, self.sandbox)?;
        said["session_id"] = Value::from(self.session.as_str());
        said["transcript_path"] = Value::from(self.transcript.to_string_lossy().as_ref());
        let call = hook(self.agent.host, &event, &said);
        Ok((event, call))
    }

    /// A turn goes into the transcript.
    fn write(&self) -> Result<(), String> {
        let (file, lines) = self.agent.transcript;
        let text = transcript(file, self.sandbox)?.replace(self.agent.session, &self.session);
        let turn: String = text.split_inclusive('\n').take(lines).collect();
        std::fs::write(&self.transcript, turn).map_err(|error| error.to_string())
    }
}
