//! A task as bytes that are understood in a tenth of the time its file takes.
//!
//! **Invariant:** what comes back is equal to what was put in. A change of what is written here is a new
//! [`VERSION`](super::VERSION).

use handoff_model::origin::Origin;
use handoff_model::task::{Criterion, HistoryEntry, Link, LinkType, Note, Priority, Schedule, Status, Task};

use crate::packed::{Packer, Unpacker, at, place};
use crate::task::tree::Trouble;

pub(crate) fn pack_task(task: &Task) -> Vec<u8> {
    let Task {
        format,
        id,
        title,
        status,
        priority,
        parent,
        number,
        order,
        labels,
        dependencies,
        assignee,
        created_at,
        completed_at,
        description,
        links,
        schedule,
        done_criteria,
        notes,
        history,
        origin,
    } = task;
    let Schedule { start_date, due_date, estimate_hours, remaining_hours, milestone, pinned } = schedule;
    let mut to = Packer(Vec::with_capacity(256));
    to.number(u64::from(*format));
    to.id(*id);
    to.text(title);
    to.byte(place(Status::ALL, status));
    to.maybe(priority.as_ref(), |to, priority| to.byte(place(Priority::ALL, priority)));
    to.maybe(*parent, Packer::id);
    to.maybe(*number, |to, number| to.number(u64::from(number)));
    to.maybe(*order, Packer::signed);
    to.list(labels, |to, label| to.text(label));
    to.list(dependencies, |to, id| to.id(*id));
    to.maybe(assignee.as_deref(), Packer::text);
    to.maybe(*created_at, Packer::moment);
    to.maybe(*completed_at, Packer::moment);
    to.maybe(description.as_deref(), Packer::text);
    to.list(links, |to, Link { kind, target, label }| {
        to.byte(place(LinkType::ALL, kind));
        to.text(target);
        to.maybe(label.as_deref(), Packer::text);
    });
    to.maybe(*start_date, Packer::day);
    to.maybe(*due_date, Packer::day);
    to.maybe(*estimate_hours, Packer::hours);
    to.maybe(*remaining_hours, Packer::hours);
    to.maybe(milestone.as_deref(), Packer::text);
    to.maybe(*pinned, |to, pinned| to.byte(u8::from(pinned)));
    to.list(done_criteria, |to, Criterion { item, checked }| {
        to.text(item);
        to.byte(u8::from(*checked));
    });
    to.list(notes, |to, Note { at, by, text }| {
        to.moment(*at);
        to.maybe(by.as_deref(), Packer::text);
        to.text(text);
    });
    to.list(history, |to, HistoryEntry { at, by, status, estimate_hours }| {
        to.moment(*at);
        to.maybe(by.as_deref(), Packer::text);
        to.maybe(status.as_ref(), |to, status| to.byte(place(Status::ALL, status)));
        to.maybe(*estimate_hours, Packer::hours);
    });
    to.maybe(origin.as_ref(), |to, Origin { system, id, digest, fields }| {
        to.text(system);
        to.text(id);
        to.maybe(digest.as_deref(), Packer::text);
        to.text(&serde_json::Value::Object(fields.clone()).to_string());
    });
    to.0
}

