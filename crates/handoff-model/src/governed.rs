//! Whether a path is among those that a decision governs.

use std::ops::RangeInclusive;

/// What a decision names: a file, a directory, or a glob for either.
///
/// In a glob `*` and `?` stay within a name, `**` spans any number of directories, `[a-z]` and `{a,b}` choose. One
/// without a `/` applies in every directory of the project. What is written as a glob may also be a plain name.
#[derive(Debug)]
pub struct Pattern {
    plain: String,
    globs: Vec<Vec<Name>>,
}

/// What may stand between two `/`.
#[derive(Debug)]
enum Name {
    Plain(String),
    Glob(Vec<Part>),
    AnyDirectories,
}

/// What a letter of a name may be.
#[derive(Debug)]
enum Part {
    Letter(char),
    One,
    Any,
    Class { negated: bool, ranges: Vec<RangeInclusive<char>> },
}

impl Pattern {
    /// Both the pattern and `base`, the project's directory, are seen from the root.
    pub fn new(pattern: &str, base: &str) -> Pattern {
        let mut globs = Vec::new();
        if pattern.contains(['*', '?', '[', '{']) {
            for written in alternatives(pattern) {
                let own = if base.is_empty() { Some(written.as_str()) } else { below(base, &written) };
                let anywhere = own.filter(|own| !own.contains('/')).map(|own| match base {
                    "" => format!("**/{own}"),
                    _ => format!("{base}/**/{own}"),
                });
                globs.push(anywhere.as_deref().unwrap_or(&written).split('/').map(Name::new).collect());
            }
        }
        Pattern { plain: pattern.to_owned(), globs }
    }

    /// Whether a file is named, or lies in a directory that is.
    pub fn governs(&self, path: &str) -> bool {
        if is_at_or_below(&self.plain, path) {
            return true;
        }
        self.globs.iter().any(|glob| {
            let names: Vec<&str> = path.split('/').collect();
            let any = |name: &Name| matches!(name, Name::AnyDirectories);
            steps(glob, &names, Reach::Beginning, any, |name, text| name.fits(text))
        })
    }
}

impl Name {
    fn new(written: &str) -> Name {
        match written {
            "**" => Name::AnyDirectories,
            _ if written.contains(['*', '?', '[', '\\']) => Name::Glob(parts(&written.chars().collect::<Vec<_>>())),
            _ => Name::Plain(written.to_owned()),
        }
    }

    fn fits(&self, name: &str) -> bool {
        match self {
            Name::Plain(plain) => plain == name,
            Name::AnyDirectories => false,
            Name::Glob(parts) => {
                let letters: Vec<char> = name.chars().collect();
                let any = |part: &Part| matches!(part, Part::Any);
                steps(parts, &letters, Reach::End, any, |part, letter| part.fits(*letter))
            }
        }
    }
}

impl Part {
    fn fits(&self, letter: char) -> bool {
        match self {
            Part::Letter(wanted) => *wanted == letter,
            Part::One => true,
            Part::Any => false,
            Part::Class { negated, ranges } => ranges.iter().any(|range| range.contains(&letter)) != *negated,
        }
    }
}

/// Whether a path is another, or lies in it.
pub fn is_at_or_below(place: &str, path: &str) -> bool {
    place.is_empty() || path == place || below(place, path).is_some()
}

/// The rest of a path that lies in a directory.
pub fn below<'a>(directory: &str, path: &'a str) -> Option<&'a str> {
    path.strip_prefix(directory)?.strip_prefix('/')
}

/// The patterns that a pattern with `{a,b}` stands for; beyond some dozens the rest is taken as it is written.
fn alternatives(pattern: &str) -> Vec<String> {
    const MOST: usize = 64;
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(next) = open.pop() {
        let choice = next.find('}').and_then(|end| Some((next[..end].rfind('{')?, end)));
        match choice {
            Some((start, end)) if open.len() + done.len() < MOST => {
                let choices = next[start + 1..end].split(',');
                open.extend(choices.map(|choice| format!("{}{choice}{}", &next[..start], &next[end + 1..])));
            }
            _ => done.push(next),
        }
    }
    done
}

