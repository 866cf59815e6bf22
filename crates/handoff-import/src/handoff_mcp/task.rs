//! Tasks of handoff-mcp: a directory each, with the status in the name of the file.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use handoff_bundle::CarriedTask;
use handoff_model::id::TaskId;
use handoff_model::origin::Origin;
use handoff_model::task::{Criterion, Link, LinkType, Priority, Schedule, Status, Task};
use handoff_model::text::{Hours, Title};
use handoff_model::when::{Day, Moment};
use handoff_model::{MAX_DEPTH, MAX_FILE_BYTES};
use serde_json::{Map, Value};

use super::{object, temporary, told};
use crate::record::{digest, hexadecimal, task_id, text, texts, unknown};
use crate::source::{self, Entry, Kind};
use crate::{System, Taken, Unreadable, time};

/// The new ids of tasks by what they were called; of several with one name the first.
pub(super) type Ids = HashMap<String, TaskId>;

const KNOWN: [&str; 14] = [
    "id",
    "title",
    "notes",
    "priority",
    "created_at",
    "completed_at",
    "labels",
    "links",
    "task_links",
    "done_criteria",
    "schedule",
    "dependencies",
    "order",
    "assignee",
];

/// A task that was read, before the ids it refers to are known.
struct Draft {
    task: Task,
    parent: Option<TaskId>,
    number: u32,
    old_id: String,
    dependencies: Vec<String>,
}

/// The status that the name of a task's file tells.
pub(super) fn status(name: &str) -> Option<Status> {
    name.strip_prefix("_task.")?.strip_suffix(".json")?.parse().ok()
}

pub(super) fn all(dir: &Path, now: Moment, taken: &mut Taken) -> Result<Ids, Unreadable> {
    let mut drafts = Vec::new();
    let mut walk = Walk { top: dir, now, taken, drafts: &mut drafts };
    walk.siblings(dir, None, 1)?;
    let mut ids = Ids::new();
    let mut holders: BTreeMap<&str, usize> = BTreeMap::new();
    for draft in &drafts {
        ids.entry(draft.old_id.clone()).or_insert(draft.task.id);
        *holders.entry(&draft.old_id).or_default() += 1;
    }
    for (id, count) in holders.into_iter().filter(|(_, count)| *count > 1) {
        let what = format!("{count} tasks are called `{id}`; each is taken, and what refers to `{id}` means the first");
        taken.changed.push(what);
    }
    for mut draft in drafts {
        let mut lost = Vec::new();
        for old in &draft.dependencies {
            match ids.get(old) {
                Some(id) if *id != draft.task.id => draft.task.dependencies.push(*id),
                _ => lost.push(Value::from(old.as_str())),
            }
        }
        draft.task.dependencies.dedup();
        if let Some(origin) = draft.task.origin.as_mut().filter(|_| !lost.is_empty()) {
            let what = format!("task `{}` depends on tasks that are not there; their names are kept", draft.old_id);
            taken.changed.push(what);
            origin.fields.insert("dependencies".to_owned(), lost.into());
        }
        let text = draft.task.print();
        if text.len() > MAX_FILE_BYTES || Task::read(&text).is_err() {
            taken.left_out.push(format!("task `{}`: it cannot be written down as one file", draft.old_id));
            continue;
        }
        let Draft { task, parent, number, .. } = draft;
        taken.content.tasks.push(CarriedTask { id: task.id, parent, number: Some(number), text, archived: false });
    }
    Ok(ids)
}

/// A status, and what a file with it says.
type Fields = (Status, Map<String, Value>);

struct Walk<'a> {
    top: &'a Path,
    now: Moment,
    taken: &'a mut Taken,
    drafts: &'a mut Vec<Draft>,
}

