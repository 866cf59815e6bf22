//! Keys and plain values in every notation that TOML has for them.

use std::fmt::Write as _;

use serde_json::Number;

use crate::choices::Choices;

pub fn key(choices: &mut Choices, name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    match choices.below(6) {
        4 => basic(name),
        5 if can_be_literal(name) => format!("'{name}'"),
        _ if bare => name.to_owned(),
        _ => basic(name),
    }
}

/// A text; one that is a time, at a key that holds one, in the native form too.
pub fn string(choices: &mut Choices, name: &str, text: &str) -> String {
    let is_time = name == "at" || name.ends_with("_at") || name.ends_with("_date") || name == "date";
    if is_time && text.parse::<toml::value::Datetime>().is_ok() && choices.below(4) != 3 {
        return match choices.below(4) {
            1 => text.replace('T', " "),
            2 => text.replace('T', "t").replace('Z', "z"),
            3 => text.replace('Z', "+00:00"),
            _ => text.to_owned(),
        };
    }
    match choices.below(4) {
        1 if can_be_literal(text) => format!("'{text}'"),
        2 => format!("\"\"\"\n{}\"\"\"", escaped(text, Some('\n'))),
        3 if text.chars().all(|c| c == '\n' || c == '\t' || !c.is_control()) && !text.contains('\'') => {
            format!("'''\n{text}'''")
        }
        _ => basic(text),
    }
}

pub fn number(choices: &mut Choices, name: &str, number: &Number) -> String {
    if let Some(whole) = number.as_i64() {
        return match choices.below(4) {
            1 if whole > 0 => format!("+{whole}"),
            2 if whole >= 0 => format!("{whole:#x}"),
            3 if whole > 1_000 => format!("{}_{:03}", whole / 1_000, whole % 1_000),
            _ => whole.to_string(),
        };
    }
    let decimal = number.as_f64().unwrap_or_default();
    let is_hours = name.ends_with("_hours");
    if is_hours && decimal.fract() == 0.0 && decimal.abs() < 1e9 && choices.flag() {
        return format!("{decimal:.0}");
    }
    format!("{decimal:?}")
}

fn can_be_literal(text: &str) -> bool {
    text.chars().all(|c| c == '\t' || (!c.is_control() && c != '\''))
}

fn basic(text: &str) -> String {
    format!("\"{}\"", escaped(text, None))
}

/// Escapes what cannot stand between double quotes, but for one character that may.
fn escaped(text: &str, spared: Option<char>) -> String {
    let mut written = String::new();
    for c in text.chars() {
        match c {
            c if spared == Some(c) => written.push(c),
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\t' => written.push_str("\\t"),
            c if c.is_control() => _ = write!(written, "\\u{:04X}", u32::from(c)),
            c => written.push(c),
        }
    }
    written
}
