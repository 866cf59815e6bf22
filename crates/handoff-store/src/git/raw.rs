//! Differences between two states, in git's raw form: what a file was, and what it is.

use super::fields;

/// One file that differs; paths are seen from the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) path: String,
    pub(super) letter: char,
    /// What sort of file it is, as git writes that
    pub(super) mode: String,
    /// `None` where it was not there
    pub(super) before: Option<String>,
    /// `None` where it is not there, or git would have to look at the file itself
    pub(super) after: Option<String>,
}

/// Reads rows that were asked for with `--raw -z --no-abbrev --no-renames`; those with names that are not UTF-8 are
/// left out.
pub(super) fn parse(answer: &[u8]) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut parts = fields(answer);
    while let (Some(about), Some(path)) = (parts.next(), parts.next()) {
        let (Ok(about), Ok(path)) = (std::str::from_utf8(about), std::str::from_utf8(path)) else { continue };
        // `:100644 100644 <id> <id> M`
        let mut words = about.split(' ').skip(1);
        let mode = words.next().unwrap_or_default().to_owned();
        let mut id = || words.next().filter(|id| id.bytes().any(|byte| byte != b'0')).map(str::to_owned);
        let (before, after) = (id(), id());
        let letter = words.next().and_then(|word| word.chars().next()).unwrap_or('M');
        rows.push(Row { path: path.to_owned(), letter, mode, before, after });
    }
    rows
}
