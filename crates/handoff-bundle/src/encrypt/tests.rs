//! Passphrases, at a cost that tests can pay.

use super::*;

fn passphrase(text: &str) -> Passphrase {
    Passphrase::new(text.to_owned()).unwrap()
}

fn encrypted(work_factor: u8) -> Vec<u8> {
    encrypt_costing(b"{}", To::Passphrase(&passphrase("correct horse")), work_factor).unwrap()
}

#[test]
fn a_passphrase_opens_what_it_closed_and_another_does_not() {
    let bytes = encrypted(2);
    let with = |text: &str| decrypt(&bytes, With::Passphrase(&passphrase(text)), &Limits::default());
    assert_eq!(with("correct horse").unwrap(), b"{}");
    assert_eq!(with("correct horse "), Err(DecryptError::WrongPassphrase));
    assert_eq!(decrypt(&bytes, With::Identities(Vec::new()), &Limits::default()), Err(DecryptError::NeedsPassphrase));
}

#[test]
fn a_flip_in_any_byte_under_a_passphrase_is_refused() {
    let bytes = encrypted(2);
    // A flip in the work factor would only make it slow to find out.
    let limits = Limits { work_factor: 9, ..Limits::default() };
    for place in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[place] ^= 1 << (place % 8);
        let decrypted = decrypt(&flipped, With::Passphrase(&passphrase("correct horse")), &limits);
        assert!(decrypted.is_err(), "byte {place}: {}", String::from_utf8_lossy(&flipped));
    }
}

#[test]
fn a_passphrase_that_would_cost_too_much_is_not_tried() {
    let bytes = encrypted(6);
    let limits = Limits { work_factor: 5, ..Limits::default() };
    let found = decrypt(&bytes, With::Passphrase(&passphrase("correct horse")), &limits);
    assert_eq!(found, Err(DecryptError::WorkFactor { required: 6, most: 5 }));
}

#[test]
fn what_is_written_costs_what_age_itself_spends() {
    assert!(WORK_FACTOR <= Limits::default().work_factor);
    assert_eq!(WORK_FACTOR, 18);
}
