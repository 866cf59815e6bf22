//! The clock of this machine since it was started.

use handoff_model::timer::MachineClock;

/// What the clock says that stands while the machine sleeps, and which start of the machine it counts from; `None` where
/// the system has no such clock that can be told from others.
#[cfg(target_os = "linux")]
pub fn machine_clock() -> Option<MachineClock> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let boot = boot.trim().to_owned();
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let milliseconds = u64::try_from(time.tv_sec).ok()? * 1_000 + u64::try_from(time.tv_nsec).ok()? / 1_000_000;
    (!boot.is_empty()).then_some(MachineClock { boot, milliseconds })
}

#[cfg(not(target_os = "linux"))]
pub fn machine_clock() -> Option<MachineClock> {
    None
}
