//! The words of a text, as they are compared: small, without endings, identifiers also in their parts, CJK in pairs.

use std::borrow::Cow;
use std::collections::BTreeMap;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use crate::words::common::{is_common, is_common_pair, is_of_sentences};
use crate::words::{LONGEST, Script, is_part, parts};

/// What sort of word it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Plain,
    /// A name such as `refresh_token`, `PgBouncer` or `#31`, which tells something apart by itself
    Name,
    /// Two neighbouring characters of a CJK word, with the place of the first
    Pair(usize),
}

/// A word, as long as it is looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'t> {
    pub(super) stem: &'t str,
    pub(super) written: &'t str,
    pub(super) sort: Sort,
}

impl Word<'_> {
    /// Whether it says enough to be looked for.
    pub(super) fn counts(&self) -> bool {
        match self.sort {
            Sort::Pair(_) => !is_common_pair(self.stem),
            Sort::Name => !is_common(self.written, self.stem),
            Sort::Plain => {
                let length = self.stem.chars().count();
                // Of two letters only what is written in capitals, such as CI.
                let is_long = length > 2 || (length == 2 && self.written.bytes().all(|byte| byte.is_ascii_uppercase()));
                is_long && !self.stem.bytes().all(|byte| byte.is_ascii_digit()) && !is_common(self.written, self.stem)
            }
        }
    }
}

