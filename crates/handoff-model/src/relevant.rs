//! What matters for the words and files at hand, out of all that is recorded.
//!
//! **Invariant:** silence is the default. An item is offered only when a file at hand is one it governs or names, when
//! it is named itself, or when it shares words that would hardly be shared by chance. Equal input gives equal output.
//!
//! Chance is reckoned over the items at hand: words that each occur in some share of them would all occur in one item
//! by the product of these shares. They count once that makes less than one item, so a word that everything is about
//! counts for nothing, whatever the project is about. Words that say little anywhere (`words/common.rs`) never count.

mod directories;
mod paths;
#[cfg(test)]
mod tests;
mod words;

use std::collections::{HashMap, HashSet};

use crate::words::common::is_of_sentences;
pub(crate) use paths::named_in;
use paths::{About, Places};
use words::Sort;

/// Something recorded that may matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What it is known by, such as the reference of a decision or the id of a task
    pub key: String,
    pub kind: Kind,
    /// What it says
    pub text: String,
    /// What else it can be found by, such as the description of a task
    pub more: String,
    /// Paths it governs (a decision) or points to, relative to the project; files, directories or globs
    pub paths: Vec<String>,
}

/// What sort of thing it is, the weightiest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Decision,
    Caution,
    /// A lasting memory
    Memory,
    Blocker,
    Question,
    Task,
    Next,
    Pointer,
}

/// What is at hand.
#[derive(Clone, Copy, Debug, Default)]
pub struct Query<'a> {
    /// What was asked; paths that stand in it count as paths
    pub words: &'a str,
    /// Files at hand, relative to the project
    pub paths: &'a [String],
}

impl Query<'_> {
    /// Whether anything at all could matter for it; if not, nothing need be read.
    pub fn is_about_something(&self) -> bool {
        !Asked::of(self).is_empty()
    }
}

/// Something that matters, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit<'a> {
    pub candidate: &'a Candidate,
    /// Where it stands among the candidates
    pub place: usize,
    pub why: Why,
}

/// Why something matters; the strongest reason first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It governs this file
    Governs(String),
    /// It names this file, or was itself named like this
    Names(String),
    /// It shares these words
    Words(Vec<String>),
}

/// What matters, the best first, at most so many.
pub fn relevant<'a>(query: &Query<'_>, candidates: &'a [Candidate], at_most: usize) -> Vec<Hit<'a>> {
    relevant_among(query, candidates, at_most, candidates.len())
}

/// The same where the candidates are those of `total` that share a word with the query: what the others say is no matter,
/// but how many they are tells how rare a word is.
pub fn relevant_among<'a>(
    query: &Query<'_>,
    candidates: &'a [Candidate],
    at_most: usize,
    total: usize,
) -> Vec<Hit<'a>> {
    let asked = Asked::of(query);
    if asked.is_empty() || at_most == 0 {
        return Vec::new();
    }
    let matched: Vec<Matched> = candidates.iter().map(|candidate| asked.share(candidate)).collect();
    let chances = Chances::of(&asked, &matched, total);
    let mut hits: Vec<(Rank, Hit<'a>)> = candidates
        .iter()
        .zip(&matched)
        .enumerate()
        .filter_map(|(place, (candidate, matched))| {
            let (strength, why) = asked.why(candidate, matched, &chances)?;
            let order = match why {
                Why::Governs(_) => 0,
                Why::Names(_) => 1,
                Why::Words(_) => 2,
            };
            Some((Rank { order, strength, kind: candidate.kind, place }, Hit { candidate, place, why }))
        })
        .collect();
    hits.sort_by(|(one, _), (other, _)| one.compare(other));
    hits.into_iter().take(at_most).map(|(_, hit)| hit).collect()
}

/// The files and directories that a text names.
#[derive(Debug)]
pub struct NamedPlaces<'t>(Places<'t>);

impl<'t> NamedPlaces<'t> {
    pub fn in_text(text: &'t str) -> NamedPlaces<'t> {
        NamedPlaces(Places::of(&Query { words: &text[..text.floor_char_boundary(READ)], paths: &[] }))
    }

    /// Returns whether the text names one of these files, directories or globs, or something below one.
    pub fn has_any_of(&self, scopes: &[String]) -> bool {
        self.0.has_any_of(scopes)
    }
}

/// The paths that stand in a text, each once, in order.
pub fn paths_in(text: &str) -> Vec<String> {
    paths::in_text(text)
}

/// The number of words of a text, short ones and those that sentences are made of aside.
pub fn telling_words(text: &str) -> usize {
    const LEAST_CHARS: usize = 3;
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.chars().count() >= LEAST_CHARS && !is_of_sentences(word)).count()
}

/// The stems of the words of a text that say what it is about, in order.
pub(crate) fn telling_stems(text: &str) -> Vec<String> {
    let text = &text[..text.floor_char_boundary(READ)];
    let mut stems = Vec::new();
    words::each(text, |word| {
        if word.counts() {
            stems.push(word.stem.to_owned());
        }
    });
    stems
}

/// Whether two texts say the same thing to do: they share most of their words, one of them telling.
pub fn says_same(one: &str, other: &str) -> bool {
    words::say_same(one, other)
}

/// What hits are sorted by.
struct Rank {
    order: u8,
    strength: f64,
    kind: Kind,
    place: usize,
}

