//! What was found out about hooks.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use super::super::hooks::Large;
use super::super::measure::Cost;
use super::{mebibytes, milliseconds};

/// What 99 of 100 hooks must stay below.
const LIMIT: Duration = Duration::from_millis(50);

/// All that was measured of hooks.
#[derive(Debug, Default)]
pub(crate) struct Hooks {
    pub(crate) rows: Vec<Hooked>,
    pub(crate) large: Vec<Large>,
}

/// One moment of many conversations.
#[derive(Debug)]
pub(crate) struct Hooked {
    what: String,
    tasks: usize,
    samples: usize,
    median: Duration,
    most: Duration,
    processor: Duration,
    most_processor: Duration,
    empty: Duration,
    most_empty: Duration,
}

impl Hooked {
    pub(crate) fn of(host: &str, event: &str, tasks: usize, costs: &[Cost], empty: &[Cost]) -> Self {
        let wall = |costs: &[Cost], share: usize| at(costs.iter().map(|cost| cost.wall), share);
        let processor = |share: usize| at(costs.iter().map(|cost| cost.cpu), share);
        Self {
            what: format!("`{event}`, {host}"),
            tasks,
            samples: costs.len(),
            median: wall(costs, 50),
            most: wall(costs, 99),
            processor: processor(50),
            most_processor: processor(99),
            empty: wall(empty, 50),
            most_empty: wall(empty, 99),
        }
    }

    fn ratio(&self) -> f64 {
        self.median.as_secs_f64() / self.empty.as_secs_f64()
    }

    fn missed(&self) -> Option<String> {
        let (most, limit) = (milliseconds(self.most), milliseconds(LIMIT));
        let sentence =
            || format!("{} at {} tasks takes up to {most:.1} ms, more than {limit:.0}", self.what, self.tasks);
        (self.most > LIMIT).then(sentence)
    }
}

/// What so many of a hundred stay below.
fn at(times: impl Iterator<Item = Duration>, share: usize) -> Duration {
    let mut times: Vec<Duration> = times.collect();
    times.sort();
    times.get(times.len() * share / 100).copied().unwrap_or_default()
}

impl Hooks {
    pub(super) fn missed(&self) -> Vec<String> {
        let rows = self.rows.iter().filter_map(Hooked::missed);
        rows.chain(self.large.iter().filter_map(Large::missed)).collect()
    }

    pub(super) fn markdown(&self) -> String {
        let mut text = String::new();
        if !self.rows.is_empty() {
            let _ = write!(
                text,
                "\n## Hooks\n\n\
                 Conversations one after the other, in a git repository of 1,500 files and 400 commits with 20 handoffs; each `session-start`\n\
                 makes a handoff of the conversation before it. Of 100 calls, 99 stay below {} ms.\n\n\
                 | what | tasks | times | median ms | × empty | 99 in 100 below | limit | CPU ms | 99 in 100 below | empty program ms | 99 in 100 below |\n\
                 |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
                LIMIT.as_millis()
            );
        }
        for row in &self.rows {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {:.2} | {:.1} | {:.2} | {} | {:.2} | {:.2} | {:.2} | {:.2} |",
                row.what,
                row.tasks,
                row.samples,
                milliseconds(row.median),
                row.ratio(),
                milliseconds(row.most),
                LIMIT.as_millis(),
                milliseconds(row.processor),
                milliseconds(row.most_processor),
                milliseconds(row.empty),
                milliseconds(row.most_empty),
            );
        }
        if !self.large.is_empty() {
            text.push_str(
                "\n## Transcripts\n\n\
                 `capture --dry-run` reads all of a transcript; the end of a turn reads what is new, at most 4 MB.\n\n\
                 | agent | MB | all of it, s | MB/s | peak MiB | first `turn-end` ms | later ones, median ms | 99 in 100 below | nothing new, median ms | 99 in 100 below | limit |\n\
                 |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
            );
        }
        for large in &self.large {
            let _ = writeln!(
                text,
                "| {} | {} | {:.2} | {:.0} | {:.1} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {} |",
                large.host,
                large.bytes / 1_000_000,
                large.read.as_secs_f64(),
                large.throughput(),
                mebibytes(large.memory),
                milliseconds(large.first),
                milliseconds(large.turns.median),
                milliseconds(large.turns.most),
                milliseconds(large.idle.median),
                milliseconds(large.idle.most),
                LIMIT.as_millis(),
            );
        }
        text
    }

    pub(super) fn json(&self) -> Value {
        let row = |row: &Hooked| {
            json!({
                "what": row.what,
                "tasks": row.tasks,
                "samples": row.samples,
                "median_ms": milliseconds(row.median),
                "p99_ms": milliseconds(row.most),
                "ratio": row.ratio(),
                "cpu_ms": milliseconds(row.processor),
                "p99_cpu_ms": milliseconds(row.most_processor),
                "empty_ms": milliseconds(row.empty),
                "p99_empty_ms": milliseconds(row.most_empty),
                "limit_ms": milliseconds(LIMIT),
            })
        };
        let large = |large: &Large| {
            json!({
                "host": large.host,
                "bytes": large.bytes,
                "read_seconds": large.read.as_secs_f64(),
                "megabytes_per_second": large.throughput(),
                "peak_bytes": large.memory,
                "first_turn_end_ms": milliseconds(large.first),
                "turn_end_ms": milliseconds(large.turns.median),
                "p99_turn_end_ms": milliseconds(large.turns.most),
                "idle_ms": milliseconds(large.idle.median),
                "p99_idle_ms": milliseconds(large.idle.most),
            })
        };
        let rows: Vec<Value> = self.rows.iter().map(row).collect();
        let transcripts: Vec<Value> = self.large.iter().map(large).collect();
        json!({ "rows": rows, "transcripts": transcripts })
    }
}
