//! What the records say about how work goes.

mod handoffs;
mod page;
mod week;

pub use handoffs::{FormFinding, HandoffMetrics, MeasureHandoffs, MeasuredHandoff, Used};
pub use week::{PerThousand, Week};

use handoff_model::agent::Usefulness;
use handoff_model::id::SessionId;
use handoff_model::when::Moment;
use serde::{Deserialize, Serialize};

/// What one conversation made of the handoff it was given, as it stands in the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Noted {
    pub(crate) at: Moment,
    /// Full name of the handoff
    pub(crate) handoff: String,
    /// What the conversation is known by
    pub(crate) agent: String,
    /// The session it left
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) left: Option<SessionId>,
    pub(crate) used: Usefulness,
}
