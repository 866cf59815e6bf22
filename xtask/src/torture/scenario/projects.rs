//! The projects that operations are broken in.

use std::collections::BTreeMap;
use std::path::Path;

use crate::rig::Sandbox;

use super::{Layout, fill, must, must_at};

/// What stands for an id in command lines and requests.
pub(super) type Ids = BTreeMap<String, String>;

pub(super) fn build(binary: &Path, layout: Layout, place: &Path) -> Result<(Sandbox, Ids), String> {
    let sandbox = Sandbox::create(place).map_err(|error| error.to_string())?;
    match layout {
        Layout::Empty => return Ok((sandbox, Ids::new())),
        Layout::Private | Layout::Worked | Layout::Damaged => must(&sandbox, binary, &["init", "sample"])?,
        Layout::Shared | Layout::SharedWorked => must(&sandbox, binary, &["init", "sample", "--shared"])?,
    };
    let ids = match layout {
        Layout::Worked | Layout::SharedWorked => with_sessions(&sandbox, binary)?,
        _ => with_tasks(&sandbox, binary)?,
    };
    if layout == Layout::Damaged {
        damage(&sandbox, binary, &ids["gamma"])?;
    }
    Ok((sandbox, ids))
}

/// Something of everything: depth, criteria, notes, links, finished tasks and two in the trash.
fn with_tasks(sandbox: &Sandbox, binary: &Path) -> Result<Ids, String> {
    let mut ids = Ids::new();
    let tasks: &[(&str, &[&str])] = &[
        ("alpha", &["Alpha", "--priority", "high", "--label", "first"]),
        ("alpha-one", &["Alpha one", "--parent", "@alpha", "--criterion", "builds", "--criterion", "runs"]),
        ("alpha-two", &["Alpha two", "--parent", "@alpha", "--status", "review"]),
        ("deep", &["Deep", "--parent", "@alpha-two", "--description", "Two lines\nof text."]),
        ("beta", &["Beta", "--status", "in_progress"]),
        ("beta-one", &["Beta one", "--parent", "@beta", "--status", "review"]),
        ("gamma", &["Gamma", "--priority", "low"]),
        ("eta", &["Eta"]),
        ("eta-one", &["Eta one", "--parent", "@eta", "--status", "done"]),
        ("delta", &["Delta"]),
        ("zeta", &["Zeta"]),
        ("zeta-one", &["Zeta one", "--parent", "@zeta"]),
    ];
    create(sandbox, binary, tasks, &mut ids)?;
    let rest: &[&[&str]] = &[
        &["task", "update", "@eta", "--status", "done"],
        &["task", "check", "@alpha-one", "2"],
        &["task", "note", "@alpha-one", "An older note."],
        &["task", "link", "@gamma", "--type", "doc", "https://example.com/guide"],
        &["task", "delete", "@delta"],
        &["task", "delete", "@zeta"],
    ];
    for args in rest {
        must(sandbox, binary, &fill(args, &ids))?;
    }
    Ok(ids)
}

/// Lets a task depend on one that is nowhere, which readers accept and the doctor takes out.
fn damage(sandbox: &Sandbox, binary: &Path, id: &str) -> Result<(), String> {
    let shown = must(sandbox, binary, &["task", "show", id, "--json"])?.json()?;
    let file = shown["file"].as_str().ok_or_else(|| format!("`task show` names no file: {shown}"))?;
    let file = sandbox.project().join(file);
    let text = std::fs::read_to_string(&file).map_err(|error| error.to_string())?;
    std::fs::write(&file, format!("dependencies = [\"zzzzzzzz\"]\n{text}")).map_err(|error| error.to_string())
}

fn create(sandbox: &Sandbox, binary: &Path, tasks: &[(&str, &[&str])], ids: &mut Ids) -> Result<(), String> {
    for (name, args) in tasks {
        let args = [&["task", "create"], *args, &["--json"]].concat();
        let made = must(sandbox, binary, &fill(&args, ids))?.json()?;
        let id = made["id"].as_str().ok_or_else(|| format!("`task create` names no id: {made}"))?;
        ids.insert((*name).to_owned(), id.to_owned());
    }
    Ok(())
}

