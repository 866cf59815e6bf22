//! `cargo xtask clients`: clients and agents that others wrote, against the real binary.
//!
//! Each suite is a program of its own that ends with a line `clients: NAME 12 passed, 0 failed`. What they say is kept
//! apart and printed whole when a suite ends, so that suites can run side by side. A client that could not be installed
//! is a failure with a reason, never a suite that was quietly left out.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a chore that reports on the terminal")]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use clap::Parser;

use crate::rig::{debug_binary, repository_root};

/// Let clients and agents that others wrote use the server
#[derive(Debug, Parser)]
#[command(name = "cargo xtask clients", no_binary_name = true)]
struct Options {
    /// Only suites whose name contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Binary to test, instead of a fresh debug build
    #[arg(long, value_name = "PATH")]
    binary: Option<PathBuf>,
}

/// A suite's name and the program that runs it, below `tests/`; the longest first, so that none runs alone at the end.
const SUITES: &[(&str, &str)] = &[
    ("stories", "agents/stories.py"),
    ("continuity-opencode", "agents/continuity.py"),
    ("continuity-codex", "agents/continuity.py"),
    ("relay", "agents/relay.py"),
    ("continuity-gemini", "agents/continuity.py"),
    ("continuity-claude-code", "agents/continuity.py"),
    ("fuzzer", "clients/fuzzer.py"),
    ("opencode", "agents/opencode.py"),
    ("codex", "agents/codex.py"),
    ("gemini", "agents/gemini.py"),
    ("two-servers", "clients/two_servers.py"),
    ("claude-code", "agents/claude_code.py"),
    ("inspector-legacy", "clients/inspector.py"),
    ("inspector-auto", "clients/inspector.py"),
    ("inspector-modern", "clients/inspector.py"),
    ("fastmcp-auto", "clients/story.py"),
    ("fastmcp-legacy", "clients/story.py"),
    ("python-1", "clients/story.py"),
    ("python-2-auto", "clients/story.py"),
    ("python-2-legacy", "clients/story.py"),
    ("python-2-pinned", "clients/story.py"),
    ("typescript-1", "clients/story.py"),
    ("typescript-2", "clients/story.py"),
    ("typescript-2-auto", "clients/story.py"),
    ("typescript-2-pinned", "clients/story.py"),
];

pub(crate) fn run(args: &[String]) -> ExitCode {
    let options = match Options::try_parse_from(args) {
        Ok(options) => options,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    match clients(&options) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(failed) => {
            println!("{failed} suites failed; one of them again with `cargo xtask clients --only NAME`");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the suites and says how many failed.
fn clients(options: &Options) -> Result<usize, String> {
    if !cfg!(target_os = "linux") {
        return Err("these suites have been made to run on Linux".to_owned());
    }
    let chosen: Vec<&(&str, &str)> = SUITES
        .iter()
        .filter(|(name, _)| options.only.as_ref().is_none_or(|only| name.contains(only.as_str())))
        .collect();
    if chosen.is_empty() {
        let names: Vec<&str> = SUITES.iter().map(|(name, _)| *name).collect();
        return Err(format!("no such suite; there are {}", names.join(", ")));
    }
    let binary = match &options.binary {
        Some(path) => path.canonicalize().map_err(|error| format!("cannot find `{}`: {error}", path.display()))?,
        None => debug_binary()?,
    };
    let installed = install()?;
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(0);
    let workers = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((name, script)) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let verdict = suite(name, script, &binary, &installed);
                    let mut failed = failed.lock().expect("no worker panics while counting");
                    *failed += usize::from(verdict.is_err());
                    print!("{}", verdict.unwrap_or_else(|said| said));
                }
            });
        }
    });
    Ok(failed.into_inner().expect("all workers are done"))
}

/// Installs what is missing beside the build, and says where.
fn install() -> Result<PathBuf, String> {
    let root = repository_root();
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |set| root.join(set));
    let directory = target.join("clients");
    let status = Command::new("sh")
        .arg(root.join("tests/clients/install.sh"))
        .arg(&directory)
        .status()
        .map_err(|error| format!("cannot start sh: {error}"))?;
    if status.success() {
        Ok(directory)
    } else {
        Err("not all clients are installed, so they could not be run; `scripts/test` gets what installing them needs"
            .to_owned())
    }
}

/// What one suite said; in `Err` if it failed.
fn suite(name: &str, script: &str, binary: &Path, installed: &Path) -> Result<String, String> {
    let started = Instant::now();
    let output = Command::new(installed.join("python-1/bin/python"))
        .arg("-B")
        .arg(repository_root().join("tests").join(script))
        .arg(name)
        .arg("--binary")
        .arg(binary)
        .arg("--installed")
        .arg(installed)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("clients: {name} could not be started: {error}\n"))?;
    let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
    let summary = format!("clients: {name} ");
    if let Some(at) = said.rfind(&summary) {
        let end = said[at..].find('\n').map_or(said.len(), |length| at + length);
        said.insert_str(end, &format!(" ({:.1} s)", started.elapsed().as_secs_f64()));
    } else {
        let complaint = String::from_utf8_lossy(&output.stderr);
        said = format!("{said}{complaint}\n{summary}0 passed, 1 failed; it broke off before its end\n");
    }
    if output.status.success() { Ok(said) } else { Err(said) }
}
