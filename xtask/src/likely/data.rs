//! Histories, cut into sessions.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use handoff_model::likely::{Commit, Touched};
use serde_json::Value;

const PAUSE_SECONDS: i64 = 3 * 60 * 60;
const MOST_COMMITS: usize = 40;
const MOST_FILES: usize = 60;
/// Sessions of a young repository that are not scored.
const WARM_UP: usize = 20;

pub(super) struct Repository {
    pub(super) name: String,
    pub(super) commits: Vec<Commit>,
    pub(super) boundaries: Vec<Boundary>,
}

/// The moment before a session.
pub(super) struct Boundary {
    /// How many commits are known.
    pub(super) known: usize,
    pub(super) time: i64,
    pub(super) author: u32,
    pub(super) present: BTreeSet<String>,
    /// Subject of the session's first commit, which stands for the prompt that began it.
    pub(super) prompt: String,
    /// Files that the session will touch and that exist already.
    pub(super) wanted: BTreeSet<String>,
}

struct Session {
    author: u32,
    last: i64,
    commits: Vec<usize>,
}

/// The histories that are kept with the project.
pub(super) fn fixtures(root: &Path) -> Result<Vec<PathBuf>, String> {
    let directory = root.join("fixtures/likely");
    let entries = directory.read_dir().map_err(|error| format!("cannot read `{}`: {error}", directory.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "gz"))
        .collect();
    files.sort();
    Ok(files)
}

impl Repository {
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let file = File::open(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
        let mut text = String::new();
        let read = if path.extension().is_some_and(|ending| ending == "gz") {
            GzDecoder::new(file).read_to_string(&mut text)
        } else {
            { file }.read_to_string(&mut text)
        };
        read.map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
        let commits = text
            .lines()
            .enumerate()
            .map(|(number, line)| {
                commit(line).ok_or_else(|| format!("`{}`, line {}: not a commit", path.display(), number + 1))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let name =
            path.file_name().unwrap_or_default().to_string_lossy().split('.').next().unwrap_or_default().to_owned();
        Ok(Self { boundaries: boundaries(&commits), name, commits })
    }

    pub(super) fn known(&self, boundary: &Boundary) -> &[Commit] {
        &self.commits[..boundary.known]
    }
}

fn commit(line: &str) -> Option<Commit> {
    let value: Value = serde_json::from_str(line).ok()?;
    let touched = |file: &Value| {
        let change = file.get(0)?.as_str()?.chars().next()?;
        Some(Touched { change, path: file.get(1)?.as_str()?.to_owned(), from: None })
    };
    Some(Commit {
        time: value["t"].as_i64()?,
        author: u32::try_from(value["a"].as_u64()?).ok()?,
        subject: value["s"].as_str()?.to_owned(),
        files: value["f"].as_array()?.iter().map(touched).collect::<Option<_>>()?,
    })
}

fn sessions(commits: &[Commit]) -> Vec<Session> {
    let mut sessions: Vec<Session> = Vec::new();
    let mut open: HashMap<u32, usize> = HashMap::new();
    for (place, commit) in commits.iter().enumerate().filter(|(_, commit)| commit.files.len() <= MOST_FILES) {
        let going_on = open.get(&commit.author).copied().filter(|&session| {
            let session = &sessions[session];
            commit.time - session.last <= PAUSE_SECONDS && session.commits.len() < MOST_COMMITS
        });
        let session = going_on.unwrap_or_else(|| {
            sessions.push(Session { author: commit.author, last: commit.time, commits: Vec::new() });
            open.insert(commit.author, sessions.len() - 1);
            sessions.len() - 1
        });
        sessions[session].last = commit.time;
        sessions[session].commits.push(place);
    }
    sessions
}

fn boundaries(commits: &[Commit]) -> Vec<Boundary> {
    let mut present: BTreeSet<String> = BTreeSet::new();
    let mut known = 0;
    let mut boundaries = Vec::new();
    for session in sessions(commits).into_iter().skip(WARM_UP) {
        for commit in &commits[known..session.commits[0]] {
            for file in &commit.files {
                if file.change == 'D' {
                    present.remove(&file.path);
                } else {
                    present.insert(file.path.clone());
                }
            }
        }
        known = session.commits[0];
        let touched = session.commits.iter().flat_map(|&place| &commits[place].files).map(|file| &file.path);
        let wanted: BTreeSet<String> =
            touched.filter(|path| present.contains(*path) && !never_counts(path)).cloned().collect();
        if !wanted.is_empty() {
            boundaries.push(Boundary {
                known,
                time: commits[known].time,
                author: session.author,
                prompt: commits[known].subject.clone(),
                present: present.clone(),
                wanted,
            });
        }
    }
    boundaries
}

/// Lock files, snapshots, images, changelogs and handoffs are not scored.
///
/// A rule of the measurement, on purpose not the product's own list: what that leaves out wrongly must count as missed.
fn never_counts(path: &str) -> bool {
    const LOCKS: [&str; 4] = ["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "go.sum"];
    const ENDINGS: [&str; 10] = [".lock", ".lockb", ".snap", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".ico", ".webp"];
    let lower = path.to_lowercase();
    let mut parts = lower.rsplit('/');
    let name = parts.next().unwrap_or_default();
    LOCKS.contains(&name)
        || name.starts_with("changelog")
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        || parts.any(|directory| ["__snapshots__", "snapshots", "handoffs", ".handoff"].contains(&directory))
}
