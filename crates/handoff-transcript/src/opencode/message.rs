//! One message of OpenCode with its parts, as events.

use std::collections::HashSet;

use handoff_model::agent::{About, Event, FileChange, Fill, Usage, What};
use handoff_model::when::Moment;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::store::PartRow;
use crate::time::millis;
use crate::tool::{Call, End};

/// What all messages have in common.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Message {
    role: String,
    time: Times,
    error: Option<Failure>,
    finish: Option<String>,
    #[serde(rename = "parentID")]
    parent: Option<String>,
    #[serde(rename = "modelID")]
    model: Option<String>,
    tokens: Value,
    /// Whether it is the summary that a compaction made; on a prompt there is something else here, and large
    #[serde(deserialize_with = "is_true")]
    summary: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Times {
    created: Option<f64>,
    completed: Option<f64>,
    start: Option<f64>,
    end: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Failure {
    name: String,
    data: Value,
}

fn is_true<'de, D: serde::Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    Ok(Box::<RawValue>::deserialize(from)?.get() == "true")
}

/// Tokens as OpenCode counts them: what came from or went to a cache is apart from the rest.
fn usage(tokens: &Value) -> Usage {
    let count = |pointer| tokens.pointer(pointer).and_then(Value::as_u64).unwrap_or(0);
    let cached = count("/cache/read");
    let input = count("/input").saturating_add(cached).saturating_add(count("/cache/write"));
    Usage { input, cached, output: count("/output").saturating_add(count("/reasoning")) }
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Part {
    Text {
        #[serde(default)]
        text: String,
        #[serde(default)]
        synthetic: bool,
        #[serde(default)]
        ignored: bool,
        #[serde(default)]
        time: Times,
    },
    Tool {
        #[serde(default)]
        tool: String,
        #[serde(rename = "callID", default)]
        call: String,
        state: Box<State>,
    },
    File {
        #[serde(default)]
        url: String,
    },
    Patch {
        #[serde(default)]
        files: Vec<String>,
    },
    StepFinish {
        #[serde(default)]
        tokens: Value,
    },
    Compaction {},
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
struct State {
    #[serde(default)]
    status: String,
    #[serde(default)]
    input: Value,
    #[serde(default)]
    output: Value,
    #[serde(default)]
    error: Value,
    #[serde(default)]
    metadata: Value,
    #[serde(default)]
    time: Times,
}

/// What was told of messages that may still change, so that it is not told again.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Parts, and messages whose end was told
    pub(crate) taken: HashSet<String>,
    /// Calls whose command was told and whose outcome was not
    pub(crate) open: HashSet<String>,
}

/// A message about to be told.
pub(crate) struct Telling<'a> {
    pub(crate) id: &'a str,
    pub(crate) row: u64,
    pub(crate) message: &'a Message,
    /// When the prompt it answers was written
    pub(crate) asked_at: Option<f64>,
    /// Whether nothing of it will change any more
    pub(crate) is_settled: bool,
    /// Whether tokens must be counted message by message
    pub(crate) counts_tokens: bool,
}

impl Message {
    pub(crate) fn is_prompt(&self) -> bool {
        self.role == "user"
    }

    pub(crate) fn created(&self) -> Option<f64> {
        self.time.created
    }

    /// The prompt it answers.
    pub(crate) fn parent(&self) -> Option<&str> {
        self.parent.as_deref()
    }

    /// Whether the agent is done with it.
    pub(crate) fn is_over(&self) -> bool {
        self.time.completed.is_some() || self.error.is_some()
    }

    pub(crate) fn ends_the_turn(&self) -> bool {
        let goes_on = matches!(self.finish.as_deref(), Some("tool-calls" | "unknown"));
        !self.is_prompt() && !self.summary && self.is_over() && (self.error.is_some() || !goes_on)
    }
}

