//! Times as agents write them.

use handoff_model::when::Moment;
use jiff::Timestamp;

/// Milliseconds since 1970, where that is a time at all.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a fraction of a millisecond is of no use; what is out of range is no time"
)]
pub(crate) fn millis(value: Option<f64>) -> Option<Moment> {
    let value = value.filter(|value| value.is_finite() && *value > 0.0)?;
    Timestamp::from_millisecond(value as i64).ok().map(Moment::precise)
}

/// A time in text, or in milliseconds.
pub(crate) fn moment(value: &serde_json::Value) -> Option<Moment> {
    value.as_str().map_or_else(|| millis(value.as_f64()), |text| text.parse().ok())
}

/// Milliseconds as whole seconds; what is out of range ends at the bound.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "that is how such numbers are meant to end"
)]
pub(crate) fn whole_seconds(millis: f64) -> u64 {
    (millis / 1_000.0).round() as u64
}
