//! The number of open items of each kind.

use handoff_model::session::ItemKind;
use handoff_model::session::open_items::OpenItems;
use schemars::JsonSchema;
use serde::Serialize;

/// Open items by kind, cautions aside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OpenCounts {
    pub next: usize,
    pub blockers: usize,
    pub checklist: usize,
    pub questions: usize,
}

impl OpenCounts {
    pub(crate) fn of(items: &OpenItems<'_>) -> OpenCounts {
        let mut counts = OpenCounts::default();
        for item in items.open() {
            match item.kind {
                ItemKind::Next => counts.next += 1,
                ItemKind::Blocker => counts.blockers += 1,
                ItemKind::Checklist => counts.checklist += 1,
                ItemKind::Question => counts.questions += 1,
                ItemKind::Caution => {}
            }
        }
        counts
    }

    /// The kinds that have open items, such as `2 next steps, 1 blocker`; `None` where nothing is open.
    pub(crate) fn words(self) -> Option<String> {
        let kinds = [
            (self.next, ItemKind::Next),
            (self.blockers, ItemKind::Blocker),
            (self.checklist, ItemKind::Checklist),
            (self.questions, ItemKind::Question),
        ];
        let counted = kinds.into_iter().filter(|(count, _)| *count > 0).map(|(count, kind)| match count {
            1 => format!("1 {}", kind.noun()),
            count => format!("{count} {}s", kind.noun()),
        });
        let words = counted.collect::<Vec<_>>().join(", ");
        (!words.is_empty()).then_some(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_kinds_with_open_items_are_named() {
        assert_eq!(OpenCounts::default().words(), None);
        let counts = OpenCounts { next: 2, blockers: 1, checklist: 0, questions: 3 };
        assert_eq!(counts.words().as_deref(), Some("2 next steps, 1 blocker, 3 questions"));
    }
}
