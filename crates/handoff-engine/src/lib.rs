//! A handover as resumable steps: this crate says what comes next, and never does it.
//!
//! **Invariant:** no I/O, no clock, no randomness. A [`Run`] is plain data; whoever drives it writes it down before and
//! after each step, so that a run that dies at any instant is noticed and goes on where it stopped.
//!
//! **Invariant:** a run is completed only when each of its steps is done or was passed over for a reason that is told.
//!
//! The steps are the driver's own: any type that can be written down will do, and so will what a run is given to work
//! with. This is the whole of a driver:
//!
//! ```
//! use handoff_engine::{Next, Run, Step};
//! use handoff_model::when::Moment;
//!
//! let now: Moment = "2026-11-15T09:15:03Z".parse()?;
//! let steps = vec![Step::new("write", "a note"), Step::new("publish", "to the others")];
//! let mut run = Run::start("r1", steps, "what was done", now)?;
//! while let Next::Perform(turn) = run.next() {
//!     run.begin(&turn.id, now);
//!     // … write the run down; it is known from here on that the step may have happened …
//!     println!("{} {}, of {:?}", turn.id, turn.action, run.inputs);
//!     run.finished(&turn.id, serde_json::Value::Null, now);
//!     // … write the run down …
//! }
//! run.complete(now)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod differences;
mod fingerprint;
mod run;
mod step;

pub use differences::Difference;
pub use fingerprint::{fingerprint, mark};
pub use run::{After, BadRun, Next, Run, Status, Turn};
pub use step::{Progress, Step, Track};
