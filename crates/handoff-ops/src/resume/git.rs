//! What git adds to the context: what became of pointed-to files and governed paths, what changed since, which files
//! are likely needed next. Bounded in time; what is skipped is said.

use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::time::{Duration, Instant};

use handoff_model::likely::{self, Clues, Likely, listed};
use handoff_model::session::GitFacts;
use handoff_model::task::Status;
use handoff_model::tokens;
use handoff_store::FoundSession;
use handoff_store::git::{Asked, Baseline, Changes, Git, Pointed, Verdict};

use super::context::{Context, PointerState};
use super::gather::{Focus, Gathered};
use crate::Project;

/// As long as git may take in all, where somebody asked for the context.
pub(super) const LIMIT: Duration = Duration::from_millis(1_500);
/// Sessions whose decisions are checked against the work tree, the newest first.
const CHECKED: usize = 12;

/// Files in the order they are likely needed.
#[derive(Default)]
pub(super) struct Ranked(Vec<Likely>);

impl Ranked {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What can be said of them for so many tokens, a directory on each line.
    pub(super) fn lines(&self, budget: usize) -> Vec<String> {
        // Each line is quoted.
        let count = |text: &str| tokens::estimate(text) + 3 * text.lines().count();
        listed(&self.0, budget, count).lines
    }
}

/// Adds what git says, and ranks the files.
pub(super) fn look(project: &mut Project, focus: &Focus, gathered: &mut Gathered, time: Duration) -> Ranked {
    let Some(git) = project.dir().and_then(|dir| Git::around(&dir)) else {
        check_by_eye(project, &mut gathered.context);
        return Ranked::default();
    };
    if !project.config().settings.auto_git_summary {
        check_by_eye(project, &mut gathered.context);
        return Ranked::default();
    }
    let mut asking = Asking { git: &git, time, until: Instant::now() + time, skipped: None, dirty: Vec::new() };
    check_by_eye(project, &mut gathered.context);
    for found in focus.sessions() {
        asking.check_pointers(found, &mut gathered.context);
    }
    asking.check_decisions(gathered);
    asking.add_changes(focus, &mut gathered.context);
    let ranked = asking.rank(project, &gathered.context);
    if let Some(why) = asking.skipped {
        gathered.context.warnings.push(format!("git was not asked for everything: {why}"));
    }
    ranked
}

/// What can be told of pointers without git: whether their files are there.
fn check_by_eye(project: &Project, context: &mut Context) {
    for pointer in &mut context.pointers {
        if project.has_file(&pointer.path) == Some(false) {
            pointer.state = PointerState::Gone;
        }
    }
}

struct Asking<'a> {
    git: &'a Git,
    time: Duration,
    until: Instant,
    skipped: Option<String>,
    /// Paths with changes that are not committed
    dirty: Vec<String>,
}

