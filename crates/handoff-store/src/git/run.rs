//! Running git: bounded in time and in what it may say, without a terminal, and leaving no process behind.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Git, guard};
use crate::apart::{apart, ask_group_to_end, kill_group};

/// More than this is not an answer that anybody could use.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// Nobody waits longer than this.
const LONGEST: Duration = Duration::from_hours(1);

/// What a run of git is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Learning something, without a trace
    Reading,
    /// Changing something as the person would: with their name, their keys and their network
    Publishing,
}

/// One question to git, of perhaps several runs under one deadline.
#[derive(Clone, Debug)]
pub(super) struct Asking {
    program: PathBuf,
    pub(super) root: PathBuf,
    /// Arguments before the command, that keep settings of the repository from running anything
    pub(super) guards: Vec<String>,
    /// Variables that are set on top of what the manner asks for
    variables: Vec<(&'static str, OsString)>,
    manner: Manner,
    deadline: Instant,
    limit: Duration,
}

/// What git reads.
enum Input {
    Nothing,
    Bytes(Vec<u8>),
    /// A file that stays open for as long as git runs
    Held(File),
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
            // Readers of the answer cannot do anything with the limit.
            Failure::TookTooLong(_) => write!(f, "git did not answer in time"),
            Failure::SaidTooMuch => write!(f, "git said more than {} MB", MOST_BYTES / (1024 * 1024)),
            Failure::Refused(said) => write!(f, "git refused: {said}"),
        }
    }
}

impl Asking {
    pub(super) fn about(git: &Git, limit: Duration) -> Result<Asking, Failure> {
        Asking::in_manner(Manner::Reading, git, limit)
    }

    pub(super) fn in_manner(manner: Manner, git: &Git, limit: Duration) -> Result<Asking, Failure> {
        let mut asking = Asking { manner, ..Asking::nowhere(&git.root, limit)? };
        guard::against_repository(git, &mut asking)?;
        Ok(asking)
    }

    /// A question about a directory that need not be in a work tree.
    pub(super) fn nowhere(dir: &std::path::Path, limit: Duration) -> Result<Asking, Failure> {
        let program = program().ok_or(Failure::NotInstalled)?;
        let deadline = Instant::now() + limit.min(LONGEST);
        let (root, guards, variables) = (dir.to_owned(), guard::always(), Vec::new());
        Ok(Asking { program, root, guards, variables, manner: Manner::Reading, deadline, limit })
    }

    /// The same with a variable.
    pub(super) fn with(&self, name: &'static str, value: impl Into<OsString>) -> Asking {
        let mut asking = self.clone();
        asking.variables.push((name, value.into()));
        asking
    }

    /// The same with another deadline, from now.
    pub(super) fn within(&self, limit: Duration) -> Asking {
        Asking { deadline: Instant::now() + limit.min(LONGEST), limit, ..self.clone() }
    }

    /// How long it may still take.
    pub(super) fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Runs git at the top of the work tree and returns what it prints.
    pub(super) fn run(&self, arguments: &[&str]) -> Result<Vec<u8>, Failure> {
        self.begin(arguments, None)?.finish()
    }

    /// Starts git without waiting for it, so that several can work side by side.
    pub(super) fn begin(&self, arguments: &[&str], input: Option<Vec<u8>>) -> Result<Running, Failure> {
        self.start(arguments, input.map_or(Input::Nothing, Input::Bytes))
    }

    /// Starts a git that keeps a file open, and with it a lock on the file: even when this process is killed.
    pub(super) fn begin_holding(&self, arguments: &[&str], held: File) -> Result<Running, Failure> {
        self.start(arguments, Input::Held(held))
    }

