//! Full-text search: which records answer some words, best first.
//!
//! **Invariant:** what is found, and in which order, depends on the records alone. How they are spread over segments,
//! and which of those were read from disk, makes no difference.
//!
//! Records are taken apart into documents (`document`), documents into words (`text`). A `segment` holds which
//! word stands where, as bytes that are looked through in place. A `query` is tallied over segments (`tally`) and
//! scored (`score`); `snippet` shows why.

mod document;
mod near;
mod query;
mod score;
mod segment;
mod snippet;
mod tally;
#[cfg(test)]
mod tests;
mod text;

pub use document::{Archives, Document, Item, Kind, Scope, Weight, of_memory, of_session, of_task};
pub use query::Query;
pub use score::{Lent, Ranked};
pub use segment::{Builder, Segment};
pub use snippet::{Snippet, snippet};
pub use tally::Part;
pub use text::stems;

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The best first
    pub ranked: Vec<Ranked>,
    /// Whether the last word counts as the beginning of one, since it is no whole word anywhere
    pub by_beginning: bool,
    /// Words that are there, for those that are not; only where nothing was found
    pub close: Vec<String>,
}

/// Looks for the records that answer a query. `lends` tells which source stands above another, and lends it its title.
pub fn search(query: &Query, parts: &[Part<'_>], lends: impl Lent) -> Found {
    let ranked = score::rank(query, &tally::tally(query, parts), parts, &lends);
    if !ranked.is_empty() {
        return Found { ranked, ..Found::default() };
    }
    if let Some(query) = query.by_beginning() {
        let ranked = score::rank(&query, &tally::tally(&query, parts), parts, &lends);
        if !ranked.is_empty() {
            return Found { ranked, by_beginning: true, close: Vec::new() };
        }
    }
    Found { close: near::close_words(query, parts), ..Found::default() }
}
