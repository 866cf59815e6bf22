//! Whether what is given to a secret's name is the secret, or only speaks of it.

use super::MARK;
use super::assigned::Sign;
use super::token::has_random_stretch;

/// What a name promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// Something a person chose: it may be a plain word
    Password,
    /// Something a machine made: letters and digits without sense
    Token,
    /// A header that says who asks
    Header,
    /// A header with several values, one of which says who asks
    Cookie,
}

impl Sort {
    /// The rule that finds it.
    pub(super) const fn rule(self) -> &'static str {
        match self {
            Sort::Password => "password",
            Sort::Token => "secret-value",
            Sort::Header => "authorization",
            Sort::Cookie => "cookie",
        }
    }
}

/// What is given to a name.
pub(super) struct Given<'a> {
    pub(super) text: &'a str,
    pub(super) name: &'a str,
    pub(super) is_quoted: bool,
    pub(super) sign: Sign,
    /// Whether name and value are the whole line, as in YAML and in files of settings
    pub(super) fills_line: bool,
}

/// How much of a value is looked at.
const JUDGED: usize = 512;

/// Words that are given to names of secrets and are none.
const WORDS: &[&str] = &[
    "a",
    "an",
    "and",
    "any",
    "are",
    "argument",
    "arguments",
    "as",
    "at",
    "be",
    "bool",
    "by",
    "bytes",
    "can",
    "changed",
    "empty",
    "false",
    "field",
    "fields",
    "file",
    "flag",
    "flags",
    "for",
    "from",
    "here",
    "hidden",
    "if",
    "in",
    "incorrect",
    "input",
    "int",
    "invalid",
    "is",
    "it",
    "missing",
    "must",
    "never",
    "nil",
    "none",
    "not",
    "null",
    "number",
    "object",
    "of",
    "on",
    "option",
    "optional",
    "options",
    "or",
    "output",
    "parameter",
    "password",
    "prompt",
    "required",
    "reset",
    "rules",
    "secret",
    "should",
    "str",
    "string",
    "text",
    "that",
    "the",
    "then",
    "there",
    "this",
    "to",
    "token",
    "true",
    "undefined",
    "unset",
    "value",
    "values",
    "was",
    "when",
    "which",
    "with",
    "wrong",
    "yes",
];

pub(super) fn is_secret(sort: Sort, given: &Given<'_>) -> bool {
    let text = given.text;
    if stands_for_another(text) || repeats_name(text, given.name) || is_expression(given) {
        return false;
    }
    match sort {
        Sort::Password => is_password(given),
        Sort::Token | Sort::Header | Sort::Cookie => is_token(given),
    }
}

fn is_password(given: &Given<'_>) -> bool {
    let text = given.text;
    if text.chars().take(3).count() < 3 || is_path(text) {
        return false;
    }
    if text.contains(char::is_whitespace) {
        // A sentence has no digits; what a shell is given in quotes and has some is no sentence.
        return given.is_quoted && given.sign == Sign::Tight && text.bytes().any(|byte| byte.is_ascii_digit());
    }
    if given.is_quoted || given.sign != Sign::Loose {
        return true;
    }
    let is_plain_word = start_of(text).iter().all(u8::is_ascii_alphabetic);
    let is_type = text.starts_with(|c: char| c.is_ascii_uppercase());
    if is_plain_word { given.fills_line && !is_type } else { text.len() >= 4 }
}

fn is_token(given: &Given<'_>) -> bool {
    let text = given.text;
    let bytes = start_of(text);
    if text.contains(char::is_whitespace) || (is_path(text) && !has_random_stretch(bytes, 20)) {
        return false;
    }
    let is_setting = given.name.bytes().all(|byte| !byte.is_ascii_lowercase()) && given.sign == Sign::Tight;
    let least = match (given.is_quoted, given.sign) {
        (true, _) | (_, Sign::Tight | Sign::Flag) => 8,
        (false, Sign::Loose) => 12,
    };
    let mixes = [u8::is_ascii_lowercase, u8::is_ascii_uppercase, u8::is_ascii_digit];
    let is_mixed = mixes.iter().all(|is_in| bytes.iter().any(is_in)) && !bytes.contains(&b'.');
    bytes.len() >= least && (is_setting || is_mixed || has_random_stretch(bytes, 8))
        // One long word that no dictionary has.
        || (bytes.len() >= 24 && given.is_quoted && bytes.iter().all(u8::is_ascii_alphanumeric))
}

/// Whether it says where the secret is, or that there is none: `$TOKEN`, `<token>`, `null`, `****`.
pub(super) fn stands_for_another(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return true };
    if text.starts_with(MARK) || "$<{(&%…".contains(first) || text.starts_with("...") {
        return true;
    }
    if first == '[' && text.ends_with(']') {
        return true;
    }
    let start = start_of(text);
    let is_one_letter = start.iter().all(|byte| byte.eq_ignore_ascii_case(&start[0]));
    let small = String::from_utf8_lossy(&start[..start.len().min(16)]).to_ascii_lowercase();
    let word = small.trim_end_matches(['.', ':', '!', '?']);
    is_one_letter || small.starts_with("your") || (text.len() < 16 && WORDS.contains(&word))
}

/// Whether a value is the name again, as in `password=password` or `token: self.token`.
fn repeats_name(text: &str, name: &str) -> bool {
    let last = text.rsplit(['.', ':']).next().unwrap_or(text);
    let bare = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    text.len() <= 2 * name.len() + 16 && bare(last) == bare(name)
}

/// Whether a value without quotes is code that yields the secret: a call, a path of names, an index.
fn is_expression(given: &Given<'_>) -> bool {
    if given.is_quoted {
        return false;
    }
    let start = start_of(given.text);
    if start.iter().any(|byte| b"([{".contains(byte)) || start.windows(2).any(|pair| pair == b"::" || pair == b"->") {
        return true;
    }
    let is_name = |part: &[u8]| {
        part.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
            && part.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            && !has_random_stretch(part, 12)
    };
    start.contains(&b'.') && start.split(|byte| *byte == b'.').all(is_name)
}

pub(super) fn is_path(text: &str) -> bool {
    let has_drive = text.as_bytes().get(1) == Some(&b':') && matches!(text.as_bytes().get(2), Some(b'\\' | b'/'));
    has_drive || ["/", "./", "../", "~"].iter().any(|start| text.starts_with(start))
}

fn start_of(text: &str) -> &[u8] {
    &text.as_bytes()[..text.len().min(JUDGED)]
}
