//! What has to be changed in which file, for all hosts together, before anything is written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use handoff_model::agent::Host;
use serde::Serialize;

use super::edit::{Draft, Hunk, Refusal, json};
use super::piece::{self, Leave, State};
use super::record::Record;
use super::{Describe, Machine, Part, Piece, Scope, Target, describe};
use crate::foreign;

/// What is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wish {
    pub scope: Scope,
    /// Whether what tools such as handoff-mcp put there is replaced
    pub replaces: bool,
    /// Whether files and entries of others that have the name of ours are replaced, and edited ones of ours
    pub forces: bool,
}

/// What would be done.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub hosts: Vec<HostPlan>,
    /// The files to be written or removed, each once
    pub files: Vec<FileChange>,
    /// Files in which nothing of ours is left
    pub done_with: Vec<PathBuf>,
}

/// What would be done for one host.
#[derive(Clone, Debug, Serialize)]
pub struct HostPlan {
    pub host: Host,
    pub parts: Vec<PartPlan>,
    /// Why nothing is done for it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// What to know once it is done
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What would be done about one target.
#[derive(Clone, Debug, Serialize)]
pub struct PartPlan {
    pub part: Part,
    /// As the host names it, not where a link leads
    pub path: PathBuf,
    /// How it was found
    pub state: State,
    /// What other tools have there
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub foreign: Vec<String>,
    /// Why it stays although it was to go
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
    /// What is outdated about it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// How a file is to be changed.
#[derive(Clone, Debug)]
pub struct FileChange {
    /// Where it really lies
    pub path: PathBuf,
    pub before: Option<String>,
    pub after: Option<String>,
    pub hunks: Vec<Hunk>,
    pub is_executable: bool,
    /// Whether something of ours was in it before
    pub had_ours: bool,
    /// Whether it is as it was before any setup
    pub is_restored: bool,
    /// For whom
    pub hosts: Vec<Host>,
}

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A file on the way from what it is to what it shall be.
#[derive(Clone, Debug)]
struct Work {
    original: Option<String>,
    is_there: bool,
    draft: Draft,
    is_executable: bool,
    had_ours: bool,
    is_restored: bool,
    hosts: Vec<Host>,
}

/// Why a host is not set up: the file and the reason.
struct Stopped(PathBuf, Refusal);

struct Planner<'a> {
    machine: Machine<'a>,
    files: BTreeMap<PathBuf, Work>,
}

/// Plans to set hosts up. A host whose files cannot all be changed is left out as a whole.
pub fn install(machine: Machine<'_>, hosts: &[Host], wish: Wish, record: &Record) -> Plan {
    let mut planner = Planner { machine, files: BTreeMap::new() };
    let plans = hosts.iter().map(|host| describe(*host)).map(|host| {
        let before = planner.files.clone();
        match planner.install(host, wish, record) {
            Ok(plan) => plan,
            Err(stopped) => {
                planner.files = before;
                refused(host.host(), &stopped)
            }
        }
    });
    let hosts = plans.collect();
    Plan { hosts, files: planner.changes(), done_with: Vec::new() }
}

/// Plans to put in one more thing for a host.
pub fn add(machine: Machine<'_>, host: Host, target: Target) -> Result<Plan, String> {
    let mut planner = Planner { machine, files: BTreeMap::new() };
    let leave = Leave { program: machine.program, replaces: false, forces: false };
    let path = target.path.clone();
    let added = planner.open(&path, host).and_then(|work| {
        work.is_there = true;
        // The file has something of ours already, which is why this belongs into it.
        work.had_ours = true;
        piece::put(&target.piece, &mut work.draft, leave).map_err(|refusal| Stopped(path, refusal))
    });
    let Target { part, path, .. } = target;
    match added {
        Ok(found) => {
            let part = PartPlan { part, path, state: found.state, foreign: found.foreign, kept: None, why: None };
            let host = HostPlan { host, parts: vec![part], refused: None, notes: Vec::new() };
            Ok(Plan { hosts: vec![host], files: planner.changes(), done_with: Vec::new() })
        }
        Err(Stopped(path, refusal)) => Err(format!("{}: {refusal}", path.display())),
    }
}

/// Whether anything of ours is in a file of the host.
pub fn is_set_up(machine: Machine<'_>, host: Host, scope: Scope) -> bool {
    let planner = Planner { machine, files: BTreeMap::new() };
    describe(host).targets(&machine, scope).iter().any(|target| planner.has(target))
}

/// Plans to take hosts out again. What a host that stays needs, too, stays.
pub fn remove(machine: Machine<'_>, hosts: &[Host], wish: Wish, record: &Record) -> Plan {
    let mut planner = Planner { machine, files: BTreeMap::new() };
    let kept = planner.still_needed(hosts, wish.scope);
    let plans = hosts.iter().map(|host| describe(*host)).map(|host| {
        let before = planner.files.clone();
        match planner.remove(host, wish, record, &kept) {
            Ok(plan) => plan,
            Err(stopped) => {
                planner.files = before;
                refused(host.host(), &stopped)
            }
        }
    });
    let hosts = plans.collect();
    let done_with = planner.files.keys().filter(|path| !kept.iter().any(|(needed, _)| needed == *path));
    let done_with = done_with.cloned().collect();
    Plan { hosts, files: planner.changes(), done_with }
}

fn refused(host: Host, Stopped(path, refusal): &Stopped) -> HostPlan {
    let refused = Some(format!("{}: {refusal}", path.display()));
    HostPlan { host, parts: Vec::new(), refused, notes: Vec::new() }
}

impl<'a> Planner<'a> {
    fn open(&mut self, path: &Path, host: Host) -> Result<&mut Work, Stopped> {
        let real = self.machine.disk.real(path);
        if !self.files.contains_key(&real) {
            let unreadable = |why: String| Stopped(path.to_owned(), Refusal::Unreadable(why));
            let bytes = self.machine.disk.read(path).map_err(|error| unreadable(error.to_string()))?;
            let original = match bytes.map(String::from_utf8).transpose() {
                Ok(text) => text,
                Err(error) => {
                    return Err(unreadable(format!("not UTF-8 from byte {} on", error.utf8_error().valid_up_to())));
                }
            };
            let text = original.as_deref().unwrap_or_default();
            let work = Work {
                is_there: original.is_some(),
                draft: Draft::new(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)),
                original,
                is_executable: false,
                had_ours: false,
                is_restored: false,
                hosts: Vec::new(),
            };
            self.files.insert(real.clone(), work);
        }
        let work = self.files.get_mut(&real).expect("it was just put there");
        if !work.hosts.contains(&host) {
            work.hosts.push(host);
        }
        Ok(work)
    }

