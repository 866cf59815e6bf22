//! All that loading asks of git, answered together under one deadline.
//!
//! Asking handoff by handoff took up to 38 runs of git. Here the work tree is compared with the index once, the commits
//! of all handoffs are looked up by one run and compared with the last commit by another, and all files whose content
//! matters are hashed by a third. Answers that depend on commits alone come from the store's cache ([`AnswerCache`]).

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use handoff_model::session::GitFacts;

use super::answers::{AnswerCache, ObjectQuestion};
use super::drift::{Drift, DriftRequest, PresentFiles, Tree};
use super::raw::{self, Row};
use super::run::{Asking, Failure};
use super::status::Status;
use super::uncommitted::UncommittedFiles;
use super::{Changes, Git, is_id};
use crate::store::Store;

/// Questions about several handoffs.
#[derive(Clone, Debug, Default)]
pub struct SurveyRequest<'a> {
    pub drift: Vec<DriftRequest<'a>>,
    /// Commit from which changes are counted
    pub since: Option<&'a str>,
    /// Facts that were written down with the handoff whose uncommitted work is compared
    pub saved: Option<&'a GitFacts>,
    /// Seconds since 1970, by which a slow repository is given up only for a while; `None` always waits
    pub now: Option<i64>,
}

/// Answers; those that were not had in time are missing.
#[derive(Clone, Debug, Default)]
pub struct GitSurvey {
    /// In the order of asking
    pub drift: Option<Vec<Drift>>,
    pub changes: Option<Changes>,
    pub uncommitted: Option<UncommittedFiles>,
    /// Reason why something is missing
    pub skipped: Option<String>,
}

impl Git {
    /// Answers all questions about handoffs at once. What git cannot tell in time is left out.
    pub fn survey(&self, cache: Option<&Store>, request: &SurveyRequest<'_>, limit: Duration) -> GitSurvey {
        let mut answers = cache.map(|store| AnswerCache::read(&store.root)).unwrap_or_default();
        let mut survey = GitSurvey::default();
        if let Err(failure) = self.fill(&mut survey, &mut answers, request, limit) {
            survey.skipped = Some(failure.to_string());
        }
        if let Some(store) = cache {
            answers.write(&store.root);
        }
        survey
    }

    fn fill(
        &self,
        survey: &mut GitSurvey,
        answers: &mut AnswerCache,
        request: &SurveyRequest<'_>,
        limit: Duration,
    ) -> Result<(), Failure> {
        let begun = Instant::now();
        let asking = Asking::about(self, limit)?;
        let is_slow = request.now.is_some_and(|now| answers.is_slow(limit, now));
        let status = if is_slow { None } else { Some(Status::begin(&asking)?) };
        let head = self.head().commit;
        let commits = KnownCommits::read(&asking, answers, request, head.as_deref())?;
        // What depends on commits alone is had even where the work tree takes too long.
        let mut changes = Changes::default();
        if let (Some(then), Some(now)) = (request.since, &head) {
            self.compare(&asking, answers, &commits, (then, now), &mut changes)?;
        }
        let Some(status) = status else {
            survey.changes = Some(changes);
            return Err(Failure::TookTooLong(limit));
        };
        let status = status.finish();
        if let Some(now) = request.now {
            answers.note_status(begun.elapsed(), now);
        }
        let status = match status {
            Ok(status) => Status::parse(&status),
            Err(failure) => {
                survey.changes = Some(changes);
                return Err(failure);
            }
        };
        changes.add_dirty(self, &status);
        survey.changes = Some(changes);
        let mut present = PresentFiles::new(status);
        if let Some(saved) = request.saved {
            survey.uncommitted = Some(self.uncommitted(&asking, saved, &commits, &mut present)?);
        }
        survey.drift = Some(self.judge(&asking, &request.drift, &commits, &mut present)?);
        Ok(())
    }
}

/// The commits of handoffs, each with the files in which it differs from the last commit.
#[derive(Debug, Default)]
pub(super) struct KnownCommits {
    by_name: BTreeMap<String, KnownCommit>,
    empty: Option<KnownCommit>,
}

/// A commit that is known here.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownCommit {
    /// Full id; of a tree for the state before the first commit
    pub(super) id: String,
    tree: String,
    pub(super) rows: Vec<Row>,
}

