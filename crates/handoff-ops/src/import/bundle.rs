//! Opening a bundle: decrypting it, checking it, and asking whether its signer is believed.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use handoff_bundle::compat::{self, CompatError, CompatOrigin, CompatRecord, Unsigned};
use handoff_bundle::{
    DecryptError, Encryption, Identity, IdentityError, KeyError, Limits, OpenError, Origin, PublicKey, Trust,
    TrustEntry, TrustList, With, check_signer, decrypt, is_encrypted, open,
};
use handoff_import::{Taken, session_handoff};
use serde_json::json;

use super::report::SignerView;
use super::{Import, Incoming};
use crate::passphrase::{self, Asking};
use crate::trust::{self, AddSigner, NewSigner};
use crate::{Hint, OpError, Project};

impl Import {
    pub(super) fn open_bundle(&self, project: &mut Project, input: &Path) -> Result<Incoming, OpError> {
        let limits = Limits::default();
        let shown = if input == Path::new("-") { "standard input".to_owned() } else { project.shown(input) };
        // Encryption and its armor make a bundle larger by about half.
        let most = limits.bytes.saturating_mul(2);
        let mut bytes = read_input(project, input, &shown, most)?;
        if let Some(encryption) = is_encrypted(&bytes) {
            bytes = self.decrypted(project, &bytes, encryption, &limits)?;
        }
        let source = format!("bundle {shown}");
        if compat::is_bundle(&bytes) {
            return self.open_compat(project, &bytes, source, &limits);
        }
        let opened = open(&bytes, &limits).map_err(|error| not_opened(&shown, error))?;
        let mut incoming = Incoming::of_content(source, opened.content);
        self.judge(
            project,
            &mut incoming,
            match opened.origin {
                Origin::Unsigned => None,
                Origin::Signed { signer, key } => Some((key, signer)),
            },
        )?;
        Ok(incoming)
    }

    /// One record of session-handoff.
    fn open_compat(
        &self,
        project: &Project,
        bytes: &[u8],
        source: String,
        limits: &Limits,
    ) -> Result<Incoming, OpError> {
        let unsigned = if self.allow_unsigned || self.dry_run { Unsigned::Allow } else { Unsigned::Refuse };
        let opened = compat::read(bytes, unsigned, limits).map_err(|error| match error {
            CompatError::Unsigned { .. } => OpError::refused(error.to_string()).hint(allow_unsigned()),
            error => OpError::damaged("this bundle of session-handoff is refused").caused_by(error),
        })?;
        let CompatRecord { id, created_at, tool, project: path, title, summary, next, changed } = opened.record;
        let record = json!({
            "id": id, "created_at": created_at, "tool": tool, "project": path, "title": title, "summary": summary,
            "next": next, "changed": changed,
        });
        let mut taken = Taken::default();
        let record = record.as_object().expect("it was just made as one");
        session_handoff::record(record, &id, project.now(), &mut taken);
        let mut incoming = Incoming::of(source, taken);
        match opened.origin {
            CompatOrigin::Signed { key, unsigned_name } => {
                self.judge(project, &mut incoming, Some((key, unsigned_name)))?;
            }
            CompatOrigin::Unchecked | CompatOrigin::Unsigned => self.judge(project, &mut incoming, None)?,
        }
        if incoming.signer.as_ref().is_some_and(|signer| signer.says.is_some()) {
            incoming.warnings.push("session-handoff does not sign the signer's name: only the key counts".to_owned());
        }
        Ok(incoming)
    }

    fn decrypted(
        &self,
        project: &mut Project,
        bytes: &[u8],
        encryption: Encryption,
        limits: &Limits,
    ) -> Result<Vec<u8>, OpError> {
        let plain = if encryption == Encryption::Age && !self.identities.is_empty() {
            let mut identities = Vec::new();
            for path in &self.identities {
                identities.extend(read_identity(project, path)?);
            }
            decrypt(bytes, With::Identities(identities), limits)
        } else if encryption == Encryption::Age
            && matches!(decrypt(bytes, With::Identities(Vec::new()), limits), Err(DecryptError::NoMatch))
        {
            Err(DecryptError::NeedsIdentity)
        } else {
            let passphrase = self.passphrase.take(project, Asking::Once)?;
            decrypt(bytes, With::Passphrase(&passphrase), limits)
        };
        plain.map_err(|error| {
            let refused = match error {
                DecryptError::NeedsIdentity | DecryptError::NoMatch => {
                    OpError::refused(error.to_string()).hint(Hint::say("name a private key with `--identity FILE`"))
                }
                DecryptError::NeedsPassphrase | DecryptError::WrongPassphrase | DecryptError::WorkFactor { .. } => {
                    OpError::refused(error.to_string())
                }
                _ => OpError::damaged("the bundle cannot be decrypted"),
            };
            refused.caused_by(error)
        })
    }

