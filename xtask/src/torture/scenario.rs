//! The prepared projects and the operations that are broken in them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::rig::{Finished, Sandbox, Seen, scratch};

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
}

impl Layout {
    fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Private => "private",
            Self::Shared => "shared",
        }
    }
}

/// One operation: its name, its command line (`@alpha` stands for an id) and what it reaches in either layout.
struct Operation {
    name: &'static str,
    args: &'static [&'static str],
    private: Option<Reach>,
    shared: Option<Reach>,
    empty: Option<Reach>,
    /// A command that takes it back, for operations whose work must stay recoverable.
    undo: Option<&'static [&'static str]>,
}

const fn one(name: &'static str, args: &'static [&'static str]) -> Operation {
    Operation { name, args, private: Some(Reach::One), shared: Some(Reach::One), empty: None, undo: None }
}

const fn only(name: &'static str, args: &'static [&'static str], layout: Layout) -> Operation {
    let (private, shared, empty) = match layout {
        Layout::Private => (Some(Reach::Several), None, None),
        Layout::Shared => (None, Some(Reach::Several), None),
        Layout::Empty => (None, None, Some(Reach::Several)),
    };
    Operation { name, args, private, shared, empty, undo: None }
}

const OPERATIONS: &[Operation] = &[
    one("create root", &["task", "create", "Epsilon", "--priority", "high", "--label", "new", "--criterion", "works"]),
    one("create child", &["task", "create", "Alpha three", "--parent", "@alpha", "--description", "Third of three."]),
    one("create deep child", &["task", "create", "Deeper", "--parent", "@deep"]),
    one(
        "update fields",
        &["task", "update", "@alpha-one", "--priority", "high", "--assignee", "alice", "--due", "2031-02-03"],
    ),
    one("change title", &["task", "update", "@alpha", "--title", "Alpha renamed"]),
    one("change status of a parent", &["task", "update", "@alpha", "--status", "in_progress"]),
    one("change status of a leaf", &["task", "update", "@gamma", "--status", "blocked"]),
    one("append a note", &["task", "note", "@alpha-one", "Seen while the power was out."]),
    one("check a criterion", &["task", "check", "@alpha-one", "1"]),
    one("uncheck a criterion", &["task", "uncheck", "@alpha-one", "2"]),
    one("link", &["task", "link", "@gamma", "--type", "issue", "https://example.com/issues/7"]),
    Operation {
        shared: Some(Reach::One),
        ..one("move under another", &["task", "move", "@alpha-two", "--to", "@beta"])
    },
    one("move to the root", &["task", "move", "@alpha-two", "--to", "root"]),
    Operation {
        private: Some(Reach::Several),
        shared: Some(Reach::Several),
        ..one("reorder", &["task", "reorder", "@gamma", "--first"])
    },
    Operation { undo: Some(&["task", "restore", "@gamma"]), ..one("delete a leaf", &["task", "delete", "@gamma"]) },
    Operation {
        shared: Some(Reach::Several),
        undo: Some(&["task", "restore", "@alpha"]),
        ..one("delete a subtree", &["task", "delete", "@alpha"])
    },
    one("restore a leaf", &["task", "restore", "@delta"]),
    Operation { shared: Some(Reach::Several), ..one("restore a subtree", &["task", "restore", "@zeta"]) },
    one("set a setting", &["config", "set", "settings.history_limit", "7"]),
    only("init", &["init", "sample"], Layout::Empty),
    only("init shared", &["init", "sample", "--shared"], Layout::Empty),
    only("share", &["share"], Layout::Private),
    only("unshare", &["unshare"], Layout::Shared),
];

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
    pub(crate) before: Seen,
    pub(crate) after: Seen,
    /// State and exit code when it is asked for a second time.
    pub(crate) again: (Seen, Option<i32>),
    prepared: Sandbox,
    settle: Vec<String>,
    binary: PathBuf,
}

impl Scenario {
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

/// Prepares every operation in every layout it has, each proven to work unharmed. `keep` owns the files.
pub(crate) fn prepare(binary: &Path, keep: &Path) -> Result<Vec<Scenario>, String> {
    let mut projects = BTreeMap::new();
    for layout in [Layout::Empty, Layout::Private, Layout::Shared] {
        projects.insert(layout, build(binary, layout, &keep.join(layout.name()))?);
    }
    let mut scenarios = Vec::new();
    for operation in OPERATIONS {
        let reaches = [
            (Layout::Empty, operation.empty),
            (Layout::Private, operation.private),
            (Layout::Shared, operation.shared),
        ];
        for (layout, reach) in reaches {
            if let Some(reach) = reach {
                let (prepared, ids) = &projects[&layout];
                scenarios.push(prove(binary, operation, layout, reach, prepared, ids)?);
            }
        }
    }
    Ok(scenarios)
}

/// Runs the operation unharmed, twice, and keeps what is seen.
fn prove(
    binary: &Path,
    operation: &Operation,
    layout: Layout,
    reach: Reach,
    prepared: &Sandbox,
    ids: &BTreeMap<String, String>,
) -> Result<Scenario, String> {
    let name = format!("{} ({})", operation.name, layout.name());
    let explain = |error: String| format!("{name}: {error}");
    let args = fill(operation.args, ids);
    let place = scratch().map_err(|error| error.to_string())?;
    let settle = match layout {
        Layout::Empty => Vec::new(),
        Layout::Private | Layout::Shared => fill(&["task", "note", "@beta-one", "Settled."], ids),
    };
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
        Layout::Empty => vec!["task", "create", "Elsewhere"],
        Layout::Private | Layout::Shared => vec!["task", "note", "@beta-one", "Work goes on."],
    };
    Ok(Scenario {
        name,
        reach,
        args,
        undo: operation.undo.map(|undo| fill(undo, ids)),
        other: fill(&other, ids),
        before,
        after,
        again,
        prepared: prepared.clone(),
        settle,
        binary: binary.to_path_buf(),
    })
}

/// Puts ids where a command line says `@name`.
fn fill(args: &[&str], ids: &BTreeMap<String, String>) -> Vec<String> {
    args.iter().map(|arg| arg.strip_prefix('@').map_or_else(|| (*arg).to_owned(), |name| ids[name].clone())).collect()
}

/// A project that has something of everything: depth, criteria, notes, links, a finished task and two in the trash.
fn build(binary: &Path, layout: Layout, place: &Path) -> Result<(Sandbox, BTreeMap<String, String>), String> {
    let sandbox = Sandbox::create(place).map_err(|error| error.to_string())?;
    let mut ids = BTreeMap::new();
    match layout {
        Layout::Empty => return Ok((sandbox, ids)),
        Layout::Private => must(&sandbox, binary, &["init", "sample"])?,
        Layout::Shared => must(&sandbox, binary, &["init", "sample", "--shared"])?,
    };
    let tasks: &[(&str, &[&str])] = &[
        ("alpha", &["Alpha", "--priority", "high", "--label", "first"]),
        ("alpha-one", &["Alpha one", "--parent", "@alpha", "--criterion", "builds", "--criterion", "runs"]),
        ("alpha-two", &["Alpha two", "--parent", "@alpha", "--status", "review"]),
        ("deep", &["Deep", "--parent", "@alpha-two", "--description", "Two lines\nof text."]),
        ("beta", &["Beta", "--status", "in_progress"]),
        ("beta-one", &["Beta one", "--parent", "@beta", "--status", "done"]),
        ("gamma", &["Gamma", "--priority", "low"]),
        ("delta", &["Delta"]),
        ("zeta", &["Zeta"]),
        ("zeta-one", &["Zeta one", "--parent", "@zeta"]),
    ];
    for (name, args) in tasks {
        let args = [&["task", "create"], *args, &["--json"]].concat();
        let made = must(&sandbox, binary, &fill(&args, &ids))?.json()?;
        let id = made["id"].as_str().ok_or_else(|| format!("`task create` names no id: {made}"))?;
        ids.insert((*name).to_owned(), id.to_owned());
    }
    let rest: &[&[&str]] = &[
        &["task", "check", "@alpha-one", "2"],
        &["task", "note", "@alpha-one", "An older note."],
        &["task", "link", "@gamma", "--type", "doc", "https://example.com/guide"],
        &["task", "delete", "@delta"],
        &["task", "delete", "@zeta"],
    ];
    for args in rest {
        must(&sandbox, binary, &fill(args, &ids))?;
    }
    Ok((sandbox, ids))
}

fn must<S: AsRef<str>>(sandbox: &Sandbox, binary: &Path, args: &[S]) -> Result<Finished, String> {
    let args: Vec<&str> = args.iter().map(AsRef::as_ref).collect();
    let done = sandbox.run(binary, &args).map_err(|error| format!("cannot start {}: {error}", binary.display()))?;
    if done.succeeded() { Ok(done) } else { Err(format!("preparing: `handoff {}`: {}", args.join(" "), done.brief())) }
}

/// Where the copies for one scenario go, distinct for every point.
pub(crate) fn spot(keep: &Path, number: usize) -> PathBuf {
    keep.join(format!("point-{number}"))
}
