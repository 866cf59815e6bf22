//! Driving runs: one process at a time, one step after the other, each written down before and after.

use std::time::{Duration, Instant};

use handoff_engine::{After, Next, Run, Status, Turn};
use handoff_model::handover::Act;
use handoff_store::RunLock;

use super::choice::Choice;
use super::kept::{self, HandoverRun, Remembered};
use super::source::Declaration;
use super::steps::{self, Performed};
use super::view::{HandoverView, Told};
use super::{Inputs, RunHandover, compatible, queue, when};
use crate::{ErrorKind, Hint, OpError, Project};

/// What the lock of runs is taken for.
const OPERATION: &str = "run";
/// As long as somebody waits for another who drives; what is asked for waits in the queue meanwhile.
const PATIENCE: Duration = Duration::from_secs(30);
/// After its own a process drives so many requests of others, then it is somebody else's turn.
const MOST_OF_OTHERS: usize = 20;

/// As much of an error is kept.
const LONGEST_ERROR: usize = 1_000;

/// How a run ended for now.
enum Ended {
    Completed,
    /// What was asked for of it is done, and other steps are open
    Partly,
    /// At a step, for this reason
    Stopped(OpError),
}

/// Does what is asked for.
pub(super) fn drive(project: &mut Project, asked: &RunHandover) -> Result<HandoverView, OpError> {
    let mut told = Told::default();
    project.named.config = asked.config.as_ref().map(|config| project.place.cwd.join(config));
    if asked.abandon {
        abandon(project, &mut told)?;
        if !asked.asks_for_more() {
            return Ok(HandoverView::told(&told));
        }
    }
    let unfinished = unfinished(project)?;
    let is_open = unfinished.is_some() || !project.store().queued_runs()?.is_empty();
    let request = if asked.asks_for_more() || !is_open {
        let declared = Declaration::read(project, asked.config.as_deref())?;
        check(project, &declared, asked)?;
        let mut inputs = Inputs::capture(project, asked, &declared)?;
        if unfinished.is_some() {
            // What is chosen is about the run that stands there, not about the one that comes after it.
            (inputs.only, inputs.from, inputs.skip) = (Vec::new(), None, Vec::new());
        }
        inputs.check_secrets(project)?;
        let text = serde_json::to_string_pretty(&inputs).expect("what was asked for is plain data");
        project.store().enqueue_run(&inputs.request, &text)?;
        Some(inputs.request)
    } else {
        let other = asked.config.as_ref().filter(|config| {
            let theirs = unfinished.as_ref().map(|run| &run.inputs.config);
            theirs.is_some_and(|theirs| *theirs != Some(project.place.cwd.join(config)))
        });
        if let Some(other) = other {
            let other = project.shown(other);
            told.say(format!("what was cut short goes on with the list it was started with, not with `{other}`"));
        }
        if asked.no_push && unfinished.as_ref().is_some_and(|run| !run.inputs.no_push) {
            told.say("what was cut short pushes as it was asked to then; `--skip` passes over that step".to_owned());
        }
        None
    };
    let choice = if request.is_some() && unfinished.is_none() { Choice::default() } else { Choice::of(asked) };
    take_turn(project, request.as_deref(), &choice, told)
}

/// The run that is under way or was cut short.
fn unfinished(project: &Project) -> Result<Option<HandoverRun>, OpError> {
    Ok(kept::read(project.store())?.filter(|run| run.status == Status::InProgress))
}

/// Refuses what could not be carried out, before anything is written.
fn check(project: &Project, declared: &Declaration, asked: &RunHandover) -> Result<(), OpError> {
    let steps = declared.steps();
    let known: Vec<String> = steps.iter().map(|step| format!("`{}`", step.id)).collect();
    let chosen = asked.only.iter().chain(&asked.from).chain(&asked.skip);
    for id in chosen {
        if !steps.iter().any(|step| step.id == *id) {
            return Err(OpError::usage(format!("there is no step `{id}`: there are {}", known.join(", "))));
        }
    }
    steps::check_trust(project, declared)
}

