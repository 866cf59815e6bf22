//! Making a project where handoff-mcp keeps one: what it holds is taken over, and its directory is kept.
//!
//! **Invariant:** the two are never mixed, and nothing of the original is changed or lost. Its directory gets another
//! name before a new one is made, and its old name back if that fails. All that is added to it keeps git from offering it.

use std::path::{Path, PathBuf};

use handoff_import::{Reading, System, Taken, is_handoff_mcp};
use handoff_store::{DIRECTORY, rename_outside, replace_private};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::import::{Counts, Import, Incoming, OnConflict, Plan, carry_out, in_the_way, unreadable};
use crate::{Hint, OpError, Page, Project};

const GITIGNORE: &str = ".gitignore";

/// What was taken over from handoff-mcp.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TakenOver {
    /// Where the original is kept
    pub original: String,
    pub counts: Counts,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// The last store of handoff-mcp that was put aside here.
fn put_aside(dir: &Path) -> Option<PathBuf> {
    let names = std::fs::read_dir(dir).ok()?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut aside: Vec<String> = names.filter(|name| name.starts_with(&format!("{DIRECTORY}.bak-"))).collect();
    aside.sort();
    aside
        .into_iter()
        .rev()
        .map(|name| dir.join(name))
        .find(|path| path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) && is_handoff_mcp(path))
}

/// What is being taken over, while a new project is made.
pub(super) struct TakingOver {
    taken: Taken,
    store: PathBuf,
    kept: PathBuf,
}

impl TakingOver {
    /// Looks for a store of handoff-mcp and puts it aside; refused where nobody asked for that.
    pub(super) fn begin(project: &Project, dir: &Path, is_wanted: bool) -> Result<Option<TakingOver>, OpError> {
        let store = dir.join(DIRECTORY);
        let is_there = store.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) && is_handoff_mcp(&store);
        if !is_there {
            return if is_wanted { TakingOver::go_on(project, dir, store) } else { Ok(None) };
        }
        if !is_wanted {
            return Err(in_the_way(project, &store));
        }
        let reading = Reading { path: &store, scratch: dir, now: project.now() };
        let taken = handoff_import::read(System::HandoffMcp, reading).map_err(|error| unreadable(project, error))?;
        let stamp: String = project.now().to_string().chars().filter(char::is_ascii_alphanumeric).collect();
        let kept = dir.join(format!("{DIRECTORY}.bak-{stamp}"));
        rename_outside(&store, &kept).map_err(|error| {
            OpError::failure(format!("cannot put `{}` aside", project.shown(&store))).caused_by(error)
        })?;
        let taking_over = TakingOver { taken, store, kept };
        match taking_over.hide_from_git() {
            Ok(()) => Ok(Some(taking_over)),
            Err(error) => Err(taking_over.take_back(error)),
        }
    }

    /// Goes on where an earlier attempt was cut off after the original was put aside.
    fn go_on(project: &Project, dir: &Path, store: PathBuf) -> Result<Option<TakingOver>, OpError> {
        let Some(kept) = put_aside(dir) else { return Ok(None) };
        if store.symlink_metadata().is_err() {
            let reading = Reading { path: &kept, scratch: dir, now: project.now() };
            let taken =
                handoff_import::read(System::HandoffMcp, reading).map_err(|error| unreadable(project, error))?;
            return Ok(Some(TakingOver { taken, store, kept }));
        }
        let is_empty = |name: &str| std::fs::read_dir(store.join(name)).map_or(true, |mut dir| dir.next().is_none());
        if !(is_empty("tasks") && is_empty("sessions")) {
            return Ok(None);
        }
        let shown = project.shown(&kept);
        Err(OpError::refused(format!("this project is new and empty, and what handoff-mcp kept is in `{shown}`"))
            .hint(Hint::run_with::<Import>(json!({"from": "handoff-mcp", "path": shown}))))
    }

    /// The original was where git did not look, or where its owner said; under its new name git would offer it.
    fn hide_from_git(&self) -> Result<(), OpError> {
        let file = self.kept.join(GITIGNORE);
        if file.symlink_metadata().is_ok() {
            return Ok(());
        }
        replace_private(&file, b"*\n")
            .map_err(|error| OpError::failure(format!("cannot write `{}`", file.display())).caused_by(error))
    }

    /// The settings that go on.
    pub(super) fn config(&self) -> Option<&str> {
        self.taken.config.as_deref().filter(|config| toml::from_str::<toml::Table>(config).is_ok())
    }

    /// Gives the original its name back.
    pub(super) fn take_back(self, error: OpError) -> OpError {
        match rename_outside(&self.kept, &self.store) {
            Ok(()) => error,
            Err(_) => error.detail(format!("what was there is kept in {}", self.kept.display())),
        }
    }

    /// Takes everything over, as one change of the new project.
    pub(super) fn finish(self, project: &mut Project, dir: &Path) -> Result<TakenOver, OpError> {
        let TakingOver { taken, kept, .. } = self;
        project.place.project_dir = Some(dir.to_owned());
        let original = project.shown(&kept);
        let result = take_over(project, taken);
        let (counts, incoming) = result.map_err(|error| {
            error.detail(format!("the project is made, and what was there is kept in `{original}`"))
        })?;
        let Taken { changed, left_out, .. } = incoming.taken;
        Ok(TakenOver { original, counts, changed, left_out })
    }
}

fn take_over(project: &mut Project, taken: Taken) -> Result<(Counts, Incoming), OpError> {
    project.open_for_writing()?;
    project.lock("import")?;
    let incoming = Incoming::of("handoff-mcp", taken);
    let plan = Plan::of(project, &incoming.taken, OnConflict::Skip)?;
    let plan = carry_out(project, &incoming.taken, plan)?;
    project.commit()?;
    Ok((plan.counts(), incoming))
}

impl TakenOver {
    pub(super) fn add_to(&self, page: Page) -> Page {
        let Counts { new, .. } = self.counts;
        let mut page =
            page.line(format!("{new} records of handoff-mcp were taken over; the original is in {}", self.original));
        for (title, lines) in [("Changed on the way", &self.changed), ("Left out", &self.left_out)] {
            if !lines.is_empty() {
                page = page.blank().line(title);
                page = lines.iter().fold(page, |page, line| page.item(line.as_str()));
            }
        }
        page
    }
}
