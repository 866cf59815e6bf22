//! Figures as pictures of characters, for people at a terminal.

mod bars;
mod burndown;
mod flow;
mod sparks;
#[cfg(test)]
mod tests;

pub(super) use bars::{Bar, Bars};
pub(super) use burndown::BurndownChart;
pub(super) use flow::{FlowChart, of as in_state};
pub(super) use sparks::Sparks;

use crate::page::{Role, Text};

/// Rows of a chart that has time from left to right.
const ROWS: usize = 10;

/// Narrower than this, a chart has no room for the scale beside it.
const SCALE_FROM: usize = 24;

/// So much must be left beside the scale: a date, and what stands between.
const LEAST_COLUMNS: usize = 12;

/// The most cells that one point is stretched over.
const WIDEST_POINT: usize = 4;

/// Which point of a series each column of a chart shows: the last of those that fall on it.
fn columns(points: usize, room: usize) -> Vec<usize> {
    let columns = room.min(points * WIDEST_POINT).max(1);
    (1..=columns).map(|column| (column * points).div_ceil(columns).max(1) - 1).filter(|_| points > 0).collect()
}

/// Cells of one row, each in its role, with neighbours of one role together.
fn row(before: &str, cells: impl IntoIterator<Item = (char, Role)>) -> Text {
    let mut text = Text::of(Role::Dim, before);
    let mut run = String::new();
    let mut role = Role::Plain;
    for (cell, its) in cells {
        if its != role {
            text = text.and(role, std::mem::take(&mut run));
            role = its;
        }
        run.push(cell);
    }
    text.and(role, run)
}

/// The scale beside a chart: a label at its top and one at its bottom, and what stands before the other rows.
fn scale(width: usize, top: &str) -> Vec<String> {
    let room = top.chars().count();
    if width < SCALE_FROM.max(room + LEAST_COLUMNS) {
        return vec![String::new(); ROWS];
    }
    (0..ROWS)
        .map(|line| match line {
            0 => format!("{top} ┤"),
            line if line + 1 == ROWS => format!("{:>room$} ┤", "0"),
            _ => format!("{:room$} │", ""),
        })
        .collect()
}

/// The first and the last day below a chart, as far as they fit.
fn days(indent: usize, columns: usize, first: &str, last: &str) -> Text {
    let gap = columns.saturating_sub(first.len() + last.len());
    let line = if gap > 0 && first != last {
        format!("{:indent$}{first}{:gap$}{last}", "", "")
    } else {
        format!("{:indent$}{first}", "")
    };
    Text::of(Role::Dim, line)
}

/// What the marks mean, on as many lines as it takes; a word that is wider than everything is left out.
fn legend(width: usize, marks: impl IntoIterator<Item = (String, Role)>) -> Vec<Text> {
    const GAP: &str = "  ";
    let mut lines: Vec<(usize, Text)> = Vec::new();
    for (mark, role) in marks {
        let wide = mark.chars().count();
        match lines.last_mut() {
            Some((used, line)) if *used + GAP.len() + wide <= width => {
                *used += GAP.len() + wide;
                *line = std::mem::take(line).plain(GAP).and(role, mark);
            }
            _ if wide <= width => lines.push((wide, Text::of(role, mark))),
            _ => {}
        }
    }
    lines.into_iter().map(|(_, line)| line).collect()
}
