//! The paths that are to be published: where they may lead, and which of them stand back.

use std::path::Path;

use super::super::Git;
use super::error::PublishError;
use super::{LeftOut, words::words};

/// What is to be published, from the root of the work tree.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// Sorted, none twice, none below another
    pub(super) paths: Vec<String>,
    pub(super) left_out: Vec<LeftOut>,
}

pub(super) fn wanted(git: &Git, named: &[String]) -> Result<Wanted, PublishError> {
    let mut wanted = Wanted::default();
    for name in named {
        let shown = words(name.as_bytes());
        if name.is_empty() || name.contains('\0') {
            return Err(PublishError::Wrong(format!("`{shown}` is not a path: name files or directories to publish")));
        }
        let Some(path) = git.inside.inward(name) else {
            let root = words(git.root.display().to_string().as_bytes());
            return Err(PublishError::Refused(format!(
                "`{shown}` lies outside of the work tree {root}: only what is inside can be published"
            )));
        };
        if path.split('/').any(|part| part.eq_ignore_ascii_case(".git")) {
            return Err(PublishError::Refused(format!("`{shown}` is git's own and cannot be published")));
        }
        if let Some(link) = link_on_the_way(&git.root, &path) {
            return Err(PublishError::Refused(format!(
                "`{}` is a symbolic link: name the place it leads to",
                words(link.as_bytes())
            )));
        }
        let other = other_repository(&git.root, &path).map(|other| words(other.as_bytes()));
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
