//! An operation as a tool: its name, words, schema and hints.

use std::sync::Arc;

use handoff_ops::{Entry, Facts};
use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use crate::{schema, words};

/// The argument every tool takes beside those of its operation.
pub(crate) const PROJECT_DIR: &str = "project_dir";
/// The argument by which a reader asks for JSON.
pub(crate) const FORMAT: &str = "format";

/// Tools without which nothing is carried over; a host that defers tools loads these at once.
const ALWAYS_LOADED: [&str; 2] = ["handoff_load_context", "handoff_save_context"];

/// Whether an operation itself takes this argument.
pub(crate) fn takes(entry: &Entry, argument: &str) -> bool {
    entry.schema()["properties"].get(argument).is_some()
}

/// The tool as it is listed.
pub(crate) fn listed(entry: &Entry, output: &Arc<JsonObject>) -> Tool {
    let mut input = schema::portable(entry.schema());
    let description = match input.remove("description") {
        Some(Value::String(description)) => description,
        _ => String::new(),
    };
    complete(entry, &mut input);
    let title = words::title(entry.tool);
    let is_reading = entry.effect.is_reading();
    let mut hints = ToolAnnotations::with_title(title.as_str()).read_only(is_reading).open_world(false);
    if !is_reading {
        // Hosts with a sandbox refuse what does not say so; everything that goes can be brought back.
        hints = hints.destructive(false);
        if entry.is_repeatable {
            hints = hints.idempotent(true);
        }
    }
    let mut tool = Tool::new(entry.tool, description, input).with_title(title).with_annotations(hints);
    if !is_reading {
        tool = tool.with_raw_output_schema(Arc::clone(output));
    }
    if ALWAYS_LOADED.contains(&entry.tool) {
        let mut meta = MetaObject::new();
        meta.insert("anthropic/alwaysLoad".to_owned(), json!(true));
        tool = tool.with_meta(meta);
    }
    tool
}

/// Adds what this door takes beside the operation's own arguments.
fn complete(entry: &Entry, input: &mut JsonObject) {
    input.entry("type").or_insert_with(|| json!("object"));
    let properties = input.entry("properties").or_insert_with(|| json!({}));
    if let Value::Object(properties) = properties {
        if entry.effect.is_reading() {
            properties.entry(FORMAT).or_insert_with(|| json!({"type": "string", "enum": ["markdown", "json"]}));
        }
        // Its name says it all, and every word is paid for once per tool in every session.
        properties.insert(PROJECT_DIR.to_owned(), json!({"type": "string"}));
    }
}

/// The schema of what every change answers.
pub(crate) fn output_schema() -> Arc<JsonObject> {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = schema::portable(settings.into_generator().into_root_schema_for::<Facts>().into());
    schema.remove("description");
    Arc::new(schema)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolSets;
    use crate::sets::offered;

    fn all() -> Vec<(Value, &'static Entry)> {
        let output = output_schema();
        offered().map(|entry| (serde_json::to_value(listed(entry, &output)).unwrap(), entry)).collect()
    }

    /// Every schema within a schema, that one included.
    fn schemas<'a>(schema: &'a Value, found: &mut Vec<&'a Value>) {
        found.push(schema);
        for key in ["properties", "$defs"] {
            schema[key]
                .as_object()
                .into_iter()
                .flat_map(|members| members.values())
                .for_each(|one| schemas(one, found));
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            schema[key].as_array().into_iter().flatten().for_each(|one| schemas(one, found));
        }
        if schema["items"].is_object() {
            schemas(&schema["items"], found);
        }
    }

    #[test]
    fn schemas_are_portable() {
        for (tool, _) in all() {
            for key in ["inputSchema", "outputSchema"] {
                let mut found = Vec::new();
                schemas(&tool[key], &mut found);
                for schema in found {
                    let name = &tool["name"];
                    assert!(!schema["type"].is_array(), "{name} has a list of types: {schema}");
                    for unwanted in ["$schema", "title", "format"] {
                        assert!(!schema[unwanted].is_string(), "{name} has `{unwanted}`: {schema}");
                    }
                }
            }
            assert_eq!(tool["inputSchema"]["type"], "object");
            assert_eq!(tool["inputSchema"]["properties"][PROJECT_DIR]["type"], "string");
        }
    }

    #[test]
    fn only_what_must_be_given_is_required() {
        for (tool, entry) in all() {
            let example = entry.example();
            for name in tool["inputSchema"]["required"].as_array().into_iter().flatten() {
                let given = example.get(name.as_str().unwrap()).is_some();
                assert!(given, "{} works without {name}, which it calls required", entry.tool);
            }
        }
    }

    #[test]
    fn the_example_in_an_error_fits_the_schema() {
        for (tool, entry) in all() {
            for (name, value) in entry.example().as_object().unwrap() {
                let schema = &tool["inputSchema"]["properties"][name];
                let ways = schema["anyOf"].as_array().cloned().unwrap_or_else(|| vec![schema.clone()]);
                let fits = ways.iter().any(|way| match way["type"].as_str() {
                    Some("string") => value.is_string(),
                    Some("array") => value.is_array(),
                    Some("object") => value.is_object(),
                    Some("boolean") => value.is_boolean(),
                    Some("integer" | "number") => value.is_number(),
                    _ => schema.is_object(),
                });
                // What can be cleared takes `null`, which goes without saying.
                assert!(
                    fits || value.is_null(),
                    "{} takes `{name}` as {schema}, and its example has {value}",
                    entry.tool
                );
            }
        }
    }

    #[test]
    fn hints_follow_from_what_an_operation_does() {
        for (tool, entry) in all() {
            let hints = &tool["annotations"];
            assert_eq!(hints["title"], tool["title"]);
            assert_eq!(hints["openWorldHint"], false);
            assert_eq!(hints["readOnlyHint"], entry.effect.is_reading(), "{}", entry.tool);
            let changes = !entry.effect.is_reading();
            assert_eq!(hints["destructiveHint"], if changes { json!(false) } else { Value::Null });
            assert_eq!(hints["idempotentHint"] == true, changes && entry.is_repeatable, "{}", entry.tool);
            assert_eq!(tool["outputSchema"].is_object(), changes, "only changes have facts: {}", entry.tool);
        }
    }

    #[test]
    fn words_of_the_command_line_stay_there() {
        for (tool, _) in all() {
            let text = tool.to_string();
            for typed in ["JSON input only", "may be given several times", "`none`", "command line", " --"] {
                assert!(!text.contains(typed), "{} says `{typed}`: {text}", tool["name"]);
            }
        }
    }

    #[test]
    fn names_words_and_arguments_of_core_cost_little() {
        let output = output_schema();
        let cost = |entry| {
            let tool = serde_json::to_value(listed(entry, &output)).unwrap();
            let shown =
                json!({"name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"]});
            // In o200k a token of such JSON has 4.2 bytes.
            shown.to_string().len() * 10 / 36
        };
        let total: usize = ToolSets::default().listed().map(cost).sum();
        assert!(total <= 3_200, "{total} tokens");
    }
}
