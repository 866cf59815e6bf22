//! Values as bytes, short ones as few. Reading gives `None` for anything that was not written here.

use handoff_model::checksum::checksum;
use handoff_model::id::TaskId;
use handoff_model::problem::{Problem, Severity};
use handoff_model::when::{Day, Moment};
use jiff::civil::Date;

use crate::sys::Stamp;

/// Values put behind one another.
#[derive(Debug, Default)]
pub(crate) struct Packer(pub(crate) Vec<u8>);

impl Packer {
    pub(crate) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub(crate) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(low_bits(number) | 0x80);
            number >>= 7;
        }
        self.0.push(low_bits(number));
    }

    pub(crate) fn signed(&mut self, number: i64) {
        self.number((number.cast_unsigned() << 1) ^ (number >> 63).cast_unsigned());
    }

    pub(crate) fn hours(&mut self, hours: f64) {
        self.0.extend(hours.to_bits().to_le_bytes());
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    pub(crate) fn id(&mut self, id: TaskId) {
        self.0.extend(id.as_str().as_bytes());
    }

    pub(crate) fn moment(&mut self, moment: Moment) {
        self.signed(milliseconds(moment));
    }

    pub(crate) fn day(&mut self, day: Day) {
        self.signed(i64::from(day_number(day)));
    }

    pub(crate) fn problem(&mut self, Problem { path, line, reason, severity }: &Problem) {
        self.text(path);
        self.maybe(*line, |to, line| to.number(line as u64));
        self.text(reason);
        self.byte(u8::from(*severity == Severity::Mended));
    }

    pub(crate) fn maybe<T>(&mut self, value: Option<T>, put: impl FnOnce(&mut Packer, T)) {
        self.byte(u8::from(value.is_some()));
        if let Some(value) = value {
            put(self, value);
        }
    }

    pub(crate) fn list<'t, T>(&mut self, list: &'t [T], mut put: impl FnMut(&mut Packer, &'t T)) {
        self.number(list.len() as u64);
        for item in list {
            put(self, item);
        }
    }
}

/// The place of a word among all of its kind.
pub(crate) fn place<T: PartialEq>(all: &[T], one: &T) -> u8 {
    let place = all.iter().position(|other| other == one).unwrap_or(0);
    u8::try_from(place).expect("a file has fewer words than that")
}

pub(crate) fn at<T: Copy>(all: &[T], place: u8) -> Option<T> {
    all.get(usize::from(place)).copied()
}

fn low_bits(number: u64) -> u8 {
    u8::try_from(number & 0x7f).expect("seven bits are less than eight")
}

/// What is left to read.
#[derive(Debug)]
pub(crate) struct Unpacker<'a>(pub(crate) &'a [u8]);

impl<'a> Unpacker<'a> {
    pub(crate) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.bytes(1).map(|bytes| bytes[0])
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(crate) fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    pub(crate) fn size(&mut self) -> Option<usize> {
        self.number()?.try_into().ok()
    }

    pub(crate) fn hours(&mut self) -> Option<f64> {
        Some(f64::from_bits(u64::from_le_bytes(self.bytes(8)?.try_into().ok()?)))
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        self.text_in_place().map(str::to_owned)
    }

    pub(crate) fn text_in_place(&mut self) -> Option<&'a str> {
        let length = self.size()?;
        std::str::from_utf8(self.bytes(length)?).ok()
    }

    pub(crate) fn problem(&mut self) -> Option<Problem> {
        let (path, line, reason) = (self.text()?, self.maybe(Unpacker::size)?, self.text()?);
        let severity = if self.flag()? { Severity::Mended } else { Severity::Damaged };
        Some(Problem { path, line, reason, severity })
    }

    pub(crate) fn id(&mut self) -> Option<TaskId> {
        read_id(self.bytes(8)?)
    }

    pub(crate) fn moment(&mut self) -> Option<Moment> {
        Moment::from_milliseconds(self.signed()?)
    }

    pub(crate) fn day(&mut self) -> Option<Day> {
        read_day(self.signed()?.try_into().ok()?)
    }

    pub(crate) fn flag(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    #[expect(clippy::option_option, reason = "what cannot be read is something else than what is absent")]
    pub(crate) fn maybe<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        if self.flag()? { read(self).map(Some) } else { Some(None) }
    }

    pub(crate) fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.size()?;
        // Every item takes a byte or more.
        let mut list = Vec::with_capacity(count.min(self.0.len()));
        for _ in 0..count {
            list.push(read(self)?);
        }
        Some(list)
    }
}

