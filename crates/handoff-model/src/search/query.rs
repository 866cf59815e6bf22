//! What is asked for: words, `"phrases"`, `beginnings*`, and `-words` that must not be there.

mod syntax;

use unicode_normalization::UnicodeNormalization;

use super::text::{self, Sort};
use crate::words::common::is_of_sentences;
use crate::words::{Script, is_part, stem};

/// A query, taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    pub(super) groups: Vec<Group>,
    /// Whether it ends in a question mark: its answer need not have its words
    pub(super) is_question: bool,
    /// Whether it had more words than are looked for
    pub is_cut: bool,
}

/// What one word or phrase of the query asks for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    pub(super) role: Role,
    /// Any of them will do
    pub(super) terms: Vec<Term>,
    /// As it was written
    pub(super) said: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Makes a hit
    Wanted,
    /// Counts a little where something else makes a hit
    Weak,
    /// Two words in a row: counts where something else makes a hit
    Pair,
    /// Must be there
    Required,
    /// Must not be there
    Excluded,
}

/// One thing to look for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Term {
    pub(super) steps: Vec<Step>,
    pub(super) weight: f64,
}

/// A word of a phrase, and how far it stands behind the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) word: Wanted,
    pub(super) after: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Exactly(String),
    /// Any form of a word, by its stem
    Form(String),
    Beginning(String),
}

/// As much of a query as is looked at.
const LONGEST: usize = 16 * 1024;
/// As many things as are looked for at once.
const MOST_TERMS: usize = 128;
/// What a part of a longer name counts by itself.
const OF_A_NAME: f64 = 0.4;
/// What two words count beside their own worth where they stand in a row, as in the query.
const OF_A_PAIR: f64 = 0.4;

impl Query {
    /// Understands a query. Any text is one; see [`is_empty`](Self::is_empty).
    pub fn parse(text: &str) -> Query {
        let mut query = Query::default();
        let looked_at = &text[..text.floor_char_boundary(LONGEST)];
        query.is_cut = looked_at.len() < text.len();
        let mut pieces = syntax::pieces(looked_at);
        // What must not be there counts however long the rest is.
        pieces.sort_by_key(|piece| !piece.is_excluded);
        for piece in pieces {
            let groups = if piece.is_phrase {
                phrase(piece.text, piece.is_beginning).into_iter().collect()
            } else {
                words(piece.text, piece.is_beginning)
            };
            query.add(groups, piece.is_excluded);
        }
        query.weigh();
        query.pair();
        query.is_question = text.trim_end().ends_with(['?', '？', '؟']);
        query
    }

    /// Whether it asks for nothing: there is no word in it, or only such that must not be there.
    pub fn is_empty(&self) -> bool {
        self.groups.iter().all(|group| group.role == Role::Excluded)
    }

    fn add(&mut self, groups: Vec<Group>, is_excluded: bool) {
        for mut group in groups {
            let known: usize = self.groups.iter().map(|group| group.terms.len()).sum();
            if known + group.terms.len() > MOST_TERMS {
                self.is_cut = true;
                return;
            }
            if is_excluded {
                group.role = Role::Excluded;
                // Parts of a name are not what was meant to be left out.
                group.terms.truncate(1);
            }
            if !self.groups.iter().any(|known| known.terms == group.terms && known.role == group.role) {
                self.groups.push(group);
            }
        }
    }

    /// Words that hold sentences together count in full only where there are no others.
    fn weigh(&mut self) {
        let is_sought = |group: &Group| matches!(group.role, Role::Wanted | Role::Required);
        if !self.groups.iter().any(is_sought) {
            for group in self.groups.iter_mut().filter(|group| group.role == Role::Weak) {
                group.role = Role::Wanted;
            }
        }
    }

    /// Lets words that follow one another count a little more where they do so in a text, as far as there is room.
    fn pair(&mut self) {
        let mut room = MOST_TERMS.saturating_sub(self.groups.iter().map(|group| group.terms.len()).sum());
        let mut groups: Vec<Group> = Vec::with_capacity(self.groups.len());
        for group in std::mem::take(&mut self.groups) {
            let pair = groups.last().and_then(|before| before.followed_by(&group)).filter(|_| room > 0);
            room -= usize::from(pair.is_some());
            groups.extend(pair);
            groups.push(group);
        }
        self.groups = groups;
    }

    /// The same with its last word as the beginning of one, where it is a whole word now.
    pub(super) fn by_beginning(&self) -> Option<Query> {
        let mut query = self.clone();
        let last = query.groups.last_mut().filter(|group| group.role == Role::Wanted)?;
        let [Term { steps, .. }] = last.terms.as_mut_slice() else { return None };
        let [Step { word: word @ Wanted::Form(_), .. }] = steps.as_mut_slice() else { return None };
        let mut folded = String::new();
        crate::words::fold(&last.said.nfkc().collect::<String>(), &mut folded);
        *word = Wanted::Beginning(folded);
        Some(query)
    }
}

