//! Records of every kind, as a file may say them.
//!
//! What a file says need not have passed the checks at the door, so texts in it are any texts.

use handoff_model::id::{SessionId, TaskId};
use handoff_model::origin::Origin;
use handoff_model::session::{
    ChecklistItem, Confidence, Decision, GitFacts, ItemRecord, NoteCategory, Owner, Pointer, Reference, Session,
    SessionKind, SessionNote, SessionStatus, SettledHow, Settlement,
};
use handoff_model::task::{Criterion, HistoryEntry, Link, LinkType, Note, Priority, Schedule, Status, Task};
use handoff_model::time_log::{Interval, TimeLog, TimeSource};
use handoff_model::when::{Day, Moment};
use serde_json::{Map, Value as Json, json};

use crate::choices::Choices;
use crate::texts;

pub const TASK_KEYS: &[&str] = &[
    "format",
    "id",
    "title",
    "status",
    "priority",
    "parent",
    "number",
    "order",
    "labels",
    "dependencies",
    "assignee",
    "created_at",
    "completed_at",
    "description",
    "links",
    "schedule",
    "done_criteria",
    "notes",
    "history",
];

pub const SESSION_KEYS: &[&str] = &[
    "format",
    "id",
    "kind",
    "status",
    "title",
    "summary",
    "tool",
    "author",
    "name",
    "tags",
    "project",
    "timeline",
    "label",
    "started_at",
    "ended_at",
    "expires_at",
    "continues",
    "handover",
    "state",
    "forked_from",
    "merged_from",
    "merged_into",
    "next",
    "blockers",
    "tasks",
    "last_decision",
    "decisions",
    "checklist",
    "notes",
    "references",
    "pointers",
    "environment",
    "git",
];

pub const TIME_LOG_KEYS: &[&str] = &["format", "intervals"];

pub fn task_id(choices: &mut Choices) -> TaskId {
    // Few different ones, so that they meet now and then.
    TaskId::from_random([choices.byte() % 8, 0, 0, 0, 0, 0, 0, choices.byte() % 4])
}

pub fn moment(choices: &mut Choices) -> Moment {
    const EDGES: &[&str] = &[
        "2026-11-15T09:15:03Z",
        "1969-12-31T23:59:59Z",
        "0001-01-01T00:00:00Z",
        "-004000-02-29T12:00:00Z",
        "9999-12-30T22:00:00Z",
    ];
    let text = match choices.below(4) {
        0 => choices.pick(EDGES).to_owned(),
        _ => format!("20{:02}-01-{:02}T10:00:{:02}Z", choices.below(100), choices.below(28) + 1, choices.below(60)),
    };
    text.parse().expect("these are times")
}

pub fn day(choices: &mut Choices) -> Day {
    let text = match choices.below(4) {
        0 => choices.pick(&["2024-02-29", "0000-01-01", "9999-12-31"]).to_owned(),
        _ => format!("20{:02}-{:02}-{:02}", choices.below(100), choices.below(12) + 1, choices.below(28) + 1),
    };
    text.parse().expect("these are days")
}

pub fn hours(choices: &mut Choices) -> f64 {
    match choices.below(3) {
        0 => choices.pick(&[0.0, 6.0, 0.1, 5e-324, 100_000.0, 12_345.678_901_234_567]),
        _ => f64::from(choices.whole() % 800_000) / 8.0,
    }
}

pub fn task(choices: &mut Choices) -> Task {
    Task {
        format: 1,
        id: task_id(choices),
        title: texts::any(choices),
        status: choices.pick(Status::ALL),
        priority: choices.some(|choices| choices.pick(Priority::ALL)),
        parent: choices.some(task_id),
        number: choices.some(Choices::whole),
        order: choices.some(order),
        labels: choices.list(4, texts::any),
        dependencies: choices.list(3, task_id),
        assignee: choices.some(texts::any),
        created_at: choices.some(moment),
        completed_at: choices.some(moment),
        description: choices.some(texts::any),
        links: choices.list(3, link),
        schedule: if choices.flag() { schedule(choices) } else { Schedule::default() },
        done_criteria: choices.list(4, criterion),
        notes: choices.list(3, note),
        history: choices.list(3, history_entry),
        origin: choices.some(origin),
    }
}

/// What a record was where it came from.
pub fn origin(choices: &mut Choices) -> Origin {
    Origin {
        system: texts::plain(choices),
        id: texts::any(choices),
        digest: choices.some(texts::plain),
        fields: if choices.flag() { environment(choices) } else { Map::new() },
    }
}

pub fn order(choices: &mut Choices) -> i64 {
    match choices.below(4) {
        0 => choices.pick(&[0, -1, i64::MAX, i64::MIN]),
        _ => i64::from(choices.byte()),
    }
}

pub fn link(choices: &mut Choices) -> Link {
    Link { kind: choices.pick(LinkType::ALL), target: texts::any(choices), label: choices.some(texts::any) }
}

pub fn schedule(choices: &mut Choices) -> Schedule {
    Schedule {
        start_date: choices.some(day),
        due_date: choices.some(day),
        estimate_hours: choices.some(hours),
        remaining_hours: choices.some(hours),
        milestone: choices.some(texts::any),
        pinned: choices.some(Choices::flag),
    }
}

pub fn criterion(choices: &mut Choices) -> Criterion {
    Criterion { item: texts::any(choices), checked: choices.flag() }
}

pub fn note(choices: &mut Choices) -> Note {
    Note { at: moment(choices), by: choices.some(texts::any), text: texts::any(choices) }
}

pub fn history_entry(choices: &mut Choices) -> HistoryEntry {
    HistoryEntry {
        at: moment(choices),
        by: choices.some(texts::any),
        status: choices.some(|choices| choices.pick(Status::ALL)),
        estimate_hours: choices.some(hours),
    }
}

