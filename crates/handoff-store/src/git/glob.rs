//! Whether a path is among those that a decision governs.

/// Whether a path is named by a pattern: a file, a directory that it lies in, or a glob.
///
/// In a glob `*` and `?` stay within a name, `**` spans any number of directories, `[a-z]` and `{a,b}` choose. One
/// without a `/` applies in every directory. What a glob names may be a directory, too.
pub(super) fn governs(pattern: &str, base: &str, path: &str) -> bool {
    if is_at_or_below(pattern, path) {
        return true;
    }
    if !pattern.contains(['*', '?', '[', '{']) {
        return false;
    }
    alternatives(pattern).iter().any(|pattern| {
        // Seen from the root, the pattern begins with the way to the project.
        let own = if base.is_empty() { Some(pattern.as_str()) } else { below(base, pattern) };
        let anywhere = own.filter(|own| !own.contains('/')).map(|own| crate::root::join(base, &format!("**/{own}")));
        let pattern: Vec<&str> = anywhere.as_deref().unwrap_or(pattern).split('/').collect();
        let names: Vec<&str> = path.split('/').collect();
        (1..=names.len()).any(|depth| directories(&pattern, &names[..depth]))
    })
}

/// Whether a path is another, or lies in it.
pub(super) fn is_at_or_below(place: &str, path: &str) -> bool {
    place.is_empty() || path == place || below(place, path).is_some()
}

/// The rest of a path that lies in a directory.
pub(super) fn below<'a>(directory: &str, path: &'a str) -> Option<&'a str> {
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

/// Row by row over the names: `reached[i]` says whether the first `i` parts of the pattern can stand for the names so
/// far. No pattern makes this slow.
fn directories(pattern: &[&str], names: &[&str]) -> bool {
    steps(pattern, names, |part| *part == "**", |part, name| letters(part, name))
}

fn letters(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let spans = |part: &Part| matches!(part, Part::Any);
    steps(&parts(&pattern), &name, spans, |part, letter| match part {
        Part::Letter(wanted) => wanted == letter,
        Part::One => true,
        Part::Any => false,
        Part::Class { negated, ranges } => ranges.iter().any(|range| range.contains(letter)) != *negated,
    })
}

enum Part {
    Letter(char),
    One,
    Any,
    Class { negated: bool, ranges: Vec<std::ops::RangeInclusive<char>> },
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

fn steps<P, T>(pattern: &[P], items: &[T], spans: impl Fn(&P) -> bool, fits: impl Fn(&P, &T) -> bool) -> bool {
    let mut reached = vec![false; pattern.len() + 1];
    reached[0] = true;
    let pass_over = |reached: &mut Vec<bool>| {
        for at in 0..pattern.len() {
            if reached[at] && spans(&pattern[at]) {
                reached[at + 1] = true;
            }
        }
    };
    pass_over(&mut reached);
    for item in items {
        let mut next = vec![false; pattern.len() + 1];
        for (at, part) in pattern.iter().enumerate().filter(|(at, _)| reached[*at]) {
            if spans(part) {
                next[at] = true;
            } else if fits(part, item) {
                next[at + 1] = true;
            }
        }
        pass_over(&mut next);
        reached = next;
    }
    reached[pattern.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

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
