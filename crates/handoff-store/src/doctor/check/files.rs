//! Files that cannot be read as what they should be.

use handoff_model::conflict::{self, Conflict};
use handoff_model::document::{self, Unreadable};
use handoff_model::heal::{Finding, Kind, Merged, RecordKind, Sides, Unmergeable, merge};
use handoff_model::name::stable_name;
use handoff_model::problem::Severity;
use handoff_model::session::archive::is_file_name;
use handoff_model::session::{Archive, Session};
use handoff_model::task::{Task, archive as task_archive};
use handoff_model::time_log::TimeLog;
use serde::Deserialize;

use super::super::cure::KnownVersion;
use super::super::look::not_text;
use super::super::mend::Mend;
use super::super::picture::Content;
use super::super::scene::Scene;
use super::Findings;
use crate::layout::{ARCHIVE, CONFIG, REGISTRY, SESSIONS, TASK_FILE, TASKS, TIME};
use crate::place::Registry;
use crate::root::{join, split};
use crate::session::read::{BODY, SUFFIX};
use crate::sys::Kind as FileKind;
use crate::task::read::is_ignored;

/// What sort of record a file is; `None` for one that is no record.
pub(crate) fn record(path: &str) -> Option<RecordKind> {
    let (dir, name) = split(path);
    let is_toml = name.ends_with(SUFFIX) && !is_ignored(name);
    match dir.split('/').next().unwrap_or_default() {
        TASKS => (name == TASK_FILE && !dir.split('/').any(is_ignored)).then_some(RecordKind::Task),
        SESSIONS => (dir == SESSIONS && is_toml).then_some(RecordKind::Session),
        TIME => (dir == TIME && is_toml).then_some(RecordKind::TimeLog),
        "" => (path == CONFIG).then_some(RecordKind::Config),
        _ => None,
    }
}

/// Whether a file is the free-form text of a session.
pub(super) fn is_body(path: &str) -> bool {
    let (dir, name) = split(path);
    dir == SESSIONS && name.ends_with(BODY) && !is_ignored(name)
}

/// Why a text is not such a record.
fn fault(record: RecordKind, text: &str) -> Option<Unreadable> {
    let empty = || Unreadable { line: None, reason: "the file is empty".to_owned() };
    match record {
        RecordKind::Task | RecordKind::Session if text.trim().is_empty() => Some(empty()),
        RecordKind::Task => Task::read(text).err(),
        RecordKind::Session => Session::read(text).err(),
        RecordKind::TimeLog => TimeLog::read(text).err(),
        RecordKind::Config => document::read::<toml::Table>(text).err(),
    }
}

/// Settings may be empty; they were emptied where it is known that there were some.
fn emptied(scene: &Scene<'_>, path: &str, record: RecordKind, text: &str) -> Option<Unreadable> {
    let had_some = scene.around.versions.get(path).is_some_and(|known| !known.text.trim().is_empty());
    let is_emptied = matches!(record, RecordKind::Config) && text.trim().is_empty() && had_some;
    is_emptied.then(|| Unreadable { line: None, reason: "the file is empty, and had settings".to_owned() })
}

/// The format a file says it is written in.
pub(super) fn format_of(text: &str) -> Option<i64> {
    #[derive(Deserialize)]
    struct Head {
        format: Option<i64>,
    }
    toml::from_str::<Head>(text).ok()?.format
}

/// Links, FIFOs, sockets, devices, and names that are no text.
pub(super) fn odd(scene: &Scene<'_>, findings: &mut Findings) {
    for (path, entry) in scene.picture.entries() {
        let Content::Odd(kind) = entry.content else { continue };
        let (dir, name) = split(path);
        let is_ours = [TASKS, SESSIONS, ARCHIVE, TIME].contains(&path.split('/').next().unwrap_or_default());
        let has_no_text = name.contains(char::REPLACEMENT_CHARACTER);
        let what = match kind {
            _ if has_no_text => "its name is not UTF-8",
            FileKind::Link => "a symbolic link; links are never followed",
            _ => "neither a file nor a directory; it is left alone",
        };
        let finding = Finding::new(Kind::OddFile, path, what);
        if !is_ours || dir.is_empty() {
            continue;
        }
        if has_no_text {
            findings.tell(finding.advising("put an ordinary file or directory in its place"));
        } else {
            findings.mend(finding, "moved into the backup", Mend::Aside(path.to_owned()));
        }
    }
}

