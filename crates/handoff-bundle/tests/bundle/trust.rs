//! The list of signers.

use handoff_bundle::{Level, NotAdded, PublicKey, SigningKey, Trust, TrustEntry, TrustList};

use crate::key;

fn entry(name: &str, key: &PublicKey, level: Level) -> TrustEntry {
    let added_at = Some("2026-11-16T12:00:00Z".parse().unwrap());
    TrustEntry { name: name.to_owned(), key: key.clone(), level, added_at }
}

#[test]
fn a_verdict_is_about_the_key_whatever_the_signer_calls_itself() {
    let (alice, mallory) = (key().public(), SigningKey::generate().public());
    let mut list = TrustList::default();
    list.add(entry("alice", &alice, Level::Trusted)).unwrap();
    let list = TrustList::read(list.text()).unwrap();
    assert_eq!(list.verdict(&alice, Some("bob")), Trust::Trusted { name: "alice".to_owned() });
    assert_eq!(list.verdict(&mallory, Some("alice")), Trust::Unknown);
    assert_eq!(list.namesake(&mallory, Some("Alice")).unwrap().key, alice);
    assert_eq!(list.namesake(&alice, Some("alice")), None);
    assert_eq!(list.namesake(&mallory, None), None);
}

#[test]
fn a_level_is_changed_in_place_and_a_revoked_key_stays_revoked() {
    let alice = key().public();
    let mut list = TrustList::default();
    list.add(entry("alice", &alice, Level::Known)).unwrap();
    assert_eq!(list.verdict(&alice, None), Trust::Known { name: "alice".to_owned() });
    list.add(entry("alice", &alice, Level::Revoked)).unwrap();
    assert_eq!(list.verdict(&alice, None), Trust::Revoked { name: "alice".to_owned() });
    assert_eq!(list.entries().len(), 1);
    let twice = format!("{}\n[[signer]]\nname = \"again\"\nkey = \"{alice}\"\nlevel = \"trusted\"\n", list.text());
    assert_eq!(TrustList::read(&twice).unwrap().verdict(&alice, None), Trust::Revoked { name: "alice".to_owned() });
}

#[test]
fn a_name_has_one_key_and_a_key_one_name() {
    let (alice, other) = (key().public(), SigningKey::generate().public());
    let mut list = TrustList::default();
    list.add(entry("alice", &alice, Level::Trusted)).unwrap();
    let fingerprint = alice.fingerprint();
    assert_eq!(
        list.add(entry("Alice", &other, Level::Trusted)),
        Err(NotAdded::NameTaken { name: "alice".to_owned(), fingerprint })
    );
    assert_eq!(list.add(entry("bob", &alice, Level::Known)), Err(NotAdded::KeyTaken { name: "alice".to_owned() }));
    assert!(matches!(list.add(entry("a\nb", &other, Level::Known)), Err(NotAdded::Name(_))));
}

#[test]
fn comments_and_unknown_keys_of_the_file_stay() {
    let (alice, bob) = (key().public(), SigningKey::generate().public());
    let text = format!(
        "# whom we believe\n[[signer]]\nname = \"alice\" # met in person\nkey = \"{alice} a@b\"\nlevel = \"trusted\"\nphone = 7\n\n[other]\nx = 1\n"
    );
    let mut list = TrustList::read(&text).unwrap();
    list.add(entry("bob", &bob, Level::Known)).unwrap();
    for kept in ["# whom we believe", "# met in person", "phone = 7", "[other]", "x = 1", " a@b\""] {
        assert!(list.text().contains(kept), "{kept} in {}", list.text());
    }
    assert_eq!(list.remove("bob").unwrap().len(), 1);
    assert_eq!(list.text().trim_end(), text.trim_end());
    assert_eq!(list.remove("bob").unwrap(), []);
    assert_eq!(list.remove(&alice.fingerprint()).unwrap().len(), 1);
    assert!(list.entries().is_empty() && list.text().contains("[other]"), "{}", list.text());
}

#[test]
fn a_damaged_list_is_refused_with_the_line() {
    let bad = "[[signer]]\nname = \"alice\"\nkey = \"ssh-rsa AAAA\"\nlevel = \"trusted\"\n";
    let error = TrustList::read(bad).unwrap_err();
    assert!(error.reason.contains("ssh-rsa"), "{error:?}");
    assert!(TrustList::read("[[signer]]\nname = \"x\"\nlevel = \"best\"\n").is_err());
    assert!(TrustList::read("").unwrap().entries().is_empty());
}
