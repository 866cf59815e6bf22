//! How it stands with handovers, found out with a few looks at the disk.

use std::fmt::Write as _;
use std::path::Path;

use handoff_engine::{Progress, Status, Track};
use handoff_model::handover::{Act, Meaning, TheirCheckpoint};
use handoff_model::when::Moment;
use handoff_store::{DIRECTORY, ForeignLocal, Glance, read_outside};

use super::check::{CheckStatus, HandoverCheck};
use super::command;
use super::kept::{self, HandoverRun};
use super::queue::{self, NoRequest};
use crate::pause::PauseView;
use crate::{Breaks, OpError, Project, visible};

/// The checkpoint of a store, relative to it.
const CHECKPOINT: &str = "local/state/checkpoint.json";
/// As much of an error as stands in a line.
const LONGEST_ERROR: usize = 300;

/// What a checkpoint comes to, before pauses.
#[derive(Debug, Default)]
struct Found {
    meaning: Option<Meaning>,
    run: Option<String>,
    step: Option<String>,
    state: Option<String>,
    error: Option<String>,
    /// Nobody knows whether the step happened
    unsettled: bool,
    attempts: Option<u32>,
    since: Option<Moment>,
    running: bool,
    waiting: usize,
    /// What lies in the queue and is no request
    damage: Option<String>,
    is_of_agent_handover: bool,
}

/// How it stands in the project a request is about.
pub(super) fn here(project: &Project) -> HandoverCheck {
    let dir = match project.project_dir_here() {
        Ok(Some(dir)) => dir,
        Ok(None) => {
            return told(project, None, None, Err(no_project("no handoff project here or in a directory above")));
        }
        Err(error) => return told(project, None, None, Err(no_project(&error.sentence()))),
    };
    let store = dir.join(DIRECTORY);
    let found = Glance::at(&store, &project.local_rules(ForeignLocal::Ignore))
        .map_err(OpError::from)
        .and_then(|glance| glanced(&glance));
    told(project, Some(&store), Some(&store.join(CHECKPOINT)), found.map_err(|error| damaged(&error)))
}

/// What a file says: a checkpoint of agent-handover, or one of ours.
pub(super) fn in_file(project: &Project, path: &Path) -> HandoverCheck {
    let path = project.place.cwd.join(path);
    let store = project.project_dir_here().ok().flatten().map(|dir| dir.join(DIRECTORY));
    let found = match read_outside(&path) {
        Ok(None) => Ok(Found { meaning: Some(Meaning::Clean), ..Found::default() }),
        Ok(Some(bytes)) => of_bytes(&bytes),
        Err(error) => Err(format!("it cannot be read: {error}")),
    };
    let found = found.map_err(|why| (CheckStatus::Damaged, format!("`{}`: {why}", project.shown(&path))));
    told(project, store.as_deref(), Some(&path), found)
}

fn no_project(why: &str) -> (CheckStatus, String) {
    (CheckStatus::NoProject, why.to_owned())
}

fn damaged(error: &OpError) -> (CheckStatus, String) {
    (CheckStatus::Damaged, error.sentence())
}

fn glanced(glance: &Glance) -> Result<Found, OpError> {
    let bytes = glance.checkpoint()?;
    let names = glance.queued_runs()?;
    let waiting = names.len();
    let no_requests = queue::no_requests(names, |name| glance.queued_run(name));
    let mut found = match &bytes {
        None => Found::default(),
        Some(bytes) => {
            let run = kept::parse(bytes)?;
            let mut found = of_run(&run);
            if found.meaning == Some(Meaning::Completed) && is_past(glance, &run, bytes) {
                found.meaning = None;
            }
            found
        }
    };
    found.waiting = waiting - no_requests.len();
    found.damage = damage(&no_requests);
    let waiting = found.waiting;
    let is_open = waiting > 0 || found.meaning == Some(Meaning::Resume);
    if is_open {
        found.meaning = Some(Meaning::Resume);
        found.running = glance.run_driver().is_some();
    }
    Ok(found)
}

