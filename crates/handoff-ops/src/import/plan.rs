//! What an import would do, record by record, without doing it.

use std::collections::{HashMap, HashSet};
use std::iter::successors;
use std::sync::Arc;

use handoff_bundle::{CarriedSession, CarriedTask, Content};
use handoff_import::Taken;
use handoff_model::id::TaskId;
use handoff_model::session::{Session, SessionKind};
use handoff_model::task::Task;
use handoff_model::{MAX_BODY_BYTES, MAX_DEPTH, MAX_FILE_BYTES};
use handoff_store::{Forest, Found, FoundSession, Store};

use super::OnConflict;
use super::memories::{self, PlannedMemory};
use super::report::{Counts, PlannedRecord, Step};
use crate::{OpError, Project};

/// What becomes of each record.
pub(crate) struct Plan {
    pub(crate) sessions: Vec<PlannedSession>,
    pub(crate) tasks: Vec<PlannedTask>,
    pub(crate) memories: Vec<PlannedMemory>,
    /// What the reader should know
    pub(crate) warnings: Vec<String>,
    /// What cannot be taken, and why
    pub(crate) left_out: Vec<String>,
}

pub(crate) struct PlannedSession {
    /// Its place in the content
    pub(crate) place: usize,
    pub(crate) record: PlannedRecord,
    pub(crate) present: Option<Arc<FoundSession>>,
}

pub(crate) struct PlannedTask {
    pub(crate) place: usize,
    /// What a new one is put under
    pub(crate) parent: Option<TaskId>,
    pub(crate) record: PlannedRecord,
    pub(crate) present: Option<Found>,
}

/// A record dated further ahead of the clock than this is not taken.
const LEEWAY_SECONDS: i64 = 24 * 60 * 60;

impl Plan {
    /// Compares what comes in with what is here.
    pub(crate) fn of(project: &Project, taken: &Taken, on_conflict: OnConflict) -> Result<Plan, OpError> {
        let content: &Content = &taken.content;
        let (warnings, left_out) = (Vec::new(), Vec::new());
        let mut plan = Plan { sessions: Vec::new(), tasks: Vec::new(), memories: Vec::new(), warnings, left_out };
        let store = project.store_if_open();
        plan.add_sessions(project, store, &content.sessions, on_conflict)?;
        plan.add_tasks(store, &content.tasks, on_conflict)?;
        plan.memories = memories::plan(store, &taken.memories, on_conflict)?;
        Ok(plan)
    }

    fn add_sessions(
        &mut self,
        project: &Project,
        store: Option<&Store>,
        sessions: &[CarriedSession],
        on_conflict: OnConflict,
    ) -> Result<(), OpError> {
        let mut present: HashMap<String, Arc<FoundSession>> = HashMap::new();
        if let Some(store) = store.filter(|_| !sessions.is_empty()) {
            for found in store.archived_sessions()?.list.into_iter().chain(store.sessions()?.list) {
                present.insert(found.session.id.as_str().to_owned(), found);
            }
        }
        let now = project.now().timestamp().as_second();
        let mut seen = HashSet::new();
        for (place, carried) in sessions.iter().enumerate() {
            let body_size = carried.body.as_ref().map_or(0, String::len);
            if let Some(reason) =
                excess("file", carried.text.len(), MAX_FILE_BYTES).or_else(|| excess("text", body_size, MAX_BODY_BYTES))
            {
                self.left_out.push(format!("session `{}`: {reason}", carried.name));
                continue;
            }
            let session = match Session::read(&carried.text) {
                Ok(session) => session,
                Err(error) => {
                    self.left_out.push(format!("session `{}`: {}", carried.name, error.reason));
                    continue;
                }
            };
            if !seen.insert(session.id.clone()) {
                self.left_out.push(format!("session `{}`: its id stands twice", carried.name));
                continue;
            }
            let latest = session.started_at.max(session.ended_at);
            if let Some(at) = latest.filter(|at| at.timestamp().as_second().saturating_sub(now) > LEEWAY_SECONDS) {
                // It would be the latest for ever.
                self.left_out.push(format!("session `{}`: it is dated {at}, in the future", carried.name));
                continue;
            }
            let found = present.get(session.id.as_str()).cloned();
            if found.is_none() && !session.can_be_called(&carried.name) {
                let name = session.full_name();
                self.warnings.push(format!("session `{}` is called `{name}` here, as its text says", carried.name));
            }
            let step = match (&found, store) {
                (Some(found), Some(store)) if !is_same_session(store, found, &session, carried, on_conflict)? => {
                    differs(on_conflict)
                }
                (Some(_), _) => Step::Same,
                (None, _) => Step::New,
            };
            if matches!(step, Step::Replaced | Step::Merged)
                && let Some(reason) = excess("text", body_size, MAX_FILE_BYTES)
            {
                // It would be a change that is too large for the log, which could not be taken back.
                self.left_out.push(format!("session `{}`: {reason} where the session is here already", carried.name));
                continue;
            }
            let kind = match session.kind {
                SessionKind::Session => "session",
                SessionKind::Record => "record",
                SessionKind::Package => "package",
                SessionKind::Ledger => "ledger",
            };
            let record = PlannedRecord {
                kind: kind.to_owned(),
                id: session.id.to_string(),
                title: session.headline(80),
                step,
                was: session.origin.map(|origin| origin.id),
            };
            self.sessions.push(PlannedSession { place, record, present: found });
        }
        Ok(())
    }

