//! `publish`: what is ours goes into git, and to others if wanted.

use std::path::PathBuf;
use std::time::Duration;

use handoff_model::handover::{Action, Publish};
use handoff_model::text::Title;
use handoff_store::DIRECTORY;
use handoff_store::git::{Git, PublishError, PublishPlan, Published, Publishing, Pushed};
use serde_json::{Value, json};

use super::{Performed, mirror};
use crate::run::HandoverRun;
use crate::run::source::Declaration;
use crate::{Hint, OpError, Project, leaving};

/// How often a push is tried that others overtake.
const PUSH_TRIES: u32 = 8;
/// The longest first line of a commit that is made of a note.
const SUBJECT: usize = 60;
/// Larger files are not looked through for secrets; records are never so large.
const LOOKED_THROUGH: u64 = 8 * 1024 * 1024;

pub(super) fn perform(
    project: &mut Project,
    run: &HandoverRun,
    wanted: &Publish,
    limit: Duration,
) -> Result<Performed, OpError> {
    let (dir, publishing) = match publishing(project, run, wanted, limit) {
        Ok(asked) => asked,
        Err(nothing) => return Ok(Performed::Skipped(nothing)),
    };
    let plan = Git::plan_publish(&dir, &publishing).map_err(refused)?;
    hold_back(project, &plan)?;
    let published = Git::publish(&dir, &publishing).map_err(refused)?;
    outcome(&published)
}

/// What would be published.
pub(super) fn plan(project: &Project, run: &HandoverRun, wanted: &Publish, limit: Duration) -> String {
    let (dir, publishing) = match publishing(project, run, wanted, limit) {
        Ok(asked) => asked,
        Err(nothing) => return nothing,
    };
    match Git::plan_publish(&dir, &publishing) {
        Err(error) => format!("would fail: {}", refused(error).sentence()),
        Ok(plan) => {
            let branch =
                plan.branch.as_deref().map_or_else(|| "a detached head".to_owned(), |name| format!("`{name}`"));
            let unpushed = plan.unpushed.as_ref().map_or(0, |unpushed| unpushed.commits.len());
            let push = match (publishing.push, unpushed) {
                (false, _) => String::new(),
                (true, 0) => ", and push".to_owned(),
                (true, earlier) => format!(", and push it with {earlier} earlier"),
            };
            if let Some(why) = plan.held_back {
                return format!("would wait: {why}");
            }
            match plan.files.len() {
                0 => format!("nothing to commit on {branch}{push}"),
                files => format!("would commit {files} files on {branch}{push}"),
            }
        }
    }
}

/// Whether a list may publish so only if a person trusts it: what is not ours, past hooks, signing and ignored paths, or
/// where git would run programs that may have come with the list.
pub(super) fn goes_beyond(project: &Project, declared: &Declaration, wanted: &Publish) -> bool {
    let mirrors = declared.handover.steps.iter().filter_map(|step| match &step.act.action {
        Action::Mirror(mirror) => mirror::place(project, mirror),
        _ => None,
    });
    let ours: Vec<String> = std::iter::once(DIRECTORY.to_owned()).chain(mirrors).collect();
    let is_ours = |path: &String| {
        let path = path.trim_start_matches("./").trim_end_matches('/');
        ours.iter().any(|own| path == own || path.strip_prefix(own.as_str()).is_some_and(|rest| rest.starts_with('/')))
    };
    let passes_by = wanted.force || !wanted.hooks || wanted.sign == Some(false);
    // Whoever runs agent-handover names its file and gets what that tool does, hooks included.
    let is_of_agent_handover = declared.given.is_some() && declared.handover.compatible.is_some();
    let runs_programs = || !is_of_agent_handover && project.git().is_some_and(|git| git.commit_runs_programs());
    passes_by || runs_programs() || wanted.paths.iter().flatten().any(|path| !is_ours(path))
}

