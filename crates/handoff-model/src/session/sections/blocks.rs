//! The blocks that a body of Markdown is made of.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::ListItem;

/// A block at the top level, as far as sections care.
#[derive(Debug)]
pub(super) enum Block {
    Heading {
        /// From 1; a line in bold that stands alone is below all others
        level: u8,
        text: String,
    },
    List(Vec<ListItem>),
    Other,
}

const BOLD: u8 = 7;

type Spanned<'a> = (Event<'a>, Range<usize>);

/// The blocks of a body, each with what is written from its beginning to that of the next. Together they are the body.
pub(super) fn blocks(body: &str) -> Vec<(Block, &str)> {
    let mut starts: Vec<(Block, usize)> = vec![(Block::Other, 0)];
    let mut events: Vec<Spanned<'_>> = Vec::new();
    let mut depth = 0_usize;
    let options = Options::ENABLE_TASKLISTS | Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    for (event, range) in Parser::new_ext(body, options).into_offset_iter() {
        depth += usize::from(matches!(event, Event::Start(_)));
        depth -= usize::from(matches!(event, Event::End(_)));
        events.push((event, range));
        if depth == 0 {
            read(body, &events, &mut starts);
            events.clear();
        }
    }
    let ends: Vec<usize> = starts.iter().skip(1).map(|(_, start)| *start).chain([body.len()]).collect();
    starts.into_iter().zip(ends).map(|((block, start), end)| (block, &body[start..end])).collect()
}

/// Reads one block from its events; a line in bold with text below it in one paragraph is two.
fn read(body: &str, events: &[Spanned<'_>], starts: &mut Vec<(Block, usize)>) {
    let Some((first, range)) = events.first() else { return };
    // With its indentation, which is not part of the range.
    let start = body[..range.start].rfind('\n').map_or(0, |end| end + 1);
    match first {
        Event::Start(Tag::Heading { level, .. }) => {
            let text = plain_text(events);
            starts.push((Block::Heading { level: *level as u8, text }, start));
        }
        Event::Start(Tag::List(_)) => starts.push((Block::List(items(body, events)), start)),
        Event::Start(Tag::Paragraph) => match bold_line(events) {
            Some((text, end)) => {
                starts.push((Block::Heading { level: BOLD, text }, start));
                starts.extend(end.map(|end| (Block::Other, end)));
            }
            None => starts.push((Block::Other, start)),
        },
        _ => starts.push((Block::Other, start)),
    }
}

fn plain_text(events: &[Spanned<'_>]) -> String {
    let texts = events.iter().map(|(event, _)| match event {
        Event::Text(text) | Event::Code(text) => text.as_ref(),
        Event::SoftBreak | Event::HardBreak => " ",
        _ => "",
    });
    texts.collect::<String>().trim().to_owned()
}

/// The text of a first line that is all bold, and where the line below it begins if the paragraph has one.
fn bold_line(events: &[Spanned<'_>]) -> Option<(String, Option<usize>)> {
    let is_break = |event: &Event<'_>| matches!(event, Event::SoftBreak | Event::HardBreak);
    let inside = events.get(1..events.len().checked_sub(1)?)?;
    let end = inside.iter().position(|(event, _)| is_break(event)).unwrap_or(inside.len());
    let mut is_bold = false;
    let mut has_bold = false;
    for (event, _) in &inside[..end] {
        match event {
            Event::Start(Tag::Strong) => (is_bold, has_bold) = (true, true),
            Event::End(TagEnd::Strong) => is_bold = false,
            // A colon or an emoji beside the bold words is no text of its own.
            Event::Text(text) if !is_bold && text.contains(char::is_alphanumeric) => return None,
            Event::Text(_) => {}
            _ if !is_bold => return None,
            _ => {}
        }
    }
    let below = inside.get(end).map(|(_, range)| range.end);
    has_bold.then(|| (plain_text(&inside[..end]), below))
}

/// An item that is being read.
struct Open {
    place: usize,
    /// From where on its text is not taken yet; unknown before its first content
    from: Option<usize>,
}

fn items(body: &str, events: &[Spanned<'_>]) -> Vec<ListItem> {
    let mut items: Vec<ListItem> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    for (event, range) in events {
        match event {
            Event::Start(Tag::Item) => {
                items.push(ListItem { text: String::new(), checked: None, depth: open.len() });
                open.push(Open { place: items.len() - 1, from: None });
            }
            Event::Start(Tag::List(_)) => {
                if let Some(Open { place, from: Some(from) }) = open.last() {
                    take(&mut items[*place], &body[*from..range.start]);
                }
            }
            Event::End(TagEnd::List(_)) => {
                if let Some(item) = open.last_mut() {
                    item.from = Some(range.end);
                }
            }
            Event::End(TagEnd::Item) => {
                if let Some(Open { place, from: Some(from) }) = open.pop() {
                    take(&mut items[place], &body[from..range.end.max(from)]);
                }
            }
            Event::TaskListMarker(checked) => {
                if let Some(item) = open.last_mut() {
                    items[item.place].checked = Some(*checked);
                    item.from = Some(range.end);
                }
            }
            _ => {
                if let Some(item) = open.last_mut() {
                    item.from.get_or_insert(range.start);
                }
            }
        }
    }
    items
}

/// Adds what is written to an item's text, without the indentation of its lines.
fn take(item: &mut ListItem, written: &str) {
    for line in written.trim().lines() {
        if !item.text.is_empty() {
            item.text.push('\n');
        }
        item.text.push_str(line.trim());
    }
}
