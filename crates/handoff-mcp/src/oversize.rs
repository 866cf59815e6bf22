//! The id of a message that is too long to be kept.
//!
//! **Invariant:** memory is bounded however long the message is, and an id is taken from the top level of the message
//! only. Where anything about the message is in doubt, its id is unknown.

use rmcp::model::RequestId;
use serde_json::Value;

/// Nesting that the JSON parser accepts; one bit of a `u128` is kept for each level.
const MAX_NESTING: u32 = 127;
/// Bytes that are kept of a key or an id.
const MAX_CAPTURED: usize = 4 * 1024;

/// Addressee of the refusal of an oversize message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Addressee {
    /// A request with this id
    Request(Value),
    /// A notification or a response, which is never answered
    Nobody,
    /// Something of which the id cannot be determined
    Unknown,
}

/// Reads the top-level members of a JSON object as its bytes pass by.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about the bytes seen so far")]
pub(crate) struct EnvelopeScanner {
    depth: u32,
    /// One bit per level: whether it is a list
    lists: u128,
    is_in_string: bool,
    is_escaped: bool,
    expected: Expected,
    key: Key,
    captured: Vec<u8>,
    id: Option<Vec<u8>>,
    has_method: bool,
    has_outcome: bool,
    is_in_doubt: bool,
}

/// Next token at the top level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Expected {
    #[default]
    Object,
    Key,
    Colon,
    Value,
    End,
}

/// Member whose value is being passed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Key {
    Id,
    #[default]
    Other,
}

