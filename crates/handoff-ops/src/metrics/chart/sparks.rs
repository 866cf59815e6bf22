//! Series as rows of small bars.

use crate::page::{Draw, Role, Text, sparkline};

/// Some series, each with a name.
#[derive(Debug)]
pub(in crate::metrics) struct Sparks(pub(in crate::metrics) Vec<(&'static str, Vec<f64>)>);

/// The most bars in a row.
const MOST: usize = 60;

impl Draw for Sparks {
    fn lines(&self, width: usize) -> Vec<Text> {
        let widest = self.0.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        let room = width.saturating_sub(widest + 2).clamp(1, MOST);
        let line = |(name, values): &(&str, Vec<f64>)| {
            let shown: Vec<f64> = if values.len() <= room {
                values.clone()
            } else {
                super::columns(values.len(), room).into_iter().map(|index| values[index]).collect()
            };
            Text::of(Role::Dim, format!("{name:widest$}  ")).and(Role::StatusInProgress, sparkline(&shown))
        };
        self.0.iter().filter(|(_, values)| !values.is_empty()).map(line).collect()
    }
}
