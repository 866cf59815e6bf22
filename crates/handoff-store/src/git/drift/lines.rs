//! What became of the lines that pointers are about.
//!
//! The old files are read from git in one go, by the blobs that were written down; the new ones from the work tree. What
//! was saved without ever being committed or staged is not in git: of such a file only the verdict is known.

use std::collections::{BTreeMap, BTreeSet};

use handoff_model::line_map::{LineFate, LineMap};

use super::picture::Picture;
use super::{Pointer, Verdict};
use crate::git::blob;
use crate::git::run::{Asking, Failure};

/// Changed files that are compared.
const MAX_FILES: usize = 64;

/// A pointer whose file is not what it was.
struct ChangedFile<'p> {
    /// Which of the pointers
    pointer: usize,
    lines: (u32, u32),
    blob: &'p str,
    /// Where the file is now, from the root
    path: String,
}

/// For each pointer what became of its lines.
pub(super) fn follow(
    asking: &Asking,
    picture: &Picture<'_>,
    pointers: &[Pointer<'_>],
    verdicts: &[Verdict],
) -> Result<Vec<Option<LineFate>>, Failure> {
    let mut fates = vec![None; pointers.len()];
    let mut changed: Vec<ChangedFile<'_>> = Vec::new();
    for (number, (pointer, verdict)) in pointers.iter().zip(verdicts).enumerate() {
        let (Some(path), Some(lines)) = (&pointer.path, pointer.lines) else { continue };
        let path = match verdict {
            Verdict::Same | Verdict::Moved { edited: false, .. } => {
                fates[number] = Some(LineFate::InPlace);
                continue;
            }
            Verdict::Gone => {
                fates[number] = Some(LineFate::Gone);
                continue;
            }
            Verdict::Unknown(_) => continue,
            Verdict::Changed => path.clone(),
            Verdict::Moved { .. } => match picture.moved.get(path) {
                Some(moved) => moved.to.clone(),
                None => continue,
            },
        };
        if let Some(Some(blob)) = picture.before(pointer, pointer.path.as_deref().unwrap_or_default()) {
            changed.push(ChangedFile { pointer: number, lines, blob, path });
        }
    }
    let paths: BTreeSet<String> = changed.iter().map(|file| file.path.clone()).collect();
    let read = |path: String| blob::text_now(asking, &path).map(|text| (path, text));
    let news: BTreeMap<String, Vec<u8>> = paths.into_iter().take(MAX_FILES).filter_map(read).collect();
    changed.retain(|file| news.contains_key(&file.path));
    if changed.is_empty() {
        return Ok(fates);
    }
    let names = changed.iter().fold(String::new(), |names, file| names + file.blob + "\n");
    let olds = blob::contents(asking, &names)?;
    for (file, old) in changed.iter().zip(&olds) {
        if let (Some(old), Some(new)) = (old.as_deref().filter(|old| blob::is_text(old)), news.get(&file.path)) {
            fates[file.pointer] = LineMap::between(old, new).follow(file.lines.0, file.lines.1);
        }
    }
    Ok(fates)
}
