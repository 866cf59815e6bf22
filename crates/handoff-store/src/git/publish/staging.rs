//! What would be committed: a tree made in an index of its own, so that nobody's index is touched.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::super::raw::{self, Row};
use super::super::run::{Asking, Failure};
use super::super::{fields, is_id};
use super::LeftOut;
use super::acting::{Acting, line};
use super::error::PublishError;
use super::paths::{Wanted, is_among};
use super::replay::{Conflict, put, time_of};
use super::target::Target;
use super::words::name;
use crate::DIRECTORY;
use crate::layout::{LOCAL, PAUSE};

/// A tree that is ready to be committed.
#[derive(Debug)]
pub(super) struct Staged {
    /// The index that the tree was made of
    pub(super) index: PathBuf,
    pub(super) tree: String,
    /// What is different from the tip
    pub(super) rows: Vec<Row>,
    /// The paths that were looked at
    pub(super) paths: Vec<String>,
    pub(super) left_out: Vec<LeftOut>,
    /// What lies under the paths here, as a tree, where that is not what the branch has
    pub(super) own: Option<String>,
    pub(super) conflicts: Vec<Conflict>,
}

/// Puts what lies under the wanted paths on top of the tip.
pub(super) fn stage(
    acting: &Acting<'_>,
    target: &Target,
    wanted: &Wanted,
    force_ignored: bool,
) -> Result<Staged, PublishError> {
    let doing = "put the files together";
    let fail = |failure: Failure| PublishError::asking(doing, &failure);
    let index = acting.scratch("index");
    let asking = acting.quiet.with("GIT_INDEX_FILE", &index);
    fill(acting, &asking, &index, target).map_err(fail)?;

    let mut left_out = wanted.left_out.clone();
    let before = tracked(&asking, &wanted.paths).map_err(fail)?;
    let is_tracked = |path: &String| before.iter().any(|entry| is_among(&entry.path, std::slice::from_ref(path)));
    let (mut plain, mut tracked_only) = (Vec::new(), Vec::new());
    let ignored = ignored_by(&asking, &wanted.paths);
    for path in &wanted.paths {
        let rule = ignored.iter().find(|(ignored, _)| ignored == path).map(|(_, rule)| rule);
        let is_there = acting.git.root.join(path).symlink_metadata().is_ok();
        match rule {
            None if is_there || is_tracked(path) => plain.push(path.as_str()),
            None => left_out.push(LeftOut { path: path.clone(), why: "it is not there".to_owned() }),
            Some(rule) => {
                if is_tracked(path) {
                    tracked_only.push(path.as_str());
                }
                // No rule is about a file that git has already.
                let is_file = before.iter().any(|entry| &entry.path == path);
                if !force_ignored && !is_file {
                    left_out.push(LeftOut { path: path.clone(), why: told(rule) });
                }
            }
        }
    }
    let is_sparse = acting.is_set("core.sparseCheckout");
    add(&asking, "-A", is_sparse, &plain).map_err(fail)?;
    add(&asking, "-u", is_sparse, &tracked_only).map_err(fail)?;
    if force_ignored {
        add_ignored(&asking, &wanted.paths).map_err(fail)?;
    }
    let after = tracked(&asking, &wanted.paths).map_err(fail)?;
    drop_others(&asking, &wanted.of_git, &before, &after, &mut left_out).map_err(fail)?;
    for path in plain.iter().filter(|path| acting.git.root.join(path).is_dir()) {
        let path = (*path).to_owned();
        if !after.iter().any(|entry| is_among(&entry.path, std::slice::from_ref(&path))) {
            left_out.extend(all_ignored(&asking, path));
        }
    }
    let mut tree = line(&asking, doing, &["write-tree"])?;
    let (mut own, mut conflicts) = (None, Vec::new());
    if let Some((tip, name)) = target.tip.as_deref().zip(own_name(target)) {
        // Others may commit to a branch that is not checked out, and their files are not here: only what changed here
        // since the last time goes there.
        let last = line(&acting.quiet, doing, &["rev-parse", "-q", "--verify", &format!("{name}^{{tree}}")]).ok();
        let changes = differences(&acting.quiet, last.as_deref(), &tree)?;
        let combined = acting.quiet.with("GIT_INDEX_FILE", acting.scratch("index"));
        conflicts = put(acting, &combined, &changes, tip, time_of(&acting.quiet, tip)?)?;
        own = Some(std::mem::replace(&mut tree, line(&combined, doing, &["write-tree"])?));
    } else if !target.is_here {
        own = Some(tree.clone());
    }
    let rows = differences(&asking, target.tip.as_deref(), &tree)?;
    let mut paths: Vec<String> = plain.into_iter().chain(tracked_only).map(str::to_owned).collect();
    if force_ignored {
        paths.clone_from(&wanted.paths);
    }
    Ok(Staged { index, tree, rows, paths, left_out, own, conflicts })
}

