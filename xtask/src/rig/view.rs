//! What a fresh process sees of a project, in a form that two runs of one operation share.
//!
//! Ids are random and times pass, so a view names tasks and sessions by their titles and blurs times; everything else
//! that the commands show must be equal. That lets a rig compare whole states and never forget a field.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{Finished, Sandbox};

/// The answer to "what is there?".
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen {
    /// No project, which is what an `init` that did not happen leaves.
    Nothing,
    Project(View),
}

/// Everything the commands show about one project.
#[derive(Debug, Clone)]
pub(crate) struct View {
    /// One line per fact, sorted.
    facts: Vec<String>,
    /// Directories whose name lags behind the file in them.
    lagging: Vec<String>,
    /// What `current-state.md` says, which is made anew after a change of sessions and may lag behind as well.
    overview: Option<String>,
}

/// What is there counts; names of directories and the overview only follow it.
impl PartialEq for View {
    fn eq(&self, other: &Self) -> bool {
        self.facts == other.facts
    }
}

impl Eq for View {}

impl Seen {
    /// Asks fresh processes. A problem they report is an error, but for a directory name that lags behind its file:
    /// the file is the commit, and the name follows it without being part of it.
    pub(crate) fn look(sandbox: &Sandbox, binary: &Path) -> Result<Self, String> {
        let list = run(sandbox, binary, &["task", "list", "--all", "--json"])?;
        if list.code == Some(3) {
            return Ok(Self::Nothing);
        }
        let list = answer(&list, "task list")?;
        let lagging = only_lagging(&list)?;
        let tasks = flatten(&list);
        let sessions = sessions(sandbox, binary)?;
        let named = Named::new(&tasks, &sessions)?;
        let mut facts = Vec::new();
        for (position, task) in tasks.iter().enumerate() {
            let title = text(task, "title");
            facts.push(format!("{position:03} is {title}"));
            let id = text(task, "id");
            let shown = run(sandbox, binary, &["task", "show", &id, "--json"])?;
            let mut shown = answer(&shown, &format!("task show {id}"))?;
            only_lagging(&shown)?;
            if let Some(fields) = shown.as_object_mut() {
                fields.remove("problems");
            }
            named.gather(&mut facts, &title, &shown);
        }
        let archived = run(sandbox, binary, &["task", "list", "--archived", "--json"])?;
        for task in flatten(&answer(&archived, "task list --archived")?) {
            facts.push(format!("{} is archived as {}", text(task, "title"), text(task, "status")));
        }
        for session in &sessions {
            named.gather(&mut facts, &format!("session {}", headline(session)), session);
        }
        let config = run(sandbox, binary, &["config", "get", "--json"])?;
        Named::default().gather(&mut facts, "config", &answer(&config, "config get")?);
        let ignored = fs::read_to_string(sandbox.store().join(".gitignore")).unwrap_or_default();
        facts.push(format!("git ignores {ignored:?}"));
        facts.sort();
        let overview = fs::read(sandbox.store().join("current-state.md")).ok();
        let overview = overview.map(|bytes| named.blur_all(&String::from_utf8_lossy(&bytes)));
        Ok(Self::Project(View { facts, lagging, overview }))
    }

    /// Directories whose name lags behind the file in them.
    pub(crate) fn lagging(&self) -> &[String] {
        match self {
            Self::Nothing => &[],
            Self::Project(view) => &view.lagging,
        }
    }

    /// An error when `current-state.md` tells another state than the one that is expected.
    pub(crate) fn same_overview(&self, expected: &Self) -> Result<(), String> {
        let overview = |seen: &Self| match seen {
            Self::Nothing => None,
            Self::Project(view) => view.overview.clone(),
        };
        let (ours, theirs) = (overview(self), overview(expected));
        if ours == theirs {
            return Ok(());
        }
        Err(format!("current-state.md says {ours:?} instead of {theirs:?}"))
    }

