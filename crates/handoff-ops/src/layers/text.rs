//! Sessions as plain Markdown for any reader.
//!
//! **Invariant:** every line of a text that somebody else wrote begins with `>`, or is a heading of one line in which nothing
//! is markup. All of it has passed [`Said`].

use std::fmt::Write as _;

use handoff_model::secret::Allowed;
use handoff_model::session::{ChecklistItem, Decision, Pointer, Reference, Session, SessionNote};
use handoff_store::FoundSession;

use crate::render::{Passage, Said};

/// As long as a title is shown.
const TITLE: usize = 120;

/// Where an archived session lies.
#[derive(Clone, Copy)]
pub(super) struct Whence<'a> {
    /// Its file, relative to the store
    pub(super) archive: Option<&'a str>,
    /// The way to the store
    pub(super) up: Option<&'a str>,
}

/// What a file begins with.
pub(super) fn title(words: &str) -> String {
    format!("# {words}\n")
}

/// A session in full.
pub(super) fn note(found: &FoundSession, body: Option<&Passage>, allowed: &Allowed) -> String {
    let session = &found.session;
    let mut sheet = Sheet { text: String::new(), allowed };
    sheet.head(found);
    sheet.prose(&session.summary);
    if let Some(state) = &session.state {
        sheet.heading("Current state");
        sheet.prose(state);
    }
    sheet.list("Next steps", &session.next, String::clone);
    sheet.list("Decisions", &numbered(session), |(id, decision)| decided(id, decision));
    sheet.list("Blockers", &session.blockers, String::clone);
    sheet.list("Checklist", &session.checklist, check);
    sheet.list("Notes", &session.notes, noted);
    sheet.list("Pointers", &session.pointers, pointed);
    sheet.list("References", &session.references, referred);
    if let Some(body) = body.filter(|body| !body.lines.is_empty()) {
        sheet.heading("Body");
        sheet.quoted(body.lines.iter().map(String::as_str));
        if body.left_out > 0 {
            _ = write!(sheet.text, "\n{} more lines in `sessions/{}.md`\n", body.left_out, found.name);
        }
    }
    sheet.text
}

/// A session in short, with the way back to all of it.
pub(super) fn archived(found: &FoundSession, whence: Whence<'_>, allowed: &Allowed) -> String {
    let session = &found.session;
    let mut sheet = Sheet { text: String::new(), allowed };
    sheet.head(found);
    sheet.prose(&session.summary);
    sheet.list("Decisions", &numbered(session), |(id, decision)| decided(id, decision));
    sheet.list("Next steps", &session.next, String::clone);
    if let Some(archive) = whence.archive {
        let place = match whence.up {
            Some(up) => format!("[{archive}]({up}{archive}#{})", found.name),
            None => format!("`{archive}`"),
        };
        _ = write!(sheet.text, "\nWhole in {place}, or `handoff session show {}`\n", found.name);
    }
    sheet.text
}

struct Sheet<'a> {
    text: String,
    allowed: &'a Allowed,
}

