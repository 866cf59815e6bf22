//! Paths at hand, and which items are about them.

use std::borrow::Cow;

use super::directories::NamedDirectories;
use super::{Candidate, Kind, Query};
use crate::governed::{Pattern, below, is_at_or_below};

/// How an item is about a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum About {
    Governs,
    Names,
}

/// The paths at hand.
#[derive(Debug)]
pub(super) struct Places<'q> {
    list: Vec<Cow<'q, str>>,
    /// The words at hand without the paths that stood in them, of which only the stems of names remain
    pub(super) words: Cow<'q, str>,
    directories: NamedDirectories,
}

impl<'q> Places<'q> {
    pub(super) fn of(query: &Query<'q>) -> Places<'q> {
        let mut list: Vec<Cow<'q, str>> = query.paths.iter().map(|path| cleaned(path)).collect();
        let mut words = String::new();
        let mut taken = 0;
        for (start, written) in tokens(query.words).filter(|(_, token)| is_path(token)) {
            let path = cleaned(written);
            words.push_str(&query.words[taken..start]);
            // Two words with a stroke between them may be a path, and are words all the same.
            if is_file_name(&path) || path.split('/').nth(2).is_some() {
                let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
                words.push_str(name.split('.').find(|part| !part.is_empty()).unwrap_or_default());
            } else {
                words.push_str(written);
            }
            taken = start + written.len();
            list.push(path);
        }
        words.push_str(&query.words[taken..]);
        list.retain(|path| !path.is_empty());
        list.dedup();
        let words = if taken == 0 { query.words.into() } else { words.into() };
        let directories = NamedDirectories::of(tokens(query.words).map(|(_, token)| token));
        Places { list, words, directories }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty() && !self.directories.has_place()
    }

    /// Returns whether one of these files, directories or globs is at hand.
    pub(super) fn has_any_of(&self, scopes: &[String]) -> bool {
        let is_at_hand = |scope: &String| self.list.iter().any(|path| closeness(scope, path).is_some());
        scopes.iter().any(|scope| is_at_hand(scope) || self.directories.find(scope).is_some())
    }

    /// How an item is about one of the paths, and how closely: the most specific one counts.
    pub(super) fn about(&self, candidate: &Candidate) -> Option<(About, &str, usize)> {
        let by_path = |path| {
            let own = candidate.paths.iter().filter_map(|own| Some((how(candidate.kind), closeness(own, path)?)));
            let texts = [&candidate.text, &candidate.more].into_iter();
            let said = texts.filter_map(|text| Some((About::Names, named_in(text, path)?)));
            own.chain(said).max_by_key(|(about, close)| (*about == About::Governs, *close))
        };
        let found = self
            .list
            .iter()
            .filter_map(|path| by_path(path.as_ref()).map(|(about, close)| (about, path.as_ref(), close)));
        let by_directory = || {
            let mut governed = candidate.paths.iter().filter(|_| how(candidate.kind) == About::Governs);
            governed.find_map(|own| Some((About::Governs, self.directories.find(own)?, 1)))
        };
        found.max_by_key(|(about, _, close)| (*about == About::Governs, *close)).or_else(by_directory)
    }
}

/// How closely a text names a file, if it does: how many names of the path it writes.
pub(crate) fn named_in(text: &str, path: &str) -> Option<usize> {
    if !text.contains(name(path)) {
        return None;
    }
    let said = tokens(text).map(|(_, said)| said).filter(|said| is_path(said));
    said.filter_map(|said| same_file(&cleaned(said), path)).max()
}

/// The paths of files that stand in a text, each once.
pub(super) fn in_text(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (_, token) in tokens(text).filter(|(_, token)| is_path(token) && is_file_name(token)) {
        let path = cleaned(token);
        if !found.iter().any(|known| *known == path) {
            found.push(path.into_owned());
        }
    }
    found
}

fn how(kind: Kind) -> About {
    if matches!(kind, Kind::Decision | Kind::Memory) { About::Governs } else { About::Names }
}

/// How many names of a path an item's own path settles, if it is about it: the file itself, a directory it lies in, a
/// glob for it, or something in the directory that is at hand.
fn closeness(own: &str, path: &str) -> Option<usize> {
    let own = own.trim_start_matches("./").trim_end_matches('/');
    let length = |path: &str| path.split('/').count();
    if own.is_empty() || own == "." {
        return None;
    }
    let directory = path.trim_end_matches('/');
    if is_at_or_below(own, directory) {
        return Some(length(own));
    }
    if own.contains(['*', '?', '[', '{']) {
        // What everything matches says nothing of a file in particular.
        let names = own.split('/').filter(|name| !matches!(*name, "*" | "**")).count();
        return (names > 0 && Pattern::new(own, "").governs(directory)).then_some(names);
    }
    if length(directory) > 1 && below(directory, own).is_some() {
        return Some(length(directory));
    }
    same_file(own, directory)
}

/// How many names two ways to write a path share, if they can mean the same file: one is the end of the other.
fn same_file(one: &str, other: &str) -> Option<usize> {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    if short == long {
        return Some(short.split('/').count());
    }
    let is_end = long.strip_suffix(short).is_some_and(|front| front.ends_with('/'));
    let names = short.split('/').count();
    let tells = names > 1 || (is_file_name(short) && !GENERIC.contains(&short.to_lowercase().as_str()));
    (is_end && tells).then_some(names)
}

fn name(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

/// What stands between spaces and quotation, with where it begins and without what surrounds it in a sentence.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_between = |c: char| c.is_whitespace() || "`\"'()[]<>{},;|*、，（）「」".contains(c);
    let mut end = 0;
    text.split_inclusive(is_between).filter_map(move |piece| {
        let start = end + piece.len() - piece.trim_start_matches('@').len();
        end += piece.len();
        let token = piece.trim_end_matches(is_between).trim_start_matches('@');
        let token = token.trim_end_matches(['.', ':', '!', '?', '。']);
        // Where nothing stands between words, a path ends where its letters do.
        let plain = &token[..token.find(|c: char| !c.is_ascii()).unwrap_or(token.len())];
        let token = if is_file_name(plain) { plain } else { token };
        Some((start, token)).filter(|(_, token)| !token.is_empty())
    })
}

/// Whether a word of a text is, or may be, a path.
fn is_path(token: &str) -> bool {
    (token.contains('/') || is_file_name(token)) && !token.contains("://")
}

/// A path without the lines of a file, `./` in front, and strokes the other way.
fn cleaned(written: &str) -> Cow<'_, str> {
    let mut path = written.trim_start_matches("./");
    if let Some((front, lines)) = path.rsplit_once([':', '#'])
        && lines.strip_prefix('L').unwrap_or(lines).bytes().all(|byte| byte.is_ascii_digit() || b"-L:".contains(&byte))
    {
        path = front.split(':').next().unwrap_or(front);
    }
    if path.contains('\\') { path.replace('\\', "/").into() } else { path.into() }
}