/// The name under which a work tree keeps what it last published to a branch that is not checked out.
pub(super) fn own_name(target: &Target) -> Option<String> {
    target.branch.as_ref().filter(|_| !target.is_here).map(|branch| format!("refs/worktree/handoff/{branch}"))
}

/// The files in which a commit differs from its parent, or a tree from a commit.
pub(super) fn differences(asking: &Asking, from: Option<&str>, to: &str) -> Result<Vec<Row>, PublishError> {
    let doing = "compare two versions";
    let empty;
    let from = if let Some(from) = from {
        from
    } else {
        empty = empty_tree(asking)?;
        &empty
    };
    let arguments = ["diff-tree", "-r", "--raw", "-z", "--no-abbrev", "--no-renames", from, to];
    let said = asking.run(&arguments).map_err(|failure| PublishError::asking(doing, &failure))?;
    Ok(raw::parse(&said))
}

fn empty_tree(asking: &Asking) -> Result<String, PublishError> {
    let running = asking.begin(&["hash-object", "-t", "tree", "--stdin"], Some(Vec::new()));
    let said = running.and_then(super::super::run::Running::finish);
    let said = said.map_err(|failure| PublishError::asking("compare with nothing", &failure))?;
    Ok(String::from_utf8_lossy(&said).trim().to_owned())
}

/// Makes the index say what the tip says; of a branch that is not checked out it says nothing.
#[expect(clippy::disallowed_methods, reason = "the index is for git, and gone when it is done")]
fn fill(acting: &Acting<'_>, asking: &Asking, index: &Path, target: &Target) -> Result<(), Failure> {
    let tip = target.tip.as_deref().filter(|_| target.is_here);
    let Some(tip) = tip else { return asking.run(&["read-tree", "--empty"]).map(drop) };
    // What the person's index knows of their files saves git from reading all of them again.
    if copy(&acting.git.own_dir.join("index"), index).is_ok()
        && asking.run(&["read-tree", "--reset", "-i", tip]).is_ok()
    {
        return Ok(());
    }
    let _ = fs::remove_file(index);
    asking.run(&["read-tree", tip]).map(drop)
}

/// Copies an index with its time, by which git knows which files may have changed in the second it was written in.
#[expect(clippy::disallowed_methods, reason = "the copy is for git, and gone when it is done")]
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let time = fs::metadata(from)?.modified()?;
    fs::copy(from, to)?;
    File::options().write(true).open(to)?.set_modified(time)
}

/// A file that an index has.
struct Entry {
    path: String,
    is_repository: bool,
}

fn tracked(asking: &Asking, paths: &[String]) -> Result<Vec<Entry>, Failure> {
    let mut arguments = vec!["ls-files", "-z", "--stage", "--"];
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    arguments.extend(paths.iter().map(String::as_str));
    let listed = asking.run(&arguments)?;
    let entries = fields(&listed).filter_map(|entry| std::str::from_utf8(entry).ok()?.split_once('\t'));
    Ok(entries
        .map(|(about, path)| Entry { path: path.to_owned(), is_repository: about.starts_with("160000") })
        .collect())
}

/// How often files are put in that others change at the same moment.
const TRIES: u32 = 6;

fn add(asking: &Asking, how: &str, is_sparse: bool, paths: &[&str]) -> Result<(), Failure> {
    if paths.is_empty() {
        return Ok(());
    }
    let sparse = is_sparse.then_some("--sparse");
    let arguments: Vec<&str> =
        ["add", how].into_iter().chain(sparse).chain(["--"]).chain(paths.iter().copied()).collect();
    again(|| asking.run(&arguments).map(drop))
}

fn again(mut attempt: impl FnMut() -> Result<(), Failure>) -> Result<(), Failure> {
    let mut tried = 1;
    loop {
        match attempt() {
            // A file that went between being listed and being read is no reason to give up.
            Err(Failure::Refused(_)) if tried < TRIES => thread::sleep(Duration::from_millis(10 << tried)),
            done => return done,
        }
        tried += 1;
    }
}

