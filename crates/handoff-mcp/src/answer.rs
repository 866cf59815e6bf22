//! What an operation answered, as a tool's result.
//!
//! **Invariant:** hosts show a model the text or the structured content, never surely both; so whichever there is says
//! it all. Errors are told in the text alone.

use std::borrow::Cow;

use handoff_ops::leaving::{Allowed, for_model, json_for_model};
use handoff_ops::{Breaks, Door, OpError, Reply, visible, visible_json};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

use crate::shrink;

/// What every host takes whole.
pub(crate) const BUDGET: usize = 9_500;
/// More of one line of an error than anyone reads; it may echo a whole document.
const LONGEST: usize = 2_000;

/// How a reader wants what it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Markdown,
    Json,
}

/// The answer of an operation that only reads, in at most `budget` bytes.
pub(crate) fn reading(reply: &Reply, format: Format, budget: Option<usize>) -> CallToolResult {
    match format {
        Format::Markdown => text(markdown(reply, budget)),
        Format::Json => {
            let mut value = match budget {
                Some(budget) => shrink::to_fit(reply.json(), budget),
                None => reply.json(),
            };
            json_for_model(&mut value, &reply.allowed);
            let mut result = text(json_text(&value));
            result.structured_content = Some(value);
            result
        }
    }
}

/// The page, and below it what the reader should know beside it.
pub(crate) fn markdown(reply: &Reply, budget: Option<usize>) -> String {
    let warnings = warning_lines(&reply.warnings);
    let room = budget.map(|budget| budget.saturating_sub(warnings.len()).max(budget / 2));
    let mut whole = reply.page().to_markdown(room);
    // What stands in place of a secret may be longer than it was.
    if let Cow::Owned(cleaned) = for_model(&whole, &reply.allowed) {
        cut(&cleaned, budget.unwrap_or(usize::MAX)).clone_into(&mut whole);
    }
    if let Some(budget) = budget {
        let left = budget.saturating_sub(whole.len());
        whole.push_str(cut(&warnings, left));
    } else {
        whole.push_str(&warnings);
    }
    whole
}

/// The answer of an operation that changed something.
pub(crate) fn change(reply: &Reply) -> CallToolResult {
    let mut facts = reply.facts();
    if facts.message.len() > BUDGET / 2 {
        facts.message = reply.page().to_markdown(Some(BUDGET / 2));
    }
    facts.message = visible(&for_model(&facts.message, &reply.allowed), Breaks::Keep).into_owned();
    let facts = &facts;
    let mut lines = facts.message.trim_end().to_owned();
    let known = [("id", &facts.id), ("number", &facts.number), ("status", &facts.status), ("rev", &facts.rev)];
    let missing: Vec<String> = known
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.as_deref()?)))
        .filter(|(_, value)| !facts.message.contains(*value))
        .map(|(name, value)| format!("{name} `{value}`"))
        .collect();
    if !missing.is_empty() {
        lines.push('\n');
        lines.push_str(&missing.join(" · "));
    }
    let warnings = warning_lines(&facts.warnings);
    lines.push_str(cut(&warnings, BUDGET.saturating_sub(lines.len())));
    let mut structured = serde_json::to_value(facts).unwrap_or_default();
    json_for_model(&mut structured, &reply.allowed);
    let mut result = text(lines);
    result.structured_content = Some(structured);
    result
}

/// An error, told in the text.
pub(crate) fn error(error: &OpError) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(error_text(error))])
}

/// The sentence with its causes, what belongs to it, and the ways out.
pub(crate) fn error_text(error: &OpError) -> String {
    let mut lines = format!("error: {}", line(&error.sentence()));
    for detail in error.detail_lines() {
        for shown in visible(&shortened(detail), Breaks::Keep).lines() {
            lines.push_str("\n  ");
            lines.push_str(shown);
        }
    }
    for hint in error.hints() {
        lines.push_str("\nhint: ");
        lines.push_str(&line(&hint.at(Door::Mcp)));
    }
    cut(&for_model(&lines, &Allowed::default()), BUDGET).to_owned()
}

fn text(text: String) -> CallToolResult {
    let text = if text.trim().is_empty() { "nothing to show".to_owned() } else { text };
    CallToolResult::success(vec![ContentBlock::text(text)])
}

pub(crate) fn json_text(value: &Value) -> String {
    visible_json(value.to_string())
}

fn warning_lines(warnings: &[String]) -> String {
    let lines: Vec<String> = warnings.iter().map(|warning| format!("\nwarning: {}", line(warning))).collect();
    lines.concat()
}

fn line(text: &str) -> String {
    visible(&shortened(text), Breaks::Mark).into_owned()
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Whole lines of at most `room` bytes.
fn cut(text: &str, room: usize) -> &str {
    if text.len() <= room {
        return text;
    }
    let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= room).last().unwrap_or(0);
    let kept = &text[..end];
    kept.rfind('\n').map_or("", |at| &kept[..at])
}