/// Sessions in every state, and the requests of those operations that no command line can hold.
fn with_sessions(sandbox: &Sandbox, binary: &Path) -> Result<Ids, String> {
    let mut ids = Ids::new();
    let tasks: &[(&str, &[&str])] = &[
        ("alpha", &["Alpha", "--priority", "high"]),
        ("alpha-one", &["Alpha one", "--parent", "@alpha", "--criterion", "builds"]),
        ("beta", &["Beta", "--status", "in_progress"]),
        ("beta-one", &["Beta one", "--parent", "@beta"]),
        ("gamma", &["Gamma"]),
    ];
    create(sandbox, binary, tasks, &mut ids)?;
    write(sandbox, "main.rs", "project/src", "fn main() {}\n")?;
    // Each at a time of its own: which of two is the older one must not depend on how fast this machine is.
    let sessions: &[(&str, &str, &[&str])] = &[
        (
            "old-one",
            "2026-01-10",
            &["save", "--summary", "Old one", "--body", "# Context\n\nLong ago.\n", "--tag", "api"],
        ),
        ("old-two", "2026-01-12", &["save", "--summary", "Old two", "--decision", "Use SQLite", "--tag", "api"]),
        // All that are closed by now go to the archive.
        (
            "first",
            "2026-02-01",
            &[
                "save",
                "--summary",
                "First",
                "--body",
                "As said.\n",
                "--tag",
                "api",
                "--set",
                "settings.history_limit=1",
            ],
        ),
        ("second", "2026-02-02", &["save", "--summary", "Second", "--decision", "Use files", "--next", "Write them"]),
        ("third", "2026-03-01", &["save", "--summary", "Third", "--checklist", "read it", "--task", "@gamma"]),
        ("waiting", "2026-03-02", &["session", "start", "Waiting", "--tag", "later"]),
        ("mine", "2026-03-03", &["session", "start", "Mine", "--title", "My own", "--task", "@alpha"]),
        ("other", "2026-03-04", &["session", "start", "Of somebody else"]),
    ];
    for (name, day, args) in sessions {
        let args = [*args, &["--json"]].concat();
        let made = must_at(sandbox, binary, &fill(&args, &ids), &format!("{day}T09:00:00Z"))?.json()?;
        let id = made["id"].as_str().ok_or_else(|| format!("a session without an id: {made}"))?;
        ids.insert((*name).to_owned(), id.to_owned());
    }
    let rest: &[&[&str]] = &[
        &["session", "pause", "@waiting"],
        &["session", "update", "@mine", "--checklist", "verify", "--checklist", "announce", "--blocker", "no key yet"],
        &["session", "update", "@mine", "--decision", "JWT over server sessions", "--pointer", "src/main.rs"],
    ];
    for args in rest {
        must(sandbox, binary, &fill(args, &ids))?;
    }
    for (name, request) in REQUESTS {
        let mut text = (*request).to_owned();
        for (name, id) in ids.iter().rev() {
            for behind in ['"', '#'] {
                text = text.replace(&format!("@{name}{behind}"), &format!("{id}{behind}"));
            }
        }
        write(sandbox, &format!("{name}.json"), "requests", &text)?;
    }
    Ok(ids)
}

fn write(sandbox: &Sandbox, name: &str, directory: &str, text: &str) -> Result<(), String> {
    let directory = sandbox.root().join(directory);
    std::fs::create_dir_all(&directory)
        .and_then(|()| std::fs::write(directory.join(name), text))
        .map_err(|error| format!("cannot write {name}: {error}"))
}

/// Requests with something in every field.
const REQUESTS: &[(&str, &str)] = &[
    ("record", include_str!("requests/record.json")),
    ("active", include_str!("requests/active.json")),
    ("body", include_str!("requests/body.json")),
    ("goes-on", include_str!("requests/goes-on.json")),
    ("tasks", include_str!("requests/tasks.json")),
    ("moves", include_str!("requests/moves.json")),
    ("others", include_str!("requests/others.json")),
    ("all", include_str!("requests/all.json")),
    ("store", include_str!("requests/store.json")),
];
