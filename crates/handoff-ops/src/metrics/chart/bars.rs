//! Values as horizontal bars.

use crate::page::{Draw, Role, Text};

/// A name, a value, and what is said after the bar.
#[derive(Debug)]
pub(in crate::metrics) struct Bar {
    pub(in crate::metrics) name: String,
    pub(in crate::metrics) value: f64,
    pub(in crate::metrics) said: String,
    pub(in crate::metrics) role: Role,
}

/// Bars, the longest of which fills the room there is.
#[derive(Debug)]
pub(in crate::metrics) struct Bars(pub(in crate::metrics) Vec<Bar>);

/// The longest bar.
const LONGEST: usize = 60;

impl Draw for Bars {
    fn lines(&self, width: usize) -> Vec<Text> {
        const PARTS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
        let widest = |of: fn(&Bar) -> &str| self.0.iter().map(|bar| of(bar).chars().count()).max().unwrap_or(0);
        let (name, said) = (widest(|bar| &bar.name), widest(|bar| &bar.said));
        let room = width.saturating_sub(name + said + 3).clamp(1, LONGEST);
        let most = self.0.iter().map(|bar| bar.value).fold(0.0, f64::max);
        let line = |bar: &Bar| {
            let share = if most > 0.0 { (bar.value / most).clamp(0.0, 1.0) } else { 0.0 };
            let eighths = eighths(share, room);
            let mut drawn = "█".repeat(eighths / 8);
            drawn.extend(Some(PARTS[eighths % 8]).filter(|part| *part != ' '));
            let gap = room - drawn.chars().count();
            Text::of(Role::Dim, format!("{:name$}  ", bar.name))
                .and(bar.role, drawn)
                .plain(format!("{:gap$} {}", "", bar.said))
        };
        self.0.iter().map(line).collect()
    }
}

/// How many eighths of a cell a share of some cells fills.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a share lies between 0 and 1, and a chart has few cells"
)]
pub(super) fn eighths(share: f64, cells: usize) -> usize {
    ((share * (cells * 8) as f64).round() as usize).min(cells * 8)
}
