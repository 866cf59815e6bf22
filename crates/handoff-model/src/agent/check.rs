//! Commands in the form in which two runs are compared: the same program on the same target is the same check, whatever
//! its flags, its environment and what gets its output. Its directory counts only where both runs name one.
//!
//! **Invariant:** a command that passes settles another only if everything that one checks was checked again. Where that
//! cannot be known, it settles nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

mod dialect;
mod directory;
mod flags;
mod purpose;
mod shell;
mod wrapper;

use dialect::{Dialect, Empty, Matching};
use directory::RunDirectory;
use flags::FlagEffect;
use shell::{Joint, Pipeline, ShellLine};

/// Commands within commands are followed so deep, as in `sudo bash -lc 'timeout 60 make'`.
const MAX_DEPTH: usize = 4;
/// A longer line is a script, not a check that is run again.
const MAX_LINE_BYTES: usize = 2_000;

/// The programs of a line that count, without what only prepares or shortens.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CheckCommand {
    parts: Vec<CheckPart>,
    proof: Proof,
}

/// The amount that the exit code of a line says about the programs in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Proof {
    /// All passed if the line did
    Passing,
    /// Success says nothing, because another program's exit code is told, or nothing was really run
    FailureOnly,
}

/// One program with what it is run on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CheckPart {
    /// Where it is run, if the line says so
    directory: Option<RunDirectory>,
    /// Program and subcommand, such as `cargo test`
    program: String,
    /// Targets by the flag that selects them; those without a flag under the empty one
    targets: BTreeMap<String, BTreeSet<String>>,
}

impl CheckCommand {
    /// Reads a line; `None` where nothing in it could be checked again.
    pub fn read(line: &str) -> Option<CheckCommand> {
        // The mark of a secret has a blank in it, which the secret had not.
        let line = line.replace("[redacted: ", "[redacted:");
        let command = read_within(&line, MAX_DEPTH)?;
        // A script that is called like a program, as in `bash timeout x`, could not be told from it later.
        let again = read_within(&command.record(), MAX_DEPTH)?;
        (again.parts == command.parts).then_some(command)
    }

    /// The command as it is recorded, with the directories that it names.
    pub fn record(&self) -> String {
        let mut commands = Vec::new();
        let mut inside: Option<&RunDirectory> = None;
        for part in &self.parts {
            if let Some(directory) = part.directory.as_ref().filter(|directory| inside != Some(*directory)) {
                commands.push(format!("cd {}", quoted(&directory.to_string())));
                inside = Some(directory);
            }
            commands.push(part.to_string());
        }
        commands.join(" && ")
    }

    /// The command with its directories as they are written from the project's, which `roots` are the ways to write.
    #[must_use]
    pub fn within(mut self, roots: &[&str]) -> CheckCommand {
        for part in &mut self.parts {
            part.directory = part.directory.take().and_then(|directory| directory.within(roots));
        }
        self.parts.sort();
        self.parts.dedup();
        self
    }

    /// Reports whether success of the line says that its programs passed.
    pub fn proves_success(&self) -> bool {
        self.proof == Proof::Passing
    }

    /// Reports whether it tests, builds or lints.
    pub fn is_check(&self) -> bool {
        self.parts.iter().any(|part| purpose::checks(&part.program, part.words()))
    }

    /// Reports whether everything that `narrow` runs is run by this command too.
    pub fn covers(&self, narrow: &CheckCommand) -> bool {
        narrow.parts.iter().all(|narrow| self.parts.iter().any(|wide| wide.covers(narrow)))
    }