impl KnownCommits {
    fn read(
        asking: &Asking,
        answers: &mut AnswerCache,
        request: &SurveyRequest<'_>,
        head: Option<&str>,
    ) -> Result<KnownCommits, Failure> {
        let trees = || request.drift.iter().map(|drift| drift.since.tree()).chain(request.saved.map(Tree::of));
        let mut names: Vec<&str> = trees()
            .filter_map(|tree| if let Tree::Commit(commit) = tree { Some(commit) } else { None })
            .chain(request.since.filter(|since| is_id(since)))
            .collect();
        names.sort_unstable();
        names.dedup();
        let empty_tree = empty_tree(head.map_or(SHA1, str::len));
        let wants_empty = trees().any(|tree| matches!(tree, Tree::Empty));
        let mut commits = KnownCommits::default();
        if names.is_empty() && !wants_empty {
            return Ok(commits);
        }
        let head_tree = commits.resolve(asking, answers, &names, head)?.unwrap_or_else(|| empty_tree.to_owned());
        if wants_empty {
            let empty = KnownCommit { id: empty_tree.to_owned(), tree: empty_tree.to_owned(), rows: Vec::new() };
            commits.empty = Some(empty);
        }
        commits.add_rows(asking, answers, &head_tree)?;
        Ok(commits)
    }

    /// Two commits, the earlier with the files in which the later differs from it.
    pub(super) fn of_two(
        asking: &Asking,
        answers: &mut AnswerCache,
        then: &str,
        later: &str,
    ) -> Result<KnownCommits, Failure> {
        let mut commits = KnownCommits::default();
        if let Some(tree) = commits.resolve(asking, answers, &[then], Some(later))? {
            commits.add_rows(asking, answers, &tree)?;
            return Ok(commits);
        }
        Ok(KnownCommits::default())
    }

    /// Looks up what names stand for, and returns the tree of the last commit.
    fn resolve(
        &mut self,
        asking: &Asking,
        answers: &mut AnswerCache,
        names: &[&str],
        head: Option<&str>,
    ) -> Result<Option<String>, Failure> {
        let asked: Vec<String> = head
            .into_iter()
            .map(|head| format!("{head}^{{tree}}"))
            .chain(names.iter().flat_map(|name| [format!("{name}^{{commit}}"), format!("{name}^{{tree}}")]))
            .collect();
        if asked.is_empty() {
            return Ok(None);
        }
        let input = asked.join("\n") + "\n";
        let question = ObjectQuestion { arguments: &["cat-file", "--batch-check"], input: Some(&input) };
        // What is not there may be fetched later.
        let is_final = |answer: &[u8]| String::from_utf8_lossy(answer).lines().all(|line| found(line).is_some());
        let [answer] = answers.ask(asking, [Some(question)], is_final)?;
        let answer = String::from_utf8_lossy(&answer);
        let mut ids = answer.lines().map(found);
        let head_tree = head.and_then(|_| ids.next().flatten());
        for name in names {
            if let (Some(Some(id)), Some(Some(tree))) = (ids.next(), ids.next()) {
                self.by_name.insert((*name).to_owned(), KnownCommit { id, tree, rows: Vec::new() });
            }
        }
        Ok(head_tree)
    }

    /// Compares all of them with the tree of the last commit, by one run of git.
    fn add_rows(&mut self, asking: &Asking, answers: &mut AnswerCache, head_tree: &str) -> Result<(), Failure> {
        let mut trees: Vec<&str> =
            self.by_name.values().chain(&self.empty).map(|commit| commit.tree.as_str()).collect();
        trees.sort_unstable();
        trees.dedup();
        trees.retain(|tree| *tree != head_tree);
        if trees.is_empty() {
            return Ok(());
        }
        let input = trees.iter().fold(String::new(), |input, tree| input + tree + " " + head_tree + "\n");
        let arguments = ["diff-tree", "--stdin", "-r", "--raw", "-z", "--no-abbrev", "--no-renames"];
        let question = ObjectQuestion { arguments: &arguments, input: Some(&input) };
        let [answer] = answers.ask(asking, [Some(question)], |_| true)?;
        let by_tree = raw::parse_pairs(&answer);
        for commit in self.by_name.values_mut().chain(&mut self.empty) {
            commit.rows = by_tree.get(&commit.tree).cloned().unwrap_or_default();
        }
        Ok(())
    }

    pub(super) fn named(&self, name: &str) -> Option<&KnownCommit> {
        self.by_name.get(name)
    }

    pub(super) fn of(&self, tree: Tree<'_>) -> Option<&KnownCommit> {
        match tree {
            Tree::Unknown => None,
            Tree::Empty => self.empty.as_ref(),
            Tree::Commit(name) => self.named(name),
        }
    }
}

/// The id in a line of `cat-file --batch-check`: `<id> <type> <size>`, or what was asked for and `missing`.
fn found(line: &str) -> Option<String> {
    let mut words = line.split(' ');
    let (id, kind) = (words.next()?, words.next()?);
    (matches!(kind, "commit" | "tree") && is_id(id)).then(|| id.to_owned())
}

/// Letters of an id in most repositories.
const SHA1: usize = 40;

/// The tree without files, which git knows in every repository.
fn empty_tree(id_letters: usize) -> &'static str {
    if id_letters == SHA1 {
        "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    } else {
        "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
    }
}
