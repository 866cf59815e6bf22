//! Agents that keep their transcripts in several forms: lines, documents and databases.

use handoff_model::agent::Host;

use crate::cursor::Cursor;
use crate::gemini::Gemini;
use crate::mark::Mark;
use crate::piece::{Piece, Transcript};
use crate::source::{Source, Unreadable};
use crate::{cline, cursor, gemini, lines, opencode, sqlite};

/// Reads all of a transcript.
pub(crate) fn read(source: &Source) -> Result<Transcript, Unreadable> {
    let path = source.path.as_path();
    let wrong = |error| Unreadable::io(path, error);
    match source.host {
        Host::Gemini if !gemini::is_document(path) => lines::read::<Gemini>(path, source.open()?).map_err(wrong),
        Host::Cursor if !sqlite::is_database(path) => lines::read::<Cursor>(path, source.open()?).map_err(wrong),
        _ => {
            let Piece { digest, activity, lines, unreadable, .. } = read_on(source, &Mark::default(), u64::MAX)?;
            Ok(Transcript { digest, activity, lines, unreadable })
        }
    }
}

/// Reads what is new since `mark`.
pub(crate) fn read_on(source: &Source, mark: &Mark, limit: u64) -> Result<Piece, Unreadable> {
    let path = source.path.as_path();
    let session = source.session.as_deref();
    let wrong = |error| Unreadable::io(path, error);
    let refused = |refused| Unreadable::refused(source, &refused);
    match source.host {
        Host::Gemini if gemini::is_document(path) => {
            gemini::read_document(path, &mark.carried(), limit).map(Piece::from).map_err(wrong)
        }
        Host::Gemini => lines::read_on::<Gemini>(source, mark, limit),
        Host::OpenCode => opencode::read_on(path, session, &mark.carried(), limit).map(Piece::from).map_err(refused),
        Host::Cline => {
            let Some(session) = cline::Session::of(path, session) else { return Err(missing(source)) };
            cline::read_on(&session, &mark.carried(), limit).map(Piece::from).map_err(wrong)
        }
        Host::Cursor if sqlite::is_database(path) => {
            cursor::read_on(path, session, &mark.carried(), limit).map(Piece::from).map_err(refused)
        }
        Host::Cursor => lines::read_on::<Cursor>(source, mark, limit),
        host => Err(Unreadable::NoReader { host }),
    }
}

fn missing(source: &Source) -> Unreadable {
    let path = source.path.clone();
    if path.exists() { Unreadable::Foreign { path, host: source.host } } else { Unreadable::Missing { path } }
}
