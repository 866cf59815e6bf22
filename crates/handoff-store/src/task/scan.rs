//! Reading every task directory below a place, in whatever layout they were left.

use std::collections::HashSet;
use std::io;

use handoff_model::conflict;
use handoff_model::name::{NameParts, read_name};
use handoff_model::problem::Problem;
use handoff_model::task::Task;
use handoff_model::{MAX_DEPTH, MAX_FILE_BYTES};

use crate::layout::TASK_FILE;
use crate::root::{into_text, join};
use crate::sys::{Handle, Kind};

/// A task as it was found, before the tree is put together.
#[derive(Debug)]
pub(crate) struct RawTask {
    pub(crate) task: Task,
    /// Its directory, relative to the store
    pub(crate) dir: String,
    pub(crate) name: NameParts,
    /// The readable task whose directory encloses this one, by its place in the list
    pub(crate) enclosing: Option<usize>,
    /// Whether a directory without a readable task lies between
    pub(crate) orphaned: bool,
}

/// All that was found below a place.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    pub(crate) tasks: Vec<RawTask>,
    pub(crate) problems: Vec<Problem>,
    /// Something that could not be read although it may be in order
    pub(crate) failed: Option<(String, io::Error)>,
}

/// How often a directory is listed again because its entries moved while they were read.
const PASSES: usize = 50;

/// Directories deeper than this are not looked into: no layout of ours is.
const DEEPEST: usize = MAX_DEPTH * 2;

/// Where in the tree a directory lies.
#[derive(Clone, Copy)]
struct Above {
    enclosing: Option<usize>,
    orphaned: bool,
    depth: usize,
}

impl Scan {
    /// Reads every task below a directory.
    pub(crate) fn below(dir: &Handle, path: &str) -> io::Result<Scan> {
        let mut scan = Scan::default();
        scan.children(dir, path, Above { enclosing: None, orphaned: false, depth: 1 })?;
        Ok(scan)
    }

    /// Reads the task in one directory, and those below it.
    pub(crate) fn at(dir: &Handle, path: &str) -> io::Result<Scan> {
        let mut scan = Scan::default();
        scan.directory(dir, path, Above { enclosing: None, orphaned: false, depth: 1 })?;
        Ok(scan)
    }

    fn fail(&mut self, path: &str, error: io::Error) {
        // What is there and is not what it should be is damage; all else may be well another time.
        let is_damage = matches!(
            error.kind(),
            io::ErrorKind::InvalidInput
                | io::ErrorKind::InvalidData
                | io::ErrorKind::FileTooLarge
                | io::ErrorKind::NotADirectory
                | io::ErrorKind::IsADirectory
        );
        let reason = if is_damage { error.to_string() } else { format!("cannot be read: {error}") };
        self.problems.push(Problem::damaged(path, reason));
        if !is_damage {
            self.failed.get_or_insert((path.to_owned(), error));
        }
    }

    /// A place of which nothing could be read.
    pub(crate) fn of_nothing(path: &str, error: io::Error) -> Scan {
        let mut scan = Scan::default();
        scan.fail(path, error);
        scan
    }

    fn children(&mut self, dir: &Handle, path: &str, above: Above) -> io::Result<()> {
        // A rename between listing and opening makes a name vanish; the directory is then under another name, which a
        // further look finds by its inode.
        let mut seen = HashSet::new();
        let mut named = HashSet::new();
        for pass in 0..PASSES {
            let mut moved = false;
            let mut entries = dir.list()?;
            entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
            for entry in entries {
                let is_known = match entry.inode {
                    0 => named.contains(&entry.name),
                    inode => seen.contains(&inode),
                };
                if is_ignored(&entry.name) || is_known {
                    continue;
                }
                let here = join(path, &entry.name);
                match entry.kind {
                    Kind::Directory => {}
                    Kind::File => continue,
                    Kind::Link => {
                        if pass == 0 {
                            self.problems.push(Problem::damaged(here, "a symbolic link; links are never followed"));
                        }
                        continue;
                    }
                    Kind::Other => {
                        if pass == 0 {
                            self.problems.push(Problem::damaged(here, "neither a file nor a directory; left alone"));
                        }
                        continue;
                    }
                }
                match dir.open_dir(&entry.name).and_then(|inner| self.directory(&inner, &here, above)) {
                    Ok(()) => {
                        seen.insert(entry.inode);
                        named.insert(entry.name);
                    }
                    Err(error) if error.kind() == io::ErrorKind::NotFound => moved = true,
                    Err(error) => {
                        seen.insert(entry.inode);
                        named.insert(entry.name);
                        self.fail(&here, error);
                    }
                }
            }
            if !moved {
                break;
            }
        }
        Ok(())
    }

