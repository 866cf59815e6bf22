//! The memory as three layers of plain Markdown, for agents that were told to read those files: notes by day and tag, where
//! things stand, and what is old by month and tag.
//!
//! **Invariant:** a mirror follows from the records alone: the same records give the same bytes, on any machine and day, and
//! what did not change is not written. What others wrote at such a place stays, byte for byte.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

use handoff_model::layers::Layer;
use handoff_store::OutsideTree;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Breaks, OpError, Project, visible};

mod aside;
pub mod compact;
mod content;
mod decide;
mod text;

use content::Wanted;
use decide::{Deed, decide};

/// Where the layers are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirrorTo {
    /// The directory of the layers, absolute
    pub dir: PathBuf,
    /// The directory that it must stay in
    pub inside: PathBuf,
    /// What is written in place of a tag for sessions that have none
    pub tag: String,
}

/// What a mirror would write.
#[derive(Debug)]
pub struct MirrorPlan {
    to: MirrorTo,
    wanted: Vec<Wanted>,
    /// Files of the layers that correspond to nothing
    strays: Vec<(String, Layer)>,
    /// What would happen, in the order it would
    pub steps: Vec<MirrorStep>,
    /// Files that are as they should be
    pub unchanged: usize,
    pub warnings: Vec<String>,
}

/// What happens to one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MirrorStep {
    /// Where it lies
    pub file: String,
    pub deed: MirrorDeed,
    /// Where a text that was not ours is kept
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_as: Option<String>,
}

/// What is done with a file of a mirror.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MirrorDeed {
    Write,
    /// It is ours, as we wrote it, and corresponds to nothing any more
    Remove,
    /// It corresponds to nothing any more, and somebody edited it
    Leave,
}

/// What a mirror wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Mirrored {
    pub steps: Vec<MirrorStep>,
    /// Files that were as they should be
    pub unchanged: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What would be written, with nothing written yet.
pub fn plan(project: &Project, to: &MirrorTo) -> Result<MirrorPlan, OpError> {
    let tree = open(to)?;
    let content::Content { wanted, is_whole, mut warnings } = content::read(project, to)?;
    let known: BTreeSet<&str> = wanted.iter().map(|wanted| wanted.path.as_str()).collect();
    // What cannot be read is not gone, so nothing is taken for left over.
    let strays =
        if is_whole { strays(&tree, &known).map_err(|error| unreadable(&to.dir, &error))? } else { Vec::new() };
    if !is_whole {
        warnings.push("some records cannot be read, so the mirror keeps all files it has".to_owned());
    }
    let mut plan = MirrorPlan { to: to.clone(), wanted, strays, steps: Vec::new(), unchanged: 0, warnings };
    let (mut steps, mut unchanged) = (Vec::new(), 0);
    for item in plan.items() {
        let present = tree.read(item.path).map_err(|error| failed("read", to, item.path, &error))?;
        let deed = decide(item.path, item.layer, item.wanted, present.as_deref());
        let kept_as = deed.aside().map(|why| aside::name_for(&tree, item.path, why, present.as_deref()));
        let kept_as = kept_as.transpose().map_err(|error| failed("read", to, item.path, &error))?;
        unchanged += usize::from(deed == Deed::Nothing && item.wanted.is_some());
        steps.extend(step(project, to, item.path, &deed, kept_as.as_ref().map(|kept| kept.path.as_str())));
    }
    (plan.steps, plan.unchanged) = (steps, unchanged);
    Ok(plan)
}

/// Writes what is planned. What a file says by now decides, not what it said when it was planned.
///
/// Each file is written whole or not at all; when one cannot be written the others are, and the error names it.
pub fn write(project: &Project, plan: &MirrorPlan) -> Result<Mirrored, OpError> {
    let tree = open(&plan.to)?;
    let mut mirrored = Mirrored { warnings: plan.warnings.clone(), ..Mirrored::default() };
    let mut failures: Vec<OpError> = Vec::new();
    for item in plan.items() {
        match perform(project, plan, &tree, &item) {
            Ok(Some(step)) => mirrored.steps.push(step),
            Ok(None) => mirrored.unchanged += usize::from(item.wanted.is_some()),
            Err(error) => failures.push(failed("write", &plan.to, item.path, &error)),
        }
    }
    let more = failures.len().saturating_sub(1);
    match failures.into_iter().next() {
        None => Ok(mirrored),
        Some(first) if more == 0 => Err(first),
        Some(first) => Err(first.detail(format!("and so for {more} more files; the others are written"))),
    }
}