/// Files between the directories of tasks.
pub(super) fn stray(scene: &Scene<'_>, findings: &mut Findings) {
    for (name, entry) in scene.picture.inside(TASKS) {
        if matches!(entry.content, Content::Unread) && !is_ignored(name) {
            let finding = Finding::new(Kind::StrayFile, join(TASKS, name), "belongs to no task, and is not looked at");
            findings.tell(finding.advising("put it into the directory of its task, or elsewhere"));
        }
    }
}

/// Records that the system does not let us read, that are too large, or that are no such record.
pub(super) fn unreadable(scene: &Scene<'_>, findings: &mut Findings) {
    for (path, entry) in scene.picture.entries() {
        match &entry.content {
            Content::Failed(why) => {
                let finding = Finding::new(Kind::Unreadable, path, format!("cannot be read: {why}"));
                findings.tell(finding.advising("see that you may read it, and that the disk is well"));
            }
            Content::TooLarge(why) => {
                let advice = "move long texts into files of the project, and point to them";
                findings.tell(Finding::new(Kind::Oversize, path, why.clone()).advising(advice));
            }
            Content::Bytes(bytes, at) => {
                let line = memchr::memchr_iter(b'\n', &bytes[..*at]).count() + 1;
                spoiled(scene, findings, Finding::new(Kind::Unparseable, path, not_text(bytes)).at_line(Some(line)));
            }
            Content::Text(text) => text_of_record(scene, findings, path, text),
            Content::Directory | Content::Unread | Content::Odd(_) => {}
        }
    }
}

fn text_of_record(scene: &Scene<'_>, findings: &mut Findings, path: &str, text: &str) {
    let unparseable = |error: Unreadable| Finding::new(Kind::Unparseable, path, error.reason).at_line(error.line);
    if path == REGISTRY {
        if let Err(error) = Registry::projects_in(text) {
            spoiled(scene, findings, unparseable(error));
        }
        return;
    }
    if split(path).0 == ARCHIVE && is_file_name(split(path).1) {
        archive(findings, path, text);
        return;
    }
    if split(path).0 == ARCHIVE && task_archive::is_file_name(split(path).1) {
        packed(findings, path, text);
        return;
    }
    let Some(record) = record(path) else { return };
    match format_of(text) {
        Some(format) if format > i64::from(handoff_model::FORMAT) => {
            let format = u32::try_from(format).unwrap_or(u32::MAX);
            let finding = Finding::new(Kind::NewerFormat, path, document::newer_format(format).reason);
            let line = super::line_of_key(text, "format");
            findings.tell(finding.at_line(line).advising("update handoff"));
            return;
        }
        Some(format) if format < i64::from(handoff_model::FORMAT) => {
            let what = format!("written in format {format}; it is read all the same");
            let line = super::line_of_key(text, "format");
            findings.tell(Finding::new(Kind::OlderFormat, path, what).at_line(line));
        }
        _ => {}
    }
    let is_conflicted = conflict::first_marker(text).is_some();
    let fault = fault(record, text).or_else(|| emptied(scene, path, record, text));
    if let Some(error) = fault.filter(|_| !is_conflicted) {
        spoiled(scene, findings, unparseable(error));
    }
}

