//! Our commits once more, on top of what others pushed.
//!
//! **Invariant:** only commits of ours are made anew, one by one; what others changed stays as they left it. A file that
//! both changed is joined by the rules of its kind, and where there are none, line by line. What cannot be joined stops
//! everything.

use std::collections::{HashMap, HashSet};

use handoff_model::heal::{Sides, merge};
use handoff_model::layers::{self, Layer};
use handoff_model::session::Archive;
use handoff_model::session::archive::is_file_name;
use handoff_model::when::Moment;

use super::super::fields;
use super::super::raw::Row;
use super::super::run::{Asking, Failure, Running};
use super::acting::{Acting, line};
use super::commit::tree_commit;
use super::error::PublishError;
use super::ours::{self, Logged};
use super::staging::{differences, id};
use crate::layout::{ARCHIVE, CURRENT_STATE};
use crate::{DIRECTORY, doctor};

/// What became of it.
pub(super) enum Replay {
    /// The newest of our commits, ready to be pushed
    OnTop(String),
    /// The remote has them as they are
    Contained,
    /// The remote has all of them, under other ids
    AllThere,
    /// The person brought the two together in this commit
    Together(String),
    Conflict {
        path: String,
        reason: String,
    },
}

pub(super) fn replay(
    acting: &Acting<'_>,
    newest: &str,
    tip: &str,
    there: &str,
    sign: Option<bool>,
) -> Result<Replay, PublishError> {
    let fail = |failure: Failure| PublishError::asking("read what others pushed", &failure);
    if acting.is_true(&["merge-base", "--is-ancestor", newest, there]) {
        return Ok(Replay::Contained);
    }
    if acting.is_true(&["merge-base", "--is-ancestor", there, newest]) {
        return Ok(Replay::OnTop(newest.to_owned()));
    }
    let runs = ours::runs(&acting.quiet, &[there.to_owned()]).map_err(fail)?;
    let local = ours::log(&acting.quiet, &[newest, "--not", there]).map_err(fail)?;
    let is_missing = |logged: &&Logged| logged.run.as_ref().is_some_and(|run| !runs.contains(run));
    let missing: Vec<&Logged> = local.iter().rev().filter(is_missing).collect();
    if missing.is_empty() {
        return Ok(Replay::AllThere);
    }
    if let Some(commit) = together(acting, newest, there, tip) {
        return Ok(Replay::Together(commit));
    }
    let mut top = there.to_owned();
    for logged in missing {
        match on_top(acting, logged, &top, sign)? {
            Ok(commit) => top = commit,
            Err(Conflict { path, reason }) => return Ok(Replay::Conflict { path, reason }),
        }
    }
    Ok(Replay::OnTop(top))
}

/// The first commit on the way to the tip that comes after both; what the person has on top of it is not asked for.
fn together(acting: &Acting<'_>, ours: &str, theirs: &str, tip: &str) -> Option<String> {
    if !acting.is_true(&["merge-base", "--is-ancestor", theirs, tip]) {
        return None;
    }
    let after = |commit: &str| {
        let range = format!("{commit}..{tip}");
        acting.line("read the history", &["rev-list", "--topo-order", "--reverse", "--ancestry-path", &range]).ok()
    };
    let (ours, theirs) = (after(ours)?, after(theirs)?);
    let theirs: HashSet<&str> = theirs.lines().collect();
    ours.lines().find(|commit| theirs.contains(commit)).map(str::to_owned)
}

/// A file that two changed in ways that do not go together.
#[derive(Debug)]
pub(super) struct Conflict {
    pub(super) path: String,
    pub(super) reason: String,
}

/// A file of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    mode: String,
    blob: String,
}

/// Makes one commit anew.
fn on_top(
    acting: &Acting<'_>,
    logged: &Logged,
    tip: &str,
    sign: Option<bool>,
) -> Result<Result<String, Conflict>, PublishError> {
    let doing = "put a commit on top of what others pushed";
    let fail = |failure: Failure| PublishError::asking(doing, &failure);
    let asking = acting.quiet.with("GIT_INDEX_FILE", acting.scratch("index"));
    let rows = differences(&acting.quiet, logged.parents.first().map(String::as_str), &logged.commit)?;
    let about = About::of(&acting.quiet, &logged.commit).map_err(fail)?;
    if let Some(conflict) = put(acting, &asking, &rows, tip, about.at)?.into_iter().next() {
        return Ok(Err(conflict));
    }
    let tree = line(&asking, doing, &["write-tree"])?;
    let asking = about.as_author(&acting.plain);
    tree_commit(&asking, acting, &tree, Some(tip), &about.message, sign).map(Ok)
}

