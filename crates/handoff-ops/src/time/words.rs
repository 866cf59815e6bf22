//! Lengths of time in words and figures.

/// Minutes as hours, to two digits.
#[expect(clippy::cast_precision_loss, reason = "a sum of minutes that a person worked")]
pub(crate) fn hours(minutes: i64) -> f64 {
    (minutes as f64 / 60.0 * 100.0).round() / 100.0
}

/// A length as people say it: `40 s`, `45 min`, `1 h 30 min`.
pub(crate) fn length(seconds: i64) -> String {
    let sign = if seconds < 0 { "-" } else { "" };
    let seconds = seconds.unsigned_abs();
    if seconds < 60 {
        return if seconds == 0 { "0 min".to_owned() } else { format!("{sign}{seconds} s") };
    }
    let minutes = seconds / 60;
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{sign}{minutes} min"),
        (hours, 0) => format!("{sign}{hours} h"),
        (hours, minutes) => format!("{sign}{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_said_as_people_say_them() {
        let said = [0, 40, 60, 2_700, 3_600, 5_459, -1_800].map(length);
        assert_eq!(said, ["0 min", "40 s", "1 min", "45 min", "1 h", "1 h 30 min", "-30 min"]);
    }

    #[test]
    fn minutes_are_shown_as_hours() {
        assert_eq!((hours(90), hours(-20), hours(100)), (1.5, -0.33, 1.67));
    }
}
