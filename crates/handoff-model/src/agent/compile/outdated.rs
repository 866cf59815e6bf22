//! The summary of a closed session as it holds now: closed sessions stay as they are, and checks go on to pass.

use std::borrow::Cow;

use super::put::summary_compiled_from;
use super::summary::{CHECKS_LINE, FAILS};
use crate::session::open_items::{OpenItem, OpenItems};
use crate::session::{ItemKind, Session};

/// The summary of a session without the failures whose item was settled since. One that an agent or a person wrote stays
/// as it is.
pub fn current_summary<'s>(name: &str, session: &'s Session, items: &OpenItems<'_>) -> Cow<'s, str> {
    let is_settled = |clause: &str| {
        let command = clause.strip_prefix('`').and_then(|rest| rest.split_once(&format!("` {FAILS}")));
        let Some((command, _)) = command else { return false };
        // A summary shows less of a long command than its item does.
        let begins = format!("Fix `{}", command.trim_end_matches('…'));
        let own = session.items.iter().find(|record| record.check.is_some() && record.text.starts_with(&begins));
        let item = own.and_then(|record| items.of_entry(name, session, ItemKind::Next, &record.text));
        item.is_some_and(|item: &OpenItem<'_>| !item.is_open())
    };
    let Some(line) = session.summary.lines().find(|line| line.starts_with(CHECKS_LINE)) else {
        return Cow::Borrowed(&session.summary);
    };
    let clauses = clauses(&line[CHECKS_LINE.len()..]);
    let holding: Vec<&str> = clauses.iter().copied().filter(|clause| !is_settled(clause)).collect();
    if holding.len() == clauses.len() || summary_compiled_from(session).is_none() {
        return Cow::Borrowed(&session.summary);
    }
    let checks = (!holding.is_empty()).then(|| format!("{CHECKS_LINE}{}", holding.join("; ")));
    let lines = session.summary.lines().filter_map(|other| match (other == line, &checks) {
        (false, _) => Some(other),
        (true, checks) => checks.as_deref(),
    });
    Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
}

/// The parts of a line about checks, each of which begins with a command. No command has a backtick in it.
fn clauses(line: &str) -> Vec<&str> {
    let mut clauses = Vec::new();
    let mut rest = line;
    while let Some(end) = rest.find("; `") {
        clauses.push(&rest[..end]);
        rest = &rest[end + 2..];
    }
    clauses.push(rest);
    clauses
}
