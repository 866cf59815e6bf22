//! Places in the project: paths that stay inside it, and lines of a file.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, de};

use crate::id::shorten;

/// A path that does not lead to a place inside the project.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Outside {
    #[error("`{path}` goes up and down again: write `{right}`")]
    Detour { path: String, right: String },
    #[error("`{path}` is not inside the project: give a path relative to it, such as `src/main.rs`")]
    Elsewhere { path: String },
    #[error("`{path}` is the project itself: name a file or directory in it")]
    Everything { path: String },
}

/// The path relative to the project, written with `/`; one that ends in `/` means a directory.
///
/// An absolute path is understood when it begins with one of `roots`, the ways to write the project's directory.
pub fn inside(path: &str, roots: &[&str]) -> Result<String, Outside> {
    let written = path.trim().replace('\\', "/");
    let relative = roots.iter().find_map(|root| below(&written, root)).unwrap_or(&written);
    let has_drive = relative.as_bytes().get(1) == Some(&b':') && relative.as_bytes()[0].is_ascii_alphabetic();
    if relative.starts_with(['/', '~']) || has_drive {
        return Err(Outside::Elsewhere { path: shorten(path) });
    }
    let mut parts: Vec<&str> = Vec::new();
    let mut detour = false;
    for part in relative.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part != ".." {
            parts.push(part);
            continue;
        }
        detour = true;
        if parts.pop().is_none() {
            return Err(Outside::Elsewhere { path: shorten(path) });
        }
    }
    if parts.is_empty() {
        return Err(Outside::Everything { path: shorten(path) });
    }
    let end = if relative.ends_with('/') { "/" } else { "" };
    let right = parts.join("/") + end;
    if detour { Err(Outside::Detour { path: shorten(path), right }) } else { Ok(right) }
}

/// What stands behind the project's directory in an absolute path.
fn below<'a>(path: &'a str, root: &str) -> Option<&'a str> {
    let root = root.trim_end_matches(['/', '\\']).replace('\\', "/");
    let front = path.get(..root.len())?;
    // Drives and directories of Windows are the same in capitals.
    let has_drive = root.as_bytes().get(1) == Some(&b':');
    let same = front == root || (has_drive && front.eq_ignore_ascii_case(&root));
    path[root.len()..].strip_prefix('/').filter(|_| same && !root.is_empty())
}

/// A line of a file, or the first and last of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRange {
    first: u32,
    last: u32,
}

/// A text that tells no lines.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` tells no lines of a file: write one as `42`, several as `42-78`")]
pub struct NotLines(String);

impl LineRange {
    pub fn first(self) -> u32 {
        self.first
    }

    pub fn last(self) -> u32 {
        self.last
    }
}

impl FromStr for LineRange {
    type Err = NotLines;

    fn from_str(text: &str) -> Result<Self, NotLines> {
        let number = |part: &str| -> Option<u32> {
            let part = part.trim();
            let digits = part.strip_prefix(['L', 'l']).unwrap_or(part);
            digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
        };
        let (first, last) = text.split_once(['-', '–']).unwrap_or((text, text));
        match (number(first), number(last)) {
            (Some(first), Some(last)) if 1 <= first && first <= last => Ok(LineRange { first, last }),
            _ => Err(NotLines(shorten(text))),
        }
    }
}

impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LineRange { first, last } = self;
        if first == last { write!(f, "{first}") } else { write!(f, "{first}-{last}") }
    }
}

impl<'de> Deserialize<'de> for LineRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "lines such as `42-78`")]
        enum Written {
            Text(String),
            Number(f64),
        }
        let text = match Written::deserialize(deserializer)? {
            Written::Text(text) => text,
            Written::Number(number) => number.to_string(),
        };
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_relative_and_written_with_slashes() {
        for (path, expected) in [
            ("src/auth.rs", "src/auth.rs"),
            ("./src//auth.rs", "src/auth.rs"),
            ("src\\auth\\", "src/auth/"),
            (" docs/ü b.md ", "docs/ü b.md"),
            ("/home/me/app/src/a.rs", "src/a.rs"),
            ("src/**/*.rs", "src/**/*.rs"),
        ] {
            assert_eq!(inside(path, &["/elsewhere", "/home/me/app/"]).as_deref(), Ok(expected), "{path}");
        }
        assert_eq!(inside("c:\\Work\\App\\src\\a.rs", &["C:\\work\\app"]).as_deref(), Ok("src/a.rs"));
    }

    #[test]
    fn a_path_that_leads_elsewhere_is_answered_with_what_would_be_right() {
        for path in ["/etc/passwd", "/home/me/apple/a.rs", "~/x", "C:\\x", "../x", "a/../../b", "//host/x"] {
            let error = inside(path, &["/home/me/app", ""]).unwrap_err();
            assert!(error.to_string().contains("give a path relative to it"), "{path}: {error}");
        }
        assert_eq!(inside("a/../b/", &[]).unwrap_err().to_string(), "`a/../b/` goes up and down again: write `b/`");
        assert!(matches!(inside("./", &[]), Err(Outside::Everything { .. })));
    }

    #[test]
    fn lines_are_one_number_or_two_in_order() {
        for (text, expected) in
            [("42", "42"), (" 42 - 78 ", "42-78"), ("L42-L78", "42-78"), ("7–9", "7-9"), ("5-5", "5")]
        {
            assert_eq!(text.parse::<LineRange>().unwrap().to_string(), expected, "{text}");
        }
        for wrong in ["", "0", "78-42", "1-2-3", "-3", "3-", "+3", "all", "1,5", "99999999999"] {
            assert!(wrong.parse::<LineRange>().is_err(), "{wrong:?}");
        }
    }
}
