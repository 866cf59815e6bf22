//! Tables that fit the terminal.

use handoff_ops::page::{Align, Column, Fit, Role, Row, Table, Text};
use handoff_ops::{Breaks, visible};

use super::{Style, cell};

const GAP: usize = 2;
const INDENT: usize = 2;

/// A cell, made safe to show.
type Pieces = Vec<(Role, String)>;

pub(super) fn draw(out: &mut String, table: &Table, style: Style) {
    let rows: Vec<Vec<Pieces>> = table.rows.iter().map(|row| cells(row, table.columns.len(), style)).collect();
    let natural: Vec<usize> = (0..table.columns.len())
        .map(|index| {
            let header = cell::width(&visible(&table.columns[index].header, Breaks::Mark));
            rows.iter().map(|row| pieces_width(&row[index])).max().unwrap_or(0).max(header)
        })
        .collect();
    let widths = fit(&table.columns, &natural, style.width);
    if table.has_header() {
        let header = |column: &Column| vec![(Role::Dim, visible(&column.header, Breaks::Mark).into_owned())];
        line(out, &table.columns.iter().map(header).collect::<Vec<_>>(), table, &widths, style);
    }
    for row in &rows {
        line(out, row, table, &widths, style);
    }
}

/// The width of each column; one that is left out has none.
fn fit(columns: &[Column], natural: &[usize], width: Option<usize>) -> Vec<Option<usize>> {
    let mut widths: Vec<Option<usize>> = natural.iter().copied().map(Some).collect();
    let Some(width) = width else { return widths };
    loop {
        let mut trial = widths.clone();
        if shrink(columns, &mut trial, width) {
            return trial;
        }
        let droppable =
            (0..columns.len()).rev().find(|index| columns[*index].fit == Fit::Drop && widths[*index].is_some());
        match droppable {
            Some(index) => widths[index] = None,
            None => return trial,
        }
    }
}

/// Narrows the widest of the columns that may be cut until the row fits, and says whether it does.
fn shrink(columns: &[Column], widths: &mut [Option<usize>], room: usize) -> bool {
    // No column can be wider than the row, and a title of a million characters should not take a million steps.
    for (column, width) in columns.iter().zip(widths.iter_mut()) {
        if let (Fit::Shrink(least), Some(width)) = (column.fit, width) {
            *width = (*width).min(room.max(least));
        }
    }
    while total(widths) > room {
        let widest = columns.iter().zip(widths.iter_mut()).filter_map(|(column, width)| match (column.fit, width) {
            (Fit::Shrink(least), Some(width)) if *width > least.max(1) => Some(width),
            _ => None,
        });
        match widest.max_by_key(|width| **width) {
            Some(width) => *width -= 1,
            None => return false,
        }
    }
    true
}

fn total(widths: &[Option<usize>]) -> usize {
    let shown = widths.iter().flatten();
    shown.clone().sum::<usize>() + GAP * shown.count().saturating_sub(1)
}

fn cells(row: &Row, count: usize, style: Style) -> Vec<Pieces> {
    let safe = |text: &Text| -> Pieces {
        let timed = style.timed(text);
        timed.spans.iter().map(|span| (span.role, visible(&span.text, Breaks::Mark).into_owned())).collect()
    };
    let mut cells: Vec<Pieces> = row.cells.iter().take(count).map(safe).collect();
    cells.resize_with(count, Vec::new);
    if row.indent > 0
        && let Some(first) = cells.first_mut()
    {
        first.insert(0, (Role::Plain, " ".repeat(row.indent * INDENT)));
    }
    cells
}

fn pieces_width(pieces: &Pieces) -> usize {
    pieces.iter().map(|(_, text)| cell::width(text)).sum()
}

fn line(out: &mut String, cells: &[Pieces], table: &Table, widths: &[Option<usize>], style: Style) {
    // Blanks are written only once something follows them, so that no line ends in blanks.
    let mut blanks = 0;
    let mut is_first = true;
    for ((pieces, column), width) in cells.iter().zip(&table.columns).zip(widths) {
        let Some(width) = *width else { continue };
        blanks += if std::mem::take(&mut is_first) { 0 } else { GAP };
        let (painted, used) = paint(pieces, width, style);
        let spare = width.saturating_sub(used);
        let (before, after) = if column.align == Align::Right { (spare, 0) } else { (0, spare) };
        blanks += before;
        if used > 0 {
            out.extend(std::iter::repeat_n(' ', blanks));
            out.push_str(&painted);
            blanks = 0;
        } else {
            blanks += used;
        }
        blanks += after;
    }
    out.push('\n');
}

