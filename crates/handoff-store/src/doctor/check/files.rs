//! Files that cannot be read as what they should be.

use std::collections::{HashMap, HashSet};

use handoff_model::conflict::{self, Conflict};
use handoff_model::document::{self, Unreadable};
use handoff_model::entry_check::emptied;
use handoff_model::heal::{Finding, Kind, Merged, RecordKind, Sides, Unmergeable, merge};
use handoff_model::known_keys;
use handoff_model::memory::{MemoryRecord, MemorySections};
use handoff_model::name::{Layout, stable_name};
use handoff_model::problem::Problem;
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
use crate::layout::{ARCHIVE, BACKUP, CONFIG, MEMORY, REGISTRY, SESSIONS, TASK_FILE, TASKS, TIME};
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
        MEMORY => {
            let is_memory = dir == MEMORY && name.ends_with(BODY) && !is_ignored(name);
            is_memory.then_some(RecordKind::Memory)
        }
        "" => (path == CONFIG).then_some(RecordKind::Config),
        _ => None,
    }
}

/// Whether a file is the free-form text of a session.
pub(super) fn is_body(path: &str) -> bool {
    let (dir, name) = split(path);
    dir == SESSIONS && name.ends_with(BODY) && !is_ignored(name)
}

/// Whether a file of this path holds records: one, or the many of an archive.
pub(super) fn is_record(path: &str) -> bool {
    record(path).is_some() || is_archive(path)
}

fn is_archive(path: &str) -> bool {
    let (dir, name) = split(path);
    dir == ARCHIVE && (is_file_name(name) || task_archive::is_file_name(name))
}

/// Why a text is not such a record.
fn fault(record: RecordKind, text: &str) -> Option<Unreadable> {
    if let Some(error) = emptied(text) {
        return Some(error);
    }
    match record {
        RecordKind::Task => Task::read(text).err(),
        RecordKind::Session => Session::read(text).err(),
        RecordKind::Memory => MemoryRecord::read(text).err(),
        RecordKind::TimeLog => TimeLog::read(text).err(),
        RecordKind::Config => document::read::<toml::Table>(text).err(),
    }
}

/// The format a file says it is written in.
pub(super) fn format_of(text: &str) -> Option<i64> {
    #[derive(Deserialize)]
    struct Head {
        format: Option<i64>,
    }
    let fields = MemorySections::of(text).map_or(text, |sections| sections.fields());
    toml::from_str::<Head>(fields).ok()?.format
}