/// Fills an index with a commit and puts changes on top of it. Where both changed a file and the two cannot be joined,
/// ours stands, and is told.
pub(super) fn put(
    acting: &Acting<'_>,
    index: &Asking,
    rows: &[Row],
    tip: &str,
    at: Moment,
) -> Result<Vec<Conflict>, PublishError> {
    let fail = |failure: Failure| PublishError::asking("put files on top of a commit", &failure);
    index.run(&["read-tree", tip]).map_err(fail)?;
    let theirs = entries(&acting.quiet, tip, rows).map_err(fail)?;
    let (mut changes, mut conflicts) = (Vec::new(), Vec::new());
    for row in rows {
        let entry = match join(acting, row, theirs.get(&row.path), at)? {
            Ok(Some(entry)) => entry,
            Ok(None) => continue,
            Err(reason) => {
                conflicts.push(Conflict { path: row.path.clone(), reason });
                row.after.clone().map(|blob| Entry { mode: row.mode.clone(), blob })
            }
        };
        // An entry of mode 0 is one that goes.
        let none = Entry { mode: "0".to_owned(), blob: "0".repeat(tip.len()) };
        let Entry { mode, blob } = entry.unwrap_or(none);
        changes.extend_from_slice(format!("{mode} {blob}\t{}\0", row.path).as_bytes());
    }
    // Where a file stood that is a directory now, or the other way round, ours stands.
    let running = index.begin(&["update-index", "--replace", "-z", "--index-info"], Some(changes));
    running.and_then(Running::finish).map_err(fail)?;
    Ok(conflicts)
}

/// When a commit was made.
pub(super) fn time_of(asking: &Asking, commit: &str) -> Result<Moment, PublishError> {
    let about = About::of(asking, commit);
    about.map(|about| about.at).map_err(|failure| PublishError::asking("read the history", &failure))
}

/// What others have under the paths that we changed.
fn entries(asking: &Asking, tip: &str, rows: &[Row]) -> Result<HashMap<String, Entry>, Failure> {
    let mut found = HashMap::new();
    for some in rows.chunks(100) {
        let mut arguments = vec!["ls-tree", "-z", "--full-tree", tip, "--"];
        arguments.extend(some.iter().map(|row| row.path.as_str()));
        let listed = asking.run(&arguments)?;
        for entry in fields(&listed) {
            let Some((about, path)) = std::str::from_utf8(entry).ok().and_then(|entry| entry.split_once('\t')) else {
                continue;
            };
            let mut words = about.split(' ');
            if let (Some(mode), Some(_), Some(blob)) = (words.next(), words.next(), words.next()) {
                found.insert(path.to_owned(), Entry { mode: mode.to_owned(), blob: blob.to_owned() });
            }
        }
    }
    Ok(found)
}

/// What a file becomes: an entry, gone (`Some(None)`), or as others have it (`None`); or why that cannot be said.
type Joined = Result<Option<Option<Entry>>, String>;

fn join(acting: &Acting<'_>, row: &Row, theirs: Option<&Entry>, at: Moment) -> Result<Joined, PublishError> {
    let ours = row.after.clone().map(|blob| Entry { mode: row.mode.clone(), blob });
    let their_blob = theirs.map(|entry| &entry.blob);
    if their_blob == row.before.as_ref() {
        return Ok(Ok(Some(ours)));
    }
    if their_blob == row.after.as_ref() {
        return Ok(Ok(None));
    }
    let (Some(ours), Some(theirs)) = (ours, theirs) else {
        return Ok(Err("one of the two deleted it".to_owned()));
    };
    if !is_file(&ours) || !is_file(theirs) {
        return Ok(Err("it is not an ordinary file on both sides".to_owned()));
    }
    // Made anew with each handoff, so the later one counts.
    if row.path.rsplit('/').next() == Some(CURRENT_STATE) {
        return Ok(Ok(Some(Some(ours))));
    }
    let text = match joined_text(acting, row, &ours.blob, &theirs.blob, at)? {
        Ok(text) => text,
        Err(reason) => return Ok(Err(reason)),
    };
    let doing = "keep a joined file";
    let running = acting.quiet.begin(&["hash-object", "-w", "--no-filters", "--stdin"], Some(text));
    let said = running.and_then(Running::finish).map_err(|failure| PublishError::asking(doing, &failure))?;
    let blob = id(String::from_utf8_lossy(&said).trim().to_owned(), doing)?;
    Ok(Ok(Some(Some(Entry { mode: ours.mode, blob }))))
}

