//! Counts, completion, effort and budget.

use schemars::JsonSchema;
use serde::Serialize;

use super::spread::{in_float, per_cent};
use super::{Figure, Work};
use crate::task::Status;

/// How many tasks there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// Tasks without tasks under them
    pub leaves: usize,
    pub parents: usize,
    pub todo: usize,
    pub in_progress: usize,
    pub review: usize,
    pub done: usize,
    pub blocked: usize,
    pub skipped: usize,
}

/// Work in minutes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Effort {
    pub estimate: u64,
    /// The estimate times the multiplier; absent without one
    pub estimate_adjusted: Option<u64>,
    pub actual: i64,
    /// Of the actual time, what was logged on parents and on tasks that are not there any more
    pub actual_elsewhere: i64,
    pub remaining: u64,
    /// What remains by the adjusted estimates; absent without a multiplier
    pub remaining_adjusted: Option<u64>,
    /// Open leaves without an estimate, which count nothing above
    pub unestimated: usize,
}

/// How much of the budget is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Budget {
    pub total: u64,
    pub used: i64,
    /// What will be used when everything that is left has been done
    pub expected: i64,
    /// How much more than the total that is; less than none where something will be left
    pub over: i64,
}

pub(super) fn counts(work: &Work<'_, '_>) -> (Counts, Figure<f64>) {
    let of = |status: Status| work.leaves.iter().filter(|leaf| leaf.task.status == status).count();
    let counts = Counts {
        leaves: work.leaves.len(),
        parents: work.parents,
        todo: of(Status::Todo),
        in_progress: of(Status::InProgress),
        review: of(Status::Review),
        done: of(Status::Done),
        blocked: of(Status::Blocked),
        skipped: of(Status::Skipped),
    };
    let wanted = counts.leaves - counts.skipped;
    let completion =
        Figure::of(wanted, 1, "leaves that are done, as a share of all leaves that are not skipped", || {
            per_cent(in_float(counts.done), in_float(wanted))
        });
    (counts, completion)
}

pub(super) fn effort(work: &Work<'_, '_>) -> Figure<Effort> {
    let how = "estimates of the leaves that are not skipped, and all time logged; remaining is what a task says, or else \
               its estimate less the time logged on it; adjusted: estimates times `ai_estimate_multiplier`";
    Figure::of(work.leaves.len(), 1, how, || {
        let multiplier = work.input.multiplier;
        let wanted = || work.leaves.iter().filter(|leaf| leaf.task.status != Status::Skipped);
        let estimate =
            |by: Option<f64>| wanted().filter_map(|leaf| leaf.task.estimate_minutes(by)).map(u64::from).sum();
        let remaining = |by: Option<f64>| {
            wanted().filter_map(|leaf| leaf.task.remaining_minutes(leaf.spent, by)).map(u64::from).sum()
        };
        Effort {
            estimate: estimate(None),
            estimate_adjusted: multiplier.map(|by| estimate(Some(by))),
            actual: used(work),
            actual_elsewhere: work.spent_elsewhere,
            remaining: remaining(None),
            remaining_adjusted: multiplier.map(|by| remaining(Some(by))),
            unestimated: wanted().filter(|leaf| leaf.task.remaining_minutes(0, None).is_none()).count(),
        }
    })
}

fn used(work: &Work<'_, '_>) -> i64 {
    work.leaves.iter().map(|leaf| leaf.spent).sum::<i64>() + work.spent_elsewhere
}

pub(super) fn budget(work: &Work<'_, '_>, total: u64) -> Figure<Budget> {
    let how = "all time logged, and with it what remains, by adjusted estimates where there is a multiplier";
    let effort = effort(work);
    let left = effort.known().map_or(0, |effort| effort.remaining_adjusted.unwrap_or(effort.remaining));
    let used = used(work);
    let expected = used.saturating_add_unsigned(left);
    let over = expected.saturating_sub_unsigned(total);
    Figure::of(1, 1, how, || Budget { total, used, expected, over })
}
