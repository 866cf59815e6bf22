//! A way out of an error, which each door says in its own words.

use clap::{Arg, ArgAction};
use serde_json::{Value, json};

use crate::operation::{Door, Entry, Operation};
use crate::published::published_call;

/// Advice that goes with an error or with rows left out.
#[derive(Debug, Clone)]
pub struct Hint(Advice);

#[derive(Debug, Clone)]
enum Advice {
    Run {
        entry: Entry,
        request: Value,
    },
    Person {
        entry: Entry,
        request: Value,
        otherwise: String,
    },
    Say(String),
    /// One thing for people, another for agents
    ByReader {
        people: Box<Hint>,
        agents: Box<Hint>,
    },
}

impl Hint {
    /// "Ask for this": `handoff task list` on the command line, `handoff_list_tasks` over MCP.
    pub fn run<T: Operation>() -> Hint {
        Hint::run_with::<T>(json!({}))
    }

    /// "Ask for this", with fields of the request: `json!({"id": "k7f3", "status": "done"})`.
    pub fn run_with<T: Operation>(request: Value) -> Hint {
        Hint(Advice::Run { entry: Entry::of::<T>(), request })
    }

    /// "Ask for this, or do something else", where that is up to a person: an agent is told to leave it to them.
    pub fn for_person<T: Operation>(request: Value, otherwise: impl Into<String>) -> Hint {
        Hint(Advice::Person { entry: Entry::of::<T>(), request, otherwise: otherwise.into() })
    }

    /// Advice that is the same at every door.
    pub fn say(text: impl Into<String>) -> Hint {
        Hint(Advice::Say(text.into()))
    }

    /// Advice that differs for people at a terminal and for agents.
    pub fn by_reader(people: Hint, agents: Hint) -> Hint {
        Hint(Advice::ByReader { people: Box::new(people), agents: Box::new(agents) })
    }

    /// Changes every text in it.
    pub(crate) fn change_texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        match &mut self.0 {
            Advice::Say(text) => change(text),
            Advice::ByReader { people, agents } => {
                people.change_texts(change);
                agents.change_texts(change);
            }
            Advice::Run { request, .. } => crate::leaving::change_json(request, change),
            Advice::Person { request, otherwise, .. } => {
                crate::leaving::change_json(request, change);
                change(otherwise);
            }
        }
    }

    /// The advice in the words of one door.
    pub fn at(&self, door: Door) -> String {
        match &self.0 {
            Advice::Say(text) => text.clone(),
            Advice::ByReader { people, agents } => {
                if door == Door::Mcp {
                    agents.at(door)
                } else {
                    people.at(door)
                }
            }
            Advice::Person { entry, request, otherwise } => {
                let run = Hint(Advice::Run { entry: *entry, request: request.clone() }).at(door);
                match door {
                    Door::Mcp => format!("leave that to a person: ask them to {run}, or to {otherwise}"),
                    Door::Cli | Door::Http => format!("{run}, or {otherwise}"),
                }
            }
            Advice::Run { entry, request } => {
                // Agents know the published tools, so those go first.
                if door == Door::Mcp
                    && let Some((tool, request)) = published_call(entry.name, request)
                {
                    return call(tool, &request);
                }
                // What a door does not offer can still be run from a shell.
                let name = match door {
                    Door::Mcp if entry.offered_at(door) => entry.tool,
                    Door::Http if entry.offered_at(door) => entry.name,
                    _ => return format!("run `{}`", command_line(entry, request)),
                };
                call(name, request)
            }
        }
    }

    /// The advice for programs: its words at this door and, where there is one, the request itself.
    pub fn to_json(&self, door: Door) -> Value {
        match &self.0 {
            Advice::Say(text) => json!({ "text": text }),
            Advice::ByReader { people, agents } => {
                if door == Door::Mcp {
                    agents.to_json(door)
                } else {
                    people.to_json(door)
                }
            }
            Advice::Run { entry, request } | Advice::Person { entry, request, .. } => {
                json!({ "text": self.at(door), "operation": entry.name, "request": request })
            }
        }
    }
}

fn call(name: &str, request: &Value) -> String {
    if is_empty(request) { format!("call `{name}`") } else { format!("call `{name}` with `{request}`") }
}

fn is_empty(request: &Value) -> bool {
    request.as_object().is_none_or(serde_json::Map::is_empty)
}

/// The argument of every MCP tool that names the project to work in.
pub(crate) const PROJECT_DIR: &str = "project_dir";

