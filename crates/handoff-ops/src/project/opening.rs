//! Finding the store a request is about, and opening, locking and committing it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use handoff_model::name::Layout;
use handoff_store::{
    CURRENT_STATE, DIRECTORY, ForeignLocal, LocalRules, NewStore, Signature, Stop, Store, StoreError, discover,
    holds_project,
};
use serde_json::json;

use super::{Environment, Place, Project};
use crate::place::Init;
use crate::{Hint, OpError};

/// The store a request works on.
pub(super) struct Opened {
    pub(super) store: Store,
    pub(super) origin: Origin,
}

/// The settings a user store begins with.
pub(crate) const USER_STORE_CONFIG: &str = "[project]\nname = \"user\"\n";

/// What hooks are called that take the lock.
pub(crate) const HOOK: &str = "hook";

/// Where a store was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// In this directory
    Project(PathBuf),
    /// Outside any project
    User,
}

impl Project {
    /// Opens the store for reading. Finding nothing at all is an error that says how to start.
    pub fn open(&mut self) -> Result<(), OpError> {
        self.open_what_is_there()?;
        self.tell_foreign();
        Ok(())
    }

    /// Tells who keeps the records there, where that is handoff-mcp.
    pub(crate) fn tell_foreign(&mut self) {
        if self.is_foreign() {
            let shown = self.shown(self.store().path());
            self.note(format!(
                "`{shown}` was written by handoff-mcp, and nothing of it is shown: `handoff init --import` takes it over"
            ));
        }
    }

    fn open_what_is_there(&mut self) -> Result<(), OpError> {
        let opened = match self.locate()? {
            Origin::Project(dir) => {
                Opened { store: self.open_store(&dir.join(DIRECTORY))?, origin: Origin::Project(dir) }
            }
            Origin::User => match self.open_store(&self.user_dir()?) {
                Ok(store) => Opened { store, origin: Origin::User },
                Err(StoreError::NoProject { .. }) => return Err(nothing_here()),
                Err(error) => return Err(error.into()),
            },
        };
        self.work_on(opened);
        self.say_where();
        Ok(())
    }

    /// From here on it is about this store, with its settings.
    fn work_on(&mut self, opened: Opened) {
        self.opened = Some(opened);
        self.resolved.take();
    }

    /// Goes on with another store: that of the project in a directory, or the user store.
    pub(crate) fn switch_to(&mut self, dir: Option<&Path>) -> Result<(), OpError> {
        let (path, origin) = match dir {
            Some(dir) => (dir.join(DIRECTORY), Origin::Project(dir.to_owned())),
            None => (self.user_dir()?, Origin::User),
        };
        let store = self.open_store(&path)?;
        self.work_on(Opened { store, origin });
        self.refuse_writing()
    }

    /// Opens the store of the project a request is about, if there is one; a directory that is named must hold one.
    pub(crate) fn open_if_there(&mut self) -> Result<(), OpError> {
        if let Origin::Project(dir) = self.locate()? {
            let store = self.open_store(&dir.join(DIRECTORY))?;
            self.work_on(Opened { store, origin: Origin::Project(dir) });
        }
        Ok(())
    }

    /// Opens the store to write in it, unless writing is paused. Outside a project the user store is made.
    pub(crate) fn open_for_writing(&mut self) -> Result<(), OpError> {
        match self.locate()? {
            Origin::Project(_) => self.open_what_is_there()?,
            Origin::User => {
                self.open_user_store()?;
                self.say_where();
            }
        }
        self.refuse_writing()
    }

    /// Goes on with the user store, making it where there is none.
    pub(crate) fn switch_to_user_store(&mut self) -> Result<(), OpError> {
        if !self.is_user_store() {
            self.open_user_store()?;
        }
        self.refuse_writing()
    }

    fn open_user_store(&mut self) -> Result<(), OpError> {
        let dir = self.user_dir().map_err(|error| error.hint(start()))?;
        // It may have to be made, and that is writing too.
        self.refuse_paused_in(Some(&dir))?;
        let new = NewStore { config: USER_STORE_CONFIG, layout: Layout::Status, private: true };
        let store = match self.open_store(&dir) {
            Err(StoreError::NoProject { .. } | StoreError::NoConfig { .. }) => {
                match Store::create(&dir, &new) {
                    // Another process was quicker, or it is made now.
                    Ok(_) | Err(StoreError::AlreadyProject { .. }) => self.open_store(&dir)?,
                    Err(error) => return Err(error.into()),
                }
            }
            opened => opened?,
        };
        self.work_on(Opened { store, origin: Origin::User });
        Ok(())
    }

