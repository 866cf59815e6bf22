//! Having Codex trust our hooks, by the hashes it tells itself.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use handoff_hosts::setup::{self, CodexHooks, Part, Plan, Scope};
use serde_json::{Value, json};

use super::Setup;
use super::report::{AgentOutcome, PartOutcome, PartStatus, Status};
use crate::OpError;

const PATIENCE: Duration = Duration::from_secs(10);

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
        let Some(target) = listed(&program, dir).and_then(|listed| hooks.trust(&self.machine(), &listed)) else {
            codex.notes.push(by_hand("and it did not say which there are"));
            return Ok(());
        };
        let path = self.shown(&target.path);
        let plan = setup::add(self.machine(), codex.agent, target).map_err(OpError::failure)?;
        let failures = self.carry_out(&plan)?;
        if let Some((_, why)) = failures.first() {
            codex.notes.push(by_hand(why));
            return Ok(());
        }
        let status = if plan.files.is_empty() { PartStatus::Current } else { PartStatus::Added };
        if status == PartStatus::Added && codex.status == Status::AlreadySetUp {
            codex.status = Status::Updated;
        }
        codex.parts.push(PartOutcome { part: Part::Trust, path, status, details: Vec::new() });
        codex
            .notes
            .push("our hooks, and only ours, were noted as trusted in Codex; `/hooks` there shows them".to_owned());
        Ok(())
    }
}

/// What Codex says its hooks are.
fn listed(program: &Path, dir: &Path) -> Option<Value> {
    let mut server = Command::new(program)
        .arg("app-server")
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let answer = ask(&mut server, dir, Instant::now() + PATIENCE);
    // It leaves when its input ends; what a launcher started is only reached that way.
    drop(server.stdin.take());
    let gone = Instant::now() + Duration::from_secs(1);
    while matches!(server.try_wait(), Ok(None)) && Instant::now() < gone {
        std::thread::sleep(Duration::from_millis(10));
    }
    let _ = server.kill();
    let _ = server.wait();
    answer
}

fn ask(server: &mut Child, dir: &Path, until: Instant) -> Option<Value> {
    let stdout = server.stdout.take()?;
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    let mut input = server.stdin.as_ref()?;
    let mut say = |message: &Value| writeln!(input, "{message}").and_then(|()| input.flush()).ok();
    let answer = |id: i64| {
        loop {
            let line = lines.recv_timeout(until.saturating_duration_since(Instant::now())).ok()?;
            let message: Value = serde_json::from_str(&line).unwrap_or_default();
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
