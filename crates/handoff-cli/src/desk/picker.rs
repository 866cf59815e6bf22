//! Choosing one of several things on a terminal: type to narrow the list, move, take.
//!
//! Keys come from standard input and the screen is drawn on standard error, so that what is chosen can be piped on.

use std::io::{self, Read as _, Write as _};

use handoff_ops::{Choice, OpError};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::draw::cell;

/// Lets a person choose; `None` when they left.
pub(super) fn pick(choices: &[Choice]) -> Result<Option<usize>, OpError> {
    let failed = |error: io::Error| OpError::failure("the terminal cannot be used to choose").caused_by(error);
    let _raw = Raw::begin().map_err(failed)?;
    let mut list = Narrowed::new(choices);
    loop {
        draw(&list).map_err(failed)?;
        let mut bytes = [0; 64];
        let count = io::stdin().read(&mut bytes).map_err(failed)?;
        for key in keys(&bytes[..count]) {
            match key {
                Key::Take => return Ok(list.current()),
                Key::Leave => return Ok(None),
                Key::Down => list.step(1),
                Key::Up => list.step(-1),
                Key::Erase => list.erase(),
                Key::Clear => list.clear(),
                Key::Letter(c) => list.add(c),
            }
        }
        if count == 0 {
            return Ok(None);
        }
    }
}

/// The terminal in a state in which every key arrives at once; put back when this goes.
struct Raw(Termios);

impl Raw {
    fn begin() -> io::Result<Raw> {
        let before = tcgetattr(io::stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
        // A screen of its own, so that what was there before comes back.
        let _ = write!(io::stderr(), "\x1b[?1049h");
        Ok(Raw(before))
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = write!(io::stderr(), "\x1b[?1049l");
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}

/// What a key asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Take,
    Leave,
    Up,
    Down,
    Erase,
    Clear,
    Letter(char),
}

/// The keys in what arrived. An escape that nothing follows is the key itself.
fn keys(bytes: &[u8]) -> Vec<Key> {
    let mut keys = Vec::new();
    let text = String::from_utf8_lossy(bytes);
    let mut rest = text.as_ref();
    while let Some(c) = rest.chars().next() {
        let arrow = [("\x1b[A", Key::Up), ("\x1bOA", Key::Up), ("\x1b[B", Key::Down), ("\x1bOB", Key::Down)];
        if let Some((sequence, key)) = arrow.into_iter().find(|(sequence, _)| rest.starts_with(sequence)) {
            keys.push(key);
            rest = &rest[sequence.len()..];
            continue;
        }
        match c {
            '\r' | '\n' => keys.push(Key::Take),
            // Other sequences are keys that mean nothing here.
            '\x1b' if rest.len() > 1 => return keys,
            '\x1b' | '\x03' | '\x04' | '\x07' => keys.push(Key::Leave),
            '\x0e' => keys.push(Key::Down),
            '\x10' => keys.push(Key::Up),
            '\x08' | '\x7f' => keys.push(Key::Erase),
            '\x15' => keys.push(Key::Clear),
            c if !c.is_control() => keys.push(Key::Letter(c)),
            _ => {}
        }
        rest = &rest[c.len_utf8()..];
    }
    keys
}

/// What is left of the list after what was typed, the best first.
struct Narrowed<'a> {
    choices: &'a [Choice],
    typed: String,
    left: Vec<usize>,
    cursor: usize,
}

