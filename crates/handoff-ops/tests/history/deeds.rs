//! Random requests of every kind that changes something.

use serde_json::{Value, json};

use crate::choices::Choices;
use crate::world::World;

const TITLES: &[&str] = &["a", "Write handlers", "12 monkeys", "認証", "../../etc", "todo", "say \"hi\" # no"];
const STATUSES: &[&str] = &["todo", "in_progress", "review", "done", "blocked", "skipped"];

/// A request, chosen among what is there. Many are refused, as in life.
pub(crate) fn choose(world: &mut World, choices: &mut Choices) -> (&'static str, Value) {
    let tasks = world.ids("task.list", "tasks", json!({"all": true}));
    let task = |choices: &mut Choices| (!tasks.is_empty()).then(|| tasks[choices.below(tasks.len())].clone());
    let (one, other) = (task(choices), task(choices));
    match (choices.below(30), one) {
        (0..=4, parent) => {
            let parent = parent.filter(|_| choices.flag());
            (
                "task.create",
                json!({"title": choices.pick(TITLES), "parent": parent, "done_criteria": [{"item": "works"}]}),
            )
        }
        (5..=7, Some(id)) => ("task.update", json!({"id": id, "status": choices.pick(STATUSES), "force": true})),
        (8, Some(id)) => ("task.update", json!({"id": id, "title": choices.pick(TITLES)})),
        (9, Some(id)) => {
            ("task.update", json!({"id": id, "due": "2026-12-24", "labels": ["x"], "description": "Long.\nText"}))
        }
        (10, Some(id)) => ("task.note", json!({"id": id, "text": choices.pick(TITLES)})),
        (11, Some(id)) => ("task.check", json!({"id": id, "criterion": "1"})),
        (12, Some(id)) => ("task.link", json!({"id": id, "target": "https://example.com/issues/1"})),
        (13 | 14, Some(id)) => {
            let to = other.filter(|_| choices.flag()).unwrap_or_else(|| "root".to_owned());
            ("task.move", json!({"id": id, "to": to}))
        }
        (15, Some(id)) => ("task.reorder", json!({"id": id, "first": true})),
        (16, Some(id)) => ("task.delete", json!({"id": id})),
        (17, _) => {
            let trash = world.ids("task.trash", "tasks", json!({}));
            match trash.first() {
                Some(id) => ("task.restore", json!({"id": id})),
                None => ("task.create", json!({"title": "nothing to restore"})),
            }
        }
        (18, _) => ("share", json!({})),
        (19, _) => ("unshare", json!({})),
        (20, _) => ("config.set", json!({"updates": {"settings.history_limit": choices.below(5) + 1}})),
        (21, Some(id)) => (
            "task.put",
            json!({"task": {"id": id, "status": choices.pick(STATUSES), "schedule": {"actual_hours": choices.below(9)}, "notes_append": "By the way."}, "move_to": other}),
        ),
        (22, one) => {
            let changes: Vec<Value> =
                one.iter().chain(&other).map(|id| json!({"id": id, "status": choices.pick(STATUSES)})).collect();
            ("save", json!({"summary": choices.pick(TITLES), "body": choices.some(|_| "# Body\n"), "tasks": changes}))
        }
        (23, Some(id)) => (
            "save",
            json!({"summary": "moves", "tasks": [
                {"id": id, "move_to": "root", "title": "moved along"},
                {"title": "below what moves", "parent_id": id},
                {"title": "at the top"},
            ]}),
        ),
        (24, _) => (
            "save",
            json!({"summary": "record", "add_decisions": [{"decision": choices.pick(TITLES)}], "add_next": ["Go on"]}),
        ),
        (25, _) => ("session.start", json!({"summary": choices.pick(TITLES)})),
        (which, _) => session(world, choices, which),
    }
}

fn session(world: &mut World, choices: &mut Choices, which: usize) -> (&'static str, Value) {
    let sessions = world.ids("session.list", "sessions", json!({"archived": true}));
    if sessions.is_empty() {
        return ("session.start", json!({"summary": "the first"}));
    }
    let id = sessions[choices.below(sessions.len())].clone();
    match which {
        26 => (
            "session.update",
            json!({"session_id": id, "add_next": [choices.pick(TITLES)], "add_notes": [{"note": "n"}]}),
        ),
        27 => ("session.close", json!({"session_id": id, "summary": "over"})),
        28 => ("session.pause", json!({"session_id": id})),
        _ if choices.flag() => ("session.reopen", json!({"session_id": id})),
        _ => ("session.restore", json!({"session_id": id})),
    }
}
