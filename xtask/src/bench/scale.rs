//! What it costs to have many tasks: loading and listing them, reading all of them anew, and changing one.

use std::path::Path;
use std::time::Duration;

use super::floor::Floor;
use super::measure::Maker;
use super::project::{DAYS, Mix, Shape, make_mixed};
use super::report::Row;
use super::{Subject, strings};

/// A project, and what may be asked of it.
struct Case {
    size: usize,
    shape: Shape,
    mix: Mix,
    /// What a load may take
    load: Option<Duration>,
    /// What reading all of it anew may take
    rebuild: Option<Duration>,
    /// How many bare writes a change may take
    change: Option<f64>,
}

const MS: fn(u64) -> Option<Duration> = |ms| Some(Duration::from_millis(ms));

fn cases(most: usize) -> Vec<Case> {
    let case = |size, shape, mix| Case { size, shape, mix, load: None, rebuild: None, change: None };
    let all = vec![
        Case { load: MS(10), change: Some(super::CHANGE_LIMIT), ..case(1_000, Shape::Nested, Mix::Open) },
        Case {
            load: MS(40),
            rebuild: MS(200),
            change: Some(super::CHANGE_LIMIT),
            ..case(10_000, Shape::Nested, Mix::Open)
        },
        Case { load: MS(10), rebuild: MS(200), ..case(10_000, Shape::Nested, Mix::MostlyFinished) },
        case(10_000, Shape::Stable, Mix::Half),
        Case { change: Some(super::CHANGE_LIMIT), ..case(100_000, Shape::Nested, Mix::MostlyFinished) },
    ];
    all.into_iter().filter(|case| case.size <= most).collect()
}

/// Measures projects of up to so many tasks.
pub(super) fn measure(
    binary: &Path,
    floor: &Floor,
    place: &Path,
    rounds: usize,
    most: usize,
) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for (number, case) in cases(most).into_iter().enumerate() {
        let spot = place.join(format!("scale-{number}"));
        let sample = make_mixed(binary, &spot, case.size, case.shape, case.mix)?;
        let tasks = format!("{}{}{}", case.size, case.shape.word(), case.mix.word());
        let subject = Subject { binary, floor, sample: &sample, tasks };
        rows.extend(with_limit(subject.changes(rounds)?, case.change, None));
        sample.work(binary, DAYS)?;
        let rounds = if case.size > 10_000 { rounds.div_ceil(4) } else { rounds };
        rows.extend(with_limit(loads(&subject, rounds)?, None, case.load));
        rows.extend(with_limit(rebuild(&subject, rounds.div_ceil(3))?, None, case.rebuild));
        std::fs::remove_dir_all(&spot).map_err(|error| error.to_string())?;
    }
    Ok(rows)
}

fn with_limit(rows: Vec<Row>, limit: Option<f64>, most: Option<Duration>) -> Vec<Row> {
    rows.into_iter().map(|row| Row { limit, most, ..row }).collect()
}

fn loads(subject: &Subject<'_>, rounds: usize) -> Result<Vec<Row>, String> {
    let commands: Vec<(&str, Maker<'_>)> = vec![
        ("`resume`, cold", subject.handoff(|_| strings(&["resume"]))),
        ("`task list --limit 20`, cold", subject.handoff(|_| strings(&["task", "list", "--limit", "20"]))),
    ];
    subject.compare(subject.nothing(), "an empty program", commands, None, rounds)
}

/// A load that finds no index, and so reads every file and writes one.
fn rebuild(subject: &Subject<'_>, rounds: usize) -> Result<Vec<Row>, String> {
    let index = subject.sample.sandbox.store().join("local/cache/index");
    let command = subject.handoff(|_| strings(&["task", "list", "--limit", "1"]));
    let without: Maker<'_> = Box::new(move |round| {
        let _ = std::fs::remove_file(&index);
        command(round)
    });
    let commands: Vec<(&str, Maker<'_>)> = vec![("`task list --limit 1` without the index", without)];
    subject.compare(subject.reading(), "reading all files", commands, None, rounds)
}
