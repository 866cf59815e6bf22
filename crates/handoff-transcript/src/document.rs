//! Transcripts that are one document, written anew each time.
//!
//! Such a file cannot be read on from a place in it. It is read whole when it changed, and the place is how many of its
//! messages were taken.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::rows::unmarked;

/// What a document looked like when it was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Stamp {
    bytes: u64,
    nanos: u64,
}

/// What became of a document.
pub(crate) enum Look {
    Unchanged,
    /// It is larger than may be read now
    TooLarge,
    /// It changed, and may be half written
    Changed(Stamp, Option<Value>),
}

/// Reads a document if it changed and is within the limit.
pub(crate) fn look(path: &Path, stamp: Stamp, limit: u64) -> io::Result<Look> {
    let metadata = regular(path)?;
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let nanos = modified.and_then(|time| u64::try_from(time.as_nanos()).ok()).unwrap_or_default();
    let now = Stamp { bytes: metadata.len(), nanos };
    if now == stamp {
        return Ok(Look::Unchanged);
    }
    if now.bytes > limit {
        return Ok(Look::TooLarge);
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(Look::Changed(now, serde_json::from_slice(unmarked(&bytes)).ok()))
}

/// A small document beside a transcript, where it can be read.
pub(crate) fn small(path: &Path) -> Option<Value> {
    serde_json::from_str(&text(path, 1 << 20)?).ok()
}

/// The beginning of a file as text.
pub(crate) fn text(path: &Path, limit: u64) -> Option<String> {
    regular(path).ok()?;
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(limit).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(unmarked(&bytes)).into_owned())
}

/// What is known of a file. A pipe is none: opening it would wait for somebody to write.
pub(crate) fn regular(path: &Path) -> io::Result<fs::Metadata> {
    let metadata = fs::metadata(path)?;
    if metadata.is_file() { Ok(metadata) } else { Err(io::ErrorKind::InvalidInput.into()) }
}
