//! What the log and the index have to say of the files, and what is wrong with these two themselves.

use std::collections::{BTreeMap, BTreeSet};

use handoff_model::heal::{Finding, Kind};
use handoff_model::history::{Changed, FileChange};

use super::cure::KnownVersion;
use crate::error::Result;
use crate::index::Index;
use crate::layout::{ARCHIVE, INDEX, SESSION_INDEX, TIME};
use crate::log::came_from;
use crate::root::split;
use crate::session::index::Kept;
use crate::store::Store;
use crate::sys::Kind as FileKind;

impl Store {
    /// What the log says was last written to files, by the paths they have now.
    pub fn logged_versions(&self, paths: &[String]) -> Result<BTreeMap<String, KnownVersion>> {
        let mut versions = BTreeMap::new();
        // Where each of them lay at the time of the entry that is looked at.
        let mut sought: Vec<(&String, String)> = paths.iter().map(|path| (path, path.clone())).collect();
        for logged in self.history()? {
            if sought.is_empty() {
                break;
            }
            let Changed { files, moves } = logged.entry.changed();
            sought.retain_mut(|(path, then)| {
                let written = files.iter().filter_map(|file| file.after.as_ref()).find(|state| state.path == *then);
                if let Some(state) = written {
                    if let Some(text) = &state.text {
                        let from = format!("the log, as change `{}` left it", logged.id());
                        versions.insert((*path).clone(), KnownVersion { text: text.clone(), from, is_last: true });
                    }
                    return false;
                }
                // What was removed since was not lost.
                let is_removed = |file: &FileChange| {
                    file.after.is_none() && file.before.as_ref().is_some_and(|state| state.path == *then)
                };
                if files.iter().any(is_removed) {
                    return false;
                }
                *then = came_from(&moves, then);
                true
            });
        }
        Ok(versions)
    }

    /// Archives and time logs that the log says were written, that no logged change removed, and that are gone.
    pub fn lost_files(&self) -> Result<Vec<String>> {
        let is_of_many = |path: &str| [ARCHIVE, TIME].contains(&split(path).0);
        let mut seen = BTreeSet::new();
        let mut lost = Vec::new();
        for logged in self.history()? {
            for FileChange { before, after, .. } in logged.entry.changed().files {
                let Some(state) = after.as_ref().or(before.as_ref()).filter(|state| is_of_many(&state.path)) else {
                    continue;
                };
                if seen.insert(state.path.clone()) && after.is_some() && matches!(self.root.kind(&state.path), Ok(None))
                {
                    lost.push(state.path.clone());
                }
            }
        }
        Ok(lost)
    }

    /// What is wrong with the log, the index, and what they rest on.
    pub(super) fn witnesses(&self) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        let mut history = self.history()?;
        while history.next().is_some() {
            self.stop.check()?;
        }
        for problem in history.problems() {
            let advice = "nothing needs to be done: only the changes that stood there cannot be taken back";
            let finding = Finding::new(Kind::Log, problem.path.as_str(), problem.reason.clone());
            findings.push(finding.at_line(problem.line).advising(advice));
        }
        findings.extend(self.index_faults()?);
        Ok(findings)
    }

    fn index_faults(&self) -> Result<Vec<Finding>> {
        let fix = "the index is written anew";
        if matches!(self.root.kind(INDEX), Ok(Some(FileKind::File))) && Index::open(&self.root).is_none() {
            return Ok(vec![Finding::new(Kind::Index, INDEX, "cannot be used, and is not").fixed_by(fix)]);
        }
        if matches!(self.root.kind(SESSION_INDEX), Ok(Some(FileKind::File))) && Kept::open(&self.root).is_none() {
            return Ok(vec![Finding::new(Kind::Index, SESSION_INDEX, "cannot be used, and is not").fixed_by(fix)]);
        }
        let what = "was changed without anything but the file itself showing it; the index has an older version";
        let stale = self.stale_in_index()?.into_iter();
        Ok(stale.map(|path| Finding::new(Kind::Index, path, what).fixed_by(fix)).collect())
    }

    /// Writes the index anew where it says something else than the files.
    pub fn mend_index(&self) -> Result<Vec<Finding>> {
        let faults = self.index_faults()?;
        if !faults.is_empty() {
            self.rebuild_index()?;
            // Where it could not be written, the next one who reads enough does it.
            if Index::open(&self.root).is_none() && self.root.exists(INDEX) {
                let _ = self.root.remove_file(INDEX);
            }
            if Kept::open(&self.root).is_none() && self.root.exists(SESSION_INDEX) {
                let _ = self.root.remove_file(SESSION_INDEX);
            }
        }
        Ok(faults)
    }
}
