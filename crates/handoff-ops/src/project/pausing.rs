//! Which pauses stop a request, and telling who paused, since when and why.
//!
//! **Invariant:** a store's own pause stops what is written into it; the user's two stop all writing. Nothing is remembered
//! from one look to the next.

use std::path::{Path, PathBuf};

use handoff_model::pause::PausePlace;
use handoff_store::{Pause, PauseFile, PauseForm, Store};
use serde_json::{Value, json};

use super::opening::home;
use super::{Place, Project};
use crate::pause::UnpauseWriting;
use crate::{Breaks, Door, Hint, OpError, visible};

/// Where agent-handover looks for its pause, in the home directory.
const AGENT_HANDOVER: &str = ".agent_handover";

impl Place {
    /// The pauses that stop writing in the store of a directory, or writing at all where none is given. At most three
    /// looks at the disk; no store is opened.
    pub fn pauses(&self, store_dir: Option<&Path>) -> Vec<Pause> {
        self.pause_files(store_dir).iter().filter_map(PauseFile::look).collect()
    }

    /// Where those pauses would stand.
    pub(crate) fn pause_files(&self, store_dir: Option<&Path>) -> Vec<PauseFile> {
        let mut files = self.user_pause_files();
        // The user store may lie where the user's settings do; then one file speaks for both.
        if let Some(own) = store_dir.map(|dir| PauseFile::within(PausePlace::Project, dir))
            && files.iter().all(|file| file.path != own.path)
        {
            files.insert(0, own);
        }
        files
    }

    fn user_pause_files(&self) -> Vec<PauseFile> {
        let config = self.user_config_dir().map(|dir| PauseFile::within(PausePlace::User, &dir));
        let theirs = home(&self.env).map(|home| home.join(AGENT_HANDOVER));
        let theirs = theirs.map(|dir| PauseFile::within(PausePlace::AgentHandover, &dir));
        config.into_iter().chain(theirs).collect()
    }

    /// The directory of the user's configuration.
    pub(crate) fn user_config_dir(&self) -> Option<PathBuf> {
        let env = &self.env;
        if let Some(dir) = env.path("HANDOFF_HOME") {
            return Some(self.cwd.join(dir));
        }
        let base = env.path("XDG_CONFIG_HOME").filter(|dir| dir.is_absolute()).or_else(|| {
            let home = home(env)?;
            Some(if cfg!(target_os = "macos") {
                home.join("Library/Application Support")
            } else if cfg!(windows) {
                env.path("APPDATA").unwrap_or_else(|| home.join("AppData/Roaming"))
            } else {
                home.join(".config")
            })
        });
        base.map(|base| base.join("handoff"))
    }
}

impl Project {
    /// The pauses that stop this request from writing, as they are at this moment.
    pub fn pauses(&self) -> Vec<Pause> {
        self.pauses_in(self.store_if_open().map(Store::path))
    }

    /// Refuses to write while a pause is in force: one of the store that is open, or of the user's.
    pub(crate) fn refuse_paused(&self) -> Result<(), OpError> {
        self.refuse_paused_in(self.store_if_open().map(Store::path))
    }

    /// The same for a store that is not open, or for what is written outside any.
    pub(crate) fn refuse_paused_in(&self, store_dir: Option<&Path>) -> Result<(), OpError> {
        let pauses = self.pauses_in(store_dir);
        if pauses.is_empty() { Ok(()) } else { Err(self.paused(&pauses)) }
    }

    fn pauses_in(&self, store_dir: Option<&Path>) -> Vec<Pause> {
        let mut pauses = self.place.pauses(store_dir);
        let given = self.given_pause.clone().map(|path| PauseFile { place: PausePlace::AgentHandover, path });
        if let Some(pause) = given.and_then(|file| file.look())
            && pauses.iter().all(|known| known.path != pause.path)
        {
            pauses.push(pause);
        }
        pauses
    }

