//! Files made to do harm: too deep, too many, too long, not even text.

use handoff_bundle::{
    DecryptError, Excess, Limits, OpenError, Origin, Passphrase, With, compat, decrypt, is_encrypted, open,
};

use crate::{draft, passphrase};

fn refused(bytes: &[u8]) -> OpenError {
    open(bytes, &Limits::default()).unwrap_err()
}

#[test]
fn depth_is_refused_before_anything_is_made_of_it() {
    for open_bracket in ["[", "{\"a\":", "{\"content\":{\"sessions\":["] {
        let deep = format!("{{\"handoff_bundle\":1,\"content\":{}", open_bracket.repeat(10_000));
        assert!(matches!(refused(deep.as_bytes()), OpenError::TooLarge(Excess::Depth { most: 8 })));
    }
}

#[test]
fn a_million_records_are_counted_and_refused() {
    let many = format!("{{\"content\":{{\"sessions\":[{}]}}}}", "{},".repeat(1_000_000));
    assert!(matches!(refused(many.as_bytes()), OpenError::TooLarge(Excess::Records { .. })));
    let many = format!("{{\"content\":[{}]}}", "0,".repeat(2_000_000));
    assert!(matches!(refused(many.as_bytes()), OpenError::TooLarge(Excess::Values { .. })));
}

#[test]
fn size_is_refused_by_length_alone() {
    let limits = Limits { bytes: 100, ..Limits::default() };
    let error = open(&[b' '; 101], &limits).unwrap_err();
    assert!(matches!(error, OpenError::TooLarge(Excess::Bytes { bytes: 101, most: 100 })));
    let error = decrypt(&vec![b' '; 2 << 20], With::Identities(Vec::new()), &limits).unwrap_err();
    assert!(matches!(error, DecryptError::TooLarge(_)));
}

#[test]
fn brackets_inside_texts_do_not_count() {
    let mut draft = draft();
    draft.content.sessions[0].text = "{[\\\"".repeat(100_000);
    let bytes = handoff_bundle::seal(&draft, handoff_bundle::Signing::None).unwrap();
    assert_eq!(open(&bytes, &Limits::default()).unwrap().origin, Origin::Unsigned);
}

#[test]
fn what_is_no_text_of_json_is_refused_without_a_panic() {
    let files: [&[u8]; 14] = [
        b"",
        b"\0",
        b"\xff\xfe\x00",
        b"{",
        b"\"",
        b"\"\\",
        b"null",
        b"[]",
        b"{}",
        b"{\"handoff_bundle\":1}",
        b"{\"handoff_bundle\":99999999999999999999999999}",
        b"{\"handoff_bundle\":-1}",
        b"{\"handoff_bundle\":1e999}",
        b"{\"checksum\":\"\xc3\x28\",\"content\":{},\"created_at\":\"2026-11-16T12:00:00Z\",\"handoff_bundle\":1}\n",
    ];
    for file in files {
        assert!(matches!(refused(file), OpenError::NotABundle(_)), "{}", String::from_utf8_lossy(file));
        assert!(compat::read(file, compat::Unsigned::Allow, &Limits::default()).is_err());
        assert_eq!(is_encrypted(file), None);
        assert!(compat::decrypt(file, &passphrase("x"), &Limits::default()).is_err());
    }
}

#[test]
fn a_head_without_an_end_is_not_read_to_the_end() {
    let head = format!("age-encryption.org/v1\n{}", "-> X a\n\n".repeat(2_000_000));
    let error = decrypt(head.as_bytes(), With::Identities(Vec::new()), &Limits::default()).unwrap_err();
    assert_eq!(error, DecryptError::Header);
}

#[test]
fn secrets_do_not_show_in_debug_prints() {
    let secret = Passphrase::new("correct horse".to_owned()).unwrap();
    assert!(!format!("{secret:?} {:?}", With::Passphrase(&secret)).contains("horse"));
    assert!(!format!("{:?}", crate::key()).contains(&crate::key().to_openssh("")[60..80]));
    for blank in ["", " ", "\t\n"] {
        assert!(Passphrase::new(blank.to_owned()).is_err());
    }
}
