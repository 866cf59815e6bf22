//! Plans that were worked out by hand, as a table.
//!
//! A task is written as `name hours`, then whose it is (`@ann`), what it waits for (`<a`), what it lies under (`^p`), and
//! its pinned day (`!11-18`). A planned day is written as `month-day:minutes`.

use super::*;

struct Example {
    what: &'static str,
    today: &'static str,
    calendar: &'static str,
    tasks: &'static str,
    expected: &'static str,
}

const TABLE: &[Example] = &[
    Example {
        what: "a chain of whole days goes over the weekend",
        today: "2026-11-19",
        calendar: "",
        tasks: "a 8; b 8 <a; c 8 <b",
        expected: "a 11-19:480; b 11-20:480; c 11-23:480",
    },
    Example {
        what: "a chain of part-days fills each day to its end",
        today: "2026-11-16",
        calendar: "",
        tasks: "a 5; b 5 <a; c 7 <b",
        expected: "a 11-16:300; b 11-16:180 11-17:120; c 11-17:360 11-18:60",
    },
    Example {
        what: "holidays and a short day are stepped over in a chain between two people",
        today: "2026-12-23",
        calendar: "closed_dates = [2026-12-25]\nday_hours = { 2026-12-24 = 4 }",
        tasks: "a 8 @ann; b 8 @bob <a; c 2 @ann <b",
        expected: "a 12-23:480; b 12-24:240 12-28:240; c 12-28:120",
    },
    Example {
        what: "one person's day off holds up the other",
        today: "2026-11-16",
        calendar: "[assignees.ann]\nclosed_dates = [2026-11-17]",
        tasks: "a 12 @ann; b 4 @bob <a; c 16 @bob",
        expected: "a 11-16:480 11-18:240; b 11-18:240; c 11-16:480 11-17:480",
    },
    Example {
        what: "the clock goes forward in Europe on Sunday, 2026-03-29",
        today: "2026-03-27",
        calendar: "open_dates = [2026-03-29]",
        tasks: "a 10; b 10 <a",
        expected: "a 03-27:480 03-29:120; b 03-29:360 03-30:240",
    },
    Example {
        what: "the clock goes back in America on Sunday, 2026-11-01",
        today: "2026-10-30",
        calendar: "open_dates = [2026-11-01]",
        tasks: "a 10; b 10 <a",
        expected: "a 10-30:480 11-01:120; b 11-01:360 11-02:240",
    },
    Example {
        what: "a leap year has a 29th of February, and it is a Tuesday in 2028",
        today: "2028-02-28",
        calendar: "",
        tasks: "a 8 @ann; b 8 @bob <a; c 4 @ann <b",
        expected: "a 02-28:480; b 02-29:480; c 03-01:240",
    },
    Example {
        what: "a common year has none",
        today: "2027-02-26",
        calendar: "",
        tasks: "a 8 @ann; b 8 @bob <a",
        expected: "a 02-26:480; b 03-01:480",
    },
    Example {
        what: "a dependency on a parent is one on all its leaves, and a parent's own hours do not count",
        today: "2026-11-16",
        calendar: "",
        tasks: "p 99; a 8 @ann ^p; b 4 @bob ^p; c 2 @cat <p",
        expected: "a 11-16:480; b 11-16:240; c 11-17:120",
    },
    Example {
        what: "work goes around a pinned day, and what follows begins the day after",
        today: "2026-11-16",
        calendar: "",
        tasks: "a 12; b 6 !11-17; c 1 @cat <b",
        expected: "a 11-16:480 11-17:120 11-18:120; b 11-17:360; c 11-18:60",
    },
    Example {
        what: "part-time work takes as many days as it needs",
        today: "2026-11-16",
        calendar: "[assignees.ann]\nwork_hours_per_day = 1.5\nday_hours = { wed = 3 }",
        tasks: "a 7 @ann",
        expected: "a 11-16:90 11-17:90 11-18:180 11-19:60",
    },
];

fn read(text: &str, year: &str) -> PlanTask {
    let mut words = text.split_whitespace();
    let name = words.next().unwrap();
    let hours: u32 = words.next().unwrap().parse().unwrap();
    words.fold(task(name, hours * 60), |task, word| match word.split_at(1) {
        ("@", who) => task.by(who),
        ("<", before) => task.after(&[before]),
        ("^", parent) => task.under(parent),
        ("!", on) => task.dated(&format!("{year}-{on}"), &format!("{year}-{on}")).pinned(),
        _ => panic!("{word}"),
    })
}

#[test]
fn every_plan_of_the_table_is_as_it_was_worked_out_by_hand() {
    for Example { what, today, calendar, tasks, expected } in TABLE {
        let calendar =
            if calendar.starts_with('[') { (*calendar).to_owned() } else { format!("[calendar]\n{calendar}") };
        let given = given(tasks.split(';').map(|task| read(task, &today[..4]))).on(today).calendar(&calendar);
        assert_eq!(given.days().replace('\n', "; "), *expected, "{what}");
        assert_eq!(given.problems(), Vec::<String>::new(), "{what}");
    }
}
