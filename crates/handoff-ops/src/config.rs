//! Operations about settings.

use std::path::Path;

use handoff_model::config::{Layer, Origin, UnknownKey};
use serde_json::{Value, json};

use crate::page::{Role, Text};
use crate::{Hint, OpError, Project};

pub(crate) mod change;
mod explain;
mod file;
mod get;
mod set;

pub use explain::{ExplainConfig, Explained, Explanations};
pub use file::{ConfigText, ReadConfigFile};
pub use get::{ConfigView, GetConfig};
pub use set::{Changed, ConfigChange, NewValue, SetConfig};

/// What to say when a file stands in the way of a change.
fn unreadable(project: &Project, path: &Path, error: handoff_model::document::Unreadable) -> OpError {
    let file = project.shown(path);
    let place = error.line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"));
    OpError::damaged(format!("{place} cannot be changed"))
        .caused_by(error)
        .hint(Hint::say("mend the file by hand; what can be read of it still counts"))
}

fn no_such_setting(unknown: &UnknownKey) -> OpError {
    let near = unknown.near.iter().map(|name| format!("close: {name}"));
    OpError::not_found(unknown.to_string()).details(near).hint(Hint::run_with::<ExplainConfig>(json!({})))
}

/// A value as a person would type it.
fn shown(value: &Value) -> Text {
    match value {
        Value::Null => Text::of(Role::Dim, "not set"),
        Value::String(text) if text.is_empty() => Text::of(Role::Dim, "empty"),
        Value::String(text) => text.as_str().into(),
        Value::Array(items) if items.is_empty() => Text::of(Role::Dim, "none"),
        Value::Array(items) if items.iter().all(is_plain_word) => {
            let words: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            words.join(", ").as_str().into()
        }
        other => other.to_string().as_str().into(),
    }
}

fn is_plain_word(value: &Value) -> bool {
    value.as_str().is_some_and(|word| !word.is_empty() && !word.contains(','))
}

/// The place a value comes from; the default is not worth a look.
fn origin(origin: &Origin) -> Text {
    let role = if origin.layer == Layer::Default { Role::Dim } else { Role::Plain };
    Text::of(role, origin.to_string())
}

#[cfg(test)]
mod tests;
