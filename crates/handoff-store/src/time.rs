//! The time logs: reading all of them, and appending to one.

use std::collections::BTreeMap;

use handoff_model::id::TaskId;
use handoff_model::problem::Problem;
use handoff_model::time_log::{Interval, TimeLog};

use crate::error::{Result, StoreError};
use crate::layout::TIME;
use crate::root::join;
use crate::step::Step;
use crate::store::{Store, check_size};

impl Store {
    /// The minutes logged for a task, by everybody, with what this change logs. A log that cannot be read is an error:
    /// the sum would be wrong.
    pub fn minutes_on(&self, task: TaskId) -> Result<i64> {
        let mut minutes = 0_i64;
        let staged = self.staged_logs();
        let mut names = self.names_in(TIME, ".toml")?;
        names.extend(staged.keys().map(|name| (*name).to_owned()));
        names.sort_unstable();
        names.dedup();
        for name in names {
            let path = join(TIME, &name);
            let text = match staged.get(name.as_str()) {
                Some(text) => Some((*text).to_owned()),
                None => self.root.read_text(&path).map_err(|source| StoreError::read(&path, source))?,
            };
            // A file without the id says nothing about the task, and is passed over whatever is wrong with it.
            if let Some(text) = text.filter(|text| text.contains(task.as_str())) {
                minutes = minutes.saturating_add(read_log(&path, &text)?.minutes_on(task));
            }
        }
        Ok(minutes)
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
        let (mut intervals, mut problems) = (Vec::new(), Vec::new());
        for name in self.names_in(TIME, ".toml")? {
            let path = join(TIME, &name);
            let log = match self.root.read_text(&path) {
                Ok(Some(text)) => read_log(&path, &text),
                Ok(None) => continue,
                Err(source) => Err(StoreError::read(&path, source)),
            };
            match log {
                Ok(log) => intervals.extend(log.intervals),
                Err(StoreError::Damaged(problem)) => problems.push(problem),
                Err(error) => problems.push(Problem::damaged(path, error.to_string())),
            }
        }
        Ok((intervals, problems))
    }

    /// Stages one more interval, in the log of its person and month.
    pub fn log_time(&mut self, interval: Interval) -> Result<()> {
        let name = interval.file_name();
        let path = join(TIME, &name);
        let staged = self.change.steps.iter_mut().find_map(|step| match step {
            Step::Put { path: staged, after, .. } if *staged == path => Some(after),
            Step::NewDir { path: dir, name: staged, text } if dir == TIME && *staged == name => Some(text),
            _ => None,
        });
        if let Some(text) = staged {
            *text = appended(&path, text, interval)?;
            return Ok(());
        }
        let before = self.root.read_text(&path).map_err(|source| StoreError::read(&path, source))?;
        let after = appended(&path, before.as_deref().unwrap_or_default(), interval)?;
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

fn read_log(path: &str, text: &str) -> Result<TimeLog> {
    TimeLog::read(text).map_err(|error| StoreError::Damaged(Problem::damaged(path, error.reason).at_line(error.line)))
}

fn appended(path: &str, text: &str, interval: Interval) -> Result<String> {
    let mut log = read_log(path, text)?;
    log.intervals.push(interval);
    let written = if text.is_empty() {
        log.print()
    } else {
        log.write_over(text).map_err(|error| StoreError::Damaged(Problem::damaged(path, error.reason)))?
    };
    check_size(path, &written)?;
    Ok(written)
}
