//! Where the project stands, in the words somebody gave when handing over.
//!
//! The latest handoff that has such words counts, of those up to the one that is gone on from.

use handoff_model::session::SessionStatus;
use handoff_store::{FoundSession, Sessions};

use super::context::GivenState;
use super::gather::Focus;
use crate::Page;
use crate::page::{Role, Text};

/// The words that count for what is gone on with.
pub(super) fn latest(sessions: &Sessions, focus: &Focus) -> Option<GivenState> {
    if let Some(found) = focus.sessions().find(|found| found.session.state.is_some()) {
        return given(found);
    }
    let last = focus.handoff.as_deref()?;
    let list = sessions.list.iter().map(AsRef::as_ref).skip_while(|found| found.session.id != last.session.id);
    let mut earlier = list.filter(|found| is_of_line(found, last));
    earlier.find_map(given)
}

/// Whether a session is a handoff of the same line of work.
fn is_of_line(found: &FoundSession, last: &FoundSession) -> bool {
    found.is_handoff()
        && found.session.status == SessionStatus::Closed
        && found.session.timeline == last.session.timeline
}

fn given(found: &FoundSession) -> Option<GivenState> {
    let text = found.session.state.as_ref().filter(|text| !text.trim().is_empty())?;
    let at = found.session.ended_at.or(found.session.started_at);
    Some(GivenState { text: text.clone(), session: found.name.clone(), at })
}

/// The words under a heading of their own, quoted.
pub(super) fn shown(page: Page, state: &GivenState) -> Page {
    let at = state.at.map(|at| format!(", {}", at.in_seconds())).unwrap_or_default();
    page.heading("Current state")
        .line(Text::from("as told by ").and(Role::Id, &state.session).and(Role::Dim, at))
        .prose(&state.text)
}
