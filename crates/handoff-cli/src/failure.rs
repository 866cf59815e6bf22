//! Errors and warnings for people and for programs.

use std::fmt::Write as _;

use handoff_ops::page::Role;
use handoff_ops::{Breaks, Door, OpError, visible};

use crate::draw::Style;
use crate::json::{self, Layout};

/// More of one line than anyone reads; it may echo a whole document.
const LONGEST: usize = 2_000;

/// The error as lines: the sentence with its causes, what belongs to it, and the ways out.
pub(crate) fn text(error: &OpError, style: Style) -> String {
    let mut out = labelled("error", Role::Bad, &error.sentence(), style);
    for detail in error.detail_lines() {
        for line in visible(&shortened(detail), Breaks::Keep).lines() {
            writeln!(out, "  {line}").expect("writing to a string cannot fail");
        }
    }
    for hint in error.hints() {
        out.push_str(&labelled("hint", Role::Number, &hint.at(Door::Cli), style));
    }
    out
}

/// The error for programs.
pub(crate) fn json(error: &OpError, layout: Layout) -> String {
    json::text(&error.to_json(Door::Cli), layout)
}

/// Warnings as lines.
pub(crate) fn warnings(warnings: &[String], style: Style) -> String {
    warnings.iter().map(|warning| labelled("warning", Role::Warn, warning, style)).collect()
}

fn labelled(label: &str, role: Role, text: &str, style: Style) -> String {
    format!("{} {}\n", style.paint(role, &format!("{label}:")), style.paint(Role::Plain, &shortened(text)))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use handoff_ops::Hint;

    use super::*;

    const PLAIN: Style = Style { has_color: false, width: None, reading: None };

    #[test]
    fn an_error_says_what_why_and_what_next() {
        let error = OpError::failure("cannot save `a\u{1b}b`")
            .caused_by("the disk is full")
            .detail("tried twice\nat night")
            .hint(Hint::say("make room"));
        insta::assert_snapshot!(text(&error, PLAIN), @r"
        error: cannot save `a⟨U+001B⟩b`: the disk is full
          tried twice
          at night
        hint: make room
        ");
    }

    #[test]
    fn an_endless_message_is_shortened() {
        let shown = text(&OpError::usage("ü".repeat(10_000)), PLAIN);
        assert_eq!(shown.chars().count(), "error: ".len() + LONGEST + "…\n".chars().count());
    }
}