/// A record that is beyond reading: a good version of it may lie elsewhere.
fn spoiled(scene: &Scene<'_>, findings: &mut Findings, finding: Finding) {
    let origin = scene.picture.at_first(&finding.path).unwrap_or_default();
    let is_good =
        |version: &&KnownVersion| record(&finding.path).is_some_and(|kind| fault(kind, &version.text).is_none());
    match scene.around.versions.get(origin).filter(is_good) {
        Some(KnownVersion { text, from, is_last: true }) if is_certain(scene, &finding.path) => {
            let mend = Mend::All(vec![
                Mend::Aside(finding.path.clone()),
                Mend::NewFile { path: finding.path.clone(), text: text.clone() },
            ]);
            findings.mend(finding, format!("restored as it was in {from}"), mend);
        }
        Some(KnownVersion { from, is_last: true, .. }) => {
            let advice = format!("mend it by hand; or empty it, and `handoff doctor --fix` takes it from {from}");
            findings.tell(finding.advising(advice));
        }
        Some(KnownVersion { from, .. }) => {
            findings.tell(finding.advising(format!("mend it by hand, or take it from {from}")));
        }
        None => findings.tell(finding.advising("mend it by hand; everything else still works")),
    }
}

/// Whether nothing of what a person may have meant can be in a file: it is empty, or was overwritten with zeros.
fn is_certain(scene: &Scene<'_>, path: &str) -> bool {
    match scene.picture.get(path).map(|entry| &entry.content) {
        Some(Content::Text(text)) => text.chars().all(|c| c.is_whitespace() || c == '\0'),
        Some(Content::Bytes(bytes, _)) => bytes.iter().all(|byte| *byte == 0),
        _ => false,
    }
}

fn archive(findings: &mut Findings, path: &str, text: &str) {
    let (archive, problems) = Archive::read(path, text);
    for problem in problems {
        let kind = if problem.severity == Severity::Damaged { Kind::Unparseable } else { Kind::WrongValue };
        let advice = "mend the block by hand; what else the archive holds is read";
        findings.tell(Finding::new(kind, path, problem.reason).at_line(problem.line).advising(advice));
    }
    for archived in archive.sessions() {
        if let Err(error) = Session::read(archived.toml_text) {
            let line = error.line.map_or(archived.line, |line| archived.line + line - 1);
            let what = format!("session `{}` in it cannot be read: {}", archived.name, error.reason);
            let advice = "mend the block by hand; what else the archive holds is read";
            findings.tell(Finding::new(Kind::Unparseable, path, what).at_line(Some(line)).advising(advice));
        }
    }
}

fn packed(findings: &mut Findings, path: &str, text: &str) {
    let advice = "mend it by hand; what else the archive holds is read";
    let (archive, problems) = task_archive::Archive::read(path, text);
    let (marks, damage): (Vec<_>, Vec<_>) =
        problems.into_iter().partition(|problem| problem.severity == Severity::Mended);
    if let Some(mark) = marks.into_iter().next() {
        let finding = Finding::new(Kind::ConflictMarkers, path, mark.reason).at_line(mark.line);
        match archive.united().filter(|_| damage.is_empty()) {
            Some(united) => {
                let mend = Mend::Put { path: path.to_owned(), text: united.print() };
                findings.mend(finding, "keeps the tasks of both sides, each once", mend);
            }
            None => findings.tell(finding.advising(advice)),
        }
    }
    for problem in damage {
        findings.tell(Finding::new(Kind::Unparseable, path, problem.reason).at_line(problem.line).advising(advice));
    }
    for packed in archive.tasks() {
        let (line, what) = match Task::read(&packed.text) {
            Ok((task, _)) if task.id == packed.id => continue,
            Ok((task, _)) => {
                (packed.line, format!("the table of task `{}` holds the file of task `{}`", packed.id, task.id))
            }
            Err(error) => {
                let line = error.line.map_or(packed.line, |line| packed.line + line);
                (line, format!("task `{}` in it cannot be read: {}", packed.id, error.reason))
            }
        };
        findings.tell(Finding::new(Kind::Unparseable, path, what).at_line(Some(line)).advising(advice));
    }
}

