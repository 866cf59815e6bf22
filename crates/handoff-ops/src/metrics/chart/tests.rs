//! Charts at several widths: they fit, and they say what the figures say.

use handoff_model::metrics::{Burndown, BurndownDay, FlowDay, IdealDay, Target};
use handoff_model::when::Day;

use super::*;
use crate::page::Draw;

fn day(number: i64) -> Day {
    "2026-11-02".parse::<Day>().unwrap().plus(number).unwrap()
}

fn drawn(chart: &impl Draw, width: usize) -> String {
    let lines: Vec<String> = chart.lines(width).iter().map(|line| line.to_plain().trim_end().to_owned()).collect();
    for line in &lines {
        assert!(line.chars().count() <= width, "{width}: {line}");
    }
    lines.join("\n")
}

/// Forty hours of work that go down two hours a day, eight more on the sixth day, until the middle of the target.
fn burndown(days: i64, scale: i64) -> Burndown {
    let point = |number: i64| {
        let scope = if number < 5 { 2_400 } else { 2_880 };
        BurndownDay {
            day: day(number),
            remaining: (scope - number * 120).max(0) * scale,
            scope: scope * scale,
            scope_change: if number == 5 { 480 * scale } else { 0 },
            ideal: Some(u64::try_from(((2_400 - number * 120) * scale).max(0)).unwrap()),
        }
    };
    let ahead = |number: i64| IdealDay {
        day: day(number),
        ideal: u64::try_from(((2_400 - number * 120) * scale).max(0)).unwrap(),
    };
    Burndown {
        days: (0..days).map(point).collect(),
        ahead: (days..21).map(ahead).collect(),
        target: Some(Target { day: day(20), by: "milestone beta".to_owned() }),
        unestimated: 0,
    }
}

fn flow(days: i64) -> Vec<FlowDay> {
    let point = |number: i64| FlowDay {
        day: day(number),
        todo: (12 - number).max(0),
        in_progress: 2,
        review: number % 2,
        done: number.min(10),
        blocked: 1,
        skipped: i64::from(number > 7),
    };
    (0..days).map(point).collect()
}

