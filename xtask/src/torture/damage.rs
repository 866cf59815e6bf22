//! Damage to each record file in turn, and what all the doors say of it.
//!
//! An answer that is other than it was must name the damaged file, and so must the doctor. What the doctor mends makes no
//! right answer wrong, and afterwards a session can be saved and a task created.
//!
//! What cannot be noticed is not asked for. People edit plain files, so a changed text in a value is a change like any
//! other, unless the file has checksums; and a task or session that was removed whole may have been removed on purpose.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::rig::{Finished, Invocation, Rng, Sandbox, Server, files_below, said, scratch};

use super::{Lane, Tally};

/// Number of damages that the sample keeps.
const SAMPLE: usize = 45;
/// Number of bits that are flipped in each file.
const FLIPS: usize = 6;
/// The time of all commands, so that two answers can be compared.
const CLOCK: &str = "2026-11-20T10:00:00Z";

/// What is done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Damage {
    Empty,
    Zero,
    Halve,
    /// The bit with this number, modulo the size of the file
    Flip(usize),
    Remove,
    Directory,
    /// The bytes of another record of the same kind
    Replace,
}

impl Damage {
    fn name(self) -> String {
        match self {
            Damage::Flip(bit) => format!("flip bit {bit}"),
            other => format!("{other:?}").to_lowercase(),
        }
    }
}

struct Case {
    /// Path of the file below `.handoff/`
    file: String,
    damage: Damage,
}

/// A way to look at a project, by what it is called.
struct Door {
    name: &'static str,
    args: Vec<String>,
}

/// An answer without what it says of problems, and all that was said.
#[derive(Clone, Debug)]
struct Answer {
    json: Value,
    everything: String,
    failed: bool,
}

pub(crate) fn run(lane: &Lane, wanted: Option<&str>) -> Result<Tally, String> {
    let place = scratch().map_err(|error| error.to_string())?;
    let project = DamagedProject::build(lane, &place.path().join("sandbox"))?;
    let mut cases = project.cases(&mut Rng::new(lane.seed));
    if let Some(wanted) = wanted {
        cases.retain(|case| format!("{} {}", case.damage.name(), case.file).contains(wanted));
    }
    if lane.sample {
        cases = Rng::new(lane.seed).sample(cases, SAMPLE);
    }
    let mut tally = Tally::default();
    for case in &cases {
        let what = format!("{}: {}", case.damage.name().split(" bit").next().unwrap_or_default(), case.file);
        let what = if let Damage::Flip(bit) = case.damage { format!("{what} (bit {bit})") } else { what };
        let result = project.suffer(case);
        project.restore()?;
        tally.check(&what, result);
    }
    Ok(tally)
}

/// A project with every kind of record, and its files as they were when it was built.
struct DamagedProject {
    sandbox: Sandbox,
    binary: PathBuf,
    doors: Vec<Door>,
    files: BTreeMap<PathBuf, Vec<u8>>,
    healthy: BTreeMap<&'static str, Answer>,
}

impl DamagedProject {
    fn build(lane: &Lane, root: &Path) -> Result<Self, String> {
        let sandbox = Sandbox::create(root).map_err(|error| error.to_string())?;
        let binary = lane.binary.clone();
        let mut project =
            DamagedProject { sandbox, binary, doors: Vec::new(), files: BTreeMap::new(), healthy: BTreeMap::new() };
        let (task, package) = project.fill()?;
        project.doors = doors(&task, &package);
        project.healthy = project.look()?;
        for (name, answer) in &project.healthy {
            if answer.failed {
                return Err(format!("{name} fails before any damage: {}", answer.everything));
            }
        }
        for path in files_below(project.sandbox.root()) {
            let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            project.files.insert(path, bytes);
        }
        Ok(project)
    }

