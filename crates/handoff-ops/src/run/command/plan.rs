//! What exactly is run: the program, the directory and the environment, all looked up before anything begins.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::{CommandStep, Key};
use crate::passphrase::is_passphrase;
use crate::setup::{RealDisk, is_program};
use crate::{Hint, OpError};

/// A command as it will be started.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) program: PathBuf,
    pub(super) directory: PathBuf,
}

impl Plan {
    /// `path` is the variable `PATH` of the caller.
    pub(super) fn of(step: &CommandStep, root: &Path, path: Option<&OsStr>) -> Result<Plan, OpError> {
        let Some(name) = step.argv.first().filter(|name| !name.is_empty()) else {
            return Err(OpError::refused("the step names no program: the first of its list is the program to run"));
        };
        if let Some(position) = step.argv.iter().position(|argument| argument.contains('\0')) {
            return Err(OpError::refused(format!(
                "argument {position} of `{name}` holds a NUL, which no program can be given"
            )));
        }
        for (variable, value) in &step.env {
            if variable.is_empty() || variable.contains(['=', '\0']) {
                return Err(OpError::refused(format!("`{variable}` cannot be the name of a variable")));
            }
            if value.contains('\0') {
                return Err(OpError::refused(format!(
                    "the variable `{variable}` holds a NUL, which no program can be given"
                )));
            }
        }
        let directory = directory(root, step.cwd.as_deref())?;
        let path = step.env.get("PATH").map(OsString::from).or_else(|| path.map(OsStr::to_owned)).unwrap_or_default();
        Ok(Plan { program: program(root, name, &path)?, directory })
    }
}

/// The directory a command runs in: never one outside the project, also not through a link.
fn directory(root: &Path, cwd: Option<&str>) -> Result<PathBuf, OpError> {
    let real = |path: &Path| path.canonicalize();
    let root =
        real(root).map_err(|error| OpError::failure("the project's directory cannot be read").caused_by(error))?;
    let Some(cwd) = cwd else { return Ok(root) };
    let directory = real(&root.join(cwd)).map_err(|error| {
        OpError::failure(format!("there is no directory `{cwd}` in the project to run the command in")).caused_by(error)
    })?;
    if !directory.starts_with(&root) {
        return Err(OpError::refused(format!("`{cwd}` lies outside the project: commands run inside it"))
            .hint(Hint::say("give the place to the command as an argument instead")));
    }
    if !directory.is_dir() {
        return Err(OpError::failure(format!("`{cwd}` is no directory to run a command in")));
    }
    Ok(directory)
}

/// The program: with a slash from the project, without one from the absolute directories of `PATH`.
fn program(root: &Path, name: &str, path: &OsStr) -> Result<PathBuf, OpError> {
    let is_place = name.contains('/') || (cfg!(windows) && name.contains('\\'));
    if !is_place {
        return RealDisk::new(path).find(name).ok_or_else(|| {
            let error = OpError::failure(format!("there is no program `{name}` in the directories of PATH"));
            let here = format!("`./{name}` names the one in the project");
            if is_program(&root.join(name)) { error.hint(Hint::say(here)) } else { error }
        });
    }
    let place = root.join(name);
    match place.metadata() {
        Err(error) => {
            Err(OpError::failure(format!("there is no program `{name}`; relative ones are looked for in the project"))
                .caused_by(error))
        }
        Ok(metadata) if !metadata.is_file() => Err(OpError::failure(format!("`{name}` is no file that could be run"))),
        Ok(_) if !is_program(&place) => Err(OpError::failure(format!("`{name}` is not executable"))
            .hint(Hint::say(format!("`chmod +x {}` makes it so", crate::hint::quoted(name))))),
        Ok(_) => Ok(place),
    }
}

/// The environment of a command, made of that of the caller.
pub(super) fn environment(
    step: &CommandStep,
    key: &Key,
    root: &Path,
    ours: impl Iterator<Item = (OsString, OsString)>,
) -> BTreeMap<OsString, OsString> {
    let is_left = |name: &OsStr| match &step.inherit {
        None => true,
        Some(kept) => name.to_str().is_some_and(|name| kept.contains(name) || is_needed(name)),
    };
    let mut variables: BTreeMap<OsString, OsString> =
        ours.filter(|(name, _)| is_left(name) && !name.to_str().is_some_and(is_passphrase)).collect();
    variables.extend(step.env.iter().map(|(name, value)| (name.into(), value.into())));
    variables.extend([
        ("HANDOFF_RUN_ID".into(), key.run.clone().into()),
        ("HANDOFF_STEP_ID".into(), key.step.clone().into()),
        ("HANDOFF_ATTEMPT".into(), key.attempt.to_string().into()),
        ("HANDOFF_PROJECT_DIR".into(), root.as_os_str().to_owned()),
    ]);
    variables
}

