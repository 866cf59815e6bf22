//! Signatures in the format of `ssh-keygen -Y sign`, over statements of ours alone.
//!
//! **Invariant:** of one signature there is one text. Whatever else would verify (other wrapping, bits that base64
//! ignores, reserved fields) is refused.

use ed25519_dalek::{Signature, Signer as _, VerifyingKey};
use sha2::{Digest, Sha256};
use ssh_key::public::KeyData;
use ssh_key::{Algorithm, HashAlg, LineEnding, SshSig};

use crate::{PublicKey, SigningKey};

/// The namespace of signatures under bundles: `ssh-keygen -Y sign -n handoff-bundle@v1`.
pub const NAMESPACE: &str = "handoff-bundle@v1";

/// What is wrong with a signature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureFlaw {
    #[error("it cannot be read as an SSH signature")]
    Unreadable,
    #[error("it is not written as `ssh-keygen` writes it")]
    OtherForm,
    #[error("it is made with a key that is neither ed25519 nor sk-ed25519")]
    OtherKey,
    #[error("it is made for `{0}`, not for `{NAMESPACE}`")]
    OtherNamespace(String),
    #[error("it is made with `{made_with}`, but the key is said to be `{said}`")]
    OtherSigner { made_with: String, said: String },
    #[error("it does not fit what it is said to sign")]
    Wrong,
}

/// Signs a statement; the armored signature.
pub(crate) fn sign(key: &SigningKey, statement: &[u8]) -> String {
    let data = SshSig::signed_data(NAMESPACE, HashAlg::Sha512, statement).expect("the namespace is not empty");
    let signature = key.dalek().sign(&data).to_bytes();
    ssh_key::Signature::new(Algorithm::Ed25519, signature)
        .and_then(|signature| {
            SshSig::new(key.public().key_data().clone(), NAMESPACE, HashAlg::Sha512, signature)?.to_pem(LineEnding::LF)
        })
        .expect("an ed25519 signature has its fixed length")
}

/// The key that an armored signature is made with over a statement.
pub(crate) fn verify(armored: &str, statement: &[u8]) -> Result<PublicKey, SignatureFlaw> {
    let signature = read(armored)?;
    if signature.to_pem(LineEnding::LF).ok().as_deref() != Some(armored) {
        return Err(SignatureFlaw::OtherForm);
    }
    check(&signature, statement)
}

/// The same for one that another program made, whose wrapping and line ends may differ; also its text as we write it.
pub(crate) fn adopt(armored: &str, statement: &[u8]) -> Result<(PublicKey, String), SignatureFlaw> {
    let signature = read(armored.trim())?;
    let text = signature.to_pem(LineEnding::LF).map_err(|_| SignatureFlaw::Unreadable)?;
    Ok((check(&signature, statement)?, text))
}

fn read(armored: &str) -> Result<SshSig, SignatureFlaw> {
    SshSig::from_pem(armored).map_err(|_| SignatureFlaw::Unreadable)
}

fn check(signature: &SshSig, statement: &[u8]) -> Result<PublicKey, SignatureFlaw> {
    if signature.namespace() != NAMESPACE {
        return Err(SignatureFlaw::OtherNamespace(handoff_model::id::shorten(signature.namespace())));
    }
    if signature.version() != SshSig::VERSION || !signature.reserved().is_empty() {
        return Err(SignatureFlaw::OtherForm);
    }
    let data = SshSig::signed_data(NAMESPACE, signature.hash_alg(), statement).map_err(|_| SignatureFlaw::Wrong)?;
    let bytes = signature.signature_bytes();
    let (raw_key, signed, raw_signature) = match (signature.public_key(), signature.algorithm()) {
        (KeyData::Ed25519(key), Algorithm::Ed25519) => (&key.0, data, bytes),
        (KeyData::SkEd25519(key), Algorithm::SkEd25519) => {
            let (raw, pressed) = bytes.split_at_checked(Signature::BYTE_SIZE).ok_or(SignatureFlaw::Unreadable)?;
            (&key.public_key().0, hardware_data(key.application(), pressed, &data), raw)
        }
        _ => return Err(SignatureFlaw::OtherKey),
    };
    let key = PublicKey::new(signature.public_key().clone()).map_err(|_| SignatureFlaw::OtherKey)?;
    let raw_signature = Signature::from_slice(raw_signature).map_err(|_| SignatureFlaw::Unreadable)?;
    let verifying = VerifyingKey::from_bytes(raw_key).map_err(|_| SignatureFlaw::OtherKey)?;
    // Strict, because otherwise several signatures would pass for one statement.
    verifying.verify_strict(&signed, &raw_signature).map_err(|_| SignatureFlaw::Wrong)?;
    Ok(key)
}

/// What a hardware key signs: hashes around its flags and counter, as OpenSSH's PROTOCOL.u2f has it.
fn hardware_data(application: &str, flags_and_counter: &[u8], data: &[u8]) -> Vec<u8> {
    [&Sha256::digest(application)[..], flags_and_counter, &Sha256::digest(data)[..]].concat()
}