    /// Asks the list of signers, and refuses what is neither signed by somebody on it nor allowed in so many words. A dry
    /// run goes on, so that one can look before one believes, and tells it.
    fn judge(
        &self,
        project: &Project,
        incoming: &mut Incoming,
        signed: Option<(PublicKey, Option<String>)>,
    ) -> Result<(), OpError> {
        let Some((key, says)) = signed else {
            if !self.allow_unsigned {
                let refused = OpError::refused("the bundle is not signed, so anybody can have written it");
                self.refuse(incoming, refused.hint(allow_unsigned()), "`--allow-unsigned`")?;
            }
            let verdict = "unsigned".to_owned();
            incoming.signer = Some(SignerView { verdict, name: None, says: None, fingerprint: None });
            return Ok(());
        };
        let (_, list) = trust::read(project)?;
        let fingerprint = key.fingerprint();
        let (verdict, name) = match list.verdict(&key, says.as_deref()) {
            Trust::Trusted { name } => ("trusted", Some(name)),
            Trust::Known { name } => ("known", Some(name)),
            Trust::Revoked { name } => {
                let message = format!("the bundle is signed with the key of `{name}`, which is revoked: {fingerprint}");
                return Err(OpError::refused(message));
            }
            Trust::Unknown => {
                self.meet(incoming, &list, &key, says.as_deref())?;
                ("unknown", None)
            }
        };
        if let Some(namesake) = list.namesake(&key, says.as_deref()).filter(|_| name.is_some()) {
            incoming.warnings.push(format!(
                "the signer goes by `{}`, who has another key in your list: somebody may be posing",
                namesake.name
            ));
        }
        let verdict = verdict.to_owned();
        incoming.signer = Some(SignerView { verdict, name, says, fingerprint: Some(fingerprint) });
        Ok(())
    }

    /// A signer whose key is not in the list: refused, or remembered if that is wanted.
    fn meet(
        &self,
        incoming: &mut Incoming,
        list: &TrustList,
        key: &PublicKey,
        says: Option<&str>,
    ) -> Result<(), OpError> {
        let fingerprint = key.fingerprint();
        if let Some(TrustEntry { name, key, .. }) = list.namesake(key, says) {
            let known = key.fingerprint();
            let message = format!(
                "the bundle is signed with the key {fingerprint} under the name `{name}`, and `{name}` is known with \
                 another key {known}; somebody may be posing"
            );
            let ask = Hint::say("ask them in another way whether this key is theirs");
            return self.refuse(incoming, OpError::refused(message).hint(ask), "that name given up");
        }
        if let Some(error) = says.and_then(|name| check_signer(name).err()) {
            let message =
                format!("the signer of the bundle is unknown: {fingerprint}; {error}, so somebody may be posing");
            return self.refuse(incoming, OpError::refused(message), "another name");
        }
        if self.trust_on_first_use {
            let name = says.map_or_else(|| fingerprint.clone(), str::to_owned);
            incoming.new_signer = Some(NewSigner { name, key: key.clone() });
            return Ok(());
        }
        let who = says.map(|name| format!(", who goes by `{name}`")).unwrap_or_default();
        let refused = OpError::refused(format!("the signer of the bundle is unknown: {fingerprint}{who}"))
            .hint(Hint::run_with::<AddSigner>(json!({"name": says.unwrap_or("NAME"), "key": key.to_string()})))
            .hint(Hint::say("or import with `--trust-on-first-use`, which remembers the key as known"));
        self.refuse(incoming, refused, "`handoff trust add` or `--trust-on-first-use`")
    }

    fn refuse(&self, incoming: &mut Incoming, error: OpError, without: &str) -> Result<(), OpError> {
        if !self.dry_run {
            return Err(error);
        }
        incoming.warnings.push(format!("without {without} the import is refused: {}", error.sentence()));
        Ok(())
    }
}

fn allow_unsigned() -> Hint {
    Hint::say("if you know where it comes from, import with `--allow-unsigned`")
}

fn not_opened(shown: &str, error: OpenError) -> OpError {
    match error {
        OpenError::OtherVersion { .. } => OpError::refused(error.to_string()),
        error => OpError::damaged(format!("the bundle in {shown} is refused")).caused_by(error),
    }
}

fn read_identity(project: &mut Project, path: &Path) -> Result<Vec<Identity>, OpError> {
    let shown = format!("`{}`", project.shown(path));
    let bytes = read_small(&project.place.cwd.join(path), &shown)?;
    let read = match Identity::read(&bytes, None) {
        Err(IdentityError::Key(KeyError::NeedsPassphrase)) => {
            let passphrase = passphrase::of_key(project, &shown)?;
            Identity::read(&bytes, Some(&passphrase))
        }
        read => read,
    };
    read.map_err(|error| OpError::usage(format!("{shown} holds no key to decrypt with")).caused_by(error))
}

/// A small file that the user named.
pub(crate) fn read_small(path: &Path, shown: &str) -> Result<Vec<u8>, OpError> {
    bounded(path, 1 << 20).map_err(|error| unread(shown, error))
}

fn read_input(project: &mut Project, input: &Path, shown: &str, most: usize) -> Result<Vec<u8>, OpError> {
    if input != Path::new("-") {
        return bounded(&project.place.cwd.join(input), most).map_err(|error| unread(shown, error));
    }
    let mut bytes = Vec::new();
    if let Some(input) = &mut project.desk.input {
        input.take(most as u64 + 1).read_to_end(&mut bytes).map_err(|error| unread(shown, error))?;
    }
    if bytes.len() > most { Err(unread(shown, too_large(most))) } else { Ok(bytes) }
}

/// Reads what the user named: a file, or a pipe of a shell.
fn bounded(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let metadata = std::fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
    }
    if metadata.len() > most as u64 {
        return Err(too_large(most));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most { Err(too_large(most)) } else { Ok(bytes) }
}

fn too_large(most: usize) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {most} bytes"))
}

fn unread(shown: &str, error: io::Error) -> OpError {
    match error.kind() {
        io::ErrorKind::NotFound => OpError::not_found(format!("there is no {shown}")),
        io::ErrorKind::FileTooLarge => OpError::refused(format!("{shown} is too large")).caused_by(error),
        _ => OpError::failure(format!("cannot read {shown}")).caused_by(error),
    }
}
