//! Keeping the settings of a repository from making git run programs.
//!
//! A person's own settings are theirs to choose; those that lie in a repository came from whoever made it. Most
//! programs can be switched off by name. Filters have names of the repository's choosing, so these are looked up first,
//! where the repository's settings mention any.

use std::fs;
use std::path::PathBuf;

use super::place::{read_up_to, without_links};
use super::run::{Asking, Failure};
use super::{Git, fields};

/// Keeps git from taking a directory for a bare repository because files of one are in it: they may have come with a
/// clone or an archive, and their settings are not the ones that were checked.
pub(super) const NO_BARE_REPOSITORY: &str = "safe.bareRepository=explicit";

/// What is said to git every time.
pub(super) fn always() -> Vec<String> {
    let mut arguments: Vec<String> =
        ["--no-pager", "--no-optional-locks", "--literal-pathspecs"].map(String::from).into();
    for setting in [
        NO_BARE_REPOSITORY,
        "core.fsmonitor=false",
        "core.hooksPath=/dev/null",
        "core.quotePath=false",
        // Comparing would otherwise write down that a file whose time changed is the same.
        "diff.autoRefreshIndex=false",
        "diff.external=",
        "diff.orderFile=/dev/null",
        "log.showSignature=false",
        "color.ui=false",
    ] {
        arguments.extend(["-c".to_owned(), setting.to_owned()]);
    }
    arguments
}

/// Adds what this repository makes necessary.
pub(super) fn against_repository(git: &Git, asking: &mut Asking) -> Result<(), Failure> {
    // Without it git looks elsewhere for a repository, beginning with the directory itself as a bare one.
    if !git.common_dir.join("refs").is_dir() {
        return Err(Failure::Refused("the repository is damaged: it has no `refs`".to_owned()));
    }
    let mentioned = Mentioned::read(git);
    if mentioned.other_root {
        let top = asking.run(&["rev-parse", "--show-toplevel"])?;
        let top = String::from_utf8_lossy(&top);
        if without_links(top.trim_end_matches(['\r', '\n']).as_ref()).as_ref() != Some(&git.root) {
            return Err(Failure::Refused("the repository says that its files lie elsewhere".to_owned()));
        }
    }
    if mentioned.filters {
        let listed = asking.run(&["config", "--list", "--show-scope", "-z"])?;
        for name in filters(&listed) {
            if !name.chars().all(|letter| letter.is_alphanumeric() || "-_. +/".contains(letter)) {
                return Err(Failure::Refused("the repository has a filter with a strange name".to_owned()));
            }
            for (key, value) in [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")] {
                asking.guards.extend(["-c".to_owned(), format!("filter.{name}.{key}={value}")]);
            }
        }
    }
    Ok(())
}

/// Whether a commit would run programs that came with the repository: its hooks, or what its settings name.
///
/// Git puts none of these into a clone, but an archive may hold them. A word in a comment is enough to say yes.
pub(super) fn commit_runs_programs(git: &Git) -> bool {
    let hooks = fs::read_dir(git.common_dir.join("hooks")).into_iter().flatten().flatten();
    let is_hook = |entry: fs::DirEntry| entry.path().extension() != Some("sample".as_ref());
    let names_programs = |text: Vec<u8>| {
        let text = text.to_ascii_lowercase();
        ["hookspath", "gpg", "include"].iter().any(|word| memchr::memmem::find(&text, word.as_bytes()).is_some())
    };
    let mut files = settings_files(git).into_iter().filter(|file| file.symlink_metadata().is_ok());
    hooks.into_iter().any(is_hook) || files.any(|file| read_up_to(&file, LARGE).is_none_or(names_programs))
}

/// Settings of a repository are not longer than this.
const LARGE: u64 = 1024 * 1024;

/// The files with the repository's own settings.
fn settings_files(git: &Git) -> [PathBuf; 2] {
    [git.common_dir.join("config"), git.own_dir.join("config.worktree")]
}

/// What the repository's settings may be about; a word in a comment is enough to look closer.
struct Mentioned {
    filters: bool,
    other_root: bool,
}

impl Mentioned {
    fn read(git: &Git) -> Mentioned {
        let mut mentioned = Mentioned { filters: false, other_root: false };
        for file in settings_files(git) {
            if file.symlink_metadata().is_err() {
                continue;
            }
            match read_up_to(&file, LARGE) {
                Some(bytes) => {
                    let text = bytes.to_ascii_lowercase();
                    let has = |word: &str| memchr::memmem::find(&text, word.as_bytes()).is_some();
                    mentioned.filters |= has("filter") || has("include");
                    mentioned.other_root |= has("worktree") || has("include");
                }
                None => mentioned = Mentioned { filters: true, other_root: true },
            }
        }
        mentioned
    }
}

/// The names of the filters that the repository itself sets up, from a list of `scope`, `key newline value`.
fn filters(listed: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    let mut parts = fields(listed);
    while let (Some(scope), Some(entry)) = (parts.next(), parts.next()) {
        if !matches!(scope, b"local" | b"worktree") {
            continue;
        }
        let entry = String::from_utf8_lossy(entry);
        let key = entry.split('\n').next().unwrap_or_default();
        let name = key.strip_prefix("filter.").map(|rest| rest.rsplit_once('.').map_or(rest, |(name, _)| name));
        if let Some(name) = name.filter(|name| !names.iter().any(|known| known == name)) {
            names.push(name.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_of_the_repository_are_told_from_those_of_the_person() {
        let listed = b"global\0filter.lfs.clean\ngit-lfs clean -- %f\0local\0filter.evil.clean\ntouch x.y\0\
            local\0filter.evil.required\ntrue\0worktree\0filter.a.b.process\nrun\0local\0core.bare\nfalse\0";
        assert_eq!(filters(listed), ["evil", "a.b"]);
    }
}
