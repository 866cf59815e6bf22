//! Whether one value may stand at one key: asked of the types themselves, so that no rule is written twice.

use serde_json::{Map, Value as Json};
use toml::{Table, Value};

use super::Config;

/// The configuration that has only this value, or why there is none.
pub(super) fn alone(path: &[String], value: Value) -> Result<Config, String> {
    let mut nested = value;
    for part in path.iter().rev() {
        nested = Value::Table(Table::from_iter([(part.clone(), nested)]));
    }
    match nested {
        Value::Table(table) => typed(table),
        _ => Err("expected a table".to_owned()),
    }
}

pub(super) fn typed(table: Table) -> Result<Config, String> {
    table.try_into().map_err(|error: toml::de::Error| crate::document::one_line(error.message()))
}

/// Whether the key holds a list.
pub(super) fn is_list(path: &[String]) -> bool {
    alone(path, Value::Array(Vec::new())).is_ok() && alone(path, Value::Integer(0)).is_err()
}

/// The value as this build writes it, with its path: `Friday` becomes `fri`, `6` becomes `6.0`.
pub(super) fn canonical(path: &[String], value: &Value) -> Result<(Vec<String>, Json), String> {
    let config = alone(path, value.clone())?;
    let as_json = |config: Config| serde_json::to_value(config).map_err(|error| error.to_string());
    let (mut place, mut default) = (as_json(config)?, as_json(Config::default())?);
    let mut parts = Vec::with_capacity(path.len());
    for part in path {
        let mut entries = match place {
            Json::Object(entries) => entries,
            _ => Map::new(),
        };
        let name = if entries.contains_key(part) { part.clone() } else { only_name(&entries, &default)? };
        place = entries.remove(&name).unwrap_or_default();
        default = default.get_mut(&name).map(Json::take).unwrap_or_default();
        parts.push(name);
    }
    // A value that says the same as none at all, such as an empty description, is written as it was given.
    let said = if place.is_null() { to_json(value) } else { place };
    Ok((parts, said))
}

/// The one name in a map of names, which are free; sections have names by default and know no others.
fn only_name(entries: &Map<String, Json>, default: &Json) -> Result<String, String> {
    let is_section = default.as_object().is_some_and(|names| !names.is_empty());
    match entries.keys().next() {
        Some(name) if entries.len() == 1 && !is_section => Ok(name.clone()),
        _ => Err("there is no such setting".to_owned()),
    }
}

/// Interprets words from a command line or a variable by the type of the key they are for.
///
/// A TOML literal is taken as such where it fits, anything else as a text; for a list, several words or one with commas.
pub(super) fn interpret(path: &[String], words: &[String]) -> Result<Value, String> {
    let literal = match words {
        [word] => word.trim().parse::<Value>().ok(),
        _ => None,
    };
    if is_list(path) {
        let list = match (literal, words) {
            (Some(list @ Value::Array(_)), _) => list,
            (_, [word]) => texts(word.split(',').map(str::trim).filter(|item| !item.is_empty())),
            (_, words) => texts(words.iter().map(String::as_str)),
        };
        return alone(path, list.clone()).map(|_| list);
    }
    let [word] = words else {
        return Err("it takes one value; put quotes around a text with blanks".to_owned());
    };
    let text = Value::String(word.clone());
    let Some(literal) = literal else {
        return alone(path, text.clone()).map(|_| text);
    };
    match alone(path, literal.clone()) {
        Ok(_) => Ok(literal),
        Err(reason) => alone(path, text.clone()).map(|_| text).map_err(|_| reason),
    }
}

fn texts<'a>(items: impl Iterator<Item = &'a str>) -> Value {
    Value::Array(items.map(|item| Value::String(item.to_owned())).collect())
}

/// A TOML value as JSON; times become texts.
pub(crate) fn to_json(value: &Value) -> Json {
    match value {
        Value::String(text) => text.as_str().into(),
        Value::Integer(number) => (*number).into(),
        Value::Float(number) => (*number).into(),
        Value::Boolean(truth) => (*truth).into(),
        Value::Datetime(time) => time.to_string().into(),
        Value::Array(items) => items.iter().map(to_json).collect(),
        Value::Table(table) => {
            table.iter().map(|(key, value)| (key.clone(), to_json(value))).collect::<Map<_, _>>().into()
        }
    }
}

