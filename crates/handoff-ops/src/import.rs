//! `handoff import`: the one way in for records from outside.
//!
//! **Invariant:** everything that comes in is planned first, record by record, and the plan is carried out as one change
//! that can be taken back. What is here already with the same content stays as it is, so that importing twice changes
//! nothing. Nothing that is imported is ever run.

use std::path::PathBuf;

use clap::Args;
use handoff_bundle::Content;
use handoff_import::Taken;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::passphrase::PassphraseFrom;
use crate::{Door, Effect, ErrorKind, Hint, OpError, Operation, Project, ToolSet};

mod bundle;
mod carry_out;
mod foreign;
mod memories;
mod plan;
mod report;

pub(crate) use bundle::read_small;
pub(crate) use carry_out::carry_out;
pub use foreign::ForeignSystem;
pub(crate) use foreign::{in_the_way, unreadable};
pub(crate) use plan::Plan;
pub use report::{Counts, Imported, PlannedRecord, SignerView, Step};

/// Import a bundle, or what another system keeps
///
/// Give a bundle with `--input`, or a system with `--from`. `--dry-run` shows what would be done. Everything is one
/// change, which `handoff undo` takes back; the source is never changed.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Import {
    /// Bundle to import, or where the system of `--from` keeps its records; its usual place when absent
    #[arg(value_name = "PATH")]
    #[serde(default)]
    pub path: Option<PathBuf>,
    /// Bundle to import; `-` reads standard input
    #[arg(long, short, value_name = "FILE", conflicts_with_all = ["from", "path"])]
    #[serde(default)]
    pub input: Option<PathBuf>,
    /// System to take records from: handoff-cli, session-handoff, agent-handover or handoff-mcp
    #[arg(long, value_name = "SYSTEM", value_enum)]
    #[serde(default)]
    pub from: Option<ForeignSystem>,
    /// What becomes of a record that is here already and says something else
    #[arg(long, value_name = "WHAT", value_enum, default_value = "fail", ignore_case = true)]
    #[serde(default)]
    pub on_conflict: OnConflict,
    /// Only show what would be done
    #[arg(long, short = 'n')]
    #[serde(default)]
    pub dry_run: bool,
    /// Take a bundle that nobody signed
    #[arg(long)]
    #[serde(default)]
    pub allow_unsigned: bool,
    /// Take a bundle whose signer is not known yet, and remember the key
    #[arg(long)]
    #[serde(default)]
    pub trust_on_first_use: bool,
    /// File with a private key to decrypt with, of age or OpenSSH; may be given several times
    #[arg(long = "identity", value_name = "FILE")]
    #[serde(default)]
    pub identities: Vec<PathBuf>,
    #[command(flatten)]
    #[serde(skip)]
    passphrase: PassphraseFrom,
    #[arg(skip)]
    #[serde(skip)]
    incoming: Option<Incoming>,
}

/// What becomes of a record that is here already and says something else.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum OnConflict {
    /// Nothing is imported
    #[default]
    Fail,
    /// The one that is here stays
    Skip,
    /// The one that comes in takes its place
    Replace,
    /// Both become one: lists are united, what cannot stand twice is noted
    Merge,
}

/// Records on their way in, wherever they come from.
#[derive(Debug, Default)]
pub(crate) struct Incoming {
    /// Where they come from, for people
    pub(crate) source: String,
    pub(crate) taken: Taken,
    pub(crate) signer: Option<SignerView>,
    pub(crate) warnings: Vec<String>,
    /// The list of signers with the new one, to be written when all else went well
    pub(crate) new_signer: Option<crate::trust::NewSigner>,
}

impl Incoming {
    pub(crate) fn of(source: impl Into<String>, taken: Taken) -> Incoming {
        Incoming { source: source.into(), taken, ..Incoming::default() }
    }

    pub(crate) fn of_content(source: impl Into<String>, content: Content) -> Incoming {
        Incoming::of(source, Taken { content, ..Taken::default() })
    }
}

impl Operation for Import {
    const NAME: &'static str = "import";
    const TOOL: &'static str = "handoff_import";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Write;
    const DOORS: &'static [Door] = &[Door::Cli];
    const REPEATABLE: bool = true;
    type Outcome = Imported;

    fn example() -> Value {
        json!({"from": "agent-handover", "path": "../old-notes", "dry_run": true})
    }

    fn effect(&self) -> Effect {
        if self.dry_run { Effect::Seek } else { Effect::Write }
    }

    fn prepare(&mut self, project: &mut Project) -> Result<(), OpError> {
        self.incoming = Some(self.read(project)?);
        Ok(())
    }

    fn run(mut self, project: &mut Project) -> Result<Imported, OpError> {
        if self.dry_run {
            match project.open() {
                Ok(()) => {}
                // There is nothing here yet, so everything would be new.
                Err(error) if error.kind() == ErrorKind::NotFound && project.place.project_dir.is_none() => {}
                Err(error) => return Err(error),
            }
            self.prepare(project)?;
        }
        let incoming = self.incoming.take().expect("it was read before the lock was taken");
        let mut plan = Plan::of(project, &incoming.taken, self.on_conflict)?;
        if self.dry_run {
            if plan.counts().conflicts > 0 {
                let count = plan.counts().conflicts;
                plan.warnings
                    .push(format!("the import is refused as it is: {}; see `--on-conflict`", in_conflict(count)));
            }
            return Ok(Imported::planned(incoming, plan));
        }
        if self.on_conflict == OnConflict::Fail && plan.counts().conflicts > 0 {
            return Err(conflicts(&plan));
        }
        if let Some(signer) = &incoming.new_signer {
            signer.write(project)?;
        }
        let plan = carry_out(project, &incoming.taken, plan)?;
        Ok(Imported::done(incoming, plan))
    }
}

impl Import {
    fn read(&self, project: &mut Project) -> Result<Incoming, OpError> {
        match (&self.from, self.input.as_ref().or(self.path.as_ref().filter(|_| self.from.is_none()))) {
            (Some(system), None) => foreign::read(project, *system, self.path.as_deref()),
            (None, Some(input)) => self.open_bundle(project, input),
            (Some(_), Some(_)) => Err(OpError::usage("give either a bundle with `input` or a system with `from`")),
            (None, None) => Err(OpError::usage("say what to import: a bundle with `input`, or a system with `from`")),
        }
    }
}

fn in_conflict(count: usize) -> String {
    match count {
        1 => "1 record is here already and says something else".to_owned(),
        count => format!("{count} records are here already and say something else"),
    }
}

fn conflicts(plan: &Plan) -> OpError {
    const SHOWN: usize = 10;
    let conflicts: Vec<String> = plan.conflicts().collect();
    let more = conflicts.len().saturating_sub(SHOWN);
    let count = conflicts.len();
    let error = OpError::refused(format!("{}; nothing was imported", in_conflict(count)))
        .details(conflicts.into_iter().take(SHOWN));
    let error = if more > 0 { error.detail(format!("and {more} more")) } else { error };
    error.hint(Hint::say("say what becomes of them with `--on-conflict skip`, `replace` or `merge`"))
}
