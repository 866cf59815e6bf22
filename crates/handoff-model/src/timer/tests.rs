//! The timer, day by day: 2026-11-16 from nine o'clock on.

use proptest::prelude::*;

use super::*;

const ANN: &str = "ann";

fn a() -> TaskId {
    "k7f3q2ma".parse().unwrap()
}

fn b() -> TaskId {
    "m2x9a4te".parse().unwrap()
}

fn at(minutes: i64) -> Moment {
    "2026-11-16T09:00:00Z".parse::<Moment>().unwrap().later(SignedDuration::from_mins(minutes))
}

/// Minutes after nine by the wall clock, and by that of the machine.
fn clocks(wall: i64, machine: u64) -> Reading {
    let machine = MachineClock { boot: "one".to_owned(), milliseconds: 1_000_000 + machine * 60_000 };
    Reading { at: at(wall), machine: Some(machine) }
}

fn both(minutes: i64) -> Reading {
    clocks(minutes, minutes.unsigned_abs())
}

fn start(task: TaskId) -> Command {
    Command::Start { task, session: Some("2026-11-16-a3f9c12e".to_owned()) }
}

/// Follows commands and collects what is logged.
struct Day {
    timer: Option<Timer>,
    log: Vec<Interval>,
    left_out: Vec<Gap>,
}

impl Day {
    fn new() -> Day {
        Day { timer: None, log: Vec::new(), left_out: Vec::new() }
    }

    fn then(mut self, command: Command, now: &Reading) -> Day {
        let step = step(self.timer.take(), ANN, command, now, IDLE_MINUTES).unwrap();
        // Kept in a file between any two commands.
        let kept = serde_json::to_string(&step.timer).unwrap();
        self.timer = serde_json::from_str(&kept).unwrap();
        assert_eq!(self.timer, step.timer);
        self.log.extend(step.intervals);
        self.left_out.extend(step.left_out);
        self
    }

    /// Activity every five minutes.
    fn busy(mut self, from: i64, to: i64) -> Day {
        for minute in (from..=to).step_by(5) {
            self = self.then(Command::Activity, &both(minute));
        }
        self
    }

    /// Each interval as its first and last minute after nine, and its length.
    fn logged(&self) -> Vec<(i64, i64, i64)> {
        let minutes = |moment: Moment| at(0).until(moment).as_mins();
        let show = |it: &Interval| (minutes(it.started_at), minutes(it.ended_at.unwrap()), it.length_minutes());
        self.log.iter().map(show).collect()
    }
}

#[test]
fn start_and_stop_log_one_interval_with_its_session() {
    let day = Day::new().then(start(a()), &both(0)).then(Command::Stop(Doubtful::Discard), &both(95));
    assert_eq!(day.logged(), [(0, 95, 95)]);
    let interval = &day.log[0];
    assert_eq!((interval.task, interval.who.as_str(), interval.source), (a(), ANN, TimeSource::Timer));
    assert_eq!(interval.session.as_deref(), Some("2026-11-16-a3f9c12e"));
    assert_eq!(day.timer, None);
}

#[test]
fn pauses_do_not_count() {
    let day = Day::new()
        .then(start(a()), &both(0))
        .then(Command::Pause(Doubtful::Discard), &both(30))
        .then(Command::Resume, &both(50))
        .then(Command::Stop(Doubtful::Discard), &both(60));
    assert_eq!(day.logged(), [(0, 30, 30), (50, 60, 10)]);
    let paused = Day::new().then(start(a()), &both(0)).then(Command::Pause(Doubtful::Discard), &both(30));
    assert_eq!(paused.then(Command::Stop(Doubtful::Discard), &both(90)).logged(), [(0, 30, 30)]);
}

#[test]
fn switching_ends_one_task_and_begins_the_other_at_the_same_moment() {
    let switch = Command::Switch { task: b(), session: None, doubtful: Doubtful::Discard };
    let day = Day::new().then(start(a()), &both(0)).then(switch.clone(), &both(20));
    let day = day.then(Command::Stop(Doubtful::Discard), &both(50));
    assert_eq!(day.logged(), [(0, 20, 20), (20, 50, 30)]);
    assert_eq!(day.log.iter().map(|it| it.task).collect::<Vec<_>>(), [a(), b()]);
    assert_eq!(Day::new().then(switch, &both(0)).timer.unwrap().task, b(), "from nothing it is a start");
}