/// Waits for its turn, then drives until what was asked for is done.
fn take_turn(
    project: &mut Project,
    request: Option<&str>,
    choice: &Choice,
    mut told: Told,
) -> Result<HandoverView, OpError> {
    let until = Instant::now() + project.patient(PATIENCE);
    let holder = format!("{OPERATION}, since {}", project.now());
    let held = loop {
        match project.store().lock_run(&holder, Duration::from_millis(50))? {
            Ok(held) => break held,
            Err(other) => {
                if let Some(done) = request.and_then(|request| finished_by_another(project, request).transpose()) {
                    return Ok(HandoverView::done_by_another(&done?, told));
                }
                if Instant::now() >= until {
                    return match request {
                        Some(request) => Ok(HandoverView::queued(request, &other, told)),
                        None => Err(OpError::refused(format!("a handover is under way already: {other}"))
                            .hint(Hint::say("wait for it, or ask `handoff status` how far it is"))),
                    };
                }
            }
        }
    };
    tidy(project, &held)?;
    refuse_foreign(project, request)?;
    let mut others = 0;
    loop {
        let is_idle = unfinished(project)?.is_none() && project.store().queued_runs()?.is_empty();
        if let Err(paused) = project.refuse_paused() {
            // What was asked for may be done all the same: a pause that comes now has nothing left to stop.
            let is_done = is_idle || (request.is_some() && told.is_done(request));
            if is_done && told.last.is_some() {
                break;
            }
            return stopped_by_pause(project, paused, told);
        }
        let (mut run, is_resumed) = match unfinished(project)? {
            Some(run) => (run, true),
            None => match start_next(project, &held, request, &mut told)? {
                Some(run) => (run, false),
                None => break,
            },
        };
        if let Some(left_alone) = compatible::left_alone(project, &run) {
            told.say(left_alone);
        }
        let is_own = request == Some(run.inputs.request.as_str());
        match go_on(project, &held, &mut run, is_resumed, choice, &mut told)? {
            Ended::Completed => {}
            Ended::Partly => return Ok(HandoverView::partly(&run, project.store().queued_runs()?.len(), told)),
            Ended::Stopped(error) => {
                let waits = !project.store().queued_runs()?.is_empty();
                let is_paused = error.kind() == ErrorKind::Paused;
                if !is_own && waits && !is_paused && run.carry_over(project.present()) {
                    let step = run.current().map(|track| track.step.id.clone()).unwrap_or_default();
                    told.say(format!(
                        "run {} is over but for `{step}`, which the next run makes up for: {}",
                        run.run,
                        error.sentence()
                    ));
                    finish(project, &held, &run)?;
                    continue;
                }
                return Ok(HandoverView::stopped(&run, &error, project.store().queued_runs()?.len(), told));
            }
        }
        told.runs.push(Remembered::of(&run));
        if request.is_some_and(|request| request == run.inputs.request) || told.last.is_none() {
            told.last = Some(run);
        }
        others += usize::from(!is_own && request.is_some());
        if others >= MOST_OF_OTHERS && told.is_done(request) {
            break;
        }
    }
    drop(held);
    match request {
        Some(request) if !told.is_done(Some(request)) => match finished_by_another(project, request)? {
            Some(done) => Ok(HandoverView::done_by_another(&done, told)),
            None => Err(OpError::failure("what was asked for is neither done nor in the queue any more")),
        },
        _ => Ok(HandoverView::over(told)),
    }
}

/// Takes away what crashes left of runs that are over.
fn tidy(project: &Project, held: &RunLock) -> Result<(), OpError> {
    project.store().sweep_runs(held);
    let open = unfinished(project)?.map(|run| run.run);
    for run in project.store().runs_with_steps().iter().filter(|run| Some(*run) != open.as_ref()) {
        // What is still under way is left for the next time.
        let _ = super::command::forget(project, run);
    }
    Ok(())
}

/// Refuses to take up what git brought here: what is written down of handovers belongs to this machine, and what came from
/// elsewhere would be done in the name of whoever runs it.
fn refuse_foreign(project: &Project, request: Option<&str>) -> Result<(), OpError> {
    let others = project.store().queued_runs()?.iter().any(|name| request != Some(name.as_str()));
    if !others && unfinished(project)?.is_none() {
        return Ok(());
    }
    let Some(git) = project.git() else { return Ok(()) };
    let local = project.store().path_of("local");
    let local = local.canonicalize().unwrap_or(local);
    let Ok(below) = local.strip_prefix(git.root()) else { return Ok(()) };
    let below = below.to_string_lossy().replace('\\', "/");
    let tracked = git.tracked_below(&below, project.patient(Duration::from_secs(5))).answer().unwrap_or_default();
    if tracked.is_empty() {
        return Ok(());
    }
    let tracked = tracked.into_iter().take(5);
    Err(OpError::refused(format!(
        "git tracks what is in `{below}`, which belongs to one machine: it may be somebody else's"
    ))
    .details(tracked)
    .hint(Hint::say(format!("look at these files, then `git rm -r -q --cached {below}`, or delete them"))))
}

fn finished_by_another(project: &Project, request: &str) -> Result<Option<Remembered>, OpError> {
    Ok(kept::remembered(project.store())?.into_iter().rev().find(|done| done.request == request))
}

