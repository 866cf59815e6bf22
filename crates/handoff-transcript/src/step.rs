//! What one go at a transcript gives, for formats that are no lines.

use std::path::PathBuf;
use std::time::SystemTime;

use handoff_model::agent::Digest;

/// What was read, and where to go on.
#[derive(Debug, Default)]
pub(crate) struct Step<M> {
    pub(crate) digest: Digest,
    pub(crate) mark: M,
    /// Where in the transcript it lies, so that steps can be put in order
    pub(crate) from: u64,
    /// Whether something older is still to be read
    pub(crate) is_behind: bool,
    pub(crate) lines: u64,
    pub(crate) unreadable: u64,
}

impl<M> Step<M> {
    pub(crate) fn nothing(mark: M) -> Step<M> {
        Step { digest: Digest::default(), mark, from: 0, is_behind: false, lines: 0, unreadable: 0 }
    }
}

/// A session that was found.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    pub(crate) session: Option<String>,
    pub(crate) modified: SystemTime,
}
