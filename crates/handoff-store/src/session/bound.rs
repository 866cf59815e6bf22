//! Which agent works in which session: a note of this machine, so that one agent's save never concerns another's.

use handoff_model::id::SessionId;
use serde::{Deserialize, Serialize};

use crate::layout::BOUND;
use crate::store::Store;

/// An agent and the session it established.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    pub session: SessionId,
    /// The agent's own id for its conversation
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_session: Option<String>,
    /// The work tree it was established from
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// The process that established it, and when that began, since numbers come round
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<Process>,
}

/// A process of this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    pub id: u32,
    #[serde(default)]
    pub started: u64,
}

/// More are never of use: a session that nobody bound for so long is found by other means.
const MOST: usize = 200;

impl Process {
    /// The one that runs this code.
    pub fn this() -> Process {
        let id = std::process::id();
        Process { id, started: started(id).unwrap_or(0) }
    }

    /// The agent that had this program started, past the shells in between: the one it names, or the one above.
    ///
    /// `None` where that cannot be told; a process that may be a shell's is never taken for an agent's.
    pub fn of_agent(named: Option<u32>) -> Option<Process> {
        match named {
            Some(id) => {
                let process = Process { id, started: started(id).unwrap_or(0) };
                process.is_alive().then_some(process)
            }
            None => above_shells(),
        }
    }

    /// Whether a process of this number runs, as far as that can be told.
    pub fn is_running(id: u32) -> bool {
        started(id).map_or_else(|| may_run(id), |started| started != ENDED)
    }

    /// Whether it still runs, as far as that can be told.
    pub fn is_alive(&self) -> bool {
        if *self == Process::this() {
            return true;
        }
        match started(self.id) {
            Some(started) => started == self.started,
            None => may_run(self.id),
        }
    }
}

/// When a process that ended and was not waited for began.
const ENDED: u64 = u64::MAX;

/// When a process began, in the units of the system; `None` where that cannot be told.
#[cfg(target_os = "linux")]
fn started(id: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name in parentheses may hold anything; the fields after it are numbers.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace();
    // A process that ended and was not waited for still has an entry.
    if matches!(fields.next()?, "Z" | "X") {
        return Some(ENDED);
    }
    fields.nth(18)?.parse().ok()
}

#[cfg(not(target_os = "linux"))]
fn started(_: u32) -> Option<u64> {
    None
}

/// Programs that run others and end with them.
#[cfg(target_os = "linux")]
const SHELLS: &[&str] = &[
    "ash", "bash", "busybox", "dash", "env", "fish", "ksh", "mksh", "nice", "nohup", "sh", "sudo", "time", "timeout",
    "xargs", "zsh",
];

#[cfg(target_os = "linux")]
fn above_shells() -> Option<Process> {
    let mut id = std::os::unix::process::parent_id();
    for _ in 0..16 {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        let (name, fields) = stat.rsplit_once(')')?;
        let (_, name) = name.split_once('(')?;
        if !SHELLS.contains(&name) {
            return started(id).filter(|_| id > 1).map(|started| Process { id, started });
        }
        id = fields.split_whitespace().nth(1)?.parse().ok()?;
    }
    None
}

#[cfg(not(target_os = "linux"))]
fn above_shells() -> Option<Process> {
    None
}

#[cfg(all(unix, not(target_os = "linux")))]
fn may_run(id: u32) -> bool {
    let id = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw);
    id.is_some_and(|id| rustix::process::test_kill_process(id).is_ok())
}

#[cfg(target_os = "linux")]
fn may_run(_: u32) -> bool {
    false
}

#[cfg(not(unix))]
fn may_run(_: u32) -> bool {
    // Nothing is taken from somebody who may still be there.
    true
}

impl Store {
    /// Who is bound to which session, as of this change; what cannot be read counts as nobody.
    pub fn bound(&self) -> Vec<Bound> {
        let staged = self.change.loose.iter().rev().find(|(path, _)| path == BOUND).map(|(_, text)| text.clone());
        let bytes = staged.map(String::into_bytes).or_else(|| self.root.read(BOUND).ok().flatten()).unwrap_or_default();
        let lines = String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect::<Vec<_>>();
        lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Notes after the commit who is bound to which session.
    pub fn put_bound(&mut self, bound: &[Bound]) {
        let newest = &bound[bound.len().saturating_sub(MOST)..];
        let lines = newest.iter().map(|bound| serde_json::to_string(bound).expect("a note is plain data") + "\n");
        let text = lines.collect();
        self.put_view(BOUND, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_alive_and_an_ended_one_is_not() {
        assert!(Process::this().is_alive());
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let ended = Process { id: child.id(), started: 1 };
        child.wait().unwrap();
        assert!(!ended.is_alive());
        assert_eq!(Process::of_agent(Some(ended.id)), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_agent_is_above_the_shells() {
        let agent = Process::of_agent(None).unwrap();
        assert!(agent.is_alive() && agent.id != std::process::id());
        let name = std::fs::read_to_string(format!("/proc/{}/comm", agent.id)).unwrap();
        assert!(!SHELLS.contains(&name.trim()), "{name}");
    }
}
