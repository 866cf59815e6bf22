//! Driving runs: one process at a time, one step after the other, each written down before and after.

use std::path::Path;
use std::time::{Duration, Instant};

use handoff_engine::{After, BadRun, Next, Run, Status, Turn};
use handoff_model::handover::Act;
use handoff_store::RunLock;

use super::kept::{self, HandoverRun, Remembered};
use super::source::Declaration;
use super::steps::{self, Performed};
use super::view::{HandoverView, Told};
use super::{Inputs, RunHandover, queue, when};
use crate::{ErrorKind, Hint, OpError, Project};

/// What the lock of runs is taken for.
const OPERATION: &str = "run";
/// As long as somebody waits for another who drives; what is asked for waits in the queue meanwhile.
const PATIENCE: Duration = Duration::from_secs(30);
/// After its own a process drives so many requests of others, then it is somebody else's turn.
const MOST_OF_OTHERS: usize = 20;

/// How a run ended for now.
enum Ended {
    Completed,
    /// At a step, for this reason
    Stopped(OpError),
}

/// Does what is asked for.
pub(super) fn drive(project: &mut Project, asked: RunHandover) -> Result<HandoverView, OpError> {
    let mut told = Told::default();
    if asked.abandon {
        abandon(project, &mut told)?;
        if !asked.asks_for_more() {
            return Ok(HandoverView::told(told));
        }
    }
    let is_open = unfinished(project)?.is_some() || !project.store().queued_runs()?.is_empty();
    let request = if asked.asks_for_more() || !is_open {
        let declared = Declaration::read(project, asked.config.as_deref())?;
        check(project, &declared, &asked)?;
        let inputs = Inputs::capture(project, &asked, &declared)?;
        inputs.check_secrets(project)?;
        let text = serde_json::to_string_pretty(&inputs).expect("what was asked for is plain data");
        project.store().enqueue_run(&inputs.request, &text)?;
        Some(inputs.request)
    } else {
        None
    };
    let choice = if request.is_some() { Choice::default() } else { Choice::of(&asked) };
    take_turn(project, request.as_deref(), &choice, told)
}

/// The run that is under way or was cut short.
fn unfinished(project: &Project) -> Result<Option<HandoverRun>, OpError> {
    Ok(kept::read(project.store())?.filter(|run| run.status == Status::InProgress))
}

/// What of a run that was cut short is to be performed.
#[derive(Clone, Debug, Default)]
struct Choice {
    only: Vec<String>,
    from: Option<String>,
    skip: Vec<String>,
}

impl Choice {
    fn of(asked: &RunHandover) -> Choice {
        Choice { only: asked.only.clone(), from: asked.from.clone(), skip: asked.skip.clone() }
    }

    fn of_inputs(inputs: &Inputs) -> Choice {
        Choice { only: inputs.only.clone(), from: inputs.from.clone(), skip: inputs.skip.clone() }
    }

