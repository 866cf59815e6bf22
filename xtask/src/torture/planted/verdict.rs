//! Judges what a command left behind: nothing outside, nothing shown, nothing copied.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::rig::{Finished, files_below};

use super::delivery::Arrived;
use super::{CANARY, TRANSCRIPT_CANARY, Victim};

/// The user's own directories of handoff, below the home directory.
const OWN_DIRECTORIES: [&str; 4] = ["data/handoff", "config/handoff", "state/handoff", "cache/handoff"];
/// Below a project: where planted state may stay, whole and unread.
const SET_ASIDE: &str = ".handoff/local/set-aside";

/// Every file of a user outside of the project and of handoff's own directories, with its content.
#[derive(PartialEq, Eq)]
pub(crate) struct Snapshot(BTreeMap<PathBuf, Vec<u8>>);

impl Snapshot {
    pub(crate) fn take(victim: &Victim, top: &Path) -> Snapshot {
        let own = OWN_DIRECTORIES.map(|dir| victim.home().join(dir));
        let is_outside = |path: &PathBuf| !path.starts_with(top) && !own.iter().any(|dir| path.starts_with(dir));
        let files = files_below(victim.root()).into_iter().filter(is_outside);
        // A link counts by where it leads.
        let content = |path: &Path| match fs::read_link(path) {
            Ok(target) => target.into_os_string().into_encoded_bytes(),
            Err(_) => fs::read(path).unwrap_or_default(),
        };
        Snapshot(files.map(|path| (path.clone(), content(&path))).collect())
    }

    /// The first path that is not as it was.
    fn difference(&self, after: &Snapshot) -> Option<String> {
        let gone = self.0.keys().find(|path| !after.0.contains_key(*path)).map(|path| (path, "is gone"));
        let made = after.0.keys().find(|path| !self.0.contains_key(*path)).map(|path| (path, "was made"));
        let changed = self.0.iter().find(|(path, bytes)| after.0.get(*path).is_some_and(|now| now != *bytes));
        let found = gone.or(made).or(changed.map(|(path, _)| (path, "was changed")));
        found.map(|(path, how)| format!("`{}` {how}, outside of the project", path.display()))
    }
}

pub(crate) fn judge(
    victim: &Victim,
    arrived: &Arrived,
    planted: &BTreeMap<String, Vec<u8>>,
    before: &Snapshot,
    finished: &Finished,
) -> Result<(), String> {
    if let Some(how) = finished.died() {
        return Err(format!("it {how}"));
    }
    if !matches!(finished.code, Some(0..=6 | 64)) {
        return Err(format!("exit code {:?} is not in the contract", finished.code));
    }
    if let Some(difference) = before.difference(&Snapshot::take(victim, &arrived.top)) {
        return Err(difference);
    }
    for (canary, whose) in [(CANARY, "planted text"), (TRANSCRIPT_CANARY, "a transcript of another project")] {
        if finished.stdout.contains(canary) || finished.stderr.contains(canary) {
            return Err(format!("{whose} is shown"));
        }
    }
    for path in files_below(victim.root()) {
        if path == victim.transcript() || path.components().any(|part| part.as_os_str() == ".git") {
            continue;
        }
        let bytes = fs::read(&path).unwrap_or_default();
        if contains(&bytes, TRANSCRIPT_CANARY) {
            return Err(format!("a transcript of another project was copied to `{}`", path.display()));
        }
        if contains(&bytes, CANARY) && !is_as_planted(&path, &bytes, arrived, planted) {
            return Err(format!("planted text was copied to `{}`", path.display()));
        }
    }
    Ok(())
}

/// Whether a file is a planted one: set aside, or in its place and untouched.
fn is_as_planted(path: &Path, bytes: &[u8], arrived: &Arrived, planted: &BTreeMap<String, Vec<u8>>) -> bool {
    if path.starts_with(arrived.project.join(SET_ASIDE)) {
        return true;
    }
    let below = path.strip_prefix(arrived.project.join(".handoff/local")).ok().and_then(Path::to_str);
    below.is_some_and(|below| planted.get(below).is_some_and(|whole| whole == bytes))
}

fn contains(bytes: &[u8], canary: &str) -> bool {
    bytes.windows(canary.len()).any(|window| window == canary.as_bytes())
}
