//! Private keys in blocks between `-----BEGIN` and `-----END`, also where one end is missing.

use std::ops::Range;

/// How long a line of a key is at least, so that a word is not taken for one.
const LEAST: usize = 16;

/// A line that says where a key begins or ends.
struct Mark {
    place: Range<usize>,
    is_begin: bool,
}

pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let marks = marks(text);
    let mut found: Vec<Range<usize>> = Vec::new();
    // What lies before this is settled.
    let mut free = 0;
    let mut index = 0;
    while let Some(mark) = marks.get(index) {
        let next = marks.get(index + 1);
        index += 1;
        let block = if mark.is_begin {
            let rest = mark.place.end..next.map_or(text.len(), |next| next.place.start);
            let body = body_from(text, rest.clone());
            let closing = next.filter(|next| !next.is_begin && body == rest.end);
            index += usize::from(closing.is_some());
            let end = closing.map_or(body, |closing| closing.place.end);
            is_key(&text[mark.place.end..body]).then_some(mark.place.start..end)
        } else {
            let body = body_before(text, free..mark.place.start);
            is_key(&text[body..mark.place.start]).then_some(body..mark.place.end)
        };
        free = block.as_ref().map_or(mark.place.end, |block| block.end);
        found.extend(block);
    }
    found
}

fn marks(text: &str) -> Vec<Mark> {
    const HYPHENS: &str = "-----";
    let mut marks = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(HYPHENS).map(|found| at + found) {
        let behind = start + HYPHENS.len();
        at = start + 1;
        let is_begin = text[behind..].starts_with("BEGIN ");
        if !is_begin && !text[behind..].starts_with("END ") {
            continue;
        }
        // Letters and blanks alone, so that the search for the other hyphens ends soon.
        let name =
            text[behind..].bytes().take(64).take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b' ').count();
        let is_private =
            ["PRIVATE KEY", "PRIVATE KEY BLOCK"].iter().any(|kind| text[behind..behind + name].ends_with(kind));
        if is_private && text[behind + name..].starts_with(HYPHENS) {
            let end = behind + name + HYPHENS.len();
            marks.push(Mark { place: start..end, is_begin });
            at = end;
        }
    }
    marks
}

/// Where the lines of a key end that begin at the start of this stretch.
fn body_from(text: &str, stretch: Range<usize>) -> usize {
    let mut end = stretch.start;
    for line in lines(text, stretch) {
        if !is_body(&text[line.clone()]) {
            break;
        }
        end = line.end;
    }
    end
}

/// Where the lines of a key begin that end at the end of this stretch.
fn body_before(text: &str, stretch: Range<usize>) -> usize {
    let mut start = stretch.end;
    for line in lines(text, stretch).into_iter().rev() {
        if !is_body(&text[line.clone()]) {
            break;
        }
        start = line.start;
    }
    start
}

/// The lines of a stretch, each with its end; a `\n` that is written out, as in JSON, also ends one.
fn lines(text: &str, stretch: Range<usize>) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut lines = Vec::new();
    let mut start = stretch.start;
    for at in stretch.clone() {
        let is_written_out = bytes[at] == b'n' && at > start && bytes[at - 1] == b'\\';
        if bytes[at] == b'\n' || is_written_out {
            lines.push(start..at + 1);
            start = at + 1;
        }
    }
    lines.push(start..stretch.end);
    lines
}

/// Whether a line is one of a key: letters and digits alone, or what stands before them.
fn is_body(line: &str) -> bool {
    let line = line.trim_end_matches("\\n");
    let line = line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\' | ',' | '+' | '…'));
    let is_coded = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let is_short_end = line.len() < LEAST && (line.ends_with('=') || line.len() % 4 == 0);
    let has_head = ["Proc-Type:", "DEK-Info:", "Comment:", "Version:"].iter().any(|head| line.starts_with(head));
    has_head || (line.bytes().all(is_coded) && (line.len() >= LEAST || is_short_end))
}

/// Whether there is enough in it to be a key, and not only talk of one.
fn is_key(body: &str) -> bool {
    body.bytes().filter(u8::is_ascii_alphanumeric).count() >= LEAST
}
