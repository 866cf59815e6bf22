//! Ids of tasks and sessions: random, never reused, safe as part of a file name.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::Name;

/// Crockford's base32 in lower case: no `i`, `l`, `o`, `u`, which are misread.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH: usize = 8;

/// A task's identity: eight lower-case letters and digits, the first a letter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = "^[a-z][a-z0-9]{7}$"))]
pub struct TaskId([u8; LENGTH]);

/// A text that is no id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an id: eight lower-case letters or digits, the first a letter")]
pub struct NotAnId(String);

impl TaskId {
    /// Makes an id from eight random bytes.
    pub fn from_random(random: [u8; LENGTH]) -> Self {
        const FIRST_LETTER: usize = 10;
        let mut id = [0; LENGTH];
        for (place, byte) in id.iter_mut().zip(random) {
            *place = ALPHABET[usize::from(byte) % ALPHABET.len()];
        }
        id[0] = ALPHABET[FIRST_LETTER + usize::from(random[0]) % (ALPHABET.len() - FIRST_LETTER)];
        TaskId(id)
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("an id is ASCII")
    }

    /// One number that is greater the later an id is sorted.
    pub fn as_number(self) -> u64 {
        u64::from_be_bytes(self.0)
    }
}

impl FromStr for TaskId {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let bytes: [u8; LENGTH] = text.as_bytes().try_into().map_err(|_| NotAnId(shorten(text)))?;
        let good = bytes[0].is_ascii_lowercase() && bytes.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        if good { Ok(TaskId(bytes)) } else { Err(NotAnId(shorten(text))) }
    }
}

impl TryFrom<String> for TaskId {
    type Error = NotAnId;

    fn try_from(text: String) -> Result<Self, NotAnId> {
        text.parse()
    }
}

impl From<TaskId> for String {
    fn from(id: TaskId) -> String {
        id.as_str().to_owned()
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The first characters of a text, for quoting it in an error.
pub fn shorten(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// How a person or an agent names a task: its id, the beginning of one, or its number.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub enum TaskRef {
    Id(TaskId),
    Prefix(String),
    Number(crate::number::Number),
}

/// A text that can name no task.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` names no task: give an id such as `k7f3q2ma`, the beginning of one, or a number such as `1.2`")]
pub struct NotATaskRef(String);

impl FromStr for TaskRef {
    type Err = NotATaskRef;

    fn from_str(text: &str) -> Result<Self, NotATaskRef> {
        let text = text.trim();
        let wrong = || NotATaskRef(shorten(text));
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            return text.parse().map(TaskRef::Number).map_err(|_| wrong());
        }
        let lower = text.to_ascii_lowercase();
        if let Ok(id) = lower.parse() {
            return Ok(TaskRef::Id(id));
        }
        let prefix = lower.starts_with(|c: char| c.is_ascii_lowercase())
            && lower.len() < LENGTH
            && lower.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        if prefix { Ok(TaskRef::Prefix(lower)) } else { Err(wrong()) }
    }
}

impl TryFrom<String> for TaskRef {
    type Error = NotATaskRef;

    fn try_from(text: String) -> Result<Self, NotATaskRef> {
        text.parse()
    }
}

impl From<TaskRef> for String {
    fn from(reference: TaskRef) -> String {
        reference.to_string()
    }
}

impl From<TaskId> for TaskRef {
    fn from(id: TaskId) -> Self {
        TaskRef::Id(id)
    }
}

impl fmt::Display for TaskRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TaskRef::Id(id) => write!(f, "{id}"),
            TaskRef::Prefix(prefix) => f.write_str(prefix),
            TaskRef::Number(number) => write!(f, "{number}"),
        }
    }
}

/// A session's identity: eight hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = "^[0-9a-f]{8}$"))]
pub struct SessionId(String);

/// A text that is no session id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a session id: eight digits of 0-9 and a-f")]
pub struct NotASessionId(String);

impl SessionId {
    pub fn from_random(random: [u8; 4]) -> Self {
        SessionId(format!("{:08x}", u32::from_be_bytes(random)))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for SessionId {
    type Error = NotASessionId;

    fn try_from(text: String) -> Result<Self, NotASessionId> {
        let good = text.len() == 8 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if good { Ok(SessionId(text)) } else { Err(NotASessionId(shorten(&text))) }
    }
}

impl From<SessionId> for String {
    fn from(id: SessionId) -> String {
        id.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// How a person or an agent names a session: `latest`, its id or the beginning of one, its full name
/// `2026-11-15-a3f9c12e`, a date as far as it is known, or the name that somebody gave it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub enum SessionRef {
    Latest,
    /// The beginning of an id, perhaps all of it
    Id(String),
    /// The beginning of a full name: a date, or part of one, perhaps with an id
    Name(String),
    /// The name or label that somebody gave it; of several the last is meant
    Given(String),
}

/// A text that can name no session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` names no session: give an id such as `a3f9c12e`, the beginning of one, a name such as \
     `2026-11-15-a3f9c12e` or one that was given to it, a date such as `2026-11-15`, or `latest`"
)]
pub struct NotASessionRef(String);

impl SessionRef {
    /// Whether it is all of an id or of a full name, which only one session can have.
    pub fn is_whole(&self) -> bool {
        match self {
            SessionRef::Id(id) => id.len() == "a3f9c12e".len(),
            SessionRef::Name(name) => name.len() == "2026-11-15-a3f9c12e".len(),
            SessionRef::Latest | SessionRef::Given(_) => false,
        }
    }

