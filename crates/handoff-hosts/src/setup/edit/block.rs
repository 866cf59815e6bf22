//! The marked block in a Markdown file: replaced in place, put at the end where there is none.

use std::ops::Range;

use super::{Draft, Refusal, lines};

const BEGIN: &str = "<!-- handoff:begin";
const END: &str = "<!-- handoff:end -->";
const FIRST_LINE: &str = "<!-- handoff:begin (kept by `handoff setup`; what you change in here is lost) -->";

/// The block with its marks, in the line ends of the file.
fn marked(draft: &Draft, text: &str) -> String {
    let whole = format!("{FIRST_LINE}\n{}\n{END}", text.trim_end());
    whole.replace("\r\n", "\n").replace('\n', draft.line_end())
}

/// The block that is there, from its first mark to its last.
pub(crate) fn find(draft: &Draft) -> Result<Option<Range<usize>>, Refusal> {
    let mut found: Option<Range<usize>> = None;
    let mut open: Option<usize> = None;
    for (start, line) in lines_outside_code(&draft.text) {
        let words = line.trim();
        let marks = |what| Err(Refusal::Marks { what, line: draft.line_number(start) });
        if words.starts_with(BEGIN) {
            if open.is_some() {
                return marks("a mark `handoff:begin` inside a block of handoff");
            }
            if found.is_some() {
                return marks("a second block of handoff");
            }
            open = Some(start);
        } else if words == END {
            match open.take() {
                Some(begin) => found = Some(begin..start + line.trim_end_matches(['\r', '\n']).len()),
                None => return marks("a mark `handoff:end` without its beginning"),
            }
        }
    }
    match open {
        Some(begin) => {
            Err(Refusal::Marks { what: "a mark `handoff:begin` without its end", line: draft.line_number(begin) })
        }
        None => Ok(found),
    }
}

/// Lines and where they begin, without those of code blocks: marks there are somebody's explanation of them.
///
/// A code block that never ends is none, or what is put at the end of such a file would not be found again.
fn lines_outside_code(text: &str) -> Vec<(usize, &str)> {
    let mut lines = Vec::new();
    let mut held = Vec::new();
    let mut fence: Option<&str> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        held.push((at, line));
        at += line.len();
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(fenced), Some(mark)) if fenced == mark => {
                fence = None;
                held.clear();
            }
            _ => {}
        }
        if fence.is_none() {
            lines.append(&mut held);
        }
    }
    lines.append(&mut held);
    lines
}

/// Whether the block says what it should; `None` where there is none.
pub(crate) fn is_current(draft: &Draft, text: &str) -> Result<Option<bool>, Refusal> {
    Ok(find(draft)?.map(|range| draft.text[range] == marked(draft, text)))
}

/// Puts the block in, in the place of the one that is there, or in a place that is given, or at the end.
pub(crate) fn put(draft: &mut Draft, text: &str, place: Option<Range<usize>>) -> Result<(), Refusal> {
    let block = marked(draft, text);
    match find(draft)?.or(place) {
        Some(range) => draft.replace(range, &block),
        None => lines::append_lines(draft, &block),
    }
    Ok(())
}

/// Takes the block out.
pub(crate) fn remove(draft: &mut Draft) -> Result<(), Refusal> {
    if let Some(range) = find(draft)? {
        let lines = lines::whole_lines(draft, range, true);
        draft.remove(lines);
    }
    Ok(())
}
