//! What makes a handoff hard to go on from, told to whoever writes it.
//!
//! **Invariant:** only what is sure is told. A finding never stands in the way of saving, and there is no score.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LineRange, Session, SessionStatus};
use crate::relevant::paths_in;
use crate::tokens;

mod vague;

use vague::{says_nothing, tells_a_reason};

/// A rule, in the order in which findings are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// It ends without a next step
    NoNextStep,
    /// A next step that could mean anything
    VagueStep,
    DecisionWithoutReason,
    /// A pointer to a file that is not there
    DeadPointer,
    /// A summary that says nothing
    EmptySummary,
    TooLong,
}

/// What a rule found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub rule: Rule,
    /// What it found it in; empty where it is about the whole
    pub items: Vec<String>,
    /// How many tokens or bytes, where it is about length
    size: usize,
}

/// What is not in the session itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Around<'a> {
    /// Pointers whose files are not there
    pub missing: &'a [String],
    /// The free-form text
    pub body: Option<&'a str>,
    /// Whether a task that it concerns is open; `None` where it concerns none
    pub has_open_task: Option<bool>,
}

/// More than this is not read, only passed over.
pub const LONG_SUMMARY: usize = 1_500;
/// Loading has a budget for everything; a handoff that takes more of it is cut.
pub const MANY_TOKENS: usize = 1_500;

/// What the rules find in a handoff, at most one finding for each.
pub fn lint(session: &Session, around: &Around<'_>) -> Vec<Finding> {
    let found = |rule, items: Vec<&String>| {
        let items: Vec<String> = items.into_iter().cloned().collect();
        (!items.is_empty()).then_some(Finding { rule, items, size: 0 })
    };
    let whole = |rule, size| Finding { rule, items: Vec::new(), size };
    let vague = session.next.iter().filter(|step| is_vague(step));
    let bare = session.decisions.iter().filter(|decision| {
        decision.reason.as_deref().is_none_or(|reason| reason.trim().is_empty()) && !tells_a_reason(&decision.decision)
    });
    let bytes = session.summary.len();
    let tokens = cost(session, around.body);
    let findings = [
        lacks_next_step(session, around).then(|| whole(Rule::NoNextStep, 0)),
        found(Rule::VagueStep, vague.collect()),
        found(Rule::DecisionWithoutReason, bare.map(|decision| &decision.decision).collect()),
        dead_pointers(around.missing),
        (says_nothing(&session.summary) && around.body.is_none()).then(|| Finding {
            rule: Rule::EmptySummary,
            items: vec![session.summary.clone()],
            size: 0,
        }),
        (tokens > MANY_TOKENS)
            .then(|| whole(Rule::TooLong, tokens))
            .or_else(|| (bytes > LONG_SUMMARY).then(|| whole(Rule::TooLong, 0))),
    ];
    findings.into_iter().flatten().collect()
}

/// The finding about pointers whose files are not there, if there are any.
pub fn dead_pointers(missing: &[String]) -> Option<Finding> {
    (!missing.is_empty()).then(|| Finding { rule: Rule::DeadPointer, items: missing.to_vec(), size: 0 })
}

/// Whether it is over and nothing says how to go on, although it is not known that nothing is left.
fn lacks_next_step(session: &Session, around: &Around<'_>) -> bool {
    let is_over = session.status == SessionStatus::Closed;
    let open = !session.blockers.is_empty() || session.checklist.iter().any(|item| !item.checked);
    let may_be_open = open || around.has_open_task.unwrap_or(true);
    // A text of its own may say it anywhere.
    is_over && session.next.is_empty() && around.body.is_none() && may_be_open
}

/// Whether a step has no noun, name or number that would tell it from others.
fn is_vague(step: &str) -> bool {
    says_nothing(step) && paths_in(step).is_empty()
}

