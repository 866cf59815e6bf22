//! Figures in words.

use handoff_model::metrics::{Figure, Measured, Spread};

/// Minutes as hours, to a hundredth, for JSON and spreadsheets.
#[expect(clippy::cast_precision_loss, reason = "nobody works so long")]
pub(super) fn in_hours(minutes: i64) -> f64 {
    (minutes as f64 * 100.0 / 60.0).round() / 100.0
}

pub(super) fn hours_of(minutes: u64) -> f64 {
    in_hours(i64::try_from(minutes).unwrap_or(i64::MAX))
}

/// Minutes as people say them: `45 min`, `6.5 h`, `1200 h`.
pub(super) fn hours(minutes: i64) -> String {
    match minutes.unsigned_abs() {
        1..60 => format!("{minutes} min"),
        // More than a thousand years of work is no number to read.
        600_000_000.. => format!("{}{} h", if minutes < 0 { "-" } else { "" }, large(minutes.unsigned_abs() / 60)),
        _ => format!("{} h", tenths(in_hours(minutes))),
    }
}

pub(super) fn hours_u(minutes: u64) -> String {
    hours(i64::try_from(minutes).unwrap_or(i64::MAX))
}

/// Minutes of the calendar as people say them: hours below a day, else days.
pub(super) fn calendar_time(minutes: f64) -> String {
    const DAY: f64 = 1_440.0;
    if minutes < DAY {
        return format!("{} h", tenths(minutes / 60.0));
    }
    let days = tenths(minutes / DAY);
    if days == "1" { "1 day".to_owned() } else { format!("{days} days") }
}

/// To a tenth, without an idle zero; large numbers are whole.
pub(super) fn tenths(value: f64) -> String {
    let rounded = if value.abs() >= 1_000.0 { value.round() } else { (value * 10.0).round() / 10.0 };
    // There is no minus nothing.
    format!("{}", rounded + 0.0)
}

/// A count as people say it: `950`, `12.3k`, `4.5M`.
#[expect(clippy::cast_precision_loss, reason = "it is rounded anyway")]
pub(super) fn large(count: u64) -> String {
    match count {
        0..10_000 => count.to_string(),
        10_000..1_000_000 => format!("{}k", tenths(count as f64 / 1e3)),
        1_000_000..1_000_000_000 => format!("{}M", tenths(count as f64 / 1e6)),
        _ => format!("{}G", tenths(count as f64 / 1e9)),
    }
}

/// A figure in words, or that there is too little for it.
pub(super) fn said<T>(figure: &Figure<T>, words: impl FnOnce(&T) -> String) -> String {
    match &figure.value {
        Measured::Known(value) => words(value),
        Measured::NotEnough { have, need } => not_enough(*have, *need),
    }
}

pub(super) fn not_enough(have: usize, need: usize) -> String {
    format!("not enough data ({have} of {need})")
}

/// The middle of values, how many they are, and between which they lie.
pub(super) fn spread(spread: &Spread, word: impl Fn(f64) -> String) -> String {
    let Spread { samples, least, median, most, .. } = spread;
    format!("{} (median of {samples}; {} to {})", word(*median), word(*least), word(*most))
}

/// `1 task`, `2 tasks`.
pub(super) fn count(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_counts_are_said_briefly() {
        for (minutes, said) in
            [(0, "0 h"), (45, "45 min"), (-30, "-30 min"), (90, "1.5 h"), (95, "1.6 h"), (72_000, "1200 h")]
        {
            assert_eq!(hours(minutes), said);
        }
        assert_eq!([90.0, 1_440.0, 5_000.0].map(calendar_time), ["1.5 h", "1 day", "3.5 days"]);
        assert_eq!([950, 12_345, 4_500_000, 7_000_000_000].map(large), ["950", "12.3k", "4.5M", "7G"]);
        assert_eq!((tenths(-0.01), in_hours(95)), ("0".to_owned(), 1.58));
        assert_eq!([1, 2].map(|tasks| count(tasks, "task")), ["1 task", "2 tasks"]);
    }
}