/// Calls for each word of a text.
pub(super) fn each(text: &str, call: impl FnMut(Word<'_>)) {
    each_that_may(text, |_| true, call);
}

/// The same, passing over plain words whose first letter, small, is not wanted. Says how many runs of letters there are.
pub(super) fn each_that_may(text: &str, is_wanted: impl Fn(u8) -> bool, mut call: impl FnMut(Word<'_>)) -> usize {
    let is_normal = text.is_ascii() || is_nfkc_quick(text.chars()) == IsNormalized::Yes;
    let text: Cow<'_, str> = if is_normal { text.into() } else { text.nfkc().collect::<String>().into() };
    let mut stem = String::with_capacity(LONGEST);
    let (mut place, mut runs) = (0, 0);
    let mut rest = text.as_ref();
    while let Some(start) = find(rest, |c| is_part(c) || c == '#') {
        let before = rest[..start].chars().next_back();
        rest = &rest[start..];
        let first = rest.chars().next().unwrap_or_default();
        let end = if first == '#' {
            1 + rest[1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - 1)
        } else {
            let script = Script::of(first);
            find(rest, |c| !is_part(c) || Script::of(c) != script).unwrap_or(rest.len())
        };
        let (run, after) = rest.split_at(end);
        runs += 1;
        match Script::of(first) {
            _ if first == '#' => {
                // An issue, unless it is the end of something such as a link.
                if end > 1 && before.is_none_or(|c| !is_part(c)) {
                    call(Word { stem: run, written: run, sort: Sort::Name });
                }
            }
            Script::Letters if is_plain(run) && !is_wanted(run.as_bytes()[0].to_ascii_lowercase()) => {}
            Script::Letters if run.len() <= LONGEST => letters(run, after, &mut stem, &mut call),
            Script::Letters | Script::Hiragana => {}
            Script::Han | Script::Katakana | Script::Hangul => place = pairs(run, place, &mut call),
        }
        rest = after;
    }
    runs
}

/// Whether a run of letters is one word, as most are.
fn is_plain(run: &str) -> bool {
    let bytes = run.as_bytes();
    bytes[0].is_ascii_alphabetic() && bytes[1..].iter().all(u8::is_ascii_lowercase)
}

/// Whether two texts share most of their words, one of them at least being no common one.
pub(super) fn say_same(one: &str, other: &str) -> bool {
    let (one, other) = (stems(one), stems(other));
    let shared = || one.iter().filter(|(stem, _)| other.contains_key(*stem));
    let (count, most, least) = (shared().count(), one.len().max(other.len()), one.len().min(other.len()));
    let is_same = count > 0 && count == most;
    is_same || (4 * count >= 3 * least && 2 * count >= most && count > 1 && shared().any(|(_, counts)| *counts))
}

/// The stems of a text without what sentences are made of, and whether each says enough to be looked for.
fn stems(text: &str) -> BTreeMap<String, bool> {
    let mut stems = BTreeMap::new();
    each(text, |word| {
        if word.sort != Sort::Name && (word.counts() || !is_of_sentences(word.written)) {
            stems.insert(word.stem.to_owned(), word.counts());
        }
    });
    stems
}

/// How many words there are, neighbouring pairs of CJK being parts of the same.
pub(super) fn count(sorts: impl Iterator<Item = Sort>) -> usize {
    let (mut words, mut last, mut stretch) = (0, None, 0_usize);
    for sort in sorts {
        match sort {
            Sort::Plain | Sort::Name => words += 1,
            Sort::Pair(place) => {
                stretch = if last.is_some_and(|last| last + 1 == place) { stretch + 1 } else { 1 };
                last = Some(place);
                // Of three characters the second pair belongs to the first, of four the third is a word of its own.
                words += stretch % 2;
            }
        }
    }
    words
}

/// An identifier or a word, with what it is made of.
fn letters(run: &str, after: &str, stem: &mut String, call: &mut impl FnMut(Word<'_>)) {
    if is_plain(run) {
        stem.clear();
        stem.push_str(run);
        stem.make_ascii_lowercase();
        cut_ending(stem);
        call(Word { stem, written: run, sort: Sort::Plain });
        return;
    }
    let name = run.trim_matches('_');
    let ticket = || after.strip_prefix('-')?.find(|c: char| !c.is_ascii_digit()).or(Some(after.len() - 1));
    if name.len() > 1
        && name.bytes().all(|byte| byte.is_ascii_uppercase())
        && let Some(digits @ 1..) = ticket()
    {
        stem.clear();
        stem.push_str(name);
        stem.push_str(&after[..=digits]);
        call(Word { stem, written: stem, sort: Sort::Name });
    }
    let parts = parts(name);
    if is_compound(name) {
        stem.clear();
        stem.extend(name.chars().filter(|c| *c != '_').flat_map(char::to_lowercase));
        call(Word { stem, written: name, sort: Sort::Name });
    }
    for part in parts {
        stem.clear();
        stem.extend(part.chars().flat_map(char::to_lowercase));
        cut_ending(stem);
        call(Word { stem, written: part, sort: Sort::Plain });
    }
}

/// Whether a name is made of several words, or of letters and digits.
fn is_compound(name: &str) -> bool {
    let has_letter = name.bytes().any(|byte| byte.is_ascii_alphabetic());
    let starts_well = name.chars().next().is_some_and(char::is_alphabetic);
    let has_digit = name.bytes().any(|byte| byte.is_ascii_digit());
    let is_split = parts(name).nth(1).is_some();
    has_letter && starts_well && (is_split || (has_digit && name.len() >= 5))
}

/// Cuts the common endings of English off, the same from all forms of a word.
fn cut_ending(word: &mut String) {
    if word.len() < 4 || !word.is_ascii() {
        return;
    }
    let cut = |word: &mut String, ending: &str, least: usize| {
        let fits = word.len() >= ending.len() + least && word.ends_with(ending);
        if fits {
            word.truncate(word.len() - ending.len());
        }
        fits
    };
    if cut(word, "ies", 2) || cut(word, "ied", 2) {
        word.push('y');
    } else if !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is") {
        cut(word, "s", 3);
    }
    let has_vowel = |word: &str| word.bytes().any(|byte| b"aeiouy".contains(&byte));
    for ending in ["ing", "ed"] {
        let Some(front) = word.strip_suffix(ending).filter(|front| front.len() >= 3 && has_vowel(front)) else {
            continue;
        };
        let front = front.len();
        word.truncate(front);
        let twice = word.as_bytes()[front - 1] == word.as_bytes()[front - 2];
        if twice && !word.ends_with(['l', 's', 'z']) {
            word.pop();
        }
        break;
    }
    if word.ends_with("tion") || word.ends_with("sion") {
        cut(word, "ion", 4);
    }
    cut(word, "e", 3);
}

/// Where the first character like this is; most are looked at as bytes, which is what makes this fast.
fn find(text: &str, is_it: impl Fn(char) -> bool) -> Option<usize> {
    let found = text.bytes().position(|byte| !byte.is_ascii() || is_it(char::from(byte)))?;
    if text.as_bytes()[found].is_ascii() {
        return Some(found);
    }
    text[found..].find(is_it).map(|place| found + place)
}

/// The pairs of a run; gives the place after it.
fn pairs(run: &str, mut place: usize, call: &mut impl FnMut(Word<'_>)) -> usize {
    let starts = run.char_indices().map(|(at, _)| at);
    let ends = run.char_indices().skip(2).map(|(at, _)| at).chain([run.len()]);
    for (start, end) in starts.zip(ends).take(run.chars().count() - 1) {
        let pair = &run[start..end];
        call(Word { stem: pair, written: pair, sort: Sort::Pair(place) });
        place += 1;
    }
    place + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stems(text: &str) -> Vec<String> {
        let mut stems = Vec::new();
        each(text, |word| stems.push(word.stem.to_owned()));
        stems
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for forms in [
            &["migrate", "migrates", "migrated", "migrating", "migration", "migrations"][..],
            &["cache", "caches", "cached", "caching"],
            &["retry", "retries", "retried", "retrying"],
            &["stop", "stops", "stopped", "stopping"],
            &["parser", "parsers"],
            &["process", "processes", "processed", "processing"],
        ] {
            let stems: Vec<_> = forms.iter().flat_map(|form| stems(form)).collect();
            assert!(stems.iter().all(|stem| *stem == stems[0]), "{forms:?}: {stems:?}");
        }
        assert_ne!(stems("status"), stems("state"));
        assert_ne!(stems("string"), stems("stress"));
    }

    #[test]
    fn identifiers_are_taken_whole_and_in_parts() {
        assert_eq!(stems("refresh_token"), ["refreshtoken", "refresh", "token"]);
        assert_eq!(stems("refreshTokens"), ["refreshtokens", "refresh", "token"]);
        assert_eq!(stems("HTTPServer"), ["httpserver", "http", "server"]);
        assert_eq!(stems("sha256"), ["sha256", "sha256"]);
        assert_eq!(stems("see #31 and ABC-12"), ["see", "#31", "and", "ABC-12", "abc", "12"]);
    }

    #[test]
    fn cjk_is_taken_in_pairs_of_one_script() {
        assert_eq!(stems("認証トークンの更新"), ["認証", "トー", "ーク", "クン", "更新"]);
        assert_eq!(stems("토큰을 갱신"), ["토큰", "큰을", "갱신"]);
        assert_eq!(stems("Ｔｏｋｅｎ"), ["token"], "full-width letters are letters");
        let sorts = |text: &str| {
            let mut sorts = Vec::new();
            each(text, |word| sorts.push(word.sort));
            count(sorts.into_iter())
        };
        assert_eq!((sorts("認証"), sorts("認証局"), sorts("刷新令牌"), sorts("認証トークン")), (1, 1, 2, 3));
    }

    #[test]
    fn texts_say_the_same_when_they_share_most_words_and_a_telling_one() {
        for (one, other, expected) in [
            ("Fix refresh test matrix", "fix the refresh test matrix in auth", true),
            ("Fix refresh test matrix", "Refresh test matrix fixed", true),
            ("Run race tests", "Run the tests", false),
            ("Run tests", "run the tests", true),
            ("Add a metrics page", "Add a settings page", false),
            ("Run the fuzzer for an hour on the parser", "Run the fuzzer on the printer and the reader", false),
            ("認証トークンを更新", "認証トークンの更新", true),
            ("", "", false),
        ] {
            assert_eq!(say_same(one, other), expected, "{one} / {other}");
        }
    }

    #[test]
    fn any_text_can_be_taken_apart() {
        for text in ["", "#", "_", "__", "-", "a#1", "ABC-", "é#", "ß_ẞ", "a\u{300}", "鍵", "#1#2", "𠀀𠀁", "İx"]
        {
            each(text, |word| assert!(!word.stem.is_empty(), "{text:?}"));
        }
    }
}
