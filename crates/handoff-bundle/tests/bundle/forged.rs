//! Bundles that somebody else had in hand.

use handoff_bundle::{
    Draft, Limits, OpenError, Origin, SealError, SignatureFlaw, Signer, Signing, SigningKey, open, seal, statement,
};
use serde_json::{Value, json};

use crate::{draft, fixture, key};

fn signed() -> Vec<u8> {
    fixture("bundle-1/signed.json")
}

fn refused(bytes: &[u8]) -> OpenError {
    open(bytes, &Limits::default()).expect_err(&String::from_utf8_lossy(bytes))
}

/// The signed bundle with a change, written in the canonical form again.
fn forged(change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut value: Value = serde_json::from_slice(&signed()).unwrap();
    change(&mut value);
    value.sort_all_objects();
    (serde_json::to_string(&value).unwrap() + "\n").into_bytes()
}

#[test]
fn a_change_in_any_field_breaks_the_signature() {
    type Change = fn(&mut Value);
    let changes: [Change; 5] = [
        |value| value["created_at"] = json!("2026-11-16T12:00:01Z"),
        |value| value["signature"]["signer"] = json!("Mallory"),
        |value| drop(value["signature"].as_object_mut().unwrap().remove("signer")),
        |value| value["signature"]["key"] = json!(SigningKey::generate().public().fingerprint()),
        |value| value["signature"]["signer"] = json!("Dev One "),
    ];
    for (index, change) in changes.into_iter().enumerate() {
        let error = refused(&forged(change));
        assert!(matches!(error, OpenError::Signature(_) | OpenError::Signer(_)), "{index}: {error}");
    }
}

#[test]
fn content_with_its_checksum_done_again_is_not_what_was_signed() {
    let mut other = draft();
    other.content.sessions[0].text.push_str("evil");
    let unsigned: Value = serde_json::from_slice(&seal(&other, Signing::None).unwrap()).unwrap();
    let bytes = forged(|value| {
        value["content"] = unsigned["content"].clone();
        value["checksum"] = unsigned["checksum"].clone();
    });
    assert!(matches!(refused(&bytes), OpenError::Signature(SignatureFlaw::Wrong)));
    let bytes = forged(|value| value["content"] = unsigned["content"].clone());
    assert!(matches!(refused(&bytes), OpenError::Checksum));
}

#[test]
fn a_signature_taken_away_leaves_an_unsigned_bundle() {
    let bytes = forged(|value| drop(value.as_object_mut().unwrap().remove("signature")));
    assert_eq!(open(&bytes, &Limits::default()).unwrap().origin, Origin::Unsigned);
    let bytes = forged(|value| value["signature"] = Value::Null);
    assert!(matches!(refused(&bytes), OpenError::NotCanonical));
}

#[test]
fn another_version_is_named() {
    for found in [0, 2, 99] {
        let bytes = forged(|value| value["handoff_bundle"] = json!(found));
        assert!(matches!(refused(&bytes), OpenError::OtherVersion { found: said } if said == found));
    }
    let later = br#"{"handoff_bundle":2,"everything":"else"}"#;
    assert!(matches!(refused(later), OpenError::OtherVersion { found: 2 }));
}

#[test]
fn another_spelling_of_the_same_is_refused() {
    let bytes = signed();
    let text = String::from_utf8(bytes.clone()).unwrap();
    let spellings = [
        text.trim_end().to_owned(),
        format!("{text}\n"),
        format!("{text} "),
        format!(" {text}"),
        format!("\u{feff}{text}"),
        text.replace("my-app", "my\\u002dapp"),
        text.replace("Dev One", "Dev\\u0020One"),
        text.replace("\\u0001", "\\u0001\\u0001"),
        text.replace(":1,\"sig", ":1 ,\"sig"),
        text.replace("\"number\":1", "\"number\":1.0"),
        text.replace("\"number\":1", "\"number\":1e0"),
        text.replace("{\"id\":\"k7f3q2ma\"", "{\"archived\":false,\"id\":\"k7f3q2ma\""),
        text.replace("12:00:00Z", "12:00:00+00:00"),
        text.replace("12:00:00Z", "12:00:00.000Z"),
        text.replace("T12:00", "t12:00"),
        text.replace("SIGNATURE-----\\n", "SIGNATURE-----\\r\\n"),
        serde_json::to_string_pretty(&serde_json::from_str::<Value>(&text).unwrap()).unwrap(),
    ];
    for spelling in spellings {
        assert_ne!(spelling, text);
        refused(spelling.as_bytes());
    }
}

