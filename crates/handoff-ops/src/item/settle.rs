//! Recording the end of items: in the caller's session, or in a record of its own where there is none.

use std::sync::Arc;
use std::time::Duration;

use handoff_model::problem::Problem;
use handoff_model::relevant::telling_words;
use handoff_model::session::open_items::{ItemNotFound, OpenItem, OpenItems};
use handoff_model::session::{ItemEnding, ItemKind, ItemRef, SessionEdit, SessionKind, SessionStatus, SettledHow};
use handoff_model::text::{Prose, Title};
use handoff_store::FoundSession;
use serde_json::json;

use super::view::{SettledItem, SettledItems, StillOpen, TaskOfItem, known_name};
use super::{CompleteItems, ListOpenItems, view};
use crate::agent::{UnsavedConversation, unsaved};
use crate::resume::COMMIT_TIME;
use crate::resume::gather::Held;
use crate::session::change::{self, Changed, Changing};
use crate::session::endings::{ClosingCommit, by_commits};
use crate::session::recorded::Recorded;
use crate::session::which;
use crate::{Hint, OpError, Project};

/// An item that a caller settles.
#[derive(Debug, Clone)]
pub(crate) struct Wish {
    pub(crate) item: ItemRef,
    /// The way it ends; as its kind ends well if absent
    pub(crate) how: Option<SettledHow>,
    pub(crate) because: Option<String>,
}

impl Wish {
    /// An item that a task carries on.
    pub(crate) fn becomes_task(item: ItemRef) -> Wish {
        Wish { item, how: Some(SettledHow::Task), because: None }
    }
}

/// What settles items and is in no session yet, found out before the lock is taken.
#[derive(Debug, Default)]
pub(super) struct Unrecorded {
    commits: Vec<ClosingCommit>,
    conversations: Vec<UnsavedConversation>,
}

impl Unrecorded {
    pub(super) fn read(project: &Project) -> Unrecorded {
        Unrecorded {
            commits: change::closing(project, COMMIT_TIME).answer().unwrap_or_default(),
            conversations: unsaved(project),
        }
    }

    /// The number of items that `handoff open` lists once a session that is staged is on disk.
    pub(super) fn count_open(self, project: &Project, staged: Option<FoundSession>) -> Result<StillOpen, OpError> {
        let mut held = Held { conversations: self.conversations, ..Held::read(project)? };
        if let Some(staged) = staged {
            held.sessions.list.retain(|found| found.name != staged.name);
            held.sessions.list.push(Arc::new(staged));
        }
        let mut items = held.items(project, Duration::ZERO);
        let endings = by_commits(&self.commits, &items);
        items.settle(&endings);
        Ok(StillOpen { count: items.open().len(), is_partial: held.problems().iter().any(Problem::hides) })
    }
}

/// Looks up the items that are to be settled, and refuses where one is unknown or settled already.
pub(crate) fn endings(items: &OpenItems<'_>, wishes: &[Wish]) -> Result<(Vec<ItemEnding>, Vec<String>), OpError> {
    let (mut endings, mut warnings): (Vec<ItemEnding>, Vec<String>) = (Vec::new(), Vec::new());
    for Wish { item, how, because } in wishes {
        let found = find(items, item)?;
        let target = items.target(found);
        check_kind(found.kind, *how, &target.shown)?;
        if found.end.is_some() {
            let mut warning = settled_before(found, &target.shown);
            if adds_reason(found, because.as_deref()) {
                warning.push_str("; the reason given now is not recorded");
            }
            warnings.push(warning);
            continue;
        }
        if endings.iter().any(|known| known.item == target) {
            continue;
        }
        let how = how.unwrap_or_else(|| view::end_of(found.kind, false));
        endings.push(ItemEnding { item: target, how, because: because.clone(), task: None });
    }
    Ok((endings, warnings))
}

