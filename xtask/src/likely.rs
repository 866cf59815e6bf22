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
mod prompts;
mod systems;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::rig::repository_root;
use data::Repository;
use prompts::PromptFinding;
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
        Ok((findings, prompts)) => report(&options, &findings, &prompts::table(&prompts)),
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn measure(options: &Options) -> Result<(Vec<Finding>, Vec<PromptFinding>), String> {
    let files = if options.data.is_empty() { data::fixtures(&repository_root())? } else { options.data.clone() };
    let counter = Counter::default();
    let repositories = files.iter().map(|file| Repository::read(file)).collect::<Result<Vec<_>, _>>()?;
    let mut findings = Vec::new();
    for repository in &repositories {
        if options.show {
            show(repository, &counter);
        }
        let shares = System::ALL.iter().map(|system| (*system, system.measure(repository, &counter))).collect();
        findings.push(Finding { sessions: repository.boundaries.len(), repository: repository.name.clone(), shares });
    }
    Ok((findings, prompts::measure(&repositories)))
}

fn show(repository: &Repository, counter: &Counter) {
    if let Some(boundary) = repository.boundaries.last() {
        println!("{}", systems::ours(repository, boundary).listing(1_000, counter).join("\n"));
    }
}

fn report(options: &Options, findings: &[Finding], prompts: &str) -> ExitCode {
    let table = page::table(findings);
    print!("{table}\n{prompts}");
    if let Some(path) = &options.write
        && let Err(error) = std::fs::write(repository_root().join(path), page::page(&table, prompts))
    {
        eprintln!("error: cannot write `{}`: {error}", path.display());
        return ExitCode::FAILURE;
    }
    let behind: Vec<&str> =
        findings.iter().filter(|finding| !finding.is_ahead()).map(|finding| finding.repository.as_str()).collect();
    if behind.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("error: not ahead of grouped frecency at 250 and 500 tokens: {}", behind.join(", "));
    ExitCode::FAILURE
}

impl Finding {
    fn share(&self, system: System, budget: usize) -> f64 {
        self.shares.iter().find(|(one, _)| *one == system).map_or(0.0, |(_, shares)| shares[budget])
    }

    /// Ahead of the baseline at 250 and 500 tokens. With more the list ends by itself where a repository is small.
    fn is_ahead(&self) -> bool {
        (0..2).all(|budget| self.share(System::Shipped, budget) > self.share(System::FrecencyGrouped, budget))
    }
}
