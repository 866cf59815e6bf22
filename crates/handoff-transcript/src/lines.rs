//! How a format of lines is read: one line at a time, with little carried from one to the next.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use handoff_model::agent::{About, Activity, Digest, Event, What};
use handoff_model::when::Moment;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::fingerprint::Fingerprint;
use crate::mark::{Gap, Mark, Place, written};
use crate::piece::{Piece, Transcript, is_compressed};
use crate::rows::{Row, Rows, unmarked};
use crate::source::{Source, Unreadable};

/// So many gaps at once are remembered; after that, reading goes on in order.
const GAPS: usize = 8;

/// The longest first line that is looked at when reading begins in the middle of a file.
const FIRST_LINE: u64 = 1 << 20;

/// A format of lines, one record in each.
pub(crate) trait Lines {
    /// What must be known of earlier lines. It is written down after each call, so it is small.
    type Carried: Default + Serialize + DeserializeOwned;

    /// What is known before any line is read. `first` is the first line of the file, given when reading begins elsewhere.
    fn begin(path: &Path, first: Option<&[u8]>) -> Self::Carried;

    /// Who and where the session is, as far as earlier lines told: each piece says so, as it may be all that is known.
    fn about(_: &Self::Carried) -> Option<About> {
        None
    }

    /// Tells what one line says. A line of an unknown kind says nothing, which is no error.
    fn line(line: &[u8], carried: &mut Self::Carried, tell: &mut Tell<'_>) -> Result<(), NoRecord>;
}

/// A line that is no record of the format.
#[derive(Debug)]
pub(crate) struct NoRecord;

/// Where a reader says what it read.
pub(crate) struct Tell<'a> {
    digest: &'a mut Digest,
    activity: &'a mut Activity,
    line: Option<u64>,
    /// When what is told next happened
    pub(crate) at: Option<Moment>,
}

impl Tell<'_> {
    pub(crate) fn say(&mut self, what: What) {
        self.activity.add(self.at);
        self.digest.add(Event { at: self.at, line: self.line, what });
    }
}

/// Reads all of it, the last line too if it is a record already.
pub(crate) fn read<F: Lines>(path: &Path, from: impl Read) -> io::Result<Transcript> {
    let mut reading = Reading::<F>::new(F::begin(path, None), Some(0));
    let mut rows = Rows::new(from, 0);
    while let Some(row) = rows.next()? {
        reading.take(&row);
    }
    if let Some(Row::Line(rest)) = rows.rest() {
        let (lines, unreadable) = (reading.lines, reading.unreadable);
        reading.take(&Row::Line(rest));
        if reading.unreadable > unreadable {
            (reading.lines, reading.unreadable) = (lines, unreadable);
        }
    }
    let Reading { digest, activity, lines, unreadable, .. } = reading;
    Ok(Transcript { digest, activity, lines, unreadable })
}

/// Reads on from a mark, at most `limit` bytes; the newest lines first when there are more.
pub(crate) fn read_on<F: Lines>(source: &Source, mark: &Mark, limit: u64) -> Result<Piece, Unreadable> {
    let path = source.path.as_path();
    let wrong = |error| Unreadable::io(path, error);
    let mut file = source.open()?;
    if is_compressed(&mut file).map_err(wrong)? {
        return Err(Unreadable::Compressed { path: path.to_owned() });
    }
    let length = file.metadata().map_err(wrong)?.len();
    let (start, is_same) = Fingerprint::compare(&mut file, mark.start).map_err(wrong)?;
    let is_restarted = !is_same || mark.place.offset > length;
    let mut mark = if is_restarted || *mark == Mark::default() {
        let carried = written(&F::begin(path, None));
        Mark { place: Place { lines: Some(0), carried, ..Place::default() }, ..Mark::default() }
    } else {
        mark.clone()
    };
    mark.start = start;
    let mut piece = onward::<F>(path, &mut file, mark, length, limit.max(1)).map_err(wrong)?;
    piece.is_restarted = is_restarted;
    Ok(piece)
}

