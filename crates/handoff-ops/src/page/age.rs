//! Moments as people read them: local time, and how long ago.

use handoff_model::when::Moment;
use jiff::tz::TimeZone;

use crate::Environment;
use crate::project::present_time;

/// The moment at which a person reads.
#[derive(Debug, Clone, Copy)]
pub struct ReadingTime(Moment);

impl ReadingTime {
    /// The present time.
    pub fn of(env: &Environment) -> ReadingTime {
        ReadingTime(present_time(env))
    }

    /// A moment in RFC 3339 form as local time with its age, such as `2026-11-15 13:10 (3 h ago)`. Any other text is
    /// returned as it is.
    pub fn describe(self, text: &str) -> String {
        self.describe_in(text, TimeZone::system())
    }

    fn describe_in(self, text: &str, zone: TimeZone) -> String {
        let Ok(at) = text.parse::<Moment>() else { return text.to_owned() };
        let local = at.timestamp().to_zoned(zone).strftime("%Y-%m-%d %H:%M");
        let seconds = self.0.timestamp().duration_since(at.timestamp()).as_secs();
        format!("{local} ({})", age(seconds))
    }
}

fn age(seconds: i64) -> String {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    let (count, unit) = match seconds {
        // Another machine's clock may be ahead a little.
        seconds if seconds < -MINUTE => return "in the future".to_owned(),
        seconds if seconds < MINUTE => return "just now".to_owned(),
        seconds if seconds < HOUR => (seconds / MINUTE, "min"),
        seconds if seconds < 2 * DAY => (seconds / HOUR, "h"),
        seconds if seconds < 60 * DAY => (seconds / DAY, "days"),
        seconds => (seconds / (30 * DAY), "months"),
    };
    format!("{count} {unit} ago")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(at: &str, zone: &str) -> String {
        let now = "2026-11-15T16:40:00Z".parse().unwrap();
        ReadingTime(now).describe_in(at, TimeZone::get(zone).unwrap())
    }

    #[test]
    fn a_moment_is_shown_in_local_time_with_its_age() {
        assert_eq!(described("2026-11-15T13:10:00Z", "Europe/Berlin"), "2026-11-15 14:10 (3 h ago)");
        assert_eq!(described("2026-11-15T16:39:30Z", "UTC"), "2026-11-15 16:39 (just now)");
        assert_eq!(described("2026-11-15T16:00:00Z", "UTC"), "2026-11-15 16:00 (40 min ago)");
        assert_eq!(described("2026-11-12T16:00:00Z", "UTC"), "2026-11-12 16:00 (3 days ago)");
        assert_eq!(described("2026-06-12T16:00:00Z", "UTC"), "2026-06-12 16:00 (5 months ago)");
        assert_eq!(described("2026-11-16T16:00:00Z", "UTC"), "2026-11-16 16:00 (in the future)");
        assert_eq!(described("yesterday", "UTC"), "yesterday");
    }
}
