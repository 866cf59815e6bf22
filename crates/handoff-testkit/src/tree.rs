//! A directory with all that is in it, for comparing before and after.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;

/// What lies below a directory: every path with its contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree(BTreeMap<String, Leaf>);

#[derive(Clone, PartialEq, Eq)]
enum Leaf {
    Directory,
    File(Vec<u8>),
    Link(String),
    Other,
}

impl Tree {
    /// Reads a directory; no link is followed. One that is not there is empty.
    pub fn of(directory: &Path) -> Tree {
        let mut tree = Tree(BTreeMap::new());
        tree.add(directory, "");
        tree
    }

    fn add(&mut self, directory: &Path, prefix: &str) {
        let Ok(entries) = fs::read_dir(directory) else { return };
        for entry in entries {
            let entry = entry.expect("a directory can be listed");
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            let name = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
            let kind = entry.file_type().expect("an entry has a type");
            let leaf = if kind.is_symlink() {
                Leaf::Link(fs::read_link(&path).expect("a link can be read").to_string_lossy().into_owned())
            } else if kind.is_dir() {
                self.add(&path, &name);
                Leaf::Directory
            } else if kind.is_file() {
                Leaf::File(fs::read(&path).expect("a file can be read"))
            } else {
                Leaf::Other
            };
            self.0.insert(name, leaf);
        }
    }

    /// The tree without what lies below some of its directories.
    #[must_use]
    pub fn without(mut self, directories: &[&str]) -> Tree {
        let is_below =
            |path: &str| directories.iter().any(|above| path == *above || path.starts_with(&format!("{above}/")));
        self.0.retain(|path, _| !is_below(path));
        self
    }

    /// Checks that two trees are the same, and shows only where they differ.
    pub fn assert_same(&self, before: &Tree, what: &str) {
        let paths: BTreeSet<&String> = self.0.keys().chain(before.0.keys()).collect();
        let differing: Vec<String> = paths
            .into_iter()
            .filter(|path| self.0.get(*path) != before.0.get(*path))
            .map(|path| format!("{path}\n  before: {:?}\n   after: {:?}", before.0.get(path), self.0.get(path)))
            .collect();
        assert!(differing.is_empty(), "{what}:\n{}", differing.join("\n"));
    }

    /// The paths of the files and links.
    pub fn files(&self) -> Vec<&str> {
        self.0.iter().filter(|(_, leaf)| **leaf != Leaf::Directory).map(|(path, _)| path.as_str()).collect()
    }

    /// The paths, whose names and contents may hold a text.
    pub fn containing(&self, text: &str) -> Vec<&str> {
        let has_text = |leaf: &Leaf| match leaf {
            Leaf::File(bytes) => bytes.windows(text.len()).any(|window| window == text.as_bytes()),
            Leaf::Directory | Leaf::Link(_) | Leaf::Other => false,
        };
        self.0.iter().filter(|(path, leaf)| path.contains(text) || has_text(leaf)).map(|(path, _)| &**path).collect()
    }
}

/// One line for each file, link and empty directory.
impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (path, leaf) in &self.0 {
            match leaf {
                Leaf::Directory if self.0.keys().any(|other| other.starts_with(&format!("{path}/"))) => {}
                Leaf::Directory => writeln!(f, "{path}/")?,
                Leaf::File(_) => writeln!(f, "{path}")?,
                Leaf::Link(target) => writeln!(f, "{path} -> {target}")?,
                Leaf::Other => writeln!(f, "{path} (special)")?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Leaf::Directory => write!(f, "directory"),
            Leaf::File(bytes) => write!(f, "{:?}", String::from_utf8_lossy(bytes)),
            Leaf::Link(target) => write!(f, "link to {target}"),
            Leaf::Other => write!(f, "special"),
        }
    }
}