fn onward<F: Lines>(path: &Path, file: &mut File, mut mark: Mark, length: u64, limit: u64) -> io::Result<Piece> {
    if length - mark.place.offset > limit && mark.gaps.len() < GAPS {
        skip_ahead::<F>(path, file, &mut mark, length, limit)?;
    }
    let until = length.min(mark.place.offset.saturating_add(limit));
    let mut piece = stretch::<F>(file, &mut mark.place, until, length)?;
    let is_limited = until < length;
    if piece.to == piece.from && !is_limited && !mark.gaps.is_empty() {
        let mut gap = mark.gaps.remove(0);
        let until = gap.until.min(gap.place.offset.saturating_add(limit));
        piece = stretch::<F>(file, &mut gap.place, until, gap.until)?;
        if gap.place.offset < gap.until {
            mark.gaps.insert(0, gap);
        }
    }
    mark.lines += piece.lines;
    if mark.gaps.is_empty() && mark.place.lines.is_none() {
        mark.place.lines = Some(mark.lines);
    }
    piece.is_behind = is_limited || !mark.gaps.is_empty();
    piece.mark = mark;
    Ok(piece)
}

/// Goes to the first line that begins within the last `limit` bytes, and remembers what it passed over.
fn skip_ahead<F: Lines>(path: &Path, file: &mut File, mark: &mut Mark, length: u64, limit: u64) -> io::Result<()> {
    let target = length - limit;
    file.seek(SeekFrom::Start(target - 1))?;
    let mut rows = Rows::new((&mut *file).take(limit + 1), target - 1);
    if rows.next()?.is_none() {
        return Ok(());
    }
    let offset = rows.offset();
    file.seek(SeekFrom::Start(0))?;
    let mut rows = Rows::first((&mut *file).take(FIRST_LINE));
    let first = match rows.next()? {
        Some(Row::Line(line)) => Some(unmarked(line)),
        _ => None,
    };
    let carried = written(&F::begin(path, first));
    let place = Place { offset, lines: None, is_inside_line: false, carried };
    let passed = std::mem::replace(&mut mark.place, place);
    mark.gaps.push(Gap { place: passed, until: offset });
    Ok(())
}

/// Reads the lines that end before `until`, where the part that may be read goes as far as `end`.
fn stretch<F: Lines>(file: &mut File, place: &mut Place, until: u64, end: u64) -> io::Result<Piece> {
    let from = place.offset;
    file.seek(SeekFrom::Start(from))?;
    let mut rows = Rows::new((&mut *file).take(until - from), from);
    let mut reading = Reading::<F>::new(place.carried(), place.lines);
    while let Some(row) = rows.next()? {
        let is_rest = std::mem::take(&mut place.is_inside_line);
        reading.take(if is_rest { &Row::TooLong } else { &row });
    }
    place.offset = rows.offset();
    // A line that is longer than may be read at once would be begun again and again.
    let is_stuck = until < end && place.offset == from;
    if is_stuck || rows.is_inside_line() {
        place.offset = until;
        place.is_inside_line = true;
    }
    place.lines = reading.before.map(|before| before + reading.lines);
    place.carried = written(&reading.carried);
    Ok(Piece {
        digest: reading.digest,
        activity: reading.activity,
        from,
        to: place.offset,
        lines: reading.lines,
        unreadable: reading.unreadable,
        ..Piece::default()
    })
}

struct Reading<F: Lines> {
    carried: F::Carried,
    digest: Digest,
    activity: Activity,
    before: Option<u64>,
    lines: u64,
    unreadable: u64,
}

impl<F: Lines> Reading<F> {
    fn new(carried: F::Carried, before: Option<u64>) -> Reading<F> {
        Reading { carried, digest: Digest::default(), activity: Activity::default(), before, lines: 0, unreadable: 0 }
    }

    fn take(&mut self, row: &Row<'_>) {
        if let Some(about) = F::about(&self.carried).filter(|_| self.lines == 0) {
            self.digest.add(Event { at: None, line: None, what: What::About(about) });
        }
        self.lines += 1;
        let Row::Line(line) = row else {
            self.unreadable += 1;
            return;
        };
        let number = self.before.map(|before| before + self.lines);
        let line = if number == Some(1) { unmarked(line) } else { line }.trim_ascii();
        if line.is_empty() {
            return;
        }
        let mut tell = Tell { digest: &mut self.digest, activity: &mut self.activity, line: number, at: None };
        if F::line(line, &mut self.carried, &mut tell).is_err() {
            self.unreadable += 1;
        }
    }
}