impl Asking<'_> {
    /// What is left of the time; `None` when it is over.
    fn left(&mut self) -> Option<Duration> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            self.skipped.get_or_insert_with(|| format!("it took longer than {} ms", self.time.as_millis()));
            return None;
        }
        Some(left)
    }

    fn answer<T>(&mut self, asked: Asked<T>) -> Option<T> {
        match asked {
            Asked::Answer(answer) => Some(answer),
            Asked::Skipped(why) => {
                self.skipped.get_or_insert(why);
                None
            }
        }
    }

    fn check_pointers(&mut self, found: &FoundSession, context: &mut Context) {
        let session = &found.session;
        let Some(facts) = session.git.as_ref().filter(|_| !session.pointers.is_empty()) else { return };
        let Some(left) = self.left() else { return };
        let pointed: Vec<Pointed<'_>> = session
            .pointers
            .iter()
            .map(|pointer| Pointed { path: &pointer.path, blob: pointer.blob.as_deref() })
            .collect();
        let asked = self.git.drift(&Baseline::of(facts), &pointed, &[], left);
        let Some(drift) = self.answer(asked) else { return };
        for (pointer, verdict) in session.pointers.iter().zip(drift.pointers) {
            let mut shown = context.pointers.iter_mut();
            let Some(shown) = shown.find(|shown| shown.path == pointer.path && shown.lines == pointer.lines) else {
                continue;
            };
            (shown.state, shown.moved_to) = match verdict {
                Verdict::Same => (PointerState::Same, None),
                Verdict::Changed => (PointerState::Changed, None),
                Verdict::Moved { to, .. } => (PointerState::Moved, Some(to)),
                Verdict::Gone => (PointerState::Gone, None),
                Verdict::Unknown(_) => (shown.state, None),
            };
        }
    }

    /// Checks the decisions that govern paths, one look at git for each session they come from.
    fn check_decisions(&mut self, gathered: &mut Gathered) {
        let Gathered { context, git_of } = gathered;
        let mut by_session: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, decision) in context.decisions.iter().enumerate().filter(|(_, decision)| !decision.paths.is_empty())
        {
            if let Some((session, _)) = decision.id.rsplit_once('#') {
                by_session.entry(session).or_default().push(index);
            }
        }
        let by_session: Vec<(GitFacts, Vec<usize>)> = by_session
            .into_iter()
            .rev()
            .filter_map(|(session, decisions)| Some((git_of.get(session)?.clone(), decisions)))
            .take(CHECKED)
            .collect();
        for (facts, decisions) in by_session {
            let Some(left) = self.left() else { return };
            let paths: Vec<&str> =
                decisions.iter().flat_map(|index| context.decisions[*index].paths.iter().map(String::as_str)).collect();
            let asked = self.git.drift(&Baseline::of(&facts), &[], &paths, left);
            let Some(drift) = self.answer(asked) else { return };
            let mut governed = drift.governed.into_iter();
            for index in decisions {
                let count = context.decisions[index].paths.len();
                let changes = governed.by_ref().take(count).flat_map(|governed| governed.changes);
                let changed = changed_files(changes.map(|change| change.path).collect());
                context.decisions[index].changed = changed;
            }
        }
    }

    /// The files that are likely needed next, by what was touched lately and what the handoff speaks of.
    fn rank(&mut self, project: &Project, context: &Context) -> Ranked {
        let Some(left) = self.left() else { return Ranked::default() };
        let asked = self.git.history(Some(project.store()), left);
        let Some(history) = self.answer(asked) else { return Ranked::default() };
        let Some(dir) = project.dir() else { return Ranked::default() };
        let pointed: Vec<&str> =
            context.pointers.iter().map(|pointer| pointer.moved_to.as_deref().unwrap_or(&pointer.path)).collect();
        let titles = context.tasks.iter().filter(|task| task.status == Status::InProgress).map(|task| &task.title);
        let words: Vec<&str> = context.next.iter().chain(titles).map(String::as_str).collect();
        let dirty: Vec<&str> = self.dirty.iter().map(String::as_str).collect();
        let clues = Clues { author: history.me, pointed: &pointed, dirty: &dirty, words: &words };
        // Pointers are words of a record, which may have come with a clone: nothing outside is looked at for them. What git
        // lists is in the repository, and where a link in it leads is nobody's business here.
        let is_present = |path: &str| {
            let stays_inside =
                Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
            let is_file = || dir.join(path).symlink_metadata().is_ok_and(|file| !file.is_dir());
            stays_inside && (!pointed.contains(&path) || project.has_file(path) == Some(true)) && is_file()
        };
        Ranked(likely::rank(&history.commits, is_present, &clues))
    }

    fn add_changes(&mut self, focus: &Focus, context: &mut Context) {
        let Some(commit) = focus.sessions().find_map(|found| found.session.git.as_ref()?.commit.as_deref()) else {
            return;
        };
        let Some(left) = self.left() else { return };
        let asked = self.git.changes_since(Some(commit), left);
        let Some(changes) = self.answer(asked) else { return };
        self.dirty = changes.dirty.iter().filter_map(|line| Some(line.split_once(' ')?.1.to_owned())).collect();
        let saved: Vec<&String> =
            focus.sessions().filter_map(|found| found.session.git.as_ref()).flat_map(|git| &git.dirty).collect();
        context.changes = self.other_branch(focus).into_iter().chain(lines(&changes, commit, &saved)).collect();
    }
}

impl Asking<'_> {
    /// A handoff that was saved on another branch than the one that is checked out.
    fn other_branch(&self, focus: &Focus) -> Option<String> {
        let then = focus.sessions().find_map(|found| found.session.git.as_ref()?.branch.as_ref())?;
        let now = self.git.head().branch?;
        (now != *then).then(|| format!("on branch {now}, and the handoff was saved on {then}"))
    }
}

/// At most a few files, and how many more there are.
fn changed_files(mut files: Vec<String>) -> Vec<String> {
    const SHOWN: usize = 4;
    files.sort();
    files.dedup();
    if files.len() > SHOWN {
        let more = files.len() - SHOWN;
        files.truncate(SHOWN);
        files.push(format!("{more} more"));
    }
    files
}

/// What happened since the last handoff, one fact a line.
fn lines(changes: &Changes, commit: &str, saved: &[&String]) -> Vec<String> {
    const SUBJECTS: usize = 10;
    const FILES: usize = 12;
    let mut lines = Vec::new();
    if !changes.known {
        lines.push(format!("commit {commit} of the last handoff is not known here"));
    }
    if changes.left > 0 {
        lines.push(format!("{} of then not on this branch", counted(changes.left, "commit")));
    }
    if changes.commits > 0 {
        let files = u32::try_from(changes.file_count).unwrap_or(u32::MAX);
        let (commits, files) = (counted(changes.commits, "commit"), counted(files, "file"));
        lines.push(format!("{commits} since {commit}, in {files}"));
        lines.extend(changes.subjects.iter().take(SUBJECTS).cloned());
        let files: Vec<String> =
            changes.files.iter().take(FILES).map(|file| format!("{} {}", file.change, file.path)).collect();
        if !files.is_empty() {
            let more = changes.file_count.saturating_sub(files.len());
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            lines.push(format!("{}{more}", files.join(", ")));
        }
    }
    let new: Vec<&String> = changes.dirty.iter().filter(|dirty| !saved.contains(dirty)).collect();
    if !new.is_empty() {
        let shown: Vec<&str> = new.iter().take(FILES).map(|dirty| dirty.as_str()).collect();
        let more = new.len() - shown.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        lines.push(format!("not committed: {}{more}", shown.join(", ")));
    }
    lines
}

fn counted(count: u32, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
