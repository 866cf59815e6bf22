//! References between records that lead nowhere, or in a circle.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use handoff_model::heal::{Finding, Kind, Weight};
use handoff_model::id::TaskId;
use handoff_model::session::SessionStatus;
use handoff_model::task::Task;

use super::super::mend::Mend;
use super::super::scene::Scene;
use super::Findings;
use super::values::said;
use crate::layout::TASK_FILE;
use crate::root::join;

/// Tasks that wait for themselves: the one that was made last waits no longer.
pub(super) fn circles(scene: &Scene<'_>, findings: &mut Findings) {
    let waits: BTreeMap<TaskId, &[TaskId]> =
        scene.forest.walk().into_iter().map(|node| (node.task.id, node.task.dependencies.as_slice())).collect();
    let mut done: HashSet<TaskId> = HashSet::new();
    for start in waits.keys() {
        let Some(circle) = circle_from(*start, &waits, &mut done) else { continue };
        let made = |id: &TaskId| scene.forest.get(*id).map(|node| (node.task.created_at, *id));
        let Some(place) = (0..circle.len()).max_by_key(|place| made(&circle[*place])) else { continue };
        let (last, next) = (circle[place], circle[(place + 1) % circle.len()]);
        let Some(node) = scene.forest.get(last) else { continue };
        let way: Vec<String> = circle.iter().chain(circle.first()).map(ToString::to_string).collect();
        let text = scene.task_text(&node.dir);
        let line = text.and_then(|text| super::line_of_key(text, "dependencies"));
        let what = format!("it waits for itself: {}", way.join(" → "));
        let file = join(&node.dir, TASK_FILE);
        let finding = Finding::new(Kind::Cycle, file.as_str(), what).at_line(line);
        let freed = without(&node.task, &[next]);
        let why = format!("it depended on `{next}`, which waits for it in turn");
        match text.and_then(|text| said(scene, text, freed, &why)) {
            Some(text) => {
                let fix = format!("no longer waits for `{next}`; a note keeps that it did");
                findings.mend(finding, fix, Mend::Put { path: file, text });
            }
            None => findings.tell(finding.advising("take one of the dependencies out")),
        }
    }
}

/// One circle that can be reached from a task, if there is one that was not gone through yet.
fn circle_from(start: TaskId, waits: &BTreeMap<TaskId, &[TaskId]>, done: &mut HashSet<TaskId>) -> Option<Vec<TaskId>> {
    let mut path: Vec<(TaskId, usize)> = vec![(start, 0)];
    let mut found = None;
    while let Some((at, next)) = path.last_mut() {
        let Some(other) = waits.get(at).and_then(|waits| waits.get(*next)).copied().filter(|_| !done.contains(at))
        else {
            done.insert(*at);
            path.pop();
            continue;
        };
        *next += 1;
        if let Some(place) = path.iter().position(|(id, _)| *id == other) {
            found.get_or_insert_with(|| path[place..].iter().map(|(id, _)| *id).collect());
        } else if !done.contains(&other) {
            path.push((other, 0));
        }
    }
    found
}

fn without(task: &Task, gone: &[TaskId]) -> Task {
    let mut task = task.clone();
    task.dependencies.retain(|id| !gone.contains(id));
    task
}

/// References to tasks, sessions and decisions that are nowhere.
pub(super) fn dangling(scene: &Scene<'_>, findings: &mut Findings) {
    for node in scene.forest.walk() {
        let gone: Vec<TaskId> = node.task.dependencies.iter().copied().filter(|id| !scene.is_known(*id)).collect();
        if gone.is_empty() {
            continue;
        }
        let (file, text) = (join(&node.dir, TASK_FILE), scene.task_text(&node.dir));
        let line = text.and_then(|text| super::line_with(text, gone[0].as_str()));
        let finding =
            Finding::new(Kind::Dangling, file.as_str(), format!("it depends on {}, nowhere to be found", list(&gone)));
        let finding = finding.at_line(line);
        let why = format!("it depended on {}, nowhere to be found", list(&gone));
        match text.and_then(|text| said(scene, text, without(&node.task, &gone), &why)) {
            Some(text) if !scene.may_be_hidden() => {
                findings.mend(finding, "taken out; a note keeps what stood there", Mend::Put { path: file, text });
            }
            Some(_) => {
                findings.tell(finding.advising("mend the files that cannot be read first: it may be one of them"));
            }
            None => findings.tell(finding.advising("take it out of `dependencies`")),
        }
    }
    tasks_of_sessions(scene, findings);
    sessions(scene, findings);
}

/// What sessions say they concern; a closed one tells what was, and stays.
fn tasks_of_sessions(scene: &Scene<'_>, findings: &mut Findings) {
    for file in &scene.sessions {
        let gone: Vec<TaskId> = file.session.tasks.iter().copied().filter(|id| !scene.is_known(*id)).collect();
        if gone.is_empty() {
            continue;
        }
        let line = super::line_with(&file.text, gone[0].as_str());
        let what = format!("it concerns {}, nowhere to be found", list(&gone));
        let finding = Finding::new(Kind::Dangling, file.file.as_str(), what).at_line(line);
        if file.session.status == SessionStatus::Closed {
            let finding = finding.advising("nothing needs to be done: a session tells what was");
            findings.tell(Finding { weight: Weight::Note, ..finding });
            continue;
        }
        let mut session = file.session.clone();
        session.tasks.retain(|id| !gone.contains(id));
        match session.write_over(&file.text) {
            Ok(text) if !scene.may_be_hidden() => {
                findings.mend(finding, "taken out of `tasks`", Mend::Put { path: file.file.clone(), text });
            }
            _ => findings.tell(finding.advising("take it out of `tasks`")),
        }
    }
}

fn sessions(scene: &Scene<'_>, findings: &mut Findings) {
    let live = scene.sessions.iter().map(|file| &file.session);
    let ids: BTreeSet<&str> =
        live.chain(scene.archived.values().map(|(session, _)| session)).map(|session| session.id.as_str()).collect();
    // A full name ends in the id, and a reference may be the id alone.
    let is_there = |name: &str| ids.contains(name.rsplit('-').next().unwrap_or(name));
    for file in &scene.sessions {
        let session = &file.session;
        let from = [&session.continues, &session.forked_from, &session.merged_into].into_iter().flatten();
        let from = from.chain(&session.merged_from).map(String::as_str);
        let others = session.decisions.iter().flat_map(|decision| decision.supersedes.iter().chain(&decision.same_as));
        let others = others.filter_map(|reference| reference.split_once('#')).map(|(name, _)| name);
        let gone: BTreeSet<&str> = from.chain(others).filter(|name| !name.is_empty() && !is_there(name)).collect();
        for name in gone {
            let what = format!("it refers to session `{name}`, nowhere to be found");
            let finding =
                Finding::new(Kind::Dangling, file.file.as_str(), what).at_line(super::line_with(&file.text, name));
            let finding = finding.advising("nothing needs to be done: a session tells what was");
            findings.tell(Finding { weight: Weight::Note, ..finding });
        }
    }
}

fn list(ids: &[TaskId]) -> String {
    ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
}
