//! Having Codex trust our hooks, by the hashes it tells itself.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use handoff_hosts::setup::{self, CodexHooks, Part, Plan, Scope};
use handoff_store::{apart, kill_group};
use serde_json::{Value, json};

use super::Setup;
use super::report::{AgentOutcome, PartOutcome, PartStatus, Status};
use crate::OpError;

/// How long the whole exchange may take. Codex needs a second, and many on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long it may take to leave by itself.
const GRACE: Duration = Duration::from_secs(1);
/// More than a list of hooks has.
const MOST_BYTES: u64 = 8 * 1024 * 1024;

impl Setup {
    /// Notes our hooks as trusted, unless they are already.
    pub(super) fn trust_codex(
        &self,
        codex: &mut AgentOutcome,
        plan: &Plan,
        scope: Scope,
        trusts: bool,
    ) -> Result<(), OpError> {
        let hooks = CodexHooks::find(&self.machine(), scope);
        let has_changed = plan.files.iter().any(|file| file.path.file_name().is_some_and(|name| name == "hooks.json"));
        let has_changed = has_changed && codex.parts.iter().any(|part| part.part == Part::Hooks && part.is_changed());
        if hooks.is_empty() || (hooks.are_noted() && !has_changed) {
            return Ok(());
        }
        let by_hand = |why: &str| {
            format!(
                "Codex does not run hooks that are not trusted, {why}: open Codex, type `/hooks`, and trust those of handoff"
            )
        };
        if !trusts {
            codex.notes.push(by_hand("and none was noted as trusted"));
            return Ok(());
        }
        let Some(program) = self.disk.find("codex") else {
            codex.notes.push(by_hand("and `codex` is not on the PATH to be asked about them"));
            return Ok(());
        };
        let dir = if scope == Scope::Project { &self.project } else { &self.home };
        let listed = listed(&program, dir, PATIENCE);
        let alone = self.alone(scope)?;
        // As they stand now: another setup may have come between.
        let hooks = CodexHooks::find(&self.machine(), scope);
        let Some(target) = listed.and_then(|listed| hooks.trust(&self.machine(), &listed)) else {
            codex.notes.push(by_hand("and it did not say which there are"));
            return Ok(());
        };
        let (path, shown) = (target.path.display().to_string(), self.shown(&target.path));
        let plan = setup::add(self.machine(), codex.agent, target).map_err(OpError::failure)?;
        let failures = self.carry_out(&plan, &alone)?;
        if let Some((_, why)) = failures.first() {
            codex.notes.push(by_hand(why));
            return Ok(());
        }
        let status = if plan.files.is_empty() { PartStatus::Current } else { PartStatus::Added };
        if status == PartStatus::Added && codex.status == Status::AlreadySetUp {
            codex.status = Status::Updated;
        }
        codex.parts.push(PartOutcome { part: Part::Trust, path, shown, status, details: Vec::new() });
        codex
            .notes
            .push("our hooks, and only ours, were noted as trusted in Codex; `/hooks` there shows them".to_owned());
        Ok(())
    }
}

/// What Codex says its hooks are. It is gone when this returns, with all that it started.
fn listed(program: &Path, dir: &Path, patience: Duration) -> Option<Value> {
    let mut command = Command::new(program);
    command.arg("app-server").current_dir(dir);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    apart(&mut command);
    let mut server = command.spawn().ok()?;
    let (stdin, stdout) = (server.stdin.take(), server.stdout.take());
    let lines = stdout.map(lines_of);
    let answer = stdin.zip(lines.as_ref()).and_then(|(stdin, lines)| ask(stdin, lines, dir, Instant::now() + patience));
    // It leaves when its input ends, which is what `ask` closed; its output ends with the last of those it started.
    if let Some(lines) = lines {
        let gone = Instant::now() + GRACE.min(patience);
        while next(&lines, gone).is_some() {}
    }
    kill_group(&mut server);
    let _ = server.wait();
    answer
}

