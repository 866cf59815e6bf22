//! Old sessions in the monthly archives: moving them there whole, reading them there, bringing them back.

use std::io;
use std::sync::Arc;

use handoff_model::limits::{MAX_ARCHIVE_PART_BYTES, MAX_ARCHIVED_SESSION_BYTES};
use handoff_model::problem::{Problem, Severity};
use handoff_model::rev::Rev;
use handoff_model::session::SessionKind;
use handoff_model::session::archive::{Archive, file_name, is_file_name};

use super::read::{FoundSession, SUFFIX, Sessions, body_file, read_leniently};
use crate::error::{Result, StoreError};
use crate::layout::{ARCHIVE, SESSIONS};
use crate::root::{NotUtf8, is_damage, join, not_utf8};
use crate::step::Step;
use crate::store::Store;
use crate::sys::Kind;
use crate::warm::FileReading;

impl Store {
    /// Every session in the archives, the one with the latest activity first.
    pub fn archived_sessions(&self) -> Result<Sessions> {
        self.at_one_moment(|| self.read_archives(|_| true))
    }

    /// The sessions in the archives that belong to the thread of the project: all but packages that decided nothing.
    ///
    /// Handoffs that name no item count too, since an item is as old as the number of handoffs it was carried over.
    pub fn archived_threads(&self) -> Result<Sessions> {
        let is_wanted =
            |found: &FoundSession| found.session.kind != SessionKind::Package || !found.session.decisions.is_empty();
        self.at_one_moment(|| self.read_archives(is_wanted))
    }

    fn read_archives(&self, wanted: impl Fn(&FoundSession) -> bool) -> Result<Sessions> {
        let mut sessions = Sessions::default();
        match self.files(ARCHIVE, &MONTHLY) {
            // Something else in the place of the directory hides the archives and nothing more.
            Err(StoreError::Read { path, source }) if is_damage(&source) => {
                sessions.problems.push(Problem::damaged(path, format!("cannot be read: {source}")));
                sessions.lacks_some = true;
            }
            files => {
                for file in files?.iter() {
                    sessions.list.extend(file.content.list.iter().filter(|found| wanted(found)).cloned());
                    sessions.problems.extend(file.content.problems.iter().cloned());
                }
            }
        }
        sessions.settle();
        self.notice(&sessions.problems);
        Ok(sessions)
    }

