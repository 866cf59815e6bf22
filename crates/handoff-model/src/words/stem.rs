//! English words without their endings: the rules of the Snowball project's English stemmer, also known as Porter 2.
//!
//! Apostrophes never get this far: they end a word.

/// Cuts the endings off a word in small ASCII letters; any other word stays as it is.
pub(crate) fn stem(word: &mut String) {
    if word.len() <= 2 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    if let Some((_, stem)) = IRREGULAR.iter().find(|(irregular, _)| *irregular == word.as_str()) {
        word.replace_range(.., stem);
        return;
    }
    let mut cut = Cut::of(word);
    cut.plural();
    if !FINAL.contains(&std::str::from_utf8(&cut.letters).unwrap_or_default()) {
        cut.past_and_progressive();
        cut.final_y();
        cut.replace(STEP_2);
        cut.replace(STEP_3);
        cut.drop_suffix();
        cut.final_e_and_l();
    }
    word.clear();
    word.extend(cut.letters.iter().map(|byte| char::from(byte.to_ascii_lowercase())));
}

/// Words that the rules would spoil.
const IRREGULAR: &[(&str, &str)] = &[
    ("skis", "ski"),
    ("skies", "sky"),
    ("dying", "die"),
    ("lying", "lie"),
    ("tying", "tie"),
    ("idly", "idl"),
    ("gently", "gentl"),
    ("ugly", "ugli"),
    ("early", "earli"),
    ("only", "onli"),
    ("singly", "singl"),
    ("sky", "sky"),
    ("news", "news"),
    ("howe", "howe"),
    ("atlas", "atlas"),
    ("cosmos", "cosmos"),
    ("bias", "bias"),
    ("andes", "andes"),
];

/// Words that have their stem once a plural is gone.
const FINAL: &[&str] = &["inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"];

/// Beginnings after which the first region starts at once.
const BEGINNINGS: &[&str] = &["gener", "commun", "arsen"];

/// What an ending becomes, and where it must lie.
struct Rule {
    ending: &'static str,
    becomes: &'static str,
    needs: Needs,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    First,
    Second,
    /// An `l` before it
    AfterL,
    /// One of the letters that `li` follows in an adverb
    AfterAdverb,
    /// An `s` or a `t` before it, in the second region
    AfterST,
}

const fn rule(ending: &'static str, becomes: &'static str, needs: Needs) -> Rule {
    Rule { ending, becomes, needs }
}

const STEP_2: &[Rule] = &[
    rule("tional", "tion", Needs::First),
    rule("enci", "ence", Needs::First),
    rule("anci", "ance", Needs::First),
    rule("abli", "able", Needs::First),
    rule("entli", "ent", Needs::First),
    rule("izer", "ize", Needs::First),
    rule("ization", "ize", Needs::First),
    rule("ational", "ate", Needs::First),
    rule("ation", "ate", Needs::First),
    rule("ator", "ate", Needs::First),
    rule("alism", "al", Needs::First),
    rule("aliti", "al", Needs::First),
    rule("alli", "al", Needs::First),
    rule("fulness", "ful", Needs::First),
    rule("ousli", "ous", Needs::First),
    rule("ousness", "ous", Needs::First),
    rule("iveness", "ive", Needs::First),
    rule("iviti", "ive", Needs::First),
    rule("biliti", "ble", Needs::First),
    rule("bli", "ble", Needs::First),
    rule("ogi", "og", Needs::AfterL),
    rule("fulli", "ful", Needs::First),
    rule("lessli", "less", Needs::First),
    rule("li", "", Needs::AfterAdverb),
];

const STEP_3: &[Rule] = &[
    rule("tional", "tion", Needs::First),
    rule("ational", "ate", Needs::First),
    rule("alize", "al", Needs::First),
    rule("icate", "ic", Needs::First),
    rule("iciti", "ic", Needs::First),
    rule("ical", "ic", Needs::First),
    rule("ful", "", Needs::First),
    rule("ness", "", Needs::First),
    rule("ative", "", Needs::Second),
];

