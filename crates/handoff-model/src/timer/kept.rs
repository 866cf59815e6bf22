//! A timer as it is kept between two commands, and the signs of life that come in meanwhile.
//!
//! Signs of life are many and must cost nothing, so they are noted beside the timer and without any lock. The next command
//! takes them in. They belong to one writing of the timer, by [`KeptTimer::signs`]: what is noted while a command is at
//! work is never taken for a sign of what comes after it.

use serde::{Deserialize, Serialize};

use super::{Command, Phase, Reading, Timer, step};
use crate::document::{self, Unreadable};
use crate::rev::Rev;
use crate::slug::slug;

/// The file `local/state/timers/<person>.toml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptTimer {
    /// Version of the file format
    #[serde(default = "written_format")]
    pub format: u32,
    /// Names the signs of life noted since: another name with each writing
    pub signs: String,
    pub timer: Timer,
}

fn written_format() -> u32 {
    crate::FORMAT
}

/// A sign of life.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sign {
    pub reading: Reading,
    /// Whether it comes from a client that reports activity: where it stops doing so, that means something
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub watches: bool,
}

/// A sign that comes so soon after another says nothing new.
const SOON_SECONDS: i64 = 20;

impl KeptTimer {
    /// A timer to keep; `signs` is a name that was not used before.
    pub fn new(timer: Timer, signs: String) -> KeptTimer {
        KeptTimer { format: crate::FORMAT, signs, timer }
    }

    /// The name of the files of a person, without an ending. People whose names look alike have different ones.
    pub fn stem(who: &str) -> String {
        format!("{}-{}", slug(who), Rev::of(who.as_bytes()))
    }

    pub fn read(text: &str) -> Result<KeptTimer, Unreadable> {
        let kept: KeptTimer = document::read(text)?;
        if kept.format > crate::FORMAT {
            return Err(document::newer_format(kept.format));
        }
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        if kept.signs.is_empty() || kept.signs.len() > 32 || !kept.signs.bytes().all(is_plain) {
            let reason = "`signs` is no name of small letters and digits".to_owned();
            return Err(Unreadable { line: None, reason });
        }
        Ok(kept)
    }

    pub fn print(&self) -> String {
        document::print(self)
    }

    /// The timer with the signs of life taken in that were noted since it was written.
    pub fn with_signs(self, signs: &[Sign], idle_minutes: u32) -> Timer {
        let mut timer = self.timer;
        for sign in signs {
            if timer.phase == Phase::Paused || !is_later(&sign.reading, &timer.last_seen) {
                continue;
            }
            let (who, watched) = (timer.who.clone(), timer.watched || sign.watches);
            let seen = step(Some(timer.clone()), &who, Command::Activity, &sign.reading, idle_minutes);
            if let Some(seen) = seen.ok().and_then(|step| step.timer) {
                timer = Timer { watched, ..seen };
            }
        }
        timer
    }
}

/// Whether one reading was taken after another. The machine's own clock knows; the wall's may have been put back.
fn is_later(reading: &Reading, than: &Reading) -> bool {
    match (&reading.machine, &than.machine) {
        (Some(one), Some(other)) if one.boot == other.boot => one.milliseconds > other.milliseconds,
        // Another start of the machine, after which the wall clock may say anything.
        (Some(_), Some(_)) => true,
        _ => reading.at > than.at,
    }
}

