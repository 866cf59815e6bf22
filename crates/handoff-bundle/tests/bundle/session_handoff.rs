//! Bundles of session-handoff, against the ones that it made itself.

use handoff_bundle::compat::{self, CompatError, CompatOrigin, RecordFlaw, Unsigned};
use handoff_bundle::{DecryptError, Encryption, Limits, With, decrypt, is_bundle, is_encrypted};

use crate::{fixture, flips, key, passphrase};

const PASSPHRASE: &str = "correct horse battery staple";

fn file(name: &str) -> Vec<u8> {
    fixture(&format!("session-handoff/{name}"))
}

fn read(bytes: &[u8]) -> Result<compat::CompatOpened, CompatError> {
    compat::read(bytes, Unsigned::Allow, &Limits::default())
}

fn opened(name: &str, words: &str) -> Result<Vec<u8>, DecryptError> {
    decrypt(&file(name), With::Passphrase(&passphrase(words)), &Limits::default())
}

#[test]
fn bundles_are_written_to_the_byte_as_that_tool_writes_them() {
    for (name, signer) in [
        ("bundle-v2.json", None),
        ("bundle-v2-escapes.json", None),
        ("bundle-v2-minimal.json", None),
        ("bundle-v3.json", Some(Some("Dev One"))),
        ("bundle-v3-escapes-noname.json", Some(None)),
    ] {
        let record = read(&file(name)).unwrap().record;
        let key = key();
        let written = compat::write(&record, signer.map(|name| (&key, name))).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), String::from_utf8(file(name)).unwrap(), "{name}");
    }
}

#[test]
fn checksums_are_made_over_the_same_bytes() {
    for name in ["bundle-v2", "bundle-v2-escapes", "bundle-v2-minimal", "bundle-v3"] {
        let record = read(&file(&format!("{name}.json"))).unwrap().record;
        assert_eq!(record.canonical(), file(&format!("{name}.canonical.bin")), "{name}");
    }
    let record = read(&file("bundle-v2-null-next.json")).unwrap().record;
    assert_eq!(record.next, None);
    assert_eq!(read(&compat::write(&record, None).unwrap()).unwrap().record, record);
}

#[test]
fn a_signed_bundle_shows_its_key_and_a_name_that_nobody_signed() {
    for (name, signer) in [("bundle-v3.json", Some("Dev One".to_owned())), ("bundle-v3-escapes-noname.json", None)] {
        let opened = compat::read(&file(name), Unsigned::Refuse, &Limits::default()).unwrap();
        assert_eq!(opened.origin, CompatOrigin::Signed { key: key().public(), unsigned_name: signer });
        assert!(compat::is_bundle(&file(name)) && !is_bundle(&file(name)));
    }
}

#[test]
fn unsigned_bundles_of_any_version_need_leave() {
    for (name, version) in [
        ("bundle-v1.json", 1),
        ("bad-downgrade-v1.json", 1),
        ("bad-hostile-id.json", 1),
        ("bundle-v2.json", 2),
        ("bundle-v2-null-next.json", 2),
        ("bad-v2-no-checksum.json", 2),
    ] {
        let refused = compat::read(&file(name), Unsigned::Refuse, &Limits::default()).unwrap_err();
        assert!(matches!(refused, CompatError::Unsigned { version: found } if found == version), "{name}: {refused}");
    }
    assert_eq!(read(&file("bundle-v1.json")).unwrap().origin, CompatOrigin::Unchecked);
    assert_eq!(read(&file("bundle-v2.json")).unwrap().origin, CompatOrigin::Unsigned);
}

#[test]
fn what_was_tampered_with_is_refused_with_the_reason_even_where_unsigned_is_allowed() {
    let refused = |name: &str| read(&file(name)).unwrap_err();
    assert!(matches!(refused("bad-tampered-record.json"), CompatError::Checksum));
    assert!(matches!(refused("bad-signature.json"), CompatError::Signature));
    assert!(matches!(refused("bad-signer-meta-unsigned.json"), CompatError::KeyId { .. }));
    assert!(matches!(refused("bad-v2-no-checksum.json"), CompatError::Missing("checksum")));
    assert!(matches!(refused("bad-hostile-id.json"), CompatError::Record(RecordFlaw::Id(_))));
    assert!(matches!(refused("bad-created-at-offset.json"), CompatError::Record(RecordFlaw::Time(_))));
}

#[test]
fn a_version_that_does_not_fit_what_is_there_is_a_downgrade() {
    let text = String::from_utf8(file("bundle-v3.json")).unwrap();
    for version in ["1", "2"] {
        let bytes = text.replacen("\"version\": 3", &format!("\"version\": {version}"), 1);
        assert!(matches!(read(bytes.as_bytes()), Err(CompatError::Downgraded { .. })), "{version}");
    }
    for version in ["0", "-1", "4", "99"] {
        let bytes = text.replacen("\"version\": 3", &format!("\"version\": {version}"), 1);
        assert!(matches!(read(bytes.as_bytes()), Err(CompatError::OtherVersion { .. })), "{version}");
    }
    let unsigned = String::from_utf8(file("bundle-v2.json")).unwrap().replacen("\"version\": 2", "\"version\": 3", 1);
    assert!(matches!(read(unsigned.as_bytes()), Err(CompatError::Missing("signature"))));
}

