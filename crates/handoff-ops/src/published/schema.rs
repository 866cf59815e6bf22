//! Schemas as short as they can be: every word is sent to every agent in every session.
//!
//! They are inline, with one type each, and leave out `null`, which any field that can be empty takes.

use handoff_model::task::{Priority, Status};
use schemars::{Schema, SchemaGenerator, json_schema};

pub(super) fn text(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string" })
}

pub(super) fn texts(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": { "type": "string" } })
}

pub(super) fn number(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "number" })
}

pub(super) fn integer(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "integer" })
}

pub(super) fn truth(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "boolean" })
}

pub(super) fn status(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": Status::WORDS })
}

pub(super) fn priority(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": Priority::WORDS })
}

pub(super) fn format(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": ["markdown", "json"] })
}

pub(super) fn criteria(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": {
        "type": "object",
        "properties": { "item": { "type": "string" }, "checked": { "type": "boolean" } },
        "required": ["item"],
    }})
}

pub(super) fn links(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": { "anyOf": [{ "type": "string" }, { "type": "object" }] } })
}

pub(super) fn object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object" })
}
