//! Paths as the project sees them, and as the repository sees them.

use std::path::{Component, Path, PathBuf};

/// Where the project's directory lies in the work tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Inside {
    /// Names from the root down to the project's directory
    prefix: Vec<String>,
    base: String,
    /// The project's directory as it was named, and as it is called without links
    absolute: Vec<PathBuf>,
}

impl Inside {
    pub(super) fn new(prefix: Vec<String>, absolute: Vec<PathBuf>) -> Inside {
        Inside { base: prefix.join("/"), prefix, absolute }
    }

    /// The way from the root to the project.
    pub(super) fn base(&self) -> &str {
        &self.base
    }

    /// A path from the root, as the project sees it.
    pub(super) fn outward(&self, path: &str) -> String {
        let mut names = path.split('/').peekable();
        let mut shared = 0;
        while shared < self.prefix.len() && names.peek().is_some_and(|name| *name == self.prefix[shared]) {
            names.next();
            shared += 1;
        }
        let mut seen = "../".repeat(self.prefix.len() - shared);
        for (position, name) in names.enumerate() {
            if position > 0 {
                seen.push('/');
            }
            seen.push_str(name);
        }
        seen
    }

    /// A path that the project names, from the root; `None` when it leads out of the work tree.
    pub(super) fn inward(&self, path: &str) -> Option<String> {
        let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
        let mut names: Vec<&str> = self.prefix.iter().map(String::as_str).collect();
        let relative = match self.absolute.iter().find_map(|dir| Path::new(&path).strip_prefix(dir).ok()) {
            Some(below) => below,
            None if Path::new(&path).is_absolute() => return None,
            None => Path::new(&path),
        };
        for component in relative.components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => {
                    names.pop()?;
                }
                Component::Normal(name) => names.push(name.to_str()?),
                Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        Some(names.join("/"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside() -> Inside {
        Inside::new(vec!["apps".into(), "web".into()], vec![PathBuf::from("/repo/apps/web")])
    }

    #[test]
    fn paths_are_seen_from_the_project() {
        for (root, project) in [
            ("apps/web/src/a.rs", "src/a.rs"),
            ("apps/api/a.rs", "../api/a.rs"),
            ("a.rs", "../../a.rs"),
            ("apps/website/a.rs", "../website/a.rs"),
            ("web/a.rs", "../../web/a.rs"),
        ] {
            assert_eq!(inside().outward(root), project);
            assert_eq!(inside().inward(project).as_deref(), Some(root));
        }
    }

    #[test]
    fn a_path_may_be_written_in_other_ways_but_not_lead_out() {
        for (written, root) in [
            ("./src//a.rs", Some("apps/web/src/a.rs")),
            ("src/", Some("apps/web/src")),
            (".", Some("apps/web")),
            ("src/../b.rs", Some("apps/web/b.rs")),
            ("../..", Some("")),
            ("../../../x", None),
            ("/etc/passwd", None),
        ] {
            assert_eq!(inside().inward(written).as_deref(), root, "{written}");
        }
        if cfg!(unix) {
            assert_eq!(inside().inward("/repo/apps/web/a.rs").as_deref(), Some("apps/web/a.rs"));
        }
    }
}
