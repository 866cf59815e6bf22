//! What torture and bench share: a project in a home of its own, the binary run in it, and what a fresh process sees.
#![expect(
    clippy::disallowed_methods,
    reason = "rigs make and unmake scratch trees; nothing here needs to survive a crash"
)]

mod binary;
pub(crate) mod recorded;
mod rng;
mod server;
mod view;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use handoff_store::{LocalRules, Store};

pub(crate) use binary::{debug_binary, release_binary, repository_root};
pub(crate) use rng::Rng;
pub(crate) use server::{Server, said};
pub(crate) use view::{Seen, flatten, no_problems, only_lagging, sessions, text};

/// How long any single run may take. Far above what a healthy one needs, so reaching it means a hang.
const PATIENCE: Duration = Duration::from_mins(1);

/// A directory with a project and a home, so that nothing of the user's is read or written.
#[derive(Debug, Clone)]
pub(crate) struct Sandbox {
    root: PathBuf,
}

impl Sandbox {
    /// Makes an empty sandbox at `root`.
    pub(crate) fn create(root: &Path) -> io::Result<Self> {
        fs::create_dir_all(root.join("project"))?;
        fs::create_dir_all(root.join("home"))?;
        // Canonical, because strace shows paths with their links resolved and they are compared as text.
        Ok(Self { root: root.canonicalize()? })
    }

    /// A copy with the same contents and times, at a place that does not exist yet.
    pub(crate) fn copy_to(&self, root: &Path) -> io::Result<Self> {
        copy_tree(&self.root, root)?;
        let copy = Self { root: root.canonicalize()? };
        take_back_local(&copy.project())?;
        Ok(copy)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.root.join("project/.handoff")
    }

    /// `program`, set up to see nothing but this sandbox.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let home = self.root.join("home");
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &home)
            .env("XDG_DATA_HOME", home.join("data"))
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("XDG_CACHE_HOME", home.join("cache"))
            .env("XDG_STATE_HOME", home.join("state"))
            .env("LANG", "C.UTF-8")
            .current_dir(self.project())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs `binary` with `args` to its end.
    pub(crate) fn run<S: AsRef<std::ffi::OsStr>>(&self, binary: &Path, args: &[S]) -> io::Result<Finished> {
        let mut command = self.command(binary);
        command.args(args);
        finish(command)
    }

    /// Runs `binary` as it is called, to its end.
    pub(crate) fn invoke(&self, binary: &Path, invocation: &Invocation) -> io::Result<Finished> {
        let mut command = self.command(binary);
        invocation.complete(&mut command)?;
        finish(command)
    }

    /// Files that only an unfinished write leaves behind: anything staged, journalled or named like a temporary file.
    pub(crate) fn leftovers(&self) -> Vec<String> {
        let mut found = Vec::new();
        for path in files_below(&self.root) {
            let below = path.strip_prefix(&self.root).unwrap_or(&path);
            let text = below.to_string_lossy();
            let name = below.file_name().unwrap_or_default().to_string_lossy();
            let staged =
                ["/state/tmp/", "/state/journal", "/state/new-bodies"].iter().any(|place| text.contains(place));
            let temporary = name.ends_with(".tmp") || name.starts_with(".tmp") || name.ends_with('~');
            let of_agents = text.contains("/state/agents/") && (name.ends_with(".new") || name.ends_with(".records"));
            let beside = name.starts_with('.') && name.contains(".handoff-");
            if staged || temporary || of_agents || beside {
                found.push(text.into_owned());
            }
        }
        found
    }
}

/// Makes machine-local state count in a project that was copied or rebuilt at another place. Every rig that does so
/// comes through here.
pub(crate) fn take_back_local(project: &Path) -> io::Result<()> {
    let user_dir = project.parent().map(|root| root.join("home/data/handoff"));
    let rules = LocalRules { user_dir, ..LocalRules::default() };
    let store = project.join(".handoff");
    if store.is_dir() { Store::claim_local(&store, &rules).map_err(io::Error::other) } else { Ok(()) }
}

