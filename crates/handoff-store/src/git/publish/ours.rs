//! Which commits are ours, and which of them wait to be pushed.
//!
//! A commit is ours when its message has a line `Handoff-Run: ID`. The id says which run it belongs to, wherever the
//! commit lies and however often it was put on top of something else, so that nothing is committed or pushed twice.

use std::collections::HashSet;

use super::super::fields;
use super::super::run::{Asking, Failure};
use super::target::BRANCHES;

/// What the line begins with.
const TRAILER: &str = "Handoff-Run: ";

/// How far back a branch is looked through.
const MOST: usize = 200;

/// Where we keep what we know of remotes of which git keeps nothing.
pub(super) const PUBLISHED: &str = "refs/handoff/published";

/// One commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Logged {
    pub(super) commit: String,
    pub(super) parents: Vec<String>,
    /// `None` for a commit of somebody else
    pub(super) run: Option<String>,
}

/// The message with the line that makes the commit ours.
pub(super) fn message(text: &str, run: &str) -> String {
    let text: String = text.chars().filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t')).collect();
    let lines: Vec<&str> = text.trim().lines().map(str::trim_end).filter(|line| !line.starts_with(TRAILER)).collect();
    let text = lines.join("\n");
    let text = if text.trim().is_empty() { "handoff" } else { text.trim() };
    format!("{text}\n\n{TRAILER}{run}\n")
}

/// The newest commits of a range, the newest first.
pub(super) fn log(asking: &Asking, range: &[&str]) -> Result<Vec<Logged>, Failure> {
    let most = MOST.to_string();
    let mut arguments = vec!["log", "-z", "-n", &most, "--topo-order", "--encoding=UTF-8", "--format=%H %P%n%B"];
    arguments.extend(range);
    arguments.push("--");
    Ok(fields(&asking.run(&arguments)?).filter_map(parse).collect())
}

fn parse(record: &[u8]) -> Option<Logged> {
    let record = String::from_utf8_lossy(record);
    let (ids, text) = record.trim_start().split_once('\n')?;
    let mut ids = ids.split_whitespace().map(str::to_owned);
    let run = text.lines().rev().find_map(|line| line.strip_prefix(TRAILER)).map(|run| run.trim().to_owned());
    Some(Logged { commit: ids.next()?, parents: ids.collect(), run })
}

/// The commit of a run, if the branch has it.
pub(super) fn of_run(asking: &Asking, tip: Option<&str>, run: &str) -> Result<Option<Logged>, Failure> {
    let Some(tip) = tip else { return Ok(None) };
    Ok(log(asking, &[tip])?.into_iter().find(|logged| logged.run.as_deref() == Some(run)))
}

/// A branch of this repository that has the commit of a run.
pub(super) fn branch_of_run(asking: &Asking, run: &str) -> Option<String> {
    let line = format!("--grep={TRAILER}{run}");
    let found = log(asking, &["--fixed-strings", &line, "--branches"]).ok()?;
    let commit = found.into_iter().find(|logged| logged.run.as_deref() == Some(run))?.commit;
    let having = format!("--contains={commit}");
    let listed = asking.run(&["for-each-ref", "--count=1", "--format=%(refname)", &having, BRANCHES]).ok()?;
    String::from_utf8(listed).ok()?.trim().strip_prefix(BRANCHES).map(str::to_owned)
}

/// The names under which we know where the branch of a remote stands.
pub(super) fn known_names(remote: &str, branch: &str) -> [String; 2] {
    [format!("refs/remotes/{remote}/{branch}"), own_name(remote, branch)]
}

/// The name that we keep ourselves, for remotes of which git keeps none.
pub(super) fn own_name(remote: &str, branch: &str) -> String {
    format!("{PUBLISHED}/{remote}/{branch}")
}

/// What of a branch is not on the remote, as far as that is known without asking it.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// Ours that the remote does not have, the newest first
    pub(super) commits: Vec<Logged>,
    /// Whether all that is here alone is ours, and the remote has each under another id
    pub(super) is_all_there: bool,
    /// Whether anything that is here alone is ours
    pub(super) has_ours: bool,
}

