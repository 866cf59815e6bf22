//! What must hold after an operation was interrupted or failed.

use std::path::Path;

use crate::rig::{Sandbox, Seen};

use super::scenario::Scenario;

/// Which states are right after the fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allowed {
    /// The operation reported failure.
    Before,
    /// The operation reported success.
    After,
    /// It reported success, although something could not be read: what it tidies by the way may wait.
    AfterAll,
    /// Nobody was told anything.
    Either,
    /// Nobody was told anything, and it was asked for twice.
    Twice,
}

impl Allowed {
    fn is_equal(self, seen: &Seen, expected: &Seen) -> bool {
        if self == Self::AfterAll { seen.says_the_same(expected) } else { seen == expected }
    }
}

/// How often the change is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Done {
    Never,
    Once,
    Twice,
}

/// Checks a project after a fault with fresh processes: a reader, a writer elsewhere, and the operation asked for again.
///
/// Each of the three starts from the state the fault left, because any of them may be the next to come.
pub(crate) fn inspect(scenario: &Scenario, sandbox: &Sandbox, binary: &Path, allowed: Allowed) -> Result<(), String> {
    let beside = |name: &str| {
        let place = sandbox.root().with_extension(name);
        sandbox.copy_to(&place).map_err(|error| format!("cannot copy the state: {error}"))
    };
    let for_retry = beside("retry")?;
    let for_other = beside("other")?;
    let for_undo = scenario.undo.as_ref().map(|_| beside("undo")).transpose()?;
    let for_history = scenario.unsettled.as_ref().map(|_| beside("history")).transpose()?;

    let seen = Seen::look(sandbox, binary)?;
    let done = judge(scenario, &seen, allowed)?;
    if done != Done::Twice {
        retry(scenario, &for_retry, binary, done, allowed).map_err(|why| format!("asked again, {why}"))?;
    }
    if seen != Seen::Nothing {
        go_on(scenario, &for_other, binary).map_err(|why| format!("going on elsewhere, {why}"))?;
    }
    if let (Some(sandbox), Some(undo), Done::Once) = (&for_undo, &scenario.undo, done) {
        expect_success(sandbox, binary, undo)?;
        let seen = Seen::look(sandbox, binary)?;
        if seen != scenario.before {
            return Err(format!(
                "taking it back does not bring everything back: {}",
                seen.difference(&scenario.before)
            ));
        }
    }
    if let (Some(sandbox), Some(unsettled)) = (&for_history, &scenario.unsettled) {
        take_back(scenario, sandbox, binary, unsettled, done)
            .map_err(|why| format!("taking back the last change, {why}"))?;
    }
    Ok(())
}

/// `handoff undo` takes back the last change, or refuses when that is not in the log; it never takes an older one.
fn take_back(
    scenario: &Scenario,
    sandbox: &Sandbox,
    binary: &Path,
    unsettled: &Seen,
    done: Done,
) -> Result<(), String> {
    let expected = match done {
        Done::Never => unsettled,
        Done::Once => &scenario.before,
        Done::Twice => return Ok(()),
    };
    // What changes nothing that can be seen cannot be told from what was not done.
    if scenario.before == scenario.after {
        return Ok(());
    }
    let finished = sandbox.run(binary, &["undo"]).map_err(|error| error.to_string())?;
    if finished.code == Some(4) && done == Done::Once && finished.stderr.contains("not in it") {
        return Ok(());
    }
    if !finished.succeeded() {
        return Err(format!("`handoff undo` ends with {}", finished.brief()));
    }
    let seen = Seen::look(sandbox, binary)?;
    if seen == *expected { Ok(()) } else { Err(format!("another change is taken back: {}", seen.difference(expected))) }
}

/// How often the change is there; an error when it is there in part, or when the answer said otherwise.
fn judge(scenario: &Scenario, seen: &Seen, allowed: Allowed) -> Result<Done, String> {
    // An operation may do nothing but what the lenient comparison overlooks, so the exact one comes first.
    if allowed == Allowed::AfterAll && *seen == scenario.after && scenario.before != scenario.after {
        return Ok(Done::Once);
    }
    if allowed.is_equal(seen, &scenario.before) {
        // Operations that change nothing visible are both; for them there is nothing to hold against the answer.
        return match allowed {
            Allowed::After | Allowed::AfterAll if scenario.before != scenario.after => {
                Err(format!("answered success, but the change is not there: {}", seen.difference(&scenario.after)))
            }
            _ => Ok(Done::Never),
        };
    }
    if allowed.is_equal(seen, &scenario.after) {
        return match allowed {
            Allowed::Before => {
                Err(format!("reported failure, but the change is there: {}", seen.difference(&scenario.before)))
            }
            _ => Ok(Done::Once),
        };
    }
    if allowed == Allowed::Twice && *seen == scenario.again.0 {
        return Ok(Done::Twice);
    }
    Err(format!(
        "neither before nor after; against before: {}; against after: {}",
        seen.difference(&scenario.before),
        seen.difference(&scenario.after)
    ))
}

/// The operation again: it completes what was not done, and says the same as always to what was.
fn retry(scenario: &Scenario, sandbox: &Sandbox, binary: &Path, done: Done, allowed: Allowed) -> Result<(), String> {
    let (expected, code) = match done {
        Done::Never => (&scenario.after, Some(0)),
        Done::Once | Done::Twice => (&scenario.again.0, scenario.again.1),
    };
    let finished = sandbox.run(binary, &scenario.args).map_err(|error| error.to_string())?;
    if finished.code != code {
        return Err(format!("expected exit {code:?} but got {}", finished.brief()));
    }
    let seen = Seen::look(sandbox, binary)?;
    if !allowed.is_equal(&seen, expected) {
        return Err(format!("the state is wrong: {}", seen.difference(expected)));
    }
    // A refusal writes nothing and so need not sweep; `go_on` sees to the sweeping there.
    if !finished.succeeded() {
        return Ok(());
    }
    if !seen.lagging().is_empty() {
        return Err(format!("the directory name still lags behind: {}", seen.lagging().join(", ")));
    }
    // Asked for what is done already, it writes nothing, and an overview made from what could be read stays as it is.
    if allowed != Allowed::AfterAll || done == Done::Never {
        seen.same_overview(expected)?;
    }
    clean(sandbox)
}

/// One more successful write, after which nothing temporary may be left.
pub(crate) fn go_on(scenario: &Scenario, sandbox: &Sandbox, binary: &Path) -> Result<(), String> {
    expect_success(sandbox, binary, &scenario.other)?;
    clean(sandbox)
}

fn expect_success(sandbox: &Sandbox, binary: &Path, args: &[String]) -> Result<(), String> {
    let finished = sandbox.run(binary, args).map_err(|error| error.to_string())?;
    if finished.succeeded() {
        Ok(())
    } else {
        Err(format!("`handoff {}` fails with {}", args.join(" "), finished.brief()))
    }
}

fn clean(sandbox: &Sandbox) -> Result<(), String> {
    let leftovers = sandbox.leftovers();
    if leftovers.is_empty() { Ok(()) } else { Err(format!("temporary files are left: {}", leftovers.join(", "))) }
}
