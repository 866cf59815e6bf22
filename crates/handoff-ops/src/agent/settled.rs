//! Checks that cannot be run any more, because their file is gone.

use std::path::Path;

use handoff_model::agent::{CheckCommand, implied_check};
use handoff_model::session::open_items::{OpenItem, OpenItems};
use handoff_model::session::{ItemEnding, SettledHow};

use crate::Project;

/// Directories in which a check may have been run, and how many of them are looked at.
const MAX_LEVELS: usize = 2;
const MAX_DIRECTORIES: usize = 400;

/// The ends of items whose check is run on files that are all gone.
pub(crate) fn by_gone_files(project: &Project, items: &OpenItems<'_>) -> Vec<ItemEnding> {
    let Some(dir) = project.dir() else { return Vec::new() };
    let ending = |item: &OpenItem<'_>| {
        let check = match item.check {
            Some(check) => CheckCommand::read(check)?,
            None => implied_check(item.text).filter(|_| item.is_compiled)?,
        };
        let files = check.files();
        let is_gone = |file: &&str| project.has_file(file) == Some(false) && !is_below(&dir, file);
        if files.is_empty() || !files.iter().all(is_gone) {
            return None;
        }
        let because = format!("`{}` is gone", files.join("`, `"));
        Some(ItemEnding { item: items.target(item), how: SettledHow::Dropped, because: Some(because), task: None })
    };
    items.all().iter().filter(|item| item.is_open()).filter_map(ending).collect()
}

/// Reports whether a directory of the project has the file: a check may have been run from there. Where there are too
/// many to look at, it may be in one of them.
fn is_below(dir: &Path, file: &str) -> bool {
    let mut level = vec![dir.to_owned()];
    let mut seen = 0;
    for _ in 0..MAX_LEVELS {
        let mut below = Vec::new();
        for dir in &level {
            let Ok(entries) = dir.read_dir() else { continue };
            for entry in entries.filter_map(Result::ok) {
                let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if !is_dir || entry.file_name().as_encoded_bytes().starts_with(b".") {
                    continue;
                }
                seen += 1;
                let path = entry.path();
                if seen > MAX_DIRECTORIES || path.join(file).symlink_metadata().is_ok() {
                    return true;
                }
                below.push(path);
            }
        }
        level = below;
    }
    false
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a person writes files like this")]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_looked_for_in_directories_a_check_may_have_been_run_from() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("services/api/tests")).unwrap();
        fs::create_dir_all(dir.path().join(".hidden/tests")).unwrap();
        fs::write(dir.path().join("services/api/tests/a.py"), "").unwrap();
        fs::write(dir.path().join(".hidden/tests/b.py"), "").unwrap();
        assert!(is_below(dir.path(), "tests/a.py"));
        assert!(!is_below(dir.path(), "tests/b.py"));
    }
}
