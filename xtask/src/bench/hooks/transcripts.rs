//! Transcripts that grew very large.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::rig::Sandbox;
use crate::rig::recorded::transcript;

use super::super::measure::{peak_memory, time, time_as_called};
use super::super::report::Timed;
use super::{AGENTS, Agent, Conversation};

/// Times that all of it is read.
const READS: usize = 5;
/// Turns that end when it has grown so large.
const TURNS: usize = 200;
/// The most that any of them may take.
const LIMIT: Duration = Duration::from_millis(50);

/// What a large transcript costs.
#[derive(Debug)]
pub(crate) struct Large {
    pub(crate) host: &'static str,
    pub(crate) bytes: u64,
    /// All of it, with the making of a handoff that is not written
    pub(crate) read: Duration,
    pub(crate) memory: u64,
    /// The end of a turn at which nothing of it was read before
    pub(crate) first: Duration,
    /// The end of a later turn, which has a turn to read and goes on with what was left
    pub(crate) turns: Timed,
    /// The end of a turn that wrote nothing, when all was read
    pub(crate) idle: Timed,
}

pub(super) fn measure(binary: &Path, place: &Path, megabytes: usize) -> Result<Vec<Large>, String> {
    AGENTS.iter().map(|agent| of_agent(agent, binary, &place.join(agent.host), megabytes)).collect()
}

fn of_agent(agent: &'static Agent, binary: &Path, place: &Path, megabytes: usize) -> Result<Large, String> {
    let sandbox = Sandbox::create(place).map_err(|error| error.to_string())?;
    let made = sandbox.run(binary, &["init", "bench"]).map_err(|error| error.to_string())?;
    if !made.succeeded() {
        return Err(format!("`init` fails with {}", made.brief()));
    }
    let conversation = Conversation::new(agent, &sandbox, 0)?;
    let path = conversation.transcript.clone();
    let bytes = generate(&conversation, megabytes * 1_000_000)?;
    let capture = || {
        let mut command = sandbox.command(binary);
        command.args(["capture", "--dry-run", "--host", agent.host, "--from"]).arg(&path);
        command
    };
    let mut reads = (0..READS).map(|_| time(capture()).map(|cost| cost.wall)).collect::<Result<Vec<_>, String>>()?;
    reads.sort();
    let memory = peak_memory(capture())?;
    let stop = || -> Result<Duration, String> {
        let (_, call) = conversation.call("Stop")?;
        let mut command = sandbox.command(binary);
        call.complete(&mut command).map_err(|error| error.to_string())?;
        Ok(time_as_called(command)?.wall)
    };
    let first = stop()?;
    let turn = one_turn(&conversation, 0)?;
    let mut turns = Vec::with_capacity(TURNS);
    for _ in 0..TURNS {
        append(&path, &turn)?;
        turns.push(stop()?);
    }
    let idle = (0..TURNS).map(|_| stop()).collect::<Result<Vec<_>, String>>()?;
    std::fs::remove_dir_all(place).map_err(|error| error.to_string())?;
    let idle = Timed::of(agent.host, "", idle);
    let turns = Timed::of(agent.host, "", turns);
    Ok(Large { host: agent.host, bytes, read: reads[READS / 2], memory, first, turns, idle })
}

impl Large {
    /// Millions of bytes that are read in a second.
    pub(crate) fn throughput(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "no transcript has 2^52 bytes")]
        let bytes = self.bytes as f64;
        bytes / 1e6 / self.read.as_secs_f64()
    }

    pub(crate) fn missed(&self) -> Option<String> {
        let most = self.first.max(self.turns.most);
        let what = format!("the end of a turn of {} with a transcript of {} MB", self.host, self.bytes / 1_000_000);
        (most > LIMIT).then(|| format!("{what} takes {most:.1?}, more than {LIMIT:?}"))
    }
}

/// The recorded transcript again and again, with new names for what must have a name of its own.
fn generate(conversation: &Conversation<'_>, bytes: usize) -> Result<u64, String> {
    let mut written = 0;
    for number in 0.. {
        if written >= bytes {
            break;
        }
        let turn = one_turn(conversation, number)?;
        append(&conversation.transcript, &turn)?;
        written += turn.len();
    }
    Ok(written as u64)
}

fn one_turn(conversation: &Conversation<'_>, number: usize) -> Result<String, String> {
    let (file, _) = conversation.agent.transcript;
    let text = transcript(file, conversation.sandbox)?.replace(conversation.agent.session, &conversation.session);
    let mut turn = String::with_capacity(text.len() + 4_096);
    for name in ["toolu_", "msg_", "call_"] {
        if turn.is_empty() {
            turn.push_str(&text);
        }
        let mut own = String::new();
        let _ = write!(own, "{name}{number}_");
        turn = turn.replace(name, &own);
    }
    Ok(turn)
}

fn append(path: &PathBuf, text: &str) -> Result<(), String> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| error.to_string())
}