    fn add_tasks(
        &mut self,
        store: Option<&Store>,
        tasks: &[CarriedTask],
        on_conflict: OnConflict,
    ) -> Result<(), OpError> {
        let store = store.filter(|_| !tasks.is_empty());
        let forest = store.map(Store::whole_forest).transpose()?;
        let archived = store.map(Store::archived_tasks).transpose()?;
        let mut seen: HashSet<TaskId> = HashSet::new();
        for (place, carried) in tasks.iter().enumerate() {
            if let Some(reason) = excess("file", carried.text.len(), MAX_FILE_BYTES) {
                self.left_out.push(format!("task `{}`: {reason}", carried.id));
                continue;
            }
            let task = match Task::read(&carried.text) {
                Ok((task, _)) if task.id == carried.id => task,
                Ok(_) => {
                    self.left_out.push(format!("task `{}`: its text is that of another", carried.id));
                    continue;
                }
                Err(error) => {
                    self.left_out.push(format!("task `{}`: {}", carried.id, error.reason));
                    continue;
                }
            };
            if !seen.insert(task.id) {
                self.left_out.push(format!("task `{}`: its id stands twice", carried.id));
                continue;
            }
            let is_here = forest.as_ref().is_some_and(|forest| forest.get(task.id).is_some());
            let found = match store.filter(|_| is_here) {
                Some(store) => Some(store.find(&task.id.into())?),
                None => None,
            };
            let packed = archived.as_ref().and_then(|archived| archived.found(archived.forest.get(task.id)?));
            let step = match (&found, &packed) {
                (Some(found), _) | (None, Some(found)) if is_same_task(found, &task, &carried.text, on_conflict) => {
                    Step::Same
                }
                (Some(_), _) => differs(on_conflict),
                (None, Some(_)) if on_conflict == OnConflict::Fail => Step::Conflict,
                (None, Some(_)) => {
                    self.warnings.push(format!("task `{}` is in the archive here, and stays as it is there", task.id));
                    Step::Skipped
                }
                (None, None) => Step::New,
            };
            let record = PlannedRecord {
                kind: "task".to_owned(),
                id: task.id.to_string(),
                title: task.title,
                step,
                was: task.origin.map(|origin| origin.id),
            };
            self.tasks.push(PlannedTask { place, parent: carried.parent, record, present: found });
        }
        self.put_in_place(tasks, forest.as_deref());
        Ok(())
    }

