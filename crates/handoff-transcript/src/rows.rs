//! The lines of a file between two places, one after the other, without holding more than one of them.

use std::io::{self, Read};

use memchr::memchr;

/// The longest line that is taken. Longer ones are pictures and the like; they are passed over.
pub(crate) const LONGEST_LINE: usize = 8 << 20;

const CHUNK: usize = 256 << 10;
const SMALL_CHUNK: usize = 16 << 10;

/// One line, without its end.
pub(crate) enum Row<'a> {
    Line(&'a [u8]),
    TooLong,
}

/// What some editors put before the first line of a text: it says that this is UTF-8, and nothing else.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The beginning of a file without such a mark.
pub(crate) fn unmarked(start: &[u8]) -> &[u8] {
    start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start)
}

/// Reads lines. What follows the last line end is no line yet.
pub(crate) struct Rows<R> {
    from: R,
    buffer: Vec<u8>,
    /// The part of the buffer that holds bytes not yet given out
    start: usize,
    end: usize,
    /// Where in the file the next line begins
    offset: u64,
    is_too_long: bool,
}

impl<R: Read> Rows<R> {
    /// Lines of `from`, whose first byte is at `offset`.
    pub(crate) fn new(from: R, offset: u64) -> Rows<R> {
        Rows { from, buffer: vec![0; CHUNK], start: 0, end: 0, offset, is_too_long: false }
    }

    /// The first lines, of which few are wanted.
    pub(crate) fn first(from: R) -> Rows<R> {
        Rows { from, buffer: vec![0; SMALL_CHUNK], start: 0, end: 0, offset: 0, is_too_long: false }
    }

    /// Where the line after the last one given out begins.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether that is in the middle of a line that is being passed over.
    pub(crate) fn is_inside_line(&self) -> bool {
        self.is_too_long
    }

    /// The next line; none when there is no further line end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Row<'_>>> {
        let mut searched = self.start;
        loop {
            if let Some(length) = memchr(b'\n', &self.buffer[searched..self.end]) {
                let line = self.start..searched + length;
                self.start = line.end + 1;
                self.offset += (line.len() + 1) as u64;
                if std::mem::take(&mut self.is_too_long) {
                    return Ok(Some(Row::TooLong));
                }
                return Ok(Some(Row::Line(&self.buffer[line])));
            }
            if self.end - self.start > LONGEST_LINE {
                self.is_too_long = true;
            }
            if self.is_too_long {
                self.offset += (self.end - self.start) as u64;
                self.start = self.end;
            }
            searched = self.make_room();
            let count = read_some(&mut self.from, &mut self.buffer[self.end..])?;
            if count == 0 {
                return Ok(None);
            }
            self.end += count;
        }
    }

    /// What follows the last line end, of a file that is read as a whole.
    pub(crate) fn rest(&self) -> Option<Row<'_>> {
        let rest = &self.buffer[self.start..self.end];
        if self.is_too_long {
            return Some(Row::TooLong);
        }
        (!rest.is_empty()).then_some(Row::Line(rest))
    }

    /// Moves the bytes of the unfinished line to the front, and gives room behind them.
    fn make_room(&mut self) -> usize {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        self.end
    }
}

fn read_some(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match from.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(bytes: &[u8]) -> (Vec<Option<usize>>, u64) {
        let mut rows = Rows::new(bytes, 0);
        let mut all = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            all.push(match row {
                Row::Line(line) => Some(line.len()),
                Row::TooLong => None,
            });
        }
        (all, rows.offset())
    }

    #[test]
    fn a_line_without_an_end_is_left_for_later() {
        assert_eq!(lengths(b"one\n\nthree\nfo"), (vec![Some(3), Some(0), Some(5)], 11));
        assert_eq!(lengths(b""), (vec![], 0));
    }

    #[test]
    fn a_line_that_fills_several_chunks_comes_whole() {
        let mut bytes = vec![b'x'; 3 * CHUNK];
        bytes.extend(b"\nnext\n");
        assert_eq!(lengths(&bytes), (vec![Some(3 * CHUNK), Some(4)], bytes.len() as u64));
    }

    #[test]
    fn an_endless_line_is_passed_over_without_being_held() {
        let text = io::repeat(b'x').take(50 << 20).chain(&b"\nnext\n"[..]);
        let mut rows = Rows::new(text, 0);
        assert!(matches!(rows.next().unwrap(), Some(Row::TooLong)));
        assert!(rows.buffer.len() <= 4 * LONGEST_LINE);
        assert!(matches!(rows.next().unwrap(), Some(Row::Line(b"next"))));
        assert_eq!(rows.offset(), (50 << 20) + 6);
    }
}
