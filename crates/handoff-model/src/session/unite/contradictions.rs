//! Where sessions that are made one say different things.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Party, own_facts};
use crate::session::{Decision, Session};
use crate::text::{plain_form, read_the_same};

/// Something that sessions say differently, with what each of them says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Contradiction {
    pub about: About,
    /// What it is about: the text of a decision or item, a path, a key
    pub what: String,
    pub sides: Vec<Side>,
    /// What counts now, where one thing does
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
}

/// What it is that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// One session replaced a decision that another still goes by; it is replaced
    Superseded,
    /// Decisions of different sessions govern the same path; both hold
    Path,
    /// Why something was decided
    Reason,
    /// How sure it is
    Confidence,
    /// Ticked in one, open in another
    Checklist,
    /// What a note is for
    Note,
    /// What sort of thing is referred to, or what it is called
    Reference,
    /// A fact about the surroundings
    Environment,
    Timeline,
    Branch,
    Commit,
}

/// What one session says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Side {
    /// Full name of the session
    pub session: String,
    pub says: String,
}

/// What the sessions say differently, the weightiest first, and what the one says that was made of them.
pub fn contradictions(parties: &[Party<'_>], united: &Session) -> Vec<Contradiction> {
    let mut found = superseded(parties);
    found.extend(same_paths(parties));
    let ways: [(About, Said); 10] = [
        (About::Reason, |session| decided(session, |one| one.reason.clone())),
        (About::Confidence, |session| decided(session, |one| Some(one.confidence.word().to_owned()))),
        (About::Checklist, |session| {
            let state = |checked: bool| if checked { "checked" } else { "open" };
            session.checklist.iter().map(|item| (item.item.clone(), state(item.checked).to_owned())).collect()
        }),
        (About::Note, |session| {
            session.notes.iter().map(|note| (note.note.clone(), note.category.word().to_owned())).collect()
        }),
        (About::Reference, |session| {
            session.references.iter().map(|one| (one.uri.clone(), one.kind.word().to_owned())).collect()
        }),
        (About::Reference, |session| {
            let labelled = session.references.iter().filter(|one| one.label != one.uri);
            labelled.map(|one| (one.uri.clone(), format!("“{}”", one.label))).collect()
        }),
        (About::Environment, |session| own_facts(session).map(|(key, fact)| (key.clone(), shown(fact))).collect()),
        (About::Timeline, |session| one("timeline", session.timeline.as_ref())),
        (About::Branch, |session| one("branch", session.git.as_ref().and_then(|git| git.branch.as_ref()))),
        (About::Commit, |session| one("commit", session.git.as_ref().and_then(|git| git.commit.as_ref()))),
    ];
    for (about, said) in ways {
        // On different branches there are different commits.
        if about == About::Commit && found.iter().any(|known| known.about == About::Branch) {
            continue;
        }
        let now = if matches!(about, About::Branch | About::Commit) { Vec::new() } else { said(united) };
        found.extend(differing(parties, about, said, &now));
    }
    found
}

/// What a session says under each key.
type Said = fn(&Session) -> Vec<(String, String)>;

fn decided(session: &Session, say: fn(&Decision) -> Option<String>) -> Vec<(String, String)> {
    session.decisions.iter().filter_map(|one| Some((one.decision.clone(), say(one)?))).collect()
}

fn one(key: &str, value: Option<&String>) -> Vec<(String, String)> {
    value.map(|value| (key.to_owned(), value.clone())).into_iter().collect()
}

fn shown(fact: &serde_json::Value) -> String {
    fact.as_str().map_or_else(|| fact.to_string(), str::to_owned)
}

/// What sessions say differently under the same key, in the order the keys come up.
fn differing(parties: &[Party<'_>], about: About, said: Said, now: &[(String, String)]) -> Vec<Contradiction> {
    // Addresses and names are what they are; texts may be written differently and say the same.
    let is_text = matches!(about, About::Reason | About::Confidence | About::Checklist | About::Note);
    let form = |key: &str| if is_text { plain_form(key) } else { key.to_owned() };
    let mut keys: Vec<String> = Vec::new();
    let mut sides: BTreeMap<String, Vec<Side>> = BTreeMap::new();
    for party in parties {
        for (key, says) in said(party.session) {
            let known = sides.entry(form(&key)).or_insert_with(|| {
                keys.push(key);
                Vec::new()
            });
            if !known.iter().any(|side| side.session == party.name) {
                known.push(Side { session: party.name.to_owned(), says });
            }
        }
    }
    let differs = |sides: &Vec<Side>| sides.iter().any(|side| !read_the_same(&side.says, &sides[0].says));
    let found = keys.into_iter().filter_map(|what| Some((sides.remove(&form(&what)).filter(differs)?, what)));
    let kept = |what: &String| now.iter().find(|(key, _)| form(key) == form(what)).map(|(_, says)| says.clone());
    found.map(|(sides, what)| Contradiction { about, kept: kept(&what), what, sides }).collect()
}

/// Decisions that one session lists and another has replaced without the first knowing of it.
fn superseded(parties: &[Party<'_>]) -> Vec<Contradiction> {
    let mut found = Vec::new();
    for newer in parties {
        for decision in &newer.session.decisions {
            let Some(wanted) = decision.supersedes.as_ref().filter(|wanted| wanted.contains('#')) else { continue };
            for older in parties.iter().filter(|older| older.name != newer.name && !lists(older, &decision.decision)) {
                let ids = older.session.decision_ids();
                let is_meant = |(one, id): &(&Decision, String)| {
                    one.same_as.contains(wanted) || *wanted == format!("{}#{id}", older.name)
                };
                if let Some((replaced, _)) = older.session.decisions.iter().zip(ids).find(is_meant) {
                    let sides = vec![side(newer, &decision.decision), side(older, &replaced.decision)];
                    let (what, kept) = (replaced.decision.clone(), Some(decision.decision.clone()));
                    found.push(Contradiction { about: About::Superseded, what, sides, kept });
                }
            }
        }
    }
    found
}

/// Paths for which two sessions decided different things, neither knowing of what the other decided.
fn same_paths(parties: &[Party<'_>]) -> Vec<Contradiction> {
    let mut found: Vec<Contradiction> = Vec::new();
    for (place, one) in parties.iter().enumerate() {
        for other in &parties[place + 1..] {
            for (mine, theirs) in pairs(one, other) {
                let shared = mine.paths.iter().filter(|path| theirs.paths.iter().any(|other| same_path(path, other)));
                for path in shared {
                    let sides = vec![side(one, &mine.decision), side(other, &theirs.decision)];
                    let new = Contradiction { about: About::Path, what: path.clone(), sides, kept: None };
                    if !found.contains(&new) {
                        found.push(new);
                    }
                }
            }
        }
    }
    found
}

/// What only the one decided with what only the other did, where neither replaces the other.
fn pairs<'a>(one: &Party<'a>, other: &Party<'a>) -> Vec<(&'a Decision, &'a Decision)> {
    let holding = |party: &Party<'a>, without: &Party<'a>| -> Vec<&'a Decision> {
        let ids = party.session.decision_ids();
        let replaced: Vec<&String> = [party, without]
            .into_iter()
            .flat_map(|party| party.session.decisions.iter().filter_map(|one| one.supersedes.as_ref()))
            .collect();
        let holds = |one: &Decision, id: &String| {
            let names = [format!("{}#{id}", party.name), id.clone()];
            !replaced.iter().any(|wanted| names.contains(wanted) || one.same_as.contains(wanted))
        };
        let listed = party.session.decisions.iter().zip(&ids);
        listed.filter(|(one, id)| holds(one, id) && !lists(without, &one.decision)).map(|(one, _)| one).collect()
    };
    let (mine, theirs) = (holding(one, other), holding(other, one));
    mine.into_iter().flat_map(|one| theirs.iter().map(move |other| (one, *other))).collect()
}

fn lists(party: &Party<'_>, decision: &str) -> bool {
    party.session.decisions.iter().any(|one| read_the_same(&one.decision, decision))
}

fn same_path(one: &str, other: &str) -> bool {
    one.trim_end_matches('/') == other.trim_end_matches('/')
}

fn side(party: &Party<'_>, says: &str) -> Side {
    Side { session: party.name.to_owned(), says: says.to_owned() }
}
