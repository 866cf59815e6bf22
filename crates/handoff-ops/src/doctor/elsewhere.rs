//! What is known outside the files of the store: what git has of them, and which projects are gone.

use std::time::Duration;

use handoff_model::config::new_file;
use handoff_model::heal::Kind;
use handoff_model::name::Layout;
use handoff_store::git::{Asked, Git};
use handoff_store::{CONFIG_FILE, Circumstances, DIRECTORY, KnownVersion};

use super::gone_projects;
use crate::place::default_name;
use crate::project::USER_STORE_CONFIG;
use crate::{OpError, Project};

/// The file of a task.
const TASK_FILE: &str = "task.toml";
/// How long git may take for an answer.
const GIT_WAIT: Duration = Duration::from_secs(5);
/// For how many files that cannot be read git is asked.
const MOST_FILES: usize = 50;

/// Finds out what the files do not say.
pub(super) fn circumstances(project: &mut Project) -> Result<Circumstances, OpError> {
    let mut around = Circumstances::at(project.now());
    around.gone = gone_projects(project);
    let git = project.dir().and_then(|dir| Git::around(&dir));
    match git.as_ref().map(|git| git.tracked_below(DIRECTORY, GIT_WAIT)) {
        Some(Asked::Answer(paths)) => {
            let is_shared = project.store().layout() == Layout::Stable;
            let is_local = |path: &str| path.starts_with("local/") || matches!(path, "PAUSE" | "current-state.md");
            around.tracked = paths.into_iter().filter(|path| !is_shared || is_local(path)).collect();
        }
        Some(Asked::Skipped(why)) => project.note(format!("what git has of the store was not looked at: {why}")),
        None => {}
    }
    let findings = project.store().first_look(&around)?.into_iter();
    let lost = findings.filter_map(|finding| match finding.kind {
        Kind::WrongKind | Kind::Orphan if finding.path.starts_with("tasks/") && !finding.path.ends_with(TASK_FILE) => {
            Some(format!("{}/{TASK_FILE}", finding.path))
        }
        Kind::Unparseable | Kind::MisspelledKey | Kind::LostBody | Kind::WrongKind => Some(finding.path),
        _ => None,
    });
    let mut spoiled: Vec<String> = lost.take(MOST_FILES).collect();
    spoiled.extend(project.store().lost_files()?);
    spoiled.dedup();
    around.versions = project.store().logged_versions(&spoiled)?;
    match project.store().file(CONFIG_FILE) {
        Ok(Some((text, _))) if text.trim().is_empty() => {
            around.versions.extend(project.store().logged_versions(&[CONFIG_FILE.to_owned()])?);
        }
        Ok(Some(_)) => {}
        _ => {
            let settings = lost_settings(project)?;
            around.versions.insert(CONFIG_FILE.to_owned(), settings);
        }
    }
    for path in spoiled.into_iter().filter(|_| git.is_some()) {
        let committed = git.as_ref().map(|git| git.committed(&format!("{DIRECTORY}/{path}"), GIT_WAIT));
        if let (Some(Asked::Answer(Some(text))), false) = (committed, around.versions.contains_key(&path)) {
            let from = format!("the last commit: `git restore -s HEAD -- {DIRECTORY}/{path}`");
            around.versions.insert(path, KnownVersion { text, from, is_last: false });
        }
    }
    Ok(around)
}

/// What `config.toml` said, or would say in a new project.
fn lost_settings(project: &Project) -> Result<KnownVersion, OpError> {
    let mut logged = project.store().logged_versions(&[CONFIG_FILE.to_owned()])?;
    if let Some(known) = logged.remove(CONFIG_FILE).filter(|known| toml::from_str::<toml::Table>(&known.text).is_ok()) {
        return Ok(known);
    }
    let text = match project.dir() {
        Some(dir) => new_file(&default_name(&dir), None, project.store().layout()),
        None => USER_STORE_CONFIG.to_owned(),
    };
    Ok(KnownVersion { text, from: "the defaults".to_owned(), is_last: false })
}
