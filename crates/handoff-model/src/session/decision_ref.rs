//! How decisions are named: by an id inside their session, by `session#id` from elsewhere.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use super::Session;
use crate::id::{SessionRef, shorten};

/// A decision as it is named by a person, an agent or a file: `d3` in the same session, else `a3f9c12e#d3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionRef {
    /// The session it was decided in; absent means the one at hand
    pub session: Option<SessionRef>,
    pub id: String,
}

/// A text that can name no decision.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` names no decision: write `d3` for one of this session, `a3f9c12e#d3` for one of another")]
pub struct NotADecisionRef(String);

/// A decision that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its full form, `2026-11-10-0b5e11d2#d3`
    pub reference: String,
    /// The newest decision that supersedes it, in full form
    pub superseded_by: Option<String>,
}

/// The decisions, in full form, that may have been meant by one that was not found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unknown {
    pub close: Vec<String>,
}

impl FromStr for DecisionRef {
    type Err = NotADecisionRef;

    fn from_str(text: &str) -> Result<Self, NotADecisionRef> {
        let wrong = || NotADecisionRef(shorten(text.trim()));
        let (session, id) = match text.split_once('#') {
            Some((session, id)) if session.trim().is_empty() => (None, id),
            Some((session, id)) => match session.parse() {
                Ok(SessionRef::Given(_)) | Err(_) => return Err(wrong()),
                Ok(session) => (Some(session), id),
            },
            None => (None, text),
        };
        let id = id.trim();
        let fits = !id.is_empty() && id.len() <= 100 && !id.contains(|c: char| c.is_whitespace() || c == '#');
        if fits { Ok(DecisionRef { session, id: id.to_owned() }) } else { Err(wrong()) }
    }
}

impl fmt::Display for DecisionRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.session {
            Some(session) => write!(f, "{session}#{}", self.id),
            None => f.write_str(&self.id),
        }
    }
}

impl DecisionRef {
    /// Whether it means a decision of the session with this full name.
    pub(super) fn is_in(&self, name: &str) -> bool {
        self.session.as_ref().is_none_or(|session| session.matches(name))
    }

    pub(super) fn has_id(&self, id: &str) -> bool {
        self.id.eq_ignore_ascii_case(id)
    }
}

/// The number in an id that was allotted here; ids that people made up have none.
fn number(id: &str) -> Option<u32> {
    const MOST_DIGITS: usize = 6;
    let digits = id.strip_prefix('d')?;
    let fits = digits.len() <= MOST_DIGITS && !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|_| fits)
}

impl Session {
    /// The id of each decision in the order they are listed.
    ///
    /// A file that was merged or edited by hand may say an id twice or not at all. The first decision keeps it; the
    /// others have the next free ones. A closed file does not change, so neither do these.
    pub fn decision_ids(&self) -> Vec<String> {
        let written: BTreeSet<&str> = self.decisions.iter().map(|decision| decision.id.trim()).collect();
        let mut free = (self.highest_decision() + 1..).map(|n| format!("d{n}")).filter(|id| !written.contains(&**id));
        let mut taken = BTreeSet::from([""]);
        let own = self.decisions.iter().map(|decision| Some(decision.id.trim()).filter(|id| taken.insert(id)));
        own.map(|id| id.map_or_else(|| free.next().unwrap_or_default(), str::to_owned)).collect()
    }

    /// The highest number that a decision of this session has or had.
    fn highest_decision(&self) -> u32 {
        let listed = self.decisions.iter().filter_map(|decision| number(&decision.id)).max();
        listed.max(self.last_decision).unwrap_or(0).min(1_000_000)
    }

    /// Gives ids to the decisions that have none of their own, above all that were ever given.
    ///
    /// `before` is the session before the change, which may have had decisions that are gone now.
    pub(super) fn allot_decision_ids(&mut self, before: &Session) {
        self.last_decision = Some(before.highest_decision());
        for (decision, id) in self.decision_ids().into_iter().enumerate() {
            self.decisions[decision].id = id;
        }
        // The number needs to be noted only where no listed decision tells it.
        let ever = self.highest_decision();
        self.last_decision = None;
        self.last_decision = (self.highest_decision() < ever).then_some(ever);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_named_in_three_forms() {
        let name = "2026-11-10-0b5e11d2";
        for text in ["d3", "0b5e11d2#d3", "2026-11-10-0b5e11d2#d3", " 0b5e#D3 ", "#d3"] {
            let reference: DecisionRef = text.parse().unwrap();
            assert!(reference.is_in(name) && reference.has_id("d3"), "{text}");
        }
        for wrong in ["", "#", "0b5e11d2#", "../x#d3", "use JWT", "a#b#c", "0b5e11d2#d3 d4"] {
            assert!(wrong.parse::<DecisionRef>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn ids_given_twice_or_not_at_all_get_the_next_free_ones() {
        let text = "id = \"a3f9c12e\"\nlast_decision = 6\n".to_owned()
            + "[[decisions]]\nid = \"d4\"\ndecision = \"a\"\n[[decisions]]\nid = \"d4\"\ndecision = \"b\"\n"
            + "[[decisions]]\ndecision = \"c\"\n[[decisions]]\nid = \"mine\"\ndecision = \"d\"\n";
        assert_eq!(Session::read(&text).unwrap().decision_ids(), ["d4", "d7", "d8", "mine"]);
    }
}