/// The lines of an answer, read beside until it ends or is too much.
fn lines_of(output: ChildStdout) -> Receiver<String> {
    let (sender, lines) = mpsc::sync_channel(16);
    std::thread::spawn(move || {
        let read = BufReader::new(output.take(MOST_BYTES)).lines();
        let _ = read.map_while(Result::ok).try_for_each(|line| sender.send(line));
    });
    lines
}

/// The next line; `None` where there is none until then.
fn next(lines: &Receiver<String>, until: Instant) -> Option<String> {
    // What waits to be taken would be taken at any time.
    let left = until.checked_duration_since(Instant::now())?;
    lines.recv_timeout(left).ok()
}

fn ask(mut input: ChildStdin, lines: &Receiver<String>, dir: &Path, until: Instant) -> Option<Value> {
    let mut say = |message: &Value| writeln!(input, "{message}").and_then(|()| input.flush()).ok();
    let answer = |id: i64| {
        loop {
            let message: Value = serde_json::from_str(&next(lines, until)?).unwrap_or_default();
            if message.get("id") == Some(&Value::from(id)) {
                return message.get("result").cloned();
            }
        }
    };
    let client = json!({"name": "handoff", "title": null, "version": env!("CARGO_PKG_VERSION")});
    say(&json!({"id": 1, "method": "initialize", "params": {"clientInfo": client}}))?;
    answer(1)?;
    say(&json!({"method": "initialized"}))?;
    say(&json!({"id": 2, "method": "hooks/list", "params": {"cwds": [dir]}}))?;
    answer(2)
}

#[cfg(all(test, unix))]
#[expect(clippy::unwrap_used, reason = "a test fails where it must")]
mod tests {
    use std::path::PathBuf;

    use handoff_store::{NewFile, Process, change_outside};

    use super::*;

    fn program(script: &str, dir: &Path) -> PathBuf {
        let program = dir.join("codex");
        change_outside(&program, None, Some(format!("#!/bin/sh\n{script}\n").as_bytes()), NewFile::Program).unwrap();
        program
    }

    fn asked(script: &str, dir: &Path) -> Option<Value> {
        listed(&program(script, dir), dir, Duration::from_millis(300))
    }

    #[test]
    fn one_that_says_too_much_is_not_listened_to_for_ever() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(asked(r#"yes '{"id":1,"result":{}}'"#, dir.path()), None);
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(asked("tr '\\0' x </dev/zero", dir.path()), None, "also when it is one line");
    }

    #[test]
    fn one_that_hangs_is_ended_with_all_that_it_started() {
        let dir = tempfile::tempdir().unwrap();
        let hanging = program("sleep 1000 & echo $! >child.new; mv child.new child; wait", dir.path());
        let note = dir.path().join("child");
        // How long a shell takes to get that far, nobody can say; so it is given more time until it does.
        let patience = (0..8).map(|doubled| Duration::from_millis(300 << doubled));
        let is_noted = patience.map(|patience| listed(&hanging, dir.path(), patience)).any(|answer| {
            assert_eq!(answer, None);
            note.exists()
        });
        assert!(is_noted, "it never started anything");
        let child: u32 = std::fs::read_to_string(note).unwrap().trim().parse().unwrap();
        // Who was killed is gone once the machine comes round to it.
        let is_gone = (0..6_000).any(|_| {
            let is_gone = !Process::is_running(child);
            if !is_gone {
                std::thread::sleep(Duration::from_millis(10));
            }
            is_gone
        });
        assert!(is_gone, "process {child} is still there");
    }

    #[test]
    fn one_that_answers_is_heard() {
        let dir = tempfile::tempdir().unwrap();
        let script = r#"read a; echo '{"id":1,"result":{}}'; read b; read c; echo noise; echo '{"id":2,"result":[7]}'"#;
        assert_eq!(listed(&program(script, dir.path()), dir.path(), Duration::from_mins(1)), Some(json!([7])));
    }
}
