//! A disk that is full of bytes, or of files, at every stage of a change.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::rig::{Sandbox, scratch};

use super::deeds::{Chooser, Deed};
use super::ledger::{Ledger, Made, Names, difference, read_back};
use super::scenario::bystanders;
use super::{Lane, Tally};

/// The small file system: two mebibytes and this many files.
const OPTIONS: &str = "size=2m,nr_inodes=600";

/// Attempts before a fresh project is begun, since trash and history fill the little disk by themselves.
const PER_PROJECT: usize = 25;

/// Makes a small file system that only we can see, and runs [`inside`] in it.
pub(crate) fn run(lane: &Lane) -> Result<Tally, String> {
    let place = scratch().map_err(|error| error.to_string())?;
    let mounted = |program: &[&std::ffi::OsStr]| {
        Command::new("unshare")
            .args(["--mount", "--propagation", "private", "sh", "-c"])
            .arg(format!("mount -t tmpfs -o {OPTIONS} tmpfs \"$1\" && shift && exec \"$@\""))
            .arg("sh")
            .arg(place.path())
            .args(program)
            .output()
    };
    let probe = mounted(&["true".as_ref()]);
    if !probe.as_ref().is_ok_and(|output| output.status.success()) {
        let why = probe
            .map_or_else(|error| error.to_string(), |output| String::from_utf8_lossy(&output.stderr).trim().to_owned());
        println!("full: skipped, mounting a small file system is not permitted here ({why})");
        return Ok(Tally::default());
    }
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let seed = lane.seed.to_string();
    let mut program: Vec<&std::ffi::OsStr> =
        vec![this.as_os_str(), "torture".as_ref(), "--seed".as_ref(), seed.as_ref()];
    program.extend(["--binary".as_ref(), lane.binary.as_os_str(), "--inside".as_ref(), place.path().as_os_str()]);
    if lane.sample {
        program.push("--sample".as_ref());
    }
    let output = mounted(&program).map_err(|error| format!("cannot start unshare: {error}"))?;
    collect(&String::from_utf8_lossy(&output.stdout), &String::from_utf8_lossy(&output.stderr))
}

/// Passes on what the inner run found; its closing line becomes part of ours.
fn collect(stdout: &str, stderr: &str) -> Result<Tally, String> {
    let mut tally = None;
    for line in stdout.lines() {
        let counts = line.strip_suffix(" failed").and_then(|line| line.split_once(" passed, "));
        match counts.map(|(passed, failed)| (passed.parse(), failed.parse())) {
            Some((Ok(passed), Ok(failed))) => tally = Some(Tally { passed, failed, ..Tally::default() }),
            _ => println!("{line}"),
        }
    }
    tally.ok_or_else(|| format!("the run on the small disk did not end: {}", stderr.trim()))
}

/// The rig itself, on the small file system at `disk`.
pub(crate) fn inside(lane: &Lane, disk: &Path) -> Result<Tally, String> {
    let attempts = if lane.sample { 25 } else { 200 };
    let mut tally = Tally::default();
    for project in 0..attempts / PER_PROJECT {
        let place = disk.join(format!("project-{project}"));
        let sandbox = Sandbox::create(&place).map_err(|error| error.to_string())?;
        let mut patient = Patient::new(lane, sandbox, disk, project as u64)?;
        for attempt in 0..PER_PROJECT {
            let shortage = if attempt % 2 == 0 { Shortage::Bytes } else { Shortage::Files };
            let (deed, result) = patient.attempt(shortage);
            tally.check(&format!("full of {shortage:?}: {deed:?} (seed {}, attempt {attempt})", lane.seed), result);
        }
        fs::remove_dir_all(&place).map_err(|error| error.to_string())?;
    }
    Ok(tally)
}

#[derive(Debug, Clone, Copy)]
enum Shortage {
    Bytes,
    Files,
}

struct Patient<'a> {
    lane: &'a Lane,
    sandbox: Sandbox,
    chooser: Chooser,
    ledger: Ledger,
    ballast: PathBuf,
}

