//! `handoff export`: records as a bundle that travels, or as words for an agent or a person.
//!
//! **Invariant:** what leaves is what was asked for and nothing else. Secrets hold it back, files are written whole and
//! for their owner alone, and what cannot be signed or encrypted is refused instead of written without.

use std::path::{Path, PathBuf};

use clap::Args;
use handoff_bundle::{Draft, Recipient, Signing, To, compat, encrypt, seal};
use handoff_model::id::SessionRef;
use handoff_model::when::PointInTime;
use handoff_store::FoundSession;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::passphrase::{Asking, PassphraseFrom};
use crate::render::{Target, render};
use crate::{Door, Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet, leaving};

mod choose;
mod compatible;
mod output;
mod signing;

use choose::Chosen;
use signing::Signed;

/// Export records as a bundle, or as Markdown
///
/// One record, those since a time or with a tag, or the whole project. `--format json` writes a bundle that
/// `handoff import` takes, signed with `--sign-key` and encrypted with `--encrypt` or `--recipient` if wanted.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Export {
    /// Record to export: an id, the beginning of one, a name, a date, or `latest`
    #[arg(long, value_name = "SESSION", conflicts_with_all = ["since", "tags", "all"])]
    #[serde(default)]
    pub id: Option<SessionRef>,
    /// Records since then: a time back such as `7d`, or a date
    #[arg(long, value_name = "TIME", conflicts_with = "all")]
    #[serde(default)]
    pub since: Option<PointInTime>,
    /// Records with this tag; may be given several times
    #[arg(long = "tag", value_name = "TAG", conflicts_with = "all")]
    #[serde(default)]
    pub tags: Vec<String>,
    /// The whole project: all sessions and tasks
    #[arg(long, alias = "project-wide")]
    #[serde(default)]
    pub all: bool,
    /// `markdown` for reading, `json` for a bundle
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "markdown", ignore_case = true)]
    #[serde(default)]
    pub format: Format,
    /// File to write to; standard output when absent or `-`
    #[arg(long, short, value_name = "FILE")]
    #[serde(default)]
    pub output: Option<PathBuf>,
    /// Who the Markdown is for: generic, claude-code, codex, cursor, gemini, copilot, opencode, cline, agents-md,
    /// pr-description or standup
    #[arg(long, value_name = "TARGET", default_value = "generic")]
    #[serde(default)]
    pub target: Target,
    /// Key to sign with: a private key in PKCS#8 or OpenSSH form, or a public one whose private half an agent has
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    pub sign_key: Option<PathBuf>,
    /// Your name, inside what is signed
    #[arg(long, value_name = "NAME", requires = "sign_key")]
    #[serde(default)]
    pub signer: Option<String>,
    /// Encrypt to a public key, of age or OpenSSH, or to those in a file; may be given several times
    #[arg(long = "recipient", value_name = "KEY")]
    #[serde(default)]
    pub recipients: Vec<String>,
    /// Encrypt with a passphrase
    #[arg(long, conflicts_with = "recipients")]
    #[serde(default)]
    pub encrypt: bool,
    /// Write it for another system: `session-handoff`
    #[arg(long, value_name = "SYSTEM", value_enum)]
    #[serde(default)]
    pub compat: Option<CompatSystem>,
    /// The version of that system's bundle: 2 unsigned, 3 signed
    #[arg(long = "bundle-version", alias = "version", value_name = "N", requires = "compat")]
    #[serde(default)]
    pub bundle_version: Option<u32>,
    #[command(flatten)]
    #[serde(skip)]
    passphrase: PassphraseFrom,
}

/// What is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Format {
    /// Words for an agent or a person
    #[default]
    #[value(alias = "md")]
    #[serde(alias = "md")]
    Markdown,
    /// A bundle
    Json,
}

/// A system whose bundles are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum CompatSystem {
    SessionHandoff,
}

