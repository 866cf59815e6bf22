//! Which files the next session will need, told from git history and the last handoff.
//!
//! **Invariant:** nothing here learns. The rules are fixed, few and the same for every project, and equal input gives
//! equal output. How well they do is measured by `cargo xtask likely`, on histories they were not made for.
//!
//! What carries the ranking is a file's sessions: each one that touched it adds to its score, less the longer ago it was,
//! by a power of its age counted in sessions. A power has no scale of its own, so it suits a busy week and a slow year,
//! and the file of yesterday as well as the file of every month.

mod history;
mod kind;
mod lines;
mod list;
mod prompt;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

pub use kind::is_by_product;
pub use lines::named;
pub use list::{Listing, listed, listed_by, listed_whole, that_matter};
pub use prompt::{files_for_prompt, rank_for_prompt};

use history::History;

/// A commit, as `git log --name-status` tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Seconds since 1970.
    pub time: i64,
    /// A number for each author.
    pub author: u32,
    pub subject: String,
    pub files: Vec<Touched>,
}

/// A file that a commit touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    /// git's letter: `A`, `M`, `D`, `R`, …
    pub change: char,
    pub path: String,
    /// Where a renamed file was before.
    pub from: Option<String>,
}

/// What is known besides the history; all of it may be empty.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clues<'a> {
    /// Whose session is about to begin.
    pub author: Option<u32>,
    /// Paths that the last handoff points to.
    pub pointed: &'a [&'a str],
    /// Paths with changes that are not committed.
    pub dirty: &'a [&'a str],
    /// Next steps, titles of tasks in progress, the summary.
    pub words: &'a [&'a str],
}

/// A file and how likely it is needed; scores only compare with each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Likely {
    pub path: String,
    pub score: f64,
}

/// How fast a session's say fades: its age in sessions to this power.
const FADING: f64 = 0.7;
/// How fast a session's say fades with the days since it: by this power of the months and one, so that sessions of the same
/// week stay alike and those before a long pause fall back.
const AGE: f64 = 0.3;
const AGE_DAYS: f64 = 30.0;
/// What each further commit of a session adds, as a power of their number.
const COMMITS: f64 = 0.5;
/// How much less a session says that touched many files, as a power of their number.
const BREADTH: f64 = 0.3;
/// What the same author's sessions add on top, their age counted in that author's sessions.
const OWN: f64 = 0.5;
/// What a file takes on from the others of its directory.
const NEIGHBOURS: f64 = 0.1;
/// What a pointer of the last handoff is worth: half as much as the last session.
const POINTED: f64 = 0.5;
/// What an uncommitted change is worth: as much as the last session.
const DIRTY: f64 = 1.0;
/// What the words of the next steps are worth at most. Little: files are seldom called what the steps say, and with more
/// the list gets worse.
const WORDS: f64 = 0.3;

/// The files of `history` that are still `present`, the likeliest first.
///
/// `history` is in order of time, oldest first; files of the clues that are present need not be in it.
pub fn rank(history: &[Commit], present: impl Fn(&str) -> bool, clues: &Clues<'_>) -> Vec<Likely> {
    let history = History::read(history);
    let mut scores: BTreeMap<&str, f64> =
        history.files().map(|(path, touches)| (path, history.weigh(touches, clues.author))).collect();
    warm_neighbours(&mut scores);
    for (paths, worth) in [(clues.pointed, POINTED), (clues.dirty, DIRTY)] {
        for path in paths {
            *scores.entry(path).or_default() += worth;
        }
    }
    let asked = words(clues.words.iter().copied());
    let mut ranked: Vec<Likely> = scores
        .into_iter()
        .filter(|(path, _)| !is_by_product(path) && present(path))
        .map(|(path, score)| Likely { path: path.to_owned(), score: score + WORDS * share_named(path, &asked) })
        .collect();
    sort(&mut ranked);
    ranked
}

/// The best first, and equal ones by path.
fn sort(ranked: &mut [Likely]) {
    ranked.sort_by(|one, other| other.score.total_cmp(&one.score).then_with(|| one.path.cmp(&other.path)));
}

impl History<'_> {
    fn weigh(&self, touches: &[history::Touch], author: Option<u32>) -> f64 {
        touches
            .iter()
            .map(|touch| {
                let session = self.session(touch);
                let own =
                    author.filter(|&author| author == session.author).map_or(0.0, |_| OWN * fade(session.own_age));
                let age = (1.0 + session.days / AGE_DAYS).powf(-AGE);
                (fade(session.age) + own) * age * touch.commits.powf(COMMITS) * session.files.powf(-BREADTH)
            })
            .sum()
    }
}

fn fade(age: f64) -> f64 {
    age.powf(-FADING)
}

fn warm_neighbours(scores: &mut BTreeMap<&str, f64>) {
    let mut directories: HashMap<&str, (f64, f64)> = HashMap::new();
    for (path, score) in scores.iter() {
        let (sum, count) = directories.entry(lines::split(path).0).or_default();
        *sum += score;
        *count += 1.0;
    }
    for (path, score) in scores.iter_mut() {
        let (sum, count) = directories[lines::split(path).0];
        *score += NEIGHBOURS * (sum - *score) / count;
    }
}

/// The words of texts and paths: letters and digits, small, three characters and more.
fn words<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut words: Vec<String> = texts
        .flat_map(|text| text.split(|character: char| !character.is_alphanumeric()))
        .filter(|word| word.chars().count() > 2)
        .map(str::to_lowercase)
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// How much of a file's name is among the words, from 0 to 1.
fn share_named(path: &str, asked: &[String]) -> f64 {
    if asked.is_empty() {
        return 0.0;
    }
    let (_, name) = lines::split(path);
    let (stem, _) = lines::stem(name);
    let parts = words(std::iter::once(stem));
    let found = parts.iter().filter(|part| asked.binary_search(part).is_ok()).count();
    if parts.is_empty() { 0.0 } else { ratio(found, parts.len()) }
}

fn ratio(part: usize, whole: usize) -> f64 {
    f64::from(u32::try_from(part).unwrap_or(u32::MAX)) / f64::from(u32::try_from(whole).unwrap_or(u32::MAX))
}
