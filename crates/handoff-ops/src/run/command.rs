//! A step of a handover that runs a command: an argument list, without a shell.
//!
//! **Invariant:** for one [`Key`] a command is run at most once, whoever is killed and when, unless it says that it may be
//! repeated. It is run by a process of its own, which notes that it begins before it does and how it ended before it lets
//! go of the lock of the step (`supervise.rs`). So whoever has that lock and reads the notes knows all that can be known.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use handoff_store::{DIRECTORY, StepAttempt, StepLock, StepNote, StoreError};
use serde::{Deserialize, Serialize};

use crate::{Hint, OpError, Project};

mod ended;
mod plan;
mod start;
mod supervise;
mod tail;

pub use ended::{End, Ran};
use plan::Plan;
use start::{Supervisor, Watched};
pub use supervise::supervise;

/// The command by which this program is told to watch over a command; for nobody else.
pub const SUPERVISE: &str = "__watch-command";

/// A command as a handover names it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandStep {
    /// The program and its arguments, each as it is
    pub argv: Vec<String>,
    /// The directory to run it in, inside the project; the project's own when absent
    pub cwd: Option<String>,
    /// Variables that are set for it
    pub env: BTreeMap<String, String>,
    /// The variables it is left of ours; all when absent
    pub inherit: Option<BTreeSet<String>>,
    /// When it is ended, with all that it started
    pub timeout: Duration,
    /// Whether running it twice comes to the same as running it once
    pub repeatable: bool,
    /// What it can read; nothing when absent
    pub stdin: Option<String>,
}

/// What tells one execution of a command from every other; it is told to the command, too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    pub run: String,
    /// What the step is called
    pub step: String,
    /// What it is known by, also when it is called otherwise
    pub known_by: String,
    pub attempt: u32,
}

/// Why there is no good end to tell of. Each is treated in another way.
#[derive(Debug)]
pub enum NotRun {
    /// Nothing happened
    NotStarted(OpError),
    /// It ran, and ended badly or too late
    Failed(OpError),
    /// It may have happened or not, and nobody will ever tell
    Unknown(OpError),
    /// It goes on; asking again with the same key gives its end
    Unfinished(OpError),
}

impl NotRun {
    /// What to tell.
    pub fn into_error(self) -> OpError {
        match self {
            NotRun::NotStarted(error) | NotRun::Failed(error) | NotRun::Unknown(error) | NotRun::Unfinished(error) => {
                error
            }
        }
    }
}

/// What the one who watches over a command is told.
#[derive(Debug, Serialize, Deserialize)]
struct Order {
    key: Key,
    step: CommandStep,
    /// How often it had begun when this was written. Whoever finds another number comes too late.
    begun: u32,
}

/// Longer than it takes to end what does not want to end, and to note it, on a busy machine.
const GRACE: Duration = Duration::from_secs(30);
/// How often a command that may be repeated is begun in one go when whoever watches over it dies.
const MOST_BEGINNINGS: u32 = 3;

/// Runs a command to its end, unless it was run before under this key: then its end is told again.
pub fn perform(project: &Project, step: &CommandStep, key: &Key) -> Result<Ran, NotRun> {
    let store = project.store();
    let attempt = StepAttempt::new(&key.run, &key.known_by, key.attempt);
    let patience = step.timeout.saturating_add(GRACE);
    let (mut began_here, mut complaint) = (0, None::<String>);
    loop {
        let held = match store.lock_step(&attempt, patience, &project.stop) {
            Ok(Some(held)) => held,
            Ok(None) | Err(StoreError::Stopped(_)) => return Err(goes_on(key)),
            Err(error) => return Err(NotRun::NotStarted(error.into())),
        };
        let notes = Notes::read(&held, &attempt).map_err(NotRun::Unknown)?;
        if let Some(mut ran) = notes.ended {
            ran.was_there = began_here == 0;
            return ran.judged(step, key);
        }
        if let Some(why) = complaint.take().filter(|_| notes.begun == 0) {
            let message = format!("nobody could watch over the command of step `{}`", key.step);
            return Err(NotRun::NotStarted(OpError::failure(message).caused_by(why)));
        }
        let may_begin = notes.begun == 0 || step.repeatable;
        if !may_begin || began_here == MOST_BEGINNINGS {
            return Err(unknown(step, key));
        }
        let supervisor = prepare(project, step, key, &notes).and_then(|order| {
            held.write(&attempt, StepNote::Order, &order)?;
            Supervisor::of(project, &attempt)
        });
        drop(held);
        let mut supervisor = supervisor.and_then(Supervisor::start).map_err(NotRun::NotStarted)?;
        began_here += 1;
        match supervisor.wait(Instant::now() + patience, &project.stop) {
            Watched::Ended => {}
            Watched::GoesOn => return Err(goes_on(key)),
            Watched::Complained(why) => complaint = Some(why),
        }
    }
}

/// Forgets how the commands of a run ended, once nobody will ask again.
pub fn forget(project: &Project, run: &str) -> Result<(), OpError> {
    Ok(project.store().forget_steps(run)?)
}

/// The order, once it is clear that it can be carried out here.
fn prepare(project: &Project, step: &CommandStep, key: &Key, notes: &Notes) -> Result<String, OpError> {
    let path = project.place.env.get("PATH").map(ToOwned::to_owned);
    Plan::of(step, &root_of(project.store().path()), path.as_deref())?;
    let order = Order { key: key.clone(), step: step.clone(), begun: notes.begun };
    Ok(serde_json::to_string(&order).expect("an order is plain data"))
}

/// The directory whose memory a store is.
fn root_of(store: &Path) -> PathBuf {
    let around = store.parent().filter(|_| store.ends_with(DIRECTORY));
    around.unwrap_or(store).to_owned()
}

/// What is known of an attempt.
struct Notes {
    begun: u32,
    ended: Option<Ran>,
}

impl Notes {
    fn read(held: &StepLock, attempt: &StepAttempt) -> Result<Notes, OpError> {
        let begun = held.read(attempt, StepNote::Begun)?;
        // A note that nobody can read is still one that it began.
        let begun = begun.map_or(0, |text| text.trim().parse().unwrap_or(1).max(1));
        let ended = held.read(attempt, StepNote::Ended)?.and_then(|text| serde_json::from_str(&text).ok());
        Ok(Notes { begun, ended })
    }
}

/// How the sentence about a command ends that goes on.
const GOES_ON: &str = "goes on; nobody waits for it any more";

/// Whether what was written down of a step says that its command goes on, so that its end will be known.
pub(super) fn says_it_goes_on(error: &str) -> bool {
    error.ends_with(GOES_ON)
}

fn goes_on(key: &Key) -> NotRun {
    NotRun::Unfinished(
        OpError::failure(format!("the command of step `{}` {GOES_ON}", key.step))
            .hint(Hint::say("`handoff run` takes its end into account once it has ended, and does not run it again")),
    )
}

fn unknown(step: &CommandStep, key: &Key) -> NotRun {
    let message = format!(
        "the command of step `{}` began, and nobody saw its end: it may have happened or not, so it is not run again",
        key.step
    );
    NotRun::Unknown(
        OpError::refused(message)
            .detail(format!("it was `{}`", step.argv.join(" ")))
            .hint(Hint::say(format!("where it did happen: `handoff run --skip {}`", key.step)))
            .hint(Hint::say(format!("where it did not: `handoff run --from {}` runs it again", key.step)))
            .hint(Hint::say("`repeatable = true` in the step lets handoff run such a command again by itself")),
    )
}
