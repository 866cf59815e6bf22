//! The stamp that says who made a `local/` directory, on which machine, and for which directory.
//!
//! A stamp is a file in `local/` whose *name* is derived from facts that no archive, clone or copy can carry: a secret
//! of this machine, the user, and the inode and time of creation of the directory. Its content adds the path the project
//! had, and a proof that some stamp of this machine was there once, which a copy of a project still holds.

use std::io;
use std::path::Path;
use std::sync::OnceLock;

use handoff_model::rev::sha256;

use crate::layout::LOCAL;
use crate::outside::{read_outside, replace_private};
use crate::place::make_own_dirs;
use crate::seal::Secret;
use crate::sys::{DirectoryFacts, Handle, Kind};

/// Beginning of the name of every stamp.
const PREFIX: &str = "stamp-";
/// Characters of the hash in a name: 128 bits, which nobody guesses.
const NAME_DIGITS: usize = 32;
/// More than a stamp ever holds.
const MAX_STAMP_BYTES: usize = 64 * 1024;
/// Name of the machine's key in the `local/` of the user store, where the system has no id of its own.
const KEY: &str = "machine-key";

/// Everything that the stamp of a directory depends on, hashed. Never written to disk.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct LocalIdentity {
    /// The name the stamp must have
    pub(super) name: String,
    /// What files in the directory are sealed with, in hexadecimal digits
    seal: String,
    machine: String,
    path: String,
}

impl std::fmt::Debug for LocalIdentity {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("LocalIdentity")
    }
}

/// Content of a stamp.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stamp {
    /// Hash of the path of the store when it was stamped; empty where the text was lost
    pub(super) path: String,
    /// Directories that were set aside and not reported yet
    pub(super) unreported: Vec<String>,
}

impl LocalIdentity {
    /// Identity of the `local/` that has these facts, in the store at `store`.
    pub(super) fn of(facts: &DirectoryFacts, store: &Path, user_dir: Option<&Path>) -> LocalIdentity {
        let machine = machine_secret(user_dir);
        let user = current_user().map_or_else(String::new, |user| user.to_string());
        let path = path_hash(store);
        let place = match facts.born {
            // A directory keeps both for life, wherever it is moved on its file system, and no other has the same two.
            Some(born) => format!("{} {born}", facts.inode),
            None => format!("{} {} {path}", facts.device, facts.inode),
        };
        let root = sha256(format!("handoff local 1\n{machine}\n{user}\n{place}").as_bytes());
        let derived = |label: &str| sha256(format!("{label} {root}").as_bytes());
        LocalIdentity {
            name: format!("{PREFIX}{}", &derived("name")[..NAME_DIGITS]),
            seal: derived("seal"),
            machine: sha256(format!("handoff machine 1\n{machine}\n{user}").as_bytes()),
            path,
        }
    }

    /// Secret that files in the directory are sealed with.
    pub(crate) fn secret(&self) -> Secret {
        // Half of the digits are 128 bits, which nobody guesses.
        let (half, _) = self.seal.as_bytes().split_first_chunk().expect("a hash has 64 digits");
        *half
    }

