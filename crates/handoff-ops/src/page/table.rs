//! Tables, and trees as tables whose rows are indented.

use super::Text;

/// Rows under columns.
#[derive(Debug, Clone)]
pub struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
}

impl Table {
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Table {
        Table { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds rows.
    #[must_use]
    pub fn rows(mut self, rows: impl IntoIterator<Item = Row>) -> Table {
        self.rows.extend(rows);
        self
    }

    /// Adds one row.
    pub fn push(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Leaves out the columns in which no row has anything.
    #[must_use]
    pub fn without_empty_columns(mut self) -> Table {
        for index in (0..self.columns.len()).rev() {
            if self.rows.iter().all(|row| row.cells.get(index).is_none_or(Text::is_empty)) {
                self.columns.remove(index);
                for row in self.rows.iter_mut().filter(|row| row.cells.len() > index) {
                    row.cells.remove(index);
                }
            }
        }
        self
    }

    /// Whether the rows form a tree.
    pub fn is_tree(&self) -> bool {
        self.rows.iter().any(|row| row.indent > 0)
    }

    /// Whether any column is named.
    pub fn has_header(&self) -> bool {
        self.columns.iter().any(|column| !column.header.is_empty())
    }
}

/// A column and how it gives way when the table is too wide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub header: String,
    pub align: Align,
    pub fit: Fit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

/// What becomes of a column in a narrow place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// Always shown in full.
    Keep,
    /// Cut with `…`, but no narrower than this many cells.
    Shrink(usize),
    /// Left out when shrinking the others is not enough; the last such column goes first.
    Drop,
}

impl Column {
    /// A column that is aligned left and never cut; the header may be empty.
    pub fn new(header: impl Into<String>) -> Column {
        Column { header: header.into(), align: Align::Left, fit: Fit::Keep }
    }

    #[must_use]
    pub fn right(mut self) -> Column {
        self.align = Align::Right;
        self
    }

    /// Lets the column be cut to `least` cells.
    #[must_use]
    pub fn shrinks_to(mut self, least: usize) -> Column {
        self.fit = Fit::Shrink(least);
        self
    }

    /// Lets the column be left out.
    #[must_use]
    pub fn optional(mut self) -> Column {
        self.fit = Fit::Drop;
        self
    }
}

/// One row; the indent belongs to its first cell.
#[derive(Debug, Clone, Default)]
pub struct Row {
    pub indent: usize,
    pub cells: Vec<Text>,
}

impl Row {
    pub fn new(cells: impl IntoIterator<Item = Text>) -> Row {
        Row { indent: 0, cells: cells.into_iter().collect() }
    }

    /// The depth in a tree.
    #[must_use]
    pub fn indent(mut self, levels: usize) -> Row {
        self.indent = levels;
        self
    }
}
