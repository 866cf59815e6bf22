//! Schemas as short as they can be: every word is sent to every agent in every session.
//!
//! They are inline, with one type each, and leave out what goes without saying: defaults, and `null`, which any field
//! that can be empty takes.

use handoff_model::task::{Priority, Status};
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::{ScheduleInput, TaskInput};

/// Takes out the defaults.
pub(crate) fn brief(schema: &mut Schema) {
    schema.remove("default");
    transform_subschemas(&mut (brief as fn(&mut Schema)), schema);
}

pub(crate) fn text(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string" })
}

pub(crate) fn texts(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": { "type": "string" } })
}

/// Several words or numbers.
pub(crate) fn words(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array" })
}

pub(crate) fn number(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "number" })
}

pub(crate) fn integer(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "integer" })
}

pub(crate) fn truth(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "boolean" })
}

pub(crate) fn status(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": Status::WORDS })
}

pub(crate) fn priority(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": Priority::WORDS })
}

pub(crate) fn format(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": ["markdown", "json"] })
}

pub(crate) fn criteria(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": {
        "type": "object",
        "properties": { "item": { "type": "string" }, "checked": { "type": "boolean" } },
        "required": ["item"],
    }})
}

pub(crate) fn links(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": { "anyOf": [{ "type": "string" }, { "type": "object" }] } })
}

pub(crate) fn task(generator: &mut SchemaGenerator) -> Schema {
    undescribed::<TaskInput>(generator)
}

pub(crate) fn schedule(generator: &mut SchemaGenerator) -> Schema {
    undescribed::<ScheduleInput>(generator)
}

/// What a type is for is said by the field it is in.
fn undescribed<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = T::json_schema(generator);
    schema.remove("description");
    schema
}

pub(crate) fn object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object" })
}