fn damage(no_requests: &[NoRequest]) -> Option<String> {
    let told = no_requests.first()?.told();
    let more = match no_requests.len() - 1 {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    Some(format!("{told}{more}; `handoff doctor --fix` puts it aside"))
}

/// Whether a session was begun since a run was over. Its files are only looked at if one of them was touched.
fn is_past(glance: &Glance, run: &HandoverRun, bytes: &[u8]) -> bool {
    let before = kept::sessions_stamp(bytes);
    let is_as_before = before.is_some() && before == glance.sessions_stamp();
    !is_as_before && run.finished_at.is_some_and(|at| glance.has_session_after(at))
}

fn of_bytes(bytes: &[u8]) -> Result<Found, String> {
    let value: serde_json::Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if value.get("format").is_some() && value.get("run").is_some() {
        return kept::parse(bytes).map(|run| of_run(&run)).map_err(|error| error.sentence());
    }
    let theirs = TheirCheckpoint::of(&value)?;
    let meaning = theirs.meaning();
    let time = |text: &Option<String>| text.as_ref().and_then(|text| text.parse::<Moment>().ok());
    Ok(match meaning {
        Meaning::Clean => Found { meaning: Some(meaning), ..Found::default() },
        Meaning::Completed => Found { meaning: Some(meaning), since: time(&theirs.finished_at), ..Found::default() },
        Meaning::Resume => Found {
            meaning: Some(meaning),
            step: theirs.pending().next().map(str::to_owned),
            state: Some("pending".to_owned()),
            since: time(&theirs.started_at),
            is_of_agent_handover: true,
            ..Found::default()
        },
    })
}

fn of_run(run: &HandoverRun) -> Found {
    let meaning = match run.status {
        Status::InProgress | Status::CarriedOver => Meaning::Resume,
        Status::Completed => Meaning::Completed,
        Status::Abandoned => Meaning::Clean,
    };
    let open = Some(run).filter(|_| meaning == Meaning::Resume).and_then(|run| run.current());
    let moved = run.steps.iter().flat_map(|track| [track.begun_at, track.ended_at]).flatten().max();
    Found {
        meaning: Some(meaning),
        run: Some(run.run.clone()),
        step: open.map(|track| track.step.id.clone()),
        state: open.map(|track| track.progress.word().to_owned()),
        error: open.and_then(|track| track.error.clone()),
        unsettled: open.is_some_and(is_unsettled),
        attempts: open.map(|track| track.attempts),
        since: run.finished_at.or(moved).or(Some(run.started_at)),
        ..Found::default()
    }
}

/// Whether nobody will ever know if a step happened, so that a person must say so.
pub(super) fn is_unsettled(track: &Track<Act>) -> bool {
    let error = track.error.as_deref().filter(|_| track.progress == Progress::Begun);
    error.is_some_and(|error| !command::says_it_goes_on(error))
}

/// The answer: what was found, with the pauses, by precedence.
fn told(
    project: &Project,
    store: Option<&Path>,
    checkpoint: Option<&Path>,
    found: Result<Found, (CheckStatus, String)>,
) -> HandoverCheck {
    let pauses = project.place.pauses(store);
    let paused: Vec<PauseView> = pauses.iter().map(|pause| PauseView::of(project, pause)).collect();
    let (status, found, why) = match found {
        Err((status, why)) => (status, Found::default(), Some(why)),
        Ok(mut found) if found.damage.is_some() => {
            let why = found.damage.take();
            (CheckStatus::Damaged, found, why)
        }
        Ok(found) if !pauses.is_empty() => (CheckStatus::Paused, found, None),
        Ok(found) => {
            let status = match found.meaning {
                Some(Meaning::Resume) => CheckStatus::Resume,
                Some(Meaning::Completed) => CheckStatus::Completed,
                Some(Meaning::Clean) | None => CheckStatus::Clean,
            };
            (status, found, None)
        }
    };
    let message = match status {
        CheckStatus::Clean => "clean: no handover is open".to_owned(),
        CheckStatus::Resume => resume(&found),
        CheckStatus::Completed => match found.since {
            Some(since) => format!("completed: the last handover was finished at {}", since.in_seconds()),
            None => "completed: the last handover was finished".to_owned(),
        },
        CheckStatus::NoProject => format!("no project: {}", why.as_deref().unwrap_or_default()),
        CheckStatus::Paused => {
            let lines: Vec<String> = pauses.iter().map(|pause| project.told(pause)).collect();
            let open = if found.meaning == Some(Meaning::Resume) { "; a handover is open" } else { "" };
            format!("paused: {}{open}", lines.join("; "))
        }
        CheckStatus::Damaged => format!("damaged: {}", why.as_deref().unwrap_or_default()),
    };
    let age = |since: Moment| project.instant().timestamp().duration_since(since.timestamp()).as_secs().max(0);
    let is_damaged = status == CheckStatus::Damaged;
    HandoverCheck {
        status,
        code: status.code(),
        message: visible(&message, Breaks::Mark).into_owned(),
        run: found.run,
        step: found.step,
        state: found.state,
        unsettled: found.unsettled,
        error: why.filter(|_| is_damaged).or(found.error),
        attempts: found.attempts,
        since: found.since,
        age_seconds: found.since.map(age),
        running: found.running,
        waiting: found.waiting,
        paused,
        checkpoint: checkpoint.map(|path| project.shown(path)),
        is_quiet: false,
    }
}

/// The line about what is open.
fn resume(found: &Found) -> String {
    let mut line = if found.running { "under way" } else { "resume needed" }.to_owned();
    let write =
        |line: &mut String, text: std::fmt::Arguments<'_>| line.write_fmt(text).expect("a string can be written");
    match &found.step {
        Some(step) if found.running => write(&mut line, format_args!(": a handover is at step `{step}`")),
        Some(step) => write(&mut line, format_args!(": a handover was cut short at step `{step}`")),
        None if found.waiting == 0 => write(&mut line, format_args!(": a handover is all but finished")),
        None => {}
    }
    if let Some(attempts) = found.attempts.filter(|attempts| *attempts > 1) {
        write(&mut line, format_args!(" ({attempts} tries)"));
    }
    if let Some(error) = &found.error {
        write(&mut line, format_args!(": {}", shortened(error)));
    }
    if found.waiting > 0 {
        let noun = if found.waiting == 1 { "request waits" } else { "requests wait" };
        let joint = if found.step.is_some() { "; " } else { ": " };
        write(&mut line, format_args!("{joint}{} {noun} in the queue", found.waiting));
    }
    match &found.step {
        _ if found.running => {}
        Some(step) if found.unsettled => write(
            &mut line,
            format_args!("; `handoff run --from {step}` runs it again, `handoff run --skip {step}` passes over it"),
        ),
        _ if found.is_of_agent_handover => line.push_str("; `agent-handover run --config FILE` finishes it"),
        _ => line.push_str("; `handoff run` finishes it"),
    }
    line
}

/// A text as it stands in a line. What a program said last is told last, so the middle is left out.
pub(super) fn shortened(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= LONGEST_ERROR {
        return text.to_owned();
    }
    let beginning = LONGEST_ERROR / 3;
    let end = letters.len() - (LONGEST_ERROR - beginning - 1);
    letters[..beginning].iter().chain(&['…']).chain(&letters[end..]).collect()
}
