//! Pages on a terminal.

pub(crate) mod cell;
mod grid;
mod wrap;

use std::borrow::Cow;

use handoff_ops::page::{Block, More, Page, ReadingTime, Role, Span, Text};
use handoff_ops::{Breaks, Door, visible};

use crate::screen::PAGE_WIDTH;

/// How to draw.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    pub(crate) has_color: bool,
    /// How wide tables and running text may be; without a bound nothing is cut or broken.
    pub(crate) width: Option<usize>,
    /// The moment at which a person reads; programs get moments as they are.
    pub(crate) reading: Option<ReadingTime>,
}

impl Style {
    /// Text in a role. Whatever it holds is made safe first, so this is the only way onto a screen.
    pub(crate) fn paint(self, role: Role, text: &str) -> String {
        self.paint_safe(role, &visible(text, Breaks::Mark))
    }

    /// Colours text that was made safe already.
    fn paint_safe(self, role: Role, text: &str) -> String {
        match color(role) {
            Some(code) if self.has_color && !text.is_empty() => format!("\x1b[{code}m{text}\x1b[0m"),
            _ => text.to_owned(),
        }
    }

    fn text(self, text: &Text) -> String {
        self.painted(&self.timed(text))
    }

    fn painted(self, text: &Text) -> String {
        text.spans.iter().map(|span| self.paint(span.role, &span.text)).collect()
    }

    /// The text with its moments as this reader wants them.
    fn timed(self, text: &Text) -> Cow<'_, Text> {
        let Some(reading) = self.reading else { return Cow::Borrowed(text) };
        let spans = text.spans.iter().map(|span| match span.role {
            Role::Time => Span { text: reading.describe(&span.text), role: span.role },
            _ => span.clone(),
        });
        Cow::Owned(Text { spans: spans.collect() })
    }

    /// Adds running text, broken at words where there is a width; later lines are indented.
    fn running(self, out: &mut String, text: &Text, indent: usize) {
        match self.width {
            None => push(out, &self.text(text)),
            Some(width) => {
                // Moments are described before the text is broken: a date and a time alone would read as moments again.
                for line in wrap::wrap(&self.timed(text), width, indent) {
                    push(out, &self.painted(&line));
                }
            }
        }
    }
}

/// The page as lines.
pub(crate) fn page(page: &Page, style: Style) -> String {
    let mut out = String::new();
    for block in &page.blocks {
        if matches!(block, Block::Heading(_)) && !out.is_empty() && !out.ends_with("\n\n") {
            out.push('\n');
        }
        match block {
            Block::Heading(text) => {
                let mark = if page.marks_headings { "## " } else { "" };
                push(&mut out, &style.paint(Role::Strong, &format!("{mark}{}", text.to_plain())));
            }
            Block::Line(text) => style.running(&mut out, text, 0),
            // A command stays on one line, so that it can be copied.
            Block::SaidAdvice(hint) => push(&mut out, &style.text(&Text::of(Role::Dim, hint.at(Door::Cli)))),
            Block::Advice(before, hint) => {
                push(&mut out, &style.text(&Text::from(before.as_str()).and(Role::Dim, hint.at(Door::Cli))));
            }
            Block::Item(text) | Block::Said(text) => style.running(&mut out, &after("- ", text), 2),
            Block::Excerpt(text) => style.running(&mut out, &after("  ", text), 2),
            Block::Prose(text) => prose(&mut out, text, style),
            Block::ForAgents(_) => {}
            Block::Verbatim(text) => push(&mut out, text.trim_end()),
            Block::Fields(pairs) => fields(&mut out, pairs, style),
            Block::Table(table) => grid::draw(&mut out, table, style),
            Block::Chart(chart) => {
                let width = style.width.unwrap_or(PAGE_WIDTH);
                chart.lines(width).iter().for_each(|line| push(&mut out, &style.text(line)));
            }
            Block::Blank => out.push('\n'),
            Block::More(more) => push(&mut out, &style.paint(Role::Dim, &more_line(more))),
        }
    }
    out
}

fn push(out: &mut String, line: &str) {
    out.push_str(line.trim_end());
    out.push('\n');
}

fn after(mark: &str, text: &Text) -> Text {
    let mut whole = Text::from(mark);
    whole.spans.extend(text.spans.iter().cloned());
    whole
}

fn prose(out: &mut String, text: &str, style: Style) {
    for line in visible(text, Breaks::Keep).trim_end().lines() {
        // Later lines of a paragraph stand below its beginning, be it an item of a list or code.
        let indent = 2 + line.len() - line.trim_start().len();
        style.running(out, &Text::from(format!("  {line}")), indent);
    }
}

