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
        if !belongs_to(root, &own_dir) {
            return None;
        }
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
    let is_whole = dir.join("HEAD").symlink_metadata().is_ok() && common_dir_of(&dir).join("objects").is_dir();
    is_whole.then_some(dir)
}

/// Checks that git's directory belongs to this work tree: one that arrived in an archive may name any other repository of
/// the user, whose history would be shown and written down here, and which would be committed to.
fn belongs_to(root: &Path, own_dir: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    let (Some(root), Some(own), Some(common)) = (real(root), real(own_dir), real(&common_dir_of(own_dir))) else {
        return false;
    };
    let dot_git = root.join(".git");
    if own == common {
        // A submodule names its work tree in its settings, which are checked before git is asked anything.
        return own == dot_git || own.file_name() != Some(".git".as_ref()) && !is_bare(&own);
    }
    let is_listed = own.parent() == Some(&common.join("worktrees"));
    let names_root = |text: String| real(&own.join(text.trim())) == Some(dot_git.clone());
    is_listed && read_text(&own.join("gitdir")).is_some_and(names_root)
}

/// Whether the settings of a repository say that it has no work tree.
fn is_bare(git_dir: &Path) -> bool {
    let says_so = |line: &str| {
        let line: String = line.chars().filter(|letter| !letter.is_whitespace()).collect();
        line.eq_ignore_ascii_case("bare=true") || line.eq_ignore_ascii_case("bare")
    };
    read_text(&git_dir.join("config")).is_none_or(|text| text.lines().any(says_so))
}

/// Whether the `.git` of a directory, or of one above it, leads to the repository of another work tree.
pub(super) fn leads_elsewhere(dir: &Path) -> bool {
    let Some(dir) = without_links(dir) else { return false };
    let found = dir.ancestors().find_map(|root| Some((root, git_dir_of(root)?)));
    found.is_some_and(|(root, own_dir)| !belongs_to(root, &own_dir))
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
