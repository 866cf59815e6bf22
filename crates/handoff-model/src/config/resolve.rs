//! The layers of configuration, and which of them each value comes from.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use toml::{Table, Value};

use super::key::{Keys, Scope, Target, join, split, variable};
use super::tables::{leaves, overlay, put};
use super::team::DAY_HOURS;
use super::{Config, check, read};
use crate::close::close_matches;
use crate::entry_check::emptied;
use crate::problem::Problem;

/// Where a value comes from, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Built in
    Default,
    /// The user's own file, for all projects
    User,
    /// The project's file
    Project,
    /// An environment variable
    Environment,
    /// The command line
    Flag,
}

/// A configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// How the file is called in messages
    pub path: String,
    pub text: String,
}

/// Everything that has a say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    pub user: Option<Source>,
    pub project: Option<Source>,
    /// Variables and their values; those that are no settings are passed over
    pub environment: Vec<(String, String)>,
    /// Dotted keys and values given for one command
    pub flags: Vec<(String, String)>,
}

/// The values in force, and what the layers say.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    pub config: Config,
    faults: Vec<Fault>,
    layers: Vec<Loaded>,
}

/// Something that does not count, and the setting it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub key: Option<Vec<String>>,
    pub problem: Problem,
}

impl Fault {
    pub(super) fn of_file(problem: Problem) -> Fault {
        Fault { key: None, problem }
    }
}

#[derive(Clone, Debug)]
struct Loaded {
    layer: Layer,
    source: Option<Source>,
    table: Table,
    /// Where the settings stand in the file; looked up only when somebody asks
    lines: OnceLock<BTreeMap<Vec<String>, usize>>,
}

/// The place a value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    pub layer: Layer,
    /// The file it stands in
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its line in that file
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The environment variable that holds it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
}

/// What one layer says about a setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Said {
    pub value: Json,
    pub origin: Origin,
}

/// One setting with the value in force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// The dotted name
    pub key: String,
    /// The value in force; null when there is none
    pub value: Json,
    pub origin: Origin,
    /// Whether this version of handoff does not know the key; it is kept in its file all the same
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
}

/// Lays the layers over each other: defaults, user, project, environment, flags.
///
/// Meant for the start of every command: one parse per file, and more work only where something is wrong.
pub fn resolve(sources: Sources) -> Resolved {
    let mut faults = Vec::new();
    let mut layers = Vec::new();
    // Outside any project, the user's own store stands in for one and may have the user's own file.
    let is_own = match (&sources.user, &sources.project) {
        (Some(user), Some(project)) => user.path == project.path,
        _ => false,
    };
    for (layer, source) in [(Layer::User, sources.user), (Layer::Project, sources.project)] {
        let Some(source) = source else { continue };
        let (mut table, wrong) = read::file(&source.path, &source.text);
        if !(is_own && layer == Layer::Project) {
            faults.extend(wrong);
        }
        // The user's own file may be empty; that of a store begins with some lines.
        if let Some(error) = emptied(&source.text).filter(|_| layer == Layer::Project) {
            faults.push(Fault::of_file(Problem::damaged(&source.path, error.reason)));
        }
        let foreign = keep_to_scope(layer, &mut table, &source);
        // The user's file may also describe a store of its own; a project never describes the user.
        if layer == Layer::Project && !is_own {
            faults.extend(foreign);
        }
        layers.push(Loaded::new(layer, Some(source), table));
    }
    if !sources.environment.is_empty() {
        layers.push(Loaded::new(Layer::Environment, None, environment(&sources.environment, &mut faults)));
    }
    if !sources.flags.is_empty() {
        layers.push(Loaded::new(Layer::Flag, None, flags(&sources.flags, &mut faults)));
    }
    let mut merged = Table::new();
    for loaded in &layers {
        overlay(&mut merged, &loaded.table);
    }
    // Each layer was understood on its own, and no setting depends on another.
    let config = check::typed(merged).unwrap_or_default();
    Resolved { config, faults, layers }
}

/// Takes out what may not be said in this layer.
fn keep_to_scope(layer: Layer, table: &mut Table, source: &Source) -> Vec<Fault> {
    let foreign = if layer == Layer::Project { Scope::USER_ONLY } else { Scope::PROJECT_ONLY };
    let mut faults = Vec::new();
    for path in foreign.iter().map(|name| split(name)) {
        if spellings(table, &path).is_empty() {
            continue;
        }
        put(table, &path, None);
        let reason = format!("`{}` does not count in a project, only in the user's own configuration", join(&path));
        let line = read::lines_of_settings(&source.text).remove(&path);
        faults.push(Fault { key: Some(path), problem: Problem::mended(&source.path, reason).at_line(line) });
    }
    faults
}

