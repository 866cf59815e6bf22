//! Taking in one event.

use std::borrow::Cow;

use anstream::adapter::strip_str;

use super::loose::{Open, Outcome, Turn};
use super::{Digest, Failure, Prompt, Ran, Said, Todo, TouchedFile, bounds};
use crate::agent::{About, Event, FileChange, LastWords, TodoStatus, Usage, What};
use crate::when::Moment;

const HANDOFF_CALLS: usize = 64;

impl Digest {
    /// Takes in what happened next.
    pub fn add(&mut self, event: Event) {
        let Event { at, line, what } = event;
        self.started_at = earliest(self.started_at, at);
        self.ended_at = self.ended_at.max(at);
        match what {
            What::About(about) => self.about.take(about),
            What::Prompt(text) => self.ask(Prompt { text: bounds::head(&uncolored(&text), bounds::TEXT), at, line }),
            What::Answer(text) => {
                let text = LastWords::condensed(&uncolored(&text), bounds::TEXT);
                self.take_answer(Said { text, at, line, turn: self.asked });
            }
            What::Plan(text) => {
                let text = bounds::head(&text, bounds::TEXT);
                self.plan = Some(Said { text, at, line, turn: 0 });
            }
            What::Changed { path, change } => self.touch(&path, Some(change), line),
            What::Looked { path } => self.touch(&path, None, line),
            What::Command { id, command } => {
                let command = bounds::head(command.trim(), bounds::COMMAND);
                self.commands.push(Ran { id: Some(id), command, at, line, ..Ran::default() });
                bounds::commands(&mut self.commands);
            }
            What::Call { id, name, touches } => self.loose.begin(Open { id, name, touches }),
            What::Handoff { id: _, tool } => self.call_handoff(&tool, at),
            What::Outcome { id, exit, is_failure, output } => {
                let output = if is_failure { uncolored(&output).trim().to_owned() } else { String::new() };
                self.settle(Outcome { id, exit, is_failure, output, at, line });
            }
            What::Todos(todos) => {
                self.todos = todos.into_iter().map(|todo| Todo { line: todo.line.or(line), ..todo }).collect();
                self.loose.is_whole_list = true;
                self.loose.unsaid.clear();
                bounds::todos(&mut self.todos);
            }
            What::Todo { id, text, status } => self.change_todo(id, text, status, line),
            What::Spent(usage) => self.tokens.sum.take(usage),
            What::SpentInAll(usage) => self.tokens.in_all = Some(usage),
            What::Context(fill) => self.fill = Some(fill),
            What::Failed(what) => self.fail(&uncolored(&what), at, line),
            What::Compacted => self.compactions += 1,
            What::Withdrawn { prompts } => self.withdraw(prompts),
            What::TurnEnded { seconds } => self.end_turn(Turn::Ended, seconds),
            What::TurnStopped { seconds } => self.end_turn(Turn::Stopped, seconds),
        }
    }

    fn ask(&mut self, prompt: Prompt) {
        self.prompts.push(prompt);
        self.asked = self.asked.saturating_add(1);
        bounds::prompts(&mut self.prompts);
        self.stand(Some(Turn::Open));
    }

    pub(super) fn withdraw(&mut self, prompts: u32) {
        bounds::withdraw(&mut self.prompts, self.asked, prompts);
        self.withdraw_answers(prompts);
        self.loose.withdrawn = self.loose.withdrawn.saturating_add(prompts.saturating_sub(self.asked));
        self.asked = self.asked.saturating_sub(prompts);
        self.stand(Some(Turn::Ended));
    }

    fn end_turn(&mut self, as_it_ended: Turn, seconds: Option<u64>) {
        self.seconds = self.seconds.saturating_add(seconds.unwrap_or(0));
        match self.loose.turn {
            Some(Turn::Open) => self.turns += 1,
            None => {
                self.turns += 1;
                self.loose.ends_earlier_turn = true;
            }
            Some(Turn::Ended | Turn::Stopped) => {}
        }
        self.stand(Some(as_it_ended));
    }

    pub(super) fn stand(&mut self, turn: Option<Turn>) {
        self.loose.turn = turn;
        self.is_unfinished = matches!(turn, Some(Turn::Open | Turn::Stopped));
    }

    fn touch(&mut self, path: &str, change: Option<FileChange>, line: Option<u64>) {
        if path.is_empty() || path.len() > bounds::PATH {
            return;
        }
        self.take_file(TouchedFile {
            path: path.to_owned(),
            changes: u32::from(change.is_some()),
            looks: u32::from(change.is_none()),
            change,
            line,
        });
        bounds::files(&mut self.files, &mut self.crowded_out);
    }

