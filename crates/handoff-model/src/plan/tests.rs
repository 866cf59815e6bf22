//! Plans that were worked out by hand. 2026-11-16 is a Monday; a day has eight hours, 480 minutes.

use super::*;
use crate::config::{Assignee, Calendar};
use crate::text::Name;

mod dates;
mod table;

fn id(name: &str) -> TaskId {
    format!("{name:x<8}").parse().unwrap()
}

fn day(text: &str) -> Day {
    text.parse().unwrap()
}

fn task(name: &str, work: u32) -> PlanTask {
    PlanTask {
        id: id(name),
        parent: None,
        status: Status::Todo,
        priority: None,
        work: Some(work),
        dependencies: Vec::new(),
        assignee: None,
        start: None,
        due: None,
        pinned: false,
        milestone: None,
        place: 0,
    }
}

impl PlanTask {
    fn after(mut self, names: &[&str]) -> Self {
        self.dependencies = names.iter().map(|name| id(name)).collect();
        self
    }
    fn by(mut self, who: &str) -> Self {
        self.assignee = Some(who.to_owned());
        self
    }
    fn under(mut self, parent: &str) -> Self {
        self.parent = Some(id(parent));
        self
    }
    fn dated(mut self, start: &str, due: &str) -> Self {
        (self.start, self.due) = (start.parse().ok(), due.parse().ok());
        self
    }
    fn pinned(mut self) -> Self {
        self.pinned = true;
        self
    }
    fn is(mut self, status: Status) -> Self {
        self.status = status;
        self
    }
    fn priority(mut self, priority: Priority) -> Self {
        self.priority = Some(priority);
        self
    }
    fn towards(mut self, milestone: &str) -> Self {
        self.milestone = Some(milestone.to_owned());
        self
    }
}

struct Given {
    tasks: Vec<PlanTask>,
    calendar: WorkCalendar,
    milestones: BTreeMap<String, Day>,
    today: Day,
}

fn given(tasks: impl IntoIterator<Item = PlanTask>) -> Given {
    let tasks = tasks.into_iter().enumerate().map(|(place, task)| PlanTask { place, ..task }).collect();
    Given { tasks, calendar: WorkCalendar::default(), milestones: BTreeMap::new(), today: day("2026-11-16") }
}

impl Given {
    fn on(mut self, today: &str) -> Self {
        self.today = day(today);
        self
    }
    fn calendar(mut self, toml: &str) -> Self {
        #[derive(serde::Deserialize)]
        struct File {
            #[serde(default)]
            calendar: Calendar,
            #[serde(default)]
            assignees: BTreeMap<Name, Assignee>,
        }
        let file: File = toml::from_str(toml).unwrap();
        self.calendar = WorkCalendar::new(&file.calendar, &file.assignees);
        self
    }
    fn milestone(mut self, name: &str, date: &str) -> Self {
        self.milestones.insert(name.to_owned(), day(date));
        self
    }
    fn input(&self) -> PlanInput<'_> {
        let present = PresentDates::Wished;
        PlanInput {
            tasks: &self.tasks,
            calendar: &self.calendar,
            milestones: &self.milestones,
            today: self.today,
            present,
        }
    }
    fn plan(&self) -> Plan {
        plan(self.input())
    }
    /// A line for each task: its name, then month, day and minutes of its days.
    fn days(&self) -> String {
        let line = |task: &PlannedTask| {
            let days: Vec<String> =
                task.days.iter().map(|work| format!("{}:{}", &work.day.to_string()[5..], work.minutes)).collect();
            format!("{} {}", short(task.id), days.join(" "))
        };
        self.plan().tasks.iter().map(line).collect::<Vec<_>>().join("\n")
    }
    fn problems(&self) -> Vec<String> {
        self.plan().problems.iter().map(ToString::to_string).collect()
    }
}

fn short(id: TaskId) -> String {
    id.as_str().trim_end_matches('x').to_owned()
}