#[test]
fn keys_outside_of_the_checksum_are_refused() {
    let text = String::from_utf8(file("bundle-v3.json")).unwrap();
    for (from, to) in [
        ("\"tool\"", "\"Summary\": \"x\",\n\"tool\""),
        ("\"tool\"", "\"tool\": \"x\",\n\"tool\""),
        ("\"record\"", "\"extra\": 1,\n\"record\""),
        ("\"key_id\"", "\"email\": \"x\",\n\"key_id\""),
    ] {
        assert!(matches!(read(text.replacen(from, to, 1).as_bytes()), Err(CompatError::NotABundle(_))), "{to}");
    }
}

#[test]
fn no_flip_of_a_signed_bundle_changes_its_record_or_its_key() {
    let bytes = file("bundle-v3.json");
    let genuine = read(&bytes).unwrap();
    let name = bytes.windows(7).position(|part| part == b"Dev One").unwrap();
    for (bit, flipped) in flips(&bytes) {
        // What still opens has another case in an escape, or another name, which that format does not sign.
        if let Ok(opened) = read(&flipped) {
            assert_eq!(opened.record, genuine.record, "bit {bit}");
            assert!(opened == genuine || (name..name + 7).contains(&(bit / 8)), "bit {bit}");
        }
    }
}

#[test]
fn envelopes_open_to_the_bundles_in_them() {
    for (name, words, inside) in [
        ("bundle-v2-encrypted.json", PASSPHRASE, "bundle-v2.json"),
        ("bundle-v3-encrypted.json", PASSPHRASE, "bundle-v3.json"),
    ] {
        assert_eq!(is_encrypted(&file(name)), Some(Encryption::SessionHandoff));
        let plain = opened(name, words).unwrap();
        assert_eq!([plain, b"\n".to_vec()].concat(), file(inside), "{name}");
        assert!(matches!(read(&file(name)), Err(CompatError::Encrypted)));
    }
    let plain = opened("bundle-v3-encrypted-unicode-passphrase.json", "pässwörd 🔑 ").unwrap();
    assert!(matches!(read(&plain).unwrap().origin, CompatOrigin::Signed { .. }));
}

#[test]
fn envelopes_that_were_touched_are_refused_without_a_panic() {
    let refused = |name: &str| opened(name, PASSPHRASE).unwrap_err();
    assert_eq!(refused("bad-encrypted-tampered.json"), DecryptError::WrongPassphrase);
    assert_eq!(
        refused("bad-encrypted-empty-nonce.json"),
        DecryptError::Envelope(compat::EnvelopeError::Size { field: "nonce", wanted: "12 bytes" })
    );
    assert_eq!(opened("bundle-v3-encrypted.json", "wrong"), Err(DecryptError::WrongPassphrase));
    // Trimmed it is another passphrase.
    let unicode = "bundle-v3-encrypted-unicode-passphrase.json";
    assert_eq!(opened(unicode, "pässwörd 🔑"), Err(DecryptError::WrongPassphrase));
    let text = String::from_utf8(file("bundle-v3-encrypted.json")).unwrap();
    for (from, to) in [
        ("aes-256-gcm", "aes-128-gcm"),
        ("N=32768", "N=2"),
        ("\"version\": 1", "\"version\": 2"),
        ("\"salt\": \"", "\"salt\": \"AAAA"),
        ("\"nonce\": \"", "\"nonce\": \"!"),
        ("\"ciphertext\": \"", "\"ciphertext\": \"\", \"x\": \""),
    ] {
        let words = passphrase(PASSPHRASE);
        let found = decrypt(text.replacen(from, to, 1).as_bytes(), With::Passphrase(&words), &Limits::default());
        assert!(matches!(found, Err(DecryptError::Envelope(_))), "{to}: {found:?}");
    }
}

#[test]
fn what_that_tool_would_refuse_is_not_written() {
    let record = read(&file("bundle-v2.json")).unwrap().record;
    for change in [
        |record: &mut compat::CompatRecord| record.title = " ".to_owned(),
        |record: &mut compat::CompatRecord| record.tool = String::new(),
        |record: &mut compat::CompatRecord| record.id = "a/b".to_owned(),
        |record: &mut compat::CompatRecord| record.id = "latest".to_owned(),
        |record: &mut compat::CompatRecord| record.created_at = "2026-11-15T18:44:43.5Z".parse().unwrap(),
    ] {
        let mut changed = record.clone();
        change(&mut changed);
        assert!(compat::write(&changed, None).is_err(), "{changed:?}");
    }
}

#[test]
fn an_envelope_of_ours_opens_again() {
    let bundle = file("bundle-v3.json");
    let envelope = compat::encrypt(&bundle, &passphrase(PASSPHRASE));
    let plain = compat::decrypt(&envelope, &passphrase(PASSPHRASE), &Limits::default()).unwrap();
    assert_eq!(plain, bundle.strip_suffix(b"\n").unwrap());
}
