//! Which projects there are: the known ones, the one at hand, and those that a search finds.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use handoff_model::config::Layer;
use handoff_store::{ProjectScan, Registry};

use super::Dashboard;
use crate::Project;
use crate::hint::quoted;

/// Where a project is, or was.
pub(super) struct ProjectPlace {
    pub(super) dir: PathBuf,
    /// The name it was known by
    pub(super) known_as: Option<String>,
}

/// Every project once, by its real path. What could not be looked at is told in the warnings.
pub(super) fn places(project: &Project, asked: &Dashboard, warnings: &mut Vec<String>) -> Vec<ProjectPlace> {
    let mut seen = BTreeSet::new();
    let mut places = Vec::new();
    let mut add = |dir: PathBuf, known_as: Option<String>| {
        let dir = dir.canonicalize().unwrap_or(dir);
        if seen.insert(dir.clone()) {
            places.push(ProjectPlace { dir, known_as });
        }
    };
    match project.user_dir().and_then(|user| Ok(Registry::read(&user)?)) {
        Ok(known) => {
            for known in known {
                add(known.path, Some(known.name));
            }
        }
        Err(error) => warnings.push(format!("the known projects are not listed: {}", error.sentence())),
    }
    if let Some(here) = project.store_if_open().and_then(|store| store.path().parent()) {
        add(here.to_owned(), None);
    }
    for dir in found(project, asked, warnings) {
        add(dir, None);
    }
    let home = project.home_dir().and_then(|home| home.canonicalize().ok());
    places.retain(|place| Some(&place.dir) != home.as_ref());
    places
}

/// The projects that a search finds, where one is asked for or set.
fn found(project: &Project, asked: &Dashboard, warnings: &mut Vec<String>) -> Vec<PathBuf> {
    let settings = project.config().dashboard;
    let given = asked.scan_dirs.iter().filter(|dir| !dir.trim().is_empty());
    let mut starts: Vec<PathBuf> = given.map(|dir| resolved(project, dir, &project.place.cwd)).collect();
    if starts.is_empty() {
        starts = configured(project, warnings);
    }
    if starts.is_empty() {
        return Vec::new();
    }
    let excluded = settings.exclude_patterns.iter().map(|name| name.as_str().to_owned());
    let scan = ProjectScan {
        exclude: excluded.chain(asked.exclude_patterns.iter().cloned()).collect(),
        max_depth: asked.max_depth.map_or_else(|| settings.max_depth.count(), |depth| depth.min(DEEPEST)),
        home: project.home_dir(),
    };
    let scanned = scan.run(&starts, || project.stop.is_due());
    warnings.extend(scanned.unusable.iter().map(|dir| format!("cannot search {}", dir.display())));
    match scanned.unreadable {
        0 => {}
        1 => warnings.push("one directory could not be looked into".to_owned()),
        several => warnings.push(format!("{several} directories could not be looked into")),
    }
    if scanned.cut_short {
        warnings.push("the search ended early: there may be more projects".to_owned());
    }
    scanned.projects
}

/// The directories to search that the configuration names.
///
/// A project's file may have come with a clone, so what it names counts only inside the project; all else is the user's
/// own choice. Where nothing is left of it, the next layer has its say.
fn configured(project: &Project, warnings: &mut Vec<String>) -> Vec<PathBuf> {
    let project_dir = project.store_if_open().and_then(|store| store.path().parent());
    // Relative paths count from the project on, wherever the caller is.
    let base = project_dir.unwrap_or(&project.place.cwd);
    let real_base = base.canonicalize().unwrap_or_else(|_| base.to_owned());
    let is_inside = |dir: &PathBuf| dir.canonicalize().is_ok_and(|real| real.starts_with(&real_base));
    for said in project.resolved().said(&["dashboard", "scan_dirs"].map(str::to_owned)) {
        let written = said.value.as_array().into_iter().flatten().filter_map(|dir| dir.as_str());
        let mut starts: Vec<PathBuf> = written.map(|dir| resolved(project, dir, base)).collect();
        if said.origin.layer == Layer::Project && !project.is_user_store() {
            starts.retain(|dir| {
                // One that is not there is reported when it is searched.
                let is_kept = is_inside(dir) || !dir.exists();
                if !is_kept {
                    warnings.push(format!(
                        "{} is not searched: the project's configuration may only name directories inside the \
                         project; to search it, run `handoff config set --user dashboard.scan_dirs {}`",
                        dir.display(),
                        quoted(&dir.display().to_string()),
                    ));
                }
                is_kept
            });
        }
        if !starts.is_empty() {
            return starts;
        }
    }
    Vec::new()
}

/// The deepest a search goes, whatever is asked for.
const DEEPEST: usize = 64;

/// A directory as it was written, with `~` for the home directory.
fn resolved(project: &Project, written: &str, base: &Path) -> PathBuf {
    let written = written.trim();
    let below_home = written.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with(['/', '\\']));
    match (below_home, project.home_dir()) {
        (Some(rest), Some(home)) => home.join(rest.trim_start_matches(['/', '\\'])),
        _ => base.join(written),
    }
}

impl ProjectPlace {
    /// The name of the directory, for a project that does not say what it is called.
    pub(super) fn fallback_name(&self) -> String {
        let name = self.dir.file_name().map(|name| name.to_string_lossy().into_owned());
        self.known_as.clone().or(name).unwrap_or_else(|| self.dir.display().to_string())
    }
}
