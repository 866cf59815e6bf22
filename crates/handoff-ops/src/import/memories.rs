//! Memories that come in: planned and carried out like the other records.

use std::sync::Arc;

use handoff_model::memory::MemoryRecord;
use handoff_store::{FoundMemory, Store};

use super::OnConflict;
use super::plan::{Plan, differs};
use super::report::{PlannedRecord, Step};
use crate::{OpError, Project};

pub(crate) struct PlannedMemory {
    /// Its place among those that come in
    place: usize,
    pub(crate) record: PlannedRecord,
    present: Option<Arc<FoundMemory>>,
}

/// Compares the memories that come in with those that are here.
pub(super) fn plan(
    store: Option<&Store>,
    memories: &[MemoryRecord],
    on_conflict: OnConflict,
) -> Result<Vec<PlannedMemory>, OpError> {
    let here = match store.filter(|_| !memories.is_empty()) {
        Some(store) => store.memories()?,
        None => handoff_store::Memories::default(),
    };
    let planned = memories.iter().enumerate().map(|(place, memory)| {
        let present = here.list.iter().find(|found| found.record.id == memory.id).cloned();
        let step = match &present {
            None => Step::New,
            Some(found) if is_same(&found.record, memory, on_conflict) => Step::Same,
            Some(_) => differs(on_conflict),
        };
        let record = PlannedRecord {
            kind: "memory".to_owned(),
            id: memory.id.to_string(),
            title: memory.summary(),
            step,
            was: memory.origin.as_ref().map(|origin| origin.id.clone()),
        };
        PlannedMemory { place, record, present }
    });
    Ok(planned.collect())
}

/// Reports whether the memory that is here was taken from the same record, whatever was changed about it here since.
fn is_same(here: &MemoryRecord, comes: &MemoryRecord, on_conflict: OnConflict) -> bool {
    if here == comes {
        return true;
    }
    let origins = here.origin.as_ref().zip(comes.origin.as_ref());
    on_conflict != OnConflict::Replace && origins.is_some_and(|(here, there)| here.is_same_as(there))
}

/// Stages what the plan says.
pub(super) fn carry_out(project: &mut Project, memories: &[MemoryRecord], plan: &mut Plan) -> Result<(), OpError> {
    for planned in &mut plan.memories {
        let memory = memories[planned.place].clone();
        match (planned.record.step, &planned.present) {
            (Step::New, _) => {
                project.store_mut().create_memory(memory)?;
            }
            (Step::Replaced, Some(found)) => {
                project.store_mut().save_memory(found, memory)?;
            }
            (Step::Merged, Some(found)) => {
                let mut merged = found.record.clone();
                merged.absorb(&memory);
                if merged.text != memory.text {
                    plan.warnings.push(format!("memory `{}` has another text here, which was kept", memory.id));
                }
                if merged == found.record {
                    planned.record.step = Step::Same;
                }
                project.store_mut().save_memory(found, merged)?;
            }
            _ => {}
        }
    }
    Ok(())
}
