//! `collect`: what is to be known when work is handed over.

use std::time::Duration;

use handoff_model::handover::{Collect, Source};
use handoff_model::session::GitFacts;
use handoff_model::task::Status;
use handoff_model::timer::Timer;
use serde_json::{Map, Value, json};

use super::Performed;
use crate::agent::transcript_at_a_glance;
use crate::run::HandoverRun;
use crate::session::change::{self, Seen};
use crate::{OpError, Project, timer};

/// So many tasks of a kind are named; the others are counted.
const NAMED: usize = 20;

pub(super) fn perform(
    project: &mut Project,
    run: &HandoverRun,
    collect: &Collect,
    limit: Duration,
) -> Result<Performed, OpError> {
    let mut facts = Map::new();
    let mut said = Vec::new();
    if collect.looks_at(Source::Git) && project.git().is_some() {
        let seen = change::look_within(project, &pointed(project, run)?, limit);
        if let Some(git) = &seen.git {
            said.push(told(git));
            facts.insert("git".to_owned(), json!(git));
            facts.insert("blobs".to_owned(), json!(seen.blobs));
        }
    }
    if collect.looks_at(Source::Tasks) {
        let tasks = tasks(project)?;
        let count = |status: &str| tasks["counts"][status].as_u64().unwrap_or(0);
        said.push(format!("{} tasks in progress, {} blocked", count("in_progress"), count("blocked")));
        facts.insert("tasks".to_owned(), tasks);
    }
    if collect.looks_at(Source::Timers) {
        let running = timer::running(project)?;
        said.extend(running.iter().map(|(_, words)| words.clone()));
        let told = |(timer, words): &(Timer, String)| json!({"who": timer.who, "task": timer.task, "state": timer.phase, "since": timer.since, "message": words});
        if !running.is_empty() {
            facts.insert("timers".to_owned(), running.iter().map(told).collect::<Vec<Value>>().into());
        }
    }
    if collect.looks_at(Source::Transcript)
        && let Some(glance) = transcript_at_a_glance(project)
    {
        said.push(format!("a transcript of {}", glance["agent"].as_str().unwrap_or("an agent")));
        facts.insert("transcript".to_owned(), glance);
    }
    facts.insert("message".to_owned(), said.join("; ").into());
    Ok(Performed::Done(Value::Object(facts)))
}

/// What git said when facts were collected; where nobody did, it is asked now.
pub(super) fn seen(project: &mut Project, run: &HandoverRun) -> Result<Seen, OpError> {
    let collected = run.steps.iter().find(|track| track.step.action.action.kind() == "collect");
    let of = |name: &str| collected.and_then(|track| track.outcome.get(name)).cloned();
    let git: Option<GitFacts> = of("git").and_then(|git| serde_json::from_value(git).ok());
    match git {
        Some(git) => {
            let blobs = of("blobs").and_then(|blobs| serde_json::from_value(blobs).ok()).unwrap_or_default();
            Ok(Seen { git: Some(git), blobs, ..Seen::default() })
        }
        None => {
            let pointed = pointed(project, run)?;
            Ok(change::look_within(project, &pointed, Duration::from_secs(2)))
        }
    }
}

/// The files that the session to be closed points to.
fn pointed(project: &Project, run: &HandoverRun) -> Result<Vec<String>, OpError> {
    let Some(id) = &run.inputs.session else { return Ok(Vec::new()) };
    let sessions = project.store().handoffs()?;
    let found = sessions.list.iter().find(|found| found.session.id == *id);
    let pointers = found.map(|found| found.session.pointers.as_slice()).unwrap_or_default();
    Ok(pointers.iter().map(|pointer| pointer.path.clone()).collect())
}

fn tasks(project: &Project) -> Result<Value, OpError> {
    let forest = project.store().forest()?;
    let counts: Map<String, Value> =
        forest.counts().into_iter().map(|(status, count)| (status.word().to_owned(), count.into())).collect();
    let named = |status: Status| {
        let tasks = forest.walk().into_iter().filter(|node| node.task.status == status);
        let line = |node: &handoff_store::Node| json!({"id": node.task.id, "title": node.task.title});
        tasks.take(NAMED).map(line).collect::<Vec<Value>>()
    };
    Ok(json!({
        "counts": counts,
        "in_progress": named(Status::InProgress),
        "blocked": named(Status::Blocked),
    }))
}

fn told(git: &GitFacts) -> String {
    let branch = git.branch.as_deref().unwrap_or("no branch");
    let commit = git.commit.as_deref().map(|commit| format!(" at {commit}")).unwrap_or_default();
    let dirty = git.dirty_count.map_or(git.dirty.len(), |count| count as usize);
    let dirty = if dirty == 0 { String::new() } else { format!(", {dirty} changed files") };
    format!("{branch}{commit}{dirty}")
}