pub fn session(choices: &mut Choices) -> Session {
    Session {
        format: 1,
        id: SessionId::from_random(choices.whole().to_be_bytes()),
        kind: choices.pick(SessionKind::ALL),
        status: choices.pick(SessionStatus::ALL),
        title: choices.some(texts::any),
        summary: texts::any(choices),
        state: choices.some(texts::any),
        tool: choices.some(texts::plain),
        author: choices.some(texts::plain),
        name: choices.some(texts::any),
        tags: choices.list(3, texts::any),
        project: choices.some(texts::plain),
        timeline: choices.some(texts::plain),
        label: choices.some(texts::plain),
        started_at: choices.some(moment),
        ended_at: choices.some(moment),
        expires_at: choices.some(moment),
        continues: choices.some(texts::plain),
        forked_from: choices.some(texts::plain),
        merged_from: choices.list(2, texts::plain),
        merged_into: choices.some(texts::plain),
        handover: choices.some(texts::plain),
        next: choices.list(3, texts::any),
        blockers: choices.list(3, texts::any),
        questions: choices.list(2, texts::any),
        tasks: choices.list(3, task_id),
        last_decision: choices.some(Choices::whole),
        decisions: choices.list(3, decision),
        checklist: choices.list(3, checklist_item),
        notes: choices.list(3, session_note),
        references: choices.list(2, reference),
        pointers: choices.list(2, pointer),
        environment: if choices.flag() { environment(choices) } else { Map::new() },
        git: choices.some(git_facts),
        items: choices.list(3, item_record),
        settled: choices.list(2, settlement),
        origin: choices.some(origin),
        body_base64: choices.some(texts::plain),
        body_check: choices.some(texts::plain),
    }
}

pub fn decision(choices: &mut Choices) -> Decision {
    Decision {
        id: choices.pick(&["d1", "d2", ""]).to_owned(),
        decision: texts::any(choices),
        reason: choices.some(texts::any),
        confidence: choices.pick(Confidence::ALL),
        paths: choices.list(3, texts::any),
        supersedes: choices.some(texts::plain),
        same_as: choices.list(2, texts::plain),
        revised: choices.flag(),
    }
}

pub fn checklist_item(choices: &mut Choices) -> ChecklistItem {
    ChecklistItem {
        item: texts::any(choices),
        checked: choices.flag(),
        owner: choices.some(|choices| choices.pick(Owner::ALL)),
    }
}

pub fn item_record(choices: &mut Choices) -> ItemRecord {
    ItemRecord {
        id: choices.pick(&["n1", "n2", "b1", "c1", "q1", "w1", "", "x"]).to_owned(),
        text: texts::any(choices),
        since: choices.some(texts::plain),
        check: choices.some(texts::plain),
        compiled: choices.flag(),
    }
}

pub fn settlement(choices: &mut Choices) -> Settlement {
    Settlement {
        item: choices.pick(&["2026-11-15-a3f9c12e#n1", "n1", "#", ""]).to_owned(),
        text: texts::any(choices),
        how: choices.pick(SettledHow::ALL),
        because: choices.some(texts::any),
        task: choices.some(task_id),
        at: choices.some(moment),
        by: choices.some(texts::plain),
    }
}

pub fn session_note(choices: &mut Choices) -> SessionNote {
    SessionNote { note: texts::any(choices), category: choices.pick(NoteCategory::ALL) }
}

fn reference(choices: &mut Choices) -> Reference {
    Reference {
        kind: choices.pick(LinkType::ALL),
        label: texts::any(choices),
        uri: texts::any(choices),
        notes: choices.some(texts::any),
    }
}

fn pointer(choices: &mut Choices) -> Pointer {
    Pointer {
        path: texts::any(choices),
        lines: choices.some(texts::plain),
        reason: choices.some(texts::any),
        blob: choices.some(texts::plain),
    }
}

pub fn git_facts(choices: &mut Choices) -> GitFacts {
    GitFacts {
        // A table without anything in it cannot be told from none in every notation.
        branch: Some(texts::plain(choices)),
        commit: choices.some(texts::plain),
        recent: choices.list(2, texts::any),
        dirty: choices.list(2, texts::any),
        dirty_count: choices.some(|choices| u32::from(choices.byte())),
        upstream: choices.some(texts::plain),
        ahead: choices.some(|choices| u32::from(choices.byte())),
        behind: choices.some(|choices| u32::from(choices.byte())),
        blobs: choices.list(2, texts::any),
    }
}

/// Facts about the surroundings, in any form but an empty table or list of tables, which files cannot tell from none.
pub fn environment(choices: &mut Choices) -> Map<String, Json> {
    let entries = choices.list(3, |choices| {
        let value = match choices.below(6) {
            0 => json!(texts::any(choices)),
            1 => json!(order(choices)),
            2 => json!(choices.flag()),
            3 => json!(hours(choices)),
            4 => json!(choices.list(3, texts::any)),
            _ => json!({ "inner": texts::any(choices), "count": choices.byte() }),
        };
        let name =
            if choices.once_in(4) { texts::odd(choices) } else { choices.pick(&["os", "shell", "rust"]).to_owned() };
        (name, value)
    });
    entries.into_iter().collect()
}

pub fn time_log(choices: &mut Choices) -> TimeLog {
    TimeLog { format: 1, intervals: choices.list(4, interval) }
}

pub fn interval(choices: &mut Choices) -> Interval {
    Interval {
        task: task_id(choices),
        who: texts::plain(choices),
        source: choices.pick(TimeSource::ALL),
        started_at: moment(choices),
        ended_at: choices.some(moment),
        minutes: choices.some(order),
        session: choices.some(texts::plain),
        note: choices.some(texts::any),
    }
}
