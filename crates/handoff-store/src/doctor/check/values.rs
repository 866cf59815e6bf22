//! Values that cannot be, and were read as others.

use handoff_model::document;
use handoff_model::heal::{Finding, Kind, RecordKind};
use handoff_model::known_keys;
use handoff_model::memory::memory_problems;
use handoff_model::problem::Problem;
use handoff_model::session::Session;
use handoff_model::task::{Note, Task};
use handoff_model::time_log::TimeLog;

use super::super::mend::Mend;
use super::super::picture::Content;
use super::super::scene::Scene;
use super::Findings;
use super::files::record;

/// A status that does not exist, hours that cannot be: what was read instead is written, and a note keeps what stood
/// there.
pub(super) fn wrong(scene: &Scene<'_>, findings: &mut Findings) {
    for task in &scene.tasks {
        let Some(text) = scene.task_text(&task.dir) else { continue };
        let Ok((read, Some(mended))) = Task::read(text) else { continue };
        let finding = Finding::new(Kind::WrongValue, task.file(), mended.reason.clone()).at_line(mended.line);
        match said(scene, &without_impossible_hours(text, &read), read, &mended.reason) {
            Some(text) => {
                let fix = "written as it was read; a note keeps what stood there";
                findings.mend(finding, fix, Mend::Put { path: task.file(), text });
            }
            None => findings.tell(finding.advising("write a value that can be")),
        }
    }
}

/// Keys that are one edit away from a known one that is missing.
pub(super) fn misspelled(scene: &Scene<'_>, findings: &mut Findings) {
    for (path, entry) in scene.picture.entries() {
        let Content::Text(text) = &entry.content else { continue };
        let problems = match record(path) {
            Some(RecordKind::Task) => known_keys::misspelled::<Task>(path, text),
            Some(RecordKind::Session) => known_keys::misspelled::<Session>(path, text),
            Some(RecordKind::Memory) => {
                let is_of_keys = |problem: &Problem| problem.reason.contains("is not a key");
                memory_problems(path, text).into_iter().filter(is_of_keys).collect()
            }
            Some(RecordKind::TimeLog) => known_keys::misspelled::<TimeLog>(path, text),
            // Settings have a check of their own.
            Some(RecordKind::Config) | None => continue,
        };
        let origin = scene.picture.at_first(path).unwrap_or_default();
        let logged = scene.around.versions.get(origin).filter(|version| version.is_last);
        for problem in problems {
            let finding = Finding::new(Kind::MisspelledKey, path, problem.reason.clone()).at_line(problem.line);
            let respelled = known_keys::respelled(text, &problem);
            // Where nothing but the key is other than handoff wrote it, nobody meant it.
            match logged.filter(|version| respelled.as_deref() == Some(&version.text)) {
                Some(version) => {
                    let fix = format!("the key is written as it was in {}", version.from);
                    findings.mend(finding, fix, Mend::Put { path: path.to_owned(), text: version.text.clone() });
                }
                None => findings.tell(finding.advising("rename the key, unless it is one of your own")),
            }
        }
    }
}

/// The text of a task's file when it shall say something else, with a note on why.
pub(super) fn said(scene: &Scene<'_>, text: &str, mut task: Task, why: &str) -> Option<String> {
    let at = scene.around.now.in_seconds();
    task.notes.push(Note { at, by: Some("handoff doctor".to_owned()), text: why.to_owned() });
    task.write_over(text).ok().filter(|written| matches!(Task::read(written), Ok((_, None))))
}

/// Hours that were read as none are not there.
fn without_impossible_hours(text: &str, read: &Task) -> String {
    let hours = [("estimate_hours", read.schedule.estimate_hours), ("remaining_hours", read.schedule.remaining_hours)];
    let Ok(mut file) = text.parse::<toml_edit::DocumentMut>() else { return text.to_owned() };
    for (key, _) in hours.iter().filter(|(key, hours)| hours.is_none() && text.contains(key)) {
        let _ = document::set_path(&mut file, &["schedule", key], None);
    }
    file.to_string()
}