const STEP_4: &[Rule] = &[
    rule("al", "", Needs::Second),
    rule("ance", "", Needs::Second),
    rule("ence", "", Needs::Second),
    rule("er", "", Needs::Second),
    rule("ic", "", Needs::Second),
    rule("able", "", Needs::Second),
    rule("ible", "", Needs::Second),
    rule("ant", "", Needs::Second),
    rule("ement", "", Needs::Second),
    rule("ment", "", Needs::Second),
    rule("ent", "", Needs::Second),
    rule("ism", "", Needs::Second),
    rule("ate", "", Needs::Second),
    rule("iti", "", Needs::Second),
    rule("ous", "", Needs::Second),
    rule("ive", "", Needs::Second),
    rule("ize", "", Needs::Second),
    rule("ion", "", Needs::AfterST),
];

/// A word being cut; a `y` that is a consonant is written `Y`.
struct Cut {
    letters: Vec<u8>,
    /// Where the part after the first syllable begins, and the part after the second
    first: usize,
    second: usize,
}

impl Cut {
    fn of(word: &str) -> Cut {
        let mut letters = word.as_bytes().to_vec();
        for at in 0..letters.len() {
            if letters[at] == b'y' && (at == 0 || is_vowel(letters[at - 1])) {
                letters[at] = b'Y';
            }
        }
        let given = BEGINNINGS.iter().find(|beginning| word.starts_with(*beginning));
        let first = given.map_or_else(|| region(&letters, 0), |beginning| beginning.len());
        let second = region(&letters, first);
        Cut { letters, first, second }
    }

    fn ends_with(&self, ending: &str) -> bool {
        self.letters.ends_with(ending.as_bytes())
    }

    /// The letters before an ending of so many.
    fn before(&self, ending: usize) -> &[u8] {
        &self.letters[..self.letters.len() - ending]
    }

    fn drop(&mut self, count: usize) {
        self.letters.truncate(self.letters.len() - count);
    }

    fn plural(&mut self) {
        if self.ends_with("sses") {
            self.drop(2);
        } else if self.ends_with("ied") || self.ends_with("ies") {
            self.drop(if self.letters.len() > 4 { 2 } else { 1 });
        } else if self.ends_with("s") && !self.ends_with("us") && !self.ends_with("ss") {
            let front = self.before(1);
            if front[..front.len().saturating_sub(1)].iter().any(|letter| is_vowel(*letter)) {
                self.drop(1);
            }
        }
    }

    fn past_and_progressive(&mut self) {
        for ending in ["eedly", "eed"] {
            if self.ends_with(ending) {
                if self.letters.len() - ending.len() >= self.first {
                    self.drop(ending.len() - 2);
                }
                return;
            }
        }
        let endings = ["ingly", "edly", "ing", "ed"];
        let Some(ending) = endings.iter().find(|ending| self.ends_with(ending)) else { return };
        if !self.before(ending.len()).iter().any(|letter| is_vowel(*letter)) {
            return;
        }
        self.drop(ending.len());
        let is_double = |pair: &[u8]| pair[0] == pair[1] && b"bdfgmnprt".contains(&pair[0]);
        if self.ends_with("at") || self.ends_with("bl") || self.ends_with("iz") {
            self.letters.push(b'e');
        } else if self.letters.last_chunk::<2>().is_some_and(|pair| is_double(pair)) {
            self.drop(1);
        } else if self.first >= self.letters.len() && ends_in_short_syllable(&self.letters) {
            self.letters.push(b'e');
        }
    }

    fn final_y(&mut self) {
        if let [_, .., before, last @ (b'y' | b'Y')] = self.letters.as_mut_slice()
            && !is_vowel(*before)
        {
            *last = b'i';
        }
    }

    /// Puts another ending in the place of the longest that is listed, if it lies where it must.
    fn replace(&mut self, rules: &[Rule]) {
        let Some(rule) = self.longest(rules) else { return };
        let before = self.before(rule.ending.len());
        let in_first = before.len() >= self.first;
        let in_second = before.len() >= self.second;
        let fits = match rule.needs {
            Needs::First => in_first,
            Needs::Second => in_second,
            Needs::AfterL => in_first && before.ends_with(b"l"),
            Needs::AfterAdverb => in_first && before.last().is_some_and(|letter| b"cdeghkmnrt".contains(letter)),
            Needs::AfterST => in_second && before.last().is_some_and(|letter| b"st".contains(letter)),
        };
        if fits {
            self.drop(rule.ending.len());
            self.letters.extend_from_slice(rule.becomes.as_bytes());
        }
    }

