//! The plan as a picture: a row for each task, a cell for each day, or for several where there is no room.

use handoff_model::when::Day;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::page::{Draw, Role, Text};
use crate::{Breaks, visible};

/// A picture of days.
#[derive(Debug)]
pub(super) struct Gantt {
    pub(super) first: Day,
    /// A day that a week begins with, not after the first one
    pub(super) week: Day,
    pub(super) last: Day,
    pub(super) today: Day,
    pub(super) bars: Vec<Bar>,
    pub(super) marks: Vec<Mark>,
}

/// A task.
#[derive(Debug)]
pub(super) struct Bar {
    pub(super) number: String,
    pub(super) title: String,
    pub(super) who: String,
    pub(super) start: Day,
    pub(super) end: Day,
    /// The days on which it is worked on
    pub(super) worked: Vec<Day>,
    pub(super) kind: BarKind,
}

/// A milestone.
#[derive(Debug)]
pub(super) struct Mark {
    pub(super) name: String,
    pub(super) date: Day,
    pub(super) is_late: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BarKind {
    Critical,
    Slack,
    Pinned,
}

impl BarKind {
    const fn look(self) -> (char, Role) {
        match self {
            BarKind::Critical => ('█', Role::Warn),
            BarKind::Slack => ('▒', Role::StatusInProgress),
            BarKind::Pinned => ('▓', Role::StatusReview),
        }
    }
}

const LEGEND: &str = "█ critical  ▒ can slip  ▓ pinned  · in between  ▼ today  ◆ milestone";
/// A day is never wider than this.
const WIDEST_DAY: usize = 3;
/// The least and the most that titles and names take.
const TITLE: (usize, usize) = (8, 32);
const WHO: usize = 10;
/// The least room for the days, however narrow the place.
const LEAST_ROOM: usize = 12;

/// How days become cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scale {
    CellsPerDay(usize),
    DaysPerCell(usize),
}

impl Scale {
    fn of(days: usize, room: usize) -> Scale {
        match room / days.max(1) {
            0 => Scale::DaysPerCell(days.div_ceil(room).next_multiple_of(7)),
            cells => Scale::CellsPerDay(cells.min(WIDEST_DAY)),
        }
    }

    fn column(self, day: usize) -> usize {
        match self {
            Scale::CellsPerDay(cells) => day * cells,
            Scale::DaysPerCell(days) => day / days,
        }
    }

    fn cells(self) -> usize {
        if let Scale::CellsPerDay(cells) = self { cells } else { 1 }
    }
}

impl Draw for Gantt {
    fn lines(&self, width: usize) -> Vec<Text> {
        let widest = |text: &dyn Fn(&Bar) -> &str, most: usize| {
            self.bars.iter().map(|bar| shown_width(text(bar))).max().unwrap_or(0).min(most)
        };
        let number = widest(&|bar| &bar.number, usize::MAX);
        let who = widest(&|bar| &bar.who, WHO);
        let beside = number + 1 + who + usize::from(who > 0) + 1;
        let title = widest(&|bar| &bar.title, TITLE.1.min((width / 3).max(TITLE.0)));
        let label = beside + title;
        let days = usize::try_from(self.first.days_until(self.last) + 1).unwrap_or(1);
        let scale = Scale::of(days, width.saturating_sub(label).max(LEAST_ROOM));
        let columns = scale.column(days - 1) + scale.cells();
        let sheet = Cells { first: self.first, week: self.week, days, columns, scale };

        let indent = " ".repeat(label);
        let mut lines = vec![Text::from(indent.as_str()).and(Role::Dim, sheet.dates())];
        if let Some(today) = sheet.column(self.today) {
            lines.push(Text::from(format!("{indent}{}", " ".repeat(today))).and(Role::Good, "▼"));
        }
        for bar in &self.bars {
            let mut line =
                Text::of(Role::Number, padded(&bar.number, number)).plain(" ").plain(padded(&bar.title, title));
            if who > 0 {
                line = line.plain(" ").and(Role::Dim, padded(&bar.who, who));
            }
            lines.push(sheet.bar(line.plain(" "), bar));
        }
        for mark in &self.marks {
            let role = if mark.is_late { Role::Bad } else { Role::Good };
            let name = padded(&format!("◆ {}", mark.name), label - 1);
            let line = Text::of(role, name).plain(" ");
            lines.push(match sheet.column(mark.date) {
                Some(column) => line.plain(" ".repeat(column)).and(role, "◆"),
                None => line.and(Role::Dim, mark.date.to_string()),
            });
        }
        lines.push(Text::of(Role::Dim, LEGEND));
        lines
    }
}

/// The cells right of the names.
struct Cells {
    first: Day,
    week: Day,
    days: usize,
    columns: usize,
    scale: Scale,
}

impl Cells {
    /// Which day of the picture this is, if it is on it.
    fn offset(&self, day: Day) -> Option<usize> {
        usize::try_from(self.first.days_until(day)).ok().filter(|&offset| offset < self.days)
    }

    fn column(&self, day: Day) -> Option<usize> {
        self.offset(day).map(|offset| self.scale.column(offset))
    }

