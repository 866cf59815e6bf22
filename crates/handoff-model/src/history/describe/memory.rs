//! Memories: added, changed, retired and brought back into force.

use super::super::{Changed, FileChange};
use super::Said;
use super::fields::{cut, differences};
use crate::document;
use crate::memory::MemoryRecord;

const DIRECTORY: &str = "memory/";

/// Fields that follow from what is told.
const UNSAID: &[&str] = &["format", "id", "created_at", "author", "retired_at", "retired_because", "replaced_by"];

pub(super) fn is_memory(file: &FileChange) -> bool {
    file.path().starts_with(DIRECTORY)
}

pub(super) fn said(changed: &Changed) -> Vec<Said> {
    changed.files.iter().filter(|file| is_memory(file)).map(of_file).collect()
}

fn of_file(file: &FileChange) -> Said {
    let read = |text: Option<&str>| text.and_then(|text| MemoryRecord::read(text).ok());
    let (before, after) = file.texts();
    let (before, after) = (read(before), read(after));
    let subject = match after.as_ref().or(before.as_ref()) {
        Some(memory) => format!("memory {} {}", memory.id, cut(&memory.summary())),
        None => file.path().to_owned(),
    };
    let mut said = Said::about(subject, "memories");
    let deed = match (&before, &after) {
        (Some(before), Some(after)) => {
            let (old, new) = (document::object(before), document::object(after));
            said.fields = differences(&old, &new, UNSAID);
            if before.text != after.text {
                said.fields.push("text changed".to_owned());
            }
            match (before.is_in_force(), after.is_in_force()) {
                (true, false) => Some(retired(after)),
                (false, true) => Some("in force again".to_owned()),
                _ => None,
            }
        }
        _ if file.before.is_none() => Some("added".to_owned()),
        _ if file.after.is_none() => Some("removed".to_owned()),
        _ => Some("changed".to_owned()),
    };
    said.deed = deed.or_else(|| said.fields.is_empty().then(|| "changed".to_owned()));
    said
}

fn retired(memory: &MemoryRecord) -> String {
    let because = memory.retired_because.as_ref().map(|because| format!(" ({})", cut(because))).unwrap_or_default();
    match memory.replaced_by {
        Some(other) => format!("replaced by {other}{because}"),
        None => format!("retired{because}"),
    }
}
