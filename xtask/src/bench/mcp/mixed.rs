//! Many requests of all kinds to one server, which must neither fail nor grow.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use crate::bench::project::{DAYS, Shape, make};
use crate::bench::report::Endurance;
use crate::rig::{Rng, Server, text};

use super::server_of;

const TASKS: usize = 1_000;
/// By then everything was met once, and what is remembered is remembered.
const EARLY: usize = 2_000;
const GROWTH: f64 = 0.10;

/// Sends `requests` to one server, reads and writes of all core tools.
pub(crate) fn endure(binary: &Path, place: &Path, requests: usize) -> Result<Endurance, String> {
    let sample = make(binary, &place.join("mixed"), TASKS, Shape::Nested)?;
    sample.work(binary, DAYS)?;
    let mut server = Server::connect(server_of(binary, &sample), "bench")?;
    let mut asker =
        Asker { random: Rng::new(1), tasks: sample.open.clone(), criteria: Vec::new(), is_under_way: false, serial: 0 };
    let mut mixture: BTreeMap<&str, usize> = BTreeMap::new();
    let mut errors = Vec::new();
    let early = EARLY.min(requests / 2);
    let mut early_memory = 0;
    let started = Instant::now();
    for number in 1..=requests {
        let (tool, arguments) = asker.next(&sample.sandbox.root().join("more"))?;
        *mixture.entry(tool).or_default() += 1;
        match server.call(tool, &arguments) {
            Ok(result) => asker.learn(tool, &arguments, &result),
            Err(why) => errors.push(why),
        }
        if number == early {
            early_memory = server.memory()?.0;
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    let (late, _) = server.memory()?;
    server.close()?;
    let mut mixture: Vec<(String, usize)> = mixture.into_iter().map(|(tool, count)| (tool.to_owned(), count)).collect();
    mixture.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    Ok(Endurance { requests, seconds, errors, mixture, early: (early, early_memory), late, limit: GROWTH })
}

struct Asker {
    random: Rng,
    tasks: Vec<String>,
    /// Tasks with a criterion that can be checked.
    criteria: Vec<String>,
    /// Whether there is a session that can be added to.
    is_under_way: bool,
    serial: usize,
}

impl Asker {
    /// The next request. Projects that are made on the way lie below `more`.
    fn next(&mut self, more: &Path) -> Result<(&'static str, Value), String> {
        self.serial += 1;
        let serial = self.serial;
        let id = self.random.pick(&self.tasks).clone();
        let status = *self.random.pick(&["todo", "in_progress", "review", "blocked"]);
        Ok(match self.random.below(1_000) {
            0..200 => ("handoff_load_context", json!({})),
            200..230 => ("handoff_load_context", json!({"format": "json", "budget_tokens": 4_000})),
            230..330 => ("handoff_list_tasks", json!({})),
            330..380 => ("handoff_list_tasks", json!({"status_filter": status, "query": "case", "limit": 20})),
            380..560 => ("handoff_get_task", json!({"task_id": id})),
            560..660 => ("handoff_update_task", json!({"task": {"id": id, "status": status}})),
            660..700 => {
                ("handoff_update_task", json!({"task": {"id": id, "notes": format!("Looked at in {serial}.")}}))
            }
            700..708 => {
                let criteria = json!([{"item": "builds"}, {"item": "runs"}]);
                (
                    "handoff_update_task",
                    json!({"task": {"title": format!("New in {serial}"), "done_criteria": criteria}}),
                )
            }
            708..760 if !self.criteria.is_empty() => {
                let id = self.random.pick(&self.criteria).clone();
                let checked = self.random.below(2) == 0;
                ("handoff_check_criterion", json!({"task_id": id, "criterion_index": 0, "checked": checked}))
            }
            708..840 if self.is_under_way => {
                ("handoff_update_session", json!({"summary": format!("Under way, {serial} requests in")}))
            }
            708..900 => {
                let next = [format!("Go on after {serial}")];
                let decisions = [json!({"decision": format!("Keep to plan {serial}"), "paths": ["src/"]})];
                (
                    "handoff_save_context",
                    json!({"summary": format!("Work {serial}"), "session_status": "active", "next": next, "decisions": decisions}),
                )
            }
            900..915 => (
                "handoff_save_context",
                json!({"summary": format!("Done with {serial}"), "next": ["Go on"], "tasks": [{"id": id, "status": status}]}),
            ),
            915..970 => ("handoff_get_config", json!({})),
            970..985 => ("handoff_update_config", json!({"updates": {"settings.done_task_limit": 5 + serial % 10}})),
            985..998 => ("handoff_dashboard", json!({})),
            _ => {
                let directory = more.join(format!("project-{serial}"));
                std::fs::create_dir_all(&directory).map_err(|error| error.to_string())?;
                ("handoff_init", json!({"project_name": format!("more-{serial}"), "project_dir": directory}))
            }
        })
    }

    /// Remembers what later requests can be about.
    fn learn(&mut self, tool: &str, arguments: &Value, result: &Value) {
        if tool == "handoff_update_task" && arguments["task"]["done_criteria"].is_array() {
            self.criteria.push(text(&result["structuredContent"], "id"));
        }
        if tool == "handoff_save_context" {
            self.is_under_way = arguments["session_status"] == "active";
        }
    }
}
