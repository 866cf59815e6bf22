//! What git adds to the context: what became of pointed-to files and governed paths, what changed since, uncommitted
//! work, and which files are likely needed next. Bounded in time; what is missing is named.

use std::collections::{BTreeMap, HashSet};
use std::path::{Component, Path};
use std::sync::Arc;
use std::time::{Duration, Instant};

use handoff_model::likely::{self, Clues, Likely};
use handoff_model::session::{GitFacts, LineRange};
use handoff_model::task::Status;
use handoff_store::FoundSession;
use handoff_store::git::{
    Asked, Baseline, Changes, Drift, DriftRequest, Git, GitSurvey, History, HistoryState, Pointed, SurveyRequest,
    Verdict,
};

use super::context::{CheckedPointer, Context, PointerState};
use super::gather::{Focus, Gathered};
use super::uncommitted::{UncommittedWork, was_saved_here};
use crate::Project;

/// Time that git may take in all, where a person or an agent asked for the context.
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

    /// Lines that name the likeliest of them for so many tokens, a directory on each line.
    pub(super) fn lines(&self, budget: usize) -> Vec<String> {
        likely::listed(&self.0, budget).lines
    }
}

/// Adds what git says, and ranks the files.
pub(super) fn look(project: &mut Project, focus: &Focus, gathered: &mut Gathered, limit: Duration) -> Ranked {
    check_by_eye(project, &mut gathered.context);
    let git = project.dir().filter(|_| project.config().settings.auto_git_summary).and_then(|dir| Git::around(&dir));
    let Some(git) = git else { return Ranked::default() };
    let until = Instant::now() + limit;
    // What the cache holds needs no git, so even a slow one leaves the list of files.
    let cached = git.cached_history(project.store());
    let decisions = decisions_by_session(gathered);
    let survey = {
        let request = request(project, focus, gathered, &decisions);
        git.survey(Some(project.store()), &request, limit)
    };
    let mut missing = MissingAnswers::of(&survey);
    let GitSurvey { drift, changes, uncommitted, skipped } = survey;
    apply_drift(focus, gathered, &decisions, drift.unwrap_or_default());
    let context = &mut gathered.context;
    let baseline = baseline(focus);
    if let Some(changes) = &changes {
        let since = baseline.and_then(|found| found.session.git.as_ref()?.commit.as_deref());
        context.changes = other_branch(&git, focus).into_iter().chain(lines(changes, since)).collect();
    }
    if let Some(uncommitted) = uncommitted {
        let is_here = |found: &FoundSession| was_saved_here(project, found);
        context.uncommitted = UncommittedWork::of(uncommitted, baseline, is_here);
    }
    let dirty = changes.map(|changes| changes.dirty).unwrap_or_default();
    let history = history(project, &git, cached, until);
    missing.likely_files = history.is_none();
    let ranked = history.map(|history| rank(project, context, &history, &dirty)).unwrap_or_default();
    context.warnings.extend(missing.warning(skipped.as_deref()));
    ranked
}

/// Parts of the answer that git did not give in time.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each part can be missing by itself")]
struct MissingAnswers {
    changes: bool,
    uncommitted: bool,
    drift: bool,
    likely_files: bool,
}

impl MissingAnswers {
    fn of(survey: &GitSurvey) -> MissingAnswers {
        MissingAnswers {
            changes: survey.changes.is_none(),
            uncommitted: survey.uncommitted.is_none(),
            drift: survey.drift.is_none(),
            likely_files: false,
        }
    }

    /// The reason, and what is not shown for it.
    fn warning(&self, why: Option<&str>) -> Option<String> {
        let parts = [
            (self.changes, "changes since the handoff"),
            (self.uncommitted, "uncommitted work"),
            (self.drift, "changes of the files that are pointed to"),
            (self.likely_files, "likely files"),
        ];
        let parts: Vec<&str> = parts.into_iter().filter(|(is_missing, _)| *is_missing).map(|(_, part)| part).collect();
        let (last, first) = parts.split_last()?;
        let parts = if first.is_empty() { (*last).to_owned() } else { format!("{} and {last}", first.join(", ")) };
        Some(format!("{}; {parts} are not shown", why.unwrap_or("git did not answer in time")))
    }
}

