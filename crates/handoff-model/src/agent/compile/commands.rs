//! Commands that were run, put together by what they do, and how they went.

use super::super::{CheckCommand, Digest, Ran};
use super::words;
use crate::when::Moment;

/// The most notes about commands that failed again and again.
const MAX_STUBBORN: usize = 5;

/// A command, all of its runs together.
pub(super) struct Runs {
    /// The command as it is shown
    pub(super) command: String,
    /// The form in which it is compared with others
    pub(super) check: CheckCommand,
    pub(super) failed: u32,
    /// How often it failed since it last went well
    pub(super) failed_last: u32,
    pub(super) last: Outcome,
    /// What the last failure said
    tail: Option<String>,
    pub(super) line: Option<u64>,
    /// Whether nothing was run after it
    pub(super) is_last: bool,
    /// Commands that passed since it last failed
    passed_since: Vec<CheckCommand>,
}

/// A check that passed and did not fail afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedCheck {
    pub check: CheckCommand,
    /// When it passed
    pub at: Option<Moment>,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Passed,
    Failed(Option<i32>),
    /// It was not told, or only that of another command
    Unknown,
}

/// The exit code of a command that a person interrupted.
const INTERRUPTED: i32 = 130;

fn outcome(ran: &Ran, check: &CheckCommand) -> Outcome {
    match (&ran.id, ran.is_failure) {
        (_, true) if ran.exit == Some(INTERRUPTED) => Outcome::Unknown,
        (_, true) => Outcome::Failed(ran.exit),
        (None, false) if check.proves_success() => Outcome::Passed,
        _ => Outcome::Unknown,
    }
}

/// The check that a command ran, with its directories as they are written from the project's.
fn check_of(ran: &Ran, roots: &[&str]) -> Option<CheckCommand> {
    CheckCommand::read(&ran.command).map(|check| check.within(roots))
}

/// The commands that could be checked again, in the order in which they were last run.
pub(super) fn runs(digest: &Digest, roots: &[&str]) -> Vec<Runs> {
    let mut all: Vec<Runs> = Vec::new();
    for ran in &digest.commands {
        let Some(check) = check_of(ran, roots) else {
            if let Some(last) = all.last_mut().filter(|_| !ran.command.trim().is_empty()) {
                last.is_last = false;
            }
            continue;
        };
        let outcome = outcome(ran, &check);
        let known = all.iter().position(|runs| runs.check.covers(&check) && check.covers(&runs.check));
        let mut runs = known.map_or_else(
            || Runs {
                command: String::new(),
                check: check.clone(),
                failed: 0,
                failed_last: 0,
                last: Outcome::Unknown,
                tail: None,
                line: None,
                is_last: false,
                passed_since: Vec::new(),
            },
            |place| all.remove(place),
        );
        match outcome {
            Outcome::Failed(_) => {
                runs.failed += 1;
                runs.failed_last += 1;
                runs.tail.clone_from(&ran.tail);
                runs.passed_since.clear();
            }
            Outcome::Passed => {
                runs.failed_last = 0;
                // A wider run that passes settles the narrower ones.
                for other in &mut all {
                    other.settle_by(&check);
                }
            }
            Outcome::Unknown => {}
        }
        if outcome != Outcome::Unknown {
            runs.last = outcome;
        }
        runs.line = ran.line.or(runs.line);
        runs.command = essence(&ran.command);
        runs.is_last = true;
        if let Some(before) = all.last_mut() {
            before.is_last = false;
        }
        all.push(runs);
    }
    all
}

/// The checks that passed and did not fail afterwards, in the order of time.
pub(super) fn passed(digest: &Digest, roots: &[&str]) -> Vec<PassedCheck> {
    let mut passed: Vec<PassedCheck> = Vec::new();
    for ran in &digest.commands {
        let Some(check) = check_of(ran, roots) else { continue };
        match outcome(ran, &check) {
            Outcome::Passed => {
                passed.retain(|known| known.check != check);
                passed.push(PassedCheck { check, at: ran.at.or(digest.ended_at) });
            }
            // What failed, or a part of it, passes no more.
            Outcome::Failed(_) => {
                passed.retain(|known| !known.check.covers(&check) && !check.covers(&known.check));
            }
            Outcome::Unknown => {}
        }
    }
    passed
}

impl Runs {
    /// Reports whether it failed in the end and should be fixed.
    pub(super) fn is_broken(&self) -> bool {
        matches!(self.last, Outcome::Failed(_)) && (self.check.is_check() || self.is_last)
    }

    fn settle_by(&mut self, passed: &CheckCommand) {
        if matches!(self.last, Outcome::Failed(_)) {
            self.passed_since.push(passed.clone());
            if self.check.is_covered_by(&self.passed_since.iter()) {
                (self.last, self.failed_last) = (Outcome::Passed, 0);
            }
        }
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

/// Commands that failed again and again and did not pass in the end, in words.
pub(super) fn stubborn(runs: &[Runs]) -> Vec<(String, Option<u64>)> {
    let stubborn = runs.iter().rev().filter(|runs| runs.failed_last >= 2);
    let say = |runs: &Runs| {
        let text =
            format!("{} failed {} times and did not pass{}", runs.shown(120), runs.failed_last, runs.complaint(300));
        (text, runs.line)
    };
    stubborn.take(MAX_STUBBORN).map(say).collect()
}

/// A command without what only chooses its directory or shortens its output, as a person would run it again.
fn essence(command: &str) -> String {
    let mut rest = command.trim();
    while let Some((first, behind)) = rest.split_once("&&")
        && first.trim_start().starts_with("cd ")
        && !first.contains(['|', ';'])
    {
        rest = behind.trim_start();
    }
    let is_cutter =
        |part: &str| matches!(part.split_whitespace().next(), Some("tail" | "head" | "grep" | "tee" | "cat" | "less"));
    while let Some((before, _)) = rest.rsplit_once(" | ").filter(|(_, last)| is_cutter(last)) {
        rest = before.trim_end();
    }
    let rest = rest.trim_end().trim_end_matches("|| true").trim_end().trim_end_matches("2>&1").trim_end();
    words::one_line(rest, 400)
}
