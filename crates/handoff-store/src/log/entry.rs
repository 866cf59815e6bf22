//! What the log says of one change.

use std::collections::HashSet;

use handoff_model::history::{ChangeId, Changed, DirectoryMove, FileChange, FileState, NamedTask, describe};
use handoff_model::rev::Rev;
use handoff_model::task::Task;
use serde::{Deserialize, Serialize};

use super::ahead::Ahead;
use super::segment::line_of;
use super::{ENTRY_BYTES, Signature};
use crate::layout::{TASK_FILE, TRASHED_SESSIONS};
use crate::root::{Root, join, split};
use crate::step::Step;
use crate::task::moves::after;

/// One change: who made it, and each thing it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub head: Head,
    pub(crate) steps: Vec<LoggedStep>,
    /// What it came to, for a change that was too large for everything it did to be kept
    #[serde(default, skip_serializing_if = "Option::is_none")]
    words: Option<Vec<String>>,
}

/// What is known of a change before it is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Counts the changes of this store
    pub number: u64,
    pub id: ChangeId,
    #[serde(default)]
    pub kind: Kind,
    pub signature: Signature,
}

impl Head {
    /// Whether it takes something back or makes it again.
    pub(crate) fn is_reversal(&self) -> bool {
        matches!(self.kind, Kind::Undo { .. } | Kind::Redo { .. })
    }
}

/// What sort of change it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    #[default]
    Change,
    /// Only names of directories followed what their files say
    Names,
    /// Takes these back, the newest first
    Undo { changes: Vec<ChangeId> },
    /// Makes again what was taken back
    Redo { undo: ChangeId, changes: Vec<ChangeId> },
}

/// A step of a change, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LoggedStep {
    Put {
        path: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<String>,
        after: String,
    },
    /// A long text of which only a part changed: so many bytes in front and at the end are as they were
    Patch {
        path: String,
        front: usize,
        back: usize,
        before: String,
        after: String,
        before_rev: Rev,
        after_rev: Rev,
    },
    NewDir {
        path: String,
        name: String,
        text: String,
    },
    MoveDir {
        from: String,
        to: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<NamedTask>,
    },
    Remove {
        path: String,
        before: String,
    },
    RemoveDir {
        path: String,
        name: String,
        text: String,
    },
    /// A file of which it is only known that it changed
    Bare {
        path: String,
    },
}

/// Texts longer than this together are kept as what is different.
const WHOLE: usize = 32 * 1024;
/// Tasks that are looked up for their titles after one change.
const NAMED: usize = 50;

impl Entry {
    pub(crate) fn of(head: Head, steps: &[Step]) -> Entry {
        let steps: Vec<LoggedStep> = steps.iter().map(LoggedStep::of).collect();
        Entry { head, steps, words: None }
    }

    /// Notes the titles of tasks whose directories go elsewhere while their files stay as they are.
    pub(super) fn name_tasks(&mut self, root: &Root, when: Naming) {
        let moves: Vec<(String, String)> = self.moves().collect();
        let told: HashSet<String> = self.steps.iter().filter_map(LoggedStep::file).collect();
        let mut seen = 0;
        for (index, step) in self.steps.iter_mut().filter(|step| matches!(step, LoggedStep::MoveDir { .. })).enumerate()
        {
            let LoggedStep::MoveDir { from, to, task } = step else { continue };
            if [&*from, &*to].iter().any(|dir| told.contains(&join(dir, TASK_FILE))) {
                continue;
            }
            seen += 1;
            if seen > NAMED {
                break;
            }
            let dir = match when {
                Naming::BeforeChange => moves[..index]
                    .iter()
                    .rev()
                    .fold(from.clone(), |dir, (from, to)| after(&[(to.clone(), from.clone())], &dir)),
                Naming::AfterChange => after(&moves[index + 1..], to),
            };
            let present = join(&dir, TASK_FILE);
            let text = root.read_text(&present).ok().flatten().unwrap_or_default();
            *task = Task::read(&text).ok().map(|(task, _)| NamedTask { id: task.id, title: task.title });
        }
    }

