//! Costs of the pieces of lines. Lines are cut at spaces, where vocabularies cut too, so pieces add up.

use std::cell::RefCell;
use std::collections::HashMap;

use super::quote::quoted;
use super::split;

/// Marks before each line, since lists of files are shown as quotations.
const QUOTATION: &str = "> ";

/// Counts pieces, each only once.
pub(in crate::likely) struct Costs<F> {
    count: F,
    known: RefCell<HashMap<String, usize>>,
    /// Cost of a line beside its words: the end of the line and the mark before it.
    pub(in crate::likely) line: usize,
}

/// A file with the cost of its name.
pub(in crate::likely) struct Entry<'a> {
    pub(in crate::likely) path: &'a str,
    pub(in crate::likely) directory: &'a str,
    pub(super) quoted_name: String,
    pub(in crate::likely) name_cost: usize,
}

impl<F: Fn(&str) -> usize> Costs<F> {
    pub(in crate::likely) fn new(count: F) -> Self {
        Self { line: count("\n") + count(QUOTATION.trim_end()), count, known: RefCell::default() }
    }

    pub(in crate::likely) fn of(&self, piece: &str) -> usize {
        if let Some(&cost) = self.known.borrow().get(piece) {
            return cost;
        }
        // The mark's space goes with the word after it.
        let cost = (self.count)(&format!(" {piece}"));
        self.known.borrow_mut().insert(piece.to_owned(), cost);
        cost
    }

    pub(in crate::likely) fn entry<'a>(&self, path: &'a str) -> Entry<'a> {
        let (directory, name) = split(path);
        let quoted_name = quoted(name);
        let name_cost = (self.count)(&format!(" {quoted_name}"));
        Entry { path, directory, quoted_name, name_cost }
    }
}
