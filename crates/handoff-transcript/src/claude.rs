//! Claude Code: one file of JSON lines per session, and one for each sub-agent.
//!
//! Most of a file is copies: requests as they were sent, attachments, what tools found. **Invariant:** only `user`,
//! `assistant` and `system` records and titles are taken apart, so nothing counts twice.

mod call;
mod files;
mod prompt;
mod record;

use std::path::Path;

use handoff_model::agent::{About, Fill, Usage, What};
use memchr::memmem;
use serde::{Deserialize, Serialize};

pub(crate) use self::files::{directory_of, find_session, locate, places};
use self::record::{Attachment, Block, Compaction, Message, Origin, Record, Tokens};
use crate::fingerprint::sum;
use crate::lines::{Lines, NoRecord, Tell};
use crate::text::{content_text, part};
use crate::time::whole_seconds;

/// How many answers are remembered to know a further line of one.
const ANSWERS: usize = 4;

/// Models with this in their name have a window of a million tokens.
const LARGE: (&str, u64) = ("[1m]", 1_000_000);

pub(crate) struct Claude;

/// What must be known of earlier lines.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Carried {
    about: About,
    /// How good the title is that was told
    title: u8,
    /// The latest answers and what was counted for them: one answer is several lines, each with its tokens
    answers: Vec<(String, Usage)>,
    /// Files that are being written
    writes: Vec<(String, String)>,
    /// Whether the last line of the agent was an answer that does not say whether the turn ended
    is_answered: bool,
    is_stopped: bool,
    /// Whether the compaction was told that the next summary belongs to
    is_compacted: bool,
    /// What was typed while the agent worked, to know it when it is written a second time
    queued: u64,
}

impl Lines for Claude {
    type Carried = Carried;

    fn begin(path: &Path, _: Option<&[u8]>) -> Carried {
        let is_subagent = files::is_subagent(path);
        Carried { about: About { is_subagent, ..About::default() }, ..Carried::default() }
    }

    fn about(carried: &Carried) -> Option<About> {
        carried.about.session.is_some().then(|| carried.about.clone())
    }

    fn line(line: &[u8], carried: &mut Carried, tell: &mut Tell<'_>) -> Result<(), NoRecord> {
        if is_of_no_use(line) {
            return if line.ends_with(b"}") { Ok(()) } else { Err(NoRecord) };
        }
        let record: Record<'_> = serde_json::from_slice(line).map_err(|_| NoRecord)?;
        if record.kind.is_empty() {
            return Err(NoRecord);
        }
        if record.is_sidechain == Some(true) && !carried.about.is_subagent {
            return Ok(());
        }
        tell.at = record.timestamp.as_str().parse().ok();
        carried.tell_about(&record, tell);
        match record.kind.as_str() {
            "user" => carried.tell_user(&record, tell),
            "assistant" => carried.tell_assistant(&record, tell),
            "system" => carried.tell_system(&record, tell),
            "attachment" => carried.tell_attachment(&record, tell),
            "summary" => carried.tell_title(1, record.summary.some(), tell),
            "ai-title" => carried.tell_title(2, record.ai_title.some(), tell),
            "agent-name" => carried.tell_title(3, record.agent_name.some(), tell),
            "custom-title" => carried.tell_title(4, record.custom_title.some(), tell),
            _ => {}
        }
        Ok(())
    }
}

/// Whether a line is of a kind that is not read, by its first bytes: those lines are the longest.
fn is_of_no_use(line: &[u8]) -> bool {
    const KIND: &[u8] = b"{\"type\":\"";
    const READ: [&str; 7] = ["user", "assistant", "system", "summary", "ai-title", "agent-name", "custom-title"];
    const START: usize = 160;
    if let Some(kind) = line.strip_prefix(KIND) {
        return !READ.iter().any(|read| kind.starts_with(read.as_bytes()));
    }
    let start = &line[..line.len().min(START)];
    // Inside a text the quotes would be escaped.
    memmem::find(start, b"\"attachment\":{\"type\":\"")
        .is_some_and(|at| !line[at..].starts_with(b"\"attachment\":{\"type\":\"queued_command\""))
}

impl Carried {
    /// Tells who and where the session is, as far as that is new.
    fn tell_about(&mut self, record: &Record<'_>, tell: &mut Tell<'_>) {
        let is_subagent = self.about.is_subagent;
        let mut news = About::default();
        let (session, parent) = if is_subagent {
            (record.agent_id.some(), record.session_id.some())
        } else {
            (record.session_id.some(), None)
        };
        let fields = [
            (&mut self.about.session, &mut news.session, session),
            (&mut self.about.parent, &mut news.parent, parent),
            (&mut self.about.cwd, &mut news.cwd, record.cwd.some()),
            (&mut self.about.branch, &mut news.branch, record.git_branch.some()),
            (&mut self.about.version, &mut news.version, record.version.some()),
        ];
        for (known, new, said) in fields {
            if said.is_some() && known.as_deref() != said {
                *known = said.map(str::to_owned);
                new.clone_from(known);
            }
        }
        if news != About::default() {
            tell.say(What::About(About { is_subagent, ..news }));
        }
    }

    fn tell_title(&mut self, rank: u8, title: Option<&str>, tell: &mut Tell<'_>) {
        if let Some(title) = title.filter(|_| rank >= self.title) {
            self.title = rank;
            self.about.title = Some(title.trim().to_owned());
            tell.say(What::About(About { title: self.about.title.clone(), ..About::default() }));
        }
    }

