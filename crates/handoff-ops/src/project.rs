//! The surroundings an operation works in: everything it may know that is not in its request.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use handoff_model::agent::remembered_id;
use handoff_model::config::Resolved;
use handoff_model::id::{SessionId, TaskId};
use handoff_model::text::{BadText, Name};
use handoff_model::timer::Reading;
use handoff_model::when::Moment;
use handoff_store::git::Git;
use handoff_store::{Stop, Store};

use crate::{Door, OpError, ServerCache};

mod acting;
mod caller;
mod clock;
mod config;
mod desk;
mod opening;
mod pausing;

pub(crate) use acting::NamedPlaces;
pub use caller::{Caller, Connection};
use clock::Clock;
pub(crate) use clock::present_time;
use config::StagedUserConfig;
pub use config::{ConfigFile, ConfigLayer, ConfigSources};
pub use desk::{AskSecret, Choice, Confirm, Desk, Editor, Picker};
use opening::Opened;
pub(crate) use opening::{HOOK, USER_STORE_CONFIG};

/// What an operation is given to work with.
pub struct Project {
    /// Where it was asked to work.
    pub place: Place,
    /// Who the caller says is acting; found out where they say nothing.
    pub actor: Option<String>,
    /// The agent that asks, as far as it is known; sessions are kept apart by it.
    pub caller: Caller,
    /// The way the request came in. For the record only: outcomes are the same at every door.
    pub door: Door,
    /// What the caller can be asked for.
    pub desk: Desk,
    /// The program that runs, to be started again beside itself; absent where it is not known.
    pub executable: Option<PathBuf>,
    /// Told how a long operation gets on; absent where nobody is watching.
    pub progress: Option<Box<dyn FnMut(Progress)>>,
    /// Tells a request to stop, as long as it has changed nothing.
    pub stop: Stop,
    /// What a long-lived process remembers from one request to the next; absent where one request is all there is.
    pub server_cache: Option<Arc<ServerCache>>,
    clock: Clock,
    opened: Option<Opened>,
    /// The settings of this request, once they are known
    resolved: OnceCell<Arc<Resolved>>,
    /// The person, once looked up outside of the environment
    found_person: OnceCell<String>,
    user_config: Option<StagedUserConfig>,
    /// What the change is made for, once the lock is taken
    operation: &'static str,
    /// Whether a store is opened although it lost its settings
    pub(crate) mends: bool,
    /// Whether `current-state.md` must be made anew
    state_is_old: bool,
    /// One more file whose presence stops writing, for as long as a run is driven that names it
    pub(crate) given_pause: Option<PathBuf>,
    /// The same file as the list of steps names it that the current run follows
    pub(crate) declared_pause: Option<PathBuf>,
    /// Places that this very request names
    pub(crate) named: NamedPlaces,
    /// What the reader should know beside the outcome
    pub(crate) notes: Vec<String>,
}

impl Project {
    /// A project that nobody watches.
    pub fn new(place: Place, actor: Option<String>, door: Door) -> Project {
        let clock = Clock::of(&place.env);
        let agent_session = place.env.text("CLAUDE_CODE_SESSION_ID").map(|id| remembered_id(id).into_owned());
        let caller = Caller { agent_session, ..Caller::default() };
        Project {
            place,
            actor,
            caller,
            door,
            desk: Desk::default(),
            executable: None,
            progress: None,
            stop: Stop::never(),
            server_cache: None,
            clock,
            opened: None,
            resolved: OnceCell::new(),
            found_person: OnceCell::new(),
            user_config: None,
            operation: "",
            mends: false,
            state_is_old: false,
            given_pause: None,
            declared_pause: None,
            named: NamedPlaces::default(),
            notes: Vec::new(),
        }
    }

    /// The store that was opened for this request.
    pub fn store(&self) -> &Store {
        &self.opened.as_ref().expect("dispatch opens the store before an operation runs").store
    }

    /// The store, where a request may do without one.
    pub(crate) fn store_if_open(&self) -> Option<&Store> {
        self.opened.as_ref().map(|opened| &opened.store)
    }

