//! The time logs: reading all of them, and appending to one.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use handoff_model::document::Unreadable;
use handoff_model::entry_check::emptied;
use handoff_model::id::TaskId;
use handoff_model::problem::Problem;
use handoff_model::time_log::{self, Interval, TimeLog};
use jiff::tz::TimeZone;

use crate::error::{Result, StoreError};
use crate::layout::TIME;
use crate::root::{is_damage, join};
use crate::step::Step;
use crate::store::{Store, check_size};

impl Store {
    /// The minutes logged for a task, by everybody, with what this change logs; what a person logged twice counts once.
    pub fn minutes_on(&self, task: TaskId) -> Result<i64> {
        let sums = time_log::sum(&self.intervals_about(task, None)?, &TimeZone::UTC);
        // The zone tells days apart, and has no part in their sum.
        Ok(sums.minutes_by_task().get(&task).copied().unwrap_or(0))
    }

    /// All that those people logged who logged something for a task, and one more person: whatever could overlap with it.
    /// A log of theirs that cannot be read is an error, since the sum would be wrong.
    pub fn intervals_about(&self, task: TaskId, also: Option<&str>) -> Result<Vec<Interval>> {
        self.at_one_moment(|| self.read_intervals_about(task, also))
    }

    fn read_intervals_about(&self, task: TaskId, also: Option<&str>) -> Result<Vec<Interval>> {
        let (mut intervals, mut others) = (Vec::new(), Vec::new());
        let staged = self.staged_logs();
        let mut names: BTreeSet<String> = self.names_in(TIME, ".toml")?.into_iter().collect();
        names.extend(staged.keys().map(|name| (*name).to_owned()));
        for name in names {
            let path = join(TIME, &name);
            let text = match staged.get(name.as_str()) {
                Some(text) => Some((*text).to_owned()),
                None => self.root.read_text(&path).map_err(|source| StoreError::read(&path, source))?,
            };
            // Nobody can tell any more whose hours these were.
            if let Some(error) = text.as_deref().and_then(emptied) {
                self.notice([&Problem::damaged(&path, error.reason)]);
                continue;
            }
            match text {
                Some(text) if text.contains(task.as_str()) => intervals.extend(self.read_log(&path, &text)?.intervals),
                Some(text) => others.push((path, text)),
                None => {}
            }
        }
        let on_it = intervals.iter().filter(|interval| interval.task == task).map(|interval| interval.who.clone());
        let people: BTreeSet<String> = on_it.chain(also.map(str::to_owned)).collect();
        // What is not about any of them is passed over, whatever is wrong with it.
        for (path, text) in others {
            if people.iter().any(|who| text.contains(who.as_str())) {
                intervals.extend(self.read_log(&path, &text)?.intervals);
            }
        }
        Ok(intervals)
    }

    /// The logs that this change writes, by name, as it leaves them.
    fn staged_logs(&self) -> BTreeMap<&str, &str> {
        let logs = self.change.steps.iter().filter_map(|step| match step {
            Step::Put { path, after, .. } => Some((path.strip_prefix(TIME)?.strip_prefix('/')?, after.as_str())),
            Step::NewDir { path, name, text } if path == TIME => Some((name.as_str(), text.as_str())),
            _ => None,
        });
        logs.collect()
    }

    /// Every interval of every log. A log that cannot be read is told, and the others count all the same.
    pub fn intervals(&self) -> Result<(Vec<Interval>, Vec<Problem>)> {
        self.at_one_moment(|| self.read_intervals())
    }

    pub(crate) fn read_intervals(&self) -> Result<(Vec<Interval>, Vec<Problem>)> {
        let (mut intervals, mut problems) = (Vec::new(), Vec::new());
        let names = match self.names_in(TIME, ".toml") {
            // Something else in the place of the directory hides the logs and nothing more.
            Err(StoreError::Read { path, source }) if is_damage(&source) => {
                problems.push(Problem::damaged(path, format!("cannot be read: {source}")));
                Vec::new()
            }
            names => names?,
        };
        for name in names {
            let path = join(TIME, &name);
            let log = match self.root.read_text(&path) {
                Ok(Some(text)) => read_checked(&path, &text),
                Ok(None) => continue,
                Err(source) => Err(StoreError::Damaged(Problem::damaged(&path, source.to_string()))),
            };
            match log {
                Ok((log, found)) => {
                    intervals.extend(log.intervals);
                    problems.extend(found);
                }
                Err(StoreError::Damaged(problem)) => problems.push(problem),
                Err(error) => problems.push(Problem::damaged(path, error.to_string())),
            }
        }
        self.notice(&problems);
        Ok((intervals, problems))
    }

