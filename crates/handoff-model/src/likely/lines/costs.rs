//! What the pieces of lines cost. Lines are cut at spaces, where vocabularies cut too, so pieces add up.

use std::cell::RefCell;
use std::collections::HashMap;

use super::quote::quoted;
use super::{split, stem};

/// Counts pieces, each only once.
pub(in crate::likely) struct Costs<F> {
    count: F,
    known: RefCell<HashMap<String, usize>>,
    /// What the end of a line costs.
    pub(super) end: usize,
}

/// A file with what its names cost.
pub(in crate::likely) struct Entry<'a> {
    pub(in crate::likely) path: &'a str,
    pub(in crate::likely) directory: &'a str,
    pub(super) name: &'a str,
    pub(in crate::likely) ending: &'a str,
    pub(super) quoted_name: String,
    pub(super) quoted_stem: String,
    pub(super) name_cost: usize,
    pub(in crate::likely) stem_cost: usize,
}

impl<F: Fn(&str) -> usize> Costs<F> {
    pub(in crate::likely) fn new(count: F) -> Self {
        Self { end: count("\n"), count, known: RefCell::default() }
    }

    pub(in crate::likely) fn of(&self, piece: &str) -> usize {
        if let Some(&cost) = self.known.borrow().get(piece) {
            return cost;
        }
        let cost = (self.count)(piece);
        self.known.borrow_mut().insert(piece.to_owned(), cost);
        cost
    }

    pub(in crate::likely) fn entry<'a>(&self, path: &'a str) -> Entry<'a> {
        let (directory, name) = split(path);
        let (stem, ending) = stem(name);
        let (quoted_name, quoted_stem) = (quoted(name), quoted(stem));
        Entry {
            name_cost: (self.count)(&format!(" {quoted_name}")),
            stem_cost: (self.count)(&format!(" {quoted_stem}")),
            path,
            directory,
            name,
            ending,
            quoted_name,
            quoted_stem,
        }
    }
}
