//! Drift on generated repositories, measured against what is known to have happened.

mod generated;

use std::collections::BTreeSet;

use handoff_store::git::{Baseline, Drift, How, Pointed, Verdict};

use crate::repository::{Answered, PATIENCE};
use generated::{Files, Generated};

const REPOSITORIES: u64 = 48;

/// What was found, what was missed, and what was said wrongly.
#[derive(Debug, Default)]
struct Score {
    found: usize,
    missed: usize,
    wrong: usize,
    /// What was rightly said to be the same
    same: usize,
    /// What was wrong, with the story that led there
    remarks: Vec<String>,
}

impl Score {
    fn recall(&self) -> f64 {
        share(self.found, self.missed)
    }

    fn precision(&self) -> f64 {
        share(self.found, self.wrong)
    }

    fn add(&mut self, other: Score) {
        self.found += other.found;
        self.missed += other.missed;
        self.wrong += other.wrong;
        self.same += other.same;
        self.remarks.extend(other.remarks);
    }
}

#[expect(clippy::cast_precision_loss, reason = "some thousands at most")]
fn share(part: usize, rest: usize) -> f64 {
    part as f64 / (part + rest) as f64
}

#[test]
fn drift_is_found_and_nothing_else_is() {
    let workers: Vec<_> = (0..2)
        .map(|worker| {
            std::thread::spawn(move || {
                let mut scores = (Score::default(), Score::default());
                for seed in (worker..REPOSITORIES).step_by(2) {
                    let (pointers, governed) = measure(seed);
                    scores.0.add(pointers);
                    scores.1.add(governed);
                }
                scores
            })
        })
        .collect();
    let (mut pointers, mut governed) = (Score::default(), Score::default());
    for worker in workers {
        let scores = worker.join().unwrap();
        pointers.add(scores.0);
        governed.add(scores.1);
    }
    for (name, score) in [("pointers", &pointers), ("governed", &governed)] {
        println!(
            "{name}: {REPOSITORIES} repositories, {} changes, {} unchanged, recall {:.4}, precision {:.4}",
            score.found + score.missed,
            score.same,
            score.recall(),
            score.precision()
        );
        println!("{}", score.remarks.join("\n"));
    }
    assert!(pointers.found > 150 && pointers.same > 100 && governed.found > 500, "too little to measure");
    for score in [pointers, governed] {
        assert!(score.recall() >= 1.0 && score.precision() >= 0.99, "{score:?}");
    }
}

/// Saves a handoff in the middle of a generated story, and judges what is said at its end.
fn measure(seed: u64) -> (Score, Score) {
    let mut story = Generated::start(seed);
    let paths = story.choose_pointers();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let facts = story.repository.git().facts(&paths, PATIENCE).answered();
    assert_eq!(facts.skipped, None);
    let then = story.save();
    story.go_on();
    let now = story.files();

    let pointers: Vec<Pointed<'_>> = paths
        .iter()
        .map(|path| Pointed { path, blob: facts.pointed.get(*path).map(String::as_str), lines: None })
        .collect();
    let patterns: Vec<&str> = GOVERNED.iter().map(|(pattern, _)| *pattern).collect();
    let git = story.repository.git();
    let drift = git.drift(&Baseline::of(&facts.git), &pointers, &patterns, PATIENCE).answered();

    let mut score = Score::default();
    for (path, said) in paths.iter().zip(&drift.pointers) {
        judge_pointer(&mut score, &story, path, said, &then, &now);
    }
    let mut governed = Score::default();
    if story.forgets {
        assert!(drift.governed.iter().all(|governed| governed.unknown.is_some()));
    } else {
        judge_governed(&mut governed, &story, &drift, &then, &now);
    }
    (score, governed)
}

fn judge_pointer(score: &mut Score, story: &Generated, path: &str, said: &Verdict, then: &Files, now: &Files) {
    let places = story.places_of(path);
    let right = match (then.get(path), now.get(path)) {
        (Some(was), Some(is)) if was == is => *said == Verdict::Same,
        (_, Some(_)) => *said == Verdict::Changed,
        (_, None) if places.is_empty() => *said == Verdict::Gone,
        (was, None) => match said {
            Verdict::Moved { to, edited } => places.contains(to) && *edited == (now.get(to) != was),
            _ => false,
        },
    };
    let is_same = then.contains_key(path) && then.get(path) == now.get(path);
    match (is_same, right) {
        (true, true) => score.same += 1,
        (true, false) => score.wrong += 1,
        (false, true) => score.found += 1,
        (false, false) => {
            score.missed += 1;
            score.wrong += usize::from(*said != Verdict::Same);
        }
    }
    if !right {
        score.remarks.push(format!(
            "{}: pointer {path}: said {said:?}, places {places:?}
{}",
            story.name(),
            story.log()
        ));
    }
}

type Governs = fn(&str) -> bool;

/// Files that git does not look at are not governed by what is decided about the others.
fn is_ignored(path: &str) -> bool {
    path.starts_with("build/")
}

fn is_outside(path: &str) -> bool {
    path.starts_with("../")
}

fn has_ending(path: &str, ending: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, found)| found == ending)
}

/// What decisions govern, with the same written in another way.
const GOVERNED: &[(&str, Governs)] = &[
    (".", |path| !is_outside(path)),
    ("src/", |path| path.starts_with("src/")),
    ("src/core", |path| path.starts_with("src/core/")),
    ("lib/*.rs", |path| path.strip_prefix("lib/").is_some_and(|name| has_ending(name, "rs") && !name.contains('/'))),
    ("src/**/*.rs", |path| path.starts_with("src/") && has_ending(path, "rs")),
    ("*.md", |path| has_ending(path, "md") && !is_outside(path)),
    ("src/f1.rs", |path| path == "src/f1.rs"),
    ("../", |_| true),
];

fn judge_governed(score: &mut Score, story: &Generated, drift: &Drift, then: &Files, now: &Files) {
    for ((pattern, governs), said) in GOVERNED.iter().zip(&drift.governed) {
        if *pattern == "../" && !story.is_inside() {
            continue;
        }
        let all: BTreeSet<&String> =
            then.keys().chain(now.keys()).filter(|path| governs(path) && !is_ignored(path)).collect();
        let (expected, same): (Vec<&String>, Vec<&String>) =
            all.into_iter().partition(|path| then.get(*path) != now.get(*path));
        let expected: BTreeSet<&str> = expected.into_iter().map(String::as_str).collect();
        let mut told = BTreeSet::new();
        for change in &said.changes {
            let (was, is) = (then.contains_key(&change.path), now.contains_key(&change.path));
            let right = match &change.how {
                How::Edited => was && is,
                How::Added => !was && is,
                How::Deleted => was && !is,
                How::Renamed { from } => {
                    told.insert(from.as_str());
                    is && then.contains_key(from) && !now.contains_key(from)
                }
            };
            if right {
                told.insert(change.path.as_str());
            } else {
                score.remarks.push(format!("{}: {pattern}: wrongly said {change:?}", story.name()));
                score.wrong += 1;
            }
        }
        told.retain(|path| governs(path));
        let missed: Vec<_> = expected.difference(&told).collect();
        let wrong: Vec<_> = told.difference(&expected).collect();
        if !missed.is_empty() || !wrong.is_empty() {
            let story = format!(
                "{}
{}",
                story.name(),
                story.log()
            );
            score.remarks.push(format!("{pattern}: missed {missed:?}, wrong {wrong:?} in {story}"));
        }
        score.missed += missed.len();
        score.wrong += wrong.len();
        score.found += expected.intersection(&told).count();
        score.same += same.len();
    }
}
