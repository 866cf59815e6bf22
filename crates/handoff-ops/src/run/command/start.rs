//! The process that watches over a command, seen from the one that started it.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use handoff_store::{StepAttempt, Stop};

use super::SUPERVISE;
use crate::{Hint, OpError, Project};

/// A process that is about to watch over a command.
pub(super) struct Supervisor {
    command: Command,
}

/// One that does.
pub(super) struct Watching {
    child: Option<Child>,
}

/// What came of waiting for it.
pub(super) enum Watched {
    /// It is gone; its notes tell how far it came
    Ended,
    /// It could not do its work, for this reason
    Complained(String),
    /// It goes on, and nobody shall wait any longer
    GoesOn,
}

impl Supervisor {
    pub(super) fn of(project: &Project, attempt: &StepAttempt) -> Result<Supervisor, OpError> {
        let executable = project.executable.as_deref().ok_or_else(|| {
            OpError::failure("handoff cannot find its own program, which watches over commands")
                .hint(Hint::say("run `handoff run` in a shell"))
        })?;
        let mut command = Command::new(present(executable));
        #[cfg(unix)]
        std::os::unix::process::CommandExt::arg0(&mut command, "handoff");
        command.arg(SUPERVISE).arg(project.store().path()).arg(attempt.to_string());
        // Nothing of ours is held open by one that outlives us.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        // Where we are may be taken away while the command runs.
        command.current_dir(project.store().path());
        Ok(Supervisor { command })
    }

    pub(super) fn start(mut self) -> Result<Watching, OpError> {
        let child = self.command.spawn().map_err(|error| {
            OpError::failure("handoff cannot start itself again to watch over a command").caused_by(error)
        })?;
        Ok(Watching { child: Some(child) })
    }
}

/// The program as it can be started now: an update may have taken its file away while it runs.
fn present(executable: &Path) -> PathBuf {
    let running = Path::new("/proc/self/exe");
    let is_gone = cfg!(target_os = "linux") && !executable.exists() && running.exists();
    if is_gone { running.to_owned() } else { executable.to_owned() }
}

impl Watching {
    /// Waits for its end.
    pub(super) fn wait(&mut self, until: Instant, stop: &Stop) -> Watched {
        let Some(child) = self.child.as_mut() else { return Watched::Ended };
        let mut pause = Duration::from_millis(1);
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break Some(status),
                Err(_) => break None,
                Ok(None) if Instant::now() >= until || stop.is_due() => return Watched::GoesOn,
                Ok(None) => {
                    thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(20));
                }
            }
        };
        let mut said = String::new();
        if let Some(stderr) = child.stderr.take() {
            let _ = stderr.take(4096).read_to_string(&mut said);
        }
        self.child = None;
        // One that was killed has nothing to say: what it noted tells how far it came.
        if status.and_then(|status| status.code()).is_none_or(|code| code == 0) {
            return Watched::Ended;
        }
        let line = said.lines().next().unwrap_or_default();
        Watched::Complained(line.strip_prefix("error: ").unwrap_or(line).to_owned())
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        // It goes on; a long-lived process takes note of its end, so that no zombie stays.
        if let Some(mut child) = self.child.take() {
            let _ = thread::Builder::new().spawn(move || child.wait());
        }
    }
}
