//! Keys in the forms that other programs write them.

use handoff_bundle::{Identity, IdentityError, KeyError, NotAKey, NotARecipient, PublicKey, Recipient, SigningKey};

use crate::{fixture, key, passphrase};

const LINE: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPMvvyIzImKn+XGna7PiXl8yy1JZLbsyX9uFpoOXKCZv";

fn pem(name: &str) -> String {
    String::from_utf8(fixture(&format!("session-handoff/{name}"))).unwrap()
}

#[test]
fn a_public_key_is_the_same_in_every_form() {
    let key = key().public();
    assert_eq!(key.to_string(), LINE);
    assert_eq!(pem("signing-key.pub.pem").parse(), Ok(key.clone()));
    assert_eq!(pem("signing-key.pub.pem").replace('\n', "\r\n").parse(), Ok(key.clone()));
    let (read, comment) = PublicKey::with_comment(&format!("{LINE} dev@one two\n")).unwrap();
    assert_eq!((read, comment.as_deref()), (key.clone(), Some("dev@one two")));
    assert_eq!(key.key_id(), "edfa5d0cfcc9ef10");
    assert!(key.fingerprint().starts_with("SHA256:") && key.fingerprint().len() == 50);
}

#[test]
fn what_is_no_public_key_says_what_it_is() {
    assert_eq!(pem("signing-key.pem").parse::<PublicKey>(), Err(NotAKey::Private));
    assert_eq!("ssh-rsa AAAA".parse::<PublicKey>(), Err(NotAKey::OtherType("ssh-rsa".to_owned())));
    for text in ["", "ssh-ed25519", "ssh-ed25519 AAAA", "hello there", "ssh-ed25519 !!!!", &format!("{LINE}\n{LINE}")] {
        assert!(matches!(text.parse::<PublicKey>(), Err(NotAKey::Unreadable(_))), "{text}");
    }
    assert_eq!(PublicKey::from_raw([0; 32]), Err(NotAKey::Weak));
}

#[test]
fn a_key_file_that_is_written_reads_back() {
    let key = SigningKey::generate();
    let text = key.to_openssh("dev@one");
    assert!(text.starts_with("-----BEGIN OPENSSH PRIVATE KEY-----\n"));
    assert_eq!(SigningKey::read(text.as_bytes(), None).unwrap().public(), key.public());
    let crlf = text.replace('\n', "\r\n");
    assert_eq!(SigningKey::read(crlf.as_bytes(), None).unwrap().public(), key.public());
    assert_ne!(SigningKey::generate().public(), key.public());
}

#[test]
fn a_protected_key_wants_its_passphrase() {
    let text = key().to_openssh_protected("dev", &passphrase("secret"));
    assert_eq!(SigningKey::read(text.as_bytes(), None).unwrap_err(), KeyError::NeedsPassphrase);
    assert_eq!(SigningKey::read(text.as_bytes(), Some(&passphrase("no"))).unwrap_err(), KeyError::WrongPassphrase);
    assert_eq!(SigningKey::read(text.as_bytes(), Some(&passphrase("secret"))).unwrap().public(), key().public());
    let needed = Identity::read(text.as_bytes(), None).unwrap_err();
    assert_eq!(needed, IdentityError::Key(KeyError::NeedsPassphrase));
    assert_eq!(Identity::read(text.as_bytes(), Some(&passphrase("secret"))).unwrap().len(), 1);
}

#[test]
fn what_is_no_private_key_says_what_it_is() {
    let read = |text: &str| SigningKey::read(text.as_bytes(), None).unwrap_err();
    assert_eq!(read(&pem("signing-key.pub.pem")), KeyError::Public);
    assert_eq!(read(LINE), KeyError::Public);
    assert_eq!(
        read("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----"),
        KeyError::EncryptedPkcs8
    );
    assert_eq!(
        read("-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----"),
        KeyError::OtherType("rsa".to_owned())
    );
    for text in [
        "",
        "hello",
        "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        "-----BEGIN OPENSSH PRIVATE KEY-----",
    ] {
        assert_eq!(read(text), KeyError::Unreadable, "{text}");
    }
    assert_eq!(SigningKey::read(b"\xff", None).unwrap_err(), KeyError::Unreadable);
}

#[test]
fn a_key_of_another_kind_in_pkcs8_is_named() {
    // A P-256 key as OpenSSL writes it.
    let other = "-----BEGIN PRIVATE KEY-----\n\
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgevZzL1gdAFr88hb2\n\
        OF/2NxApJCzGCEDdfSp6VQO30hyhRANCAAQRWz+jn65BtOMvdyHKcvjBeBSDZH2r\n\
        1RTwjmYSi9R/zpBnuQ4EiMnCqfMPWiZqB4QdbAd0E7oH50VpuZ1P087G\n\
        -----END PRIVATE KEY-----\n";
    assert!(matches!(SigningKey::read(other.as_bytes(), None).unwrap_err(), KeyError::OtherType(_)));
}

#[test]
fn recipients_are_keys_of_age_and_of_ssh() {
    for text in [LINE, "age1t7rxyev2z3rw82stdlrrepyc39nvn86l5078zqkf5uasdy86jp6svpy7pa", &format!("{LINE} dev@one")] {
        assert_eq!(text.parse::<Recipient>().unwrap().to_string(), text);
    }
    let private = "AGE-SECRET-KEY-1GQ9778VQXMMJVE8SK7J6VT8UJ4HDQAJUVSFCWCM02D8GEWQ72PVQ2Y5J33";
    assert_eq!(private.parse::<Recipient>().unwrap_err(), NotARecipient::Private);
    for text in ["", "age1", "age1pq1qqq", "age1t7rxyev2z3rw82stdlrrepyc39nvn86l5078zqkf5uasdy86jp6svpy7pb", "bob"] {
        assert!(matches!(text.parse::<Recipient>(), Err(NotARecipient::Unreadable(_))), "{text}");
    }
    let file = format!("# created: today\n# public key: age1…\n\n{private}\n");
    assert_eq!(Identity::read(file.as_bytes(), None).unwrap().len(), 1);
    assert_eq!(Identity::read(b"# nothing\n", None).unwrap_err(), IdentityError::None);
    assert_eq!(Identity::read(format!("{file}bob\n").as_bytes(), None).unwrap_err(), IdentityError::Line { line: 5 });
}
