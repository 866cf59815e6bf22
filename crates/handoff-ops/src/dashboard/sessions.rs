//! What the sessions of a project tell at a glance.

use handoff_model::session::{Session, SessionKind, SessionStatus};
use handoff_model::when::Moment;
use handoff_store::Store;

use super::LastSession;

/// The sessions of one project, in short.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    pub(super) last: Option<LastSession>,
    /// Titles of the sessions that are under way
    pub(super) active: Vec<String>,
    /// What stands in the way, as the last session and those under way say
    pub(super) blockers: Vec<String>,
    pub(super) last_activity: Option<Moment>,
    /// Files that cannot be read, and why
    pub(super) damaged: Vec<String>,
}

/// Reads the sessions. Packages are no handoffs, and do not count.
pub(super) fn sessions_of(store: &Store) -> Sessions {
    const DIRECTORY: &str = "sessions";
    let mut found = Sessions::default();
    let mut sessions: Vec<(String, Session)> = Vec::new();
    let names = store.names_in(DIRECTORY, ".toml").unwrap_or_else(|error| {
        found.damaged.push(error.to_string());
        Vec::new()
    });
    for name in names {
        let path = format!("{DIRECTORY}/{name}");
        let text = match store.file(&path) {
            Ok(Some((text, _))) => text,
            Ok(None) => continue,
            Err(error) => {
                found.damaged.push(error.to_string());
                continue;
            }
        };
        match Session::read(&text) {
            Ok(session) => sessions.push((name.trim_end_matches(".toml").to_owned(), session)),
            Err(error) => found.damaged.push(format!("{path}: {error}")),
        }
    }
    sessions.retain(|(_, session)| session.kind != SessionKind::Package);
    sessions.sort_by(|(one_name, one), (name, other)| (touched(other), name).cmp(&(touched(one), one_name)));
    found.last_activity = sessions.iter().filter_map(|(_, session)| touched(session)).max();
    for (index, (_, session)) in sessions.iter().enumerate() {
        let is_open = session.status != SessionStatus::Closed;
        if session.status == SessionStatus::Active {
            found.active.push(headline(session));
        }
        for blocker in session.blockers.iter().filter(|_| is_open || index == 0) {
            if !found.blockers.contains(blocker) {
                found.blockers.push(blocker.clone());
            }
        }
    }
    found.last = sessions.into_iter().next().map(|(name, session)| LastSession {
        name,
        date: touched(&session),
        title: headline(&session),
        summary: session.summary,
        status: session.status,
        tool: session.tool,
    });
    found
}

fn touched(session: &Session) -> Option<Moment> {
    session.ended_at.or(session.started_at)
}

/// What a session is called on one line.
fn headline(session: &Session) -> String {
    let first = session.summary.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let line = session.title.as_deref().map(str::trim).filter(|title| !title.is_empty()).unwrap_or(first);
    shortened(if line.is_empty() { "untitled" } else { line })
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