impl EnvelopeScanner {
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.is_in_doubt {
                return;
            }
            if self.is_in_string { self.within_string(*byte) } else { self.between_strings(*byte) }
        }
    }

    /// The result, once all bytes of the message have been fed.
    pub(crate) fn addressee(&self) -> Addressee {
        if self.is_in_doubt || self.expected != Expected::End {
            return Addressee::Unknown;
        }
        match &self.id {
            None if self.has_method || self.has_outcome => Addressee::Nobody,
            Some(_) if !self.has_method && self.has_outcome => Addressee::Nobody,
            None => Addressee::Unknown,
            Some(id) => match serde_json::from_slice::<RequestId>(id) {
                Ok(id) => Addressee::Request(id.into_json_value()),
                Err(_) => Addressee::Unknown,
            },
        }
    }

    fn within_string(&mut self, byte: u8) {
        self.capture(byte);
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' => self.is_escaped = true,
            b'"' => {
                self.is_in_string = false;
                if self.depth == 1 && self.expected == Expected::Key {
                    self.end_key();
                }
            }
            _ => {}
        }
    }

    fn between_strings(&mut self, byte: u8) {
        let is_top = self.depth == 1;
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {}
            // A byte order mark
            0xef | 0xbb | 0xbf if self.expected == Expected::Object => {}
            b'"' if self.depth > 1 || is_top && matches!(self.expected, Expected::Key | Expected::Value) => {
                if self.expected == Expected::Key {
                    self.captured.clear();
                }
                self.is_in_string = true;
                self.capture(byte);
            }
            b'{' | b'[' if self.may_open(byte) => {
                self.capture(byte);
                self.depth += 1;
                let bit = 1_u128 << self.depth;
                if byte == b'[' {
                    self.lists |= bit;
                } else {
                    self.lists &= !bit;
                }
                if self.depth == 1 {
                    self.expected = Expected::Key;
                }
            }
            b'}' | b']' if self.depth > 0 && (self.lists >> self.depth & 1 == 1) == (byte == b']') => {
                if is_top {
                    self.end_member();
                    self.expected = Expected::End;
                }
                self.depth -= 1;
                self.capture(byte);
            }
            // Nested too deep, or not closed as it was opened.
            b'{' | b'[' | b'}' | b']' => self.is_in_doubt = true,
            b':' if is_top && self.expected == Expected::Colon => {
                self.expected = Expected::Value;
                self.captured.clear();
            }
            b',' if is_top && self.expected == Expected::Value => {
                self.end_member();
                self.expected = Expected::Key;
            }
            _ if self.depth > 1 || is_top && self.expected == Expected::Value => self.capture(byte),
            _ => self.is_in_doubt = true,
        }
    }

    fn may_open(&self, byte: u8) -> bool {
        match self.depth {
            0 => byte == b'{' && self.expected == Expected::Object,
            1 => self.expected == Expected::Value,
            depth => depth < MAX_NESTING,
        }
    }

    /// Keeps a byte of a key at the top level, or of the value of `id`.
    fn capture(&mut self, byte: u8) {
        let is_key = self.depth == 1 && self.expected == Expected::Key;
        let is_id = self.expected == Expected::Value && self.key == Key::Id;
        if !is_key && !is_id {
            return;
        }
        if self.captured.len() == MAX_CAPTURED {
            self.is_in_doubt = true;
        } else {
            self.captured.push(byte);
        }
    }

    fn end_key(&mut self) {
        let Ok(key) = serde_json::from_slice::<String>(&self.captured) else {
            self.is_in_doubt = true;
            return;
        };
        self.key = if key == "id" { Key::Id } else { Key::Other };
        self.has_method |= key == "method";
        self.has_outcome |= key == "result" || key == "error";
        self.expected = Expected::Colon;
    }

    fn end_member(&mut self) {
        if self.expected == Expected::Value && self.key == Key::Id {
            // A second id would leave open which of them is meant.
            self.is_in_doubt |= self.id.is_some();
            self.id = Some(std::mem::take(&mut self.captured));
        }
        // An object ends after a value, or where its first key would be.
        self.is_in_doubt |= self.expected == Expected::Colon;
        self.key = Key::Other;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The same for the whole text at once and byte by byte.
    fn addressee(text: &str) -> Addressee {
        let mut whole = EnvelopeScanner::default();
        whole.feed(text.as_bytes());
        let mut pieces = EnvelopeScanner::default();
        for byte in text.bytes() {
            pieces.feed(&[byte]);
        }
        assert_eq!(whole.addressee(), pieces.addressee(), "{text}");
        whole.addressee()
    }

    #[test]
    fn the_id_of_a_request_is_found_wherever_it_stands_at_the_top_level() {
        for (text, id) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"id":8}}"#, json!(7)),
            (r#"{"jsonrpc":"2.0","method":"m","params":{"id":8,"a":[{"id":9}]},"id":7}"#, json!(7)),
            (r#" { "id" : "a\"}\u00e9" , "method" : "m" } "#, json!("a\"}é")),
            (r#"{"\u0069d":-3,"method":"id"}"#, json!(-3)),
            ("\u{feff}{\"params\":{\"t\":\"\\\\\"},\"method\":\"m\",\"id\":\"x\"}\r", json!("x")),
        ] {
            assert_eq!(addressee(text), Addressee::Request(id), "{text}");
        }
    }

    #[test]
    fn notifications_and_responses_have_no_addressee() {
        for text in [
            r#"{"jsonrpc":"2.0","method":"m","params":{"id":8}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"method":"m"}}"#,
            r#"{"id":1,"error":{}}"#,
        ] {
            assert_eq!(addressee(text), Addressee::Nobody, "{text}");
        }
    }

    #[test]
    fn an_id_is_unknown_where_the_message_is_in_doubt() {
        let deep = format!(r#"{{"id":1,"method":"m","params":{}{}}}"#, "[".repeat(200), "]".repeat(200));
        let long = format!(r#"{{"id":"{}","method":"m"}}"#, "x".repeat(MAX_CAPTURED));
        for text in [
            "",
            "xxxx",
            "[]",
            r#"[{"id":1,"method":"m"}]"#,
            r#"{"params":{"id":8}}"#,
            r#"{"id":1,"method":"m""#,
            r#"{"id":1,"method":"m"}}"#,
            r#"{"id":1,"method":"m"} {"id":2}"#,
            r#"{"id":1,"id":2,"method":"m"}"#,
            r#"{"id":1.5,"method":"m"}"#,
            r#"{"id":null,"method":"m"}"#,
            r#"{"id":[1],"method":"m"}"#,
            r#"{"id":,"method":"m"}"#,
            r#"{"params":[},"id":1,"method":"m"}"#,
            r#"{"method":"m","id"}"#,
            r#"{"a":"{"id":1,"method":"m"}"}"#,
            &deep,
            &long,
        ] {
            assert_eq!(addressee(text), Addressee::Unknown, "{text}");
        }
    }
}
