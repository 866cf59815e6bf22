//! Finding files that are no longer where they were: by equal content, by similar content, then by what commits say.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::blob;
use super::fields;
use super::place::read_up_to;
use super::run::{Asking, Failure};

/// A file that is not where it was.
#[derive(Clone, Debug)]
pub(super) struct Missing {
    /// What it was; where there are several, the first is the most recent
    pub(super) ids: Vec<String>,
    /// Whether it matters enough to look through commits for it
    pub(super) followed: bool,
}

/// A file that holds what it did not hold before.
#[derive(Clone, Debug)]
pub(super) struct New {
    pub(super) path: String,
    pub(super) id: String,
    /// Whether there was a file before, which was another one
    pub(super) replaces: bool,
}

/// Where a missing file was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moved {
    pub(super) to: String,
    /// Whether it is not what it was, either
    pub(super) edited: bool,
}

/// Comparing contents is bounded: so many missing files with so many new ones, each of at most so many bytes.
const MISSING: usize = 64;
const NEW: usize = 500;
const BYTES: u64 = 256 * 1024;

/// Commits that are looked through for renames.
const COMMITS: &str = "--max-count=500";

/// Where each missing file is now, for those that can be found. No place is given away twice.
pub(super) fn find(
    asking: &Asking,
    commit: Option<&str>,
    missing: &BTreeMap<String, Missing>,
    new: &[New],
) -> Result<BTreeMap<String, Moved>, Failure> {
    let mut found = Found::default();
    equal(missing, new, &mut found);
    if !found.all(missing) && !new.is_empty() {
        similar(asking, commit, missing, new, &mut found)?;
    }
    let open = missing.iter().filter(|(path, missing)| missing.followed && !found.places.contains_key(*path));
    let open: Vec<&String> = open.map(|(path, _)| path).collect();
    if let Some(commit) = commit.filter(|_| !open.is_empty()) {
        told(asking, commit, &open, &mut found);
    }
    Ok(found.places)
}

#[derive(Default)]
struct Found {
    places: BTreeMap<String, Moved>,
    taken: BTreeSet<String>,
}

impl Found {
    fn all(&self, missing: &BTreeMap<String, Missing>) -> bool {
        self.places.len() == missing.len()
    }

    /// Gives places away, the best match first.
    fn settle<S: Ord>(&mut self, mut matches: Vec<(S, &str, &str)>, edited: bool) {
        matches
            .sort_unstable_by(|one, other| other.0.cmp(&one.0).then_with(|| (one.1, one.2).cmp(&(other.1, other.2))));
        for (_, from, to) in matches {
            self.put(from, to, edited);
        }
    }

    fn put(&mut self, from: &str, to: &str, edited: bool) {
        if !self.places.contains_key(from) && self.taken.insert(to.to_owned()) {
            self.places.insert(from.to_owned(), Moved { to: to.to_owned(), edited });
        }
    }
}

/// How much two paths have in common: names at their ends, then names at their beginnings.
fn likeness(one: &str, other: &str) -> (usize, usize) {
    let ends = one.rsplit('/').zip(other.rsplit('/')).take_while(|(one, other)| one == other).count();
    let beginnings = one.split('/').zip(other.split('/')).take_while(|(one, other)| one == other).count();
    (ends, beginnings)
}

fn equal(missing: &BTreeMap<String, Missing>, new: &[New], found: &mut Found) {
    /// Ids may be shortened, down to this many letters.
    const SHORTEST: usize = 4;
    let mut by_id: HashMap<&str, Vec<(&str, &str)>> = HashMap::new();
    for New { path, id, .. } in new {
        by_id.entry(&id[..SHORTEST.min(id.len())]).or_default().push((id, path));
    }
    let mut matches = Vec::new();
    for (from, Missing { ids, .. }) in missing {
        let Some(was) = ids.first() else { continue };
        for (id, to) in by_id.get(&was[..SHORTEST.min(was.len())]).into_iter().flatten() {
            let like = likeness(from, to);
            // Empty files are all alike; only the name tells whether it is the same one.
            if blob::same(id, was) && (like.0 > 0 || !is_empty_blob(was)) {
                matches.push((like, from.as_str(), *to));
            }
        }
    }
    found.settle(matches, false);
}

fn is_empty_blob(id: &str) -> bool {
    ["e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"]
        .iter()
        .any(|empty| empty.starts_with(id))
}

fn similar(
    asking: &Asking,
    commit: Option<&str>,
    missing: &BTreeMap<String, Missing>,
    new: &[New],
    found: &mut Found,
) -> Result<(), Failure> {
    let open: Vec<&String> = missing.keys().filter(|path| !found.places.contains_key(*path)).take(MISSING).collect();
    let were = contents(asking, commit, &open, missing)?;
    let free = new.iter().filter(|new| !new.replaces).map(|new| &new.path);
    let free = free.filter(|path| !found.taken.contains(*path)).take(NEW);
    let are: Vec<(&String, Vec<u8>)> =
        free.filter_map(|path| Some((path, read_up_to(&asking.root.join(path), BYTES)?))).collect();
    let mut matches = Vec::new();
    for (from, was) in &were {
        let lines = count_lines(was);
        for (to, is) in &are {
            if let Some(score) = similarity(&lines, was.len(), is) {
                matches.push(((score, likeness(from, to)), from.as_str(), to.as_str()));
            }
        }
    }
    found.settle(matches, true);
    Ok(())
}

