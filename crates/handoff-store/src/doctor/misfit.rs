//! Places of ours in which something else stands: a file where a directory belongs, or the other way round, or a link.
//!
//! What belongs to this machine is put right apart from all else, since without it nothing can be written.

use std::io;

use handoff_model::heal::{Finding, Kind};

use super::cure::Circumstances;
use crate::error::{Result, StoreError};
use crate::layout::{
    AGENTS, ARCHIVE, BACKUP, BOUND, CACHE, CHECKPOINT, CONFIG, GENERATION, GIT_ANSWERS, GIT_HISTORY, GITIGNORE,
    HOOK_LOG, INDEX, LOCAL, LOCATOR, LOCK, LOG, MEMORY, MEMORY_INDEX, MEMORY_USE, MEMORY_WORDS, NUMBERS, QUEUE,
    QUEUE_DAMAGED, REACHED, REGISTRY, RUN_LOCK, RUNS, SESSION_INDEX, SESSIONS, STATE, STEPS, TASKS, TIME, TIMERS, TMP,
    TRASH, USEFULNESS, WORDS,
};
use crate::root::{Root, join, split};
use crate::store::Store;
use crate::sys::Kind as FileKind;

/// Where records lie, and what each place must be. Put right as part of the change.
pub(super) const RECORDS: &[(&str, FileKind)] = &[
    (TASKS, FileKind::Directory),
    (SESSIONS, FileKind::Directory),
    (ARCHIVE, FileKind::Directory),
    (TIME, FileKind::Directory),
    (MEMORY, FileKind::Directory),
    (CONFIG, FileKind::File),
    (GITIGNORE, FileKind::File),
    (REGISTRY, FileKind::File),
];

/// What belongs to this machine; a directory comes before what lies in it.
const LOCAL_PLACES: &[(&str, FileKind)] = &[
    (LOCAL, FileKind::Directory),
    (STATE, FileKind::Directory),
    (BACKUP, FileKind::Directory),
    (TMP, FileKind::Directory),
    (LOG, FileKind::Directory),
    (TRASH, FileKind::Directory),
    (AGENTS, FileKind::Directory),
    (TIMERS, FileKind::Directory),
    (QUEUE, FileKind::Directory),
    (QUEUE_DAMAGED, FileKind::Directory),
    (STEPS, FileKind::Directory),
    (CACHE, FileKind::Directory),
    (LOCK, FileKind::File),
    (REACHED, FileKind::File),
    (RUN_LOCK, FileKind::File),
    (CHECKPOINT, FileKind::File),
    (RUNS, FileKind::File),
    (GENERATION, FileKind::File),
    (NUMBERS, FileKind::File),
    (BOUND, FileKind::File),
    (USEFULNESS, FileKind::File),
    (MEMORY_USE, FileKind::File),
    (HOOK_LOG, FileKind::File),
    (INDEX, FileKind::File),
    (SESSION_INDEX, FileKind::File),
    (LOCATOR, FileKind::File),
    (WORDS, FileKind::File),
    (MEMORY_INDEX, FileKind::File),
    (MEMORY_WORDS, FileKind::File),
    (GIT_HISTORY, FileKind::File),
    (GIT_ANSWERS, FileKind::File),
];

/// What stands in a place, if it is something else than belongs there.
pub(super) fn finding(path: &str, wanted: FileKind, found: FileKind) -> Option<Finding> {
    let what = match (wanted, found) {
        (wanted, found) if wanted == found => return None,
        (FileKind::Directory, FileKind::File) => "a file stands where a directory belongs",
        (_, FileKind::Directory) => "a directory stands where a file belongs",
        (FileKind::Directory, FileKind::Link) => {
            "a symbolic link stands where a directory belongs; links are never followed"
        }
        (_, FileKind::Link) => "a symbolic link stands where a file belongs; links are never followed",
        _ => "something stands there that is neither a file nor a directory",
    };
    Some(Finding::new(Kind::WrongKind, path, what))
}

/// Where something waits that stood where the backup itself is made.
fn beside(path: &str) -> String {
    format!("{path}-in-the-way")
}

/// Moves into the backup what a mending that was cut off left waiting for it.
pub(crate) fn clear_from_above_backup(root: &Root) {
    for path in [LOCAL, STATE, BACKUP] {
        let waiting = beside(path);
        if !root.exists(&waiting) {
            continue;
        }
        let free = (1..100).map(|number| join(BACKUP, &format!("in-the-way-{number}"))).find(|dir| !root.exists(dir));
        let Some(dir) = free else { continue };
        let moved = root.dir_made(&dir).and_then(|_| root.rename_to_free(&waiting, &join(&dir, split(path).1)));
        // What cannot be moved stays in sight.
        let _ = moved.and_then(|()| root.sync_dir(&dir));
    }
}

/// What people can do about a link behind which something lies.
pub(super) const BEHIND_LINK: &str = "put what the link leads to in the place of the link";

impl Store {
    /// Places of this machine that hold something else than belongs there.
    pub(super) fn misfits(&self) -> Vec<Finding> {
        let found = LOCAL_PLACES.iter().filter_map(|(path, wanted)| {
            let finding = finding(path, *wanted, self.root.kind(path).ok().flatten()?)?;
            // Nothing that a handover keeps was ever written through a link.
            let is_ours_alone = path.starts_with(CACHE) || matches!(*path, CHECKPOINT | QUEUE | QUEUE_DAMAGED);
            let is_full = !is_ours_alone && self.leads_to_something(path);
            Some(if is_full { finding.advising(BEHIND_LINK) } else { finding.fixed_by("moved into the backup") })
        });
        found.collect()
    }

    /// Moves them into the backup.
    pub fn mend_misfits(&self, around: &mut Circumstances) -> Result<()> {
        for finding in self.misfits().into_iter().filter(|finding| finding.fix.is_some()) {
            let path = finding.path.as_str();
            let moved = match path {
                LOCAL | STATE | BACKUP => self.move_from_above_backup(path, around),
                _ => self.move_aside(path, around),
            };
            moved.map_err(|source| StoreError::write(path, source))?;
            around.done.push(finding);
        }
        Ok(())
    }

    /// What stands where the backup itself would be made gives way first.
    fn move_from_above_backup(&self, path: &str, around: &mut Circumstances) -> io::Result<()> {
        let beside = beside(path);
        self.root.rename_to_free(path, &beside)?;
        self.root.dir_made(path)?;
        self.move_aside_as(&beside, path, around)
    }

    /// Whether a place is a link to something that is not empty.
    pub(super) fn leads_to_something(&self, path: &str) -> bool {
        let at = self.path_of(path);
        at.is_symlink()
            && match std::fs::read_dir(&at) {
                Ok(mut entries) => entries.next().is_some(),
                Err(_) => at.exists(),
            }
    }
}
