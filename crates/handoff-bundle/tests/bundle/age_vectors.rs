//! The published test vectors of the age format, each decrypted as it says it should be.

use std::io::Read as _;
use std::path::Path;

use handoff_bundle::{Armor, DecryptError, Identity, Limits, Passphrase, With, decrypt};
use sha2::{Digest as _, Sha256};

struct Vector {
    name: String,
    expect: String,
    payload: Option<String>,
    identities: String,
    passphrase: Option<String>,
    armored: bool,
    file: Vec<u8>,
}

fn read(path: &Path) -> Vector {
    let bytes = std::fs::read(path).unwrap();
    let end = bytes.windows(2).position(|pair| pair == b"\n\n").unwrap();
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let said = |key: &str| head.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
    let every = |key: &str| -> Vec<&str> {
        head.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix(": ")).collect()
    };
    let mut file = bytes[end + 2..].to_vec();
    match said("compressed") {
        None => {}
        Some("zlib") => {
            let mut plain = Vec::new();
            flate2::read::ZlibDecoder::new(file.as_slice()).read_to_end(&mut plain).unwrap();
            file = plain;
        }
        Some(other) => panic!("compressed with {other}"),
    }
    Vector {
        name: path.file_name().unwrap().to_string_lossy().into_owned(),
        expect: said("expect").unwrap().to_owned(),
        payload: said("payload").map(str::to_owned),
        identities: every("identity").join("\n"),
        passphrase: every("passphrase").last().map(|&text| text.to_owned()),
        armored: said("armored") == Some("yes"),
        file,
    }
}

/// What the vectors call the way a file was refused.
fn outcome(vector: &Vector, limits: &Limits) -> Result<Vec<u8>, DecryptError> {
    let identities = || match vector.identities.as_str() {
        "" => Vec::new(),
        text => Identity::read(text.as_bytes(), None).unwrap(),
    };
    match &vector.passphrase {
        Some(text) if vector.identities.is_empty() => {
            decrypt(&vector.file, With::Passphrase(&Passphrase::new(text.clone()).unwrap()), limits)
        }
        _ => decrypt(&vector.file, With::Identities(identities()), limits),
    }
}

fn is_expected(vector: &Vector, outcome: &Result<Vec<u8>, DecryptError>) -> bool {
    use DecryptError as E;
    match (vector.expect.as_str(), outcome) {
        ("success", Ok(plain)) => {
            let digest = Sha256::digest(plain).iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
            vector.payload.as_ref() == Some(&digest)
        }
        ("no match", Err(error)) => {
            matches!(error, E::NoMatch | E::WrongPassphrase | E::NeedsIdentity | E::NeedsPassphrase)
        }
        ("HMAC failure", Err(error)) => *error == E::HeaderChanged,
        ("payload failure", Err(error)) => *error == E::Payload,
        ("armor failure", Err(error)) => {
            // One that does not even begin like armor is not taken for encrypted.
            vector.armored && matches!(error, E::Armor(_) | E::ArmorForm | E::NotEncrypted)
        }
        ("header failure", Err(error)) => {
            matches!(error, E::Header | E::WorkFactor { .. } | E::NotEncrypted)
        }
        _ => false,
    }
}

#[test]
fn all_143_vectors_end_as_they_say() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/age");
    let mut paths: Vec<_> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert_eq!(paths.len(), 143);
    let exact = Limits::default();
    let tolerant = Limits { armor: Armor::Tolerant, ..exact };
    let mut wrong = Vec::new();
    let mut only_tolerated = Vec::new();
    for vector in paths.iter().map(|path| read(path)) {
        let found = outcome(&vector, &tolerant);
        if !is_expected(&vector, &found) {
            let found = found.as_ref().map(Vec::len);
            wrong.push(format!("{}: expected {}, found {found:?}", vector.name, vector.expect));
        }
        if vector.armored && found.is_ok() && outcome(&vector, &exact).is_err() {
            only_tolerated.push(vector.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Where a bundle is opened, armor must be to the byte as it was written.
    assert_eq!(only_tolerated, ["armor_crlf", "armor_no_eol", "armor_whitespace_outside"]);
}
