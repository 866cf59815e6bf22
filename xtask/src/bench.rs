//! `cargo xtask bench`: what commands cost, as multiples of the least that could be done, measured in one run.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a chore that reports on the terminal and works in scratch directories"
)]

mod floor;
mod hooks;
mod mcp;
mod measure;
mod memories;
mod planning;
mod project;
mod report;
mod scale;
mod search;
mod sessions;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Parser;

use crate::rig::{release_binary, repository_root, scratch};
use floor::Floor;
use measure::{Maker, interleave};
use project::{DAYS, Sample, Shape, make};
use report::{Hooks, Report, Row, Servers};

/// Measure start, changes, listings, the MCP server, hooks, search, memory, packages and plans against the least that could be done
#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench", no_binary_name = true)]
struct Options {
    /// Measure only this part
    part: Option<Part>,
    /// Numbers of tasks
    #[arg(long, value_delimiter = ',', default_value = "10,100,1000,10000")]
    sizes: Vec<usize>,
    /// Tasks of the flat project, or 0 for none
    #[arg(long, default_value_t = 10_000)]
    flat: usize,
    /// Rounds of everything fast; listings of many tasks get a third
    #[arg(long, default_value_t = 41)]
    rounds: usize,
    /// Requests of all kinds to one server
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    requests: usize,
    /// Command of another MCP server to measure beside ours, such as `npx -y handoff-mcp`; may be given several times
    #[arg(long, value_name = "COMMAND")]
    server: Vec<String>,
    /// Tasks that are made at each server when several are compared
    #[arg(long, default_value_t = 300, value_name = "N")]
    server_tasks: usize,
    /// Numbers of tasks that hooks are measured with
    #[arg(long, value_delimiter = ',', default_value = "10,100,1000")]
    hook_sizes: Vec<usize>,
    /// Conversations of each agent for each of those
    #[arg(long, default_value_t = 300, value_name = "N")]
    conversations: usize,
    /// Numbers of records that are searched
    #[arg(long, value_delimiter = ',', default_value = "1000,10000")]
    search_sizes: Vec<usize>,
    /// Memories that are asked
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    memories: usize,
    /// Size of a large transcript
    #[arg(long, default_value_t = 70, value_name = "MB")]
    transcript: usize,
    /// The most tasks that scale is measured with
    #[arg(long, default_value_t = 100_000, value_name = "N")]
    most: usize,
    /// Packages that are listed
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    packages: usize,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
    /// Write the findings as a page, such as docs/benchmarks.md
    #[arg(long, value_name = "PATH")]
    write: Option<PathBuf>,
    /// Binary to measure, instead of a fresh release build
    #[arg(long, value_name = "PATH")]
    binary: Option<PathBuf>,
}

/// What can be measured by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// The command line
    Cli,
    /// The MCP server
    Mcp,
    /// Hooks and transcripts
    Hooks,
    /// Full-text search
    Search,
    /// Lasting memory
    Memory,
    /// Loading and changing up to 100,000 tasks
    Scale,
    /// Listing, fetching and storing among many packages
    Sessions,
    /// Planning 10,000 tasks
    Planning,
}

/// The most that a start may take, in empty programs.
const START_LIMIT: f64 = 2.0;
/// The most that a look whether a handover was cut short may take, in empty programs.
const CHECK_LIMIT: f64 = 1.5;
/// The most that a change of one task may take, in bare writes.
const CHANGE_LIMIT: f64 = 2.0;

/// The size of a usual task file, for the bare write.
const BYTES: &str = "480";
/// What the usual handover writes: the request, the checkpoint at its start, before and after each of seven steps and at its
/// end, the list of runs, the note and the overview.
const WRITES_OF_A_RUN: &str = "20";

