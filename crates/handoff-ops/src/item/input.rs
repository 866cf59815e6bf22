//! Items as agents and people name them for settling.

use std::str::FromStr;

use handoff_model::session::{EmptyItemRef, ItemRef, SettledHow};
use handoff_model::text::Prose;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use super::settle::{Wish, reason};

/// An item that is dropped, perhaps with the reason.
#[derive(Debug, Clone)]
pub struct DroppedItem {
    item: ItemRef,
    because: Option<String>,
}

impl FromStr for DroppedItem {
    type Err = EmptyItemRef;

    fn from_str(text: &str) -> Result<Self, EmptyItemRef> {
        Ok(DroppedItem { item: text.parse()?, because: None })
    }
}

impl<'de> Deserialize<'de> for DroppedItem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Whole {
            #[serde(alias = "id")]
            item: ItemRef,
            #[serde(default, alias = "reason")]
            because: Option<Prose>,
        }
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "an item such as \"n7\", or {\"item\": \"n7\", \"because\": \"not needed\"}")]
        enum Form {
            Item(ItemRef),
            Whole(Whole),
        }
        Ok(match Form::deserialize(deserializer)? {
            Form::Item(item) => DroppedItem { item, because: None },
            Form::Whole(Whole { item, because }) => DroppedItem { item, because: reason(because.as_ref()) },
        })
    }
}

impl JsonSchema for DroppedItem {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "DroppedItem".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "object"] })
    }
}

/// The items that a request settles.
pub(crate) fn wishes(done: Vec<ItemRef>, resolved: Vec<ItemRef>, dropped: Vec<DroppedItem>) -> Vec<Wish> {
    // The kind of an item says how it ends well, whichever list names it.
    let done = done.into_iter().chain(resolved).map(|item| Wish { item, how: None, because: None });
    let dropped = dropped.into_iter();
    let dropped = dropped.map(|DroppedItem { item, because }| Wish { item, how: Some(SettledHow::Dropped), because });
    done.chain(dropped).collect()
}
