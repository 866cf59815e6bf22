//! What agents live through, and the moment in it that is broken.

use std::path::{Path, PathBuf};

use crate::rig::{Finished, Invocation, Sandbox, Seen};

use super::agent::Act::{self, Another, Capture, Dies, Hook, Swells, Writes};
use super::agent::{Agent, CLAUDE, CODEX, CURSOR, Kind};

/// Lines of Claude Code's transcript: to the end of its first turn, of its second, and to where it was cut off.
const FIRST: Act = Writes(99);
const SECOND: Act = Writes(148);
const CUT_OFF: Act = Writes(171);
/// Lines of Codex' transcript to the end of its first turn.
const CODEX_FIRST: Act = Writes(87);

const START: Act = Hook("SessionStart-startup");
const STOP: Act = Hook("Stop");
const COMPACT: Act = Hook("PreCompact-auto");
const COMPACTED: Act = Hook("SessionStart-compact");
const CURSOR_START: Act = Hook("sessionStart");
const CURSOR_PROMPT: Act = Hook("beforeSubmitPrompt");
const CURSOR_EDIT: Act = Hook("afterFileEdit");
const CURSOR_STOP: Act = Hook("stop");
const CURSOR_END: Act = Hook("sessionEnd");

/// A stretch of an agent's work, one call in which is broken.
#[derive(Debug)]
pub(super) struct Plot {
    pub(super) name: &'static str,
    kind: &'static Kind,
    before: &'static [Act],
    broken: Act,
    after: &'static [Act],
}

const fn plot(
    name: &'static str,
    kind: &'static Kind,
    before: &'static [Act],
    broken: Act,
    after: &'static [Act],
) -> Plot {
    Plot { name, kind, before, broken, after }
}

pub(super) const PLOTS: &[Plot] = &[
    plot("session-start beside a killed conversation", &CLAUDE, &[START, FIRST, STOP, CUT_OFF, Dies], Another, &[]),
    plot(
        "session-start beside a killed conversation that has a session",
        &CLAUDE,
        &[START, FIRST, COMPACT, COMPACTED, SECOND, STOP, Dies],
        Another,
        &[],
    ),
    plot(
        "session-start beside one that ended and left no transcript",
        &CURSOR,
        &[CURSOR_START, CURSOR_PROMPT, CURSOR_EDIT, CURSOR_STOP, CURSOR_END],
        Another,
        &[],
    ),
    plot("turn-end", &CLAUDE, &[START, FIRST], STOP, &[Dies]),
    plot("turn-end of a later turn", &CLAUDE, &[START, FIRST, STOP, SECOND], STOP, &[CUT_OFF, STOP, Dies]),
    plot("turn-end with many records", &CLAUDE, &[START, FIRST, STOP, Swells, SECOND], STOP, &[Dies]),
    plot("turn-end of Codex", &CODEX, &[START, CODEX_FIRST], STOP, &[Hook("SessionEnd")]),
    plot(
        "turn-end without a transcript",
        &CURSOR,
        &[CURSOR_START, CURSOR_PROMPT, CURSOR_EDIT],
        CURSOR_STOP,
        &[CURSOR_END],
    ),
    plot(
        "prompt without a transcript",
        &CURSOR,
        &[CURSOR_START, CURSOR_EDIT],
        CURSOR_PROMPT,
        &[CURSOR_STOP, CURSOR_END],
    ),
    plot("edit", &CLAUDE, &[START, FIRST], Hook("PostToolUse-edit"), &[Dies]),
    plot("compact", &CLAUDE, &[START, FIRST], COMPACT, &[Dies]),
    plot(
        "compact with a session",
        &CLAUDE,
        &[START, FIRST, COMPACT, COMPACTED, SECOND],
        COMPACT,
        &[COMPACTED, CUT_OFF, Dies],
    ),
    plot("session-end", &CODEX, &[START, CODEX_FIRST, STOP], Hook("SessionEnd"), &[]),
    plot("capture", &CLAUDE, &[CUT_OFF], Capture, &[]),
];

/// A plot in one project, with how it may end.
pub(super) struct Story {
    pub(super) name: String,
    plot: &'static Plot,
    base: Sandbox,
    binary: PathBuf,
    /// The project in the end, with and without what is broken.
    with: Seen,
    without: Seen,
}

/// Starts in which a handoff must be made of what was left open: a single one has little time.
const STARTS: usize = 8;