#[test]
fn a_chain_takes_one_day_after_the_other_and_not_all_on_one() {
    let chain = given([task("a", 480), task("b", 480).after(&["a"]), task("c", 480).after(&["b"])]);
    assert_eq!(chain.days(), "a 11-16:480\nb 11-17:480\nc 11-18:480");
    let across_people = given([
        task("a", 480).by("ann"),
        task("b", 480).by("bob").after(&["a"]),
        task("c", 60).by("cat").after(&["b"]),
    ]);
    assert_eq!(across_people.days(), "a 11-16:480\nb 11-17:480\nc 11-18:60");
}

#[test]
fn what_follows_begins_on_the_same_day_if_minutes_remain() {
    let parts = given([task("a", 300), task("b", 300).after(&["a"]), task("c", 600).after(&["b"])]);
    assert_eq!(parts.days(), "a 11-16:300\nb 11-16:180 11-17:120\nc 11-17:360 11-18:240");
    let two_people =
        given([task("a", 300).by("ann"), task("b", 300).by("bob").after(&["a"]), task("c", 100).by("bob")]);
    assert_eq!(two_people.days(), "a 11-16:300\nb 11-16:180 11-17:120\nc 11-16:100", "Bob is free until Ann is done");
}

#[test]
fn two_people_work_side_by_side_and_nobodys_work_has_a_row_of_its_own() {
    let both = given([task("a", 600).by("ann"), task("b", 600).by("bob"), task("c", 60), task("d", 600).by("ann")]);
    assert_eq!(both.days(), "a 11-16:480 11-17:120\nb 11-16:480 11-17:120\nc 11-16:60\nd 11-17:360 11-18:240");
    let part_time = given([task("a", 300).by("ann")])
        .calendar("[assignees.ann]\nwork_hours_per_day = 2\nclosed_weekdays = [\"tue\", \"sat\", \"sun\"]");
    assert_eq!(part_time.days(), "a 11-16:120 11-18:120 11-19:60");
}

#[test]
fn closed_days_are_stepped_over() {
    let holiday = given([task("a", 1_200)])
        .on("2026-12-24")
        .calendar("[calendar]\nclosed_dates = [2026-12-25]\nday_hours = { 2026-12-24 = 4 }");
    assert_eq!(holiday.days(), "a 12-24:240 12-28:480 12-29:480");
    let weekend = given([task("a", 60)]).on("2026-11-21");
    assert_eq!(weekend.days(), "a 11-23:60");
    let open_saturday = given([task("a", 700)]).on("2026-11-20").calendar("[calendar]\nopen_dates = [2026-11-21]");
    assert_eq!(open_saturday.days(), "a 11-20:480 11-21:220");
}

#[test]
fn clock_changes_and_leap_days_shift_nothing() {
    for friday in ["2026-03-27", "2026-10-23", "2026-03-06", "2026-10-30"] {
        let after_weekend = given([task("a", 480), task("b", 480).after(&["a"])]).on(friday).plan();
        let monday = day(friday).plus(3).unwrap();
        assert_eq!((after_weekend.tasks[1].start, after_weekend.tasks[1].end), (monday, monday), "{friday}");
        assert_eq!(after_weekend.tasks[1].days, [DayWork { day: monday, minutes: 480 }]);
    }
    assert_eq!(given([task("a", 1_440)]).on("2028-02-28").days(), "a 02-28:480 02-29:480 03-01:480");
    assert_eq!(given([task("a", 1_440)]).on("2027-02-26").days(), "a 02-26:480 03-01:480 03-02:480");
}

#[test]
fn parents_are_rolled_up_from_their_leaves_and_never_counted_themselves() {
    let tree = given([
        task("p", 9_999).dated("2026-01-01", "2026-01-02"),
        task("a", 480).under("p"),
        task("q", 9_999).under("p").after(&["z"]),
        task("b", 240).under("q"),
        task("c", 60).under("q").is(Status::Skipped).dated("2026-10-01", "2026-10-01"),
        task("d", 60).under("q").is(Status::Done).dated("2026-11-02", "2026-11-03"),
        task("z", 480).by("zoe"),
        task("l", 60).after(&["p"]),
    ]);
    assert_eq!(tree.days(), "a 11-16:480\nb 11-17:240\nz 11-16:480\nl 11-17:60");
    let plan = tree.plan();
    let parents: Vec<_> =
        plan.parents.iter().map(|parent| (short(parent.id), parent.start, parent.end, parent.minutes)).collect();
    assert_eq!(
        parents,
        [
            ("p".to_owned(), Some(day("2026-11-02")), Some(day("2026-11-17")), 720),
            ("q".to_owned(), Some(day("2026-11-02")), Some(day("2026-11-17")), 240),
        ]
    );
    let change = plan.changes.iter().find(|change| change.id == id("p")).unwrap();
    assert_eq!(
        (change.due_before, change.due, change.later_days),
        (Some(day("2026-01-02")), Some(day("2026-11-17")), 319)
    );
    assert!(!plan.changes.iter().any(|change| change.id == id("d")), "finished tasks keep their dates");
}

