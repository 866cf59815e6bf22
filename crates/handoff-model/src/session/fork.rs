//! What a new session takes over from one it branches off from.
//!
//! **Invariant:** a decision that is taken over stays one decision: the copy says which one it is.

use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::unite::{self, Party};
use super::{Decisions, Session};
use crate::task::NotAWord;
use crate::task::words;

words!(
    /// A part of a session that another can take over.
    Part, "part of a session", {
        Decisions = "decisions",
        Pointers = "pointers",
        References = "references",
        Notes = "notes",
        Environment = "environment",
        Next = "next",
        Blockers = "blockers",
        Checklist = "checklist",
        Questions = "questions",
        Tasks = "tasks",
        Tags = "tags",
        Body = "body",
    }
);

/// The parts that are taken over, such as `decisions,notes`; `all` and `none` are understood too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inherit(Vec<Part>);

/// Why words do not say what is taken over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadInherit {
    #[error("nothing is named that could be taken over: give parts such as `decisions,notes`, or `all`, or `none`")]
    Empty,
    #[error("`none` stands alone: parts that are named beside it would be taken over")]
    NoneAndMore,
    #[error(transparent)]
    Unknown(#[from] NotAWord),
}

impl Default for Inherit {
    /// What is to know; what is to do stays with the session that goes on.
    fn default() -> Self {
        Inherit(vec![Part::Decisions, Part::Pointers, Part::References, Part::Notes, Part::Environment])
    }
}

impl Inherit {
    pub fn has(&self, part: Part) -> bool {
        self.0.contains(&part)
    }

    /// The parts that some words name, each perhaps several.
    fn of<'a>(given: impl IntoIterator<Item = &'a str>) -> Result<Self, BadInherit> {
        let given: Vec<&str> = given.into_iter().collect();
        let words = given.iter().flat_map(|text| text.split(',')).map(|word| word.trim().to_ascii_lowercase());
        let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
        if words.is_empty() && !given.is_empty() {
            return Err(BadInherit::Empty);
        }
        if words.len() > 1 && words.iter().any(|word| word == "none") {
            return Err(BadInherit::NoneAndMore);
        }
        let mut parts = Vec::new();
        for word in &words {
            match word.as_str() {
                "none" => {}
                "all" => parts.extend(Part::ALL),
                // The names that agents know these lists by.
                "context_pointers" => parts.push(Part::Pointers),
                "handoff_notes" => parts.push(Part::Notes),
                "related_task_ids" => parts.push(Part::Tasks),
                word => parts.push(word.parse()?),
            }
        }
        Ok(Inherit(parts))
    }
}

impl FromStr for Inherit {
    type Err = BadInherit;

    fn from_str(text: &str) -> Result<Self, BadInherit> {
        Inherit::of([text])
    }
}

impl fmt::Display for Inherit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.0.iter().map(|part| part.word()).collect();
        f.write_str(if words.is_empty() { "none".to_owned() } else { words.join(",") }.as_str())
    }
}

impl Serialize for Inherit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Inherit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Words;

        impl<'de> Visitor<'de> for Words {
            type Value = Inherit;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list such as [\"decisions\", \"notes\"]")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Inherit, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Inherit, A::Error> {
                let mut given: Vec<String> = Vec::new();
                while let Some(item) = items.next_element()? {
                    given.push(item);
                }
                Inherit::of(given.iter().map(String::as_str)).map_err(de::Error::custom)
            }
        }

        deserializer.deserialize_any(Words)
    }
}

impl JsonSchema for Inherit {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Inherit".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": { "type": "string" } })
    }
}

impl Session {
    /// Takes over parts of another session that it branches off from. Of its decisions only those that still hold.
    pub fn inherit(&mut self, from: Party<'_>, parts: &Inherit, decisions: &Decisions<'_>) {
        let Party { name, session: source } = from;
        self.forked_from = Some(name.to_owned());
        if parts.has(Part::Decisions) {
            let listed = source.decisions.iter().zip(source.decision_ids());
            let holding = listed.filter(|(_, id)| decisions.holds(&format!("{name}#{id}")));
            self.decisions = holding.map(|(decision, id)| unite::taken_over(name, &id, decision)).collect();
            let before = self.clone();
            self.allot_decision_ids(&before);
        }
        if parts.has(Part::Environment) {
            self.environment = unite::own_facts(source).map(|(key, fact)| (key.clone(), fact.clone())).collect();
        }
        let take = |part: Part| parts.has(part);
        copy_if(take(Part::Pointers), &source.pointers, &mut self.pointers);
        copy_if(take(Part::References), &source.references, &mut self.references);
        copy_if(take(Part::Notes), &source.notes, &mut self.notes);
        copy_if(take(Part::Next), &source.next, &mut self.next);
        copy_if(take(Part::Blockers), &source.blockers, &mut self.blockers);
        copy_if(take(Part::Checklist), &source.checklist, &mut self.checklist);
        copy_if(take(Part::Questions), &source.questions, &mut self.questions);
        copy_if(take(Part::Tasks), &source.tasks, &mut self.tasks);
        copy_if(take(Part::Tags), &source.tags, &mut self.tags);
    }
}

fn copy_if<T: Clone>(wanted: bool, from: &[T], to: &mut Vec<T>) {
    if wanted {
        *to = from.to_vec();
    }
}

#[cfg(test)]
mod tests;
