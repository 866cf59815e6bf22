//! Gemini CLI: records in lines, or in older versions one document.

mod home;
mod record;
mod words;

use std::io;
use std::path::Path;

use handoff_model::agent::{About, Event};
use serde::{Deserialize, Serialize};

pub(crate) use self::home::{find_session, is_of, locate, places};
use self::record::{Carried, Record};
use crate::document::{self, Look, Stamp};
use crate::lines::{Lines, NoRecord, Tell};
use crate::step::Step;

pub(crate) struct Gemini;

impl Lines for Gemini {
    type Carried = Carried;

    fn begin(path: &Path, first: Option<&[u8]>) -> Carried {
        Carried::beginning(about(path), first)
    }

    fn line(line: &[u8], carried: &mut Carried, tell: &mut Tell<'_>) -> Result<(), NoRecord> {
        let mut events = Vec::new();
        let is_record = carried.line(line, &mut events);
        for Event { at, what, .. } in events {
            tell.at = at;
            tell.say(what);
        }
        if is_record { Ok(()) } else { Err(NoRecord) }
    }
}

/// How far a document was read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Place {
    stamp: Stamp,
    taken: usize,
    carried: Option<Carried>,
    steps: u64,
}

/// Whether the transcript is one document.
pub(crate) fn is_document(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

/// Reads what is new in a document; one larger than the limit is left alone.
pub(crate) fn read_document(path: &Path, place: &Place, limit: u64) -> io::Result<Step<Place>> {
    let mut step = Step::nothing(place.clone());
    let Look::Changed(stamp, value) = document::look(path, place.stamp, limit)? else { return Ok(step) };
    let Some(mut whole) = value.and_then(|value| serde_json::from_value::<Record>(value).ok()) else {
        step.unreadable = 1;
        return Ok(step);
    };
    step.mark.stamp = stamp;
    let messages = whole.messages.take().unwrap_or_default();
    let mut carried = place.carried.clone().unwrap_or_else(|| Carried::beginning(about(path), None));
    let mut events = Vec::new();
    step.lines = messages.len() as u64;
    step.mark.taken = messages.len();
    for (index, message) in messages.into_iter().enumerate().skip(place.taken) {
        let before = events.len();
        carried.record(message, &mut events);
        events[before..].iter_mut().for_each(|event| event.line = Some(index as u64 + 1));
    }
    step.mark.carried = Some(carried);
    if !events.is_empty() {
        Carried::session(&whole, &mut events);
        step.tell(events);
        step.from = place.steps;
        step.mark.steps += 1;
    }
    Ok(step)
}

/// What the place of a transcript says about it: its project, and for a sub-agent who started it.
fn about(path: &Path) -> About {
    let chats =
        path.ancestors().skip(1).take(2).find(|directory| directory.file_name().is_some_and(|name| name == "chats"));
    let parent = path.parent().filter(|parent| Some(*parent) != chats).filter(|_| chats.is_some());
    let parent = parent.and_then(Path::file_name).and_then(|name| name.to_str()).map(str::to_owned);
    let cwd = chats.and_then(Path::parent).and_then(home::project_root);
    About { is_subagent: parent.is_some(), parent, cwd, ..About::default() }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare files as an agent would")]
mod tests;
