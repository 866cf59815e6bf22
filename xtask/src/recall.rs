//! `cargo xtask recall`: how many of the records that answer a question search finds, beside plain BM25 with stems.
//!
//! Questions and answers are made of public histories and handoff notes; nobody was asked what is relevant.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a chore that reports on the terminal")]

mod data;
mod systems;

use std::process::ExitCode;

use clap::Parser;

use crate::rig::repository_root;
use data::RecallSet;
use systems::{RecallSystem, SearchedUnits};

/// Measure how many of the records that answer a question search finds
#[derive(Debug, Parser)]
#[command(name = "cargo xtask recall", no_binary_name = true)]
struct Options {
    /// Only sets of questions with this in their name
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Print the questions that plain BM25 answers better
    #[arg(long)]
    show: bool,
}

/// Answers that are looked at.
const MAX_ANSWERS: usize = 10;
const FEW_ANSWERS: usize = 5;

/// The share of points by which search may trail plain BM25, for sets that are small.
const TOLERANCE: f64 = 0.01;

/// What one system reached on one set, as means over its questions.
#[derive(Clone, Copy, Debug, Default)]
struct RecallScore {
    /// The share of answers among the first five, and among the first ten
    at_5: f64,
    at_10: f64,
    /// One divided by the rank of the first answer
    reciprocal_rank: f64,
}

pub(crate) fn run(args: &[String]) -> ExitCode {
    let options = match Options::try_parse_from(args) {
        Ok(options) => options,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(2);
        }
    };
    let sets = match RecallSet::all(&repository_root()) {
        Ok(sets) => sets,
        Err(reason) => {
            eprintln!("error: {reason}");
            return ExitCode::FAILURE;
        }
    };
    println!("| questions | system | R@5 | R@10 | MRR |\n|---|---|---|---|---|");
    let mut behind = Vec::new();
    for set in sets.iter().filter(|set| set.name.contains(&options.only)) {
        let scores = measure(set, options.show);
        let mut name = format!("{} ({})", set.name, set.questions.len());
        for (system, score) in RecallSystem::ALL.iter().zip(scores) {
            let RecallScore { at_5, at_10, reciprocal_rank } = score;
            let name = std::mem::take(&mut name);
            println!(
                "| {name} | {} | {:.1} | {:.1} | {reciprocal_rank:.2} |",
                system.title(),
                at_5 * 100.0,
                at_10 * 100.0
            );
        }
        let [plain, shipped] = scores;
        if shipped.at_10 + TOLERANCE < plain.at_10 {
            behind.push(set.name.as_str());
        }
    }
    if behind.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("error: search trails plain BM25: {}", behind.join("; "));
    ExitCode::FAILURE
}

/// The scores of all systems on one set.
fn measure(set: &RecallSet, show: bool) -> [RecallScore; RecallSystem::ALL.len()] {
    let mut scores = [RecallScore::default(); RecallSystem::ALL.len()];
    let mut searched = SearchedUnits::before(set, 0);
    let share = 1.0 / f64::from(u32::try_from(set.questions.len()).unwrap_or(u32::MAX)).max(1.0);
    for question in &set.questions {
        if !searched.are_before(question.known) {
            searched = SearchedUnits::before(set, question.known);
        }
        let found = RecallSystem::ALL.map(|system| {
            let answers = searched.answers(system, &question.text, MAX_ANSWERS);
            let is_right: Vec<bool> = answers.iter().map(|unit| question.answers.contains(unit)).collect();
            RecallScore::of(&is_right, question.answers.len())
        });
        for (score, found) in scores.iter_mut().zip(found) {
            score.at_5 += found.at_5 * share;
            score.at_10 += found.at_10 * share;
            score.reciprocal_rank += found.reciprocal_rank * share;
        }
        if show && found[1].at_10 < found[0].at_10 {
            println!("missed: {}", question.text);
            for answer in &question.answers {
                println!("    {}", set.units[*answer].text.lines().next().unwrap_or_default());
            }
        }
    }
    scores
}

impl RecallScore {
    /// The score of one list, by which of its entries are right.
    fn of(is_right: &[bool], wanted: usize) -> RecallScore {
        let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        let among =
            |first: usize| number(is_right.iter().take(first).filter(|right| **right).count()) / number(wanted.max(1));
        let rank = is_right.iter().position(|right| *right);
        RecallScore {
            at_5: among(FEW_ANSWERS),
            at_10: among(MAX_ANSWERS),
            reciprocal_rank: rank.map_or(0.0, |rank| 1.0 / number(rank + 1)),
        }
    }
}