#[test]
fn commands_that_make_no_sense_are_refused_and_starting_twice_is_not() {
    let running = Day::new().then(start(a()), &both(0)).timer;
    let refused = |timer: &Option<Timer>, command| {
        step(timer.clone(), ANN, command, &both(5), IDLE_MINUTES).unwrap_err().to_string()
    };
    assert_eq!(
        refused(&running, start(b())),
        "a timer is already running on `k7f3q2ma` since 2026-11-16T09:00:00Z: switch to the other task, or stop it first"
    );
    assert_eq!(refused(&running, Command::Resume), "the timer on `k7f3q2ma` is not paused");
    for command in [Command::Stop(Doubtful::Keep), Command::Resume, Command::Discard, Command::Activity] {
        assert_eq!(refused(&None, command), "no timer is running");
    }
    let again = step(running.clone(), ANN, start(a()), &both(5), IDLE_MINUTES).unwrap().timer.unwrap();
    assert_eq!(again.since, at(0));
    let paused = step(running, ANN, Command::Pause(Doubtful::Discard), &both(5), IDLE_MINUTES).unwrap().timer;
    assert!(refused(&paused, Command::Pause(Doubtful::Discard)).contains("paused already"));
    assert_eq!(step(paused, ANN, start(a()), &both(9), IDLE_MINUTES).unwrap().timer.unwrap().phase, Phase::Running);
}

#[test]
fn silence_beyond_the_limit_is_left_out_kept_or_split_off() {
    let idle = || Day::new().then(start(a()), &both(0)).busy(5, 20);
    let left_out = idle().then(Command::Stop(Doubtful::Discard), &both(50));
    assert_eq!(left_out.logged(), [(0, 20, 20)]);
    assert_eq!((left_out.left_out[0].kind, left_out.left_out[0].seconds), (GapKind::Idle, 1_800));
    assert_eq!(idle().then(Command::Stop(Doubtful::Keep), &both(50)).logged(), [(0, 50, 50)]);
    let split = idle().then(Command::Stop(Doubtful::Split), &both(50));
    assert_eq!(split.logged(), [(0, 20, 20), (20, 50, 30)]);
    assert_eq!(split.log[1].note.as_deref(), Some("idle"));
    let short = idle().then(Command::Stop(Doubtful::Discard), &both(29));
    assert_eq!(short.logged(), [(0, 29, 29)], "nine minutes are no doubt");
}

#[test]
fn activity_after_silence_remembers_the_gap_until_somebody_decides() {
    let back = || Day::new().then(start(a()), &both(0)).busy(5, 20).busy(60, 80);
    assert_eq!(back().then(Command::Stop(Doubtful::Discard), &both(85)).logged(), [(0, 20, 20), (60, 85, 25)]);
    let kept = back().then(Command::Decide(Doubtful::Keep), &both(81));
    assert_eq!(kept.then(Command::Stop(Doubtful::Discard), &both(85)).logged(), [(0, 85, 85)]);
    let decided = back().then(Command::Decide(Doubtful::Discard), &both(81));
    assert_eq!(decided.logged(), [(0, 20, 20), (60, 81, 21)]);
    assert_eq!(decided.then(Command::Stop(Doubtful::Discard), &both(85)).logged()[2], (81, 85, 4));
}

#[test]
fn without_anybody_who_reports_activity_silence_counts_for_a_working_day() {
    let quiet = |end| Day::new().then(start(a()), &both(0)).then(Command::Stop(Doubtful::Discard), &both(end));
    assert_eq!(quiet(7 * 60).logged(), [(0, 420, 420)]);
    assert_eq!(quiet(16 * 60).logged(), [], "a night is not work");
    assert_eq!(quiet(16 * 60).left_out.len(), 1);
}

#[test]
fn sleep_is_taken_off_although_nobody_saw_when_it_was() {
    // Nine to five with an hour asleep: the machine's clock saw seven hours.
    let day = Day::new().then(start(a()), &clocks(0, 0)).then(Command::Stop(Doubtful::Discard), &clocks(480, 420));
    assert_eq!(day.logged(), [(0, 420, 420)]);
    assert_eq!((day.left_out[0].kind, day.left_out[0].seconds), (GapKind::Asleep, 3_600));
    let kept = Day::new().then(start(a()), &clocks(0, 0)).then(Command::Stop(Doubtful::Keep), &clocks(480, 420));
    assert_eq!(kept.logged(), [(0, 480, 480)]);
    let split = Day::new().then(start(a()), &clocks(0, 0)).then(Command::Stop(Doubtful::Split), &clocks(480, 420));
    assert_eq!(split.log.iter().map(Interval::length_minutes).sum::<i64>(), 480);
    assert!(split.log.iter().any(|it| it.note.as_deref() == Some("asleep") && it.length_minutes() == 60));
}

