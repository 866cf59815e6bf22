//! The prepared projects and the operations that are broken in them.

mod operations;
mod projects;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::rig::{Finished, Invocation, Sandbox, Seen, finish, scratch};
use operations::Operation;
use projects::{Ids, build};

/// How much of the disk an operation touches, which decides how many syncs it may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// One record: the promise of at most three syncs holds.
    One,
    /// Several records, journalled.
    Several,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Layout {
    /// No project yet.
    Empty,
    /// Nested directories that show number and status.
    Private,
    /// Flat directories with fixed names.
    Shared,
    /// Private, with sessions in every state.
    Worked,
    /// Shared, with sessions in every state.
    SharedWorked,
    /// Private, with something for the doctor to mend.
    Damaged,
}

impl Layout {
    fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Private => "private",
            Self::Shared => "shared",
            Self::Worked => "private, sessions",
            Self::SharedWorked => "shared, sessions",
            Self::Damaged => "damaged",
        }
    }
}

/// An operation in a layout, with the states before it, after it and after doing it twice.
#[derive(Debug)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    pub(crate) reach: Reach,
    pub(crate) args: Vec<String>,
    /// A command that takes it back.
    pub(crate) undo: Option<Vec<String>>,
    /// A change elsewhere, used to see that work goes on.
    pub(crate) other: Vec<String>,
    /// What `handoff undo` must lead to when the operation was not done: the project before the last change to it.
    /// `None` for operations that are about taking back themselves, and where there is no project yet.
    pub(crate) unsettled: Option<Seen>,
    pub(crate) before: Seen,
    pub(crate) after: Seen,
    /// State and exit code when it is asked for a second time.
    pub(crate) again: (Seen, Option<i32>),
    prepared: Sandbox,
    settle: Vec<String>,
    binary: PathBuf,
}

impl Scenario {
    pub(crate) fn invocation(&self) -> Invocation {
        self.args.as_slice().into()
    }

    /// A fresh copy of the prepared project, ready for its next change.
    pub(crate) fn fresh(&self, place: &Path) -> Result<Sandbox, String> {
        settled(&self.binary, &self.prepared, &self.settle, place)
    }
}

/// A copy that has seen one change at its new place. A project that was moved is registered anew by the first change,
/// which is not what the operation under test should be charged with.
fn settled(binary: &Path, prepared: &Sandbox, settle: &[String], place: &Path) -> Result<Sandbox, String> {
    let sandbox = prepared.copy_to(place).map_err(|error| format!("cannot copy the project: {error}"))?;
    if !settle.is_empty() {
        must(&sandbox, binary, settle)?;
    }
    Ok(sandbox)
}

/// Prepares every operation in every layout it has, each proven to work unharmed; only those whose name contains `wanted`,
/// if that is given. `keep` owns the files.
pub(crate) fn prepare(binary: &Path, keep: &Path, wanted: Option<&str>) -> Result<Vec<Scenario>, String> {
    use Layout::{Damaged, Empty, Private, Shared, SharedWorked, Worked};
    let mut projects = BTreeMap::new();
    for layout in [Empty, Private, Shared, Worked, SharedWorked, Damaged] {
        projects.insert(layout, build(binary, layout, &keep.join(layout.name()))?);
    }
    let mut scenarios = Vec::new();
    for operation in operations::TASKS.iter().chain(operations::SESSIONS).chain(operations::HISTORY) {
        for (layout, reach) in operation.places {
            let name = name_of(operation, *layout);
            if wanted.is_some_and(|wanted| !name.contains(wanted)) {
                continue;
            }
            let (prepared, ids) = &projects[layout];
            scenarios.push(prove(binary, operation, *layout, *reach, prepared, ids)?);
        }
    }
    Ok(scenarios)
}

fn name_of(operation: &Operation, layout: Layout) -> String {
    format!("{} ({})", operation.name, layout.name())
}

/// Projects with sessions in every state, private and shared, by what they are called.
pub(crate) fn worked(binary: &Path, keep: &Path) -> Result<Vec<(&'static str, Sandbox)>, String> {
    let build = |layout: Layout| Ok((layout.name(), build(binary, layout, &keep.join(layout.name()))?.0));
    [Layout::Worked, Layout::SharedWorked].into_iter().map(build).collect()
}