#[test]
fn a_burndown_in_forty_columns() {
    insta::assert_snapshot!(drawn(&BurndownChart::of(&burndown(12, 1)), 40), @r"
    48 h ┤        ╌╌╌╌╌╌╌╌╌╌╌
         │•╌╌╌╌╌╌╌
         │█•••••  ▇▄▄▁
         │██████•••███▅▅▂▂
         │█████████•••████▇▃▃
         │████████████•••••██
         │█████████████████••••
         │███████████████████  ••••
         │███████████████████      ••••
       0 ┤███████████████████          •••••
                  ▲
          2026-11-02              2026-11-22
    █ left  • ideal  ╌ scope
    ▲▼ scope changes
    ");
}

#[test]
fn a_burndown_in_eighty_columns() {
    insta::assert_snapshot!(drawn(&BurndownChart::of(&burndown(12, 1)), 80), @r"
    48 h ┤                 ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
         │•••╌╌╌╌╌╌╌╌╌╌╌╌╌╌
         │███•••••••••••   ▇▇▇▇▄▄▄▁▁▁▁
         │██████████████•••••••███████▅▅▅▂▂▂▂
         │█████████████████████•••••••███████▇▇▇▃▃▃▃
         │████████████████████████████••••••••••████
         │██████████████████████████████████████•••••••
         │██████████████████████████████████████████   •••••••••••
         │██████████████████████████████████████████              •••••••
       0 ┤██████████████████████████████████████████                     •••••••••••
                           ▲
          2026-11-02                                                      2026-11-22
    █ left  • ideal  ╌ scope  ▲▼ scope changes
    ");
}

#[test]
fn a_burndown_in_a_hundred_and_twenty_columns() {
    insta::assert_snapshot!(drawn(&BurndownChart::of(&burndown(12, 1)), 120), @r"
    48 h ┤                    ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
         │••••╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
         │████••••••••••••    ▇▇▇▇▄▄▄▄▁▁▁▁
         │████████████████••••••••████████▅▅▅▅▂▂▂▂
         │████████████████████████••••••••████████▇▇▇▇▃▃▃▃
         │████████████████████████████████••••••••••••████
         │████████████████████████████████████████████••••••••
         │████████████████████████████████████████████████    ••••••••••••
         │████████████████████████████████████████████████                ••••••••
       0 ┤████████████████████████████████████████████████                        ••••••••••••
                              ▲
          2026-11-02                                                                2026-11-22
    █ left  • ideal  ╌ scope  ▲▼ scope changes
    ");
}

#[test]
fn a_flow_in_forty_columns() {
    insta::assert_snapshot!(drawn(&FlowChart(flow(14)), 40), @r"
    17 ┤                       ··
       │░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   ···
       │░░░░░░░░░░░░░░░░░░░░░░░xxxxx▒▒xxx▒▒▒
       │░░░░░░░░░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒
       │░░░░░░░░░░░░░░░░░░▒▒▒▒▒▓▓███████████
       │░░░░░░░░░░░░▒▒▒▒▒▒▓▓████████████████
       │░░░░░░░▒▒▒▒▒▓▓▓█████████████████████
       │░░xxxxx▒▒▒▒▒████████████████████████
       │xx▒▒▒▒▒█████████████████████████████
     0 ┤▒▒██████████████████████████████████
        2026-11-02                2026-11-15
    █ done  ▓ review  ▒ in_progress
    x blocked  ░ todo  · skipped
    ");
}

#[test]
fn a_flow_in_eighty_columns() {
    insta::assert_snapshot!(drawn(&FlowChart(flow(14)), 80), @r"
    17 ┤                                    ····
       │░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░    ····
       │░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░xxxxxxxx▒▒▒▒xxxx▒▒▒▒
       │░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
       │░░░░░░░░░░░░░░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒▓▓▓▓████████████████
       │░░░░░░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒▓▓▓▓████████████████████████
       │░░░░░░░░░░░░▒▒▒▒▒▒▒▒▓▓▓▓████████████████████████████████
       │░░░░xxxxxxxx▒▒▒▒▒▒▒▒████████████████████████████████████
       │xxxx▒▒▒▒▒▒▒▒████████████████████████████████████████████
     0 ┤▒▒▒▒████████████████████████████████████████████████████
        2026-11-02                                    2026-11-15
    █ done  ▓ review  ▒ in_progress  x blocked  ░ todo  · skipped
    ");
}

#[test]
fn a_flow_in_a_hundred_and_twenty_columns() {
    insta::assert_snapshot!(drawn(&FlowChart(flow(14)), 120), @r"
    17 ┤                                    ····
       │░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░    ····
       │░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░xxxxxxxx▒▒▒▒xxxx▒▒▒▒
       │░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
       │░░░░░░░░░░░░░░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒▓▓▓▓████████████████
       │░░░░░░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒▓▓▓▓████████████████████████
       │░░░░░░░░░░░░▒▒▒▒▒▒▒▒▓▓▓▓████████████████████████████████
       │░░░░xxxxxxxx▒▒▒▒▒▒▒▒████████████████████████████████████
       │xxxx▒▒▒▒▒▒▒▒████████████████████████████████████████████
     0 ┤▒▒▒▒████████████████████████████████████████████████████
        2026-11-02                                    2026-11-15
    █ done  ▓ review  ▒ in_progress  x blocked  ░ todo  · skipped
    ");
}

fn bars() -> Bars {
    let bar = |name: &str, value: f64, said: &str| Bar {
        name: name.to_owned(),
        value,
        said: said.to_owned(),
        role: Role::StatusDone,
    };
    Bars(vec![bar("2026-11-02", 480.0, "8 h"), bar("2026-11-09", 210.0, "3.5 h"), bar("2026-11-16", 0.0, "0 h")])
}

#[test]
fn bars_and_sparks_fill_the_room_there_is() {
    let sparks =
        Sparks(vec![("done by week", vec![0.0, 3.0, 8.0, 1.0]), ("left by day", (0..200).map(f64::from).collect())]);
    let shown = [drawn(&bars(), 40), drawn(&bars(), 80), drawn(&sparks, 40), drawn(&sparks, 120)].join("\n\n");
    insta::assert_snapshot!(shown, @r"
    2026-11-02  ██████████████████████ 8 h
    2026-11-09  █████████▋             3.5 h
    2026-11-16                         0 h

    2026-11-02  ████████████████████████████████████████████████████████████ 8 h
    2026-11-09  ██████████████████████████▎                                  3.5 h
    2026-11-16                                                               0 h

    done by week  ▁▄█▂
    left by day   ▁▂▂▂▂▃▃▃▃▄▄▄▄▅▅▅▆▆▆▆▇▇▇▇██

    done by week  ▁▄█▂
    left by day   ▁▁▁▁▂▂▂▂▂▂▂▂▃▃▃▃▃▃▃▃▃▄▄▄▄▄▄▄▄▄▅▅▅▅▅▅▅▅▆▆▆▆▆▆▆▆▆▇▇▇▇▇▇▇▇█████
    ");
}

#[test]
fn nothing_breaks_however_narrow_long_or_large_it_is() {
    let nothing = Burndown { days: Vec::new(), ahead: Vec::new(), target: None, unestimated: 0 };
    assert_eq!(drawn(&BurndownChart::of(&nothing), 80), "");
    assert_eq!(drawn(&FlowChart(Vec::new()), 80), "");
    for width in [1, 2, 12, 20, 23, 24, 25, 200] {
        for days in [1, 2, 366] {
            for scale in [0, 1, 1_000_000_000] {
                let chart = BurndownChart::of(&burndown(days, scale));
                // A chart that is narrower than a date is cut off by the terminal, and nothing else happens.
                let lines = chart.lines(width);
                assert!(
                    width < 12 || lines.iter().all(|line| line.to_plain().trim_end().chars().count() <= width),
                    "{lines:?}"
                );
            }
            let lines = FlowChart(flow(days)).lines(width);
            assert!(
                width < 12 || lines.iter().all(|line| line.to_plain().trim_end().chars().count() <= width),
                "{lines:?}"
            );
        }
        assert_eq!(bars().lines(width).len(), 3);
    }
    let flat = vec![FlowDay { day: day(0), todo: 0, in_progress: 0, review: 0, done: 0, blocked: 0, skipped: 0 }; 3];
    assert!(!drawn(&FlowChart(flat), 40).contains('█'));
}
