//! `handoff trust`: whose signatures are believed, and which handovers may run commands. The lists are files in the
//! user's configuration directory.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use handoff_bundle::{Level, NotAdded, PublicKey, TrustEntry, TrustList};
use handoff_model::when::Moment;
use handoff_store::UserFile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::import::read_small;
use crate::page::{Column, Role, Row, Table, Text};
use crate::{Door, Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

mod handover;
mod trusted;

pub use handover::{ListHandovers, RevokeHandover, TrustHandover};
pub use trusted::{Trust, require, trusted};

const FILE: &str = "signers.toml";

/// Believe bundles that are signed with a key
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddSigner {
    /// Whose key it is
    pub name: String,
    /// The public key, such as `ssh-ed25519 AAAA…`, or a file that holds it
    pub key: String,
    /// How far: `trusted`, or only `known`; `revoked` for one that is not to be believed any more
    #[arg(long, value_enum, default_value = "trusted")]
    #[serde(default)]
    pub level: TrustLevel,
}

/// List the signers whose bundles are believed
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListSigners {}

/// Forget a signer
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveSigner {
    /// The signer, by name, fingerprint or key
    pub signer: String,
}

/// How far a key is believed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum TrustLevel {
    #[default]
    Trusted,
    Known,
    Revoked,
}

/// Signers, and what was done with them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SignersView {
    pub signers: Vec<SignerEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Whether they were taken out
    #[serde(skip)]
    are_gone: bool,
}

/// One signer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SignerEntry {
    pub name: String,
    pub level: TrustLevel,
    pub fingerprint: String,
    pub key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added_at: Option<Moment>,
}

/// A signer that is remembered once a bundle was imported.
#[derive(Debug)]
pub(crate) struct NewSigner {
    pub(crate) name: String,
    pub(crate) key: PublicKey,
}

impl NewSigner {
    pub(crate) fn write(&self, project: &Project) -> Result<(), OpError> {
        add(project, &self.name, self.key.clone(), Level::Known).map(|_| ())
    }
}

/// The list of signers, and the text it was read from.
pub(crate) fn read(project: &Project) -> Result<(Option<String>, TrustList), OpError> {
    let path = path(project)?;
    let text = UserFile::new(&path).read()?;
    let list = TrustList::read(text.as_deref().unwrap_or_default()).map_err(|error| {
        OpError::damaged(format!("the list of signers in `{}` cannot be read", path.display())).caused_by(error)
    })?;
    Ok((text, list))
}

fn path(project: &Project) -> Result<PathBuf, OpError> {
    Ok(directory(project)?.join(FILE))
}

/// The user's configuration directory.
pub(crate) fn directory(project: &Project) -> Result<PathBuf, OpError> {
    let config = project.user_config_path().and_then(|path| Some(path.parent()?.to_owned()));
    config.ok_or_else(|| OpError::failure("there is no home directory to keep keys and signers in"))
}

fn write(project: &Project, before: Option<String>, list: &TrustList) -> Result<(), OpError> {
    let wait = project.patient(Duration::from_secs(10));
    Ok(UserFile::new(&path(project)?).write(before, list.text().to_owned(), wait, &project.stop)?)
}

fn add(project: &Project, name: &str, key: PublicKey, level: Level) -> Result<TrustEntry, OpError> {
    let (before, mut list) = read(project)?;
    let entry = TrustEntry { name: name.to_owned(), key, level, added_at: Some(project.now()) };
    list.add(entry.clone()).map_err(|error| match &error {
        NotAdded::KeyTaken { name } | NotAdded::Revoked { name } => {
            OpError::refused(error.to_string()).hint(Hint::run_with::<RemoveSigner>(json!({"signer": name})))
        }
        NotAdded::NameTaken { .. } => OpError::refused(format!("{error}; somebody may be posing")).hint(Hint::say(
            "ask the person in another way; only if they have a new key, take the old one out with `handoff trust remove`",
        )),
        NotAdded::Name(_) => OpError::usage(error.to_string()),
        NotAdded::List(_) => OpError::damaged("the list of signers cannot be changed").caused_by(error),
    })?;
    write(project, before, &list)?;
    Ok(entry)
}

impl Operation for AddSigner {
    const NAME: &'static str = "trust.add";
    const TOOL: &'static str = "handoff_trust_signer";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Found;
    const DOORS: &'static [Door] = &[Door::Cli];
    const REPEATABLE: bool = true;
    type Outcome = SignersView;

