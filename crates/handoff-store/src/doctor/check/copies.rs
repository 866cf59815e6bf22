//! Two places for one record: copies with one id, and copies that file synchronisers made.

use std::collections::BTreeMap;

use handoff_model::heal::{Finding, Kind, Merged, RecordKind, Sides, merge};
use handoff_model::id::{SessionId, TaskId};
use handoff_model::session::Session;
use handoff_model::task::Task;

use super::super::mend::Mend;
use super::super::picture::Content;
use super::super::scene::{Scene, SessionFile, TaskDir};
use super::Findings;
use super::files::joined;
use crate::layout::{SESSIONS, TASK_FILE, TASKS};
use crate::root::{join, split};
use crate::session::read::body_file;
use crate::task::read::is_ignored;

/// Copies that file synchronisers made when two machines changed one file. They are not read, so what only they say is
/// not seen.
pub(super) fn of_synchronisers(scene: &Scene<'_>, findings: &mut Findings) {
    for (path, entry) in scene.picture.entries() {
        let (dir, name) = split(path);
        let top = path.split('/').next().unwrap_or_default();
        if !is_copy(name) || !(top == TASKS || dir == SESSIONS) || dir.split('/').any(is_ignored) {
            continue;
        }
        let finding = Finding::new(Kind::SyncCopy, path, "a file synchroniser made this copy; it is not read");
        let by_hand = "compare it with the original, and remove it when nothing is missing there";
        let mended = match &entry.content {
            // Under a plain name it is read, and found to be a copy of a task.
            Content::Directory => free_name(scene, dir, &plain_name(name)).map(|to| {
                let from = path.to_owned();
                ("joined with the original".to_owned(), Mend::Move { from, to: join(dir, &to) })
            }),
            Content::Text(text) => joined_with_original(scene, path, text),
            _ => None,
        };
        match mended {
            Some((fix, mend)) => findings.mend(finding, fix, mend),
            None => findings.tell(finding.advising(by_hand)),
        }
    }
}

fn is_copy(name: &str) -> bool {
    is_ignored(name) && !name.starts_with('.')
}

/// A name without what makes it a copy's.
fn plain_name(name: &str) -> String {
    let name = name.split(".sync-conflict-").next().unwrap_or(name);
    let name = name.split("conflicted copy").next().unwrap_or(name);
    name.trim_end_matches(|c: char| !c.is_alphanumeric()).to_owned() + "-copy"
}

/// A name that nothing has, made from another.
pub(super) fn free_name(scene: &Scene<'_>, dir: &str, name: &str) -> Option<String> {
    let numbered = (2..100).map(|copy| format!("{name}-{copy}"));
    [name.to_owned()].into_iter().chain(numbered).find(|name| !scene.picture.exists(&join(dir, name)))
}

fn joined_with_original(scene: &Scene<'_>, path: &str, text: &str) -> Option<(String, Mend)> {
    let dir = split(path).0;
    let (original, record) = if dir == SESSIONS {
        let session = Session::read(text).ok()?;
        let original = scene.sessions.iter().find(|file| file.session.id == session.id);
        (
            original.map_or_else(|| join(SESSIONS, &format!("{}.toml", session.full_name())), |file| file.file.clone()),
            RecordKind::Session,
        )
    } else {
        Task::read(text).ok()?;
        (join(dir, TASK_FILE), RecordKind::Task)
    };
    let aside = Mend::Aside(path.to_owned());
    let Some(present) = scene.picture.text(&original) else {
        let is_free = !scene.picture.exists(&original);
        let mend = Mend::Move { from: path.to_owned(), to: original };
        return is_free.then(|| ("put in the place of the original, which is gone".to_owned(), mend));
    };
    let sides = Sides { base: None, ours: present, theirs: text };
    let Merged { text, disputes } = merge(record, sides, scene.around.now).ok()?;
    let put = Mend::Put { path: original, text };
    Some((joined(disputes.iter().map(ToString::to_string)), Mend::All(vec![put, aside])))
}

/// Directories with one id. The one that is shown is joined with the others; what lies below those comes along.
pub(super) fn of_tasks(scene: &Scene<'_>, findings: &mut Findings) {
    let mut by_id: BTreeMap<TaskId, Vec<&TaskDir>> = BTreeMap::new();
    for task in &scene.tasks {
        by_id.entry(task.task.id).or_default().push(task);
    }
    for (id, copies) in by_id.into_iter().filter(|(_, copies)| copies.len() > 1) {
        let Some(shown) = scene.forest.get(id).map(|node| node.dir.as_str()) else { continue };
        for other in copies.iter().filter(|copy| copy.dir != shown) {
            let what = format!("has the id `{id}` of {shown} too; that one is shown");
            let line = scene.task_text(&other.dir).and_then(|text| super::line_of_key(text, "id"));
            let finding = Finding::new(Kind::SameId, other.file(), what).at_line(line);
            match without_copy(scene, shown, other) {
                Some((fix, mend)) => findings.mend(finding, fix, mend),
                None => findings.tell(finding.advising("put what is missing into the other, and remove this one")),
            }
        }
    }
}