    /// Takes in what was done to a file; that was later, unless the lines say otherwise.
    pub(super) fn take_file(&mut self, mut file: TouchedFile) {
        let known = self.files.iter().rposition(|known| known.path == file.path);
        if let Some(known) = known.map(|place| self.files.remove(place)) {
            file.changes += known.changes;
            file.looks += known.looks;
            let was_before = file.line < known.line && file.line.is_some();
            let (earlier, later) = if was_before { (file.change, known.change) } else { (known.change, file.change) };
            file.change = later.or(earlier);
            file.line = file.line.max(known.line);
        }
        if file.changes > 0 {
            self.crowded_out.remove(&file.path);
        }
        self.files.push(file);
    }

    /// Gives a call its outcome, or keeps that for when the call is known.
    pub(super) fn settle(&mut self, outcome: Outcome) {
        let waits = |ran: &&mut Ran| ran.id.as_deref() == Some(outcome.id.as_str());
        if let Some(ran) = self.commands.iter_mut().rfind(waits) {
            ran.id = None;
            ran.exit = outcome.exit;
            ran.is_failure = outcome.is_failure;
            let has_tail = outcome.is_failure && !outcome.output.is_empty();
            ran.tail = has_tail.then(|| bounds::tail(&outcome.output, bounds::TAIL));
            bounds::commands(&mut self.commands);
            return;
        }
        let Some(call) = self.loose.end(&outcome.id) else { return self.loose.keep(outcome) };
        if outcome.is_failure {
            if let Some(name) = call.name {
                self.fail(&format!("{name}: {}", outcome.output), outcome.at, outcome.line);
            }
            return;
        }
        if let Some(tool) = call.name.filter(|name| name.starts_with("handoff_")) {
            self.call_handoff(&tool, outcome.at);
        }
        for touch in call.touches {
            self.touch(&touch.path, touch.change, outcome.line);
        }
    }

    pub(super) fn call_handoff(&mut self, tool: &str, at: Option<Moment>) {
        if let Some((_, latest)) = self.handoff_calls.iter_mut().find(|(name, _)| *name == tool) {
            *latest = (*latest).max(at);
        } else if self.handoff_calls.len() < HANDOFF_CALLS {
            self.handoff_calls.push((bounds::head(tool, bounds::NAME), at));
        }
    }

    fn fail(&mut self, what: &str, at: Option<Moment>, line: Option<u64>) {
        self.failures.push(Failure { what: bounds::head(what.trim(), bounds::FAILURE), at, line });
        bounds::failures(&mut self.failures);
    }

    pub(super) fn change_todo(
        &mut self,
        id: String,
        text: Option<String>,
        status: Option<TodoStatus>,
        line: Option<u64>,
    ) {
        if status.is_some() {
            self.loose.unsaid.retain(|unsaid| *unsaid != id);
        }
        if let Some(todo) = self.todos.iter_mut().find(|todo| todo.id.as_deref() == Some(id.as_str())) {
            todo.text = text.unwrap_or_else(|| std::mem::take(&mut todo.text));
            todo.status = status.unwrap_or(todo.status);
            todo.line = line.or(todo.line);
        } else {
            if status.is_none() {
                self.loose.unsaid.push(id.clone());
            }
            let status = status.unwrap_or(TodoStatus::Pending);
            self.todos.push(Todo { id: Some(id), text: text.unwrap_or_default(), status, line });
        }
        bounds::todos(&mut self.todos);
        self.loose.unsaid.retain(|unsaid| self.todos.iter().any(|todo| todo.id.as_ref() == Some(unsaid)));
    }
}

impl About {
    /// Takes in what was said later.
    pub(super) fn take(&mut self, later: About) {
        let About { session, parent, is_subagent, cwd, branch, model, version, title } = later;
        let fields = [
            (&mut self.session, session),
            (&mut self.parent, parent),
            (&mut self.cwd, cwd),
            (&mut self.branch, branch),
            (&mut self.model, model),
            (&mut self.version, version),
            (&mut self.title, title),
        ];
        for (known, said) in fields {
            if let Some(said) = said {
                *known = Some(bounds::head(&said, bounds::PATH));
            }
        }
        self.is_subagent |= is_subagent;
    }
}

impl Usage {
    pub(super) fn take(&mut self, more: Usage) {
        let Usage { input, cached, output } = more;
        self.input = self.input.saturating_add(input);
        self.cached = self.cached.saturating_add(cached);
        self.output = self.output.saturating_add(output);
    }
}

/// A text without the escape sequences by which programs color what they print.
fn uncolored(text: &str) -> Cow<'_, str> {
    if text.contains('\x1b') { Cow::Owned(strip_str(text).to_string()) } else { Cow::Borrowed(text) }
}

pub(super) fn earliest(one: Option<Moment>, other: Option<Moment>) -> Option<Moment> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
