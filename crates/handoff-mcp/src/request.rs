//! What a call says beside the operation's own arguments.

use std::path::PathBuf;

use handoff_ops::{Entry, OpError};
use rmcp::model::JsonObject;
use serde_json::Value;

use crate::answer::{BUDGET, Format};
use crate::tool::{self, FORMAT, PROJECT_DIR};

/// An argument by which an operation keeps to a budget of its own.
const OWN_BUDGET: &str = "budget_tokens";

/// The arguments of a call, taken apart.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) request: JsonObject,
    pub(crate) project_dir: Option<PathBuf>,
    pub(crate) format: Format,
    /// Bytes an answer for reading may have.
    pub(crate) budget: Option<usize>,
}

impl Arguments {
    pub(crate) fn read(entry: &Entry, mut request: JsonObject) -> Result<Arguments, OpError> {
        let project_dir = match request.remove(PROJECT_DIR) {
            None | Some(Value::Null) => None,
            // Hosts pass placeholders they did not fill in.
            Some(Value::String(dir)) => (!dir.is_empty() && !dir.starts_with("${")).then(|| PathBuf::from(dir)),
            Some(other) => {
                return Err(OpError::usage(format!(
                    "`{PROJECT_DIR}` is not valid: it is a directory's path, not {other}"
                )));
            }
        };
        let format = match request.remove(FORMAT) {
            Some(given) if entry.effect.is_reading() => format(&given)?,
            Some(given) => {
                request.insert(FORMAT.to_owned(), given);
                Format::Markdown
            }
            None => Format::Markdown,
        };
        // An operation that knows the format fits its answer to it; any other need not hear of it.
        if format == Format::Json && tool::takes(entry, FORMAT) {
            request.insert(FORMAT.to_owned(), "json".into());
        }
        let budget = if request.get(OWN_BUDGET).is_some_and(Value::is_number) { None } else { Some(BUDGET) };
        Ok(Arguments { request, project_dir, format, budget })
    }
}

fn format(given: &Value) -> Result<Format, OpError> {
    match given.as_str() {
        Some("markdown" | "text") => Ok(Format::Markdown),
        Some("json") => Ok(Format::Json),
        _ => Err(OpError::usage(format!("`{FORMAT}` is not valid: it is `markdown` or `json`, not {given}"))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::sets::tool;

    fn read(tool_name: &str, arguments: Value) -> Result<Arguments, String> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        Arguments::read(tool(tool_name).unwrap(), arguments).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn a_project_is_named_by_a_path_and_placeholders_count_as_nothing() {
        for (given, expected) in
            [("/a/b", Some("/a/b")), ("sub", Some("sub")), ("", None), ("${workspaceFolder}", None)]
        {
            let arguments = read("handoff_list_tasks", json!({"project_dir": given, "ready": true})).unwrap();
            assert_eq!(arguments.project_dir, expected.map(PathBuf::from));
            assert_eq!(Value::Object(arguments.request), json!({"ready": true}));
        }
        assert_eq!(read("handoff_list_tasks", json!({"project_dir": null})).unwrap().project_dir, None);
        let wrong = read("handoff_list_tasks", json!({"project_dir": ["/a"]})).unwrap_err();
        assert_eq!(wrong, "`project_dir` is not valid: it is a directory's path, not [\"/a\"]");
    }

    #[test]
    fn only_what_is_read_has_a_format() {
        assert_eq!(read("handoff_list_tasks", json!({})).unwrap().format, Format::Markdown);
        assert_eq!(read("handoff_list_tasks", json!({"format": "json"})).unwrap().format, Format::Json);
        let wrong = read("handoff_list_tasks", json!({"format": "xml"})).unwrap_err();
        assert_eq!(wrong, "`format` is not valid: it is `markdown` or `json`, not \"xml\"");
        let kept = read("handoff_check_criterion", json!({"format": "json"})).unwrap();
        assert_eq!(Value::Object(kept.request), json!({"format": "json"}), "the operation refuses it");
    }

    #[test]
    fn an_operation_with_a_budget_of_its_own_is_not_cut_again() {
        assert_eq!(read("handoff_list_tasks", json!({})).unwrap().budget, Some(BUDGET));
        assert_eq!(read("handoff_list_tasks", json!({"budget_tokens": 5000})).unwrap().budget, None);
    }
}
