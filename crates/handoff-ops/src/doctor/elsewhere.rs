//! What is known outside the files of the store: what git has of them, and which projects are gone.

use std::time::Duration;

use handoff_model::heal::Kind;
use handoff_model::name::Layout;
use handoff_store::git::{Asked, Git};
use handoff_store::{Circumstances, DIRECTORY, KnownVersion};

use super::gone_projects;
use crate::{OpError, Project};

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
    let findings = project.store().examine(&around)?.into_iter();
    let spoiled = findings.filter(|finding| finding.kind == Kind::Unparseable).map(|finding| finding.path);
    let spoiled: Vec<String> = spoiled.take(MOST_FILES).collect();
    around.versions = project.store().logged_versions(&spoiled)?;
    for path in spoiled.into_iter().filter(|_| git.is_some()) {
        let committed = git.as_ref().map(|git| git.committed(&format!("{DIRECTORY}/{path}"), GIT_WAIT));
        if let (Some(Asked::Answer(Some(text))), false) = (committed, around.versions.contains_key(&path)) {
            let from = format!("the last commit: `git restore -s HEAD -- {DIRECTORY}/{path}`");
            around.versions.insert(path, KnownVersion { text, from, is_last: false });
        }
    }
    Ok(around)
}