    fn example() -> Value {
        json!({
            "name": "alice",
            "key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIItpkadjA8fpnQWuc7b4WSVjLqFPwUg7z+igvB4vMR/c"
        })
    }

    fn run(self, project: &mut Project) -> Result<SignersView, OpError> {
        let key = match self.key.trim().parse::<PublicKey>() {
            Ok(key) => key,
            Err(error) => {
                let path = project.place.cwd.join(&self.key);
                if !path.is_file() {
                    let message = format!("`{}` is neither a public key nor a file that holds one", self.key);
                    return Err(OpError::usage(message).caused_by(error));
                }
                let bytes = read_small(&path, &format!("`{}`", project.shown(&path)))?;
                String::from_utf8_lossy(&bytes).trim().parse().map_err(|error: handoff_bundle::NotAKey| {
                    OpError::usage(format!("`{}` holds no public key", self.key)).caused_by(error)
                })?
            }
        };
        let level = match self.level {
            TrustLevel::Trusted => Level::Trusted,
            TrustLevel::Known => Level::Known,
            TrustLevel::Revoked => Level::Revoked,
        };
        let entry = add(project, &self.name, key, level)?;
        let message = format!("bundles of `{}` are {} now", entry.name, word(level));
        Ok(SignersView { signers: vec![view(&entry)], message: Some(message), are_gone: false })
    }
}

impl Operation for ListSigners {
    const NAME: &'static str = "trust.list";
    const TOOL: &'static str = "handoff_list_signers";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Seek;
    const DOORS: &'static [Door] = &[Door::Cli];
    type Outcome = SignersView;

    fn example() -> Value {
        json!({})
    }

    fn run(self, project: &mut Project) -> Result<SignersView, OpError> {
        let (_, list) = read(project)?;
        Ok(SignersView { signers: list.entries().iter().map(view).collect(), message: None, are_gone: false })
    }
}

impl Operation for RemoveSigner {
    const NAME: &'static str = "trust.remove";
    const TOOL: &'static str = "handoff_forget_signer";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Found;
    const DOORS: &'static [Door] = &[Door::Cli];
    type Outcome = SignersView;

    fn example() -> Value {
        json!({"signer": "bob"})
    }

    fn run(self, project: &mut Project) -> Result<SignersView, OpError> {
        let (before, mut list) = read(project)?;
        let removed = list
            .remove(&self.signer)
            .map_err(|error| OpError::damaged("the list of signers cannot be changed").caused_by(error))?;
        if removed.is_empty() {
            return Err(OpError::not_found(format!("no signer `{}` in your list", self.signer))
                .hint(Hint::run::<ListSigners>()));
        }
        write(project, before, &list)?;
        let message = format!("`{}` is no longer in your list", self.signer);
        Ok(SignersView { signers: removed.iter().map(view).collect(), message: Some(message), are_gone: true })
    }
}

const fn word(level: Level) -> &'static str {
    match level {
        Level::Trusted => "trusted",
        Level::Known => "known",
        Level::Revoked => "revoked",
    }
}

fn view(entry: &TrustEntry) -> SignerEntry {
    let level = match entry.level {
        Level::Trusted => TrustLevel::Trusted,
        Level::Known => TrustLevel::Known,
        Level::Revoked => TrustLevel::Revoked,
    };
    SignerEntry {
        name: entry.name.clone(),
        level,
        fingerprint: entry.key.fingerprint(),
        key: entry.key.to_string(),
        added_at: entry.added_at,
    }
}

impl Report for SignersView {
    fn page(&self) -> Page {
        let page = match &self.message {
            Some(message) => Page::new().line(Text::of(Role::Good, "✓ ").plain(message)),
            None if self.signers.is_empty() => return Page::new().line("no signers: `handoff trust add` adds one"),
            None => Page::new(),
        };
        if self.are_gone {
            return page;
        }
        let rows = self.signers.iter().map(|signer| {
            let level = serde_json::to_value(signer.level).ok().and_then(|level| Some(level.as_str()?.to_owned()));
            Row::new([
                Text::from(signer.name.clone()),
                Text::from(level.unwrap_or_default()),
                Text::of(Role::Id, signer.fingerprint.clone()),
            ])
        });
        page.table(Table::new([Column::new("signer"), Column::new("level"), Column::new("fingerprint")]).rows(rows))
    }
}
