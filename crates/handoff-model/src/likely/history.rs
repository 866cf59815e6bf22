//! A history of commits as sessions and the files they touched.
//!
//! A session is a stretch of one author's commits. Files are followed through renames, also through those that git told
//! as a removal and an addition of the same name in one commit.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use super::{Commit, Touched, lines};

/// A longer pause of an author ends a session.
const PAUSE_SECONDS: i64 = 3 * 60 * 60;
/// More commits than this are another session.
const MOST_COMMITS: usize = 40;
const DAY_SECONDS: f64 = 86_400.0;
/// A commit of more files is a sweep through the project: it says the less about each of them, the more there are.
const SWEEP_FILES: usize = 60;
/// How fast the say of a sweep falls with its files.
const SWEEP_POWER: f64 = 0.5;

#[derive(Debug, Default)]
pub(super) struct History<'a> {
    sessions: Vec<Session>,
    files: BTreeMap<&'a str, Vec<Touch>>,
}

/// A session that touched a file.
#[derive(Debug)]
pub(super) struct Touch {
    session: usize,
    /// Its commits to the file, sweeps counted in part
    pub(super) commits: f64,
}

#[derive(Debug)]
pub(super) struct Session {
    pub(super) author: u32,
    /// How many files it touched, those of sweeps counted in part.
    pub(super) files: f64,
    /// Time of its last commit, in seconds since 1970.
    last: i64,
    /// Days between its last commit and the newest one.
    pub(super) days: f64,
    /// 1 for the last session, 2 for the one before it.
    pub(super) age: f64,
    /// The same among the author's sessions.
    pub(super) own_age: f64,
}

/// An author's session that may still go on.
struct Open {
    session: usize,
    last: i64,
    commits: usize,
}

impl<'a> History<'a> {
    /// Reads commits that are in order of time, oldest first.
    pub(super) fn read(commits: &'a [Commit]) -> Self {
        let mut history = Self::default();
        let mut open: HashMap<u32, Open> = HashMap::new();
        for commit in commits {
            history.follow_renames(&commit.files);
            let weight = sweep_weight(commit.files.len());
            let session = history.session_of(commit, &mut open);
            for file in &commit.files {
                if file.change == 'D' {
                    history.files.remove(file.path.as_str());
                } else {
                    history.touch(&file.path, session, weight);
                }
            }
        }
        history.count_ages();
        history
    }

    pub(super) fn files(&self) -> impl Iterator<Item = (&'a str, &[Touch])> {
        self.files.iter().map(|(path, touches)| (*path, touches.as_slice()))
    }

    pub(super) fn session(&self, touch: &Touch) -> &Session {
        &self.sessions[touch.session]
    }

    fn session_of(&mut self, commit: &Commit, open: &mut HashMap<u32, Open>) -> usize {
        if let Some(open) = open.get_mut(&commit.author)
            && commit.time - open.last <= PAUSE_SECONDS
            && open.commits < MOST_COMMITS
        {
            open.last = commit.time;
            open.commits += 1;
            self.sessions[open.session].last = commit.time;
            return open.session;
        }
        let last = commit.time;
        self.sessions.push(Session { author: commit.author, files: 0.0, last, days: 0.0, age: 0.0, own_age: 0.0 });
        let session = self.sessions.len() - 1;
        open.insert(commit.author, Open { session, last: commit.time, commits: 1 });
        session
    }

    fn touch(&mut self, path: &'a str, session: usize, weight: f64) {
        let touches = self.files.entry(path).or_default();
        // Sessions of several authors run side by side, so it need not be the last one.
        if let Some(touch) = touches.iter_mut().rev().find(|touch| touch.session == session) {
            touch.commits += weight;
        } else {
            touches.push(Touch { session, commits: weight });
            self.sessions[session].files += weight;
        }
    }

    /// Takes the past of renamed files along.
    fn follow_renames(&mut self, files: &'a [Touched]) {
        for file in files {
            if let Some(from) = file.from.as_deref().filter(|_| file.change == 'R')
                && let Some(touches) = self.files.remove(from)
            {
                self.files.insert(&file.path, touches);
            }
        }
        let mut removed: HashMap<&str, &str> = files
            .iter()
            .filter(|file| file.change == 'D')
            .map(|file| (lines::split(&file.path).1, file.path.as_str()))
            .collect();
        if removed.is_empty() {
            return;
        }
        for file in files.iter().filter(|file| file.change == 'A') {
            if !self.files.contains_key(file.path.as_str())
                && let Some(touches) =
                    removed.remove(lines::split(&file.path).1).and_then(|from| self.files.remove(from))
            {
                self.files.insert(&file.path, touches);
            }
        }
    }

    fn count_ages(&mut self) {
        let mut age = 0.0;
        let mut own: HashMap<u32, f64> = HashMap::new();
        let newest = self.sessions.iter().map(|session| session.last).max().unwrap_or_default();
        for session in self.sessions.iter_mut().rev() {
            age += 1.0;
            let seconds = u64::try_from(newest.saturating_sub(session.last)).unwrap_or_default();
            session.days = Duration::from_secs(seconds).as_secs_f64() / DAY_SECONDS;
            let own = own.entry(session.author).or_default();
            *own += 1.0;
            (session.age, session.own_age) = (age, *own);
        }
    }
}

/// Say of a commit of so many files about each of them.
fn sweep_weight(files: usize) -> f64 {
    if files <= SWEEP_FILES { 1.0 } else { super::ratio(SWEEP_FILES, files).powf(SWEEP_POWER) }
}
