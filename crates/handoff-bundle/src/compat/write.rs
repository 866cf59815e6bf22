//! Writing a bundle that session-handoff takes, to the byte as it would write it.

use base64ct::{Base64, Encoding as _};
use ed25519_dalek::Signer as _;

use super::record::go_string;
use super::{CompatRecord, RecordFlaw};
use crate::SigningKey;

/// Why a record does not become a bundle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    #[error("session-handoff would not take this record")]
    Record(#[source] RecordFlaw),
}

/// The bundle of a record: of version 3 with a key and perhaps a name for its owner, else of version 2.
pub fn write(record: &CompatRecord, signing: Option<(&SigningKey, Option<&str>)>) -> Result<Vec<u8>, WriteError> {
    record.check().map_err(WriteError::Record)?;
    let checksum = record.checksum();
    let mut bytes = Vec::new();
    let version = if signing.is_some() { 3 } else { 2 };
    bytes.extend_from_slice(format!("{{\n  \"version\": {version},\n  \"checksum\": \"{checksum}\",\n").as_bytes());
    bytes.extend_from_slice(b"  \"record\": ");
    record.print_pretty(&mut bytes);
    if let Some((key, name)) = signing {
        let public = key.public();
        bytes.extend_from_slice(b",\n  \"signer\": {\n");
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            bytes.extend_from_slice(b"    \"name\": ");
            go_string(&mut bytes, name);
            bytes.extend_from_slice(b",\n");
        }
        let signature = key.dalek().sign(checksum.as_bytes()).to_bytes();
        let lines = [
            format!("    \"key_id\": \"{}\",\n", public.key_id()),
            format!("    \"public_key\": \"{}\"\n  }},\n", Base64::encode_string(public.raw())),
            format!("  \"signature\": \"{}\"", Base64::encode_string(&signature)),
        ];
        bytes.extend_from_slice(lines.concat().as_bytes());
    }
    bytes.extend_from_slice(b"\n}\n");
    Ok(bytes)
}
