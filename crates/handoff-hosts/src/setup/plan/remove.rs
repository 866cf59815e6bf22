//! Taking hosts out again: byte for byte where every byte is known, else exactly what is ours.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use handoff_model::agent::Host;

use super::work::{Work, strip};
use super::{HostPlan, PartPlan, Plan, Planner, Stopped, Wish, refused};
use crate::setup::edit::{Draft, Refusal, json};
use crate::setup::piece::{self, State};
use crate::setup::{Describe, Machine, OWN_FILE, Part, Piece, Record, Scope, Target, describe};

/// What hosts that stay need, too.
type Needed = Vec<(PathBuf, Part)>;

/// Plans to take hosts out again. What a host that stays needs, too, stays.
pub fn remove(machine: Machine<'_>, hosts: &[Host], wish: Wish, record: &Record) -> Plan {
    let mut planner = Planner { machine, scope: wish.scope, files: BTreeMap::new() };
    let needed = planner.still_needed(hosts, wish.scope);
    let plans = hosts.iter().map(|host| {
        let before = planner.files.clone();
        planner.remove(describe(*host), wish, record, &needed).unwrap_or_else(|stopped| {
            planner.files = before;
            refused(*host, stopped)
        })
    });
    let mut hosts: Vec<HostPlan> = plans.collect();
    leave_to_others(&mut hosts, machine);
    let done_with = planner.files.keys().filter(|path| !is_needed(&needed, path));
    let done_with = done_with.cloned().collect();
    Plan { hosts, files: planner.changes(), done_with }
}

/// The hosts that are set up.
pub fn set_up(machine: Machine<'_>, scope: Scope, record: &Record) -> Vec<Host> {
    let wish = Wish { scope, ..Wish::default() };
    let planner = Planner { machine, scope, files: BTreeMap::new() };
    // What is in the files of one that would be refused can still be seen.
    let has_some = |host| describe(host).targets(&machine, scope).iter().any(|target| planner.has(target));
    let is_set_up = |plan: &HostPlan| match plan.refused {
        Some(_) => has_some(plan.host),
        None => plan.parts.iter().any(|part| part.state != State::Missing),
    };
    let plans = remove(machine, &Host::ALL, wish, record).hosts;
    plans.iter().filter(|plan| is_set_up(plan)).map(|plan| plan.host).collect()
}

/// Leaves what goes to those it was put there for: a host of which something is missing, and all else is in files of
/// other hosts that go, was not set up.
fn leave_to_others(plans: &mut [HostPlan], machine: Machine<'_>) {
    let is_out = |part: &PartPlan| part.state != State::Missing && part.kept.is_none();
    let mut order: Vec<&mut HostPlan> = plans.iter_mut().collect();
    order.sort_by_key(|plan| plan.parts.iter().filter(|part| part.state == State::Missing).count());
    let mut claimed: BTreeSet<PathBuf> = BTreeSet::new();
    for plan in order {
        let is_whole = plan.parts.iter().all(|part| part.state != State::Missing);
        let files: BTreeSet<PathBuf> =
            plan.parts.iter().filter(|part| is_out(part)).map(|part| machine.disk.real(&part.path)).collect();
        if !is_whole && files.is_subset(&claimed) {
            plan.parts.iter_mut().filter(|part| is_out(part)).for_each(|part| part.state = State::Missing);
        }
        claimed.extend(files);
    }
}

fn is_needed(needed: &Needed, path: &Path) -> bool {
    needed.iter().any(|(other, _)| other == path)
}

