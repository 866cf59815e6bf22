//! A kill, or an error, at every file-changing system call of `handoff setup` and its undoing.
//!
//! Settings belong to other programs: at every moment each file is as it was or as it will be. Asked again, setup ends
//! where an unharmed one does, and undoing it brings back every byte.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::rig::{Finished, Invocation, Rng, Sandbox, scratch};

use super::faults::{concerns, errors_at, kills_at};
use super::scenario::spot;
use super::strace::{Call, Fault, FaultKind, inject, record};
use super::{Lane, Tally, check_each, hosts};

/// How many kills, and how many errors, the sample keeps.
const SAMPLE: usize = 90;

/// Every directory and file below a place, with what is in it; the place itself is called `@`.
type Tree = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// Setting one agent up, or taking it out again.
struct Change {
    name: String,
    host: &'static str,
    undoing: bool,
    binary: PathBuf,
    before: Tree,
    after: Tree,
    /// Files that were there before, by what is in them.
    theirs: BTreeMap<PathBuf, &'static str>,
}

struct Attempt<'a> {
    change: &'a Change,
    fault: Fault,
    description: String,
}

pub(crate) fn run(lane: &Lane, wanted: Option<&str>) -> Result<Tally, String> {
    let place = scratch().map_err(|error| error.to_string())?;
    let mut changes = Vec::new();
    for host in hosts() {
        for used in [false, true] {
            for undoing in [false, true] {
                let proof = place.path().join(format!("proof-{}", changes.len()));
                changes.push(Change::prove(&lane.binary, host, used, undoing, &proof)?);
            }
        }
    }
    if let Some(wanted) = wanted {
        changes.retain(|change| change.name.contains(wanted));
    }
    let mut random = Rng::new(lane.seed);
    let mut attempts = Vec::new();
    for faults in [kills_at, errors_at] {
        let found = enumerate(lane, &changes, faults)?;
        attempts.extend(if lane.sample { random.sample(found, SAMPLE) } else { found });
    }
    let number = AtomicUsize::new(0);
    Ok(check_each(
        &attempts,
        |attempt| attempt.description.clone(),
        |attempt| {
            let spot = spot(place.path(), number.fetch_add(1, Ordering::Relaxed));
            let result = break_once(lane, attempt, &spot);
            std::fs::remove_dir_all(&spot).map_err(|error| error.to_string())?;
            result
        },
    ))
}

fn enumerate<'a>(
    lane: &Lane,
    changes: &'a [Change],
    faults: impl Fn(&Call) -> Vec<FaultKind>,
) -> Result<Vec<Attempt<'a>>, String> {
    let place = scratch().map_err(|error| error.to_string())?;
    let mut attempts = Vec::new();
    for (number, change) in changes.iter().enumerate() {
        let sandbox = change.fresh(&spot(place.path(), number))?;
        let (finished, calls) = record(&sandbox, &lane.binary, &change.call(change.undoing), 64)?;
        if !finished.succeeded() {
            return Err(format!("{}: fails under strace: {}", change.name, finished.brief()));
        }
        let root = sandbox.root();
        for call in calls.iter().filter(|call| call.speaks() || concerns(call, root)) {
            for kind in faults(call) {
                attempts.push(Attempt {
                    change,
                    fault: Fault { call: call.name.clone(), nth: call.nth, kind },
                    description: format!("{}: {} at {}", change.name, kind.name(), call.describe(root)),
                });
            }
        }
    }
    Ok(attempts)
}