#[test]
fn keys_that_nobody_signed_are_refused() {
    let text = String::from_utf8(signed()).unwrap();
    refused(text.replacen("{\"checksum\"", "{\"admin\":true,\"checksum\"", 1).as_bytes());
    refused(text.replacen("\"content\":{", "\"content\":{\"other\":1,", 1).as_bytes());
    refused(text.replacen("\"tasks\":[{", "\"tasks\":[{\"a\":1,", 1).as_bytes());
    refused(
        text.replacen(
            "\"content\":{\"project\":\"my-app\",",
            "\"content\":{\"project\":\"a\",\"project\":\"my-app\",",
            1,
        )
        .as_bytes(),
    );
    refused(text.replacen("\"handoff_bundle\":1,", "\"handoff_bundle\":1,\"handoff_bundle\":1,", 1).as_bytes());
}

#[test]
fn whatever_is_cut_off_is_missed() {
    let bytes = signed();
    for length in 0..bytes.len() {
        refused(&bytes[..length]);
    }
}

#[test]
fn two_bundles_in_one_file_are_none() {
    refused(&[signed(), signed()].concat());
}

#[test]
fn a_signature_over_another_bundle_does_not_fit() {
    let other = Draft { created_at: "2026-11-16T12:00:09Z".parse().unwrap(), ..draft() };
    let key = key();
    let other: Value =
        serde_json::from_slice(&seal(&other, Signing::Key(&key, Some("Dev One".to_owned()))).unwrap()).unwrap();
    let bytes = forged(|value| value["signature"] = other["signature"].clone());
    assert!(matches!(refused(&bytes), OpenError::Signature(SignatureFlaw::Wrong)));
}

#[test]
fn a_signature_made_elsewhere_is_checked_before_it_is_sealed_in() {
    let signer = Signer { name: None, key: key().public() };
    let sealed =
        |signature: &str| seal(&draft(), Signing::Made { signature: signature.to_owned(), signer: signer.clone() });
    assert_eq!(sealed("nonsense"), Err(SealError::Signature(SignatureFlaw::Unreadable)));
    // A good one of another key, over a statement that names that key.
    let other = seal(&draft(), Signing::Key(&SigningKey::generate(), None)).unwrap();
    let other: Value = serde_json::from_slice(&other).unwrap();
    let signature = other["signature"]["sshsig"].as_str().unwrap();
    assert_eq!(sealed(signature), Err(SealError::Signature(SignatureFlaw::Wrong)));
    // And of our own.
    let own = seal(&draft(), Signing::Key(&key(), None)).unwrap();
    let value: Value = serde_json::from_slice(&own).unwrap();
    let signature = value["signature"]["sshsig"].as_str().unwrap();
    assert_eq!(sealed(signature), Ok(own.clone()));
    assert_eq!(sealed(&signature.replace('\n', "\r\n")), Ok(own));
}

#[test]
fn a_hardware_key_signs_with_its_flags_and_counter() {
    use ed25519_dalek::Signer as _;
    use sha2::{Digest as _, Sha256};
    use ssh_key::public::{Ed25519PublicKey, KeyData, SkEd25519};
    use ssh_key::{Algorithm, HashAlg, LineEnding, SshSig};

    // What a security key does, with a key in software.
    let secret = ed25519_dalek::SigningKey::from_bytes(&[7; 32]);
    let data = KeyData::SkEd25519(SkEd25519::new(Ed25519PublicKey(secret.verifying_key().to_bytes()), "ssh:"));
    let key: handoff_bundle::PublicKey = ssh_key::PublicKey::from(data.clone()).to_openssh().unwrap().parse().unwrap();
    assert!(key.is_hardware() && key.to_string().starts_with("sk-ssh-ed25519@openssh.com "));
    let signer = Signer { name: Some("Dev".to_owned()), key: key.clone() };
    let signed =
        SshSig::signed_data(handoff_bundle::NAMESPACE, HashAlg::Sha256, &statement(&draft(), &signer)).unwrap();
    let pressed = [1, 0, 0, 0, 42];
    let message = [&Sha256::digest("ssh:")[..], &pressed, &Sha256::digest(signed)[..]].concat();
    let raw = [&secret.sign(&message).to_bytes()[..], &pressed].concat();
    let made = |raw: Vec<u8>| {
        let signature = ssh_key::Signature::new(Algorithm::SkEd25519, raw).unwrap();
        let signature = SshSig::new(data.clone(), handoff_bundle::NAMESPACE, HashAlg::Sha256, signature).unwrap();
        let signature = signature.to_pem(LineEnding::LF).unwrap();
        seal(&draft(), Signing::Made { signature, signer: signer.clone() })
    };
    let opened = open(&made(raw.clone()).unwrap(), &Limits::default()).unwrap();
    assert_eq!(opened.origin, Origin::Signed { signer: Some("Dev".to_owned()), key });
    let mut counted = raw;
    *counted.last_mut().unwrap() += 1;
    assert_eq!(made(counted), Err(SealError::Signature(SignatureFlaw::Wrong)));
}
