//! Which pauses stop a request, and telling who paused, since when and why.
//!
//! **Invariant:** a store's own pause stops what is written into it; the user's two stop all writing. Nothing is remembered
//! from one look to the next.

use std::path::{Path, PathBuf};

use handoff_model::pause::PausePlace;
use handoff_store::{Pause, PauseFile, PauseForm, Store};
use serde_json::{Value, json};

use super::acting::is_inside;
use super::opening::home;
use super::{Place, Project};
use crate::pause::UnpauseWriting;
use crate::{Breaks, Hint, OpError, visible};

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
        env.base_dir("XDG_CONFIG_HOME", ".config").map(|base| base.join("handoff"))
    }
}

impl Project {
    /// The pauses that stop this request from writing, as they are at this moment; before a store is open, the user's.
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
        if let Some(mut pause) = given.and_then(|file| file.look())
            && pauses.iter().all(|known| known.path != pause.path)
        {
            // The list that names the file may have come with a repository; what is in other people's files stays there.
            let is_near = is_inside(&self.place.cwd, &pause.path) || self.holds(&pause.path);
            if !is_near {
                pause.reason.clear();
            }
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
        match self.unpause_hint(pauses) {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }

    /// How these pauses are lifted; `None` where there is none.
    pub(crate) fn unpause_hint(&self, pauses: &[Pause]) -> Option<Hint> {
        let files: Vec<String> = pauses.iter().map(|pause| format!("`{}`", self.pause_shown(&pause.path))).collect();
        let by_hand = format!("remove {}; reading goes on", files.join(" and "));
        // No command knows of a file that only a configuration names.
        let is_given = |pause: &Pause| {
            let known = self.place.pause_files(self.store_if_open().map(Store::path));
            self.given_pause.as_ref() == Some(&pause.path) && known.iter().all(|file| file.path != pause.path)
        };
        match pauses {
            [] => None,
            [pause] if is_given(pause) => Some(Hint::say(by_hand)),
            _ => Some(Hint::for_person::<UnpauseWriting>(self.way_out(pauses), by_hand)),
        }
    }

    /// The request that lifts pauses.
    fn way_out(&self, pauses: &[Pause]) -> Value {
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

#[cfg(test)]
mod tests {
    use handoff_model::name::Layout;
    use handoff_store::{CONFIG_FILE, DIRECTORY, NewStore};

    use super::*;
    use crate::{Door, Environment, ErrorKind};

    /// A project in a directory of its own, and the three places where it can be paused.
    fn world() -> (tempfile::TempDir, Place, [PathBuf; 3]) {
        let dir = tempfile::tempdir().unwrap();
        let (home, app) = (dir.path().join("home"), dir.path().join("app"));
        let store = app.join(DIRECTORY);
        let new = NewStore { config: "[project]\nname = \"app\"\n", layout: Layout::Status, private: true };
        Store::create(&store, &new).unwrap();
        let env = Environment::new([("HOME", home.clone()), ("HANDOFF_HOME", home.join("own"))]);
        let files = [store, home.join("own"), home.join(AGENT_HANDOVER)].map(|dir| dir.join("PAUSE"));
        (dir, Place { cwd: app, env, ..Place::default() }, files)
    }

    fn pause(path: &Path) {
        let place = if path.parent().is_some_and(|dir| dir.ends_with(DIRECTORY)) {
            PausePlace::Project
        } else {
            PausePlace::User
        };
        PauseFile { place, path: path.to_owned() }.set(&handoff_model::pause::PauseNote::default()).unwrap();
    }

    #[test]
    fn a_pause_that_comes_at_the_last_moment_keeps_what_is_staged_from_being_written() {
        for which in 0..3 {
            let (_dir, place, files) = world();
            let mut project = Project::new(place, None, Door::Cli);
            project.open_for_writing().unwrap();
            project.lock("test").unwrap();
            let before = project.store().file(CONFIG_FILE).unwrap();
            project.store_mut().put_file(CONFIG_FILE, "[project]\nname = \"other\"\n".to_owned()).unwrap();
            pause(&files[which]);
            assert_eq!(project.commit().unwrap_err().kind(), ErrorKind::Paused, "{}", files[which].display());
            assert_eq!(project.store().file(CONFIG_FILE).unwrap(), before);
        }
    }

    #[test]
    fn a_pause_that_came_while_the_lock_was_waited_for_is_seen_once_it_is_taken() {
        for which in 0..3 {
            let (_dir, place, files) = world();
            let mut project = Project::new(place, None, Door::Cli);
            project.open_for_writing().unwrap();
            pause(&files[which]);
            assert_eq!(project.lock("test").unwrap_err().kind(), ErrorKind::Paused, "{}", files[which].display());
        }
    }

    #[test]
    fn every_pause_is_named_and_the_way_out_lifts_them_all() {
        let (_dir, place, files) = world();
        assert_eq!(place.pauses(Some(&place.cwd.join(DIRECTORY))), []);
        for file in &files {
            pause(file);
        }
        let project = Project::new(place, None, Door::Cli);
        let store = project.place.cwd.join(DIRECTORY);
        let error = project.refuse_paused_in(Some(&store)).unwrap_err();
        assert_eq!((error.message(), error.detail_lines().len()), ("writing is paused in 3 places", 3));
        let hint = &error.hints()[0];
        assert!(hint.at(Door::Cli).starts_with("run `handoff unpause --all`, or remove `.handoff/PAUSE` and `"));
        assert!(hint.at(Door::Mcp).starts_with("leave that to a person: ask them to run `handoff unpause --all`"));
        assert_eq!(project.refuse_paused().unwrap_err().detail_lines().len(), 2, "outside any store the user's count");
    }
}
