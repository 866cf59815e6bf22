//! How much an answer may cost the one who reads it.

use handoff_model::tokens::estimate;

use crate::Project;

/// The bytes every host accepts in one answer; some are left for what a door adds.
const MOST_BYTES: usize = 9_000;

/// What an answer may cost: tokens, by the setting, and bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    tokens: usize,
    bytes: usize,
}

impl Budget {
    /// The budget of an answer, with room for the warnings that go with it.
    pub(crate) fn of(project: &Project, warnings: &[String]) -> Budget {
        let tokens = project.config().settings.budget_tokens.count();
        let beside = warnings.join("\n- ");
        Budget { tokens: tokens.saturating_sub(estimate(&beside)), bytes: MOST_BYTES.saturating_sub(beside.len()) }
    }

    pub(crate) fn fits(self, text: &str) -> bool {
        text.len() <= self.bytes && estimate(text) <= self.tokens
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_bounds_hold() {
        let budget = Budget { tokens: 10, bytes: 20 };
        assert!(budget.fits("twenty bytes of text"));
        assert!(!budget.fits("twenty bytes and more"));
        assert!(!budget.fits("二十四個位元組組組"), "27 bytes");
        assert!(!Budget { tokens: 2, bytes: 100 }.fits("one two three four"));
    }
}
