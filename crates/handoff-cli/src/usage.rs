//! What clap says, turned into our own kind of error.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use handoff_ops::{Entry, Hint, OpError};

use crate::command::Catalogue;
use crate::local;

/// The program under its usual name.
pub(crate) const HANDOFF: &str = "handoff";

/// What clap's complaint means.
pub(crate) enum Complaint {
    /// Help or the version was asked for.
    Help(String),
    /// A group of commands was named without a command, so its help is the best answer.
    Incomplete(String),
    /// The command line makes no sense.
    Wrong(OpError),
}

/// Reads clap's error. `words` are the commands on the line, as far as they are known.
pub(crate) fn complaint(
    error: &clap::Error,
    catalogue: Catalogue,
    program: &str,
    words: &[&str],
    has_color: bool,
) -> Complaint {
    let help = || if has_color { error.render().ansi().to_string() } else { error.render().to_string() };
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Complaint::Help(help()),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Complaint::Incomplete(help()),
        _ => Complaint::Wrong(wrong(error, catalogue, program, words)),
    }
}

/// Takes clap's text apart: a sentence, lines that belong to it, tips and the usage.
fn wrong(error: &clap::Error, catalogue: Catalogue, program: &str, words: &[&str]) -> OpError {
    let text = error.render().to_string();
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let first = first.strip_prefix("error: ").unwrap_or(first);
    let mut wrong = OpError::usage(first.trim_end_matches(':'));
    for line in rest.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(tip) = line.strip_prefix("tip: ") {
            wrong = wrong.hint(Hint::say(tip));
        } else if !line.starts_with("For more information") {
            wrong = wrong.detail(line);
        }
    }
    for entry in commands_elsewhere(error, catalogue) {
        wrong = wrong.hint(Hint::say(format!("there is `handoff {}`", entry.name.replace('.', " "))));
    }
    wrong.hint(Hint::say(format!("run `{program} {}--help`", known_path(catalogue, words))))
}

/// Operations whose verb was typed without its noun.
fn commands_elsewhere(error: &clap::Error, catalogue: Catalogue) -> Vec<&'static Entry> {
    match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => catalogue.offered().filter(|entry| entry.verb() == word).collect(),
        _ => Vec::new(),
    }
}

/// The commands on the line that exist, each followed by a blank.
fn known_path(catalogue: Catalogue, words: &[&str]) -> String {
    let Some(first) = words.first() else { return String::new() };
    if local::NAMES.contains(first) {
        return format!("{first} ");
    }
    if catalogue.offered().any(|entry| entry.noun().is_none() && entry.verb() == *first) {
        return format!("{first} ");
    }
    let mut in_group = catalogue.offered().filter(|entry| entry.noun() == Some(first)).peekable();
    if in_group.peek().is_none() {
        return String::new();
    }
    match words.get(1).filter(|second| in_group.any(|entry| entry.verb() == **second)) {
        Some(second) => format!("{first} {second} "),
        None => format!("{first} "),
    }
}
