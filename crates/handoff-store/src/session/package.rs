//! Packages: sessions of which the body is the thing itself, and may be large.
//!
//! **Invariant:** the body of a new package is on disk before the file that makes it count, and neither the journal nor
//! the log holds a copy of it. What a crash leaves in between is a body without a session; it is noted while it is made,
//! and the next change takes it away.

use handoff_model::MAX_BODY_BYTES;
use handoff_model::id::SessionRef;
use handoff_model::rev::Rev;
use handoff_model::session::Session;

use super::read::{BODY, FoundSession, SUFFIX, body_file, full_name, read_leniently};
use crate::error::{Result, StoreError};
use crate::layout::{NEW_BODIES, SESSIONS, TRASHED_SESSIONS};
use crate::root::{Root, join};
use crate::step::{Step, put};
use crate::store::{Store, name_of};

impl Store {
    /// Stages a new session with a body as large as bodies get.
    pub fn create_package(&mut self, mut session: Session, body: String) -> Result<FoundSession> {
        session.body_check = Some(Session::check_of_body(&body));
        let found = self.create_session(session, None)?;
        let path = body_file(&found.file);
        if body.len() > MAX_BODY_BYTES {
            return Err(StoreError::BodyTooLarge { path, size: body.len() });
        }
        self.change.bodies.push((path, body));
        Ok(found)
    }

    /// Whether a session with this full name, or what is left of one, is there. Of another day the same id would be a
    /// chance of one in four thousand million, and looking at all names takes longer than storing.
    pub fn has_session(&self, full_name: &str) -> bool {
        [SUFFIX, BODY].iter().any(|ending| self.root.exists(&join(SESSIONS, &format!("{full_name}{ending}"))))
    }

    /// The session with this full name. Where its file has that name, no other is looked at.
    pub fn session_called(&self, name: &str) -> Result<Option<FoundSession>> {
        let file = join(SESSIONS, &format!("{name}{SUFFIX}"));
        if let Some(found) = self.found_in(&file)?.filter(|found| found.name == name) {
            return Ok(Some(found));
        }
        match self.session(&SessionRef::Name(name.to_owned())) {
            Err(StoreError::NoSuchSession { .. }) => Ok(None),
            found => found.map(Some),
        }
    }

    /// The session in a file; `None` where there is none that can be read.
    pub(super) fn found_in(&self, file: &str) -> Result<Option<FoundSession>> {
        let Some(text) = self.root.read_text(file).map_err(|source| StoreError::read(file, source))? else {
            return Ok(None);
        };
        let (session, problem) = read_leniently(&text, file);
        Ok(session.map(|session| {
            let (name, rev) = (full_name(file, &session), Rev::of(text.as_bytes()));
            FoundSession {
                name,
                session,
                rev,
                problem,
                archive: None,
                file: file.to_owned(),
                text,
                archived_body: None,
            }
        }))
    }
}

/// Takes away what was written for a package that never came to be.
pub(crate) fn remove_unfinished(root: &Root) {
    let Ok(Some(noted)) = root.read_text(NEW_BODIES) else { return };
    for path in noted.lines() {
        let Some(stem) = path.strip_prefix(SESSIONS).and_then(|name| name.strip_prefix('/')?.strip_suffix(BODY)) else {
            continue;
        };
        let session = join(SESSIONS, &format!("{stem}{SUFFIX}"));
        if !stem.contains('/') && matches!(root.kind(&session), Ok(None)) {
            let _ = root.remove_file(path);
        }
    }
    let _ = root.remove_file(NEW_BODIES);
}

/// Bodies that were written for a change that is about to be made.
pub(crate) struct NewBodies<'a> {
    root: &'a Root,
    paths: Vec<String>,
}

impl<'a> NewBodies<'a> {
    /// Writes the bodies, on disk before this returns.
    pub(crate) fn write(root: &'a Root, bodies: &[(String, String)]) -> Result<NewBodies<'a>> {
        let mut written = NewBodies { root, paths: Vec::new() };
        if !bodies.is_empty() {
            let paths: Vec<&str> = bodies.iter().map(|(path, _)| path.as_str()).collect();
            let noted = root.replace_loose(NEW_BODIES, paths.join("\n").as_bytes());
            noted.map_err(|source| StoreError::write(NEW_BODIES, source))?;
        }
        for (path, text) in bodies {
            if root.exists(path) {
                written.remove();
                return Err(StoreError::InTheWay { path: path.clone() });
            }
            written.paths.push(path.clone());
            if let Err(source) = put(root, path, text).and_then(|()| root.sync_dir(SESSIONS)) {
                written.remove();
                return Err(StoreError::write(path, source));
            }
        }
        if !bodies.is_empty() {
            // Where they go when the change is taken back.
            let made = root.dir_made(TRASHED_SESSIONS);
            made.map_err(|source| StoreError::write(TRASHED_SESSIONS, source)).inspect_err(|_| written.remove())?;
        }
        Ok(written)
    }

    /// Forgets that they were being made: the change that needs them is.
    pub(crate) fn stay(&self) {
        if !self.paths.is_empty() {
            let _ = self.root.remove_file(NEW_BODIES);
        }
    }

    /// Takes them away again when the change was not made; one that is half made will be finished, and needs them.
    pub(crate) fn take_back(&self, error: &StoreError) {
        if !matches!(error, StoreError::HalfDone { .. }) {
            self.remove();
        }
    }

    fn remove(&self) {
        for path in &self.paths {
            let _ = self.root.remove_file(path);
        }
        let _ = self.root.remove_file(NEW_BODIES);
    }

    /// What the log says of them: each came from where it goes when the change is taken back.
    pub(crate) fn steps(&self) -> Vec<Step> {
        let came = |path: &String| Step::MoveDir { from: join(TRASHED_SESSIONS, name_of(path)), to: path.clone() };
        self.paths.iter().map(came).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_whose_package_never_came_is_taken_away_and_no_other() {
        let place = tempfile::tempdir().unwrap();
        let root = Root::open(place.path()).unwrap();
        root.make_dirs(SESSIONS).unwrap();
        for file in ["2026-11-15-a3f9c12e.md", "2026-11-15-a3f9c12e.toml", "2026-11-15-00000001.md", "mine.md"] {
            put(&root, &join(SESSIONS, file), "text").unwrap();
        }
        let noted = "sessions/2026-11-15-a3f9c12e.md\nsessions/2026-11-15-00000001.md\n../mine.md\nsessions/../x.md";
        root.replace_loose(NEW_BODIES, noted.as_bytes()).unwrap();
        remove_unfinished(&root);
        let there = |file: &str| root.exists(&join(SESSIONS, file));
        assert!(there("2026-11-15-a3f9c12e.md") && there("mine.md") && !there("2026-11-15-00000001.md"));
        assert!(!root.exists(NEW_BODIES));
    }
}
