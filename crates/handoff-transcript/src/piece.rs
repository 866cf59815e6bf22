//! Reading a transcript: all of it, or what is new.

use std::fs::File;
use std::io::{self, Read, Seek};

use handoff_model::agent::{Activity, Digest, Host};

use crate::mark::Mark;
use crate::source::{Source, Unreadable};
use crate::step::Step;
use crate::{claude, codex, lines, mixed};

/// A whole transcript.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    pub digest: Digest,
    /// When anything happened
    pub activity: Activity,
    /// Lines, or rows of a database
    pub lines: u64,
    /// Of those, how many were no record, or too long
    pub unreadable: u64,
}

/// What is new in a transcript.
///
/// Pieces are not always read in the order in which they stand: the newest lines come first. Joined in the order of
/// `from`, their digests come to what the whole does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Piece {
    pub digest: Digest,
    /// When anything happened
    pub activity: Activity,
    /// Where to go on
    pub mark: Mark,
    /// Where in the transcript the piece begins
    pub from: u64,
    /// Where it ends; the piece that follows it begins here
    pub to: u64,
    pub lines: u64,
    /// Of those, how many were no record, or too long
    pub unreadable: u64,
    /// Whether more can be read at once, by calling again with the mark
    pub is_behind: bool,
    /// Whether the file is another one than before or was cut short, so that what was read of it no longer counts
    pub is_restarted: bool,
}

/// Reads all of a transcript, a compressed one too.
pub fn read(source: &Source) -> Result<Transcript, Unreadable> {
    source.check()?;
    let path = source.path.as_path();
    let wrong = |error| Unreadable::io(path, error);
    match source.host {
        Host::ClaudeCode => lines::read::<claude::Claude>(path, source.open()?).map_err(wrong),
        Host::Codex => lines::read::<codex::Codex>(path, unpacked(source.open()?).map_err(wrong)?).map_err(wrong),
        _ => mixed::read(source),
    }
}

/// Reads what is new in a transcript since `mark`, with at most `limit` bytes of work.
///
/// When there is more than that, the newest is read first, and the rest by further calls. A line longer than `limit` is
/// passed over. A compressed transcript is not read.
pub fn read_on(source: &Source, mark: &Mark, limit: u64) -> Result<Piece, Unreadable> {
    source.check()?;
    match source.host {
        Host::ClaudeCode => lines::read_on::<claude::Claude>(source, mark, limit),
        Host::Codex => lines::read_on::<codex::Codex>(source, mark, limit),
        _ => mixed::read_on(source, mark, limit),
    }
}

impl<M: serde::Serialize> From<Step<M>> for Piece {
    fn from(step: Step<M>) -> Piece {
        Piece {
            digest: step.digest,
            activity: step.activity,
            mark: Mark::of(&step.mark),
            from: step.from,
            to: step.from,
            lines: step.lines,
            unreadable: step.unreadable,
            is_behind: step.is_behind,
            is_restarted: step.is_restarted,
        }
    }
}

/// The text of a file, compressed or not.
pub(crate) fn unpacked(mut file: File) -> io::Result<Box<dyn Read>> {
    if !is_compressed(&mut file)? {
        return Ok(Box::new(file));
    }
    let decoder = ruzstd::decoding::StreamingDecoder::new(file).map_err(io::Error::other)?;
    Ok(Box::new(decoder))
}

/// Whether a file is compressed, by its first bytes; it is read from its start afterwards.
pub(crate) fn is_compressed(file: &mut File) -> io::Result<bool> {
    const ZSTANDARD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
    let mut start = Vec::new();
    file.by_ref().take(4).read_to_end(&mut start)?;
    file.rewind()?;
    Ok(start == ZSTANDARD)
}