impl Walk<'_> {
    fn told(&self, path: &Path) -> String {
        told(self.top, path)
    }

    /// Takes the tasks in a directory, in the order of their numbers.
    fn siblings(&mut self, dir: &Path, parent: Option<TaskId>, depth: usize) -> Result<(), Unreadable> {
        let mut dirs = Vec::new();
        for entry in source::list(dir)? {
            let is_hidden = entry.name.starts_with(['_', '.']);
            match entry.kind {
                Kind::Directory if !is_hidden => dirs.push(entry),
                Kind::File if status(&entry.name).is_some() && parent.is_some() => {}
                Kind::File if temporary(&entry.name).is_some() => {}
                _ => self.taken.left_out.push(format!("{}: it is no task", self.told(&entry.path))),
            }
        }
        dirs.sort_by_key(|entry| (ordinal(&entry.name), entry.name.clone()));
        let mut number = 0;
        for entry in dirs {
            number += 1;
            self.one(&entry, parent, number, depth)?;
        }
        Ok(())
    }

    fn one(&mut self, dir: &Entry, parent: Option<TaskId>, number: u32, depth: usize) -> Result<(), Unreadable> {
        if depth > MAX_DEPTH {
            let what = format!("{}: it lies more than {MAX_DEPTH} levels deep", self.told(&dir.path));
            self.taken.left_out.push(what);
            return Ok(());
        }
        let Some((status, fields)) = self.file_of(dir)? else {
            self.taken.left_out.push(format!("{}: no file in it can be read as a task", self.told(&dir.path)));
            // What lies below is not lost with it.
            return self.siblings(&dir.path, parent, depth);
        };
        let draft = self.draft(dir, status, &fields, parent, number);
        let id = draft.task.id;
        self.drafts.push(draft);
        self.siblings(&dir.path, Some(id), depth + 1)
    }

    /// The file of a task. Of two the one that was written last counts; where there is none, one that was being written.
    fn file_of(&mut self, dir: &Entry) -> Result<Option<Fields>, Unreadable> {
        let (mut whole, mut salvaged) = (Vec::new(), Vec::new());
        for file in source::list(&dir.path)?.into_iter().filter(|file| file.kind == Kind::File) {
            let name = temporary(&file.name).unwrap_or(&file.name);
            let Some(status) = status(name) else { continue };
            let is_temporary = temporary(&file.name).is_some();
            match object(&file.path) {
                Ok(fields) if is_temporary => salvaged.push((status, fields, file)),
                Ok(fields) => whole.push((status, fields, file)),
                Err(why) => self.taken.left_out.push(format!("{}: {why}", self.told(&file.path))),
            }
        }
        let is_cut_off = whole.is_empty();
        let mut found = if is_cut_off { salvaged } else { whole };
        let touched = |fields: &Map<String, Value>| text(fields, "updated_at").and_then(time::read);
        found.sort_by_key(|(_, fields, _)| touched(fields));
        let Some((status, fields, file)) = found.pop() else { return Ok(None) };
        if is_cut_off {
            let what = format!("{} was cut off while it was written; it is read from there", self.told(&file.path));
            self.taken.changed.push(what);
        }
        for (other, ..) in &found {
            let what = format!(
                "{} has two files; the one that says `{}` was written last and counts, the other said `{}`",
                self.told(&dir.path),
                status.word(),
                other.word()
            );
            self.taken.changed.push(what);
        }
        let mut fields = fields;
        if !found.is_empty() {
            // The other reading stays with the task, whole.
            let others = found.into_iter().map(|(status, mut fields, _)| {
                fields.insert("status".to_owned(), status.word().into());
                Value::Object(fields)
            });
            fields.insert("other_file".to_owned(), others.collect());
        }
        Ok(Some((status, fields)))
    }

    fn draft(
        &mut self,
        dir: &Entry,
        status: Status,
        fields: &Map<String, Value>,
        parent: Option<TaskId>,
        number: u32,
    ) -> Draft {
        let key = self.told(&dir.path);
        let old_id = text(fields, "id").filter(|id| !id.is_empty()).map_or_else(|| dir.name.clone(), str::to_owned);
        let mut kept: Map<String, Value> = unknown(fields, &KNOWN).into_iter().collect();
        let mut told = Vec::new();
        let title = text(fields, "title").unwrap_or_default();
        let checked: Title = title.parse().unwrap_or_else(|_| {
            told.push(format!("its title {title:?} cannot be one"));
            kept.insert("title".to_owned(), title.into());
            let plain: String = title.chars().map(|c| if c.is_control() { ' ' } else { c }).take(480).collect();
            plain.parse().unwrap_or_else(|_| "Untitled".parse().expect("it is a title"))
        });
        let mut task = Task::new(task_id(System::HandoffMcp, &key), &checked, self.now);
        let mut moment = |key: &str| {
            let written = text(fields, key)?;
            let at = time::read(written);
            if at.is_none() {
                told.push(format!("`{key}` is no time: {written:?}"));
                kept.insert(key.to_owned(), written.into());
            }
            at.map(Moment::in_seconds)
        };
        (task.created_at, task.completed_at) = (moment("created_at"), moment("completed_at"));
        task.status = status;
        task.description = text(fields, "notes").filter(|notes| !notes.trim().is_empty()).map(str::to_owned);
        task.assignee = text(fields, "assignee").filter(|name| !name.trim().is_empty()).map(str::to_owned);
        task.labels = texts(fields, "labels");
        task.order = fields.get("order").and_then(Value::as_i64);
        match text(fields, "priority").map(|word| (word, word.parse::<Priority>())) {
            Some((_, Ok(priority))) => task.priority = Some(priority),
            Some((word, Err(_))) => {
                told.push(format!("`{word}` is no priority"));
                kept.insert("priority".to_owned(), word.into());
            }
            None => {}
        }
        task.links = links(fields);
        task.done_criteria = criteria(fields);
        task.schedule = schedule(fields, &mut kept, &mut told);
        // Only those of a known form are read; what has another is kept as it is.
        for key in ["order", "labels", "links", "task_links", "done_criteria", "dependencies", "notes", "title", "id"] {
            if let Some(value) = fields.get(key).filter(|value| !is_of_form(key, value)) {
                told.push(format!("`{key}` has an unknown form"));
                kept.insert(key.to_owned(), value.clone());
            }
        }
        let whole = Value::Object(fields.clone()).to_string();
        let digest = digest(System::HandoffMcp, &[key.as_bytes(), status.word().as_bytes(), whole.as_bytes()]);
        task.origin = Some(Origin {
            system: System::HandoffMcp.word().to_owned(),
            id: old_id.clone(),
            digest: Some(hexadecimal(&digest)),
            fields: kept,
        });
        if !told.is_empty() {
            self.taken.changed.push(format!("task `{old_id}`: {}; kept as it was in `origin.fields`", told.join(", ")));
        }
        Draft { task, parent, number, old_id, dependencies: texts(fields, "dependencies") }
    }
}