fn perform(
    project: &Project,
    plan: &MirrorPlan,
    tree: &OutsideTree,
    item: &Item<'_>,
) -> io::Result<Option<MirrorStep>> {
    let present = tree.read(item.path)?;
    let deed = decide(item.path, item.layer, item.wanted, present.as_deref());
    let mut kept_as = None;
    if let Some(why) = deed.aside() {
        let kept = aside::name_for(tree, item.path, why, present.as_deref())?;
        if !kept.is_there {
            tree.replace(&kept.path, present.as_deref().unwrap_or_default())?;
        }
        kept_as = Some(kept.path);
    }
    match &deed {
        Deed::Nothing | Deed::Leave => {}
        Deed::Write { bytes, .. } => tree.replace(item.path, bytes)?,
        Deed::Remove => {
            tree.remove(item.path)?;
            if let (Layer::Notes, Some((month, _))) = (item.layer, item.path.rsplit_once('/')) {
                tree.remove_if_empty(month);
            }
        }
    }
    Ok(step(project, &plan.to, item.path, &deed, kept_as.as_deref()))
}

fn step(project: &Project, to: &MirrorTo, path: &str, deed: &Deed, kept_as: Option<&str>) -> Option<MirrorStep> {
    let deed = match deed {
        Deed::Nothing => return None,
        Deed::Write { .. } => MirrorDeed::Write,
        Deed::Remove => MirrorDeed::Remove,
        Deed::Leave => MirrorDeed::Leave,
    };
    let shown = |path: &str| project.shown(&to.dir.join(path));
    Some(MirrorStep { file: shown(path), deed, kept_as: kept_as.map(shown) })
}

/// One file of a mirror, and what it should say.
struct Item<'a> {
    path: &'a str,
    layer: Layer,
    wanted: Option<&'a Wanted>,
}

impl MirrorPlan {
    fn items(&self) -> impl Iterator<Item = Item<'_>> {
        let wanted =
            self.wanted.iter().map(|wanted| Item { path: &wanted.path, layer: wanted.layer, wanted: Some(wanted) });
        wanted.chain(self.strays.iter().map(|(path, layer)| Item { path, layer: *layer, wanted: None }))
    }
}

/// The files of the first and third layer that are not among the known ones.
fn strays(tree: &OutsideTree, known: &BTreeSet<&str>) -> io::Result<Vec<(String, Layer)>> {
    let mut dirs: Vec<(String, Layer)> = Vec::new();
    let notes = Layer::Notes.directory();
    for month in tree.list(&notes)?.directories {
        dirs.push((format!("{notes}/{month}"), Layer::Notes));
    }
    dirs.push((Layer::Archive.directory(), Layer::Archive));
    let mut strays = Vec::new();
    for (dir, layer) in dirs {
        let files = tree
            .list(&dir)?
            .files
            .into_iter()
            .filter(|name| name.strip_suffix(".md").is_some_and(|stem| !stem.starts_with('.')));
        let paths = files.map(|name| format!("{dir}/{name}")).filter(|path| !known.contains(path.as_str()));
        strays.extend(paths.map(|path| (path, layer)));
    }
    Ok(strays)
}

fn open(to: &MirrorTo) -> Result<OutsideTree, OpError> {
    let shown = visible(&to.dir.display().to_string(), Breaks::Mark).into_owned();
    let below = to.dir.strip_prefix(&to.inside).unwrap_or(&to.dir);
    let is_reserved = |name: &str| [".git", handoff_store::DIRECTORY].iter().any(|own| name.eq_ignore_ascii_case(own));
    if below.iter().filter_map(|name| name.to_str()).any(is_reserved) {
        return Err(OpError::usage(format!(
            "the layers cannot be mirrored to `{shown}`: that directory is not for this"
        )));
    }
    OutsideTree::open(&to.inside, &to.dir).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput => OpError::usage(format!("the layers cannot be mirrored to `{shown}`: {error}")),
        _ => OpError::failure(format!("cannot mirror the layers to `{shown}`")).caused_by(error),
    })
}

fn failed(what: &str, to: &MirrorTo, path: &str, error: &io::Error) -> OpError {
    let shown = visible(&to.dir.join(path).display().to_string(), Breaks::Mark).into_owned();
    OpError::failure(format!("cannot {what} `{shown}`: {}", visible(&error.to_string(), Breaks::Mark)))
}

fn unreadable(dir: &std::path::Path, error: &io::Error) -> OpError {
    let shown = visible(&dir.display().to_string(), Breaks::Mark).into_owned();
    OpError::failure(format!("cannot read the layers in `{shown}`: {}", visible(&error.to_string(), Breaks::Mark)))
}

#[cfg(test)]
mod tests;