#[test]
fn the_order_is_begun_then_priority_then_due_then_place() {
    let tasks = given([
        task("a", 480).priority(Priority::Low),
        task("b", 480),
        task("c", 480).dated("", "2026-12-01"),
        task("d", 480).priority(Priority::High),
        task("e", 480).priority(Priority::Low).is(Status::InProgress),
        task("f", 480).priority(Priority::High).is(Status::Blocked),
        task("g", 480),
    ]);
    let plan = tasks.plan();
    let order = |text: &str| text.split(' ').map(id).collect::<Vec<_>>();
    assert_eq!(plan.critical_path, order("e d c b g a f"));
    let forgotten = super::plan(PlanInput { present: PresentDates::Forgotten, ..tasks.input() });
    assert_eq!(forgotten.critical_path, order("e d b c g a f"));
}

#[test]
fn a_milestone_goes_first_only_when_it_has_to() {
    let calm = given([task("a", 480).towards("beta").priority(Priority::Low), task("b", 480).priority(Priority::High)]);
    assert_eq!(calm.milestone("beta", "2026-11-17").days(), "a 11-17:480\nb 11-16:480");
    let pressing = given([
        task("a", 480).towards("beta").priority(Priority::Low),
        task("b", 480).priority(Priority::High),
        task("c", 480).towards("beta").priority(Priority::Low),
    ])
    .milestone("beta", "2026-11-17");
    assert_eq!(
        pressing.days(),
        "a 11-16:480\nb 11-18:480\nc 11-17:480",
        "two days of work until Tuesday leave no room"
    );
    let plan = pressing.plan();
    assert_eq!(plan.tasks[0].pressing_from, Some(day("2026-11-16")));
    assert_eq!((plan.milestones[0].end, plan.milestones[0].late_days), (Some(day("2026-11-17")), 0));
    // What the milestone's task waits for presses as well, in another person's row.
    let chain = given([
        task("a", 480).by("ann"),
        task("b", 480).by("ann").priority(Priority::High),
        task("c", 480).by("bob").after(&["a"]).towards("beta"),
    ]);
    assert_eq!(chain.milestone("beta", "2026-11-17").days(), "a 11-16:480\nb 11-17:480\nc 11-17:480");
}

#[test]
fn a_milestone_that_cannot_be_kept_is_told_with_what_would_help() {
    let late = given([task("a", 960).by("ann").towards("beta"), task("b", 240).by("ann").towards("beta")])
        .milestone("beta", "2026-11-17");
    assert_eq!(
        late.problems(),
        [
            "`ann` is 4 h short by 2026-11-17: give work to somebody else, cut it, or move the date to 2026-11-18",
            "milestone `beta` of 2026-11-17 will be reached on 2026-11-18, 1 day late, when `bxxxxxxx` ends: move the date, or take work out of it",
        ]
    );
}

#[test]
fn pinned_tasks_stay_and_others_go_around_them() {
    let around = given([
        task("a", 960),
        task("b", 480).dated("2026-11-17", "2026-11-17").pinned(),
        task("c", 60).after(&["b"]).by("cat"),
    ]);
    assert_eq!(around.days(), "a 11-16:480 11-18:480\nb 11-17:480\nc 11-18:60");
    assert!(!around.plan().changes.iter().any(|change| change.id == id("b")));
    let half = given([task("a", 480), task("b", 240).dated("2026-11-16", "2026-11-18").pinned()]);
    assert_eq!(half.days(), "a 11-16:240 11-17:240\nb 11-16:240");
    let open_end = given([task("b", 960).dated("2026-11-20", "").pinned()]).plan();
    assert_eq!((open_end.tasks[0].start, open_end.tasks[0].end), (day("2026-11-20"), day("2026-11-23")));
}