/// The cell in colour, cut to its width, and how wide it came out.
fn paint(pieces: &Pieces, width: usize, style: Style) -> (String, usize) {
    let is_cut = pieces_width(pieces) > width;
    let mut room = if is_cut { width.saturating_sub(1) } else { width };
    let (mut painted, mut used) = (String::new(), 0);
    for (role, text) in pieces {
        let shown = cell::start(text, room);
        let stops_here = is_cut && shown.len() < text.len();
        let shown = if stops_here { cell::with_ellipsis(shown) } else { shown.to_owned() };
        painted.push_str(&style.paint_safe(*role, &shown));
        used += cell::width(&shown);
        room = room.saturating_sub(cell::width(&shown));
        if stops_here {
            break;
        }
    }
    (painted, used)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw_at(table: &Table, width: usize) -> String {
        let mut out = String::new();
        draw(&mut out, table, Style { has_color: false, width: Some(width), reading: None });
        out
    }

    fn garden() -> Table {
        let columns = [
            Column::new("no"),
            Column::new("plant").shrinks_to(6),
            Column::new("litres").right(),
            Column::new("keeper").optional(),
        ];
        let row = |no: &str, plant: &str, litres: &str, keeper: &str| {
            Row::new([no.into(), plant.into(), litres.into(), keeper.into()])
        };
        Table::new(columns).rows([
            row("1", "fern in the hallway", "12", "alice"),
            row("1.1", "観葉植物の鉢植え", "3", "").indent(1),
            row("2", "ivy 👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", "", "bob"),
        ])
    }

    #[test]
    fn a_table_takes_the_room_it_needs() {
        insta::assert_snapshot!(draw_at(&garden(), 80), @"
        no     plant                litres  keeper
        1      fern in the hallway      12  alice
          1.1  観葉植物の鉢植え          3
        2      ivy 👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧                   bob
        ");
    }

    #[test]
    fn flexible_columns_shrink_first() {
        insta::assert_snapshot!(draw_at(&garden(), 34), @"
        no     plant        litres  keeper
        1      fern in th…      12  alice
          1.1  観葉植物の…       3
        2      ivy 👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧           bob
        ");
    }

    #[test]
    fn then_optional_columns_go() {
        insta::assert_snapshot!(draw_at(&garden(), 22), @"
        no     plant    litres
        1      fern i…      12
          1.1  観葉植…       3
        2      ivy 👩‍👩‍👧…
        ");
    }

    #[test]
    fn every_line_fits_wherever_the_table_can() {
        for width in 21..60 {
            for line in draw_at(&garden(), width).lines() {
                assert!(cell::width(line) <= width, "{line} takes {} of {width}", cell::width(line));
                assert_eq!(line, line.trim_end());
            }
        }
    }

    #[test]
    fn a_table_that_cannot_fit_is_drawn_anyway() {
        assert!(draw_at(&garden(), 1).starts_with("no"));
    }

    #[test]
    fn a_cut_falls_between_pieces_too() {
        let text = Text::of(Role::Strong, "fern").and(Role::Dim, " (old)");
        let table = Table::new([Column::new("").shrinks_to(1)]).rows([Row::new([text])]);
        let cuts: Vec<String> = (1..=10).map(|width| draw_at(&table, width).trim_end().to_owned()).collect();
        let expected = ["…", "f…", "fe…", "fer…", "fern…", "fern…", "fern (…", "fern (o…", "fern (ol…", "fern (old)"];
        assert_eq!(cuts, expected);
    }

    #[test]
    fn an_endless_cell_is_cut_quickly() {
        let table = Table::new([Column::new("").shrinks_to(5)]).rows([Row::new(["x".repeat(1_000_000).into()])]);
        assert_eq!(draw_at(&table, 20), format!("{}…\n", "x".repeat(19)));
    }
}
