//! Files where directories belong, and the other way round.

use handoff_model::heal::{Finding, Kind};
use handoff_model::name::read_name;

use super::super::mend::Mend;
use super::super::misfit;
use super::super::picture::Content;
use super::super::scene::Scene;
use super::Findings;
use super::files::{is_body, is_record};
use crate::layout::{TASK_FILE, TASKS};
use crate::root::{join, split};
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

/// Directories in the place of a record file, and files in the place of the directory of a task.
pub(super) fn wrong_records(scene: &Scene<'_>, findings: &mut Findings) {
    for (path, entry) in scene.picture.entries() {
        match entry.content {
            Content::Directory if is_record(path) || is_body(path) => {
                let finding = Finding::new(Kind::WrongKind, path, "a directory stands where a file belongs");
                put_back(scene, findings, finding, path, |text| Mend::NewFile { path: path.to_owned(), text });
            }
            Content::Unread if split(path).0 == TASKS && is_named_like_task(split(path).1) => {
                let what = "a file stands where the directory of a task belongs";
                let finding = Finding::new(Kind::WrongKind, path, what);
                let file = join(path, TASK_FILE);
                put_back(scene, findings, finding, &file, |text| Mend::NewTask { dir: path.to_owned(), text });
            }
            _ => {}
        }
    }
}

fn is_named_like_task(name: &str) -> bool {
    let name = read_name(name);
    name.number.is_some() || name.id.is_some()
}

/// Moves what is in the way into the backup, and puts back what the log has of the file.
fn put_back(
    scene: &Scene<'_>,
    findings: &mut Findings,
    finding: Finding,
    file: &str,
    make: impl FnOnce(String) -> Mend,
) {
    let aside = Mend::Aside(finding.path.clone());
    match scene.around.versions.get(file).filter(|version| version.is_last) {
        Some(version) => {
            let fix = format!("moved into the backup; the file is restored as it was in {}", version.from);
            findings.mend(finding, fix, Mend::All(vec![aside, make(version.text.clone())]));
        }
        None => findings.mend(finding, "moved into the backup", aside),
    }
}