/// The settings that have a variable of their own.
fn environment(variables: &[(String, String)], faults: &mut Vec<Fault>) -> Table {
    let names = single_names();
    let mut table = Table::new();
    for (name, value) in variables.iter().filter(|(_, value)| !value.is_empty()) {
        let fault = |key, reason| Fault { key, problem: Problem::mended(format!("${name}"), reason) };
        match names.iter().find(|(_, own)| own == name) {
            Some((key, _)) if Scope::of(key) == Scope::Project => {
                let reason = format!("`{key}` does not count in the environment, only in the project's file");
                faults.push(fault(Some(split(key)), reason));
            }
            Some((key, _)) => match check::interpret(&split(key), std::slice::from_ref(value)) {
                Ok(value) => _ = put(&mut table, &split(key), Some(value)),
                Err(reason) => faults.push(fault(Some(split(key)), format!("the value does not count: {reason}"))),
            },
            None if looks_like_a_setting(name) => {
                let near = close_matches(name, names.iter().map(|(_, own)| own.as_str()), 1);
                let advice = near.first().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                faults.push(fault(None, format!("there is no such setting{advice}")));
            }
            None => {}
        }
    }
    table
}

/// Whether a variable can only have been meant for a setting. `HANDOFF_PROJECT_DIR`, for one, is none.
fn looks_like_a_setting(name: &str) -> bool {
    ["SETTINGS", "DASHBOARD", "LAYERS", "CALENDAR", "EFFORT_BUDGET"]
        .iter()
        .any(|section| name.strip_prefix("HANDOFF_").is_some_and(|rest| rest.starts_with(&format!("{section}_"))))
}

fn flags(given: &[(String, String)], faults: &mut Vec<Fault>) -> Table {
    let keys = Keys::new();
    let mut table = Table::new();
    for (name, value) in given {
        let read = match keys.find(name) {
            Ok(Target::Setting(found)) if found.key.scope == Scope::Project => {
                Err(format!("`{name}` does not count here, only in the project's file"))
            }
            Ok(Target::Setting(found)) => check::interpret(&found.path, std::slice::from_ref(value))
                .map(|value| (found.path, value))
                .map_err(|reason| format!("the value of `{name}` does not count: {reason}")),
            Ok(Target::Section(_)) => Err(format!("`{name}` is not a single setting")),
            Err(unknown) => Err(unknown.advice()),
        };
        match read {
            Ok((path, value)) => _ = put(&mut table, &path, Some(value)),
            Err(reason) => faults.push(Fault::of_file(Problem::mended("command line", reason))),
        }
    }
    table
}

/// Every setting that is not one of a family, with its variable; cheaper than the whole list of keys.
fn single_names() -> Vec<(String, String)> {
    let defaults = serde_json::to_value(Config::default()).unwrap_or_default();
    leaves(&defaults).into_iter().map(|(path, _)| path.join(".")).map(|key| (key.clone(), variable(&key))).collect()
}

