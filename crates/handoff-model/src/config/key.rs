//! The list of settings, read off the types of the configuration.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::describe::describe;
use crate::close::close_matches;

/// One setting, or a family of them: a part in `<>` stands for any name.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// The dotted name, such as `settings.budget_tokens` or `milestones.<name>.date`
    pub name: String,
    /// What sort of value it takes
    pub kind: String,
    /// What it does
    pub meaning: String,
    /// The value when nobody sets it; null when it is then absent
    pub default: Json,
    /// Which values are allowed, where the kind does not say it all
    pub allowed: Option<String>,
    /// The environment variable that sets it
    pub variable: Option<String>,
    /// Where it may be set
    pub scope: Scope,
}

/// Where a setting may come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Every layer
    Any,
    /// The user's own file, the environment and flags; a project's file may have come from somebody else
    User,
    /// The project's file alone, because it says how the project's files are to be read
    Project,
}

impl Scope {
    pub(super) const USER_ONLY: &[&str] = &["user.name"];
    pub(super) const PROJECT_ONLY: &[&str] =
        &["project.name", "project.description", "project.started_at", "started_at", "settings.task_dirs"];

    /// The scope of a setting by its name.
    pub(super) fn of(name: &str) -> Scope {
        if Scope::USER_ONLY.contains(&name) {
            Scope::User
        } else if Scope::PROJECT_ONLY.contains(&name) {
            Scope::Project
        } else {
            Scope::Any
        }
    }
}

/// A name that is no setting, with the nearest that are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no setting `{name}`")]
pub struct UnknownKey {
    pub name: String,
    pub near: Vec<String>,
}

impl UnknownKey {
    /// The message, with what was most likely meant.
    pub fn advice(&self) -> String {
        match self.near.first() {
            Some(near) => format!("{self}; did you mean `{near}`?"),
            None => self.to_string(),
        }
    }
}

/// A setting as somebody named it, with the names that stand in for `<>`.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyName<'a> {
    pub path: Vec<String>,
    pub key: &'a Key,
}

/// What a dotted name leads to.
#[derive(Clone, Debug, PartialEq)]
pub enum Target<'a> {
    /// One setting
    Setting(KeyName<'a>),
    /// Several: a table, such as `settings` or `milestones.beta`
    Section(Vec<String>),
}

/// All settings, in the order they are shown.
#[derive(Clone, Debug)]
pub struct Keys(Vec<Key>);

impl Keys {
    /// Reads them off the types. Costs a schema, so only commands about configuration do it.
    pub fn new() -> Keys {
        let mut keys = Vec::new();
        collect(&crate::schema::inline_config(), "", "", &mut keys);
        Keys(keys)
    }

    pub fn all(&self) -> &[Key] {
        &self.0
    }

    /// The setting or section with this dotted name; a part with dots in it stands in quotes.
    pub fn find(&self, name: &str) -> Result<Target<'_>, UnknownKey> {
        let parts = split(name);
        self.at(&parts)
            .map(Target::Setting)
            .or_else(|| self.is_section(&parts).then(|| Target::Section(parts.clone())))
            .ok_or_else(|| self.unknown(name, &parts))
    }

    /// The setting at this path.
    pub fn at(&self, parts: &[String]) -> Option<KeyName<'_>> {
        self.0.iter().find_map(|key| matching(&pattern(&key.name), parts).map(|path| KeyName { path, key }))
    }

    /// The names of the settings in a section.
    pub fn below(&self, section: &[String]) -> Vec<String> {
        let inside = self.0.iter().filter(|key| begins(&pattern(&key.name), section));
        inside.map(|key| filled(&pattern(&key.name), section)).collect()
    }

    /// Whether a section is one of several under names of their own, such as `milestones.beta`.
    pub(super) fn is_named_entry(&self, section: &[String]) -> bool {
        let ends_in_name = |key: &Key| {
            let pattern = pattern(&key.name);
            begins(&pattern, section) && section.len().checked_sub(1).is_some_and(|last| is_any(pattern[last]))
        };
        self.0.iter().any(ends_in_name)
    }

    fn is_section(&self, parts: &[String]) -> bool {
        let is_named = parts.iter().all(|part| !part.is_empty()) && !parts.is_empty();
        is_named && self.0.iter().any(|key| begins(&pattern(&key.name), parts))
    }

    fn unknown(&self, name: &str, parts: &[String]) -> UnknownKey {
        // Families take the names that were typed, so that only the part that differs is put right.
        let names: Vec<String> = self.0.iter().map(|key| filled(&pattern(&key.name), parts)).collect();
        let last = parts.last().map_or(name, String::as_str);
        let ends_alike = |(key, _): &(&Key, &String)| key.name.rsplit('.').next() == Some(last);
        let same_ending = self.0.iter().zip(&names).filter(ends_alike).map(|(_, own)| own.as_str());
        let mut near: Vec<&str> = same_ending.take(3).collect();
        for own in close_matches(name, names.iter().map(String::as_str), 3) {
            if near.len() < 3 && !near.contains(&own) {
                near.push(own);
            }
        }
        UnknownKey { name: crate::id::shorten(name), near: near.into_iter().map(str::to_owned).collect() }
    }
}

