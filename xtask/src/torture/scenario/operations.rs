//! The operations that are broken, and the projects they are broken in.

use super::Layout::{self, Damaged, Empty, Private, Shared, SharedWorked, Worked};
use super::Reach::{self, One, Several};

/// One operation: its name, its command line (`@alpha` stands for an id) and what it reaches in which layout.
pub(super) struct Operation {
    pub(super) name: &'static str,
    pub(super) args: &'static [&'static str],
    pub(super) places: &'static [(Layout, Reach)],
    /// A command that takes it back, for operations whose work must stay recoverable.
    pub(super) undo: Option<&'static [&'static str]>,
    /// The change that comes before it, where that is not any.
    pub(super) settle: Option<&'static [&'static str]>,
    /// A change elsewhere, where the usual one may find nothing to change.
    pub(super) other: Option<&'static [&'static str]>,
}

/// An operation on one task, whatever the layout.
const fn one(name: &'static str, args: &'static [&'static str]) -> Operation {
    at(name, args, &[(Private, One), (Shared, One)])
}

const fn at(name: &'static str, args: &'static [&'static str], places: &'static [(Layout, Reach)]) -> Operation {
    Operation { name, args, places, undo: None, settle: None, other: None }
}

/// An operation that changes the file of one session.
const fn session(name: &'static str, args: &'static [&'static str]) -> Operation {
    at(name, args, &[(Worked, One)])
}

/// An operation on sessions that is more than one file.
const fn sessions(name: &'static str, args: &'static [&'static str]) -> Operation {
    at(name, args, &[(Worked, Several)])
}

/// Taking something back, or making it again. Asked for twice it goes on, and leaves nothing to count on.
const fn history(
    name: &'static str,
    args: &'static [&'static str],
    undo: &'static [&'static str],
    settle: Option<&'static [&'static str]>,
) -> Operation {
    let places = &[(Private, Several), (Shared, Several)];
    Operation { name, args, places, undo: Some(undo), settle, other: Some(&["task", "create", "Elsewhere"]) }
}

/// What was done last to the prepared project is to note, to delete a subtree, to delete a leaf, to link, to note and to
/// check.
pub(super) const HISTORY: &[Operation] = &[
    history("undo", &["undo"], &["redo"], None),
    history("undo several", &["undo", "6"], &["redo"], None),
    history("redo", &["redo"], &["undo"], Some(&["undo"])),
    history("redo several", &["redo"], &["undo", "6"], Some(&["undo", "6"])),
    Operation { places: &[(Private, Several)], ..history("undo sharing", &["undo"], &["redo"], Some(&["share"])) },
];

pub(super) const TASKS: &[Operation] = &[
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
    one("log time", &["time", "log", "@alpha-one", "1.5"]),
    one("move under another", &["task", "move", "@alpha-two", "--to", "@beta"]),
    one("move to the root", &["task", "move", "@alpha-two", "--to", "root"]),
    at("reorder", &["task", "reorder", "@gamma", "--first"], &[(Private, Several), (Shared, Several)]),
    Operation { undo: Some(&["task", "restore", "@gamma"]), ..one("delete a leaf", &["task", "delete", "@gamma"]) },
    Operation {
        undo: Some(&["task", "restore", "@alpha"]),
        ..at("delete a subtree", &["task", "delete", "@alpha"], &[(Private, One), (Shared, Several)])
    },
    one("restore a leaf", &["task", "restore", "@delta"]),
    at("restore a subtree", &["task", "restore", "@zeta"], &[(Private, One), (Shared, Several)]),
    Operation {
        undo: Some(&["task", "restore", "@eta"]),
        ..at("pack finished tasks", &["gc", "--older-than", "0"], &[(Private, Several), (Shared, Several)])
    },
    one("set a setting", &["config", "set", "settings.history_limit", "7"]),
    at("doctor mends", &["doctor", "--fix"], &[(Damaged, Several)]),
    at("init", &["init", "sample"], &[(Empty, Several)]),
    at("init shared", &["init", "sample", "--shared"], &[(Empty, Several)]),
    at("share", &["share"], &[(Private, Several)]),
    at("unshare", &["unshare"], &[(Shared, Several)]),
];

/// In a project with sessions: two active ones, so that a save without an id concerns neither; one that is paused;
/// closed ones, the oldest of them in the archive.
pub(super) const SESSIONS: &[Operation] = &[
    session("save a closed record", &["save", "--request", "../requests/record.json"]),
    session("save active", &["save", "--request", "../requests/active.json"]),
    sessions("save with a body", &["save", "--request", "../requests/body.json"]),
    session("save a session that goes on", &["save", "--request", "../requests/goes-on.json"]),
    at(
        "save with tasks",
        &["save", "--request", "../requests/tasks.json"],
        &[(Worked, Several), (SharedWorked, Several)],
    ),
    at(
        "save with moves of tasks",
        &["save", "--request", "../requests/moves.json"],
        &[(Worked, Several), (SharedWorked, Several)],
    ),
    sessions("save, close one and pause another", &["save", "--request", "../requests/others.json"]),
    session(
        "update a session",
        &[
            "session",
            "update",
            "@mine",
            "--decision",
            "Keep tokens for a day",
            "--note",
            "Seen while the power was out.",
            "--next",
            "Measure again",
            "--check",
            "1",
            "--resolved",
            "1",
            "--pointer",
            "src/main.rs:1-9",
        ],
    ),
    session("pause a session", &["session", "pause", "@mine"]),
    session("close a session", &["session", "close", "@mine", "--summary", "Mine is done", "--next", "Ship it"]),
    sessions(
        "close with compaction",
        &["session", "close", "@mine", "--summary", "Mine is done", "--set", "settings.history_limit=2"],
    ),
    at(
        "save and close with tasks and compaction",
        &["save", "--request", "../requests/all.json", "--set", "settings.history_limit=1"],
        &[(Worked, Several), (SharedWorked, Several)],
    ),
    sessions("restore from the archive", &["session", "restore", "@old-two"]),
    sessions("restore with its body", &["session", "restore", "@old-one"]),
    session("reopen a paused session", &["session", "reopen", "@waiting"]),
    session("reopen a closed session", &["session", "reopen", "@third"]),
    session("reopen an archived session", &["session", "reopen", "@old-one"]),
    sessions("store a package", &["store", "--request", "../requests/store.json"]),
    session("start a session", &["session", "start", "Something else", "--task", "@gamma", "--tag", "new"]),
];
