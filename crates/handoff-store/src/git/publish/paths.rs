//! The paths that are to be published: where they may lead, and which of them stand back.

use std::path::{Path, PathBuf};

use super::super::Git;
use super::super::place::without_links;
use super::error::PublishError;
use super::{LeftOut, words::name};

/// What is to be published, from the root of the work tree.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// Sorted, none twice, none below another
    pub(super) paths: Vec<String>,
    pub(super) left_out: Vec<LeftOut>,
    /// Where git keeps what is its own, as far as that lies in the work tree
    pub(super) of_git: Vec<String>,
}

pub(super) fn wanted(git: &Git, named: &[String]) -> Result<Wanted, PublishError> {
    let mut wanted = Wanted { of_git: of_git(git), ..Wanted::default() };
    for named in named {
        let shown = name(named.as_bytes());
        if named.is_empty() || named.contains('\0') {
            return Err(PublishError::Wrong(format!("`{shown}` is not a path: name files or directories to publish")));
        }
        let Some(path) = git.inside.inward(named) else {
            let root = name(git.root.display().to_string().as_bytes());
            return Err(PublishError::Refused(format!(
                "`{shown}` lies outside of the work tree {root}: only what is inside can be published"
            )));
        };
        if is_of_git(git, &path, &wanted.of_git) {
            return Err(PublishError::Refused(format!("`{shown}` is git's own and cannot be published")));
        }
        if let Some(link) = link_on_the_way(&git.root, &path) {
            return Err(PublishError::Refused(format!(
                "`{}` is a symbolic link: name the place it leads to",
                name(link.as_bytes())
            )));
        }
        let other = other_repository(&git.root, &path).map(|other| name(other.as_bytes()));
        match other {
            Some(other) => {
                let why = format!("it lies in a repository of its own at `{other}`: publish it from there");
                wanted.left_out.push(LeftOut { path, why });
            }
            None => wanted.paths.push(path),
        }
    }
    wanted.paths.sort_unstable();
    wanted.paths.dedup();
    let all = wanted.paths.clone();
    wanted.paths.retain(|path| !all.iter().any(|other| other != path && is_below(path, other)));
    // Git knows the root by this name only.
    wanted.paths.iter_mut().filter(|path| path.is_empty()).for_each(|path| ".".clone_into(path));
    Ok(wanted)
}

/// Whether a path names or leads into what git keeps for itself, which may lie anywhere.
fn is_of_git(git: &Git, path: &str, of_git: &[String]) -> bool {
    let is_named = path.split('/').any(|part| part.eq_ignore_ascii_case(".git")) || is_among(path, of_git);
    is_named || without_links(&git.root.join(path)).is_some_and(|place| dirs(git).any(|dir| place.starts_with(dir)))
}

fn of_git(git: &Git) -> Vec<String> {
    dirs(git).filter_map(|dir| dir.strip_prefix(&git.root).ok()?.to_str().map(str::to_owned)).collect()
}

fn dirs(git: &Git) -> impl Iterator<Item = PathBuf> {
    [&git.own_dir, &git.common_dir].into_iter().filter_map(|dir| without_links(dir))
}

/// Whether a path is one of these, or below one of them.
pub(super) fn is_among(path: &str, paths: &[String]) -> bool {
    paths.iter().any(|other| path == other || is_below(path, other))
}

fn is_below(path: &str, dir: &str) -> bool {
    dir.is_empty() || dir == "." || path.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'))
}

/// The path itself and all directories above it, but for the root; the outermost first.
fn way(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at]).chain((!path.is_empty()).then_some(path))
}

fn link_on_the_way<'p>(root: &Path, path: &'p str) -> Option<&'p str> {
    way(path).find(|part| root.join(part).symlink_metadata().is_ok_and(|meta| meta.is_symlink()))
}

fn other_repository<'p>(root: &Path, path: &'p str) -> Option<&'p str> {
    way(path).find(|part| root.join(part).join(".git").symlink_metadata().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_a_path_has_every_directory() {
        assert_eq!(way("a/b/c").collect::<Vec<_>>(), ["a", "a/b", "a/b/c"]);
        assert_eq!(way("").count(), 0);
    }

    #[test]
    fn a_path_is_below_whole_names_only() {
        assert!(is_among("a/b", &["a".to_owned()]) && is_among("a", &["a".to_owned()]));
        assert!(!is_among("ab", &["a".to_owned()]) && is_among("ab", &[".".to_owned()]));
    }
}
