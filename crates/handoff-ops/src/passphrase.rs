//! Where a passphrase comes from: a file, a file descriptor, the environment, a prompt; on the command line with a
//! warning.
//!
//! **Invariant:** a passphrase is in no error, no log and no argument of another program.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use handoff_bundle::Passphrase;

use crate::{OpError, Project};

/// The flags that say where a passphrase comes from.
#[derive(Debug, Default, Args)]
pub(crate) struct PassphraseFrom {
    /// Read the passphrase from the first line of a file
    #[arg(long = "passphrase-file", value_name = "FILE", conflicts_with_all = ["passphrase_fd", "passphrase"])]
    passphrase_file: Option<PathBuf>,
    /// Read the passphrase from an open file descriptor
    #[arg(long = "passphrase-fd", value_name = "N", conflicts_with = "passphrase")]
    passphrase_fd: Option<u32>,
    /// The passphrase itself; others can see it in the list of processes, so prefer the other ways
    #[arg(long, value_name = "PASSPHRASE", allow_hyphen_values = true)]
    passphrase: Option<String>,
}

/// The variable a passphrase may be in.
const VARIABLE: &str = "HANDOFF_PASSPHRASE";
/// The variable the passphrase of a private key may be in.
const KEY_VARIABLE: &str = "HANDOFF_KEY_PASSPHRASE";
/// Whether a variable holds a passphrase, which is for handoff alone.
pub(crate) fn is_passphrase(variable: &str) -> bool {
    [VARIABLE, KEY_VARIABLE].contains(&variable)
}

/// Longer than any passphrase.
const LONGEST: u64 = 64 * 1024;

/// Whether a passphrase is asked for twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asking {
    Once,
    /// A new one, which nobody can check later
    Twice,
}

impl PassphraseFrom {
    /// What gives a passphrase: a flag, or the variable.
    pub(crate) fn given_by(&self, project: &Project) -> Option<&'static str> {
        let flags = [
            (self.passphrase_file.is_some(), "`--passphrase-file`"),
            (self.passphrase_fd.is_some(), "`--passphrase-fd`"),
            (self.passphrase.is_some(), "`--passphrase`"),
            (project.place.env.text(VARIABLE).is_some(), VARIABLE),
        ];
        flags.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }

    /// The passphrase, asked for where nobody gave one.
    pub(crate) fn take(&self, project: &mut Project, asking: Asking) -> Result<Passphrase, OpError> {
        if let Some(path) = &self.passphrase_file {
            let shown = format!("`{}`", project.shown(path));
            return checked(first_line(&project.place.cwd.join(path), &shown)?, &shown);
        }
        if let Some(number) = self.passphrase_fd {
            let shown = format!("file descriptor {number}");
            return checked(first_line(Path::new(&format!("/dev/fd/{number}")), &shown)?, &shown);
        }
        if let Some(typed) = &self.passphrase {
            project.note(format!(
                "others on this machine can see a passphrase on the command line: prefer `--passphrase-file`, \
                 `--passphrase-fd` or {VARIABLE}"
            ));
            return checked(typed.clone(), "`--passphrase`");
        }
        if let Some(value) = project.place.env.text(VARIABLE) {
            return checked(value.to_owned(), VARIABLE);
        }
        let asked = ask(project, "Passphrase: ")?.ok_or_else(|| {
            OpError::usage(format!(
                "a passphrase is needed, and there is no terminal to ask on: give `--passphrase-file`, \
                 `--passphrase-fd` or {VARIABLE}"
            ))
        })?;
        if asking == Asking::Twice && ask(project, "The same again: ")?.as_ref() != Some(&asked) {
            return Err(OpError::usage("the two passphrases are not the same"));
        }
        checked(asked, "what was typed")
    }
}

/// The passphrase of a private key.
pub(crate) fn of_key(project: &mut Project, key: &str) -> Result<Passphrase, OpError> {
    if let Some(value) = project.place.env.text(KEY_VARIABLE) {
        return checked(value.to_owned(), KEY_VARIABLE);
    }
    let asked = ask(project, &format!("Passphrase of {key}: "))?;
    let asked = asked.ok_or_else(|| {
        OpError::usage(format!("the key {key} is protected, and there is no terminal to ask on: set {KEY_VARIABLE}"))
    })?;
    checked(asked, "what was typed")
}

fn ask(project: &mut Project, prompt: &str) -> Result<Option<String>, OpError> {
    match &mut project.desk.ask_secret {
        Some(ask) => ask(prompt).map(Some).map_err(|error| OpError::failure("nothing could be asked").caused_by(error)),
        None => Ok(None),
    }
}

fn checked(text: String, from: &str) -> Result<Passphrase, OpError> {
    Passphrase::new(text).map_err(|error| OpError::usage(format!("no passphrase in {from}")).caused_by(error))
}

/// The first line of a file, without its end.
fn first_line(path: &Path, shown: &str) -> Result<String, OpError> {
    let mut text = String::new();
    File::open(path).and_then(|file| file.take(LONGEST).read_to_string(&mut text)).map_err(|error| {
        match error.kind() {
            std::io::ErrorKind::NotFound => {
                OpError::not_found(format!("there is no {shown} to read a passphrase from"))
            }
            _ => OpError::failure(format!("cannot read a passphrase from {shown}")).caused_by(error),
        }
    })?;
    let line = text.split('\n').next().unwrap_or_default();
    Ok(line.strip_suffix('\r').unwrap_or(line).to_owned())
}
