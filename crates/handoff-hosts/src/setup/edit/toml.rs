//! TOML files: tables are put in and taken out, everything else stays byte for byte, comments and line ends included.
//!
//! The parser only says where things are. Writing its document out would change line ends.

use std::ops::Range;

use serde_json::{Map, Value};
use toml_edit::{Document, Item, Table, TableLike};

use super::lines::{append_lines, whole_lines};
use super::{Draft, Refusal};

/// The value at a path; `None` where there is none.
pub(crate) fn get(draft: &Draft, at: &[String]) -> Result<Option<Value>, Refusal> {
    let document = parse(&draft.text)?;
    Ok(walk(document.as_item(), at)?.map(plain))
}

/// Puts a value where there is none, or in the place of one. A table is put in as a table of its own.
pub(crate) fn put(draft: &mut Draft, at: &[String], value: &Value) -> Result<(), Refusal> {
    let before = draft.clone();
    let done = put_unchecked(draft, at, value)
        .and_then(|()| if get(draft, at)?.as_ref() == Some(value) { Ok(()) } else { Err(Refusal::Unsafe) });
    if done.is_err() {
        *draft = before;
    }
    done
}

fn put_unchecked(draft: &mut Draft, at: &[String], value: &Value) -> Result<(), Refusal> {
    let document = parse(&draft.text)?;
    let (name, above) = at.split_last().ok_or(Refusal::Unsafe)?;
    match walk(document.as_item(), at)? {
        Some(Item::Value(present)) => {
            let span = present.span().ok_or(Refusal::Unsafe)?;
            draft.replace(span, &inline(value));
            return Ok(());
        }
        Some(_) => {
            remove(draft, at)?;
            return put_unchecked(draft, at, value);
        }
        None => {}
    }
    match walk(document.as_item(), above)? {
        Some(Item::Table(table)) if !value.is_object() && table.span().is_some() && !table.is_dotted() => {
            let line_end = draft.line_end();
            let line = format!("{} = {}", key(name), inline(value));
            let end = end_of_own_lines(draft, table).ok_or(Refusal::Unsafe)?;
            draft.insert(end, &format!("{line_end}{line}"));
            return Ok(());
        }
        _ => {}
    }
    if let Some((table, missing)) = inline_ancestor(document.as_item(), at) {
        let nested = missing[1..]
            .iter()
            .rev()
            .fold(value.clone(), |inner, key| Value::Object(Map::from_iter([(key.clone(), inner)])));
        let entry = format!("{} = {}", key(&missing[0]), inline(&nested));
        let inner = draft.text[table.start + 1..table.end - 1].to_owned();
        let kept = inner.trim_end().len();
        let entry = if inner.trim().is_empty() { format!(" {entry} ") } else { format!(", {entry}") };
        draft.replace(table.start + 1 + kept..table.end - 1, &format!("{entry}{}", &inner[kept..]));
        return Ok(());
    }
    let Value::Object(entries) = value else { return Err(Refusal::Unsafe) };
    let line_end = draft.line_end();
    let header: Vec<String> = at.iter().map(|part| key(part)).collect();
    let mut lines = vec![format!("[{}]", header.join("."))];
    lines.extend(entries.iter().map(|(name, value)| format!("{} = {}", key(name), inline(value))));
    append_lines(draft, &lines.join(line_end));
    Ok(())
}

/// Takes out what is at a path, with the tables below it.
pub(crate) fn remove(draft: &mut Draft, at: &[String]) -> Result<(), Refusal> {
    let document = parse(&draft.text)?;
    let Some(item) = walk(document.as_item(), at)? else { return Ok(()) };
    if let Some((name, above)) = at.split_last()
        && let Some(Item::Value(parent)) = walk(document.as_item(), above)?
        && let Some(table) = parent.as_inline_table()
    {
        let (start, end) = inline_entry(&draft.text, table, name).ok_or(Refusal::Unsafe)?;
        draft.remove(start..end);
        return Ok(());
    }
    let mut ranges = Vec::new();
    let own_key = at.split_last().and_then(|(name, above)| {
        let parent = walk(document.as_item(), above).ok()??.as_table_like()?;
        parent.get_key_value(name).and_then(|(key, _)| key.span())
    });
    collect_lines(draft, item, own_key, &mut ranges);
    ranges.sort_by_key(|range| range.start);
    for range in ranges.into_iter().rev() {
        draft.remove(range);
    }
    Ok(())
}

fn parse(text: &str) -> Result<Document<&str>, Refusal> {
    Document::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start).min(text.len());
        let at = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        Refusal::Invalid {
            language: "TOML",
            line: 1 + text[..at].matches('\n').count(),
            column: 1 + text[line_start..at].chars().count(),
            reason: error.message().lines().next().unwrap_or_default().to_owned(),
        }
    })
}