    /// Opens the store to change what is in it, unless writing is paused. Where there is none, none is made.
    pub(crate) fn open_to_amend(&mut self) -> Result<(), OpError> {
        self.open_what_is_there()?;
        self.refuse_writing()
    }

    /// Whether handoff-mcp keeps its records there. Every store of ours has a file that its stores have not.
    fn is_foreign(&self) -> bool {
        let is_theirs = |store: &Path| !store.join(".gitignore").exists() && handoff_import::is_handoff_mcp(store);
        self.store_if_open().is_some_and(|store| is_theirs(store.path()))
    }

    /// Refuses to write where handoff-mcp keeps its records.
    fn refuse_foreign(&self) -> Result<(), OpError> {
        if self.is_foreign() { Err(crate::import::in_the_way(self, self.store().path())) } else { Ok(()) }
    }

    /// Refuses what must not be written to: another system's records, and what is paused.
    fn refuse_writing(&self) -> Result<(), OpError> {
        self.refuse_foreign()?;
        self.refuse_paused()
    }

    /// Takes the lock of the store that was opened.
    pub(crate) fn lock(&mut self, operation: &'static str) -> Result<(), OpError> {
        self.lock_within(operation, self.lock_wait())
    }

    /// The same for those who cannot wait as long as others.
    pub(crate) fn lock_within(&mut self, operation: &'static str, wait: Duration) -> Result<(), OpError> {
        let holder = format!("{operation}, since {}", self.now());
        self.store_mut().lock(&holder, wait)?;
        // Somebody may have paused while this one waited.
        self.refuse_paused()?;
        self.operation = operation;
        // Another process may have changed them before we had the lock.
        self.resolved.take();
        Ok(())
    }

    /// Opens a store, with what is remembered of it.
    pub(crate) fn open_store(&self, path: &Path) -> Result<Store, StoreError> {
        let rules = self.local_rules(ForeignLocal::SetAside);
        let store = match &self.server_cache {
            Some(cache) => Store::open_warm_by(path, &rules, &cache.of(path)),
            None => Store::open_by(path, &rules),
        };
        let store = match store {
            Err(StoreError::NoConfig { .. }) if self.mends => Store::open_to_mend(path, &rules),
            opened => opened,
        };
        Ok(store?.stopped_by(self.stop.clone()))
    }

    /// Opens the store of a project that the request is not about, to look into it. Nothing is changed there.
    pub(crate) fn open_other_store(&self, path: &Path) -> Result<Store, StoreError> {
        let store = Store::open_by(path, &self.local_rules(ForeignLocal::Ignore))?;
        Ok(store.stopped_by(self.stop.clone()))
    }

    /// A project that the request is not about, with its own settings, to look into it. Nothing is changed there.
    pub(crate) fn look_into(&self, dir: &Path) -> Result<Project, StoreError> {
        let store = self.open_other_store(&dir.join(DIRECTORY))?;
        let place = Place { project_dir: Some(dir.to_owned()), settings: Vec::new(), ..self.place.clone() };
        let mut other = Project::new(place, self.actor.clone(), self.door);
        other.caller.agent_session.clone_from(&self.caller.agent_session);
        other.stop = self.stop.clone();
        other.work_on(Opened { store, origin: Origin::Project(dir.to_owned()) });
        Ok(other)
    }

    /// What decides whether the `local/` of a store was made here.
    pub(crate) fn local_rules(&self, foreign: ForeignLocal) -> LocalRules {
        LocalRules { user_dir: self.user_dir().ok(), foreign }
    }

    /// The directory of the store a request would work on.
    pub(crate) fn store_dir(&self) -> Result<PathBuf, OpError> {
        match self.locate()? {
            Origin::Project(dir) => Ok(dir.join(DIRECTORY)),
            Origin::User => self.user_dir(),
        }
    }

    /// Makes durable what the operation staged.
    pub(crate) fn commit(&mut self) -> Result<(), OpError> {
        crate::leaving::check_staged(self)?;
        let mut progress = self.progress.take();
        let has_changes = self.store().has_changes();
        if !self.state_is_old && self.store().changes_state() {
            self.state_is_old = self.has_current_state();
        }
        let signature = self.signature();
        self.store_mut().sign(signature);
        // The last moment: nothing of it is on disk yet.
        self.refuse_paused()?;
        let committed = self.store_mut().commit(|done, total| {
            if let Some(progress) = &mut progress {
                progress(super::Progress { what: "writing", done, total: Some(total) });
            }
        });
        self.progress = progress;
        committed?;
        if let Some(error) = self.store_mut().take_log_failure() {
            let why = OpError::from(error).sentence();
            self.note(format!(
                "this change is made, but cannot be taken back, since the log could not be written: {why}"
            ));
        }
        self.resolved.take();
        if std::mem::take(&mut self.state_is_old) {
            self.write_current_state();
        }
        // What is changed cannot be stopped any more.
        let stop = if has_changes { Stop::never() } else { self.stop.clone() };
        self.commit_user_config(&stop)?;
        self.register();
        Ok(())
    }

