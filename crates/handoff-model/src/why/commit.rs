//! What commits have to do with sessions and tasks.

use crate::number::Number;
use crate::session::{Session, SessionStatus};
use crate::task::Task;
use crate::when::Moment;

/// A commit, as far as it can be told who made it.
#[derive(Clone, Copy, Debug)]
pub struct CommitFacts<'a> {
    /// Full id
    pub id: &'a str,
    /// When it was written, in seconds since 1970
    pub time: i64,
    pub message: &'a str,
}

/// How a commit came from a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It was made while the session was under way
    During,
    /// The session was the first that was saved after it
    HandedOver,
}

/// The session that a commit came from, among those given, and how.
///
/// A session knows the commits that git told when it was saved. One that was under way when the commit was made and
/// knows it comes first, then the first that was saved with it, then one under way that was not saved since.
pub fn made_in(commit: CommitFacts<'_>, sessions: &[&Session]) -> Option<(usize, Origin)> {
    let all = || sessions.iter().enumerate();
    let latest = |(_, session): &(usize, &&Session)| session.started_at.map(Moment::timestamp);
    let during = all().filter(|(_, session)| was_under_way(session, commit.time));
    if let Some((place, _)) = during.clone().filter(|(_, session)| knows(session, commit.id)).max_by_key(latest) {
        return Some((place, Origin::During));
    }
    let saved = |(_, session): &(usize, &&Session)| session.ended_at.or(session.started_at).map(Moment::timestamp);
    let after = all().filter(|(_, session)| knows(session, commit.id));
    let after = after.filter(|one| saved(one).is_some_and(|at| at.as_second() >= commit.time));
    if let Some((place, _)) = after.min_by_key(saved) {
        return Some((place, Origin::HandedOver));
    }
    let unsaved = during.filter(|(_, session)| may_have_missed(session));
    unsaved.max_by_key(latest).map(|(place, _)| (place, Origin::During))
}

fn was_under_way(session: &Session, time: i64) -> bool {
    let began = session.started_at.is_some_and(|at| at.timestamp().as_second() <= time);
    let over = session.status == SessionStatus::Closed
        && session.ended_at.or(session.started_at).is_none_or(|at| at.timestamp().as_second() < time);
    began && !over
}

/// Whether git told of a commit when the session was saved.
fn knows(session: &Session, id: &str) -> bool {
    let Some(git) = &session.git else { return false };
    let recent = git.recent.iter().filter_map(|line| line.split(' ').next());
    git.commit.as_deref().into_iter().chain(recent).any(|known| known.len() >= 7 && id.starts_with(known))
}

/// Whether a commit could have been made in a session without its file telling of it.
fn may_have_missed(session: &Session) -> bool {
    /// As many commits as a session notes.
    const NOTED: usize = 10;
    session.status != SessionStatus::Closed
        || session.git.as_ref().is_none_or(|git| git.recent.is_empty() || git.recent.len() >= NOTED)
}

/// Whether a message names a task, by its id or as `task 1.2`.
pub fn names_task(message: &str, task: &Task, number: &Number) -> bool {
    let id = task.id.as_str();
    let mut after_task = false;
    for word in message.split(|c: char| !(c.is_alphanumeric() || "._-".contains(c))) {
        let word = word.trim_matches(['.', '-', '_']);
        if word.is_empty() {
            continue;
        }
        if word.eq_ignore_ascii_case(id) || (after_task && word.parse::<Number>().as_ref() == Ok(number)) {
            return true;
        }
        after_task = word.eq_ignore_ascii_case("task");
    }
    false
}

/// Whether a message names a session, by its id or full name.
pub fn names_session(message: &str, name: &str, session: &Session) -> bool {
    let id = session.id.as_str();
    // Eight digits alone are more likely a date or a number.
    let is_telling = id.bytes().any(|byte| byte.is_ascii_alphabetic());
    let mut words = message.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words.any(|word| word == name || (is_telling && word == id))
}