pub(crate) fn read_id(bytes: &[u8]) -> Option<TaskId> {
    std::str::from_utf8(bytes).ok()?.parse().ok()
}

pub(crate) fn milliseconds(moment: Moment) -> i64 {
    moment.timestamp().as_millisecond()
}

/// A day as one number, later ones greater.
pub(crate) fn day_number(day: Day) -> i32 {
    let date = day.date();
    (i32::from(date.year()) << 16) | (i32::from(date.month()) << 8) | i32::from(date.day())
}

pub(crate) fn read_day(number: i32) -> Option<Day> {
    let year = i16::try_from(number >> 16).ok()?;
    let (month, day) = (i8::try_from((number >> 8) & 0xff).ok()?, i8::try_from(number & 0xff).ok()?);
    Date::new(year, month, day).ok().map(Day::new)
}

/// A stamp as so many bytes.
pub(crate) const STAMP: usize = 32;

pub(crate) fn stamp_bytes(Stamp { inode, size, modified, changed }: Stamp) -> [u8; STAMP] {
    let numbers = [inode, size, modified.cast_unsigned(), changed.cast_unsigned()];
    let mut bytes = [0; STAMP];
    for (place, number) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(numbers) {
        *place = number.to_le_bytes();
    }
    bytes
}

pub(crate) fn read_stamp(bytes: &[u8; STAMP]) -> Stamp {
    let number = |place: usize| u64::from_le_bytes(bytes.as_chunks::<8>().0[place]);
    let (modified, changed) = (number(2).cast_signed(), number(3).cast_signed());
    Stamp { inode: number(0), size: number(1), modified, changed }
}

/// The beginning of a file of the cache: what it is, in which version, and some numbers, under a checksum.
pub(crate) fn header<const N: usize>(magic: [u8; 8], version: u32, numbers: [u64; N]) -> Vec<u8> {
    let mut bytes = magic.to_vec();
    bytes.extend(u64::from(version).to_le_bytes());
    bytes.extend(numbers.into_iter().flat_map(u64::to_le_bytes));
    let sum = checksum(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// As long as a beginning with so many numbers is.
pub(crate) const fn header_size(numbers: usize) -> usize {
    24 + 8 * numbers
}

/// The numbers at the beginning of a file; `None` where that was not written here in this version.
pub(crate) fn read_header<const N: usize>(bytes: &[u8], magic: [u8; 8], version: u32) -> Option<[u64; N]> {
    let (said, sum) = bytes.split_last_chunk::<8>()?;
    let words = said.strip_prefix(&magic)?.as_chunks::<8>().0;
    let (written, numbers) = words.split_first()?;
    let is_ours = u64::from_le_bytes(*sum) == checksum(said) && u64::from_le_bytes(*written) == u64::from(version);
    let numbers = <[[u8; 8]; N]>::try_from(numbers).ok()?;
    is_ours.then(|| numbers.map(u64::from_le_bytes))
}

/// A checksum in half the room.
pub(crate) fn short_checksum(bytes: &[u8]) -> u32 {
    let sum = checksum(bytes);
    u32::try_from((sum ^ (sum >> 32)) & 0xffff_ffff).expect("32 bits are left")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_size_come_back() {
        let mut packer = Packer::default();
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let signed = [0, -1, 1, i64::MIN, i64::MAX, 64, -65];
        for number in numbers {
            packer.number(number);
        }
        for number in signed {
            packer.signed(number);
        }
        let mut unpacker = Unpacker(&packer.0);
        assert!(numbers.iter().all(|number| unpacker.number() == Some(*number)));
        assert!(signed.iter().all(|number| unpacker.signed() == Some(*number)));
        assert_eq!(unpacker.byte(), None);
    }
}