/// The last number in the name of a task's directory, `t1.12-slug`, for sorting.
fn ordinal(name: &str) -> u64 {
    let id = name.split('-').next().unwrap_or(name).trim_start_matches('t');
    id.rsplit('.').next().and_then(|number| number.parse().ok()).unwrap_or(u64::MAX)
}

fn is_of_form(key: &str, value: &Value) -> bool {
    match key {
        "order" => value.is_i64() || value.is_null(),
        "labels" | "links" | "dependencies" => {
            value.is_null() || value.as_array().is_some_and(|items| items.iter().all(Value::is_string))
        }
        "task_links" => {
            value.is_null()
                || value
                    .as_array()
                    .is_some_and(|items| items.iter().all(|item| item.get("target").is_some_and(Value::is_string)))
        }
        "done_criteria" => {
            value.is_null()
                || value
                    .as_array()
                    .is_some_and(|items| items.iter().all(|item| item.get("item").is_some_and(Value::is_string)))
        }
        _ => value.is_null() || value.is_string(),
    }
}

fn links(fields: &Map<String, Value>) -> Vec<Link> {
    let plain = texts(fields, "links").into_iter().map(|target| {
        let kind = if target.contains("://") { LinkType::Url } else { LinkType::File };
        Link { kind, target, label: None }
    });
    let typed = fields.get("task_links").and_then(Value::as_array).into_iter().flatten().filter_map(|link| {
        let link = link.as_object()?;
        let kind = text(link, "link_type").and_then(|word| word.parse().ok()).unwrap_or_default();
        Some(Link { kind, target: text(link, "target")?.to_owned(), label: text(link, "label").map(str::to_owned) })
    });
    plain.chain(typed).collect()
}

fn criteria(fields: &Map<String, Value>) -> Vec<Criterion> {
    let items = fields.get("done_criteria").and_then(Value::as_array).into_iter().flatten();
    let read = items.filter_map(|item| {
        let checked = item.get("checked").and_then(Value::as_bool).unwrap_or(false);
        Some(Criterion { item: item.get("item")?.as_str()?.to_owned(), checked })
    });
    read.collect()
}

fn schedule(fields: &Map<String, Value>, kept: &mut Map<String, Value>, told: &mut Vec<String>) -> Schedule {
    let Some(said) = fields.get("schedule").and_then(Value::as_object) else { return Schedule::default() };
    let mut rest: Map<String, Value> =
        unknown(said, &["start_date", "due_date", "estimate_hours", "remaining_hours", "milestone", "pinned"])
            .into_iter()
            .collect();
    let mut day = |key: &str, rest: &mut Map<String, Value>| {
        let value = said.get(key).filter(|value| !value.is_null())?;
        let day = value.as_str().and_then(|day| day.parse::<Day>().ok());
        if day.is_none() {
            told.push(format!("`{key}` is no date: {value}"));
            rest.insert(key.to_owned(), value.clone());
        }
        day
    };
    let (start_date, due_date) = (day("start_date", &mut rest), day("due_date", &mut rest));
    let mut hours = |key: &str, rest: &mut Map<String, Value>| {
        let value = said.get(key).filter(|value| !value.is_null())?;
        let hours = value.as_f64().and_then(|hours| Hours::try_from(hours).ok()).map(Hours::value);
        if hours.is_none() {
            told.push(format!("`{key}` cannot be {value}"));
            rest.insert(key.to_owned(), value.clone());
        }
        hours
    };
    let (estimate_hours, remaining_hours) = (hours("estimate_hours", &mut rest), hours("remaining_hours", &mut rest));
    if !rest.is_empty() {
        kept.insert("schedule".to_owned(), Value::Object(rest));
    }
    let milestone = text(said, "milestone").filter(|name| !name.trim().is_empty()).map(str::to_owned);
    Schedule {
        start_date,
        due_date,
        estimate_hours,
        remaining_hours,
        milestone,
        pinned: said.get("pinned").and_then(Value::as_bool),
    }
}
