//! Which of the records that answer are wanted.

use handoff_model::governed::{Pattern, is_at_or_below};
use handoff_model::relevant::paths_in;
use handoff_model::search::{Archives, Item, Kind};
use handoff_model::session::{Session, SessionKind, SessionStatus};
use handoff_model::task::{LinkType, Status};
use handoff_model::when::{Day, Moment};

use super::Search;
use super::corpus::Seen;
use crate::OpError;

/// The filters of a request.
pub(super) struct Filter {
    kinds: Vec<Kind>,
    statuses: Vec<String>,
    labels: Vec<String>,
    since: Option<Day>,
    until: Option<Day>,
    path: Option<String>,
    archives: Archives,
}

impl Filter {
    pub(super) fn of(asked: &Search) -> Result<Filter, OpError> {
        let is_status = |word: &str| word.parse::<Status>().is_ok() || word.parse::<SessionStatus>().is_ok();
        if let Some(wrong) = asked.status.iter().find(|word| !is_status(word)) {
            let known = [Status::WORDS, SessionStatus::WORDS].concat().join(", ");
            return Err(OpError::usage(format!("`{wrong}` is no status: use one of {known}")));
        }
        if let (Some(since), Some(until)) = (asked.since, asked.until)
            && since > until
        {
            return Err(OpError::usage(format!("nothing lies between {since} and {until}: the first is the later")));
        }
        let path = asked.path.as_deref().map(|path| path.trim().trim_start_matches("./").trim_end_matches('/'));
        Ok(Filter {
            kinds: asked.kind.clone(),
            statuses: asked.status.clone(),
            labels: asked.label.iter().map(|label| label.to_lowercase()).collect(),
            since: asked.since,
            until: asked.until,
            path: path.filter(|path| !path.is_empty()).map(str::to_owned),
            archives: asked.archived.unwrap_or_default(),
        })
    }

    /// Whether everything is wanted.
    pub(super) fn is_open(&self) -> bool {
        let Filter { kinds, statuses, labels, since, until, path, archives } = self;
        kinds.is_empty()
            && statuses.is_empty()
            && labels.is_empty()
            && (since, until, path) == (&None, &None, &None)
            && *archives == Archives::Include
    }

    pub(super) fn accepts(&self, seen: Seen<'_>, item: Item) -> bool {
        let day = || at(seen, item).map(Moment::day);
        (if self.kinds.is_empty() { !only_if_asked(seen) } else { self.kinds.contains(&item.kind()) })
            && match self.archives {
                Archives::Include => true,
                Archives::Only => seen.is_archived(),
                Archives::Exclude => !seen.is_archived(),
            }
            && (self.statuses.is_empty() || self.statuses.iter().any(|word| word == status(seen)))
            && self.labels.iter().all(|label| has_label(seen, label))
            && self.since.is_none_or(|since| day().is_some_and(|day| day >= since))
            && self.until.is_none_or(|until| day().is_some_and(|day| day <= until))
            && self.path.as_ref().is_none_or(|path| concerns(seen, item, path))
    }
}

/// Reports whether a record is found only where its kind is asked for: a retired memory, and a session that has nothing but
/// the end of items, whose words stand in the sessions that named them.
fn only_if_asked(seen: Seen<'_>) -> bool {
    match seen {
        Seen::Session(found) => {
            found.session.kind == SessionKind::Ledger && found.session.item_entries().next().is_none()
        }
        Seen::Memory(found) => !found.record.is_in_force(),
        Seen::Task(_) | Seen::Packed(_) => false,
    }
}

/// When a record was last changed, as far as it says.
pub(super) fn at(seen: Seen<'_>, item: Item) -> Option<Moment> {
    match (seen, item) {
        (Seen::Task(node) | Seen::Packed(node), Item::TaskNote(place)) => {
            node.task.notes.get(place).map(|note| note.at)
        }
        (Seen::Task(node) | Seen::Packed(node), _) => node.task.last_touched(),
        (Seen::Session(found), _) => found.last_active(),
        (Seen::Memory(found), _) => found.record.retired_at.or(found.record.created_at),
    }
}

/// The word for how far a record is.
pub(super) fn status(seen: Seen<'_>) -> &'static str {
    match seen {
        Seen::Task(node) | Seen::Packed(node) => node.task.status.word(),
        Seen::Session(found) => found.session.status.word(),
        Seen::Memory(found) => {
            if found.record.is_in_force() {
                "in force"
            } else {
                "retired"
            }
        }
    }
}

fn has_label(seen: Seen<'_>, wanted: &str) -> bool {
    let is_wanted = |label: &String| label.to_lowercase() == wanted;
    match seen {
        Seen::Task(node) | Seen::Packed(node) => node.task.labels.iter().any(is_wanted),
        Seen::Session(found) => found.session.tags.iter().chain(&found.session.label).any(is_wanted),
        Seen::Memory(found) => found.record.tags.iter().any(is_wanted),
    }
}

/// Whether a record names a file or directory, or something in or around it.
fn concerns(seen: Seen<'_>, item: Item, path: &str) -> bool {
    let is_near = |named: &str| {
        let named = named.trim_start_matches("./").trim_end_matches('/');
        !named.is_empty()
            && (is_at_or_below(path, named) || is_at_or_below(named, path) || Pattern::new(named, "").governs(path))
    };
    let says = |text: &str| paths_in(text).iter().any(|named| is_near(named));
    match (seen, item) {
        (Seen::Task(node) | Seen::Packed(node), Item::TaskNote(place)) => {
            node.task.notes.get(place).is_some_and(|note| says(&note.text))
        }
        (Seen::Task(node) | Seen::Packed(node), _) => {
            let mut files = node.task.links.iter().filter(|link| link.kind == LinkType::File);
            files.any(|link| is_near(&link.target))
                || says(&node.task.title)
                || node.task.description.as_deref().is_some_and(says)
        }
        (Seen::Memory(found), _) => found.record.paths.iter().any(|path| is_near(path)) || says(found.record.says()),
        (Seen::Session(found), Item::Decision(place)) => {
            found.session.decisions.get(place).is_some_and(|decision| decision.paths.iter().any(|path| is_near(path)))
        }
        (Seen::Session(found), Item::SessionNote(place)) => {
            found.session.notes.get(place).is_some_and(|note| says(&note.note))
        }
        (Seen::Session(found), _) => {
            let Session { pointers, references, summary, state, next, .. } = &found.session;
            pointers.iter().any(|pointer| is_near(&pointer.path))
                || references.iter().any(|reference| reference.kind == LinkType::File && is_near(&reference.uri))
                || next.iter().chain([summary]).chain(state).any(|text| says(text))
        }
    }
}
