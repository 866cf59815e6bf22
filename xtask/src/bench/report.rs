//! The findings as tables, and whether they keep the limits.

mod hooks;
mod servers;

use std::fmt::Write as _;

use serde_json::json;

use super::measure::Cost;
pub(crate) use hooks::{Hooked, Hooks};
pub(crate) use servers::{Endurance, Peer, Servers, Timed};

/// One thing measured against its floor.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) tasks: String,
    pub(crate) cost: Cost,
    pub(crate) floor: Cost,
    pub(crate) against: &'static str,
    /// The most that its time may be, in multiples of the floor.
    pub(crate) limit: Option<f64>,
    /// The most that its time may be by the clock.
    pub(crate) most: Option<std::time::Duration>,
    /// The most memory that it may take, in bytes.
    pub(crate) heaviest: Option<u64>,
}

impl Row {
    pub(crate) fn ratio(&self) -> f64 {
        self.cost.wall.as_secs_f64() / self.floor.wall.as_secs_f64()
    }

    fn processor_ratio(&self) -> f64 {
        self.cost.cpu.as_secs_f64() / self.floor.cpu.as_secs_f64()
    }

    /// The limit, as the table shows it.
    fn limit(&self) -> String {
        let times = self.limit.map(|limit| format!("{limit} ×"));
        let time = self.most.map(|most| format!("{} ms", most.as_millis()));
        let memory = self.heaviest.map(|most| format!("{} MB", most / 1_000_000));
        times.into_iter().chain(time).chain(memory).collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn missed(&self) -> Option<String> {
        if let Some(most) = self.most.filter(|most| self.cost.wall > *most) {
            let (took, most) = (milliseconds(self.cost.wall), milliseconds(most));
            return Some(format!("{} at {} tasks takes {took:.1} ms, more than {most:.0} ms", self.what, self.tasks));
        }
        if let Some(most) = self.heaviest.filter(|most| self.cost.memory > *most) {
            let (took, most) = (self.cost.memory / 1000, most / 1000);
            return Some(format!("{} at {} tasks takes {took} kB, more than {most} kB", self.what, self.tasks));
        }
        let limit = self.limit.filter(|limit| self.ratio() > *limit)?;
        Some(format!(
            "{} at {} tasks takes {:.2} × {}, more than {limit} ×",
            self.what,
            self.tasks,
            self.ratio(),
            self.against
        ))
    }
}

/// The stripped binary may weigh this many megabytes.
pub(crate) const WEIGHT: f64 = 12.0;

/// Everything a run found.
#[derive(Debug)]
pub(crate) struct Report {
    /// What was asked for, as a command line.
    pub(crate) asked: String,
    pub(crate) rows: Vec<Row>,
    /// What many tasks cost.
    pub(crate) scale: Vec<Row>,
    pub(crate) servers: Servers,
    pub(crate) hooks: Hooks,
    pub(crate) megabytes: f64,
    pub(crate) rounds: usize,
}

impl Report {
    /// Limits that were not kept.
    pub(crate) fn missed(&self) -> Vec<String> {
        let weight = (self.megabytes > WEIGHT)
            .then(|| format!("the stripped binary weighs {:.1} MB, more than {WEIGHT} MB", self.megabytes));
        let rows = self.rows.iter().chain(&self.scale).filter_map(Row::missed);
        rows.chain(self.servers.missed()).chain(self.hooks.missed()).chain(weight).collect()
    }

    pub(crate) fn markdown(&self) -> String {
        let mut text = String::new();
        if !self.rows.is_empty() {
            text.push_str(&table("Commands", &self.rows));
        }
        if !self.scale.is_empty() {
            text.push_str(&table("Many tasks", &self.scale));
        }
        text.push_str(&self.servers.markdown());
        text.push_str(&self.hooks.markdown());
        let _ = writeln!(text, "\nThe stripped binary weighs {:.1} MB (limit {WEIGHT} MB).", self.megabytes);
        text
    }

    /// The page for the documentation: the tables and how to have them again.
    pub(crate) fn page(&self) -> String {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        format!(
            "# Benchmarks\n\n\
             Written by `{}`. Times are medians of {} rounds in which everything takes turns, unless a row says otherwise, on\n\
             {} ({processors} processors, {}, {}). A floor is a small program compiled in the same run that does the least that can be\n\
             done: nothing at all, one bare write + fsync + rename + fsync of the directory, or reading all files. Ratios carry over to\n\
             other machines better than times do; other work on the machine is in both sides of them.\n\n{}",
            self.asked,
            self.rounds,
            std::env::consts::OS,
            std::env::consts::ARCH,
            processor(),
            self.markdown()
        )
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        let rows: Vec<serde_json::Value> = self
            .rows
            .iter()
            .chain(&self.scale)
            .map(|row| {
                json!({
                    "what": row.what,
                    "tasks": row.tasks,
                    "against": row.against,
                    "wall_ms": milliseconds(row.cost.wall),
                    "floor_wall_ms": milliseconds(row.floor.wall),
                    "wall_ratio": row.ratio(),
                    "limit": row.limit,
                    "limit_ms": row.most.map(milliseconds),
                    "cpu_ms": milliseconds(row.cost.cpu),
                    "floor_cpu_ms": milliseconds(row.floor.cpu),
                    "cpu_ratio": row.processor_ratio(),
                    "peak_bytes": row.cost.memory,
                })
            })
            .collect();
        json!({
            "rows": rows,
            "servers": self.servers.json(),
            "hooks": self.hooks.json(),
            "binary_megabytes": self.megabytes,
            "missed": self.missed(),
        })
    }
}

/// What the processor calls itself.
fn processor() -> String {
    let known = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = known.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or_else(|| "unknown processor".to_owned(), |(_, name)| name.trim().to_owned())
}

fn milliseconds(duration: std::time::Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

fn mebibytes(bytes: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "no process here has 2^52 bytes")]
    let bytes = bytes as f64;
    bytes / (1024.0 * 1024.0)
}

fn table(title: &str, rows: &[Row]) -> String {
    let mut text = format!(
        "\n## {title}\n\n\
             | what | tasks | wall ms | floor ms | × | limit | CPU ms | × | peak MiB | floor |\n\
             |---|--:|--:|--:|--:|--:|--:|--:|--:|---|\n",
    );
    for row in rows {
        let limit = row.limit();
        let _ = writeln!(
            text,
            "| {} | {} | {:.2} | {:.2} | {:.2} | {limit} | {:.2} | {:.2} | {:.1} | {} |",
            row.what,
            row.tasks,
            milliseconds(row.cost.wall),
            milliseconds(row.floor.wall),
            row.ratio(),
            milliseconds(row.cost.cpu),
            row.processor_ratio(),
            mebibytes(row.cost.memory),
            row.against,
        );
    }
    text
}
