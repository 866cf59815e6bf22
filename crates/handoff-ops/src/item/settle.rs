//! Recording the end of items: in the caller's session, or in a record of its own where there is none.

use handoff_model::session::open_items::{ItemNotFound, OpenItems};
use handoff_model::session::{ItemEnding, ItemRef, SessionEdit, SessionKind, SessionStatus, SettledHow};
use handoff_model::text::{Prose, Title};
use handoff_store::FoundSession;

use super::view::{SettledItem, SettledItems};
use super::{ListOpenItems, view};
use crate::session::change::{self, Changed, Changing};
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

/// Looks up the items that are to be settled, and refuses where one is unknown or settled already.
pub(crate) fn endings(items: &OpenItems<'_>, wishes: &[Wish]) -> Result<(Vec<ItemEnding>, Vec<String>), OpError> {
    let (mut endings, mut warnings): (Vec<ItemEnding>, Vec<String>) = (Vec::new(), Vec::new());
    for Wish { item, how, because } in wishes {
        let found = items.find(item).map_err(|error| not_found(&error))?;
        let target = items.target(found);
        if let Some(end) = &found.end {
            let by = end.by.map(|by| format!(" by {by}")).unwrap_or_default();
            let record = if end.session.is_empty() { String::new() } else { format!(" in {}", end.session) };
            warnings.push(format!("{} was settled before: {}{by}{record}", target.shown, end.how));
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

fn not_found(error: &ItemNotFound) -> OpError {
    match error {
        ItemNotFound::Unknown { .. } => OpError::not_found(error.to_string()).hint(Hint::run::<ListOpenItems>()),
        ItemNotFound::Ambiguous { .. } => OpError::refused(error.to_string()),
    }
}

/// Records some ends and answers with what was settled.
pub(crate) fn settle(project: &mut Project, wishes: &[Wish]) -> Result<SettledItems, OpError> {
    let (endings, warnings) = {
        let recorded = Recorded::read(project)?;
        endings(&recorded.items(), wishes)?
    };
    let mut settled = SettledItems { items: Vec::new(), session: String::new(), still_open: 0, warnings };
    if !endings.is_empty() {
        settled.session = record(project, &endings)?.name;
    }
    settled.items = endings.iter().map(SettledItem::ended).collect();
    settled.still_open = still_open(project, &endings)?;
    Ok(settled)
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

/// Items that are open once some are settled.
pub(super) fn still_open(project: &Project, endings: &[ItemEnding]) -> Result<usize, OpError> {
    let recorded = Recorded::read(project)?;
    let items = recorded.items();
    let is_ended = |reference: &String| endings.iter().any(|ending| ending.item.reference == *reference);
    Ok(items.open().iter().filter(|item| !is_ended(&item.reference())).count())
}

/// A reason as it is kept.
pub(crate) fn reason(because: Option<&Prose>) -> Option<String> {
    because.map(|because| because.as_str().trim().to_owned()).filter(|because| !because.is_empty())
}