impl Sign {
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("a sign is plain data") + "\n"
    }

    /// The signs that were noted, one on each line. A line that was cut off is no sign.
    pub fn read_all(text: &str) -> Vec<Sign> {
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Whether it says nothing that another sign, or the timer itself, does not say.
    pub fn adds_nothing_to(&self, last: &Reading, is_watched: bool) -> bool {
        let boot = |reading: &Reading| reading.machine.as_ref().map(|machine| machine.boot.clone());
        let passed = last.at.until(self.reading.at).as_secs();
        (is_watched || !self.watches) && (0..SOON_SECONDS).contains(&passed) && boot(last) == boot(&self.reading)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Doubtful, MachineClock, status};
    use super::*;
    use crate::when::Moment;

    fn at(minutes: i64, machine: Option<u64>) -> Reading {
        let start: Moment = "2026-11-16T09:00:00Z".parse().unwrap();
        let clock = |minutes| MachineClock { boot: "one".to_owned(), milliseconds: minutes * 60_000 };
        Reading { at: start.later(jiff::SignedDuration::from_mins(minutes)), machine: machine.map(clock) }
    }

    fn kept(now: &Reading) -> KeptTimer {
        let task = "k7f3q2ma".parse().unwrap();
        let started = step(None, "ann", Command::Start { task, session: None }, now, 10).unwrap();
        KeptTimer::new(started.timer.unwrap(), "a1".to_owned())
    }

    fn sign(minutes: i64, machine: Option<u64>, watches: bool) -> Sign {
        Sign { reading: at(minutes, machine), watches }
    }

    #[test]
    fn the_file_reads_as_it_was_printed() {
        let mut kept = kept(&at(0, Some(5)));
        kept.timer.session = Some("2026-11-16-a3f9c12e".to_owned());
        kept.timer.gaps = kept.clone().with_signs(&[sign(1, Some(6), true), sign(60, Some(65), true)], 10).gaps;
        assert_eq!(kept.timer.gaps.len(), 1);
        assert_eq!(KeptTimer::read(&kept.print()).unwrap(), kept, "{}", kept.print());
        assert!(KeptTimer::read(&kept.print().replace("a1", "../x")).is_err());
        assert!(KeptTimer::read(&kept.print().replace("format = 1", "format = 9")).is_err());
    }

    #[test]
    fn people_whose_names_look_alike_have_files_of_their_own() {
        assert_ne!(KeptTimer::stem("Ann B"), KeptTimer::stem("ann-b"));
        assert!(KeptTimer::stem("../Ann").starts_with("ann-"));
    }

    #[test]
    fn signs_are_read_line_by_line_and_half_a_line_is_none() {
        let signs = [sign(1, Some(1), true), sign(2, None, false)];
        let text: String = signs.iter().map(Sign::line).collect();
        assert_eq!(Sign::read_all(&text), signs);
        assert_eq!(Sign::read_all(&text[..text.len() - 9]).len(), 1);
    }

    #[test]
    fn only_a_client_that_reports_activity_makes_silence_mean_something() {
        let by_hand = kept(&at(0, Some(0))).with_signs(&[sign(5, Some(5), false)], 10);
        assert_eq!((by_hand.watched, by_hand.last_seen), (false, at(5, Some(5))));
        let both = kept(&at(0, Some(0))).with_signs(&[sign(5, Some(5), true), sign(9, Some(9), false)], 10);
        assert_eq!((both.watched, both.last_seen), (true, at(9, Some(9))));
    }

    #[test]
    fn signs_out_of_order_and_of_a_clock_put_back_do_no_harm() {
        let signs = [sign(5, Some(5), true), sign(4, Some(4), true), sign(-50, Some(8), true)];
        let timer = kept(&at(0, Some(0))).with_signs(&signs, 10);
        let stopped =
            step(Some(timer.clone()), "ann", Command::Stop(Doubtful::Discard), &at(-48, Some(10)), 10).unwrap();
        assert_eq!(stopped.intervals[0].length_minutes(), 10);
        assert_eq!(status(&timer, &at(-48, Some(10)), 10).seconds, 600);
        let blind = kept(&at(0, None)).with_signs(&[sign(7, None, true), sign(6, None, true)], 10);
        assert_eq!(blind.last_seen, at(7, None));
    }

    #[test]
    fn a_sign_soon_after_another_adds_nothing_unless_it_is_the_first_that_watches() {
        let soon = |watches| Sign { reading: at(0, Some(0)), watches };
        assert!(soon(false).adds_nothing_to(&at(0, Some(0)), false));
        assert!(!soon(true).adds_nothing_to(&at(0, Some(0)), false));
        assert!(soon(true).adds_nothing_to(&at(0, Some(0)), true));
        assert!(!sign(1, Some(1), true).adds_nothing_to(&at(0, Some(0)), true));
        assert!(!sign(-1, Some(1), true).adds_nothing_to(&at(0, Some(0)), true));
    }
}
