//! Changes of a memory.

use super::{MemoryId, MemoryKind, MemoryRecord};
use crate::change::Change;
use crate::session::Confidence;
use crate::when::Moment;

/// Fields that are to change; what is absent stays.
#[derive(Clone, Debug, Default)]
pub struct MemoryEdit {
    pub text: Option<String>,
    pub kind: Option<MemoryKind>,
    pub title: Change<String>,
    pub tags: Option<Vec<String>>,
    pub keywords: Option<Vec<String>>,
    pub paths: Option<Vec<String>>,
    pub branches: Option<Vec<String>>,
    pub confidence: Change<Confidence>,
}

/// Reasons why a memory cannot be retired.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RetireRefusal {
    #[error("memory `{0}` is retired already")]
    Already(MemoryId),
    #[error("memory `{0}` cannot replace itself")]
    ByItself(MemoryId),
}

impl MemoryRecord {
    /// Applies a change.
    pub fn edit(&mut self, edit: MemoryEdit) {
        let MemoryEdit { text, kind, title, tags, keywords, paths, branches, confidence } = edit;
        self.text = text.unwrap_or_else(|| std::mem::take(&mut self.text));
        self.kind = kind.unwrap_or(self.kind);
        title.apply_to(&mut self.title);
        confidence.apply_to(&mut self.confidence);
        for (list, new) in [
            (&mut self.tags, tags),
            (&mut self.keywords, keywords),
            (&mut self.paths, paths),
            (&mut self.branches, branches),
        ] {
            if let Some(new) = new {
                *list = without_repetitions(new);
            }
        }
    }

    /// Takes it out of force. It stays on disk, with the reason.
    pub fn retire(
        &mut self,
        at: Moment,
        because: Option<String>,
        replaced_by: Option<MemoryId>,
    ) -> Result<(), RetireRefusal> {
        if replaced_by == Some(self.id) {
            return Err(RetireRefusal::ByItself(self.id));
        }
        if !self.is_in_force() {
            return Err(RetireRefusal::Already(self.id));
        }
        (self.retired_at, self.retired_because, self.replaced_by) = (Some(at), because, replaced_by);
        Ok(())
    }

    /// Takes over the tags and keywords of a memory that this one takes the place of.
    pub fn absorb(&mut self, other: &MemoryRecord) {
        for (list, more) in [(&mut self.tags, &other.tags), (&mut self.keywords, &other.keywords)] {
            extend(list, more);
        }
    }

    /// Applies wherever either of the two did.
    pub fn widen(&mut self, other: &MemoryRecord) {
        for (scope, more) in [(&mut self.paths, &other.paths), (&mut self.branches, &other.branches)] {
            // One without a limit applies everywhere.
            if scope.is_empty() || more.is_empty() {
                scope.clear();
            } else {
                extend(scope, more);
            }
        }
    }
}

fn extend(list: &mut Vec<String>, more: &[String]) {
    list.extend(more.iter().cloned());
    *list = without_repetitions(std::mem::take(list));
}

fn without_repetitions(list: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::with_capacity(list.len());
    for item in list {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}
