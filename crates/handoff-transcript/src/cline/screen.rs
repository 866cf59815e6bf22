//! What Cline's extension shows, as events: `ui_messages.json`, a list of things said and asked.

use handoff_model::agent::{Event, FileChange, Fill, Todo, Usage, What};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::time::millis;
use crate::tool::{Call, End, checklist, exit_code, handoff_tool, tail, todo_status};

/// How far the list was read, and what a later entry may complete.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Shown {
    /// The time of the last entry that was taken; it is also what an entry is known by
    last: f64,
    /// Requests whose tokens were not known yet
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unpriced: Vec<f64>,
    /// The command that runs, with the end of its output
    #[serde(skip_serializing_if = "Option::is_none")]
    running: Option<(String, String)>,
    /// The tool of an MCP server that was called
    #[serde(skip_serializing_if = "Option::is_none")]
    called: Option<String>,
    is_under_way: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Entry {
    ts: f64,
    say: Option<String>,
    ask: Option<String>,
    text: Option<String>,
    partial: bool,
    command_completed: bool,
}

impl Shown {
    /// Takes in what is new in the list; how many entries could not be understood.
    pub(crate) fn take(&mut self, list: Vec<Value>, events: &mut Vec<Event>) -> u64 {
        let mut unreadable = 0;
        let count = list.len();
        for (index, value) in list.into_iter().enumerate() {
            let Ok(entry) = serde_json::from_value::<Entry>(value) else {
                unreadable += 1;
                continue;
            };
            let before = events.len();
            if entry.ts <= self.last {
                self.price(&entry, events);
            } else if !(entry.partial && index + 1 == count) {
                self.last = entry.ts;
                self.entry(&entry, events);
            }
            for event in &mut events[before..] {
                event.at = millis(Some(entry.ts));
                event.line = Some(index as u64 + 1);
            }
        }
        unreadable
    }

    fn entry(&mut self, entry: &Entry, events: &mut Vec<Event>) {
        let text = entry.text.as_deref().unwrap_or_default();
        let kind = entry.say.as_deref().or(entry.ask.as_deref()).unwrap_or_default();
        if kind != "command_output" {
            self.stop_running(events);
        }
        let mut add = |what| events.push(Event { at: None, line: None, what });
        match kind {
            "task" | "user_feedback" => {
                self.is_under_way = true;
                add(What::Prompt(text.to_owned()));
            }
            "text" if !text.trim().is_empty() => add(What::Answer(text.to_owned())),
            "completion_result" | "plan_completion_result" | "followup" | "plan_mode_respond" => {
                let answer = spoken(text);
                if kind == "plan_mode_respond" && !answer.is_empty() {
                    add(What::Plan(answer.clone()));
                }
                if !answer.is_empty() {
                    add(What::Answer(answer));
                }
                self.end_turn(events);
            }
            "api_req_started" => self.price_or_wait(entry, events),
            "api_req_failed" | "mistake_limit_reached" => {
                add(What::Failed(text.to_owned()));
                self.stop_turn(events);
            }
            "resume_task" => self.stop_turn(events),
            "error" | "diff_error" => add(What::Failed(text.to_owned())),
            "command" => {
                let (command, output) = text.split_once("\nOutput:\n").unwrap_or((text, ""));
                let id = format!("{}", entry.ts);
                add(What::Command { id: id.clone(), command: command.trim().to_owned() });
                self.running = Some((id, tail(output).to_owned()));
                if entry.command_completed && !output.is_empty() {
                    self.stop_running(events);
                }
            }
            "command_output" => {
                if let Some((_, output)) = &mut self.running {
                    output.push_str(text);
                    output.push('\n');
                    *output = tail(output).to_owned();
                }
            }
            "tool" => tool(text).into_iter().for_each(add),
            "use_mcp_server" => self.called = field(text, "toolName"),
            "mcp_server_response" => {
                if let Some(name) = self.called.take() {
                    let call = handoff_tool(&name).map_or(Call::Other, Call::Handoff);
                    let is_failure = text.trim_start().starts_with("Error");
                    let end = End { exit: None, is_failure, output: text };
                    let id = format!("{}", entry.ts);
                    call.begun(&id, &name).into_iter().for_each(&mut add);
                    add(end.outcome(id));
                }
            }
            "task_progress" => add(What::Todos(checklist(text))),
            "compaction" if field(text, "status").is_none_or(|status| status == "completed") => add(What::Compacted),
            "condense_context" => add(What::Compacted),
            _ => {}
        }
    }