fn parts(pattern: &[char]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < pattern.len() {
        let (part, length) = match pattern[at] {
            '*' => (Part::Any, 1),
            '?' => (Part::One, 1),
            '[' => class(&pattern[at..]).unwrap_or((Part::Letter('['), 1)),
            '\\' if at + 1 < pattern.len() => (Part::Letter(pattern[at + 1]), 2),
            letter => (Part::Letter(letter), 1),
        };
        parts.push(part);
        at += length;
    }
    parts
}

/// `[a-z_]` or `[!a-z]` at the beginning of a pattern, with its length.
fn class(pattern: &[char]) -> Option<(Part, usize)> {
    let negated = matches!(pattern.get(1), Some('!' | '^'));
    let start = if negated { 2 } else { 1 };
    let end = start + 1 + pattern.get(start + 1..)?.iter().position(|letter| *letter == ']')?;
    let mut ranges = Vec::new();
    let mut at = start;
    while at < end {
        if at + 2 < end && pattern[at + 1] == '-' {
            ranges.push(pattern[at]..=pattern[at + 2]);
            at += 3;
        } else {
            ranges.push(pattern[at]..=pattern[at]);
            at += 1;
        }
    }
    Some((Part::Class { negated, ranges }, end + 1))
}

/// How much of the items a pattern has to stand for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    End,
    Beginning,
}

/// Whether a pattern stands for some items. Item by item, `reached[i]` says whether the first `i` parts of the pattern
/// can stand for the items so far, so no pattern makes this slow.
fn steps<P, T>(
    pattern: &[P],
    items: &[T],
    reach: Reach,
    spans: impl Fn(&P) -> bool,
    fits: impl Fn(&P, &T) -> bool,
) -> bool {
    let end = pattern.len();
    let mut reached = vec![false; end + 1];
    reached[0] = true;
    let pass_over = |reached: &mut [bool]| {
        for at in 0..end {
            if reached[at] && spans(&pattern[at]) {
                reached[at + 1] = true;
            }
        }
    };
    pass_over(&mut reached);
    for item in items {
        let mut next = vec![false; end + 1];
        for (at, part) in pattern.iter().enumerate().filter(|(at, _)| reached[*at]) {
            if spans(part) {
                next[at] = true;
            } else if fits(part, item) {
                next[at + 1] = true;
            }
        }
        pass_over(&mut next);
        reached = next;
        if reach == Reach::Beginning && reached[end] {
            return true;
        }
    }
    reached[end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn governs(pattern: &str, base: &str, path: &str) -> bool {
        Pattern::new(pattern, base).governs(path)
    }

    #[test]
    fn files_directories_and_globs_are_told_apart() {
        for (pattern, path, expected) in [
            ("src/auth", "src/auth/token.rs", true),
            ("src/auth", "src/authority.rs", false),
            ("src/auth/token.rs", "src/auth/token.rs", true),
            ("src/*.rs", "src/a.rs", true),
            ("src/*.rs", "src/auth/a.rs", false),
            ("src/**/*.rs", "src/a.rs", true),
            ("src/**/*.rs", "src/auth/deep/a.rs", true),
            ("*.rs", "src/auth/a.rs", true),
            ("*.rs", "src/auth/a.ts", false),
            ("src/*", "src/auth/a.rs", true),
            ("**/tests", "a/b/tests/c.rs", true),
            ("src/{a,b}/x.rs", "src/b/x.rs", true),
            ("src/{a,b}/x.rs", "src/c/x.rs", false),
            ("file?.[ch]", "deep/file1.c", true),
            ("file?.[!ch]", "deep/file1.c", false),
            ("app/[id]/page.tsx", "app/[id]/page.tsx", true),
            ("app/[id]/page.tsx", "app/i/page.tsx", true),
            ("日?.md", "文書/日本.md", true),
            ("", "anything/at/all", true),
        ] {
            assert_eq!(governs(pattern, "", path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn a_bare_glob_applies_below_the_project() {
        assert!(governs("apps/web/*.rs", "apps/web", "apps/web/src/a.rs"));
        assert!(!governs("apps/web/*.rs", "apps/web", "apps/api/a.rs"));
        assert!(!governs("apps/web*.rs", "apps/web", "apps/web/a.rs"));
    }

    #[test]
    fn hostile_patterns_end_quickly() {
        let path = "a".repeat(500);
        assert!(!governs(&format!("{}b", "*a".repeat(200)), "", &path));
        assert!(!governs(&"{a,b}".repeat(30), "", &path));
    }
}