    fn install(&mut self, host: &dyn Describe, wish: Wish, record: &Record) -> Result<HostPlan, Stopped> {
        let machine = self.machine;
        let leave = Leave { program: machine.program, replaces: wish.replaces, forces: wish.forces };
        let mut parts = Vec::new();
        for Target { part, path, piece } in host.targets(&machine, wish.scope) {
            let real = machine.disk.real(&path);
            let work = self.open(&path, host.host())?;
            let mut kept = None;
            let found = match &piece {
                Piece::File { text, is_executable } if !work.is_there => {
                    work.is_there = true;
                    work.is_executable = *is_executable;
                    work.draft.insert(0, text);
                    piece::Found::plain(State::Missing)
                }
                Piece::File { text, .. }
                    if !wish.forces
                        && work.draft.text != *text
                        && record.is_untouched(&real, &work.draft.text) == Some(false)
                        && work.draft.text.contains(super::OWN_FILE) =>
                {
                    kept = Some("it was edited since; `--force` replaces it".to_owned());
                    piece::Found::plain(State::Outdated)
                }
                Piece::File { .. }
                    if !wish.forces
                        && !wish.replaces
                        && let Some(owner) = owner(&path, &work.draft.text) =>
                {
                    let foreign = vec![format!("a file of {owner}")];
                    piece::Found { foreign, ..piece::Found::plain(State::Foreign) }
                }
                _ => {
                    let is_peer = owner(&path, &work.draft.text).is_some();
                    let leave = Leave { forces: leave.forces || is_peer, ..leave };
                    let was_there = std::mem::replace(&mut work.is_there, true);
                    let found = piece::put(&piece, &mut work.draft, leave);
                    let mut found = found.map_err(|refusal| Stopped(path.clone(), refusal))?;
                    if let Piece::File { is_executable, .. } = &piece {
                        work.is_executable = *is_executable;
                    }
                    if !was_there && found.state == State::Current {
                        found.state = State::Missing;
                    }
                    found
                }
            };
            work.had_ours |= matches!(found.state, State::Current | State::Outdated);
            let starts = found.starts.map(|program| match machine.disk.read(Path::new(&program)) {
                Ok(None) => format!("it starts {program}, which is not there any more"),
                _ => format!("it starts {program}"),
            });
            parts.push(PartPlan { part, path, state: found.state, foreign: found.foreign, kept, why: starts });
        }
        let notes = host.notes(&machine, wish.scope);
        Ok(HostPlan { host: host.host(), parts, refused: None, notes })
    }