impl Rank {
    fn compare(&self, other: &Rank) -> std::cmp::Ordering {
        (self.order.cmp(&other.order))
            .then_with(|| other.strength.total_cmp(&self.strength))
            .then_with(|| self.kind.cmp(&other.kind))
            .then_with(|| self.place.cmp(&other.place))
    }
}

/// The query, taken apart.
struct Asked<'q> {
    places: Places<'q>,
    /// The words that count, in the order in which they stand
    words: Vec<Sought>,
    /// Where each stem stands in `words`
    index: HashMap<String, usize>,
    /// What the stems begin with: most words of items can be passed over by that
    first_letters: [bool; 256],
    /// What stands between spaces, for items that are named by their key
    keys: HashSet<&'q str>,
}

/// A word that is looked for.
struct Sought {
    written: String,
    sort: Sort,
}

/// What of the query an item has.
#[derive(Debug, Default)]
struct Matched {
    /// Places in `Asked::words`, each once
    words: Vec<usize>,
    /// How many words the item has itself
    length: usize,
}

/// Shorter keys are too easily meant otherwise.
const KEY: usize = 6;
/// As much of what was asked as is looked at.
const READ: usize = 16 * 1024;
/// A query of more words meets items by chance more often.
const USUAL_QUERY: f64 = 12.0;
/// So does an item of more words.
const USUAL_ITEM: f64 = 24.0;
/// Words that an item must share at least.
const FEWEST: usize = 2;
/// A name found in more than this share of the items tells none of them apart.
const RARE: f64 = 0.05;

impl<'q> Asked<'q> {
    fn of(query: &Query<'q>) -> Asked<'q> {
        let text = &query.words[..query.words.floor_char_boundary(READ)];
        let places = Places::of(&Query { words: text, ..*query });
        let (mut words, mut index): (Vec<Sought>, HashMap<String, usize>) = Default::default();
        words::each(&places.words, |word| {
            if word.counts() && !index.contains_key(word.stem) {
                index.insert(word.stem.to_owned(), words.len());
                words.push(Sought { written: word.written.to_owned(), sort: word.sort });
            }
        });
        let is_in_key = |c: char| c.is_alphanumeric() || "-_#.".contains(c);
        let keys = text.split(|c| !is_in_key(c)).filter(|key| key.len() >= KEY).collect();
        let mut first_letters = [false; 256];
        for stem in index.keys() {
            first_letters[usize::from(stem.as_bytes()[0])] = true;
        }
        Asked { places, words, index, first_letters, keys }
    }

    fn is_empty(&self) -> bool {
        self.places.is_empty() && self.words.is_empty()
    }

    fn share(&self, candidate: &Candidate) -> Matched {
        let mut matched = Matched::default();
        if self.words.is_empty() {
            return matched;
        }
        for text in [&candidate.text, &candidate.more] {
            let is_first = |letter: u8| self.first_letters[usize::from(letter)];
            matched.length += words::each_that_may(text, is_first, |word| {
                if let Some(&place) = self.index.get(word.stem)
                    && !matched.words.contains(&place)
                {
                    matched.words.push(place);
                }
            });
        }
        matched.words.sort_unstable();
        matched
    }

    fn why(&self, candidate: &Candidate, matched: &Matched, chances: &Chances) -> Option<(f64, Why)> {
        let shared = || matched.words.iter().map(|place| (&self.words[*place], *place));
        let surprise: f64 = shared().map(|(_, place)| chances.surprise[place]).sum();
        if let Some((about, path, closeness)) = self.places.about(candidate) {
            let why = match about {
                About::Governs => Why::Governs(path.to_owned()),
                About::Names => Why::Names(path.to_owned()),
            };
            // Of many for the same file, those that share words come first.
            return Some((number(closeness) + surprise / (surprise + 1.0), why));
        }
        if self.keys.contains(candidate.key.as_str()) {
            return Some((f64::MAX, Why::Names(candidate.key.clone())));
        }
        let is_telling = shared().any(|(word, place)| word.sort == Sort::Name && chances.is_rare[place]);
        let enough = words::count(shared().map(|(word, _)| word.sort)) >= chances.fewest;
        let is_hit = is_telling || (enough && surprise >= chances.needed(matched.length));
        is_hit.then(|| (surprise, Why::Words(shared().map(|(word, _)| word.written.clone()).collect())))
    }
}

/// How surprising it is to meet each word in an item, and how much surprise it takes.
struct Chances {
    /// The logarithm of one in so many items
    surprise: Vec<f64>,
    is_rare: Vec<bool>,
    fewest: usize,
    least: f64,
}

impl Chances {
    fn of(asked: &Asked<'_>, matched: &[Matched], total: usize) -> Chances {
        let mut found = vec![0_usize; asked.words.len()];
        for place in matched.iter().flat_map(|matched| &matched.words) {
            found[*place] += 1;
        }
        let items = number(total.max(matched.len()));
        let length = (number(asked.words.len()) / USUAL_QUERY).max(1.0);
        Chances {
            surprise: found.iter().map(|found| ((items + 1.0) / number((*found).max(1))).ln()).collect(),
            is_rare: found.iter().map(|found| number(*found) <= (items * RARE).max(2.0)).collect(),
            // Each time a query is twice as long it takes one word more.
            fewest: FEWEST + (0..8).take_while(|power| f64::from(2 << power) <= length).count(),
            least: (items + 1.0).ln() + 2.0 * length.ln(),
        }
    }

    /// The surprise it takes for an item of so many words.
    fn needed(&self, length: usize) -> f64 {
        self.least + (number(length) / USUAL_ITEM).max(1.0).ln()
    }
}

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