/// Links, FIFOs, sockets, devices, and names that are no text.
pub(super) fn odd(scene: &Scene<'_>, findings: &mut Findings) {
    for (path, entry) in scene.picture.entries() {
        let Content::Odd(kind) = entry.content else { continue };
        let (dir, name) = split(path);
        let is_ours = [TASKS, SESSIONS, ARCHIVE, TIME, MEMORY].contains(&path.split('/').next().unwrap_or_default());
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
    // What was set aside in an earlier round is as it should be.
    let is_in_place = |(path, _): &(&str, _)| !path.starts_with(BACKUP);
    for (path, entry) in scene.picture.entries().filter(is_in_place) {
        match &entry.content {
            Content::Failed(why) => {
                let finding = Finding::new(Kind::Unreadable, path, format!("cannot be read: {why}"));
                findings.tell(finding.advising("see that you may read it, and that the disk is well"));
            }
            Content::TooLarge(why) => {
                let advice = "move long texts into files of the project, and point to them";
                findings.tell(Finding::new(Kind::Oversize, path, why.clone()).advising(advice));
            }
            Content::Bytes(bytes, at) if is_archive(path) => {
                let line = memchr::memchr_iter(b'\n', &bytes[..*at]).count() + 1;
                let finding = Finding::new(Kind::Unparseable, path, not_text(bytes)).at_line(Some(line));
                archive_of_bytes(scene, findings, finding, &String::from_utf8_lossy(bytes));
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
        archive(scene, findings, path, text);
        return;
    }
    if split(path).0 == ARCHIVE && task_archive::is_file_name(split(path).1) {
        packed(scene, findings, path, text);
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
    if let Some(error) = fault(record, text).filter(|_| !is_conflicted) {
        spoiled(scene, findings, unparseable(error));
    } else if record == RecordKind::TimeLog
        && let Ok((_, problems)) = TimeLog::read_checked(path, text)
    {
        let is_of_keys = |problem: &&Problem| known_keys::respelled(text, problem).is_some();
        let broken = problems.iter().filter(|problem| !is_of_keys(problem));
        let broken =
            broken.map(|problem| Finding::new(Kind::Unparseable, path, problem.reason.clone()).at_line(problem.line));
        damaged_entries(scene, findings, text, broken.collect());
    }
}

/// A record that is beyond reading: a good version of it may lie elsewhere.
fn spoiled(scene: &Scene<'_>, findings: &mut Findings, finding: Finding) {
    let origin = scene.picture.at_first(&finding.path).unwrap_or_default();
    let is_good =
        |version: &&KnownVersion| record(&finding.path).is_some_and(|kind| fault(kind, &version.text).is_none());
    if record(&finding.path) == Some(RecordKind::TimeLog) {
        let text = match scene.picture.get(&finding.path).map(|entry| &entry.content) {
            Some(Content::Text(text)) => text.to_string(),
            Some(Content::Bytes(bytes, _)) => String::from_utf8_lossy(bytes).into_owned(),
            _ => String::new(),
        };
        if let Some(version) = restorable(scene, &finding.path, &text) {
            let (fix, mend) =
                (format!("restored as it was in {}", version.from), replaced_by(&finding.path, version.text.clone()));
            findings.mend(finding, fix, mend);
            return;
        }
    }
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

/// Lines that may differ between a damaged file and the version of it that is put back.
const MAX_DAMAGED_LINES: usize = 2;

/// The version of an archive or time log that can take the place of a damaged one: the last that handoff wrote, unless
/// the file has lines that this version does not have. Those were added since, and would be lost.
fn restorable<'a>(scene: &'a Scene<'_>, path: &str, text: &str) -> Option<&'a KnownVersion> {
    let origin = scene.picture.at_first(path).unwrap_or_default();
    let version = scene.around.versions.get(origin).filter(|version| version.is_last)?;
    let known: HashSet<&str> = version.text.lines().collect();
    let others = text.lines().filter(|line| !line.trim_matches('\0').is_empty() && !known.contains(line)).count();
    (version.text != text && others <= MAX_DAMAGED_LINES && is_sound(path, &version.text)).then_some(version)
}

fn is_sound(path: &str, text: &str) -> bool {
    let (dir, name) = split(path);
    if dir == TIME {
        return TimeLog::read_checked(path, text).is_ok_and(|(_, problems)| problems.is_empty());
    }
    let problems =
        if is_file_name(name) { Archive::read(path, text).1 } else { task_archive::Archive::read(path, text).1 };
    problems.is_empty()
}

/// Tells what is wrong in a file of many entries. The whole file is restored where that is safe.
fn damaged_entries(scene: &Scene<'_>, findings: &mut Findings, text: &str, broken: Vec<Finding>) {
    let Some(path) = broken.first().map(|finding| finding.path.clone()) else { return };
    let version = restorable(scene, &path, text);
    for (count, finding) in broken.into_iter().enumerate() {
        match version {
            // One mending for all of them.
            Some(version) if count == 0 => {
                let fix = format!("restored as it was in {}", version.from);
                findings.mend(finding, fix, replaced_by(&path, version.text.clone()));
            }
            Some(_) => findings.tell(finding),
            None => findings.tell(
                finding.advising("mend the entry by hand and remove its checksum; what else the file holds is read"),
            ),
        }
    }
}

fn replaced_by(path: &str, text: String) -> Mend {
    Mend::All(vec![Mend::Aside(path.to_owned()), Mend::NewFile { path: path.to_owned(), text }])
}

fn archive_of_bytes(scene: &Scene<'_>, findings: &mut Findings, finding: Finding, readable: &str) {
    let path = finding.path.clone();
    match restorable(scene, &path, readable) {
        Some(version) => {
            let fix = format!("restored as it was in {}", version.from);
            findings.mend(finding, fix, replaced_by(&path, version.text.clone()));
        }
        None => {
            let fix = "moved into the backup; what can be read of it stays, with a mark for each byte that is lost";
            findings.mend(finding, fix, replaced_by(&path, readable.to_owned()));
        }
    }
}

/// Archives and time logs that handoff wrote, and that neither it nor anybody through it removed.
pub(super) fn missing(scene: &Scene<'_>, findings: &mut Findings) {
    for (path, version) in &scene.around.versions {
        let is_of_many = is_archive(path) || record(path) == Some(RecordKind::TimeLog);
        if !is_of_many || !version.is_last || scene.picture.exists(path) {
            continue;
        }
        let finding = Finding::new(Kind::MissingFile, path.as_str(), "is gone, and handoff did not remove it");
        // In a shared project another branch may not have it yet.
        if scene.layout == Layout::Stable {
            findings.tell(finding.advising("take it from git, unless this branch does not have it"));
        } else {
            let mend = Mend::NewFile { path: path.clone(), text: version.text.clone() };
            findings.mend(finding, format!("restored as it was in {}", version.from), mend);
        }
    }
}

/// Archives that hold what another archive holds: one of them is not the file it was.
pub(super) fn twin_entries(scene: &Scene<'_>, findings: &mut Findings) {
    let mut seen: HashMap<String, String> = HashMap::new();
    for (name, entry) in scene.picture.inside(ARCHIVE) {
        let Content::Text(text) = &entry.content else { continue };
        let path = join(ARCHIVE, name);
        let held: Vec<String> = if is_file_name(name) {
            Archive::read(&path, text).0.sessions().map(|session| format!("session `{}`", session.name)).collect()
        } else if task_archive::is_file_name(name) {
            task_archive::Archive::read(&path, text).0.tasks().map(|packed| format!("task `{}`", packed.id)).collect()
        } else {
            continue;
        };
        let twin = held.iter().find_map(|entry| Some((entry, seen.get(entry)?.clone())));
        if let Some((entry, other)) = twin {
            for path in [&path, &other] {
                let what = format!("{entry} is both in {other} and in {}", join(ARCHIVE, name));
                let advice = "one of the two files may have been replaced by the other: put back the one that was";
                findings.tell(Finding::new(Kind::SameId, path.as_str(), what).advising(advice));
            }
        }
        for entry in held {
            seen.entry(entry).or_insert_with(|| path.clone());
        }
    }
}

fn archive(scene: &Scene<'_>, findings: &mut Findings, path: &str, text: &str) {
    let (archive, problems) = Archive::read(path, text);
    let is_twin = |problem: &&Problem| problem.reason.contains("is here twice");
    for problem in problems.iter().filter(is_twin) {
        let advice = "mend the block by hand; what else the archive holds is read";
        let finding = Finding::new(Kind::WrongValue, path, problem.reason.clone());
        findings.tell(finding.at_line(problem.line).advising(advice));
    }
    let broken = problems.iter().filter(|problem| !is_twin(problem));
    let broken =
        broken.map(|problem| Finding::new(Kind::Unparseable, path, problem.reason.clone()).at_line(problem.line));
    damaged_entries(scene, findings, text, broken.collect());
    for archived in archive.sessions() {
        if let Err(error) = Session::read(archived.toml_text) {
            let line = error.line.map_or(archived.line, |line| archived.line + line - 1);
            let what = format!("session `{}` in it cannot be read: {}", archived.name, error.reason);
            let advice = "mend the block by hand; what else the archive holds is read";
            findings.tell(Finding::new(Kind::Unparseable, path, what).at_line(Some(line)).advising(advice));
        }
    }
}

fn packed(scene: &Scene<'_>, findings: &mut Findings, path: &str, text: &str) {
    let advice = "mend it by hand; what else the archive holds is read";
    let (archive, problems) = task_archive::Archive::read(path, text);
    let (marks, damage): (Vec<_>, Vec<_>) =
        problems.into_iter().partition(|problem| problem.reason.contains("conflict marker"));
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
    let broken = damage.into_iter();
    let broken = broken.map(|problem| Finding::new(Kind::Unparseable, path, problem.reason).at_line(problem.line));
    damaged_entries(scene, findings, text, broken.collect());
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
        // A memory can be read with both sides in its text, and would say both.
        let is_torn = || record == RecordKind::Memory && conflict::split(text).is_some();
        let is_wrong = |_: &usize| fault(record, text).is_some() || is_torn();
        let Some(line) = conflict::first_marker(text).filter(is_wrong) else { continue };
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
