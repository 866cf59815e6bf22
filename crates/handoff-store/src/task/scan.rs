//! What was found below a place, in whatever layout it was left.

use std::collections::BTreeMap;
use std::io;

use handoff_model::MAX_DEPTH;
use handoff_model::conflict;
use handoff_model::entry_check::emptied;
use handoff_model::known_keys::misspelled;
use handoff_model::name::read_name;
use handoff_model::number::Number;
use handoff_model::problem::Problem;
use handoff_model::task::{Status, Task};

use super::dir::{Dir, Said};
use super::forest::Node;
use super::read::Reader;
use super::tree::{Record, Trouble};
use crate::error::Result;
use crate::root::split;
use crate::stop::Stop;
use crate::sys::Handle;

/// All that was found below a place.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// As they were found: without numbers, and not yet under each other
    pub(crate) tasks: Vec<Node>,
    /// For each the readable task whose directory encloses its own, by its place in the list
    pub(crate) enclosing: Vec<Option<usize>>,
    /// How many more there are of which nothing else is to be said
    pub(crate) aside: BTreeMap<Status, usize>,
    pub(crate) problems: Vec<Problem>,
    /// Something that could not be read although it may be in order
    pub(crate) failed: Option<(String, io::Error)>,
}

/// Directories deeper than this are not looked into: no layout of ours is.
pub(super) const DEEPEST: usize = MAX_DEPTH * 2;

/// Where in the tree a directory lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Above {
    enclosing: Option<usize>,
    orphaned: bool,
    depth: usize,
}

impl Above {
    pub(crate) const TOP: Above = Above { enclosing: None, orphaned: false, depth: 1 };
}

impl Scan {
    /// Reads the task in one directory, and those below it.
    pub(crate) fn at(dir: &Handle, path: &str, stop: &Stop) -> Result<Scan> {
        Ok(Reader::new(stop).tree(dir, path, 1)?.scan_at())
    }

    pub(crate) fn with_room(tasks: usize) -> Scan {
        Scan { tasks: Vec::with_capacity(tasks), enclosing: Vec::with_capacity(tasks), ..Scan::default() }
    }

    /// Takes in what the file in one directory said; tells where those below it lie, if they are looked into.
    pub(crate) fn take(
        &mut self,
        record: Record,
        said: Said,
        dir: Dir,
        above: Above,
        has_directories: bool,
    ) -> Option<Above> {
        let Record { is_there, task, mark, stamp, trouble } = record;
        if trouble != Trouble::default() {
            trouble.tell(&dir, self);
        }
        let mut below = Above { orphaned: true, depth: above.depth + 1, ..above };
        if has_directories && above.depth >= DEEPEST {
            self.problems.push(Problem::damaged(&*dir, "lies too deep; what is below it is not shown"));
        }
        match task {
            Some(task) => {
                below = Above { enclosing: Some(self.tasks.len()), orphaned: false, ..below };
                let orphaned = above.orphaned;
                let (number, parent, children) = (Number::default(), None, Vec::new());
                self.tasks.push(Node { task, number, parent, children, mark, stamp, dir, said, orphaned });
                self.enclosing.push(above.enclosing);
            }
            None if !is_there && is_of_a_task(&dir) => {
                let reason = "has no task.toml; what is below it is shown one level up";
                self.problems.push(Problem::damaged(&*dir, reason));
            }
            None => {}
        }
        (!has_directories || above.depth < DEEPEST).then_some(below)
    }

    /// A place of which nothing could be read.
    pub(crate) fn of_nothing(path: &str, error: &io::Error) -> Scan {
        let (mut scan, mut trouble) = (Scan::default(), Trouble::default());
        trouble.fail("", error);
        trouble.tell(path, &mut scan);
        scan
    }
}

/// Whether the name of a directory is one that tasks have.
pub(super) fn is_of_a_task(dir: &str) -> bool {
    let name = read_name(split(dir).1);
    name.number.is_some() || name.id.is_some()
}

/// Reads a task file as far as it can be read, and says what was wrong with it.
pub(crate) fn read_leniently(text: &str, file: &str) -> (Option<Task>, Option<Problem>) {
    if let Some(error) = emptied(text) {
        return (None, Some(Problem::damaged(file, error.reason)));
    }
    match Task::read(text) {
        Ok((task, mended)) => {
            let problem = mended.map(|mended| Problem::mended(file, mended.reason).at_line(mended.line));
            let problem = problem.or_else(|| misspelled::<Task>(file, text).into_iter().next());
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