/// The handoff from which changes are counted: the newest with a commit.
fn baseline(focus: &Focus) -> Option<&FoundSession> {
    focus.sessions().find(|found| found.session.git.as_ref().is_some_and(|git| git.commit.is_some()))
}

/// Decisions that govern paths, by the session they come from, the newest sessions first: places in the context.
fn decisions_by_session(gathered: &Gathered) -> Vec<(GitFacts, Vec<usize>)> {
    let Gathered { context, git_of, .. } = gathered;
    let mut by_session: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, decision) in context.decisions.iter().enumerate().filter(|(_, decision)| !decision.paths.is_empty()) {
        if let Some((session, _)) = decision.reference.split_once('#') {
            by_session.entry(session).or_default().push(index);
        }
    }
    let newest_first = by_session.into_iter().rev();
    newest_first.filter_map(|(session, places)| Some((git_of.get(session)?.clone(), places))).take(CHECKED).collect()
}

/// Sessions whose pointers are checked.
fn with_pointers<'a>(
    focus: &'a Focus,
    earlier: &'a [Arc<FoundSession>],
) -> impl Iterator<Item = (&'a FoundSession, &'a GitFacts)> {
    let sessions = focus.sessions().chain(earlier.iter().map(AsRef::as_ref));
    let sessions = sessions.filter(|found| !found.session.pointers.is_empty());
    sessions.filter_map(|found| Some((found, found.session.git.as_ref()?)))
}

/// All questions at once: the pointers of each session that is continued or has open items, then the decisions.
fn request<'a>(
    project: &Project,
    focus: &'a Focus,
    gathered: &'a Gathered,
    decisions: &'a [(GitFacts, Vec<usize>)],
) -> SurveyRequest<'a> {
    let pointers = with_pointers(focus, &gathered.earlier).map(|(found, facts)| {
        let pointers = found.session.pointers.iter();
        let pointers = pointers.map(|pointer| {
            let lines = pointer.lines.as_ref().and_then(|lines| lines.parse::<LineRange>().ok());
            let lines = lines.map(|lines| (lines.first(), lines.last()));
            Pointed { path: &pointer.path, blob: pointer.blob.as_deref(), lines }
        });
        let pointers = pointers.collect();
        DriftRequest { since: Baseline::of(facts), pointers, governed: Vec::new() }
    });
    let paths = |index: &usize| gathered.context.decisions[*index].paths.iter().map(String::as_str);
    let decisions = decisions.iter().map(move |(facts, places)| DriftRequest {
        since: Baseline::of(facts),
        pointers: Vec::new(),
        governed: places.iter().flat_map(paths).collect(),
    });
    let saved = baseline(focus).and_then(|found| found.session.git.as_ref());
    SurveyRequest {
        drift: pointers.chain(decisions).collect(),
        since: saved.and_then(|facts| facts.commit.as_deref()),
        saved: Some(saved.unwrap_or(&NO_FACTS)),
        now: Some(project.now().timestamp().as_second()),
    }
}

/// Stands for a handoff without facts of git: nothing is known of what was uncommitted then.
static NO_FACTS: std::sync::LazyLock<GitFacts> = std::sync::LazyLock::new(GitFacts::default);

