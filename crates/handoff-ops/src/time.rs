//! The time log: entries of work, their sums, and corrections. Entries are only ever added.

mod at;
mod capture;
mod correct;
mod list;
mod log;
mod range;
mod spent;
mod summary;
mod words;

pub use at::{NotATimeOfDay, TimeGiven};
pub use capture::{CaptureTime, CapturedTime, LeftOut, LoggedStretch};
pub use correct::CorrectTime;
pub use list::{ListTime, TimeEntry, TimeList};
pub use log::LogTime;
pub use spent::LoggedTime;
pub(crate) use spent::spent_on;
pub use summary::{SummarizeTime, TimeByDay, TimeByPerson, TimeByTask, TimeCell, TimeSummary};
pub(crate) use words::{hours, length};
