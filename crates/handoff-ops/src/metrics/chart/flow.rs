//! The cumulative flow: how many tasks are in each state, one upon the other.

use handoff_model::metrics::FlowDay;
use handoff_model::task::Status;

use super::{ROWS, columns, days, legend, row, scale};
use crate::page::{Draw, Role, Text};
use crate::task::status_role;

/// States from the bottom to the top, each with the mark it is drawn with.
const LAYERS: [(Status, char); 6] = [
    (Status::Done, '█'),
    (Status::Review, '▓'),
    (Status::InProgress, '▒'),
    (Status::Blocked, 'x'),
    (Status::Todo, '░'),
    (Status::Skipped, '·'),
];

/// The days of a flow.
#[derive(Debug)]
pub(in crate::metrics) struct FlowChart(pub(in crate::metrics) Vec<FlowDay>);

/// How many are in a state on a day.
pub(in crate::metrics) fn of(day: &FlowDay, status: Status) -> u64 {
    let FlowDay { day: _, todo, in_progress, review, done, blocked, skipped } = *day;
    let count = match status {
        Status::Todo => todo,
        Status::InProgress => in_progress,
        Status::Review => review,
        Status::Done => done,
        Status::Blocked => blocked,
        Status::Skipped => skipped,
    };
    u64::try_from(count).unwrap_or(0)
}

impl Draw for FlowChart {
    fn lines(&self, width: usize) -> Vec<Text> {
        let (Some(first), Some(last)) = (self.0.first(), self.0.last()) else { return Vec::new() };
        let total = |day: &FlowDay| LAYERS.iter().map(|(status, _)| of(day, *status)).sum::<u64>();
        let most = self.0.iter().map(total).max().unwrap_or(0).max(1);
        let scale = scale(width, &most.to_string());
        let indent = scale[0].chars().count();
        let shown = columns(self.0.len(), width.saturating_sub(indent).max(1));
        let mut lines: Vec<Text> = (0..ROWS)
            .map(|line| row(&scale[line], shown.iter().map(|&index| cell(&self.0[index], ROWS - 1 - line, most))))
            .collect();
        lines.push(days(indent, shown.len(), &first.day.to_string(), &last.day.to_string()));
        let shown = LAYERS.iter().filter(|(status, _)| self.0.iter().any(|day| of(day, *status) > 0));
        lines.extend(legend(width, shown.map(|(status, mark)| (format!("{mark} {status}"), status_role(*status)))));
        lines
    }
}

/// The state in the middle of a cell.
fn cell(day: &FlowDay, level: usize, most: u64) -> (char, Role) {
    // In halves of a row's share, so that nothing is rounded.
    let middle = (2 * level as u128 + 1) * u128::from(most);
    let mut up_to = 0_u128;
    for (status, mark) in LAYERS {
        up_to += u128::from(of(day, status)) * 2 * ROWS as u128;
        if middle < up_to {
            return (mark, status_role(status));
        }
    }
    (' ', Role::Plain)
}
