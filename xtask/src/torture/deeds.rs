//! Changes as a person asks for them, and random ones that no rule stands in the way of.

mod sessions;

use crate::rig::{Invocation, Rng};

use super::ledger::Ledger;
pub(crate) use sessions::SessionDeed;

/// One change, asked for through the command line.
#[derive(Debug, Clone)]
pub(crate) enum Deed {
    Create { title: String, parent: Option<String> },
    Note { id: String, text: String },
    Status { id: String, status: &'static str },
    Title { id: String, title: String },
    Check { id: String, criterion: usize },
    Move { id: String, parent: Option<String> },
    Delete { id: String },
    Restore { id: String },
    Share,
    Unshare,
    Session(SessionDeed),
}

/// Criteria every created task has.
pub(crate) const CRITERIA: usize = 3;

/// Statuses no rule stands in the way of.
pub(crate) const STATUSES: &[&str] = &["todo", "in_progress", "review", "blocked"];

impl Deed {
    pub(crate) fn args(&self) -> Vec<String> {
        let place = |parent: &Option<String>| parent.clone().unwrap_or_else(|| "root".to_owned());
        let args: Vec<&str> = match self {
            Self::Create { title, parent } => {
                let mut args = vec!["task", "create", title];
                for criterion in ["builds", "runs", "is read"] {
                    args.extend(["--criterion", criterion]);
                }
                if let Some(parent) = parent {
                    args.extend(["--parent", parent]);
                }
                args
            }
            Self::Note { id, text } => vec!["task", "note", id, text],
            Self::Status { id, status } => vec!["task", "update", id, "--status", status],
            Self::Title { id, title } => vec!["task", "update", id, "--title", title],
            Self::Check { id, criterion } => {
                return ["task", "check", id, &criterion.to_string(), "--json"].map(str::to_owned).to_vec();
            }
            Self::Move { id, parent } => {
                return ["task", "move", id, "--to", &place(parent), "--json"].map(str::to_owned).to_vec();
            }
            Self::Delete { id } => vec!["task", "delete", id],
            Self::Restore { id } => vec!["task", "restore", id],
            Self::Share => vec!["share"],
            Self::Unshare => vec!["unshare"],
            Self::Session(deed) => return deed.args(),
        };
        args.into_iter().chain(["--json"]).map(str::to_owned).collect()
    }

    /// What it reads at its standard input, where a command line cannot say it all.
    pub(crate) fn input(&self) -> Option<String> {
        match self {
            Self::Session(deed) => deed.input(),
            _ => None,
        }
    }

    pub(crate) fn invocation(&self) -> Invocation {
        Invocation { args: self.args(), input: self.input(), ..Invocation::default() }
    }
}

/// More tasks than this only make reading back slower.
const CROWDED: usize = 14;

/// Chooses one sensible change after another.
#[derive(Debug)]
pub(crate) struct Chooser {
    pub(crate) random: Rng,
    /// Whether the project is shared at the moment.
    pub(crate) shared: bool,
    serial: usize,
}

impl Chooser {
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: Rng::new(seed), shared: false, serial: 0 }
    }

    pub(crate) fn create(&mut self, parent: Option<String>) -> Deed {
        self.serial += 1;
        Deed::Create { title: format!("Task {}", self.serial), parent }
    }

    pub(crate) fn choose(&mut self, ledger: &Ledger) -> Deed {
        self.serial += 1;
        let serial = self.serial;
        let ids: Vec<String> = ledger.now.tasks.keys().cloned().collect();
        let Some(id) = (!ids.is_empty()).then(|| self.random.pick(&ids).clone()) else {
            return self.create(None);
        };
        if self.random.below(5) < 2 {
            let about = [None, Some(id)];
            let about = self.random.pick(&about).clone();
            return Deed::Session(SessionDeed::choose(&mut self.random, &ledger.now.sessions, about, serial));
        }
        let restorable: Vec<String> = ledger.restorable(&[]).into_iter().cloned().collect();
        match self.random.below(if ids.len() > CROWDED { 24 } else { 20 }) {
            0..=2 => self.create(None),
            3..=5 => self.create(Some(id)),
            6..=8 => Deed::Note { id, text: format!("note {serial}") },
            9..=11 => Deed::Status { id, status: self.random.pick::<&str>(STATUSES) },
            12 => Deed::Title { id, title: format!("Renamed {serial}") },
            13 => Deed::Check { id, criterion: self.random.below(CRITERIA) + 1 },
            14 | 15 => {
                let below = ledger.subtree(&id);
                let free: Vec<&String> = ids.iter().filter(|other| !below.contains(*other)).collect();
                let parent = (!free.is_empty()).then(|| (*self.random.pick(&free)).clone());
                Deed::Move { id, parent }
            }
            16 if !restorable.is_empty() => Deed::Restore { id: self.random.pick(&restorable).clone() },
            17 if self.shared => Deed::Unshare,
            17 => Deed::Share,
            _ => Deed::Delete { id },
        }
    }

    /// Takes note of what an acknowledged change means for the choices to come.
    pub(crate) fn remember(&mut self, deed: &Deed) {
        match deed {
            Deed::Share => self.shared = true,
            Deed::Unshare => self.shared = false,
            _ => {}
        }
    }
}