fn is_file(entry: &Entry) -> bool {
    matches!(entry.mode.as_str(), "100644" | "100755")
}

fn joined_text(
    acting: &Acting<'_>,
    row: &Row,
    ours: &str,
    theirs: &str,
    at: Moment,
) -> Result<Result<Vec<u8>, String>, PublishError> {
    let read = |blob: &str| {
        let said = acting.quiet.run(&["cat-file", "blob", blob]);
        said.map_err(|failure| PublishError::asking("read a file that both changed", &failure))
    };
    let base = row.before.as_deref().map(read).transpose()?;
    let (ours, theirs) = (read(ours)?, read(theirs)?);
    let joined =
        by_fields(&row.path, base.as_deref(), &ours, &theirs, at).or_else(|| by_sessions(&row.path, &ours, &theirs));
    if let Some(text) = joined {
        return Ok(Ok(text));
    }
    // Of a mirror each side made its own from the records; the next handover makes it of those of both.
    if is_mirror(&ours) && is_mirror(&theirs) {
        return Ok(Ok(ours));
    }
    let [mine, before, other] = [
        acting.scratch_file("ours", &ours)?,
        acting.scratch_file("base", base.as_deref().unwrap_or_default())?,
        acting.scratch_file("theirs", &theirs)?,
    ]
    .map(|path| path.display().to_string());
    let arguments = ["merge-file", "-p", "-q", &mine, &before, &other];
    let said = acting.quiet.run(&arguments);
    Ok(said.map_err(|_| "in ways that do not go together".to_owned()))
}

/// Two versions of one of our records, value by value.
fn by_fields(path: &str, base: Option<&[u8]>, ours: &[u8], theirs: &[u8], at: Moment) -> Option<Vec<u8>> {
    let (_, inside) = path.split_once(&format!("{DIRECTORY}/"))?;
    let kind = doctor::record(inside)?;
    let base = base.and_then(|base| std::str::from_utf8(base).ok());
    let (ours, theirs) = (std::str::from_utf8(ours).ok()?, std::str::from_utf8(theirs).ok()?);
    merge(kind, Sides { base, ours, theirs }, at).ok().map(|merged| merged.text.into_bytes())
}

/// Two versions of an archive: our text, with the sessions that only the others put there.
fn by_sessions(path: &str, ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    let (_, name) = path.split_once(&format!("{DIRECTORY}/{ARCHIVE}/")).filter(|(_, name)| is_file_name(name))?;
    let text = |bytes| std::str::from_utf8(bytes).ok();
    let ((mut ours, mine), (theirs, other)) = (Archive::read(name, text(ours)?), Archive::read(name, text(theirs)?));
    if !mine.is_empty() || !other.is_empty() {
        return None;
    }
    for session in theirs.sessions() {
        match ours.get(session.name).map(|own| own.toml_text == session.toml_text && own.body == session.body) {
            Some(true) => {}
            Some(false) => return None,
            None => ours.add(session.name, session.toml_text, session.body).ok()?,
        }
    }
    Some(ours.print().into_bytes())
}

/// Whether a file is a mirror of ours and nothing else.
fn is_mirror(bytes: &[u8]) -> bool {
    Layer::ALL.iter().any(|layer| layers::of_others(*layer, bytes).is_some_and(<[u8]>::is_empty))
}

/// Whose a commit is, when it was made and what it says.
struct About {
    name: String,
    email: String,
    date: String,
    at: Moment,
    message: String,
}

impl About {
    fn of(asking: &Asking, commit: &str) -> Result<About, Failure> {
        let format = "--format=%an%n%ae%n%at%n%ad%n%B";
        let said = asking.run(&["log", "-1", "--date=raw", "--encoding=UTF-8", format, commit, "--"])?;
        let said = String::from_utf8_lossy(&said).into_owned();
        let mut parts = said.splitn(5, '\n').map(str::to_owned);
        let mut next = || parts.next().unwrap_or_default();
        let (name, email, seconds, date, message) = (next(), next(), next(), next(), next());
        let at = seconds.parse().ok().and_then(|seconds: i64| Moment::from_milliseconds(seconds.saturating_mul(1000)));
        let at = at.or_else(|| Moment::from_milliseconds(0)).expect("1970 is in every calendar");
        Ok(About { name, email, date, at, message: message.trim_end().to_owned() + "\n" })
    }

    fn as_author(&self, asking: &Asking) -> Asking {
        let asking = asking.with("GIT_AUTHOR_NAME", &self.name).with("GIT_AUTHOR_EMAIL", &self.email);
        asking.with("GIT_AUTHOR_DATE", format!("@{}", self.date))
    }
}