    fn remove(
        &mut self,
        host: &dyn Describe,
        wish: Wish,
        record: &Record,
        kept: &[(PathBuf, Part)],
    ) -> Result<HostPlan, Stopped> {
        let machine = self.machine;
        let mut parts: Vec<PartPlan> = Vec::new();
        let mut targets = host.targets(&machine, wish.scope);
        let count = targets.len();
        targets.extend(host.former(&machine, wish.scope));
        for (index, Target { part, path, piece }) in targets.into_iter().enumerate() {
            let real = machine.disk.real(&path);
            if index >= count && parts.iter().any(|done| done.part == part && machine.disk.real(&done.path) == real) {
                continue;
            }
            let mut plan = PartPlan {
                part,
                path: path.clone(),
                state: State::Missing,
                foreign: Vec::new(),
                kept: None,
                why: None,
            };
            if kept.contains(&(real.clone(), part)) {
                plan.kept = Some("another agent uses it".to_owned());
                plan.state = State::Current;
                parts.push(plan);
                continue;
            }
            let is_shared = kept.iter().any(|(path, _)| *path == real);
            let work = self.open(&path, host.host())?;
            let before = work.original.clone();
            if !work.is_there {
                // A part that went with the bytes another part was restored to.
                plan.state = if before.is_some() { State::Current } else { State::Missing };
                if index < count || before.is_some() {
                    parts.push(plan);
                }
                continue;
            }
            let mut was_there = Draft::new(strip(before.as_deref().unwrap_or_default()));
            let is_present = match &piece {
                Piece::File { text, .. } => was_there.text == *text || was_there.text.contains(super::OWN_FILE),
                piece => piece::take(piece, &mut was_there, machine.program)
                    .map_err(|refusal| Stopped(path.clone(), refusal))?,
            };
            plan.state = if is_present { State::Current } else { State::Missing };
            if work.is_restored {
                if index < count || is_present {
                    parts.push(plan);
                }
                continue;
            }
            if !is_shared
                && work.draft.hunks.is_empty()
                && let Some(unwound) = record.unwind(&real, before.as_deref())
            {
                work.restore(unwound.text, unwound.is_original);
            }
            if !work.is_restored && work.is_there {
                match &piece {
                    Piece::File { .. } if !is_present => {}
                    Piece::File { .. }
                        if !wish.forces && record.is_untouched(&real, &work.draft.text) == Some(false) =>
                    {
                        plan.kept = Some("it was edited since; `--force` removes it".to_owned());
                    }
                    Piece::File { .. } => work.restore(None, true),
                    piece => {
                        for (ours, theirs) in record.put_back(&real, &work.draft.text) {
                            if let Some(at) = work.draft.text.find(&ours) {
                                work.draft.replace(at..at + ours.len(), &theirs);
                            }
                        }
                        piece::take(piece, &mut work.draft, machine.program)
                            .map_err(|refusal| Stopped(path.clone(), refusal))?;
                        let rest = &work.draft.text;
                        if record.was_made(&real) && (rest.trim().is_empty() || json::is_bare(rest)) {
                            work.restore(None, true);
                        }
                    }
                }
            }
            if index < count || is_present {
                parts.push(plan);
            }
        }
        Ok(HostPlan { host: host.host(), parts, refused: None, notes: Vec::new() })
    }

