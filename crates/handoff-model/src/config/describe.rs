//! What a JSON Schema says about one value, in words.

use serde_json::Value as Json;

/// What sort of value it is, and which of them are allowed where that says more.
pub(super) fn describe(schema: &Json) -> (String, Option<String>) {
    let (kind, allowed) = by_type(schema);
    (schema["title"].as_str().map_or(kind, str::to_owned), allowed)
}

fn by_type(schema: &Json) -> (String, Option<String>) {
    let options: Vec<&Json> = ["anyOf", "oneOf"]
        .iter()
        .filter_map(|key| schema[*key].as_array())
        .flatten()
        .filter(|option| option["type"] != "null")
        .collect();
    if let Some(words) = words(schema, &options) {
        return ("word".to_owned(), Some(words.join(", ")));
    }
    if !options.is_empty() {
        let (kinds, allowed): (Vec<_>, Vec<_>) = options.into_iter().map(describe).unzip();
        let allowed: Vec<String> = allowed.into_iter().flatten().collect();
        return (kinds.join(" or "), (!allowed.is_empty()).then(|| allowed.join(", or ")));
    }
    match type_of(schema) {
        "integer" => ("whole number".to_owned(), range(schema)),
        "number" => ("number".to_owned(), range(schema)),
        "boolean" => ("true or false".to_owned(), None),
        "array" => {
            let (kind, allowed) = describe(&schema["items"]);
            (format!("list of {kind}s"), allowed)
        }
        "string" if schema["format"] == "date" => ("date".to_owned(), Some("such as 2026-11-15".to_owned())),
        _ => ("text".to_owned(), schema["examples"][0].as_str().map(|example| format!("such as {example}"))),
    }
}

/// The type, apart from `null`.
fn type_of(schema: &Json) -> &str {
    let types = schema["type"].as_array().and_then(|types| types.iter().find(|kind| *kind != "null"));
    types.unwrap_or(&schema["type"]).as_str().unwrap_or_default()
}

/// The words of a closed set, if it is one.
fn words<'a>(schema: &'a Json, options: &[&'a Json]) -> Option<Vec<&'a str>> {
    if let Some(words) = schema["enum"].as_array() {
        return Some(words.iter().filter_map(Json::as_str).collect());
    }
    if options.is_empty() {
        return None;
    }
    options.iter().map(|option| option["const"].as_str()).collect()
}

fn range(schema: &Json) -> Option<String> {
    let bound = |key: &str| schema[key].as_f64();
    Some(format!("{} to {}", bound("minimum")?, bound("maximum")?))
}
