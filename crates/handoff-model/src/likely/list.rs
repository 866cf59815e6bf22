//! The likeliest files that fit into a budget.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

use super::{Likely, lines};

/// How many files beyond the first that does not fit are tried for the rest of the budget.
const TRIES: usize = 60;

/// Files as they are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// What is printed, line by line; [`named`](super::named) reads the paths off it.
    pub lines: Vec<String>,
    /// The paths named, best value for their tokens first.
    pub paths: Vec<String>,
}

/// Chooses what to list for at most `budget` tokens, as `count` counts them, line ends included.
///
/// A file is worth its score for the tokens it adds: a directory is paid for once, so a lesser file beside a chosen one may
/// come before a better one far away. A larger budget lists the same files and more.
pub fn listed(ranked: &[Likely], budget: usize, count: impl Fn(&str) -> usize) -> Listing {
    // No file costs less than a token.
    let order = by_value(&ranked[..ranked.len().min(budget)], &count);
    let fits = |paths: &[&str]| {
        let lines = lines::write(paths, &count);
        (count(&lines.join("\n")) < budget).then_some(lines)
    };
    let mut chosen: Vec<&str> = Vec::new();
    let mut lines = Vec::new();
    let (mut least, mut most) = (0, order.len());
    while least < most {
        let middle = (least + most).div_ceil(2);
        if let Some(written) = fits(&order[..middle]) {
            (least, lines) = (middle, written);
        } else {
            most = middle - 1;
        }
    }
    chosen.extend(&order[..least]);
    for path in order[least..].iter().take(TRIES) {
        chosen.push(path);
        match fits(&chosen) {
            Some(written) => lines = written,
            None => {
                chosen.pop();
            }
        }
    }
    Listing { lines, paths: chosen.into_iter().map(str::to_owned).collect() }
}

/// Files that share a directory and an ending, and so a line.
struct Group<'a> {
    opening: f64,
    /// The best value first.
    files: Vec<File<'a>>,
}

struct File<'a> {
    path: &'a str,
    score: f64,
    cost: f64,
}

/// The paths in the order in which tokens are best spent.
fn by_value<'a>(ranked: &'a [Likely], count: &impl Fn(&str) -> usize) -> Vec<&'a str> {
    let groups = grouped(ranked, count);
    let mut heap: BinaryHeap<Offer> = groups.iter().enumerate().map(|(group, it)| it.opening_offer(group)).collect();
    let mut order = Vec::with_capacity(ranked.len());
    while let Some(offer) = heap.pop() {
        let group = &groups[offer.group];
        order.extend(group.files[offer.from..offer.to].iter().map(|file| file.path));
        if let Some(next) = group.files.get(offer.to) {
            heap.push(Offer { value: next.score / next.cost, group: offer.group, from: offer.to, to: offer.to + 1 });
        }
    }
    order
}

fn grouped<'a>(ranked: &'a [Likely], count: &impl Fn(&str) -> usize) -> Vec<Group<'a>> {
    let mut places: HashMap<(&str, &str), usize> = HashMap::new();
    let mut groups: Vec<Group<'_>> = Vec::new();
    for likely in ranked {
        let (directory, name) = lines::split(&likely.path);
        let (stem, ending) = lines::stem(name);
        let place = *places.entry((directory, ending)).or_insert_with(|| {
            groups.push(Group { opening: tokens(count, &format!("\n{directory}*{ending}:")), files: Vec::new() });
            groups.len() - 1
        });
        let cost = tokens(count, &format!(" {stem}"));
        groups[place].files.push(File { path: &likely.path, score: likely.score, cost });
    }
    for group in &mut groups {
        group.files.sort_by(|one, other| (other.score / other.cost).total_cmp(&(one.score / one.cost)));
    }
    groups
}

fn tokens(count: &impl Fn(&str) -> usize, text: &str) -> f64 {
    f64::from(u32::try_from(count(text)).unwrap_or(u32::MAX).max(1))
}

impl Group<'_> {
    /// The first files of a group, as many as make the most of its opening.
    fn opening_offer(&self, group: usize) -> Offer {
        let (mut score, mut cost) = (0.0, self.opening);
        let mut best = Offer { value: f64::MIN, group, from: 0, to: 0 };
        for (place, file) in self.files.iter().enumerate() {
            score += file.score;
            cost += file.cost;
            if score / cost > best.value {
                best = Offer { value: score / cost, to: place + 1, ..best };
            }
        }
        best
    }
}

/// Files of a group that could come next, and their score for a token.
struct Offer {
    value: f64,
    group: usize,
    from: usize,
    to: usize,
}

impl Ord for Offer {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value
            .total_cmp(&other.value)
            .then_with(|| other.group.cmp(&self.group))
            .then_with(|| other.from.cmp(&self.from))
    }
}

impl PartialOrd for Offer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Offer {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Offer {}
