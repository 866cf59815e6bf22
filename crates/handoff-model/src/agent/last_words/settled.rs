//! Sentences that say that something is done: of an item by its id, or in the words of the item.
//!
//! **Invariant:** doubt settles nothing. A question, a condition, a negation or a part of the work is no statement of fact.

use super::finished::TICKS;
use crate::agent::compile::words::sentence_end;
use crate::session::ItemRef;

/// An item that an agent names by its id as settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettledMention {
    pub item: ItemRef,
    /// It is not done, and nobody has to do it any more
    pub is_dropped: bool,
}

/// Words that say that an item is done.
const DONE: &[&str] = &[
    "done",
    "fixed",
    "resolved",
    "finished",
    "closed",
    "completed",
    "complete",
    "settled",
    "solved",
    "implemented",
    "handled",
    "addressed",
    "answered",
    "unblocked",
    "lifted",
    "cleared",
];
/// Words that say that nobody has to do it.
const DROPPED: &[&str] = &["dropped", "obsolete", "moot", "cancelled", "canceled", "abandoned", "superseded"];
/// What is no longer so, where an item is dropped, and where it is done.
const NO_LONGER_WANTED: &[&str] = &["needed", "necessary", "relevant", "required", "wanted"];
const NO_LONGER_THERE: &[&str] = &["open", "blocking", "blocked"];

/// Words anywhere in a sentence that make it something else than a statement about the whole of something.
const CONDITIONS: &[&str] = &[
    "if",
    "once",
    "until",
    "till",
    "unless",
    "when",
    "whenever",
    "before",
    "assuming",
    "whether",
    "should",
    "would",
    "could",
    "can",
    "may",
    "might",
    "must",
    "will",
    "shall",
    "think",
    "believe",
    "guess",
    "seems",
    "probably",
    "perhaps",
    "maybe",
    "hopefully",
    "almost",
    "nearly",
    "partly",
    "partially",
    "half",
    "mostly",
    "except",
    "apart",
    "only",
    "try",
    "tried",
    "trying",
    "attempted",
    "started",
    "began",
    "begun",
    "todo",
    "please",
    "supposed",
    "claims",
    "unsure",
    "later",
    "eventually",
    "soon",
    "tomorrow",
];
/// Words that take a statement back, in its clause.
const NEGATIONS: &[&str] = &[
    "not", "never", "no", "yet", "but", "still", "without", "neither", "nor", "cannot", "isnt", "arent", "wasnt",
    "werent", "dont", "doesnt", "didnt", "hasnt", "havent", "wont", "cant", "couldnt", "instead",
];
/// Words beside an id that say that it is open.
const OPEN: &[&str] = &[
    "open",
    "remains",
    "remaining",
    "pending",
    "blocked",
    "progress",
    "left",
    "missing",
    "fails",
    "failed",
    "failing",
    "waiting",
    "wip",
    "unfinished",
    "incomplete",
    "next",
    "needs",
    "need",
];

const TO_BE: &[&str] = &["is", "are", "was", "were", "has", "have", "got"];
const ADVERBS: &[&str] = &["been", "now", "all", "both", "already", "also", "fully", "completely", "finally", "thus"];
/// Nouns between a statement and the ids.
const NOUNS: &[&str] = &["item", "items", "step", "steps", "blocker", "blockers", "question", "both"];
/// Words before an id that begin a clause.
const LEADS: &[&str] = &["so", "and", "therefore", "thus", "hence", "now", "also", "means"];
/// Words before a verb that says what was done.
const SUBJECTS: &[&str] =
    &["i", "ive", "we", "weve", "have", "also", "now", "and", "so", "just", "already", "successfully", "then"];
/// Words behind a statement that only say more about it.
const DETAILS: &[&str] =
    &["and", "in", "by", "with", "via", "as", "now", "too", "since", "because", "so", "here", "there", "well"];

/// A longer sentence is no statement.
const MAX_SENTENCE_BYTES: usize = 500;

struct Word {
    text: String,
    item: Option<ItemRef>,
    /// The mark behind it that ends a clause
    mark: Option<char>,
}