    /// The entry as a line of the log. One that is too large is written without what was there before.
    pub(super) fn line(&self) -> String {
        let print = |entry: &Entry| serde_json::to_string(entry).expect("an entry is plain data");
        let mut said = print(self);
        if said.len() > ENTRY_BYTES {
            let words = Some(describe(&self.changed()));
            let bare = Entry { words, steps: self.steps.iter().map(LoggedStep::bare).collect(), ..self.clone() };
            said = print(&bare);
            if said.len() > ENTRY_BYTES {
                said = print(&Entry { steps: vec![LoggedStep::Bare { path: String::new() }], ..bare });
            }
        }
        line_of(&said, self.head.number)
    }

    /// Whether none of it is done: every step would still find what it expects.
    pub(super) fn is_unmade(&self, root: &Root) -> bool {
        let mut ahead = Ahead::new(root);
        let is_of_change = |step: &&LoggedStep| !step.stands_for_new_body();
        let mut steps = self.steps.iter().filter(is_of_change).peekable();
        steps.peek().is_some() && steps.all(|step| step.forward(&ahead).is_some_and(|step| ahead.apply(&step).is_ok()))
    }

    /// Whether what was there before is kept, so that the change can be taken back.
    pub fn has_images(&self) -> bool {
        !self.steps.iter().any(|step| matches!(step, LoggedStep::Bare { .. }))
    }

    /// The directories that went elsewhere, in order.
    pub(super) fn moves(&self) -> impl Iterator<Item = (String, String)> {
        self.steps.iter().filter_map(|step| match step {
            LoggedStep::MoveDir { from, to, .. } => Some((from.clone(), to.clone())),
            _ => None,
        })
    }

    /// What the change came to, in words.
    pub fn words(&self) -> Vec<String> {
        self.words.clone().unwrap_or_else(|| describe(&self.changed()))
    }

    /// What the change did to each file.
    pub fn changed(&self) -> Changed {
        changed(self.steps.iter().cloned())
    }
}

/// What steps did to each file, taken together.
pub(super) fn changed(steps: impl Iterator<Item = LoggedStep>) -> Changed {
    let mut changed = Changed::default();
    for step in steps {
        match step {
            LoggedStep::Put { path, before, after } => {
                let before = before.map_or(Told::Nothing, Told::Text);
                note(&mut changed, &path, before, Told::Text(after));
            }
            LoggedStep::Patch { path, .. } | LoggedStep::Bare { path } => {
                note(&mut changed, &path, Told::Unknown, Told::Unknown);
            }
            LoggedStep::Remove { path, before } => note(&mut changed, &path, Told::Text(before), Told::Nothing),
            LoggedStep::NewDir { path, name, text } => {
                note(&mut changed, &join(&path, &name), Told::Nothing, Told::Text(text));
            }
            LoggedStep::RemoveDir { path, name, text } => {
                note(&mut changed, &join(&path, &name), Told::Text(text), Told::Nothing);
            }
            LoggedStep::MoveDir { from, to, task } => {
                let moved = [(from.clone(), to.clone())];
                for state in changed.files.iter_mut().filter_map(|file| file.after.as_mut()) {
                    state.path = after(&moved, &state.path);
                }
                changed.moves.push(DirectoryMove { from, to, task });
            }
        }
    }
    // Of a text that is not known it is known that it changed.
    let is_known = |state: &Option<FileState>| state.as_ref().is_none_or(|state| state.text.is_some());
    changed.files.retain(|file| file.before != file.after || !is_known(&file.after));
    changed
}

/// What is known of a file at one moment.
enum Told {
    /// It was not there
    Nothing,
    Text(String),
    /// It was there
    Unknown,
}

impl Told {
    fn at(self, path: &str) -> Option<FileState> {
        let path = path.to_owned();
        match self {
            Told::Nothing => None,
            Told::Text(text) => Some(FileState { path, text: Some(text) }),
            Told::Unknown => Some(FileState { path, text: None }),
        }
    }
}

/// Adds what became of one file.
fn note(changed: &mut Changed, path: &str, before: Told, after: Told) {
    let is_it = |file: &&mut FileChange| file.path() == path;
    match changed.files.iter_mut().find(is_it) {
        Some(file) => file.after = after.at(path),
        None => {
            // Where it lay before the directories around it went elsewhere.
            let before = before.at(&came_from(&changed.moves, path));
            changed.files.push(FileChange { before, after: after.at(path) });
        }
    }
}

