//! Pictures made of characters.

use std::fmt;
use std::sync::Arc;

use super::Text;

/// Something that can be drawn on lines of a given width.
pub trait Draw: fmt::Debug + Send + Sync + 'static {
    /// The lines, none wider than `width` cells where that is possible.
    fn lines(&self, width: usize) -> Vec<Text>;
}

/// A picture in a page.
#[derive(Debug, Clone)]
pub struct Chart(Arc<dyn Draw>);

impl Chart {
    pub(super) fn new(chart: impl Draw) -> Chart {
        Chart(Arc::new(chart))
    }

    pub fn lines(&self, width: usize) -> Vec<Text> {
        self.0.lines(width)
    }
}

/// Values as a row of bars, the largest of which fills its cell; a value of 0 is the lowest bar.
pub fn sparkline(values: &[f64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = values.iter().copied().fold(0.0, f64::max);
    let bar = |value: &f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between 0 and 7")]
        let step = if most > 0.0 { (value.max(0.0) / most * 7.0).round() as usize } else { 0 };
        BARS[step.min(7)]
    };
    values.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_value_fills_its_cell() {
        assert_eq!(sparkline(&[0.0, 1.0, 2.0, 7.0]), "▁▂▃█");
        assert_eq!(sparkline(&[0.0, 0.0]), "▁▁");
        assert_eq!(sparkline(&[-3.0, f64::NAN, 5.0]), "▁▁█");
        assert_eq!(sparkline(&[]), "");
    }
}
