//! Codex: one file of JSON lines per thread, packed when it is old.
//!
//! What happened stands in a file up to three times: as items of the conversation, as events, and in snapshots that a
//! compaction leaves behind. **Invariant:** each thing is taken from the first place that tells it; snapshots are not read.

mod call;
mod files;
mod record;
mod script;

use std::path::Path;

use handoff_model::agent::{About, Fill, Usage, What};
use memchr::memmem;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use self::call::Kind;
pub(crate) use self::files::{directory_of, find_session, locate, places};
use self::record::{Done, Git, Happened, Item, Line, Meta, Metadata, Problem, TokenInfo, TurnContext};
use crate::fingerprint::sum;
use crate::lines::{Lines, NoRecord, Tell};
use crate::text::{content_text, part};
use crate::time::whole_seconds;

pub(crate) struct Codex;

/// What must be known of earlier lines.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Carried {
    /// Whether the session said who it is; a copied history says so again
    is_introduced: bool,
    about: About,
    /// Whether prompts, answers and changes are told as what happened, not only as items of the conversation
    tells_items: bool,
    /// Calls that have not ended
    open: Vec<(String, Kind)>,
    /// The prompt told last and whether as an item, to know it when it is told the other way
    echo: Option<(u64, bool)>,
}

impl Lines for Codex {
    type Carried = Carried;

    fn begin(_: &Path, first: Option<&[u8]>) -> Carried {
        let mut carried = Carried::default();
        let line: Line<'_> = first.and_then(|line| serde_json::from_slice(line).ok()).unwrap_or_default();
        if line.kind.as_str() == "session_meta" {
            carried.introduce(line.payload);
        }
        carried
    }

    fn about(carried: &Carried) -> Option<About> {
        carried.about.session.is_some().then(|| carried.about.clone())
    }

    fn line(line: &[u8], carried: &mut Carried, tell: &mut Tell<'_>) -> Result<(), NoRecord> {
        if is_of_no_use(line) {
            return if line.ends_with(b"}") { Ok(()) } else { Err(NoRecord) };
        }
        let record: Line<'_> = serde_json::from_slice(line).map_err(|_| NoRecord)?;
        tell.at = record.timestamp.as_str().parse().ok();
        match record.kind.as_str() {
            "session_meta" => {
                if let Some(about) = carried.introduce(record.payload) {
                    tell.say(What::About(about));
                }
            }
            "turn_context" => carried.tell_context(&part(record.payload), tell),
            "event_msg" => carried.tell_happened(record.payload, tell),
            "response_item" => carried.tell_item(&part(record.payload), tell),
            "compacted" => tell.say(What::Compacted),
            _ if record.payload.is_some() => {}
            "" if record.record_type.is_empty() && record.id.is_empty() => return Err(NoRecord),
            "" => {
                let meta: Meta<'_> = serde_json::from_slice(line).map_err(|_| NoRecord)?;
                if meta.id.some().is_some() {
                    carried.about.session = meta.id.owned();
                    tell.say(What::About(carried.about.clone()));
                }
            }
            _ => carried.tell_item(&serde_json::from_slice(line).map_err(|_| NoRecord)?, tell),
        }
        Ok(())
    }
}

/// Whether a line is of a kind that is not read, by its first bytes: those lines are the longest.
fn is_of_no_use(line: &[u8]) -> bool {
    const START: usize = 160;
    const KINDS: [&str; 3] =
        ["world_state\"", "token_usage_record\"", "response_item\",\"payload\":{\"type\":\"reasoning\""];
    const KIND: &[u8] = b"\"type\":\"";
    let start = &line[..line.len().min(START)];
    let kind = memmem::find(start, KIND).map(|at| &line[at + KIND.len()..]);
    kind.is_some_and(|kind| KINDS.iter().any(|known| kind.starts_with(known.as_bytes())))
}

impl Carried {
    /// Takes in who the session is, the first time that is told.
    fn introduce(&mut self, payload: Option<&RawValue>) -> Option<About> {
        let meta: Meta<'_> = part(payload);
        if self.is_introduced {
            return None;
        }
        self.is_introduced = true;
        self.tells_items = !meta.history_mode.is_empty();
        let is_started_by_agent = meta.source.is_some_and(|source| source.get().contains("\"subagent\""));
        let cwd = call::local_path(meta.cwd.as_str());
        let git: Git<'_> = part(meta.git);
        self.about = About {
            session: meta.id.owned(),
            parent: meta.parent_thread_id.owned().or(meta.forked_from_id.owned()),
            is_subagent: meta.thread_source.as_str() == "subagent" || is_started_by_agent,
            cwd: Some(cwd).filter(|cwd| !cwd.is_empty()),
            branch: git.branch.owned(),
            version: meta.cli_version.owned(),
            ..About::default()
        };
        Some(self.about.clone())
    }

