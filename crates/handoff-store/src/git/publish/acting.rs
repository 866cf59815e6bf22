//! Running git to change things: one publish at a time per repository, in a place of its own, as the person.
//!
//! **Invariant:** whatever git changes, it changes while the lock of this repository is held. Every git that does so has
//! the locked file as its standard input, so that the lock outlives this process when that is killed, and nobody takes
//! away the index that such a git still works with.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::super::run::{Asking, Ended, Failure, How, Manner};
use super::super::{Git, guard};
use super::error::PublishError;
use super::words::name;
use crate::outside::OutsideLock;

/// The directory below git's own in which indexes lie for as long as a publish takes.
const PLACE: &str = "handoff-publish";

/// How long somebody else's lock is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a publish needs at every step.
pub(super) struct Acting<'a> {
    pub(super) git: &'a Git,
    /// For questions and for what touches nobody else: no hooks, paths as they are
    pub(super) quiet: Asking,
    /// For what the person's hooks, keys and helpers take part in
    pub(super) plain: Asking,
    /// Whether filters that the repository sets up were switched off
    pub(super) without_filters: bool,
    place: PathBuf,
    /// `None` when nothing is going to be changed
    lock: Option<OutsideLock>,
}

impl<'a> Acting<'a> {
    /// Waits for its turn; what an earlier publish left behind is then nobody's any more.
    pub(super) fn begin(git: &'a Git, limit: Duration, hooks: bool) -> Result<Acting<'a>, PublishError> {
        let place = git.common_dir.join(PLACE);
        let began = Instant::now();
        let lock = OutsideLock::take(&place.join("lock"), "handoff publish", limit).map_err(PublishError::locked)?;
        sweep(&place);
        Acting::in_place(git, limit.saturating_sub(began.elapsed()), hooks, place, Some(lock))
    }

    /// For looking at what would be done. What git makes on the way lies in a directory that goes again.
    pub(super) fn trying(git: &'a Git, limit: Duration) -> Result<Acting<'a>, PublishError> {
        let place = std::env::temp_dir().join(format!("handoff-plan-{}", fresh()));
        let objects = place.join("objects");
        fs::create_dir_all(&objects)
            .map_err(|source| PublishError::Unusable { path: place.display().to_string(), source })?;
        let mut acting = Acting::in_place(git, limit, false, place, None)?;
        acting.quiet = acting.quiet.with("GIT_OBJECT_DIRECTORY", &objects);
        let existing = git.common_dir.join("objects");
        acting.quiet = acting.quiet.with("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(&existing));
        Ok(acting)
    }

    fn in_place(
        git: &'a Git,
        limit: Duration,
        hooks: bool,
        place: PathBuf,
        lock: Option<OutsideLock>,
    ) -> Result<Acting<'a>, PublishError> {
        let asked = Asking::in_manner(Manner::Publishing, git, limit);
        let mut quiet = match asked {
            Ok(quiet) => quiet,
            Err(failure) => return Err(PublishError::asking("read the settings of the repository", &failure)),
        };
        let filters = quiet.guards.split_off(guard::always().len());
        let mut plain = quiet.clone();
        plain.guards =
            settings(&[guard::NO_BARE_REPOSITORY, "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false"]);
        // Other gits hold these for a moment only.
        plain.guards.extend(settings(&["core.filesRefLockTimeout=3000", "core.packedRefsTimeout=3000"]));
        if !hooks {
            plain.guards.extend(settings(&["core.hooksPath=/dev/null"]));
        }
        quiet.guards.extend(settings(&["core.safecrlf=false", "gc.auto=0", "advice.addEmbeddedRepo=false"]));
        let without_filters = !filters.is_empty();
        quiet.guards.extend(filters.iter().cloned());
        plain.guards.extend(filters);
        let mut acting = Acting { git, quiet, plain, without_filters, place, lock };
        if let Some(command) = acting.ssh_command() {
            acting.plain = acting.plain.with("GIT_SSH_COMMAND", command);
        }
        Ok(acting)
    }

    /// An `ssh` that asks nobody, unless the person chose a command of their own.
    fn ssh_command(&self) -> Option<&'static str> {
        let chosen = ["GIT_SSH", "GIT_SSH_COMMAND"].iter().any(|name| std::env::var_os(name).is_some());
        (!chosen && self.setting("core.sshCommand").is_none()).then_some("ssh -oBatchMode=yes")
    }

    /// The value of a setting, wherever it is set.
    pub(super) fn setting(&self, key: &str) -> Option<String> {
        let value = self.quiet.run(&["config", "--get", key]).ok()?;
        Some(String::from_utf8(value).ok()?.trim_end_matches('\n').to_owned()).filter(|value| !value.is_empty())
    }

    pub(super) fn is_set(&self, key: &str) -> bool {
        let value = self.quiet.run(&["config", "--type=bool", "--get", key]);
        value.is_ok_and(|value| value.trim_ascii() == b"true")
    }

    /// A question to git, as one line.
    pub(super) fn line(&self, doing: &'static str, arguments: &[&str]) -> Result<String, PublishError> {
        line(&self.quiet, doing, arguments)
    }

    /// Whether an answer that is no error says yes.
    pub(super) fn is_true(&self, arguments: &[&str]) -> bool {
        self.quiet.run(arguments).is_ok()
    }

    /// The commit behind a name, if there is one.
    pub(super) fn commit(&self, name: &str) -> Option<String> {
        let name = format!("{name}^{{commit}}");
        self.line("read a name", &["rev-parse", "-q", "--verify", &name]).ok()
    }

    /// Runs a git that changes something others see, for which it keeps the lock.
    pub(super) fn change(&self, asking: &Asking, arguments: &[&str]) -> Result<Ended, Failure> {
        let handle = self.lock.as_ref().and_then(|lock| lock.handle().ok());
        match handle {
            Some(handle) => Ok(asking.begin_holding(arguments, handle)?.end()),
            None => Ok(asking.begin(arguments, None)?.end()),
        }
    }

    /// As [`Acting::change`], with any bad end as an error.
    pub(super) fn must_change(
        &self,
        doing: &'static str,
        asking: &Asking,
        arguments: &[&str],
    ) -> Result<Vec<u8>, PublishError> {
        let ended = self.change(asking, arguments).map_err(|failure| PublishError::asking(doing, &failure))?;
        if ended.how == How::Well { Ok(ended.said) } else { Err(PublishError::ended(doing, &ended)) }
    }

    /// Runs a git that needs one of git's locks, again as long as somebody else has that.
    pub(super) fn change_when_free(&self, asking: &Asking, arguments: &[&str]) -> Result<(), String> {
        let until = Instant::now() + PATIENCE.min(asking.time_left());
        let mut pause = Duration::from_millis(5);
        loop {
            let ended = self.change(asking, arguments).map_err(|failure| failure.to_string())?;
            if ended.how == How::Well {
                return Ok(());
            }
            let is_locked = memchr::memmem::find(&ended.complaint, b".lock").is_some();
            if !is_locked || Instant::now() >= until {
                return Err(PublishError::ended("bring the work tree along", &ended).to_string());
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(200));
        }
    }

    /// Waits a little for others that hold one of these locks of git's.
    pub(super) fn wait_for_others(&self, locks: &[PathBuf]) -> Result<(), PublishError> {
        let until = Instant::now() + PATIENCE.min(self.quiet.time_left() / 4);
        loop {
            let Some(lock) = locks.iter().find(|lock| lock.symlink_metadata().is_ok()) else { return Ok(()) };
            if Instant::now() >= until {
                let age = lock.symlink_metadata().and_then(|meta| meta.modified()).ok();
                let age = age.and_then(|at| at.elapsed().ok()).map_or(0, |age| age.as_secs());
                return Err(PublishError::Busy(format!(
                    "another git is at work here: `{}` is there for {age} s; if no git is running, one was killed, and \
                     the file can be deleted",
                    name(lock.display().to_string().as_bytes())
                )));
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// The name of a file that nobody else uses, and that goes with the publish.
    pub(super) fn scratch(&self, what: &str) -> PathBuf {
        self.place.join(format!("{what}-{}", fresh()))
    }

    /// Writes a file that goes with the publish.
    #[expect(clippy::disallowed_methods, reason = "what is written is read by git at once and then deleted")]
    pub(super) fn scratch_file(&self, what: &str, bytes: &[u8]) -> Result<PathBuf, PublishError> {
        let path = self.scratch(what);
        match fs::write(&path, bytes) {
            Ok(()) => Ok(path),
            Err(source) => Err(PublishError::Unusable { path: self.place.display().to_string(), source }),
        }
    }
}

impl Drop for Acting<'_> {
    #[expect(clippy::disallowed_methods, reason = "the directory was made for this one look")]
    fn drop(&mut self) {
        if self.lock.is_some() {
            sweep(&self.place);
        } else {
            let _ = fs::remove_dir_all(&self.place);
        }
    }
}

/// Takes away what a publish left; whoever has the lock may.
#[expect(clippy::disallowed_methods, reason = "nothing here outlives the publish that made it")]
fn sweep(place: &Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        if entry.file_name() != OsStr::new("lock") {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A question to git, as one line.
pub(super) fn line(asking: &Asking, doing: &'static str, arguments: &[&str]) -> Result<String, PublishError> {
    let said = asking.run(arguments).map_err(|failure| PublishError::asking(doing, &failure))?;
    Ok(String::from_utf8_lossy(&said).trim().to_owned())
}

fn settings(settings: &[&str]) -> Vec<String> {
    settings.iter().flat_map(|setting| ["-c".to_owned(), (*setting).to_owned()]).collect()
}

fn fresh() -> String {
    format!("{:016x}", u64::from_ne_bytes(crate::random()))
}

/// A path in a list of paths; a quoted one may hold what would otherwise divide the list.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{text}\"")
}
