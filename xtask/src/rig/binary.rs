//! The binary under test.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Builds `handoff` in release mode and says where it is.
pub(crate) fn release_binary() -> Result<PathBuf, String> {
    build(&["--release"])
}

/// Builds `handoff` as tests do and says where it is.
pub(crate) fn debug_binary() -> Result<PathBuf, String> {
    build(&[])
}

fn build(profile: &[&str]) -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["build", "--package", "handoff-cli", "--bin", "handoff"])
        .args(profile)
        .args(["--message-format", "json-render-diagnostics"])
        .current_dir(repository_root())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err("the build failed".to_owned());
    }
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter_map(|message| message["executable"].as_str().map(PathBuf::from))
        .next_back()
        .ok_or_else(|| "cargo named no executable".to_owned())
}

/// Where the workspace is, whatever directory the command was started in.
pub(crate) fn repository_root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    manifest.as_deref().and_then(Path::parent).map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}