    fn tell_context(&mut self, context: &TurnContext<'_>, tell: &mut Tell<'_>) {
        let mut news = About::default();
        let cwd = call::local_path(context.cwd.as_str());
        let fields = [
            (&mut self.about.cwd, &mut news.cwd, Some(cwd.as_str()).filter(|cwd| !cwd.is_empty())),
            (&mut self.about.model, &mut news.model, context.model.some()),
        ];
        for (known, new, said) in fields {
            if said.is_some() && known.as_deref() != said {
                *known = said.map(str::to_owned);
                new.clone_from(known);
            }
        }
        if news != About::default() {
            tell.say(What::About(news));
        }
    }

    fn tell_happened(&mut self, payload: Option<&RawValue>, tell: &mut Tell<'_>) {
        let happened: Happened<'_> = part(payload);
        let seconds = happened.duration_ms.map(whole_seconds);
        match happened.kind.as_str() {
            "item_completed" => self.tell_done(&part(happened.item), tell),
            "user_message" => self.tell_prompt(happened.message.as_str(), false, tell),
            "agent_message" => tell_answer(happened.message.as_str(), tell),
            "exec_command_end" => call::ran(&part(payload), self, tell),
            "patch_apply_end" => call::changed(&part(payload), self, tell),
            "mcp_tool_call_end" => call::asked_server(&part(payload), self, tell),
            "plan_update" => tell.say(What::Todos(script::steps(part(happened.plan)))),
            "token_count" if happened.info.is_some() => tell_tokens(&part(happened.info), tell),
            "thread_rolled_back" => tell.say(What::Withdrawn { prompts: happened.num_turns.unwrap_or(0) }),
            "thread_name_updated" => {
                self.about.title = happened.thread_name.owned();
                tell.say(What::About(About { title: self.about.title.clone(), ..About::default() }));
            }
            "error" => tell.say(What::Failed(happened.message.as_str().to_owned())),
            "turn_aborted" => tell.say(What::TurnStopped { seconds }),
            "task_complete" | "turn_complete" => {
                let problem: Problem<'_> = part(happened.error);
                tell_answer(happened.last_agent_message.as_str(), tell);
                match problem.message.owned() {
                    Some(message) => {
                        tell.say(What::Failed(message));
                        tell.say(What::TurnStopped { seconds });
                    }
                    None => tell.say(What::TurnEnded { seconds }),
                }
            }
            _ => {}
        }
    }

    fn tell_done(&mut self, done: &Done<'_>, tell: &mut Tell<'_>) {
        match done.kind.as_str() {
            "UserMessage" | "user_message" => self.tell_prompt(&content_text(done.content), false, tell),
            "AgentMessage" | "agent_message" => tell_answer(&content_text(done.content), tell),
            "CommandExecution" | "command_execution" => call::ran(done, self, tell),
            "FileChange" | "file_change" => call::changed(done, self, tell),
            "McpToolCall" | "mcp_tool_call" => call::asked_server(done, self, tell),
            "Plan" | "plan" if !done.text.is_empty() => tell.say(What::Plan(done.text.as_str().to_owned())),
            _ => {}
        }
    }

    fn tell_item(&mut self, item: &Item<'_>, tell: &mut Tell<'_>) {
        match item.kind.as_str() {
            "function_call" | "custom_tool_call" | "local_shell_call" => call::begin(item, self, tell),
            "function_call_output" | "custom_tool_call_output" => call::end(item, self, tell),
            "message" if !self.tells_items => {
                let text = content_text(item.content);
                match item.role.as_str() {
                    "assistant" => tell_answer(&text, tell),
                    "user" if is_typed(&text, &part(item.metadata)) => self.tell_prompt(&text, true, tell),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Tells a prompt once, whether it is told as an item, as what happened, or as both.
    fn tell_prompt(&mut self, text: &str, is_item: bool, tell: &mut Tell<'_>) {
        let text = text.trim();
        let told = sum(text.as_bytes());
        if self.echo.take_if(|(echo, was_item)| *echo == told && *was_item != is_item).is_some() {
            return;
        }
        self.echo = Some((told, is_item));
        if !text.is_empty() && !self.about.is_subagent {
            tell.say(What::Prompt(text.to_owned()));
        }
    }
}

/// Whether a message in the name of the person was typed by one; instructions and surroundings come in that name too.
fn is_typed(text: &str, metadata: &Metadata<'_>) -> bool {
    const SCAFFOLDING: [&str; 4] = ["# AGENTS.md instructions", "Another language model", "You are Codex", "<"];
    if !metadata.content_item_kinds.is_empty() {
        return metadata.content_item_kinds.iter().any(|kind| kind.as_str() == "user.text");
    }
    !SCAFFOLDING.iter().any(|start| text.trim_start().starts_with(start))
}

fn tell_answer(text: &str, tell: &mut Tell<'_>) {
    if !text.trim().is_empty() {
        tell.say(What::Answer(text.trim().to_owned()));
    }
}

fn tell_tokens(info: &TokenInfo, tell: &mut Tell<'_>) {
    let all = &info.total_token_usage;
    tell.say(What::SpentInAll(Usage { input: all.input, cached: all.cached, output: all.output }));
    let used = info.last_token_usage.total;
    if used > 0 {
        tell.say(What::Context(Fill { used, window: info.model_context_window }));
    }
}
