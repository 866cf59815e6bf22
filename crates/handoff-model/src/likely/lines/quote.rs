//! Names as they stand in a line, and back.

use std::borrow::Cow;
use std::fmt::Write;

/// The name as it stands in a line: quoted where it would be taken for something else.
pub(super) fn quoted(name: &str) -> String {
    let plain = !name.is_empty()
        && !name
            .chars()
            .any(|character| character.is_whitespace() || character.is_control() || "\":\\".contains(character));
    if plain {
        return name.to_owned();
    }
    let mut quoted = String::from("\"");
    for character in name.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            ' ' => quoted.push(' '),
            _ if character.is_control() || character.is_whitespace() => {
                write!(quoted, "\\u{{{:x}}}", u32::from(character)).expect("a string takes what is written");
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

/// The rest of a line that is being read.
pub(super) struct Reader<'a>(pub(super) &'a str);

impl<'a> Reader<'a> {
    /// The first word, and whether names follow it.
    pub(super) fn first(&mut self) -> (String, bool) {
        let first = self.name(|rest| rest.find(':').unwrap_or(rest.len())).into_owned();
        match self.0.strip_prefix(':') {
            Some(rest) => {
                self.0 = rest;
                (first, true)
            }
            None => (first, false),
        }
    }

    pub(super) fn names(mut self) -> impl Iterator<Item = String> {
        std::iter::from_fn(move || {
            self.0 = self.0.strip_prefix(' ')?;
            Some(self.name(|rest| rest.find(' ').unwrap_or(rest.len())).into_owned())
        })
    }

    fn name(&mut self, plain_end: impl Fn(&str) -> usize) -> Cow<'a, str> {
        let Some(rest) = self.0.strip_prefix('"') else {
            let (name, rest) = self.0.split_at(plain_end(self.0));
            self.0 = rest;
            return Cow::Borrowed(name);
        };
        let mut name = String::new();
        let mut characters = rest.char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.0 = &rest[at + 1..];
                    return Cow::Owned(name);
                }
                '\\' => match characters.next() {
                    Some((_, 'u')) => {
                        let code: String = characters
                            .by_ref()
                            .map(|(_, digit)| digit)
                            .skip(1)
                            .take_while(|digit| *digit != '}')
                            .collect();
                        name.extend(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32));
                    }
                    other => name.extend(other.map(|(_, escaped)| escaped)),
                },
                _ => name.push(character),
            }
        }
        self.0 = "";
        Cow::Owned(name)
    }
}
