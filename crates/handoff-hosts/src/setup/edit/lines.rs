//! Whole lines at the end of a text, put there so that taking them out leaves the text as it was.

use std::ops::Range;

use super::Draft;

/// Puts lines at the end of a text, behind one empty line. Whether the text ends in a line end stays as it was.
pub(crate) fn append_lines(draft: &mut Draft, lines: &str) {
    let line_end = draft.line_end();
    let end = draft.text.len();
    if draft.text.is_empty() {
        return draft.insert(0, &format!("{lines}{line_end}"));
    }
    if draft.text.ends_with('\n') {
        draft.insert(end, &format!("{line_end}{lines}{line_end}"));
    } else {
        draft.insert(end, &format!("{line_end}{line_end}{lines}"));
    }
}

/// The lines from one byte to another, with the empty line before them, so that taking out what was appended leaves
/// the text as it was.
pub(crate) fn whole_lines(draft: &Draft, range: Range<usize>, with_gap: bool) -> Range<usize> {
    let text = &draft.text;
    let mut start = draft.line_start(range.start);
    let mut end = text[range.end..].find('\n').map_or(text.len(), |newline| range.end + newline + 1);
    let without_line_end = |end: usize| {
        let line = text[..end].strip_suffix('\n')?;
        Some(line.strip_suffix('\r').unwrap_or(line).len())
    };
    if with_gap
        && let Some(above) = without_line_end(start)
        && draft.line_start(above) == above
    {
        start = above;
    }
    // At the end of a text without a last line end, that of the line before goes.
    if !text[..end].ends_with('\n')
        && let Some(above) = without_line_end(start)
    {
        start = above;
        end = text.len();
    }
    start..end
}
