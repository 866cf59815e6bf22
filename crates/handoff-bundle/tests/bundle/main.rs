//! Bundles from outside: what is sealed opens, and what was touched does not.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test stops at the first surprise, writes files as other programs do, and says what it could not try"
)]

#[path = "../../../../fuzz/src/bundle_file.rs"]
pub mod bundle_file;

mod age_vectors;
mod any_bytes;
mod encrypted;
mod forged;
mod hostile;
mod keys;
mod sealed;
mod session_handoff;
#[cfg(unix)]
mod ssh_keygen;
mod trust;

use std::path::Path;

use handoff_bundle::{CarriedSession, CarriedTask, Content, Draft, Passphrase, SigningKey};

fn fixture(path: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(path)).unwrap()
}

/// The same key in every test.
fn key() -> SigningKey {
    SigningKey::read(&fixture("session-handoff/signing-key.pem"), None).unwrap()
}

fn passphrase(text: &str) -> Passphrase {
    Passphrase::new(text.to_owned()).unwrap()
}

/// A small project with everything a bundle can carry.
fn draft() -> Draft {
    let content = Content {
        project: Some("my-app".to_owned()),
        sessions: vec![
            CarriedSession {
                name: "2026-11-14-77c01b9d".to_owned(),
                text: "format = 1\nid = \"77c01b9d\"\n".to_owned(),
                body: None,
            },
            CarriedSession {
                name: "2026-11-15-a3f9c12e".to_owned(),
                text: "format = 1\r\nid = \"a3f9c12e\"\r\n".to_owned(),
                body: Some("# Wörk\n\t\"quoted\" \\ \u{1}\u{7f}\u{2028} 🚀 </script>\0".to_owned()),
            },
        ],
        tasks: vec![
            CarriedTask {
                id: "k7f3q2ma".parse().unwrap(),
                parent: None,
                number: Some(1),
                text: "format = 1\n".to_owned(),
                archived: false,
            },
            CarriedTask {
                id: "m2x9a4te".parse().unwrap(),
                parent: Some("k7f3q2ma".parse().unwrap()),
                number: None,
                text: String::new(),
                archived: true,
            },
        ],
    };
    Draft { content, created_at: "2026-11-16T12:00:00Z".parse().unwrap() }
}

/// Every copy of some bytes that differs in one bit.
fn flips(bytes: &[u8]) -> impl Iterator<Item = (usize, Vec<u8>)> {
    (0..bytes.len() * 8).map(|bit| {
        let mut flipped = bytes.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        (bit, flipped)
    })
}
