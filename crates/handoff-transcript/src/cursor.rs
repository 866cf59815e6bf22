//! Cursor, which keeps what was said in three places: lines for each agent, a database for each session of the command
//! line, and one database for everything in the editor.

mod cli;
mod desktop;
mod home;
mod lines;
mod query;

use std::path::Path;

use handoff_model::agent::{About, Event, What};
use serde::{Deserialize, Serialize};

pub(crate) use self::home::{find_session, is_of, locate, places};
use crate::lines::{Lines, NoRecord, Tell};
use crate::sqlite::{self, Refused};
use crate::step::Step;

/// Cursor's agent transcripts.
pub(crate) struct Cursor;

/// What must be known of earlier lines.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Carried {
    /// Who the session is, until it was told
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<About>,
}

impl Lines for Cursor {
    type Carried = Carried;

    fn begin(path: &Path, _: Option<&[u8]>) -> Carried {
        Carried { about: Some(lines::about(path)) }
    }

    fn line(line: &[u8], carried: &mut Carried, tell: &mut Tell<'_>) -> Result<(), NoRecord> {
        let mut events = Vec::new();
        if !lines::line(line, &mut events) {
            return Err(NoRecord);
        }
        if let Some(about) = carried.about.take() {
            tell.say(What::About(about));
        }
        for Event { at, what, .. } in events {
            tell.at = at;
            tell.say(what);
        }
        Ok(())
    }
}

/// How far a database was read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Place {
    cli: cli::Place,
    desktop: desktop::Place,
}

/// Reads on in one of the databases.
pub(crate) fn read_on(path: &Path, session: Option<&str>, place: &Place, limit: u64) -> Result<Step<Place>, Refused> {
    if is_editor(path)? {
        let step = desktop::read_on(path, session, &place.desktop, limit)?;
        return Ok(step.with(|desktop| Place { desktop, ..Place::default() }));
    }
    let step = cli::read_on(path, &place.cli, limit)?;
    Ok(step.with(|cli| Place { cli, ..Place::default() }))
}

fn is_editor(path: &Path) -> Result<bool, Refused> {
    Ok(sqlite::has_table(&sqlite::open(path)?, "cursorDiskKV"))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare files as an agent would")]
mod tests;
