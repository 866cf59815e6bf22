//! The user's own machine-local state, after the project was moved, copied or restored from a backup.
//!
//! At most one command, which the answer names, and everything works again: undo, the trash, the timer, the handover.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::rig::{Finished, Sandbox, finish, text};

use super::Lane;

/// How a project of the user gets to where it is used next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Moved,
    Copied,
    Restored,
}

impl Transport {
    pub(crate) const ALL: [Transport; 3] = [Transport::Moved, Transport::Copied, Transport::Restored];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Transport::Moved => "moved by the user",
            Transport::Copied => "copied by the user",
            Transport::Restored => "restored by the user from a backup",
        }
    }
}

pub(crate) fn check(lane: &Lane, transport: Transport, place: &Path) -> Result<(), String> {
    let sandbox = Sandbox::create(place).map_err(|error| error.to_string())?;
    let mut owner = Owner { sandbox, binary: lane.binary.clone(), project: PathBuf::new() };
    owner.project = owner.sandbox.project();
    let deleted = owner.work()?;
    owner.carry(transport)?;
    owner.take_back(transport)?;
    let undone = owner.must(&["undo", "--json"])?;
    let titles = owner.titles()?;
    if titles != ["Stays"] {
        return Err(format!("after `undo` there are the tasks {titles:?}: {}", undone.brief()));
    }
    owner.must(&["task", "restore", &deleted])?;
    let titles = owner.titles()?;
    if titles != ["Goes", "Stays"] {
        return Err(format!("after `task restore` there are the tasks {titles:?}"));
    }
    let timer = owner.must(&["timer", "status", "--json"])?.stdout;
    if !timer.contains("\"running\"") {
        return Err(format!("the timer does not run: {timer}"));
    }
    owner.must(&["run"])?;
    match owner.run(&["check"])?.code {
        Some(2) => Ok(()),
        code => Err(format!("the handover was not finished: `check` ends with {code:?}")),
    }
}

/// A user with a project.
struct Owner {
    sandbox: Sandbox,
    binary: PathBuf,
    project: PathBuf,
}

impl Owner {
    /// Leaves a deleted task, a running timer, a handover that was cut short, and a last change.
    fn work(&self) -> Result<String, String> {
        let io = |error: std::io::Error| error.to_string();
        self.must(&["init", "mine"])?;
        self.must(&["task", "create", "Stays"])?;
        let made: Value = self.must(&["task", "create", "Goes", "--json"])?.json()?;
        let deleted = text(&made, "id");
        self.must(&["task", "delete", &deleted])?;
        self.must(&["timer", "start", "1"])?;
        let steps = "[[step]]\nkind = \"note\"\n\n[[step]]\nkind = \"export\"\noutput = \"out/bundle.json\"\n";
        fs::write(self.project.join(".handoff/handover.toml"), steps).map_err(io)?;
        fs::write(self.project.join("out"), "in the way").map_err(io)?;
        self.run(&["run", "--note", "Half done"])?;
        fs::remove_file(self.project.join("out")).map_err(io)?;
        if self.run(&["check"])?.code != Some(1) {
            return Err("the handover was not cut short".to_owned());
        }
        self.must(&["task", "create", "Taken back"])?;
        Ok(deleted)
    }

    fn carry(&mut self, transport: Transport) -> Result<(), String> {
        let io = |error: std::io::Error| error.to_string();
        let elsewhere = self.sandbox.root().join("elsewhere");
        match transport {
            Transport::Moved => {
                fs::rename(&self.project, &elsewhere).map_err(io)?;
                self.project = elsewhere;
            }
            Transport::Copied => {
                command(Command::new("cp").arg("-a").arg(&self.project).arg(&elsewhere))?;
                self.project = elsewhere;
            }
            Transport::Restored => {
                let backup = self.sandbox.root().join("backup.tar");
                command(Command::new("tar").arg("-C").arg(&self.project).arg("-cf").arg(&backup).arg("."))?;
                fs::rename(&self.project, &elsewhere).map_err(io)?;
                fs::create_dir(&self.project).map_err(io)?;
                command(Command::new("tar").arg("-C").arg(&self.project).arg("-xf").arg(&backup))?;
            }
        }
        Ok(())
    }

    /// Runs the one command that the first answer names, if it names one.
    fn take_back(&self, transport: Transport) -> Result<(), String> {
        let first = self.run(&["task", "list"])?;
        let said = format!("{}\n{}", first.stdout, first.stderr);
        let Some((_, after)) = said.split_once("handoff local restore ") else { return Ok(()) };
        if transport == Transport::Moved {
            return Err(format!("a move sets the state aside: {}", first.brief()));
        }
        let number: String = after.chars().take_while(char::is_ascii_digit).collect();
        let shown = self.run(&["local", "restore", &number])?;
        if shown.died().is_some() {
            return Err(format!("`local restore` does not show what is there: {}", shown.brief()));
        }
        self.must(&["local", "restore", &number, "--yes"]).map(drop)
    }

    /// The titles of all tasks, sorted.
    fn titles(&self) -> Result<Vec<String>, String> {
        let list = self.must(&["task", "list", "--all", "--json"])?.json()?;
        let mut titles: Vec<String> = crate::rig::flatten(&list).into_iter().map(|task| text(task, "title")).collect();
        titles.sort();
        Ok(titles)
    }

    fn run(&self, args: &[&str]) -> Result<Finished, String> {
        let mut command = self.sandbox.command(&self.binary);
        command.current_dir(&self.project).args(args);
        finish(command).map_err(|error| error.to_string())
    }

    fn must(&self, args: &[&str]) -> Result<Finished, String> {
        let finished = self.run(args)?;
        if finished.succeeded() {
            Ok(finished)
        } else {
            Err(format!("`handoff {}` fails with {}", args.join(" "), finished.brief()))
        }
    }
}

fn command(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} ends with {status}")) }
}