impl Default for Keys {
    fn default() -> Self {
        Keys::new()
    }
}

/// Adds the settings below `prefix`. What is said of a map holds for its entries, unless they say something themselves.
fn collect(schema: &Json, prefix: &str, said_above: &str, keys: &mut Vec<Key>) {
    let name_in = |part: &str| if prefix.is_empty() { part.to_owned() } else { format!("{prefix}.{part}") };
    let meaning = schema["description"].as_str().unwrap_or(said_above);
    let mut children: Vec<(String, &Json)> =
        schema["properties"].as_object().into_iter().flatten().map(|(part, child)| (name_in(part), child)).collect();
    if let Some(patterns) = schema["patternProperties"].as_object() {
        children.extend(patterns.values().map(|child| (name_in("<day>"), child)));
    }
    if schema["additionalProperties"].is_object() {
        children.push((name_in("<name>"), &schema["additionalProperties"]));
    }
    if !children.is_empty() {
        for (name, child) in children {
            collect(child, &name, meaning, keys);
        }
        return;
    }
    let (kind, allowed) = describe(schema);
    let scope = Scope::of(prefix);
    keys.push(Key {
        kind,
        allowed,
        scope,
        meaning: meaning.replace('\n', " "),
        default: schema["default"].clone(),
        variable: (!prefix.contains('<') && scope != Scope::Project).then(|| variable(prefix)),
        name: prefix.to_owned(),
    });
}

/// The environment variable for a setting.
pub(super) fn variable(name: &str) -> String {
    format!("HANDOFF_{}", name.replace('.', "_").to_uppercase())
}

/// The dotted name of a path, with quotes where a part needs them.
pub fn join(path: &[String]) -> String {
    let plain = |part: &String| !part.is_empty() && !part.contains(['.', '"', '\'', ' ']);
    let parts: Vec<String> = path
        .iter()
        .map(|part| if plain(part) { part.clone() } else { Json::from(part.as_str()).to_string() })
        .collect();
    parts.join(".")
}

/// The parts of a dotted name. What is not written as TOML wants it is split at every dot.
pub fn split(name: &str) -> Vec<String> {
    match toml_edit::Key::parse(name) {
        Ok(keys) => keys.iter().map(|key| key.get().to_owned()).collect(),
        Err(_) => name.split('.').map(|part| part.trim().to_owned()).collect(),
    }
}

fn pattern(name: &str) -> Vec<&str> {
    name.split('.').collect()
}

/// Whether a pattern goes on below these parts.
fn begins(pattern: &[&str], parts: &[String]) -> bool {
    pattern.len() > parts.len() && pattern.iter().zip(parts).all(|(wanted, part)| is_any(wanted) || wanted == part)
}

/// The name of a pattern, with the names that are known.
fn filled(pattern: &[&str], parts: &[String]) -> String {
    let own = pattern.iter().enumerate().map(|(index, wanted)| match parts.get(index) {
        Some(part) if is_any(wanted) && !part.is_empty() => part.clone(),
        _ => (*wanted).to_owned(),
    });
    join(&own.collect::<Vec<_>>())
}

fn is_any(part: &str) -> bool {
    part.starts_with('<')
}

/// The path that a pattern makes of these parts: a name without quotes may have been split at its own dots.
fn matching(pattern: &[&str], parts: &[String]) -> Option<Vec<String>> {
    let Some((wanted, rest)) = pattern.split_first() else {
        return parts.is_empty().then(Vec::new);
    };
    let longest = if is_any(wanted) { parts.len() } else { parts.len().min(1) };
    (1..=longest).find_map(|taken| {
        let part = parts[..taken].join(".");
        if part.is_empty() || !(is_any(wanted) || part == *wanted) {
            return None;
        }
        let mut path = matching(rest, &parts[taken..])?;
        path.insert(0, part);
        Some(path)
    })
}
