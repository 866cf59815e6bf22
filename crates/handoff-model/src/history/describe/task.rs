//! Tasks: made, changed, moved, deleted and restored.

use std::collections::BTreeSet;

use super::super::{Changed, DirectoryMove, FileChange};
use super::fields::{cut, differences};
use super::{Said, text_of};
use crate::document;
use crate::id::TaskId;
use crate::name::read_name;
use crate::number::Number;
use crate::task::{Status, Task};

const FILE: &str = "/task.toml";
const TASKS: &str = "tasks/";
const TRASH: &str = "local/state/trash/";
/// What `doctor` took away
const BACKUP: &str = "local/state/backup/";

/// What follows from something else that is told, and where a task stands.
const UNSAID: &[&str] = &["format", "id", "history", "completed_at", "created_at", "parent", "number"];

pub(super) fn concerned(changed: &Changed, tasks: &mut BTreeSet<TaskId>) {
    for file in changed.files.iter().filter(|file| is_task(file)) {
        let (before, after) = file.texts();
        tasks.extend(before.into_iter().chain(after).filter_map(read).map(|task| task.id));
    }
    for moved in &changed.moves {
        tasks.extend(moved.task.as_ref().map(|task| task.id));
    }
}

pub(super) fn said(changed: &Changed) -> Vec<Said> {
    let is_converted = changed.files.iter().any(|file| file.path() == "config.toml" && names_dirs(file));
    let mut said: Vec<Said> = changed
        .files
        .iter()
        .filter(|file| is_task(file))
        .filter_map(|file| of_file(file, changed, is_converted))
        .collect();
    if is_converted {
        if !changed.moves.is_empty() {
            let count = changed.moves.len();
            let subject = if count == 1 { "1 task directory".to_owned() } else { format!("{count} task directories") };
            said.push(Said { deed: Some("moved".to_owned()), ..Said::about(subject, "task directories") });
        }
        return said;
    }
    said.extend(changed.moves.iter().filter_map(|moved| of_move(moved, changed)));
    if said.is_empty() && changed.files.is_empty() {
        let names = changed.moves.iter().filter(|moved| !super::session::is_told(moved)).map(|moved| {
            let subject = format!("task directory {}", name_of(&moved.from));
            Said {
                deed: Some(format!("renamed to {}", name_of(&moved.to))),
                ..Said::about(subject, "task directories")
            }
        });
        said.extend(names);
    }
    said
}

/// Whether a change of the settings changes how directories are named.
fn names_dirs(file: &FileChange) -> bool {
    let is_stable = |text: Option<&str>| text.is_some_and(|text| text.contains("task_dirs = \"stable\""));
    let (before, after) = file.texts();
    is_stable(before) != is_stable(after)
}

fn is_task(file: &FileChange) -> bool {
    file.path().ends_with(FILE)
}

fn read(text: &str) -> Option<Task> {
    Task::read(text).ok().map(|(task, _)| task)
}

fn of_file(file: &FileChange, changed: &Changed, is_converted: bool) -> Option<Said> {
    let state = file.after.as_ref().or(file.before.as_ref())?;
    let dir = state.path.strip_suffix(FILE)?;
    let (before, after) = (text_of(file.before.as_ref()).and_then(read), text_of(file.after.as_ref()).and_then(read));
    let Some(task) = after.as_ref().or(before.as_ref()) else {
        let deed = if file.after.is_none() { "removed" } else { "changed" };
        return Some(Said { deed: Some(deed.to_owned()), ..Said::about(subject(dir, None, ""), "tasks") });
    };
    let mut said = Said::about(subject(dir, Some(task.id), &task.title), "tasks");
    match (&before, &after) {
        (None, Some(_)) if with_archive(changed) => said.deed = Some("brought back from the archive".to_owned()),
        (Some(_), None) if with_archive(changed) => said.deed = Some("archived".to_owned()),
        (None, Some(_)) if file.before.is_some() => said.deed = Some("made readable again".to_owned()),
        (Some(_), None) if file.after.is_some() => said.deed = Some("put back as it was, unreadable".to_owned()),
        (None, Some(task)) => said.deed = Some(created(task)),
        (Some(_), None) => said.deed = Some("removed".to_owned()),
        (Some(old), Some(new)) => {
            said.deed = moved(old, new, file, changed).filter(|_| !is_converted);
            said.fields = differences(&document::object(old), &document::object(new), UNSAID);
        }
        (None, None) => {}
    }
    let says_nothing = said.deed.is_none() && said.fields.is_empty();
    // Comments, and keys of others.
    let is_plain_edit = says_nothing && !is_converted && before.is_some() && before == after;
    if is_plain_edit {
        said.deed = Some("written differently".to_owned());
    }
    (!says_nothing || is_plain_edit).then_some(said)
}

/// Whether tasks went into an archive or came out of one.
fn with_archive(changed: &Changed) -> bool {
    changed
        .files
        .iter()
        .any(|file| file.path().strip_prefix("archive/").is_some_and(crate::task::archive::is_file_name))
}

