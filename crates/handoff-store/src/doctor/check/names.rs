//! Names that do not say what the files say, and names that some file systems take for one.

use std::collections::BTreeMap;

use handoff_model::heal::{Finding, Kind};
use handoff_model::id::SessionRef;
use handoff_model::name::{Layout, read_name, stable_name, status_name};
use handoff_model::slug::slug;

use super::super::mend::Mend;
use super::super::scene::Scene;
use super::Findings;
use crate::layout::{ARCHIVE, MEMORY, SESSIONS, TASKS, TIME};
use crate::root::{join, split};
use crate::session::read::{SUFFIX, body_file};
use crate::task::read::is_ignored;

/// Directories of tasks that are not called what they should be.
pub(super) fn tasks(scene: &Scene<'_>, findings: &mut Findings) {
    for node in scene.forest.walk().into_iter().filter(|node| !scene.is_below_damage(&node.dir)) {
        let (above, name) = split(&node.dir);
        let (wanted, what) = match scene.layout {
            Layout::Status => {
                let wanted = status_name(&node.number, node.task.status, &node.task.title);
                (wanted, "the name of the directory says another number, status or title than the file")
            }
            // Here a name is kept for good, as long as it tells the id and is one that every system can have.
            Layout::Stable => {
                let slug_of = name.strip_suffix(node.task.id.as_str()).and_then(|name| name.strip_suffix('-'));
                let is_right =
                    read_name(name).id == Some(node.task.id) && slug_of.is_some_and(|part| slug(part) == part);
                let wanted = if is_right { name.to_owned() } else { stable_name(&node.task.title, node.task.id) };
                (wanted, "the name of the directory does not tell the id, or is no name for every system")
            }
        };
        let to = join(above, &wanted);
        // A name that another has is left to it: the file counts, not the name.
        if wanted == name || scene.picture.exists(&to) {
            continue;
        }
        let finding = Finding::new(Kind::WrongName, node.dir.as_str(), what);
        findings.mend(finding, format!("renamed to `{wanted}`"), Mend::Move { from: node.dir.to_string(), to });
    }
}

/// Files of sessions whose name does not tell the id.
pub(super) fn sessions(scene: &Scene<'_>, findings: &mut Findings) {
    for file in &scene.sessions {
        let id = file.session.id.as_str();
        let tells =
            matches!(file.stem().parse(), Ok(SessionRef::Name(name)) if name == file.stem() && name.ends_with(id));
        let to = join(SESSIONS, &format!("{}{SUFFIX}", file.session.full_name()));
        let (body, new_body) = (body_file(&file.file), body_file(&to));
        if tells || scene.picture.exists(&to) || scene.picture.exists(&new_body) {
            continue;
        }
        let finding = Finding::new(Kind::WrongName, file.file.as_str(), "the name of the file does not tell the id");
        let mut mends = vec![Mend::Move { from: file.file.clone(), to: to.clone() }];
        if scene.picture.exists(&body) {
            mends.push(Mend::Move { from: body, to: new_body });
        }
        findings.mend(finding, format!("renamed to `{}`", split(&to).1), Mend::All(mends));
    }
}

/// Names in one directory that a file system which does not tell case or composition takes for one.
pub(super) fn clashes(scene: &Scene<'_>, findings: &mut Findings) {
    let mut by_name: BTreeMap<(String, String), Vec<&str>> = BTreeMap::new();
    for dir in [TASKS, SESSIONS, ARCHIVE, TIME, MEMORY] {
        for (path, _) in scene.picture.below(dir) {
            let (above, name) = split(path);
            if !is_ignored(name) {
                by_name.entry((above.to_owned(), folded(name))).or_default().push(path);
            }
        }
    }
    for paths in by_name.values().filter(|paths| paths.len() > 1) {
        for path in &paths[1..] {
            let what = format!("some file systems take its name for that of {}", split(paths[0]).1);
            findings.tell(Finding::new(Kind::NameClash, *path, what).advising("rename one of them"));
        }
    }
}

fn folded(name: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    name.nfc().flat_map(char::to_lowercase).nfc().collect()
}