    fn paused(&self, pauses: &[Pause]) -> OpError {
        let error = match pauses {
            [pause] if pause.reason.is_empty() => OpError::paused("writing is paused"),
            [pause] => OpError::paused(format!("writing is paused: {}", visible(&pause.reason, Breaks::Mark))),
            several => OpError::paused(format!("writing is paused in {} places", several.len())),
        };
        let lines = pauses.iter().map(|pause| match pauses {
            [_] => self.whence(self.what_stops(pause), pause),
            _ => self.told(pause),
        });
        let error = error.details(lines);
        let files: Vec<String> = pauses.iter().map(|pause| format!("`{}`", self.pause_shown(&pause.path))).collect();
        let files = files.join(" and ");
        if self.door == Door::Mcp {
            let lift = Hint::run_with::<UnpauseWriting>(self.way_out(pauses)).at(Door::Cli);
            return error.hint(Hint::say(format!(
                "only a person lifts a pause: leave it, and ask them to {lift} or to remove {files}; reading goes on"
            )));
        }
        error
            .hint(Hint::run_with::<UnpauseWriting>(self.way_out(pauses)))
            .hint(Hint::say(format!("or remove {files} by hand; reading goes on meanwhile")))
    }

    /// The request that lifts pauses.
    pub(crate) fn way_out(&self, pauses: &[Pause]) -> Value {
        let mut request = match pauses {
            [Pause { place: PausePlace::Project, .. }] => json!({}),
            [Pause { place: PausePlace::User, .. }] => json!({"user": true}),
            _ => json!({"all": true}),
        };
        let is_of_project = pauses.iter().any(|pause| pause.place == PausePlace::Project);
        if let Some(dir) = self.place.project_dir.as_ref().filter(|_| is_of_project) {
            request["project_dir"] = json!(dir.display().to_string());
        }
        request
    }

    /// A pause in one line, for those who go on reading.
    pub(crate) fn told(&self, pause: &Pause) -> String {
        self.told_of(self.what_stops(pause), pause)
    }

    /// The same about something that has a name of its own.
    pub(crate) fn told_of(&self, what: &str, pause: &Pause) -> String {
        let whence = self.whence(what, pause);
        if pause.reason.is_empty() {
            return whence;
        }
        format!("{whence}: {}", visible(&pause.reason, Breaks::Mark))
    }

    fn what_stops(&self, pause: &Pause) -> &'static str {
        match pause.place {
            PausePlace::Project if self.is_project_file(&pause.path) => "this project",
            PausePlace::Project => "your user store",
            PausePlace::User => "all your projects",
            PausePlace::AgentHandover => "agent-handover and handoff",
        }
    }

    /// What is paused, by which file, by whom and since when.
    fn whence(&self, what: &str, pause: &Pause) -> String {
        let file = self.pause_shown(&pause.path);
        let form = match &pause.form {
            PauseForm::File => String::new(),
            PauseForm::Directory => ", a directory".to_owned(),
            PauseForm::Link => ", a symbolic link".to_owned(),
            PauseForm::Other => ", no ordinary file".to_owned(),
            PauseForm::Hidden(why) => format!(", which cannot be looked at: {why}"),
        };
        let by = pause
            .by
            .as_deref()
            .map_or_else(|| "by somebody unknown".to_owned(), |by| format!("by {}", visible(by, Breaks::Mark)));
        let since = pause.since.map(|since| format!(" since {since}")).unwrap_or_default();
        format!("{what} (`{file}`{form}) {by}{since}")
    }

    fn is_project_file(&self, path: &Path) -> bool {
        let user = self.user_dir().ok();
        user.is_none_or(|user| path.parent() != Some(user.as_path()))
    }

    /// The file of a pause, as it can be shown.
    pub(crate) fn pause_shown(&self, path: &Path) -> String {
        visible(&self.shown(path), Breaks::Mark).into_owned()
    }

    /// The pauses in force, a line each.
    pub(crate) fn pause_lines(&self) -> Vec<String> {
        self.pauses().iter().map(|pause| format!("writing is paused for {}", self.told(pause))).collect()
    }

    /// Tells a reader that nothing can be written, and why.
    pub(crate) fn note_pauses(&mut self) {
        let lines = self.pause_lines();
        self.notes.extend(lines);
    }
}