/// What was exported.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Exported {
    pub format: Format,
    /// Full names of the sessions
    pub sessions: Vec<String>,
    /// How many tasks
    pub tasks: usize,
    /// Fingerprint of the key it is signed with
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signed_by: Option<String>,
    pub encrypted: bool,
    /// The file it was written to
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// What was exported, where no file was named
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Operation for Export {
    const NAME: &'static str = "export";
    const TOOL: &'static str = "handoff_export";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Read;
    const DOORS: &'static [Door] = &[Door::Cli];
    type Outcome = Exported;

    fn example() -> Value {
        json!({"id": "latest", "format": "json"})
    }

    fn run(self, project: &mut Project) -> Result<Exported, OpError> {
        self.check(project)?;
        let output = self.output.as_deref().filter(|path| *path != Path::new("-"));
        let output = output.map(|path| output::checked(project, path)).transpose()?;
        let chosen = self.choose(project)?;
        if self.format == Format::Markdown && self.compat.is_none() && !chosen.tasks.is_empty() {
            project.note("tasks are not in it: Markdown is for sessions, and `--format json` carries both");
        }
        leaving::held_back(&chosen.texts(), project)?;
        let sessions: Vec<String> = chosen.sessions.iter().map(|(found, _)| found.name.clone()).collect();
        let tasks = chosen.tasks.len();
        let (bytes, signed_by, encrypted) = match (self.compat, self.format) {
            (Some(CompatSystem::SessionHandoff), _) => self.for_session_handoff(project, &chosen)?,
            (None, Format::Markdown) => (self.markdown(project, &chosen).into_bytes(), None, false),
            (None, Format::Json) => self.bundle(project, chosen)?,
        };
        let (file, text) = match output {
            Some(path) => {
                output::write(project, &path, &bytes)?;
                (Some(project.shown(&path)), None)
            }
            None => (None, Some(String::from_utf8_lossy(&bytes).into_owned())),
        };
        let format = if self.compat.is_some() { Format::Json } else { self.format };
        Ok(Exported { format, sessions, tasks, signed_by, encrypted, file, text })
    }
}

impl Export {
    /// Refuses what would be silently ignored.
    fn check(&self, project: &Project) -> Result<(), OpError> {
        let flags = [
            (self.sign_key.is_some(), "`--sign-key`"),
            (self.encrypt, "`--encrypt`"),
            (!self.recipients.is_empty(), "`--recipient`"),
        ];
        let flag = flags.into_iter().find_map(|(is_given, flag)| is_given.then_some(flag));
        let protects = flag.or_else(|| self.passphrase.given_by(project));
        if let Some(given) = protects.filter(|_| self.format == Format::Markdown && self.compat.is_none()) {
            return Err(OpError::usage(format!(
                "Markdown can be neither signed nor encrypted, and {given} is given: it would be readable to everybody",
            ))
            .hint(Hint::say("export with `--format json`")));
        }
        if (self.format == Format::Json || self.compat.is_some()) && self.target != Target::default() {
            return Err(OpError::usage("`--target` is for Markdown: a bundle is the same for everybody"));
        }
        if self.compat.is_some() && !self.recipients.is_empty() {
            return Err(OpError::usage("session-handoff knows passphrases only, not recipients"));
        }
        match (self.bundle_version, &self.sign_key) {
            (None | Some(2), None) | (None | Some(3), Some(_)) => Ok(()),
            (Some(2), Some(_)) => Err(OpError::usage("bundles of version 2 are not signed: leave `--sign-key` out")),
            (Some(3), None) => Err(OpError::usage("bundles of version 3 are signed: give `--sign-key`")),
            (Some(other), _) => Err(OpError::usage(format!("`{other}` is no version that is written: 2 and 3 are"))),
        }
    }

    fn markdown(&self, project: &Project, chosen: &Chosen) -> String {
        let allowed = project.allowed();
        let texts =
            chosen.sessions.iter().map(|(found, body)| render(found, body.as_deref(), self.target, None, &allowed));
        texts.collect::<Vec<_>>().join("\n---\n\n")
    }

    /// Whether it is to be encrypted with a passphrase.
    fn wants_passphrase(&self, project: &Project) -> bool {
        self.encrypt || (self.passphrase.given_by(project).is_some() && self.recipients.is_empty())
    }