    /// Reports whether several commands together run everything that this one runs.
    pub fn is_covered_by<'c>(&self, wide: &(impl Iterator<Item = &'c CheckCommand> + Clone)) -> bool {
        let is_covered = |part: &CheckPart| wide.clone().any(|wide| wide.parts.iter().any(|wide| wide.covers(part)));
        self.parts.iter().all(is_covered)
    }

    /// Reports whether it runs a part of what another command runs.
    pub fn shares_part(&self, other: &CheckCommand) -> bool {
        other.parts.iter().any(|part| self.parts.iter().any(|wide| wide.covers(part)))
    }

    /// Targets that look like a file of the project, such as `tests/refresh.sh`.
    pub fn files(&self) -> Vec<&str> {
        let programs = self.parts.iter().map(|part| part.program.as_str());
        let targets = self.parts.iter().flat_map(|part| part.targets.get("").into_iter().flatten());
        programs.chain(targets.map(String::as_str)).filter_map(file_of).collect()
    }
}

/// The file that a target names, without the test in it.
fn file_of(target: &str) -> Option<&str> {
    let path = target.split("::").next().unwrap_or(target);
    let path = match path.rsplit_once(':') {
        Some((file, line)) if line.bytes().all(|byte| byte.is_ascii_digit()) => file,
        _ => path,
    };
    let (_, extension) = path.rsplit('/').next()?.rsplit_once('.')?;
    let is_extension = (1..=5).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_plain = !path.contains(['*', '?', '$', '[', '{', ' ', '~', '@']) && !path.starts_with(['/', '.']);
    (is_extension && is_plain && path.contains('/')).then_some(path)
}

impl fmt::Display for CheckCommand {
    /// Writes it so that reading it again gives the same but for its directories.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, part) in self.parts.iter().enumerate() {
            let joint = if place > 0 { " && " } else { "" };
            write!(f, "{joint}{part}")?;
        }
        Ok(())
    }
}

impl fmt::Display for CheckPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.program)?;
        let plain = |flag: &str| matches!(flag, "" | dialect::NARROWED | dialect::LIMITED);
        for (flag, values) in self.targets.iter().filter(|(flag, _)| !plain(flag)) {
            for value in values {
                write!(f, " {flag} {}", quoted(value))?;
            }
        }
        for (_, values) in self.targets.iter().rev().filter(|(flag, _)| plain(flag)) {
            for value in values {
                write!(f, " {}", quoted(value))?;
            }
        }
        Ok(())
    }
}

/// A word in quotes where a shell would take it apart.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,~^".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

impl CheckPart {
    fn words(&self) -> impl Iterator<Item = &str> {
        self.targets.values().flatten().map(String::as_str)
    }

    fn covers(&self, narrow: &CheckPart) -> bool {
        let is_elsewhere =
            self.directory.as_ref().zip(narrow.directory.as_ref()).is_some_and(|(own, other)| !own.may_meet(other));
        if self.program != narrow.program || is_elsewhere {
            return false;
        }
        let dialect = Dialect::of(&self.program);
        if dialect.empty == Empty::IsItsOwn && !self.targets.contains_key("") && narrow.targets.contains_key("") {
            return false;
        }
        let program = dialect::bare_name(&self.program);
        self.targets.iter().all(|(flag, wide)| {
            let Some(narrow) = narrow.targets.get(flag) else { return false };
            // The other run may leave out more, not less.
            if flag == dialect::LIMITED || FlagEffect::of(program, flag, None) == Some(FlagEffect::Excludes) {
                return wide.is_subset(narrow);
            }
            let matching = if flag.is_empty() { dialect.matching } else { Matching::Equal };
            narrow.iter().all(|narrow| wide.iter().any(|wide| matching.includes(wide, narrow)))
        })
    }
}

/// Reports whether the first program of a line only looks at things; cheaper than reading all of it.
pub(super) fn only_looks(line: &str) -> bool {
    purpose::looks(line.split_whitespace().next().unwrap_or_default())
}

