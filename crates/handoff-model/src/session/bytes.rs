//! Bodies that are no text: kept whole in the file of the session, shown as far as they can be read.

use base64ct::{Base64, Encoding as _};

use super::Session;
use crate::entry_check::entry_check;

/// A text that should hold bytes and does not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`body_base64` is not base64")]
pub struct NotBase64;

/// Bytes as base64.
pub fn base64(bytes: &[u8]) -> String {
    Base64::encode_string(bytes)
}

impl Session {
    /// Checksum of a body, for `body_check`.
    pub fn check_of_body(text: &str) -> String {
        entry_check([("body", text)])
    }

    /// Takes a body of any bytes. The answer is the text to keep beside the file.
    pub fn take_body(&mut self, bytes: Vec<u8>) -> String {
        match String::from_utf8(bytes) {
            Ok(text) => {
                self.body_base64 = None;
                text
            }
            Err(error) => {
                self.body_base64 = Some(base64(error.as_bytes()));
                String::from_utf8_lossy(error.as_bytes()).into_owned()
            }
        }
    }

    /// The bytes of the body, given the text that is kept beside the file.
    pub fn body_bytes(&self, text: Option<String>) -> Result<Option<Vec<u8>>, NotBase64> {
        match &self.body_base64 {
            Some(base64) => Base64::decode_vec(base64.trim()).map(Some).map_err(|_| NotBase64),
            None => Ok(text.map(String::into_bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::SessionKind;

    #[test]
    fn bytes_that_are_no_text_come_back_as_they_were() {
        let now = "2026-11-15T09:00:00Z".parse().unwrap();
        let mut session = Session::new("a3f9c12e".to_owned().try_into().unwrap(), SessionKind::Package, now);
        for bytes in [b"ab\xff\xfe\0cd\n".to_vec(), b"plain\r\n".to_vec(), Vec::new()] {
            let text = session.take_body(bytes.clone());
            let read = Session::read(&session.print()).unwrap();
            assert_eq!(read.body_bytes(Some(text)).unwrap().unwrap(), bytes);
        }
    }
}
