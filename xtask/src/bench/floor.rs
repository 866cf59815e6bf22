//! The programs everything is measured against, compiled here and now so that both sides share toolchain and machine.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs that do the least that can be done.
#[derive(Debug)]
pub(crate) struct Floor {
    pub(crate) empty: PathBuf,
    pub(crate) bare_write: PathBuf,
    pub(crate) bare_store: PathBuf,
    pub(crate) read_all: PathBuf,
}

impl Floor {
    pub(crate) fn build(place: &Path) -> Result<Self, String> {
        Ok(Self {
            empty: compile(place, "empty", include_str!("programs/empty.rs"))?,
            bare_write: compile(place, "bare_write", include_str!("programs/bare_write.rs"))?,
            bare_store: compile(place, "bare_store", include_str!("programs/bare_store.rs"))?,
            read_all: compile(place, "read_all", include_str!("programs/read_all.rs"))?,
        })
    }
}

fn compile(place: &Path, name: &str, source: &str) -> Result<PathBuf, String> {
    let file = place.join(format!("{name}.rs"));
    let program = place.join(name);
    std::fs::write(&file, source).map_err(|error| format!("cannot write {name}: {error}"))?;
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(["-O", "--edition", "2024", "-o"])
        .arg(&program)
        .arg(&file)
        .output()
        .map_err(|error| format!("cannot start rustc: {error}"))?;
    if output.status.success() {
        Ok(program)
    } else {
        Err(format!("cannot compile {name}: {}", String::from_utf8_lossy(&output.stderr).trim()))
    }
}
