//! Schemas that every host takes, and that cost few tokens.
//!
//! **Invariant:** what comes out has no list of types, no `null`, no `format`, no titles and no `$schema`, and it says
//! about a value what it said before.

use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

use crate::words;

/// A shared definition that is longer than this stays shared, unless only one place uses it.
const SMALL: usize = 120;
const DEFINITIONS: &str = "$defs";
const REFERENCE: &str = "$ref";
const PREFIX: &str = "#/$defs/";

/// The schema in its portable form.
pub(crate) fn portable(schema: Value) -> JsonObject {
    let Value::Object(mut root) = schema else { return JsonObject::new() };
    let definitions = match root.remove(DEFINITIONS) {
        Some(Value::Object(definitions)) => definitions,
        _ => Map::new(),
    };
    let mut kept = Kept { definitions, names: Vec::new() };
    let whole = Value::Object(root);
    kept.names = kept.worth_sharing(&whole);
    let Value::Object(mut root) = kept.simple(whole) else { unreachable!("an object stays one") };
    if !kept.names.is_empty() {
        let shared = kept.names.iter().filter_map(|name| {
            let definition = kept.definitions.get(name)?.clone();
            Some((name.clone(), kept.simple(definition)))
        });
        let shared: Map<String, Value> = shared.collect();
        root.insert(DEFINITIONS.to_owned(), shared.into());
    }
    root
}

/// The shared definitions of one schema, and which of them stay shared.
struct Kept {
    definitions: JsonObject,
    names: Vec<String>,
}

impl Kept {
    /// Definitions that are long and used more than once, or that contain themselves.
    fn worth_sharing(&self, root: &Value) -> Vec<String> {
        let name = |name: &&String| {
            let used = count(root, name) + self.definitions.values().map(|other| count(other, name)).sum::<usize>();
            let definition = &self.definitions[*name];
            let is_long = is_object(definition) && definition.to_string().len() > SMALL;
            self.reaches(name, name, &mut Vec::new()) || (used > 1 && is_long)
        };
        self.definitions.keys().filter(name).cloned().collect()
    }

    fn reaches<'a>(&'a self, from: &str, target: &str, seen: &mut Vec<&'a str>) -> bool {
        let Some(definition) = self.definitions.get(from) else { return false };
        self.definitions.keys().filter(|name| count(definition, name) > 0).any(|name| {
            let is_new = !seen.contains(&name.as_str());
            seen.push(name);
            name == target || (is_new && self.reaches(name, target, seen))
        })
    }

    /// One schema, simplified from the outside in.
    fn simple(&self, schema: Value) -> Value {
        let Value::Object(mut fields) = schema else { return schema };
        self.take_in_reference(&mut fields);
        drop_null(&mut fields);
        // What was optional may have been a reference.
        self.take_in_reference(&mut fields);
        drop_null(&mut fields);
        gather_words(&mut fields);
        drop_noise(&mut fields);
        if let Some(Value::String(text)) = fields.get_mut("description") {
            *text = words::for_agents(text);
        }
        for key in ["properties", "patternProperties"] {
            if let Some(Value::Object(members)) = fields.get_mut(key) {
                for member in members.values_mut() {
                    *member = self.simple(member.take());
                }
            }
        }
        for key in ["items", "additionalProperties", "not"] {
            if let Some(member) = fields.get_mut(key) {
                *member = self.simple(member.take());
                // What a plain value in a list is, the list has said.
                if !is_object(member)
                    && let Value::Object(item) = member
                {
                    item.remove("description");
                }
            }
        }
        for key in ["anyOf", "oneOf", "allOf", "prefixItems"] {
            if let Some(Value::Array(members)) = fields.get_mut(key) {
                for member in members {
                    *member = self.simple(member.take());
                }
            }
        }
        Value::Object(fields)
    }

    /// Puts a definition in place of the reference to it, unless it stays shared. What is said beside a reference counts
    /// more than what the definition says.
    fn take_in_reference(&self, fields: &mut JsonObject) {
        while let Some(name) = fields.get(REFERENCE).and_then(Value::as_str).and_then(|to| to.strip_prefix(PREFIX)) {
            let Some(Value::Object(definition)) = self.definitions.get(name) else { return };
            if self.names.iter().any(|kept| kept == name) {
                return;
            }
            fields.remove(REFERENCE);
            for (key, value) in definition {
                fields.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
    }
}

/// How often a definition is referred to.
fn count(schema: &Value, name: &str) -> usize {
    match schema {
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| match value.as_str() {
                Some(to) if key == REFERENCE => usize::from(to.strip_prefix(PREFIX) == Some(name)),
                _ => count(value, name),
            })
            .sum(),
        Value::Array(members) => members.iter().map(|member| count(member, name)).sum(),
        _ => 0,
    }
}

fn is_object(schema: &Value) -> bool {
    schema.get("properties").is_some()
}

