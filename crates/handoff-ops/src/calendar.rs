//! The calendar: which days are worked, and for how long.

mod settings;
mod show;
mod update;

pub use settings::CalendarSettings;
pub use show::{CalendarDay, CalendarView, CalendarWeek, ShowCalendar};
pub use update::UpdateCalendar;