#[test]
fn a_clock_that_is_put_back_neither_adds_nor_loses_time() {
    let day = Day::new().then(start(a()), &clocks(0, 0)).then(Command::Activity, &clocks(-55, 5));
    assert_eq!(day.timer.as_ref().unwrap().since, at(-60));
    assert_eq!(day.then(Command::Stop(Doubtful::Discard), &clocks(-50, 10)).logged(), [(-60, -50, 10)]);
    let blind = |minutes| Reading { at: at(minutes), machine: None };
    let day = Day::new().then(start(a()), &blind(0)).then(Command::Stop(Doubtful::Discard), &blind(-30));
    assert_eq!(day.logged(), [], "what cannot be known does not count");
}

#[test]
fn a_timer_that_outlived_its_machine_ends_with_its_last_sign_of_life() {
    let rebooted = Reading { at: at(900), machine: Some(MachineClock { boot: "two".to_owned(), milliseconds: 5_000 }) };
    let day = Day::new().then(start(a()), &both(0)).busy(5, 40);
    let shown = status(day.timer.as_ref().unwrap(), &rebooted, IDLE_MINUTES);
    assert_eq!((shown.seconds, shown.doubtful.len()), (2_400, 1));
    let day = day.then(Command::Stop(Doubtful::Discard), &rebooted);
    assert_eq!(day.logged(), [(0, 40, 40)]);
    assert_eq!(day.left_out[0].kind, GapKind::Restarted);
}

#[test]
fn discarding_logs_nothing_and_says_how_much() {
    let timer = Day::new().then(start(a()), &both(0)).timer;
    let step = step(timer, ANN, Command::Discard, &both(12), IDLE_MINUTES).unwrap();
    assert_eq!((step.discarded_seconds, step.intervals.len(), step.timer), (720, 0, None));
}

fn commands() -> impl Strategy<Value = Vec<(Command, i64, i64)>> {
    let doubtful = || prop_oneof![Just(Doubtful::Keep), Just(Doubtful::Discard), Just(Doubtful::Split)];
    let task = || prop_oneof![Just(a()), Just(b())];
    let command = prop_oneof![
        task().prop_map(|task| Command::Start { task, session: None }),
        doubtful().prop_map(Command::Stop),
        doubtful().prop_map(Command::Pause),
        Just(Command::Resume),
        (task(), doubtful()).prop_map(|(task, doubtful)| Command::Switch { task, session: None, doubtful }),
        Just(Command::Discard),
        Just(Command::Activity),
        doubtful().prop_map(Command::Decide),
    ];
    prop::collection::vec((command, 0..40_i64, prop_oneof![4 => Just(0), 1 => 2..90_i64]), 0..30)
}

proptest! {
    /// The machine's clock is the truth: no more can be worked than it saw, except what is kept by choice.
    #[test]
    fn no_time_is_counted_twice_and_never_more_than_the_machine_was_awake(commands in commands()) {
        let (mut wall, mut machine) = (0, 0_u64);
        let mut timer = None;
        let mut log: Vec<Interval> = Vec::new();
        let mut kept = false;
        for (command, minutes, asleep) in commands {
            wall += minutes + asleep;
            machine += minutes.unsigned_abs();
            let now = clocks(wall, machine);
            kept |= matches!(
                &command,
                Command::Stop(choice) | Command::Pause(choice) | Command::Decide(choice)
                    | Command::Switch { doubtful: choice, .. } if *choice != Doubtful::Discard
            );
            if let Ok(done) = step(timer.clone(), ANN, command, &now, IDLE_MINUTES) {
                timer = done.timer;
                log.extend(done.intervals);
            }
        }
        let sum: i64 = log.iter().map(Interval::length_minutes).sum();
        let most = if kept { wall } else { i64::try_from(machine).unwrap() };
        prop_assert!(sum <= most, "{sum} of {most}");
        for interval in &log {
            prop_assert!(interval.length_seconds() > 0);
        }
        if !kept {
            for pair in log.windows(2) {
                prop_assert!(pair[0].ended_at.unwrap() <= pair[1].started_at);
            }
        }
    }
}