/// What it costs to load, without what stands around it.
fn cost(session: &Session, body: Option<&str>) -> usize {
    let mut pieces: Vec<&str> = vec![&session.summary];
    pieces.extend(session.next.iter().chain(&session.blockers).map(String::as_str));
    for decision in &session.decisions {
        pieces.push(&decision.decision);
        pieces.extend(decision.reason.as_deref());
    }
    pieces.extend(session.checklist.iter().filter(|item| !item.checked).map(|item| item.item.as_str()));
    pieces.extend(session.notes.iter().map(|note| note.note.as_str()));
    pieces.extend(session.references.iter().flat_map(|it| [it.label.as_str(), it.uri.as_str()]));
    for pointer in &session.pointers {
        pieces.push(&pointer.path);
        pieces.extend(pointer.reason.as_deref());
    }
    pieces.extend(body);
    pieces.into_iter().map(tokens::estimate).sum()
}

impl Rule {
    pub const ALL: [Rule; 6] = [
        Rule::NoNextStep,
        Rule::VagueStep,
        Rule::DecisionWithoutReason,
        Rule::DeadPointer,
        Rule::EmptySummary,
        Rule::TooLong,
    ];

    /// What it finds, in a few words.
    pub const fn words(self) -> &'static str {
        match self {
            Rule::NoNextStep => "no next step",
            Rule::VagueStep => "vague step",
            Rule::DecisionWithoutReason => "decision without reason",
            Rule::DeadPointer => "dead pointer",
            Rule::EmptySummary => "empty summary",
            Rule::TooLong => "too long",
        }
    }
}

impl Finding {
    /// How many times the rule applies.
    pub fn count(&self) -> usize {
        self.items.len().max(1)
    }

    /// What was found and how to mend it, in one sentence.
    pub fn sentence(&self) -> String {
        let items = named(&self.items);
        let is_one = self.items.len() == 1;
        match self.rule {
            Rule::NoNextStep => "no next step: say what to do first when work goes on".to_owned(),
            Rule::VagueStep if is_one => {
                format!("the next step {items} could mean anything: name the file, test or command")
            }
            Rule::VagueStep => format!("the next steps {items} could mean anything: name the file, test or command"),
            Rule::DecisionWithoutReason if is_one => {
                format!("the decision {items} has no reason: without one the next session may undo it")
            }
            Rule::DecisionWithoutReason => {
                format!("the decisions {items} have no reason: without one the next session may undo them")
            }
            Rule::DeadPointer if is_one => {
                format!("the pointer {items} leads to no file{}; it is kept", self.why_dead())
            }
            Rule::DeadPointer => format!("the pointers {items} lead to no file{}; they are kept", self.why_dead()),
            Rule::EmptySummary if self.items[0].trim().is_empty() => {
                "no summary: say what was done and where it stands".to_owned()
            }
            Rule::EmptySummary => format!("the summary {items} does not say what was done and where it stands"),
            Rule::TooLong if self.size > 0 => {
                let hundreds = self.size.div_ceil(100) * 100;
                format!(
                    "about {hundreds} tokens: what is beyond {MANY_TOKENS} is seldom loaded; point to a file instead"
                )
            }
            Rule::TooLong => {
                format!("the summary is longer than {LONG_SUMMARY} bytes: what matters should stand in its lists")
            }
        }
    }
}

impl Finding {
    /// Why a pointer leads nowhere, where that can be seen: what was meant for lines is taken for a part of the name.
    fn why_dead(&self) -> String {
        let lines = self.items.iter().find_map(|pointer| no_lines(pointer));
        lines.map(|lines| format!(", since `{lines}` tells no lines: write them as `42-78`")).unwrap_or_default()
    }
}

/// What stands behind a path for its lines, and tells none.
fn no_lines(pointer: &str) -> Option<&str> {
    let (path, lines) = pointer.rsplit_once(':')?;
    let is_meant = !path.is_empty()
        && lines.contains(|c: char| c.is_ascii_digit())
        && lines.chars().all(|c| c.is_ascii_digit() || "-–,: Ll".contains(c));
    (is_meant && lines.parse::<LineRange>().is_err()).then_some(lines)
}

/// The first few items, shortened, and how many more there are.
fn named(items: &[String]) -> String {
    const NAMED: usize = 3;
    const SHOWN: usize = 48;
    let shorten = |text: &String| match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    };
    let mut named: Vec<String> = items.iter().take(NAMED).map(shorten).collect();
    if items.len() > NAMED {
        named.push(format!("{} more", items.len() - NAMED));
    }
    named.join(", ")
}

#[cfg(test)]
mod tests;
