//! Answers of git that cannot change, and how long git takes here.
//!
//! **Invariant:** a question is cached only when objects alone answer it: it names them by their full ids, and git found
//! all of them. Nothing about the work tree or the index is ever answered from here, because only git can tell whether
//! a file was touched. A cache file that is missing, cut short or mixed up counts as none.

use std::collections::BTreeMap;
use std::time::Duration;

use super::run::{Asking, Failure};
use crate::layout::GIT_ANSWERS;
use crate::root::Root;

const HEADER: &[u8] = b"handoff git answers 1 ";

/// Bytes of all answers that are kept, and of a single one.
const MAX_BYTES: usize = 4 * 1024 * 1024;
const MAX_ANSWER_BYTES: usize = 1024 * 1024;

/// Seconds after which a work tree that took too long to compare is compared again.
const SLOW_RETRY_SECONDS: i64 = 5 * 60;

/// The cached answers of a store, and those that were used since they were read.
#[derive(Debug, Default)]
pub(super) struct AnswerCache {
    known: BTreeMap<Vec<u8>, Vec<u8>>,
    used: BTreeMap<Vec<u8>, Vec<u8>>,
    status: Option<StatusTiming>,
    is_changed: bool,
}

/// Time that the last comparison of the work tree took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StatusTiming {
    milliseconds: u64,
    /// Seconds since 1970
    at: i64,
}

/// A run of git whose answer depends on objects alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObjectQuestion<'a> {
    pub(super) arguments: &'a [&'a str],
    pub(super) input: Option<&'a str>,
}

impl ObjectQuestion<'_> {
    fn key(&self) -> Vec<u8> {
        let mut key = self.arguments.join("\0").into_bytes();
        if let Some(input) = self.input {
            key.push(b'\n');
            key.extend_from_slice(input.as_bytes());
        }
        key
    }

    fn begin(&self, asking: &Asking) -> Result<super::run::Running, Failure> {
        asking.begin(self.arguments, self.input.map(|input| input.as_bytes().to_vec()))
    }
}

impl AnswerCache {
    pub(super) fn read(root: &Root) -> AnswerCache {
        let bytes = root.read_up_to(GIT_ANSWERS, 2 * MAX_BYTES).ok().flatten();
        bytes.and_then(|bytes| parse(&bytes)).unwrap_or_default()
    }

    /// Writes what was used; where that is not possible, git is asked again the next time.
    pub(super) fn write(&self, root: &Root) {
        if self.is_changed {
            let _ = root.write_loose(GIT_ANSWERS, &self.print());
        }
    }