impl<'a> Patient<'a> {
    fn new(lane: &'a Lane, sandbox: Sandbox, disk: &Path, number: u64) -> Result<Self, String> {
        let made = sandbox.run(&lane.binary, &["init", "small"]).map_err(|error| error.to_string())?;
        if !made.succeeded() {
            return Err(format!("`init` fails with {}", made.brief()));
        }
        let chooser = Chooser::new(lane.seed.wrapping_mul(1_000).wrapping_add(number));
        bystanders(&sandbox, &lane.binary)?;
        let now = read_back(&sandbox, &lane.binary, Names::Exact)?;
        let ledger = Ledger { now, ..Ledger::default() };
        let mut patient = Self { lane, sandbox, chooser, ledger, ballast: disk.join("ballast") };
        for _ in 0..4 {
            let deed = patient.chooser.create(None);
            if !patient.perform(&deed)? {
                return Err("a change on an empty disk fails".to_owned());
            }
        }
        Ok(patient)
    }

    /// One change with little or no room; then with room again.
    fn attempt(&mut self, shortage: Shortage) -> (Deed, Result<(), String>) {
        let deed = self.chooser.choose(&self.ledger);
        let spare = self.chooser.random.below(7);
        let result = self.squeeze(&deed, shortage, spare).map_err(|why| format!("with {spare} spare: {why}"));
        (deed, result)
    }

    fn squeeze(&mut self, deed: &Deed, shortage: Shortage, spare: usize) -> Result<(), String> {
        self.load(shortage, spare).map_err(|error| format!("cannot fill the disk: {error}"))?;
        let done = self.perform(deed);
        let kept = self.compare().map_err(|why| format!("while the disk is full, {why}"));
        self.unload().map_err(|error| format!("cannot empty the disk: {error}"))?;
        let done = done?;
        kept?;
        if !done && !self.perform(deed)? {
            return Err("fails although there is room again".to_owned());
        }
        self.compare()?;
        let leftovers = self.sandbox.leftovers();
        if leftovers.is_empty() { Ok(()) } else { Err(format!("temporary files are left: {}", leftovers.join(", "))) }
    }

    /// Whether it succeeded; an error when it ended as no command should.
    fn perform(&mut self, deed: &Deed) -> Result<bool, String> {
        let finished = self.sandbox.invoke(&self.lane.binary, &deed.invocation());
        let finished = finished.map_err(|error| error.to_string())?;
        if let Some(death) = finished.died() {
            return Err(format!("the process {death}: {}", finished.brief()));
        }
        if finished.succeeded() {
            self.ledger.apply(deed, &Made::by(deed, &finished.json()?));
            self.chooser.remember(deed);
        } else if finished.stderr.trim().is_empty() {
            return Err("fails without a word".to_owned());
        }
        Ok(finished.succeeded())
    }

    fn compare(&mut self) -> Result<(), String> {
        let actual = read_back(&self.sandbox, &self.lane.binary, Names::MayLag)?;
        match difference(&self.ledger.now, &actual) {
            None => Ok(()),
            Some(difference) => {
                self.ledger.now = actual;
                Err(difference)
            }
        }
    }

    /// Fills the disk and then gives back `spare` pages or files.
    fn load(&self, shortage: Shortage, spare: usize) -> std::io::Result<()> {
        fs::create_dir_all(&self.ballast)?;
        match shortage {
            Shortage::Bytes => {
                let path = self.ballast.join("bytes");
                let page = vec![7_u8; 4096];
                let mut file = fs::File::options().create(true).append(true).open(&path)?;
                while std::io::Write::write_all(&mut file, &page).is_ok() {}
                let full = file.metadata()?.len() / 4096;
                file.set_len(full.saturating_sub(spare as u64) * 4096)
            }
            Shortage::Files => {
                let mut made = Vec::new();
                for number in 0.. {
                    let path = self.ballast.join(format!("file-{number}"));
                    match fs::File::options().create_new(true).write(true).open(&path) {
                        Ok(_) => made.push(path),
                        Err(_) => break,
                    }
                }
                made.iter().rev().take(spare).try_for_each(fs::remove_file)
            }
        }
    }

    fn unload(&self) -> std::io::Result<()> {
        fs::remove_dir_all(&self.ballast)
    }
}
