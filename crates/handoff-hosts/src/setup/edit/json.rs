//! JSON files with comments and trailing commas: values are put in and taken out, everything else stays byte for byte.

use std::ops::Range;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

use super::json_text::{self, Layout};
use super::{Draft, Refusal};

/// The value at a path; `None` where there is none.
pub(crate) fn get(draft: &Draft, at: &[String]) -> Result<Option<Value>, Refusal> {
    let Some(root) = parse(&draft.text)? else { return Ok(None) };
    Ok(walk(&root, at)?.map(plain))
}

/// Puts a value where there is none, or in the place of what is there.
pub(crate) fn put(draft: &mut Draft, at: &[String], value: &Value) -> Result<(), Refusal> {
    match find(draft, at)? {
        Place::Value(range) => {
            let text = json_text::print(value, layout_of_value(draft, range.start));
            draft.replace(range, &text);
        }
        Place::Missing { container, missing } => {
            let (name, below) = missing.split_first().expect("something is missing");
            let nested = below
                .iter()
                .rev()
                .fold(value.clone(), |inner, key| Value::Object(Map::from_iter([(key.clone(), inner)])));
            insert_last(draft, &container, |layout| json_text::property(name, &nested, layout));
        }
        Place::NoRoot => {
            let whole =
                at.iter().rev().fold(value.clone(), |inner, key| Value::Object(Map::from_iter([(key.clone(), inner)])));
            let line_end = draft.line_end();
            let text = json_text::print(&whole, Layout::Lines { indent: "", unit: UNIT, line_end });
            let end = draft.text.trim_end().len();
            let tail = if draft.text[end..].is_empty() { line_end } else { "" };
            let gap = if end == 0 { "" } else { line_end };
            draft.insert(end, &format!("{gap}{text}{tail}"));
        }
    }
    Ok(())
}

/// The items of a list; none where there is no such list.
pub(crate) fn items(draft: &Draft, at: &[String]) -> Result<Vec<Value>, Refusal> {
    let Some(root) = parse(&draft.text)? else { return Ok(Vec::new()) };
    match walk(&root, at)? {
        None => Ok(Vec::new()),
        Some(ast::Value::Array(array)) => Ok(array.elements.iter().map(plain).collect()),
        Some(other) => Err(shape(other, at, "a list")),
    }
}

/// Adds an item at the end of a list, which is made where there is none.
pub(crate) fn append(draft: &mut Draft, at: &[String], item: &Value) -> Result<(), Refusal> {
    let Some(container) = list(draft, at)? else { return put(draft, at, &Value::Array(vec![item.clone()])) };
    insert_last(draft, &container, |layout| json_text::print(item, layout));
    Ok(())
}

/// Replaces one item of a list.
pub(crate) fn replace_item(draft: &mut Draft, at: &[String], index: usize, item: &Value) -> Result<(), Refusal> {
    if let Some(range) = list(draft, at)?.and_then(|list| list.items.get(index).cloned()) {
        let text = json_text::print(item, layout_of_value(draft, range.start));
        draft.replace(range, &text);
    }
    Ok(())
}

/// Takes one item out of a list.
pub(crate) fn remove_item(draft: &mut Draft, at: &[String], index: usize) -> Result<(), Refusal> {
    if let Some(list) = list(draft, at)? {
        remove(draft, &list, index);
    }
    Ok(())
}

/// Takes a property out of its object.
pub(crate) fn remove_property(draft: &mut Draft, at: &[String]) -> Result<(), Refusal> {
    let Some((name, above)) = at.split_last() else { return Ok(()) };
    let Some(root) = parse(&draft.text)? else { return Ok(()) };
    let Some(ast::Value::Object(object)) = walk(&root, above)? else { return Ok(()) };
    if let Some(index) = property(object, name, at)? {
        let container = Container::of_object(object);
        remove(draft, &container, index);
    }
    Ok(())
}

