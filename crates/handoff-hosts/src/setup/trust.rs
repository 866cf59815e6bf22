//! Codex runs a hook only when its hash is noted as trusted; without that it is skipped in silence.
//!
//! Codex itself says what the hashes are (`hooks/list` of `codex app-server`). A hook is known by the file it stands in, its
//! event and its position, so only ours are ever noted.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::edit::{Draft, json as json_file, toml as toml_file};
use super::host::codex;
use super::ours::{Whose, whose_item};
use super::{Entry, Machine, Part, Piece, Scope, Target};

/// One of our hooks: event, group, handler.
type Position = (String, usize, usize);

/// Our hooks in Codex, and whether they may run.
#[derive(Clone, Debug)]
pub struct CodexHooks {
    /// The file they stand in
    hooks: PathBuf,
    /// The file that says which are trusted
    config: PathBuf,
    positions: Vec<Position>,
    /// Names of the notes about ours that are there
    noted: Vec<String>,
    noted_positions: Vec<Position>,
}

impl CodexHooks {
    /// What is there now.
    pub fn find(machine: &Machine<'_>, scope: Scope) -> CodexHooks {
        let config = codex::directory(machine).join("config.toml");
        let hooks = match scope {
            Scope::User => codex::directory(machine).join("hooks.json"),
            Scope::Project => machine.project.join(".codex/hooks.json"),
        };
        let positions = machine.text(&hooks).map(|text| positions(&text)).unwrap_or_default();
        let real = machine.disk.real(&hooks);
        let names = machine.text(&config).map(|text| state_names(&text)).unwrap_or_default();
        let ours = names.into_iter().filter_map(|name| {
            let (path, position) = split(&name)?;
            let is_ours = positions.contains(&position) && machine.disk.real(Path::new(path)) == real;
            is_ours.then_some((name.clone(), position))
        });
        let (noted, noted_positions) = ours.unzip();
        CodexHooks { hooks, config, positions, noted, noted_positions }
    }

    /// Whether each of our hooks has a note that it is trusted. Only Codex can tell whether the note is of today.
    pub fn are_noted(&self) -> bool {
        self.positions.iter().all(|position| self.noted_positions.contains(position))
    }

    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    pub fn config(&self) -> &Path {
        &self.config
    }

    /// The notes to write, by what Codex says its hooks are. `None` when it does not know all of ours.
    pub fn trust(&self, machine: &Machine<'_>, listed: &Value) -> Option<Target> {
        let real = machine.disk.real(&self.hooks);
        let groups = listed.get("data")?.as_array()?;
        let hooks = groups.iter().filter_map(|group| group.get("hooks")?.as_array()).flatten();
        let mut entries: Vec<(Position, Entry)> = Vec::new();
        for hook in hooks {
            let (Some(key), Some(hash)) = (text(hook, "key"), text(hook, "currentHash")) else { continue };
            let Some((path, position)) = split(key) else { continue };
            let is_ours = self.positions.contains(&position) && machine.disk.real(Path::new(path)) == real;
            if is_ours && !entries.iter().any(|(known, _)| *known == position) {
                entries.push((position, Entry::value(&["hooks", "state", key], json!({"trusted_hash": hash}))));
            }
        }
        let is_whole = !entries.is_empty() && entries.len() == self.positions.len();
        let entries = entries.into_iter().map(|(_, entry)| entry).collect();
        is_whole.then(|| Target { part: Part::Trust, path: self.config.clone(), piece: Piece::Toml(entries) })
    }

    /// The notes about our hooks that are there, as something to be taken out.
    pub(super) fn target(&self) -> Option<Target> {
        let entries = self.noted.iter().map(|key| Entry::value(&["hooks", "state", key], json!({}))).collect();
        let target = Target { part: Part::Trust, path: self.config.clone(), piece: Piece::Toml(entries) };
        (!self.noted.is_empty()).then_some(target)
    }
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// `PATH:session_start:GROUP:HANDLER`; a path may hold colons itself.
fn split(key: &str) -> Option<(&str, Position)> {
    let mut parts = key.rsplitn(4, ':');
    let handler = parts.next()?.parse().ok()?;
    let group = parts.next()?.parse().ok()?;
    let event = parts.next()?.to_owned();
    Some((parts.next()?, (event, group, handler)))
}

/// Where our handlers stand in a file of hooks.
fn positions(text: &str) -> Vec<Position> {
    let draft = Draft::new(text);
    let Ok(Some(Value::Object(events))) = json_file::get(&draft, &["hooks".to_owned()]) else { return Vec::new() };
    let mut positions = Vec::new();
    for (event, groups) in &events {
        for (group, item) in groups.as_array().into_iter().flatten().enumerate() {
            let handlers = item.get("hooks").and_then(Value::as_array).into_iter().flatten();
            let ours = handlers.enumerate().filter(|(_, handler)| whose_item(handler) == Whose::Ours);
            positions.extend(ours.map(|(handler, _)| (snake_case(event), group, handler)));
        }
    }
    positions
}

fn state_names(text: &str) -> Vec<String> {
    let at = ["hooks".to_owned(), "state".to_owned()];
    match toml_file::get(&Draft::new(text), &at) {
        Ok(Some(Value::Object(state))) => state.into_iter().map(|(name, _)| name).collect(),
        _ => Vec::new(),
    }
}

fn snake_case(event: &str) -> String {
    let mut out = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_split_from_its_end() {
        let position = ("session_start".to_owned(), 1, 0);
        assert_eq!(split("/h/.codex/hooks.json:session_start:1:0"), Some(("/h/.codex/hooks.json", position.clone())));
        assert_eq!(split(r"C:\h\hooks.json:session_start:1:0"), Some((r"C:\h\hooks.json", position)));
        assert_eq!(split("nothing"), None);
    }

    #[test]
    fn only_our_handlers_have_a_position() {
        let text = r#"{"hooks": {"UserPromptSubmit": [
            {"hooks": [{"type": "command", "command": "date"}]},
            {"hooks": [{"type": "command", "command": "/b/handoff hook prompt --host codex"}]}]}}"#;
        assert_eq!(positions(text), [("user_prompt_submit".to_owned(), 1, 0)]);
    }
}