/// What git is asked to do, or why there is nothing.
fn publishing(
    project: &Project,
    run: &HandoverRun,
    wanted: &Publish,
    limit: Duration,
) -> Result<(PathBuf, Publishing), String> {
    let dir = project.dir().ok_or("there is no project")?;
    let paths = match &wanted.paths {
        Some(paths) => paths.clone(),
        None => {
            let store = project.is_shared().then(|| DIRECTORY.to_owned());
            store.into_iter().chain(mirror::directory(project, run)).collect()
        }
    };
    if paths.is_empty() {
        return Err("the project is private and has no mirror: there is nothing that git should see".to_owned());
    }
    let message = wanted.message.clone().unwrap_or_else(|| message(project, run));
    let publishing = Publishing {
        paths,
        branch: wanted.branch.clone(),
        message,
        run: run.run.clone(),
        push: wanted.push && !run.inputs.no_push,
        remote: wanted.remote.clone(),
        hooks: wanted.hooks,
        sign: wanted.sign,
        force_ignored: wanted.force,
        limit,
        push_tries: PUSH_TRIES,
    };
    Ok((dir, publishing))
}

fn message(project: &Project, run: &HandoverRun) -> String {
    let note = run.inputs.title.as_ref().map(Title::as_str).or(run.inputs.note.as_deref());
    let line = note.and_then(|note| note.lines().map(str::trim).find(|line| !line.is_empty()));
    let subject = match line {
        Some(line) => {
            let line = leaving::for_model(line, &project.allowed()).into_owned();
            let short: String = line.chars().take(SUBJECT).collect();
            if short.len() < line.len() { format!("{short}…") } else { short }
        }
        None => run.inputs.asked_at.day().to_string(),
    };
    format!("handoff: {subject}")
}

/// Holds back what others would get with a secret in it.
fn hold_back(project: &Project, plan: &PublishPlan) -> Result<(), OpError> {
    let Some(git) = project.git() else { return Ok(()) };
    let written = plan.files.iter().filter(|file| file.change != "D");
    let read = |path: &str| {
        let file = git.root().join(path);
        let is_small = file.symlink_metadata().is_ok_and(|kind| kind.is_file() && kind.len() <= LOOKED_THROUGH);
        is_small.then(|| handoff_store::read_outside(&file).ok().flatten()).flatten()
    };
    let texts: Vec<(String, String)> = written
        .filter_map(|file| Some((file.path.clone(), String::from_utf8_lossy(&read(&file.path)?).into_owned())))
        .collect();
    let texts: Vec<(String, &str)> = texts.iter().map(|(place, text)| (place.clone(), text.as_str())).collect();
    leaving::held_back(&texts, project)
}

fn refused(error: PublishError) -> OpError {
    match error {
        PublishError::Wrong(why) => OpError::usage(why),
        PublishError::Refused(_) | PublishError::NoRepository(_) => OpError::refused(error.to_string()),
        _ => OpError::failure("git did not publish").caused_by(error),
    }
}

fn outcome(published: &Published) -> Result<Performed, OpError> {
    let short = |commit: &String| commit.chars().take(10).collect::<String>();
    let branch = published.branch.as_deref().unwrap_or("a detached head");
    let committed = published.commit.as_ref().map(|commit| format!("committed {} on {branch}", short(commit)));
    let left_out = published.left_out.iter().map(|left| format!("{} is not in it: {}", left.path, left.why));
    let told: Vec<String> = left_out.chain(published.told.iter().cloned()).collect();
    let pushed = match &published.pushed {
        Pushed::NotWanted | Pushed::NothingWaits => None,
        Pushed::Nothing { remote } => Some(format!("{remote} has everything")),
        Pushed::Done { remote, commit, replayed } => {
            let how = if *replayed { ", on top of what others had pushed" } else { "" };
            Some(format!("pushed {} to {remote}{how}", short(commit)))
        }
        Pushed::Waiting { why } => {
            let committed = committed.map(|committed| format!("{committed}, but ")).unwrap_or_default();
            let again = Hint::say("`handoff run` pushes it as soon as that works");
            return Err(OpError::failure(format!("{committed}not pushed: {why}")).details(told).hint(again));
        }
    };
    if committed.is_none() && pushed.is_none() {
        let why = if told.is_empty() { "nothing of ours was changed".to_owned() } else { told.join("; ") };
        return Ok(Performed::Skipped(why));
    }
    let message: Vec<String> = committed.into_iter().chain(pushed).collect();
    let mut outcome = json!({"message": message.join("; "), "published": published});
    if !told.is_empty() {
        outcome["warning"] = Value::String(told.join("; "));
    }
    Ok(Performed::Done(outcome))
}
