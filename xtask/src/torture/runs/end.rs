//! How runs stand, and the project when they are over: every file, without what differs from one time to another.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::rig::{Sandbox, files_below};

/// How far a run has come, as its files say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nobody will ever know that it was asked for
    Nothing,
    Open,
    Over,
}

impl Stage {
    pub(super) fn of(sandbox: &Sandbox) -> Result<Stage, String> {
        let state = sandbox.store().join("local/state");
        let waits = files_below(&state.join("queue")).iter().any(|path| !is_staged(path));
        let status = match std::fs::read_to_string(state.join("checkpoint.json")) {
            Err(_) => None,
            Ok(text) => {
                let read: Value =
                    serde_json::from_str(&text).map_err(|error| format!("the checkpoint is no JSON: {error}"))?;
                Some(read["status"].as_str().unwrap_or_default().to_owned())
            }
        };
        Ok(match status.as_deref() {
            None if waits => Stage::Open,
            None => Stage::Nothing,
            Some("completed") if !waits => Stage::Over,
            Some(_) => Stage::Open,
        })
    }
}

/// A file on its way to its place.
fn is_staged(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".new-"))
}

/// A project when runs are over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct End {
    /// What each file says, and what git does.
    files: BTreeMap<String, String>,
    /// How each run ended.
    runs: Vec<String>,
    /// The names of what handoff keeps for itself.
    state: BTreeSet<String>,
}

impl End {
    pub(super) fn look(sandbox: &Sandbox) -> Result<End, String> {
        let names = Names::read(sandbox)?;
        let project = sandbox.project();
        let mut files = BTreeMap::new();
        let mut state = BTreeSet::new();
        for path in files_below(&project) {
            let below = path.strip_prefix(&project).unwrap_or(&path).to_string_lossy().into_owned();
            if let Some(own) = below.strip_prefix(".handoff/local/state/") {
                // A request that was never made is swept when it is a day old.
                // What a run that is over left of its commands, the next one takes away.
                let is_left = own.starts_with("queue/.new-") || own.starts_with("steps/");
                let is_kept = !own.starts_with("log") && !is_left;
                state.extend(is_kept.then(|| names.blur(own)));
            } else if !below.starts_with(".git/") && !below.starts_with(".handoff/local/") {
                let text = std::fs::read(&path).map_err(|error| format!("cannot read {below}: {error}"))?;
                let text = names.blur(&String::from_utf8_lossy(&text));
                files.insert(names.blur(&below), text);
            }
        }
        for (what, args) in [
            ("git log", &["log", "--format=%B"][..]),
            ("git log of the remote", &["--git-dir=../remote.git", "log", "--format=%B"]),
            ("git status", &["status", "--porcelain"]),
            ("git ls-tree", &["ls-tree", "-r", "--name-only", "HEAD"]),
        ] {
            if project.join(".git").exists() {
                let said = sandbox.run(Path::new("git"), args).map_err(|error| format!("cannot start git: {error}"))?;
                files.insert(what.to_owned(), names.blur(&format!("{}{}", said.stdout, said.stderr)));
            }
        }
        Ok(End { files, runs: names.runs, state })
    }

    /// An error when something is different.
    pub(super) fn same(&self, other: &End) -> Result<(), String> {
        if self.runs != other.runs {
            return Err(format!("the runs are {:?} and not {:?}", other.runs, self.runs));
        }
        let paths: BTreeSet<&String> = self.files.keys().chain(other.files.keys()).collect();
        if let Some(path) = paths.into_iter().find(|path| self.files.get(*path) != other.files.get(*path)) {
            let (expected, found) = (self.files.get(path), other.files.get(path));
            return Err(format!("{path} is not as it should be: {}", first_difference(expected, found)));
        }
        let differing: Vec<&String> = self.state.symmetric_difference(&other.state).collect();
        if differing.is_empty() { Ok(()) } else { Err(format!("in local/state, these differ: {differing:?}")) }
    }

    /// How many files below these directories hold a text.
    pub(super) fn holding(&self, text: &str, directories: &[&str]) -> usize {
        let is_there = |path: &String| directories.iter().any(|above| path.starts_with(above));
        self.files.iter().filter(|(path, said)| is_there(path) && said.contains(text)).count()
    }
}

/// Ids that are drawn anew each time, and what stands for them.
struct Names {
    ids: Vec<(String, String)>,
    /// The commits that there are.
    commits: Vec<String>,
    runs: Vec<String>,
}

impl Names {
    fn read(sandbox: &Sandbox) -> Result<Names, String> {
        let text = std::fs::read_to_string(sandbox.store().join("local/state/runs.jsonl")).unwrap_or_default();
        let mut ids = vec![(sandbox.root().to_string_lossy().into_owned(), "@".to_owned())];
        let mut runs = Vec::new();
        let mut known = BTreeSet::new();
        for run in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            let id = run["run"].as_str().unwrap_or_default().to_owned();
            // What was remembered when a kill came is remembered again.
            if !known.insert(id.clone()) {
                continue;
            }
            let request = run["request"].as_str().unwrap_or_default();
            let record = request.trim_end_matches(".json").rsplit('-').next().unwrap_or_default();
            ids.push((id, format!("<run {}>", known.len())));
            ids.push((record.to_owned(), format!("<record {}>", known.len())));
            runs.push(format!("{} {}", run["status"], run["open"]));
        }
        ids.retain(|(id, _)| !id.is_empty());
        let log = sandbox.run(Path::new("git"), &["log", "--format=%H"]);
        let log = log.map_err(|error| format!("cannot start git: {error}"))?;
        Ok(Names { ids, commits: log.stdout.lines().map(str::to_owned).collect(), runs })
    }

    /// A text with what stands for ids, and without hashes: they are taken over ids.
    fn blur(&self, text: &str) -> String {
        let text = self.ids.iter().fold(text.to_owned(), |text, (id, name)| text.replace(id.as_str(), name));
        let words = text.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
        let blurred = words.map(|word| {
            let bare = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            if self.is_hash(bare) { word.replace(bare, "<hash>") } else { word.to_owned() }
        });
        blurred.collect()
    }

    fn is_hash(&self, word: &str) -> bool {
        let is_long = word.len() >= 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_long || (word.len() >= 7 && self.commits.iter().any(|commit| commit.starts_with(word)))
    }
}

fn first_difference(expected: Option<&String>, found: Option<&String>) -> String {
    let (Some(expected), Some(found)) = (expected, found) else {
        return if found.is_some() { "it should not be there".to_owned() } else { "it is not there".to_owned() };
    };
    let mut lines = expected.lines().zip(found.lines());
    match lines.find(|(expected, found)| expected != found) {
        Some((expected, found)) => format!("`{found}` instead of `{expected}`"),
        None => format!("{} lines instead of {}", found.lines().count(), expected.lines().count()),
    }
}
