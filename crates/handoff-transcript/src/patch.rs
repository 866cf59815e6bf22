//! Which files a patch in the `*** Begin Patch` form touches.

use handoff_model::agent::FileChange;

/// The files, in the order the patch names them.
pub(crate) fn files(patch: &str) -> Vec<(String, FileChange)> {
    let mut files: Vec<(String, FileChange)> = Vec::new();
    for line in patch.lines() {
        let Some(header) = line.trim_end().strip_prefix("*** ") else { continue };
        let Some((what, path)) = header.split_once(": ") else { continue };
        let change = match what {
            "Add File" => FileChange::Added,
            "Update File" => FileChange::Updated,
            "Delete File" => FileChange::Deleted,
            "Move to" => {
                if let Some((_, change)) = files.last_mut() {
                    *change = FileChange::Moved { to: path.to_owned() };
                }
                continue;
            }
            _ => continue,
        };
        files.push((path.to_owned(), change));
    }
    files
}