    /// Makes a record of every kind. The id of a task with hours, and that of a package.
    fn fill(&self) -> Result<(String, String), String> {
        self.must(CLOCK, &["init", "sample"], None)?;
        self.must(CLOCK, &["config", "set", "settings.history_limit", "2"], None)?;
        self.must(CLOCK, &["config", "set", "settings.archive_after_days", "0"], None)?;
        self.must(CLOCK, &["milestone", "add", "beta", "--date", "2026-12-01"], None)?;
        self.must(CLOCK, &["team", "add", "alice"], None)?;
        let created = ["task", "create", "Alpha", "--label", "first", "--criterion", "builds", "--json"];
        let task = self.must(CLOCK, &created, None)?.json()?["id"].as_str().unwrap_or_default().to_owned();
        for (title, status) in [("Beta", "review"), ("Gamma", "done")] {
            self.must(CLOCK, &["task", "create", title, "--parent", &task, "--status", status], None)?;
        }
        for (day, title) in [("2026-09-05", "Older"), ("2026-10-05", "Old"), ("2026-10-06", "Old too")] {
            self.must(&format!("{day}T10:00:00Z"), &["task", "create", title, "--status", "done"], None)?;
        }
        for (number, month) in [(1, 9), (2, 10), (3, 10), (4, 11), (5, 11)] {
            let request = json!({
                "summary": format!("Saved number {number}"),
                "title": format!("Title {number}"),
                "next": [format!("Next step {number}")],
                "decisions": [{"decision": format!("Use way {number}"), "reason": "it works"}],
                "body": format!("# Body {number}\n\nSome words to find.\n"),
            });
            let clock = format!("2026-{month:02}-05T1{number}:00:00Z");
            self.must(&clock, &["save", "--request", "-"], Some(request.to_string()))?;
        }
        self.must(CLOCK, &["session", "start", "Under way"], None)?;
        let package = self.must(CLOCK, &["store", "--name", "pack"], Some("Words in a package.\n".to_owned()))?;
        for (clock, length) in [("2026-10-05T10:00:00Z", "2h"), (CLOCK, "90m"), (CLOCK, "30m")] {
            self.must(clock, &["time", "log", &task, length], None)?;
        }
        self.must(CLOCK, &["gc"], None)?;
        Ok((task, package.stdout.trim().to_owned()))
    }

    fn invoke(&self, clock: &str, args: &[&str], input: Option<String>) -> Result<Finished, String> {
        let env = vec![("HANDOFF_CLOCK", clock.to_owned()), ("HANDOFF_USER_NAME", "alice".to_owned())];
        let args = args.iter().map(|arg| (*arg).to_owned()).collect();
        self.sandbox.invoke(&self.binary, &Invocation { args, input, env }).map_err(|error| error.to_string())
    }

    fn must(&self, clock: &str, args: &[&str], input: Option<String>) -> Result<Finished, String> {
        let done = self.invoke(clock, args, input)?;
        let said = || format!("`handoff {}` fails with {}", args.join(" "), done.brief());
        if done.succeeded() { Ok(done) } else { Err(said()) }
    }

