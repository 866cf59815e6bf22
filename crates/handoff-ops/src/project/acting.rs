//! Acting for somebody who asked earlier: a run that is taken up again is still theirs.

use std::path::PathBuf;

use handoff_model::name::Layout;
use handoff_model::when::Moment;
use handoff_store::git::Git;

use super::Project;
use crate::OpError;
use crate::run::Inputs;

/// Who was acting before, and when.
pub(crate) struct Acting {
    actor: Option<String>,
    tool: Option<String>,
    agent_session: Option<String>,
    cwd: PathBuf,
    instant: Moment,
    given_pause: Option<PathBuf>,
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
            given_pause: std::mem::replace(&mut self.given_pause, inputs.pause_file.clone()),
        };
        if inputs.directory.is_dir() {
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