/// Finds the item that is meant. Some of its words name it if at least two of them are telling and no other open item
/// has them: a single word may be part of an item that nobody thought of.
fn find<'i, 'a>(items: &'i OpenItems<'a>, wanted: &ItemRef) -> Result<&'i OpenItem<'a>, OpError> {
    const LEAST_TELLING: usize = 2;
    let error = match items.find(wanted) {
        Ok(found) => return Ok(found),
        Err(error) => error,
    };
    let (ItemNotFound::Unknown { .. }, ItemRef::Text(words)) = (&error, wanted) else { return Err(not_found(&error)) };
    let open = items.all().iter().filter(|item| item.is_open() && has_words(item.text, words));
    let fits: Vec<&OpenItem<'a>> = open.collect();
    let message = match fits.as_slice() {
        [] => return Err(not_found(&error)),
        [found] if telling_words(words) >= LEAST_TELLING => return Ok(found),
        [_] => format!("`{wanted}` is too short to name an item by: use its id, or more of its words"),
        several => format!("`{wanted}` could be one of {} items: name it by its id", several.len()),
    };
    let candidates = fits.iter().map(|item| format!("{} {}", items.shown_id(item), brief(item.text)));
    Err(OpError::refused(message).details(candidates))
}

fn not_found(error: &ItemNotFound) -> OpError {
    match error {
        ItemNotFound::Unknown { .. } => OpError::not_found(error.to_string()).hint(Hint::run::<ListOpenItems>()),
        ItemNotFound::Ambiguous { .. } => OpError::refused(error.to_string()),
    }
}

/// Reports whether a text has some words as whole words, one after the other.
fn has_words(text: &str, wanted: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let lower = text.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let wanted = words(wanted);
    !wanted.is_empty() && words(text).windows(wanted.len()).any(|part| part == wanted)
}

/// Refuses an end that items of a kind cannot have.
fn check_kind(kind: ItemKind, how: Option<SettledHow>, shown: &str) -> Result<(), OpError> {
    match (kind, how) {
        (ItemKind::Caution, None | Some(SettledHow::Done | SettledHow::Resolved)) => {
            let message = format!("{shown} is a caution, which stays in force until it is dropped");
            Err(OpError::refused(message).hint(view::drop_hint(shown)))
        }
        (ItemKind::Question, Some(SettledHow::Answered)) => Ok(()),
        (kind, Some(SettledHow::Answered)) => {
            let error = OpError::refused(format!("{shown} is a {}, not a question", kind.noun()));
            Err(if kind == ItemKind::Caution {
                error
            } else {
                error.hint(Hint::run_with::<CompleteItems>(json!({"items": [shown]})))
            })
        }
        _ => Ok(()),
    }
}

/// The sentence about an item that ended earlier.
fn settled_before(found: &OpenItem<'_>, shown: &str) -> String {
    let Some(end) = &found.end else { return String::new() };
    let by = end.by.and_then(known_name).map(|by| format!(" by {by}")).unwrap_or_default();
    let record = if end.session.is_empty() { String::new() } else { format!(" in {}", end.session) };
    format!("{shown} was settled before: {}{by}{record}", end.how)
}

/// Reports whether a reason is given for an end that is recorded with another one, or with none.
fn adds_reason(found: &OpenItem<'_>, because: Option<&str>) -> bool {
    let recorded = found.end.as_ref().and_then(|end| end.because.as_deref());
    because.is_some() && because != recorded
}

