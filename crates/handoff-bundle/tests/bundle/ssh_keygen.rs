//! With the real `ssh-keygen`, where it is installed: it checks our signatures, and we take its.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use handoff_bundle::{
    Identity, Limits, NAMESPACE, Origin, PublicKey, Recipient, Signer, Signing, SigningKey, To, With, decrypt, encrypt,
    open, seal, statement,
};

use crate::{draft, key, passphrase};

/// Runs it; `None`, said aloud, where it is not installed.
fn ssh_keygen(dir: &Path, arguments: &[&str], input: &[u8]) -> Option<Output> {
    let child = Command::new("ssh-keygen")
        .args(arguments)
        .current_dir(dir)
        .env_remove("SSH_AUTH_SOCK")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        println!("SKIPPED: ssh-keygen is not installed, so nothing was compared with it");
        return None;
    };
    // It may end without reading its input.
    let _ = child.stdin.take().unwrap().write_all(input);
    Some(child.wait_with_output().unwrap())
}

fn made(dir: &Path, arguments: &[&str]) -> Option<()> {
    let output = ssh_keygen(dir, arguments, b"")?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(())
}

#[test]
fn ssh_keygen_verifies_what_we_sign() {
    let dir = tempfile::tempdir().unwrap();
    let signer = Signer { name: Some("Dev One".to_owned()), key: key().public() };
    let bundle = seal(&draft(), Signing::Key(&key(), signer.name.clone())).unwrap();
    let bundle: serde_json::Value = serde_json::from_slice(&bundle).unwrap();
    std::fs::write(dir.path().join("signature"), bundle["signature"]["sshsig"].as_str().unwrap()).unwrap();
    std::fs::write(dir.path().join("allowed"), format!("dev {}\n", signer.key)).unwrap();
    let verify = ["-Y", "verify", "-f", "allowed", "-I", "dev", "-n", NAMESPACE, "-s", "signature"];
    let said = statement(&draft(), &signer);
    let Some(output) = ssh_keygen(dir.path(), &verify, &said) else { return };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = ssh_keygen(dir.path(), &verify, &[&said[..], b" "].concat()).unwrap();
    assert!(!output.status.success(), "another statement must not pass");
}

#[test]
fn what_ssh_keygen_signs_is_sealed_and_opened() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    if made(path, &["-q", "-t", "ed25519", "-N", "", "-C", "dev@one", "-f", "id"]).is_none() {
        return;
    }
    let public = std::fs::read_to_string(path.join("id.pub")).unwrap();
    let (key, comment) = PublicKey::with_comment(&public).unwrap();
    assert_eq!(comment.as_deref(), Some("dev@one"));
    let signer = Signer { name: Some("dev@one".to_owned()), key: key.clone() };
    std::fs::write(path.join("statement"), statement(&draft(), &signer)).unwrap();
    made(path, &["-q", "-Y", "sign", "-n", NAMESPACE, "-f", "id", "statement"]).unwrap();
    let signature = std::fs::read_to_string(path.join("statement.sig")).unwrap();
    let bundle = seal(&draft(), Signing::Made { signature: signature.clone(), signer: signer.clone() }).unwrap();
    let origin = open(&bundle, &Limits::default()).unwrap().origin;
    assert_eq!(origin, Origin::Signed { signer: Some("dev@one".to_owned()), key });
    // The same key in our hands makes the same signature.
    let own = SigningKey::read(&std::fs::read(path.join("id")).unwrap(), None).unwrap();
    assert_eq!(seal(&draft(), Signing::Key(&own, signer.name.clone())).unwrap(), bundle);

    std::fs::remove_file(path.join("statement.sig")).unwrap();
    made(path, &["-q", "-Y", "sign", "-n", "file", "-f", "id", "statement"]).unwrap();
    let signature = std::fs::read_to_string(path.join("statement.sig")).unwrap();
    assert!(seal(&draft(), Signing::Made { signature, signer }).is_err(), "a signature for other things is refused");
}

#[test]
fn keys_that_ssh_keygen_protects_open_with_their_passphrase() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    if made(path, &["-q", "-t", "ed25519", "-N", "a secret", "-C", "", "-f", "id"]).is_none() {
        return;
    }
    let public: PublicKey = std::fs::read_to_string(path.join("id.pub")).unwrap().parse().unwrap();
    let words = passphrase("a secret");
    let text = std::fs::read(path.join("id")).unwrap();
    assert_eq!(SigningKey::read(&text, Some(&words)).unwrap().public(), public);

    let bytes = encrypt(b"{}", To::Recipients(vec![public.to_string().parse().unwrap()])).unwrap();
    let identities = Identity::read(&text, Some(&words)).unwrap();
    assert_eq!(decrypt(&bytes, With::Identities(identities), &Limits::default()).unwrap(), b"{}");
}

#[test]
fn keys_of_ours_are_keys_for_ssh_keygen() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in
        [("plain", key().to_openssh("dev")), ("protected", key().to_openssh_protected("dev", &passphrase("a secret")))]
    {
        let path = dir.path().join(name);
        std::fs::write(&path, text.as_bytes()).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        let Some(output) = ssh_keygen(dir.path(), &["-y", "-P", "a secret", "-f", name], b"") else { return };
        let line = String::from_utf8(output.stdout).unwrap();
        assert_eq!(line.parse(), Ok(key().public()), "{}", String::from_utf8_lossy(&output.stderr));
        let output = ssh_keygen(dir.path(), &["-l", "-f", name], b"").unwrap();
        let listed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(listed.contains(&key().public().fingerprint()), "{listed}");
    }
}

#[test]
fn rsa_keys_decrypt_and_do_not_sign() {
    let dir = tempfile::tempdir().unwrap();
    if made(dir.path(), &["-q", "-t", "rsa", "-b", "2048", "-N", "", "-f", "id"]).is_none() {
        return;
    }
    let public = std::fs::read_to_string(dir.path().join("id.pub")).unwrap();
    let text = std::fs::read(dir.path().join("id")).unwrap();
    assert!(public.parse::<PublicKey>().is_err());
    assert!(SigningKey::read(&text, None).unwrap_err().to_string().contains("ssh-rsa"));
    let bytes = encrypt(b"{}", To::Recipients(vec![public.parse::<Recipient>().unwrap()])).unwrap();
    let identities = Identity::read(&text, None).unwrap();
    assert_eq!(decrypt(&bytes, With::Identities(identities), &Limits::default()).unwrap(), b"{}");
}
