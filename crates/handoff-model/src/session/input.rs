//! Items of a session's lists as they are given from outside.
//!
//! Where an object with one text that matters is meant, that text alone is understood too, because agents send it. The
//! schemas are written out, small and without references: they are sent to every client.

use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer};

use super::{Confidence, LineRange, NoteCategory, Owner};
use crate::change::Change;
use crate::task::LinkType;
use crate::text::{BadText, OneLine, Prose};

/// A decision as it is given.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct DecisionInput {
    pub decision: Prose,
    /// Its id, to change one that is there
    #[serde(default)]
    pub id: Option<String>,
    #[serde(default, deserialize_with = "said")]
    pub reason: Change<Prose>,
    #[serde(default)]
    pub confidence: Option<Confidence>,
    /// Files and directories it governs
    #[serde(default)]
    pub paths: Change<Vec<OneLine>>,
    /// The decision it replaces: `d3` of this session, `session#d3` of another
    #[serde(default, deserialize_with = "said")]
    pub supersedes: Change<OneLine>,
}

/// An item of the checklist as it is given.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct ChecklistInput {
    pub item: Prose,
    #[serde(default)]
    pub checked: Option<bool>,
    #[serde(default)]
    pub owner: Change<Owner>,
}

/// A note as it is given.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct NoteInput {
    pub note: Prose,
    #[serde(default)]
    pub category: Option<NoteCategory>,
}

/// A reference as it is given.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct ReferenceInput {
    pub label: OneLine,
    pub uri: OneLine,
    #[serde(rename = "type", default)]
    pub kind: Option<LinkType>,
    #[serde(default, deserialize_with = "said")]
    pub notes: Change<Prose>,
}

/// A pointer into the code as it is given.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct PointerInput {
    pub path: OneLine,
    #[serde(default)]
    pub lines: Option<LineRange>,
    #[serde(default, deserialize_with = "said")]
    pub reason: Change<Prose>,
}

/// One item of a list that is there: its place, counted from 1, or its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    Place(usize),
    /// The exact text; a number where no item has that text
    Text(String),
}

/// A text that need not be given: a blank one says nothing, `null` clears.
fn said<'de, T, D>(deserializer: D) -> Result<Change<T>, D::Error>
where
    T: FromStr<Err = BadText>,
    D: Deserializer<'de>,
{
    match Option::<String>::deserialize(deserializer)? {
        None => Ok(Change::Clear),
        Some(text) if text.trim().is_empty() => Ok(Change::Keep),
        Some(text) => text.parse().map(Change::Set).map_err(de::Error::custom),
    }
}

impl FromStr for DecisionInput {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        let (reason, paths, supersedes) = (Change::Keep, Change::Keep, Change::Keep);
        Ok(DecisionInput { decision: text.parse()?, id: None, reason, confidence: None, paths, supersedes })
    }
}

impl FromStr for ChecklistInput {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        Ok(ChecklistInput { item: text.parse()?, checked: None, owner: Change::Keep })
    }
}

impl NoteInput {
    /// A note that warns.
    pub fn caution(note: Prose) -> NoteInput {
        NoteInput { note, category: Some(NoteCategory::Caution) }
    }
}

impl FromStr for NoteInput {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        Ok(NoteInput { note: text.parse()?, category: None })
    }
}

impl FromStr for ReferenceInput {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        let uri: OneLine = text.parse()?;
        let kind = if text.contains("://") { LinkType::Url } else { LinkType::File };
        Ok(ReferenceInput { label: uri.clone(), uri, kind: Some(kind), notes: Change::Keep })
    }
}

impl FromStr for PointerInput {
    type Err = BadText;

    /// A path, with lines behind it where it ends in them: `src/main.rs:42-78`.
    fn from_str(text: &str) -> Result<Self, BadText> {
        let behind = text.rsplit_once(':').and_then(|(path, lines)| Some((path, lines.parse().ok()?)));
        let (path, lines) = behind.map_or((text, None), |(path, lines)| (path, Some(lines)));
        Ok(PointerInput { path: path.parse()?, lines, reason: Change::Keep })
    }
}

impl FromStr for Which {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        text.parse::<Prose>().map(|text| Which::Text(text.into()))
    }
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Which::Place(place) => write!(f, "{place}"),
            Which::Text(text) => f.write_str(&crate::id::shorten(text)),
        }
    }
}

/// Reads an input from an object or a text, and describes the object to clients.
macro_rules! object_or_text {
    ($name:ident, $example:literal, $schema:expr) => {
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Given;

                impl<'de> Visitor<'de> for Given {
                    type Value = $name;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str(concat!("an object such as ", $example))
                    }

                    fn visit_str<E: de::Error>(self, text: &str) -> Result<$name, E> {
                        text.parse().map_err(E::custom)
                    }

                    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<$name, M::Error> {
                        $name::deserialize(MapAccessDeserializer::new(map))
                    }
                }

                deserializer.deserialize_any(Given)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    };
}

object_or_text!(
    DecisionInput,
    r#"{"decision": "JWT over server sessions", "reason": "stateless API"}"#,
    json_schema!({
        "type": "object",
        "properties": {
            "decision": { "type": "string" },
            "reason": { "type": "string" },
            "confidence": { "enum": Confidence::WORDS },
            "paths": { "type": "array", "items": { "type": "string" } },
            "supersedes": { "type": "string", "description": "`d3`, or `session#d3`" },
            "id": { "type": "string" }
        },
        "required": ["decision"]
    })
);
object_or_text!(
    ChecklistInput,
    r#"{"item": "verify on staging", "owner": "user"}"#,
    json_schema!({
        "type": "object",
        "properties": {
            "item": { "type": "string" },
            "checked": { "type": "boolean" },
            "owner": { "enum": Owner::WORDS }
        },
        "required": ["item"]
    })
);
object_or_text!(
    NoteInput,
    r#"{"note": "the test database runs on port 5433", "category": "caution"}"#,
    json_schema!({
        "type": "object",
        "properties": { "note": { "type": "string" }, "category": { "enum": NoteCategory::WORDS } },
        "required": ["note"]
    })
);
object_or_text!(
    ReferenceInput,
    r#"{"label": "Refresh bug", "uri": "https://example.com/issues/31", "type": "issue"}"#,
    json_schema!({
        "type": "object",
        "properties": {
            "label": { "type": "string" },
            "uri": { "type": "string" },
            "type": { "enum": LinkType::WORDS },
            "notes": { "type": "string" }
        },
        "required": ["label", "uri"]
    })
);
object_or_text!(
    PointerInput,
    r#"{"path": "src/main.rs", "lines": "42-78", "reason": "resume here"}"#,
    json_schema!({
        "type": "object",
        "properties": {
            "path": { "type": "string" },
            "lines": { "type": "string", "description": "`42-78`" },
            "reason": { "type": "string" }
        },
        "required": ["path"]
    })
);

impl<'de> Deserialize<'de> for Which {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "the place of an item, counted from 1, or its text")]
        enum Written {
            // Some clients know only one kind of number and send `2.0`.
            Place(f64),
            Text(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Place(place) => place.to_string().parse().map(Which::Place).map_err(|_| {
                de::Error::custom(format!("{place} is not the place of an item: they are counted from 1"))
            }),
            Written::Text(text) => text.parse().map_err(de::Error::custom),
        }
    }
}

impl JsonSchema for Which {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Which".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "description": "place from 1, or text" })
    }
}

#[cfg(test)]
mod tests;
