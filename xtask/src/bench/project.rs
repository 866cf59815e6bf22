//! Projects of any size, written as files: making 10,000 tasks one command at a time would be the longest benchmark.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::rig::{Rng, Sandbox};

/// How the tasks lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Nine children under each parent.
    Nested,
    /// Everything at the top.
    Flat,
    /// As in a shared project: everything in one directory, parents and numbers as fields.
    Stable,
}

impl Shape {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Shape::Nested => "",
            Shape::Flat => " flat",
            Shape::Stable => " shared",
        }
    }
}

/// How many of the tasks are finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mix {
    Open,
    Half,
    /// Nine in ten.
    MostlyFinished,
}

impl Mix {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Mix::Open => ", all open",
            Mix::Half => "",
            Mix::MostlyFinished => ", 9 in 10 finished",
        }
    }

    fn is_finished(self, family: usize) -> bool {
        match self {
            Mix::Open => false,
            Mix::Half => family % 2 == 1,
            Mix::MostlyFinished => !family.is_multiple_of(10),
        }
    }
}

/// A project, and the ids of open tasks in it that may be changed.
#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) sandbox: Sandbox,
    pub(crate) open: Vec<String>,
}

const FAMILY: usize = 10;

/// Days of work that have left a handoff, usually.
pub(crate) const DAYS: usize = 12;

/// Makes a project with `size` tasks below `place`; half of one that has been worked on is behind us.
pub(crate) fn make(binary: &Path, place: &Path, size: usize, shape: Shape) -> Result<Sample, String> {
    make_mixed(binary, place, size, shape, Mix::Half)
}

/// The same with another share of finished tasks.
pub(crate) fn make_mixed(binary: &Path, place: &Path, size: usize, shape: Shape, mix: Mix) -> Result<Sample, String> {
    let sandbox = Sandbox::create(place).map_err(|error| format!("cannot make a project: {error}"))?;
    let made = sandbox.run(binary, &["init", "bench"]).map_err(|error| error.to_string())?;
    if !made.succeeded() {
        return Err(format!("`init` fails with {}", made.brief()));
    }
    if shape == Shape::Stable {
        let config = "[project]\nname = \"bench\"\n\n[settings]\ntask_dirs = \"stable\"\n";
        fs::write(sandbox.store().join("config.toml"), config).map_err(|error| format!("cannot configure: {error}"))?;
    }
    let mut writer = Writer { random: Rng::new(size as u64), mix, open: Vec::new(), last: None, top: String::new() };
    let tasks = sandbox.store().join("tasks");
    writer.write_all(&tasks, size, shape).map_err(|error| format!("cannot write tasks: {error}"))?;
    let seen = sandbox.run(binary, &["task", "list", "--all", "--json"]).map_err(|error| error.to_string())?;
    if !seen.succeeded() {
        return Err(format!("`task list` fails with {}", seen.brief()));
    }
    crate::rig::no_problems(&seen.json()?, "task list")?;
    Ok(Sample { sandbox, open: writer.open })
}

impl Sample {
    /// Leaves handoffs as so many days of work do, the last of them with something in every list.
    pub(crate) fn work(&self, binary: &Path, days: usize) -> Result<(), String> {
        for day in 1..=days {
            let (summary, next) = (format!("Day {day} is done"), format!("Begin with day {}", day + 1));
            let decision = format!("Keep to the plan of day {day}");
            let task = self.open[day * 3 % self.open.len()].as_str();
            let args = ["save", "--summary", &summary, "--next", &next, "--decision", &decision, "--task", task];
            let more =
                ["--blocker", "no key yet", "--checklist", "read the logs", "--note", "port 5433", "--tag", "days"];
            let pointer = ["--pointer", "src/auth/middleware.rs:42-78"];
            let saved = self.sandbox.run(binary, &[&args[..], &more, &pointer].concat());
            let saved = saved.map_err(|error| error.to_string())?;
            if !saved.succeeded() {
                return Err(format!("`save` fails with {}", saved.brief()));
            }
        }
        Ok(())
    }
}