impl Planner<'_> {
    fn remove(
        &mut self,
        host: &dyn Describe,
        wish: Wish,
        record: &Record,
        needed: &Needed,
    ) -> Result<HostPlan, Stopped> {
        let machine = self.machine;
        let targets = host.targets(&machine, wish.scope);
        let former = host.former(&machine, wish.scope);
        let is_former = |index| index >= targets.len();
        let mut parts: Vec<PartPlan> = Vec::new();
        for (index, Target { part, path, piece }) in targets.iter().chain(&former).enumerate() {
            let real = machine.disk.real(path);
            let is_same = |done: &PartPlan| done.part == *part && machine.disk.real(&done.path) == real;
            if is_former(index) && parts.iter().any(is_same) {
                continue;
            }
            let mut plan = PartPlan::found(*part, path, State::Current);
            if needed.contains(&(real.clone(), *part)) {
                plan.kept = Some("another agent uses it".to_owned());
            } else {
                let is_shared = is_needed(needed, &real);
                let work = self.open(*part, path, host.host())?;
                let taken = work.take_out(piece, &real, record, machine.program, is_shared, wish.forces);
                match taken.map_err(|refusal| Stopped(path.clone(), refusal))? {
                    Taken::NotThere if is_former(index) => continue,
                    Taken::NotThere => plan.state = State::Missing,
                    Taken::Out => {}
                    Taken::Edited => plan.kept = Some("it was edited since; `--force` removes it".to_owned()),
                }
            }
            parts.push(plan);
        }
        Ok(HostPlan { host: host.host(), parts, refused: None, notes: Vec::new() })
    }

    /// What hosts that stay have in files of their own or of those that go.
    fn still_needed(&self, going: &[Host], scope: Scope) -> Needed {
        let machine = self.machine;
        let paths = |host: &dyn Describe| -> Vec<(PathBuf, Target)> {
            let targets = host.targets(&machine, scope).into_iter();
            targets.map(|target| (machine.disk.real(&target.path), target)).collect()
        };
        let of_going: Vec<PathBuf> =
            going.iter().map(|host| describe(*host)).flat_map(paths).map(|(path, _)| path).collect();
        let mut needed = Vec::new();
        for host in Host::ALL.into_iter().filter(|host| !going.contains(host)).map(describe) {
            let targets = paths(host);
            // A host is set up when it would call us by a file that none of those that go would have.
            let calls = |part| matches!(part, Part::Server | Part::Hooks | Part::Plugin);
            let is_own = |path, target: &Target| calls(target.part) && !of_going.contains(path) && self.has(target);
            if targets.iter().any(|(path, target)| is_own(path, target)) {
                needed.extend(targets.into_iter().map(|(path, target)| (path, target.part)));
            }
        }
        needed
    }
}

/// What became of a piece that was to go.
enum Taken {
    NotThere,
    Out,
    /// It was edited, and stays
    Edited,
}

impl Work {
    fn take_out(
        &mut self,
        piece: &Piece,
        path: &Path,
        record: &Record,
        program: &Path,
        is_shared: bool,
        forces: bool,
    ) -> Result<Taken, Refusal> {
        let Some(original) = self.original.clone() else { return Ok(Taken::NotThere) };
        let taken = if is_ours_in(piece, &original, program)? { Taken::Out } else { Taken::NotThere };
        // The first part of a file brings it back as a whole, if that can be done; the others went with it.
        let is_first = self.draft.hunks.is_empty();
        if is_first
            && !is_shared
            && let Some(unwound) = record.unwind(path, Some(&original))
        {
            self.restore(unwound.text, unwound.is_original);
        }
        if self.is_restored || !self.is_there {
            return Ok(taken);
        }
        if matches!(piece, Piece::File { .. }) {
            let is_edited = record.is_untouched(path, &original) == Some(false);
            return Ok(match taken {
                Taken::Out if is_edited && !forces => Taken::Edited,
                Taken::Out => {
                    self.restore(None, true);
                    Taken::Out
                }
                other => other,
            });
        }
        for (ours, theirs) in record.put_back(path, &self.draft.text) {
            if let Some(at) = self.draft.text.find(&ours) {
                self.draft.replace(at..at + ours.len(), &theirs);
            }
        }
        piece::take(piece, &mut self.draft, program)?;
        let rest = &self.draft.text;
        if record.was_made(path) && (rest.trim().is_empty() || json::is_bare(rest)) {
            self.restore(None, true);
        }
        Ok(taken)
    }
}

/// Whether a text holds a piece of ours.
pub(super) fn is_ours_in(piece: &Piece, text: &str, program: &Path) -> Result<bool, Refusal> {
    match piece {
        Piece::File { text: ours, .. } => Ok(text == ours || text.contains(OWN_FILE)),
        piece => piece::take(piece, &mut Draft::new(strip(text)), program),
    }
}
