//! What is compared.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use handoff_model::likely::{Clues, Commit, Likely, is_by_product, listed, listed_by, named, rank, rank_for_prompt};

use super::data::{Boundary, Repository};
use super::{BUDGETS, Shares};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum System {
    /// The files of the last session, latest first, a path a line.
    LastSession,
    /// Every touch counts, less with time; a path a line.
    Frecency,
    /// The same, each directory written once.
    FrecencyGrouped,
    /// The same without by-products.
    FrecencyGroupedClean,
    /// Our ranking in the layout of the baseline.
    RankedGrouped,
    /// What handoff prints, its budget held by the estimate.
    Shipped,
    /// What handoff would print if it counted exactly.
    Exact,
    /// What handoff would print if it were asked for with the subject of the session's first commit.
    Prompted,
}

/// Half-lives of frecency, in days; the best one counts, for each repository and budget.
const HALF_LIVES: [f64; 5] = [1.0, 3.0, 7.0, 30.0, 90.0];
const DAY: f64 = 86_400.0;

impl System {
    pub(super) const ALL: [Self; 8] = [
        Self::LastSession,
        Self::Frecency,
        Self::FrecencyGrouped,
        Self::FrecencyGroupedClean,
        Self::RankedGrouped,
        Self::Shipped,
        Self::Exact,
        Self::Prompted,
    ];

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::LastSession => "last session's files",
            Self::Frecency => "frecency, a path a line",
            Self::FrecencyGrouped => "frecency, grouped by directory",
            Self::FrecencyGroupedClean => "… without by-products",
            Self::RankedGrouped => "our ranking, grouped by directory",
            Self::Shipped => "handoff",
            Self::Exact => "handoff, counting exactly",
            Self::Prompted => "handoff, with a prompt",
        }
    }

    pub(super) fn measure(self, repository: &Repository, counter: &Counter) -> Shares {
        let mean = |list: &dyn Fn(&Boundary) -> Box<dyn List>| mean(repository, counter, list);
        let frecency = |clean: bool, grouped: bool| {
            let runs = HALF_LIVES.map(|half_life| {
                mean(&|boundary| {
                    let paths = frecency(repository, boundary, half_life, clean);
                    if grouped { Box::new(Grouped(paths)) } else { Box::new(Paths(paths)) }
                })
            });
            std::array::from_fn(|budget| runs.iter().map(|run| run[budget]).fold(0.0, f64::max))
        };
        match self {
            Self::LastSession => mean(&|boundary| Box::new(Paths(last_session(repository, boundary)))),
            Self::Frecency => frecency(false, false),
            Self::FrecencyGrouped => frecency(false, true),
            Self::FrecencyGroupedClean => frecency(true, true),
            Self::RankedGrouped => mean(&|boundary| {
                Box::new(Grouped(ours(repository, boundary).0.into_iter().map(|likely| likely.path).collect()))
            }),
            Self::Shipped => mean(&|boundary| Box::new(Estimated(ours(repository, boundary).0))),
            Self::Exact => mean(&|boundary| Box::new(ours(repository, boundary))),
            Self::Prompted => mean(&|boundary| Box::new(Estimated(prompted(repository, boundary)))),
        }
    }
}

fn mean(repository: &Repository, counter: &Counter, list: &dyn Fn(&Boundary) -> Box<dyn List>) -> Shares {
    let mut sums = [0.0; BUDGETS.len()];
    for boundary in &repository.boundaries {
        let list = list(boundary);
        for (sum, budget) in sums.iter_mut().zip(BUDGETS) {
            let lines = list.listing(budget, counter);
            let cost = Counter::exact(&printed(&lines));
            assert!(cost <= budget, "{cost} tokens for a budget of {budget}");
            let named: BTreeSet<String> = list.read(&lines).into_iter().collect();
            *sum += ratio(named.intersection(&boundary.wanted).count(), boundary.wanted.len());
        }
    }
    sums.map(|sum| sum / ratio(repository.boundaries.len(), 1))
}

/// The lines as they are printed: as a quotation.
fn printed(lines: &[String]) -> String {
    lines.iter().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
}

fn ratio(part: usize, whole: usize) -> f64 {
    f64::from(u32::try_from(part).unwrap_or(u32::MAX)) / f64::from(u32::try_from(whole).unwrap_or(u32::MAX))
}

/// A list of files that can be cut to a budget.
pub(super) trait List {
    fn listing(&self, budget: usize, counter: &Counter) -> Vec<String>;

    /// The paths that the lines name.
    fn read(&self, lines: &[String]) -> Vec<String> {
        named(lines)
    }
}

/// Tokens of a line beside its words: its end, and the mark of a quotation.
const LINE: usize = 2;

/// A path a line.
pub(super) struct Paths(Vec<String>);

/// `directory: name, name`, a directory a line, files in their order as long as they fit.
pub(super) struct Grouped(Vec<String>);

