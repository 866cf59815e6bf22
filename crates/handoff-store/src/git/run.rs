//! Running git: bounded in time and in what it may say, without a terminal, and leaving no process behind.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use super::{Git, guard};
use crate::apart::{apart, kill_group};

/// More than this is not an answer that anybody could use.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// Nobody waits longer than this.
const LONGEST: Duration = Duration::from_hours(1);

/// One question to git, of perhaps several runs under one deadline.
#[derive(Debug)]
pub(super) struct Asking {
    program: PathBuf,
    pub(super) root: PathBuf,
    /// Arguments before the command, that keep settings of the repository from running anything
    pub(super) guards: Vec<String>,
    deadline: Instant,
    limit: Duration,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    NotInstalled,
    TookTooLong(Duration),
    SaidTooMuch,
    /// It ended with an error, and this is what it said
    Refused(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::NotInstalled => write!(f, "git is not installed"),
            Failure::TookTooLong(limit) => write!(f, "git took longer than {} ms", limit.as_millis()),
            Failure::SaidTooMuch => write!(f, "git said more than {} MB", MOST_BYTES / (1024 * 1024)),
            Failure::Refused(said) => write!(f, "git refused: {said}"),
        }
    }
}

impl Asking {
    pub(super) fn about(git: &Git, limit: Duration) -> Result<Asking, Failure> {
        let program = program().ok_or(Failure::NotInstalled)?;
        let deadline = Instant::now() + limit.min(LONGEST);
        let mut asking = Asking { program, root: git.root.clone(), guards: guard::always(), deadline, limit };
        guard::against_repository(git, &mut asking)?;
        Ok(asking)
    }

    /// A question about a directory that need not be in a work tree.
    pub(super) fn nowhere(dir: &std::path::Path, limit: Duration) -> Result<Asking, Failure> {
        let program = program().ok_or(Failure::NotInstalled)?;
        let deadline = Instant::now() + limit.min(LONGEST);
        Ok(Asking { program, root: dir.to_owned(), guards: guard::always(), deadline, limit })
    }

    /// Runs git at the top of the work tree and returns what it prints.
    pub(super) fn run(&self, arguments: &[&str]) -> Result<Vec<u8>, Failure> {
        self.begin(arguments, None)?.finish()
    }

    /// Starts git without waiting for it, so that several can work side by side.
    pub(super) fn begin(&self, arguments: &[&str], input: Option<Vec<u8>>) -> Result<Running, Failure> {
        if Instant::now() >= self.deadline {
            return Err(Failure::TookTooLong(self.limit));
        }
        let mut command = Command::new(&self.program);
        command.args(&self.guards).args(arguments).current_dir(&self.root);
        command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        set_environment(&mut command);
        apart(&mut command);
        let started = || -> io::Result<Running> {
            let mut child = command.spawn()?;
            let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
            // From here on it is ended whatever happens.
            let (said, complained) = (mpsc::sync_channel(PIECES), mpsc::sync_channel(PIECES));
            let running = Running {
                child: Some(child),
                said: said.1,
                complained: complained.1,
                deadline: self.deadline,
                limit: self.limit,
            };
            let (stdin, stdout, stderr) = pipes;
            if let (Some(pipe), Some(bytes)) = (stdin, input) {
                feed(pipe, bytes)?;
            }
            if let (Some(stdout), Some(stderr)) = (stdout, stderr) {
                read_all(stdout, usize::MAX, said.0)?;
                read_all(stderr, COMPLAINT, complained.0)?;
            }
            Ok(running)
        };
        started().map_err(|error| Failure::Refused(format!("it cannot be started: {error}")))
    }
}

/// The program, from the absolute directories of `PATH` only: a relative one would be looked for in the repository.
fn program() -> Option<PathBuf> {
    let name = if cfg!(windows) { "git.exe" } else { "git" };
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).filter(|dir| dir.is_absolute()).map(|dir| dir.join(name)).find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(file: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &std::path::Path) -> bool {
    file.is_file()
}

/// Variables by which a person chooses their own settings; all others of git's would point it somewhere else.
const KEPT: [&str; 4] = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH"];

fn set_environment(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") && !KEPT.map(OsString::from).contains(&name) {
            command.env_remove(name);
        }
    }
    command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
    // Objects that a partial clone did not fetch are not fetched now.
    command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "none");
}

