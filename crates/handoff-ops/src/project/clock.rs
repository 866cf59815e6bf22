//! The time and the randomness of one request.

use std::time::Duration;

use handoff_model::id::{SessionId, TaskId};
use handoff_model::timer::{MachineClock, Reading};
use handoff_model::when::Moment;

use super::Environment;

/// Fixes the time of a request, so that what it writes can be repeated byte for byte.
const FIXED_TIME: &str = "HANDOFF_CLOCK";
/// Fixes the ids a request makes, for the same purpose.
const FIXED_IDS: &str = "HANDOFF_ID_SEED";
/// Fixes the machine's own clock: which start of the machine, and its milliseconds since, as in `boot:90000`.
const FIXED_MACHINE: &str = "HANDOFF_MACHINE_CLOCK";
/// How many times as long as usual a request waits for others, on a machine that is slow or busy.
const PATIENCE: &str = "HANDOFF_PATIENCE";
/// Nobody is more patient than this.
const MOST_PATIENCE: u32 = 1_000;

pub(super) struct Clock {
    /// To the millisecond
    pub(super) instant: Moment,
    is_fixed: bool,
    machine: Option<MachineClock>,
    seed: Option<u64>,
    patience: u32,
}

impl Clock {
    pub(super) fn of(env: &Environment) -> Clock {
        let fixed: Option<Moment> = env.text(FIXED_TIME).and_then(|text| text.parse().ok());
        Clock {
            instant: fixed.unwrap_or_else(present),
            is_fixed: fixed.is_some(),
            machine: env.text(FIXED_MACHINE).and_then(machine_clock),
            seed: env.text(FIXED_IDS).and_then(|text| text.parse().ok()),
            patience: env.text(PATIENCE).and_then(|text| text.parse().ok()).unwrap_or(1).clamp(1, MOST_PATIENCE),
        }
    }

    /// What time it is by now, unless that is fixed.
    pub(super) fn at_present(&self) -> Moment {
        if self.is_fixed { self.instant } else { present() }
    }

    /// What the clocks say by now. A wall clock that is fixed cannot be compared with a machine's that is not.
    pub(super) fn reading(&self) -> Reading {
        let machine = match &self.machine {
            Some(machine) => Some(machine.clone()),
            None if self.is_fixed => None,
            None => handoff_store::machine_clock(),
        };
        Reading { at: self.at_present().in_seconds(), machine }
    }

    pub(super) fn patient(&self, usual: Duration) -> Duration {
        usual.saturating_mul(self.patience)
    }

    pub(super) fn new_task_id(&mut self) -> TaskId {
        TaskId::from_random(self.random())
    }

    pub(super) fn new_session_id(&mut self) -> SessionId {
        let [a, b, c, d, ..] = self.random();
        SessionId::from_random([a, b, c, d])
    }

    fn random(&mut self) -> [u8; 8] {
        let Some(seed) = &mut self.seed else { return handoff_store::random() };
        *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (*seed ^ (*seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)).to_le_bytes()
    }
}

fn machine_clock(text: &str) -> Option<MachineClock> {
    let (boot, milliseconds) = text.split_once(':')?;
    Some(MachineClock { boot: boot.to_owned(), milliseconds: milliseconds.parse().ok()? })
}

/// The time it is for whoever has this environment.
pub(crate) fn present_time(env: &Environment) -> Moment {
    Clock::of(env).instant
}

fn present() -> Moment {
    Moment::precise(jiff::Timestamp::now())
}