    fn longest<'r>(&self, rules: &'r [Rule]) -> Option<&'r Rule> {
        rules.iter().filter(|rule| self.ends_with(rule.ending)).max_by_key(|rule| rule.ending.len())
    }

    fn drop_suffix(&mut self) {
        self.replace(STEP_4);
    }

    fn final_e_and_l(&mut self) {
        let length = self.letters.len();
        if self.ends_with("e") {
            let front = self.before(1);
            if length > self.second || (length > self.first && !ends_in_short_syllable(front)) {
                self.drop(1);
            }
        } else if self.ends_with("ll") && length > self.second {
            self.drop(1);
        }
    }
}

fn is_vowel(letter: u8) -> bool {
    b"aeiouy".contains(&letter)
}

/// Where the part behind the first consonant after a vowel begins, looking from a place on.
fn region(letters: &[u8], from: usize) -> usize {
    let rest = &letters[from.min(letters.len())..];
    let pair = rest.windows(2).position(|pair| is_vowel(pair[0]) && !is_vowel(pair[1]));
    pair.map_or(letters.len(), |at| from + at + 2)
}

fn ends_in_short_syllable(letters: &[u8]) -> bool {
    match letters {
        [vowel, last] => is_vowel(*vowel) && !is_vowel(*last),
        [.., before, vowel, last] => {
            !is_vowel(*before) && is_vowel(*vowel) && !is_vowel(*last) && !b"wxY".contains(last)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stemmed(word: &str) -> String {
        let mut word = word.to_owned();
        stem(&mut word);
        word
    }

    // Pairs that the description of the algorithm gives.
    #[test]
    fn words_lose_their_endings_as_the_algorithm_says() {
        for (word, expected) in [
            ("consign", "consign"),
            ("consigned", "consign"),
            ("consigning", "consign"),
            ("consist", "consist"),
            ("consistency", "consist"),
            ("consistently", "consist"),
            ("consolation", "consol"),
            ("consolatory", "consolatori"),
            ("consoling", "consol"),
            ("consolingly", "consol"),
            ("conspicuous", "conspicu"),
            ("conspiracy", "conspiraci"),
            ("conspirator", "conspir"),
            ("constable", "constabl"),
            ("constancy", "constanc"),
            ("knack", "knack"),
            ("knavish", "knavish"),
            ("kneaded", "knead"),
            ("knees", "knee"),
            ("knell", "knell"),
            ("knightly", "knight"),
            ("knobs", "knob"),
            ("knots", "knot"),
            ("generate", "generat"),
            ("general", "general"),
            ("communism", "communism"),
            ("hopped", "hop"),
            ("hoped", "hope"),
            ("falling", "fall"),
            ("happy", "happi"),
            ("by", "by"),
            ("say", "say"),
            ("ties", "tie"),
            ("cries", "cri"),
            ("gas", "gas"),
            ("gaps", "gap"),
            ("luxuriated", "luxuri"),
            ("proceeds", "proceed"),
            ("agreed", "agre"),
            ("yesterday", "yesterday"),
        ] {
            assert_eq!(stemmed(word), expected, "{word}");
        }
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for forms in [
            &["migrate", "migrates", "migrated", "migrating", "migration", "migrations"][..],
            &["cache", "caches", "cached", "caching"],
            &["retry", "retries", "retried", "retrying"],
            &["stop", "stops", "stopped", "stopping"],
            &["process", "processes", "processed", "processing"],
            &["configure", "configured", "configuring", "configuration"],
        ] {
            assert!(forms.iter().all(|form| stemmed(form) == stemmed(forms[0])), "{forms:?}");
        }
        assert_ne!(stemmed("status"), stemmed("state"));
    }

    #[test]
    fn what_is_no_english_word_stays() {
        for word in ["", "a", "is", "größen", "sha256s", "トークン", "x86"] {
            assert_eq!(stemmed(word), word);
        }
    }
}
