//! Dates that are moved: one task, all of them, those of one person; and what they ask of a day.

use super::*;

#[test]
fn moving_a_task_pushes_what_depends_on_it_and_nothing_else() {
    let chain = given([
        task("p", 0).dated("2026-11-16", "2026-11-18"),
        task("a", 480).under("p").dated("2026-11-16", "2026-11-17"),
        task("b", 480).under("p").after(&["a"]).dated("2026-11-18", "2026-11-18"),
        task("c", 480).after(&["b"]).dated("2026-11-19", "2026-11-20"),
        task("d", 480).after(&["a"]).dated("2026-12-01", "2026-12-01"),
        task("e", 480).dated("2026-11-16", "2026-11-16"),
        task("f", 480).after(&["b"]).dated("2026-11-19", "2026-11-19").pinned(),
    ]);
    let shift = crate::plan::shift(chain.input(), id("a"), Move { start: Some(day("2026-11-19")), due: None }).unwrap();
    let moved: Vec<String> = shift
        .moved
        .iter()
        .map(|moved| {
            format!("{} {}..{}", short(moved.change.id), moved.change.start.unwrap(), moved.change.due.unwrap())
        })
        .collect();
    assert_eq!(
        moved,
        [
            "p 2026-11-19..2026-11-23",
            "a 2026-11-19..2026-11-20",
            "b 2026-11-23..2026-11-23",
            "c 2026-11-24..2026-11-25"
        ]
    );
    assert_eq!(shift.moved[3].because_of, Some(id("b")));
    assert_eq!(shift.problems.len(), 1);
    assert!(shift.problems[0].to_string().starts_with("`fxxxxxxx` is set to begin on 2026-11-19"));
    let earlier =
        crate::plan::shift(chain.input(), id("b"), Move { start: None, due: Some(day("2026-11-16")) }).unwrap();
    let moved: Vec<String> = earlier.moved.iter().map(|moved| short(moved.change.id)).collect();
    assert_eq!(moved, ["p", "b"], "nothing is drawn forward");
    assert!(earlier.problems[0].to_string().contains("but `axxxxxxx` ends on 2026-11-17"), "{:?}", earlier.problems);
    assert!(crate::plan::shift(chain.input(), id("p"), Move::default()).is_err());
    assert!(crate::plan::shift(chain.input(), id("zz"), Move::default()).is_err());
    assert_eq!(crate::plan::shift(chain.input(), id("a"), Move::default()).unwrap().moved, []);
}

#[test]
fn moving_all_dates_goes_by_working_days_and_leaves_what_is_pinned() {
    // Monday to Thursday the week before; the new start is a Wednesday, seven working days later.
    let old = given([
        task("p", 0).dated("2026-11-09", "2026-11-12"),
        task("a", 480).under("p").dated("2026-11-09", "2026-11-10"),
        task("b", 480).under("p").dated("2026-11-12", "2026-11-12"),
        task("c", 480).dated("2026-11-11", "2026-11-11").pinned(),
        task("d", 480).dated("2026-11-02", "2026-11-02").is(Status::Done),
        task("e", 480).dated("", "2026-11-13"),
        task("f", 480),
    ]);
    let say = |given: &Given, first: &str| -> Vec<String> {
        let moved = restart(given.input(), day(first)).unwrap();
        let date = |day: Option<Day>| day.map_or_else(|| "-".to_owned(), |day| day.to_string()[5..].to_owned());
        moved.iter().map(|it| format!("{} {} {}", short(it.id), date(it.start), date(it.due))).collect()
    };
    assert_eq!(
        say(&old, "2026-11-18"),
        ["p 11-18 11-23", "a 11-18 11-19", "b 11-23 11-23", "e - 11-24"],
        "Thursday and Friday become Monday and Tuesday"
    );
    assert_eq!(say(&old, "2026-11-04"), ["p 11-04 11-09", "a 11-04 11-05", "b 11-09 11-09", "e - 11-10"]);
    assert_eq!(say(&old, "2026-11-09"), Vec::<String>::new());
    assert_eq!(say(&old, "2026-11-21")[1], "a 11-23 11-24", "a Saturday means the Monday after it");
    assert_eq!(say(&given([task("f", 480)]), "2026-11-18"), Vec::<String>::new());
    let closed = old.calendar("[calendar]\nwork_hours_per_day = 0");
    assert!(matches!(restart(closed.input(), day("2026-11-18")), Err(CannotRestart::NeverWorks(_))));
    let ancient = given([task("a", 60).dated("0001-01-01", "")]);
    assert!(matches!(restart(ancient.input(), day("2026-11-18")), Err(CannotRestart::TooFar { .. })));
}

#[test]
fn the_plan_of_one_person_moves_nobody_else() {
    let both = given([
        task("p", 0),
        task("a", 480).under("p").by("ann"),
        task("b", 480).under("p").by("bob").dated("2026-12-01", "2026-12-02"),
        task("c", 480).by("ann").dated("2026-11-30", "2026-11-30").pinned(),
    ]);
    let changes = changes_of(both.input(), &both.plan(), "ann");
    let said: Vec<_> = changes.iter().map(|change| (short(change.id), change.start, change.due)).collect();
    assert_eq!(
        said,
        [
            ("p".to_owned(), Some(day("2026-11-16")), Some(day("2026-12-02"))),
            ("a".to_owned(), Some(day("2026-11-16")), Some(day("2026-11-16"))),
        ]
    );
}

#[test]
fn days_with_too_much_to_do_are_found_by_the_dates_as_they_are() {
    let dated = |name: &str, work, start: &str, due: &str| task(name, work).by("ann").dated(start, due);
    let fits = given([
        dated("a", 300, "2026-11-16", "2026-11-16"),
        dated("b", 300, "2026-11-16", "2026-11-17"),
        dated("c", 360, "2026-11-16", "2026-11-17"),
        dated("o", 480, "2026-11-09", "2026-11-10"),
        task("x", 9_999).by("ann"),
    ]);
    assert_eq!(overbooked(fits.input()), Overbooked::new(), "16 hours in two days, whatever the order");
    let too_much = given([
        dated("a", 300, "2026-11-16", "2026-11-16"),
        dated("b", 300, "2026-11-16", "2026-11-16"),
        dated("c", 60, "2026-11-21", "2026-11-22"),
        task("d", 400).by("bob").dated("", "2026-11-16"),
    ]);
    let expected = [("2026-11-16", 120), ("2026-11-22", 60)].map(|(on, by)| ((Some("ann".to_owned()), day(on)), by));
    assert_eq!(overbooked(too_much.input()), Overbooked::from(expected), "a weekend has no time at all");
}