    /// Whether it means the session with this full name.
    pub fn matches(&self, name: &str) -> bool {
        match self {
            SessionRef::Latest | SessionRef::Given(_) => false,
            SessionRef::Id(prefix) => name.rsplit('-').next().is_some_and(|id| id.starts_with(prefix)),
            SessionRef::Name(prefix) => name.starts_with(prefix),
        }
    }
}

/// Returns the shortest beginning of an id that none of the others has.
///
/// It has at least three characters, because whoever reads it may use it after a few more sessions were saved.
pub fn unique_prefix<'a, 'b>(id: &'a str, others: impl Iterator<Item = &'b str>) -> &'a str {
    const MIN_LENGTH: usize = 3;
    let common = |other: &str| id.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let shared = others.filter(|other| *other != id).map(common).max();
    let length = shared.map_or(0, |shared| shared + 1).max(MIN_LENGTH);
    id.get(..length).unwrap_or(id)
}

impl FromStr for SessionRef {
    type Err = NotASessionRef;

    fn from_str(text: &str) -> Result<Self, NotASessionRef> {
        let lower = text.trim().to_ascii_lowercase();
        let hexadecimal = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if lower == "latest" {
            return Ok(SessionRef::Latest);
        }
        if !lower.is_empty() && lower.len() <= LENGTH && hexadecimal(&lower) {
            return Ok(SessionRef::Id(lower));
        }
        // 2026-11-15-a3f9c12e, or the beginning of it as far as the first hyphen.
        let shape = b"dddd-dd-dd-xxxxxxxx";
        let fits = lower.len() > 4
            && lower.len() <= shape.len()
            && lower.bytes().zip(shape).all(|(byte, kind)| match kind {
                b'd' => byte.is_ascii_digit(),
                b'x' => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
                other => byte == *other,
            });
        if fits {
            return Ok(SessionRef::Name(lower));
        }
        // Nothing that looks like a path, a flag or an id gone wrong is taken for a name.
        let given = text.trim().parse::<Name>().ok().map(String::from).filter(|given| {
            given.starts_with(char::is_alphanumeric)
                && (given.contains(char::is_alphabetic) || is_time_stamp(given))
                && !given.contains(['/', '\\', '#', ':', '!'])
                && !given.to_ascii_lowercase().ends_with(".toml")
        });
        given.map(SessionRef::Given).ok_or_else(|| NotASessionRef(shorten(text.trim())))
    }
}

/// Whether a text is a time and perhaps a number, as in `20261115-184444-002`; other tools call their records so.
fn is_time_stamp(text: &str) -> bool {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    is_digits && matches!(lengths.as_slice(), [8, 6] | [8, 6, 1..=9])
}

impl TryFrom<String> for SessionRef {
    type Error = NotASessionRef;

    fn try_from(text: String) -> Result<Self, NotASessionRef> {
        text.parse()
    }
}

impl From<SessionRef> for String {
    fn from(reference: SessionRef) -> String {
        reference.to_string()
    }
}

impl fmt::Display for SessionRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SessionRef::Latest => "latest",
            SessionRef::Id(text) | SessionRef::Name(text) | SessionRef::Given(text) => text,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_random_id_starts_with_a_letter_and_parses_back() {
        for seed in 0..=255u8 {
            let id = TaskId::from_random([seed; 8]);
            assert!(id.as_str().starts_with(|c: char| c.is_ascii_lowercase()), "{id}");
            assert_eq!(id.as_str().parse(), Ok(id));
        }
    }

    #[test]
    fn nothing_that_could_be_a_path_is_an_id() {
        for text in
            ["", "..", "../../ab", "k7f3q2m", "k7f3q2ma9", "K7f3q2ma", "7kf3q2ma", "k7/3q2ma", "k7f3q2m\0", "ключключ"]
        {
            assert!(text.parse::<TaskId>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_session_is_named_by_id_name_or_date() {
        assert_eq!("latest".parse(), Ok(SessionRef::Latest));
        assert_eq!("A3f9".parse(), Ok(SessionRef::Id("a3f9".to_owned())));
        assert_eq!("2026-11".parse(), Ok(SessionRef::Name("2026-11".to_owned())));
        let name = "2026-11-15-a3f9c12e";
        for text in [name, "2026-11-15", "2026-", "a3f9c12e", "a3"] {
            assert!(text.parse::<SessionRef>().unwrap().matches(name), "{text}");
        }
        for given in
            ["project-state", "Try opaque tokens", "ключ", "a3f9c12e0", "20261115-184444", "20261115-184444-002"]
        {
            assert_eq!(given.parse(), Ok(SessionRef::Given(given.to_owned())), "the name of one, as it is written");
        }
        for wrong in ["", "../x", "2026-11-15-a3f9c12e.toml", "2026/11", "-1", "latest!", "1.2"] {
            assert!(wrong.parse::<SessionRef>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn references_are_told_apart_by_their_first_character() {
        assert!(matches!("1.2".parse(), Ok(TaskRef::Number(_))));
        assert!(matches!("01.2".parse(), Ok(TaskRef::Number(_))));
        assert!(matches!("k7".parse(), Ok(TaskRef::Prefix(_))));
        assert!(matches!("K7F3Q2MA".parse(), Ok(TaskRef::Id(_))));
        for wrong in ["", " ", "../x", "k7/..", "1..2", "1.x", "0", "1.0", "/etc/passwd", "-1", "k7f3q2ma9"] {
            assert!(wrong.parse::<TaskRef>().is_err(), "{wrong:?}");
        }
    }
}
