//! Which lists of steps a person trusts to run commands: by the place of the file and the hash of its whole content.
//!
//! **Invariant:** the hash is taken of the very bytes that the steps were read from. What cannot be understood in the list
//! of trusted files trusts nothing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use handoff_model::document;
use handoff_model::rev::sha256;
use handoff_model::when::Moment;
use handoff_store::{UserFile, make_private, read_outside, written_by_others};
use serde::{Deserialize, Serialize};

use super::directory;
use super::handover::TrustHandover;
use crate::{Hint, OpError, Project};

const FILE: &str = "trusted.toml";

/// Whether commands of a file may be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    Yes,
    No,
    /// It is another content than the one that was trusted
    Changed {
        trusted_at: Moment,
    },
}

/// A file with steps, read once.
#[derive(Debug)]
pub(super) struct HandoverFile {
    /// Its place, without links
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
}

impl HandoverFile {
    /// Reads a file of steps, which must be a file itself and no link to one.
    pub(super) fn read(project: &Project, path: &Path) -> Result<HandoverFile, OpError> {
        let path = place_of(project, path)?;
        let shown = project.shown(&path);
        let bytes = read_outside(&path)
            .map_err(|error| OpError::failure(format!("`{shown}` cannot be read")).caused_by(error))?;
        let bytes = bytes.ok_or_else(|| OpError::not_found(format!("there is no file `{shown}`")))?;
        Ok(HandoverFile { path, bytes })
    }
}

/// Refuses what nobody can vouch for: others could write something else into it at any time.
fn check_owner(project: &Project, path: &Path) -> Result<(), OpError> {
    let Some(why) = written_by_others(path) else { return Ok(()) };
    Err(OpError::refused(format!("`{}` cannot be trusted: {why}", project.shown(path)))
        .hint(Hint::say("see to it that nobody but you can write to it, and look at it again")))
}

/// The place of a file, without links in the directories above it.
pub(super) fn place_of(project: &Project, path: &Path) -> Result<PathBuf, OpError> {
    let shown = project.shown(path);
    let whole = project.place.cwd.join(path);
    let missing = || OpError::not_found(format!("there is no file `{shown}`"));
    let (Some(dir), Some(name)) = (whole.parent(), whole.file_name()) else { return Err(missing()) };
    let path = dir.canonicalize().map_err(|_| missing())?.join(name);
    let metadata = path.symlink_metadata().map_err(|_| missing())?;
    if metadata.is_symlink() {
        return Err(OpError::refused(format!(
            "`{shown}` is a link: where it leads can be changed without its being seen"
        ))
        .hint(Hint::say("name the file that it leads to, or put the steps into the place of the link")));
    }
    if !metadata.is_file() {
        return Err(OpError::refused(format!("`{shown}` is no file")));
    }
    Ok(path)
}

/// Whether a person trusts the commands of a file; `bytes` are those that its steps were read from.
pub fn trusted(project: &Project, path: &Path, bytes: &[u8]) -> Result<Trust, OpError> {
    let path = place_of(project, path)?;
    let list = TrustedList::read(project)?;
    let Some(entry) = list.entry(&path) else { return Ok(Trust::No) };
    if entry.sha256 != sha256(bytes) {
        return Ok(Trust::Changed { trusted_at: entry.trusted_at });
    }
    check_owner(project, &path)?;
    Ok(Trust::Yes)
}

/// Refuses to go on where commands of a file are not to be run.
pub fn require(project: &Project, path: &Path, bytes: &[u8]) -> Result<(), OpError> {
    let shown = project.shown(path);
    let why = match trusted(project, path, bytes)? {
        Trust::Yes => return Ok(()),
        Trust::No => format!(
            "`{shown}` would run programs, sign or publish, and you have not said that you trust it: nothing was run"
        ),
        Trust::Changed { trusted_at } => {
            format!("`{shown}` changed since you trusted it on {trusted_at}: nothing was run")
        }
    };
    let look = Hint::say("look at what it does, and then trust the file as it is now:");
    Err(OpError::refused(why).hint(look).hint(Hint::run_with::<TrustHandover>(serde_json::json!({"path": shown}))))
}

/// One file that is trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TrustedFile {
    pub(super) path: PathBuf,
    pub(super) sha256: String,
    pub(super) trusted_at: Moment,
}

/// The files that are trusted, as the text of a file in which comments and unknown keys stay.
#[derive(Debug)]
pub(super) struct TrustedList {
    before: Option<String>,
    entries: Entries,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Entries {
    #[serde(default, rename = "handover", skip_serializing_if = "Vec::is_empty")]
    handovers: Vec<TrustedFile>,
}

impl TrustedList {
    pub(super) fn read(project: &Project) -> Result<TrustedList, OpError> {
        let path = list_path(project)?;
        let unreadable =
            || OpError::damaged(format!("the list of trusted files in `{}` cannot be read", path.display()));
        let mend = || Hint::say("nothing is trusted until it is mended or removed");
        let before = UserFile::new(&path).read().map_err(|error| unreadable().caused_by(error).hint(mend()))?;
        if let Some(why) = before.as_ref().and_then(|_| written_by_others(&path)) {
            return Err(OpError::refused(format!(
                "the list of trusted files in `{}` cannot be believed: {why}",
                path.display()
            ))
            .hint(Hint::say("see to it that nobody but you can write to it, and look at what it says")));
        }
        let entries = document::read(before.as_deref().unwrap_or_default())
            .map_err(|error| unreadable().caused_by(error).hint(mend()))?;
        Ok(TrustedList { before, entries })
    }

    pub(super) fn entries(&self) -> &[TrustedFile] {
        &self.entries.handovers
    }

    fn entry(&self, path: &Path) -> Option<&TrustedFile> {
        self.entries().iter().find(|entry| entry.path == path)
    }

    /// Trusts a file as it is now.
    pub(super) fn trust(self, project: &Project, file: &HandoverFile) -> Result<TrustedFile, OpError> {
        check_owner(project, &file.path)?;
        if file.path.to_str().is_none() {
            let shown = project.shown(&file.path);
            return Err(OpError::refused(format!(
                "`{shown}` cannot be trusted: its path is no UTF-8, so it cannot be noted"
            )));
        }
        let entry = TrustedFile { path: file.path.clone(), sha256: sha256(&file.bytes), trusted_at: project.now() };
        let mut new = self.entries.clone();
        new.handovers.retain(|other| other.path != entry.path);
        new.handovers.push(entry.clone());
        self.write(project, &new)?;
        Ok(entry)
    }

    /// Takes a file out of the list; `None` where it is not in it.
    pub(super) fn revoke(self, project: &Project, path: &Path) -> Result<Option<TrustedFile>, OpError> {
        let Some(entry) = self.entry(path).cloned() else { return Ok(None) };
        let mut new = self.entries.clone();
        new.handovers.retain(|other| other.path != entry.path);
        self.write(project, &new)?;
        Ok(Some(entry))
    }

    fn write(self, project: &Project, new: &Entries) -> Result<(), OpError> {
        let path = list_path(project)?;
        let text = document::edit(self.before.as_deref().unwrap_or_default(), &self.entries, new)
            .map_err(|error| OpError::damaged("the list of trusted files cannot be changed").caused_by(error))?;
        let wait = project.patient(Duration::from_secs(10));
        UserFile::new(&path).write(self.before, text, wait, &project.stop)?;
        Ok(make_private(&path)?)
    }
}

fn list_path(project: &Project) -> Result<PathBuf, OpError> {
    Ok(directory(project)?.join(FILE))
}