    /// Answers questions from the cache, and runs git for the others side by side.
    pub(super) fn ask<const N: usize>(
        &mut self,
        asking: &Asking,
        questions: [Option<ObjectQuestion<'_>>; N],
        is_final: impl Fn(&[u8]) -> bool,
    ) -> Result<[Vec<u8>; N], Failure> {
        let begun = questions.map(|question| {
            let question = question?;
            let key = question.key();
            let known = self.used.get(&key).or_else(|| self.known.get(&key)).cloned();
            let running = known.is_none().then(|| question.begin(asking));
            Some((key, known, running))
        });
        let mut answers = std::array::from_fn(|_| Vec::new());
        for (answer, begun) in answers.iter_mut().zip(begun) {
            let Some((key, known, running)) = begun else { continue };
            let is_known = known.is_some();
            *answer = match running {
                None => known.unwrap_or_default(),
                Some(running) => running?.finish()?,
            };
            if answer.len() <= MAX_ANSWER_BYTES && is_final(answer) {
                self.is_changed |= !is_known;
                self.used.insert(key, answer.clone());
            }
        }
        Ok(answers)
    }

    /// Whether comparing the work tree took longer than `limit` a short while ago, so that waiting for it is in vain.
    pub(super) fn is_slow(&self, limit: Duration, now: i64) -> bool {
        self.status.is_some_and(|timing| {
            let limit = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
            timing.milliseconds >= limit && (0..SLOW_RETRY_SECONDS).contains(&(now - timing.at))
        })
    }

    /// Notes the time that comparing the work tree took, or after which it was given up.
    pub(super) fn note_status(&mut self, took: Duration, now: i64) {
        let timing = StatusTiming { milliseconds: u64::try_from(took.as_millis()).unwrap_or(u64::MAX), at: now };
        // A quick repository need not be written down at every start.
        let was_slow = self.status.is_some_and(|before| before.milliseconds >= NOTED_MILLISECONDS);
        self.is_changed |= was_slow || timing.milliseconds >= NOTED_MILLISECONDS;
        self.status = Some(timing);
    }

    fn print(&self) -> Vec<u8> {
        let mut body = Vec::new();
        if let Some(StatusTiming { milliseconds, at }) = self.status {
            body.extend_from_slice(format!("S {milliseconds} {at}\n").as_bytes());
        }
        for (key, answer) in &self.used {
            if body.len() + key.len() + answer.len() > MAX_BYTES {
                break;
            }
            body.extend_from_slice(format!("A {} {}\n", key.len(), answer.len()).as_bytes());
            body.extend_from_slice(key);
            body.extend_from_slice(answer);
        }
        let mut bytes = HEADER.to_vec();
        bytes.extend_from_slice(format!("{:016x}\n", checksum(&body)).as_bytes());
        bytes.extend_from_slice(&body);
        bytes
    }
}

/// A work tree that is compared faster than this never has to be given up.
const NOTED_MILLISECONDS: u64 = 50;

fn parse(bytes: &[u8]) -> Option<AnswerCache> {
    let (sum, mut rest) = line(bytes.strip_prefix(HEADER)?)?;
    if u64::from_str_radix(sum, 16).ok()? != checksum(rest) {
        return None;
    }
    let mut cache = AnswerCache::default();
    while !rest.is_empty() {
        let (head, after) = line(rest)?;
        let mut words = head.split(' ');
        match words.next()? {
            "S" => {
                let (milliseconds, at) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
                cache.status = Some(StatusTiming { milliseconds, at });
                rest = after;
            }
            "A" => {
                let (key, answer): (usize, usize) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
                let (key, after) = after.split_at_checked(key)?;
                let (answer, after) = after.split_at_checked(answer)?;
                cache.known.insert(key.to_vec(), answer.to_vec());
                rest = after;
            }
            _ => return None,
        }
    }
    Some(cache)
}

/// The first line and what follows it.
fn line(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = memchr::memchr(b'\n', bytes)?;
    Some((std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 1..]))
}

/// FNV-1a: tells a whole file from a torn one, nothing more.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> AnswerCache {
        let mut cache = AnswerCache::default();
        cache.used.insert(b"log\0abc".to_vec(), b"one\0two\n".to_vec());
        cache.used.insert(b"diff-tree".to_vec(), Vec::new());
        cache.note_status(Duration::from_millis(400), 1_000);
        cache
    }

    #[test]
    fn what_is_written_is_read_again() {
        let sample = sample();
        let read = parse(&sample.print()).unwrap();
        assert_eq!((read.known, read.status), (sample.used, sample.status));
    }

    #[test]
    fn a_file_that_is_cut_short_or_changed_counts_as_none() {
        let bytes = sample().print();
        for end in 0..bytes.len() {
            assert!(parse(&bytes[..end]).is_none(), "{end}");
            let mut changed = bytes.clone();
            changed[end] ^= 1;
            assert!(parse(&changed).is_none(), "{end}");
        }
    }

    #[test]
    fn a_slow_work_tree_is_not_waited_for_until_a_few_minutes_have_passed() {
        let cache = sample();
        let limit = Duration::from_millis(300);
        assert!(cache.is_slow(limit, 1_000) && cache.is_slow(limit, 1_299));
        assert!(!cache.is_slow(limit, 1_300), "it may be quicker now");
        assert!(!cache.is_slow(limit, 900), "the clock was set back");
        assert!(!cache.is_slow(Duration::from_millis(1_500), 1_000), "there is time for it");
    }
}
