//! Rows for a spreadsheet, as comma-separated values.

use std::fmt;

/// A heading and rows of as many cells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sheet {
    rows: Vec<Vec<String>>,
}

impl Sheet {
    pub fn new<const N: usize>(heading: [&str; N]) -> Sheet {
        Sheet { rows: vec![heading.map(str::to_owned).to_vec()] }
    }

    /// Adds a row. A number or a date is written as it is; a text that a spreadsheet would take for a formula is not.
    #[must_use]
    pub fn row<const N: usize>(mut self, cells: [Cell; N]) -> Sheet {
        debug_assert_eq!(self.rows[0].len(), N);
        self.rows.push(cells.into_iter().map(|cell| cell.0).collect());
        self
    }

    /// Adds several rows.
    #[must_use]
    pub fn rows<const N: usize>(self, rows: impl IntoIterator<Item = [Cell; N]>) -> Sheet {
        rows.into_iter().fold(self, Sheet::row)
    }
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell(String);

impl Cell {
    /// A number or a date of our own, which may begin with a minus.
    pub fn plain(value: impl fmt::Display) -> Cell {
        Cell(value.to_string())
    }

    /// Text that somebody wrote. What a spreadsheet would run as a formula is given an apostrophe in front.
    pub fn text(text: &str) -> Cell {
        let runs = text.trim_start().starts_with(['=', '+', '-', '@']) || text.starts_with(['\t', '\r', '\n']);
        Cell(if runs { format!("'{text}") } else { text.to_owned() })
    }

    /// The same where there may be none.
    pub fn text_if(text: Option<&str>) -> Cell {
        Cell::text(text.unwrap_or_default())
    }

    /// A number or a date where there may be none.
    pub fn plain_if(value: Option<impl fmt::Display>) -> Cell {
        value.map_or_else(|| Cell(String::new()), Cell::plain)
    }
}

impl fmt::Display for Sheet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.rows {
            for (index, cell) in row.iter().enumerate() {
                if index > 0 {
                    f.write_str(",")?;
                }
                if cell.contains([',', '"', '\n', '\r']) {
                    write!(f, "\"{}\"", cell.replace('"', "\"\""))?;
                } else {
                    f.write_str(cell)?;
                }
            }
            f.write_str("\n")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be_and_no_text_is_a_formula() {
        let sheet = Sheet::new(["task", "hours", "due"])
            .row([Cell::text("say \"hi\", twice"), Cell::plain(-1.5), Cell::plain_if(None::<u8>)])
            .row([Cell::text(" =HYPERLINK(\"x\")"), Cell::plain(2), Cell::text_if(Some("-x"))]);
        assert_eq!(
            sheet.to_string(),
            "task,hours,due\n\"say \"\"hi\"\", twice\",-1.5,\n\"' =HYPERLINK(\"\"x\"\")\",2,'-x\n"
        );
    }
}