/// What missing files were, as far as git still has it.
fn contents<'a>(
    asking: &Asking,
    commit: Option<&str>,
    open: &[&'a String],
    missing: &BTreeMap<String, Missing>,
) -> Result<Vec<(&'a String, Vec<u8>)>, Failure> {
    let mut wanted = Vec::new();
    let mut names = String::new();
    for path in open {
        let committed = commit.filter(|_| !path.contains('\n')).map(|commit| format!("{commit}:{path}"));
        // What was written down first; what was committed is close to it.
        for name in missing[*path].ids.iter().cloned().chain(committed) {
            names.push_str(&name);
            names.push('\n');
            wanted.push(*path);
        }
    }
    let mut were: Vec<(&String, Vec<u8>)> = Vec::new();
    for (path, content) in wanted.into_iter().zip(blob::contents(asking, &names)?) {
        let content = content.filter(|content| content.len() as u64 <= BYTES);
        if let Some(content) = content.filter(|_| were.last().is_none_or(|(last, _)| *last != path)) {
            were.push((path, content));
        }
    }
    Ok(were)
}

/// The lines, without regard to how they end: git may keep them with other ends than the work tree has.
fn count_lines(content: &[u8]) -> HashMap<&[u8], usize> {
    let mut counts = HashMap::new();
    for line in content.split(|byte| *byte == b'\n') {
        *counts.entry(line.strip_suffix(b"\r").unwrap_or(line)).or_default() += 1;
    }
    counts
}

/// The share, in thousandths, that two contents have in common, if it is at least the half.
fn similarity(was: &HashMap<&[u8], usize>, size: usize, is: &[u8]) -> Option<usize> {
    let (smaller, larger) = (size.min(is.len()), size.max(is.len()));
    if smaller * 2 < larger || smaller == 0 {
        return None;
    }
    let mut common = 0;
    for (line, count) in count_lines(is) {
        common += (line.len() + 1) * count.min(was.get(line).copied().unwrap_or(0));
    }
    (common * 2 >= larger).then_some((common * 1000 / larger).min(1000))
}

/// Follows the renames that commits since then show, one after the other.
fn told(asking: &Asking, commit: &str, open: &[&String], found: &mut Found) {
    let range = format!("{commit}..HEAD");
    let arguments = [
        "log",
        "-z",
        "--format=",
        "--no-show-signature",
        "--no-ext-diff",
        "--no-textconv",
        "--name-status",
        "--diff-filter=R",
        "-M",
        "--reverse",
        COMMITS,
        range.as_str(),
        "--",
    ];
    // It is only looked through for more; without it, what is missing is told as gone.
    let Ok(answer) = asking.run(&arguments) else { return };
    let names: Vec<&[u8]> = fields(&answer).collect();
    for from in open {
        let mut place = from.as_bytes();
        for rename in names.chunks_exact(3).filter(|rename| rename[0].starts_with(b"R")) {
            if rename[1] == place {
                place = rename[2];
            }
        }
        let to = std::str::from_utf8(place).unwrap_or(from);
        if to != *from && asking.root.join(to).is_file() {
            found.put(from, to, true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_share_half_of_their_lines_are_similar() {
        let was = b"one\ntwo\nthree\nfour\n";
        let lines = count_lines(was);
        assert_eq!(similarity(&lines, was.len(), was), Some(1000));
        assert!(similarity(&lines, was.len(), b"one\r\ntwo\r\nthree\r\nother\r\n").is_some());
        assert!(similarity(&lines, was.len(), b"one\ntwo\nthree\nother\n").is_some());
        assert_eq!(similarity(&lines, was.len(), b"completely\ndifferent\n"), None);
        assert_eq!(similarity(&lines, was.len(), b""), None);
    }

    #[test]
    fn of_two_equal_files_the_one_with_the_like_path_is_found() {
        let missing = [("a/x/mod.rs", "aaaa1"), ("a/y/mod.rs", "aaaa1")];
        let missing =
            missing.map(|(path, id)| (path.to_owned(), Missing { ids: vec![id.to_owned()], followed: false })).into();
        let new = [("b/y/mod.rs", "aaaa1"), ("b/x/mod.rs", "aaaa1"), ("b/z.rs", "aaaa2")];
        let new = new.map(|(path, id)| New { path: path.to_owned(), id: id.to_owned(), replaces: false });
        let mut found = Found::default();
        equal(&missing, &new, &mut found);
        assert_eq!(found.places["a/x/mod.rs"].to, "b/x/mod.rs");
        assert_eq!(found.places["a/y/mod.rs"].to, "b/y/mod.rs");
    }
}
