//! The one way a configuration file is changed: checked as a whole, then staged, with everything else left as it stands.

use std::path::PathBuf;

use handoff_model::config::{Assignment, Layer, Resolved, resolve};
use handoff_model::document::Unreadable;
use handoff_model::rev::Rev;
use handoff_store::StoreError;

use super::set::Changed;
use super::unreadable;
use crate::{ConfigFile, ConfigLayer, ConfigSources, Hint, OpError, Project};

/// Which file a change goes to.
pub(crate) struct Target {
    pub(crate) layer: Layer,
    file: ConfigLayer,
    path: PathBuf,
}

/// What a change comes to.
pub(crate) struct Edited {
    /// The file, as the caller would name it
    pub(crate) file: String,
    pub(crate) rev: Rev,
    /// Whether it says something else than before
    pub(crate) is_new: bool,
    pub(crate) before: Resolved,
    pub(crate) after: Resolved,
    layer: Layer,
}

/// Edits the text of a configuration file and stages it, unless it is no longer at the revision the caller saw.
pub(crate) fn change(
    project: &mut Project,
    target: &Target,
    if_rev: Option<Rev>,
    edit: impl FnOnce(&str) -> Result<String, Unreadable>,
) -> Result<Edited, OpError> {
    let sources = project.config_sources();
    if let Some((_, why)) = sources.unreadable.iter().find(|(layer, _)| *layer == target.file) {
        return Err(OpError::failure(why).hint(Hint::say("move that away, and try again")));
    }
    let (text, rev) = target.present(&sources);
    if let Some(expected) = if_rev.filter(|expected| *expected != rev) {
        let what = project.shown(&target.path);
        return Err(StoreError::Changed { what, expected, found: rev }.into());
    }
    let edited = edit(&text).map_err(|error| unreadable(project, &target.path, error))?;

    let before = resolve(project.layers(sources.clone()));
    let rev = Rev::of(edited.as_bytes());
    let after = resolve(project.layers(target.with(sources, &edited, rev)));
    check_time_zone(&before, &after)?;
    let (file, is_new) = (project.shown(&target.path), edited != text);
    if is_new {
        project.stage_config(target.file, edited)?;
    }
    Ok(Edited { file, rev, is_new, before, after, layer: target.layer })
}

/// Whether a time zone exists is known to the machine's list of them, not to the settings.
fn check_time_zone(before: &Resolved, after: &Resolved) -> Result<(), OpError> {
    let zone = after.config.calendar.time_zone.as_ref();
    match zone.filter(|_| zone != before.config.calendar.time_zone.as_ref()) {
        Some(zone) if jiff::tz::TimeZone::get(zone.as_str()).is_err() => {
            Err(OpError::usage(format!("there is no time zone `{}` on this machine", zone.as_str()))
                .hint(Hint::say("write it as the time zone database does, such as `Europe/Berlin`")))
        }
        _ => Ok(()),
    }
}

impl Target {
    /// The user's own file where that is asked for, and outside any project.
    pub(crate) fn of(project: &Project, user: bool) -> Result<Target, OpError> {
        let own = project.store().path_of(handoff_store::CONFIG_FILE);
        // Outside any project, what is set is meant for all of them.
        if !user && !project.is_user_store() {
            return Ok(Target { layer: Layer::Project, file: ConfigLayer::Project, path: own });
        }
        let path = project.user_config_path().ok_or_else(|| OpError::from(StoreError::NoUserStore))?;
        // The user's file may be that of the store at hand, whose lock is already held.
        let file = if path == own { ConfigLayer::Project } else { ConfigLayer::User };
        Ok(Target { layer: Layer::User, file, path })
    }

    /// The file as it stands; one that does not exist yet is empty.
    fn present(&self, sources: &ConfigSources) -> (String, Rev) {
        let file = match self.file {
            ConfigLayer::Project => &sources.project,
            ConfigLayer::User => &sources.user,
        };
        file.as_ref().map_or_else(|| (String::new(), Rev::of(b"")), |file| (file.text.clone(), file.rev))
    }

    /// The layers as they are with the new text.
    fn with(&self, mut sources: ConfigSources, text: &str, rev: Rev) -> ConfigSources {
        let file = ConfigFile { path: self.path.clone(), text: text.to_owned(), rev };
        if sources.user.as_ref().is_some_and(|user| user.path == file.path) || self.file == ConfigLayer::User {
            sources.user = Some(file.clone());
        }
        if self.file == ConfigLayer::Project {
            sources.project = Some(file);
        }
        sources
    }
}

impl Edited {
    /// What the change does to the values in force, and where it does nothing.
    pub(crate) fn compare(&self, assignments: &[Assignment]) -> (Vec<Changed>, Vec<String>) {
        let mut warnings = Vec::new();
        let mut changed = Vec::new();
        for assignment in assignments {
            let (path, key) = (&assignment.path, assignment.name());
            let origin = self.after.origin(path);
            if assignment.value.is_some() && origin.layer > self.layer {
                warnings.push(format!("`{key}` is written down, but {origin} counts before it"));
            }
            changed.push(Changed { key, before: self.before.value(path), value: self.after.value(path), origin });
        }
        (changed, warnings)
    }
}