    /// Stages the move of a session to its archive, with its body, and tells which that is. One that is too large stays
    /// where it is.
    pub fn archive_session(&mut self, found: &FoundSession) -> Result<Option<String>> {
        let body_path = body_file(&found.file);
        let read = |source| StoreError::read(&body_path, source);
        let body = match self.root.read_text(&body_path) {
            // A body that is no text, or too large, is kept beside its session.
            Err(error) if matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::FileTooLarge) => {
                return Ok(None);
            }
            body => body.map_err(read)?,
        };
        let size = found.text.len() + body.as_ref().map_or(0, String::len);
        if size > MAX_ARCHIVED_SESSION_BYTES || found.archive.is_some() || found.problem.is_some() {
            return Ok(None);
        }
        if matches!(self.root.kind(ARCHIVE), Ok(Some(kind)) if kind != Kind::Directory) {
            let reason = "is not a directory, so no session is archived; run `handoff doctor --fix`";
            self.notice([&Problem::damaged(ARCHIVE, reason)]);
            return Ok(None);
        }
        let mut part = 0;
        let (path, before, mut archive) = loop {
            part += 1;
            let path = join(ARCHIVE, &file_name(&found.session, part));
            let before = match self.root.read_text(&path) {
                // One that outgrew what is read, as by a merge, is full.
                Err(error) if error.kind() == io::ErrorKind::FileTooLarge => continue,
                // A damaged archive stays as it is, for what is left of it; the session goes to the next part.
                Err(error) if is_damage(&error) => {
                    self.notice([&left_alone(&path, None, &error.to_string())]);
                    continue;
                }
                before => before.map_err(|source| StoreError::read(&path, source))?,
            };
            let present = self.staged_text(&path).map(str::to_owned).or_else(|| before.clone());
            let Some(present) = present else {
                break (path.clone(), before, Archive::new(crate::store::name_of(&path)));
            };
            if present.len() + size > MAX_ARCHIVE_PART_BYTES {
                continue;
            }
            let (archive, problems) = Archive::read(&path, &present);
            let damage = problems.iter().find(|problem| problem.severity == Severity::Damaged);
            match damage {
                Some(damage) => self.notice([&left_alone(&path, damage.line, &damage.reason)]),
                None if archive.sessions().any(|session| !archive.is_intact(&session)) => self.notice(&problems),
                None => break (path, before, archive),
            }
        };
        if archive.add(&found.name, &found.text, body.as_deref()).is_err() {
            return Ok(None);
        }
        self.stage_file(path.clone(), before, archive.print());
        self.change.steps.push(Step::Remove { path: found.file.clone(), before: found.text.clone() });
        if let Some(body) = body {
            self.change.steps.push(Step::Remove { path: body_path, before: body });
        }
        Ok(Some(path))
    }

    /// Stages the return of a session from its archive, as the files it was.
    pub fn restore_session(&mut self, found: &FoundSession) -> Result<FoundSession> {
        let Some(path) = found.archive.clone() else { return Ok(found.clone()) };
        if self.root.exists(&found.file) {
            return Err(StoreError::InTheWay { path: found.file.clone() });
        }
        let read = |source| StoreError::read(&path, source);
        let text = self
            .root
            .read_text(&path)
            .map_err(read)?
            .ok_or_else(|| StoreError::ChangedUnderway { path: path.clone() })?;
        let (mut archive, _) = Archive::read(&path, &text);
        archive.remove(&found.name);
        let restored = FoundSession { archive: None, archived_body: None, ..found.clone() };
        self.change.steps.push(Step::Put { path: found.file.clone(), before: None, after: found.text.clone() });
        self.save_session_body(&restored, found.archived_body.clone())?;
        self.stage_file(path, Some(text), archive.print());
        Ok(restored)
    }

    pub(super) fn staged_text(&self, wanted: &str) -> Option<&str> {
        self.change.steps.iter().find_map(|step| match step {
            Step::Put { path, after, .. } if path == wanted => Some(after.as_str()),
            _ => None,
        })
    }

    /// Stages what a file shall say; staged for a second time, the last word counts.
    pub(crate) fn stage_file(&mut self, wanted: String, before: Option<String>, text: String) {
        for step in &mut self.change.steps {
            if let Step::Put { path, after, .. } = step
                && *path == wanted
            {
                *after = text;
                return;
            }
        }
        self.change.steps.push(Step::Put { path: wanted, before, after: text });
    }
}

/// The archives of sessions.
const MONTHLY: FileReading<Sessions> = FileReading {
    is_wanted: is_file_name,
    understand: |name, text| {
        let path = join(ARCHIVE, name);
        match text {
            Ok(text) => sessions_in(&path, text),
            Err(error) => {
                let readable = not_utf8(&error).map(NotUtf8::readable);
                let line = readable.as_ref().map(|(_, line)| *line);
                let mut sessions = readable.map(|(text, _)| sessions_in(&path, &text)).unwrap_or_default();
                sessions.problems.push(Problem::damaged(&path, error.to_string()).at_line(line));
                sessions.lacks_some = true;
                sessions
            }
        }
    },
};

/// The problem of an archive that nothing is added to.
fn left_alone(path: &str, line: Option<usize>, reason: &str) -> Problem {
    let reason = format!("{reason}; it is left as it is, and sessions go to another archive");
    Problem::damaged(path, reason).at_line(line)
}

fn sessions_in(path: &str, text: &str) -> Sessions {
    let (archive, problems) = Archive::read(path, text);
    let mut sessions = Sessions { list: Vec::new(), problems, lacks_some: false };
    for archived in archive.sessions() {
        let (session, problem) = read_leniently(archived.toml_text, path);
        let problem = problem.map(|problem| {
            let line = problem.line.map_or(archived.line, |line| archived.line + line - 1);
            problem.at_line(Some(line))
        });
        sessions.problems.extend(problem.clone());
        let Some(session) = session else { continue };
        sessions.list.push(Arc::new(FoundSession {
            name: archived.name.to_owned(),
            session,
            rev: Rev::of(archived.toml_text.as_bytes()),
            problem,
            archive: Some(path.to_owned()),
            file: join(SESSIONS, &format!("{}{SUFFIX}", archived.name)),
            text: archived.toml_text.to_owned(),
            archived_body: archived.body.map(str::to_owned),
        }));
    }
    sessions
}
