//! `handoff task reorder`

use clap::Args;
use handoff_model::change::Change;
use handoff_model::id::{TaskId, TaskRef};
use handoff_model::rev::Rev;
use handoff_model::task::TaskEdit;
use handoff_store::{Forest, StoreError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{TaskView, change};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Give a task another place among its siblings
///
/// Numbers stay; only the order in which the tasks are shown changes.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[group(skip)]
pub struct ReorderTask {
    /// Task to place
    #[arg(value_name = "TASK")]
    pub id: TaskRef,
    /// Put it before this sibling
    #[arg(long, value_name = "TASK", group = "reorder_place")]
    pub before: Option<TaskRef>,
    /// Put it after this sibling
    #[arg(long, value_name = "TASK", group = "reorder_place")]
    pub after: Option<TaskRef>,
    /// Put it first
    #[arg(long, group = "reorder_place")]
    #[serde(default)]
    pub first: bool,
    /// Put it last
    #[arg(long, group = "reorder_place")]
    #[serde(default)]
    pub last: bool,
    /// Place it only if it is still at this revision
    #[arg(long, value_name = "REV")]
    pub if_rev: Option<Rev>,
}

impl Operation for ReorderTask {
    const NAME: &'static str = "task.reorder";
    const TOOL: &'static str = "handoff_reorder_task";
    const SET: ToolSet = ToolSet::Tasks;
    const EFFECT: Effect = Effect::Write;
    type Outcome = TaskView;

    fn example() -> Value {
        json!({"id": "k7f3q2ma", "last": true})
    }

    fn run(self, project: &mut Project) -> Result<TaskView, OpError> {
        let found = change::find(project, &self.id, self.if_rev)?;
        let forest = project.store().whole_forest()?;
        if forest.get(found.task.id).is_none() {
            let path = found.file();
            return Err(StoreError::ChangedUnderway { path }.into());
        }
        let wanted = self.sequence(project, &forest, found.task.id, found.parent)?;
        let mut placed = found.clone();
        for (id, order) in orders(&forest, &wanted, found.task.id) {
            let sibling = project.store().find(&id.into())?;
            let edit = TaskEdit { order: Change::Set(order), ..TaskEdit::default() };
            let saved = change::edit(project, &sibling, edit)?;
            if id == found.task.id {
                placed = saved;
            }
        }
        Ok(TaskView::changed(project, &placed, "placed"))
    }
}

impl ReorderTask {
    /// The siblings in the order they shall have.
    fn sequence(
        &self,
        project: &Project,
        forest: &Forest,
        id: TaskId,
        parent: Option<TaskId>,
    ) -> Result<Vec<TaskId>, OpError> {
        let siblings = match parent.and_then(|parent| forest.get(parent)) {
            Some(parent) => &parent.children,
            None => &forest.roots,
        };
        let mut others: Vec<TaskId> = siblings.iter().copied().filter(|sibling| *sibling != id).collect();
        let place_of = |reference: &TaskRef| -> Result<usize, OpError> {
            let sibling = project.store().find(reference)?.task.id;
            others
                .iter()
                .position(|other| *other == sibling)
                .ok_or_else(|| OpError::refused(format!("task `{reference}` is not a sibling of `{}`", self.id)))
        };
        let place = match (&self.before, &self.after, self.first, self.last) {
            (Some(sibling), None, false, false) => place_of(sibling)?,
            (None, Some(sibling), false, false) => place_of(sibling)? + 1,
            (None, None, true, false) => 0,
            (None, None, false, true) => others.len(),
            _ => return Err(OpError::usage("say one of `before`, `after`, `first` and `last`")),
        };
        others.insert(place, id);
        Ok(others)
    }
}

/// The orders to set so that the siblings stand in this sequence; where there is room, only the placed task gets one.
fn orders(forest: &Forest, wanted: &[TaskId], placed: TaskId) -> Vec<(TaskId, i64)> {
    let order = |id: &TaskId| forest.get(*id).and_then(|node| node.task.order);
    let ordered = &wanted[..wanted.len() - unordered_tail(forest, wanted)];
    let others: Vec<Option<i64>> = ordered.iter().filter(|id| **id != placed).map(order).collect();
    let stand_already = others.iter().all(Option::is_some) && others.is_sorted_by(|one, next| one < next);
    let place = ordered.iter().position(|id| *id == placed);
    if let (true, Some(place)) = (stand_already, place) {
        let before = place.checked_sub(1).and_then(|place| order(&ordered[place]));
        let after = ordered.get(place + 1).and_then(order);
        if let Some(between) = between(before, after) {
            return vec![(placed, between)];
        }
    }
    let anew = ordered.iter().zip(1..).map(|(id, place)| (*id, place * STEP));
    anew.filter(|(id, new)| order(id) != Some(*new)).collect()
}

/// How far apart orders are set, so that there is room between them.
const STEP: i64 = 10;

/// How many at the end need no order: they have none, and stand by number.
fn unordered_tail(forest: &Forest, wanted: &[TaskId]) -> usize {
    let fits = |place: usize| {
        let node = |id: &TaskId| forest.get(*id);
        let next = wanted.get(place + 1).and_then(node);
        node(&wanted[place]).is_some_and(|here| {
            here.task.order.is_none() && next.is_none_or(|next| here.number.ordinal() < next.number.ordinal())
        })
    };
    (0..wanted.len()).rev().take_while(|place| fits(*place)).count()
}

/// An order between two others; `None` when there is no room.
fn between(before: Option<i64>, after: Option<i64>) -> Option<i64> {
    match (before, after) {
        (None, None) => Some(STEP),
        (Some(before), None) => before.checked_add(STEP),
        (None, Some(after)) => after.checked_sub(STEP),
        (Some(before), Some(after)) => {
            let middle = i128::midpoint(before.into(), after.into());
            i64::try_from(middle).ok().filter(|middle| before < *middle && *middle < after)
        }
    }
}