    fn start(&self, arguments: &[&str], input: Input) -> Result<Running, Failure> {
        if Instant::now() >= self.deadline {
            return Err(Failure::TookTooLong(self.limit));
        }
        let mut command = Command::new(&self.program);
        command.args(&self.guards).args(arguments).current_dir(&self.root);
        let (stdin, input) = match input {
            Input::Nothing => (Stdio::null(), None),
            Input::Bytes(bytes) => (Stdio::piped(), Some(bytes)),
            Input::Held(file) => (file.into(), None),
        };
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        set_environment(&mut command, self.manner);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        apart(&mut command);
        let started = || -> io::Result<Running> {
            let mut child = command.spawn()?;
            let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
            // From here on it is ended whatever happens.
            let (said, complained) = (mpsc::sync_channel(PIECES), mpsc::sync_channel(0));
            let complaint = Arc::default();
            let running = Running {
                child: Some(child),
                said: said.1,
                complaint: Arc::clone(&complaint),
                complained: complained.1,
                deadline: self.deadline,
                limit: self.limit,
            };
            let (stdin, stdout, stderr) = pipes;
            if let (Some(pipe), Some(bytes)) = (stdin, input) {
                feed(pipe, bytes)?;
            }
            if let (Some(stdout), Some(stderr)) = (stdout, stderr) {
                read_all(stdout, said.0)?;
                read_end(stderr, complaint, complained.0)?;
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

/// Variables that say who a person is and how they reach others, which is what publishing needs.
const KEPT_TO_PUBLISH: [&str; 16] = [
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "GIT_SSL_CERT",
    "GIT_SSL_KEY",
    "GIT_SSL_NO_VERIFY",
    "GIT_PROXY_COMMAND",
    "GIT_PROXY_SSL_CAINFO",
    "GIT_HTTP_PROXY_AUTHMETHOD",
    "GIT_HTTP_USER_AGENT",
];

fn set_environment(command: &mut Command, manner: Manner) {
    let publishes = manner == Manner::Publishing;
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let is_kept = KEPT.contains(&&*text) || publishes && KEPT_TO_PUBLISH.contains(&&*text);
        if text.starts_with("GIT_") && !is_kept {
            command.env_remove(&name);
        }
    }
    command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0");
    match manner {
        Manner::Reading => {
            command.env("LC_ALL", "C");
            // Objects that a partial clone did not fetch are not fetched now.
            command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "none");
        }
        Manner::Publishing => {
            // Hooks may well handle more than ASCII; where there is no such locale, this is the plain one.
            command.env("LC_ALL", "C.UTF-8").env_remove("LANGUAGE");
            // Whoever would ask a person is told that there is none.
            command.env("GIT_ASKPASS", "").env("SSH_ASKPASS_REQUIRE", "never").env("GCM_INTERACTIVE", "never");
            command.env("GIT_EDITOR", "true").env_remove("SSH_ASKPASS").env_remove("GPG_TTY");
        }
    }
}

fn feed(mut pipe: ChildStdin, bytes: Vec<u8>) -> io::Result<()> {
    // A git that ends early closes the pipe, which ends this too.
    thread::Builder::new().spawn(move || pipe.write_all(&bytes)).map(drop)
}

/// Pieces that may wait to be collected.
const PIECES: usize = 32;

/// What of git's complaint is kept: its end.
const COMPLAINT: usize = 8 * 1024;

/// Reads a pipe to its end on a thread of its own, and hands on what comes piece by piece.
fn read_all(pipe: impl Read + Send + 'static, sender: SyncSender<Vec<u8>>) -> io::Result<()> {
    let read = move || read_pieces(pipe, |piece| sender.send(piece.to_vec()).is_ok());
    thread::Builder::new().spawn(read).map(drop)
}

/// Reads a pipe to its end on a thread of its own, and keeps the last of it; `done` is dropped when it is over.
fn read_end(pipe: impl Read + Send + 'static, kept: Arc<Mutex<Vec<u8>>>, done: SyncSender<Vec<u8>>) -> io::Result<()> {
    let read = move || {
        read_pieces(pipe, |piece| {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend_from_slice(piece);
            let old = kept.len().saturating_sub(COMPLAINT);
            kept.drain(..old);
            true
        });
        drop(done);
    };
    thread::Builder::new().spawn(read).map(drop)
}

fn read_pieces(mut pipe: impl Read, mut take: impl FnMut(&[u8]) -> bool) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match pipe.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) if !take(&buffer[..length]) => return,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// A git that was started. Dropping it ends it.
#[derive(Debug)]
pub(super) struct Running {
    child: Option<Child>,
    said: Receiver<Vec<u8>>,
    complaint: Arc<Mutex<Vec<u8>>>,
    /// Nothing ever comes out of it; it is closed when the complaint is over
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
        let bytes = self.whole_complaint();
        let text = String::from_utf8_lossy(&bytes);
        let line = text.lines().find(|line| line.starts_with("fatal: ")).or_else(|| text.lines().next()).unwrap_or("");
        let line = line.strip_prefix("fatal: ").or_else(|| line.strip_prefix("error: ")).unwrap_or(line);
        if line.is_empty() {
            return format!("it ended with {status}");
        }
        line.chars().filter(|letter| !letter.is_control()).take(200).collect()
    }

    /// The end of all it complained about. What it started may live on and keep the pipe, which is not waited for.
    fn whole_complaint(&self) -> Vec<u8> {
        collect(&self.complained, &mut Vec::new(), Instant::now() + GRACE, 0);
        self.complaint.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits for a git that changes things. At the deadline it is asked to end, so that it removes its locks, before it
    /// is made to.
    pub(super) fn end(mut self) -> Ended {
        let mut said = Vec::new();
        let how = match collect(&self.said, &mut said, self.deadline, MOST_BYTES) {
            Collected::All => match self.wait() {
                Some(status) if status.success() => How::Well,
                Some(status) => How::Badly(status.code()),
                None => How::TooLate,
            },
            Collected::TooMuch => How::Badly(None),
            Collected::TooLate => How::TooLate,
        };
        if let Some(mut child) = self.child.take() {
            ask_group_to_end(&child);
            let ended = wait_until(&mut child, Instant::now() + GRACE);
            kill_group(&mut child);
            if ended.is_none() {
                self.child = Some(child);
            }
        }
        let complaint = if how == How::Well { Vec::new() } else { self.whole_complaint() };
        Ended { said, complaint, how, limit: self.limit }
    }
}

/// How long a git that is asked to end may take for it.
const GRACE: Duration = Duration::from_secs(2);

/// How a git that changes things came to its end.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) said: Vec<u8>,
    /// The end of what it complained about, as it came
    pub(super) complaint: Vec<u8>,
    pub(super) how: How,
    pub(super) limit: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    Well,
    Badly(Option<i32>),
    TooLate,
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