fn stopped_by_pause(project: &Project, paused: OpError, told: Told) -> Result<HandoverView, OpError> {
    let waiting = project.store().queued_runs()?.len();
    match told.last.clone() {
        Some(run) => Ok(HandoverView::stopped(&run, &paused, waiting, told)),
        None => Err(paused),
    }
}

/// Makes a run of the oldest request in the queue. One that cannot be driven as things are waits, and holds up nobody else.
fn start_next(
    project: &mut Project,
    held: &RunLock,
    request: Option<&str>,
    told: &mut Told,
) -> Result<Option<HandoverRun>, OpError> {
    let mut hindered = None;
    for name in project.store().queued_runs()? {
        let Some(read) = queue::understood(&name, project.store().queued_run(&name)) else { continue };
        let inputs = match read {
            Ok(inputs) => inputs,
            Err(why) if request == Some(name.as_str()) => {
                return Err(OpError::damaged(format!("the request `{name}` cannot be read: {why}")));
            }
            // The answer tells of it when all else is done.
            Err(_) => continue,
        };
        match start(project, held, &name, inputs) {
            Ok(Some(run)) => return Ok(Some(run)),
            Ok(None) => {}
            Err(error) if request == Some(name.as_str()) => return Err(error),
            Err(error) => {
                told.say(format!("the request `local/state/queue/{name}` waits: {}", error.sentence()));
                hindered.get_or_insert(error);
            }
        }
    }
    match hindered {
        Some(error) if request.is_none() && told.runs.is_empty() => Err(error),
        _ => Ok(None),
    }
}

/// Makes a run of a request; `None` where that happened before.
fn start(project: &mut Project, held: &RunLock, name: &str, inputs: Inputs) -> Result<Option<HandoverRun>, OpError> {
    // A crash came between its start and here.
    let is_over = |done: &Remembered| done.request == name;
    let started = kept::read(project.store())?.is_some_and(|run| run.inputs.request == name);
    if started || kept::remembered(project.store())?.iter().any(is_over) {
        project.store().unqueue_run(held, name)?;
        return Ok(None);
    }
    let declared = Declaration::read_again(project, &inputs)?;
    steps::check_trust(project, &declared)?;
    project.declared_pause = compatible::pause_of_run(project, &declared.handover, &inputs);
    let choice = Choice::of_inputs(&inputs);
    let run_id = project.new_run_id();
    let at = inputs.asked_at;
    let mut run =
        Run::start(run_id, declared.steps(), inputs, at).map_err(|error| declared.refused(&error.to_string()))?;
    choice.in_list(&run).begin(&mut run, project)?;
    kept::put(project, held, &run)?;
    project.store().unqueue_run(held, name)?;
    Ok(Some(run))
}

/// Performs what is open of a run, as the one who asked for it.
fn go_on(
    project: &mut Project,
    held: &RunLock,
    run: &mut HandoverRun,
    is_resumed: bool,
    choice: &Choice,
    told: &mut Told,
) -> Result<Ended, OpError> {
    if is_resumed {
        told.resumed = true;
        // It was taken out of the queue when the run was started, unless a crash came between.
        project.store().unqueue_run(held, &run.inputs.request)?;
        let declared = Declaration::read_again(project, &run.inputs)?;
        steps::check_trust(project, &declared)?;
        project.declared_pause = compatible::pause_of_run(project, &declared.handover, &run.inputs);
        let changes = run.adopt(declared.steps()).map_err(|error| declared.refused(&error.to_string()))?;
        told.changes.extend(changes.iter().map(ToString::to_string));
    }
    // What was chosen is for the run that is open, also where it was only asked for until now.
    let is_chosen = told.runs.is_empty() && *choice != Choice::default();
    let only: &[String] = if is_chosen && is_resumed { &choice.only } else { &[] };
    match (is_chosen, is_resumed) {
        (true, true) => choice.apply(run, project)?,
        (true, false) => choice.begin(run, project)?,
        (false, _) => {}
    }
    if is_resumed || is_chosen {
        kept::put(project, held, run)?;
    }
    let before = project.act_as(&run.inputs);
    let ended = perform_all(project, held, run, only);
    project.act_again_as(before);
    ended
}