/// Without these nothing starts on Windows.
fn is_needed(name: &str) -> bool {
    cfg!(windows) && ["SYSTEMROOT", "WINDIR"].iter().any(|needed| name.eq_ignore_ascii_case(needed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(argv: &[&str]) -> CommandStep {
        CommandStep { argv: argv.iter().map(|word| (*word).to_owned()).collect(), ..CommandStep::default() }
    }

    fn refusal(step: &CommandStep, root: &Path) -> String {
        Plan::of(step, root, Some(OsStr::new("bin:/no/such/directory"))).unwrap_err().sentence()
    }

    #[cfg(unix)]
    #[test]
    fn a_program_is_named_by_place_in_the_project_or_found_on_the_path() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("bin")).unwrap();
        let (tool, plain) = (root.join("bin/tool"), root.join("bin/plain"));
        handoff_store::change_outside(&tool, None, Some(b"#!/bin/sh\n"), handoff_store::NewFile::Program).unwrap();
        handoff_store::change_outside(&plain, None, Some(b"x"), handoff_store::NewFile::Usual).unwrap();
        let found = |name: &str| Plan::of(&step(&[name]), &root, Some(OsStr::new("bin:/bin"))).map(|plan| plan.program);
        assert_eq!(found("bin/tool").unwrap(), tool);
        assert_eq!(found("./bin/tool").unwrap(), root.join("./bin/tool"));
        assert_eq!(found("sh").unwrap(), Path::new("/bin/sh"));
        assert!(found("tool").is_err(), "a relative entry of PATH does not count");
        assert!(refusal(&step(&["bin/plain"]), &root).contains("`bin/plain` is not executable"));
        assert!(refusal(&step(&["bin"]), &root).contains("no program `bin` in the directories of PATH"));
        assert!(refusal(&step(&["./bin"]), &root).contains("no file that could be run"));
        assert!(refusal(&step(&["bin/none"]), &root).contains("there is no program `bin/none`"));
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_outside_the_project_is_refused_also_behind_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("project");
        std::fs::create_dir_all(root.join("inside/deep")).unwrap();
        std::os::unix::fs::symlink("/", root.join("out")).unwrap();
        std::os::unix::fs::symlink("inside/deep", root.join("in")).unwrap();
        let at = |cwd: &str| Plan::of(&CommandStep { cwd: Some(cwd.to_owned()), ..step(&["/bin/sh"]) }, &root, None);
        let real = root.canonicalize().unwrap();
        assert_eq!(at("in").unwrap().directory, real.join("inside/deep"));
        assert_eq!(at("inside/../inside").unwrap().directory, real.join("inside"));
        for outside in ["..", "/", "out", "inside/../../"] {
            assert!(at(outside).unwrap_err().message().contains("lies outside the project"), "{outside}");
        }
        assert!(at("none").unwrap_err().message().contains("no directory `none`"));
    }

    #[test]
    fn what_no_program_can_be_given_is_refused() {
        let root = Path::new(".");
        assert!(refusal(&step(&[]), root).contains("names no program"));
        assert!(refusal(&step(&[""]), root).contains("names no program"));
        assert!(refusal(&step(&["x", "a\0b"]), root).contains("argument 1 of `x` holds a NUL"));
        let with =
            |name: &str, value: &str| CommandStep { env: [(name.to_owned(), value.to_owned())].into(), ..step(&["x"]) };
        assert!(refusal(&with("A=B", ""), root).contains("cannot be the name of a variable"));
        assert!(refusal(&with("", ""), root).contains("cannot be the name of a variable"));
        assert!(refusal(&with("A", "\0"), root).contains("`A` holds a NUL"));
    }

    #[test]
    fn passphrases_stay_here_and_the_key_is_told() {
        let key = Key { run: "r1".to_owned(), step: "push".to_owned(), known_by: "push".to_owned(), attempt: 2 };
        let ours = |names: &[&str]| {
            let pairs: Vec<(OsString, OsString)> = names.iter().map(|name| ((*name).into(), "ours".into())).collect();
            pairs.into_iter()
        };
        let all = ["PATH", "HOME", "HANDOFF_PASSPHRASE", "HANDOFF_KEY_PASSPHRASE", "HANDOFF_RUN_ID", "HANDOFF_ACTOR"];
        let mut with = step(&["x"]);
        with.env.insert("HOME".to_owned(), "/else".to_owned());
        let made = environment(&with, &key, Path::new("/p"), ours(&all));
        let value = |made: &BTreeMap<OsString, OsString>, name: &str| {
            made.get(OsStr::new(name)).map(|value| value.to_string_lossy().into_owned())
        };
        assert_eq!(value(&made, "HOME").as_deref(), Some("/else"));
        assert_eq!(value(&made, "HANDOFF_RUN_ID").as_deref(), Some("r1"));
        assert_eq!(value(&made, "HANDOFF_STEP_ID").as_deref(), Some("push"));
        assert_eq!(value(&made, "HANDOFF_ATTEMPT").as_deref(), Some("2"));
        assert_eq!(value(&made, "HANDOFF_PROJECT_DIR").as_deref(), Some("/p"));
        assert_eq!(value(&made, "HANDOFF_ACTOR").as_deref(), Some("ours"));
        assert_eq!(value(&made, "HANDOFF_PASSPHRASE").or(value(&made, "HANDOFF_KEY_PASSPHRASE")), None);
        with.inherit = Some(["PATH".to_owned()].into());
        let made = environment(&with, &key, Path::new("/p"), ours(&all));
        assert_eq!((value(&made, "PATH").as_deref(), value(&made, "HANDOFF_ACTOR")), (Some("ours"), None));
    }
}
