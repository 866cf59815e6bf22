//! The files that were worked on, those that matter most first.

use super::super::{Digest, FileChange, TouchedFile};
use super::Place;
use super::words;
use crate::session::Outside;

/// The most files a handoff points to.
pub(super) const MOST: usize = 12;

/// The most files that were only looked at; they count where none was changed.
const MOST_LOOKED_AT: usize = 5;

/// Places in a project where handoff, git and agents keep what is their own.
const NOT_WORK: &[&str] = &[
    ".git/",
    ".handoff/",
    ".claude/plans/",
    ".claude/projects/",
    ".claude/tasks/",
    ".claude/todos/",
    ".codex/sessions/",
    ".gemini/tmp/",
];

/// A file that was worked on.
pub(super) struct File {
    pub(super) place: Place,
    pub(super) line: Option<u64>,
    changes: u32,
    looks: u32,
    is_new: bool,
    is_gone: bool,
}

/// The files that were changed and are still there, or else those that were looked at more than once.
pub(super) fn worked_on(digest: &Digest, roots: &[&str]) -> Vec<File> {
    let mut all: Vec<File> = Vec::new();
    for touched in &digest.files {
        let Some(path) = path_in_project(touched, digest.about.cwd.as_deref(), roots) else { continue };
        let before = all.iter().position(|file| file.place.path == path).map(|place| all.remove(place));
        let mut file = before.unwrap_or_else(|| File {
            place: Place { path, reason: String::new() },
            line: None,
            changes: 0,
            looks: 0,
            is_new: false,
            is_gone: false,
        });
        file.changes += touched.changes;
        file.looks += touched.looks;
        file.line = touched.line.or(file.line);
        file.is_new |= touched.change == Some(FileChange::Added);
        file.is_gone = touched.change == Some(FileChange::Deleted);
        all.push(file);
    }
    all.retain(|file| !file.is_gone);
    let has_changes = all.iter().any(|file| file.changes > 0);
    if has_changes {
        all.retain(|file| file.changes > 0);
    } else {
        all.retain(|file| file.looks > 1);
    }
    sort(&mut all);
    if !has_changes {
        all.truncate(MOST_LOOKED_AT);
    }
    for file in &mut all {
        file.place.reason = file.reason();
    }
    all
}

impl File {
    pub(super) fn is_changed(&self) -> bool {
        self.changes > 0
    }

    fn reason(&self) -> String {
        let times = |count: u32| match count {
            1 => "once".to_owned(),
            2 => "twice".to_owned(),
            more => format!("{more} times"),
        };
        match (self.changes, self.is_new) {
            (0, _) => format!("looked at {}", times(self.looks)),
            (0..=1, true) => "added".to_owned(),
            (more, true) => format!("added, changed {}", times(more)),
            (1, false) => "changed".to_owned(),
            (more, false) => format!("changed {}", times(more)),
        }
    }
}

/// Puts what was worked on most and last first: being last weighs as much as four changes.
fn sort(files: &mut [File]) {
    let count = files.len().max(1);
    let mut weight: Vec<(usize, usize)> = Vec::with_capacity(files.len());
    for (index, file) in files.iter().enumerate() {
        let work = file.changes.max(file.looks).min(4) as usize;
        weight.push((work * count + 4 * (index + 1), index));
    }
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(weight[*index]));
    let mut rank = vec![0; files.len()];
    for (place, index) in order.into_iter().enumerate() {
        rank[index] = place;
    }
    let mut rank = rank.into_iter();
    files.sort_by_cached_key(|_| rank.next());
}

/// The path of a file relative to the project, where it is work in the project.
fn path_in_project(touched: &TouchedFile, cwd: Option<&str>, roots: &[&str]) -> Option<String> {
    let path = match &touched.change {
        Some(FileChange::Moved { to }) => to,
        _ => &touched.path,
    };
    let is_absolute = path.starts_with(['/', '\\', '~']) || path.as_bytes().get(1) == Some(&b':');
    let whole = match cwd {
        Some(cwd) if !is_absolute => format!("{}/{path}", cwd.trim_end_matches('/')),
        _ => path.clone(),
    };
    let (Ok(inside) | Err(Outside::Detour { right: inside, .. })) = crate::session::inside(&whole, roots) else {
        return None;
    };
    let is_plain = words::one_line(&inside, 2_000) == inside;
    let is_work = !NOT_WORK.iter().any(|own| inside.starts_with(own));
    (is_plain && is_work && !inside.ends_with('/')).then_some(inside)
}
