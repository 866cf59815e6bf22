//! What it costs to have many packages: listing them, fetching one, and storing one more.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use super::floor::Floor;
use super::measure::Maker;
use super::project::{Shape, make};
use super::report::Row;
use super::{BYTES, CHANGE_LIMIT, Subject, strings};

/// What a list of all may take, in time and in bytes.
const LIST_LIMIT: Duration = Duration::from_millis(10);
const LIST_MEMORY: u64 = 15_000_000;

/// Measures a project with so many packages.
pub(super) fn measure(
    binary: &Path,
    floor: &Floor,
    place: &Path,
    rounds: usize,
    count: usize,
) -> Result<Vec<Row>, String> {
    let spot = place.join("packages");
    let sample = make(binary, &spot, 10, Shape::Flat)?;
    let store = sample.sandbox.store();
    write_packages(&store.join("sessions"), count).map_err(|error| format!("cannot write packages: {error}"))?;
    // Times that are young tell nothing yet, so nothing would be kept of what has them.
    std::thread::sleep(Duration::from_millis(200));
    let body = spot.join("body");
    fs::write(&body, "x".repeat(480)).map_err(|error| error.to_string())?;
    let subject = Subject { binary, floor, sample: &sample, tasks: format!("{count} packages, 10") };

    let index = store.join("local/cache/sessions");
    let list = |args: &'static [&'static str]| subject.handoff(move |_| strings(args));
    let commands: Vec<(&str, Maker<'_>)> =
        vec![("`list`, cold", list(&["list"])), ("`list --limit 20`, cold", list(&["list", "--limit", "20"]))];
    let mut rows: Vec<Row> = subject
        .compare(subject.nothing(), "an empty program", commands, None, rounds)?
        .into_iter()
        .map(|row| Row { most: Some(LIST_LIMIT), heaviest: Some(LIST_MEMORY), ..row })
        .collect();

    let others: Vec<(&str, Maker<'_>)> = vec![
        ("`list --json`, cold", list(&["list", "--json"])),
        ("`retrieve` by id", subject.handoff(move |round| strings(&["retrieve", &id(round * 7 % count)]))),
        (
            "`retrieve` by name",
            subject.handoff(move |round| strings(&["retrieve", "--name", &name(round * 11 % count)])),
        ),
        ("`save`", subject.handoff(|round| strings(&["save", "--summary", &format!("Round {round}")]))),
    ];
    rows.extend(subject.compare(subject.nothing(), "an empty program", others, None, rounds)?);

    let without = list(&["list"]);
    let anew: Maker<'_> = Box::new(move |round| {
        let _ = fs::remove_file(&index);
        without(round)
    });
    let reading: Maker<'_> = Box::new(|_| {
        let mut command = sample.sandbox.command(&floor.read_all);
        command.arg(sample.sandbox.store().join("sessions"));
        command
    });
    let without: Vec<(&str, Maker<'_>)> = vec![("`list` without the index", anew)];
    rows.extend(subject.compare(reading, "reading all files", without, None, rounds.div_ceil(3))?);

    rows.extend(stores(&subject, &spot, &body, rounds)?);
    fs::remove_dir_all(&spot).map_err(|error| error.to_string())?;
    Ok(rows)
}

fn stores(subject: &Subject<'_>, spot: &Path, body: &Path, rounds: usize) -> Result<Vec<Row>, String> {
    let bare = spot.join("bare");
    fs::create_dir_all(&bare).map_err(|error| error.to_string())?;
    let store: Maker<'_> = Box::new(|round| {
        let mut command = subject.sample.sandbox.command(subject.binary);
        command.args(["store", "--name", &format!("round-{round}")]);
        // Without a body the command fails, and that is told.
        if let Ok(body) = File::open(body) {
            command.stdin(body);
        }
        command
    });
    let floor: Maker<'_> = Box::new(|_| {
        let mut command = subject.sample.sandbox.command(&subject.floor.bare_store);
        command.arg(&bare).arg(BYTES);
        command
    });
    subject.compare(floor, "its bare writes", vec![("`store`", store)], Some(CHANGE_LIMIT), rounds)
}

fn id(number: usize) -> String {
    // Spread like random ones, and each once.
    format!("{:08x}", u32::try_from(number).unwrap_or(0).wrapping_mul(2_654_435_761))
}

fn name(number: usize) -> String {
    format!("package-{number}")
}

fn write_packages(sessions: &Path, count: usize) -> std::io::Result<()> {
    for number in 0..count {
        let (id, name, day) = (id(number), name(number), number % 28 + 1);
        let time = format!("2026-10-{day:02}T{:02}:{:02}:00Z", number / 60 % 24, number % 60);
        let stem = format!("2026-10-{day:02}-{id}");
        let text = format!(
            "format = 1\nid = \"{id}\"\nkind = \"package\"\nstatus = \"closed\"\nsummary = \"What was found out about part \
             {number} of the service, and what is left to do there\"\nauthor = \"alice\"\nname = \"{name}\"\n\
             tags = [\"api\", \"part-{}\"]\nproject = \"bench\"\nstarted_at = {time}\nended_at = {time}\n",
            number % 50
        );
        fs::write(sessions.join(format!("{stem}.toml")), text)?;
        fs::write(sessions.join(format!("{stem}.md")), format!("# Part {number}\n\nAs it stands.\n"))?;
    }
    Ok(())
}
