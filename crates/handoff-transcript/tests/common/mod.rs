//! What tests of several readers share.
#![allow(dead_code, clippy::unwrap_used, reason = "each test uses some of it, and fails where it must")]

use std::path::{Path, PathBuf};

use handoff_model::agent::{Digest, Host};
use handoff_transcript::{Source, Transcript, read};

pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/transcripts").join(name)
}

pub(crate) fn transcript(host: Host, name: &str) -> Transcript {
    read(&Source { host, path: fixture(name), session: None }).unwrap()
}

/// Reads a text as if it were a file.
pub(crate) fn read_text(host: Host, text: &str) -> Transcript {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    put(&path, text);
    read(&Source { host, path, session: None }).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "a test writes as an agent would")]
pub(crate) fn put(path: &Path, text: impl AsRef<[u8]>) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

pub(crate) fn prompts(digest: &Digest) -> Vec<&str> {
    digest.prompts.iter().map(|prompt| prompt.text.as_str()).collect()
}

/// Each command with its exit code and the end of its output.
pub(crate) fn commands(digest: &Digest) -> Vec<(&str, Option<i32>, Option<&str>)> {
    digest.commands.iter().map(|ran| (ran.command.as_str(), ran.exit, ran.tail.as_deref())).collect()
}
