//! Bringing our commits to the remote: never by force, and on top of what others brought there first.

use std::thread;
use std::time::Duration;

use super::super::run::{Ended, How};
use super::acting::Acting;
use super::error::PublishError;
use super::ours::{self, full, known_tips, own_name, waiting};
use super::replay::{Replay, replay};
use super::target::Target;
use super::words::{argument, name, words};
use super::{Publishing, Pushed, along, detached};

/// What a push came to.
enum Answer {
    Taken,
    /// It was there already
    Had,
    /// Others were there first
    Overtaken,
    Failed(String),
}

/// Pushes what waits, be it of this run or of earlier ones; what cannot be pushed now is told and waits on.
pub(super) fn push(
    acting: &Acting<'_>,
    target: &Target,
    publishing: &Publishing,
    told: &mut Vec<String>,
) -> Result<Pushed, PublishError> {
    let Some(branch) = target.branch.as_deref() else {
        return Ok(Pushed::waiting(detached::NO_BRANCH));
    };
    let remote = match ours::remote_of(&acting.quiet, branch, publishing.remote.as_deref()) {
        Ok(remote) => remote,
        Err(why) => return nowhere(acting, target, why, told),
    };
    let Some(tip) = target.tip.as_deref() else { return Ok(Pushed::Nothing { remote }) };
    let pushing = Pushing { acting, branch, remote: &remote, sign: publishing.sign };
    let pushed = pushing.until_taken(tip, publishing.push_tries.max(1))?;
    if !matches!(pushed, Pushed::Waiting { .. }) {
        along::bring(acting, target, branch, &remote, told);
    }
    Ok(pushed)
}

/// What waits where there is no remote to push to.
fn nowhere(acting: &Acting<'_>, target: &Target, why: String, told: &mut Vec<String>) -> Result<Pushed, PublishError> {
    let waits = target.tip.as_deref().map(|tip| waiting(&acting.quiet, tip, &[])).transpose();
    let waits = waits.map_err(|failure| PublishError::asking("read the history", &failure))?;
    if waits.is_some_and(|waits| waits.has_ours) {
        return Ok(Pushed::waiting(why));
    }
    told.push(format!("there is nothing to push, and nowhere to push to: {why}"));
    Ok(Pushed::NothingWaits)
}

struct Pushing<'a> {
    acting: &'a Acting<'a>,
    branch: &'a str,
    remote: &'a str,
    sign: Option<bool>,
}

