//! A plan that stands only in the text of a script, as a call such as `tools.update_plan({plan: […]})`.

use handoff_model::agent::Todo;

use super::record::{Arguments, Step};
use crate::text::part;
use crate::tool::todo_status;

const CALL: &str = "update_plan(";

/// The steps of the last plan in a script; none where it sets no plan that can be read.
pub(super) fn plan(script: &str) -> Option<Vec<Todo>> {
    let argument = script[script.rfind(CALL)? + CALL.len()..].trim_start();
    let mut values = serde_json::Deserializer::from_str(argument).into_iter::<Arguments<'_>>();
    if let Some(Ok(arguments)) = values.next() {
        return Some(steps(part(arguments.plan)));
    }
    let todos = literals(argument);
    (!todos.is_empty()).then_some(todos)
}

/// The steps of a plan.
pub(super) fn steps(list: Vec<Step<'_>>) -> Vec<Todo> {
    let todo = |step: Step<'_>| {
        let status = todo_status(step.status.as_str());
        Some(Todo { id: None, text: step.step.owned()?, status, line: None })
    };
    list.into_iter().filter_map(todo).collect()
}

/// Steps written as JavaScript rather than JSON: `{step: 'Reproduce', status: "pending"}`.
fn literals(script: &str) -> Vec<Todo> {
    let end = script.find(']').unwrap_or(script.len());
    let mut todos = Vec::new();
    for entry in script[..end].split('{').skip(1) {
        let Some(text) = literal(entry, "step") else { continue };
        let status = todo_status(&literal(entry, "status").unwrap_or_default());
        todos.push(Todo { id: None, text, status, line: None });
    }
    todos
}

/// The text that a key is set to, whichever quotes it stands in.
fn literal(entry: &str, key: &str) -> Option<String> {
    let after = entry[entry.find(key)? + key.len()..].trim_start_matches(['"', '\'']).trim_start();
    let value = after.strip_prefix(':')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
    let mut text = String::new();
    let mut is_escaped = false;
    for character in value[1..].chars() {
        match character {
            _ if is_escaped => {
                is_escaped = false;
                text.push(if character == 'n' { '\n' } else { character });
            }
            '\\' => is_escaped = true,
            end if end == quote => return Some(text),
            other => text.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use handoff_model::agent::TodoStatus::{Completed, InProgress};

    use super::*;

    #[test]
    fn a_plan_is_found_in_json_and_in_javascript() {
        let json =
            r#"const r = await tools.update_plan({"plan": [{"step": "Try {it}", "status": "completed"}], "x": 1});"#;
        let script = r"await tools.update_plan({ explanation: 'so', plan: [
            { step: 'It\'s done', status: 'completed' }, { status: `in_progress`, step: `next` } ] }); text('[');";
        let found =
            |script| -> Vec<_> { plan(script).unwrap().into_iter().map(|todo| (todo.text, todo.status)).collect() };
        assert_eq!(found(json), [("Try {it}".to_owned(), Completed)]);
        assert_eq!(found(script), [("It's done".to_owned(), Completed), ("next".to_owned(), InProgress)]);
    }

    #[test]
    fn a_plan_that_is_computed_is_none() {
        assert_eq!(plan("await tools.update_plan(makePlan())"), None);
        assert_eq!(plan("update_plan("), None);
        assert_eq!(plan("update_plan({plan: [{step: 'never closed"), None);
    }
}
