//! Reading the file: each step by its kind, each mistake with its place.

use std::time::Duration;

use jiff::SignedDuration;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::{Act, Action, Compatible, Declared, Handover, Source, When, compatible};
use crate::FORMAT;
use crate::close::nearest;
use crate::document::one_line;

/// Why a list of steps is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", .line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct BadHandover {
    pub line: Option<usize>,
    pub reason: String,
}

impl BadHandover {
    pub(super) fn new(reason: impl Into<String>) -> BadHandover {
        BadHandover { line: None, reason: reason.into() }
    }

    pub(super) fn at(mut self, line: Option<usize>) -> BadHandover {
        self.line = self.line.or(line);
        self
    }
}

/// More steps than anybody declares.
const MOST_STEPS: usize = 100;
/// How long a step may take.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_hours(24);
const LONGEST_BACKOFF: Duration = Duration::from_hours(1);
const MOST_RETRIES: u32 = 100;

pub(super) fn read(text: &str) -> Result<Handover, BadHandover> {
    let mut table: Table = toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| line_of(text, span.start));
        BadHandover { line, reason: one_line(error.message()) }
    })?;
    match table.remove("format") {
        None => {}
        Some(Value::Integer(format)) if format == i64::from(FORMAT) => {}
        Some(Value::Integer(format)) if format > i64::from(FORMAT) => {
            return Err(BadHandover::new(format!(
                "it is of format {format}, and this version of handoff reads format {FORMAT}: a newer one is needed"
            ))
            .at(line_with(text, "format")));
        }
        Some(_) => return Err(BadHandover::new("`format` is not `1`").at(line_with(text, "format"))),
    }
    let mut tag = taken(&mut table, "tag").map_err(|error| error.at(line_with(text, "tag")))?;
    let compatible = compatible::take(&mut table).map_err(|error| error.at(None))?;
    let steps = match table.remove("step") {
        None => None,
        Some(Value::Array(steps)) => Some(steps),
        Some(_) => return Err(BadHandover::new("write each step below a line `[[step]]`").at(line_with(text, "step"))),
    };
    if let Some(unknown) = table.keys().next() {
        let known = ["step", "tag", "format", "handover", "note", "backend"];
        return Err(BadHandover::new(unknown_key(unknown, &known)).at(line_with(text, unknown)));
    }
    if let Some(Compatible { tag: Some(theirs), .. }) = &compatible {
        tag = tag.or_else(|| Some(theirs.clone()));
    }
    let steps = match (steps, &compatible) {
        (Some(steps), _) => declared(text, steps)?,
        (None, Some(compatible)) => compatible.steps(),
        (None, None) => return Err(BadHandover::new("it declares no step: write each below a line `[[step]]`")),
    };
    Ok(Handover { tag, steps, compatible })
}

fn declared(text: &str, values: Vec<Value>) -> Result<Vec<Declared>, BadHandover> {
    let lines: Vec<usize> = (text.lines().enumerate())
        .filter(|(_, line)| line.trim_start().starts_with("[[step]]"))
        .map(|(at, _)| at + 1)
        .collect();
    if values.is_empty() {
        return Err(BadHandover::new("it declares no step: write each below a line `[[step]]`"));
    }
    if values.len() > MOST_STEPS {
        return Err(BadHandover::new(format!("{} steps are too many: at most {MOST_STEPS}", values.len())));
    }
    let mut steps: Vec<Declared> = Vec::new();
    for (at, value) in values.into_iter().enumerate() {
        let line = lines.get(at).copied();
        let Value::Table(table) = value else {
            return Err(BadHandover::new(format!("step {} is no table", at + 1)).at(line));
        };
        let step = step(table)
            .map_err(|error| BadHandover { reason: format!("step {}: {}", at + 1, error.reason), ..error }.at(line))?;
        if steps.iter().any(|other| other.id == step.id) {
            let reason = format!("two steps have the id `{}`: give one of them an `id` of its own", step.id);
            return Err(BadHandover::new(reason).at(line));
        }
        steps.push(step);
    }
    Ok(steps)
}

