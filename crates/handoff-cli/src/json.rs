//! JSON that is safe on a terminal.

use handoff_ops::visible_json;
use serde_json::Value;

/// How JSON is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Indented, for people.
    Pretty,
    /// One line, for programs.
    Compact,
}

/// The value as text that ends in a line break.
pub(crate) fn text(value: &Value, layout: Layout) -> String {
    let text = match layout {
        Layout::Pretty => format!("{value:#}\n"),
        Layout::Compact => format!("{value}\n"),
    };
    visible_json(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn hidden_characters_are_escaped_and_nothing_is_lost() {
        let value = json!({"title": "a\u{1b}[2J\u{9b}\u{202e}\u{e0041}\u{7f}\nb"});
        let safe = text(&value, Layout::Compact);
        assert_eq!(safe, "{\"title\":\"a\\u001b[2J\\u009b\\u202e\\udb40\\udc41\\u007f\\nb\"}\n");
        assert_eq!(serde_json::from_str::<Value>(&safe).unwrap(), value);
        assert_eq!(serde_json::from_str::<Value>(&text(&value, Layout::Pretty)).unwrap(), value);
    }
}