fn fields(out: &mut String, fields: &[(String, Text)], style: Style) {
    let widest = fields.iter().map(|(label, _)| cell::width(&visible(label, Breaks::Mark))).max().unwrap_or(0);
    for (label, value) in fields {
        let gap = widest - cell::width(&visible(label, Breaks::Mark)) + 1;
        let label = style.paint(Role::Dim, &format!("{label}:"));
        push(out, &format!("{label}{:gap$}{}", "", style.text(value)));
    }
}

fn more_line(more: &More) -> String {
    let what = if more.what.is_empty() { String::new() } else { format!(" {}", more.what) };
    match &more.hint {
        Some(hint) => format!("{} more{what}: {}", more.count, hint.at(Door::Cli)),
        None => format!("{} more{what}", more.count),
    }
}

/// The parameters of the escape sequence for a role.
const fn color(role: Role) -> Option<&'static str> {
    match role {
        Role::Plain | Role::StatusTodo => None,
        Role::Dim | Role::Time | Role::StatusSkipped => Some("2"),
        Role::Strong => Some("1"),
        Role::Id | Role::Warn => Some("33"),
        Role::Number => Some("36"),
        Role::StatusInProgress => Some("1;34"),
        Role::StatusReview => Some("35"),
        Role::StatusDone | Role::Good => Some("32"),
        Role::StatusBlocked | Role::Bad => Some("31"),
    }
}

#[cfg(test)]
mod tests {
    use handoff_ops::Hint;
    use handoff_ops::page::{Column, Row, Table};

    use super::*;

    const PLAIN: Style = Style { has_color: false, width: None, reading: None };

    #[test]
    fn blocks_follow_each_other() {
        let shown = Page::new()
            .heading("Garden")
            .field("plant", "fern")
            .field("litres a day", "2")
            .heading("Notes")
            .prose("likes shade\r\n\n  and \u{1b}[31mrain\n")
            .item("one")
            .blank()
            .line("end")
            .more(3, Some(Hint::say("look closer")));
        insta::assert_snapshot!(page(&shown, PLAIN), @r"
        Garden
        plant:        fern
        litres a day: 2

        Notes
          likes shade

            and ⟨U+001B⟩[31mrain
        - one

        end
        3 more: look closer
        ");
    }

    #[test]
    fn colour_goes_around_text_and_never_comes_from_it() {
        let style = Style { has_color: true, width: None, reading: None };
        let text = Text::of(Role::Bad, "\u{1b}[32mfine").plain(" ").and(Role::StatusDone, "done");
        let shown = page(&Page::new().line(text), style);
        assert_eq!(shown, "\x1b[31m⟨U+001B⟩[32mfine\x1b[0m \x1b[32mdone\x1b[0m\n");
    }

    #[test]
    fn running_text_is_broken_at_words_within_the_width() {
        let style = Style { width: Some(24), ..PLAIN };
        let shown =
            Page::new().line("one two three four five six").item("seven eight nine ten eleven").prose("a b\n  c");
        insta::assert_snapshot!(page(&shown, style), @"
        one two three four five
        six
        - seven eight nine ten
          eleven
          a b
            c
        ");
    }

    #[test]
    fn a_moment_is_described_once_however_the_line_is_broken() {
        let env = handoff_ops::Environment::new([("HANDOFF_CLOCK", "2026-11-15T16:40:00Z")]);
        let reading = Some(ReadingTime::of(&env));
        let line = Text::from("closed ").time("2026-11-15T13:10:00Z".parse().unwrap());
        for width in [12, 20, 80] {
            let shown = page(&Page::new().line(line.clone()), Style { width: Some(width), reading, ..PLAIN });
            assert_eq!(shown.matches("ago)").count(), 1, "{shown}");
        }
    }

    #[test]
    fn moments_in_fields_and_cells_are_described_too() {
        let env = handoff_ops::Environment::new([("HANDOFF_CLOCK", "2026-11-15T16:40:00Z")]);
        let at = || Text::default().time("2026-11-15T13:10:00Z".parse().unwrap());
        let table = Table::new([Column::new("last"), Column::new("title")]).rows([Row::new([at(), "fern".into()])]);
        let shown = page(
            &Page::new().field("ended", at()).table(table),
            Style { reading: Some(ReadingTime::of(&env)), ..PLAIN },
        );
        assert_eq!(shown.matches("(3 h ago)").count(), 2, "{shown}");
        assert!(!shown.contains("13:10:00Z"), "{shown}");
    }

    #[test]
    fn a_line_break_in_a_cell_does_not_break_the_table() {
        let table =
            Table::new([Column::new("a"), Column::new("b")]).rows([Row::new(["one\ntwo".into(), "\u{202e}x".into()])]);
        insta::assert_snapshot!(page(&Page::new().table(table), PLAIN), @"
        a        b
        one⏎two  ⟨U+202E⟩x
        ");
    }
}
