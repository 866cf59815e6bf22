//! The path of this program that will still be right after the next update.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::disk::RealDisk;

/// The program that hosts are told to start.
#[derive(Debug, Clone)]
pub(super) struct Program {
    pub(super) path: PathBuf,
    /// Why it may not be there for long
    pub(super) warning: Option<String>,
}

impl Program {
    /// The one on the `PATH`, if that is the one that is running: package managers put a link there which outlives the
    /// version behind it. Else the running one itself.
    pub(super) fn of(executable: &Path, disk: &RealDisk, env: &BTreeMap<String, String>) -> Program {
        let real = executable.canonicalize().unwrap_or_else(|_| executable.to_owned());
        let name = executable.file_name().unwrap_or_default();
        let on_path = disk.all(name).find(|candidate| candidate.canonicalize().is_ok_and(|found| found == real));
        let path = on_path.unwrap_or_else(|| executable.to_owned());
        let warning = passing(&path, env).map(|place| {
            format!(
                "agents will start {}, which lies in {place}: install handoff for good and run this again",
                path.display()
            )
        });
        Program { path, warning }
    }
}

/// In what kind of place a program lies that is not there for long.
fn passing(path: &Path, env: &BTreeMap<String, String>) -> Option<&'static str> {
    let names: Vec<&str> = path.iter().filter_map(|name| name.to_str()).collect();
    if names.contains(&"_npx") || names.iter().any(|name| name.starts_with("bunx-")) {
        return Some("a cache of npx");
    }
    if names.windows(2).any(|pair| pair[0] == "target" || (pair[0].starts_with("target-") && is_profile(pair[1]))) {
        return Some("a build directory");
    }
    let temporary = ["TMPDIR", "TEMP", "TMP"].iter().filter_map(|name| env.get(*name)).map(PathBuf::from);
    let temporary = temporary.chain(["/tmp", "/var/tmp", "/private/tmp"].map(PathBuf::from));
    temporary.into_iter().any(|dir| dir.is_absolute() && path.starts_with(dir)).then_some("a temporary directory")
}

fn is_profile(name: &str) -> bool {
    name == "debug" || name == "release"
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use handoff_store::NewFile;

    use super::*;

    #[test]
    fn a_place_that_passes_is_known() {
        let env = BTreeMap::from([("TMPDIR".to_owned(), "/scratch".to_owned())]);
        for (path, place) in [
            ("/home/a/app/target/debug/handoff", Some("a build directory")),
            ("/home/a/.npm/_npx/8f2/node_modules/.bin/handoff", Some("a cache of npx")),
            ("/scratch/handoff", Some("a temporary directory")),
            ("/tmp/x/handoff", Some("a temporary directory")),
            ("/usr/local/bin/handoff", None),
            ("/home/a/.cargo/bin/handoff", None),
        ] {
            assert_eq!(passing(Path::new(path), &env), place, "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_link_on_the_path_is_used_when_it_leads_here() {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().canonicalize().unwrap().join(path);
        std::fs::create_dir_all(at("Cellar/handoff/1.2.0")).unwrap();
        std::fs::create_dir_all(at("bin")).unwrap();
        handoff_store::change_outside(
            &at("Cellar/handoff/1.2.0/handoff"),
            None,
            Some(b"#!/bin/sh\n"),
            NewFile::Program,
        )
        .unwrap();
        std::os::unix::fs::symlink(at("Cellar/handoff/1.2.0/handoff"), at("bin/handoff")).unwrap();
        let found = |path: &str| {
            let disk = RealDisk::new(path);
            Program::of(&at("Cellar/handoff/1.2.0/handoff"), &disk, &BTreeMap::new()).path
        };
        assert_eq!(found(at("bin").to_str().unwrap()), at("bin/handoff"));
        assert_eq!(found("bin:/usr/bin"), at("Cellar/handoff/1.2.0/handoff"), "a relative entry does not count");
    }
}