    /// Who makes the change, for the log.
    fn signature(&self) -> Signature {
        // Hooks come in by a door of their own, which knows no operations.
        let door = if self.operation == HOOK { HOOK } else { self.door.as_str() };
        Signature {
            // Not when it was asked for: others may have written while this one waited.
            at: Some(self.clock.at_present()),
            by: self.by().unwrap_or_else(|_| self.person()),
            door: door.to_owned(),
            tool: self.caller.tool.clone(),
            operation: self.operation.to_owned(),
        }
    }

    /// Whether the overview was ever made.
    pub(crate) fn has_current_state(&self) -> bool {
        self.store().file(CURRENT_STATE).is_ok_and(|file| file.is_some())
    }

    /// Makes the overview for people and tools that read plain files. It can be made anew at any time, so failing to is
    /// no failure of the change.
    fn write_current_state(&mut self) {
        match crate::resume::current_state(self) {
            Ok(state) => self.store().write_view(CURRENT_STATE, &state.text()),
            Err(error) => self.note(format!("`{CURRENT_STATE}` could not be made anew: {}", error.sentence())),
        }
    }

    /// The directory of the project; absent for the user store.
    pub(crate) fn dir(&self) -> Option<PathBuf> {
        match &self.opened.as_ref()?.origin {
            Origin::Project(dir) => Some(dir.clone()),
            Origin::User => None,
        }
    }

    /// Whether a project could be made where the request is about, so that finding none is no mistake.
    pub(crate) fn could_start(&self) -> bool {
        self.named_dir().is_none_or(|dir| dir.is_dir() && !self.is_home(&dir))
    }

    /// Lets go of the store and its lock.
    pub(crate) fn close(&mut self) {
        if let Some(opened) = &mut self.opened {
            opened.store.unlock();
        }
        self.opened = None;
        self.resolved.take();
    }

    /// Problems that the store met while it was read, each as a line.
    pub(crate) fn noticed_problems(&self) -> Vec<String> {
        let noticed = self.opened.as_ref().map(|opened| opened.store.take_noticed()).unwrap_or_default();
        noticed.iter().map(ToString::to_string).collect()
    }

    /// Notes this project in the registry. Only a convenience: where there is no home, there is no registry.
    fn register(&mut self) {
        let Some(Opened { origin: Origin::Project(dir), .. }) = &self.opened else { return };
        let Ok(user) = self.user_dir() else { return };
        // The change itself was allowed; the user store may be paused alone.
        if self.refuse_paused_in(Some(&user)).is_err() {
            return;
        }
        let directory = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = || self.config().project.name.map_or(directory, String::from);
        if let Err(error) = self.store().register(&user, name) {
            self.note(format!("this project could not be noted in the registry: {}", OpError::from(error).sentence()));
        }
    }

    /// The project a request is about, or the user store where there is none.
    fn locate(&self) -> Result<Origin, OpError> {
        if let Some(dir) = self.named_dir() {
            if self.is_home(&dir) {
                return Err(StoreError::HomeDirectory { path: dir }.into());
            }
            if holds_project(&dir) {
                return Ok(Origin::Project(dir));
            }
            let shown = self.shown(&dir);
            let make = Hint::run_with::<Init>(json!({"project_dir": shown}));
            return Err(OpError::not_found(format!("no handoff project in `{shown}`")).hint(make));
        }
        let claude = self.place.env.path("CLAUDE_PROJECT_DIR").filter(|dir| is_given(dir));
        let claude = claude.filter(|dir| holds_project(dir) && !self.is_home(dir));
        let found = claude.or_else(|| discover(&self.place.cwd, home(&self.place.env).as_deref()));
        Ok(found.map_or(Origin::User, Origin::Project))
    }

    /// The directory of the project a request is about, found without opening it.
    pub(crate) fn project_dir_here(&self) -> Result<Option<PathBuf>, OpError> {
        Ok(match self.locate()? {
            Origin::Project(dir) => Some(dir),
            Origin::User => None,
        })
    }