impl<'a> Narrowed<'a> {
    fn new(choices: &'a [Choice]) -> Narrowed<'a> {
        Narrowed { choices, typed: String::new(), left: (0..choices.len()).collect(), cursor: 0 }
    }

    fn current(&self) -> Option<usize> {
        self.left.get(self.cursor).copied()
    }

    fn step(&mut self, by: isize) {
        let last = self.left.len().saturating_sub(1);
        self.cursor = self.cursor.saturating_add_signed(by).min(last);
    }

    fn add(&mut self, c: char) {
        self.typed.push(c);
        self.narrow();
    }

    fn erase(&mut self) {
        self.typed.pop();
        self.narrow();
    }

    fn clear(&mut self) {
        self.typed.clear();
        self.narrow();
    }

    fn narrow(&mut self) {
        let mut scored: Vec<(usize, usize)> = self
            .choices
            .iter()
            .enumerate()
            .filter_map(|(index, choice)| Some((distance(&self.typed, &choice.line)?, index)))
            .collect();
        scored.sort_unstable();
        self.left = scored.into_iter().map(|(_, index)| index).collect();
        self.cursor = 0;
    }
}

/// How far apart the letters that were typed stand in a line; `None` when they are not in it in that order. Words may be
/// typed in any order.
fn distance(typed: &str, line: &str) -> Option<usize> {
    let line = line.to_lowercase();
    typed.split_whitespace().map(|word| of_word(&word.to_lowercase(), &line)).sum()
}

fn of_word(word: &str, line: &str) -> Option<usize> {
    if line.contains(word) {
        return Some(0);
    }
    let mut gaps = 0;
    let mut rest = line.chars();
    for (place, c) in word.chars().enumerate() {
        let skipped = rest.position(|other| other == c)?;
        gaps += if place == 0 { 0 } else { skipped };
    }
    Some(1 + gaps)
}

fn draw(list: &Narrowed<'_>) -> io::Result<()> {
    let size = terminal_size::terminal_size_of(io::stderr());
    let (width, height): (usize, usize) = size.map_or((80, 24), |(width, height)| (width.0.into(), height.0.into()));
    let rows = (height / 2).max(1);
    let line = |text: &str| format!("{}\x1b[K\r\n", cell::start(text, width));
    let mut screen = "\x1b[H".to_owned();
    screen += &line(&format!("> {}  ({} of {})", list.typed, list.left.len(), list.choices.len()));
    let first = (list.cursor + 1).saturating_sub(rows);
    for row in 0..rows {
        let Some(index) = list.left.get(first + row) else {
            screen += &line("");
            continue;
        };
        let shown = cell::start(&list.choices[*index].line, width.saturating_sub(2));
        if first + row == list.cursor {
            screen.extend(["\x1b[7m> ", shown, "\x1b[0m\x1b[K\r\n"]);
        } else {
            screen += &line(&format!("  {shown}"));
        }
    }
    screen += &line(&"─".repeat(width));
    let preview = list.current().map(|index| list.choices[index].preview.as_str()).unwrap_or_default();
    for text in preview.lines().take(height.saturating_sub(rows + 3)) {
        screen += &line(text);
    }
    screen += "\x1b[J";
    let mut stderr = io::stderr();
    stderr.write_all(screen.as_bytes())?;
    stderr.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn narrowed(typed: &str) -> Vec<usize> {
        let choice = |line: &str| Choice { line: line.to_owned(), preview: String::new() };
        let choices =
            [choice("a1 record Fix the parser"), choice("b2 package auth notes"), choice("c3 record Authors")];
        let mut list = Narrowed::new(&choices);
        typed.chars().for_each(|c| list.add(c));
        list.left
    }

    #[test]
    fn what_is_typed_narrows_the_list_with_the_closest_first() {
        assert_eq!(narrowed(""), [0, 1, 2]);
        assert_eq!(narrowed("auth"), [1, 2]);
        assert_eq!(narrowed("AUTH rec"), [2]);
        assert_eq!(narrowed("fpr"), [0]);
        assert_eq!(narrowed("zzz"), Vec::<usize>::new());
    }

    #[test]
    fn keys_are_told_from_what_is_typed() {
        assert_eq!(keys(b"a\x1b[B\x0e\x1b[A\r"), [Key::Letter('a'), Key::Down, Key::Down, Key::Up, Key::Take]);
        assert_eq!(keys(b"\x1b"), [Key::Leave]);
        assert_eq!(keys(b"\x03"), [Key::Leave]);
        assert_eq!(keys(b"\x1b[5~"), []);
        assert_eq!(keys("é\x7f".as_bytes()), [Key::Letter('é'), Key::Erase]);
    }
}
