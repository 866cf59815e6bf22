//! The machine that is set up: where things are, and what can be seen of them.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use handoff_model::agent::{HookEvent, Host};

use super::Shell;

/// What is looked at on the machine.
pub trait Disk {
    /// The bytes of a file, through links; `None` where there is no such file.
    fn read(&self, path: &Path) -> io::Result<Option<Vec<u8>>>;
    /// Where a path leads to through links, whether or not there is a file yet.
    fn real(&self, path: &Path) -> PathBuf;
    fn is_file(&self, path: &Path) -> bool;
    fn is_directory(&self, path: &Path) -> bool;
    /// A program on the `PATH`.
    fn program(&self, name: &str) -> Option<PathBuf>;
}

/// A kind of operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    Linux,
    Mac,
    Windows,
}

impl Platform {
    /// The one this program runs on.
    pub const fn here() -> Platform {
        if cfg!(windows) {
            Platform::Windows
        } else if cfg!(target_os = "macos") {
            Platform::Mac
        } else {
            Platform::Linux
        }
    }
}

/// The machine that is set up.
#[derive(Clone, Copy)]
pub struct Machine<'a> {
    pub platform: Platform,
    pub home: &'a Path,
    /// The environment, as far as it says where things are
    pub env: &'a BTreeMap<String, String>,
    /// The directory of the project
    pub project: &'a Path,
    /// The program `handoff`, by a path that survives an update
    pub program: &'a Path,
    pub disk: &'a dyn Disk,
}

impl Machine<'_> {
    /// A variable of the environment; an empty one counts as absent.
    pub fn env(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// A directory that a variable names, or one below the home directory.
    pub fn directory(&self, variable: &str, below_home: &str) -> PathBuf {
        match self.env(variable) {
            Some(dir) => self.home.join(dir),
            None => self.home.join(below_home),
        }
    }

    /// Where the platform keeps the settings of programs: `~/.config`, `~/Library/Application Support`, `%APPDATA%`.
    pub fn settings_directory(&self) -> PathBuf {
        match self.platform {
            Platform::Linux => self.directory("XDG_CONFIG_HOME", ".config"),
            Platform::Mac => self.home.join("Library/Application Support"),
            Platform::Windows => self.directory("APPDATA", "AppData/Roaming"),
        }
    }

    /// The text of a file that can be read, without a byte order mark.
    pub(crate) fn text(&self, path: &Path) -> Option<String> {
        let text = String::from_utf8(self.disk.read(path).ok()??).ok()?;
        Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
    }

    /// Whether a file is there.
    pub fn exists(&self, path: &Path) -> bool {
        self.disk.is_file(path)
    }

    /// The path of the program as settings files hold it.
    pub fn program_text(&self) -> String {
        self.program.display().to_string()
    }

    /// The command of a hook, as the shell of the host wants it.
    pub fn hook_command(&self, host: Host, event: HookEvent, shell: Shell) -> String {
        format!("{} hook {event} --host {host}", shell.program(&self.program_text()))
    }

    /// The shell that hosts use here unless they say otherwise.
    pub const fn shell(&self) -> Shell {
        match self.platform {
            Platform::Linux | Platform::Mac => Shell::Posix,
            Platform::Windows => Shell::Cmd,
        }
    }
}
