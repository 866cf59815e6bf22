//! The encrypted envelope with the salt and nonce of one that session-handoff made.

use super::envelope::encrypt_with;
use crate::Passphrase;

#[test]
fn the_same_salt_and_nonce_give_the_same_envelope() {
    use base64ct::{Base64, Encoding as _};
    let [bundle, envelope] = [
        include_bytes!("../../../../fixtures/session-handoff/bundle-v3.json").as_slice(),
        include_bytes!("../../../../fixtures/session-handoff/bundle-v3-encrypted.json").as_slice(),
    ];
    let said: serde_json::Value = serde_json::from_slice(envelope).unwrap();
    let [salt, nonce] = ["salt", "nonce"].map(|key| Base64::decode_vec(said[key].as_str().unwrap()).unwrap());
    let passphrase = Passphrase::new("correct horse battery staple".to_owned()).unwrap();
    let written = encrypt_with(bundle, &passphrase, &salt, &nonce);
    assert_eq!(String::from_utf8(written).unwrap(), String::from_utf8(envelope.to_vec()).unwrap());
}
