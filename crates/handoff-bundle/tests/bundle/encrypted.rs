//! Encryption with age.

use handoff_bundle::{
    Armor, DecryptError, EncryptError, Encryption, Identity, Limits, OpenError, Recipient, SigningKey, To, With,
    decrypt, encrypt, is_encrypted, open,
};

use crate::{fixture, flips, passphrase};

const SECRET: &str = "AGE-SECRET-KEY-1GQ9778VQXMMJVE8SK7J6VT8UJ4HDQAJUVSFCWCM02D8GEWQ72PVQ2Y5J33";
const PUBLIC: &str = "age1t7rxyev2z3rw82stdlrrepyc39nvn86l5078zqkf5uasdy86jp6svpy7pa";

fn identities(text: &str) -> Vec<Identity> {
    Identity::read(text.as_bytes(), None).unwrap()
}

fn to(recipients: &[&str]) -> To<'static> {
    To::Recipients(recipients.iter().map(|text| text.parse::<Recipient>().unwrap()).collect())
}

fn with(text: &str) -> With<'static> {
    With::Identities(identities(text))
}

#[test]
fn every_recipient_and_nobody_else_can_decrypt() {
    let ssh = SigningKey::generate();
    let plain = fixture("bundle-1/signed.json");
    let bytes = encrypt(&plain, to(&[PUBLIC, &ssh.public().to_string()])).unwrap();
    assert_eq!(is_encrypted(&bytes), Some(Encryption::Age));
    assert!(matches!(open(&bytes, &Limits::default()), Err(OpenError::Encrypted)));
    for secret in [SECRET, &ssh.to_openssh("")] {
        assert_eq!(decrypt(&bytes, with(secret), &Limits::default()).unwrap(), plain);
    }
    let stranger = SigningKey::generate().to_openssh("");
    assert_eq!(decrypt(&bytes, with(&stranger), &Limits::default()), Err(DecryptError::NoMatch));
    let word = passphrase("x");
    assert_eq!(decrypt(&bytes, With::Passphrase(&word), &Limits::default()), Err(DecryptError::NeedsIdentity));
}

#[test]
fn every_single_bit_flip_of_an_encrypted_bundle_is_refused() {
    let bytes = encrypt(b"{}", to(&[PUBLIC])).unwrap();
    let identities = identities(SECRET);
    for (bit, flipped) in flips(&bytes) {
        let decrypted = decrypt(&flipped, With::Identities(identities.clone()), &Limits::default());
        assert!(decrypted.is_err(), "bit {bit}: {}", String::from_utf8_lossy(&flipped));
    }
}

#[test]
fn whatever_is_cut_off_or_added_is_noticed() {
    let bytes = encrypt(b"{}", to(&[PUBLIC])).unwrap();
    let identities = identities(SECRET);
    let refused = |bytes: &[u8]| decrypt(bytes, With::Identities(identities.clone()), &Limits::default()).unwrap_err();
    for length in 0..bytes.len() {
        refused(&bytes[..length]);
    }
    for added in [&b"\n"[..], b" ", b"x", &bytes] {
        refused(&[&bytes, added].concat());
        refused(&[added, &bytes].concat());
    }
}

#[test]
fn other_line_ends_are_let_pass_only_where_that_is_asked_for() {
    let text = String::from_utf8(encrypt(b"{}", to(&[PUBLIC])).unwrap()).unwrap();
    let tolerant = Limits { armor: Armor::Tolerant, ..Limits::default() };
    for other in [text.replace('\n', "\r\n"), format!("\n {text}\n\n"), text.trim_end().to_owned()] {
        assert_eq!(decrypt(other.as_bytes(), with(SECRET), &Limits::default()), Err(DecryptError::ArmorForm));
        assert_eq!(decrypt(other.as_bytes(), with(SECRET), &tolerant).unwrap(), b"{}");
    }
}

#[test]
fn decrypting_stops_at_the_limit() {
    let bytes = encrypt(&[b'x'; 5000], to(&[PUBLIC])).unwrap();
    let limits = Limits { bytes: 4999, ..Limits::default() };
    assert!(matches!(decrypt(&bytes, with(SECRET), &limits), Err(DecryptError::TooLarge(_))));
    let limits = Limits { bytes: 5000, ..Limits::default() };
    assert_eq!(decrypt(&bytes, with(SECRET), &limits).unwrap().len(), 5000);
}

#[test]
fn encrypting_to_nobody_or_to_everybody_is_refused() {
    assert_eq!(encrypt(b"{}", to(&[])), Err(EncryptError::NoRecipients));
    assert_eq!(encrypt(b"{}", to(&[PUBLIC; 101])), Err(EncryptError::TooManyRecipients { given: 101 }));
    let all = encrypt(b"{}", to(&[PUBLIC; 100])).unwrap();
    assert_eq!(decrypt(&all, with(SECRET), &Limits::default()).unwrap(), b"{}");
}

#[test]
fn what_is_not_encrypted_is_not_decrypted() {
    for bytes in [&b""[..], b"{}", &fixture("bundle-1/signed.json"), b"# Notes\n"] {
        assert_eq!(is_encrypted(bytes), None);
        assert_eq!(decrypt(bytes, with(SECRET), &Limits::default()), Err(DecryptError::NotEncrypted));
    }
}