    /// A command is over once something else is said.
    fn stop_running(&mut self, events: &mut Vec<Event>) {
        let Some((id, output)) = self.running.take() else { return };
        let exit = exit_code(&output);
        let is_failure = exit.is_some_and(|exit| exit != 0);
        events.push(Event { at: None, line: None, what: What::Outcome { id, exit, is_failure, output } });
    }

    fn end_turn(&mut self, events: &mut Vec<Event>) {
        if std::mem::take(&mut self.is_under_way) {
            events.push(Event { at: None, line: None, what: What::TurnEnded { seconds: None } });
        }
    }

    /// The turn was broken off.
    fn stop_turn(&mut self, events: &mut Vec<Event>) {
        if self.is_under_way {
            events.push(Event { at: None, line: None, what: What::TurnStopped { seconds: None } });
        }
    }

    fn price_or_wait(&mut self, entry: &Entry, events: &mut Vec<Event>) {
        self.unpriced.push(entry.ts);
        let excess = self.unpriced.len().saturating_sub(16);
        self.unpriced.drain(..excess);
        self.price(entry, events);
    }

    /// Takes the tokens of a request once they are written into its entry.
    fn price(&mut self, entry: &Entry, events: &mut Vec<Event>) {
        let Some(at) = self.unpriced.iter().position(|ts| (ts - entry.ts).abs() < f64::EPSILON) else { return };
        let told: Value = entry.text.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        let count = |name: &str| told.get(name).and_then(Value::as_u64);
        let failed = told.get("streamingFailedMessage").and_then(Value::as_str);
        if count("tokensIn").is_none() && failed.is_none() {
            return;
        }
        self.unpriced.remove(at);
        let mut add = |what| events.push(Event { at: None, line: None, what });
        if let Some(reason) = failed {
            add(What::Failed(reason.to_owned()));
        }
        let cached = count("cacheReads").unwrap_or(0);
        let parts = [count("tokensIn").unwrap_or(0), count("cacheWrites").unwrap_or(0), cached];
        let input = parts.into_iter().fold(0_u64, u64::saturating_add);
        let output = count("tokensOut").unwrap_or(0);
        if input > 0 || output > 0 {
            add(What::Spent(Usage { input, cached, output }));
            add(What::Context(Fill { used: input.saturating_add(output), window: None }));
        }
    }
}

/// What a tool did, from the JSON that describes it on the screen.
fn tool(text: &str) -> Vec<What> {
    let told: Value = serde_json::from_str(text).unwrap_or_default();
    let path = told.get("path").and_then(Value::as_str).map(str::to_owned);
    let changed = |change: FileChange| path.clone().map(|path| What::Changed { path, change }).into_iter().collect();
    match told.get("tool").and_then(Value::as_str).unwrap_or_default() {
        "newFileCreated" => changed(FileChange::Added),
        "editedExistingFile" | "appliedDiff" | "insertContent" | "searchAndReplace" => changed(FileChange::Updated),
        "fileDeleted" => changed(FileChange::Deleted),
        "readFile" => path.map(|path| What::Looked { path }).into_iter().collect(),
        "summarizeTask" => vec![What::Compacted],
        "updateTodoList" => {
            let list = told.get("todos").and_then(Value::as_array).into_iter().flatten();
            let todos = list.filter_map(|todo| {
                let text = todo.get("content")?.as_str()?.to_owned();
                let status = todo_status(todo.get("status").and_then(Value::as_str).unwrap_or_default());
                Some(Todo { id: None, text, status, line: None })
            });
            vec![What::Todos(todos.collect())]
        }
        _ => Vec::new(),
    }
}

/// What was said, which may be inside of JSON.
fn spoken(text: &str) -> String {
    let inner = field(text, "question").or_else(|| field(text, "response"));
    let text = inner.unwrap_or_else(|| text.to_owned());
    text.trim().trim_end_matches("HAS_CHANGES").trim().to_owned()
}

fn field(text: &str, name: &str) -> Option<String> {
    serde_json::from_str::<Value>(text).ok()?.get(name)?.as_str().map(str::to_owned)
}