/// A JSON value as TOML, which has no `null`.
pub(super) fn to_toml(json: &Json) -> Result<Value, String> {
    match json {
        Json::Null => Err("`null` cannot stand inside a value".to_owned()),
        Json::Bool(truth) => Ok((*truth).into()),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Ok(whole.into()),
            (None, Some(decimal)) => Ok(decimal.into()),
            (None, None) => Err(format!("`{number}` is too large")),
        },
        Json::String(text) => Ok(text.as_str().into()),
        Json::Array(items) => items.iter().map(to_toml).collect::<Result<Vec<_>, _>>().map(Value::Array),
        Json::Object(map) => map
            .iter()
            .map(|(key, value)| Ok((key.clone(), to_toml(value)?)))
            .collect::<Result<Table, String>>()
            .map(Value::Table),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(key: &str) -> Vec<String> {
        key.split('.').map(str::to_owned).collect()
    }

    fn read(key: &str, words: &[&str]) -> Result<Json, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let value = interpret(&path(key), &words)?;
        canonical(&path(key), &value).map(|(_, json)| json)
    }

    #[test]
    fn words_are_read_by_the_type_of_their_key() {
        let yes = |key: &str, words: &[&str], json: &str| {
            assert_eq!(read(key, words).unwrap().to_string(), json, "{key} {words:?}");
        };
        yes("settings.auto_git_summary", &["false"], "false");
        yes("settings.budget_tokens", &["3000"], "3000");
        yes("project.name", &["true"], r#""true""#);
        yes("project.name", &["12"], r#""12""#);
        yes("project.name", &["\"none\""], r#""none""#);
        yes("project.name", &["[draft] a, b"], r#""[draft] a, b""#);
        yes("project.description", &[""], r#""""#);
        yes("labels", &["a, b"], r#"["a","b"]"#);
        yes("labels", &["a, b", "c"], r#"["a, b","c"]"#);
        yes("labels", &["[\"a\", 'b']"], r#"["a","b"]"#);
        yes("labels", &["--x"], r#"["--x"]"#);
        yes("labels", &["true"], r#"["true"]"#);
        yes("labels", &[""], "[]");
        yes("calendar.closed_weekdays", &["0,Saturday"], r#"["sun","sat"]"#);
        yes("calendar.closed_weekdays", &["[0, 6]"], r#"["sun","sat"]"#);
        yes("calendar.work_hours_per_day", &["7"], "7.0");
        yes("milestones.beta.date", &["2026-04-01"], r#""2026-04-01""#);
        yes("settings.ai_estimate_multiplier", &["0.2"], "0.2");
    }

    #[test]
    fn words_that_do_not_fit_say_what_would() {
        let no = |key: &str, words: &[&str], says: &str| {
            let error = read(key, words).unwrap_err();
            assert!(error.contains(says), "{key} {words:?}: {error}");
        };
        no("settings.budget_tokens", &["many"], "expected a whole number from 100 to 200000");
        no("settings.budget_tokens", &["-5"], "integer `-5`, expected a whole number");
        no("settings.budget_tokens", &["nan"], "expected a whole number");
        no("settings.auto_git_summary", &["yes"], "expected a boolean");
        no("settings.auto_git_summary", &["true", "false"], "one value");
        no("settings.task_dirs", &["nested"], "expected `status` or `stable`");
        no("calendar.closed_dates", &["2026-02-30"], "not a date of the calendar");
        no("calendar.work_hours_per_day", &["inf"], "a number from 0 to 24");
        no("calendar.work_hours_per_day", &["25"], "a number from 0 to 24");
        no("assignees.a.color", &["red"], "not a colour");
        no("labels", &["[1]"], "expected a string");
        no("settings.budget_tokens", &["100\nx = 1"], "expected a whole number");
        no("layers.mirror", &["../elsewhere"], "not a path inside the project");
    }

    #[test]
    fn names_of_days_get_their_usual_spelling() {
        let (path, value) = canonical(&path("assignees.al.day_hours.Friday"), &Value::Integer(4)).unwrap();
        assert_eq!((path.join("."), value), ("assignees.al.day_hours.fri".to_owned(), Json::from(4.0)));
        for unknown in ["layers.other", "settings.other", "assignees.al.other", "other", "labels.other"] {
            let path: Vec<String> = unknown.split('.').map(str::to_owned).collect();
            assert!(canonical(&path, &Value::Integer(4)).is_err(), "{unknown}");
        }
    }
}
