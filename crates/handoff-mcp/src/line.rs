//! Lines from a client, however they come.
//!
//! **Invariant:** memory is bounded whatever the other side sends, and a read that is given up half-way loses nothing:
//! the next one goes on where it stopped.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use crate::oversize::{Addressee, EnvelopeScanner};

/// More than any message needs, and less than what makes a machine swap.
pub(crate) const LONGEST: usize = 16 * 1024 * 1024;
/// What is kept of the memory of a long line once it is read.
const KEPT: usize = 64 * 1024;

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line that is not blank, without its end.
    Bytes(Vec<u8>),
    /// A line longer than [`LONGEST`]; it is passed over, except for whom to answer.
    TooLong(Addressee),
    /// There are no more.
    End,
}

/// Splits a stream into lines.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    from: BufReader<R>,
    so_far: Vec<u8>,
    longest: usize,
    /// Reads along in a line that is too long, until it ends.
    oversize: Option<EnvelopeScanner>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(from: R) -> Lines<R> {
        Lines { from: BufReader::with_capacity(KEPT, from), so_far: Vec::new(), longest: LONGEST, oversize: None }
    }

    /// The next line. The last one needs no line break.
    pub(crate) async fn next(&mut self) -> io::Result<Line> {
        loop {
            let available = self.from.fill_buf().await?;
            if available.is_empty() {
                return Ok(self.take().unwrap_or(Line::End));
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let piece = &available[..end.unwrap_or(available.len())];
            if self.oversize.is_none() && self.so_far.len() + piece.len() > self.longest {
                let mut scanner = EnvelopeScanner::default();
                scanner.feed(&std::mem::take(&mut self.so_far));
                self.oversize = Some(scanner);
            }
            match &mut self.oversize {
                Some(scanner) => scanner.feed(piece),
                None => self.so_far.extend_from_slice(piece),
            }
            let used = piece.len() + usize::from(end.is_some());
            // Nothing is awaited between taking the bytes and letting go of them.
            self.from.consume(used);
            if end.is_some()
                && let Some(line) = self.take()
            {
                return Ok(line);
            }
        }
    }

    /// The line that was collected, unless it is blank.
    fn take(&mut self) -> Option<Line> {
        if let Some(scanner) = self.oversize.take() {
            return Some(Line::TooLong(scanner.addressee()));
        }
        let line = std::mem::take(&mut self.so_far);
        let text = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&line).trim_ascii();
        let text = (!text.is_empty()).then(|| Line::Bytes(text.to_vec()));
        if line.capacity() <= KEPT {
            self.so_far = line;
            self.so_far.clear();
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;

    /// Everything that `bytes` holds, arriving in pieces of `size`.
    fn lines(bytes: &[u8], size: usize, longest: usize) -> Vec<Line> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (from, mut to) = tokio::io::duplex(size);
            let bytes = bytes.to_vec();
            let feeder = tokio::spawn(async move { to.write_all(&bytes).await });
            let mut lines = Lines { longest, ..Lines::new(from) };
            let mut all = Vec::new();
            loop {
                match lines.next().await.unwrap() {
                    Line::End => break,
                    line => all.push(line),
                }
            }
            feeder.await.unwrap().unwrap();
            all
        })
    }

    fn text(text: &str) -> Line {
        Line::Bytes(text.as_bytes().to_vec())
    }

    #[test]
    fn line_ends_blank_lines_and_a_byte_order_mark_make_no_difference() {
        let bytes = "\u{feff}{\"a\":1}\r\n\r\n\n  \t\n {\"b\":2} \n{\"c\":3}".as_bytes();
        for size in [1, 3, 1000] {
            assert_eq!(lines(bytes, size, 100), [text("{\"a\":1}"), text("{\"b\":2}"), text("{\"c\":3}")]);
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_told_once_and_passed_over() {
        let bytes = b"12345678\n123456789\nok\n1234567890123456789012345\n12345678\n123456789";
        let too_long = || Line::TooLong(Addressee::Unknown);
        for size in [1, 4, 9, 1000] {
            let expected = [text("12345678"), too_long(), text("ok"), too_long(), text("12345678"), too_long()];
            assert_eq!(lines(bytes, size, 8), expected, "in pieces of {size}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_known_by_its_id_at_either_end() {
        let request = |id: i64| Line::TooLong(Addressee::Request(id.into()));
        let bytes = b"{\"id\":1,\"method\":\"m\"}\n{\"method\":\"m\"}\n{\"method\":\"m\",\"id\":2}\r\nok\n";
        for size in [1, 7, 1000] {
            let expected = [request(1), Line::TooLong(Addressee::Nobody), request(2), text("ok")];
            assert_eq!(lines(bytes, size, 8), expected, "in pieces of {size}");
        }
    }

    #[test]
    fn a_read_that_is_given_up_loses_nothing() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let (from, mut to) = tokio::io::duplex(100);
            let mut lines = Lines::new(from);
            for piece in ["{\"a\"", ":", "1}"] {
                to.write_all(piece.as_bytes()).await.unwrap();
                tokio::select! {
                    biased;
                    line = lines.next() => panic!("half a line is no line: {line:?}"),
                    () = tokio::task::yield_now() => {}
                }
            }
            to.write_all(b"\n").await.unwrap();
            assert_eq!(lines.next().await.unwrap(), text("{\"a\":1}"));
        });
    }
}