    /// What every door shows.
    fn look(&self) -> Result<BTreeMap<&'static str, Answer>, String> {
        let mut answers = BTreeMap::new();
        for Door { name, args } in &self.doors {
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let done = self.invoke(CLOCK, &args, None)?;
            if let Some(how) = done.died() {
                return Err(format!("`{name}` {how}: {}", done.brief()));
            }
            let mut json = serde_json::from_str(&done.stdout).unwrap_or(Value::Null);
            without_problems(&mut json);
            let everything = format!("{}\n{}", done.stdout, done.stderr);
            answers.insert(*name, Answer { json, everything, failed: !done.succeeded() });
        }
        answers.insert("mcp load_context", self.load_over_mcp()?);
        Ok(answers)
    }

    fn load_over_mcp(&self) -> Result<Answer, String> {
        let mut command = self.sandbox.command(&self.binary);
        command.arg("mcp").env("HANDOFF_CLOCK", CLOCK).env("HANDOFF_USER_NAME", "alice");
        let mut server = Server::connect(command, "damage")?;
        let result = server.request("tools/call", &json!({"name": "handoff_load_context", "arguments": {}}))?;
        let answer = Answer {
            json: Value::from(without_warnings(&said(&result))),
            everything: result.to_string(),
            failed: result["isError"] == true,
        };
        server.close()?;
        Ok(answer)
    }

    fn cases(&self, random: &mut Rng) -> Vec<Case> {
        let mut cases = Vec::new();
        for file in self.records() {
            use Damage::{Directory, Empty, Halve, Remove, Replace, Zero};
            let flips = if is_cache(&file) { 1 } else { FLIPS };
            let flips: Vec<Damage> = (0..flips).map(|_| Damage::Flip(random.below(1 << 20))).collect();
            for damage in [Empty, Zero, Halve, Remove, Directory, Replace].into_iter().chain(flips) {
                cases.push(Case { file: file.clone(), damage });
            }
        }
        cases
    }

    /// The files of records, and those of the cache.
    fn records(&self) -> Vec<String> {
        let store = self.sandbox.store();
        let below = self.files.keys().filter_map(|path| path.strip_prefix(&store).ok());
        let names = below.map(|path| path.to_string_lossy().into_owned());
        let is_record = |name: &String| {
            let top = name.split('/').next().unwrap_or_default();
            ["tasks", "sessions", "archive", "time", "config.toml"].contains(&top) || is_cache(name)
        };
        names.filter(is_record).collect()
    }

    fn suffer(&self, case: &Case) -> Result<(), String> {
        let path = self.sandbox.store().join(&case.file);
        let before = &self.files[&path];
        let Some(after) = self.damaged(case, before) else { return Ok(()) };
        apply(&path, case.damage, &after).map_err(|error| error.to_string())?;
        let seen = self.look()?;
        let changed = self.changed(&seen);
        if is_cache(&case.file) {
            return match changed.first() {
                None => Ok(()),
                Some((name, _)) => Err(format!("`{name}` shows something else, and the cache must make no difference")),
            };
        }
        let is_asked = !is_legitimate(case, before, &after);
        for (name, answer) in changed.iter().filter(|_| is_asked) {
            if !names(&answer.everything, &case.file) {
                return Err(format!(
                    "`{name}` shows something else without a word of it: {}",
                    self.difference(name, answer)
                ));
            }
        }
        let found = self.invoke(CLOCK, &["doctor", "--json"], None)?;
        let must_find = !changed.is_empty() || matches!(case.damage, Damage::Empty | Damage::Zero | Damage::Directory);
        if is_asked && must_find && !names(&found.stdout, &case.file) {
            return Err(format!("the doctor does not find it: {}", found.brief()));
        }
        self.mend_and_go_on(case, &seen)
    }

    fn changed<'a>(&self, seen: &'a BTreeMap<&'static str, Answer>) -> Vec<(&'static str, &'a Answer)> {
        let is_changed = |(name, answer): &(&&'static str, &Answer)| {
            let healthy = &self.healthy[**name];
            healthy.json != answer.json || answer.failed
        };
        seen.iter().filter(is_changed).map(|(name, answer)| (*name, answer)).collect()
    }

    fn difference(&self, name: &str, answer: &Answer) -> String {
        let (old, new) = (self.healthy[name].json.to_string(), answer.json.to_string());
        let same = old.bytes().zip(new.bytes()).take_while(|(one, other)| one == other).count();
        let part = |text: &str| {
            let bytes = &text.as_bytes()[same.saturating_sub(30).min(text.len())..];
            String::from_utf8_lossy(&bytes[..bytes.len().min(120)]).into_owned()
        };
        format!("…{}… became …{}…", part(&old), part(&new))
    }

    fn mend_and_go_on(&self, case: &Case, damaged: &BTreeMap<&'static str, Answer>) -> Result<(), String> {
        let fixed = self.invoke(CLOCK, &["doctor", "--fix", "--json"], None)?;
        if !matches!(fixed.code, Some(0 | 6)) {
            return Err(format!("`doctor --fix` fails with {}", fixed.brief()));
        }
        let seen = self.look()?;
        // A body whose record a person deleted is brought back as a record of its own, which answers then show.
        let brings_back = matches!(case.damage, Damage::Remove) && case.file.starts_with("sessions/");
        for (name, answer) in self.changed(&seen).into_iter().filter(|_| !brings_back) {
            let was = &damaged[name];
            if was.json == self.healthy[name].json && !was.failed {
                let difference = self.difference(name, answer);
                return Err(format!("`doctor --fix` made `{name}` wrong, which was right: {difference}"));
            }
        }
        let request = json!({"summary": "After the damage", "body": "Words.\n"}).to_string();
        self.must(CLOCK, &["save", "--request", "-"], Some(request)).map_err(|why| format!("after mending, {why}"))?;
        self.must(CLOCK, &["task", "create", "After"], None).map_err(|why| format!("after mending, {why}"))?;
        Ok(())
    }

    /// The bytes that the damage leaves; `None` where there is nothing to do.
    fn damaged(&self, case: &Case, before: &[u8]) -> Option<Vec<u8>> {
        let mut after = before.to_vec();
        match case.damage {
            Damage::Empty | Damage::Remove | Damage::Directory => after.clear(),
            Damage::Zero => after.fill(0),
            Damage::Halve => after.truncate(before.len() / 2),
            Damage::Flip(bit) => {
                let bit = bit % (after.len().max(1) * 8);
                *after.get_mut(bit / 8)? ^= 1 << (bit % 8);
            }
            Damage::Replace => after.clone_from(self.another(&case.file)?),
        }
        (after != before || matches!(case.damage, Damage::Remove | Damage::Directory)).then_some(after)
    }

    fn another(&self, file: &str) -> Option<&Vec<u8>> {
        let kind = |file: &str| {
            let (top, ending) =
                (file.split('/').next().unwrap_or_default(), file.rsplit('.').next().unwrap_or_default());
            (top.to_owned(), ending.to_owned())
        };
        let other = self.records().into_iter().find(|other| other != file && kind(other) == kind(file))?;
        self.files.get(&self.sandbox.store().join(other))
    }

    /// Puts every file back as it was, in place: a project that was copied is another one.
    fn restore(&self) -> Result<(), String> {
        let put_back = || -> std::io::Result<()> {
            for path in files_below(self.sandbox.root()) {
                if !self.files.contains_key(&path) {
                    fs::remove_file(&path)?;
                }
            }
            for (path, bytes) in &self.files {
                if path.is_dir() {
                    fs::remove_dir_all(path)?;
                }
                // A damage may have put a file where a directory was.
                for above in path.ancestors().skip(1).take_while(|above| above.starts_with(self.sandbox.root())) {
                    if above.is_file() {
                        fs::remove_file(above)?;
                    }
                }
                if fs::read(path).ok().as_ref() != Some(bytes) {
                    fs::create_dir_all(path.parent().unwrap_or(path))?;
                    fs::write(path, bytes)?;
                }
            }
            Ok(())
        };
        put_back().map_err(|error| format!("cannot put the project back: {error}"))?;
        self.remove_empty_tasks();
        Ok(())
    }

    /// Directories of tasks that were made or renamed meanwhile are empty by now.
    fn remove_empty_tasks(&self) {
        let mut open = vec![self.sandbox.store().join("tasks")];
        let mut found = Vec::new();
        while let Some(directory) = open.pop() {
            let entries = fs::read_dir(&directory).into_iter().flatten().flatten().map(|entry| entry.path());
            let inner: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
            found.extend(inner.clone());
            open.extend(inner);
        }
        // The deepest first; one with a file in it stays.
        for directory in found.iter().rev() {
            let _ = fs::remove_dir(directory);
        }
    }
}