fn feed(mut pipe: ChildStdin, bytes: Vec<u8>) -> io::Result<()> {
    // A git that ends early closes the pipe, which ends this too.
    thread::Builder::new().spawn(move || pipe.write_all(&bytes)).map(drop)
}

/// Pieces that may wait to be collected.
const PIECES: usize = 32;

/// What of git's complaint is kept.
const COMPLAINT: usize = 4 * 1024;

/// Reads a pipe to its end on a thread of its own, and hands on the first bytes piece by piece.
fn read_all(mut pipe: impl Read + Send + 'static, keep: usize, sender: SyncSender<Vec<u8>>) -> io::Result<()> {
    let read = move || {
        let mut kept = 0;
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match pipe.read(&mut buffer) {
                Ok(0) => return,
                Ok(length) => {
                    let wanted = length.min(keep - kept);
                    kept += wanted;
                    if wanted > 0 && sender.send(buffer[..wanted].to_vec()).is_err() {
                        return;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    };
    thread::Builder::new().spawn(read).map(drop)
}

/// A git that was started. Dropping it ends it.
#[derive(Debug)]
pub(super) struct Running {
    child: Option<Child>,
    said: Receiver<Vec<u8>>,
    complained: Receiver<Vec<u8>>,
    deadline: Instant,
    limit: Duration,
}

impl Running {
    /// All it prints, once it has ended well.
    pub(super) fn finish(self) -> Result<Vec<u8>, Failure> {
        match self.finish_or_part() {
            (said, None) => Ok(said),
            (_, Some(failure)) => Err(failure),
        }
    }

    /// What it printed until it ended or the deadline came, with what went wrong.
    pub(super) fn finish_or_part(mut self) -> (Vec<u8>, Option<Failure>) {
        let mut said = Vec::new();
        let failure = match collect(&self.said, &mut said, self.deadline, MOST_BYTES) {
            Collected::All => match self.wait() {
                Some(status) if status.success() => None,
                Some(status) => Some(Failure::Refused(self.complaint(status))),
                None => Some(Failure::TookTooLong(self.limit)),
            },
            Collected::TooMuch => Some(Failure::SaidTooMuch),
            Collected::TooLate => Some(Failure::TookTooLong(self.limit)),
        };
        (said, failure)
    }

    /// Waits until it has ended, but not beyond the deadline.
    fn wait(&mut self) -> Option<ExitStatus> {
        let status = wait_until(self.child.as_mut()?, self.deadline)?;
        self.child = None;
        Some(status)
    }

    /// The line in which it says what is wrong, or how it ended without a word.
    fn complaint(&self, status: ExitStatus) -> String {
        let mut bytes = Vec::new();
        collect(&self.complained, &mut bytes, self.deadline, COMPLAINT);
        let text = String::from_utf8_lossy(&bytes);
        let line = text.lines().find(|line| line.starts_with("fatal: ")).or_else(|| text.lines().next()).unwrap_or("");
        let line = line.strip_prefix("fatal: ").or_else(|| line.strip_prefix("error: ")).unwrap_or(line);
        if line.is_empty() {
            return format!("it ended with {status}");
        }
        line.chars().filter(|letter| !letter.is_control()).take(200).collect()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        kill_group(&mut child);
        // One that hangs in the kernel dies when that lets go of it; nobody waits for it here.
        if wait_until(&mut child, Instant::now() + Duration::from_millis(200)).is_none() {
            let _ = thread::Builder::new().spawn(move || child.wait());
        }
    }
}

fn wait_until(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    let mut pause = Duration::from_micros(50);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Err(_) => return None,
            Ok(None) if Instant::now() >= deadline => return None,
            Ok(None) => {
                thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(4));
            }
        }
    }
}

/// How reading a pipe ended.
enum Collected {
    All,
    TooMuch,
    TooLate,
}

fn collect(pieces: &Receiver<Vec<u8>>, into: &mut Vec<u8>, deadline: Instant, most: usize) -> Collected {
    loop {
        match pieces.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(piece) => into.extend_from_slice(&piece),
            Err(RecvTimeoutError::Disconnected) => return Collected::All,
            Err(RecvTimeoutError::Timeout) => return Collected::TooLate,
        }
        if into.len() > most {
            return Collected::TooMuch;
        }
    }
}