/// Reads items as they are typed in a shell: `n 1` is a slip for `n1`, and words without quotes are one item.
pub(super) fn typed(project: &Project, given: Vec<ItemRef>) -> Result<Vec<ItemRef>, OpError> {
    for pair in given.windows(2) {
        if let [ItemRef::Text(letter), ItemRef::Text(number)] = pair
            && let Ok(ItemRef::Id { id, .. }) = format!("{letter}{number}").parse()
        {
            return Err(OpError::usage(format!("`{letter} {number}` is not an item: write `{id}`")));
        }
    }
    let word = |item: &ItemRef| match item {
        ItemRef::Text(text) if !text.contains(char::is_whitespace) => Some(text.clone()),
        ItemRef::Text(_) | ItemRef::Id { .. } => None,
    };
    let words: Option<Vec<String>> = given.iter().map(word).collect();
    let Some(words) = words.filter(|words| words.len() > 1) else { return Ok(given) };
    let recorded = Recorded::read(project)?;
    let items = recorded.items();
    // Each word may be part of another item than the one that is meant.
    let is_each_an_item = given.iter().all(|item| items.find(item).is_ok());
    Ok(if is_each_an_item { given } else { vec![ItemRef::Text(words.join(" "))] })
}

/// Records some ends and answers with what was settled.
pub(super) fn settle(project: &mut Project, wishes: &[Wish], unrecorded: Unrecorded) -> Result<SettledItems, OpError> {
    let (endings, warnings, tasks) = {
        let recorded = Recorded::read(project)?;
        let items = recorded.items();
        for Wish { item, because, .. } in wishes {
            let found = find(&items, item)?;
            if found.end.is_some() && adds_reason(found, because.as_deref()) {
                let sentence = settled_before(found, &items.shown_id(found));
                return Err(OpError::refused(format!("{sentence}; its record cannot take another reason")));
            }
        }
        let (endings, warnings) = endings(&items, wishes)?;
        let carried_on = items.all().iter().filter(|item| endings.iter().any(|end| end.item == items.target(item)));
        let tasks = carried_on.filter_map(|item| Some(TaskOfItem::of(items.shown_id(item), recorded.task_of(item)?)));
        let tasks = tasks.collect();
        (endings, warnings, tasks)
    };
    let staged = if endings.is_empty() { None } else { Some(record(project, &endings)?) };
    let session = staged.as_ref().map(|found| found.name.clone()).unwrap_or_default();
    let StillOpen { count, is_partial } = unrecorded.count_open(project, staged)?;
    Ok(SettledItems {
        items: endings.iter().map(SettledItem::ended).collect(),
        session,
        still_open: count,
        is_partial,
        tasks,
        warnings,
    })
}

/// Stages a record of ends: in the caller's session where there is one, else as a closed record of their own.
pub(crate) fn record(project: &mut Project, endings: &[ItemEnding]) -> Result<FoundSession, OpError> {
    let words = |ending: &ItemEnding| format!("{} {} {}", ending.how, ending.item.shown, ending.item.text);
    let title = endings.first().map(words).unwrap_or_default();
    note(project, &title, Changing { endings: endings.to_vec(), ..Changing::to(SessionStatus::Closed) })
}

/// Stages a change of the caller's session, or a closed record that has nothing else.
pub(super) fn note(project: &mut Project, title: &str, changing: Changing) -> Result<FoundSession, OpError> {
    let sessions = project.store().handoffs()?;
    let mine = which::mine(project, &sessions).cloned();
    let Changed { found, .. } = match mine {
        Some(found) => {
            let status = found.session.status;
            change::change(project, &found, Changing { status, ..changing })?
        }
        None => {
            let session = change::begin(project, SessionKind::Ledger)?;
            let edit = SessionEdit {
                title: shortened::<Title>(title).map_or_else(Default::default, handoff_model::change::Change::Set),
                ..changing.edit
            };
            change::create(project, session, Changing { edit, ..changing })?
        }
    };
    Ok(found)
}

/// A title that is not too long for one.
fn shortened<T: std::str::FromStr>(text: &str) -> Option<T> {
    const SHOWN: usize = 100;
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(SHOWN).collect();
    line.parse().ok()
}

/// The beginning of an item's words, for a list of candidates.
fn brief(text: &str) -> String {
    view::first_chars(text, 80)
}

/// A reason as it is kept.
pub(crate) fn reason(because: Option<&Prose>) -> Option<String> {
    because.map(|because| because.as_str().trim().to_owned()).filter(|because| !because.is_empty())
}
