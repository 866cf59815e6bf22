//! What a change did to each file, line by line.

use std::fmt::Write;

use handoff_model::history::{Changed, DirectoryMove, FileChange, FileState};
use similar::TextDiff;

/// Lines around what changed.
const CONTEXT: usize = 2;
/// As much of one file's difference is shown.
const MOST: usize = 64 * 1024;

/// The difference as unified diffs, one file after the other. Directories that went elsewhere come first.
pub(super) fn unified(changed: &Changed) -> String {
    let mut text = String::new();
    for moved in &changed.moves {
        let DirectoryMove { from, to, .. } = moved;
        let end = if moved.is_file() { "" } else { "/" };
        let _ = writeln!(text, "rename {from}{end}\n    to {to}{end}");
    }
    for file in &changed.files {
        add(&mut text, file);
    }
    text
}

fn add(text: &mut String, FileChange { before, after }: &FileChange) {
    let path = |state: &Option<FileState>| state.as_ref().map_or("/dev/null", |state| &state.path).to_owned();
    let (old, new) = (path(before), path(after));
    let said = |state: &Option<FileState>| match state {
        None => Some(String::new()),
        Some(state) => state.text.clone(),
    };
    let (Some(was), Some(is)) = (said(before), said(after)) else {
        let _ = writeln!(text, "--- {old}\n+++ {new}\n(changed in a part of a long text)");
        return;
    };
    let diff = TextDiff::from_lines(&was, &is);
    let mut shown = diff.unified_diff().context_radius(CONTEXT).header(&old, &new).to_string();
    if shown.len() > MOST {
        let end = (0..=MOST).rev().find(|end| shown.is_char_boundary(*end)).unwrap_or(0);
        let left = shown[end..].lines().count();
        shown.truncate(end);
        let _ = write!(shown, "…\n({left} more lines)\n");
    }
    text.push_str(&shown);
}
