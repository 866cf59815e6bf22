//! What the records say about how work goes.

mod accuracy;
mod burndown;
mod chart;
mod figures;
mod flow;
mod handoffs;
mod page;
mod sessions;
mod show;
mod velocity;
mod week;
mod words;

pub(crate) use figures::{Asked, Figures};

pub use accuracy::{AccuracyReport, ShowAccuracy};
pub use burndown::{BurndownReport, ShowBurndown};
pub use flow::{FlowReport, ShowFlow};
pub use handoffs::{FormFinding, HandoffMetrics, MeasureHandoffs, MeasuredHandoff, Used};
pub use sessions::{SessionTimeReport, ShowSessionTime};
pub use show::{BudgetHours, MilestoneHours, OverdueTask, ProjectMetrics, SessionTotals, ShowMetrics};
pub use velocity::{ShowVelocity, VelocityReport};
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
