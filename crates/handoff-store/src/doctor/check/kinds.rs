//! Files where directories belong, and the other way round.

use super::super::mend::Mend;
use super::super::misfit;
use super::super::picture::Content;
use super::super::scene::Scene;
use super::Findings;
use crate::sys::Kind as FileKind;

/// Places of records that hold something else than belongs there.
pub(super) fn wrong(scene: &Scene<'_>, findings: &mut Findings) {
    for (path, wanted) in misfit::RECORDS {
        let found = match scene.picture.get(path).map(|entry| &entry.content) {
            Some(Content::Directory) => FileKind::Directory,
            Some(Content::Odd(kind)) => *kind,
            Some(Content::Text(_) | Content::Bytes(..) | Content::TooLarge(_) | Content::Unread) => FileKind::File,
            Some(Content::Failed(_)) | None => continue,
        };
        let Some(finding) = misfit::finding(path, *wanted, found) else { continue };
        if scene.picture.leads_to_something(path) {
            findings.tell(finding.advising(misfit::BEHIND_LINK));
        } else {
            findings.mend(finding, "moved into the backup", Mend::Aside((*path).to_owned()));
        }
    }
}
