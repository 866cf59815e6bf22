//! What git says about a file: who made its lines, which commits touched it, what it was called, where lines went.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use handoff_model::when::Moment;
use handoff_model::why::LinesNow;
use handoff_store::git::{self, Blamed, Git, PathHistory};

use super::BlamedLines;
use super::asked::Asked;
use crate::Project;

/// As long as git may take in all.
const LIMIT: Duration = Duration::from_millis(2_500);
/// How many earlier states of the file are compared with what it is now.
const STATES: usize = 12;

/// What git told.
pub(super) struct Told {
    pub(super) history: PathHistory,
    pub(super) blamed: Vec<Blamed>,
    /// What was not asked, and why
    pub(super) skipped: Vec<String>,
    git: Option<Git>,
    until: Instant,
    /// Where lines of an earlier state are now
    moved: HashMap<(String, (u32, u32)), LinesNow>,
    states: Vec<String>,
}

/// Asks about the file; what cannot be told in time is noted.
pub(super) fn look(project: &Project, asked: &Asked) -> Told {
    let mut told = Told {
        history: PathHistory::default(),
        blamed: Vec::new(),
        skipped: Vec::new(),
        git: None,
        until: Instant::now() + LIMIT,
        moved: HashMap::new(),
        states: Vec::new(),
    };
    if !project.config().settings.auto_git_summary {
        told.skipped.push("git was not asked who made it: `settings.auto_git_summary` is off".to_owned());
        return told;
    }
    let Some(git) = project.dir().and_then(|dir| Git::around(&dir)) else {
        told.skipped.push("git was not asked who made it: there is no repository here".to_owned());
        return told;
    };
    if let Some(lines) = asked.lines {
        let answer = git.blame(&asked.path, (lines.first(), lines.last()), told.left());
        told.blamed = told.answer(answer, "who made the lines");
    }
    let answer = git.path_history(&asked.path, told.left());
    told.history = told.answer(answer, "which commits touched it");
    // A name may come back; it is told once.
    let names = std::mem::take(&mut told.history.names);
    for name in names {
        if name != asked.path && !told.history.names.contains(&name) {
            told.history.names.push(name);
        }
    }
    told.git = Some(git);
    told
}

impl Told {
    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    fn answer<T: Default>(&mut self, asked: git::Asked<T>, what: &str) -> T {
        match asked {
            git::Asked::Answer(answer) => answer,
            git::Asked::Skipped(why) => {
                self.skipped.push(format!("git was not asked {what}: {why}"));
                T::default()
            }
        }
    }

    /// Where lines are now that a file had when it was this blob.
    pub(super) fn lines_now(&mut self, path: &str, blob: &str, lines: (u32, u32)) -> LinesNow {
        let key = (blob.to_owned(), lines);
        if let Some(known) = self.moved.get(&key) {
            return *known;
        }
        let is_new = !self.states.iter().any(|known| known == blob);
        let Some(git) = self.git.as_ref().filter(|_| !is_new || self.states.len() < STATES) else {
            return LinesNow::Unknown;
        };
        // What was never committed is not known to git.
        let now = match git.lines_now(path, blob, &[lines], self.left()).answer().as_deref() {
            Some([Some((first, last))]) => LinesNow::At(*first, *last),
            Some([None]) => LinesNow::Gone,
            _ => LinesNow::Unknown,
        };
        if is_new {
            self.states.push(blob.to_owned());
        }
        self.moved.insert(key, now);
        now
    }
}

impl BlamedLines {
    pub(super) fn of(blamed: &Blamed) -> BlamedLines {
        let (first, last) = blamed.lines;
        let commit = blamed.commit.as_ref();
        let day = |time: i64| jiff::Timestamp::from_second(time).ok().map(|at| Moment::new(at).day());
        BlamedLines {
            lines: if first == last { first.to_string() } else { format!("{first}-{last}") },
            commit: commit.map(|commit| commit.short().to_owned()),
            subject: commit.map(|commit| commit.subject().to_owned()),
            author: commit.map(|commit| commit.author.clone()),
            date: commit.and_then(|commit| day(commit.time)),
        }
    }
}