fn perform_all(
    project: &mut Project,
    held: &RunLock,
    run: &mut HandoverRun,
    only: &[String],
) -> Result<Ended, OpError> {
    loop {
        if let Some(step) = steps::left_over(run).filter(|_| run.next() == Next::Finished) {
            run.add(step);
        }
        let next = if only.is_empty() { run.next() } else { run.next_among(only) };
        let Next::Perform(turn) = next else { break };
        if let Err(paused) = project.refuse_paused() {
            return Ok(Ended::Stopped(paused));
        }
        project.stop.check()?;
        if !turn.was_cut_short
            && let Some(reason) = when::unmet(project, run, &turn.action.when)
        {
            run.skipped(&turn.id, reason, project.present());
            kept::put(project, held, run)?;
            continue;
        }
        run.begin(&turn.id, project.present());
        kept::put(project, held, run)?;
        if let Some(stopped) = perform(project, held, run, &turn)? {
            return Ok(Ended::Stopped(stopped));
        }
    }
    if run.next() != Next::Finished {
        return Ok(Ended::Partly);
    }
    run.complete(project.present()).map_err(|error| OpError::failure(error.to_string()))?;
    finish(project, held, run)?;
    Ok(Ended::Completed)
}

/// Performs one step and writes down what came of it; why the run stops there, if it does.
fn perform(
    project: &mut Project,
    held: &RunLock,
    run: &mut HandoverRun,
    turn: &Turn<Act>,
) -> Result<Option<OpError>, OpError> {
    let performed = steps::perform(project, run, turn);
    // Whatever happened, nobody waits for us from here on.
    project.let_go();
    match performed {
        Ok(Performed::Done(outcome)) => run.finished(&turn.id, outcome, project.present()),
        Ok(Performed::Skipped(reason)) => run.skipped(&turn.id, reason, project.present()),
        Ok(Performed::Unsettled(error)) => {
            run.unsettled(&turn.id, said(&error), project.present());
            kept::put(project, held, run)?;
            return Ok(Some(error));
        }
        // The step stays begun, and is taken up again when nothing stands against it any more.
        Err(error) if error.kind() == ErrorKind::Paused => return Ok(Some(error)),
        Err(error) => {
            let after = run.failed(&turn.id, said(&error), project.present());
            kept::put(project, held, run)?;
            match after {
                After::Stop => return Ok(Some(error)),
                After::Again(wait) => return wait_for(project, wait),
            }
        }
    }
    kept::put(project, held, run)?;
    Ok(None)
}

/// What went wrong, with the end of what was said about it.
fn said(error: &OpError) -> String {
    const LAST: usize = 3;
    let lines = error.detail_lines();
    let last = &lines[lines.len().saturating_sub(LAST)..];
    let said = std::iter::once(error.sentence()).chain(last.iter().cloned()).collect::<Vec<_>>().join("; ");
    said.chars().take(LONGEST_ERROR).collect()
}

/// Waits before the next try, as long as nobody pauses or stops it.
fn wait_for(project: &mut Project, wait: Duration) -> Result<Option<OpError>, OpError> {
    let until = Instant::now() + wait;
    while Instant::now() < until {
        if let Err(paused) = project.refuse_paused() {
            return Ok(Some(paused));
        }
        project.stop.check()?;
        std::thread::sleep((until - Instant::now()).min(Duration::from_millis(100)));
    }
    Ok(None)
}

/// Remembers a run that is over. Remembering it twice does no harm.
fn finish(project: &Project, held: &RunLock, run: &HandoverRun) -> Result<(), OpError> {
    let line = serde_json::to_string(&Remembered::of(run)).expect("what is remembered is plain data");
    project.store().remember_run(held, &line)?;
    kept::put(project, held, run)?;
    steps::forget(project, run);
    Ok(())
}

fn abandon(project: &mut Project, told: &mut Told) -> Result<(), OpError> {
    let holder = format!("{OPERATION} --abandon, since {}", project.now());
    let held = project.store().lock_run(&holder, project.patient(Duration::from_secs(2)))?;
    let held = held.map_err(|other| OpError::refused(format!("the handover is under way at this moment: {other}")))?;
    // Only now: whoever had the lock until now may have finished it.
    match unfinished(project) {
        Ok(Some(mut run)) => {
            run.abandon(project.present());
            finish(project, &held, &run)?;
            let step = run.current().map(|track| format!(" at step `{}`", track.step.id)).unwrap_or_default();
            told.say(format!("run {} is given up{step}; what its steps wrote stays", run.run));
            told.last = Some(run);
        }
        Ok(None) if queue::damaged(project.store())?.is_empty() => {
            told.say("no handover was cut short: there is nothing to give up".to_owned());
        }
        Ok(None) => {}
        Err(error) if error.kind() == ErrorKind::Damaged => {
            let aside = project.store().put_checkpoint_aside(&held)?;
            told.say(format!("the damaged checkpoint was put aside as `{aside}`"));
        }
        Err(error) => return Err(error),
    }
    for (entry, aside) in queue::put_aside(project.store())? {
        told.say(format!("`{}`, which is no request, was put aside as `{aside}`", entry.path()));
    }
    Ok(())
}
