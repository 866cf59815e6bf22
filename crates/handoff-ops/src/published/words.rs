//! Input as agents really send it: one text or several, with commas or as a list.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Several words: a list, or one text with commas. Blank ones do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words(pub(super) Vec<String>);

impl Words {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn add(&mut self, text: &str) {
        self.0.extend(text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned));
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrSeveral;

        impl<'de> Visitor<'de> for OneOrSeveral {
            type Value = Words;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text such as \"todo,blocked\", or a list of texts")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Words, E> {
                let mut words = Words::default();
                words.add(text);
                Ok(words)
            }

            fn visit_unit<E: de::Error>(self) -> Result<Words, E> {
                Ok(Words::default())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Words, A::Error> {
                let mut words = Words::default();
                while let Some(item) = items.next_element::<String>()? {
                    words.add(&item);
                }
                Ok(words)
            }
        }

        deserializer.deserialize_any(OneOrSeveral)
    }
}

impl Serialize for Words {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.join(","))
    }
}

/// Reads several texts of one sort, given as a list or as one text. A comma is part of a text, as in the glob `{a,b}.rs`.
pub(crate) fn listed<'de, D: Deserializer<'de>, T: FromStr<Err: fmt::Display>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a text, or a list of texts")]
    enum Texts {
        None(()),
        One(String),
        Several(Vec<String>),
    }
    let texts = match Texts::deserialize(deserializer)? {
        Texts::None(()) => Vec::new(),
        Texts::One(text) => vec![text],
        Texts::Several(texts) => texts,
    };
    let said = texts.iter().filter(|text| !text.trim().is_empty());
    said.map(|text| text.parse().map_err(de::Error::custom)).collect()
}

/// Reads several words of one sort, given as a list or as one text with commas.
pub(crate) fn several<'de, D: Deserializer<'de>, T: FromStr<Err: fmt::Display>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let Words(words) = Words::deserialize(deserializer)?;
    words.iter().map(|word| word.parse().map_err(de::Error::custom)).collect()
}

/// Reads a switch; `null` is the same as leaving it out.
pub(crate) fn switch<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A filter that is given blank asks for nothing.
pub(super) fn given(filter: Option<String>) -> Option<String> {
    filter.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words(value: serde_json::Value) -> Result<Vec<String>, String> {
        serde_json::from_value::<Words>(value).map(|words| words.0).map_err(|error| error.to_string())
    }

    #[test]
    fn a_text_a_text_with_commas_and_a_list_are_all_understood() {
        assert_eq!(words(json!("todo")).unwrap(), ["todo"]);
        assert_eq!(words(json!("todo, blocked,")).unwrap(), ["todo", "blocked"]);
        assert_eq!(words(json!(["todo", "blocked,done"])).unwrap(), ["todo", "blocked", "done"]);
        for nothing in [json!(""), json!([]), json!(null)] {
            assert_eq!(words(nothing).unwrap(), Vec::<String>::new());
        }
    }

    #[test]
    fn anything_else_is_told_what_would_be_right() {
        assert_eq!(
            words(json!(5)).unwrap_err(),
            "invalid type: integer `5`, expected a text such as \"todo,blocked\", or a list of texts"
        );
    }
}
