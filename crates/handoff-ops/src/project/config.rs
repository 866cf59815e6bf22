//! The configuration files a request sees, and writing them.

use std::cell::OnceCell;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use handoff_model::config::{Config, Resolved, Source, Sources, resolve};
use handoff_model::rev::Rev;
use handoff_model::secret::Allowed;
use handoff_store::{CONFIG_FILE, Stop, StoreError, UserFile};

use super::Project;
use crate::OpError;

/// The files and variables that have a say.
#[derive(Clone, Debug, Default)]
pub struct ConfigSources {
    pub user: Option<ConfigFile>,
    pub project: Option<ConfigFile>,
    /// Variables that begin with `HANDOFF_`
    pub env: Vec<(String, String)>,
    /// Files that cannot be read, and why
    pub unreadable: Vec<(ConfigLayer, String)>,
}

/// A configuration file as it stands.
#[derive(Clone, Debug)]
pub struct ConfigFile {
    pub path: PathBuf,
    pub text: String,
    pub rev: Rev,
}

/// Which file a change goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigLayer {
    User,
    Project,
}

/// A change of the user's file, made when the operation has succeeded.
pub(super) struct StagedUserConfig {
    before: Option<String>,
    after: String,
}

impl Project {
    /// What the configuration files and the environment say. A file that cannot be read says nothing, and is named.
    pub fn config_sources(&self) -> ConfigSources {
        let mut unreadable = Vec::new();
        let mut keep = |layer, file: Result<Option<ConfigFile>, StoreError>| {
            file.unwrap_or_else(|error| {
                unreadable.push((layer, OpError::from(error).sentence()));
                None
            })
        };
        let project = self.opened.as_ref().and_then(|opened| {
            let path = opened.store.path_of(CONFIG_FILE);
            // A failure of a moment must not make a session of a project without a name.
            let file = opened.store.file(CONFIG_FILE).or_else(|_| opened.store.file(CONFIG_FILE));
            keep(ConfigLayer::Project, file.map(|file| file.map(|(text, rev)| ConfigFile { path, text, rev })))
        });
        let user = match self.user_config_path() {
            // Outside any project, the user's file may be that of the user store; then it speaks for both.
            Some(path) if project.as_ref().is_some_and(|project| project.path == path) => project.clone(),
            Some(path) => {
                let text = UserFile::new(&path).read();
                let file = |text: String| ConfigFile { rev: Rev::of(text.as_bytes()), path, text };
                keep(ConfigLayer::User, text.map(|text| text.map(file)))
            }
            None => None,
        };
        let env = self.place.env.starting_with("HANDOFF_");
        let env = env.filter_map(|(name, value)| Some((name.to_owned(), value.to_str()?.to_owned()))).collect();
        ConfigSources { user, project, env, unreadable }
    }

    /// The layers of settings, with the files named as the caller would.
    pub(crate) fn layers(&self, sources: ConfigSources) -> Sources {
        let ConfigSources { user, project, env, unreadable: _ } = sources;
        let source = |file: ConfigFile| Source { path: self.shown(&file.path), text: file.text };
        Sources {
            user: user.map(source),
            project: project.map(source),
            environment: env,
            flags: self.place.settings.clone(),
        }
    }

    /// The settings in force, and where each comes from; the same for the whole request.
    pub fn resolved(&self) -> Arc<Resolved> {
        self.resolved.get_or_init(|| self.resolve(self.config_sources())).clone()
    }

    /// The settings that these sources make.
    pub(crate) fn resolve(&self, sources: ConfigSources) -> Arc<Resolved> {
        let layers = self.layers(sources);
        match &self.server_cache {
            Some(cache) => cache.resolved(layers),
            None => Arc::new(resolve(layers)),
        }
    }

    /// Tells which configuration files cannot be read.
    pub(crate) fn note_unreadable_config(&mut self) {
        let unreadable = self.config_sources().unreadable;
        self.notes.extend(unreadable.into_iter().map(|(_, why)| why));
    }

    /// Tells what is wrong with the settings; each wrong one is passed over.
    pub(crate) fn note_config_problems(&mut self) {
        let sources = self.config_sources();
        self.notes.extend(sources.unreadable.iter().map(|(_, why)| why.clone()));
        let resolved = self.resolve(sources);
        self.notes.extend(resolved.problems().map(ToString::to_string));
        self.resolved = OnceCell::from(resolved);
    }

    /// Refuses a setting given for this one request that cannot be used; elsewhere such a value is only passed over.
    pub(crate) fn check_given_settings(&self) -> Result<(), OpError> {
        if self.place.settings.is_empty() {
            return Ok(());
        }
        let given = resolve(Sources { flags: self.place.settings.clone(), ..Sources::default() });
        match given.problems().next() {
            None => Ok(()),
            Some(problem) => Err(OpError::usage(problem.reason.clone())),
        }
    }

    /// The settings in force. Files that cannot be read leave the defaults; asking for the configuration says why.
    pub fn config(&self) -> Config {
        self.resolved().config.clone()
    }

    /// The secrets that somebody let through: for all projects, for this one or for this request.
    pub fn allowed(&self) -> Allowed {
        let said = self.resolved().said(&["secrets", "allow"].map(str::to_owned));
        let listed = said.iter().filter_map(|said| said.value.as_array()).flatten();
        listed.filter_map(|fingerprint| fingerprint.as_str()?.parse().ok()).collect()
    }

    /// Stages the new text of a configuration file.
    pub fn stage_config(&mut self, which: ConfigLayer, text: String) -> Result<(), OpError> {
        match which {
            ConfigLayer::Project => Ok(self.store_mut().put_file(CONFIG_FILE, text)?),
            ConfigLayer::User => match self.user_config_path() {
                None => Err(StoreError::NoUserStore.into()),
                // Where the user store itself is open, its own lock and commit do it.
                Some(path) if path == self.store().path_of(CONFIG_FILE) => {
                    Ok(self.store_mut().put_file(CONFIG_FILE, text)?)
                }
                Some(path) => {
                    let before = UserFile::new(&path).read()?;
                    self.user_config = Some(StagedUserConfig { before, after: text });
                    Ok(())
                }
            },
        }
    }

    pub(super) fn commit_user_config(&mut self, stop: &Stop) -> Result<(), OpError> {
        let (Some(staged), Some(path)) = (self.user_config.take(), self.user_config_path()) else { return Ok(()) };
        Ok(UserFile::new(&path).write(staged.before, staged.after, Duration::from_secs(10), stop)?)
    }
}

impl From<io::Error> for OpError {
    fn from(source: io::Error) -> OpError {
        OpError::failure("input or output failed").caused_by(source)
    }
}
