//! The keys of agent-handover's configuration, as another way to say the same.

use toml::{Table, Value};

use super::read::{BadHandover, taken};
use super::{Action, Declared, Mirror, Note, Publish, State};

/// What `[handover]`, `[note]` and `[backend]` say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compatible {
    /// Where the layers are written
    pub memory_dir: String,
    pub tag: Option<String>,
    /// Where that tool keeps its checkpoint
    pub checkpoint: Option<String>,
    /// A file whose presence stops a run, with `~` for the home directory
    pub pause_file: Option<String>,
    /// The note, where none is given
    pub session: Option<String>,
    /// The current state, where none is given
    pub current_state: Option<String>,
    /// The directory of the repository
    pub repo_dir: String,
    /// What is published; `None` for the back end that publishes nothing
    pub publish: Option<Publish>,
}

/// Takes the three tables out, where there is one. Keys that the tool does not know it leaves alone, and so do we.
pub(super) fn take(table: &mut Table) -> Result<Option<Compatible>, BadHandover> {
    let names = ["handover", "note", "backend"];
    if !names.iter().any(|name| table.contains_key(*name)) {
        return Ok(None);
    }
    let mut tables = Vec::new();
    for name in names {
        tables.push(match table.remove(name) {
            None => Table::new(),
            Some(Value::Table(table)) => table,
            Some(_) => return Err(BadHandover::new(format!("`{name}` must be a table: `[{name}]`"))),
        });
    }
    let within = |name: &str| {
        let name = name.to_owned();
        move |error: BadHandover| BadHandover { reason: format!("in `[{name}]`: {}", error.reason), ..error }
    };
    let text = |place: usize, key: &str, tables: &mut Vec<Table>| -> Result<Option<String>, BadHandover> {
        taken(&mut tables[place], key).map_err(within(names[place]))
    };
    let memory_dir = text(0, "memory_dir", &mut tables)?.unwrap_or_else(|| "memory".to_owned());
    let kind = text(2, "type", &mut tables)?.unwrap_or_else(|| "git".to_owned());
    let repo_dir = text(2, "repo_dir", &mut tables)?.unwrap_or_else(|| ".".to_owned());
    let publish = match kind.as_str() {
        "null" => None,
        "git" => Some(Publish {
            paths: taken(&mut tables[2], "paths").map_err(within("backend"))?,
            branch: text(2, "branch", &mut tables)?,
            remote: text(2, "remote", &mut tables)?,
            push: taken(&mut tables[2], "push").map_err(within("backend"))?.unwrap_or(true),
            message: text(2, "message", &mut tables)?,
            ..Publish::default()
        }),
        other => {
            let reason = format!("in `[backend]`: there is no type `{other}`: it is `git` or `null`");
            return Err(BadHandover::new(reason));
        }
    };
    Ok(Some(Compatible {
        memory_dir,
        tag: text(0, "tag", &mut tables)?,
        checkpoint: text(0, "checkpoint", &mut tables)?,
        pause_file: text(0, "pause_file", &mut tables)?,
        session: text(1, "session", &mut tables)?,
        current_state: text(1, "current_state", &mut tables)?,
        repo_dir,
        publish,
    }))
}

impl Compatible {
    /// The steps of that tool, under its names, and the one that writes the layers.
    pub(super) fn steps(&self) -> Vec<Declared> {
        let mirror = Mirror { to: Some(self.memory_dir.clone()) };
        let mut steps = vec![
            Declared::usual("session_note", Action::Note(Note { tag: self.tag.clone() })),
            Declared::usual("current_state", Action::State(State::default())),
            Declared::usual("layers", Action::Mirror(mirror)),
        ];
        if let Some(publish) = &self.publish {
            let paths = publish.paths.clone().unwrap_or_else(|| vec![self.memory_dir.clone()]);
            let publish = Publish { paths: Some(paths), ..publish.clone() };
            steps.push(Declared::usual("publish", Action::Publish(publish)));
        }
        steps
    }
}