impl Story {
    /// Runs it unharmed, and without the call that will be broken.
    pub(super) fn prove(
        binary: &Path,
        plot: &'static Plot,
        layout: &str,
        base: &Sandbox,
        place: &Path,
    ) -> Result<Self, String> {
        let name = format!("{} ({layout})", plot.name);
        let explain = |error: String| format!("{name}: {error}");
        let mut story = Self {
            name: name.clone(),
            plot,
            base: base.clone(),
            binary: binary.to_owned(),
            with: Seen::Nothing,
            without: Seen::Nothing,
        };
        let sandbox = story.fresh(&place.join("with")).map_err(explain)?;
        let mut agent = Agent::new(plot.kind, &sandbox)?;
        let call = story.come_to(&mut agent).map_err(explain)?;
        let done = sandbox.invoke(binary, &call).map_err(|error| error.to_string())?;
        story.is_polite(&done).map_err(explain)?;
        story.with = story.last(&sandbox, &mut agent).map_err(explain)?;
        let sandbox = story.fresh(&place.join("without")).map_err(explain)?;
        let mut agent = Agent::new(plot.kind, &sandbox)?;
        story.come_to(&mut agent).map_err(explain)?;
        story.without = story.last(&sandbox, &mut agent).map_err(explain)?;
        Ok(story)
    }

    /// The project as agents find it. Its tree is copied, but what agents did is done anew: their notes name places.
    pub(super) fn fresh(&self, place: &Path) -> Result<Sandbox, String> {
        let sandbox = self.base.copy_to(place).map_err(|error| format!("cannot copy the project: {error}"))?;
        for file in ["token.txt", "clock.txt"] {
            std::fs::write(sandbox.project().join("src").join(file), "fresh\n").map_err(|error| error.to_string())?;
        }
        // A project that was moved is registered anew by the first change.
        let settled = sandbox.run(&self.binary, &["task", "create", "Settled"]).map_err(|error| error.to_string())?;
        if settled.succeeded() { Ok(sandbox) } else { Err(format!("`task create` fails with {}", settled.brief())) }
    }

    pub(super) fn agent<'a>(&self, sandbox: &'a Sandbox) -> Result<Agent<'a>, String> {
        Agent::new(self.plot.kind, sandbox)
    }

    /// Everything before the call that is broken; gives that call.
    pub(super) fn come_to(&self, agent: &mut Agent<'_>) -> Result<Invocation, String> {
        self.play(agent, self.plot.before)?;
        agent.act(self.plot.broken)?.ok_or_else(|| "what is broken is no call".to_owned())
    }

    /// Everything after it, and starts of other conversations until what was left open is a handoff.
    pub(super) fn end(&self, sandbox: &Sandbox, agent: &mut Agent<'_>) -> Result<(), String> {
        self.play(agent, self.plot.after)?;
        let mut seen = Seen::Nothing;
        for _ in 0..STARTS {
            self.play(agent, &[Another])?;
            seen = Seen::look(sandbox, &self.binary)?;
            if seen == self.with || seen == self.without {
                return Ok(());
            }
        }
        Err(format!(
            "neither with nor without it; against with: {}; against without: {}",
            seen.difference(&self.with),
            seen.difference(&self.without)
        ))
    }

    fn last(&self, sandbox: &Sandbox, agent: &mut Agent<'_>) -> Result<Seen, String> {
        self.play(agent, self.plot.after)?;
        for _ in 0..STARTS {
            self.play(agent, &[Another])?;
        }
        Seen::look(sandbox, &self.binary)
    }

    fn play(&self, agent: &mut Agent<'_>, acts: &[Act]) -> Result<(), String> {
        for act in acts {
            if let Some(call) = agent.act(*act)? {
                let done = agent.sandbox().invoke(&self.binary, &call).map_err(|error| error.to_string())?;
                polite(&done).map_err(|why| format!("{act:?}: {why}"))?;
            }
        }
        Ok(())
    }

    /// Whether an agent made the broken call.
    pub(super) fn is_hook(&self) -> bool {
        !matches!(self.plot.broken, Capture)
    }

    /// An error when the broken call ended as it may not.
    pub(super) fn is_polite(&self, done: &Finished) -> Result<(), String> {
        match done.died() {
            _ if self.is_hook() => polite(done),
            Some(death) => Err(format!("the process {death}: {}", done.brief())),
            None => Ok(()),
        }
    }
}

/// Exit code 0, not a word on standard error, and nothing but a whole answer on standard output.
fn polite(done: &Finished) -> Result<(), String> {
    match (done.died(), done.code) {
        (Some(death), _) => Err(format!("the hook {death}: {}", done.brief())),
        (None, Some(0)) if done.stderr.is_empty() => whole_answer(&done.stdout),
        _ => Err(format!("the hook ends with {}", done.brief())),
    }
}

/// Nothing, or an object with the one field that the host reads.
pub(super) fn whole_answer(stdout: &str) -> Result<(), String> {
    if stdout.is_empty() {
        return Ok(());
    }
    let said: serde_json::Value =
        serde_json::from_str(stdout).map_err(|error| format!("half an answer ({error}): {stdout}"))?;
    let context = |field: &serde_json::Value| field.as_str().is_some_and(|text| !text.is_empty());
    let fields = said.as_object().map_or(0, serde_json::Map::len);
    let is_known = context(&said["hookSpecificOutput"]["additionalContext"]) || context(&said["additional_context"]);
    if fields == 1 && is_known { Ok(()) } else { Err(format!("an answer that no host reads: {stdout}")) }
}
