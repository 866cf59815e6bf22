//! The blocks of an answer, in the order in which they are read.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// A piece of an answer. Code, tables and quotes are no text that an agent says itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Block {
    Heading {
        level: u8,
        text: String,
    },
    Paragraph(Vec<TextLine>),
    Item {
        /// From 0
        depth: usize,
        checked: Option<bool>,
        lines: Vec<TextLine>,
    },
    Other,
}

/// A line of a paragraph or an item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TextLine {
    pub(super) text: String,
    /// All of its words are bold
    pub(super) is_bold: bool,
}

/// Lines that are being read.
#[derive(Default)]
struct Lines {
    list: Vec<TextLine>,
    line: TextLine,
    bold: usize,
    has_plain: bool,
}

impl Lines {
    fn push(&mut self, text: &str) {
        if self.bold == 0 && text.contains(char::is_alphanumeric) {
            self.has_plain = true;
        }
        self.line.text.push_str(text);
    }

    fn end_line(&mut self) {
        let text = self.line.text.trim().to_owned();
        let is_bold = self.line.is_bold && !self.has_plain;
        if !text.is_empty() {
            self.list.push(TextLine { text, is_bold });
        }
        self.line = TextLine { is_bold: self.bold > 0, ..TextLine::default() };
        self.has_plain = false;
    }

    fn take(&mut self) -> Vec<TextLine> {
        self.end_line();
        self.line = TextLine::default();
        self.bold = 0;
        std::mem::take(&mut self.list)
    }
}

/// An item whose list is being read.
struct OpenItem {
    checked: Option<bool>,
    is_told: bool,
}

/// Takes an answer apart.
#[expect(clippy::match_same_arms, reason = "the order of the arms decides")]
pub(super) fn blocks(answer: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = Lines::default();
    let mut items: Vec<OpenItem> = Vec::new();
    // Depth within code, quotes and tables.
    let mut apart = 0_usize;
    let tell_item = |blocks: &mut Vec<Block>, items: &mut [OpenItem], lines: &mut Lines| {
        let depth = items.len().saturating_sub(1);
        if let Some(item) = items.last_mut() {
            let lines = lines.take();
            match (item.is_told, blocks.last_mut()) {
                (false, _) => blocks.push(Block::Item { depth, checked: item.checked, lines }),
                (true, Some(Block::Item { lines: known, .. })) => known.extend(lines),
                (true, _) => {}
            }
            item.is_told = true;
        }
    };
    for event in Parser::new_ext(answer, Options::ENABLE_TASKLISTS | Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::BlockQuote(_) | Tag::Table(_) | Tag::HtmlBlock) => apart += 1,
            Event::End(TagEnd::CodeBlock | TagEnd::BlockQuote(_) | TagEnd::Table | TagEnd::HtmlBlock) => {
                apart = apart.saturating_sub(1);
                if items.is_empty() {
                    blocks.push(Block::Other);
                }
            }
            _ if apart > 0 => {}
            Event::End(TagEnd::Heading(level)) => {
                let text = lines.take().into_iter().map(|line| line.text).collect::<Vec<_>>().join(" ");
                blocks.push(Block::Heading { level: rank(level), text });
            }
            Event::End(TagEnd::Paragraph) if items.is_empty() => {
                let lines = lines.take();
                if !lines.is_empty() {
                    blocks.push(Block::Paragraph(lines));
                }
            }
            Event::End(TagEnd::Paragraph) => lines.end_line(),
            Event::Start(Tag::List(_)) if items.last().is_some_and(|item| !item.is_told) => {
                tell_item(&mut blocks, &mut items, &mut lines);
            }
            Event::Start(Tag::Item) => items.push(OpenItem { checked: None, is_told: false }),
            Event::End(TagEnd::Item) => {
                tell_item(&mut blocks, &mut items, &mut lines);
                items.pop();
            }
            Event::TaskListMarker(checked) => {
                if let Some(item) = items.last_mut() {
                    item.checked = Some(checked);
                }
            }
            Event::Start(Tag::Strong) => {
                lines.line.is_bold |= lines.line.text.trim().is_empty() || !lines.has_plain;
                lines.bold += 1;
            }
            Event::End(TagEnd::Strong) => lines.bold = lines.bold.saturating_sub(1),
            Event::Text(text) => lines.push(&text),
            Event::Code(text) => lines.push(&format!("`{text}`")),
            Event::SoftBreak | Event::HardBreak => lines.end_line(),
            Event::Rule => blocks.push(Block::Other),
            _ => {}
        }
    }
    blocks
}

fn rank(level: HeadingLevel) -> u8 {
    level as u8
}