/// The items that a sentence says to be settled.
pub(super) fn mentions(sentence: &str) -> Vec<SettledMention> {
    let words = words(sentence);
    let mut found = Vec::new();
    if is_in_doubt(sentence, &words) {
        return found;
    }
    let sentence = sentence.trim();
    let is_ticked = sentence.starts_with(TICKS) || sentence.ends_with(TICKS);
    let mut at = 0;
    while at < words.len() {
        let count = ids(&words[at..]);
        if count == 0 {
            at += 1;
            continue;
        }
        let (before, rest) = words.split_at(at);
        let (ids, after) = rest.split_at(count);
        let ticked = || (is_ticked && at == 0 && !says_open(after)).then_some(false);
        if let Some(is_dropped) =
            said_behind(before, ids, after).or_else(|| said_before(before, ids, after)).or_else(ticked)
        {
            found.extend(
                ids.iter().filter_map(|word| word.item.clone()).map(|item| SettledMention { item, is_dropped }),
            );
        }
        at += count;
    }
    found
}

/// The items with whose ids an entry of a list of finished things begins.
pub(super) fn listed(entry: &str) -> Vec<SettledMention> {
    let said = mentions(entry);
    let words = words(entry);
    let (ids, after) = words.split_at(ids(&words));
    if !said.is_empty() || is_in_doubt(entry, &words) || says_open(after) {
        return said;
    }
    ids.iter().filter_map(|word| word.item.clone()).map(|item| SettledMention { item, is_dropped: false }).collect()
}

fn is_in_doubt(sentence: &str, words: &[Word]) -> bool {
    let is_condition = |word: &Word| CONDITIONS.contains(&word.text.as_str());
    sentence.trim_end().ends_with(['?', '？']) || words.iter().any(is_condition)
}

fn is_negation(word: &Word) -> bool {
    NEGATIONS.contains(&word.text.as_str())
}

fn says_open(words: &[Word]) -> bool {
    let is_open = |word: &Word| OPEN.contains(&word.text.as_str()) || is_negation(word);
    words.iter().any(is_open)
}

/// How many words from the first one are ids, with `and` between them; 0 where the first is none.
fn ids(words: &[Word]) -> usize {
    let mut count = 0;
    loop {
        let joint =
            usize::from(count > 0 && words.get(count).is_some_and(|word| matches!(word.text.as_str(), "and" | "&")));
        if words.get(count + joint).is_none_or(|word| word.item.is_none()) {
            return count;
        }
        count += joint + 1;
    }
}

/// `n1 is done`: whether it is dropped, where the words behind the ids say how they ended.
fn said_behind(before: &[Word], ids: &[Word], after: &[Word]) -> Option<bool> {
    let begins =
        without_nouns(before).last().is_none_or(|word| word.mark.is_some() || LEADS.contains(&word.text.as_str()));
    let mark = ids.last()?.mark;
    if !begins || mark.is_some_and(|mark| mark != ':' && mark != '-') {
        return None;
    }
    let is = |list: &[&str], place: usize| after.get(place).is_some_and(|word| list.contains(&word.text.as_str()));
    let mut place = 0;
    while is(TO_BE, place) || is(ADVERBS, place) {
        place += 1;
    }
    let is_short = place == 0 && mark.is_none();
    let is_no_longer = is(&["no"], place) && is(&["longer"], place + 1);
    let (is_dropped, length) = if is_no_longer && is(NO_LONGER_WANTED, place + 2) {
        (true, 3)
    } else if is_no_longer && is(NO_LONGER_THERE, place + 2) {
        (false, 3)
    } else if is(DONE, place) || is(DROPPED, place) {
        (is(DROPPED, place), 1)
    } else {
        return None;
    };
    let end = after.get(place + length - 1)?;
    let rest = &after[place + length..];
    let is_end = end.mark.is_some() || rest.is_empty();
    let goes_on = !is_short && is(DETAILS, place + length) && !is_taken_back(rest);
    let is_exception =
        end.mark.is_some() && rest.first().is_some_and(|word| word.text == "but") && ids_at(rest, 1) == 0;
    ((is_end && !is_exception) || goes_on).then_some(is_dropped)
}