/// How the binary is called: its words, and what it finds at its standard input and in its environment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Invocation {
    pub(crate) args: Vec<String>,
    pub(crate) input: Option<String>,
    pub(crate) env: Vec<(&'static str, String)>,
}

impl Invocation {
    /// Puts it behind what a command has already.
    pub(crate) fn complete(&self, command: &mut Command) -> io::Result<()> {
        command.args(&self.args).envs(self.env.iter().map(|(name, value)| (name, value)));
        if let Some(input) = &self.input {
            command.stdin(readable(input)?);
        }
        Ok(())
    }
}

impl<S: AsRef<str>> From<&[S]> for Invocation {
    fn from(args: &[S]) -> Self {
        Self { args: args.iter().map(|arg| arg.as_ref().to_owned()).collect(), ..Self::default() }
    }
}

/// How a run ended and what it said.
#[derive(Debug, Clone)]
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) hung: bool,
}

impl Finished {
    pub(crate) fn succeeded(&self) -> bool {
        self.code == Some(0)
    }

    /// Ended in a way no input or fault may cause.
    pub(crate) fn died(&self) -> Option<&'static str> {
        if self.hung {
            Some("hung")
        } else if self.stderr.contains("panicked at") || self.code == Some(101) {
            Some("panicked")
        } else if self.code.is_none() {
            Some("was ended by a signal")
        } else {
            None
        }
    }

    pub(crate) fn json(&self) -> Result<serde_json::Value, String> {
        serde_json::from_str(&self.stdout).map_err(|error| format!("answer is not JSON ({error}): {}", self.brief()))
    }

    /// Exit code and the beginning of what was said, for a failure report.
    pub(crate) fn brief(&self) -> String {
        let said = if self.stderr.trim().is_empty() { &self.stdout } else { &self.stderr };
        let said: String = said.trim().chars().take(300).collect();
        match self.code {
            Some(code) => format!("exit {code}: {said}"),
            None => format!("no exit code: {said}"),
        }
    }
}

/// Runs a prepared command to its end, or kills it when it hangs.
pub(crate) fn finish(mut command: Command) -> io::Result<Finished> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let child = command.spawn()?;
    let group = child.id();
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    let (output, hung) = if let Ok(output) = receiver.recv_timeout(PATIENCE) {
        (output?, false)
    } else {
        // The whole group: under strace the program that hangs is a child of the one we started.
        Command::new("kill").arg("-9").arg("--").arg(format!("-{group}")).status()?;
        (receiver.recv().map_err(io::Error::other)??, true)
    };
    let Output { status, stdout, stderr } = output;
    Ok(Finished {
        code: status.code(),
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
        hung,
    })
}

/// Something to read, as a program finds it at its standard input.
///
/// All of it is in the pipe before the program starts, so what is given must not be large.
pub(crate) fn readable(input: &str) -> io::Result<Stdio> {
    let (reader, mut writer) = io::pipe()?;
    io::Write::write_all(&mut writer, input.as_bytes())?;
    Ok(reader.into())
}

/// Copies a tree with its times: a cache that goes by them must find what it found in the original.
pub(crate) fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
            let modified = entry.metadata()?.modified()?;
            // git's own files may not be written to; their times may be set all the same.
            fs::File::options().read(cfg!(unix)).write(!cfg!(unix)).open(&target)?.set_modified(modified)?;
        }
    }
    if cfg!(unix) {
        fs::File::open(to)?.set_modified(fs::metadata(from)?.modified()?)?;
    }
    Ok(())
}

/// Every file below a directory, sorted; what vanishes meanwhile is left out.
pub(crate) fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(entry.path());
            } else {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

/// A scratch directory that goes when it is dropped.
pub(crate) fn scratch() -> io::Result<tempfile::TempDir> {
    tempfile::Builder::new().prefix("handoff-rig-").tempdir()
}
