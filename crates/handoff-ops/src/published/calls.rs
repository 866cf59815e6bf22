//! Which published call does what a finer operation does.
//!
//! Errors and lists name a way out as a request of a finer operation. An agent knows the published tools, so over MCP
//! the way out is said in their words, with their arguments.

use serde_json::{Map, Value, json};

use super::{
    AutoSchedule, CheckCriterion, DeleteMemory, GetConfig, GetTask, Init, ListTasks, SaveMemory, UpdateConfig,
    UpdateTask,
};
use crate::Operation;
use crate::hint::PROJECT_DIR;
use crate::resume::ResumeSession;

/// The published tool and its arguments that ask for the same, where there are such.
pub(crate) fn published_call(name: &str, request: &Value) -> Option<(&'static str, Value)> {
    let fields = request.as_object()?;
    Some(match name {
        "init" => {
            // Only the caller knows what the project is called.
            let name = fields.get("name").cloned().unwrap_or_else(|| "NAME".into());
            let mut arguments = json!({ "project_name": name });
            if let Some(dir) = fields.get(PROJECT_DIR) {
                arguments[PROJECT_DIR] = dir.clone();
            }
            (Init::TOOL, arguments)
        }
        "task.list" => (ListTasks::TOOL, renamed(fields, LIST)?),
        "task.show" => (GetTask::TOOL, renamed(fields, TASK)?),
        "task.update" => (UpdateTask::TOOL, json!({ "task": renamed(fields, UPDATE)? })),
        "task.check" => (CheckCriterion::TOOL, criterion(fields, true)?),
        "task.uncheck" => (CheckCriterion::TOOL, criterion(fields, false)?),
        "plan.apply" => {
            let mut arguments = renamed(fields, APPLY)?;
            arguments["dry_run"] = json!(fields.get("dry_run").is_some_and(|dry| *dry == json!(true)));
            (AutoSchedule::TOOL, arguments)
        }
        "memory.add" => (SaveMemory::TOOL, renamed(fields, MEMORY)?),
        "memory.edit" => (SaveMemory::TOOL, renamed(fields, MEMORY_EDIT)?),
        "memory.retire" => (DeleteMemory::TOOL, renamed(fields, MEMORY_END)?),
        "session.show" => (ResumeSession::TOOL, renamed(fields, SESSION)?),
        "config.get" => (GetConfig::TOOL, json!({})),
        "config.set" => {
            let updates = match (fields.get("updates"), fields.get("key").and_then(Value::as_str)) {
                (Some(updates), _) => updates.clone(),
                (None, Some(key)) => json!({ key: fields.get("value") }),
                (None, None) => json!({}),
            };
            (UpdateConfig::TOOL, json!({ "updates": updates }))
        }
        _ => return None,
    })
}

const LIST: &[(&str, &str)] = &[
    ("status", "status_filter"),
    ("assignee", "assignee_filter"),
    ("milestone", "milestone_filter"),
    ("priority", "priority_filter"),
    ("labels", "label_filter"),
    ("query", "query"),
    ("ready", "ready"),
    ("archived", "archived"),
    ("limit", "limit"),
    ("cursor", "cursor"),
];

const APPLY: &[(&str, &str)] = &[
    ("assignee", "assignee_filter"),
    ("start_date", "start_date"),
    ("dry_run", "dry_run"),
    (PROJECT_DIR, PROJECT_DIR),
];

const TASK: &[(&str, &str)] = &[("id", "task_id"), (PROJECT_DIR, PROJECT_DIR)];

const SESSION: &[(&str, &str)] = &[("session", "session_id"), (PROJECT_DIR, PROJECT_DIR)];

const MEMORY: &[(&str, &str)] = &[
    ("text", "text"),
    ("kind", "kind"),
    ("tags", "tags"),
    ("keywords", "keywords"),
    ("paths", "scope_paths"),
    ("replaces", "absorb_ids"),
    ("force", "force"),
];

const MEMORY_EDIT: &[(&str, &str)] = &[("id", "merge_into"), ("text", "text"), ("kind", "kind")];

const MEMORY_END: &[(&str, &str)] = &[("id", "id"), ("because", "because"), ("replaced_by", "replaced_by")];

const UPDATE: &[(&str, &str)] = &[
    ("id", "id"),
    ("title", "title"),
    ("status", "status"),
    ("description", "notes"),
    ("priority", "priority"),
    ("assignee", "assignee"),
    ("order", "order"),
    ("labels", "labels"),
    ("dependencies", "dependencies"),
    ("done_criteria", "done_criteria"),
    ("links", "links"),
];

/// The fields under their published names; `None` when one has none.
fn renamed(fields: &Map<String, Value>, names: &[(&str, &str)]) -> Option<Value> {
    let published = |field: &str| names.iter().find(|(name, _)| *name == field).map(|(_, published)| *published);
    let renamed = fields.iter().map(|(field, value)| Some((published(field)?.to_owned(), value.clone())));
    renamed.collect::<Option<Map<String, Value>>>().map(Value::Object)
}

fn criterion(fields: &Map<String, Value>, checked: bool) -> Option<Value> {
    let (task, which) = (fields.get("id")?, fields.get("criterion")?.as_str()?);
    Some(match which.parse::<usize>().ok().and_then(|place| place.checked_sub(1)) {
        Some(index) => json!({ "task_id": task, "criterion_index": index, "checked": checked }),
        None => json!({ "task_id": task, "criterion": which, "checked": checked }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "reads better where it is called")]
    fn call(name: &str, request: Value) -> Option<(&'static str, String)> {
        published_call(name, &request).map(|(tool, request)| (tool, request.to_string()))
    }

    #[test]
    fn the_way_out_is_said_with_published_arguments() {
        let expected = |tool, request: Value| Some((tool, request.to_string()));
        assert_eq!(
            call("task.check", json!({"id": "k7f3q2ma", "criterion": "2"})),
            expected("handoff_check_criterion", json!({"task_id": "k7f3q2ma", "criterion_index": 1, "checked": true}))
        );
        assert_eq!(
            call("task.update", json!({"id": "k7f3q2ma", "status": "done"})),
            expected("handoff_update_task", json!({"task": {"id": "k7f3q2ma", "status": "done"}}))
        );
        assert_eq!(call("task.show", json!({"id": "1"})), expected("handoff_get_task", json!({"task_id": "1"})));
        assert_eq!(
            call("plan.apply", json!({"assignee": "ann"})),
            expected("handoff_auto_schedule", json!({"assignee_filter": "ann", "dry_run": false}))
        );
        assert_eq!(call("init", json!({})), expected("handoff_init", json!({"project_name": "NAME"})));
    }

    #[test]
    fn what_no_published_tool_does_is_left_to_the_finer_operation() {
        assert_eq!(call("task.list", json!({"under": "1"})), None);
        assert_eq!(call("task.update", json!({"id": "1", "remove_labels": ["a"]})), None);
        assert_eq!(call("task.delete", json!({"id": "1"})), None);
        assert_eq!(call("plan.apply", json!({"forget_dates": true})), None);
    }
}