#[test]
fn pins_that_cannot_hold_are_told() {
    let wrong = given([
        task("a", 960),
        task("b", 60).after(&["a"]).dated("2026-11-16", "2026-11-16").pinned().by("bob"),
        task("c", 600).dated("2026-11-19", "2026-11-19").pinned().by("cat"),
        task("d", 60).dated("2026-11-02", "2026-11-03").pinned().by("dan"),
    ]);
    assert_eq!(
        wrong.problems(),
        [
            "`dxxxxxxx` is pinned until 2026-11-03, which is over, and 1 h are left: move it, unpin it, or finish it",
            "`cxxxxxxx` is pinned to days on which `cat` has 2 h too little: give it more days, or unpin it",
            "unassigned work is 8 h short by 2026-11-16: give work to somebody else, cut it, or move the date to 2026-11-17",
            "`bxxxxxxx` is set to begin on 2026-11-16, but `axxxxxxx` ends on 2026-11-17: move one of them, or unpin it",
        ]
    );
}

#[test]
fn a_pin_without_dates_holds_nothing_and_is_told() {
    let undated = given([task("a", 480).pinned().priority(Priority::High), task("b", 480)]);
    assert_eq!(undated.days(), "a 11-17:480\nb 11-16:480");
    assert_eq!(
        undated.problems(),
        ["`axxxxxxx` is pinned but has no dates, and comes last: give it dates, or unpin it"]
    );
    assert!(!undated.plan().changes.iter().any(|change| change.id == id("a")));
}

#[test]
fn what_is_begun_keeps_its_start_and_goes_first() {
    let begun = given([
        task("a", 60).priority(Priority::High),
        task("b", 600).is(Status::Review).dated("2026-11-10", "2026-11-12"),
    ]);
    assert_eq!(begun.days(), "a 11-17:60\nb 11-16:480 11-17:120");
    let plan = begun.plan();
    assert_eq!((plan.tasks[1].start, plan.tasks[1].end), (day("2026-11-10"), day("2026-11-17")));
}

#[test]
fn slack_is_what_can_slip_before_everything_ends_later() {
    // a → c decide about the end (Wednesday); b could wait for a day.
    let diamond =
        given([task("a", 960).by("ann"), task("b", 480).by("bob"), task("c", 480).by("cat").after(&["a", "b"])]);
    let plan = diamond.plan();
    let slack: Vec<_> = plan.tasks.iter().map(|task| (task.slack_minutes, task.critical)).collect();
    assert_eq!(slack, [(Some(0), true), (Some(480), false), (Some(0), true)]);
    assert_eq!(plan.critical_path, [id("a"), id("c")]);
    assert_eq!(plan.end, Some(day("2026-11-18")));
    // In one row, what comes before is as critical as a dependency.
    let row = given([task("a", 480), task("b", 480)]).plan();
    assert_eq!(row.critical_path, [id("a"), id("b")]);
    assert!(row.tasks.iter().all(|task| task.critical));
}

#[test]
fn cycles_are_told_and_what_is_not_on_them_is_planned() {
    let circle = given([
        task("a", 60).after(&["c"]),
        task("b", 60).after(&["a"]),
        task("c", 60).after(&["b"]),
        task("d", 60).after(&["c"]),
        task("e", 60),
        task("f", 60).after(&["f"]),
    ]);
    assert_eq!(circle.days(), "e 11-16:60");
    assert_eq!(
        circle.problems(),
        [
            "these wait for each other: `axxxxxxx` → `cxxxxxxx` → `bxxxxxxx` → `axxxxxxx`; remove one of the dependencies",
            "these wait for each other: `fxxxxxxx` → `fxxxxxxx`; remove one of the dependencies",
            "`dxxxxxxx` has no place because something it waits for has none",
        ]
    );
    assert!(circle.plan().changes.iter().all(|change| change.id == id("e")));
    let on_own_parent = given([task("p", 0), task("a", 60).under("p").after(&["p"])]);
    assert_eq!(on_own_parent.plan().problems.len(), 1);
    let own_parent = given([task("p", 60).under("q"), task("q", 60).under("p"), task("r", 60)]);
    assert_eq!(own_parent.days(), "r 11-16:60");
}

