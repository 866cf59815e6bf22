//! How a run goes: tries, choices, changed lists, ends.

use std::time::Duration;

use handoff_engine::{After, BadRun, Difference, Next, Progress, Run, Status, Step};
use handoff_model::when::Moment;
use serde_json::json;

fn now() -> Moment {
    "2026-11-15T09:15:03Z".parse().expect("a moment")
}

fn run(steps: &[(&str, &str)]) -> Run<String, ()> {
    let steps = steps.iter().map(|(id, action)| Step::new(*id, (*action).to_owned())).collect();
    Run::start("r1", steps, (), now()).expect("a list of steps")
}

fn turn(run: &Run<String, ()>) -> Option<(String, u32, bool)> {
    match run.next() {
        Next::Perform(turn) => Some((turn.id, turn.attempt, turn.was_cut_short)),
        Next::Finished => None,
    }
}

fn perform(run: &mut Run<String, ()>, id: &str) {
    run.begin(id, now());
    run.finished(id, json!("well"), now());
}

#[test]
fn a_try_that_was_cut_short_is_taken_up_under_its_own_number() {
    let mut run = run(&[("a", "x")]);
    run.begin("a", now());
    let mut again: Run<String, ()> = serde_json::from_str(&serde_json::to_string(&run).unwrap()).unwrap();
    assert_eq!(turn(&again), Some(("a".to_owned(), 1, true)));
    again.begin("a", now());
    again.failed("a", "no", now());
    assert_eq!(turn(&again), Some(("a".to_owned(), 2, false)));
}

#[test]
fn what_cannot_be_settled_is_tried_again_only_when_somebody_says_so() {
    let mut run = run(&[("a", "x"), ("b", "y")]);
    run.begin("a", now());
    run.unsettled("a", "nobody knows", now());
    assert_eq!(turn(&run), Some(("a".to_owned(), 1, true)));
    assert_eq!(run.current().and_then(|track| track.error.as_deref()), Some("nobody knows"));
    let mut passed_over = run.clone();
    passed_over.skip("a", now()).unwrap();
    assert_eq!(turn(&passed_over), Some(("b".to_owned(), 1, false)));
    run.from("a", now()).unwrap();
    assert_eq!(turn(&run), Some(("a".to_owned(), 2, false)));
}

#[test]
fn waits_grow_and_tries_end() {
    let step = Step { retries: 3, backoff_milliseconds: 500, ..Step::new("a", "x".to_owned()) };
    let mut run = Run::start("r1", vec![step], (), now()).unwrap();
    let mut waits = Vec::new();
    for _ in 0..4 {
        run.begin("a", now());
        waits.push(run.failed("a", "no", now()));
    }
    let wait = |milliseconds| After::Again(Duration::from_millis(milliseconds));
    assert_eq!(waits, [wait(500), wait(1000), wait(2000), After::Stop]);
    assert_eq!((run.steps[0].attempts, run.steps[0].error.as_deref()), (4, Some("no")));
}

#[test]
fn it_is_not_completed_while_a_step_is_open() {
    let mut run = run(&[("a", "x"), ("b", "y")]);
    perform(&mut run, "a");
    assert_eq!(run.complete(now()), Err(BadRun::NotFinished("b".to_owned())));
    run.skipped("b", "no git here", now());
    assert_eq!(run.complete(now()), Ok(()));
    assert_eq!((run.status, turn(&run)), (Status::Completed, None));
}

#[test]
fn only_and_from_choose_steps_and_name_those_that_are_not_there() {
    let mut one = run(&[("a", "x"), ("b", "y"), ("c", "z")]);
    one.only(&["b".to_owned()], now()).unwrap();
    assert_eq!(turn(&one).unwrap().0, "b");
    perform(&mut one, "b");
    assert_eq!(one.complete(now()), Ok(()));

    let mut other = run(&[("a", "x"), ("b", "y"), ("c", "z")]);
    for id in ["a", "b"] {
        perform(&mut other, id);
    }
    other.from("b", now()).unwrap();
    assert_eq!(turn(&other), Some(("b".to_owned(), 2, false)));
    assert!(other.steps[1].again && !other.steps[2].again);
    let error = other.from("d", now()).unwrap_err();
    assert_eq!(error.to_string(), "there is no step `d`: there are `a`, `b`, `c`");
}

#[test]
fn a_changed_list_is_told_and_what_was_done_stays_done() {
    let mut changed = run(&[("note", "write"), ("tell", "mail"), ("push", "git")]);
    for id in ["note", "tell"] {
        perform(&mut changed, id);
    }
    let list = [("note", "write more"), ("post", "mail"), ("check", "test"), ("push", "git twice")];
    let list = list.iter().map(|(id, action)| Step::new(*id, (*action).to_owned())).collect();
    let differences = changed.adopt(list).unwrap();
    assert_eq!(
        differences.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "step `note` was changed after it was done, and is not performed again",
            "step `tell` is called `post` now",
            "step `check` is new and is performed",
            "step `push` was changed and is performed as it is now",
        ]
    );
    assert_eq!(turn(&changed).unwrap().0, "check");

    let mut shorter = run(&[("a", "x"), ("b", "y")]);
    let differences = shorter.adopt(vec![Step::new("a", "x".to_owned())]).unwrap();
    assert_eq!(differences, [Difference::Removed { id: "b".to_owned(), was: Progress::Pending }]);
    assert_eq!(differences[0].to_string(), "step `b` is gone (pending) and is not performed");
}

#[test]
fn a_step_that_stands_in_no_list_is_performed_and_survives_a_change_of_the_list() {
    let mut run = run(&[("a", "x")]);
    perform(&mut run, "a");
    run.add(Step::new("extra", "z".to_owned()));
    run.begin("extra", now());
    let differences = run.adopt(vec![Step::new("a", "x".to_owned()), Step::new("b", "y".to_owned())]).unwrap();
    assert_eq!(differences, [Difference::Added { id: "b".to_owned() }]);
    perform(&mut run, "b");
    assert_eq!(turn(&run), Some(("extra".to_owned(), 1, true)));
    run.finished("extra", json!(null), now());
    assert_eq!(run.complete(now()), Ok(()));
}

#[test]
fn only_what_a_later_run_makes_up_for_is_carried_over() {
    let steps = vec![Step::new("note", "x"), Step { carries_over: true, ..Step::new("publish", "y") }];
    let mut run = Run::start("r1", steps, (), now()).unwrap();
    assert!(!run.carry_over(now()));
    run.begin("note", now());
    run.finished("note", json!(null), now());
    assert!(run.carry_over(now()));
    assert_eq!((run.status, run.steps[1].progress), (Status::CarriedOver, Progress::Pending));
}

#[test]
fn a_list_without_steps_or_with_one_id_twice_is_refused() {
    assert_eq!(Run::<String, ()>::start("r1", Vec::new(), (), now()).unwrap_err(), BadRun::NoSteps);
    let twice = vec![Step::new("a", "x"), Step::new("a", "y")];
    assert_eq!(Run::start("r1", twice, (), now()).unwrap_err(), BadRun::SameId("a".to_owned()));
}