/// Runs the operation unharmed, twice, and keeps what is seen.
fn prove(
    binary: &Path,
    operation: &Operation,
    layout: Layout,
    reach: Reach,
    prepared: &Sandbox,
    ids: &Ids,
) -> Result<Scenario, String> {
    let name = name_of(operation, layout);
    let explain = |error: String| format!("{name}: {error}");
    let args = fill(operation.args, ids);
    let place = scratch().map_err(|error| error.to_string())?;
    let settle = match layout {
        Layout::Empty => Vec::new(),
        _ => fill(operation.settle.unwrap_or(&["task", "note", "@beta-one", "Settled."]), ids),
    };
    let is_about_history = matches!(operation.args, ["undo" | "redo", ..]);
    let is_plain = layout != Layout::Empty && operation.settle.is_none();
    let unsettled = is_plain.then(|| Seen::look(prepared, binary)).transpose().map_err(explain)?;
    let sandbox = settled(binary, prepared, &settle, &place.path().join("unharmed"))?;
    let before = Seen::look(&sandbox, binary).map_err(explain)?;
    let done = sandbox.run(binary, &args).map_err(|error| error.to_string())?;
    if !done.succeeded() {
        return Err(format!("{name} fails without any fault: {}", done.brief()));
    }
    let after = Seen::look(&sandbox, binary).map_err(explain)?;
    let twice = sandbox.run(binary, &args).map_err(|error| error.to_string())?;
    let again = (Seen::look(&sandbox, binary).map_err(explain)?, twice.code);
    let other = match layout {
        Layout::Empty => &["task", "create", "Elsewhere"][..],
        _ => operation.other.unwrap_or(&["task", "note", "@beta-one", "Work goes on."]),
    };
    Ok(Scenario {
        name,
        reach,
        args,
        undo: operation.undo.map(|undo| fill(undo, ids)),
        other: fill(other, ids),
        unsettled: unsettled.filter(|_| !is_about_history),
        before,
        after,
        again,
        prepared: prepared.clone(),
        settle,
        binary: binary.to_path_buf(),
    })
}

/// Puts ids where a command line says `@name`.
fn fill(args: &[&str], ids: &Ids) -> Vec<String> {
    args.iter().map(|arg| arg.strip_prefix('@').map_or_else(|| (*arg).to_owned(), |name| ids[name].clone())).collect()
}

fn must<S: AsRef<str>>(sandbox: &Sandbox, binary: &Path, args: &[S]) -> Result<Finished, String> {
    let args: Vec<&str> = args.iter().map(AsRef::as_ref).collect();
    checked(sandbox.run(binary, &args), binary, &args)
}

/// The same, at a time that is given.
fn must_at<S: AsRef<str>>(sandbox: &Sandbox, binary: &Path, args: &[S], clock: &str) -> Result<Finished, String> {
    let args: Vec<&str> = args.iter().map(AsRef::as_ref).collect();
    let mut command = sandbox.command(binary);
    command.args(&args).env("HANDOFF_CLOCK", clock);
    checked(finish(command), binary, &args)
}

fn checked(done: std::io::Result<Finished>, binary: &Path, args: &[&str]) -> Result<Finished, String> {
    let done = done.map_err(|error| format!("cannot start {}: {error}", binary.display()))?;
    if done.succeeded() { Ok(done) } else { Err(format!("preparing: `handoff {}`: {}", args.join(" "), done.brief())) }
}

/// Two sessions that go on and that nobody touches: beside them a save without an id is a record of its own, and they
/// must be found at the end as they were. Older sessions than three go to the archive, so that many do.
pub(crate) fn bystanders(sandbox: &Sandbox, binary: &Path) -> Result<(), String> {
    must(sandbox, binary, &["config", "set", "settings.history_limit", "3"])?;
    for summary in ["Of one bystander", "Of another bystander"] {
        must(sandbox, binary, &["session", "start", summary])?;
    }
    Ok(())
}

/// Where the copies for one scenario go, distinct for every point.
pub(crate) fn spot(keep: &Path, number: usize) -> PathBuf {
    keep.join(format!("point-{number}"))
}