pub(crate) fn run(args: &[String]) -> ExitCode {
    let options = match Options::try_parse_from(args) {
        Ok(options) => options,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let asked: Vec<&str> = ["cargo xtask bench"].into_iter().chain(args.iter().map(String::as_str)).collect();
    match bench(&options, asked.join(" ")) {
        Ok(report) => finish(&options, &report),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn finish(options: &Options, report: &Report) -> ExitCode {
    if options.json {
        println!("{:#}", report.json());
    } else {
        print!("{}", report.markdown());
    }
    if let Some(path) = &options.write
        && let Err(error) = std::fs::write(repository_root().join(path), report.page())
    {
        eprintln!("error: cannot write `{}`: {error}", path.display());
        return ExitCode::FAILURE;
    }
    let missed = report.missed();
    for miss in &missed {
        eprintln!("missed: {miss}");
    }
    if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn bench(options: &Options, asked: String) -> Result<Report, String> {
    if !cfg!(target_os = "linux") {
        return Err("bench reads /proc and so needs Linux".to_owned());
    }
    let binary = match &options.binary {
        Some(path) => path.canonicalize().map_err(|error| format!("cannot find `{}`: {error}", path.display()))?,
        None => release_binary()?,
    };
    let place = scratch().map_err(|error| format!("cannot make a scratch directory: {error}"))?;
    let floor = Floor::build(place.path())?;
    let megabytes = stripped_megabytes(&binary, place.path())?;
    let (rows, servers, hooks) = (Vec::new(), Servers::default(), Hooks::default());
    let mut report = Report { asked, rows, scale: Vec::new(), servers, hooks, megabytes, rounds: options.rounds };
    let is_asked_for = |part: Part| options.part.is_none_or(|asked| asked == part);
    if is_asked_for(Part::Cli) {
        report.rows = commands(options, &binary, &floor, place.path())?;
    }
    if is_asked_for(Part::Mcp) {
        report.servers = servers_of(options, &binary, &floor, place.path())?;
    }
    if is_asked_for(Part::Hooks) {
        let Options { hook_sizes, conversations, transcript, .. } = options;
        report.hooks = hooks::measure(&binary, &floor, place.path(), hook_sizes, *conversations, *transcript)?;
    }
    if is_asked_for(Part::Search) {
        let times = search::measure(&binary, place.path(), &options.search_sizes, options.rounds)?;
        report.servers.times.extend(times);
    }
    if is_asked_for(Part::Memory) {
        let times = memories::measure(&binary, place.path(), options.memories, options.rounds)?;
        report.servers.times.extend(times);
    }
    if is_asked_for(Part::Scale) {
        report.scale = scale::measure(&binary, &floor, place.path(), options.rounds, options.most)?;
    }
    if is_asked_for(Part::Sessions) {
        let rows = sessions::measure(&binary, &floor, place.path(), options.rounds, options.packages)?;
        report.scale.extend(rows);
    }
    if is_asked_for(Part::Planning) {
        report.servers.times.extend(planning::alone()?);
        report.scale.extend(planning::commands(&binary, &floor, place.path(), options.rounds)?);
    }
    Ok(report)
}

fn servers_of(options: &Options, binary: &Path, floor: &Floor, place: &Path) -> Result<Servers, String> {
    let mut times = mcp::starts(binary, floor, &place.join("starts"), options.rounds)?;
    times.extend(mcp::loads(binary, place)?);
    let endurance = Some(mcp::endure(binary, place, options.requests)?);
    let peers = match options.server.as_slice() {
        [] => Vec::new(),
        others => mcp::compare(binary, others, place, options.server_tasks)?,
    };
    Ok(Servers { times, endurance, peers })
}

fn commands(options: &Options, binary: &Path, floor: &Floor, place: &Path) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    let nested = options.sizes.iter().map(|size| (*size, Shape::Nested));
    let flat = (options.flat > 0).then_some((options.flat, Shape::Flat));
    for (number, (size, shape)) in nested.chain(flat).enumerate() {
        let spot = place.join(format!("size-{number}"));
        let sample = make(binary, &spot, size, shape)?;
        let tasks = format!("{size}{}", shape.word());
        let subject = Subject { binary, floor, sample: &sample, tasks };
        rows.extend(subject.starts(options.rounds)?);
        rows.extend(subject.checks(options.rounds)?);
        rows.extend(subject.changes(options.rounds)?);
        let rounds = if size > 100 { options.rounds.div_ceil(3) } else { options.rounds };
        rows.extend(subject.listings(rounds)?);
        sample.work(binary, DAYS)?;
        rows.extend(subject.sessions(rounds)?);
        rows.extend(subject.handovers(rounds)?);
        std::fs::remove_dir_all(&spot).map_err(|error| error.to_string())?;
    }
    Ok(rows)
}

/// One project that is measured.
struct Subject<'a> {
    binary: &'a Path,
    floor: &'a Floor,
    sample: &'a Sample,
    tasks: String,
}

impl Subject<'_> {
    fn starts(&self, rounds: usize) -> Result<Vec<Row>, String> {
        let commands: Vec<(&str, Maker<'_>)> = vec![
            ("start: `--version`", self.handoff(|_| strings(&["--version"]))),
            ("start: `config get project.name`", self.handoff(|_| strings(&["config", "get", "project.name"]))),
        ];
        self.compare(self.nothing(), "an empty program", commands, Some(START_LIMIT), rounds)
    }

    /// Before any handover, when the answer is that all is well.
    fn checks(&self, rounds: usize) -> Result<Vec<Row>, String> {
        let commands = vec![("`check`", self.handoff(|_| strings(&["check"])))];
        self.compare(self.nothing(), "an empty program", commands, Some(CHECK_LIMIT), rounds)
    }

    fn changes(&self, rounds: usize) -> Result<Vec<Row>, String> {
        // A different task each time: changing the one that was just read would flatter us.
        let open = |round: usize| self.sample.open[round * 7 % self.sample.open.len()].clone();
        let status = |round: usize| if round.is_multiple_of(2) { "blocked" } else { "review" };
        let commands: Vec<(&str, Maker<'_>)> = vec![
            (
                "change: `task update --status`",
                self.handoff(move |round| strings(&["task", "update", &open(round), "--status", status(round)])),
            ),
            (
                "change: `task note`",
                self.handoff(move |round| strings(&["task", "note", &open(round), "Seen again today."])),
            ),
            (
                "change: `task create`",
                self.handoff(|round| strings(&["task", "create", &format!("New in round {round}")])),
            ),
        ];
        self.compare(self.writing("1")?, "a bare write", commands, Some(CHANGE_LIMIT), rounds)
    }

    fn listings(&self, rounds: usize) -> Result<Vec<Row>, String> {
        let commands: Vec<(&str, Maker<'_>)> = vec![
            ("list: `task list`", self.handoff(|_| strings(&["task", "list"]))),
            ("list: `task list --ready`", self.handoff(|_| strings(&["task", "list", "--ready"]))),
        ];
        self.compare(self.reading(), "reading all files", commands, None, rounds)
    }

    /// Leaving a handoff and picking it up; for information, since both look at all tasks.
    fn sessions(&self, rounds: usize) -> Result<Vec<Row>, String> {
        let save = |round: usize| {
            let (summary, next) = (format!("Round {round} is done"), format!("Begin with round {}", round + 1));
            strings(&[
                "save",
                "--summary",
                &summary,
                "--next",
                &next,
                "--decision",
                "Go on",
                "--pointer",
                "src/main.rs:1-9",
            ])
        };
        let commands: Vec<(&str, Maker<'_>)> =
            vec![("`resume`", self.handoff(|_| strings(&["resume"]))), ("`save`", self.handoff(save))];
        self.compare(self.reading(), "reading all files", commands, None, rounds)
    }

    /// A whole handover as it is where nobody declared another; for information, since it looks at all tasks.
    fn handovers(&self, rounds: usize) -> Result<Vec<Row>, String> {
        let run = |round: usize| strings(&["run", &format!("Round {round} is handed over")]);
        let commands = vec![("`run`", self.handoff(run))];
        self.compare(self.writing(WRITES_OF_A_RUN)?, "its bare writes", commands, None, rounds)
    }

    fn nothing(&self) -> Maker<'_> {
        Box::new(|_| self.sample.sandbox.command(&self.floor.empty))
    }

    /// So many bare writes.
    fn writing(&self, times: &'static str) -> Result<Maker<'_>, String> {
        let bare = self.sample.sandbox.root().join("bare");
        std::fs::create_dir_all(&bare).map_err(|error| error.to_string())?;
        Ok(Box::new(move |_| {
            let mut command = self.sample.sandbox.command(&self.floor.bare_write);
            command.arg(&bare).args([BYTES, times]);
            command
        }))
    }

    fn reading(&self) -> Maker<'_> {
        Box::new(|_| {
            let mut command = self.sample.sandbox.command(&self.floor.read_all);
            command.arg(self.sample.sandbox.store().join("tasks"));
            command
        })
    }

    fn handoff<'a>(&'a self, args: impl Fn(usize) -> Vec<String> + 'a) -> Maker<'a> {
        Box::new(move |round| {
            let mut command = self.sample.sandbox.command(self.binary);
            command.args(args(round));
            command
        })
    }

    fn compare(
        &self,
        floor: Maker<'_>,
        against: &'static str,
        commands: Vec<(&str, Maker<'_>)>,
        limit: Option<f64>,
        rounds: usize,
    ) -> Result<Vec<Row>, String> {
        let (names, mut makers): (Vec<&str>, Vec<Maker<'_>>) = commands.into_iter().unzip();
        makers.push(floor);
        let costs = interleave(&makers, rounds)?;
        let (floor, costs) = costs.split_last().ok_or("nothing was measured")?;
        let row = |(what, cost): (&str, &measure::Cost)| Row {
            what: what.to_owned(),
            tasks: self.tasks.clone(),
            cost: *cost,
            floor: *floor,
            against,
            limit,
            most: None,
            heaviest: None,
        };
        Ok(names.into_iter().zip(costs).map(row).collect())
    }
}

fn strings(args: &[&str]) -> Vec<String> {
    args.iter().map(|arg| (*arg).to_owned()).collect()
}

/// The size of the binary without symbols, in millions of bytes.
fn stripped_megabytes(binary: &Path, place: &Path) -> Result<f64, String> {
    let copy = place.join("stripped");
    std::fs::copy(binary, &copy).map_err(|error| format!("cannot copy the binary: {error}"))?;
    let stripped = Command::new("strip").arg(&copy).status().is_ok_and(|status| status.success());
    if !stripped {
        eprintln!("`strip` is missing (package binutils): the size is that of the unstripped binary");
    }
    let bytes = std::fs::metadata(&copy).map_err(|error| error.to_string())?.len();
    #[expect(clippy::cast_precision_loss, reason = "no binary has 2^52 bytes")]
    Ok(bytes as f64 / 1e6)
}
