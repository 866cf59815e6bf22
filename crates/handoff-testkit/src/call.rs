//! One command: its words and surroundings, run with a time limit.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{Answer, TestProject, words};

/// Far more than any command needs. One that takes longer hangs.
const LONGEST: Duration = Duration::from_mins(2);

/// A command about to be run.
#[must_use]
pub struct Call<'p> {
    project: &'p TestProject,
    words: Vec<OsString>,
    directory: PathBuf,
    env: BTreeMap<String, Option<OsString>>,
    stdin: Vec<u8>,
    wrapper: Vec<OsString>,
    stdout: Option<Stdio>,
}

impl<'p> Call<'p> {
    pub(crate) fn new(project: &'p TestProject, line: &str) -> Call<'p> {
        Call {
            project,
            words: words::split(line).into_iter().map(OsString::from).collect(),
            directory: project.path("."),
            env: BTreeMap::new(),
            stdin: Vec::new(),
            wrapper: Vec::new(),
            stdout: None,
        }
    }

    /// Adds one more word as it is, whatever is in it.
    pub fn word(mut self, word: impl AsRef<OsStr>) -> Self {
        self.words.push(word.as_ref().to_owned());
        self
    }

    /// Sets a variable of the environment.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.env.insert(name.to_owned(), Some(value.as_ref().to_owned()));
        self
    }

    /// Takes a variable out of the environment.
    pub fn without(mut self, name: &str) -> Self {
        self.env.insert(name.to_owned(), None);
        self
    }

    /// Runs it in another directory, relative to the project's.
    pub fn within(mut self, directory: impl AsRef<Path>) -> Self {
        self.directory = self.project.path(directory);
        self
    }

    /// What it can read from standard input.
    pub fn stdin(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.stdin = bytes.as_ref().to_vec();
        self
    }

    /// Asks in JSON: adds `--request -` and hands the request in.
    pub fn request(self, request: &Value) -> Self {
        self.word("--request").word("-").stdin(request.to_string())
    }

    /// Runs it through another program that takes a command line, such as `setpriv`.
    pub fn through(mut self, line: &str) -> Self {
        self.wrapper = words::split(line).into_iter().map(OsString::from).collect();
        self
    }

    /// Where standard output goes instead of into the answer.
    pub fn stdout(mut self, stdout: impl Into<Stdio>) -> Self {
        self.stdout = Some(stdout.into());
        self
    }

    /// Runs it to its end and checks what every command promises.
    pub fn run(self) -> Answer {
        let (project, shows_color) = (self.project, self.asks_for_color());
        let answer = self.run_unchecked();
        answer.check_contract(shows_color);
        project.check_no_leftovers(&answer);
        answer
    }

    /// Runs it to its end.
    pub fn run_unchecked(self) -> Answer {
        self.start().end()
    }

    /// Starts it, beside others.
    pub fn start(mut self) -> Running<'p> {
        let shown = format!("handoff {:?}", self.words);
        let mut command = self.command();
        let mut child = command.spawn().unwrap_or_else(|error| panic!("cannot start {shown}: {error}"));
        let stdout = child.stdout.take().map(collect);
        let stderr = child.stderr.take().map(collect);
        let mut stdin = child.stdin.take().expect("standard input is a pipe");
        // A command may end without reading what it was given.
        let feeder = thread::spawn(move || drop(stdin.write_all(&self.stdin)));
        Running { project: self.project, shown, child, feeder, stdout, stderr }
    }

    fn command(&mut self) -> Command {
        let mut line = std::mem::take(&mut self.wrapper);
        line.push(self.project.program().as_os_str().to_owned());
        line.append(&mut self.words);
        let mut command = Command::new(&line[0]);
        command.args(&line[1..]).current_dir(&self.directory).env_clear().envs(self.project.next_environment());
        for (name, value) in &self.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.stdin(Stdio::piped()).stdout(self.stdout.take().unwrap_or_else(Stdio::piped)).stderr(Stdio::piped());
        command
    }

    fn asks_for_color(&self) -> bool {
        let flag = self.words.iter().any(|word| word == "always" || word == "--color=always");
        flag || self.env.contains_key("CLICOLOR_FORCE")
    }
}

/// A command that runs.
#[must_use]
pub struct Running<'p> {
    project: &'p TestProject,
    shown: String,
    child: Child,
    feeder: JoinHandle<()>,
    stdout: Option<JoinHandle<Vec<u8>>>,
    stderr: Option<JoinHandle<Vec<u8>>>,
}

impl Running<'_> {
    /// Waits for its end.
    pub fn end(mut self) -> Answer {
        let code = wait(&mut self.child, &self.shown);
        self.feeder.join().expect("feeding does not panic");
        let text = |stream: Option<JoinHandle<Vec<u8>>>| {
            let bytes = stream.map(|stream| stream.join().expect("reading does not panic")).unwrap_or_default();
            let text =
                String::from_utf8(bytes).unwrap_or_else(|error| panic!("{} printed no UTF-8: {error}", self.shown));
            self.project.anonymous(&text)
        };
        Answer { stdout: text(self.stdout), stderr: text(self.stderr), code }
    }

    /// Kills it after a while, unless it ended before; its exit code where it did.
    pub fn killed_after(mut self, life: Duration) -> Option<i32> {
        thread::sleep(life);
        let _ = self.child.kill();
        self.child.wait().expect("a child can be waited for").code()
    }
}

fn collect(mut stream: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("a pipe can be read");
        bytes
    })
}

fn wait(child: &mut Child, shown: &str) -> i32 {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return status.code().unwrap_or_else(|| panic!("{shown} was ended by a signal: {status}"));
        }
        if started.elapsed() > LONGEST {
            child.kill().expect("a child can be ended");
            panic!("{shown} hangs: it did not end within {LONGEST:?}");
        }
        thread::sleep(Duration::from_micros(500));
    }
}
