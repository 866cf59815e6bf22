//! Keys that are probably misspelled or damaged: unknown, and one edit away from a known key that is missing.
//!
//! Unknown keys are allowed everywhere, since people and newer versions add their own. One that differs from a known key
//! by a single letter or bit, while that key is missing, hides a value, so it is reported. It is never dropped.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value as Json;
use toml::de::{DeTable, DeValue};

use crate::config::Config;
use crate::document::line_at;
use crate::memory::MemoryRecord;
use crate::problem::Problem;
use crate::session::Session;
use crate::task::Task;
use crate::time_log::TimeLog;

/// Record file whose keys are known.
pub trait KnownKeys {
    /// Every name that is a key anywhere in such a file, sorted. A file with no other names needs no second look.
    const NAMES: &'static [&'static str];

    /// The keys in their places.
    fn key_tree() -> &'static KeyTree;
}

/// Keys of a table, and of the tables in it.
#[derive(Clone, Debug, Default)]
pub struct KeyTree {
    keys: BTreeMap<String, KeyTree>,
    /// Keys of the tables that a table of free names holds
    any: Option<Box<KeyTree>>,
}

/// Largest number of misspelled keys that are reported for one file.
const MAX_REPORTED: usize = 20;

/// Names shorter than this are too close to each other for more than a flipped bit to mean anything.
const MIN_EDITED_NAME: usize = 4;

/// Returns a problem for each key that is probably misspelled in the text of the file `path`.
pub fn misspelled<T: KnownKeys>(path: &str, text: &str) -> Vec<Problem> {
    if has_only_known_names(text, T::NAMES) {
        return Vec::new();
    }
    misspelled_in(path, text, T::key_tree())
}

/// The same for a table of an archive.
pub(crate) fn misspelled_in(path: &str, text: &str, tree: &KeyTree) -> Vec<Problem> {
    let Ok(document) = DeTable::parse(text) else { return Vec::new() };
    let mut found = Vec::new();
    walk(document.get_ref(), tree, &mut found);
    let problem = |(at, name, meant): (usize, String, String)| {
        let reason = format!("`{name}` is not a key of this file; did you mean `{meant}`? It is kept, and not read");
        Problem::mended(path, reason).at_line(Some(line_at(text, at)))
    };
    let mut problems: Vec<Problem> = found.into_iter().map(problem).collect();
    problems.sort();
    problems.truncate(MAX_REPORTED);
    problems
}

/// Returns the key that a name was probably meant to be, and the text with that key in its place.
pub fn respelled(text: &str, problem: &Problem) -> Option<String> {
    let mut quoted = problem.reason.split('`').skip(1).step_by(2);
    let (name, meant) = (quoted.next()?, quoted.next()?);
    let line = problem.line?.checked_sub(1)?;
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let place = lines.get_mut(line)?;
    *place = place.replacen(name, meant, 1);
    Some(lines.concat())
}

fn walk(table: &DeTable<'_>, tree: &KeyTree, found: &mut Vec<(usize, String, String)>) {
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let below = tree.keys.get(name).or(tree.any.as_deref());
        if let Some(below) = below {
            tables_in(value.get_ref(), &mut |table| walk(table, below, found));
            continue;
        }
        let is_missing = |known: &str| !table.contains_key(known) || holds_tables(value.get_ref());
        // A damaged letter may have become a dot, and one key two.
        let mut names = vec![name.to_owned()];
        tables_in(value.get_ref(), &mut |table| {
            names.extend(table.keys().map(|key| format!("{name}.{}", key.get_ref())));
        });
        let is_meant = |known: &str| names.iter().any(|name| is_one_edit(name, known)) && is_missing(known);
        let meant = tree.keys.keys().find(|known| is_meant(known));
        found.extend(meant.map(|meant| (key.span().start, name.to_owned(), meant.clone())));
    }
}

fn tables_in(value: &DeValue<'_>, look: &mut impl FnMut(&DeTable<'_>)) {
    match value {
        DeValue::Table(table) => look(table),
        DeValue::Array(items) => items.iter().for_each(|item| tables_in(item.get_ref(), look)),
        _ => {}
    }
}

/// A list of tables can be under two names at once when only one header of several is damaged.
fn holds_tables(value: &DeValue<'_>) -> bool {
    let mut found = false;
    tables_in(value, &mut |_| found = true);
    found
}

fn is_one_edit(name: &str, known: &str) -> bool {
    if known.len() >= MIN_EDITED_NAME && strsim::damerau_levenshtein(name, known) == 1 {
        return true;
    }
    let different = || name.bytes().zip(known.bytes()).filter(|(one, other)| one != other);
    name.len() == known.len()
        && different().count() == 1
        && different().all(|(one, other)| (one ^ other).is_power_of_two())
}

