//! One value under a name that is ours, such as the registration of the server.

use std::path::Path;

use serde_json::Value;

use super::super::edit::{Draft, Refusal, json, toml};
use super::super::ours::{Whose, whose_server};
use super::{Found, Language, Leave, State};

pub(super) fn get(language: Language, draft: &Draft, at: &[String]) -> Result<Option<Value>, Refusal> {
    match language {
        Language::Json => json::get(draft, at),
        Language::Toml => toml::get(draft, at),
    }
}

pub(super) fn set(language: Language, draft: &mut Draft, at: &[String], value: &Value) -> Result<(), Refusal> {
    match language {
        Language::Json => json::put(draft, at, value),
        Language::Toml => toml::put(draft, at, value),
    }
}

fn unset(language: Language, draft: &mut Draft, at: &[String]) -> Result<(), Refusal> {
    match language {
        Language::Json => json::remove_property(draft, at),
        Language::Toml => toml::remove(draft, at),
    }
}

pub(super) fn put(
    language: Language,
    at: &[String],
    value: &Value,
    draft: &mut Draft,
    leave: Leave<'_>,
) -> Result<Found, Refusal> {
    let mut foreign = Vec::new();
    for other in others(language, at, value, draft, leave.program)? {
        foreign.push(format!("the server `{}` of handoff-mcp", other.last().map_or("", String::as_str)));
        if leave.replaces {
            unset(language, draft, &other)?;
        }
    }
    let Some(present) = get(language, draft, at)? else {
        if !foreign.is_empty() && !leave.replaces {
            return Ok(Found { foreign, ..Found::plain(State::Foreign) });
        }
        set(language, draft, at, value)?;
        return Ok(Found { foreign, ..Found::plain(State::Missing) });
    };
    match whose(&present, value, leave.program) {
        Whose::Ours => {
            let before = draft.hunks.len();
            merge(language, at, value, &present, draft)?;
            let state = if draft.hunks.len() > before { State::Outdated } else { State::Current };
            let started = started(&present).filter(|program| started(value).as_ref() != Some(program));
            Ok(Found { foreign, starts: started, ..Found::plain(state) })
        }
        Whose::Peer if !leave.replaces => {
            foreign.push(format!("the server `{}` of handoff-mcp", at.last().map_or("", String::as_str)));
            Ok(Found { foreign, ..Found::plain(State::Foreign) })
        }
        Whose::Peer => {
            set(language, draft, at, value)?;
            Ok(Found { foreign, ..Found::plain(State::Outdated) })
        }
        Whose::Other if leave.forces => {
            set(language, draft, at, value)?;
            Ok(Found { foreign, ..Found::plain(State::Outdated) })
        }
        Whose::Other => Err(Refusal::Taken { at: at.join(".") }),
    }
}

pub(super) fn take(
    language: Language,
    at: &[String],
    value: &Value,
    draft: &mut Draft,
    program: &Path,
) -> Result<(), Refusal> {
    let Some(present) = get(language, draft, at)? else { return Ok(()) };
    if whose(&present, value, program) != Whose::Ours {
        return Ok(());
    }
    unset(language, draft, at)?;
    if language == Language::Json {
        json::prune(draft, &at[..at.len() - 1])?;
    }
    Ok(())
}

/// Whose the present value is; what starts no program can only be ours under our name.
fn whose(present: &Value, ours: &Value, program: &Path) -> Whose {
    if ours.get("command").is_some() { whose_server(present, program) } else { Whose::Ours }
}

/// The program that an entry starts.
fn started(entry: &Value) -> Option<String> {
    let command = entry.get("command")?;
    command.as_str().or_else(|| command.get(0)?.as_str()).map(str::to_owned)
}

/// Servers under other names whose place ours takes.
fn others(
    language: Language,
    at: &[String],
    value: &Value,
    draft: &Draft,
    program: &Path,
) -> Result<Vec<Vec<String>>, Refusal> {
    let Some((name, above)) = at.split_last().filter(|_| value.get("command").is_some()) else {
        return Ok(Vec::new());
    };
    let Some(Value::Object(siblings)) = get(language, draft, above)? else { return Ok(Vec::new()) };
    let peers = siblings.iter().filter(|(other, entry)| *other != name && whose_server(entry, program) == Whose::Peer);
    Ok(peers.map(|(other, _)| above.iter().chain([other]).cloned().collect()).collect())
}

/// Changes what differs and leaves what was added.
fn merge(language: Language, at: &[String], value: &Value, present: &Value, draft: &mut Draft) -> Result<(), Refusal> {
    match (value, present) {
        (Value::Object(wanted), Value::Object(there)) => {
            for (name, value) in wanted {
                let below: Vec<String> = at.iter().chain([name]).cloned().collect();
                match there.get(name) {
                    Some(present) => merge(language, &below, value, present, draft)?,
                    None => set(language, draft, &below, value)?,
                }
            }
            Ok(())
        }
        (Value::Array(wanted), Value::Array(there)) => {
            let further = there.get(wanted.len()..).unwrap_or_default();
            let merged: Vec<Value> = wanted.iter().chain(further).cloned().collect();
            if merged == *there { Ok(()) } else { set(language, draft, at, &Value::Array(merged)) }
        }
        (wanted, there) if wanted == there => Ok(()),
        (wanted, _) => set(language, draft, at, wanted),
    }
}