fn step(mut table: Table) -> Result<Declared, BadHandover> {
    let kind: String = taken(&mut table, "kind")?
        .ok_or_else(|| BadHandover::new(format!("`kind` is missing: one of {}", Action::KINDS.join(", "))))?;
    let id: String = taken(&mut table, "id")?.unwrap_or_else(|| kind.clone());
    if !is_id(&id) {
        return Err(BadHandover::new(format!(
            "`{}` cannot be an id: at most 40 letters, digits, `-` and `_`, beginning with a letter",
            one_line(&id)
        )));
    }
    let when: When = taken(&mut table, "when")?.unwrap_or_default();
    let timeout = length(&mut table, "timeout")?;
    let retries: Option<u32> = taken(&mut table, "retries")?;
    let backoff = length(&mut table, "backoff")?;
    let action = action(&kind, table)?;
    let mut declared = Declared::usual(&id, action);
    declared.act.when = when;
    if let Some(timeout) = timeout {
        if !(SHORTEST..=LONGEST).contains(&timeout) {
            return Err(BadHandover::new("`timeout` must lie between 1s and 24h"));
        }
        declared.act.timeout_seconds = timeout.as_secs() + u64::from(timeout.subsec_nanos() > 0);
    }
    if let Some(retries) = retries {
        if retries > MOST_RETRIES {
            return Err(BadHandover::new(format!("`retries` must be at most {MOST_RETRIES}")));
        }
        declared.retries = retries;
    }
    if let Some(backoff) = backoff {
        if backoff > LONGEST_BACKOFF {
            return Err(BadHandover::new("`backoff` must lie between 0s and 1h"));
        }
        declared.backoff_milliseconds = u64::try_from(backoff.as_millis()).unwrap_or(u64::MAX);
    }
    check(&declared.act)?;
    Ok(declared)
}

fn action(kind: &str, table: Table) -> Result<Action, BadHandover> {
    Ok(match kind {
        "collect" => Action::Collect(of(table)?),
        "close" => Action::Close(of(table)?),
        "note" => Action::Note(of(table)?),
        "state" => Action::State(of(table)?),
        "mirror" => Action::Mirror(of(table)?),
        "compact" => Action::Compact(of(table)?),
        "pack" => Action::Pack(of(table)?),
        "export" => Action::Export(of(table)?),
        "command" => Action::Command(of(table)?),
        "publish" => Action::Publish(of(table)?),
        _ => {
            let near = nearest(kind, Action::KINDS).map(|near| format!("; did you mean `{near}`?"));
            let near = near.unwrap_or_else(|| format!(": it is one of {}", Action::KINDS.join(", ")));
            return Err(BadHandover::new(format!("there is no kind `{}`{near}", one_line(kind))));
        }
    })
}

/// Checks a step that was not read from a list but from a state file: it must be one that a list could declare.
pub(super) fn check_declared(declared: &Declared) -> Result<(), BadHandover> {
    let Declared { id, act, retries, backoff_milliseconds } = declared;
    if !is_id(id) {
        return Err(BadHandover::new(format!("`{}` cannot be the id of a step", one_line(id))));
    }
    let is_bounded = act.timeout_seconds <= LONGEST.as_secs()
        && *retries <= MOST_RETRIES
        && Duration::from_millis(*backoff_milliseconds) <= LONGEST_BACKOFF;
    if !is_bounded {
        return Err(BadHandover::new(format!("step `{id}` takes longer than any list may say")));
    }
    let (key, paths): (&str, Vec<&String>) = match &act.action {
        Action::Command(command) => ("directory", command.directory.iter().collect()),
        Action::Mirror(mirror) => ("to", mirror.to.iter().collect()),
        Action::Export(export) => ("output", vec![&export.output]),
        Action::Publish(publish) => ("paths", publish.paths.iter().flatten().collect()),
        _ => ("", Vec::new()),
    };
    // `.` is what the directory of a mirror is called that is the project itself.
    let is_elsewhere = |path: &&String| path.as_str() != ".";
    paths.into_iter().filter(is_elsewhere).try_for_each(|path| below(key, path))?;
    act.when.file.iter().try_for_each(|file| below("file", file))
}

