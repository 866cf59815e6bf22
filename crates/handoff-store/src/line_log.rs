//! Logs of this machine that are begun again when they are long: one line for each thing that happened.

use handoff_model::problem::Problem;

use crate::error::{Result, StoreError};
use crate::layout::STATE;
use crate::root::{Root, join};

/// Bytes from which on a log is begun again; the one before is kept.
pub(crate) const MAX_LOG_BYTES: u64 = 256 * 1024;

/// A log in `local/state`.
pub(crate) struct LineLog {
    pub(crate) file: &'static str,
    /// Name of the log before
    pub(crate) before: &'static str,
}

impl LineLog {
    /// Adds a line, in one piece. A crash may lose it and nothing else.
    pub(crate) fn add(&self, root: &Root, line: &str) -> Result<()> {
        let add = || {
            let dir = root.dir_made(STATE)?;
            if dir.stamp(self.file)?.is_some_and(|stamp| stamp.size > MAX_LOG_BYTES) {
                dir.replace(self.file, &dir, self.before)?;
            }
            // The break in front ends a line that a crash cut short.
            dir.append_loose(self.file, format!("\n{}\n", line.replace('\n', " ")).as_bytes())
        };
        add().map_err(|source| StoreError::write(join(STATE, self.file), source))
    }

    /// The lines, the oldest first, and which files could not be read. A byte that is not text spoils its line alone.
    pub(crate) fn lines(&self, root: &Root) -> (Vec<String>, Vec<Problem>) {
        let (mut lines, mut problems) = (Vec::new(), Vec::new());
        for name in [self.before, self.file] {
            let path = join(STATE, name);
            match root.read(&path) {
                Ok(bytes) => {
                    let text = String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned();
                    lines.extend(text.lines().filter(|line| !line.is_empty()).map(str::to_owned));
                }
                Err(error) => problems.push(Problem::damaged(&path, error.to_string())),
            }
        }
        (lines, problems)
    }
}