fn walk<'d>(root: &'d Item, at: &[String]) -> Result<Option<&'d Item>, Refusal> {
    let mut here = root;
    for (depth, key) in at.iter().enumerate() {
        let Some(table) = here.as_table_like() else {
            return Err(Refusal::Shape { at: at[..depth].join("."), found: found(here), expected: "a table" });
        };
        match table.get(key) {
            Some(item) if !item.is_none() => here = item,
            _ => return Ok(None),
        }
    }
    Ok(Some(here))
}

fn found(item: &Item) -> &'static str {
    match item {
        Item::ArrayOfTables(_) => "a list of tables",
        Item::Value(value) if value.is_array() => "a list",
        Item::Value(value) if value.is_str() => "a text",
        Item::Value(_) => "a value",
        Item::Table(_) | Item::None => "a table",
    }
}

/// The innermost inline table on the way to a path, and the names that are missing in it.
fn inline_ancestor<'a>(root: &Item, at: &'a [String]) -> Option<(Range<usize>, &'a [String])> {
    (1..at.len()).rev().find_map(|depth| match walk(root, &at[..depth]) {
        Ok(Some(Item::Value(value))) => value.as_inline_table()?.span().map(|span| (span, &at[depth..])),
        _ => None,
    })
}

/// Where the last line of a table's own ends, before its line end and behind its comment.
fn end_of_own_lines(draft: &Draft, table: &Table) -> Option<usize> {
    let values = table.iter().filter_map(|(_, item)| item.as_value()?.span());
    let last = values.chain(table.span()).map(|span| span.end).max()?;
    let rest = &draft.text[last..];
    Some(last + rest.find('\n').map_or(rest, |newline| &rest[..newline]).trim_end().len())
}

/// The lines that make up an item: of a table its header and its own values, and the same for the tables in it.
fn collect_lines(draft: &Draft, item: &Item, own_key: Option<Range<usize>>, ranges: &mut Vec<Range<usize>>) {
    match item {
        Item::Value(value) => {
            if let (Some(key), Some(span)) = (own_key, value.span()) {
                ranges.push(whole_lines(draft, key.start..span.end, false));
            }
        }
        Item::Table(table) => {
            let has_header = !table.is_dotted() && !table.is_implicit();
            if has_header && let (Some(header), Some(end)) = (table.span(), end_of_own_lines(draft, table)) {
                ranges.push(whole_lines(draft, header.start..end, true));
            }
            for (name, inner) in table {
                if has_header && inner.is_value() {
                    continue;
                }
                let key = table.get_key_value(name).and_then(|(key, _)| key.span());
                collect_lines(draft, inner, key, ranges);
            }
        }
        Item::ArrayOfTables(tables) => {
            for table in tables {
                collect_lines(draft, &Item::Table(table.clone()), None, ranges);
            }
        }
        Item::None => {}
    }
}

/// An entry of an inline table, with one comma.
fn inline_entry(text: &str, table: &toml_edit::InlineTable, name: &str) -> Option<(usize, usize)> {
    let (key, item) = table.get_key_value(name)?;
    let (start, end) = (key.span()?.start, item.span()?.end);
    let rest = &text[end..];
    let behind = rest.len() - rest.trim_start().len();
    if rest[behind..].starts_with(',') {
        let comma = end + behind + 1;
        let blanks = text[comma..].len() - text[comma..].trim_start_matches([' ', '\t']).len();
        return Some((start, comma + blanks));
    }
    let head = text[..start].trim_end();
    match head.strip_suffix(',') {
        Some(head) => Some((head.len(), end)),
        None => Some((start, end)),
    }
}

fn plain(item: &Item) -> Value {
    match item {
        Item::Value(value) => plain_value(value),
        Item::Table(table) => plain_table(table),
        Item::ArrayOfTables(tables) => tables.iter().map(|table| plain_table(table)).collect(),
        Item::None => Value::Null,
    }
}

fn plain_table(table: &dyn TableLike) -> Value {
    Value::Object(table.iter().map(|(name, item)| (name.to_owned(), plain(item))).collect())
}

fn plain_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::from(text.value().as_str()),
        toml_edit::Value::Integer(number) => Value::from(*number.value()),
        toml_edit::Value::Float(number) => Value::from(*number.value()),
        toml_edit::Value::Boolean(boolean) => Value::from(*boolean.value()),
        toml_edit::Value::Datetime(when) => Value::from(when.value().to_string()),
        toml_edit::Value::Array(list) => list.iter().map(plain_value).collect(),
        toml_edit::Value::InlineTable(table) => plain_table(table),
    }
}

/// A value in one line.
fn inline(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let entries: Vec<String> =
                map.iter().map(|(name, value)| format!("{} = {}", key(name), inline(value))).collect();
            if entries.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", entries.join(", ")) }
        }
        Value::Array(list) => format!("[{}]", list.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::String(text) => toml_edit::Value::from(text.as_str()).to_string(),
        Value::Null => "\"\"".to_owned(),
        plain => plain.to_string(),
    }
}

fn key(name: &str) -> String {
    toml_edit::Key::new(name).display_repr().into_owned()
}