impl Telling<'_> {
    /// What is new in the message and its parts; how many parts could not be read.
    pub(crate) fn tell(&self, parts: &[PartRow], told: &mut Told) -> (Vec<Event>, u64) {
        let mut events = Vec::new();
        let mut unreadable = 0;
        let mut changed_by_tools: HashSet<String> = HashSet::new();
        for row in parts {
            let Some(part) = row.data.as_deref().and_then(|data| serde_json::from_str::<Part>(data).ok()) else {
                unreadable += 1;
                continue;
            };
            if let Part::Tool { tool, state, .. } = &part
                && let Call::Change(files) = Call::of(tool, &state.input)
            {
                changed_by_tools.extend(files.into_iter().map(|(path, _)| path));
            }
            if told.taken.contains(&row.id) {
                continue;
            }
            let before = events.len();
            let (is_final, at) = self.part(part, told, &changed_by_tools, &mut events);
            for event in &mut events[before..] {
                event.at = at.or(event.at);
                event.line = Some(row.row);
            }
            if is_final || self.is_settled {
                told.taken.insert(row.id.clone());
            }
        }
        if self.message.is_over() && told.taken.insert(self.id.to_owned()) {
            self.end(&mut events);
        }
        (events, unreadable)
    }

    /// The events of one part, and whether it will stay as it is.
    fn part(
        &self,
        part: Part,
        told: &mut Told,
        by_tools: &HashSet<String>,
        events: &mut Vec<Event>,
    ) -> (bool, Option<Moment>) {
        let mut add = |what| events.push(Event { at: millis(self.message.created()), line: None, what });
        match part {
            Part::Text { text, synthetic, ignored, time } => {
                let is_final = self.message.is_prompt() || time.end.is_some();
                if synthetic || ignored || text.trim().is_empty() || self.message.summary {
                    return (is_final, None);
                }
                if self.message.is_prompt() {
                    add(What::Prompt(unquoted(&text)));
                } else if is_final || self.is_settled {
                    add(What::Answer(text));
                }
                (is_final, millis(time.start))
            }
            Part::Tool { tool, call: id, state } => {
                let mut call = Call::of(&tool, &state.input);
                if let Some(existed) = state.metadata.get("exists").and_then(Value::as_bool) {
                    call.as_change(if existed { &FileChange::Updated } else { &FileChange::Added });
                }
                let is_final = matches!(state.status.as_str(), "completed" | "error");
                if !is_final && !matches!(call, Call::Run(_)) {
                    return (false, None);
                }
                if !told.open.contains(&id) {
                    call.begun(&id, &tool).into_iter().for_each(&mut add);
                }
                if !is_final {
                    told.open.insert(id);
                    return (false, millis(state.time.start));
                }
                told.open.remove(&id);
                let is_failure = state.status == "error";
                let output = if is_failure { &state.error } else { &state.output };
                let exit = state.metadata.get("exit").and_then(Value::as_i64).and_then(|exit| i32::try_from(exit).ok());
                let end = End { exit, is_failure, output: output.as_str().unwrap_or_default() };
                add(end.outcome(id));
                (true, millis(state.time.end.or(state.time.start)))
            }
            Part::File { url } => {
                if let Some(path) = url.strip_prefix("file://") {
                    let path = path.split(['?', '#']).next().unwrap_or(path);
                    add(What::Looked { path: path.to_owned() });
                }
                (true, None)
            }
            Part::Patch { files } => {
                // What a command or another tool changed; handoff's own files are no work of the agent.
                let others = files.into_iter().filter(|path| !by_tools.contains(path) && !is_ours(path));
                others.for_each(|path| add(What::Changed { path, change: FileChange::Updated }));
                (true, None)
            }
            Part::StepFinish { tokens } => {
                let Usage { input, output, .. } = usage(&tokens);
                if input > 0 {
                    add(What::Context(Fill { used: input.saturating_add(output), window: None }));
                }
                (true, None)
            }
            Part::Compaction {} => {
                add(What::Compacted);
                (true, None)
            }
            Part::Other => (true, None),
        }
    }

    fn end(&self, events: &mut Vec<Event>) {
        let message = self.message;
        let at = millis(message.time.completed.or(message.time.created));
        let mut add = |what| events.push(Event { at, line: Some(self.row), what });
        if let Some(model) = &message.model {
            add(What::About(About { model: Some(model.clone()), ..About::default() }));
        }
        if self.counts_tokens && message.tokens.is_object() {
            add(What::Spent(usage(&message.tokens)));
        }
        if let Some(Failure { name, data }) = &message.error
            && name != "MessageAbortedError"
        {
            let reason = data.get("message").and_then(Value::as_str).unwrap_or_default();
            add(What::Failed(format!("{name}: {reason}").trim_end_matches([':', ' ']).to_owned()));
        }
        if message.ends_the_turn() {
            let seconds = seconds(self.asked_at, message.time.completed);
            add(if message.error.is_some() { What::TurnStopped { seconds } } else { What::TurnEnded { seconds } });
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float is cut to what fits, and is not below zero"
)]
fn seconds(from: Option<f64>, to: Option<f64>) -> Option<u64> {
    let took = (to? - from?) / 1000.0;
    (took >= 0.0).then_some(took as u64)
}

fn is_ours(path: &str) -> bool {
    path.split(['/', '\\']).any(|part| part == ".handoff")
}

/// A prompt without the quotes that `opencode run` puts around one with spaces.
fn unquoted(text: &str) -> String {
    let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match inner {
        Some(inner) if inner.contains(' ') && !inner.replace("\\\"", "").contains('"') => inner.replace("\\\"", "\""),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_quotes_that_the_command_line_added_are_taken_off() {
        assert_eq!(unquoted("\"Which file may race?\""), "Which file may race?");
        assert_eq!(unquoted("\"say \\\"hi\\\" twice\""), "say \"hi\" twice");
        assert_eq!(unquoted("\"one\" and \"two\""), "\"one\" and \"two\"");
        assert_eq!(unquoted("plain words"), "plain words");
    }
}
