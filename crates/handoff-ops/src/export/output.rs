//! The file an export is written to: whole or not at all, and for its owner alone.

use std::path::{Path, PathBuf};

use handoff_store::{DIRECTORY, replace_private};

use crate::{OpError, Project};

/// The path to write to, refused where nothing should be written.
pub(super) fn checked(project: &Project, path: &Path) -> Result<PathBuf, OpError> {
    let shown = project.shown(path);
    let refused = |why: &str| Err(OpError::refused(format!("cannot export to `{shown}`: {why}")));
    let path = project.place.cwd.join(path);
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else {
        return refused("it is no file");
    };
    let dir = dir.canonicalize().map_err(|error| {
        OpError::not_found(format!("there is no directory `{}` to export into", project.shown(dir))).caused_by(error)
    })?;
    let path = dir.join(name);
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_symlink() => return refused("it is a symbolic link"),
        Ok(metadata) if metadata.is_dir() => return refused("it is a directory"),
        Ok(metadata) if !metadata.is_file() => return refused("it is no plain file"),
        _ => {}
    }
    let store = project.store().path();
    let store = store.canonicalize().unwrap_or_else(|_| store.to_owned());
    if path.starts_with(&store) || path.components().any(|part| part.as_os_str() == DIRECTORY) {
        return refused("it lies in the store of a project");
    }
    Ok(path)
}

pub(super) fn write(project: &Project, path: &Path, bytes: &[u8]) -> Result<(), OpError> {
    replace_private(path, bytes)
        .map_err(|error| OpError::failure(format!("cannot write `{}`", project.shown(path))).caused_by(error))
}
