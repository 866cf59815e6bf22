//! A run that dies after any of its writes goes on and comes to the same end.

use handoff_engine::{After, Next, Run, Status, Step};
use handoff_model::when::Moment;
use proptest::prelude::*;
use serde_json::{Value, json};

fn now() -> Moment {
    "2026-11-15T09:15:03Z".parse().expect("a moment")
}

type Written = Run<String, Vec<String>>;

/// A driver whose every write is counted, and that dies before the write it is told to.
struct Driver {
    /// What is on disk
    written: Option<String>,
    /// What happened, in order; a step looks whether it happened before, as every step must
    deeds: Vec<String>,
    writes_left: usize,
}

struct Died;

impl Driver {
    fn write(&mut self, run: &Written) -> Result<(), Died> {
        self.writes_left = self.writes_left.checked_sub(1).ok_or(Died)?;
        self.written = Some(serde_json::to_string(run).expect("plain data"));
        Ok(())
    }

    /// A deed may die too: before it happened, or after.
    fn act(&mut self, deed: &str) -> Result<(), Died> {
        self.writes_left = self.writes_left.checked_sub(1).ok_or(Died)?;
        if !self.deeds.iter().any(|done| done == deed) {
            self.deeds.push(deed.to_owned());
        }
        self.writes_left = self.writes_left.checked_sub(1).ok_or(Died)?;
        Ok(())
    }

    fn drive(&mut self, steps: &[Step<String>], failing: &[(usize, u32)]) -> Result<Written, Died> {
        let mut run: Written = match &self.written {
            Some(text) => serde_json::from_str(text).expect("plain data"),
            None => {
                let run = Run::start("r1", steps.to_vec(), vec!["captured".to_owned()], now()).expect("plain data");
                self.write(&run)?;
                run
            }
        };
        while let Next::Perform(turn) = run.next() {
            run.begin(&turn.id, now());
            self.write(&run)?;
            let place = steps.iter().position(|step| step.id == turn.id).expect("plain data");
            let fails = failing.iter().any(|(at, times)| *at == place && turn.attempt <= *times);
            if fails {
                let after = run.failed(&turn.id, "no luck", now());
                self.write(&run)?;
                if after == After::Stop {
                    return Ok(run);
                }
                continue;
            }
            self.act(&turn.action)?;
            run.finished(&turn.id, json!({"deed": turn.action}), now());
            self.write(&run)?;
        }
        run.complete(now()).expect("plain data");
        self.write(&run)?;
        Ok(run)
    }
}

fn steps(count: usize) -> Vec<Step<String>> {
    (0..count).map(|at| Step { retries: 2, ..Step::new(format!("s{at}"), format!("deed {at}")) }).collect()
}

proptest! {
    #[test]
    fn whenever_it_dies_the_end_is_the_same(
        count in 1_usize..6,
        deaths in prop::collection::vec(0_usize..40, 0..6),
        failing in prop::collection::vec((0_usize..6, 1_u32..3), 0..3),
    ) {
        let steps = steps(count);
        let mut undisturbed = Driver { written: None, deeds: Vec::new(), writes_left: usize::MAX };
        let Ok(expected) = undisturbed.drive(&steps, &failing) else { panic!("nobody dies here") };
        let mut driver = Driver { written: None, deeds: Vec::new(), writes_left: 0 };
        for writes_left in deaths {
            driver.writes_left = writes_left;
            let _ = driver.drive(&steps, &failing);
        }
        driver.writes_left = usize::MAX;
        let Ok(end) = driver.drive(&steps, &failing) else { panic!("nobody dies here") };
        prop_assert_eq!(&driver.deeds, &undisturbed.deeds);
        prop_assert_eq!(end.status, Status::Completed);
        prop_assert_eq!(end.inputs, vec!["captured".to_owned()]);
        let outcomes = |run: &Written| run.steps.iter().map(|track| track.outcome.clone()).collect::<Vec<Value>>();
        let again: Written = serde_json::from_str(driver.written.as_deref().unwrap()).unwrap();
        prop_assert_eq!(outcomes(&again), outcomes(&expected));
    }

    #[test]
    fn a_list_that_changes_while_it_stands_still_repeats_nothing_and_forgets_nothing(
        count in 1_usize..6,
        death in 0_usize..30,
        new in prop::collection::vec((0_usize..8, 0_usize..8), 1..8),
    ) {
        let old = steps(count);
        let mut driver = Driver { written: None, deeds: Vec::new(), writes_left: death };
        let _ = driver.drive(&old, &[]);
        let Some(text) = driver.written.clone() else { return Ok(()) };
        let mut run: Written = serde_json::from_str(&text).unwrap();
        let mut changed: Vec<Step<String>> = Vec::new();
        for (id, deed) in new {
            if !changed.iter().any(|step| step.id == format!("s{id}")) {
                changed.push(Step::new(format!("s{id}"), format!("deed {deed}")));
            }
        }
        if run.status != Status::InProgress {
            return Ok(());
        }
        let was_done: Vec<String> =
            run.steps.iter().filter(|track| track.is_over()).map(|track| track.step.action.clone()).collect();
        let differences = run.adopt(changed.clone()).unwrap();
        let ids: Vec<&str> = run.steps.iter().map(|track| track.step.id.as_str()).collect();
        prop_assert_eq!(ids, changed.iter().map(|step| step.id.as_str()).collect::<Vec<_>>());
        prop_assert!(!differences.is_empty() || run.steps.len() == old.len());
        // What is performed from here on was either not done before, or stands in the list under another id as well.
        while let Next::Perform(turn) = run.next() {
            let times = changed.iter().filter(|step| step.action == turn.action).count();
            prop_assert!(!was_done.contains(&turn.action) || times > 1 || old.iter().any(|step| step.id == turn.id));
            run.begin(&turn.id, now());
            run.finished(&turn.id, Value::Null, now());
        }
        prop_assert!(run.complete(now()).is_ok());
        prop_assert_eq!(run.adopt(changed).unwrap(), vec![]);
    }
}