    fn read_log(&self, path: &str, text: &str) -> Result<TimeLog> {
        let (log, problems) = read_checked(path, text)?;
        self.notice(&problems);
        Ok(log)
    }

    /// Stages one more interval, in the log of its person and month.
    pub fn log_time(&mut self, interval: Interval) -> Result<()> {
        self.log_times([interval])
    }

    /// Stages several intervals; each log is read and written once.
    pub fn log_times(&mut self, intervals: impl IntoIterator<Item = Interval>) -> Result<()> {
        let mut logs: BTreeMap<String, Vec<Interval>> = BTreeMap::new();
        for interval in intervals {
            logs.entry(interval.file_name()).or_default().push(interval);
        }
        for (name, intervals) in logs {
            let mut part = 1;
            // A log that is full is followed by another; the order of logs makes no difference.
            while let Err(error) = self.append_to_log(part_name(&name, part), intervals.clone()) {
                let is_full = match &error {
                    StoreError::TooLarge { .. } => true,
                    StoreError::Read { source, .. } => source.kind() == io::ErrorKind::FileTooLarge,
                    _ => false,
                };
                if !is_full || part == MAX_PARTS {
                    return Err(error);
                }
                part += 1;
            }
        }
        Ok(())
    }

    fn append_to_log(&mut self, name: String, intervals: Vec<Interval>) -> Result<()> {
        let path = join(TIME, &name);
        let staged = self.change.steps.iter_mut().find_map(|step| match step {
            Step::Put { path: staged, after, .. } if *staged == path => Some(after),
            Step::NewDir { path: dir, name: staged, text } if dir == TIME && *staged == name => Some(text),
            _ => None,
        });
        if let Some(text) = staged {
            *text = appended(&path, Some(text), intervals)?;
            return Ok(());
        }
        let before = self.root.read_text(&path).map_err(|source| StoreError::read(&path, source))?;
        let after = appended(&path, before.as_deref(), intervals)?;
        let makes_dir = |step: &Step| matches!(step, Step::NewDir { path, .. } if path == TIME);
        let step = if before.is_some() || self.root.exists(TIME) || self.change.steps.iter().any(makes_dir) {
            Step::Put { path, before, after }
        } else {
            Step::NewDir { path: TIME.to_owned(), name, text: after }
        };
        self.change.steps.push(step);
        Ok(())
    }
}

/// Logs of one person and month.
const MAX_PARTS: u32 = 100;

/// `2026-11-ada.toml`, `2026-11-ada-2.toml` and so on.
fn part_name(name: &str, part: u32) -> String {
    match name.strip_suffix(".toml") {
        Some(stem) if part > 1 => format!("{stem}-{part}.toml"),
        _ => name.to_owned(),
    }
}

fn read_checked(path: &str, text: &str) -> Result<(TimeLog, Vec<Problem>)> {
    TimeLog::read_checked(path, text).map_err(|error| damaged(path, error))
}

fn damaged(path: &str, error: Unreadable) -> StoreError {
    StoreError::Damaged(Problem::damaged(path, error.reason).at_line(error.line))
}

/// The text of a log with more entries; `None` where there is no log yet. An emptied log is not begun again, since it
/// would then look as if nothing had been in it.
fn appended(path: &str, text: Option<&str>, intervals: Vec<Interval>) -> Result<String> {
    if let Some(error) = text.and_then(emptied) {
        return Err(damaged(path, error));
    }
    let written = TimeLog::append(text.unwrap_or_default(), intervals).map_err(|error| damaged(path, error))?;
    check_size(path, &written)?;
    Ok(written)
}
