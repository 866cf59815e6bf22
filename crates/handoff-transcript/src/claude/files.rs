//! Where Claude Code keeps its sessions.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use handoff_model::agent::Host;
use serde::Deserialize;

use crate::locate::Located;
use crate::rows::{Row, Rows};
use crate::text::Text;
use crate::{Env, places};

/// The directory stands in one of the first records.
const BEGINNING: u64 = 512 << 10;

/// Sub-agents write files of their own, beside the session's or, in older versions, next to it.
pub(super) fn is_subagent(path: &Path) -> bool {
    let is_named = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("agent-"));
    is_named || path.parent().is_some_and(|folder| folder.ends_with("subagents"))
}

/// The sessions that worked in a directory.
pub(crate) fn locate(env: Env<'_>, cwd: &Path) -> Vec<Located> {
    let files = folders(env).flat_map(|folder| places::entries(&folder).collect::<Vec<_>>());
    let sessions = files.filter(|path| path.extension().is_some_and(|end| end == "jsonl") && !is_subagent(path));
    let located = sessions.filter_map(|path| {
        let (session, worked_in) = beginning(&path)?;
        let modified = places::modified(&path);
        places::belongs(Path::new(&worked_in), cwd).then_some(Located {
            host: Host::ClaudeCode,
            session: session.or_else(|| Some(path.file_stem()?.to_str()?.to_owned())),
            path,
            modified,
        })
    });
    located.collect()
}

/// The file of a session, in whichever folder it lies.
pub(crate) fn find_session(env: Env<'_>, session: &str) -> Option<PathBuf> {
    let files = folders(env).map(|folder| folder.join(format!("{session}.jsonl"))).filter(|path| path.is_file());
    files.max_by_key(|path| places::modified(path))
}

/// The directory that a session worked in, as its records say.
pub(crate) fn directory_of(path: &Path) -> Option<String> {
    beginning(path).map(|(_, directory)| directory)
}

/// The folders that hold sessions, one for each directory that was worked in.
fn folders(env: Env<'_>) -> impl Iterator<Item = PathBuf> {
    places(env).into_iter().flat_map(|place| places::entries(&place).collect::<Vec<_>>())
}

/// The directories in which these folders are.
pub(crate) fn places(env: Env<'_>) -> Vec<PathBuf> {
    let configured = places::directory(env, "CLAUDE_CONFIG_DIR").map(|path| vec![path]);
    let roots = configured.unwrap_or_else(|| {
        let config = places::directory(env, "XDG_CONFIG_HOME").or_else(|| Some(places::home(env)?.join(".config")));
        let usual = places::home(env).map(|home| home.join(".claude"));
        usual.into_iter().chain(config.map(|config| config.join("claude"))).collect()
    });
    roots.into_iter().map(|root| root.join("projects")).collect()
}

/// Session and directory, as the first record that has them says.
fn beginning(path: &Path) -> Option<(Option<String>, String)> {
    #[derive(Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    struct Head<'a> {
        #[serde(borrow)]
        session_id: Text<'a>,
        #[serde(borrow)]
        cwd: Text<'a>,
    }
    let mut rows = Rows::first(File::open(path).ok()?.take(BEGINNING));
    while let Some(row) = rows.next().ok()? {
        let Row::Line(line) = row else { continue };
        let Ok(head) = serde_json::from_slice::<Head<'_>>(line) else { continue };
        if !head.cwd.is_empty() {
            return Some((head.session_id.owned(), head.cwd.owned()?));
        }
    }
    None
}