fn created(task: &Task) -> String {
    match task.status {
        Status::Todo => "created".to_owned(),
        status => format!("created as {}", status.word()),
    }
}

/// The move of a task whose file changed too.
fn moved(old: &Task, new: &Task, file: &FileChange, changed: &Changed) -> Option<String> {
    let path =
        |state: Option<&super::FileState>| state.and_then(|state| state.path.strip_suffix(FILE)).map(str::to_owned);
    let (from, to) = (path(file.before.as_ref())?, path(file.after.as_ref())?);
    // Only its own directory counts: what moves along with another stays where it is.
    let own = changed.moves.iter().find(|moved| moved.to == to || moved.from == from);
    if let Some(deed) = own.and_then(|_| place(&from, &to, changed)) {
        return Some(deed);
    }
    if old.parent == new.parent {
        return renumbered(old.number?, new.number?);
    }
    Some(new.parent.map_or_else(|| "moved to the top".to_owned(), |parent| format!("moved under {parent}")))
}

/// A task that went elsewhere as it is.
fn of_move(moved: &DirectoryMove, changed: &Changed) -> Option<Said> {
    let is_told = changed.files.iter().any(|file| {
        let lies_in = |state: Option<&super::FileState>, dir: &str| {
            state.is_some_and(|state| state.path.strip_suffix(FILE) == Some(dir))
        };
        lies_in(file.after.as_ref(), &moved.to) || lies_in(file.before.as_ref(), &moved.from)
    });
    if super::session::is_told(moved) {
        return None;
    }
    if !is_of_task(moved) {
        let deed = match (moved.from.starts_with(BACKUP), moved.to.starts_with(BACKUP)) {
            (false, true) => "moved into the backup".to_owned(),
            (true, _) => return Some(about_file(&moved.to, "brought back from the backup".to_owned())),
            (false, false) => format!("renamed to {}", name_of(&moved.to)),
        };
        return Some(about_file(&moved.from, deed));
    }
    let deed = place(&moved.from, &moved.to, changed).filter(|_| !is_told)?;
    let shown = if moved.to.starts_with(TASKS) { &moved.to } else { &moved.from };
    let (id, title) = match &moved.task {
        Some(task) => (Some(task.id), task.title.as_str()),
        None => (None, name_of(shown)),
    };
    Some(Said { deed: Some(deed), ..Said::about(subject(shown, id, title), "tasks") })
}

/// Whether it is the directory of a task that went elsewhere, and no file.
fn is_of_task(moved: &DirectoryMove) -> bool {
    let is_among_tasks = |path: &str| path.starts_with(TASKS) || path.starts_with(TRASH);
    !moved.is_file() && (is_among_tasks(&moved.from) || is_among_tasks(&moved.to))
}

fn about_file(path: &str, deed: String) -> Said {
    Said { deed: Some(deed), ..Said::about(path, "files") }
}

/// What it means that a task among the same siblings has another number; `None` when it has the same.
fn renumbered(old: u32, new: u32) -> Option<String> {
    (old != new).then(|| format!("gets the number {new} instead of {old}"))
}

/// What it means that a directory went from one place to another; `None` when only its name is another.
fn place(from: &str, to: &str, changed: &Changed) -> Option<String> {
    if above(from) == above(to) || carried(above(from), changed) == above(to) {
        return renumbered(number(from)?.ordinal(), number(to)?.ordinal());
    }
    if from.starts_with(BACKUP) || to.starts_with(BACKUP) {
        let deed = if to.starts_with(BACKUP) { "moved into the backup" } else { "brought back from the backup" };
        return Some(deed.to_owned());
    }
    Some(match (from.starts_with(TRASH), to.starts_with(TRASH)) {
        (false, true) => "deleted".to_owned(),
        (true, false) => "restored".to_owned(),
        (true, true) => return None,
        (false, false) => match above(to) {
            "tasks" => "moved to the top".to_owned(),
            parent => {
                format!("moved under {}", number(parent).map_or_else(|| name_of(parent).to_owned(), |n| n.to_string()))
            }
        },
    })
}

/// Where a directory lies after all moves: what lies in one that goes elsewhere goes along.
fn carried(dir: &str, changed: &Changed) -> String {
    changed.moves.iter().fold(dir.to_owned(), |dir, moved| match dir.strip_prefix(&moved.from) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{}{rest}", moved.to),
        _ => dir,
    })
}

fn subject(dir: &str, id: Option<TaskId>, title: &str) -> String {
    let title = cut(title);
    match (number(dir), id) {
        (Some(number), _) => format!("task {number} {title}"),
        (None, Some(id)) => format!("task {id} {title}"),
        (None, None) => format!("task {title}"),
    }
    .trim_end()
    .to_owned()
}

fn number(dir: &str) -> Option<Number> {
    read_name(name_of(dir)).number
}

fn above(dir: &str) -> &str {
    dir.rsplit_once('/').map_or("", |(above, _)| above)
}

fn name_of(dir: &str) -> &str {
    dir.rsplit_once('/').map_or(dir, |(_, name)| name)
}
