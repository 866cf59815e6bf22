//! What every session pays for: names, descriptions and schemas.

use handoff_ops::ToolSet;
use serde_json::Value;

use crate::place::tool;

/// The published tools that are defined here.
const TOOLS: [&str; 8] = [
    "handoff_init",
    "handoff_list_tasks",
    "handoff_update_task",
    "handoff_get_task",
    "handoff_check_criterion",
    "handoff_get_config",
    "handoff_update_config",
    "handoff_dashboard",
];

/// The schema without what no client is sent.
fn schema(name: &str) -> Value {
    let mut schema = tool(name).schema();
    for word in ["$schema", "title", "description"] {
        schema.as_object_mut().unwrap().remove(word);
    }
    schema
}

fn check_portable(name: &str, schema: &Value) {
    match schema {
        Value::Object(fields) => {
            for word in ["$ref", "$defs", "format", "title", "default"] {
                // A property may be called so; then it is described by an object.
                assert!(fields.get(word).is_none_or(Value::is_object), "{name} has `{word}`: {schema}");
            }
            assert!(!fields.get("type").is_some_and(Value::is_array), "{name} has a list of types: {schema}");
            fields.values().for_each(|value| check_portable(name, value));
        }
        Value::Array(items) => items.iter().for_each(|item| check_portable(name, item)),
        _ => {}
    }
}

#[test]
fn the_published_tools_are_listed_by_default_and_cost_little() {
    // Real tokenizers need about one token for four bytes of this.
    const MOST_BYTES: usize = 1_300 * 3;
    let cost = |name: &str| name.len() + tool(name).doc().len() + schema(name).to_string().len();
    assert!(TOOLS.iter().all(|name| tool(name).set == ToolSet::Core));
    let bytes: usize = TOOLS.iter().map(|name| cost(name)).sum();
    assert!(bytes <= MOST_BYTES, "{bytes} bytes");
}

#[test]
fn their_schemas_are_understood_by_every_client() {
    for name in TOOLS {
        check_portable(name, &schema(name));
    }
}

#[test]
fn their_arguments_are_the_published_ones() {
    let properties = |name: &str| -> Vec<String> {
        let schema = schema(name);
        schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(properties("handoff_init"), ["project_name", "description"]);
    assert_eq!(properties("handoff_update_task"), ["task", "parent_id", "move_to"]);
    let list = properties("handoff_list_tasks");
    for filter in ["status_filter", "assignee_filter", "milestone_filter", "priority_filter", "label_filter"] {
        assert!(list.iter().any(|name| name == filter), "{filter}");
    }
    let task = &schema("handoff_update_task")["properties"]["task"]["properties"];
    let fields: Vec<&String> = task.as_object().unwrap().keys().collect();
    assert_eq!(
        fields,
        [
            "id",
            "title",
            "status",
            "notes",
            "notes_append",
            "priority",
            "labels",
            "links",
            "done_criteria",
            "schedule",
            "dependencies",
            "order",
            "assignee"
        ]
    );
    let dashboard = ["scan_dirs", "max_depth", "exclude_patterns", "include_completed"];
    assert_eq!(properties("handoff_dashboard"), dashboard);
}
