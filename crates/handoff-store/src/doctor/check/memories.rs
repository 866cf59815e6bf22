//! Memories that have the id of another, or a kind that is not known.

use std::collections::HashMap;

use handoff_model::heal::{Finding, Kind};
use handoff_model::memory::{MemoryId, MemoryRecord, memory_problems};

use super::super::picture::Content;
use super::super::scene::Scene;
use super::Findings;
use super::files::record;
use crate::layout::MEMORY;
use crate::root::join;

/// The memories that can be read, with the paths and texts of their files.
fn readable<'s>(scene: &'s Scene<'_>) -> impl Iterator<Item = (String, &'s str, MemoryRecord)> {
    scene.picture.inside(MEMORY).into_iter().filter_map(|(name, entry)| {
        let path = join(MEMORY, name);
        let Content::Text(text) = &entry.content else { return None };
        record(&path)?;
        let memory = MemoryRecord::read(text).ok()?;
        Some((path, &**text, memory))
    })
}

/// Two files with one id, of which only the first is shown.
pub(super) fn same_id(scene: &Scene<'_>, findings: &mut Findings) {
    let mut seen: HashMap<MemoryId, String> = HashMap::new();
    for (path, _, memory) in readable(scene) {
        match seen.get(&memory.id) {
            None => {
                seen.insert(memory.id, path);
            }
            Some(first) => {
                let what = format!("has the id `{}` of {first} too, and is not shown", memory.id);
                let advice = "remove one of them, or give it an id of its own";
                findings.tell(Finding::new(Kind::SameId, path, what).advising(advice));
            }
        }
    }
}

/// Kinds that this version does not know.
pub(super) fn unknown_kind(scene: &Scene<'_>, findings: &mut Findings) {
    for (path, text, _) in readable(scene) {
        for problem in memory_problems(&path, text) {
            if problem.reason.contains("is not a kind of memory") {
                let finding = Finding::new(Kind::WrongValue, path.as_str(), problem.reason).at_line(problem.line);
                findings.tell(finding.advising("write a kind that is known, unless a newer handoff wrote this one"));
            }
        }
    }
}
