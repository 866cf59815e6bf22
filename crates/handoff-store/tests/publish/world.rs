//! A remote, and people who work with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use handoff_store::git::{Git, PublishError, Published, Publishing, Pushed};

/// Long enough for a machine that is busy with other things.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

pub(crate) struct World {
    pub(crate) dir: tempfile::TempDir,
}

/// A work tree.
pub(crate) struct Place {
    pub(crate) root: PathBuf,
}

impl World {
    /// A bare repository with one commit on `main`, which has `code.rs`.
    pub(crate) fn new() -> World {
        let world = World::empty();
        let first = world.clone_as("first");
        first.write("code.rs", "fn main() {}\n");
        first.run("add -A");
        first.run("commit -q -m start");
        first.run("push -q origin HEAD:refs/heads/main");
        world
    }

    /// A bare repository without a commit.
    pub(crate) fn empty() -> World {
        let world = World { dir: tempfile::tempdir().unwrap() };
        git_in(world.dir.path(), &["init", "-q", "--template=", "--bare", "-b", "main", "remote.git"]);
        world
    }

    pub(crate) fn remote(&self) -> PathBuf {
        self.dir.path().join("remote.git")
    }

    pub(crate) fn clone_as(&self, name: &str) -> Place {
        git_in(self.dir.path(), &["clone", "-q", "--template=", "remote.git", name]);
        Place::settled(self.dir.path().join(name))
    }

    /// What the remote's branch has under a path.
    pub(crate) fn there(&self, branch: &str, path: &str) -> Option<String> {
        let output = output_in(&self.remote(), &["show", &format!("{branch}:{path}")]);
        output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
    }

    /// How many commits of the remote's branch belong to a run.
    pub(crate) fn times(&self, branch: &str, run: &str) -> usize {
        times(&self.remote(), branch, run)
    }
}

impl Place {
    /// A repository with somebody's name.
    pub(crate) fn settled(root: PathBuf) -> Place {
        let place = Place { root };
        for setting in ["user.name Ada", "user.email ada@example.com", "commit.gpgSign false", "core.fsync none"] {
            place.run(&format!("config {setting}"));
        }
        place
    }

    pub(crate) fn run(&self, line: &str) -> String {
        git_in(&self.root, &line.split(' ').collect::<Vec<_>>())
    }

    /// Whether git did it.
    pub(crate) fn tries(&self, line: &str) -> bool {
        output_in(&self.root, &line.split(' ').collect::<Vec<_>>()).status.success()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.root.join(path)).ok()
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        self.root.join(path).symlink_metadata().is_ok()
    }

    #[cfg(unix)]
    pub(crate) fn hook(&self, name: &str, script: &str) {
        program(&self.root.join(".git/hooks").join(name), script);
    }

    pub(crate) fn status(&self) -> String {
        self.run("status --porcelain=v1 --untracked-files=all")
    }

    /// The subjects of the branch that is checked out, the newest first.
    pub(crate) fn subjects(&self) -> Vec<String> {
        self.run("log --format=%s").lines().map(str::to_owned).collect()
    }

    /// The files of a commit.
    pub(crate) fn files_of(&self, commit: &str) -> Vec<String> {
        let listed = self.run(&format!("show -m --root --no-renames --name-only --format= {commit}"));
        listed.lines().map(str::to_owned).collect()
    }

    pub(crate) fn times(&self, branch: &str, run: &str) -> usize {
        times(&self.root, branch, run)
    }

    pub(crate) fn publish(&self, publishing: &Publishing) -> Result<Published, PublishError> {
        Git::publish(&self.root, publishing)
    }

    /// Publishes `notes/`, and pushes.
    pub(crate) fn publish_notes(&self, run: &str) -> Published {
        self.publish(&pushing("notes", run)).unwrap()
    }

    /// The reason of a refusal; nothing may have changed.
    pub(crate) fn refusal(&self, publishing: &Publishing) -> String {
        let before = (self.status(), self.run("for-each-ref"), fs::read(self.root.join(".git/index")).ok());
        let error = self.publish(publishing).unwrap_err();
        assert_eq!(before, (self.status(), self.run("for-each-ref"), fs::read(self.root.join(".git/index")).ok()));
        error.to_string()
    }
}

/// A publish without a push.
pub(crate) fn committing(path: &str, run: &str) -> Publishing {
    Publishing {
        paths: vec![path.to_owned()],
        branch: None,
        message: format!("note {run}"),
        run: run.to_owned(),
        push: false,
        remote: None,
        hooks: true,
        sign: None,
        force_ignored: false,
        limit: PATIENCE,
        push_tries: 3,
    }
}

pub(crate) fn pushing(path: &str, run: &str) -> Publishing {
    Publishing { push: true, ..committing(path, run) }
}

pub(crate) fn waits(published: &Published) -> &str {
    match &published.pushed {
        Pushed::Waiting { why } => why,
        other => panic!("it does not wait: {other:?}"),
    }
}

pub(crate) fn is_done(published: &Published) -> bool {
    matches!(published.pushed, Pushed::Done { .. })
}

fn times(dir: &Path, branch: &str, run: &str) -> usize {
    let listed = git_in(dir, &["log", "--format=%B", branch, "--"]);
    listed.lines().filter(|line| *line == format!("Handoff-Run: {run}")).count()
}

#[cfg(unix)]
pub(crate) fn program(path: &Path, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
}

pub(crate) fn output_in(dir: &Path, arguments: &[&str]) -> Output {
    Command::new("git")
        .args(["-c", "core.fsync=none", "-c", "gc.auto=0", "-c", "protocol.file.allow=always"])
        .args(arguments)
        .current_dir(dir)
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1"), ("LC_ALL", "C")])
        .envs([("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@example.com")])
        .envs([("GIT_COMMITTER_NAME", "a"), ("GIT_COMMITTER_EMAIL", "a@example.com")])
        .output()
        .unwrap()
}

pub(crate) fn git_in(dir: &Path, arguments: &[&str]) -> String {
    let output = output_in(dir, arguments);
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}
