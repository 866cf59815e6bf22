//! Values as bytes, short ones as few. Reading gives `None` for anything that was not written here.

use handoff_model::id::TaskId;
use handoff_model::when::{Day, Moment};
use jiff::civil::Date;

/// Values put behind one another.
#[derive(Debug, Default)]
pub(super) struct Packer(pub(super) Vec<u8>);

impl Packer {
    pub(super) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub(super) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(low_bits(number) | 0x80);
            number >>= 7;
        }
        self.0.push(low_bits(number));
    }

    pub(super) fn signed(&mut self, number: i64) {
        self.number((number.cast_unsigned() << 1) ^ (number >> 63).cast_unsigned());
    }

    pub(super) fn hours(&mut self, hours: f64) {
        self.0.extend(hours.to_bits().to_le_bytes());
    }

    pub(super) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    pub(super) fn id(&mut self, id: TaskId) {
        self.0.extend(id.as_str().as_bytes());
    }

    pub(super) fn moment(&mut self, moment: Moment) {
        self.signed(milliseconds(moment));
    }

    pub(super) fn day(&mut self, day: Day) {
        self.signed(i64::from(day_number(day)));
    }

    pub(super) fn maybe<T>(&mut self, value: Option<T>, put: impl FnOnce(&mut Packer, T)) {
        self.byte(u8::from(value.is_some()));
        if let Some(value) = value {
            put(self, value);
        }
    }

    pub(super) fn list<'t, T>(&mut self, list: &'t [T], mut put: impl FnMut(&mut Packer, &'t T)) {
        self.number(list.len() as u64);
        for item in list {
            put(self, item);
        }
    }
}

fn low_bits(number: u64) -> u8 {
    u8::try_from(number & 0x7f).expect("seven bits are less than eight")
}

/// What is left to read.
#[derive(Debug)]
pub(super) struct Unpacker<'a>(pub(super) &'a [u8]);

impl<'a> Unpacker<'a> {
    pub(super) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.bytes(1).map(|bytes| bytes[0])
    }

    pub(super) fn number(&mut self) -> Option<u64> {
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

    pub(super) fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    pub(super) fn size(&mut self) -> Option<usize> {
        self.number()?.try_into().ok()
    }

    pub(super) fn hours(&mut self) -> Option<f64> {
        Some(f64::from_bits(u64::from_le_bytes(self.bytes(8)?.try_into().ok()?)))
    }

    pub(super) fn text(&mut self) -> Option<String> {
        let length = self.size()?;
        std::str::from_utf8(self.bytes(length)?).ok().map(str::to_owned)
    }

    pub(super) fn id(&mut self) -> Option<TaskId> {
        read_id(self.bytes(8)?)
    }

    pub(super) fn moment(&mut self) -> Option<Moment> {
        Moment::from_milliseconds(self.signed()?)
    }

    pub(super) fn day(&mut self) -> Option<Day> {
        read_day(self.signed()?.try_into().ok()?)
    }

    pub(super) fn flag(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    #[expect(clippy::option_option, reason = "what cannot be read is something else than what is absent")]
    pub(super) fn maybe<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        if self.flag()? { read(self).map(Some) } else { Some(None) }
    }

    pub(super) fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.size()?;
        // Every item takes a byte or more.
        let mut list = Vec::with_capacity(count.min(self.0.len()));
        for _ in 0..count {
            list.push(read(self)?);
        }
        Some(list)
    }
}

pub(super) fn read_id(bytes: &[u8]) -> Option<TaskId> {
    std::str::from_utf8(bytes).ok()?.parse().ok()
}

pub(super) fn milliseconds(moment: Moment) -> i64 {
    moment.timestamp().as_millisecond()
}

/// A day as one number, later ones greater.
pub(super) fn day_number(day: Day) -> i32 {
    let date = day.date();
    (i32::from(date.year()) << 16) | (i32::from(date.month()) << 8) | i32::from(date.day())
}

pub(super) fn read_day(number: i32) -> Option<Day> {
    let year = i16::try_from(number >> 16).ok()?;
    let (month, day) = (i8::try_from((number >> 8) & 0xff).ok()?, i8::try_from(number & 0xff).ok()?);
    Date::new(year, month, day).ok().map(Day::new)
}

/// Tells whole bytes from torn or changed ones, nothing more.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let (words, rest) = bytes.as_chunks::<8>();
    let mut sum = words.iter().fold(bytes.len() as u64, |sum, word| mix(sum, u64::from_le_bytes(*word)));
    sum = rest.iter().fold(sum, |sum, byte| mix(sum, u64::from(*byte)));
    mix(sum, sum >> 32)
}

/// The same in half the room.
pub(super) fn short_checksum(bytes: &[u8]) -> u32 {
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

    #[test]
    fn a_changed_bit_anywhere_changes_the_sum() {
        let bytes: Vec<u8> = (0..=66).collect();
        let sum = checksum(&bytes);
        for place in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[place / 8] ^= 1 << (place % 8);
            assert_ne!(checksum(&changed), sum);
        }
        assert_ne!(checksum(&bytes[..66]), sum);
    }
}
