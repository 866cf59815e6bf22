//! What the sessions of a project tell at a glance.

use handoff_model::session::SessionStatus;
use handoff_model::when::Moment;
use handoff_store::{FoundSession, Sessions};

use super::{LastSession, PausedSession};

/// The sessions of one project, in short.
#[derive(Debug, Default)]
pub(super) struct SessionsAtAGlance {
    pub(super) last: Option<LastSession>,
    /// Titles of the sessions that are under way
    pub(super) active: Vec<String>,
    pub(super) paused: Vec<PausedSession>,
    pub(super) last_activity: Option<Moment>,
}

/// Sums them up. Packages are no handoffs, and do not count.
pub(super) fn at_a_glance(read: &Sessions) -> SessionsAtAGlance {
    let mut found = SessionsAtAGlance::default();
    let sessions: Vec<&FoundSession> = read.list.iter().map(AsRef::as_ref).filter(|found| found.is_handoff()).collect();
    found.last_activity = sessions.iter().filter_map(|session| session.last_active()).max();
    for FoundSession { session, .. } in &sessions {
        let title = session.headline(LONGEST_LINE);
        match session.status {
            SessionStatus::Active => found.active.push(title),
            SessionStatus::Paused => found.paused.push(PausedSession { id: session.id.clone(), title }),
            SessionStatus::Closed => {}
        }
    }
    let last = sessions.iter().find(|found| found.session.status == SessionStatus::Closed);
    found.last = last.map(|found| LastSession {
        name: found.name.clone(),
        date: found.last_active(),
        title: found.session.headline(LONGEST_LINE),
        summary: found.session.summary.clone(),
        status: found.session.status,
        tool: found.session.tool.clone(),
    });
    found
}

/// The longest line that is worth its place among other projects, in characters.
const LONGEST_LINE: usize = 100;

/// The beginning of a long line, ending with a whole word.
pub(super) fn shortened(line: &str) -> String {
    match line.char_indices().nth(LONGEST_LINE) {
        None => line.to_owned(),
        Some((cut, _)) => {
            let end = line[..cut].rfind(char::is_whitespace).filter(|end| end * 2 > cut).unwrap_or(cut);
            format!("{}…", line[..end].trim_end())
        }
    }
}
