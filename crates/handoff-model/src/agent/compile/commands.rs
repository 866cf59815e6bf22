//! Commands that were run, put together by what they do, and how they went.

use super::super::Digest;
use super::words;

/// The most cautions about commands.
const MOST_CAUTIONS: usize = 5;

/// A command, all of its runs together.
pub(super) struct Runs {
    /// The command as it is shown
    pub(super) command: String,
    pub(super) failed: u32,
    /// How often it failed since it last went well
    pub(super) failed_last: u32,
    pub(super) last: Outcome,
    /// What the last failure said
    tail: Option<String>,
    pub(super) line: Option<u64>,
    /// Whether it checks the work, and not only looks at something
    pub(super) is_check: bool,
    /// Whether nothing was run after it
    pub(super) is_last: bool,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Passed,
    Failed(Option<i32>),
    /// It was not told, or only that of another command behind a `|`
    Unknown,
}

/// The commands, in the order in which they were last run.
pub(super) fn runs(digest: &Digest) -> Vec<Runs> {
    let mut all: Vec<Runs> = Vec::new();
    for ran in &digest.commands {
        let (command, is_piped) = essence(&ran.command);
        if command.is_empty() {
            continue;
        }
        let outcome = match (&ran.id, ran.is_failure) {
            (_, true) => Outcome::Failed(ran.exit),
            (None, false) if !is_piped => Outcome::Passed,
            _ => Outcome::Unknown,
        };
        let known = all.iter().position(|runs| runs.command == command).map(|place| all.remove(place));
        let mut runs = known.unwrap_or_else(|| Runs {
            is_check: is_check(&command),
            command,
            failed: 0,
            failed_last: 0,
            last: Outcome::Unknown,
            tail: None,
            line: None,
            is_last: false,
        });
        match outcome {
            Outcome::Failed(_) => {
                runs.failed += 1;
                runs.failed_last += 1;
                runs.tail.clone_from(&ran.tail);
            }
            Outcome::Passed => runs.failed_last = 0,
            Outcome::Unknown => {}
        }
        if outcome != Outcome::Unknown {
            runs.last = outcome;
        }
        runs.line = ran.line.or(runs.line);
        all.push(runs);
    }
    if let Some(last) = all.last_mut() {
        last.is_last = true;
    }
    all
}

impl Runs {
    /// Whether it failed in the end and that is worth mending.
    pub(super) fn is_broken(&self) -> bool {
        matches!(self.last, Outcome::Failed(_)) && (self.is_check || (self.is_last && !only_looks(&self.command)))
    }

    /// `(exit 1)`, where that is known.
    pub(super) fn exit(&self) -> String {
        match self.last {
            Outcome::Failed(Some(exit)) => format!(" (exit {exit})"),
            _ => String::new(),
        }
    }

    /// What it said when it failed, in one line.
    pub(super) fn complaint(&self, limit: usize) -> String {
        let line = self.tail.as_deref().and_then(|tail| words::last_line(tail, limit));
        line.map(|line| format!(": {line}")).unwrap_or_default()
    }

    /// The command as it stands in a sentence, of at most `limit` bytes.
    pub(super) fn shown(&self, limit: usize) -> String {
        format!("`{}`", words::one_line(&self.command, limit).replace('`', "'"))
    }
}

/// What failed again and again and did not pass in the end.
pub(super) fn cautions(runs: &[Runs]) -> Vec<(String, Option<u64>)> {
    let stubborn = runs.iter().rev().filter(|runs| runs.failed_last >= 2 && !only_looks(&runs.command));
    let say = |runs: &Runs| {
        let text =
            format!("{} failed {} times and did not pass{}", runs.shown(120), runs.failed_last, runs.complaint(300));
        (text, runs.line)
    };
    stubborn.take(MOST_CAUTIONS).map(say).collect()
}

/// A command without what only chooses its directory or shortens its output, and whether another one got its output.
fn essence(command: &str) -> (String, bool) {
    let mut rest = command.trim();
    while let Some((first, behind)) = rest.split_once("&&")
        && first.trim_start().starts_with("cd ")
        && !first.contains(['|', ';'])
    {
        rest = behind.trim_start();
    }
    let is_cutter =
        |part: &str| matches!(part.split_whitespace().next(), Some("tail" | "head" | "grep" | "tee" | "cat" | "less"));
    let mut is_piped = false;
    while let Some((before, last)) = rest.rsplit_once(" | ").filter(|(_, last)| is_cutter(last)) {
        is_piped = !last.is_empty();
        rest = before.trim_end();
    }
    let rest = rest.trim_end().trim_end_matches("2>&1").trim_end();
    (words::one_line(rest, 400), is_piped)
}

/// Whether a command checks the work: tests, builds, lints.
fn is_check(command: &str) -> bool {
    const CHECKS: &[&str] = &[
        "bench",
        "build",
        "check",
        "checks",
        "clippy",
        "compile",
        "ctest",
        "eslint",
        "jest",
        "lint",
        "make",
        "mocha",
        "mypy",
        "nextest",
        "phpunit",
        "playwright",
        "pyright",
        "pytest",
        "rspec",
        "ruff",
        "test",
        "tests",
        "tox",
        "tsc",
        "typecheck",
        "unittest",
        "verify",
        "vet",
        "vitest",
    ];
    let checks = |part: &str| {
        let mut words = part.split(|c: char| !c.is_alphanumeric());
        words.any(|word| CHECKS.contains(&word.to_ascii_lowercase().as_str()))
    };
    parts(command).iter().any(|part| !looks(part) && checks(part))
}

/// Whether a command looks at things or moves them about; that it fails says nothing about the work.
fn only_looks(command: &str) -> bool {
    parts(command).iter().all(|part| looks(part))
}

fn looks(part: &str) -> bool {
    const LOOKS: &[&str] = &[
        "", "[", "awk", "cat", "cd", "chmod", "cp", "curl", "diff", "echo", "export", "fd", "file", "find", "git",
        "grep", "head", "jq", "kill", "less", "ls", "mkdir", "mv", "printf", "ps", "pwd", "rg", "rm", "sed", "sleep",
        "sort", "stat", "tail", "test", "touch", "tree", "type", "wc", "wget", "which",
    ];
    let first = part.split_whitespace().find(|word| !word.contains('=')).unwrap_or_default();
    LOOKS.contains(&first.rsplit('/').next().unwrap_or(first))
}

/// The commands of a line, without what stands in quotes.
fn parts(command: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    for c in command.chars() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '&' | ';' | '|' | '\n') => parts.push(String::new()),
            (None, c) => parts.last_mut().expect("there is always one").push(c),
        }
    }
    parts
}