/// `Closed n1`: the same where the word before the ids says it.
fn said_before(before: &[Word], ids: &[Word], after: &[Word]) -> Option<bool> {
    let before = without_nouns(before);
    let (verb, before) = before.split_last()?;
    let is_dropped = DROPPED.contains(&verb.text.as_str());
    let is_verb = is_dropped || DONE.contains(&verb.text.as_str());
    let is_joined = verb.mark.is_none_or(|mark| mark == ':');
    let begins = before.last().is_none_or(|word| word.mark.is_some() || SUBJECTS.contains(&word.text.as_str()));
    let is_end = ids.last()?.mark.is_some() || after.is_empty();
    let is_detail = after.first().is_some_and(|word| DETAILS.contains(&word.text.as_str()));
    (is_verb && is_joined && begins && (is_end || is_detail) && !is_taken_back(after)).then_some(is_dropped)
}

fn ids_at(words: &[Word], place: usize) -> usize {
    words.get(place..).map_or(0, ids)
}

fn without_nouns(words: &[Word]) -> &[Word] {
    let nouns =
        words.iter().rev().take_while(|word| word.mark.is_none() && NOUNS.contains(&word.text.as_str())).count();
    &words[..words.len() - nouns]
}

/// Reports whether the rest of a clause takes back what it said.
fn is_taken_back(rest: &[Word]) -> bool {
    let end = rest.iter().position(|word| word.mark.is_some()).map_or(rest.len(), |place| place + 1);
    rest[..end].iter().any(is_negation)
}

/// The words of a sentence without what stands in parentheses.
fn words(sentence: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut is_apart = false;
    for word in sentence.split_whitespace() {
        is_apart |= word.starts_with(['(', '（']) && !words.is_empty();
        let mark = word.chars().next_back().filter(|c| matches!(c, ',' | ';' | ':' | '.' | '!' | '—' | '–'));
        let mark = if matches!(word, "-" | "—" | "–") { Some('-') } else { mark };
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        if is_apart || bare.is_empty() {
            let is_end = word.trim_end_matches([',', ';', ':', '.', '!']).ends_with([')', '）']);
            if let Some(last) = words.last_mut().filter(|_| mark.is_some()) {
                last.mark = mark;
            }
            is_apart &= !is_end;
            continue;
        }
        let item = bare.parse().ok().filter(|item| matches!(item, ItemRef::Id { .. }));
        words.push(Word { text: bare.to_lowercase().replace(['\'', '’'], ""), item, mark });
    }
    words
}

/// Past forms that do not end in `ed`, with their imperatives.
const IRREGULAR: &[(&str, &str)] = &[
    ("wrote", "write"),
    ("built", "build"),
    ("rebuilt", "rebuild"),
    ("made", "make"),
    ("ran", "run"),
    ("did", "do"),
    ("sent", "send"),
    ("found", "find"),
    ("kept", "keep"),
    ("got", "get"),
    ("took", "take"),
    ("gave", "give"),
    ("brought", "bring"),
    ("drew", "draw"),
    ("threw", "throw"),
    ("rewrote", "rewrite"),
    ("spun", "spin"),
    ("wound", "wind"),
    ("hid", "hide"),
    ("chose", "choose"),
    ("bound", "bind"),
    ("taught", "teach"),
];

/// Where a clause may end that says that something is done.
const CLAUSE_ENDS: &[&str] = &[", ", "; ", " and ", " so ", " — ", " – ", " - ", " (", ": ", " by ", " using "];

