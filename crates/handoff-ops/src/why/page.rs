//! What concerns a file, as it is shown.

use serde_json::json;

use super::{BlamedLines, Concern, Concerns, What, Why};
use crate::page::{Role, Text};
use crate::{Hint, Page, Report};

impl Report for Concerns {
    fn page(&self) -> Page {
        let lines = self.lines.as_ref().map(|lines| format!(":{lines}")).unwrap_or_default();
        let mut head = Text::of(Role::Strong, format!("{}{lines}", self.path));
        if !self.exists {
            head = head.and(Role::Warn, ", which is not there");
        }
        if !self.known_as.is_empty() {
            head = head.and(Role::Dim, format!(", earlier {}", self.known_as.join(", ")));
        }
        let mut page = Page::new().line(head);
        page = self.blame.iter().map(blamed).fold(page, Page::said);
        if self.findings.is_empty() {
            return page.line("nothing is recorded about it");
        }
        page = self.findings.iter().map(line).fold(page.blank(), Page::said);
        let more = Hint::run_with::<Why>(json!({"path": self.asked, "limit": self.count}));
        page.more(self.count - self.findings.len(), Some(more))
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

fn blamed(blamed: &BlamedLines) -> Text {
    let what = if blamed.lines.contains('-') { "lines" } else { "line" };
    let text = Text::from(format!("{what} {}: ", blamed.lines));
    let Some(commit) = &blamed.commit else { return text.and(Role::Warn, "not committed") };
    let facts = [blamed.author.clone(), blamed.date.map(|day| day.to_string())];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    text.and(Role::Id, commit)
        .plain(format!(" {}", blamed.subject.as_deref().unwrap_or_default()))
        .and(Role::Dim, format!(" ({})", facts.join(", ")))
}

fn line(concern: &Concern) -> Text {
    let mut facts: Vec<String> = Vec::new();
    let (kind, more) = match &concern.what {
        What::Decision { status: _, reason, superseded_by } => {
            facts.push(match superseded_by {
                None => "in force".to_owned(),
                Some(by) => format!("superseded by {by}"),
            });
            ("decision ", reason.as_ref().map(|reason| format!(" — {reason}")))
        }
        What::Task { number, status, archived } => {
            facts.extend([number.clone(), status.word().to_owned()]);
            facts.extend(archived.then(|| "archived".to_owned()));
            ("task ", None)
        }
        What::Session { status } => {
            facts.push(status.word().to_owned());
            ("session ", None)
        }
    };
    facts.extend(concern.by.as_ref().map(|by| format!("by {by}")));
    // The names of decisions and sessions tell the day.
    facts.extend(concern.date.filter(|day| !concern.id.starts_with(&day.to_string())).map(|day| day.to_string()));
    let copies = match concern.copies.len() {
        0 => String::new(),
        1 => " (and 1 copy)".to_owned(),
        count => format!(" (and {count} copies)"),
    };
    Text::of(Role::Dim, kind)
        .and(Role::Id, &concern.id)
        .plain(format!(" {}{}", concern.text, more.unwrap_or_default()))
        .and(Role::Dim, format!(" ({}): ", facts.join(", ")))
        .plain(concern.reasons.join("; "))
        .and(Role::Dim, copies)
}
