//! The part of a record that shows best why it answers, and what it is called there.

use handoff_model::search::{Document, Item, Query, Snippet, Weight, snippet};

use super::corpus::Seen;

/// How many characters of a text are shown.
const SNIPPET: usize = 180;

/// What is worth a look also where nothing of it was asked for.
const TELLING: &[&str] = &["description", "summary", "reason", "note", "text"];

/// The text of a document that has most of what was asked for, with the name of the field it is from.
pub(super) fn best(query: &Query, seen: Seen<'_>, document: &Document<'_>) -> (&'static str, Snippet) {
    let mut best: Option<(usize, &'static str, Snippet)> = None;
    for field in document.fields.iter().filter(|(weight, _)| *weight != Weight::Title) {
        let name = name(seen, document.item, &field.1);
        let alone = Document { item: document.item, fields: vec![field.clone()] };
        let shown = snippet(query, &alone, SNIPPET);
        let worth = shown.words().len() * 100 + shown.marks.len();
        let is_worth_it = worth > 0 || TELLING.contains(&name);
        if is_worth_it && best.as_ref().is_none_or(|(most, ..)| worth > *most) {
            best = Some((worth, name, shown));
        }
    }
    best.map(|(_, name, shown)| (name, shown)).unwrap_or_default()
}

/// What the field is called that has this text.
fn name(seen: Seen<'_>, item: Item, text: &str) -> &'static str {
    let is = |said: &Option<String>| said.as_deref() == Some(text);
    let has = |said: &[String]| said.iter().any(|said| said == text);
    let names: Vec<(&'static str, bool)> = match (seen, item) {
        (_, Item::TaskNote(_) | Item::SessionNote(_)) => vec![("note", true)],
        (Seen::Session(found), Item::Decision(place)) => {
            let reason = found.session.decisions.get(place).is_some_and(|decision| is(&decision.reason));
            vec![("reason", reason), ("path", true)]
        }
        (Seen::Session(found), _) => {
            let session = &found.session;
            vec![
                ("summary", session.summary == text),
                ("state", is(&session.state)),
                ("next", has(&session.next)),
                ("blocker", has(&session.blockers)),
                ("checklist", session.checklist.iter().any(|item| item.item == text)),
                ("tag", has(&session.tags)),
                ("name", is(&session.name)),
                ("label", is(&session.label)),
                ("timeline", is(&session.timeline)),
                ("pointer", session.pointers.iter().any(|pointer| pointer.path == text || is(&pointer.reason))),
                (
                    "reference",
                    session.references.iter().any(|one| one.label == text || one.uri == text || is(&one.notes)),
                ),
                ("tool", is(&session.tool)),
                ("author", is(&session.author)),
                ("branch", session.git.as_ref().is_some_and(|git| is(&git.branch))),
                ("body", true),
            ]
        }
        (Seen::Memory(found), _) => {
            let memory = &found.record;
            vec![
                ("text", memory.text == text),
                ("tag", has(&memory.tags)),
                ("keyword", has(&memory.keywords)),
                ("path", has(&memory.paths)),
                ("kind", memory.kind.word() == text),
                ("author", true),
            ]
        }
        (Seen::Task(node) | Seen::Packed(node), _) => {
            let task = &node.task;
            vec![
                ("description", is(&task.description)),
                ("criterion", task.done_criteria.iter().any(|criterion| criterion.item == text)),
                ("label", has(&task.labels)),
                ("link", task.links.iter().any(|link| link.target == text || is(&link.label))),
                ("milestone", is(&task.schedule.milestone)),
                ("assignee", true),
            ]
        }
    };
    names.into_iter().find(|(_, is_it)| *is_it).map_or("", |(name, _)| name)
}
