//! System calls as strace shows them, parsed, and faults put into them.
//!
//! strace counts `when=N` per thread and per expression, so a call is named by its kind and its place among the
//! calls of that kind in its thread, and every trace must list the same kinds that a later injection counts.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::rig::{Finished, Invocation, Sandbox, finish};

/// Calls that change a file system. The question mark lets strace pass over what a machine does not have.
const CHANGING: &[&str] = &[
    "?open",
    "openat",
    "?openat2",
    "?creat",
    "write",
    "writev",
    "pwrite64",
    "pwritev",
    "pwritev2",
    "?mkdir",
    "mkdirat",
    "?rename",
    "?renameat",
    "renameat2",
    "?unlink",
    "unlinkat",
    "?rmdir",
    "?link",
    "linkat",
    "?symlink",
    "symlinkat",
    "fsync",
    "fdatasync",
    "sync",
    "syncfs",
    "sync_file_range",
    "ftruncate",
    "truncate",
    "fallocate",
    "?chmod",
    "fchmod",
    "fchmodat",
    "utimensat",
    "copy_file_range",
    "?sendfile",
    "setxattr",
    "fsetxattr",
];

/// Calls that read, where a fault must not be mistaken for "there is nothing".
const READING: &[&str] = &["read", "pread64", "getdents64", "flock"];

/// Calls that replay needs and faults do not.
const POSITIONING: &[&str] = &["lseek"];

/// One finished system call.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) name: String,
    /// Place among the calls of this name in this thread, from 1: strace's `when`.
    pub(crate) nth: usize,
    pub(crate) args: Vec<Arg>,
    /// What it returned; a negative number is an error.
    pub(crate) result: i64,
    /// Path of the descriptor it returned.
    pub(crate) opened: Option<PathBuf>,
}

/// One argument, with the path of a descriptor and the bytes of a string.
#[derive(Debug, Clone, Default)]
pub(crate) struct Arg {
    pub(crate) raw: String,
    pub(crate) path: Option<PathBuf>,
    pub(crate) strings: Vec<Vec<u8>>,
}

impl Arg {
    /// The number before a descriptor's path, or a plain number.
    pub(crate) fn number(&self) -> Option<i64> {
        let digits: String = self.raw.chars().take_while(|c| c.is_ascii_digit() || *c == '-').collect();
        digits.parse().ok()
    }
}

impl Call {
    pub(crate) fn failed(&self) -> bool {
        self.result < 0
    }

    pub(crate) fn flag(&self, flag: &str) -> bool {
        self.args.iter().any(|arg| arg.raw.contains(flag))
    }

    /// Leaves everything as it is: a read-only open, or one of the reading calls.
    pub(crate) fn only_reads(&self) -> bool {
        if self.name.starts_with("open") {
            return !(self.flag("O_CREAT") || self.flag("O_TRUNC") || self.flag("O_TMPFILE"));
        }
        READING.contains(&self.name.as_str()) || POSITIONING.contains(&self.name.as_str())
    }

    /// A write to standard output or standard error.
    pub(crate) fn speaks(&self) -> bool {
        self.name.starts_with("write") && matches!(self.args.first().and_then(Arg::number), Some(1 | 2))
    }

    /// Every path the call names, absolute, in order. `directory` is where relative ones start.
    pub(crate) fn paths(&self, directory: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut base = directory.to_path_buf();
        for (index, arg) in self.args.iter().enumerate() {
            if let Some(path) = &arg.path {
                base.clone_from(path);
                // A directory descriptor only says where the next string starts.
                let names_next = self.args.get(index + 1).is_some_and(|next| next.raw.starts_with('"'));
                if !(names_next && self.takes_directory()) {
                    found.push(path.clone());
                }
            } else if arg.raw.starts_with('"') && !self.carries_data() {
                let bytes = arg.strings.first().map(Vec::as_slice).unwrap_or_default();
                found.push(base.join(String::from_utf8_lossy(bytes).as_ref()));
                base = directory.to_path_buf();
            }
        }
        found
    }

    fn takes_directory(&self) -> bool {
        self.name.ends_with("at") || self.name.ends_with("at2")
    }

    fn carries_data(&self) -> bool {
        self.name.contains("write") || self.name.contains("read") || self.name == "getdents64"
    }

    /// For a report: the name and what it works on, below `root`.
    pub(crate) fn describe(&self, root: &Path) -> String {
        let shown: Vec<String> =
            self.paths(root).iter().map(|path| path.strip_prefix(root).unwrap_or(path).display().to_string()).collect();
        format!("{} #{} ({})", self.name, self.nth, shown.join(" → "))
    }
}

