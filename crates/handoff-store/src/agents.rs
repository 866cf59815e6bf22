//! What is known on this machine of the sessions of agents: for each a list of records, a small state and a lock.
//!
//! **Invariant:** a record is a line, and appending it is its commit. A line that a crash cut short is no record: it is
//! passed over, and the next one begins on a line of its own. Records are on disk when `append` returns; the state may
//! be lost, and everything else makes do without it.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::time::{Duration, Instant};

use handoff_model::rev::Rev;

use crate::error::{Result, StoreError};
use crate::layout::{AGENTS, HOOK_LOG};
use crate::root::{is_refusal, join};
use crate::store::Store;
use crate::sys::Handle;

/// More than a list of records grows to; one that is larger is not read.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// The log is begun anew when it is this long; the one before is kept.
const LOG_BYTES: u64 = 32 * 1024;
const OLD_LOG: &str = "hook.log.1";

/// Whose agents are to be left alone
const LEFT_ALONE: &str = "off";
const MOST_LEFT_ALONE: usize = 200;

const RECORDS: &str = ".jsonl";
const STATE: &str = ".json";
const LOCK: &str = ".lock";
const STAGED_STATE: &str = ".new";
const STAGED_RECORDS: &str = ".records";

/// What the files of one agent's session are called: the agent, and its own id of the session where that is plain.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentName(String);