fn read_within(line: &str, depth: usize) -> Option<CheckCommand> {
    if line.len() > MAX_LINE_BYTES {
        return None;
    }
    let ShellLine { pipelines } = ShellLine::read(line);
    let sets = |flag: &str| {
        let is_set = |words: &Vec<String>| {
            words.first().is_some_and(|word| word == "set") && words.iter().any(|word| has_option(word, flag))
        };
        pipelines.iter().flat_map(|(pipeline, _)| &pipeline.programs).any(is_set)
    };
    let (stops_at_failure, has_pipefail) = (sets("e"), sets("pipefail"));
    // The exit code is that of the last list; a later one hides the earlier.
    let is_end = |(_, joint): &&(Pipeline, Joint)| match joint {
        Joint::Sequence => !stops_at_failure,
        Joint::Background => true,
        Joint::And | Joint::Or => false,
    };
    let before_last = pipelines.len().saturating_sub(1);
    let start = pipelines[..before_last].iter().rposition(|pipeline| is_end(&pipeline)).map_or(0, |place| place + 1);
    let (hidden, judged) = pipelines.split_at(start);
    let last = parts_of(judged, has_pipefail, depth);
    if let Some(command) = last {
        return Some(command);
    }
    // `make test; echo $?` runs a check and tells nothing of it, unless it is known to have failed.
    let start = hidden[..hidden.len().saturating_sub(1)].iter().rposition(|pipeline| is_end(&pipeline));
    let hidden = &hidden[start.map_or(0, |place| place + 1)..];
    parts_of(hidden, has_pipefail, depth).map(|command| CheckCommand { proof: Proof::FailureOnly, ..command })
}

/// Reports whether a word of `set` turns an option on, as `-e`, `-euo` or `pipefail` do.
fn has_option(word: &str, option: &str) -> bool {
    word == option || (option.len() == 1 && word.starts_with('-') && !word.starts_with("--") && word.contains(option))
}

fn parts_of(pipelines: &[(Pipeline, Joint)], has_pipefail: bool, depth: usize) -> Option<CheckCommand> {
    // The exit code of what runs in the background is not waited for.
    let is_background = pipelines.iter().any(|(_, joint)| *joint == Joint::Background);
    let proof = if is_background { Proof::FailureOnly } else { Proof::Passing };
    let mut command = CheckCommand { parts: Vec::new(), proof };
    let mut is_alternative = false;
    for (pipeline, joint) in pipelines {
        let first = pipeline.programs.first().map(Vec::as_slice).unwrap_or_default();
        if !is_alternative && let Some(read) = program(first, pipeline.directory.as_ref(), depth) {
            let is_hidden = (pipeline.programs.len() > 1 && !has_pipefail) || *joint == Joint::Or;
            if is_hidden || read.proof == Proof::FailureOnly {
                command.proof = Proof::FailureOnly;
            }
            for part in read.parts {
                if !command.parts.contains(&part) {
                    command.parts.push(part);
                }
            }
        }
        is_alternative = *joint == Joint::Or;
    }
    command.parts.sort();
    (!command.parts.is_empty()).then_some(command)
}

/// Reads one program with its arguments; `None` for one that only prepares or looks.
fn program(words: &[String], outer: Option<&RunDirectory>, depth: usize) -> Option<CheckCommand> {
    let words = wrapper::unwrapped(words);
    let (name, arguments) = words.split_first()?;
    if let Some(script) = wrapper::script_of(name, arguments) {
        let mut command = if depth == 0 { None } else { read_within(script, depth - 1) }?;
        for part in &mut command.parts {
            part.directory = part.directory.take().or_else(|| outer.cloned());
        }
        return Some(command);
    }
    let (name, arguments) = dialect::program_name(name, arguments)?;
    let dialect = Dialect::of(&name);
    let (targets, proof) = dialect.targets(&name, &arguments);
    let directory = RunDirectory::of_run(dialect::bare_name(&name), &arguments, outer);
    Some(CheckCommand { parts: vec![CheckPart { directory, program: name, targets }], proof })
}

#[cfg(test)]
mod tests;