/// What is put into one call.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) call: String,
    pub(crate) nth: usize,
    pub(crate) kind: FaultKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// The process dies at the door of the call, which then does not happen.
    Kill,
    /// This call fails, the next works again.
    Error(&'static str),
    /// From this call on, every one of its kind fails.
    ErrorFrom(&'static str),
}

impl FaultKind {
    /// For a report.
    pub(crate) fn name(self) -> String {
        match self {
            FaultKind::Kill => "killed".to_owned(),
            FaultKind::Error(errno) => errno.to_owned(),
            FaultKind::ErrorFrom(errno) => format!("lasting {errno}"),
        }
    }
}

impl Fault {
    /// What strace is told of it.
    fn arguments(&self) -> Vec<String> {
        let trace = format!("trace={}", self.call);
        ["-e", "signal=none", "-s", "0", "-e", &trace, "-e", &self.expression()].map(str::to_owned).to_vec()
    }

    fn expression(&self) -> String {
        let Self { call, nth, kind } = self;
        match kind {
            FaultKind::Kill => format!("inject={call}:signal=SIGKILL:when={nth}"),
            FaultKind::Error(errno) => format!("inject={call}:error={errno}:when={nth}"),
            FaultKind::ErrorFrom(errno) => format!("inject={call}:error={errno}:when={nth}+"),
        }
    }
}

/// Whose calls count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// Those of every thread, and of the programs it starts
    Everybody,
    /// Those of its first thread alone: the programs it starts live on when it dies
    Own,
}

impl Whose {
    fn flags(self) -> &'static [&'static str] {
        match self {
            Whose::Everybody => &["-f", "-qq"],
            Whose::Own => &["-qq"],
        }
    }
}

/// Runs the binary and records its calls; `bytes` is how much of each string is kept.
pub(crate) fn record(
    sandbox: &Sandbox,
    binary: &Path,
    call: &Invocation,
    bytes: usize,
) -> Result<(Finished, Vec<Call>), String> {
    record_of(Whose::Everybody, sandbox, binary, call, bytes)
}

/// Runs the binary and records its own calls, or everybody's.
pub(crate) fn record_of(
    whose: Whose,
    sandbox: &Sandbox,
    binary: &Path,
    call: &Invocation,
    bytes: usize,
) -> Result<(Finished, Vec<Call>), String> {
    let kinds = [CHANGING, READING, POSITIONING].concat().join(",");
    let mut command = sandbox.command(Path::new("strace"));
    command.args(whose.flags()).args(["-y", "-xx", "-e", "signal=none", "-s", &bytes.to_string()]);
    command.arg("-e").arg(format!("trace={kinds}"));
    let (finished, trace) = traced(command, binary, call)?;
    // Without a thread in front of its calls, everything is one thread's.
    let trace = match whose {
        Whose::Everybody => trace,
        Whose::Own => trace.lines().flat_map(|line| ["0 ", line, "\n"]).collect(),
    };
    Ok((finished, parse(&trace)))
}

/// Runs the binary with one fault; `None` when the call was never reached.
pub(crate) fn inject(
    sandbox: &Sandbox,
    binary: &Path,
    call: &Invocation,
    fault: &Fault,
) -> Result<Option<Finished>, String> {
    inject_into(Whose::Everybody, sandbox, binary, call, fault)
}

/// Runs the binary with one fault in its own calls, or in everybody's.
pub(crate) fn inject_into(
    whose: Whose,
    sandbox: &Sandbox,
    binary: &Path,
    call: &Invocation,
    fault: &Fault,
) -> Result<Option<Finished>, String> {
    let mut command = sandbox.command(Path::new("strace"));
    command.args(whose.flags()).args(fault.arguments());
    let (finished, trace) = traced(command, binary, call)?;
    let hit = match fault.kind {
        FaultKind::Kill => trace.lines().any(|line| line.ends_with("= ?")),
        FaultKind::Error(_) | FaultKind::ErrorFrom(_) => trace.contains("(INJECTED)"),
    };
    Ok(hit.then_some(finished))
}

/// Runs the binary under strace, whose own words are there already, and gives the trace.
fn traced(mut command: Command, binary: &Path, call: &Invocation) -> Result<(Finished, String), String> {
    let scratch = crate::rig::scratch().map_err(|error| error.to_string())?;
    let log = scratch.path().join("trace");
    command.arg("-o").arg(&log).arg(binary);
    call.complete(&mut command).map_err(|error| error.to_string())?;
    let finished = finish(command).map_err(|error| format!("cannot start strace: {error}"))?;
    let trace = std::fs::read_to_string(&log)
        .map_err(|error| format!("strace left no trace ({error}): {}", finished.brief()))?;
    Ok((finished, trace))
}