/// What may be left out need not also be `null`.
fn drop_null(fields: &mut JsonObject) {
    if let Some(Value::Array(types)) = fields.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            fields.insert("type".to_owned(), only);
        } else {
            let types = std::mem::take(types);
            fields.remove("type");
            let any: Vec<Value> = types.into_iter().map(|kind| json!({ "type": kind })).collect();
            fields.insert("anyOf".to_owned(), any.into());
        }
    }
    if let Some(Value::Array(words)) = fields.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    for key in ["anyOf", "oneOf"] {
        let Some(Value::Array(members)) = fields.get_mut(key) else { continue };
        members.retain(|member| member.get("type") != Some(&json!("null")));
        if members.len() == 1
            && let Some(Value::Object(only)) = members.pop()
        {
            fields.remove(key);
            for (key, value) in only {
                fields.entry(key).or_insert(value);
            }
        }
    }
}

/// Words with an explanation each become a plain list of words.
fn gather_words(fields: &mut JsonObject) {
    for key in ["oneOf", "anyOf"] {
        let Some(Value::Array(members)) = fields.get(key) else { continue };
        let words: Option<Vec<Vec<Value>>> = members
            .iter()
            .map(|member| match (member.get("const"), member.get("enum")) {
                (Some(word @ Value::String(_)), _) => Some(vec![word.clone()]),
                (None, Some(Value::Array(words))) if words.iter().all(Value::is_string) => Some(words.clone()),
                _ => None,
            })
            .collect();
        if let Some(words) = words {
            fields.remove(key);
            fields.insert("type".to_owned(), json!("string"));
            fields.insert("enum".to_owned(), words.concat().into());
            return;
        }
    }
}

fn drop_noise(fields: &mut JsonObject) {
    // Unknown fields are refused by the operation, with the nearest name; saying so here costs tokens at every object.
    if fields.get("additionalProperties") == Some(&json!(false)) {
        fields.remove("additionalProperties");
    }
    for key in ["$schema", "title", "format"] {
        fields.remove(key);
    }
    let says_nothing = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    };
    if fields.get("default").is_some_and(says_nothing) {
        fields.remove("default");
    }
    if fields.get("minimum") == Some(&json!(0)) && fields.get("type") == Some(&json!("integer")) {
        fields.remove("minimum");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn simple(schema: Value) -> Value {
        Value::Object(portable(schema))
    }

    #[test]
    fn what_is_optional_is_said_once() {
        let schema = json!({
            "$schema": "x", "title": "Ask", "type": "object", "additionalProperties": false,
            "properties": {
                "title": {"type": ["string", "null"], "description": "Its title", "default": null},
                "count": {"type": ["integer", "null"], "format": "uint32", "minimum": 0},
                "hours": {"anyOf": [{"$ref": "#/$defs/Hours"}, {"type": "null"}], "description": "How long"},
                "size": {"type": ["string", "integer", "null"]},
            },
            "required": ["title"],
            "$defs": {"Hours": {"type": "number", "format": "double", "description": "Hours."}},
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "title": {"type": "string", "description": "Its title"},
                "count": {"type": "integer"},
                "hours": {"type": "number", "description": "How long"},
                "size": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            },
            "required": ["title"],
        });
        assert_eq!(simple(schema), expected);
    }

    #[test]
    fn words_with_explanations_become_a_list_of_words() {
        let words = json!({"oneOf": [
            {"type": "string", "const": "user", "description": "A person"},
            {"type": "string", "enum": ["ai", "none"]},
        ]});
        let schema = json!({"properties": {"owner": {"$ref": "#/$defs/Owner"}}, "$defs": {"Owner": words}});
        assert_eq!(simple(schema)["properties"]["owner"], json!({"type": "string", "enum": ["user", "ai", "none"]}));
    }

    #[test]
    fn only_what_is_long_and_used_twice_stays_shared() {
        let long = json!({"type": "object", "properties": {"a": {"type": "string", "description": "x".repeat(SMALL)}}});
        let reference = |name: &str| json!({"$ref": format!("#/$defs/{name}")});
        let schema = json!({
            "properties": {
                "one": reference("Long"),
                "two": {"type": "array", "items": reference("Long")},
                "three": reference("Once"),
                "four": {"type": "array", "items": reference("Short"), "description": "Some"},
                "five": reference("Short"),
            },
            "$defs": {"Long": long, "Once": long, "Short": {"type": "string", "description": "A word"}},
        });
        let simple = simple(schema);
        assert_eq!(simple["properties"]["one"], reference("Long"));
        assert_eq!(simple["properties"]["three"], long);
        assert_eq!(simple["properties"]["four"]["items"], json!({"type": "string"}), "the list has said what it holds");
        assert_eq!(simple["properties"]["five"], json!({"type": "string", "description": "A word"}));
        assert_eq!(simple["$defs"].as_object().unwrap().keys().collect::<Vec<_>>(), ["Long"]);
    }

    #[test]
    fn a_definition_that_contains_itself_stays_shared() {
        let node =
            json!({"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}});
        let schema = json!({"properties": {"root": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}});
        assert_eq!(simple(schema)["$defs"]["Node"], node);
    }
}