pub(crate) fn unpack_task(bytes: &[u8]) -> Option<Task> {
    let mut from = Unpacker(bytes);
    let status = |from: &mut Unpacker<'_>| at(Status::ALL, from.byte()?);
    let task = Task {
        format: from.number()?.try_into().ok()?,
        id: from.id()?,
        title: from.text()?,
        status: status(&mut from)?,
        priority: from.maybe(|from| at(Priority::ALL, from.byte()?))?,
        parent: from.maybe(Unpacker::id)?,
        number: from.maybe(|from| from.number()?.try_into().ok())?,
        order: from.maybe(Unpacker::signed)?,
        labels: from.list(Unpacker::text)?,
        dependencies: from.list(Unpacker::id)?,
        assignee: from.maybe(Unpacker::text)?,
        created_at: from.maybe(Unpacker::moment)?,
        completed_at: from.maybe(Unpacker::moment)?,
        description: from.maybe(Unpacker::text)?,
        links: from.list(|from| {
            Some(Link {
                kind: at(LinkType::ALL, from.byte()?)?,
                target: from.text()?,
                label: from.maybe(Unpacker::text)?,
            })
        })?,
        schedule: Schedule {
            start_date: from.maybe(Unpacker::day)?,
            due_date: from.maybe(Unpacker::day)?,
            estimate_hours: from.maybe(Unpacker::hours)?,
            remaining_hours: from.maybe(Unpacker::hours)?,
            milestone: from.maybe(Unpacker::text)?,
            pinned: from.maybe(Unpacker::flag)?,
        },
        done_criteria: from.list(|from| Some(Criterion { item: from.text()?, checked: from.flag()? }))?,
        notes: from
            .list(|from| Some(Note { at: from.moment()?, by: from.maybe(Unpacker::text)?, text: from.text()? }))?,
        history: from.list(|from| {
            Some(HistoryEntry {
                at: from.moment()?,
                by: from.maybe(Unpacker::text)?,
                status: from.maybe(status)?,
                estimate_hours: from.maybe(Unpacker::hours)?,
            })
        })?,
        origin: from.maybe(|from| {
            Some(Origin {
                system: from.text()?,
                id: from.text()?,
                digest: from.maybe(Unpacker::text)?,
                fields: serde_json::from_str(&from.text()?).ok()?,
            })
        })?,
    };
    from.0.is_empty().then_some(task)
}

/// What is wrong with a file or directory. What might be well another time is not kept: it is looked at again.
pub(super) fn pack_trouble(to: &mut Packer, Trouble { problems, failed: _ }: &Trouble) {
    to.list(problems, Packer::problem);
}

pub(super) fn unpack_trouble(from: &mut Unpacker<'_>) -> Option<Trouble> {
    let problems = from.list(Unpacker::problem)?;
    Some(Trouble { problems, failed: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A task with something in every field.
    fn full() -> Task {
        let text = r#"
            format = 1
            id = "k7f3q2ma"
            title = "Prüfe 漢字"
            status = "review"
            priority = "high"
            parent = "m2x9a4te"
            number = 12
            order = -3
            labels = ["a", ""]
            dependencies = ["m2x9a4te", "aaaaaaaa"]
            assignee = "alice"
            created_at = 1969-12-31T23:59:59.125Z
            completed_at = 2026-11-15T09:15:03Z
            description = "line\nline"
            links = [{ type = "issue", target = "x" }, { target = "y", label = "z" }]
            [schedule]
            start_date = 2026-02-28
            due_date = -0044-03-15
            estimate_hours = 0.1
            remaining_hours = 6
            milestone = "beta"
            pinned = false
            [[done_criteria]]
            item = "one"
            checked = true
            [[notes]]
            at = 2026-11-15T11:40:00Z
            text = "n"
            [[history]]
            at = 2026-11-15T10:00:00Z
            by = "codex"
            status = "skipped"
            estimate_hours = 2.5
            [origin]
            system = "handoff-mcp"
            id = "t1"
            digest = "00"
            [origin.fields]
            custom = { deep = [1, "two", 2.5] }
        "#;
        Task::read(&text.replace("-0044-03-15", "0044-03-15")).unwrap().0
    }

    #[test]
    fn a_task_comes_back_as_it_was() {
        let task = full();
        assert_eq!(unpack_task(&pack_task(&task)), Some(task));
    }

    #[test]
    fn bytes_that_were_cut_are_no_task() {
        let bytes = pack_task(&full());
        assert!((0..bytes.len()).all(|length| unpack_task(&bytes[..length]).is_none()));
    }

    #[test]
    fn what_is_written_changes_only_together_with_the_version() {
        let sum = handoff_model::checksum::checksum(&pack_task(&full()));
        assert_eq!((super::super::VERSION, sum), (3, SUM), "raise the version, then note the new sum");
    }

    const SUM: u64 = 18_152_583_819_216_504_702;
}
