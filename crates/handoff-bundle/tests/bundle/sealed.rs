//! Sealing and opening.

use handoff_bundle::{
    CarriedSession, CarriedTask, Content, Draft, Limits, Opened, Origin, SealError, Signer, Signing, is_bundle, open,
    seal, statement,
};
use handoff_model::id::TaskId;
use handoff_model::when::Moment;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::{draft, fixture, flips, key};

#[test]
fn bundles_of_version_1_have_these_bytes_for_good() {
    let signed = seal(&draft(), Signing::Key(&key(), Some("Dev One".to_owned()))).unwrap();
    assert_eq!(String::from_utf8(signed).unwrap(), String::from_utf8(fixture("bundle-1/signed.json")).unwrap());
    let unsigned = seal(&draft(), Signing::None).unwrap();
    assert_eq!(String::from_utf8(unsigned).unwrap(), String::from_utf8(fixture("bundle-1/unsigned.json")).unwrap());
}

#[test]
fn a_signed_bundle_opens_to_what_was_sealed_and_who_signed_it() {
    let Draft { content, created_at } = draft();
    let opened = open(&fixture("bundle-1/signed.json"), &Limits::default()).unwrap();
    let origin = Origin::Signed { signer: Some("Dev One".to_owned()), key: key().public() };
    assert_eq!(opened, Opened { content, created_at, origin });
    assert!(is_bundle(&fixture("bundle-1/signed.json")));
}

#[test]
fn an_empty_bundle_is_a_bundle_too() {
    let empty = Draft { content: Content::default(), ..draft() };
    let bytes = seal(&empty, Signing::Key(&key(), None)).unwrap();
    let opened = open(&bytes, &Limits::default()).unwrap();
    assert_eq!(opened.content, Content::default());
    assert_eq!(opened.origin, Origin::Signed { signer: None, key: key().public() });
}

#[test]
fn keys_are_sorted_and_blanks_are_left_out_as_rfc_8785_has_it() {
    let bytes = fixture("bundle-1/signed.json");
    let mut value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    value.sort_all_objects();
    assert_eq!(serde_json::to_string(&value).unwrap() + "\n", String::from_utf8(bytes).unwrap());
}

#[test]
fn every_single_bit_flip_of_a_signed_bundle_is_refused() {
    for (bit, flipped) in flips(&fixture("bundle-1/signed.json")) {
        assert!(open(&flipped, &Limits::default()).is_err(), "bit {bit}: {}", String::from_utf8_lossy(&flipped));
    }
}

#[test]
fn every_single_bit_flip_of_an_unsigned_bundle_is_noticed_in_its_content() {
    let bytes = fixture("bundle-1/unsigned.json");
    for (bit, flipped) in flips(&bytes) {
        // Without a signature only the time can be another, and still be a time.
        if let Ok(opened) = open(&flipped, &Limits::default()) {
            assert_eq!(opened.content, draft().content, "bit {bit}");
            assert_ne!(opened.created_at, draft().created_at, "bit {bit}");
        }
    }
}

#[test]
fn names_that_hide_something_sign_nothing() {
    for name in ["", " ", " Dev", "Dev\n", "a\u{1b}[31m", &"x".repeat(201)] {
        let sealed = seal(&draft(), Signing::Key(&key(), Some(name.to_owned())));
        assert!(matches!(sealed, Err(SealError::SignerName(_))), "{name:?}");
    }
}

#[test]
fn times_outside_of_rfc_3339_are_not_sealed() {
    let created_at: Moment = "-000001-01-01T00:00:00Z".parse().unwrap();
    assert_eq!(seal(&Draft { created_at, ..draft() }, Signing::None), Err(SealError::Time(created_at)));
}

#[test]
fn the_statement_has_everything_a_bundle_says() {
    let signer = Signer { name: Some("Dev \"One\"".to_owned()), key: key().public() };
    let said = String::from_utf8(statement(&draft(), &signer)).unwrap();
    let opened: serde_json::Value = serde_json::from_slice(&fixture("bundle-1/signed.json")).unwrap();
    let wanted = format!(
        "{{\"checksum\":{},\"created_at\":\"2026-11-16T12:00:00Z\",\"handoff_bundle\":1,\"key\":\"{}\",\"signer\":\"Dev \\\"One\\\"\"}}",
        opened["checksum"],
        key().public().fingerprint()
    );
    assert_eq!(said, wanted);
}

fn text() -> impl Strategy<Value = String> {
    vec(prop_oneof![any::<char>(), (0_u8..0x80).prop_map(char::from)], 0..20).prop_map(String::from_iter)
}

fn id() -> impl Strategy<Value = TaskId> {
    any::<[u8; 8]>().prop_map(TaskId::from_random)
}

prop_compose! {
    fn session()(name in text(), text in text(), body in option::of(text())) -> CarriedSession {
        CarriedSession { name, text, body }
    }
}

prop_compose! {
    fn task()(
        id in id(),
        parent in option::of(id()),
        number in option::of(any::<u32>()),
        text in text(),
        archived in any::<bool>(),
    ) -> CarriedTask {
        CarriedTask { id, parent, number, text, archived }
    }
}

prop_compose! {
    fn any_draft()(
        project in option::of(text()),
        sessions in vec(session(), 0..4),
        tasks in vec(task(), 0..4),
        milliseconds in -62_000_000_000_000_i64..250_000_000_000_000,
    ) -> Draft {
        let created_at = Moment::from_milliseconds(milliseconds).unwrap();
        Draft { content: Content { project, sessions, tasks }, created_at }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn what_is_sealed_opens_to_the_same(draft in any_draft(), signed in any::<bool>()) {
        let key = key();
        let signing = if signed { Signing::Key(&key, Some("Dev".to_owned())) } else { Signing::None };
        let bytes = seal(&draft, signing).unwrap();
        let opened = open(&bytes, &Limits::default()).unwrap();
        prop_assert_eq!(&opened.content, &draft.content);
        prop_assert_eq!(opened.created_at, draft.created_at);
        prop_assert_eq!(matches!(opened.origin, Origin::Signed { .. }), signed);
    }
}