/// What a sentence says to be done, in the past form: the whole of it, and each clause with a verb of its own.
pub(super) fn statements(sentence: &str) -> Vec<&str> {
    let words = words(sentence);
    if sentence.trim_end().ends_with(['?', '？']) {
        return Vec::new();
    }
    // All of a sentence is compared, doubts included; a clause alone would leave them out.
    let has_clauses = !is_in_doubt(sentence, &words) && !words.iter().any(is_negation);
    let sentence = sentence.trim().trim_end_matches(['.', '!', '。']);
    let ends = |text: &str| {
        let found = CLAUSE_ENDS.iter().flat_map(|end| text.match_indices(end).map(|(at, end)| (at, at + end.len())));
        found.filter(|_| has_clauses).collect::<Vec<_>>()
    };
    let starts = std::iter::once(0).chain(ends(sentence).into_iter().map(|(_, start)| start));
    let mut found: Vec<&str> = Vec::new();
    for clause in starts.map(|start| without_subject(&sentence[start..])).filter(|clause| is_past(first_word(clause))) {
        let ends = ends(clause).into_iter().map(|(end, _)| end);
        found.extend(ends.chain([clause.len()]).map(|end| clause[..end].trim()));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The sentences of a report.
pub(super) fn sentences(report: &str) -> impl Iterator<Item = &str> {
    report.lines().flat_map(|line| {
        let mut rest = line;
        std::iter::from_fn(move || {
            let end = sentence_end(rest).unwrap_or(rest.len());
            let (sentence, behind) = rest.split_at(end);
            rest = behind;
            (!sentence.is_empty()).then(|| sentence.trim())
        })
        .filter(|sentence| sentence.len() <= MAX_SENTENCE_BYTES)
    })
}

/// A statement as it may stand in a list of things to do.
pub(in crate::agent) fn imperatives(statement: &str) -> Vec<String> {
    let (verb, rest) = statement.split_once(' ').unwrap_or((statement, ""));
    let verb = verb.to_lowercase();
    let mut forms: Vec<String> = Vec::new();
    if let Some((_, form)) = IRREGULAR.iter().find(|(past, _)| *past == verb) {
        forms.push((*form).to_owned());
    } else if let Some(stem) = verb.strip_suffix("ed") {
        forms.extend([stem.to_owned(), format!("{stem}e")]);
        forms.extend(stem.strip_suffix('i').map(|stem| format!("{stem}y")));
        // `stopped` comes from `stop`.
        let mut letters = stem.chars().rev();
        if letters.next().is_some_and(|last| letters.next() == Some(last)) {
            forms.push(stem[..stem.len() - 1].to_owned());
        }
    }
    forms.iter().map(|form| format!("{form} {rest}")).collect()
}

/// Reports whether a sentence begins with a verb that says what was done, in one of the languages that developers use most.
pub(in crate::agent) fn begins_with_deed(sentence: &str) -> bool {
    const OPENERS: &[&str] =
        &["ich habe ", "wir haben ", "habe ", "he ", "hemos ", "j'ai ", "j’ai ", "nous avons ", "ho ", "abbiamo "];
    let small = sentence.trim().to_lowercase();
    let first = first_word(&small);
    // The first person of the past in Portuguese and Spanish.
    let is_romance = first.chars().count() >= 5 && ["ei", "é", "í"].iter().any(|ending| first.ends_with(ending));
    let is_deed = is_past(first_word(without_subject(&small))) || is_romance;
    let is_object = |word: &str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        !matches!(
            bare,
            "it" | "that"
                | "this"
                | "them"
                | "everything"
                | "all"
                | "as"
                | "with"
                | "and"
                | "or"
                | "at"
                | "into"
                | "for"
                | "through"
                | "isso"
                | "eso"
                | ""
        )
    };
    let has_object = small.split_whitespace().nth(1).is_some_and(is_object);
    has_object && (is_deed || OPENERS.iter().any(|opener| small.starts_with(opener)))
}

fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

fn without_subject(clause: &str) -> &str {
    const ALL: &[&str] =
        &["i've", "i’ve", "we've", "we’ve", "i", "we", "have", "has", "also", "now", "successfully", "then"];
    let mut clause = clause.trim_start();
    while let Some((first, rest)) = clause.split_once(' ')
        && ALL.contains(&first.to_lowercase().as_str())
    {
        clause = rest.trim_start();
    }
    clause
}

fn is_past(word: &str) -> bool {
    const NO_PAST: &[&str] =
        &["embed", "shed", "bed", "red", "based", "unrelated", "related", "detailed", "required", "needed"];
    let word = word.to_lowercase();
    let is_regular = word.len() > 4 || matches!(word.as_str(), "used");
    (is_regular && word.ends_with("ed") && !word.ends_with("eed") && !NO_PAST.contains(&word.as_str()))
        || IRREGULAR.iter().any(|(past, _)| *past == word)
}

#[cfg(test)]
mod tests;
