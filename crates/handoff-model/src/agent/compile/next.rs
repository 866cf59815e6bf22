//! Open items: a request that was broken off, the agent's words, open entries of its list, checks that fail, an open
//! plan.

use super::super::digest::MAX_TODOS;
use super::super::{Digest, Said, Todo, TodoStatus};
use super::commands::Runs;
use super::spoken::{self, SaidDone, SpokenEnd, SpokenTurn};
use super::{Compiled, CompiledItem, words};
use crate::relevant::says_same;
use crate::session::ItemKind;
use crate::when::Moment;

/// The most next steps of each sort. The last one of a longer list says how many more there are.
const MOST_TODOS: usize = 40;
const MOST_BROKEN: usize = 3;
const MOST_OF_PLAN: usize = 40;

/// How long a next step is at most, in bytes.
const LONGEST: usize = 300;

impl Compiled {
    pub(super) fn take_items(&mut self, digest: &Digest, turns: &[SpokenTurn], runs: &[Runs]) {
        let at = digest.ended_at;
        if let Some((text, line)) = unfinished(digest) {
            self.add_next(format!("Finish: {text}"), at, line);
        }
        let mut spoken = spoken::open(turns, &self.passed);
        // Of what was said in earlier turns, the agent's list tells how it stands.
        let last = turns.last().and_then(|turn| turn.at);
        spoken.retain(|(item, line)| {
            let settles = |todo: &&Todo| match todo.status {
                TodoStatus::Pending | TodoStatus::InProgress => true,
                TodoStatus::Completed | TodoStatus::Cancelled => todo.line > *line,
            };
            item.at == last || !digest.todos.iter().filter(settles).any(|todo| says_same(&todo.text, &item.text))
        });
        for (item, line) in &spoken {
            self.add(item.clone(), *line);
        }
        let completed = digest.todos.iter().filter(|todo| todo.status == TodoStatus::Completed);
        let completed = completed.map(|todo| SaidDone::Entry(words::one_line(&todo.text, LONGEST)));
        self.ends = spoken::ends(turns).chain(completed.map(|done| SpokenEnd { at, done })).collect();
        let of = |status: TodoStatus| digest.todos.iter().filter(move |todo| todo.status == status);
        let open = of(TodoStatus::InProgress).chain(of(TodoStatus::Pending));
        // That a handoff is to be left is done with this one.
        let open = open.filter(|todo| !words::is_about_session(&todo.text));
        let open = open.map(|todo| (words::one_line(&todo.text, LONGEST), todo.line));
        let is_told = |text: &str| spoken.iter().any(|(told, _)| says_same(&told.text, text));
        let open: Vec<(String, Option<u64>)> = open.filter(|(text, _)| !is_told(text)).collect();
        let kept = if open.len() > MOST_TODOS { MOST_TODOS - 1 } else { open.len() };
        for (text, line) in &open[..kept] {
            self.add_next(text.clone(), at, *line);
        }
        if let Some((_, line)) = open.get(kept) {
            // A digest keeps no more than its bound.
            let least = if digest.todos.len() < MAX_TODOS { "" } else { "at least " };
            self.add_next(format!("and {least}{} more in the agent's list", open.len() - kept), at, *line);
        }
        for runs in runs.iter().rev().filter(|runs| runs.is_broken()).take(MOST_BROKEN) {
            let step = format!("Fix {}{}{}", runs.shown(120), runs.exit(), runs.complaint(160));
            let check = Some(runs.check.record());
            self.add(CompiledItem { kind: ItemKind::Next, text: step, check, at }, runs.line);
        }
        if digest.todos.is_empty()
            && let Some(plan) = digest.plan.as_ref().filter(|plan| is_open(plan, digest))
        {
            for step in steps(&plan.text).into_iter().take(MOST_OF_PLAN) {
                self.add_next(step, plan.at, plan.line);
            }
        }
    }

    fn add_next(&mut self, text: String, at: Option<Moment>, line: Option<u64>) {
        self.add(CompiledItem { kind: ItemKind::Next, text, check: None, at }, line);
    }

    fn add(&mut self, item: CompiledItem, line: Option<u64>) {
        if !item.text.is_empty() && self.items.iter().all(|known| known.text != item.text) {
            self.took(item.kind.word(), &item.text, line);
            self.items.push(item);
        }
    }
}

/// The request that was not answered to its end, where it was one for work.
fn unfinished(digest: &Digest) -> Option<(String, Option<u64>)> {
    let last = digest.prompts.last().filter(|_| digest.is_unfinished && !digest.is_under_way)?;
    if words::is_about_session(&last.text) {
        return None;
    }
    // "go on" stands for what was asked before.
    let meant = digest.prompts.iter().rev().find(|prompt| !words::is_noise(&prompt.text))?;
    Some((words::one_line(&meant.text, LONGEST - 10), meant.line))
}

/// Whether nothing was changed since the plan was made; afterwards nobody can tell what of it is done.
fn is_open(plan: &Said, digest: &Digest) -> bool {
    digest.files.iter().all(|file| file.changes == 0 || file.line <= plan.line)
}

/// The items of a plan that are not ticked off; its first line where it has no items.
fn steps(plan: &str) -> Vec<String> {
    let items: Vec<&str> = plan.lines().filter_map(item).collect();
    let open = items.iter().filter(|item| !item.starts_with("[x]") && !item.starts_with("[X]"));
    let steps: Vec<String> = open
        .map(|item| words::one_line(item.trim_start_matches("[ ]"), LONGEST))
        .filter(|step| !step.is_empty())
        .collect();
    if items.is_empty() {
        let first = words::first_sentence(plan, LONGEST - 30);
        return if first.is_empty() { Vec::new() } else { vec![format!("Carry out the plan: {first}")] };
    }
    steps
}

/// What an item of a list says; items that lie deeper explain those above.
fn item(line: &str) -> Option<&str> {
    let indent = line.len() - line.trim_start().len();
    let line = line.trim();
    let bullet = ["- ", "* ", "• "].iter().find_map(|mark| line.strip_prefix(mark));
    let numbered = || {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let rest = &line[digits..];
        rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")).filter(|_| (1..=3).contains(&digits))
    };
    bullet.or_else(numbered).map(str::trim).filter(|_| indent < 2)
}
