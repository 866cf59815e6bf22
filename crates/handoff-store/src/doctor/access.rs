//! Who may do what with the files of a store. Mended apart from all else: it is no part of what files say, and what may
//! not be read cannot be looked at before.

use handoff_model::heal::{Finding, Kind};

use super::picture::Content;
use crate::error::Result;
use crate::layout::LOG;
use crate::root::split;
use crate::store::Store;
use crate::sys::Access;

/// What is wrong with access, and what it should be.
pub(super) fn wrong(path: &str, content: &Content, access: Access) -> Option<(u32, Finding)> {
    const FOR_ALL_TO_WRITE: u32 = 0o002;
    const FOR_OTHERS: u32 = 0o077;
    let mode = access.mode;
    let is_directory =
        matches!(content, Content::Directory) || mode & 0o100 != 0 && matches!(content, Content::Failed(_));
    let needed = if is_directory { 0o700 } else { 0o600 };
    // The log has what files said before, those that are gone included.
    let forbidden = if path == LOG && is_directory { FOR_OTHERS } else { FOR_ALL_TO_WRITE };
    let right = (mode | needed) & !forbidden;
    let what = match (mode & needed == needed, mode & forbidden == 0) {
        (true, true) => return None,
        (false, _) => "its owner may not read and write it",
        (true, false) if path == LOG => "others on this machine may look into it",
        (true, false) => "everybody on this machine may write to it",
    };
    let fix = format!("access changed from {mode:03o} to {right:03o}; `undo` leaves that as it is");
    Some((right, Finding::new(Kind::Permissions, path, what).fixed_by(fix)))
}

/// How many directories that may not be read may lie in each other and still be mended at once.
const PASSES: usize = 8;

impl Store {
    /// Puts access right where it is wrong; returns what was.
    pub fn mend_access(&self) -> Result<Vec<Finding>> {
        let mut mended = Vec::new();
        // What lies in a directory that may not be read shows only after that was mended.
        for _ in 0..PASSES {
            let before = mended.len();
            let picture = self.picture("")?;
            for (path, entry) in picture.entries() {
                let Some(access) = entry.access.filter(|access| access.is_ours) else { continue };
                let Some((mode, finding)) = wrong(path, &entry.content, access) else { continue };
                let (dir, name) = split(path);
                if !mended.contains(&finding) && self.root.dir(dir).and_then(|dir| dir.set_access(name, mode)).is_ok() {
                    mended.push(finding);
                }
            }
            if mended.len() == before {
                break;
            }
        }
        Ok(mended)
    }
}
