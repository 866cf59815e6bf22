//! JSON as a person would write it into the file at hand.

use serde_json::Value;

/// How a value is laid out.
#[derive(Clone, Copy, Debug)]
pub(super) enum Layout<'a> {
    /// Over several lines; `indent` is that of the line the value begins in
    Lines { indent: &'a str, unit: &'a str, line_end: &'a str },
    /// In one line, with blanks after commas and colons or without
    Line { is_spaced: bool },
}

/// The value as text.
pub(super) fn print(value: &Value, layout: Layout<'_>) -> String {
    let mut out = String::new();
    push(&mut out, value, layout);
    out
}

/// A property as text.
pub(super) fn property(name: &str, value: &Value, layout: Layout<'_>) -> String {
    let gap = if matches!(layout, Layout::Line { is_spaced: false }) { "" } else { " " };
    format!("{}:{gap}{}", Value::from(name), print(value, layout))
}

fn push(out: &mut String, value: &Value, layout: Layout<'_>) {
    match value {
        Value::Object(map) => {
            let items = map.iter().map(|(name, value)| (Some(name.as_str()), value));
            brackets(out, ('{', '}'), items, layout, false);
        }
        Value::Array(list) => {
            // A list of words stays in one line; one of objects does not.
            let is_plain = !list.iter().any(|item| item.is_object() || item.is_array());
            brackets(out, ('[', ']'), list.iter().map(|item| (None, item)), layout, is_plain);
        }
        plain => out.push_str(&plain.to_string()),
    }
}

fn brackets<'v>(
    out: &mut String,
    (open, close): (char, char),
    items: impl ExactSizeIterator<Item = (Option<&'v str>, &'v Value)>,
    layout: Layout<'_>,
    is_plain: bool,
) {
    out.push(open);
    let (is_empty, is_line) = (items.len() == 0, is_plain || matches!(layout, Layout::Line { .. }));
    let inner_indent = match layout {
        Layout::Lines { indent, unit, .. } => format!("{indent}{unit}"),
        Layout::Line { .. } => String::new(),
    };
    let inner = match layout {
        Layout::Lines { unit, line_end, .. } => Layout::Lines { indent: &inner_indent, unit, line_end },
        line @ Layout::Line { .. } => line,
    };
    for (index, (name, value)) in items.enumerate() {
        if index > 0 {
            out.push(',');
        }
        match inner {
            Layout::Lines { indent, line_end, .. } if !is_line => {
                out.push_str(line_end);
                out.push_str(indent);
            }
            Layout::Line { is_spaced: false } => {}
            _ if index > 0 => out.push(' '),
            _ => {}
        }
        match name {
            Some(name) => out.push_str(&property(name, value, inner)),
            None => push(out, value, inner),
        }
    }
    if let Layout::Lines { indent, line_end, .. } = layout
        && !is_empty
        && !is_line
    {
        out.push_str(line_end);
        out.push_str(indent);
    }
    out.push(close);
}
