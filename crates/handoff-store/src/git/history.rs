//! The last commits with the files they touched, for guessing what will be needed next.
//!
//! Reading them takes git some time, so they are kept in the store's cache with the commit they end at: as long as that
//! stands nothing is run, and when it moves on only what is new is read. A repository too large to be read within one
//! deadline is read in several.

mod cache;

use std::time::Duration;

use handoff_model::likely::{Commit, Touched};

use super::run::{Asking, Failure};
use super::{Asked, Git, facts, is_handoff};
use crate::store::Store;
use cache::Cached;

/// Commits that are kept.
const MOST: usize = 2_000;

/// Files of one commit that are kept; who asks can tell a sweeping change from work by their number.
const MOST_FILES: usize = 200;

/// The last commits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The oldest first; merges are left out
    pub commits: Vec<Commit>,
    /// The number of the person who asks, if they are among the authors
    pub me: Option<u32>,
}

/// Completeness of a cached history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryState {
    Current,
    /// Newer commits are missing, or the oldest ones
    Behind,
}

impl Git {
    /// The last commits with their files; those of a branch without commits are none.
    ///
    /// What git did not tell in time is missing at the far end, and is added the next time when there is a cache.
    pub fn history(&self, cache: Option<&Store>, limit: Duration) -> Asked<History> {
        let Some(head) = self.head().commit else { return Asked::Answer(History::default()) };
        let cached = cache.and_then(|store| Cached::read(&store.root));
        if let Some(cached) = cached.as_ref().filter(|cached| cached.whole && cached.head == head) {
            return Asked::Answer(cached.history());
        }
        let moved_on = cached.as_ref().is_some_and(|cached| cached.head != head);
        self.ask(limit, |asking| {
            let read = self.extend(asking, cached, &head);
            match (&read, cache) {
                (Ok(read), Some(store)) => read.write(&store.root),
                // What is new takes too long to be read at once, so all is read anew, in several.
                (Err(_), Some(store)) if moved_on => Cached::nothing_yet(&head).write(&store.root),
                _ => {}
            }
            Ok(read?.history())
        })
    }

    /// The commits that the cache of a store holds, and whether they are all up to the last one. Runs nothing.
    pub fn cached_history(&self, cache: &Store) -> Option<(History, HistoryState)> {
        let cached = Cached::read(&cache.root).filter(|cached| !cached.commits.is_empty())?;
        let is_current = cached.whole && self.head().commit.as_deref() == Some(cached.head.as_str());
        Some((cached.history(), if is_current { HistoryState::Current } else { HistoryState::Behind }))
    }

    /// What was known, with what came since and what was missing at the far end.
    fn extend(&self, asking: &Asking, cached: Option<Cached>, head: &str) -> Result<Cached, Failure> {
        let me = asking.begin(&["config", "--get", "user.email"], None)?;
        let cached = cached.filter(|cached| cached.head == head || is_ancestor(asking, &cached.head, head));
        let mut read = match cached {
            Some(cached) if cached.head == head => cached,
            Some(cached) => {
                let range = format!("{}..{head}", cached.head);
                let answer = begin(asking, &range, 0, MOST)?.finish()?;
                let mut read = cached;
                let known = std::mem::take(&mut read.commits);
                self.parse(&answer, &mut read);
                read.commits.extend(known);
                head.clone_into(&mut read.head);
                read
            }
            None => Cached::nothing_yet(head),
        };
        if !read.whole && read.commits.len() < MOST {
            let wanted = MOST - read.commits.len();
            let running = begin(asking, &read.tail, read.tail_commits, wanted)?;
            let (mut answer, failure) = running.finish_or_part();
            match failure {
                None => read.whole = true,
                Some(Failure::TookTooLong(_) | Failure::SaidTooMuch) => cut_last(&mut answer),
                Some(failure) => return Err(failure),
            }
            let before = read.commits.len();
            self.parse(&answer, &mut read);
            read.tail_commits += read.commits.len() - before;
            if read.commits.is_empty() {
                return failure.map_or(Ok(read), Err);
            }
        }
        read.whole |= read.commits.len() >= MOST;
        read.commits.truncate(MOST);
        if let Ok(me) = me.finish() {
            read.set_me(String::from_utf8_lossy(&me).trim());
        }
        Ok(read)
    }

    /// Adds the commits of an answer, the newest first.
    fn parse(&self, answer: &[u8], into: &mut Cached) {
        let mut parts = answer.split(|byte| *byte == 0).map(|part| part.strip_prefix(b"\n").unwrap_or(part));
        while let Some(part) = parts.next() {
            if let Some(about) = part.strip_prefix(b"\x01") {
                let about = String::from_utf8_lossy(about);
                let mut words = about.splitn(4, '\x02');
                let mut word = || words.next().unwrap_or_default();
                let (time, mail, known_as, subject) = (word(), word(), word(), word());
                let time = time.parse().unwrap_or_default();
                let author = into.author(known_as, mail);
                into.commits.push(Commit { time, author, subject: facts::subject(subject), files: Vec::new() });
                continue;
            }
            let Some(letter) = part.first().map(|byte| char::from(*byte)).filter(char::is_ascii_uppercase) else {
                continue;
            };
            let from = if matches!(letter, 'R' | 'C') { parts.next() } else { None };
            let path = parts.next().unwrap_or_default();
            let (Ok(from), Ok(path)) = (from.map(std::str::from_utf8).transpose(), std::str::from_utf8(path)) else {
                continue;
            };
            let Some(commit) = into.commits.last_mut() else { continue };
            let odd = path.contains(char::is_control) || from.is_some_and(|from| from.contains(char::is_control));
            if commit.files.len() < MOST_FILES && !odd && !is_handoff(path) {
                let from = from.map(|from| self.inside.outward(from));
                commit.files.push(Touched { change: letter, path: self.inside.outward(path), from });
            }
        }
    }
}

fn is_ancestor(asking: &Asking, old: &str, new: &str) -> bool {
    asking.run(&["merge-base", "--is-ancestor", old, new]).is_ok()
}

fn begin(asking: &Asking, range: &str, skip: usize, most: usize) -> Result<super::run::Running, Failure> {
    let (skip, most) = (format!("--skip={skip}"), format!("--max-count={most}"));
    let arguments = [
        "log",
        "-z",
        "--format=%x01%at%x02%ae%x02%aE%x02%s",
        "--encoding=UTF-8",
        "--no-show-signature",
        "--no-merges",
        "--root",
        "--name-status",
        "-M",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=dirty",
        &skip,
        &most,
        range,
        "--",
    ];
    asking.begin(&arguments, None)
}

/// Cuts off the last commit, of which something may be missing.
fn cut_last(answer: &mut Vec<u8>) {
    let last = memchr::memmem::rfind(answer, b"\0\x01");
    answer.truncate(last.unwrap_or(0));
}
