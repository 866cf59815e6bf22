//! Memories, which have a text behind their fields.

use super::{Merged, RecordKind, Sides, Unmergeable, merge_tables};
use crate::memory::{MemoryRecord, MemorySections};
use crate::when::Moment;

/// Merges the fields one by one. The text is that of the side which changed it; where both did, nobody but a person can
/// tell which holds.
pub(super) fn merge(sides: Sides<'_>, at: Moment) -> Result<Merged, Unmergeable> {
    let (ours, theirs) = (MemorySections::of(sides.ours)?, MemorySections::of(sides.theirs)?);
    let base = sides.base.and_then(|base| MemorySections::of(base).ok());
    let same = |one: &str, other: &str| one.trim() == other.trim();
    let takes_theirs = match base {
        _ if same(ours.body(), theirs.body()) => false,
        Some(base) if same(base.body(), theirs.body()) => false,
        Some(base) if same(base.body(), ours.body()) => true,
        _ => return Err(Unmergeable::DifferentTexts),
    };
    let fields = Sides { base: base.map(|base| base.fields()), ours: ours.fields(), theirs: theirs.fields() };
    let merged = merge_tables(RecordKind::Memory, fields, at)?;
    let around = if takes_theirs { theirs } else { ours };
    let text = around.with_fields(&merged.text);
    MemoryRecord::read(&text)?;
    Ok(Merged { text, ..merged })
}