/// Runs the binary, and all that it starts, and gives the lines of those calls that have to do with a network.
pub(crate) fn sockets(sandbox: &Sandbox, binary: &Path, call: &Invocation) -> Result<(Finished, Vec<String>), String> {
    let mut command = sandbox.command(Path::new("strace"));
    command.args(Whose::Everybody.flags()).args(["-e", "signal=none", "-e", "trace=network"]);
    let (finished, trace) = traced(command, binary, call)?;
    // A process that ended before strace knew what it was about to call did not call it.
    let calls = trace.lines().filter(|line| !line.contains("???("));
    Ok((finished, calls.map(str::to_owned).collect()))
}

/// Says what to install when strace cannot be used.
pub(crate) fn available() -> Result<(), String> {
    let found = Command::new("strace").arg("--version").output();
    match found {
        Ok(output) if output.status.success() => Ok(()),
        _ => Err(
            "strace is missing: install it (Debian, Ubuntu: `apt-get install strace`; Fedora: `dnf install strace`)"
                .to_owned(),
        ),
    }
}

/// Parses a trace written with `-f -y -xx`.
pub(crate) fn parse(trace: &str) -> Vec<Call> {
    let mut counts: HashMap<(String, String), usize> = HashMap::new();
    let mut unfinished: HashMap<String, String> = HashMap::new();
    let mut calls = Vec::new();
    for line in trace.lines() {
        let Some((thread, rest)) = line.split_once(char::is_whitespace) else {
            continue;
        };
        let rest = rest.trim_start();
        if let Some(beginning) = rest.strip_suffix("<unfinished ...>") {
            unfinished.insert(thread.to_owned(), beginning.trim_end().to_owned());
            continue;
        }
        let whole = match (rest.starts_with("<... "), rest.split_once("resumed>")) {
            (true, Some((_, ending))) => match unfinished.remove(thread) {
                Some(beginning) => format!("{beginning}{ending}"),
                None => continue,
            },
            _ => rest.to_owned(),
        };
        let Some(mut call) = parse_call(&whole) else { continue };
        let count = counts.entry((thread.to_owned(), call.name.clone())).or_default();
        *count += 1;
        call.nth = *count;
        calls.push(call);
    }
    calls
}

fn parse_call(line: &str) -> Option<Call> {
    let (name, rest) = line.split_once('(')?;
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }
    // From the right, because data may hold anything but, in hexadecimal, not this.
    let (args, result) = rest.rsplit_once(") ")?;
    let result = result.trim_start().strip_prefix("= ")?;
    let returned = parse_arg(result);
    Some(Call {
        name: name.to_owned(),
        nth: 0,
        args: split_args(args).map(parse_arg).collect(),
        result: returned.number()?,
        opened: returned.path,
    })
}

/// Splits at commas outside quotes, brackets and descriptor paths.
fn split_args(args: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let mut quoted = false;
    args.split(move |c| {
        match c {
            '"' => quoted = !quoted,
            '[' | '{' | '<' if !quoted => depth += 1,
            ']' | '}' | '>' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0 && !quoted
    })
    .map(str::trim)
}

fn parse_arg(raw: &str) -> Arg {
    let path = raw
        .split_once('<')
        .filter(|(before, _)| !before.contains('"') && !before.contains('['))
        .and_then(|(_, rest)| rest.split_once('>'))
        .filter(|(_, after)| !after.contains("deleted"))
        .map(|(path, _)| PathBuf::from(String::from_utf8_lossy(&unescape(path)).into_owned()));
    let strings = raw.split('"').skip(1).step_by(2).map(unescape).collect();
    Arg { raw: raw.to_owned(), path, strings }
}

/// Bytes of a string that strace wrote with `-xx`.
fn unescape(text: &str) -> Vec<u8> {
    text.split("\\x").skip(1).filter_map(|digits| u8::from_str_radix(digits.get(..2)?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_per_thread_and_joined_when_interrupted() {
        let trace = concat!(
            "7  mkdirat(AT_FDCWD<\\x2f\\x61>, \"\\x62\", 0777) = 0\n",
            "7  write(4<\\x2f\\x61\\x2f\\x63>, \"\\x2c\\x29\", 2 <unfinished ...>\n",
            "8  write(1<\\x70>, \"\\x0a\", 1) = 1\n",
            "7  <... write resumed>) = 2\n",
            "7  openat(AT_FDCWD<\\x2f\\x61>, \"\\x64\", O_RDONLY) = -1 ENOENT (No such file or directory)\n",
            "7  +++ exited with 0 +++\n",
        );
        let calls = parse(trace);
        let names: Vec<(&str, usize)> = calls.iter().map(|call| (call.name.as_str(), call.nth)).collect();
        assert_eq!(names, [("mkdirat", 1), ("write", 1), ("write", 1), ("openat", 1)]);
        assert_eq!(calls[0].paths(Path::new("/")), [PathBuf::from("/a/b")]);
        assert_eq!(calls[2].args[1].strings, [b",)".to_vec()]);
        assert!(calls[1].speaks());
        assert!(calls[3].failed() && calls[3].only_reads());
    }
}
