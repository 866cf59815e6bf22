//! JSON Schemas of the files, so that editors can check and complete them.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value as Json, json};

use crate::config::Config;
use crate::session::Session;
use crate::task::Task;
use crate::time_log::TimeLog;

/// The schema of each kind of file, by the name it is published under.
///
/// Times are described as texts: editors see native TOML times so.
pub fn schemas() -> Vec<(&'static str, Json)> {
    vec![
        ("task.json", file::<Task>()),
        ("session.json", file::<Session>()),
        ("time-log.json", file::<TimeLog>()),
        ("config.json", config()),
    ]
}

fn file<T: JsonSchema>() -> Json {
    SchemaSettings::draft2020_12().for_deserialize().into_generator().into_root_schema_for::<T>().into()
}

fn config() -> Json {
    let mut schema = file::<Config>();
    // Not a setting, and never written here, but every file may say its format.
    schema["properties"]["format"] = json!({ "description": "Version of the file format", "type": "integer", "minimum": 1, "default": crate::FORMAT });
    schema
}

/// The configuration's schema without references, for walking through its keys.
pub(crate) fn inline_config() -> Json {
    let settings = SchemaSettings::draft2020_12().for_deserialize().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<Config>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_file_has_a_schema_with_its_keys() {
        for ((name, schema), key) in schemas().iter().zip(["done_criteria", "decisions", "intervals", "settings"]) {
            assert!(schema["properties"][key].is_object(), "{name} lacks {key}");
        }
    }
}
