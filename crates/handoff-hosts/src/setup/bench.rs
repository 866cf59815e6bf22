//! A machine in memory, to set up and take out again.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use handoff_model::agent::Host;
use serde_json::Value;

use super::{Disk, Machine, Plan, Platform, Record, Scope, Wish, install, remove};

/// A machine in memory.
#[derive(Clone, Default)]
pub(super) struct Files {
    pub(super) files: BTreeMap<PathBuf, String>,
    pub(super) directories: BTreeSet<PathBuf>,
}

impl Disk for Files {
    fn read(&self, path: &Path) -> io::Result<Option<Vec<u8>>> {
        if self.is_directory(path) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(self.files.get(path).map(|text| text.clone().into_bytes()))
    }

    fn real(&self, path: &Path) -> PathBuf {
        path.to_owned()
    }

    fn is_file(&self, path: &Path) -> bool {
        self.files.contains_key(path)
    }

    fn is_directory(&self, path: &Path) -> bool {
        self.directories.contains(path) || self.files.keys().any(|file| file != path && file.starts_with(path))
    }

    fn program(&self, _: &str) -> Option<PathBuf> {
        None
    }
}

pub(super) struct Bench {
    pub(super) files: Files,
    pub(super) record: Record,
    pub(super) env: BTreeMap<String, String>,
    pub(super) platform: Platform,
    pub(super) program: PathBuf,
}

impl Bench {
    pub(super) fn with(files: &[(&str, &str)]) -> Bench {
        let files = files.iter().map(|(path, text)| (PathBuf::from(path), (*text).to_owned())).collect();
        let files = Files { files, directories: BTreeSet::new() };
        let program = PathBuf::from("/opt/my bin/handoff");
        Bench { files, record: Record::default(), env: BTreeMap::new(), platform: Platform::Linux, program }
    }

    pub(super) fn machine(&self) -> Machine<'_> {
        Machine {
            platform: self.platform,
            home: Path::new("/home/dev"),
            env: &self.env,
            project: Path::new("/home/dev/my-app"),
            program: &self.program,
            disk: &self.files,
        }
    }

    pub(super) fn carry_out(&mut self, plan: &Plan) {
        for change in &plan.files {
            self.record.note(change, &[]);
            match &change.after {
                Some(text) => drop(self.files.files.insert(change.path.clone(), text.clone())),
                None => drop(self.files.files.remove(&change.path)),
            }
        }
        plan.done_with.iter().for_each(|path| self.record.forget(path));
    }

    pub(super) fn set_up(&mut self, hosts: &[Host], scope: Scope) -> Plan {
        let plan = install(self.machine(), hosts, Wish { scope, ..Wish::default() }, &self.record);
        self.carry_out(&plan);
        plan
    }

    pub(super) fn take_out(&mut self, hosts: &[Host], scope: Scope) -> Plan {
        let plan = remove(self.machine(), hosts, Wish { scope, ..Wish::default() }, &self.record);
        self.carry_out(&plan);
        plan
    }

    pub(super) fn file(&self, path: &str) -> &str {
        self.files.files.get(Path::new(path)).unwrap_or_else(|| panic!("no {path}"))
    }

    pub(super) fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.files.files[Path::new(path)]).unwrap()
    }

    pub(super) fn paths(&self) -> Vec<&str> {
        self.files.files.keys().map(|path| path.to_str().unwrap()).collect()
    }
}