    /// Settles what the new tasks are put under. One that lies under itself, or under what is not there, comes to the
    /// top; what would lie too deep is left out.
    fn put_in_place(&mut self, tasks: &[CarriedTask], forest: Option<&Forest>) {
        let is_new = |planned: &PlannedTask| planned.record.step == Step::New;
        let new = self.tasks.iter().enumerate().filter(|(_, planned)| is_new(planned));
        let new: HashMap<TaskId, usize> = new.map(|(index, planned)| (tasks[planned.place].id, index)).collect();
        let depth_here = |id: TaskId| forest?.get(id).map(|node| node.number.ordinals().len());
        for index in 0..self.tasks.len() {
            let id = tasks[self.tasks[index].place].id;
            let Some(parent) = self.tasks[index].parent.filter(|_| is_new(&self.tasks[index])) else { continue };
            let above = |id: &TaskId| new.get(id).and_then(|index| self.tasks[*index].parent);
            let wrong = if !new.contains_key(&parent) && depth_here(parent).is_none() {
                "the task it lay under is not here"
            } else if successors(Some(parent), above).take(MAX_DEPTH + 1).any(|above| above == id) {
                "it lay under itself"
            } else {
                continue;
            };
            self.warnings.push(format!("task `{id}` stands at the top: {wrong}"));
            self.tasks[index].parent = None;
        }
        let above = |id: &TaskId| new.get(id).and_then(|index| self.tasks[*index].parent);
        let depth = |planned: &PlannedTask| -> usize {
            let chain = successors(Some(tasks[planned.place].id), above).take(MAX_DEPTH + 1);
            chain.map(|id| if new.contains_key(&id) { 1 } else { depth_here(id).unwrap_or(0) }).sum()
        };
        let is_too_deep: Vec<bool> =
            self.tasks.iter().map(|planned| is_new(planned) && depth(planned) > MAX_DEPTH).collect();
        let mut flags = is_too_deep.into_iter();
        let left_out = &mut self.left_out;
        self.tasks.retain(|planned| {
            let goes = flags.next().unwrap_or(false);
            if goes {
                let id = tasks[planned.place].id;
                left_out.push(format!("task `{id}`: it would lie more than {MAX_DEPTH} levels deep"));
            }
            !goes
        });
    }

    pub(crate) fn records(&self) -> impl Iterator<Item = &PlannedRecord> {
        let sessions = self.sessions.iter().map(|planned| &planned.record);
        let tasks = self.tasks.iter().map(|planned| &planned.record);
        sessions.chain(tasks).chain(self.memories.iter().map(|planned| &planned.record))
    }

    pub(crate) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for record in self.records() {
            *match record.step {
                Step::New => &mut counts.new,
                Step::Same => &mut counts.same,
                Step::Replaced => &mut counts.replaced,
                Step::Merged => &mut counts.merged,
                Step::Skipped => &mut counts.skipped,
                Step::Conflict => &mut counts.conflicts,
            } += 1;
        }
        counts
    }

    /// The records that stand against an import, one line each.
    pub(super) fn conflicts(&self) -> impl Iterator<Item = String> {
        let conflicts = self.records().filter(|record| record.step == Step::Conflict);
        conflicts.map(|record| format!("{} `{}`: {}", record.kind, record.id, record.title))
    }
}

/// Why a record of this size cannot be stored, if it cannot.
fn excess(what: &str, size: usize, limit: usize) -> Option<String> {
    (size > limit).then(|| format!("its {what} has {size} bytes; at most {limit} are allowed"))
}

pub(super) fn differs(on_conflict: OnConflict) -> Step {
    match on_conflict {
        OnConflict::Fail => Step::Conflict,
        OnConflict::Skip => Step::Skipped,
        OnConflict::Replace => Step::Replaced,
        OnConflict::Merge => Step::Merged,
    }
}

/// Whether a session that is here says what the one that comes in does. One that was taken from the same record of
/// another system is the same, whatever was changed about it here since, unless that is to be replaced.
fn is_same_session(
    store: &Store,
    found: &FoundSession,
    session: &Session,
    carried: &CarriedSession,
    on_conflict: OnConflict,
) -> Result<bool, OpError> {
    if on_conflict != OnConflict::Replace
        && let (Some(here), Some(there)) = (&found.session.origin, &session.origin)
        && here.is_same_as(there)
    {
        return Ok(true);
    }
    Ok(say_the_same(found.text(), &carried.text) && store.session_body(found)? == carried.body)
}

fn is_same_task(found: &Found, task: &Task, text: &str, on_conflict: OnConflict) -> bool {
    if on_conflict != OnConflict::Replace
        && let (Some(here), Some(there)) = (&found.task.origin, &task.origin)
        && here.is_same_as(there)
    {
        return true;
    }
    say_the_same(found.text(), text)
}

/// Whether two files say the same, however they are written. Where a task stands is not part of what it says.
fn say_the_same(one: &str, other: &str) -> bool {
    let values = |text: &str| {
        let mut table: toml::Table = toml::from_str(text).ok()?;
        for place in ["parent", "number"] {
            table.remove(place);
        }
        Some(table)
    };
    one == other || values(one).is_some_and(|values_of_one| Some(values_of_one) == values(other))
}
