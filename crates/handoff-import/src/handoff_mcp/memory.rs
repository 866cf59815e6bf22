//! Memories of handoff-mcp: a file each. How often one was used is state of a machine and not taken.

use std::path::Path;

use handoff_model::MAX_FILE_BYTES;
use handoff_model::memory::{MemoryId, MemoryKind, MemoryRecord};
use handoff_model::origin::Origin;
use handoff_model::text::Prose;
use handoff_model::when::Moment;
use serde_json::{Map, Value};

use super::{count, object, temporary, told};
use crate::record::{digest, hexadecimal, text, texts, unknown};
use crate::source::{self, Kind};
use crate::time;
use crate::{System, Taken, Unreadable};

/// Fields with a place of their own here, and those that count uses.
const KNOWN: [&str; 11] = [
    "version",
    "id",
    "text",
    "kind",
    "tags",
    "keywords",
    "scope_paths",
    "created_at",
    "content_hash",
    "last_referenced_at",
    "hit_count",
];

pub(super) fn all(dir: &Path, now: Moment, taken: &mut Taken) -> Result<(), Unreadable> {
    let mut seen: Vec<MemoryId> = Vec::new();
    for entry in source::list(dir)? {
        let path = told(dir, &entry.path);
        if entry.kind == Kind::Directory && entry.name == "injected" {
            let files = count(&entry.path, 0);
            if files > 0 {
                taken.left_out.push(format!("{path}/ ({files} files): what its conversations were given"));
            }
            continue;
        }
        if temporary(&entry.name).is_some() {
            taken.left_out.push(format!("{path}: it was being written when something stopped it"));
            continue;
        }
        let Some(stem) = entry.name.strip_suffix(".json").filter(|_| entry.kind == Kind::File) else {
            taken.left_out.push(format!("{path}: it is no memory"));
            continue;
        };
        let read = object(&entry.path).and_then(|fields| one(stem, &fields, now, taken));
        match read {
            Err(why) => taken.left_out.push(format!("{path}: {why}")),
            Ok(memory) if seen.contains(&memory.id) => {
                taken.left_out.push(format!("{path}: its id stands twice"));
            }
            Ok(memory) => {
                seen.push(memory.id);
                taken.memories.push(memory);
            }
        }
    }
    Ok(())
}

/// The memory that a file holds, or why it holds none.
fn one(stem: &str, fields: &Map<String, Value>, now: Moment, taken: &mut Taken) -> Result<MemoryRecord, String> {
    let own = text(fields, "id").map(str::trim).filter(|id| !id.is_empty()).unwrap_or(stem).to_owned();
    let said = text(fields, "text").unwrap_or_default();
    let said: Prose = said.parse().map_err(|error| format!("{error}"))?;
    let word = text(fields, "kind").unwrap_or(MemoryKind::Lesson.word());
    let mut kept: Map<String, Value> = unknown(fields, &KNOWN).into_iter().collect();
    let kind = word.parse().unwrap_or_else(|_| {
        taken.changed.push(format!("`{word}` is no kind of memory: `{own}` is taken as a lesson"));
        kept.insert("kind".to_owned(), word.into());
        MemoryKind::Lesson
    });
    let random = digest(System::HandoffMcp, &[b"memory", own.as_bytes()]);
    let id = MemoryId::from_random(*random.first_chunk().expect("a digest is longer than an id"));
    let mut memory = MemoryRecord::new(id, kind, said.into(), now);
    memory.created_at = match text(fields, "created_at") {
        None => None,
        Some(written) => match time::read(written).filter(|at| !time::is_implausible(*at, now)) {
            Some(at) => Some(at.in_seconds()),
            None => {
                taken.changed.push(format!("`created_at` of memory `{own}` is no time and is kept as it is written"));
                kept.insert("created_at".to_owned(), written.into());
                None
            }
        },
    };
    memory.tags = texts(fields, "tags");
    memory.keywords = texts(fields, "keywords");
    memory.paths = texts(fields, "scope_paths");
    // What changes with each use there does not make it another record.
    kept.remove("updated_at");
    let lists = [memory.tags.join("\n"), memory.keywords.join("\n"), memory.paths.join("\n")];
    let parts = [own.as_str(), memory.text.as_str(), word].into_iter().chain(lists.iter().map(String::as_str));
    let parts: Vec<&[u8]> = parts.map(str::as_bytes).collect();
    let digest = Some(hexadecimal(&digest(System::HandoffMcp, &parts)));
    memory.origin = Some(Origin { system: System::HandoffMcp.word().to_owned(), id: own, digest, fields: kept });
    let written = memory.print();
    if written.len() > MAX_FILE_BYTES {
        return Err(format!("it would be {} bytes long; a record has at most {MAX_FILE_BYTES}", written.len()));
    }
    match MemoryRecord::read(&written) {
        Ok(read) if read == memory => Ok(memory),
        Ok(_) => Err("it cannot be written down as it is".to_owned()),
        Err(error) => Err(format!("it cannot be written down: {}", error.reason)),
    }
}
