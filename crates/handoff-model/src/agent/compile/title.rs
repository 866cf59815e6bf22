//! The title: what was done, in the agent's words or in those of the request.

use super::super::Digest;
use super::super::last_words::begins_with_deed;
use super::files::File;
use super::spoken::SpokenTurn;
use super::{Compiled, words};

/// How long a title is at most, in bytes.
pub(super) const MAX_TITLE_BYTES: usize = 80;
/// A sentence of fewer words says too little for a title, unless it begins with what was done.
const MIN_WORDS: usize = 4;
/// The sentences of a report that are looked at.
const MAX_SENTENCES: usize = 3;

/// Beginnings of sentences that tell what is about to be done, or nothing.
const NO_REPORT: &[&str] = &[
    "let me ",
    "i'll ",
    "i’ll ",
    "i will ",
    "i'm going to ",
    "i’m going to ",
    "now ",
    "looking ",
    "i need ",
    "first, ",
    "you're right",
    "you’re right",
    "sure",
    "okay",
    "ok, ",
    "great",
    "perfect",
    "here is ",
    "here's ",
    "here’s ",
    "here are ",
    "what would",
    "please ",
    "sorry",
    "i can't",
    "i can’t",
    "i cannot ",
    "ich werde ",
    "lass mich ",
    "voy a ",
    "vou ",
    "je vais ",
    "сейчас ",
    "我将",
    "我来",
    "让我",
];

/// Beginnings of answers to thanks and greetings.
const COURTESIES: &[&str] = &[
    "you are welcome",
    "you're welcome",
    "you’re welcome",
    "glad ",
    "happy to ",
    "no problem",
    "my pleasure",
    "anytime",
    "any time",
    "thanks",
    "thank you",
    "sounds good",
    "understood",
    "got it",
    "of course",
    "good luck",
    "see you",
    "bye",
    "gern",
    "bitte",
    "de nada",
    "con gusto",
    "de rien",
    "avec plaisir",
    "prego",
    "disponha",
    "пожалуйста",
    "рад ",
    "不客气",
    "不客氣",
    "どういたしまして",
    "천만에요",
];

impl Compiled {
    pub(super) fn take_title(&mut self, digest: &Digest, turns: &[SpokenTurn], files: &[File]) {
        let own = digest.about.title.as_deref().filter(|title| !words::is_stock_title(title));
        let own = own.map(|own| (words::first_sentence(own, MAX_TITLE_BYTES), None));
        let told = turns.iter().rev().filter(|turn| !digest.is_unfinished && !is_courtesy(&turn.words.report));
        // Of earlier turns, only what is plainly a deed stands for all of the work.
        let title = |(place, turn): (usize, &SpokenTurn)| {
            let title = reported(&turn.words.report).filter(|title| place == 0 || begins_with_deed(title))?;
            Some((title, turn.line))
        };
        let reported = || told.enumerate().find_map(title);
        let asked = || {
            let prompt = digest.prompts.iter().find(|prompt| !words::is_noise(&prompt.text))?;
            Some((words::first_sentence(&prompt.text, MAX_TITLE_BYTES), prompt.line))
        };
        let worked = || Some((worked_on(files)?, None));
        let is_title = |(title, _): &(String, Option<u64>)| !title.is_empty();
        let title = own.filter(is_title).or_else(reported).or_else(|| asked().filter(is_title)).or_else(worked);
        if let Some((title, line)) = title {
            self.took("title", &title, line);
            self.title = Some(title);
        }
    }
}

/// Reports whether an answer is mere courtesy.
pub(super) fn is_courtesy(report: &str) -> bool {
    let small = report.trim_start().to_lowercase();
    COURTESIES.iter().any(|begin| small.starts_with(begin))
}

/// The first sentence of a report that says what was done.
pub(in crate::agent) fn reported(report: &str) -> Option<String> {
    let mut rest = report.lines().next()?.trim();
    for _ in 0..MAX_SENTENCES {
        let end = words::sentence_end(rest).unwrap_or(rest.len());
        let (sentence, behind) = rest.split_at(end);
        let small = sentence.trim().to_lowercase();
        let is_question = small.ends_with(['?', '？']);
        let is_report = !is_courtesy(&small)
            && !NO_REPORT.iter().any(|begin| small.starts_with(begin))
            && !small.ends_with([':', '：']);
        let count = small.split_whitespace().count();
        // Scripts without blanks between words have longer words.
        let says_enough = count >= MIN_WORDS || small.chars().filter(|c| !c.is_ascii()).count() >= 2 * MIN_WORDS;
        if (says_enough || begins_with_deed(sentence)) && is_report && !is_question {
            return Some(words::first_sentence(sentence, MAX_TITLE_BYTES));
        }
        rest = behind.trim_start();
    }
    None
}

/// A title for work that nobody said a word about.
fn worked_on(files: &[File]) -> Option<String> {
    let mut changed = files.iter().filter(|file| file.is_changed());
    let first = &changed.next()?.place.path;
    let more = changed.count();
    let title = match more {
        0 => format!("Work on {first}"),
        1 => format!("Work on {first} and 1 more file"),
        more => format!("Work on {first} and {more} more files"),
    };
    Some(words::cut(&title, MAX_TITLE_BYTES))
}