/// Looks for names in the places where TOML has keys. Text over several lines may look like one, so a `false` only means
/// that it is worth parsing.
fn has_only_known_names(text: &str, names: &[&str]) -> bool {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let is_known = |name: &str| {
        let name = name.trim_matches([' ', '\t', '"', '\'']);
        name.split('.').all(|part| names.binary_search(&part.trim()).is_ok())
    };
    text.lines().all(|line| {
        let line = line.trim();
        if let Some(header) = line.strip_prefix('[') {
            let header = header.trim_start_matches('[');
            return header.split(']').next().is_none_or(is_known);
        }
        let Some((name, value)) = line.split_once('=') else { return true };
        if !name.trim_end().chars().all(|c| is_bare(c) || c == '.') {
            return !name.contains('"');
        }
        let value = value.trim_start();
        let has_tables = value.starts_with('{') || value.starts_with('[');
        let inner = || value.split('=').rev().skip(1).map(str::trim_end);
        let inner_name = |part: &str| part.rsplit(|c| !is_bare(c)).next().map(str::to_owned).unwrap_or_default();
        is_known(name) && (!has_tables || inner().all(|part| is_known(&inner_name(part))))
    })
}

impl KeyTree {
    /// The keys that a type reads.
    pub(crate) fn of<T: JsonSchema>() -> KeyTree {
        let settings =
            SchemaSettings::draft2020_12().for_deserialize().with(|settings| settings.inline_subschemas = true);
        KeyTree::in_schema(&settings.into_generator().into_root_schema_for::<T>().into())
    }

    /// A table without others in it.
    pub(crate) fn flat(names: &[&str]) -> KeyTree {
        let keys = names.iter().map(|name| ((*name).to_owned(), KeyTree::default())).collect();
        KeyTree { keys, any: None }
    }

    /// Adds a table, or a list of them, under a name.
    pub(crate) fn with_table(mut self, name: &str, table: KeyTree) -> KeyTree {
        self.keys.insert(name.to_owned(), table);
        self
    }

    fn in_schema(schema: &Json) -> KeyTree {
        let mut tree = KeyTree::default();
        for (name, value) in schema["properties"].as_object().into_iter().flatten() {
            tree.keys.insert(name.clone(), KeyTree::in_schema(value));
        }
        if schema["additionalProperties"].is_object() {
            tree.any = Some(Box::new(KeyTree::in_schema(&schema["additionalProperties"])));
        }
        // A list has the keys of its items, and an optional value those of the value.
        let inner = ["anyOf", "oneOf", "allOf"].iter().filter_map(|name| schema[*name].as_array()).flatten();
        for schema in inner.chain(std::iter::once(&schema["items"])).filter(|schema| schema.is_object()) {
            let KeyTree { keys, any } = KeyTree::in_schema(schema);
            tree.keys.extend(keys);
            tree.any = tree.any.or(any);
        }
        tree
    }

    /// Adds a key that no field of the type stands for.
    fn with(mut self, place: &[&str], name: &str) -> KeyTree {
        let mut table = &mut self;
        for part in place {
            table = table.keys.entry((*part).to_owned()).or_default();
        }
        table.keys.insert(name.to_owned(), KeyTree::default());
        self
    }

    #[cfg(test)]
    fn names(&self) -> std::collections::BTreeSet<&str> {
        let below = self.keys.values().chain(self.any.as_deref()).flat_map(KeyTree::names);
        self.keys.keys().map(String::as_str).chain(below).collect()
    }
}

macro_rules! known_keys {
    ($record:ty, $tree:expr, [$($name:literal)*]) => {
        impl KnownKeys for $record {
            const NAMES: &'static [&'static str] = &[$($name),*];

            fn key_tree() -> &'static KeyTree {
                static TREE: LazyLock<KeyTree> = LazyLock::new(|| $tree);
                &TREE
            }
        }
    };
}

known_keys!(Task, KeyTree::of::<Task>(), [
    "assignee" "at" "by" "checked" "completed_at" "created_at" "dependencies" "description" "digest"
    "done_criteria" "due_date" "estimate_hours" "fields" "format" "history" "id" "item" "label"
    "labels" "links" "milestone" "notes" "number" "order" "origin" "parent" "pinned" "priority"
    "remaining_hours" "schedule" "start_date" "status" "system" "target" "text" "title" "type"
]);

known_keys!(Session, KeyTree::of::<Session>(), [
    "ahead" "at" "author" "because" "behind" "blob" "blobs" "blockers" "body_base64" "body_check" "branch"
    "by" "category" "check" "checked" "checklist" "commit" "compiled" "confidence" "continues" "decision"
    "decisions" "digest" "dirty" "dirty_count" "ended_at" "environment" "expires_at" "fields" "forked_from"
    "format" "git" "handover" "how" "id" "item" "items" "kind" "label" "last_decision" "lines" "merged_from"
    "merged_into" "name" "next" "note" "notes" "origin" "owner" "path" "paths" "pointers" "project"
    "questions" "reason" "recent" "references" "revised" "same_as" "settled" "since" "started_at" "state"
    "status" "summary" "supersedes" "system" "tags" "task" "tasks" "text" "timeline" "title" "tool" "type"
    "upstream" "uri"
]);