fn doors(task: &str, package: &str) -> Vec<Door> {
    let door = |name, args: &[&str]| {
        let args = args.iter().chain(&["--json"]).map(|arg| (*arg).to_owned()).collect();
        Door { name, args }
    };
    vec![
        door("task list", &["task", "list", "--all"]),
        door("task show", &["task", "show", task]),
        door("session list", &["session", "list", "--archived", "--expired"]),
        door("session show", &["session", "show", package]),
        door("resume", &["resume"]),
        door("search", &["search", "words"]),
        door("time summary", &["time", "summary"]),
        door("metrics", &["metrics"]),
        door("dashboard", &["dashboard"]),
        door("export", &["export", "--all", "--format", "json"]),
    ]
}

fn apply(path: &Path, damage: Damage, after: &[u8]) -> std::io::Result<()> {
    match damage {
        Damage::Remove => fs::remove_file(path),
        Damage::Directory => fs::remove_file(path).and_then(|()| fs::create_dir(path)),
        _ => fs::write(path, after),
    }
}

fn is_cache(file: &str) -> bool {
    file.starts_with("local/cache/")
}

/// Whether a person may have meant it, so that nothing has to be said.
fn is_legitimate(case: &Case, before: &[u8], after: &[u8]) -> bool {
    let has_checksums = case.file.starts_with("archive/") || case.file.starts_with("time/");
    let is_body = case.file.starts_with("sessions/") && case.file.strip_suffix(".md").is_some();
    match case.damage {
        // Archives and time logs are only known to be gone where the log of changes says so, which the doctor reads.
        Damage::Remove => !is_body,
        // Text that people may edit, in a file that still says the same things.
        Damage::Flip(_) | Damage::Halve | Damage::Replace if is_body => true,
        // The first keys of a record are a record too, as a person may write it.
        Damage::Halve if !has_checksums => shape(after).is_some_and(|keys| !keys.is_empty()),
        Damage::Flip(_) if !has_checksums => {
            shape(before).is_some_and(|shape_before| shape(after) == Some(shape_before))
        }
        _ => false,
    }
}