    /// The store, for staging changes; they are committed together when the operation has succeeded.
    pub fn store_mut(&mut self) -> &mut Store {
        &mut self.opened.as_mut().expect("dispatch opens the store before an operation runs").store
    }

    /// The moment of this request; the same however long it takes.
    pub fn now(&self) -> Moment {
        self.clock.instant.in_seconds()
    }

    /// The same to the millisecond, for what is put in order by it.
    pub fn instant(&self) -> Moment {
        self.clock.instant
    }

    /// What wall and machine clock say by now: not when this was asked for, since others may have gone first.
    pub(crate) fn reading(&self) -> Reading {
        self.clock.reading()
    }

    /// As long as this request waits for somebody whom others would wait so long for.
    pub fn patient(&self, usual: Duration) -> Duration {
        self.clock.patient(usual)
    }

    /// An id that no task has had.
    pub fn new_task_id(&mut self) -> TaskId {
        self.clock.new_task_id()
    }

    /// An id for a new session.
    pub fn new_session_id(&mut self) -> SessionId {
        self.clock.new_session_id()
    }

    /// Who acts, as written into history and notes: the one who is named, else the tool that asks, else the person.
    pub fn by(&self) -> Result<String, OpError> {
        let env = &self.place.env;
        if let Some(named) = self.actor.as_deref().or_else(|| env.text("HANDOFF_ACTOR")) {
            let name: Name = named.parse().map_err(|error: BadText| {
                OpError::usage("the name of who is acting cannot be used").caused_by(error)
            })?;
            return Ok(name.into());
        }
        let tool = self.caller.tool.as_deref().and_then(|tool| tool.parse::<Name>().ok());
        Ok(tool.map_or_else(|| self.person(), String::from))
    }

    /// The person whose machine it is: the one the settings name, else the login name in the environment, else
    /// the one git names, else the login name the system knows.
    pub fn person(&self) -> String {
        if let Some(name) = self.config().user.name {
            return name.into();
        }
        let env = &self.place.env;
        let login = ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| env.text(name)?.parse::<Name>().ok());
        login.map_or_else(|| self.person_without_login().to_owned(), String::from)
    }

    /// The person where the environment names nobody, as in many containers. Looked up once, since git is started.
    fn person_without_login(&self) -> &str {
        const GIT_LIMIT: Duration = Duration::from_millis(300);
        self.found_person.get_or_init(|| {
            let dir = self.dir().unwrap_or_else(|| self.place.cwd.clone());
            let name = Git::user_name(&dir, self.patient(GIT_LIMIT)).and_then(|name| name.parse::<Name>().ok());
            let name = name.or_else(|| handoff_store::login_name()?.parse().ok());
            name.map_or_else(|| "unknown".to_owned(), String::from)
        })
    }

    /// The person a session belongs to: whoever is named as acting, else the person whose machine it is.
    pub fn author(&self) -> Result<String, OpError> {
        let is_named = self.actor.is_some() || self.place.env.text("HANDOFF_ACTOR").is_some();
        if is_named { self.by() } else { Ok(self.person()) }
    }

    /// The name of the project, or that of its directory.
    pub fn name(&self) -> String {
        let directory = || self.dir().and_then(|dir| Some(dir.file_name()?.to_string_lossy().into_owned()));
        let name = self.config().project.name.map(String::from);
        name.or_else(directory).unwrap_or_else(|| "project".to_owned())
    }

    /// Has `current-state.md` made anew when the change is committed.
    pub(crate) fn rebuild_current_state(&mut self) {
        self.state_is_old = true;
    }

    /// A path as the caller would write it: relative to where they are, where that is shorter.
    pub fn shown(&self, path: &Path) -> String {
        match path.strip_prefix(&self.place.cwd) {
            Ok(here) if here.as_os_str().is_empty() => ".".to_owned(),
            Ok(below) => below.display().to_string(),
            Err(_) => path.display().to_string(),
        }
    }

    /// Adds something the reader should know beside the outcome.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Says how far a long operation has come. Cheap enough to call for every record.
    pub fn report_progress(&mut self, what: &'static str, done: usize, total: Option<usize>) {
        if let Some(progress) = &mut self.progress {
            progress(Progress { what, done, total });
        }
    }
}

