//! Signing a bundle: with a private key in a file, or through `ssh-keygen` with one that an agent or hardware has.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use handoff_bundle::{Draft, KeyError, NAMESPACE, PublicKey, Signer, Signing, SigningKey, statement};

use crate::import::read_small;
use crate::{OpError, Project, passphrase};

/// What a bundle is signed with.
pub(super) enum Signed {
    Key(Box<SigningKey>),
    /// The private half is with an agent or in hardware
    Agent {
        key: PublicKey,
        path: PathBuf,
    },
}

impl Signed {
    /// Reads the key that the user named.
    pub(super) fn with(project: &mut Project, path: &Path) -> Result<Signed, OpError> {
        let shown = format!("`{}`", project.shown(path));
        let path = project.place.cwd.join(path);
        let bytes = read_small(&path, &shown)?;
        if let Ok(key) = String::from_utf8_lossy(&bytes).trim().parse::<PublicKey>() {
            return Ok(Signed::Agent { key, path });
        }
        let key = match SigningKey::read(&bytes, None) {
            Err(KeyError::NeedsPassphrase) => {
                let passphrase = passphrase::of_key(project, &shown)?;
                SigningKey::read(&bytes, Some(&passphrase))
            }
            key => key,
        };
        key.map(|key| Signed::Key(Box::new(key)))
            .map_err(|error| OpError::usage(format!("cannot sign with {shown}")).caused_by(error))
    }
}

/// Longer than anybody needs to touch a key.
const PATIENCE: Duration = Duration::from_mins(2);

/// Has `ssh-keygen` sign what is to be signed. Only the path of the public key is on its command line.
pub(super) fn through_ssh(
    project: &Project,
    draft: &Draft,
    key: PublicKey,
    name: Option<String>,
    path: &Path,
) -> Result<Signing<'static>, OpError> {
    let signer = Signer { name, key };
    let failed = || OpError::failure("`ssh-keygen` did not sign the bundle");
    let mut command = Command::new("ssh-keygen");
    command.args(["-Y", "sign", "-n", NAMESPACE, "-f"]).arg(path);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| failed().caused_by(error))?;
    let asked = std::time::Instant::now();
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    let bytes = statement(draft, &signer);
    let feeder = std::thread::spawn(move || stdin.write_all(&bytes));
    let patience = project.patient(PATIENCE);
    while child.try_wait().map_err(|error| failed().caused_by(error))?.is_none() {
        if asked.elapsed() > patience {
            let _ = child.kill();
            let _ = child.wait();
            return Err(failed().detail("it took too long"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().map_err(|error| failed().caused_by(error))?;
    let _ = feeder.join();
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(failed().details(said.lines().take(5)));
    }
    let signature = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(Signing::Made { signature, signer })
}
