//! How values are spread.

use schemars::JsonSchema;
use serde::Serialize;

/// The middle and the ends of some values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Spread {
    pub samples: usize,
    pub least: f64,
    pub lower_quartile: f64,
    pub median: f64,
    pub upper_quartile: f64,
    pub most: f64,
    pub mean: f64,
    /// Standard deviation of the sample
    pub deviation: f64,
}

impl Spread {
    /// The spread of values; `None` of none. Quartiles lie between the two nearest values, in proportion.
    pub(super) fn of(mut values: Vec<f64>) -> Option<Spread> {
        values.sort_by(f64::total_cmp);
        let (&least, &most) = (values.first()?, values.last()?);
        let count = in_float(values.len());
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = if values.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 };
        let at = |quarters: usize| {
            let place = quarters * (values.len() - 1);
            let (low, part) = (place / 4, in_float(place % 4) / 4.0);
            let high = values[(low + 1).min(values.len() - 1)];
            values[low] + (high - values[low]) * part
        };
        Some(Spread {
            samples: values.len(),
            least,
            lower_quartile: at(1),
            median: at(2),
            upper_quartile: at(3),
            most,
            mean,
            deviation,
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "no count is so large")]
pub(super) fn in_float(count: usize) -> f64 {
    count as f64
}

/// A share in per cent, to one decimal.
pub(super) fn per_cent(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { (part / whole * 1000.0).round() / 10.0 }
}
