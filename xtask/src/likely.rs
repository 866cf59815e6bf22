//! `cargo xtask likely`: how many of the next session's files a list of likely files names, within a budget of tokens.
//!
//! At the beginning of each session of a history, every system sees the commits before it and nothing else, and writes a
//! list. What is printed is counted with the o200k vocabulary. A file counts when its path can be read off the list.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a chore that reports on the terminal and writes a page that git keeps"
)]

mod data;
mod page;
mod systems;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::rig::repository_root;
use data::Repository;
use systems::{Counter, List, System};

/// Measure how many of the next session's files a list of likely files names
#[derive(Debug, Parser)]
#[command(name = "cargo xtask likely", no_binary_name = true)]
struct Options {
    /// Histories to read, instead of fixtures/likely
    #[arg(long, value_name = "FILE")]
    data: Vec<PathBuf>,
    /// Write the findings as a page, such as docs/likely-files.md
    #[arg(long, value_name = "PATH")]
    write: Option<PathBuf>,
    /// Print the list for the last session of each history, at 1,000 tokens
    #[arg(long)]
    show: bool,
}

/// The budgets, in tokens.
const BUDGETS: [usize; 4] = [250, 500, 1_000, 2_000];

/// The mean share of files named, for each budget.
type Shares = [f64; BUDGETS.len()];

/// A repository with what each system reached on it.
struct Finding {
    repository: String,
    sessions: usize,
    shares: Vec<(System, Shares)>,
}

pub(crate) fn run(args: &[String]) -> ExitCode {
    let options = match Options::try_parse_from(args) {
        Ok(options) => options,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(2);
        }
    };
    match measure(&options) {
        Ok(findings) => report(&options, &findings),
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn measure(options: &Options) -> Result<Vec<Finding>, String> {
    let files = if options.data.is_empty() { data::fixtures(&repository_root())? } else { options.data.clone() };
    let counter = Counter::default();
    let mut findings = Vec::new();
    for file in files {
        let repository = Repository::read(&file)?;
        if options.show {
            show(&repository, &counter);
        }
        let shares = System::ALL.iter().map(|system| (*system, system.measure(&repository, &counter))).collect();
        findings.push(Finding { sessions: repository.boundaries.len(), repository: repository.name, shares });
    }
    Ok(findings)
}

fn show(repository: &Repository, counter: &Counter) {
    if let Some(boundary) = repository.boundaries.last() {
        println!("{}", systems::ours(repository, boundary).listing(1_000, counter).join("\n"));
    }
}

fn report(options: &Options, findings: &[Finding]) -> ExitCode {
    let table = page::table(findings);
    print!("{table}");
    if let Some(path) = &options.write
        && let Err(error) = std::fs::write(repository_root().join(path), page::page(&table))
    {
        eprintln!("error: cannot write `{}`: {error}", path.display());
        return ExitCode::FAILURE;
    }
    let behind: Vec<&str> =
        findings.iter().filter(|finding| !finding.is_ahead()).map(|finding| finding.repository.as_str()).collect();
    if behind.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("error: not ahead of grouped frecency at 1,000 tokens: {}", behind.join(", "));
    ExitCode::FAILURE
}

impl Finding {
    fn share(&self, system: System, budget: usize) -> f64 {
        self.shares.iter().find(|(one, _)| *one == system).map_or(0.0, |(_, shares)| shares[budget])
    }

    /// Ahead of the baseline at 1,000 tokens, or at the end of the scale with it.
    fn is_ahead(&self) -> bool {
        let (ours, baseline) = (self.share(System::Shipped, 2), self.share(System::FrecencyGrouped, 2));
        ours > baseline || ours >= 1.0
    }
}