    fn tell_user(&mut self, record: &Record<'_>, tell: &mut Tell<'_>) {
        if record.is_compact_summary == Some(true) {
            if !std::mem::take(&mut self.is_compacted) {
                tell.say(What::Compacted);
            }
            return;
        }
        let message: Message<'_> = part(record.message);
        let text = if message.content.is_some_and(|content| content.get().starts_with('"')) {
            content_text(message.content)
        } else {
            let blocks: Vec<Block<'_>> = part(message.content);
            for block in blocks.iter().filter(|block| block.kind.as_str() == "tool_result") {
                self.is_answered = false;
                call::end(block, record.tool_use_result, self, tell);
            }
            let texts: Vec<&str> = blocks.iter().filter_map(|block| block.text.some()).collect();
            texts.join("\n")
        };
        if record.is_meta == Some(true) || self.about.is_subagent {
            return;
        }
        let origin: Origin<'_> = part(record.origin);
        if prompt::is_interruption(&text) {
            self.is_stopped = true;
            tell.say(What::TurnStopped { seconds: None });
        } else if matches!(origin.kind.as_str(), "" | "human") && record.prompt_source.as_str() != "system" {
            let text = prompt::typed(&text);
            if std::mem::take(&mut self.queued) != sum(text.as_bytes()) {
                self.tell_prompt(text, tell);
            }
        }
    }

    fn tell_attachment(&mut self, record: &Record<'_>, tell: &mut Tell<'_>) {
        let attachment: Attachment<'_> = part(record.attachment);
        let origin: Origin<'_> = part(attachment.origin);
        let is_prompt = matches!(attachment.command_mode.as_str(), "" | "prompt");
        let is_human = matches!(origin.kind.as_str(), "" | "human");
        if attachment.kind.as_str() == "queued_command" && is_prompt && is_human && !self.about.is_subagent {
            let text = prompt::typed(&content_text(attachment.prompt));
            self.queued = sum(text.as_bytes());
            self.tell_prompt(text, tell);
        }
    }

    fn tell_prompt(&mut self, text: String, tell: &mut Tell<'_>) {
        if text.is_empty() {
            return;
        }
        if std::mem::take(&mut self.is_answered) {
            tell.say(What::TurnEnded { seconds: None });
        }
        self.is_stopped = false;
        tell.say(What::Prompt(text));
    }

    fn tell_assistant(&mut self, record: &Record<'_>, tell: &mut Tell<'_>) {
        let message: Message<'_> = part(record.message);
        if record.is_api_error_message == Some(true) {
            self.is_stopped = true;
            tell.say(What::Failed(content_text(message.content)));
            tell.say(What::TurnStopped { seconds: None });
            return;
        }
        if message.model.as_str() == "<synthetic>" {
            return;
        }
        self.tell_usage(&message, tell);
        let blocks: Vec<Block<'_>> = part(message.content);
        let mut is_text = false;
        for block in &blocks {
            match block.kind.as_str() {
                "text" if !block.text.as_str().trim().is_empty() => {
                    is_text = true;
                    tell.say(What::Answer(block.text.as_str().trim().to_owned()));
                }
                "tool_use" => {
                    is_text = false;
                    self.is_answered = false;
                    call::begin(block, self, tell);
                }
                _ => {}
            }
        }
        match message.stop_reason.as_str() {
            "end_turn" | "stop_sequence" => tell.say(What::TurnEnded { seconds: None }),
            "refusal" => tell.say(What::TurnStopped { seconds: None }),
            "" => self.is_answered |= is_text,
            _ => {}
        }
    }

    /// Counts the tokens of an answer once, however many lines it has; a later line may count more of them.
    fn tell_usage(&mut self, message: &Message<'_>, tell: &mut Tell<'_>) {
        if let Some(model) = message.model.some().filter(|model| self.about.model.as_deref() != Some(model)) {
            self.about.model = Some(model.to_owned());
            tell.say(What::About(About { model: Some(model.to_owned()), ..About::default() }));
        }
        if message.usage.is_none() {
            return;
        }
        let tokens: Tokens = part(message.usage);
        let input = tokens.input.saturating_add(tokens.put_in_cache).saturating_add(tokens.from_cache);
        let usage = Usage { input, cached: tokens.from_cache, output: tokens.output };
        let known = self.answers.iter_mut().find(|(id, _)| id == message.id.as_str());
        let counted = known.as_ref().map_or(Usage::default(), |(_, counted)| *counted);
        let more = Usage {
            input: usage.input.saturating_sub(counted.input),
            cached: usage.cached.saturating_sub(counted.cached),
            output: usage.output.saturating_sub(counted.output),
        };
        if more == Usage::default() {
            return;
        }
        match known {
            Some((_, counted)) => *counted = usage,
            None => self.answers.push((message.id.as_str().to_owned(), usage)),
        }
        if self.answers.len() > ANSWERS {
            self.answers.remove(0);
        }
        let model = self.about.model.as_deref().unwrap_or_default();
        let window = model.contains(LARGE.0).then_some(LARGE.1);
        tell.say(What::Spent(more));
        tell.say(What::Context(Fill { used: input.saturating_add(usage.output), window }));
    }

    fn tell_system(&mut self, record: &Record<'_>, tell: &mut Tell<'_>) {
        match record.subtype.as_str() {
            "compact_boundary" => {
                self.is_compacted = true;
                tell.say(What::Compacted);
                let compaction: Compaction = part(record.compact_metadata);
                if let Some(used) = compaction.post_tokens {
                    tell.say(What::Context(Fill { used, window: None }));
                }
            }
            "turn_duration" => self.tell_end(record.duration_ms.map(whole_seconds), tell),
            "stop_hook_summary" if record.prevented_continuation != Some(true) => self.tell_end(None, tell),
            _ => {}
        }
    }

    fn tell_end(&mut self, seconds: Option<u64>, tell: &mut Tell<'_>) {
        self.is_answered = false;
        tell.say(if self.is_stopped { What::TurnStopped { seconds } } else { What::TurnEnded { seconds } });
    }
}