    /// What hosts that stay have in files of their own or of those that go.
    fn still_needed(&self, going: &[Host], scope: Scope) -> Vec<(PathBuf, Part)> {
        let machine = self.machine;
        let paths = |host: &dyn Describe| -> Vec<(PathBuf, Target)> {
            let targets = host.targets(&machine, scope).into_iter();
            targets.map(|target| (machine.disk.real(&target.path), target)).collect()
        };
        let of_going: Vec<PathBuf> =
            going.iter().map(|host| describe(*host)).flat_map(paths).map(|(path, _)| path).collect();
        let staying = Host::ALL.into_iter().filter(|host| !going.contains(host)).map(describe);
        let mut needed = Vec::new();
        for host in staying {
            let targets = paths(host);
            // A host is set up when it would call us by a file that none of those that go would have.
            let calls = |part| matches!(part, Part::Server | Part::Hooks | Part::Plugin);
            let is_own = |path, target: &Target| calls(target.part) && !of_going.contains(path) && self.has(target);
            let is_set_up = targets.iter().any(|(path, target)| is_own(path, target));
            if is_set_up {
                needed.extend(targets.into_iter().map(|(path, target)| (path, target.part)));
            }
        }
        needed
    }

    /// Whether a piece of ours is in its file.
    fn has(&self, target: &Target) -> bool {
        let Some(text) = self.machine.text(&target.path) else { return false };
        match &target.piece {
            Piece::File { text: ours, .. } => text == *ours || text.contains(super::OWN_FILE),
            piece => piece::take(piece, &mut Draft::new(text), self.machine.program).unwrap_or(false),
        }
    }

    fn changes(self) -> Vec<FileChange> {
        self.files.into_iter().filter_map(|(path, work)| work.change(path)).collect()
    }
}

/// The other tool that wrote a file which has the name of ours.
fn owner(path: &Path, text: &str) -> Option<foreign::Tool> {
    if text.contains(super::OWN_FILE) { None } else { foreign::owner(path, text) }
}

fn strip(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

impl FileChange {
    /// What changes, line by line.
    pub fn diff(&self, name: &str) -> String {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let (before, after) = (text(&self.before), text(&self.after));
        let names = |text: &Option<String>| if text.is_some() { name.to_owned() } else { "/dev/null".to_owned() };
        similar::TextDiff::from_lines(&before, &after)
            .unified_diff()
            .header(&names(&self.before), &names(&self.after))
            .to_string()
    }
}

impl Work {
    /// Brings the file to a content of which every byte is known.
    fn restore(&mut self, text: Option<String>, is_original: bool) {
        self.is_there = text.is_some();
        self.is_restored = is_original;
        let text = text.unwrap_or_default();
        let end = self.draft.text.len();
        self.draft.replace(0..end, strip(&text));
    }

    fn change(self, path: PathBuf) -> Option<FileChange> {
        let Work { original, is_there, draft, is_executable, had_ours, is_restored, hosts } = self;
        let has_mark = original.as_deref().is_some_and(|text| text.starts_with(BYTE_ORDER_MARK));
        let mark = if has_mark { BYTE_ORDER_MARK } else { "" };
        let after = is_there.then(|| format!("{mark}{}", draft.text));
        if after == original {
            return None;
        }
        let hunks = draft.hunks.into_iter().map(|hunk| Hunk { at: hunk.at + mark.len(), ..hunk });
        let hunks = if original.is_some() && after.is_some() { hunks.collect() } else { Vec::new() };
        Some(FileChange { path, before: original, after, hunks, is_executable, had_ours, is_restored, hosts })
    }
}