/// The request as a person would type it.
fn command_line(entry: &Entry, request: &Value) -> String {
    let command = entry.command();
    let mut words = vec!["handoff".to_owned()];
    words.extend(entry.name.split('.').map(str::to_owned));
    let (mut options, mut positionals) = (Vec::new(), Vec::new());
    for (field, value) in request.as_object().into_iter().flatten() {
        // Where to work is said beside every request, in the same way.
        if let (PROJECT_DIR, Some(dir)) = (field.as_str(), value.as_str()) {
            options.extend(["--project-dir".to_owned(), quoted(dir)]);
            continue;
        }
        let argument = command.get_arguments().find(|argument| argument.get_id() == field.as_str());
        let typed = argument.and_then(|argument| typed(argument, value));
        let (Some(argument), Some(typed)) = (argument, typed) else {
            // Nested input has no flags; the request itself can be typed instead.
            return format!("{} --request - <<< {}", words.join(" "), quoted(&request.to_string()));
        };
        match argument.get_index().or(argument.is_positional().then_some(usize::MAX)) {
            Some(index) => positionals.push((index, typed)),
            None => options.extend(typed),
        }
    }
    positionals.sort_by_key(|(index, _)| *index);
    let positionals: Vec<String> = positionals.into_iter().flat_map(|(_, typed)| typed).collect();
    if positionals.iter().any(|word| word.starts_with('-')) {
        words.extend(options);
        words.push("--".to_owned());
        words.extend(positionals);
    } else {
        words.extend(positionals);
        words.extend(options);
    }
    words.join(" ")
}

/// One field as words of a command line, unless it has no such form.
fn typed(argument: &Arg, value: &Value) -> Option<Vec<String>> {
    let values: Vec<String> = match value {
        Value::Array(items) => items.iter().map(scalar).collect::<Option<_>>()?,
        value => vec![scalar(value)?],
    };
    let Some(long) = argument.get_long() else {
        return argument.is_positional().then(|| values.iter().map(|value| quoted(value)).collect());
    };
    if matches!(argument.get_action(), ArgAction::SetTrue) {
        return Some(if values == ["true"] { vec![format!("--{long}")] } else { Vec::new() });
    }
    let option = |value: &String| {
        if value.starts_with('-') {
            vec![format!("--{long}={}", quoted(value))]
        } else {
            vec![format!("--{long}"), quoted(value)]
        }
    };
    Some(values.iter().flat_map(option).collect())
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        // On the command line, `none` clears what `null` clears in JSON.
        Value::Null => Some("none".to_owned()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(value) => Some(value.to_string()),
        Value::String(value) => Some(value.clone()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// A word as a POSIX shell takes it back.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Seal, Water};

    fn typed(request: Value) -> String {
        Hint::run_with::<Water>(request).at(Door::Cli)
    }

    #[test]
    fn each_door_says_it_in_its_own_words() {
        let hint = Hint::run::<Water>();
        assert_eq!(hint.at(Door::Cli), "run `handoff plant water`");
        assert_eq!(hint.at(Door::Mcp), "call `handoff_water_plant`");
        assert_eq!(hint.at(Door::Http), "call `plant.water`");
    }

    #[test]
    fn fields_become_arguments_or_json() {
        let hint = Hint::run_with::<Water>(json!({"litres": 2, "plant": "old fern", "gently": true}));
        assert_eq!(hint.at(Door::Cli), "run `handoff plant water 'old fern' --litres 2 --gently`");
        assert_eq!(
            hint.at(Door::Mcp),
            r#"call `handoff_water_plant` with `{"litres":2,"plant":"old fern","gently":true}`"#
        );
    }

    #[test]
    fn what_a_shell_would_misread_is_quoted() {
        assert_eq!(typed(json!({"plant": "it's; rm"})), r"run `handoff plant water 'it'\''s; rm'`");
        assert_eq!(typed(json!({"plant": "-x", "litres": 1})), "run `handoff plant water --litres 1 -- -x`");
        assert_eq!(
            typed(json!({"plant": "fern", "notes": ["-a", ""]})),
            "run `handoff plant water fern --notes=-a --notes ''`"
        );
    }

    #[test]
    fn the_directory_to_work_in_is_said_beside_the_request() {
        let typed = typed(json!({"project_dir": "../my app", "plant": "fern"}));
        assert_eq!(typed, "run `handoff plant water fern --project-dir '../my app'`");
    }

    #[test]
    fn nested_fields_are_shown_as_the_request_itself() {
        let request = json!({"plant": "fern", "when": {"hour": 7}});
        assert_eq!(typed(request), r#"run `handoff plant water --request - <<< '{"plant":"fern","when":{"hour":7}}'`"#);
    }

    #[test]
    fn what_a_door_does_not_offer_is_run_from_a_shell() {
        assert_eq!(Hint::run::<Seal>().at(Door::Mcp), "run `handoff seal`");
    }
}