/// Takes out a container that holds nothing any more, not even a comment, and those around it that hold nothing else.
pub(crate) fn prune(draft: &mut Draft, at: &[String]) -> Result<(), Refusal> {
    for depth in (1..=at.len()).rev() {
        let at = &at[..depth];
        let Some(root) = parse(&draft.text)? else { return Ok(()) };
        let Some(value) = walk(&root, at)? else { continue };
        let range = range(value);
        let is_container = matches!(value, ast::Value::Object(_) | ast::Value::Array(_));
        if !is_container || !draft.text[range.start + 1..range.end - 1].trim().is_empty() {
            return Ok(());
        }
        remove_property(draft, at)?;
    }
    Ok(())
}

/// The names in an object, in their order; none where there is no such object.
pub(crate) fn names(draft: &Draft, at: &[String]) -> Result<Vec<String>, Refusal> {
    let Some(root) = parse(&draft.text)? else { return Ok(Vec::new()) };
    match walk(&root, at)? {
        Some(ast::Value::Object(object)) => {
            Ok(object.properties.iter().map(|property| property.name.as_str().to_owned()).collect())
        }
        _ => Ok(Vec::new()),
    }
}

/// Whether there is nothing but an empty object in the file.
pub(crate) fn is_bare(text: &str) -> bool {
    text.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).is_some_and(|inner| inner.trim().is_empty())
}

const UNIT: &str = "  ";

fn parse(text: &str) -> Result<Option<ast::Value<'_>>, Refusal> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    parse_to_ast(text, &CollectOptions::default(), &options).map(|parsed| parsed.value).map_err(|error| {
        Refusal::Invalid {
            language: "JSON",
            line: error.line_display(),
            column: error.column_display(),
            reason: error.kind().to_string().trim_end_matches('.').to_lowercase(),
        }
    })
}

/// An object or a list in the text, and its properties or items.
struct Container {
    range: Range<usize>,
    items: Vec<Range<usize>>,
}

impl Container {
    fn of_object(object: &ast::Object<'_>) -> Container {
        let items = object.properties.iter().map(|property| property.start()..property.end()).collect();
        Container { range: object.start()..object.end(), items }
    }
}

enum Place {
    Value(Range<usize>),
    /// The innermost object that is there, and the names that are not
    Missing {
        container: Container,
        missing: Vec<String>,
    },
    NoRoot,
}

fn find(draft: &Draft, at: &[String]) -> Result<Place, Refusal> {
    let Some(root) = parse(&draft.text)? else { return Ok(Place::NoRoot) };
    let mut here = &root;
    for (depth, key) in at.iter().enumerate() {
        let ast::Value::Object(object) = here else { return Err(shape(here, &at[..depth], "an object")) };
        match property(object, key, &at[..=depth])? {
            Some(index) => here = &object.properties[index].value,
            None => {
                let container = Container::of_object(object);
                return Ok(Place::Missing { container, missing: at[depth..].to_vec() });
            }
        }
    }
    Ok(Place::Value(range(here)))
}

/// What is at a path; in a list, a name is the position of an item.
fn walk<'v, 't>(root: &'v ast::Value<'t>, at: &[String]) -> Result<Option<&'v ast::Value<'t>>, Refusal> {
    let mut here = root;
    for (depth, key) in at.iter().enumerate() {
        if let (ast::Value::Array(array), Ok(index)) = (here, key.parse::<usize>()) {
            match array.elements.get(index) {
                Some(item) => here = item,
                None => return Ok(None),
            }
            continue;
        }
        let ast::Value::Object(object) = here else { return Err(shape(here, &at[..depth], "an object")) };
        match property(object, key, &at[..=depth])? {
            Some(index) => here = &object.properties[index].value,
            None => return Ok(None),
        }
    }
    Ok(Some(here))
}

fn list(draft: &Draft, at: &[String]) -> Result<Option<Container>, Refusal> {
    let Some(root) = parse(&draft.text)? else { return Ok(None) };
    match walk(&root, at)? {
        None => Ok(None),
        Some(ast::Value::Array(array)) => {
            Ok(Some(Container { range: array.start()..array.end(), items: array.elements.iter().map(range).collect() }))
        }
        Some(other) => Err(shape(other, at, "a list")),
    }
}

