//! agent-handover: three layers of Markdown notes, and a checkpoint that tells how far a handover came.

use std::fs;
use std::path::{Component, Path, PathBuf};

use handoff_model::layers;
use handoff_model::session::SessionKind;
use handoff_model::when::{Day, Moment};
use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::record::{Draft, first_line};
use crate::source::{self, Entry, Kind};
use crate::{Reading, System, Taken, Unreadable};

pub(crate) fn read(reading: Reading<'_>) -> Result<Taken, Unreadable> {
    let root = source::directory(reading.path)?;
    let places = Places::of(&root);
    let mut taken = Taken::default();
    for month in source::list(&places.memory.join("layer1"))? {
        match month.kind {
            Kind::Directory => notes(&month.path, Layer::Session, reading.now, &mut taken)?,
            Kind::File => note(&month, Layer::Session, reading.now, &mut taken),
            Kind::Other => taken.left_out.push(not_plain(&month)),
        }
    }
    notes(&places.memory.join("layer2"), Layer::State, reading.now, &mut taken)?;
    notes(&places.memory.join("layer3"), Layer::Archive, reading.now, &mut taken)?;
    checkpoint(&places.checkpoint, reading.now, &mut taken);
    let is_empty = taken.content.sessions.is_empty() && taken.left_out.is_empty() && taken.notes.is_empty();
    if is_empty {
        return Err(Unreadable::Missing(reading.path.to_owned()));
    }
    Ok(taken)
}

/// Where the notes and the checkpoint lie.
struct Places {
    memory: PathBuf,
    checkpoint: PathBuf,
}

