//! Acting for somebody who asked earlier: a run that is taken up again is still theirs.

use std::path::{Component, Path, PathBuf};

use handoff_model::name::Layout;
use handoff_model::when::Moment;
use handoff_store::git::Git;

use super::Project;
use crate::OpError;
use crate::run::Inputs;

/// Places that a request names itself, on its command line or in its arguments.
///
/// A path in a state file leads out of the project only where it is one of these: such a file may be somebody else's.
#[derive(Debug, Default)]
pub(crate) struct NamedPlaces {
    /// The list of steps
    pub(crate) config: Option<PathBuf>,
    /// The checkpoint of agent-handover
    pub(crate) checkpoint: Option<PathBuf>,
    /// The directory in which agent-handover keeps its checkpoint unless it is told otherwise
    pub(crate) checkpoint_dir: Option<PathBuf>,
}

/// Who was acting before, and when.
pub(crate) struct Acting {
    actor: Option<String>,
    tool: Option<String>,
    agent_session: Option<String>,
    cwd: PathBuf,
    instant: Moment,
    given_pause: Option<PathBuf>,
}

/// Returns whether a path leads to a place in a directory, by the real names of both.
pub(super) fn is_inside(dir: &Path, path: &Path) -> bool {
    let climbs = |part: Component<'_>| part == Component::ParentDir;
    let real = || path.ancestors().find_map(|part| part.canonicalize().ok());
    let starts_there = |dir: PathBuf| real().is_some_and(|real| real.starts_with(dir));
    path.is_absolute() && !path.components().any(climbs) && dir.canonicalize().is_ok_and(starts_there)
}

impl Project {
    /// Acts as whoever asked for a run, at the moment they did.
    pub(crate) fn act_as(&mut self, inputs: &Inputs) -> Acting {
        let before = Acting {
            actor: self.actor.replace(inputs.by.clone()),
            tool: std::mem::replace(&mut self.caller.tool, inputs.tool.clone()),
            agent_session: std::mem::replace(&mut self.caller.agent_session, inputs.agent_session.clone()),
            cwd: self.place.cwd.clone(),
            instant: self.clock.instant,
            given_pause: std::mem::replace(&mut self.given_pause, self.declared_pause.clone()),
        };
        // Where somebody was outside the project, the one who goes on is where they are themselves.
        if self.holds(&inputs.directory) && inputs.directory.is_dir() {
            self.place.cwd.clone_from(&inputs.directory);
        }
        self.clock.instant = inputs.asked_at;
        before
    }

    /// Acts as before.
    pub(crate) fn act_again_as(&mut self, before: Acting) {
        let Acting { actor, tool, agent_session, cwd, instant, given_pause } = before;
        (self.actor, self.caller.tool, self.caller.agent_session) = (actor, tool, agent_session);
        (self.place.cwd, self.clock.instant, self.given_pause) = (cwd, instant, given_pause);
    }

    /// Returns whether a path leads to a place in the project, by its real name. Of a path that is not there yet, the
    /// directories that are there count.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        self.dir().is_some_and(|dir| is_inside(&dir, path))
    }

    /// Returns whether the project has a file under the name that a record gives it; `None` where that name leads out of
    /// the project. Nothing out there is looked at: the record may have come with a clone.
    pub(crate) fn has_file(&self, name: &str) -> Option<bool> {
        let dir = self.dir()?;
        let path = dir.join(name);
        let is_below = path.starts_with(&dir) || dir.canonicalize().is_ok_and(|dir| path.starts_with(dir));
        (is_below && is_inside(&dir, path.parent()?)).then(|| path.symlink_metadata().is_ok())
    }

    /// The moment it is by now, for what is no part of a record.
    pub(crate) fn present(&self) -> Moment {
        self.clock.at_present()
    }

    /// An id for a run.
    pub(crate) fn new_run_id(&mut self) -> String {
        self.clock.new_task_id().to_string()
    }

    /// Makes a change under the lock, and lets go of it.
    pub(crate) fn change<T>(
        &mut self,
        operation: &'static str,
        make: impl FnOnce(&mut Project) -> Result<T, OpError>,
    ) -> Result<T, OpError> {
        self.refuse_paused()?;
        self.lock(operation)?;
        let made = make(self).and_then(|made| {
            self.commit()?;
            Ok(made)
        });
        self.let_go();
        made
    }

    /// Lets go of the lock of the store, and forgets what was not committed.
    pub(crate) fn let_go(&mut self) {
        self.store_mut().unlock();
        self.resolved.take();
        self.state_is_old = false;
    }

    /// A path that a person wrote down: `~` is their home, and what is relative begins at the project.
    pub(crate) fn expanded(&self, path: &str) -> PathBuf {
        match (path.strip_prefix("~/"), self.home_dir()) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.dir().unwrap_or_else(|| self.place.cwd.clone()).join(path),
        }
    }

    /// Whether git carries the records of this project to others.
    pub(crate) fn is_shared(&self) -> bool {
        self.store().layout() == Layout::Stable
    }

    /// The work tree of git that the project lies in.
    pub(crate) fn git(&self) -> Option<Git> {
        self.dir().and_then(|dir| Git::around(&dir))
    }
}