fn without_copy(scene: &Scene<'_>, shown: &str, other: &TaskDir) -> Option<(String, Mend)> {
    let (ours, theirs) = (scene.task_text(shown)?, scene.task_text(&other.dir)?);
    let sides = Sides { base: None, ours, theirs };
    let Merged { text, disputes } = merge(RecordKind::Task, sides, scene.around.now).ok()?;
    let mut mends = vec![Mend::Put { path: join(shown, TASK_FILE), text }];
    // The one that is shown may itself lie below the copy; then it comes out first.
    let is_around = shown.strip_prefix(&other.dir).is_some_and(|rest| rest.starts_with('/'));
    for (name, entry) in scene.picture.inside(&other.dir) {
        let inner = join(&other.dir, name);
        let holds_shown = shown == inner || shown.strip_prefix(&inner).is_some_and(|rest| rest.starts_with('/'));
        if holds_shown {
            let to = join(split(&other.dir).0, &free_name(scene, split(&other.dir).0, name)?);
            mends.push(Mend::Move { from: inner, to });
        } else if matches!(entry.content, Content::Directory) && holds_task(scene, &inner) && !is_around {
            mends.push(Mend::Move { from: inner, to: join(shown, &free_name(scene, shown, name)?) });
        } else if matches!(entry.content, Content::Directory) && holds_task(scene, &inner) {
            // Around the one that is shown, what else lies here stays at its level.
            let to = join(split(&other.dir).0, &free_name(scene, split(&other.dir).0, name)?);
            mends.push(Mend::Move { from: inner, to });
        } else if name != TASK_FILE && !is_around && !scene.picture.exists(&join(shown, name)) {
            // What a person laid beside it stays with the task.
            mends.push(Mend::Move { from: inner, to: join(shown, name) });
        }
    }
    mends.push(Mend::Aside(other.dir.clone()));
    let fix = if ours == theirs {
        "the same twice; this copy is moved into the backup".to_owned()
    } else {
        joined(disputes.iter().map(ToString::to_string))
    };
    Some((fix, Mend::All(mends)))
}

/// Whether anything below a directory may be a task.
fn holds_task(scene: &Scene<'_>, dir: &str) -> bool {
    scene.picture.below(dir).any(|(path, _)| split(path).1 == TASK_FILE)
}

/// Files of sessions with one id.
pub(super) fn of_sessions(scene: &Scene<'_>, findings: &mut Findings) {
    let mut by_id: BTreeMap<&SessionId, Vec<&SessionFile>> = BTreeMap::new();
    for file in &scene.sessions {
        by_id.entry(&file.session.id).or_default().push(file);
    }
    for (id, mut copies) in by_id.into_iter().filter(|(_, copies)| copies.len() > 1) {
        // As they are put in order for people: the one with the latest activity is shown.
        copies.sort_by_key(|file| {
            let active = file.session.ended_at.or(file.session.started_at);
            (std::cmp::Reverse(active), std::cmp::Reverse(file.stem().to_owned()))
        });
        let [shown, others @ ..] = copies.as_slice() else { continue };
        for other in others {
            let what = format!("has the id `{id}` of {} too; that one is shown", shown.file);
            let line = super::line_of_key(&other.text, "id");
            let finding = Finding::new(Kind::SameId, other.file.as_str(), what).at_line(line);
            match without_session(scene, shown, other) {
                Some((fix, mend)) => findings.mend(finding, fix, mend),
                None => findings.tell(finding.advising("put what is missing into the other, and remove this one")),
            }
        }
    }
}

fn without_session(scene: &Scene<'_>, shown: &SessionFile, other: &SessionFile) -> Option<(String, Mend)> {
    let sides = Sides { base: None, ours: &shown.text, theirs: &other.text };
    let Merged { text, disputes } = merge(RecordKind::Session, sides, scene.around.now).ok()?;
    let mut mends = vec![Mend::Put { path: shown.file.clone(), text }];
    let (kept, body) = (body_file(&shown.file), body_file(&other.file));
    match (scene.picture.text(&kept), scene.picture.text(&body)) {
        (_, None) if scene.picture.exists(&body) => return None,
        (_, None) => {}
        (None, Some(_)) => mends.push(Mend::Move { from: body, to: kept }),
        (Some(one), Some(more)) => {
            if one != more {
                mends.push(Mend::Put { path: kept, text: format!("{}\n\n---\n\n{more}", one.trim_end()) });
            }
            mends.push(Mend::Aside(body));
        }
    }
    mends.push(Mend::Aside(other.file.clone()));
    Some((joined(disputes.iter().map(ToString::to_string)), Mend::All(mends)))
}