fn property(object: &ast::Object<'_>, name: &str, at: &[String]) -> Result<Option<usize>, Refusal> {
    let mut found = object.properties.iter().enumerate().filter(|(_, property)| property.name.as_str() == name);
    let first = found.next().map(|(index, _)| index);
    if found.next().is_some() { Err(Refusal::Twice { at: at.join(".") }) } else { Ok(first) }
}

fn range(value: &ast::Value<'_>) -> Range<usize> {
    value.start()..value.end()
}

fn shape(found: &ast::Value<'_>, at: &[String], expected: &'static str) -> Refusal {
    let found = match found {
        ast::Value::Object(_) => "an object",
        ast::Value::Array(_) => "a list",
        ast::Value::StringLit(_) => "a text",
        ast::Value::NumberLit(_) => "a number",
        ast::Value::BooleanLit(_) => "true or false",
        ast::Value::NullKeyword(_) => "null",
    };
    let at = if at.is_empty() { "the whole file".to_owned() } else { at.join(".") };
    Refusal::Shape { at, found, expected }
}

fn plain(value: &ast::Value<'_>) -> Value {
    match value {
        ast::Value::Object(object) => Value::Object(
            object
                .properties
                .iter()
                .map(|property| (property.name.as_str().to_owned(), plain(&property.value)))
                .collect(),
        ),
        ast::Value::Array(array) => array.elements.iter().map(plain).collect(),
        ast::Value::StringLit(text) => Value::from(text.value.as_ref()),
        ast::Value::NumberLit(number) => serde_json::from_str(number.value).unwrap_or(Value::Null),
        ast::Value::BooleanLit(boolean) => Value::from(boolean.value),
        ast::Value::NullKeyword(_) => Value::Null,
    }
}

/// The layout for a value that begins at this byte.
fn layout_of_value(draft: &Draft, start: usize) -> Layout<'_> {
    let unit = unit(draft);
    if is_one_line(&draft.text) {
        return Layout::Line { is_spaced: is_spaced(&draft.text) };
    }
    Layout::Lines { indent: indent(draft, start), unit, line_end: draft.line_end() }
}

