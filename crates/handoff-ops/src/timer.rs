//! The timer of a person: one for each of them in each project. The machine is `handoff_model::timer`; these are its
//! commands, and the one place that keeps what comes of them.

mod activity;
pub(crate) mod alive;
mod command;
mod decide;
mod discard;
mod pause;
mod resume;
mod start;
mod status;
mod stop;
mod switch;
mod view;

pub use activity::{Activity, ReportActivity};
pub use decide::DecideIdle;
pub use discard::DiscardTimer;
pub use pause::PauseTimer;
pub use resume::ResumeTimer;
pub use start::StartTimer;
pub use status::{Authority, ShowTimers, TimerState, TimerView, Timers};
pub(crate) use status::{running, still_running};
pub use stop::StopTimer;
pub use switch::SwitchTimer;
pub use view::{LoggedStretch, TimerChange};
