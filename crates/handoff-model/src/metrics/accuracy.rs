//! How estimates compare with what was worked.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::spread::Spread;
use super::{Figure, Leaf, SAMPLES, Work};
use crate::id::TaskId;

/// Estimates against actual time.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Accuracy {
    /// Each finished leaf with an estimate and logged time
    pub tasks: Vec<TaskAccuracy>,
    pub all: Figure<Ratio>,
    pub by_label: BTreeMap<String, Figure<Ratio>>,
    pub by_person: BTreeMap<String, Figure<Ratio>>,
}

/// Estimate and actual time of a task.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TaskAccuracy {
    pub id: TaskId,
    pub estimate: u32,
    pub actual: i64,
    /// Actual time by estimate: above 1 it took longer
    pub ratio: f64,
    /// Actual time by adjusted estimate; absent without a multiplier
    pub ratio_adjusted: Option<f64>,
}

/// Actual time by estimate, over several tasks.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Ratio {
    pub samples: usize,
    /// All actual time by all estimates
    pub of_sums: f64,
    /// The same with adjusted estimates; absent without a multiplier
    pub of_sums_adjusted: Option<f64>,
    /// The ratios of the single tasks
    pub spread: Spread,
}

const HOW: &str = "time logged by estimate, over leaves that are done and have both; above 1 it took longer";

pub(super) fn accuracy(work: &Work<'_, '_>) -> Accuracy {
    let multiplier = work.input.multiplier;
    let sample = |leaf: &Leaf<'_>| {
        let estimate = leaf.task.estimate_minutes(None).filter(|&minutes| minutes > 0)?;
        let fits = work.done_at(leaf).is_some() && leaf.spent > 0;
        let ratio = in_float(leaf.spent) / f64::from(estimate);
        fits.then(|| TaskAccuracy {
            id: leaf.task.id,
            estimate,
            actual: leaf.spent,
            ratio,
            ratio_adjusted: multiplier.map(|by| ratio / by),
        })
    };
    let mut by_label: BTreeMap<String, Vec<TaskAccuracy>> = BTreeMap::new();
    let mut by_person: BTreeMap<String, Vec<TaskAccuracy>> = BTreeMap::new();
    let mut tasks = Vec::new();
    for leaf in &work.leaves {
        let Some(sample) = sample(leaf) else { continue };
        for label in leaf.task.labels.iter().collect::<std::collections::BTreeSet<_>>() {
            by_label.entry(label.clone()).or_default().push(sample.clone());
        }
        if let Some(person) = leaf.assignee {
            by_person.entry(person.to_owned()).or_default().push(sample.clone());
        }
        tasks.push(sample);
    }
    let groups = |groups: BTreeMap<String, Vec<TaskAccuracy>>| {
        groups.into_iter().map(|(name, samples)| (name, ratio(&samples, multiplier))).collect()
    };
    Accuracy { all: ratio(&tasks, multiplier), tasks, by_label: groups(by_label), by_person: groups(by_person) }
}

fn ratio(samples: &[TaskAccuracy], multiplier: Option<f64>) -> Figure<Ratio> {
    let spread = Spread::of(samples.iter().map(|sample| sample.ratio).collect());
    let have = spread.as_ref().map_or(0, |spread| spread.samples);
    let actual: i64 = samples.iter().map(|sample| sample.actual).sum();
    let estimate: u64 = samples.iter().map(|sample| u64::from(sample.estimate)).sum();
    let of_sums = in_float(actual) / in_float(i64::try_from(estimate).unwrap_or(i64::MAX));
    let value = spread.map(|spread| Ratio {
        samples: have,
        of_sums,
        of_sums_adjusted: multiplier.map(|by| of_sums / by),
        spread,
    });
    match value {
        Some(value) => Figure::of(have, SAMPLES, HOW, || value),
        None => Figure { value: super::Measured::NotEnough { have, need: SAMPLES }, how: HOW },
    }
}

#[expect(clippy::cast_precision_loss, reason = "no one works so long")]
fn in_float(minutes: i64) -> f64 {
    minutes as f64
}
