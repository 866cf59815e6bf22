//! Keep, clear or set: what an update says about one field.

use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What an update does to one field: absent keeps it, `null` (on the command line `none`) clears it, a value sets it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Change<T> {
    #[default]
    Keep,
    Clear,
    Set(T),
}

/// The command-line default that means "keep".
///
/// A NUL cannot arrive in an argument, so no value a person types is mistaken for it; an empty string stays an empty
/// string and is refused by fields that need text.
pub const KEEP: &str = "\0";

impl<T> Change<T> {
    pub fn is_keep(&self) -> bool {
        matches!(self, Change::Keep)
    }

    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Change<U> {
        match self {
            Change::Keep => Change::Keep,
            Change::Clear => Change::Clear,
            Change::Set(value) => Change::Set(convert(value)),
        }
    }

    /// Applies to a field that may be empty.
    pub fn apply_to(self, field: &mut Option<T>) {
        match self {
            Change::Keep => {}
            Change::Clear => *field = None,
            Change::Set(value) => *field = Some(value),
        }
    }
}

impl<T: FromStr> FromStr for Change<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        match text {
            KEEP => Ok(Change::Keep),
            "none" => Ok(Change::Clear),
            value => value.parse().map(Change::Set),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Option::<T>::deserialize(deserializer)? {
            None => Change::Clear,
            Some(value) => Change::Set(value),
        })
    }
}

impl<T: Serialize> Serialize for Change<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Change::Keep | Change::Clear => serializer.serialize_none(),
            Change::Set(value) => serializer.serialize_some(value),
        }
    }
}

impl<T: JsonSchema> JsonSchema for Change<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Change_{}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [value, { "type": "null" }] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Request {
        #[serde(default)]
        due: Change<u32>,
    }

    #[test]
    fn absent_null_and_value_are_three_different_things() {
        let due = |json: &str| serde_json::from_str::<Request>(json).unwrap().due;
        assert_eq!(due("{}"), Change::Keep);
        assert_eq!(due(r#"{"due": null}"#), Change::Clear);
        assert_eq!(due(r#"{"due": 3}"#), Change::Set(3));
    }

    #[test]
    fn an_empty_argument_is_a_value_not_an_omission() {
        assert_eq!("".parse::<Change<String>>().unwrap(), Change::Set(String::new()));
        assert_eq!(KEEP.parse::<Change<String>>().unwrap(), Change::Keep);
        assert_eq!("none".parse::<Change<String>>().unwrap(), Change::Clear);
    }
}
