//! `handoff local`: machine-local state that was set aside because it was not made here.

mod list;
mod restore;

use handoff_store::{LocalContent, SetAside, SetAsideOrigin};
use schemars::JsonSchema;
use serde::Serialize;

pub use list::ListSetAside;
pub use restore::RestoreSetAside;

use crate::{Breaks, Project, visible};

/// A `local/` directory that was set aside.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SetAsideView {
    /// The number to restore it by
    pub name: String,
    /// Where it is
    pub path: String,
    /// Who made it, as far as that is known
    pub origin: OriginView,
    /// The state in it, by kind
    pub content: Vec<ContentView>,
}

/// Who made a `local/` directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum OriginView {
    /// You, on this machine, for another directory
    Copy,
    /// Not known to be you on this machine
    Unknown,
}

/// State of one kind.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ContentView {
    /// Path below the directory that was set aside
    pub path: String,
    /// What one of them is
    pub kind: String,
    pub count: usize,
    /// The first few names
    pub names: Vec<String>,
}

impl SetAsideView {
    fn of(project: &Project, aside: &SetAside) -> SetAsideView {
        SetAsideView {
            name: aside.name.clone(),
            path: project.shown(&project.store().path_of(&aside.path())),
            origin: match aside.origin {
                SetAsideOrigin::Copy => OriginView::Copy,
                SetAsideOrigin::Unknown => OriginView::Unknown,
            },
            content: aside.content.iter().map(ContentView::of).collect(),
        }
    }

    /// Who made it, in words.
    fn origin_words(&self) -> &'static str {
        match self.origin {
            OriginView::Copy => "made by you on this machine, for another directory",
            OriginView::Unknown => "not made by you on this machine, as far as can be told",
        }
    }
}

impl ContentView {
    fn of(content: &LocalContent) -> ContentView {
        ContentView {
            path: content.path.clone(),
            kind: content.kind.to_owned(),
            count: content.count,
            names: content.names.clone(),
        }
    }

    /// The content on one line, safe to show.
    fn line(&self) -> String {
        let names: Vec<String> = self.names.iter().map(|name| visible(name, Breaks::Mark).into_owned()).collect();
        let rest = self.count - names.len();
        let more = if rest > 0 { format!(", and {rest} more") } else { String::new() };
        format!("{} ({} × {}): {}{more}", self.path, self.count, self.kind, names.join(", "))
    }
}

/// Reports what was set aside when the store was opened, once.
pub(crate) fn report_set_aside(project: &mut Project) {
    let Some(store) = project.store_if_open() else { return };
    let notes: Vec<String> = store.unreported_set_aside().iter().map(|aside| sentence(project, aside)).collect();
    if notes.is_empty() {
        return;
    }
    project.notes.extend(notes);
    project.store_mut().mark_set_aside_reported();
}

/// What happened, and the command that takes it back.
fn sentence(project: &Project, aside: &SetAside) -> String {
    let path = project.shown(&project.store().path_of(&aside.path()));
    let why = match aside.origin {
        SetAsideOrigin::Copy => "was made for another directory, as after copying a project or restoring a backup",
        SetAsideOrigin::Unknown => "was not made by you on this machine",
    };
    let name = &aside.name;
    format!(
        "`.handoff/local` {why}, so nothing in it was used and it is now in `{path}`: `handoff local restore {name}` shows what is in it and takes it back"
    )
}