#[test]
fn people_without_working_time_and_endless_work_are_told() {
    let closed = given([task("a", 60), task("b", 60).by("bob"), task("c", 60).after(&["a"]).by("bob")])
        .calendar("[calendar]\nclosed_weekdays = [0, 1, 2, 3, 4, 5, 6]\n[assignees.bob]\nclosed_weekdays = []");
    assert_eq!(closed.days(), "b 11-16:60");
    let problems = closed.problems();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].starts_with("the calendar has no working time from 2026-11-16 on"), "{problems:?}");
    assert!(problems[1].starts_with("`cxxxxxxx` has no place"), "{problems:?}");
    let endless = given([task("a", 6_000_000), task("b", 60)]);
    assert_eq!(endless.days(), "b 11-16:60");
    assert!(endless.problems()[0].contains("more than ten years"), "{:?}", endless.problems());
}

#[test]
fn tasks_without_an_estimate_are_taken_for_a_day_and_told() {
    let unknown = given([PlanTask { work: None, ..task("a", 0) }, task("b", 60), task("c", 0).after(&["b"])]);
    assert_eq!(unknown.days(), "a 11-16:480\nb 11-17:60\nc ");
    assert_eq!(unknown.problems(), ["1 task has no estimate and is taken for 8 h: estimate them"]);
    assert_eq!(unknown.plan().tasks[2].end, day("2026-11-17"), "what has no work left ends with what it waited for");
}

#[test]
fn capacity_tells_time_and_plan_of_a_range() {
    let one = given([task("a", 600).by("ann")]);
    let range = capacity(&one.calendar, &one.plan(), Some("ann"), day("2026-11-16"), day("2026-11-22"));
    assert_eq!((range.minutes, range.planned_minutes, range.days.len(), range.unlisted_days), (2_400, 600, 5, 0));
    assert_eq!(range.days[1], DayCapacity { day: day("2026-11-17"), minutes: 480, planned_minutes: 120 });
    let long = capacity(&one.calendar, &one.plan(), Some("ann"), day("2026-01-01"), day("9999-12-31"));
    assert_eq!(long.unlisted_days, 2_912_443 - 366);
    assert_eq!(capacity(&one.calendar, &one.plan(), None, day("2026-11-17"), day("2026-11-16")).minutes, 0);
}

#[test]
fn what_is_next_is_ranked_with_its_reasons() {
    let tasks = given([
        task("a", 60),
        task("b", 60).dated("", "2026-11-13"),
        task("c", 60),
        task("d", 60).after(&["c"]),
        task("p", 0).after(&["c"]),
        task("e", 60).under("p"),
        task("f", 60).priority(Priority::High).by("fay"),
        task("g", 60).is(Status::InProgress).by("gus"),
        task("h", 60).is(Status::Blocked),
        task("i", 60).dated("2026-11-17", "2026-11-17").pinned().priority(Priority::High),
    ]);
    let say = |person| -> Vec<String> {
        let plan = Plan { critical_path: Vec::new(), ..tasks.plan() };
        let next = next(tasks.input(), &plan, person, 10);
        next.iter()
            .map(|next| {
                format!(
                    "{}: {}",
                    short(next.id),
                    next.reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
                )
            })
            .collect()
    };
    assert_eq!(
        say(None),
        ["g: begun", "b: overdue since 2026-11-13", "f: high priority", "c: 2 tasks wait for it", "a: next in order"]
    );
    assert_eq!(say(Some("fay"))[1], "f: high priority");
    assert!(!say(Some("fay")).iter().any(|line| line.starts_with('g')));
}

#[test]
fn what_ends_later_than_it_is_due_is_told_before_it_is_written() {
    let late = given([task("a", 960).by("ann").dated("", "2026-11-16"), task("b", 60).dated("", "2026-11-16")]);
    assert_eq!(
        late.problems(),
        ["`axxxxxxx` ends later than due, by up to 1 day: give work to somebody else, cut it, or move the dates"]
    );
}