    /// Whether both are equal but for which sessions are in the archive, and for the project's name in them, which is
    /// that of the directory when the settings cannot be read.
    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        let said = |seen: &Self| match seen {
            Self::Nothing => None,
            Self::Project(view) => {
                let is_aside = |fact: &&String| {
                    fact.starts_with("session ") && (fact.contains("/archived = ") || fact.contains("/project = "))
                };
                Some(view.facts.iter().filter(|fact| !is_aside(fact)).cloned().collect::<Vec<_>>())
            }
        };
        said(self) == said(other)
    }

    /// The first few facts that differ, for a failure report.
    pub(crate) fn difference(&self, expected: &Self) -> String {
        match (self, expected) {
            (Self::Nothing, Self::Nothing) => "no difference".to_owned(),
            (Self::Nothing, Self::Project(_)) => "the project is gone".to_owned(),
            (Self::Project(_), Self::Nothing) => "there is a project".to_owned(),
            (Self::Project(seen), Self::Project(expected)) => {
                let missing = expected.facts.iter().filter(|fact| !seen.facts.contains(fact));
                let added = seen.facts.iter().filter(|fact| !expected.facts.contains(fact));
                let lines: Vec<String> = missing
                    .map(|fact| format!("missing: {fact}"))
                    .chain(added.map(|fact| format!("unexpected: {fact}")))
                    .take(6)
                    .collect();
                lines.join("; ")
            }
        }
    }
}

/// All tasks of a listing, parents before children, whether it is nested or flat.
pub(crate) fn flatten(list: &Value) -> Vec<&Value> {
    fn walk<'a>(tasks: &'a Value, found: &mut Vec<&'a Value>) {
        for task in tasks.as_array().into_iter().flatten() {
            found.push(task);
            walk(&task["children"], found);
        }
    }
    let mut found = Vec::new();
    walk(&list["tasks"], &mut found);
    found
}

/// An error when a listing reports anything mended, damaged or missing.
pub(crate) fn no_problems(answer: &Value, command: &str) -> Result<(), String> {
    match answer["problems"].as_array() {
        Some(problems) if !problems.is_empty() => Err(format!("`{command}` reports problems: {}", answer["problems"])),
        _ => Ok(()),
    }
}

/// The paths of lagging names; an error when anything else is wrong.
pub(crate) fn only_lagging(answer: &Value) -> Result<Vec<String>, String> {
    let mut lagging = Vec::new();
    for problem in answer["problems"].as_array().into_iter().flatten() {
        let reason = text(problem, "reason");
        if text(problem, "severity") != "mended" || !reason.starts_with("the name of the directory") {
            return Err(format!("a problem is reported: {problem}"));
        }
        lagging.push(text(problem, "path"));
    }
    Ok(lagging)
}

pub(crate) fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

fn run(sandbox: &Sandbox, binary: &Path, args: &[&str]) -> Result<Finished, String> {
    sandbox.run(binary, args).map_err(|error| format!("cannot start {}: {error}", binary.display()))
}

fn answer(finished: &Finished, command: &str) -> Result<Value, String> {
    if finished.succeeded() { finished.json() } else { Err(format!("`{command}` fails with {}", finished.brief())) }
}

/// All about every session, archived or not, each of them there once.
pub(crate) fn sessions(sandbox: &Sandbox, binary: &Path) -> Result<Vec<Value>, String> {
    let list = run(sandbox, binary, &["session", "list", "--archived", "--json"])?;
    let list = answer(&list, "session list")?;
    no_problems(&list, "session list")?;
    let mut ids = BTreeSet::new();
    let mut found = Vec::new();
    for listed in list["sessions"].as_array().into_iter().flatten() {
        let id = text(listed, "id");
        if !ids.insert(id.clone()) {
            return Err(format!("session {id} is there twice"));
        }
        let shown = run(sandbox, binary, &["session", "show", &id, "--json"])?;
        let shown = answer(&shown, &format!("session show {id}"))?;
        no_problems(&shown, "session show")?;
        found.push(shown);
    }
    Ok(found)
}