    fn directory(&mut self, dir: &Handle, path: &str, above: Above) -> io::Result<()> {
        let entries = dir.list()?;
        let name = read_name(crate::root::split(path).1);
        let has_directories = entries.iter().any(|entry| entry.kind == Kind::Directory);
        let file = entries.iter().find(|entry| entry.name == TASK_FILE);
        let below = match file {
            Some(_) => match self.read_task(dir, path, name, above) {
                Some(index) => Above { enclosing: Some(index), orphaned: false, depth: above.depth + 1 },
                None => Above { orphaned: true, depth: above.depth + 1, ..above },
            },
            None => {
                if name.number.is_some() || name.id.is_some() {
                    let reason = "has no task.toml; what is below it is shown one level up";
                    self.problems.push(Problem::damaged(path, reason));
                }
                Above { orphaned: true, depth: above.depth + 1, ..above }
            }
        };
        if !has_directories {
            return Ok(());
        }
        if above.depth >= DEEPEST {
            self.problems.push(Problem::damaged(path, "lies too deep; what is below it is not shown"));
            return Ok(());
        }
        self.children(dir, path, below)
    }

    fn read_task(&mut self, dir: &Handle, path: &str, name: NameParts, above: Above) -> Option<usize> {
        let file = join(path, TASK_FILE);
        let text = match dir.read(TASK_FILE, MAX_FILE_BYTES).and_then(into_text) {
            Ok(text) => text,
            Err(error) => {
                self.fail(&file, error);
                return None;
            }
        };
        let (task, problem) = read_leniently(&text, &file);
        self.problems.extend(problem);
        let task = task?;
        self.tasks.push(RawTask {
            task,
            dir: path.to_owned(),
            name,
            enclosing: above.enclosing,
            orphaned: above.orphaned,
        });
        Some(self.tasks.len() - 1)
    }
}

/// Reads a task file as far as it can be read, and says what was wrong with it.
pub(crate) fn read_leniently(text: &str, file: &str) -> (Option<Task>, Option<Problem>) {
    if text.trim().is_empty() {
        return (None, Some(Problem::damaged(file, "the file is empty")));
    }
    match Task::read(text) {
        Ok((task, mended)) => {
            let problem = mended.map(|mended| Problem::mended(file, mended.reason).at_line(mended.line));
            (Some(task), problem)
        }
        Err(error) => match read_conflicted(text, file) {
            Some((task, problem)) => (Some(task), Some(problem)),
            None => {
                let line = conflict::first_marker(text);
                let reason = match line {
                    Some(_) => "conflict markers that cannot be read as either side; resolve them".to_owned(),
                    None => error.reason,
                };
                (None, Some(Problem::damaged(file, reason).at_line(line.or(error.line))))
            }
        },
    }
}

/// A file with conflict markers is read as our side, or as theirs when only that can be read.
fn read_conflicted(text: &str, file: &str) -> Option<(Task, Problem)> {
    let sides = conflict::split(text)?;
    for (side, whose) in [(&sides.ours, "our"), (&sides.theirs, "their")] {
        if let Ok((task, _)) = Task::read(side) {
            let reason = format!("git left conflict markers; read as {whose} side. Resolve them to change this task");
            return Some((task, Problem::mended(file, reason).at_line(Some(sides.line))));
        }
    }
    None
}

/// Names that are not ours: hidden ones, and copies that file synchronisers make.
pub(crate) fn is_ignored(name: &str) -> bool {
    name.starts_with('.') || name.contains(".sync-conflict-") || name.contains("conflicted copy")
}
