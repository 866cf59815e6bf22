//! What agent-handover's own readers and settings need: its checkpoint beside ours, and its paths below the project.

use std::path::{Component, Path, PathBuf};

use handoff_engine::Status;
use handoff_model::handover::{Action, Compatible, Handover, TheirCheckpoint};
use handoff_store::{NewFile, change_outside, read_outside};

use super::kept::HandoverRun;
use crate::{OpError, Project};

/// Where that tool keeps its checkpoint, below the working directory.
pub(super) const CHECKPOINT: &str = ".agent-handover/checkpoint.json";

/// Writes a run down as that tool would, where somebody asked for it. Nothing is touched that says the same already.
pub(super) fn write(run: &HandoverRun) -> Result<(), OpError> {
    let Some(path) = &run.inputs.compatible_checkpoint else { return Ok(()) };
    let fail = |source| {
        OpError::failure(format!("agent-handover's checkpoint `{}` cannot be written", path.display()))
            .caused_by(source)
    };
    let text = theirs(run).text();
    let before = read_outside(path).map_err(fail)?;
    if before.as_deref() == Some(text.as_bytes()) {
        return Ok(());
    }
    change_outside(path, before.as_deref(), Some(text.as_bytes()), NewFile::Usual).map_err(fail)
}

/// A run in that tool's words.
pub(super) fn theirs(run: &HandoverRun) -> TheirCheckpoint {
    let status = match run.status {
        Status::InProgress | Status::CarriedOver => TheirCheckpoint::in_progress(),
        Status::Completed => TheirCheckpoint::completed(),
        Status::Abandoned => TheirCheckpoint::none(),
    };
    let is_over = run.status == Status::Completed;
    TheirCheckpoint {
        status,
        steps: run.steps.iter().map(|track| (track.step.id.clone(), track.is_over())).collect(),
        started_at: Some(TheirCheckpoint::time(run.started_at)),
        finished_at: run.finished_at.filter(|_| is_over).map(TheirCheckpoint::time),
    }
}

/// Makes the paths of that tool's settings begin at the project. One that leads elsewhere is refused with its reason.
pub(super) fn adapt(handover: &mut Handover, project_dir: &Path) -> Result<(), String> {
    if handover.compatible.is_none() {
        return Ok(());
    }
    for step in &mut handover.steps {
        match &mut step.act.action {
            Action::Mirror(mirror) => {
                if let Some(to) = &mut mirror.to {
                    *to = below(project_dir, "memory_dir", to)?;
                }
            }
            Action::Publish(publish) => {
                for path in publish.paths.iter_mut().flatten() {
                    *path = below(project_dir, "paths", path)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// A path below the project, relative to it.
fn below(project_dir: &Path, key: &str, path: &str) -> Result<String, String> {
    let refused = || format!("`{key}` must lie in `{}`, and `{path}` does not", project_dir.display());
    let given = Path::new(path);
    let relative = if given.is_absolute() {
        let real = project_dir.canonicalize().unwrap_or_else(|_| project_dir.to_owned());
        let inner = given.strip_prefix(project_dir).or_else(|_| given.strip_prefix(&real));
        inner.map_err(|_| refused())?.to_owned()
    } else {
        given.to_owned()
    };
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if path.trim().is_empty() || path.contains('\0') || !relative.components().all(is_plain) {
        return Err(refused());
    }
    let parts = relative.components().filter(|part| matches!(part, Component::Normal(_)));
    let written: PathBuf = parts.collect();
    let written = written.to_str().ok_or_else(refused)?.replace('\\', "/");
    Ok(if written.is_empty() { ".".to_owned() } else { written })
}

/// A file that a person named in that tool's settings: `~` is their home, and what is relative begins where they are.
pub(super) fn pause_file(project: &Project, settings: Option<&Compatible>) -> Option<PathBuf> {
    let written = settings?.pause_file.as_deref().filter(|path| !path.trim().is_empty())?;
    Some(match (written.strip_prefix("~/"), project.home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => project.place.cwd.join(written),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_at_the_project_or_are_refused() {
        let dir = Path::new("/work/app");
        assert_eq!(below(dir, "memory_dir", "memory/").unwrap(), "memory");
        assert_eq!(below(dir, "memory_dir", "./a/./b").unwrap(), "a/b");
        assert_eq!(below(dir, "memory_dir", "/work/app/notes").unwrap(), "notes");
        for path in ["/work/other", "../x", "a/../../b", "", "/work/app/../x", "/"] {
            assert!(below(dir, "memory_dir", path).is_err(), "{path}");
        }
    }
}