/// The blanks at the beginning of the line that a byte is in.
fn indent(draft: &Draft, at: usize) -> &str {
    let line = &draft.text[draft.line_start(at)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// What this file indents by, seen from the first line that is indented.
fn unit(draft: &Draft) -> &str {
    let indented = draft
        .text
        .lines()
        .skip(1)
        .find(|line| line.starts_with([' ', '\t']) && line.trim_start().starts_with(['"', '}', ']', '{', '[']));
    match indented {
        Some(line) if line.starts_with('\t') => "\t",
        Some(line) => &line[..line.len() - line.trim_start_matches(' ').len()],
        None => UNIT,
    }
}

fn is_one_line(text: &str) -> bool {
    !text.trim().contains('\n') && !is_bare(text)
}

fn is_spaced(text: &str) -> bool {
    text.contains("\": ") || text.contains(", ")
}

/// Puts one more item behind the last.
fn insert_last(draft: &mut Draft, container: &Container, item: impl Fn(Layout<'_>) -> String) {
    let (open, close) = (container.range.start, container.range.end - 1);
    let line_end = draft.line_end();
    let Some(last) = container.items.last() else {
        return insert_only(draft, open, close, item);
    };
    let first = &container.items[0];
    if !draft.text[open..first.start].contains('\n') {
        let inner = &draft.text[open..=close];
        let is_spaced = is_spaced(inner) || !is_one_line(&draft.text);
        let text = item(Layout::Line { is_spaced });
        let gap = if is_spaced { " " } else { "" };
        return match comma_after(&draft.text, last.end) {
            Some(comma) => draft.insert(comma + 1, &format!("{gap}{text},")),
            None => draft.insert(last.end, &format!(",{gap}{text}")),
        };
    }
    let indent = indent(draft, first.start).to_owned();
    let text = item(Layout::Lines { indent: &indent, unit: unit(draft), line_end });
    match comma_after(&draft.text, last.end) {
        Some(comma) => {
            let at = end_of_remarks(&draft.text, comma + 1);
            draft.insert(at, &format!("{line_end}{indent}{text},"));
        }
        None => {
            let at = end_of_remarks(&draft.text, last.end);
            draft.insert(at, &format!("{line_end}{indent}{text}"));
            draft.insert(last.end, ",");
        }
    }
}

/// Puts the first item into a container, behind the comments that may be in it.
fn insert_only(draft: &mut Draft, open: usize, close: usize, item: impl Fn(Layout<'_>) -> String) {
    let inner = &draft.text[open + 1..close];
    if is_one_line(&draft.text) {
        let text = item(Layout::Line { is_spaced: is_spaced(&draft.text) });
        let at = open + 1 + inner.trim_end().len();
        return draft.insert(at, &text);
    }
    let line_end = draft.line_end();
    let outer = indent(draft, open).to_owned();
    let indent = format!("{outer}{}", unit(draft));
    let text = item(Layout::Lines { indent: &indent, unit: unit(draft), line_end });
    let kept = inner.trim_end_matches([' ', '\t', '\r', '\n']).len();
    // A line comment ends with its line, so the line end behind it stays where it is.
    let tail = if inner[kept..].contains('\n') { String::new() } else { format!("{line_end}{outer}") };
    draft.insert(open + 1 + kept, &format!("{line_end}{indent}{text}{tail}"));
}

/// Takes one item out, with its comma and the line it began.
fn remove(draft: &mut Draft, container: &Container, index: usize) {
    let item = container.items[index].clone();
    let own_comma = comma_after(&draft.text, item.end);
    let is_last = index + 1 == container.items.len();
    let before = index.checked_sub(1).map(|previous| container.items[previous].end);
    // Blanks before it go, and with them the line it stood in, but no comment.
    let from = draft.text[..item.start].trim_end_matches([' ', '\t', '\r', '\n']).len();
    let stands_alone = draft.text[from..item.start].contains('\n');
    let mut end =
        own_comma.filter(|comma| draft.text[item.end..*comma].trim().is_empty()).map_or(item.end, |at| at + 1);
    let mut start = from;
    if container.items.len() == 1 && draft.text[container.range.start + 1..from].trim().is_empty() {
        // Alone in its brackets: the blanks behind it go as well.
        let rest = &draft.text[end..container.range.end - 1];
        if rest.trim().is_empty() {
            end = container.range.end - 1;
        }
    } else if !stands_alone && index == 0 {
        // First in a line with others: the blank behind its comma goes, the one behind the bracket stays.
        start = item.start;
        end += draft.text[end..].len() - draft.text[end..].trim_start_matches([' ', '\t']).len();
    }
    draft.remove(start..end);
    if is_last
        && own_comma.is_none()
        && let Some(before) = before
        && let Some(comma) = comma_after(&draft.text, before)
    {
        draft.remove(comma..comma + 1);
    }
}

/// The comma that follows, behind nothing but blanks and comments.
fn comma_after(text: &str, at: usize) -> Option<usize> {
    let at = skip(text, at, true);
    text[at..].starts_with(',').then_some(at)
}

/// The end of the comments that stand behind something in the same line.
fn end_of_remarks(text: &str, at: usize) -> usize {
    let end = skip(text, at, false);
    // Blanks alone are no comment.
    if text[at..end].trim().is_empty() { at } else { at + text[at..end].trim_end().len() }
}

/// Passes over blanks and comments; over line ends only where told to.
fn skip(text: &str, mut at: usize, over_lines: bool) -> usize {
    loop {
        let rest = &text[at..];
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            let end = rest.find("*/").map_or(rest.len(), |end| end + 2);
            if !over_lines && rest[..end].contains('\n') {
                return at;
            }
            at += end;
        } else {
            match rest.chars().next() {
                Some(' ' | '\t' | '\r') => at += 1,
                Some('\n') if over_lines => at += 1,
                _ => return at,
            }
        }
    }
}