pub(super) fn waiting(asking: &Asking, tip: &str, known: &[String]) -> Result<Waiting, Failure> {
    let mut here = vec![tip];
    if !known.is_empty() {
        here.push("--not");
        here.extend(known.iter().map(String::as_str));
    }
    let local = log(asking, &here)?;
    let there = if known.is_empty() { HashSet::new() } else { runs(asking, known)? };
    let is_there = |logged: &Logged| logged.run.as_ref().is_some_and(|run| there.contains(run));
    // Of a longer list the rest is not known.
    let is_all_there = (1..MOST).contains(&local.len()) && local.iter().all(is_there);
    let mut commits = local;
    commits.retain(|logged| logged.run.is_some());
    let has_ours = !commits.is_empty();
    commits.retain(|logged| !is_there(logged));
    Ok(Waiting { commits, is_all_there, has_ours })
}

/// The runs that these commits have. A run that was put on top of others is known by it, also after a merge of the two.
pub(super) fn runs(asking: &Asking, commits: &[String]) -> Result<HashSet<String>, Failure> {
    let range: Vec<&str> = commits.iter().map(String::as_str).collect();
    Ok(log(asking, &range)?.into_iter().filter_map(|logged| logged.run).collect())
}

/// The branch's commit on the remote, as far as that is known.
pub(super) fn known_tips(asking: &Asking, remote: &str, branch: &str) -> Vec<String> {
    let names = known_names(remote, branch);
    let commit = |name: &String| {
        let said = asking.run(&["rev-parse", "-q", "--verify", &format!("{name}^{{commit}}")]).ok()?;
        Some(String::from_utf8(said).ok()?.trim().to_owned())
    };
    let mut tips: Vec<String> = names.iter().filter_map(commit).collect();
    tips.dedup();
    tips
}

/// Which remote a branch is pushed to: the one that is named, or the one that git would take.
pub(super) fn remote_of(asking: &Asking, branch: &str, named: Option<&str>) -> Result<String, String> {
    let listed = asking.run(&["remote"]).map_err(|failure| failure.to_string())?;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let remotes: Vec<&str> = listed.lines().filter(|name| !name.is_empty() && !name.starts_with('-')).collect();
    let all = remotes.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if let Some(named) = named {
        return match remotes.iter().find(|name| **name == named) {
            Some(name) => Ok((*name).to_owned()),
            None if all.is_empty() => {
                Err(format!("there is no remote `{named}`, nor any other: add it with `git remote add`"))
            }
            None => Err(format!("there is no remote `{named}`; there is {all}")),
        };
    }
    let keys =
        [format!("branch.{branch}.pushRemote"), "remote.pushDefault".to_owned(), format!("branch.{branch}.remote")];
    let set = keys.iter().find_map(|key| {
        let value = String::from_utf8(asking.run(&["config", "--get", key]).ok()?).ok()?;
        remotes.iter().find(|name| **name == value.trim())
    });
    match (set.or_else(|| remotes.iter().find(|name| **name == "origin")), remotes.as_slice()) {
        (Some(name), _) => Ok((*name).to_owned()),
        (None, [only]) => Ok((*only).to_owned()),
        (None, []) => Err("the repository has no remote: add one with `git remote add origin URL`".to_owned()),
        (None, _) => Err(format!("there are several remotes ({all}) and none is `origin`: name one")),
    }
}

/// The full name of a branch.
pub(super) fn full(branch: &str) -> String {
    format!("{BRANCHES}{branch}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_ends_with_the_run_and_says_it_once() {
        assert_eq!(message("state\u{7}\n\nHandoff-Run: old\nmore  \n", "r1"), "state\n\nmore\n\nHandoff-Run: r1\n");
        assert_eq!(message(" \n ", "r1"), "handoff\n\nHandoff-Run: r1\n");
        assert_eq!(message("# not a comment", "r1"), "# not a comment\n\nHandoff-Run: r1\n");
    }

    #[test]
    fn a_commit_is_ours_by_a_whole_line_only() {
        let ours = parse(b"abcd ef01\nsubject\n\nHandoff-Run: r1\nSigned-off-by: a").unwrap();
        assert_eq!((ours.run.as_deref(), ours.parents), (Some("r1"), vec!["ef01".to_owned()]));
        let quoted = parse(b"abcd \nRevert\n\n    Handoff-Run: r1\n").unwrap();
        assert_eq!((quoted.run, quoted.parents.len()), (None, 0));
    }
}