/// What handoff prints, the budget held by its estimate.
pub(super) struct Estimated(Vec<Likely>);

/// The same with exact counting.
pub(super) struct Exact(Vec<Likely>);

pub(super) fn ours(repository: &Repository, boundary: &Boundary) -> Exact {
    let clues = Clues { author: Some(boundary.author), ..Clues::default() };
    Exact(rank(repository.known(boundary), |path| boundary.present.contains(path), &clues))
}

fn prompted(repository: &Repository, boundary: &Boundary) -> Vec<Likely> {
    let clues = Clues { author: Some(boundary.author), ..Clues::default() };
    let is_present = |path: &str| boundary.present.contains(path);
    rank_for_prompt(repository.known(boundary), is_present, &clues, &boundary.prompt)
}

impl List for Estimated {
    fn listing(&self, budget: usize, _: &Counter) -> Vec<String> {
        listed(&self.0, budget).lines
    }
}

impl List for Exact {
    fn listing(&self, budget: usize, counter: &Counter) -> Vec<String> {
        listed_by(&self.0, budget, |text| counter.piece(text)).lines
    }
}

impl List for Paths {
    fn listing(&self, budget: usize, counter: &Counter) -> Vec<String> {
        let mut left = budget;
        let fits = |path: &&String| {
            let cost = counter.piece(&format!(" {path}")) + LINE;
            let fits = cost <= left;
            left -= if fits { cost } else { 0 };
            fits
        };
        self.0.iter().filter(fits).cloned().collect()
    }

    fn read(&self, lines: &[String]) -> Vec<String> {
        lines.to_vec()
    }
}

impl List for Grouped {
    fn listing(&self, budget: usize, counter: &Counter) -> Vec<String> {
        let mut left = budget;
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut lines: Vec<String> = Vec::new();
        for path in &self.0 {
            let (directory, name) = path.split_at(path.rfind('/').map_or(0, |slash| slash + 1));
            let name_cost = counter.piece(&format!(" {name}")) + 1;
            if let Some(&place) = places.get(directory) {
                if name_cost <= left {
                    left -= name_cost;
                    lines[place] += ", ";
                    lines[place] += name;
                }
                continue;
            }
            let title = format!("{}:", if directory.is_empty() { "./" } else { directory });
            let cost = counter.piece(&format!(" {title}")) + name_cost + LINE;
            if cost <= left {
                left -= cost;
                places.insert(directory, lines.len());
                lines.push(format!("{title} {name}"));
            }
        }
        lines
    }

    fn read(&self, lines: &[String]) -> Vec<String> {
        let files = lines.iter().filter_map(|line| line.split_once(": "));
        files
            .flat_map(|(directory, names)| {
                let directory = directory.strip_prefix("./").unwrap_or(directory);
                names.split(", ").map(move |name| format!("{directory}{name}"))
            })
            .collect()
    }
}

fn frecency(repository: &Repository, boundary: &Boundary, half_life: f64, clean: bool) -> Vec<String> {
    let mut scores: BTreeMap<&str, f64> = BTreeMap::new();
    for commit in repository.known(boundary) {
        let weight = 0.5_f64.powf(age(commit, boundary) / half_life);
        for file in &commit.files {
            *scores.entry(&file.path).or_default() += weight;
        }
    }
    scores.retain(|path, _| boundary.present.contains(*path) && !(clean && is_by_product(path)));
    let mut ranked: Vec<(&str, f64)> = scores.into_iter().collect();
    ranked.sort_by(|one, other| other.1.total_cmp(&one.1));
    ranked.into_iter().map(|(path, _)| path.to_owned()).collect()
}

fn age(commit: &Commit, boundary: &Boundary) -> f64 {
    std::time::Duration::from_secs(u64::try_from(boundary.time - commit.time).unwrap_or(0)).as_secs_f64() / DAY
}

/// What the author touched since a pause of three hours, latest first.
fn last_session(repository: &Repository, boundary: &Boundary) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let mut after: Option<i64> = None;
    for commit in repository.known(boundary).iter().rev().filter(|commit| commit.author == boundary.author) {
        if after.is_some_and(|after| after - commit.time > 3 * 60 * 60) {
            break;
        }
        after = Some(commit.time);
        for file in &commit.files {
            if boundary.present.contains(&file.path) && !paths.contains(&file.path) {
                paths.push(file.path.clone());
            }
        }
    }
    paths
}

/// Counts o200k tokens, and remembers pieces that come again.
#[derive(Default)]
pub(super) struct Counter {
    pieces: RefCell<HashMap<String, usize>>,
}

impl Counter {
    pub(super) fn exact(text: &str) -> usize {
        bpe_openai::o200k_base().count(text)
    }

    pub(super) fn piece(&self, text: &str) -> usize {
        if let Some(&count) = self.pieces.borrow().get(text) {
            return count;
        }
        let count = Self::exact(text);
        self.pieces.borrow_mut().insert(text.to_owned(), count);
        count
    }
}
