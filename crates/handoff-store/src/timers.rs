//! The timers of this machine: one file for each person, and beside it the signs of life noted since it was written.
//!
//! **Invariant:** a timer changes in the same change as the time log, under the lock. Signs of life are added without it,
//! to a file that belongs to one writing of the timer, so that a sign never meets another timer than it was meant for.

use std::io;

use handoff_model::problem::Problem;
use handoff_model::time_log::Interval;
use handoff_model::timer::{KeptTimer, Sign};

use crate::error::{Result, StoreError};
use crate::layout::TIMERS;
use crate::root::{is_absent, join};
use crate::step::Step;
use crate::store::{Store, check_size};
use crate::sys::{Handle, read_at};

const TIMER: &str = ".toml";
const SIGNS: &str = ".signs";

/// More signs are not kept: a timer that runs day and night for a week.
const MOST_BYTES: u64 = 4 * 1024 * 1024;
/// The last sign is no longer than this.
const LAST_BYTES: u64 = 512;

impl Store {
    /// The timer of a person, if there is one. One that cannot be read is an error.
    pub fn timer(&self, who: &str) -> Result<Option<KeptTimer>> {
        let path = timer_path(who);
        let text = self.root.read_text(&path).map_err(|source| unreadable(&path, source))?;
        text.map(|text| read_timer(&path, &text)).transpose()
    }

    /// The timers of everybody, and the time log, as of one moment: what a timer counted is in one of them.
    pub fn timers_and_intervals(&self) -> Result<(Vec<KeptTimer>, Vec<Interval>, Vec<Problem>)> {
        self.at_one_moment(|| {
            let (timers, mut problems) = self.timers()?;
            let (intervals, unread) = self.read_intervals()?;
            problems.extend(unread);
            Ok((timers, intervals, problems))
        })
    }

    /// The timers of everybody. One that cannot be read is told.
    pub fn timers(&self) -> Result<(Vec<KeptTimer>, Vec<Problem>)> {
        let (mut timers, mut problems) = (Vec::new(), Vec::new());
        for name in self.names_in(TIMERS, TIMER)? {
            let path = join(TIMERS, &name);
            let read = match self.root.read_text(&path) {
                Ok(Some(text)) => read_timer(&path, &text),
                // It was stopped since the names were listed.
                Ok(None) => continue,
                Err(source) => Err(unreadable(&path, source)),
            };
            match read {
                Ok(timer) => timers.push(timer),
                Err(StoreError::Damaged(problem)) => problems.push(problem),
                Err(error) => problems.push(Problem::damaged(path, error.to_string())),
            }
        }
        Ok((timers, problems))
    }

    /// The signs of life noted since a timer was written. What cannot be read of them is none.
    pub fn signs_of_life(&self, kept: &KeptTimer) -> Vec<Sign> {
        let limit = usize::try_from(MOST_BYTES).unwrap_or(usize::MAX);
        let bytes = self.root.read_up_to(&signs_path(kept), limit + 4 * 1024).ok().flatten().unwrap_or_default();
        Sign::read_all(&String::from_utf8_lossy(&bytes))
    }

    /// Whether anybody has a timer, at the cost of a look.
    pub fn has_timers(&self) -> bool {
        self.root.dir(TIMERS).is_ok()
    }

    /// Notes a sign of life, unless one was noted a moment ago. Needs no lock, and a power failure may take it.
    pub fn note_sign(&self, kept: &KeptTimer, sign: &Sign) -> Result<()> {
        let path = signs_path(kept);
        let fail = |source| StoreError::write(&path, source);
        let dir = self.root.dir(TIMERS).map_err(fail)?;
        let name = signs_name(kept);
        let size = dir.stamp(&name).map_err(fail)?.map_or(0, |stamp| stamp.size);
        let timer = &kept.timer;
        let adds_nothing = match last_sign(&dir, &name, size) {
            // The last one may be by somebody who does not watch, after others who do.
            Some(last) => sign.adds_nothing_to(&last.reading, last.watches || timer.watched),
            None => sign.adds_nothing_to(&timer.last_seen, timer.watched),
        };
        if adds_nothing || size > MOST_BYTES {
            return Ok(());
        }
        dir.append_loose(&name, sign.line().as_bytes()).map_err(fail)
    }

    /// Stages the timer of a person as it is now; `None` is no timer.
    pub fn put_timer(&mut self, who: &str, timer: Option<&KeptTimer>) -> Result<()> {
        let path = timer_path(who);
        let before = self.root.read_text(&path).map_err(|source| unreadable(&path, source))?;
        // The signs that led here stay, for when this is taken back; older ones are of no use.
        let known = before.as_deref().and_then(|text| KeptTimer::read(text).ok());
        let needed: Vec<String> = known.iter().chain(timer).map(signs_name).collect();
        self.sweep_signs(who, &needed);
        let step = match (before, timer) {
            (None, None) => return Ok(()),
            (Some(before), None) => Step::Remove { path, before },
            (before, Some(timer)) => {
                let after = timer.print();
                check_size(&path, &after)?;
                Step::Put { path, before, after }
            }
        };
        self.change.steps.push(step);
        Ok(())
    }

    fn sweep_signs(&self, who: &str, needed: &[String]) {
        let Ok(dir) = self.root.dir(TIMERS) else { return };
        let begins = format!("{}.", KeptTimer::stem(who));
        for name in self.names_in(TIMERS, SIGNS).unwrap_or_default() {
            if name.starts_with(&begins) && !needed.contains(&name) {
                let _ = dir.remove_file(&name);
            }
        }
    }
}

fn timer_path(who: &str) -> String {
    join(TIMERS, &(KeptTimer::stem(who) + TIMER))
}

