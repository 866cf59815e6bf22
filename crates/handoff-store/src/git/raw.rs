//! Differences between two states, in git's raw form: what a file was, and what it is.

use std::collections::BTreeMap;

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
        rows.extend(row(about, path));
    }
    rows
}

/// Reads the rows of `diff-tree --stdin --raw -z --no-abbrev --no-renames` for pairs of trees, by the first tree of each
/// pair; those with names that are not UTF-8 are left out.
pub(super) fn parse_pairs(answer: &[u8]) -> BTreeMap<String, Vec<Row>> {
    let mut pairs: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    let mut tree = String::new();
    let mut parts = fields(answer);
    while let Some(part) = parts.next() {
        // Each pair is printed on a line of its own, which no zero byte ends.
        let about = match memchr::memrchr(b'\n', part) {
            Some(end) => {
                let line = part[..end].rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
                let first = line.split(|byte| *byte == b' ').next().unwrap_or_default();
                tree = String::from_utf8_lossy(first).into_owned();
                &part[end + 1..]
            }
            None => part,
        };
        if about.is_empty() {
            continue;
        }
        let Some(path) = parts.next() else { break };
        if let Some(row) = row(about, path) {
            pairs.entry(tree.clone()).or_default().push(row);
        }
    }
    pairs
}

/// A row: `:100644 100644 <id> <id> M`, and its path.
fn row(about: &[u8], path: &[u8]) -> Option<Row> {
    let (about, path) = (std::str::from_utf8(about).ok()?, std::str::from_utf8(path).ok()?);
    let mut words = about.split(' ').skip(1);
    let mode = words.next()?.to_owned();
    let mut id = || words.next().filter(|id| id.bytes().any(|byte| byte != b'0')).map(str::to_owned);
    let (before, after) = (id(), id());
    let letter = words.next().and_then(|word| word.chars().next()).unwrap_or('M');
    Some(Row { path: path.to_owned(), letter, mode, before, after })
}
