//! Files offered for prompts: how often for those of a project itself, and how often for those of another.

use std::fmt::Write;

use handoff_model::likely::{Clues, files_for_prompt};

use super::data::{Boundary, Repository};

/// Files that the hook names at most.
const MOST: usize = 8;
/// Prompts of other projects that are tried at the beginning of each session, each time other ones.
const FOREIGN: usize = 3;

/// Prompts of a repository, and what was offered for them.
#[derive(Debug, Default)]
pub(super) struct PromptFinding {
    repository: String,
    own: usize,
    own_offered: usize,
    /// Offers of which the session touched a file
    useful: usize,
    foreign: usize,
    foreign_offered: usize,
}

/// Tries the subject of each session's first commit in its own repository and in others.
pub(super) fn measure(repositories: &[Repository]) -> Vec<PromptFinding> {
    repositories.iter().map(|repository| measure_one(repository, repositories)).collect()
}

fn measure_one(repository: &Repository, all: &[Repository]) -> PromptFinding {
    let mut finding = PromptFinding { repository: repository.name.clone(), ..PromptFinding::default() };
    let foreign: Vec<&str> = all
        .iter()
        .filter(|other| other.name != repository.name)
        .flat_map(|other| other.boundaries.iter().map(|boundary| boundary.prompt.as_str()))
        .collect();
    for (place, boundary) in repository.boundaries.iter().enumerate() {
        let files = offered(repository, boundary, &boundary.prompt);
        finding.own += 1;
        finding.own_offered += usize::from(!files.is_empty());
        finding.useful += usize::from(files.iter().any(|file| boundary.wanted.contains(file)));
        let some = (0..FOREIGN).filter_map(|step| foreign.get((place * FOREIGN + step) % foreign.len().max(1)));
        for prompt in some {
            finding.foreign += 1;
            finding.foreign_offered += usize::from(!offered(repository, boundary, prompt).is_empty());
        }
    }
    finding
}

fn offered(repository: &Repository, boundary: &Boundary, prompt: &str) -> Vec<String> {
    let clues = Clues { author: Some(boundary.author), ..Clues::default() };
    let is_present = |path: &str| boundary.present.contains(path);
    let files = files_for_prompt(repository.known(boundary), is_present, &clues, prompt);
    files.into_iter().take(MOST).map(|likely| likely.path).collect()
}

/// The findings as a table.
pub(super) fn table(findings: &[PromptFinding]) -> String {
    let mut table = String::from(
        "| repository | own prompts | offered files | one of them touched | prompts of others | offered files |\n\
         |---|---|---|---|---|---|\n",
    );
    for finding in findings {
        let PromptFinding { repository, own, own_offered, useful, foreign, foreign_offered } = finding;
        let _ = writeln!(table, "| {repository} | {own} | {own_offered} | {useful} | {foreign} | {foreign_offered} |");
    }
    table
}
