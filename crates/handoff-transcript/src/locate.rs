//! Finding transcripts: those of a directory, and the one of a session wherever it went.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use handoff_model::agent::Host;

use crate::{Env, claude, cline, codex, cursor, gemini, opencode, places};

/// A transcript that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    pub host: Host,
    pub path: PathBuf,
    /// The session it tells of
    pub session: Option<String>,
    pub modified: SystemTime,
}

/// The transcripts of sessions that worked in a directory or below it, newest first.
///
/// Where a session worked is what its records say; names of folders are cut, changed and ambiguous. Sub-agents are left
/// out: what they did belongs to the session that started them.
pub fn locate(host: Host, env: Env<'_>, cwd: &Path) -> Vec<Located> {
    let mut found = match host {
        Host::ClaudeCode => claude::locate(env, cwd),
        Host::Codex => codex::locate(env, cwd),
        Host::Gemini => gemini::locate(env, cwd),
        Host::OpenCode => opencode::locate(env, cwd),
        Host::Cline => cline::locate(env, cwd),
        Host::Cursor => cursor::locate(env, cwd),
        Host::Copilot | Host::VsCode => Vec::new(),
    };
    found.sort_by(|one, other| other.modified.cmp(&one.modified).then_with(|| one.path.cmp(&other.path)));
    found
}

/// The transcript of a session, also when it was moved, archived or compressed since.
pub fn find_session(host: Host, env: Env<'_>, session: &str) -> Option<PathBuf> {
    if !places::is_plain(session) {
        return None;
    }
    match host {
        Host::ClaudeCode => claude::find_session(env, session),
        Host::Codex => codex::find_session(env, session),
        Host::Gemini => gemini::find_session(env, session),
        Host::OpenCode => opencode::find_session(env, session),
        Host::Cline => cline::find_session(env, session),
        Host::Cursor => cursor::find_session(env, session),
        Host::Copilot | Host::VsCode => None,
    }
}