impl Resolved {
    /// What does not count, in the order of the layers.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.faults.iter().map(|fault| &fault.problem)
    }

    /// What does not count for one setting, or for the whole file it would stand in.
    pub fn problems_of(&self, path: &[String]) -> impl Iterator<Item = &Problem> {
        let concerns =
            |fault: &&Fault| fault.key.as_ref().is_none_or(|key| key.starts_with(path) || path.starts_with(key));
        self.faults.iter().filter(concerns).map(|fault| &fault.problem)
    }

    /// The value in force; null when there is none.
    pub fn value(&self, path: &[String]) -> Json {
        let config = serde_json::to_value(&self.config).unwrap_or_default();
        let found = path.iter().try_fold(&config, |place, part| place.get(part));
        found
            .filter(|value| !value.is_null())
            .cloned()
            .or_else(|| self.said(path).into_iter().next().map(|said| said.value))
            .unwrap_or_default()
    }

    /// The place the value in force comes from.
    pub fn origin(&self, path: &[String]) -> Origin {
        let strongest = self.layers.iter().rev().find_map(|loaded| loaded.said(path));
        strongest.map_or(Origin { layer: Layer::Default, file: None, line: None, variable: None }, |said| said.origin)
    }

    /// What each layer says about a setting, the one in force first. The default is not among them.
    pub fn said(&self, path: &[String]) -> Vec<Said> {
        self.layers.iter().rev().filter_map(|loaded| loaded.said(path)).collect()
    }

    /// Every setting with its value in force; of families those that are set, and the unknown ones last.
    pub fn entries(&self, keys: &Keys) -> Vec<Entry> {
        let config = serde_json::to_value(&self.config).unwrap_or_default();
        let mut entries = Vec::new();
        let mut seen = BTreeSet::new();
        for (path, value) in leaves(&config) {
            let origin = self.origin(&path);
            let in_family = keys.at(&path).is_none_or(|found| found.key.name.contains('<'));
            if !in_family || origin.layer != Layer::Default {
                // A file may say in so many words that there is nothing, as an empty description does.
                let said = || self.said(&path).into_iter().next().map(|said| said.value);
                let value = if value.is_null() { said().unwrap_or_default() } else { value.clone() };
                entries.push(Entry { key: join(&path), value, origin, unknown: false });
            }
            seen.insert(path);
        }
        for loaded in self.layers.iter().rev() {
            let said = check::to_json(&Value::Table(loaded.table.clone()));
            for (path, _) in leaves(&said) {
                let is_known = path == ["format"] || keys.at(&path).is_some();
                if !is_known
                    && let Some(said) = loaded.said(&path)
                    && seen.insert(path.clone())
                {
                    entries.push(Entry { key: join(&path), value: said.value, origin: said.origin, unknown: true });
                }
            }
        }
        entries
    }
}

impl Loaded {
    fn new(layer: Layer, source: Option<Source>, table: Table) -> Loaded {
        Loaded { layer, source, table, lines: OnceLock::new() }
    }

    fn lines_in(&self, source: &Source) -> &BTreeMap<Vec<String>, usize> {
        self.lines.get_or_init(|| read::lines_of_settings(&source.text))
    }

    fn said(&self, path: &[String]) -> Option<Said> {
        let (spelled, value) = spelled(&self.table, path)?;
        let origin = Origin {
            layer: self.layer,
            file: self.source.as_ref().map(|source| source.path.clone()),
            line: self.source.as_ref().and_then(|source| self.lines_in(source).get(&spelled).copied()),
            variable: (self.layer == Layer::Environment).then(|| variable(&path.join("."))),
        };
        Some(Said { value: check::to_json(value), origin })
    }
}

/// A value by its path, and the path as it is spelled there: `Friday` is found as `fri`.
fn spelled<'a>(table: &'a Table, path: &[String]) -> Option<(Vec<String>, &'a Value)> {
    let path = spellings(table, path).into_iter().next()?;
    let value = path.iter().try_fold(None, |place: Option<&Value>, part| match place {
        None => table.get(part).map(Some),
        Some(place) => place.get(part).map(Some),
    });
    value.flatten().map(|value| (path, value))
}

/// The paths in a table that mean this one, itself first; none when it does not say anything there.
pub(super) fn spellings(table: &Table, path: &[String]) -> Vec<Vec<String>> {
    let Some((last, parents)) = path.split_last() else { return Vec::new() };
    let mut place = table;
    for part in parents {
        match place.get(part).and_then(Value::as_table) {
            Some(inner) => place = inner,
            None => return Vec::new(),
        }
    }
    let mut found: Vec<Vec<String>> = place.contains_key(last).then(|| path.to_vec()).into_iter().collect();
    // Only days have more than one spelling.
    if parents.last().is_some_and(|parent| parent == DAY_HOURS) {
        for (name, value) in place.iter().filter(|(name, _)| *name != last) {
            let other = [parents, std::slice::from_ref(name)].concat();
            if check::canonical(&other, value).is_ok_and(|(canonical, _)| canonical == path) {
                found.push(other);
            }
        }
    }
    found
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.layer, &self.file, self.line, &self.variable) {
            (_, Some(file), Some(line), _) => write!(f, "{file}:{line}"),
            (_, Some(file), None, _) => f.write_str(file),
            (_, _, _, Some(variable)) => write!(f, "${variable}"),
            (Layer::Flag, ..) => f.write_str("command line"),
            _ => f.write_str("default"),
        }
    }
}
