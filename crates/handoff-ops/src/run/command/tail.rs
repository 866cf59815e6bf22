//! The end of what a program says, however much it says and however long it lasts.

use std::io::{self, Read};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// What is kept of each stream.
const KEPT: usize = 16 * 1024;

/// What a stream said last. It is read to its end on a thread of its own.
pub(super) struct Tail {
    kept: Arc<Mutex<Kept>>,
    end: Receiver<()>,
}

#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Kept {
    fn add(&mut self, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
        let surplus = self.bytes.len().saturating_sub(KEPT);
        self.bytes.drain(..surplus);
        self.is_cut |= surplus > 0;
    }

    fn text(&self) -> String {
        let mut bytes = self.bytes.as_slice();
        // The first line is not whole; where there is but one, half of it is better than nothing.
        if let Some(end) =
            bytes.iter().position(|byte| *byte == b'\n').filter(|end| self.is_cut && end + 1 < bytes.len())
        {
            bytes = &bytes[end + 1..];
        }
        String::from_utf8_lossy(bytes).into_owned()
    }
}

impl Tail {
    pub(super) fn of(mut stream: impl Read + Send + 'static) -> io::Result<Tail> {
        let kept = Arc::new(Mutex::new(Kept::default()));
        let (sender, end) = mpsc::channel();
        let theirs = Arc::clone(&kept);
        thread::Builder::new().spawn(move || {
            let mut buffer = vec![0; 64 * 1024];
            loop {
                match stream.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(length) => theirs.lock().unwrap_or_else(PoisonError::into_inner).add(&buffer[..length]),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
            let _ = sender.send(());
        })?;
        Ok(Tail { kept, end })
    }

    /// What was said last until the stream ended, or until this moment: something that a program left behind may hold the
    /// stream open for ever.
    pub(super) fn text(&self, until: Instant) -> String {
        let _ = self.end.recv_timeout(until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1)));
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail(bytes: &[u8]) -> String {
        Tail::of(io::Cursor::new(bytes.to_vec())).unwrap().text(Instant::now() + Duration::from_mins(1))
    }

    #[test]
    fn what_is_short_is_kept_whole() {
        assert_eq!(tail(b""), "");
        assert_eq!(tail(b"one\ntwo"), "one\ntwo");
        assert_eq!(tail(b"\xff\n"), "\u{fffd}\n");
    }

    #[test]
    fn of_much_the_last_whole_lines_are_kept() {
        let lines = (0..100_000).map(|line| format!("line {line}\n")).collect::<Vec<_>>().concat();
        let kept = tail(lines.as_bytes());
        assert!(kept.len() <= KEPT && kept.starts_with("line ") && kept.ends_with("line 99999\n"));
        assert_eq!(tail(&vec![b'x'; 5 * KEPT]).len(), KEPT);
    }
}
