//! How an outcome shows itself, once for every door: headings, lines, fields and tables.
//!
//! A page holds text as it came from files; whoever draws it makes it safe to show.

mod age;
mod change;
mod chart;
mod envelope;
mod markdown;
mod sheet;
mod table;
mod text;

pub use age::ReadingTime;
pub use chart::{Chart, Draw, sparkline};
pub(crate) use envelope::open_up;
pub use sheet::{Cell, Sheet};
pub use table::{Align, Column, Fit, Row, Table};
pub use text::{Role, Span, Text};

use crate::Hint;

/// A sequence of blocks.
#[derive(Debug, Clone, Default)]
pub struct Page {
    pub blocks: Vec<Block>,
    /// The request that shows what a budget left out.
    pub rest: Option<Hint>,
    /// Whether headings keep their marks on a terminal, for a form that others read too.
    pub marks_headings: bool,
}

/// One part of a page.
#[derive(Debug, Clone)]
pub enum Block {
    Heading(Text),
    /// One line.
    Line(Text),
    /// An item of a list.
    Item(Text),
    /// An item of a list that somebody else wrote, set apart like free text.
    Said(Text),
    /// A part of what somebody else wrote, on one line, set apart like free text.
    Excerpt(Text),
    /// Advice that each door words in its own way, after some words of introduction.
    Advice(String, Hint),
    /// The same with text of others in it, set apart like free text.
    SaidAdvice(Hint),
    /// Free text of several lines, set apart from what handoff says itself.
    Prose(String),
    /// A sentence of our own that only matters to who reads Markdown.
    ForAgents(String),
    /// Our own text, exactly as it is.
    Verbatim(String),
    /// Labels and values, one pair a line.
    Fields(Vec<(String, Text)>),
    Table(Table),
    /// A picture made of characters, for people at a terminal.
    Chart(Chart),
    Blank,
    /// How much more there is, and the request that shows it.
    More(More),
}

/// What a page leaves out.
#[derive(Debug, Clone)]
pub struct More {
    pub count: usize,
    /// What they are, such as `todo tasks`; may be empty
    pub what: String,
    /// The request that shows it.
    pub hint: Option<Hint>,
}

impl Page {
    pub fn new() -> Page {
        Page::default()
    }

    #[must_use]
    pub fn heading(self, text: impl Into<Text>) -> Page {
        self.with(Block::Heading(text.into()))
    }

    #[must_use]
    pub fn line(self, text: impl Into<Text>) -> Page {
        self.with(Block::Line(text.into()))
    }

    #[must_use]
    pub fn item(self, text: impl Into<Text>) -> Page {
        self.with(Block::Item(text.into()))
    }

    /// Adds an item that somebody else wrote.
    #[must_use]
    pub fn said(self, text: impl Into<Text>) -> Page {
        self.with(Block::Said(text.into()))
    }

    /// Adds a part of what somebody else wrote.
    #[must_use]
    pub fn excerpt(self, text: impl Into<Text>) -> Page {
        self.with(Block::Excerpt(text.into()))
    }

    /// Adds advice, after some words of introduction.
    #[must_use]
    pub fn advice(self, before: impl Into<String>, hint: Hint) -> Page {
        self.with(Block::Advice(before.into(), hint))
    }

    /// Adds advice that has text of others in it.
    #[must_use]
    pub fn said_advice(self, hint: Hint) -> Page {
        self.with(Block::SaidAdvice(hint))
    }

    #[must_use]
    pub fn prose(self, text: impl Into<String>) -> Page {
        self.with(Block::Prose(text.into()))
    }

    /// Adds a sentence of our own that people at a terminal do not need.
    #[must_use]
    pub fn for_agents(self, text: impl Into<String>) -> Page {
        self.with(Block::ForAgents(text.into()))
    }

    /// Adds our own text, exactly as it is.
    #[must_use]
    pub fn verbatim(self, text: impl Into<String>) -> Page {
        self.with(Block::Verbatim(text.into()))
    }

    /// Adds one labelled value; neighbours are aligned with each other.
    #[must_use]
    pub fn field(mut self, label: impl Into<String>, value: impl Into<Text>) -> Page {
        let field = (label.into(), value.into());
        if let Some(Block::Fields(fields)) = self.blocks.last_mut() {
            fields.push(field);
            return self;
        }
        self.with(Block::Fields(vec![field]))
    }

    /// Adds a labelled value if there is one.
    #[must_use]
    pub fn field_if(self, label: impl Into<String>, value: Option<impl Into<Text>>) -> Page {
        match value {
            Some(value) => self.field(label, value),
            None => self,
        }
    }

    /// Adds a table, unless it has no rows.
    #[must_use]
    pub fn table(self, table: Table) -> Page {
        if table.rows.is_empty() { self } else { self.with(Block::Table(table)) }
    }

    /// Adds a picture. Who reads Markdown has the figures and is spared it.
    #[must_use]
    pub fn chart(self, chart: impl Draw) -> Page {
        self.with(Block::Chart(Chart::new(chart)))
    }

    #[must_use]
    pub fn blank(self) -> Page {
        self.with(Block::Blank)
    }

    /// Says that `count` more exist and what shows them; nothing when there are none.
    #[must_use]
    pub fn more(self, count: usize, hint: Option<Hint>) -> Page {
        self.more_of(count, "", hint)
    }

    /// The same, with what they are.
    #[must_use]
    pub fn more_of(self, count: usize, what: impl Into<String>, hint: Option<Hint>) -> Page {
        if count == 0 { self } else { self.with(Block::More(More { count, what: what.into(), hint })) }
    }

    /// Names the request that shows what a budget leaves out.
    #[must_use]
    pub fn rest(mut self, hint: Hint) -> Page {
        self.rest = Some(hint);
        self
    }

    /// Keeps the marks of headings at every door.
    #[must_use]
    pub fn with_marked_headings(mut self) -> Page {
        self.marks_headings = true;
        self
    }

    #[must_use]
    pub fn with(mut self, block: Block) -> Page {
        self.blocks.push(block);
        self
    }
}
