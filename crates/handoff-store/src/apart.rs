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

/// Asks a program that was started [`apart`], and all that it started, to end, so that they can tidy up.
pub(crate) fn ask_group_to_end(child: &Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::TERM);
    }
    #[cfg(not(unix))]
    let _ = child;
}

/// Ends a program that was started [`apart`], with all that it started.
pub fn kill_group(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
}