    /// The first day and the beginnings of weeks as month and day, wherever there is room; the year too where it is a
    /// long time.
    fn dates(&self) -> String {
        let from = if self.days > 366 { 0 } else { "2026-".len() };
        let into_week = usize::try_from(self.week.days_until(self.first).rem_euclid(7)).unwrap_or(0);
        let weeks = (0..self.days).filter(|offset| *offset == 0 || (offset + into_week).is_multiple_of(7));
        let mut line = String::new();
        for offset in weeks {
            let column = self.scale.column(offset);
            let Some(day) = self.first.plus(i64::try_from(offset).unwrap_or(0)) else { break };
            let label = &day.to_string()[from..];
            let is_free = line.is_empty() || column > line.len();
            if is_free && column + label.len() <= self.columns.max(label.len()) {
                line.push_str(&" ".repeat(column - line.len()));
                line.push_str(label);
            }
        }
        line
    }

    /// A row: blank before it, marked where it is worked on, dotted where it waits.
    fn bar(&self, line: Text, bar: &Bar) -> Text {
        let (mark, role) = bar.kind.look();
        let mut cells = vec![' '; self.columns];
        let mut put = |first: usize, sign: char| {
            for cell in cells.iter_mut().skip(first).take(self.scale.cells()) {
                *cell = sign;
            }
        };
        let last = i64::try_from(self.days).unwrap_or(i64::MAX) - 1;
        let (start, end) = (self.first.days_until(bar.start), self.first.days_until(bar.end));
        // Nothing, where it lies before or after what is shown.
        for offset in start.max(0)..=end.min(last) {
            put(self.scale.column(usize::try_from(offset).unwrap_or(0)), '·');
        }
        for column in bar.worked.iter().filter_map(|&day| self.column(day)) {
            put(column, mark);
        }
        if let Some(column) = self.column(bar.end).filter(|_| bar.worked.is_empty()) {
            put(column, '◦');
        }
        if end > last {
            cells[self.columns - 1] = '→';
        }
        let begin = cells.iter().position(|cell| *cell != ' ').unwrap_or(0);
        let text: String = cells[begin..].iter().collect();
        line.plain(" ".repeat(begin)).and(role, text.trim_end())
    }
}

fn shown_width(text: &str) -> usize {
    visible(text, Breaks::Mark).width()
}

/// A text in so many cells, cut where it is longer.
fn padded(text: &str, room: usize) -> String {
    let text = visible(text, Breaks::Mark);
    let mut shown = String::new();
    if text.width() <= room {
        shown.push_str(&text);
    } else {
        let mut used = 1;
        for c in text.chars() {
            used += c.width().unwrap_or(0);
            if used > room {
                break;
            }
            shown.push(c);
        }
        shown.push('…');
    }
    let gap = room.saturating_sub(shown.width());
    shown + &" ".repeat(gap)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        text.parse().unwrap()
    }

    fn bar(title: &str, kind: BarKind, start: &str, end: &str) -> Bar {
        let (start, end) = (day(start), day(end));
        let days = (0..=start.days_until(end)).filter_map(|offset| start.plus(offset));
        let worked = days.filter(|day| !matches!(day.weekday() as usize, 0 | 6)).collect();
        Bar { number: "1".to_owned(), title: title.to_owned(), who: "ann".to_owned(), start, end, worked, kind }
    }

    fn drawn(gantt: &Gantt, width: usize) -> String {
        gantt.lines(width).iter().map(|line| line.to_plain().trim_end().to_owned()).collect::<Vec<_>>().join("\n")
    }

    fn gantt(last: &str) -> Gantt {
        Gantt {
            first: day("2026-11-18"),
            week: day("2026-11-16"),
            last: day(last),
            today: day("2026-11-18"),
            bars: vec![
                bar("Design the schema of everything there is", BarKind::Critical, "2026-11-18", "2026-11-23"),
                bar("漢字 titles", BarKind::Slack, "2026-11-20", "2026-11-20"),
                bar("Fixed", BarKind::Pinned, "2026-11-24", "2026-12-30"),
            ],
            marks: vec![
                Mark { name: "beta".to_owned(), date: day("2026-11-24"), is_late: true },
                Mark { name: "later".to_owned(), date: day("2027-11-24"), is_late: false },
            ],
        }
    }

    #[test]
    fn days_have_cells_and_closed_days_are_dots() {
        insta::assert_snapshot!(drawn(&gantt("2026-11-27"), 60), @"
                                   11-18          11-23
                                   ▼
        1 Design the schema o… ann █████████······███
        1 漢字 titles          ann       ▒▒▒
        1 Fixed                ann                   ▓▓▓▓▓▓▓▓▓▓▓→
        ◆ beta                                       ◆
        ◆ later                    2027-11-24
        █ critical  ▒ can slip  ▓ pinned  · in between  ▼ today  ◆ milestone
        ");
    }

    #[test]
    fn a_long_time_has_a_cell_for_several_days() {
        insta::assert_snapshot!(drawn(&gantt("2027-12-31"), 60), @"
                                   2026-11-18 2027-04-26
                                   ▼
        1 Design the schema o… ann █
        1 漢字 titles          ann ▒
        1 Fixed                ann ▓▓▓▓
        ◆ beta                     ◆
        ◆ later                                              ◆
        █ critical  ▒ can slip  ▓ pinned  · in between  ▼ today  ◆ milestone
        ");
    }

    #[test]
    fn no_line_is_wider_than_its_place() {
        for (last, width) in [("2026-11-27", 50), ("2026-12-31", 50), ("2030-12-31", 80), ("2026-11-18", 120)] {
            let gantt = gantt(last);
            let lines = gantt.lines(width);
            let bars = &lines[..lines.len() - 1];
            assert!(bars.iter().all(|line| line.to_plain().width() <= width), "{}", drawn(&gantt, width));
        }
    }
}
