//! How much is read at most, found out before anything is made of it.

use handoff_model::limits::{MAX_BUNDLE_BYTES, MAX_BUNDLE_RECORDS};

/// What a bundle may cost to open. The defaults have room for everything that is written here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a bundle that is not encrypted
    pub bytes: usize,
    /// Objects and lists within one another
    pub depth: usize,
    /// Sessions and tasks together
    pub records: usize,
    /// The power of two that a passphrase may cost to try; each step doubles time and memory
    pub work_factor: u8,
    /// How exact the armor of an encrypted bundle must be
    pub armor: Armor,
}

/// The form of the armor around an encrypted bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Armor {
    /// To the byte as it was written, so that no change to a file goes unnoticed
    Exact,
    /// Other line ends and blanks around it are let pass
    Tolerant,
}

/// Which limit something is beyond.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Excess {
    #[error("it has {bytes} bytes, and at most {most} are read")]
    Bytes { bytes: usize, most: usize },
    #[error("its parts lie more than {most} deep")]
    Depth { most: usize },
    #[error("it has more than {most} records")]
    Records { most: usize },
    #[error("it has more than {most} values")]
    Values { most: usize },
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: MAX_BUNDLE_BYTES, depth: 8, records: MAX_BUNDLE_RECORDS, work_factor: 20, armor: Armor::Exact }
    }
}

/// Keys and list items that one record may come to.
const VALUES_PER_RECORD: usize = 8;

/// Objects that stand around the records: the bundle, its content, its signature.
const AROUND: usize = 3;

impl Limits {
    pub(crate) fn check_size(&self, bytes: usize) -> Result<(), Excess> {
        let most = self.bytes;
        if bytes > most { Err(Excess::Bytes { bytes, most }) } else { Ok(()) }
    }

    /// The bytes of a file beyond which it need not even be read: encryption and armor make a bundle a third larger.
    pub fn most_file_bytes(&self) -> usize {
        self.bytes.saturating_add(self.bytes / 2).saturating_add(1 << 20)
    }

    /// The same for bytes that are encrypted.
    pub(crate) fn check_encrypted_size(&self, bytes: usize) -> Result<(), Excess> {
        let most = self.most_file_bytes();
        if bytes > most { Err(Excess::Bytes { bytes, most }) } else { Ok(()) }
    }

    /// Counts what a text of JSON would come to. Whether it is JSON at all is for the parser to say.
    pub(crate) fn check_json(&self, text: &[u8]) -> Result<(), Excess> {
        self.check_size(text.len())?;
        let most_values = self.records.saturating_mul(VALUES_PER_RECORD);
        let (mut depth, mut objects, mut values) = (0_usize, 0_usize, 0_usize);
        let mut bytes = text.iter();
        while let Some(byte) = bytes.next() {
            match byte {
                b'"' => skip_string(&mut bytes),
                b'{' | b'[' => {
                    depth += 1;
                    objects += usize::from(*byte == b'{');
                }
                b'}' | b']' => depth = depth.saturating_sub(1),
                b',' => values += 1,
                _ => continue,
            }
            if depth > self.depth {
                return Err(Excess::Depth { most: self.depth });
            }
            if objects > self.records.saturating_add(AROUND) {
                return Err(Excess::Records { most: self.records });
            }
            if values > most_values {
                return Err(Excess::Values { most: most_values });
            }
        }
        Ok(())
    }
}

fn skip_string(bytes: &mut std::slice::Iter<'_, u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
}
