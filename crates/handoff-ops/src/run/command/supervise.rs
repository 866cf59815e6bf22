//! The process that watches over one command: it outlives whoever started it, and the command never outlives its limit.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use handoff_store::{
    ForeignLocal, StepAttempt, StepLock, StepNote, Stop, Store, apart, ask_group_to_end, has_group, in_own_session,
    kill_group,
};

use super::plan::{Plan, environment};
use super::tail::Tail;
use super::{CommandStep, End, Notes, Order, Ran, root_of};
use crate::project::Environment;
use crate::{Door, OpError, Place, Project};

/// How long whoever looks at the notes may have the lock.
const LOOKING: Duration = Duration::from_secs(10);
/// How long a command that is asked to end may take.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// How long what a command left behind may hold its streams open.
const STREAMS: Duration = Duration::from_secs(1);

/// Runs the command that an order in the store is about; the arguments name both. Without an order nothing is done.
pub fn supervise(arguments: &[OsString], variables: impl Iterator<Item = (OsString, OsString)>) -> Result<(), OpError> {
    let not_for_people = || OpError::usage("this is how handoff starts itself; it is of no use to anybody else");
    let [store, name] = arguments else { return Err(not_for_people()) };
    let attempt = name.to_str().and_then(StepAttempt::named).ok_or_else(not_for_people)?;
    let path = Path::new(store);
    let variables: Vec<(OsString, OsString)> = variables.collect();
    let place = Place { env: Environment::new(variables.iter().cloned()), ..Place::default() };
    let rules = Project::new(place, None, Door::Cli).local_rules(ForeignLocal::Ignore);
    let store = Store::open_by(path, &rules)?;
    in_own_session();
    let Some(held) = store.lock_step(&attempt, LOOKING, &Stop::never())? else {
        // Another watches over it already; whoever waits for this one looks again.
        return Ok(());
    };
    let notes = Notes::read(&held, &attempt)?;
    let Some(text) = held.read(&attempt, StepNote::Order)? else {
        // Another was quicker, and took the order with it.
        return if notes.begun > 0 { Ok(()) } else { Err(not_for_people()) };
    };
    let order: Order =
        serde_json::from_str(&text).map_err(|error| OpError::damaged("the order cannot be read").caused_by(error))?;
    if notes.ended.is_some() || notes.begun != order.begun {
        return Ok(());
    }
    held.write(&attempt, StepNote::Begun, &(notes.begun + 1).to_string())?;
    held.remove(&attempt, StepNote::Order)?;
    note_end(&held, &attempt, run(&order, &root_of(path), &variables))
}

/// Notes how it ended. The end counts more than the words: where there is no room for both, only the end is kept.
fn note_end(held: &StepLock, attempt: &StepAttempt, ran: Ran) -> Result<(), OpError> {
    let text = |ran: &Ran| serde_json::to_string(ran).expect("an end is plain data");
    if held.write(attempt, StepNote::Ended, &text(&ran)).is_ok() {
        return Ok(());
    }
    let short = Ran { stdout: String::new(), stderr: String::new(), ..ran };
    Ok(held.write(attempt, StepNote::Ended, &text(&short))?)
}

fn run(order: &Order, root: &Path, ours: &[(OsString, OsString)]) -> Ran {
    let path = ours.iter().find_map(|(name, value)| (name == "PATH").then_some(value.as_os_str()));
    let plan = match Plan::of(&order.step, root, path) {
        Ok(plan) => plan,
        Err(error) => return Ran::not_started(error.sentence()),
    };
    let mut command = Command::new(&plan.program);
    command.args(&order.step.argv[1..]).current_dir(&plan.directory).env_clear();
    command.envs(environment(&order.step, &order.key, root, ours.iter().cloned()));
    command.stdin(if order.step.stdin.is_some() { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::arg0(&mut command, &order.step.argv[0]);
    apart(&mut command);
    let started = Instant::now();
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Ran::not_started(in_words(&error)),
    };
    let (end, stdout, stderr) = match attend(&mut child, &order.step, started) {
        Ok(attended) => attended,
        Err(error) => {
            kill_group(&mut child);
            let _ = child.wait();
            (End::Signal(9), String::new(), format!("handoff could not watch over it: {error}\n"))
        }
    };
    let milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ran { end, stdout, stderr, milliseconds, was_there: false }
}

/// Feeds it, listens to it and waits for its end.
fn attend(child: &mut Child, step: &CommandStep, started: Instant) -> io::Result<(End, String, String)> {
    let missing = || io::Error::other("its streams are missing");
    let stdout = Tail::of(child.stdout.take().ok_or_else(missing)?)?;
    let stderr = Tail::of(child.stderr.take().ok_or_else(missing)?)?;
    if let (Some(mut pipe), Some(text)) = (child.stdin.take(), step.stdin.clone()) {
        // One that does not read to the end closes the pipe, which ends this too.
        thread::Builder::new().spawn(move || drop(pipe.write_all(text.as_bytes())))?;
    }
    let end = match wait(child, started.checked_add(step.timeout))? {
        Some(end) => end,
        None => {
            end_group(child)?;
            End::TimedOut
        }
    };
    let until = Instant::now() + STREAMS;
    Ok((end, stdout.text(until), stderr.text(until)))
}

/// Waits for the end of a program; `None` when the time is over before that. No time is no limit.
fn wait(child: &mut Child, until: Option<Instant>) -> io::Result<Option<End>> {
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(End::of(status)));
        }
        if until.is_some_and(|until| Instant::now() >= until) {
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

/// Ends a program and all that it started: it is asked first, and killed when it does not listen.
fn end_group(child: &mut Child) -> io::Result<()> {
    ask_group_to_end(child);
    let until = Instant::now() + LAST_WORDS;
    // Its head is waited for as well, since one that ended and was not waited for still counts as there.
    while (child.try_wait()?.is_none() || has_group(child)) && Instant::now() < until {
        thread::sleep(Duration::from_millis(5));
    }
    if child.try_wait()?.is_none() || has_group(child) {
        kill_group(child);
        child.wait()?;
    }
    Ok(())
}

/// Why a program that is there cannot be started.
fn in_words(error: &io::Error) -> String {
    match error.kind() {
        // The file was there a moment ago, so it is what its first line names that is missing.
        io::ErrorKind::NotFound => "the interpreter that its first line names is not there".to_owned(),
        io::ErrorKind::PermissionDenied => "it may not be executed here".to_owned(),
        io::ErrorKind::ArgumentListTooLong => {
            "its arguments and variables are longer than the system allows; give much text on standard input".to_owned()
        }
        // ENOEXEC: a script without a first line, or a program for another machine.
        _ if error.raw_os_error() == Some(8) => {
            "it is no program for this machine; a script begins with a line such as `#!/bin/sh`".to_owned()
        }
        _ => error.to_string(),
    }
}
