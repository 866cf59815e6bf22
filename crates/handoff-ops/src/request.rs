//! Reading a request, from a command line or from JSON, into the operation's own type.

use clap::ArgMatches;
use handoff_model::close::nearest;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::OpError;
use crate::operation::{Operation, Prepared};

/// A request as it comes through a door.
#[derive(Debug)]
pub enum Request<'a> {
    /// Parsed command line arguments of the operation's own command.
    Cli(&'a ArgMatches),
    /// A JSON object.
    Json(Value),
}

pub(crate) fn read<T: Operation>(request: Request<'_>) -> Result<Box<dyn Prepared>, OpError> {
    let operation = match request {
        Request::Cli(matches) => T::from_arg_matches(matches).map_err(|error| from_clap(&error))?,
        Request::Json(value) => from_json::<T>(value)?,
    };
    Ok(Box::new(operation))
}

pub(crate) fn schema<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().for_deserialize().into_generator().into_root_schema_for::<T>().into()
}

pub(crate) fn outcome_schema<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>().into()
}

fn from_clap(error: &clap::Error) -> OpError {
    let text = error.render().to_string();
    let first = text.lines().next().unwrap_or_default();
    OpError::usage(first.strip_prefix("error: ").unwrap_or(first))
}

fn from_json<T: Operation>(value: Value) -> Result<T, OpError> {
    // serde would read a list as the fields in their order, which nobody means.
    if !value.is_object() {
        let found = kind_of(&value);
        return Err(with_example::<T>(OpError::usage(format!("the request must be a JSON object, not {found}"))));
    }
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        with_example::<T>(OpError::usage(explain(&path, &error.into_inner().to_string())))
    })
}

/// Reads `null` as an argument that is not given: agents fill in what they leave out.
pub(crate) fn null_is_absent<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Default,
    D: Deserializer<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

fn with_example<T: Operation>(error: OpError) -> OpError {
    error.detail(format!("a request that works looks like {}", T::example()))
}

/// The sentence for one complaint of serde about the value at `path`.
fn explain(path: &str, message: &str) -> String {
    if let Some((field, known)) = unknown_field(message) {
        let place = match path.rsplit_once('.') {
            Some((parent, last)) if last == field => format!(" in `{parent}`"),
            _ if path == field || path == "." || path == "?" => String::new(),
            _ => format!(" in `{path}`"),
        };
        let advice = match nearest(field, known.iter().copied()) {
            Some(name) => format!("did you mean `{name}`?"),
            None if known.is_empty() => "it takes none".to_owned(),
            None => format!("known are {}", list(&known)),
        };
        return format!("unknown field `{field}`{place}: {advice}");
    }
    if path == "." || path == "?" { message.to_owned() } else { format!("`{path}` is not valid: {message}") }
}

/// Splits serde's "unknown field `a`, expected one of `b`, `c`".
fn unknown_field(message: &str) -> Option<(&str, Vec<&str>)> {
    let (field, expected) = message.strip_prefix("unknown field `")?.split_once("`, ")?;
    let known = expected.split('`').skip(1).step_by(2).collect();
    Some((field, known))
}

fn list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use handoff_model::change::Change;
    use serde_json::json;

    use super::*;
    use crate::sample::Water;
    use crate::session::{SaveSession, UpdateSession};

    fn complaint(request: Value) -> String {
        match read::<Water>(Request::Json(request)) {
            Ok(_) => panic!("the request was accepted"),
            Err(error) => error.message().to_owned(),
        }
    }

    #[test]
    fn an_unknown_field_is_answered_with_the_nearest_name() {
        assert_eq!(complaint(json!({"plant": "fern", "liters": 2})), "unknown field `liters`: did you mean `litres`?");
    }

    #[test]
    fn an_unknown_field_like_no_other_is_answered_with_all_names() {
        let all = "known are `plant`, `litres`, `gently`, `notes`, `when`";
        assert_eq!(complaint(json!({"plant": "fern", "zzz": 2})), format!("unknown field `zzz`: {all}"));
    }

    #[test]
    fn an_unknown_field_inside_another_names_both() {
        let request = json!({"plant": "fern", "when": {"hours": 2}});
        assert_eq!(complaint(request), "unknown field `hours` in `when`: did you mean `hour`?");
    }

    #[test]
    fn a_wrong_type_names_its_field() {
        let request = json!({"plant": "fern", "when": {"hour": "noon"}});
        assert_eq!(complaint(request), "`when.hour` is not valid: invalid type: string \"noon\", expected u8");
    }

    #[test]
    fn a_missing_field_is_named() {
        assert_eq!(complaint(json!({})), "missing field `plant`");
    }

    #[test]
    fn a_request_is_an_object() {
        assert_eq!(complaint(json!(["fern", 2])), "the request must be a JSON object, not a list");
        assert_eq!(complaint(json!(null)), "the request must be a JSON object, not null");
    }

    #[test]
    fn a_wrong_request_is_answered_with_one_that_works() {
        let error = read::<Water>(Request::Json(json!({}))).err().unwrap();
        assert_eq!(error.detail_lines(), [r#"a request that works looks like {"plant":"fern","litres":2}"#]);
    }

    fn fields<T: Operation>() -> Vec<String> {
        let error = T::deserialize(json!({"zzz": null})).err().unwrap().to_string();
        let (_, known) = unknown_field(&error).unwrap();
        known.into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn null_leaves_out_any_argument_of_a_save_or_an_update() {
        for field in fields::<SaveSession>() {
            from_json::<SaveSession>(json!({ field: null })).unwrap();
        }
        for field in fields::<UpdateSession>() {
            from_json::<UpdateSession>(json!({ field: null })).unwrap();
        }
    }

    #[test]
    fn null_clears_no_list_of_a_save() {
        let request = json!({"next": null, "decisions": null, "checklist": null, "context_pointers": null});
        let save = from_json::<SaveSession>(request).unwrap();
        assert_eq!((save.next, save.checklist), (Change::Keep, Change::Keep));
        assert_eq!((save.decisions, save.context_pointers), (Change::Keep, Change::Keep));
    }
}
