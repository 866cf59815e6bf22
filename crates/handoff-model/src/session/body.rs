//! The bytes of a free-form body as they come in, and the text they are.

use crate::MAX_BODY_BYTES;

/// Why bytes are no body.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotABody {
    #[error("it is empty")]
    Empty,
    #[error("it has nothing but blanks")]
    Blank,
    #[error("it has more than {} MB", MAX_BODY_BYTES / 1024 / 1024)]
    TooLarge,
    #[error("it is neither UTF-8 nor UTF-16 with a byte order mark: the byte 0x{byte:02x} at offset {offset} is wrong")]
    NotText { byte: u8, offset: usize },
    #[error("it begins like UTF-16, and at offset {offset} there is half a character")]
    HalfCharacter { offset: usize },
}

const LITTLE: [u8; 2] = [0xff, 0xfe];
const BIG: [u8; 2] = [0xfe, 0xff];
const UTF_32: [u8; 4] = [0xff, 0xfe, 0, 0];

/// As many bytes as a body that begins like this may come in.
pub fn most_bytes(beginning: &[u8]) -> usize {
    if is_wide(beginning) { 2 * MAX_BODY_BYTES + 2 } else { MAX_BODY_BYTES }
}

fn is_wide(bytes: &[u8]) -> bool {
    bytes.starts_with(&LITTLE) || bytes.starts_with(&BIG)
}

/// The text of a body: UTF-8 byte for byte, with its byte order mark and line ends if it has any; UTF-16 with a byte
/// order mark, as some shells write it, as UTF-8 without one.
pub fn read_body(bytes: Vec<u8>) -> Result<String, NotABody> {
    if bytes.is_empty() {
        return Err(NotABody::Empty);
    }
    if bytes.len() > most_bytes(&bytes) {
        return Err(NotABody::TooLarge);
    }
    // UTF-32 begins with the same two bytes, and no text with the one behind them.
    if bytes.starts_with(&UTF_32) {
        return Err(NotABody::NotText { byte: 0, offset: LITTLE.len() });
    }
    let text = if is_wide(&bytes) { read_wide(&bytes)? } else { read_plain(bytes)? };
    check_body(&text)?;
    Ok(text)
}

/// Refuses a text that says nothing, or too much.
pub fn check_body(text: &str) -> Result<(), NotABody> {
    if text.is_empty() {
        return Err(NotABody::Empty);
    }
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Err(NotABody::Blank);
    }
    if text.len() > MAX_BODY_BYTES { Err(NotABody::TooLarge) } else { Ok(()) }
}

fn read_plain(bytes: Vec<u8>) -> Result<String, NotABody> {
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        NotABody::NotText { byte: error.as_bytes()[offset], offset }
    })
}

fn read_wide(bytes: &[u8]) -> Result<String, NotABody> {
    let from = if bytes.starts_with(&LITTLE) { u16::from_le_bytes } else { u16::from_be_bytes };
    let (pairs, rest) = bytes[LITTLE.len()..].as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len() / 2);
    let mut offset = LITTLE.len();
    for unit in char::decode_utf16(pairs.iter().map(|pair| from(*pair))) {
        let c = unit.map_err(|_| NotABody::HalfCharacter { offset })?;
        offset += 2 * c.len_utf16();
        text.push(c);
    }
    if rest.is_empty() { Ok(text) } else { Err(NotABody::HalfCharacter { offset }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
        let mark = order(0xfeff).into_iter();
        mark.chain(text.encode_utf16().flat_map(order)).collect()
    }

    #[test]
    fn utf_8_is_kept_byte_for_byte() {
        for text in ["a\r\nb\n", "\u{feff}with a mark", "no newline", "tab\t and nul \0", "ключ 🔑\n\n"] {
            assert_eq!(read_body(text.as_bytes().to_vec()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn utf_16_with_a_mark_becomes_utf_8() {
        let text = "# Stand\r\nключ 🔑\r\n";
        assert_eq!(read_body(wide(text, u16::to_le_bytes)).as_deref(), Ok(text));
        assert_eq!(read_body(wide(text, u16::to_be_bytes)).as_deref(), Ok(text));
    }

    #[test]
    fn other_bytes_are_refused_with_the_place_of_the_first_wrong_one() {
        assert_eq!(read_body(b"abc\xffd".to_vec()), Err(NotABody::NotText { byte: 0xff, offset: 3 }));
        assert_eq!(read_body(b"ab\xc3".to_vec()), Err(NotABody::NotText { byte: 0xc3, offset: 2 }));
        let mut odd = wide("ab", u16::to_le_bytes);
        odd.push(b'c');
        assert_eq!(read_body(odd), Err(NotABody::HalfCharacter { offset: 6 }));
        let half = [0xff, 0xfe, b'a', 0, 0x00, 0xd8, b'b', 0];
        assert_eq!(read_body(half.to_vec()), Err(NotABody::HalfCharacter { offset: 4 }));
    }

    #[test]
    fn what_says_nothing_is_refused() {
        assert_eq!(read_body(Vec::new()), Err(NotABody::Empty));
        for blank in [&b" \r\n\t"[..], "\u{feff}\n".as_bytes(), &[0xff, 0xfe], &[0xff, 0xfe, 0x20, 0]] {
            assert!(matches!(read_body(blank.to_vec()), Err(NotABody::Blank | NotABody::Empty)), "{blank:?}");
        }
    }

    #[test]
    fn the_largest_body_is_read_and_one_byte_more_is_not() {
        assert!(read_body(vec![b'x'; MAX_BODY_BYTES]).is_ok());
        assert_eq!(read_body(vec![b'x'; MAX_BODY_BYTES + 1]), Err(NotABody::TooLarge));
    }
}
