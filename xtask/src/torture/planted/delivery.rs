//! The ways in which a project comes to a user.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::rig::{copy_tree, finish};

use super::Victim;
use super::plant::Attacker;

/// An owner that is neither the user nor root.
const SOMEBODY: u32 = 54_321;

/// How a project arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// An archive that is unpacked
    Archive,
    /// A clone of a repository that tracks the machine-local files
    Clone,
    /// A project in a subdirectory of a clone
    Subdirectory,
    /// A submodule of another repository
    Submodule,
    /// Files that belong to another user
    OtherOwner,
    /// A clone, where git is not on the `PATH`
    WithoutGit,
    /// A directory whose name is not UTF-8
    NotUtf8,
    /// Unpacked elsewhere and moved here
    Moved,
    /// Unpacked elsewhere and copied here
    Copied,
    /// Put in the place of a project of the user
    Replaced,
}

/// Where a project is after it arrived.
pub(crate) struct Arrived {
    /// The directory that came: a clone, or the project itself
    pub(crate) top: PathBuf,
    /// The project in it
    pub(crate) project: PathBuf,
    pub(crate) has_git: bool,
}

impl Delivery {
    pub(crate) const ALL: [Delivery; 10] = [
        Delivery::Archive,
        Delivery::Clone,
        Delivery::Subdirectory,
        Delivery::Submodule,
        Delivery::OtherOwner,
        Delivery::WithoutGit,
        Delivery::NotUtf8,
        Delivery::Moved,
        Delivery::Copied,
        Delivery::Replaced,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Delivery::Archive => "archive",
            Delivery::Clone => "clone",
            Delivery::Subdirectory => "subdirectory of a clone",
            Delivery::Submodule => "submodule",
            Delivery::OtherOwner => "other owner",
            Delivery::WithoutGit => "clone without git on the path",
            Delivery::NotUtf8 => "name that is not UTF-8",
            Delivery::Moved => "moved",
            Delivery::Copied => "copied",
            Delivery::Replaced => "in place of an own project",
        }
    }

    /// Only root can give a file away.
    pub(crate) fn is_possible(self) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        self != Delivery::OtherOwner || fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0)
    }
}

/// Brings the attacker's project with these planted files to a victim.
pub(crate) fn deliver(
    delivery: Delivery,
    attacker: &Attacker,
    planted: &BTreeMap<String, Vec<u8>>,
    victim: &Victim,
) -> Result<Arrived, String> {
    let failed = |error: std::io::Error| format!("cannot deliver it ({}): {error}", delivery.name());
    let workshop = victim.root().join("workshop");
    let source = workshop.join(if delivery == Delivery::Subdirectory { "repository/sub" } else { "repository" });
    copy_tree(&attacker.project(), &source).map_err(failed)?;
    for (path, bytes) in planted {
        let file = source.join(".handoff/local").join(path);
        fs::create_dir_all(file.parent().unwrap_or(&file)).map_err(failed)?;
        fs::write(&file, bytes).map_err(failed)?;
    }
    let top = match delivery {
        Delivery::NotUtf8 => victim.root().join(OsStr::from_bytes(b"project-\xe9\xff")),
        _ => victim.root().join("project"),
    };
    let repository = workshop.join("repository");
    let mut project = top.clone();
    match delivery {
        Delivery::Archive | Delivery::NotUtf8 => unpack(&workshop, &top)?,
        Delivery::Clone | Delivery::WithoutGit => {
            commit(victim, &repository)?;
            clone(victim, &repository, &top)?;
        }
        Delivery::Subdirectory => {
            commit(victim, &repository)?;
            clone(victim, &repository, &top)?;
            project = top.join("sub");
        }
        Delivery::Submodule => {
            commit(victim, &repository)?;
            let outer = workshop.join("outer");
            fs::create_dir(&outer).map_err(failed)?;
            git(victim, &outer, &["init", "-q"])?;
            git(victim, &outer, &["submodule", "--quiet", "add", "../repository", "sub"])?;
            git(victim, &outer, &["commit", "-q", "-m", "With a submodule"])?;
            git(victim, victim.root(), &["clone", "-q", "--recurse-submodules", "workshop/outer", "project"])?;
            project = top.join("sub");
        }
        Delivery::OtherOwner => {
            unpack(&workshop, &top)?;
            give_away(&top).map_err(failed)?;
        }
        Delivery::Moved => {
            let first = victim.root().join("downloads");
            unpack(&workshop, &first)?;
            fs::rename(&first, &top).map_err(failed)?;
        }
        Delivery::Copied => {
            let first = victim.root().join("downloads");
            unpack(&workshop, &first)?;
            must(Command::new("cp").arg("-a").arg(&first).arg(&top))?;
            fs::remove_dir_all(&first).map_err(failed)?;
        }
        Delivery::Replaced => {
            // What the user had there is gone, such as after restoring a backup that somebody else made.
            copy_tree(&attacker.project(), &top).map_err(failed)?;
            fs::remove_dir_all(&top).map_err(failed)?;
            unpack(&workshop, &top)?;
        }
    }
    fs::remove_dir_all(&workshop).map_err(failed)?;
    Ok(Arrived { top, project, has_git: delivery != Delivery::WithoutGit })
}

/// Packs the repository's files and unpacks them as `to`.
fn unpack(workshop: &Path, to: &Path) -> Result<(), String> {
    let archive = workshop.join("archive.tar");
    must(Command::new("tar").arg("-C").arg(workshop.join("repository")).arg("-cf").arg(&archive).arg("."))?;
    fs::create_dir_all(to).map_err(|error| error.to_string())?;
    must(Command::new("tar").arg("-C").arg(to).arg("-xf").arg(&archive))
}

fn commit(victim: &Victim, repository: &Path) -> Result<(), String> {
    git(victim, repository, &["init", "-q"])?;
    git(victim, repository, &["add", "-f", "-A"])?;
    git(victim, repository, &["commit", "-q", "-m", "Everything"])
}

fn clone(victim: &Victim, from: &Path, to: &Path) -> Result<(), String> {
    git(victim, victim.root(), &["clone", "-q", &from.to_string_lossy(), &to.to_string_lossy()])
}

fn git(victim: &Victim, dir: &Path, args: &[&str]) -> Result<(), String> {
    let mut command = victim.sandbox.command(Path::new("git"));
    command.current_dir(dir).args([
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@example.com",
        "-c",
        "protocol.file.allow=always",
    ]);
    must(command.args(args))
}

fn must(command: &mut Command) -> Result<(), String> {
    let mut owned = Command::new(command.get_program());
    owned.args(command.get_args()).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    if let Some(dir) = command.get_current_dir() {
        owned.current_dir(dir);
    }
    owned.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let finished = finish(owned).map_err(|error| error.to_string())?;
    if finished.succeeded() { Ok(()) } else { Err(format!("{command:?} fails with {}", finished.brief())) }
}

fn give_away(path: &Path) -> std::io::Result<()> {
    std::os::unix::fs::lchown(path, Some(SOMEBODY), Some(SOMEBODY))?;
    if path.symlink_metadata()?.is_dir() {
        for entry in fs::read_dir(path)? {
            give_away(&entry?.path())?;
        }
    }
    Ok(())
}
