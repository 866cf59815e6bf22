//! What was found out about servers.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use super::{mebibytes, milliseconds};

/// All that was measured at servers.
#[derive(Debug, Default)]
pub(crate) struct Servers {
    pub(crate) times: Vec<Timed>,
    pub(crate) endurance: Option<Endurance>,
    pub(crate) peers: Vec<Peer>,
}

/// How long a server takes for one thing.
#[derive(Debug)]
pub(crate) struct Timed {
    pub(crate) what: String,
    pub(crate) tasks: String,
    pub(crate) samples: usize,
    pub(crate) median: Duration,
    /// What 99 in 100 stay below.
    pub(crate) most: Duration,
    /// The most that the median may be, and how that came about.
    pub(crate) limit: Option<(Duration, String)>,
    /// Bytes it has afterwards, and may have.
    pub(crate) memory: Option<(u64, Option<u64>)>,
}

impl Timed {
    /// Sorts the samples and keeps what matters of them.
    pub(crate) fn of(what: &str, tasks: &str, mut samples: Vec<Duration>) -> Self {
        samples.sort();
        let at = |share: usize| samples.get(samples.len() * share / 100).copied().unwrap_or_default();
        let (what, tasks, count) = (what.to_owned(), tasks.to_owned(), samples.len());
        Self { what, tasks, samples: count, median: at(50), most: at(99), limit: None, memory: None }
    }

    fn missed(&self) -> Vec<String> {
        let Self { what, tasks, .. } = self;
        let of = if tasks.is_empty() { String::new() } else { format!(" at {tasks} tasks") };
        let time = self.limit.as_ref().filter(|(limit, _)| self.median > *limit).map(|(limit, _)| {
            let (took, limit) = (milliseconds(self.median), milliseconds(*limit));
            format!("{what}{of} takes {took:.2} ms, more than {limit:.2} ms")
        });
        let memory = self.memory.and_then(|(bytes, limit)| limit.filter(|limit| bytes > *limit)).map(|limit| {
            let bytes = self.memory.map_or(0, |(bytes, _)| bytes);
            format!("{what}{of} leaves {:.1} MiB, more than {:.1} MiB", mebibytes(bytes), mebibytes(limit))
        });
        time.into_iter().chain(memory).collect()
    }
}

/// One server, many requests.
#[derive(Debug)]
pub(crate) struct Endurance {
    pub(crate) requests: usize,
    pub(crate) seconds: f64,
    pub(crate) errors: Vec<String>,
    /// Requests by tool.
    pub(crate) mixture: Vec<(String, usize)>,
    /// Memory once everything was met, and at the end.
    pub(crate) early: (usize, u64),
    pub(crate) late: u64,
    /// The most it may grow in between, as a share.
    pub(crate) limit: f64,
}

impl Endurance {
    fn growth(&self) -> f64 {
        mebibytes(self.late) / mebibytes(self.early.1) - 1.0
    }

    fn missed(&self) -> Vec<String> {
        let mut missed = Vec::new();
        if let Some(first) = self.errors.first() {
            missed.push(format!("{} of {} requests fail, such as: {first}", self.errors.len(), self.requests));
        }
        if self.growth() > self.limit {
            let (growth, limit) = (self.growth() * 100.0, self.limit * 100.0);
            missed.push(format!("memory grows by {growth:.1} % over {} requests, more than {limit} %", self.requests));
        }
        missed
    }

    fn markdown(&self) -> String {
        let mixture: Vec<String> = self.mixture.iter().map(|(tool, count)| format!("{count} `{tool}`")).collect();
        format!(
            "{} mixed requests on one server: {} errors, {:.1} s; memory {:.1} MiB after {} requests and {:.1} MiB at the end, \
             {:+.1} % (limit {:.0} %). They were {}.\n",
            self.requests,
            self.errors.len(),
            self.seconds,
            mebibytes(self.early.1),
            self.early.0,
            mebibytes(self.late),
            self.growth() * 100.0,
            self.limit * 100.0,
            mixture.join(", "),
        )
    }
}

/// A server as any client sees it, ours or another's.
#[derive(Debug, Default)]
pub(crate) struct Peer {
    pub(crate) name: String,
    pub(crate) start: Option<Duration>,
    /// Tools in its list, and the tokens that list costs.
    pub(crate) tools: Option<(usize, usize)>,
    pub(crate) create: Option<Duration>,
    pub(crate) load: Option<(Duration, Duration)>,
    /// Tokens of what it loads.
    pub(crate) loaded: Option<usize>,
    pub(crate) save: Option<Duration>,
    pub(crate) memory: Option<u64>,
    /// What it does not do, in its own words.
    pub(crate) lacks: Vec<String>,
    pub(crate) tasks: usize,
}

