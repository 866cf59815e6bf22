//! A disk as directories, files and the names that lead to them.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Component, Path};
use std::sync::Arc;

pub(crate) type Inode = usize;
pub(crate) type Bytes = Arc<[u8]>;

pub(crate) const ROOT: Inode = 0;

#[derive(Debug, Clone)]
pub(crate) enum Node {
    File(Bytes),
    Directory(BTreeMap<String, Inode>),
}

/// Inodes, of which those reachable from [`ROOT`] can be seen.
#[derive(Debug, Clone)]
pub(crate) struct Image {
    nodes: Vec<Node>,
}

impl Image {
    /// Reads a real directory.
    pub(crate) fn load(root: &Path) -> io::Result<Self> {
        let mut image = Self { nodes: vec![Node::Directory(BTreeMap::new())] };
        image.load_into(ROOT, root)?;
        Ok(image)
    }

    fn load_into(&mut self, directory: Inode, path: &Path) -> io::Result<()> {
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let node = if entry.file_type()?.is_dir() {
                let node = self.add(Node::Directory(BTreeMap::new()));
                self.load_into(node, &entry.path())?;
                node
            } else {
                self.add(Node::File(fs::read(entry.path())?.into()))
            };
            self.point(directory, &entry.file_name().to_string_lossy(), Some(node));
        }
        Ok(())
    }

    /// Writes what can be seen into a real directory.
    pub(crate) fn write(&self, root: &Path) -> io::Result<()> {
        fs::create_dir_all(root)?;
        for (path, content) in self.tree() {
            match content {
                Some(content) => fs::write(root.join(path), content)?,
                None => fs::create_dir(root.join(path))?,
            }
        }
        Ok(())
    }

    pub(crate) fn add(&mut self, node: Node) -> Inode {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Makes a name lead to an inode, or nowhere.
    pub(crate) fn point(&mut self, directory: Inode, name: &str, target: Option<Inode>) {
        if let Node::Directory(entries) = &mut self.nodes[directory] {
            match target {
                Some(target) => entries.insert(name.to_owned(), target),
                None => entries.remove(name),
            };
        }
    }

    pub(crate) fn fill(&mut self, file: Inode, content: Bytes) {
        self.nodes[file] = Node::File(content);
    }

    pub(crate) fn content(&self, inode: Inode) -> Option<&Bytes> {
        match &self.nodes[inode] {
            Node::File(content) => Some(content),
            Node::Directory(_) => None,
        }
    }

    /// Inodes that `later` has and this image lacks, empty and with no name leading to them.
    pub(crate) fn adopt_inodes(&mut self, later: &Self) {
        for node in &later.nodes[self.nodes.len()..] {
            self.nodes.push(match node {
                Node::File(_) => Node::File(Vec::new().into()),
                Node::Directory(_) => Node::Directory(BTreeMap::new()),
            });
        }
    }

    /// The inode a path leads to; `path` is relative to the root.
    pub(crate) fn find(&self, path: &Path) -> Option<Inode> {
        path.components().try_fold(ROOT, |inode, component| match (component, &self.nodes[inode]) {
            (Component::Normal(name), Node::Directory(entries)) => entries.get(name.to_str()?).copied(),
            (Component::CurDir, _) => Some(inode),
            _ => None,
        })
    }

    /// Paths in sorted order with contents; directories have none.
    fn tree(&self) -> BTreeMap<String, Option<&Bytes>> {
        let mut tree = BTreeMap::new();
        let mut open = vec![(ROOT, String::new())];
        while let Some((inode, prefix)) = open.pop() {
            if let Node::Directory(entries) = &self.nodes[inode] {
                for (name, target) in entries {
                    let path = format!("{prefix}{name}");
                    tree.insert(path.clone(), self.content(*target));
                    open.push((*target, format!("{path}/")));
                }
            }
        }
        tree
    }

    /// Equal for disks that look alike.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.tree().hash(&mut hasher);
        hasher.finish()
    }

    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        let (ours, theirs) = (self.tree(), other.tree());
        let mut paths: Vec<&String> = ours.keys().chain(theirs.keys()).collect();
        paths.sort();
        paths.into_iter().find(|path| ours.get(*path) != theirs.get(*path)).cloned()
    }
}

/// What is found of contents that were written but not synced.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Contents {
    Complete,
    Old,
    /// Cut off in the middle of what was written.
    Half,
    /// Long enough, but the blocks never arrived.
    Zeros,
    /// One file is as it was, the others are complete.
    OldOnly(Inode),
}

impl Contents {
    /// Picks from `versions`, of which the first is the one that was synced.
    pub(crate) fn choose(self, file: Inode, versions: &[Bytes]) -> Option<Bytes> {
        let (synced, latest) = (versions.first()?, versions.last()?);
        if versions.len() == 1 {
            return Some(synced.clone());
        }
        Some(match self {
            Self::Old => synced.clone(),
            Self::OldOnly(behind) if behind == file => synced.clone(),
            Self::Complete | Self::OldOnly(_) => latest.clone(),
            Self::Half | Self::Zeros => {
                // What was only appended to keeps what was on disk before.
                let kept = if latest.starts_with(synced) { synced.len() } else { 0 };
                let lost = &latest[kept..];
                let found =
                    if matches!(self, Self::Half) { lost[..lost.len() / 2].to_vec() } else { vec![0; lost.len()] };
                [&latest[..kept], &found].concat().into()
            }
        })
    }
}

impl fmt::Display for Contents {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Complete => "complete",
            Self::Old => "lost",
            Self::Half => "cut in half",
            Self::Zeros => "zeros",
            Self::OldOnly(_) => "lost in one file",
        })
    }
}
