//! How a command ended, and what is told of it.

use std::process::ExitStatus;

use serde::{Deserialize, Serialize};

use super::{CommandStep, Key, NotRun};
use crate::{Hint, OpError};

/// How a command ended, as it is noted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    pub end: End,
    /// The last of what it said
    pub stdout: String,
    pub stderr: String,
    pub milliseconds: u64,
    /// Whether it had ended before anybody asked this time
    #[serde(skip)]
    pub was_there: bool,
}

/// The end of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    Exit(i32),
    Signal(i32),
    TimedOut,
    /// It could not be started, for this reason
    NotStarted(String),
}

impl End {
    pub(super) fn of(status: ExitStatus) -> End {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return End::Signal(signal);
        }
        End::Exit(status.code().unwrap_or(-1))
    }
}

/// The lines of its last words that are told.
const MOST_LINES: usize = 10;

impl Ran {
    pub(super) fn not_started(why: String) -> Ran {
        Ran {
            end: End::NotStarted(why),
            stdout: String::new(),
            stderr: String::new(),
            milliseconds: 0,
            was_there: false,
        }
    }

    /// Whether it went well, and else what to tell.
    pub(super) fn judged(self, step: &CommandStep, key: &Key) -> Result<Ran, NotRun> {
        let program = step.argv.first().map_or("", String::as_str);
        let what = format!("the command `{program}` of step `{}`", key.step);
        let message = match &self.end {
            End::Exit(0) => return Ok(self),
            End::Exit(code) => format!("{what} ended with exit code {code}"),
            End::Signal(signal) => format!("{what} was ended by signal {signal}"),
            End::TimedOut => {
                format!("{what} took longer than {} s, and was ended with all that it started", seconds(step))
            }
            End::NotStarted(why) => {
                return Err(NotRun::NotStarted(OpError::failure(format!("{what} was not started: {why}"))));
            }
        };
        let error = OpError::failure(message).details(self.last_words());
        let is_late = self.end == End::TimedOut;
        let longer = || Hint::say("a step that needs longer says so with `timeout`");
        Err(NotRun::Failed(if is_late { error.hint(longer()) } else { error }))
    }

    /// The last lines it complained with, or else said.
    fn last_words(&self) -> Vec<String> {
        let said = if self.stderr.trim().is_empty() { &self.stdout } else { &self.stderr };
        let lines: Vec<&str> = said.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        lines[lines.len().saturating_sub(MOST_LINES)..].iter().map(|line| (*line).to_owned()).collect()
    }
}

fn seconds(step: &CommandStep) -> f64 {
    step.timeout.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn told(end: End, stdout: &str, stderr: &str) -> OpError {
        let ran = Ran { end, stdout: stdout.to_owned(), stderr: stderr.to_owned(), ..Ran::not_started(String::new()) };
        let argv = vec!["sync-notes".to_owned()];
        let step = CommandStep { argv, timeout: Duration::from_millis(1500), ..CommandStep::default() };
        let key = Key { run: "r1".to_owned(), step: "push".to_owned(), known_by: "push".to_owned(), attempt: 1 };
        ran.judged(&step, &key).unwrap_err().into_error()
    }

    #[test]
    fn a_bad_end_is_told_with_the_last_words() {
        let many = (1..=40).map(|line| format!("line {line}\n\n")).collect::<Vec<_>>().concat();
        let error = told(End::Exit(3), "said", &many);
        assert_eq!(error.message(), "the command `sync-notes` of step `push` ended with exit code 3");
        assert_eq!(error.detail_lines().len(), MOST_LINES);
        assert_eq!(error.detail_lines().last().unwrap(), "line 40");
        assert_eq!(told(End::Exit(3), "said", " \n").detail_lines(), ["said"]);
    }

    #[test]
    fn being_late_and_being_killed_are_told_apart() {
        assert!(told(End::TimedOut, "", "").message().contains("took longer than 1.5 s"));
        assert!(told(End::Signal(9), "", "").message().ends_with("was ended by signal 9"));
    }
}