/// Puts verdicts to the pointers and decisions they are about, in the order in which they were asked for.
fn apply_drift(focus: &Focus, gathered: &mut Gathered, decisions: &[(GitFacts, Vec<usize>)], drift: Vec<Drift>) {
    let Gathered { context, earlier, .. } = gathered;
    let mut drift = drift.into_iter();
    // A pointer that several sessions have is shown as the latest of them left it, and judged by that one alone.
    let mut judged = HashSet::new();
    for ((found, _), drift) in with_pointers(focus, earlier).zip(&mut drift) {
        for ((pointer, verdict), fate) in found.session.pointers.iter().zip(drift.pointers).zip(drift.lines) {
            let is_same = |shown: &CheckedPointer| shown.path == pointer.path && shown.lines == pointer.lines;
            let place = context.pointers.iter().position(is_same);
            let Some(place) = place.filter(|place| judged.insert(*place)) else { continue };
            let shown = &mut context.pointers[place];
            (shown.state, shown.moved_to) = match verdict {
                Verdict::Same => (PointerState::Same, None),
                Verdict::Changed => (PointerState::Changed, None),
                Verdict::Moved { to, .. } => (PointerState::Moved, Some(to)),
                Verdict::Gone => (PointerState::Gone, None),
                Verdict::Unknown(_) => (shown.state, None),
            };
            shown.follow_lines(fate);
        }
    }
    for ((_, places), drift) in decisions.iter().zip(drift) {
        let mut governed = drift.governed.into_iter();
        for index in places {
            let count = context.decisions[*index].paths.len();
            let changes = governed.by_ref().take(count).flat_map(|governed| governed.changes);
            context.decisions[*index].changed = changed_files(changes.map(|change| change.path).collect());
        }
    }
}

/// The commits behind the ranking: those of the cache where they are current, else what git adds in the time that is
/// left, else those of the cache all the same.
fn history(project: &Project, git: &Git, cached: Option<(History, HistoryState)>, until: Instant) -> Option<History> {
    if let Some((history, HistoryState::Current)) = cached {
        return Some(history);
    }
    let left = until.saturating_duration_since(Instant::now());
    let asked = git.history(Some(project.store()), left);
    let fallback = || cached.map(|(history, _)| history);
    if let Asked::Answer(history) = asked { Some(history) } else { fallback() }
}

/// The files that are likely needed next, by what was touched lately and what the handoff speaks of.
fn rank(project: &Project, context: &Context, history: &History, dirty: &[String]) -> Ranked {
    let pointed: Vec<&str> =
        context.pointers.iter().map(|pointer| pointer.moved_to.as_deref().unwrap_or(&pointer.path)).collect();
    let titles = context.tasks.iter().filter(|task| task.status == Status::InProgress).map(|task| &task.title);
    let words: Vec<&str> = context.next.iter().map(|item| &item.text).chain(titles).map(String::as_str).collect();
    let dirty: Vec<&str> = dirty.iter().filter_map(|line| Some(line.split_once(' ')?.1)).collect();
    let clues = Clues { author: history.me, pointed: &pointed, dirty: &dirty, words: &words };
    Ranked(likely::rank(&history.commits, |path| is_present(project, path, &pointed), &clues))
}

/// Returns whether a path of the history or of a pointer is a file of the project now.
///
/// Pointers are words of a record, which may have come with a clone: nothing outside is looked at for them. What git lists
/// is in the repository, and where a link in it leads is not looked at here.
pub(crate) fn is_present(project: &Project, path: &str, pointed: &[&str]) -> bool {
    let Some(dir) = project.dir() else { return false };
    let stays_inside =
        Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let is_file = || dir.join(path).symlink_metadata().is_ok_and(|file| !file.is_dir());
    stays_inside && (!pointed.contains(&path) || project.has_file(path) == Some(true)) && is_file()
}

/// A handoff that was saved on another branch than the one that is checked out.
fn other_branch(git: &Git, focus: &Focus) -> Option<String> {
    let then = focus.sessions().find_map(|found| found.session.git.as_ref()?.branch.as_ref())?;
    let now = git.head().branch?;
    (now != *then).then(|| format!("on branch {now}, and the handoff was saved on {then}"))
}

/// What can be told of pointers without git: whether their files are there.
fn check_by_eye(project: &Project, context: &mut Context) {
    for pointer in &mut context.pointers {
        if project.has_file(&pointer.path) == Some(false) {
            pointer.state = PointerState::Gone;
        }
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
fn lines(changes: &Changes, commit: Option<&str>) -> Vec<String> {
    const SUBJECTS: usize = 10;
    const FILES: usize = 12;
    let Some(commit) = commit else { return Vec::new() };
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
    lines
}

fn counted(count: u32, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
