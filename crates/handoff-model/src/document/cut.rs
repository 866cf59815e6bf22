//! Taking a value out of a file without the comments around it.

use std::ops::Range;

use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};
use toml_edit::DocumentMut;

use super::{set_path, with_windows_line_ends};
use crate::config::tables::{pruned, put};

/// The text without the value, or the table of values, at this path.
///
/// Comments stay behind. Only where the file is written in an unusual way do those on the lines concerned go too.
pub(crate) fn cut(text: &str, path: &[String]) -> String {
    let Ok(mut wanted) = toml::from_str::<Table>(text) else { return text.to_owned() };
    put(&mut wanted, path, None);
    let wanted = pruned(wanted);
    let says_that = |text: &String| toml::from_str(text).is_ok_and(|said| pruned(said) == wanted);
    if let Some(cut) = cut_lines(text, path).filter(says_that) {
        return cut;
    }
    let Ok(mut document) = text.parse::<DocumentMut>() else { return text.to_owned() };
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match set_path(&mut document, &path, None) {
        Ok(()) => {
            let plain = document.to_string();
            with_windows_line_ends(text, &plain).unwrap_or(plain)
        }
        Err(_) => text.to_owned(),
    }
}

/// Cuts the assignments and headers concerned out of their lines; `None` when they cannot be told apart.
fn cut_lines(text: &str, path: &[String]) -> Option<String> {
    let document = DeTable::parse(text).ok()?;
    let mut ranges = headers(text, path);
    find(text, document.get_ref(), path, &mut ranges);
    ranges.sort_by_key(|range| range.start);
    if ranges.windows(2).any(|pair| pair[0].end > pair[1].start) {
        return None;
    }
    let mut cut = text.to_owned();
    for range in ranges.into_iter().rev() {
        cut.replace_range(range, "");
    }
    // The blank line in front of a table that was the last goes with it.
    for end in ["\n\n", "\r\n\r\n"] {
        if cut.ends_with(end) && !text.ends_with(end) {
            cut.truncate(cut.len() - end.len() / 2);
        }
    }
    Some(cut)
}

/// Finds the assignments at or below `path`.
fn find(text: &str, table: &DeTable<'_>, path: &[String], ranges: &mut Vec<Range<usize>>) {
    for (key, value) in table {
        let rest = match path.split_first() {
            None => path,
            Some((first, rest)) if first.as_str() == key.get_ref().as_ref() => rest,
            Some(_) => continue,
        };
        match value.get_ref() {
            DeValue::Table(inner) if !is_inline(text, value) => find(text, inner, rest, ranges),
            DeValue::Array(items) if rest.is_empty() && has_headers(text, items) => {
                for item in items {
                    if let DeValue::Table(inner) = item.get_ref() {
                        find(text, inner, &[], ranges);
                    }
                }
            }
            _ if rest.is_empty() => {
                ranges.push(line_start(text, key.span().start)..rest_of_line(text, value.span().end));
            }
            _ => {}
        }
    }
}

/// Whether a list is written as tables with headers of their own.
fn has_headers(text: &str, items: &[Spanned<DeValue<'_>>]) -> bool {
    !items.is_empty() && items.iter().all(|item| item.get_ref().is_table() && !is_inline(text, item))
}

fn is_inline(text: &str, table: &Spanned<DeValue<'_>>) -> bool {
    text.get(table.span()).is_some_and(|written| written.starts_with('{'))
}

/// The headers of the tables at or below `path`.
fn headers(text: &str, path: &[String]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        // Headers are short; a line of brackets without end is something else.
        if line.trim_start().starts_with('[') && line.len() < 1_000 {
            let ends = line.match_indices(']').map(|(index, _)| index + 1);
            let header = ends.filter(|&end| is_header(&line[..end], path)).map(|end| start + end).next();
            found.extend(header.map(|end| start..rest_of_line(text, end)));
        }
        start += line.len();
    }
    found
}

fn is_header(written: &str, path: &[String]) -> bool {
    let Ok(mut table) = toml::from_str::<Table>(written) else { return false };
    path.iter().all(|part| {
        let found = match table.remove(part) {
            Some(Value::Array(mut items)) => items.pop(),
            found => found,
        };
        match found {
            Some(Value::Table(inner)) => {
                table = inner;
                true
            }
            _ => false,
        }
    })
}

fn line_start(text: &str, place: usize) -> usize {
    text[..place].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Where to stop cutting: before a comment on the same line, else after the line.
fn rest_of_line(text: &str, place: usize) -> usize {
    let line = text[place..].split_inclusive('\n').next().unwrap_or_default();
    match line.find('#') {
        Some(comment) if line[..comment].trim().is_empty() => place + comment,
        None if line.trim().is_empty() => place + line.len(),
        _ => place,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &str = "\
# mine
[settings] # how
# a lot
history_limit = 5 # because
budget_tokens = 900
color = \"red\"

# people
[assignees.al] # Al
# tall
color = \"#112233\" # blue
[assignees.al.day_hours]
fri = 3

[assignees]
bo = { color = \"#445566\" } # Bo
";

    fn without(path: &str) -> String {
        let path: Vec<String> = path.split('.').map(str::to_owned).collect();
        cut(WRITTEN, &path)
    }

    #[test]
    fn only_the_assignment_goes() {
        assert_eq!(without("settings.history_limit"), WRITTEN.replace("history_limit = 5 ", ""));
        assert_eq!(without("settings.budget_tokens"), WRITTEN.replace("budget_tokens = 900\n", ""));
        assert_eq!(without("assignees.bo"), WRITTEN.replace("bo = { color = \"#445566\" } ", ""));
        assert_eq!(without("settings.absent"), WRITTEN);
    }

    #[test]
    fn a_whole_table_goes_and_leaves_the_comments() {
        let wanted = WRITTEN
            .replace("[assignees.al] ", "")
            .replace("color = \"#112233\" ", "")
            .replace("[assignees.al.day_hours]\nfri = 3\n", "");
        assert_eq!(without("assignees.al"), wanted);
    }

    #[test]
    fn unusual_forms_are_cut_all_the_same() {
        let path = ["settings".to_owned(), "history_limit".to_owned()];
        assert_eq!(cut("settings = { history_limit = 1, b = 2 }\n", &path), "settings = { b = 2 }\n");
        assert_eq!(cut("settings.history_limit = 1\nsettings.b = 2\n", &path), "settings.b = 2\n");
        assert_eq!(cut("[settings]\r\nhistory_limit = 1\r\nb = 2", &path), "[settings]\r\nb = 2");
        assert_eq!(cut("settings = 3\n", &path), "settings = 3\n");
        assert_eq!(cut("settings = \n", &path), "settings = \n");
    }
}