impl Sheet<'_> {
    fn head(&mut self, found: &FoundSession) {
        let session = &found.session;
        let at = found.last_active().map_or_else(|| "no time".to_owned(), |at| at.in_seconds().to_string());
        let by = [session.tool.as_deref(), session.author.as_deref()].into_iter().flatten();
        let by: Vec<&str> = by.filter(|by| *by != "unknown").chain([session.id.as_str()]).collect();
        let title = self.inline(&session.headline(TITLE));
        _ = write!(self.text, "\n## {at} {title} ({})\n\nSession `{}`\n", self.inline(&by.join(", ")), found.name);
        let git = session.git.as_ref();
        let joined = |list: &[String]| (!list.is_empty()).then(|| list.join(", "));
        let facts = [
            ("tags", joined(&session.tags)),
            ("continues", session.continues.clone()),
            ("forked from", session.forked_from.clone()),
            ("merged from", joined(&session.merged_from)),
            ("branch", git.and_then(|git| git.branch.clone())),
            ("commit", git.and_then(|git| git.commit.clone())),
        ];
        let facts = facts.into_iter().filter_map(|(what, said)| Some(format!("{what}: {}", said?)));
        let facts: Vec<String> = facts.map(|fact| Said::new(&fact, self.allowed).one_line()).collect();
        self.quoted([facts.join("; ").as_str()].into_iter().filter(|line| !line.is_empty()));
    }

    fn heading(&mut self, words: &str) {
        _ = write!(self.text, "\n### {words}\n");
    }

    fn prose(&mut self, text: &str) {
        let said = Said::new(text, self.allowed);
        self.quoted(said.as_str().lines());
    }

    fn list<T>(&mut self, heading: &str, items: &[T], words: impl Fn(&T) -> String) {
        let items: Vec<Said> = items.iter().map(|item| Said::new(&words(item), self.allowed)).collect();
        if items.is_empty() {
            return;
        }
        self.heading(heading);
        let lines = items.iter().flat_map(|item| {
            let marks = std::iter::once("- ").chain(std::iter::repeat("  "));
            item.as_str().lines().zip(marks).map(|(line, mark)| format!("{mark}{line}"))
        });
        let lines: Vec<String> = lines.collect();
        self.quoted(lines.iter().map(String::as_str));
    }

    /// Lines of others, each with the mark of a quotation, below a blank line.
    fn quoted<'l>(&mut self, lines: impl Iterator<Item = &'l str>) {
        let mut lines = lines.peekable();
        if lines.peek().is_some() {
            self.text.push('\n');
        }
        for line in lines {
            let line = line.trim_end();
            self.text.push_str(if line.is_empty() { ">" } else { "> " });
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    /// A text of others on a line of ours, in which it is letters and nothing else.
    fn inline(&self, text: &str) -> String {
        let line = Said::new(text, self.allowed).one_line();
        let mut safe = String::with_capacity(line.len());
        for c in line.chars() {
            if matches!(c, '\\' | '`' | '<' | '>' | '[' | ']' | '*' | '|' | '&') {
                safe.push('\\');
            }
            safe.push(c);
        }
        safe
    }
}

fn numbered(session: &Session) -> Vec<(String, &Decision)> {
    session.decision_ids().into_iter().zip(&session.decisions).collect()
}

fn decided(id: &str, decision: &Decision) -> String {
    let reason = decision.reason.as_ref().map(|reason| format!(" — {reason}")).unwrap_or_default();
    let mut facts = vec![decision.confidence.word().to_owned()];
    if !decision.paths.is_empty() {
        facts.push(format!("governs {}", decision.paths.join(", ")));
    }
    facts.extend(decision.supersedes.as_ref().map(|other| format!("supersedes {other}")));
    format!("{id}: {}{reason} ({})", decision.decision, facts.join("; "))
}

fn check(item: &ChecklistItem) -> String {
    let mark = if item.checked { "[x]" } else { "[ ]" };
    let owner = item.owner.map(|owner| format!(" ({owner})")).unwrap_or_default();
    format!("{mark} {}{owner}", item.item)
}

fn noted(note: &SessionNote) -> String {
    format!("{}: {}", note.category, note.note)
}

fn pointed(pointer: &Pointer) -> String {
    let lines = pointer.lines.as_ref().map(|lines| format!(":{lines}")).unwrap_or_default();
    let reason = pointer.reason.as_ref().map(|reason| format!(" {reason}")).unwrap_or_default();
    format!("{}{lines}{reason}", pointer.path)
}

fn referred(reference: &Reference) -> String {
    let notes = reference.notes.as_ref().map(|notes| format!(" ({notes})")).unwrap_or_default();
    format!("{}: {} {}{notes}", reference.kind, reference.label, reference.uri)
}
