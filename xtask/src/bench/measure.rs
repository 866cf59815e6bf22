//! What a process costs: time on the clock, time on the processor, memory at its peak.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wait4::Wait4;

/// The cost of one run.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cost {
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
    /// Bytes; zero when it was not looked at.
    pub(crate) memory: u64,
}

/// A command line that can be had again and again; the argument counts the rounds.
pub(crate) type Maker<'a> = Box<dyn Fn(usize) -> Command + 'a>;

/// Runs once, with nothing to read, and measures the clock and the processor.
pub(crate) fn time(mut command: Command) -> Result<Cost, String> {
    command.stdin(Stdio::null());
    time_as_called(command)
}

/// The same with the standard input that the command has.
pub(crate) fn time_as_called(mut command: Command) -> Result<Cost, String> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    let child = command.spawn().map_err(|error| format!("cannot start {command:?}: {error}"))?;
    let used = child.wait4().map_err(|error| format!("cannot wait: {error}"))?;
    let wall = started.elapsed();
    if !used.status.success() {
        return Err(format!("{command:?} ends with {}", used.status));
    }
    Ok(Cost { wall, cpu: used.rusage.utime + used.rusage.stime, memory: 0 })
}

/// Runs once and watches the peak of its memory.
///
/// The kernel's own account of a finished child begins with the memory of the process that started it, so the peak
/// is read while the child lives. It never falls, and so the last reading is at most one pause behind.
pub(crate) fn peak_memory(mut command: Command) -> Result<u64, String> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| format!("cannot start {command:?}: {error}"))?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        peak = peak.max(kibibytes.unwrap_or(0) * 1024);
        std::thread::sleep(Duration::from_micros(20));
    }
    Ok(peak)
}

/// Runs all commands in turn, `rounds` times, so that whatever else the machine does falls on all of them alike.
pub(crate) fn interleave(makers: &[Maker<'_>], rounds: usize) -> Result<Vec<Cost>, String> {
    const WATCHED: usize = 5;
    let mut costs: Vec<Vec<Cost>> = makers.iter().map(|_| Vec::with_capacity(rounds)).collect();
    // The first round warms caches and is not counted.
    for round in 0..=rounds {
        for place in 0..makers.len() {
            // Everybody comes first in turn: what follows a write may wait for the disk it kept busy.
            let turn = (place + round) % makers.len();
            let cost = time_as_called(makers[turn](round))?;
            if round > 0 {
                costs[turn].push(cost);
            }
        }
    }
    let mut medians = Vec::new();
    for (maker, costs) in makers.iter().zip(&costs) {
        let mut memory = 0;
        for round in 0..WATCHED {
            memory = memory.max(peak_memory(maker(rounds + 1 + round))?);
        }
        medians.push(Cost { memory, ..median(costs) });
    }
    Ok(medians)
}

fn median(costs: &[Cost]) -> Cost {
    let middle = |mut times: Vec<Duration>| {
        times.sort();
        times.get(times.len() / 2).copied().unwrap_or_default()
    };
    Cost {
        wall: middle(costs.iter().map(|cost| cost.wall).collect()),
        cpu: middle(costs.iter().map(|cost| cost.cpu).collect()),
        memory: 0,
    }
}
