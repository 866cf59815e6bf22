//! What secrets look like, as data: one line for each kind that a service gives out.
//!
//! A rule says where to look (its keywords), what must stand there (its pattern) and how disordered that must be (its
//! entropy). **Invariant:** a pattern is only ever compiled where one of its keywords was met, and only ever looks at a
//! window of fixed length there, so the time for a text grows with its length and not faster.

use std::sync::OnceLock;

use regex_lite::Regex;

mod ai;
mod cloud;
mod code;
mod money;
mod people;
mod running;

/// One kind of secret.
pub struct Rule {
    /// The name it goes by, such as `github-token`
    pub id: &'static str,
    /// What it is, for people
    pub about: &'static str,
    pub(super) keywords: &'static [&'static str],
    pub(super) place: Place,
    /// Bits for each character that the secret must have at least
    pub(super) entropy: f64,
    /// Letters and digits mixed in one stretch of at least this length
    pub(super) stretch: usize,
    pattern: &'static str,
}

/// A rule with its pattern, which is compiled when it is first asked.
pub(super) struct Ready {
    pub(super) rule: &'static Rule,
    /// Its place among them
    pub(super) number: usize,
    compiled: OnceLock<Option<Regex>>,
}

/// Where the pattern stands, seen from the keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The keyword begins a token, which is as long as the pattern says or longer
    Mark,
    /// The keyword begins a token, which is exactly what the pattern says
    Exact,
    /// The pattern begins with the keyword, in whatever letters and wherever it stands
    Here,
    /// The keyword is part of a name; what is given to that name is the pattern
    Name,
}

/// Tables in the order they are asked: what is found by an earlier rule keeps that name.
const TABLES: [&[Rule]; 6] = [ai::RULES, cloud::RULES, code::RULES, people::RULES, money::RULES, running::RULES];

/// Every rule of the tables.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    TABLES.iter().flat_map(|table| table.iter())
}

/// Every rule, ready to be asked.
pub(super) fn ready() -> &'static [Ready] {
    static READY: OnceLock<Vec<Ready>> = OnceLock::new();
    READY.get_or_init(|| {
        let ready = |(number, rule)| Ready { rule, number, compiled: OnceLock::new() };
        all().enumerate().map(ready).collect()
    })
}

impl Ready {
    /// The pattern, at the beginning of a text.
    pub(super) fn regex(&self) -> Option<&Regex> {
        // One that does not compile finds nothing; a test compiles them all.
        self.compiled.get_or_init(|| Regex::new(&format!("^(?:{})", self.rule.pattern)).ok()).as_ref()
    }
}

impl Rule {
    const fn random(mut self, stretch: usize) -> Rule {
        self.stretch = stretch;
        self
    }

    const fn entropy(mut self, bits: f64) -> Rule {
        self.entropy = bits;
        self
    }
}

const fn rule(
    place: Place,
    id: &'static str,
    about: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
) -> Rule {
    Rule { id, about, keywords, place, entropy: 2.5, stretch: 0, pattern }
}

const fn mark(id: &'static str, about: &'static str, keywords: &'static [&'static str], pattern: &'static str) -> Rule {
    // The mark says enough: only what stands for a secret, such as a row of one letter, is passed over.
    rule(Place::Mark, id, about, keywords, pattern).entropy(1.6)
}

const fn exact(
    id: &'static str,
    about: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
) -> Rule {
    rule(Place::Exact, id, about, keywords, pattern)
}

const fn here(id: &'static str, about: &'static str, keywords: &'static [&'static str], pattern: &'static str) -> Rule {
    rule(Place::Here, id, about, keywords, pattern)
}

const fn name(id: &'static str, about: &'static str, keywords: &'static [&'static str], pattern: &'static str) -> Rule {
    rule(Place::Name, id, about, keywords, pattern)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_rule_is_sound() {
        let ids: BTreeSet<_> = all().map(|rule| rule.id).collect();
        assert_eq!(ids.len(), all().count(), "ids are unique");
        assert!(all().count() >= 150);
        for ready in ready() {
            let rule = ready.rule;
            assert!(ready.regex().is_some(), "{}: {}", rule.id, rule.pattern);
            assert!(!rule.about.is_empty(), "{}", rule.id);
            let is_plain =
                |id: &str| id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
            assert!(is_plain(rule.id), "{}", rule.id);
            assert!(!rule.keywords.is_empty(), "{}", rule.id);
            for keyword in rule.keywords {
                assert!(keyword.len() >= 3 && keyword.is_ascii(), "{}: {keyword}", rule.id);
            }
        }
    }
}
