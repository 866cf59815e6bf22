//! The likeliest files that fit into a budget.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

use super::Likely;
use super::lines::{self, Costs, Entry};
use crate::tokens;

/// How many files beyond the first that does not fit are tried for the rest of the budget.
const TRIES: usize = 16;

/// Files as they are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// What is printed, line by line; [`named`](super::named) reads the paths off it.
    pub lines: Vec<String>,
    /// The paths named, best value for their tokens first.
    pub paths: Vec<String>,
}

/// Chooses what to list for at most `budget` tokens, and writes it.
///
/// This is the list that loading prints and that `cargo xtask likely` measures. Only files that matter are chosen, see
/// [`that_matter`]. A file is worth its score for what it adds to the cost: a directory is paid for once, so a lesser file
/// beside a chosen one may come before a better one far away.
pub fn listed(ranked: &[Likely], budget: usize) -> Listing {
    listed_by(ranked, budget * tokens::TOKEN, tokens::sixteenths)
}

/// The same for files of which all matter, such as those that a prompt is about.
pub fn listed_whole(files: &[Likely], budget: usize) -> Listing {
    chosen(files, budget * tokens::TOKEN, tokens::sixteenths)
}

/// The same as [`listed`], with the budget in the unit in which `count` counts a text.
pub fn listed_by(ranked: &[Likely], budget: usize, count: impl Fn(&str) -> usize) -> Listing {
    chosen(that_matter(ranked), budget, count)
}

fn chosen(ranked: &[Likely], budget: usize, count: impl Fn(&str) -> usize) -> Listing {
    let costs = Costs::new(count);
    let entries: Vec<Entry<'_>> = ranked.iter().map(|likely| costs.entry(&likely.path)).collect();
    let order = by_value(ranked, &entries, budget, &costs);
    let fits = |chosen: &[&Entry<'_>]| Some(lines::write(chosen, &costs)).filter(|(cost, _)| *cost <= budget);
    let (mut cost, mut lines) = (0, Vec::new());
    let (mut least, mut most) = (0, order.len());
    while least < most {
        let middle = (least + most).div_ceil(2);
        if let Some(written) = fits(&order[..middle]) {
            least = middle;
            (cost, lines) = written;
        } else {
            most = middle - 1;
        }
    }
    let mut chosen = order[..least].to_vec();
    for entry in order[least..].iter().take(TRIES) {
        // Its name is the least that a file adds.
        if cost + entry.name_cost > budget {
            continue;
        }
        chosen.push(entry);
        match fits(&chosen) {
            Some(written) => (cost, lines) = written,
            None => {
                chosen.pop();
            }
        }
    }
    Listing { lines, paths: chosen.into_iter().map(|entry| entry.path.to_owned()).collect() }
}

/// The first files, up to where the rest is hardly ever needed.
///
/// Scores tell how likely a file is needed, in the same measure for every project, so the files that hold most of the sum
/// will hold most of what is needed. In a small repository that would be almost every file; there a list
/// says nothing unless it leaves out half.
pub fn that_matter(ranked: &[Likely]) -> &[Likely] {
    let all: f64 = ranked.iter().map(|likely| likely.score).sum();
    let mut sum = 0.0;
    let before = |likely: &&Likely| {
        let is_within = sum < KEPT_SHARE * all;
        sum += likely.score;
        is_within
    };
    let count = ranked.iter().take_while(before).count();
    let most = if ranked.len() <= SMALL_REPOSITORY { ranked.len().div_ceil(2) } else { ranked.len() };
    &ranked[..count.min(most)]
}

/// Share of the sum of scores that is listed if there is room.
const KEPT_SHARE: f64 = 0.95;

/// A repository of so many files is small.
const SMALL_REPOSITORY: usize = 60;

/// Files that share a directory, and so a line.
struct Group<'a> {
    opening: f64,
    /// The best value first.
    files: Vec<File<'a>>,
}

struct File<'a> {
    entry: &'a Entry<'a>,
    score: f64,
    cost: f64,
}

/// The files in the order in which a budget is best spent, as many as it could hold with room to spare.
fn by_value<'a, F: Fn(&str) -> usize>(
    ranked: &[Likely],
    entries: &'a [Entry<'a>],
    budget: usize,
    costs: &Costs<F>,
) -> Vec<&'a Entry<'a>> {
    let groups = grouped(ranked, entries, costs);
    let mut heap: BinaryHeap<Offer> = groups.iter().enumerate().map(|(group, it)| it.opening_offer(group)).collect();
    let mut order = Vec::new();
    // Names alone are the least that files cost.
    let mut spent = 0;
    while let Some(offer) = heap.pop().filter(|_| spent <= 2 * budget) {
        let group = &groups[offer.group];
        let files = &group.files[offer.from..offer.to];
        spent += files.iter().map(|file| file.entry.name_cost).sum::<usize>();
        order.extend(files.iter().map(|file| file.entry));
        if let Some(next) = group.files.get(offer.to) {
            heap.push(Offer { value: next.score / next.cost, group: offer.group, from: offer.to, to: offer.to + 1 });
        }
    }
    order
}

fn grouped<'a, F: Fn(&str) -> usize>(ranked: &[Likely], entries: &'a [Entry<'a>], costs: &Costs<F>) -> Vec<Group<'a>> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (likely, entry) in ranked.iter().zip(entries) {
        let place = *places.entry(entry.directory).or_insert_with(|| {
            let opening = number(costs.of(&lines::opening(entry.directory)) + costs.line);
            groups.push(Group { opening, files: Vec::new() });
            groups.len() - 1
        });
        groups[place].files.push(File { entry, score: likely.score, cost: number(entry.name_cost) });
    }
    for group in &mut groups {
        group.files.sort_by(|one, other| (other.score / other.cost).total_cmp(&(one.score / one.cost)));
    }
    groups
}

fn number(cost: usize) -> f64 {
    f64::from(u32::try_from(cost).unwrap_or(u32::MAX).max(1))
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