/// The keys of a TOML file and the types of their values.
fn shape(bytes: &[u8]) -> Option<Vec<String>> {
    fn add(at: &str, value: &toml::Value, found: &mut Vec<String>) {
        match value {
            toml::Value::Table(table) => {
                table.iter().for_each(|(key, value)| add(&format!("{at}.{key}"), value, found));
            }
            toml::Value::Array(items) => items.iter().for_each(|item| add(&format!("{at}[]"), item, found)),
            other => found.push(format!("{at}: {}", other.type_str())),
        }
    }
    let table: toml::Table = toml::from_str(std::str::from_utf8(bytes).ok()?).ok()?;
    let mut found = Vec::new();
    add("", &toml::Value::Table(table), &mut found);
    Some(found)
}

/// Whether an answer names a file, or the directory of the task it is the file of.
fn names(answer: &str, file: &str) -> bool {
    let directory = file.strip_suffix("/task.toml").unwrap_or(file);
    let last = directory.rsplit('/').next().unwrap_or(directory);
    answer.contains(last)
}

/// Takes out what answers say of problems, and what differs between any two answers.
fn without_problems(json: &mut Value) {
    match json {
        Value::Object(fields) => {
            for name in ["warnings", "problems", "problem", "state_problem"] {
                fields.remove(name);
            }
            fields.values_mut().for_each(without_problems);
        }
        Value::Array(items) => items.iter_mut().for_each(without_problems),
        _ => {}
    }
}

fn without_warnings(text: &str) -> String {
    text.lines().filter(|line| !line.contains("warning") && !line.contains(".toml:")).collect::<Vec<_>>().join("\n")
}