impl Places {
    /// As the settings of the tool say, where they lie inside; a directory that holds the layers itself counts too.
    fn of(root: &Path) -> Places {
        let settings = source::read(&root.join("handover.toml")).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let settings: toml::Table = settings.and_then(|text| text.parse().ok()).unwrap_or_default();
        let settings = settings.get("handover").and_then(toml::Value::as_table);
        let said = |key: &str| {
            let path = Path::new(settings?.get(key)?.as_str()?);
            let is_inside = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
            is_inside.then(|| root.join(path))
        };
        let holds_layers = ["layer1", "layer2", "layer3"].iter().any(|layer| root.join(layer).is_dir());
        let (memory, above) = if holds_layers {
            (root.to_owned(), root.parent().unwrap_or(root))
        } else {
            (said("memory_dir").unwrap_or_else(|| root.join("memory")), root)
        };
        let checkpoint = said("checkpoint").unwrap_or_else(|| above.join(".agent-handover/checkpoint.json"));
        Places { memory, checkpoint }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Layer {
    Session,
    State,
    Archive,
}

impl Layer {
    /// The layer of our own that is written to the same place.
    fn mirrored(self) -> layers::Layer {
        match self {
            Layer::Session => layers::Layer::Notes,
            Layer::State => layers::Layer::State,
            Layer::Archive => layers::Layer::Archive,
        }
    }
}

fn notes(dir: &Path, layer: Layer, now: Moment, taken: &mut Taken) -> Result<(), Unreadable> {
    for entry in source::list(dir)? {
        match entry.kind {
            Kind::File => note(&entry, layer, now, taken),
            Kind::Directory => taken.left_out.push(format!("{}: no directory belongs there", entry.path.display())),
            Kind::Other => taken.left_out.push(not_plain(&entry)),
        }
    }
    Ok(())
}

fn not_plain(entry: &Entry) -> String {
    format!("{}: it is a link or no plain file, and is not read", entry.path.display())
}

fn note(entry: &Entry, layer: Layer, now: Moment, taken: &mut Taken) {
    let Some(stem) = entry.name.strip_suffix(".md") else {
        taken.left_out.push(format!("{}: it is no note", entry.path.display()));
        return;
    };
    let bytes = match source::read(&entry.path) {
        Ok(bytes) => bytes,
        Err(error) => {
            taken.left_out.push(error.to_string());
            return;
        }
    };
    // A mirror that we made is of records that are kept elsewhere; only what others wrote into such a file counts.
    let bytes = match layers::of_others(layer.mirrored(), &bytes) {
        None => bytes,
        Some(theirs) if theirs.trim_ascii().is_empty() => {
            taken.left_out.push(format!("{}: handoff made it from records of its own", entry.path.display()));
            return;
        }
        Some(theirs) => theirs.to_vec(),
    };
    let kind = if layer == Layer::Session { SessionKind::Session } else { SessionKind::Record };
    let mut draft = Draft::new(System::AgentHandover, stem, kind, now);
    draft.is_of_its_content(&[entry.name.as_bytes(), &bytes]);
    let (said, body) = without_head(&bytes);
    let (tag, named) = match layer {
        Layer::Session => split_note(stem),
        Layer::State => (None, None),
        Layer::Archive => split_archive(stem),
    };
    let day = said.or(named);
    match day.and_then(|day| format!("{day}T00:00:00Z").parse::<Moment>().ok()) {
        Some(at) => draft.made_at("date", &at.to_string(), now, taken),
        None => {
            let modified = fs::metadata(&entry.path).and_then(|metadata| metadata.modified()).ok();
            let at = modified.and_then(|at| Timestamp::try_from(at).ok()).map_or(now, Moment::new);
            taken.changed.push(format!("`{}` tells no date; it gets that of its file", entry.name));
            (draft.session.started_at, draft.session.ended_at) = (Some(at), Some(at));
        }
    }
    // Of one day, where things stand was written last.
    let behind = i64::from(layer == Layer::State);
    draft.session.ended_at = draft
        .session
        .ended_at
        .and_then(|at| Moment::from_milliseconds(at.timestamp().as_millisecond().saturating_add(behind)));
    let text = String::from_utf8_lossy(body);
    draft.session.title = Some(match layer {
        Layer::Session => first_line(&text),
        Layer::State => "Current state".to_owned(),
        Layer::Archive => format!("Archive {}", stem.trim_end_matches("-archive")),
    })
    .filter(|title| !title.is_empty());
    draft.session.summary = first_line(&text);
    draft.session.tool = tag.filter(|tag| ["codex", "cline", "opencode"].contains(tag)).map(str::to_owned);
    draft.session.tags = tag.into_iter().map(str::to_owned).collect();
    draft.finish(&[entry.name.as_bytes(), &bytes], Some(body.to_vec()), now, taken);
}

/// The date in the comment that the tool puts on the first line, and what follows it.
fn without_head(bytes: &[u8]) -> (Option<Day>, &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| end + 1);
    let head = std::str::from_utf8(&bytes[..end]).unwrap_or_default().trim();
    let inside = head.strip_prefix("<!--").and_then(|head| head.strip_suffix("-->")).unwrap_or_default();
    let mut parts = inside.split('|').map(str::trim);
    let is_theirs = parts.next() == Some("agent-handover");
    let day = parts.nth(1).and_then(|day| day.parse().ok());
    if is_theirs { (day, &bytes[end..]) } else { (None, bytes) }
}

/// The tag and the day of `codex-2026-11-15`.
fn split_note(stem: &str) -> (Option<&str>, Option<Day>) {
    let at = stem.len().saturating_sub("-2026-11-15".len());
    let day = stem.get(at..).and_then(|day| day.strip_prefix('-')).and_then(|day| day.parse::<Day>().ok());
    match day {
        Some(day) => (stem.get(..at).filter(|tag| !tag.is_empty()), Some(day)),
        None => (Some(stem), None),
    }
}

/// The tag and the first day of the month of `2026-10-codex-archive`.
fn split_archive(stem: &str) -> (Option<&str>, Option<Day>) {
    let inner = stem.strip_suffix("-archive").unwrap_or(stem);
    let day = inner.get(..7).and_then(|month| format!("{month}-01").parse::<Day>().ok());
    match day {
        Some(day) => (inner.get(8..).filter(|tag| !tag.is_empty()), Some(day)),
        None => (Some(inner), None),
    }
}

/// How far a handover came. Only one that was cut off is taken: what is left of it is still to be done.
fn checkpoint(path: &Path, now: Moment, taken: &mut Taken) {
    let bytes = match source::read(path) {
        Ok(bytes) => bytes,
        Err(Unreadable::Missing(_)) => return,
        Err(error) => {
            taken.left_out.push(error.to_string());
            return;
        }
    };
    let value: Option<Map<String, Value>> = serde_json::from_slice(&bytes).ok();
    let status = value.as_ref().and_then(|value| value.get("status")?.as_str());
    let (Some(value), Some(status)) = (&value, status) else {
        taken.left_out.push("the checkpoint: it is corrupt, so nothing tells how far a handover came".to_owned());
        return;
    };
    let steps = value.get("steps").and_then(Value::as_object);
    let pending: Vec<&str> =
        steps.into_iter().flatten().filter(|(_, mark)| *mark != "done").map(|(name, _)| name.as_str()).collect();
    match (status, pending.is_empty()) {
        ("completed", true) => taken.notes.push("the checkpoint says that the last handover was completed".to_owned()),
        ("in_progress", true) => {
            taken.notes.push("the checkpoint says that all steps of the last handover were done".to_owned());
        }
        ("none", _) => {}
        ("in_progress" | "completed", false) => {
            let names = pending.join(", ");
            taken.notes.push(format!(
                "a handover was interrupted: these steps are still to be done: {names}; the last note may be incomplete"
            ));
            let mut draft = Draft::new(System::AgentHandover, "checkpoint", SessionKind::Record, now);
            draft.is_of_its_content(&[&bytes]);
            let started = value.get("started_at").and_then(Value::as_str).unwrap_or_default();
            draft.made_at("started_at", started, now, taken);
            draft.session.title = Some("Interrupted handover".to_owned());
            draft.session.summary = format!("A handover of agent-handover was interrupted before: {names}");
            let next = pending.iter().map(|step| format!("Finish the step `{step}` of the interrupted handover"));
            draft.session.next = next.collect();
            for (key, value) in value {
                draft.keep(key, value.clone());
            }
            draft.finish(&[&bytes], None, now, taken);
        }
        (other, _) => taken.left_out.push(format!("the checkpoint: its status `{other}` is unknown")),
    }
}