    fn apply(&self, run: &mut HandoverRun, project: &Project) -> Result<(), OpError> {
        let at = project.present();
        let chosen = || -> Result<(), BadRun> {
            if !self.only.is_empty() {
                run.only(&self.only, at)?;
            }
            if let Some(from) = &self.from {
                run.from(from, at)?;
            }
            self.skip.iter().try_for_each(|id| run.skip(id, at))
        };
        let mut chosen = chosen;
        chosen().map_err(|error| OpError::usage(error.to_string()))
    }
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
    project.store().sweep_runs(&held);
    let mut others = 0;
    loop {
        if let Err(paused) = project.refuse_paused() {
            return stopped_by_pause(project, paused, told);
        }
        let (mut run, is_resumed) = match unfinished(project)? {
            Some(run) => (run, true),
            None => match start_next(project, &held, request)? {
                Some(run) => (run, false),
                None => break,
            },
        };
        let is_asked_for = request.is_none_or(|request| request == run.inputs.request);
        let ended = match go_on(project, &held, &mut run, is_resumed, choice, &mut told) {
            Ok(ended) => ended,
            Err(error) => return Err(error),
        };
        match ended {
            Ended::Completed => {}
            Ended::Stopped(error) => {
                let waits = !project.store().queued_runs()?.is_empty();
                let is_paused = error.kind() == ErrorKind::Paused;
                if !is_asked_for && waits && !is_paused && run.carry_over(project.present()) {
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
        others += usize::from(!is_asked_for);
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

/// Makes a run of the oldest request in the queue.
fn start_next(project: &mut Project, held: &RunLock, request: Option<&str>) -> Result<Option<HandoverRun>, OpError> {
    for name in project.store().queued_runs()? {
        let Some(read) = queue::understood(project.store().queued_run(&name)) else { continue };
        let inputs = match read {
            Ok(inputs) => inputs,
            Err(why) if request == Some(name.as_str()) => {
                return Err(OpError::damaged(format!("the request `{name}` cannot be read: {why}")));
            }
            // The answer tells of it when all else is done.
            Err(_) => continue,
        };
        // A crash came between its start and here.
        let is_over = |done: &Remembered| done.request == name;
        let started = kept::read(project.store())?.is_some_and(|run| run.inputs.request == name);
        if started || kept::remembered(project.store())?.iter().any(is_over) {
            project.store().unqueue_run(held, &name)?;
            continue;
        }
        let declared = Declaration::read(project, inputs.config.as_deref())?;
        steps::check_trust(project, &declared)?;
        let choice = Choice::of_inputs(&inputs);
        let run_id = project.new_run_id();
        let at = inputs.asked_at;
        let mut run =
            Run::start(run_id, declared.steps(), inputs, at).map_err(|error| declared.refused(error.to_string()))?;
        choice.apply(&mut run, project)?;
        kept::put(project.store(), held, &run)?;
        project.store().unqueue_run(held, &name)?;
        return Ok(Some(run));
    }
    Ok(None)
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
        let config = run.inputs.config.clone();
        let declared = Declaration::read(project, config.as_deref().map(Path::new))?;
        steps::check_trust(project, &declared)?;
        let changes = run.adopt(declared.steps()).map_err(|error| declared.refused(error.to_string()))?;
        told.changes.extend(changes.iter().map(ToString::to_string));
        choice.apply(run, project)?;
        kept::put(project.store(), held, run)?;
    }
    let before = project.act_as(&run.inputs);
    let ended = perform_all(project, held, run);
    project.act_again_as(before);
    ended
}

fn perform_all(project: &mut Project, held: &RunLock, run: &mut HandoverRun) -> Result<Ended, OpError> {
    while let Next::Perform(turn) = run.next() {
        if let Err(paused) = project.refuse_paused() {
            return Ok(Ended::Stopped(paused));
        }
        project.stop.check().map_err(handoff_store::StoreError::from)?;
        if !turn.was_cut_short
            && let Some(reason) = when::unmet(project, run, &turn.action.when)?
        {
            run.skipped(&turn.id, reason, project.present());
            kept::put(project.store(), held, run)?;
            continue;
        }
        run.begin(&turn.id, project.present());
        kept::put(project.store(), held, run)?;
        if let Some(stopped) = perform(project, held, run, &turn)? {
            return Ok(Ended::Stopped(stopped));
        }
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
            run.unsettled(&turn.id, error.sentence(), project.present());
            kept::put(project.store(), held, run)?;
            return Ok(Some(error));
        }
        // The step stays begun, and is taken up again when nothing stands against it any more.
        Err(error) if error.kind() == ErrorKind::Paused => return Ok(Some(error)),
        Err(error) => {
            let after = run.failed(&turn.id, error.sentence(), project.present());
            kept::put(project.store(), held, run)?;
            match after {
                After::Stop => return Ok(Some(error)),
                After::Again(wait) => return wait_for(project, wait),
            }
        }
    }
    kept::put(project.store(), held, run)?;
    Ok(None)
}

/// Waits before the next try, as long as nobody pauses or stops it.
fn wait_for(project: &mut Project, wait: Duration) -> Result<Option<OpError>, OpError> {
    let until = Instant::now() + wait;
    while Instant::now() < until {
        if let Err(paused) = project.refuse_paused() {
            return Ok(Some(paused));
        }
        project.stop.check().map_err(handoff_store::StoreError::from)?;
        std::thread::sleep((until - Instant::now()).min(Duration::from_millis(100)));
    }
    Ok(None)
}

/// Remembers a run that is over. Remembering it twice does no harm.
fn finish(project: &Project, held: &RunLock, run: &HandoverRun) -> Result<(), OpError> {
    let line = serde_json::to_string(&Remembered::of(run)).expect("what is remembered is plain data");
    project.store().remember_run(held, &line)?;
    kept::put(project.store(), held, run)?;
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
