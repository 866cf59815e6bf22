//! Time between two signs of life that may not have been work.

use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Reading;
use crate::task::words;
use crate::when::Moment;

/// Clocks may differ so much without meaning anything.
const TOLERANCE: SignedDuration = SignedDuration::from_secs(60);

/// A stretch of doubtful time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gap {
    pub kind: GapKind,
    pub from: Moment,
    pub to: Moment,
    /// How long it is
    pub seconds: u64,
}

words!(
    /// Why time is in doubt.
    GapKind, "kind of gap", {
        /// Nothing was done
        Idle = "idle",
        /// The machine slept, or its clock was put forward
        Asleep = "asleep",
        /// The machine was started anew
        Restarted = "restarted",
    }
);

/// How long the machine's own clock went on between two readings; `None` where they cannot be compared.
fn machine_time(before: &Reading, now: &Reading) -> Option<SignedDuration> {
    let (before, now) = (before.machine.as_ref()?, now.machine.as_ref()?);
    let passed = now.milliseconds.checked_sub(before.milliseconds).filter(|_| before.boot == now.boot)?;
    i64::try_from(passed).ok().map(SignedDuration::from_millis)
}

/// How far the wall clock was put back between two readings.
pub(super) fn put_back(before: &Reading, now: &Reading) -> Option<SignedDuration> {
    let passed = before.at.until(now.at);
    match machine_time(before, now) {
        Some(machine) => Some(machine - passed).filter(|back| *back > TOLERANCE),
        None => Some(-passed).filter(|back| *back > SignedDuration::ZERO),
    }
}

/// The doubtful time between two readings, of which the second is not earlier.
pub(super) fn between(before: &Reading, now: &Reading, limit_minutes: u32) -> Option<Gap> {
    let passed = before.at.until(now.at);
    let restarted = match (&before.machine, &now.machine) {
        (Some(before), Some(now)) => before.boot != now.boot,
        _ => false,
    };
    let slept = machine_time(before, now).map_or(SignedDuration::ZERO, |machine| passed - machine);
    let (kind, lost) = if restarted {
        (GapKind::Restarted, passed)
    } else if passed - slept.max(SignedDuration::ZERO) > SignedDuration::from_mins(i64::from(limit_minutes)) {
        (GapKind::Idle, passed)
    } else if slept > TOLERANCE {
        (GapKind::Asleep, slept)
    } else {
        return None;
    };
    let seconds = u64::try_from(lost.as_secs()).ok().filter(|&seconds| seconds > 0)?;
    // Nobody knows when it fell asleep. Whoever comes back to a machine that slept soon says so, so that is taken for the end.
    Some(Gap { kind, from: now.at.later(-lost), to: now.at, seconds })
}
