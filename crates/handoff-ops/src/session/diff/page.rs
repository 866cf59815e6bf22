//! The difference between two sessions as it is shown.

use handoff_model::session::diff::{FieldDiff, ListDiff};
use serde_json::Value;

use super::{Between, SessionDifference};
use crate::page::{Role, Text};
use crate::{Page, Report};

impl Report for SessionDifference {
    fn page(&self) -> Page {
        let between = Text::of(Role::Id, &self.before).plain(" and ").and(Role::Id, &self.after);
        if self.fields.is_empty() && self.lists.is_empty() && self.git.is_none() {
            return Page::new().line(Text::from("nothing differs between ").plain(between.to_plain()));
        }
        let mut page = Page::new().line(between);
        for FieldDiff { field, before, after } in &self.fields {
            page = page.heading(field);
            page = before.iter().map(removed).fold(page, Page::said);
            page = after.iter().map(added).fold(page, Page::said);
        }
        for ListDiff { list, added: new, removed: gone, changed, reordered } in &self.lists {
            page = page.heading(list);
            page = gone.iter().map(removed).fold(page, Page::said);
            page = new.iter().map(added).fold(page, Page::said);
            for change in changed {
                page = page.said(removed(&change.before)).said(added(&change.after));
            }
            if *reordered {
                page = page.line("in another order");
            }
        }
        match &self.git {
            Some(git) => files(page, git),
            None => page,
        }
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
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

fn removed(value: &Value) -> Text {
    Text::of(Role::Bad, "− ").plain(shown(value))
}

fn added(value: &Value) -> Text {
    Text::of(Role::Good, "+ ").plain(shown(value))
}

/// A value as a person reads it: texts bare, the facts of an item one after the other.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let facts = fields.iter().map(|(key, value)| format!("{key}: {}", shown(value)));
            facts.collect::<Vec<_>>().join("; ")
        }
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