/// Whether the last name of a path is one of a file, by its ending.
fn is_file_name(path: &str) -> bool {
    let path = path.split([':', '#']).next().unwrap_or(path);
    let name = name(path);
    match name.rsplit_once('.') {
        Some((stem, ending)) => {
            let known = ENDINGS.binary_search(&ending.to_ascii_lowercase().as_str()).is_ok();
            known && !BRANDS.contains(&name.to_ascii_lowercase().as_str()) && (stem.is_empty() || stem.len() > 1)
        }
        None => {
            matches!(name, "Makefile" | "Dockerfile" | "Justfile" | "justfile" | "Jenkinsfile" | "Gemfile" | "Rakefile")
        }
    }
}

/// Endings of files, in order.
#[rustfmt::skip]
const ENDINGS: &[&str] = &[
    "adoc", "bash", "bat", "c", "cc", "cfg", "cjs", "clj", "conf", "cpp", "cs", "css", "csv", "cts", "dart", "env",
    "erl", "ex", "exs", "fish", "go", "gql", "gradle", "graphql", "h", "hcl", "hpp", "hs", "html", "ini", "ipynb",
    "java", "jl", "js", "json", "json5", "jsonc", "jsonl", "jsx", "kt", "kts", "less", "lock", "log", "lua", "m",
    "md", "mdx", "mjs", "ml", "mts", "nix", "php", "pl", "properties", "proto", "ps1", "py", "pyi", "r", "rb", "rs",
    "rst", "sass", "scala", "scss", "sh", "snap", "sql", "svelte", "svg", "swift", "tex", "tf", "toml", "ts", "tsx",
    "txt", "vim", "vue", "xml", "yaml", "yml", "zig", "zsh",
];