/// Where a request came from, before any project was looked for.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// The directory the caller named, if one was named.
    pub project_dir: Option<PathBuf>,
    /// The directory the caller is in.
    pub cwd: PathBuf,
    /// The caller's environment.
    pub env: Environment,
    /// Settings for this one request: dotted keys and their values.
    pub settings: Vec<(String, String)>,
}

/// How far a long operation has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What is going on, such as `converting tasks`.
    pub what: &'static str,
    pub done: usize,
    pub total: Option<usize>,
}

/// A snapshot of the environment variables handoff reads, taken once at the door; of all others only that they are there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    known: BTreeMap<String, OsString>,
    /// The names of those that are set to something
    names: BTreeSet<String>,
}

/// Variables of others that matter to handoff; its own begin with `HANDOFF_`.
const READ: &[&str] = &[
    "APPDATA",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_PID",
    "CLAUDE_PROJECT_DIR",
    "CLICOLOR_FORCE",
    "CLINE_DATA_DIR",
    "CLINE_DIR",
    "CLINE_MCP_SETTINGS_PATH",
    "CLINE_SESSION_DATA_DIR",
    "CODEX_HOME",
    "CODEX_SESSION_ID",
    "CODEX_THREAD_ID",
    "COLUMNS",
    "COPILOT_HOME",
    "CURSOR_CONFIG_DIR",
    "EDITOR",
    "GEMINI_CLI_HOME",
    "GEMINI_SESSION_ID",
    "HOME",
    "LOCALAPPDATA",
    "LOGNAME",
    "NO_COLOR",
    "OPENCODE_CONFIG_DIR",
    "OPENCODE_DB",
    "PATH",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "USER",
    "USERNAME",
    "USERPROFILE",
    "VISUAL",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
];

impl Environment {
    /// Keeps the variables handoff knows.
    pub fn new<K: Into<OsString>, V: Into<OsString>>(variables: impl IntoIterator<Item = (K, V)>) -> Environment {
        let known = |name: &str| name.starts_with("HANDOFF_") || READ.contains(&name);
        let mut environment = Environment::default();
        for (name, value) in variables {
            let (Ok(name), value) = (name.into().into_string(), value.into()) else { continue };
            if !value.is_empty() {
                environment.names.insert(name.clone());
            }
            if known(&name) {
                environment.known.insert(name, value);
            }
        }
        environment
    }

    /// Whether a variable is set to something, be it one that handoff reads or another.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The value of a variable; an empty one counts as absent.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.known.get(name).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// The value as text; one that is not UTF-8 counts as absent.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(OsStr::to_str)
    }

    /// Takes a variable out.
    pub fn remove(&mut self, name: &str) {
        self.known.remove(name);
        self.names.remove(name);
    }

    /// The value as a path.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from)
    }

    /// The variables that begin with `prefix`, in alphabetical order.
    pub fn starting_with<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a OsStr)> {
        self.known
            .iter()
            .filter(move |(name, value)| name.starts_with(prefix) && !value.is_empty())
            .map(|(name, value)| (name.as_str(), value.as_os_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_keeps_only_what_is_read() {
        let env = Environment::new([("HANDOFF_ACTOR", "codex"), ("SECRET_KEY", "x"), ("USER", ""), ("HOME", "/h")]);
        assert_eq!(env.text("HANDOFF_ACTOR"), Some("codex"));
        assert_eq!(env.get("SECRET_KEY"), None);
        assert_eq!(env.get("USER"), None, "an empty value counts as absent");
        assert_eq!(env.path("HOME"), Some(PathBuf::from("/h")));
        assert_eq!(env.starting_with("HANDOFF_").count(), 1);
    }
}