impl Pushing<'_> {
    fn until_taken(&self, tip: &str, tries: u32) -> Result<Pushed, PublishError> {
        let known = known_tips(&self.acting.quiet, self.remote, self.branch);
        let waits = waiting(&self.acting.quiet, tip, &known);
        let waits = waits.map_err(|failure| PublishError::asking("read the history", &failure))?;
        let remote = self.remote.to_owned();
        let Some(newest) = waits.commits.first().map(|logged| logged.commit.clone()) else {
            return Ok(Pushed::Nothing { remote });
        };
        let (mut candidate, mut replayed) = (newest.clone(), false);
        let mut why = String::new();
        for tried in 0..tries {
            match self.once(&candidate)? {
                Answer::Taken => {
                    self.note(&candidate)?;
                    return Ok(Pushed::Done { remote, commit: candidate, replayed });
                }
                Answer::Had => {
                    self.note(&candidate)?;
                    return Ok(Pushed::Nothing { remote });
                }
                Answer::Failed(said) => return Ok(Pushed::waiting(said)),
                Answer::Overtaken => {}
            }
            if tried > 0 {
                pause(tried);
            }
            let there = match self.fetch() {
                Ok(there) => there,
                Err(said) => return Ok(Pushed::waiting(said)),
            };
            let Some(there) = there else { continue };
            match replay(self.acting, &newest, tip, &there, self.sign)? {
                Replay::OnTop(commit) => (replayed, candidate) = (commit != newest, commit),
                Replay::Together(commit) => (replayed, candidate) = (false, commit),
                Replay::Contained => {
                    self.note(&there)?;
                    return Ok(Pushed::Nothing { remote });
                }
                Replay::AllThere => {
                    self.note(&there)?;
                    return Ok(Pushed::Done { remote, commit: there, replayed: true });
                }
                Replay::Conflict { path, reason } => {
                    return Ok(Pushed::waiting(format!(
                        "`{}` was changed here and on `{remote}`, and {reason}; nothing was pushed: bring the two \
                         together (`git pull --no-rebase {} {}`), and publish again",
                        name(path.as_bytes()),
                        argument(&remote),
                        argument(self.branch)
                    )));
                }
            }
            why = format!("others push to `{}` of `{remote}` all the time; {tries} tries were not enough", self.branch);
        }
        if why.is_empty() {
            why = format!("`{remote}` did not take it: others push to `{}` at the same time", self.branch);
        }
        Ok(Pushed::waiting(why))
    }

    fn once(&self, commit: &str) -> Result<Answer, PublishError> {
        let what = format!("{commit}:{}", full(self.branch));
        let arguments =
            ["push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no", "--", self.remote, &what];
        let ended = self.acting.change(&self.acting.plain, &arguments);
        let ended = ended.map_err(|failure| PublishError::asking("push", &failure))?;
        Ok(answer(&ended))
    }

    /// Learns where the branch of the remote stands; `None` if there is no such branch.
    fn fetch(&self) -> Result<Option<String>, String> {
        let name = own_name(self.remote, self.branch);
        let what = format!("+{}:{name}", full(self.branch));
        let arguments = [
            "fetch",
            "-q",
            "--no-tags",
            "--no-prune",
            "--no-recurse-submodules",
            "--no-write-fetch-head",
            "--",
            self.remote,
            &what,
        ];
        let ended = self.acting.change(&self.acting.plain, &arguments).map_err(|failure| failure.to_string())?;
        if ended.how == How::Well {
            return Ok(self.acting.commit(&name));
        }
        if memchr::memmem::find(&ended.complaint, b"couldn't find remote ref").is_some() {
            return Ok(None);
        }
        Err(PublishError::ended("fetch", &ended).to_string())
    }

    /// Keeps in mind where the remote stands, if git does not do so itself.
    fn note(&self, commit: &str) -> Result<(), PublishError> {
        let [theirs, own] = ours::known_names(self.remote, self.branch);
        let doing = "note what was pushed";
        if self.acting.commit(&theirs).as_deref() != Some(commit) {
            return self.acting.must_change(doing, &self.acting.quiet, &["update-ref", &own, commit]).map(drop);
        }
        if self.acting.commit(&own).is_some() {
            self.acting.must_change(doing, &self.acting.quiet, &["update-ref", "-d", &own])?;
        }
        Ok(())
    }
}

/// Fetches the branch of a remote that nothing is known of, where one is going to be pushed to.
pub(super) fn look_at_remote(acting: &Acting<'_>, branch: &str, remote: &str) -> Option<String> {
    let pushing = Pushing { acting, branch, remote, sign: None };
    pushing.fetch().ok().flatten()
}

/// What git's lines for programs say: a letter, what goes where, and a summary.
fn answer(ended: &Ended) -> Answer {
    let said = String::from_utf8_lossy(&ended.said);
    let refused = said.lines().find_map(|line| line.strip_prefix("!\t")?.split_once('\t').map(|(_, why)| why));
    match (ended.how, refused) {
        (How::Well, None) if said.lines().any(|line| line.starts_with("=\t")) => Answer::Had,
        (How::Well, None) => Answer::Taken,
        (How::TooLate, _) | (_, None) => Answer::Failed(PublishError::ended("push", ended).to_string()),
        (_, Some(why)) if is_overtaken(why) => Answer::Overtaken,
        (_, Some(why)) => {
            let said = words(&ended.complaint);
            let said = if said.is_empty() { said } else { format!(": {said}") };
            Answer::Failed(format!("the push was refused, {}{said}", words(why.as_bytes())))
        }
    }
}

fn is_overtaken(why: &str) -> bool {
    let of_others =
        ["fetch first", "non-fast-forward", "needs force", "stale info", "remote ref updated since checkout"];
    let at_once = [
        "failed to update ref",
        "cannot lock ref",
        "incorrect old value",
        "failed to lock",
        "reference already exists",
    ];
    of_others.iter().chain(&at_once).any(|sign| why.contains(sign))
}

/// A while that grows, and is different for each of those who wait.
fn pause(tried: u32) {
    let [random] = crate::random::<1>();
    thread::sleep(Duration::from_millis(u64::from(random) * u64::from(tried.min(8)) / 2));
}
