//! Finding the work tree around a directory, as git does, without running it.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::Git;
use super::inside::Inside;

/// The files of git's own that are read here are small; anything larger is something else.
const SMALL: u64 = 64 * 1024;

pub(super) fn find(project_dir: &Path) -> Option<Git> {
    let named = std::path::absolute(project_dir).ok()?;
    let project = without_links(&named)?;
    for root in project.ancestors() {
        let Some(own_dir) = git_dir_of(root) else { continue };
        let prefix = project.strip_prefix(root).ok()?;
        let prefix: Option<Vec<String>> = prefix.iter().map(|name| name.to_str().map(str::to_owned)).collect();
        return Some(Git {
            root: root.to_owned(),
            common_dir: common_dir_of(&own_dir),
            own_dir,
            inside: Inside::new(prefix?, vec![named, project]),
        });
    }
    None
}

/// The directory that `.git` is or leads to: a file of that name is what linked work trees and submodules have.
fn git_dir_of(root: &Path) -> Option<PathBuf> {
    let dot_git = root.join(".git");
    let dir = if dot_git.is_dir() {
        dot_git
    } else {
        let text = read_text(&dot_git)?;
        root.join(text.strip_prefix("gitdir:")?.trim())
    };
    let whole = dir.join("HEAD").symlink_metadata().is_ok() && common_dir_of(&dir).join("objects").is_dir();
    whole.then_some(dir)
}

fn common_dir_of(own_dir: &Path) -> PathBuf {
    match read_text(&own_dir.join("commondir")) {
        Some(text) => own_dir.join(text.trim()),
        None => own_dir.to_owned(),
    }
}

/// The text of one of git's small files. Anything but an ordinary file is not opened, since that could wait for ever.
pub(super) fn read_text(path: &Path) -> Option<String> {
    read_up_to(path, SMALL).and_then(|bytes| String::from_utf8(bytes).ok())
}

/// The bytes of an ordinary file that has no more than `limit` of them.
pub(super) fn read_up_to(path: &Path, limit: u64) -> Option<Vec<u8>> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(limit + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= limit).then_some(bytes)
}

/// The path without links in it, in the form that git understands.
pub(super) fn without_links(path: &Path) -> Option<PathBuf> {
    let real = fs::canonicalize(path).ok()?;
    // On Windows this is the long form `\\?\C:\…`, in which git cannot be started.
    match real.to_str().and_then(|text| text.strip_prefix(r"\\?\")) {
        Some(plain) if plain.as_bytes().get(1) == Some(&b':') => Some(PathBuf::from(plain)),
        _ => Some(real),
    }
}
