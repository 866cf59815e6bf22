//! What was found, as it is shown.

use handoff_model::search::{Kind, Snippet};
use serde_json::json;

use super::Search;
use super::view::{Match, Matches};
use crate::memory::ShowMemory;
use crate::page::{Role, Text};
use crate::session::ShowSession;
use crate::task::ShowTask;
use crate::{Hint, Page, Report};

impl Report for Matches {
    fn page(&self) -> Page {
        let mut page = Page::new();
        if self.matches == 0 {
            return self.nothing();
        }
        if self.by_beginning {
            page = page.line("no such word; these have words that begin like it");
        }
        for found in &self.results {
            page = page.said(found.head());
            if !found.marked_text.text.is_empty() {
                page = page.excerpt(marked(found.before_text(), &found.marked_text));
            }
        }
        let is_memory = |found: &&Match| found.kind == Kind::Memory;
        let is_session = |found: &&Match| found.number.is_none() && found.kind != Kind::Memory;
        let first = |is_it: &dyn Fn(&&Match) -> bool| self.results.iter().find(|found| is_it(found));
        for (before, found) in [
            ("to open a task: ", first(&|found| found.number.is_some())),
            ("to open a session: ", first(&is_session)),
            ("to open a memory: ", first(&is_memory)),
        ] {
            if let Some(found) = found {
                page = page.advice(before, found.open());
            }
        }
        let next = self.next_cursor.as_ref().map(|cursor| {
            let asked = Search { cursor: Some(cursor.clone()), ..self.asked.clone() };
            Hint::run_with::<Search>(json!(asked))
        });
        page = page.more(self.left, next.clone());
        page.rest(
            next.unwrap_or_else(|| Hint::run_with::<Search>(json!(Search { limit: Some(5), ..self.asked.clone() }))),
        )
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl Matches {
    fn nothing(&self) -> Page {
        let page = Page::new().line("nothing matches");
        if self.did_you_mean.is_empty() {
            return page;
        }
        let meant = self.asked.with(&self.did_you_mean);
        let words: Vec<String> = self.did_you_mean.iter().map(|word| format!("`{word}`")).collect();
        page.advice(format!("did you mean {}? ", words.join(" or ")), Hint::run_with::<Search>(json!(meant)))
    }
}

impl Match {
    /// What it is, and where.
    fn head(&self) -> Text {
        let mut text = Text::of(Role::Dim, self.kind.word()).plain(" ");
        if let Some(number) = &self.number {
            text = text.and(Role::Number, number.to_string()).plain(" ");
        }
        text = marked(text, &self.marked_title).plain(" · ").and(Role::Id, &self.reference);
        let state = match self.in_force {
            Some(true) => "in force",
            Some(false) => "superseded",
            None if self.archived => "archived",
            None => &self.status,
        };
        text = text.plain(format!(" · {state}"));
        if let Some(at) = self.at {
            text = text.plain(format!(" · {}", at.day()));
        }
        if let Some(project) = &self.project {
            text = text.plain(format!(" · {project}"));
        }
        match self.also_in.len() {
            0 => text,
            1 => text.plain(" · also in 1 session"),
            count => text.plain(format!(" · also in {count} sessions")),
        }
    }

    /// What the text below is; that of a note is the note.
    fn before_text(&self) -> Text {
        match self.kind {
            Kind::Note => Text::default(),
            Kind::Task | Kind::Session | Kind::Decision | Kind::Memory => {
                Text::of(Role::Dim, format!("{}: ", self.field))
            }
        }
    }

    /// The request that shows the record it is part of.
    fn open(&self) -> Hint {
        let is_session = self.number.is_none() && self.kind != Kind::Memory;
        let mut request = if is_session { json!({"session": self.record()}) } else { json!({"id": self.record()}) };
        if let Some(dir) = &self.project_dir {
            request[crate::hint::PROJECT_DIR] = dir.as_str().into();
        }
        match self.kind {
            Kind::Memory => Hint::run_with::<ShowMemory>(request),
            _ if is_session => Hint::run_with::<ShowSession>(request),
            _ => Hint::run_with::<ShowTask>(request),
        }
    }
}

fn marked(text: Text, snippet: &Snippet) -> Text {
    let role = |is_marked| if is_marked { Role::Strong } else { Role::Plain };
    snippet.pieces().fold(text, |text, (piece, is_marked)| text.and(role(is_marked), piece))
}