/// A phrase, whose words must stand as they are written.
fn phrase(text: &str, is_open: bool) -> Option<Group> {
    let mut found: Vec<(u32, Sort, String)> = Vec::new();
    text::each(text, |token| {
        if token.sort != Sort::Whole {
            found.push((token.place, token.sort, token.word.to_owned()));
        }
    });
    // The last character of a run is told by the pair before it, if there is one.
    let is_told = |place: usize| {
        let (at, sort, _) = &found[place];
        *sort == Sort::Last && place > 0 && found[place - 1].1 == Sort::Pair && found[place - 1].0 + 1 == *at
    };
    let kept: Vec<usize> = (0..found.len()).filter(|place| !is_told(*place)).collect();
    let first = found.first()?.0;
    let steps = kept.iter().map(|place| {
        let (at, sort, word) = &found[*place];
        let is_beginning = *sort == Sort::Last || (is_open && Some(place) == kept.last());
        let word = if is_beginning { Wanted::Beginning(word.clone()) } else { Wanted::Exactly(word.clone()) };
        Step { word, after: at - first }
    });
    let term = Term { steps: steps.collect(), weight: 1.0 };
    Some(Group { role: Role::Required, terms: vec![term], said: text.to_owned() })
}

/// What stands between spaces: a word, a name of several parts, a path, or CJK.
fn words(piece: &str, is_open: bool) -> Vec<Group> {
    let normal: String = piece.nfkc().collect();
    let is_cjk = |c: char| is_part(c) && Script::of(c) != Script::Letters;
    let letters: String = normal.chars().map(|c| if is_cjk(c) { ' ' } else { c }).collect();
    let mut groups: Vec<Group> = Vec::new();
    groups.extend(name(&letters, is_open));
    let mut rest = normal.as_str();
    while let Some(start) = rest.find(is_cjk) {
        let script = rest[start..].chars().next().map_or(Script::Letters, Script::of);
        let end = rest[start..].find(|c| !is_cjk(c) || Script::of(c) != script).map_or(rest.len(), |end| start + end);
        groups.push(characters(&rest[start..end], script));
        rest = &rest[end..];
    }
    groups
}

/// A word, or a name of several: found as a whole, or, for less, in its parts.
fn name(letters: &str, is_open: bool) -> Option<Group> {
    let (mut plain, mut wholes): (Vec<(u32, String)>, Vec<String>) = Default::default();
    text::each(letters, |token| match token.sort {
        Sort::Whole => wholes.push(token.word.to_owned()),
        _ => plain.push((token.place, token.word.to_owned())),
    });
    let last = plain.len().checked_sub(1)?;
    let wanted = |place: usize| {
        let mut word = plain[place].1.clone();
        if is_open && place == last {
            return Wanted::Beginning(word);
        }
        stem(&mut word);
        Wanted::Form(word)
    };
    let step = |place: usize| Step { word: wanted(place), after: plain[place].0 - plain[0].0 };
    let mut terms = vec![Term { steps: (0..=last).map(step).collect(), weight: 1.0 }];
    if last > 0 {
        terms.extend(wholes.into_iter().map(|whole| Term::exactly(whole, 1.0)));
        let telling = (0..=last).filter(|place| !is_of_sentences(&plain[*place].1));
        let alone = |place| Term { steps: vec![Step { word: wanted(place), after: 0 }], weight: OF_A_NAME };
        terms.extend(telling.map(alone));
        terms.dedup();
    }
    let is_weak = plain.iter().all(|(_, word)| is_of_sentences(word)) && !is_open;
    let role = if is_weak { Role::Weak } else { Role::Wanted };
    Some(Group { role, terms, said: letters.trim().trim_end_matches('*').to_owned() })
}

/// Characters of one script: what is one word in it must stand together, longer runs count by their pairs.
fn characters(run: &str, script: Script) -> Group {
    let characters: Vec<char> = run.chars().collect();
    let pairs: Vec<String> = characters.windows(2).map(|pair| pair.iter().collect()).collect();
    let is_one_word = match script {
        Script::Katakana | Script::Hiragana => true,
        Script::Han => characters.len() <= 3,
        Script::Hangul | Script::Letters => false,
    };
    let terms = match pairs.as_slice() {
        [] => vec![Term { steps: vec![Step { word: Wanted::Beginning(run.to_owned()), after: 0 }], weight: 1.0 }],
        pairs if is_one_word => {
            let steps = pairs.iter().zip(0..).map(|(pair, after)| Step { word: Wanted::Exactly(pair.clone()), after });
            vec![Term { steps: steps.collect(), weight: 1.0 }]
        }
        pairs => {
            let mut terms: Vec<Term> = pairs.iter().map(|pair| Term::exactly(pair.clone(), 1.0)).collect();
            terms.truncate(MOST_TERMS / 2);
            terms
        }
    };
    let role = if script == Script::Hiragana { Role::Weak } else { Role::Wanted };
    Group { role, terms, said: run.to_owned() }
}

impl Group {
    /// The last word of this one with the first of the next, where both are words in any form.
    fn followed_by(&self, next: &Group) -> Option<Group> {
        let is_word = |group: &Group, step: &Step| group.role == Role::Wanted && matches!(step.word, Wanted::Form(_));
        let first = self.terms.first()?.steps.last().filter(|step| is_word(self, step))?;
        let second = next.terms.first()?.steps.first().filter(|step| is_word(next, step))?;
        let steps = [(first, 0), (second, 1)].map(|(step, after)| Step { word: step.word.clone(), after });
        let said = format!("{} {}", self.said, next.said);
        Some(Group { role: Role::Pair, terms: vec![Term { steps: steps.to_vec(), weight: OF_A_PAIR }], said })
    }
}

impl Term {
    fn exactly(word: String, weight: f64) -> Term {
        Term { steps: vec![Step { word: Wanted::Exactly(word), after: 0 }], weight }
    }
}