    /// The stamp in a directory, if it is there.
    pub(super) fn stamp_in(&self, local: &Handle) -> io::Result<Option<Stamp>> {
        match local.read(&self.name, MAX_STAMP_BYTES) {
            Ok(bytes) => Ok(Some(Stamp::read(&String::from_utf8_lossy(&bytes)))),
            Err(error) if crate::root::is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns whether the stamp was made at the path the store has now.
    pub(super) fn is_at(&self, stamp: &Stamp) -> bool {
        // Only this user can have made a file of this name, so a text that a power cut took says nothing against it.
        stamp.path.is_empty() || stamp.path == self.path
    }

    /// Writes a first stamp; it is on disk before this returns, because without it everything beside it is set aside.
    pub(super) fn put_in(&self, local: &Handle) -> io::Result<()> {
        match local.create_synced(&self.name, self.text(&[]).as_bytes()) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => made?,
        }
        local.sync()
    }

    /// Replaces the content of the stamp.
    pub(super) fn renew_in(&self, local: &Handle, unreported: &[String]) -> io::Result<()> {
        let staged = format!(".{}", crate::step::tmp_name());
        let written = local
            .write_loose(&staged, self.text(unreported).as_bytes())
            .and_then(|()| local.replace(&staged, local, &self.name));
        if written.is_err() {
            let _ = local.remove_file(&staged);
        }
        written
    }

    fn text(&self, unreported: &[String]) -> String {
        let nonce = crate::random::<16>().iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
        let mut text = format!("{}\n{nonce} {}\n", self.path, self.proof(&nonce));
        for name in unreported {
            text.push_str(name);
            text.push('\n');
        }
        text
    }

    /// Proof that this user stamped something on this machine, whatever directory that was.
    fn proof(&self, nonce: &str) -> String {
        sha256(format!("{} {nonce}", self.machine).as_bytes())
    }

    /// Returns whether a directory holds a stamp of this user and machine that was made for another directory: then
    /// the project was copied or restored here.
    pub(super) fn recognises_copy(&self, local: &Handle) -> bool {
        let proves = |name: &str| {
            let text = local.read(name, MAX_STAMP_BYTES).ok()?;
            let text = String::from_utf8(text).ok()?;
            let (nonce, proof) = text.lines().nth(1)?.split_once(' ')?;
            (proof == self.proof(nonce)).then_some(())
        };
        let listed = local.list().unwrap_or_default();
        listed
            .iter()
            .any(|entry| entry.kind == Kind::File && entry.name.starts_with(PREFIX) && proves(&entry.name).is_some())
    }
}

impl Stamp {
    fn read(text: &str) -> Stamp {
        let mut lines = text.lines();
        let path = lines.next().unwrap_or_default().to_owned();
        Stamp { path, unreported: lines.skip(1).map(str::to_owned).collect() }
    }
}

/// Hash of the path of a store, without links in it.
pub(super) fn path_hash(store: &Path) -> String {
    let real = store.canonicalize().unwrap_or_else(|_| store.to_owned());
    sha256(real.as_os_str().as_encoded_bytes())
}

/// The user this process acts as, where users have numbers.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other platforms have no numbers")]
pub(super) fn current_user() -> Option<u32> {
    Some(rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
pub(super) fn current_user() -> Option<u32> {
    None
}

/// Secret that this machine has and no other: its id, or else a key of this user.
///
/// The id of a Linux machine is meant to be kept from others and to be used in hashes only, which is what happens here.
/// It is preferred to a key because every process of this user finds the same one, whatever `HOME` it was given.
fn machine_secret(user_dir: Option<&Path>) -> String {
    static MACHINE_ID: OnceLock<Option<String>> = OnceLock::new();
    let id = MACHINE_ID.get_or_init(|| {
        let read = |path: &&str| std::fs::read_to_string(path).ok().map(|id| id.trim().to_owned());
        let ids = ["/etc/machine-id", "/var/lib/dbus/machine-id"];
        ids.iter().filter(|_| cfg!(target_os = "linux")).filter_map(read).find(|id| id.len() >= 32)
    });
    match id {
        Some(id) => id.clone(),
        None => user_dir.and_then(|dir| user_key(&dir.join(LOCAL)).ok()).unwrap_or_default(),
    }
}

/// Key of this user on this machine, made when it is first needed.
fn user_key(dir: &Path) -> io::Result<String> {
    let path = dir.join(KEY);
    if read_outside(&path)?.is_none() {
        make_own_dirs(dir)?;
        replace_private(&path, &crate::random::<32>())?;
    }
    // Read back: another process may have made one at the same moment, and the last one counts.
    let key = read_outside(&path)?.ok_or(io::ErrorKind::NotFound)?;
    Ok(sha256(&key))
}