    /// The directory the caller names, by flag or environment. Naming `.handoff` itself means the one around it.
    fn named_dir(&self) -> Option<PathBuf> {
        let given = self.place.project_dir.clone().filter(|dir| is_given(dir));
        let dir = given.or_else(|| self.place.env.path("HANDOFF_PROJECT_DIR").filter(|dir| is_given(dir)))?;
        Some(around(self.place.cwd.join(dir)))
    }

    fn is_home(&self, dir: &Path) -> bool {
        let home = home(&self.place.env).and_then(|home| home.canonicalize().ok());
        home.is_some() && dir.canonicalize().ok() == home
    }

    /// The directory a new project would be made in.
    pub(crate) fn new_project_dir(&self) -> Result<PathBuf, OpError> {
        let dir = self.named_dir().unwrap_or_else(|| around(self.place.cwd.clone()));
        let real = dir
            .canonicalize()
            .map_err(|source| OpError::not_found(format!("no directory `{}`", self.shown(&dir))).caused_by(source))?;
        if !real.is_dir() {
            return Err(OpError::usage(format!("`{}` is not a directory", self.shown(&dir))));
        }
        if self.is_home(&real) {
            return Err(StoreError::HomeDirectory { path: dir }.into());
        }
        Ok(real)
    }

    /// The project above a directory, if it lies in one.
    pub(crate) fn project_around(&self, dir: &Path) -> Option<PathBuf> {
        discover(dir.parent()?, home(&self.place.env).as_deref())
    }

    /// The caller's home directory.
    pub(crate) fn home_dir(&self) -> Option<PathBuf> {
        home(&self.place.env)
    }

    /// Where the user store lies.
    pub(crate) fn user_dir(&self) -> Result<PathBuf, OpError> {
        let env = &self.place.env;
        let data = || env.base_dir("XDG_DATA_HOME", ".local/share");
        let chosen = env.path("HANDOFF_HOME").map(|dir| self.place.cwd.join(dir));
        chosen.or_else(|| Some(data()?.join("handoff"))).ok_or_else(|| StoreError::NoUserStore.into())
    }

    /// The user's configuration file.
    pub(crate) fn user_config_path(&self) -> Option<PathBuf> {
        self.place.user_config_dir().map(|dir| dir.join(handoff_store::CONFIG_FILE))
    }

    /// The directory of the store a pause of this request's own would stand in; `None` outside any project.
    pub(crate) fn project_store_dir(&self) -> Result<Option<PathBuf>, OpError> {
        Ok(match self.locate()? {
            Origin::Project(dir) => Some(dir.join(DIRECTORY)),
            Origin::User => None,
        })
    }

    pub(crate) fn is_user_store(&self) -> bool {
        self.opened.as_ref().is_some_and(|opened| opened.origin == Origin::User)
    }

    fn say_where(&mut self) {
        if self.is_user_store() {
            let dir = self.store().path().display().to_string();
            self.note(format!("no project here: this is your user store, {dir}; `handoff init` makes a project"));
        }
    }

    fn lock_wait(&self) -> Duration {
        Duration::from_secs(self.config().settings.lock_wait_seconds.get().into())
    }
}

fn nothing_here() -> OpError {
    OpError::not_found("no handoff project here or in a directory above, and nothing in your user store").hint(start())
}

/// The project around its own `.handoff` directory.
fn around(dir: PathBuf) -> PathBuf {
    if dir.ends_with(DIRECTORY) { dir.parent().unwrap_or(&dir).to_owned() } else { dir }
}

fn start() -> Hint {
    Hint::run::<Init>()
}

/// Hosts pass placeholders they did not fill in; those count as absent.
fn is_given(dir: &Path) -> bool {
    let text = dir.to_string_lossy();
    !text.is_empty() && !text.starts_with("${")
}

impl Environment {
    /// Where programs keep things of a sort: the directory that a variable names, else what is usual on this system.
    pub(crate) fn base_dir(&self, variable: &str, below_home: &str) -> Option<PathBuf> {
        self.path(variable).filter(|dir| dir.is_absolute()).or_else(|| {
            let home = home(self)?;
            Some(if cfg!(target_os = "macos") {
                home.join("Library/Application Support")
            } else if cfg!(windows) {
                self.path("APPDATA").unwrap_or_else(|| home.join("AppData/Roaming"))
            } else {
                home.join(below_home)
            })
        })
    }
}

pub(super) fn home(env: &Environment) -> Option<PathBuf> {
    env.path("HOME").or_else(|| env.path("USERPROFILE")).filter(|home| home.is_absolute())
}
