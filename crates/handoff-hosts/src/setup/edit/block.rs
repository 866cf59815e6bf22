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
    let mut fence: Option<&str> = None;
    let mut at = 0;
    for line in draft.text.split_inclusive('\n') {
        let (start, words) = (at, line.trim());
        at += line.len();
        let marks = |what| Err(Refusal::Marks { what, line: draft.line_number(start) });
        // Marks in a code block are somebody's explanation of them.
        let mark = ["```", "~~~"].into_iter().find(|mark| words.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) if open.is_none() => fence = Some(mark),
            (Some(fenced), Some(mark)) if fenced == mark => fence = None,
            _ => {}
        }
        if fence.is_some() {
            continue;
        }
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