/// Puts in what rules would leave out, but for what belongs to one machine alone.
fn add_ignored(asking: &Asking, paths: &[String]) -> Result<(), Failure> {
    if paths.is_empty() {
        return Ok(());
    }
    let arguments: Vec<&str> =
        ["ls-files", "-z", "--others", "--"].into_iter().chain(paths.iter().map(String::as_str)).collect();
    again(|| {
        let listed = asking.run(&arguments)?;
        let mut names = Vec::new();
        for path in fields(&listed).filter(|path| !path.ends_with(b"/") && !is_of_this_machine(path)) {
            names.extend_from_slice(path);
            names.push(0);
        }
        asking.begin(&["update-index", "--add", "-z", "--stdin"], Some(names))?.finish().map(drop)
    })
}

fn is_of_this_machine(path: &[u8]) -> bool {
    let path = String::from_utf8_lossy(path);
    let mut parts = path.split('/').skip_while(|part| *part != DIRECTORY).skip(1);
    matches!(parts.next(), Some(LOCAL | PAUSE))
}

/// Takes out what lies below a path and is not ours to publish: repositories, of which git would note the commit and none
/// of the files, what git keeps for itself under another name than `.git`, and what a store keeps for one machine, should
/// no rule ignore it.
fn drop_others(
    asking: &Asking,
    of_git: &[String],
    before: &[Entry],
    after: &[Entry],
    left_out: &mut Vec<LeftOut>,
) -> Result<(), Failure> {
    let mut names = Vec::new();
    let is_other = |entry: &&Entry| {
        entry.is_repository || is_of_this_machine(entry.path.as_bytes()) || is_among(&entry.path, of_git)
    };
    for entry in after.iter().filter(is_other) {
        if before.iter().any(|known| known.path == entry.path) {
            continue;
        }
        names.extend_from_slice(entry.path.as_bytes());
        names.push(0);
        if entry.is_repository {
            let why = "it is a repository of its own: publish it from there".to_owned();
            left_out.push(LeftOut { path: entry.path.clone(), why });
        }
    }
    if names.is_empty() {
        return Ok(());
    }
    asking.begin(&["update-index", "--force-remove", "-z", "--stdin"], Some(names))?.finish().map(drop)
}

/// A directory of which nothing is published although something is there.
fn all_ignored(asking: &Asking, path: String) -> Option<LeftOut> {
    let arguments = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", &path];
    let listed = asking.run(&arguments).ok()?;
    let first = String::from_utf8_lossy(fields(&listed).next()?).into_owned();
    let rules = ignored_by(asking, std::slice::from_ref(&first));
    let (_, rule) = rules.first()?;
    Some(LeftOut { path, why: format!("all of it is ignored, as `{}`: {rule}", name(first.as_bytes())) })
}

fn told(rule: &str) -> String {
    format!("git ignores it: {rule}")
}

/// Those of some paths that git ignores, each with the rule.
fn ignored_by(asking: &Asking, paths: &[String]) -> Vec<(String, String)> {
    // It knows no literal paths; what begins with a dot is one.
    let names: Vec<u8> = paths.iter().flat_map(|path| [b"./", path.as_bytes(), b"\0"].concat()).collect();
    let mut asking = asking.clone();
    asking.guards.retain(|guard| guard != "--literal-pathspecs");
    let Ok(running) = asking.begin(&["check-ignore", "--no-index", "-v", "-z", "--stdin"], Some(names)) else {
        return Vec::new();
    };
    // It ends with an error when nothing is ignored.
    let (said, _) = running.finish_or_part();
    let parts: Vec<&[u8]> = said.split(|byte| *byte == 0).collect();
    let rules = parts.chunks_exact(4).filter(|rule| !rule[2].starts_with(b"!"));
    let told = |rule: &[&[u8]]| {
        let [source, number, pattern] = [0, 1, 2].map(|at: usize| name(rule[at]));
        let path = String::from_utf8_lossy(rule[3].strip_prefix(b"./").unwrap_or(rule[3])).into_owned();
        (path, format!("line {number} of {source} has `{pattern}`"))
    };
    rules.map(told).collect()
}

/// The id of an object that git printed.
pub(super) fn id(line: String, doing: &'static str) -> Result<String, PublishError> {
    if is_id(&line) { Ok(line) } else { Err(PublishError::Git { doing, said: "it gave no id".to_owned() }) }
}
