//! What agent-handover's own readers and settings need: its checkpoint beside ours, and its paths below the project.

use std::path::{Component, Path, PathBuf};

use handoff_engine::Status;
use handoff_model::handover::{Action, Compatible, Handover, TheirCheckpoint};
use handoff_store::{NewFile, OutsideTree, change_outside, read_outside};

use super::Inputs;
use super::kept::HandoverRun;
use crate::Project;

/// Where that tool keeps its checkpoint, below the working directory.
pub(super) const CHECKPOINT: &str = ".agent-handover/checkpoint.json";

/// Writes a run down as that tool would, where somebody asked for it. Nothing is touched that says the same already.
///
/// It is a copy for others: where it cannot be written the handover goes on, and whoever asked for it is told at the end.
///
/// Where it is kept stands in a state file, so it is written where this very request says, or else as a file `….json`
/// in the project, which no link leads out of.
pub(super) fn write(project: &Project, run: &HandoverRun) {
    let Some(path) = &run.inputs.compatible_checkpoint else { return };
    let text = theirs(run).text();
    match place(project, path) {
        Some(Place::Named) => {
            let Ok(before) = read_outside(path) else { return };
            if before.as_deref() != Some(text.as_bytes()) && may_replace(path, before.as_deref()).is_ok() {
                let _ = change_outside(path, before.as_deref(), Some(text.as_bytes()), NewFile::Usual);
            }
        }
        Some(Place::Below(tree, name)) => {
            let Ok(before) = tree.read(&name) else { return };
            if before.as_deref() != Some(text.as_bytes()) && may_replace(path, before.as_deref()).is_ok() {
                let _ = tree.replace(&name, text.as_bytes());
            }
        }
        None => {}
    }
}

/// Says that the checkpoint of a run is not kept up to date, where it is outside the project and nobody named it.
pub(super) fn left_alone(project: &Project, run: &HandoverRun) -> Option<String> {
    let path = run.inputs.compatible_checkpoint.as_ref()?;
    if place(project, path).is_some() {
        return None;
    }
    let shown = project.shown(path);
    Some(format!("agent-handover's checkpoint `{shown}` is outside the project, and is left as it is"))
}

/// Where a checkpoint may be written.
enum Place {
    /// At the very place that this request names
    Named,
    /// Below a directory that it never leaves
    Below(OutsideTree, String),
}

fn place(project: &Project, path: &Path) -> Option<Place> {
    if project.named.checkpoint.as_deref() == Some(path) {
        return Some(Place::Named);
    }
    let is_plain = |part: Component<'_>| !matches!(part, Component::ParentDir | Component::CurDir);
    if !path.components().all(is_plain) || path.extension().is_none_or(|ending| ending != "json") {
        return None;
    }
    let dirs = project.dir().into_iter().chain(project.named.checkpoint_dir.clone());
    dirs.into_iter().find_map(|dir| {
        let real = dir.canonicalize().ok()?;
        let below = path.strip_prefix(&dir).or_else(|_| path.strip_prefix(&real)).ok()?;
        let name = below.to_str()?.replace('\\', "/");
        Some(Place::Below(OutsideTree::open(&real, &real).ok()?, name))
    })
}

/// Refuses to put a checkpoint in the place of anything else.
pub(super) fn may_replace(path: &Path, present: Option<&[u8]>) -> Result<(), String> {
    let belongs_to_others =
        |part: Component<'_>| [".git", ".handoff"].iter().any(|name| part.as_os_str().eq_ignore_ascii_case(name));
    if path.components().any(belongs_to_others) {
        return Err("it lies in what belongs to git or to handoff itself".to_owned());
    }
    let is_usual = path.ends_with(CHECKPOINT);
    match present {
        Some(bytes) if !is_usual && !bytes.is_empty() => match TheirCheckpoint::read(bytes) {
            Ok(_) => Ok(()),
            Err(why) => Err(format!("what is there is no checkpoint: {why}")),
        },
        _ => Ok(()),
    }
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

/// The file whose presence pauses a run, as the list that the run follows names it now.
pub(super) fn pause_of_run(project: &Project, handover: &Handover, inputs: &Inputs) -> Option<PathBuf> {
    let from = if project.holds(&inputs.directory) { &inputs.directory } else { &project.place.cwd };
    pause_file_from(project, from, handover.compatible.as_ref())
}

/// A file that a person named in that tool's settings: `~` is their home, and what is relative begins where they are.
pub(super) fn pause_file(project: &Project, settings: Option<&Compatible>) -> Option<PathBuf> {
    pause_file_from(project, &project.place.cwd, settings)
}

fn pause_file_from(project: &Project, from: &Path, settings: Option<&Compatible>) -> Option<PathBuf> {
    let written = settings?.pause_file.as_deref().filter(|path| !path.trim().is_empty())?;
    Some(match (written.strip_prefix("~/"), project.home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => from.join(written),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_at_the_project_or_are_refused() {
        let dir = Path::new("/srv/app");
        assert_eq!(below(dir, "memory_dir", "memory/").unwrap(), "memory");
        assert_eq!(below(dir, "memory_dir", "./a/./b").unwrap(), "a/b");
        assert_eq!(below(dir, "memory_dir", "/srv/app/notes").unwrap(), "notes");
        for path in ["/srv/other", "../x", "a/../../b", "", "/srv/app/../x", "/"] {
            assert!(below(dir, "memory_dir", path).is_err(), "{path}");
        }
    }
}
