//! What has to be changed in which file, for all hosts together, before anything is written.

mod remove;
mod work;

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use handoff_model::agent::Host;

use super::edit::{Hunk, Refusal};
use super::piece::{self, Leave, State};
use super::record::Record;
use super::{Describe, Machine, Part, Piece, Scope, Target, describe};
use work::Work;

pub use remove::{remove, set_up};

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
#[derive(Clone, Debug)]
pub struct HostPlan {
    pub host: Host,
    pub parts: Vec<PartPlan>,
    /// The file because of which nothing is done for it, and why
    pub refused: Option<(PathBuf, Refusal)>,
    /// What to know once it is done
    pub notes: Vec<String>,
}

/// What would be done about one target.
#[derive(Clone, Debug)]
pub struct PartPlan {
    pub part: Part,
    /// As the host names it, not where a link leads
    pub path: PathBuf,
    /// How it was found
    pub state: State,
    /// What other tools have there
    pub foreign: Vec<String>,
    /// Why it stays although it was to go
    pub kept: Option<String>,
    /// What is outdated about it
    pub why: Option<String>,
}

impl PartPlan {
    fn found(part: Part, path: &Path, state: State) -> PartPlan {
        PartPlan { part, path: path.to_owned(), state, foreign: Vec::new(), kept: None, why: None }
    }
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
    /// For whom
    pub hosts: Vec<Host>,
}

/// Why a host is not set up: the file and the reason.
struct Stopped(PathBuf, Refusal);

struct Planner<'a> {
    machine: Machine<'a>,
    scope: Scope,
    files: BTreeMap<PathBuf, Work>,
}

/// Plans to set hosts up. A host whose files cannot all be changed is left out as a whole.
pub fn install(machine: Machine<'_>, hosts: &[Host], wish: Wish, record: &Record) -> Plan {
    let mut planner = Planner { machine, scope: wish.scope, files: BTreeMap::new() };
    let plans = hosts.iter().map(|host| describe(*host)).map(|host| {
        let before = planner.files.clone();
        match planner.install(host, wish, record) {
            Ok(plan) => plan,
            Err(stopped) => {
                planner.files = before;
                refused(host.host(), stopped)
            }
        }
    });
    let hosts = plans.collect();
    Plan { hosts, files: planner.changes(), done_with: Vec::new() }
}

/// Plans to put in one more thing for a host, into a file of the user's.
pub fn add(machine: Machine<'_>, host: Host, target: Target) -> Result<Plan, String> {
    let mut planner = Planner { machine, scope: Scope::User, files: BTreeMap::new() };
    let leave = Leave { program: machine.program, replaces: false, forces: false };
    let path = target.path.clone();
    let added = planner.open(target.part, &path, host).and_then(|work| {
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

fn refused(host: Host, Stopped(path, refusal): Stopped) -> HostPlan {
    HostPlan { host, parts: Vec::new(), refused: Some((path, refusal)), notes: Vec::new() }
}

impl Planner<'_> {
    fn open(&mut self, part: Part, path: &Path, host: Host) -> Result<&mut Work, Stopped> {
        let real = self.machine.disk.real(path);
        if self.leads_out(part, &real) {
            return Err(Stopped(path.to_owned(), Refusal::LeadsOut(real)));
        }
        if !self.files.contains_key(&real) {
            let unreadable = |why: String| Stopped(path.to_owned(), Refusal::Unreadable(why));
            let bytes = self.machine.disk.read(path).map_err(|error| unreadable(error.to_string()))?;
            let original = match bytes.map(String::from_utf8).transpose() {
                Ok(text) => text,
                Err(error) => {
                    return Err(unreadable(format!("not UTF-8 from byte {} on", error.utf8_error().valid_up_to())));
                }
            };
            self.files.insert(real.clone(), Work::on(original));
        }
        let work = self.files.get_mut(&real).expect("it was just put there");
        if !work.hosts.contains(&host) {
            work.hosts.push(host);
        }
        Ok(work)
    }

    /// Whether a file of a project lies elsewhere. Whoever made the project made its links; nothing is read or written
    /// through one that leads out.
    fn leads_out(&self, part: Part, real: &Path) -> bool {
        // What is trusted is noted among the settings of the user.
        if self.scope == Scope::User || part == Part::Trust {
            return false;
        }
        let inside = real.strip_prefix(self.machine.disk.real(self.machine.project));
        let is_own = |name: Component<'_>| name != Component::ParentDir && name.as_os_str() != ".git";
        !inside.is_ok_and(|inside| inside.components().all(is_own))
    }

    fn install(&mut self, host: &dyn Describe, wish: Wish, record: &Record) -> Result<HostPlan, Stopped> {
        let machine = self.machine;
        let leave = Leave { program: machine.program, replaces: wish.replaces, forces: wish.forces };
        let mut parts = Vec::new();
        for Target { part, path, piece } in host.targets(&machine, wish.scope) {
            let real = machine.disk.real(&path);
            let work = self.open(part, &path, host.host())?;
            let put = match &piece {
                Piece::File { text, is_executable } => {
                    work.is_executable = *is_executable;
                    work.put_file(text, &path, record.is_untouched(&real, &work.draft.text), wish)
                }
                piece => {
                    work.is_there = true;
                    piece::put(piece, &mut work.draft, leave).map(|found| (found, None))
                }
            };
            let (found, kept) = put.map_err(|refusal| Stopped(path.clone(), refusal))?;
            work.had_ours |= matches!(found.state, State::Current | State::Outdated);
            let why = found.starts.map(|program| {
                let path = Path::new(&program);
                let is_gone = path.is_absolute() && !machine.disk.is_file(path);
                format!("it starts {program}{}", if is_gone { ", which is not there any more" } else { "" })
            });
            parts.push(PartPlan { part, path, state: found.state, foreign: found.foreign, kept, why });
        }
        let notes = host.notes(&machine, wish.scope);
        Ok(HostPlan { host: host.host(), parts, refused: None, notes })
    }

    /// Whether a piece of ours is in its file.
    fn has(&self, target: &Target) -> bool {
        if self.leads_out(target.part, &self.machine.disk.real(&target.path)) {
            return false;
        }
        let Some(text) = self.machine.text(&target.path) else { return false };
        remove::is_ours_in(&target.piece, &text, self.machine.program).unwrap_or(false)
    }

    fn changes(self) -> Vec<FileChange> {
        self.files.into_iter().filter_map(|(path, work)| work.change(path)).collect()
    }
}
