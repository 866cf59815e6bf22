//! Programs that are started beside this one, and ended with all that they started.

use std::process::{Child, Command};

/// Makes a program the head of a process group of its own, so that what it starts can be ended with it.
#[cfg(unix)]
pub fn apart(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Keeps a window from opening for it.
#[cfg(windows)]
pub fn apart(command: &mut Command) {
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    std::os::windows::process::CommandExt::creation_flags(command, CREATE_NO_WINDOW);
}

#[cfg(not(any(unix, windows)))]
pub fn apart(_command: &mut Command) {}

/// Leaves the terminal and the process group of whoever started this process, so that what ends them does not end this.
pub fn in_own_session() {
    // It fails only for one that is at the head of its group already, and so apart from the others.
    #[cfg(unix)]
    let _ = rustix::process::setsid();
}

/// Asks a program that was started [`apart`], and all that it started, to end.
pub fn ask_group_to_end(child: &Child) {
    #[cfg(unix)]
    if let Some(group) = group_of(child) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::TERM);
    }
    #[cfg(not(unix))]
    let _ = child;
}

/// Whether a program that was started [`apart`], or anything that it started, is still there; where that cannot be told,
/// it counts as gone.
pub fn has_group(child: &Child) -> bool {
    #[cfg(unix)]
    return group_of(child).is_some_and(|group| rustix::process::test_kill_process_group(group).is_ok());
    #[cfg(not(unix))]
    {
        let _ = child;
        false
    }
}

/// Ends a program that was started [`apart`], with all that it started.
pub fn kill_group(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = group_of(child) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
}

#[cfg(unix)]
fn group_of(child: &Child) -> Option<rustix::process::Pid> {
    i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw)
}
