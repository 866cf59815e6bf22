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
