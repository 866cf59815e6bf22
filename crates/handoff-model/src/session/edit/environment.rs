//! Free facts about the surroundings, laid over those that are there.

use serde_json::{Map, Value as Json, json};

use super::BadEdit;
use crate::change::Change;
use crate::session::Session;

pub(super) fn lay_over(environment: &mut Map<String, Json>, change: Change<Map<String, Json>>) -> Result<(), BadEdit> {
    match change {
        Change::Keep => {}
        Change::Clear => environment.clear(),
        Change::Set(facts) => {
            for (key, value) in facts {
                if value.is_null() {
                    environment.shift_remove(&key);
                } else if can_be_written(&key, &value) {
                    environment.insert(key, value);
                } else {
                    return Err(BadEdit::Environment { key: crate::id::shorten(&key) });
                }
            }
        }
    }
    Ok(())
}

/// Whether a file that says this fact would be read as saying it.
fn can_be_written(key: &str, value: &Json) -> bool {
    let record = json!({ "id": "00000000", "environment": { key: value } });
    let read = Session::read(&crate::document::print(&record));
    read.is_ok_and(|session| session.environment.get(key) == Some(value))
}
