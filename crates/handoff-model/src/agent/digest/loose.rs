//! What one stretch of work cannot settle: calls whose outcome comes later, and outcomes of calls that came earlier.

use serde::{Deserialize, Serialize};

use super::{bounds, is_default};
use crate::agent::Touch;
use crate::when::Moment;

const OPEN: usize = 32;
const ORPHANS: usize = 8;
const TOUCHES: usize = 50;

/// Ends that an earlier or a later stretch ties up; nobody else needs to look at them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LooseEnds {
    /// Calls that have not ended; commands are not among them
    #[serde(skip_serializing_if = "is_default")]
    open: Vec<Open>,
    /// The first outcomes whose call is not in this stretch
    #[serde(skip_serializing_if = "is_default")]
    pub(super) orphans: Vec<Outcome>,
    /// Prompts taken back that were asked before this stretch
    #[serde(skip_serializing_if = "is_default")]
    pub(super) withdrawn: u32,
    /// How the latest turn stands, if this stretch tells
    #[serde(skip_serializing_if = "is_default")]
    pub(super) turn: Option<Turn>,
    /// Whether the first turn that ended here was asked for earlier
    #[serde(skip_serializing_if = "is_default")]
    pub(super) ends_earlier_turn: bool,
    /// Whether the things to do are the whole list, not changes to an earlier one
    #[serde(skip_serializing_if = "is_default")]
    pub(super) is_whole_list: bool,
    /// Things to do whose status was not told here
    #[serde(skip_serializing_if = "is_default")]
    pub(super) unsaid: Vec<String>,
}

/// A call that has not ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Open {
    pub(super) id: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) name: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) touches: Vec<Touch>,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Outcome {
    pub(super) id: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) exit: Option<i32>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) is_failure: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) output: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) at: Option<Moment>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) line: Option<u64>,
}

/// How a turn stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Turn {
    Open,
    Ended,
    Stopped,
}

impl LooseEnds {
    /// What calls that came earlier said in the end.
    pub(super) fn outputs(&mut self) -> impl Iterator<Item = &mut String> {
        self.orphans.iter_mut().map(|outcome| &mut outcome.output)
    }

    pub(super) fn begin(&mut self, mut call: Open) {
        call.touches.truncate(TOUCHES);
        self.open.push(call);
        if self.open.len() > OPEN {
            self.open.remove(0);
        }
    }

    /// The latest call of that id, which is no longer open.
    pub(super) fn end(&mut self, id: &str) -> Option<Open> {
        let place = self.open.iter().rposition(|call| call.id == id)?;
        Some(self.open.remove(place))
    }

    /// Keeps an outcome for the stretch that has its call. Those come first in a stretch, so the first ones are kept.
    pub(super) fn keep(&mut self, outcome: Outcome) {
        if self.orphans.len() < ORPHANS {
            self.orphans.push(Outcome { output: bounds::both_ends(&outcome.output), ..outcome });
        }
    }

    /// Takes over the calls that are open after a later stretch.
    pub(super) fn go_on(&mut self, later: &mut LooseEnds) {
        for call in later.open.drain(..) {
            self.begin(call);
        }
    }
}