struct Writer {
    random: Rng,
    mix: Mix,
    /// The id of the last task at the top
    top: String,
    open: Vec<String>,
    last: Option<String>,
}

impl Writer {
    fn write_all(&mut self, tasks: &Path, size: usize, shape: Shape) -> std::io::Result<()> {
        let mut parent = tasks.to_path_buf();
        for number in 0..size {
            let (family, place) = (number / FAMILY, number % FAMILY);
            let finished = self.mix.is_finished(family);
            let (directory, name) = match (shape, place) {
                (Shape::Flat, _) => (tasks.to_path_buf(), format!("{:02}", number + 1)),
                (Shape::Nested, 0) => (tasks.to_path_buf(), format!("{:02}", family + 1)),
                (Shape::Nested, _) => (parent.clone(), format!("{:02}.{place}", family + 1)),
                (Shape::Stable, _) => (tasks.to_path_buf(), String::new()),
            };
            let status = self.status(finished, place == 0 && shape != Shape::Flat);
            let id = self.id();
            let slug = format!("improve-the-handling-of-case-{number}");
            let (own, fields) = match (shape, place) {
                (Shape::Stable, 0) => (format!("{slug}-{id}"), format!("number = {}\n", family + 1)),
                (Shape::Stable, _) => {
                    (format!("{slug}-{id}"), format!("parent = \"{}\"\nnumber = {place}\n", self.top))
                }
                _ => (format!("{name}-{status}--{slug}"), String::new()),
            };
            if place == 0 {
                self.top.clone_from(&id);
            }
            let own = directory.join(own);
            fs::create_dir_all(&own)?;
            fs::write(own.join("task.toml"), self.file(number, &id, status, &fields))?;
            if place == 0 {
                parent = own;
            }
        }
        Ok(())
    }

    fn status(&mut self, finished: bool, parent: bool) -> &'static str {
        match (finished, parent) {
            (true, _) => "done",
            (false, true) => "in_progress",
            (false, false) => self.random.pick::<&str>(&["todo", "todo", "in_progress", "review", "blocked"]),
        }
    }

    /// A task of about 480 bytes, which is what real ones have.
    fn file(&mut self, number: usize, id: &str, status: &str, fields: &str) -> String {
        let mut file = format!(
            "format = 1\nid = \"{id}\"\ntitle = \"Improve the handling of case {number}\"\nstatus = \"{status}\"\n\
             priority = \"medium\"\nlabels = [\"area-{}\", \"backend\"]\n{fields}",
            number % 7
        );
        if let Some(last) = self.last.as_ref().filter(|_| number % 5 == 4) {
            let _ = writeln!(file, "dependencies = [\"{last}\"]");
        }
        let _ = write!(
            file,
            "assignee = \"alice\"\ncreated_at = 2026-11-15T09:15:03Z\n{}\
             description = \"The present way loses the second of two answers; keep both and say which is newer.\"\n\n\
             [[notes]]\nat = 2026-11-15T11:40:00Z\nby = \"codex\"\ntext = \"Drafted; the refresh path is still open.\"\n\n\
             [[history]]\nat = 2026-11-15T10:00:00Z\nby = \"codex\"\nstatus = \"{status}\"\n",
            if status == "done" { "completed_at = 2026-11-15T12:00:00Z\n" } else { "" },
        );
        if status != "done" {
            self.open.push(id.to_owned());
        }
        self.last = Some(id.to_owned());
        file
    }

    fn id(&mut self) -> String {
        const LETTERS: &[u8] = b"abcdefghjkmnpqrstvwxyz";
        const ALPHABET: &[u8] = b"0123456789abcdefghjkmnpqrstvwxyz";
        let first = char::from(*self.random.pick(LETTERS));
        let rest = (0..7).map(|_| char::from(*self.random.pick(ALPHABET)));
        std::iter::once(first).chain(rest).collect()
    }
}
