//! Changes to records: one field, one item of a list, or everything.

use handoff_model::session::{GitFacts, Session};
use handoff_model::task::{Schedule, Status, Task};
use handoff_model::time_log::TimeLog;

use crate::choices::Choices;
use crate::{records, texts};

pub fn task(choices: &mut Choices, task: &mut Task) {
    for _ in 0..=choices.below(4) {
        match choices.below(18) {
            0 => task.title = texts::any(choices),
            1 => task.status = choices.pick(Status::ALL),
            2 => task.priority = records::task(choices).priority,
            3 => task.parent = choices.some(records::task_id),
            4 => task.number = choices.some(Choices::whole),
            5 => task.order = choices.some(records::order),
            6 => list(choices, &mut task.labels, texts::any, |choices, label| *label = texts::any(choices)),
            7 => list(choices, &mut task.dependencies, records::task_id, |choices, id| *id = records::task_id(choices)),
            8 => task.assignee = choices.some(texts::any),
            9 => task.completed_at = choices.some(records::moment),
            10 => task.description = choices.some(texts::any),
            11 => list(choices, &mut task.links, records::link, |choices, link| link.label = choices.some(texts::any)),
            12 => schedule(choices, &mut task.schedule),
            13 => task.schedule = Schedule::default(),
            14 => list(choices, &mut task.done_criteria, records::criterion, |_, item| item.checked = !item.checked),
            15 => list(choices, &mut task.notes, records::note, |choices, note| note.text = texts::any(choices)),
            16 => list(choices, &mut task.history, records::history_entry, |_, entry| entry.by = None),
            _ => *task = Task { id: task.id, ..records::task(choices) },
        }
    }
}

fn schedule(choices: &mut Choices, schedule: &mut Schedule) {
    match choices.below(6) {
        0 => schedule.start_date = choices.some(records::day),
        1 => schedule.due_date = choices.some(records::day),
        2 => schedule.estimate_hours = choices.some(records::hours),
        3 => schedule.milestone = choices.some(texts::any),
        4 => schedule.pinned = choices.some(Choices::flag),
        _ => *schedule = records::schedule(choices),
    }
}

pub fn session(choices: &mut Choices, session: &mut Session) {
    for _ in 0..=choices.below(4) {
        match choices.below(14) {
            0 => session.title = choices.some(texts::any),
            1 => session.summary = texts::any(choices),
            2 => session.status = records::session(choices).status,
            3 => session.ended_at = choices.some(records::moment),
            4 => list(choices, &mut session.tags, texts::any, |choices, tag| *tag = texts::any(choices)),
            5 => list(choices, &mut session.next, texts::any, |choices, step| *step = texts::any(choices)),
            6 => list(choices, &mut session.tasks, records::task_id, |choices, id| *id = records::task_id(choices)),
            7 => list(choices, &mut session.decisions, records::decision, |choices, decision| {
                list(choices, &mut decision.paths, texts::any, |choices, path| *path = texts::any(choices));
            }),
            8 => list(choices, &mut session.checklist, records::checklist_item, |_, item| item.checked = !item.checked),
            9 => list(choices, &mut session.notes, records::session_note, |choices, note| {
                note.note = texts::any(choices);
            }),
            10 => session.environment = records::environment(choices),
            11 => session.git = choices.some(records::git_facts),
            12 => {
                if let Some(GitFacts { recent, .. }) = &mut session.git {
                    list(choices, recent, texts::any, |choices, line| *line = texts::any(choices));
                }
            }
            _ => *session = Session { id: session.id.clone(), ..records::session(choices) },
        }
    }
}

pub fn time_log(choices: &mut Choices, log: &mut TimeLog) {
    for _ in 0..=choices.below(3) {
        list(choices, &mut log.intervals, records::interval, |choices, interval| {
            interval.note = choices.some(texts::any);
        });
    }
}

/// Adds, removes, moves or changes items of a list.
pub fn list<T>(
    choices: &mut Choices,
    list: &mut Vec<T>,
    make: impl Fn(&mut Choices) -> T,
    change: impl Fn(&mut Choices, &mut T),
) {
    let place = choices.below(list.len() + 1);
    let is_item = place < list.len();
    match choices.below(6) {
        0 => list.push(make(choices)),
        1 => list.insert(place, make(choices)),
        2 if is_item => _ = list.remove(place),
        3 if is_item => {
            let other = choices.below(list.len());
            list.swap(place, other);
        }
        4 if is_item => change(choices, &mut list[place]),
        _ => *list = choices.list(3, make),
    }
}
