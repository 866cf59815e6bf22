//! Where the list of steps comes from: a file, read once, or what is usual.

use std::path::{Path, PathBuf};

use handoff_engine::{Step, mark};
use handoff_model::handover::{Act, BadHandover, Handover};
use handoff_store::read_outside;

use super::{Inputs, checked, compatible};
use crate::hint::quoted;
use crate::trust::{Trust, trusted};
use crate::{ErrorKind, Hint, OpError, Project};

/// The project's own list.
pub(crate) const FILE: &str = "handover.toml";
/// More than any list has, also with a note in it.
const LARGEST: usize = 16 * 1024 * 1024;

/// A list of steps, and the bytes it was read from.
#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    pub(crate) handover: Handover,
    /// The file; `None` where what is usual is done
    pub(crate) path: Option<PathBuf>,
    /// The file that was asked for instead of the project's own
    pub(crate) given: Option<PathBuf>,
    pub(crate) bytes: Vec<u8>,
    shown: String,
}

impl Declaration {
    /// Reads the file that is given, else the project's own, else what is usual.
    pub(crate) fn read(project: &Project, given: Option<&Path>) -> Result<Declaration, OpError> {
        let (path, bytes) = match given {
            Some(given) => {
                let path = project.place.cwd.join(given);
                (path.clone(), Some(read_given(project, &path)?))
            }
            None => {
                let text = project.store().file(FILE).map_err(|error| {
                    let path = project.shown(&project.store().path_of(FILE));
                    OpError::damaged(format!("`{path}` cannot be read")).caused_by(error)
                })?;
                let text = text.map(|(text, _)| text.into_bytes());
                (project.store().path_of(FILE), text)
            }
        };
        let shown = project.shown(&path);
        let given = given.map(|_| path.clone());
        let Some(bytes) = bytes else {
            let handover = Handover::usual();
            return Ok(Declaration { handover, path: None, given, bytes: Vec::new(), shown });
        };
        let text = std::str::from_utf8(&bytes).map_err(|error| {
            OpError::damaged(format!("`{shown}` is no text: its byte {} is no UTF-8", error.valid_up_to()))
        })?;
        let mut handover = Handover::read(text).map_err(|BadHandover { line, reason }| {
            let place = line.map(|line| format!(", line {line}")).unwrap_or_default();
            OpError::damaged(format!("`{shown}`{place}: {reason}"))
                .hint(Hint::say("`handoff run --template` prints a list to begin with"))
        })?;
        if let Some(dir) = project.dir() {
            compatible::adapt(&mut handover, &dir).map_err(|why| OpError::refused(format!("`{shown}`: {why}")))?;
        }
        Ok(Declaration { handover, path: Some(path), given, bytes, shown })
    }

    /// Reads the list that a request was made with, as it is now. One that is gone by now is taken as it was.
    ///
    /// Which list that is stands in a state file, so one outside the project is only followed where the person names it
    /// again or trusts it. The steps of one that is gone come from there as well. They were checked like those of a
    /// list when the state file was read, and [`check_trust`](super::steps::check_trust) lets none of them run a program:
    /// a file that is not there cannot be trusted.
    pub(crate) fn read_again(project: &Project, inputs: &Inputs) -> Result<Declaration, OpError> {
        let given = inputs.config.as_deref();
        let is_named = given.is_none_or(|path| project.holds(path) || project.named.config.as_deref() == Some(path));
        if let Some(path) = given.filter(|_| !is_named) {
            check_known(project, path)?;
        }
        match Declaration::read(project, given) {
            Err(error) if error.kind() == ErrorKind::NotFound && !inputs.steps.is_empty() => {
                let steps = inputs.steps.iter().map(checked::declared).collect();
                let path = given.map(|given| project.place.cwd.join(given));
                let shown = path.as_deref().map(|path| project.shown(path)).unwrap_or_default();
                let handover = Handover { steps, ..Handover::default() };
                Ok(Declaration { handover, path: path.clone(), given: path, bytes: Vec::new(), shown })
            }
            read => read,
        }
    }

    /// Something in the file stands against the run.
    pub(crate) fn refused(&self, why: &str) -> OpError {
        OpError::damaged(format!("`{}`: {why}", self.shown))
    }

    /// The steps, as the engine takes them.
    pub(crate) fn steps(&self) -> Vec<Step<Act>> {
        self.handover
            .steps
            .iter()
            .map(|declared| Step {
                id: declared.id.clone(),
                deed: mark(&declared.act.action),
                action: declared.act.clone(),
                retries: declared.retries,
                backoff_milliseconds: declared.backoff_milliseconds,
                carries_over: declared.act.action.carries_over(),
            })
            .collect()
    }
}

/// Refuses a list outside the project that the person has not trusted as it is.
fn check_known(project: &Project, path: &Path) -> Result<(), OpError> {
    let shown = project.shown(path);
    let is_trusted =
        || -> Result<bool, OpError> { Ok(matches!(trusted(project, path, &read_given(project, path)?)?, Trust::Yes)) };
    if is_trusted().unwrap_or(false) {
        return Ok(());
    }
    Err(OpError::refused(format!("what was asked for follows the list `{shown}`, which is outside the project"))
        .detail("a state file names it, and only a person may lead out of the project")
        .hint(Hint::say(format!("`handoff run --config {}` goes on with it", quoted(&shown))))
        .hint(Hint::say("`handoff run --abandon` gives up the run that was cut short")))
}

fn read_given(project: &Project, path: &Path) -> Result<Vec<u8>, OpError> {
    let shown = project.shown(path);
    let kind = path.symlink_metadata().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
            OpError::not_found(format!("there is no file `{shown}`"))
        }
        _ => OpError::failure(format!("`{shown}` cannot be read")).caused_by(error),
    })?;
    if kind.is_symlink() {
        return Err(OpError::refused(format!("`{shown}` is a symbolic link: name the file itself")));
    }
    if !kind.is_file() {
        return Err(OpError::usage(format!("`{shown}` is no file")));
    }
    if kind.len() > LARGEST as u64 {
        return Err(OpError::usage(format!("`{shown}` is larger than {} MB", LARGEST / (1024 * 1024))));
    }
    let bytes =
        read_outside(path).map_err(|error| OpError::failure(format!("`{shown}` cannot be read")).caused_by(error))?;
    bytes.ok_or_else(|| OpError::not_found(format!("there is no file `{shown}`")))
}