impl AgentName {
    /// The name for a session of an agent, whatever its id is made of.
    pub fn new(agent: &str, session: &str) -> AgentName {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
        let is_plain = session.len() <= 64
            && session.bytes().next().is_some_and(|first| plain(first) && first != b'_')
            && session.bytes().all(plain);
        if is_plain {
            return AgentName(format!("{agent}-{session}"));
        }
        let halves = [Rev::of(session.as_bytes()), Rev::of(format!("{session}\n").as_bytes())];
        AgentName(format!("{agent}-_{}{}", halves[0], halves[1]))
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The right to write about one agent's session; given back when dropped, or when the process dies.
#[derive(Debug)]
pub struct AgentLock {
    name: AgentName,
    file: File,
}

impl AgentLock {
    pub fn name(&self) -> &AgentName {
        &self.name
    }
}

impl Drop for AgentLock {
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

impl Store {
    /// The sessions of agents that something is known of, in the order of their names.
    pub fn agent_names(&self) -> Result<Vec<AgentName>> {
        let listed = match self.root.dir(AGENTS).and_then(|dir| dir.list()) {
            Ok(listed) => listed,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(StoreError::read(AGENTS, source)),
        };
        let stem = |name: &str| name.strip_suffix(RECORDS).or_else(|| name.strip_suffix(STATE)).map(str::to_owned);
        let names: BTreeSet<String> = listed.iter().filter_map(|entry| stem(&entry.name)).collect();
        Ok(names.into_iter().map(AgentName).collect())
    }

    /// Waits at most `wait` for the right to write about a session; `None` while another process has it.
    pub fn lock_agent(&self, name: &AgentName, wait: Duration) -> Result<Option<AgentLock>> {
        let file_name = format!("{name}{LOCK}");
        let fail = |source| StoreError::write(join(AGENTS, &file_name), source);
        let file = self.agents_dir().and_then(|dir| dir.open_lock(&file_name)).map_err(fail)?;
        let started = Instant::now();
        let mut pause = Duration::from_micros(100);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(AgentLock { name: name.clone(), file })),
                Err(TryLockError::Error(source)) => return Err(fail(source)),
                Err(TryLockError::WouldBlock) if started.elapsed() >= wait => return Ok(None),
                Err(TryLockError::WouldBlock) => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(2));
                }
            }
        }
    }

    /// The state of a session; `None` where there is none, or no text. What the system only refuses to give is there.
    pub fn agent_state(&self, name: &AgentName) -> Result<Option<String>> {
        let path = join(AGENTS, &format!("{name}{STATE}"));
        match self.root.read_text(&path) {
            Err(source) if is_refusal(&source) => Err(StoreError::read(path, source)),
            read => Ok(read.ok().flatten()),
        }
    }

    /// Replaces the state of a session.
    pub fn put_agent_state(&self, held: &AgentLock, text: &str) -> Result<()> {
        let name = format!("{}{STATE}", held.name);
        let staged = format!("{}{STAGED_STATE}", held.name);
        let put = |dir: Handle| {
            dir.write_loose(&staged, text.as_bytes())?;
            dir.replace(&staged, &dir, &name)
        };
        self.agents_dir().and_then(put).map_err(|source| StoreError::write(join(AGENTS, &name), source))
    }

    /// Whether anything was recorded of a session.
    pub fn has_agent_records(&self, name: &AgentName) -> bool {
        let stamp = self.root.dir(AGENTS).and_then(|dir| dir.stamp(&format!("{name}{RECORDS}")));
        // What cannot be looked at may be there.
        stamp.map_or(true, |stamp| stamp.is_some_and(|stamp| stamp.size > 0))
    }

    /// The records of a session, the oldest first.
    pub fn agent_records(&self, name: &AgentName) -> Result<Vec<String>> {
        let path = join(AGENTS, &format!("{name}{RECORDS}"));
        let bytes = self.root.read_up_to(&path, MOST_BYTES).map_err(|source| StoreError::read(path, source))?;
        let bytes = bytes.unwrap_or_default();
        let mut lines = bytes.split(|byte| *byte == b'\n').collect::<Vec<_>>();
        // What comes after the last line break is no whole line, or nothing.
        lines.pop();
        Ok(lines.into_iter().filter_map(|line| String::from_utf8(line.to_vec()).ok()).collect())
    }

    /// Adds a record to those of a session, and says how many bytes they have now.
    pub fn append_agent_record(&self, held: &AgentLock, record: &str) -> Result<u64> {
        debug_assert!(!record.contains('\n'), "a record is one line");
        let name = format!("{}{RECORDS}", held.name);
        let append = |dir: Handle| {
            let mut file = dir.open_to_append(&name)?;
            let before = file.seek(SeekFrom::End(0))?;
            let added = append_line(&mut file, before, record).inspect_err(|_| {
                // Half a line would be passed over all the same.
                let _ = file.set_len(before);
            })?;
            if before == 0 {
                dir.sync()?;
            }
            Ok(before + added)
        };
        self.agents_dir().and_then(append).map_err(|source| StoreError::write(join(AGENTS, &name), source))
    }

    /// Puts other records in the place of those of a session.
    pub fn replace_agent_records(&self, held: &AgentLock, records: &[String]) -> Result<()> {
        let name = format!("{}{RECORDS}", held.name);
        let staged = format!("{}{STAGED_RECORDS}", held.name);
        let text: String = records.iter().flat_map(|record| [record.as_str(), "\n"]).collect();
        let put = |dir: Handle| {
            let _ = dir.remove_file(&staged);
            dir.create_synced(&staged, text.as_bytes())?;
            dir.replace(&staged, &dir, &name)?;
            dir.sync()
        };
        self.agents_dir().and_then(put).map_err(|source| StoreError::write(join(AGENTS, &name), source))
    }

    /// Forgets all that is known of a session.
    pub fn forget_agent(&self, held: &AgentLock) -> Result<()> {
        let dir = self.agents_dir().map_err(|source| StoreError::write(AGENTS, source))?;
        for ending in [RECORDS, STATE, LOCK, STAGED_STATE, STAGED_RECORDS] {
            match dir.remove_file(&format!("{}{ending}", held.name)) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(StoreError::write(join(AGENTS, &format!("{}{ending}", held.name)), source));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Removes what writes that were interrupted left beside what they meant to replace.
    pub fn sweep_agents(&self) -> Result<()> {
        let fail = |source| StoreError::write(AGENTS, source);
        let dir = self.agents_dir().map_err(fail)?;
        for entry in dir.list().map_err(fail)? {
            let stem = entry.name.strip_suffix(STAGED_STATE).or_else(|| entry.name.strip_suffix(STAGED_RECORDS));
            let Some(stem) = stem.filter(|stem| *stem != LEFT_ALONE) else { continue };
            // Whoever has the lock may be about to put it in its place.
            if let Some(_held) = self.lock_agent(&AgentName(stem.to_owned()), Duration::ZERO)? {
                let _ = dir.remove_file(&entry.name);
            }
        }
        Ok(())
    }

    /// The conversations whose agents are to be left alone; what cannot be read counts as none.
    pub fn agents_left_alone(&self) -> Vec<String> {
        let text = self.root.read_text(&join(AGENTS, LEFT_ALONE)).ok().flatten().unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Notes whose agents are to be left alone; for those who have the lock of the store.
    pub fn leave_agents_alone(&self, sessions: &[String]) -> Result<()> {
        let newest = &sessions[sessions.len().saturating_sub(MOST_LEFT_ALONE)..];
        let text = serde_json::to_string(newest).expect("a list of texts is plain data");
        let staged = format!("{LEFT_ALONE}{STAGED_STATE}");
        let put = |dir: Handle| {
            dir.write_loose(&staged, text.as_bytes())?;
            dir.replace(&staged, &dir, LEFT_ALONE)
        };
        self.agents_dir().and_then(put).map_err(|source| StoreError::write(join(AGENTS, LEFT_ALONE), source))
    }

    /// Notes what went wrong when an agent called. Failing to is no failure of anything.
    pub fn log_hook(&self, line: &str) {
        let Ok(dir) = self.root.dir_made("local/state") else { return };
        if dir.stamp("hook.log").ok().flatten().is_some_and(|stamp| stamp.size > LOG_BYTES) {
            let _ = dir.replace("hook.log", &dir, OLD_LOG);
        }
        let _ = dir.append_loose("hook.log", format!("{}\n", line.replace('\n', " ")).as_bytes());
    }

    /// What went wrong when agents called, the oldest first.
    pub fn hook_log(&self) -> Vec<String> {
        let read = |path: &str| self.root.read_text(path).ok().flatten().unwrap_or_default();
        let text = read(&format!("{HOOK_LOG}.1")) + &read(HOOK_LOG);
        text.lines().map(str::to_owned).collect()
    }

    fn agents_dir(&self) -> io::Result<Handle> {
        self.root.dir_made(AGENTS)
    }
}

/// Whether a file is one that is about to replace another.
pub(crate) fn is_staged(name: &str) -> bool {
    name.ends_with(STAGED_STATE) || name.ends_with(STAGED_RECORDS)
}

/// Whether a file holds the state of a session.
pub(crate) fn is_state(name: &str) -> bool {
    name.ends_with(STATE)
}

/// Adds a line to a file of this size, on disk before this returns; says how many bytes that took.
fn append_line(file: &mut File, size: u64, line: &str) -> io::Result<u64> {
    let mut bytes = Vec::with_capacity(line.len() + 2);
    if size > 0 {
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            bytes.push(b'\n');
        }
    }
    bytes.extend_from_slice(line.as_bytes());
    bytes.push(b'\n');
    file.write_all(&bytes)?;
    file.sync_data()?;
    Ok(bytes.len() as u64)
}

#[cfg(test)]
mod tests {
    use handoff_model::name::Layout;

    use super::*;
    use crate::NewStore;

    fn store() -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        let new = NewStore { config: "[project]\nname = \"x\"\n", layout: Layout::Status, private: true };
        let store = Store::create(&dir.path().join(".handoff"), &new).unwrap();
        (dir, store)
    }

    #[test]
    fn whatever_an_id_is_made_of_its_files_have_a_plain_name() {
        let name = |session: &str| AgentName::new("codex", session).to_string();
        assert_eq!(name("019a-1f"), "codex-019a-1f");
        let odd = ["../../etc/passwd", "A", "a", "", "ä", "a/b", &"x".repeat(300), "_0"].map(name);
        assert_eq!(odd.iter().collect::<BTreeSet<_>>().len(), odd.len());
        for name in odd {
            assert!(name.len() < 80 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
        }
    }

    #[test]
    fn a_line_cut_short_is_passed_over_and_hides_no_other() {
        let (dir, store) = store();
        let held = store.lock_agent(&AgentName::new("codex", "a"), Duration::ZERO).unwrap().unwrap();
        store.append_agent_record(&held, "one").unwrap();
        let path = dir.path().join(".handoff/local/state/agents/codex-a.jsonl");
        let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"{\"half").unwrap();
        assert_eq!(store.agent_records(held.name()).unwrap(), ["one"]);
        let size = store.append_agent_record(&held, "two").unwrap();
        assert_eq!(store.agent_records(held.name()).unwrap(), ["one", "{\"half", "two"]);
        assert_eq!(size, std::fs::metadata(&path).unwrap().len());
    }

    #[test]
    fn one_process_at_a_time_writes_about_a_session() {
        let (_dir, store) = store();
        let (one, other) = (AgentName::new("codex", "a"), AgentName::new("codex", "b"));
        let held = store.lock_agent(&one, Duration::ZERO).unwrap().unwrap();
        assert!(store.lock_agent(&one, Duration::from_millis(3)).unwrap().is_none());
        assert!(store.lock_agent(&other, Duration::ZERO).unwrap().is_some());
        drop(held);
        assert!(store.lock_agent(&one, Duration::ZERO).unwrap().is_some());
    }

    #[test]
    fn a_session_is_listed_once_and_forgotten_whole() {
        let (dir, store) = store();
        assert_eq!(store.agent_names().unwrap(), []);
        let name = AgentName::new("gemini", "a");
        let held = store.lock_agent(&name, Duration::ZERO).unwrap().unwrap();
        store.append_agent_record(&held, "one").unwrap();
        store.put_agent_state(&held, "{}").unwrap();
        assert_eq!(store.agent_names().unwrap(), std::slice::from_ref(&name));
        store.replace_agent_records(&held, &["joined".to_owned()]).unwrap();
        assert_eq!(store.agent_records(&name).unwrap(), ["joined"]);
        assert_eq!(store.agent_state(&name).unwrap().as_deref(), Some("{}"));
        store.forget_agent(&held).unwrap();
        assert_eq!(std::fs::read_dir(dir.path().join(".handoff/local/state/agents")).unwrap().count(), 0);
    }

    #[test]
    fn what_an_interrupted_write_left_is_swept_unless_somebody_is_at_it() {
        let (dir, store) = store();
        let (dead, alive) = (AgentName::new("codex", "dead"), AgentName::new("codex", "alive"));
        let _held = store.lock_agent(&alive, Duration::ZERO).unwrap().unwrap();
        let agents = dir.path().join(".handoff/local/state/agents");
        for name in [&dead, &alive] {
            for staged in [STAGED_STATE, STAGED_RECORDS] {
                let path = agents.join(format!("{name}{staged}"));
                std::fs::OpenOptions::new().write(true).create_new(true).open(path).unwrap();
            }
        }
        store.sweep_agents().unwrap();
        let left = |name: &AgentName| agents.join(format!("{name}{STAGED_STATE}")).exists();
        assert_eq!((left(&dead), left(&alive)), (false, true));
        assert_eq!(store.agent_names().unwrap(), []);
    }

    #[test]
    fn the_log_never_grows_beyond_its_bound() {
        let (dir, store) = store();
        for number in 0..3_000 {
            store.log_hook(&format!("{number} something went wrong\nand more of it"));
        }
        let state = dir.path().join(".handoff/local/state");
        let size = |name: &str| std::fs::metadata(state.join(name)).unwrap().len();
        assert!(size("hook.log") + size("hook.log.1") <= 2 * LOG_BYTES + 200);
        assert_eq!(store.hook_log().last().unwrap(), "2999 something went wrong and more of it");
    }
}
