//! The seal of a state file: proof that this installation wrote it, in this place and in these words.
//!
//! State files say what is to be done next, so one that came with a clone or an archive must not be acted on. A sealed
//! file is a JSON object whose first member is `seal`: a hash over the secret of `local/`, the path of the file in the
//! store, and the text without the seal. An old version of the same file keeps its seal; nothing else does.

use handoff_model::problem::Problem;
use handoff_model::rev::sha256;

use crate::error::{Result, StoreError};
use crate::root::{Root, into_text};

/// The secret that seals are made with.
pub(crate) type Secret = [u8; 32];

/// What precedes the seal, as it is written.
const OPENING: &str = "{\n  \"seal\": \"";
/// What follows it.
const CLOSING: &str = "\",";
/// Hexadecimal digits of a seal.
const LENGTH: usize = 64;

impl Root {
    /// The text of a JSON object, sealed for the file `path`.
    pub(crate) fn sealed(&self, path: &str, text: &str) -> String {
        sealed(&self.local_secret(), path, text)
    }

    /// The bytes of the file `path` without their seal. Those that another installation wrote, or somebody changed, are
    /// damage.
    pub(crate) fn unsealed(&self, path: &str, bytes: Vec<u8>) -> Result<String> {
        unsealed(&self.local_secret(), path, bytes)
    }
}

pub(crate) fn sealed(secret: &Secret, path: &str, text: &str) -> String {
    let Some(members) = text.strip_prefix('{') else {
        debug_assert!(false, "only objects are sealed");
        return text.to_owned();
    };
    format!("{OPENING}{}{CLOSING}{members}", seal_of(secret, path, members))
}

pub(crate) fn unsealed(secret: &Secret, path: &str, bytes: Vec<u8>) -> Result<String> {
    let damaged = |why: &str| StoreError::Damaged(Problem::damaged(path, why));
    let foreign = || damaged("it was not written by handoff on this machine, or was changed since");
    let text = into_text(bytes).map_err(|error| damaged(&error.to_string()))?;
    let after = text.strip_prefix(OPENING).ok_or_else(foreign)?;
    let (seal, rest) = after.split_at_checked(LENGTH).ok_or_else(foreign)?;
    let members = rest.strip_prefix(CLOSING).ok_or_else(foreign)?;
    if seal != seal_of(secret, path, members) {
        return Err(foreign());
    }
    Ok(format!("{{{members}"))
}

/// The text of a file with a new seal, whatever seal it had; `None` for what is no JSON object.
pub(crate) fn resealed(secret: &Secret, path: &str, bytes: Vec<u8>) -> Option<String> {
    let text = into_text(bytes).ok()?;
    let members = text.strip_prefix(OPENING).and_then(|after| after.get(LENGTH..)?.strip_prefix(CLOSING));
    let bare = members.map_or_else(|| text.clone(), |members| format!("{{{members}"));
    bare.starts_with('{').then(|| sealed(secret, path, &bare))
}

/// The secret stands before a text of fixed length, so that nobody can lengthen what was sealed.
fn seal_of(secret: &Secret, path: &str, members: &str) -> String {
    let content = sha256(format!("{path}\0{members}").as_bytes());
    let mut keyed = secret.to_vec();
    keyed.extend_from_slice(content.as_bytes());
    sha256(&keyed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: Secret = [7; 32];
    const TEXT: &str = "{\n  \"run\": \"a\",\n  \"note\": \"ä\"\n}\n";

    #[test]
    fn a_sealed_text_is_read_back_as_it_was() {
        for text in [TEXT, "{\"run\":1}", "{}"] {
            let sealed = sealed(&OURS, "a/b.json", text);
            assert_eq!(unsealed(&OURS, "a/b.json", sealed.into_bytes()).unwrap(), text);
        }
        let written: serde_json::Value = serde_json::from_str(&sealed(&OURS, "b.json", TEXT)).unwrap();
        assert_eq!((written["run"].as_str(), written["seal"].as_str().map(str::len)), (Some("a"), Some(LENGTH)));
    }

    #[test]
    fn another_secret_another_place_and_another_word_are_damage() {
        let text = sealed(&OURS, "a.json", TEXT);
        let refused = |secret: &Secret, path: &str, text: &str| {
            matches!(unsealed(secret, path, text.as_bytes().to_vec()), Err(StoreError::Damaged(_)))
        };
        assert!(!refused(&OURS, "a.json", &text));
        assert!(refused(&[8; 32], "a.json", &text), "of another machine");
        assert!(refused(&OURS, "b.json", &text), "in another place");
        assert!(refused(&OURS, "a.json", &text.replace("\"a\"", "\"b\"")), "with another word");
        assert!(refused(&OURS, "a.json", TEXT), "without a seal");
        for length in 0..text.len() {
            let cut = &text.as_bytes()[..length];
            assert!(unsealed(&OURS, "a.json", cut.to_vec()).is_err(), "cut off after {length} bytes");
        }
        assert!(unsealed(&OURS, "a.json", vec![0xff; 200]).is_err());
    }
}