/// What a session is called where its id means nothing.
fn headline(session: &Value) -> String {
    session["title"].as_str().map_or_else(|| text(session, "summary"), str::to_owned)
}

/// The length of a session's id, and the least of it that is shown.
const SESSION_ID: usize = 8;
const SHORTEST_ID: usize = 3;

/// Ids, and the titles they stand for.
#[derive(Debug, Default)]
struct Named(Vec<(String, String)>);

impl Named {
    fn new(tasks: &[&Value], sessions: &[Value]) -> Result<Self, String> {
        let ids: BTreeSet<String> = tasks.iter().map(|task| text(task, "id")).collect();
        if ids.len() != tasks.len() {
            return Err("two tasks share one id".to_owned());
        }
        let tasks = tasks.iter().map(|task| (text(task, "id"), format!("<{}>", text(task, "title"))));
        // The full name of a session holds its id, so it comes first.
        let full = sessions.iter().map(|session| (text(session, "name"), format!("<{}>", headline(session))));
        let short = sessions.iter().map(|session| (text(session, "id"), format!("<{}>", headline(session))));
        Ok(Self(full.chain(short).chain(tasks).collect()))
    }

    /// Adds one fact per leaf of `value`, such as `Alpha /status = "todo"`.
    fn gather(&self, facts: &mut Vec<String>, path: &str, value: &Value) {
        match value {
            Value::Object(fields) => {
                for (key, field) in fields {
                    // A revision is a hash over times and ids, which are meant to differ; the place of a file is only
                    // a view. A save that is asked again may make a second session, whose items are those of the first.
                    let is_of_twin = key == "since" && self.is_titled_like(path, field);
                    if key != "rev" && key != "file" && !is_of_twin {
                        self.gather(facts, &format!("{path}/{key}"), field);
                    }
                }
            }
            Value::Array(items) => {
                facts.push(format!("{path} has {} items", items.len()));
                for (position, item) in items.iter().enumerate() {
                    self.gather(facts, &format!("{path}/{position}"), item);
                }
            }
            Value::String(string) => facts.push(format!("{path} = {:?}", self.blur(string))),
            other => facts.push(format!("{path} = {other}")),
        }
    }

    /// Reports whether a field names a session with the title of the session that the path leads into.
    fn is_titled_like(&self, path: &str, field: &Value) -> bool {
        let title = field.as_str().map(|name| self.titled(name));
        let title = title.as_deref().and_then(|title| title.strip_prefix('<')?.strip_suffix('>'));
        title.is_some_and(|title| path.starts_with(&format!("session {title}/")))
    }

    /// Ids become titles, and a point in time becomes the fact that there is one.
    fn blur(&self, string: &str) -> String {
        if is_instant(string) { "<instant>".to_owned() } else { self.titled(string) }
    }

    /// A page with titles for ids, in which no number counts.
    fn blur_all(&self, page: &str) -> String {
        let mut page = self.titled(page);
        // Decisions and items are named by the shortest beginning of a session's id that is unique.
        for (id, title) in self.0.iter().filter(|(id, _)| id.is_ascii() && id.len() == SESSION_ID) {
            for length in (SHORTEST_ID..SESSION_ID).rev() {
                page = page.replace(&format!(" {}#", &id[..length]), &format!(" {title}#"));
            }
        }
        page.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect()
    }

    fn titled(&self, string: &str) -> String {
        let mut titled = string.to_owned();
        for (id, title) in self.0.iter().filter(|(id, _)| !id.is_empty()) {
            if titled.contains(id.as_str()) {
                titled = titled.replace(id.as_str(), title);
            }
        }
        titled
    }
}

/// `2026-11-15T09:15:03Z`, with or without a fraction.
fn is_instant(string: &str) -> bool {
    let bytes = string.as_bytes();
    bytes.len() >= 20 && bytes[10] == b'T' && bytes[4] == b'-' && bytes[7] == b'-' && bytes.ends_with(b"Z")
}
