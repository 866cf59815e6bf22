//! Letting go of work that nobody waits for any more.
//!
//! **Invariant:** a change that is being committed is finished. Whoever is stopped has changed nothing.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Result, StoreError};

/// A handle by which a request can be told to stop; its clones are the same handle.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    told: Arc<AtomicBool>,
    limit: Option<Limit>,
}

#[derive(Clone, Copy, Debug)]
struct Limit {
    end: Instant,
    given: Duration,
}

/// Why a request was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Somebody asked for it
    Cancelled,
    /// It took longer than this
    TimedOut(Duration),
}

impl Stop {
    /// Stops only when told to.
    pub fn never() -> Stop {
        Stop::default()
    }

    /// Stops after some time, or when told to.
    pub fn after(given: Duration) -> Stop {
        let end = Instant::now().checked_add(given);
        Stop { told: Arc::default(), limit: end.map(|end| Limit { end, given }) }
    }

    /// Tells whoever works under this handle to stop, at the next moment nothing is half done.
    pub fn stop(&self) {
        self.told.store(true, Ordering::Relaxed);
    }

    pub fn is_due(&self) -> bool {
        self.reason().is_some()
    }

    /// Why to stop now, if there is a reason.
    pub fn reason(&self) -> Option<Stopped> {
        if self.told.load(Ordering::Relaxed) {
            return Some(Stopped::Cancelled);
        }
        self.limit.filter(|limit| Instant::now() >= limit.end).map(|limit| Stopped::TimedOut(limit.given))
    }

    /// An error when it is time to stop. Cheap enough to ask for every record.
    pub fn check(&self) -> Result<()> {
        self.reason().map_or(Ok(()), |why| Err(StoreError::Stopped(why)))
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stopped::Cancelled => f.write_str("cancelled; nothing was changed"),
            Stopped::TimedOut(given) => write!(f, "gave up after {} s; nothing was changed", given.as_secs_f64()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_is_the_same_handle() {
        let stop = Stop::never();
        let clone = stop.clone();
        assert!(clone.check().is_ok());
        stop.stop();
        assert_eq!(clone.reason(), Some(Stopped::Cancelled));
        assert_eq!(clone.check().unwrap_err().to_string(), "cancelled; nothing was changed");
    }

    #[test]
    fn time_runs_out_and_being_told_comes_first() {
        let stop = Stop::after(Duration::ZERO);
        assert_eq!(stop.reason(), Some(Stopped::TimedOut(Duration::ZERO)));
        assert!(Stop::after(Duration::from_hours(1)).reason().is_none());
        assert!(Stop::after(Duration::MAX).reason().is_none());
        stop.stop();
        assert_eq!(stop.reason(), Some(Stopped::Cancelled));
        let thirty = Stopped::TimedOut(Duration::from_secs(30));
        assert_eq!(thirty.to_string(), "gave up after 30 s; nothing was changed");
    }
}