impl Servers {
    pub(super) fn missed(&self) -> Vec<String> {
        let times = self.times.iter().flat_map(Timed::missed);
        times.chain(self.endurance.iter().flat_map(Endurance::missed)).collect()
    }

    pub(super) fn markdown(&self) -> String {
        let mut text = String::new();
        if !self.times.is_empty() {
            text.push_str(
                "\n## The MCP server\n\n\
                 | what | tasks | times | median ms | 99 in 100 below | limit ms | memory MiB | limit |\n\
                 |---|--:|--:|--:|--:|---|--:|--:|\n",
            );
        }
        for row in &self.times {
            let limit = row.limit.as_ref().map_or_else(String::new, |(limit, why)| {
                let limit = format!("{:.2}", milliseconds(*limit));
                if why.is_empty() { limit } else { format!("{limit} ({why})") }
            });
            let memory = row.memory.map_or_else(String::new, |(bytes, _)| format!("{:.1}", mebibytes(bytes)));
            let most = row.memory.and_then(|(_, limit)| limit);
            let most = most.map_or_else(String::new, |bytes| format!("{:.1}", mebibytes(bytes)));
            let _ = writeln!(
                text,
                "| {} | {} | {} | {:.2} | {:.2} | {limit} | {memory} | {most} |",
                row.what,
                row.tasks,
                row.samples,
                milliseconds(row.median),
                milliseconds(row.most),
            );
        }
        if let Some(endurance) = &self.endurance {
            let _ = write!(text, "\n{}", endurance.markdown());
        }
        if !self.peers.is_empty() {
            text.push_str(&self.beside_others());
        }
        text
    }

    fn beside_others(&self) -> String {
        let mut text = String::from(
            "\n## Beside other servers\n\n\
             The same requests to each, through the tools that all of them publish.\n\n\
             | server | start ms | tools | tokens of the list | tasks | create ms | load ms | 99 in 100 below | tokens loaded | save ms | memory MiB | what it does not do |\n\
             |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n",
        );
        let time = |time: Option<Duration>| time.map_or_else(String::new, |time| format!("{:.2}", milliseconds(time)));
        let number = |number: Option<usize>| number.map_or_else(String::new, |number| number.to_string());
        for peer in &self.peers {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                peer.name,
                time(peer.start),
                number(peer.tools.map(|(count, _)| count)),
                number(peer.tools.map(|(_, tokens)| tokens)),
                peer.tasks,
                time(peer.create),
                time(peer.load.map(|(median, _)| median)),
                time(peer.load.map(|(_, most)| most)),
                number(peer.loaded),
                time(peer.save),
                peer.memory.map_or_else(String::new, |bytes| format!("{:.1}", mebibytes(bytes))),
                peer.lacks.join("; ").replace('|', "/"),
            );
        }
        text
    }

    pub(super) fn json(&self) -> Value {
        let times: Vec<Value> = self
            .times
            .iter()
            .map(|row| {
                json!({
                    "what": row.what,
                    "tasks": row.tasks,
                    "samples": row.samples,
                    "median_ms": milliseconds(row.median),
                    "p99_ms": milliseconds(row.most),
                    "limit_ms": row.limit.as_ref().map(|(limit, _)| milliseconds(*limit)),
                    "memory_bytes": row.memory.map(|(bytes, _)| bytes),
                })
            })
            .collect();
        let endurance = self.endurance.as_ref().map(|endurance| {
            json!({
                "requests": endurance.requests,
                "errors": endurance.errors.len(),
                "seconds": endurance.seconds,
                "early_bytes": endurance.early.1,
                "late_bytes": endurance.late,
                "growth": endurance.growth(),
            })
        });
        let peers: Vec<Value> = self
            .peers
            .iter()
            .map(|peer| {
                json!({
                    "name": peer.name,
                    "start_ms": peer.start.map(milliseconds),
                    "tools": peer.tools.map(|(count, _)| count),
                    "list_tokens": peer.tools.map(|(_, tokens)| tokens),
                    "tasks": peer.tasks,
                    "create_ms": peer.create.map(milliseconds),
                    "load_ms": peer.load.map(|(median, _)| milliseconds(median)),
                    "load_p99_ms": peer.load.map(|(_, most)| milliseconds(most)),
                    "loaded_tokens": peer.loaded,
                    "save_ms": peer.save.map(milliseconds),
                    "memory_bytes": peer.memory,
                    "lacks": peer.lacks,
                })
            })
            .collect();
        json!({ "times": times, "endurance": endurance, "peers": peers })
    }
}