/// What goes beyond types.
fn check(act: &Act) -> Result<(), BadHandover> {
    act.when.file.iter().try_for_each(|file| below("file", file))?;
    match &act.action {
        Action::Command(command) => {
            if command.run.first().is_none_or(|program| program.trim().is_empty()) {
                return Err(BadHandover::new(
                    "`run` is empty: write the program and its arguments, [\"make\", \"docs\"]",
                ));
            }
            let has_zero = |text: &String| text.contains('\0');
            if command.run.iter().any(has_zero) || command.env.values().any(has_zero) {
                return Err(BadHandover::new("a zero byte cannot be given to a program"));
            }
            let is_name = |name: &String| !name.is_empty() && !name.contains(['=', '\0']);
            match command.env.keys().find(|name| !is_name(name)) {
                Some(bad) => Err(BadHandover::new(format!("`{}` cannot be the name of a variable", one_line(bad)))),
                None => command.directory.iter().try_for_each(|dir| below("directory", dir)),
            }
        }
        Action::Mirror(mirror) => mirror.to.iter().try_for_each(|to| below("to", to)),
        Action::Export(export) => below("output", &export.output),
        Action::Publish(publish) => {
            let paths = publish.paths.as_deref();
            if paths.is_some_and(<[String]>::is_empty) {
                return Err(BadHandover::new("`paths` is empty: name what to publish, or leave it out"));
            }
            paths.unwrap_or_default().iter().try_for_each(|path| below("paths", path))
        }
        Action::Collect(collect) => {
            let is_twice = |at: usize, source: &Source| collect.from[..at].contains(source);
            match collect.from.iter().enumerate().find(|(at, source)| is_twice(*at, source)) {
                Some(_) => Err(BadHandover::new("`from` names one source twice")),
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

/// Whether a path stays below the project; what links make of it is seen when it is used.
pub(super) fn below(key: &str, path: &str) -> Result<(), BadHandover> {
    let leaves = path.starts_with(['/', '\\', '~'])
        || path.contains(':') && cfg!(windows)
        || path.split(['/', '\\']).any(|part| part == "..");
    let names_nothing = path.split(['/', '\\']).all(|part| part.trim().is_empty() || part == ".");
    if names_nothing && key != "paths" || path.contains('\0') || leaves {
        let reason = format!("`{key}` must be a path below the project, not `{}`", one_line(path));
        return Err(BadHandover::new(reason));
    }
    Ok(())
}

/// Returns whether a text can be the id of a step, which stands in file names, in variables and on command lines.
pub(super) fn is_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    id.len() <= 40 && id.bytes().all(plain) && id.bytes().next().is_some_and(|first| first.is_ascii_alphabetic())
}

/// A length of time: `"30s"`, `"5m"`, or a number of seconds.
fn length(table: &mut Table, key: &str) -> Result<Option<Duration>, BadHandover> {
    let wrong =
        |what: &str| BadHandover::new(format!("`{key}` is no length of time: write `\"30s\"` or `\"5m\"`, not {what}"));
    let Some(value) = table.remove(key) else { return Ok(None) };
    let read = match &value {
        Value::Integer(seconds) => u64::try_from(*seconds).ok().map(Duration::from_secs),
        Value::Float(seconds) => Duration::try_from_secs_f64(*seconds).ok(),
        Value::String(text) => text.trim().parse::<SignedDuration>().ok().and_then(|span| span.try_into().ok()),
        other => return Err(wrong(&format!("a value of type {}", other.type_str()))),
    };
    let shown = || format!("`{}`", one_line(value.as_str().unwrap_or(&value.to_string())));
    read.map(Some).ok_or_else(|| wrong(&shown()))
}

/// Takes a key out of a table, as what it must be.
pub(super) fn taken<T: DeserializeOwned>(table: &mut Table, key: &str) -> Result<Option<T>, BadHandover> {
    let Some(value) = table.remove(key) else { return Ok(None) };
    value.try_into().map(Some).map_err(|error| BadHandover::new(format!("`{key}`: {}", one_line(error.message()))))
}

fn of<T: DeserializeOwned>(table: Table) -> Result<T, BadHandover> {
    Value::Table(table).try_into().map_err(|error: toml::de::Error| BadHandover::new(one_line(error.message())))
}

fn unknown_key(key: &str, known: &[&str]) -> String {
    match nearest(key, known.iter().copied()) {
        Some(near) => format!("there is no `{}` here; did you mean `{near}`?", one_line(key)),
        None => format!("there is no `{}` here: write each step below a line `[[step]]`", one_line(key)),
    }
}

fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

/// The line on which a key or table of this name stands.
fn line_with(text: &str, key: &str) -> Option<usize> {
    let is_it = |line: &str| line.trim_start().trim_start_matches('[').starts_with(key);
    text.lines().position(is_it).map(|at| at + 1)
}