/// Files in which git left both sides of a merge.
pub(super) fn conflicts(scene: &Scene<'_>, findings: &mut Findings) {
    for (path, entry) in scene.picture.entries() {
        let Content::Text(text) = &entry.content else { continue };
        if is_body(path) {
            if let Some(line) = marker_outside_code(text) {
                let finding = Finding::new(Kind::ConflictMarkers, path, "git left both sides of a merge in this text");
                findings.tell(finding.at_line(Some(line)).advising("choose what stays, and remove the markers"));
            }
            continue;
        }
        let Some(record) = record(path) else { continue };
        let Some(line) = conflict::first_marker(text).filter(|_| fault(record, text).is_some()) else { continue };
        let finding = Finding::new(Kind::ConflictMarkers, path, "git left both sides of a merge").at_line(Some(line));
        match conflict::split(text).map(|sides| healed(scene, record, path, &sides)) {
            Some(Ok((fix, mend))) => findings.mend(finding, fix, mend),
            Some(Err(why)) => findings.tell(finding.advising(format!("resolve them by hand: {why}"))),
            None => findings.tell(finding.advising("the markers do not match up: resolve them by hand")),
        }
    }
}

fn healed(
    scene: &Scene<'_>,
    record: RecordKind,
    path: &str,
    conflict: &Conflict,
) -> Result<(String, Mend), Unmergeable> {
    let Conflict { ours, theirs, base, line: _ } = conflict;
    match merge(record, Sides { base: base.as_deref(), ours, theirs }, scene.around.now) {
        Ok(Merged { text, disputes }) => {
            Ok((joined(disputes.iter().map(ToString::to_string)), Mend::Put { path: path.to_owned(), text }))
        }
        // Two tasks that came to lie in one place: each gets its own.
        Err(Unmergeable::DifferentIds) if record == RecordKind::Task => {
            let (task, _) = Task::read(theirs)?;
            let dir = join(split(split(path).0).0, &stable_name(&task.title, task.id));
            let put = Mend::Put { path: path.to_owned(), text: ours.clone() };
            let mend = Mend::All(vec![Mend::NewTask { dir, text: theirs.clone() }, put]);
            Ok((format!("two tasks; `{}` gets a directory of its own", task.id), mend))
        }
        Err(error) => Err(error),
    }
}

/// What joining two versions comes to, in words.
pub(super) fn joined(disputes: impl Iterator<Item = String>) -> String {
    let disputes: Vec<String> = disputes.collect();
    if disputes.is_empty() {
        return "both sides joined, value by value".to_owned();
    }
    format!("both sides joined, value by value; {}", disputes.join("; "))
}

/// The first marker of a conflict that is whole, unless it stands in a block of code.
fn marker_outside_code(text: &str) -> Option<usize> {
    let line = conflict::split(text)?.line;
    let fences = text.lines().take(line - 1).filter(|line| line.trim_start().starts_with("```")).count();
    (fences % 2 == 0).then_some(line)
}

/// Access that is too wide or too narrow.
pub(super) fn access(scene: &Scene<'_>, findings: &mut Findings) {
    let mut foreign = Vec::new();
    for (path, entry) in scene.picture.entries() {
        let Some(access) = entry.access.filter(|_| scene.picture.at_first(path) == Some(path)) else { continue };
        if !access.is_ours {
            foreign.push(path);
        } else if let Some((_, finding)) = super::super::access::wrong(path, &entry.content, access) {
            findings.tell(finding);
        }
    }
    if let Some(first) = foreign.first() {
        let what = match foreign.len() {
            1 => "belongs to somebody else".to_owned(),
            count => format!("belongs to somebody else, like {} more", count - 1),
        };
        let finding = Finding::new(Kind::Permissions, *first, what);
        findings.tell(finding.advising("give it to who works here, such as with `chown -R`"));
    }
}
