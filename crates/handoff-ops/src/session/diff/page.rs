//! The difference between two sessions as it is shown.

use handoff_model::session::diff::{FieldDiff, ListDiff};
use serde_json::Value;

use super::{Between, SessionDifference};
use crate::page::{Block, Role, Text};
use crate::{Page, Report};

/// What only says when and how a session came in.
const UNTOLD_FIELDS: &[&str] = &["kind", "started_at", "ended_at"];
/// What only links an item to others, or to what a file was.
const UNTOLD_FACTS: &[&str] = &["id", "same_as", "revised", "blob"];
/// What an item of a list says first, without its name.
const TEXTS: &[&str] = &["decision", "item", "note", "uri", "path"];

impl Report for SessionDifference {
    fn page(&self) -> Page {
        let between = Text::of(Role::Id, &self.before).plain(" and ").and(Role::Id, &self.after);
        let mut page = Page::new();
        for FieldDiff { field, before, after } in &self.fields {
            if !UNTOLD_FIELDS.contains(&field.as_str()) && !self.is_told_by_git(field) {
                page = section(page, field, before.as_slice(), after.as_slice());
            }
        }
        for ListDiff { list, added: new, removed: gone, changed, reordered } in &self.lists {
            let told = changed.iter().filter(|change| shown(&change.before) != shown(&change.after));
            let (mut before, mut after) = (gone.clone(), new.clone());
            for change in told {
                before.push(change.before.clone());
                after.push(change.after.clone());
            }
            if self.is_told_by_git(list) {
                continue;
            }
            page = section(page, list, &before, &after);
            if *reordered {
                page = page.line(format!("{list} in another order"));
            }
        }
        if let Some(git) = &self.git {
            page = files(page, git);
        }
        if page.blocks.is_empty() {
            return Page::new().line(Text::from("nothing differs between ").plain(between.to_plain()));
        }
        page.blocks.insert(0, Block::Line(between));
        page
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl SessionDifference {
    /// Whether the files and commits at the end tell it better.
    fn is_told_by_git(&self, field: &str) -> bool {
        self.git.is_some() && ["git.commit", "git.recent"].contains(&field)
    }
}

/// What git says, the files that the sessions speak of first.
fn files(page: Page, git: &Between) -> Page {
    let Between { from, to, commits, left, subjects, files, file_count } = git;
    let commits = if *commits == 1 { "1 commit".to_owned() } else { format!("{commits} commits") };
    let others = if *left > 0 { format!(", {left} left behind") } else { String::new() };
    let mut page = page.heading("files").line(format!("{commits} from {from} to {to}{others}"));
    page = subjects.iter().fold(page, |page, subject| page.said(subject.as_str()));
    for file in files {
        let concerns = file.concerns.as_ref().map(|concerns| format!(" ({concerns})")).unwrap_or_default();
        page = page.said(Text::from(format!("{} {}", file.change, file.path)).and(Role::Warn, concerns));
    }
    page.more_of(file_count - files.len(), "files", None)
}

/// What is no longer said and what is said now, line by line; nothing where both come to the same.
fn section(page: Page, title: &str, before: &[Value], after: &[Value]) -> Page {
    let lines = |values: &[Value]| -> Vec<String> {
        let texts: Vec<String> = values.iter().map(shown).collect();
        texts.iter().flat_map(|text| text.lines()).filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
    };
    let (before, after) = (lines(before), lines(after));
    let gone = before.iter().filter(|line| !after.contains(line)).map(|line| Text::of(Role::Bad, "− ").plain(line));
    let came = after.iter().filter(|line| !before.contains(line)).map(|line| Text::of(Role::Good, "+ ").plain(line));
    let said: Vec<Text> = gone.chain(came).collect();
    if said.is_empty() { page } else { said.into_iter().fold(page.heading(title), Page::said) }
}

/// A value as a person reads it: texts bare, the facts of an item one after the other.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let text = fields.iter().find(|(key, _)| TEXTS.contains(&key.as_str()));
            let is_fact = |key: &str| !UNTOLD_FACTS.contains(&key) && text.is_none_or(|(text, _)| text != key);
            let facts = fields.iter().filter(|(key, _)| is_fact(key));
            let facts: Vec<String> = facts.map(|(key, value)| format!("{key}: {}", shown(value))).collect();
            match (text, facts.join("; ")) {
                (Some((_, text)), facts) if facts.is_empty() => shown(text),
                (Some((_, text)), facts) => format!("{} ({facts})", shown(text)),
                (None, facts) => facts,
            }
        }
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
