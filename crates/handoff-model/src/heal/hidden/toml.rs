//! Hidden characters in TOML, where an escape in a text means the character itself.

use std::ops::Range;

use toml_edit::{Document, Item, TableLike, Value};

use super::{HiddenLine, find, written_out};

/// The lines of a TOML file that hide something, as it is written or as it is meant.
pub fn find_in_toml(text: &str) -> Vec<HiddenLine> {
    let mut found = find(text);
    for (span, value) in escaped(text) {
        let line = text[..span.start].matches('\n').count() + 1;
        let characters: Vec<char> = find(&value).into_iter().flat_map(|line| line.characters).collect();
        match found.iter_mut().find(|known| known.line == line) {
            Some(known) => known.characters.extend(characters),
            None => found.push(HiddenLine { line, characters }),
        }
    }
    found.sort_by_key(|line| line.line);
    found
}

/// The file with each of them written out; `None` where it cannot be read.
pub fn written_out_in_toml(text: &str) -> Option<String> {
    let mut shown = text.to_owned();
    // From the end, so that what comes before keeps its place.
    let mut values = escaped(text);
    values.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    for (span, value) in values {
        let literal = Value::from(written_out(&value)).to_string();
        shown.replace_range(span, literal.trim());
    }
    let shown = written_out(&shown);
    Document::parse(shown.as_str()).is_ok().then_some(shown)
}

/// The texts whose hidden characters are written as escapes.
fn escaped(text: &str) -> Vec<(Range<usize>, String)> {
    // Most files have no escape but those of quotes and line ends.
    if !text.contains("\\u") && !text.contains("\\U") && !text.contains("\\x") && !text.contains("\\e") {
        return Vec::new();
    }
    let mut values = Vec::new();
    if let Ok(document) = Document::parse(text) {
        in_table(document.as_table(), &mut values);
    }
    values.retain(|(span, value)| !find(value).is_empty() && find(&text[span.clone()]).is_empty());
    values
}

fn in_table(table: &dyn TableLike, values: &mut Vec<(Range<usize>, String)>) {
    for (_, item) in table.iter() {
        match item {
            Item::Value(value) => in_value(value, values),
            Item::Table(inner) => in_table(inner, values),
            Item::ArrayOfTables(list) => list.iter().for_each(|inner| in_table(inner, values)),
            Item::None => {}
        }
    }
}

fn in_value(value: &Value, values: &mut Vec<(Range<usize>, String)>) {
    match value {
        Value::String(text) => values.extend(text.span().map(|span| (span, text.value().clone()))),
        Value::Array(items) => items.iter().for_each(|item| in_value(item, values)),
        Value::InlineTable(table) => in_table(table, values),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_hides_what_the_character_would() {
        let text = "# a\ntitle = \"x\\u001b[31m\"\nnote = '\\u001b'\nok = \"a\\nb\"\nraw = \"\u{202e}\"\n";
        let lines: Vec<usize> = find_in_toml(text).iter().map(|line| line.line).collect();
        assert_eq!(lines, [2, 5], "a literal text means what it shows");
        let shown = written_out_in_toml(text).unwrap();
        assert_eq!(shown, "# a\ntitle = \"x⟨U+001B⟩[31m\"\nnote = '\\u001b'\nok = \"a\\nb\"\nraw = \"⟨U+202E⟩\"\n");
        assert_eq!(find_in_toml(&shown), []);
    }
}
