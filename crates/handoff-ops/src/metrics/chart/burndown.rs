//! The burndown: work left as bars, the ideal line as dots, the scope as a dashed line, its changes below.

use handoff_model::metrics::Burndown;
use handoff_model::when::Day;

use super::bars::eighths;
use super::{ROWS, columns, days, legend, row, scale};
use crate::metrics::words;
use crate::page::{Draw, Role, Text};

/// The points of a burndown, those to come included.
#[derive(Debug)]
pub(in crate::metrics) struct BurndownChart {
    points: Vec<Point>,
}

#[derive(Clone, Copy, Debug)]
struct Point {
    day: Day,
    /// None on a day to come
    left: Option<i64>,
    scope: Option<i64>,
    scope_change: i64,
    ideal: Option<u64>,
}

impl BurndownChart {
    pub(in crate::metrics) fn of(burndown: &Burndown) -> BurndownChart {
        let past = burndown.days.iter().map(|day| Point {
            day: day.day,
            left: Some(day.remaining),
            scope: Some(day.scope),
            scope_change: day.scope_change,
            ideal: day.ideal,
        });
        let ahead = burndown.ahead.iter().map(|ahead| Point {
            day: ahead.day,
            left: None,
            scope: None,
            scope_change: 0,
            ideal: Some(ahead.ideal),
        });
        BurndownChart { points: past.chain(ahead).collect() }
    }
}

impl Draw for BurndownChart {
    fn lines(&self, width: usize) -> Vec<Text> {
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else { return Vec::new() };
        let most = self.points.iter().filter_map(|point| point.left.max(point.scope)).max().unwrap_or(0).max(1);
        let scale = scale(width, &words::hours(most));
        let indent = scale[0].chars().count();
        let shown = columns(self.points.len(), width.saturating_sub(indent).max(1));
        let heights: Vec<Heights> = shown.iter().map(|&index| Heights::of(&self.points[index], most)).collect();
        let mut lines: Vec<Text> = (0..ROWS)
            .map(|line| row(&scale[line], heights.iter().map(|heights| heights.cell(ROWS - 1 - line))))
            .collect();
        let mut from = 0;
        let changes: Vec<(char, Role)> = shown
            .iter()
            .map(|&index| {
                let change: i64 = self.points[from.min(index + 1)..=index].iter().map(|point| point.scope_change).sum();
                from = index + 1;
                match change {
                    1.. => ('▲', Role::Warn),
                    0 => (' ', Role::Plain),
                    _ => ('▼', Role::Good),
                }
            })
            .collect();
        if changes.iter().any(|(mark, _)| *mark != ' ') {
            lines.push(row(&" ".repeat(indent), changes));
        }
        lines.push(days(indent, shown.len(), &first.day.to_string(), &last.day.to_string()));
        let marks = ["█ left", "• ideal", "╌ scope", "▲▼ scope changes"];
        lines.extend(legend(width, marks.map(|mark| (mark.to_owned(), Role::Dim))));
        lines
    }
}

/// How high everything is in one column, in eighths of a cell.
struct Heights {
    left: Option<usize>,
    scope: Option<usize>,
    ideal: Option<usize>,
}

impl Heights {
    #[expect(clippy::cast_precision_loss, reason = "it is drawn in a few cells")]
    fn of(point: &Point, most: i64) -> Heights {
        let height = |minutes: i64| eighths((minutes as f64 / most as f64).clamp(0.0, 1.0), ROWS);
        Heights {
            left: point.left.map(height),
            scope: point.scope.map(height),
            ideal: point.ideal.map(|ideal| height(i64::try_from(ideal).unwrap_or(i64::MAX))),
        }
    }

    fn cell(&self, level: usize) -> (char, Role) {
        const PARTS: [char; 8] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇'];
        let is_at = |height: Option<usize>| height.is_some_and(|height| (height.max(1) - 1) / 8 == level);
        if is_at(self.ideal) {
            return ('•', Role::Strong);
        }
        match self.left.map_or(0, |left| left.saturating_sub(level * 8)) {
            0 if is_at(self.scope) => ('╌', Role::Dim),
            0 => (' ', Role::Plain),
            part @ 1..8 => (PARTS[part], Role::StatusInProgress),
            _ => ('█', Role::StatusInProgress),
        }
    }
}