    fn bundle(&self, project: &mut Project, chosen: Chosen) -> Result<(Vec<u8>, Option<String>, bool), OpError> {
        let draft = Draft { content: chosen.content(project), created_at: project.now() };
        let signed = self.sign_key.as_deref().map(|path| Signed::with(project, path)).transpose()?;
        let (sealed, signed_by) = match signed {
            None => (seal(&draft, Signing::None), None),
            Some(Signed::Key(key)) => {
                let fingerprint = key.public().fingerprint();
                (seal(&draft, Signing::Key(&key, self.signer.clone())), Some(fingerprint))
            }
            Some(Signed::Agent { key, path }) => {
                let signing = signing::through_ssh(project, &draft, key.clone(), self.signer.clone(), &path)?;
                (seal(&draft, signing), Some(key.fingerprint()))
            }
        };
        let sealed = sealed.map_err(|error| OpError::refused("the bundle cannot be made").caused_by(error))?;
        if !self.recipients.is_empty() {
            let recipients = self.recipients(project)?;
            let bytes = encrypt(&sealed, To::Recipients(recipients)).map_err(not_encrypted)?;
            return Ok((bytes, signed_by, true));
        }
        if !self.wants_passphrase(project) {
            return Ok((sealed, signed_by, false));
        }
        let passphrase = self.passphrase.take(project, Asking::Twice)?;
        let bytes = encrypt(&sealed, To::Passphrase(&passphrase)).map_err(not_encrypted)?;
        Ok((bytes, signed_by, true))
    }

    fn recipients(&self, project: &Project) -> Result<Vec<Recipient>, OpError> {
        let mut all = Vec::new();
        for given in &self.recipients {
            match given.trim().parse::<Recipient>() {
                Ok(recipient) => all.push(recipient),
                Err(error) => {
                    let path = project.place.cwd.join(given);
                    let wrong = |error| {
                        let message = format!("`{given}` is neither a public key nor a file that holds some");
                        OpError::usage(message).caused_by(error)
                    };
                    if !path.is_file() {
                        return Err(wrong(error));
                    }
                    let bytes = crate::import::read_small(&path, &format!("`{given}`"))?;
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
                    for line in lines {
                        all.push(line.parse().map_err(wrong)?);
                    }
                }
            }
        }
        Ok(all)
    }

    fn for_session_handoff(
        &self,
        project: &mut Project,
        chosen: &Chosen,
    ) -> Result<(Vec<u8>, Option<String>, bool), OpError> {
        let [session] = chosen.sessions.as_slice() else {
            return Err(OpError::usage("a bundle of session-handoff holds one record: name it with `--id`"));
        };
        let record = compatible::record(project, session);
        let left_behind = compatible::left_behind(session);
        if !left_behind.is_empty() {
            project
                .note(format!("session-handoff has no place for these, so they stay here: {}", left_behind.join(", ")));
        }
        let key = match self.sign_key.as_deref().map(|path| Signed::with(project, path)).transpose()? {
            None => None,
            Some(Signed::Key(key)) => Some(key),
            Some(Signed::Agent { .. }) => {
                return Err(OpError::usage("bundles of session-handoff are signed with a private key in a file only"));
            }
        };
        let signing = key.as_deref().map(|key| (key, self.signer.as_deref()));
        let bytes = compat::write(&record, signing)
            .map_err(|error| OpError::refused("this record cannot be exported for session-handoff").caused_by(error))?;
        let signed_by = key.as_ref().map(|key| key.public().fingerprint());
        if !self.wants_passphrase(project) {
            return Ok((bytes, signed_by, false));
        }
        let passphrase = self.passphrase.take(project, Asking::Twice)?;
        Ok((compat::encrypt(&bytes, &passphrase), signed_by, true))
    }
}

fn not_encrypted(error: handoff_bundle::EncryptError) -> OpError {
    OpError::refused("the bundle cannot be encrypted").caused_by(error)
}

impl Report for Exported {
    fn raw(&self) -> Option<Vec<u8>> {
        self.text.clone().map(String::into_bytes)
    }

    fn page(&self) -> Page {
        if let Some(text) = &self.text {
            return Page::new().verbatim(text);
        }
        let sessions = self.sessions.len();
        let sessions = format!("{sessions} {}", if sessions == 1 { "session" } else { "sessions" });
        let tasks = match self.tasks {
            0 => String::new(),
            1 => " and 1 task".to_owned(),
            count => format!(" and {count} tasks"),
        };
        let file = self.file.as_deref().unwrap_or_default();
        let signed = self.signed_by.as_ref().map(|key| format!(", signed with {key}")).unwrap_or_default();
        let encrypted = if self.encrypted { ", encrypted" } else { "" };
        Page::new().line(format!("exported {sessions}{tasks} to {file}{signed}{encrypted}"))
    }
}

/// A session and its body.
type WithBody = (FoundSession, Option<String>);