impl Change {
    /// Does it unharmed, and takes it back.
    fn prove(binary: &Path, host: &'static str, used: bool, undoing: bool, place: &Path) -> Result<Self, String> {
        let what = if undoing { "setup --uninstall" } else { "setup" };
        let home = if used { "a home in use" } else { "an empty home" };
        let mut change = Self {
            name: format!("{what} {host} ({home})"),
            host,
            undoing,
            binary: binary.to_owned(),
            before: Tree::new(),
            after: Tree::new(),
            theirs: BTreeMap::new(),
        };
        if used {
            change.theirs = change.files_of_others(&place.with_extension("empty"))?;
        }
        let sandbox = change.fresh(place)?;
        change.before = tree(&sandbox)?;
        change.must(&sandbox, undoing)?;
        change.after = tree(&sandbox)?;
        change.must(&sandbox, !undoing)?;
        same(&tree(&sandbox)?, &change.before).map_err(|why| format!("{}, and back: {why}", change.name))?;
        Ok(change)
    }

    /// The home in which it is done.
    fn fresh(&self, place: &Path) -> Result<Sandbox, String> {
        let sandbox = home(place)?;
        for (path, text) in &self.theirs {
            let path = sandbox.root().join(path);
            let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
            made.and_then(|()| std::fs::write(&path, text)).map_err(|error| error.to_string())?;
        }
        if self.undoing {
            self.must(&sandbox, false)?;
        }
        Ok(sandbox)
    }

    /// Something for every file that setup will write to and that is not ours alone.
    fn files_of_others(&self, place: &Path) -> Result<BTreeMap<PathBuf, &'static str>, String> {
        let sandbox = home(place)?;
        self.must(&sandbox, false)?;
        let text = |path: &PathBuf| match path.extension()?.to_str()? {
            _ if path.components().any(|part| part.as_os_str().to_string_lossy().contains("handoff")) => None,
            "json" => Some("{\n   \"theirs\": { \"kept\": [1, 2] },\n\n   \"more\": \"é\"\n}\n"),
            "toml" => Some("# theirs\nmodel = \"kept\"   # as it is\n\n[profiles.theirs]\nmodel = 'more'\n"),
            "md" => Some("# Theirs\r\n\r\nKept.  \r\nNo line break at the end"),
            _ => None,
        };
        let made = tree(&sandbox)?.into_keys();
        Ok(made.filter_map(|path| Some((path.clone(), text(&path)?))).collect())
    }

    fn call(&self, undoing: bool) -> Invocation {
        let args = if undoing { vec!["setup", self.host, "--uninstall"] } else { vec!["setup", self.host] };
        // Where an agent is installed, setup asks it; what it does then is not what is looked at here.
        Invocation { env: vec![("PATH", "/usr/bin:/bin".to_owned())], ..args.as_slice().into() }
    }

    fn must(&self, sandbox: &Sandbox, undoing: bool) -> Result<(), String> {
        let call = self.call(undoing);
        let done = sandbox.invoke(&self.binary, &call).map_err(|error| error.to_string())?;
        let said = || format!("`handoff {}` fails with {}", call.args.join(" "), done.brief());
        if done.succeeded() { Ok(()) } else { Err(said()) }
    }
}

/// An empty home, with the one directory that every system has in it.
fn home(place: &Path) -> Result<Sandbox, String> {
    let sandbox = Sandbox::create(place).map_err(|error| error.to_string())?;
    std::fs::create_dir(sandbox.root().join("home/data")).map_err(|error| error.to_string())?;
    Ok(sandbox)
}

fn break_once(lane: &Lane, attempt: &Attempt<'_>, place: &Path) -> Result<(), String> {
    let Attempt { change, fault, .. } = attempt;
    let sandbox = change.fresh(place)?;
    let Some(finished) = inject(&sandbox, &lane.binary, &change.call(change.undoing), fault)? else {
        return Err("the call was not reached: setup does not repeat itself".to_owned());
    };
    let explain = |why: String| format!("{why} [the run: {}]", finished.brief());
    judge(change, fault, &finished, &sandbox).map_err(explain)?;
    // A directory that could not be removed is forgotten all the same.
    let is_stuck = fault.call == "rmdir" && fault.kind != FaultKind::Kill;
    let all = |tree: &Tree| if is_stuck { files(tree) } else { tree.clone() };
    for (undoing, expected, when) in
        [(change.undoing, &change.after, "asked again"), (!change.undoing, &change.before, "taken back")]
    {
        let done = change.must(&sandbox, undoing).and_then(|()| same(&all(&tree(&sandbox)?), &all(expected)));
        done.map_err(|why| explain(format!("{when}, {why}")))?;
    }
    Ok(())
}

