//! Any bytes in place of a bundle that somebody sent.

use handoff_bundle::compat::{self, CompatOrigin, Unsigned};
use handoff_bundle::{
    Draft, Identity, Limits, Opened, Origin, Signing, TrustList, With, decrypt, is_bundle, is_encrypted, open, seal,
};

const IDENTITY: &[u8] = b"AGE-SECRET-KEY-1GQ9778VQXMMJVE8SK7J6VT8UJ4HDQAJUVSFCWCM02D8GEWQ72PVQ2Y5J33";

/// Opens, decrypts and imports them; what is understood can be written again and says the same.
pub fn run(data: &[u8]) {
    let limits = Limits::default();
    if let Ok(Opened { content, created_at, origin }) = open(data, &limits) {
        assert!(is_bundle(data) && is_encrypted(data).is_none());
        let draft = Draft { content, created_at };
        let sealed = seal(&draft, Signing::None).expect("what was opened can be sealed");
        assert_eq!(sealed == data, origin == Origin::Unsigned);
        let again = open(&sealed, &limits).expect("what was sealed can be opened");
        assert_eq!((again.content, again.created_at), (draft.content, draft.created_at));
    }
    if let Ok(opened) = compat::read(data, Unsigned::Allow, &limits) {
        let written = compat::write(&opened.record, None).expect("what was read can be written");
        let again = compat::read(&written, Unsigned::Allow, &limits).expect("what was written can be read");
        assert_eq!((again.record, again.origin), (opened.record, CompatOrigin::Unsigned));
    }
    let identities = Identity::read(IDENTITY, None).expect("it is a key");
    let _ = decrypt(data, With::Identities(identities), &limits);
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = TrustList::read(text);
        let _ = Identity::read(data, None);
    }
}