known_keys!(MemoryRecord, KeyTree::of::<MemoryRecord>(), [
    "author" "branches" "confidence" "created_at" "digest" "fields" "format" "id" "keywords" "kind" "origin"
    "paths" "replaced_by" "retired_at" "retired_because" "session" "system" "tags" "title"
]);

known_keys!(TimeLog, KeyTree::of::<TimeLog>().with(&["intervals"], "check"), [
    "check" "ended_at" "format" "intervals" "minutes" "note" "session" "source" "started_at" "task"
    "who"
]);

known_keys!(Config, KeyTree::of::<Config>().with(&[], "format"), [
    "ai_estimate_multiplier" "allow" "archive_after_days" "assignees" "auto_git_summary"
    "budget_tokens" "calendar" "closed_dates" "closed_weekdays" "color" "context_files"
    "context_window" "dashboard" "date" "day_hours" "description" "display_name" "done_task_limit"
    "effort_budget" "enabled" "exclude_patterns" "format" "git_wait_milliseconds" "history_limit"
    "hooks" "labels" "layers" "lint" "lock_wait_seconds" "max_depth" "milestones" "mirror" "name"
    "open_dates" "project" "require_estimate_hours" "scan_dirs" "secrets" "settings" "started_at"
    "task_dirs" "time_zone" "timer_idle_timeout_minutes" "total_hours" "user" "week_start"
    "work_hours_per_day"
]);

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted<T: KnownKeys>() -> (Vec<&'static str>, Vec<&'static str>) {
        (T::key_tree().names().into_iter().collect(), T::NAMES.to_vec())
    }

    #[test]
    fn the_lists_of_names_are_those_that_the_types_read() {
        let records =
            [sorted::<Task>(), sorted::<Session>(), sorted::<MemoryRecord>(), sorted::<TimeLog>(), sorted::<Config>()];
        for (tree, names) in records {
            assert_eq!(tree, names);
        }
    }

    fn task(text: &str) -> Vec<String> {
        misspelled::<Task>("task.toml", text).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_key_whose_name_a_flipped_bit_changed_is_reported_with_its_line() {
        let problems = task("id = \"k7f3q2ma\"\ntjtle = \"x\"\nstatur = \"done\"\n");
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].starts_with("task.toml:2: `tjtle` is not a key of this file; did you mean `title`?"));
        assert!(problems[1].contains(":3: `statur`") && problems[1].contains("`status`"), "{problems:?}");
    }

    #[test]
    fn keys_in_tables_and_lists_are_looked_at_too() {
        assert_eq!(task("[schedule]\nduf_date = 2026-11-18\n").len(), 1);
        assert_eq!(task("[schedtle]\ndue_date = 2026-11-18\n").len(), 1);
        assert_eq!(task("links = [{ type = \"url\", target = \"a\", labem = \"b\" }]\n").len(), 1);
        assert_eq!(task("[[notes]]\nat = 2026-11-15T11:40:00Z\nbx = \"me\"\ntext = \"t\"\n").len(), 1);
        // A letter that became a dot.
        assert_eq!(task("[[do.e_criteria]]\nitem = \"x\"\n").len(), 1);
        // One header of several.
        assert_eq!(task("[[notes]]\ntext = \"t\"\n\n[[notex]]\ntext = \"u\"\n").len(), 1);
    }

    #[test]
    fn keys_of_others_are_no_concern() {
        assert_eq!(task("id = \"k7f3q2ma\"\nreviewer = \"bob\"\nsprint = 7\n"), [] as [&str; 0]);
        // A near name beside the key itself says something else.
        assert_eq!(task("title = \"x\"\ntitles = \"y\"\n"), [] as [&str; 0]);
        // Text over several lines has no keys.
        assert_eq!(task("description = \"\"\"\ntjtle = 3\n\"\"\"\n"), [] as [&str; 0]);
        let free = "id = \"a3f9c12e\"\n[environment]\ntjtle = 1\nsumary = 2\n";
        assert_eq!(misspelled::<Session>("s.toml", free), []);
    }

    #[test]
    fn names_of_people_are_free_and_their_keys_are_not() {
        let text = "[assignees.tom]\ncolor = \"#112233\"\n\n[assignees.label]\ncolos = \"#112233\"\n";
        let problems = misspelled::<Config>("config.toml", text);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(problems[0].line, Some(5));
    }

    #[test]
    fn a_key_can_be_put_back() {
        let text = "id = \"k7f3q2ma\"\ntjtle = \"tjtle\"\n";
        let problem = &misspelled::<Task>("task.toml", text)[0];
        assert_eq!(respelled(text, problem).unwrap(), "id = \"k7f3q2ma\"\ntitle = \"tjtle\"\n");
    }
}