/// Where something lay before directories went elsewhere.
pub(crate) fn came_from(moves: &[DirectoryMove], path: &str) -> String {
    moves.iter().rev().fold(path.to_owned(), |path, moved| after(&[(moved.to.clone(), moved.from.clone())], &path))
}

/// When titles are looked up for an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    BeforeChange,
    AfterChange,
}

impl LoggedStep {
    /// Whether it only tells where the body of a new session goes when the change is taken back; the body itself was
    /// written on the way, and is cleared away by its own note.
    fn stands_for_new_body(&self) -> bool {
        matches!(self, LoggedStep::MoveDir { from, .. } if from.starts_with(TRASHED_SESSIONS))
    }

    /// The step with whole texts, where those can be told from what is there.
    fn forward(&self, ahead: &Ahead<'_>) -> Option<Step> {
        Some(match self.clone() {
            LoggedStep::Put { path, before, after } => Step::Put { path, before, after },
            LoggedStep::Patch { path, front, back, after, before_rev, .. } => {
                let present = ahead.text(&path).filter(|text| Rev::of(text.as_bytes()) == before_rev)?;
                let end = present.get(present.len().checked_sub(back)?..)?;
                let text = format!("{}{after}{end}", present.get(..front)?);
                Step::Put { path, before: Some(present), after: text }
            }
            LoggedStep::NewDir { path, name, text } => Step::NewDir { path, name, text },
            LoggedStep::MoveDir { from, to, .. } => Step::MoveDir { from, to },
            LoggedStep::Remove { path, before } => Step::Remove { path, before },
            LoggedStep::RemoveDir { path, name, text } => Step::RemoveDir { path, name, text },
            LoggedStep::Bare { .. } => return None,
        })
    }

    pub(super) fn of(step: &Step) -> LoggedStep {
        match step.clone() {
            Step::Put { path, before: Some(before), after } if before.len() + after.len() > WHOLE => {
                patch(path, &before, &after)
            }
            Step::Put { path, before, after } => LoggedStep::Put { path, before, after },
            Step::NewDir { path, name, text } => LoggedStep::NewDir { path, name, text },
            Step::MoveDir { from, to } => LoggedStep::MoveDir { from, to, task: None },
            Step::Remove { path, before } => LoggedStep::Remove { path, before },
            Step::RemoveDir { path, name, text } => LoggedStep::RemoveDir { path, name, text },
        }
    }

    /// The file it is about, if it is about one.
    pub(super) fn file(&self) -> Option<String> {
        match self {
            LoggedStep::Put { path, .. }
            | LoggedStep::Patch { path, .. }
            | LoggedStep::Remove { path, .. }
            | LoggedStep::Bare { path } => Some(path.clone()),
            LoggedStep::NewDir { path, name, .. } | LoggedStep::RemoveDir { path, name, .. } => Some(join(path, name)),
            LoggedStep::MoveDir { .. } => None,
        }
    }

    fn bare(&self) -> LoggedStep {
        match self.file() {
            Some(path) => LoggedStep::Bare { path },
            None => self.clone(),
        }
    }
}

fn patch(path: String, before: &str, after: &str) -> LoggedStep {
    let same = |a: &mut dyn Iterator<Item = (u8, u8)>| a.take_while(|(a, b)| a == b).count();
    let mut front = same(&mut before.bytes().zip(after.bytes()));
    while !before.is_char_boundary(front) || !after.is_char_boundary(front) {
        front -= 1;
    }
    let mut back = same(&mut before[front..].bytes().rev().zip(after[front..].bytes().rev()));
    while !before.is_char_boundary(before.len() - back) || !after.is_char_boundary(after.len() - back) {
        back -= 1;
    }
    LoggedStep::Patch {
        path,
        front,
        back,
        before: before[front..before.len() - back].to_owned(),
        after: after[front..after.len() - back].to_owned(),
        before_rev: Rev::of(before.as_bytes()),
        after_rev: Rev::of(after.as_bytes()),
    }
}

/// The directory of a path, where it lies after directories were renamed, and its name.
pub(super) fn carried(moves: &[(String, String)], path: &str) -> String {
    let (dir, name) = split(path);
    join(&after(moves, dir), name)
}