/// Every file as it was or as it will be, and as the answer says.
fn judge(change: &Change, fault: &Fault, finished: &Finished, sandbox: &Sandbox) -> Result<(), String> {
    let now = tree(sandbox)?;
    for (path, bytes) in now.iter().filter(|(path, _)| !is_ours(path)) {
        let known = [change.before.get(path), change.after.get(path)];
        if !known.contains(&Some(bytes)) && bytes.is_some() {
            return Err(format!("{} is neither as it was nor as it will be", path.display()));
        }
    }
    let gone = |path: &&PathBuf| !now.contains_key(*path) && change.after.contains_key(*path);
    if let Some(path) = change.before.keys().find(gone) {
        return Err(format!("{} is gone", path.display()));
    }
    if fault.kind == FaultKind::Kill {
        return Ok(());
    }
    if let Some(death) = finished.died() {
        return Err(format!("the process {death}"));
    }
    let (files, before, after) = (files(&now), files(&change.before), files(&change.after));
    match (finished.code, fault.kind) {
        (Some(0), _) => same(&files, &after).map_err(|why| format!("answered success, but {why}")),
        // What takes a change back needs the disk too.
        (_, FaultKind::ErrorFrom(_)) => Ok(()),
        _ if finished.stderr.trim().is_empty() && finished.stdout.trim().is_empty() => {
            Err("failed without a word".to_owned())
        }
        // All is done, and only that could not be noted.
        _ if files == after => Ok(()),
        _ => same(&files, &before).map_err(|why| format!("reported failure, but {why}")),
    }
}

/// What setup keeps for itself, and files that are on their way to their place.
fn is_ours(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.starts_with("home/data") || (name.starts_with('.') && name.contains(".handoff-"))
}

/// The files of others. A directory that cannot be removed harms nobody.
fn files(tree: &Tree) -> Tree {
    let is_file = |(path, bytes): &(&PathBuf, &Option<Vec<u8>>)| bytes.is_some() && !is_ours(path);
    tree.iter().filter(is_file).map(|(path, bytes)| (path.clone(), bytes.clone())).collect()
}

fn same(now: &Tree, expected: &Tree) -> Result<(), String> {
    let differs = |path: &&PathBuf| now.get(*path) != expected.get(*path);
    let mut differing = now.keys().chain(expected.keys()).filter(differs);
    let Some(path) = differing.next() else { return Ok(()) };
    let what = match (now.get(path), expected.get(path)) {
        (Some(_), None) => "is there",
        (None, _) => "is not there",
        _ => "is not what it should be",
    };
    Err(format!("{} {what}", path.display()))
}

fn tree(sandbox: &Sandbox) -> Result<Tree, String> {
    fn walk(root: &Path, directory: &Path, found: &mut Tree) -> std::io::Result<()> {
        for entry in std::fs::read_dir(directory)? {
            let path = entry?.path();
            let below = path.strip_prefix(root).unwrap_or(&path).to_owned();
            if path.is_dir() {
                found.insert(below, None);
                walk(root, &path, found)?;
            } else {
                // Where something lies is written down in it; two places must look alike.
                let text = std::fs::read(&path)?;
                let text = String::from_utf8_lossy(&text).replace(&*root.to_string_lossy(), "@");
                found.insert(below, Some(text.into_bytes()));
            }
        }
        Ok(())
    }
    let mut found = Tree::new();
    walk(sandbox.root(), sandbox.root(), &mut found).map_err(|error| error.to_string())?;
    Ok(found)
}
