//! Filters over memories: kind, tags, path, branch, and whether they are in force.

use std::path::Path;

use handoff_model::governed::{Pattern, is_at_or_below};
use handoff_model::memory::{MemoryKind, MemoryRecord};

use crate::Project;
use crate::agent::inside;

/// What memories must be like; an empty field asks for nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryFilter {
    pub(crate) kinds: Vec<MemoryKind>,
    pub(crate) tags: Vec<String>,
    /// A memory limited to paths must apply to one of these
    pub(crate) paths: Vec<String>,
    pub(crate) branch: Option<String>,
    pub(crate) with_retired: bool,
}

impl MemoryFilter {
    pub(crate) fn accepts(&self, memory: &MemoryRecord) -> bool {
        let has_tag = |wanted: &String| memory.tags.iter().any(|tag| tag.eq_ignore_ascii_case(wanted));
        (self.with_retired || memory.is_in_force())
            && (self.kinds.is_empty() || self.kinds.contains(&memory.kind))
            && self.tags.iter().all(has_tag)
            && (self.paths.is_empty() || memory.paths.is_empty() || governs(memory, &self.paths))
            && (self.branch.is_none() || memory.applies_on(self.branch.as_deref()))
    }
}

/// Returns whether a memory applies to one of these paths: they are in its scope, or have something of it in them.
pub(crate) fn governs(memory: &MemoryRecord, paths: &[String]) -> bool {
    memory.paths.iter().map(|scope| plain(scope)).filter(|scope| !scope.is_empty()).any(|scope| {
        let is_glob = scope.contains(['*', '?', '[', '{']);
        let pattern = is_glob.then(|| Pattern::new(scope, ""));
        let is_inside = |path: &str| match &pattern {
            Some(pattern) => pattern.governs(path),
            None => is_at_or_below(scope, path),
        };
        paths.iter().map(|path| plain(path)).any(|path| is_inside(path) || is_at_or_below(path, scope))
    })
}

/// A path without what makes no difference.
fn plain(path: &str) -> &str {
    path.trim().trim_start_matches("./").trim_end_matches('/')
}

/// Paths as the project writes them: relative to its directory where they are inside it. The directory itself is no limit.
pub(crate) fn relative_paths(project: &Project, paths: &[String]) -> Vec<String> {
    let dir = project.dir();
    let is_project = |path: &Path| dir.as_ref().is_some_and(|dir| path == dir);
    let relative = |written: &String| {
        let path = Path::new(written.trim());
        if !path.is_absolute() {
            return written.clone();
        }
        if is_project(path) { String::new() } else { inside(project, path).unwrap_or_else(|| written.clone()) }
    };
    paths.iter().map(relative).filter(|path| !matches!(plain(path), "" | ".")).collect()
}

/// The branch that the work tree of the project is on.
pub(crate) fn current_branch(project: &Project) -> Option<String> {
    project.git().and_then(|git| git.head().branch)
}
