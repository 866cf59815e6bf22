//! A repository to play with.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use handoff_store::git::{Asked, Git};

/// Long enough for a machine that is busy with other things.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Repository {
    pub(crate) dir: tempfile::TempDir,
    /// The project's directory, below the root
    pub(crate) project: PathBuf,
}

impl Repository {
    /// An empty repository whose project is its root.
    pub(crate) fn new() -> Repository {
        Repository::with_project("")
    }

    pub(crate) fn with_project(project: &str) -> Repository {
        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().join(project);
        fs::create_dir_all(&project).unwrap();
        let repository = Repository { dir, project };
        repository.run("init -q --template= -b main");
        repository
    }

    pub(crate) fn root(&self) -> &Path {
        self.dir.path()
    }

    /// Runs git at the root, with blanks between the arguments.
    pub(crate) fn run(&self, line: &str) -> String {
        git_in(self.root(), &line.split(' ').collect::<Vec<_>>())
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.root().join(path)).ok()
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.root().join(path)).unwrap();
    }

    pub(crate) fn rename(&self, from: &str, to: &str) {
        let to = self.root().join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::rename(self.root().join(from), to).unwrap();
    }

    pub(crate) fn commit_all(&self, subject: &str) {
        self.run("add -A");
        git_in(self.root(), &["commit", "-q", "--allow-empty", "-m", subject]);
    }

    pub(crate) fn git(&self) -> Git {
        Git::around(&self.project).unwrap()
    }
}

/// Runs git, away from the settings of whoever runs the tests.
pub(crate) fn git_in(dir: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "core.fsync=none", "-c", "gc.auto=0", "-c", "protocol.file.allow=always"])
        .args(arguments)
        .current_dir(dir)
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1"), ("LC_ALL", "C")])
        .envs([("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@example.com")])
        .envs([("GIT_COMMITTER_NAME", "a"), ("GIT_COMMITTER_EMAIL", "a@example.com")])
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

pub(crate) trait Answered<T> {
    /// The answer; a question that was skipped fails the test.
    fn answered(self) -> T;
}

impl<T> Answered<T> for Asked<T> {
    fn answered(self) -> T {
        match self {
            Asked::Answer(answer) => answer,
            Asked::Skipped(why) => panic!("skipped: {why}"),
        }
    }
}