fn signs_name(kept: &KeptTimer) -> String {
    format!("{}.{}{SIGNS}", KeptTimer::stem(&kept.timer.who), kept.signs)
}

fn signs_path(kept: &KeptTimer) -> String {
    join(TIMERS, &signs_name(kept))
}

/// Whether a file is that of a timer.
pub(crate) fn is_timer(name: &str) -> bool {
    name.ends_with(TIMER)
}

/// Reads the file of a timer, which must be that of the person it is called after.
pub(crate) fn read_timer(path: &str, text: &str) -> Result<KeptTimer> {
    let damaged = |reason: String, line| StoreError::Damaged(Problem::damaged(path, reason).at_line(line));
    let kept = KeptTimer::read(text).map_err(|error| damaged(error.reason, error.line))?;
    if timer_path(&kept.timer.who) != path {
        return Err(damaged(format!("it is the timer of `{}`, and not called after them", kept.timer.who), None));
    }
    Ok(kept)
}

/// A file that is no text, or no file, is damaged; all else may work another time.
fn unreadable(path: &str, source: io::Error) -> StoreError {
    let kinds = [io::ErrorKind::InvalidData, io::ErrorKind::InvalidInput, io::ErrorKind::FileTooLarge];
    if kinds.contains(&source.kind()) {
        return StoreError::Damaged(Problem::damaged(path, source.to_string()));
    }
    StoreError::read(path, source)
}

/// The last sign of a file of this size.
fn last_sign(dir: &Handle, name: &str, size: u64) -> Option<Sign> {
    if size == 0 {
        return None;
    }
    let file = match dir.open_to_read(name) {
        Err(error) if is_absent(&error) => return None,
        opened => opened.ok()?,
    };
    let length = size.min(LAST_BYTES);
    let mut bytes = vec![0; usize::try_from(length).ok()?];
    read_at(&file, &mut bytes, size - length).ok()?;
    Sign::read_all(&String::from_utf8_lossy(&bytes)).pop()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use handoff_model::name::Layout;
    use handoff_model::timer::{self, Command, Reading};
    use handoff_model::when::Moment;
    use jiff::SignedDuration;

    use super::*;
    use crate::NewStore;

    fn store() -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        let new = NewStore { config: "[project]\nname = \"x\"\n", layout: Layout::Status, private: true };
        let mut store = Store::create(&dir.path().join(".handoff"), &new).unwrap();
        store.lock("test", Duration::from_secs(5)).unwrap();
        (dir, store)
    }

    fn at(minutes: i64) -> Reading {
        let start: Moment = "2026-11-16T09:00:00Z".parse().unwrap();
        Reading { at: start.later(SignedDuration::from_mins(minutes)), machine: None }
    }

    fn running(who: &str, signs: &str) -> KeptTimer {
        let start = Command::Start { task: "k7f3q2ma".parse().unwrap(), session: None };
        KeptTimer::new(timer::step(None, who, start, &at(0), 10).unwrap().timer.unwrap(), signs.to_owned())
    }

    fn put(store: &mut Store, who: &str, timer: Option<&KeptTimer>) {
        store.put_timer(who, timer).unwrap();
        store.commit(|_, _| {}).unwrap();
    }

    #[test]
    fn people_with_one_slug_have_timers_of_their_own() {
        let (_dir, mut store) = store();
        assert!(!store.has_timers());
        for who in ["Ann B", "ann-b"] {
            put(&mut store, who, Some(&running(who, "a1")));
        }
        assert_eq!(store.timers().unwrap().0.len(), 2);
        put(&mut store, "Ann B", None);
        assert_eq!(store.timer("Ann B").unwrap(), None);
        assert_eq!(store.timer("ann-b").unwrap().unwrap().timer.who, "ann-b");
    }

    #[test]
    fn a_timer_that_is_called_after_somebody_else_is_damaged_and_the_others_are_shown() {
        let (dir, mut store) = store();
        put(&mut store, "ann", Some(&running("ann", "a1")));
        put(&mut store, "bob", Some(&running("bob", "a1")));
        let path = |who| dir.path().join(".handoff").join(timer_path(who));
        let text = std::fs::read(path("ann")).unwrap();
        store.root.write_loose(&timer_path("carl"), &text).unwrap();
        assert!(matches!(store.timer("carl"), Err(StoreError::Damaged(_))));
        let (timers, problems) = store.timers().unwrap();
        assert_eq!((timers.len(), problems.len()), (2, 1));
    }

    #[test]
    fn signs_are_noted_once_in_a_while_and_belong_to_one_writing() {
        let (_dir, mut store) = store();
        let first = running("ann", "a1");
        put(&mut store, "ann", Some(&first));
        for minutes in [0, 0, 5, 5, 7] {
            store.note_sign(&first, &Sign { reading: at(minutes), watches: true }).unwrap();
        }
        let seen: Vec<Moment> = store.signs_of_life(&first).iter().map(|sign| sign.reading.at).collect();
        assert_eq!(seen, [0, 5, 7].map(|minutes| at(minutes).at));
        let second = running("ann", "b2");
        put(&mut store, "ann", Some(&second));
        assert_eq!(store.signs_of_life(&second), []);
        assert_eq!(store.signs_of_life(&first).len(), 3, "kept for when the last command is taken back");
        // Somebody who read the timer before it was written anew.
        store.note_sign(&first, &Sign { reading: at(9), watches: true }).unwrap();
        assert_eq!(store.signs_of_life(&second), []);
        put(&mut store, "ann", Some(&running("ann", "c3")));
        assert_eq!(store.signs_of_life(&first), []);
    }
}
