//! A run that somebody pauses between two of its system calls.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::rig::{Finished, Invocation, Sandbox, finish, scratch};

use super::end::End;
use super::ground::{Ground, resumption, second};

/// What strace notes when the program stands still.
const STOPPED: &str = "stopped by SIGSTOP";
/// As long as a program may take to get to a call.
const PATIENCE: Duration = Duration::from_secs(40);

/// Runs the binary, holds it when a call is over, pauses the project and lets it go on; `None` when the call was never
/// reached.
pub(super) fn pause_at(
    sandbox: &Sandbox,
    binary: &Path,
    call: &Invocation,
    name: &str,
    nth: usize,
) -> Result<Option<Finished>, String> {
    let scratch = scratch().map_err(|error| error.to_string())?;
    let (log, leader) = (scratch.path().join("trace"), scratch.path().join("leader"));
    // The shell says which group of processes is to go on later.
    let mut command = sandbox.command(Path::new("sh"));
    command.args(["-c", r#"echo $$ > "$0" && exec strace "$@""#]).arg(&leader).args(["-qq", "-s", "0", "-e"]);
    command.arg(format!("trace={name}")).arg("-e").arg(format!("inject={name}:signal=SIGSTOP:when={nth}"));
    command.arg("-o").arg(&log).arg(binary);
    call.complete(&mut command).map_err(|error| error.to_string())?;
    std::thread::scope(|scope| {
        let running = scope.spawn(|| finish(command));
        let until = Instant::now() + PATIENCE;
        let stands = || std::fs::read_to_string(&log).is_ok_and(|trace| trace.contains(STOPPED));
        while !running.is_finished() && !stands() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
        let is_reached = stands();
        if is_reached {
            std::fs::write(flag(sandbox), "").map_err(|error| error.to_string())?;
        }
        let group = std::fs::read_to_string(&leader).map_err(|error| format!("no process was started: {error}"))?;
        let on = Command::new("kill").args(["-CONT", "--", &format!("-{}", group.trim())]).output();
        on.map_err(|error| format!("cannot start kill: {error}"))?;
        let finished = running.join().expect("waiting does not panic");
        let finished = finished.map_err(|error| format!("cannot start strace: {error}"))?;
        Ok(is_reached.then_some(finished))
    })
}

/// As long as the project is paused nothing goes on. Then the pause is over.
pub(super) fn stands_still(ground: &Ground, sandbox: &Sandbox) -> Result<(), String> {
    let before = End::look(sandbox)?;
    for call in [resumption(), second()] {
        let done = ground.invoke(sandbox, &call)?;
        if done.code != Some(5) {
            return Err(format!("while it is paused, a run ends with {}", done.brief()));
        }
    }
    before.same(&End::look(sandbox)?).map_err(|why| format!("while it is paused, {why}"))?;
    std::fs::remove_file(flag(sandbox)).map_err(|error| error.to_string())
}

fn flag(sandbox: &Sandbox) -> std::path::PathBuf {
    sandbox.store().join("PAUSE")
}