/// What looks like a file and is called so.
const BRANDS: &[&str] =
    &["node.js", "next.js", "nuxt.js", "vue.js", "three.js", "d3.js", "express.js", "react.js", "ember.js", "deno.js"];

/// Names that many directories have a file of.
#[rustfmt::skip]
const GENERIC: &[&str] = &[
    "__init__.py", "app.js", "app.py", "app.ts", "app.tsx", "build.gradle", "build.rs", "cargo.lock", "cargo.toml",
    "changelog.md", "config.json", "config.py", "config.rs", "config.toml", "config.ts", "config.yaml",
    "config.yml", "conftest.py", "dockerfile", "error.rs", "errors.rs", "go.mod", "go.sum", "index.css",
    "index.html", "index.js", "index.jsx", "index.md", "index.ts", "index.tsx", "lib.rs", "main.c", "main.cpp",
    "main.go", "main.js", "main.py", "main.rs", "main.ts", "main.tsx", "makefile", "mod.rs", "mod.ts", "models.py",
    "package-lock.json", "package.json", "page.tsx", "pom.xml", "pyproject.toml", "readme.md", "requirements.txt",
    "setup.py", "settings.json", "style.css", "styles.css", "test.py", "tests.py", "tests.rs", "tsconfig.json",
    "types.rs", "types.ts", "utils.js", "utils.py", "utils.rs", "utils.ts", "views.py",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn in_words(words: &str) -> Vec<String> {
        Places::of(&Query { words, paths: &[] }).list.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn paths_are_found_in_words() {
        for (words, expected) in [
            ("look at src/auth/token.rs:42-78, please", &["src/auth/token.rs"][..]),
            ("in `token.rs` and @docs/format.md.", &["token.rs", "docs/format.md"]),
            ("(see ./web/app.tsx#L10)", &["web/app.tsx"]),
            ("crates\\model\\src\\text.rs panics", &["crates/model/src/text.rs"]),
            ("src/auth/token.rsを直して", &["src/auth/token.rs"]),
            ("https://example.com/a/b.html is down", &[]),
            ("Node.js 22 or e.g. v1.2 takes 1.5 s", &[]),
            ("fix .env and the Makefile", &[".env", "Makefile"]),
        ] {
            assert_eq!(in_words(words), expected, "{words}");
        }
    }

    #[test]
    fn words_keep_the_stem_of_a_path_only() {
        let query = Query { words: "why does src/auth/refresh_token.rs:12 fail?", paths: &[] };
        assert_eq!(Places::of(&query).words, "why does refresh_token fail?");
    }

    #[test]
    fn one_path_is_the_end_of_the_other() {
        assert_eq!(same_file("auth/token.rs", "src/auth/token.rs"), Some(2));
        assert_eq!(same_file("token.rs", "src/auth/token.rs"), Some(1));
        assert_eq!(same_file("src/b/token.rs", "src/auth/token.rs"), None);
        assert_eq!(same_file("oken.rs", "src/auth/token.rs"), None);
        assert_eq!(same_file("mod.rs", "src/auth/mod.rs"), None);
        assert_eq!(same_file("mod.rs", "mod.rs"), Some(1));
        assert_eq!(same_file("/home/me/app/src/auth/token.rs", "src/auth/token.rs"), Some(3));
    }

    #[test]
    fn lists_are_in_order() {
        assert!(ENDINGS.is_sorted());
        assert!(GENERIC.iter().all(|name| *name == name.to_lowercase()));
    }
}
