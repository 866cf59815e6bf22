//! The words of a text with their places: folded, identifiers also in their parts, CJK in overlapping pairs.
//!
//! A CJK run of characters `abc` gives `ab`, `bc` and its last character `c`, so that every single character begins
//! some word and can be looked for by that.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::words::common::is_of_sentences;
use crate::words::{LONGEST, Script, fold, is_part, parts, stem};

/// A word where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'t> {
    /// As it is compared
    pub(super) word: &'t str,
    pub(super) sort: Sort,
    /// Neighbours have neighbouring places
    pub(super) place: u32,
    /// Bytes of the text, from and up to; where normalising changed the text, those of the run it stands in
    pub(super) span: (usize, usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Plain,
    /// An identifier of several parts, in one; it has the place of its first part
    Whole,
    /// Two neighbouring characters of a CJK run
    Pair,
    /// The last character of such a run
    Last,
}

/// Calls for each word of a text, and gives the place after the last.
pub(super) fn each(text: &str, call: impl FnMut(Token<'_>)) -> u32 {
    let mut splitter = Splitter { call, folded: String::with_capacity(LONGEST), place: 0 };
    splitter.text(text, None);
    splitter.place
}

/// The stems of the words of a text that tell something, in order: what plain retrieval of words works with.
pub fn stems(text: &str) -> Vec<String> {
    let mut stems = Vec::new();
    each(text, |token| {
        if token.sort != Sort::Whole && !is_of_sentences(token.word) {
            let mut word = token.word.to_owned();
            stem(&mut word);
            stems.push(word);
        }
    });
    stems
}

struct Splitter<F> {
    call: F,
    folded: String,
    place: u32,
}

impl<F: FnMut(Token<'_>)> Splitter<F> {
    /// Takes a text apart; where it is the normal form of another, `stands` is where that one stands.
    fn text(&mut self, text: &str, stands: Option<(usize, usize)>) {
        let mut at = 0;
        while let Some(found) = text[at..].find(is_part) {
            let start = at + found;
            let first = text[start..].chars().next().unwrap_or_default();
            let is_cjk = Script::of(first) != Script::Letters;
            let goes_on = |c: char| {
                c.is_ascii_alphanumeric() && !is_cjk
                    || (is_part(c) && (Script::of(c) != Script::Letters) == is_cjk)
                    || (!c.is_ascii() && is_combining_mark(c))
            };
            let end = text[start..].find(|c| !goes_on(c)).map_or(text.len(), |length| start + length);
            let run = &text[start..end];
            match stands {
                None if !run.is_ascii() => {
                    let normal: String = run.nfkc().collect();
                    if normal == run {
                        self.run(run, Stands::At(start), is_cjk);
                    } else {
                        self.text(&normal, Some((start, end)));
                    }
                }
                None => self.run(run, Stands::At(start), is_cjk),
                Some(span) => self.run(run, Stands::Within(span), is_cjk),
            }
            at = end;
        }
    }

    fn run(&mut self, run: &str, stands: Stands, is_cjk: bool) {
        if is_cjk { self.pairs(run, stands) } else { self.letters(run, stands) }
    }

    fn letters(&mut self, run: &str, stands: Stands) {
        let name = run.trim_matches('_');
        if name.len() <= LONGEST && parts(name).nth(1).is_some() {
            self.folded.clear();
            for part in parts(name) {
                fold(part, &mut self.folded);
            }
            let start = offset(run, name);
            self.say(Sort::Whole, stands.span(start, start + name.len()));
        }
        for part in parts(name) {
            if part.len() <= LONGEST {
                self.folded.clear();
                fold(part, &mut self.folded);
                let start = offset(run, part);
                self.say(Sort::Plain, stands.span(start, start + part.len()));
            }
            self.place += 1;
        }
    }

    fn pairs(&mut self, run: &str, stands: Stands) {
        let mut characters = run.char_indices().peekable();
        while let Some((start, c)) = characters.next() {
            self.folded.clear();
            self.folded.push(c);
            let mut end = start + c.len_utf8();
            let sort = match characters.peek() {
                Some((_, next)) => {
                    self.folded.push(*next);
                    end += next.len_utf8();
                    Sort::Pair
                }
                None => Sort::Last,
            };
            self.say(sort, stands.span(start, end));
            self.place += 1;
        }
    }

    fn say(&mut self, sort: Sort, span: (usize, usize)) {
        if !self.folded.is_empty() {
            (self.call)(Token { word: &self.folded, sort, place: self.place, span });
        }
    }
}

/// Where a run stands in the text.
#[derive(Clone, Copy)]
enum Stands {
    At(usize),
    Within((usize, usize)),
}

impl Stands {
    fn span(self, start: usize, end: usize) -> (usize, usize) {
        match self {
            Stands::At(at) => (at + start, at + end),
            Stands::Within(span) => span,
        }
    }
}

/// Where a part of a text begins in it.
fn offset(text: &str, part: &str) -> usize {
    part.as_ptr().addr().saturating_sub(text.as_ptr().addr())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(String, u32)> {
        let mut words = Vec::new();
        each(text, |token| words.push((token.word.to_owned(), token.place)));
        words
    }

    fn marked(text: &str, wanted: &str) -> Vec<String> {
        let mut marked = Vec::new();
        each(text, |token| {
            if token.word == wanted {
                marked.push(text[token.span.0..token.span.1].to_owned());
            }
        });
        marked
    }

    fn expected(words: &[(&str, u32)]) -> Vec<(String, u32)> {
        words.iter().map(|(word, place)| ((*word).to_owned(), *place)).collect()
    }

    #[test]
    fn identifiers_are_taken_whole_and_in_parts() {
        assert_eq!(
            words("the refresh_token of HTTPServer"),
            expected(&[
                ("the", 0),
                ("refreshtoken", 1),
                ("refresh", 1),
                ("token", 2),
                ("of", 3),
                ("httpserver", 4),
                ("http", 4),
                ("server", 5)
            ])
        );
        assert_eq!(words("src/auth.rs:42"), expected(&[("src", 0), ("auth", 1), ("rs", 2), ("42", 3)]));
    }

    #[test]
    fn cjk_is_taken_in_overlapping_pairs_with_the_last_character() {
        assert_eq!(words("認証の鍵 key"), expected(&[("認証", 0), ("証の", 1), ("の鍵", 2), ("鍵", 3), ("key", 4)]));
        assert_eq!(words("鍵"), expected(&[("鍵", 0)]));
        assert_eq!(words("JWTトー"), expected(&[("jwt", 0), ("トー", 1), ("ー", 2)]));
    }

    #[test]
    fn forms_that_read_the_same_are_the_same_and_are_found_in_place() {
        assert_eq!(
            words("Ｔｏｋｅｎ ﾄｰｸﾝ"),
            expected(&[("token", 0), ("トー", 1), ("ーク", 2), ("クン", 3), ("ン", 4)])
        );
        assert_eq!(words("cafe\u{301} CAFÉ"), expected(&[("cafe", 0), ("cafe", 1)]));
        assert_eq!(marked("ein cafe\u{301}, ein ﬁt", "cafe"), ["cafe\u{301}"]);
        assert_eq!(marked("ein ﬁt", "fit"), ["ﬁt"]);
        assert_eq!(marked("the refreshToken here", "token"), ["Token"]);
        assert_eq!(marked("認証の鍵", "証の"), ["証の"]);
    }

    #[test]
    fn any_text_can_be_taken_apart_and_every_span_is_of_the_text() {
        let long = "x".repeat(500);
        for text in [
            "",
            "#",
            "_",
            "__",
            "a\u{300}\u{301}b",
            "\u{300}",
            "½ ㎏ ﷺ",
            "İx",
            "𠀀𠀁",
            "a_\u{300}b",
            &long,
            "한국어 글",
        ] {
            each(text, |token| {
                assert!(!token.word.is_empty());
                assert!(
                    text.get(token.span.0..token.span.1).is_some_and(|part| !part.is_empty()),
                    "{text:?} {token:?}"
                );
            });
        }
        assert_eq!(each(&long, |_| panic!("data is no word")), 1);
    }
}
